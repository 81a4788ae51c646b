// sluice.Control between processes: status of a task, model ready, members, quorum, and why a task cannot be reached.
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "sluice/cluster.h"
#include "sluice/server.h"
#include "tests/life/life.h"

static const char ps_device[] = "/job:ps/task:0";

// A ps and a worker that serve.
static bool start_pair(life_cluster_t *cluster) {
  life_add(cluster, "ps", 0);
  life_add(cluster, "worker", 0);
  return life_start(cluster, 0, NULL) && life_start(cluster, 1, NULL);
}

// --- Status ---

// A variable, a queue with one element and one who waits for room, and an accumulator, all on the ps.
typedef struct {
  TF_Graph *graph;
  TF_Output variable, accumulator;
  TF_Operation *assign, *enqueue, *apply;
} model_t;

static model_t model_make(void) {
  model_t model = {.graph = TF_NewGraph()};
  model.variable = life_variable(model.graph, "v", ps_device, 3, &model.assign);
  TF_Output one = life_constant(model.graph, "one", ps_device, 1);
  TF_DataType type = TF_FLOAT;
  TF_OperationDescription *queue = life_op(model.graph, "FIFOQueueV2", "queue", ps_device, NULL, 0);
  TF_SetAttrTypeList(queue, "component_types", &type, 1);
  TF_SetAttrInt(queue, "capacity", 1);
  TF_SetAttrString(queue, "shared_name", "the_queue", 9);
  TF_Output queue_handle = life_finish(queue);
  TF_OperationDescription *enqueue = life_op(model.graph, "QueueEnqueueV2", "enqueue", ps_device, &queue_handle, 1);
  TF_AddInputList(enqueue, &one, 1);
  model.enqueue = life_finish(enqueue).oper;
  TF_OperationDescription *accumulator = life_op(model.graph, "ConditionalAccumulator", "sum", ps_device, NULL, 0);
  TF_SetAttrType(accumulator, "dtype", TF_FLOAT);
  TF_SetAttrShape(accumulator, "shape", NULL, 0);
  TF_SetAttrString(accumulator, "shared_name", "the_sum", 7);
  model.accumulator = life_finish(accumulator);
  TF_Status *status = TF_NewStatus();
  int64_t zero = 0;
  TF_Tensor *tensor = TF_AllocateTensor(TF_INT64, NULL, 0, sizeof(zero));
  memcpy(TF_TensorData(tensor), &zero, sizeof(zero));
  TF_OperationDescription *step = life_op(model.graph, "Const", "step", ps_device, NULL, 0);
  TF_SetAttrTensor(step, "value", tensor, status);
  TF_SetAttrType(step, "dtype", TF_INT64);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
  TF_Output inputs[] = {model.accumulator, life_finish(step), one};
  model.apply = life_finish(life_op(model.graph, "AccumulatorApplyGradient", "apply", ps_device, inputs, 3)).oper;
  return model;
}

typedef struct {
  TF_Session *session;
  TF_Output fetch;
  TF_Operation *target;
  TF_Code code;
  float value;
} job_t;

static void *run_job(void *argument) {
  job_t *job = argument;
  TF_Status *status = TF_NewStatus();
  job->value = life_run(job->session, job->fetch.oper ? &job->fetch : NULL, job->target, status);
  job->code = TF_GetCode(status);
  TF_DeleteStatus(status);
  return NULL;
}

// The status of a task once |good| likes it.
static sl_task_status_t *status_when(const char *target, bool (*good)(const sl_task_status_t *status)) {
  TF_Status *status = TF_NewStatus();
  sl_task_status_t *found = NULL;
  for (int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS); sli_clock_now_nanos() < deadline;
       usleep(5000)) {
    found = sl_cluster_status(target, LIFE_PATIENCE_MILLIS, 0, status);
    LIFE_EXPECT_OK(status);
    if (!found || good(found)) break;
    sl_task_status_free(found);
    found = NULL;
  }
  TF_DeleteStatus(status);
  return found;
}

static bool has_blocked_enqueue(const sl_task_status_t *status) {
  return status->queue_count == 1 && status->queues[0].waiting_enqueues == 1;
}

static void check_ps(const life_cluster_t *cluster, const sl_task_status_t *ps) {
  SLI_EXPECT_TEXT(ps->task, "/job:ps/replica:0/task:0");
  SLI_EXPECT_TEXT(ps->job, "ps");
  SLI_EXPECT_INT(ps->index, 0);
  SLI_EXPECT(ps->is_sluice && *ps->version && ps->feature_count > 0);
  SLI_EXPECT(ps->incarnation != 0 && ps->uptime > 0 && ps->memory_bytes > 0 && ps->thread_count > 0);
  SLI_EXPECT(ps->clock_skew < 5 && ps->clock_skew > -5);
  SLI_EXPECT_INT(ps->task_count, 2);
  SLI_EXPECT_TEXT(ps->tasks[1].job, "worker");
  SLI_EXPECT_TEXT(ps->tasks[1].address, life_address(cluster, 1));
  SLI_EXPECT_INT(ps->device_count, 1);
  SLI_EXPECT_TEXT(ps->devices[0].name, "/job:ps/replica:0/task:0/device:CPU:0");
  SLI_REQUIRE(ps->session_count == 1 && ps->variable_count == 1 && ps->queue_count == 1 && ps->accumulator_count == 1);
  SLI_EXPECT(!ps->sessions[0].is_master);
  SLI_EXPECT_TEXT(ps->sessions[0].master_task, "/job:worker/replica:0/task:0");
  SLI_EXPECT_TEXT(ps->variables[0].name, "v");
  SLI_EXPECT_TEXT(ps->variables[0].container, "localhost");
  SLI_EXPECT_INT(ps->variables[0].dtype, TF_FLOAT);
  SLI_EXPECT_INT(ps->variables[0].rank, 0);
  SLI_EXPECT_INT(ps->variables[0].bytes, 4);
  SLI_EXPECT(ps->variables[0].is_initialized);
  SLI_EXPECT_TEXT(ps->queues[0].name, "the_queue");
  SLI_EXPECT_TEXT(ps->queues[0].kind, "FIFOQueue");
  SLI_EXPECT_INT(ps->queues[0].size, 1);
  SLI_EXPECT_INT(ps->queues[0].capacity, 1);
  SLI_EXPECT_INT(ps->queues[0].waiting_dequeues, 0);
  SLI_EXPECT_TEXT(ps->accumulators[0].name, "the_sum");
  SLI_EXPECT_INT(ps->accumulators[0].accumulated, 2);
  SLI_EXPECT_INT(ps->accumulators[0].accepted, 2);
  SLI_EXPECT_INT(ps->running_steps, 1);
  bool named = false;
  for (size_t i = 0; i < ps->peer_count; i++)
    named |= ps->peers[i].is_incoming && !strcmp(ps->peers[i].name, "/job:worker/replica:0/task:0") &&
             ps->peers[i].calls > 3 && ps->peers[i].bytes_received > 100;
  SLI_EXPECT(named);
}

static void check_worker(const sl_task_status_t *worker) {
  SLI_EXPECT_TEXT(worker->task, "/job:worker/replica:0/task:0");
  SLI_REQUIRE(worker->session_count == 1);
  SLI_EXPECT(worker->sessions[0].is_master);
  SLI_EXPECT_INT(worker->sessions[0].running_steps, 1);
  SLI_EXPECT_INT(worker->sessions[0].steps, 5);
  SLI_EXPECT(worker->sessions[0].idle == 0);
  bool called = false;
  for (size_t i = 0; i < worker->peer_count; i++)
    called |= !worker->peers[i].is_incoming && !strcmp(worker->peers[i].name, "/job:ps/replica:0/task:0") &&
              worker->peers[i].bytes_sent > 100;
  SLI_EXPECT(called);
}

SLI_TEST(test_status_shows_sessions_resources_and_traffic) {
  life_cluster_t cluster = {0};
  SLI_REQUIRE(start_pair(&cluster));
  model_t model = model_make();
  TF_Session *session = life_session(model.graph, life_target(&cluster, 1), NULL, 0);
  TF_Status *status = TF_NewStatus();
  TF_Operation *steps[] = {model.assign, model.enqueue, model.apply, model.apply};
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    life_run(session, NULL, steps[i], status);
    LIFE_EXPECT_OK(status);
  }
  job_t blocked = {.session = session, .target = model.enqueue};
  pthread_t thread;
  SLI_REQUIRE(pthread_create(&thread, NULL, run_job, &blocked) == 0);
  sl_task_status_t *ps = status_when(life_target(&cluster, 0), has_blocked_enqueue);
  SLI_EXPECT(ps);
  if (ps) check_ps(&cluster, ps);
  sl_task_status_free(ps);
  sl_task_status_t *worker = sl_cluster_status(life_address(&cluster, 1), LIFE_PATIENCE_MILLIS, 0, status);
  LIFE_EXPECT_OK(status);
  if (worker) check_worker(worker);
  sl_task_status_free(worker);
  TF_CloseSession(session, status);
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(blocked.code, TF_CANCELLED);
  TF_DeleteSession(session, status);
  ps = sl_cluster_status(life_target(&cluster, 0), LIFE_PATIENCE_MILLIS, 0, status);
  SLI_EXPECT(ps && ps->session_count == 0 && ps->variable_count == 1);
  sl_task_status_free(ps);
  TF_DeleteStatus(status);
  TF_DeleteGraph(model.graph);
  life_stop(&cluster);
}

SLI_TEST(test_rates_come_with_an_interval) {
  life_cluster_t cluster = {0};
  SLI_REQUIRE(start_pair(&cluster));
  TF_Status *status = TF_NewStatus();
  sl_task_status_t *quiet = sl_cluster_status(life_target(&cluster, 0), LIFE_PATIENCE_MILLIS, 20, status);
  LIFE_EXPECT_OK(status);
  SLI_EXPECT(quiet && quiet->steps_per_second == 0);
  sl_task_status_free(quiet);
  TF_DeleteStatus(status);
  life_stop(&cluster);
}

// --- Quorum ---

static bool has_waiting_take(const sl_task_status_t *status) {
  return status->accumulator_count == 1 && status->accumulators[0].required == 5;
}

SLI_TEST(test_a_lower_quorum_serves_a_waiting_take) {
  life_cluster_t cluster = {0};
  SLI_REQUIRE(start_pair(&cluster));
  model_t model = model_make();
  TF_Status *status = TF_NewStatus();
  int32_t five = 5;
  TF_Tensor *tensor = TF_AllocateTensor(TF_INT32, NULL, 0, sizeof(five));
  memcpy(TF_TensorData(tensor), &five, sizeof(five));
  TF_OperationDescription *required = life_op(model.graph, "Const", "required", ps_device, NULL, 0);
  TF_SetAttrTensor(required, "value", tensor, status);
  TF_SetAttrType(required, "dtype", TF_INT32);
  TF_DeleteTensor(tensor);
  TF_Output inputs[] = {model.accumulator, life_finish(required)};
  TF_OperationDescription *description = life_op(model.graph, "AccumulatorTakeGradient", "take", ps_device, inputs, 2);
  TF_SetAttrType(description, "dtype", TF_FLOAT);
  TF_Output take = life_finish(description);
  TF_Session *session = life_session(model.graph, life_target(&cluster, 1), NULL, 0);
  for (int i = 0; i < 2; i++) life_run(session, NULL, model.apply, status);
  LIFE_EXPECT_OK(status);
  job_t waiting = {.session = session, .fetch = take};
  pthread_t thread;
  SLI_REQUIRE(pthread_create(&thread, NULL, run_job, &waiting) == 0);
  sl_task_status_t *ps = status_when(life_target(&cluster, 0), has_waiting_take);
  SLI_EXPECT(ps && ps->accumulators[0].quorum == 0);
  sl_task_status_free(ps);
  SLI_EXPECT_INT(sl_cluster_set_quorum(life_target(&cluster, 0), NULL, "the_sum", 2, LIFE_PATIENCE_MILLIS, status), 1);
  LIFE_EXPECT_OK(status);
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(waiting.code, TF_OK);
  SLI_EXPECT_NEAR(waiting.value, 1, 0);
  SLI_EXPECT_INT(sl_cluster_set_quorum(life_target(&cluster, 0), NULL, NULL, 0, LIFE_PATIENCE_MILLIS, status), 1);
  LIFE_EXPECT_OK(status);
  SLI_EXPECT_INT(sl_cluster_set_quorum(life_target(&cluster, 0), NULL, "other", 2, LIFE_PATIENCE_MILLIS, status), 0);
  SLI_EXPECT_INT(TF_GetCode(status), TF_NOT_FOUND);
  SLI_EXPECT_INT(sl_cluster_set_quorum(life_target(&cluster, 0), NULL, "the_sum", -1, LIFE_PATIENCE_MILLIS, status), 0);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(model.graph);
  life_stop(&cluster);
}

// --- The end of the input ---

SLI_TEST(test_one_step_sees_the_end_of_the_input) {
  static const char worker[] = "/job:worker/replica:0/task:0";
  life_cluster_t cluster = {0};
  SLI_REQUIRE(start_pair(&cluster));
  const char *ps = life_target(&cluster, 0);
  model_t model = model_make();
  TF_Session *session = life_session(model.graph, life_target(&cluster, 1), NULL, 0);
  TF_Status *status = TF_NewStatus();
  life_run(session, NULL, model.assign, status);
  LIFE_EXPECT_OK(status);
  SLI_EXPECT_INT(sl_cluster_end_input(ps, "/job:worker/replica:0/task:1", false, LIFE_PATIENCE_MILLIS, status), 0);
  LIFE_EXPECT_OK(status);
  SLI_EXPECT_INT(sl_cluster_end_input(ps, "", false, LIFE_PATIENCE_MILLIS, status), 0);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  // The next step fails and changes nothing; the one after it runs.
  SLI_EXPECT_INT(sl_cluster_end_input(ps, worker, false, LIFE_PATIENCE_MILLIS, status), 1);
  LIFE_EXPECT_OK(status);
  life_run(session, NULL, model.enqueue, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_OUT_OF_RANGE);
  SLI_EXPECT_CONTAINS(TF_Message(status), "End of input");
  life_run(session, NULL, model.enqueue, status);
  LIFE_EXPECT_OK(status);
  // With |interrupt| a step that waits fails too, but only if it began before the input was ended.
  job_t blocked = {.session = session, .target = model.enqueue};
  pthread_t thread;
  SLI_REQUIRE(pthread_create(&thread, NULL, run_job, &blocked) == 0);
  sl_task_status_free(status_when(ps, has_blocked_enqueue));
  SLI_EXPECT_INT(sl_cluster_end_input(ps, worker, true, LIFE_PATIENCE_MILLIS, status), 1);
  SLI_EXPECT_INT(sl_cluster_end_input(ps, worker, false, LIFE_PATIENCE_MILLIS, status), 1);
  SLI_EXPECT_INT(sl_cluster_end_input(ps, worker, true, LIFE_PATIENCE_MILLIS, status), 1);
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(blocked.code, TF_OUT_OF_RANGE);
  life_run(session, NULL, model.apply, status);
  LIFE_EXPECT_OK(status);
  // So it does when another step has seen the end: a chief in synchrony has two threads.
  SLI_REQUIRE(pthread_create(&thread, NULL, run_job, &blocked) == 0);
  sl_task_status_free(status_when(ps, has_blocked_enqueue));
  SLI_EXPECT_INT(sl_cluster_end_input(ps, worker, false, LIFE_PATIENCE_MILLIS, status), 1);
  life_run(session, NULL, model.apply, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_OUT_OF_RANGE);
  SLI_EXPECT_INT(sl_cluster_end_input(ps, worker, true, LIFE_PATIENCE_MILLIS, status), 1);
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(blocked.code, TF_OUT_OF_RANGE);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(model.graph);
  life_stop(&cluster);
}

// --- Model ready, members ---

typedef struct {
  const char *chief;
  TF_Code code;
} waiting_t;

static void *wait_ready(void *argument) {
  waiting_t *waiting = argument;
  TF_Status *status = TF_NewStatus();
  sl_cluster_wait_model_ready(waiting->chief, LIFE_PATIENCE_MILLIS, status);
  waiting->code = TF_GetCode(status);
  TF_DeleteStatus(status);
  return NULL;
}

SLI_TEST(test_whoever_waits_for_the_model_goes_on_when_it_is_ready) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  TF_Status *status = TF_NewStatus();
  waiting_t waiting = {.chief = life_address(&cluster, 1), .code = TF_UNKNOWN};
  pthread_t thread;
  SLI_REQUIRE(pthread_create(&thread, NULL, wait_ready, &waiting) == 0);  // the chief is not up yet
  usleep(50000);
  TF_Server *server = life_own_server(&cluster, 1, status);
  SLI_REQUIRE(server);
  sl_cluster_wait_model_ready(life_address(&cluster, 1), 50, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
  SLI_EXPECT_CONTAINS(TF_Message(status), "is not ready");
  sl_cluster_set_model_ready(server, true);
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(waiting.code, TF_OK);
  sl_cluster_wait_model_ready(life_address(&cluster, 1), LIFE_PATIENCE_MILLIS, status);
  LIFE_EXPECT_OK(status);
  sl_task_status_t *chief = sl_cluster_status(life_address(&cluster, 1), LIFE_PATIENCE_MILLIS, 0, status);
  SLI_EXPECT(chief && chief->is_model_ready && !chief->is_job_done);
  sl_task_status_free(chief);
  // If a job ends before its model is ready, the tasks that wait for it are released.
  sl_cluster_set_model_ready(server, false);
  waiting.code = TF_UNKNOWN;
  SLI_REQUIRE(pthread_create(&thread, NULL, wait_ready, &waiting) == 0);
  usleep(20000);
  sl_cluster_announce_done(server, status);
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(waiting.code, TF_CANCELLED);
  TF_ServerStop(server, status);
  TF_DeleteServer(server);
  TF_DeleteStatus(status);
}

// Two workers claim the place of the chief at one ps: one has it at a time.
SLI_TEST(test_the_ps_decides_who_is_the_chief) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  life_add(&cluster, "worker", 1);
  TF_Status *status = TF_NewStatus();
  TF_Server *first = life_own_server(&cluster, 1, status), *second = life_own_server(&cluster, 2, status);
  SLI_REQUIRE(first && second && life_start(&cluster, 0, NULL));
  const char *ps = life_address(&cluster, 0);
  enum { MILLIS = LIFE_PATIENCE_MILLIS };
  static const double long_secs = 1000;
  sl_chief_status_t chief;
  // Nobody is the chief, and who is not the first does not become it.
  SLI_EXPECT(sl_cluster_chief(second, ps, true, false, long_secs, MILLIS, &chief, status));
  LIFE_EXPECT_OK(status);
  SLI_EXPECT(!chief.is_known && !chief.is_this);
  SLI_EXPECT(sl_cluster_chief(first, ps, true, true, long_secs, MILLIS, &chief, status));
  SLI_EXPECT(chief.is_this && !chief.former[0]);
  SLI_EXPECT_TEXT(chief.task, "/job:worker/task:0");
  SLI_EXPECT(sl_cluster_chief(second, ps, true, true, long_secs, MILLIS, &chief, status));
  SLI_EXPECT(chief.is_known && !chief.is_this);
  SLI_EXPECT(sl_cluster_chief(second, ps, false, false, 0, MILLIS, &chief, status));
  SLI_EXPECT(!chief.is_this);
  // Silent for longer than 0 s: the place goes over, and does not go back.
  SLI_EXPECT(sl_cluster_chief(second, ps, true, false, 0, MILLIS, &chief, status));
  SLI_EXPECT(chief.is_this);
  SLI_EXPECT_TEXT(chief.former, "/job:worker/task:0");
  SLI_EXPECT(sl_cluster_chief(first, ps, true, true, long_secs, MILLIS, &chief, status));
  SLI_EXPECT(!chief.is_this);
  SLI_EXPECT_TEXT(chief.task, "/job:worker/task:1");
  TF_Server *servers[] = {first, second};
  for (int i = 0; i < 2; i++) {
    TF_ServerStop(servers[i], status);
    TF_DeleteServer(servers[i]);
  }
  life_stop(&cluster);
  TF_DeleteStatus(status);
}

SLI_TEST(test_members_tell_who_is_up) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  life_add(&cluster, "ps", 1);
  TF_Status *status = TF_NewStatus();
  TF_Server *server = life_own_server(&cluster, 1, status);
  SLI_REQUIRE(server && life_start(&cluster, 0, NULL));
  sl_members_t *members = sl_cluster_members(server, LIFE_PATIENCE_MILLIS, status);
  LIFE_EXPECT_OK(status);
  SLI_REQUIRE(members && members->count == 3);
  SLI_EXPECT(members->members[0].is_up && members->members[0].is_sluice && members->members[0].incarnation);
  SLI_EXPECT_TEXT(members->members[1].address, life_address(&cluster, 2));
  SLI_EXPECT(!members->members[1].is_up);
  SLI_EXPECT_CONTAINS(members->members[1].why, "Connection refused");
  SLI_EXPECT_TEXT(members->members[2].job, "worker");
  SLI_EXPECT(members->members[2].is_up);
  sl_members_free(members);
  TF_ServerStop(server, status);
  TF_DeleteServer(server);
  TF_DeleteStatus(status);
  life_stop(&cluster);
}

// --- Probes ---

SLI_TEST(test_a_probe_of_a_task_measures_it) {
  life_cluster_t cluster = {0};
  SLI_REQUIRE(start_pair(&cluster));
  sl_probe_t *probe = sl_cluster_probe(life_target(&cluster, 0), "ps", 0, LIFE_PATIENCE_MILLIS, 1 << 20);
  SLI_EXPECT_INT(probe->failed_at, SL_PROBE_OK);
  SLI_EXPECT_TEXT(probe->why, "");
  SLI_EXPECT_TEXT(probe->task, "/job:ps/replica:0/task:0");
  SLI_EXPECT(probe->is_sluice && *probe->version);
  SLI_EXPECT(probe->round_trip > 0 && probe->bytes_per_second > 0);
  sl_probe_free(probe);
  probe = sl_cluster_probe(life_address(&cluster, 1), "worker", 1, LIFE_PATIENCE_MILLIS, 0);
  SLI_EXPECT_INT(probe->failed_at, SL_PROBE_WRONG_TASK);
  SLI_EXPECT_CONTAINS(probe->why, "should be /job:worker/replica:0/task:1, but /job:worker/replica:0/task:0 answers");
  sl_probe_free(probe);
  life_kill(&cluster, 0, SIGSTOP);
  probe = sl_cluster_probe(life_address(&cluster, 0), NULL, 0, 500, 0);
  SLI_EXPECT_INT(probe->failed_at, SL_PROBE_TIMEOUT);
  sl_probe_free(probe);
  life_stop(&cluster);
}

// Listens, and answers every connection with |text|, or not at all if it is NULL.
typedef struct {
  int fd, port;
  const char *text;
  pthread_t thread;
} listener_t;

static void *listener_main(void *argument) {
  listener_t *listener = argument;
  for (int fd; (fd = accept(listener->fd, NULL, NULL)) >= 0;) {
    char buffer[256];
    if (recv(fd, buffer, sizeof(buffer), 0) > 0 && listener->text)
      send(fd, listener->text, strlen(listener->text), MSG_NOSIGNAL);
    if (!listener->text) recv(fd, buffer, sizeof(buffer), 0);
    close(fd);
  }
  return NULL;
}

static bool listener_start(listener_t *listener) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof(address);
  listener->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool good = bind(listener->fd, (struct sockaddr *)&address, length) == 0 && listen(listener->fd, 8) == 0 &&
              getsockname(listener->fd, (struct sockaddr *)&address, &length) == 0;
  listener->port = ntohs(address.sin_port);
  return good && pthread_create(&listener->thread, NULL, listener_main, listener) == 0;
}

static void listener_stop(listener_t *listener) {
  shutdown(listener->fd, SHUT_RDWR);
  pthread_join(listener->thread, NULL);
  close(listener->fd);
}

static void expect_stage(const char *address, sl_probe_stage_t stage, const char *why) {
  int64_t timeout = stage == SL_PROBE_TIMEOUT ? 1000 : LIFE_PATIENCE_MILLIS;
  sl_probe_t *probe = sl_cluster_probe(address, NULL, 0, timeout, 0);
  SLI_EXPECT_INT(probe->failed_at, stage);
  SLI_EXPECT_CONTAINS(probe->why, why);
  sl_probe_free(probe);
}

SLI_TEST(test_a_probe_says_which_stage_failed) {
  char address[64];
  expect_stage("nonsense", SL_PROBE_BAD_ADDRESS, "nonsense");
  expect_stage("no-such-host.invalid:2222", SL_PROBE_DNS, "no-such-host.invalid:2222");
  snprintf(address, sizeof(address), "localhost:%d", sli_test_free_port());
  expect_stage(address, SL_PROBE_REFUSED, "Connection refused");
  listener_t web = {.text = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"};
  SLI_REQUIRE(listener_start(&web));
  snprintf(address, sizeof(address), "localhost:%d", web.port);
  expect_stage(address, SL_PROBE_NOT_HTTP2, "another kind of server");
  listener_stop(&web);
  listener_t silent = {0};
  SLI_REQUIRE(listener_start(&silent));
  snprintf(address, sizeof(address), "localhost:%d", silent.port);
  expect_stage(address, SL_PROBE_TIMEOUT, address);
  listener_stop(&silent);
}

SLI_TEST(test_a_probe_tells_of_a_proxy_that_is_ignored) {
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  life_cluster_t cluster = {0};
  SLI_REQUIRE(start_pair(&cluster));
  sl_probe_t *probe = sl_cluster_probe(life_target(&cluster, 0), "ps", 0, LIFE_PATIENCE_MILLIS, 0);
  SLI_EXPECT_INT(probe->failed_at, SL_PROBE_OK);
  SLI_EXPECT_TEXT(probe->proxy, "http_proxy=http://127.0.0.1:1");
  sl_probe_free(probe);
  life_stop(&cluster);
  unsetenv("http_proxy");
}

// A task may call itself "localhost" in its own list, where others have its name: it has not moved.
SLI_TEST(test_an_address_of_its_own_host_does_not_move_a_task) {
  char worker_at[32], ps_at[32];
  snprintf(worker_at, sizeof(worker_at), "localhost:%d", sli_test_free_port());
  snprintf(ps_at, sizeof(ps_at), "localhost:%d", sli_test_free_port());
  sl_task_address_t known[] = {{"ps", 0, "ps.example:2222"}, {"worker", 0, worker_at}};
  sl_task_address_t own[] = {{"ps", 0, ps_at}, {"worker", 0, worker_at}};
  sl_server_t *worker = sl_server_start(sl_cluster_from_tasks(known, 2, "worker", 0));
  sl_server_t *ps = sl_server_start(sl_cluster_from_tasks(own, 2, "ps", 0));
  SLI_EXPECT_TEXT(sl_server_error(worker), "");
  SLI_EXPECT_TEXT(sl_server_error(ps), "");
  sl_cluster_announce_address(sl_server_handle(ps), 10000);
  char *address = sl_cluster_task_address(sl_server_handle(worker), "ps", 0);
  SLI_EXPECT_TEXT(address, "ps.example:2222");
  free(address);
  sl_server_release(ps);
  sl_server_release(worker);
}

SLI_TEST_MAIN(test_status_shows_sessions_resources_and_traffic, test_rates_come_with_an_interval,
              test_a_lower_quorum_serves_a_waiting_take, test_one_step_sees_the_end_of_the_input,
              test_whoever_waits_for_the_model_goes_on_when_it_is_ready, test_the_ps_decides_who_is_the_chief,
              test_members_tell_who_is_up, test_a_probe_of_a_task_measures_it, test_a_probe_says_which_stage_failed,
              test_a_probe_tells_of_a_proxy_that_is_ignored, test_an_address_of_its_own_host_does_not_move_a_task)
