// `sluice status` and `sluice doctor` on real tasks, and on everything that can
// stand in a task's place, each made for real.
#include <arpa/inet.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/test.h"
#include "dist/env_internal.h"
#include "dist/server.h"
#include "life_internal.h"
#include "proto/wire.h"
#include "rpc/server.h"
#include "sluice/cluster.h"
#include "tool_internal.h"

static void expect(const sli_tool_run_t *run, int code, const char *out) {
  SLI_EXPECT_INT(run->code, code);
  SLI_EXPECT_CONTAINS(run->out, out);
}

SLI_TEST(test_status_shows_tasks_and_what_they_hold) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL) || !life_start(&cluster, 1, NULL)) return life_stop(&cluster);
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *assign;
  life_variable(graph, "weights", "/job:ps/task:0", 7, &assign);
  TF_Session *session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  TF_Status *status = TF_NewStatus();
  life_run(session, NULL, assign, status);
  LIFE_EXPECT_OK(status);
  sli_tool_run_t run;
  SLI_TOOL(&run, "status", life_address(&cluster, 0));
  expect(&run, 0, "weights");
  SLI_EXPECT_CONTAINS(run.out, "worker 0");
  SLI_EXPECT_CONTAINS(run.out, "/job:ps/replica:0/task:0/device:CPU:0");
  sli_tool_run_release(&run);
  SLI_TOOL(&run, "status", life_target(&cluster, 1), "--json");
  SLI_EXPECT_INT(run.code, 0);
  json_t *report = json_loads(run.out, 0, NULL);
  SLI_EXPECT_INT(json_array_size(json_object_get(report, "tasks")), 2);
  json_decref(report);
  sli_tool_run_release(&run);
  // One down: it is named, and the code says that a retry may help.
  life_kill(&cluster, 0, 9);
  SLI_TOOL(&run, "status", life_address(&cluster, 1), "--timeout=40");
  expect(&run, 128, "DOWN");
  SLI_EXPECT_CONTAINS(run.out, "Connection refused");
  sli_tool_run_release(&run);
  SLI_TOOL(&run, "status", life_address(&cluster, 0), "--timeout=40");
  SLI_EXPECT_INT(run.code, 128);
  SLI_EXPECT_CONTAINS(run.err, "Connection refused");
  sli_tool_run_release(&run);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

// Reads from |terminal| until |text| has come |times|; false, and a failed test, after a long time.
static bool read_until(int terminal, sli_string_t *seen, const char *text, int times) {
  struct pollfd poller = {.fd = terminal, .events = POLLIN};
  for (;;) {
    int count = 0;
    for (const char *at = sli_string_text(seen); (at = strstr(at, text)); at += strlen(text)) count++;
    if (count >= times) return true;
    char buffer[4096];
    ssize_t size = poll(&poller, 1, LIFE_PATIENCE_MILLIS) > 0 ? read(terminal, buffer, sizeof(buffer)) : 0;
    if (size <= 0) {
      sli_test_fail(__FILE__, __LINE__, "'%s' came %d times in: %s", text, count, sli_string_text(seen));
      return false;
    }
    sli_string_append(seen, buffer, (size_t)size);
  }
}

SLI_TEST(test_status_on_a_terminal_is_redrawn_until_interrupted) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  SLI_REQUIRE(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
  int inside = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
  char *argv[] = {(char *)sli_tool_path(), (char *)"status", (char *)life_address(&cluster, 0), (char *)"--watch=0.5",
                  NULL};
  pid_t pid = 0;
  SLI_EXPECT_OK(sli_process_start(&(sli_process_options_t){.argv = argv, .output = inside, .error = inside}, &pid));
  close(inside);
  sli_string_t seen = {0};
  read_until(terminal, &seen, "\033[H\033[2J", 3);
  SLI_EXPECT_CONTAINS(sli_string_text(&seen), "ps 0");
  kill(pid, SIGINT);
  int wait_status = 0;
  waitpid(pid, &wait_status, 0);
  SLI_EXPECT(WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGINT);
  close(terminal);
  sli_string_deinitialize(&seen);
  life_stop(&cluster);
}

SLI_TEST(test_doctor_finds_a_healthy_cluster_healthy) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL) || !life_start(&cluster, 1, NULL)) return life_stop(&cluster);
  sli_tool_run_t run;
  SLI_TOOL(&run, "doctor", life_target(&cluster, 0), "--megabytes=1");
  expect(&run, 0, "MB/s");
  SLI_EXPECT_CONTAINS(run.out, "worker 0");
  SLI_EXPECT_CONTAINS(run.out, ", incarnation ");
  SLI_EXPECT(!strstr(run.out, "FAILED"));
  sli_tool_run_release(&run);
  // A proxy changes nothing, but is named.
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  SLI_TOOL(&run, "doctor", life_target(&cluster, 0), "--megabytes=0");
  expect(&run, 0, "http_proxy=http://127.0.0.1:1");
  sli_tool_run_release(&run);
  unsetenv("http_proxy");
  // The addresses of two tasks exchanged.
  char *flags[] = {sli_format("--ps_hosts=%s", life_address(&cluster, 1)),
                   sli_format("--worker_hosts=%s", life_address(&cluster, 0))};
  SLI_TOOL(&run, "doctor", flags[0], flags[1], "--megabytes=0");
  expect(&run, 1, "should be /job:ps/replica:0/task:0, but /job:worker/replica:0/task:0 answers there");
  sli_tool_run_release(&run);
  free(flags[0]);
  free(flags[1]);
  life_stop(&cluster);
}

// One process under two names is told once: at the entry that is wrong, or at the second if both fit.
SLI_TEST(test_doctor_knows_one_process_behind_two_addresses) {
  static const struct {
    const char *before, *between;  // the port
  } clusters[] = {
      {"ps|localhost:", ";127.0.0.1:"},
      {"worker|127.0.0.1:", ",ps|localhost:"},
      {"ps|localhost:", ",ps|127.0.0.1:"},
  };
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  sl_probe_t *probe = sl_cluster_probe(life_address(&cluster, 0), NULL, 0, LIFE_PATIENCE_MILLIS, 0);
  SLI_EXPECT(probe->incarnation != 0);
  int port = cluster.tasks[0].port;
  char *told = sli_format(
      "/job:ps/replica:0/task:0 answers, the same process as at localhost:%d (ps 0; incarnation %llu): ", port,
      (unsigned long long)probe->incarnation);
  sl_probe_free(probe);
  for (size_t i = 0; i < SLI_COUNT_OF(clusters); i++) {
    char *text = sli_format("%s%d%s%d", clusters[i].before, port, clusters[i].between, port);
    sli_tool_run_t run;
    SLI_TOOL(&run, "doctor", text, "--megabytes=0");
    expect(&run, 1, told);
    SLI_EXPECT_CONTAINS(run.out, "round trip");  // the other one is well
    const char *at = strstr(run.out, told);
    SLI_EXPECT(at && !strstr(at + 1, told));
    sli_tool_run_release(&run);
    free(text);
  }
  free(told);
  life_stop(&cluster);
}

SLI_TEST(test_doctor_tells_names_from_ports) {
  sli_tool_run_t run;
  char *cluster = sli_format("ps|no-such-host.invalid:2222,worker|127.0.0.1:%d", sli_test_free_port());
  SLI_TOOL(&run, "doctor", cluster, "--timeout=40");
  expect(&run, 1, "DNS resolution failed");
  SLI_EXPECT_CONTAINS(run.out, "Connection refused");
  sli_tool_run_release(&run);
  // Only not up yet.
  SLI_TOOL(&run, "doctor", strchr(cluster, ',') + 1);
  expect(&run, 128, "Connection refused");
  sli_tool_run_release(&run);
  free(cluster);
  SLI_TOOL(&run, "doctor", "ps|");
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_CONTAINS(run.err, "is no cluster");
  sli_tool_run_release(&run);
}

// Answers every connection as an HTTP/1 server does, until the listener is closed.
static void *serve_http1(void *context) {
  int listener = *(int *)context, fd;
  while ((fd = accept(listener, NULL, NULL)) >= 0) {
    char buffer[512];
    (void)!recv(fd, buffer, sizeof(buffer), 0);
    static const char answer[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    (void)!send(fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL);
    close(fd);
  }
  return NULL;
}

SLI_TEST(test_doctor_knows_an_http1_listener) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof(address);
  SLI_REQUIRE(!bind(listener, (struct sockaddr *)&address, size) && !listen(listener, 8) &&
              !getsockname(listener, (struct sockaddr *)&address, &size));
  pthread_t thread;
  pthread_create(&thread, NULL, serve_http1, &listener);
  char *cluster = sli_format("ps|127.0.0.1:%d", ntohs(address.sin_port));
  sli_tool_run_t run;
  SLI_TOOL(&run, "doctor", cluster, "--timeout=40");
  expect(&run, 1, "HTTP");
  sli_tool_run_release(&run);
  free(cluster);
  shutdown(listener, SHUT_RDWR);
  pthread_join(thread, NULL);
  close(listener);
}

// A task whose clock is an hour ahead: as much of one as a probe asks for.
static void answer_ahead(void *context, sli_rpc_request_t *request) {
  const char *method = sli_rpc_request_method(request);
  sli_string_t reply = {0};
  if (strstr(method, "/GetStatus")) {
    size_t device = sli_wire_open(&reply, 1);
    sli_wire_write_text(&reply, 1, "/job:ps/replica:0/task:0/device:CPU:0");
    sli_wire_write_text(&reply, 2, "CPU");
    sli_wire_write_fixed64(&reply, 6, 77);
    sli_wire_close(&reply, device);
  } else if (strstr(method, "/Hello")) {
    sli_wire_write_text(&reply, 1, SLUICE_VERSION);
    sli_wire_write_text(&reply, 2, "/job:ps/replica:0/task:0");
    sli_wire_write_uint(&reply, 4, (uint64_t)(sli_wall_micros() + 3600 * 1000000LL));
    sli_wire_write_fixed64(&reply, 5, 77);
  }
  sli_slices_t slices = {0};
  sli_slices_append_string(&slices, &reply);
  sli_rpc_request_respond(request, NULL, &slices);
}

SLI_TEST(test_doctor_notices_a_skewed_clock) {
  static const sli_rpc_service_t service = {.handle = answer_ahead};
  sli_env_process();
  sli_rpc_server_t *server;
  SLI_REQUIRE_OK(sli_rpc_server_create(sli_env_process_loop(), "127.0.0.1", 0, &service, NULL, &server));
  char *cluster = sli_format("ps|127.0.0.1:%d", sli_rpc_server_port(server));
  sli_tool_run_t run;
  SLI_TOOL(&run, "doctor", cluster, "--megabytes=0");
  expect(&run, 1, "its clock is 3600.0 s ahead of ours");
  sli_tool_run_release(&run);
  free(cluster);
  sli_rpc_server_destroy(server);
}

SLI_TEST_MAIN(test_status_shows_tasks_and_what_they_hold, test_status_on_a_terminal_is_redrawn_until_interrupted,
              test_doctor_finds_a_healthy_cluster_healthy, test_doctor_knows_one_process_behind_two_addresses,
              test_doctor_tells_names_from_ports, test_doctor_knows_an_http1_listener,
              test_doctor_notices_a_skewed_clock)
