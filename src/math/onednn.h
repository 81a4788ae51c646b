// Float convolutions by oneDNN 2.x. The library is loaded at first use, so that a task without convolutions does not
// need its memory. It runs on the calling thread only (one OpenMP thread); callers share large work among the threads
// of our own pool. Primitives are cached by shape. Thread-safe.
#ifndef SLI_MATH_ONEDNN_H_
#define SLI_MATH_ONEDNN_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "math/epilogue.h"

// Loads the library if that was not tried yet, and returns whether it is there. Without it callers use plain C code.
bool sli_onednn_available(void);

// A convolution over activations [batch, (planes,) rows, columns, channels] with filters [(planes,) rows, columns,
// in_channels / groups, out_channels]. |spatial| is 2 or 3; sizes are those of the last |spatial| dims. Each call
// reorders the filters to the layout that the library prefers, which is cheap.
typedef struct {
  int spatial;
  int64_t batch, in_channels, out_channels, groups;
  int64_t in[3], filter[3], out[3];
  int64_t stride[3], dilation[3], before[3], after[3];
  // For the forward convolution only:
  bool has_bias;
  sli_epilogue_activation_t activation;
  float alpha;
} sli_onednn_conv_t;
// INTERNAL if the library fails. No size may be 0.
sli_status_t *sli_onednn_conv(const sli_onednn_conv_t *shape, const float *input, const float *filter,
                              const float *bias, float *output);
sli_status_t *sli_onednn_conv_backward_input(const sli_onednn_conv_t *shape, const float *filter,
                                             const float *output_gradient, float *input_gradient);
sli_status_t *sli_onednn_conv_backward_filter(const sli_onednn_conv_t *shape, const float *input,
                                              const float *output_gradient, float *filter_gradient);

#endif  // SLI_MATH_ONEDNN_H_
