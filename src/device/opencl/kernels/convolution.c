// Conv2D and DepthwiseConv2dNative and their gradients. A filter is [rows, columns, in_channels / groups,
// out_channels]; a depthwise convolution has a group for each channel.
#include <stdlib.h>
#include <string.h>

#include "core/op/op_registry.h"
#include "device/opencl/kernels/images.h"

// An item computes an element of the output.
static const char forward_source[] = SLI_GPU_IMAGES
    "__kernel void convolution(TENSOR(a), TENSOR(f), TENSOR(r), images_t w) {\n"
    "  VIEW(T, a); VIEW(T, f); VIEW(T, r);\n"
    "  long i = get_global_id(0), depth = w.in_channels / w.groups;\n"
    "  ELEMENT(i, w.out, w.out_channels);\n"
    "  long first = c / (w.out_channels / w.groups) * depth;\n"
    "  T_C sum = 0;\n"
    "  for (long p = 0; p < w.size[0]; p++) {\n"
    "    long from_y = y * w.stride[0] + p * w.dilation[0] - w.before[0];\n"
    "    if (from_y < 0 || from_y >= w.in[0]) continue;\n"
    "    for (long q = 0; q < w.size[1]; q++) {\n"
    "      long from_x = x * w.stride[1] + q * w.dilation[1] - w.before[1];\n"
    "      if (from_x < 0 || from_x >= w.in[1]) continue;\n"
    "      long at = IN_PLACE(w, n, from_y, from_x, first), tap = (p * w.size[1] + q) * depth * w.out_channels + c;\n"
    "      for (long k = 0; k < depth; k++)\n"
    "        sum += T_LOAD(a, at + k * w.in_step[3]) * T_LOAD(f, tap + k * w.out_channels);\n"
    "    }\n"
    "  }\n"
    "  T_STORE(r, OUT_PLACE(w, n, y, x, c), sum);\n"
    "}\n";

// An item computes an element of the input's gradient, from all windows that cover it.
static const char input_source[] = SLI_GPU_IMAGES
    "__kernel void convolution_input(TENSOR(f), TENSOR(g), TENSOR(r), images_t w) {\n"
    "  VIEW(T, f); VIEW(T, g); VIEW(T, r);\n"
    "  long i = get_global_id(0), depth = w.in_channels / w.groups, outs = w.out_channels / w.groups;\n"
    "  ELEMENT(i, w.in, w.in_channels);\n"
    "  long first = c / depth * outs;\n"
    "  T_C sum = 0;\n"
    "  for (long p = 0; p < w.size[0]; p++) {\n"
    "    long to_y = y + w.before[0] - p * w.dilation[0];\n"
    "    if (to_y < 0 || to_y % w.stride[0] || to_y / w.stride[0] >= w.out[0]) continue;\n"
    "    for (long q = 0; q < w.size[1]; q++) {\n"
    "      long to_x = x + w.before[1] - q * w.dilation[1];\n"
    "      if (to_x < 0 || to_x % w.stride[1] || to_x / w.stride[1] >= w.out[1]) continue;\n"
    "      long at = OUT_PLACE(w, n, to_y / w.stride[0], to_x / w.stride[1], first);\n"
    "      long tap = ((p * w.size[1] + q) * depth + c % depth) * w.out_channels + first;\n"
    "      for (long k = 0; k < outs; k++) sum += T_LOAD(g, at + k * w.out_step[3]) * T_LOAD(f, tap + k);\n"
    "    }\n"
    "  }\n"
    "  T_STORE(r, IN_PLACE(w, n, y, x, c), sum);\n"
    "}\n";

// A work group computes an element of the filter's gradient: a sum over all places of the window.
static const char filter_source[] = SLI_GPU_IMAGES
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void convolution_filter(TENSOR(a), TENSOR(g), TENSOR(r), images_t w) {\n"
    "  VIEW(T, a); VIEW(T, g); VIEW(T, r);\n"
    "  __local T_C sums[GROUP];\n"
    "  long i = get_group_id(0), depth = w.in_channels / w.groups, c = i % w.out_channels;\n"
    "  long k = i / w.out_channels % depth, tap = i / w.out_channels / depth;\n"
    "  long p = tap / w.size[1], q = tap % w.size[1], channel = c / (w.out_channels / w.groups) * depth + k;\n"
    "  int item = get_local_id(0);\n"
    "  T_C sum = 0;\n"
    "  for (long j = item; j < w.batch * w.out[0] * w.out[1]; j += GROUP) {\n"
    "    long x = j % w.out[1], y = j / w.out[1] % w.out[0], n = j / w.out[1] / w.out[0];\n"
    "    long from_y = y * w.stride[0] + p * w.dilation[0] - w.before[0];\n"
    "    long from_x = x * w.stride[1] + q * w.dilation[1] - w.before[1];\n"
    "    if (from_y >= 0 && from_y < w.in[0] && from_x >= 0 && from_x < w.in[1])\n"
    "      sum += T_LOAD(a, IN_PLACE(w, n, from_y, from_x, channel)) * T_LOAD(g, OUT_PLACE(w, n, y, x, c));\n"
    "  }\n"
    "  sums[item] = sum;\n"
    "  for (int half_size = GROUP / 2; half_size; half_size /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (item < half_size) sums[item] += sums[item + half_size];\n"
    "  }\n"
    "  if (item == 0) T_STORE(r, i, sums[0]);\n"
    "}\n";

static bool is_depthwise(const sli_kernel_context_t *context) {
  return !strncmp(context->node->op->def->name, "Depthwise", 9);
}

// Plans a convolution of images of the shape |in| with a filter of the shape |filter|.
static sli_status_t *plan(const sli_kernel_context_t *context, const int64_t in[4], const int64_t filter[4],
                          sli_gpu_images_t *out) {
  const sli_window_t *window = sli_kernel_state(context);
  int64_t channels = in[sli_window_channel_dim(window)], outs = filter[3];
  bool fits = is_depthwise(context)
                  ? channels == filter[2] && !__builtin_mul_overflow(channels, filter[3], &outs)
                  : filter[2] > 0 && channels % filter[2] == 0 && channels && outs % (channels / filter[2]) == 0;
  if (!fits)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: the depth of the input, %lld, does not fit a filter of shape %s",
                           context->node->op->def->name, (long long)channels,
                           sli_shape_text((sli_shape_t){4, filter}).text);
  SLI_RETURN_IF_ERROR(sli_gpu_images_plan(window, in, filter, outs, out));
  out->groups = is_depthwise(context) ? channels : channels / filter[2];
  return NULL;
}

// Runs a kernel with two operands. Without elements to sum the result is zero, which the kernels write.
static sli_status_t *run(sli_kernel_context_t *context, const char *name, const char *source, const sli_tensor_t *a,
                         const sli_tensor_t *b, const sli_tensor_t *output, const sli_gpu_images_t *images,
                         sli_opencl_range_t range) {
  sli_opencl_program_t program = {name, source, NULL, {output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(a), SLI_OPENCL_TENSOR(b), SLI_OPENCL_TENSOR(output),
                             SLI_OPENCL_VALUE(*images)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &range);
}

static sli_status_t *require_four_dims(const sli_kernel_context_t *context, int index) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  if (tensor->rank == 4) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s: %s must be 4-dimensional: %s", context->node->op->def->name,
                         context->node->op->inputs[index].name, sli_tensor_shape_text(tensor).text);
}

static sli_status_t *convolution(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *filter = sli_kernel_input(context, 1), *output;
  int64_t dims[4];
  sli_gpu_images_t images;
  SLI_RETURN_IF_ERROR(require_four_dims(context, 0));
  SLI_RETURN_IF_ERROR(require_four_dims(context, 1));
  SLI_RETURN_IF_ERROR(plan(context, input->dims, filter->dims, &images));
  sli_gpu_images_output(sli_kernel_state(context), &images, dims);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){4, dims}, &output));
  return run(context, "convolution", forward_source, input, filter, output, &images, SLI_OPENCL_EACH(output->count));
}

// Input |index| has the sizes of the operand whose gradient is computed; the other one is |known|.
static sli_status_t *plan_gradient(sli_kernel_context_t *context, int index, int64_t sizes[4],
                                   sli_gpu_images_t *out_images) {
  const sli_tensor_t *known = sli_kernel_input(context, 1 - index), *gradient = sli_kernel_input(context, 2);
  const char *op = context->node->op->def->name;
  int count;
  int64_t dims[4];
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, index, context->node->op->inputs[index].name, sizes, 4, &count));
  SLI_RETURN_IF_ERROR(require_four_dims(context, 1 - index));
  SLI_RETURN_IF_ERROR(require_four_dims(context, 2));
  if (!index && count == 2) {  // only rows and columns
    const sli_window_t *window = sli_kernel_state(context);
    int64_t rows = sizes[0], columns = sizes[1];
    sizes[0] = gradient->dims[0];
    sizes[sli_window_channel_dim(window)] = known->dims[2];
    sizes[sli_window_dim(window, 0)] = rows;
    sizes[sli_window_dim(window, 1)] = columns;
  } else if (count != 4) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s requires %s to contain 4 values, but got: %d", op,
                           context->node->op->inputs[index].name, count);
  }
  SLI_RETURN_IF_ERROR(plan(context, index ? known->dims : sizes, index ? sizes : known->dims, out_images));
  sli_gpu_images_output(sli_kernel_state(context), out_images, dims);
  return sli_gpu_images_check(op, "out_backprop", gradient, dims);
}

static sli_status_t *gradient(sli_kernel_context_t *context, int index, const char *name, const char *source) {
  int64_t dims[4];
  sli_gpu_images_t images;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(plan_gradient(context, index, dims, &images));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){4, dims}, &output));
  return run(context, name, source, sli_kernel_input(context, 1 - index), sli_kernel_input(context, 2), output, &images,
             index ? SLI_OPENCL_GROUPS(output->count) : SLI_OPENCL_EACH(output->count));
}
static sli_status_t *input_gradient(sli_kernel_context_t *context) {
  return gradient(context, 0, "convolution_input", input_source);
}
static sli_status_t *filter_gradient(sli_kernel_context_t *context) {
  return gradient(context, 1, "convolution_filter", filter_source);
}

#define KERNEL(name, function, host)                                                                  \
  {                                                                                                   \
    .op = name, .device = "GPU", .types = SLI_GPU_FLOATING, .host_memory = host, .compute = function, \
    .create = sli_gpu_images_create, .destroy = free                                                  \
  }
static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    KERNEL("Conv2D", convolution, NULL),
    KERNEL("Conv2DBackpropInput", input_gradient, "input_sizes"),
    KERNEL("Conv2DBackpropFilter", filter_gradient, "filter_sizes"),
    KERNEL("DepthwiseConv2dNative", convolution, NULL),
    KERNEL("DepthwiseConv2dNativeBackpropInput", input_gradient, "input_sizes"),
    KERNEL("DepthwiseConv2dNativeBackpropFilter", filter_gradient, "filter_sizes"),
};
SLI_OP_MODULE(gpu_convolution);
