// Convolutions over [batch, planes, rows, columns, channels], used by Conv2D (with one plane), Conv3D and depthwise
// convolutions. Floats are computed by oneDNN, 16-bit floats are converted to float, and other types are computed as
// matrix products of copied windows (patches).
#ifndef SLI_OPS_NN_CONVOLUTION_H_
#define SLI_OPS_NN_CONVOLUTION_H_

#include "core/op/kernel.h"
#include "math/epilogue.h"

// Filters have the layout [planes, rows, columns, in_channels / groups, out_channels]. Any size may be 0. The products
// of the sizes fit int64, since they are sizes of tensors.
typedef struct {
  sli_dtype_t dtype;
  int64_t batch, in_channels, out_channels, groups;
  int64_t in[3], filter[3], out[3];
  int64_t stride[3], dilation[3], before[3], after[3];
} sli_convolution_t;

// Output = input * filter. |epilogue| (FLOAT and DOUBLE only; may be NULL) is applied to the output. These functions
// split large convolutions over the device's thread pool. RESOURCE_EXHAUSTED without memory for patches.
sli_status_t *sli_convolution_forward(sli_kernel_context_t *context, const sli_convolution_t *convolution,
                                      const void *input, const void *filter, const sli_epilogue_t *epilogue,
                                      void *output);
sli_status_t *sli_convolution_backward_input(sli_kernel_context_t *context, const sli_convolution_t *convolution,
                                             const void *filter, const void *output_gradient, void *input_gradient);
sli_status_t *sli_convolution_backward_filter(sli_kernel_context_t *context, const sli_convolution_t *convolution,
                                              const void *input, const void *output_gradient, void *filter_gradient);

#endif  // SLI_OPS_NN_CONVOLUTION_H_
