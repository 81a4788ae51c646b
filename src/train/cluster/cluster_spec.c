// Reads the description of a cluster from the classic flags of between-graph
// programs, from TF_CONFIG or from a list of tasks. Errors name the flag or the JSON
// key to change.
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "train/cluster/cluster_spec.h"
#include "train/common/call_options.h"

static const double default_worker_lost = 30, default_ps_backup = 10;

static sl_cluster_t *cluster_create(void) {
  sl_cluster_t *cluster = sli_calloc(1, sizeof(*cluster));
  cluster->worker_lost_secs = default_worker_lost;
  cluster->ps_backup_secs = default_ps_backup;
  const char *least = getenv("SLUICE_MIN_WORKERS");  // of sluice launch
  int64_t min_workers = 0;
  if (least && sli_view_to_int64(sli_view(least), &min_workers) && min_workers > 0 && min_workers < INT32_MAX)
    cluster->min_workers = (int)min_workers;
  return cluster;
}

void sli_cluster_spec_release(sl_cluster_t *cluster) {
  if (!cluster) return;
  for (size_t i = 0; i < cluster->jobs.count; i++) {
    sli_cluster_spec_job_t *job = &cluster->jobs.items[i];
    for (size_t j = 0; j < job->tasks.count; j++) free(job->tasks.items[j].address);
    sli_array_deinitialize(&job->tasks);
    free(job->name);
  }
  sli_array_deinitialize(&cluster->jobs);
  sli_status_release(cluster->status);
  free(cluster->job);
  free(cluster->http);
  free(cluster);
}

const sli_cluster_spec_job_t *sli_cluster_spec_find_job(const sl_cluster_t *cluster, const char *name) {
  for (size_t i = 0; i < cluster->jobs.count; i++)
    if (strcmp(cluster->jobs.items[i].name, name) == 0) return &cluster->jobs.items[i];
  return NULL;
}

static int compare_jobs(const void *a, const void *b) {
  return strcmp(((const sli_cluster_spec_job_t *)a)->name, ((const sli_cluster_spec_job_t *)b)->name);
}
static int compare_tasks(const void *a, const void *b) {
  return ((const sli_cluster_spec_task_t *)a)->index - ((const sli_cluster_spec_task_t *)b)->index;
}

// "host:port", also "[::1]:2222".
sli_status_t *sli_cluster_spec_check_address(const char *address, const char *where) {
  const char *colon = strrchr(address, ':');
  int64_t port = -1;
  bool valid = colon && colon != address && sli_view_to_int64(sli_view(colon + 1), &port) && port >= 0 && port < 65536;
  if (valid) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s: '%s' is not host:port", where, address);
}

sli_status_t *sli_cluster_spec_add_task(sli_cluster_spec_job_t *job, int index, const char *address,
                                        const char *where) {
  SLI_RETURN_IF_ERROR(sli_cluster_spec_check_address(address, where));
  for (size_t i = 0; i < job->tasks.count; i++)
    if (job->tasks.items[i].index == index)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s: task %d is listed twice", where, index);
  sli_array_push(&job->tasks, (sli_cluster_spec_task_t){index, sli_strdup(address)});
  return NULL;
}

// This task must be part of the cluster. An evaluator is not.
sli_status_t *sli_cluster_spec_check_task(sl_cluster_t *cluster, const char *where) {
  if (cluster->jobs.count) qsort(cluster->jobs.items, cluster->jobs.count, sizeof(*cluster->jobs.items), compare_jobs);
  const sli_cluster_spec_job_t *job = sli_cluster_spec_find_job(cluster, cluster->job);
  for (size_t i = 0; i < cluster->jobs.count; i++) {
    sli_cluster_spec_job_t *sorted = &cluster->jobs.items[i];
    // An empty array has no memory, which qsort does not take.
    if (sorted->tasks.count)
      qsort(sorted->tasks.items, sorted->tasks.count, sizeof(*sorted->tasks.items), compare_tasks);
  }
  if (!job && strcmp(cluster->job, "evaluator") == 0) return NULL;
  if (!job) {
    sli_string_t names = {0};
    for (size_t i = 0; i < cluster->jobs.count; i++)
      sli_string_append_format(&names, "%s%s", i ? ", " : "", cluster->jobs.items[i].name);
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s: the cluster has no job '%s', only %s", where,
                                           cluster->job, sli_string_text(&names));
    sli_string_deinitialize(&names);
    return status;
  }
  for (size_t i = 0; i < job->tasks.count; i++)
    if (job->tasks.items[i].index == cluster->index) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s: job '%s' has no task %d, it has %zu task%s", where, cluster->job,
                         cluster->index, job->tasks.count, job->tasks.count == 1 ? "" : "s");
}

// --- Flags ---

// Used by one call at a time, like argv.
static struct {
  sli_option_list_t ps_hosts, worker_hosts, chief_hosts;
  const char *job_name, *http, *join;
  int64_t task_index, num_workers, min_workers;
  double worker_lost, ps_backup;
  bool has_ps, has_workers, has_chief, has_job, has_index;
} given;

static const sli_option_t rows[] = {
    {.name = "ps_hosts",
     .kind = SLI_OPTION_LIST,
     .value = &given.ps_hosts,
     .given = &given.has_ps,
     .argument = "HOST:PORT,…",
     .help = "parameter servers of the cluster (or use TF_CONFIG)"},
    {.name = "worker_hosts",
     .kind = SLI_OPTION_LIST,
     .value = &given.worker_hosts,
     .given = &given.has_workers,
     .argument = "HOST:PORT,…",
     .help = "workers of the cluster"},
    {.name = "chief_hosts",
     .kind = SLI_OPTION_LIST,
     .value = &given.chief_hosts,
     .given = &given.has_chief,
     .argument = "HOST:PORT",
     .help = "the chief, if it is not worker 0"},
    {.name = "job_name",
     .kind = SLI_OPTION_TEXT,
     .value = &given.job_name,
     .given = &given.has_job,
     .argument = "NAME",
     .help = "the job of this task: ps, worker or chief"},
    {.name = "task_index",
     .kind = SLI_OPTION_INT,
     .value = &given.task_index,
     .given = &given.has_index,
     .argument = "N",
     .help = "the index of this task in its job",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "task_id",
     .kind = SLI_OPTION_INT,
     .value = &given.task_index,
     .given = &given.has_index,
     .argument = "N",
     .help = "the same as --task_index",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "join",
     .kind = SLI_OPTION_TEXT,
     .value = &given.join,
     .argument = "HOST:PORT",
     .help = "be a worker of the job of the ps at this address, in the place of one that does "
             "not run"},
    {.name = "num_workers",
     .kind = SLI_OPTION_INT,
     .value = &given.num_workers,
     .argument = "N",
     .help = "use only the first N workers; 0: all",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "min_workers",
     .kind = SLI_OPTION_INT,
     .value = &given.min_workers,
     .argument = "N",
     .help = "workers may join and leave while the job runs, as long as there are N; 0: "
             "all are expected",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "worker_lost",
     .kind = SLI_OPTION_DOUBLE,
     .value = &given.worker_lost,
     .argument = "SECONDS",
     .help = "go on without a worker that is silent for so long, and with another "
             "chief; 0: never",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "ps_backup",
     .kind = SLI_OPTION_DOUBLE,
     .value = &given.ps_backup,
     .argument = "SECONDS",
     .help = "let each ps back up its variables so often, beside the checkpoints; 0: "
             "never",
     .minimum = 0,
     .maximum = 1e6},
    {.name = "http",
     .kind = SLI_OPTION_TEXT,
     .value = &given.http,
     .argument = "PORT",
     .help = "serve metrics and a page at this port of the loopback device, or at "
             "ADDRESS:PORT (default: SLUICE_HTTP)"},
    {0}};

const sli_option_t *sli_cluster_spec_flag_rows(void) { return rows; }

static sli_status_t *add_hosts(sl_cluster_t *cluster, const char *name, const sli_option_list_t *hosts) {
  if (hosts->count == 0) return NULL;
  sli_cluster_spec_job_t job = {.name = sli_strdup(name)};
  char *where = sli_format("--%s_hosts", name);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < hosts->count && !status; i++)
    status = sli_cluster_spec_add_task(&job, (int)i, hosts->items[i], where);
  free(where);
  sli_array_push(&cluster->jobs, job);
  return status;
}

static sli_status_t *from_flags(sl_cluster_t *cluster) {
  SLI_RETURN_IF_ERROR(add_hosts(cluster, "ps", &given.ps_hosts));
  SLI_RETURN_IF_ERROR(add_hosts(cluster, "worker", &given.worker_hosts));
  SLI_RETURN_IF_ERROR(add_hosts(cluster, "chief", &given.chief_hosts));
  bool named = given.job_name && given.job_name[0];
  if (cluster->jobs.count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s needs --ps_hosts and --worker_hosts, the addresses of all tasks",
                           named || !given.has_index ? "--job_name" : "--task_index");
  if (!named) return sli_status_make(SLI_INVALID_ARGUMENT, "--job_name is missing: it must be ps, worker or chief");
  cluster->job = sli_strdup(given.job_name);
  cluster->index = (int)given.task_index;
  return sli_cluster_spec_check_task(cluster, "--job_name, --task_index");
}

// --- TF_CONFIG ---

static sli_status_t *config_error(const char *what) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "TF_CONFIG: %s", what);
}

static sli_status_t *add_json_tasks(sli_cluster_spec_job_t *job, json_t *tasks) {
  char *where = sli_format("TF_CONFIG, cluster.%s", job->name);
  sli_status_t *status = NULL;
  size_t i;
  const char *key;
  json_t *value;
  if (json_is_string(tasks)) {
    status = sli_cluster_spec_add_task(job, 0, json_string_value(tasks), where);
  } else if (json_is_array(tasks)) {
    json_array_foreach(tasks, i, value) {
      if (status) break;
      status = json_is_string(value) ? sli_cluster_spec_add_task(job, (int)i, json_string_value(value), where)
                                     : config_error("addresses must be strings, \"host:port\"");
    }
  } else if (json_is_object(tasks)) {
    json_object_foreach(tasks, key, value) {
      int64_t index;
      if (status) break;
      bool valid = sli_view_to_int64(sli_view(key), &index) && index >= 0 && index < 1000000 && json_is_string(value);
      status = valid ? sli_cluster_spec_add_task(job, (int)index, json_string_value(value), where)
                     : config_error("a job given as an object maps task numbers to \"host:port\"");
    }
  } else {
    status = config_error("each job of the cluster must be a list of \"host:port\"");
  }
  free(where);
  return status;
}

static sli_status_t *read_json_task(sl_cluster_t *cluster, json_t *task) {
  json_t *type = json_object_get(task, "type"), *index = json_object_get(task, "index");
  if (!json_is_string(type)) return config_error("task.type is missing: it must be \"ps\", \"worker\" or \"chief\"");
  cluster->job = sli_strdup(json_string_value(type));
  int64_t number = 0;
  bool valid = !index || json_is_integer(index) ||
               (json_is_string(index) && sli_view_to_int64(sli_view(json_string_value(index)), &number));
  if (!valid) return config_error("task.index is not a number");
  if (json_is_integer(index)) number = json_integer_value(index);
  if (number < 0 || number > 1000000)
    return sli_status_make(SLI_INVALID_ARGUMENT, "TF_CONFIG: task.index must be 0 to 1000000, got %lld",
                           (long long)number);
  cluster->index = (int)number;
  return sli_cluster_spec_check_task(cluster, "TF_CONFIG, task");
}

static sli_status_t *read_json(sl_cluster_t *cluster, json_t *root) {
  if (!json_is_object(root)) return config_error("it must be an object, {\"cluster\": …, \"task\": …}");
  json_t *jobs = json_object_get(root, "cluster");
  if (!jobs || (json_is_object(jobs) && json_object_size(jobs) == 0)) return NULL;  // a program that runs alone
  if (!json_is_object(jobs)) return config_error("cluster must be an object, {\"ps\": […], \"worker\": […]}");
  const char *name;
  json_t *tasks;
  json_object_foreach(jobs, name, tasks) {
    sli_cluster_spec_job_t job = {.name = sli_strdup(name)};
    sli_status_t *status = add_json_tasks(&job, tasks);
    sli_array_push(&cluster->jobs, job);
    if (status) return status;
  }
  return read_json_task(cluster, json_object_get(root, "task"));
}

sli_status_t *sli_cluster_spec_parse_tf_config(sl_cluster_t *cluster, const char *json) {
  json_error_t error;
  json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &error);
  if (!root)
    return sli_status_make(SLI_INVALID_ARGUMENT, "TF_CONFIG is not JSON: %s at line %d, column %d", error.text,
                           error.line, error.column);
  sli_status_t *status = read_json(cluster, root);
  json_decref(root);
  return status;
}

// --- Clusters for programs ---

// Fills a list that no flag gives from the program's default, "a:1,b:2".
static void use_default(sli_option_list_t *list, bool is_given, const char *hosts) {
  if (is_given) return;
  for (sli_view_t rest = sli_view(hosts ? hosts : ""), host; rest.size;) {
    sli_view_split(rest, ',', &host, &rest);
    host = sli_view_trim(host);
    if (!host.size) continue;
    list->items = sli_realloc(list->items, (list->count + 1) * sizeof(*list->items));
    list->items[list->count++] = sli_strndup(host.data, host.size);
  }
}

// --num_workers: keeps the first tasks of the job "worker".
static sli_status_t *keep_workers(sl_cluster_t *cluster) {
  if (!given.num_workers) return NULL;
  size_t wanted = (size_t)given.num_workers;
  sli_cluster_spec_job_t *job = (sli_cluster_spec_job_t *)sli_cluster_spec_find_job(cluster, "worker");
  size_t count = job ? job->tasks.count : cluster->job ? 0 : 1;
  if (wanted > count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "--num_workers must be at most %zu, the number of workers%s, got %zu",
                           count, cluster->job ? "" : " of a program without --worker_hosts", wanted);
  while (job && job->tasks.count > wanted) free(job->tasks.items[--job->tasks.count].address);
  return cluster->job ? sli_cluster_spec_check_task(cluster, "--num_workers") : NULL;
}

static sli_status_t *from_args(sl_cluster_t *cluster, const sl_cluster_from_args_options_t *options) {
  const char *config = getenv("TF_CONFIG");
  bool has_config = config && config[0];
  bool by_flags = given.has_ps || given.has_workers || given.has_chief || given.has_job || given.has_index;
  if (given.join && by_flags)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "--join=%s must not be given with --ps_hosts, --worker_hosts, --chief_hosts, --job_name or "
                           "--task_index: the ps knows them",
                           given.join);
  if (given.join)
    SLI_RETURN_IF_ERROR(sli_cluster_spec_join(cluster, given.join));
  else if (by_flags || (options->job_name && !has_config))
    SLI_RETURN_IF_ERROR(from_flags(cluster));
  else if (has_config)
    SLI_RETURN_IF_ERROR(sli_cluster_spec_parse_tf_config(cluster, config));
  return keep_workers(cluster);
}

sl_cluster_t *sl_cluster_from_args_with(int *argc, char **argv, const sl_cluster_from_args_options_t *defaults) {
  SLI_CALL_OPTIONS(sl_cluster_from_args_options_t, options, defaults);
  sl_cluster_t *cluster = cluster_create();
  const char *slash = *argc > 0 ? strrchr(argv[0], '/') : NULL;
  sli_options_t spec = {.program = slash       ? slash + 1
                                   : *argc > 0 ? argv[0]
                                               : "program",
                        .options = rows,
                        .pass_unknown = true};
  sli_option_list_deinitialize(&given.ps_hosts);
  sli_option_list_deinitialize(&given.worker_hosts);
  sli_option_list_deinitialize(&given.chief_hosts);
  memset(&given, 0, sizeof(given));
  given.job_name = options.job_name;
  given.task_index = options.task_index;
  given.worker_lost = default_worker_lost;
  given.ps_backup = default_ps_backup;
  given.min_workers = cluster->min_workers;
  bool help = false;
  cluster->status = sli_options_parse(&spec, argc, argv, &help);
  use_default(&given.ps_hosts, given.has_ps, options.ps_hosts);
  use_default(&given.worker_hosts, given.has_workers, options.worker_hosts);
  use_default(&given.chief_hosts, given.has_chief, options.chief_hosts);
  if (!cluster->status && !help) cluster->status = from_args(cluster, &options);
  cluster->worker_lost_secs = given.worker_lost;
  cluster->ps_backup_secs = given.ps_backup;
  cluster->min_workers = (int)given.min_workers;
  if (cluster->is_joining && !cluster->min_workers) cluster->min_workers = 1;
  if (given.http) cluster->http = sli_strdup(given.http);
  return cluster;  // |given| stays, for the defaults in --help
}

sli_cluster_spec_job_t *sli_cluster_spec_find_or_add_job(sl_cluster_t *cluster, const char *name) {
  for (size_t i = 0; i < cluster->jobs.count; i++)
    if (strcmp(cluster->jobs.items[i].name, name) == 0) return &cluster->jobs.items[i];
  sli_array_push(&cluster->jobs, ((sli_cluster_spec_job_t){.name = sli_strdup(name)}));
  return &cluster->jobs.items[cluster->jobs.count - 1];
}

sl_cluster_t *sl_cluster_from_tasks(const sl_task_address_t *tasks, size_t count, const char *job, int task_index) {
  static const char where[] = "sl_cluster_from_tasks";
  sl_cluster_t *cluster = cluster_create();
  for (size_t i = 0; i < count && !cluster->status; i++) {
    if (!tasks[i].job || !tasks[i].job[0] || !tasks[i].address || tasks[i].index < 0)
      cluster->status = sli_status_make(
          SLI_INVALID_ARGUMENT, "%s: task %zu must have a job, an address and an index of at least 0", where, i);
    else
      cluster->status = sli_cluster_spec_add_task(sli_cluster_spec_find_or_add_job(cluster, tasks[i].job),
                                                  tasks[i].index, tasks[i].address, where);
  }
  cluster->job = sli_strdup(job);
  cluster->index = task_index;
  if (!cluster->status) cluster->status = sli_cluster_spec_check_task(cluster, where);
  return cluster;
}
