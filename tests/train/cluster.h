// A small training job in separate processes: the test starts its own binary once for
// each task, which then runs train_task_main() instead of the tests.
#ifndef SLI_TESTS_TRAIN_CLUSTER_H_
#define SLI_TESTS_TRAIN_CLUSTER_H_

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

// The exit code of a task that is not permitted to do what the test needs.
enum { TRAIN_NOT_PERMITTED = 77 };
enum { TRAIN_MAX_PS = 4, TRAIN_MAX_WORKERS = 4, TRAIN_MAX_TASKS = TRAIN_MAX_PS + TRAIN_MAX_WORKERS };

typedef struct {
  bool is_ps;
  int index;
  pid_t pid;   // 0: not running
  int starts;  // how often it was started
  int code;    // exit code of the last run, -signal if it was killed
} train_task_t;

typedef struct {
  char *name, *directory;  // of checkpoints and outputs
  int ps_count, worker_count;
  int ports[TRAIN_MAX_TASKS];          // of the ps tasks, then of the workers
  const char *hosts[TRAIN_MAX_TASKS];  // their hosts; NULL: 127.0.0.1. Not copied
  train_task_t tasks[TRAIN_MAX_TASKS];
  const char *const *flags;  // for all tasks, terminated by NULL; not copied
  bool joins;                // tasks that are started get only the address of the first ps
} train_cluster_t;

// A cluster; its tasks are not started yet.
void train_cluster_initialize(train_cluster_t *cluster, const char *name, int ps, int workers,
                              const char *const *flags);
// Kills the tasks that still run.
void train_cluster_deinitialize(train_cluster_t *cluster);
train_task_t *train_ps(train_cluster_t *cluster, int index);
train_task_t *train_worker(train_cluster_t *cluster, int index);

void train_task_start(train_cluster_t *cluster, train_task_t *task);
void train_cluster_start(train_cluster_t *cluster);
// Waits until the task ends. If that takes too long, fails the test and kills the task.
void train_task_wait(train_cluster_t *cluster, train_task_t *task);
// Whether the task has ended; waits a short time before it checks.
bool train_task_has_ended(train_task_t *task);
// Sends signal |number|; after SIGKILL waits until the task has ended.
void train_task_signal(train_task_t *task, int number);
// Whether the task has a handler for signal |number|.
bool train_task_catches(const train_task_t *task, int number);
// Waits until all tasks end with exit code 0; else fails the test and prints their output.
void train_cluster_expect_success(train_cluster_t *cluster);
// The same without |gone|, a task that is dead or may fail; NULL: none.
void train_cluster_expect_success_without(train_cluster_t *cluster, const train_task_t *gone);
// The output of the task so far, of all its starts. New.
char *train_task_output(const train_cluster_t *cluster, const train_task_t *task);
// Waits until the task has printed |text|. After a long time fails the test and returns false.
bool train_task_expect(train_cluster_t *cluster, train_task_t *task, const char *text);
// The number after |key| in the last line of the task's output that has it. If there is none, fails the test and
// returns NAN.
double train_task_number(const train_cluster_t *cluster, const train_task_t *task, const char *key);
// Waits until the task, which prints every 20th step, has taken some more.
void train_task_expect_progress(train_cluster_t *cluster, train_task_t *task);
// Lets the chief of a job with --until_told end it, in order.
void train_cluster_end(const train_cluster_t *cluster);
// The largest step of a checkpoint in the directory of |cluster|; -1: none.
long train_cluster_checkpoint(const train_cluster_t *cluster);

// The environment variable that makes a test program a task.
#define TRAIN_TASK_MARK "SLI_TRAIN_TASK"
// Whether this process is a task, and its main function.
bool train_is_task(void);
int train_task_main(int argc, char **argv);
// Use it instead of SLI_TEST_MAIN.
#define TRAIN_TEST_MAIN(...)                                                                 \
  int main(int argc, char **argv) {                                                          \
    static void (*const tests[])(void) = {__VA_ARGS__};                                      \
    if (train_is_task()) return train_task_main(argc, argv);                                 \
    return sli_test_main(argc, argv, #__VA_ARGS__, tests, sizeof(tests) / sizeof(tests[0])); \
  }

#endif  // SLI_TESTS_TRAIN_CLUSTER_H_
