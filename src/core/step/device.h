// Devices: where kernels run and where their tensors are stored.
#ifndef SLI_CORE_STEP_DEVICE_H_
#define SLI_CORE_STEP_DEVICE_H_

#include <stdint.h>

#include "base/thread_pool.h"
#include "core/state/resource.h"
#include "core/tensor/tensor.h"

typedef struct sli_device sli_device_t;

// What a device with memory of its own can do. It runs what it is given one after the other, while the host goes on: a
// kernel on it gives it work and returns.
typedef struct {
  void (*destroy)(sli_device_t *device);  // frees all but the fields of sli_device_t
  // Another device on the same hardware, with this name and these resources.
  sli_device_t *(*clone)(const sli_device_t *device, const char *name, sli_resource_manager_t *resources);
  // Copies |source|, in host memory, to |target|, of the same size. Retains both until that is done.
  sli_status_t *(*upload)(sli_device_t *device, sli_tensor_t *source, sli_tensor_t *target);
  // Copies |source| to |target|, in host memory, after all that the device was given so far; then calls |done| once, on
  // any thread. Retains both until then.
  void (*download)(sli_device_t *device, sli_tensor_t *source, sli_tensor_t *target,
                   void (*done)(void *context, sli_status_t *status), void *context);
} sli_device_vtable_t;

// Thread-safe. Immutable after creation.
struct sli_device {
  const sli_device_vtable_t *vtable;  // NULL: a CPU, whose tensors are in host memory
  char *name;                         // "/job:worker/replica:0/task:0/device:CPU:0"
  const char *type;                   // "CPU", "GPU"
  char *description;                  // of the hardware, for users; NULL: none
  uint64_t incarnation;               // random, never 0, new at every start
  int64_t memory_limit;
  sli_allocator_t *allocator;
  sli_resource_manager_t *resources;  // shared by the devices of a task; not owned
  sli_thread_pool_t *compute_pool;    // for parallel loops inside kernels; not owned, may be NULL
};

// Sets name, incarnation, resources and pool.
void sli_device_initialize(sli_device_t *device, const char *name, sli_resource_manager_t *resources,
                           sli_thread_pool_t *pool);
sli_device_t *sli_device_create_cpu(const char *name, sli_resource_manager_t *resources, sli_thread_pool_t *pool);
// The same device, with the same incarnation, under another name and with other resources.
sli_device_t *sli_device_clone(const sli_device_t *device, const char *name, sli_resource_manager_t *resources);
void sli_device_destroy(sli_device_t *device);
// Whether a tensor of this type is in host memory wherever it is used: strings and objects, and int32, which are shapes
// and indices most of the time, as in TensorFlow.
static inline bool sli_device_keeps_on_host(sli_dtype_t dtype) {
  return !sli_dtype_is_plain(sli_dtype_base(dtype)) || sli_dtype_base(dtype) == SLI_DTYPE_INT32;
}

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
