// The fixture of worker_test.c: two tasks on two ports, calls that block until the reply, and small graphs with edges
// between the tasks.
#ifndef SLI_TESTS_DIST_WORKER_FIXTURE_H_
#define SLI_TESTS_DIST_WORKER_FIXTURE_H_

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/test.h"
#include "dist/client/remote_worker.h"
#include "dist/client/worker_cache.h"
#include "dist/env/env_process.h"
#include "dist/server/task_server.h"
#include "dist/service/service.h"
#include "dist/worker/worker_internal.h"
#include "proto/config.fields.h"
#include "proto/proto.h"
#include "proto/service.pb-c.h"
#include "proto/wire.h"
#include "rpc/channel.h"

// ---- Tasks -----------------------------------------------------------------------

enum { PS, WORKER, TASKS };
static const char *const jobs[TASKS] = {"ps", "worker"};

typedef struct {
  sli_cluster_t cluster;
  sli_worker_t *worker;
  sli_worker_cache_t *cache;
  sli_rpc_service_t service;
  sli_rpc_server_t *server;
  sli_worker_client_t *stub;
} task_t;

// A ServerDef of task 0 of job |self|.
static void make_server_def(const int *ports, int self, sli_string_t *out) {
  size_t cluster = sli_wire_open(out, SLI_FIELD_SERVER_DEF_CLUSTER);
  for (int i = 0; i < TASKS; i++) {
    size_t job = sli_wire_open(out, SLI_FIELD_CLUSTER_DEF_JOB);
    sli_wire_write_text(out, SLI_FIELD_JOB_DEF_NAME, jobs[i]);
    size_t entry = sli_wire_open(out, SLI_FIELD_JOB_DEF_TASKS);
    char address[32];
    snprintf(address, sizeof(address), "127.0.0.1:%d", ports[i]);
    sli_wire_write_text(out, SLI_FIELD_JOB_DEF_TASKS_ENTRY_VALUE, address);
    sli_wire_close(out, entry);
    sli_wire_close(out, job);
  }
  sli_wire_close(out, cluster);
  sli_wire_write_text(out, SLI_FIELD_SERVER_DEF_JOB_NAME, jobs[self]);
  sli_wire_write_text(out, SLI_FIELD_SERVER_DEF_PROTOCOL, "grpc");
}

static void handle(void *context, sli_rpc_request_t *request) {
  task_t *task = context;
  if (!sli_worker_service_handle(task->worker, sli_env_process(), request))
    sli_rpc_request_respond(request, sli_status_make(SLI_UNIMPLEMENTED, "no such service"), NULL);
}

static void task_start(task_t *task, const int *ports, int self) {
  *task = (task_t){0};
  sli_env_t *env = sli_env_process();
  sli_string_t def = {0};
  make_server_def(ports, self, &def);
  SLI_EXPECT_OK(sli_cluster_from_server_def(sli_view_of(def.data, def.size), &task->cluster));
  sli_string_deinitialize(&def);
  SLI_EXPECT_OK(sli_worker_create(env, &task->cluster, &task->worker));
  task->cache =
      sli_worker_cache_create(env, sli_env_process_loop(), &task->cluster, sli_worker_local_client(task->worker));
  sli_worker_set_cache(task->worker, task->cache);
  task->service = (sli_rpc_service_t){.context = task, .handle = handle};
  SLI_EXPECT_OK(
      sli_rpc_server_create(sli_env_process_loop(), "127.0.0.1", ports[self], &task->service, NULL, &task->server));
  const sli_cluster_task_t *own = sli_cluster_self(&task->cluster);
  SLI_EXPECT_OK(sli_remote_worker_create(env, sli_env_process_loop(), own->task_name, own->address, &task->stub));
}

static void task_stop(task_t *task) {
  sli_rpc_server_destroy(task->server);
  task->server = NULL;
  sli_worker_destroy(task->worker);
  sli_worker_cache_destroy(task->cache);
  if (task->stub) task->stub->vtable->destroy(task->stub);
  sli_cluster_deinitialize(&task->cluster);
}

static task_t tasks[TASKS];
static int ports[TASKS];

static void start_all(void) {
  for (int i = 0; i < TASKS; i++) ports[i] = sli_test_free_port();
  for (int i = 0; i < TASKS; i++) task_start(&tasks[i], ports, i);
}
static void stop_all(void) {
  for (int i = 0; i < TASKS; i++) task_stop(&tasks[i]);
}

static const sli_device_set_entry_t *device(int task) {
  return &sli_worker_devices(tasks[task].worker)->devices.items[0];
}

// ---- Calls that wait -------------------------------------------------------------

typedef struct {
  sli_event_t event;
  sli_status_t *status;
  char *handle;
  sli_tensor_t *recvs[8];
  sli_tensor_t *tensor;
  bool is_dead;
  size_t device_count, stats_size, graph_size;
  uint64_t incarnation;
  char name[128];
} reply_t;

static void reply_begin(reply_t *reply) {
  *reply = (reply_t){0};
  sli_event_initialize(&reply->event);
}
static bool reply_wait(reply_t *reply) {
  sli_env_t *env = sli_env_process();
  bool came = env->wait(env, &reply->event, sli_clock_deadline_after_millis(60000));
  if (!came) sli_test_fail(__FILE__, __LINE__, "no reply within 20 s");
  SLI_CHECK(came);
  return came;
}
// Frees the reply and returns its status.
static sli_status_t *reply_end(reply_t *reply) {
  for (int i = 0; i < 8; i++) sli_tensor_release(reply->recvs[i]);
  sli_tensor_release(reply->tensor);
  free(reply->handle);
  sli_event_deinitialize(&reply->event);
  return reply->status;
}
static void reply_set(reply_t *reply, sli_status_t *status) {
  reply->status = status;
  sli_env_process()->set(sli_env_process(), &reply->event);
}

static void on_done(void *context, sli_status_t *status) { reply_set(context, status); }
static void on_registered(void *context, sli_status_t *status, const char *handle) {
  if (handle) ((reply_t *)context)->handle = sli_strdup(handle);
  reply_set(context, status);
}
static void on_ran(void *context, sli_status_t *status, sli_worker_client_run_graph_result_t *result) {
  reply_t *reply = context;
  for (size_t i = 0; !status && i < result->recv_count; i++) reply->recvs[i] = result->recvs[i];
  reply->stats_size = result->step_stats.size;
  reply->graph_size = result->partition_graph.size;
  reply_set(reply, status);
}
static void on_received(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  reply_t *reply = context;
  reply->tensor = tensor;
  reply->is_dead = is_dead;
  reply_set(reply, status);
}
static void on_status(void *context, sli_status_t *status, const sli_device_set_entry_t *devices, size_t count) {
  reply_t *reply = context;
  reply->device_count = count;
  if (count) {
    reply->incarnation = devices[0].incarnation;
    snprintf(reply->name, sizeof(reply->name), "%s", devices[0].name);
  }
  reply_set(reply, status);
}

static sli_status_t *create_session(int task, const char *handle, bool isolate) {
  reply_t reply;
  reply_begin(&reply);
  sli_worker_client_t *stub = tasks[task].stub;
  stub->vtable->create_session(
      stub, &(sli_worker_client_create_session_t){.session_handle = handle, .isolate = isolate}, on_done, &reply);
  reply_wait(&reply);
  return reply_end(&reply);
}

// "" on failure; static memory per task.
static const char *register_graph(int task, const char *session, sli_graph_t *graph) {
  static char handles[TASKS][64];
  reply_t reply;
  reply_begin(&reply);
  sli_worker_client_t *stub = tasks[task].stub;
  stub->vtable->register_graph(stub, &(sli_worker_client_register_graph_t){.session_handle = session, .graph = graph},
                               on_registered, &reply);
  reply_wait(&reply);
  snprintf(handles[task], sizeof(handles[task]), "%s", reply.handle ? reply.handle : "");
  SLI_EXPECT_OK(reply_end(&reply));
  return handles[task];
}

static void run_start(int task, const sli_worker_client_run_graph_t *run, reply_t *reply) {
  reply_begin(reply);
  tasks[task].stub->vtable->run_graph(tasks[task].stub, run, on_ran, reply);
}

static sli_status_t *cleanup(int task, int64_t step) {
  reply_t reply;
  reply_begin(&reply);
  tasks[task].stub->vtable->cleanup_graph(tasks[task].stub, step, on_done, &reply);
  reply_wait(&reply);
  return reply_end(&reply);
}

static void recv_start(int task, int64_t step, const char *key, sli_cancellation_t *cancellation, reply_t *reply) {
  reply_begin(reply);
  tasks[task].stub->vtable->recv_tensor(tasks[task].stub, step, sli_view(key), SLI_CLOCK_NO_DEADLINE, cancellation,
                                        on_received, reply);
}

// Waits until the task has |count| steps.
static bool steps_become(int task, size_t count) {
  for (int i = 0; i < 30000; i++) {
    if (sli_step_table_count(tasks[task].worker->steps) == count) return true;
    usleep(1000);
  }
  return false;
}

static int64_t new_step(void) { return (int64_t)(sli_random_u64() >> 8); }

// A call with the given bytes as its body.
static sli_status_t *raw_call(int task, const char *method, sli_view_t body, sli_string_t *out_reply) {
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(
      sli_rpc_channel_create(sli_env_process_loop(), sli_cluster_self(&tasks[task].cluster)->address, NULL, &channel));
  char path[128];
  snprintf(path, sizeof(path), "/tensorflow.WorkerService/%s", method);
  sli_slices_t request = {0};
  sli_string_t copy = {0};
  sli_string_append(&copy, body.data, body.size);
  if (copy.size) sli_slices_append_string(&request, &copy);
  sli_rpc_message_t reply = {0};
  sli_rpc_call_options_t options = {.method = path, .deadline = sli_clock_deadline_after_millis(60000)};
  sli_status_t *status = sli_rpc_call_and_wait(channel, &options, &request, &reply);
  if (out_reply && !status) sli_string_append(out_reply, reply.data, reply.size);
  sli_rpc_message_release(&reply);
  sli_rpc_channel_destroy(channel);
  sli_string_deinitialize(&copy);
  return status;
}

// ---- Graphs ----------------------------------------------------------------------

static void add(sli_graph_t *graph, int task, const sli_graph_node_t *request, sli_node_t **out_node) {
  sli_graph_node_t node = *request;
  node.device = device(task)->name;
  *out_node = NULL;
  SLI_EXPECT_OK(sli_graph_add(graph, &node, out_node));
  SLI_CHECK(*out_node);
  (*out_node)->assigned_device = device(task)->name;
}

typedef struct {
  const char *name;
  int from, to;
  bool client;
  sli_dtype_t dtype;
} edge_t;

static sli_node_t *add_edge_end(sli_graph_t *graph, const edge_t *edge, const sli_output_t *input) {
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF(input ? "T" : "tensor_type", edge->dtype),
                              SLI_ATTR_STRING_OF("tensor_name", edge->name),
                              SLI_ATTR_STRING_OF("send_device", device(edge->from)->name),
                              SLI_ATTR_INT_OF("send_device_incarnation", (int64_t)device(edge->from)->incarnation),
                              SLI_ATTR_STRING_OF("recv_device", device(edge->to)->name),
                              SLI_ATTR_BOOL_OF("client_terminated", edge->client)};
  char name[128];
  snprintf(name, sizeof(name), "%s_%s", input ? "send" : "recv", edge->name);
  sli_node_t *node;
  add(graph, input ? edge->from : edge->to,
      &(sli_graph_node_t){.op = input ? "_Send" : "_Recv",
                          .name = name,
                          .inputs = input,
                          .input_count = input ? 1 : 0,
                          .attrs = attrs,
                          .attr_count = SLI_ARRAY_COUNT_OF(attrs)},
      &node);
  return node;
}

static char *edge_key(const edge_t *edge) {
  sli_string_t key = {0};
  sli_rendezvous_key_append(&key, device(edge->from)->name, device(edge->from)->incarnation, device(edge->to)->name,
                            edge->name, 0, 0);
  return sli_string_take(&key);
}

static sli_output_t add_const(sli_graph_t *graph, int task, const char *name, sli_tensor_t *value) {
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", (sli_dtype_t)value->dtype), SLI_ATTR_TENSOR_OF("value", value)};
  sli_node_t *node;
  add(graph, task, &(sli_graph_node_t){.op = "Const", .name = name, .attrs = attrs, .attr_count = 2}, &node);
  return (sli_output_t){node, 0};
}

// The client feeds x on the ps, which sends it to the worker, where the client fetches it.
typedef struct {
  edge_t feed, across, fetch;
  sli_graph_t *graphs[TASKS];
  char *feed_key, *across_key, *fetch_key;
} relay_t;

static void relay_make(relay_t *relay, sli_dtype_t dtype) {
  *relay = (relay_t){.feed = {"x", PS, PS, true, dtype},
                     .across = {"edge_1_x", PS, WORKER, false, dtype},
                     .fetch = {"y", WORKER, WORKER, true, dtype}};
  relay->graphs[PS] = sli_graph_create();
  sli_node_t *x = add_edge_end(relay->graphs[PS], &relay->feed, NULL);
  add_edge_end(relay->graphs[PS], &relay->across, &(sli_output_t){x, 0});
  relay->graphs[WORKER] = sli_graph_create();
  sli_node_t *y = add_edge_end(relay->graphs[WORKER], &relay->across, NULL);
  add_edge_end(relay->graphs[WORKER], &relay->fetch, &(sli_output_t){y, 0});
  relay->feed_key = edge_key(&relay->feed);
  relay->across_key = edge_key(&relay->across);
  relay->fetch_key = edge_key(&relay->fetch);
}

static void relay_free(relay_t *relay) {
  for (int i = 0; i < TASKS; i++) sli_graph_release(relay->graphs[i]);
  free(relay->feed_key);
  free(relay->across_key);
  free(relay->fetch_key);
}

// Sends |tensor| through both tasks and returns what comes out.
static sli_tensor_t *relay_run(relay_t *relay, const char *const *handles, const char *session, sli_tensor_t *tensor) {
  int64_t step = new_step();
  reply_t at_worker, at_ps;
  sli_message_named_tensor_t send = {relay->feed_key, tensor};
  const char *key = relay->fetch_key;
  run_start(WORKER,
            &(sli_worker_client_run_graph_t){.session_handle = session,
                                             .graph_handle = handles[WORKER],
                                             .step_id = step,
                                             .recv_keys = &key,
                                             .recv_count = 1},
            &at_worker);
  run_start(
      PS,
      &(sli_worker_client_run_graph_t){
          .session_handle = session, .graph_handle = handles[PS], .step_id = step, .sends = &send, .send_count = 1},
      &at_ps);
  reply_wait(&at_ps);
  reply_wait(&at_worker);
  sli_tensor_t *result = sli_tensor_retain(at_worker.recvs[0]);
  SLI_EXPECT_OK(reply_end(&at_ps));
  SLI_EXPECT_OK(reply_end(&at_worker));
  for (int i = 0; i < TASKS; i++) SLI_EXPECT_OK(cleanup(i, step));
  return result;
}

static bool equal_tensors(const sli_tensor_t *a, const sli_tensor_t *b) {
  if (!a || !b || a->dtype != b->dtype || !sli_tensor_same_shape(a, b)) return false;
  if (a->dtype != SLI_DTYPE_STRING) return a->count == 0 || memcmp(a->data, b->data, sli_tensor_bytes(a)) == 0;
  for (int64_t i = 0; i < a->count; i++)
    if (!sli_view_equal(sli_tstring_view(&SLI_DATA(sli_tstring_t, a)[i]),
                        sli_tstring_view(&SLI_DATA(sli_tstring_t, b)[i])))
      return false;
  return true;
}

#endif  // SLI_TESTS_DIST_WORKER_FIXTURE_H_
