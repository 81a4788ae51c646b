// The session on the server that a target names: keeps the handle and the graph version, and calls the master through a
// sli_master_client_t.
#include "dist/session/target_session.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "dist/env/env_process.h"
#include "dist/server/task_server.h"
#include "dist/session/master_client.h"
#include "proto/config.fields.h"
#include "proto/wire.h"

typedef struct {
  sli_session_t base;
  sli_master_client_t *client;
  sli_string_t config;
  sli_mutex_t mutex;  // serialises create and extend
  // Under mutex.
  char *handle;  // NULL before the first extend; then constant
  int64_t graph_version;
  bool closed;
} target_session_t;

static target_session_t *session_of(sli_session_t *session) { return (target_session_t *)session; }

// --- Create and extend -------------------------------------------------------------------

static sli_status_t *create_locked(target_session_t *session, sli_view_t graph_def) {
  return session->client->vtable->create_session(session->client, graph_def,
                                                 sli_view_of(session->config.data, session->config.size),
                                                 &session->handle, &session->graph_version);
}

static sli_status_t *extend_locked(target_session_t *session, sli_view_t graph_def) {
  if (session->closed) return sli_status_make(SLI_FAILED_PRECONDITION, "Session has been closed.");
  if (!session->handle) return create_locked(session, graph_def);
  return session->client->vtable->extend_session(session->client, session->handle, graph_def, &session->graph_version);
}

static sli_status_t *session_extend(sli_session_t *base, sli_view_t graph_def) {
  target_session_t *session = session_of(base);
  sli_mutex_lock(&session->mutex);
  sli_status_t *status = extend_locked(session, graph_def);
  sli_mutex_unlock(&session->mutex);
  return status;
}

// Creates the session on the server if it is used before any node was added.
static sli_status_t *ensure_created(target_session_t *session) {
  sli_mutex_lock(&session->mutex);
  sli_status_t *status = NULL;
  if (session->closed)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Session has been closed.");
  else if (!session->handle)
    status = create_locked(session, sli_view(""));
  sli_mutex_unlock(&session->mutex);
  return status;
}

// --- Other calls ---------------------------------------------------------------------------

static sli_status_t *session_run(sli_session_t *base, const sli_session_run_t *run, sli_tensor_t **out_fetches) {
  target_session_t *session = session_of(base);
  for (size_t i = 0; i < run->fetch_count; i++) out_fetches[i] = NULL;
  SLI_RETURN_IF_ERROR(ensure_created(session));
  sli_status_t *status = session->client->vtable->run_step(session->client, session->handle, run, out_fetches);
  for (size_t i = 0; status && i < run->fetch_count; i++) {
    sli_tensor_release(out_fetches[i]);
    out_fetches[i] = NULL;
  }
  return status;
}

static sli_status_t *session_partial_run_setup(sli_session_t *base, const sli_session_run_t *names, char **out_handle) {
  target_session_t *session = session_of(base);
  *out_handle = NULL;
  SLI_RETURN_IF_ERROR(ensure_created(session));
  return session->client->vtable->partial_run_setup(session->client, session->handle, names, out_handle);
}

static sli_status_t *session_list_devices(sli_session_t *base, sli_device_set_t *out_set) {
  target_session_t *session = session_of(base);
  *out_set = (sli_device_set_t){0};
  SLI_RETURN_IF_ERROR(ensure_created(session));
  return session->client->vtable->list_devices(session->client, session->handle, out_set);
}

static sli_status_t *session_close(sli_session_t *base) {
  target_session_t *session = session_of(base);
  sli_mutex_lock(&session->mutex);
  bool was_closed = session->closed;
  session->closed = true;
  const char *handle = session->handle;
  sli_mutex_unlock(&session->mutex);
  if (was_closed || !handle) return NULL;
  return session->client->vtable->close_session(session->client, handle);
}

static void session_destroy(sli_session_t *base) {
  target_session_t *session = session_of(base);
  session->client->vtable->destroy(session->client);
  sli_string_deinitialize(&session->config);
  sli_mutex_deinitialize(&session->mutex);
  free(session->handle);
  free(session);
}

// --- Creation ------------------------------------------------------------------------------

static sli_status_t *read_config_timeout(sli_view_t config, int64_t *out_millis) {
  sli_wire_reader_t reader = sli_wire_reader(config);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_CONFIG_PROTO_OPERATION_TIMEOUT_IN_MS && field.type == SLI_WIRE_VARINT)
      *out_millis = (int64_t)field.value;
  return reader.malformed ? sli_wire_error("tensorflow.ConfigProto") : NULL;
}

// A client of the master at |target|: directly if its server is in this process.
static sli_status_t *connect(const char *target, sli_view_t config, sli_master_client_t **out_client) {
  *out_client = NULL;
  if (!sli_string_starts_with(target, "grpc://"))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Session target '%s' is not of the form grpc://host:port", target);
  int64_t timeout_millis = 0;
  SLI_RETURN_IF_ERROR(read_config_timeout(config, &timeout_millis));
  sli_env_t *env = sli_env_process();
  sli_master_t *master = sli_task_server_find_master(target);
  if (!master) return sli_master_client_create_remote(env, sli_env_process_loop(), target, timeout_millis, out_client);
  *out_client = sli_master_client_create_local(env, master, timeout_millis);
  return NULL;
}

sli_status_t *sli_target_session_create(const char *target, sli_view_t config, sli_session_t **out_session) {
  static const sli_session_vtable_t vtable = {
      .extend = session_extend,
      .run = session_run,
      .partial_run_setup = session_partial_run_setup,
      .list_devices = session_list_devices,
      .close = session_close,
      .destroy = session_destroy,
  };
  *out_session = NULL;
  sli_master_client_t *client;
  SLI_RETURN_IF_ERROR(connect(target, config, &client));
  target_session_t *session = sli_calloc(1, sizeof(*session));
  session->base.vtable = &vtable;
  session->client = client;
  sli_string_append(&session->config, config.data, config.size);
  sli_mutex_initialize(&session->mutex);
  *out_session = &session->base;
  return NULL;
}

sli_status_t *sli_target_session_reset(const char *target, sli_view_t config, const char *const *containers,
                                       size_t count) {
  sli_master_client_t *client;
  SLI_RETURN_IF_ERROR(connect(target, config, &client));
  sli_status_t *status = client->vtable->reset(client, containers, count);
  client->vtable->destroy(client);
  return status;
}
