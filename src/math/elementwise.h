// Element-wise kernels. An op provides one loop per element type; these functions do the rest: broadcasting, computing
// in place, sharing the work among threads, converting 16-bit floats (computed in float), reporting errors found in a
// loop.
#ifndef SLI_MATH_ELEMENTWISE_H_
#define SLI_MATH_ELEMENTWISE_H_

#include "core/op/kernel.h"
#include "math/simd.h"

// What a loop gets besides its operands. Each thread has its own.
typedef struct {
  const void *parameter;  // of the op; NULL: none
  bool error;             // set by a loop: the kernel fails with the op's |error|
} sli_elementwise_loop_state_t;

// Computes |n| elements. |stride[k]| is 1, or 0 where operand k repeats one value.
// |out| may be the same memory as an operand of the same element size.
typedef void (*sli_elementwise_loop_t)(const void *const in[], void *out, int64_t n, const int64_t stride[],
                                       sli_elementwise_loop_state_t *state);

typedef struct {
  // By type of the first input. HALF and BFLOAT16 without a loop use that of FLOAT on converted values.
  sli_elementwise_loop_t loops[SLI_DTYPE_UINT64 + 1];
  float cost;         // nanoseconds per element; 0: memory-bound
  const char *error;  // the message if a loop sets |error|
} sli_elementwise_t;

// Computes output 0 from all inputs (one to three), which are broadcast against each other.
sli_status_t *sli_elementwise_compute(sli_kernel_context_t *context, const sli_elementwise_t *op);
sli_status_t *sli_elementwise_compute_with(sli_kernel_context_t *context, const sli_elementwise_t *op,
                                           const void *parameter);
// For gradient kernels "f(y, dy)", without broadcasting. INVALID_ARGUMENT unless both inputs have the same number of
// elements. The output has the shape of the first.
sli_status_t *sli_elementwise_compute_paired(sli_kernel_context_t *context, const sli_elementwise_t *op,
                                             const void *parameter);

// A kernel |name| that computes |op|.
#define SLI_ELEMENTWISE_KERNEL(name, op) \
  static sli_status_t *name(sli_kernel_context_t *context) { return sli_elementwise_compute(context, &(op)); }

// The loop of the macros below: |load| declares the operands that change with i.
#define SLI_ELEMENTWISE_EACH(load, R, expression)      \
  SLI_SIMD_VECTORIZE for (int64_t i = 0; i < n; i++) { \
    load;                                              \
    z[i] = (R)(expression);                            \
  }

// Defines a loop of one operand: |expression| over x gives an element of R.
// |attribute| is SLI_SIMD or empty.
#define SLI_ELEMENTWISE_LOOP1(attribute, name, T, R, expression)                                   \
  attribute static void name(const void *const in[], void *out, int64_t n, const int64_t stride[], \
                             sli_elementwise_loop_state_t *state) {                                \
    const T *a = in[0];                                                                            \
    R *z = out;                                                                                    \
    SLI_SIMD_VECTORIZE for (int64_t i = 0; i < n; i++) {                                           \
      T x = a[i];                                                                                  \
      z[i] = (R)(expression);                                                                      \
    }                                                                                              \
  }

// Two operands x and y.
#define SLI_ELEMENTWISE_LOOP2(attribute, name, T, R, expression)                                   \
  attribute static void name(const void *const in[], void *out, int64_t n, const int64_t stride[], \
                             sli_elementwise_loop_state_t *state) {                                \
    const T *a = in[0], *b = in[1];                                                                \
    R *z = out;                                                                                    \
    if (stride[0] && stride[1]) {                                                                  \
      SLI_ELEMENTWISE_EACH(T x = a[i]; T y = b[i], R, expression)                                  \
    } else if (stride[0]) {                                                                        \
      T y = b[0];                                                                                  \
      SLI_ELEMENTWISE_EACH(T x = a[i], R, expression)                                              \
    } else if (stride[1]) {                                                                        \
      T x = a[0];                                                                                  \
      SLI_ELEMENTWISE_EACH(T y = b[i], R, expression)                                              \
    } else {                                                                                       \
      T x = a[0], y = b[0];                                                                        \
      R value = (R)(expression);                                                                   \
      for (int64_t i = 0; i < n; i++) z[i] = value;                                                \
    }                                                                                              \
  }

// Two operands with the general form only: for costly expressions, where code size matters more.
#define SLI_ELEMENTWISE_LOOP2_SMALL(name, T, R, expression)                              \
  static void name(const void *const in[], void *out, int64_t n, const int64_t stride[], \
                   sli_elementwise_loop_state_t *state) {                                \
    const T *a = in[0], *b = in[1];                                                      \
    R *z = out;                                                                          \
    int64_t a_step = stride[0], b_step = stride[1];                                      \
    for (int64_t i = 0; i < n; i++) {                                                    \
      T x = a[i * a_step], y = b[i * b_step];                                            \
      z[i] = (R)(expression);                                                            \
    }                                                                                    \
  }

// Integer types as X(T, name, DTYPE, U): arithmetic is done in U, which wraps.
#define SLI_ELEMENTWISE_FOR_SIGNED(X) \
  X(int8_t, int8, INT8, uint32_t)     \
  X(int16_t, int16, INT16, uint32_t)  \
  X(int32_t, int32, INT32, uint32_t)  \
  X(int64_t, int64, INT64, uint64_t)
#define SLI_ELEMENTWISE_FOR_UNSIGNED(X) \
  X(uint8_t, uint8, UINT8, uint32_t)    \
  X(uint16_t, uint16, UINT16, uint32_t) \
  X(uint32_t, uint32, UINT32, uint32_t) \
  X(uint64_t, uint64, UINT64, uint64_t)
#define SLI_ELEMENTWISE_FOR_INTEGER(X) SLI_ELEMENTWISE_FOR_SIGNED(X) SLI_ELEMENTWISE_FOR_UNSIGNED(X)

#endif  // SLI_MATH_ELEMENTWISE_H_
