// The end of a fused matrix product or convolution, run while the sums are in cache: adds a bias to every row, then
// applies an activation.
#ifndef SLI_MATH_EPILOGUE_H_
#define SLI_MATH_EPILOGUE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/string.h"
#include "core/tensor/dtype.h"

typedef enum {
  SLI_EPILOGUE_NONE,
  SLI_EPILOGUE_RELU,
  SLI_EPILOGUE_RELU6,
  SLI_EPILOGUE_ELU,
  SLI_EPILOGUE_LEAKY_RELU,
  SLI_EPILOGUE_TANH,
  SLI_EPILOGUE_SIGMOID,
} sli_epilogue_activation_t;

// All zero: nothing to do.
typedef struct {
  const void *bias;  // one for each column, of the values' type; NULL: none
  sli_epilogue_activation_t activation;
  float alpha;  // the slope of LEAKY_RELU
} sli_epilogue_t;

// The activation of TensorFlow's op |op|; NONE if it is not one of those above.
sli_epilogue_activation_t sli_epilogue_activation_named(sli_view_t op);

static inline bool sli_epilogue_is_empty(const sli_epilogue_t *epilogue) {
  return !epilogue->bias && epilogue->activation == SLI_EPILOGUE_NONE;
}

// Finishes columns [first, first + columns) of |rows| rows that are |step| elements apart; |values| points at the first
// element. |dtype| is FLOAT or DOUBLE. Runs on the calling thread.
void sli_epilogue_apply(const sli_epilogue_t *epilogue, sli_dtype_t dtype, void *values, int64_t rows, int64_t step,
                        int64_t first, int64_t columns);

#endif  // SLI_MATH_EPILOGUE_H_
