// Every method of both services of a live server: the first byte says which, the
// rest is the message. After each the server must still answer.
#include <stdio.h>

#include "base/clock.h"
#include "dist/env_internal.h"
#include "dist/server.h"
#include "fuzz/fuzz.h"
#include "proto/wire.h"
#include "rpc/channel.h"

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
};

static sli_rpc_channel_t *channel;

static void start(void) {
  sli_string_t def = {0};
  size_t cluster = sli_wire_open(&def, 1);
  size_t job = sli_wire_open(&def, 1);
  sli_wire_write_text(&def, 1, "worker");
  size_t task = sli_wire_open(&def, 2);
  sli_wire_write_text(&def, 2, "127.0.0.1:0");
  sli_wire_close(&def, task);
  sli_wire_close(&def, job);
  sli_wire_close(&def, cluster);
  sli_wire_write_text(&def, 2, "worker");
  sli_wire_write_text(&def, 5, "grpc");
  sli_server_t *server;
  SLI_CHECK(!sli_server_create(sli_view_of(def.data, def.size), NULL, &server) && !sli_server_start(server));
  sli_string_deinitialize(&def);
  SLI_CHECK(
      !sli_rpc_channel_create(sli_env_process_loop(), sli_server_target(server) + strlen("grpc://"), NULL, &channel));
}

static sli_status_t *call(const char *method, const uint8_t *data, size_t size, int64_t millis) {
  sli_slices_t request = {0};
  sli_slices_append(&request, (const char *)data, size, NULL, NULL);
  sli_rpc_call_options_t options = {.method = method, .deadline = sli_now_nanos() + millis * 1000000};
  sli_rpc_message_t reply = {0};
  sli_status_t *status = sli_rpc_call_and_wait(channel, &options, &request, &reply);
  sli_rpc_message_release(&reply);
  return status;
}

void sli_fuzz_one(const uint8_t *data, size_t size) {
  if (!channel) start();
  if (size < 1) return;
  sli_fuzz_ignore(call(methods[data[0] % (sizeof(methods) / sizeof(methods[0]))], data + 1, size - 1, 50));
  sli_status_t *status = call("/tensorflow.WorkerService/GetStatus", data, 0, 10000);
  if (status) fprintf(stderr, "the server does not answer any more: %s\n", sli_status_message(status));
  SLI_CHECK(!status);
}
