// The devices of a task in messages.
#ifndef SLI_DIST_CLIENT_DEVICE_ATTRIBUTES_H_
#define SLI_DIST_CLIENT_DEVICE_ATTRIBUTES_H_

#include "base/arena.h"
#include "proto/control.pb-c.h"
#include "runtime/place/device_set.h"

// Appends the fields of a DeviceAttributes message.
void sli_device_attributes_encode(const sli_device_set_entry_t *device, sli_string_t *out);
// Adds the device that the message describes. INVALID_ARGUMENT if it is malformed.
sli_status_t *sli_device_attributes_decode(sli_view_t bytes, sli_device_set_t *set);

// Adds all devices of a GetStatusResponse.
sli_status_t *sli_device_attributes_decode_all(sli_view_t response, sli_device_set_t *set);

// Sets the devices of a sluice.StatusResponse, allocated in |arena|.
void sli_device_attributes_fill_status(const sli_device_set_t *set, sli_arena_t *arena,
                                       Sluice__StatusResponse *out_status);

#endif  // SLI_DIST_CLIENT_DEVICE_ATTRIBUTES_H_
