// Placement of the nodes of a replica: the replica device setter, its strategies,
// and the table that shows the result.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "sluice/variable.h"
#include "train/cluster/cluster_spec.h"
#include "train/cluster/train_server.h"
#include "train/common/call_options.h"
#include "train/common/device_spec.h"
#include "train/common/live_object.h"
#include "train/common/tf_tensor.h"
#include "train/graph/scope.h"

typedef struct {
  int index;
  double load;
} ps_task_t;

// The data of a replica device setter.
typedef struct {
  sl_device_setter_t setter;
  sl_replica_device_setter_options_t options;
  int next;  // round robin
  sli_device_spec_t ps, worker;
  int count;
  ps_task_t tasks[];
} setter_data_t;

double sl_byte_size_load(void *data, const sl_node_info_t *info) { return info->bytes > 0 ? (double)info->bytes : 0; }

// The task with the least load; the first if there are several.
static int least_loaded(const setter_data_t *replica) {
  int best = 0;
  for (int i = 1; i < replica->count; i++)
    if (replica->tasks[i].load < replica->tasks[best].load) best = i;
  return best;
}

// The index of the ps task for the node.
static int choose_ps(setter_data_t *replica, const sl_node_info_t *info) {
  const sl_replica_device_setter_options_t *options = &replica->options;
  int count = replica->count, chosen = 0;
  if (options->strategy) {
    chosen = options->strategy(options->strategy_data, info, count);
  } else if (options->load) {
    chosen = least_loaded(replica);
    replica->tasks[chosen].load += options->load(options->load_data, info);
  } else {
    chosen = replica->next;
    replica->next = (replica->next + 1) % count;
  }
  return replica->tasks[chosen >= 0 && chosen < count ? chosen : 0].index;
}

static void place_replica(void *data, const sl_node_info_t *info, char *out_device, size_t size) {
  setter_data_t *replica = data;
  sli_device_spec_t current;
  sli_status_t *status = sli_device_spec_parse(info->device, &current);
  if (!status) {
    sli_device_spec_t base = replica->worker;
    if (sl_is_ps_op(info->op)) {
      base = replica->ps;
      if (!current.job[0] || strcmp(current.job, base.job) == 0) base.task = choose_ps(replica, info);
    }
    sli_device_spec_fill(&current, &base);
    sli_device_spec_format(&current, out_device, size);
  }
  sli_status_release(status);
}

// Without a server to keep the error in, the first node with the wrong device reports it.
static void place_wrongly(void *data, const sl_node_info_t *info, char *out_device, size_t size) {
  const sl_replica_device_setter_options_t *options = &((const setter_data_t *)data)->options;
  sli_device_spec_t ignored;
  sli_status_t *status = sli_device_spec_parse(options->ps_device ? options->ps_device : "", &ignored);
  snprintf(out_device, size, "%s", status ? options->ps_device : options->worker_device);
  sli_status_release(status);
}

// The setter for |count| ps tasks, whose indices are those of |job|, or if that is NULL 0 to |count| - 1.
static setter_data_t *make_setter(const sl_replica_device_setter_options_t *options, const sli_cluster_spec_job_t *job,
                                  size_t count) {
  setter_data_t *replica = sli_calloc(1, sizeof(*replica) + count * sizeof(replica->tasks[0]));
  replica->options = *options;
  replica->count = (int)count;
  for (size_t i = 0; i < count; i++) replica->tasks[i].index = job ? job->tasks.items[i].index : (int)i;
  if (count) replica->setter = (sl_device_setter_t){place_replica, replica};
  return replica;
}

const sl_device_setter_t *sl_replica_device_setter_with(sl_server_t *server,
                                                        const sl_replica_device_setter_options_t *given) {
  SLI_CALL_OPTIONS(sl_replica_device_setter_options_t, options, given);
  sli_device_spec_t ps = {0}, worker = {0};
  const sl_cluster_t *cluster = sli_train_server_cluster(server);
  char *own = server ? sli_format("/job:%s/task:%d", sl_server_job(server), sl_server_task_index(server))
                     : sli_strdup("/job:worker");
  sli_status_t *status = sli_device_spec_parse(options.ps_device ? options.ps_device : "/job:ps", &ps);
  if (!status) status = sli_device_spec_parse(options.worker_device ? options.worker_device : own, &worker);
  free(own);
  const sli_cluster_spec_job_t *job = cluster && !status ? sli_cluster_spec_find_job(cluster, ps.job) : NULL;
  bool is_outside = server && sl_server_is(server, "evaluator");  // it has the whole model in its own process
  size_t count = job && !is_outside ? job->tasks.count : 0;
  if (!server && !status && options.ps_tasks > 0) count = (size_t)options.ps_tasks;
  setter_data_t *replica = make_setter(&options, job, count);
  replica->ps = ps;
  replica->worker = worker;
  if (server) {
    sli_train_server_own(server, replica);
    sli_train_server_fail(server, status);
  } else {
    sli_live_object_add(replica);
    if (status) replica->setter = (sl_device_setter_t){place_wrongly, replica};
    sli_status_release(status);
  }
  return &replica->setter;
}

// --- The table ---

typedef struct {
  char task[SLI_DEVICE_SPEC_SIZE];  // "/job:ps/task:0"; "": the runtime chooses
  int64_t variables, bytes;
} plan_row_t;
typedef SLI_ARRAY(plan_row_t) plan_rows_t;

static plan_row_t *find_row(plan_rows_t *rows, const char *task) {
  for (size_t i = 0; i < rows->count; i++)
    if (strcmp(rows->items[i].task, task) == 0) return &rows->items[i];
  plan_row_t row = {.variables = 0};
  snprintf(row.task, sizeof(row.task), "%s", task);
  sli_array_push(rows, row);
  return &rows->items[rows->count - 1];
}

// The task part of |device|; the whole name if it has none.
static void task_of(const char *device, char *out_task, size_t size) {
  sli_device_spec_t spec;
  sli_status_t *status = sli_device_spec_parse(device, &spec);
  if (!status && spec.job[0])
    snprintf(out_task, size, "/job:%s/task:%d", spec.job, spec.task < 0 ? 0 : spec.task);
  else
    snprintf(out_task, size, "%s", device);
  sli_status_release(status);
}

static void count_variables(const sl_scope_t *scope, plan_rows_t *rows) {
  const TF_Output *variables = sl_collection_items(scope, SL_GLOBAL_VARIABLES);
  for (size_t i = 0; i < sl_collection_count(scope, SL_GLOBAL_VARIABLES); i++) {
    const sl_variable_info_t *info = sl_variable_info(scope, variables[i]);
    if (!info) continue;
    char task[SLI_DEVICE_SPEC_SIZE];
    task_of(TF_OperationDevice(info->reference.oper), task, sizeof(task));
    plan_row_t *row = find_row(rows, task);
    int64_t bytes = sli_tf_shape_bytes(info->shape, info->dtype);
    row->variables++;
    row->bytes += bytes > 0 ? bytes : 0;
  }
}

// "1,234,567"
static void format_number(int64_t number, char *out_text, size_t size) {
  char digits[32];
  int length = snprintf(digits, sizeof(digits), "%lld", (long long)number);
  size_t at = 0;
  for (int i = 0; i < length && at + 2 < size; i++) {
    if (i && (length - i) % 3 == 0) out_text[at++] = ',';
    out_text[at++] = digits[i];
  }
  out_text[at] = '\0';
}

char *sl_placement_plan(const sl_scope_t *scope, const sl_server_t *server) {
  plan_rows_t rows = {0};
  const sl_cluster_t *cluster = sli_train_server_cluster(server);
  const sli_cluster_spec_job_t *ps_job = cluster ? sli_cluster_spec_find_job(cluster, "ps") : NULL;
  for (size_t i = 0; ps_job && i < ps_job->tasks.count; i++) {  // also tasks without variables
    char task[SLI_DEVICE_SPEC_SIZE];
    snprintf(task, sizeof(task), "/job:ps/task:%d", ps_job->tasks.items[i].index);
    find_row(&rows, task);
  }
  count_variables(scope, &rows);
  int64_t total = 0;
  int width = (int)strlen("task");
  for (size_t i = 0; i < rows.count; i++) {
    if (!rows.items[i].task[0]) snprintf(rows.items[i].task, sizeof(rows.items[i].task), "(no device)");
    int length = (int)strlen(rows.items[i].task);
    if (length > width) width = length;
    total += rows.items[i].bytes;
  }
  sli_string_t text = {0};
  sli_string_append_format(&text, "%-*s  %9s  %15s  %5s\n", width, "task", "variables", "bytes", "share");
  for (size_t i = 0; i < rows.count; i++) {
    const plan_row_t *row = &rows.items[i];
    char bytes[48];
    format_number(row->bytes, bytes, sizeof(bytes));
    sli_string_append_format(&text, "%-*s  %9lld  %15s  %3.0f %%\n", width, row->task, (long long)row->variables, bytes,
                             total ? 100.0 * (double)row->bytes / (double)total : 0.0);
  }
  sli_array_deinitialize(&rows);
  return sli_string_take(&text);
}
