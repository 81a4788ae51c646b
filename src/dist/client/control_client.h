// The client of sluice.Control on one task: questions about its state and its model. |target| is "host:port" with or
// without "grpc://". Every call has a channel of its own, so that it does not delay other calls. All functions block;
// do not call them from a callback of the loop. Calls to all tasks of a cluster at once are in dist/control/control.h.
#ifndef SLI_DIST_CLIENT_CONTROL_CLIENT_H_
#define SLI_DIST_CLIENT_CONTROL_CLIENT_H_

#include "proto/control.pb-c.h"
#include "proto/proto.h"
#include "rpc/channel.h"
#include "runtime/place/device_set.h"

#define SLI_CONTROL_CLIENT_SERVICE "/sluice.Control/"  // what the path of each of its methods begins with

// The largest payload that Ping sends back. A reply is made for a few bytes of request, so it is small.
enum { SLI_CONTROL_CLIENT_MAX_PING_BYTES = 4 << 20 };

// The options of a call of |path| ("/sluice.Control/Hello"), with the metadata that identifies a Sluice peer.
sli_rpc_call_options_t sli_control_client_options(const char *path, int64_t deadline);

// Calls |method| ("Hello") once: sends |request| and parses the reply with |descriptor| into |arena|.
sli_status_t *sli_control_client_call(const char *target, const char *method, const ProtobufCMessage *request,
                                      const ProtobufCMessageDescriptor *descriptor, int64_t deadline,
                                      sli_arena_t *arena, void **out_reply);
// The same on an existing channel.
sli_status_t *sli_control_client_call_on(sli_rpc_channel_t *channel, const char *method,
                                         const ProtobufCMessage *request, const ProtobufCMessageDescriptor *descriptor,
                                         int64_t deadline, sli_arena_t *arena, void **out_reply);
// The devices of the task, at least one, as WorkerService.GetStatus returns them: works with a stock task too.
sli_status_t *sli_control_client_get_devices(sli_rpc_channel_t *channel, int64_t deadline, sli_device_set_t *out_set);

// The status of the task, allocated in |arena|. A stock task reports its devices only: then hello->version is empty.
sli_status_t *sli_control_client_get_status(const char *target, int64_t deadline, sli_arena_t *arena,
                                            Sluice__StatusResponse **out_status, int64_t *out_round_trip_nanos);
// Waits until the task's model is ready; retries while the task cannot be reached.
sli_status_t *sli_control_client_wait_model_ready(const char *target, int64_t deadline);

#endif  // SLI_DIST_CLIENT_CONTROL_CLIENT_H_
