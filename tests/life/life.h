// `sluice serve` processes for tests of their start, failure and end, and a small client.
#ifndef SLI_TESTS_LIFE_LIFE_H_
#define SLI_TESTS_LIFE_LIFE_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tensorflow/c/c_api.h"

enum { LIFE_MAX_TASKS = 8, LIFE_PATIENCE_MILLIS = 40000 };

typedef struct {
  pid_t pid;  // 0: not running
  char job[16];
  int index, port;
  int seen_port;  // the port that the other tasks use for it, if it is not |port|; else 0
  char log[256];  // path of the file with its output
} life_task_t;

// A cluster on free ports of this machine. Zero-initialised it is empty.
typedef struct {
  life_task_t tasks[LIFE_MAX_TASKS];
  int count;
} life_cluster_t;

// Adds a task and returns its index in |tasks|. Does not start it.
int life_add(life_cluster_t *cluster, const char *job, int index);
// Starts the task's process, with |arguments| (ends with NULL; may be NULL) after those that describe the cluster, and
// waits until it serves. Returns false and fails the test on an error.
bool life_start(life_cluster_t *cluster, int task, const char *const *arguments);
// The same without waiting.
bool life_spawn(life_cluster_t *cluster, int task, const char *const *arguments);
// The flag "--ps_hosts=…" for |task|, which the caller frees; NULL if the job has no tasks.
char *life_hosts_flag(const life_cluster_t *cluster, int task, const char *job);
// The task's output so far; the caller frees it.
char *life_log(const life_cluster_t *cluster, int task);
// Waits until the task's log contains |text|.
bool life_wait_log(const life_cluster_t *cluster, int task, const char *text);
// Waits until the process has ended and returns its exit code or -signal; kills it and returns -1000 at the timeout.
int life_wait_exit(life_cluster_t *cluster, int task, int64_t timeout_millis);
// Sends |signal|. After SIGSTOP it waits until the process has stopped.
void life_kill(life_cluster_t *cluster, int task, int signal);
// Kills the tasks that still run.
void life_stop(life_cluster_t *cluster);
// "grpc://localhost:2222" and "localhost:2222". The text is overwritten by the 8th next call.
const char *life_target(const life_cluster_t *cluster, int task);
const char *life_address(const life_cluster_t *cluster, int task);

// Starts |task|, which must be a worker, as a server of this process. Returns NULL and fails the test on an error.
TF_Server *life_own_server(const life_cluster_t *cluster, int task, TF_Status *status);

// --- A client ---

// Starts an operation of |op| with |count| inputs on |device| (NULL: none).
TF_OperationDescription *life_op(TF_Graph *graph, const char *op, const char *name, const char *device,
                                 const TF_Output *inputs, int count);
TF_Output life_finish(TF_OperationDescription *description);
TF_Output life_constant(TF_Graph *graph, const char *name, const char *device, float value);
// A VariableV2, and in |out_assign| the Assign of |value| to it.
TF_Output life_variable(TF_Graph *graph, const char *name, const char *device, float value, TF_Operation **out_assign);
// An operation on |device| that waits forever.
TF_Output life_blocking_op(TF_Graph *graph, const char *name, const char *device);
// A session on |target|; fails the test and returns NULL on an error. |config|: a serialized ConfigProto or NULL.
TF_Session *life_session(TF_Graph *graph, const char *target, const void *config, size_t config_size);
TF_Session *life_try_session(TF_Graph *graph, const char *target, const void *config, size_t config_size,
                             TF_Status *status);
// Runs |target| (may be NULL) and returns the float fetched (0 if |fetch| is NULL or on an error).
float life_run(TF_Session *session, const TF_Output *fetch, TF_Operation *target, TF_Status *status);
void life_close(TF_Session *session);

#define LIFE_EXPECT_OK(status)                                                                    \
  do {                                                                                            \
    if (TF_GetCode(status) != TF_OK) sli_test_fail(__FILE__, __LINE__, "%s", TF_Message(status)); \
  } while (0)

#endif  // SLI_TESTS_LIFE_LIFE_H_
