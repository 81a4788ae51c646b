// SparseMatMul: the product of two matrices, of which one may have many zeros (the attributes say so; math/gemm.h skips
// panels of zeros in the first operand by itself). bfloat16 is widened: the result is float.
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/gemm.h"
#include "math/half.h"
#include "ops/math/matmul.h"

// |matrix| as floats; the caller owns a reference.
static sli_status_t *widen(sli_kernel_context_t *context, sli_tensor_t *matrix, sli_tensor_t **out_floats) {
  if (matrix->dtype == SLI_DTYPE_FLOAT) {
    *out_floats = sli_tensor_retain(matrix);
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, sli_tensor_shape(matrix), out_floats));
  for (int64_t i = 0; i < matrix->count; i++)
    SLI_DATA(float, *out_floats)[i] = sli_bfloat16_to_float(SLI_DATA(uint16_t, matrix)[i]);
  return NULL;
}

static sli_status_t *sparse_matmul(sli_kernel_context_t *context) {
  sli_tensor_t *a = sli_kernel_input(context, 0), *b = sli_kernel_input(context, 1), *output;
  sli_gemm_t product = {.dtype = SLI_DTYPE_FLOAT};
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "transpose_a", &product.transpose_a));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "transpose_b", &product.transpose_b));
  if (a->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "a is not a matrix");
  if (b->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "b is not a matrix");
  product.m = a->dims[product.transpose_a];
  product.k = a->dims[!product.transpose_a];
  product.n = b->dims[!product.transpose_b];
  if (product.k != b->dims[product.transpose_b])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Matrix size incompatible: a: %s, b: %s",
                           sli_tensor_shape_text(a).text, sli_tensor_shape_text(b).text);
  int64_t dims[] = {product.m, product.n};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){2, dims}, &output));
  if (output->count == 0) return NULL;
  sli_tensor_t *x = NULL, *y = NULL;
  sli_status_t *status = widen(context, a, &x);
  if (!status) status = widen(context, b, &y);
  if (!status) status = sli_gemm(sli_kernel_pool(context), &product, x->data, y->data, output->data);
  sli_tensor_release(x);
  sli_tensor_release(y);
  return status;
}

static sli_output_t emit_product(sli_gradient_builder_t *b, sli_output_t x, sli_output_t y, bool transpose_x,
                                 bool transpose_y, sli_dtype_t dtype) {
  sli_output_t product = SLI_EMIT_WITH(
      b, "SparseMatMul", SLI_INPUTS(x, y),
      SLI_ATTRS(SLI_ATTR_BOOL_OF("transpose_a", transpose_x), SLI_ATTR_BOOL_OF("transpose_b", transpose_y)));
  return sli_emit_cast(b, product, dtype);
}

static sli_status_t *sparse_matmul_gradient(sli_gradient_builder_t *b) {
  bool ta, tb;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "transpose_a", &ta));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "transpose_b", &tb));
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 0), y = sli_gradient_input(b, 1);
  sli_dtype_t x_type = sli_gradient_dtype(b, x), y_type = sli_gradient_dtype(b, y);
  sli_gradient_set(b, 0, ta ? emit_product(b, y, g, tb, true, x_type) : emit_product(b, g, y, false, !tb, x_type));
  sli_gradient_set(b, 1, tb ? emit_product(b, g, x, true, ta, y_type) : emit_product(b, x, g, !ta, false, y_type));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "SparseMatMul",
     .inputs = "a: Ta, b: Tb",
     .outputs = "product: float",
     .attrs = "transpose_a: bool = false; transpose_b: bool = false; a_is_sparse: bool = false; b_is_sparse: bool = "
              "false; Ta: {float, bfloat16} = DT_FLOAT; Tb: {float, bfloat16} = DT_FLOAT",
     .shape = sli_matmul_shape,
     .gradient = sparse_matmul_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseMatMul",
     .where = {{"Ta", SLI_TYPE_FLOAT | SLI_TYPE_BFLOAT16}, {"Tb", SLI_TYPE_FLOAT | SLI_TYPE_BFLOAT16}},
     .compute = sparse_matmul,
     .expensive = true,
     .cost = 5},
};

SLI_OP_MODULE(matmul_sparse);
