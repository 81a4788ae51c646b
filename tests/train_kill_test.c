// Tasks are killed at moments that a seed chooses and started again: the training
// goes on from the latest checkpoint and ends as if nothing had happened. With
// the argument "soak" twenty rounds of each kind instead of one.
#include <math.h>
#include <time.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "train_cluster_internal.h"

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

// Every number after |key| in what the workers said must be at least |least|.
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

// The loss of runs without a kill: the largest of three.
static double undisturbed(const char *name, const char *const *flags) {
  double largest = 0;
  for (int i = 0; i < 3; i++) {
    train_cluster_t cluster;
    char *whole = sli_format("%s-%d", name, i);
    train_cluster_initialize(&cluster, whole, 1, 2, flags);
    train_cluster_start(&cluster);
    train_cluster_expect_success(&cluster);
    largest = fmax(largest, final_loss(&cluster));
    train_cluster_deinitialize(&cluster);
    free(whole);
  }
  return largest;
}

typedef enum { PS, WORKER, CHIEF } victim_t;

static void kill_once(const char *name, const char *const *flags, victim_t victim, double usual_loss) {
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, name, 1, 2, flags);
  train_cluster_start(&cluster);
  for (int i = 0; i < 2; i++) train_task_expect(&cluster, train_worker(&cluster, i), "first step");
  sleep_millis(random_below(600));
  train_task_t *task = victim == PS ? train_ps(&cluster, 0) : train_worker(&cluster, victim == WORKER);
  long checkpoint = train_cluster_checkpoint(&cluster);
  train_task_signal(task, SIGKILL);
  sleep_millis(random_below(300));
  train_task_start(&cluster, task);
  train_cluster_expect_success(&cluster);
  SLI_EXPECT(checkpoint >= 0);
  SLI_EXPECT(train_cluster_checkpoint(&cluster) >= STEPS);
  expect_numbers(&cluster, "fell to step ", checkpoint);
  if (victim != WORKER) expect_numbers(&cluster, "/model.ckpt-", checkpoint);
  // A run ends within the noise of the others': 1/300 is what the data leave.
  double loss = final_loss(&cluster);
  if (!(loss <= usual_loss * 1.2))
    sli_test_fail(__FILE__, __LINE__, "%s: the loss is %g, without a kill it is %g", name, loss, usual_loss);
  train_cluster_deinitialize(&cluster);
}

static void kill_all(const char *mode, const char *const *flags) {
  static const char *const names[] = {"ps", "worker", "chief"};
  double loss = undisturbed(mode, flags);
  SLI_EXPECT(loss < 0.01);
  for (int round = 0; round < rounds; round++)
    for (int victim = PS; victim <= CHIEF; victim++) {
      char *name = sli_format("%s-%s-%d", mode, names[victim], round);
      kill_once(name, flags, (victim_t)victim, loss);
      free(name);
    }
}

SLI_TEST(test_asynchronous_training_survives) {
  const char *flags[] = {"--steps=150", "--save_steps=15", "--step_millis=10", NULL};
  kill_all("async", flags);
}

SLI_TEST(test_synchronous_training_survives) {
  const char *flags[] = {"--sync", "--steps=150", "--save_steps=15", "--step_millis=5", NULL};
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
