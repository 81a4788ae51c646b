// Reference variables: Variable, VariableV2, Assign, AssignAdd, AssignSub, IsVariableInitialized, TemporaryVariable,
// DestroyTemporaryVariable, CountUpTo; and ResourceCountUpTo.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "core/state/resource.h"
#include "ops/common/accumulate.h"
#include "ops/state/update.h"

// VariableV2 finds or creates the variable by container and shared name (by default the node's name).
typedef struct {
  sli_view_t container, name;  // point into the node, which outlives the kernel
  sli_dtype_t dtype;
  sli_shape_t shape;
  const char *node_name;
} variable_state_t;

static sli_status_t *variable_create(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = NULL;
  variable_state_t state = {.node_name = setup->node->name};
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "container", &state.container));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "shared_name", &state.name));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(setup->node, "dtype", &state.dtype));
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(setup->node, "shape", &state.shape));
  bool is_unknown = state.shape.rank == 0 && !strcmp(setup->node->op->def->name, "Variable");
  if (is_unknown || !sli_shape_is_fully_known(state.shape)) state.shape = SLI_SHAPE_UNKNOWN;
  if (state.name.size == 0) state.name = sli_view(setup->node->name);
  *out_state = sli_memdup(&state, sizeof(state));
  return NULL;
}

static sli_status_t *make_reference_variable(void *context, void **out_object) {
  const variable_state_t *state = context;
  *out_object = sli_variable_create(state->dtype, sli_view(state->node_name), state->shape);
  return NULL;
}

static sli_status_t *variable_compute(sli_kernel_context_t *context) {
  const variable_state_t *state = sli_kernel_state(context);
  sli_variable_t *variable;
  SLI_RETURN_IF_ERROR(sli_resource_find_or_create(context->device->resources, state->container, &sli_variable_type,
                                                  state->name, make_reference_variable, (void *)state,
                                                  (void **)&variable));
  if (variable->dtype != state->dtype) {
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Variable %.*s has type %s, but '%s' declares %s",
                                           SLI_VIEW_ARG(state->name), sli_dtype_name(variable->dtype), state->node_name,
                                           sli_dtype_name(state->dtype));
    sli_variable_release(variable);
    return status;
  }
  sli_kernel_set_output_variable(context, 0, variable);
  return NULL;
}

// Old graphs have the shape [] in Variable if the shape is unknown.
static sli_status_t *variable_v1_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "shape", &shape));
  if (shape.rank <= 0) return sli_infer_fn_unknown(c);
  return sli_infer_fn_explicit(c);
}

// Assign. If the value fits into the variable's memory and someone else has a reference to that, the value is copied
// there: as in TensorFlow, it becomes visible in values that were read before. Otherwise the value's tensor becomes the
// variable's if there is no other reference to it, or a copy of it. Memory that another process reads is never written.
static sli_status_t *assign_value(sli_kernel_context_t *context, sli_variable_t *variable, sli_tensor_t *old) {
  sli_tensor_t *value = sli_kernel_input(context, 1), *copy;
  // Plain bytes may change while they are read; strings and objects may not.
  bool fits =
      old && old->count == value->count && sli_dtype_is_plain((sli_dtype_t)value->dtype) && sli_tensor_is_writable(old);
  bool movable = value->ownership == SLI_LEND_OWNED && sli_tensor_is_exclusive(value);
  sli_tensor_t *seen = fits && movable ? sli_variable_read_shared(variable) : NULL;
  if (movable && !seen) {
    context->inputs[1].tensor = NULL;
    sli_variable_replace(variable, value);
  } else if (fits) {
    if (old->data != value->data) sli_tensor_copy_elements(old, value);
    if (!sli_tensor_same_shape(old, value))
      sli_variable_replace(variable, sli_tensor_view(old, (sli_dtype_t)old->dtype, 0, value->dims, value->rank));
  } else {
    SLI_RETURN_IF_ERROR(sli_tensor_clone(value, &copy));
    sli_variable_replace(variable, copy);
  }
  sli_tensor_release(seen);
  return NULL;
}

static sli_status_t *assign(sli_kernel_context_t *context, sli_variable_t *variable, bool validate_shape) {
  const sli_tensor_t *value = sli_kernel_input(context, 1);
  sli_tensor_t *old = sli_variable_borrow(variable);
  sli_shape_t shape = old ? sli_tensor_shape(old) : variable->declared;
  sli_status_t *status = NULL;
  if (validate_shape && shape.rank >= 0 && !sli_shape_equal(shape, sli_tensor_shape(value)))
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "Assign requires shapes of both tensors to match. lhs shape= %s rhs shape= %s",
                             sli_shape_text(shape).text, sli_tensor_shape_text(value).text);
  else
    status = assign_value(context, variable, old);
  sli_variable_return(variable, old);
  return status;
}

static sli_status_t *assign_compute(sli_kernel_context_t *context) {
  bool use_locking, validate_shape;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "use_locking", &use_locking));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "validate_shape", &validate_shape));
  sli_variable_t *variable = sli_kernel_input_variable(context, 0);
  if (use_locking) sli_mutex_lock(&variable->mutex);
  sli_status_t *status = assign(context, variable, validate_shape);
  if (use_locking) sli_mutex_unlock(&variable->mutex);
  if (!status) sli_kernel_set_output_variable(context, 0, sli_variable_retain(variable));
  return status;
}

static sli_status_t *assign_shape(sli_infer_context_t *c) {
  bool validate_shape;
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "validate_shape", &validate_shape));
  if (!validate_shape) {
    sli_infer_set_output(c, 0, sli_infer_input(c, 1));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 0), sli_infer_input(c, 1), &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

// AssignAdd, AssignSub. Small values are always locked, so that a counter which two steps increment at once counts
// both. Large values are locked if use_locking is set.
typedef struct {
  sli_accumulate_op_t op;
  sli_tensor_t *to, *from;
} accumulate_t;

static void accumulate_range(void *context, int64_t begin, int64_t end) {
  const accumulate_t *a = context;
  sli_accumulate(a->op, a->to->dtype, sli_tensor_at(a->to, begin), sli_tensor_at(a->from, begin), 1, end - begin);
}

static sli_status_t *assign_update(sli_kernel_context_t *context, sli_accumulate_op_t op) {
  enum { COUNTER_BYTES = 4096 };
  bool use_locking;
  sli_update_t update;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "use_locking", &use_locking));
  sli_tensor_t *value = sli_kernel_input(context, 1);
  bool is_counter = sli_tensor_bytes(value) <= COUNTER_BYTES;
  SLI_RETURN_IF_ERROR(sli_update_begin(context, 1, use_locking || is_counter, &update));
  sli_tensor_t *tensor = update.tensors[0];
  sli_status_t *status = NULL;
  if (!sli_tensor_same_shape(tensor, value)) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Parameters and update must be the same size: %s vs. %s",
                             sli_tensor_shape_text(tensor).text, sli_tensor_shape_text(value).text);
  } else if (tensor->data != value->data) {
    accumulate_t a = {op, tensor, value};
    sli_parallel_for(sli_kernel_pool(context), tensor->count, 0.5, accumulate_range, &a);
  } else {
    // v += v: the loop needs two ranges that do not overlap.
    sli_tensor_t *copy;
    status = sli_tensor_clone(value, &copy);
    if (!status) sli_accumulate(op, tensor->dtype, tensor->data, copy->data, 1, tensor->count);
    if (!status) sli_tensor_release(copy);
  }
  if (!status) sli_update_forward(context, &update);
  sli_update_end(&update);
  return status;
}

static sli_status_t *assign_add_compute(sli_kernel_context_t *context) {
  return assign_update(context, SLI_ACCUMULATE_ADD);
}
static sli_status_t *assign_sub_compute(sli_kernel_context_t *context) {
  return assign_update(context, SLI_ACCUMULATE_SUB);
}

static sli_status_t *assign_update_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 0), sli_infer_input(c, 1), &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *is_initialized_compute(sli_kernel_context_t *context) {
  sli_tensor_t *value = sli_variable_read(sli_kernel_input_variable(context, 0)), *output;
  bool initialized = value != NULL;
  sli_tensor_release(value);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  SLI_DATA(bool, output)[0] = initialized;
  return NULL;
}

// A TemporaryVariable is in the step's resources until DestroyTemporaryVariable removes it. Its name includes frame and
// iteration.
static char *temporary_name(sli_kernel_context_t *context, sli_view_t name) {
  return sli_format("%.*s/%llu/%llu", SLI_VIEW_ARG(name), (unsigned long long)context->frame_id,
                    (unsigned long long)context->iteration);
}

static sli_status_t *temporary_variable_compute(sli_kernel_context_t *context) {
  sli_view_t name;
  sli_shape_t shape;
  sli_dtype_t dtype;
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "var_name", &name));
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(context->node, "shape", &shape));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "dtype", &dtype));
  if (name.size == 0) name = sli_view(context->node->name);
  if (!sli_shape_is_fully_known(shape)) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "TemporaryVariable '%s' needs a fully defined shape",
                           context->node->name);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, dtype, shape, &tensor));
  sli_variable_t *variable = sli_variable_create(dtype, sli_view(context->node->name), SLI_SHAPE_UNKNOWN);
  sli_variable_replace(variable, tensor);
  char *unique = temporary_name(context, name);
  sli_status_t *status = sli_resource_insert(context->step->step_resources, sli_view(""), sli_view(unique), variable);
  free(unique);
  if (status) {
    sli_variable_release(variable);
  } else {
    sli_kernel_set_output_variable(context, 0, variable);
  }
  return status;
}

static sli_status_t *destroy_temporary_variable_compute(sli_kernel_context_t *context) {
  sli_view_t name;
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "var_name", &name));
  SLI_RETURN_IF_ERROR(sli_variable_read_initialized(sli_kernel_input_variable(context, 0), &tensor));
  sli_kernel_set_output(context, 0, tensor);
  char *unique = temporary_name(context, name);
  sli_status_t *status =
      sli_resource_remove(context->step->step_resources, sli_view(""), &sli_variable_type, sli_view(unique));
  free(unique);
  return status;
}

// CountUpTo returns the value before the increment; OUT_OF_RANGE once |limit| is reached.
static sli_status_t *count_up_to_compute(sli_kernel_context_t *context) {
  int64_t limit;
  sli_update_t update;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "limit", &limit));
  SLI_RETURN_IF_ERROR(sli_update_begin(context, 1, true, &update));
  sli_tensor_t *tensor = update.tensors[0], *output = NULL;
  sli_status_t *status = NULL;
  if (tensor->rank != 0) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "input is not a scalar: %s", sli_tensor_shape_text(tensor).text);
  } else if (tensor->dtype != context->node->output_types[0]) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "The variable has type %s, but the op has type %s",
                             sli_dtype_name(tensor->dtype), sli_dtype_name(context->node->output_types[0]));
  } else if (sli_tensor_int_at(tensor, 0) >= limit) {
    status = sli_status_make(SLI_OUT_OF_RANGE, "Reached limit of %lld", (long long)limit);
  }
  if (!status) status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
  if (!status) {
    sli_tensor_set_int(output, 0, sli_tensor_int_at(tensor, 0));
    sli_tensor_set_int(tensor, 0, sli_tensor_int_at(tensor, 0) + 1);
  }
  sli_update_end(&update);
  return status;
}

static sli_status_t *count_up_to_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *resource_count_up_to_shape(sli_infer_context_t *c) {
  sli_shape_t shape = SLI_SHAPE_UNKNOWN;
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "T", &dtype));
  const sli_infer_handle_t *handle = c->input_handles && c->input_handles[0].dtype ? &c->input_handles[0] : NULL;
  if (handle && handle->dtype != dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Data types do not match: %s and %s", sli_dtype_name(dtype),
                           sli_dtype_name(handle->dtype));
  if (handle) SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, handle->shape, 0, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "VariableV2",
     .outputs = "ref: Ref(dtype)",
     .attrs = "shape: shape; dtype: type; container: string = ''; shared_name: string = ''",
     .summary = "A variable of the task, by reference.",
     .shape = sli_infer_fn_explicit,
     .is_stateful = true,
     .is_variable = true,
     .is_on_ps = true},
    {.name = "Variable",
     .outputs = "ref: Ref(dtype)",
     .attrs = "shape: shape; dtype: type; container: string = ''; shared_name: string = ''",
     .summary = "A variable of the task, by reference.",
     .shape = variable_v1_shape,
     .is_stateful = true,
     .is_variable = true,
     .is_on_ps = true},
    {.name = "Assign",
     .inputs = "ref: Ref(T), value: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: type; validate_shape: bool = true; use_locking: bool = true",
     .summary = "Sets a variable.",
     .shape = assign_shape,
     .not_differentiable = true,
     .allows_uninitialized_input = true,
     .keeps_inputs = true},
    {.name = "AssignAdd",
     .inputs = "ref: Ref(T), value: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .summary = "Adds to a variable.",
     .shape = assign_update_shape,
     .not_differentiable = true},
    {.name = "AssignSub",
     .inputs = "ref: Ref(T), value: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .summary = "Subtracts from a variable.",
     .shape = assign_update_shape,
     .not_differentiable = true},
    {.name = "IsVariableInitialized",
     .inputs = "ref: Ref(dtype)",
     .outputs = "is_initialized: bool",
     .attrs = "dtype: type",
     .summary = "Whether a variable has a value.",
     .shape = sli_infer_fn_scalar,
     .allows_uninitialized_input = true},
    {.name = "TemporaryVariable",
     .outputs = "ref: Ref(dtype)",
     .attrs = "shape: shape; dtype: type; var_name: string = ''",
     .summary = "A variable that exists for one step.",
     .shape = sli_infer_fn_explicit,
     .is_stateful = true},
    {.name = "DestroyTemporaryVariable",
     .inputs = "ref: Ref(T)",
     .outputs = "value: T",
     .attrs = "T: type; var_name: string",
     .summary = "Destroys a temporary variable and returns its value.",
     .shape = sli_infer_fn_unchanged},
    {.name = "CountUpTo",
     .inputs = "ref: Ref(T)",
     .outputs = "output: T",
     .attrs = "limit: int; T: {int32, int64}",
     .summary = "Increments a variable up to a limit.",
     .shape = count_up_to_shape},
    {.name = "ResourceCountUpTo",
     .inputs = "resource: resource",
     .outputs = "output: T",
     .attrs = "limit: int; T: {int32, int64}",
     .summary = "Increments a variable up to a limit.",
     .shape = resource_count_up_to_shape,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "VariableV2", .any_device = true, .compute = variable_compute, .create = variable_create, .destroy = free},
    {.op = "Variable", .any_device = true, .compute = variable_compute, .create = variable_create, .destroy = free},
    {.op = "Assign",
     .any_device = true,
     .types = SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPE_BIT(SLI_DTYPE_QUINT16),
     .compute = assign_compute},
    {.op = "AssignAdd", .types = SLI_TYPES_NUMBER, .compute = assign_add_compute},
    {.op = "AssignSub", .types = SLI_TYPES_NUMBER, .compute = assign_sub_compute},
    {.op = "IsVariableInitialized",
     .any_device = true,
     .host_memory = "is_initialized",
     .compute = is_initialized_compute},
    {.op = "TemporaryVariable", .any_device = true, .compute = temporary_variable_compute},
    {.op = "DestroyTemporaryVariable", .any_device = true, .compute = destroy_temporary_variable_compute},
    {.op = "CountUpTo", .types = SLI_TYPES_INDEX, .compute = count_up_to_compute},
    {.op = "ResourceCountUpTo", .types = SLI_TYPES_INDEX, .compute = count_up_to_compute},
};

SLI_OP_MODULE(reference_variable);
