// What clients may keep on a server is limited: sessions, worker sessions, and receives of steps that never start.
// Beyond a limit a call fails with RESOURCE_EXHAUSTED, which names the limit and its option; those that exist go on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/test.h"
#include "dist/env/env_process.h"
#include "proto/control.fields.h"
#include "proto/graph.fields.h"
#include "proto/service.fields.h"
#include "proto/stats.fields.h"
#include "proto/wire.h"
#include "rpc/channel.h"
#include "tests/life/life.h"

static sli_rpc_channel_t *channel_to(const life_cluster_t *cluster) {
  sli_rpc_channel_t *channel;
  sli_env_process();
  SLI_EXPECT_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(cluster, 0), NULL, &channel));
  return channel;
}

// Consumes |message|. The reply is |*out_reply| if that is not NULL.
static sli_status_t *call(sli_rpc_channel_t *channel, const char *method, sli_string_t *message,
                          sli_rpc_message_t *out_reply) {
  sli_slices_t request = {0};
  if (message->size) sli_slices_append_string(&request, message);
  sli_rpc_call_options_t options = {.method = method, .deadline = sli_clock_deadline_after_millis(60000)};
  sli_rpc_message_t reply = {0};
  sli_status_t *status = sli_rpc_call_and_wait(channel, &options, &request, &reply);
  if (out_reply)
    *out_reply = reply;
  else
    sli_rpc_message_release(&reply);
  return status;
}

static void ignore_reply(void *context, sli_status_t *status, sli_rpc_message_t *reply) { sli_status_release(status); }

// Starts a call that waits until end_calls. Consumes |message|.
static sli_rpc_call_t *start_call(sli_rpc_channel_t *channel, const char *method, sli_string_t *message) {
  sli_slices_t request = {0};
  if (message->size) sli_slices_append_string(&request, message);
  sli_rpc_call_options_t options = {.method = method, .deadline = sli_clock_deadline_after_millis(60000)};
  return sli_rpc_call_start(channel, &options, &request, ignore_reply, NULL);
}

static void end_calls(sli_rpc_call_t **calls, int count) {
  for (int i = 0; i < count; i++) {
    sli_rpc_call_cancel(calls[i]);
    sli_rpc_call_release(calls[i]);
  }
}

static sli_status_t *create_session(sli_rpc_channel_t *channel) {
  return call(channel, "/tensorflow.MasterService/CreateSession", &(sli_string_t){0}, NULL);
}

static sli_status_t *create_worker_session(sli_rpc_channel_t *channel, const char *handle) {
  sli_string_t message = {0};
  sli_wire_write_text(&message, SLI_FIELD_CREATE_WORKER_SESSION_REQUEST_SESSION_HANDLE, handle);
  return call(channel, "/tensorflow.WorkerService/CreateWorkerSession", &message, NULL);
}

static void expect_exhausted(sli_status_t *status, const char *limit, const char *option) {
  SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
  if (status && (!strstr(sli_status_message(status), limit) || !strstr(sli_status_message(status), option)))
    sli_test_fail(__FILE__, __LINE__, "the message does not name '%s' and '%s': %s", limit, option,
                  sli_status_message(status));
  sli_status_release(status);
}

static bool start(life_cluster_t *cluster, const char *first, const char *second) {
  life_add(cluster, "worker", 0);
  return life_start(cluster, 0, (const char *const[]){first, second, NULL});
}

SLI_TEST(test_sessions_of_a_server_are_limited) {
  life_cluster_t cluster = {0};
  if (!start(&cluster, "--max_sessions=5", NULL)) return life_stop(&cluster);
  sli_rpc_channel_t *channel = channel_to(&cluster);
  sli_rpc_message_t reply;
  SLI_EXPECT_OK(call(channel, "/tensorflow.MasterService/CreateSession", &(sli_string_t){0}, &reply));
  for (int i = 1; i < 5; i++) SLI_EXPECT_OK(create_session(channel));
  expect_exhausted(create_session(channel), "already has 5 sessions", "--max_sessions");
  // The master's sessions are worker sessions, too.
  expect_exhausted(create_worker_session(channel, "one more"), "already has 5 worker sessions", "--max_sessions");
  // A session that is closed makes room. Its handle has the same field number in both messages.
  sli_string_t close = {0};
  sli_string_append(&close, reply.data, reply.size);
  sli_rpc_message_release(&reply);
  SLI_EXPECT_OK(call(channel, "/tensorflow.MasterService/CloseSession", &close, NULL));
  SLI_EXPECT_OK(create_session(channel));
  expect_exhausted(create_session(channel), "already has 5 sessions", "--max_sessions");
  sli_rpc_channel_destroy(channel);
  life_stop(&cluster);
}

SLI_TEST(test_sessions_of_a_client_are_limited) {
  life_cluster_t cluster = {0};
  if (!start(&cluster, "--max_client_sessions=3", NULL)) return life_stop(&cluster);
  sli_rpc_channel_t *channel = channel_to(&cluster);
  for (int i = 0; i < 3; i++) SLI_EXPECT_OK(create_session(channel));
  expect_exhausted(create_session(channel), "already has 3 sessions", "--max_client_sessions");
  // A second connection does not make it another client.
  sli_rpc_channel_t *second = channel_to(&cluster);
  expect_exhausted(create_session(second), "already has 3 sessions", "--max_client_sessions");
  sli_rpc_channel_destroy(second);
  sli_rpc_channel_destroy(channel);
  life_stop(&cluster);
}

// Creations that wait for a task count like sessions.
SLI_TEST(test_sessions_that_wait_for_a_task_are_limited) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  life_add(&cluster, "ps", 0);  // never started
  if (!life_start(&cluster, 0, (const char *const[]){"--max_sessions=4", NULL})) return life_stop(&cluster);
  sli_rpc_channel_t *channel = channel_to(&cluster);
  enum { WAITING = 4 };
  sli_rpc_call_t *waiting[WAITING];
  for (int i = 0; i < WAITING; i++)
    waiting[i] = start_call(channel, "/tensorflow.MasterService/CreateSession", &(sli_string_t){0});
  expect_exhausted(create_session(channel), "already has 4 sessions", "--max_sessions");
  end_calls(waiting, WAITING);
  sli_rpc_channel_destroy(channel);
  life_stop(&cluster);
}

// --- Receives ---

// The rendezvous key of a tensor that the server's own CPU would send.
static char *recv_key(sli_rpc_channel_t *channel) {
  sli_rpc_message_t reply = {0};
  SLI_EXPECT_OK(call(channel, "/tensorflow.WorkerService/GetStatus", &(sli_string_t){0}, &reply));
  uint64_t incarnation = 0;
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(reply.data, reply.size));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_GET_STATUS_RESPONSE_DEVICE_ATTRIBUTES) continue;
    sli_wire_reader_t device = sli_wire_reader(field.bytes);
    for (sli_wire_field_t inner; sli_wire_next(&device, &inner);)
      if (inner.number == SLI_FIELD_DEVICE_ATTRIBUTES_INCARNATION) incarnation = inner.value;
  }
  sli_rpc_message_release(&reply);
  return sli_format("/job:worker/replica:0/task:0/device:CPU:0;%016llx;/job:worker/replica:0/task:0/device:CPU:0;x;0:0",
                    (unsigned long long)incarnation);
}

static void append_recv(sli_string_t *message, int64_t step, const char *key) {
  sli_wire_write_int(message, SLI_FIELD_RECV_TENSOR_REQUEST_STEP_ID, step);
  sli_wire_write_text(message, SLI_FIELD_RECV_TENSOR_REQUEST_RENDEZVOUS_KEY, key);
}

SLI_TEST(test_receives_of_steps_that_never_start_are_limited) {
  life_cluster_t cluster = {0};
  if (!start(&cluster, "--max_early_receives=8", NULL)) return life_stop(&cluster);
  sli_rpc_channel_t *channel = channel_to(&cluster);
  char *key = recv_key(channel);
  enum { WAITING = 8 };
  sli_rpc_call_t *waiting[WAITING];
  for (int i = 0; i < WAITING; i++) {
    sli_string_t message = {0};
    append_recv(&message, 1000 + i / 2, key);
    waiting[i] = start_call(channel, "/tensorflow.WorkerService/RecvTensor", &message);
  }
  sli_string_t message = {0};
  append_recv(&message, 2000, key);
  expect_exhausted(call(channel, "/tensorflow.WorkerService/RecvTensor", &message, NULL),
                   "8 receives wait there for such steps", "--max_early_receives");
  // Steps that run are not affected.
  TF_Graph *graph = TF_NewGraph();
  TF_Output six = life_constant(graph, "six", NULL, 6);
  TF_Session *session = life_session(graph, life_target(&cluster, 0), NULL, 0);
  TF_Status *status = TF_NewStatus();
  SLI_EXPECT_NEAR(life_run(session, &six, NULL, status), 6, 0);
  LIFE_EXPECT_OK(status);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  // Receives that end make room.
  end_calls(waiting, WAITING);
  sli_code_t code = SLI_RESOURCE_EXHAUSTED;
  for (int i = 0; i < 200 && code == SLI_RESOURCE_EXHAUSTED; i++) {
    message = (sli_string_t){0};
    append_recv(&message, 3000 + i, key);
    sli_slices_t request = {0};
    sli_slices_append_string(&request, &message);
    sli_rpc_call_options_t options = {.method = "/tensorflow.WorkerService/RecvTensor",
                                      .deadline = sli_clock_deadline_after_millis(100)};
    sli_rpc_message_t reply = {0};
    sli_status_t *outcome = sli_rpc_call_and_wait(channel, &options, &request, &reply);
    code = sli_status_code(outcome);
    sli_status_release(outcome);
    sli_rpc_message_release(&reply);
  }
  SLI_EXPECT_INT(code, SLI_DEADLINE_EXCEEDED);
  free(key);
  sli_rpc_channel_destroy(channel);
  life_stop(&cluster);
}

// A GetStatus with |size| bytes that mean nothing to it.
static sli_status_t *send_bytes(sli_rpc_channel_t *channel, size_t size) {
  sli_string_t message = {0};
  char *bytes = sli_calloc(1, size);
  sli_wire_write_bytes(&message, SLI_FIELD_PING_REQUEST_PAYLOAD, bytes, size);
  free(bytes);
  return call(channel, "/tensorflow.WorkerService/GetStatus", &message, NULL);
}

SLI_TEST(test_requests_and_connections_are_limited) {
  static const struct {
    const char *option, *message;
  } limits[] = {{"--max_request_megabytes=1", "Received message larger than max (2097"},
                {"--max_server_megabytes=1", "bytes of unanswered requests, the most is 1048576"}};
  for (int i = 0; i < 2; i++) {
    life_cluster_t cluster = {0};
    if (!start(&cluster, limits[i].option, NULL)) return life_stop(&cluster);
    sli_rpc_channel_t *channel = channel_to(&cluster);
    SLI_EXPECT_OK(send_bytes(channel, 1 << 19));
    expect_exhausted(send_bytes(channel, 2 << 20), limits[i].message, "");
    SLI_EXPECT_OK(send_bytes(channel, 1 << 19));
    sli_rpc_channel_destroy(channel);
    life_stop(&cluster);
  }
  life_cluster_t cluster = {0};
  if (!start(&cluster, "--max_connections=2", NULL)) return life_stop(&cluster);
  sli_rpc_channel_t *channels[] = {channel_to(&cluster), channel_to(&cluster), channel_to(&cluster)};
  for (int i = 0; i < 2; i++) SLI_EXPECT_OK(send_bytes(channels[i], 10));
  SLI_EXPECT_STATUS(send_bytes(channels[2], 10), SLI_UNAVAILABLE);
  SLI_EXPECT_OK(send_bytes(channels[0], 10));
  for (int i = 0; i < 3; i++) sli_rpc_channel_destroy(channels[i]);
  life_stop(&cluster);
}

// A GraphDef with one node whose attribute is that large.
static sli_status_t *send_graph(sli_rpc_channel_t *channel, size_t bytes) {
  sli_string_t message = {0};
  size_t graph = sli_wire_open(&message, SLI_FIELD_CREATE_SESSION_REQUEST_GRAPH_DEF),
         node = sli_wire_open(&message, SLI_FIELD_GRAPH_DEF_NODE);
  sli_wire_write_text(&message, SLI_FIELD_NODE_DEF_NAME, "node");
  sli_wire_write_text(&message, SLI_FIELD_NODE_DEF_OP, "NoOp");
  char *text = sli_malloc(bytes + 1);
  memset(text, 'x', bytes);
  text[bytes] = '\0';
  size_t attr = sli_wire_open(&message, SLI_FIELD_NODE_DEF_ATTR);
  sli_wire_write_text(&message, SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY, "_note");
  size_t value = sli_wire_open(&message, SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE);
  sli_wire_write_text(&message, SLI_FIELD_ATTR_VALUE_S, text);
  sli_wire_close(&message, value);
  sli_wire_close(&message, attr);
  sli_wire_close(&message, node);
  sli_wire_close(&message, graph);
  free(text);
  return call(channel, "/tensorflow.MasterService/CreateSession", &message, NULL);
}

SLI_TEST(test_graphs_are_limited) {
  life_cluster_t cluster = {0};
  if (!start(&cluster, "--max_graph_megabytes=1", NULL)) return life_stop(&cluster);
  sli_rpc_channel_t *channel = channel_to(&cluster);
  SLI_EXPECT_OK(send_graph(channel, 1000000));
  expect_exhausted(send_graph(channel, 1100000), "takes 1048576", "--max_graph_megabytes");
  SLI_EXPECT_OK(send_graph(channel, 1000));
  sli_rpc_channel_destroy(channel);
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_requests_and_connections_are_limited, test_sessions_of_a_server_are_limited,
              test_sessions_of_a_client_are_limited, test_sessions_that_wait_for_a_task_are_limited,
              test_receives_of_steps_that_never_start_are_limited, test_graphs_are_limited)
