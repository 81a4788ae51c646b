// The client of a master in this process: calls it directly and waits for its callback.
#include <stdlib.h>

#include "base/alloc.h"
#include "dist/session/master_client.h"

typedef struct {
  sli_master_client_t base;
  sli_master_t *master;
} local_master_t;

static sli_master_t *master_of(sli_master_client_t *self) { return ((local_master_t *)self)->master; }

// --- Waiting for a callback ----------------------------------------------------------------

// One call. The outcome is written before |done| is set.
typedef struct {
  sli_env_t *env;
  sli_event_t done;
  sli_status_t *status;
  char *handle;
  int64_t version;
  sli_tensor_t **fetches;
  sli_string_t *metadata;
  sli_device_set_t *devices;
} local_call_t;

static local_call_t call_begin(const sli_master_client_t *client) {
  local_call_t call = {.env = client->env};
  sli_event_initialize(&call.done);
  return call;
}

static sli_status_t *call_wait(local_call_t *call) {
  call->env->wait(call->env, &call->done, SLI_CLOCK_NO_DEADLINE);
  sli_event_deinitialize(&call->done);
  return call->status;
}

// Ends the call and wakes the thread that waits. Consumes |status|.
static void call_end(local_call_t *call, sli_status_t *status) {
  call->status = status;
  call->env->set(call->env, &call->done);
}

static void on_done(void *context, sli_status_t *status) { call_end(context, status); }

static void on_handle(void *context, sli_status_t *status, const char *handle, int64_t version) {
  local_call_t *call = context;
  if (!status) {
    call->handle = handle ? sli_strdup(handle) : NULL;
    call->version = version;
  }
  call_end(call, status);
}

static void on_fetches(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t count, sli_view_t metadata) {
  local_call_t *call = context;
  for (size_t i = 0; i < count; i++) call->fetches[i] = fetches[i];
  if (!status && call->metadata) sli_string_append(call->metadata, metadata.data, metadata.size);
  call_end(call, status);
}

static void on_devices(void *context, sli_status_t *status, const sli_device_set_t *devices,
                       const sli_device_set_t *remote) {
  local_call_t *call = context;
  for (size_t i = 0; i < devices->devices.count; i++) {
    const sli_device_set_entry_t *device = &devices->devices.items[i];
    sli_device_set_add(call->devices, device->name, device->type, device->incarnation, device->memory_limit,
                       device->local);
  }
  call_end(call, status);
}

// --- Calls ---------------------------------------------------------------------------------

static sli_status_t *local_create_session(sli_master_client_t *self, sli_view_t graph_def, sli_view_t config,
                                          char **out_handle, int64_t *out_graph_version) {
  local_call_t call = call_begin(self);
  sli_master_create_session_t request = {.graph_def = graph_def,
                                         .config = config,
                                         .deadline = sli_env_deadline_after_millis(self->env, self->timeout_millis)};
  sli_master_create_session(master_of(self), &request, on_handle, &call);
  sli_status_t *status = call_wait(&call);
  *out_handle = call.handle;
  *out_graph_version = call.version;
  return status;
}

static sli_status_t *local_extend_session(sli_master_client_t *self, const char *handle, sli_view_t graph_def,
                                          int64_t *graph_version) {
  local_call_t call = call_begin(self);
  sli_master_extend_session(master_of(self), handle, graph_def, *graph_version, on_handle, &call);
  sli_status_t *status = call_wait(&call);
  if (!status) *graph_version = call.version;
  free(call.handle);
  return status;
}

static sli_status_t *local_run_step(sli_master_client_t *self, const char *handle, const sli_session_run_t *run,
                                    sli_tensor_t **out_fetches) {
  sli_master_run_step_t request = {
      .session_handle = handle,
      .feed_names = run->feed_names,
      .feeds = run->feeds,
      .feed_count = run->feed_count,
      .fetch_names = run->fetch_names,
      .fetch_count = run->fetch_count,
      .target_names = run->target_names,
      .target_count = run->target_count,
      .options = run->options,
      .partial_handle = run->partial_handle,
      .deadline = SLI_CLOCK_NO_DEADLINE,
      .want_metadata = run->out_metadata != NULL,
  };
  local_call_t call = call_begin(self);
  call.fetches = out_fetches;
  call.metadata = run->out_metadata;
  self->env->cork(self->env);  // the requests of all parts in one write per task
  sli_master_run_step(master_of(self), &request, on_fetches, &call);
  self->env->uncork(self->env);
  return call_wait(&call);
}

static sli_status_t *local_partial_run_setup(sli_master_client_t *self, const char *handle,
                                             const sli_session_run_t *names, char **out_partial_handle) {
  sli_master_run_step_t request = {
      .session_handle = handle,
      .feed_names = names->feed_names,
      .feed_count = names->feed_count,
      .fetch_names = names->fetch_names,
      .fetch_count = names->fetch_count,
      .target_names = names->target_names,
      .target_count = names->target_count,
      .deadline = SLI_CLOCK_NO_DEADLINE,
  };
  local_call_t call = call_begin(self);
  sli_master_partial_run_setup(master_of(self), &request, on_handle, &call);
  sli_status_t *status = call_wait(&call);
  *out_partial_handle = call.handle;
  return status;
}

static sli_status_t *local_list_devices(sli_master_client_t *self, const char *handle, sli_device_set_t *out_set) {
  *out_set = (sli_device_set_t){0};
  local_call_t call = call_begin(self);
  call.devices = out_set;
  sli_master_list_devices(master_of(self), handle, on_devices, &call);
  return call_wait(&call);
}

static sli_status_t *local_close_session(sli_master_client_t *self, const char *handle) {
  local_call_t call = call_begin(self);
  sli_master_close_session(master_of(self), handle, on_done, &call);
  return call_wait(&call);
}

static sli_status_t *local_reset(sli_master_client_t *self, const char *const *containers, size_t count) {
  local_call_t call = call_begin(self);
  sli_master_reset(master_of(self), containers, count, NULL, 0, on_done, &call);
  return call_wait(&call);
}

static void local_destroy(sli_master_client_t *self) { free(self); }

sli_master_client_t *sli_master_client_create_local(sli_env_t *env, sli_master_t *master, int64_t timeout_millis) {
  static const sli_master_client_vtable_t vtable = {
      .create_session = local_create_session,
      .extend_session = local_extend_session,
      .run_step = local_run_step,
      .partial_run_setup = local_partial_run_setup,
      .list_devices = local_list_devices,
      .close_session = local_close_session,
      .reset = local_reset,
      .destroy = local_destroy,
  };
  local_master_t *client = sli_calloc(1, sizeof(*client));
  client->base = (sli_master_client_t){&vtable, env, timeout_millis};
  client->master = master;
  return &client->base;
}
