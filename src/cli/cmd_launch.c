// sluice launch: starts a whole cluster on this machine, with one program.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/common/cli.h"
#include "cli/launch/launch_guard.h"
#include "cli/launch/launch_job.h"
#include "cli/launch/launch_plan.h"

enum { EXIT_NOT_RUNNABLE = 126, EXIT_NOT_FOUND = 127 };

static sli_launch_request_t request = {.workers = 1};
static sli_launch_job_options_t job_options = {.stop_grace = 30, .ps_grace = 30};
static bool serve_ps;
static const char *keep_going, *token_file;

static const char *const verdicts[] = {"ok", "fail", NULL};
static const char *const index_flags[] = {"task_index", "task_id", NULL};
static const sli_option_t options_table[] = {
    {.name = "ps",
     .kind = SLI_OPTION_INT,
     .value = &request.ps,
     .argument = "N",
     .minimum = 0,
     .maximum = 1000,
     .help = "number of parameter servers"},
    {.name = "workers",
     .kind = SLI_OPTION_INT,
     .value = &request.workers,
     .argument = "N",
     .minimum = 0,
     .maximum = 1000,
     .help = "number of workers"},
    {.name = "chief", .kind = SLI_OPTION_BOOL, .value = &request.chief, .help = "add a chief task"},
    {.name = "evaluator",
     .kind = SLI_OPTION_BOOL,
     .value = &request.evaluator,
     .help = "add an evaluator task, which is not part of the cluster"},
    {.name = "serve-ps",
     .kind = SLI_OPTION_BOOL,
     .value = &serve_ps,
     .help = "run 'sluice serve' instead of PROGRAM as the ps tasks"},
    {.name = "classic-flags",
     .kind = SLI_OPTION_TEXT,
     .value = &request.classic_flags,
     .argument = "INDEX",
     .implied = "task_index",
     .words = index_flags,
     .help = "append --ps_hosts, --worker_hosts, --job_name and --task_index (or --task_id, with =task_id) to the "
             "command line"},
    {.name = "log-dir",
     .kind = SLI_OPTION_TEXT,
     .value = &job_options.log_dir,
     .argument = "DIR",
     .help = "also write the output of each task to a new directory of this run in DIR, as worker-0.log and so on; the "
             "link DIR/latest leads to it"},
    {.name = "token-file",
     .kind = SLI_OPTION_TEXT,
     .value = &token_file,
     .argument = "FILE",
     .help = "let the tasks accept only callers that have the token in FILE, which is made if it does not exist; stock "
             "TensorFlow has no token and cannot take part"},
    {.name = "max-restarts",
     .kind = SLI_OPTION_INT,
     .value = &job_options.max_restarts,
     .argument = "N",
     .minimum = 0,
     .maximum = 1000000,
     .help = "restart a task that is killed by a signal or ends with a code of 128 or above, at most N times, with a "
             "pause that grows each time"},
    {.name = "keep-going",
     .kind = SLI_OPTION_TEXT,
     .value = &keep_going,
     .argument = "VERDICT",
     .implied = "ok",
     .words = verdicts,
     .help = "go on without a worker or evaluator that fails, for asynchronous training: it is named at the end, and "
             "the exit code is 0 if the others succeed, or its own with =fail. A chief or ps that fails stops the job"},
    {.name = "timeout",
     .kind = SLI_OPTION_DOUBLE,
     .value = &job_options.timeout,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "stop all tasks after this time and exit with 124; 0: no limit"},
    {.name = "stop-grace",
     .kind = SLI_OPTION_DOUBLE,
     .value = &job_options.stop_grace,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "time that a task has to save and end after the signal that stops it, before SIGKILL"},
    {.name = "ps-grace",
     .kind = SLI_OPTION_DOUBLE,
     .value = &job_options.ps_grace,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "time for the ps tasks to end after all workers have ended"},
    {.name = "quiet",
     .kind = SLI_OPTION_BOOL,
     .value = &job_options.quiet,
     .help = "print only the output of the tasks, and failures"},
    SLI_CLI_TLS_OPTIONS,
    {0}};

static const sli_options_t options = {
    .program = "sluice launch",
    .operands = "-- PROGRAM [ARGS...]",
    .summary = "Start a cluster of tasks on this machine, all running PROGRAM",
    .description =
        "Each task gets the cluster and its place in it as TF_CONFIG, its rank among the tasks of its kind as RANK, "
        "LOCAL_RANK and WORLD_SIZE (chief and workers are one kind), and the number of its restarts as "
        "SLUICE_RESTART_COUNT. Each line of its output is shown with its name in front.\n\n"
        "If a task fails, the others are stopped (but see --keep-going) and its exit code is the exit code of the "
        "command: 128 plus the "
        "signal if one killed it. SIGINT, SIGTERM, SIGHUP and SIGQUIT stop the job, as --timeout and a failure do: "
        "first "
        "the workers are sent the signal (SIGTERM for SIGHUP), then the chief, which saves, and when these have ended "
        "the ps tasks. A trainer in stock TensorFlow does not save after a signal: a Sluice ps ends its input instead, "
        "and its MonitoredTrainingSession saves and ends; it gets the signal after half of the grace. A second signal "
        "kills all. No process that the tasks started outlives the launcher, even if the "
        "launcher is killed.",
    .examples =
        "  sluice launch --ps 1 --workers 2 -- ./trainer --steps 1000\n"
        "  sluice launch --ps 2 --workers 4 --serve-ps --log-dir logs -- ./trainer\n"
        "  sluice launch --ps 1 --workers 8 --keep-going --max-restarts 3 -- ./trainer\n"
        "  sluice launch --ps 1 --workers 2 --classic-flags -- ./mnist_replica.py\n"
        "  sluice launch --ps 1 --workers 2 --token-file token -- ./trainer\n",
    .options = options_table,
    .options_first = true,
};

// --- Checks ---

static int check_request(int argc) {
  bool needs_program = request.workers || request.chief || request.evaluator || (request.ps && !serve_ps);
  if (request.ps + request.workers + request.chief + request.evaluator == 0)
    return sli_cli_fail(SLI_CLI_USAGE, "no tasks to launch: give --ps, --workers or --chief");
  if (needs_program && argc < 2) return sli_cli_fail(SLI_CLI_USAGE, "no program to launch; see 'sluice launch --help'");
  if (request.classic_flags && (request.chief || request.evaluator))
    return sli_cli_fail(SLI_CLI_USAGE,
                        "--%s cannot be used with --classic-flags, which have ps and worker only (worker 0 "
                        "is the chief)",
                        request.chief ? "chief" : "evaluator");
  return SLI_CLI_OK;
}

// 0 if |path| can be executed, else errno.
static int executable_error(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  return access(path, X_OK) == 0 ? 0 : errno;
}

// Looks the program up as execvp does, before any task is started.
static int check_program(const char *program) {
  int error = ENOENT;
  if (strchr(program, '/')) {
    error = executable_error(program);
  } else {
    const char *path = getenv("PATH");
    sli_view_t rest = sli_view(path ? path : "/bin:/usr/bin"), directory;
    for (bool more = true; more && error;) {
      more = sli_view_split(rest, ':', &directory, &rest);
      char *file = sli_format("%.*s/%s", directory.size ? (int)directory.size : 1,
                              directory.size ? directory.data : ".", program);
      int found = executable_error(file);
      if (found != ENOTDIR && (error == ENOENT || found == 0)) error = found;
      free(file);
    }
  }
  if (!error) return SLI_CLI_OK;
  if (error == ENOENT || error == ENOTDIR)
    return sli_cli_fail(EXIT_NOT_FOUND, "cannot find the program '%s'%s", program,
                        strchr(program, '/') ? "" : " in PATH");
  return sli_cli_fail(EXIT_NOT_RUNNABLE, "cannot run '%s': %s", program, strerror(error));
}

// --- The token ---

enum { TOKEN_BYTES = 32 };

// Makes |path| with a new token, for this user only. Leaves a file that exists as it is.
static int make_token_file(const char *path) {
  unsigned char bytes[TOKEN_BYTES];
  char text[2 * TOKEN_BYTES + 2];
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST) return SLI_CLI_OK;
  if (file < 0) return sli_cli_fail(SLI_CLI_FAILED, "cannot make the token file %s: %s", path, strerror(errno));
  bool good = getrandom(bytes, sizeof(bytes), 0) == sizeof(bytes);
  for (size_t i = 0; i < sizeof(bytes); i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  text[sizeof(text) - 2] = '\n';
  good = good && write(file, text, sizeof(text) - 1) == sizeof(text) - 1;
  int error = errno;
  close(file);
  if (good) return SLI_CLI_OK;
  unlink(path);
  return sli_cli_fail(SLI_CLI_FAILED, "cannot write the token file %s: %s", path, strerror(error));
}

// The tasks inherit it.
static int use_token_file(const char *path) {
  int code = make_token_file(path);
  char *whole = code ? NULL : realpath(path, NULL);
  if (!code && !whole) code = sli_cli_fail(SLI_CLI_FAILED, "cannot find the token file %s: %s", path, strerror(errno));
  if (code) return code;
  setenv("SLUICE_TOKEN_FILE", whole, 1);
  unsetenv("SLUICE_TOKEN");
  free(whole);
  return SLI_CLI_OK;
}

// --- The command ---

// Returns in the supervisor only, with the exit code of the job.
static int launch(void) {
  sli_launch_guard_t guard;
  sli_launch_plan_t plan = {0};
  sli_status_t *status = sli_launch_guard_enter(&guard);
  if (!status) status = sli_launch_plan_initialize(&plan, &request);
  int code = status ? sli_cli_fail(SLI_CLI_FAILED, "%s", sli_status_message(status))
                    : sli_launch_job_run(&plan, &job_options, &guard);
  sli_status_release(status);
  sli_launch_plan_deinitialize(&plan);
  return code;
}

static int run(int argc, char **argv) {
  int code = check_request(argc);
  request.program = argv + 1;
  if (!code && argc > 1) code = check_program(argv[1]);
  if (!code && token_file) code = use_token_file(token_file);
  if (code) return code;
  char self[PATH_MAX] = "";
  char *serve[] = {self, "serve", NULL};
  job_options.keep_going = keep_going != NULL;
  job_options.dead_fail = keep_going && !strcmp(keep_going, "fail");
  if (serve_ps) {
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
      return sli_cli_fail(SLI_CLI_FAILED, "cannot find the path of sluice itself: %s", strerror(errno));
    request.ps_program = serve;
  }
  return launch();
}

const sli_cli_command_t sli_cli_launch = {.name = "launch", .options = &options, .run = run};
