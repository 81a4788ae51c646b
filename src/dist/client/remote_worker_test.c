// A call to another task that is cancelled.
#include "dist/client/remote_worker.h"

#include <stdio.h>

#include "base/test.h"
#include "core/step/cancellation.h"
#include "dist/env/env_process.h"
#include "rpc/server.h"

enum { PATIENCE_MILLIS = 30000 };

static sli_event_t arrived, ended;
static sli_rpc_request_t *held;
static sli_code_t code;
static bool is_derived;

// A task that does not reply.
static void hold(void *context, sli_rpc_request_t *request) {
  held = request;
  sli_event_set(&arrived);
}

static void received(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  code = sli_status_code(status);
  is_derived = sli_status_is_derived(status);
  sli_status_release(status);
  sli_event_set(&ended);
}

// Else the step could end with the cancellation, which is no reason to try again, instead of with the lost task.
SLI_TEST(test_a_receive_that_is_cancelled_fails_with_the_reason) {
  static const sli_rpc_service_t service = {.handle = hold};
  static const sli_rpc_server_options_t options = {.max_message_size = 1 << 20};
  sli_rpc_server_t *server = NULL;
  sli_worker_client_t *client = NULL;
  char address[32];
  sli_event_initialize(&arrived);
  sli_event_initialize(&ended);
  SLI_EXPECT_OK(sli_rpc_server_create(sli_env_process_loop(), "127.0.0.1", 0, &service, &options, &server));
  snprintf(address, sizeof(address), "127.0.0.1:%d", sli_rpc_server_port(server));
  SLI_EXPECT_OK(sli_remote_worker_create(sli_env_process(), sli_env_process_loop(), "/job:ps/replica:0/task:0", address,
                                         &client));
  sli_cancellation_t *cancellation = sli_cancellation_create();
  client->vtable->recv_tensor(client, 1, sli_view("key"), SLI_CLOCK_NO_DEADLINE, cancellation, received, NULL);
  SLI_EXPECT(sli_event_wait(&arrived, sli_clock_deadline_after_millis(PATIENCE_MILLIS)));
  sli_cancellation_cancel(cancellation, sli_status_make(SLI_UNAVAILABLE, "another task is lost"));
  SLI_EXPECT(sli_event_wait(&ended, sli_clock_deadline_after_millis(PATIENCE_MILLIS)));
  SLI_EXPECT_INT(code, SLI_UNAVAILABLE);
  SLI_EXPECT(is_derived);
  sli_rpc_request_respond(held, sli_status_make(SLI_INTERNAL, "too late"), NULL);
  sli_cancellation_release(cancellation);
  client->vtable->destroy(client);
  sli_rpc_server_destroy(server);
  sli_event_deinitialize(&arrived);
  sli_event_deinitialize(&ended);
}

SLI_TEST_MAIN(test_a_receive_that_is_cancelled_fails_with_the_reason)
