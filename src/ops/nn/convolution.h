// Convolutions of any type over [batch, planes, rows, columns, channels], the
// engine under Conv2D (one plane) and Conv3D. Floats go to oneDNN, 16-bit floats
// through float, the others through patches and matrix products.
#ifndef SLI_OPS_NN_CONVOLUTION_H_
#define SLI_OPS_NN_CONVOLUTION_H_

#include "core/kernel.h"
#include "math/epilogue.h"

// Filters lie as [planes, rows, columns, in_channels / groups, out_channels].
// Any size may be 0; their products fit int64, as they are sizes of tensors.
typedef struct {
  sli_dtype_t dtype;
  int64_t batch, in_channels, out_channels, groups;
  int64_t in[3], filter[3], out[3];
  int64_t stride[3], dilation[3], before[3], after[3];
} sli_convolution_t;

// Output = input * filter, finished by |epilogue| (NULL: none; FLOAT and DOUBLE). All split large work over the
// device's pool. RESOURCE_EXHAUSTED without memory for patches.
sli_status_t *sli_convolution_forward(sli_kernel_context_t *context, const sli_convolution_t *convolution,
                                      const void *input, const void *filter, const sli_epilogue_t *epilogue,
                                      void *output);
sli_status_t *sli_convolution_backward_input(sli_kernel_context_t *context, const sli_convolution_t *convolution,
                                             const void *filter, const void *output_gradient, void *input_gradient);
sli_status_t *sli_convolution_backward_filter(sli_kernel_context_t *context, const sli_convolution_t *convolution,
                                              const void *input, const void *output_gradient, void *filter_gradient);

#endif  // SLI_OPS_NN_CONVOLUTION_H_
