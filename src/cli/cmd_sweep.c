// sluice sweep: runs a program with many values of its parameters, and finds the best.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/common/cli.h"
#include "cli/sweep/sweep_hparams.h"
#include "cli/sweep/sweep_run.h"
#include "cli/sweep/sweep_show.h"
#include "cli/sweep/sweep_state.h"
#include "io/file/file.h"

enum { LOCK_PATIENCE_MILLIS = 10000, DEFAULT_ROWS = 10 };

static sli_sweep_t sweep = {.directory = "sweep", .budget_name = "steps", .factor = 3};
static sli_sweep_run_options_t run_options = {.parallel = 1, .stop_grace = 30};
static sli_option_list_t parameters;
static const char *goal, *value = "last", *pass = "flags", *budget, *plot, *hosts;
static bool local, show, retry_failed, random_given, parallel_given;
static int64_t seed, limit = DEFAULT_ROWS;

static const char *const goals[] = {"max", "min", NULL};
static const char *const choices[] = {"last", "best", NULL};
static const char *const ways[] = {"flags", "env", NULL};
static const sli_option_t options_table[] = {
    {.name = "param",
     .kind = SLI_OPTION_EACH,
     .value = &parameters,
     .argument = "NAME=VALUES",
     .help = "a parameter: a list (64,128,256), log:LOW:HIGH, lin:LOW:HIGH or int:LOW:HIGH; a grid needs the number of "
             "points behind a range, log:1e-4:1e-1:4. May be given several times"},
    {.name = "grid",
     .kind = SLI_OPTION_BOOL,
     .value = &sweep.grid,
     .help = "a trial for each combination of the values"},
    {.name = "random",
     .kind = SLI_OPTION_INT,
     .value = &sweep.random,
     .given = &random_given,
     .argument = "N",
     .minimum = 1,
     .maximum = SLI_SWEEP_MAX_TRIALS,
     .help = "N trials with random values"},
    {.name = "metric",
     .kind = SLI_OPTION_TEXT,
     .value = &sweep.metric,
     .argument = "NAME",
     .help = "what decides: a scalar of the event files in {dir}, or a number behind NAME in the output"},
    {.name = "goal",
     .kind = SLI_OPTION_TEXT,
     .value = &goal,
     .argument = "GOAL",
     .words = goals,
     .help = "max or min; without it min if NAME contains loss or error, else max"},
    {.name = "value",
     .kind = SLI_OPTION_TEXT,
     .value = &value,
     .argument = "WHICH",
     .words = choices,
     .help = "which value of the metric counts, the last or the best of a trial"},
    {.name = "parallel",
     .kind = SLI_OPTION_INT,
     .value = &run_options.parallel,
     .given = &parallel_given,
     .argument = "N",
     .minimum = 1,
     .maximum = 1000,
     .help = "run N trials at the same time; with --hosts the number of hosts"},
    {.name = "halving",
     .kind = SLI_OPTION_BOOL,
     .value = &sweep.halving,
     .help =
         "successive halving: all trials run with the first budget, the best third with three times that, and so on"},
    {.name = "budget",
     .kind = SLI_OPTION_TEXT,
     .value = &budget,
     .argument = "FIRST:LAST",
     .help = "budgets of --halving, such as 100:2700 steps"},
    {.name = "budget-name",
     .kind = SLI_OPTION_TEXT,
     .value = &sweep.budget_name,
     .argument = "NAME",
     .help = "the parameter that gets the budget, unless the command has {budget}"},
    {.name = "factor",
     .kind = SLI_OPTION_INT,
     .value = &sweep.factor,
     .argument = "N",
     .minimum = 2,
     .maximum = 100,
     .help = "with --halving, one of N trials goes on, with N times the budget"},
    {.name = "dir",
     .kind = SLI_OPTION_TEXT,
     .value = &sweep.directory,
     .argument = "DIR",
     .help = "directory of the sweep, with results.csv and a directory for each trial"},
    {.name = "pass",
     .kind = SLI_OPTION_TEXT,
     .value = &pass,
     .argument = "WAY",
     .words = ways,
     .help =
         "how a parameter that the command does not contain as {NAME} is passed: as --NAME=VALUE, or as a variable of "
         "the environment"},
    {.name = "seed",
     .kind = SLI_OPTION_INT,
     .value = &seed,
     .given = &sweep.seed_given,
     .argument = "N",
     .minimum = 0,
     .maximum = 9e15,
     .help = "seed of the random values and of the seeds of the trials; without it a random one, which is recorded"},
    {.name = "hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &hosts,
     .argument = "H1,H2:4",
     .help =
         "run the trials on these hosts, by ssh, as 'launch --hosts' does; the trials that run at the same time share "
         "them out. In a Slurm job these are its nodes, by srun"},
    {.name = "local",
     .kind = SLI_OPTION_BOOL,
     .value = &local,
     .help = "run all trials on this machine, also in a Slurm job"},
    {.name = "max-restarts",
     .kind = SLI_OPTION_INT,
     .value = &run_options.max_restarts,
     .argument = "N",
     .minimum = 0,
     .maximum = 1000000,
     .help = "run a trial again that was killed by a signal or ended with a code of 128 or above, at most N times"},
    {.name = "retry-failed",
     .kind = SLI_OPTION_BOOL,
     .value = &retry_failed,
     .help = "run the trials again that failed when the sweep ran before"},
    {.name = "timeout",
     .kind = SLI_OPTION_DOUBLE,
     .value = &run_options.timeout,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "stop a trial that runs longer; it has failed. 0: no limit"},
    {.name = "stop-grace",
     .kind = SLI_OPTION_DOUBLE,
     .value = &run_options.stop_grace,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "time that a trial has to save and end after SIGTERM, before SIGKILL"},
    {.name = "show",
     .kind = SLI_OPTION_BOOL,
     .value = &show,
     .help = "run nothing: show the trials of the sweep in --dir, also while it runs"},
    {.name = "plot",
     .kind = SLI_OPTION_TEXT,
     .value = &plot,
     .argument = "NAME",
     .help = "draw the metric against this parameter, instead of the best metric after each trial"},
    {.name = "limit",
     .kind = SLI_OPTION_INT,
     .value = &limit,
     .argument = "N",
     .minimum = 1,
     .maximum = SLI_SWEEP_MAX_TRIALS,
     .help = "show the N best trials"},
    {.name = "quiet", .kind = SLI_OPTION_BOOL, .value = &run_options.quiet, .help = "print the report at the end only"},
    {0}};

static const sli_options_t options = {
    .program = "sluice sweep",
    .operands = "-- PROGRAM [ARGS...] | -- launch [OPTIONS] -- PROGRAM [ARGS...]",
    .summary = "Run PROGRAM with many values of its parameters, and find the best",
    .description =
        "Each run is a trial: a program, or a whole cluster by 'launch'. In the words of the command {NAME} of a "
        "parameter, {dir} (the directory of the trial), {seed}, {trial} (its number), {budget}, {host} and {hosts} are "
        "replaced. "
        "Parameters that it does not contain are added as --NAME=VALUE. The environment has SLUICE_TRIAL, "
        "SLUICE_TRIAL_DIR, SLUICE_TRIAL_SEED and SLUICE_TRIAL_BUDGET.\n\n"
        "The same command continues a sweep that was interrupted or killed: trials that have ended are not run again, "
        "and those that ran start again in their directory, where a program that keeps checkpoints finds them. A "
        "larger "
        "--random adds trials. With --halving a trial that goes on is started again, too.\n\n"
        "A trial that fails is named, and the others go on. The exit code is 0 if a trial succeeded, else 1. The files "
        "of TensorBoard's HParams plugin are in DIR: tensorboard --logdir DIR.",
    .examples =
        "  sluice sweep --param lr=log:1e-4:1e-1 --param units=64,128 --random 50 --metric accuracy --parallel 2 -- "
        "./trainer --log_dir={dir}\n"
        "  sluice sweep --param lr=0.1,0.01 --grid --metric loss -- launch --ps 1 --workers 2 -- ./trainer "
        "--log_dir={dir}\n"
        "  sluice sweep --param lr=log:1e-4:1e-1 --random 27 --halving --budget 100:2700 --metric accuracy -- "
        "./trainer --log_dir={dir}\n"
        "  sluice sweep --dir sweep --show --plot lr\n",
    .options = options_table,
    .options_first = true,
};

// --- Checks ---

static int check_budget(void) {
  sli_view_t first, last;
  if (!sweep.halving)
    return budget ? sli_cli_fail(SLI_CLI_USAGE, "--budget is for --halving; give both or none") : SLI_CLI_OK;
  if (!budget) return sli_cli_fail(SLI_CLI_USAGE, "--halving needs --budget FIRST:LAST, such as 100:2700 steps");
  if (!sli_view_split(sli_view(budget), ':', &first, &last) || !sli_view_to_int64(first, &sweep.first_budget) ||
      !sli_view_to_int64(last, &sweep.last_budget) || sweep.first_budget < 1 ||
      sweep.last_budget < sweep.first_budget || sweep.last_budget > INT64_MAX / 200)
    return sli_cli_fail(SLI_CLI_USAGE, "--budget must be FIRST:LAST with 1 <= FIRST <= LAST, got '%s'", budget);
  return SLI_CLI_OK;
}

static int check_request(int argc) {
  if (!parameters.count)
    return sli_cli_fail(SLI_CLI_USAGE, "no parameters: give --param NAME=VALUES, such as --param lr=log:1e-4:1e-1");
  if (sweep.grid == random_given) return sli_cli_fail(SLI_CLI_USAGE, "give either --grid or --random N");
  if (!sweep.metric || !*sweep.metric)
    return sli_cli_fail(SLI_CLI_USAGE, "no metric: give --metric NAME, a scalar of the event files or the output");
  if (argc < 2) return sli_cli_fail(SLI_CLI_USAGE, "no program to run; see 'sluice sweep --help'");
  for (size_t i = 0; i < parameters.count; i++) {
    sli_status_t *status = sli_sweep_space_add(&sweep.space, parameters.items[i]);
    int code = status ? sli_cli_fail(SLI_CLI_USAGE, "%s", sli_status_message(status)) : SLI_CLI_OK;
    sli_status_release(status);
    if (code) return code;
  }
  sli_status_t *status = plot ? sli_sweep_show_check_plot(&sweep, plot) : NULL;
  int code = status ? sli_cli_fail(SLI_CLI_USAGE, "%s", sli_status_message(status)) : check_budget();
  sli_status_release(status);
  return code;
}

static int find_hosts(void) {
  if (local && hosts) return sli_cli_fail(SLI_CLI_USAGE, "--local cannot be used with --hosts");
  run_options.slurm = !local && !hosts && sli_launch_is_in_slurm_job();
  sli_status_t *status = hosts               ? sli_launch_host_list_parse(&run_options.hosts, hosts)
                         : run_options.slurm ? sli_launch_host_list_read_slurm(&run_options.hosts)
                                             : NULL;
  int code = status ? sli_cli_fail(SLI_CLI_USAGE, "%s%s", hosts ? "--hosts: " : "", sli_status_message(status)) : 0;
  sli_status_release(status);
  return code;
}

static bool is_minimized(const char *name) {
  return goal ? !strcmp(goal, "min") : strcasestr(name, "loss") || strcasestr(name, "error");
}

// --- The command ---

// Makes the directory, and its path absolute: programs may change theirs.
static sli_status_t *enter_directory(void) {
  SLI_RETURN_IF_ERROR(sli_file_make_directories(sweep.directory));
  static char path[PATH_MAX];
  if (!realpath(sweep.directory, path)) return sli_status_from_errno(errno, "%s", sweep.directory);
  sweep.directory = path;
  return NULL;
}

// One sweep at a time in a directory. The lock ends with the processes that have it: after a kill that may take a
// moment.
static sli_status_t *lock_directory(void) {
  char *path = sli_format("%s/.lock", sweep.directory);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  sli_status_t *status = file < 0 ? sli_status_from_errno(errno, "%s", path) : NULL;
  free(path);
  if (status) return status;
  int64_t deadline = sli_clock_deadline_after_millis(LOCK_PATIENCE_MILLIS);
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return sli_status_from_errno(errno, "cannot lock '%s'", sweep.directory);
    if (sli_clock_now_nanos() >= deadline)
      return sli_status_make(SLI_FAILED_PRECONDITION,
                             "a sweep is running in '%s'; wait for its end, or choose another --dir", sweep.directory);
    usleep(20000);
  }
  return NULL;  // |file| stays open
}

static sli_status_t *prepare(void) {
  SLI_RETURN_IF_ERROR(enter_directory());
  SLI_RETURN_IF_ERROR(lock_directory());
  bool continued;
  SLI_RETURN_IF_ERROR(sli_sweep_open(&sweep, &continued));
  for (size_t i = 0; i < sweep.trials.count && retry_failed; i++)
    if (sweep.trials.items[i].status == SLI_SWEEP_FAILED) sweep.trials.items[i].status = SLI_SWEEP_WAITING;
  SLI_RETURN_IF_ERROR(sli_sweep_hparams_write_experiment(&sweep));
  size_t waiting = sli_sweep_count(&sweep, SLI_SWEEP_WAITING), count = sweep.trials.count;
  if (continued && !run_options.quiet)
    sli_cli_fail(0, "continues the sweep in '%s': %zu of %zu trials have ended", sweep.directory, count - waiting,
                 count);
  if (!sweep.grid && count < (size_t)sweep.random)
    sli_cli_fail(0, "the values have only %zu different combinations: %zu trials instead of %" PRId64, count, count,
                 sweep.random);
  return NULL;
}

static int fail(sli_status_t *status) {
  int code = sli_cli_fail(SLI_CLI_FAILED, "%s", sli_status_message(status));
  sli_status_release(status);
  return code;
}

static int run_sweep(void) {
  sli_status_t *status = prepare();
  if (status) return fail(status);
  static char self[PATH_MAX];
  if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
    return sli_cli_fail(SLI_CLI_FAILED, "cannot find the path of sluice itself: %s", strerror(errno));
  run_options.self = self;
  sli_launch_guard_t guard;
  status = sli_launch_guard_enter(&guard);
  if (status) return fail(status);
  int code = sli_sweep_run(&sweep, &run_options, &guard);
  status = sli_sweep_show_report(&sweep, plot, limit);
  if (status) return fail(status);
  if (code >= SLI_CLI_RETRY) sli_cli_fail(code, "the sweep was interrupted; the same command continues it");
  return code ? code : sli_sweep_best(&sweep) ? SLI_CLI_OK : sli_cli_fail(SLI_CLI_FAILED, "no trial succeeded");
}

static int show_sweep(int argc) {
  if (argc > 1) return sli_cli_fail(SLI_CLI_USAGE, "--show runs nothing, but a program is given");
  sli_status_t *status = sli_sweep_read(&sweep);
  if (!status) status = sli_sweep_show_report(&sweep, plot, limit);
  return status ? fail(status) : SLI_CLI_OK;
}

static int run(int argc, char **argv) {
  int code = show ? show_sweep(argc) : check_request(argc);
  if (!show && !code) {
    sweep.command = argv + 1;
    sweep.minimize = is_minimized(sweep.metric);
    sweep.take_best = !strcmp(value, "best");
    sweep.pass_environment = !strcmp(pass, "env");
    sweep.seed = (uint64_t)seed;
    code = find_hosts();
    if (run_options.hosts.count && !parallel_given) run_options.parallel = (int64_t)run_options.hosts.count;
    if (!code) code = run_sweep();
  }
  sli_sweep_deinitialize(&sweep);
  sli_option_list_deinitialize(&parameters);
  sli_launch_host_list_deinitialize(&run_options.hosts);
  return code;
}

const sli_cli_command_t sli_cli_sweep = {.name = "sweep", .options = &options, .run = run};
