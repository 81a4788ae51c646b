// A small training job as processes of its own: the test's binary is started
// once for each task and then runs train_task_main() instead of the tests.
#ifndef SLI_TESTS_TRAIN_CLUSTER_INTERNAL_H_
#define SLI_TESTS_TRAIN_CLUSTER_INTERNAL_H_

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

// The exit code of a task that may not do what the test asks of it.
enum { TRAIN_NOT_PERMITTED = 77 };
enum { TRAIN_MAX_PS = 4, TRAIN_MAX_WORKERS = 4, TRAIN_MAX_TASKS = TRAIN_MAX_PS + TRAIN_MAX_WORKERS };

typedef struct {
  bool is_ps;
  int index;
  pid_t pid;   // 0: does not run
  int starts;  // how often it was started
  int code;    // exit code of the last run, -signal if it was killed
} train_task_t;

typedef struct {
  char *name, *directory;  // of checkpoints and outputs
  int ps_count, worker_count;
  int ports[TRAIN_MAX_TASKS];  // the ps tasks' first
  train_task_t tasks[TRAIN_MAX_TASKS];
  const char *const *flags;  // for all tasks, ends with NULL; must stay
} train_cluster_t;

// A cluster whose tasks do not run yet.
void train_cluster_initialize(train_cluster_t *cluster, const char *name, int ps, int workers,
                              const char *const *flags);
// Kills what still runs.
void train_cluster_deinitialize(train_cluster_t *cluster);
train_task_t *train_ps(train_cluster_t *cluster, int index);
train_task_t *train_worker(train_cluster_t *cluster, int index);

void train_task_start(train_cluster_t *cluster, train_task_t *task);
void train_cluster_start(train_cluster_t *cluster);
// Waits for the task's end; fails the test, and kills it, when that takes too long.
void train_task_wait(train_cluster_t *cluster, train_task_t *task);
// Looks whether it has ended by now, a little later.
bool train_task_has_ended(train_task_t *task);
// Sends |number|; for SIGKILL waits until it is gone.
void train_task_signal(train_task_t *task, int number);
// Whether it has a handler of its own for |number| now.
bool train_task_catches(const train_task_t *task, int number);
// All tasks end by themselves with exit code 0, else the test fails and shows what they said.
void train_cluster_expect_success(train_cluster_t *cluster);
// All that the task has said so far, over all its starts; new.
char *train_task_output(const train_cluster_t *cluster, const train_task_t *task);
// Waits until the task has said |text|. False, and a failed test, after a long time.
bool train_task_expect(train_cluster_t *cluster, train_task_t *task, const char *text);
// The number after |key| in the task's last line that has it; NAN, and a failed test, if there is none.
double train_task_number(const train_cluster_t *cluster, const train_task_t *task, const char *key);
// The largest step of a checkpoint that |cluster|'s directory has; -1 for none.
long train_cluster_checkpoint(const train_cluster_t *cluster);

// Whether this process is a task, and its main function.
bool train_is_task(void);
int train_task_main(int argc, char **argv);
// In place of SLI_TEST_MAIN.
#define TRAIN_TEST_MAIN(...)                                                                 \
  int main(int argc, char **argv) {                                                          \
    static void (*const tests[])(void) = {__VA_ARGS__};                                      \
    if (train_is_task()) return train_task_main(argc, argv);                                 \
    return sli_test_main(argc, argv, #__VA_ARGS__, tests, sizeof(tests) / sizeof(tests[0])); \
  }

#endif  // SLI_TESTS_TRAIN_CLUSTER_INTERNAL_H_
