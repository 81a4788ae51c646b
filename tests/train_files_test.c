// Checkpoints without a shared file system: the ps has a directory of its own in
// the place of the chief's. That needs the right to mount; without it the test
// says so and checks nothing.
#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "train_cluster_internal.h"

SLI_TEST(test_the_chief_saves_and_restores_for_a_ps_that_does_not_see_its_directory) {
  const char *first[] = {"--blind_ps", "--steps=20", "--save_steps=10", NULL};
  const char *second[] = {"--blind_ps", "--steps=30", "--save_steps=10", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "blind", 1, 1, first);
  train_task_t *ps = train_ps(&cluster, 0), *chief = train_worker(&cluster, 0);
  for (int round = 0; round < 2; round++) {
    if (round) cluster.flags = second;
    train_task_start(&cluster, ps);
    train_task_start(&cluster, chief);
    // The chief cannot begin before the ps has said whether it can hide the directory.
    while (ps->pid && chief->pid) {
      char *said = train_task_output(&cluster, chief);
      bool begun = strstr(said, round ? "first step 20" : "first step 0") != NULL;
      free(said);
      if (begun || train_task_has_ended(ps) || train_task_has_ended(chief)) break;
    }
    if (!ps->pid && ps->code == TRAIN_NOT_PERMITTED) {
      fprintf(stderr, "not checked: a directory cannot be hidden without the right to mount\n");
      train_cluster_deinitialize(&cluster);
      return;
    }
    train_cluster_expect_success(&cluster);
  }
  char *said = train_task_output(&cluster, chief);
  SLI_EXPECT_CONTAINS(said, "Worker 0: /job:ps/task:0 at 127.0.0.1:");
  SLI_EXPECT_CONTAINS(said, "/blind/logs: checkpoints go through this task");
  SLI_EXPECT_CONTAINS(said, "/logs/model.ckpt-20");
  SLI_EXPECT_CONTAINS(said, "final step=30");
  SLI_EXPECT_INT(train_cluster_checkpoint(&cluster), 30);
  free(said);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_sharded_saver_names_the_ps_that_does_not_see_its_directory) {
  const char *flags[] = {"--blind_ps", "--sharded", "--steps=20", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "sharded", 1, 1, flags);
  train_task_t *ps = train_ps(&cluster, 0), *chief = train_worker(&cluster, 0);
  train_task_start(&cluster, ps);
  train_task_start(&cluster, chief);
  while (!train_task_has_ended(chief) && !train_task_has_ended(ps)) continue;
  if (!ps->pid && ps->code == TRAIN_NOT_PERMITTED) {
    fprintf(stderr, "not checked: a directory cannot be hidden without the right to mount\n");
  } else {
    SLI_EXPECT_INT(chief->code, 1);
    char *said = train_task_output(&cluster, chief);
    SLI_EXPECT_CONTAINS(said, "/job:ps/task:0 at 127.0.0.1:");
    SLI_EXPECT_CONTAINS(said, " does not see directory ");
    SLI_EXPECT_CONTAINS(said, "/sharded/logs, where a sharded saver needs it to write: share the directory");
    free(said);
  }
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_a_sharded_saver_names_the_ps_that_does_not_see_its_directory,
                test_the_chief_saves_and_restores_for_a_ps_that_does_not_see_its_directory)
