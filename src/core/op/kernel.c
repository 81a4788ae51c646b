// The functions of a kernel's context: outputs, forwarding, common checks.
#include "core/op/kernel.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/op_registry.h"

static sli_allocator_t *output_allocator(const sli_kernel_context_t *context, int index) {
  if (__builtin_expect(!context->device->vtable, 1) || !sli_kernel_is_in(context->host_outputs, index))
    return context->device->allocator;
  return sli_allocator_cpu();
}

static bool is_listed(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at && (at = strstr(at, name)); at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == 0 || at[length] == ',')) return true;
  return false;
}

static uint64_t host_set(const sli_kernel_def_t *kernel, const sli_node_def_t *node, bool is_input) {
  const sli_op_t *op = node->op;
  const sli_arg_t *args = is_input ? op->inputs : op->outputs;
  const sli_dtype_t *types = is_input ? node->input_types : node->output_types;
  int count = is_input ? node->input_count : node->output_count,
      arg_count = is_input ? op->input_count : op->output_count;
  uint64_t set = 0;
  for (int i = 0; i < count; i++)
    if (sli_device_keeps_on_host(types[i])) set |= UINT64_C(1) << (i < 63 ? i : 63);
  for (int a = 0; kernel->host_memory && a < arg_count; a++) {
    int first, length;
    if (!is_listed(kernel->host_memory, args[a].name)) continue;
    sli_status_t *status =
        (is_input ? sli_node_input_range : sli_node_output_range)(node, args[a].name, &first, &length);
    for (int i = first; !status && i < first + length; i++) set |= UINT64_C(1) << (i < 63 ? i : 63);
    sli_status_release(status);
  }
  return set;
}

sli_kernel_host_t sli_kernel_host_arguments(const sli_kernel_def_t *kernel, const sli_node_def_t *node) {
  bool is_for_cpu = !kernel->any_device && (!kernel->device || !strcmp(kernel->device, "CPU"));
  if (is_for_cpu) return (sli_kernel_host_t){SLI_KERNEL_ALL_ON_HOST, SLI_KERNEL_ALL_ON_HOST};
  return (sli_kernel_host_t){host_set(kernel, node, true), host_set(kernel, node, false)};
}

// Names the device in an out-of-memory error.
static sli_status_t *allocate(const sli_kernel_context_t *context, sli_allocator_t *allocator, sli_dtype_t dtype,
                              sli_shape_t shape, sli_tensor_t **out_tensor) {
  sli_status_t *status = sli_tensor_create(allocator, dtype, shape.dims, shape.rank, out_tensor);
  if (__builtin_expect(!status || sli_status_code(status) != SLI_RESOURCE_EXHAUSTED, 1)) return status;
  sli_status_release(status);
  return sli_tensor_out_of_memory_in(allocator, dtype, shape, context->device->name);
}

static sli_dtype_t output_type(const sli_kernel_context_t *context, int index) {
  return sli_dtype_base(context->node->output_types[index]);
}

static void set_value(sli_kernel_context_t *context, int index, sli_kernel_value_t value) {
  sli_kernel_value_t old = context->outputs[index];
  context->outputs[index] = value;
  sli_tensor_release(old.tensor);
  sli_variable_release(old.variable);
}

sli_status_t *sli_kernel_allocate_output(sli_kernel_context_t *context, int index, sli_shape_t shape,
                                         sli_tensor_t **out_tensor) {
  sli_allocator_t *allocator = output_allocator(context, index);
  SLI_RETURN_IF_ERROR(allocate(context, allocator, output_type(context, index), shape, out_tensor));
  set_value(context, index, (sli_kernel_value_t){.tensor = *out_tensor});
  context->allocated_for_outputs += sli_tensor_bytes(*out_tensor);
  return NULL;
}

// Whether the bytes of |tensor| may become an output of |dtype| and |shape|.
static bool can_forward(sli_tensor_t *tensor, sli_memory_t memory, sli_dtype_t dtype, sli_shape_t shape) {
  if (!tensor || tensor->memory != memory || tensor->count != sli_shape_count(shape)) return false;
  if (tensor->dtype != dtype) {
    sli_dtype_t own = (sli_dtype_t)tensor->dtype;
    if (!sli_dtype_is_plain(own) || !sli_dtype_is_plain(dtype) || sli_dtype_size(own) != sli_dtype_size(dtype))
      return false;
  }
  return sli_tensor_is_exclusive(tensor);
}

sli_status_t *sli_kernel_forward_or_allocate(sli_kernel_context_t *context, int input, int index, sli_shape_t shape,
                                             sli_tensor_t **out_tensor) {
  sli_tensor_t *tensor = context->inputs[input].variable ? NULL : context->inputs[input].tensor;
  sli_dtype_t dtype = output_type(context, index);
  if (!can_forward(tensor, output_allocator(context, index)->memory, dtype, shape))
    return sli_kernel_allocate_output(context, index, shape, out_tensor);
  bool is_same = tensor->dtype == dtype && sli_shape_equal(sli_tensor_shape(tensor), shape);
  *out_tensor = is_same ? sli_tensor_retain(tensor) : sli_tensor_view(tensor, dtype, 0, shape.dims, shape.rank);
  set_value(context, index, (sli_kernel_value_t){.tensor = *out_tensor});
  return NULL;
}

sli_status_t *sli_kernel_allocate_temporary(sli_kernel_context_t *context, sli_dtype_t dtype, sli_shape_t shape,
                                            sli_tensor_t **out_tensor) {
  bool is_on_host = context->device->vtable && context->host_outputs == SLI_KERNEL_ALL_ON_HOST;
  sli_allocator_t *allocator = is_on_host ? sli_allocator_cpu() : context->device->allocator;
  SLI_RETURN_IF_ERROR(allocate(context, allocator, dtype, shape, out_tensor));
  // Several threads of one kernel may be here at once; the executor reads the sum before or after.
  __atomic_fetch_add(&context->allocated_temporarily, sli_tensor_bytes(*out_tensor), __ATOMIC_RELAXED);
  return NULL;
}

sli_status_t *sli_kernel_require_scratch(const sli_kernel_context_t *context, int64_t count, size_t size) {
  const sli_thread_pool_t *pool = sli_kernel_pool(context);
  size_t bytes = 0, threads = pool ? (size_t)sli_thread_pool_size(pool) + 1 : 1;
  if (count >= 0 && !__builtin_mul_overflow((size_t)count, size * threads, &bytes) && sli_alloc_has(bytes)) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating %zu times %lld elements of %zu bytes for %s",
                         threads, (long long)count, size, context->node->op->def->name);
}

void sli_kernel_set_output(sli_kernel_context_t *context, int index, sli_tensor_t *tensor) {
  set_value(context, index, (sli_kernel_value_t){.tensor = tensor});
}

void sli_kernel_set_output_reshaped(sli_kernel_context_t *context, int index, int input, sli_shape_t shape) {
  sli_tensor_t *tensor = context->inputs[input].tensor;
  bool is_same = sli_shape_equal(sli_tensor_shape(tensor), shape);
  sli_kernel_set_output(context, index,
                        is_same ? sli_tensor_retain(tensor)
                                : sli_tensor_view(tensor, (sli_dtype_t)tensor->dtype, 0, shape.dims, shape.rank));
}

void sli_kernel_set_output_variable(sli_kernel_context_t *context, int index, sli_variable_t *variable) {
  set_value(context, index, (sli_kernel_value_t){.variable = variable});
}

static sli_status_t *require_rank(const sli_kernel_context_t *context, int index, const char *name, int rank,
                                  const char *what) {
  const sli_tensor_t *tensor = context->inputs[index].tensor;
  if (!tensor) return sli_status_make(SLI_INVALID_ARGUMENT, "%s has no value", name);
  if (tensor->rank == rank) return NULL;
  char *shape = sli_shape_to_text(sli_tensor_shape(tensor));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a %s, got shape %s", name, what, shape);
  free(shape);
  return status;
}

sli_status_t *sli_kernel_require_scalar(const sli_kernel_context_t *context, int index, const char *name) {
  return require_rank(context, index, name, 0, "scalar");
}

sli_status_t *sli_kernel_require_vector(const sli_kernel_context_t *context, int index, const char *name) {
  return require_rank(context, index, name, 1, "vector");
}

static sli_status_t *require_index_type(const sli_tensor_t *tensor, const char *name) {
  if (sli_types_contain(SLI_TYPES_INDEX, (sli_dtype_t)tensor->dtype)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be int32 or int64, got %s", name,
                         sli_dtype_name((sli_dtype_t)tensor->dtype));
}

sli_status_t *sli_kernel_input_int(const sli_kernel_context_t *context, int index, const char *name,
                                   int64_t *out_value) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, index, name));
  const sli_tensor_t *tensor = context->inputs[index].tensor;
  SLI_RETURN_IF_ERROR(require_index_type(tensor, name));
  *out_value = sli_tensor_int_at(tensor, 0);
  return NULL;
}

sli_status_t *sli_kernel_input_ints(const sli_kernel_context_t *context, int index, const char *name,
                                    int64_t *out_values, int capacity, int *out_count) {
  *out_count = 0;
  SLI_RETURN_IF_ERROR(sli_kernel_require_vector(context, index, name));
  const sli_tensor_t *tensor = context->inputs[index].tensor;
  SLI_RETURN_IF_ERROR(require_index_type(tensor, name));
  if (tensor->count > capacity)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must have at most %d elements, got %lld", name, capacity,
                           (long long)tensor->count);
  for (int64_t i = 0; i < tensor->count; i++) out_values[i] = sli_tensor_int_at(tensor, i);
  *out_count = (int)tensor->count;
  return NULL;
}

sli_status_t *sli_kernel_evaluate(const sli_node_def_t *node, const sli_kernel_def_t *kernel, sli_device_t *device,
                                  sli_kernel_value_t *inputs, sli_kernel_value_t *outputs) {
  sli_kernel_setup_t setup = {node, device};
  void *state = NULL;
  if (kernel->create) SLI_RETURN_IF_ERROR(kernel->create(&setup, &state));
  sli_cancellation_t *cancellation = sli_cancellation_create();
  sli_step_t step = {.cancellation = cancellation, .deadline = INT64_MAX};
  sli_kernel_context_t context = {.node = node,
                                  .state = state,
                                  .device = device,
                                  .step = &step,
                                  .inputs = inputs,
                                  .input_count = node->input_count,
                                  .outputs = outputs,
                                  .output_count = node->output_count};
  sli_status_t *status = kernel->compute(&context);
  for (int i = 0; status && i < node->output_count; i++) {
    sli_tensor_release(outputs[i].tensor);
    sli_variable_release(outputs[i].variable);
    outputs[i] = (sli_kernel_value_t){0};
  }
  if (kernel->destroy) kernel->destroy(state);
  sli_cancellation_release(cancellation);
  return status;
}
