// Matrix products: choice of the engine, splitting over threads, epilogues.
#include "math/gemm.h"

#include <complex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "math/half.h"
#include "math/onednn.h"
#include "math/simd.h"

// Blocked product of one type: packs A by rows of MR and B by columns of NR so
// that the inner kernel reads both in order and keeps MR x NR sums.
enum { KC = 256, MC = 96 };

#define T float
#define MR 6
#define NR 16
#define NAME(x) x##_float
#include "math/gemm_kernel.inc"
#define T double
#define MR 6
#define NR 8
#define NAME(x) x##_double
#include "math/gemm_kernel.inc"
// Integers wrap: unsigned arithmetic, 16 bits widened so that nothing is promoted to int.
#define T uint32_t
#define MR 4
#define NR 16
#define NAME(x) x##_int32
#include "math/gemm_kernel.inc"
#define T uint64_t
#define MR 4
#define NR 8
#define NAME(x) x##_int64
#include "math/gemm_kernel.inc"
#define T float complex
#define COMPLEX_CONJUGATE conjf
#define MR 2
#define NR 4
#define NAME(x) x##_complex64
#include "math/gemm_kernel.inc"
#define T double complex
#define COMPLEX_CONJUGATE conj
#define MR 2
#define NR 4
#define NAME(x) x##_complex128
#include "math/gemm_kernel.inc"

typedef struct {
  const sli_gemm_t *product;
  sli_dtype_t dtype;  // of the work: FLOAT for 16-bit floats
  const char *a, *b;
  const float *bias;
  char *c;
  bool by_rows;  // threads share the rows of C, else its columns
  int64_t unit;  // rows or columns per piece
  _Atomic(sli_status_t *) error;
} work_t;

static sli_status_t *multiply_float(const work_t *work, int64_t m0, int64_t m, int64_t n0, int64_t n) {
  const sli_gemm_t *p = work->product;
  const float *a = (const float *)work->a + (p->transpose_a ? m0 : m0 * p->k);
  const float *b = (const float *)work->b + (p->transpose_b ? n0 * p->k : n0);
  float *c = (float *)work->c + m0 * p->n + n0;
  sli_onednn_matmul_t shape = {.m = m,
                               .n = n,
                               .k = p->k,
                               .lda = p->transpose_a ? p->m : p->k,
                               .ldb = p->transpose_b ? p->k : p->n,
                               .ldc = p->n,
                               .transpose_a = p->transpose_a,
                               .transpose_b = p->transpose_b,
                               .has_bias = work->bias != NULL,
                               .relu = p->relu};
  return sli_onednn_matmul(&shape, a, b, work->bias ? work->bias + n0 : NULL, c);
}

SLI_SIMD static void finish_rows(float *c, const float *bias, bool relu, int64_t rows, int64_t columns, int64_t ld) {
  for (int64_t i = 0; i < rows; i++, c += ld) {
    if (bias)
      for (int64_t j = 0; j < columns; j++) c[j] += bias[j];
    if (relu)
      for (int64_t j = 0; j < columns; j++) c[j] = c[j] < 0.0f ? 0.0f : c[j];
  }
}

static sli_status_t *multiply_piece(const work_t *work, int64_t m0, int64_t m, int64_t n0, int64_t n) {
  const sli_gemm_t *p = work->product;
  bool done = false;
  switch (work->dtype) {
    case SLI_DTYPE_FLOAT:
      if (sli_onednn_available()) return multiply_float(work, m0, m, n0, n);
      done = gemm_float(p, work->a, work->b, work->c, m0, m, n0, n);
      if (done)
        finish_rows((float *)work->c + m0 * p->n + n0, work->bias ? work->bias + n0 : NULL, p->relu, m, n, p->n);
      break;
    case SLI_DTYPE_DOUBLE: done = gemm_double(p, work->a, work->b, work->c, m0, m, n0, n); break;
    case SLI_DTYPE_INT32:
    case SLI_DTYPE_UINT32: done = gemm_int32(p, work->a, work->b, work->c, m0, m, n0, n); break;
    case SLI_DTYPE_INT64:
    case SLI_DTYPE_UINT64: done = gemm_int64(p, work->a, work->b, work->c, m0, m, n0, n); break;
    case SLI_DTYPE_COMPLEX64: done = gemm_complex64(p, work->a, work->b, work->c, m0, m, n0, n); break;
    case SLI_DTYPE_COMPLEX128: done = gemm_complex128(p, work->a, work->b, work->c, m0, m, n0, n); break;
    default: return sli_status_make(SLI_UNIMPLEMENTED, "MatMul of type %s", sli_dtype_name(work->dtype));
  }
  return done ? NULL : sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when packing a matrix product");
}

static void multiply_range(void *context, int64_t begin, int64_t end) {
  work_t *work = context;
  const sli_gemm_t *p = work->product;
  int64_t extent = work->by_rows ? p->m : p->n;
  for (int64_t i = begin; i < end; i++) {
    int64_t first = i * work->unit, size = extent - first < work->unit ? extent - first : work->unit;
    sli_status_t *status =
        work->by_rows ? multiply_piece(work, first, size, 0, p->n) : multiply_piece(work, 0, p->m, first, size);
    if (status) sli_status_release(atomic_exchange(&work->error, status));
  }
}

static sli_status_t *multiply(sli_thread_pool_t *pool, work_t *work) {
  const sli_gemm_t *p = work->product;
  double operations = 2.0 * (double)p->m * (double)p->n * (double)p->k;
  double rate = work->dtype == SLI_DTYPE_FLOAT ? 50.0 : 5.0;  // operations per nanosecond, roughly
  int threads = pool ? sli_thread_pool_size(pool) : 1;
  work->by_rows = p->m >= p->n;
  int64_t extent = work->by_rows ? p->m : p->n;
  // Pieces of whole registers; below some 50 µs a second thread costs more than it brings.
  if (threads > 1 && operations / rate > 50000 && extent >= 32) {
    work->unit = ((extent + threads - 1) / threads + 15) / 16 * 16;
    int64_t pieces = (extent + work->unit - 1) / work->unit;
    sli_parallel_for(pool, pieces, operations / rate / (double)pieces, multiply_range, work);
  } else {
    work->unit = extent;
    multiply_range(work, 0, 1);
  }
  return atomic_load(&work->error);
}

static bool is_narrow(sli_dtype_t dtype) { return dtype == SLI_DTYPE_HALF || dtype == SLI_DTYPE_BFLOAT16; }

static float *widened(sli_dtype_t dtype, const void *source, int64_t count) {
  float *wide = sli_try_malloc((size_t)(count ? count : 1) * sizeof(float));
  if (wide && dtype == SLI_DTYPE_HALF) sli_half_to_float_n(source, wide, count);
  if (wide && dtype == SLI_DTYPE_BFLOAT16) sli_bfloat16_to_float_n(source, wide, count);
  return wide;
}

// 16-bit floats: the whole product in float, rounded once at the end.
static sli_status_t *multiply_narrow(sli_thread_pool_t *pool, const sli_gemm_t *p, const void *a, const void *b,
                                     void *c) {
  sli_status_t *status = NULL;
  float *wide_a = widened(p->dtype, a, p->m * p->k), *wide_b = widened(p->dtype, b, p->k * p->n);
  float *wide_c = sli_try_malloc((size_t)(p->m * p->n) * sizeof(float));
  float *wide_bias = p->bias ? widened(p->dtype, p->bias, p->n) : NULL;
  if (wide_a && wide_b && wide_c && (wide_bias || !p->bias)) {
    work_t work = {.product = p,
                   .dtype = SLI_DTYPE_FLOAT,
                   .a = (char *)wide_a,
                   .b = (char *)wide_b,
                   .c = (char *)wide_c,
                   .bias = wide_bias};
    status = multiply(pool, &work);
    if (!status && p->dtype == SLI_DTYPE_HALF) sli_half_from_float_n(wide_c, c, p->m * p->n);
    if (!status && p->dtype == SLI_DTYPE_BFLOAT16) sli_bfloat16_from_float_n(wide_c, c, p->m * p->n);
  } else {
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when widening a matrix product");
  }
  free(wide_a);
  free(wide_b);
  free(wide_c);
  free(wide_bias);
  return status;
}

// 16-bit integers are rare: straight sums.
static void multiply_int16(const sli_gemm_t *p, const int16_t *a, const int16_t *b, int16_t *c) {
  for (int64_t i = 0; i < p->m; i++) {
    for (int64_t j = 0; j < p->n; j++) {
      uint32_t sum = 0;
      for (int64_t q = 0; q < p->k; q++) {
        uint32_t x = (uint32_t)a[p->transpose_a ? q * p->m + i : i * p->k + q];
        sum += x * (uint32_t)b[p->transpose_b ? j * p->k + q : q * p->n + j];
      }
      c[i * p->n + j] = (int16_t)sum;
    }
  }
}

sli_status_t *sli_gemm(sli_thread_pool_t *pool, const sli_gemm_t *p, const void *a, const void *b, void *c) {
  if (p->m == 0 || p->n == 0) return NULL;
  if (p->k == 0 && !p->bias) {
    memset(c, 0, (size_t)(p->m * p->n) * sli_dtype_size(p->dtype));
    return NULL;
  }
  if (p->k == 0) {  // the bias alone
    sli_gemm_t ones = *p;
    ones.k = 1;
    ones.transpose_a = ones.transpose_b = false;
    size_t size = (size_t)(p->m > p->n ? p->m : p->n) * sli_dtype_size(p->dtype);
    void *zeros = sli_try_malloc(size);
    if (!zeros) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating %zu bytes", size);
    memset(zeros, 0, size);
    sli_status_t *status = sli_gemm(pool, &ones, zeros, zeros, c);
    free(zeros);
    return status;
  }
  if (is_narrow(p->dtype)) return multiply_narrow(pool, p, a, b, c);
  if (p->dtype == SLI_DTYPE_INT16) {
    multiply_int16(p, a, b, c);
    return NULL;
  }
  work_t work = {.product = p, .dtype = p->dtype, .a = a, .b = b, .c = c, .bias = p->bias};
  return multiply(pool, &work);
}
