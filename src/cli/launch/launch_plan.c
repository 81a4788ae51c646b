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
                                                     .rank = first_rank + i,
                                                     .world = world,
                                                     .reservation = -1};
}

static sli_status_t *choose_addresses(sli_launch_plan_t *plan) {
  for (size_t i = 0; i < plan->count; i++) {
    sli_launch_task_t *task = &plan->tasks[i];
    if (!strcmp(task->job, "evaluator")) continue;
    int port;
    SLI_RETURN_IF_ERROR(sli_port_reserve(&port, &task->reservation));
    task->address = sli_format("localhost:%d", port);
  }
  return NULL;
}

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

static void make_environment(const sli_launch_plan_t *plan, sli_launch_task_t *task) {
  text_array_t environment = {0};
  for (char **variable = environ; *variable; variable++)
    if (strchr(*variable, '=')) sli_array_push(&environment, sli_strdup(*variable));
  sli_array_reserve(&environment, 16);  // so that restart_slot stays valid
  char *config = tf_config(plan, task);
  set_variable(&environment, sli_format("TF_CONFIG=%s", config));
  free(config);
  set_variable(&environment, sli_format("RANK=%d", task->rank));
  set_variable(&environment, sli_format("LOCAL_RANK=%d", task->rank));
  set_variable(&environment, sli_format("WORLD_SIZE=%d", task->world));
  set_variable(&environment, sli_format("SLUICE_EXIT_WITH_JOB=1"));
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
  SLI_RETURN_IF_ERROR(choose_addresses(out_plan));
  for (size_t i = 0; i < out_plan->count; i++) {
    make_environment(out_plan, &out_plan->tasks[i]);
    make_command_line(out_plan, request, &out_plan->tasks[i]);
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
    free(task->name);
  }
  free(plan->tasks);
  *plan = (sli_launch_plan_t){0};
}
