#include "cli/launch/launch_plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/port.h"
#include "base/string.h"

typedef SLI_ARRAY(char *) text_array_t;

// --- Tasks and addresses ---

static void add_tasks(sli_launch_plan_t *plan, const char *job, int64_t count, int first_rank, int world) {
  for (int i = 0; i < count; i++)
    plan->tasks[plan->count++] = (sli_launch_task_t){.job = job,
                                                     .index = i,
                                                     .name = sli_format("%s %d", job, i),
                                                     .host = -1,
                                                     .rank = first_rank + i,
                                                     .local_rank = first_rank + i,
                                                     .world = world,
                                                     .reservation = -1};
}

static bool is_in_cluster(const sli_launch_task_t *task) { return strcmp(task->job, "evaluator") != 0; }
static bool is_trainer(const sli_launch_task_t *task) {
  return !strcmp(task->job, "worker") || !strcmp(task->job, "chief");
}

// Whether ranks of |a| and |b| are of one kind.
static bool same_kind(const sli_launch_task_t *a, const sli_launch_task_t *b) {
  return !strcmp(a->job, b->job) || (is_trainer(a) && is_trainer(b));
}

// --- Hosts ---

// How many tasks fit on each host: its slots, or without them an equal share, rounded up.
static int *make_capacities(const sli_launch_plan_t *plan, const sli_launch_host_list_t *hosts) {
  int *capacities = sli_calloc(hosts->count, sizeof(*capacities));
  for (size_t i = 0; i < hosts->count; i++)
    capacities[i] =
        hosts->items[i].slots ? hosts->items[i].slots : (int)((plan->count + hosts->count - 1) / hosts->count);
  return capacities;
}

static void put_on_host(sli_launch_plan_t *plan, sli_launch_task_t *task, int host, int *capacities) {
  capacities[host]--;
  task->local_rank = 0;
  for (sli_launch_task_t *other = plan->tasks; other < task; other++)
    if (other->host == host && same_kind(other, task)) task->local_rank++;
  task->host = host;
}

// The first host from |start| on that has room, or any without a limit; -1 if there is none.
static int find_room(const sli_launch_host_list_t *hosts, const int *capacities, size_t start) {
  for (size_t i = 0; i < hosts->count; i++)
    if (capacities[(start + i) % hosts->count] > 0) return (int)((start + i) % hosts->count);
  for (size_t i = 0; i < hosts->count; i++)
    if (hosts->items[i].slots == 0) return (int)i;
  return -1;
}

static sli_status_t *choose_hosts(sli_launch_plan_t *plan, const sli_launch_host_list_t *hosts) {
  int *capacities = make_capacities(plan, hosts);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < plan->count && !status; i++) {
    sli_launch_task_t *task = &plan->tasks[i];
    int host = find_room(hosts, capacities, !strcmp(task->job, "ps") ? i : 0);
    if (host >= 0)
      put_on_host(plan, task, host, capacities);
    else
      status = sli_status_make(SLI_INVALID_ARGUMENT, "%zu tasks do not fit on hosts that take %d", plan->count,
                               sli_launch_host_list_slots(hosts));
  }
  free(capacities);
  return status;
}

size_t sli_launch_plan_port_count(const sli_launch_plan_t *plan, int host) {
  size_t count = 0;
  for (size_t i = 0; i < plan->count; i++) count += plan->tasks[i].host == host && is_in_cluster(&plan->tasks[i]);
  return count;
}

void sli_launch_plan_set_ports(sli_launch_plan_t *plan, const sli_launch_request_t *request, int host,
                               const int *ports) {
  for (size_t i = 0, next = 0; i < plan->count; i++) {
    sli_launch_task_t *task = &plan->tasks[i];
    if (task->host == host && is_in_cluster(task))
      task->address = sli_format("%s:%d", request->hosts->items[host].address, ports[next++]);
  }
}

static sli_status_t *choose_local_ports(sli_launch_plan_t *plan, int64_t first_port) {
  for (size_t i = 0, used = 0; i < plan->count; i++) {
    sli_launch_task_t *task = &plan->tasks[i];
    if (task->host >= 0 || task->address || !is_in_cluster(task)) continue;
    int port = (int)first_port + (int)used++;
    if (!first_port) SLI_RETURN_IF_ERROR(sli_port_reserve(&port, &task->reservation));
    task->address = sli_format("localhost:%d", port);
  }
  return NULL;
}

// --- Addresses ---

// Appends the addresses of |job|, each enclosed by |quote|.
static void append_addresses(sli_string_t *out, const sli_launch_plan_t *plan, const char *job, const char *quote,
                             const char *separator) {
  bool first = true;
  for (size_t i = 0; i < plan->count; i++) {
    if (strcmp(plan->tasks[i].job, job) != 0) continue;
    sli_string_append_format(out, "%s%s%s%s", first ? "" : separator, quote, plan->tasks[i].address, quote);
    first = false;
  }
}

// --- Environment ---

// TF_CONFIG: the cluster and one task of it.
static char *tf_config(const sli_launch_plan_t *plan, const sli_launch_task_t *task) {
  static const char *const jobs[] = {"chief", "ps", "worker"};
  sli_string_t text = {0};
  sli_string_append_text(&text, "{\"cluster\": {");
  bool first = true;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(jobs); i++) {
    sli_string_t addresses = {0};
    append_addresses(&addresses, plan, jobs[i], "\"", ", ");
    if (addresses.size) sli_string_append_format(&text, "%s\"%s\": [%s]", first ? "" : ", ", jobs[i], addresses.data);
    if (addresses.size) first = false;
    sli_string_deinitialize(&addresses);
  }
  sli_string_append_format(&text, "}, \"task\": {\"type\": \"%s\", \"index\": %d}}", task->job, task->index);
  return sli_string_take(&text);
}

// Adds NAME=value, which |environment| owns from now on, or replaces the value of NAME. Returns its entry.
static char **set_variable(text_array_t *environment, char *variable) {
  size_t length = (size_t)(strchr(variable, '=') - variable) + 1;
  for (size_t i = 0; i < environment->count; i++) {
    if (strncmp(environment->items[i], variable, length) != 0) continue;
    free(environment->items[i]);
    environment->items[i] = variable;
    return &environment->items[i];
  }
  sli_array_push(environment, variable);
  return &environment->items[environment->count - 1];
}

// |http|: 0, or the task's port for HTTP.
static void make_environment(const sli_launch_plan_t *plan, const sli_launch_request_t *request,
                             sli_launch_task_t *task, int64_t http) {
  text_array_t environment = {0};
  for (char **variable = environ; *variable; variable++)
    if (strchr(*variable, '=')) sli_array_push(&environment, sli_strdup(*variable));
  sli_array_reserve(&environment, 16);  // so that restart_slot stays valid
  char *config = tf_config(plan, task);
  set_variable(&environment, sli_format("TF_CONFIG=%s", config));
  free(config);
  set_variable(&environment, sli_format("RANK=%d", task->rank));
  set_variable(&environment, sli_format("LOCAL_RANK=%d", task->local_rank));
  set_variable(&environment, sli_format("WORLD_SIZE=%d", task->world));
  set_variable(&environment, sli_format("SLUICE_EXIT_WITH_JOB=1"));
  if (request->min_workers)
    set_variable(&environment, sli_format("SLUICE_MIN_WORKERS=%lld", (long long)request->min_workers));
  if (http) set_variable(&environment, sli_format("SLUICE_HTTP=%lld", (long long)http));
  // Python buffers output to a pipe, for minutes. A value that the user set is kept.
  if (!getenv("PYTHONUNBUFFERED")) set_variable(&environment, sli_format("PYTHONUNBUFFERED=1"));
  task->restart_slot = set_variable(&environment, sli_format("SLUICE_RESTART_COUNT=0"));
  sli_array_push(&environment, NULL);
  task->environment = environment.items;
}

void sli_launch_task_set_restarts(sli_launch_task_t *task, int restarts) {
  free(*task->restart_slot);
  *task->restart_slot = sli_format("SLUICE_RESTART_COUNT=%d", restarts);
}

// --- Command line ---

static void append_classic_flags(text_array_t *argv, const sli_launch_plan_t *plan, const sli_launch_task_t *task,
                                 const char *index_name) {
  static const char *const jobs[] = {"ps", "worker"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(jobs); i++) {
    sli_string_t hosts = {0};
    append_addresses(&hosts, plan, jobs[i], "", ",");
    // Passed even if empty, since the program may have another default.
    sli_array_push(argv, sli_format("--%s_hosts=%s", jobs[i], sli_string_text(&hosts)));
    sli_string_deinitialize(&hosts);
  }
  sli_array_push(argv, sli_format("--job_name=%s", task->job));
  sli_array_push(argv, sli_format("--%s=%d", index_name, task->index));
}

static void make_command_line(const sli_launch_plan_t *plan, const sli_launch_request_t *request,
                              sli_launch_task_t *task) {
  text_array_t argv = {0};
  bool serves = request->ps_program && !strcmp(task->job, "ps");
  for (char *const *word = serves ? request->ps_program : request->program; *word; word++)
    sli_array_push(&argv, sli_strdup(*word));
  if (request->classic_flags && !serves) append_classic_flags(&argv, plan, task, request->classic_flags);
  sli_array_push(&argv, NULL);
  task->argv = argv.items;
}

// --- The plan ---

sli_status_t *sli_launch_plan_initialize(sli_launch_plan_t *out_plan, const sli_launch_request_t *request) {
  int trainers = request->chief + (int)request->workers;
  size_t count = (size_t)(request->ps + trainers + request->evaluator);
  *out_plan = (sli_launch_plan_t){.tasks = sli_calloc(count, sizeof(*out_plan->tasks))};
  add_tasks(out_plan, "ps", request->ps, 0, (int)request->ps);
  add_tasks(out_plan, "chief", request->chief, 0, trainers);
  add_tasks(out_plan, "worker", request->workers, request->chief, trainers);
  add_tasks(out_plan, "evaluator", request->evaluator, 0, 1);
  if (request->hosts) SLI_RETURN_IF_ERROR(choose_hosts(out_plan, request->hosts));
  for (size_t i = 0; i < out_plan->count; i++) {
    sli_launch_task_t *task = &out_plan->tasks[i];
    task->label = task->host < 0 ? sli_strdup(task->name)
                                 : sli_format("%s@%s", task->name, request->hosts->items[task->host].address);
  }
  return NULL;
}

sli_status_t *sli_launch_plan_finish(sli_launch_plan_t *plan, const sli_launch_request_t *request) {
  SLI_RETURN_IF_ERROR(choose_local_ports(plan, request->first_port));
  for (size_t i = 0; i < plan->count; i++) {
    make_environment(plan, request, &plan->tasks[i], request->http ? request->http + (int64_t)i : 0);
    make_command_line(plan, request, &plan->tasks[i]);
  }
  return NULL;
}

static void release_texts(char **texts) {
  for (char **text = texts; text && *text; text++) free(*text);
  free(texts);
}

void sli_launch_plan_deinitialize(sli_launch_plan_t *plan) {
  for (size_t i = 0; i < plan->count; i++) {
    sli_launch_task_t *task = &plan->tasks[i];
    if (task->reservation >= 0) close(task->reservation);
    release_texts(task->argv);
    release_texts(task->environment);
    free(task->address);
    free(task->label);
    free(task->name);
  }
  free(plan->tasks);
  *plan = (sli_launch_plan_t){0};
}
