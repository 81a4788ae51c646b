// The client of a master in another process: MasterService over gRPC.
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "dist/client/device_attributes.h"
#include "dist/client/messages.h"
#include "dist/client/peer_wait.h"
#include "dist/session/master_client.h"
#include "proto/service.fields.h"
#include "proto/wire.h"
#include "rpc/channel.h"
#include "runtime/session/run_options.h"

typedef struct {
  sli_master_client_t base;
  sli_rpc_channel_t *channel;
  char *target;
} remote_master_t;

static remote_master_t *client_of(sli_master_client_t *self) { return (remote_master_t *)self; }

// --- Calls over gRPC ---------------------------------------------------------------------

// Places the reply so that a large fetch is aligned and its tensor can keep the bytes.
static char *place_reply(void *context, const char *head, size_t head_size, size_t message_size,
                         sli_rpc_message_t *out_message) {
  return sli_message_place(sli_message_path_run_step_response, head, head_size, message_size, out_message);
}

static sli_status_t *call(remote_master_t *client, const char *method, int64_t timeout_millis, bool wait_for_ready,
                          sli_slices_t *request, sli_rpc_message_t *out_reply) {
  static const sli_rpc_header_t metadata[] = {{"sluice-peer", "1"}};
  char path[64];
  snprintf(path, sizeof(path), "/tensorflow.MasterService/%s", method);
  sli_rpc_call_options_t options = {
      .method = path,
      .deadline = sli_env_deadline_after_millis(client->base.env, timeout_millis),
      .wait_for_ready = wait_for_ready,
      .metadata = metadata,
      .metadata_count = 1,
      .place = strcmp(method, "RunStep") == 0 ? place_reply : NULL,
  };
  if (!wait_for_ready) return sli_rpc_call_and_wait(client->channel, &options, request, out_reply);
  int64_t patience_millis = timeout_millis > 0 ? timeout_millis : SLI_PEER_WAIT_MILLIS;
  return sli_peer_wait_call(client->base.env, client->channel, &options, patience_millis, request, out_reply);
}

// Makes a call whose request is one string, with the default timeout.
static sli_status_t *call_flat(remote_master_t *client, const char *method, bool wait_for_ready, sli_string_t *request,
                               sli_rpc_message_t *out_reply) {
  sli_slices_t slices = {0};
  sli_slices_append_string(&slices, request);
  return call(client, method, client->base.timeout_millis, wait_for_ready, &slices, out_reply);
}

static sli_view_t view_of(const sli_rpc_message_t *message) { return sli_view_of(message->data, message->size); }

// --- Create and extend -------------------------------------------------------------------

static sli_status_t *remote_create_session(sli_master_client_t *self, sli_view_t graph_def, sli_view_t config,
                                           char **out_handle, int64_t *out_graph_version) {
  *out_handle = NULL;
  sli_string_t request = {0};
  sli_wire_write_bytes(&request, SLI_FIELD_CREATE_SESSION_REQUEST_GRAPH_DEF, graph_def.data, graph_def.size);
  sli_wire_write_bytes(&request, SLI_FIELD_CREATE_SESSION_REQUEST_CONFIG, config.data, config.size);
  sli_wire_write_text(&request, SLI_FIELD_CREATE_SESSION_REQUEST_TARGET, client_of(self)->target);
  sli_rpc_message_t reply = {0};
  SLI_RETURN_IF_ERROR(call_flat(client_of(self), "CreateSession", true, &request, &reply));
  sli_wire_reader_t reader = sli_wire_reader(view_of(&reply));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_CREATE_SESSION_RESPONSE_SESSION_HANDLE && field.type == SLI_WIRE_BYTES &&
        !*out_handle)
      *out_handle = sli_strndup(field.bytes.data, field.bytes.size);
    if (field.number == SLI_FIELD_CREATE_SESSION_RESPONSE_GRAPH_VERSION && field.type == SLI_WIRE_VARINT)
      *out_graph_version = (int64_t)field.value;
  }
  sli_rpc_message_release(&reply);
  return *out_handle ? NULL : sli_wire_error("tensorflow.CreateSessionResponse");
}

static sli_status_t *remote_extend_session(sli_master_client_t *self, const char *handle, sli_view_t graph_def,
                                           int64_t *graph_version) {
  sli_string_t request = {0};
  sli_wire_write_text(&request, SLI_FIELD_EXTEND_SESSION_REQUEST_SESSION_HANDLE, handle);
  sli_wire_write_bytes(&request, SLI_FIELD_EXTEND_SESSION_REQUEST_GRAPH_DEF, graph_def.data, graph_def.size);
  if (*graph_version)
    sli_wire_write_int(&request, SLI_FIELD_EXTEND_SESSION_REQUEST_CURRENT_GRAPH_VERSION, *graph_version);
  sli_rpc_message_t reply = {0};
  SLI_RETURN_IF_ERROR(call_flat(client_of(self), "ExtendSession", false, &request, &reply));
  sli_wire_reader_t reader = sli_wire_reader(view_of(&reply));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_EXTEND_SESSION_RESPONSE_NEW_GRAPH_VERSION && field.type == SLI_WIRE_VARINT)
      *graph_version = (int64_t)field.value;
  sli_rpc_message_release(&reply);
  return NULL;
}

// --- Run ---------------------------------------------------------------------------------

// Maps each fetched name to its first entry in run->fetch_names, so that each name is requested once.
static void find_places(const sli_session_run_t *run, sli_map_t *out_places) {
  for (size_t i = 0; i < run->fetch_count; i++)
    sli_map_insert(out_places, sli_view(run->fetch_names[i]), (void *)&run->fetch_names[i]);
}

static size_t place_of(const sli_session_run_t *run, const sli_map_entry_t *entry) {
  return (size_t)((const char *const *)entry->value - run->fetch_names);
}

static void encode_run(sli_env_t *env, const char *handle, const sli_session_run_t *run, const sli_map_t *places,
                       sli_slices_t *out_request) {
  sli_string_t head = {0};
  sli_wire_write_text(&head, SLI_FIELD_RUN_STEP_REQUEST_SESSION_HANDLE, handle);
  SLI_MAP_FOR_EACH (places, entry) sli_wire_write_text(&head, SLI_FIELD_RUN_STEP_REQUEST_FETCH, entry->key);
  for (size_t i = 0; i < run->target_count; i++)
    sli_wire_write_text(&head, SLI_FIELD_RUN_STEP_REQUEST_TARGET, run->target_names[i]);
  sli_wire_write_bytes(&head, SLI_FIELD_RUN_STEP_REQUEST_OPTIONS, run->options.data, run->options.size);
  if (run->partial_handle)
    sli_wire_write_text(&head, SLI_FIELD_RUN_STEP_REQUEST_PARTIAL_RUN_HANDLE, run->partial_handle);
  sli_wire_write_uint(&head, SLI_FIELD_RUN_STEP_REQUEST_STORE_ERRORS_IN_RESPONSE_BODY, 1);
  sli_wire_write_uint(&head, SLI_FIELD_RUN_STEP_REQUEST_REQUEST_ID, env->random(env));
  for (size_t i = 0; i < run->feed_count; i++)
    sli_message_named_tensor_encode(SLI_FIELD_RUN_STEP_REQUEST_FEED, run->feed_names[i], run->feeds[i], &head,
                                    out_request);
  sli_slices_append_string(out_request, &head);
}

// The master may return the values in any order; a stock one sorts them by name.
static sli_status_t *decode_fetch(sli_message_bytes_t *bytes, sli_view_t encoded, const sli_session_run_t *run,
                                  const sli_map_t *places, sli_tensor_t **out_fetches) {
  sli_view_t name;
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(sli_message_named_tensor_decode(bytes, encoded, &name, &tensor));
  const sli_map_entry_t *entry = sli_map_find(places, name);
  if (entry && !out_fetches[place_of(run, entry)]) {
    out_fetches[place_of(run, entry)] = tensor;
    return NULL;
  }
  sli_tensor_release(tensor);
  return sli_status_make(SLI_INTERNAL, "Received response for unrequested fetch: %.*s", SLI_VIEW_ARG(name));
}

static sli_status_t *decode_run(sli_message_bytes_t *bytes, const sli_session_run_t *run, const sli_map_t *places,
                                sli_tensor_t **out_fetches) {
  sli_view_t message = {0};
  int64_t code = 0;
  size_t count = 0;
  sli_wire_reader_t reader = sli_wire_reader(sli_message_bytes_view(bytes));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_RUN_STEP_RESPONSE_TENSOR && field.type == SLI_WIRE_BYTES) {
      SLI_RETURN_IF_ERROR(decode_fetch(bytes, field.bytes, run, places, out_fetches));
      count++;
    }
    if (field.number == SLI_FIELD_RUN_STEP_RESPONSE_METADATA && field.type == SLI_WIRE_BYTES && run->out_metadata)
      sli_string_append(run->out_metadata, field.bytes.data, field.bytes.size);
    if (field.number == SLI_FIELD_RUN_STEP_RESPONSE_STATUS_CODE && field.type == SLI_WIRE_VARINT)
      code = (int64_t)field.value;
    if (field.number == SLI_FIELD_RUN_STEP_RESPONSE_STATUS_ERROR_MESSAGE && field.type == SLI_WIRE_BYTES)
      message = field.bytes;
  }
  if (reader.malformed) return sli_wire_error("tensorflow.RunStepResponse");
  if (code) return sli_status_make((sli_code_t)code, "%.*s", SLI_VIEW_ARG(message));
  if (count != places->count)
    return sli_status_make(SLI_INTERNAL, "The master returned %zu of %zu values", count, places->count);
  for (size_t i = 0; i < run->fetch_count; i++)
    if (!out_fetches[i])
      out_fetches[i] =
          sli_tensor_retain(out_fetches[place_of(run, sli_map_find(places, sli_view(run->fetch_names[i])))]);
  return NULL;
}

static sli_status_t *remote_run_step(sli_master_client_t *self, const char *handle, const sli_session_run_t *run,
                                     sli_tensor_t **out_fetches) {
  sli_run_options_t options = {.timeout_millis = self->timeout_millis};
  SLI_RETURN_IF_ERROR(sli_run_options_decode(run->options, &options));
  sli_map_t places = {0};
  find_places(run, &places);
  sli_slices_t request = {0};
  encode_run(self->env, handle, run, &places, &request);
  sli_rpc_message_t reply = {0};
  sli_status_t *status = call(client_of(self), "RunStep", options.timeout_millis, false, &request, &reply);
  if (!status) {
    sli_message_bytes_t *bytes = sli_message_bytes_take(&reply);
    status = decode_run(bytes, run, &places, out_fetches);
    sli_message_bytes_release(bytes);
  }
  sli_map_deinitialize(&places);
  return status;
}

static sli_status_t *remote_partial_run_setup(sli_master_client_t *self, const char *handle,
                                              const sli_session_run_t *names, char **out_partial_handle) {
  *out_partial_handle = NULL;
  sli_string_t request = {0};
  sli_wire_write_text(&request, SLI_FIELD_PARTIAL_RUN_SETUP_REQUEST_SESSION_HANDLE, handle);
  for (size_t i = 0; i < names->feed_count; i++)
    sli_wire_write_text(&request, SLI_FIELD_PARTIAL_RUN_SETUP_REQUEST_FEED, names->feed_names[i]);
  for (size_t i = 0; i < names->fetch_count; i++)
    sli_wire_write_text(&request, SLI_FIELD_PARTIAL_RUN_SETUP_REQUEST_FETCH, names->fetch_names[i]);
  for (size_t i = 0; i < names->target_count; i++)
    sli_wire_write_text(&request, SLI_FIELD_PARTIAL_RUN_SETUP_REQUEST_TARGET, names->target_names[i]);
  sli_rpc_message_t reply = {0};
  SLI_RETURN_IF_ERROR(call_flat(client_of(self), "PartialRunSetup", false, &request, &reply));
  sli_wire_reader_t reader = sli_wire_reader(view_of(&reply));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_PARTIAL_RUN_SETUP_RESPONSE_PARTIAL_RUN_HANDLE && field.type == SLI_WIRE_BYTES &&
        !*out_partial_handle)
      *out_partial_handle = sli_strndup(field.bytes.data, field.bytes.size);
  sli_rpc_message_release(&reply);
  return *out_partial_handle ? NULL : sli_wire_error("tensorflow.PartialRunSetupResponse");
}

// --- The other calls -----------------------------------------------------------------------

static sli_status_t *remote_list_devices(sli_master_client_t *self, const char *handle, sli_device_set_t *out_set) {
  *out_set = (sli_device_set_t){0};
  sli_string_t request = {0};
  sli_wire_write_text(&request, SLI_FIELD_LIST_DEVICES_REQUEST_SESSION_HANDLE, handle);
  sli_rpc_message_t reply = {0};
  SLI_RETURN_IF_ERROR(call_flat(client_of(self), "ListDevices", false, &request, &reply));
  sli_status_t *status = NULL;
  sli_wire_reader_t reader = sli_wire_reader(view_of(&reply));
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);)
    if ((field.number == SLI_FIELD_LIST_DEVICES_RESPONSE_LOCAL_DEVICE ||
         field.number == SLI_FIELD_LIST_DEVICES_RESPONSE_REMOTE_DEVICE) &&
        field.type == SLI_WIRE_BYTES)
      status = sli_device_attributes_decode(field.bytes, out_set);
  if (!status && reader.malformed) status = sli_wire_error("tensorflow.ListDevicesResponse");
  sli_rpc_message_release(&reply);
  if (status) sli_device_set_deinitialize(out_set);
  return status;
}

static sli_status_t *remote_close_session(sli_master_client_t *self, const char *handle) {
  sli_string_t request = {0};
  sli_wire_write_text(&request, SLI_FIELD_CLOSE_SESSION_REQUEST_SESSION_HANDLE, handle);
  sli_rpc_message_t reply = {0};
  sli_status_t *status = call_flat(client_of(self), "CloseSession", false, &request, &reply);
  sli_rpc_message_release(&reply);
  return status;
}

static sli_status_t *remote_reset(sli_master_client_t *self, const char *const *containers, size_t count) {
  sli_string_t request = {0};
  for (size_t i = 0; i < count; i++) sli_wire_write_text(&request, SLI_FIELD_RESET_REQUEST_CONTAINER, containers[i]);
  sli_rpc_message_t reply = {0};
  sli_status_t *status = call_flat(client_of(self), "Reset", true, &request, &reply);
  sli_rpc_message_release(&reply);
  return status;
}

static void remote_destroy(sli_master_client_t *self) {
  remote_master_t *client = client_of(self);
  sli_rpc_channel_destroy(client->channel);
  free(client->target);
  free(client);
}

sli_status_t *sli_master_client_create_remote(sli_env_t *env, sli_rpc_loop_t *loop, const char *target,
                                              int64_t timeout_millis, sli_master_client_t **out_client) {
  static const sli_master_client_vtable_t vtable = {
      .create_session = remote_create_session,
      .extend_session = remote_extend_session,
      .run_step = remote_run_step,
      .partial_run_setup = remote_partial_run_setup,
      .list_devices = remote_list_devices,
      .close_session = remote_close_session,
      .reset = remote_reset,
      .destroy = remote_destroy,
  };
  *out_client = NULL;
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(sli_rpc_channel_create(loop, target + strlen("grpc://"), NULL, &channel));
  remote_master_t *client = sli_calloc(1, sizeof(*client));
  client->base = (sli_master_client_t){&vtable, env, timeout_millis};
  client->channel = channel;
  client->target = sli_strdup(target);
  *out_client = &client->base;
  return NULL;
}
