// SparseSlice and its gradient; SparseSoftmax; SparseDenseCwiseAdd, SparseDenseCwiseMul, SparseDenseCwiseDiv: ops on
// the entries of one sparse tensor.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/emit.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"
#include "ops/sparse/sparse.h"

// --- SparseSlice ---------------------------------------------------------------------------------

static bool is_inside(const int64_t *index, const int64_t *start, const int64_t *end, int rank) {
  for (int d = 0; d < rank; d++)
    if (index[d] < start[d] || index[d] >= end[d]) return false;
  return true;
}

static sli_status_t *slice_bounds(sli_kernel_context_t *context, const sli_sparse_t *input, int64_t *end,
                                  int64_t *dims) {
  const sli_tensor_t *start = sli_kernel_input(context, 3), *size = sli_kernel_input(context, 4);
  if (start->rank != 1 || start->count != input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected start to be a vector of length %d but got length %lld",
                           input->rank, (long long)start->count);
  if (size->rank != 1 || size->count != input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected size to be a vector of length %d but got length %lld",
                           input->rank, (long long)size->count);
  for (int d = 0; d < input->rank; d++) {
    int64_t first = SLI_DATA(int64_t, start)[d], count = SLI_DATA(int64_t, size)[d];
    int64_t limit = SLI_DATA(int64_t, input->shape)[d];
    if (count < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "size must not be negative, got %lld at dimension %d",
                             (long long)count, d);
    if (first > limit) first = limit;
    // A start before the tensor's moves its entries.
    bool is_cut = first >= 0 && limit - first < count;
    dims[d] = is_cut ? limit - first : count;
    if (__builtin_add_overflow(first, dims[d], &end[d])) end[d] = INT64_MAX;
  }
  return NULL;
}

static sli_status_t *slice_compute(sli_kernel_context_t *context) {
  sli_sparse_t input;
  int64_t end[SLI_MAX_RANK], dims[SLI_MAX_RANK], count = 0, at = 0;
  sli_tensor_t *indices, *values, *shape;
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(slice_bounds(context, &input, end, dims));
  const int64_t *start = SLI_DATA(int64_t, sli_kernel_input(context, 3));
  const int64_t *from = SLI_DATA(int64_t, input.indices);
  int rank = input.rank;
  for (int64_t i = 0; i < input.count; i++) count += is_inside(from + i * rank, start, end, rank);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(count, rank), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(count), &values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(rank), &shape));
  if (rank) memcpy(shape->data, dims, (size_t)rank * sizeof(dims[0]));
  for (int64_t i = 0; i < input.count; i++) {
    if (!is_inside(from + i * rank, start, end, rank)) continue;
    for (int d = 0; d < rank; d++) SLI_DATA(int64_t, indices)[at * rank + d] = from[i * rank + d] - start[d];
    sli_elements_copy((sli_dtype_t)values->dtype, sli_tensor_at(values, at++), sli_tensor_at(input.values, i), 1);
  }
  return NULL;
}

static sli_status_t *slice_shape(sli_infer_context_t *c) {
  sli_shape_t shape = sli_infer_input(c, 2);
  int64_t rank = sli_infer_dim(shape, 0);
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, rank}));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 2, shape);
  return NULL;
}

static sli_status_t *slice_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 1,
                   SLI_EMIT(b, "SparseSliceGrad",
                            SLI_INPUTS(sli_gradient_of_output(b, 1), sli_gradient_input(b, 0), sli_gradient_input(b, 3),
                                       sli_gradient_output(b, 0))));
  return NULL;
}

static sli_status_t *check_slice_grad(sli_kernel_context_t *context) {
  const sli_tensor_t *gradient = sli_kernel_input(context, 0), *in = sli_kernel_input(context, 1);
  const sli_tensor_t *start = sli_kernel_input(context, 2), *out = sli_kernel_input(context, 3);
  if (in->rank != 2 || out->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input and output indices should be matrices but received shapes: %s and %s",
                           sli_tensor_shape_text(in).text, sli_tensor_shape_text(out).text);
  if (gradient->rank != 1 || gradient->count != out->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "# elements in backprop_val_grad and # rows in output_indices should match "
                           "(#nnz of sum): got %lld and %lld",
                           (long long)gradient->count, (long long)out->dims[0]);
  if (in->dims[1] != out->dims[1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "The input and output should have the same ndims: got: %lld and %lld",
                           (long long)in->dims[1], (long long)out->dims[1]);
  if (start->rank != 1 || start->count != in->dims[1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected start to be a vector of length %lld but got shape %s",
                           (long long)in->dims[1], sli_tensor_shape_text(start).text);
  return NULL;
}

static sli_status_t *slice_grad_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *gradient = sli_kernel_input(context, 0), *in = sli_kernel_input(context, 1);
  const sli_tensor_t *out = sli_kernel_input(context, 3);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(check_slice_grad(context));
  const int64_t *start = SLI_DATA(int64_t, sli_kernel_input(context, 2));
  int rank = (int)in->dims[1];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(in->dims[0]), &output));
  sli_elements_clear((sli_dtype_t)output->dtype, output->data, output->count);
  // Both are in the same order.
  for (int64_t i = 0, k = 0; i < in->dims[0] && k < out->dims[0]; i++) {
    bool same = true;
    for (int d = 0; d < rank; d++)
      same = same && SLI_DATA(int64_t, in)[i * rank + d] - start[d] == SLI_DATA(int64_t, out)[k * rank + d];
    if (same) sli_elements_copy((sli_dtype_t)output->dtype, sli_tensor_at(output, i), sli_tensor_at(gradient, k++), 1);
  }
  return NULL;
}

static sli_status_t *slice_grad_shape(sli_infer_context_t *c) {
  sli_shape_t indices;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &indices));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){sli_infer_dim(indices, 0)}));
  return NULL;
}

// --- SparseSoftmax -------------------------------------------------------------------------------

static double value_at(const sli_tensor_t *values, int64_t i) {
  float wide;
  if (values->dtype == SLI_DTYPE_DOUBLE) return SLI_DATA(double, values)[i];
  if (values->dtype == SLI_DTYPE_FLOAT) return (double)SLI_DATA(float, values)[i];
  sli_half_widen((sli_dtype_t)values->dtype, SLI_DATA(uint16_t, values) + i, &wide, 1);
  return (double)wide;
}

static void put_value(sli_tensor_t *values, int64_t i, double value) {
  float narrow = (float)value;
  if (values->dtype == SLI_DTYPE_DOUBLE)
    SLI_DATA(double, values)[i] = value;
  else if (values->dtype == SLI_DTYPE_FLOAT)
    SLI_DATA(float, values)[i] = narrow;
  else
    sli_half_narrow((sli_dtype_t)values->dtype, &narrow, SLI_DATA(uint16_t, values) + i, 1);
}

static sli_status_t *softmax_compute(sli_kernel_context_t *context) {
  sli_sparse_t input;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &input));
  if (input.rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input should have rank >= 2, but received shape: %s",
                           sli_tensor_shape_text(input.shape).text);
  SLI_RETURN_IF_ERROR(sli_sparse_check_size(&input));
  SLI_RETURN_IF_ERROR(sli_sparse_check_indices(input.indices, input.shape, false));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(input.count), &output));
  const int64_t *indices = SLI_DATA(int64_t, input.indices);
  size_t leading = (size_t)(input.rank - 1) * sizeof(int64_t);
  for (int64_t first = 0, end; first < input.count; first = end) {
    double largest = value_at(input.values, first), sum = 0;
    for (end = first + 1; end < input.count; end++) {
      if (memcmp(indices + first * input.rank, indices + end * input.rank, leading) != 0) break;
      if (value_at(input.values, end) > largest) largest = value_at(input.values, end);
    }
    for (int64_t i = first; i < end; i++) sum += exp(value_at(input.values, i) - largest);
    for (int64_t i = first; i < end; i++) put_value(output, i, exp(value_at(input.values, i) - largest) / sum);
  }
  return NULL;
}

static sli_status_t *softmax_shape(sli_infer_context_t *c) {
  sli_shape_t unused, values;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &values));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &unused));
  sli_infer_set_output(c, 0, values);
  return NULL;
}

static sli_status_t *softmax_gradient(sli_gradient_builder_t *b) {
  sli_output_t indices = sli_gradient_input(b, 0), shape = sli_gradient_input(b, 2), y = sli_gradient_output(b, 0);
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  sli_output_t sum = SLI_EMIT_WITH(
      b, "SparseReduceSum",
      SLI_INPUTS(indices, sli_emit_mul(b, y, gradient), shape, sli_gradient_const_ints(b, (int32_t[]){-1}, 1)),
      SLI_ATTRS(SLI_ATTR_BOOL_OF("keep_dims", true)));
  sli_output_t difference =
      SLI_EMIT(b, "SparseDenseCwiseAdd", SLI_INPUTS(indices, gradient, shape, sli_emit1(b, "Neg", sum)));
  sli_gradient_set(b, 1, sli_emit_mul(b, difference, y));
  return NULL;
}

// --- With a dense tensor -------------------------------------------------------------------------

static sli_status_t *check_cwise(const sli_sparse_t *input, const sli_tensor_t *dense) {
  bool fits = dense->rank <= input->rank;
  for (int d = 0; fits && d < dense->rank; d++) {
    int64_t wide = SLI_DATA(int64_t, input->shape)[input->rank - dense->rank + d];
    fits = dense->dims[d] == wide || dense->dims[d] == 1;
  }
  if (fits) return NULL;
  sli_shape_t shape = {input->rank, SLI_DATA(int64_t, input->shape)};
  return sli_status_make(
      SLI_INVALID_ARGUMENT,
      "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: %s vs. %s",
      sli_shape_text(shape).text, sli_tensor_shape_text(dense).text);
}

static sli_status_t *cwise(sli_kernel_context_t *context, sli_accumulate_op_t op) {
  sli_sparse_t input;
  const sli_tensor_t *dense = sli_kernel_input(context, 3);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_sparse_check_bounds(&input));
  SLI_RETURN_IF_ERROR(check_cwise(&input, dense));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(input.count), &output));
  sli_dtype_t dtype = (sli_dtype_t)output->dtype;
  sli_elements_copy(dtype, output->data, input.values->data, input.count);
  for (int64_t i = 0; i < input.count; i++) {
    const int64_t *index = SLI_DATA(int64_t, input.indices) + i * input.rank + (input.rank - dense->rank);
    int64_t at = 0;
    for (int d = 0; d < dense->rank; d++) at = at * dense->dims[d] + (dense->dims[d] == 1 ? 0 : index[d]);
    sli_accumulate(op, dtype, sli_tensor_at(output, i), sli_tensor_at(dense, at), 1, 1);
  }
  return NULL;
}

static sli_status_t *cwise_add_compute(sli_kernel_context_t *context) { return cwise(context, SLI_ACCUMULATE_ADD); }
static sli_status_t *cwise_mul_compute(sli_kernel_context_t *context) { return cwise(context, SLI_ACCUMULATE_MUL); }
static sli_status_t *cwise_div_compute(sli_kernel_context_t *context) { return cwise(context, SLI_ACCUMULATE_DIV); }

static sli_status_t *cwise_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &unused));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){sli_infer_dim(sli_infer_input(c, 0), 0)}));
  return NULL;
}

static sli_status_t *cwise_add_gradient(sli_gradient_builder_t *b) {
  return sli_status_make(SLI_UNIMPLEMENTED, "Gradient for SparseDenseCwiseAdd is currently not implemented yet.");
}

// The indices into the dense tensor, where a dimension that was broadcast is 0.
static sli_output_t emit_dense_indices(sli_gradient_builder_t *b, sli_output_t *out_shape) {
  sli_output_t indices = sli_gradient_input(b, 0), shape = sli_gradient_input(b, 2), dense = sli_gradient_input(b, 3);
  sli_output_t own =
      SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(dense), SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", SLI_DTYPE_INT64)));
  sli_output_t added =
      sli_emit2(b, "ExpandDims", sli_emit2(b, "Sub", sli_emit1(b, "Size", shape), sli_emit1(b, "Size", own)),
                sli_gradient_const_int32(b, 0));
  sli_output_t ones = sli_emit2(b, "Fill", added, sli_gradient_const(b, sli_tensor_scalar_int64(1)));
  sli_output_t wide = SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(ones, own, sli_gradient_const_int32(b, 0)),
                                    SLI_ATTRS(SLI_ATTR_INT_OF("N", 2), SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT64)));
  sli_output_t scaled = sli_emit2(b, "FloorDiv", indices, sli_emit2(b, "FloorDiv", shape, wide));
  sli_output_t begin = SLI_EMIT_WITH(
      b, "ConcatV2", SLI_INPUTS(sli_gradient_const_ints(b, (int32_t[]){0}, 1), added, sli_gradient_const_int32(b, 0)),
      SLI_ATTRS(SLI_ATTR_INT_OF("N", 2), SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT32)));
  *out_shape = own;
  return sli_emit3(b, "Slice", scaled, begin, sli_gradient_const_ints(b, (int32_t[]){-1, -1}, 2));
}

static sli_status_t *cwise_scale_gradient(sli_gradient_builder_t *b, bool is_mul) {
  sli_output_t shape, places = emit_dense_indices(b, &shape), dense = sli_gradient_input(b, 3);
  sli_output_t values = sli_gradient_input(b, 1), gradient = sli_gradient_of_output(b, 0);
  sli_output_t others = sli_emit2(b, "GatherNd", dense, places), change;
  if (is_mul) {
    sli_gradient_set(b, 1, sli_emit_mul(b, gradient, others));
    change = sli_emit_mul(b, gradient, values);
  } else {
    sli_gradient_set(b, 1, sli_emit2(b, "RealDiv", gradient, others));
    sli_output_t slope = sli_emit2(b, "RealDiv", sli_emit1(b, "Neg", values), sli_emit1(b, "Square", others));
    change = sli_emit_mul(b, gradient, slope);
  }
  sli_gradient_set(
      b, 3, SLI_EMIT(b, "SparseTensorDenseAdd", SLI_INPUTS(places, change, shape, sli_emit1(b, "ZerosLike", dense))));
  return NULL;
}

static sli_status_t *cwise_mul_gradient(sli_gradient_builder_t *b) { return cwise_scale_gradient(b, true); }
static sli_status_t *cwise_div_gradient(sli_gradient_builder_t *b) { return cwise_scale_gradient(b, false); }

#define NUMBERS                                                                                                     \
  "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, " \
  "uint16, complex128, half, uint32, uint64}"
#define CWISE(op, text, slope)                                                                                       \
  {                                                                                                                  \
    .name = op, .inputs = "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T", .outputs = "output: T",      \
    .attrs = "T: " NUMBERS, .summary = text " a dense tensor, which is broadcast; the result has the same indices.", \
    .shape = cwise_shape, .gradient = slope                                                                          \
  }

static const sli_op_def_t ops[] = {
    {.name = "SparseSlice",
     .inputs = "indices: int64, values: T, shape: int64, start: int64, size: int64",
     .outputs = "output_indices: int64, output_values: T, output_shape: int64",
     .attrs = "T: type",
     .summary = "A part of a sparse tensor.",
     .shape = slice_shape,
     .gradient = slice_gradient},
    {.name = "SparseSliceGrad",
     .inputs = "backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64",
     .outputs = "val_grad: T",
     .attrs = "T: " NUMBERS,
     .summary = "The gradient of SparseSlice.",
     .shape = slice_grad_shape},
    {.name = "SparseSoftmax",
     .inputs = "sp_indices: int64, sp_values: T, sp_shape: int64",
     .outputs = "output: T",
     .attrs = "T: {half, float, double}",
     .summary = "Softmax over the entries of each row of a sparse tensor.",
     .shape = softmax_shape,
     .gradient = softmax_gradient},
    CWISE("SparseDenseCwiseAdd", "Adds to the entries of a sparse tensor", cwise_add_gradient),
    CWISE("SparseDenseCwiseMul", "Multiplies the entries of a sparse tensor by", cwise_mul_gradient),
    CWISE("SparseDenseCwiseDiv", "Divides the entries of a sparse tensor by", cwise_div_gradient),
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseSlice", .types = SLI_TYPES_COMMON, .compute = slice_compute},
    {.op = "SparseSliceGrad", .types = SLI_TYPES_NUMBER, .compute = slice_grad_compute},
    {.op = "SparseSoftmax", .types = SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, .compute = softmax_compute},
    {.op = "SparseDenseCwiseAdd", .types = SLI_TYPES_REAL, .compute = cwise_add_compute},
    {.op = "SparseDenseCwiseMul", .types = SLI_TYPES_REAL, .compute = cwise_mul_compute},
    {.op = "SparseDenseCwiseDiv", .types = SLI_TYPES_REAL, .compute = cwise_div_compute},
};
SLI_OP_MODULE(sparse_slice);
