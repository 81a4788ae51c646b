// The devices of a worker.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "device/opencl/opencl.h"
#include "dist/worker/worker_internal.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"

enum { MAX_CPUS = 1024 };

sli_worker_device_group_t *sli_worker_devices_retain(sli_worker_device_group_t *group) {
  sli_refcount_retain(&group->references);
  return group;
}

void sli_worker_devices_release(sli_worker_device_group_t *group) {
  if (!group || !sli_refcount_release(&group->references)) return;
  // Resources may hold functions, whose kernels are on the devices.
  if (!group->shares_with) sli_resource_manager_destroy(group->resources);
  for (size_t i = 0; i < group->set.devices.count; i++) sli_device_destroy(group->set.devices.items[i].local);
  sli_device_set_deinitialize(&group->set);
  sli_worker_devices_release(group->shares_with);
  free(group);
}

static sli_worker_device_group_t *create_group(sli_worker_device_group_t *shares_with) {
  sli_worker_device_group_t *group = sli_calloc(1, sizeof(*group));
  sli_refcount_initialize(&group->references);
  group->shares_with = shares_with;
  group->resources = shares_with ? shares_with->resources : sli_resource_manager_create(SLI_WORKER_CONTAINER);
  return group;
}

static void add(sli_worker_device_group_t *group, sli_device_t *device) {
  sli_device_set_add(&group->set, device->name, device->type, device->incarnation, device->memory_limit, device);
}

// device_count["CPU"]; 1 if it is not set.
static sli_status_t *add_cpus(sli_worker_device_group_t *group, const Tensorflow__ConfigProto *config,
                              const char *task_name, sli_thread_pool_t *pool) {
  int count = 1;
  for (size_t i = 0; i < config->n_device_count; i++)
    if (!strcmp(config->device_count[i]->key, "CPU")) count = config->device_count[i]->value;
  if (count < 1 || count > MAX_CPUS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "device_count[\"CPU\"] must be between 1 and %d, got %d", MAX_CPUS,
                           count);
  for (int i = 0; i < count; i++) {
    char *name = sli_format("%s/device:CPU:%d", task_name, i);
    add(group, sli_device_create_cpu(name, group->resources, pool));
    free(name);
  }
  return NULL;
}

// A ps holds parameters in host memory and uses no GPU, unless it is told to.
static sli_status_t *add_gpus(sli_worker_device_group_t *group, const Tensorflow__ConfigProto *config,
                              const sli_cluster_task_t *self, sli_thread_pool_t *pool) {
  sli_opencl_options_t options = sli_opencl_options(config);
  if (options.count < 0 && !strcmp(self->job, "ps")) options.count = 0;
  sli_device_t **gpus;
  size_t count;
  sli_status_t *status = sli_opencl_create_devices(self->task_name, &options, group->resources, pool, &gpus, &count);
  for (size_t i = 0; i < count; i++) add(group, gpus[i]);
  free(gpus);
  return status;
}

sli_status_t *sli_worker_devices_create(sli_env_t *env, const sli_cluster_t *cluster,
                                        sli_worker_device_group_t **out_group) {
  *out_group = NULL;
  sli_arena_t arena = {.budget = sli_proto_budget(cluster->default_config.size)};
  Tensorflow__ConfigProto *config = NULL;
  sli_status_t *status = sli_proto_parse(&tensorflow__config_proto__descriptor, cluster->default_config.data,
                                         cluster->default_config.size, &arena, (void **)&config);
  const sli_cluster_task_t *self = sli_cluster_self(cluster);
  sli_worker_device_group_t *group = status ? NULL : create_group(NULL);
  if (!status) status = add_cpus(group, config, self->task_name, env->pool);
  if (!status) status = add_gpus(group, config, self, env->pool);
  sli_arena_deinitialize(&arena);
  if (status)
    sli_worker_devices_release(group);
  else
    *out_group = group;
  return status;
}

sli_worker_device_group_t *sli_worker_devices_clone(sli_worker_device_group_t *group, const char *task_name,
                                                    bool shares) {
  sli_worker_device_group_t *clone = create_group(shares ? sli_worker_devices_retain(group) : NULL);
  clone->is_of_session = !shares;
  for (size_t i = 0; i < group->set.devices.count; i++) {
    const sli_device_t *device = group->set.devices.items[i].local;
    const char *own = device->name + sli_device_name_task(sli_view(device->name)).size;
    char *name = sli_format("%s%s", task_name, own);
    add(clone, sli_device_clone(device, name, clone->resources));
    free(name);
  }
  return clone;
}
