// Shared within src/capi: the structs of TensorFlow's opaque types.
//
// Lock order: a session's mutex, then its graph's. No lock is held while a step
// runs or a message is sent.
#ifndef SLI_CAPI_CAPI_H_
#define SLI_CAPI_CAPI_H_

#include <stdatomic.h>

#include "base/array.h"
#include "base/map.h"
#include "base/status.h"
#include "base/sync.h"
#include "graph/graph.h"
#include "graph/import.h"
#include "runtime/session/session.h"
#include "tensorflow/c/c_api.h"

// --- Status ------------------------------------------------------------------

struct TF_Status {
  sli_status_t *status;
  sli_map_t payloads;  // key → malloc'ed text
};

// Puts |value| (consumed; NULL: OK) into |status|.
void sli_capi_set_status(TF_Status *status, sli_status_t *value);
static inline bool sli_capi_failed(const TF_Status *status) { return status->status != NULL; }

// --- Buffers -----------------------------------------------------------------

static inline sli_view_t sli_capi_buffer_view(const TF_Buffer *buffer) {
  return buffer ? sli_view_of(buffer->data, buffer->length) : sli_view_of(NULL, 0);
}
// Moves |bytes| into |buffer|. INVALID_ARGUMENT, with |bytes| freed, unless it is empty.
sli_status_t *sli_capi_buffer_fill(TF_Buffer *buffer, sli_string_t *bytes);
TF_Buffer *sli_capi_buffer_create(sli_string_t *bytes);  // moves

// --- Tensors -----------------------------------------------------------------

struct TF_Tensor {
  sli_tensor_t *tensor;
  size_t size;      // bytes at |data|
  void *data;       // the bytes that the caller of the API sees
  char *handle;     // a resource's handle, serialized; NULL for other types
  bool is_callers;  // the bytes belong to the caller of TF_NewTensor
};

// Consumes one reference.
TF_Tensor *sli_capi_tensor_wrap(sli_tensor_t *tensor);

// --- Graphs ------------------------------------------------------------------

struct TF_Graph {
  sli_mutex_t mutex;
  // Under mutex.
  sli_graph_t *graph;
  SLI_ARRAY(TF_Session *) sessions;
  bool delete_requested;
  // Counts every change. A session that has seen this number is up to date.
  atomic_size_t changes;
  // Of a loop's condition and body (while.c).
  TF_Graph *loop_parent;
  TF_Output *loop_inputs;
};

// An operation is a node of the graph.
static inline sli_node_t *sli_capi_node(const TF_Operation *operation) { return (sli_node_t *)operation; }
static inline TF_Operation *sli_capi_operation(sli_node_t *node) { return (TF_Operation *)node; }
static inline sli_output_t sli_capi_output(TF_Output output) {
  return (sli_output_t){sli_capi_node(output.oper), output.index};
}
static inline TF_Output sli_capi_tf_output(sli_output_t output) {
  return (TF_Output){sli_capi_operation(output.node), output.index};
}

// Records a change for the sessions. The caller must hold the mutex.
static inline void sli_capi_graph_changed_locked(TF_Graph *graph) {
  atomic_fetch_add_explicit(&graph->changes, 1, memory_order_release);
}
// Checks that an output exists in |graph|. INVALID_ARGUMENT or OUT_OF_RANGE with its name.
sli_status_t *sli_capi_check_output(const TF_Graph *graph, TF_Output output);
sli_status_t *sli_capi_check_operation(const TF_Graph *graph, const TF_Operation *operation);
// Removes a session. Destroys the graph after the last one if TF_DeleteGraph was called.
void sli_capi_graph_remove_session(TF_Graph *graph, TF_Session *session);
// "Op type not registered 'X' in binary running on HOST. …".
sli_status_t *sli_capi_op_not_registered(sli_code_t code, const char *op, const char *tail);

// --- Sessions ----------------------------------------------------------------

struct TF_SessionOptions {
  char *target;
  sli_string_t config;
};

typedef struct sli_capi_signature sli_capi_signature_t;

struct TF_Session {
  sli_session_t *session;
  TF_Graph *graph;
  atomic_size_t seen_changes;  // of graph->changes
  atomic_bool extend_before_run;
  _Atomic(sli_capi_signature_t *) recent;  // of the last run, if |is_cached|: probably also of the next
  sli_mutex_t mutex;
  // Under mutex; written under the graph's as well.
  size_t sent_nodes, sent_functions;
  // Under mutex.
  sli_capi_signature_t **signatures;  // open addressing by hash (signature.c)
  size_t signature_slots, signature_count;
  // Under the graph's mutex: the warning to log before the next run; NULL: none.
  char *mutation;
};

// Opens the session that |options| request by its target.
sli_status_t *sli_capi_session_open(const TF_SessionOptions *options, sli_session_t **out_session);
// The TF_Session of |session|, which gets all changes of |graph|. |has_graph|: |session| has the current graph already.
TF_Session *sli_capi_session_attach(sli_session_t *session, TF_Graph *graph, const TF_SessionOptions *options,
                                    bool has_graph);
// Records that |node| was changed, for the sessions that have sent it. The caller must hold the graph's mutex.
void sli_capi_record_mutation_locked(TF_Graph *graph, const sli_node_t *node, const char *how);
// One step (or part of one) given by names. |output_values| are set to NULL first.
sli_status_t *sli_capi_run(sli_session_t *session, sli_session_run_t *run, TF_Tensor *const *input_values,
                           TF_Tensor **output_values, TF_Buffer *run_metadata);

// New; NULL on failure.
TF_DeviceList *sli_capi_list_devices(sli_session_t *session, TF_Status *status);

// The feeds, fetches and targets of a run: as the caller gives them, and by name.
struct sli_capi_signature {
  uint64_t hash;
  bool is_cached;  // destroyed with the session; else after the run
  size_t feed_count, fetch_count, target_count;
  TF_Output *feeds, *fetches;
  const TF_Operation **targets;
  const char **feed_names, **fetch_names, **target_names;
  void *memo;  // for the session's use
};
// The signature of these arguments, created at the first use. INVALID_ARGUMENT or OUT_OF_RANGE if one is not in the
// graph.
sli_status_t *sli_capi_signature_find(TF_Session *session, const TF_Output *feeds, int feed_count,
                                      const TF_Output *fetches, int fetch_count, const TF_Operation *const *targets,
                                      int target_count, sli_capi_signature_t **out_signature);
void sli_capi_signature_done(sli_capi_signature_t *signature);  // after the run
void sli_capi_signatures_destroy(TF_Session *session);

#endif  // SLI_CAPI_CAPI_H_
