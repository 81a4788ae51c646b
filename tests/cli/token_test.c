// The token of a job, from the command line.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/string.h"
#include "base/test.h"
#include "tests/life/life.h"
#include "tests/support/tool.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

SLI_TEST(test_launch_makes_a_token_for_its_tasks) {
  const char *file = tool_scratch("token");
  static const char program[] = "stat -c 'mode %a size %s' $SLUICE_TOKEN_FILE; echo env $SLUICE_TOKEN.";
  setenv("SLUICE_TOKEN", TOKEN, 1);
  for (int i = 0; i < 2; i++) {  // the second time it exists
    tool_run_t run;
    TOOL_RUN(&run, "launch", "--token-file", file, "--", "sh", "-c", program);
    SLI_EXPECT_INT(run.code, 0);
    SLI_EXPECT_CONTAINS(run.out, "mode 600 size 65");
    SLI_EXPECT_CONTAINS(run.out, "env .");
    tool_run_release(&run);
  }
  unsetenv("SLUICE_TOKEN");
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--token-file", "/nowhere/token", "--", "true");
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.err, "cannot make the token file /nowhere/token");
  tool_run_release(&run);
}

// Runs status of |target| with |token| in the environment (NULL: none).
static void expect_status(const char *target, const char *token, int code, const char *text) {
  if (token) setenv("SLUICE_TOKEN", token, 1);
  tool_run_t run;
  TOOL_RUN(&run, "status", target);
  unsetenv("SLUICE_TOKEN");
  SLI_EXPECT_INT(run.code, code);
  SLI_EXPECT_CONTAINS(code ? run.err : run.out, text);
  tool_run_release(&run);
}

SLI_TEST(test_commands_need_the_token) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  setenv("SLUICE_TOKEN", TOKEN, 1);
  bool serves = life_start(&cluster, 0, NULL);
  unsetenv("SLUICE_TOKEN");
  const char *target = life_address(&cluster, 0);
  if (serves) {
    expect_status(target, TOKEN, 0, "ps 0");
    expect_status(target, NULL, 1, "the server requires a token and the call has none");
    expect_status(target, TOKEN "0", 1, "the call has another token than the server");
    expect_status(target, "short", 1, "the token in SLUICE_TOKEN must have 16 to 1024 characters, got 5");
    SLI_EXPECT(life_wait_log(&cluster, 0, "its call has no token, and this task has one"));
    // A client of this process, which has no token.
    TF_Graph *graph = TF_NewGraph();
    TF_Status *status = TF_NewStatus();
    life_constant(graph, "one", NULL, 1);
    TF_Session *session = life_try_session(graph, life_target(&cluster, 0), NULL, 0, status);
    if (session && TF_GetCode(status) == TF_OK) life_run(session, NULL, TF_GraphOperationByName(graph, "one"), status);
    SLI_EXPECT_INT(TF_GetCode(status), TF_UNAUTHENTICATED);
    SLI_EXPECT_CONTAINS(TF_Message(status), "requires a token");
    if (session) life_close(session);
    TF_DeleteStatus(status);
    TF_DeleteGraph(graph);
  }
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_launch_makes_a_token_for_its_tasks, test_commands_need_the_token)
