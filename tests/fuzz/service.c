// Every method of both services of a running server: the first byte selects the method, the rest is the message. After
// each call the server must still answer.
#include <stdio.h>

#include "base/clock.h"
#include "dist/env/env_process.h"
#include "dist/server/task_server.h"
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "rpc/channel.h"
#include "tests/fuzz/fuzz.h"

static const char *const methods[] = {
    "/tensorflow.MasterService/CreateSession",
    "/tensorflow.MasterService/ExtendSession",
    "/tensorflow.MasterService/PartialRunSetup",
    "/tensorflow.MasterService/RunStep",
    "/tensorflow.MasterService/CloseSession",
    "/tensorflow.MasterService/ListDevices",
    "/tensorflow.MasterService/Reset",
    "/tensorflow.MasterService/MakeCallable",
    "/tensorflow.MasterService/RunCallable",
    "/tensorflow.MasterService/ReleaseCallable",
    "/tensorflow.WorkerService/GetStatus",
    "/tensorflow.WorkerService/CreateWorkerSession",
    "/tensorflow.WorkerService/DeleteWorkerSession",
    "/tensorflow.WorkerService/RegisterGraph",
    "/tensorflow.WorkerService/DeregisterGraph",
    "/tensorflow.WorkerService/RunGraph",
    "/tensorflow.WorkerService/CleanupGraph",
    "/tensorflow.WorkerService/CleanupAll",
    "/tensorflow.WorkerService/RecvTensor",
    "/tensorflow.WorkerService/Logging",
    "/tensorflow.WorkerService/Tracing",
    "/tensorflow.WorkerService/MarkRecvFinished",
    "/sluice.Control/Hello",
    "/sluice.Control/Unknown",
    "/tensorflow.WorkerService/CompleteGroup",
    "/tensorflow.WorkerService/CompleteInstance",
    "/tensorflow.WorkerService/GetStepSequence",
    "/tensorflow.WorkerService/RecvBuf",
};

static sli_rpc_channel_t *channel;

static void start(void) {
  sli_string_t def = {0};
  size_t cluster = sli_wire_open(&def, SLI_FIELD_SERVER_DEF_CLUSTER);
  size_t job = sli_wire_open(&def, SLI_FIELD_CLUSTER_DEF_JOB);
  sli_wire_write_text(&def, SLI_FIELD_JOB_DEF_NAME, "worker");
  size_t task = sli_wire_open(&def, SLI_FIELD_JOB_DEF_TASKS);
  sli_wire_write_text(&def, SLI_FIELD_JOB_DEF_TASKS_ENTRY_VALUE, "127.0.0.1:0");
  sli_wire_close(&def, task);
  sli_wire_close(&def, job);
  sli_wire_close(&def, cluster);
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_JOB_NAME, "worker");
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_PROTOCOL, "grpc");
  sli_task_server_t *server;
  SLI_CHECK(!sli_task_server_create(sli_view_of(def.data, def.size), NULL, &server) && !sli_task_server_start(server));
  sli_string_deinitialize(&def);
  SLI_CHECK(!sli_rpc_channel_create(sli_env_process_loop(), sli_task_server_target(server) + strlen("grpc://"), NULL,
                                    &channel));
}

static sli_status_t *call(const char *method, const uint8_t *data, size_t size, int64_t millis) {
  sli_slices_t request = {0};
  sli_slices_append(&request, (const char *)data, size, NULL, NULL);
  sli_rpc_call_options_t options = {.method = method, .deadline = sli_clock_now_nanos() + millis * 1000000};
  sli_rpc_message_t reply = {0};
  sli_status_t *status = sli_rpc_call_and_wait(channel, &options, &request, &reply);
  sli_rpc_message_release(&reply);
  return status;
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (!channel) start();
  if (size < 1) return;
  fuzz_ignore(call(methods[data[0] % (sizeof(methods) / sizeof(methods[0]))], data + 1, size - 1, 50));
  sli_status_t *status = call("/tensorflow.WorkerService/GetStatus", data, 0, 10000);
  if (status) fprintf(stderr, "the server does not answer any more: %s\n", sli_status_message(status));
  SLI_CHECK(!status);
}
