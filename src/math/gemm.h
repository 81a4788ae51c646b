// Matrix products of every numeric type, with kernels of our own. 16-bit floats are computed in float.
#ifndef SLI_MATH_GEMM_H_
#define SLI_MATH_GEMM_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/thread_pool.h"
#include "core/tensor/dtype.h"
#include "math/epilogue.h"

// A consumer of C: gets |count| finished values of it, from element |first| on, while they are in cache. Called by
// several threads at once, for every element of C exactly once.
typedef struct {
  void (*take)(void *context, const void *values, int64_t first, int64_t count);  // NULL: none
  void *context;
  const void *target;  // NULL, or what |take| writes to, laid out like C: it is prefetched
} sli_gemm_sink_t;

// C[m,n] = op(A)[m,k] op(B)[k,n], all row-major and dense. Conjugation is for complex types and used together with
// transposition (the adjoint).
typedef struct {
  sli_dtype_t dtype;
  int64_t m, n, k;
  bool transpose_a, transpose_b;
  bool conjugate_a, conjugate_b;
  sli_epilogue_t epilogue;  // for floating types
  sli_gemm_sink_t sink;     // for FLOAT and DOUBLE; with a sink C is not stored, and |c| below is NULL
} sli_gemm_t;

// Shares large products among the threads of |pool| (NULL: runs on the caller's). k = 0 gives zeros. Sizes must not be
// negative. RESOURCE_EXHAUSTED if there is no memory for packing; the sink was not called then. Blocks until all is
// done.
sli_status_t *sli_gemm(sli_thread_pool_t *pool, const sli_gemm_t *product, const void *a, const void *b, void *c);

#endif  // SLI_MATH_GEMM_H_
