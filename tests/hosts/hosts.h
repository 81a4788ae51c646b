// Several "hosts" on one machine, for tests of what loopback hides. A host is a set of namespaces: its own network
// interface, addresses, host name, /etc/hosts, shared memory and a disk of its own. The hosts are connected by a
// bridge, which is also in a namespace of its own: nothing of the machine's network is touched. The whole test program
// runs in a PID namespace, so that all of it ends with the program, however that ends.
//
// Host |i| is named "host<i>", at 10.77.0.<i+1> and fd77::<i+1>.
//
// Needs root, or unprivileged user namespaces, and the command `ip`. Otherwise the program prints the reason and exits
// with HOSTS_SKIPPED, which ctest reports as skipped.
#ifndef SLI_TESTS_HOSTS_HOSTS_H_
#define SLI_TESTS_HOSTS_HOSTS_H_

#include <stdbool.h>

#include "base/test.h"
#include "tests/support/tool.h"
#include "tests/train/cluster.h"

enum { HOSTS_SKIPPED = 77, HOSTS_MAX = 4 };

// The hosts of a test. They exist until the program ends. Returns false and fails the test on an error.
bool hosts_make(int count);
// The directory that is another one on every host: what a task writes there no other host sees.
const char *hosts_disk(void);

// Moves the calling thread, which must be the main thread, to |host|; what it starts runs there. Then back.
void hosts_enter(int host);
void hosts_leave(void);

// Cuts |host| off: packets to and from it are lost without any notice. Connections stay open.
void hosts_cut(int host);
void hosts_mend(int host);
// Limits the rate of what |host| receives, after |burst|, as `tc tbf` does. Returns false if the system cannot.
bool hosts_limit(int host, const char *rate, const char *burst);
// Replaces |host|'s /etc/hosts, which has a line for each host, by |text|.
void hosts_write_names(int host, const char *text);
// Runs the command |argv| on |host| (-1: at the bridge) and returns its exit code. Its output is that of the test.
int hosts_command(int host, const char *const *argv);
#define HOSTS_COMMAND(host, ...) hosts_command(host, (const char *const[]){__VA_ARGS__, NULL})

// Runs "sluice ARGUMENTS…" on |host|.
void hosts_tool(int host, tool_run_t *run, const char *const *arguments);
#define HOSTS_TOOL(host, run, ...) hosts_tool(host, run, (const char *const[]){__VA_ARGS__, NULL})

// --- A training job: task |i|, ps tasks first, is on host |i|, all at port 2222. Checkpoints are on the chief's disk
// ---

enum { HOSTS_PS = 2, HOSTS_WORKERS = 2, HOSTS_CHIEF = HOSTS_PS };

typedef struct {
  train_cluster_t cluster;
  char *log_dir;
  const char *flags[16];
} hosts_job_t;

// The hosts' names, by IPv4 and by IPv6.
extern const char *const hosts_names[HOSTS_MAX], *const hosts_six_names[HOSTS_MAX];

// |flags|: of the tasks, ends with NULL; its texts are not copied.
void hosts_job_initialize(hosts_job_t *job, const char *name, const char *const *names, const char *const *flags);
void hosts_job_start(hosts_job_t *job);
void hosts_start_task(train_cluster_t *cluster, train_task_t *task);
// Waits until all workers have trained a step.
void hosts_job_wait_until_training(hosts_job_t *job);
// Waits until all tasks have ended without an error and checks that the model was learnt.
void hosts_job_expect_trained(hosts_job_t *job);
// Whether |host|'s disk has a checkpoint of the job.
bool hosts_job_has_checkpoint(const hosts_job_t *job, int host);
// Kills the tasks that still run.
void hosts_job_deinitialize(hosts_job_t *job);

// The body of main: enters the namespaces and runs |run|, or skips.
int hosts_main(int (*run)(int argc, char **argv), int argc, char **argv);
// Use it instead of SLI_TEST_MAIN.
#define HOSTS_TEST_MAIN(...)                                                                 \
  static int run_tests(int argc, char **argv) {                                              \
    static void (*const tests[])(void) = {__VA_ARGS__};                                      \
    return sli_test_main(argc, argv, #__VA_ARGS__, tests, sizeof(tests) / sizeof(tests[0])); \
  }                                                                                          \
  int main(int argc, char **argv) {                                                          \
    if (train_is_task()) return train_task_main(argc, argv);                                 \
    return hosts_main(run_tests, argc, argv);                                                \
  }

#endif  // SLI_TESTS_HOSTS_HOSTS_H_
