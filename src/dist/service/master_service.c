// tensorflow.MasterService on gRPC: decodes a request, calls the master, encodes the reply. Large tensors are not
// copied.
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "core/tensor/tensor_codec.h"
#include "dist/client/device_attributes.h"
#include "dist/service/service.h"
#include "dist/service/service_call.h"
#include "proto/service.fields.h"
#include "proto/tensor.fields.h"
#include "proto/wire.h"

// A call of any method. Texts are in the call's arena; feeds may point into its message.
typedef struct {
  sli_service_call_t base;
  bool errors_in_body;                 // of RunStep
  SLI_ARRAY(const char *) feed_names;  // Reset: the containers
  SLI_ARRAY(sli_tensor_t *) feeds;
  SLI_ARRAY(const char *) fetch_names;
  SLI_ARRAY(const char *) target_names;  // Reset: the device filters
} master_call_t;

static void call_deinitialize(sli_service_call_t *base) {
  master_call_t *call = (master_call_t *)base;
  for (size_t i = 0; i < call->feeds.count; i++) sli_tensor_release(call->feeds.items[i]);
  sli_array_deinitialize(&call->feeds);
  sli_array_deinitialize(&call->feed_names);
  sli_array_deinitialize(&call->fetch_names);
  sli_array_deinitialize(&call->target_names);
}

// The fields of a small message by number: bytes and integers, none repeated.
enum { MAX_FIELDS = 9 };
typedef struct {
  sli_view_t bytes[MAX_FIELDS];
  int64_t ints[MAX_FIELDS];
} fields_t;

static sli_status_t *read_fields(sli_view_t body, const char *type_name, fields_t *out_fields) {
  *out_fields = (fields_t){0};
  sli_wire_reader_t reader = sli_wire_reader(body);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number >= MAX_FIELDS) continue;
    if (field.type == SLI_WIRE_BYTES) out_fields->bytes[field.number] = field.bytes;
    if (field.type == SLI_WIRE_VARINT) out_fields->ints[field.number] = (int64_t)field.value;
  }
  return reader.malformed ? sli_wire_error(type_name) : NULL;
}

// --- Sessions ---------------------------------------------------------------------------

static bool link_is_up(void *link) { return sli_rpc_link_is_up(link); }
static void link_release(void *link) { sli_rpc_link_release(link); }

static void session_created(void *context, sli_status_t *status, const char *handle, int64_t version) {
  sli_string_t body = {0};
  if (!status) sli_wire_write_text(&body, SLI_FIELD_CREATE_SESSION_RESPONSE_SESSION_HANDLE, handle);
  if (!status && version) sli_wire_write_int(&body, SLI_FIELD_CREATE_SESSION_RESPONSE_GRAPH_VERSION, version);
  sli_service_call_reply_string(context, status, &body);
}

static void create_session_now(sli_service_call_t *call) {
  fields_t fields;
  sli_status_t *status = read_fields(sli_service_call_body(call), "tensorflow.CreateSessionRequest", &fields);
  if (status) {
    sli_service_call_done(call, status);
    return;
  }
  sli_service_call_watch(call);
  sli_master_create_session_t create = {.graph_def = fields.bytes[SLI_FIELD_CREATE_SESSION_REQUEST_GRAPH_DEF],
                                        .config = fields.bytes[SLI_FIELD_CREATE_SESSION_REQUEST_CONFIG],
                                        .deadline = call->deadline,
                                        .cancellation = call->cancellation,
                                        .client = {.link = sli_rpc_request_link(call->request),
                                                   .peer = sli_rpc_request_peer(call->request),
                                                   .is_up = link_is_up,
                                                   .release = link_release}};
  sli_master_create_session(call->server, &create, session_created, call);
}

// The graph is imported elsewhere, but a configuration may be large, too.
static void create_session(sli_service_call_t *call, const void *message) {
  fields_t fields;
  sli_status_t *status = read_fields(sli_service_call_body(call), "tensorflow.CreateSessionRequest", &fields);
  sli_status_release(status);  // reported by create_session_now
  if (fields.bytes[SLI_FIELD_CREATE_SESSION_REQUEST_CONFIG].size >= SLI_SERVICE_CALL_LARGE)
    sli_service_call_move(call, create_session_now);
  else
    create_session_now(call);
}

static void session_extended(void *context, sli_status_t *status, const char *handle, int64_t version) {
  sli_string_t body = {0};
  if (!status) sli_wire_write_int(&body, SLI_FIELD_EXTEND_SESSION_RESPONSE_NEW_GRAPH_VERSION, version);
  sli_service_call_reply_string(context, status, &body);
}

static void extend_session(sli_service_call_t *call, const void *message) {
  fields_t fields;
  sli_status_t *status = read_fields(sli_service_call_body(call), "tensorflow.ExtendSessionRequest", &fields);
  if (status)
    sli_service_call_done(call, status);
  else
    sli_master_extend_session(
        call->server, sli_service_call_text(call, fields.bytes[SLI_FIELD_EXTEND_SESSION_REQUEST_SESSION_HANDLE]),
        fields.bytes[SLI_FIELD_EXTEND_SESSION_REQUEST_GRAPH_DEF],
        fields.ints[SLI_FIELD_EXTEND_SESSION_REQUEST_CURRENT_GRAPH_VERSION], session_extended, call);
}

static void close_session(sli_service_call_t *call, const void *message) {
  fields_t fields;
  sli_status_t *status = read_fields(sli_service_call_body(call), "tensorflow.CloseSessionRequest", &fields);
  if (status)
    sli_service_call_done(call, status);
  else
    sli_master_close_session(call->server,
                             sli_service_call_text(call, fields.bytes[SLI_FIELD_CLOSE_SESSION_REQUEST_SESSION_HANDLE]),
                             sli_service_call_done, call);
}

static void write_devices(sli_string_t *body, uint32_t field, const sli_device_set_t *devices) {
  for (size_t i = 0; i < devices->devices.count; i++) {
    size_t mark = sli_wire_open(body, field);
    sli_device_attributes_encode(&devices->devices.items[i], body);
    sli_wire_close(body, mark);
  }
}

static void devices_listed(void *context, sli_status_t *status, const sli_device_set_t *local,
                           const sli_device_set_t *remote) {
  sli_string_t body = {0};
  write_devices(&body, SLI_FIELD_LIST_DEVICES_RESPONSE_LOCAL_DEVICE, local);
  write_devices(&body, SLI_FIELD_LIST_DEVICES_RESPONSE_REMOTE_DEVICE, remote);
  sli_service_call_reply_string(context, status, &body);
}

static void list_devices(sli_service_call_t *call, const void *message) {
  fields_t fields;
  sli_status_t *status = read_fields(sli_service_call_body(call), "tensorflow.ListDevicesRequest", &fields);
  if (status)
    sli_service_call_done(call, status);
  else
    sli_master_list_devices(call->server,
                            sli_service_call_text(call, fields.bytes[SLI_FIELD_LIST_DEVICES_REQUEST_SESSION_HANDLE]),
                            devices_listed, call);
}

static void reset_now(sli_service_call_t *base) {
  master_call_t *call = (master_call_t *)base;
  sli_wire_reader_t reader = sli_wire_reader(sli_service_call_body(base));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_RESET_REQUEST_CONTAINER)
      sli_array_push(&call->feed_names, sli_service_call_text(base, field.bytes));
    if (field.number == SLI_FIELD_RESET_REQUEST_DEVICE_FILTERS)
      sli_array_push(&call->target_names, sli_service_call_text(base, field.bytes));
  }
  if (reader.malformed)
    sli_service_call_done(base, sli_wire_error("tensorflow.ResetRequest"));
  else
    sli_master_reset(base->server, call->feed_names.items, call->feed_names.count, call->target_names.items,
                     call->target_names.count, sli_service_call_done, call);
}

static void reset(sli_service_call_t *call, const void *message) { sli_service_call_run(call, reset_now); }

// --- Steps ------------------------------------------------------------------------------

static sli_status_t *read_feed(master_call_t *call, sli_view_t bytes) {
  fields_t fields;
  SLI_RETURN_IF_ERROR(read_fields(bytes, "tensorflow.NamedTensorProto", &fields));
  const char *name = sli_service_call_text(&call->base, fields.bytes[SLI_FIELD_NAMED_TENSOR_PROTO_NAME]);
  sli_tensor_t *tensor;
  sli_status_t *status =
      sli_message_bytes_decode(call->base.bytes, fields.bytes[SLI_FIELD_NAMED_TENSOR_PROTO_TENSOR], &tensor);
  if (status) return sli_status_prefix(status, "Feed '%s': ", name);
  sli_array_push(&call->feed_names, name);
  sli_array_push(&call->feeds, tensor);
  return NULL;
}

static sli_status_t *read_run_step(master_call_t *call, sli_master_run_step_t *out_run) {
  sli_wire_reader_t reader = sli_wire_reader(sli_service_call_body(&call->base));
  *out_run = (sli_master_run_step_t){.session_handle = "", .deadline = SLI_CLOCK_NO_DEADLINE};
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type == SLI_WIRE_VARINT && field.number == SLI_FIELD_RUN_STEP_REQUEST_STORE_ERRORS_IN_RESPONSE_BODY)
      call->errors_in_body = field.value != 0;
    if (field.type != SLI_WIRE_BYTES) continue;
    switch (field.number) {
      case SLI_FIELD_RUN_STEP_REQUEST_SESSION_HANDLE:
        out_run->session_handle = sli_service_call_text(&call->base, field.bytes);
        break;
      case SLI_FIELD_RUN_STEP_REQUEST_FEED: SLI_RETURN_IF_ERROR(read_feed(call, field.bytes)); break;
      case SLI_FIELD_RUN_STEP_REQUEST_FETCH:
        sli_array_push(&call->fetch_names, sli_service_call_text(&call->base, field.bytes));
        break;
      case SLI_FIELD_RUN_STEP_REQUEST_TARGET:
        sli_array_push(&call->target_names, sli_service_call_text(&call->base, field.bytes));
        break;
      case SLI_FIELD_RUN_STEP_REQUEST_OPTIONS: out_run->options = field.bytes; break;
      case SLI_FIELD_RUN_STEP_REQUEST_PARTIAL_RUN_HANDLE:
        out_run->partial_handle = field.bytes.size ? sli_service_call_text(&call->base, field.bytes) : NULL;
        break;
      default: break;
    }
  }
  if (reader.malformed) return sli_wire_error("tensorflow.RunStepRequest");
  out_run->feed_names = call->feed_names.items;
  out_run->feeds = call->feeds.items;
  out_run->feed_count = call->feeds.count;
  out_run->fetch_names = call->fetch_names.items;
  out_run->fetch_count = call->fetch_names.count;
  out_run->target_names = call->target_names.items;
  out_run->target_count = call->target_names.count;
  return NULL;
}

// Errors of the step are returned in the body if the client requested that.
static void respond_with_error(master_call_t *call, sli_status_t *status) {
  if (!call->errors_in_body) {
    sli_service_call_done(&call->base, status);
    return;
  }
  sli_string_t body = {0};
  sli_wire_write_int(&body, SLI_FIELD_RUN_STEP_RESPONSE_STATUS_CODE, sli_status_code(status));
  sli_wire_write_text(&body, SLI_FIELD_RUN_STEP_RESPONSE_STATUS_ERROR_MESSAGE, sli_status_message(status));
  sli_status_release(status);
  sli_service_call_reply_string(&call->base, NULL, &body);
}

static void run_step_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count,
                          sli_view_t metadata) {
  master_call_t *call = context;
  if (status) {
    respond_with_error(call, status);
    return;
  }
  sli_string_t head = {0};
  sli_slices_t reply = {0};
  for (size_t i = 0; i < fetch_count; i++) {
    sli_message_named_tensor_encode(SLI_FIELD_RUN_STEP_RESPONSE_TENSOR, call->fetch_names.items[i], fetches[i], &head,
                                    &reply);
    sli_tensor_release(fetches[i]);
  }
  sli_wire_write_bytes(&head, SLI_FIELD_RUN_STEP_RESPONSE_METADATA, metadata.data, metadata.size);
  sli_slices_append_string(&reply, &head);
  sli_service_call_reply(&call->base, NULL, &reply);
}

static void run_step_now(sli_service_call_t *base) {
  master_call_t *call = (master_call_t *)base;
  sli_master_run_step_t run;
  sli_status_t *status = read_run_step(call, &run);
  if (status) {
    respond_with_error(call, status);
    return;
  }
  sli_service_call_watch(base);
  run.cancellation = base->cancellation;
  run.deadline = base->deadline;
  run.want_metadata = true;
  sli_master_run_step(base->server, &run, run_step_done, call);
}

static void run_step(sli_service_call_t *call, const void *message) { sli_service_call_run(call, run_step_now); }

static void partial_run_set_up(void *context, sli_status_t *status, const char *handle, int64_t version) {
  sli_string_t body = {0};
  if (!status) sli_wire_write_text(&body, SLI_FIELD_PARTIAL_RUN_SETUP_RESPONSE_PARTIAL_RUN_HANDLE, handle);
  sli_service_call_reply_string(context, status, &body);
}

static void partial_run_setup_now(sli_service_call_t *base) {
  master_call_t *call = (master_call_t *)base;
  sli_wire_reader_t reader = sli_wire_reader(sli_service_call_body(base));
  sli_master_run_step_t run = {.session_handle = "", .deadline = SLI_CLOCK_NO_DEADLINE};
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_PARTIAL_RUN_SETUP_REQUEST_SESSION_HANDLE)
      run.session_handle = sli_service_call_text(base, field.bytes);
    if (field.number == SLI_FIELD_PARTIAL_RUN_SETUP_REQUEST_FEED)
      sli_array_push(&call->feed_names, sli_service_call_text(base, field.bytes));
    if (field.number == SLI_FIELD_PARTIAL_RUN_SETUP_REQUEST_FETCH)
      sli_array_push(&call->fetch_names, sli_service_call_text(base, field.bytes));
    if (field.number == SLI_FIELD_PARTIAL_RUN_SETUP_REQUEST_TARGET)
      sli_array_push(&call->target_names, sli_service_call_text(base, field.bytes));
  }
  if (reader.malformed) {
    sli_service_call_done(base, sli_wire_error("tensorflow.PartialRunSetupRequest"));
    return;
  }
  run.feed_names = call->feed_names.items;
  run.feed_count = call->feed_names.count;
  run.fetch_names = call->fetch_names.items;
  run.fetch_count = call->fetch_names.count;
  run.target_names = call->target_names.items;
  run.target_count = call->target_names.count;
  sli_master_partial_run_setup(base->server, &run, partial_run_set_up, call);
}

static void partial_run_setup(sli_service_call_t *call, const void *message) {
  sli_service_call_run(call, partial_run_setup_now);
}

// --- Callables --------------------------------------------------------------------------

static void callable_made(void *context, sli_status_t *status, const char *handle, int64_t version) {
  sli_string_t body = {0};
  int64_t number = 0;
  if (!status) sli_view_to_int64(sli_view(handle), &number);
  if (number) sli_wire_write_int(&body, SLI_FIELD_MAKE_CALLABLE_RESPONSE_HANDLE, number);
  sli_service_call_reply_string(context, status, &body);
}

static void make_callable(sli_service_call_t *call, const void *message) {
  fields_t fields;
  sli_status_t *status = read_fields(sli_service_call_body(call), "tensorflow.MakeCallableRequest", &fields);
  if (status)
    sli_service_call_done(call, status);
  else
    sli_master_make_callable(call->server,
                             sli_service_call_text(call, fields.bytes[SLI_FIELD_MAKE_CALLABLE_REQUEST_SESSION_HANDLE]),
                             fields.bytes[SLI_FIELD_MAKE_CALLABLE_REQUEST_OPTIONS], callable_made, call);
}

static void run_callable_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count,
                              sli_view_t metadata) {
  master_call_t *call = context;
  sli_string_t head = {0};
  sli_slices_t reply = {0};
  for (size_t i = 0; i < fetch_count; i++) {
    sli_wire_write_length(&head, SLI_FIELD_RUN_CALLABLE_RESPONSE_FETCH, sli_tensor_encoded_size(fetches[i]));
    sli_tensor_encode(fetches[i], &head, &reply);
    sli_tensor_release(fetches[i]);
  }
  if (!status) sli_wire_write_bytes(&head, SLI_FIELD_RUN_CALLABLE_RESPONSE_METADATA, metadata.data, metadata.size);
  sli_slices_append_string(&reply, &head);
  sli_service_call_reply(&call->base, status, &reply);
}

static sli_status_t *read_run_callable(master_call_t *call, const char **out_handle, int64_t *out_callable) {
  sli_wire_reader_t reader = sli_wire_reader(sli_service_call_body(&call->base));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_RUN_CALLABLE_REQUEST_SESSION_HANDLE && field.type == SLI_WIRE_BYTES)
      *out_handle = sli_service_call_text(&call->base, field.bytes);
    if (field.number == SLI_FIELD_RUN_CALLABLE_REQUEST_HANDLE && field.type == SLI_WIRE_VARINT)
      *out_callable = (int64_t)field.value;
    if (field.number != SLI_FIELD_RUN_CALLABLE_REQUEST_FEED || field.type != SLI_WIRE_BYTES) continue;
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(sli_message_bytes_decode(call->base.bytes, field.bytes, &tensor));
    sli_array_push(&call->feeds, tensor);
  }
  return reader.malformed ? sli_wire_error("tensorflow.RunCallableRequest") : NULL;
}

static void run_callable_now(sli_service_call_t *base) {
  master_call_t *call = (master_call_t *)base;
  const char *handle = "";
  int64_t callable = 0;
  sli_status_t *status = read_run_callable(call, &handle, &callable);
  if (status) {
    sli_service_call_done(base, status);
    return;
  }
  sli_service_call_watch(base);
  sli_master_run_callable(base->server, handle, callable, call->feeds.items, call->feeds.count, base->cancellation,
                          run_callable_done, call);
}

static void run_callable(sli_service_call_t *call, const void *message) {
  sli_service_call_run(call, run_callable_now);
}

static void release_callable(sli_service_call_t *call, const void *message) {
  fields_t fields;
  sli_status_t *status = read_fields(sli_service_call_body(call), "tensorflow.ReleaseCallableRequest", &fields);
  if (status)
    sli_service_call_done(call, status);
  else
    sli_master_release_callable(
        call->server, sli_service_call_text(call, fields.bytes[SLI_FIELD_RELEASE_CALLABLE_REQUEST_SESSION_HANDLE]),
        fields.ints[SLI_FIELD_RELEASE_CALLABLE_REQUEST_HANDLE], sli_service_call_done, call);
}

// --- Dispatch ---------------------------------------------------------------------------

static const sli_service_call_method_t methods[] = {
    {"RunStep", NULL, run_step},
    {"RunCallable", NULL, run_callable},
    {"CreateSession", NULL, create_session},
    {"ExtendSession", NULL, extend_session},
    {"PartialRunSetup", NULL, partial_run_setup},
    {"CloseSession", NULL, close_session},
    {"ListDevices", NULL, list_devices},
    {"Reset", NULL, reset},
    {"MakeCallable", NULL, make_callable},
    {"ReleaseCallable", NULL, release_callable},
};

static const sli_service_call_method_t *find_method(const char *name) {
  return sli_service_call_find_method(name, "/tensorflow.MasterService/", methods, SLI_ARRAY_COUNT_OF(methods));
}

bool sli_master_service_has(const char *method) { return find_method(method) != NULL; }

bool sli_master_service_handle(sli_master_t *master, sli_env_t *env, sli_rpc_request_t *request) {
  const sli_service_call_method_t *method = find_method(sli_rpc_request_method(request));
  if (!method) return false;
  sli_service_call_t *call = sli_service_call_create(sizeof(master_call_t), env, master, request);
  call->deinitialize = call_deinitialize;
  sli_service_call_handle(call, method);
  return true;
}
