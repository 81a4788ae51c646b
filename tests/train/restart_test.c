// A chief that is killed and restarted, and a ps that stands still for a time: the training continues with the
// variables on the ps tasks. No step is done again, although the only checkpoint is that of the beginning.
#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/train/cluster.h"

static void expect_silence_about(const train_cluster_t *cluster, const train_task_t *task, const char *text) {
  char *said = train_task_output(cluster, task);
  if (strstr(said, text))
    sli_test_fail(__FILE__, __LINE__, "%s: %s %d said \"%s\":\n%s", cluster->name, task->is_ps ? "ps" : "worker",
                  task->index, text, said);
  free(said);
}

// Both workers train and the second has reported a step above 0, which is returned.
static double wait_for_steps(train_cluster_t *cluster) {
  for (int i = 0; i < cluster->worker_count; i++) train_task_expect(cluster, train_worker(cluster, i), "first step ");
  train_task_expect(cluster, train_worker(cluster, 1), ", global step ");
  return train_task_number(cluster, train_worker(cluster, 1), ", global step ");
}

static void restart_chief(const char *name, const char *const *flags) {
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, name, 1, 2, flags);
  train_cluster_start(&cluster);
  train_task_t *chief = train_worker(&cluster, 0);
  double before = wait_for_steps(&cluster);
  SLI_EXPECT(train_cluster_checkpoint(&cluster) < (long)before);
  train_task_signal(chief, SIGKILL);
  train_task_start(&cluster, chief);
  train_cluster_expect_success(&cluster);
  SLI_EXPECT(train_task_number(&cluster, chief, "hold the model, at global step ") >= before);
  SLI_EXPECT(train_task_number(&cluster, chief, "first step ") >= before);  // of its second life
  for (int i = 0; i < 2; i++) expect_silence_about(&cluster, train_worker(&cluster, i), "fell to step ");
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_restarted_chief_continues_with_the_variables_of_the_ps) {
  static const char *const flags[] = {"--steps=600", "--save_steps=100000", "--step_millis=10", NULL};
  restart_chief("restarted-chief", flags);
}

SLI_TEST(test_a_restarted_chief_of_synchronous_training_does_so_too) {
  static const char *const flags[] = {"--sync", "--steps=300", "--save_steps=100000", "--step_millis=10", NULL};
  restart_chief("restarted-chief-sync", flags);
}

SLI_TEST(test_a_ps_that_stood_still_has_lost_nothing) {
  static const char *const flags[] = {"--steps=600", "--save_steps=100000", "--step_millis=10", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "frozen-ps", 1, 2, flags);
  train_cluster_start(&cluster);
  wait_for_steps(&cluster);
  train_task_signal(train_ps(&cluster, 0), SIGSTOP);
  train_task_expect(&cluster, train_worker(&cluster, 0), "lost a task, starting a new session");
  train_task_signal(train_ps(&cluster, 0), SIGCONT);
  train_cluster_expect_success(&cluster);
  for (int i = 0; i < 2; i++) expect_silence_about(&cluster, train_worker(&cluster, i), "fell to step ");
  expect_silence_about(&cluster, train_worker(&cluster, 0), "restored ");
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_new_directory_starts_anew_on_a_ps_that_holds_a_model) {
  static const char *const flags[] = {"--steps=5", "--standing", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "anew", 1, 1, flags);
  train_cluster_start(&cluster);
  train_task_t *chief = train_worker(&cluster, 0);
  train_task_wait(&cluster, chief);
  SLI_EXPECT_INT(chief->code, 0);
  char *directory = sli_format("--log_dir=%s/other", cluster.directory);
  const char *second[] = {"--steps=5", "--standing", directory, NULL};
  cluster.flags = second;
  train_task_start(&cluster, chief);
  train_task_wait(&cluster, chief);
  SLI_EXPECT_INT(chief->code, 0);
  train_task_expect(&cluster, chief, "/other has no checkpoint: starting anew");
  SLI_EXPECT(train_task_number(&cluster, chief, "first step ") == 0);  // of its second life
  cluster.flags = flags;
  free(directory);
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_a_restarted_chief_continues_with_the_variables_of_the_ps,
                test_a_restarted_chief_of_synchronous_training_does_so_too, test_a_ps_that_stood_still_has_lost_nothing,
                test_a_new_directory_starts_anew_on_a_ps_that_holds_a_model)
