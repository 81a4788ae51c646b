// The calls that a master or a rendezvous makes to a task's worker. An interface with two implementations: the worker
// of this process (dist/worker/worker.h) and the client of a remote one (remote_worker.h). Every call is asynchronous:
// |done| is called exactly once, on any thread, possibly before the call returns. Thread-safe.
#ifndef SLI_DIST_CLIENT_WORKER_CLIENT_H_
#define SLI_DIST_CLIENT_WORKER_CLIENT_H_

#include "collective/engine.h"
#include "core/step/cancellation.h"
#include "core/step/rendezvous.h"
#include "dist/cluster/cluster.h"
#include "graph/graph.h"
#include "rpc/message.h"
#include "runtime/place/device_set.h"

typedef void (*sli_worker_client_done_t)(void *context, sli_status_t *status);

typedef struct {
  const char *session_handle;
  bool isolate;
  const char *master_task;
  int64_t master_incarnation;
  sli_view_t server_def;  // serialized; may be empty
  int64_t deadline;
  sli_cancellation_t *cancellation;  // may be NULL
} sli_worker_client_create_session_t;

typedef struct {
  const char *session_handle;
  sli_graph_t *graph;        // the task's partition with devices assigned; the callee retains it
  sli_view_t graph_options;  // serialized GraphOptions
  sli_view_t config;         // serialized ConfigProto
  int64_t collective_graph_key;
  int64_t deadline;
} sli_worker_client_register_graph_t;
typedef void (*sli_worker_client_register_done_t)(void *context, sli_status_t *status, const char *graph_handle);

typedef struct {
  const char *name;      // rendezvous key
  sli_tensor_t *tensor;  // borrowed in requests; in responses one reference each
} sli_message_named_tensor_t;

typedef struct {
  const char *session_handle, *graph_handle;
  int64_t step_id;
  const sli_message_named_tensor_t *sends;  // feeds
  size_t send_count;
  const char *const *recv_keys;  // fetches
  size_t recv_count;
  bool record_timeline, record_partition_graphs;
  bool is_partial, is_last_partial;
  int64_t deadline;
  sli_cancellation_t *cancellation;  // ends the call and cancels the step on the worker
} sli_worker_client_run_graph_t;

// |recvs| are in the order of recv_keys; the callee owns the references. The rest is borrowed.
typedef struct {
  sli_tensor_t **recvs;
  size_t recv_count;
  sli_view_t step_stats;       // serialized StepStats
  sli_view_t partition_graph;  // serialized GraphDef; empty: none
} sli_worker_client_run_graph_result_t;
typedef void (*sli_worker_client_run_graph_done_t)(void *context, sli_status_t *status,
                                                   sli_worker_client_run_graph_result_t *result);

// |devices| are borrowed; |local| is NULL in them for a remote task.
typedef void (*sli_worker_client_get_status_done_t)(void *context, sli_status_t *status,
                                                    const sli_device_set_entry_t *devices, size_t count);

typedef struct {
  const sli_cluster_t *cluster;  // ours
  uint64_t own_incarnation, incarnation;
  int64_t deadline;
  sli_cancellation_t *cancellation;
} sli_worker_client_compare_t;

// The ID of the next step of the graphs with the requested key.
typedef void (*sli_worker_client_step_sequence_done_t)(void *context, sli_status_t *status, int64_t next_step_id);

typedef struct sli_worker_client sli_worker_client_t;
typedef struct {
  // With |wait_for_ready| it retries to reach the task until the deadline. |cancellation| may be NULL.
  void (*get_status)(sli_worker_client_t *self, int64_t deadline, bool wait_for_ready, sli_cancellation_t *cancellation,
                     sli_worker_client_get_status_done_t done, void *context);
  // Compares our list of tasks with that of the task, once for each of its incarnations. INVALID_ARGUMENT with the
  // difference if the two cannot work together. OK if they can, or if the task cannot compare lists (TensorFlow's).
  void (*compare_clusters)(sli_worker_client_t *self, const sli_worker_client_compare_t *request,
                           sli_worker_client_done_t done, void *context);
  void (*create_session)(sli_worker_client_t *self, const sli_worker_client_create_session_t *request,
                         sli_worker_client_done_t done, void *context);
  void (*delete_session)(sli_worker_client_t *self, const char *session_handle, int64_t deadline,
                         sli_worker_client_done_t done, void *context);
  void (*register_graph)(sli_worker_client_t *self, const sli_worker_client_register_graph_t *request,
                         sli_worker_client_register_done_t done, void *context);
  void (*deregister_graph)(sli_worker_client_t *self, const char *session_handle, const char *graph_handle,
                           sli_worker_client_done_t done, void *context);
  void (*run_graph)(sli_worker_client_t *self, const sli_worker_client_run_graph_t *request,
                    sli_worker_client_run_graph_done_t done, void *context);
  // The worker drops the step. A remote one does so a little later: the call is sent with the next RunGraph or after 10
  // ms.
  void (*cleanup_graph)(sli_worker_client_t *self, int64_t step_id, sli_worker_client_done_t done, void *context);
  void (*cleanup_all)(sli_worker_client_t *self, const char *const *containers, size_t count, int64_t deadline,
                      sli_worker_client_done_t done, void *context);
  // Waits for the tensor that the step sends under |key|. |cancellation| may be NULL. The local worker ignores
  // |deadline|: a caller that sets one also cancels.
  void (*recv_tensor)(sli_worker_client_t *self, int64_t step_id, sli_view_t key, int64_t deadline,
                      sli_cancellation_t *cancellation, sli_rendezvous_recv_fn_t done, void *context);
  // Calls between members of collective groups (collective/engine.h). The first two wait for other members.
  void (*complete_group)(sli_worker_client_t *self, const sli_collective_group_request_t *request,
                         sli_cancellation_t *cancellation, sli_collective_group_done_t done, void *context);
  void (*complete_instance)(sli_worker_client_t *self, const sli_collective_instance_request_t *request,
                            sli_cancellation_t *cancellation, sli_collective_instance_done_t done, void *context);
  void (*get_step_sequence)(sli_worker_client_t *self, int64_t graph_key, int64_t deadline,
                            sli_cancellation_t *cancellation, sli_worker_client_step_sequence_done_t done,
                            void *context);
  // Waits for the buffer that a member sends under the request's key.
  void (*recv_buf)(sli_worker_client_t *self, const sli_collective_buffer_request_t *request,
                   sli_cancellation_t *cancellation, sli_collective_buffer_done_t done, void *context);
  // Describes why the task cannot be reached; the caller frees the text. NULL if nothing is wrong.
  char *(*describe_failure)(sli_worker_client_t *self);
  // Calls and bytes to and from the task so far.
  sli_rpc_traffic_t (*traffic)(sli_worker_client_t *self);
  // The memory that the task shares with us; NULL: none. The caller releases it.
  sli_lend_mapping_t *(*memory)(sli_worker_client_t *self);
  void (*destroy)(sli_worker_client_t *self);
} sli_worker_client_vtable_t;
struct sli_worker_client {
  const sli_worker_client_vtable_t *vtable;
  const char *task_name;
  bool is_local;
};

// The clients of all tasks of a cluster. Each is created on first use and lives as long as the cache. Thread-safe.
typedef struct sli_worker_cache sli_worker_cache_t;
// NOT_FOUND for a task that is not in the cluster. The client is borrowed.
sli_status_t *sli_worker_cache_get(sli_worker_cache_t *cache, sli_view_t task_name, sli_worker_client_t **out_client);

#endif  // SLI_DIST_CLIENT_WORKER_CLIENT_H_
