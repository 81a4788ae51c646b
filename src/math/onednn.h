// oneDNN 2.x behind one small file: float convolutions.
// The library is opened at first use, so that a task that never convolves does
// not carry it. It runs on the calling thread alone (one OpenMP thread);
// callers split large work over our own pool.
//
// Primitives are cached by shape. Thread-safe.
#ifndef SLI_MATH_ONEDNN_H_
#define SLI_MATH_ONEDNN_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "math/epilogue.h"

// Whether the library is there; opens it. Without it callers use plain C code.
bool sli_onednn_available(void);

// A convolution over activations that lie as [batch, (planes,) rows, columns,
// channels] and filters as [(planes,) rows, columns, in_channels / groups,
// out_channels]. |spatial| is 2 or 3; sizes are of the last |spatial| dims.
// Filters are reordered to what the library likes best at every call, which is cheap.
typedef struct {
  int spatial;
  int64_t batch, in_channels, out_channels, groups;
  int64_t in[3], filter[3], out[3];
  int64_t stride[3], dilation[3], before[3], after[3];
  // Of the forward product alone:
  bool has_bias;
  sli_activation_t activation;
  float alpha;
} sli_onednn_conv_t;
// INTERNAL if the library refuses. No size is 0.
sli_status_t *sli_onednn_conv(const sli_onednn_conv_t *shape, const float *input, const float *filter,
                              const float *bias, float *output);
sli_status_t *sli_onednn_conv_backward_input(const sli_onednn_conv_t *shape, const float *filter,
                                             const float *output_gradient, float *input_gradient);
sli_status_t *sli_onednn_conv_backward_filter(const sli_onednn_conv_t *shape, const float *input,
                                              const float *output_gradient, float *filter_gradient);

#endif  // SLI_MATH_ONEDNN_H_
