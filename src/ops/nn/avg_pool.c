// AvgPool and AvgPool3D: the mean of each window, in which padding does not count; and their gradients.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/nn/pooling.h"

static sli_status_t *avg_pool_create(const sli_kernel_setup_t *setup, int rank, const char *kernel, void **out_state) {
  sli_window_t window;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_window_read(setup->node, rank, setup->node->op->def->name, &window));
  if (window.channels_first)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Default %s only supports %s on device type CPU", kernel,
                           rank == 4 ? "NHWC" : "NDHWC");
  if (window.size[0] != 1 || window.stride[0] != 1)
    return sli_status_make(SLI_UNIMPLEMENTED, "Pooling is not yet supported on the batch dimension.");
  for (int d = 0; d < rank; d++) {
    if (window.size[d] > 0) continue;
    return rank == 4
               ? sli_status_make(SLI_INVALID_ARGUMENT, "ksize must be a postive int32 value, got:%lld",
                                 (long long)window.size[d])
               : sli_status_make(SLI_INVALID_ARGUMENT, "Sliding window ksize field must have non-negative dimensions");
  }
  if (window.size[rank - 1] != 1 || window.stride[rank - 1] != 1)
    return sli_status_make(SLI_UNIMPLEMENTED, "%s",
                           rank == 4 ? "Non-spatial pooling is not yet supported. Volunteers? :)"
                                     : "Pooling is not yet supported on the depth dimension.");
  *out_state = sli_memdup(&window, sizeof(window));
  return NULL;
}
static sli_status_t *avg_pool_2d_create(const sli_kernel_setup_t *setup, void **state) {
  return avg_pool_create(setup, 4, "AvgPoolingOp", state);
}
static sli_status_t *avg_pool_2d_grad_create(const sli_kernel_setup_t *setup, void **state) {
  return avg_pool_create(setup, 4, "AvgPoolingGradOp", state);
}
static sli_status_t *avg_pool_3d_create(const sli_kernel_setup_t *setup, void **state) {
  return avg_pool_create(setup, 5, "Pooling3DOp", state);
}

static sli_status_t *avg_pool(sli_kernel_context_t *context) {
  const sli_window_t *window = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_pooling_t p;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  if (input->rank != window->rank)
    return window->rank == 5 ? sli_status_make(SLI_INVALID_ARGUMENT, "tensor_in must be 5-dimensional")
                             : sli_status_make(SLI_INVALID_ARGUMENT,
                                               "tensor_in_shape must have 2 spatial dimensions. %d 0", input->rank);
  SLI_RETURN_IF_ERROR(sli_pooling_plan(window, (sli_dtype_t)input->dtype, input->dims, &p));
  sli_shape_t shape = sli_pooling_output_shape(&p, window->rank, dims);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  return sli_pooling_average(context, &p, input->data, output->data);
}

static sli_status_t *avg_pool_grad(sli_kernel_context_t *context) {
  const sli_window_t *window = sli_kernel_state(context);
  sli_tensor_t *sizes = sli_kernel_input(context, 0), *gradient = sli_kernel_input(context, 1), *output;
  int rank = window->rank;
  int64_t in[SLI_WINDOW_MAX_RANK], dims[SLI_WINDOW_MAX_RANK];
  sli_pooling_t p;
  if (sizes->rank != 1 || sizes->count != rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 1-dimensional and %d elements",
                           rank == 4 ? "out_backprop" : "tensor_in", rank);
  if (gradient->rank != rank) return sli_status_make(SLI_INVALID_ARGUMENT, "out_backprop must be %d-dimensional", rank);
  for (int d = 0; d < rank; d++) {
    in[d] = SLI_DATA(int32_t, sizes)[d];
    if (in[d] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected a non-negative size, got %lld", (long long)in[d]);
  }
  SLI_RETURN_IF_ERROR(sli_pooling_plan(window, (sli_dtype_t)gradient->dtype, in, &p));
  sli_shape_t pooled = sli_pooling_output_shape(&p, rank, dims);
  if (!sli_shape_equal(pooled, sli_tensor_shape(gradient))) {
    char *a = sli_shape_to_text(pooled), *b = sli_shape_to_text(sli_tensor_shape(gradient));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Expected grad shape to be %s, but got %s", a, b);
    free(a);
    free(b);
    return status;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, in}, &output));
  return sli_pooling_average_backward(context, &p, gradient->data, output->data);
}

static sli_status_t *avg_pool_shape_of(sli_infer_context_t *c, int rank, const char *name) {
  sli_window_t window;
  sli_shape_t input;
  int64_t dims[SLI_WINDOW_MAX_RANK];
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, rank, &input));
  SLI_RETURN_IF_ERROR(sli_window_read(c->node, rank, name, &window));
  int channels = sli_window_channel_dim(&window);
  dims[0] = sli_infer_dim(input, 0);
  dims[channels] = sli_infer_dim(input, channels);
  for (int i = 0; i < rank - 2; i++) {
    int d = sli_window_dim(&window, i);
    SLI_RETURN_IF_ERROR(sli_window_infer(&window, d, sli_infer_dim(input, d), window.size[d], &dims[d]));
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, rank, dims));
  return NULL;
}
static sli_status_t *avg_pool_shape(sli_infer_context_t *c) { return avg_pool_shape_of(c, 4, "AvgPool"); }
static sli_status_t *avg_pool_3d_shape(sli_infer_context_t *c) { return avg_pool_shape_of(c, 5, "Pool3D"); }

static sli_status_t *avg_pool_grad_shape(sli_infer_context_t *c, int rank) {
  sli_shape_t sizes;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 0, &sizes));
  return sli_infer_with_rank(c, sizes, rank, &c->outputs[0]);
}
static sli_status_t *avg_pool_2d_grad_shape(sli_infer_context_t *c) { return avg_pool_grad_shape(c, 4); }
static sli_status_t *avg_pool_3d_grad_shape(sli_infer_context_t *c) { return avg_pool_grad_shape(c, 5); }

static sli_output_t emit_avg_pool(sli_gradient_builder_t *b, const char *op, const sli_output_t *inputs, size_t count) {
  static const char *const names[] = {"ksize", "strides", "padding", "data_format"};
  sli_attr_entry_t attrs[SLI_ARRAY_COUNT_OF(names)];
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++)
    attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(b->node, names[i])};
  return sli_gradient_emit(b, op, inputs, count, attrs, SLI_ARRAY_COUNT_OF(names));
}

static sli_status_t *avg_pool_gradient_by(sli_gradient_builder_t *b, const char *op) {
  sli_output_t shape = sli_emit_shape(b, sli_gradient_input(b, 0));
  sli_gradient_set(b, 0, emit_avg_pool(b, op, SLI_INPUTS(shape, sli_gradient_of_output(b, 0))));
  return NULL;
}
static sli_status_t *avg_pool_gradient(sli_gradient_builder_t *b) { return avg_pool_gradient_by(b, "AvgPoolGrad"); }
static sli_status_t *avg_pool_3d_gradient(sli_gradient_builder_t *b) {
  return avg_pool_gradient_by(b, "AvgPool3DGrad");
}

static sli_status_t *grad_gradient_by(sli_gradient_builder_t *b, const char *op) {
  sli_gradient_set(b, 1, emit_avg_pool(b, op, SLI_INPUTS(sli_gradient_of_output(b, 0))));
  return NULL;
}
static sli_status_t *avg_pool_grad_gradient(sli_gradient_builder_t *b) { return grad_gradient_by(b, "AvgPool"); }
static sli_status_t *avg_pool_3d_grad_gradient(sli_gradient_builder_t *b) { return grad_gradient_by(b, "AvgPool3D"); }

#define ATTRS                                                                                                    \
  "ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = " \
  "'NHWC'; T: {half, bfloat16, float, double}"
#define ATTRS_3D                                                                                                   \
  "ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} = " \
  "'NDHWC'; T: {half, bfloat16, float, double}"

static const sli_op_def_t ops[] = {
    {.name = "AvgPool",
     .inputs = "value: T",
     .outputs = "output: T",
     .attrs = ATTRS,
     .summary = "The mean of each 2-D window.",
     .shape = avg_pool_shape,
     .gradient = avg_pool_gradient},
    {.name = "AvgPoolGrad",
     .inputs = "orig_input_shape: int32, grad: T",
     .outputs = "output: T",
     .attrs = ATTRS,
     .summary = "The gradient of AvgPool.",
     .shape = avg_pool_2d_grad_shape,
     .gradient = avg_pool_grad_gradient},
    {.name = "AvgPool3D",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = ATTRS_3D,
     .summary = "The mean of each 3-D window.",
     .shape = avg_pool_3d_shape,
     .gradient = avg_pool_3d_gradient},
    {.name = "AvgPool3DGrad",
     .inputs = "orig_input_shape: int32, grad: T",
     .outputs = "output: T",
     .attrs = ATTRS_3D,
     .summary = "The gradient of AvgPool3D.",
     .shape = avg_pool_3d_grad_shape,
     .gradient = avg_pool_3d_grad_gradient},
};

#define POOL_KERNEL(name, allowed, function, maker) \
  .op = name, .types = (allowed), .compute = function, .create = maker, .destroy = free
static const sli_kernel_def_t kernels[] = {
    {POOL_KERNEL("AvgPool", SLI_TYPES_FLOATING, avg_pool, avg_pool_2d_create), .cost = 0.5},
    {POOL_KERNEL("AvgPoolGrad", SLI_TYPES_FLOATING, avg_pool_grad, avg_pool_2d_grad_create),
     .host_memory = "orig_input_shape", .cost = 0.5},
    {POOL_KERNEL("AvgPool3D", SLI_TYPE_FLOAT | SLI_TYPE_BFLOAT16, avg_pool, avg_pool_3d_create)},
    {POOL_KERNEL("AvgPool3DGrad", SLI_TYPE_FLOAT | SLI_TYPE_BFLOAT16, avg_pool_grad, avg_pool_3d_create),
     .host_memory = "orig_input_shape"},
};

SLI_OP_MODULE(avg_pool);
