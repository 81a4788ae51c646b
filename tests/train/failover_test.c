// A task that never comes back: another worker takes the place of a chief that is gone, and ends the job; a synchronous
// step does not wait for a worker that is gone.
#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/train/cluster.h"

static void wait_for_steps(train_cluster_t *cluster) {
  for (int i = 0; i < cluster->worker_count; i++) train_task_expect(cluster, train_worker(cluster, i), "first step ");
}

static int count_text(const train_cluster_t *cluster, const char *text) {
  int count = 0;
  for (int i = 0; i < cluster->worker_count; i++) {
    char *said = train_task_output(cluster, &cluster->tasks[cluster->ps_count + i]);
    for (const char *at = said; (at = strstr(at, text)); at++) count++;
    free(said);
  }
  return count;
}

enum { MODES = 4, STEPS = 400 };
static const char *const mode_names[MODES] = {"async", "async-long", "sync", "strict"};
static const char *const mode_flags[MODES][7] = {
    {"--steps=1500", "--step_millis=5", "--save_steps=50", "--worker_lost=3"},
    {"--steps=3000", "--step_millis=8", "--save_steps=50", "--worker_lost=3"},
    {"--steps=400", "--step_millis=8", "--save_steps=50", "--worker_lost=3", "--sync"},
    {"--steps=400", "--step_millis=8", "--save_steps=50", "--worker_lost=3", "--sync", "--strict"},
};

static void start(train_cluster_t *cluster, const char *name, int mode) {
  char *whole = sli_format("%s-%s", name, mode_names[mode]);
  train_cluster_initialize(cluster, whole, 1, 3, mode_flags[mode]);
  train_cluster_start(cluster);
  free(whole);
}

// The chief is gone for good, in the middle of the training or shortly before its end.
SLI_TEST(test_a_job_goes_on_and_ends_without_its_chief) {
  train_cluster_t clusters[MODES];
  for (int i = 0; i < MODES; i++) start(&clusters[i], "gone", i);
  for (int i = 0; i < MODES; i++) {
    wait_for_steps(&clusters[i]);
    train_task_signal(train_worker(&clusters[i], 0), SIGKILL);
  }
  for (int i = 0; i < MODES; i++) {
    train_cluster_expect_success_without(&clusters[i], train_worker(&clusters[i], 0));
    SLI_EXPECT_INT(count_text(&clusters[i], "takes the place of the chief, /job:worker/task:0"), 1);
    SLI_EXPECT(train_cluster_checkpoint(&clusters[i]) >= STEPS);
    train_cluster_deinitialize(&clusters[i]);
  }
}

// The first chief comes back, from a stop or started again: there is one chief, and all end in order.
static void bring_back(train_cluster_t *cluster, bool is_frozen) {
  train_task_t *chief = train_worker(cluster, 0);
  while (!count_text(cluster, "takes the place of the chief, /job:worker/task:0"))
    if (train_task_has_ended(train_ps(cluster, 0))) break;
  if (is_frozen)
    train_task_signal(chief, SIGCONT);
  else
    train_task_start(cluster, chief);
}

SLI_TEST(test_a_chief_that_comes_back_goes_on_as_a_worker) {
  enum { FIRST = 1, KINDS = 3 };
  static const bool frozen[KINDS] = {false, true, true};
  train_cluster_t clusters[KINDS];
  for (int i = 0; i < KINDS; i++) start(&clusters[i], "back", FIRST + i);
  for (int i = 0; i < KINDS; i++) {
    wait_for_steps(&clusters[i]);
    train_task_signal(train_worker(&clusters[i], 0), frozen[i] ? SIGSTOP : SIGKILL);
  }
  for (int i = 0; i < KINDS; i++) bring_back(&clusters[i], frozen[i]);
  for (int i = 0; i < KINDS; i++) {
    train_task_expect(&clusters[i], train_worker(&clusters[i], 0),
                      "has become the chief in the meantime: this task goes on as a worker");
    train_cluster_expect_success(&clusters[i]);
    SLI_EXPECT_INT(count_text(&clusters[i], "takes the place of the chief"), 1);
    SLI_EXPECT(train_cluster_checkpoint(&clusters[i]) >= STEPS);
    train_cluster_deinitialize(&clusters[i]);
  }
}

SLI_TEST(test_a_synchronous_step_does_not_wait_for_a_worker_that_is_gone) {
  train_cluster_t cluster;
  start(&cluster, "worker", 3);
  wait_for_steps(&cluster);
  train_task_signal(train_worker(&cluster, 2), SIGKILL);
  train_task_expect(&cluster, train_worker(&cluster, 0), "/job:worker/task:2 has left: a step now takes 2 gradients");
  train_cluster_expect_success_without(&cluster, train_worker(&cluster, 2));
  SLI_EXPECT(train_cluster_checkpoint(&cluster) >= STEPS);
  train_cluster_deinitialize(&cluster);
}

// A task is stopped until all others have ended; the job is over when it wakes.
SLI_TEST(test_a_worker_that_wakes_after_the_end_exits_with_0) {
  train_cluster_t clusters[MODES];
  for (int i = 0; i < MODES; i++) start(&clusters[i], "sleeper", i);
  for (int i = 0; i < MODES; i++) {
    wait_for_steps(&clusters[i]);
    train_task_signal(train_worker(&clusters[i], 1), SIGSTOP);
  }
  for (int i = 0; i < MODES; i++) {
    train_task_t *sleeper = train_worker(&clusters[i], 1);
    train_cluster_expect_success_without(&clusters[i], sleeper);
    train_task_signal(sleeper, SIGCONT);
  }
  for (int i = 0; i < MODES; i++) {
    train_cluster_expect_success(&clusters[i]);
    train_cluster_deinitialize(&clusters[i]);
  }
}

TRAIN_TEST_MAIN(test_a_worker_that_wakes_after_the_end_exits_with_0, test_a_job_goes_on_and_ends_without_its_chief,
                test_a_chief_that_comes_back_goes_on_as_a_worker,
                test_a_synchronous_step_does_not_wait_for_a_worker_that_is_gone)
