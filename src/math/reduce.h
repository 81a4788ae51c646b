// Reductions over any set of dimensions, for kernels.
#ifndef SLI_MATH_REDUCE_H_
#define SLI_MATH_REDUCE_H_

#include "core/op/kernel.h"

typedef enum {
  SLI_REDUCE_SUM,  // numbers; integers wrap
  SLI_REDUCE_MEAN,
  SLI_REDUCE_PROD,
  SLI_REDUCE_NORM,  // Euclidean
  SLI_REDUCE_MAX,   // reals; NaN if there is one
  SLI_REDUCE_MIN,
  SLI_REDUCE_ALL,  // bools
  SLI_REDUCE_ANY,
} sli_reduce_kind_t;

// Reduces input 0 over the dimensions marked in |reduced| to output 0. With |keep_dims| they stay as dimensions of
// size 1.
sli_status_t *sli_reduce(sli_kernel_context_t *context, sli_reduce_kind_t kind, const bool *reduced, bool keep_dims);

#endif  // SLI_MATH_REDUCE_H_
