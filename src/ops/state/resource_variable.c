// Resource variables: VarHandleOp makes a handle, the other ops use it. A read shares the variable's tensor, and an
// update copies a shared tensor first (ops/state/update.h), so a value that was read never changes. Gathers copy rows
// and keep no reference.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "core/state/resource.h"
#include "ops/array/gather.h"
#include "ops/common/named_resource.h"
#include "ops/state/update.h"

typedef struct {
  sli_view_t container, name;  // point into the node, which outlives the kernel
  sli_dtype_t dtype;
} handle_state_t;

static sli_status_t *handle_create(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = NULL;
  handle_state_t state;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "container", &state.container));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "shared_name", &state.name));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(setup->node, "dtype", &state.dtype));
  if (state.name.size == 0) state.name = sli_view(setup->node->name);
  *out_state = sli_memdup(&state, sizeof(state));
  return NULL;
}

static sli_status_t *make_resource_variable(void *context, void **out_object) {
  const handle_state_t *state = context;
  *out_object = sli_variable_create(state->dtype, state->name, SLI_SHAPE_UNKNOWN);
  return NULL;
}

// Creates the variable, without a value, if it does not exist.
static sli_status_t *handle_compute(sli_kernel_context_t *context) {
  const handle_state_t *state = sli_kernel_state(context);
  sli_variable_t *variable;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  SLI_RETURN_IF_ERROR(sli_resource_find_or_create(context->device->resources, state->container, &sli_variable_type,
                                                  state->name, make_resource_variable, (void *)state,
                                                  (void **)&variable));
  sli_resource_handle_t *handle =
      sli_resource_handle_create(context->device->name, state->container, state->name, &sli_variable_type, variable);
  handle->dtype = state->dtype;
  SLI_DATA(sli_object_t *, output)[0] = &handle->base;
  sli_variable_release(variable);
  return NULL;
}

static sli_status_t *handle_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "dtype", &dtype));
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "shape", &shape));
  sli_infer_set_output(c, 0, SLI_SHAPE_SCALAR);
  c->output_handles[0] = (sli_infer_handle_t){dtype, sli_shape_copy(c->arena, shape)};
  return NULL;
}

// What is known about the variable of input 0 during shape inference.
static sli_infer_handle_t handle_of(sli_infer_context_t *c) {
  return c->input_handles ? c->input_handles[0] : (sli_infer_handle_t){SLI_DTYPE_INVALID, SLI_SHAPE_UNKNOWN};
}

static sli_shape_t variable_shape_of(sli_infer_context_t *c) {
  sli_infer_handle_t handle = handle_of(c);
  return handle.dtype == SLI_DTYPE_INVALID ? SLI_SHAPE_UNKNOWN : handle.shape;
}

static sli_status_t *check_handle_type(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_infer_handle_t handle = handle_of(c);
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "dtype", &dtype));
  if (handle.dtype == SLI_DTYPE_INVALID || handle.dtype == dtype) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Trying to read variable with wrong dtype. Expected %s got %s",
                         sli_dtype_name(handle.dtype), sli_dtype_name(dtype));
}

static sli_status_t *no_value(const sli_variable_t *variable) {
  char *reason = sli_format("Resource localhost/%s/N10tensorflow3VarE does not exist.", variable->name);
  sli_status_t *status = sli_update_missing(variable->name, "localhost", reason);
  free(reason);
  return status;
}

// The current tensor. Blocks while an update holds the lock.
static sli_status_t *read_variable(sli_kernel_context_t *context, sli_tensor_t **out_tensor) {
  sli_variable_t *variable;
  SLI_RETURN_IF_ERROR(sli_update_find(context, 0, &variable));
  sli_mutex_lock(&variable->mutex);
  *out_tensor = sli_variable_read(variable);
  sli_mutex_unlock(&variable->mutex);
  sli_status_t *status = *out_tensor ? NULL : no_value(variable);
  sli_variable_release(variable);
  return status;
}

// Runs |gather| on the variable's tensor, which others may change meanwhile: so a large table is not copied because
// some rows are read.
static sli_status_t *gather_from(sli_kernel_context_t *context,
                                 sli_status_t *(*gather)(sli_kernel_context_t *context, sli_tensor_t *tensor)) {
  sli_variable_t *variable;
  SLI_RETURN_IF_ERROR(sli_update_find(context, 0, &variable));
  sli_tensor_t *tensor = sli_variable_borrow(variable);
  sli_status_t *status = NULL;
  if (!tensor)
    status = no_value(variable);
  else if (tensor->dtype != context->node->output_types[0])
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Trying to read variable with wrong dtype.");
  else
    status = gather(context, tensor);
  sli_variable_return(variable, tensor);
  sli_variable_release(variable);
  return status;
}

static sli_status_t *read_compute(sli_kernel_context_t *context) {
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(read_variable(context, &tensor));
  sli_dtype_t wanted = context->node->output_types[0];
  if (tensor->dtype != wanted) {
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Trying to read variable with wrong dtype. Expected %s got %s",
                        sli_dtype_name(wanted), sli_dtype_name(tensor->dtype));
    sli_tensor_release(tensor);
    return status;
  }
  sli_kernel_set_output(context, 0, tensor);
  return NULL;
}

static sli_status_t *read_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_handle_type(c));
  sli_infer_set_output(c, 0, variable_shape_of(c));
  return NULL;
}

static sli_status_t *read_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set_slices(b, 0, b->output_gradients[0]);
  return NULL;
}

// AssignVariableOp: the variable shares the value's tensor, unless its bytes belong to another process.
static sli_status_t *assign_variable_compute(sli_kernel_context_t *context) {
  bool validate;
  sli_variable_t *variable;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "validate_shape", &validate));
  SLI_RETURN_IF_ERROR(sli_update_find(context, 0, &variable));
  sli_tensor_t *value = sli_kernel_input(context, 1);
  sli_status_t *status = NULL;
  sli_mutex_lock(&variable->mutex);
  sli_tensor_t *old = sli_variable_read(variable);
  if (variable->dtype != value->dtype) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Trying to assign variable with wrong dtype. Expected %s got %s",
                             sli_dtype_name(variable->dtype), sli_dtype_name(value->dtype));
  } else if (validate && old && !sli_tensor_same_shape(old, value)) {
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "Trying to assign to variable with tensor with wrong shape. Expected %s got %s",
                             sli_tensor_shape_text(old).text, sli_tensor_shape_text(value).text);
  } else {
    sli_tensor_t *kept = NULL;
    if (value->ownership == SLI_LEND_OWNED)
      kept = sli_tensor_retain(value);
    else
      status = sli_tensor_clone(value, &kept);
    if (kept) sli_variable_replace(variable, kept);
  }
  sli_mutex_unlock(&variable->mutex);
  sli_tensor_release(old);
  sli_variable_release(variable);
  return status;
}

static sli_status_t *assign_variable_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(check_handle_type(c));
  return sli_infer_merge(c, variable_shape_of(c), sli_infer_input(c, 1), &unused);
}

static sli_status_t *update_variable(sli_kernel_context_t *context, sli_accumulate_op_t op) {
  sli_update_t update;
  SLI_RETURN_IF_ERROR(sli_update_begin(context, 1, true, &update));
  sli_tensor_t *value = sli_kernel_input(context, 1), *tensor = update.tensors[0];
  sli_status_t *status = NULL;
  if (tensor->dtype != value->dtype || !sli_tensor_same_shape(tensor, value)) {
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "Cannot update variable with shape %s using a Tensor with shape %s, shapes must be equal.",
                             sli_tensor_shape_text(tensor).text, sli_tensor_shape_text(value).text);
  } else {
    sli_accumulate(op, tensor->dtype, tensor->data, value->data, 1, tensor->count);
  }
  sli_update_end(&update);
  return status;
}

static sli_status_t *assign_add_variable_compute(sli_kernel_context_t *context) {
  return update_variable(context, SLI_ACCUMULATE_ADD);
}
static sli_status_t *assign_sub_variable_compute(sli_kernel_context_t *context) {
  return update_variable(context, SLI_ACCUMULATE_SUB);
}

static sli_status_t *var_is_initialized_compute(sli_kernel_context_t *context) {
  sli_variable_t *variable;
  sli_tensor_t *value = NULL, *output;
  sli_status_t *missing = sli_update_find(context, 0, &variable);
  if (!missing) {
    value = sli_variable_read(variable);
    sli_variable_release(variable);
  }
  sli_status_release(missing);
  bool initialized = value != NULL;
  sli_tensor_release(value);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  SLI_DATA(bool, output)[0] = initialized;
  return NULL;
}

static sli_status_t *variable_shape_compute(sli_kernel_context_t *context) {
  sli_tensor_t *tensor, *output;
  SLI_RETURN_IF_ERROR(read_variable(context, &tensor));
  sli_status_t *status = sli_kernel_allocate_output(context, 0, SLI_SHAPE(tensor->rank), &output);
  for (int i = 0; !status && i < tensor->rank; i++) sli_tensor_set_int(output, i, tensor->dims[i]);
  sli_tensor_release(tensor);
  return status;
}

static sli_status_t *variable_shape_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){variable_shape_of(c).rank}));
  return NULL;
}

static sli_status_t *destroy_compute(sli_kernel_context_t *context) {
  bool ignore;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "ignore_lookup_error", &ignore));
  const sli_resource_handle_t *handle;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, 0, &handle));
  const sli_object_type_t *type = handle->resource ? handle->resource->type : &sli_variable_type;
  sli_status_t *status =
      sli_resource_remove(context->device->resources, sli_view(handle->container), type, sli_view(handle->name));
  if (!ignore) return status;
  sli_status_release(status);
  return NULL;
}

// Reads never copy, so there is nothing to disable.
static sli_status_t *disable_copy_compute(sli_kernel_context_t *context) {
  sli_variable_t *variable;
  SLI_RETURN_IF_ERROR(sli_update_find(context, 0, &variable));
  sli_variable_release(variable);
  return NULL;
}

static sli_status_t *gather_rows(sli_kernel_context_t *context, sli_tensor_t *tensor) {
  int64_t batch;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "batch_dims", &batch));
  return sli_gather(context, tensor, sli_kernel_input(context, 1), batch, batch);
}
static sli_status_t *gather_compute(sli_kernel_context_t *context) { return gather_from(context, gather_rows); }

static sli_status_t *gather_shape(sli_infer_context_t *c) {
  int64_t batch;
  SLI_RETURN_IF_ERROR(check_handle_type(c));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "batch_dims", &batch));
  if (batch < 0 || batch > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "batch_dims must be in [0, %d], got %lld", SLI_MAX_RANK,
                           (long long)batch);
  return sli_gather_shape(c, variable_shape_of(c), sli_infer_input(c, 1), (int)batch, (int)batch);
}

// The gradient as slices (rows and their indices), as for Gather; the shape is that of the variable.
static sli_status_t *gather_gradient(sli_gradient_builder_t *b) {
  int batch;
  SLI_RETURN_IF_ERROR(sli_gather_batch_dims(b, &batch));
  sli_output_t gradient = sli_gradient_of_output(b, 0), indices = sli_gradient_input(b, 1);
  sli_output_t shape = SLI_EMIT(b, "VariableShape", SLI_INPUTS(sli_gradient_input(b, 0)));
  if (batch > 0) {
    sli_gradient_set(b, 0, sli_gather_gradient(b, shape, sli_gradient_const_int32(b, batch), batch));
    return NULL;
  }
  sli_output_t size =
      SLI_EMIT(b, "ExpandDims", SLI_INPUTS(SLI_EMIT(b, "Size", SLI_INPUTS(indices)), sli_gradient_const_int32(b, 0)));
  sli_output_t tail = SLI_EMIT_WITH(
      b, "StridedSlice",
      SLI_INPUTS(shape, sli_gradient_const_ints(b, (int32_t[]){1}, 1), sli_gradient_const_ints(b, (int32_t[]){0}, 1),
                 sli_gradient_const_ints(b, (int32_t[]){1}, 1)),
      SLI_ATTRS(SLI_ATTR_INT_OF("end_mask", 1)));
  sli_output_t values_shape = SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(size, tail, sli_gradient_const_int32(b, 0)),
                                            SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_gradient_set_slices(b, 0,
                          (sli_gradient_slices_t){.values = SLI_EMIT(b, "Reshape", SLI_INPUTS(gradient, values_shape)),
                                                  .indices = SLI_EMIT(b, "Reshape", SLI_INPUTS(indices, size)),
                                                  .dense_shape = shape});
  return NULL;
}

static sli_status_t *gather_slices(sli_kernel_context_t *context, sli_tensor_t *tensor) {
  return sli_gather_nd(context, tensor, sli_kernel_input(context, 1));
}
static sli_status_t *gather_nd_compute(sli_kernel_context_t *context) { return gather_from(context, gather_slices); }

static sli_status_t *gather_nd_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_handle_type(c));
  return sli_gather_nd_shape(c, variable_shape_of(c), sli_infer_input(c, 1));
}

static sli_status_t *gather_nd_gradient(sli_gradient_builder_t *b) {
  sli_output_t indices = sli_gradient_input(b, 1);
  sli_output_t shape = SLI_EMIT_WITH(b, "VariableShape", SLI_INPUTS(sli_gradient_input(b, 0)),
                                     SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", sli_gradient_dtype(b, indices))));
  sli_gradient_set(b, 0, SLI_EMIT(b, "ScatterNd", SLI_INPUTS(indices, sli_gradient_of_output(b, 0), shape)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "VarHandleOp",
     .outputs = "resource: resource",
     .attrs = "container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: type; shape: shape; "
              "allowed_devices: list(string) = []",
     .summary = "A handle to a variable of the task.",
     .shape = handle_shape,
     .is_stateful = true,
     .is_on_ps = true},
    {.name = "ReadVariableOp",
     .inputs = "resource: resource",
     .outputs = "value: dtype",
     .attrs = "dtype: type",
     .summary = "The value of a variable.",
     .shape = read_shape,
     .gradient = read_gradient,
     .is_stateful = true},
    {.name = "AssignVariableOp",
     .inputs = "resource: resource, value: dtype",
     .attrs = "dtype: type; validate_shape: bool = false",
     .summary = "Sets a variable.",
     .shape = assign_variable_shape,
     .is_stateful = true,
     .keeps_inputs = true},
    {.name = "AssignAddVariableOp",
     .inputs = "resource: resource, value: dtype",
     .attrs = "dtype: type",
     .summary = "Adds to a variable.",
     .shape = assign_variable_shape,
     .is_stateful = true},
    {.name = "AssignSubVariableOp",
     .inputs = "resource: resource, value: dtype",
     .attrs = "dtype: type",
     .summary = "Subtracts from a variable.",
     .shape = assign_variable_shape,
     .is_stateful = true},
    {.name = "VarIsInitializedOp",
     .inputs = "resource: resource",
     .outputs = "is_initialized: bool",
     .summary = "Whether a variable has a value.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "VariableShape",
     .inputs = "input: resource",
     .outputs = "output: out_type",
     .attrs = "out_type: {int32, int64} = DT_INT32",
     .summary = "The shape of a variable's value.",
     .shape = variable_shape_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "DestroyResourceOp",
     .inputs = "resource: resource",
     .attrs = "ignore_lookup_error: bool = true",
     .summary = "Removes a resource.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "DisableCopyOnRead",
     .inputs = "resource: resource",
     .summary = "Declares that reads of a variable need not copy; for savers.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "ResourceGather",
     .inputs = "resource: resource, indices: Tindices",
     .outputs = "output: dtype",
     .attrs = "batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: {int32, int64}",
     .summary = "Selects rows of a variable by index.",
     .shape = gather_shape,
     .gradient = gather_gradient,
     .is_stateful = true},
    {.name = "ResourceGatherNd",
     .inputs = "resource: resource, indices: Tindices",
     .outputs = "output: dtype",
     .attrs = "dtype: type; Tindices: {int32, int64}",
     .summary = "Selects slices of a variable by index vectors.",
     .shape = gather_nd_shape,
     .gradient = gather_nd_gradient,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "VarHandleOp", .any_device = true, .compute = handle_compute, .create = handle_create, .destroy = free},
    {.op = "ReadVariableOp", .any_device = true, .compute = read_compute},
    {.op = "AssignVariableOp",
     .any_device = true,
     .where = {{"dtype", SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPES_FLOAT8 | SLI_TYPE_BIT(SLI_DTYPE_INT4) |
                             SLI_TYPE_BIT(SLI_DTYPE_UINT4)}},
     .compute = assign_variable_compute},
    {.op = "AssignAddVariableOp", .where = {{"dtype", SLI_TYPES_NUMBER}}, .compute = assign_add_variable_compute},
    {.op = "AssignSubVariableOp", .where = {{"dtype", SLI_TYPES_NUMBER}}, .compute = assign_sub_variable_compute},
    {.op = "VarIsInitializedOp",
     .any_device = true,
     .host_memory = "is_initialized",
     .compute = var_is_initialized_compute},
    {.op = "VariableShape", .any_device = true, .host_memory = "output", .compute = variable_shape_compute},
    {.op = "DestroyResourceOp", .any_device = true, .compute = destroy_compute},
    {.op = "DisableCopyOnRead", .compute = disable_copy_compute},
    {.op = "ResourceGather",
     .where = {{"dtype", SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32}},
     .host_memory = "resource",
     .compute = gather_compute},
    {.op = "ResourceGatherNd",
     .where = {{"dtype", SLI_TYPES_COMMON}},
     .host_memory = "resource",
     .compute = gather_nd_compute},
};

SLI_OP_MODULE(resource_variable);
