// Scatter…, ResourceScatter…: update rows of a variable at indices.
#include <string.h>

#include "core/op/shape_inference.h"
#include "ops/common/index.h"
#include "ops/state/update.h"

// Checks that updates.shape = indices.shape + params.shape[1:], or that it is a scalar for all rows.
static sli_status_t *check_updates(const sli_tensor_t *params, const sli_tensor_t *indices,
                                   const sli_tensor_t *updates) {
  if (params->rank < 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "params must be at least 1-D, got shape %s",
                           sli_tensor_shape_text(params).text);
  }
  bool fits = updates->rank == 0 || updates->rank == indices->rank + params->rank - 1;
  for (int i = 0; fits && i < updates->rank; i++) {
    fits = updates->dims[i] == (i < indices->rank ? indices->dims[i] : params->dims[i - indices->rank + 1]);
  }
  if (fits) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
                         "updates.shape %s, indices.shape %s, params.shape %s",
                         sli_tensor_shape_text(updates).text, sli_tensor_shape_text(indices).text,
                         sli_tensor_shape_text(params).text);
}

static sli_status_t *scatter_rows(const sli_node_def_t *node, sli_tensor_t *params, const sli_tensor_t *indices,
                                  const sli_tensor_t *updates) {
  if (params->dtype != updates->dtype) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Variable has type %s, updates have %s", sli_dtype_name(params->dtype),
                           sli_dtype_name(updates->dtype));
  }
  SLI_RETURN_IF_ERROR(check_updates(params, indices, updates));
  if (indices->count == 0) return NULL;
  SLI_RETURN_IF_ERROR(sli_index_check("indices", indices, params->dims[0]));
  sli_accumulate_op_t op = sli_update_op(node);
  int64_t row = sli_shape_product(params->dims, 1, params->rank), step = updates->rank == 0 ? 0 : 1;
  if (row == 0) return NULL;
  for (int64_t i = 0; i < indices->count; i++) {
    sli_accumulate(op, params->dtype, sli_tensor_at(params, sli_tensor_int_at(indices, i) * row),
                   sli_tensor_at(updates, step * i * row), step, row);
  }
  return NULL;
}

static sli_status_t *scatter_compute(sli_kernel_context_t *context) {
  const sli_attr_t *lock = sli_node_attr(context->node, "use_locking");
  sli_update_t update;
  // The resource forms do not have the attribute and always lock.
  SLI_RETURN_IF_ERROR(sli_update_begin(context, 1, !lock || lock->b, &update));
  sli_status_t *status =
      scatter_rows(context->node, update.tensors[0], sli_kernel_input(context, 1), sli_kernel_input(context, 2));
  if (!status) sli_update_forward(context, &update);
  sli_update_end(&update);
  return status;
}

static sli_status_t *scatter_shape_of(sli_infer_context_t *c, sli_shape_t params) {
  sli_shape_t updates = sli_infer_input(c, 2), indices = sli_infer_input(c, 1), rows, wanted, unused;
  rows = sli_infer_subshape(c, params, 1, params.rank < 0 ? 0 : params.rank);
  if (updates.rank == 0) return NULL;
  if (params.rank < 0) rows = SLI_SHAPE_UNKNOWN;
  wanted = indices.rank < 0 || rows.rank < 0 ? SLI_SHAPE_UNKNOWN : sli_infer_concatenate(c, indices, rows);
  return sli_infer_merge(c, updates, wanted, &unused);
}

static sli_status_t *scatter_shape(sli_infer_context_t *c) {
  sli_shape_t params;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &params));
  SLI_RETURN_IF_ERROR(scatter_shape_of(c, params));
  sli_infer_set_output(c, 0, params);
  return NULL;
}

static sli_status_t *resource_scatter_shape(sli_infer_context_t *c) {
  bool known = c->input_handles && c->input_handles[0].dtype != SLI_DTYPE_INVALID;
  return scatter_shape_of(c, known ? c->input_handles[0].shape : SLI_SHAPE_UNKNOWN);
}

static const sli_op_def_t ops[] = {
    {.name = "ScatterUpdate",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: type; Tindices: {int32, int64}; use_locking: bool = true",
     .summary = "Sets rows of a variable.",
     .shape = scatter_shape},
    {.name = "ScatterAdd",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Adds to rows of a variable.",
     .shape = scatter_shape,
     .not_differentiable = true},
    {.name = "ScatterSub",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Subtracts from rows of a variable.",
     .shape = scatter_shape,
     .not_differentiable = true},
    {.name = "ScatterMul",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Multiplies rows of a variable.",
     .shape = scatter_shape,
     .not_differentiable = true},
    {.name = "ScatterDiv",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Divides rows of a variable.",
     .shape = scatter_shape,
     .not_differentiable = true},
    {.name = "ScatterMin",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: {half, bfloat16, float, double, int32, int64}; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Sets rows of a variable to the minimum of old and new values.",
     .shape = scatter_shape},
    {.name = "ScatterMax",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: {half, bfloat16, float, double, int32, int64}; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Sets rows of a variable to the maximum of old and new values.",
     .shape = scatter_shape},
    {.name = "ResourceScatterUpdate",
     .inputs = "resource: resource, indices: Tindices, updates: dtype",
     .attrs = "dtype: type; Tindices: {int32, int64}",
     .summary = "Sets rows of a variable.",
     .shape = resource_scatter_shape,
     .is_stateful = true},
    {.name = "ResourceScatterAdd",
     .inputs = "resource: resource, indices: Tindices, updates: dtype",
     .attrs = "dtype: numbertype; Tindices: {int32, int64}",
     .summary = "Adds to rows of a variable.",
     .shape = resource_scatter_shape,
     .is_stateful = true},
    {.name = "ResourceScatterSub",
     .inputs = "resource: resource, indices: Tindices, updates: dtype",
     .attrs = "dtype: numbertype; Tindices: {int32, int64}",
     .summary = "Subtracts from rows of a variable.",
     .shape = resource_scatter_shape,
     .is_stateful = true},
    {.name = "ResourceScatterMul",
     .inputs = "resource: resource, indices: Tindices, updates: dtype",
     .attrs = "dtype: numbertype; Tindices: {int32, int64}",
     .summary = "Multiplies rows of a variable.",
     .shape = resource_scatter_shape,
     .is_stateful = true},
    {.name = "ResourceScatterDiv",
     .inputs = "resource: resource, indices: Tindices, updates: dtype",
     .attrs = "dtype: numbertype; Tindices: {int32, int64}",
     .summary = "Divides rows of a variable.",
     .shape = resource_scatter_shape,
     .is_stateful = true},
    {.name = "ResourceScatterMin",
     .inputs = "resource: resource, indices: Tindices, updates: dtype",
     .attrs = "dtype: numbertype; Tindices: {int32, int64}",
     .summary = "Sets rows of a variable to the minimum of old and new values.",
     .shape = resource_scatter_shape,
     .is_stateful = true},
    {.name = "ResourceScatterMax",
     .inputs = "resource: resource, indices: Tindices, updates: dtype",
     .attrs = "dtype: numbertype; Tindices: {int32, int64}",
     .summary = "Sets rows of a variable to the maximum of old and new values.",
     .shape = resource_scatter_shape,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ScatterUpdate", .types = SLI_TYPES_COMMON, .compute = scatter_compute},
    {.op = "ScatterAdd", .types = SLI_TYPES_NUMBER, .compute = scatter_compute},
    {.op = "ScatterSub", .types = SLI_TYPES_NUMBER, .compute = scatter_compute},
    {.op = "ScatterMul", .types = SLI_TYPES_NUMBER, .compute = scatter_compute},
    {.op = "ScatterDiv", .types = SLI_TYPES_NUMBER, .compute = scatter_compute},
    {.op = "ScatterMin", .types = SLI_TYPES_REAL, .compute = scatter_compute},
    {.op = "ScatterMax", .types = SLI_TYPES_REAL, .compute = scatter_compute},
    {.op = "ResourceScatterUpdate",
     .where = {{"dtype", SLI_TYPES_POD | SLI_TYPE_STRING | SLI_TYPE_VARIANT}},
     .host_memory = "resource",
     .compute = scatter_compute},
    {.op = "ResourceScatterAdd",
     .where = {{"dtype", SLI_TYPES_NUMBER}},
     .host_memory = "resource",
     .compute = scatter_compute},
    {.op = "ResourceScatterSub",
     .where = {{"dtype", SLI_TYPES_NUMBER}},
     .host_memory = "resource",
     .compute = scatter_compute},
    {.op = "ResourceScatterMul",
     .where = {{"dtype", SLI_TYPES_NUMBER}},
     .host_memory = "resource",
     .compute = scatter_compute},
    {.op = "ResourceScatterDiv", .where = {{"dtype", SLI_TYPES_NUMBER}}, .compute = scatter_compute},
    {.op = "ResourceScatterMin", .where = {{"dtype", SLI_TYPES_REAL}}, .compute = scatter_compute},
    {.op = "ResourceScatterMax", .where = {{"dtype", SLI_TYPES_REAL}}, .compute = scatter_compute},
};

SLI_OP_MODULE(scatter);
