// Every method of both services of a running server: the first byte selects the method, the rest is the message. After
// each call the server must still answer.
#include <stdio.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/task.h"

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

void fuzz_one(const uint8_t *data, size_t size) {
  if (!channel) fuzz_start_task("worker", &channel);
  if (size < 1) return;
  fuzz_ignore(fuzz_call(channel, methods[data[0] % (sizeof(methods) / sizeof(methods[0]))], data + 1, size - 1, 50));
  sli_status_t *status = fuzz_call(channel, "/tensorflow.WorkerService/GetStatus", data, 0, 10000);
  if (status) fprintf(stderr, "the server does not answer any more: %s\n", sli_status_message(status));
  SLI_CHECK(!status);
}
