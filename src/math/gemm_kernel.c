// The kernels of all types for each instruction set, and the choice among them at run time. This file is compiled with
// fused multiply-add: one rounding less, twice the speed.
#include <complex.h>

#include "math/gemm_internal.h"

#if defined(__x86_64__)
#define TARGET_512 __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
#define TARGET_256 __attribute__((target("avx2,fma")))

#define T float
#define MASK int32_t
#define NAME(x) x##_float_512
#define ROWS 12
#define STRIP 2
#define VECTORS 2
#define LANES 16
#define TARGET TARGET_512
#include "math/gemm_kernel.inc"
#define T double
#define MASK int64_t
#define NAME(x) x##_double_512
#define ROWS 12
#define STRIP 2
#define VECTORS 2
#define LANES 8
#define TARGET TARGET_512
#include "math/gemm_kernel.inc"

#define T float
#define MASK int32_t
#define NAME(x) x##_float_256
#define ROWS 6
#define STRIP 2
#define VECTORS 2
#define LANES 8
#define TARGET TARGET_256
#include "math/gemm_kernel.inc"
#define T double
#define MASK int64_t
#define NAME(x) x##_double_256
#define ROWS 6
#define STRIP 2
#define VECTORS 2
#define LANES 4
#define TARGET TARGET_256
#include "math/gemm_kernel.inc"
#define T uint32_t
#define MASK int32_t
#define NAME(x) x##_int32_256
#define ROWS 6
#define STRIP 2
#define VECTORS 2
#define LANES 8
#define TARGET TARGET_256
#include "math/gemm_kernel.inc"
#endif

// Vectors of 16 bytes, which any machine has.
#define T float
#define MASK int32_t
#define NAME(x) x##_float
#define ROWS 4
#define STRIP 2
#define VECTORS 2
#define LANES 4
#define TARGET
#include "math/gemm_kernel.inc"
#define T double
#define MASK int64_t
#define NAME(x) x##_double
#define ROWS 4
#define STRIP 2
#define VECTORS 2
#define LANES 2
#define TARGET
#include "math/gemm_kernel.inc"
// Unsigned, because integers must wrap.
#define T uint32_t
#define MASK int32_t
#define NAME(x) x##_int32
#define ROWS 4
#define STRIP 2
#define VECTORS 2
#define LANES 4
#define TARGET
#include "math/gemm_kernel.inc"
#define T uint64_t
#define MASK int64_t
#define NAME(x) x##_int64
#define ROWS 4
#define STRIP 2
#define VECTORS 2
#define LANES 2
#define TARGET
#include "math/gemm_kernel.inc"
#define T float complex
#define NAME(x) x##_complex64
#define ROWS 2
#define STRIP 2
#define VECTORS 2
#define LANES 1
#define TARGET
#define CONJUGATE conjf
#include "math/gemm_kernel.inc"
#define T double complex
#define NAME(x) x##_complex128
#define ROWS 2
#define STRIP 2
#define VECTORS 2
#define LANES 1
#define TARGET
#define CONJUGATE conj
#include "math/gemm_kernel.inc"

#if defined(__x86_64__)
static const sli_gemm_kernel_t *wide_kernel(sli_dtype_t dtype) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    if (dtype == SLI_DTYPE_FLOAT) return &kernel_float_512;
    if (dtype == SLI_DTYPE_DOUBLE) return &kernel_double_512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    if (dtype == SLI_DTYPE_FLOAT) return &kernel_float_256;
    if (dtype == SLI_DTYPE_DOUBLE) return &kernel_double_256;
    if (dtype == SLI_DTYPE_INT32 || dtype == SLI_DTYPE_UINT32) return &kernel_int32_256;
  }
  return NULL;
}
#else
static const sli_gemm_kernel_t *wide_kernel(sli_dtype_t dtype) { return NULL; }
#endif

const sli_gemm_kernel_t *sli_gemm_kernel(sli_dtype_t dtype) {
  const sli_gemm_kernel_t *wide = wide_kernel(dtype);
  if (wide) return wide;
  switch (dtype) {
    case SLI_DTYPE_FLOAT: return &kernel_float;
    case SLI_DTYPE_DOUBLE: return &kernel_double;
    case SLI_DTYPE_INT32:
    case SLI_DTYPE_UINT32: return &kernel_int32;
    case SLI_DTYPE_INT64:
    case SLI_DTYPE_UINT64: return &kernel_int64;
    case SLI_DTYPE_COMPLEX64: return &kernel_complex64;
    case SLI_DTYPE_COMPLEX128: return &kernel_complex128;
    default: return NULL;
  }
}
