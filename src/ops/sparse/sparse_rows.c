// SparseFillEmptyRows (and its gradient), SparseReshape, SparseReorder: ops from sparse tensors to sparse tensors.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"
#include "ops/sparse/sparse.h"

// --- SparseFillEmptyRows -----------------------------------------------------------------------

typedef struct {
  sli_sparse_t input;
  int64_t rows, total;
  int64_t *next;  // for each row: first its number of entries, later the output position of its next entry
} fill_rows_t;

static sli_status_t *count_rows(fill_rows_t *fill) {
  const int64_t *indices = SLI_DATA(int64_t, fill->input.indices);
  for (int64_t i = 0; i < fill->input.count; i++) {
    int64_t row = indices[i * fill->input.rank];
    if (row < 0 || row >= fill->rows)
      return sli_status_make(SLI_INVALID_ARGUMENT, "indices(%lld, 0) is invalid: %lld >= %lld", (long long)i,
                             (long long)row, (long long)fill->rows);
    fill->next[row]++;
  }
  return NULL;
}

static sli_status_t *fill_rows(sli_kernel_context_t *context, fill_rows_t *fill) {
  SLI_RETURN_IF_ERROR(count_rows(fill));
  sli_tensor_t *indices, *values, *is_empty, *reverse;
  int rank = fill->input.rank;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(fill->rows), &is_empty));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 3, SLI_SHAPE(fill->input.count), &reverse));
  int64_t total = 0;
  for (int64_t row = 0; row < fill->rows; row++) {
    int64_t own = fill->next[row];
    SLI_DATA(bool, is_empty)[row] = own == 0;
    fill->next[row] = total;
    total += own ? own : 1;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(total, rank), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(total), &values));
  sli_dtype_t dtype = (sli_dtype_t)values->dtype;
  int64_t *to = indices->data;
  for (int64_t row = 0; row < fill->rows; row++) {
    if (!SLI_DATA(bool, is_empty)[row]) continue;
    int64_t at = fill->next[row];
    for (int d = 0; d < rank; d++) to[at * rank + d] = d ? 0 : row;
    sli_elements_copy(dtype, sli_tensor_at(values, at), sli_kernel_input(context, 3)->data, 1);
  }
  const int64_t *from = SLI_DATA(int64_t, fill->input.indices);
  for (int64_t i = 0; i < fill->input.count; i++) {
    int64_t at = fill->next[from[i * rank]]++;
    for (int d = 0; d < rank; d++) to[at * rank + d] = from[i * rank + d];
    sli_elements_copy(dtype, sli_tensor_at(values, at), sli_tensor_at(fill->input.values, i), 1);
    SLI_DATA(int64_t, reverse)[i] = at;
  }
  return NULL;
}

static sli_status_t *fill_compute(sli_kernel_context_t *context) {
  fill_rows_t fill = {0};
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &fill.input));
  const sli_tensor_t *fallback = sli_kernel_input(context, 3);
  if (fallback->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "default_value must be a scalar, saw: %s",
                           sli_tensor_shape_text(fallback).text);
  if (fill.input.rank == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Dense shape cannot be empty.");
  fill.rows = SLI_DATA(int64_t, fill.input.shape)[0];
  if (fill.rows < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "dense_shape[0] must not be negative: %lld", (long long)fill.rows);
  if (fill.rows == 0 && fill.input.count > 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = %lld",
                           (long long)fill.input.count);
  if (fill.rows < INT64_MAX / (int64_t)sizeof(*fill.next))
    fill.next = sli_malloc_or_null((size_t)(fill.rows + 1) * sizeof(*fill.next));
  if (!fill.next) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for %lld rows", (long long)fill.rows);
  memset(fill.next, 0, (size_t)(fill.rows + 1) * sizeof(*fill.next));
  sli_status_t *status = fill_rows(context, &fill);
  free(fill.next);
  return status;
}

static sli_status_t *fill_shape(sli_infer_context_t *c) {
  sli_shape_t indices, values, shape, unused, dense;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &indices));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &values));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &shape));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &unused));
  int64_t count, rank;
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(indices, 0), sli_infer_dim(values, 0), &count));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(indices, 1), sli_infer_dim(shape, 0), &rank));
  if (rank == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "dense_shape must not be empty");
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 2, &dense));
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, rank}));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 2, sli_infer_make(c, 1, (int64_t[]){dense.rank > 0 ? dense.dims[0] : -1}));
  sli_infer_set_output(c, 3, sli_infer_make(c, 1, (int64_t[]){count}));
  return NULL;
}

static sli_status_t *fill_gradient(sli_gradient_builder_t *b) {
  sli_output_t d_values =
      SLI_EMIT(b, "SparseFillEmptyRowsGrad", SLI_INPUTS(sli_gradient_output(b, 3), sli_gradient_of_output(b, 1)));
  sli_gradient_set(b, 1, d_values);
  sli_gradient_set(b, 3, sli_output_at(d_values, 1));
  return NULL;
}

sli_status_t *sli_sparse_fill_grad_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *reverse = sli_kernel_input(context, 0), *gradient = sli_kernel_input(context, 1);
  sli_tensor_t *values, *fallback;
  if (reverse->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "reverse_index_map must be a vector, saw: %s",
                           sli_tensor_shape_text(reverse).text);
  if (gradient->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "grad_values must be a vector, saw: %s",
                           sli_tensor_shape_text(gradient).text);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(reverse->count), &values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE_SCALAR, &fallback));
  sli_dtype_t dtype = (sli_dtype_t)gradient->dtype;
  bool *is_taken = sli_calloc((size_t)gradient->count + 1, sizeof(*is_taken));
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < reverse->count && !status; i++) {
    int64_t at = SLI_DATA(int64_t, reverse)[i];
    if (at < 0 || at >= gradient->count) {
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Elements in reverse index must be in [0, %lld) but got %lld",
                               (long long)gradient->count, (long long)at);
    } else {
      is_taken[at] = true;
      sli_elements_copy(dtype, sli_tensor_at(values, i), sli_tensor_at(gradient, at), 1);
    }
  }
  sli_elements_clear(dtype, fallback->data, 1);
  for (int64_t i = 0; i < gradient->count && !status; i++) {
    if (!is_taken[i]) sli_accumulate(SLI_ACCUMULATE_ADD, dtype, fallback->data, sli_tensor_at(gradient, i), 1, 1);
  }
  free(is_taken);
  return status;
}

sli_status_t *sli_sparse_fill_grad_shape(sli_infer_context_t *c) {
  sli_shape_t reverse, unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &reverse));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &unused));
  sli_infer_set_output(c, 0, reverse);
  sli_infer_set_output(c, 1, SLI_SHAPE_SCALAR);
  return NULL;
}

// --- SparseReshape -------------------------------------------------------------------------------

// Replaces the -1 in the new shape |dims|.
static sli_status_t *complete_shape(const int64_t *old_dims, int old_rank, int64_t *dims, int rank) {
  int64_t elements = sli_shape_count((sli_shape_t){old_rank, old_dims}), product = 1;
  int unknown = -1;
  if (elements < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The input's shape has negative or too large dimensions");
  for (int d = 0; d < rank; d++) {
    if (dims[d] == -1 && unknown >= 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "only one output dimension may be -1, not both %d and %d", unknown,
                             d);
    if (dims[d] == -1)
      unknown = d;
    else if (dims[d] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "size %d must be non-negative, not %lld", d, (long long)dims[d]);
    else if (__builtin_mul_overflow(product, dims[d], &product))
      return sli_status_make(SLI_INVALID_ARGUMENT, "The new shape has too many elements");
  }
  if (unknown >= 0) {
    if (product == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "reshape cannot infer the missing input size for an empty tensor unless all specified "
                             "input sizes are non-zero");
    dims[unknown] = elements / product;
    if (dims[unknown] * product != elements)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Input to reshape is a SparseTensor with %lld dense values, but the requested shape "
                             "requires a multiple of %lld. input_shape=%s output_shape=%s",
                             (long long)elements, (long long)product,
                             sli_shape_text((sli_shape_t){old_rank, old_dims}).text,
                             sli_shape_text((sli_shape_t){rank, dims}).text);
    return NULL;
  }
  if (product == elements) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Input to reshape is a tensor with %lld dense values, but the requested shape has %lld. "
                         "input_shape=%s output_shape=%s",
                         (long long)elements, (long long)product,
                         sli_shape_text((sli_shape_t){old_rank, old_dims}).text,
                         sli_shape_text((sli_shape_t){rank, dims}).text);
}

static sli_status_t *reshape_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *indices = sli_kernel_input(context, 0);
  int64_t old_dims[SLI_MAX_RANK], dims[SLI_MAX_RANK];
  int old_rank, rank;
  if (indices->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input indices should be a matrix but received shape %s",
                           sli_tensor_shape_text(indices).text);
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 1, "Input shape", old_dims, SLI_MAX_RANK, &old_rank));
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 2, "Target shape", dims, SLI_MAX_RANK, &rank));
  if (indices->dims[1] != old_rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input tensor rank must match input shape length.");
  SLI_RETURN_IF_ERROR(complete_shape(old_dims, old_rank, dims, rank));
  sli_kernel_set_output(context, 1, sli_tensor_vector_int64(dims, rank));
  if (sli_shape_equal((sli_shape_t){rank, dims}, (sli_shape_t){old_rank, old_dims})) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(sli_kernel_input(context, 0)));
    return NULL;
  }
  sli_tensor_t *output;
  int64_t count = indices->dims[0];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(count, rank), &output));
  if (count && rank && !sli_shape_product(dims, 0, rank))
    return sli_status_make(SLI_INVALID_ARGUMENT, "A tensor without elements cannot have %lld values", (long long)count);
  // Indices beyond the shape are moved like others: feature columns make them, and TensorFlow takes them.
  for (int64_t i = 0; i < count; i++) {
    uint64_t wrapped = 0;
    for (int d = 0; d < old_rank; d++)
      wrapped = wrapped * (uint64_t)old_dims[d] + (uint64_t)SLI_DATA(int64_t, indices)[i * old_rank + d];
    int64_t offset = (int64_t)wrapped;
    for (int d = rank - 1; d > 0; d--) {
      SLI_DATA(int64_t, output)[i * rank + d] = offset % dims[d];
      offset /= dims[d];
    }
    if (rank) SLI_DATA(int64_t, output)[i * rank] = offset;
  }
  return NULL;
}

static sli_status_t *reshape_shape(sli_infer_context_t *c) {
  sli_shape_t indices, unused, target;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &indices));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &target));
  int64_t rank = sli_infer_dim(target, 0);
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){sli_infer_dim(indices, 0), rank}));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, (int64_t[]){rank}));
  return NULL;
}

// --- SparseReorder ---------------------------------------------------------------------------------

static sli_status_t *reorder_compute(sli_kernel_context_t *context) {
  sli_sparse_t input;
  sli_tensor_t *indices, *values;
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input.indices), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, sli_tensor_shape(input.values), &values));
  sli_sparse_place_t *places = sli_malloc((size_t)(input.count + 1) * sizeof(*places));
  for (int64_t i = 0; i < input.count; i++)
    places[i] = (sli_sparse_place_t){SLI_DATA(int64_t, input.indices) + i * input.rank, i, input.rank};
  sli_sparse_sort(places, input.count);
  for (int64_t i = 0; i < input.count; i++) {
    if (input.rank)
      memcpy(SLI_DATA(int64_t, indices) + i * input.rank, places[i].index, (size_t)input.rank * sizeof(int64_t));
    sli_elements_copy(values->dtype, sli_tensor_at(values, i), sli_tensor_at(input.values, places[i].row), 1);
  }
  free(places);
  return NULL;
}

static sli_status_t *reorder_shape(sli_infer_context_t *c) {
  sli_shape_t indices, values, unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &indices));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &values));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &unused));
  sli_infer_set_output(c, 0, indices);
  sli_infer_set_output(c, 1, values);
  return NULL;
}

// Reorders the numbers of the entries in the same way, inverts that permutation and gathers the gradients with it.
static sli_status_t *reorder_gradient(sli_gradient_builder_t *b) {
  sli_output_t indices = sli_gradient_input(b, 0), shape = sli_gradient_input(b, 2);
  sli_output_t zero = sli_gradient_const_int32(b, 0), one = sli_gradient_const_int32(b, 1);
  sli_output_t numbers = SLI_EMIT(b, "Range", SLI_INPUTS(zero, sli_sparse_emit_rows(b, indices), one));
  sli_output_t ordered = SLI_EMIT(b, "SparseReorder", SLI_INPUTS(indices, numbers, shape));
  sli_output_t inverse = SLI_EMIT(b, "InvertPermutation", SLI_INPUTS(sli_output_at(ordered, 1)));
  sli_gradient_set(b, 1, SLI_EMIT(b, "GatherV2", SLI_INPUTS(sli_gradient_of_output(b, 1), inverse, zero)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "SparseFillEmptyRows",
        .inputs = "indices: int64, values: T, dense_shape: int64, default_value: T",
        .outputs = "output_indices: int64, output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
        .attrs = "T: type",
        .summary = "Fills the empty rows of a sparse tensor with a default value.",
        .shape = fill_shape,
        .gradient = fill_gradient,
    },
    {
        .name = "SparseFillEmptyRowsGrad",
        .inputs = "reverse_index_map: int64, grad_values: T",
        .outputs = "d_values: T, d_default_value: T",
        .attrs = "T: type",
        .summary = "The gradient of SparseFillEmptyRows.",
        .shape = sli_sparse_fill_grad_shape,
    },
    {
        .name = "SparseReshape",
        .inputs = "input_indices: int64, input_shape: int64, new_shape: int64",
        .outputs = "output_indices: int64, output_shape: int64",
        .summary = "Reshapes a sparse tensor.",
        .shape = reshape_shape,
    },
    {
        .name = "SparseReorder",
        .inputs = "input_indices: int64, input_values: T, input_shape: int64",
        .outputs = "output_indices: int64, output_values: T",
        .attrs = "T: type",
        .summary = "Sorts the entries of a sparse tensor by index.",
        .shape = reorder_shape,
        .gradient = reorder_gradient,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseFillEmptyRows", .types = SLI_TYPES_COMMON, .compute = fill_compute},
    {.op = "SparseFillEmptyRowsGrad", .types = SLI_TYPES_NUMBER, .compute = sli_sparse_fill_grad_compute},
    {.op = "SparseReshape", .compute = reshape_compute},
    {.op = "SparseReorder", .types = SLI_TYPES_COMMON, .compute = reorder_compute},
};
SLI_OP_MODULE(sparse_rows);
