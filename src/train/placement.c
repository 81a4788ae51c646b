// Where a replica's nodes go: the replica device setter, its strategies, and the
// table that says what came of it.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "sluice/variable.h"
#include "train/cluster_internal.h"
#include "train/device_spec.h"
#include "train/options_internal.h"
#include "train/scope_internal.h"
#include "train/server_internal.h"
#include "train/tensor.h"

// The data of a replica device setter. |loads| has room for all ps tasks.
typedef struct {
  sl_device_setter_t setter;
  sl_replica_device_setter_options_t options;
  const sli_job_t *ps_job;
  int next;  // round robin
  sli_device_spec_t ps, worker;
  double loads[];
} replica_t;

static bool is_ps_op(const char *op) {
  static const char *const ops[] = {"Variable",
                                    "VariableV2",
                                    "AutoReloadVariable",
                                    "MutableHashTable",
                                    "MutableHashTableV2",
                                    "MutableHashTableOfTensors",
                                    "MutableHashTableOfTensorsV2",
                                    "MutableDenseHashTable",
                                    "MutableDenseHashTableV2",
                                    "VarHandleOp",
                                    "BoostedTreesEnsembleResourceHandleOp",
                                    "BoostedTreesQuantileStreamResourceHandleOp",
                                    "ResourceConditionalAccumulator",
                                    "DecisionTreeResource"};
  for (size_t i = 0; i < SLI_COUNT_OF(ops); i++)
    if (strcmp(op, ops[i]) == 0) return true;
  return false;
}

double sl_byte_size_load(void *data, const sl_node_info_t *info) { return info->bytes > 0 ? (double)info->bytes : 0; }

// The first of the tasks with the least load.
static int least_loaded(const replica_t *replica, int count) {
  int best = 0;
  for (int i = 1; i < count; i++)
    if (replica->loads[i] < replica->loads[best]) best = i;
  return best;
}

// The number of the ps task for the node.
static int choose_ps(replica_t *replica, const sl_node_info_t *info) {
  const sl_replica_device_setter_options_t *options = &replica->options;
  int count = (int)replica->ps_job->tasks.count, chosen = 0;
  if (options->strategy) {
    chosen = options->strategy(options->strategy_data, info, count);
  } else if (options->load) {
    chosen = least_loaded(replica, count);
    replica->loads[chosen] += options->load(options->load_data, info);
  } else {
    chosen = replica->next;
    replica->next = (replica->next + 1) % count;
  }
  return replica->ps_job->tasks.items[chosen >= 0 && chosen < count ? chosen : 0].index;
}

static void place_replica(void *data, const sl_node_info_t *info, char *out_device, size_t size) {
  replica_t *replica = data;
  sli_device_spec_t current;
  sli_status_t *status = sli_device_spec_parse(info->device, &current);
  if (!status) {
    sli_device_spec_t base = replica->worker;
    if (is_ps_op(info->op)) {
      base = replica->ps;
      if (!current.job[0] || strcmp(current.job, base.job) == 0) base.task = choose_ps(replica, info);
    }
    sli_device_spec_fill(&current, &base);
    sli_device_spec_format(&current, out_device, size);
  }
  sli_status_release(status);
}

const sl_device_setter_t *sl_replica_device_setter_with(sl_server_t *server,
                                                        const sl_replica_device_setter_options_t *given) {
  SLI_READ_OPTIONS(sl_replica_device_setter_options_t, options, given);
  const sl_cluster_t *cluster = sli_server_cluster(server);
  const sli_job_t *ps_job = cluster ? sli_cluster_find_job(cluster, "ps") : NULL;
  bool is_outside = strcmp(sl_server_job(server), "evaluator") == 0;  // has all of its model itself
  size_t ps_tasks = ps_job && !is_outside ? ps_job->tasks.count : 0;
  replica_t *replica = sli_calloc(1, sizeof(*replica) + ps_tasks * sizeof(replica->loads[0]));
  sli_server_own(server, replica);
  if (!ps_tasks) return &replica->setter;
  replica->setter = (sl_device_setter_t){place_replica, replica};
  replica->ps_job = ps_job;
  replica->options = options;
  char *own = sli_format("/job:%s/task:%d", sl_server_job(server), sl_server_task_index(server));
  sli_status_t *status = sli_device_spec_parse(options.ps_device ? options.ps_device : "/job:ps", &replica->ps);
  if (!status) status = sli_device_spec_parse(options.worker_device ? options.worker_device : own, &replica->worker);
  free(own);
  sli_server_fail(server, status);
  return &replica->setter;
}

// --- The plan ---

typedef struct {
  char task[SLI_DEVICE_NAME_SIZE];  // "/job:ps/task:0"; "" for where the runtime chooses
  int64_t variables, bytes;
} row_t;
typedef SLI_ARRAY(row_t) rows_t;

static row_t *find_row(rows_t *rows, const char *task) {
  for (size_t i = 0; i < rows->count; i++)
    if (strcmp(rows->items[i].task, task) == 0) return &rows->items[i];
  row_t row = {.variables = 0};
  snprintf(row.task, sizeof(row.task), "%s", task);
  sli_array_push(rows, row);
  return &rows->items[rows->count - 1];
}

// The task in |device|'s name; all of the name if it has none.
static void task_of(const char *device, char *out_task, size_t size) {
  sli_device_spec_t spec;
  sli_status_t *status = sli_device_spec_parse(device, &spec);
  if (!status && spec.job[0])
    snprintf(out_task, size, "/job:%s/task:%d", spec.job, spec.task < 0 ? 0 : spec.task);
  else
    snprintf(out_task, size, "%s", device);
  sli_status_release(status);
}

static void count_variables(const sl_scope_t *scope, rows_t *rows) {
  const TF_Output *variables = sl_collection_items(scope, SL_GLOBAL_VARIABLES);
  for (size_t i = 0; i < sl_collection_count(scope, SL_GLOBAL_VARIABLES); i++) {
    const sl_variable_info_t *info = sl_variable_info(scope, variables[i]);
    if (!info) continue;
    char task[SLI_DEVICE_NAME_SIZE];
    task_of(TF_OperationDevice(info->reference.oper), task, sizeof(task));
    row_t *row = find_row(rows, task);
    int64_t bytes = sli_shape_bytes(info->shape, info->dtype);
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
  rows_t rows = {0};
  const sl_cluster_t *cluster = sli_server_cluster(server);
  const sli_job_t *ps_job = cluster ? sli_cluster_find_job(cluster, "ps") : NULL;
  for (size_t i = 0; ps_job && i < ps_job->tasks.count; i++) {  // those without a variable, too
    char task[SLI_DEVICE_NAME_SIZE];
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
    const row_t *row = &rows.items[i];
    char bytes[48];
    format_number(row->bytes, bytes, sizeof(bytes));
    sli_string_append_format(&text, "%-*s  %9lld  %15s  %3.0f %%\n", width, row->task, (long long)row->variables, bytes,
                             total ? 100.0 * (double)row->bytes / (double)total : 0.0);
  }
  sli_array_deinitialize(&rows);
  return sli_string_take(&text);
}
