// Which state sessions share on a task, and which belongs to one session.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "sluice/cluster.h"
#include "tests/life/life.h"

typedef struct {
  TF_Graph *graph;
  TF_Operation *assign, *enqueue, *enqueue_shared;
  TF_Output variable, size, shared_size;
} model_t;

// The size of a queue as a float, so that life_run can fetch it.
static TF_Output queue(TF_Graph *graph, const char *name, const char *shared_name, const char *device,
                       TF_Operation **out_enqueue) {
  char text[64];
  TF_DataType type = TF_FLOAT;
  TF_OperationDescription *description = life_op(graph, "FIFOQueueV2", name, device, NULL, 0);
  TF_SetAttrTypeList(description, "component_types", &type, 1);
  TF_SetAttrString(description, "shared_name", shared_name, strlen(shared_name));
  TF_Output handle = life_finish(description);
  snprintf(text, sizeof(text), "%s/one", name);
  TF_Output one = life_constant(graph, text, device, 1);
  snprintf(text, sizeof(text), "%s/enqueue", name);
  description = life_op(graph, "QueueEnqueueV2", text, device, &handle, 1);
  TF_AddInputList(description, &one, 1);
  *out_enqueue = life_finish(description).oper;
  snprintf(text, sizeof(text), "%s/size", name);
  TF_Output size = life_finish(life_op(graph, "QueueSizeV2", text, device, &handle, 1));
  snprintf(text, sizeof(text), "%s/float", name);
  description = life_op(graph, "Cast", text, device, &size, 1);
  TF_SetAttrType(description, "DstT", TF_FLOAT);
  return life_finish(description);
}

static model_t model_make(const char *device) {
  model_t model = {.graph = TF_NewGraph()};
  model.variable = life_variable(model.graph, "v", device, 3, &model.assign);
  model.size = queue(model.graph, "own", "", device, &model.enqueue);
  model.shared_size = queue(model.graph, "common", "shared", device, &model.enqueue_shared);
  return model;
}

static size_t count_queues(const char *target) {
  TF_Status *status = TF_NewStatus();
  sl_task_status_t *task = sl_cluster_status(target, LIFE_PATIENCE_MILLIS, 0, status);
  LIFE_EXPECT_OK(status);
  size_t count = task ? task->queue_count : 0;
  sl_task_status_free(task);
  TF_DeleteStatus(status);
  return count;
}

// As TensorFlow's servers: variables and named queues belong to the task, a queue without a shared name to its session.
static void check_sharing(const life_cluster_t *cluster, int holder, const char *device) {
  model_t model = model_make(device);
  TF_Status *status = TF_NewStatus();
  TF_Session *first = life_session(model.graph, life_target(cluster, 1), NULL, 0);
  TF_Session *second = life_session(model.graph, life_target(cluster, 1), NULL, 0);
  SLI_REQUIRE(first && second);
  TF_Operation *steps[] = {model.assign, model.enqueue, model.enqueue_shared};
  for (size_t i = 0; i < 3; i++) {
    life_run(first, NULL, steps[i], status);
    LIFE_EXPECT_OK(status);
  }
  SLI_EXPECT_NEAR(life_run(first, &model.size, NULL, status), 1, 0);
  SLI_EXPECT_NEAR(life_run(second, &model.size, NULL, status), 0, 0);
  SLI_EXPECT_NEAR(life_run(second, &model.shared_size, NULL, status), 1, 0);
  SLI_EXPECT_NEAR(life_run(second, &model.variable, NULL, status), 3, 0);
  LIFE_EXPECT_OK(status);
  for (int i = 0; i < 2; i++) life_run(second, NULL, model.enqueue, status);
  SLI_EXPECT_NEAR(life_run(first, &model.size, NULL, status), 1, 0);
  SLI_EXPECT_NEAR(life_run(second, &model.size, NULL, status), 2, 0);
  SLI_EXPECT_INT(count_queues(life_target(cluster, holder)), 3);
  life_close(first);
  SLI_EXPECT_INT(count_queues(life_target(cluster, holder)), 2);
  SLI_EXPECT_NEAR(life_run(second, &model.size, NULL, status), 2, 0);
  LIFE_EXPECT_OK(status);
  life_close(second);
  SLI_EXPECT_INT(count_queues(life_target(cluster, holder)), 1);
  TF_Session *third = life_session(model.graph, life_target(cluster, 1), NULL, 0);
  SLI_EXPECT_NEAR(life_run(third, &model.size, NULL, status), 0, 0);
  SLI_EXPECT_NEAR(life_run(third, &model.shared_size, NULL, status), 1, 0);
  LIFE_EXPECT_OK(status);
  life_close(third);
  TF_DeleteStatus(status);
  TF_DeleteGraph(model.graph);
}

SLI_TEST(test_a_queue_without_a_shared_name_belongs_to_its_session) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL) && life_start(&cluster, 1, NULL));
  check_sharing(&cluster, 0, "/job:ps/task:0");
  check_sharing(&cluster, 1, "/job:worker/task:0");
  life_stop(&cluster);
}

// --- Sessions with their own cluster ---

// Adds the job |name| with |count| tasks at |addresses| to a ClusterDef.
static void write_job(sli_string_t *out, const char *name, const char *const *addresses, int count) {
  size_t job = sli_wire_open(out, SLI_FIELD_CLUSTER_DEF_JOB);
  sli_wire_write_text(out, SLI_FIELD_JOB_DEF_NAME, name);
  for (int i = 0; i < count; i++) {
    size_t task = sli_wire_open(out, SLI_FIELD_JOB_DEF_TASKS);
    sli_wire_write_int(out, SLI_FIELD_JOB_DEF_TASKS_ENTRY_KEY, i);
    sli_wire_write_text(out, SLI_FIELD_JOB_DEF_TASKS_ENTRY_VALUE, addresses[i]);
    sli_wire_close(out, task);
  }
  sli_wire_close(out, job);
}

// Values go from task to task, state is the session's, and what a dead task leaves is an error that names it.
SLI_TEST(test_a_session_may_bring_its_own_cluster) {
  life_cluster_t clusters[2] = {0};  // that know nothing of each other
  const char *addresses[2];
  for (int i = 0; i < 2; i++) {
    life_add(&clusters[i], "worker", 0);
    SLI_REQUIRE(life_start(&clusters[i], 0, NULL));
    addresses[i] = life_address(&clusters[i], 0);
  }
  sli_string_t config = {0};
  size_t cluster_def = sli_wire_open(&config, SLI_FIELD_CONFIG_PROTO_CLUSTER_DEF);
  write_job(&config, "tower", addresses, 2);
  sli_wire_close(&config, cluster_def);
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *assign;
  TF_Output v = life_variable(graph, "v", "/job:tower/task:1", 3, &assign);
  TF_Output four = life_constant(graph, "four", "/job:tower/task:0", 4);
  TF_Output sum = life_finish(life_op(graph, "AddV2", "sum", "/job:tower/task:0", (TF_Output[]){v, four}, 2));
  TF_Output back = life_finish(life_op(graph, "AddV2", "back", "/job:tower/task:1", (TF_Output[]){sum, v}, 2));
  TF_Status *status = TF_NewStatus();
  TF_Session *sessions[2];
  for (int i = 0; i < 2; i++) {
    sessions[i] = life_session(graph, life_target(&clusters[0], 0), config.data, config.size);
    SLI_REQUIRE(sessions[i]);
  }
  life_run(sessions[0], NULL, assign, status);
  LIFE_EXPECT_OK(status);
  for (int i = 0; i < 3; i++) SLI_EXPECT_NEAR(life_run(sessions[0], &back, NULL, status), 10, 0);
  LIFE_EXPECT_OK(status);
  life_run(sessions[1], &back, NULL, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_FAILED_PRECONDITION);
  life_close(sessions[1]);
  life_kill(&clusters[1], 0, SIGKILL);
  life_run(sessions[0], &back, NULL, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_UNAVAILABLE);
  SLI_EXPECT_CONTAINS(TF_Message(status), "/job:tower/replica:0/task:1");
  life_close(sessions[0]);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  sli_string_deinitialize(&config);
  for (int i = 0; i < 2; i++) life_stop(&clusters[i]);
}

// --- Kernels that take long ---

typedef struct {
  TF_Session *session;
  TF_Operation *target;
  TF_Code code;
} job_t;

static void *run_job(void *context) {
  job_t *job = context;
  TF_Status *status = TF_NewStatus();
  life_run(job->session, NULL, job->target, status);
  job->code = TF_GetCode(status);
  TF_DeleteStatus(status);
  return NULL;
}

// Waits until a step runs on the task: whether it answered all the while.
static bool answers_until_step_runs(const char *target) {
  TF_Status *status = TF_NewStatus();
  bool is_running = false;
  int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
  while (!is_running && TF_GetCode(status) == TF_OK && sli_clock_now_nanos() < deadline) {
    sl_task_status_t *task = sl_cluster_status(target, 5000, 0, status);
    for (size_t i = 0; task && i < task->session_count; i++) is_running |= task->sessions[i].running_steps > 0;
    sl_task_status_free(task);
  }
  LIFE_EXPECT_OK(status);
  TF_DeleteStatus(status);
  return is_running;
}

// A named pipe without a writer: opening it blocks.
SLI_TEST(test_a_step_that_waits_for_a_file_keeps_no_other_waiting) {
  char directory[] = "/tmp/sluice-pipe-XXXXXX", path[64];
  SLI_REQUIRE(mkdtemp(directory));
  snprintf(path, sizeof(path), "%s/pipe", directory);
  close(open(path, O_CREAT | O_WRONLY, 0600));
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  TF_Graph *graph = TF_NewGraph();
  TF_OperationDescription *description = life_op(graph, "Const", "name", NULL, NULL, 0);
  TF_Status *status = TF_NewStatus();
  TF_TString text;
  TF_StringInit(&text);
  TF_StringCopy(&text, path, strlen(path));
  TF_Tensor *name = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(text));
  memcpy(TF_TensorData(name), &text, sizeof(text));
  TF_SetAttrType(description, "dtype", TF_STRING);
  TF_SetAttrTensor(description, "value", name, status);
  TF_DeleteTensor(name);
  TF_Output file = life_finish(description);
  TF_Operation *read = life_finish(life_op(graph, "ReadFile", "read", NULL, &file, 1)).oper;
  TF_Output six = life_constant(graph, "six", NULL, 6);
  job_t job = {.session = life_session(graph, life_target(&cluster, 0), NULL, 0), .target = read};
  SLI_REQUIRE(job.session);
  life_run(job.session, NULL, read, status);  // later steps begin on the thread that reads the request
  LIFE_EXPECT_OK(status);
  SLI_REQUIRE(unlink(path) == 0 && mkfifo(path, 0600) == 0);
  pthread_t thread;
  SLI_REQUIRE(pthread_create(&thread, NULL, run_job, &job) == 0);
  if (answers_until_step_runs(life_target(&cluster, 0))) {
    TF_Session *other = life_session(graph, life_target(&cluster, 0), NULL, 0);
    SLI_EXPECT_NEAR(life_run(other, &six, NULL, status), 6, 0);
    LIFE_EXPECT_OK(status);
    life_close(other);
  } else {
    sli_test_fail(__FILE__, __LINE__, "the task is deaf");
  }
  int writer = open(path, O_RDWR);
  close(writer);
  life_stop(&cluster);  // which ends the step
  pthread_join(thread, NULL);
  TF_Status *ignored = TF_NewStatus();
  TF_DeleteSession(job.session, ignored);
  TF_DeleteStatus(ignored);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  unlink(path);
  rmdir(directory);
}

SLI_TEST_MAIN(test_a_queue_without_a_shared_name_belongs_to_its_session, test_a_session_may_bring_its_own_cluster,
              test_a_step_that_waits_for_a_file_keeps_no_other_waiting)
