// Shared by the files of sluice.Control: the side that answers (control.c), what it
// tells of its task (control_status.c) and the side that asks (control_client.c).
#ifndef SLI_DIST_CONTROL_INTERNAL_H_
#define SLI_DIST_CONTROL_INTERNAL_H_

#include "base/array.h"
#include "dist/control.h"
#include "rpc/channel.h"

#define SLI_CONTROL_SERVICE "/sluice.Control/"

typedef struct sli_ready_waiter sli_ready_waiter_t;  // control.c

struct sli_control {
  sli_control_options_t options;
  sli_rpc_server_t *servers[2];  // NULL: none
  int64_t started_at;
  atomic_bool is_done;
  sli_ready_waiter_t *waiters;  // polling thread only
  sli_mutex_t mutex;
  // Under mutex.
  bool is_model_ready;
  bool *unheard;          // by position in the cluster: could not be told that the job is done
  sli_status_t *stopped;  // what whoever waits for the model is told
};

// Who answers here.
void sli_control_fill_hello(sli_control_t *control, sli_arena_t *arena, Sluice__HelloResponse *out_hello);
// How this task is. On the polling thread.
void sli_control_fill_status(sli_control_t *control, sli_arena_t *arena, Sluice__StatusResponse *out_status);
// The devices of a task.
void sli_control_fill_devices(const sli_device_set_t *set, sli_arena_t *arena, Sluice__StatusResponse *out_status);
// The accumulators that |request| names, after it set their quorum, if it does.
void sli_control_fill_quorum(sli_control_t *control, const Sluice__QuorumRequest *request, sli_arena_t *arena,
                             Sluice__QuorumResponse *out_response);

// The job is done, as far as this task knows.
void sli_control_set_done(sli_control_t *control);

// control_client.c: one call on |channel|, whose reply is parsed into |arena|; and a task's devices, at least one.
sli_status_t *sli_control_call_on(sli_rpc_channel_t *channel, const char *method, const ProtobufCMessage *request,
                                  const ProtobufCMessageDescriptor *descriptor, int64_t deadline, sli_arena_t *arena,
                                  void **out_reply);
sli_status_t *sli_control_get_devices(sli_rpc_channel_t *channel, int64_t deadline, sli_device_set_t *out_set);

#endif  // SLI_DIST_CONTROL_INTERNAL_H_
