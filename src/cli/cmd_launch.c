// sluice launch: a whole cluster on this machine, for one program.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/launch_guard.h"
#include "cli/launch_job.h"
#include "cli/launch_plan.h"

enum { EXIT_NOT_RUNNABLE = 126, EXIT_NOT_FOUND = 127 };

static sli_launch_request_t request = {.workers = 1};
static sli_launch_job_options_t job_options = {.stop_grace = 5, .ps_grace = 30};
static bool serve_ps;

static const char *const index_flags[] = {"task_index", "task_id", NULL};
static const sli_option_t options_table[] = {
    {.name = "ps",
     .kind = SLI_OPTION_INT,
     .value = &request.ps,
     .argument = "N",
     .minimum = 0,
     .maximum = 1000,
     .help = "parameter servers"},
    {.name = "workers",
     .kind = SLI_OPTION_INT,
     .value = &request.workers,
     .argument = "N",
     .minimum = 0,
     .maximum = 1000,
     .help = "workers"},
    {.name = "chief", .kind = SLI_OPTION_BOOL, .value = &request.chief, .help = "a chief task beside the workers"},
    {.name = "evaluator",
     .kind = SLI_OPTION_BOOL,
     .value = &request.evaluator,
     .help = "an evaluator task, which is not a member of the cluster"},
    {.name = "serve-ps",
     .kind = SLI_OPTION_BOOL,
     .value = &serve_ps,
     .help = "the ps tasks run 'sluice serve' instead of PROGRAM"},
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
     .help = "keep what each task prints in DIR too, as worker-0.log and so on"},
    {.name = "max-restarts",
     .kind = SLI_OPTION_INT,
     .value = &job_options.max_restarts,
     .argument = "N",
     .minimum = 0,
     .maximum = 1000000,
     .help = "start a task again, up to N times and each time after a longer pause, when it is killed by a signal or "
             "ends with a code of 128 or above"},
    {.name = "timeout",
     .kind = SLI_OPTION_DOUBLE,
     .value = &job_options.timeout,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "stop everything after that time and exit with 124; 0 for no limit"},
    {.name = "stop-grace",
     .kind = SLI_OPTION_DOUBLE,
     .value = &job_options.stop_grace,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "time between asking a task to end and killing it"},
    {.name = "ps-grace",
     .kind = SLI_OPTION_DOUBLE,
     .value = &job_options.ps_grace,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "time that ps tasks have to end by themselves once all workers are done"},
    {.name = "quiet",
     .kind = SLI_OPTION_BOOL,
     .value = &job_options.quiet,
     .help = "print only what the tasks print, and failures"},
    {0}};

static const sli_options_t options = {
    .program = "sluice launch",
    .operands = "-- PROGRAM [ARGS...]",
    .summary = "Start a cluster of tasks on this machine, all running PROGRAM",
    .description =
        "Each task finds its place in TF_CONFIG, and among its like in RANK, LOCAL_RANK and WORLD_SIZE (chief and "
        "workers count as one kind); SLUICE_RESTART_COUNT says how often it was restarted. Its lines are shown behind "
        "its name.\n\n"
        "The first task that fails stops the others and gives the exit code, which is 128 plus the signal if one "
        "killed it. SIGINT, SIGTERM, SIGHUP and SIGQUIT go to all tasks; the second kills them at once. Nothing that "
        "the tasks started outlives the launcher, however that ends.",
    .examples =
        "  sluice launch --ps 1 --workers 2 -- ./trainer --steps 1000\n"
        "  sluice launch --ps 2 --workers 4 --serve-ps --log-dir logs -- ./trainer\n"
        "  sluice launch --ps 1 --workers 2 --classic-flags -- ./mnist_replica.py\n",
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
                        "--%s does not go with --classic-flags, which know ps and worker only (worker 0 "
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

// Looks the program up before anything is started, as execvp will.
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

// --- The story ---

// In the supervisor. Returns the exit code of the job.
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
  if (code) return code;
  char self[PATH_MAX] = "";
  char *serve[] = {self, "serve", NULL};
  if (serve_ps) {
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
      return sli_cli_fail(SLI_CLI_FAILED, "cannot find the path of sluice itself: %s", strerror(errno));
    request.ps_program = serve;
  }
  return launch();
}

const sli_cli_command_t sli_cli_launch = {.name = "launch", .options = &options, .run = run};
