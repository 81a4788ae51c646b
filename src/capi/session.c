// Sessions: opening the kind that a target requests, sending them the changes of their
// graph, and running steps.
#include <stdlib.h>

#include "base/log.h"
#include "capi/capi.h"
#include "dist/session/target_session.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"
#include "runtime/plan/signature.h"
#include "sluice/session.h"

// --- Options -----------------------------------------------------------------

TF_SessionOptions *TF_NewSessionOptions(void) {
  TF_SessionOptions *options = sli_calloc(1, sizeof(*options));
  options->target = sli_strdup("");
  return options;
}

void TF_DeleteSessionOptions(TF_SessionOptions *options) {
  if (!options) return;
  free(options->target);
  sli_string_deinitialize(&options->config);
  free(options);
}

void TF_SetTarget(TF_SessionOptions *options, const char *target) {
  free(options->target);
  options->target = sli_strdup(target ? target : "");
}

void TF_SetConfig(TF_SessionOptions *options, const void *proto, size_t proto_len, TF_Status *status) {
  sli_arena_t arena = {.budget = sli_proto_budget(proto_len)};
  void *message = NULL;
  sli_status_t *result = sli_proto_parse(&tensorflow__config_proto__descriptor, proto, proto_len, &arena, &message);
  sli_arena_deinitialize(&arena);
  if (result) {
    sli_status_release(result);
    sli_capi_set_status(status, sli_status_make(SLI_INVALID_ARGUMENT, "Unparseable ConfigProto"));
    return;
  }
  sli_string_clear(&options->config);
  if (proto_len) sli_string_append(&options->config, proto, proto_len);
  sli_capi_set_status(status, NULL);
}

static sli_view_t config_of(const TF_SessionOptions *options) {
  return sli_view_of(options->config.data, options->config.size);
}

sli_status_t *sli_capi_session_open(const TF_SessionOptions *options, sli_session_t **out_session) {
  *out_session = NULL;
  if (!*options->target) return sli_direct_session_create(config_of(options), out_session);
  if (sli_string_starts_with(options->target, "grpc://"))
    return sli_target_session_create(options->target, config_of(options), out_session);
  return sli_status_make(SLI_NOT_FOUND,
                         "No session factory registered for the given session options: {target: \"%s\" config: } "
                         "Registered factories are {GRPC_SESSION, DIRECT_SESSION}.",
                         options->target);
}

// --- Opening and closing -----------------------------------------------------

// Sessions on this process's devices, for TF_Reset.
static sli_mutex_t local_mutex = SLI_MUTEX_INITIALIZER;
static SLI_ARRAY(TF_Session *) local_sessions;  // under local_mutex

static void remember_local(TF_Session *session) {
  sli_mutex_lock(&local_mutex);
  sli_array_push(&local_sessions, session);
  sli_mutex_unlock(&local_mutex);
}

static void forget_local(TF_Session *session) {
  sli_mutex_lock(&local_mutex);
  for (size_t i = 0; i < local_sessions.count; i++) {
    if (local_sessions.items[i] != session) continue;
    local_sessions.items[i] = local_sessions.items[--local_sessions.count];
    break;
  }
  if (!local_sessions.count) sli_array_deinitialize(&local_sessions);
  sli_mutex_unlock(&local_mutex);
}

TF_Session *sli_capi_session_attach(sli_session_t *inner, TF_Graph *graph, const TF_SessionOptions *options,
                                    bool has_graph) {
  TF_Session *session = sli_calloc(1, sizeof(*session));
  session->session = inner;
  session->graph = graph;
  atomic_init(&session->seen_changes, SIZE_MAX);
  atomic_init(&session->extend_before_run, true);
  sli_mutex_initialize(&session->mutex);
  sli_mutex_lock(&graph->mutex);
  sli_array_push(&graph->sessions, session);
  if (has_graph) {
    session->sent_nodes = graph->graph->nodes.count;
    session->sent_functions = sli_graph_function_count(graph->graph);
  }
  sli_mutex_unlock(&graph->mutex);
  if (!*options->target) remember_local(session);
  return session;
}

TF_Session *TF_NewSession(TF_Graph *graph, const TF_SessionOptions *opts, TF_Status *status) {
  sli_session_t *inner = NULL;
  sli_capi_set_status(status, sli_capi_session_open(opts, &inner));
  return inner ? sli_capi_session_attach(inner, graph, opts, false) : NULL;
}

bool sl_session_cancel_step(TF_Session *session, pthread_t thread, const char *reason) {
  const sli_session_vtable_t *vtable = session->session->vtable;
  return vtable->cancel_step && vtable->cancel_step(session->session, thread, reason);
}

void TF_CloseSession(TF_Session *session, TF_Status *status) {
  sli_capi_set_status(status, session->session->vtable->close(session->session));
}

void TF_DeleteSession(TF_Session *session, TF_Status *status) {
  sli_capi_set_status(status, NULL);
  if (!session) return;
  forget_local(session);
  sli_capi_graph_remove_session(session->graph, session);
  session->session->vtable->destroy(session->session);
  sli_capi_signatures_destroy(session);
  sli_mutex_deinitialize(&session->mutex);
  free(session->mutation);
  free(session);
}

void TF_Reset(const TF_SessionOptions *opt, const char **containers, int ncontainers, TF_Status *status) {
  sli_status_t *result = NULL;
  if (*opt->target) {
    result =
        sli_target_session_reset(opt->target, config_of(opt), containers, ncontainers < 0 ? 0 : (size_t)ncontainers);
  } else {
    // As in TensorFlow, a reset closes the sessions on this process's devices. Closing one neither creates nor deletes
    // any, so the lock may be held.
    sli_mutex_lock(&local_mutex);
    for (size_t i = 0; i < local_sessions.count; i++) {
      sli_session_t *session = local_sessions.items[i]->session;
      result = sli_status_join(result, session->vtable->close(session));
    }
    sli_mutex_unlock(&local_mutex);
  }
  sli_capi_set_status(status, result);
}

// --- Changes of the graph -----------------------------------------------------

void sli_capi_record_mutation_locked(TF_Graph *graph, const sli_node_t *node, const char *how) {
  for (size_t i = 0; i < graph->sessions.count; i++) {
    TF_Session *session = graph->sessions.items[i];
    if ((size_t)node->id >= session->sent_nodes) continue;
    free(session->mutation);
    session->mutation = sli_format(
        "Operation '%s' was changed by %s after it was run by a session. This mutation will have no effect, and will "
        "trigger an error in the future. Either don't modify nodes after running them or create a new session.",
        node->def.name, how);
  }
  sli_capi_graph_changed_locked(graph);
}

static sli_status_t *extend_locked(TF_Session *session) {
  TF_Graph *graph = session->graph;
  sli_string_t graph_def = {0};
  sli_mutex_lock(&graph->mutex);
  size_t changes = atomic_load_explicit(&graph->changes, memory_order_relaxed);
  size_t nodes = graph->graph->nodes.count, functions = sli_graph_function_count(graph->graph);
  bool is_new = nodes > session->sent_nodes || functions > session->sent_functions;
  if (is_new) sli_graph_export_from(graph->graph, session->sent_nodes, session->sent_functions, &graph_def);
  char *mutation = session->mutation;
  session->mutation = NULL;
  sli_mutex_unlock(&graph->mutex);
  if (mutation) SLI_WARNING("%s", mutation);
  free(mutation);

  sli_status_t *status = NULL;
  if (is_new) status = session->session->vtable->extend(session->session, sli_view_of(graph_def.data, graph_def.size));
  sli_string_deinitialize(&graph_def);
  if (status) return status;
  sli_mutex_lock(&graph->mutex);
  session->sent_nodes = nodes;
  session->sent_functions = functions;
  sli_mutex_unlock(&graph->mutex);
  atomic_store_explicit(&session->seen_changes, changes, memory_order_release);
  return NULL;
}

// Sends the new nodes of the graph to the session. Cheap if there are none.
static sli_status_t *extend_session(TF_Session *session) {
  if (atomic_load_explicit(&session->seen_changes, memory_order_acquire) ==
      atomic_load_explicit(&session->graph->changes, memory_order_acquire))
    return NULL;
  sli_mutex_lock(&session->mutex);
  sli_status_t *status = extend_locked(session);
  sli_mutex_unlock(&session->mutex);
  return status;
}

void TF_ExtendSession(TF_Session *session, TF_Status *status) {
  sli_capi_set_status(status, extend_session(session));
  atomic_store(&session->extend_before_run, false);
}

static sli_status_t *extend_if_wanted(TF_Session *session) {
  return atomic_load_explicit(&session->extend_before_run, memory_order_relaxed) ? extend_session(session) : NULL;
}

// --- Running -----------------------------------------------------------------

// Small steps keep their arrays on the stack.
enum { ON_STACK = 32 };

static sli_status_t *wrap_fetches(sli_tensor_t **fetches, size_t count, TF_Tensor **output_values) {
  for (size_t i = 0; i < count; i++) {
    if (fetches[i]) continue;
    for (size_t k = 0; k < count; k++) sli_tensor_release(fetches[k]);
    return sli_status_make(SLI_FAILED_PRECONDITION, "attempt to use a tensor with an uninitialized value");
  }
  // The caller may write to the tensor.
  sli_status_t *status = NULL;
  for (size_t i = 0; i < count; i++) {
    sli_tensor_t *copy = fetches[i];
    if (!status && !sli_tensor_is_writable(fetches[i])) {
      status = sli_tensor_clone(fetches[i], &copy);
      sli_tensor_release(fetches[i]);
    }
    output_values[i] = copy ? sli_capi_tensor_wrap(copy) : NULL;
  }
  for (size_t i = 0; status && i < count; i++) {
    TF_DeleteTensor(output_values[i]);
    output_values[i] = NULL;
  }
  return status;
}

sli_status_t *sli_capi_run(sli_session_t *session, sli_session_run_t *run, TF_Tensor *const *input_values,
                           TF_Tensor **output_values, TF_Buffer *run_metadata) {
  for (size_t i = 0; i < run->fetch_count; i++) output_values[i] = NULL;
  for (size_t i = 0; i < run->feed_count; i++)
    if (!input_values[i])
      return sli_status_make(SLI_INVALID_ARGUMENT, "The value fed for %s is NULL", run->feed_names[i]);
  if (run_metadata && run_metadata->data)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Passing non-empty run_metadata is invalid.");
  sli_tensor_t *stack[ON_STACK];
  size_t total = run->feed_count + run->fetch_count;
  sli_tensor_t **feeds = total <= ON_STACK ? stack : sli_malloc(total * sizeof(sli_tensor_t *));
  sli_tensor_t **fetches = feeds + run->feed_count;
  for (size_t i = 0; i < run->feed_count; i++) feeds[i] = input_values[i]->tensor;
  sli_string_t metadata = {0};
  run->feeds = feeds;
  if (run_metadata) run->out_metadata = &metadata;
  sli_status_t *status = session->vtable->run(session, run, fetches);
  if (run_metadata) status = sli_status_join(status, sli_capi_buffer_fill(run_metadata, &metadata));
  if (!status) status = wrap_fetches(fetches, run->fetch_count, output_values);
  if (feeds != stack) free(feeds);
  return status;
}

// Finds the signature of a run, which must fetch or execute something.
static sli_status_t *find_signature(TF_Session *session, const TF_Output *inputs, int ninputs, const TF_Output *outputs,
                                    int noutputs, const TF_Operation *const *targets, int ntargets,
                                    sli_capi_signature_t **out_signature) {
  SLI_RETURN_IF_ERROR(sli_signature_check_purpose((size_t)noutputs, (size_t)ntargets));
  return sli_capi_signature_find(session, inputs, ninputs, outputs, noutputs, targets, ntargets, out_signature);
}

static sli_session_run_t run_of_signature(sli_capi_signature_t *signature) {
  return (sli_session_run_t){
      .feed_names = signature->feed_names,
      .feed_count = signature->feed_count,
      .fetch_names = signature->fetch_names,
      .fetch_count = signature->fetch_count,
      .target_names = signature->target_names,
      .target_count = signature->target_count,
      .memo = &signature->memo,
  };
}

void TF_SessionRun(TF_Session *session, const TF_Buffer *run_options, const TF_Output *inputs,
                   TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs, TF_Tensor **output_values,
                   int noutputs, const TF_Operation *const *target_opers, int ntargets, TF_Buffer *run_metadata,
                   TF_Status *status) {
  for (int i = 0; i < noutputs; i++) output_values[i] = NULL;
  sli_capi_signature_t *signature = NULL;
  sli_status_t *result = extend_if_wanted(session);
  if (!result) result = find_signature(session, inputs, ninputs, outputs, noutputs, target_opers, ntargets, &signature);
  if (!result) {
    sli_session_run_t run = run_of_signature(signature);
    run.options = sli_capi_buffer_view(run_options);
    result = sli_capi_run(session->session, &run, input_values, output_values, run_metadata);
  }
  sli_capi_signature_done(signature);
  sli_capi_set_status(status, result);
}

void TF_SessionPRunSetup(TF_Session *session, const TF_Output *inputs, int ninputs, const TF_Output *outputs,
                         int noutputs, const TF_Operation *const *target_opers, int ntargets, const char **handle,
                         TF_Status *status) {
  *handle = NULL;
  sli_capi_signature_t *signature = NULL;
  sli_status_t *result = extend_if_wanted(session);
  if (!result) result = find_signature(session, inputs, ninputs, outputs, noutputs, target_opers, ntargets, &signature);
  if (!result) {
    sli_session_run_t names = run_of_signature(signature);
    char *made = NULL;
    result = session->session->vtable->partial_run_setup(session->session, &names, &made);
    *handle = made;
  }
  sli_capi_signature_done(signature);
  sli_capi_set_status(status, result);
}

void TF_SessionPRun(TF_Session *session, const char *handle, const TF_Output *inputs, TF_Tensor *const *input_values,
                    int ninputs, const TF_Output *outputs, TF_Tensor **output_values, int noutputs,
                    const TF_Operation *const *target_opers, int ntargets, TF_Status *status) {
  for (int i = 0; i < noutputs; i++) output_values[i] = NULL;
  sli_capi_signature_t *signature = NULL;
  sli_status_t *result = extend_if_wanted(session);
  if (!result)
    result = sli_capi_signature_find(session, inputs, ninputs, outputs, noutputs, target_opers, ntargets, &signature);
  if (!result) {
    sli_session_run_t run = run_of_signature(signature);
    run.partial_handle = handle;
    result = sli_capi_run(session->session, &run, input_values, output_values, NULL);
  }
  sli_capi_signature_done(signature);
  sli_capi_set_status(status, result);
}

void TF_DeletePRunHandle(const char *handle) { free((char *)handle); }
