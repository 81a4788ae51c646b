// Devices: where kernels run and where their tensors are stored.
#ifndef SLI_CORE_STEP_DEVICE_H_
#define SLI_CORE_STEP_DEVICE_H_

#include <stdint.h>

#include "base/thread_pool.h"
#include "core/state/resource.h"
#include "core/tensor/allocator.h"

// Thread-safe. Immutable after creation.
typedef struct {
  char *name;            // "/job:worker/replica:0/task:0/device:CPU:0"
  const char *type;      // "CPU"
  uint64_t incarnation;  // random, never 0, new at every start
  int64_t memory_limit;
  sli_allocator_t *allocator;
  sli_resource_manager_t *resources;  // shared by the devices of a task; not owned
  sli_thread_pool_t *compute_pool;    // for parallel loops inside kernels; not owned, may be NULL
} sli_device_t;

sli_device_t *sli_device_create_cpu(const char *name, sli_resource_manager_t *resources, sli_thread_pool_t *pool);
void sli_device_destroy(sli_device_t *device);

// Device names: "/job:J/replica:R/task:T/device:TYPE:ID", each part optional;
// "/cpu:0" and "/gpu:1" too (the old form). Views point into the parsed text.
typedef struct {
  bool has_job, has_replica, has_task, has_type, has_id;
  sli_view_t job, type;
  int replica, task, id;
} sli_device_name_t;

// False if the text is not a device name. "" is a device name without parts.
bool sli_device_name_parse(sli_view_t text, sli_device_name_t *out_name);
void sli_device_name_append(sli_string_t *string, const sli_device_name_t *name);
// Whether a device with the full name |full| satisfies the |wanted| parts.
bool sli_device_name_matches(const sli_device_name_t *wanted, const sli_device_name_t *full);
// Adds the parts of |more| to |into|. INVALID_ARGUMENT naming both where they
// conflict; with |soft|, conflicting type and id are dropped instead.
sli_status_t *sli_device_name_merge(sli_device_name_t *into, const sli_device_name_t *more, bool soft);
// "/job:J/replica:R/task:T" of a full name: the part before "/device:".
sli_view_t sli_device_name_task(sli_view_t full);

#endif  // SLI_CORE_STEP_DEVICE_H_
