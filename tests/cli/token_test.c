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

SLI_TEST(test_launch_makes_a_token_by_itself) {
  static const char program[] = "echo ${#SLUICE_TOKEN} characters, same user: $SLUICE_TOKEN_SAME_USER.";
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--", "sh", "-c", program);
  SLI_EXPECT_CONTAINS(run.out, "64 characters, same user: 1.");
  tool_run_release(&run);
  TOOL_RUN(&run, "launch", "--no-token", "--", "sh", "-c", program);
  SLI_EXPECT_CONTAINS(run.out, "0 characters, same user: .");
  tool_run_release(&run);
  setenv("SLUICE_TOKEN", TOKEN, 1);  // chosen by the user: for everyone
  TOOL_RUN(&run, "launch", "--", "sh", "-c", program);
  unsetenv("SLUICE_TOKEN");
  SLI_EXPECT_CONTAINS(run.out, "32 characters, same user: .");
  tool_run_release(&run);
}

// What a user does in another terminal, without the token. The worker is that terminal; the ps may start later.
SLI_TEST(test_the_user_of_a_job_needs_no_token) {
  static const char program[] =
      "unset SLUICE_TOKEN; for word; do case $word in --ps_hosts=*) ps=${word#*=};; esac; done; "
      "for i in $(seq 200); do \"$0\" doctor --megabytes=0 $ps > $1; grep 'ps 0 .* ok ' $1 && exit 0; sleep 0.2; done; "
      "cat $1; exit 1";
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--ps=1", "--workers=1", "--serve-ps", "--ps-grace=0", "--classic-flags", "--", "sh", "-c",
           program, tool_path(), tool_scratch("doctor"));
  if (run.code) sli_test_fail(__FILE__, __LINE__, "%s%s", run.out, run.err);
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
    setenv("SLUICE_TOKEN", TOKEN "0", 1);
    tool_run_t run;
    TOOL_RUN(&run, "doctor", target);
    unsetenv("SLUICE_TOKEN");
    SLI_EXPECT_INT(run.code, 1);
    SLI_EXPECT_CONTAINS(run.out, "FAILED  the call has another token than the server");
    tool_run_release(&run);
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

SLI_TEST_MAIN(test_launch_makes_a_token_for_its_tasks, test_launch_makes_a_token_by_itself,
              test_the_user_of_a_job_needs_no_token, test_commands_need_the_token)
