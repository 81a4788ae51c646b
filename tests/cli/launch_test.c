// `sluice launch` with shell scripts as tasks: what it passes to them, what it shows of their output, how it ends, and
// that no process is left behind.
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/support/tool.h"

enum { PATIENCE_MILLIS = 60000 };
#define NEVER_OVER "200"  // a grace period longer than a test may take: a launcher that waits for it fails the test

// --- Running the tool ---

#define START(run, ...) tool_start(run, -1, (const char *const[]){__VA_ARGS__, NULL})
#define RUN(run, ...) TOOL_RUN(run, __VA_ARGS__)

// Waits until the process is stopped (or, if not |stopped|, is not).
static bool wait_for_stop(pid_t pid, bool stopped) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  while ((tool_process_state(pid) == 'T') != stopped && sli_clock_now_nanos() < deadline) usleep(5000);
  return (tool_process_state(pid) == 'T') == stopped;
}

static void remove_file(const char *path) { unlink(path); }

static int count_text(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) count++;
  return count;
}

// Shell code: true in a ps task; and a wait that a signal ends.
#define IS_PS "case $TF_CONFIG in *'\"type\": \"ps\"'*) true;; *) false;; esac"
#define WAIT_LONG "{ sleep 100 & wait; }"

// --- What is passed to the tasks ---

// The TF_CONFIG that the task with that label printed; new reference or NULL.
static json_t *config_of(const tool_run_t *run, const char *label) {
  char prefix[64];
  snprintf(prefix, sizeof(prefix), "[%s] config ", label);
  const char *line = strstr(run->out, prefix);
  if (!line) return NULL;
  line += strlen(prefix);
  return json_loadb(line, strcspn(line, "\n"), 0, NULL);
}

static void expect_task(json_t *config, const char *type, int index) {
  json_t *task = json_object_get(config, "task");
  SLI_EXPECT_TEXT(json_string_value(json_object_get(task, "type")), type);
  SLI_EXPECT(json_is_integer(json_object_get(task, "index")));
  SLI_EXPECT_INT(json_integer_value(json_object_get(task, "index")), index);
}

static size_t job_size(json_t *config, const char *job) {
  return json_array_size(json_object_get(json_object_get(config, "cluster"), job));
}

SLI_TEST(test_launch_tells_each_task_its_place) {
  tool_run_t run;
  RUN(&run, "launch", "--ps", "1", "--workers=2", "--", "sh", "-c",
      "echo config $TF_CONFIG; echo rank $RANK $LOCAL_RANK $WORLD_SIZE $SLUICE_RESTART_COUNT $SLUICE_EXIT_WITH_JOB");
  SLI_EXPECT_INT(run.code, 0);
  json_t *ps = config_of(&run, "ps 0"), *worker = config_of(&run, "worker 1");
  expect_task(ps, "ps", 0);
  expect_task(worker, "worker", 1);
  SLI_EXPECT(json_equal(json_object_get(ps, "cluster"), json_object_get(worker, "cluster")));
  SLI_EXPECT_INT(json_object_size(json_object_get(ps, "cluster")), 2);
  SLI_EXPECT_INT(job_size(ps, "ps"), 1);
  SLI_EXPECT_INT(job_size(ps, "worker"), 2);
  SLI_EXPECT_CONTAINS(run.out, "[ps 0] rank 0 0 1 0 1\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] rank 0 0 2 0 1\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 1] rank 1 1 2 0 1\n");
  json_decref(ps);
  json_decref(worker);
  tool_run_release(&run);
}

SLI_TEST(test_launch_chief_counts_as_worker_and_evaluator_stays_outside) {
  tool_run_t run;
  RUN(&run, "launch", "--chief", "--evaluator", "--workers", "1", "--", "sh", "-c",
      "echo config $TF_CONFIG; echo rank $RANK $WORLD_SIZE");
  SLI_EXPECT_INT(run.code, 0);
  json_t *evaluator = config_of(&run, "evaluator 0");
  expect_task(evaluator, "evaluator", 0);
  SLI_EXPECT_INT(json_object_size(json_object_get(evaluator, "cluster")), 2);
  SLI_EXPECT_INT(job_size(evaluator, "chief"), 1);
  SLI_EXPECT_INT(job_size(evaluator, "worker"), 1);
  SLI_EXPECT_CONTAINS(run.out, "[chief 0] rank 0 2\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] rank 1 2\n");
  json_decref(evaluator);
  tool_run_release(&run);
}

SLI_TEST(test_launch_alone_gives_one_worker_of_its_own) {
  tool_run_t run;
  setenv("TF_CONFIG", "stale", 1);
  RUN(&run, "launch", "sh", "-c", "echo config $TF_CONFIG");
  unsetenv("TF_CONFIG");
  SLI_EXPECT_INT(run.code, 0);
  json_t *config = config_of(&run, "worker 0");
  SLI_EXPECT_INT(json_object_size(json_object_get(config, "cluster")), 1);
  SLI_EXPECT_INT(job_size(config, "worker"), 1);
  json_decref(config);
  tool_run_release(&run);
}

SLI_TEST(test_launch_ports_are_distinct_and_free) {
  tool_run_t run;
  RUN(&run, "launch", "--workers", "20", "--quiet", "--", "sh", "-c", "echo config $TF_CONFIG");
  json_t *config = config_of(&run, "worker 7");
  json_t *workers = json_object_get(json_object_get(config, "cluster"), "worker");
  SLI_EXPECT_INT(json_array_size(workers), 20);
  for (size_t i = 0; i < json_array_size(workers); i++) {
    const char *address = json_string_value(json_array_get(workers, i));
    SLI_EXPECT(address && sli_string_starts_with(address, "localhost:") && atoi(address + 10) >= 1024);
    for (size_t j = 0; j < i; j++) SLI_EXPECT(strcmp(address, json_string_value(json_array_get(workers, j))) != 0);
  }
  json_decref(config);
  tool_run_release(&run);
}

SLI_TEST(test_launch_appends_classic_flags) {
  tool_run_t run;
  RUN(&run, "launch", "--ps", "1", "--workers", "2", "--classic-flags", "--", "echo", "--steps=3");
  int port[3], end = 0;
  const char *line = strstr(run.out, "[worker 1] ");
  SLI_EXPECT(line &&
             sscanf(line,
                    "[worker 1] --steps=3 --ps_hosts=localhost:%d --worker_hosts=localhost:%d,localhost:%d "
                    "--job_name=worker --task_index=1%n",
                    &port[0], &port[1], &port[2], &end) == 3 &&
             end > 0 && line[end] == '\n');
  tool_run_release(&run);
  RUN(&run, "launch", "--classic-flags=task_id", "--", "echo");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] --ps_hosts= --worker_hosts=localhost:");
  SLI_EXPECT_CONTAINS(run.out, " --job_name=worker --task_id=0\n");
  tool_run_release(&run);
}

// --- What is shown of them ---

SLI_TEST(test_launch_prefixes_whole_lines_and_keeps_streams_apart) {
  tool_run_t run;
  RUN(&run, "launch", "--workers", "3", "--", "sh", "-c",
      "for i in 1 2 3 4 5; do printf begin; sleep 0.02; echo end; done; printf 'dos\\r\\n'; echo oops >&2; printf "
      "last");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_INT(count_text(run.out, "begin"), 15);
  for (int i = 0; i < 3; i++) {
    char line[64];
    snprintf(line, sizeof(line), "[worker %d] beginend\n", i);
    SLI_EXPECT_INT(count_text(run.out, line), 5);
    snprintf(line, sizeof(line), "[worker %d] dos\n", i);
    SLI_EXPECT_CONTAINS(run.out, line);
    snprintf(line, sizeof(line), "[worker %d] last\n", i);
    SLI_EXPECT_CONTAINS(run.out, line);
    snprintf(line, sizeof(line), "[worker %d] oops\n", i);
    SLI_EXPECT_CONTAINS(run.err, line);
  }
  SLI_EXPECT(!strstr(run.out, "oops") && !strstr(run.out, "\033") && !strstr(run.err, "\033"));
  tool_run_release(&run);
}

SLI_TEST(test_launch_thins_out_rewritten_lines) {
  tool_run_t run;
  RUN(&run, "launch", "--", "sh", "-c",
      "i=0; while [ $i -lt 300 ]; do printf '\\rstep %d' $i; i=$((i+1)); done; echo ' done'");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] step 299 done\n");
  SLI_EXPECT(count_text(run.out, "\n") < 10);
  tool_run_release(&run);
}

SLI_TEST(test_launch_shows_all_of_much_output) {
  tool_run_t run;
  RUN(&run, "launch", "--workers", "2", "--quiet", "--", "seq", "100000");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_INT(count_text(run.out, "\n"), 200000);
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] 100000\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 1] 100000\n");
  tool_run_release(&run);
}

SLI_TEST(test_launch_logs_each_task_to_its_file) {
  tool_run_t run;
  const char *directory = tool_scratch("logs/deep");
  RUN(&run, "launch", "--ps", "1", "--workers", "2", "--log-dir", directory, "--", "sh", "-c",
      "echo out $RANK; echo err $RANK >&2");
  SLI_EXPECT_INT(run.code, 0);
  char *worker = tool_read_text(tool_scratch("logs/deep/latest/worker-1.log")),
       *ps = tool_read_text(tool_scratch("logs/deep/latest/ps-0.log"));
  SLI_EXPECT_CONTAINS(worker, "out 1\n");
  SLI_EXPECT_CONTAINS(worker, "err 1\n");
  SLI_EXPECT_INT(strlen(worker), 12);
  SLI_EXPECT_CONTAINS(ps, "out 0\n");
  free(worker);
  free(ps);
  tool_run_release(&run);
}

SLI_TEST(test_launch_keeps_the_logs_of_earlier_runs) {
  const char *directory = tool_scratch("logs-kept");
  char *paths[3];
  for (int i = 0; i < 3; i++) {  // more than one in a second
    tool_run_t run;
    char number[] = {(char)('0' + i), '\0'};
    RUN(&run, "launch", "--log-dir", directory, "--", "echo", number);
    SLI_EXPECT_INT(run.code, 0);
    const char *said = strstr(run.err, "sluice: the logs of this run are in "), *path = said ? strchr(said, '/') : "";
    paths[i] = sli_strndup(path, strcspn(path, "\n"));
    tool_run_release(&run);
  }
  for (int i = 0; i < 3; i++) {
    char *text = tool_read_text(tool_path_in(paths[i], "worker-0.log"));
    char line[] = {(char)('0' + i), '\n', '\0'};
    SLI_EXPECT_TEXT(text, line);
    free(text);
    free(paths[i]);
  }
  char *latest = tool_read_text(tool_path_in(directory, "latest/worker-0.log"));
  SLI_EXPECT_TEXT(latest, "2\n");
  free(latest);
}

SLI_TEST(test_launch_refuses_unwritable_log_dir_before_starting) {
  tool_run_t run;
  const char *marker = tool_scratch("marker");
  RUN(&run, "launch", "--log-dir", "/dev/null/logs", "--", "touch", marker);
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.err, "sluice: cannot write logs to '/dev/null/logs': ");
  SLI_EXPECT_INT(count_text(run.err, "\n"), 1);
  SLI_EXPECT(access(marker, F_OK) != 0);
  tool_run_release(&run);
}

// Runs on a pseudo-terminal; returns what it showed there.
static char *run_on_terminal(tool_run_t *run) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  SLI_CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  SLI_CHECK(terminal >= 0);
  tool_start(run, terminal, (const char *const[]){"launch", "--workers", "2", "--", "echo", "hello", NULL});
  close(terminal);
  sli_string_t shown = {0};
  char buffer[4096];
  for (ssize_t count; (count = read(master, buffer, sizeof(buffer))) > 0;)
    sli_string_append(&shown, buffer, (size_t)count);
  close(master);
  tool_finish(run);
  return sli_string_take(&shown);
}

SLI_TEST(test_launch_colours_labels_on_a_terminal_only_if_wanted) {
  tool_run_t run;
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  char *shown = run_on_terminal(&run);
  SLI_EXPECT_CONTAINS(shown, "\033[36m[worker 0]\033[0m hello");
  SLI_EXPECT_CONTAINS(shown, "\033[33m[worker 1]\033[0m hello");
  free(shown);
  tool_run_release(&run);
  setenv("NO_COLOR", "1", 1);
  shown = run_on_terminal(&run);
  SLI_EXPECT_CONTAINS(shown, "[worker 0] hello");
  SLI_EXPECT(!strchr(shown, '\033'));
  SLI_EXPECT_CONTAINS(shown, "sluice: to watch them: sluice status localhost:");
  free(shown);
  tool_run_release(&run);
  unsetenv("NO_COLOR");
}

// --- How a job ends ---

SLI_TEST(test_launch_ends_with_a_table_unless_quiet) {
  tool_run_t run;
  RUN(&run, "launch", "--ps", "1", "--workers", "1", "--", "true");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.err, "task           exit     restarts       time\nps 0           0               0 ");
  SLI_EXPECT_CONTAINS(run.err, "\nworker 0       0               0 ");
  tool_run_release(&run);
  RUN(&run, "launch", "--quiet", "--", "true");
  SLI_EXPECT_TEXT(run.err, "");
  tool_run_release(&run);
}

SLI_TEST(test_launch_first_failure_stops_all_and_is_told) {
  tool_run_t run;
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  RUN(&run, "launch", "--ps", "1", "--workers", "2", "--stop-grace", NEVER_OVER, "--", "sh", "-c",
      "echo $$ >> $PIDS; if " IS_PS " || [ $RANK = 0 ]; then " WAIT_LONG
      "; fi;"
      "while [ $(wc -l < $PIDS) -lt 3 ]; do sleep 0.01; done;"
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; done; echo 'loss is NaN' >&2; exit 3");
  SLI_EXPECT_INT(run.code, 3);
  SLI_EXPECT_CONTAINS(run.err, "sluice: worker 1 failed first, with exit code 3; its last lines:\n    line ");
  SLI_EXPECT_CONTAINS(run.err, "    loss is NaN\n");
  SLI_EXPECT_CONTAINS(run.err, "    line 12\n");
  SLI_EXPECT(!strstr(run.err, "    line 2\n"));
  SLI_EXPECT_CONTAINS(run.err, "ps 0           SIGTERM ");
  tool_expect_all_gone(pids, 3);
  tool_run_release(&run);
}

// Worker 1 dies; the others end when its pid is gone.
#define OUTLIVE_WORKER_1                   \
  "if [ $RANK = 1 ] && ! { " IS_PS         \
  "; }; then echo bye; kill -KILL $$; fi;" \
  "echo working; while [ ! -e $GO ]; do sleep 0.01; done; echo done"

SLI_TEST(test_launch_keeps_going_without_a_dead_worker) {
  static const char *const options[] = {"--keep-going", "--keep-going=fail"};
  for (int i = 0; i < 2; i++) {
    const char *go = tool_scratch("go"), *err_path = tool_scratch("err");
    remove_file(go);
    setenv("GO", go, 1);
    tool_run_t run;
    START(&run, "launch", "--ps", "1", "--workers", "3", options[i], "--", "sh", "-c", OUTLIVE_WORKER_1);
    int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
    for (bool told = false; !told && sli_clock_now_nanos() < deadline; usleep(5000)) {
      char *err = tool_read_text(err_path);
      told = strstr(err, "sluice: worker 1 ended with SIGKILL (Killed); the job goes on without it\n");
      free(err);
    }
    tool_write_file(go, "", 0);
    tool_finish(&run);
    SLI_EXPECT_INT(run.code, i ? 128 + SIGKILL : 0);
    SLI_EXPECT_CONTAINS(run.out, "[worker 0] done\n");
    SLI_EXPECT_CONTAINS(run.out, "[worker 2] done\n");
    SLI_EXPECT_CONTAINS(run.out, "[ps 0] done\n");
    SLI_EXPECT_CONTAINS(run.err, "sluice: worker 1 died, with SIGKILL (Killed); its last lines:\n    bye\n");
    SLI_EXPECT_CONTAINS(run.err, "worker 1       SIGKILL ");
    SLI_EXPECT_CONTAINS(run.err, "s  died\n");
    SLI_EXPECT(!strstr(run.err, "failed first"));
    tool_run_release(&run);
  }
}

SLI_TEST(test_launch_needs_its_chief_and_its_ps_to_keep_going) {
  tool_run_t run;
  RUN(&run, "launch", "--workers", "2", "--keep-going", "--", "sh", "-c", "[ $RANK = 1 ] && " WAIT_LONG "; exit 5");
  SLI_EXPECT_INT(run.code, 5);
  SLI_EXPECT_CONTAINS(run.err, "sluice: worker 0 failed first, with exit code 5");
  tool_run_release(&run);
  RUN(&run, "launch", "--ps", "1", "--workers", "2", "--keep-going", "--", "sh", "-c",
      "if " IS_PS "; then exit 7; fi;" WAIT_LONG);
  SLI_EXPECT_INT(run.code, 7);
  SLI_EXPECT_CONTAINS(run.err, "sluice: ps 0 failed first, with exit code 7");
  tool_run_release(&run);
  RUN(&run, "launch", "--chief", "--workers", "1", "--keep-going", "--max-restarts", "1", "--", "sh", "-c",
      "case $TF_CONFIG in *'\"type\": \"chief\"'*) exit 0;; esac; echo run $SLUICE_RESTART_COUNT; exit 130");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] run 0\n[worker 0] run 1\n");
  SLI_EXPECT_CONTAINS(run.err, "sluice: worker 0 died, with exit code 130; its last lines:\n");
  tool_run_release(&run);
  RUN(&run, "launch", "--keep-going=maybe", "--", "true");
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_CONTAINS(run.err, "--keep-going");
  tool_run_release(&run);
}

SLI_TEST(test_launch_kills_those_that_ignore_the_request) {
  tool_run_t run;
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  RUN(&run, "launch", "--workers", "2", "--stop-grace", "0.3", "--", "sh", "-c",
      "if [ $RANK = 0 ]; then trap '' TERM; echo $$ >> $PIDS; while :; do sleep 0.1; done; fi;"
      "while [ ! -s $PIDS ]; do sleep 0.01; done; exit 4");
  SLI_EXPECT_INT(run.code, 4);
  SLI_EXPECT_CONTAINS(run.err, "worker 0       SIGKILL ");
  SLI_EXPECT(run.seconds > 0.3);
  tool_expect_all_gone(pids, 1);
  tool_run_release(&run);
}

SLI_TEST(test_launch_gives_128_plus_the_signal_of_a_crash) {
  tool_run_t run;
  RUN(&run, "launch", "--", "sh", "-c", "kill -SEGV $$");
  SLI_EXPECT_INT(run.code, 128 + SIGSEGV);
  SLI_EXPECT_CONTAINS(run.err, "worker 0 failed first, with SIGSEGV (Segmentation fault); it printed nothing");
  tool_run_release(&run);
}

SLI_TEST(test_launch_failing_ps_fails_the_job) {
  tool_run_t run;
  RUN(&run, "launch", "--ps", "1", "--workers", "1", "--", "sh", "-c", "if " IS_PS "; then exit 7; fi;" WAIT_LONG);
  SLI_EXPECT_INT(run.code, 7);
  SLI_EXPECT_CONTAINS(run.err, "sluice: ps 0 failed first, with exit code 7");
  tool_run_release(&run);
}

SLI_TEST(test_launch_waits_for_ps_after_the_workers) {
  tool_run_t run;
  RUN(&run, "launch", "--ps", "1", "--workers", "1", "--", "sh", "-c", "if " IS_PS "; then sleep 0.5; echo saved; fi");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "[ps 0] saved\n");
  SLI_EXPECT_CONTAINS(run.err, "ps 0           0 ");
  tool_run_release(&run);
}

SLI_TEST(test_launch_ends_a_ps_that_never_does) {
  tool_run_t run;
  RUN(&run, "launch", "--ps", "1", "--workers", "1", "--ps-grace", "0.3", "--", "sh", "-c",
      "if " IS_PS "; then " WAIT_LONG "; fi");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT(run.seconds > 0.3);
  SLI_EXPECT(!strstr(run.err, "failed"));
  tool_run_release(&run);
}

SLI_TEST(test_launch_timeout_gives_124) {
  tool_run_t run;
  RUN(&run, "launch", "--workers", "2", "--timeout", "3", "--", "sh", "-c", "[ $RANK = 1 ] || " WAIT_LONG);
  SLI_EXPECT_INT(run.code, 124);
  SLI_EXPECT_CONTAINS(run.err, "sluice: timed out after 3 s; still running: worker 0\n");
  tool_run_release(&run);
}

SLI_TEST(test_launch_restarts_what_is_worth_it) {
  tool_run_t run;
  RUN(&run, "launch", "--max-restarts", "2", "--", "sh", "-c",
      "echo run $SLUICE_RESTART_COUNT; case $SLUICE_RESTART_COUNT in 0) kill -KILL $$;; 1) exit 129;; esac");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] run 0\n[worker 0] run 1\n[worker 0] run 2\n");
  SLI_EXPECT_CONTAINS(run.err, "worker 0 ended with SIGKILL (Killed); restart 1 of 2 in 0.5 s");
  SLI_EXPECT_CONTAINS(run.err, "worker 0 ended with exit code 129; restart 2 of 2 in 1 s");
  SLI_EXPECT_CONTAINS(run.err, "worker 0       0               2 ");
  SLI_EXPECT(run.seconds > 1.5);
  tool_run_release(&run);
}

SLI_TEST(test_launch_does_not_restart_what_the_user_must_fix) {
  tool_run_t run;
  RUN(&run, "launch", "--max-restarts", "5", "--", "sh", "-c", "echo run $SLUICE_RESTART_COUNT; exit 3");
  SLI_EXPECT_INT(run.code, 3);
  SLI_EXPECT_TEXT(run.out, "[worker 0] run 0\n");
  tool_run_release(&run);
  RUN(&run, "launch", "--max-restarts", "1", "--", "sh", "-c", "echo run $SLUICE_RESTART_COUNT; exit 200");
  SLI_EXPECT_INT(run.code, 200);
  SLI_EXPECT_TEXT(run.out, "[worker 0] run 0\n[worker 0] run 1\n");
  tool_run_release(&run);
}

SLI_TEST(test_launch_goes_on_when_its_reader_leaves) {
  int ends[2];
  SLI_REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const char *marker = tool_scratch("finished");
  remove_file(marker);
  setenv("MARKER", marker, 1);
  tool_run_t run;
  tool_start(&run, ends[1], (const char *const[]){"launch", "--", "sh", "-c", "seq 100000; echo done > $MARKER", NULL});
  close(ends[1]);
  close(ends[0]);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT(access(marker, F_OK) == 0);
  tool_run_release(&run);
}

// --- Signals and orphans ---

// Tasks that write their numbers, say which signal they got, and end.
#define SIGNAL_SCRIPT                                                                                              \
  "trap 'sleep 0.1; echo got INT; kill $!; exit 0' INT; trap 'sleep 0.1; echo got TERM; exit 0' TERM; echo $$ >> " \
  "$PIDS;" WAIT_LONG

// Sends the signal twice in quick succession, as timeout(1) does, which counts as one. Returns how many of three tasks
// ended by themselves.
static int signal_twice(int number, const char *text) {
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  tool_run_t run;
  START(&run, "launch", "--ps", "1", "--workers", "2", "--", "sh", "-c", SIGNAL_SCRIPT);
  SLI_EXPECT(tool_wait_for_lines(pids, 3));
  kill(run.pid, number);
  usleep(20000);
  kill(run.pid, number);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 128 + number);
  int count = count_text(run.out, text);
  SLI_EXPECT(!strstr(run.err, "failed first"));
  tool_expect_all_gone(pids, 3);
  tool_run_release(&run);
  return count;
}

SLI_TEST(test_launch_passes_signals_on) {
  static const struct {
    int number;
    const char *text;
  } cases[] = {{SIGINT, "got INT\n"}, {SIGTERM, "got TERM\n"}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    // On a busy machine the second may arrive so late that it counts as another request.
    int count = 0;
    for (int attempt = 0; attempt < 5 && count < 3; attempt++) count = signal_twice(cases[i].number, cases[i].text);
    SLI_EXPECT_INT(count, 3);
  }
}

SLI_TEST(test_launch_stops_workers_then_the_chief_then_the_ps) {
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  tool_run_t run;
  START(&run, "launch", "--ps", "1", "--chief", "--workers", "2", "--stop-grace", NEVER_OVER, "--", "sh", "-c",
        "stop() { " IS_PS
        " || sleep 0.5; echo stopped; exit 0; }; trap stop TERM; echo $$ >> $PIDS;"
        "while :; do sleep 0.1; done");
  SLI_EXPECT(tool_wait_for_lines(pids, 4));
  kill(run.pid, SIGTERM);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 128 + SIGTERM);
  const char *worker0 = strstr(run.out, "[worker 0] stopped"), *worker1 = strstr(run.out, "[worker 1] stopped");
  const char *chief = strstr(run.out, "[chief 0] stopped"), *ps = strstr(run.out, "[ps 0] stopped");
  SLI_EXPECT(worker0 && worker1 && chief && ps);
  SLI_EXPECT(worker0 < chief && worker1 < chief && chief < ps);
  SLI_EXPECT_CONTAINS(run.err, "SIGTERM: stopping worker 0, worker 1, then chief 0, then ps 0; each may take 200 s");
  tool_expect_all_gone(pids, 4);
  tool_run_release(&run);
}

SLI_TEST(test_launch_stops_and_continues_with_its_tasks) {
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  tool_run_t run;
  START(&run, "launch", "--workers", "1", "--", "sh", "-c", SIGNAL_SCRIPT);
  SLI_EXPECT(tool_wait_for_lines(pids, 1));
  char *text = tool_read_text(pids);
  pid_t task = atoi(text);
  free(text);
  kill(run.pid, SIGTSTP);
  SLI_EXPECT(wait_for_stop(run.pid, true));
  SLI_EXPECT(wait_for_stop(task, true));
  kill(run.pid, SIGCONT);
  SLI_EXPECT(wait_for_stop(task, false));
  kill(run.pid, SIGTERM);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 128 + SIGTERM);
  tool_expect_all_gone(pids, 1);
  tool_run_release(&run);
}

SLI_TEST(test_launch_ends_on_a_signal_though_nobody_reads) {
  int ends[2];
  SLI_REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  tool_run_t run;
  tool_start(&run, ends[1],
             (const char *const[]){"launch", "--workers", "2", "--stop-grace", NEVER_OVER, "--", "sh", "-c",
                                   "echo $$ >> $PIDS; exec yes", NULL});
  close(ends[1]);
  SLI_EXPECT(tool_wait_for_lines(pids, 2));
  usleep(200000);
  kill(run.pid, SIGTERM);
  tool_finish(&run);
  close(ends[0]);
  SLI_EXPECT_INT(run.code, 128 + SIGTERM);
  tool_expect_all_gone(pids, 2);
  tool_run_release(&run);
}

SLI_TEST(test_launch_second_signal_kills_at_once) {
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  tool_run_t run;
  START(&run, "launch", "--workers", "2", "--stop-grace", NEVER_OVER, "--", "sh", "-c",
        "trap '' INT TERM; echo $$ >> $PIDS; while :; do sleep 0.1; done");
  SLI_EXPECT(tool_wait_for_lines(pids, 2));
  // Two that come close together count as one, so the second may need a third.
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  for (kill(run.pid, SIGINT), usleep(500000); tool_is_alive(run.pid) && sli_clock_now_nanos() < deadline;
       usleep(500000))
    kill(run.pid, SIGINT);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 128 + SIGINT);
  tool_expect_all_gone(pids, 2);
  tool_run_release(&run);
}

// A task with a child in its group, and one that left group and session.
#define FAMILY_SCRIPT                                                              \
  "trap '' INT TERM HUP; sleep 100 & echo $! >> $PIDS;"                            \
  "setsid sh -c 'trap \"\" TERM; echo $$ >> $PIDS; while :; do sleep 0.1; done' &" \
  "echo $$ >> $PIDS; while :; do sleep 0.1; done"

static pid_t supervisor_of(pid_t launcher) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)launcher, (int)launcher);
  char *text = tool_read_text(path);
  pid_t pid = atoi(text);
  free(text);
  return pid;
}

SLI_TEST(test_launch_killed_launcher_leaves_no_orphan) {
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  tool_run_t run;
  START(&run, "launch", "--ps", "1", "--workers", "2", "--", "sh", "-c", FAMILY_SCRIPT);
  SLI_EXPECT(tool_wait_for_lines(pids, 9));
  pid_t supervisor = supervisor_of(run.pid);
  SLI_EXPECT(supervisor > 0 && tool_is_alive(supervisor));
  kill(run.pid, SIGKILL);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, -SIGKILL);
  tool_expect_all_gone(pids, 9);
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  while (tool_is_alive(supervisor) && sli_clock_now_nanos() < deadline) usleep(5000);
  SLI_EXPECT(!tool_is_alive(supervisor));
  tool_run_release(&run);
}

SLI_TEST(test_launch_killed_supervisor_leaves_no_orphan) {
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  tool_run_t run;
  START(&run, "launch", "--workers", "2", "--", "sh", "-c", FAMILY_SCRIPT);
  SLI_EXPECT(tool_wait_for_lines(pids, 6));
  pid_t supervisor = supervisor_of(run.pid);
  SLI_REQUIRE(supervisor > 0);
  kill(supervisor, SIGKILL);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 128 + SIGKILL);
  SLI_EXPECT_CONTAINS(run.err, "sluice: the supervisor of the job was killed by SIGKILL");
  tool_expect_all_gone(pids, 6);
  tool_run_release(&run);
}

SLI_TEST(test_launch_ends_what_finished_tasks_left_behind) {
  const char *pids = tool_scratch("pids");
  remove_file(pids);
  setenv("PIDS", pids, 1);
  tool_run_t run;
  RUN(&run, "launch", "--workers", "1", "--stop-grace", NEVER_OVER, "--", "sh", "-c",
      "sleep 100 & echo $! >> $PIDS; setsid sleep 100 & echo $! >> $PIDS; exit 0");
  SLI_EXPECT_INT(run.code, 0);
  tool_expect_all_gone(pids, 2);
  tool_run_release(&run);
}

// --- Command lines and help ---

SLI_TEST(test_tool_refuses_bad_command_lines) {
  static const struct {
    const char *arguments[6];
    int code;
    const char *message;
  } cases[] = {
      {{"launch", "--ps", "many", "--", "true"}, 2, "--ps must be a whole number from 0 to 1000, got 'many'"},
      {{"launch", "--workers=-1", "--", "true"}, 2, "--workers must be a whole number"},
      {{"launch", "--timeout", "soon", "--", "true"}, 2, "--timeout must be a number"},
      {{"launch", "--wokers=2", "--", "true"},
       2,
       "unknown option --wokers for 'sluice launch'; did you mean --workers?"},
      {{"launch", "--classic-flags=rank", "true"}, 2, "--classic-flags must be task_index or task_id, got 'rank'"},
      {{"launch", "--classic-flags", "--chief", "true"}, 2, "--chief cannot be used with --classic-flags"},
      {{"launch", "--workers", "0", "--", "true"}, 2, "no tasks to launch"},
      {{"launch", "--ps", "1"}, 2, "no program to launch"},
      {{"launch", "--", "no-such-program"}, 127, "cannot find the program 'no-such-program' in PATH"},
      {{"launch", "--", "./no-such-program"}, 127, "cannot find the program './no-such-program'"},
      {{"launch", "--", "/etc/passwd"}, 126, "cannot run '/etc/passwd': Permission denied"},
      {{"lauch"}, 2, "unknown command 'lauch'; did you mean 'launch'?"},
      {{"--frob"}, 2, "unknown option --frob; see 'sluice --help'"},
      {{"help", "frobnicate"}, 2, "unknown command 'frobnicate'; see 'sluice --help'"},
      {{"completion", "tcsh"}, 2, "the shell must be bash or zsh, got 'tcsh'"},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    tool_run_t run;
    tool_start(&run, -1, cases[i].arguments);
    tool_finish(&run);
    SLI_EXPECT_INT(run.code, cases[i].code);
    SLI_EXPECT_CONTAINS(run.err, cases[i].message);
    SLI_EXPECT(sli_string_starts_with(run.err, "sluice: "));
    SLI_EXPECT_INT(count_text(run.err, "\n"), 1);
    SLI_EXPECT_TEXT(run.out, "");
    tool_run_release(&run);
  }
}

SLI_TEST(test_tool_explains_itself) {
  static const struct {
    const char *arguments[4];
    const char *text;
  } cases[] = {
      {{"--version"}, "sluice " SLUICE_VERSION "\n"},
      {{"--help"}, "\n  launch       Start a cluster"},
      {{"help"}, "\n  launch       Start a cluster"},
      {{"help", "launch"}, "Usage: sluice launch [OPTIONS] -- PROGRAM"},
      {{"launch", "--ps", "--help"}, "\n  --ps N                  number of parameter servers (default: 0)\n"},
      {{"completion", "bash"}, "complete -F _sluice sluice\n"},
      {{"completion", "zsh"}, "#compdef sluice\n"},
      {{"manual"}, ".BR sluice\\-launch (1)\n"},
      {{"manual", "launch"}, ".B \\-\\-max\\-restarts N\n"},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    tool_run_t run;
    tool_start(&run, -1, cases[i].arguments);
    tool_finish(&run);
    SLI_EXPECT_INT(run.code, 0);
    SLI_EXPECT_CONTAINS(run.out, cases[i].text);
    SLI_EXPECT_TEXT(run.err, "");
    tool_run_release(&run);
  }
}

SLI_TEST(test_completion_of_bash_offers_options) {
  tool_run_t run;
  const char *script =
      "eval \"$($0 completion bash)\"; COMP_WORDS=(sluice launch --max); COMP_CWORD=2; _sluice;"
      "echo offered ${COMPREPLY[*]}";
  RUN(&run, "launch", "--quiet", "--", "bash", "-c", script, tool_path());
  SLI_EXPECT_TEXT(run.out, "[worker 0] offered --max-restarts\n");
  tool_run_release(&run);
}

SLI_TEST_MAIN(test_launch_tells_each_task_its_place, test_launch_chief_counts_as_worker_and_evaluator_stays_outside,
              test_launch_alone_gives_one_worker_of_its_own, test_launch_ports_are_distinct_and_free,
              test_launch_appends_classic_flags, test_launch_prefixes_whole_lines_and_keeps_streams_apart,
              test_launch_thins_out_rewritten_lines, test_launch_shows_all_of_much_output,
              test_launch_logs_each_task_to_its_file, test_launch_keeps_the_logs_of_earlier_runs,
              test_launch_refuses_unwritable_log_dir_before_starting,
              test_launch_colours_labels_on_a_terminal_only_if_wanted, test_launch_ends_with_a_table_unless_quiet,
              test_launch_first_failure_stops_all_and_is_told, test_launch_keeps_going_without_a_dead_worker,
              test_launch_needs_its_chief_and_its_ps_to_keep_going, test_launch_kills_those_that_ignore_the_request,
              test_launch_gives_128_plus_the_signal_of_a_crash, test_launch_failing_ps_fails_the_job,
              test_launch_waits_for_ps_after_the_workers, test_launch_ends_a_ps_that_never_does,
              test_launch_timeout_gives_124, test_launch_restarts_what_is_worth_it,
              test_launch_does_not_restart_what_the_user_must_fix, test_launch_goes_on_when_its_reader_leaves,
              test_launch_passes_signals_on, test_launch_stops_workers_then_the_chief_then_the_ps,
              test_launch_stops_and_continues_with_its_tasks, test_launch_ends_on_a_signal_though_nobody_reads,
              test_launch_second_signal_kills_at_once, test_launch_killed_launcher_leaves_no_orphan,
              test_launch_killed_supervisor_leaves_no_orphan, test_launch_ends_what_finished_tasks_left_behind,
              test_tool_refuses_bad_command_lines, test_tool_explains_itself, test_completion_of_bash_offers_options)
