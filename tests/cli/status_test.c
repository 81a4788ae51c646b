// `sluice status` and `sluice doctor` with real tasks, and with everything else that can be at a task's address.
#include <arpa/inet.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/test.h"
#include "dist/env/env_process.h"
#include "proto/control.fields.h"
#include "proto/service.fields.h"
#include "proto/stats.fields.h"
#include "proto/wire.h"
#include "rpc/server.h"
#include "sluice/cluster.h"
#include "tests/life/life.h"
#include "tests/support/tool.h"

static void expect(const tool_run_t *run, int code, const char *out) {
  SLI_EXPECT_INT(run->code, code);
  SLI_EXPECT_CONTAINS(run->out, out);
}

// The variable "global_step" on the ps; returns the operation that sets it to |value|.
static TF_Operation *make_global_step(TF_Graph *graph, int64_t value) {
  static const char ps[] = "/job:ps/task:0";
  TF_Status *status = TF_NewStatus();
  TF_Tensor *tensor = TF_AllocateTensor(TF_INT64, NULL, 0, sizeof(value));
  memcpy(TF_TensorData(tensor), &value, sizeof(value));
  TF_OperationDescription *constant = life_op(graph, "Const", "global_step/value", ps, NULL, 0);
  TF_SetAttrTensor(constant, "value", tensor, status);
  TF_SetAttrType(constant, "dtype", TF_INT64);
  TF_DeleteTensor(tensor);
  TF_OperationDescription *variable = life_op(graph, "VariableV2", "global_step", ps, NULL, 0);
  TF_SetAttrShape(variable, "shape", NULL, 0);
  TF_SetAttrType(variable, "dtype", TF_INT64);
  TF_Output number = life_finish(constant), inputs[] = {life_finish(variable), number};
  TF_DeleteStatus(status);
  return life_finish(life_op(graph, "Assign", "global_step/Assign", ps, inputs, 2)).oper;
}

SLI_TEST(test_status_shows_tasks_and_what_they_hold) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL) || !life_start(&cluster, 1, NULL)) return life_stop(&cluster);
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *assign;
  life_variable(graph, "weights", "/job:ps/task:0", 7, &assign);
  TF_Operation *set_step = make_global_step(graph, 12345678901);
  TF_Session *session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  TF_Status *status = TF_NewStatus();
  life_run(session, NULL, assign, status);
  life_run(session, NULL, set_step, status);
  LIFE_EXPECT_OK(status);
  tool_run_t run;
  TOOL_RUN(&run, "status", life_address(&cluster, 0));
  expect(&run, 0, "weights");
  SLI_EXPECT_CONTAINS(run.out, "worker 0");
  SLI_EXPECT_CONTAINS(run.out, "\nglobal step 12345678901 on ps 0, 0.0 steps/s\n");
  SLI_EXPECT_CONTAINS(run.out, "/job:ps/replica:0/task:0/device:CPU:0");
  tool_run_release(&run);
  TOOL_RUN(&run, "status", life_target(&cluster, 1), "--json");
  SLI_EXPECT_INT(run.code, 0);
  json_t *report = json_loads(run.out, 0, NULL);
  json_t *tasks = json_object_get(report, "tasks");
  SLI_EXPECT_INT(json_array_size(tasks), 2);
  SLI_EXPECT(!json_object_get(json_array_get(tasks, 0), "global_step"));
  SLI_EXPECT_INT(json_integer_value(json_object_get(json_array_get(tasks, 1), "global_step")), 12345678901);
  json_decref(report);
  tool_run_release(&run);
  // One task is down: it is named, and the exit code means that a retry may help.
  life_kill(&cluster, 0, 9);
  TOOL_RUN(&run, "status", life_address(&cluster, 1), "--timeout=40");
  expect(&run, 128, "DOWN");
  SLI_EXPECT_CONTAINS(run.out, "Connection refused");
  tool_run_release(&run);
  TOOL_RUN(&run, "status", life_address(&cluster, 0), "--timeout=40");
  SLI_EXPECT_INT(run.code, 128);
  SLI_EXPECT_CONTAINS(run.err, "Connection refused");
  tool_run_release(&run);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

// Reads from |terminal| until |text| has appeared |times| times; returns false and fails the test after a timeout.
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
  char *argv[] = {(char *)tool_path(), (char *)"status", (char *)life_address(&cluster, 0), (char *)"--watch=0.5",
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

// The largest number of lines, and of columns, between two redraws. Escape sequences take no column.
static void measure(const char *screen, const char *end, int *lines, int *columns) {
  int column = 0;
  *lines = 0, *columns = 0;
  for (const char *at = screen; at < end; at++) {
    if (*at == '\033') {
      while (at < end && *at != 'm') at++;
    } else if (*at == '\n') {
      *lines += 1, column = 0;
    } else if (*at != '\r' && ((unsigned char)*at & 0xc0) != 0x80 && ++column > *columns) {
      *columns = column;
    }
  }
}

// More tasks, sessions and variables than a terminal has lines; nothing may scroll or wrap.
SLI_TEST(test_status_on_a_terminal_fits) {
  enum { VARIABLES = 30, ROWS = 24, COLUMNS = 80 };
  static const char clear[] = "\033[H\033[2J";
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  life_add(&cluster, "worker", 1);
  for (int i = 0; i < 3; i++)
    if (!life_start(&cluster, i, NULL)) return life_stop(&cluster);
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Operation *assigns[VARIABLES];
  char name[64];
  for (int i = 0; i < VARIABLES; i++) {
    snprintf(name, sizeof(name), "a_scope/of_quite_a_long_name/as_models_have/w_%d", i);
    life_variable(graph, name, "/job:ps/task:0", 7, &assigns[i]);
  }
  TF_Operation *set_step = make_global_step(graph, 77);
  TF_Session *session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  for (int i = 0; i < VARIABLES; i++) life_run(session, NULL, assigns[i], status);
  life_run(session, NULL, set_step, status);
  LIFE_EXPECT_OK(status);
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  SLI_REQUIRE(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
  int inside = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
  SLI_EXPECT(ioctl(terminal, TIOCSWINSZ, &(struct winsize){.ws_row = ROWS, .ws_col = COLUMNS}) == 0);
  char *argv[] = {(char *)tool_path(), (char *)"status", (char *)life_address(&cluster, 0), (char *)"--watch=0.5",
                  NULL};
  pid_t pid = 0;
  SLI_EXPECT_OK(sli_process_start(&(sli_process_options_t){.argv = argv, .output = inside, .error = inside}, &pid));
  close(inside);
  sli_string_t seen = {0};
  if (read_until(terminal, &seen, clear, 3)) {
    const char *screen = strstr(seen.data, clear) + strlen(clear), *end = strstr(screen, clear);
    int lines, columns;
    measure(screen, end, &lines, &columns);
    if (lines >= ROWS || columns > COLUMNS)
      sli_test_fail(__FILE__, __LINE__, "%d lines of up to %d columns: %s", lines, columns, screen);
    SLI_EXPECT_CONTAINS(screen, "a_scope/of_quite");
    const char *task = strstr(screen, "worker 1"), *memory = strstr(screen, "memory");
    SLI_EXPECT_CONTAINS(screen, "from worker 0");
    const char *step = strstr(screen, "global step 77 on ps 0");
    SLI_EXPECT(step && task && step > task && step < end);
    SLI_EXPECT(task && memory && task < end && memory < strchr(screen, '\n'));
  }
  kill(pid, SIGINT);
  waitpid(pid, NULL, 0);
  close(terminal);
  sli_string_deinitialize(&seen);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

SLI_TEST(test_status_and_doctor_refuse_what_is_no_address) {
  static const char *const targets[] = {"localhost", "grpc://localhost", "localhost:",      "localhost:http",
                                        ":2222",     "localhost:0",      "localhost:70000", "::1"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(targets); i++) {
    tool_run_t run;
    char *message = sli_format("sluice: TARGET must be HOST:PORT or grpc://HOST:PORT, got '%s'\n", targets[i]);
    for (int command = 0; command < 2; command++) {
      TOOL_RUN(&run, command ? "doctor" : "status", targets[i]);
      SLI_EXPECT_INT(run.code, 2);
      SLI_EXPECT_TEXT(run.err, message);
      tool_run_release(&run);
    }
    free(message);
  }
}

SLI_TEST(test_doctor_finds_a_healthy_cluster_healthy) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL) || !life_start(&cluster, 1, NULL)) return life_stop(&cluster);
  tool_run_t run;
  TOOL_RUN(&run, "doctor", life_target(&cluster, 0), "--megabytes=1");
  expect(&run, 0, "MB/s");
  SLI_EXPECT_CONTAINS(run.out, "worker 0");
  SLI_EXPECT_CONTAINS(run.out, ", incarnation ");
  SLI_EXPECT(!strstr(run.out, "FAILED"));
  tool_run_release(&run);
  // A proxy changes nothing, but is named.
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  TOOL_RUN(&run, "doctor", life_target(&cluster, 0), "--megabytes=0");
  expect(&run, 0, "http_proxy=http://127.0.0.1:1");
  tool_run_release(&run);
  unsetenv("http_proxy");
  // The addresses of two tasks exchanged.
  char *flags[] = {sli_format("--ps_hosts=%s", life_address(&cluster, 1)),
                   sli_format("--worker_hosts=%s", life_address(&cluster, 0))};
  TOOL_RUN(&run, "doctor", flags[0], flags[1], "--megabytes=0");
  expect(&run, 1, "should be /job:ps/replica:0/task:0, but /job:worker/replica:0/task:0 answers there");
  tool_run_release(&run);
  free(flags[0]);
  free(flags[1]);
  life_stop(&cluster);
}

// One process under two addresses is reported once: for the wrong entry, or for the second if both are right.
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
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(clusters); i++) {
    char *text = sli_format("%s%d%s%d", clusters[i].before, port, clusters[i].between, port);
    tool_run_t run;
    TOOL_RUN(&run, "doctor", text, "--megabytes=0");
    expect(&run, 1, told);
    SLI_EXPECT_CONTAINS(run.out, "round trip");  // the other one is well
    const char *at = strstr(run.out, told);
    SLI_EXPECT(at && !strstr(at + 1, told));
    tool_run_release(&run);
    free(text);
  }
  free(told);
  life_stop(&cluster);
}

SLI_TEST(test_doctor_tells_names_from_ports) {
  tool_run_t run;
  char *cluster = sli_format("ps|no-such-host.invalid:2222,worker|127.0.0.1:%d", sli_test_free_port());
  TOOL_RUN(&run, "doctor", cluster, "--timeout=40");
  expect(&run, 1, "DNS resolution failed");
  SLI_EXPECT_CONTAINS(run.out, "Connection refused");
  tool_run_release(&run);
  // Only not up yet.
  TOOL_RUN(&run, "doctor", strchr(cluster, ',') + 1);
  expect(&run, 128, "Connection refused");
  tool_run_release(&run);
  free(cluster);
  TOOL_RUN(&run, "doctor", "ps|");
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_CONTAINS(run.err, "is not a cluster");
  tool_run_release(&run);
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
  tool_run_t run;
  TOOL_RUN(&run, "doctor", cluster, "--timeout=40");
  expect(&run, 1, "HTTP");
  tool_run_release(&run);
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
    size_t device = sli_wire_open(&reply, SLI_FIELD_GET_STATUS_RESPONSE_DEVICE_ATTRIBUTES);
    sli_wire_write_text(&reply, SLI_FIELD_DEVICE_ATTRIBUTES_NAME, "/job:ps/replica:0/task:0/device:CPU:0");
    sli_wire_write_text(&reply, SLI_FIELD_DEVICE_ATTRIBUTES_DEVICE_TYPE, "CPU");
    sli_wire_write_fixed64(&reply, SLI_FIELD_DEVICE_ATTRIBUTES_INCARNATION, 77);
    sli_wire_close(&reply, device);
  } else if (strstr(method, "/Hello")) {
    sli_wire_write_text(&reply, SLI_FIELD_HELLO_RESPONSE_VERSION, SLUICE_VERSION);
    sli_wire_write_text(&reply, SLI_FIELD_HELLO_RESPONSE_TASK, "/job:ps/replica:0/task:0");
    sli_wire_write_uint(&reply, SLI_FIELD_HELLO_RESPONSE_WALL_MICROS,
                        (uint64_t)(sli_clock_wall_micros() + 3600 * 1000000LL));
    sli_wire_write_fixed64(&reply, SLI_FIELD_HELLO_RESPONSE_INCARNATION, 77);
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
  tool_run_t run;
  TOOL_RUN(&run, "doctor", cluster, "--megabytes=0");
  expect(&run, 1, "its clock is 3600.0 s ahead of the clock here");
  tool_run_release(&run);
  free(cluster);
  sli_rpc_server_destroy(server);
}

SLI_TEST_MAIN(test_status_shows_tasks_and_what_they_hold, test_status_on_a_terminal_is_redrawn_until_interrupted,
              test_status_on_a_terminal_fits, test_status_and_doctor_refuse_what_is_no_address,
              test_doctor_finds_a_healthy_cluster_healthy, test_doctor_knows_one_process_behind_two_addresses,
              test_doctor_tells_names_from_ports, test_doctor_knows_an_http1_listener,
              test_doctor_notices_a_skewed_clock)
