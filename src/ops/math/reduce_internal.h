// Gradients of the reductions, apart from their kernels.
#ifndef SLI_OPS_MATH_REDUCE_INTERNAL_H_
#define SLI_OPS_MATH_REDUCE_INTERNAL_H_

#include "core/gradient.h"

sli_status_t *sli_sum_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_mean_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_prod_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_norm_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_max_gradient(sli_gradient_builder_t *b);  // of Min too

#endif  // SLI_OPS_MATH_REDUCE_INTERNAL_H_
