// A session that loses a task again and again, although all tasks are there: it waits longer and longer between the
// sessions, keeps the longest wait of its options, and ends with the error.
#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "sluice/sluice.h"

// A hook for which a task is lost in the first |times| sessions.
typedef struct {
  sl_hook_t base;
  int times, sessions;
} unlucky_t;

static void lose_task(sl_hook_t *hook, sl_session_t *session) {
  unlucky_t *unlucky = (unlucky_t *)hook;
  if (unlucky->sessions++ >= unlucky->times) return;
  TF_Status *status = TF_NewStatus();
  TF_SetStatus(status, TF_UNAVAILABLE, "the ps cannot reach this task");
  sl_session_fail(session, status);
  TF_DeleteStatus(status);
}

// Trains for at most five steps; returns how many were taken.
static int train(unlucky_t *unlucky, char **out_error, int *out_code) {
  sl_server_t *server = sl_create_local_server();
  sl_scope_t *g = sl_graph_scope();
  TF_Output step = sl_global_step(g);
  TF_Operation *count = sl_assign_add(g, step, sl_scalar(g, TF_INT64, 1)).oper;
  sl_hook_t *hooks[] = {&unlucky->base};
  sl_session_t *session =
      sl_monitored_training_session(g, server, .log_steps = -1, .hooks = hooks, .hook_count = 1, .max_wait_secs = 2);
  int steps = 0;
  for (; steps < 5 && !sl_should_stop(session);) steps += sl_run(session, SL_TARGET(count));
  *out_error = sli_strdup(sl_session_error(session));
  *out_code = sl_session_close(session);
  sl_scope_release(g);
  sl_server_release(server);
  return steps;
}

SLI_TEST(test_a_session_that_is_always_lost_gives_up) {
  unlucky_t unlucky = {.base = {sizeof(sl_hook_t), .after_create_session = lose_task}, .times = 1000};
  char *error;
  int code;
  SLI_EXPECT_INT(train(&unlucky, &error, &code), 0);
  SLI_EXPECT(code != 0);
  SLI_EXPECT_CONTAINS(error, "without a step, the last one with: the ps cannot reach this task");
  SLI_EXPECT(unlucky.sessions >= 4 && unlucky.sessions < 8);  // pauses of 0, 1, 2 s, …
  free(error);
}

SLI_TEST(test_a_session_that_is_lost_three_times_goes_on) {
  unlucky_t unlucky = {.base = {sizeof(sl_hook_t), .after_create_session = lose_task}, .times = 3};
  char *error;
  int code;
  SLI_EXPECT_INT(train(&unlucky, &error, &code), 5);
  SLI_EXPECT_INT(code, 0);
  SLI_EXPECT_TEXT(error, "");
  free(error);
}

SLI_TEST_MAIN(test_a_session_that_is_always_lost_gives_up, test_a_session_that_is_lost_three_times_goes_on)
