// The MaxPool ops: the maximum of each window, its gradient and the gradient of the gradient, in 2-D and 3-D, and the
// ops that also return the index of each maximum. As in TensorFlow, if several values are equal to the maximum, the
// first of them gets the gradient in 2-D, but all of them in 3-D.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/nn/pooling.h"

typedef struct {
  sli_window_t window;
  bool include_batch;
} max_pool_t;

static sli_status_t *check_window(const sli_window_t *window) {
  if (window->size[0] != 1 || window->stride[0] != 1)
    return sli_status_make(SLI_UNIMPLEMENTED, "Pooling is not yet supported on the batch dimension.");
  for (int d = 0; d < window->rank; d++) {
    if (window->rank == 4 && window->size[d] == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Sliding window ksize for dimension %d was zero.", d);
    if (window->size[d] < 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Sliding window ksize field must have non-negative dimensions");
  }
  // Explicit paddings must be smaller than the window, so that each window overlaps the image.
  static const char *const before[] = {"Top", "Left"}, *const after[] = {"Bottom", "Right"};
  for (int i = 0; i < window->rank - 2; i++) {
    int d = sli_window_dim(window, i);
    if (window->before[d] >= window->size[d] || window->after[d] >= window->size[d]) {
      bool top = window->before[d] >= window->size[d];
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s padding %lld needs to be smaller than the window size %lld",
                             top ? before[i] : after[i], (long long)(top ? window->before[d] : window->after[d]),
                             (long long)window->size[d]);
    }
  }
  return NULL;
}

static sli_status_t *max_pool_create(const sli_kernel_setup_t *setup, int rank, const char *kernel, void **out_state) {
  max_pool_t pool = {0};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_window_read(setup->node, rank, setup->node->op->def->name, &pool.window));
  if (pool.window.channels_first)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Default %s only supports %s on device type CPU", kernel,
                           rank == 4 ? "NHWC" : "NDHWC");
  if (sli_node_attr(setup->node, "ksize")) SLI_RETURN_IF_ERROR(check_window(&pool.window));
  if (rank == 5 && (pool.window.size[4] != 1 || pool.window.stride[4] != 1))
    return sli_status_make(SLI_UNIMPLEMENTED, "Pooling is not yet supported on the depth dimension.");
  if (sli_node_attr(setup->node, "include_batch_in_index"))
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "include_batch_in_index", &pool.include_batch));
  *out_state = sli_memdup(&pool, sizeof(pool));
  return NULL;
}
static sli_status_t *max_pool_2d_create(const sli_kernel_setup_t *setup, void **state) {
  return max_pool_create(setup, 4, "MaxPoolingOp", state);
}
static sli_status_t *max_pool_2d_grad_create(const sli_kernel_setup_t *setup, void **state) {
  return max_pool_create(setup, 4, "MaxPoolingGradOp", state);
}
static sli_status_t *create_grad_grad2(const sli_kernel_setup_t *setup, void **state) {
  return max_pool_create(setup, 4, "MaxPoolingGradGradOp", state);
}
static sli_status_t *max_pool_3d_create(const sli_kernel_setup_t *setup, void **state) {
  return max_pool_create(setup, 5, "Pooling3DOp", state);
}

// Reads the window of a V2 op: inputs |index| and |index| + 1 are its sizes and strides.
static sli_status_t *read_dynamic(sli_kernel_context_t *context, int index, sli_window_t *window) {
  static const char *const names[] = {"ksize", "stride"};
  for (int i = 0; i < 2; i++) {
    sli_tensor_t *values = sli_kernel_input(context, index + i);
    if (values->count != 4)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Sliding window %s field must specify 4 dimensions", names[i]);
    for (int d = 0; d < 4; d++) (i ? window->stride : window->size)[d] = SLI_DATA(int32_t, values)[d];
  }
  for (int d = 0; d < 4; d++) {
    if (window->size[d] <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Sliding window ksize must be positive.");
    if (window->stride[d] <= 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Stride must be > 0, but got %lld", (long long)window->stride[d]);
  }
  return check_window(window);
}

static bool pools_depth(const sli_window_t *window) {
  return window->rank == 4 && (window->size[3] != 1 || window->stride[3] != 1);
}

// Pools over groups of adjacent channels.
static sli_status_t *max_over_depth(sli_kernel_context_t *context, const sli_window_t *window) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t size = window->size[3], depth = input->dims[3];
  if (window->size[1] != 1 || window->size[2] != 1)
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  if (depth % size != 0)
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "Depthwise max pooling requires the depth window to evenly divide the input depth");
  if (size != window->stride[3])
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "Depthwise max pooling requires the depth window to equal the depth stride");
  if (window->stride[1] != 1 || window->stride[2] != 1)
    return sli_status_make(SLI_UNIMPLEMENTED, "Depthwise max pooling requires row and column strides of 1");
  int64_t dims[] = {input->dims[0], input->dims[1], input->dims[2], depth / size};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){4, dims}, &output));
  if (output->count == 0) return NULL;
  // Each group is treated as an image of one row with |size| columns and one channel.
  sli_pooling_t groups = {.dtype = (sli_dtype_t)input->dtype,
                          .batch = output->count,
                          .channels = 1,
                          .in = {1, 1, size},
                          .out = {1, 1, 1},
                          .size = {1, 1, size},
                          .stride = {1, 1, size}};
  return sli_pooling_max(context, &groups, input->data, output->data, (sli_pooling_argmax_t){0});
}

static sli_status_t *max_pool_in(sli_kernel_context_t *context, const sli_window_t *window) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_pooling_t p;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  if (input->rank != window->rank)
    return window->rank == 5 ? sli_status_make(SLI_INVALID_ARGUMENT, "tensor_in must be 5-dimensional")
                             : sli_status_make(SLI_INVALID_ARGUMENT,
                                               "tensor_in_shape must have 2 spatial dimensions. %d 0", input->rank);
  if (pools_depth(window)) return max_over_depth(context, window);
  SLI_RETURN_IF_ERROR(sli_pooling_plan(window, (sli_dtype_t)input->dtype, input->dims, &p));
  sli_shape_t shape = sli_pooling_output_shape(&p, window->rank, dims);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  return sli_pooling_max(context, &p, input->data, output->data, (sli_pooling_argmax_t){0});
}

static sli_status_t *max_pool(sli_kernel_context_t *context) {
  const max_pool_t *pool = sli_kernel_state(context);
  return max_pool_in(context, &pool->window);
}
static sli_status_t *max_pool_v2(sli_kernel_context_t *context) {
  sli_window_t window = ((const max_pool_t *)sli_kernel_state(context))->window;
  SLI_RETURN_IF_ERROR(read_dynamic(context, 1, &window));
  return max_pool_in(context, &window);
}

static sli_status_t *expect_shape(const char *name, sli_shape_t wanted, const sli_tensor_t *tensor) {
  if (sli_shape_equal(wanted, sli_tensor_shape(tensor))) return NULL;
  char *a = sli_shape_to_text(wanted), *b = sli_shape_to_text(sli_tensor_shape(tensor));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Expected %s shape to be %s, but got %s", name, a, b);
  free(a);
  free(b);
  return status;
}

// MaxPoolGrad or, if |second|, MaxPoolGradGrad. The inputs are the original input, the original output and the
// gradient.
static sli_status_t *gradient_in(sli_kernel_context_t *context, const sli_window_t *window, bool second) {
  static const char *const names[] = {"tensor_in", "tensor_out", "out_backprop"};
  sli_tensor_t *input = sli_kernel_input(context, 0), *gradient = sli_kernel_input(context, 2), *output;
  sli_pooling_t p;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  for (int i = 0; i < 3; i++)
    if (sli_kernel_input(context, i)->rank != window->rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be %d-dimensional", names[i], window->rank);
  if (pools_depth(window))
    return sli_status_make(SLI_UNIMPLEMENTED, "%s is not yet supported on the depth dimension.",
                           second ? "MaxPoolingGradGrad" : "MaxPoolingGrad");
  SLI_RETURN_IF_ERROR(sli_pooling_plan(window, (sli_dtype_t)input->dtype, input->dims, &p));
  sli_shape_t pooled = sli_pooling_output_shape(&p, window->rank, dims), whole = sli_tensor_shape(input);
  SLI_RETURN_IF_ERROR(expect_shape("orig_output", pooled, sli_kernel_input(context, 1)));
  SLI_RETURN_IF_ERROR(expect_shape("grad", second ? whole : pooled, gradient));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, second ? pooled : whole, &output));
  return second ? sli_pooling_max_collect(context, &p, input->data, gradient->data, output->data)
                : sli_pooling_max_backward(context, &p, input->data, gradient->data, window->rank == 5, output->data);
}

static sli_status_t *max_pool_grad(sli_kernel_context_t *context) {
  return gradient_in(context, &((const max_pool_t *)sli_kernel_state(context))->window, false);
}
static sli_status_t *max_pool_grad_grad(sli_kernel_context_t *context) {
  return gradient_in(context, &((const max_pool_t *)sli_kernel_state(context))->window, true);
}
static sli_status_t *max_pool_grad_v2(sli_kernel_context_t *context) {
  sli_window_t window = ((const max_pool_t *)sli_kernel_state(context))->window;
  SLI_RETURN_IF_ERROR(read_dynamic(context, 3, &window));
  return gradient_in(context, &window, false);
}
static sli_status_t *max_pool_grad_grad_v2(sli_kernel_context_t *context) {
  sli_window_t window = ((const max_pool_t *)sli_kernel_state(context))->window;
  SLI_RETURN_IF_ERROR(read_dynamic(context, 3, &window));
  return gradient_in(context, &window, true);
}

static sli_status_t *max_pool_with_argmax(sli_kernel_context_t *context) {
  const max_pool_t *pool = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *output, *argmax;
  sli_pooling_t p;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  if (input->rank != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "tensor_in must be 4-dimensional (2)");
  if (pools_depth(&pool->window))
    return sli_status_make(SLI_UNIMPLEMENTED, "MaxPoolWithArgmax is not yet supported on the depth dimension.");
  SLI_RETURN_IF_ERROR(sli_pooling_plan(&pool->window, (sli_dtype_t)input->dtype, input->dims, &p));
  sli_shape_t shape = sli_pooling_output_shape(&p, 4, dims);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, shape, &argmax));
  return sli_pooling_max(context, &p, input->data, output->data, (sli_pooling_argmax_t){argmax, pool->include_batch});
}

// Adds element |i| of |gradient| to element |to| of |output|.
static void add_element(sli_tensor_t *output, int64_t to, const sli_tensor_t *gradient, int64_t i) {
  switch (output->dtype) {
    case SLI_DTYPE_FLOAT: SLI_DATA(float, output)[to] += SLI_DATA(float, gradient)[i]; break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, output)[to] += SLI_DATA(double, gradient)[i]; break;
    case SLI_DTYPE_HALF: {
      sli_half_t *sum = SLI_DATA(sli_half_t, output) + to;
      *sum = sli_half_from_float(sli_half_to_float(*sum) + sli_half_to_float(SLI_DATA(sli_half_t, gradient)[i]));
      break;
    }
    case SLI_DTYPE_BFLOAT16: {
      sli_bfloat16_t *sum = SLI_DATA(sli_bfloat16_t, output) + to;
      *sum = sli_bfloat16_from_float(sli_bfloat16_to_float(*sum) +
                                     sli_bfloat16_to_float(SLI_DATA(sli_bfloat16_t, gradient)[i]));
      break;
    }
    default:
      switch (sli_dtype_size((sli_dtype_t)output->dtype)) {
        case 1: SLI_DATA(uint8_t, output)[to] += SLI_DATA(uint8_t, gradient)[i]; break;
        case 2: SLI_DATA(uint16_t, output)[to] += SLI_DATA(uint16_t, gradient)[i]; break;
        case 4: SLI_DATA(uint32_t, output)[to] += SLI_DATA(uint32_t, gradient)[i]; break;
        default: SLI_DATA(uint64_t, output)[to] += SLI_DATA(uint64_t, gradient)[i]; break;
      }
  }
}

static sli_status_t *max_pool_grad_with_argmax(sli_kernel_context_t *context) {
  const max_pool_t *pool = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *gradient = sli_kernel_input(context, 1);
  sli_tensor_t *argmax = sli_kernel_input(context, 2), *output;
  sli_pooling_t p;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  if (input->rank != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "tensor_in must be 4-dimensional (2)");
  SLI_RETURN_IF_ERROR(sli_pooling_plan(&pool->window, (sli_dtype_t)input->dtype, input->dims, &p));
  sli_shape_t pooled = sli_pooling_output_shape(&p, 4, dims);
  SLI_RETURN_IF_ERROR(expect_shape("grad", pooled, gradient));
  SLI_RETURN_IF_ERROR(expect_shape("argmax", pooled, argmax));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  if (output->count) memset(output->data, 0, sli_tensor_bytes(output));
  int64_t image = p.batch ? output->count / p.batch : 0, per_image = p.batch ? gradient->count / p.batch : 0;
  for (int64_t i = 0; i < gradient->count; i++) {
    int64_t base = i / per_image * image, index = sli_tensor_int_at(argmax, i);
    if (index < 0 || index >= output->count || (!pool->include_batch && index >= image))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid input grad_out_index: %lld, it is outside of the input",
                             (long long)index);
    add_element(output, pool->include_batch ? index : base + index, gradient, i);
  }
  return NULL;
}

// Shape functions.

static sli_status_t *pooled_shape(sli_infer_context_t *c, const sli_window_t *window, sli_shape_t *out) {
  sli_shape_t input;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  int rank = window->rank, channels = sli_window_channel_dim(window);
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, rank, &input));
  dims[0] = sli_infer_dim(input, 0);
  dims[channels] = sli_infer_dim(input, channels);
  for (int i = 0; i < rank - 2; i++) {
    int d = sli_window_dim(window, i);
    SLI_RETURN_IF_ERROR(sli_window_infer(window, d, sli_infer_dim(input, d), window->size[d], &dims[d]));
  }
  if (pools_depth(window) && !window->channels_first)
    SLI_RETURN_IF_ERROR(
        sli_window_infer(window, channels, sli_infer_dim(input, channels), window->size[channels], &dims[channels]));
  *out = sli_infer_make(c, rank, dims);
  return NULL;
}

static sli_status_t *max_pool_shape_of(sli_infer_context_t *c, int rank, const char *name, sli_shape_t *out) {
  sli_window_t window;
  sli_shape_t input;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, rank, &input));
  SLI_RETURN_IF_ERROR(sli_window_read(c->node, rank, name, &window));
  return pooled_shape(c, &window, out);
}
static sli_status_t *max_pool_shape(sli_infer_context_t *c) {
  return max_pool_shape_of(c, 4, "MaxPool", &c->outputs[0]);
}
static sli_status_t *max_pool_3d_shape(sli_infer_context_t *c) {
  return max_pool_shape_of(c, 5, "Pool3D", &c->outputs[0]);
}
static sli_status_t *argmax_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(max_pool_shape(c));
  c->outputs[1] = c->outputs[0];
  return NULL;
}

// The output shape of a V2 op: inputs |index| and |index| + 1 are its sizes and strides.
static sli_status_t *dynamic_shape_of(sli_infer_context_t *c, int index, sli_shape_t *out) {
  sli_window_t window;
  sli_shape_t input;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &input));
  SLI_RETURN_IF_ERROR(sli_window_read(c->node, 4, "MaxPool", &window));
  *out = sli_infer_make_unknown_of_rank(c, 4);
  for (int i = 0; i < 2; i++) {
    const sli_tensor_t *values = sli_infer_input_constant(c, index + i);
    if (!values) return NULL;
    if (values->count != 4)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "MaxPool requires the %s attribute to contain 4 values, but got: %lld",
                             i ? "stride" : "ksize", (long long)values->count);
    for (int d = 0; d < 4; d++) (i ? window.stride : window.size)[d] = sli_tensor_int_at(values, d);
  }
  return pooled_shape(c, &window, out);
}
static sli_status_t *max_pool_v2_shape(sli_infer_context_t *c) { return dynamic_shape_of(c, 1, &c->outputs[0]); }

static sli_status_t *max_pool_grad_shape(sli_infer_context_t *c, int rank) {
  return sli_infer_input_with_rank(c, 0, rank, &c->outputs[0]);
}
static sli_status_t *max_pool_2d_grad_shape(sli_infer_context_t *c) { return max_pool_grad_shape(c, 4); }
static sli_status_t *max_pool_3d_grad_shape(sli_infer_context_t *c) { return max_pool_grad_shape(c, 5); }

// The output of the gradient's gradient has the shape of the original output, its incoming gradient that of the
// original input.
static sli_status_t *check_grad_grad(sli_infer_context_t *c) {
  sli_shape_t merged;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 0), sli_infer_input(c, 2), &merged));
  return sli_infer_merge(c, sli_infer_input(c, 1), c->outputs[0], &merged);
}
static sli_status_t *grad_grad_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(max_pool_shape(c));
  return check_grad_grad(c);
}
static sli_status_t *grad_grad_3d_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(max_pool_3d_shape(c));
  return check_grad_grad(c);
}
static sli_status_t *grad_grad_v2_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(dynamic_shape_of(c, 3, &c->outputs[0]));
  return check_grad_grad(c);
}

// Gradients.

static sli_output_t emit_max_pool(sli_gradient_builder_t *b, const char *op, const sli_output_t *inputs, size_t count) {
  static const char *const names[] = {
      "ksize", "strides", "padding", "explicit_paddings", "data_format", "include_batch_in_index"};
  sli_attr_entry_t attrs[SLI_ARRAY_COUNT_OF(names)];
  const sli_op_t *wanted = sli_op_find(sli_view(op));
  size_t attr_count = 0;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) {
    const sli_attr_t *attr = sli_node_attr(b->node, names[i]);
    if (attr && wanted && sli_op_attr_spec(wanted, names[i])) attrs[attr_count++] = (sli_attr_entry_t){names[i], *attr};
  }
  return sli_gradient_emit(b, op, inputs, count, attrs, attr_count);
}

static sli_status_t *first_gradient(sli_gradient_builder_t *b, const char *op) {
  sli_gradient_set(
      b, 0,
      emit_max_pool(b, op,
                    SLI_INPUTS(sli_gradient_input(b, 0), sli_gradient_output(b, 0), sli_gradient_of_output(b, 0))));
  return NULL;
}
static sli_status_t *max_pool_gradient(sli_gradient_builder_t *b) { return first_gradient(b, "MaxPoolGrad"); }
static sli_status_t *max_pool_3d_gradient(sli_gradient_builder_t *b) { return first_gradient(b, "MaxPool3DGrad"); }
static sli_status_t *max_pool_v2_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(
      b, 0,
      emit_max_pool(b, "MaxPoolGradV2",
                    SLI_INPUTS(sli_gradient_input(b, 0), sli_gradient_output(b, 0), sli_gradient_of_output(b, 0),
                               sli_gradient_input(b, 1), sli_gradient_input(b, 2))));
  return NULL;
}
static sli_status_t *argmax_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(
      b, 0,
      emit_max_pool(b, "MaxPoolGradWithArgmax",
                    SLI_INPUTS(sli_gradient_input(b, 0), sli_gradient_of_output(b, 0), sli_gradient_output(b, 1))));
  return NULL;
}

// The op is linear in its gradient input; the gradients of its other inputs are zero.
static sli_status_t *higher_gradient(sli_gradient_builder_t *b, const char *op) {
  sli_output_t input = sli_gradient_input(b, 0), output = sli_gradient_input(b, 1), g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, sli_emit1(b, "ZerosLike", input));
  sli_gradient_set(b, 1, sli_emit1(b, "ZerosLike", output));
  sli_output_t inputs[] = {input, output, g, SLI_OUTPUT_NONE, SLI_OUTPUT_NONE};
  size_t count = 3;
  for (int i = 3; i < b->node->input_count; i++) inputs[count++] = sli_gradient_input(b, i);
  sli_gradient_set(b, 2, emit_max_pool(b, op, inputs, count));
  return NULL;
}
static sli_status_t *max_pool_grad_gradient(sli_gradient_builder_t *b) { return higher_gradient(b, "MaxPoolGradGrad"); }
static sli_status_t *grad_v2_gradient(sli_gradient_builder_t *b) { return higher_gradient(b, "MaxPoolGradGradV2"); }
static sli_status_t *grad_grad_gradient(sli_gradient_builder_t *b) { return higher_gradient(b, "MaxPoolGrad"); }
static sli_status_t *max_pool_3d_grad_gradient(sli_gradient_builder_t *b) {
  return higher_gradient(b, "MaxPool3DGradGrad");
}
static sli_status_t *grad_grad_3d_gradient(sli_gradient_builder_t *b) { return higher_gradient(b, "MaxPool3DGrad"); }

#define WINDOW_ATTRS "ksize: list(int) >= 4; strides: list(int) >= 4; "
#define WINDOW_3D_ATTRS                                                                       \
  "ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: " \
  "{'NDHWC', 'NCDHW'} = 'NDHWC'; "
#define FORWARD_TYPES "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT; "

static const sli_op_def_t ops[] = {
    {.name = "MaxPool",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = FORWARD_TYPES WINDOW_ATTRS
     "padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', "
     "'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     .summary = "The maximum of each 2-D window.",
     .shape = max_pool_shape,
     .gradient = max_pool_gradient},
    {.name = "MaxPoolV2",
     .inputs = "input: T, ksize: int32, strides: int32",
     .outputs = "output: T",
     .attrs = FORWARD_TYPES "padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     .summary = "The maximum of each 2-D window.",
     .shape = max_pool_v2_shape,
     .gradient = max_pool_v2_gradient},
    {.name = "MaxPoolGrad",
     .inputs = "orig_input: T, orig_output: T, grad: T",
     .outputs = "output: T",
     .attrs = WINDOW_ATTRS "padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: "
                           "{'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype = DT_FLOAT",
     .summary = "The gradient of MaxPool.",
     .shape = max_pool_2d_grad_shape,
     .gradient = max_pool_grad_gradient},
    {.name = "MaxPoolGradV2",
     .inputs = "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
     .outputs = "output: T",
     .attrs = "padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype = DT_FLOAT",
     .summary = "The gradient of MaxPoolV2.",
     .shape = max_pool_2d_grad_shape,
     .gradient = grad_v2_gradient},
    {.name = "MaxPoolGradGrad",
     .inputs = "orig_input: T, orig_output: T, grad: T",
     .outputs = "output: T",
     .attrs = WINDOW_ATTRS "padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype",
     .summary = "The second gradient of MaxPool.",
     .shape = grad_grad_shape,
     .gradient = grad_grad_gradient},
    {.name = "MaxPoolGradGradV2",
     .inputs = "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
     .outputs = "output: T",
     .attrs = "padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype",
     .summary = "The second gradient of MaxPoolV2.",
     .shape = grad_grad_v2_shape},
    {.name = "MaxPoolWithArgmax",
     .inputs = "input: T",
     .outputs = "output: T, argmax: Targmax",
     .attrs = WINDOW_ATTRS "Targmax: {int32, int64} = DT_INT64; padding: {'SAME', 'VALID'}; include_batch_in_index: "
                           "bool = false; T: realnumbertype",
     .summary = "The maximum of each 2-D window and its index.",
     .shape = argmax_shape,
     .gradient = argmax_gradient},
    {.name = "MaxPoolGradWithArgmax",
     .inputs = "input: T, grad: T, argmax: Targmax",
     .outputs = "output: T",
     .attrs = WINDOW_ATTRS "padding: {'SAME', 'VALID'}; include_batch_in_index: bool = false; Targmax: {int32, int64}; "
                           "T: realnumbertype",
     .summary = "The gradient of MaxPoolWithArgmax.",
     .shape = max_pool_2d_grad_shape},
    {.name = "MaxPool3D",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = WINDOW_3D_ATTRS "T: {half, bfloat16, float}",
     .summary = "The maximum of each 3-D window.",
     .shape = max_pool_3d_shape,
     .gradient = max_pool_3d_gradient},
    {.name = "MaxPool3DGrad",
     .inputs = "orig_input: TInput, orig_output: TInput, grad: T",
     .outputs = "output: T",
     .attrs = WINDOW_3D_ATTRS "T: {half, bfloat16, float} = DT_FLOAT; TInput: {half, bfloat16, float} = DT_FLOAT",
     .summary = "The gradient of MaxPool3D.",
     .shape = max_pool_3d_grad_shape,
     .gradient = max_pool_3d_grad_gradient},
    {.name = "MaxPool3DGradGrad",
     .inputs = "orig_input: T, orig_output: T, grad: T",
     .outputs = "output: T",
     .attrs = WINDOW_3D_ATTRS "T: realnumbertype",
     .summary = "The second gradient of MaxPool3D.",
     .shape = grad_grad_3d_shape,
     .gradient = grad_grad_3d_gradient},
};

#define POOL_KERNEL(name, allowed, function, maker) \
  .op = name, .types = (allowed), .compute = function, .create = maker, .destroy = free
static const sli_kernel_def_t kernels[] = {
    {POOL_KERNEL("MaxPool", SLI_TYPES_REAL, max_pool, max_pool_2d_create), .cost = 0.5},
    {POOL_KERNEL("MaxPoolV2", SLI_TYPES_REAL, max_pool_v2, max_pool_2d_create), .host_memory = "ksize, strides",
     .cost = 0.5},
    {POOL_KERNEL("MaxPoolGrad", SLI_TYPES_REAL, max_pool_grad, max_pool_2d_grad_create), .cost = 0.5},
    {POOL_KERNEL("MaxPoolGradV2", SLI_TYPES_REAL, max_pool_grad_v2, max_pool_2d_grad_create),
     .host_memory = "ksize, strides", .cost = 0.5},
    {POOL_KERNEL("MaxPoolGradGrad", SLI_TYPES_REAL, max_pool_grad_grad, create_grad_grad2)},
    {POOL_KERNEL("MaxPoolGradGradV2", SLI_TYPES_REAL, max_pool_grad_grad_v2, create_grad_grad2),
     .host_memory = "ksize, strides"},
    {POOL_KERNEL("MaxPoolWithArgmax", SLI_TYPES_REAL, max_pool_with_argmax, max_pool_2d_create),
     .where = {{"Targmax", SLI_TYPES_INDEX}}},
    {POOL_KERNEL("MaxPoolGradWithArgmax", SLI_TYPES_REAL, max_pool_grad_with_argmax, max_pool_2d_create),
     .where = {{"Targmax", SLI_TYPE_INT64}}},
    {POOL_KERNEL("MaxPool3D", SLI_TYPE_FLOAT | SLI_TYPE_BFLOAT16, max_pool, max_pool_3d_create)},
    {POOL_KERNEL("MaxPool3DGrad", SLI_TYPE_FLOAT, max_pool_grad, max_pool_3d_create),
     .where = {{"TInput", SLI_TYPE_FLOAT}}},
    {POOL_KERNEL("MaxPool3DGrad", SLI_TYPE_BFLOAT16, max_pool_grad, max_pool_3d_create),
     .where = {{"TInput", SLI_TYPE_BFLOAT16}}},
    {POOL_KERNEL("MaxPool3DGradGrad", SLI_TYPE_FLOAT | SLI_TYPE_BFLOAT16, max_pool_grad_grad, max_pool_3d_create)},
};

SLI_OP_MODULE(max_pool);
