// sluice.Store, both sides. The first byte selects a method of a running server, which gets the rest as its request; or
// a call of a client, which gets the rest as the reply to everything that it asks.
#include <stdio.h>

#include "rpc/server.h"
#include "sluice/kv.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/task.h"

static const char *const methods[] = {
    "/sluice.Store/Open", "/sluice.Store/Exchange", "/sluice.Store/Bind",
    "/sluice.Store/Save", "/sluice.Store/Clock",    "/sluice.Store/Reserve",
};
enum { METHODS = sizeof(methods) / sizeof(methods[0]), CALLS = 2 };

static sli_rpc_channel_t *channel;
static sl_kv_t *kv;        // of the server
static sli_view_t answer;  // of the server that answers everything with it
static sl_kv_t *asking;    // of that
static bool answers;

static void respond(void *context, sli_rpc_request_t *request) {
  sli_slices_t reply = {0};
  if (answers) sli_slices_append(&reply, answer.data, answer.size, NULL, NULL);
  sli_rpc_request_respond(request, NULL, &reply);
}

static sl_kv_t *connect_to(const char *address) {
  TF_Status *status = TF_NewStatus();
  sl_kv_options_t options = {sizeof(options), .updater = "sum", .timeout_millis = 5000, .when_dead = SL_KV_FAIL};
  sl_kv_t *result = sl_kv_connect(address, &options, status);
  if (!result) fprintf(stderr, "%s\n", TF_Message(status));
  SLI_CHECK(result);
  TF_DeleteStatus(status);
  return result;
}

static void start(void) {
  const char *address = fuzz_start_task("ps", &channel);
  kv = connect_to(address);
  static const sli_rpc_service_t service = {.handle = respond};
  static const sli_rpc_server_options_t options = {.max_message_size = 1 << 20};
  static sli_rpc_server_t *other;
  SLI_CHECK(!sli_rpc_server_create(sli_env_process_loop(), "127.0.0.1", 0, &service, &options, &other));
  char answering[32];
  snprintf(answering, sizeof(answering), "127.0.0.1:%d", sli_rpc_server_port(other));
  asking = connect_to(answering);
  answers = true;
}

static void ask(int which, const uint8_t *data, size_t size) {
  answer = sli_view_of((const char *)data, size);
  TF_Status *status = TF_NewStatus();
  uint64_t keys[2] = {1, 2};
  float values[2];
  if (which == 0)
    sl_kv_wait(asking, sl_kv_pull(asking, keys, 2, values, NULL, NULL, status), status);
  else
    sl_kv_bind(asking, 3, NULL, "v", status);
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
  // Clock waits for members that there are not.
  fuzz_ignore(fuzz_call(channel, methods[which], data + 1, size - 1, which == 4 ? 1 : 2000));
  // The server still works.
  TF_Status *status = TF_NewStatus();
  uint64_t key = UINT64_C(0x7b5c0fd2e1a3);
  float one = 1;
  sl_kv_wait(kv,
             sl_kv_push(kv, &key, 1, &one, NULL, &(sl_kv_call_t){sizeof(sl_kv_call_t), .update = SL_KV_SUM}, status),
             status);
  if (TF_GetCode(status)) fprintf(stderr, "the server does not answer any more: %s\n", TF_Message(status));
  SLI_CHECK(!TF_GetCode(status));
  TF_DeleteStatus(status);
}
