// Workers join and leave while a job runs (--min_workers): one that starts late, and one that gets SIGTERM. A
// synchronous step takes as many gradients as there are workers.
#include "base/test.h"
#include "tests/train/cluster.h"

#define COMMON \
  "--step_millis=15", "--save_steps=1000000", "--steps=1000000", "--until_told", "--min_workers=1", "--worker_lost=60"

static void begin(train_cluster_t *cluster, const char *name, const char *const *flags) {
  train_cluster_initialize(cluster, name, 1, 3, flags);
  train_task_start(cluster, train_ps(cluster, 0));
  for (int i = 0; i < 2; i++) {
    train_task_start(cluster, train_worker(cluster, i));
    train_task_expect(cluster, train_worker(cluster, i), "first step ");
  }
}

static void let_join(train_cluster_t *cluster) {
  train_task_start(cluster, train_worker(cluster, 2));
  train_task_expect(cluster, train_worker(cluster, 2), "first step ");
}

static void let_leave(train_cluster_t *cluster) {
  train_task_t *worker = train_worker(cluster, 1);
  train_task_signal(worker, SIGTERM);
  train_task_wait(cluster, worker);
  SLI_EXPECT_INT(worker->code, 0);
  train_task_expect(cluster, worker, "leaves the job at global step ");
}

SLI_TEST(test_workers_join_and_leave) {
  static const char *const async_flags[] = {COMMON, NULL};
  static const char *const sync_flags[] = {COMMON, "--sync", NULL};
  static train_cluster_t async, sync;
  begin(&async, "async", async_flags);
  begin(&sync, "sync", sync_flags);
  train_task_t *chief = train_worker(&sync, 0);
  train_task_expect(&sync, chief, "/job:worker/task:1 has joined: a step now takes 2 gradients");
  let_join(&async);
  let_join(&sync);
  train_task_expect(&sync, chief, "/job:worker/task:2 has joined: a step now takes 3 gradients");
  let_leave(&async);
  let_leave(&sync);
  train_task_expect(&sync, chief, "/job:worker/task:1 has left: a step now takes 2 gradients");
  // It may come back.
  train_task_start(&sync, train_worker(&sync, 1));
  train_task_expect(&sync, chief, "/job:worker/task:1 is back: a step now takes 3 gradients");
  train_task_expect_progress(&sync, chief);
  train_cluster_end(&async);
  train_cluster_end(&sync);
  train_cluster_expect_success(&async);
  train_cluster_expect_success(&sync);
  SLI_EXPECT(train_cluster_checkpoint(&async) > 0);
  SLI_EXPECT(train_cluster_checkpoint(&sync) > 0);
  train_cluster_deinitialize(&async);
  train_cluster_deinitialize(&sync);
}

// Two workers that know only the address of the ps get different places, at addresses of their own.
SLI_TEST(test_workers_join_by_the_address_of_a_ps) {
  static const char *const flags[] = {COMMON, "--sync", NULL};
  static train_cluster_t cluster;
  train_cluster_initialize(&cluster, "address", 1, 3, flags);
  train_task_t *chief = train_worker(&cluster, 0);
  train_task_start(&cluster, train_ps(&cluster, 0));
  train_task_start(&cluster, chief);
  train_task_expect(&cluster, chief, "first step ");
  cluster.joins = true;
  for (int i = 1; i < 3; i++) train_task_start(&cluster, train_worker(&cluster, i));
  for (int i = 1; i < 3; i++) train_task_expect(&cluster, train_worker(&cluster, i), "first step ");
  train_task_expect(&cluster, chief, "/job:worker/task:1 has joined: a step now takes ");
  train_task_expect(&cluster, chief, "/job:worker/task:2 has joined: a step now takes ");
  train_task_expect(&cluster, chief, ": a step now takes 3 gradients");
  let_leave(&cluster);
  train_task_expect(&cluster, chief, " has left: a step now takes 2 gradients");
  train_task_expect_progress(&cluster, chief);
  train_cluster_end(&cluster);
  train_cluster_expect_success(&cluster);
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_workers_join_and_leave, test_workers_join_by_the_address_of_a_ps)
