// sluice.Control, both sides. The first byte selects a method of a running server, which gets the rest as its request;
// or a call of a client, which gets the rest as the reply to everything that it asks.
#include <stdio.h>

#include "rpc/server.h"
#include "sluice/cluster.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/task.h"

static const char *const methods[] = {
    "/sluice.Control/Hello",  "/sluice.Control/JobDone", "/sluice.Control/ModelReady", "/sluice.Control/Ping",
    "/sluice.Control/Quorum", "/sluice.Control/Status",  "/sluice.Control/EndInput",   "/sluice.Control/Trace",
    "/sluice.Control/Chief",  "/sluice.Control/Place",
};
enum { METHODS = sizeof(methods) / sizeof(methods[0]), CALLS = 4 };

static sli_rpc_channel_t *channel;
static sli_view_t answer;  // of the server that answers everything with it
static char answering[32];

static void respond(void *context, sli_rpc_request_t *request) {
  sli_slices_t reply = {0};
  sli_slices_append(&reply, answer.data, answer.size, NULL, NULL);
  sli_rpc_request_respond(request, NULL, &reply);
}

static void start(void) {
  fuzz_start_task("worker", &channel);
  static const sli_rpc_service_t service = {.handle = respond};
  static const sli_rpc_server_options_t options = {.max_message_size = 1 << 20};
  static sli_rpc_server_t *other;
  SLI_CHECK(!sli_rpc_server_create(sli_env_process_loop(), "127.0.0.1", 0, &service, &options, &other));
  snprintf(answering, sizeof(answering), "127.0.0.1:%d", sli_rpc_server_port(other));
}

static void ask(int which, const uint8_t *data, size_t size) {
  answer = sli_view_of((const char *)data, size);
  TF_Status *status = TF_NewStatus();
  switch (which) {
    case 0: sl_task_status_free(sl_cluster_status(answering, 5000, 1, status)); break;
    case 1: sl_probe_free(sl_cluster_probe(answering, "worker", 0, 5000, 16)); break;
    case 2: sl_cluster_set_quorum(answering, NULL, NULL, 1, 5000, status); break;
    default: sl_cluster_wait_model_ready(answering, 100, status); break;
  }
  TF_DeleteStatus(status);
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (!channel) start();
  if (size < 1) return;
  int which = data[0] % (METHODS + CALLS);
  if (which >= METHODS) {
    ask(which - METHODS, data + 1, size - 1);
    return;
  }
  // ModelReady only replies when there is a model, Trace when there are steps.
  fuzz_ignore(fuzz_call(channel, methods[which], data + 1, size - 1, which == 2 || which == 7 ? 1 : 2000));
  sli_status_t *status = fuzz_call(channel, "/sluice.Control/Hello", data, 0, 10000);
  if (status) fprintf(stderr, "the server does not answer any more: %s\n", sli_status_message(status));
  SLI_CHECK(!status);
}
