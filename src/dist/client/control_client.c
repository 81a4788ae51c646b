#include "dist/client/control_client.h"

#include <stdlib.h>

#include "dist/client/device_attributes.h"
#include "dist/env/env_process.h"
#include "proto/wire.h"

enum { RETRY_MILLIS = 200 };

static sli_status_t *dial(const char *target, sli_rpc_channel_t **out_channel) {
  if (sli_string_starts_with(target, "grpc://")) target += strlen("grpc://");
  return sli_rpc_channel_create(sli_env_process_loop(), target, NULL, out_channel);
}

sli_rpc_call_options_t sli_control_client_options(const char *path, int64_t deadline) {
  static const sli_rpc_header_t metadata[] = {{"sluice-peer", "1"}};
  return (sli_rpc_call_options_t){
      .method = path, .deadline = deadline, .metadata = metadata, .metadata_count = SLI_ARRAY_COUNT_OF(metadata)};
}

static sli_status_t *pack(const ProtobufCMessage *message, sli_slices_t *out_slices) {
  sli_string_t body = {0};
  SLI_RETURN_IF_ERROR(sli_proto_pack(message, &body));
  if (body.size) sli_slices_append_string(out_slices, &body);
  return NULL;
}

sli_status_t *sli_control_client_call_on(sli_rpc_channel_t *channel, const char *method,
                                         const ProtobufCMessage *request, const ProtobufCMessageDescriptor *descriptor,
                                         int64_t deadline, sli_arena_t *arena, void **out_reply) {
  *out_reply = NULL;
  sli_slices_t body = {0};
  sli_rpc_message_t reply = {0};
  char *path = sli_format("%s%s", SLI_CONTROL_CLIENT_SERVICE, method);
  sli_rpc_call_options_t options = sli_control_client_options(path, deadline);
  sli_status_t *status = pack(request, &body);
  if (!status) status = sli_rpc_call_and_wait(channel, &options, &body, &reply);
  if (!status) status = sli_proto_parse(descriptor, reply.data, reply.size, arena, out_reply);
  sli_rpc_message_release(&reply);
  free(path);
  return status;
}

sli_status_t *sli_control_client_call(const char *target, const char *method, const ProtobufCMessage *request,
                                      const ProtobufCMessageDescriptor *descriptor, int64_t deadline,
                                      sli_arena_t *arena, void **out_reply) {
  *out_reply = NULL;
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(dial(target, &channel));
  sli_status_t *status = sli_control_client_call_on(channel, method, request, descriptor, deadline, arena, out_reply);
  sli_rpc_channel_destroy(channel);
  return status;
}

sli_status_t *sli_control_client_get_devices(sli_rpc_channel_t *channel, int64_t deadline, sli_device_set_t *out_set) {
  *out_set = (sli_device_set_t){0};
  sli_slices_t body = {0};
  sli_rpc_message_t reply = {0};
  sli_rpc_call_options_t options = sli_control_client_options("/tensorflow.WorkerService/GetStatus", deadline);
  sli_status_t *status = sli_rpc_call_and_wait(channel, &options, &body, &reply);
  if (!status) status = sli_device_attributes_decode_all(sli_view_of(reply.data, reply.size), out_set);
  sli_rpc_message_release(&reply);
  if (!status && !out_set->devices.count)
    status = sli_status_make_text(SLI_FAILED_PRECONDITION, "the task has no devices");
  if (status) sli_device_set_deinitialize(out_set);
  return status;
}

// The status of a stock task: its devices and the task name that they contain.
static sli_status_t *ask_devices(sli_rpc_channel_t *channel, int64_t deadline, sli_arena_t *arena,
                                 Sluice__StatusResponse *out) {
  sli_device_set_t set;
  SLI_RETURN_IF_ERROR(sli_control_client_get_devices(channel, deadline, &set));
  sluice__status_response__init(out);
  out->hello = sli_arena_allocate(arena, sizeof(*out->hello));
  sluice__hello_response__init(out->hello);
  sli_view_t task = sli_device_name_task(sli_view(set.devices.items[0].name));
  out->hello->task = sli_arena_strndup(arena, task.data, task.size);
  out->hello->incarnation = set.devices.items[0].incarnation;
  sli_device_attributes_fill_status(&set, arena, out);
  sli_device_set_deinitialize(&set);
  return NULL;
}

sli_status_t *sli_control_client_get_status(const char *target, int64_t deadline, sli_arena_t *arena,
                                            Sluice__StatusResponse **out_status, int64_t *out_round_trip_nanos) {
  *out_status = NULL;
  sli_env_t *env = sli_env_process();
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(dial(target, &channel));
  Sluice__StatusRequest request = SLUICE__STATUS_REQUEST__INIT;
  Sluice__StatusResponse *reply = NULL;
  void *hello;
  // The first call includes the time to connect, so the second one is measured.
  sli_status_t *status =
      sli_control_client_call_on(channel, "Hello", &(Sluice__HelloRequest)SLUICE__HELLO_REQUEST__INIT.base,
                                 &sluice__hello_response__descriptor, deadline, arena, &hello);
  int64_t start = env->now(env);
  if (!status)
    status = sli_control_client_call_on(channel, "Status", &request.base, &sluice__status_response__descriptor,
                                        deadline, arena, (void **)&reply);
  if (sli_status_code(status) == SLI_UNIMPLEMENTED) {
    sli_status_release(status);
    reply = sli_arena_allocate(arena, sizeof(*reply));
    start = env->now(env);
    status = ask_devices(channel, deadline, arena, reply);
  }
  *out_round_trip_nanos = env->now(env) - start;
  sli_rpc_channel_destroy(channel);
  if (!status && !reply->hello) status = sli_wire_error("sluice.StatusResponse");
  if (!status) *out_status = reply;
  return status;
}

sli_status_t *sli_control_client_wait_model_ready(const char *target, int64_t deadline) {
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(dial(target, &channel));
  sli_env_t *env = sli_env_process();
  sli_status_t *status;
  for (;;) {
    sli_slices_t body = {0};
    sli_rpc_message_t reply = {0};
    sli_rpc_call_options_t options = sli_control_client_options(SLI_CONTROL_CLIENT_SERVICE "ModelReady", deadline);
    options.wait_for_ready = true;
    status = sli_rpc_call_and_wait(channel, &options, &body, &reply);
    sli_rpc_message_release(&reply);
    if (sli_status_code(status) != SLI_UNAVAILABLE || env->now(env) >= deadline) break;
    // The chief was lost. When it has restarted it answers once its model is ready.
    sli_status_release(status);
    sli_event_t never;
    sli_event_initialize(&never);
    env->wait(env, &never, sli_env_deadline_after_millis(env, RETRY_MILLIS));
    sli_event_deinitialize(&never);
  }
  if (sli_status_code(status) == SLI_DEADLINE_EXCEEDED) {
    char *why = sli_rpc_channel_describe_failure(channel);
    sli_status_release(status);
    status = sli_status_make(SLI_DEADLINE_EXCEEDED, "The model of the chief at %s is not ready%s%s", target,
                             why ? ": " : ".", why ? why : "");
    free(why);
  }
  sli_rpc_channel_destroy(channel);
  return status;
}
