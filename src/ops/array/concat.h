// The shape of tensors joined along an axis.
#ifndef SLI_OPS_ARRAY_CONCAT_H_
#define SLI_OPS_ARRAY_CONCAT_H_

#include "core/op/shape_inference.h"

// Sets output 0 to the shape of inputs [first, first + count), joined along the axis in |axis_input|.
sli_status_t *sli_concat_shape(sli_infer_context_t *c, int first, int count, int axis_input);

#endif  // SLI_OPS_ARRAY_CONCAT_H_
