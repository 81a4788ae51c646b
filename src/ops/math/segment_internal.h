// Gradients of the segment ops, apart from their kernels.
#ifndef SLI_OPS_MATH_SEGMENT_INTERNAL_H_
#define SLI_OPS_MATH_SEGMENT_INTERNAL_H_

#include "core/gradient.h"

sli_status_t *sli_segment_sum_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_segment_mean_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_segment_prod_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_segment_extreme_gradient(sli_gradient_builder_t *b);  // of Min and Max
sli_status_t *sli_unsorted_sum_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_unsorted_prod_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_unsorted_extreme_gradient(sli_gradient_builder_t *b);

#endif  // SLI_OPS_MATH_SEGMENT_INTERNAL_H_
