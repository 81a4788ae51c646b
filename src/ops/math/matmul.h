// What ops share that compute matrix products, or emit them in their gradients.
#ifndef SLI_OPS_MATH_MATMUL_H_
#define SLI_OPS_MATH_MATMUL_H_

#include "core/op/gradient.h"
#include "core/tensor/tensor.h"
#include "math/gemm.h"

// Describes op(a) op(b), without epilogue. INVALID_ARGUMENT, with MatMul's texts, unless both are matrices that fit.
sli_status_t *sli_matmul_describe(const sli_tensor_t *a, const sli_tensor_t *b, bool transpose_a, bool transpose_b,
                                  sli_gemm_t *out_product);
// Shape function of an op on two matrices with the attributes transpose_a and transpose_b.
sli_status_t *sli_matmul_shape(sli_infer_context_t *c);

// Emits BatchMatMulV2 of |x| and |y|.
sli_output_t sli_matmul_emit_batch(sli_gradient_builder_t *b, sli_output_t x, sli_output_t y, bool adj_x, bool adj_y);
// Emits |shape| without its last two elements.
sli_output_t sli_matmul_emit_batch_shape(sli_gradient_builder_t *b, sli_output_t shape);
// Sets the gradients of inputs 0 and 1, of the given shapes: |g0| and |g1| summed over the batch dimensions that were
// broadcast.
void sli_matmul_set_gradients(sli_gradient_builder_t *b, sli_output_t g0, sli_output_t shape0, sli_output_t g1,
                              sli_output_t shape1);

#endif  // SLI_OPS_MATH_MATMUL_H_
