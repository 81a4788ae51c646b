// Shared by the files of the worker: its state and sessions (worker.c), RunGraph
// (worker_run.c), RecvTensor's answering side (worker_recv.c), the gRPC face.
//
// Locks: worker->mutex and an execution's mutex are leaves; the step table's mutex
// is taken before a rendezvous table's. No callback runs under any of them.
#ifndef SLI_DIST_WORKER_INTERNAL_H_
#define SLI_DIST_WORKER_INTERNAL_H_

#include "base/map.h"
#include "dist/step_table.h"
#include "dist/worker.h"
#include "runtime/plan.h"

#define SLI_WORKER_CONTAINER "localhost"  // TensorFlow's name for the default container

// Devices over one resource manager: the task's own, or a session's that is isolated or has other names for them.
// Counted, immutable.
typedef struct sli_device_group sli_device_group_t;
struct sli_device_group {
  sli_refcount_t references;
  sli_device_group_t *lender;  // whose |resources| are used; NULL: they are the group's own
  sli_resource_manager_t *resources;
  sli_device_set_t set;
};

// What is private to a session: queues without a shared name and their kin. Counted, as graphs that still run outlive
// their session.
typedef struct {
  sli_refcount_t references;
  sli_device_group_t *devices;
  sli_session_cluster_t *cluster;  // NULL: the task's own
  sli_resource_manager_t *resources;
} sli_private_state_t;

// A registered graph. Counted, immutable.
typedef struct {
  sli_refcount_t references;
  sli_private_state_t *state;
  sli_graph_t *graph;
  sli_plan_t *plan;
} sli_worker_graph_t;

// A worker session. Counted.
typedef struct {
  sli_refcount_t references;
  sli_private_state_t *state;
  char *master_task;  // "" if the master did not say
  int64_t created_at;
  // Under worker->mutex.
  sli_map_t graphs;  // by handle
  uint64_t last_handle;
  int64_t steps;  // that looked for a graph
  int64_t last_used;
} sli_worker_session_t;

typedef struct sli_execution sli_execution_t;  // worker_run.c

struct sli_worker {
  sli_worker_client_t client;  // first: the local client is the worker
  sli_env_t *env;
  const sli_cluster_t *cluster;
  char *task_name;
  sli_device_group_t *devices;
  sli_transfer_log_t *transfers;
  sli_remote_rendezvous_home_t home;
  sli_step_table_t *steps;
  sli_event_t drained;
  sli_mutex_t mutex;
  // Under mutex.
  sli_map_t sessions;            // by handle
  sli_map_t masters;             // by task of |cluster|: the handle of its last session, a string
  sli_worker_session_t *legacy;  // for masters that create no session
  sli_execution_t *executions;   // all that run
  int64_t running;               // how many those are
  int64_t step_count;            // that looked for a graph
  int64_t busy;                  // calls under way that use the worker
  sli_status_t *stopped;         // why nothing new begins; NULL: it may
  bool destroyed;                // |drained| is set when |busy| gets to 0
};

// Counts a call in that ends later; fails once the worker was stopped.
sli_status_t *sli_worker_begin(sli_worker_t *worker);
// Counts one more in, for a caller who is counted himself.
void sli_worker_hold(sli_worker_t *worker);
// Counts it out: the worker may be gone afterwards.
void sli_worker_end(sli_worker_t *worker);
bool sli_worker_is_stopped(sli_worker_t *worker);

// ABORTED naming the handle. |session_handle| NULL or "": the legacy session. A reference for the caller.
sli_status_t *sli_worker_find_graph(sli_worker_t *worker, const char *session_handle, const char *graph_handle,
                                    sli_worker_graph_t **out_graph);
sli_worker_graph_t *sli_worker_graph_retain(sli_worker_graph_t *graph);
void sli_worker_graph_release(sli_worker_graph_t *graph);

// worker_run.c
void sli_worker_run_graph(sli_worker_client_t *self, const sli_run_graph_t *request, sli_run_graph_done_t done,
                          void *context);
// Cancels |executions| of the worker. |status| is borrowed.
void sli_worker_cancel_executions(sli_worker_t *worker, sli_status_t *status);
void sli_worker_release_partial(void *execution);

#endif  // SLI_DIST_WORKER_INTERNAL_H_
