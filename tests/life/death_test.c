// Tasks that are killed, stopped, unreachable or restarted. Steps that need such a task fail soon and name it; other
// steps continue.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "sluice/cluster.h"
#include "tests/life/life.h"
#include "tests/life/life_wire.h"

// --- Steps in the background ---

typedef struct {
  TF_Session *session;
  TF_Output fetch;
  TF_Operation *target;
  pthread_t thread;
  TF_Code code;
  char message[1024];
  double seconds;
} step_t;

static void *step_main(void *argument) {
  step_t *step = argument;
  TF_Status *status = TF_NewStatus();
  int64_t start = sli_clock_now_nanos();
  life_run(step->session, step->fetch.oper ? &step->fetch : NULL, step->target, status);
  step->seconds = (double)(sli_clock_now_nanos() - start) / 1e9;
  step->code = TF_GetCode(status);
  snprintf(step->message, sizeof(step->message), "%s", TF_Message(status));
  TF_DeleteStatus(status);
  return NULL;
}

static void step_start(step_t *step) { SLI_EXPECT(pthread_create(&step->thread, NULL, step_main, step) == 0); }

static void expect_unavailable(const step_t *step, const char *task) {
  SLI_EXPECT_INT(step->code, TF_UNAVAILABLE);
  SLI_EXPECT_CONTAINS(step->message, task);
  SLI_EXPECT(step->seconds <
             25);  // seven are ours, a probe after four, three for its answer; the rest is the machine's
}

// Three ps tasks, one killed, one stopped, one out of reach, while a step waits on each; a fourth is well.
SLI_TEST(test_a_dead_stopped_or_unreachable_task_fails_its_steps_soon) {
  static life_wire_t wire;
  life_cluster_t cluster = {0};
  for (int i = 0; i < 4; i++) life_add(&cluster, "ps", i);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_wire_start(&wire, cluster.tasks[2].port));
  cluster.tasks[2].seen_port = wire.port;
  for (int i = 0; i < 5; i++) SLI_REQUIRE(life_start(&cluster, i, NULL));
  TF_Graph *graph = TF_NewGraph();
  const char *devices[] = {"/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:2", "/job:ps/task:3"};
  const char *names[] = {"a", "b", "c", "d"};
  step_t steps[3] = {0};
  TF_Output values[4];
  for (int i = 0; i < 4; i++) values[i] = life_constant(graph, names[i], devices[i], (float)i);
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof(name), "wait%d", i);
    steps[i].fetch = life_blocking_op(graph, name, devices[i]);
  }
  TF_Session *session = life_session(graph, life_target(&cluster, 4), NULL, 0);
  SLI_REQUIRE(session);
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < 4; i++) {
    SLI_EXPECT_NEAR(life_run(session, &values[i], NULL, status), i, 0);
    LIFE_EXPECT_OK(status);
  }
  for (int i = 0; i < 3; i++) {
    steps[i].session = session;
    step_start(&steps[i]);
  }
  usleep(200000);  // until they wait; a step that had not begun would fail all the same
  life_kill(&cluster, 0, SIGKILL);
  life_kill(&cluster, 1, SIGSTOP);
  life_wire_cut(&wire);
  const char *tasks[] = {"/job:ps/replica:0/task:0", "/job:ps/replica:0/task:1", "/job:ps/replica:0/task:2"};
  for (int i = 0; i < 3; i++) {
    pthread_join(steps[i].thread, NULL);
    expect_unavailable(&steps[i], tasks[i]);
  }
  SLI_EXPECT_NEAR(life_run(session, &values[3], NULL, status), 3, 0);
  LIFE_EXPECT_OK(status);
  // New steps fail as well, and soon.
  step_t again = {.session = session, .fetch = values[0]};
  step_start(&again);
  pthread_join(again.thread, NULL);
  expect_unavailable(&again, tasks[0]);
  life_stop(&cluster);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
}

// A step may find the task unavailable until the connection, which backs off between attempts, is made anew.
static void run_once_reached(TF_Session *session, const TF_Output *fetch, TF_Status *status) {
  int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
  do {
    life_run(session, fetch, NULL, status);
  } while (TF_GetCode(status) == TF_UNAVAILABLE && sli_clock_now_nanos() < deadline && usleep(50000) == 0);
}

SLI_TEST(test_a_restarted_task_aborts_old_sessions_and_serves_new_ones) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL) && life_start(&cluster, 1, NULL));
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *assign;
  TF_Output variable = life_variable(graph, "v", "/job:ps/task:0", 3, &assign);
  TF_Status *status = TF_NewStatus();
  TF_Session *session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  life_run(session, NULL, assign, status);
  LIFE_EXPECT_OK(status);
  sl_task_status_t *before = sl_cluster_status(life_address(&cluster, 0), LIFE_PATIENCE_MILLIS, 0, status);
  // The ps: its sessions are gone.
  life_kill(&cluster, 0, SIGKILL);
  life_wait_exit(&cluster, 0, LIFE_PATIENCE_MILLIS);
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  sl_task_status_t *after = sl_cluster_status(life_address(&cluster, 0), LIFE_PATIENCE_MILLIS, 0, status);
  SLI_EXPECT(before && after && before->incarnation != after->incarnation);
  sl_task_status_free(before);
  sl_task_status_free(after);
  run_once_reached(session, &variable, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_ABORTED);
  SLI_EXPECT_CONTAINS(TF_Message(status), "Possibly this worker (\"/job:ps/replica:0/task:0\") just restarted");
  life_close(session);
  session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  life_run(session, &variable, NULL, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_FAILED_PRECONDITION);  // uninitialised again
  life_run(session, NULL, assign, status);
  LIFE_EXPECT_OK(status);
  SLI_EXPECT_NEAR(life_run(session, &variable, NULL, status), 3, 0);
  // The master: the session is gone.
  life_kill(&cluster, 1, SIGKILL);
  life_wait_exit(&cluster, 1, LIFE_PATIENCE_MILLIS);
  SLI_REQUIRE(life_start(&cluster, 1, NULL));
  run_once_reached(session, &variable, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_ABORTED);
  SLI_EXPECT_CONTAINS(TF_Message(status), " is not found.");
  life_close(session);
  session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  SLI_EXPECT_NEAR(life_run(session, &variable, NULL, status), 3, 0);
  LIFE_EXPECT_OK(status);
  life_close(session);
  life_stop(&cluster);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
}

SLI_TEST_MAIN(test_a_dead_stopped_or_unreachable_task_fails_its_steps_soon,
              test_a_restarted_task_aborts_old_sessions_and_serves_new_ones)
