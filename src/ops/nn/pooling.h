// Pooling of any real type over [batch, planes, rows, columns, channels], the
// engine under the MaxPool and AvgPool families (two dims are three with one plane).
#ifndef SLI_OPS_NN_POOLING_H_
#define SLI_OPS_NN_POOLING_H_

#include "core/kernel.h"
#include "ops/nn/window.h"

typedef struct {
  sli_dtype_t dtype;
  int64_t batch, channels;
  int64_t in[3], out[3], size[3], stride[3], before[3];
} sli_pooling_t;

// From a channels-last window with positive sizes and the dims of the input. INVALID_ARGUMENT if they do not fit.
sli_status_t *sli_pooling_plan(const sli_window_t *window, sli_dtype_t dtype, const int64_t *in_dims,
                               sli_pooling_t *out_pooling);
// The dims of the output, as many as the window's rank.
sli_shape_t sli_pooling_output_shape(const sli_pooling_t *pooling, int rank, int64_t dims[SLI_WINDOW_MAX_RANK]);

// Where each maximum lies: an INT32 or INT64 tensor of the output's shape. An index counts elements of the image, or
// of the whole batch.
typedef struct {
  sli_tensor_t *tensor;  // NULL: not wanted
  bool include_batch;
} sli_pooling_argmax_t;

// All split large work over the device's pool. RESOURCE_EXHAUSTED without memory for the taps of a window.
sli_status_t *sli_pooling_max(sli_kernel_context_t *context, const sli_pooling_t *pooling, const void *input,
                              void *output, sli_pooling_argmax_t argmax);
// Each output's gradient goes to the first greatest input of its window, or (floating types) to all that equal it.
sli_status_t *sli_pooling_max_backward(sli_kernel_context_t *context, const sli_pooling_t *pooling, const void *input,
                                       const void *output_gradient, bool to_all_equals, void *input_gradient);
// The transpose of the former: the elements of |source|, shaped as the input, that lie at the greatest inputs.
sli_status_t *sli_pooling_max_collect(sli_kernel_context_t *context, const sli_pooling_t *pooling, const void *input,
                                      const void *source, void *output);
// Means over what lies inside of the image; floating types.
sli_status_t *sli_pooling_average(sli_kernel_context_t *context, const sli_pooling_t *pooling, const void *input,
                                  void *output);
sli_status_t *sli_pooling_average_backward(sli_kernel_context_t *context, const sli_pooling_t *pooling,
                                           const void *output_gradient, void *input_gradient);

#endif  // SLI_OPS_NN_POOLING_H_
