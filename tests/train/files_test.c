// Checkpoints without a shared file system: the ps has another directory mounted over
// the chief's. This needs the permission to mount; without it the test prints that it
// checks nothing. Also the files that a killed saver left.
#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "tests/train/cluster.h"

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
    // The chief must not start before the ps has printed whether it can hide the directory.
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
  SLI_EXPECT_CONTAINS(said, "/blind/logs: this task writes the checkpoints");
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
    SLI_EXPECT_CONTAINS(said, "/sharded/logs, but a sharded saver makes it write there: share the directory");
    free(said);
  }
  train_cluster_deinitialize(&cluster);
}

static void make_file(const char *directory, const char *name) {
  char *path = sli_path_join(directory, name), *folder = sli_path_directory(path);
  sli_file_writer_t *writer = NULL;
  SLI_EXPECT_OK(sli_file_make_directories(folder));
  SLI_EXPECT_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer));
  sli_file_writer_release(writer);
  free(folder);
  free(path);
}

static void expect_file(const char *directory, const char *name, bool expected) {
  char *path = sli_path_join(directory, name);
  if (sli_file_exists(path) != expected)
    sli_test_fail(__FILE__, __LINE__, "%s is %s", name, expected ? "gone" : "still there");
  free(path);
}

SLI_TEST(test_the_leftovers_of_a_killed_saver_are_removed) {
  static const char *const leftovers[] = {"model.ckpt-7_temp/part-00000-of-00001.data-00000-of-00001",
                                          "model.ckpt-7_temp/part-00000-of-00001.index.tempstate99",
                                          "model.ckpt-8.data-00000-of-00002",
                                          "model.ckpt-9.index.tempstate123",
                                          "model.ckpt-9.meta.tempstate123",
                                          "checkpoint.tempstate5",
                                          "graph.pbtxt.tempstate5"};
  // Neither another program's nor what a user may have put there.
  static const char *const others[] = {"other.ckpt-7_temp/part-00000-of-00001.index",
                                       "model.ckpt.best-1.data-00000-of-00001",
                                       "other.ckpt-8.data-00000-of-00001",
                                       "model.ckpt-7_temporary",
                                       "model.ckpt-6.meta",
                                       "notes.tempstate5"};
  const char *flags[] = {"--steps=5", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "leftovers", 1, 1, flags);
  char *logs = sli_path_join(cluster.directory, "logs");
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(leftovers); i++) make_file(logs, leftovers[i]);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(others); i++) make_file(logs, others[i]);
  train_cluster_start(&cluster);
  train_cluster_expect_success(&cluster);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(leftovers); i++) expect_file(logs, leftovers[i], false);
  expect_file(logs, "model.ckpt-7_temp", false);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(others); i++) expect_file(logs, others[i], true);
  SLI_EXPECT_INT(train_cluster_checkpoint(&cluster), 5);
  free(logs);
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_the_leftovers_of_a_killed_saver_are_removed,
                test_a_sharded_saver_names_the_ps_that_does_not_see_its_directory,
                test_the_chief_saves_and_restores_for_a_ps_that_does_not_see_its_directory)
