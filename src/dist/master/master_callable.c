// Callables: signatures that a client registers once and then runs by number.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "dist/master/master_internal.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"

void sli_master_callable_release(sli_master_callable_t *callable) {
  if (!callable || !sli_refcount_release(&callable->references)) return;
  sli_arena_deinitialize(&callable->arena);
  sli_string_deinitialize(&callable->options);
  free(callable);
}

static const char *copy_name(sli_arena_t *arena, const char *name) {
  return sli_arena_strndup(arena, name, strlen(name));
}

static const char *const *copy_names(sli_arena_t *arena, char *const *names, size_t count) {
  const char **copies = sli_arena_calloc(arena, count, sizeof(*copies));
  for (size_t i = 0; i < count; i++) copies[i] = copy_name(arena, names[i]);
  return copies;
}

static sli_signature_t copy_signature(sli_arena_t *arena, const Tensorflow__CallableOptions *options) {
  sli_signature_connection_t *connections = sli_arena_calloc(arena, options->n_tensor_connection, sizeof(*connections));
  for (size_t i = 0; i < options->n_tensor_connection; i++) {
    connections[i].from = copy_name(arena, options->tensor_connection[i]->from_tensor);
    connections[i].to = copy_name(arena, options->tensor_connection[i]->to_tensor);
  }
  return (sli_signature_t){
      .feed_names = copy_names(arena, options->feed, options->n_feed),
      .feed_count = options->n_feed,
      .fetch_names = copy_names(arena, options->fetch, options->n_fetch),
      .fetch_count = options->n_fetch,
      .target_names = copy_names(arena, options->target, options->n_target),
      .target_count = options->n_target,
      .connections = connections,
      .connection_count = options->n_tensor_connection,
  };
}

static sli_status_t *read_callable(sli_view_t bytes, sli_master_callable_t **out_callable) {
  *out_callable = NULL;
  sli_arena_t arena = {.budget = sli_proto_budget(bytes.size)};
  Tensorflow__CallableOptions *options = NULL;
  sli_status_t *status =
      sli_proto_parse(&tensorflow__callable_options__descriptor, bytes.data, bytes.size, &arena, (void **)&options);
  if (!status && (options->n_feed_devices || options->n_fetch_devices))
    status = sli_status_make(SLI_UNIMPLEMENTED,
                             "CallableOptions::feed_devices and CallableOptions::fetch_devices to configure "
                             "feeding/fetching tensors to/from device memory is not yet supported when using a remote "
                             "session.");
  sli_string_t run_options = {0};
  if (!status && options->run_options) status = sli_proto_pack(&options->run_options->base, &run_options);
  if (!status) {
    sli_master_callable_t *callable = sli_calloc(1, sizeof(*callable));
    sli_refcount_initialize(&callable->references);
    callable->signature = copy_signature(&callable->arena, options);
    callable->options = run_options;
    *out_callable = callable;
  }
  sli_arena_deinitialize(&arena);
  return status;
}

// The plan is built now, so that a bad callable fails here and not at its first run.
typedef struct {
  sli_master_session_t *session;
  sli_master_callable_t *callable;
  sli_cancellation_t *cancellation;  // only for the close of the session, which waits for the call
  sli_master_handle_done_t done;
  void *context;
} callable_request_t;

static void callable_ready(void *context, sli_status_t *status, sli_master_plan_t *plan) {
  callable_request_t *request = context;
  char handle[32] = "";
  sli_master_plan_release(plan);
  if (status) {
    sli_master_callable_release(request->callable);
  } else {
    sli_mutex_lock(&request->session->mutex);
    int64_t id = request->callable->id = request->session->next_callable++;
    sli_array_push(&request->session->callables, request->callable);
    sli_mutex_unlock(&request->session->mutex);
    snprintf(handle, sizeof(handle), "%lld", (long long)id);
  }
  sli_master_session_end_call(request->session, request->cancellation);
  request->done(request->context, status, handle, 0);
  sli_cancellation_release(request->cancellation);
  sli_master_session_release(request->session);
  free(request);
}

void sli_master_make_callable(sli_master_t *master, const char *session_handle, sli_view_t callable_options,
                              sli_master_handle_done_t done, void *context) {
  sli_master_session_t *session;
  sli_master_callable_t *callable = NULL;
  sli_status_t *status = sli_master_find_session(master, session_handle, &session);
  if (!status) status = read_callable(callable_options, &callable);
  sli_cancellation_t *cancellation = sli_cancellation_create();
  if (!status) status = sli_master_session_begin_call(session, cancellation, false);
  if (status) {
    sli_cancellation_release(cancellation);
    sli_master_callable_release(callable);
    sli_master_session_release(session);
    done(context, status, NULL, 0);
    return;
  }
  callable_request_t *request = sli_malloc(sizeof(*request));
  *request = (callable_request_t){session, callable, cancellation, done, context};
  sli_master_plan_get(session, &callable->signature, callable_ready, request);
}

// Where the callable |id| is in the session's array; NULL if there is none.
static sli_master_callable_t **find_callable_locked(sli_master_session_t *session, int64_t id) {
  for (size_t i = 0; i < session->callables.count; i++)
    if (session->callables.items[i]->id == id) return &session->callables.items[i];
  return NULL;
}

static sli_status_t *no_callable_locked(const sli_master_session_t *session, int64_t id) {
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         id >= session->next_callable ? "No such callable handle: %lld"
                                                      : "Attempted to run callable after handle was released: %lld",
                         (long long)id);
}

void sli_master_run_callable(sli_master_t *master, const char *session_handle, int64_t id, sli_tensor_t *const *feeds,
                             size_t feed_count, sli_cancellation_t *cancellation, sli_master_run_done_t done,
                             void *context) {
  sli_master_session_t *session;
  sli_master_callable_t *callable = NULL;
  sli_status_t *status = sli_master_find_session(master, session_handle, &session);
  if (!status) {
    sli_mutex_lock(&session->mutex);
    sli_master_callable_t **found = find_callable_locked(session, id);
    if (!found) {
      status = no_callable_locked(session, id);
    } else {
      callable = *found;
      sli_refcount_retain(&callable->references);
    }
    sli_mutex_unlock(&session->mutex);
    sli_master_session_release(session);
  }
  if (!status && callable->signature.feed_count != feed_count)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "The callable takes %zu feeds, got %zu",
                             callable->signature.feed_count, feed_count);
  if (status) {
    sli_master_callable_release(callable);
    done(context, status, NULL, 0, sli_view(""));
    return;
  }
  sli_master_run_step_t request = {
      .session_handle = session_handle,
      .feed_names = callable->signature.feed_names,
      .feeds = feeds,
      .feed_count = feed_count,
      .fetch_names = callable->signature.fetch_names,
      .fetch_count = callable->signature.fetch_count,
      .target_names = callable->signature.target_names,
      .target_count = callable->signature.target_count,
      .connections = callable->signature.connections,
      .connection_count = callable->signature.connection_count,
      .options = sli_view_of(callable->options.data, callable->options.size),
      .deadline = SLI_CLOCK_NO_DEADLINE,
      .cancellation = cancellation,
      .want_metadata = true,
  };
  sli_master_run_step(master, &request, done, context);
  sli_master_callable_release(callable);
}

void sli_master_release_callable(sli_master_t *master, const char *session_handle, int64_t id,
                                 sli_worker_client_done_t done, void *context) {
  sli_master_session_t *session;
  sli_status_t *status = sli_master_find_session(master, session_handle, &session);
  if (!status) {
    sli_mutex_lock(&session->mutex);
    sli_master_callable_t **found = find_callable_locked(session, id), *callable = found ? *found : NULL;
    if (found) *found = session->callables.items[--session->callables.count];
    sli_mutex_unlock(&session->mutex);
    sli_master_callable_release(callable);
    sli_master_session_release(session);
  }
  done(context, status);
}
