// Gradient functions of the reductions, used in their op table.
#ifndef SLI_OPS_MATH_REDUCE_INTERNAL_H_
#define SLI_OPS_MATH_REDUCE_INTERNAL_H_

#include "core/op/gradient.h"

sli_status_t *sli_reduce_op_sum_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_reduce_op_mean_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_reduce_op_prod_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_reduce_op_norm_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_reduce_op_max_gradient(sli_gradient_builder_t *b);  // of Min too

#endif  // SLI_OPS_MATH_REDUCE_INTERNAL_H_
