#include "dist/cluster/cluster.h"

#include <stdlib.h>

#include "core/step/device.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"

static int by_job_and_index(const void *a, const void *b) {
  const sli_cluster_task_t *x = a, *y = b;
  int order = strcmp(x->job, y->job);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

// Accepts "host:port" with a port from 0 to 65535; 0: the system chooses one.
static sli_status_t *check_address(const char *job, int index, const char *address) {
  const char *colon = strrchr(address, ':');
  int64_t port;
  if (colon && colon > address && sli_view_to_int64(sli_view(colon + 1), &port) && port >= 0 && port <= 65535)
    return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Could not interpret \"%s\" as a host-port pair (job '%s', task %d of the cluster).", address,
                         job, index);
}

static sli_status_t *add_tasks(sli_cluster_t *cluster, const Tensorflow__ClusterDef *def) {
  for (size_t j = 0; def && j < def->n_job; j++) {
    const Tensorflow__JobDef *job = def->job[j];
    for (size_t t = 0; t < job->n_tasks; t++) {
      int index = job->tasks[t]->key;
      const char *address = job->tasks[t]->value;
      if (sli_string_starts_with(address, "grpc://")) address += strlen("grpc://");
      SLI_RETURN_IF_ERROR(check_address(job->name, index, address));
      if (index < 0)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Job '%s' has a task with index %d: it must be at least 0.",
                               job->name, index);
      sli_cluster_task_t task = {sli_strdup(job->name), index, sli_strdup(address),
                                 sli_format("/job:%s/replica:0/task:%d", job->name, index)};
      sli_array_push(&cluster->tasks, task);
      sli_device_name_t parsed;
      if (!sli_device_name_parse(sli_view(task.task_name), &parsed) || !sli_view_is(parsed.job, job->name))
        return sli_status_make(
            SLI_INVALID_ARGUMENT,
            "'%s' cannot be the name of a job: it must begin with a letter and have only letters, digits and '_'.",
            job->name);
    }
  }
  if (cluster->tasks.count)
    qsort(cluster->tasks.items, cluster->tasks.count, sizeof(*cluster->tasks.items), by_job_and_index);
  for (size_t i = 1; i < cluster->tasks.count; i++)
    if (by_job_and_index(&cluster->tasks.items[i - 1], &cluster->tasks.items[i]) == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Task %d of job '%s' is listed twice in the cluster.",
                             cluster->tasks.items[i].index, cluster->tasks.items[i].job);
  return NULL;
}

static sli_status_t *find_self(sli_cluster_t *cluster, const Tensorflow__ServerDef *def) {
  bool job_found = false;
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    const sli_cluster_task_t *task = &cluster->tasks.items[i];
    bool job = !strcmp(task->job, def->job_name);
    job_found |= job;
    if (!job || task->index != def->task_index) continue;
    cluster->self = (int)i;
    return NULL;
  }
  if (!job_found) return sli_status_make(SLI_INVALID_ARGUMENT, "Job \"%s\" was not defined in cluster", def->job_name);
  return sli_status_make(SLI_INVALID_ARGUMENT, "Task %d was not defined in job \"%s\"", def->task_index, def->job_name);
}

static sli_status_t *read_def(sli_cluster_t *cluster, const Tensorflow__ServerDef *def) {
  if (*def->protocol && strcmp(def->protocol, "grpc") != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "No server factory registered for the protocol '%s': Sluice speaks \"grpc\".",
                           def->protocol);
  cluster->protocol = sli_strdup("grpc");
  cluster->port = def->port;
  if (def->default_session_config)
    SLI_RETURN_IF_ERROR(sli_proto_pack(&def->default_session_config->base, &cluster->default_config));
  SLI_RETURN_IF_ERROR(add_tasks(cluster, def->cluster));
  return find_self(cluster, def);
}

sli_status_t *sli_cluster_from_server_def(sli_view_t server_def, sli_cluster_t *out_cluster) {
  *out_cluster = (sli_cluster_t){0};
  sli_arena_t arena = {.budget = sli_proto_budget(server_def.size)};
  Tensorflow__ServerDef *def = NULL;
  sli_status_t *status =
      sli_proto_parse(&tensorflow__server_def__descriptor, server_def.data, server_def.size, &arena, (void **)&def);
  if (!status) status = read_def(out_cluster, def);
  sli_arena_deinitialize(&arena);
  if (status) sli_cluster_deinitialize(out_cluster);
  return status;
}

void sli_cluster_deinitialize(sli_cluster_t *cluster) {
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    free(cluster->tasks.items[i].job);
    free(cluster->tasks.items[i].address);
    free(cluster->tasks.items[i].task_name);
  }
  sli_array_deinitialize(&cluster->tasks);
  sli_string_deinitialize(&cluster->default_config);
  free(cluster->protocol);
  *cluster = (sli_cluster_t){0};
}

const sli_cluster_task_t *sli_cluster_find(const sli_cluster_t *cluster, sli_view_t task_name) {
  for (size_t i = 0; i < cluster->tasks.count; i++)
    if (sli_view_is(task_name, cluster->tasks.items[i].task_name)) return &cluster->tasks.items[i];
  return NULL;
}
