#include "core/state/variable.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/state/resource.h"

static void variable_destroy(sli_object_t *object) {
  sli_variable_t *variable = (sli_variable_t *)object;
  sli_tensor_release(variable->tensor);
  sli_mutex_deinitialize(&variable->mutex);
  sli_mutex_deinitialize(&variable->tensor_mutex);
  free((void *)variable->declared.dims);
  free(variable->name);
  free(variable);
}

// Updates may write at the same time, as for every read.
static void describe_count(const sli_tensor_t *tensor, sli_resource_info_t *out_info) {
  out_info->has_count = tensor->dtype == SLI_DTYPE_INT64 || tensor->dtype == SLI_DTYPE_INT32;
  if (tensor->dtype == SLI_DTYPE_INT64)
    out_info->count = __atomic_load_n(SLI_DATA(const int64_t, tensor), __ATOMIC_RELAXED);
  if (tensor->dtype == SLI_DTYPE_INT32)
    out_info->count = __atomic_load_n(SLI_DATA(const int32_t, tensor), __ATOMIC_RELAXED);
}

static void variable_describe(sli_object_t *object, sli_resource_info_t *out_info) {
  sli_variable_t *variable = (sli_variable_t *)object;
  sli_tensor_t *tensor = sli_variable_read(variable);
  sli_shape_t shape = tensor ? sli_tensor_shape(tensor) : variable->declared;
  out_info->kind = SLI_RESOURCE_VARIABLE;
  out_info->dtype = variable->dtype;
  out_info->is_initialized = tensor != NULL;
  out_info->rank = shape.rank;
  for (int i = 0; i < shape.rank; i++) out_info->dims[i] = shape.dims[i];
  if (tensor) out_info->bytes = (int64_t)sli_tensor_bytes(tensor);
  if (tensor && shape.rank == 0 && tensor->memory == SLI_MEMORY_HOST) describe_count(tensor, out_info);
  sli_tensor_release(tensor);
}

static const sli_resource_watch_t variable_watch = {.describe = variable_describe};
const sli_object_type_t sli_variable_type = {"Variable", variable_destroy, &variable_watch};

sli_variable_t *sli_variable_create(sli_dtype_t dtype, sli_view_t name, sli_shape_t declared) {
  sli_variable_t *variable = sli_calloc(1, sizeof(*variable));
  sli_object_initialize(&variable->base, &sli_variable_type);
  sli_mutex_initialize(&variable->mutex);
  sli_mutex_initialize(&variable->tensor_mutex);
  variable->dtype = sli_dtype_base(dtype);
  variable->name = sli_strndup(name.data, name.size);
  variable->declared = SLI_SHAPE_UNKNOWN;
  if (declared.rank >= 0) {
    variable->declared.rank = declared.rank;
    variable->declared.dims = sli_memdup(declared.dims, (size_t)declared.rank * sizeof(int64_t));
  }
  return variable;
}

sli_tensor_t *sli_variable_read(sli_variable_t *variable) {
  sli_mutex_lock(&variable->tensor_mutex);
  sli_tensor_t *tensor = sli_tensor_retain(variable->tensor);
  sli_mutex_unlock(&variable->tensor_mutex);
  return tensor;
}

sli_status_t *sli_variable_uninitialized_error(const sli_variable_t *variable) {
  return sli_status_make(SLI_FAILED_PRECONDITION, "Attempting to use uninitialized value %s", variable->name);
}

sli_status_t *sli_variable_read_initialized(sli_variable_t *variable, sli_tensor_t **out_tensor) {
  *out_tensor = sli_variable_read(variable);
  return *out_tensor ? NULL : sli_variable_uninitialized_error(variable);
}

sli_tensor_t *sli_variable_borrow(sli_variable_t *variable) {
  sli_mutex_lock(&variable->tensor_mutex);
  sli_tensor_t *tensor = sli_tensor_retain(variable->tensor);
  if (tensor) variable->borrowers++;
  sli_mutex_unlock(&variable->tensor_mutex);
  return tensor;
}

void sli_variable_return(sli_variable_t *variable, sli_tensor_t *tensor) {
  if (!tensor) return;
  sli_mutex_lock(&variable->tensor_mutex);
  // The borrowers of a tensor that was replaced are no longer counted. If that tensor came back meanwhile, the count is
  // too low, which costs one needless copy.
  if (variable->tensor == tensor && variable->borrowers > 0) {
    variable->borrowers--;
    variable->returns++;
    // Under the lock, so that no thread sees the reference without its borrower. It is not the last reference: the
    // variable has one.
    sli_tensor_release(tensor);
    tensor = NULL;
  }
  sli_mutex_unlock(&variable->tensor_mutex);
  sli_tensor_release(tensor);
}

static bool is_shared_locked(const sli_variable_t *variable) {
  sli_tensor_t *tensor = variable->tensor;
  if (!tensor) return false;
  if (tensor->owner) return !sli_tensor_is_exclusive(tensor);
  return atomic_load_explicit(&tensor->references, memory_order_acquire) != 1 + variable->borrowers ||
         !sli_tensor_is_writable(tensor);
}

sli_tensor_t *sli_variable_read_shared(sli_variable_t *variable) {
  sli_mutex_lock(&variable->tensor_mutex);
  sli_tensor_t *tensor = variable->tensor;
  bool shared = is_shared_locked(variable);
  if (shared) sli_tensor_retain(tensor);
  sli_mutex_unlock(&variable->tensor_mutex);
  return shared ? tensor : NULL;
}

sli_status_t *sli_variable_leave_lent_memory(sli_variable_t *variable) {
  sli_mutex_lock(&variable->tensor_mutex);
  sli_tensor_t *tensor = variable->tensor, *copy;
  uint64_t returns = variable->returns;
  if (!tensor || variable->borrowers > 0 || sli_tensor_is_writable(tensor)) tensor = NULL;
  sli_tensor_retain(tensor);
  sli_mutex_unlock(&variable->tensor_mutex);
  if (!tensor) return NULL;
  sli_status_t *status = sli_tensor_clone(tensor, &copy);
  if (!status) {
    sli_mutex_lock(&variable->tensor_mutex);
    if (variable->tensor == tensor && variable->borrowers == 0 && variable->returns == returns) {
      variable->tensor = copy;
      copy = tensor;
    }
    sli_mutex_unlock(&variable->tensor_mutex);
    sli_tensor_release(copy);
  }
  sli_tensor_release(tensor);
  return status;
}

sli_status_t *sli_variable_make_private(sli_variable_t *variable, bool locked) {
  sli_tensor_t *tensor = sli_variable_read_shared(variable), *copy = NULL;
  if (!tensor) return NULL;
  sli_status_t *status = NULL;
  sli_tensor_release(tensor);
  if (!locked) sli_mutex_lock(&variable->mutex);
  tensor = sli_variable_read_shared(variable);
  if (tensor) {
    status = sli_tensor_clone(tensor, &copy);
    if (!status) sli_variable_replace(variable, copy);
    sli_tensor_release(tensor);
  }
  if (!locked) sli_mutex_unlock(&variable->mutex);
  return status;
}

void sli_variable_replace(sli_variable_t *variable, sli_tensor_t *tensor) {
  sli_mutex_lock(&variable->tensor_mutex);
  sli_tensor_t *old = variable->tensor;
  variable->tensor = tensor;
  variable->borrowers = 0;
  sli_mutex_unlock(&variable->tensor_mutex);
  sli_tensor_release(old);
}
