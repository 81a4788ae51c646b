// RaggedGather: rows of a ragged tensor by index. RaggedRange: a row of numbers for each start, limit and delta.
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "core/op/emit.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"
#include "ops/common/index.h"
#include "ops/ragged/ragged.h"

// --- RaggedGather --------------------------------------------------------------------------------

typedef SLI_ARRAY(int64_t) numbers_t;

typedef struct {
  int in_count, out_count;  // splits
  const sli_tensor_t *values, *indices;
  numbers_t *splits;  // of the outputs
  numbers_t slices;   // pairs: where the values of an index begin and end
  int64_t value_count;
} gather_t;

static sli_status_t *check_gather(sli_kernel_context_t *context, gather_t *g) {
  if (g->values->rank == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "params.rank must be nonzero");
  if (g->out_count != g->in_count + g->indices->rank - 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "OUTPUT_RAGGED_RANK must be %d, got %d",
                           g->in_count + g->indices->rank - 1, g->out_count);
  for (int i = 0; i < g->in_count; i++)
    if (sli_kernel_input(context, i)->rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Split tensors must not be scalars");
  SLI_RETURN_IF_ERROR(sli_ragged_check_nested(context, 0, g->in_count, g->values->dims[0]));
  return sli_index_check("indices", g->indices, sli_kernel_input(context, 0)->count - 1);
}

// The splits of the dimensions of |indices|, whose rows all have the same length.
static void split_indices(gather_t *g) {
  int64_t rows = 1;
  for (int d = 0; d + 1 < g->indices->rank; d++) {
    rows *= g->indices->dims[d];
    for (int64_t r = 0; r <= rows; r++) sli_array_push(&g->splits[d], r * g->indices->dims[d + 1]);
  }
}

static void gather_index(sli_kernel_context_t *context, gather_t *g, int64_t index) {
  int64_t begin = index, end = index + 1;
  for (int i = 0; i < g->in_count; i++) {
    const sli_tensor_t *splits = sli_kernel_input(context, i);
    int to = i + g->indices->rank - 1;
    if (to >= 0) {
      numbers_t *out = &g->splits[to];
      int64_t shift = out->items[out->count - 1] - sli_tensor_int_at(splits, begin);
      for (int64_t r = begin + 1; r <= end; r++) sli_array_push(out, sli_tensor_int_at(splits, r) + shift);
    }
    begin = sli_tensor_int_at(splits, begin);
    end = sli_tensor_int_at(splits, end);
  }
  sli_array_push(&g->slices, begin);
  sli_array_push(&g->slices, end);
  g->value_count += end - begin;
}

static sli_status_t *write_gathered(sli_kernel_context_t *context, const gather_t *g) {
  int64_t dims[SLI_MAX_RANK], at = 0, row = sli_ragged_row_size(g->values);
  sli_tensor_t *output;
  for (int i = 0; i < g->out_count; i++) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, SLI_SHAPE((int64_t)g->splits[i].count), &output));
    for (int64_t k = 0; k < output->count; k++) sli_tensor_set_int(output, k, g->splits[i].items[k]);
  }
  for (int d = 0; d < g->values->rank; d++) dims[d] = g->values->dims[d];
  dims[0] = g->value_count;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, g->out_count, (sli_shape_t){g->values->rank, dims}, &output));
  for (size_t i = 0; i < g->slices.count; i += 2) {
    int64_t count = (g->slices.items[i + 1] - g->slices.items[i]) * row;
    sli_elements_copy((sli_dtype_t)g->values->dtype, sli_tensor_at(output, at),
                      sli_tensor_at(g->values, g->slices.items[i] * row), count);
    at += count;
  }
  return NULL;
}

static sli_status_t *gather_compute(sli_kernel_context_t *context) {
  gather_t g = {.in_count = context->input_count - 2, .out_count = context->output_count - 1};
  g.values = sli_kernel_input(context, g.in_count);
  g.indices = sli_kernel_input(context, g.in_count + 1);
  SLI_RETURN_IF_ERROR(check_gather(context, &g));
  g.splits = sli_calloc((size_t)g.out_count + 1, sizeof(*g.splits));
  split_indices(&g);
  for (int i = g.indices->rank > 0 ? g.indices->rank - 1 : 0; i < g.out_count; i++) sli_array_push(&g.splits[i], 0);
  for (int64_t i = 0; i < g.indices->count; i++) gather_index(context, &g, sli_tensor_int_at(g.indices, i));
  sli_status_t *status = write_gathered(context, &g);
  for (int i = 0; i < g.out_count; i++) sli_array_deinitialize(&g.splits[i]);
  sli_array_deinitialize(&g.slices);
  free(g.splits);
  return status;
}

static sli_status_t *gather_shape(sli_infer_context_t *c) {
  int64_t in_count, out_count;
  sli_shape_t values, indices = sli_infer_input(c, c->node->input_count - 1), unused;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "PARAMS_RAGGED_RANK", &in_count));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "OUTPUT_RAGGED_RANK", &out_count));
  for (int i = 0; i < in_count; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, indices, (int)(out_count - in_count + 1), &indices));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, (int)in_count), 1, &values));
  for (int i = 0; i < out_count; i++) sli_infer_set_output(c, i, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, (int)out_count, values.rank < 0 ? values : sli_infer_replace_dim(c, values, 0, -1));
  return NULL;
}

static sli_output_t emit_gather(sli_gradient_builder_t *b, sli_output_t params, sli_output_t indices) {
  return sli_emit3(b, "GatherV2", params, indices, sli_gradient_const_int32(b, 0));
}

// The values that each index selected get their gradients as slices.
static sli_status_t *gather_gradient(sli_gradient_builder_t *b) {
  int count = b->node->input_count - 2;
  sli_output_t splits = sli_gradient_input(b, 0);
  for (int i = 1; i < count; i++) splits = emit_gather(b, sli_gradient_input(b, i), splits);
  sli_output_t flat =
      sli_emit2(b, "Reshape", sli_gradient_input(b, count + 1), sli_gradient_const_ints(b, (int32_t[]){-1}, 1));
  sli_output_t ends = sli_emit3(b, "Slice", splits, sli_gradient_const_ints(b, (int32_t[]){1}, 1),
                                sli_gradient_const_ints(b, (int32_t[]){-1}, 1));
  sli_output_t range = SLI_EMIT_WITH(
      b, "RaggedRange",
      SLI_INPUTS(emit_gather(b, splits, flat), emit_gather(b, ends, flat), sli_gradient_const_like(b, splits, 1)),
      SLI_ATTRS(SLI_ATTR_TYPE_OF("Tsplits", sli_gradient_dtype(b, splits))));
  sli_gradient_set_slices(b, count,
                          (sli_gradient_slices_t){.values = sli_gradient_of_output(b, b->node->output_count - 1),
                                                  .indices = sli_output_at(range, 1),
                                                  .dense_shape = sli_emit_shape(b, sli_gradient_input(b, count))});
  return NULL;
}

// --- RaggedRange ---------------------------------------------------------------------------------

// Element |i| of a scalar or vector.
static double number_at(const sli_tensor_t *tensor, int64_t i) {
  if (tensor->rank == 0) i = 0;
  switch (tensor->dtype) {
    case SLI_DTYPE_FLOAT: return (double)SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    default: return (double)sli_tensor_int_at(tensor, i);
  }
}

static sli_status_t *range_size(const sli_tensor_t *starts, const sli_tensor_t *limits, const sli_tensor_t *deltas,
                                int64_t row, int64_t *out_size) {
  bool is_floating = starts->dtype == SLI_DTYPE_FLOAT || starts->dtype == SLI_DTYPE_DOUBLE;
  *out_size = 0;
  if (is_floating) {
    double start = number_at(starts, row), limit = number_at(limits, row), delta = number_at(deltas, row);
    if (delta == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Requires delta != 0");
    double size = ceil(fabs((limit - start) / delta));
    if ((delta > 0 && limit < start) || (delta < 0 && limit > start)) size = 0;
    if (!(size <= 9e15))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Requires ((limit - start) / delta) <= %lld", (long long)INT64_MAX);
    *out_size = (int64_t)size;
    return NULL;
  }
  __int128 start = sli_tensor_int_at(starts, starts->rank ? row : 0);
  __int128 limit = sli_tensor_int_at(limits, limits->rank ? row : 0);
  __int128 delta = sli_tensor_int_at(deltas, deltas->rank ? row : 0);
  if (delta == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Requires delta != 0");
  __int128 span = delta > 0 ? limit - start : start - limit, step = delta > 0 ? delta : -delta;
  __int128 size = span > 0 ? (span + step - 1) / step : 0;
  if (size > INT64_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Requires ((limit - start) / delta) <= %lld", (long long)INT64_MAX);
  *out_size = (int64_t)size;
  return NULL;
}

static void fill_range(sli_tensor_t *values, int64_t at, int64_t size, const sli_tensor_t *starts,
                       const sli_tensor_t *deltas, int64_t row) {
  int64_t s = starts->rank ? row : 0, d = deltas->rank ? row : 0;
  if (values->dtype == SLI_DTYPE_FLOAT) {
    float value = SLI_DATA(float, starts)[s];
    for (int64_t i = 0; i < size; i++, value += SLI_DATA(float, deltas)[d]) SLI_DATA(float, values)[at + i] = value;
  } else if (values->dtype == SLI_DTYPE_DOUBLE) {
    double value = SLI_DATA(double, starts)[s];
    for (int64_t i = 0; i < size; i++, value += SLI_DATA(double, deltas)[d]) SLI_DATA(double, values)[at + i] = value;
  } else {
    uint64_t value = (uint64_t)sli_tensor_int_at(starts, s), delta = (uint64_t)sli_tensor_int_at(deltas, d);
    for (int64_t i = 0; i < size; i++, value += delta) sli_tensor_set_int(values, at + i, (int64_t)value);
  }
}

static sli_status_t *count_range_rows(sli_kernel_context_t *context, int64_t *out_rows) {
  static const char *const names[] = {"starts", "limits", "deltas"};
  int64_t rows = -1;
  for (int i = 0; i < 3; i++) {
    const sli_tensor_t *input = sli_kernel_input(context, i);
    if (input->rank > 1) return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a scalar or vector", names[i]);
    if (input->rank == 0) continue;
    if (rows >= 0 && rows != input->count)
      return sli_status_make(SLI_INVALID_ARGUMENT, "starts, limits, and deltas must have the same shape");
    rows = input->count;
  }
  *out_rows = rows < 0 ? 1 : rows;
  return NULL;
}

static sli_status_t *range_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *starts = sli_kernel_input(context, 0), *limits = sli_kernel_input(context, 1);
  const sli_tensor_t *deltas = sli_kernel_input(context, 2);
  sli_tensor_t *splits, *values;
  int64_t rows = 0, total = 0, size;
  SLI_RETURN_IF_ERROR(count_range_rows(context, &rows));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(rows + 1), &splits));
  sli_tensor_set_int(splits, 0, 0);
  for (int64_t r = 0; r < rows; r++) {
    SLI_RETURN_IF_ERROR(range_size(starts, limits, deltas, r, &size));
    bool is_too_long =
        __builtin_add_overflow(total, size, &total) || (splits->dtype == SLI_DTYPE_INT32 && total > INT32_MAX);
    if (is_too_long)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The total range size overflowed. Consider using int64 instead of "
                             "int32 for row_splits_dtype.");
    sli_tensor_set_int(splits, r + 1, total);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(total), &values));
  for (int64_t r = 0; r < rows; r++) {
    int64_t begin = sli_tensor_int_at(splits, r);
    fill_range(values, begin, sli_tensor_int_at(splits, r + 1) - begin, starts, deltas, r);
  }
  return NULL;
}

static sli_status_t *range_shape(sli_infer_context_t *c) {
  int64_t rows = -1;
  bool is_one = true;
  for (int i = 0; i < 3; i++) {
    sli_shape_t input;
    SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, i), 1, &input));
    is_one = is_one && input.rank == 0;
    if (input.rank == 1) SLI_RETURN_IF_ERROR(sli_infer_merge_dims(rows, input.dims[0], &rows));
  }
  if (is_one) rows = 1;
  if (rows >= 0) rows++;
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &rows));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "RaggedGather",
     .inputs = "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, indices: Tindices",
     .outputs = "output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues",
     .attrs =
         "Tvalues: type; Tindices: {int32, int64}; Tsplits: {int32, int64} = DT_INT64; PARAMS_RAGGED_RANK: int >= 1; "
         "OUTPUT_RAGGED_RANK: int >= 0",
     .summary = "Gathers rows of a ragged tensor.",
     .shape = gather_shape,
     .gradient = gather_gradient},
    {.name = "RaggedRange",
     .inputs = "starts: T, limits: T, deltas: T",
     .outputs = "rt_nested_splits: Tsplits, rt_dense_values: T",
     .attrs = "T: {bfloat16, float, double, int32, int64} = DT_INT32; Tsplits: {int32, int64} = DT_INT64",
     .summary = "A ragged tensor of sequences of numbers.",
     .shape = range_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RaggedGather",
     .where = {{"Tvalues", SLI_TYPES_POD | SLI_TYPES_QUANTIZED | SLI_TYPE_STRING},
               {"Tindices", SLI_TYPES_INDEX},
               {"Tsplits", SLI_TYPES_INDEX}},
     .compute = gather_compute},
    {.op = "RaggedRange",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_INDEX,
     .where = {{"Tsplits", SLI_TYPES_INDEX}},
     .compute = range_compute},
};
SLI_OP_MODULE(ragged_gather);
