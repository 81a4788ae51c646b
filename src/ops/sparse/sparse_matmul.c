// SparseTensorDenseMatMul: a sparse matrix times a dense one. 16-bit floats are summed in float.
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/sparse/sparse.h"

typedef struct {
  sli_sparse_t a;
  const sli_tensor_t *b;
  bool adjoint_a, adjoint_b;
  int64_t rows, inner, columns;
} sparse_matmul_request_t;

static sli_status_t *read_matmul_request(const sli_kernel_context_t *context, sparse_matmul_request_t *r) {
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "adjoint_a", &r->adjoint_a));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "adjoint_b", &r->adjoint_b));
  r->b = sli_kernel_input(context, 3);
  if (r->b->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor 'b' is not a matrix");
  if (sli_kernel_input(context, 2)->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor 'a_shape' must have 2 elements");
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &r->a));
  const int64_t *shape = SLI_DATA(int64_t, r->a.shape);
  r->rows = shape[r->adjoint_a ? 1 : 0];
  r->inner = shape[r->adjoint_a ? 0 : 1];
  r->columns = r->b->dims[r->adjoint_b ? 0 : 1];
  int64_t inner_b = r->b->dims[r->adjoint_b ? 1 : 0];
  if (r->inner != inner_b)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Cannot multiply A and B because inner dimension does not match: %lld vs. %lld.  Did you "
                           "forget a transpose?  Dimensions of A: [%lld, %lld).  Dimensions of B: %s",
                           (long long)r->inner, (long long)inner_b, (long long)shape[0], (long long)shape[1],
                           sli_tensor_shape_text(r->b).text);
  for (int64_t i = 0; i < r->a.count; i++) {
    int64_t m = sli_tensor_int_at(r->a.indices, 2 * i + (r->adjoint_a ? 1 : 0));
    int64_t k = sli_tensor_int_at(r->a.indices, 2 * i + (r->adjoint_a ? 0 : 1));
    if (k < 0 || k >= r->inner)
      return sli_status_make(SLI_INVALID_ARGUMENT, "k (%lld) from index[%lld,%d] out of bounds (>=%lld)", (long long)k,
                             (long long)i, r->adjoint_a ? 0 : 1, (long long)r->inner);
    if (m < 0 || m >= r->rows)
      return sli_status_make(SLI_INVALID_ARGUMENT, "m (%lld) from index[%lld,%d] out of bounds (>=%lld)", (long long)m,
                             (long long)i, r->adjoint_a ? 1 : 0, (long long)r->rows);
  }
  return NULL;
}

// For each entry of the sparse matrix: out[m, :] += a · b[k, :]. |load| converts an element to |sum_type|; |conjugate|
// returns the conjugate of that.
#define DEFINE_MULTIPLY(name, type, sum_type, load, conjugate)                                           \
  static void name(const sparse_matmul_request_t *r, sum_type *out) {                                    \
    const type *values = SLI_DATA(type, r->a.values), *b = SLI_DATA(type, r->b);                         \
    for (int64_t i = 0; i < r->a.count; i++) {                                                           \
      int64_t m = sli_tensor_int_at(r->a.indices, 2 * i + (r->adjoint_a ? 1 : 0));                       \
      int64_t k = sli_tensor_int_at(r->a.indices, 2 * i + (r->adjoint_a ? 0 : 1));                       \
      sum_type value = load(values[i]), *row = out + m * r->columns;                                     \
      if (r->adjoint_a) value = conjugate(value);                                                        \
      if (r->adjoint_b) {                                                                                \
        for (int64_t n = 0; n < r->columns; n++) row[n] += value * conjugate(load(b[n * r->inner + k])); \
      } else {                                                                                           \
        for (int64_t n = 0; n < r->columns; n++) row[n] += value * load(b[k * r->columns + n]);          \
      }                                                                                                  \
    }                                                                                                    \
  }
#define SAME(x) (x)
DEFINE_MULTIPLY(multiply_float, float, float, SAME, SAME)
DEFINE_MULTIPLY(multiply_double, double, double, SAME, SAME)
DEFINE_MULTIPLY(multiply_int32, uint32_t, uint32_t, SAME, SAME)  // unsigned: overflow wraps
DEFINE_MULTIPLY(multiply_complex64, float complex, float complex, SAME, conjf)
DEFINE_MULTIPLY(multiply_complex128, double complex, double complex, SAME, conj)
DEFINE_MULTIPLY(multiply_half, sli_half_t, float, sli_half_to_float, SAME)
DEFINE_MULTIPLY(multiply_bfloat16, sli_bfloat16_t, float, sli_bfloat16_to_float, SAME)

static sli_status_t *multiply_small(const sparse_matmul_request_t *r, sli_tensor_t *output) {
  float *sums = sli_malloc_or_null((size_t)(output->count + 1) * sizeof(*sums));
  if (!sums) return sli_tensor_out_of_memory(SLI_DTYPE_FLOAT, sli_tensor_shape(output), "host");
  memset(sums, 0, (size_t)output->count * sizeof(*sums));
  if (output->dtype == SLI_DTYPE_HALF) {
    multiply_half(r, sums);
    for (int64_t i = 0; i < output->count; i++) SLI_DATA(sli_half_t, output)[i] = sli_half_from_float(sums[i]);
  } else {
    multiply_bfloat16(r, sums);
    for (int64_t i = 0; i < output->count; i++) SLI_DATA(sli_bfloat16_t, output)[i] = sli_bfloat16_from_float(sums[i]);
  }
  free(sums);
  return NULL;
}

static sli_status_t *matmul_compute(sli_kernel_context_t *context) {
  sparse_matmul_request_t r;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(read_matmul_request(context, &r));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(r.rows, r.columns), &output));
  if (output->count) memset(output->data, 0, sli_tensor_bytes(output));
  switch (output->dtype) {
    case SLI_DTYPE_FLOAT: multiply_float(&r, output->data); return NULL;
    case SLI_DTYPE_DOUBLE: multiply_double(&r, output->data); return NULL;
    case SLI_DTYPE_INT32: multiply_int32(&r, output->data); return NULL;
    case SLI_DTYPE_COMPLEX64: multiply_complex64(&r, output->data); return NULL;
    case SLI_DTYPE_COMPLEX128: multiply_complex128(&r, output->data); return NULL;
    default: return multiply_small(&r, output);
  }
}

static sli_status_t *matmul_shape(sli_infer_context_t *c) {
  bool adjoint_a, adjoint_b;
  sli_shape_t unused, a, b;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "adjoint_a", &adjoint_a));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "adjoint_b", &adjoint_b));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 2, &a));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, a, 2, &a));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 2, &b));
  int64_t inner;
  SLI_RETURN_IF_ERROR(
      sli_infer_merge_dims(sli_infer_dim(a, adjoint_a ? 0 : 1), sli_infer_dim(b, adjoint_b ? 1 : 0), &inner));
  sli_infer_set_output(
      c, 0,
      sli_infer_make(c, 2, (int64_t[]){sli_infer_dim(a, adjoint_a ? 1 : 0), sli_infer_dim(b, adjoint_b ? 0 : 1)}));
  return NULL;
}

static sli_output_t emit_column(sli_gradient_builder_t *b, sli_output_t indices, int column) {
  return SLI_EMIT_WITH(b, "StridedSlice",
                       SLI_INPUTS(indices, sli_gradient_const_ints(b, (int32_t[]){0, column}, 2),
                                  sli_gradient_const_ints(b, (int32_t[]){0, column + 1}, 2),
                                  sli_gradient_const_ints(b, (int32_t[]){1, 1}, 2)),
                       SLI_ATTRS(SLI_ATTR_INT_OF("begin_mask", 1), SLI_ATTR_INT_OF("end_mask", 1),
                                 SLI_ATTR_INT_OF("shrink_axis_mask", 2)));
}

static sli_output_t emit_transpose(sli_gradient_builder_t *b, sli_output_t x) {
  return SLI_EMIT(b, "Transpose", SLI_INPUTS(x, sli_gradient_const_ints(b, (int32_t[]){1, 0}, 2)));
}

static sli_status_t *matmul_gradient(sli_gradient_builder_t *b) {
  bool adjoint_a, adjoint_b;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "adjoint_a", &adjoint_a));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "adjoint_b", &adjoint_b));
  sli_output_t indices = sli_gradient_input(b, 0), dense = sli_gradient_input(b, 3), g = sli_gradient_of_output(b, 0);
  if (sli_types_contain(SLI_TYPES_COMPLEX, sli_gradient_dtype(b, dense)))
    return sli_status_make(SLI_UNIMPLEMENTED, "SparseTensorDenseMatMul op does not support complex gradients.");
  sli_output_t dense_gradient = SLI_EMIT_WITH(
      b, "SparseTensorDenseMatMul", SLI_INPUTS(indices, sli_gradient_input(b, 1), sli_gradient_input(b, 2), g),
      SLI_ATTRS(SLI_ATTR_BOOL_OF("adjoint_a", !adjoint_a)));
  if (adjoint_b) dense_gradient = emit_transpose(b, dense_gradient);
  sli_output_t rows = emit_column(b, indices, 0), columns = emit_column(b, indices, 1);
  sli_output_t zero = sli_gradient_const_int32(b, 0), one = sli_gradient_const_ints(b, (int32_t[]){1}, 1);
  sli_output_t parts_a = SLI_EMIT(b, "GatherV2", SLI_INPUTS(g, adjoint_a ? columns : rows, zero));
  sli_output_t parts_b = SLI_EMIT(
      b, "GatherV2", SLI_INPUTS(adjoint_b ? emit_transpose(b, dense) : dense, adjoint_a ? rows : columns, zero));
  sli_gradient_set(b, 1, SLI_EMIT(b, "Sum", SLI_INPUTS(SLI_EMIT(b, "Mul", SLI_INPUTS(parts_a, parts_b)), one)));
  sli_gradient_set(b, 3, dense_gradient);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "SparseTensorDenseMatMul",
        .inputs = "a_indices: Tindices, a_values: T, a_shape: int64, b: T",
        .outputs = "product: T",
        .attrs = "T: type; Tindices: {int32, int64} = DT_INT64; adjoint_a: bool = false; adjoint_b: bool = false",
        .summary = "A sparse matrix times a dense one.",
        .shape = matmul_shape,
        .gradient = matmul_gradient,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseTensorDenseMatMul",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPE_INT32,
     .host_memory = "a_shape",
     .compute = matmul_compute,
     .expensive = true},
};
SLI_OP_MODULE(sparse_matmul);
