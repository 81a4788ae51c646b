// Waiting for tasks: they may start in any order; the log names the missing task and the reason; the wait ends at a
// deadline. Also what a task logs at its start.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/life/life.h"

// ConfigProto { operation_timeout_in_ms } has number 11; these tests leave it to the server.
typedef struct {
  const life_cluster_t *cluster;
  int task;
  TF_Code code;
  char message[1024];
  float value;
} client_t;

// Opens a session on the task, runs a constant on the ps and closes it.
static void *client_main(void *argument) {
  client_t *client = argument;
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_Output seven = life_constant(graph, "seven", "/job:ps/task:0", 7);
  TF_Session *session = life_try_session(graph, life_target(client->cluster, client->task), NULL, 0, status);
  if (session) client->value = life_run(session, &seven, NULL, status);
  client->code = TF_GetCode(status);
  snprintf(client->message, sizeof(client->message), "%s", TF_Message(status));
  if (session) life_close(session);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return NULL;
}

static bool client_start(client_t *client, const life_cluster_t *cluster, int task, pthread_t *out_thread) {
  *client = (client_t){.cluster = cluster, .task = task};
  return pthread_create(out_thread, NULL, client_main, client) == 0;
}

SLI_TEST(test_start_order_does_not_matter_and_who_is_missing_is_said) {
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 1, NULL));
  client_t client;
  pthread_t thread;
  SLI_REQUIRE(client_start(&client, &cluster, 1, &thread));
  SLI_EXPECT(life_wait_log(&cluster, 1, "Waiting for /job:ps/replica:0/task:0: failed to connect to localhost:"));
  char *log = life_log(&cluster, 1);
  SLI_EXPECT_CONTAINS(log, "Connection refused");
  SLI_EXPECT_CONTAINS(log, "(http_proxy=http://127.0.0.1:1 is set and ignored)");
  free(log);
  SLI_EXPECT(life_start(&cluster, 0, NULL));
  pthread_join(thread, NULL);
  SLI_EXPECT_TEXT(client.message, "");
  SLI_EXPECT_NEAR(client.value, 7, 0);
  life_stop(&cluster);
  unsetenv("http_proxy");
}

SLI_TEST(test_the_wait_ends_with_the_reason) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 1, (const char *const[]){"--wait_secs=1", NULL}));
  client_t client;
  pthread_t thread;
  SLI_REQUIRE(client_start(&client, &cluster, 1, &thread));
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(client.code, TF_DEADLINE_EXCEEDED);
  SLI_EXPECT_CONTAINS(client.message, "CreateSession waited 1 s for /job:ps/replica:0/task:0: failed to connect to");
  SLI_EXPECT_CONTAINS(client.message, "Connection refused");
  life_stop(&cluster);
}

SLI_TEST(test_a_client_waits_for_its_master) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  static const char half_second[] = {0x58, (char)0xf4, 0x03};  // ConfigProto { operation_timeout_in_ms: 500 }
  TF_Output one = life_constant(graph, "one", NULL, 1);
  TF_Session *session = life_try_session(graph, life_target(&cluster, 0), half_second, sizeof(half_second), status);
  if (session) life_run(session, &one, NULL, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
  SLI_EXPECT_CONTAINS(TF_Message(status), "CreateSession waited ");
  SLI_EXPECT_CONTAINS(TF_Message(status), "Connection refused");
  if (session) life_close(session);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  // Without its own time limit it still waits when the master starts.
  client_t client;
  pthread_t thread;
  SLI_REQUIRE(client_start(&client, &cluster, 0, &thread));
  SLI_EXPECT(life_start(&cluster, 0, NULL));
  pthread_join(thread, NULL);
  SLI_EXPECT_TEXT(client.message, "");
  SLI_EXPECT_NEAR(client.value, 7, 0);
  life_stop(&cluster);
}

// The deadline of a step also applies to its partitions. The client gets DeadlineExceeded, whichever task notices it
// first.
SLI_TEST(test_a_deadline_is_a_deadline_whoever_sees_it_first) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL) && life_start(&cluster, 1, NULL));
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_Output never = life_blocking_op(graph, "never", "/job:ps/task:0");
  TF_Session *session = life_try_session(graph, life_target(&cluster, 1), NULL, 0, status);
  SLI_REQUIRE(session != NULL);
  TF_Buffer *options = TF_NewBufferFromString("\x10\x1e", 2);  // RunOptions { timeout_in_ms: 30 }
  for (int i = 0; i < 40; i++) {
    TF_Tensor *value = NULL;
    TF_SessionRun(session, options, NULL, NULL, 0, &never, &value, 1, NULL, 0, NULL, status);
    SLI_EXPECT_INT(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    SLI_EXPECT_CONTAINS(TF_Message(status), "Deadline Exceeded");
  }
  TF_DeleteBuffer(options);
  life_close(session);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  life_stop(&cluster);
}

// Two ps tasks that were started with each other's index, as seen by a worker.
SLI_TEST(test_swapped_tasks_are_named) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "ps", 1);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 2, (const char *const[]){"--wait_secs=2", NULL}));
  int port = cluster.tasks[0].port;
  cluster.tasks[0].port = cluster.tasks[1].port;
  cluster.tasks[1].port = port;
  SLI_REQUIRE(life_start(&cluster, 0, NULL) && life_start(&cluster, 1, NULL));
  client_t client;
  pthread_t thread;
  SLI_REQUIRE(client_start(&client, &cluster, 2, &thread));
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(client.code, TF_FAILED_PRECONDITION);
  SLI_EXPECT_CONTAINS(client.message, "should be /job:ps/replica:0/task:");
  SLI_EXPECT_CONTAINS(client.message, "is a job name or task index wrong");
  life_stop(&cluster);
}

// A client that gives up leaves no session, and the server can stop while a client waits.
SLI_TEST(test_a_server_stops_while_a_session_waits) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 1, NULL));
  client_t client;
  pthread_t thread;
  SLI_REQUIRE(client_start(&client, &cluster, 1, &thread));
  SLI_EXPECT(life_wait_log(&cluster, 1, "Scanning workers for devices"));
  life_kill(&cluster, 1, SIGTERM);
  SLI_EXPECT_INT(life_wait_exit(&cluster, 1, LIFE_PATIENCE_MILLIS), 0);
  pthread_join(thread, NULL);
  SLI_EXPECT(client.code == TF_UNAVAILABLE || client.code == TF_CANCELLED);
}

// --- What a task logs at its start ---

// Runs "sluice serve" with |arguments| until it ends or prints |text|. Returns its output, which the caller frees.
static char *start_and_read(const char *const *arguments, const char *text, int *out_code) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "none", 0);  // adds no flag with hosts, only those of the task
  SLI_EXPECT(life_spawn(&cluster, 0, arguments));
  if (text) SLI_EXPECT(life_wait_log(&cluster, 0, text));
  if (text) life_kill(&cluster, 0, SIGTERM);
  *out_code = life_wait_exit(&cluster, 0, LIFE_PATIENCE_MILLIS);
  return life_log(&cluster, 0);
}

SLI_TEST(test_a_foreign_address_is_said_with_the_index_that_fits) {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  char hosts[512];
  snprintf(hosts, sizeof(hosts), "--worker_hosts=192.0.2.77:%d,%s:%d", sli_test_free_port(), host,
           sli_test_free_port());
  int code;
  char *log = start_and_read((const char *const[]){hosts, "--job_name=worker", "--task_index=0", NULL},
                             "Started server", &code);
  SLI_EXPECT_CONTAINS(log, "(/job:worker/replica:0/task:0) is not an address of this machine");
  SLI_EXPECT_CONTAINS(log, "listening on all addresses");
  SLI_EXPECT_CONTAINS(log, "Task 1 of job 'worker'");
  SLI_EXPECT_CONTAINS(log, "is the task index right?");
  SLI_EXPECT_INT(code, 0);
  free(log);
}

static int count_lines(const char *text) {
  int count = 0;
  for (; (text = strchr(text, '\n')); text++) count++;
  return count;
}

SLI_TEST(test_what_cannot_start_says_why_in_one_line) {
  life_cluster_t other = {0};
  life_add(&other, "worker", 0);
  SLI_REQUIRE(life_start(&other, 0, NULL));
  char in_use[64];
  snprintf(in_use, sizeof(in_use), "--worker_hosts=localhost:%d", other.tasks[0].port);
  const struct {
    const char *hosts, *job, *index, *text;
  } cases[] = {
      {in_use, "--job_name=worker", "--task_index=0", "address already in use"},
      {"--worker_hosts=localhost", "--job_name=worker", "--task_index=0", "localhost"},
      {"--worker_hosts=localhost:2222", "--job_name=ps", "--task_index=0", "ps"},
      {"--worker_hosts=localhost:2222", "--job_name=worker", "--task_index=3", "3"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    int code;
    char *log = start_and_read((const char *const[]){cases[i].hosts, cases[i].job, cases[i].index, NULL}, NULL, &code);
    SLI_EXPECT_CONTAINS(log, cases[i].text);
    SLI_EXPECT_INT(count_lines(log), 1);
    SLI_EXPECT(code >= 1 && code <= 127);
    free(log);
  }
  life_stop(&other);
}

SLI_TEST_MAIN(test_start_order_does_not_matter_and_who_is_missing_is_said, test_the_wait_ends_with_the_reason,
              test_a_client_waits_for_its_master, test_a_deadline_is_a_deadline_whoever_sees_it_first,
              test_swapped_tasks_are_named, test_a_server_stops_while_a_session_waits,
              test_a_foreign_address_is_said_with_the_index_that_fits, test_what_cannot_start_says_why_in_one_line)
