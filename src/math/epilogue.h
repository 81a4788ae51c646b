// What a fused product or convolution does to its sums while they are in cache:
// adds a bias to every row, then applies an activation.
#ifndef SLI_MATH_EPILOGUE_H_
#define SLI_MATH_EPILOGUE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/string.h"
#include "core/dtype.h"

typedef enum {
  SLI_ACTIVATION_NONE,
  SLI_ACTIVATION_RELU,
  SLI_ACTIVATION_RELU6,
  SLI_ACTIVATION_ELU,
  SLI_ACTIVATION_LEAKY_RELU,
  SLI_ACTIVATION_TANH,
  SLI_ACTIVATION_SIGMOID,
} sli_activation_t;

// All zero: nothing to do.
typedef struct {
  const void *bias;  // one for each column, of the values' type; NULL: none
  sli_activation_t activation;
  float alpha;  // of LEAKY_RELU
} sli_epilogue_t;

// The activation that TensorFlow calls |op|; NONE if it is not one of ours.
sli_activation_t sli_activation_named(sli_view_t op);

static inline bool sli_epilogue_is_empty(const sli_epilogue_t *epilogue) {
  return !epilogue->bias && epilogue->activation == SLI_ACTIVATION_NONE;
}

// Finishes columns [first, first + columns) of |rows| rows, |step| elements apart; |values| points at the first.
// FLOAT and DOUBLE. Runs on the calling thread.
void sli_epilogue_apply(const sli_epilogue_t *epilogue, sli_dtype_t dtype, void *values, int64_t rows, int64_t step,
                        int64_t first, int64_t columns);

#endif  // SLI_MATH_EPILOGUE_H_
