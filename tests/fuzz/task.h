// What the fuzz targets of services share: a task that runs in this process, and calls of it.
#ifndef SLI_TESTS_FUZZ_TASK_H_
#define SLI_TESTS_FUZZ_TASK_H_

#include "base/clock.h"
#include "dist/env/env_process.h"
#include "dist/server/task_server.h"
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "rpc/channel.h"

// Starts a cluster of one task of |job_name|, and opens a channel to it. Returns its address, "127.0.0.1:PORT".
static inline const char *fuzz_start_task(const char *job_name, sli_rpc_channel_t **out_channel) {
  sli_string_t def = {0};
  size_t cluster = sli_wire_open(&def, SLI_FIELD_SERVER_DEF_CLUSTER);
  size_t job = sli_wire_open(&def, SLI_FIELD_CLUSTER_DEF_JOB);
  sli_wire_write_text(&def, SLI_FIELD_JOB_DEF_NAME, job_name);
  size_t task = sli_wire_open(&def, SLI_FIELD_JOB_DEF_TASKS);
  sli_wire_write_text(&def, SLI_FIELD_JOB_DEF_TASKS_ENTRY_VALUE, "127.0.0.1:0");
  sli_wire_close(&def, task);
  sli_wire_close(&def, job);
  sli_wire_close(&def, cluster);
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_JOB_NAME, job_name);
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_PROTOCOL, "grpc");
  sli_task_server_t *server;
  SLI_CHECK(!sli_task_server_create(sli_view_of(def.data, def.size), NULL, &server) && !sli_task_server_start(server));
  sli_string_deinitialize(&def);
  const char *address = sli_task_server_target(server) + strlen("grpc://");
  SLI_CHECK(!sli_rpc_channel_create(sli_env_process_loop(), address, NULL, out_channel));
  return address;
}

// Calls |method| with these bytes as the request, and drops the reply.
static inline sli_status_t *fuzz_call(sli_rpc_channel_t *channel, const char *method, const uint8_t *data, size_t size,
                                      int64_t millis) {
  sli_slices_t request = {0};
  sli_slices_append(&request, (const char *)data, size, NULL, NULL);
  sli_rpc_call_options_t options = {.method = method, .deadline = sli_clock_now_nanos() + millis * 1000000};
  sli_rpc_message_t reply = {0};
  sli_status_t *status = sli_rpc_call_and_wait(channel, &options, &request, &reply);
  sli_rpc_message_release(&reply);
  return status;
}

#endif  // SLI_TESTS_FUZZ_TASK_H_
