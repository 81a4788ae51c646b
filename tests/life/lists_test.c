// Tasks that were started with different lists of the cluster's tasks: at the first contact, the user gets one error
// with the difference, the other task logs it, and `sluice doctor` finds it.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "dist/env/env_process.h"
#include "proto/service.fields.h"
#include "proto/wire.h"
#include "rpc/channel.h"
#include "tests/life/life.h"
#include "tests/life/life_wire.h"
#include "tests/support/tool.h"

enum { PS, WORKER, OTHER };

// Two views of one cluster: that of the ps, and that of the workers.
typedef struct {
  life_cluster_t ps, workers;
} views_t;

static views_t add_tasks(int worker_count) {
  views_t views = {0};
  life_add(&views.ps, "ps", 0);
  for (int i = 0; i < worker_count; i++) life_add(&views.ps, "worker", i);
  views.workers = views.ps;
  return views;
}

static void stop(views_t *views) {
  life_stop(&views->workers);
  life_stop(&views->ps);
}

static int count(const char *text, const char *part) {
  int found = 0;
  for (const char *at = text; (at = strstr(at, part)); at++) found++;
  return found;
}

// A session on the worker |task|, which must be told |wanted|; also the second time. The ps logs it once.
static void expect_refusal(const views_t *views, int task, const char *wanted) {
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Output six = life_constant(graph, "six", "/job:ps/task:0", 6);
  for (int i = 0; i < 2; i++) {
    TF_Session *session = life_try_session(graph, life_target(&views->workers, task), NULL, 0, status);
    if (session) life_run(session, &six, NULL, status);
    SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
    SLI_EXPECT_CONTAINS(TF_Message(status), wanted);
    SLI_EXPECT_CONTAINS(TF_Message(status), "Start all tasks with the same lists");
    if (session) life_close(session);
  }
  char *log = life_log(&views->ps, PS);
  SLI_EXPECT_INT(count(log, wanted), 1);
  free(log);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
}

static void expect_doctor(const char *target, const char *wanted) {
  tool_run_t run;
  TOOL_RUN(&run, "doctor", target, "--megabytes=0");
  if (run.code != 1 || !strstr(run.out, wanted))
    sli_test_fail(__FILE__, __LINE__, "doctor ended with %d and without '%s':\n%s%s", run.code, wanted, run.out,
                  run.err);
  tool_run_release(&run);
}

SLI_TEST(test_another_port_is_found) {
  views_t views = add_tasks(1);
  int listed = views.ps.tasks[WORKER].port, own = views.workers.tasks[WORKER].port = sli_test_free_port();
  if (life_start(&views.ps, PS, NULL) && life_start(&views.workers, WORKER, NULL)) {
    char *text = sli_format(
        "worker 0 is localhost:%d for /job:ps/task:0, localhost:%d for /job:worker/task:0 (failed to "
        "connect to localhost:%d",
        listed, own, listed);
    expect_refusal(&views, WORKER, text);
    free(text);
    text = sli_format("in its list, worker 0 is localhost:%d, not localhost:%d", listed, own);
    expect_doctor(life_target(&views.workers, WORKER), text);
    free(text);
  }
  stop(&views);
}

SLI_TEST(test_another_number_of_tasks_is_found) {
  views_t views = add_tasks(2);
  views.ps.count--;
  if (life_start(&views.ps, PS, NULL) && life_start(&views.workers, WORKER, NULL) &&
      life_start(&views.workers, OTHER, NULL)) {
    int port = views.workers.tasks[OTHER].port;
    char *text = sli_format("worker 1 is not listed for /job:ps/task:0, localhost:%d for /job:worker/task:1", port);
    expect_refusal(&views, OTHER, text);
    free(text);
    text = sli_format("in its list, worker 1 is missing, not localhost:%d", port);
    expect_doctor(life_target(&views.workers, WORKER), text);
    free(text);
    text = sli_format("in its list, worker 1 is localhost:%d, here it is missing", port);
    expect_doctor(life_target(&views.ps, PS), text);
    free(text);
  }
  stop(&views);
}

SLI_TEST(test_another_order_is_found) {
  views_t views = add_tasks(2);
  int first = views.ps.tasks[WORKER].port, second = views.ps.tasks[OTHER].port;
  views.workers.tasks[WORKER].port = second;
  views.workers.tasks[OTHER].port = first;
  if (life_start(&views.ps, PS, NULL) && life_start(&views.workers, WORKER, NULL) &&
      life_start(&views.workers, OTHER, NULL)) {
    char *text = sli_format(
        "worker 0 is localhost:%d for /job:ps/task:0, localhost:%d for /job:worker/task:0; worker 1 is localhost:%d "
        "for "
        "/job:ps/task:0, localhost:%d for /job:worker/task:0 (there, /job:worker/task:1/device:CPU:0 of another "
        "process "
        "answers)",
        first, second, second, first);
    expect_refusal(&views, WORKER, text);
    free(text);
  }
  stop(&views);
}

// TensorFlow's masters do not compare lists, but name themselves when they open a session.
SLI_TEST(test_a_master_that_is_not_listed_is_logged_once) {
  views_t views = add_tasks(1);
  if (life_start(&views.ps, PS, NULL)) {
    sli_rpc_channel_t *channel;
    sli_env_process();
    SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), life_address(&views.ps, PS), NULL, &channel));
    static const char *const masters[] = {"/job:worker/replica:0/task:0", "/job:worker/replica:0/task:7"};
    for (int i = 0; i < 4; i++) {
      char handle[] = {(char)('a' + i), '\0'};
      sli_string_t message = {0};
      sli_wire_write_text(&message, SLI_FIELD_CREATE_WORKER_SESSION_REQUEST_SESSION_HANDLE, handle);
      sli_wire_write_text(&message, SLI_FIELD_CREATE_WORKER_SESSION_REQUEST_MASTER_TASK, masters[i % 2]);
      sli_slices_t request = {0};
      sli_slices_append_string(&request, &message);
      sli_rpc_message_t reply = {0};
      sli_rpc_call_options_t options = {.method = "/tensorflow.WorkerService/CreateWorkerSession",
                                        .deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS)};
      SLI_EXPECT_OK(sli_rpc_call_and_wait(channel, &options, &request, &reply));
      sli_rpc_message_release(&reply);
    }
    char *log = life_log(&views.ps, PS);
    SLI_EXPECT_INT(count(log, "is not in the list of tasks of /job:ps/replica:0/task:0"), 1);
    SLI_EXPECT_CONTAINS(log, "/job:worker/replica:0/task:7 opens a session");
    free(log);
    sli_rpc_channel_destroy(channel);
  }
  stop(&views);
}

// The ps reaches the worker at another address than the worker's own: through a forwarded port.
SLI_TEST(test_an_address_that_leads_to_the_same_task_is_no_difference) {
  static life_wire_t wire;
  views_t views = add_tasks(1);
  if (life_start(&views.workers, WORKER, NULL) && life_wire_start(&wire, views.workers.tasks[WORKER].port)) {
    views.ps.tasks[WORKER].port = wire.port;
    if (life_start(&views.ps, PS, NULL)) {
      TF_Graph *graph = TF_NewGraph();
      TF_Output six = life_constant(graph, "six", "/job:ps/task:0", 6);
      TF_Session *session = life_session(graph, life_target(&views.workers, WORKER), NULL, 0);
      TF_Status *status = TF_NewStatus();
      SLI_EXPECT_NEAR(life_run(session, &six, NULL, status), 6, 0);
      LIFE_EXPECT_OK(status);
      life_close(session);
      TF_DeleteStatus(status);
      TF_DeleteGraph(graph);
      char *log = life_log(&views.ps, PS);
      SLI_EXPECT(!strstr(log, "different lists"));
      free(log);
    }
  }
  stop(&views);
}

SLI_TEST_MAIN(test_another_port_is_found, test_another_number_of_tasks_is_found, test_another_order_is_found,
              test_a_master_that_is_not_listed_is_logged_once,
              test_an_address_that_leads_to_the_same_task_is_no_difference)
