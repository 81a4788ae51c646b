#include "tests/hosts/launching.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/process.h"
#include "base/string.h"
#include "tests/hosts/hosts.h"

typedef struct {
  const char *words[TOOL_MAX_ARGUMENTS];
  size_t count;
} words_t;

static void add_words(words_t *words, const char *const *more) {
  for (; *more && words->count + 1 < SLI_ARRAY_COUNT_OF(words->words); more++) words->words[words->count++] = *more;
  words->words[words->count] = NULL;
}

#define ADD(words, ...) add_words(words, (const char *const[]){__VA_ARGS__, NULL})

static void start(tool_run_t *run, const words_t *words) {
  hosts_enter(0);
  tool_start(run, -1, words->words);
  hosts_leave();
}

void launching_trains(const char *const *way) {
  char self[PATH_MAX] = "", log_dir[PATH_MAX];
  if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0) return;
  snprintf(log_dir, sizeof(log_dir), "--log_dir=%s/launched", hosts_disk());
  setenv(TRAIN_TASK_MARK, "1", 1);
  words_t words = {0};
  ADD(&words, "launch");
  add_words(&words, way);
  ADD(&words, "--ps=1", "--workers=2", "--", self, "--steps=60", "--save_steps=20", log_dir);
  tool_run_t run;
  start(&run, &words);
  unsetenv(TRAIN_TASK_MARK);
  tool_finish(&run);
  if (run.code) sli_test_fail(__FILE__, __LINE__, "the job ended with %d:\n%s\n%s", run.code, run.out, run.err);
  SLI_EXPECT_CONTAINS(run.err, "[worker 0@host1] ");
  SLI_EXPECT_CONTAINS(run.err, "[worker 1@host2] ");
  SLI_EXPECT_CONTAINS(run.err, "ps 0@host0");
  const char *test = "test -e $0/launched/checkpoint";
  SLI_EXPECT_INT(HOSTS_COMMAND(1, "sh", "-c", test, hosts_disk()), 0);
  SLI_EXPECT_INT(HOSTS_COMMAND(2, "sh", "-c", test, hosts_disk()), 1);
  tool_run_release(&run);
}

void launching_sweeps(const char *const *options, const char *const *command) {
  char directory[PATH_MAX];
  snprintf(directory, sizeof(directory), "%s", tool_scratch("sweep_of_hosts"));
  words_t words = {0};
  ADD(&words, "sweep", "--dir", directory, "--param", "x=1,2,3", "--grid", "--metric", "accuracy");
  add_words(&words, options);
  ADD(&words, "--");
  add_words(&words, command);
  ADD(&words, "sh", "-c", "echo accuracy: ${0#--x=}");
  tool_run_t run;
  start(&run, &words);
  tool_finish(&run);
  if (run.code) sli_test_fail(__FILE__, __LINE__, "the sweep ended with %d:\n%s\n%s", run.code, run.out, run.err);
  SLI_EXPECT_CONTAINS(run.out, "best: trial 3");
  tool_run_release(&run);
  for (int i = 0; i < 3; i++) {
    char name[64], wanted[64];
    snprintf(name, sizeof(name), "trial-%03d/output.log", i + 1);
    snprintf(wanted, sizeof(wanted), "[worker 0@host%d] accuracy: %d", i, i + 1);
    char *text = tool_read_text(tool_path_in(directory, name));
    SLI_EXPECT_CONTAINS(text, wanted);
    free(text);
  }
}

// A task that leaves a process in a session of its own behind, which no signal to the task's group reaches.
#define LEAVE "echo $$ >> $0; setsid sleep 1000 & echo $! >> $0; "

static const char *start_leaving(tool_run_t *run, const char *const *way, const char *program) {
  const char *pids = tool_scratch("pids");
  unlink(pids);
  words_t words = {0};
  ADD(&words, "launch", "--host-timeout=8", "--stop-grace=300");
  add_words(&words, way);
  ADD(&words, "--ps=1", "--workers=2", "--", "sh", "-c", program, pids);
  start(run, &words);
  SLI_EXPECT(tool_wait_for_lines(pids, 6));
  return pids;
}

void launching_stops_all(const char *const *way) {
  tool_run_t run;
  const char *pids = start_leaving(&run, way, LEAVE "trap 'echo saved; exit 0' TERM; while :; do sleep 0.1; done");
  kill(run.pid, SIGTERM);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 128 + SIGTERM);
  if (run.code != 128 + SIGTERM) printf("%s%s", run.out, run.err);
  const char *first = strstr(run.out, "[worker 1@host2] saved"), *second = strstr(run.out, "[worker 0@host1] saved");
  SLI_EXPECT(first && second && first < second && strstr(second, "[ps 0@host0] saved"));
  tool_expect_all_gone(pids, 6);
  tool_run_release(&run);
}

void launching_leaves_nothing(const char *const *way) {
  tool_run_t run;
  const char *pids = start_leaving(&run, way, LEAVE "sleep 1000");
  kill(run.pid, SIGKILL);
  tool_finish(&run);
  tool_expect_all_gone(pids, 6);
  tool_run_release(&run);
}

void launching_survives_a_cut(const char *const *way) {
  tool_run_t run;
  const char *pids = start_leaving(&run, way, LEAVE "sleep 1000");
  hosts_cut(2);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 255);
  SLI_EXPECT_CONTAINS(run.err, "lost the host host2: ");
  SLI_EXPECT_CONTAINS(run.err, "worker 1@host2 failed first, with exit code 255");
  tool_expect_all_gone(pids, 6);
  hosts_mend(2);
  tool_run_release(&run);
}

int launching_daemon(int host, const char *log, const char *const *words) {
  int file = open(tool_scratch(log), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  pid_t pid = 0;
  hosts_enter(host);
  sli_status_t *status = sli_process_start(&(sli_process_options_t){.argv = (char *const *)words,
                                                                    .output = file,
                                                                    .error = file,
                                                                    .own_group = true,
                                                                    .parent_death_signal = SIGKILL},
                                           &pid);
  hosts_leave();
  if (file >= 0) close(file);
  bool good = status == NULL;
  SLI_EXPECT_OK(status);
  return good ? pid : 0;
}
