// tensorflow.MasterService on gRPC: decodes a request, calls the master, encodes
// the answer. RunStep and RunCallable are read and written by hand, without a
// copy of large tensors on the way out.
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "core/tensor_codec.h"
#include "dist/device_attributes.h"
#include "dist/messages.h"
#include "dist/service.h"
#include "proto/wire.h"

typedef struct watch watch_t;

// One call. The decoded parts live in its arena, views point into the message.
typedef struct {
  sli_env_t *env;
  sli_rpc_request_t *request;
  sli_arena_t arena;
  sli_shared_bytes_t *bytes;  // the message, once taken: large feeds stay in it
  sli_cancellation_t *cancellation;
  watch_t *watch;  // the request's, unless it is forgotten
  bool errors_in_body;
  SLI_ARRAY(const char *) feed_names;
  SLI_ARRAY(sli_tensor_t *) feeds;
  SLI_ARRAY(const char *) fetch_names;
  SLI_ARRAY(const char *) target_names;
} call_t;

static call_t *call_create(sli_env_t *env, sli_rpc_request_t *request) {
  call_t *call = sli_calloc(1, sizeof(*call));
  call->env = env;
  call->request = request;
  return call;
}

static void call_release(call_t *call) {
  for (size_t i = 0; i < call->feeds.count; i++) sli_tensor_release(call->feeds.items[i]);
  sli_array_deinitialize(&call->feeds);
  sli_array_deinitialize(&call->feed_names);
  sli_array_deinitialize(&call->fetch_names);
  sli_array_deinitialize(&call->target_names);
  sli_cancellation_release(call->cancellation);
  sli_arena_deinitialize(&call->arena);
  sli_shared_bytes_release(call->bytes);
  free(call);
}

// What is to be done when the client leaves.
struct watch {
  sli_cancellation_t *cancellation;
  int64_t deadline;
};

static void watch_release(watch_t *watch) {
  sli_cancellation_release(watch->cancellation);
  free(watch);
}

// The client's deadline ends the call here at the same time as there: whoever is first says the same.
static void client_left(void *context) {
  watch_t *watch = context;
  sli_cancellation_cancel(watch->cancellation,
                          sli_now_nanos() >= watch->deadline
                              ? sli_status_make_text(SLI_DEADLINE_EXCEEDED, "Deadline Exceeded")
                              : sli_status_make_text(SLI_CANCELLED, "The client cancelled the call or went away"));
  watch_release(watch);
}

// From now on the call can be cancelled by its client.
static void call_watch(call_t *call) {
  call->cancellation = sli_cancellation_create();
  call->watch = sli_malloc(sizeof(*call->watch));
  *call->watch = (watch_t){sli_cancellation_retain(call->cancellation), sli_rpc_request_deadline(call->request)};
  sli_rpc_request_on_cancel(call->request, client_left, call->watch);
}

// Answers and ends the call.
static void call_reply(call_t *call, sli_status_t *status, sli_slices_t *reply) {
  if (call->watch && sli_rpc_request_forget_cancel(call->request)) watch_release(call->watch);
  sli_rpc_request_respond(call->request, status, reply);
  call_release(call);
}

static void call_respond(call_t *call, sli_status_t *status, sli_string_t *body) {
  sli_slices_t reply = {0};
  if (body) sli_slices_append_string(&reply, body);
  call_reply(call, status, &reply);
}

static const char *text_of(call_t *call, sli_view_t view) {
  return sli_arena_strndup(&call->arena, view.data, view.size);
}

static sli_view_t body_of(call_t *call) {
  if (!call->bytes) call->bytes = sli_shared_bytes_take(sli_rpc_request_message(call->request));
  return sli_shared_bytes_view(call->bytes);
}

// Fields by number for the small messages: bytes and integers, each at most once.
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
  if (!status) sli_wire_write_text(&body, 1, handle);
  if (!status && version) sli_wire_write_int(&body, 2, version);
  call_respond(context, status, &body);
}

static void create_session(sli_master_t *master, call_t *call) {
  fields_t fields;
  sli_status_t *status = read_fields(body_of(call), "tensorflow.CreateSessionRequest", &fields);
  if (status) {
    call_respond(call, status, NULL);
    return;
  }
  call_watch(call);
  sli_master_create_t create = {.graph_def = fields.bytes[1],
                                .config = fields.bytes[2],
                                .deadline = sli_rpc_request_deadline(call->request),
                                .cancellation = call->cancellation,
                                .client = {sli_rpc_request_link(call->request), link_is_up, link_release}};
  sli_master_create_session(master, &create, session_created, call);
}

static void session_extended(void *context, sli_status_t *status, const char *handle, int64_t version) {
  sli_string_t body = {0};
  if (!status) sli_wire_write_int(&body, 4, version);
  call_respond(context, status, &body);
}

static void extend_session(sli_master_t *master, call_t *call) {
  fields_t fields;
  sli_status_t *status = read_fields(body_of(call), "tensorflow.ExtendSessionRequest", &fields);
  if (status)
    call_respond(call, status, NULL);
  else
    sli_master_extend_session(master, text_of(call, fields.bytes[1]), fields.bytes[2], fields.ints[3], session_extended,
                              call);
}

static void call_done(void *context, sli_status_t *status) { call_respond(context, status, NULL); }

static void close_session(sli_master_t *master, call_t *call) {
  fields_t fields;
  sli_status_t *status = read_fields(body_of(call), "tensorflow.CloseSessionRequest", &fields);
  if (status)
    call_respond(call, status, NULL);
  else
    sli_master_close_session(master, text_of(call, fields.bytes[1]), call_done, call);
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
  write_devices(&body, 1, local);
  write_devices(&body, 2, remote);
  call_respond(context, status, &body);
}

static void list_devices(sli_master_t *master, call_t *call) {
  fields_t fields;
  sli_status_t *status = read_fields(body_of(call), "tensorflow.ListDevicesRequest", &fields);
  if (status)
    call_respond(call, status, NULL);
  else
    sli_master_list_devices(master, text_of(call, fields.bytes[1]), devices_listed, call);
}

static void reset(sli_master_t *master, call_t *call) {
  sli_wire_reader_t reader = sli_wire_reader(body_of(call));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == 1) sli_array_push(&call->feed_names, text_of(call, field.bytes));
    if (field.number == 2) sli_array_push(&call->target_names, text_of(call, field.bytes));
  }
  if (reader.malformed)
    call_respond(call, sli_wire_error("tensorflow.ResetRequest"), NULL);
  else
    sli_master_reset(master, call->feed_names.items, call->feed_names.count, call->target_names.items,
                     call->target_names.count, call_done, call);
}

// --- Steps ------------------------------------------------------------------------------

static sli_status_t *read_feed(call_t *call, sli_view_t bytes) {
  fields_t fields;
  SLI_RETURN_IF_ERROR(read_fields(bytes, "tensorflow.NamedTensorProto", &fields));
  const char *name = text_of(call, fields.bytes[1]);
  sli_tensor_t *tensor;
  sli_status_t *status = sli_shared_bytes_decode(call->bytes, fields.bytes[2], &tensor);
  if (status) return sli_status_prefix(status, "Feed '%s': ", name);
  sli_array_push(&call->feed_names, name);
  sli_array_push(&call->feeds, tensor);
  return NULL;
}

static sli_status_t *read_run_step(call_t *call, sli_master_run_t *out_run) {
  sli_wire_reader_t reader = sli_wire_reader(body_of(call));
  *out_run = (sli_master_run_t){.session_handle = "", .deadline = SLI_NO_DEADLINE};
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type == SLI_WIRE_VARINT && field.number == 7) call->errors_in_body = field.value != 0;
    if (field.type != SLI_WIRE_BYTES) continue;
    switch (field.number) {
      case 1: out_run->session_handle = text_of(call, field.bytes); break;
      case 2: SLI_RETURN_IF_ERROR(read_feed(call, field.bytes)); break;
      case 3: sli_array_push(&call->fetch_names, text_of(call, field.bytes)); break;
      case 4: sli_array_push(&call->target_names, text_of(call, field.bytes)); break;
      case 5: out_run->options = field.bytes; break;
      case 6: out_run->partial_handle = field.bytes.size ? text_of(call, field.bytes) : NULL; break;
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

// Errors of the step itself go into the body where the client asked for that.
static void respond_with_error(call_t *call, sli_status_t *status) {
  if (!call->errors_in_body) {
    call_respond(call, status, NULL);
    return;
  }
  sli_string_t body = {0};
  sli_wire_write_int(&body, 3, sli_status_code(status));
  sli_wire_write_text(&body, 4, sli_status_message(status));
  sli_status_release(status);
  call_respond(call, NULL, &body);
}

static void run_step_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count,
                          sli_view_t metadata) {
  call_t *call = context;
  if (status) {
    respond_with_error(call, status);
    return;
  }
  sli_string_t head = {0};
  sli_slices_t reply = {0};
  for (size_t i = 0; i < fetch_count; i++) {
    sli_named_tensor_encode(1, call->fetch_names.items[i], fetches[i], &head, &reply);
    sli_tensor_release(fetches[i]);
  }
  sli_wire_write_bytes(&head, 2, metadata.data, metadata.size);
  sli_slices_append_string(&reply, &head);
  call_reply(call, NULL, &reply);
}

static void run_step(sli_master_t *master, call_t *call) {
  sli_master_run_t run;
  sli_status_t *status = read_run_step(call, &run);
  if (status) {
    respond_with_error(call, status);
    return;
  }
  call_watch(call);
  run.cancellation = call->cancellation;
  run.deadline = sli_rpc_request_deadline(call->request);
  run.want_metadata = true;
  sli_master_run_step(master, &run, run_step_done, call);
}

static void partial_run_set_up(void *context, sli_status_t *status, const char *handle, int64_t version) {
  sli_string_t body = {0};
  if (!status) sli_wire_write_text(&body, 1, handle);
  call_respond(context, status, &body);
}

static void partial_run_setup(sli_master_t *master, call_t *call) {
  sli_wire_reader_t reader = sli_wire_reader(body_of(call));
  sli_master_run_t run = {.session_handle = "", .deadline = SLI_NO_DEADLINE};
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == 1) run.session_handle = text_of(call, field.bytes);
    if (field.number == 2) sli_array_push(&call->feed_names, text_of(call, field.bytes));
    if (field.number == 3) sli_array_push(&call->fetch_names, text_of(call, field.bytes));
    if (field.number == 4) sli_array_push(&call->target_names, text_of(call, field.bytes));
  }
  if (reader.malformed) {
    call_respond(call, sli_wire_error("tensorflow.PartialRunSetupRequest"), NULL);
    return;
  }
  run.feed_names = call->feed_names.items;
  run.feed_count = call->feed_names.count;
  run.fetch_names = call->fetch_names.items;
  run.fetch_count = call->fetch_names.count;
  run.target_names = call->target_names.items;
  run.target_count = call->target_names.count;
  sli_master_partial_run_setup(master, &run, partial_run_set_up, call);
}

// --- Callables --------------------------------------------------------------------------

static void callable_made(void *context, sli_status_t *status, const char *handle, int64_t version) {
  sli_string_t body = {0};
  int64_t number = 0;
  if (!status) sli_view_to_int64(sli_view(handle), &number);
  if (number) sli_wire_write_int(&body, 1, number);
  call_respond(context, status, &body);
}

static void make_callable(sli_master_t *master, call_t *call) {
  fields_t fields;
  sli_status_t *status = read_fields(body_of(call), "tensorflow.MakeCallableRequest", &fields);
  if (status)
    call_respond(call, status, NULL);
  else
    sli_master_make_callable(master, text_of(call, fields.bytes[1]), fields.bytes[2], callable_made, call);
}

static void run_callable_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count,
                              sli_view_t metadata) {
  call_t *call = context;
  sli_string_t head = {0};
  sli_slices_t reply = {0};
  for (size_t i = 0; i < fetch_count; i++) {
    sli_wire_write_length(&head, 1, sli_tensor_encoded_size(fetches[i]));
    sli_tensor_encode(fetches[i], &head, &reply);
    sli_tensor_release(fetches[i]);
  }
  if (!status) sli_wire_write_bytes(&head, 2, metadata.data, metadata.size);
  sli_slices_append_string(&reply, &head);
  call_reply(call, status, &reply);
}

static sli_status_t *read_run_callable(call_t *call, const char **out_handle, int64_t *out_callable) {
  sli_wire_reader_t reader = sli_wire_reader(body_of(call));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == 1 && field.type == SLI_WIRE_BYTES) *out_handle = text_of(call, field.bytes);
    if (field.number == 2 && field.type == SLI_WIRE_VARINT) *out_callable = (int64_t)field.value;
    if (field.number != 3 || field.type != SLI_WIRE_BYTES) continue;
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(sli_shared_bytes_decode(call->bytes, field.bytes, &tensor));
    sli_array_push(&call->feeds, tensor);
  }
  return reader.malformed ? sli_wire_error("tensorflow.RunCallableRequest") : NULL;
}

static void run_callable(sli_master_t *master, call_t *call) {
  const char *handle = "";
  int64_t callable = 0;
  sli_status_t *status = read_run_callable(call, &handle, &callable);
  if (status) {
    call_respond(call, status, NULL);
    return;
  }
  call_watch(call);
  sli_master_run_callable(master, handle, callable, call->feeds.items, call->feeds.count, call->cancellation,
                          run_callable_done, call);
}

static void release_callable(sli_master_t *master, call_t *call) {
  fields_t fields;
  sli_status_t *status = read_fields(body_of(call), "tensorflow.ReleaseCallableRequest", &fields);
  if (status)
    call_respond(call, status, NULL);
  else
    sli_master_release_callable(master, text_of(call, fields.bytes[1]), fields.ints[2], call_done, call);
}

// --- The table --------------------------------------------------------------------------

static const struct {
  const char *name;
  void (*handle)(sli_master_t *master, call_t *call);
} methods[] = {
    {"RunStep", run_step},
    {"RunCallable", run_callable},
    {"CreateSession", create_session},
    {"ExtendSession", extend_session},
    {"PartialRunSetup", partial_run_setup},
    {"CloseSession", close_session},
    {"ListDevices", list_devices},
    {"Reset", reset},
    {"MakeCallable", make_callable},
    {"ReleaseCallable", release_callable},
};

bool sli_master_service_handle(sli_master_t *master, sli_env_t *env, sli_rpc_request_t *request) {
  static const char service[] = "/tensorflow.MasterService/";
  const char *method = sli_rpc_request_method(request);
  if (!sli_starts_with(method, service)) return false;
  for (size_t i = 0; i < SLI_COUNT_OF(methods); i++) {
    if (strcmp(method + strlen(service), methods[i].name) != 0) continue;
    methods[i].handle(master, call_create(env, request));
    return true;
  }
  return false;
}
