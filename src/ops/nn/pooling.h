// Pooling of real types over [batch, planes, rows, columns, channels], used by the MaxPool and AvgPool ops. 2-D pooling
// is 3-D pooling with one plane.
#ifndef SLI_OPS_NN_POOLING_H_
#define SLI_OPS_NN_POOLING_H_

#include "core/op/kernel.h"
#include "ops/nn/window.h"

typedef struct {
  sli_dtype_t dtype;
  int64_t batch, channels;
  int64_t in[3], out[3], size[3], stride[3], before[3];
} sli_pooling_t;

// Computes |*out_pooling| from a channels-last window with positive sizes and the dims of the input. INVALID_ARGUMENT
// if the window does not fit the input.
sli_status_t *sli_pooling_plan(const sli_window_t *window, sli_dtype_t dtype, const int64_t *in_dims,
                               sli_pooling_t *out_pooling);
// The shape of the output, of rank |rank| (that of the window). |dims| stores its dims.
sli_shape_t sli_pooling_output_shape(const sli_pooling_t *pooling, int rank, int64_t dims[SLI_WINDOW_MAX_RANK]);

// The index of each maximum: an INT32 or INT64 tensor of the output's shape. An index is the flat index of the element
// in its image or, with |include_batch|, in the whole batch.
typedef struct {
  sli_tensor_t *tensor;  // NULL: not requested
  bool include_batch;
} sli_pooling_argmax_t;

// The functions below split large work over the device's thread pool. RESOURCE_EXHAUSTED without memory for the offsets
// of a window.
sli_status_t *sli_pooling_max(sli_kernel_context_t *context, const sli_pooling_t *pooling, const void *input,
                              void *output, sli_pooling_argmax_t argmax);
// Adds the gradient of each output to the first maximum of its window or, with |to_all_equals| (floating types only),
// to all inputs that are equal to it.
sli_status_t *sli_pooling_max_backward(sli_kernel_context_t *context, const sli_pooling_t *pooling, const void *input,
                                       const void *output_gradient, bool to_all_equals, void *input_gradient);
// The transpose of sli_pooling_max_backward: for each window, copies the element of |source|, which has the shape of
// the input, at the position of the maximum to |output|.
sli_status_t *sli_pooling_max_collect(sli_kernel_context_t *context, const sli_pooling_t *pooling, const void *input,
                                      const void *source, void *output);
// The mean of each window without its padding. Floating types only.
sli_status_t *sli_pooling_average(sli_kernel_context_t *context, const sli_pooling_t *pooling, const void *input,
                                  void *output);
sli_status_t *sli_pooling_average_backward(sli_kernel_context_t *context, const sli_pooling_t *pooling,
                                           const void *output_gradient, void *input_gradient);

#endif  // SLI_OPS_NN_POOLING_H_
