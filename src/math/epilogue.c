#include "math/epilogue.h"

#include <math.h>

#include "math/elementary.h"
#include "math/simd.h"

sli_epilogue_activation_t sli_epilogue_activation_named(sli_view_t op) {
  static const char *const names[] = {[SLI_EPILOGUE_RELU] = "Relu", [SLI_EPILOGUE_RELU6] = "Relu6",
                                      [SLI_EPILOGUE_ELU] = "Elu",   [SLI_EPILOGUE_LEAKY_RELU] = "LeakyRelu",
                                      [SLI_EPILOGUE_TANH] = "Tanh", [SLI_EPILOGUE_SIGMOID] = "Sigmoid"};
  for (int i = SLI_EPILOGUE_RELU; i <= SLI_EPILOGUE_SIGMOID; i++)
    if (sli_view_is(op, names[i])) return (sli_epilogue_activation_t)i;
  return SLI_EPILOGUE_NONE;
}

static inline double sigmoid_double(double x) { return 1 / (1 + exp(-x)); }

#define T float
#define NAME(x) x##_float
#define EXPM1 expm1f
#define TANH sli_math_tanhf
#define SIGMOID sli_math_sigmoidf
#include "math/epilogue_row.inc"

#define T double
#define NAME(x) x##_double
#define EXPM1 expm1
#define TANH tanh
#define SIGMOID sigmoid_double
#include "math/epilogue_row.inc"

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
