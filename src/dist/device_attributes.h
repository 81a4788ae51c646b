// DeviceAttributes on the wire.
#ifndef SLI_DIST_DEVICE_ATTRIBUTES_H_
#define SLI_DIST_DEVICE_ATTRIBUTES_H_

#include "runtime/device_set.h"

// Appends the fields of the message.
void sli_device_attributes_encode(const sli_device_info_t *device, sli_string_t *out);
// Adds the device that the message describes. INVALID_ARGUMENT if it is malformed.
sli_status_t *sli_device_attributes_decode(sli_view_t bytes, sli_device_set_t *set);

// Adds all devices of a GetStatusResponse.
sli_status_t *sli_device_attributes_decode_all(sli_view_t response, sli_device_set_t *set);

#endif  // SLI_DIST_DEVICE_ATTRIBUTES_H_
