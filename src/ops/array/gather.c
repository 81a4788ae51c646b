// Gather, GatherV2, GatherNd: select slices by index.
#include "ops/array/gather.h"

#include <string.h>

#include "core/op/gradient.h"
#include "ops/common/copy_elements.h"
#include "ops/common/index.h"

typedef struct {
  const sli_tensor_t *params, *indices;
  sli_tensor_t *output;
  int64_t outer, limit, slice, index_count;  // per batch entry: outer rows, length of the axis, elements per slice
} gather_t;

// Copies output slices [begin, end).
static void gather_range(void *context, int64_t begin, int64_t end) {
  const gather_t *g = context;
  const sli_dtype_t dtype = g->params->dtype;
  const size_t bytes = (size_t)g->slice * sli_dtype_size(dtype);
  const bool plain = sli_dtype_is_plain(dtype);
  char *to = sli_tensor_at(g->output, begin * g->slice);
  int64_t row = begin / g->index_count, column = begin % g->index_count;
  for (int64_t unit = begin; unit < end; unit++, to += bytes) {
    int64_t index = sli_tensor_int_at(g->indices, row / g->outer * g->index_count + column);
    const char *from = (const char *)g->params->data + (size_t)(row * g->limit + index) * bytes;
    if (!plain) {
      sli_elements_copy(dtype, to, from, g->slice);
    } else if (bytes == 4) {
      memcpy(to, from, 4);
    } else if (bytes == 8) {
      memcpy(to, from, 8);
    } else {
      memcpy(to, from, bytes);
    }
    if (++column == g->index_count) {
      column = 0;
      row++;
    }
  }
}

static sli_status_t *check_batch(sli_tensor_t *params, sli_tensor_t *indices, int64_t *axis, int64_t *batch) {
  int64_t wanted = *axis;
  if (*axis < -params->rank || *axis >= params->rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected axis in the range [%d, %d), but got %lld", -params->rank,
                           params->rank, (long long)wanted);
  }
  if (*axis < 0) *axis += params->rank;
  if (*batch < -indices->rank || *batch > indices->rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected batch_dims in the range [%d, %d], but got %lld",
                           -indices->rank, indices->rank, (long long)*batch);
  }
  if (*batch < 0) *batch += indices->rank;
  if (*batch >= params->rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "batch_dims (%lld) must be less than rank(params) (%d).",
                           (long long)*batch, params->rank);
  }
  if (*axis < *batch) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "batch_dims (%lld) must be less than or equal to axis (%lld).",
                           (long long)*batch, (long long)*axis);
  }
  for (int i = 0; i < *batch; i++) {
    if (params->dims[i] != indices->dims[i]) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "params.shape[%d]: %lld should be equal to indices.shape[%d]: %lld",
                             i, (long long)params->dims[i], i, (long long)indices->dims[i]);
    }
  }
  return NULL;
}

sli_status_t *sli_gather(sli_kernel_context_t *context, sli_tensor_t *params, sli_tensor_t *indices, int64_t axis,
                         int64_t batch) {
  if (params->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "params must be at least 1 dimensional");
  SLI_RETURN_IF_ERROR(check_batch(params, indices, &axis, &batch));
  int64_t dims[2 * SLI_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < axis; i++) dims[rank++] = params->dims[i];
  for (int i = (int)batch; i < indices->rank; i++) dims[rank++] = indices->dims[i];
  for (int i = (int)axis + 1; i < params->rank; i++) dims[rank++] = params->dims[i];
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(rank));
  gather_t g = {.params = params, .indices = indices};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &g.output));
  g.outer = sli_shape_product(params->dims, (int)batch, (int)axis);
  g.limit = params->dims[axis];
  g.slice = sli_shape_product(params->dims, (int)axis + 1, params->rank);
  g.index_count = sli_shape_product(indices->dims, (int)batch, indices->rank);
  if (g.output->count == 0 && !(g.slice == 0 && indices->count)) return NULL;
  SLI_RETURN_IF_ERROR(sli_index_check("indices", indices, g.limit));
  if (g.output->count == 0) return NULL;
  double cost = 2 + 0.1 * (double)g.slice * (double)sli_dtype_size(params->dtype);
  sli_parallel_for(sli_kernel_pool(context), g.output->count / g.slice, cost, gather_range, &g);
  return NULL;
}

static sli_status_t *gather_compute(sli_kernel_context_t *context) {
  return sli_gather(context, sli_kernel_input(context, 0), sli_kernel_input(context, 1), 0, 0);
}

static sli_status_t *gather_v2_compute(sli_kernel_context_t *context) {
  int64_t axis, batch;
  if (sli_kernel_input(context, 2)->rank != 0) return sli_status_make(SLI_INVALID_ARGUMENT, "axis must be scalar");
  axis = sli_tensor_int_at(sli_kernel_input(context, 2), 0);
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "batch_dims", &batch));
  return sli_gather(context, sli_kernel_input(context, 0), sli_kernel_input(context, 1), axis, batch);
}

sli_status_t *sli_gather_shape(sli_infer_context_t *c, sli_shape_t params, sli_shape_t indices, int axis, int batch) {
  if (batch < 0 && indices.rank < 0) return sli_infer_fn_unknown(c);
  if (batch < 0) batch += indices.rank;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, params, axis < 0 ? -axis : axis + 1, &params));
  if (params.rank < 0 || indices.rank < 0) return sli_infer_fn_unknown(c);
  if (batch < 0 || batch > indices.rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "batch_dims must be in [-%d, %d]", indices.rank, indices.rank);
  }
  if (axis < 0) axis += params.rank;
  sli_shape_t head = sli_infer_subshape(c, params, 0, axis), out;
  if (batch > 0) {
    if (batch > axis) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "batch_dims (%d) must be less than or equal to axis (%d).", batch,
                             axis);
    }
    sli_shape_t merged;
    SLI_RETURN_IF_ERROR(
        sli_infer_merge(c, sli_infer_subshape(c, params, 0, batch), sli_infer_subshape(c, indices, 0, batch), &merged));
    head = sli_infer_concatenate(c, merged, sli_infer_subshape(c, params, batch, axis));
  }
  out = sli_infer_concatenate(c, head, sli_infer_subshape(c, indices, batch, indices.rank));
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, out, sli_infer_subshape(c, params, axis + 1, params.rank)));
  return NULL;
}

static sli_status_t *gather_shape(sli_infer_context_t *c) {
  return sli_gather_shape(c, sli_infer_input(c, 0), sli_infer_input(c, 1), 0, 0);
}

static sli_status_t *gather_v2_shape(sli_infer_context_t *c) {
  sli_shape_t params, indices = sli_infer_input(c, 1), unused;
  int64_t batch;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &params));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "batch_dims", &batch));
  const sli_tensor_t *axis = sli_infer_input_constant(c, 2);
  if (!axis) {
    bool known = params.rank >= 0 && indices.rank >= 0 && batch >= 0 && batch < params.rank + indices.rank;
    int rank = known ? params.rank + indices.rank - 1 - (int)batch : -1;
    sli_infer_set_output(c, 0, known ? sli_infer_make_unknown_of_rank(c, rank) : SLI_SHAPE_UNKNOWN);
    return NULL;
  }
  int64_t value = sli_tensor_int_at(axis, 0);
  if (value < -SLI_MAX_RANK || value >= SLI_MAX_RANK || batch < -SLI_MAX_RANK || batch > SLI_MAX_RANK) {
    return sli_status_make(
        SLI_INVALID_ARGUMENT, "axis must be in [%d, %d) and batch_dims in [%d, %d], got axis %lld and batch_dims %lld",
        -SLI_MAX_RANK, SLI_MAX_RANK, -SLI_MAX_RANK, SLI_MAX_RANK, (long long)value, (long long)batch);
  }
  return sli_gather_shape(c, params, indices, (int)value, (int)batch);
}

// Emits x[1:] of a vector.
static sli_output_t emit_tail(sli_gradient_builder_t *b, sli_output_t vector) {
  return SLI_EMIT_WITH(
      b, "StridedSlice",
      SLI_INPUTS(vector, sli_gradient_const_ints(b, (int32_t[]){1}, 1), sli_gradient_const_ints(b, (int32_t[]){0}, 1),
                 sli_gradient_const_ints(b, (int32_t[]){1}, 1)),
      SLI_ATTRS(SLI_ATTR_INT_OF("end_mask", 1)));
}

// Along axis 0 the gradient is sparse: the rows and their indices.
static void emit_row_slices(sli_gradient_builder_t *b, sli_output_t gradient) {
  sli_output_t params = sli_gradient_input(b, 0), indices = sli_gradient_input(b, 1);
  sli_output_t shape64 =
      SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(params), SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", SLI_DTYPE_INT64)));
  sli_output_t shape =
      SLI_EMIT_WITH(b, "Cast", SLI_INPUTS(shape64), SLI_ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_INT32)));
  sli_output_t size =
      SLI_EMIT(b, "ExpandDims", SLI_INPUTS(SLI_EMIT(b, "Size", SLI_INPUTS(indices)), sli_gradient_const_int32(b, 0)));
  sli_output_t values_shape =
      SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(size, emit_tail(b, shape), sli_gradient_const_int32(b, 0)),
                    SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_gradient_set_slices(b, 0,
                          (sli_gradient_slices_t){.values = SLI_EMIT(b, "Reshape", SLI_INPUTS(gradient, values_shape)),
                                                  .indices = SLI_EMIT(b, "Reshape", SLI_INPUTS(indices, size)),
                                                  .dense_shape = shape});
}

// The value of |output| if it is a Const, else NULL.
static const sli_tensor_t *constant_of(sli_gradient_builder_t *b, sli_output_t output) {
  if (!output.node) return NULL;
  const sli_node_def_t *def = b->def(b, output.node);
  if (!def || strcmp(def->op->def->name, "Const") != 0) return NULL;
  const sli_attr_t *value = sli_node_attr(def, "value");
  return value ? value->tensor : NULL;
}

// Emits the product of shape[begin:end] as a scalar. |begin| and |end| are vectors of one element; without |end| the
// slice goes to the end.
static sli_output_t emit_product(sli_gradient_builder_t *b, sli_output_t shape, sli_output_t begin, sli_output_t end) {
  sli_output_t one = sli_gradient_const_ints(b, (int32_t[]){1}, 1);
  sli_output_t part = SLI_EMIT_WITH(b, "StridedSlice", SLI_INPUTS(shape, begin, end.node ? end : one, one),
                                    SLI_ATTRS(SLI_ATTR_INT_OF("end_mask", end.node ? 0 : 1)));
  return SLI_EMIT(b, "Prod", SLI_INPUTS(part, sli_gradient_const_int32(b, 0)));
}

static sli_output_t emit_cast(sli_gradient_builder_t *b, sli_output_t value, sli_dtype_t dtype) {
  if (sli_gradient_dtype(b, value) == dtype) return value;
  return SLI_EMIT_WITH(b, "Cast", SLI_INPUTS(value), SLI_ATTRS(SLI_ATTR_TYPE_OF("DstT", dtype)));
}

static sli_output_t emit_pack(sli_gradient_builder_t *b, const sli_output_t *sizes, size_t count) {
  return sli_gradient_emit(b, "Pack", sizes, count, SLI_ATTRS(SLI_ATTR_INT_OF("N", (int64_t)count)));
}

sli_output_t sli_gather_gradient(sli_gradient_builder_t *b, sli_output_t shape, sli_output_t axis, int batch_dims) {
  sli_output_t indices = sli_gradient_input(b, 1), gradient = sli_gradient_of_output(b, 0);
  sli_output_t zero = sli_gradient_const_ints(b, (int32_t[]){0}, 1), one = sli_gradient_const_int32(b, 1);
  sli_output_t first = sli_gradient_const_ints(b, (int32_t[]){batch_dims}, 1);
  // A negative axis counts from the end.
  axis =
      SLI_EMIT(b, "FloorMod", SLI_INPUTS(emit_cast(b, axis, SLI_DTYPE_INT32), SLI_EMIT(b, "Size", SLI_INPUTS(shape))));
  axis = SLI_EMIT(b, "ExpandDims", SLI_INPUTS(axis, sli_gradient_const_int32(b, 0)));
  sli_output_t next = SLI_EMIT(b, "AddV2", SLI_INPUTS(axis, one));
  sli_output_t batch = emit_product(b, shape, zero, first), outer = emit_product(b, shape, first, axis);
  sli_output_t limit = emit_product(b, shape, axis, next), inner = emit_product(b, shape, next, SLI_OUTPUT_NONE);
  sli_output_t count = emit_product(b, SLI_EMIT(b, "Shape", SLI_INPUTS(indices)), first, SLI_OUTPUT_NONE);
  // The gathered tensor is [batch, outer, count, inner]; rows of [outer, inner] are summed.
  sli_output_t swap = sli_gradient_const_ints(b, (int32_t[]){0, 2, 1, 3}, 4);
  sli_output_t rows =
      SLI_EMIT(b, "Reshape", SLI_INPUTS(gradient, emit_pack(b, SLI_INPUTS(batch, outer, count, inner))));
  rows = SLI_EMIT(b, "Transpose", SLI_INPUTS(rows, swap));
  sli_output_t starts = SLI_EMIT(b, "Range", SLI_INPUTS(sli_gradient_const_int32(b, 0), batch, one));
  starts = SLI_EMIT(b, "ExpandDims", SLI_INPUTS(SLI_EMIT(b, "Mul", SLI_INPUTS(starts, limit)), one));
  sli_dtype_t dtype = sli_gradient_dtype(b, indices) == SLI_DTYPE_INT64 ? SLI_DTYPE_INT64 : SLI_DTYPE_INT32;
  indices = SLI_EMIT(b, "Reshape", SLI_INPUTS(emit_cast(b, indices, dtype), emit_pack(b, SLI_INPUTS(batch, count))));
  indices = SLI_EMIT(b, "AddV2", SLI_INPUTS(indices, emit_cast(b, starts, dtype)));
  sli_output_t total = SLI_EMIT(b, "Mul", SLI_INPUTS(batch, limit));
  sli_output_t sums = SLI_EMIT(b, "UnsortedSegmentSum", SLI_INPUTS(rows, indices, total));
  sums = SLI_EMIT(b, "Reshape", SLI_INPUTS(sums, emit_pack(b, SLI_INPUTS(batch, limit, outer, inner))));
  return SLI_EMIT(b, "Reshape", SLI_INPUTS(SLI_EMIT(b, "Transpose", SLI_INPUTS(sums, swap)), shape));
}

sli_status_t *sli_gather_batch_dims(sli_gradient_builder_t *b, int *out_batch_dims) {
  int64_t batch;
  *out_batch_dims = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(b->node, "batch_dims", &batch));
  sli_shape_t indices = b->shape(b, sli_gradient_input(b, 1));
  if (batch < 0 && indices.rank < 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The gradient of '%s' with batch_dims < 0 needs indices of known rank: use a positive "
                           "batch_dims or give the indices a shape",
                           b->node->name);
  }
  if (batch < 0) batch += indices.rank;
  if (batch < 0 || batch > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "batch_dims of '%s' must be in [0, %d], got %lld", b->node->name,
                           SLI_MAX_RANK, (long long)batch);
  *out_batch_dims = (int)batch;
  return NULL;
}

static sli_status_t *gather_gradient(sli_gradient_builder_t *b) {
  emit_row_slices(b, sli_gradient_of_output(b, 0));
  return NULL;
}

static sli_status_t *gather_v2_gradient(sli_gradient_builder_t *b) {
  int batch;
  SLI_RETURN_IF_ERROR(sli_gather_batch_dims(b, &batch));
  sli_output_t params = sli_gradient_input(b, 0), axis = sli_gradient_input(b, 2);
  const sli_tensor_t *value = constant_of(b, axis);
  sli_shape_t shape = b->shape(b, params);
  int64_t known = value ? sli_tensor_int_at(value, 0) : INT64_MAX;
  if (known == 0 || (shape.rank > 0 && known == -shape.rank)) {
    emit_row_slices(b, sli_gradient_of_output(b, 0));
  } else {
    sli_gradient_set(b, 0, sli_gather_gradient(b, SLI_EMIT(b, "Shape", SLI_INPUTS(params)), axis, batch));
  }
  return NULL;
}

// GatherNd: the last dim of |indices| is an index vector into |params|.
typedef struct {
  const sli_tensor_t *params, *indices;
  sli_tensor_t *output;
  int64_t depth, slice;
  int64_t strides[SLI_MAX_RANK];
} gather_nd_t;

static void gather_nd_range(void *context, int64_t begin, int64_t end) {
  const gather_nd_t *g = context;
  for (int64_t i = begin; i < end; i++) {
    int64_t offset = 0;
    for (int64_t j = 0; j < g->depth; j++) offset += sli_tensor_int_at(g->indices, i * g->depth + j) * g->strides[j];
    sli_elements_copy(g->params->dtype, sli_tensor_at(g->output, i * g->slice), sli_tensor_at(g->params, offset),
                      g->slice);
  }
}

sli_status_t *sli_gather_nd(sli_kernel_context_t *context, sli_tensor_t *params, sli_tensor_t *indices) {
  if (params->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "params must be at least a vector");
  if (indices->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "indices must be at least a vector");
  int64_t depth = indices->dims[indices->rank - 1];
  if (depth > params->rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "index innermost dimension length must be <= params rank; saw: %lld vs. %d",
                           (long long)depth, params->rank);
  }
  int64_t dims[2 * SLI_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < indices->rank - 1; i++) dims[rank++] = indices->dims[i];
  for (int i = (int)depth; i < params->rank; i++) dims[rank++] = params->dims[i];
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(rank));
  gather_nd_t g = {.params = params, .indices = indices, .depth = depth};
  int64_t count = sli_shape_product(indices->dims, 0, indices->rank - 1);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &g.output));
  if (count > 0 && params->count == 0 && g.output->count > 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Requested more than 0 entries, but params is empty.  Params shape: %s",
                           sli_tensor_shape_text(params).text);
  }
  SLI_RETURN_IF_ERROR(sli_index_check_vectors(indices, "param shape", sli_tensor_shape(params)));
  if (g.output->count == 0) return NULL;
  g.slice = sli_shape_product(params->dims, (int)depth, params->rank);
  sli_shape_strides(params->rank, params->dims, g.strides);
  double cost = 3 + (double)depth + 0.1 * (double)g.slice * (double)sli_dtype_size(params->dtype);
  sli_parallel_for(sli_kernel_pool(context), count, cost, gather_nd_range, &g);
  return NULL;
}

static sli_status_t *gather_nd_compute(sli_kernel_context_t *context) {
  return sli_gather_nd(context, sli_kernel_input(context, 0), sli_kernel_input(context, 1));
}

sli_status_t *sli_gather_nd_shape(sli_infer_context_t *c, sli_shape_t params, sli_shape_t indices) {
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, indices, 1, &indices));
  if (params.rank < 0 || indices.rank < 0 || indices.dims[indices.rank - 1] < 0) return sli_infer_fn_unknown(c);
  int64_t depth = indices.dims[indices.rank - 1];
  if (depth > params.rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "indices.shape[-1] must be <= params.rank, but saw indices shape: %s and params shape: %s",
                           sli_shape_text(indices).text, sli_shape_text(params).text);
  }
  sli_infer_set_output(c, 0,
                       sli_infer_concatenate(c, sli_infer_subshape(c, indices, 0, indices.rank - 1),
                                             sli_infer_subshape(c, params, (int)depth, params.rank)));
  return NULL;
}

static sli_status_t *gather_nd_shape(sli_infer_context_t *c) {
  return sli_gather_nd_shape(c, sli_infer_input(c, 0), sli_infer_input(c, 1));
}

static sli_status_t *gather_nd_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), params = sli_gradient_input(b, 0),
               indices = sli_gradient_input(b, 1);
  sli_shape_t shape = b->shape(b, indices);
  if (shape.rank == 2 && shape.dims[1] == 1) {
    // Whole rows of |params|: the gradient is sparse.
    sli_gradient_set_slices(
        b, 0,
        (sli_gradient_slices_t){
            .values = gradient,
            .indices = SLI_EMIT_WITH(
                b, "Squeeze", SLI_INPUTS(indices),
                SLI_ATTRS(((sli_attr_entry_t){
                    "squeeze_dims",
                    {.kind = SLI_ATTR_INT, .is_list = true, .count = 1, .list = {.i = (const int64_t[]){-1}}}}))),
            .dense_shape = SLI_EMIT(b, "Shape", SLI_INPUTS(params))});
    return NULL;
  }
  sli_output_t params_shape = SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(params),
                                            SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", sli_gradient_dtype(b, indices))));
  sli_gradient_set(b, 0, SLI_EMIT(b, "ScatterNd", SLI_INPUTS(indices, gradient, params_shape)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Gather",
     .inputs = "params: Tparams, indices: Tindices",
     .outputs = "output: Tparams",
     .attrs = "validate_indices: bool = true; Tparams: type; Tindices: {int32, int64}",
     .summary = "Selects rows by index.",
     .shape = gather_shape,
     .gradient = gather_gradient},
    {.name = "GatherV2",
     .inputs = "params: Tparams, indices: Tindices, axis: Taxis",
     .outputs = "output: Tparams",
     .attrs = "batch_dims: int = 0; Tparams: type; Tindices: {int16, int32, int64}; Taxis: {int32, int64}",
     .summary = "Selects slices along an axis by index.",
     .shape = gather_v2_shape,
     .gradient = gather_v2_gradient},
    {.name = "GatherNd",
     .inputs = "params: Tparams, indices: Tindices",
     .outputs = "output: Tparams",
     .attrs = "Tparams: type; Tindices: {int16, int32, int64}",
     .summary = "Selects slices by index vectors.",
     .shape = gather_nd_shape,
     .gradient = gather_nd_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Gather",
     .where = {{"Tparams", SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED | SLI_TYPES_FLOAT8}},
     .compute = gather_compute},
    {.op = "GatherV2",
     .where = {{"Tparams", SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED | SLI_TYPES_FLOAT8}},
     .host_memory = "axis",
     .compute = gather_v2_compute},
    {.op = "GatherNd",
     .where = {{"Tparams", SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPES_FLOAT8}},
     .compute = gather_nd_compute},
};

SLI_OP_MODULE(gather);
