// The stub of a remote worker: each call is encoded by hand, sent, and its answer
// decoded on the thread that read it. Tensors go out from their own memory and
// come in where they stay.
#include "dist/remote_worker.h"

#include <stdlib.h>

#include "dist/cancel_link.h"
#include "dist/device_attributes.h"
#include "dist/messages.h"
#include "graph/import.h"
#include "rpc/channel.h"

// How long a CleanupGraph may wait for a RunGraph to travel with, and how many wait at most.
#define CLEANUP_DELAY INT64_C(10000000)
enum { MAX_CLEANUPS = 64 };

typedef struct {
  int64_t step_id;
  sli_done_fn_t done;
  void *context;
} cleanup_t;

typedef struct {
  sli_worker_client_t client;
  sli_env_t *env;
  sli_rpc_channel_t *channel;
  char *task_name;
  sli_mutex_t mutex;
  // Under mutex.
  int cleanup_count;
  cleanup_t cleanups[MAX_CLEANUPS];  // not sent yet
  sli_timer_t *cleanup_timer;        // NULL: nothing has waited since it fired
} remote_t;

typedef struct call call_t;
// Gives a finished call's outcome to its caller. Owns |status|; |reply| is set on success.
typedef void (*finish_fn_t)(call_t *call, sli_status_t *status, sli_shared_bytes_t *reply);

struct call {
  sli_refcount_t references;  // of the call, and of the link
  atomic_int parties;         // whoever starts it, and the reply: the last one closes the link
  remote_t *remote;
  sli_rpc_call_t *rpc;
  sli_cancel_link_t link;
  finish_fn_t finish;
  union {
    sli_done_fn_t done;
    sli_get_status_done_t get_status;
    sli_register_done_t registered;
    sli_run_graph_done_t run_graph;
    sli_recv_fn_t recv;
  } to;
  void *context;
  sli_arena_t arena;  // what the reply is compared with
  const char **recv_keys;
  size_t recv_count;
};

typedef struct {
  const char *method;
  int64_t deadline;
  bool wait_for_ready;
  sli_cancellation_t *cancellation;  // may be NULL
  sli_message_path_t path;           // where the reply's tensor lies; NULL: it has none
} call_options_t;

static void call_release(call_t *call) {
  if (!sli_refcount_release(&call->references)) return;
  sli_rpc_call_release(call->rpc);
  sli_arena_deinitialize(&call->arena);
  free(call);
}

static void party_over(call_t *call) {
  if (atomic_fetch_sub(&call->parties, 1) != 1) return;
  if (call->link.cancellation && sli_cancel_link_end(&call->link)) call_release(call);
  call_release(call);
}

// A failure to reach the task names it; the peer's own words stay as they are.
static sli_status_t *name_task(const remote_t *remote, sli_status_t *status) {
  if (sli_status_code(status) != SLI_UNAVAILABLE || strstr(sli_status_message(status), "/job:")) return status;
  return sli_status_prefix(status, "%s (%s) is unavailable: ", remote->task_name,
                           sli_rpc_channel_target(remote->channel));
}

static void on_reply(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  call_t *call = context;
  status = sli_status_from_wire(name_task(call->remote, status));
  sli_shared_bytes_t *bytes = status ? NULL : sli_shared_bytes_take(reply);
  call->finish(call, status, bytes);
  sli_shared_bytes_release(bytes);
  party_over(call);
}

static char *place_reply(void *context, const char *head, size_t head_size, size_t message_size,
                         sli_rpc_message_t *out_message) {
  return sli_message_place(context, head, head_size, message_size, out_message);
}

static void on_cancel(void *context) {
  call_t *call = context;
  sli_rpc_call_cancel(call->rpc);
  call_release(call);
}

static call_t *call_create(sli_worker_client_t *self, finish_fn_t finish, void *context) {
  call_t *call = sli_calloc(1, sizeof(*call));
  sli_refcount_initialize(&call->references);
  atomic_init(&call->parties, 2);
  call->remote = (remote_t *)self;
  call->finish = finish;
  call->context = context;
  return call;
}

// Sends |request| and gives |call| to its reply.
static void call_start(call_t *call, const call_options_t *options, sli_slices_t *request) {
  static const sli_rpc_header_t metadata[] = {{"sluice-peer", "1"}};
  sli_rpc_call_options_t rpc = {.method = options->method,
                                .deadline = options->deadline,
                                .wait_for_ready = options->wait_for_ready,
                                .metadata = metadata,
                                .metadata_count = SLI_COUNT_OF(metadata),
                                .place = options->path ? place_reply : NULL,
                                .place_context = (void *)options->path};
  sli_cancellation_t *cancellation = sli_cancellation_retain(options->cancellation);  // the reply may end its life
  call->rpc = sli_rpc_call_start(call->remote->channel, &rpc, request, on_reply, call);
  if (cancellation) {
    sli_refcount_retain(&call->references);
    if (!sli_cancel_link_begin(&call->link, cancellation, on_cancel, call)) on_cancel(call);
    sli_cancellation_release(cancellation);
  }
  party_over(call);
}

static void call_start_text(call_t *call, const call_options_t *options, sli_string_t *body) {
  sli_slices_t request = {0};
  if (body->size) sli_slices_append_string(&request, body);
  call_start(call, options, &request);
}

// ---- Calls without tensors -------------------------------------------------------

static void finish_done(call_t *call, sli_status_t *status, sli_shared_bytes_t *reply) {
  call->to.done(call->context, status);
}

static void finish_get_status(call_t *call, sli_status_t *status, sli_shared_bytes_t *reply) {
  sli_device_set_t set = {0};
  if (!status) status = sli_device_attributes_decode_all(sli_shared_bytes_view(reply), &set);
  call->to.get_status(call->context, status, set.devices.items, status ? 0 : set.devices.count);
  sli_device_set_deinitialize(&set);
}

static void remote_get_status(sli_worker_client_t *self, int64_t deadline, bool wait_for_ready,
                              sli_cancellation_t *cancellation, sli_get_status_done_t done, void *context) {
  call_t *call = call_create(self, finish_get_status, context);
  call->to.get_status = done;
  sli_string_t body = {0};
  call_start_text(call,
                  &(call_options_t){.method = "/tensorflow.WorkerService/GetStatus",
                                    .deadline = deadline,
                                    .wait_for_ready = wait_for_ready,
                                    .cancellation = cancellation},
                  &body);
}

static void remote_create_session(sli_worker_client_t *self, const sli_create_worker_session_t *request,
                                  sli_done_fn_t done, void *context) {
  call_t *call = call_create(self, finish_done, context);
  call->to.done = done;
  sli_string_t body = {0};
  sli_wire_write_text(&body, 1, request->session_handle);
  sli_wire_write_bytes(&body, 2, request->server_def.data, request->server_def.size);
  if (request->isolate) sli_wire_write_uint(&body, 3, 1);
  if (request->master_task) {
    sli_wire_write_text(&body, 5, request->master_task);
    sli_wire_write_int(&body, 6, request->master_incarnation);
  }
  call_start_text(call,
                  &(call_options_t){.method = "/tensorflow.WorkerService/CreateWorkerSession",
                                    .deadline = request->deadline,
                                    .cancellation = request->cancellation},
                  &body);
}

static void remote_delete_session(sli_worker_client_t *self, const char *session_handle, int64_t deadline,
                                  sli_done_fn_t done, void *context) {
  call_t *call = call_create(self, finish_done, context);
  call->to.done = done;
  sli_string_t body = {0};
  sli_wire_write_text(&body, 1, session_handle);
  call_start_text(
      call, &(call_options_t){.method = "/tensorflow.WorkerService/DeleteWorkerSession", .deadline = deadline}, &body);
}

static void finish_register(call_t *call, sli_status_t *status, sli_shared_bytes_t *reply) {
  const char *handle = NULL;
  if (!status) {
    sli_wire_reader_t reader = sli_wire_reader(sli_shared_bytes_view(reply));
    for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
      if (field.number == 1) handle = sli_message_text(&call->arena, &field);
    if (reader.malformed || !handle) status = sli_wire_error("tensorflow.RegisterGraphResponse");
  }
  call->to.registered(call->context, status, status ? NULL : handle);
}

static void remote_register_graph(sli_worker_client_t *self, const sli_register_graph_t *request,
                                  sli_register_done_t done, void *context) {
  call_t *call = call_create(self, finish_register, context);
  call->to.registered = done;
  bool has_session = request->session_handle && *request->session_handle;
  sli_string_t body = {0};
  if (has_session) sli_wire_write_text(&body, 1, request->session_handle);
  size_t mark = sli_wire_open(&body, 2);
  sli_graph_export_stripped(request->graph, &body);
  sli_wire_close(&body, mark);
  sli_wire_write_bytes(&body, 4, request->graph_options.data, request->graph_options.size);
  sli_wire_write_length(&body, 5, 0);
  if (has_session) sli_wire_write_uint(&body, 6, 1);
  if (request->collective_graph_key) sli_wire_write_int(&body, 7, request->collective_graph_key);
  sli_wire_write_bytes(&body, 8, request->config.data, request->config.size);
  call_start_text(call,
                  &(call_options_t){.method = "/tensorflow.WorkerService/RegisterGraph", .deadline = request->deadline},
                  &body);
}

static void remote_deregister_graph(sli_worker_client_t *self, const char *session_handle, const char *graph_handle,
                                    sli_done_fn_t done, void *context) {
  call_t *call = call_create(self, finish_done, context);
  call->to.done = done;
  sli_string_t body = {0};
  sli_wire_write_text(&body, 1, graph_handle);
  if (session_handle && *session_handle) {
    sli_wire_write_text(&body, 2, session_handle);
    sli_wire_write_uint(&body, 3, 1);
  }
  call_start_text(call, &(call_options_t){.method = "/tensorflow.WorkerService/DeregisterGraph"}, &body);
}

// A step is over long before its CleanupGraph matters: that travels with the next step's RunGraph, not to wake the
// task up once more.

static int take_cleanups_locked(remote_t *remote, cleanup_t *out_cleanups) {
  int count = remote->cleanup_count;
  memcpy(out_cleanups, remote->cleanups, (size_t)count * sizeof(*out_cleanups));
  remote->cleanup_count = 0;
  return count;
}

static void start_cleanups(remote_t *remote, const cleanup_t *cleanups, int count) {
  for (int i = 0; i < count; i++) {
    call_t *call = call_create(&remote->client, finish_done, cleanups[i].context);
    call->to.done = cleanups[i].done;
    sli_string_t body = {0};
    sli_wire_write_int(&body, 1, cleanups[i].step_id);
    call_start_text(call, &(call_options_t){.method = "/tensorflow.WorkerService/CleanupGraph"}, &body);
  }
}

static void send_cleanups(remote_t *remote) {
  cleanup_t cleanups[MAX_CLEANUPS];
  sli_mutex_lock(&remote->mutex);
  int count = take_cleanups_locked(remote, cleanups);
  sli_mutex_unlock(&remote->mutex);
  start_cleanups(remote, cleanups, count);
}

static void cleanups_due(void *context) {
  remote_t *remote = context;
  sli_mutex_lock(&remote->mutex);
  sli_timer_t *timer = remote->cleanup_timer;
  remote->cleanup_timer = NULL;
  sli_mutex_unlock(&remote->mutex);
  if (timer) remote->env->cancel_timer(remote->env, timer);
  send_cleanups(remote);
}

static void remote_cleanup_graph(sli_worker_client_t *self, int64_t step_id, sli_done_fn_t done, void *context) {
  remote_t *remote = (remote_t *)self;
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
                               sli_done_fn_t done, void *context) {
  call_t *call = call_create(self, finish_done, context);
  call->to.done = done;
  sli_string_t body = {0};
  for (size_t i = 0; i < count; i++) sli_wire_write_text(&body, 1, containers[i]);
  call_start_text(call, &(call_options_t){.method = "/tensorflow.WorkerService/CleanupAll", .deadline = deadline},
                  &body);
}

// ---- RunGraph and RecvTensor -----------------------------------------------------

static void finish_run_graph(call_t *call, sli_status_t *status, sli_shared_bytes_t *reply) {
  sli_run_graph_result_t result = {0};
  sli_string_t scratch = {0};
  sli_tensor_t **recvs = sli_arena_calloc(&call->arena, call->recv_count + 1, sizeof(*recvs));
  if (!status)
    status = sli_run_graph_response_decode(reply, call->recv_keys, call->recv_count, recvs, &scratch, &result);
  call->to.run_graph(call->context, status, &result);
  sli_string_deinitialize(&scratch);
}

static int64_t request_id(const remote_t *remote) {
  uint64_t id = remote->env->random(remote->env);
  return (int64_t)(id ? id : 1);  // 0 means that there is none
}

static void remote_run_graph(sli_worker_client_t *self, const sli_run_graph_t *request, sli_run_graph_done_t done,
                             void *context) {
  call_t *call = call_create(self, finish_run_graph, context);
  call->to.run_graph = done;
  call->recv_count = request->recv_count;
  call->recv_keys = sli_arena_allocate(&call->arena, (request->recv_count + 1) * sizeof(*call->recv_keys));
  for (size_t i = 0; i < request->recv_count; i++)
    call->recv_keys[i] = sli_arena_strndup(&call->arena, request->recv_keys[i], strlen(request->recv_keys[i]));
  sli_slices_t body = {0};
  sli_run_graph_request_encode(request, request_id(call->remote), &body);
  sli_env_t *env = call->remote->env;
  env->begin_turn(env);
  send_cleanups(call->remote);
  call_start(call,
             &(call_options_t){.method = "/tensorflow.WorkerService/RunGraph",
                               .deadline = request->deadline,
                               .cancellation = request->cancellation,
                               .path = sli_path_run_graph_response},
             &body);
  env->end_turn(env);
}

static void finish_recv(call_t *call, sli_status_t *status, sli_shared_bytes_t *reply) {
  sli_tensor_t *tensor = NULL;
  bool is_dead = false;
  if (!status) status = sli_recv_tensor_response_decode(reply, &tensor, &is_dead);
  call->to.recv(call->context, status, tensor, is_dead);
}

static void remote_recv_tensor(sli_worker_client_t *self, int64_t step_id, sli_view_t key, int64_t deadline,
                               sli_cancellation_t *cancellation, sli_recv_fn_t done, void *context) {
  call_t *call = call_create(self, finish_recv, context);
  call->to.recv = done;
  sli_slices_t body = {0};
  sli_recv_tensor_request_encode(step_id, key, request_id(call->remote), &body);
  call_start(call,
             &(call_options_t){.method = "/tensorflow.WorkerService/RecvTensor",
                               .deadline = deadline,
                               .cancellation = cancellation,
                               .path = sli_path_recv_tensor_response},
             &body);
}

// ---- Life ------------------------------------------------------------------------

static char *remote_describe_failure(sli_worker_client_t *self) {
  return sli_rpc_channel_describe_failure(((remote_t *)self)->channel);
}

static sli_rpc_traffic_t remote_traffic(sli_worker_client_t *self) {
  return sli_rpc_channel_traffic(((remote_t *)self)->channel);
}

static void remote_destroy(sli_worker_client_t *self) {
  remote_t *remote = (remote_t *)self;
  sli_mutex_lock(&remote->mutex);
  sli_timer_t *timer = remote->cleanup_timer;
  remote->cleanup_timer = NULL;
  sli_mutex_unlock(&remote->mutex);
  if (timer) remote->env->cancel_timer(remote->env, timer);
  // Waits for a timer's callback under way; then nobody else is left.
  sli_rpc_channel_destroy(remote->channel);
  for (int i = 0; i < remote->cleanup_count; i++)
    remote->cleanups[i].done(remote->cleanups[i].context,
                             sli_status_make(SLI_CANCELLED, "%s is no longer wanted", remote->task_name));
  sli_mutex_deinitialize(&remote->mutex);
  free(remote->task_name);
  free(remote);
}

static const sli_worker_client_vtable_t remote_vtable = {
    .get_status = remote_get_status,
    .create_session = remote_create_session,
    .delete_session = remote_delete_session,
    .register_graph = remote_register_graph,
    .deregister_graph = remote_deregister_graph,
    .run_graph = remote_run_graph,
    .cleanup_graph = remote_cleanup_graph,
    .cleanup_all = remote_cleanup_all,
    .recv_tensor = remote_recv_tensor,
    .describe_failure = remote_describe_failure,
    .traffic = remote_traffic,
    .destroy = remote_destroy,
};

sli_status_t *sli_remote_worker_create(sli_env_t *env, sli_rpc_loop_t *loop, const char *task_name, const char *address,
                                       sli_worker_client_t **out_client) {
  *out_client = NULL;
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(sli_rpc_channel_create(loop, address, NULL, &channel));
  remote_t *remote = sli_calloc(1, sizeof(*remote));
  remote->env = env;
  remote->channel = channel;
  remote->task_name = sli_strdup(task_name);
  sli_mutex_initialize(&remote->mutex);
  remote->client = (sli_worker_client_t){&remote_vtable, remote->task_name, false};
  *out_client = &remote->client;
  return NULL;
}
