// Kernels that do not return: reads of a file that has no end, and long computations. They keep no other step, no close
// and no signal.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "sluice/cluster.h"
#include "tests/life/life.h"

enum { MAX_STEPS = 64 };

// A step that runs on its own thread.
typedef struct {
  TF_Session *session;
  TF_Operation *target;
  pthread_t thread;
  TF_Code code;
} step_t;

static void *step_main(void *argument) {
  step_t *step = argument;
  TF_Status *status = TF_NewStatus();
  life_run(step->session, NULL, step->target, status);
  step->code = TF_GetCode(status);
  TF_DeleteStatus(status);
  return NULL;
}

static void step_start(step_t *step, TF_Session *session, TF_Operation *target) {
  *step = (step_t){.session = session, .target = target};
  SLI_CHECK(pthread_create(&step->thread, NULL, step_main, step) == 0);
}

// Waits until |count| steps run on the task, which must answer all the while.
static bool wait_running(const char *target, int count) {
  TF_Status *status = TF_NewStatus();
  int64_t running = 0, deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
  while (running < count && TF_GetCode(status) == TF_OK && sli_clock_now_nanos() < deadline) {
    sl_task_status_t *task = sl_cluster_status(target, LIFE_PATIENCE_MILLIS, 0, status);
    running = task ? task->running_steps : 0;
    sl_task_status_free(task);
    usleep(5000);
  }
  LIFE_EXPECT_OK(status);
  TF_DeleteStatus(status);
  return running >= count;
}

static TF_Output constant_of(TF_Graph *graph, const char *name, TF_DataType type, TF_Tensor *value) {
  TF_Status *status = TF_NewStatus();
  TF_OperationDescription *description = life_op(graph, "Const", name, NULL, NULL, 0);
  TF_SetAttrType(description, "dtype", type);
  TF_SetAttrTensor(description, "value", value, status);
  LIFE_EXPECT_OK(status);
  TF_DeleteTensor(value);
  TF_DeleteStatus(status);
  return life_finish(description);
}

// ReadFile of a named pipe that nobody writes to: opening it blocks.
static TF_Operation *read_of(TF_Graph *graph, const char *path) {
  TF_TString text;
  TF_StringInit(&text);
  TF_StringCopy(&text, path, strlen(path));
  TF_Tensor *name = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(text));
  memcpy(TF_TensorData(name), &text, sizeof(text));
  TF_Output file = constant_of(graph, "name", TF_STRING, name);
  return life_finish(life_op(graph, "ReadFile", "read", NULL, &file, 1)).oper;
}

typedef struct {
  char directory[32], path[64];
} pipe_t;

static bool pipe_make(pipe_t *pipe) {
  strcpy(pipe->directory, "/tmp/sluice-pipe-XXXXXX");
  if (!mkdtemp(pipe->directory)) return false;
  snprintf(pipe->path, sizeof(pipe->path), "%s/pipe", pipe->directory);
  return mkfifo(pipe->path, 0600) == 0;
}

static void pipe_remove(pipe_t *pipe) {
  unlink(pipe->path);
  rmdir(pipe->directory);
}

// More reads than the task has cores.
SLI_TEST(test_reads_that_block_keep_no_step_no_close_and_no_signal) {
  pipe_t pipe;
  life_cluster_t cluster = {0};
  SLI_REQUIRE(pipe_make(&pipe));
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int count = cores + 1 < MAX_STEPS ? (int)cores + 1 : MAX_STEPS;
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *read = read_of(graph, pipe.path);
  TF_Output six = life_constant(graph, "six", NULL, 6);
  static step_t steps[MAX_STEPS + 1];
  TF_Session *closed = life_session(graph, life_target(&cluster, 0), NULL, 0);
  TF_Session *kept = life_session(graph, life_target(&cluster, 0), NULL, 0);
  SLI_REQUIRE(closed && kept);
  for (int i = 0; i < count; i++) step_start(&steps[i], closed, read);
  step_start(&steps[count], kept, read);
  SLI_EXPECT(wait_running(life_target(&cluster, 0), count + 1));
  // Another session begins and runs a step.
  TF_Session *other = life_session(graph, life_target(&cluster, 0), NULL, 0);
  SLI_REQUIRE(other);
  SLI_EXPECT_NEAR(life_run(other, &six, NULL, status), 6, 0);
  LIFE_EXPECT_OK(status);
  life_close(other);
  // Closing a session ends its steps.
  TF_CloseSession(closed, status);
  LIFE_EXPECT_OK(status);
  for (int i = 0; i < count; i++) {
    pthread_join(steps[i].thread, NULL);
    SLI_EXPECT_INT(steps[i].code, TF_CANCELLED);
  }
  SLI_EXPECT_NEAR(life_run(kept, &six, NULL, status), 6, 0);
  LIFE_EXPECT_OK(status);
  life_kill(&cluster, 0, SIGTERM);
  SLI_EXPECT_INT(life_wait_exit(&cluster, 0, 20000), 0);
  pthread_join(steps[count].thread, NULL);
  SLI_EXPECT(steps[count].code == TF_UNAVAILABLE || steps[count].code == TF_CANCELLED ||
             steps[count].code == TF_ABORTED);
  TF_DeleteSession(closed, status);
  TF_DeleteSession(kept, status);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
  pipe_remove(&pipe);
}

// A step's own limit of time ends it for the client, too.
SLI_TEST(test_a_read_that_blocks_ends_at_the_deadline_of_its_step) {
  pipe_t pipe;
  life_cluster_t cluster = {0};
  SLI_REQUIRE(pipe_make(&pipe));
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *read = read_of(graph, pipe.path);
  TF_Session *session = life_session(graph, life_target(&cluster, 0), NULL, 0);
  SLI_REQUIRE(session);
  TF_Buffer *options = TF_NewBufferFromString("\x10\x64", 2);  // RunOptions{timeout_in_ms: 100}
  TF_SessionRun(session, options, NULL, NULL, 0, NULL, NULL, 0, (const TF_Operation *const *)&read, 1, NULL, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
  TF_DeleteBuffer(options);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_kill(&cluster, 0, SIGTERM);
  SLI_EXPECT_INT(life_wait_exit(&cluster, 0, 20000), 0);
  life_stop(&cluster);
  pipe_remove(&pipe);
}

static TF_Output random_of(TF_Graph *graph, const char *name, const int32_t *dims, int64_t rank) {
  char text[32];
  TF_Tensor *value = TF_AllocateTensor(TF_INT32, &rank, 1, (size_t)rank * sizeof(*dims));
  memcpy(TF_TensorData(value), dims, (size_t)rank * sizeof(*dims));
  snprintf(text, sizeof(text), "%s/shape", name);
  TF_Output shape = constant_of(graph, text, TF_INT32, value);
  TF_OperationDescription *description = life_op(graph, "RandomUniform", name, NULL, &shape, 1);
  TF_SetAttrType(description, "dtype", TF_FLOAT);
  return life_finish(description);
}

// Waits until the process has used so much processor time.
static void wait_cpu_seconds(pid_t pid, double seconds) {
  int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
  char path[64];
  unsigned long user = 0, system = 0;
  snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
  while ((double)(user + system) < seconds * (double)sysconf(_SC_CLK_TCK) && sli_clock_now_nanos() < deadline) {
    FILE *file = fopen(path, "r");
    SLI_CHECK(file && fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) == 2);
    fclose(file);
    usleep(10000);
  }
}

// One convolution that would take a core minutes.
SLI_TEST(test_sigterm_during_a_long_computation_ends_the_task) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_Output inputs[] = {random_of(graph, "image", (int32_t[]){1, 512, 512, 16}, 4),
                        random_of(graph, "filter", (int32_t[]){192, 192, 16, 16}, 4)};
  TF_OperationDescription *description = life_op(graph, "Conv2D", "long", NULL, inputs, 2);
  TF_SetAttrIntList(description, "strides", (int64_t[]){1, 1, 1, 1}, 4);
  TF_SetAttrString(description, "padding", "SAME", 4);
  TF_Operation *convolution = life_finish(description).oper;
  TF_Session *session = life_session(graph, life_target(&cluster, 0), NULL, 0);
  SLI_REQUIRE(session);
  step_t step;
  step_start(&step, session, convolution);
  SLI_EXPECT(wait_running(life_target(&cluster, 0), 1));
  wait_cpu_seconds(cluster.tasks[0].pid, 2);  // the rest of the step takes less
  life_kill(&cluster, 0, SIGTERM);
  SLI_EXPECT_INT(life_wait_exit(&cluster, 0, 20000), 0);
  pthread_join(step.thread, NULL);
  SLI_EXPECT(step.code == TF_UNAVAILABLE || step.code == TF_CANCELLED || step.code == TF_ABORTED);
  TF_DeleteSession(session, status);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_reads_that_block_keep_no_step_no_close_and_no_signal,
              test_a_read_that_blocks_ends_at_the_deadline_of_its_step,
              test_sigterm_during_a_long_computation_ends_the_task)
