// Conv2D and Conv3D, the ops that compute their gradients, and _FusedConv2D (to which a master rewrites Conv2D +
// BiasAdd or FusedBatchNorm + activation). Only channels-last formats. convolution.h does the computation.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/nn/convolution.h"
#include "ops/nn/window.h"

typedef struct {
  sli_window_t window;
  // _FusedConv2D only:
  bool has_bias, has_norm;
  sli_epilogue_activation_t activation;
  float epsilon, alpha;
} conv_t;

static sli_status_t *read_conv(const sli_kernel_setup_t *setup, int rank, conv_t *conv) {
  sli_code_t code = rank == 4 ? SLI_UNIMPLEMENTED : SLI_INVALID_ARGUMENT;
  const sli_window_t *window = &conv->window;
  SLI_RETURN_IF_ERROR(sli_window_read(setup->node, rank, setup->node->op->def->name, &conv->window));
  int channels = sli_window_channel_dim(window);
  if (window->stride[0] != 1 || window->stride[channels] != 1)
    return sli_status_make(code,
                           "Current implementation does not yet support strides in the batch and depth dimensions.");
  if (window->dilation[0] != 1 || window->dilation[channels] != 1)
    return sli_status_make(code,
                           "Current implementation does not yet support dilations in the batch and depth dimensions.");
  return NULL;
}

static sli_status_t *conv_create(const sli_kernel_setup_t *setup, int rank, void **out_state) {
  conv_t conv = {0};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(read_conv(setup, rank, &conv));
  *out_state = sli_memdup(&conv, sizeof(conv));
  return NULL;
}
static sli_status_t *conv2d_create(const sli_kernel_setup_t *setup, void **state) {
  return conv_create(setup, 4, state);
}
static sli_status_t *conv3d_create(const sli_kernel_setup_t *setup, void **state) {
  return conv_create(setup, 5, state);
}

static sli_status_t *check_filter_elements(const sli_tensor_t *filter) {
  if (filter->count) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "filter must not have zero elements (i.e. all dimensions must be non-zero)");
}

// Computes the sizes of a convolution from the dims of input and filter, both of the window's rank.
static sli_status_t *plan_conv(const sli_window_t *window, sli_dtype_t dtype, const int64_t *in, const int64_t *filter,
                               sli_convolution_t *out) {
  int spatial = window->rank - 2, skipped = 3 - spatial;
  *out = (sli_convolution_t){.dtype = dtype,
                             .batch = in[0],
                             .in_channels = in[window->rank - 1],
                             .out_channels = filter[window->rank - 1],
                             .groups = 1,
                             .in = {1, 1, 1},
                             .filter = {1, 1, 1},
                             .out = {1, 1, 1},
                             .stride = {1, 1, 1},
                             .dilation = {1, 1, 1}};
  for (int i = 0; i < spatial; i++) {
    int d = sli_window_dim(window, i), to = i + skipped;
    sli_window_extent_t extent;
    SLI_RETURN_IF_ERROR(sli_window_extent(window, d, in[d], filter[i], &extent));
    out->in[to] = in[d];
    out->filter[to] = filter[i];
    out->out[to] = extent.out;
    out->stride[to] = window->stride[d];
    out->dilation[to] = window->dilation[d];
    out->before[to] = extent.before;
    out->after[to] = extent.after;
  }
  return NULL;
}

static sli_status_t *conv_rank_error(const char *text, const sli_tensor_t *tensor) {
  char *shape = sli_shape_to_text(sli_tensor_shape(tensor));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s%s", text, shape);
  free(shape);
  return status;
}

static sli_status_t *check_forward2(const sli_window_t *window, const sli_tensor_t *input, const sli_tensor_t *filter) {
  if (input->rank != 4) return conv_rank_error("convolution input must be 4-dimensional: ", input);
  if (filter->rank != 4) return conv_rank_error("convolution filter must be 4-dimensional: ", filter);
  if (window->channels_first)
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "The Conv2D op currently only supports the NHWC tensor format on the "
                           "CPU. The op was given the format: NCHW");
  int64_t depth = input->dims[3], filter_depth = filter->dims[2];
  if (filter_depth <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "filter depth must be stricly positive, got %lld",
                           (long long)filter_depth);
  if (depth % filter_depth != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input depth must be evenly divisible by filter depth: %lld vs %lld",
                           (long long)depth, (long long)filter_depth);
  int64_t groups = depth / filter_depth;
  if (groups <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "number of groups must be stricly positive, got %lld",
                           (long long)groups);
  if (filter->dims[3] % groups != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "output depth must be evenly divisible by number of groups: %lld vs %lld",
                           (long long)filter->dims[3], (long long)groups);
  return check_filter_elements(filter);
}

static sli_status_t *check_forward3(const sli_window_t *window, const sli_tensor_t *input, const sli_tensor_t *filter) {
  if (input->rank != 5) return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 5-dimensional");
  if (filter->rank != 5) return sli_status_make(SLI_INVALID_ARGUMENT, "filter must be 5-dimensional");
  if (window->channels_first)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "CPU implementation of Conv3D currently only supports the NHWC tensor format.");
  if (filter->dims[3] != input->dims[4])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of channels in filter (%lld) must match last dimension of input (%lld)",
                           (long long)filter->dims[3], (long long)input->dims[4]);
  return check_filter_elements(filter);
}

// The shape of the output, channels last. |dims| stores its dims.
static sli_shape_t output_shape(const sli_convolution_t *c, int rank, int64_t dims[SLI_WINDOW_MAX_RANK]) {
  int n = 0;
  dims[n++] = c->batch;
  for (int d = 5 - rank; d < 3; d++) dims[n++] = c->out[d];
  dims[n++] = c->out_channels;
  return (sli_shape_t){rank, dims};
}

// Checks the operands and allocates the output.
static sli_status_t *plan_forward(sli_kernel_context_t *context, int rank, sli_convolution_t *out,
                                  sli_tensor_t **out_output) {
  const conv_t *conv = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *filter = sli_kernel_input(context, 1);
  int64_t dims[SLI_WINDOW_MAX_RANK];
  SLI_RETURN_IF_ERROR(rank == 4 ? check_forward2(&conv->window, input, filter)
                                : check_forward3(&conv->window, input, filter));
  SLI_RETURN_IF_ERROR(plan_conv(&conv->window, (sli_dtype_t)input->dtype, input->dims, filter->dims, out));
  if (rank == 4) out->groups = input->dims[3] / filter->dims[2];
  return sli_kernel_allocate_output(context, 0, output_shape(out, rank, dims), out_output);
}

static sli_status_t *conv_forward(sli_kernel_context_t *context, int rank) {
  sli_convolution_t c;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(plan_forward(context, rank, &c, &output));
  return sli_convolution_forward(context, &c, sli_kernel_input(context, 0)->data, sli_kernel_input(context, 1)->data,
                                 NULL, output->data);
}

static sli_status_t *conv2d(sli_kernel_context_t *context) { return conv_forward(context, 4); }
static sli_status_t *conv3d(sli_kernel_context_t *context) { return conv_forward(context, 5); }

// The backward kernels. |label| is the name that TensorFlow's messages use for them.

// Reads the dims in the integer vector at input |index|.
static sli_status_t *read_sizes(sli_kernel_context_t *context, int index, const char *label, const char *name, int rank,
                                int64_t *dims, int *out_count) {
  sli_tensor_t *sizes = sli_kernel_input(context, index);
  if (sizes->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: %s input must be 1-dim, not %d", label, name, sizes->rank);
  *out_count = sizes->count > rank ? rank + 1 : (int)sizes->count;
  for (int i = 0; i < *out_count && i < rank; i++) {
    dims[i] = sli_tensor_int_at(sizes, i);
    if (dims[i] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)dims[i]);
  }
  return NULL;
}

// Computes the sizes from the dims of input and filter, and checks the output gradient against them.
static sli_status_t *plan_backward(const sli_window_t *window, const char *label, const int64_t *in,
                                   const int64_t *filter, const sli_tensor_t *gradient, sli_convolution_t *c) {
  int rank = window->rank;
  SLI_RETURN_IF_ERROR(plan_conv(window, (sli_dtype_t)gradient->dtype, in, filter, c));
  if (in[0] != gradient->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "%s: input and out_backprop must have the same batch size. Input batch: %lld, outbackprop "
                           "batch: %lld, batch_dim: 0",
                           label, (long long)in[0], (long long)gradient->dims[0]);
  if (filter[rank - 2] == 0 || in[rank - 1] % filter[rank - 2] != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: input depth must be evenly divisible by filter depth", label);
  if (filter[rank - 1] != gradient->dims[rank - 1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: filter and out_backprop must have the same out_depth", label);
  c->groups = in[rank - 1] / filter[rank - 2];
  if (c->groups < 1 || filter[rank - 1] % c->groups != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: output depth must be evenly divisible by number of groups",
                           label);
  for (int i = 0; i < rank - 2; i++) {
    int d = sli_window_dim(window, i), from = i + 5 - rank;
    if (c->out[from] != gradient->dims[d])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "%s: Size of out_backprop doesn't match computed: actual = %lld, computed = %lld "
                             "spatial_dim: %d input: %lld filter: %lld output: %lld stride: %lld dilation: %lld",
                             label, (long long)gradient->dims[d], (long long)c->out[from], d, (long long)in[d],
                             (long long)filter[i], (long long)gradient->dims[d], (long long)window->stride[d],
                             (long long)window->dilation[d]);
  }
  return NULL;
}

static sli_status_t *conv_backward_input(sli_kernel_context_t *context, int rank, const char *label,
                                         const char *kernel) {
  const conv_t *conv = sli_kernel_state(context);
  sli_tensor_t *filter = sli_kernel_input(context, 1), *gradient = sli_kernel_input(context, 2), *output;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  int count = 0;
  sli_convolution_t c;
  if (conv->window.channels_first)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s only supports %s.", kernel,
                           rank == 4 ? "NHWC" : "NDHWC on the CPU");
  SLI_RETURN_IF_ERROR(read_sizes(context, 0, context->node->op->def->name, "input_sizes", rank, dims, &count));
  if (filter->rank != rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: filter must be %d-dimensional", label, rank);
  if (gradient->rank != rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: out_backprop must be %d-dimensional", label, rank);
  if (rank == 4 && count == 2) {  // only rows and columns
    memmove(dims + 1, dims, 2 * sizeof(dims[0]));
    dims[0] = gradient->dims[0];
    dims[3] = filter->dims[2];
  } else if (count != rank) {
    return rank == 4 ? sli_status_make(SLI_INVALID_ARGUMENT,
                                       "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but "
                                       "got: %lld",
                                       (long long)sli_kernel_input(context, 0)->count)
                     : sli_status_make(SLI_INVALID_ARGUMENT, "input tensor must have 5 dimensions");
  }
  SLI_RETURN_IF_ERROR(plan_backward(&conv->window, label, dims, filter->dims, gradient, &c));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  return sli_convolution_backward_input(context, &c, filter->data, gradient->data, output->data);
}

static sli_status_t *conv_backward_filter(sli_kernel_context_t *context, int rank, const char *label,
                                          const char *kernel) {
  const conv_t *conv = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *gradient = sli_kernel_input(context, 2), *output;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  int count = 0;
  sli_convolution_t c;
  if (conv->window.channels_first)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s only supports %s.", kernel,
                           rank == 4 ? "NHWC" : "NDHWC on the CPU");
  SLI_RETURN_IF_ERROR(read_sizes(context, 1, label, "filter_sizes", rank, dims, &count));
  if (count != rank)
    return rank == 4 ? sli_status_make(SLI_INVALID_ARGUMENT, "%s: filter must be 4-dimensional", label)
                     : sli_status_make(SLI_INVALID_ARGUMENT, "filter_sizes tensor must have 5 dimensions");
  if (input->rank != rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: input must be %d-dimensional", label, rank);
  if (gradient->rank != rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: out_backprop must be %d-dimensional", label, rank);
  SLI_RETURN_IF_ERROR(plan_backward(&conv->window, label, input->dims, dims, gradient, &c));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  return sli_convolution_backward_filter(context, &c, input->data, gradient->data, output->data);
}

static sli_status_t *conv2d_backward_input(sli_kernel_context_t *context) {
  return conv_backward_input(context, 4, "Conv2DCustomBackpropInput", "Conv2DCustomBackpropInputOp");
}
static sli_status_t *conv3d_backward_input(sli_kernel_context_t *context) {
  return conv_backward_input(context, 5, "Conv3DBackpropInputOp", "Conv3DBackpropInputOpV2");
}
static sli_status_t *conv2d_backward_filter(sli_kernel_context_t *context) {
  return conv_backward_filter(context, 4, "Conv2DCustomBackpropFilter", "Conv2DCustomBackpropFilterOp");
}
static sli_status_t *conv3d_backward_filter(sli_kernel_context_t *context) {
  return conv_backward_filter(context, 5, "Conv3DBackpropFilterOp", "Conv3DBackpropFilterOpV2");
}

// The gradients of Conv3D in graphs before version 10, which take a tensor where later ones take its shape.

static sli_status_t *plan_old_conv3d(sli_kernel_context_t *context, sli_convolution_t *c) {
  static const char *const names[] = {"input", "filter", "out_backprop"};
  const conv_t *conv = sli_kernel_state(context);
  for (int i = 0; i < 3; i++) {
    if (sli_kernel_input(context, i)->rank != 5)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 5-dimensional", names[i]);
  }
  return plan_backward(&conv->window, context->node->op->def->name, sli_kernel_input(context, 0)->dims,
                       sli_kernel_input(context, 1)->dims, sli_kernel_input(context, 2), c);
}

static sli_status_t *old_conv3d_backward_input(sli_kernel_context_t *context) {
  sli_convolution_t c;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(plan_old_conv3d(context, &c));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(sli_kernel_input(context, 0)), &output));
  return sli_convolution_backward_input(context, &c, sli_kernel_input(context, 1)->data,
                                        sli_kernel_input(context, 2)->data, output->data);
}

static sli_status_t *old_conv3d_backward_filter(sli_kernel_context_t *context) {
  sli_convolution_t c;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(plan_old_conv3d(context, &c));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(sli_kernel_input(context, 1)), &output));
  return sli_convolution_backward_filter(context, &c, sli_kernel_input(context, 0)->data,
                                         sli_kernel_input(context, 2)->data, output->data);
}

static sli_status_t *old_backward_input_shape(sli_infer_context_t *c) {
  return sli_infer_input_with_rank(c, 0, 5, &c->outputs[0]);
}
static sli_status_t *old_backward_filter_shape(sli_infer_context_t *c) {
  return sli_infer_input_with_rank(c, 1, 5, &c->outputs[0]);
}

// _FusedConv2D.

static sli_status_t *fused_error(const sli_attr_t *fused) {
  sli_string_t text = {0};
  for (size_t i = 0; i < fused->count; i++)
    sli_string_append_format(&text, "%s%.*s", i ? "," : "", SLI_VIEW_ARG(fused->list.s[i]));
  sli_status_t *status = sli_status_make(SLI_UNIMPLEMENTED, "Fusion is not implemented: [%s]", sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

static bool is_quantized(sli_dtype_t dtype) { return dtype == SLI_DTYPE_INT8 || dtype == SLI_DTYPE_QINT8; }

// Checks the extra arguments of 8-bit convolutions: bias, side input, scale of the convolution, scale of the side
// input.
static sli_status_t *check_quantized(const sli_node_def_t *node) {
  if (node->input_count != 6)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Fused Conv2D for int8 must have 6 inputs and %d is provided",
                           node->input_count);
  if (node->input_types[2] != SLI_DTYPE_FLOAT || node->input_types[3] != node->input_types[0] ||
      node->input_types[4] != SLI_DTYPE_FLOAT || node->input_types[5] != SLI_DTYPE_FLOAT)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Fused Conv2D for int8 takes a float bias, a side input of its own type and float scales");
  return NULL;
}

static sli_status_t *fused_create(const sli_kernel_setup_t *setup, void **out_state) {
  conv_t conv = {0};
  const sli_attr_t *fused;
  int64_t num_args, host_args;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(read_conv(setup, 4, &conv));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "epsilon", &conv.epsilon));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "leakyrelu_alpha", &conv.alpha));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "num_args", &num_args));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "num_host_args", &host_args));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(setup->node, "fused_ops", SLI_ATTR_STRING, &fused));
  conv.has_bias = fused->count > 0 && sli_view_is(fused->list.s[0], "BiasAdd");
  conv.has_norm = fused->count > 0 && sli_view_is(fused->list.s[0], "FusedBatchNorm");
  if (fused->count == 2) conv.activation = sli_epilogue_activation_named(fused->list.s[1]);
  bool known = (fused->count == 1 || (fused->count == 2 && conv.activation)) && (conv.has_bias || conv.has_norm) &&
               conv.activation <= SLI_EPILOGUE_LEAKY_RELU;  // the activations that TensorFlow fuses
  if (!known) return fused_error(fused);
  if (is_quantized(setup->node->input_types[0])) {
    if (conv.has_norm || conv.activation > SLI_EPILOGUE_RELU) return fused_error(fused);
    SLI_RETURN_IF_ERROR(check_quantized(setup->node));
    *out_state = sli_memdup(&conv, sizeof(conv));
    return NULL;
  }
  if (setup->node->input_count != 2 + (conv.has_bias ? 1 : 4) || num_args != (conv.has_bias ? 1 : 4) || host_args != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s",
                           conv.has_bias ? "Fused Conv2D with BiasAdd must have one extra argument: bias."
                                         : "Fused FusedBatchNorm must have four extra arguments: scale, offset, mean, "
                                           "variance.");
  for (int i = 2; i < setup->node->input_count; i++)
    if (setup->node->input_types[i] != setup->node->input_types[0])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Fused Conv2D: the extra arguments must have the type of the input");
  *out_state = sli_memdup(&conv, sizeof(conv));
  return NULL;
}

// A convolution with batch normalisation is a convolution with a scaled filter and a bias.
#define FOLD(T, name)                                                                                               \
  static void fold_norm_##name(const conv_t *conv, const T *filter, const void *const norm[4], T *folded, T *shift, \
                               int64_t rows, int64_t n) {                                                           \
    const T *gamma = norm[0], *beta = norm[1], *mean = norm[2], *variance = norm[3];                                \
    for (int64_t i = 0; i < n; i++) {                                                                               \
      T scale = (T)(gamma[i] / sqrt((double)variance[i] + (double)conv->epsilon));                                  \
      shift[i] = beta[i] - mean[i] * scale;                                                                         \
      for (int64_t r = 0; r < rows; r++) folded[r * n + i] = filter[r * n + i] * scale;                             \
    }                                                                                                               \
  }
FOLD(float, float)
FOLD(double, double)

// Computes the scaled filter, followed by the bias, in one tensor.
static sli_status_t *fold_norm(sli_kernel_context_t *context, sli_tensor_t **out_folded) {
  const conv_t *conv = sli_kernel_state(context);
  sli_tensor_t *filter = sli_kernel_input(context, 1);
  const void *norm[4];
  int64_t n = filter->dims[3], rows = n ? filter->count / n : 0;
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_temporary(context, (sli_dtype_t)filter->dtype, SLI_SHAPE(filter->count + n), out_folded));
  for (int i = 0; i < 4; i++) norm[i] = sli_kernel_input(context, 2 + i)->data;
  void *folded = (*out_folded)->data;
  if (filter->dtype == SLI_DTYPE_DOUBLE)
    fold_norm_double(conv, filter->data, norm, folded, (double *)folded + filter->count, rows, n);
  else
    fold_norm_float(conv, filter->data, norm, folded, (float *)folded + filter->count, rows, n);
  return NULL;
}

static sli_status_t *fused_conv2d(sli_kernel_context_t *context) {
  const conv_t *conv = sli_kernel_state(context);
  sli_tensor_t *filter = sli_kernel_input(context, 1), *folded = NULL, *output;
  if (filter->rank != 4) return conv_rank_error("convolution filter must be 4-dimensional: ", filter);
  for (int i = 2; i < context->input_count; i++) {
    sli_tensor_t *extra = sli_kernel_input(context, i);
    if (extra->count != filter->dims[3])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Fused Conv2D: an extra argument must have as many elements as the output's depth");
  }
  sli_convolution_t c;
  SLI_RETURN_IF_ERROR(plan_forward(context, 4, &c, &output));
  sli_epilogue_t epilogue = {sli_kernel_input(context, 2)->data, conv->activation, conv->alpha};
  const char *filter_data = filter->data;
  if (conv->has_norm) {
    SLI_RETURN_IF_ERROR(fold_norm(context, &folded));
    filter_data = folded->data;
    epilogue.bias = filter_data + sli_tensor_bytes(filter);
  }
  sli_status_t *status =
      sli_convolution_forward(context, &c, sli_kernel_input(context, 0)->data, filter_data, &epilogue, output->data);
  sli_tensor_release(folded);
  return status;
}

static sli_status_t *widen_int8(sli_kernel_context_t *context, const sli_tensor_t *narrow, sli_tensor_t **out) {
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_INT32, sli_tensor_shape(narrow), out));
  for (int64_t i = 0; i < narrow->count; i++) SLI_DATA(int32_t, *out)[i] = SLI_DATA(int8_t, narrow)[i];
  return NULL;
}

// 8-bit convolution: summed in int32, then scaled, added to the bias and the scaled side input, rounded and clipped.
static sli_status_t *fused_quantized(sli_kernel_context_t *context) {
  const conv_t *conv = sli_kernel_state(context);
  sli_tensor_t *bias = sli_kernel_input(context, 2), *side = sli_kernel_input(context, 3), *output;
  sli_tensor_t *wide[3] = {NULL, NULL, NULL};
  sli_convolution_t c;
  SLI_RETURN_IF_ERROR(plan_forward(context, 4, &c, &output));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 4, "conv_input_scale"));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 5, "side_input_scale"));
  if (bias->count != c.out_channels || !sli_tensor_same_shape(side, output))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Fused Conv2D for int8: bias and side input must fit the output's depth and shape");
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, widen_int8(context, sli_kernel_input(context, 0), &wide[0]));
  SLI_GOTO_IF_ERROR(status, cleanup, widen_int8(context, sli_kernel_input(context, 1), &wide[1]));
  SLI_GOTO_IF_ERROR(status, cleanup,
                    sli_kernel_allocate_temporary(context, SLI_DTYPE_INT32, sli_tensor_shape(output), &wide[2]));
  c.dtype = SLI_DTYPE_INT32;
  SLI_GOTO_IF_ERROR(status, cleanup,
                    sli_convolution_forward(context, &c, wide[0]->data, wide[1]->data, NULL, wide[2]->data));
  float scale = *SLI_DATA(float, sli_kernel_input(context, 4));
  float side_scale = *SLI_DATA(float, sli_kernel_input(context, 5));
  float least = conv->activation == SLI_EPILOGUE_RELU ? 0 : INT8_MIN;
  for (int64_t i = 0; i < output->count; i++) {
    float value = scale * (float)SLI_DATA(int32_t, wide[2])[i] + side_scale * (float)SLI_DATA(int8_t, side)[i] +
                  SLI_DATA(float, bias)[i % c.out_channels];
    // A NaN fails every comparison and becomes |least|.
    value = value > least ? (value < INT8_MAX ? rintf(value) : INT8_MAX) : least;
    SLI_DATA(int8_t, output)[i] = (int8_t)value;
  }
cleanup:
  for (int i = 0; i < 3; i++) sli_tensor_release(wide[i]);
  return status;
}

// Shape functions.

static sli_status_t *conv_shape(sli_infer_context_t *c, int rank, const char *name) {
  sli_shape_t input, filter;
  sli_window_t window;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, rank, &input));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, rank, &filter));
  SLI_RETURN_IF_ERROR(sli_window_read(c->node, rank, name, &window));
  int channels = sli_window_channel_dim(&window);
  int64_t depth = sli_infer_dim(input, channels), filter_depth = sli_infer_dim(filter, rank - 2);
  if (depth >= 0 && filter_depth >= 0) {
    if (filter_depth == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Depth of filter must not be 0");
    if (depth % filter_depth != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Depth of input (%lld) is not a multiple of input depth of filter (%lld)",
                             (long long)depth, (long long)filter_depth);
  }
  dims[0] = sli_infer_dim(input, 0);
  dims[channels] = sli_infer_dim(filter, rank - 1);
  for (int i = 0; i < rank - 2; i++) {
    int d = sli_window_dim(&window, i);
    SLI_RETURN_IF_ERROR(sli_window_infer(&window, d, sli_infer_dim(input, d), sli_infer_dim(filter, i), &dims[d]));
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, rank, dims));
  return NULL;
}
static sli_status_t *conv2d_shape(sli_infer_context_t *c) { return conv_shape(c, 4, "Conv2D"); }
static sli_status_t *conv3d_shape(sli_infer_context_t *c) { return conv_shape(c, 5, "Conv3D"); }

static sli_status_t *conv_sizes_shape(sli_infer_context_t *c, int index, int rank) {
  sli_shape_t sizes;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, index, &sizes));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, sizes, rank, &sizes));
  sli_infer_set_output(c, 0, sizes);
  return NULL;
}
static sli_status_t *backward_filter2_shape(sli_infer_context_t *c) { return conv_sizes_shape(c, 1, 4); }
static sli_status_t *backward_filter3_shape(sli_infer_context_t *c) { return conv_sizes_shape(c, 1, 5); }
static sli_status_t *backward_input3_shape(sli_infer_context_t *c) { return conv_sizes_shape(c, 0, 5); }
static sli_status_t *backward_input2_shape(sli_infer_context_t *c) {
  sli_shape_t sizes, filter, gradient;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 0, &sizes));
  if (sizes.rank == 2) {  // only rows and columns
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 4, &filter));
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 4, &gradient));
    int64_t dims[] = {sli_infer_dim(gradient, 0), sizes.dims[0], sizes.dims[1], sli_infer_dim(filter, 2)};
    sizes = sli_infer_make(c, 4, dims);
  }
  SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, sizes, 4, &sizes));
  sli_infer_set_output(c, 0, sizes);
  return NULL;
}

// Gradients. The gradients of each of the three ops are computed by the other two, with the same attributes.

static sli_output_t emit_conv(sli_gradient_builder_t *b, const char *op, sli_output_t x, sli_output_t y,
                              sli_output_t z) {
  static const char *const names[] = {"strides",   "padding",          "explicit_paddings",
                                      "dilations", "use_cudnn_on_gpu", "data_format"};
  sli_attr_entry_t attrs[SLI_ARRAY_COUNT_OF(names)];
  sli_output_t inputs[] = {x, y, z};
  size_t count = 0;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) {
    const sli_attr_t *attr = sli_node_attr(b->node, names[i]);
    if (attr) attrs[count++] = (sli_attr_entry_t){names[i], *attr};
  }
  return sli_gradient_emit(b, op, inputs, z.node ? 3 : 2, attrs, count);
}

typedef struct {
  const char *forward, *input, *filter;
} conv_family_t;
static const conv_family_t conv2d_family = {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"},
                           conv3d_family = {"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"};

static sli_status_t *conv_forward_gradient(sli_gradient_builder_t *b, const conv_family_t *family) {
  sli_output_t input = sli_gradient_input(b, 0), filter = sli_gradient_input(b, 1), g = sli_gradient_of_output(b, 0);
  sli_output_t shapes = sli_emit2(b, "ShapeN", input, filter);
  sli_gradient_set(b, 0, emit_conv(b, family->input, shapes, filter, g));
  sli_gradient_set(b, 1, emit_conv(b, family->filter, input, sli_output_at(shapes, 1), g));
  return NULL;
}
static sli_status_t *input_gradient(sli_gradient_builder_t *b, const conv_family_t *family) {
  sli_output_t filter = sli_gradient_input(b, 1), out = sli_gradient_input(b, 2), g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 1, emit_conv(b, family->filter, g, sli_emit_shape(b, filter), out));
  sli_gradient_set(b, 2, emit_conv(b, family->forward, g, filter, SLI_OUTPUT_NONE));
  return NULL;
}
static sli_status_t *filter_gradient(sli_gradient_builder_t *b, const conv_family_t *family) {
  sli_output_t input = sli_gradient_input(b, 0), out = sli_gradient_input(b, 2), g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, emit_conv(b, family->input, sli_emit_shape(b, input), g, out));
  sli_gradient_set(b, 2, emit_conv(b, family->forward, input, g, SLI_OUTPUT_NONE));
  return NULL;
}
#define GRADIENTS(dims)                                                          \
  static sli_status_t *conv##dims##_gradient(sli_gradient_builder_t *b) {        \
    return conv_forward_gradient(b, &conv##dims##_family);                       \
  }                                                                              \
  static sli_status_t *conv##dims##_input_gradient(sli_gradient_builder_t *b) {  \
    return input_gradient(b, &conv##dims##_family);                              \
  }                                                                              \
  static sli_status_t *conv##dims##_filter_gradient(sli_gradient_builder_t *b) { \
    return filter_gradient(b, &conv##dims##_family);                             \
  }
GRADIENTS(2d)
GRADIENTS(3d)

#define CONV2D_ATTRS                                                                            \
  "strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME', 'VALID', 'EXPLICIT'}; " \
  "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]"
#define OLD_CONV3D_ATTRS                                                                                             \
  "T: {half, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; dilations: list(int) = [1, 1, 1, " \
  "1, "                                                                                                              \
  "1]"
#define CONV3D_ATTRS                                                                                       \
  "T: {half, bfloat16, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: " \
  "{'NDHWC', 'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]"

static const sli_op_def_t ops[] = {
    {.name = "Conv2D",
     .inputs = "input: T, filter: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double, int32}; " CONV2D_ATTRS,
     .summary = "A 2-D convolution.",
     .shape = conv2d_shape,
     .gradient = conv2d_gradient},
    {.name = "Conv2DBackpropInput",
     .inputs = "input_sizes: int32, filter: T, out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double, int32}; " CONV2D_ATTRS,
     .summary = "The gradient of Conv2D with respect to the input.",
     .shape = backward_input2_shape,
     .gradient = conv2d_input_gradient},
    {.name = "Conv2DBackpropFilter",
     .inputs = "input: T, filter_sizes: int32, out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double}; " CONV2D_ATTRS,
     .summary = "The gradient of Conv2D with respect to the filter.",
     .shape = backward_filter2_shape,
     .gradient = conv2d_filter_gradient},
    {.name = "_FusedConv2D",
     .inputs = "input: T, filter: T, args: TArgs, host_args: num_host_args * float",
     .outputs = "output: T",
     .attrs = "T: {half, float, double, int8, qint8}; TArgs: list(type) >= 1; num_args: int >= 0; num_host_args: int "
              ">= 0 = 0; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = "
              "[]; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'; filter_format: {'HWIO', 'OIHW', "
              "'OIHW_VECT_I'} = 'HWIO'; dilations: list(int) = [1, 1, 1, 1]; use_cudnn_on_gpu: bool = true; fused_ops: "
              "list(string) = []; epsilon: float = 0.0001; leakyrelu_alpha: float = 0.2",
     .summary = "Conv2D followed by a bias or batch normalisation and an activation.",
     .shape = conv2d_shape,
     .fuses = "Conv2D",
     .fused_activations = "Relu, Relu6, Elu, LeakyRelu"},
    {.name = "Conv3D",
     .inputs = "input: T, filter: T",
     .outputs = "output: T",
     .attrs = CONV3D_ATTRS,
     .summary = "A 3-D convolution.",
     .shape = conv3d_shape,
     .gradient = conv3d_gradient},
    {.name = "Conv3DBackpropInputV2",
     .inputs = "input_sizes: Tshape, filter: T, out_backprop: T",
     .outputs = "output: T",
     .attrs = CONV3D_ATTRS "; Tshape: {int32, int64} = DT_INT32",
     .summary = "The gradient of Conv3D with respect to the input.",
     .shape = backward_input3_shape,
     .gradient = conv3d_input_gradient},
    {.name = "Conv3DBackpropFilterV2",
     .inputs = "input: T, filter_sizes: int32, out_backprop: T",
     .outputs = "output: T",
     .attrs = CONV3D_ATTRS,
     .summary = "The gradient of Conv3D with respect to the filter.",
     .shape = backward_filter3_shape,
     .gradient = conv3d_filter_gradient},
    {.name = "Conv3DBackpropInput",
     .inputs = "input: T, filter: T, out_backprop: T",
     .outputs = "output: T",
     .attrs = OLD_CONV3D_ATTRS,
     .summary = "The gradient of Conv3D with respect to the input.",
     .shape = old_backward_input_shape,
     .deprecated_in = 10,
     .deprecation = "Use Conv3DBackpropInputV2"},
    {.name = "Conv3DBackpropFilter",
     .inputs = "input: T, filter: T, out_backprop: T",
     .outputs = "output: T",
     .attrs = OLD_CONV3D_ATTRS,
     .summary = "The gradient of Conv3D with respect to the filter.",
     .shape = old_backward_filter_shape,
     .deprecated_in = 10,
     .deprecation = "Use Conv3DBackpropFilterV2"},
};

#define OLD_CONV3D_TYPES (SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
#define CONV_KERNEL(name, allowed, function, maker)                                                           \
  {                                                                                                           \
    .op = name, .types = (allowed), .compute = function, .create = maker, .destroy = free, .expensive = true, \
    .cost = 10                                                                                                \
  }
static const sli_kernel_def_t kernels[] = {
    CONV_KERNEL("Conv2D", SLI_TYPES_FLOATING | SLI_TYPE_INT32, conv2d, conv2d_create),
    CONV_KERNEL("Conv2DBackpropInput", SLI_TYPES_FLOATING | SLI_TYPE_INT32, conv2d_backward_input, conv2d_create),
    CONV_KERNEL("Conv2DBackpropFilter", SLI_TYPES_FLOATING, conv2d_backward_filter, conv2d_create),
    CONV_KERNEL("_FusedConv2D", SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, fused_conv2d, fused_create),
    CONV_KERNEL("_FusedConv2D", SLI_TYPE_INT8 | SLI_TYPE_BIT(SLI_DTYPE_QINT8), fused_quantized, fused_create),
    CONV_KERNEL("Conv3D", SLI_TYPES_FLOATING, conv3d, conv3d_create),
    CONV_KERNEL("Conv3DBackpropInputV2", SLI_TYPES_FLOATING, conv3d_backward_input, conv3d_create),
    CONV_KERNEL("Conv3DBackpropFilterV2", SLI_TYPES_FLOATING, conv3d_backward_filter, conv3d_create),
    CONV_KERNEL("Conv3DBackpropInput", OLD_CONV3D_TYPES, old_conv3d_backward_input, conv3d_create),
    CONV_KERNEL("Conv3DBackpropFilter", OLD_CONV3D_TYPES, old_conv3d_backward_filter, conv3d_create),
};

SLI_OP_MODULE(conv_ops);
