// Sum, Mean, Prod, EuclideanNorm, Max, Min, All, Any: reductions over the axes in the second input (negative ones count
// from the end), computed by math/reduce.h.
#include "math/reduce.h"
#include "core/op/shape_inference.h"
#include "ops/math/reduce_internal.h"

// Marks |axes| in |reduced|. TensorFlow has two texts for a bad axis: |in_graph|, and in a step.
static sli_status_t *read_axes(const sli_tensor_t *axes, int rank, bool in_graph, bool *reduced) {
  for (int d = 0; d < rank; d++) reduced[d] = false;
  for (int64_t i = 0; i < axes->count; i++) {
    int64_t axis = sli_tensor_int_at(axes, i);
    if (axis < -rank || axis >= rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid reduction dimension %s%lld for input with %d dimension%s",
                             in_graph ? "" : "(", (long long)axis, rank, in_graph ? "s." : "(s)");
    if (axis < 0) axis += rank;
    if (reduced[axis])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Invalid reduction arguments: Axes contains duplicate dimension: %lld", (long long)axis);
    reduced[axis] = true;
  }
  return NULL;
}

static sli_status_t *reduce(sli_kernel_context_t *context, sli_reduce_kind_t kind) {
  bool keep_dims, reduced[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "keep_dims", &keep_dims));
  SLI_RETURN_IF_ERROR(read_axes(sli_kernel_input(context, 1), sli_kernel_input(context, 0)->rank, false, reduced));
  return sli_reduce(context, kind, reduced, keep_dims);
}

static sli_status_t *sum(sli_kernel_context_t *context) { return reduce(context, SLI_REDUCE_SUM); }
static sli_status_t *prod(sli_kernel_context_t *context) { return reduce(context, SLI_REDUCE_PROD); }
static sli_status_t *mean(sli_kernel_context_t *context) { return reduce(context, SLI_REDUCE_MEAN); }
static sli_status_t *norm(sli_kernel_context_t *context) { return reduce(context, SLI_REDUCE_NORM); }
static sli_status_t *max(sli_kernel_context_t *context) { return reduce(context, SLI_REDUCE_MAX); }
static sli_status_t *min(sli_kernel_context_t *context) { return reduce(context, SLI_REDUCE_MIN); }
static sli_status_t *all(sli_kernel_context_t *context) { return reduce(context, SLI_REDUCE_ALL); }
static sli_status_t *any(sli_kernel_context_t *context) { return reduce(context, SLI_REDUCE_ANY); }

static sli_status_t *reduce_shape(sli_infer_context_t *c) {
  sli_shape_t input = sli_infer_input(c, 0), axes_shape;
  const sli_tensor_t *axes = sli_infer_input_constant(c, 1);
  bool keep_dims, reduced[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "keep_dims", &keep_dims));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, 1), 1, &axes_shape));
  if (!axes || input.rank < 0) {
    if (keep_dims && input.rank >= 0) sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, input.rank));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(read_axes(axes, input.rank, true, reduced));
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  for (int d = 0; d < input.rank; d++) {
    if (!reduced[d])
      dims[rank++] = input.dims[d];
    else if (keep_dims)
      dims[rank++] = 1;
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, rank, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Sum",
     .inputs = "input: T, reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32",
     .shape = reduce_shape,
     .gradient = sli_reduce_op_sum_gradient,
     .forwards_input = true},
    {.name = "Mean",
     .inputs = "input: T, reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32",
     .shape = reduce_shape,
     .gradient = sli_reduce_op_mean_gradient,
     .forwards_input = true},
    {.name = "Prod",
     .inputs = "input: T, reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32",
     .shape = reduce_shape,
     .gradient = sli_reduce_op_prod_gradient,
     .forwards_input = true},
    {.name = "EuclideanNorm",
     .inputs = "input: T, reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32",
     .shape = reduce_shape,
     .gradient = sli_reduce_op_norm_gradient,
     .forwards_input = true},
    {.name = "Max",
     .inputs = "input: T, reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
              "uint32, uint64, qint8, quint8, qint32, qint16, quint16}; Tidx: {int32, int64} = DT_INT32",
     .shape = reduce_shape,
     .gradient = sli_reduce_op_max_gradient,
     .forwards_input = true},
    {.name = "Min",
     .inputs = "input: T, reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
              "uint32, uint64, qint8, quint8, qint32, qint16, quint16}; Tidx: {int32, int64} = DT_INT32",
     .shape = reduce_shape,
     .gradient = sli_reduce_op_max_gradient,
     .forwards_input = true},
    {.name = "All",
     .inputs = "input: bool, reduction_indices: Tidx",
     .outputs = "output: bool",
     .attrs = "keep_dims: bool = false; Tidx: {int32, int64} = DT_INT32",
     .shape = reduce_shape,
     .forwards_input = true},
    {.name = "Any",
     .inputs = "input: bool, reduction_indices: Tidx",
     .outputs = "output: bool",
     .attrs = "keep_dims: bool = false; Tidx: {int32, int64} = DT_INT32",
     .shape = reduce_shape,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Sum", .types = SLI_TYPES_NUMBER, .where = {{"Tidx", SLI_TYPE_INT32 | SLI_TYPE_INT64}}, .compute = sum},
    {.op = "EuclideanNorm",
     .types = SLI_TYPES_NUMBER,
     .where = {{"Tidx", SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .compute = norm},
    {.op = "Mean", .types = SLI_TYPES_NUMBER, .where = {{"Tidx", SLI_TYPE_INT32 | SLI_TYPE_INT64}}, .compute = mean},
    {.op = "Prod", .types = SLI_TYPES_NUMBER, .where = {{"Tidx", SLI_TYPE_INT32 | SLI_TYPE_INT64}}, .compute = prod},
    {.op = "Max", .types = SLI_TYPES_REAL, .where = {{"Tidx", SLI_TYPE_INT32 | SLI_TYPE_INT64}}, .compute = max},
    {.op = "Min", .types = SLI_TYPES_REAL, .where = {{"Tidx", SLI_TYPE_INT32 | SLI_TYPE_INT64}}, .compute = min},
    {.op = "All",
     .where = {{"Tidx", SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .host_memory = "reduction_indices",
     .compute = all},
    {.op = "Any",
     .where = {{"Tidx", SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .host_memory = "reduction_indices",
     .compute = any},
};

SLI_OP_MODULE(reduce);
