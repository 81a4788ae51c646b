// Late workers: a worker that starts after the end of the job is notified of it, or finds the model at its last step,
// and ends with exit code 0. If no task is left, it prints what it waits for.
#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/train/cluster.h"

static const char *const monitored[] = {"--steps=5", NULL};
static const char *const supervised[] = {"--steps=5", "--supervisor", NULL};
static const char *const synchronous[] = {"--steps=5", "--sync", NULL};

static void expect_end(train_cluster_t *cluster, train_task_t *task) {
  train_task_wait(cluster, task);
  if (task->code == 0) return;
  char *said = train_task_output(cluster, task);
  sli_test_fail(__FILE__, __LINE__, "%s: a task ended with %d; it said:\n%s", cluster->name, task->code, said);
  free(said);
}

// Starts a cluster of |ps| ps tasks and two workers, the second worker after the first has ended the job.
static void start_late(train_cluster_t *cluster, const char *name, int ps, const char *const *flags) {
  train_cluster_initialize(cluster, name, ps, 2, flags);
  for (int i = 0; i < ps; i++) train_task_start(cluster, train_ps(cluster, i));
  train_task_start(cluster, train_worker(cluster, 0));
  expect_end(cluster, train_worker(cluster, 0));
  train_task_start(cluster, train_worker(cluster, 1));
}

static void expect_no_step(const train_cluster_t *cluster, const train_task_t *task) {
  char *said = train_task_output(cluster, task);
  SLI_EXPECT(!strstr(said, "first step "));
  free(said);
}

SLI_TEST(test_a_worker_that_starts_after_the_end_is_notified_by_a_ps) {
  static const char *const *const kinds[] = {monitored, supervised, synchronous};
  static const char *const names[] = {"told-monitored", "told-supervised", "told-synchronous"};
  for (int i = 0; i < 3; i++) {
    train_cluster_t cluster;
    bool word = i == 0;  // the second of two ps tasks exits at once, so that only the notification can end the wait
    start_late(&cluster, names[i], word ? 2 : 1, kinds[i]);
    train_cluster_expect_success(&cluster);
    if (word) train_task_expect(&cluster, train_worker(&cluster, 1), "the job is done: there is nothing left to train");
    train_cluster_deinitialize(&cluster);
  }
}

SLI_TEST(test_a_worker_that_was_killed_and_restarts_too_late_is_notified) {
  static const char *const flags[] = {"--steps=300", "--step_millis=5", "--slow_worker=1", "--slow_millis=60000", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "back-late", 1, 2, flags);
  train_cluster_start(&cluster);
  train_task_t *late = train_worker(&cluster, 1);
  train_task_expect(&cluster, late, "first step ");
  train_task_signal(late, SIGKILL);
  expect_end(&cluster, train_worker(&cluster, 0));
  train_task_start(&cluster, late);
  train_cluster_expect_success(&cluster);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_worker_that_left_in_order_is_not_waited_for) {
  // The second worker closes its session and exits long before the first ends the job.
  static const char *const flags[] = {"--steps=60", "--step_millis=5", "--leaver=1", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "left", 1, 2, flags);
  train_cluster_start(&cluster);
  train_cluster_expect_success(&cluster);
  char *said = train_task_output(&cluster, train_ps(&cluster, 0));
  SLI_EXPECT(!strstr(said, "to tell"));
  free(said);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_late_worker_finds_the_model_of_a_running_ps_at_its_last_step) {
  static const char *const flags[][5] = {{"--steps=5", "--standing", NULL},
                                         {"--steps=5", "--standing", "--sync", NULL}};
  for (int i = 0; i < 2; i++) {
    train_cluster_t cluster;
    start_late(&cluster, i ? "standing-sync" : "standing", 1, flags[i]);
    expect_end(&cluster, train_worker(&cluster, 1));
    expect_no_step(&cluster, train_worker(&cluster, 1));
    SLI_EXPECT(!train_task_has_ended(train_ps(&cluster, 0)));
    train_cluster_deinitialize(&cluster);
  }
}

SLI_TEST(test_a_late_worker_whose_ps_is_gone_reports_what_it_waits_for) {
  static const char *const *const kinds[] = {monitored, supervised};
  for (int i = 0; i < 2; i++) {
    train_cluster_t cluster;
    train_cluster_initialize(&cluster, i ? "gone-supervised" : "gone-monitored", 1, 2, kinds[i]);
    train_task_start(&cluster, train_worker(&cluster, 1));
    char *chief = sli_format("the chief at 127.0.0.1:%d does not answer either: the job has ended or not started",
                             cluster.ports[1]);
    train_task_expect(&cluster, train_worker(&cluster, 1), chief);
    free(chief);
    train_cluster_deinitialize(&cluster);
  }
}

// The largest time that |task| says it has waited.
static double time_waited(const train_cluster_t *cluster, const train_task_t *task) {
  char *said = train_task_output(cluster, task);
  double longest = 0;
  for (char *at = strstr(said, " s so far"); at; at = strstr(at + 1, " s so far")) {
    char *number = at;
    while (number > said && number[-1] >= '0' && number[-1] <= '9') number--;
    double seconds = strtod(number, NULL);
    if (seconds > longest) longest = seconds;
  }
  free(said);
  return longest;
}

SLI_TEST(test_a_worker_whose_ps_does_not_reply_tells_the_time_of_the_whole_wait) {
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "mute-ps", 1, 1, monitored);
  train_task_t *ps = train_ps(&cluster, 0), *worker = train_worker(&cluster, 0);
  train_task_start(&cluster, ps);
  train_task_expect(&cluster, ps, "Started server");
  train_task_signal(ps, SIGSTOP);  // its port still accepts connections
  train_task_start(&cluster, worker);
  train_task_expect(&cluster, worker, "waiting for /job:ps/replica:0/task:0: ");
  while (time_waited(&cluster, worker) < 4 && !train_task_has_ended(worker)) continue;
  SLI_EXPECT(time_waited(&cluster, worker) >= 4);
  char *said = train_task_output(&cluster, worker);
  SLI_EXPECT(!strstr(said, "waiting for CreateSession waited"));
  free(said);
  train_task_signal(ps, SIGCONT);
  train_cluster_expect_success(&cluster);
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_a_worker_whose_ps_does_not_reply_tells_the_time_of_the_whole_wait,
                test_a_worker_that_starts_after_the_end_is_notified_by_a_ps,
                test_a_worker_that_was_killed_and_restarts_too_late_is_notified,
                test_a_worker_that_left_in_order_is_not_waited_for,
                test_a_late_worker_finds_the_model_of_a_running_ps_at_its_last_step,
                test_a_late_worker_whose_ps_is_gone_reports_what_it_waits_for)
