// Shared by the files of the worker: its devices (worker_devices.c), its state and sessions (worker.c), RunGraph
// (worker_run.c) and RecvTensor (worker_recv.c).
//
// Locks: worker->mutex and the mutexes of executions and runs are leaves. The step table's mutex is taken before a
// rendezvous table's. No callback runs under any of them.
#ifndef SLI_DIST_WORKER_WORKER_INTERNAL_H_
#define SLI_DIST_WORKER_WORKER_INTERNAL_H_

#include "base/map.h"
#include "dist/worker/step_table.h"
#include "dist/worker/worker.h"
#include "runtime/plan/plan.h"

// Devices with one resource manager: those of the task, or those of a session that is isolated or has its own names for
// them. Reference-counted, immutable.
typedef struct sli_worker_device_group sli_worker_device_group_t;
struct sli_worker_device_group {
  sli_refcount_t references;
  sli_worker_device_group_t *shares_with;  // the group that owns |resources|; NULL: this one does
  bool is_of_session;                      // it has resources of its own that only one session uses
  sli_resource_manager_t *resources;
  sli_device_set_t set;
};

// The task's devices, as default_config of the cluster says: CPUs, and the GPUs of the process unless the task is a ps.
sli_status_t *sli_worker_devices_create(sli_env_t *env, const sli_cluster_t *cluster,
                                        sli_worker_device_group_t **out_group);
// The same devices with names of |task_name|; with the same resources, too, if |shares|.
sli_worker_device_group_t *sli_worker_devices_clone(sli_worker_device_group_t *group, const char *task_name,
                                                    bool shares);
sli_worker_device_group_t *sli_worker_devices_retain(sli_worker_device_group_t *group);
void sli_worker_devices_release(sli_worker_device_group_t *group);

// The state that is private to a session, such as queues without a shared name. Reference-counted, because graphs that
// still run outlive their session.
typedef struct {
  sli_refcount_t references;
  sli_worker_device_group_t *devices;
  sli_session_cluster_t *cluster;  // NULL: the task's cluster
  sli_resource_manager_t *resources;
} sli_worker_private_state_t;

// A registered graph. Reference-counted, immutable.
typedef struct {
  sli_refcount_t references;
  sli_worker_private_state_t *state;
  sli_graph_t *graph;
  sli_plan_t *plan;
  sli_collective_t *collective;  // for its collective ops; freed with free()
  sli_arena_t arena;             // of |placement|
  sli_worker_placement_t placement;
} sli_worker_graph_t;

// A worker session. Reference-counted.
typedef struct {
  sli_refcount_t references;
  sli_worker_private_state_t *state;
  char *handle;
  char *master_task;           // "" if the master did not name itself
  int64_t master_incarnation;  // 0: not known
  int64_t created_at;
  // Under worker->mutex.
  sli_map_t graphs;  // by handle
  uint64_t last_handle;
  int64_t steps;  // RunGraph calls so far
  int64_t last_used;
  bool ends_input;         // the next step fails with OUT_OF_RANGE
  int64_t input_ended_at;  // when that was asked for; 0: never
} sli_worker_session_t;

typedef struct sli_worker_execution sli_worker_execution_t;  // worker_run.c

struct sli_worker {
  sli_worker_client_t client;  // first member: a pointer to the local client is one to the worker
  sli_env_t *env;
  const sli_cluster_t *cluster;
  char *task_name;
  sli_worker_device_group_t *devices;
  sli_transfer_log_t *transfers;
  sli_remote_rendezvous_shared_t shared;
  sli_step_table_t *steps;
  sli_collective_engine_t *collectives;
  size_t max_sessions;  // 0: no limit
  sli_tally_t tally;    // of executions
  sli_event_t drained;
  sli_mutex_t mutex;
  // Under mutex.
  sli_map_t sessions;                     // by handle
  sli_map_t strangers;                    // names of masters that are not in the cluster
  sli_map_t masters;                      // by task of |cluster|: the handle of its last session, a string
  sli_worker_session_t *default_session;  // for masters that create no session
  sli_worker_execution_t *executions;     // all that are running
  int64_t running;                        // their number
  int64_t step_count;                     // RunGraph calls so far
  int64_t busy;                           // calls in progress
  sli_map_t step_sequences;               // by key of a collective graph: the ID of its next step
  sli_status_t *stopped;                  // why new calls are rejected; NULL: they are not
  bool destroyed;                         // |drained| must be set when |busy| becomes 0
};

// Counts a call that ends later, so that destroy waits for it. Fails once the worker was stopped.
sli_status_t *sli_worker_begin_call(sli_worker_t *worker);
// Counts one more, for a caller that is itself counted. Never fails.
void sli_worker_add_call(sli_worker_t *worker);
// Ends what begin_call or add_call counted. The worker may be freed right after it.
void sli_worker_end_call(sli_worker_t *worker);
bool sli_worker_is_stopped(sli_worker_t *worker);

// ABORTED with the handle if there is no such session or graph. |session_handle| NULL or "" means the default session.
// The caller owns a reference to the graph. |*out_ended| is the error with which the step must fail (new), because the
// input of the session has ended; else NULL.
sli_status_t *sli_worker_find_graph(sli_worker_t *worker, const char *session_handle, const char *graph_handle,
                                    sli_worker_graph_t **out_graph, sli_status_t **out_ended);
sli_worker_graph_t *sli_worker_graph_retain(sli_worker_graph_t *graph);
void sli_worker_graph_release(sli_worker_graph_t *graph);

// worker_recv.c: waits for the value in the step's rendezvous, which is created if the step is not known yet.
void sli_worker_recv_tensor(sli_worker_client_t *self, int64_t step_id, sli_view_t key, int64_t deadline,
                            sli_cancellation_t *cancellation, sli_rendezvous_recv_fn_t done, void *context);

// worker_collective.c
void sli_worker_create_collectives(sli_worker_t *worker);
// For the graphs of a session with |config|, a serialized ConfigProto: it names the leader of collective groups, unless
// the task's own configuration does.
sli_collective_t *sli_worker_bind_collectives(sli_worker_t *worker, sli_view_t config);
void sli_worker_complete_group(sli_worker_client_t *self, const sli_collective_group_request_t *request,
                               sli_cancellation_t *cancellation, sli_collective_group_done_t done, void *context);
void sli_worker_complete_instance(sli_worker_client_t *self, const sli_collective_instance_request_t *request,
                                  sli_cancellation_t *cancellation, sli_collective_instance_done_t done, void *context);
void sli_worker_get_step_sequence(sli_worker_client_t *self, int64_t graph_key, int64_t deadline,
                                  sli_cancellation_t *cancellation, sli_worker_client_step_sequence_done_t done,
                                  void *context);
void sli_worker_recv_buf(sli_worker_client_t *self, const sli_collective_buffer_request_t *request,
                         sli_cancellation_t *cancellation, sli_collective_buffer_done_t done, void *context);
// worker_recv.c: the device of this task that |name| means. Only the local part of the name counts, because sessions
// may have other names for the task. NULL: there is none.
const sli_device_set_entry_t *sli_worker_find_device(const sli_worker_t *worker, sli_view_t name);

// worker_placement.c: fills in the placement of a new graph.
void sli_worker_place_graph(const sli_worker_t *worker, sli_worker_graph_t *graph);

// worker_run.c
void sli_worker_run_graph(sli_worker_client_t *self, const sli_worker_client_run_graph_t *request,
                          sli_worker_client_run_graph_done_t done, void *context);
// Cancels all executions of the worker. |status| is borrowed.
void sli_worker_cancel_executions(sli_worker_t *worker, sli_status_t *status);
// Appends the executions of the session with |state| (NULL: of all) that began until |latest|, with a reference to
// each. Call it under worker->mutex.
typedef SLI_ARRAY(sli_worker_execution_t *) sli_worker_executions_t;
void sli_worker_list_executions_locked(sli_worker_t *worker, const sli_worker_private_state_t *state, int64_t latest,
                                       sli_worker_executions_t *out_list);
// Cancels the executions, and releases them and the list. |status| is borrowed.
void sli_worker_cancel_list(sli_worker_executions_t *list, sli_status_t *status);
void sli_worker_release_partial(void *execution);

#endif  // SLI_DIST_WORKER_WORKER_INTERNAL_H_
