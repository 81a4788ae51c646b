// Calls against a server whose only methods wait until the test or the client ends them.
#include "dist/service/service_call.h"

#include "base/test.h"
#include "dist/env/env_process.h"
#include "proto/control.pb-c.h"
#include "rpc/channel.h"

static struct {
  sli_service_call_t *call;  // a Wait that arrived
  sli_event_t arrived, cancelled;
  sli_status_t *reason;  // why it was cancelled
} waiting;

static void wait_cancelled(void *context) {
  sli_env_t *env = sli_env_process();
  waiting.reason = sli_cancellation_status(waiting.call->cancellation);
  env->set(env, &waiting.cancelled);
}

static void wait_for_cancellation(sli_service_call_t *call, const void *message) {
  sli_env_t *env = sli_env_process();
  SLI_EXPECT(message == NULL);
  SLI_EXPECT(sli_view_is(sli_service_call_body(call), "body"));
  SLI_EXPECT_TEXT(sli_service_call_text(call, sli_view("text")), "text");
  sli_service_call_watch(call);
  waiting.call = call;
  SLI_EXPECT(sli_cancellation_register(call->cancellation, wait_cancelled, NULL) != 0);
  env->set(env, &waiting.arrived);
}

static void echo(sli_service_call_t *call, const void *message) {
  const Sluice__HelloRequest *request = message;
  Sluice__HelloResponse reply = SLUICE__HELLO_RESPONSE__INIT;
  reply.task = request->task;
  sli_service_call_reply_message(call, NULL, &reply.base);
}

static const sli_service_call_method_t methods[] = {{"Echo", &sluice__hello_request__descriptor, echo},
                                                    {"Wait", NULL, wait_for_cancellation}};

static void handle(void *context, sli_rpc_request_t *request) {
  const sli_service_call_method_t *method = sli_service_call_find_method(sli_rpc_request_method(request), "/a.Service/",
                                                                         methods, SLI_ARRAY_COUNT_OF(methods));
  if (method)
    sli_service_call_handle(sli_service_call_create(sizeof(sli_service_call_t), sli_env_process(), context, request),
                            method);
  else
    sli_rpc_request_respond(request, sli_status_make(SLI_UNIMPLEMENTED, "none"), NULL);
}

static const sli_rpc_service_t service = {.handle = handle};

static sli_rpc_channel_t *serve(sli_rpc_server_t **out_server) {
  sli_rpc_channel_t *channel;
  SLI_CHECK(!sli_rpc_server_create(sli_env_process_loop(), "127.0.0.1", 0, &service, NULL, out_server));
  char *target = sli_format("127.0.0.1:%d", sli_rpc_server_port(*out_server));
  SLI_CHECK(!sli_rpc_channel_create(sli_env_process_loop(), target, NULL, &channel));
  free(target);
  return channel;
}

static sli_status_t *call_and_wait(sli_rpc_channel_t *channel, const char *method, const char *body,
                                   sli_rpc_message_t *out_reply) {
  sli_string_t bytes = {0};
  sli_slices_t request = {0};
  sli_string_append_text(&bytes, body);
  if (bytes.size) sli_slices_append_string(&request, &bytes);
  sli_rpc_call_options_t options = {.method = method, .deadline = SLI_CLOCK_NO_DEADLINE};
  return sli_rpc_call_and_wait(channel, &options, &request, out_reply);
}

SLI_TEST(test_methods_are_found_and_their_messages_parsed) {
  sli_rpc_server_t *server;
  sli_rpc_channel_t *channel = serve(&server);
  sli_rpc_message_t reply = {0};
  SLI_EXPECT_OK(call_and_wait(channel, "/a.Service/Echo", "\x0a\x03me!", &reply));
  SLI_EXPECT(sli_view_is(sli_view_of(reply.data, reply.size), "\x12\x03me!"));
  sli_rpc_message_release(&reply);
  SLI_EXPECT_STATUS(call_and_wait(channel, "/a.Service/Echo", "\x0a\xff", &reply), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(call_and_wait(channel, "/a.Service/Other", "", &reply), SLI_UNIMPLEMENTED);
  SLI_EXPECT_STATUS(call_and_wait(channel, "/b.Service/Echo", "", &reply), SLI_UNIMPLEMENTED);
  sli_rpc_channel_destroy(channel);
  sli_rpc_server_destroy(server);
}

static void on_reply(void *context, sli_status_t *status, sli_rpc_message_t *reply) { sli_status_release(status); }

// The reason for which a Wait is cancelled whose client cancels it; with |is_late| after the deadline.
static sli_status_t *cancel_wait(bool is_late) {
  sli_env_t *env = sli_env_process();
  sli_rpc_server_t *server;
  sli_rpc_channel_t *channel = serve(&server);
  sli_event_initialize(&waiting.arrived);
  sli_event_initialize(&waiting.cancelled);
  sli_string_t bytes = {0};
  sli_slices_t request = {0};
  sli_string_append_text(&bytes, "body");
  sli_slices_append_string(&request, &bytes);
  sli_rpc_call_options_t options = {.method = "/a.Service/Wait", .deadline = SLI_CLOCK_NO_DEADLINE};
  sli_rpc_call_t *call = sli_rpc_call_start(channel, &options, &request, on_reply, NULL);
  env->wait(env, &waiting.arrived, SLI_CLOCK_NO_DEADLINE);
  SLI_EXPECT(waiting.call->deadline == SLI_CLOCK_NO_DEADLINE);
  if (is_late) waiting.call->deadline = env->now(env);
  sli_rpc_call_cancel(call);
  env->wait(env, &waiting.cancelled, SLI_CLOCK_NO_DEADLINE);
  sli_service_call_done(waiting.call, NULL);  // to no effect
  sli_rpc_call_release(call);
  sli_rpc_channel_destroy(channel);
  sli_rpc_server_destroy(server);
  sli_event_deinitialize(&waiting.arrived);
  sli_event_deinitialize(&waiting.cancelled);
  return waiting.reason;
}

SLI_TEST(test_client_that_cancels_cancels_the_call) { SLI_EXPECT_STATUS(cancel_wait(false), SLI_CANCELLED); }

SLI_TEST(test_cancellation_after_the_deadline_is_the_deadlines) {
  SLI_EXPECT_STATUS(cancel_wait(true), SLI_DEADLINE_EXCEEDED);
}

SLI_TEST_MAIN(test_methods_are_found_and_their_messages_parsed, test_client_that_cancels_cancels_the_call,
              test_cancellation_after_the_deadline_is_the_deadlines)
