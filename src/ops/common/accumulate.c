#include "ops/common/accumulate.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "math/half.h"
#include "math/simd.h"
#include "ops/common/copy_elements.h"

// A loop for one type and op. |T| is the type of the elements, |C| the one to compute with.
#define DEFINE_LOOP(simd, name, T, C, load, store, expression)               \
  simd static void name(T *to, const T *from, int64_t step, int64_t count) { \
    if (step) {                                                              \
      SLI_SIMD_VECTORIZE for (int64_t i = 0; i < count; i++) {               \
        C a = load(to[i]), b = load(from[i]);                                \
        to[i] = store(expression);                                           \
      }                                                                      \
    } else {                                                                 \
      C b = load(from[0]);                                                   \
      SLI_SIMD_VECTORIZE for (int64_t i = 0; i < count; i++) {               \
        C a = load(to[i]);                                                   \
        to[i] = store(expression);                                           \
      }                                                                      \
    }                                                                        \
  }
#define PLAIN(x) (x)

#define DEFINE_ARITHMETIC(simd, name, T, C, load, store)  \
  DEFINE_LOOP(simd, add_##name, T, C, load, store, a + b) \
  DEFINE_LOOP(simd, sub_##name, T, C, load, store, a - b) \
  DEFINE_LOOP(simd, mul_##name, T, C, load, store, a *b)  \
  DEFINE_LOOP(simd, div_##name, T, C, load, store, a / b)
#define DEFINE_ORDER(simd, name, T, C, load, store)               \
  DEFINE_LOOP(simd, min_##name, T, C, load, store, b < a ? b : a) \
  DEFINE_LOOP(simd, max_##name, T, C, load, store, a < b ? b : a)
#define NO_SIMD

DEFINE_ARITHMETIC(SLI_SIMD, float, float, float, PLAIN, PLAIN)
DEFINE_ORDER(SLI_SIMD, float, float, float, PLAIN, PLAIN)
DEFINE_ARITHMETIC(SLI_SIMD, double, double, double, PLAIN, PLAIN)
DEFINE_ORDER(SLI_SIMD, double, double, double, PLAIN, PLAIN)
DEFINE_ARITHMETIC(NO_SIMD, half, sli_half_t, float, sli_half_to_float, sli_half_from_float)
DEFINE_ORDER(NO_SIMD, half, sli_half_t, float, sli_half_to_float, sli_half_from_float)
DEFINE_ARITHMETIC(NO_SIMD, bfloat16, sli_bfloat16_t, float, sli_bfloat16_to_float, sli_bfloat16_from_float)
DEFINE_ORDER(NO_SIMD, bfloat16, sli_bfloat16_t, float, sli_bfloat16_to_float, sli_bfloat16_from_float)
DEFINE_ARITHMETIC(NO_SIMD, complex64, float complex, float complex, PLAIN, PLAIN)
DEFINE_ARITHMETIC(NO_SIMD, complex128, double complex, double complex, PLAIN, PLAIN)

// Integers are computed in the unsigned type of their size, which wraps.
#define DEFINE_INTEGER(name, T, U)                                       \
  DEFINE_LOOP(NO_SIMD, add_##name, T, U, (U), (T), a + b)                \
  DEFINE_LOOP(NO_SIMD, sub_##name, T, U, (U), (T), a - b)                \
  DEFINE_LOOP(NO_SIMD, mul_##name, T, U, (U), (T), (U)((uint64_t)a * b)) \
  DEFINE_LOOP(NO_SIMD, div_##name, T, T, PLAIN, PLAIN,                   \
              b == 0                       ? 0                           \
              : b == (T)-1 && (T)-1 < (T)1 ? (T)(0 - (U)a)               \
                                           : (T)(a / b))                 \
  DEFINE_ORDER(NO_SIMD, name, T, T, PLAIN, PLAIN)
DEFINE_INTEGER(int8, int8_t, uint8_t)
DEFINE_INTEGER(int16, int16_t, uint16_t)
DEFINE_INTEGER(int32, int32_t, uint32_t)
DEFINE_INTEGER(int64, int64_t, uint64_t)
DEFINE_INTEGER(uint8, uint8_t, uint8_t)
DEFINE_INTEGER(uint16, uint16_t, uint16_t)
DEFINE_INTEGER(uint32, uint32_t, uint32_t)
DEFINE_INTEGER(uint64, uint64_t, uint64_t)
DEFINE_LOOP(NO_SIMD, add_bool, bool, bool, PLAIN, PLAIN, a || b)
DEFINE_LOOP(NO_SIMD, sub_bool, bool, bool, PLAIN, PLAIN, a != b)

#define RUN(function) return function(to, from, from_step, count)
#define RUN_ARITHMETIC(name)                     \
  if (op == SLI_ACCUMULATE_ADD) RUN(add_##name); \
  if (op == SLI_ACCUMULATE_SUB) RUN(sub_##name); \
  if (op == SLI_ACCUMULATE_MUL) RUN(mul_##name); \
  if (op == SLI_ACCUMULATE_DIV) RUN(div_##name);
#define CASE_REAL(dtype_name, name)                \
  case SLI_DTYPE_##dtype_name:                     \
    RUN_ARITHMETIC(name)                           \
    if (op == SLI_ACCUMULATE_MIN) RUN(min_##name); \
    RUN(max_##name)

static void add_strings(sli_tstring_t *to, const sli_tstring_t *from, int64_t from_step, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    sli_view_t more = sli_tstring_view(&from[i * from_step]);
    size_t size = sli_tstring_view(&to[i]).size;
    if (more.size) memcpy(sli_tstring_resize(&to[i], size + more.size) + size, more.data, more.size);
  }
}

// A division by a power of two is the multiplication by its inverse, to the bit, and several times as fast.
static bool divide_by_inverse(sli_dtype_t dtype, void *to, const void *by, int64_t count) {
  int exponent;
  if (dtype == SLI_DTYPE_FLOAT) {
    float inverse = 1 / *(const float *)by;
    bool is_exact = isnormal(inverse) && isnormal(*(const float *)by) && fabsf(frexpf(inverse, &exponent)) == 0.5F;
    if (is_exact) mul_float(to, &inverse, 0, count);
    return is_exact;
  }
  if (dtype == SLI_DTYPE_DOUBLE) {
    double inverse = 1 / *(const double *)by;
    bool is_exact = isnormal(inverse) && isnormal(*(const double *)by) && fabs(frexp(inverse, &exponent)) == 0.5;
    if (is_exact) mul_double(to, &inverse, 0, count);
    return is_exact;
  }
  return false;
}

void sli_accumulate(sli_accumulate_op_t op, sli_dtype_t dtype, void *to, const void *from, int64_t from_step,
                    int64_t count) {
  if (count <= 0) return;
  if (op == SLI_ACCUMULATE_ASSIGN) {
    if (from_step) {
      sli_elements_copy(dtype, to, from, count);
    } else {
      sli_elements_fill(dtype, to, from, count);
    }
    return;
  }
  if (op == SLI_ACCUMULATE_DIV && !from_step && divide_by_inverse(dtype, to, from, count)) return;
  switch (dtype) {
    CASE_REAL(FLOAT, float);
    CASE_REAL(DOUBLE, double);
    CASE_REAL(HALF, half);
    CASE_REAL(BFLOAT16, bfloat16);
    CASE_REAL(INT8, int8);
    CASE_REAL(INT16, int16);
    CASE_REAL(INT32, int32);
    CASE_REAL(INT64, int64);
    CASE_REAL(UINT8, uint8);
    CASE_REAL(UINT16, uint16);
    CASE_REAL(UINT32, uint32);
    CASE_REAL(UINT64, uint64);
    case SLI_DTYPE_COMPLEX64: RUN_ARITHMETIC(complex64) break;
    case SLI_DTYPE_COMPLEX128: RUN_ARITHMETIC(complex128) break;
    case SLI_DTYPE_STRING:
      if (op == SLI_ACCUMULATE_ADD) add_strings(to, from, from_step, count);
      break;
    case SLI_DTYPE_BOOL:
      if (op == SLI_ACCUMULATE_ADD) RUN(add_bool);
      if (op == SLI_ACCUMULATE_SUB) RUN(sub_bool);
      break;
    default: break;
  }
}
