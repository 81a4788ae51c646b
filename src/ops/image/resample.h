// Weighted sums of the rows and columns of images: the resizing methods except the two simplest, and all gradients of
// resizing, whose weights are those of the resizing transposed.
#ifndef SLI_OPS_IMAGE_RESAMPLE_H_
#define SLI_OPS_IMAGE_RESAMPLE_H_

#include "core/op/kernel.h"

// One dimension: element i of the result is the sum over k in [offsets[i], offsets[i + 1]) of weights[k] times element
// indices[k] of the source.
typedef struct {
  int64_t count, source_count;
  int64_t *offsets;
  int32_t *indices;
  float *weights;
} sli_resample_axis_t;

// An axis with |taps| terms for each element, to be filled by the caller; offsets are set. RESOURCE_EXHAUSTED without
// memory.
sli_status_t *sli_resample_axis_create(int64_t count, int64_t source_count, int64_t taps,
                                       sli_resample_axis_t *out_axis);
// The transposed axis: what the gradient needs. Replaces |axis|.
sli_status_t *sli_resample_axis_transpose(sli_resample_axis_t *axis);
void sli_resample_axis_deinitialize(sli_resample_axis_t *axis);

// Output 0 of the kernel, [batch, y->count, x->count, channels], from |images|, [batch, y->source_count,
// x->source_count, channels]. The output has a floating type.
sli_status_t *sli_resample(sli_kernel_context_t *context, const sli_tensor_t *images, const sli_resample_axis_t *y,
                           const sli_resample_axis_t *x);

#endif  // SLI_OPS_IMAGE_RESAMPLE_H_
