// The optimizers' ops: Apply… and SparseApply… on reference variables, and their Resource… forms. They share one
// kernel, which finds in the op's definition which inputs are variables, hyper-parameters, gradient and indices.
// rules.h has the arithmetic.
//
// A dense update runs on several threads and takes no lock unless use_locking is set. A sparse update processes its
// rows in order, since indices may repeat.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/train/apply_internal.h"

static bool is_gradient(const sli_arg_t *arg) {
  return strcmp(arg->name, "grad") == 0 || strcmp(arg->name, "delta") == 0;
}
static bool is_right(const sli_arg_t *arg) { return strcmp(arg->name, "right") == 0; }
static bool is_indices(const sli_arg_t *arg) { return strcmp(arg->name, "indices") == 0; }
static bool is_slot(const sli_arg_t *arg) { return arg->is_ref || arg->type == SLI_DTYPE_RESOURCE; }

static void read_flag(const sli_node_def_t *node, const char *name, bool *flag) {
  const sli_attr_t *attr = sli_node_attr(node, name);
  if (attr) *flag = attr->b;
}

sli_status_t *sli_apply_prepare(const sli_node_def_t *node, sli_apply_t *out_apply) {
  const sli_op_t *op = node->op;
  sli_apply_t apply = {.indices = -1, .right = -1, .scalars = {.update_slots = true}};
  for (int i = 0; i < op->input_count; i++) {
    if (is_slot(&op->inputs[i])) {
      apply.slot_count++;
    } else if (is_gradient(&op->inputs[i])) {
      apply.gradient = i;
    } else if (is_right(&op->inputs[i])) {
      apply.right = i;
    } else if (is_indices(&op->inputs[i])) {
      apply.indices = i;
    } else {
      SLI_CHECK(apply.scalar_count < SLI_RULE_MAX_SCALARS);
      apply.scalar_inputs[apply.scalar_count].input = i;
      apply.scalar_inputs[apply.scalar_count++].offset = sli_rule_scalar_offset(op->inputs[i].name);
    }
  }
  apply.rule_name = strstr(op->def->name, "Apply") + strlen("Apply");
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(node, "T", &dtype));
  apply.rule = sli_rule_find(apply.rule_name, dtype);
  if (!apply.rule) {
    return sli_status_make(SLI_UNIMPLEMENTED, "%s has no rule for type %s", op->def->name, sli_dtype_name(dtype));
  }
  read_flag(node, "use_locking", &apply.use_locking);
  read_flag(node, "use_nesterov", &apply.scalars.use_nesterov);
  read_flag(node, "update_slots", &apply.scalars.update_slots);
  read_flag(node, "multiply_linear_by_lr", &apply.scalars.multiply_linear_by_lr);
  *out_apply = apply;
  return NULL;
}

static sli_status_t *apply_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_apply_t apply;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_apply_prepare(setup->node, &apply));
  *out_state = sli_memdup(&apply, sizeof(apply));
  return NULL;
}

// The real part of a scalar.
static double scalar_value(const sli_tensor_t *tensor) {
  switch (tensor->dtype) {
    case SLI_DTYPE_FLOAT:
    case SLI_DTYPE_COMPLEX64: return SLI_DATA(const float, tensor)[0];
    case SLI_DTYPE_DOUBLE:
    case SLI_DTYPE_COMPLEX128: return SLI_DATA(const double, tensor)[0];
    case SLI_DTYPE_HALF: return sli_half_to_float(SLI_DATA(const sli_half_t, tensor)[0]);
    case SLI_DTYPE_BFLOAT16: return sli_bfloat16_to_float(SLI_DATA(const sli_bfloat16_t, tensor)[0]);
    default: return (double)sli_tensor_int_at(tensor, 0);
  }
}

// The Proximal… and Ftrl… rules are defined for some values only.
static sli_status_t *check_scalar(const sli_apply_t *apply, const char *name, double value) {
  bool ftrl = strncmp(apply->rule_name, "Ftrl", 4) == 0;
  if (!ftrl && strncmp(apply->rule_name, "Proximal", 8) != 0) return NULL;
  bool is_rate = strcmp(name, "lr") == 0;
  if (is_rate && !(value > 0) && !(apply->scalars.multiply_linear_by_lr && value == 0)) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "lr is not a positive scalar: %g", value);
  }
  if ((strcmp(name, "l1") == 0 || strcmp(name, "l2") == 0 || strcmp(name, "l2_shrinkage") == 0) && !(value >= 0)) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s regularization strength is not a non-negative scalar: %g", name,
                           value);
  }
  if (strcmp(name, "lr_power") == 0 && !(value <= 0)) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "lr_power is not a non-positive scalar: %g", value);
  }
  return NULL;
}

sli_status_t *sli_apply_read_scalars(sli_kernel_context_t *context, const sli_apply_t *apply,
                                     sli_rule_scalars_t *scalars) {
  *scalars = apply->scalars;
  for (int i = 0; i < apply->scalar_count; i++) {
    int input = apply->scalar_inputs[i].input;
    sli_tensor_t *tensor = sli_kernel_input(context, input);
    const char *name = context->node->op->inputs[input].name;
    if (tensor->rank != 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s is not a scalar: %s", name, sli_tensor_shape_text(tensor).text);
    }
    double value = scalar_value(tensor);
    SLI_RETURN_IF_ERROR(check_scalar(apply, name, value));
    *(double *)((char *)scalars + apply->scalar_inputs[i].offset) = value;
  }
  return NULL;
}

sli_status_t *sli_apply_shapes_differ(const sli_kernel_context_t *context, int input, const sli_tensor_t *var,
                                      sli_shape_t shape) {
  char *text = sli_shape_to_text(shape);
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "var and %s do not have the same shape%s %s",
                                         context->node->op->inputs[input].name, sli_tensor_shape_text(var).text, text);
  free(text);
  return status;
}

sli_status_t *sli_apply_check_slots(const sli_kernel_context_t *context, const sli_update_t *update,
                                    sli_dtype_t dtype) {
  for (int i = 0; i < update->count; i++) {
    if (update->tensors[i]->dtype != dtype) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s has type %s, but the op updates %s",
                             context->node->op->inputs[i].name, sli_dtype_name(update->tensors[i]->dtype),
                             sli_dtype_name(dtype));
    }
    if (!sli_tensor_same_shape(update->tensors[0], update->tensors[i])) {
      return sli_apply_shapes_differ(context, i, update->tensors[0], sli_tensor_shape(update->tensors[i]));
    }
    for (int j = 0; j < i; j++) {
      if (update->tensors[j]->data == update->tensors[i]->data && update->tensors[i]->count) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "%s and %s are the same variable",
                               context->node->op->inputs[j].name, context->node->op->inputs[i].name);
      }
    }
  }
  return NULL;
}

typedef struct {
  const sli_apply_t *apply;
  const sli_update_t *update;
  const sli_tensor_t *gradient;
  const sli_rule_scalars_t *scalars;
} apply_work_t;

void sli_apply_range(const sli_apply_t *apply, const sli_update_t *update, const sli_rule_scalars_t *scalars,
                     const void *gradient, int64_t first, int64_t count) {
  void *slots[SLI_UPDATE_MAX];
  for (int i = 0; i < update->count; i++) slots[i] = sli_tensor_at(update->tensors[i], first);
  apply->rule(slots, gradient, scalars, count);
}

static void apply_range(const apply_work_t *work, int64_t first, int64_t gradient_first, int64_t count) {
  sli_apply_range(work->apply, work->update, work->scalars, sli_tensor_at(work->gradient, gradient_first), first,
                  count);
}

static void dense_range(void *context, int64_t begin, int64_t end) { apply_range(context, begin, begin, end - begin); }

// Runs the update on variables that are open.
static sli_status_t *dense_apply(sli_kernel_context_t *context, const apply_work_t *work) {
  const sli_tensor_t *var = work->update->tensors[0];
  SLI_RETURN_IF_ERROR(sli_apply_check_slots(context, work->update, work->gradient->dtype));
  if (!sli_tensor_same_shape(var, work->gradient))
    return sli_apply_shapes_differ(context, work->apply->gradient, var, sli_tensor_shape(work->gradient));
  // Memory-bound: every slot is read and written, the gradient is read.
  double cost = 0.04 * (double)sli_dtype_size(var->dtype) * (2 * work->update->count + 1);
  sli_parallel_for(sli_kernel_pool(context), var->count, cost, dense_range, (void *)work);
  return NULL;
}

static sli_status_t *sparse_apply(sli_kernel_context_t *context, const apply_work_t *work) {
  const sli_tensor_t *var = work->update->tensors[0], *gradient = work->gradient;
  const sli_tensor_t *indices = sli_kernel_input(context, work->apply->indices);
  SLI_RETURN_IF_ERROR(sli_apply_check_slots(context, work->update, gradient->dtype));
  if (var->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "var must be at least 1 dimensional");
  if (indices->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "indices must be one-dimensional");
  if (gradient->rank != var->rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "var and grad must have the same rank: %s vs. %s",
                           sli_tensor_shape_text(var).text, sli_tensor_shape_text(gradient).text);
  }
  for (int i = 1; i < var->rank; i++) {
    if (var->dims[i] != gradient->dims[i]) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "var and grad must match in dimension %d", i);
    }
  }
  if (gradient->dims[0] != indices->count) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "grad must be the same size as indices in the first dimension.");
  }
  int64_t row = sli_shape_product(var->dims, 1, var->rank);
  for (int64_t i = 0; i < indices->count; i++) {
    int64_t index = sli_tensor_int_at(indices, i);
    if (index < 0 || index >= var->dims[0]) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Index %lld at offset %lld in indices is out of range",
                             (long long)index, (long long)i);
    }
  }
  for (int64_t i = 0; i < indices->count; i++) apply_range(work, sli_tensor_int_at(indices, i) * row, i * row, row);
  return NULL;
}

static sli_status_t *compute(sli_kernel_context_t *context,
                             sli_status_t *(*run)(sli_kernel_context_t *, const apply_work_t *)) {
  const sli_apply_t *apply = sli_kernel_state(context);
  sli_rule_scalars_t scalars;
  sli_update_t update;
  SLI_RETURN_IF_ERROR(sli_apply_read_scalars(context, apply, &scalars));
  SLI_RETURN_IF_ERROR(sli_update_begin(context, apply->slot_count, apply->use_locking, &update));
  apply_work_t work = {apply, &update, sli_kernel_input(context, apply->gradient), &scalars};
  sli_tensor_t *copy = NULL;
  sli_status_t *status = NULL;
  for (int i = 0; i < update.count && !copy && !status; i++) {
    // The gradient may be the variable itself (as for x²), but the arrays of a rule must not overlap.
    if (work.gradient->owner == update.tensors[i] || work.gradient->data == update.tensors[i]->data) {
      status = sli_tensor_clone(work.gradient, &copy);
      if (copy) work.gradient = copy;
    }
  }
  if (!status) status = run(context, &work);
  sli_tensor_release(copy);
  if (!status) sli_update_forward(context, &update);
  sli_update_end(&update);
  return status;
}

static sli_status_t *dense_compute(sli_kernel_context_t *context) { return compute(context, dense_apply); }
static sli_status_t *sparse_compute(sli_kernel_context_t *context) { return compute(context, sparse_apply); }

// The shape of variable |index|, from the reference or the handle, as far as it is known.
static sli_shape_t slot_shape(sli_infer_context_t *c, int index) {
  if (c->node->op->inputs[index].is_ref) return sli_infer_input(c, index);
  return c->input_handles && c->input_handles[index].dtype != SLI_DTYPE_INVALID ? c->input_handles[index].shape
                                                                                : SLI_SHAPE_UNKNOWN;
}

static sli_status_t *apply_shape(sli_infer_context_t *c, bool is_sparse) {
  const sli_op_t *op = c->node->op;
  sli_shape_t shape = slot_shape(c, 0), gradient = SLI_SHAPE_UNKNOWN, unused;
  for (int i = 0; i < op->input_count; i++) {
    if (is_slot(&op->inputs[i])) {
      SLI_RETURN_IF_ERROR(sli_infer_merge(c, shape, slot_shape(c, i), &shape));
    } else if (is_gradient(&op->inputs[i])) {
      gradient = sli_infer_input(c, i);
      if (!is_sparse) SLI_RETURN_IF_ERROR(sli_infer_merge(c, shape, gradient, &shape));
    } else if (is_indices(&op->inputs[i])) {
      sli_shape_t indices;
      int64_t rows;
      SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &indices));
      if (gradient.rank < 1) continue;
      SLI_RETURN_IF_ERROR(sli_infer_merge_dims(gradient.dims[0], sli_infer_dim(indices, 0), &rows));
      // The gradient has rows like the variable, but any number of them.
      gradient = sli_infer_replace_dim(c, gradient, 0, -1);
      SLI_RETURN_IF_ERROR(sli_infer_merge(c, shape, gradient, &unused));
    } else {
      SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
    }
  }
  if (c->node->output_count > 0) sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *dense_shape(sli_infer_context_t *c) { return apply_shape(c, false); }
static sli_status_t *sparse_shape(sli_infer_context_t *c) { return apply_shape(c, true); }

static const sli_op_def_t ops[] = {
    {.name = "ApplyGradientDescent",
     .inputs = "var: Ref(T), alpha: T, delta: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyGradientDescent",
     .inputs = "var: resource, alpha: T, delta: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyMomentum",
     .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false; use_nesterov: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyMomentum",
     .inputs = "var: resource, accum: resource, lr: T, grad: T, momentum: T",
     .attrs = "T: numbertype; use_locking: bool = false; use_nesterov: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyAdagrad",
     .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false; update_slots: bool = true",
     .shape = dense_shape},
    {.name = "ResourceApplyAdagrad",
     .inputs = "var: resource, accum: resource, lr: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false; update_slots: bool = true",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyAdagradV2",
     .inputs = "var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false; update_slots: bool = true",
     .shape = dense_shape},
    {.name = "ResourceApplyAdagradV2",
     .inputs = "var: resource, accum: resource, lr: T, epsilon: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false; update_slots: bool = true",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyAdadelta",
     .inputs = "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyAdadelta",
     .inputs = "var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyAdam",
     .inputs = "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: "
               "T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false; use_nesterov: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyAdam",
     .inputs = "var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, "
               "epsilon: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false; use_nesterov: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyRMSProp",
     .inputs = "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyRMSProp",
     .inputs = "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyCenteredRMSProp",
     .inputs = "var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyCenteredRMSProp",
     .inputs =
         "var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyAdaMax",
     .inputs = "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyAdaMax",
     .inputs =
         "var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyAddSign",
     .inputs = "var: Ref(T), m: Ref(T), lr: T, alpha: T, sign_decay: T, beta: T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyAddSign",
     .inputs = "var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyPowerSign",
     .inputs = "var: Ref(T), m: Ref(T), lr: T, logbase: T, sign_decay: T, beta: T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyPowerSign",
     .inputs = "var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyFtrl",
     .inputs = "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, lr_power: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyFtrl",
     .inputs = "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, lr_power: T",
     .attrs = "T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyFtrlV2",
     .inputs = "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyFtrlV2",
     .inputs =
         "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T",
     .attrs = "T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyProximalAdagrad",
     .inputs = "var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyProximalAdagrad",
     .inputs = "var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyProximalGradientDescent",
     .inputs = "var: Ref(T), alpha: T, l1: T, l2: T, delta: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyProximalGradientDescent",
     .inputs = "var: resource, alpha: T, l1: T, l2: T, delta: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ApplyAdagradDA",
     .inputs = "var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T, lr: T, l1: "
               "T, l2: T, global_step: int64",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape},
    {.name = "ResourceApplyAdagradDA",
     .inputs = "var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T, lr: T, "
               "l1: T, l2: T, global_step: int64",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ResourceApplyKerasMomentum",
     .inputs = "var: resource, accum: resource, lr: T, grad: T, momentum: T",
     .attrs = "T: numbertype; use_locking: bool = false; use_nesterov: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "ResourceApplyAdamWithAmsgrad",
     .inputs = "var: resource, m: resource, v: resource, vhat: resource, beta1_power: T, beta2_power: T, lr: T, beta1: "
               "T, beta2: T, epsilon: T, grad: T",
     .attrs = "T: numbertype; use_locking: bool = false",
     .shape = dense_shape,
     .is_stateful = true},
    {.name = "SparseApplyMomentum",
     .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, momentum: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; use_nesterov: bool = false",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyMomentum",
     .inputs = "var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; use_nesterov: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyAdagrad",
     .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyAdagrad",
     .inputs = "var: resource, accum: resource, lr: T, grad: T, indices: Tindices",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyAdagradV2",
     .inputs = "var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T, indices: Tindices",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyAdagradV2",
     .inputs = "var: resource, accum: resource, lr: T, epsilon: T, grad: T, indices: Tindices",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyAdadelta",
     .inputs =
         "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T, indices: Tindices",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyAdadelta",
     .inputs = "var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T, indices: "
               "Tindices",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyRMSProp",
     .inputs =
         "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyRMSProp",
     .inputs = "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: "
               "Tindices",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyCenteredRMSProp",
     .inputs = "var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T, "
               "indices: Tindices",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyCenteredRMSProp",
     .inputs = "var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, "
               "grad: T, indices: Tindices",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyFtrl",
     .inputs =
         "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T, lr_power: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyFtrl",
     .inputs = "var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T, "
               "lr_power: T",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyFtrlV2",
     .inputs = "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T, "
               "l2_shrinkage: T, lr_power: T",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyFtrlV2",
     .inputs = "var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T, "
               "l2_shrinkage: T, lr_power: T",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyProximalAdagrad",
     .inputs = "var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T, indices: Tindices",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyProximalAdagrad",
     .inputs = "var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T, indices: Tindices",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyProximalGradientDescent",
     .inputs = "var: Ref(T), alpha: T, l1: T, l2: T, grad: T, indices: Tindices",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyProximalGradientDescent",
     .inputs = "var: resource, alpha: T, l1: T, l2: T, grad: T, indices: Tindices",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "SparseApplyAdagradDA",
     .inputs = "var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T, indices: "
               "Tindices, lr: T, l1: T, l2: T, global_step: int64",
     .outputs = "out: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape},
    {.name = "ResourceSparseApplyAdagradDA",
     .inputs = "var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T, "
               "indices: Tindices, lr: T, l1: T, l2: T, global_step: int64",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
    {.name = "ResourceSparseApplyKerasMomentum",
     .inputs = "var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; use_nesterov: bool = false",
     .shape = sparse_shape,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ApplyGradientDescent",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyGradientDescent",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .host_memory = "var",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyMomentum",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyMomentum",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .host_memory = "var, accum",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyAdagrad",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyAdagrad",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .host_memory = "var, accum",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyAdagradV2",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyAdagradV2",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyAdadelta",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyAdadelta",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .host_memory = "var, accum, accum_update",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyAdam",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyAdam",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .host_memory = "var, m, v",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyRMSProp",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyRMSProp",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .host_memory = "var, ms, mom",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyCenteredRMSProp",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyCenteredRMSProp",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .host_memory = "var, mg, ms, mom",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyAdaMax",
     .types = SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyAdaMax",
     .types = SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .host_memory = "var, m, v",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyAddSign",
     .types = SLI_TYPES_FLOATING,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyAddSign",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "var, m",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyPowerSign",
     .types = SLI_TYPES_FLOATING,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyPowerSign",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "var, m",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyFtrl", .types = SLI_TYPES_FLOATING, .compute = dense_compute, .create = apply_create, .destroy = free},
    {.op = "ResourceApplyFtrl",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "var, accum, linear",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyFtrlV2",
     .types = SLI_TYPES_FLOATING,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyFtrlV2",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "var, accum, linear",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyProximalAdagrad",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyProximalAdagrad",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .host_memory = "var, accum",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyProximalGradientDescent",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyProximalGradientDescent",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .host_memory = "var",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ApplyAdagradDA",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyAdagradDA",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .host_memory = "var, gradient_accumulator, gradient_squared_accumulator",
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyKerasMomentum",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceApplyAdamWithAmsgrad",
     .types = SLI_TYPES_FLOATING,
     .compute = dense_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyMomentum",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyMomentum",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyAdagrad",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyAdagrad",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyAdagradV2",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyAdagradV2",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyAdadelta",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyAdadelta",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyRMSProp",
     .types = SLI_TYPES_COMPLEX | SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyRMSProp",
     .types = SLI_TYPES_COMPLEX | SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyCenteredRMSProp",
     .types = SLI_TYPES_COMPLEX | SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyCenteredRMSProp",
     .types = SLI_TYPES_COMPLEX | SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyFtrl",
     .types = SLI_TYPES_FLOATING,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyFtrl",
     .types = SLI_TYPES_FLOATING,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyFtrlV2",
     .types = SLI_TYPES_FLOATING,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyFtrlV2",
     .types = SLI_TYPES_FLOATING,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyProximalAdagrad",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyProximalAdagrad",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyProximalGradientDescent",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyProximalGradientDescent",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "SparseApplyAdagradDA",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyAdagradDA",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .host_memory = "var, gradient_accumulator, gradient_squared_accumulator",
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
    {.op = "ResourceSparseApplyKerasMomentum",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX,
     .compute = sparse_compute,
     .create = apply_create,
     .destroy = free},
};

SLI_OP_MODULE(apply);
