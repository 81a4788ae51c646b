#include "math/epilogue.h"

#include <math.h>

#include "math/elementary.h"
#include "math/simd.h"

sli_activation_t sli_activation_named(sli_view_t op) {
  static const char *const names[] = {[SLI_ACTIVATION_RELU] = "Relu", [SLI_ACTIVATION_RELU6] = "Relu6",
                                      [SLI_ACTIVATION_ELU] = "Elu",   [SLI_ACTIVATION_LEAKY_RELU] = "LeakyRelu",
                                      [SLI_ACTIVATION_TANH] = "Tanh", [SLI_ACTIVATION_SIGMOID] = "Sigmoid"};
  for (int i = SLI_ACTIVATION_RELU; i <= SLI_ACTIVATION_SIGMOID; i++)
    if (sli_view_is(op, names[i])) return (sli_activation_t)i;
  return SLI_ACTIVATION_NONE;
}

// Comparisons are such that a NaN stays one.
#define ROW(T, name, exponential_minus_1, tangent, sigmoid)                                                  \
  SLI_SIMD static void finish_row_##name(const sli_epilogue_t *epilogue, const T *bias, T *row, int64_t n) { \
    T alpha = (T)epilogue->alpha;                                                                            \
    for (int64_t i = 0; bias && i < n; i++) row[i] += bias[i];                                               \
    switch (epilogue->activation) {                                                                          \
      case SLI_ACTIVATION_NONE: break;                                                                       \
      case SLI_ACTIVATION_RELU:                                                                              \
        for (int64_t i = 0; i < n; i++) row[i] = row[i] < 0 ? 0 : row[i];                                    \
        break;                                                                                               \
      case SLI_ACTIVATION_RELU6:                                                                             \
        for (int64_t i = 0; i < n; i++) row[i] = row[i] < 0 ? 0 : row[i] > 6 ? 6 : row[i];                   \
        break;                                                                                               \
      case SLI_ACTIVATION_ELU:                                                                               \
        for (int64_t i = 0; i < n; i++) row[i] = row[i] < 0 ? exponential_minus_1(row[i]) : row[i];          \
        break;                                                                                               \
      case SLI_ACTIVATION_LEAKY_RELU:                                                                        \
        for (int64_t i = 0; i < n; i++) row[i] = row[i] < 0 ? row[i] * alpha : row[i];                       \
        break;                                                                                               \
      case SLI_ACTIVATION_TANH:                                                                              \
        for (int64_t i = 0; i < n; i++) row[i] = tangent(row[i]);                                            \
        break;                                                                                               \
      case SLI_ACTIVATION_SIGMOID:                                                                           \
        for (int64_t i = 0; i < n; i++) row[i] = sigmoid(row[i]);                                            \
        break;                                                                                               \
    }                                                                                                        \
  }
static inline double sigmoid_double(double x) { return 1 / (1 + exp(-x)); }
ROW(float, float, expm1f, sli_tanhf, sli_sigmoidf)
ROW(double, double, expm1, tanh, sigmoid_double)

void sli_epilogue_apply(const sli_epilogue_t *epilogue, sli_dtype_t dtype, void *values, int64_t rows, int64_t step,
                        int64_t first, int64_t columns) {
  for (int64_t r = 0; r < rows; r++) {
    if (dtype == SLI_DTYPE_FLOAT)
      finish_row_float(epilogue, epilogue->bias ? (const float *)epilogue->bias + first : NULL,
                       (float *)values + r * step, columns);
    else
      finish_row_double(epilogue, epilogue->bias ? (const double *)epilogue->bias + first : NULL,
                        (double *)values + r * step, columns);
  }
}
