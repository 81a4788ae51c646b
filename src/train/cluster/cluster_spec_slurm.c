// A cluster from the environment of a Slurm step. Expands the host list
// ("n[1-2,07-09],m5") and the tasks per node ("2(x3),1"), sorts the hosts, and
// assigns the ranks of the step to hosts and jobs.
#include <ctype.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "train/cluster/cluster_spec.h"
#include "train/common/call_options.h"

enum { MAX_TASKS = 100000, USUAL_PORT = 8888 };

typedef SLI_ARRAY(char *) texts_t;

typedef struct {
  char *name;
  int64_t tasks;
} host_t;

static sli_status_t *malformed(const char *variable, const char *text) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s: '%s' cannot be parsed", variable, text);
}

static sli_status_t *get_variable(const char *name, const char **out_text) {
  *out_text = getenv(name);
  if (*out_text && (*out_text)[0]) return NULL;
  return sli_status_make(SLI_FAILED_PRECONDITION, "%s not found in environment. Not running inside a SLURM step?",
                         name);
}

// Parses digits and advances |*text| past them; -1 if there are none or too many.
static int64_t read_digits(const char **text) {
  int64_t number = -1;
  for (; isdigit((unsigned char)**text) && number < MAX_TASKS * 100; (*text)++)
    number = (number < 0 ? 0 : number) * 10 + (**text - '0');
  return isdigit((unsigned char)**text) ? -1 : number;
}

// Parses "3-5,07]", appends prefix3, … and advances |*text| past the bracket. False if it cannot be parsed.
static bool expand_ranges(const char *prefix, const char **text, texts_t *hosts) {
  for (;; (*text)++) {
    const char *start = *text;
    int64_t first = read_digits(text), last = first;
    int digits = (int)(*text - start);
    if (**text == '-') {
      (*text)++;
      last = read_digits(text);
    }
    if (first < 0 || last < first || last - first > MAX_TASKS || hosts->count > MAX_TASKS) return false;
    for (int64_t i = first; i <= last; i++) sli_array_push(hosts, sli_format("%s%0*lld", prefix, digits, (long long)i));
    if (**text != ',') break;
  }
  return *(*text)++ == ']';
}

static sli_status_t *expand_hosts(const char *list, texts_t *hosts) {
  const char *text = list;
  while (*text) {
    size_t length = strcspn(text, ",[]");
    char *prefix = sli_strndup(text, length);
    text += length;
    bool ranged = *text == '[', valid = ranged || length > 0;
    if (ranged) text++;
    if (ranged) valid = expand_ranges(prefix, &text, hosts);
    if (!ranged && valid) sli_array_push(hosts, sli_strdup(prefix));
    free(prefix);
    if (!valid || (*text && *text++ != ',')) return malformed("SLURM_STEP_NODELIST", list);
  }
  return hosts->count ? NULL : malformed("SLURM_STEP_NODELIST", list);
}

// "3(x2),2": 3 tasks on each of the first two hosts, 2 on the next. Further hosts have none.
static sli_status_t *read_counts(const char *list, const texts_t *names, host_t *hosts) {
  const char *text = list;
  size_t next = 0;
  while (*text) {
    int64_t tasks = read_digits(&text), times = 1;
    bool valid = tasks >= 0 && tasks <= MAX_TASKS;
    if (strncmp(text, "(x", 2) == 0) {
      text += 2;
      times = read_digits(&text);
      valid = valid && times > 0 && *text++ == ')';
    }
    if (!valid || (*text && *text++ != ',')) return malformed("SLURM_STEP_TASKS_PER_NODE", list);
    for (; times > 0 && next < names->count; times--, next++) hosts[next].tasks = tasks;
  }
  return NULL;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const host_t *)a)->name, ((const host_t *)b)->name);
}
static int by_job_name(const void *a, const void *b) {
  return strcmp(((const sl_slurm_job_t *)a)->name, ((const sl_slurm_job_t *)b)->name);
}

// Assigns the tasks of the jobs to the slots of the hosts in order. This task is number |rank|.
static sli_status_t *assign_tasks(sl_cluster_t *cluster, const host_t *hosts, size_t host_count,
                                  const sl_slurm_job_t *jobs, size_t job_count, int port_base, int64_t rank) {
  size_t host = 0;
  int64_t place = 0, number = 0;
  sli_status_t *status = NULL;
  for (size_t i = 0; i < job_count && !status; i++) {
    sli_cluster_spec_job_t job = {.name = sli_strdup(jobs[i].name)};
    for (int j = 0; j < jobs[i].tasks && !status; j++, place++, number++) {
      for (; host < host_count && place >= hosts[host].tasks; host++) place = 0;
      char *address = sli_format("%s:%lld", hosts[host].name, (long long)port_base + place);
      status = sli_cluster_spec_add_task(&job, j, address, "SLURM_STEP_NODELIST");
      free(address);
      if (number == rank) {
        cluster->job = sli_strdup(job.name);
        cluster->index = j;
      }
    }
    sli_array_push(&cluster->jobs, job);
  }
  if (!status && !cluster->job)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "SLURM_PROCID: the step has no task %lld", (long long)rank);
  return status ? status : sli_cluster_spec_check_task(cluster, "SLURM_PROCID");
}

static sli_status_t *read_environment(sl_cluster_t *cluster, const sl_cluster_from_slurm_options_t *options,
                                      texts_t *names) {
  const char *rank_text, *nodes, *per_node;
  int64_t rank, places = 0, wanted = 0;
  SLI_RETURN_IF_ERROR(get_variable("SLURM_PROCID", &rank_text));
  SLI_RETURN_IF_ERROR(get_variable("SLURM_STEP_NODELIST", &nodes));
  SLI_RETURN_IF_ERROR(get_variable("SLURM_STEP_TASKS_PER_NODE", &per_node));
  if (!sli_view_to_int64(sli_view(rank_text), &rank) || rank < 0) return malformed("SLURM_PROCID", rank_text);
  SLI_RETURN_IF_ERROR(expand_hosts(nodes, names));
  host_t *hosts = sli_calloc(names->count, sizeof(*hosts));
  for (size_t i = 0; i < names->count; i++) hosts[i].name = names->items[i];
  sli_status_t *status = read_counts(per_node, names, hosts);
  for (size_t i = 0; i < names->count; i++) places += hosts[i].tasks;
  sl_slurm_job_t workers = {"worker", (int)places};
  size_t job_count = options->jobs ? options->job_count : 1;
  sl_slurm_job_t *jobs = sli_calloc(job_count + 1, sizeof(*jobs));
  for (size_t i = 0; i < job_count; i++) jobs[i] = options->jobs ? options->jobs[i] : workers;
  for (size_t i = 0; i < job_count; i++) wanted += jobs[i].tasks;
  if (!status && wanted != places)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Requested %lld tasks but only %lld were assigned.",
                             (long long)wanted, (long long)places);
  qsort(hosts, names->count, sizeof(*hosts), by_name);
  qsort(jobs, job_count, sizeof(*jobs), by_job_name);
  if (!status)
    status = assign_tasks(cluster, hosts, names->count, jobs, job_count,
                          options->port_base ? options->port_base : USUAL_PORT, rank);
  free(jobs);
  free(hosts);
  return status;
}

sl_cluster_t *sl_cluster_from_slurm_with(const sl_cluster_from_slurm_options_t *given) {
  SLI_CALL_OPTIONS(sl_cluster_from_slurm_options_t, options, given);
  sl_cluster_t *cluster = sli_calloc(1, sizeof(*cluster));
  texts_t names = {0};
  cluster->status = read_environment(cluster, &options, &names);
  for (size_t i = 0; i < names.count; i++) free(names.items[i]);
  sli_array_deinitialize(&names);
  return cluster;
}
