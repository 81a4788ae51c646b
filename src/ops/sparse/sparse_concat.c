// SparseConcat and SparseSplit: concatenate sparse tensors along a dimension, and split them.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"
#include "ops/sparse/sparse.h"

// --- SparseConcat -----------------------------------------------------------------------------------

typedef struct {
  int count, rank, dimension;
  int64_t entries;
  int64_t dims[SLI_MAX_RANK];  // of the result
} sparse_concat_t;

static const sli_tensor_t *indices_of(const sli_kernel_context_t *context, int i) {
  return sli_kernel_input(context, i);
}
static const sli_tensor_t *values_of(const sli_kernel_context_t *context, const sparse_concat_t *concat, int i) {
  return sli_kernel_input(context, concat->count + i);
}
static const sli_tensor_t *shape_of(const sli_kernel_context_t *context, const sparse_concat_t *concat, int i) {
  return sli_kernel_input(context, 2 * concat->count + i);
}

static sli_status_t *check_input(const sli_kernel_context_t *context, const sparse_concat_t *concat, int i) {
  const sli_tensor_t *indices = indices_of(context, i), *values = values_of(context, concat, i),
                     *shape = shape_of(context, concat, i), *first = shape_of(context, concat, 0);
  if (indices->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input indices should be a matrix but received shape %s at position %d",
                           sli_tensor_shape_text(indices).text, i);
  if (values->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input values should be a vector but received shape %s at position %d",
                           sli_tensor_shape_text(values).text, i);
  if (shape->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input shapes should be a vector but received shape %s at position %d",
                           sli_tensor_shape_text(shape).text, i);
  if (shape->count != first->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Ranks of all input tensors must match: expected %lld but got %lld at position %d",
                           (long long)first->count, (long long)shape->count, i);
  if (indices->dims[0] != values->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "indices and values rows (indexing dimension) must match. (indices = %lld, values = %lld)",
                           (long long)indices->dims[0], (long long)values->count);
  if (indices->dims[1] != shape->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Indices of shape %s do not fit a shape of rank %lld at position %d",
                           sli_tensor_shape_text(indices).text, (long long)shape->count, i);
  return NULL;
}

// Checks the shape of input |i| and adds its extent to that of the result.
static sli_status_t *add_extent(const sli_kernel_context_t *context, sparse_concat_t *concat, int i) {
  const int64_t *dims = SLI_DATA(const int64_t, shape_of(context, concat, i));
  for (int d = 0; d < concat->rank; d++) {
    if (d != concat->dimension && dims[d] != concat->dims[d])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Input shapes must match: expected %lld for dimension %d but got %lld at position %d",
                             (long long)concat->dims[d], d, (long long)dims[d], i);
    if (dims[d] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape %d of SparseConcat has a negative size", i);
  }
  if (__builtin_add_overflow(concat->dims[concat->dimension], dims[concat->dimension],
                             &concat->dims[concat->dimension]))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Encountered overflow from large input shape.");
  concat->entries += values_of(context, concat, i)->count;
  return NULL;
}

static sli_status_t *concat_begin(const sli_kernel_context_t *context, sparse_concat_t *concat) {
  int64_t dimension;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "concat_dim", &dimension));
  *concat = (sparse_concat_t){.count = context->input_count / 3};
  for (int i = 0; i < concat->count; i++) SLI_RETURN_IF_ERROR(check_input(context, concat, i));
  const sli_tensor_t *first = shape_of(context, concat, 0);
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(first->count));
  concat->rank = (int)first->count;
  if (dimension < -concat->rank || dimension >= concat->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Concat dimension must be in range [%d, %d), got %lld", -concat->rank,
                           concat->rank, (long long)dimension);
  concat->dimension = (int)(dimension < 0 ? dimension + concat->rank : dimension);
  for (int d = 0; d < concat->rank; d++) concat->dims[d] = SLI_DATA(int64_t, first)[d];
  concat->dims[concat->dimension] = 0;
  for (int i = 0; i < concat->count; i++) SLI_RETURN_IF_ERROR(add_extent(context, concat, i));
  return NULL;
}

// Writes the indices of all entries in the result, one input after the other, and pointers to their values.
static void shift_indices(const sli_kernel_context_t *context, const sparse_concat_t *concat, int64_t *indices,
                          const void **values, sli_sparse_place_t *places) {
  int64_t row = 0, offset = 0;
  for (int i = 0; i < concat->count; i++) {
    const sli_tensor_t *from = values_of(context, concat, i);
    for (int64_t k = 0; k < from->count; k++, row++) {
      int64_t *to = indices + row * concat->rank;
      memcpy(to, SLI_DATA(int64_t, indices_of(context, i)) + k * concat->rank, (size_t)concat->rank * sizeof(*to));
      to[concat->dimension] = (int64_t)((uint64_t)to[concat->dimension] + (uint64_t)offset);
      values[row] = sli_tensor_at(from, k);
      places[row] = (sli_sparse_place_t){to, row, concat->rank};
    }
    offset += SLI_DATA(int64_t, shape_of(context, concat, i))[concat->dimension];
  }
}

static sli_status_t *concat_compute(sli_kernel_context_t *context) {
  sparse_concat_t concat;
  sli_tensor_t *indices, *values, *shape, *shifted;
  SLI_RETURN_IF_ERROR(concat_begin(context, &concat));
  sli_shape_t matrix = SLI_SHAPE(concat.entries, concat.rank);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, matrix, &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(concat.entries), &values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(concat.rank), &shape));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_INT64, matrix, &shifted));
  memcpy(shape->data, concat.dims, (size_t)concat.rank * sizeof(*concat.dims));
  size_t room = (size_t)concat.entries + 1;
  const void **from = sli_malloc(room * sizeof(*from));
  sli_sparse_place_t *places = sli_malloc(room * sizeof(*places));
  shift_indices(context, &concat, shifted->data, from, places);
  sli_sparse_sort(places, concat.entries);
  for (int64_t i = 0; i < concat.entries; i++) {
    memcpy(SLI_DATA(int64_t, indices) + i * concat.rank, places[i].index, (size_t)concat.rank * sizeof(int64_t));
    sli_elements_copy(values->dtype, sli_tensor_at(values, i), from[places[i].row], 1);
  }
  free(places);
  free(from);
  sli_tensor_release(shifted);
  return NULL;
}

static sli_status_t *concat_shape(sli_infer_context_t *c) {
  int count = c->node->input_count / 3;
  int64_t rank = -1, entries = 0;
  sli_shape_t matrix, vector;
  for (int i = 0; i < count; i++) {
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 2, &matrix));
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, count + i, 1, &vector));
    int64_t rows;
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(matrix, 0), sli_infer_dim(vector, 0), &rows));
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(rank, sli_infer_dim(matrix, 1), &rank));
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2 * count + i, 1, &vector));
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(rank, sli_infer_dim(vector, 0), &rank));
    if (rows < 0 || entries < 0 || __builtin_add_overflow(entries, rows, &entries)) entries = -1;
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){entries, rank}));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, &entries));
  sli_infer_set_output(c, 2, sli_infer_make(c, 1, &rank));
  return NULL;
}

// --- SparseSplit ---------------------------------------------------------------------------------------

// Slices along one dimension. The first |longer| of them have |size| + 1 elements, the others |size|.
typedef struct {
  int dimension, count;
  int64_t size, longer;
} sparse_split_t;

static int64_t slice_start(const sparse_split_t *split, int64_t slice) {
  return slice * split->size + (slice < split->longer ? slice : split->longer);
}

static int slice_of(const sparse_split_t *split, int64_t index) {
  int64_t end = split->longer * (split->size + 1);
  return (int)(index < end ? index / (split->size + 1) : split->longer + (index - end) / split->size);
}

static sli_status_t *check_entries(const sli_sparse_t *input) {
  for (int64_t i = 0; i < input->count; i++) {
    const int64_t *index = SLI_DATA(const int64_t, input->indices) + i * input->rank;
    bool inside = true;
    for (int d = 0; d < input->rank; d++) inside &= index[d] >= 0 && index[d] < SLI_DATA(int64_t, input->shape)[d];
    if (inside) continue;
    sli_string_t text = {0};
    for (int d = 0; d < input->rank; d++) sli_string_append_format(&text, "%s%lld", d ? ", " : "", (long long)index[d]);
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Sparse index tuple indices[%lld, :] = [%s] is out of bounds",
                        (long long)i, sli_string_text(&text));
    sli_string_deinitialize(&text);
    return status;
  }
  return NULL;
}

static sli_status_t *split_begin(const sli_kernel_context_t *context, sli_sparse_t *out_input,
                                 sparse_split_t *out_split) {
  const sli_tensor_t *axis = sli_kernel_input(context, 0);
  if (axis->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input axis should be a scalar but received shape %s",
                           sli_tensor_shape_text(axis).text);
  const sli_tensor_t *indices = sli_kernel_input(context, 1), *values = sli_kernel_input(context, 2);
  if (indices->rank == 2 && values->rank == 1 && indices->dims[0] != values->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Number of elements in indices (%lld) and values (%lld) do not match",
                           (long long)indices->dims[0], (long long)values->count);
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 1, out_input));
  int64_t dimension = SLI_DATA(int64_t, axis)[0], rank = out_input->rank, count = context->output_count / 3;
  if (dimension < -rank || dimension >= rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input axis should be in range [%lld, %lld), got %lld",
                           (long long)-rank, (long long)rank, (long long)dimension);
  if (dimension < 0) dimension += rank;
  int64_t size = SLI_DATA(int64_t, out_input->shape)[dimension];
  if (count < 1 || count > size)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input num_split should be between 1 and the splitting dimension size (%lld), got %lld",
                           (long long)size, (long long)count);
  *out_split = (sparse_split_t){(int)dimension, (int)count, size / count, size % count};
  return check_entries(out_input);
}

static sli_status_t *split_compute(sli_kernel_context_t *context) {
  sli_sparse_t input;
  sparse_split_t split = {0};
  SLI_RETURN_IF_ERROR(split_begin(context, &input, &split));
  const int64_t *all = SLI_DATA(const int64_t, input.indices);
  int64_t *counts = sli_calloc((size_t)split.count, sizeof(*counts));
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < input.count; i++) counts[slice_of(&split, all[i * input.rank + split.dimension])]++;
  for (int k = 0; k < split.count && !status; k++) {
    sli_tensor_t *indices, *values, *shape;
    SLI_GOTO_IF_ERROR(status, cleanup,
                      sli_kernel_allocate_output(context, k, SLI_SHAPE(counts[k], input.rank), &indices));
    SLI_GOTO_IF_ERROR(status, cleanup,
                      sli_kernel_allocate_output(context, split.count + k, SLI_SHAPE(counts[k]), &values));
    SLI_GOTO_IF_ERROR(status, cleanup,
                      sli_kernel_allocate_output(context, 2 * split.count + k, SLI_SHAPE(input.rank), &shape));
    memcpy(shape->data, input.shape->data, (size_t)input.rank * sizeof(int64_t));
    SLI_DATA(int64_t, shape)[split.dimension] = slice_start(&split, k + 1) - slice_start(&split, k);
    counts[k] = 0;
  }
  for (int64_t i = 0; i < input.count; i++) {
    int k = slice_of(&split, all[i * input.rank + split.dimension]);
    int64_t row = counts[k]++;
    int64_t *index = SLI_DATA(int64_t, context->outputs[k].tensor) + row * input.rank;
    memcpy(index, all + i * input.rank, (size_t)input.rank * sizeof(*index));
    index[split.dimension] -= slice_start(&split, k);
    sli_elements_copy(input.values->dtype, sli_tensor_at(context->outputs[split.count + k].tensor, row),
                      sli_tensor_at(input.values, i), 1);
  }
cleanup:
  free(counts);
  return status;
}

static sli_status_t *split_shape(sli_infer_context_t *c) {
  int count = c->node->output_count / 3;
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 1, &shape));
  int64_t rank = sli_infer_dim(shape, 0);
  for (int k = 0; k < count; k++) {
    sli_infer_set_output(c, k, sli_infer_make(c, 2, (int64_t[]){-1, rank}));
    sli_infer_set_output(c, count + k, sli_infer_make_unknown_of_rank(c, 1));
    sli_infer_set_output(c, 2 * count + k, sli_infer_make(c, 1, &rank));
  }
  return NULL;
}

// --- Tables ---------------------------------------------------------------------------------------------

static const sli_op_def_t ops[] = {
    {.name = "SparseConcat",
     .inputs = "indices: N * int64, values: N * T, shapes: N * int64",
     .outputs = "output_indices: int64, output_values: T, output_shape: int64",
     .attrs = "concat_dim: int; N: int >= 2; T: type",
     .summary = "Concatenates sparse tensors along a dimension.",
     .shape = concat_shape,
     .not_differentiable = true},
    {.name = "SparseSplit",
     .inputs = "split_dim: int64, indices: int64, values: T, shape: int64",
     .outputs = "output_indices: num_split * int64, output_values: num_split * T, output_shape: num_split * int64",
     .attrs = "num_split: int >= 1; T: type",
     .summary = "Splits a sparse tensor along a dimension.",
     .shape = split_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseConcat", .types = SLI_TYPES_COMMON, .compute = concat_compute},
    {.op = "SparseSplit", .types = SLI_TYPES_COMMON, .compute = split_compute},
};

SLI_OP_MODULE(sparse_concat);
