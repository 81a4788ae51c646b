// DepthwiseConv2dNative, in which each input channel has its own filters (channel_multiplier of them), and the ops that
// compute its gradients.
//
// A depthwise convolution is a convolution with one group per channel. convolution.h computes it where oneDNN is fast
// (floats, multiplier 1). All other cases are plain loops over the channels: there is no sum over channels that a
// matrix product could speed up.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "math/onednn.h"
#include "math/simd.h"
#include "ops/nn/convolution.h"
#include "ops/nn/window.h"

typedef struct {
  sli_dtype_t dtype;  // FLOAT or DOUBLE
  int64_t batch, channels, multiplier;
  int64_t in[2], filter[2], out[2], stride[2], dilation[2], before[2], after[2];
  const void *input, *weights, *gradient;
  void *result;
} depthwise_work_t;

// The input offset of tap |k| of the window at (oy, ox); -1 if it is outside the image.
static inline int64_t input_offset(const depthwise_work_t *w, int64_t image, int64_t oy, int64_t ox, int64_t k) {
  int64_t y = oy * w->stride[0] + k / w->filter[1] * w->dilation[0] - w->before[0];
  int64_t x = ox * w->stride[1] + k % w->filter[1] * w->dilation[1] - w->before[1];
  bool inside = y >= 0 && y < w->in[0] && x >= 0 && x < w->in[1];
  return inside ? ((image * w->in[0] + y) * w->in[1] + x) * w->channels : -1;
}

#define T float
#define NAME(function) function##_float
#include "ops/nn/depthwise_loops.inc"

#define T double
#define NAME(function) function##_double
#include "ops/nn/depthwise_loops.inc"

typedef enum { FORWARD, BACKWARD_INPUT, BACKWARD_FILTER } depthwise_direction_t;

static sli_status_t *run_as_groups(sli_kernel_context_t *context, depthwise_direction_t direction,
                                   const depthwise_work_t *w) {
  sli_convolution_t c = {.dtype = w->dtype,
                         .batch = w->batch,
                         .in_channels = w->channels,
                         .out_channels = w->channels * w->multiplier,
                         .groups = w->channels,
                         .in = {1, w->in[0], w->in[1]},
                         .filter = {1, w->filter[0], w->filter[1]},
                         .out = {1, w->out[0], w->out[1]},
                         .stride = {1, w->stride[0], w->stride[1]},
                         .dilation = {1, w->dilation[0], w->dilation[1]},
                         .before = {0, w->before[0], w->before[1]},
                         .after = {0, w->after[0], w->after[1]}};
  switch (direction) {
    case FORWARD: return sli_convolution_forward(context, &c, w->input, w->weights, NULL, w->result);
    case BACKWARD_INPUT: return sli_convolution_backward_input(context, &c, w->weights, w->gradient, w->result);
    default: return sli_convolution_backward_filter(context, &c, w->input, w->gradient, w->result);
  }
}

static sli_status_t *run_depthwise(sli_kernel_context_t *context, depthwise_direction_t direction,
                                   depthwise_work_t *work) {
  sli_thread_pool_t *pool = sli_kernel_pool(context);
  if (work->dtype == SLI_DTYPE_FLOAT && work->multiplier == 1 && sli_onednn_available())
    return run_as_groups(context, direction, work);
  bool wide = work->dtype == SLI_DTYPE_DOUBLE;
  int64_t taps = work->filter[0] * work->filter[1], outs = work->channels * work->multiplier;
  double row = (double)work->out[1] * (double)taps * (3 + 0.1 * (double)outs);
  switch (direction) {
    case FORWARD:
      sli_parallel_for(pool, work->batch * work->out[0], row, wide ? forward_range_double : forward_range_float, work);
      break;
    case BACKWARD_INPUT:
      sli_parallel_for(pool, work->batch, row * (double)work->out[0], wide ? input_range_double : input_range_float,
                       work);
      break;
    default:
      sli_parallel_for(pool, taps, row * (double)work->batch * (double)work->out[0] / (double)taps,
                       wide ? filter_range_double : filter_range_float, work);
      break;
  }
  return NULL;
}

static sli_status_t *widen_tensor(sli_kernel_context_t *context, const sli_tensor_t *narrow, sli_tensor_t **out) {
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, sli_tensor_shape(narrow), out));
  sli_half_widen((sli_dtype_t)narrow->dtype, narrow->data, (*out)->data, narrow->count);
  return NULL;
}

// Computes |output| from two operands: input and filter, filter and gradient, or input and gradient. 16-bit floats are
// converted to float and back.
static sli_status_t *compute(sli_kernel_context_t *context, depthwise_direction_t direction, depthwise_work_t *work,
                             const sli_tensor_t *first, const sli_tensor_t *second, sli_tensor_t *output) {
  sli_tensor_t *wide[2] = {NULL, NULL}, *wide_output = NULL;
  sli_status_t *status = NULL;
  const void *a = first->data, *b = second->data;
  if (output->count == 0) return NULL;
  if (first->count == 0 || second->count == 0) {
    memset(output->data, 0, sli_tensor_bytes(output));
    return NULL;
  }
  bool narrow = sli_half_is_narrow((sli_dtype_t)output->dtype);
  work->dtype = narrow ? SLI_DTYPE_FLOAT : (sli_dtype_t)output->dtype;
  work->result = output->data;
  if (narrow) {
    SLI_GOTO_IF_ERROR(status, cleanup, widen_tensor(context, first, &wide[0]));
    SLI_GOTO_IF_ERROR(status, cleanup, widen_tensor(context, second, &wide[1]));
    SLI_GOTO_IF_ERROR(status, cleanup,
                      sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, sli_tensor_shape(output), &wide_output));
    a = wide[0]->data;
    b = wide[1]->data;
    work->result = wide_output->data;
  }
  work->input = direction == BACKWARD_INPUT ? NULL : a;
  work->weights = direction == FORWARD ? b : a;
  work->gradient = b;
  SLI_GOTO_IF_ERROR(status, cleanup, run_depthwise(context, direction, work));
  if (narrow) sli_half_narrow((sli_dtype_t)output->dtype, wide_output->data, output->data, output->count);
cleanup:
  sli_tensor_release(wide[0]);
  sli_tensor_release(wide[1]);
  sli_tensor_release(wide_output);
  return status;
}

static sli_status_t *depthwise_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_window_t window;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_window_read(setup->node, 4, setup->node->op->def->name, &window));
  if (window.channels_first)
    return sli_status_make(SLI_UNIMPLEMENTED, "Depthwise convolution on CPU is only supported for NHWC format");
  if (window.stride[1] != window.stride[2])
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Current implementation only supports equal length strides in the row and column dimensions.");
  if (window.stride[0] != 1 || window.stride[3] != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Current implementation does not yet support strides in the batch and depth dimensions.");
  if (window.dilation[0] != 1 || window.dilation[3] != 1)
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "Current implementation does not yet support dilations in the batch and depth dimensions.");
  *out_state = sli_memdup(&window, sizeof(window));
  return NULL;
}

static sli_status_t *plan_depthwise(const sli_window_t *window, const int64_t *in, const int64_t *filter,
                                    depthwise_work_t *work) {
  *work = (depthwise_work_t){.batch = in[0], .channels = in[3], .multiplier = filter[3]};
  for (int i = 0; i < 2; i++) {
    sli_window_extent_t extent;
    SLI_RETURN_IF_ERROR(sli_window_extent(window, i + 1, in[i + 1], filter[i], &extent));
    work->in[i] = in[i + 1];
    work->filter[i] = filter[i];
    work->out[i] = extent.out;
    work->stride[i] = window->stride[i + 1];
    work->dilation[i] = window->dilation[i + 1];
    work->before[i] = extent.before;
    work->after[i] = extent.after;
  }
  return NULL;
}

static sli_status_t *depthwise(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *filter = sli_kernel_input(context, 1), *output;
  depthwise_work_t work;
  if (input->rank != 4 || filter->rank != 4) {
    bool first = input->rank != 4;
    char *shape = sli_shape_to_text(sli_tensor_shape(first ? input : filter));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 4-dimensional%s%s",
                                           first ? "input" : "filter", first ? "" : ": ", shape);
    free(shape);
    return status;
  }
  if (input->dims[3] != filter->dims[2])
    return sli_status_make(SLI_INVALID_ARGUMENT, "input and filter must have the same depth: %lld vs %lld",
                           (long long)input->dims[3], (long long)filter->dims[2]);
  SLI_RETURN_IF_ERROR(plan_depthwise(sli_kernel_state(context), input->dims, filter->dims, &work));
  int64_t outs;
  if (__builtin_mul_overflow(work.channels, work.multiplier, &outs))
    return sli_status_make(SLI_INVALID_ARGUMENT, "output depth is too large");
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, 0, SLI_SHAPE(work.batch, work.out[0], work.out[1], outs), &output));
  return compute(context, FORWARD, &work, input, filter, output);
}

// The gradient kernels. Input |index| holds the sizes of the operand (input or filter) whose gradient is computed.
static sli_status_t *depthwise_backward(sli_kernel_context_t *context, int index, const char *label) {
  sli_tensor_t *sizes = sli_kernel_input(context, index), *known = sli_kernel_input(context, 1 - index);
  sli_tensor_t *gradient = sli_kernel_input(context, 2), *output;
  const char *sized = index ? "filter" : "input";
  int64_t dims[4], outs;
  depthwise_work_t work;
  if (sizes->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: %s_sizes input must be 1-dim, not %d", label, sized, sizes->rank);
  if (sizes->count != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "%s: %s must be 4-dimensional", label, sized);
  for (int d = 0; d < 4; d++) {
    dims[d] = SLI_DATA(int32_t, sizes)[d];
    if (dims[d] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %d of %s_sizes must be >= 0", d, sized);
  }
  if (known->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: %s must be 4-dimensional", label, index ? "input" : "filter");
  if (gradient->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: out_backprop must be 4-dimensional", label);
  const int64_t *in = index ? known->dims : dims, *filter = index ? dims : known->dims;
  SLI_RETURN_IF_ERROR(plan_depthwise(sli_kernel_state(context), in, filter, &work));
  if (in[0] != gradient->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: input and out_backprop must have the same batch size", label);
  if (in[3] != filter[2])
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: input and filter must have the same in_depth", label);
  if (__builtin_mul_overflow(in[3], filter[3], &outs) || outs != gradient->dims[3])
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: depth_multiplier * in_depth not equal to out_depth", label);
  for (int i = 0; i < 2; i++)
    if (work.out[i] != gradient->dims[i + 1])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "%s: Number of %s of out_backprop doesn't match computed: actual = %lld, computed = %lld",
                             label, i ? "columns" : "rows", (long long)gradient->dims[i + 1], (long long)work.out[i]);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){4, dims}, &output));
  return compute(context, index ? BACKWARD_FILTER : BACKWARD_INPUT, &work, known, gradient, output);
}
static sli_status_t *depthwise_backward_input(sli_kernel_context_t *context) {
  return depthwise_backward(context, 0, "DepthwiseConv2DBackpropInput");
}
static sli_status_t *depthwise_backward_filter(sli_kernel_context_t *context) {
  return depthwise_backward(context, 1, "DepthwiseConv2DBackpropFilter");
}

static sli_status_t *depthwise_shape(sli_infer_context_t *c) {
  sli_shape_t input, filter;
  sli_window_t window;
  int64_t dims[4], depth;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &input));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 4, &filter));
  SLI_RETURN_IF_ERROR(sli_window_read(c->node, 4, "DepthwiseConv2D", &window));
  int channels = sli_window_channel_dim(&window);
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(input, channels), sli_infer_dim(filter, 2), &depth));
  int64_t multiplier = sli_infer_dim(filter, 3);
  dims[0] = sli_infer_dim(input, 0);
  if (depth < 0 || multiplier < 0 || __builtin_mul_overflow(depth, multiplier, &dims[channels])) dims[channels] = -1;
  for (int i = 0; i < 2; i++) {
    int d = sli_window_dim(&window, i);
    SLI_RETURN_IF_ERROR(sli_window_infer(&window, d, sli_infer_dim(input, d), sli_infer_dim(filter, i), &dims[d]));
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, dims));
  return NULL;
}

static sli_status_t *depthwise_sizes_shape(sli_infer_context_t *c, int index) {
  sli_shape_t sizes;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, index, &sizes));
  return sli_infer_with_rank(c, sizes, 4, &c->outputs[0]);
}
static sli_status_t *backward_input_shape(sli_infer_context_t *c) { return depthwise_sizes_shape(c, 0); }
static sli_status_t *backward_filter_shape(sli_infer_context_t *c) { return depthwise_sizes_shape(c, 1); }

static sli_output_t emit_depthwise(sli_gradient_builder_t *b, const char *op, const sli_output_t *inputs,
                                   size_t count) {
  static const char *const names[] = {"strides", "padding", "explicit_paddings", "data_format", "dilations"};
  sli_attr_entry_t attrs[SLI_ARRAY_COUNT_OF(names)];
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++)
    attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(b->node, names[i])};
  return sli_gradient_emit(b, op, inputs, count, attrs, SLI_ARRAY_COUNT_OF(names));
}

#define OP "DepthwiseConv2dNative"
static sli_status_t *depthwise_gradient(sli_gradient_builder_t *b) {
  sli_output_t input = sli_gradient_input(b, 0), filter = sli_gradient_input(b, 1), g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, emit_depthwise(b, OP "BackpropInput", SLI_INPUTS(sli_emit_shape(b, input), filter, g)));
  sli_gradient_set(b, 1, emit_depthwise(b, OP "BackpropFilter", SLI_INPUTS(input, sli_emit_shape(b, filter), g)));
  return NULL;
}
static sli_status_t *backward_input_gradient(sli_gradient_builder_t *b) {
  sli_output_t filter = sli_gradient_input(b, 1), out = sli_gradient_input(b, 2), g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 1, emit_depthwise(b, OP "BackpropFilter", SLI_INPUTS(g, sli_emit_shape(b, filter), out)));
  sli_gradient_set(b, 2, emit_depthwise(b, OP, SLI_INPUTS(g, filter)));
  return NULL;
}
static sli_status_t *backward_filter_gradient(sli_gradient_builder_t *b) {
  sli_output_t input = sli_gradient_input(b, 0), out = sli_gradient_input(b, 2), g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, emit_depthwise(b, OP "BackpropInput", SLI_INPUTS(sli_emit_shape(b, input), g, out)));
  sli_gradient_set(b, 2, emit_depthwise(b, OP, SLI_INPUTS(input, g)));
  return NULL;
}

#define ATTRS                                                                                        \
  "T: {half, bfloat16, float, double}; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; " \
  "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]"

static const sli_op_def_t ops[] = {
    {.name = OP,
     .inputs = "input: T, filter: T",
     .outputs = "output: T",
     .attrs = ATTRS,
     .summary = "A 2-D convolution of each channel with its own filters.",
     .shape = depthwise_shape,
     .gradient = depthwise_gradient},
    {.name = OP "BackpropInput",
     .inputs = "input_sizes: int32, filter: T, out_backprop: T",
     .outputs = "output: T",
     .attrs = ATTRS,
     .summary = "The gradient of DepthwiseConv2dNative with respect to the input.",
     .shape = backward_input_shape,
     .gradient = backward_input_gradient},
    {.name = OP "BackpropFilter",
     .inputs = "input: T, filter_sizes: int32, out_backprop: T",
     .outputs = "output: T",
     .attrs = ATTRS,
     .summary = "The gradient of DepthwiseConv2dNative with respect to the filter.",
     .shape = backward_filter_shape,
     .gradient = backward_filter_gradient},
};

#define DEPTHWISE_KERNEL(name, function)                                                                       \
  {                                                                                                            \
    .op = name, .types = SLI_TYPES_FLOATING, .compute = function, .create = depthwise_create, .destroy = free, \
    .expensive = true, .cost = 2                                                                               \
  }
static const sli_kernel_def_t kernels[] = {
    DEPTHWISE_KERNEL(OP, depthwise),
    DEPTHWISE_KERNEL(OP "BackpropInput", depthwise_backward_input),
    DEPTHWISE_KERNEL(OP "BackpropFilter", depthwise_backward_filter),
};

SLI_OP_MODULE(depthwise_conv);
