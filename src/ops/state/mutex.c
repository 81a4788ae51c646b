// MutexV2, MutexLock, ConsumeMutexLock: critical sections. A lock is an element of a variant tensor; the mutex is free
// again when the last reference to it is released. Who waits for a mutex holds no thread.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/op_registry.h"
#include "core/op/shape_inference.h"
#include "core/tensor/variant.h"
#include "ops/common/named_resource.h"
#include "ops/common/waiter.h"

typedef struct {
  sli_object_t base;
  sli_mutex_t mutex;
  bool is_locked;             // guarded by |mutex|
  sli_waiter_list_t waiters;  // guarded by |mutex|
} critical_t;

// A lock that somebody holds.
typedef struct {
  sli_object_t base;
  critical_t *critical;  // a reference
  sli_thread_pool_t *pool;
} lock_t;

typedef struct {
  sli_waiter_t waiter;
  sli_kernel_context_t *context;
} lock_request_t;

static void critical_destroy(sli_object_t *object) {
  critical_t *critical = (critical_t *)object;
  sli_mutex_deinitialize(&critical->mutex);
  free(critical);
}

static const sli_object_type_t critical_type = {"Mutex", critical_destroy, NULL, NULL};

static sli_status_t *make_critical(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  critical_t *critical = sli_calloc(1, sizeof(*critical));
  sli_object_initialize(&critical->base, &critical_type);
  sli_mutex_initialize(&critical->mutex);
  *out_object = critical;
  return NULL;
}

static const sli_named_resource_type_t resource_type = {.type = &critical_type, .make = make_critical};

static sli_status_t *mutex_create(const sli_kernel_setup_t *setup, void **out_state) {
  return sli_named_resource_create(setup, &resource_type, out_state);
}

static void finish_waiter(void *context) {
  sli_waiter_list_t resolved = {.first = context, .last = context};
  sli_waiter_list_finish(&resolved);
}

// The last reference to a lock may be released anywhere, perhaps under a lock, so that the next one that waits
// continues on another thread.
static void lock_destroy(sli_object_t *object) {
  lock_t *lock = (lock_t *)object;
  critical_t *critical = lock->critical;
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&critical->mutex);
  if (critical->waiters.first)
    sli_waiter_resolve_locked(critical->waiters.first, NULL, &resolved);
  else
    critical->is_locked = false;
  sli_mutex_unlock(&critical->mutex);
  if (resolved.first && lock->pool)
    sli_thread_pool_submit(lock->pool, finish_waiter, resolved.first);
  else
    sli_waiter_list_finish(&resolved);
  sli_object_release(critical);
  free(lock);
}

static const sli_object_type_t lock_type = {"tensorflow::Mutex::SharedLockReleaser", lock_destroy, NULL, NULL};

// Sets the output to a lock of |critical|, which is locked. Without memory it is free again.
static sli_status_t *set_lock(sli_kernel_context_t *context, critical_t *critical) {
  lock_t *lock = sli_calloc(1, sizeof(*lock));
  sli_object_initialize(&lock->base, &lock_type);
  lock->critical = sli_object_retain(critical);
  lock->pool = sli_kernel_pool(context);
  sli_tensor_t *output;
  sli_status_t *status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
  if (status)
    sli_object_release(lock);
  else
    SLI_DATA(sli_object_t *, output)[0] = &lock->base;
  return status;
}

static void lock_done(sli_waiter_t *waiter, sli_status_t *status) {
  lock_request_t *request = (lock_request_t *)waiter;
  sli_kernel_context_t *context = request->context;
  if (!status) status = set_lock(context, (critical_t *)waiter->object);
  free(request);
  sli_kernel_complete(context, status);
}

static void lock_compute(sli_kernel_context_t *context) {
  critical_t *critical;
  sli_status_t *status = sli_named_resource_find(context, 0, &critical_type, (void **)&critical);
  if (status) {
    sli_kernel_complete(context, status);
    return;
  }
  lock_request_t *request = sli_calloc(1, sizeof(*request));
  request->context = context;
  sli_waiter_initialize(&request->waiter, critical, &critical->mutex, context->step->cancellation);
  request->waiter.cancelled_text = "Lock acquisition cancelled.";
  request->waiter.done = lock_done;
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&critical->mutex);
  sli_waiter_append_locked(&request->waiter, &critical->waiters);
  if (!critical->is_locked) {
    critical->is_locked = true;
    sli_waiter_resolve_locked(&request->waiter, NULL, &resolved);
  } else {
    sli_waiter_park_locked(&request->waiter, &resolved);
  }
  sli_mutex_unlock(&critical->mutex);
  sli_object_release(critical);
  sli_waiter_list_finish(&resolved);
}

static sli_status_t *consume_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  if (input->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected input to be a scalar, saw shape: %s",
                           sli_tensor_shape_text(input).text);
  sli_object_t *object = SLI_DATA(sli_object_t *, input)[0];
  if (!object || object->type != &lock_type)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected input to contain a SharedLockReleaser object, but saw variant: '%s'",
                           sli_variant_text(object).text);
  if (!sli_refcount_is_one(&object->references))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected use count of lock to be 1, but saw more");
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "MutexV2",
     .outputs = "resource: resource",
     .attrs = "container: string = ''; shared_name: string = ''",
     .summary = "A mutex for a critical section.",
     .shape = sli_infer_fn_scalar,
     .is_stateful = true},
    {.name = "MutexLock",
     .inputs = "mutex: resource",
     .outputs = "mutex_lock: variant",
     .summary = "Waits for a mutex and locks it until the last reference to the output is released.",
     .shape = sli_infer_fn_scalar,
     .is_stateful = true},
    {.name = "ConsumeMutexLock",
     .inputs = "mutex_lock: variant",
     .summary = "Keeps a lock until here; fails if another op has it too.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "MutexV2",
     .compute = sli_named_resource_compute,
     .create = mutex_create,
     .destroy = sli_named_resource_destroy},
    {.op = "MutexLock", .compute_async = lock_compute},
    {.op = "ConsumeMutexLock", .compute = consume_compute},
};
SLI_OP_MODULE(mutex);
