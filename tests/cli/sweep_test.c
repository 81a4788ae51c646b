// `sluice sweep` with this test program as the trials: kills, failures, halving, metrics of both kinds.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "io/event/event_proto.h"
#include "io/event/event_writer.h"
#include "io/file/file.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"
#include "tests/support/tool.h"

enum { PATIENCE_MILLIS = 90000, MAX_WORDS = 40 };
#define TRIAL_MARK "SLI_SWEEP_TRIAL"

// --- The trial ---

static double flag(int argc, char **argv, const char *name, double otherwise) {
  for (int i = 1; i < argc; i++) {
    size_t size = strlen(name);
    if (!strncmp(argv[i], "--", 2) && !strncmp(argv[i] + 2, name, size) && argv[i][2 + size] == '=')
      return strtod(argv[i] + 3 + size, NULL);
  }
  return otherwise;
}

static void write_event(const char *directory, const char *tag, double value, int64_t step) {
  sli_event_writer_t *writer;
  if (sli_event_writer_create(directory, "", &writer)) _exit(9);
  sli_string_t summary = {0}, event = {0};
  size_t mark = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_VALUE_TAG, tag);
  sli_wire_write_float(&summary, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, (float)value);
  sli_wire_close(&summary, mark);
  sli_event_proto_summary(&event, sli_event_proto_now(), step, sli_view_of(summary.data, summary.size));
  if (sli_event_writer_add(writer, sli_view_of(event.data, event.size)) || sli_event_writer_close(writer)) _exit(9);
  sli_event_writer_release(writer);
  sli_string_deinitialize(&event);
  sli_string_deinitialize(&summary);
}

// The quality of a model that was trained for |steps| steps: best at lr=0.01 and units=128.
static double quality(double rate, double units, double steps) {
  double distance = log10(rate) + 2;
  return (1 - distance * distance / 20 - (units - 128) * (units - 128) / 1e6) * (1 - exp(-steps / 30));
}

// argv[1]: what the trial does.
__attribute__((constructor)) static void maybe_trial(int argc, char **argv) {
  if (!getenv(TRIAL_MARK)) return;
  double units = flag(argc, argv, "units", 128), steps = flag(argc, argv, "steps", 100);
  double value = quality(flag(argc, argv, "lr", 0.1), units, steps);
  const char *what = argc > 1 ? argv[1] : "", *directory = getenv("SLUICE_TRIAL_DIR");
  if (!strcmp(what, "lines")) {
    printf("accuracy: 0.1\nstep %.0f: accuracy=%.9f, rest=7", steps, value);  // the last line has no end
  } else if (!strcmp(what, "events")) {
    printf("accuracy: 0.5\n");
    write_event(directory, "other", 0.9, 1);
    write_event(argc > 2 ? argv[2] : "", "accuracy", value, (int64_t)steps);
  } else if (!strcmp(what, "picky")) {
    if (units == 64) fprintf(stderr, "64 units are too few\n"), exit(3);
    if (units == 256) raise(SIGKILL);
    printf("accuracy nan\naccuracy: %.9f\n", value);
  } else if (!strcmp(what, "variables")) {
    printf("accuracy: %s\n", getenv("my_lr"));
  } else if (!strcmp(what, "endless")) {
    pid_t child = fork();
    if (child == 0) setsid();
    char *path = sli_format("%s/pid-%d", directory, (int)getpid());
    if (child) tool_write_file(path, "", 0);
    for (;;) pause();
  }
  exit(0);
}

// --- Running it ---

static const char *self(void) {
  static char path[PATH_MAX];
  if (!path[0] && readlink("/proc/self/exe", path, sizeof(path) - 1) < 0) path[0] = '\0';
  return path;
}

// Starts `sluice sweep --dir DIR OPTIONS -- PROGRAM WORDS`; both lists end with NULL.
static void start(tool_run_t *run, const char *directory, const char *const *options, const char *const *words) {
  const char *arguments[MAX_WORDS] = {"sweep", "--dir", directory};
  size_t count = 3;
  for (size_t i = 0; options[i]; i++) arguments[count++] = options[i];
  arguments[count++] = "--";
  for (size_t i = 0; words[i]; i++) arguments[count++] = words[i];
  setenv(TRIAL_MARK, "1", 1);
  tool_start(run, -1, arguments);
  unsetenv(TRIAL_MARK);
}

static void run_sweep(tool_run_t *run, const char *directory, const char *const *options, const char *const *words) {
  start(run, directory, options, words);
  tool_finish(run);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static char *results(const char *directory) { return tool_read_text(tool_path_in(directory, "results.csv")); }

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) count++;
  return count;
}

// The number after "best: trial " in the last line that has it.
static long best_of(const char *out) {
  long best = -1;
  for (const char *at = out; (at = strstr(at, "best: trial ")); at++)
    best = strtol(at + strlen("best: trial "), NULL, 10);
  return best;
}

static bool wait_for_done(const char *directory, int wanted) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  for (;; usleep(2000)) {
    char *text = results(directory);
    bool enough = count_of(text, ",done,") >= wanted;
    free(text);
    if (enough || sli_clock_now_nanos() >= deadline) return enough;
  }
}

// --- Tests ---

#define RANDOM_50 \
  "--param", "lr=log:1e-4:1e-1", "--param", "units=lin:32:256", "--random", "50", "--seed", "11", "--metric", "accuracy"

SLI_TEST(test_killed_and_continued_it_finds_the_best_of_a_serial_run) {
  tool_run_t run;
  char *serial = sli_strdup(tool_scratch("serial")), *killed = sli_strdup(tool_scratch("killed"));
  run_sweep(&run, serial, WORDS(RANDOM_50), WORDS(self(), "lines"));
  SLI_EXPECT_INT(run.code, 0);
  long best = best_of(run.out);
  SLI_EXPECT(best >= 1 && best <= 50);
  tool_run_release(&run);
  for (int round = 1; round <= 3; round++) {
    start(&run, killed, WORDS(RANDOM_50, "--parallel", "2"), WORDS(self(), "lines"));
    SLI_EXPECT(wait_for_done(killed, 12 * round));
    tool_kill(&run, SIGKILL);
    tool_finish(&run);
    SLI_EXPECT_INT(run.code, -SIGKILL);
    tool_run_release(&run);
  }
  run_sweep(&run, killed, WORDS(RANDOM_50, "--parallel", "2"), WORDS(self(), "lines"));
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.err, "continues the sweep in");
  SLI_EXPECT_CONTAINS(run.out, "50 trials: 50 done");
  SLI_EXPECT_INT(best_of(run.out), best);
  // Each trial has the same values, seed and metric; times differ.
  char *a = results(serial), *b = results(killed);
  SLI_EXPECT_INT(count_of(b, ",done,"), 50);
  for (const char *x = a, *y = b; *x && *y; x += strcspn(x, "\n") + 1, y += strcspn(y, "\n") + 1) {
    const char *seconds = strstr(x, ",0,0,");
    if (seconds && seconds < x + strcspn(x, "\n")) SLI_EXPECT(!strncmp(x, y, (size_t)(seconds - x)));
  }
  free(a);
  free(b);
  tool_run_release(&run);
  // More trials are added to those that have ended.
  run_sweep(&run, killed, WORDS(RANDOM_50, "--random", "52"), WORDS(self(), "lines"));
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.err, "50 of 52 trials have ended");
  SLI_EXPECT_INT(count_of(run.out, " s; best: trial "), 2);
  tool_run_release(&run);
  free(serial);
  free(killed);
}

SLI_TEST(test_halving_finds_nearly_the_best_with_a_fraction_of_the_steps) {
  tool_run_t run;
  const char *directory = tool_scratch("halving");
  run_sweep(&run, directory,
            WORDS("--param", "lr=log:1e-4:1e-1:9", "--param", "units=64,128,256", "--grid", "--halving", "--budget",
                  "3:81", "--metric", "accuracy", "--parallel", "2", "--plot", "lr"),
            WORDS(self(), "lines"));
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_INT(best_of(run.out), 17);  // lr=0.0075 units=128
  SLI_EXPECT_CONTAINS(run.out, "27 trials: 1 done, 26 stopped");
  SLI_EXPECT_CONTAINS(run.out, "accuracy against log10 of lr");
  // 27 trials with 3 steps, 9 with 9, 3 with 27 and 1 with 81.
  SLI_EXPECT_INT(count_of(run.out, ", steps 3: "), 27);
  SLI_EXPECT_INT(count_of(run.out, ", steps 9: "), 9);
  SLI_EXPECT_INT(count_of(run.out, ", steps 27: "), 3);
  SLI_EXPECT_INT(count_of(run.out, ", steps 81: "), 1);
  tool_run_release(&run);
}

SLI_TEST(test_failed_trials_are_named_and_the_rest_goes_on) {
  tool_run_t run;
  char *directory = sli_strdup(tool_scratch("picky"));
  const char *const options[] = {"--param", "units=64,128,256", "--grid", "--metric", "accuracy", "--max-restarts",
                                 "1",       "--seed",           "5",      NULL};
  run_sweep(&run, directory, options, WORDS(self(), "picky"));
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "trial 1 failed: it ended with exit code 3; its last line: 64 units are too few");
  SLI_EXPECT_CONTAINS(run.out, "trial 3 failed: it was killed by SIGKILL; it printed nothing");
  SLI_EXPECT_CONTAINS(run.out, "3 trials: 1 done, 2 failed; best: trial 2");
  char *text = results(directory);
  SLI_EXPECT_CONTAINS(text, "\n3,failed,256,");
  SLI_EXPECT_CONTAINS(text, ",1,137,trial-003,");  // one restart
  free(text);
  tool_run_release(&run);
  // It is finished: the same command runs nothing, but --retry-failed does.
  run_sweep(&run, directory, options, WORDS(self(), "picky"));
  SLI_EXPECT(!strstr(run.out, "trial 1 failed: it ended with exit code 3; its last line: 64 units are too few (units"));
  tool_run_release(&run);
  run_sweep(&run, directory, WORDS("--param", "units=64,128,256", "--grid", "--metric", "accuracy", "--retry-failed"),
            WORDS(self(), "picky"));
  SLI_EXPECT_CONTAINS(run.out, "trial 1 failed: it ended with exit code 3; its last line: 64 units are too few (units");
  tool_run_release(&run);
  free(directory);
}

SLI_TEST(test_the_metric_is_read_from_event_files_and_output) {
  tool_run_t run;
  const char *directory = tool_scratch("events");
  run_sweep(&run, directory, WORDS("--param", "lr=0.01,0.1", "--grid", "--metric", "accuracy"),
            WORDS(self(), "events", "{dir}/eval", "--steps=70", "--name={trial}-{seed}-{other}"));
  SLI_EXPECT_INT(run.code, 0);
  char *text = results(directory), *script = tool_read_text(tool_path_in(directory, "trial-001/command"));
  SLI_EXPECT_CONTAINS(text, "\n1,done,0.01,0.90302");  // not 0.5 of the output
  SLI_EXPECT_CONTAINS(text, ",70,0,0,");
  SLI_EXPECT_CONTAINS(script, "-{other}'");
  free(script);
  free(text);
  tool_run_release(&run);
  directory = tool_scratch("none");
  run_sweep(&run, directory, WORDS("--param", "lr=0.01", "--grid", "--metric", "score"),
            WORDS(self(), "events", "{dir}"));
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.out, "it has no value of 'score'");
  SLI_EXPECT_CONTAINS(run.out, "the scalars there are other, accuracy");
  SLI_EXPECT_CONTAINS(run.err, "no trial succeeded");
  tool_run_release(&run);
}

SLI_TEST(test_parameters_as_variables_and_clusters_as_trials) {
  tool_run_t run;
  const char *directory = tool_scratch("variables");
  run_sweep(&run, directory,
            WORDS("--param", "my-lr=0.25,0.5", "--grid", "--metric", "accuracy", "--pass", "env", "--goal", "min"),
            WORDS(self(), "variables"));
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_INT(best_of(run.out), 1);
  tool_run_release(&run);
  directory = tool_scratch("clusters");
  run_sweep(&run, directory, WORDS("--param", "lr=0.25,0.5", "--grid", "--metric", "accuracy"),
            WORDS("launch", "--workers", "2", "--quiet", "--", "sh", "-c", "echo accuracy=${1#--lr=}", "sh"));
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_INT(best_of(run.out), 2);
  char *log = tool_read_text(tool_path_in(directory, "trial-002/output.log"));
  SLI_EXPECT_CONTAINS(log, "[worker 1] accuracy=0.5");
  free(log);
  tool_run_release(&run);
}

SLI_TEST(test_an_interrupted_sweep_leaves_no_process_and_repeats_its_trials) {
  static const int signals[] = {SIGTERM, SIGKILL};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(signals); i++) {
    tool_run_t run;
    char *directory = sli_strdup(tool_scratch(signals[i] == SIGTERM ? "interrupted" : "dead"));
    start(&run, directory, WORDS("--param", "lr=0.25,0.5", "--grid", "--metric", "accuracy", "--parallel", "2"),
          WORDS(self(), "endless"));
    sli_path_list_t found[2] = {0};
    int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
    char *patterns[] = {sli_format("%s/trial-001/pid-*", directory), sli_format("%s/trial-002/pid-*", directory)};
    while ((!found[0].count || !found[1].count) && sli_clock_now_nanos() < deadline) {
      for (size_t j = 0; j < 2; j++) {
        sli_path_list_deinitialize(&found[j]);
        SLI_EXPECT_OK(sli_file_match(patterns[j], &found[j]));
      }
      usleep(2000);
    }
    tool_kill(&run, signals[i]);
    tool_finish(&run);
    SLI_EXPECT_INT(run.code, signals[i] == SIGTERM ? 128 + SIGTERM : -SIGKILL);
    if (signals[i] == SIGTERM) SLI_EXPECT_CONTAINS(run.err, "the same command continues it");
    for (size_t j = 0; j < 2; j++) {
      SLI_EXPECT(found[j].count == 1);
      pid_t pid = found[j].count ? (pid_t)strtol(strstr(found[j].items[0], "pid-") + 4, NULL, 10) : 0;
      while (pid && kill(pid, 0) == 0 && sli_clock_now_nanos() < deadline) usleep(2000);
      SLI_EXPECT(pid && kill(pid, 0) != 0 && errno == ESRCH);
      sli_path_list_deinitialize(&found[j]);
      free(patterns[j]);
    }
    char *text = results(directory);
    SLI_EXPECT_INT(count_of(text, ",waiting,"), 2);
    free(text);
    tool_run_release(&run);
    free(directory);
  }
}

// A script in the place of ssh that runs the command here. The last word is the command, the one before it the host.
static const char *make_ssh(void) {
  static const char text[] =
      "#!/bin/sh\nfor word; do host=$command command=$word; done\nexport HOST_OF_TEST=$host\n"
      "case $host in gone*) echo \"$host: No route to host\" >&2; exit 255 ;; esac\nexec sh -c \"$command\"\n";
  const char *path = tool_scratch("ssh");
  tool_write_file(path, text, strlen(text));
  chmod(path, 0755);
  return path;
}

SLI_TEST(test_trials_run_on_other_hosts_by_themselves) {
  char *directory = sli_strdup(tool_scratch("hosts"));
  tool_run_t run;
  // Clusters of two hosts each: the hosts are shared out among the trials that run at the same time.
  run_sweep(
      &run, directory,
      WORDS("--param", "lr=0.1,0.01", "--grid", "--metric", "accuracy", "--hosts", "h1,h2,h3,h4", "--parallel", "2"),
      WORDS("launch", "--ssh", make_ssh(), "--workers", "2", "--", "sh", "-c", "echo on $HOST_OF_TEST; exec $0 $*",
            self(), "lines"));
  SLI_EXPECT_INT(run.code, 0);
  if (run.code) fprintf(stderr, "%s%s", run.out, run.err);
  SLI_EXPECT_INT(best_of(run.out), 2);
  tool_run_release(&run);
  const char *const wanted[2][2] = {{"on h1\n", "on h3\n"}, {"on h2\n", "on h4\n"}};
  for (int i = 0; i < 2; i++) {
    char *name = sli_format("trial-%03d/output.log", i + 1), *text = tool_read_text(tool_path_in(directory, name));
    SLI_EXPECT_CONTAINS(text, wanted[i][0]);
    SLI_EXPECT_CONTAINS(text, wanted[i][1]);
    free(text);
    free(name);
  }
  free(directory);
  // A program is the only worker of a cluster; ssh itself is found in PATH.
  directory = sli_strdup(tool_scratch("program"));
  char *folder = sli_strdup(make_ssh()), *old = sli_strdup(getenv("PATH")), *path;
  *strrchr(folder, '/') = '\0';
  path = sli_format("%s:%s", folder, old);
  setenv("PATH", path, 1);
  run_sweep(&run, directory, WORDS("--param", "lr=0.1,0.01", "--grid", "--metric", "accuracy", "--hosts", "h1"),
            WORDS("sh", "-c", "echo on $HOST_OF_TEST as $TF_CONFIG; exec $0 $*", self(), "lines"));
  setenv("PATH", old, 1);
  SLI_EXPECT_INT(run.code, 0);
  if (run.code) fprintf(stderr, "%s%s", run.out, run.err);
  SLI_EXPECT_INT(best_of(run.out), 2);
  tool_run_release(&run);
  char *text = tool_read_text(tool_path_in(directory, "trial-002/output.log"));
  SLI_EXPECT_CONTAINS(text, "on h1 as {\"cluster\": {\"worker\": [\"h1:");
  free(text);
  free(path);
  free(old);
  free(folder);
  free(directory);
}

// Hosts that cannot be reached are set aside, by trials that 'launch' starts and by those that get there by themselves;
// the other hosts run all trials.
SLI_TEST(test_hosts_that_cannot_be_reached_are_set_aside) {
  char *ssh = sli_strdup(make_ssh());
  for (int i = 0; i < 2; i++) {
    char *directory = sli_strdup(tool_scratch(i ? "aside itself" : "aside"));
    tool_run_t run;
    run_sweep(&run, directory,
              WORDS("--param", "lr=0.5,0.1,0.01,0.3,0.2,0.4", "--grid", "--metric", "accuracy", "--hosts",
                    "h1,gone1,gone2", "--parallel", "3"),
              i ? WORDS(ssh, "{host}", "echo on $HOST_OF_TEST; echo accuracy={lr}")
                : WORDS("launch", "--ssh", ssh, "--workers", "1", "--", "sh", "-c",
                        "echo on $HOST_OF_TEST; echo accuracy=${0#--lr=}"));
    SLI_EXPECT_INT(run.code, 0);
    if (run.code) fprintf(stderr, "%s%s", run.out, run.err);
    SLI_EXPECT_CONTAINS(run.out, "6 trials: 6 done");
    SLI_EXPECT_INT(best_of(run.out), 1);
    SLI_EXPECT_CONTAINS(run.err, "gone1: set aside, as 2 trials in a row ended with exit code 255 there");
    SLI_EXPECT_CONTAINS(run.err, "gone2: set aside");
    SLI_EXPECT_CONTAINS(run.err, "gone2: No route to host");
    SLI_EXPECT(!strstr(run.err, "h1: set aside"));
    tool_run_release(&run);
    free(directory);
  }
  // The last hosts are not set aside: each trial fails and says why.
  tool_run_t run;
  run_sweep(&run, tool_scratch("all aside"),
            WORDS("--param", "lr=0.5,0.1", "--grid", "--metric", "accuracy", "--hosts", "gone1"),
            WORDS(ssh, "{host}", "echo accuracy={lr}"));
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.out, "trial 2 failed: it ended with exit code 255; its last line: gone1: No route to host");
  tool_run_release(&run);
  free(ssh);
}

SLI_TEST(test_errors_say_what_to_do) {
  static const struct {
    const char *words[12];
    int code;
    const char *text;
  } rows[] = {
      {{"--show"}, 1, "sweep.json"},
      {{"--grid", "--metric", "a", "--", "true"}, 2, "no parameters: give --param"},
      {{"--param", "x=1", "--metric", "a", "--", "true"}, 2, "give either --grid or --random N"},
      {{"--param", "x=1", "--grid", "--", "true"}, 2, "no metric: give --metric"},
      {{"--param", "x=1", "--grid", "--metric", "a"}, 2, "no program to run"},
      {{"--param", "x=log:0:1", "--grid", "--metric", "a", "--", "true"}, 2, "LOW must be greater than 0"},
      {{"--param", "x=log:1:2", "--grid", "--metric", "a", "--", "true"}, 1, "--grid needs the number of points of x"},
      {{"--param", "x=1", "--grid", "--halving", "--metric", "a", "--", "true"}, 2, "--halving needs --budget"},
      {{"--param", "x=1", "--grid", "--metric", "a", "--plot", "y", "--", "true"}, 2, "there is no such parameter"},
      {{"--param", "x=1", "--grid", "--metric", "a", "--", "/no/such/program"}, 127, "cannot start '/no/such/program'"},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++) {
    tool_run_t run;
    const char *arguments[MAX_WORDS] = {"sweep", "--dir", tool_scratch("errors")};
    for (size_t j = 0; rows[i].words[j]; j++) arguments[3 + j] = rows[i].words[j];
    tool_run(&run, -1, arguments);
    SLI_EXPECT_INT(run.code, rows[i].code);
    SLI_EXPECT_CONTAINS(run.err, rows[i].text);
    tool_run_release(&run);
  }
  // Another sweep in the same directory.
  tool_run_t run;
  char *directory = sli_strdup(tool_scratch("one"));
  run_sweep(&run, directory, WORDS("--param", "lr=1", "--grid", "--metric", "accuracy"), WORDS(self(), "lines"));
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  run_sweep(&run, directory, WORDS("--param", "lr=1,2", "--grid", "--metric", "accuracy"), WORDS(self(), "lines"));
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.err,
                      "its param is {\"lr\":\"1\"}, not {\"lr\":\"1,2\"}; give the same options to continue it");
  tool_run_release(&run);
  // A damaged file.
  tool_write_file(tool_path_in(directory, "sweep.json"), "{\"version\": 1", 13);
  run_sweep(&run, directory, WORDS("--param", "lr=1", "--grid", "--metric", "accuracy"), WORDS(self(), "lines"));
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.err, "sweep.json is damaged");
  tool_run_release(&run);
  free(directory);
}

SLI_TEST_MAIN(test_killed_and_continued_it_finds_the_best_of_a_serial_run,
              test_hosts_that_cannot_be_reached_are_set_aside, test_trials_run_on_other_hosts_by_themselves,
              test_halving_finds_nearly_the_best_with_a_fraction_of_the_steps,
              test_failed_trials_are_named_and_the_rest_goes_on, test_the_metric_is_read_from_event_files_and_output,
              test_parameters_as_variables_and_clusters_as_trials,
              test_an_interrupted_sweep_leaves_no_process_and_repeats_its_trials, test_errors_say_what_to_do)
