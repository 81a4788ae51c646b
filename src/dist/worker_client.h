// What a master, or a rendezvous, asks of a task's worker: an interface with two
// implementations, the worker of this process (worker.h) and the stub of a
// remote one (remote_worker.h). Every call is asynchronous: |done| runs exactly
// once, on any thread, possibly before the call returns. Thread-safe.
#ifndef SLI_DIST_WORKER_CLIENT_H_
#define SLI_DIST_WORKER_CLIENT_H_

#include "core/cancellation.h"
#include "core/rendezvous.h"
#include "graph/graph.h"
#include "rpc/message.h"
#include "runtime/device_set.h"

typedef void (*sli_done_fn_t)(void *context, sli_status_t *status);

typedef struct {
  const char *session_handle;
  bool isolate;
  const char *master_task;
  int64_t master_incarnation;
  sli_view_t server_def;  // serialized; may be empty
  int64_t deadline;
  sli_cancellation_t *cancellation;  // may be NULL
} sli_create_worker_session_t;

typedef struct {
  const char *session_handle;
  sli_graph_t *graph;        // the task's partition, devices assigned; retained as long as needed
  sli_view_t graph_options;  // serialized GraphOptions
  sli_view_t config;         // serialized ConfigProto
  int64_t collective_graph_key;
  int64_t deadline;
} sli_register_graph_t;
typedef void (*sli_register_done_t)(void *context, sli_status_t *status, const char *graph_handle);

typedef struct {
  const char *name;      // rendezvous key
  sli_tensor_t *tensor;  // borrowed in requests; in responses one reference each
} sli_named_tensor_t;

typedef struct {
  const char *session_handle, *graph_handle;
  int64_t step_id;
  const sli_named_tensor_t *sends;  // feeds
  size_t send_count;
  const char *const *recv_keys;  // fetches
  size_t recv_count;
  bool record_timeline, record_partition_graphs;
  bool is_partial, is_last_partial;
  int64_t deadline;
  sli_cancellation_t *cancellation;  // cancelled: the call ends soon, the step at the worker is cancelled
} sli_run_graph_t;

// |recvs| in the order of recv_keys: the callee takes the references. The rest is borrowed.
typedef struct {
  sli_tensor_t **recvs;
  size_t recv_count;
  sli_view_t step_stats;       // serialized StepStats
  sli_view_t partition_graph;  // serialized GraphDef; empty: none
} sli_run_graph_result_t;
typedef void (*sli_run_graph_done_t)(void *context, sli_status_t *status, sli_run_graph_result_t *result);

// |devices| are borrowed; |local| is NULL in them for a remote task.
typedef void (*sli_get_status_done_t)(void *context, sli_status_t *status, const sli_device_info_t *devices,
                                      size_t count);

typedef struct sli_worker_client sli_worker_client_t;
typedef struct {
  // |wait_for_ready|: keep trying to reach the task until the deadline. |cancellation| may be NULL.
  void (*get_status)(sli_worker_client_t *self, int64_t deadline, bool wait_for_ready, sli_cancellation_t *cancellation,
                     sli_get_status_done_t done, void *context);
  void (*create_session)(sli_worker_client_t *self, const sli_create_worker_session_t *request, sli_done_fn_t done,
                         void *context);
  void (*delete_session)(sli_worker_client_t *self, const char *session_handle, int64_t deadline, sli_done_fn_t done,
                         void *context);
  void (*register_graph)(sli_worker_client_t *self, const sli_register_graph_t *request, sli_register_done_t done,
                         void *context);
  void (*deregister_graph)(sli_worker_client_t *self, const char *session_handle, const char *graph_handle,
                           sli_done_fn_t done, void *context);
  void (*run_graph)(sli_worker_client_t *self, const sli_run_graph_t *request, sli_run_graph_done_t done,
                    void *context);
  // The worker forgets the step; a remote one soon, with the next RunGraph if that comes first.
  void (*cleanup_graph)(sli_worker_client_t *self, int64_t step_id, sli_done_fn_t done, void *context);
  void (*cleanup_all)(sli_worker_client_t *self, const char *const *containers, size_t count, int64_t deadline,
                      sli_done_fn_t done, void *context);
  // |done| as of a rendezvous. |cancellation| may be NULL.
  void (*recv_tensor)(sli_worker_client_t *self, int64_t step_id, sli_view_t key, int64_t deadline,
                      sli_cancellation_t *cancellation, sli_recv_fn_t done, void *context);
  // Why the task cannot be reached, for messages; malloc'ed, NULL if nothing is wrong.
  char *(*describe_failure)(sli_worker_client_t *self);
  // Calls and bytes to and from the task so far.
  sli_rpc_traffic_t (*traffic)(sli_worker_client_t *self);
  void (*destroy)(sli_worker_client_t *self);
} sli_worker_client_vtable_t;
struct sli_worker_client {
  const sli_worker_client_vtable_t *vtable;
  const char *task_name;
  bool is_local;
};

// The clients of all tasks of a cluster, made when first asked for, kept until
// the cache goes. Thread-safe.
typedef struct sli_worker_cache sli_worker_cache_t;
// NOT_FOUND for a task that is not in the cluster. Borrowed: lives as long as the cache.
sli_status_t *sli_worker_cache_get(sli_worker_cache_t *cache, sli_view_t task_name, sli_worker_client_t **out_client);

#endif  // SLI_DIST_WORKER_CLIENT_H_
