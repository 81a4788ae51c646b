// sluice.Control: what Sluice tasks tell each other, and their users, beyond
// TensorFlow's services. proto/control.proto has the messages. A stock peer answers
// UNIMPLEMENTED and is left alone. Thread-safe.
//
//   Hello       who is there: version, features, clock
//   JobDone     the training ended well
//   ModelReady  answered once this task's model is ready
//   Status      sessions, resources, traffic
//   Quorum      how many gradients accumulators wait for
//   Ping        bytes there and back
#ifndef SLI_DIST_CONTROL_H_
#define SLI_DIST_CONTROL_H_

#include "core/env.h"
#include "dist/cluster.h"
#include "dist/master.h"
#include "dist/worker.h"
#include "proto/control.pb-c.h"
#include "rpc/loop.h"
#include "rpc/server.h"

typedef struct sli_control sli_control_t;

typedef struct {
  sli_env_t *env;
  sli_rpc_loop_t *loop;
  const sli_cluster_t *cluster;
  sli_worker_t *worker;
  sli_worker_cache_t *cache;
  sli_master_t *master;
  // Runs when the job is done, at least once, on any thread.
  void (*on_done)(void *context);
  void *context;
} sli_control_options_t;

// What |options| point to outlives the control.
sli_control_t *sli_control_create(const sli_control_options_t *options);
// Whose connections Status tells of; set once, before the first request. |second| may be NULL.
void sli_control_set_servers(sli_control_t *control, sli_rpc_server_t *first, sli_rpc_server_t *second);
// Answers those who wait for the model with |status| (consumed), now and from now on.
void sli_control_stop(sli_control_t *control, sli_status_t *status);
// After a stop. Outstanding announcements must have ended.
void sli_control_destroy(sli_control_t *control);
// True if the method is ours.
bool sli_control_service_handle(sli_control_t *control, sli_rpc_request_t *request);

// Marks the job as done here and tells every other task, the ps tasks last: the first of them learns who could not be
// reached. Returns when all have heard it or cannot be reached, within a few seconds. Not from a callback of the loop.
void sli_control_announce_done(sli_control_t *control);
// Tells once more those that could not be reached, unless they had left in order. The names of those who still have not
// heard it, new; NULL if there are none. Blocks until |deadline| at most; not from a callback of the loop.
char *sli_control_tell_unheard(sli_control_t *control, int64_t deadline);
bool sli_control_is_done(sli_control_t *control);
// Whoever waits for the model goes on.
void sli_control_set_model_ready(sli_control_t *control, bool ready);

// --- Asking others (control_client.c). |target| is "host:port" with or without
// "grpc://". All block, not from a callback of the loop.

// One call of |method| ("Hello"): |request| out, the reply parsed with |descriptor| into |arena|.
sli_status_t *sli_control_call(const char *target, const char *method, const ProtobufCMessage *request,
                               const ProtobufCMessageDescriptor *descriptor, int64_t deadline, sli_arena_t *arena,
                               void **out_reply);
// How the task is. A stock one tells its devices: then hello->version is empty.
sli_status_t *sli_control_ask_status(const char *target, int64_t deadline, sli_arena_t *arena,
                                     Sluice__StatusResponse **out_status, int64_t *out_round_trip_nanos);
// Until the task's model is ready; keeps trying while it cannot be reached.
sli_status_t *sli_control_wait_model_ready(const char *target, int64_t deadline);

typedef struct {
  const sli_cluster_task_t *task;
  bool is_up, is_sluice;
  uint64_t incarnation;
  char *why;  // it is not up; NULL if it is
} sli_control_member_t;
// Asks all tasks of the control's cluster at once; returns how many there are. |*out_members| is in the cluster's
// order; the caller frees it and each |why|.
size_t sli_control_ask_members(sli_control_t *control, int64_t deadline, sli_control_member_t **out_members);

#endif  // SLI_DIST_CONTROL_H_
