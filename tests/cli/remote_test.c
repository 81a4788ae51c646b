// `sluice launch` on other hosts, with scripts in the place of ssh and srun that run the command here.
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/string.h"
#include "base/test.h"
#include "tests/support/tool.h"

#define RUN(run, ...) TOOL_RUN(run, "launch", "--ssh", make_ssh(), __VA_ARGS__)
#define START(run, ...) \
  tool_start(run, -1, (const char *const[]){"launch", "--ssh", make_ssh(), "--stop-grace=200", __VA_ARGS__, NULL})

static void write_script(const char *path, const char *text) {
  tool_write_file(path, text, strlen(text));
  chmod(path, 0755);
}

// The last word is the command, the one before it the host. Login shells print things.
static const char *make_ssh(void) {
  static char path[4096];
  snprintf(path, sizeof(path), "%s", tool_scratch("ssh"));
  write_script(path,
               "#!/bin/sh\n"
               "for word; do host=$command command=$word; done\n"
               "echo Welcome to $host\n"
               "[ $host != closed ] || { echo 'closed: Permission denied (publickey).' >&2; exit 255; }\n"
               "export HOST_OF_TEST=$host\n"
               "exec sh -c \"$command\"\n");
  return path;
}

static void expect_usage_error(const char *hosts, const char *text) {
  tool_run_t run;
  RUN(&run, "--hosts", hosts, "--", "true");
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_CONTAINS(run.err, text);
  tool_run_release(&run);
}

SLI_TEST(test_tasks_are_put_on_hosts) {
  tool_run_t run;
  RUN(&run, "--hosts", "h1:3,me@h2:2,[fd77::1]:2", "--ps=2", "--port=4000", "--", "sh", "-c",
      "echo $HOST_OF_TEST $RANK $LOCAL_RANK $WORLD_SIZE; echo $TF_CONFIG");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "[ps 0@h1] h1 0 0 2\n");
  SLI_EXPECT_CONTAINS(run.out, "[ps 1@h2] me@h2 1 0 2\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0@h1] h1 0 0 5\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 1@h1] h1 1 1 5\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 2@h2] me@h2 2 0 5\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 4@[fd77::1]] fd77::1 4 1 5\n");
  SLI_EXPECT_CONTAINS(run.out,
                      "{\"ps\": [\"h1:4000\", \"h2:4000\"], \"worker\": [\"h1:4001\", \"h1:4002\", \"h2:4001\", "
                      "\"[fd77::1]:4000\", \"[fd77::1]:4001\"]}");
  tool_run_release(&run);
}

SLI_TEST(test_hosts_without_numbers_get_equal_shares) {
  tool_run_t run;
  const char *file = tool_scratch("hosts");
  tool_write_file(file, "h1  # the first\n\nh2\n", 19);
  RUN(&run, "--hostfile", file, "--ps=1", "--workers=3", "--chief", "--", "sh", "-c", "echo on $HOST_OF_TEST");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "[ps 0@h1] on h1\n");
  SLI_EXPECT_CONTAINS(run.out, "[chief 0@h1] on h1\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0@h1] on h1\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 2@h2] on h2\n");
  tool_run_release(&run);
}

SLI_TEST(test_bad_hosts_are_refused) {
  expect_usage_error("h1:0", "the number of tasks in 'h1:0' must be 1 to 1000, got '0'");
  expect_usage_error("h1,-oProxyCommand=x", "'-oProxyCommand=x' is not a name of a host");
  expect_usage_error("h1;reboot", "is not a name of a host");
  expect_usage_error("", "'' is not a name of a host");
  tool_run_t run;
  const char *file = tool_scratch("hosts");
  tool_write_file(file, "h1\nh2 cores=4\n", 14);
  RUN(&run, "--hostfile", file, "--", "true");
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_CONTAINS(run.err, "hosts:2: after the name there may only be slots=N, got 'cores=4'");
  tool_run_release(&run);
  RUN(&run, "--hosts=h1:1,h2:1", "--workers=3", "--", "true");
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.err, "3 tasks do not fit on hosts that take 2");
  tool_run_release(&run);
  RUN(&run, "--hosts=h1,closed", "--workers=2", "--", "true");
  SLI_EXPECT_INT(run.code, 255);
  SLI_EXPECT_CONTAINS(run.err, "cannot reach closed by ssh: closed: Permission denied (publickey).; ssh must reach it");
  tool_run_release(&run);
  RUN(&run, "--hosts=h1", "--directory=/no/such/place", "--", "true");
  SLI_EXPECT_INT(run.code, 127);
  SLI_EXPECT_CONTAINS(run.err, "worker 0@h1: cannot enter the directory '/no/such/place' on this host");
  tool_run_release(&run);
}

SLI_TEST(test_environment_and_token_are_passed) {
  tool_run_t run;
  setenv("JUST_A_TEST", "some value", 1);
  static const char program[] =
      "echo ${#SLUICE_TOKEN} $JUST_A_TEST $SLUICE_TOKEN_FILE $# \"$1\" \"$2\"; printf 'no end'";
  RUN(&run, "--hosts=h1", "--", "sh", "-c", program, "sh", "", "a 'b'");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "[worker 0@h1] 64 some value 2  a 'b'\n[worker 0@h1] no end\n");
  tool_run_release(&run);
  RUN(&run, "--hosts=h1", "--no-token", "--", "sh", "-c", program);
  SLI_EXPECT_CONTAINS(run.out, "[worker 0@h1] 0 some value 0");
  tool_run_release(&run);
  unsetenv("JUST_A_TEST");
}

SLI_TEST(test_how_tasks_end_is_known) {
  tool_run_t run;
  RUN(&run, "--hosts=h1,h2", "--workers=2", "--", "sh", "-c", "[ $RANK = 0 ] && exec sleep 100; kill -SEGV $$");
  SLI_EXPECT_INT(run.code, 139);
  SLI_EXPECT_CONTAINS(run.err, "worker 1@h2 failed first, with SIGSEGV");
  tool_run_release(&run);
  RUN(&run, "--hosts=h1,h2", "--workers=2", "--max-restarts=1", "--", "sh", "-c",
      "echo try $SLUICE_RESTART_COUNT; [ $SLUICE_RESTART_COUNT = 1 ] || exit 129");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "[worker 1@h2] try 1\n");
  tool_run_release(&run);
}

// Each task leaves a child in a session of its own, which no signal to the task's group reaches.
#define LEAVE "echo $$ >> $0; setsid sleep 1000 & echo $! >> $0; "

SLI_TEST(test_a_signal_stops_the_tasks_of_all_hosts) {
  const char *pids = tool_scratch("pids");
  tool_run_t run;
  unlink(pids);
  START(&run, "--hosts=h1,h2", "--ps=1", "--workers=2", "--", "sh", "-c",
        LEAVE "trap 'echo saved; exit 0' TERM; while :; do sleep 0.1; done", pids);
  SLI_EXPECT(tool_wait_for_lines(pids, 6));
  kill(run.pid, SIGTERM);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 128 + SIGTERM);
  const char *first = strstr(run.out, "[worker 1@h2] saved"), *second = strstr(run.out, "[worker 0@h1] saved");
  SLI_EXPECT(first && second && first < second && strstr(second, "[ps 0@h1] saved"));
  tool_expect_all_gone(pids, 6);
  tool_run_release(&run);
}

SLI_TEST(test_tasks_end_with_the_launcher) {
  const char *pids = tool_scratch("pids");
  tool_run_t run;
  unlink(pids);
  START(&run, "--hosts=h1,h2", "--workers=2", "--", "sh", "-c", LEAVE "sleep 1000", pids);
  SLI_EXPECT(tool_wait_for_lines(pids, 4));
  kill(run.pid, SIGKILL);
  tool_finish(&run);
  tool_expect_all_gone(pids, 4);
  tool_run_release(&run);
}

// The agent is the parent of the task, or its parent: the two processes of the agent guard each other.
static void kill_agent(const char *parents) {
  const char *pids = tool_scratch("pids"), *agents = tool_scratch("agents");
  tool_run_t run;
  unlink(pids);
  unlink(agents);
  char program[1024];
  snprintf(program, sizeof(program), LEAVE "[ $RANK = 0 ] || { a=$PPID; %s echo $a > $1; }; sleep 1000", parents);
  START(&run, "--hosts=h1,h2", "--workers=2", "--", "sh", "-c", program, pids, agents);
  SLI_EXPECT(tool_wait_for_lines(pids, 4) && tool_wait_for_lines(agents, 1));
  char *agent = tool_read_text(agents);
  kill((pid_t)strtol(agent, NULL, 10), SIGKILL);
  free(agent);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 255);
  SLI_EXPECT_CONTAINS(run.err, "lost the host h2: ");
  SLI_EXPECT_CONTAINS(run.err, "worker 1@h2 failed first, with exit code 255");
  tool_expect_all_gone(pids, 4);
  tool_run_release(&run);
}

SLI_TEST(test_the_job_ends_with_an_agent) {
  kill_agent("");
  kill_agent("a=$(cut -d' ' -f4 /proc/$a/stat);");
}

// --- Slurm ---

SLI_TEST(test_a_slurm_job_is_launched_by_srun) {
  char directory[4096], path[8192];
  snprintf(directory, sizeof(directory), "%s", tool_scratch("bin"));
  mkdir(directory, 0755);
  snprintf(path, sizeof(path), "%s/srun", directory);
  write_script(
      path,
      "#!/bin/sh\n"
      "while :; do case $1 in --nodelist=*) export HOST_OF_TEST=${1#*=};; --*) ;; *) break;; esac; shift; done\n"
      "exec \"$@\"\n");
  char *old = strdup(getenv("PATH"));
  snprintf(path, sizeof(path), "%s:%s", directory, old);
  setenv("PATH", path, 1);
  setenv("SLURM_JOB_ID", "7", 1);
  setenv("SLURM_JOB_NODELIST", "n[08-10,12],login,r[1-2]c[1-2]", 1);
  setenv("SLURM_NTASKS", "15", 1);
  setenv("SLURM_TASKS_PER_NODE", "2(x4),1,3,1(x3)", 1);
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--ps=1", "--", "sh", "-c", "echo on $HOST_OF_TEST");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "[ps 0@n08] on n08\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 1@n09] on n09\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 6@n12] on n12\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 7@login] on login\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 10@r1c1] on r1c1\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 13@r2c2] on r2c2\n");
  SLI_EXPECT(!strstr(run.out, "[worker 14"));
  tool_run_release(&run);
  TOOL_RUN(&run, "launch", "--local", "--", "sh", "-c", "echo on $HOST_OF_TEST.");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] on .\n");
  tool_run_release(&run);
  setenv("SLURM_JOB_NODELIST", "n[1-", 1);
  TOOL_RUN(&run, "launch", "--", "true");
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_CONTAINS(run.err, "which is not a list of nodes");
  tool_run_release(&run);
  setenv("PATH", old, 1);
  free(old);
  const char *const names[] = {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_NTASKS", "SLURM_TASKS_PER_NODE"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) unsetenv(names[i]);
}

SLI_TEST(test_an_agent_survives_any_input) {
  tool_run_t run;
  const char *file = tool_scratch("bytes");
  char script[4096];
  snprintf(script, sizeof(script),
           "for n in 1 2 3 4 5 6 7 8; do head -c $((n * 999)) /dev/urandom > %s; %s agent < %s "
           "> /dev/null || exit 1; done",
           file, tool_path(), file);
  // START without a NUL, with a count that is too large; a signal for a task that is not there.
  TOOL_RUN(&run, "launch", "--", "sh", "-c", script);
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  TOOL_RUN(&run, "launch", "--", "sh", "-c",
           "printf '\\002\\0\\0\\0\\0\\006\\0\\0\\0x\\0"
           "99999\\003\\001\\0\\0\\0\\0\\0\\0\\0' | \"$0\" agent | tr '\\0' '\\n'",
           tool_path());
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "the launcher sent a task without a program");
  tool_run_release(&run);
}

SLI_TEST_MAIN(test_tasks_are_put_on_hosts, test_hosts_without_numbers_get_equal_shares, test_bad_hosts_are_refused,
              test_environment_and_token_are_passed, test_how_tasks_end_is_known,
              test_a_signal_stops_the_tasks_of_all_hosts, test_tasks_end_with_the_launcher,
              test_the_job_ends_with_an_agent, test_a_slurm_job_is_launched_by_srun, test_an_agent_survives_any_input)
