// Signals: the first ends a training in order, in any state, and saves the last step if the ps tasks answer; the second
// ends the process at once.
#include "base/alloc.h"
#include "base/test.h"
#include "tests/train/cluster.h"

// Starts a job of one ps and one worker that trains without end. The worker does not have to wait for the ps.
static void start(train_cluster_t *cluster, const char *name, const char *const *flags) {
  train_cluster_initialize(cluster, name, 1, 1, flags);
  train_task_start(cluster, train_ps(cluster, 0));
  train_task_expect(cluster, train_ps(cluster, 0), "Started server");
  train_task_start(cluster, train_worker(cluster, 0));
  train_task_expect(cluster, train_worker(cluster, 0), "first step ");
}

static void expect_stopped(train_cluster_t *cluster) {
  train_task_t *worker = train_worker(cluster, 0);
  train_task_wait(cluster, worker);
  SLI_EXPECT_INT(worker->code, 128 + SIGINT);
}

// No session is opened for a ps that does not accept connections, because that would delay a signal.
static void expect_no_session_since(train_cluster_t *cluster, const char *word) {
  char *said = train_task_output(cluster, train_worker(cluster, 0)), *since = strstr(said, word);
  SLI_EXPECT(since && !strstr(since, "Scanning workers for devices"));
  free(said);
}

static const char *const monitored[] = {"--steps=1000000", "--step_millis=2", NULL};
static const char *const supervised[] = {"--steps=1000000", "--step_millis=2", "--supervisor", NULL};

SLI_TEST(test_a_signal_saves_the_last_step_and_does_not_end_the_job) {
  static const char *const *const kinds[] = {monitored, supervised};
  for (int i = 0; i < 2; i++) {
    train_cluster_t cluster;
    start(&cluster, i ? "stop-supervised" : "stop-monitored", kinds[i]);
    train_task_t *worker = train_worker(&cluster, 0);
    train_task_signal(worker, SIGINT);
    expect_stopped(&cluster);
    SLI_EXPECT_INT(train_cluster_checkpoint(&cluster), (long)train_task_number(&cluster, worker, "final step="));
    SLI_EXPECT(!train_task_has_ended(train_ps(&cluster, 0)));  // the worker may be started again
    train_cluster_deinitialize(&cluster);
  }
}

SLI_TEST(test_a_signal_ends_the_wait_for_a_ps_that_never_came) {
  static const char *const *const kinds[] = {monitored, supervised};
  train_cluster_t clusters[2];
  for (int i = 0; i < 2; i++) {
    train_cluster_initialize(&clusters[i], i ? "none-supervised" : "none-monitored", 1, 1, kinds[i]);
    train_task_start(&clusters[i], train_worker(&clusters[i], 0));
  }
  for (int i = 0; i < 2; i++) {
    train_task_t *worker = train_worker(&clusters[i], 0);
    if (train_task_expect(&clusters[i], worker, "waiting for /job:ps/task:0")) train_task_signal(worker, SIGINT);
  }
  for (int i = 0; i < 2; i++) {
    expect_stopped(&clusters[i]);
    expect_no_session_since(&clusters[i], "Started server");
    train_cluster_deinitialize(&clusters[i]);
  }
}

SLI_TEST(test_a_signal_ends_the_wait_for_a_ps_that_was_lost) {
  train_cluster_t cluster;
  start(&cluster, "lost-monitored", monitored);
  train_task_t *worker = train_worker(&cluster, 0);
  train_task_signal(train_ps(&cluster, 0), SIGKILL);
  if (train_task_expect(&cluster, worker, "waiting for /job:ps/task:0")) train_task_signal(worker, SIGINT);
  expect_stopped(&cluster);
  expect_no_session_since(&cluster, "waiting for /job:ps/task:0");
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_supervisor_whose_ps_was_lost_can_be_stopped) {
  train_cluster_t cluster;
  start(&cluster, "lost-supervised", supervised);
  train_task_t *worker = train_worker(&cluster, 0);
  train_task_signal(train_ps(&cluster, 0), SIGKILL);
  train_task_wait(&cluster, worker);
  SLI_EXPECT_INT(worker->code, 1);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_the_second_signal_ends_the_process_at_once) {
  // The step waits for a second worker that is never started; the first signal gives the step some time.
  static const char *const flags[] = {"--steps=1000000", "--sync", "--strict", "--stall_secs=0.5", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "twice", 1, 2, flags);
  train_task_t *worker = train_worker(&cluster, 0);
  train_task_start(&cluster, train_ps(&cluster, 0));
  train_task_start(&cluster, worker);
  if (train_task_expect(&cluster, worker, "missing: /job:worker/task:1")) {
    train_task_signal(worker, SIGINT);
    while (train_task_catches(worker, SIGINT)) train_task_has_ended(worker);
    train_task_signal(worker, SIGINT);
  }
  train_task_wait(&cluster, worker);
  SLI_EXPECT_INT(worker->code, -SIGINT);
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_a_signal_saves_the_last_step_and_does_not_end_the_job,
                test_a_signal_ends_the_wait_for_a_ps_that_never_came,
                test_a_signal_ends_the_wait_for_a_ps_that_was_lost, test_a_supervisor_whose_ps_was_lost_can_be_stopped,
                test_the_second_signal_ends_the_process_at_once)
