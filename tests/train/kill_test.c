// Kills tasks at random moments and starts them again: the training continues from
// the latest checkpoint and ends with the same result. With the argument "soak" it
// runs twenty rounds of each kind instead of one.
#include <math.h>
#include <time.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/train/cluster.h"

// With the pauses below a job takes at least 3.7 s, and the last task is killed after at most 2 s.
enum { STEPS = 150 };
static int rounds = 1;

static uint64_t random_state = 20260101;
static int random_below(int limit) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (int)((random_state >> 33) % (uint64_t)limit);
}

static void sleep_millis(int millis) {
  nanosleep(&(struct timespec){.tv_sec = millis / 1000, .tv_nsec = millis % 1000 * 1000000L}, NULL);
}

// Checks that every number after |key| in the output of the workers is at least |least|.
static void expect_numbers(train_cluster_t *cluster, const char *key, long least) {
  for (int i = 0; i < cluster->worker_count; i++) {
    char *said = train_task_output(cluster, train_worker(cluster, i));
    for (char *at = strstr(said, key); at; at = strstr(at + 1, key)) {
      long step = strtol(at + strlen(key), NULL, 10);
      if (step < least)
        sli_test_fail(__FILE__, __LINE__, "%s: \"%s%ld\" is before checkpoint %ld:\n%s", cluster->name, key, step,
                      least, said);
    }
    free(said);
  }
}

static double final_loss(train_cluster_t *cluster) {
  return train_task_number(cluster, train_worker(cluster, 0), " loss=");
}

typedef enum { PS, WORKER, CHIEF, NOBODY } victim_t;
static const char *const names[] = {"ps", "worker", "chief", "nobody"};
enum { UNDISTURBED = 3, CLUSTERS = NOBODY + UNDISTURBED };

// The clusters of a round run at the same time: three in which a task is killed, three without.
typedef struct {
  train_cluster_t cluster;
  victim_t victim;
  long checkpoint;  // when it was killed
} trial_t;

static void begin(trial_t *trial, const char *mode, int number, int round, const char *const *flags) {
  trial->victim = number < NOBODY ? (victim_t)number : NOBODY;
  char *name = sli_format("%s-%s-%d-%d", mode, names[trial->victim], number, round);
  train_cluster_initialize(&trial->cluster, name, 1, 2, flags);
  train_cluster_start(&trial->cluster);
  free(name);
}

static void kill_victim(trial_t *trial) {
  train_cluster_t *cluster = &trial->cluster;
  if (trial->victim == NOBODY) return;
  for (int i = 0; i < 2; i++) train_task_expect(cluster, train_worker(cluster, i), "first step");
  sleep_millis(random_below(500));
  train_task_t *task = trial->victim == PS ? train_ps(cluster, 0) : train_worker(cluster, trial->victim == WORKER);
  trial->checkpoint = train_cluster_checkpoint(cluster);
  SLI_EXPECT(trial->checkpoint >= 0);
  train_task_signal(task, SIGKILL);
  sleep_millis(random_below(200));
  train_task_start(cluster, task);
}

static void check(trial_t *trial, double usual_loss) {
  train_cluster_t *cluster = &trial->cluster;
  SLI_EXPECT(train_cluster_checkpoint(cluster) >= STEPS);
  if (trial->victim == NOBODY) return;
  expect_numbers(cluster, "fell to step ", trial->checkpoint);
  if (trial->victim != WORKER) expect_numbers(cluster, "/model.ckpt-", trial->checkpoint);
  double loss = final_loss(cluster);
  if (!(loss <= usual_loss * 1.2))
    sli_test_fail(__FILE__, __LINE__, "%s: the loss is %g, without a kill it is %g", cluster->name, loss, usual_loss);
}

static void kill_all(const char *mode, const char *const *flags) {
  for (int round = 0; round < rounds; round++) {
    trial_t trials[CLUSTERS] = {0};
    double loss = 0;
    for (int i = 0; i < CLUSTERS; i++) begin(&trials[i], mode, i, round, flags);
    for (int i = 0; i < CLUSTERS; i++) kill_victim(&trials[i]);
    for (int i = 0; i < CLUSTERS; i++) train_cluster_expect_success(&trials[i].cluster);
    for (int i = NOBODY; i < CLUSTERS; i++) loss = fmax(loss, final_loss(&trials[i].cluster));
    SLI_EXPECT(loss < 0.01);  // the noise leaves a loss of 1/300
    for (int i = 0; i < CLUSTERS; i++) {
      check(&trials[i], loss);
      train_cluster_deinitialize(&trials[i].cluster);
    }
  }
}

SLI_TEST(test_asynchronous_training_survives) {
  const char *flags[] = {"--steps=150", "--save_steps=15", "--step_millis=50", NULL};
  kill_all("async", flags);
}

SLI_TEST(test_synchronous_training_survives) {
  const char *flags[] = {"--sync", "--steps=150", "--save_steps=15", "--step_millis=25", NULL};
  kill_all("sync", flags);
}

int main(int argc, char **argv) {
  static void (*const tests[])(void) = {test_asynchronous_training_survives, test_synchronous_training_survives};
  if (train_is_task()) return train_task_main(argc, argv);
  bool soak = argc > 1 && strcmp(argv[1], "soak") == 0;
  if (soak) rounds = 20;
  return sli_test_main(argc - soak, argv + soak,
                       "test_asynchronous_training_survives, test_synchronous_training_survives", tests, 2);
}
