// Clients that are killed or become unreachable: their steps are cancelled on every task, their sessions are closed. An
// idle client keeps its session.
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "sluice/cluster.h"
#include "tests/life/life.h"
#include "tests/life/life_wire.h"

static void run_and_hang(const char *target) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output blocked = life_blocking_op(graph, "blocked", "/job:ps/task:0");
  TF_Session *session = life_session(graph, target, NULL, 0);
  TF_Status *status = TF_NewStatus();
  if (session) life_run(session, &blocked, NULL, status);
  _exit(1);
}

// The status of |target| once it has |sessions| sessions and |running| steps; false if that never comes.
static bool wait_for_load(const char *target, size_t sessions, int64_t running) {
  TF_Status *status = TF_NewStatus();
  bool good = false;
  for (int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
       !good && sli_clock_now_nanos() < deadline; usleep(10000)) {
    sl_task_status_t *task = sl_cluster_status(target, LIFE_PATIENCE_MILLIS, 0, status);
    good = task && task->session_count == sessions && task->running_steps == running;
    sl_task_status_free(task);
  }
  TF_DeleteStatus(status);
  return good;
}

// This process again, as the client: a fork would inherit threads' locks, so it is executed anew.
static pid_t start_client(const char *target) {
  pid_t client = fork();
  if (client == 0) {
    execl("/proc/self/exe", "client", target, (char *)NULL);
    _exit(127);
  }
  return client;
}

static void kill_client(pid_t client) {
  kill(client, SIGKILL);
  waitpid(client, NULL, 0);
}

// A ps and a worker that soon closes sessions without a client, but not before the test has seen them.
static bool start_cluster(life_cluster_t *cluster) {
  life_add(cluster, "ps", 0);
  life_add(cluster, "worker", 0);
  return life_start(cluster, 0, NULL) && life_start(cluster, 1, (const char *const[]){"--session_idle_secs=3", NULL});
}

// After |start| the client's step is cancelled everywhere within |limit|, long before its session goes.
static void expect_reclaimed(life_cluster_t *cluster, int64_t start, double limit) {
  SLI_EXPECT(wait_for_load(life_target(cluster, 0), 1, 0));
  double seconds = (double)(sli_clock_now_nanos() - start) / 1e9;
  SLI_EXPECT(wait_for_load(life_target(cluster, 0), 0, 0));
  SLI_EXPECT(wait_for_load(life_target(cluster, 1), 0, 0));
  SLI_EXPECT(life_wait_log(cluster, 1, "its client went away"));
  SLI_EXPECT(seconds < limit);
}

// Two at the same time. One is killed. From the other no FIN comes, as from a machine that lost its power or its
// network: probes find out.
SLI_TEST(test_a_client_that_vanishes_takes_its_steps_and_then_its_session_along) {
  static life_wire_t wire;
  life_cluster_t cluster = {0}, unreached = {0};
  SLI_REQUIRE(start_cluster(&cluster) && start_cluster(&unreached) && life_wire_start(&wire, unreached.tasks[1].port));
  pid_t client = start_client(life_target(&cluster, 1));
  char target[64];
  snprintf(target, sizeof(target), "grpc://localhost:%d", wire.port);
  pid_t unreached_client = start_client(target);
  SLI_EXPECT(wait_for_load(life_target(&unreached, 0), 1, 1));
  life_wire_cut(&wire);
  int64_t cut = sli_clock_now_nanos();
  SLI_EXPECT(wait_for_load(life_target(&cluster, 0), 1, 1));
  kill_client(client);
  expect_reclaimed(&cluster, sli_clock_now_nanos(), 25);
  expect_reclaimed(&unreached, cut, 35);  // thirteen are ours: a probe after five, eight for its answer
  kill_client(unreached_client);
  life_stop(&cluster);
  life_stop(&unreached);
}

// A client that is idle keeps its session.
SLI_TEST(test_an_idle_client_keeps_its_session) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, (const char *const[]){"--session_idle_secs=1", NULL}));
  TF_Graph *graph = TF_NewGraph();
  TF_Output one = life_constant(graph, "one", NULL, 1);
  TF_Session *session = life_session(graph, life_target(&cluster, 0), NULL, 0);
  TF_Status *status = TF_NewStatus();
  SLI_EXPECT_NEAR(life_run(session, &one, NULL, status), 1, 0);
  usleep(1800000);
  SLI_EXPECT_NEAR(life_run(session, &one, NULL, status), 1, 0);
  LIFE_EXPECT_OK(status);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

// As the client that vanishes: "client TARGET".
__attribute__((constructor)) static void maybe_client(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[0], "client")) run_and_hang(argv[1]);
}

SLI_TEST_MAIN(test_a_client_that_vanishes_takes_its_steps_and_then_its_session_along,
              test_an_idle_client_keeps_its_session)
