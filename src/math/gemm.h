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

// Takes |count| finished values of C, from element |first| on, while they are in
// cache. Called by several threads at once, for every element of C exactly once.
typedef struct {
  void (*take)(void *context, const void *values, int64_t first, int64_t count);  // NULL: none
  void *context;
  const void *target;  // NULL, or what |take| goes to, laid out like C: brought near in time
} sli_gemm_sink_t;

// C[m,n] = op(A)[m,k] op(B)[k,n], all row-major and dense. Conjugation is for
// complex types and comes with transposition (the adjoint).
typedef struct {
  sli_dtype_t dtype;
  int64_t m, n, k;
  bool transpose_a, transpose_b;
  bool conjugate_a, conjugate_b;
  sli_epilogue_t epilogue;  // of floating types
  sli_gemm_sink_t sink;     // of FLOAT and DOUBLE; with one C is not kept, and |c| below is NULL
} sli_gemm_t;

// Splits large products over |pool| (may be NULL). k = 0 gives zeros. Sizes are
// not negative. RESOURCE_EXHAUSTED without memory for packing; the sink has got nothing then.
sli_status_t *sli_gemm(sli_thread_pool_t *pool, const sli_gemm_t *product, const void *a, const void *b, void *c);

#endif  // SLI_MATH_GEMM_H_
