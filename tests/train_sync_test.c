// Synchronous replicas as processes: a step takes what it should, everybody ends,
// and a step that does not come is explained.
#include <math.h>

#include "base/alloc.h"
#include "base/test.h"
#include "train_cluster_internal.h"

static const double tolerance = 0.01;  // the noise leaves a loss of 1/300

static void expect_trained(train_cluster_t *cluster, long steps) {
  train_cluster_expect_success(cluster);
  SLI_EXPECT_INT((long)train_task_number(cluster, train_worker(cluster, 0), "final step="), steps);
  SLI_EXPECT_NEAR(train_task_number(cluster, train_worker(cluster, 0), " loss="), 0, tolerance);
  SLI_EXPECT_INT(train_cluster_checkpoint(cluster), steps);
}

SLI_TEST(test_equal_replicas_all_end) {
  const char *flags[] = {"--sync", "--steps=120", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "equal", 2, 3, flags);
  train_cluster_start(&cluster);
  expect_trained(&cluster, 120);
  double accepted = 0;
  for (int i = 0; i < 3; i++) accepted += train_task_number(&cluster, train_worker(&cluster, i), "own accepted=");
  SLI_EXPECT(accepted >= 3 * 119);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_the_slowest_of_backup_workers_is_not_waited_for) {
  const char *flags[] = {
      "--sync", "--steps=80", "--aggregate=2", "--step_millis=5", "--slow_worker=2", "--slow_millis=400", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "backup", 1, 3, flags);
  train_cluster_start(&cluster);
  expect_trained(&cluster, 80);
  // It comes too late for nearly every step, and its gradients are dropped.
  SLI_EXPECT(train_task_number(&cluster, train_worker(&cluster, 2), "own accepted=") < 40);
  SLI_EXPECT(train_task_number(&cluster, train_worker(&cluster, 2), " stale=") > 0);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_more_gradients_than_workers) {
  const char *flags[] = {"--sync", "--steps=60", "--aggregate=5", "--total=2", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "more", 1, 2, flags);
  train_cluster_start(&cluster);
  expect_trained(&cluster, 60);
  double accepted = 0;
  for (int i = 0; i < 2; i++) accepted += train_task_number(&cluster, train_worker(&cluster, i), "own accepted=");
  SLI_EXPECT(accepted >= 5 * 59);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_strict_steps_take_one_gradient_from_each) {
  const char *flags[] = {"--sync",          "--steps=60",       "--strict", "--step_millis=1",
                         "--slow_worker=1", "--slow_millis=15", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "strict", 1, 2, flags);
  train_cluster_start(&cluster);
  expect_trained(&cluster, 60);
  for (int i = 0; i < 2; i++) {
    SLI_EXPECT_NEAR(train_task_number(&cluster, train_worker(&cluster, i), "own accepted="), 60, 1);
    SLI_EXPECT_NEAR(train_task_number(&cluster, train_worker(&cluster, i), " stale="), 0, 1);
  }
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_missing_worker_is_named_and_a_signal_ends_the_wait) {
  const char *flags[] = {"--sync", "--steps=60", "--stall_secs=1", "--strict", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "stall", 1, 2, flags);
  train_task_start(&cluster, train_ps(&cluster, 0));
  train_task_start(&cluster, train_worker(&cluster, 0));
  train_task_expect(&cluster, train_worker(&cluster, 0),
                    "for 2 gradients; missing: /job:worker/task:1 (no gradient yet)");
  train_task_signal(train_worker(&cluster, 0), SIGINT);
  train_task_wait(&cluster, train_worker(&cluster, 0));
  SLI_EXPECT_INT(train_worker(&cluster, 0)->code, 128 + SIGINT);
  SLI_EXPECT_INT(train_cluster_checkpoint(&cluster), 0);
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_equal_replicas_all_end, test_the_slowest_of_backup_workers_is_not_waited_for,
                test_more_gradients_than_workers, test_strict_steps_take_one_gradient_from_each,
                test_a_missing_worker_is_named_and_a_signal_ends_the_wait)
