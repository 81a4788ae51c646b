// SparseToDense, SparseReduceSum: ops from sparse tensors to dense tensors.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"
#include "ops/sparse/sparse.h"

// --- SparseToDense -------------------------------------------------------------------------

typedef struct {
  const sli_tensor_t *indices, *values;
  int64_t dims[SLI_MAX_RANK], count;
  int rank;
} dense_request_t;

static sli_status_t *read_dense_request(const sli_kernel_context_t *context, dense_request_t *r) {
  *r = (dense_request_t){.indices = sli_kernel_input(context, 0), .values = sli_kernel_input(context, 2)};
  const sli_tensor_t *shape = sli_kernel_input(context, 1);
  if (r->indices->rank > 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "sparse_indices should be a scalar, vector, or matrix, got shape %s",
                           sli_tensor_shape_text(r->indices).text);
  if (shape->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output_shape must be rank 1, got shape %s",
                           sli_tensor_shape_text(shape).text);
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 1, "output_shape", r->dims, SLI_MAX_RANK, &r->rank));
  r->count = r->indices->rank > 0 ? r->indices->dims[0] : 1;
  int64_t width = r->indices->rank > 1 ? r->indices->dims[1] : 1;
  if (shape->count != width)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output_shape has incorrect number of elements: %lld should be: %lld",
                           (long long)shape->count, (long long)width);
  if (r->values->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "sparse_values has incorrect shape %s, should be [] or [%lld]",
                           sli_tensor_shape_text(r->values).text, (long long)r->count);
  if (r->values->rank == 1 && r->values->count != r->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "sparse_values has incorrect shape [%lld], should be [] or [%lld]",
                           (long long)r->values->count, (long long)r->count);
  if (sli_kernel_input(context, 3)->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "default_value should be a scalar.");
  return NULL;
}

static void append_index(sli_string_t *text, const dense_request_t *r, int64_t row) {
  for (int d = 0; d < r->rank; d++)
    sli_string_append_format(text, "%s%lld", d ? "," : "", (long long)sli_tensor_int_at(r->indices, row * r->rank + d));
}

static sli_status_t *bad_index(const dense_request_t *r, int64_t row, const char *what, const char *more) {
  sli_string_t index = {0};
  append_index(&index, r, row);
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "indices[%lld] = [%s] is %s%s", (long long)row,
                                         sli_string_text(&index), what, more);
  sli_string_deinitialize(&index);
  return status;
}

// The offset of index row |row| in the dense tensor; -1 if it is out of bounds. |*out_order| is positive, 0 or negative
// if the row is greater than, equal to or less than the row before.
static int64_t offset_of(const dense_request_t *r, int64_t row, int *out_order) {
  int64_t offset = 0;
  *out_order = 0;
  for (int d = 0; d < r->rank; d++) {
    int64_t index = sli_tensor_int_at(r->indices, row * r->rank + d);
    if (index < 0 || index >= r->dims[d]) return -1;
    offset = offset * r->dims[d] + index;
    if (row > 0 && *out_order == 0) {
      int64_t before = sli_tensor_int_at(r->indices, (row - 1) * r->rank + d);
      *out_order = (index > before) - (index < before);
    }
  }
  return offset;
}

static sli_status_t *to_dense_compute(sli_kernel_context_t *context) {
  dense_request_t r;
  bool validate;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "validate_indices", &validate));
  SLI_RETURN_IF_ERROR(read_dense_request(context, &r));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){r.rank, r.dims}, &output));
  sli_dtype_t dtype = (sli_dtype_t)output->dtype;
  sli_elements_fill(dtype, output->data, sli_kernel_input(context, 3)->data, output->count);
  for (int64_t i = 0; i < r.count; i++) {
    int order;
    int64_t offset = offset_of(&r, i, &order);
    if (offset < 0)
      return bad_index(&r, i, "out of bounds: need 0 <= index < ", sli_shape_text((sli_shape_t){r.rank, r.dims}).text);
    if (validate && i > 0 && order < 0)
      return bad_index(&r, i, "out of order. Many sparse ops require sorted indices.\n",
                       "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n");
    if (validate && i > 0 && order == 0) return bad_index(&r, i, "repeated", "");
    sli_elements_copy(dtype, sli_tensor_at(output, offset), sli_tensor_at(r.values, r.values->rank ? i : 0), 1);
  }
  return NULL;
}

static sli_status_t *to_dense_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 1, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_output_t emit_sum_of_all(sli_gradient_builder_t *b, sli_output_t x) {
  sli_output_t rank = SLI_EMIT(b, "Rank", SLI_INPUTS(x));
  sli_output_t axes =
      SLI_EMIT(b, "Range", SLI_INPUTS(sli_gradient_const_int32(b, 0), rank, sli_gradient_const_int32(b, 1)));
  return SLI_EMIT(b, "Sum", SLI_INPUTS(x, axes));
}

static sli_status_t *to_dense_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  sli_output_t values = SLI_EMIT(b, "GatherNd", SLI_INPUTS(gradient, sli_gradient_input(b, 0)));
  sli_gradient_set(b, 2, values);
  sli_gradient_set(b, 3, SLI_EMIT(b, "Sub", SLI_INPUTS(emit_sum_of_all(b, gradient), emit_sum_of_all(b, values))));
  return NULL;
}

// --- SparseReduceSum ---------------------------------------------------------------------------

static sli_status_t *read_axes(const sli_kernel_context_t *context, int rank, bool *is_reduced) {
  const sli_tensor_t *axes = sli_kernel_input(context, 3);
  for (int d = 0; d < rank; d++) is_reduced[d] = false;
  for (int64_t i = 0; i < axes->count; i++) {
    int32_t axis = SLI_DATA(int32_t, axes)[i];
    if (axis < -rank || axis >= rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid reduction dimension %d, for input with %d dimensions.",
                             axis, rank);
    is_reduced[axis < 0 ? axis + rank : axis] = true;
  }
  return NULL;
}

static sli_status_t *reduce_sum_compute(sli_kernel_context_t *context) {
  sli_sparse_t input;
  bool keep_dims, is_reduced[SLI_MAX_RANK];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "keep_dims", &keep_dims));
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_sparse_check_size(&input));
  SLI_RETURN_IF_ERROR(sli_sparse_check_bounds(&input));
  SLI_RETURN_IF_ERROR(read_axes(context, input.rank, is_reduced));
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  for (int d = 0; d < input.rank; d++) {
    if (!is_reduced[d])
      dims[rank++] = SLI_DATA(int64_t, input.shape)[d];
    else if (keep_dims)
      dims[rank++] = 1;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  sli_dtype_t dtype = (sli_dtype_t)output->dtype;
  sli_elements_clear(dtype, output->data, output->count);
  for (int64_t i = 0; i < input.count; i++) {
    int64_t offset = 0;
    for (int d = 0; d < input.rank; d++) {
      if (!is_reduced[d])
        offset = offset * SLI_DATA(int64_t, input.shape)[d] + SLI_DATA(int64_t, input.indices)[i * input.rank + d];
    }
    sli_accumulate(SLI_ACCUMULATE_ADD, dtype, sli_tensor_at(output, offset), sli_tensor_at(input.values, i), 1, 1);
  }
  return NULL;
}

// The gradient of a value is the gradient of the sum to which it was added.
static sli_status_t *reduce_sum_gradient(sli_gradient_builder_t *b) {
  sli_output_t indices = sli_gradient_input(b, 0), shape = sli_gradient_input(b, 2), axes = sli_gradient_input(b, 3);
  sli_output_t zero = sli_gradient_const_int32(b, 0), one = sli_gradient_const_int32(b, 1);
  sli_output_t small =
      SLI_EMIT_WITH(b, "Cast", SLI_INPUTS(shape), SLI_ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_INT32)));
  sli_output_t rank = SLI_EMIT(b, "Size", SLI_INPUTS(small));
  sli_output_t wrapped = SLI_EMIT(b, "FloorMod", SLI_INPUTS(SLI_EMIT(b, "AddV2", SLI_INPUTS(axes, rank)), rank));
  sli_output_t ones = SLI_EMIT(b, "Fill", SLI_INPUTS(SLI_EMIT(b, "Shape", SLI_INPUTS(wrapped)), one));
  sli_output_t all = SLI_EMIT(b, "Range", SLI_INPUTS(zero, rank, one));
  sli_output_t kept =
      SLI_EMIT_WITH(b, "DynamicStitch", SLI_INPUTS(all, wrapped, small, ones), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t gradient = SLI_EMIT(b, "Reshape", SLI_INPUTS(sli_gradient_of_output(b, 0), kept));
  sli_output_t wide = SLI_EMIT_WITH(b, "Cast", SLI_INPUTS(kept), SLI_ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_INT64)));
  sli_output_t scale = SLI_EMIT(b, "FloorDiv", SLI_INPUTS(shape, wide));
  sli_gradient_set(b, 1,
                   SLI_EMIT(b, "GatherNd", SLI_INPUTS(gradient, SLI_EMIT(b, "FloorDiv", SLI_INPUTS(indices, scale)))));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "SparseToDense",
        .inputs = "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T",
        .outputs = "dense: T",
        .attrs = "validate_indices: bool = true; T: type; Tindices: {int32, int64}",
        .summary = "Creates a dense tensor with the given values at the given indices.",
        .shape = to_dense_shape,
        .gradient = to_dense_gradient,
    },
    {
        .name = "SparseReduceSum",
        .inputs = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32",
        .outputs = "output: T",
        .attrs = "keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, "
                 "quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
        .summary = "Sums a sparse tensor along axes; the result is dense.",
        .shape = sli_sparse_reduce_shape,
        .gradient = reduce_sum_gradient,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseToDense",
     .types = SLI_TYPES_POD | SLI_TYPE_STRING | SLI_TYPE_BIT(SLI_DTYPE_QINT8) | SLI_TYPE_BIT(SLI_DTYPE_QUINT8) |
              SLI_TYPE_BIT(SLI_DTYPE_QINT16) | SLI_TYPE_BIT(SLI_DTYPE_QUINT16),
     .host_memory = "output_shape",
     .compute = to_dense_compute},
    {.op = "SparseReduceSum",
     .types = SLI_TYPES_NUMBER,
     .host_memory = "reduction_axes",
     .compute = reduce_sum_compute},
};
SLI_OP_MODULE(sparse_to_dense);
