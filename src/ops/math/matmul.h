// What a product of matrices asks of its operands; shared by all ops that have one inside.
#ifndef SLI_OPS_MATH_MATMUL_H_
#define SLI_OPS_MATH_MATMUL_H_

#include "core/tensor.h"
#include "math/gemm.h"

// op(a) op(b), without epilogue. INVALID_ARGUMENT, in MatMul's words, unless both are matrices that fit.
sli_status_t *sli_matmul_describe(const sli_tensor_t *a, const sli_tensor_t *b, bool transpose_a, bool transpose_b,
                                  sli_gemm_t *out_product);

#endif  // SLI_OPS_MATH_MATMUL_H_
