// Clients send a large graph, and messages of many parts. While the server imports, plans and frees the graph, which
// takes long, or reads the messages, it answers other calls; and when the session is closed, it gives the memory back.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/test.h"
#include "dist/env/env_process.h"
#include "proto/control.fields.h"
#include "proto/graph.fields.h"
#include "proto/service.fields.h"
#include "proto/tensor.fields.h"
#include "proto/wire.h"
#include "rpc/channel.h"
#include "tests/life/life.h"

enum {
  NODES = 120000,       // half of them come with an ExtendSession
  ENOUGH_ANSWERS = 50,  // while a call takes long; a server that is blocked gives one, a free one thousands
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = true };  // they keep freed memory
#else
enum { SANITIZED = false };
#endif

static void write_name(char name[64], int index) {
  snprintf(name, 64, "train/gradients/layer_%d/dense/tuple/group_deps", index);
}

// Appends |field|, a GraphDef with the nodes from |begin| to |end|, each after the one before.
// They are as large as those of models: scopes in the names, and a colocation.
static void write_graph(sli_string_t *message, uint32_t field, int begin, int end) {
  char name[64], input[70], class[70];
  size_t graph = sli_wire_open(message, field);
  for (int i = begin; i < end; i++) {
    write_name(name, i);
    size_t node = sli_wire_open(message, SLI_FIELD_GRAPH_DEF_NODE);
    sli_wire_write_text(message, SLI_FIELD_NODE_DEF_NAME, name);
    sli_wire_write_text(message, SLI_FIELD_NODE_DEF_OP, "NoOp");
    if (i) {
      write_name(name, i - 1);
      snprintf(input, sizeof(input), "^%s", name);
      snprintf(class, sizeof(class), "loc:@%s", name);
      sli_wire_write_text(message, SLI_FIELD_NODE_DEF_INPUT, input);
      size_t attr = sli_wire_open(message, SLI_FIELD_NODE_DEF_ATTR);
      sli_wire_write_text(message, SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY, "_class");
      size_t value = sli_wire_open(message, SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE);
      size_t list = sli_wire_open(message, SLI_FIELD_ATTR_VALUE_LIST);
      sli_wire_write_text(message, SLI_FIELD_ATTR_VALUE_LIST_VALUE_S, class);
      sli_wire_close(message, list);
      sli_wire_close(message, value);
      sli_wire_close(message, attr);
    }
    sli_wire_close(message, node);
  }
  sli_wire_close(message, graph);
}

// A line of /proc/PID/status in MB, such as "VmRSS:".
static double memory_mb(pid_t pid, const char *line_name) {
  char path[64], line[256];
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "re");
  long kb = -1;
  while (file && fgets(line, sizeof(line), file))
    if (!strncmp(line, line_name, strlen(line_name))) (void)sscanf(line + strlen(line_name), "%ld", &kb);
  if (file) fclose(file);
  return (double)kb / 1024;
}

// --- Calls --------------------------------------------------------------------------

typedef struct {
  atomic_bool is_done;
  sli_status_t *status;
  sli_rpc_message_t reply;
} long_call_t;

static void long_call_done(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  long_call_t *call = context;
  call->status = status;
  if (reply) {
    call->reply = *reply;
    *reply = (sli_rpc_message_t){0};
  }
  atomic_store(&call->is_done, true);
}

static sli_status_t *health_call(sli_rpc_channel_t *channel) {
  sli_slices_t request = {0};
  sli_rpc_message_t reply = {0};
  sli_rpc_call_options_t options = {.method = "/grpc.health.v1.Health/Check",
                                    .deadline = sli_clock_deadline_after_millis(120000)};
  sli_status_t *status = sli_rpc_call_and_wait(channel, &options, &request, &reply);
  sli_rpc_message_release(&reply);
  return status;
}

// Calls |method| with |message| (consumed); meanwhile asks for the server's health on another connection, again and
// again. |*out_answers| is how often it answered before the call was done.
static sli_status_t *call(sli_rpc_channel_t *channel, sli_rpc_channel_t *other, const char *method,
                          sli_string_t *message, int *out_answers, sli_rpc_message_t *out_reply) {
  sli_slices_t request = {0};
  sli_slices_append_string(&request, message);
  sli_rpc_call_options_t options = {.method = method, .deadline = sli_clock_deadline_after_millis(120000)};
  long_call_t state = {0};
  sli_rpc_call_release(sli_rpc_call_start(channel, &options, &request, long_call_done, &state));
  int answers = 0;
  while (!atomic_load(&state.is_done)) {
    SLI_EXPECT_OK(health_call(other));
    answers += !atomic_load(&state.is_done);
  }
  printf("%s: %d answers meanwhile\n", method, answers);
  *out_answers = answers;
  *out_reply = state.reply;
  return state.status;
}

SLI_TEST(test_a_large_graph_blocks_nobody_and_its_memory_is_given_back) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  sli_rpc_channel_t *channel = NULL, *other = NULL;
  sli_rpc_message_t created = {0}, reply = {0};
  int answers;
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  sli_env_process();
  SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(&cluster, 0), NULL, &channel));
  SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(&cluster, 0), NULL, &other));
  SLI_EXPECT_OK(health_call(other));
  SLI_EXPECT_OK(health_call(channel));
  pid_t pid = cluster.tasks[0].pid;
  double before = memory_mb(pid, "VmRSS:");

  sli_string_t message = {0};
  write_graph(&message, SLI_FIELD_CREATE_SESSION_REQUEST_GRAPH_DEF, 0, NODES / 2);
  double size = (double)message.size / (1 << 20);
  SLI_REQUIRE_OK(call(channel, other, "/tensorflow.MasterService/CreateSession", &message, &answers, &created));
  SLI_EXPECT(answers >= ENOUGH_ANSWERS);

  // The handle has the same field number in all requests.
  sli_string_append(&message, created.data, created.size);
  write_graph(&message, SLI_FIELD_EXTEND_SESSION_REQUEST_GRAPH_DEF, NODES / 2, NODES);
  size += (double)message.size / (1 << 20);
  SLI_EXPECT_OK(call(channel, other, "/tensorflow.MasterService/ExtendSession", &message, &answers, &reply));
  SLI_EXPECT(answers >= ENOUGH_ANSWERS);
  sli_rpc_message_release(&reply);

  // The last node runs after all others.
  char target[64];
  write_name(target, NODES - 1);
  sli_string_append(&message, created.data, created.size);
  sli_wire_write_text(&message, SLI_FIELD_RUN_STEP_REQUEST_TARGET, target);
  SLI_EXPECT_OK(call(channel, other, "/tensorflow.MasterService/RunStep", &message, &answers, &reply));
  SLI_EXPECT(answers >= ENOUGH_ANSWERS);
  sli_rpc_message_release(&reply);

  sli_string_append(&message, created.data, created.size);
  SLI_EXPECT_OK(call(channel, other, "/tensorflow.MasterService/CloseSession", &message, &answers, &reply));
  sli_rpc_message_release(&reply);
  double most = memory_mb(pid, "VmHWM:"), kept = memory_mb(pid, "VmRSS:");
  // Some of it is freed after the reply.
  for (int64_t end = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
       kept > before + 4 * size && sli_clock_now_nanos() < end; kept = memory_mb(pid, "VmRSS:"))
    usleep(20000);
  printf("a graph of %.1f MB: %.1f MB before, %.1f at most, %.1f after\n", size, before, most, kept);
  SLI_EXPECT(SANITIZED || kept <= before + 4 * size);
  SLI_EXPECT(SANITIZED || most <= before + 10 * size);

  sli_rpc_message_release(&created);
  sli_rpc_channel_destroy(channel);
  sli_rpc_channel_destroy(other);
  life_stop(&cluster);
}

// Messages of many small parts take long to read, whatever the method.
SLI_TEST(test_messages_of_many_parts_block_nobody) {
  enum { PARTS = 500000, ENOUGH = 10 };
  static const struct {
    const char *method;
    uint32_t field;
    TF_Code code;
  } calls[] = {
      {"/tensorflow.WorkerService/CleanupAll", SLI_FIELD_CLEANUP_ALL_REQUEST_CONTAINER, TF_OK},
      {"/tensorflow.MasterService/Reset", SLI_FIELD_RESET_REQUEST_CONTAINER, TF_OK},
      {"/sluice.Control/Hello", SLI_FIELD_HELLO_REQUEST_CLUSTER, TF_RESOURCE_EXHAUSTED},
  };
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  sli_rpc_channel_t *channel = NULL, *other = NULL;
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  sli_env_process();
  SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(&cluster, 0), NULL, &channel));
  SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(&cluster, 0), NULL, &other));
  SLI_EXPECT_OK(health_call(other));
  SLI_EXPECT_OK(health_call(channel));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(calls); i++) {
    sli_string_t message = {0};
    for (int k = 0; k < PARTS; k++) {
      size_t part = sli_wire_open(&message, calls[i].field);
      sli_wire_write_text(&message, SLI_FIELD_NAMED_TENSOR_PROTO_NAME, "abcdef");
      sli_wire_close(&message, part);
    }
    int answers;
    sli_rpc_message_t reply = {0};
    sli_status_t *status = call(channel, other, calls[i].method, &message, &answers, &reply);
    SLI_EXPECT_INT(sli_status_code(status), calls[i].code);
    SLI_EXPECT(answers >= ENOUGH || calls[i].code == TF_RESOURCE_EXHAUSTED);  // that is refused at once
    sli_status_release(status);
    sli_rpc_message_release(&reply);
  }
  sli_rpc_channel_destroy(channel);
  sli_rpc_channel_destroy(other);
  life_stop(&cluster);
}

// Nodes as small as they can be: an index as the name, and one control input.
static void write_tiny_graph(sli_string_t *message, int count) {
  char text[16];
  size_t graph = sli_wire_open(message, SLI_FIELD_CREATE_SESSION_REQUEST_GRAPH_DEF);
  for (int i = 0; i < count; i++) {
    size_t node = sli_wire_open(message, SLI_FIELD_GRAPH_DEF_NODE);
    snprintf(text, sizeof(text), "n%d", i);
    sli_wire_write_text(message, SLI_FIELD_NODE_DEF_NAME, text);
    sli_wire_write_text(message, SLI_FIELD_NODE_DEF_OP, "NoOp");
    snprintf(text, sizeof(text), "^n%d", i - 1);
    if (i) sli_wire_write_text(message, SLI_FIELD_NODE_DEF_INPUT, text);
    sli_wire_close(message, node);
  }
  sli_wire_close(message, graph);
}

// The first step adds the compiled graph to the imported one.
SLI_TEST(test_the_first_step_of_tiny_nodes_takes_little_memory) {
  // The times of the message's size: a node of 26 bytes becomes one of the graph, one of the step's part of the graph,
  // and one of the plan.
  enum { TINY_NODES = 300000, MOST_TO_IMPORT = 11, MOST_TO_RUN = 21 };
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  sli_rpc_channel_t *channel = NULL, *other = NULL;
  sli_rpc_message_t created = {0}, reply = {0};
  int answers;
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  sli_env_process();
  SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(&cluster, 0), NULL, &channel));
  SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(&cluster, 0), NULL, &other));
  SLI_EXPECT_OK(health_call(channel));
  pid_t pid = cluster.tasks[0].pid;
  double before = memory_mb(pid, "VmRSS:");
  sli_string_t message = {0};
  write_tiny_graph(&message, TINY_NODES);
  double size = (double)message.size / (1 << 20);
  SLI_REQUIRE_OK(call(channel, other, "/tensorflow.MasterService/CreateSession", &message, &answers, &created));
  double imported = memory_mb(pid, "VmHWM:"), kept = memory_mb(pid, "VmRSS:");
  sli_string_append(&message, created.data, created.size);
  char target[16];
  snprintf(target, sizeof(target), "n%d", TINY_NODES - 1);
  sli_wire_write_text(&message, SLI_FIELD_RUN_STEP_REQUEST_TARGET, target);
  SLI_EXPECT_OK(call(channel, other, "/tensorflow.MasterService/RunStep", &message, &answers, &reply));
  sli_rpc_message_release(&reply);
  double most = memory_mb(pid, "VmHWM:");
  SLI_EXPECT(SANITIZED || imported <= before + MOST_TO_IMPORT * size);
  SLI_EXPECT(SANITIZED || most <= before + MOST_TO_RUN * size);
  printf("a graph of %.1f MB in tiny nodes: %.1f MB before, import %.1f at most, %.1f after, first step %.1f at most\n",
         size, before, imported, kept, most);
  sli_rpc_message_release(&created);
  sli_rpc_channel_destroy(channel);
  sli_rpc_channel_destroy(other);
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_a_large_graph_blocks_nobody_and_its_memory_is_given_back, test_messages_of_many_parts_block_nobody,
              test_the_first_step_of_tiny_nodes_takes_little_memory)
