// Pixels of any type as floats, and back.
#ifndef SLI_OPS_IMAGE_PIXELS_H_
#define SLI_OPS_IMAGE_PIXELS_H_

#include <stdint.h>

#include "core/tensor/dtype.h"

// |count| pixels at |source| as floats: |source| itself if it has floats, else |buffer|, which is filled.
const float *sli_pixels_as_floats(sli_dtype_t dtype, const void *source, int64_t count, float *buffer);
// Converts to FLOAT, DOUBLE, HALF or BFLOAT16.
void sli_pixels_from_floats(sli_dtype_t dtype, const float *source, int64_t count, void *destination);

#endif  // SLI_OPS_IMAGE_PIXELS_H_
