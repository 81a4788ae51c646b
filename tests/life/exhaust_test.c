// A server whose memory is limited gets graphs that do not fit. Each is an error of its call, whatever the stage at
// which memory runs out, and the server goes on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/test.h"
#include "dist/env/env_process.h"
#include "proto/graph.fields.h"
#include "proto/service.fields.h"
#include "proto/wire.h"
#include "rpc/channel.h"
#include "tests/life/life.h"

// Address space of the process in kB.
static long virtual_kb(pid_t pid) {
  char path[64], line[256];
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "re");
  long kb = -1;
  while (file && fgets(line, sizeof(line), file)) (void)sscanf(line, "VmSize: %ld kB", &kb);
  if (file) fclose(file);
  return kb;
}

// A CreateSession request with a graph of |count| nodes, each after the one before.
static void write_request(sli_string_t *message, int count) {
  char name[32], input[32];
  size_t graph = sli_wire_open(message, SLI_FIELD_CREATE_SESSION_REQUEST_GRAPH_DEF);
  for (int i = 0; i < count; i++) {
    snprintf(name, sizeof(name), "n%d", i);
    size_t node = sli_wire_open(message, SLI_FIELD_GRAPH_DEF_NODE);
    sli_wire_write_text(message, SLI_FIELD_NODE_DEF_NAME, name);
    sli_wire_write_text(message, SLI_FIELD_NODE_DEF_OP, "NoOp");
    snprintf(input, sizeof(input), "^n%d", i - 1);
    if (i) sli_wire_write_text(message, SLI_FIELD_NODE_DEF_INPUT, input);
    sli_wire_close(message, node);
  }
  sli_wire_close(message, graph);
}

// Consumes |message|.
static sli_status_t *call(sli_rpc_channel_t *channel, const char *method, sli_string_t *message,
                          sli_rpc_message_t *out_reply) {
  sli_slices_t request = {0};
  sli_slices_append_string(&request, message);
  sli_rpc_call_options_t options = {.method = method, .deadline = sli_clock_deadline_after_millis(120000)};
  return sli_rpc_call_and_wait(channel, &options, &request, out_reply);
}

// Runs the last of |count| nodes, and so all of them, in the session of |created|, a CreateSessionResponse, whose
// handle has the same field number as in the other requests. Then closes the session.
static sli_status_t *run_all(sli_rpc_channel_t *channel, const sli_rpc_message_t *created, int count) {
  char target[32];
  snprintf(target, sizeof(target), "n%d", count - 1);
  sli_string_t run = {0}, close = {0};
  sli_string_append(&run, created->data, created->size);
  sli_wire_write_text(&run, SLI_FIELD_RUN_STEP_REQUEST_TARGET, target);
  sli_rpc_message_t reply = {0};
  sli_status_t *status = call(channel, "/tensorflow.MasterService/RunStep", &run, &reply);
  sli_rpc_message_release(&reply);
  sli_string_append(&close, created->data, created->size);
  reply = (sli_rpc_message_t){0};
  sli_status_t *closed = call(channel, "/tensorflow.MasterService/CloseSession", &close, &reply);
  sli_rpc_message_release(&reply);
  return sli_status_join(status, closed);
}

// A CreateSession request with one constant.
static void write_constant(sli_string_t *message) {
  size_t graph = sli_wire_open(message, SLI_FIELD_CREATE_SESSION_REQUEST_GRAPH_DEF);
  TF_Graph *made = TF_NewGraph();
  life_constant(made, "c", NULL, 1);
  TF_Buffer *bytes = TF_NewBuffer();
  TF_Status *status = TF_NewStatus();
  TF_GraphToGraphDef(made, bytes, status);
  LIFE_EXPECT_OK(status);
  sli_string_append(message, bytes->data, bytes->length);
  sli_wire_close(message, graph);
  TF_DeleteStatus(status);
  TF_DeleteBuffer(bytes);
  TF_DeleteGraph(made);
}

// A step that fetches one value |count| times.
static sli_status_t *send_names(const life_cluster_t *cluster, int count) {
  sli_string_t message = {0};
  sli_rpc_message_t created = {0}, reply = {0};
  sli_rpc_channel_t *channel;
  sli_env_process();
  sli_status_t *status = sli_rpc_channel_create(sli_env_process_loop(), life_address(cluster, 0), NULL, &channel);
  if (status) return status;
  write_constant(&message);
  status = call(channel, "/tensorflow.MasterService/CreateSession", &message, &created);
  if (!status) {
    sli_string_append(&message, created.data, created.size);
    for (int i = 0; i < count; i++) sli_wire_write_text(&message, SLI_FIELD_RUN_STEP_REQUEST_FETCH, "c:0");
    status = call(channel, "/tensorflow.MasterService/RunStep", &message, &reply);
  }
  sli_rpc_message_release(&created);
  sli_rpc_message_release(&reply);
  sli_rpc_channel_destroy(channel);
  return status;
}

static sli_status_t *send_graph(const life_cluster_t *cluster, int count) {
  sli_string_t message = {0};
  write_request(&message, count);
  sli_rpc_message_t reply = {0};
  sli_rpc_channel_t *channel;
  sli_env_process();
  sli_status_t *status = sli_rpc_channel_create(sli_env_process_loop(), life_address(cluster, 0), NULL, &channel);
  if (status) return status;
  status = call(channel, "/tensorflow.MasterService/CreateSession", &message, &reply);
  if (!status) status = run_all(channel, &reply, count);
  sli_rpc_message_release(&reply);
  sli_rpc_channel_destroy(channel);
  return status;
}

static void expect_served(const life_cluster_t *cluster) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output six = life_constant(graph, "six", NULL, 6);
  TF_Session *session = life_session(graph, life_target(cluster, 0), NULL, 0);
  TF_Status *status = TF_NewStatus();
  SLI_EXPECT_NEAR(life_run(session, &six, NULL, status), 6, 0);
  LIFE_EXPECT_OK(status);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = true };  // they need more address space than any limit
#else
enum { SANITIZED = false };
#endif

// Sends a graph of |count| nodes, or a step with as many fetches, to a server that may use |room| MB more than at its
// start. Returns whether it refused.
static bool is_refused_by(sli_status_t *(*send)(const life_cluster_t *cluster, int count), int count, int room) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  sli_status_t *status = NULL;
  if (life_start(&cluster, 0, NULL)) {
    expect_served(&cluster);
    pid_t pid = cluster.tasks[0].pid;
    rlim_t bytes = ((rlim_t)virtual_kb(pid) << 10) + ((rlim_t)room << 20);
    SLI_EXPECT(prlimit(pid, RLIMIT_AS, &(struct rlimit){bytes, bytes}, NULL) == 0);
    status = send(&cluster, count);
    printf("%d, %d MB: %s\n", count, room, status ? sli_status_message(status) : "OK");
    bool is_as_expected = !status || sli_status_code(status) == SLI_RESOURCE_EXHAUSTED;
    if (!is_as_expected) sli_test_fail(__FILE__, __LINE__, "%d, %d MB: %s", count, room, sli_status_message(status));
    if (is_as_expected) expect_served(&cluster);
  }
  bool refused = status != NULL;
  sli_status_release(status);
  life_stop(&cluster);
  return refused;
}

static bool is_refused(int count, int room) { return is_refused_by(send_graph, count, room); }

SLI_TEST(test_graph_of_a_million_nodes_is_refused) {
  if (SANITIZED) return;
  SLI_EXPECT(is_refused(1000000, 160));
}

// The limits are such that memory runs out while the graph is imported, placed, pruned or planned, or not at all.
SLI_TEST(test_memory_may_run_out_at_any_stage) {
  if (SANITIZED) return;
  static const int rooms[] = {8, 24, 66, 110, 160, 240};
  int refused = 0;
  for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) refused += is_refused(300000, rooms[i]);
  SLI_EXPECT(refused > 0);
}

SLI_TEST(test_a_step_with_a_million_names_is_refused) {
  if (SANITIZED) return;
  SLI_EXPECT(is_refused_by(send_names, 1000000, 160));
}

SLI_TEST(test_a_step_with_many_names_runs_or_is_refused) {
  if (SANITIZED) return;
  static const int rooms[] = {30, 60, 100, 130, 200};
  int refused = 0, count = sizeof(rooms) / sizeof(rooms[0]);
  for (int i = 0; i < count; i++) refused += is_refused_by(send_names, 50000, rooms[i]);
  SLI_EXPECT(refused > 0 && refused < count);
}

// Runs a Fill of |megabytes|; returns the code of the step.
static TF_Code fill(const life_cluster_t *cluster, int megabytes) {
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  int64_t one = 1;
  TF_Tensor *tensor = TF_AllocateTensor(TF_INT32, &one, 1, 4);
  *(int32_t *)TF_TensorData(tensor) = megabytes << 18;
  TF_OperationDescription *d = life_op(graph, "Const", "size", NULL, NULL, 0);
  TF_SetAttrType(d, "dtype", TF_INT32);
  TF_SetAttrTensor(d, "value", tensor, status);
  TF_Output inputs[] = {life_finish(d), life_constant(graph, "value", NULL, 1)};
  TF_Operation *filled = life_finish(life_op(graph, "Fill", "filled", NULL, inputs, 2)).oper;
  TF_Session *session = life_session(graph, life_target(cluster, 0), NULL, 0);
  life_run(session, NULL, filled, status);
  TF_Code code = TF_GetCode(status);
  if (code != TF_OK) SLI_EXPECT_CONTAINS(TF_Message(status), "may take 256 MB (--max_memory_megabytes");
  life_close(session);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  return code;
}

SLI_TEST(test_ops_use_no_more_memory_than_they_may) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  if (life_start(&cluster, 0, (const char *[]){"--max_memory_megabytes=256", NULL})) {
    SLI_EXPECT_INT(fill(&cluster, 300), TF_RESOURCE_EXHAUSTED);
    SLI_EXPECT_INT(fill(&cluster, 100), TF_OK);
    SLI_EXPECT_INT(fill(&cluster, 1000), TF_RESOURCE_EXHAUSTED);
    expect_served(&cluster);
  }
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_ops_use_no_more_memory_than_they_may, test_graph_of_a_million_nodes_is_refused,
              test_memory_may_run_out_at_any_stage, test_a_step_with_a_million_names_is_refused,
              test_a_step_with_many_names_runs_or_is_refused)
