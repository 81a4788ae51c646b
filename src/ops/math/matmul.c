// MatMul, and _FusedMatMul, which TensorFlow's graph optimizer makes of MatMul, BiasAdd and an activation. The product
// is computed by math/gemm.h.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/math/matmul.h"

typedef struct {
  bool transpose_a, transpose_b;
  bool fused;  // the third input is a bias
  sli_epilogue_activation_t activation;
  float alpha;
} matmul_t;

static sli_status_t *read_transposes(const sli_kernel_setup_t *setup, matmul_t *matmul) {
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "transpose_a", &matmul->transpose_a));
  return sli_node_attr_bool(setup->node, "transpose_b", &matmul->transpose_b);
}

static sli_status_t *matmul_create(const sli_kernel_setup_t *setup, void **out_state) {
  matmul_t matmul = {0};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(read_transposes(setup, &matmul));
  *out_state = sli_memdup(&matmul, sizeof(matmul));
  return NULL;
}

static sli_status_t *fused_create(const sli_kernel_setup_t *setup, void **out_state) {
  matmul_t matmul = {.fused = true};
  const sli_attr_t *fused;
  int64_t num_args;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(read_transposes(setup, &matmul));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "leakyrelu_alpha", &matmul.alpha));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "num_args", &num_args));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(setup->node, "fused_ops", SLI_ATTR_STRING, &fused));
  bool known = fused->count >= 1 && fused->count <= 2 && sli_view_is(fused->list.s[0], "BiasAdd");
  if (known && fused->count == 2) {
    matmul.activation = sli_epilogue_activation_named(fused->list.s[1]);
    known = matmul.activation != SLI_EPILOGUE_NONE;
  }
  if (!known) {
    sli_string_t text = {0};
    for (size_t i = 0; i < fused->count; i++)
      sli_string_append_format(&text, "%s%.*s", i ? "," : "", SLI_VIEW_ARG(fused->list.s[i]));
    sli_status_t *status =
        sli_status_make(SLI_UNIMPLEMENTED, "Fusion is not implemented: [%s]", sli_string_text(&text));
    sli_string_deinitialize(&text);
    return status;
  }
  if (num_args != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Fused MatMul with BiasAdd must have one extra argument: bias.");
  *out_state = sli_memdup(&matmul, sizeof(matmul));
  return NULL;
}

static sli_status_t *bad_matrices(const sli_tensor_t *a, const sli_tensor_t *b) {
  char *x = sli_shape_to_text(sli_tensor_shape(a)), *y = sli_shape_to_text(sli_tensor_shape(b));
  sli_status_t *status;
  if (a->rank != b->rank)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "In[0] and In[1] has different ndims: %s vs. %s", x, y);
  else if (a->rank != 2)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "In[0] and In[1] ndims must be == 2: %d", a->rank);
  else
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Matrix size-incompatible: In[0]: %s, In[1]: %s", x, y);
  free(x);
  free(y);
  return status;
}

sli_status_t *sli_matmul_describe(const sli_tensor_t *a, const sli_tensor_t *b, bool transpose_a, bool transpose_b,
                                  sli_gemm_t *out_product) {
  if (a->rank != 2 || b->rank != 2 || a->dims[!transpose_a] != b->dims[transpose_b]) return bad_matrices(a, b);
  *out_product = (sli_gemm_t){.dtype = (sli_dtype_t)a->dtype,
                              .m = a->dims[transpose_a],
                              .n = b->dims[!transpose_b],
                              .k = a->dims[!transpose_a],
                              .transpose_a = transpose_a,
                              .transpose_b = transpose_b};
  return NULL;
}

static sli_status_t *matmul_compute(sli_kernel_context_t *context) {
  const matmul_t *matmul = sli_kernel_state(context);
  sli_tensor_t *a = sli_kernel_input(context, 0), *b = sli_kernel_input(context, 1), *c;
  sli_gemm_t product;
  SLI_RETURN_IF_ERROR(sli_matmul_describe(a, b, matmul->transpose_a, matmul->transpose_b, &product));
  product.epilogue = (sli_epilogue_t){.activation = matmul->activation, .alpha = matmul->alpha};
  if (matmul->fused) {
    sli_tensor_t *bias = sli_kernel_input(context, 2);
    if (bias->count != product.n || bias->rank < 1 || bias->dims[bias->rank - 1] != product.n)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Must provide as many biases as the last dimension of the product");
    product.epilogue.bias = bias->data;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(product.m, product.n), &c));
  return sli_gemm(sli_kernel_pool(context), &product, a->data, b->data, c->data);
}

sli_status_t *sli_matmul_shape(sli_infer_context_t *c) {
  sli_shape_t a, b;
  bool transpose_a, transpose_b;
  int64_t inner;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &a));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &b));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "transpose_a", &transpose_a));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "transpose_b", &transpose_b));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(a, !transpose_a), sli_infer_dim(b, transpose_b), &inner));
  int64_t dims[] = {sli_infer_dim(a, transpose_a), sli_infer_dim(b, !transpose_b)};
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, dims));
  return NULL;
}

static sli_output_t emit_matmul(sli_gradient_builder_t *b, sli_output_t x, sli_output_t y, bool transpose_x,
                                bool transpose_y) {
  return SLI_EMIT_WITH(
      b, "MatMul", SLI_INPUTS(x, y),
      SLI_ATTRS(SLI_ATTR_BOOL_OF("transpose_a", transpose_x), SLI_ATTR_BOOL_OF("transpose_b", transpose_y)));
}

static sli_status_t *matmul_gradient(sli_gradient_builder_t *builder) {
  bool ta, tb;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(builder->node, "transpose_a", &ta));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(builder->node, "transpose_b", &tb));
  sli_output_t g = sli_gradient_of_output(builder, 0), a = sli_emit_conj(builder, sli_gradient_input(builder, 0)),
               b = sli_emit_conj(builder, sli_gradient_input(builder, 1)), ga, gb;
  if (!ta && !tb) {
    ga = emit_matmul(builder, g, b, false, true);
    gb = emit_matmul(builder, a, g, true, false);
  } else if (!ta && tb) {
    ga = emit_matmul(builder, g, b, false, false);
    gb = emit_matmul(builder, g, a, true, false);
  } else if (ta && !tb) {
    ga = emit_matmul(builder, b, g, false, true);
    gb = emit_matmul(builder, a, g, false, false);
  } else {
    ga = emit_matmul(builder, b, g, true, true);
    gb = emit_matmul(builder, g, a, true, true);
  }
  sli_gradient_set(builder, 0, ga);
  sli_gradient_set(builder, 1, gb);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "MatMul",
     .inputs = "a: T, b: T",
     .outputs = "product: T",
     .attrs = "transpose_a: bool = false; transpose_b: bool = false; T: {bfloat16, half, float, double, int32, int64, "
              "uint8, uint16, uint32, uint64, complex64, complex128}",
     .shape = sli_matmul_shape,
     .gradient = matmul_gradient},
    {.name = "_FusedMatMul",
     .inputs = "a: T, b: T, args: num_args * T",
     .outputs = "product: T",
     .attrs = "transpose_a: bool = false; transpose_b: bool = false; T: {bfloat16, half, float}; num_args: int >= 0; "
              "fused_ops: list(string) = []; epsilon: float = 0.0001; leakyrelu_alpha: float = 0.2",
     .shape = sli_matmul_shape,
     .fuses = "MatMul",
     .fused_activations = "Relu, Relu6, Elu, LeakyRelu, Tanh, Sigmoid"},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "MatMul",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPE_INT32 | SLI_TYPE_INT16 | SLI_TYPE_INT64,
     .compute = matmul_compute,
     .create = matmul_create,
     .destroy = free,
     .expensive = true,
     .cost = 5},
    {.op = "_FusedMatMul",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_BFLOAT16,
     .compute = matmul_compute,
     .create = fused_create,
     .destroy = free,
     .expensive = true,
     .cost = 5},
};

SLI_OP_MODULE(matmul);
