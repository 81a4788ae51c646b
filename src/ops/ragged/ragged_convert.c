// RaggedTensorToSparse, RaggedTensorToTensor.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/emit.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"
#include "ops/ragged/ragged.h"

// --- RaggedTensorToSparse ------------------------------------------------------------------------

// The longest row of |splits|.
static int64_t longest_row(const sli_tensor_t *splits) {
  int64_t longest = 0;
  for (int64_t i = 1; i < splits->count; i++) {
    int64_t size = sli_tensor_int_at(splits, i) - sli_tensor_int_at(splits, i - 1);
    if (size > longest) longest = size;
  }
  return longest;
}

// Fills in the ragged dimensions of the index of row |row| of the values: its place in each row that contains it.
static void locate_row(sli_kernel_context_t *context, int count, int64_t row, int64_t *places, int64_t *index) {
  for (int i = count - 1; i >= 0; i--) {
    const sli_tensor_t *splits = sli_kernel_input(context, i);
    // |places| only moves forward, because rows come in order.
    while (sli_tensor_int_at(splits, places[i] + 1) <= row) places[i]++;
    index[i + 1] = row - sli_tensor_int_at(splits, places[i]);
    row = places[i];
  }
  index[0] = row;
}

static sli_status_t *to_sparse_compute(sli_kernel_context_t *context) {
  int count = context->input_count - 1;
  sli_tensor_t *values = sli_kernel_input(context, count), *indices, *shape;
  if (values->rank == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "rt_dense_values must not be a scalar");
  SLI_RETURN_IF_ERROR(sli_ragged_check_nested(context, 0, count, values->dims[0]));
  int rank = count + values->rank;
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(rank));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(values->count, rank), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(rank), &shape));
  int64_t *dims = shape->data, *to = indices->data, row_size = sli_ragged_row_size(values);
  dims[0] = sli_kernel_input(context, 0)->count - 1;
  for (int i = 0; i < count; i++) dims[i + 1] = longest_row(sli_kernel_input(context, i));
  for (int d = 1; d < values->rank; d++) dims[count + d] = values->dims[d];
  int64_t *places = sli_calloc((size_t)count + 1, sizeof(*places)), index[SLI_MAX_RANK];
  for (int64_t row = 0; row < values->dims[0] && row_size; row++) {
    locate_row(context, count, row, places, index);
    for (int64_t k = 0; k < row_size; k++, to += rank) {
      for (int d = 0; d <= count; d++) to[d] = index[d];
      int64_t rest = k;
      for (int d = values->rank - 1; d >= 1; d--) {
        to[count + d] = rest % values->dims[d];
        rest /= values->dims[d];
      }
    }
  }
  free(places);
  sli_kernel_set_output_reshaped(context, 1, count, SLI_SHAPE(values->count));
  return NULL;
}

static sli_status_t *to_sparse_shape(sli_infer_context_t *c) {
  int count = c->node->input_count - 1;
  sli_shape_t values, unused;
  for (int i = 0; i < count; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, count), 1, &values));
  int64_t rank = values.rank < 0 ? -1 : count + values.rank, total = values.rank < 0 ? -1 : sli_shape_count(values);
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){total, rank}));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, &total));
  sli_infer_set_output(c, 2, sli_infer_make(c, 1, &rank));
  return NULL;
}

static sli_status_t *to_sparse_gradient(sli_gradient_builder_t *b) {
  int last = b->node->input_count - 1;
  sli_gradient_set(
      b, last, sli_emit2(b, "Reshape", sli_gradient_of_output(b, 1), sli_emit_shape(b, sli_gradient_input(b, last))));
  return NULL;
}

// --- RaggedTensorToTensor ------------------------------------------------------------------------

typedef enum { FIRST_DIM_SIZE, VALUE_ROWIDS, ROW_SPLITS } partition_t;

typedef struct {
  partition_t *kinds;
  int first, count;  // the partitions of dimensions are |first| to |count| - 1
  const sli_tensor_t *values, *fallback;
  int64_t dims[SLI_MAX_RANK];  // of the output
  int rank;
} to_tensor_t;

static sli_status_t *read_kinds(const sli_node_def_t *node, partition_t **out_kinds, int *out_count) {
  static const char *const names[] = {"FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS"};
  const sli_attr_t *types;
  int64_t tensors;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "row_partition_types", SLI_ATTR_STRING, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_row_partition_tensors", &tensors));
  if ((int64_t)types->count != tensors)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of row partition tensors (%lld) does not equal the number of row partition types "
                           "(%zu).",
                           (long long)tensors, types->count);
  partition_t *kinds = sli_calloc(types->count + 1, sizeof(*kinds));
  for (size_t i = 0; i < types->count; i++) {
    int kind = 0;
    while (kind < 3 && !sli_view_is(types->list.s[i], names[kind])) kind++;
    bool is_good = kind < 3 && (kind != FIRST_DIM_SIZE || i == 0) && !(i == 0 && kind == VALUE_ROWIDS);
    if (!is_good) {
      free(kinds);
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid row partition type %.*s at position %zu",
                             SLI_VIEW_ARG(types->list.s[i]), i);
    }
    kinds[i] = (partition_t)kind;
  }
  *out_kinds = kinds;
  *out_count = (int)types->count;
  return NULL;
}

static sli_status_t *partition_rows(sli_kernel_context_t *context, const to_tensor_t *t, int64_t *out_rows) {
  const sli_tensor_t *first = sli_kernel_input(context, 3);
  if (t->kinds[0] == ROW_SPLITS) {
    if (first->rank != 1 || first->count == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "row_splits must be a vector with at least one element, got shape %s",
                             sli_tensor_shape_text(first).text);
    *out_rows = first->count - 1;
    return NULL;
  }
  if (first->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "FIRST_DIM_SIZE must be a scalar, got shape %s",
                           sli_tensor_shape_text(first).text);
  *out_rows = sli_tensor_int_at(first, 0);
  if (*out_rows < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "FIRST_DIM_SIZE must not be negative: %lld", (long long)*out_rows);
  return NULL;
}

// Checks partition |i|, which divides |count| elements into |rows| rows, and finds the longest row.
static sli_status_t *check_partition(sli_kernel_context_t *context, const to_tensor_t *t, int i, int64_t rows,
                                     int64_t *out_count, int64_t *out_longest) {
  const sli_tensor_t *partition = sli_kernel_input(context, 3 + i);
  *out_longest = 0;
  if (partition->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "A row partition must be a vector, got shape %s",
                           sli_tensor_shape_text(partition).text);
  if (t->kinds[i] == ROW_SPLITS) {
    if (partition->count != rows + 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "row_splits has %lld elements, expected %lld",
                             (long long)partition->count, (long long)rows + 1);
    *out_count = sli_tensor_int_at(partition, rows);
    *out_longest = longest_row(partition);
    return sli_ragged_check_splits(partition, *out_count);
  }
  int64_t run = 0;
  *out_count = partition->count;
  for (int64_t k = 0; k < partition->count; k++) {
    int64_t row = sli_tensor_int_at(partition, k), before = k ? sli_tensor_int_at(partition, k - 1) : 0;
    if (row < before || row >= rows)
      return sli_status_make(SLI_INVALID_ARGUMENT, "value_rowids must be in order and in [0, %lld), got %lld",
                             (long long)rows, (long long)row);
    run = k && row == before ? run + 1 : 1;
    if (run > *out_longest) *out_longest = run;
  }
  return NULL;
}

static sli_status_t *given_dim(const sli_tensor_t *shape, int d, int64_t found, int64_t *out_dim) {
  int64_t given = shape->rank == 0 ? -1 : sli_tensor_int_at(shape, d);
  if (given < -1) return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= -1", (long long)given);
  *out_dim = given >= 0 ? given : found;
  return NULL;
}

static sli_status_t *find_dims(sli_kernel_context_t *context, to_tensor_t *t) {
  const sli_tensor_t *shape = sli_kernel_input(context, 0);
  int ragged = t->count - t->first;
  t->rank = ragged + t->values->rank;
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(t->rank));
  if (shape->rank > 1 || (shape->rank == 1 && shape->count != t->rank))
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape must be a scalar -1 or a vector of %d elements, got shape %s",
                           t->rank, sli_tensor_shape_text(shape).text);
  if (shape->rank == 0 && sli_tensor_int_at(shape, 0) != -1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  int64_t rows, count = 0, longest;
  SLI_RETURN_IF_ERROR(partition_rows(context, t, &rows));
  SLI_RETURN_IF_ERROR(given_dim(shape, 0, rows, &t->dims[0]));
  for (int i = 0; i < ragged; i++) {
    SLI_RETURN_IF_ERROR(check_partition(context, t, t->first + i, rows, &count, &longest));
    SLI_RETURN_IF_ERROR(given_dim(shape, i + 1, longest, &t->dims[i + 1]));
    rows = count;
  }
  if (rows != t->values->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "The row partitions are of %lld values, but there are %lld",
                           (long long)rows, (long long)t->values->dims[0]);
  for (int d = 1; d < t->values->rank; d++) {
    SLI_RETURN_IF_ERROR(given_dim(shape, ragged + d, t->values->dims[d], &t->dims[ragged + d]));
    if (t->dims[ragged + d] != t->values->dims[d])
      return sli_status_make(SLI_INVALID_ARGUMENT, "shape and values disagree about dimension %d: %lld and %lld",
                             ragged + d, (long long)t->dims[ragged + d], (long long)t->values->dims[d]);
  }
  return NULL;
}

// Replaces |*places|, where each row begins in the output (-1: nowhere), by those of the rows of partition |i|.
static void place_rows(sli_kernel_context_t *context, const to_tensor_t *t, int i, int64_t step, int64_t **places,
                       int64_t *count) {
  const sli_tensor_t *partition = sli_kernel_input(context, 3 + i);
  int64_t limit = t->dims[i - t->first + 1], rows = *count;
  bool is_splits = t->kinds[i] == ROW_SPLITS;
  int64_t total = is_splits ? sli_tensor_int_at(partition, rows) : partition->count;
  int64_t *next = sli_malloc((size_t)(total + 1) * sizeof(*next));
  for (int64_t k = 0, row = 0, within = 0; k < total; k++, within++) {
    int64_t before = row;
    if (is_splits) {
      while (sli_tensor_int_at(partition, row + 1) <= k) row++;
    } else {
      row = sli_tensor_int_at(partition, k);
    }
    if (row != before) within = 0;
    next[k] = (*places)[row] < 0 || within >= limit ? -1 : (*places)[row] + within * step;
  }
  free(*places);
  *places = next;
  *count = total;
}

static sli_status_t *fill_fallback(const to_tensor_t *t, sli_tensor_t *output, int64_t inner) {
  sli_dtype_t dtype = (sli_dtype_t)output->dtype;
  const sli_tensor_t *fallback = t->fallback;
  sli_shape_t row = {t->values->rank - 1, t->values->dims + 1};
  int64_t dims[SLI_MAX_RANK], strides[SLI_MAX_RANK], from[SLI_MAX_RANK], own[SLI_MAX_RANK];
  int rank;
  if (fallback->count == 1) {
    sli_elements_fill(dtype, output->data, fallback->data, output->count);
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_shape_broadcast(sli_tensor_shape(fallback), row, dims, &rank));
  if (!sli_shape_equal((sli_shape_t){rank, dims}, row))
    return sli_status_make(SLI_INVALID_ARGUMENT, "default_value of shape %s cannot be broadcast to rows of shape %s",
                           sli_tensor_shape_text(fallback).text, sli_shape_text(row).text);
  sli_shape_strides(rank, dims, strides);
  sli_shape_strides(fallback->rank, fallback->dims, own);
  for (int d = 0; d < rank; d++) {
    int k = d - (rank - fallback->rank);
    from[d] = k < 0 || fallback->dims[k] == 1 ? 0 : own[k];
  }
  for (int64_t at = 0; inner && at < output->count; at += inner)
    sli_elements_strided_copy(NULL, dtype, rank, dims, sli_tensor_at(output, at), strides, fallback->data, from);
  return NULL;
}

static sli_status_t *write_tensor(sli_kernel_context_t *context, to_tensor_t *t) {
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(find_dims(context, t));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){t->rank, t->dims}, &output));
  int64_t inner = sli_ragged_row_size(t->values), rows;
  SLI_RETURN_IF_ERROR(fill_fallback(t, output, inner));
  if (output->count == 0) return NULL;
  SLI_RETURN_IF_ERROR(partition_rows(context, t, &rows));
  int ragged = t->count - t->first;
  int64_t step = sli_shape_product(t->dims, 1, ragged + 1);
  int64_t *places = NULL;
  if (rows < INT64_MAX / 16) places = sli_malloc_or_null((size_t)(rows + 1) * sizeof(*places));
  if (!places) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for %lld rows", (long long)rows);
  for (int64_t r = 0; r < rows; r++) places[r] = r < t->dims[0] ? r * step : -1;
  for (int i = t->first; i < t->count; i++) {
    step = t->dims[i - t->first + 1] ? step / t->dims[i - t->first + 1] : 0;
    place_rows(context, t, i, step, &places, &rows);
  }
  for (int64_t r = 0; r < rows; r++)
    if (places[r] >= 0)
      sli_elements_copy((sli_dtype_t)output->dtype, sli_tensor_at(output, places[r] * inner),
                        sli_tensor_at(t->values, r * inner), inner);
  free(places);
  return NULL;
}

static sli_status_t *to_tensor_compute(sli_kernel_context_t *context) {
  to_tensor_t t = {.values = sli_kernel_input(context, 1), .fallback = sli_kernel_input(context, 2)};
  SLI_RETURN_IF_ERROR(read_kinds(context->node, &t.kinds, &t.count));
  sli_status_t *status = NULL;
  if (t.values->rank == 0) status = sli_status_make(SLI_INVALID_ARGUMENT, "values must not be a scalar");
  t.first = t.count && t.kinds[0] == FIRST_DIM_SIZE ? 1 : 0;
  if (!status) status = write_tensor(context, &t);
  free(t.kinds);
  return status;
}

static sli_status_t *to_tensor_shape(sli_infer_context_t *c) {
  sli_shape_t shape = SLI_SHAPE_UNKNOWN, values = sli_infer_input(c, 1), given = sli_infer_input(c, 0);
  const sli_attr_t *types;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(c->node, "row_partition_types", SLI_ATTR_STRING, &types));
  int ragged = (int)types->count - (types->count && sli_view_is(types->list.s[0], "FIRST_DIM_SIZE"));
  if (given.rank == 1) SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 0, &shape));
  if (values.rank > 0) {
    sli_shape_t own = sli_infer_make_unknown_of_rank(c, ragged + values.rank);
    for (int d = 1; d < values.rank; d++) own = sli_infer_replace_dim(c, own, ragged + d, values.dims[d]);
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, own, shape, &shape));
  }
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_output_t emit_where(sli_gradient_builder_t *b, const char *op, sli_output_t flat) {
  sli_output_t found = sli_emit1(b, "Where", sli_emit2(b, op, flat, sli_gradient_const_int32(b, -1)));
  return sli_emit2(b, "Reshape", found, sli_gradient_const_ints(b, (int32_t[]){-1}, 1));
}

static sli_output_t emit_slice(sli_gradient_builder_t *b, sli_output_t vector, int begin, int size) {
  return sli_emit3(b, "Slice", vector, sli_gradient_const_ints(b, (int32_t[]){begin}, 1),
                   sli_gradient_const_ints(b, (int32_t[]){size}, 1));
}

// Numbers the values and converts the numbers, which tells where each element of the gradient came from.
static sli_status_t *to_tensor_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), values = sli_gradient_input(b, 1);
  sli_output_t fallback = sli_gradient_input(b, 2), inputs[64];
  const sli_attr_t *types = sli_node_attr(b->node, "row_partition_types");
  int ragged = (int)types->count - (types->count && sli_view_is(types->list.s[0], "FIRST_DIM_SIZE"));
  int partitions = b->node->input_count - 3;
  if (partitions > 60) return sli_status_make(SLI_UNIMPLEMENTED, "A gradient of %d row partitions", partitions);
  sli_output_t value_shape = sli_emit_shape(b, values), shape = sli_emit_shape(b, gradient);
  sli_output_t count = sli_emit2(b, "Reshape", emit_slice(b, value_shape, 0, 1), sli_gradient_const_ints(b, NULL, 0));
  inputs[0] = emit_slice(b, shape, 0, ragged + 1);
  inputs[1] = sli_emit3(b, "Range", sli_gradient_const_int32(b, 0), count, sli_gradient_const_int32(b, 1));
  inputs[2] = sli_gradient_const_int32(b, -1);
  for (int i = 0; i < partitions; i++) inputs[3 + i] = sli_gradient_input(b, 3 + i);
  sli_attr_entry_t attrs[] = {{"row_partition_types", *types},
                              SLI_ATTR_INT_OF("num_row_partition_tensors", partitions)};
  sli_output_t numbers = sli_gradient_emit(b, "RaggedTensorToTensor", inputs, (size_t)partitions + 3, attrs, 2);
  sli_output_t flat = sli_emit2(b, "Reshape", numbers, sli_gradient_const_ints(b, (int32_t[]){-1}, 1));
  sli_output_t inner = emit_slice(b, shape, ragged + 1, -1);
  sli_output_t row_shape = SLI_EMIT_WITH(
      b, "ConcatV2", SLI_INPUTS(sli_gradient_const_ints(b, (int32_t[]){-1}, 1), inner, sli_gradient_const_int32(b, 0)),
      SLI_ATTRS(SLI_ATTR_INT_OF("N", 2), SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT32)));
  sli_output_t rows = sli_emit2(b, "Reshape", gradient, row_shape), zero = sli_gradient_const_int32(b, 0);
  sli_output_t own = emit_where(b, "NotEqual", flat), others = emit_where(b, "Equal", flat);
  sli_gradient_set_slices(b, 1,
                          (sli_gradient_slices_t){.values = sli_emit3(b, "GatherV2", rows, own, zero),
                                                  .indices = sli_emit3(b, "GatherV2", flat, own, zero),
                                                  .dense_shape = value_shape});
  // The gradient of the default, summed over the rows that have it and over the dimensions that it was broadcast to.
  sli_output_t sum = sli_emit2(b, "Sum", sli_emit3(b, "GatherV2", rows, others, zero), zero);
  sli_output_t own_shape = sli_emit_shape(b, fallback);
  sli_output_t axes = sli_emit2(b, "BroadcastGradientArgs", own_shape, inner);
  sli_gradient_set(b, 2, sli_emit2(b, "Reshape", sli_emit2(b, "Sum", sum, axes), own_shape));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "RaggedTensorToSparse",
     .inputs = "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T",
     .outputs = "sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64",
     .attrs = "RAGGED_RANK: int >= 1; T: type; Tsplits: {int32, int64} = DT_INT64",
     .summary = "Converts a ragged tensor to a sparse one.",
     .shape = to_sparse_shape,
     .gradient = to_sparse_gradient,
     .forwards_input = true},
    {.name = "RaggedTensorToTensor",
     .inputs = "shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors * Tindex",
     .outputs = "result: T",
     .attrs = "T: type; Tindex: {int64, int32}; Tshape: {int64, int32}; num_row_partition_tensors: int >= 1; "
              "row_partition_types: list(string)",
     .summary = "Converts a ragged tensor to a dense one, padded or cut.",
     .shape = to_tensor_shape,
     .gradient = to_tensor_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RaggedTensorToSparse", .where = {{"Tsplits", SLI_TYPES_INDEX}}, .compute = to_sparse_compute},
    {.op = "RaggedTensorToTensor",
     .types = SLI_TYPES_POD | SLI_TYPES_QUANTIZED | SLI_TYPE_STRING,
     .where = {{"Tindex", SLI_TYPES_INDEX}},
     .compute = to_tensor_compute},
};
SLI_OP_MODULE(ragged_convert);
