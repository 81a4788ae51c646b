// Matrix products of every numeric type, by kernels of our own; 16-bit floats go
// through float.
#ifndef SLI_MATH_GEMM_H_
#define SLI_MATH_GEMM_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/thread_pool.h"
#include "core/dtype.h"
#include "math/epilogue.h"

// C[m,n] = op(A)[m,k] op(B)[k,n], all row-major and dense. Conjugation is for
// complex types and comes with transposition (the adjoint).
typedef struct {
  sli_dtype_t dtype;
  int64_t m, n, k;
  bool transpose_a, transpose_b;
  bool conjugate_a, conjugate_b;
  sli_epilogue_t epilogue;  // of floating types
} sli_gemm_t;

// Splits large products over |pool| (may be NULL). k = 0 gives zeros. Sizes are
// not negative. RESOURCE_EXHAUSTED without memory for packing.
sli_status_t *sli_gemm(sli_thread_pool_t *pool, const sli_gemm_t *product, const void *a, const void *b, void *c);

#endif  // SLI_MATH_GEMM_H_
