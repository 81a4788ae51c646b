#include "dist/server/task_server.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "dist/control/control_internal.h"
#include "dist/env/env_process.h"
#include "dist/session/target_session.h"
#include "proto/config.fields.h"
#include "proto/service.fields.h"
#include "proto/wire.h"
#include "rpc/channel.h"

static void add_task(sli_string_t *job, int index, const char *address) {
  size_t entry = sli_wire_open(job, SLI_FIELD_JOB_DEF_TASKS);
  if (index) sli_wire_write_int(job, SLI_FIELD_JOB_DEF_TASKS_ENTRY_KEY, index);
  sli_wire_write_text(job, SLI_FIELD_JOB_DEF_TASKS_ENTRY_VALUE, address);
  sli_wire_close(job, entry);
}

// Task "/job:local/task:0" at |address|, with ServerDef.port if not 0; of |peer|, task 1, if that is not NULL.
static sli_status_t *create_server_with(const char *address, int port, const char *peer,
                                        sli_task_server_t **out_server) {
  sli_string_t def = {0};
  size_t cluster = sli_wire_open(&def, SLI_FIELD_SERVER_DEF_CLUSTER),
         job = sli_wire_open(&def, SLI_FIELD_CLUSTER_DEF_JOB);
  sli_wire_write_text(&def, SLI_FIELD_JOB_DEF_NAME, "local");
  add_task(&def, 0, address);
  if (peer) add_task(&def, 1, peer);
  sli_wire_close(&def, job);
  sli_wire_close(&def, cluster);
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_JOB_NAME, "local");
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_PROTOCOL, "grpc");
  if (port) sli_wire_write_int(&def, SLI_FIELD_SERVER_DEF_PORT, port);
  sli_status_t *status = sli_task_server_create(sli_view_of(def.data, def.size), NULL, out_server);
  sli_string_deinitialize(&def);
  return status;
}

static sli_status_t *create_server(const char *address, int port, sli_task_server_t **out_server) {
  return create_server_with(address, port, NULL, out_server);
}

typedef struct {
  sli_event_t event;
  sli_status_t *status;
  sli_string_t body;
  sli_rpc_channel_t *channel;
} call_t;

static void on_reply(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  call_t *call = context;
  call->status = status;
  if (!status) sli_string_append(&call->body, reply->data, reply->size);
  sli_event_set(&call->event);
}

static void call_start(call_t *call, const char *target, const char *method, sli_view_t body) {
  *call = (call_t){0};
  sli_event_initialize(&call->event);
  SLI_EXPECT_OK(sli_rpc_channel_create(sli_env_process_loop(), target + strlen("grpc://"), NULL, &call->channel));
  sli_slices_t request = {0};
  sli_string_t copy = {0};
  sli_string_append(&copy, body.data, body.size);
  if (copy.size) sli_slices_append_string(&request, &copy);
  sli_rpc_call_options_t options = {.method = method, .deadline = sli_clock_deadline_after_millis(60000)};
  sli_rpc_call_release(sli_rpc_call_start(call->channel, &options, &request, on_reply, call));
  sli_string_deinitialize(&copy);
}

static sli_status_t *call_end(call_t *call, sli_string_t *out_body) {
  sli_env_t *env = sli_env_process();
  SLI_CHECK(env->wait(env, &call->event, sli_clock_deadline_after_millis(20000)));
  sli_rpc_channel_destroy(call->channel);
  sli_event_deinitialize(&call->event);
  if (out_body) sli_string_append(out_body, call->body.data, call->body.size);
  sli_string_deinitialize(&call->body);
  return call->status;
}

static sli_status_t *call_and_wait(const char *target, const char *method, sli_view_t body, sli_string_t *out_body) {
  call_t call;
  call_start(&call, target, method, body);
  return call_end(&call, out_body);
}

static void *join_server(void *server) {
  sli_status_release(sli_task_server_join(server));
  return NULL;
}

SLI_TEST(test_server_serves_each_service_until_it_is_stopped) {
  sli_task_server_t *server;
  SLI_REQUIRE_OK(create_server("localhost:0", 0, &server));
  const char *target = sli_task_server_target(server);
  SLI_EXPECT(sli_string_starts_with(target, "grpc://localhost:") && strcmp(target, "grpc://localhost:0") != 0);
  SLI_EXPECT(sli_task_server_find_master(target) == NULL);  // not before it is started
  SLI_EXPECT_OK(sli_task_server_start(server));
  SLI_EXPECT(sli_task_server_find_master(target) != NULL);
  SLI_EXPECT(sli_task_server_find_master("grpc://localhost:1") == NULL);
  SLI_EXPECT(sli_task_server_find_master("localhost") == NULL);
  sli_string_t body = {0};
  SLI_EXPECT_OK(call_and_wait(target, "/grpc.health.v1.Health/Check", sli_view_of(NULL, 0), &body));
  SLI_EXPECT(sli_view_is(sli_view_of(body.data, body.size), "\x08\x01"));
  SLI_EXPECT_OK(
      call_and_wait(target, "/grpc.health.v1.Health/Check", sli_view("\x0a\x18tensorflow.WorkerService"), NULL));
  SLI_EXPECT_STATUS(call_and_wait(target, "/grpc.health.v1.Health/Check", sli_view("\x0a\x02no"), NULL), SLI_NOT_FOUND);
  SLI_EXPECT_OK(call_and_wait(target, "/tensorflow.WorkerService/GetStatus", sli_view_of(NULL, 0), NULL));
  SLI_EXPECT_STATUS(call_and_wait(target, "/tensorflow.MasterService/CloseSession", sli_view("\x0a\x01x"), NULL),
                    SLI_ABORTED);
  SLI_EXPECT_STATUS(call_and_wait(target, "/no.Service/Method", sli_view_of(NULL, 0), NULL), SLI_UNIMPLEMENTED);
  pthread_t thread;
  pthread_create(&thread, NULL, join_server, server);
  SLI_EXPECT_OK(sli_task_server_stop(server));
  SLI_EXPECT_OK(sli_task_server_stop(server));
  pthread_join(thread, NULL);
  SLI_EXPECT_STATUS(sli_task_server_start(server), SLI_FAILED_PRECONDITION);
  SLI_EXPECT(sli_task_server_find_master(target) == NULL);
  SLI_EXPECT_STATUS(call_and_wait(target, "/tensorflow.WorkerService/GetStatus", sli_view_of(NULL, 0), NULL),
                    SLI_UNAVAILABLE);
  sli_task_server_destroy(server);
  sli_string_deinitialize(&body);
}

// A session on |target|, by the name "NoOp" of a node; its outcome.
static void *run_step(void *target) {
  sli_session_t *session = NULL;
  sli_status_t *status = sli_target_session_create(target, sli_view(""), &session);
  sli_session_run_t run = {.target_names = (const char *[]){"nothing"}, .target_count = 1};
  if (!status) status = session->vtable->run(session, &run, NULL);
  if (session) session->vtable->destroy(session);
  return status;
}

SLI_TEST(test_a_session_does_not_wait_for_tasks_of_a_job_that_is_done) {
  sli_task_server_t *server;
  SLI_REQUIRE_OK(create_server_with("localhost:0", 0, "localhost:1", &server));  // where nobody listens
  SLI_REQUIRE_OK(sli_task_server_start(server));
  char *target = sli_strdup(sli_task_server_target(server));
  for (int told_first = 0; told_first < 2; told_first++) {
    pthread_t thread;
    pthread_create(&thread, NULL, run_step, target);
    if (!told_first) {
      usleep(3500000);  // it waits, and has said so
      sli_control_set_done(sli_task_server_control(server));
    }
    void *status;
    pthread_join(thread, &status);
    SLI_EXPECT_CONTAINS(sli_status_message(status), "The job is done.");
    SLI_EXPECT_STATUS(status, SLI_CANCELLED);
  }
  free(target);
  sli_task_server_destroy(server);
}

// A CreateSessionRequest with a cluster_def of one task.
static void write_create_session(sli_string_t *out, const char *job_name, const char *address) {
  size_t config = sli_wire_open(out, SLI_FIELD_CREATE_SESSION_REQUEST_CONFIG),
         cluster = sli_wire_open(out, SLI_FIELD_CONFIG_PROTO_CLUSTER_DEF),
         job = sli_wire_open(out, SLI_FIELD_CLUSTER_DEF_JOB);
  sli_wire_write_text(out, SLI_FIELD_JOB_DEF_NAME, job_name);
  add_task(out, 0, address);
  sli_wire_close(out, job);
  sli_wire_close(out, cluster);
  sli_wire_close(out, config);
}

// In TensorFlow's words, but for names that it finds only later.
SLI_TEST(test_bad_clusters_of_sessions_are_refused) {
  static const struct {
    const char *job, *address, *text;
  } cases[] = {
      {"other", "localhost:1",
       "not included in the provided cluster_def. job {\n  name: \"other\"\n  tasks {\n    key: 0"},
      {"local", "localhost:0", "not allowed. Job: local, task index: 0"},
      {"", "localhost:0", "'' cannot be the name of a job"},
      {"a/b", "localhost:0", "'a/b' cannot be the name of a job"},
  };
  sli_task_server_t *server;
  SLI_REQUIRE_OK(create_server("localhost:0", 0, &server));
  SLI_REQUIRE_OK(sli_task_server_start(server));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    sli_string_t request = {0};
    write_create_session(&request, cases[i].job, cases[i].address);
    sli_status_t *status = call_and_wait(sli_task_server_target(server), "/tensorflow.MasterService/CreateSession",
                                         sli_view_of(request.data, request.size), NULL);
    SLI_EXPECT_CONTAINS(sli_status_message(status), cases[i].text);
    SLI_EXPECT_STATUS(status, SLI_INVALID_ARGUMENT);
    sli_string_deinitialize(&request);
  }
  sli_task_server_destroy(server);
}

SLI_TEST(test_requests_before_the_start_are_held) {
  sli_task_server_t *server;
  call_t early, refused;
  SLI_REQUIRE_OK(create_server("127.0.0.1:0", 0, &server));
  call_start(&early, sli_task_server_target(server), "/tensorflow.WorkerService/GetStatus", sli_view_of(NULL, 0));
  SLI_EXPECT(!sli_event_wait(&early.event, sli_clock_deadline_after_millis(100)));
  SLI_EXPECT_OK(sli_task_server_start(server));
  SLI_EXPECT_OK(call_end(&early, NULL));
  sli_task_server_destroy(server);
  // One that is never started says so.
  SLI_REQUIRE_OK(create_server("127.0.0.1:0", 0, &server));
  call_start(&refused, sli_task_server_target(server), "/tensorflow.WorkerService/GetStatus", sli_view_of(NULL, 0));
  SLI_EXPECT(!sli_event_wait(&refused.event, sli_clock_deadline_after_millis(100)));
  sli_task_server_destroy(server);
  SLI_EXPECT_STATUS(call_end(&refused, NULL), SLI_UNAVAILABLE);
}

SLI_TEST(test_port_in_use_is_said_so) {
  sli_task_server_t *first, *second;
  SLI_REQUIRE_OK(create_server("localhost:0", 0, &first));
  const char *address = sli_task_server_target(first) + strlen("grpc://");
  sli_status_t *status = create_server(address, 0, &second);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "/job:local/replica:0/task:0");
  SLI_EXPECT_CONTAINS(sli_status_message(status), strrchr(address, ':'));
  SLI_EXPECT_STATUS(status, SLI_FAILED_PRECONDITION);
  SLI_EXPECT(second == NULL);
  // ServerDef.port goes before the address's.
  int64_t port = 0;
  SLI_EXPECT(sli_view_to_int64(sli_view(strrchr(address, ':') + 1), &port));
  SLI_EXPECT_STATUS(create_server("localhost:0", (int)port, &second), SLI_FAILED_PRECONDITION);
  sli_task_server_destroy(first);
}

SLI_TEST(test_bad_server_defs_are_refused) {
  sli_task_server_t *server;
  SLI_EXPECT_STATUS(sli_task_server_create(sli_view("\x0a\xff"), NULL, &server), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_task_server_create(sli_view("\x12\x05local"), NULL, &server), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(create_server("no port", 0, &server), SLI_INVALID_ARGUMENT);
}

SLI_TEST_MAIN(test_server_serves_each_service_until_it_is_stopped,
              test_a_session_does_not_wait_for_tasks_of_a_job_that_is_done, test_bad_clusters_of_sessions_are_refused,
              test_requests_before_the_start_are_held, test_port_in_use_is_said_so, test_bad_server_defs_are_refused)
