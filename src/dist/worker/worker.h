// The worker of this process: its devices, worker sessions, registered graphs and the rendezvous of running steps. Its
// local client has the methods of WorkerService; the gRPC service (dist/service/worker_service.c) and the master of
// this process call them. Thread-safe.
#ifndef SLI_DIST_WORKER_WORKER_H_
#define SLI_DIST_WORKER_WORKER_H_

#include "base/arena.h"
#include "base/tally.h"
#include "core/state/resource.h"
#include "core/step/env.h"
#include "dist/client/worker_client.h"
#include "dist/cluster/cluster.h"
#include "dist/worker/transfer_log.h"

#define SLI_WORKER_CONTAINER "localhost"  // TensorFlow's name for the default container

typedef struct sli_worker sli_worker_t;

// Creates the worker and its devices: as many CPUs as default_config's device_count says, by default 1, and GPUs.
// |cluster| must outlive the worker.
sli_status_t *sli_worker_create(sli_env_t *env, const sli_cluster_t *cluster, sli_worker_t **out_worker);
// Stops the worker and waits for its steps. Kernels that cannot be cancelled, because they compute or wait for a file,
// get a few seconds; then this returns false, and the worker and what it uses must be left alone: the steps still use
// it. NULL is allowed.
bool sli_worker_destroy(sli_worker_t *worker);
// Sets the clients of other tasks, for RecvTensor. Call it once, before the first step.
void sli_worker_set_cache(sli_worker_t *worker, sli_worker_cache_t *cache);
// What peers may keep here; 0: no limit.
typedef struct {
  size_t sessions;        // worker sessions; also those of masters that died stay until the task ends
  size_t early_receives;  // RecvTensors that wait for steps that have not started here
} sli_worker_limits_t;
// Call it once, before the first call.
void sli_worker_set_limits(sli_worker_t *worker, const sli_worker_limits_t *limits);
const sli_device_set_t *sli_worker_devices(sli_worker_t *worker);
// The resources of the task, shared by all sessions that are not isolated. Owned by the worker.
sli_resource_manager_t *sli_worker_resources(sli_worker_t *worker);
// The log behind WorkerService.Logging. Owned by the worker.
sli_transfer_log_t *sli_worker_transfer_log(sli_worker_t *worker);
// The number of sessions that masters have here.
size_t sli_worker_session_count(sli_worker_t *worker);

typedef struct {
  char *handle, *master_task;  // master_task is "" if the master did not name itself
  int64_t age_nanos, idle_nanos;
  int64_t steps;
} sli_worker_session_info_t;
// Describes all sessions; returns how many there are. The array and the texts are allocated in |arena|.
size_t sli_worker_describe_sessions(sli_worker_t *worker, sli_arena_t *arena, sli_worker_session_info_t **out_sessions);

// Lets a step of each session whose master is |master_task| fail with OUT_OF_RANGE: the next one, or with |interrupt|
// those that began before the last call without it and still run. Returns the number of these sessions.
size_t sli_worker_end_input(sli_worker_t *worker, const char *master_task, bool interrupt);

typedef struct {
  int64_t steps;  // RunGraph calls so far
  int64_t running_steps;
} sli_worker_load_t;
sli_worker_load_t sli_worker_load(sli_worker_t *worker);

// The shares of steps that ran here: how long they took, how they ended.
const sli_tally_t *sli_worker_tally(const sli_worker_t *worker);

// The graphs of sessions that are registered here.
typedef struct {
  const char *task;  // "/job:ps/replica:0/task:0"
  int64_t tensors;   // that graphs here send to it
} sli_worker_edge_t;
typedef struct {
  int64_t nodes;
  sli_worker_edge_t *edges;
  size_t edge_count;
} sli_worker_placement_t;
// The sum of all graphs, allocated in |arena|.
void sli_worker_describe_placement(sli_worker_t *worker, sli_arena_t *arena, sli_worker_placement_t *out_placement);

// How long ago the last step ran or the last session was created. Sessions of a master that died stay, but get older.
int64_t sli_worker_quiet_nanos(sli_worker_t *worker);
// Whether the task |name| of our cluster was a master here and has closed its last session, so that it ended normally.
bool sli_worker_master_has_left(sli_worker_t *worker, const char *name);
// The client for calls from this process. Owned by the worker.
sli_worker_client_t *sli_worker_local_client(sli_worker_t *worker);

// RegisterGraph with a serialized GraphDef and ConfigProto, which are borrowed until |done| runs. Imports and compiles
// on the pool.
void sli_worker_register_graph_def(sli_worker_t *worker, const char *session_handle, sli_view_t graph_def,
                                   sli_view_t config, sli_worker_client_register_done_t done, void *context);

// The task that forms the collective groups of sessions with |config|, a serialized ConfigProto; the caller frees it.
char *sli_worker_group_leader(const sli_worker_t *worker, sli_view_t config);
// The IDs of steps of graphs with a collective key, which all masters of a group must choose alike. |next| is 0 if
// it is not known: then the leader has to be asked. Set stores the leader's reply; 0 forgets it.
int64_t sli_worker_next_step(sli_worker_t *worker, int64_t graph_key);
void sli_worker_set_next_step(sli_worker_t *worker, int64_t graph_key, int64_t next);

// Cancels every step with |status| (consumed) and rejects new calls. Called when the server stops.
void sli_worker_stop(sli_worker_t *worker, sli_status_t *status);

#endif  // SLI_DIST_WORKER_WORKER_H_
