// The client of a remote worker: encodes each call by hand, sends it, and decodes the reply on the thread that read it.
// Tensors are sent from their own memory, and received ones stay where they were read.
#include "dist/client/remote_worker.h"

#include <stdlib.h>

#include "base/log.h"
#include "dist/client/cancel_link.h"
#include "dist/client/collective_messages.h"
#include "dist/client/device_attributes.h"
#include "dist/client/messages.h"
#include "graph/import.h"
#include "proto/control.fields.h"
#include "proto/service.fields.h"
#include "rpc/channel.h"

// How long, in nanoseconds, a CleanupGraph may wait to be sent with a RunGraph, and how many may wait.
#define CLEANUP_DELAY INT64_C(10000000)
enum { MAX_CLEANUPS = 64 };

typedef struct {
  int64_t step_id;
  sli_worker_client_done_t done;
  void *context;
} cleanup_t;

typedef struct {
  sli_worker_client_t client;
  sli_env_t *env;
  sli_rpc_channel_t *channel;
  char *task_name;
  _Atomic uint64_t compared;  // the incarnation with which lists of tasks were compared last
  sli_mutex_t mutex;
  // Under mutex.
  int cleanup_count;
  cleanup_t cleanups[MAX_CLEANUPS];  // not sent yet
  sli_timer_t *cleanup_timer;        // NULL: it fired and nothing waits
} remote_worker_t;

typedef struct worker_call worker_call_t;
// Passes the result of a call to its caller. Consumes |status|; |reply| is set on success.
typedef void (*finish_fn_t)(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply);

struct worker_call {
  sli_refcount_t references;  // of the call, and of the link
  atomic_int unfinished;      // call_start and the reply: the second of them closes the link
  remote_worker_t *remote;
  sli_rpc_call_t *rpc;
  sli_cancellation_t *cancellation;  // NULL: none
  sli_cancel_link_t link;
  finish_fn_t finish;
  union {
    sli_worker_client_done_t done;
    sli_worker_client_get_status_done_t get_status;
    sli_worker_client_register_done_t registered;
    sli_worker_client_run_graph_done_t run_graph;
    sli_rendezvous_recv_fn_t recv;
    sli_collective_group_done_t group;
    sli_collective_instance_done_t instance;
    sli_worker_client_step_sequence_done_t step_sequence;
    sli_collective_buffer_done_t buffer;
  } to;
  void *context;
  sli_arena_t arena;  // of the keys that the reply must match
  const char **recv_keys;
  size_t recv_count;
  uint64_t incarnation;  // with which lists of tasks are compared
  int64_t size;          // of the buffer that is received
};

typedef struct {
  const char *method;
  int64_t deadline;
  bool wait_for_ready;
  sli_cancellation_t *cancellation;  // may be NULL
  sli_message_path_t path;           // to the reply's tensor; NULL: it has none
} worker_call_options_t;

static void call_release(worker_call_t *call) {
  if (!sli_refcount_release(&call->references)) return;
  sli_rpc_call_release(call->rpc);
  sli_cancellation_release(call->cancellation);
  sli_arena_deinitialize(&call->arena);
  free(call);
}

static void close_when_both_done(worker_call_t *call) {
  if (atomic_fetch_sub(&call->unfinished, 1) != 1) return;
  if (call->link.cancellation && sli_cancel_link_end(&call->link)) call_release(call);
  call_release(call);
}

// Adds the task's name to an error that says it cannot be reached. An error that the peer sent stays as it is.
static sli_status_t *name_task(const remote_worker_t *remote, sli_status_t *status) {
  if (sli_status_code(status) != SLI_UNAVAILABLE || strstr(sli_status_message(status), "/job:")) return status;
  return sli_status_prefix(status, "%s (%s) is unavailable: ", remote->task_name,
                           sli_rpc_channel_target(remote->channel));
}

static void on_reply(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  worker_call_t *call = context;
  status = sli_message_decode_status(name_task(call->remote, status));
  sli_message_bytes_t *bytes = status ? NULL : sli_message_bytes_take(reply);
  call->finish(call, status, bytes);
  sli_message_bytes_release(bytes);
  close_when_both_done(call);
}

static char *place_reply(void *context, const char *head, size_t head_size, size_t message_size,
                         sli_rpc_message_t *out_message) {
  return sli_message_place(context, head, head_size, message_size, out_message);
}

static void call_cancelled(void *context) {
  worker_call_t *call = context;
  sli_rpc_call_cancel(call->rpc);
  call_release(call);
}

static worker_call_t *call_create(sli_worker_client_t *self, finish_fn_t finish, void *context) {
  worker_call_t *call = sli_calloc(1, sizeof(*call));
  sli_refcount_initialize(&call->references);
  atomic_init(&call->unfinished, 2);
  call->remote = (remote_worker_t *)self;
  call->finish = finish;
  call->context = context;
  return call;
}

// Sends |request|. The call is freed after its reply.
static void call_start(worker_call_t *call, const worker_call_options_t *options, sli_slices_t *request) {
  static const sli_rpc_header_t metadata[] = {{"sluice-peer", "1"}};
  sli_rpc_call_options_t rpc = {.method = options->method,
                                .deadline = options->deadline,
                                .wait_for_ready = options->wait_for_ready,
                                .metadata = metadata,
                                .metadata_count = SLI_ARRAY_COUNT_OF(metadata),
                                .place = options->path ? place_reply : NULL,
                                .place_context = (void *)options->path};
  sli_cancellation_t *cancellation =
      sli_cancellation_retain(options->cancellation);  // the reply's callback may release the caller's reference
  call->cancellation = sli_cancellation_retain(cancellation);
  call->rpc = sli_rpc_call_start(call->remote->channel, &rpc, request, on_reply, call);
  if (cancellation) {
    sli_refcount_retain(&call->references);
    if (!sli_cancel_link_begin(&call->link, cancellation, call_cancelled, call)) call_cancelled(call);
    sli_cancellation_release(cancellation);
  }
  close_when_both_done(call);
}

static void call_start_text(worker_call_t *call, const worker_call_options_t *options, sli_string_t *body) {
  sli_slices_t request = {0};
  if (body->size) sli_slices_append_string(&request, body);
  call_start(call, options, &request);
}

// ---- Calls without tensors -------------------------------------------------------

static void finish_done(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  call->to.done(call->context, status);
}

static void finish_get_status(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  sli_device_set_t set = {0};
  if (!status) status = sli_device_attributes_decode_all(sli_message_bytes_view(reply), &set);
  call->to.get_status(call->context, status, set.devices.items, status ? 0 : set.devices.count);
  sli_device_set_deinitialize(&set);
}

static void remote_get_status(sli_worker_client_t *self, int64_t deadline, bool wait_for_ready,
                              sli_cancellation_t *cancellation, sli_worker_client_get_status_done_t done,
                              void *context) {
  worker_call_t *call = call_create(self, finish_get_status, context);
  call->to.get_status = done;
  sli_string_t body = {0};
  call_start_text(call,
                  &(worker_call_options_t){.method = "/tensorflow.WorkerService/GetStatus",
                                           .deadline = deadline,
                                           .wait_for_ready = wait_for_ready,
                                           .cancellation = cancellation},
                  &body);
}

// A task that does not know the method, or answers late, is not compared.
static void finish_compare(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  sli_view_t conflict = {0}, difference = {0};
  sli_wire_reader_t reader = sli_wire_reader(status ? sli_view("") : sli_message_bytes_view(reply));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_HELLO_RESPONSE_CONFLICT) conflict = field.bytes;
    if (field.number == SLI_FIELD_HELLO_RESPONSE_DIFFERENCE) difference = field.bytes;
  }
  sli_code_t code = sli_status_code(status);
  sli_status_release(status);
  if (difference.size) SLI_WARNING("%.*s", SLI_VIEW_ARG(difference));
  if (!conflict.size && (code == SLI_OK || code == SLI_UNIMPLEMENTED))
    atomic_store(&call->remote->compared, call->incarnation);
  call->to.done(call->context,
                conflict.size ? sli_status_make(SLI_INVALID_ARGUMENT, "%.*s", SLI_VIEW_ARG(conflict)) : NULL);
}

static void remote_compare_clusters(sli_worker_client_t *self, const sli_worker_client_compare_t *request,
                                    sli_worker_client_done_t done, void *context) {
  if (atomic_load(&((remote_worker_t *)self)->compared) == request->incarnation) {
    done(context, NULL);
    return;
  }
  worker_call_t *call = call_create(self, finish_compare, context);
  call->to.done = done;
  call->incarnation = request->incarnation;
  sli_string_t body = {0};
  sli_wire_write_text(&body, SLI_FIELD_HELLO_REQUEST_TASK, sli_cluster_self(request->cluster)->task_name);
  for (size_t i = 0; i < request->cluster->tasks.count; i++) {
    const sli_cluster_task_t *task = &request->cluster->tasks.items[i];
    size_t mark = sli_wire_open(&body, SLI_FIELD_HELLO_REQUEST_CLUSTER);
    sli_wire_write_text(&body, SLI_FIELD_TASK_ADDRESS_JOB, task->job);
    sli_wire_write_int(&body, SLI_FIELD_TASK_ADDRESS_INDEX, task->index);
    sli_wire_write_text(&body, SLI_FIELD_TASK_ADDRESS_ADDRESS, task->address);
    sli_wire_close(&body, mark);
  }
  sli_wire_write_fixed64(&body, SLI_FIELD_HELLO_REQUEST_INCARNATION, request->own_incarnation);
  call_start_text(
      call,
      &(worker_call_options_t){
          .method = "/sluice.Control/Hello", .deadline = request->deadline, .cancellation = request->cancellation},
      &body);
}

static void remote_create_session(sli_worker_client_t *self, const sli_worker_client_create_session_t *request,
                                  sli_worker_client_done_t done, void *context) {
  worker_call_t *call = call_create(self, finish_done, context);
  call->to.done = done;
  sli_string_t body = {0};
  sli_wire_write_text(&body, SLI_FIELD_CREATE_WORKER_SESSION_REQUEST_SESSION_HANDLE, request->session_handle);
  sli_wire_write_bytes(&body, SLI_FIELD_CREATE_WORKER_SESSION_REQUEST_SERVER_DEF, request->server_def.data,
                       request->server_def.size);
  if (request->isolate) sli_wire_write_uint(&body, SLI_FIELD_CREATE_WORKER_SESSION_REQUEST_ISOLATE_SESSION_STATE, 1);
  if (request->master_task) {
    sli_wire_write_text(&body, SLI_FIELD_CREATE_WORKER_SESSION_REQUEST_MASTER_TASK, request->master_task);
    sli_wire_write_int(&body, SLI_FIELD_CREATE_WORKER_SESSION_REQUEST_MASTER_INCARNATION, request->master_incarnation);
  }
  call_start_text(call,
                  &(worker_call_options_t){.method = "/tensorflow.WorkerService/CreateWorkerSession",
                                           .deadline = request->deadline,
                                           .cancellation = request->cancellation},
                  &body);
}

static void remote_delete_session(sli_worker_client_t *self, const char *session_handle, int64_t deadline,
                                  sli_worker_client_done_t done, void *context) {
  worker_call_t *call = call_create(self, finish_done, context);
  call->to.done = done;
  sli_string_t body = {0};
  sli_wire_write_text(&body, SLI_FIELD_DELETE_WORKER_SESSION_REQUEST_SESSION_HANDLE, session_handle);
  call_start_text(
      call, &(worker_call_options_t){.method = "/tensorflow.WorkerService/DeleteWorkerSession", .deadline = deadline},
      &body);
}

static void finish_register(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  const char *handle = NULL;
  if (!status) {
    sli_wire_reader_t reader = sli_wire_reader(sli_message_bytes_view(reply));
    for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
      if (field.number == SLI_FIELD_REGISTER_GRAPH_RESPONSE_GRAPH_HANDLE)
        handle = sli_message_text(&call->arena, &field);
    if (reader.malformed || !handle) status = sli_wire_error("tensorflow.RegisterGraphResponse");
  }
  call->to.registered(call->context, status, status ? NULL : handle);
}

static void remote_register_graph(sli_worker_client_t *self, const sli_worker_client_register_graph_t *request,
                                  sli_worker_client_register_done_t done, void *context) {
  worker_call_t *call = call_create(self, finish_register, context);
  call->to.registered = done;
  bool has_session = request->session_handle && *request->session_handle;
  sli_string_t body = {0};
  if (has_session) sli_wire_write_text(&body, SLI_FIELD_REGISTER_GRAPH_REQUEST_SESSION_HANDLE, request->session_handle);
  size_t mark = sli_wire_open(&body, SLI_FIELD_REGISTER_GRAPH_REQUEST_GRAPH_DEF);
  sli_graph_export_stripped(request->graph, &body);
  sli_wire_close(&body, mark);
  sli_wire_write_bytes(&body, SLI_FIELD_REGISTER_GRAPH_REQUEST_GRAPH_OPTIONS, request->graph_options.data,
                       request->graph_options.size);
  sli_wire_write_length(&body, SLI_FIELD_REGISTER_GRAPH_REQUEST_DEBUG_OPTIONS, 0);
  if (has_session) sli_wire_write_uint(&body, SLI_FIELD_REGISTER_GRAPH_REQUEST_CREATE_WORKER_SESSION_CALLED, 1);
  if (request->collective_graph_key)
    sli_wire_write_int(&body, SLI_FIELD_REGISTER_GRAPH_REQUEST_COLLECTIVE_GRAPH_KEY, request->collective_graph_key);
  sli_wire_write_bytes(&body, SLI_FIELD_REGISTER_GRAPH_REQUEST_CONFIG_PROTO, request->config.data,
                       request->config.size);
  call_start_text(
      call,
      &(worker_call_options_t){.method = "/tensorflow.WorkerService/RegisterGraph", .deadline = request->deadline},
      &body);
}

static void remote_deregister_graph(sli_worker_client_t *self, const char *session_handle, const char *graph_handle,
                                    sli_worker_client_done_t done, void *context) {
  worker_call_t *call = call_create(self, finish_done, context);
  call->to.done = done;
  sli_string_t body = {0};
  sli_wire_write_text(&body, SLI_FIELD_DEREGISTER_GRAPH_REQUEST_GRAPH_HANDLE, graph_handle);
  if (session_handle && *session_handle) {
    sli_wire_write_text(&body, SLI_FIELD_DEREGISTER_GRAPH_REQUEST_SESSION_HANDLE, session_handle);
    sli_wire_write_uint(&body, SLI_FIELD_DEREGISTER_GRAPH_REQUEST_CREATE_WORKER_SESSION_CALLED, 1);
  }
  call_start_text(call, &(worker_call_options_t){.method = "/tensorflow.WorkerService/DeregisterGraph"}, &body);
}

// CleanupGraph is not urgent: it is sent together with the next step's RunGraph, so that it does not wake the task once
// more.

static int take_cleanups_locked(remote_worker_t *remote, cleanup_t *out_cleanups) {
  int count = remote->cleanup_count;
  memcpy(out_cleanups, remote->cleanups, (size_t)count * sizeof(*out_cleanups));
  remote->cleanup_count = 0;
  return count;
}

static void start_cleanups(remote_worker_t *remote, const cleanup_t *cleanups, int count) {
  for (int i = 0; i < count; i++) {
    worker_call_t *call = call_create(&remote->client, finish_done, cleanups[i].context);
    call->to.done = cleanups[i].done;
    sli_string_t body = {0};
    sli_wire_write_int(&body, SLI_FIELD_CLEANUP_GRAPH_REQUEST_STEP_ID, cleanups[i].step_id);
    call_start_text(call, &(worker_call_options_t){.method = "/tensorflow.WorkerService/CleanupGraph"}, &body);
  }
}

static void send_cleanups(remote_worker_t *remote) {
  cleanup_t cleanups[MAX_CLEANUPS];
  sli_mutex_lock(&remote->mutex);
  int count = take_cleanups_locked(remote, cleanups);
  sli_mutex_unlock(&remote->mutex);
  start_cleanups(remote, cleanups, count);
}

static void cleanups_due(void *context) {
  remote_worker_t *remote = context;
  sli_mutex_lock(&remote->mutex);
  sli_timer_t *timer = remote->cleanup_timer;
  remote->cleanup_timer = NULL;
  sli_mutex_unlock(&remote->mutex);
  if (timer) remote->env->cancel_timer(remote->env, timer);
  send_cleanups(remote);
}

static void remote_cleanup_graph(sli_worker_client_t *self, int64_t step_id, sli_worker_client_done_t done,
                                 void *context) {
  remote_worker_t *remote = (remote_worker_t *)self;
  sli_env_t *env = remote->env;
  cleanup_t full[MAX_CLEANUPS];
  int full_count = 0;
  sli_mutex_lock(&remote->mutex);
  if (remote->cleanup_count == MAX_CLEANUPS) full_count = take_cleanups_locked(remote, full);
  remote->cleanups[remote->cleanup_count++] = (cleanup_t){step_id, done, context};
  if (!remote->cleanup_timer)
    remote->cleanup_timer = env->add_timer(env, env->now(env) + CLEANUP_DELAY, cleanups_due, remote);
  sli_mutex_unlock(&remote->mutex);
  start_cleanups(remote, full, full_count);
}

static void remote_cleanup_all(sli_worker_client_t *self, const char *const *containers, size_t count, int64_t deadline,
                               sli_worker_client_done_t done, void *context) {
  worker_call_t *call = call_create(self, finish_done, context);
  call->to.done = done;
  sli_string_t body = {0};
  for (size_t i = 0; i < count; i++) sli_wire_write_text(&body, SLI_FIELD_CLEANUP_ALL_REQUEST_CONTAINER, containers[i]);
  call_start_text(
      call, &(worker_call_options_t){.method = "/tensorflow.WorkerService/CleanupAll", .deadline = deadline}, &body);
}

// ---- RunGraph and RecvTensor -----------------------------------------------------

static void finish_run_graph(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  sli_worker_client_run_graph_result_t result = {0};
  sli_string_t scratch = {0};
  sli_tensor_t **recvs = sli_arena_calloc(&call->arena, call->recv_count + 1, sizeof(*recvs));
  if (!status)
    status = sli_message_run_graph_response_decode(reply, call->recv_keys, call->recv_count, recvs, &scratch, &result);
  call->to.run_graph(call->context, status, &result);
  sli_string_deinitialize(&scratch);
}

static int64_t request_id(const remote_worker_t *remote) {
  uint64_t id = remote->env->random(remote->env);
  return (int64_t)(id ? id : 1);  // 0 would mean that the request has no id
}

static void remote_run_graph(sli_worker_client_t *self, const sli_worker_client_run_graph_t *request,
                             sli_worker_client_run_graph_done_t done, void *context) {
  worker_call_t *call = call_create(self, finish_run_graph, context);
  call->to.run_graph = done;
  call->recv_count = request->recv_count;
  call->recv_keys = sli_arena_allocate(&call->arena, (request->recv_count + 1) * sizeof(*call->recv_keys));
  for (size_t i = 0; i < request->recv_count; i++)
    call->recv_keys[i] = sli_arena_strndup(&call->arena, request->recv_keys[i], strlen(request->recv_keys[i]));
  sli_slices_t body = {0};
  sli_message_run_graph_request_encode(request, request_id(call->remote), &body);
  sli_env_t *env = call->remote->env;
  env->cork(env);
  send_cleanups(call->remote);
  call_start(call,
             &(worker_call_options_t){.method = "/tensorflow.WorkerService/RunGraph",
                                      .deadline = request->deadline,
                                      .cancellation = request->cancellation,
                                      .path = sli_message_path_run_graph_response},
             &body);
  env->uncork(env);
}

static void finish_recv(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  sli_tensor_t *tensor = NULL;
  bool is_dead = false;
  // A step that is aborted because a task was lost must fail with that, also if this call is the first to end.
  sli_status_t *reason = sli_status_code(status) == SLI_CANCELLED && call->cancellation
                             ? sli_cancellation_status(call->cancellation)
                             : NULL;
  if (reason) {
    sli_status_release(status);
    status = sli_status_mark_derived(reason);
  }
  if (!status) status = sli_message_recv_tensor_response_decode(reply, &tensor, &is_dead);
  call->to.recv(call->context, status, tensor, is_dead);
}

static void remote_recv_tensor(sli_worker_client_t *self, int64_t step_id, sli_view_t key, int64_t deadline,
                               sli_cancellation_t *cancellation, sli_rendezvous_recv_fn_t done, void *context) {
  worker_call_t *call = call_create(self, finish_recv, context);
  call->to.recv = done;
  sli_slices_t body = {0};
  sli_message_recv_tensor_request_encode(step_id, key, request_id(call->remote), &body);
  call_start(call,
             &(worker_call_options_t){.method = "/tensorflow.WorkerService/RecvTensor",
                                      .deadline = deadline,
                                      .cancellation = cancellation,
                                      .path = sli_message_path_recv_tensor_response},
             &body);
}

// ---- Collective groups -----------------------------------------------------------

static void finish_group(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  sli_collective_group_t *group = NULL;
  if (!status) status = sli_message_complete_group_response_decode(sli_message_bytes_view(reply), &group);
  call->to.group(call->context, status, group);
}

static void remote_complete_group(sli_worker_client_t *self, const sli_collective_group_request_t *request,
                                  sli_cancellation_t *cancellation, sli_collective_group_done_t done, void *context) {
  worker_call_t *call = call_create(self, finish_group, context);
  call->to.group = done;
  sli_string_t body = {0};
  sli_message_complete_group_request_encode(request, &body);
  call_start_text(call,
                  &(worker_call_options_t){.method = "/tensorflow.WorkerService/CompleteGroup",
                                           .deadline = SLI_CLOCK_NO_DEADLINE,
                                           .cancellation = cancellation},
                  &body);
}

static void finish_instance(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  int source_rank = -1;
  if (!status) status = sli_message_complete_instance_response_decode(sli_message_bytes_view(reply), &source_rank);
  call->to.instance(call->context, status, source_rank);
}

static void remote_complete_instance(sli_worker_client_t *self, const sli_collective_instance_request_t *request,
                                     sli_cancellation_t *cancellation, sli_collective_instance_done_t done,
                                     void *context) {
  worker_call_t *call = call_create(self, finish_instance, context);
  call->to.instance = done;
  sli_string_t body = {0};
  sli_message_complete_instance_request_encode(request, &body);
  call_start_text(call,
                  &(worker_call_options_t){.method = "/tensorflow.WorkerService/CompleteInstance",
                                           .deadline = SLI_CLOCK_NO_DEADLINE,
                                           .cancellation = cancellation},
                  &body);
}

static void finish_step_sequence(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  sli_view_t sequence = {0};
  int64_t next = 0;
  if (!status) {
    sli_wire_reader_t reader = sli_wire_reader(sli_message_bytes_view(reply));
    for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
      if (field.number == SLI_FIELD_GET_STEP_SEQUENCE_RESPONSE_STEP_SEQUENCE && field.type == SLI_WIRE_BYTES)
        sequence = field.bytes;
    sli_wire_reader_t inner = sli_wire_reader(sequence);
    for (sli_wire_field_t field; sli_wire_next(&inner, &field);)
      if (field.number == SLI_FIELD_STEP_SEQUENCE_NEXT_STEP_ID) next = (int64_t)field.value;
    if (reader.malformed || inner.malformed || !sequence.size)
      status = sli_wire_error("tensorflow.GetStepSequenceResponse");
  }
  call->to.step_sequence(call->context, status, next);
}

static void remote_get_step_sequence(sli_worker_client_t *self, int64_t graph_key, int64_t deadline,
                                     sli_cancellation_t *cancellation, sli_worker_client_step_sequence_done_t done,
                                     void *context) {
  worker_call_t *call = call_create(self, finish_step_sequence, context);
  call->to.step_sequence = done;
  sli_string_t body = {0};
  sli_wire_write_packed_int64(&body, SLI_FIELD_GET_STEP_SEQUENCE_REQUEST_GRAPH_KEY, &graph_key, 1);
  call_start_text(
      call,
      &(worker_call_options_t){
          .method = "/tensorflow.WorkerService/GetStepSequence", .deadline = deadline, .cancellation = cancellation},
      &body);
}

static void finish_buffer(worker_call_t *call, sli_status_t *status, sli_message_bytes_t *reply) {
  sli_tensor_t *buffer = NULL;
  if (!status) status = sli_message_recv_buf_response_decode(reply, call->size, &buffer);
  call->to.buffer(call->context, status, buffer);
}

static void remote_recv_buf(sli_worker_client_t *self, const sli_collective_buffer_request_t *request,
                            sli_cancellation_t *cancellation, sli_collective_buffer_done_t done, void *context) {
  worker_call_t *call = call_create(self, finish_buffer, context);
  call->to.buffer = done;
  call->size = request->size;
  sli_string_t body = {0};
  sli_message_recv_buf_request_encode(request, request_id(call->remote), &body);
  sli_slices_t slices = {0};
  sli_slices_append_string(&slices, &body);
  call_start(call,
             &(worker_call_options_t){.method = "/tensorflow.WorkerService/RecvBuf",
                                      .deadline = SLI_CLOCK_NO_DEADLINE,
                                      .wait_for_ready = true,  // the group was just formed, perhaps after a restart
                                      .cancellation = cancellation,
                                      .path = sli_message_path_recv_buf_response},
             &slices);
}

// ---- Life cycle ------------------------------------------------------------------

static char *remote_describe_failure(sli_worker_client_t *self) {
  return sli_rpc_channel_describe_failure(((remote_worker_t *)self)->channel);
}

static sli_rpc_traffic_t remote_traffic(sli_worker_client_t *self) {
  return sli_rpc_channel_traffic(((remote_worker_t *)self)->channel);
}

static sli_lend_mapping_t *remote_memory(sli_worker_client_t *self) {
  return sli_rpc_channel_memory(((remote_worker_t *)self)->channel);
}

static void remote_destroy(sli_worker_client_t *self) {
  remote_worker_t *remote = (remote_worker_t *)self;
  sli_mutex_lock(&remote->mutex);
  sli_timer_t *timer = remote->cleanup_timer;
  remote->cleanup_timer = NULL;
  sli_mutex_unlock(&remote->mutex);
  if (timer) remote->env->cancel_timer(remote->env, timer);
  // This waits for a timer callback that is running; after it no other thread uses the client.
  sli_rpc_channel_destroy(remote->channel);
  for (int i = 0; i < remote->cleanup_count; i++)
    remote->cleanups[i].done(remote->cleanups[i].context,
                             sli_status_make(SLI_CANCELLED, "the client of %s was destroyed", remote->task_name));
  sli_mutex_deinitialize(&remote->mutex);
  free(remote->task_name);
  free(remote);
}

static const sli_worker_client_vtable_t remote_vtable = {
    .get_status = remote_get_status,
    .compare_clusters = remote_compare_clusters,
    .create_session = remote_create_session,
    .delete_session = remote_delete_session,
    .register_graph = remote_register_graph,
    .deregister_graph = remote_deregister_graph,
    .run_graph = remote_run_graph,
    .cleanup_graph = remote_cleanup_graph,
    .cleanup_all = remote_cleanup_all,
    .recv_tensor = remote_recv_tensor,
    .complete_group = remote_complete_group,
    .complete_instance = remote_complete_instance,
    .get_step_sequence = remote_get_step_sequence,
    .recv_buf = remote_recv_buf,
    .describe_failure = remote_describe_failure,
    .traffic = remote_traffic,
    .memory = remote_memory,
    .destroy = remote_destroy,
};

sli_status_t *sli_remote_worker_create(sli_env_t *env, sli_rpc_loop_t *loop, const char *task_name, const char *address,
                                       sli_worker_client_t **out_client) {
  *out_client = NULL;
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(sli_rpc_channel_create(loop, address, NULL, &channel));
  remote_worker_t *remote = sli_calloc(1, sizeof(*remote));
  remote->env = env;
  remote->channel = channel;
  remote->task_name = sli_strdup(task_name);
  sli_mutex_initialize(&remote->mutex);
  remote->client = (sli_worker_client_t){&remote_vtable, remote->task_name, false};
  *out_client = &remote->client;
  return NULL;
}
