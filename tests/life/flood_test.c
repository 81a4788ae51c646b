// A server with too many connections, calls and invalid requests. It answers or refuses, uses little memory, and serves
// the next valid client.
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/test.h"
#include "dist/env/env_process.h"
#include "proto/graph.fields.h"
#include "proto/service.fields.h"
#include "proto/wire.h"
#include "rpc/channel.h"
#include "tests/life/life.h"

enum { WANTED_CONNECTIONS = 10000, CALLS = 20000 };
// Sanitizers multiply what memory is needed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MAX_GROWTH_KB = 4 << 20 };
#else
enum { MAX_GROWTH_KB = 200 << 10 };
#endif

static long resident_kb(pid_t pid) {
  char path[64], line[256];
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "r");
  long kb = -1;
  while (file && fgets(line, sizeof(line), file)) (void)sscanf(line, "VmRSS: %ld kB", &kb);
  if (file) fclose(file);
  return kb;
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

static int open_connection(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

// As many as the system lets this process have, up to 10,000; half of them say hello properly.
SLI_TEST(test_ten_thousand_connections) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int count = limit.rlim_cur > WANTED_CONNECTIONS + 200 ? WANTED_CONNECTIONS : (int)limit.rlim_cur - 200;
  long before = resident_kb(cluster.tasks[0].pid);
  int *fds = sli_calloc((size_t)count, sizeof(*fds)), opened = 0;
  static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
  for (int i = 0; i < count; i++) {
    fds[i] = open_connection(cluster.tasks[0].port);
    opened += fds[i] >= 0;
    if (i % 2 && fds[i] >= 0) (void)!send(fds[i], preface, sizeof(preface) - 1, MSG_NOSIGNAL);
  }
  SLI_EXPECT_INT(opened, count);
  expect_served(&cluster);
  long grown = resident_kb(cluster.tasks[0].pid) - before;
  printf("%d connections: %ld kB more\n", count, grown);
  SLI_EXPECT(grown < MAX_GROWTH_KB);
  for (int i = 0; i < count; i++)
    if (fds[i] >= 0) close(fds[i]);
  free(fds);
  expect_served(&cluster);
  life_stop(&cluster);
}

// Many calls that wait for their replies at the same time.
typedef struct {
  sli_event_t done;
  atomic_int left, failed;
} flood_t;

static void count_reply(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  flood_t *flood = context;
  if (status) atomic_fetch_add(&flood->failed, 1);
  sli_status_release(status);
  if (atomic_fetch_sub(&flood->left, 1) == 1) sli_event_set(&flood->done);
}

SLI_TEST(test_a_flood_of_small_calls) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  sli_env_process();
  sli_rpc_channel_t *channel;
  SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(&cluster, 0), NULL, &channel));
  long before = resident_kb(cluster.tasks[0].pid);
  flood_t flood = {0};
  sli_event_initialize(&flood.done);
  atomic_store(&flood.left, CALLS);
  for (int i = 0; i < CALLS; i++) {
    sli_slices_t request = {0};
    sli_rpc_call_options_t options = {.method = "/tensorflow.WorkerService/GetStatus",
                                      .deadline = sli_clock_deadline_after_millis(60000)};
    sli_rpc_call_release(sli_rpc_call_start(channel, &options, &request, count_reply, &flood));
  }
  SLI_EXPECT(sli_rpc_loop_wait(sli_env_process_loop(), &flood.done, sli_clock_deadline_after_millis(60000)));
  SLI_EXPECT_INT(atomic_load(&flood.failed), 0);
  SLI_EXPECT(resident_kb(cluster.tasks[0].pid) - before < MAX_GROWTH_KB);
  sli_rpc_channel_destroy(channel);
  expect_served(&cluster);
  life_stop(&cluster);
}

// --- Requests that make no sense ---

static void write_node(sli_string_t *out, const char *name, const char *op, const char *input) {
  size_t node = sli_wire_open(out, SLI_FIELD_GRAPH_DEF_NODE);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_NAME, name);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_OP, op);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_INPUT, input);
  size_t entry = sli_wire_open(out, SLI_FIELD_NODE_DEF_ATTR);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY, "T");
  size_t value = sli_wire_open(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE);
  sli_wire_write_uint(out, SLI_FIELD_ATTR_VALUE_TYPE, 1);
  sli_wire_close(out, value);
  sli_wire_close(out, entry);
  sli_wire_close(out, node);
}

static sli_status_t *call(sli_rpc_channel_t *channel, const char *method, sli_string_t *message) {
  sli_slices_t request = {0};
  sli_slices_append_string(&request, message);
  sli_rpc_call_options_t options = {.method = method, .deadline = sli_clock_deadline_after_millis(60000)};
  sli_rpc_message_t reply = {0};
  sli_status_t *status = sli_rpc_call_and_wait(channel, &options, &request, &reply);
  sli_rpc_message_release(&reply);
  return status;
}

SLI_TEST(test_senseless_requests_are_errors) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  sli_env_process();
  sli_rpc_channel_t *channel;
  SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(&cluster, 0), NULL, &channel));
  // A cycle without NextIteration.
  sli_string_t message = {0};
  size_t graph = sli_wire_open(&message, SLI_FIELD_CREATE_SESSION_REQUEST_GRAPH_DEF);
  write_node(&message, "a", "Identity", "b");
  write_node(&message, "b", "Identity", "a");
  sli_wire_close(&message, graph);
  SLI_EXPECT_STATUS(call(channel, "/tensorflow.MasterService/CreateSession", &message), SLI_INVALID_ARGUMENT);
  // Handles that were never issued.
  static const struct {
    const char *name;
    uint32_t handle;  // the field
  } methods[] = {{"/tensorflow.MasterService/RunStep", SLI_FIELD_RUN_STEP_REQUEST_SESSION_HANDLE},
                 {"/tensorflow.MasterService/ExtendSession", SLI_FIELD_EXTEND_SESSION_REQUEST_SESSION_HANDLE},
                 {"/tensorflow.MasterService/CloseSession", SLI_FIELD_CLOSE_SESSION_REQUEST_SESSION_HANDLE},
                 {"/tensorflow.WorkerService/RunGraph", SLI_FIELD_RUN_GRAPH_REQUEST_GRAPH_HANDLE}};
  for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
    message = (sli_string_t){0};
    sli_wire_write_text(&message, methods[i].handle, "no such handle");
    sli_status_t *status = call(channel, methods[i].name, &message);
    SLI_EXPECT(status != NULL);
    sli_status_release(status);
  }
  message = (sli_string_t){0};
  SLI_EXPECT_STATUS(call(channel, "/tensorflow.MasterService/NoSuchMethod", &message), SLI_UNIMPLEMENTED);
  sli_rpc_channel_destroy(channel);
  expect_served(&cluster);
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_ten_thousand_connections, test_a_flood_of_small_calls, test_senseless_requests_are_errors)
