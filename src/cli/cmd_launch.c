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
#include "cli/launch/launch_hosts.h"
#include "cli/launch/launch_job.h"
#include "cli/launch/launch_plan.h"
#include "cli/launch/launch_process.h"
#include "cli/launch/launch_remote.h"
#include "cli/manifest/manifest.h"

static sli_launch_request_t request = {.workers = 1};
static const char *workers_text = "1";
static sli_launch_job_options_t job_options = {.stop_grace = 30, .ps_grace = 30};
static sli_launch_remote_options_t remote_options = {.ssh = "ssh", .silence = 60, .connect_timeout = 30};
static sli_launch_host_list_t host_list;
static sli_option_list_t copies;
static sli_manifest_options_t manifest = {
    .name = "train", .image = "sluice", .cpus = "1", .memory = "1Gi", .max_restarts = 6};
static const char *format;
static bool serve_ps, workers_given, local, makes_token = true;
static const char *keep_going, *token_file, *hosts_text, *host_file, *work_directory;

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
     .kind = SLI_OPTION_TEXT,
     .value = &workers_text,
     .given = &workers_given,
     .argument = "N",
     .help = "number of workers; on hosts with numbers of tasks, by default as many as there is room for. MIN:MAX: "
             "workers may leave, as long as there are MIN"},
    {.name = "discovery",
     .kind = SLI_OPTION_TEXT,
     .value = &job_options.discovery,
     .argument = "SCRIPT",
     .help =
         "with --workers MIN:MAX: run this command every second, which prints HOST:PLACES, and let workers join and "
         "leave as it says"},
    {.name = "chief", .kind = SLI_OPTION_BOOL, .value = &request.chief, .help = "add a chief task"},
    {.name = "evaluator",
     .kind = SLI_OPTION_BOOL,
     .value = &request.evaluator,
     .help = "add an evaluator task, which is not part of the cluster"},
    {.name = "hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &hosts_text,
     .argument = "H1:4,H2:4",
     .help = "run the tasks on these hosts, by ssh, at most so many on each (without a number: equal shares)"},
    {.name = "hostfile",
     .kind = SLI_OPTION_TEXT,
     .value = &host_file,
     .argument = "FILE",
     .help = "the same from a file, a line for each host: NAME, NAME:4 or NAME slots=4"},
    {.name = "local",
     .kind = SLI_OPTION_BOOL,
     .value = &local,
     .help = "run all tasks on this machine, also in a Slurm job"},
    {.name = "copy",
     .kind = SLI_OPTION_EACH,
     .value = &copies,
     .argument = "PATH",
     .help = "copy this file or directory to the same path of each host first, unless the host shares it; may be "
             "repeated"},
    {.name = "directory",
     .kind = SLI_OPTION_TEXT,
     .value = &work_directory,
     .argument = "DIR",
     .help = "run the tasks in DIR of their hosts (default: the directory that we are in)"},
    {.name = "ssh",
     .kind = SLI_OPTION_TEXT,
     .value = &remote_options.ssh,
     .argument = "COMMAND",
     .help = "the command of ssh, such as 'ssh -p 2222 -i key'"},
    {.name = "remote-sluice",
     .kind = SLI_OPTION_TEXT,
     .value = &remote_options.sluice,
     .argument = "PATH",
     .help = "the path of sluice on the hosts (default: as here, or else in PATH there)"},
    {.name = "port",
     .kind = SLI_OPTION_INT,
     .value = &request.first_port,
     .argument = "N",
     .minimum = 1,
     .maximum = 65000,
     .help = "let the tasks of each host listen at ports N, N + 1 and so on, instead of free ones"},
    {.name = "host-timeout",
     .kind = SLI_OPTION_DOUBLE,
     .value = &remote_options.silence,
     .argument = "SECONDS",
     .minimum = 1,
     .maximum = 1e6,
     .help = "count a host as lost that says nothing for so long; it then ends its tasks"},
    {.name = "connect-timeout",
     .kind = SLI_OPTION_DOUBLE,
     .value = &remote_options.connect_timeout,
     .argument = "SECONDS",
     .minimum = 1,
     .maximum = 1e6,
     .help = "time to reach all hosts"},
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
    {.name = "http",
     .kind = SLI_OPTION_INT,
     .value = &request.http,
     .argument = "PORT",
     .help = "let the tasks serve metrics and a page over HTTP on the loopback device: the first one at PORT, the next "
             "at PORT + 1, in the order ps, chief, workers",
     .minimum = 1,
     .maximum = 65535},
    {.name = "token-file",
     .kind = SLI_OPTION_TEXT,
     .value = &token_file,
     .argument = "FILE",
     .help = "let the tasks accept only callers that have the token in FILE, which is made if it does not exist; stock "
             "TensorFlow has no token and cannot take part"},
    {.name = "token",
     .kind = SLI_OPTION_BOOL,
     .value = &makes_token,
     .help =
         "make a token for this run if there is none; on one host only processes of other users need it. --no-token: "
         "do not, for stock TensorFlow on several hosts"},
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
    {.name = "print",
     .kind = SLI_OPTION_TEXT,
     .value = &format,
     .argument = "FORMAT",
     .words = sli_manifest_formats,
     .help = "start nothing, but print the same job as a manifest: kubernetes (Jobs and a service), tfjob (Kubeflow), "
             "compose or systemd"},
    {.name = "name",
     .kind = SLI_OPTION_TEXT,
     .value = &manifest.name,
     .argument = "NAME",
     .help = "with --print: the name of the job"},
    {.name = "image",
     .kind = SLI_OPTION_TEXT,
     .value = &manifest.image,
     .argument = "IMAGE",
     .help = "with --print: the image of the containers"},
    {.name = "cpus",
     .kind = SLI_OPTION_TEXT,
     .value = &manifest.cpus,
     .argument = "N",
     .help = "with --print: the processors of each task"},
    {.name = "memory",
     .kind = SLI_OPTION_TEXT,
     .value = &manifest.memory,
     .argument = "SIZE",
     .help = "with --print: the memory of each task, such as 512Mi or 4Gi"},
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
    .summary = "Start a cluster of tasks, here or on other hosts, all running PROGRAM",
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

// Reads --workers: N, or MIN:MAX.
static int read_workers(void) {
  enum { MOST_WORKERS = 1000 };
  const char *colon = strchr(workers_text, ':');
  int64_t least = 0, most = 0;
  sli_view_t low = sli_view_of(workers_text, colon ? (size_t)(colon - workers_text) : 0);
  bool is_valid = sli_view_to_int64(sli_view(colon ? colon + 1 : workers_text), &most) && most >= 0 &&
                  most <= MOST_WORKERS && (!colon || (sli_view_to_int64(low, &least) && least >= 1 && least <= most));
  if (!is_valid)
    return sli_cli_fail(
        SLI_CLI_USAGE,
        "--workers must be a whole number from 0 to %d, or MIN:MAX with MIN of at least 1 and at most MAX, "
        "got '%s'",
        MOST_WORKERS, workers_text);
  if (workers_given) request.workers = most;
  request.min_workers = job_options.min_workers = least;
  if (job_options.discovery && !least)
    return sli_cli_fail(SLI_CLI_USAGE, "--discovery needs --workers MIN:MAX, got --workers %s", workers_text);
  if (job_options.discovery && (hosts_text || host_file))
    return sli_cli_fail(SLI_CLI_USAGE, "--discovery cannot be used with --hosts and --hostfile: its workers run here");
  return SLI_CLI_OK;
}

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
    return sli_cli_fail(SLI_LAUNCH_NOT_FOUND, "cannot find the program '%s'%s", program,
                        strchr(program, '/') ? "" : " in PATH");
  return sli_cli_fail(SLI_LAUNCH_NOT_RUNNABLE, "cannot run '%s': %s", program, strerror(error));
}

// --- The token ---

enum { TOKEN_BYTES = 32 };

static bool make_token(char text[static 2 * TOKEN_BYTES + 1]) {
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) return false;
  for (size_t i = 0; i < sizeof(bytes); i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

// Makes |path| with a new token, for this user only. Leaves a file that exists as it is.
static int make_token_file(const char *path) {
  char text[2 * TOKEN_BYTES + 2];
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST) return SLI_CLI_OK;
  if (file < 0) return sli_cli_fail(SLI_CLI_FAILED, "cannot make the token file %s: %s", path, strerror(errno));
  bool good = make_token(text);
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

static bool has_variable(const char *name) {
  const char *text = getenv(name);
  return text && *text;
}

// Everybody on the tasks' hosts, and often others, can connect to them, so there is a token unless something else was
// chosen. The tasks inherit it.
static int make_own_token(void) {
  char text[2 * TOKEN_BYTES + 1];
  if (!makes_token || has_variable("SLUICE_TOKEN") || has_variable("SLUICE_TOKEN_FILE") ||
      has_variable("SLUICE_TLS_CA"))
    return SLI_CLI_OK;
  if (!make_token(text)) return sli_cli_fail(SLI_CLI_FAILED, "cannot make a token: %s", strerror(errno));
  setenv("SLUICE_TOKEN", text, 1);
  // On one host it is for other users: this user's commands, and stock TensorFlow, which cannot send it, go without.
  if (!request.hosts) setenv("SLUICE_TOKEN_SAME_USER", "1", 1);
  return SLI_CLI_OK;
}

// Tasks on other hosts get the token itself, since they do not have the file.
static int pass_token_file(void) {
  enum { MAX_TOKEN = 1100 };
  const char *file = getenv("SLUICE_TOKEN_FILE");
  char text[MAX_TOKEN] = "";
  if (!file) return SLI_CLI_OK;
  if (*file && !has_variable("SLUICE_TOKEN")) {
    FILE *stream = fopen(file, "re");
    if (!stream) return sli_cli_fail(SLI_CLI_FAILED, "cannot read the token file %s: %s", file, strerror(errno));
    if (!fgets(text, sizeof(text), stream)) text[0] = '\0';
    fclose(stream);
    text[strcspn(text, "\n")] = '\0';
  }
  if (text[0]) setenv("SLUICE_TOKEN", text, 1);
  unsetenv("SLUICE_TOKEN_FILE");
  return SLI_CLI_OK;
}

// --- Hosts ---

static int find_hosts(void) {
  sli_status_t *status = NULL;
  if (local && (hosts_text || host_file))
    return sli_cli_fail(SLI_CLI_USAGE, "--local cannot be used with --hosts and --hostfile");
  if (hosts_text) status = sli_launch_host_list_parse(&host_list, hosts_text);
  if (!status && host_file) status = sli_launch_host_list_read(&host_list, host_file);
  remote_options.slurm = !local && !hosts_text && !host_file && sli_launch_is_in_slurm_job();
  if (remote_options.slurm) status = sli_launch_host_list_read_slurm(&host_list);
  if (status) {
    int code = sli_cli_fail(SLI_CLI_USAGE, "%s%s", hosts_text ? "--hosts: " : "", sli_status_message(status));
    sli_status_release(status);
    return code;
  }
  if (host_list.count == 0 && copies.count) return sli_cli_fail(SLI_CLI_USAGE, "--copy needs --hosts or --hostfile");
  if (host_list.count == 0) return SLI_CLI_OK;
  request.hosts = &host_list;
  int64_t room = sli_launch_host_list_slots(&host_list) - request.ps - request.chief - request.evaluator;
  if (!workers_given && room > 0) request.workers = room;
  return SLI_CLI_OK;
}

static int check_copies(void) {
  for (size_t i = 0; i < copies.count; i++)
    if (access(copies.items[i], R_OK) != 0)
      return sli_cli_fail(SLI_CLI_FAILED, "cannot copy '%s': %s", copies.items[i], strerror(errno));
  return SLI_CLI_OK;
}

// --- The command ---

static sli_status_t *prepare(const sli_launch_guard_t *guard, sli_launch_plan_t *plan, sli_launch_remotes_t *remotes,
                             int *out_signal) {
  SLI_RETURN_IF_ERROR(sli_launch_plan_initialize(plan, &request));
  if (request.hosts)
    SLI_RETURN_IF_ERROR(sli_launch_remotes_connect(remotes, &remote_options, &request, plan, guard, out_signal));
  return sli_launch_plan_finish(plan, &request);
}

static int check_resources(void) {
  double cpus;
  if (!sli_view_to_double(sli_view(manifest.cpus), &cpus) || !(cpus > 0 && cpus <= 100000))
    return sli_cli_fail(SLI_CLI_USAGE, "--cpus must be a positive number, got '%s'", manifest.cpus);
  size_t digits = strspn(manifest.memory, "0123456789");
  const char *unit = manifest.memory + digits;
  if (digits == 0 || digits > 15 ||
      (strcmp(unit, "Ki") != 0 && strcmp(unit, "Mi") != 0 && strcmp(unit, "Gi") != 0 && strcmp(unit, "Ti") != 0))
    return sli_cli_fail(SLI_CLI_USAGE, "--memory must be a number with Ki, Mi, Gi or Ti, such as 4Gi, got '%s'",
                        manifest.memory);
  return SLI_CLI_OK;
}

static int print_manifest(void) {
  int code = check_resources();
  if (code) return code;
  sli_launch_plan_t plan = {0};
  sli_string_t text = {0};
  manifest.stop_grace = job_options.stop_grace;
  manifest.directory = job_options.directory;
  if (job_options.max_restarts) manifest.max_restarts = job_options.max_restarts;
  sli_status_t *status = sli_launch_plan_initialize(&plan, &request);
  if (!status) status = sli_manifest_append(format, &manifest, &request, &plan, &text);
  if (!status) fputs(sli_string_text(&text), stdout);
  if (status) code = sli_cli_fail(SLI_CLI_USAGE, "%s", sli_status_message(status));
  sli_status_release(status);
  sli_string_deinitialize(&text);
  sli_launch_plan_deinitialize(&plan);
  return code;
}

// Returns in the supervisor only, with the exit code of the job.
static int launch(void) {
  sli_launch_guard_t guard;
  sli_launch_plan_t plan = {0};
  sli_launch_remotes_t remotes = {0};
  int number = 0;
  sli_status_t *status = sli_launch_guard_enter(&guard);
  if (!status) status = prepare(&guard, &plan, &remotes, &number);
  // As ssh does: a host that cannot be reached is no fault of the program.
  int failure = sli_status_code(status) == SLI_UNAVAILABLE ? SLI_LAUNCH_EXIT_HOST_LOST : SLI_CLI_FAILED;
  int code = number   ? 128 + number
             : status ? sli_cli_fail(failure, "%s", sli_status_message(status))
                      : sli_launch_job_run(&plan, &remotes, &job_options, &guard);
  sli_status_release(status);
  sli_launch_remotes_deinitialize(&remotes);
  sli_launch_plan_deinitialize(&plan);
  return code;
}

static int run(int argc, char **argv) {
  static char self[PATH_MAX], here[PATH_MAX];
  static char *serve[] = {self, "serve", NULL};
  int code = read_workers();
  if (!code) code = find_hosts();
  if (!code) code = check_request(argc);
  request.program = argv + 1;
  // On other hosts the program may be another file, or one that is copied there.
  if (!code && argc > 1 && !request.hosts && !format) code = check_program(argv[1]);
  if (!code && request.hosts) code = check_copies();
  if (!code && token_file) code = use_token_file(token_file);
  if (!code && !format) code = make_own_token();
  if (!code && request.hosts && !format) code = pass_token_file();
  if (code) return code;
  job_options.keep_going = keep_going != NULL || request.min_workers;
  job_options.dead_fail = keep_going && !strcmp(keep_going, "fail");
  if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
    return sli_cli_fail(SLI_CLI_FAILED, "cannot find the path of sluice itself: %s", strerror(errno));
  if (!remote_options.sluice) remote_options.sluice = self;
  if (serve_ps) {
    serve[0] = request.hosts ? (char *)remote_options.sluice : self;
    if (format && sli_manifest_is_contained(format)) serve[0] = "sluice";
    request.ps_program = serve;
  }
  job_options.directory = work_directory ? work_directory : getcwd(here, sizeof(here)) ? here : "";
  remote_options.copies = &copies;
  return format ? print_manifest() : launch();
}

const sli_cli_command_t sli_cli_launch = {.name = "launch", .options = &options, .run = run};
