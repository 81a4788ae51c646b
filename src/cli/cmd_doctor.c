// sluice doctor: connects to every task of a cluster as a peer would, and prints one line each: what is wrong and what
// to do about it.
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "cli/common/cli.h"
#include "cli/common/report.h"
#include "sluice/cluster.h"

enum { MEGABYTE = 1 << 20 };
#define MAX_SKEW_SECONDS 1.0

static struct {
  const char *ps_hosts, *worker_hosts, *chief_hosts;
  double timeout;
  int64_t megabytes;
} flags = {.timeout = 5, .megabytes = 8};

static const sli_option_t option_table[] = {
    {.name = "ps_hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.ps_hosts,
     .argument = "HOSTS",
     .help = "parameter servers, HOST:PORT,…"},
    {.name = "worker_hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.worker_hosts,
     .argument = "HOSTS",
     .help = "workers"},
    {.name = "chief_hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.chief_hosts,
     .argument = "HOSTS",
     .help = "the chief"},
    {.name = "timeout",
     .kind = SLI_OPTION_DOUBLE,
     .value = &flags.timeout,
     .argument = "SECONDS",
     .minimum = 0.1,
     .maximum = 86400,
     .help = "time limit for each task"},
    {.name = "megabytes",
     .kind = SLI_OPTION_INT,
     .value = &flags.megabytes,
     .argument = "N",
     .minimum = 0,
     .maximum = 1024,
     .help = "how much to send to measure the throughput; 0: do not measure it"},
    SLI_CLI_TLS_OPTIONS,
    {0}};

static const sli_options_t spec = {
    .program = "sluice doctor",
    .operands = "[TARGET|CLUSTER]",
    .summary = "Find out why the tasks of a cluster cannot reach each other",
    .description =
        "TARGET is a running task, HOST:PORT or grpc://HOST:PORT, which reports the addresses of the others. CLUSTER "
        "is "
        "'ps|HOST:PORT;HOST:PORT,worker|HOST:PORT'. Without either, the cluster comes from the flags, or else from "
        "TF_CONFIG. Every task is checked from this machine: host name, port, protocol, job and index, incarnation, "
        "its own list of tasks, version, clock, round trip and throughput.\n\n"
        "Exit code 0 if all tasks are well, 1 if something must be changed, 128 if tasks are just not up yet.",
    .examples =
        "  sluice doctor localhost:2222\n"
        "  sluice doctor 'ps|localhost:2222,worker|localhost:2223;localhost:2224'\n"
        "  sluice doctor --ps_hosts=localhost:2222 --worker_hosts=localhost:2223,localhost:2224\n",
    .options = option_table,
};

typedef struct {
  char *job;  // NULL: any task that replies
  int index;
  char *address;
  sl_probe_t *probe;
  sl_task_status_t *status;  // NULL: it has none, or is a stock task
} probed_task_t;

typedef SLI_ARRAY(probed_task_t) probed_tasks_t;

static void add_task(probed_tasks_t *tasks, sli_view_t job, int index, sli_view_t address) {
  sli_array_push(tasks, (probed_task_t){.job = job.size ? sli_strndup(job.data, job.size) : NULL,
                                        .index = index,
                                        .address = sli_strndup(address.data, address.size)});
}

// --- The tasks of the cluster ---

static void add_hosts(probed_tasks_t *tasks, sli_view_t job, sli_view_t hosts, char separator) {
  sli_view_t host;
  bool more = hosts.size > 0;
  for (int index = 0; more; index++) {
    more = sli_view_split(hosts, separator, &host, &hosts);
    host = sli_view_trim(host);
    if (host.size) add_task(tasks, job, index, host);
  }
}

static bool add_spec(probed_tasks_t *tasks, const char *text) {
  bool more = true;
  for (sli_view_t rest = sli_view(text), job, name, hosts; more;) {
    more = sli_view_split(rest, ',', &job, &rest);
    if (!sli_view_split(job, '|', &name, &hosts) || !name.size || !hosts.size) return false;
    add_hosts(tasks, name, hosts, ';');
  }
  return true;
}

static int add_config(probed_tasks_t *tasks, const char *text) {
  json_error_t error;
  json_t *config = json_loads(text, 0, &error), *hosts, *host;
  if (!config) return sli_cli_fail(SLI_CLI_FAILED, "TF_CONFIG is not valid JSON: line %d: %s", error.line, error.text);
  const char *job;
  json_object_foreach(json_object_get(config, "cluster"), job, hosts) {
    if (json_is_string(hosts)) add_task(tasks, sli_view(job), 0, sli_view(json_string_value(hosts)));
    size_t i;
    json_array_foreach(hosts, i, host) if (json_is_string(host))
        add_task(tasks, sli_view(job), (int)i, sli_view(json_string_value(host)));
    const char *index;
    if (json_is_object(hosts))
      json_object_foreach(hosts, index, host) if (json_is_string(host))
          add_task(tasks, sli_view(job), (int)strtol(index, NULL, 10), sli_view(json_string_value(host)));
  }
  json_decref(config);
  return tasks->count ? SLI_CLI_OK : sli_cli_fail(SLI_CLI_FAILED, "TF_CONFIG has no \"cluster\" with addresses");
}

// Adds the tasks that |target| reports, or |target| alone.
static void add_target(probed_tasks_t *tasks, const char *target) {
  TF_Status *status = TF_NewStatus();
  sl_task_status_t *task = sl_cluster_status(target, (int64_t)(flags.timeout * 1000), 0, status);
  for (size_t i = 0; task && i < task->task_count; i++)
    add_task(tasks, sli_view(task->tasks[i].job), task->tasks[i].index, sli_view(task->tasks[i].address));
  if (!tasks->count) add_task(tasks, sli_view(""), 0, sli_view(target));
  sl_task_status_free(task);
  TF_DeleteStatus(status);
}

static int find_tasks(probed_tasks_t *tasks, const char *operand) {
  const char *config = getenv("TF_CONFIG");
  if (operand && strchr(operand, '|'))
    return add_spec(tasks, operand) ? SLI_CLI_OK
                                    : sli_cli_fail(SLI_CLI_USAGE,
                                                   "'%s' is not a cluster; expected "
                                                   "'ps|HOST:PORT,worker|HOST:PORT;HOST:PORT'",
                                                   operand);
  if (operand) {
    int code = sli_cli_check_target(operand);
    if (!code) add_target(tasks, operand);
    return code;
  }
  if (flags.ps_hosts) add_hosts(tasks, sli_view("ps"), sli_view(flags.ps_hosts), ',');
  if (flags.chief_hosts) add_hosts(tasks, sli_view("chief"), sli_view(flags.chief_hosts), ',');
  if (flags.worker_hosts) add_hosts(tasks, sli_view("worker"), sli_view(flags.worker_hosts), ',');
  if (tasks->count) return SLI_CLI_OK;
  if (config && config[0]) return add_config(tasks, config);
  return sli_cli_fail(SLI_CLI_USAGE, "doctor needs a TARGET, a CLUSTER or TF_CONFIG; see 'sluice doctor --help'");
}

// --- Probing ---

static void *probe_task(void *context) {
  probed_task_t *task = context;
  task->probe = sl_cluster_probe(task->address, task->job, task->index, (int64_t)(flags.timeout * 1000),
                                 flags.megabytes * MEGABYTE);
  if (task->job && task->probe->failed_at == SL_PROBE_OK && task->probe->is_sluice) {
    TF_Status *status = TF_NewStatus();
    task->status = sl_cluster_status(task->address, (int64_t)(flags.timeout * 1000), 0, status);
    TF_DeleteStatus(status);
  }
  return NULL;
}

static void probe_all(probed_tasks_t *tasks) {
  // Throughput is measured one task at a time, since they would share the network.
  bool together = flags.megabytes == 0;
  pthread_t *threads = sli_calloc(tasks->count, sizeof(*threads));
  for (size_t i = 0; i < tasks->count; i++)
    if (!together || pthread_create(&threads[i], NULL, probe_task, &tasks->items[i]) != 0) {
      threads[i] = 0;
      probe_task(&tasks->items[i]);
    }
  for (size_t i = 0; i < tasks->count; i++)
    if (threads[i]) pthread_join(threads[i], NULL);
  free(threads);
}

// --- The report ---

// Whether the task may just not be up yet.
static bool is_passing(sl_probe_stage_t stage) {
  return stage == SL_PROBE_REFUSED || stage == SL_PROBE_TIMEOUT || stage == SL_PROBE_UNREACHABLE;
}

static void print_health(const sl_probe_t *probe) {
  printf("%s, round trip %.2f ms", probe->is_sluice ? "Sluice" : "stock TensorFlow", probe->round_trip * 1e3);
  if (probe->is_sluice) printf(", version %s, clock %+.3f s", probe->version, probe->clock_skew);
  if (probe->bytes_per_second > 0) printf(", %.0f MB/s", probe->bytes_per_second / 1e6);
  printf(", incarnation %llu", (unsigned long long)probe->incarnation);
}

// The other entry of the cluster that is the same process as |task|; NULL if there is none, or if the error is
// reported for the other entry.
static const probed_task_t *find_same_process(const probed_tasks_t *tasks, const probed_task_t *task) {
  for (size_t i = 0; i < tasks->count && task->probe->incarnation; i++) {
    const probed_task_t *other = &tasks->items[i];
    if (other == task || other->probe->incarnation != task->probe->incarnation) continue;
    if (task->probe->failed_at != SL_PROBE_OK) return other;
    if (other < task && other->probe->failed_at == SL_PROBE_OK) return other;
  }
  return NULL;
}

// A host may have several names, so only the ports are compared. Port 0: the system chooses it.
static bool is_same_address(const char *a, const char *b) {
  const char *x = strrchr(a, ':'), *y = strrchr(b, ':');
  return x && y && (!strcmp(x, y) || !strcmp(x, ":0") || !strcmp(y, ":0"));
}

// Whether the list |tasks| may be right: each task is where it should be, and only there.
static bool is_plausible(const probed_tasks_t *tasks) {
  for (size_t i = 0; i < tasks->count; i++)
    if (tasks->items[i].probe->failed_at == SL_PROBE_WRONG_TASK || find_same_process(tasks, &tasks->items[i]))
      return false;
  return true;
}

// How the list of tasks that |status| reports differs from |tasks|; NULL if it does not. The caller frees it.
static char *compare_lists(const probed_tasks_t *tasks, const sl_task_status_t *status) {
  sli_string_t text = {0};
  for (size_t i = 0; i < tasks->count; i++) {
    const probed_task_t *task = &tasks->items[i];
    const char *address = NULL;
    for (size_t k = 0; k < status->task_count && !address; k++)
      if (task->job && status->tasks[k].index == task->index && !strcmp(status->tasks[k].job, task->job))
        address = status->tasks[k].address;
    if (address && is_same_address(address, task->address)) continue;
    sli_string_append_format(&text, "%s%s %d is %s, not %s", text.size ? "; " : "", task->job, task->index,
                             address ? address : "missing", task->address);
  }
  for (size_t k = 0; k < status->task_count; k++) {
    bool has_job = false, found = false;  // a job may be left out
    for (size_t i = 0; i < tasks->count && !found; i++) {
      bool is_job = tasks->items[i].job && !strcmp(status->tasks[k].job, tasks->items[i].job);
      has_job |= is_job;
      found = is_job && status->tasks[k].index == tasks->items[i].index;
    }
    if (has_job && !found)
      sli_string_append_format(&text, "%s%s %d is %s, here it is missing", text.size ? "; " : "", status->tasks[k].job,
                               status->tasks[k].index, status->tasks[k].address);
  }
  return text.size ? sli_string_take(&text) : NULL;
}

// What is wrong with a task that replies; NULL if nothing. |version|: that of the first Sluice task. The caller frees
// it.
static char *find_complaint(const probed_tasks_t *tasks, const probed_task_t *task, const char *version) {
  const sl_probe_t *probe = task->probe;
  if (!probe->is_sluice) return NULL;
  char *differences = task->status && is_plausible(tasks) ? compare_lists(tasks, task->status) : NULL;
  if (differences) {
    char *text = sli_format("it was started with another list of tasks: in its list, %s. Start all with the same lists",
                            differences);
    free(differences);
    return text;
  }
  if (fabs(probe->clock_skew) > MAX_SKEW_SECONDS)
    return sli_format(
        "its clock is %.1f s %s the clock here: synchronise the clocks (NTP), or events and traces will be out of "
        "order",
        fabs(probe->clock_skew), probe->clock_skew > 0 ? "ahead of" : "behind");
  if (version && strcmp(version, probe->version) != 0)
    return sli_format("it is version %s, others are %s: use one version everywhere", probe->version, version);
  return NULL;
}

// The caller frees it.
static char *task_name(const probed_task_t *task) {
  if (task->job) return sli_format("%s %d", task->job, task->index);
  return sli_strdup(task->probe->task[0] ? task->probe->task : "task");
}

// Prints one line; returns the exit code for this task.
static int print_finding(const probed_tasks_t *tasks, const probed_task_t *task, const char *version) {
  const sl_probe_t *probe = task->probe;
  char *name = task_name(task);
  printf("%-10s %-24s ", name, task->address);
  free(name);
  const probed_task_t *other = find_same_process(tasks, task);
  if (other) {
    sli_report_print(SLI_REPORT_RED, "FAILED");
    name = task_name(other);
    printf("  %s answers, the same process as at %s (%s; incarnation %llu): give each task a separate address\n",
           probe->task, other->address, name, (unsigned long long)probe->incarnation);
    free(name);
    return SLI_CLI_FAILED;
  }
  if (probe->failed_at != SL_PROBE_OK) {
    sli_report_print(SLI_REPORT_RED, "FAILED");
    printf("  %s\n", probe->why);
    return is_passing(probe->failed_at) ? SLI_CLI_RETRY : SLI_CLI_FAILED;
  }
  char *complaint = find_complaint(tasks, task, version);
  sli_report_print(complaint ? SLI_REPORT_YELLOW : SLI_REPORT_BOLD, complaint ? "WRONG " : "ok    ");
  printf("  ");
  if (complaint)
    printf("%s", complaint);
  else
    print_health(probe);
  printf("\n");
  int code = complaint ? SLI_CLI_FAILED : SLI_CLI_OK;
  free(complaint);
  return code;
}

// An error that must be fixed outweighs one that may pass.
static int worse(int a, int b) {
  if (a == SLI_CLI_FAILED || b == SLI_CLI_FAILED) return SLI_CLI_FAILED;
  return a ? a : b;
}

static int report(const probed_tasks_t *tasks) {
  const char *version = NULL, *proxy = "";
  int code = SLI_CLI_OK;
  for (size_t i = 0; i < tasks->count; i++) {
    const sl_probe_t *probe = tasks->items[i].probe;
    if (!version && probe->failed_at == SL_PROBE_OK && probe->is_sluice) version = probe->version;
    if (probe->proxy[0]) proxy = probe->proxy;
  }
  for (size_t i = 0; i < tasks->count; i++) code = worse(code, print_finding(tasks, &tasks->items[i], version));
  if (proxy[0])
    printf(
        "note: %s is set; Sluice ignores it for cluster traffic, but stock TensorFlow may not: unset it there or set "
        "no_proxy\n",
        proxy);
  fflush(stdout);
  return code;
}

static int run(int argc, char **argv) {
  if (argc > 2) return sli_cli_fail(SLI_CLI_USAGE, "doctor takes one TARGET or CLUSTER; see 'sluice doctor --help'");
  probed_tasks_t tasks = {0};
  int code = find_tasks(&tasks, argc > 1 ? argv[1] : NULL);
  if (!code) {
    probe_all(&tasks);
    code = report(&tasks);
  }
  for (size_t i = 0; i < tasks.count; i++) {
    free(tasks.items[i].job);
    free(tasks.items[i].address);
    if (tasks.items[i].probe) sl_probe_free(tasks.items[i].probe);
    sl_task_status_free(tasks.items[i].status);
  }
  sli_array_deinitialize(&tasks);
  return code;
}

const sli_cli_command_t sli_cli_doctor = {.name = "doctor", .options = &spec, .run = run};
