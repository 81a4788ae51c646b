#include "tests/life/life.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "sluice/server.h"

enum { MAX_ARGUMENTS = 32 };

int life_add(life_cluster_t *cluster, const char *job, int index) {
  life_task_t *task = &cluster->tasks[cluster->count];
  *task = (life_task_t){.index = index, .port = sli_test_free_port()};
  snprintf(task->job, sizeof(task->job), "%s", job);
  snprintf(task->log, sizeof(task->log), "%s/%s%d-%d.log", sli_test_temporary_dir(), job, index, task->port);
  return cluster->count++;
}

char *life_hosts_flag(const life_cluster_t *cluster, int task, const char *job) {
  sli_string_t text = {0};
  for (int i = 0; i < cluster->count; i++) {
    if (strcmp(cluster->tasks[i].job, job) != 0) continue;
    if (text.size)
      sli_string_append_char(&text, ',');
    else
      sli_string_append_format(&text, "--%s_hosts=", job);
    bool is_seen = i != task && cluster->tasks[i].seen_port;
    sli_string_append_format(&text, "localhost:%d", is_seen ? cluster->tasks[i].seen_port : cluster->tasks[i].port);
  }
  return text.size ? sli_string_take(&text) : NULL;
}

bool life_spawn(life_cluster_t *cluster, int index, const char *const *arguments) {
  static const char *const jobs[] = {"ps", "worker", "chief"};
  life_task_t *task = &cluster->tasks[index];
  const char *tool = getenv("SLUICE_TOOL");
  char *argv[MAX_ARGUMENTS] = {(char *)(tool ? tool : SLI_BUILD_DIR "/sluice"), (char *)"serve"};
  char *owned[MAX_ARGUMENTS];
  int count = 2, owned_count = 0;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(jobs); i++) {
    char *hosts = life_hosts_flag(cluster, index, jobs[i]);
    if (hosts) argv[count++] = owned[owned_count++] = hosts;
  }
  argv[count++] = owned[owned_count++] = sli_format("--job_name=%s", task->job);
  argv[count++] = owned[owned_count++] = sli_format("--task_index=%d", task->index);
  for (size_t i = 0; arguments && arguments[i]; i++) argv[count++] = (char *)arguments[i];
  int log = open(task->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  signal(SIGINT, SIG_DFL);  // a shell's background job ignores it, and so would the task
  sli_status_t *status = sli_process_start(
      &(sli_process_options_t){.argv = argv, .output = log, .error = log, .parent_death_signal = SIGKILL}, &task->pid);
  close(log);
  for (int i = 0; i < owned_count; i++) free(owned[i]);
  bool good = !status;
  // Not -1, which is every process to kill().
  if (!good) task->pid = 0;
  SLI_EXPECT_OK(status);
  return good;
}

bool life_start(life_cluster_t *cluster, int task, const char *const *arguments) {
  if (!life_spawn(cluster, task, arguments)) return false;
  bool serves = life_wait_log(cluster, task, "Started server");
  if (!serves) {
    char *log = life_log(cluster, task);
    sli_test_fail(__FILE__, __LINE__, "the task does not serve: %s", log);
    free(log);
  }
  return serves;
}

char *life_log(const life_cluster_t *cluster, int task) {
  sli_string_t text = {0};
  FILE *file = fopen(cluster->tasks[task].log, "re");
  char buffer[4096];
  for (size_t count; file && (count = fread(buffer, 1, sizeof(buffer), file)) > 0;)
    sli_string_append(&text, buffer, count);
  if (file) fclose(file);
  return sli_string_take(&text);
}

bool life_wait_log(const life_cluster_t *cluster, int task, const char *text) {
  for (int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS); sli_clock_now_nanos() < deadline;
       usleep(5000)) {
    char *log = life_log(cluster, task);
    bool found = strstr(log, text) != NULL;
    free(log);
    if (found) return true;
  }
  return false;
}

int life_wait_exit(life_cluster_t *cluster, int index, int64_t timeout_millis) {
  life_task_t *task = &cluster->tasks[index];
  int wait_status = 0;
  bool ended = true;
  if (task->pid <= 0) return -1000;
  int64_t deadline = sli_clock_deadline_after_millis(timeout_millis);
  while (waitpid(task->pid, &wait_status, WNOHANG) == 0) {
    usleep(2000);
    if (sli_clock_now_nanos() < deadline) continue;
    ended = false;
    kill(task->pid, SIGKILL);
    waitpid(task->pid, &wait_status, 0);
    break;
  }
  task->pid = 0;
  if (!ended) return -1000;
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -WTERMSIG(wait_status);
}

static char state_of(pid_t pid) {
  char path[64], state = 'Z';
  snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "re");
  if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'Z';
  if (file) fclose(file);
  return state;
}

void life_kill(life_cluster_t *cluster, int task, int signal) {
  pid_t pid = cluster->tasks[task].pid;
  if (pid <= 0) return sli_test_fail(__FILE__, __LINE__, "task %d does not run", task);
  kill(pid, signal);
  // A process stops at its own time, and dies at its own time: until then its port is open.
  if (signal == SIGKILL) waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT);
  int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
  while (signal == SIGSTOP && state_of(pid) != 'T' && sli_clock_now_nanos() < deadline) usleep(1000);
}

void life_stop(life_cluster_t *cluster) {
  for (int i = 0; i < cluster->count; i++) {
    if (cluster->tasks[i].pid <= 0) continue;
    kill(cluster->tasks[i].pid, SIGKILL);
    waitpid(cluster->tasks[i].pid, NULL, 0);
    cluster->tasks[i].pid = 0;
  }
}

const char *life_target(const life_cluster_t *cluster, int task) {
  static char texts[8][64];
  static size_t next;
  char *text = texts[next++ % SLI_ARRAY_COUNT_OF(texts)];
  snprintf(text, sizeof(texts[0]), "grpc://localhost:%d", cluster->tasks[task].port);
  return text;
}

const char *life_address(const life_cluster_t *cluster, int task) {
  return life_target(cluster, task) + strlen("grpc://");
}

TF_Server *life_own_server(const life_cluster_t *cluster, int task, TF_Status *status) {
  char *ps = life_hosts_flag(cluster, task, "ps"), *worker = life_hosts_flag(cluster, task, "worker"), index[32];
  snprintf(index, sizeof(index), "--task_index=%d", cluster->tasks[task].index);
  char *argv[] = {(char *)"test", ps, worker, (char *)"--job_name=worker", index, NULL};
  int argc = 5;
  TF_Buffer *def = sl_cluster_to_server_def(sl_cluster_from_args(&argc, argv), status);
  TF_Server *server = def ? TF_NewServer(def->data, def->length, status) : NULL;
  if (server) TF_ServerStart(server, status);
  LIFE_EXPECT_OK(status);
  if (def) TF_DeleteBuffer(def);
  free(ps);
  free(worker);
  return server;
}

// --- A client ---

TF_OperationDescription *life_op(TF_Graph *graph, const char *op, const char *name, const char *device,
                                 const TF_Output *inputs, int count) {
  TF_OperationDescription *description = TF_NewOperation(graph, op, name);
  if (device) TF_SetDevice(description, device);
  for (int i = 0; i < count; i++) TF_AddInput(description, inputs[i]);
  return description;
}

TF_Output life_finish(TF_OperationDescription *description) {
  TF_Status *status = TF_NewStatus();
  TF_Output output = {TF_FinishOperation(description, status), 0};
  LIFE_EXPECT_OK(status);
  TF_DeleteStatus(status);
  return output;
}

TF_Output life_constant(TF_Graph *graph, const char *name, const char *device, float value) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(value));
  memcpy(TF_TensorData(tensor), &value, sizeof(value));
  TF_OperationDescription *description = life_op(graph, "Const", name, device, NULL, 0);
  TF_SetAttrTensor(description, "value", tensor, status);
  TF_SetAttrType(description, "dtype", TF_FLOAT);
  LIFE_EXPECT_OK(status);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
  return life_finish(description);
}

TF_Output life_variable(TF_Graph *graph, const char *name, const char *device, float value, TF_Operation **out_assign) {
  TF_OperationDescription *description = life_op(graph, "VariableV2", name, device, NULL, 0);
  TF_SetAttrType(description, "dtype", TF_FLOAT);
  TF_SetAttrShape(description, "shape", NULL, 0);
  TF_Output variable = life_finish(description);
  char text[64];
  snprintf(text, sizeof(text), "%s/initial", name);
  TF_Output initial = life_constant(graph, text, device, value);
  snprintf(text, sizeof(text), "%s/assign", name);
  *out_assign = life_finish(life_op(graph, "Assign", text, device, (TF_Output[]){variable, initial}, 2)).oper;
  return variable;
}

TF_Output life_blocking_op(TF_Graph *graph, const char *name, const char *device) {
  char text[64];
  snprintf(text, sizeof(text), "%s/queue", name);
  TF_DataType type = TF_FLOAT;
  TF_OperationDescription *queue = life_op(graph, "FIFOQueueV2", text, device, NULL, 0);
  TF_SetAttrTypeList(queue, "component_types", &type, 1);
  TF_Output handle = life_finish(queue);
  TF_OperationDescription *dequeue = life_op(graph, "QueueDequeueV2", name, device, &handle, 1);
  TF_SetAttrTypeList(dequeue, "component_types", &type, 1);
  return life_finish(dequeue);
}

TF_Session *life_try_session(TF_Graph *graph, const char *target, const void *config, size_t config_size,
                             TF_Status *status) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetTarget(options, target);
  if (config) TF_SetConfig(options, config, config_size, status);
  TF_Session *session = TF_NewSession(graph, options, status);
  TF_DeleteSessionOptions(options);
  return session;
}

TF_Session *life_session(TF_Graph *graph, const char *target, const void *config, size_t config_size) {
  TF_Status *status = TF_NewStatus();
  TF_Session *session = life_try_session(graph, target, config, config_size, status);
  LIFE_EXPECT_OK(status);
  TF_DeleteStatus(status);
  return session;
}

float life_run(TF_Session *session, const TF_Output *fetch, TF_Operation *target, TF_Status *status) {
  TF_Tensor *value = NULL;
  const TF_Operation *operation = target;
  TF_SessionRun(session, NULL, NULL, NULL, 0, fetch, &value, fetch ? 1 : 0, &operation, target ? 1 : 0, NULL, status);
  float result = value ? *(float *)TF_TensorData(value) : 0;
  if (value) TF_DeleteTensor(value);
  return result;
}

void life_close(TF_Session *session) {
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteStatus(status);
}
