// tensorflow.WorkerService on gRPC: decodes a request, calls the worker's local client, encodes the reply.
#include "dist/client/collective_messages.h"
#include "dist/client/device_attributes.h"
#include "dist/service/service.h"
#include "dist/service/service_call.h"
#include "proto/service.fields.h"
#include "proto/service.pb-c.h"
#include "proto/stats.fields.h"

typedef struct {
  sli_service_call_t base;
  sli_message_run_graph_request_t run;
} run_graph_call_t;

static sli_worker_client_t *client_of(sli_service_call_t *call) { return sli_worker_local_client(call->server); }

// ---- Small messages --------------------------------------------------------------

static void get_status_done(void *context, sli_status_t *status, const sli_device_set_entry_t *devices, size_t count) {
  sli_string_t body = {0};
  for (size_t i = 0; i < count; i++) {
    size_t mark = sli_wire_open(&body, SLI_FIELD_GET_STATUS_RESPONSE_DEVICE_ATTRIBUTES);
    sli_device_attributes_encode(&devices[i], &body);
    sli_wire_close(&body, mark);
  }
  sli_service_call_reply_string(context, status, &body);
}

static void get_status(sli_service_call_t *call, const void *message) {
  sli_worker_client_t *client = client_of(call);
  client->vtable->get_status(client, SLI_CLOCK_NO_DEADLINE, false, NULL, get_status_done, call);
}

static void create_worker_session(sli_service_call_t *call, const void *message) {
  const Tensorflow__CreateWorkerSessionRequest *request = message;
  sli_worker_client_t *client = client_of(call);
  sli_string_t server_def = {0};
  sli_status_t *status = NULL;
  if (request->server_def) status = sli_proto_pack(&request->server_def->base, &server_def);
  if (status) {
    sli_service_call_done(call, status);
    return;
  }
  if (*request->master_task) sli_rpc_request_name_peer(call->request, request->master_task);
  client->vtable->create_session(
      client,
      &(sli_worker_client_create_session_t){.session_handle = request->session_handle,
                                            .isolate = request->isolate_session_state,
                                            .master_task = request->master_task,
                                            .master_incarnation = request->master_incarnation,
                                            .server_def = sli_view_of(server_def.data, server_def.size)},
      sli_service_call_done, call);
  sli_string_deinitialize(&server_def);
}

static void delete_worker_session(sli_service_call_t *call, const void *message) {
  const Tensorflow__DeleteWorkerSessionRequest *request = message;
  sli_worker_client_t *client = client_of(call);
  client->vtable->delete_session(client, request->session_handle, SLI_CLOCK_NO_DEADLINE, sli_service_call_done, call);
}

static void deregister_graph(sli_service_call_t *call, const void *message) {
  const Tensorflow__DeregisterGraphRequest *request = message;
  sli_worker_client_t *client = client_of(call);
  client->vtable->deregister_graph(client, request->create_worker_session_called ? request->session_handle : "",
                                   request->graph_handle, sli_service_call_done, call);
}

static void cleanup_all(sli_service_call_t *call, const void *message) {
  const Tensorflow__CleanupAllRequest *request = message;
  sli_worker_client_t *client = client_of(call);
  client->vtable->cleanup_all(client, (const char *const *)request->container, request->n_container,
                              SLI_CLOCK_NO_DEADLINE, sli_service_call_done, call);
}

// As in TensorFlow, a request without any flag switches logging off: old masters do it that way.
static void logging(sli_service_call_t *call, const void *message) {
  const Tensorflow__LoggingRequest *request = message;
  sli_transfer_log_t *log = sli_worker_transfer_log(call->server);
  if (request->enable_rpc_logging) sli_transfer_log_set(log, true);
  if (request->disable_rpc_logging || (!request->enable_rpc_logging && !request->n_fetch_step_id))
    sli_transfer_log_set(log, false);
  sli_string_t body = {0};
  for (size_t i = 0; i < request->n_fetch_step_id; i++) {
    sli_string_t stats = {0};
    if (sli_transfer_log_take(log, request->fetch_step_id[i], &stats)) {
      size_t mark = sli_wire_open(&body, SLI_FIELD_LOGGING_RESPONSE_STEP);
      sli_wire_write_int(&body, SLI_FIELD_LABELED_STEP_STATS_STEP_ID, request->fetch_step_id[i]);
      sli_wire_write_bytes(&body, SLI_FIELD_LABELED_STEP_STATS_STEP_STATS, stats.data, stats.size);
      sli_wire_close(&body, mark);
    }
    sli_string_deinitialize(&stats);
  }
  if (request->clear) sli_transfer_log_clear(log);
  sli_service_call_reply_string(call, NULL, &body);
}

// TensorFlow's workers do not implement it either.
static void tracing(sli_service_call_t *call, const void *message) {
  sli_service_call_done(call, sli_status_make(SLI_UNIMPLEMENTED, "Tracing"));
}

// Replies are not cached for retries, so there is nothing to mark.
static void mark_recv_finished(sli_service_call_t *call, const void *message) { sli_service_call_done(call, NULL); }

// ---- RegisterGraph ---------------------------------------------------------------

typedef struct {
  const char *session_handle;
  bool session_created;
  sli_view_t graph_def, config;
} register_request_t;

// Read by hand, because the graph is imported from its bytes.
static sli_status_t *read_register(sli_service_call_t *call, register_request_t *out_request) {
  *out_request = (register_request_t){.session_handle = ""};
  sli_wire_reader_t reader = sli_wire_reader(sli_service_call_body(call));
  bool malformed = false;
  for (sli_wire_field_t field; !malformed && sli_wire_next(&reader, &field);) switch (field.number) {
      case SLI_FIELD_REGISTER_GRAPH_REQUEST_SESSION_HANDLE:
        malformed = !(out_request->session_handle = sli_message_text(&call->arena, &field));
        break;
      case SLI_FIELD_REGISTER_GRAPH_REQUEST_GRAPH_DEF:
        malformed = field.type != SLI_WIRE_BYTES || out_request->graph_def.data;
        out_request->graph_def = field.bytes;
        break;
      case SLI_FIELD_REGISTER_GRAPH_REQUEST_CONFIG_PROTO:
        malformed = field.type != SLI_WIRE_BYTES;
        out_request->config = field.bytes;
        break;
      case SLI_FIELD_REGISTER_GRAPH_REQUEST_CREATE_WORKER_SESSION_CALLED:
        out_request->session_created = field.value != 0;
        break;
    }
  if (malformed || reader.malformed) return sli_wire_error("tensorflow.RegisterGraphRequest");
  if (!out_request->session_created) out_request->session_handle = "";
  return NULL;
}

static void register_done(void *context, sli_status_t *status, const char *graph_handle) {
  sli_string_t body = {0};
  if (!status) sli_wire_write_text(&body, SLI_FIELD_REGISTER_GRAPH_RESPONSE_GRAPH_HANDLE, graph_handle);
  sli_service_call_reply_string(context, status, &body);
}

// The worker imports and compiles on the pool, because that takes long.
static void register_graph(sli_service_call_t *call, const void *message) {
  register_request_t request;
  sli_status_t *status = read_register(call, &request);
  if (status)
    sli_service_call_done(call, status);
  else
    sli_worker_register_graph_def(call->server, request.session_handle, request.graph_def, request.config,
                                  register_done, call);
}

// ---- RunGraph and RecvTensor -----------------------------------------------------

static void run_graph_deinitialize(sli_service_call_t *call) {
  sli_message_run_graph_request_deinitialize(&((run_graph_call_t *)call)->run);
}

static void run_graph_done(void *context, sli_status_t *status, sli_worker_client_run_graph_result_t *result) {
  run_graph_call_t *call = context;
  sli_slices_t reply = {0};
  bool in_body = status && call->run.store_errors_in_response_body;
  if (!status || in_body) sli_message_run_graph_response_encode(call->run.run.recv_keys, result, status, &reply);
  for (size_t i = 0; !status && i < result->recv_count; i++) sli_tensor_release(result->recvs[i]);
  if (in_body) {
    sli_status_release(status);
    status = NULL;
  }
  sli_service_call_reply(&call->base, status, &reply);
}

static void run_graph_now(sli_service_call_t *base) {
  run_graph_call_t *call = (run_graph_call_t *)base;
  sli_worker_client_t *client = client_of(base);
  sli_service_call_body(base);
  base->deinitialize = run_graph_deinitialize;
  sli_status_t *status = sli_message_run_graph_request_decode(base->bytes, &call->run);
  if (status) {
    sli_service_call_done(base, status);
    return;
  }
  sli_service_call_watch(base);
  call->run.run.cancellation = base->cancellation;
  client->vtable->run_graph(client, &call->run.run, run_graph_done, call);
}

static void run_graph(sli_service_call_t *call, const void *message) { sli_service_call_run(call, run_graph_now); }

static void recv_tensor_done(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  sli_service_call_t *call = context;
  sli_env_t *env = call->env;
  sli_slices_t reply = {0};
  // A tensor that several peers on this host borrow is encoded once for all, and they do not need the time.
  int64_t now = sli_rpc_request_can_borrow(call->request) ? 0 : sli_env_wall_micros(env);
  if (!status) sli_message_recv_tensor_response_encode(tensor, is_dead, now, &reply);
  sli_tensor_release(tensor);
  sli_service_call_reply(call, status, &reply);
}

static void recv_tensor(sli_service_call_t *call, const void *message) {
  sli_message_recv_tensor_request_t request;
  sli_status_t *status = sli_message_recv_tensor_request_decode(sli_service_call_body(call), &request);
  if (status) {
    sli_service_call_done(call, status);
    return;
  }
  sli_service_call_watch(call);
  sli_worker_client_t *client = client_of(call);
  client->vtable->recv_tensor(client, request.step_id, request.key, call->deadline, call->cancellation,
                              recv_tensor_done, call);
}

// Read by hand, because there is one for every step.
static void cleanup_graph(sli_service_call_t *call, const void *message) {
  int64_t step_id = 0;
  sli_wire_reader_t reader = sli_wire_reader(sli_service_call_body(call));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_CLEANUP_GRAPH_REQUEST_STEP_ID && field.type == SLI_WIRE_VARINT)
      step_id = (int64_t)field.value;
  if (reader.malformed) {
    sli_service_call_done(call, sli_wire_error("tensorflow.CleanupGraphRequest"));
    return;
  }
  sli_worker_client_t *client = client_of(call);
  client->vtable->cleanup_graph(client, step_id, sli_service_call_done, call);
}

// ---- Collective groups -----------------------------------------------------------

static void complete_group_done(void *context, sli_status_t *status, sli_collective_group_t *group) {
  sli_string_t body = {0};
  if (!status) sli_message_complete_group_response_encode(group, &body);
  sli_collective_group_release(group);
  sli_service_call_reply_string(context, status, &body);
}

static void complete_group(sli_service_call_t *call, const void *message) {
  const Tensorflow__CompleteGroupRequest *request = message;
  const Tensorflow__DeviceAttributes *device = request->device_attributes;
  sli_device_name_t name;
  if (!device || !sli_device_name_parse(sli_view(device->name), &name) || !name.has_type || request->group_size < 1) {
    sli_service_call_done(
        call, device ? sli_status_make(SLI_INVALID_ARGUMENT, "CompleteGroup of group %d: size %d, device \"%s\"",
                                       request->group_key, request->group_size, device->name)
                     : sli_status_make(SLI_INTERNAL,
                                       "CompleteGroupRequest device_attributes is not set. Make sure you're running "
                                       "the same version of Tensorflow on all workers."));
    return;
  }
  const char *failed = sli_service_call_text(
      call, sli_view_of((const char *)request->failed_communicator_key.data, request->failed_communicator_key.len));
  sli_service_call_watch(call);
  sli_worker_client_t *client = client_of(call);
  client->vtable->complete_group(
      client,
      &(sli_collective_group_request_t){
          .key = request->group_key,
          .size = request->group_size,
          .device_type = request->device_type,
          .kind = (sli_collective_kind_t)request->collective_type,
          .member = {.device = device->name,
                     .incarnation = device->incarnation,
                     .is_sluice = !strcmp(device->physical_device_desc, SLI_MESSAGE_SLUICE_DEVICE),
                     .rank = -1},
          .failed = failed,
          .least = request->least_size > 0 ? request->least_size : 0,
          .takes_over = request->takes_over},
      call->cancellation, complete_group_done, call);
}

typedef struct {
  sli_service_call_t *call;
  int32_t instance_key;
} instance_call_t;

static void complete_instance_done(void *context, sli_status_t *status, int source_rank) {
  instance_call_t *instance = context;
  sli_string_t body = {0};
  if (!status) sli_message_complete_instance_response_encode(instance->instance_key, source_rank, &body);
  sli_service_call_reply_string(instance->call, status, &body);
}

static void complete_instance(sli_service_call_t *call, const void *message) {
  const Tensorflow__CompleteInstanceRequest *request = message;
  size_t rank = request->shape ? request->shape->n_dim : 0;
  if (rank > SLI_MAX_RANK || request->n_subdiv_offset > INT16_MAX) {
    sli_service_call_done(call, sli_wire_error("tensorflow.CompleteInstanceRequest"));
    return;
  }
  int64_t *dims = sli_arena_calloc(&call->arena, rank + 1, sizeof(*dims));
  for (size_t i = 0; i < rank; i++) dims[i] = request->shape->dim[i]->size;
  instance_call_t *instance = sli_arena_calloc(&call->arena, 1, sizeof(*instance));
  *instance = (instance_call_t){call, request->instance_key};
  sli_service_call_watch(call);
  sli_worker_client_t *client = client_of(call);
  client->vtable->complete_instance(client,
                                    &(sli_collective_instance_request_t){.name = request->name,
                                                                         .kind = (sli_collective_kind_t)request->type,
                                                                         .dtype = (sli_dtype_t)request->data_type,
                                                                         .shape = {(int)rank, dims},
                                                                         .group_key = request->group_key,
                                                                         .group_size = request->group_size,
                                                                         .instance_key = request->instance_key,
                                                                         .device_type = request->device_type,
                                                                         .device = request->device,
                                                                         .rings = request->subdiv_offset,
                                                                         .ring_count = (int)request->n_subdiv_offset,
                                                                         .is_source = request->is_source,
                                                                         .step_id = request->step_id},
                                    call->cancellation, complete_instance_done, instance);
}

typedef struct {
  sli_service_call_t *call;
  int64_t graph_key;
} sequence_call_t;

static void step_sequence_done(void *context, sli_status_t *status, int64_t next_step_id) {
  sequence_call_t *sequence = context;
  sli_string_t body = {0};
  size_t mark = sli_wire_open(&body, SLI_FIELD_GET_STEP_SEQUENCE_RESPONSE_STEP_SEQUENCE);
  sli_wire_write_int(&body, SLI_FIELD_STEP_SEQUENCE_GRAPH_KEY, sequence->graph_key);
  sli_wire_write_int(&body, SLI_FIELD_STEP_SEQUENCE_NEXT_STEP_ID, next_step_id);
  sli_wire_close(&body, mark);
  if (status) sli_string_clear(&body);
  sli_service_call_reply_string(sequence->call, status, &body);
}

// Every caller asks for one key.
static void get_step_sequence(sli_service_call_t *call, const void *message) {
  const Tensorflow__GetStepSequenceRequest *request = message;
  if (request->n_graph_key != 1) {
    sli_service_call_done(call, sli_status_make(SLI_INVALID_ARGUMENT, "GetStepSequence needs one graph_key, got %zu",
                                                request->n_graph_key));
    return;
  }
  sequence_call_t *sequence = sli_arena_calloc(&call->arena, 1, sizeof(*sequence));
  *sequence = (sequence_call_t){call, request->graph_key[0]};
  sli_worker_client_t *client = client_of(call);
  client->vtable->get_step_sequence(client, request->graph_key[0], call->deadline, NULL, step_sequence_done, sequence);
}

static void recv_buf_done(void *context, sli_status_t *status, sli_tensor_t *buffer) {
  sli_service_call_t *call = context;
  sli_slices_t reply = {0};
  if (!status) sli_message_recv_buf_response_encode(buffer, sli_env_wall_micros(call->env), &reply);
  sli_tensor_release(buffer);
  sli_service_call_reply(call, status, &reply);
}

static void recv_buf(sli_service_call_t *call, const void *message) {
  sli_message_recv_buf_request_t request;
  sli_status_t *status = sli_message_recv_buf_request_decode(sli_service_call_body(call), &request);
  if (status) {
    sli_service_call_done(call, status);
    return;
  }
  sli_service_call_watch(call);
  sli_worker_client_t *client = client_of(call);
  client->vtable->recv_buf(
      client,
      &(sli_collective_buffer_request_t){.step_id = request.step_id,
                                         .key = request.key,
                                         .size = request.size,
                                         .source_device = sli_service_call_text(call, request.source_device),
                                         .destination_device = "",
                                         .incarnation = request.incarnation},
      call->cancellation, recv_buf_done, call);
}

// ---- Dispatch --------------------------------------------------------------------

static const sli_service_call_method_t methods[] = {
    // Methods without a descriptor read their message by hand: it is frequent or large.
    {"RunGraph", NULL, run_graph},
    {"RecvTensor", NULL, recv_tensor},
    {"CleanupGraph", NULL, cleanup_graph},
    {"RegisterGraph", NULL, register_graph},
    {"RecvBuf", NULL, recv_buf},
    {"CompleteGroup", &tensorflow__complete_group_request__descriptor, complete_group},
    {"CompleteInstance", &tensorflow__complete_instance_request__descriptor, complete_instance},
    {"GetStepSequence", &tensorflow__get_step_sequence_request__descriptor, get_step_sequence},
    {"GetStatus", &tensorflow__get_status_request__descriptor, get_status},
    {"CreateWorkerSession", &tensorflow__create_worker_session_request__descriptor, create_worker_session},
    {"DeleteWorkerSession", &tensorflow__delete_worker_session_request__descriptor, delete_worker_session},
    {"DeregisterGraph", &tensorflow__deregister_graph_request__descriptor, deregister_graph},
    {"CleanupAll", &tensorflow__cleanup_all_request__descriptor, cleanup_all},
    {"Logging", &tensorflow__logging_request__descriptor, logging},
    {"Tracing", &tensorflow__tracing_request__descriptor, tracing},
    {"MarkRecvFinished", &tensorflow__mark_recv_finished_request__descriptor, mark_recv_finished},
};

static const sli_service_call_method_t *find_method(const char *name) {
  return sli_service_call_find_method(name, "/tensorflow.WorkerService/", methods, SLI_ARRAY_COUNT_OF(methods));
}

bool sli_worker_service_has(const char *method) { return find_method(method) != NULL; }

bool sli_worker_service_handle(sli_worker_t *worker, sli_env_t *env, sli_rpc_request_t *request) {
  const sli_service_call_method_t *method = find_method(sli_rpc_request_method(request));
  if (!method) return false;
  size_t size = method->handle == run_graph ? sizeof(run_graph_call_t) : sizeof(sli_service_call_t);
  sli_service_call_t *call = sli_service_call_create(size, env, worker, request);
  call->marks_derived = true;
  call->may_move = true;
  sli_service_call_handle(call, method);
  return true;
}
