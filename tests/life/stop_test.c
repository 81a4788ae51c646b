// How a server ends: by signals, with steps that wait and peers that do not reply, and with the job, after its grace
// period.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "sluice/cluster.h"
#include "sluice/server.h"
#include "tests/life/life.h"

typedef struct {
  TF_Session *session;
  TF_Output fetch;
  pthread_t thread;
  TF_Code code;
} step_t;

static void *step_main(void *argument) {
  step_t *step = argument;
  TF_Status *status = TF_NewStatus();
  life_run(step->session, &step->fetch, NULL, status);
  step->code = TF_GetCode(status);
  TF_DeleteStatus(status);
  return NULL;
}

static bool is_busy(const char *target) {
  TF_Status *status = TF_NewStatus();
  sl_task_status_t *task = sl_cluster_status(target, LIFE_PATIENCE_MILLIS, 0, status);
  bool busy = task && task->running_steps > 0;
  sl_task_status_free(task);
  TF_DeleteStatus(status);
  return busy;
}

enum { EXIT_SECONDS = 6 };  // after seven a peer that does not answer is given up anyway

// A worker that runs a step which waits on a ps; the ps is stopped if |deaf|. The worker gets |signal|.
static void stop_while_busy(int signal, bool deaf) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL) && life_start(&cluster, 1, NULL));
  TF_Graph *graph = TF_NewGraph();
  TF_DataType type = TF_FLOAT;
  TF_OperationDescription *queue = life_op(graph, "FIFOQueueV2", "queue", "/job:ps/task:0", NULL, 0);
  TF_SetAttrTypeList(queue, "component_types", &type, 1);
  TF_Output handle = life_finish(queue);
  TF_OperationDescription *dequeue = life_op(graph, "QueueDequeueV2", "wait", "/job:ps/task:0", &handle, 1);
  TF_SetAttrTypeList(dequeue, "component_types", &type, 1);
  step_t step = {.fetch = life_finish(dequeue)};
  step.session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  SLI_REQUIRE(pthread_create(&step.thread, NULL, step_main, &step) == 0);
  int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
  while (!is_busy(life_target(&cluster, 0)) && sli_clock_now_nanos() < deadline) usleep(5000);
  if (deaf) life_kill(&cluster, 0, SIGSTOP);
  int64_t start = sli_clock_now_nanos();
  life_kill(&cluster, 1, signal);
  SLI_EXPECT_INT(life_wait_exit(&cluster, 1, 20000), 0);
  SLI_EXPECT((double)(sli_clock_now_nanos() - start) / 1e9 < EXIT_SECONDS);
  pthread_join(step.thread, NULL);
  SLI_EXPECT(step.code == TF_UNAVAILABLE || step.code == TF_CANCELLED || step.code == TF_ABORTED);
  char *log = life_log(&cluster, 1);
  SLI_EXPECT_CONTAINS(log, "stopping (repeat to exit at once)");
  free(log);
  life_close(step.session);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

SLI_TEST(test_sigterm_ends_a_busy_server) { stop_while_busy(SIGTERM, false); }
SLI_TEST(test_sigint_ends_a_server_whose_peer_is_deaf) { stop_while_busy(SIGINT, true); }

SLI_TEST(test_a_second_signal_ends_it_at_once) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  life_kill(&cluster, 0, SIGINT);
  life_kill(&cluster, 0, SIGTERM);
  int code = life_wait_exit(&cluster, 0, LIFE_PATIENCE_MILLIS);
  SLI_EXPECT(code == 0 || code == 128 + SIGTERM || code == 128 + SIGINT);
}

// --- The job is done ---

SLI_TEST(test_the_end_of_the_job_ends_whoever_goes_with_it) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "ps", 1);
  life_add(&cluster, "ps", 2);
  life_add(&cluster, "worker", 0);
  TF_Status *status = TF_NewStatus();
  SLI_REQUIRE(life_start(&cluster, 0, (const char *const[]){"--exit-with-job", NULL}));
  SLI_REQUIRE(life_start(&cluster, 1, (const char *const[]){"--exit-with-job", "--grace=1", NULL}));
  SLI_REQUIRE(life_start(&cluster, 2, NULL));
  TF_Server *server = life_own_server(&cluster, 3, status);
  SLI_REQUIRE(server);
  TF_Graph *graph = TF_NewGraph();
  TF_Output one = life_constant(graph, "one", "/job:ps/task:0", 1);
  TF_Session *session = life_session(graph, TF_ServerTarget(server), NULL, 0);
  SLI_EXPECT_NEAR(life_run(session, &one, NULL, status), 1, 0);
  sl_cluster_announce_done(server, status);
  SLI_EXPECT(sl_cluster_is_done(server));
  // One with a short grace goes although the session is open; one with a long grace waits for the session to close.
  SLI_EXPECT_INT(life_wait_exit(&cluster, 1, 20000), 0);
  SLI_EXPECT_NEAR(life_run(session, &one, NULL, status), 1, 0);
  LIFE_EXPECT_OK(status);
  life_close(session);
  SLI_EXPECT_INT(life_wait_exit(&cluster, 0, 20000), 0);
  // A standing server takes no notice.
  sl_probe_t *probe = sl_cluster_probe(life_address(&cluster, 2), "ps", 2, LIFE_PATIENCE_MILLIS, 0);
  SLI_EXPECT_INT(probe->failed_at, SL_PROBE_OK);
  sl_probe_free(probe);
  TF_ServerStop(server, status);
  TF_DeleteServer(server);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  life_stop(&cluster);
}

// A launcher asks those to end that seem to stay just as they go by themselves.
SLI_TEST(test_a_signal_as_the_job_ends_does_no_harm) {
  TF_Status *status = TF_NewStatus();
  for (int round = 0; round < 12; round++) {
    life_cluster_t cluster = {0};
    life_add(&cluster, "ps", 0);
    life_add(&cluster, "worker", 0);
    SLI_REQUIRE(life_start(&cluster, 0, (const char *const[]){"--exit-with-job", NULL}));
    TF_Server *server = life_own_server(&cluster, 1, status);
    SLI_REQUIRE(server);
    sl_cluster_announce_done(server, status);
    usleep((useconds_t)round * 500);
    life_kill(&cluster, 0, SIGTERM);
    SLI_EXPECT_INT(life_wait_exit(&cluster, 0, LIFE_PATIENCE_MILLIS), 0);
    TF_ServerStop(server, status);
    TF_DeleteServer(server);
    life_stop(&cluster);
  }
  TF_DeleteStatus(status);
}

SLI_TEST_MAIN(test_sigterm_ends_a_busy_server, test_sigint_ends_a_server_whose_peer_is_deaf,
              test_a_second_signal_ends_it_at_once, test_the_end_of_the_job_ends_whoever_goes_with_it,
              test_a_signal_as_the_job_ends_does_no_harm)
