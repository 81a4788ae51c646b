// Reshape, for ops that reshape their first input to the shape of the second.
#ifndef SLI_OPS_ARRAY_RESHAPE_H_
#define SLI_OPS_ARRAY_RESHAPE_H_

#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

sli_status_t *sli_reshape_compute(sli_kernel_context_t *context);
sli_status_t *sli_reshape_shape(sli_infer_context_t *c);

#endif  // SLI_OPS_ARRAY_RESHAPE_H_
