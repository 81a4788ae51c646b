#include "dist/client/peer_wait.h"

#include <stdlib.h>

#include "base/alloc.h"

#include "base/test.h"
#include "dist/env/env_process.h"

SLI_TEST(test_reminders_become_rarer) {
  SLI_EXPECT_INT(sli_peer_wait_reminder_nanos(0), INT64_C(3000000000));
  SLI_EXPECT_INT(sli_peer_wait_reminder_nanos(0) + sli_peer_wait_reminder_nanos(1), INT64_C(10000000000));
  for (int i = 1; i < 10; i++) SLI_EXPECT(sli_peer_wait_reminder_nanos(i + 1) >= sli_peer_wait_reminder_nanos(i));
  SLI_EXPECT_INT(sli_peer_wait_reminder_nanos(1000), INT64_C(60000000000));
}

static void expect_reason(const char *failure, const char *problem, const char *expected) {
  char *reason = sli_peer_wait_reason(failure ? sli_strdup(failure) : NULL, problem);
  SLI_EXPECT_TEXT(reason, expected);
  free(reason);
}

SLI_TEST(test_reason_is_the_failure_then_the_problem) {
  static const char *const proxies[] = {"grpc_proxy", "https_proxy", "http_proxy",
                                        "GRPC_PROXY", "HTTPS_PROXY", "HTTP_PROXY"};
  for (size_t i = 0; i < sizeof(proxies) / sizeof(proxies[0]); i++) unsetenv(proxies[i]);
  expect_reason("Connection refused", "wrong task", "Connection refused");
  expect_reason(NULL, "wrong task", "wrong task");
  expect_reason(NULL, NULL, "it was reached, but does not answer");
  setenv("http_proxy", "http://p:1", 1);
  expect_reason("Connection refused", NULL, "Connection refused (http_proxy=http://p:1 is set and ignored)");
  unsetenv("http_proxy");
}

SLI_TEST(test_call_to_a_peer_that_is_not_there_fails_with_the_reason) {
  sli_env_t *env = sli_env_process();
  sli_rpc_channel_t *channel;
  SLI_REQUIRE_OK(sli_rpc_channel_create(sli_env_process_loop(), "127.0.0.1:1", NULL, &channel));  // nobody listens
  sli_rpc_call_options_t options = {.method = "/a.Service/Method", .deadline = SLI_CLOCK_NO_DEADLINE};
  options.wait_for_ready = true;
  sli_slices_t request = {0};
  sli_rpc_message_t reply;
  sli_status_t *status = sli_peer_wait_call(env, channel, &options, 100, &request, &reply);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "Method waited 0 s for 127.0.0.1:1: ");
  SLI_EXPECT_STATUS(status, SLI_DEADLINE_EXCEEDED);
  SLI_EXPECT(reply.data == NULL);
  sli_rpc_channel_destroy(channel);
}

SLI_TEST_MAIN(test_reminders_become_rarer, test_reason_is_the_failure_then_the_problem,
              test_call_to_a_peer_that_is_not_there_fails_with_the_reason)
