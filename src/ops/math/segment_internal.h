// Gradient functions of the segment ops, used in their op table.
#ifndef SLI_OPS_MATH_SEGMENT_INTERNAL_H_
#define SLI_OPS_MATH_SEGMENT_INTERNAL_H_

#include "core/op/gradient.h"

sli_status_t *sli_segment_sum_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_segment_mean_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_segment_prod_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_segment_extreme_gradient(sli_gradient_builder_t *b);  // of Min and Max
sli_status_t *sli_segment_unsorted_sum_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_segment_unsorted_prod_gradient(sli_gradient_builder_t *b);
sli_status_t *sli_segment_unsorted_extreme_gradient(sli_gradient_builder_t *b);

#endif  // SLI_OPS_MATH_SEGMENT_INTERNAL_H_
