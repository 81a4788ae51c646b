// Stopping a job saves it: `sluice launch` with real trainers that is interrupted, and a ps that gets a signal while
// workers use it. The checkpoint must have the last step of every worker.
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "sluice/saver.h"
#include "tests/support/tool.h"
#include "tests/train/cluster.h"

enum { PATIENCE_MILLIS = 60000, MAX_ARGUMENTS = 32 };
#define ENDLESS "--steps=100000000", "--step_millis=2"

// --- A job of the launcher ---

typedef struct {
  const char *name;
  const char *const *options;  // of the launcher; ends with NULL
  const char *const *flags;    // of the trainer; ends with NULL
  const char *script;          // a shell script that runs "$@", the trainer; NULL: none
  int signal;                  // 0: the launcher ends the job by itself
  int code;                    // of the launcher
  const char *chief;           // the label of its lines
} job_t;

static char *log_dir_of(const job_t *job) { return sli_format("%s/stop-%s", sli_test_temporary_dir(), job->name); }

static void start(const job_t *job, tool_run_t *run) {
  static char self[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
  SLI_REQUIRE(size > 0);
  char *directory = log_dir_of(job), *log_dir = sli_format("--log_dir=%s", directory);
  const char *arguments[MAX_ARGUMENTS] = {"launch"};
  size_t count = 1;
  for (size_t i = 0; job->options[i]; i++) arguments[count++] = job->options[i];
  arguments[count++] = "--";
  const char *const shell[] = {"sh", "-c", job->script, "sh"};
  for (size_t i = 0; i < 4 && job->script; i++) arguments[count++] = shell[i];
  arguments[count++] = self;
  arguments[count++] = log_dir;
  for (size_t i = 0; job->flags[i]; i++) arguments[count++] = job->flags[i];
  setenv(TRAIN_TASK_MARK, "1", 1);
  tool_start(run, -1, arguments);
  unsetenv(TRAIN_TASK_MARK);
  free(log_dir);
  free(directory);
}

// Waits until every one of |labels| has printed |text|.
static bool wait_for_lines_of(const char *const *labels, const char *text) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  for (;; usleep(10000)) {
    char *said = tool_read_text(tool_scratch("err"));
    bool all = true;
    for (size_t i = 0; labels[i]; i++) {
      char *line = sli_format("[%s] %s", labels[i], text);
      all = all && strstr(said, line);
      free(line);
    }
    bool late = !all && sli_clock_now_nanos() >= deadline;
    if (late) sli_test_fail(__FILE__, __LINE__, "not all tasks said \"%s\" but:\n%s", text, said);
    free(said);
    if (all || late) return all;
  }
}

// The number after the last "[LABEL] … |key|"; -1 if there is none.
static long last_number(const char *said, const char *label, const char *key) {
  long number = -1;
  char *mark = sli_format("[%s] ", label);
  for (const char *line = said; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    const char *found = strncmp(line, mark, strlen(mark)) ? NULL : strstr(line, key);
    if (found && found < line + strcspn(line, "\n")) number = strtol(found + strlen(key), NULL, 10);
  }
  free(mark);
  return number;
}

// The number of lines "[LABEL] … |text|".
static int count_lines(const char *said, const char *label, const char *text) {
  int count = 0;
  char *mark = sli_format("[%s] ", label);
  for (const char *line = said; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    const char *found = strncmp(line, mark, strlen(mark)) ? NULL : strstr(line, text);
    count += found && found < line + strcspn(line, "\n");
  }
  free(mark);
  return count;
}

static long checkpoint_of(const job_t *job) {
  char *directory = log_dir_of(job), *path = sl_latest_checkpoint(directory);
  char *dash = path ? strrchr(path, '-') : NULL;
  long step = dash ? strtol(dash + 1, NULL, 10) : -1;
  free(path);
  free(directory);
  return step;
}

// Runs the job, stops it when the chief and worker 1 train, and expects that its last step is saved.
static void expect_saved(const job_t *job) {
  tool_run_t run;
  start(job, &run);
  const char *const trainers[] = {job->chief, job->script ? NULL : "worker 1", NULL};
  if (wait_for_lines_of(trainers, "first step ") && job->signal) kill(run.pid, job->signal);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, job->code);
  long saved = checkpoint_of(job);
  static const char *const labels[] = {"chief 0", "worker 0", "worker 1"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(labels); i++) {
    long last = last_number(run.err, labels[i], "final step=");
    if (saved <= 0 || saved < last)
      sli_test_fail(__FILE__, __LINE__, "%s: saved step %ld, the last one of %s was %ld:\n%s", job->name, saved,
                    labels[i], last, run.err);
  }
  SLI_EXPECT(!strstr(run.err, "can be saved") && !strstr(run.err, "cannot be saved"));
  SLI_EXPECT(!strstr(run.err, "lost a task"));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(labels); i++)
    SLI_EXPECT(count_lines(run.err, labels[i], "Scanning workers for devices") <= 1);
  tool_run_release(&run);
}

// An asynchronous job outlives a worker that is killed, and reaches its last step.
SLI_TEST(test_an_asynchronous_job_outlives_a_dead_worker) {
  static const char *const options[] = {"--ps", "1", "--workers", "3", "--keep-going", "--ps-grace", "0.5", NULL};
  static const char *const flags[] = {"--steps=400", "--step_millis=5", NULL};
  static const char *const trainers[] = {"worker 0", "worker 1", "worker 2", NULL};
  job_t job = {"outlive", options, flags, "echo pid=$$ >&2; exec \"$@\"", 0, 0, "worker 0"};
  tool_run_t run;
  start(&job, &run);
  bool all = wait_for_lines_of(trainers, "first step ");
  char *said = tool_read_text(tool_scratch("err"));
  long pid = last_number(said, "worker 1", "pid=");
  free(said);
  if (all && pid > 0) kill((pid_t)pid, SIGKILL);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.err, "sluice: worker 1 ended with SIGKILL (Killed); the job goes on without it\n");
  SLI_EXPECT_CONTAINS(run.err, "sluice: worker 1 died, with SIGKILL (Killed); its last lines:\n");
  SLI_EXPECT(last_number(run.err, "worker 0", "final step=") >= 400);
  SLI_EXPECT(last_number(run.err, "worker 2", "final step=") >= 400);
  SLI_EXPECT(checkpoint_of(&job) >= 400);
  tool_run_release(&run);
}

static const char *const two_workers[] = {"--ps", "1", "--workers", "2", NULL};
static const char *const endless[] = {ENDLESS, NULL};

SLI_TEST(test_ctrl_c_saves_an_asynchronous_job) {
  expect_saved(&(job_t){"async", two_workers, endless, NULL, SIGINT, 128 + SIGINT, "worker 0"});
}

SLI_TEST(test_sigterm_saves_a_job_with_a_chief_and_two_ps) {
  static const char *const options[] = {"--ps", "2", "--chief", "--workers", "2", NULL};
  expect_saved(&(job_t){"chief", options, endless, NULL, SIGTERM, 128 + SIGTERM, "chief 0"});
}

SLI_TEST(test_a_closed_terminal_saves) {
  expect_saved(&(job_t){"hangup", two_workers, endless, NULL, SIGHUP, 128 + SIGHUP, "worker 0"});
}

SLI_TEST(test_sigterm_saves_a_synchronous_job) {
  static const char *const flags[] = {ENDLESS, "--sync", "--strict", NULL};
  expect_saved(&(job_t){"sync", two_workers, flags, NULL, SIGTERM, 128 + SIGTERM, "worker 0"});
}

SLI_TEST(test_ctrl_c_saves_a_job_with_served_ps) {
  static const char *const options[] = {"--ps", "1", "--workers", "2", "--serve-ps", NULL};
  expect_saved(&(job_t){"serve", options, endless, NULL, SIGINT, 128 + SIGINT, "worker 0"});
}

SLI_TEST(test_ctrl_c_saves_a_supervised_job) {
  static const char *const flags[] = {ENDLESS, "--supervisor", NULL};
  tool_run_t run;
  job_t job = {"supervised", two_workers, flags, NULL, SIGINT, 128 + SIGINT, "worker 0"};
  start(&job, &run);
  const char *const trainers[] = {"worker 0", "worker 1", NULL};
  if (wait_for_lines_of(trainers, "") && wait_for_lines_of(trainers + 1, "not the chief, first step "))
    kill(run.pid, SIGINT);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 128 + SIGINT);
  long last = last_number(run.err, "worker 0", "final step=");
  SLI_EXPECT(last > 0);
  SLI_EXPECT(checkpoint_of(&job) >= last);
  tool_run_release(&run);
}

SLI_TEST(test_the_timeout_saves) {
  static const char *const options[] = {"--ps", "1", "--workers", "2", "--timeout", "4", NULL};
  tool_run_t run;
  job_t job = {"timeout", options, endless, NULL, 0, 124, "worker 0"};
  start(&job, &run);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 124);
  // On a busy machine the time may be over before the first step.
  if (strstr(run.err, "[worker 0] first step ")) {
    long last = last_number(run.err, "worker 0", "final step=");
    SLI_EXPECT(last > 0);
    SLI_EXPECT(checkpoint_of(&job) >= last);
  }
  tool_run_release(&run);
}

// A shell without a trap dies of the signal while the trainer that it runs still saves.
SLI_TEST(test_a_shell_around_the_trainer_does_not_lose_its_work) {
  expect_saved(&(job_t){"shell", two_workers, endless, "\"$@\"; exit $?", SIGTERM, 128 + SIGTERM, "worker 0"});
}

SLI_TEST(test_a_worker_that_hangs_does_not_cost_the_checkpoint) {
  static const char *const options[] = {"--ps", "1", "--workers", "2", "--stop-grace", "5", NULL};
  static const char script[] = "[ \"$RANK\" != 1 ] && exec \"$@\"; trap '' TERM; while :; do sleep 0.1; done";
  expect_saved(&(job_t){"hanging", options, endless, script, SIGTERM, 128 + SIGTERM, "worker 0"});
}

// --- A ps by hand ---

static const char stays[] = "was asked to stop. Staying for at most ";

// Starts a ps and |workers| workers that train.
static void start_by_hand(train_cluster_t *cluster, const char *name, int workers, const char *const *flags) {
  train_cluster_initialize(cluster, name, 1, workers, flags);
  train_cluster_start(cluster);
  for (int i = 0; i < workers; i++) train_task_expect(cluster, train_worker(cluster, i), "first step ");
}

SLI_TEST(test_a_ps_stays_until_its_worker_has_saved) {
  train_cluster_t cluster;
  start_by_hand(&cluster, "hand", 1, endless);
  train_task_t *ps = train_ps(&cluster, 0), *worker = train_worker(&cluster, 0);
  train_task_signal(ps, SIGTERM);
  train_task_expect(&cluster, ps, stays);
  train_task_expect(&cluster, ps, "closed their sessions: /job:worker/replica:0/task:0");
  train_task_signal(worker, SIGTERM);
  train_task_wait(&cluster, worker);
  train_task_wait(&cluster, ps);
  SLI_EXPECT_INT(worker->code, 128 + SIGTERM);
  SLI_EXPECT_INT(ps->code, 128 + SIGTERM);
  SLI_EXPECT_INT(train_cluster_checkpoint(&cluster), (long)train_task_number(&cluster, worker, "final step="));
  train_cluster_deinitialize(&cluster);
}

// The chief gives up a step that waits for the other worker, and saves in a new session.
SLI_TEST(test_a_ps_stays_until_a_synchronous_chief_has_saved) {
  static const char *const flags[] = {ENDLESS, "--sync", "--strict", NULL};
  train_cluster_t cluster;
  start_by_hand(&cluster, "hand-sync", 2, flags);
  train_task_t *ps = train_ps(&cluster, 0), *chief = train_worker(&cluster, 0), *other = train_worker(&cluster, 1);
  train_task_signal(ps, SIGTERM);
  train_task_expect(&cluster, ps, stays);
  train_task_signal(other, SIGKILL);
  train_task_signal(chief, SIGTERM);
  train_task_wait(&cluster, chief);
  train_task_wait(&cluster, ps);
  SLI_EXPECT_INT(chief->code, 128 + SIGTERM);
  SLI_EXPECT_INT(ps->code, 128 + SIGTERM);
  SLI_EXPECT(train_cluster_checkpoint(&cluster) > 0);
  char *said = train_task_output(&cluster, chief);
  SLI_EXPECT(!strstr(said, "cannot be saved") && !strstr(said, "can be saved"));
  free(said);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_second_signal_ends_a_ps_that_stays) {
  train_cluster_t cluster;
  start_by_hand(&cluster, "hand-twice", 1, endless);
  train_task_t *ps = train_ps(&cluster, 0);
  train_task_signal(ps, SIGTERM);
  train_task_expect(&cluster, ps, stays);
  train_task_signal(ps, SIGTERM);
  train_task_wait(&cluster, ps);
  SLI_EXPECT_INT(ps->code, -SIGTERM);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_ps_without_workers_ends_at_once) {
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "hand-alone", 1, 1, endless);
  train_task_t *ps = train_ps(&cluster, 0);
  train_task_start(&cluster, ps);
  train_task_expect(&cluster, ps, "Started server");
  for (int i = 0; i < 3000 && !train_task_catches(ps, SIGINT); i++) train_task_has_ended(ps);
  train_task_signal(ps, SIGINT);
  train_task_wait(&cluster, ps);
  SLI_EXPECT_INT(ps->code, 128 + SIGINT);
  char *said = train_task_output(&cluster, ps);
  SLI_EXPECT(!strstr(said, stays));
  free(said);
  train_cluster_deinitialize(&cluster);
}

// Starts `sluice serve` as the ps of |cluster|, and a worker that trains.
static void start_served(train_cluster_t *cluster, const char *name, const char *grace, tool_run_t *run) {
  train_cluster_initialize(cluster, name, 1, 1, endless);
  char *ps = sli_format("--ps_hosts=127.0.0.1:%d", cluster->ports[0]);
  char *workers = sli_format("--worker_hosts=127.0.0.1:%d", cluster->ports[1]);
  tool_start(run, -1,
             (const char *const[]){"serve", ps, workers, "--job_name=ps", "--task_index=0", "--grace", grace, NULL});
  free(ps);
  free(workers);
  train_task_start(cluster, train_worker(cluster, 0));
  train_task_expect(cluster, train_worker(cluster, 0), "first step ");
}

SLI_TEST(test_a_served_ps_stays_until_its_worker_has_saved) {
  train_cluster_t cluster;
  tool_run_t run;
  start_served(&cluster, "served", "3600", &run);
  train_task_t *worker = train_worker(&cluster, 0);
  kill(run.pid, SIGTERM);
  train_task_signal(worker, SIGTERM);
  train_task_wait(&cluster, worker);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_INT(worker->code, 128 + SIGTERM);
  SLI_EXPECT_INT(train_cluster_checkpoint(&cluster), (long)train_task_number(&cluster, worker, "final step="));
  tool_run_release(&run);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_the_grace_bounds_how_long_a_served_ps_stays) {
  train_cluster_t cluster;
  tool_run_t run;
  start_served(&cluster, "served-grace", "1", &run);
  kill(run.pid, SIGTERM);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.err, "Staying for at most 1 s");
  SLI_EXPECT_CONTAINS(run.err, "Stopping after 1 s, though sessions are open");
  tool_run_release(&run);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_served_ps_does_not_stay_for_a_worker_that_was_killed) {
  train_cluster_t cluster;
  tool_run_t run;
  start_served(&cluster, "served-killed", "3600", &run);
  train_task_signal(train_worker(&cluster, 0), SIGKILL);
  kill(run.pid, SIGTERM);
  tool_finish(&run);  // fails long before the grace is over
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_an_asynchronous_job_outlives_a_dead_worker, test_ctrl_c_saves_an_asynchronous_job,
                test_sigterm_saves_a_job_with_a_chief_and_two_ps, test_a_closed_terminal_saves,
                test_sigterm_saves_a_synchronous_job, test_ctrl_c_saves_a_job_with_served_ps,
                test_ctrl_c_saves_a_supervised_job, test_the_timeout_saves,
                test_a_shell_around_the_trainer_does_not_lose_its_work,
                test_a_worker_that_hangs_does_not_cost_the_checkpoint, test_a_ps_stays_until_its_worker_has_saved,
                test_a_ps_stays_until_a_synchronous_chief_has_saved, test_a_second_signal_ends_a_ps_that_stays,
                test_a_ps_without_workers_ends_at_once, test_a_served_ps_stays_until_its_worker_has_saved,
                test_the_grace_bounds_how_long_a_served_ps_stays,
                test_a_served_ps_does_not_stay_for_a_worker_that_was_killed)
