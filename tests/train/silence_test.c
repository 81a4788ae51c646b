// Nobody waits in silence: a step that waits for a dead chief or a dead worker says so, a dead worker is named, and the
// wait for a dead chief has an end.
#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/train/cluster.h"

static void wait_for_steps(train_cluster_t *cluster) {
  for (int i = 0; i < cluster->worker_count; i++) train_task_expect(cluster, train_worker(cluster, i), "first step ");
}

static void expect_text(train_cluster_t *cluster, train_task_t *task, const char *format, int port) {
  char *text = sli_format(format, port);
  train_task_expect(cluster, task, text);
  free(text);
}

// The worker of |cluster| says for whom its step waits.
static void expect_wait_for_chief(train_cluster_t *cluster) {
  expect_text(cluster, train_worker(cluster, 1), " s; no reply from the chief, /job:worker/task:0 at 127.0.0.1:%d (",
              cluster->ports[1]);
}

static void expect_gave_up(train_cluster_t *cluster) {
  train_task_t *worker = train_worker(cluster, 1);
  train_task_wait(cluster, worker);
  SLI_EXPECT_INT(worker->code, 1);
  expect_text(cluster, worker,
              "gave up waiting for the chief, /job:worker/task:0 at 127.0.0.1:%d, which has not replied for ",
              cluster->ports[1]);
}

SLI_TEST(test_a_worker_says_that_its_step_waits_for_a_dead_chief) {
  static const char *const patient[] = {"--sync", "--steps=300", "--step_millis=5", NULL};
  static const char *const impatient[] = {"--sync", "--steps=100000", "--step_millis=5", "--wait_secs=6", NULL};
  train_cluster_t clusters[2];
  for (int i = 0; i < 2; i++) {
    train_cluster_initialize(&clusters[i], i ? "impatient" : "patient", 1, 2, i ? impatient : patient);
    train_cluster_start(&clusters[i]);
    wait_for_steps(&clusters[i]);
    train_task_signal(train_worker(&clusters[i], 0), SIGKILL);
  }
  for (int i = 0; i < 2; i++) expect_wait_for_chief(&clusters[i]);
  train_task_start(&clusters[0], train_worker(&clusters[0], 0));
  expect_gave_up(&clusters[1]);
  train_cluster_expect_success(&clusters[0]);
  for (int i = 0; i < 2; i++) train_cluster_deinitialize(&clusters[i]);
}

SLI_TEST(test_a_supervisor_says_for_whom_it_waits) {
  static const char *const synchronous[] = {"--supervisor",    "--sync",        "--steps=100000",
                                            "--step_millis=5", "--wait_secs=6", NULL};
  static const char *const asynchronous[] = {"--supervisor", "--steps=100000", "--step_millis=5", NULL};
  train_cluster_t clusters[2];
  for (int i = 0; i < 2; i++) {
    train_cluster_initialize(&clusters[i], i ? "supervised" : "supervised-sync", 1, 2, i ? asynchronous : synchronous);
    train_cluster_start(&clusters[i]);
    wait_for_steps(&clusters[i]);
    train_task_signal(train_worker(&clusters[i], i), SIGKILL);
  }
  expect_wait_for_chief(&clusters[0]);
  expect_text(&clusters[1], train_worker(&clusters[1], 0),
              "Worker 0: lost /job:worker/task:1 at 127.0.0.1:%d: ", clusters[1].ports[2]);
  expect_gave_up(&clusters[0]);
  for (int i = 0; i < 2; i++) train_cluster_deinitialize(&clusters[i]);
}

SLI_TEST(test_the_chief_names_a_worker_that_dies_but_not_one_that_leaves) {
  static const char *const asynchronous[] = {"--steps=100000", "--step_millis=5", NULL};
  static const char *const synchronous[] = {"--sync",         "--strict",        "--steps=100000",
                                            "--stall_secs=1", "--step_millis=5", NULL};
  static const char *const leaving[] = {"--steps=100000", "--step_millis=5", "--leaver=1", NULL};
  static const char *const *const kinds[] = {asynchronous, synchronous, leaving};
  train_cluster_t clusters[3];
  for (int i = 0; i < 3; i++) {
    train_cluster_initialize(&clusters[i], i == 2 ? "leaves" : i ? "dies-sync" : "dies", 1, 2, kinds[i]);
    train_cluster_start(&clusters[i]);
  }
  for (int i = 0; i < 3; i++) wait_for_steps(&clusters[i]);
  train_task_wait(&clusters[2], train_worker(&clusters[2], 1));
  for (int i = 0; i < 2; i++) train_task_signal(train_worker(&clusters[i], 1), SIGKILL);
  for (int i = 0; i < 2; i++)
    expect_text(&clusters[i], train_worker(&clusters[i], 0),
                "Worker 0: lost /job:worker/task:1 at 127.0.0.1:%d: ", clusters[i].ports[2]);
  expect_text(&clusters[1], train_worker(&clusters[1], 0), " s; no reply from /job:worker/task:1 at 127.0.0.1:%d (",
              clusters[1].ports[2]);
  train_task_start(&clusters[0], train_worker(&clusters[0], 1));
  expect_text(&clusters[0], train_worker(&clusters[0], 0), "/job:worker/task:1 at 127.0.0.1:%d is back",
              clusters[0].ports[2]);
  char *said = train_task_output(&clusters[2], train_worker(&clusters[2], 0));
  SLI_EXPECT(!strstr(said, "lost /job:worker"));
  free(said);
  // Reports of a step that waits are repeated.
  for (int reports = 0; reports < 3;) {
    said = train_task_output(&clusters[1], train_worker(&clusters[1], 0));
    reports = 0;
    for (const char *at = said; (at = strstr(at, " for 2 gradients and has ")); at++) reports++;
    free(said);
    if (train_task_has_ended(train_worker(&clusters[1], 0))) break;
  }
  SLI_EXPECT_INT(train_worker(&clusters[1], 0)->code, 0);
  for (int i = 0; i < 3; i++) train_cluster_deinitialize(&clusters[i]);
}

// Worker 2 replies, but gives no second gradient: who waits for it says on what.
SLI_TEST(test_a_step_that_waits_for_a_slow_worker_says_on_what) {
  static const char *const flags[] = {
      "--sync", "--strict", "--steps=100000", "--slow_worker=2", "--slow_millis=60000", "--step_millis=5", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "slow", 1, 3, flags);
  train_cluster_start(&cluster);
  wait_for_steps(&cluster);
  train_task_expect(&cluster, train_worker(&cluster, 1), " s; operations wait: accumulator '");
  train_task_expect(&cluster, train_worker(&cluster, 1),
                    " of /job:ps/task:0 has 2 gradients of 3; queue 'sync_token_q_");
  train_task_expect(&cluster, train_worker(&cluster, 0), "missing: /job:worker/task:2 (last gradient at step ");
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_a_step_that_waits_for_a_slow_worker_says_on_what,
                test_a_worker_says_that_its_step_waits_for_a_dead_chief, test_a_supervisor_says_for_whom_it_waits,
                test_the_chief_names_a_worker_that_dies_but_not_one_that_leaves)
