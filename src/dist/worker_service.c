// tensorflow.WorkerService on gRPC: decodes a request, calls the worker's own
// client, encodes the answer. What takes long (compiling a graph) goes to the
// pool; the rest runs on the thread that read the request.
#include <stdlib.h>

#include "dist/device_attributes.h"
#include "dist/messages.h"
#include "dist/service.h"
#include "dist/worker_internal.h"
#include "graph/import.h"
#include "proto/proto.h"
#include "proto/service.pb-c.h"

static const char prefix[] = "/tensorflow.WorkerService/";

// One call, from request to answer.
typedef struct {
  sli_rpc_request_t *request;
  sli_worker_t *worker;
  sli_arena_t arena;                 // of the decoded message
  sli_shared_bytes_t *bytes;         // the message, where tensors may point into it
  sli_cancellation_t *cancellation;  // by the client; NULL: cannot be
  sli_run_graph_request_t run;
} call_t;

static call_t *call_create(sli_worker_t *worker, sli_rpc_request_t *request) {
  call_t *call = sli_calloc(1, sizeof(*call));
  call->request = request;
  call->worker = worker;
  return call;
}

static void on_client_gone(void *context) {
  sli_cancellation_cancel(context, sli_status_make(SLI_CANCELLED, "The caller cancelled the call or went away"));
  sli_cancellation_release(context);
}

// From now on the client's leaving, or the deadline, cancels the call.
static void call_watch(call_t *call) {
  call->cancellation = sli_cancellation_create();
  sli_rpc_request_on_cancel(call->request, on_client_gone, sli_cancellation_retain(call->cancellation));
}

// Answers and ends the call. Consumes |status| and |reply|.
static void call_reply(call_t *call, sli_status_t *status, sli_slices_t *reply) {
  if (call->cancellation && sli_rpc_request_forget_cancel(call->request)) sli_cancellation_release(call->cancellation);
  sli_rpc_request_respond(call->request, sli_status_to_wire(status), reply);
  sli_cancellation_release(call->cancellation);
  sli_run_graph_request_deinitialize(&call->run);
  sli_shared_bytes_release(call->bytes);
  sli_arena_deinitialize(&call->arena);
  free(call);
}

static void call_reply_text(call_t *call, sli_status_t *status, sli_string_t *body) {
  sli_slices_t reply = {0};
  if (body->size) sli_slices_append_string(&reply, body);
  call_reply(call, status, &reply);
}

// A reply without fields.
static void call_done(void *context, sli_status_t *status) { call_reply(context, status, NULL); }

static sli_worker_client_t *client_of(call_t *call) { return sli_worker_local_client(call->worker); }

// ---- Small messages --------------------------------------------------------------

static void get_status_done(void *context, sli_status_t *status, const sli_device_info_t *devices, size_t count) {
  sli_string_t body = {0};
  for (size_t i = 0; i < count; i++) {
    size_t mark = sli_wire_open(&body, 1);
    sli_device_attributes_encode(&devices[i], &body);
    sli_wire_close(&body, mark);
  }
  call_reply_text(context, status, &body);
}

static void get_status(call_t *call, const void *message) {
  sli_worker_client_t *client = client_of(call);
  client->vtable->get_status(client, SLI_NO_DEADLINE, false, NULL, get_status_done, call);
}

static void create_worker_session(call_t *call, const void *message) {
  const Tensorflow__CreateWorkerSessionRequest *request = message;
  sli_worker_client_t *client = client_of(call);
  sli_string_t server_def = {0};
  sli_status_t *status = NULL;
  if (request->server_def) status = sli_proto_pack(&request->server_def->base, &server_def);
  if (status) {
    call_done(call, status);
    return;
  }
  if (*request->master_task) sli_rpc_request_name_peer(call->request, request->master_task);
  client->vtable->create_session(
      client,
      &(sli_create_worker_session_t){.session_handle = request->session_handle,
                                     .isolate = request->isolate_session_state,
                                     .master_task = request->master_task,
                                     .master_incarnation = request->master_incarnation,
                                     .server_def = sli_view_of(server_def.data, server_def.size)},
      call_done, call);
  sli_string_deinitialize(&server_def);
}

static void delete_worker_session(call_t *call, const void *message) {
  const Tensorflow__DeleteWorkerSessionRequest *request = message;
  sli_worker_client_t *client = client_of(call);
  client->vtable->delete_session(client, request->session_handle, SLI_NO_DEADLINE, call_done, call);
}

static void deregister_graph(call_t *call, const void *message) {
  const Tensorflow__DeregisterGraphRequest *request = message;
  sli_worker_client_t *client = client_of(call);
  client->vtable->deregister_graph(client, request->create_worker_session_called ? request->session_handle : "",
                                   request->graph_handle, call_done, call);
}

static void cleanup_all(call_t *call, const void *message) {
  const Tensorflow__CleanupAllRequest *request = message;
  sli_worker_client_t *client = client_of(call);
  client->vtable->cleanup_all(client, (const char *const *)request->container, request->n_container, SLI_NO_DEADLINE,
                              call_done, call);
}

// As TensorFlow's: a request that asks for nothing switches off, which is how old masters do it.
static void logging(call_t *call, const void *message) {
  const Tensorflow__LoggingRequest *request = message;
  sli_transfer_log_t *log = call->worker->transfers;
  if (request->enable_rpc_logging) sli_transfer_log_set(log, true);
  if (request->disable_rpc_logging || (!request->enable_rpc_logging && !request->n_fetch_step_id))
    sli_transfer_log_set(log, false);
  sli_string_t body = {0};
  for (size_t i = 0; i < request->n_fetch_step_id; i++) {
    sli_string_t stats = {0};
    if (sli_transfer_log_take(log, request->fetch_step_id[i], &stats)) {
      size_t mark = sli_wire_open(&body, 1);
      sli_wire_write_int(&body, 1, request->fetch_step_id[i]);
      sli_wire_write_bytes(&body, 2, stats.data, stats.size);
      sli_wire_close(&body, mark);
    }
    sli_string_deinitialize(&stats);
  }
  if (request->clear) sli_transfer_log_clear(log);
  call_reply_text(call, NULL, &body);
}

// TensorFlow's workers have never offered it.
static void tracing(call_t *call, const void *message) {
  call_done(call, sli_status_make(SLI_UNIMPLEMENTED, "Tracing"));
}

// Answers are not kept for repetition, so there is nothing to mark.
static void mark_recv_finished(call_t *call, const void *message) { call_done(call, NULL); }

// ---- RegisterGraph ---------------------------------------------------------------

typedef struct {
  const char *session_handle;
  bool session_created;
  sli_view_t graph_def;
} register_request_t;

// By hand: the graph is imported from the bytes as they came.
static sli_status_t *read_register(call_t *call, register_request_t *out_request) {
  *out_request = (register_request_t){.session_handle = ""};
  sli_wire_reader_t reader = sli_wire_reader(sli_shared_bytes_view(call->bytes));
  bool malformed = false;
  for (sli_wire_field_t field; !malformed && sli_wire_next(&reader, &field);) switch (field.number) {
      case 1: malformed = !(out_request->session_handle = sli_message_text(&call->arena, &field)); break;
      case 2:
        malformed = field.type != SLI_WIRE_BYTES || out_request->graph_def.data;
        out_request->graph_def = field.bytes;
        break;
      case 6: out_request->session_created = field.value != 0; break;
    }
  if (malformed || reader.malformed) return sli_wire_error("tensorflow.RegisterGraphRequest");
  if (!out_request->session_created) out_request->session_handle = "";
  return NULL;
}

static void register_done(void *context, sli_status_t *status, const char *graph_handle) {
  sli_string_t body = {0};
  if (!status) sli_wire_write_text(&body, 1, graph_handle);
  call_reply_text(context, status, &body);
}

static void register_on_pool(void *context) {
  call_t *call = context;
  sli_worker_t *worker = call->worker;
  sli_worker_client_t *client = client_of(call);
  register_request_t request;
  sli_graph_t *graph = sli_graph_create();
  sli_status_t *status = read_register(call, &request);
  if (!status) status = sli_graph_import(graph, request.graph_def, NULL, NULL);
  if (status)
    call_done(call, status);
  else
    client->vtable->register_graph(
        client, &(sli_register_graph_t){.session_handle = request.session_handle, .graph = graph}, register_done, call);
  sli_graph_release(graph);
  sli_worker_end(worker);
}

static void register_graph(call_t *call) {
  sli_status_t *status = sli_worker_begin(call->worker);
  if (status)
    call_done(call, status);
  else
    sli_thread_pool_submit(call->worker->env->pool, register_on_pool, call);
}

// ---- RunGraph and RecvTensor -----------------------------------------------------

static void run_graph_done(void *context, sli_status_t *status, sli_run_graph_result_t *result) {
  call_t *call = context;
  sli_slices_t reply = {0};
  bool in_body = status && call->run.store_errors_in_response_body;
  if (!status || in_body) sli_run_graph_response_encode(call->run.run.recv_keys, result, status, &reply);
  for (size_t i = 0; !status && i < result->recv_count; i++) sli_tensor_release(result->recvs[i]);
  if (in_body) {
    sli_status_release(status);
    status = NULL;
  }
  call_reply(call, status, &reply);
}

static void run_graph(call_t *call) {
  sli_worker_client_t *client = client_of(call);
  sli_status_t *status = sli_run_graph_request_decode(call->bytes, &call->run);
  if (status) {
    call_done(call, status);
    return;
  }
  call_watch(call);
  call->run.run.cancellation = call->cancellation;
  client->vtable->run_graph(client, &call->run.run, run_graph_done, call);
}

static void recv_tensor_done(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  call_t *call = context;
  sli_env_t *env = call->worker->env;
  sli_slices_t reply = {0};
  // A tensor that several peers borrow has one head for all; none of them asks for the time.
  int64_t now = sli_rpc_request_is_near(call->request) ? 0 : env->wall_micros(env);
  if (!status) sli_recv_tensor_response_encode(tensor, is_dead, now, &reply);
  sli_tensor_release(tensor);
  call_reply(call, status, &reply);
}

static void recv_tensor(call_t *call) {
  sli_recv_tensor_request_t request;
  sli_status_t *status = sli_recv_tensor_request_decode(sli_shared_bytes_view(call->bytes), &request);
  if (status) {
    call_done(call, status);
    return;
  }
  call_watch(call);
  sli_worker_recv_tensor(call->worker, request.step_id, request.key, call->cancellation, recv_tensor_done, call);
}

// By hand: there is one for every step.
static void cleanup_graph(call_t *call) {
  int64_t step_id = 0;
  sli_wire_reader_t reader = sli_wire_reader(sli_shared_bytes_view(call->bytes));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == 1 && field.type == SLI_WIRE_VARINT) step_id = (int64_t)field.value;
  if (reader.malformed) {
    call_done(call, sli_wire_error("tensorflow.CleanupGraphRequest"));
    return;
  }
  sli_worker_client_t *client = client_of(call);
  client->vtable->cleanup_graph(client, step_id, call_done, call);
}

// ---- Dispatch --------------------------------------------------------------------

typedef struct {
  const char *name;
  const ProtobufCMessageDescriptor *descriptor;
  void (*handle)(call_t *call, const void *message);
} small_method_t;

static const small_method_t small_methods[] = {
    {"GetStatus", &tensorflow__get_status_request__descriptor, get_status},
    {"CreateWorkerSession", &tensorflow__create_worker_session_request__descriptor, create_worker_session},
    {"DeleteWorkerSession", &tensorflow__delete_worker_session_request__descriptor, delete_worker_session},
    {"DeregisterGraph", &tensorflow__deregister_graph_request__descriptor, deregister_graph},
    {"CleanupAll", &tensorflow__cleanup_all_request__descriptor, cleanup_all},
    {"Logging", &tensorflow__logging_request__descriptor, logging},
    {"Tracing", &tensorflow__tracing_request__descriptor, tracing},
    {"MarkRecvFinished", &tensorflow__mark_recv_finished_request__descriptor, mark_recv_finished},
};

// Methods that read their message themselves.
static const struct {
  const char *name;
  void (*handle)(call_t *call);
} large_methods[] = {{"RunGraph", run_graph},
                     {"RecvTensor", recv_tensor},
                     {"CleanupGraph", cleanup_graph},
                     {"RegisterGraph", register_graph}};

static void handle_small(const small_method_t *method, call_t *call) {
  const sli_rpc_message_t *bytes = sli_rpc_request_message(call->request);
  call->arena.budget = sli_proto_budget(bytes->size);
  void *message;
  sli_status_t *status = sli_proto_parse(method->descriptor, bytes->data, bytes->size, &call->arena, &message);
  if (status)
    call_done(call, status);
  else
    method->handle(call, message);
}

bool sli_worker_service_handle(sli_worker_t *worker, sli_env_t *env, sli_rpc_request_t *request) {
  const char *method = sli_rpc_request_method(request);
  if (!sli_starts_with(method, prefix)) return false;
  method += strlen(prefix);
  for (size_t i = 0; i < SLI_COUNT_OF(large_methods); i++) {
    if (strcmp(method, large_methods[i].name) != 0) continue;
    call_t *call = call_create(worker, request);
    call->bytes = sli_shared_bytes_take(sli_rpc_request_message(request));
    large_methods[i].handle(call);
    return true;
  }
  for (size_t i = 0; i < SLI_COUNT_OF(small_methods); i++) {
    if (strcmp(method, small_methods[i].name) != 0) continue;
    handle_small(&small_methods[i], call_create(worker, request));
    return true;
  }
  sli_rpc_request_respond(
      request, sli_status_make(SLI_UNIMPLEMENTED, "tensorflow.WorkerService has no method %s here", method), NULL);
  return true;
}
