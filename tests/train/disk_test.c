// A disk that fails for a time: the training goes on, the checkpoints are tried again, and only the last one decides
// about the exit code. The directory of the checkpoints is replaced by a file, which fails for every user.
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/train/cluster.h"

static char *logs_path(const train_cluster_t *cluster, const char *suffix) {
  return sli_format("%s/logs%s", cluster->directory, suffix);
}

// Takes the directory away, or brings it back.
static void move_logs(const train_cluster_t *cluster, bool away) {
  char *logs = logs_path(cluster, ""), *other = logs_path(cluster, ".away");
  if (away) {
    SLI_EXPECT(rename(logs, other) == 0);
    FILE *file = fopen(logs, "w");
    SLI_EXPECT(file && fclose(file) == 0);
  } else {
    SLI_EXPECT(unlink(logs) == 0 && rename(other, logs) == 0);
  }
  free(other);
  free(logs);
}

static void run(const char *name, const char *const *flags, bool comes_back) {
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, name, 1, 2, flags);
  train_cluster_start(&cluster);
  for (int i = 0; i < 2; i++) train_task_expect(&cluster, train_worker(&cluster, i), "first step ");
  train_task_t *chief = train_worker(&cluster, 0);
  move_logs(&cluster, true);
  train_task_expect(&cluster, chief, "cannot be written: ");
  train_task_expect(&cluster, chief, "; training goes on, the next try is in 2 s");
  if (comes_back) {
    move_logs(&cluster, false);
    train_task_expect(&cluster, chief, "checkpoints can be written again");
    train_cluster_expect_success(&cluster);
    SLI_EXPECT(train_cluster_checkpoint(&cluster) >= 2000);
  } else {
    train_task_wait(&cluster, chief);
    SLI_EXPECT_INT(chief->code, 1);
    SLI_EXPECT(train_task_number(&cluster, chief, "final step=") >= 2000);
  }
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_training_goes_on_while_the_disk_fails) {
  static const char *const flags[] = {"--steps=2000", "--step_millis=8", "--save_steps=20", "--background", NULL};
  run("returns", flags, true);
}

SLI_TEST(test_only_the_last_checkpoint_decides) {
  static const char *const flags[] = {"--steps=2000", "--step_millis=4", "--save_steps=20", NULL};
  run("stays", flags, false);
}

TRAIN_TEST_MAIN(test_training_goes_on_while_the_disk_fails, test_only_the_last_checkpoint_decides)
