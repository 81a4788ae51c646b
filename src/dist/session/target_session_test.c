// Sessions on a server of this process, which are called directly.
#include "dist/session/target_session.h"

#include "base/test.h"
#include "dist/server/task_server.h"
#include "proto/config.fields.h"
#include "proto/wire.h"

// A running server of a cluster of one task.
static sli_task_server_t *start_server(void) {
  sli_string_t def = {0};
  size_t cluster = sli_wire_open(&def, SLI_FIELD_SERVER_DEF_CLUSTER),
         job = sli_wire_open(&def, SLI_FIELD_CLUSTER_DEF_JOB);
  sli_wire_write_text(&def, SLI_FIELD_JOB_DEF_NAME, "local");
  size_t entry = sli_wire_open(&def, SLI_FIELD_JOB_DEF_TASKS);
  sli_wire_write_text(&def, SLI_FIELD_JOB_DEF_TASKS_ENTRY_VALUE, "localhost:0");
  sli_wire_close(&def, entry);
  sli_wire_close(&def, job);
  sli_wire_close(&def, cluster);
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_JOB_NAME, "local");
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_PROTOCOL, "grpc");
  sli_task_server_t *server;
  SLI_CHECK(!sli_task_server_create(sli_view_of(def.data, def.size), NULL, &server));
  SLI_CHECK(!sli_task_server_start(server));
  sli_string_deinitialize(&def);
  return server;
}

SLI_TEST(test_session_lives_from_its_first_use_until_it_is_closed) {
  sli_task_server_t *server = start_server();
  sli_master_t *master = sli_task_server_find_master(sli_task_server_target(server));
  SLI_REQUIRE(master);
  sli_session_t *session;
  SLI_REQUIRE_OK(sli_target_session_create(sli_task_server_target(server), sli_view(""), &session));
  SLI_EXPECT_INT(sli_master_session_count(master), 0);
  sli_device_set_t devices;
  SLI_EXPECT_OK(session->vtable->list_devices(session, &devices));
  SLI_EXPECT_INT(devices.devices.count, 1);
  sli_device_set_deinitialize(&devices);
  SLI_EXPECT_INT(sli_master_session_count(master), 1);
  SLI_EXPECT_OK(session->vtable->extend(session, sli_view("")));
  sli_session_run_t run = {.target_names = (const char *[]){"nothing"}, .target_count = 1};
  SLI_EXPECT_STATUS(session->vtable->run(session, &run, NULL), SLI_NOT_FOUND);
  SLI_EXPECT_OK(session->vtable->close(session));
  SLI_EXPECT_OK(session->vtable->close(session));
  SLI_EXPECT_INT(sli_master_session_count(master), 0);
  SLI_EXPECT_STATUS(session->vtable->extend(session, sli_view("")), SLI_FAILED_PRECONDITION);
  SLI_EXPECT_STATUS(session->vtable->run(session, &run, NULL), SLI_FAILED_PRECONDITION);
  session->vtable->destroy(session);
  sli_task_server_destroy(server);
}

SLI_TEST(test_reset_closes_the_sessions_of_the_master) {
  sli_task_server_t *server = start_server();
  const char *target = sli_task_server_target(server);
  sli_session_t *session;
  SLI_REQUIRE_OK(sli_target_session_create(target, sli_view(""), &session));
  SLI_EXPECT_OK(session->vtable->extend(session, sli_view("")));
  SLI_EXPECT_OK(sli_target_session_reset(target, sli_view(""), NULL, 0));
  SLI_EXPECT_INT(sli_master_session_count(sli_task_server_find_master(target)), 0);
  sli_session_run_t run = {0};
  SLI_EXPECT_STATUS(session->vtable->run(session, &run, NULL), SLI_ABORTED);
  session->vtable->destroy(session);
  sli_task_server_destroy(server);
}

SLI_TEST(test_malformed_targets_and_configs_are_refused) {
  sli_session_t *session;
  SLI_EXPECT_STATUS(sli_target_session_create("localhost:1", sli_view(""), &session), SLI_INVALID_ARGUMENT);
  SLI_EXPECT(session == NULL);
  SLI_EXPECT_STATUS(sli_target_session_create("grpc://localhost:1", sli_view("\x0a\xff"), &session),
                    SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_target_session_reset("", sli_view(""), NULL, 0), SLI_INVALID_ARGUMENT);
}

SLI_TEST_MAIN(test_session_lives_from_its_first_use_until_it_is_closed, test_reset_closes_the_sessions_of_the_master,
              test_malformed_targets_and_configs_are_refused)
