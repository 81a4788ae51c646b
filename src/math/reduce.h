// Reductions over any set of dimensions, for kernels.
#ifndef SLI_MATH_REDUCE_H_
#define SLI_MATH_REDUCE_H_

#include "core/kernel.h"

typedef enum {
  SLI_REDUCE_SUM,  // numbers; integers wrap
  SLI_REDUCE_MEAN,
  SLI_REDUCE_PROD,
  SLI_REDUCE_NORM,  // Euclidean
  SLI_REDUCE_MAX,   // reals; a NaN wins
  SLI_REDUCE_MIN,
  SLI_REDUCE_ALL,  // bools
  SLI_REDUCE_ANY,
} sli_reduction_t;

// Reduces input 0 over the dimensions marked in |reduced| to output 0, which
// keeps them as ones if asked.
sli_status_t *sli_reduce(sli_kernel_context_t *context, sli_reduction_t kind, const bool *reduced, bool keep_dims);

#endif  // SLI_MATH_REDUCE_H_
