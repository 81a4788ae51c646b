// sluice doctor: tries every task of a cluster the way a peer would, and says in
// one line each what is wrong and what to do about it.
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/cli.h"
#include "cli/inspect_text.h"
#include "sluice/cluster.h"

enum { MEGABYTE = 1 << 20 };
#define MAX_SKEW_SECONDS 1.0

static struct {
  const char *ps_hosts, *worker_hosts, *chief_hosts;
  double timeout;
  int64_t megabytes;
} flags = {.timeout = 5, .megabytes = 8};

static const sli_option_t option_table[] = {{.name = "ps_hosts",
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
                                             .help = "how long to try a task"},
                                            {.name = "megabytes",
                                             .kind = SLI_OPTION_INT,
                                             .value = &flags.megabytes,
                                             .argument = "N",
                                             .minimum = 0,
                                             .maximum = 1024,
                                             .help = "how much to send to measure the throughput; 0: do not"},
                                            {0}};

static const sli_options_t spec = {
    .program = "sluice doctor",
    .operands = "[TARGET|CLUSTER]",
    .summary = "Find out why the tasks of a cluster do not reach each other",
    .description =
        "TARGET is one task that is up, HOST:PORT or grpc://HOST:PORT, and knows the others. CLUSTER is "
        "'ps|HOST:PORT;HOST:PORT,worker|HOST:PORT'; so are the flags, or TF_CONFIG if there is nothing else. Every "
        "task is "
        "tried from here: its name, port, protocol, role and index, incarnation, version, clock, round trip and "
        "throughput.\n\n"
        "Exit code 0 when all is well, 1 when something must be changed, 128 when tasks are only not up (yet).",
    .examples =
        "  sluice doctor localhost:2222\n"
        "  sluice doctor 'ps|localhost:2222,worker|localhost:2223;localhost:2224'\n"
        "  sluice doctor --ps_hosts=localhost:2222 --worker_hosts=localhost:2223,localhost:2224\n",
    .options = option_table,
};

typedef struct {
  char *job;  // NULL: whoever answers
  int index;
  char *address;
  sl_probe_t *probe;
} patient_t;

typedef SLI_ARRAY(patient_t) patients_t;

static void add_patient(patients_t *patients, sli_view_t job, int index, sli_view_t address) {
  sli_array_push(patients, (patient_t){.job = job.size ? sli_strndup(job.data, job.size) : NULL,
                                       .index = index,
                                       .address = sli_strndup(address.data, address.size)});
}

// --- Who is to be examined ---

static void add_hosts(patients_t *patients, sli_view_t job, sli_view_t hosts, char separator) {
  sli_view_t host;
  bool more = hosts.size > 0;
  for (int index = 0; more; index++) {
    more = sli_view_split(hosts, separator, &host, &hosts);
    host = sli_view_trim(host);
    if (host.size) add_patient(patients, job, index, host);
  }
}

static bool add_spec(patients_t *patients, const char *text) {
  bool more = true;
  for (sli_view_t rest = sli_view(text), job, name, hosts; more;) {
    more = sli_view_split(rest, ',', &job, &rest);
    if (!sli_view_split(job, '|', &name, &hosts) || !name.size || !hosts.size) return false;
    add_hosts(patients, name, hosts, ';');
  }
  return true;
}

static int add_config(patients_t *patients, const char *text) {
  json_error_t error;
  json_t *config = json_loads(text, 0, &error), *hosts, *host;
  if (!config) return sli_cli_fail(SLI_CLI_FAILED, "TF_CONFIG is no JSON: line %d: %s", error.line, error.text);
  const char *job;
  json_object_foreach(json_object_get(config, "cluster"), job, hosts) {
    if (json_is_string(hosts)) add_patient(patients, sli_view(job), 0, sli_view(json_string_value(hosts)));
    size_t i;
    json_array_foreach(hosts, i, host) if (json_is_string(host))
        add_patient(patients, sli_view(job), (int)i, sli_view(json_string_value(host)));
    const char *index;
    if (json_is_object(hosts))
      json_object_foreach(hosts, index, host) if (json_is_string(host))
          add_patient(patients, sli_view(job), (int)strtol(index, NULL, 10), sli_view(json_string_value(host)));
  }
  json_decref(config);
  return patients->count ? SLI_CLI_OK : sli_cli_fail(SLI_CLI_FAILED, "TF_CONFIG has no \"cluster\" with addresses");
}

// One task that may know the others.
static void add_target(patients_t *patients, const char *target) {
  TF_Status *status = TF_NewStatus();
  sl_task_status_t *task = sl_cluster_status(target, (int64_t)(flags.timeout * 1000), 0, status);
  for (size_t i = 0; task && i < task->task_count; i++)
    add_patient(patients, sli_view(task->tasks[i].job), task->tasks[i].index, sli_view(task->tasks[i].address));
  if (!patients->count) add_patient(patients, sli_view(""), 0, sli_view(target));
  sl_task_status_free(task);
  TF_DeleteStatus(status);
}

static int find_patients(patients_t *patients, const char *operand) {
  const char *config = getenv("TF_CONFIG");
  if (operand && strchr(operand, '|'))
    return add_spec(patients, operand) ? SLI_CLI_OK
                                       : sli_cli_fail(SLI_CLI_USAGE,
                                                      "'%s' is no cluster; it looks like "
                                                      "'ps|HOST:PORT,worker|HOST:PORT;HOST:PORT'",
                                                      operand);
  if (operand) {
    add_target(patients, operand);
    return SLI_CLI_OK;
  }
  if (flags.ps_hosts) add_hosts(patients, sli_view("ps"), sli_view(flags.ps_hosts), ',');
  if (flags.chief_hosts) add_hosts(patients, sli_view("chief"), sli_view(flags.chief_hosts), ',');
  if (flags.worker_hosts) add_hosts(patients, sli_view("worker"), sli_view(flags.worker_hosts), ',');
  if (patients->count) return SLI_CLI_OK;
  if (config && config[0]) return add_config(patients, config);
  return sli_cli_fail(SLI_CLI_USAGE, "doctor wants a TARGET, a CLUSTER, or TF_CONFIG; see 'sluice doctor --help'");
}

// --- The examination ---

static void *examine(void *context) {
  patient_t *patient = context;
  patient->probe = sl_cluster_probe(patient->address, patient->job, patient->index, (int64_t)(flags.timeout * 1000),
                                    flags.megabytes * MEGABYTE);
  return NULL;
}

static void examine_all(patients_t *patients) {
  // One after the other where throughput is measured: they would share the wire.
  bool together = flags.megabytes == 0;
  pthread_t *threads = sli_calloc(patients->count, sizeof(*threads));
  for (size_t i = 0; i < patients->count; i++)
    if (!together || pthread_create(&threads[i], NULL, examine, &patients->items[i]) != 0) {
      threads[i] = 0;
      examine(&patients->items[i]);
    }
  for (size_t i = 0; i < patients->count; i++)
    if (threads[i]) pthread_join(threads[i], NULL);
  free(threads);
}

// --- The findings ---

// Only not up yet, or a cause that somebody must remove?
static bool is_passing(sl_probe_stage_t stage) {
  return stage == SL_PROBE_REFUSED || stage == SL_PROBE_TIMEOUT || stage == SL_PROBE_UNREACHABLE;
}

static void print_health(const sl_probe_t *probe) {
  printf("%s, round trip %.2f ms", probe->is_sluice ? "Sluice" : "stock TensorFlow", probe->round_trip * 1e3);
  if (probe->is_sluice) printf(", version %s, clock %+.3f s", probe->version, probe->clock_skew);
  if (probe->bytes_per_second > 0) printf(", %.0f MB/s", probe->bytes_per_second / 1e6);
  printf(", incarnation %llu", (unsigned long long)probe->incarnation);
}

// The other entry of the cluster that the process behind |patient| answers for; NULL if none does, or if the other
// is the one to be blamed.
static const patient_t *find_double(const patients_t *patients, const patient_t *patient) {
  for (size_t i = 0; i < patients->count && patient->probe->incarnation; i++) {
    const patient_t *other = &patients->items[i];
    if (other == patient || other->probe->incarnation != patient->probe->incarnation) continue;
    if (patient->probe->failed_at != SL_PROBE_OK) return other;
    if (other < patient && other->probe->failed_at == SL_PROBE_OK) return other;
  }
  return NULL;
}

// What is not well though the task answers; NULL if nothing. |version|: that of the first Sluice task.
static char *find_complaint(const sl_probe_t *probe, const char *version) {
  if (!probe->is_sluice) return NULL;
  if (fabs(probe->clock_skew) > MAX_SKEW_SECONDS)
    return sli_format(
        "its clock is %.1f s %s ours: synchronise the clocks (NTP), or events and traces will be out of order",
        fabs(probe->clock_skew), probe->clock_skew > 0 ? "ahead of" : "behind");
  if (version && strcmp(version, probe->version) != 0)
    return sli_format("it is version %s, others are %s: use one version everywhere", probe->version, version);
  return NULL;
}

// To be freed.
static char *name_patient(const patient_t *patient) {
  if (patient->job) return sli_format("%s %d", patient->job, patient->index);
  return sli_strdup(patient->probe->task[0] ? patient->probe->task : "task");
}

// Prints one line; returns the exit code that it asks for.
static int print_finding(const patients_t *patients, const patient_t *patient, const char *version) {
  const sl_probe_t *probe = patient->probe;
  char *name = name_patient(patient);
  printf("%-10s %-24s ", name, patient->address);
  free(name);
  const patient_t *other = find_double(patients, patient);
  if (other) {
    sli_inspect_print(SLI_INSPECT_RED, "FAILED");
    name = name_patient(other);
    printf("  %s answers, the same process as at %s (%s; incarnation %llu): give each task an address of its own\n",
           probe->task, other->address, name, (unsigned long long)probe->incarnation);
    free(name);
    return SLI_CLI_FAILED;
  }
  if (probe->failed_at != SL_PROBE_OK) {
    sli_inspect_print(SLI_INSPECT_RED, "FAILED");
    printf("  %s\n", probe->why);
    return is_passing(probe->failed_at) ? SLI_CLI_RETRY : SLI_CLI_FAILED;
  }
  char *complaint = find_complaint(probe, version);
  sli_inspect_print(complaint ? SLI_INSPECT_YELLOW : SLI_INSPECT_BOLD, complaint ? "WRONG " : "ok    ");
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

// What must be changed outweighs what may pass.
static int worse(int a, int b) {
  if (a == SLI_CLI_FAILED || b == SLI_CLI_FAILED) return SLI_CLI_FAILED;
  return a ? a : b;
}

static int report(const patients_t *patients) {
  const char *version = NULL, *proxy = "";
  int code = SLI_CLI_OK;
  for (size_t i = 0; i < patients->count; i++) {
    const sl_probe_t *probe = patients->items[i].probe;
    if (!version && probe->failed_at == SL_PROBE_OK && probe->is_sluice) version = probe->version;
    if (probe->proxy[0]) proxy = probe->proxy;
  }
  for (size_t i = 0; i < patients->count; i++)
    code = worse(code, print_finding(patients, &patients->items[i], version));
  if (proxy[0])
    printf(
        "note: %s is set; Sluice ignores it for cluster traffic, stock TensorFlow may not: unset it there or set "
        "no_proxy\n",
        proxy);
  fflush(stdout);
  return code;
}

static int run(int argc, char **argv) {
  if (argc > 2) return sli_cli_fail(SLI_CLI_USAGE, "doctor wants one TARGET or CLUSTER; see 'sluice doctor --help'");
  patients_t patients = {0};
  int code = find_patients(&patients, argc > 1 ? argv[1] : NULL);
  if (!code) {
    examine_all(&patients);
    code = report(&patients);
  }
  for (size_t i = 0; i < patients.count; i++) {
    free(patients.items[i].job);
    free(patients.items[i].address);
    if (patients.items[i].probe) sl_probe_free(patients.items[i].probe);
  }
  sli_array_deinitialize(&patients);
  return code;
}

const sli_cli_command_t sli_cli_doctor = {.name = "doctor", .options = &spec, .run = run};
