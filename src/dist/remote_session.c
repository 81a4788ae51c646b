// The session on a master: that of a server in this process, called directly, or
// another process's over gRPC. The caller's thread waits and, while it does,
// polls the network itself.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/map.h"
#include "dist/device_attributes.h"
#include "dist/env_internal.h"
#include "dist/master.h"
#include "dist/messages.h"
#include "dist/patience.h"
#include "dist/server.h"
#include "dist/server_internal.h"
#include "proto/wire.h"
#include "rpc/channel.h"
#include "runtime/run_options.h"

typedef struct {
  sli_session_t base;
  sli_env_t *env;
  sli_master_t *master;        // of this process; NULL: remote
  sli_rpc_channel_t *channel;  // NULL: local
  char *target;
  sli_string_t config;
  int64_t timeout_millis;  // operation_timeout_in_ms
  sli_mutex_t mutex;       // serialises create and extend
  char *handle;            // NULL before the first extend; then constant
  int64_t graph_version;
  bool closed;
} remote_session_t;

static remote_session_t *session_of(sli_session_t *session) { return (remote_session_t *)session; }

static const char no_handle[] = "";

static const char *handle_of(remote_session_t *session) {
  sli_mutex_lock(&session->mutex);
  const char *handle = session->handle ? session->handle : no_handle;
  sli_mutex_unlock(&session->mutex);
  return handle;
}

// --- Waiting for a local master ----------------------------------------------------------

typedef struct {
  sli_env_t *env;
  sli_event_t done;
  sli_status_t *status;
  char *handle;
  int64_t version;
  sli_tensor_t **fetches;
  sli_string_t *metadata;
  sli_device_set_t *devices;
} wait_t;

static wait_t wait_begin(remote_session_t *session) {
  wait_t wait = {.env = session->env};
  sli_event_initialize(&wait.done);
  return wait;
}

static sli_status_t *wait_end(wait_t *wait) {
  wait->env->wait(wait->env, &wait->done, SLI_NO_DEADLINE);
  sli_event_deinitialize(&wait->done);
  return wait->status;
}

static void wake(wait_t *wait, sli_status_t *status) {
  wait->status = status;
  wait->env->set(wait->env, &wait->done);
}

static void on_done(void *context, sli_status_t *status) { wake(context, status); }

static void on_handle(void *context, sli_status_t *status, const char *handle, int64_t version) {
  wait_t *wait = context;
  if (!status) {
    wait->handle = handle ? sli_strdup(handle) : NULL;
    wait->version = version;
  }
  wake(wait, status);
}

static void on_fetches(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t count, sli_view_t metadata) {
  wait_t *wait = context;
  for (size_t i = 0; i < count; i++) wait->fetches[i] = fetches[i];
  if (!status && wait->metadata) sli_string_append(wait->metadata, metadata.data, metadata.size);
  wake(wait, status);
}

static void on_devices(void *context, sli_status_t *status, const sli_device_set_t *devices,
                       const sli_device_set_t *remote) {
  wait_t *wait = context;
  for (size_t i = 0; i < devices->devices.count; i++) {
    const sli_device_info_t *device = &devices->devices.items[i];
    sli_device_set_add(wait->devices, device->name, device->type, device->incarnation, device->memory_limit,
                       device->local);
  }
  wake(wait, status);
}

// --- Calls over gRPC ---------------------------------------------------------------------

// Lets a large fetch lie aligned in the reply, for the tensor to stay in it.
static char *place_reply(void *context, const char *head, size_t head_size, size_t message_size,
                         sli_rpc_message_t *out_message) {
  return sli_message_place(sli_path_run_step_response, head, head_size, message_size, out_message);
}

static sli_status_t *call(remote_session_t *session, const char *method, int64_t timeout_millis, bool wait_for_ready,
                          sli_slices_t *request, sli_rpc_message_t *out_reply) {
  static const sli_rpc_header_t metadata[] = {{"sluice-peer", "1"}};
  char path[64];
  snprintf(path, sizeof(path), "/tensorflow.MasterService/%s", method);
  sli_rpc_call_options_t options = {
      .method = path,
      .deadline = sli_deadline_after_millis(timeout_millis),
      .wait_for_ready = wait_for_ready,
      .metadata = metadata,
      .metadata_count = 1,
      .place = strcmp(method, "RunStep") == 0 ? place_reply : NULL,
  };
  if (!wait_for_ready) return sli_rpc_call_and_wait(session->channel, &options, request, out_reply);
  int64_t patience_millis = timeout_millis > 0 ? timeout_millis : SLI_PATIENCE_MILLIS;
  return sli_patience_call(session->env, session->channel, &options, patience_millis, request, out_reply);
}

// A request that is one flat string.
static sli_status_t *call_flat(remote_session_t *session, const char *method, bool wait_for_ready,
                               sli_string_t *request, sli_rpc_message_t *out_reply) {
  sli_slices_t slices = {0};
  sli_slices_append_string(&slices, request);
  return call(session, method, session->timeout_millis, wait_for_ready, &slices, out_reply);
}

static sli_view_t view_of(const sli_rpc_message_t *message) { return sli_view_of(message->data, message->size); }

// --- Create and extend -------------------------------------------------------------------

static sli_status_t *create_remote(remote_session_t *session, sli_view_t graph_def) {
  sli_string_t request = {0};
  sli_wire_write_bytes(&request, 1, graph_def.data, graph_def.size);
  sli_wire_write_bytes(&request, 2, session->config.data, session->config.size);
  sli_wire_write_text(&request, 3, session->target);
  sli_rpc_message_t reply = {0};
  SLI_RETURN_IF_ERROR(call_flat(session, "CreateSession", true, &request, &reply));
  sli_wire_reader_t reader = sli_wire_reader(view_of(&reply));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == 1 && field.type == SLI_WIRE_BYTES && !session->handle)
      session->handle = sli_strndup(field.bytes.data, field.bytes.size);
    if (field.number == 2 && field.type == SLI_WIRE_VARINT) session->graph_version = (int64_t)field.value;
  }
  sli_rpc_message_release(&reply);
  return session->handle ? NULL : sli_wire_error("tensorflow.CreateSessionResponse");
}

static sli_status_t *create_locked(remote_session_t *session, sli_view_t graph_def) {
  if (!session->master) return create_remote(session, graph_def);
  wait_t wait = wait_begin(session);
  sli_master_create_t request = {.graph_def = graph_def,
                                 .config = sli_view_of(session->config.data, session->config.size),
                                 .deadline = sli_deadline_after_millis(session->timeout_millis)};
  sli_master_create_session(session->master, &request, on_handle, &wait);
  sli_status_t *status = wait_end(&wait);
  if (!status) {
    session->handle = wait.handle;
    session->graph_version = wait.version;
  }
  return status;
}

static sli_status_t *extend_remote(remote_session_t *session, sli_view_t graph_def) {
  sli_string_t request = {0};
  sli_wire_write_text(&request, 1, session->handle);
  sli_wire_write_bytes(&request, 2, graph_def.data, graph_def.size);
  if (session->graph_version) sli_wire_write_int(&request, 3, session->graph_version);
  sli_rpc_message_t reply = {0};
  SLI_RETURN_IF_ERROR(call_flat(session, "ExtendSession", false, &request, &reply));
  sli_wire_reader_t reader = sli_wire_reader(view_of(&reply));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == 4 && field.type == SLI_WIRE_VARINT) session->graph_version = (int64_t)field.value;
  sli_rpc_message_release(&reply);
  return NULL;
}

static sli_status_t *extend_locked(remote_session_t *session, sli_view_t graph_def) {
  if (session->closed) return sli_status_make(SLI_FAILED_PRECONDITION, "Session has been closed.");
  if (!session->handle) return create_locked(session, graph_def);
  if (!session->master) return extend_remote(session, graph_def);
  wait_t wait = wait_begin(session);
  sli_master_extend_session(session->master, session->handle, graph_def, session->graph_version, on_handle, &wait);
  sli_status_t *status = wait_end(&wait);
  if (!status) session->graph_version = wait.version;
  free(wait.handle);
  return status;
}

static sli_status_t *session_extend(sli_session_t *base, sli_view_t graph_def) {
  remote_session_t *session = session_of(base);
  sli_mutex_lock(&session->mutex);
  sli_status_t *status = extend_locked(session, graph_def);
  sli_mutex_unlock(&session->mutex);
  return status;
}

// A run before any node was sent: the session exists from then on.
static sli_status_t *ensure_created(remote_session_t *session) {
  sli_mutex_lock(&session->mutex);
  sli_status_t *status = NULL;
  if (session->closed)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Session has been closed.");
  else if (!session->handle)
    status = create_locked(session, sli_view(""));
  sli_mutex_unlock(&session->mutex);
  return status;
}

// --- Run ---------------------------------------------------------------------------------

// Where a name is first fetched, as an element of run->fetch_names. A name is asked for once.
static void find_places(const sli_session_run_t *run, sli_map_t *out_places) {
  for (size_t i = 0; i < run->fetch_count; i++)
    sli_map_insert(out_places, sli_view(run->fetch_names[i]), (void *)&run->fetch_names[i]);
}

static size_t place_of(const sli_session_run_t *run, const sli_map_entry_t *entry) {
  return (size_t)((const char *const *)entry->value - run->fetch_names);
}

static void encode_run(remote_session_t *session, const sli_session_run_t *run, const sli_map_t *places,
                       sli_slices_t *out_request) {
  sli_string_t head = {0};
  sli_wire_write_text(&head, 1, session->handle);
  SLI_MAP_FOR_EACH (places, entry) sli_wire_write_text(&head, 3, entry->key);
  for (size_t i = 0; i < run->target_count; i++) sli_wire_write_text(&head, 4, run->target_names[i]);
  sli_wire_write_bytes(&head, 5, run->options.data, run->options.size);
  if (run->partial_handle) sli_wire_write_text(&head, 6, run->partial_handle);
  sli_wire_write_uint(&head, 7, 1);
  sli_wire_write_uint(&head, 8, session->env->random(session->env));
  for (size_t i = 0; i < run->feed_count; i++)
    sli_named_tensor_encode(2, run->feed_names[i], run->feeds[i], &head, out_request);
  sli_slices_append_string(out_request, &head);
}

// Values come in an order of the master's own; a stock one sorts them by name.
static sli_status_t *decode_fetch(sli_shared_bytes_t *bytes, sli_view_t encoded, const sli_session_run_t *run,
                                  const sli_map_t *places, sli_tensor_t **out_fetches) {
  sli_view_t name;
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(sli_named_tensor_decode(bytes, encoded, &name, &tensor));
  const sli_map_entry_t *entry = sli_map_find(places, name);
  if (entry && !out_fetches[place_of(run, entry)]) {
    out_fetches[place_of(run, entry)] = tensor;
    return NULL;
  }
  sli_tensor_release(tensor);
  return sli_status_make(SLI_INTERNAL, "Received response for unrequested fetch: %.*s", SLI_VIEW_ARG(name));
}

static sli_status_t *decode_run(sli_shared_bytes_t *bytes, const sli_session_run_t *run, const sli_map_t *places,
                                sli_tensor_t **out_fetches) {
  sli_view_t message = {0};
  int64_t code = 0;
  size_t count = 0;
  sli_wire_reader_t reader = sli_wire_reader(sli_shared_bytes_view(bytes));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == 1 && field.type == SLI_WIRE_BYTES) {
      SLI_RETURN_IF_ERROR(decode_fetch(bytes, field.bytes, run, places, out_fetches));
      count++;
    }
    if (field.number == 2 && field.type == SLI_WIRE_BYTES && run->out_metadata)
      sli_string_append(run->out_metadata, field.bytes.data, field.bytes.size);
    if (field.number == 3 && field.type == SLI_WIRE_VARINT) code = (int64_t)field.value;
    if (field.number == 4 && field.type == SLI_WIRE_BYTES) message = field.bytes;
  }
  if (reader.malformed) return sli_wire_error("tensorflow.RunStepResponse");
  if (code) return sli_status_make((sli_code_t)code, "%.*s", SLI_VIEW_ARG(message));
  if (count != places->count)
    return sli_status_make(SLI_INTERNAL, "The master answered with %zu of %zu values", count, places->count);
  for (size_t i = 0; i < run->fetch_count; i++)
    if (!out_fetches[i])
      out_fetches[i] =
          sli_tensor_retain(out_fetches[place_of(run, sli_map_find(places, sli_view(run->fetch_names[i])))]);
  return NULL;
}

static sli_status_t *run_remote(remote_session_t *session, const sli_session_run_t *run, sli_tensor_t **out_fetches) {
  sli_run_options_t options = {.timeout_millis = session->timeout_millis};
  SLI_RETURN_IF_ERROR(sli_run_options_decode(run->options, &options));
  sli_map_t places = {0};
  find_places(run, &places);
  sli_slices_t request = {0};
  encode_run(session, run, &places, &request);
  sli_rpc_message_t reply = {0};
  sli_status_t *status = call(session, "RunStep", options.timeout_millis, false, &request, &reply);
  if (!status) {
    sli_shared_bytes_t *bytes = sli_shared_bytes_take(&reply);
    status = decode_run(bytes, run, &places, out_fetches);
    sli_shared_bytes_release(bytes);
  }
  sli_map_deinitialize(&places);
  return status;
}

static sli_status_t *run_local(remote_session_t *session, const sli_session_run_t *run, sli_tensor_t **out_fetches) {
  sli_master_run_t request = {
      .session_handle = session->handle,
      .feed_names = run->feed_names,
      .feeds = run->feeds,
      .feed_count = run->feed_count,
      .fetch_names = run->fetch_names,
      .fetch_count = run->fetch_count,
      .target_names = run->target_names,
      .target_count = run->target_count,
      .options = run->options,
      .partial_handle = run->partial_handle,
      .deadline = SLI_NO_DEADLINE,
      .want_metadata = run->out_metadata != NULL,
  };
  wait_t wait = wait_begin(session);
  wait.fetches = out_fetches;
  wait.metadata = run->out_metadata;
  session->env->begin_turn(session->env);  // the requests of all parts in one write per task
  sli_master_run_step(session->master, &request, on_fetches, &wait);
  session->env->end_turn(session->env);
  return wait_end(&wait);
}

static sli_status_t *session_run(sli_session_t *base, const sli_session_run_t *run, sli_tensor_t **out_fetches) {
  remote_session_t *session = session_of(base);
  for (size_t i = 0; i < run->fetch_count; i++) out_fetches[i] = NULL;
  SLI_RETURN_IF_ERROR(ensure_created(session));
  sli_status_t *status = session->master ? run_local(session, run, out_fetches) : run_remote(session, run, out_fetches);
  for (size_t i = 0; status && i < run->fetch_count; i++) {
    sli_tensor_release(out_fetches[i]);
    out_fetches[i] = NULL;
  }
  return status;
}

static sli_status_t *partial_setup_remote(remote_session_t *session, const sli_session_run_t *names,
                                          char **out_handle) {
  sli_string_t request = {0};
  sli_wire_write_text(&request, 1, session->handle);
  for (size_t i = 0; i < names->feed_count; i++) sli_wire_write_text(&request, 2, names->feed_names[i]);
  for (size_t i = 0; i < names->fetch_count; i++) sli_wire_write_text(&request, 3, names->fetch_names[i]);
  for (size_t i = 0; i < names->target_count; i++) sli_wire_write_text(&request, 4, names->target_names[i]);
  sli_rpc_message_t reply = {0};
  SLI_RETURN_IF_ERROR(call_flat(session, "PartialRunSetup", false, &request, &reply));
  sli_wire_reader_t reader = sli_wire_reader(view_of(&reply));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == 1 && field.type == SLI_WIRE_BYTES && !*out_handle)
      *out_handle = sli_strndup(field.bytes.data, field.bytes.size);
  sli_rpc_message_release(&reply);
  return *out_handle ? NULL : sli_wire_error("tensorflow.PartialRunSetupResponse");
}

static sli_status_t *session_partial_run_setup(sli_session_t *base, const sli_session_run_t *names, char **out_handle) {
  remote_session_t *session = session_of(base);
  *out_handle = NULL;
  SLI_RETURN_IF_ERROR(ensure_created(session));
  if (!session->master) return partial_setup_remote(session, names, out_handle);
  sli_master_run_t request = {
      .session_handle = session->handle,
      .feed_names = names->feed_names,
      .feed_count = names->feed_count,
      .fetch_names = names->fetch_names,
      .fetch_count = names->fetch_count,
      .target_names = names->target_names,
      .target_count = names->target_count,
      .deadline = SLI_NO_DEADLINE,
  };
  wait_t wait = wait_begin(session);
  sli_master_partial_run_setup(session->master, &request, on_handle, &wait);
  sli_status_t *status = wait_end(&wait);
  if (!status) *out_handle = wait.handle;
  return status;
}

// --- The rest ----------------------------------------------------------------------------

static sli_status_t *session_list_devices(sli_session_t *base, sli_device_set_t *out_set) {
  remote_session_t *session = session_of(base);
  *out_set = (sli_device_set_t){0};
  SLI_RETURN_IF_ERROR(ensure_created(session));
  if (session->master) {
    wait_t wait = wait_begin(session);
    wait.devices = out_set;
    sli_master_list_devices(session->master, session->handle, on_devices, &wait);
    return wait_end(&wait);
  }
  sli_string_t request = {0};
  sli_wire_write_text(&request, 1, session->handle);
  sli_rpc_message_t reply = {0};
  SLI_RETURN_IF_ERROR(call_flat(session, "ListDevices", false, &request, &reply));
  sli_status_t *status = NULL;
  sli_wire_reader_t reader = sli_wire_reader(view_of(&reply));
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);)
    if (field.number <= 2 && field.type == SLI_WIRE_BYTES) status = sli_device_attributes_decode(field.bytes, out_set);
  if (!status && reader.malformed) status = sli_wire_error("tensorflow.ListDevicesResponse");
  sli_rpc_message_release(&reply);
  if (status) sli_device_set_deinitialize(out_set);
  return status;
}

static sli_status_t *session_close(sli_session_t *base) {
  remote_session_t *session = session_of(base);
  sli_mutex_lock(&session->mutex);
  bool was_closed = session->closed;
  session->closed = true;
  sli_mutex_unlock(&session->mutex);
  const char *handle = handle_of(session);
  if (was_closed || handle == no_handle) return NULL;
  if (session->master) {
    wait_t wait = wait_begin(session);
    sli_master_close_session(session->master, handle, on_done, &wait);
    return wait_end(&wait);
  }
  sli_string_t request = {0};
  sli_wire_write_text(&request, 1, handle);
  sli_rpc_message_t reply = {0};
  sli_status_t *status = call_flat(session, "CloseSession", false, &request, &reply);
  sli_rpc_message_release(&reply);
  return status;
}

static void session_destroy(sli_session_t *base) {
  remote_session_t *session = session_of(base);
  sli_rpc_channel_destroy(session->channel);
  sli_string_deinitialize(&session->config);
  sli_mutex_deinitialize(&session->mutex);
  free(session->handle);
  free(session->target);
  free(session);
}

static const sli_session_vtable_t remote_session_vtable = {
    .extend = session_extend,
    .run = session_run,
    .partial_run_setup = session_partial_run_setup,
    .list_devices = session_list_devices,
    .close = session_close,
    .destroy = session_destroy,
};

static sli_status_t *read_config_timeout(sli_view_t config, int64_t *out_millis) {
  sli_wire_reader_t reader = sli_wire_reader(config);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == 11 && field.type == SLI_WIRE_VARINT) *out_millis = (int64_t)field.value;
  return reader.malformed ? sli_wire_error("tensorflow.ConfigProto") : NULL;
}

static sli_status_t *open_target(const char *target, sli_view_t config, remote_session_t **out_session) {
  static const char scheme[] = "grpc://";
  *out_session = NULL;
  if (!sli_starts_with(target, scheme))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Session target '%s' is not of the form grpc://host:port", target);
  int64_t timeout_millis = 0;
  SLI_RETURN_IF_ERROR(read_config_timeout(config, &timeout_millis));
  sli_env_t *env = sli_env_process();
  sli_master_t *master = sli_server_find_master(target);
  sli_rpc_channel_t *channel = NULL;
  if (!master)
    SLI_RETURN_IF_ERROR(sli_rpc_channel_create(sli_env_process_loop(), target + strlen(scheme), NULL, &channel));
  remote_session_t *session = sli_calloc(1, sizeof(*session));
  session->base.vtable = &remote_session_vtable;
  session->env = env;
  session->master = master;
  session->channel = channel;
  session->target = sli_strdup(target);
  session->timeout_millis = timeout_millis;
  sli_string_append(&session->config, config.data, config.size);
  sli_mutex_initialize(&session->mutex);
  *out_session = session;
  return NULL;
}

sli_status_t *sli_remote_session_create(const char *target, sli_view_t config, sli_session_t **out_session) {
  *out_session = NULL;
  remote_session_t *session;
  SLI_RETURN_IF_ERROR(open_target(target, config, &session));
  *out_session = &session->base;
  return NULL;
}

sli_status_t *sli_remote_reset(const char *target, sli_view_t config, const char *const *containers, size_t count) {
  remote_session_t *session;
  SLI_RETURN_IF_ERROR(open_target(target, config, &session));
  sli_status_t *status;
  if (session->master) {
    wait_t wait = wait_begin(session);
    sli_master_reset(session->master, containers, count, NULL, 0, on_done, &wait);
    status = wait_end(&wait);
  } else {
    sli_string_t request = {0};
    for (size_t i = 0; i < count; i++) sli_wire_write_text(&request, 1, containers[i]);
    sli_rpc_message_t reply = {0};
    status = call_flat(session, "Reset", true, &request, &reply);
    sli_rpc_message_release(&reply);
  }
  session_destroy(&session->base);
  return status;
}
