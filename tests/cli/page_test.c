// HTTP of tasks: health, metrics, the report and the trace behind the page, the page itself; and who may have them.
// tests/metrics looks at them with a real Prometheus and a real browser.
#include <arpa/inet.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/test.h"
#include "tests/life/life.h"
#include "tests/support/tool.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

// The whole reply to |request| ("GET /metrics") at |port|, with |header| ("" or a line); the caller frees it.
static char *ask(int port, const char *request, const char *header) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sli_string_t reply = {0};
  if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0) {
    char *text = sli_format("%s HTTP/1.1\r\nHost: localhost\r\n%sConnection: close\r\n\r\n", request, header);
    (void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
    free(text);
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    char buffer[4096];
    for (ssize_t size;
         poll(&waiting, 1, 2 * LIFE_PATIENCE_MILLIS) > 0 && (size = recv(fd, buffer, sizeof(buffer), 0)) > 0;)
      sli_string_append(&reply, buffer, (size_t)size);
  }
  close(fd);
  sli_string_append(&reply, "", 0);
  return sli_string_take(&reply);
}

static void expect_reply(int port, const char *request, const char *header, const char *part) {
  char *reply = ask(port, request, header);
  SLI_EXPECT_CONTAINS(reply, part);
  free(reply);
}

// Asks until the reply contains |part|: a server may not listen yet, and metrics may be those of a moment ago.
static void wait_for_reply(int port, const char *request, const char *part) {
  for (int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);; usleep(10000)) {
    char *reply = ask(port, request, "");
    bool found = strstr(reply, part) != NULL, late = sli_clock_now_nanos() > deadline;
    if (late) SLI_EXPECT_CONTAINS(reply, part);
    free(reply);
    if (found || late) return;
  }
}

static json_t *ask_json(int port, const char *request) {
  char *reply = ask(port, request, "");
  const char *body = strstr(reply, "\r\n\r\n");
  json_error_t error;
  json_t *json = json_loads(body ? body : "", 0, &error);
  if (!json) sli_test_fail(__FILE__, __LINE__, "%s: no JSON (%s): %.300s", request, error.text, reply);
  free(reply);
  return json;
}

// Starts a ps and a worker, the latter with HTTP. Returns the port; 0 and fails the test on an error.
static int start_cluster(life_cluster_t *cluster, const char *address) {
  life_add(cluster, "ps", 0);
  life_add(cluster, "worker", 0);
  int port = sli_test_free_port();
  char *http = sli_format("--http=%s%d", address, port);
  bool serves = life_start(cluster, 0, NULL) && life_start(cluster, 1, (const char *const[]){http, NULL});
  free(http);
  return serves ? port : 0;
}

static const json_t *find(const json_t *rows, const char *key, const char *value) {
  size_t i;
  json_t *row;
  json_array_foreach(rows, i, row) {
    const char *text = json_string_value(json_object_get(row, key));
    if (text && !strcmp(text, value)) return row;
  }
  return NULL;
}

static int64_t number(const json_t *row, const char *key) { return json_integer_value(json_object_get(row, key)); }

SLI_TEST(test_health_metrics_and_the_report) {
  life_cluster_t cluster = {0};
  int port = start_cluster(&cluster, "");
  if (!port) return life_stop(&cluster);
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Operation *assign;
  TF_Output weights = life_variable(graph, "weights", "/job:ps/task:0", 7, &assign);
  TF_Session *session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  life_run(session, NULL, assign, status);
  SLI_EXPECT_NEAR(life_run(session, &weights, NULL, status), 7, 0);
  LIFE_EXPECT_OK(status);
  expect_reply(port, "GET /healthz", "", "200 OK");
  expect_reply(port, "GET /readyz", "", "\r\n\r\nready\n");
  expect_reply(port, "GET /metrics", "", "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
  expect_reply(port, "GET /metrics", "", "\nsluice_info{task=\"/job:worker/replica:0/task:0\"");
  expect_reply(port, "GET /metrics", "", "\nsluice_session_step_seconds_count 2\n");
  expect_reply(port, "GET /metrics", "", "\nsluice_sessions{role=\"master\"} 1\n");
  expect_reply(port, "GET /metrics", "",
               "\nsluice_peer_calls_total{peer=\"/job:ps/replica:0/task:0\",direction=\"out\"}");
  expect_reply(port, "GET /nowhere", "", "404 Not Found");
  expect_reply(port, "POST /metrics", "", "405 ");
  expect_reply(port, "GET /trace?task=worker%200", "", "405 ");
  expect_reply(port, "GET /", "", "<title>Sluice</title>");
  expect_reply(port, "GET /", "", "Content-Security-Policy: default-src 'none'");
  // A step that fails is counted.
  TF_Output nowhere = life_variable(graph, "unset", "/job:ps/task:0", 7, &assign);
  life_run(session, &nowhere, NULL, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_FAILED_PRECONDITION);
  wait_for_reply(port, "GET /metrics", "{of=\"session_step\",code=\"FAILED_PRECONDITION\"} 1\n");
  // The report of the page and that of the command say the same.
  json_t *report = ask_json(port, "GET /status.json");
  tool_run_t run;
  TOOL_RUN(&run, "status", life_address(&cluster, 1), "--json");
  json_t *other = json_loads(run.out, 0, NULL);
  tool_run_release(&run);
  const json_t *ps = find(json_object_get(report, "tasks"), "task", "ps 0"),
               *same = find(json_object_get(other, "tasks"), "task", "ps 0");
  const json_t *weight = find(json_object_get(ps, "variables"), "name", "weights");
  SLI_EXPECT(weight && json_equal(weight, find(json_object_get(same, "variables"), "name", "weights")));
  SLI_EXPECT_INT(number(weight, "bytes"), 4);
  SLI_EXPECT_INT(number(ps, "steps"), number(same, "steps"));
  SLI_EXPECT(number(json_object_get(ps, "graph"), "nodes") > 0);
  const json_t *peer = find(json_object_get(ps, "peers"), "name", "/job:worker/replica:0/task:0");
  SLI_EXPECT(peer && json_object_get(peer, "waiting"));
  json_decref(report);
  json_decref(other);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

// Runs steps of a session until told to stop.
typedef struct {
  TF_Session *session;
  TF_Output value;
  atomic_bool stop;
} trainer_t;

static void *train(void *context) {
  trainer_t *trainer = context;
  TF_Status *status = TF_NewStatus();
  while (!atomic_load(&trainer->stop)) life_run(trainer->session, &trainer->value, NULL, status);
  TF_DeleteStatus(status);
  return NULL;
}

SLI_TEST(test_trace_of_a_step) {
  life_cluster_t cluster = {0};
  int port = start_cluster(&cluster, "127.0.0.1:");
  if (!port) return life_stop(&cluster);
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Operation *assign;
  trainer_t trainer = {.value = life_variable(graph, "weights", "/job:ps/task:0", 7, &assign)};
  TF_Output copy[] = {trainer.value};
  trainer.value = life_finish(life_op(graph, "Identity", "copy", "/job:worker/task:0", copy, 1));
  trainer.session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  life_run(trainer.session, NULL, assign, status);
  LIFE_EXPECT_OK(status);
  pthread_t thread;
  SLI_EXPECT_INT(pthread_create(&thread, NULL, train, &trainer), 0);
  json_t *trace = ask_json(port, "POST /trace?task=worker%200");
  const json_t *events = json_object_get(trace, "traceEvents");
  SLI_EXPECT(find(events, "name", "Identity") || find(events, "name", "VariableV2"));
  json_decref(trace);
  expect_reply(port, "POST /trace", "", "400 ");
  expect_reply(port, "POST /trace?task=worker%207", "", "there is no task 'worker 7'");
  atomic_store(&trainer.stop, true);
  pthread_join(thread, NULL);
  life_close(trainer.session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

SLI_TEST(test_the_token_guards_all_but_health) {
  life_cluster_t cluster = {0};
  setenv("SLUICE_TOKEN", TOKEN, 1);
  int port = start_cluster(&cluster, "");
  unsetenv("SLUICE_TOKEN");
  if (!port) return life_stop(&cluster);
  static const char good[] = "Authorization: Bearer " TOKEN "\r\n", bad[] = "Authorization: Bearer " TOKEN "0\r\n";
  expect_reply(port, "GET /healthz", "", "200 OK");
  expect_reply(port, "GET /readyz", "", "200 OK");
  static const char *const guarded[] = {"GET /", "GET /metrics", "GET /status.json", "POST /trace?task=worker%200"};
  for (size_t i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++) {
    expect_reply(port, guarded[i], "", "401 Unauthorized");
    expect_reply(port, guarded[i], bad, "401 Unauthorized");
  }
  expect_reply(port, "GET /metrics", good, "sluice_info");
  expect_reply(port, "GET /status.json", good, "\"task\":\"ps 0\"");
  life_stop(&cluster);
}

// What openssl prints of the reply to a request over TLS, with or without the client's certificate; the caller frees
// it.
static char *ask_with_tls(int port, const char *keys, bool has_cert) {
  const char *out = tool_scratch("tls_reply");
  char *cert = has_cert ? sli_format("-cert %s/localhost.pem -key %s/localhost-key.pem", keys, keys) : sli_strdup("");
  char *command = sli_format(
      "{ printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n'; sleep 1; } | "
      "timeout 60 openssl s_client -quiet -alpn http/1.1 -verify_return_error -CAfile %s/ca.pem %s -connect "
      "localhost:%d > %s 2>&1",
      keys, cert, port, out);
  (void)!system(command);
  free(command);
  free(cert);
  return tool_read_text(out);
}

SLI_TEST(test_certificates_guard_all) {
  const char *keys = tool_scratch("keys");
  tool_run_t run;
  TOOL_RUN(&run, "keys", keys, "--hosts", "localhost");
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  static const char *const names[] = {"SLUICE_TLS_CERT", "SLUICE_TLS_KEY", "SLUICE_TLS_CA"};
  static const char *const files[] = {"localhost.pem", "localhost-key.pem", "ca.pem"};
  for (int i = 0; i < 3; i++) setenv(names[i], tool_path_in(keys, files[i]), 1);
  life_cluster_t cluster = {0};
  int port = start_cluster(&cluster, "");
  for (int i = 0; i < 3; i++) unsetenv(names[i]);
  if (!port) return life_stop(&cluster);
  char *reply = ask_with_tls(port, keys, true);
  SLI_EXPECT_CONTAINS(reply, "sluice_info{task=\"/job:worker/replica:0/task:0\"");
  free(reply);
  reply = ask_with_tls(port, keys, false);
  SLI_EXPECT(!strstr(reply, "sluice_info"));
  free(reply);
  reply = ask(port, "GET /healthz", "");  // without TLS there is no HTTP at all
  SLI_EXPECT(!strstr(reply, "HTTP/1.1"));
  free(reply);
  life_stop(&cluster);
}

SLI_TEST(test_bad_addresses) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  static const struct {
    const char *flag, *message;
  } cases[] = {{"--http=web", "PORT, ADDRESS:PORT or [IPV6]:PORT"},
               {"--http=70000", "got '70000'"},
               {"--http=::1:9100", "got '::1:9100'"},
               {"--http=nowhere.invalid:9100", "nowhere.invalid"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    SLI_REQUIRE(life_spawn(&cluster, 0, (const char *const[]){cases[i].flag, NULL}));
    SLI_EXPECT_INT(life_wait_exit(&cluster, 0, LIFE_PATIENCE_MILLIS), 1);
    char *log = life_log(&cluster, 0);
    SLI_EXPECT_CONTAINS(log, cases[i].message);
    free(log);
  }
  life_stop(&cluster);
}

// `sluice status --serve` shows the cluster of another process, also when that goes.
SLI_TEST(test_status_serves_the_page) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  int port = sli_test_free_port();
  char *serve = sli_format("--serve=%d", port);
  tool_run_t run;
  tool_start(&run, -1, (const char *const[]){"status", life_address(&cluster, 0), serve, NULL});
  free(serve);
  wait_for_reply(port, "GET /healthz", "200 OK");
  expect_reply(port, "GET /", "", "<title>Sluice</title>");
  expect_reply(port, "GET /status.json", "", "\"task\":\"ps 0\"");
  expect_reply(port, "GET /metrics", "", "404 Not Found");  // it is no task
  life_kill(&cluster, 0, SIGKILL);
  expect_reply(port, "GET /status.json", "", "\"up\":false");
  if (run.pid > 0) kill(run.pid, SIGTERM);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, -SIGTERM);
  SLI_EXPECT_CONTAINS(run.out, "The page: http://localhost:");
  tool_run_release(&run);
  life_stop(&cluster);
}

SLI_TEST(test_launch_gives_each_task_a_port) {
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--http", "9100", "--ps", "1", "--workers", "2", "--", "sh", "-c",
           "echo port $SLUICE_HTTP of $TF_CONFIG");
  SLI_EXPECT_CONTAINS(run.out, "port 9100 of");
  SLI_EXPECT_CONTAINS(run.out, "port 9101 of");
  SLI_EXPECT_CONTAINS(run.out, "port 9102 of");
  tool_run_release(&run);
}

SLI_TEST_MAIN(test_health_metrics_and_the_report, test_trace_of_a_step, test_the_token_guards_all_but_health,
              test_certificates_guard_all, test_bad_addresses, test_status_serves_the_page,
              test_launch_gives_each_task_a_port)
