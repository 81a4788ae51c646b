// The Supervisor in a cluster: the chief prepares the model, another worker waits for it, both train, and the chief's
// threads save. After a restart they continue.
#include "base/alloc.h"
#include "base/test.h"
#include "tests/train/cluster.h"

SLI_TEST(test_supervised_workers_train_one_model_and_go_on_with_it) {
  const char *first[] = {"--supervisor", "--steps=200", "--step_millis=5", NULL};
  const char *second[] = {"--supervisor", "--steps=400", "--step_millis=5", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "supervised", 1, 2, first);
  train_task_t *chief = train_worker(&cluster, 0), *other = train_worker(&cluster, 1);
  for (int round = 0; round < 2; round++) {
    if (round) cluster.flags = second;
    train_task_start(&cluster, train_ps(&cluster, 0));
    train_task_start(&cluster, other);  // waits, because there is no model yet
    train_task_start(&cluster, chief);
    train_cluster_expect_success(&cluster);
    long steps = round ? 400 : 200;
    SLI_EXPECT((long)train_task_number(&cluster, chief, "final step=") >= steps);
    SLI_EXPECT(train_cluster_checkpoint(&cluster) >= steps);
  }
  SLI_EXPECT_NEAR(train_task_number(&cluster, chief, " loss="), 0, 0.02);
  char *chief_said = train_task_output(&cluster, chief), *other_said = train_task_output(&cluster, other);
  SLI_EXPECT_CONTAINS(chief_said, "chief, first step ");
  SLI_EXPECT_CONTAINS(chief_said, "restored ");
  SLI_EXPECT_CONTAINS(other_said, "not the chief, first step ");
  SLI_EXPECT(!strstr(other_said, "restored "));
  // The second round begins where the first one ended.
  SLI_EXPECT(train_task_number(&cluster, chief, "chief, first step ") >= 200);
  free(chief_said);
  free(other_said);
  train_cluster_deinitialize(&cluster);
}

// Synchronous training without a training session: the program of the chief starts the queue runner and enqueues the
// first tokens.
SLI_TEST(test_supervised_workers_train_in_synchrony_and_all_end) {
  static const char *const flags[] = {"--supervisor", "--sync", "--steps=200", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "synchronous", 1, 3, flags);
  train_cluster_start(&cluster);
  train_cluster_expect_success(&cluster);
  SLI_EXPECT(train_cluster_checkpoint(&cluster) >= 200);
  SLI_EXPECT_NEAR(train_task_number(&cluster, train_worker(&cluster, 0), " loss="), 0, 0.02);
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_supervised_workers_train_in_synchrony_and_all_end,
                test_supervised_workers_train_one_model_and_go_on_with_it)
