// MaxPool and AvgPool and their gradients. As on the CPU, the first of several equal values of a window is its maximum,
// and padding does not count in a mean.
#include <stdlib.h>
#include <string.h>

#include "core/op/op_registry.h"
#include "device/opencl/kernels/images.h"

// The part of a window that lies on the image: rows [y0, y1) and columns [x0, x1).
#define WINDOW_SOURCE                                                                     \
  "#define WINDOW(oy, ox) \\\n"                                                           \
  "  long y0 = (oy) * w.stride[0] - w.before[0], y1 = min(y0 + w.size[0], w.in[0]); \\\n" \
  "  long x0 = (ox) * w.stride[1] - w.before[1], x1 = min(x0 + w.size[1], w.in[1]); \\\n" \
  "  y0 = max(y0, 0L); x0 = max(x0, 0L)\n"

static const char max_source[] = SLI_GPU_IMAGES WINDOW_SOURCE
    "__kernel void max_pool(TENSOR(a), TENSOR(r), images_t w) {\n"
    "  VIEW(T, a); VIEW(T, r);\n"
    "  long i = get_global_id(0);\n"
    "  ELEMENT(i, w.out, w.out_channels);\n"
    "  WINDOW(y, x);\n"
    "  T_C best = T_LOAD(a, IN_PLACE(w, n, y0, x0, c));\n"
    "  for (long p = y0; p < y1; p++)\n"
    "    for (long q = x0; q < x1; q++) {\n"
    "      T_C value = T_LOAD(a, IN_PLACE(w, n, p, q, c));\n"
    "      if (value > best) best = value;\n"
    "    }\n"
    "  T_STORE(r, OUT_PLACE(w, n, y, x, c), best);\n"
    "}\n";

static const char average_source[] = SLI_GPU_IMAGES WINDOW_SOURCE
    "__kernel void average_pool(TENSOR(a), TENSOR(r), images_t w) {\n"
    "  VIEW(T, a); VIEW(T, r);\n"
    "  long i = get_global_id(0);\n"
    "  ELEMENT(i, w.out, w.out_channels);\n"
    "  WINDOW(y, x);\n"
    "  T_C sum = 0;\n"
    "  for (long p = y0; p < y1; p++)\n"
    "    for (long q = x0; q < x1; q++) sum += T_LOAD(a, IN_PLACE(w, n, p, q, c));\n"
    "  T_STORE(r, OUT_PLACE(w, n, y, x, c), sum / (T_C)((y1 - y0) * (x1 - x0)));\n"
    "}\n";

// In the gradients an item computes an element of the input's gradient, from all windows that cover it.
#define FOR_EACH_WINDOW_SOURCE                                                          \
  "#define FIRST_WINDOW(at, d) \\\n"                                                    \
  "  max((at + w.before[d] - w.size[d] + w.stride[d]) / w.stride[d], 0L)\n"             \
  "#define END_OF_WINDOWS(at, d) min((at + w.before[d]) / w.stride[d] + 1, w.out[d])\n" \
  "#define FOR_EACH_WINDOW \\\n"                                                        \
  "  for (long oy = FIRST_WINDOW(y, 0); oy < END_OF_WINDOWS(y, 0); oy++) \\\n"          \
  "    for (long ox = FIRST_WINDOW(x, 1); ox < END_OF_WINDOWS(x, 1); ox++)\n"

static const char max_gradient_source[] = SLI_GPU_IMAGES WINDOW_SOURCE FOR_EACH_WINDOW_SOURCE
    "__kernel void max_pool_gradient(TENSOR(a), TENSOR(g), TENSOR(r), images_t w) {\n"
    "  VIEW(T, a); VIEW(T, g); VIEW(T, r);\n"
    "  long i = get_global_id(0);\n"
    "  ELEMENT(i, w.in, w.in_channels);\n"
    "  T_C sum = 0;\n"
    "  FOR_EACH_WINDOW {\n"
    "    WINDOW(oy, ox);\n"
    "    long best_y = y0, best_x = x0;\n"
    "    T_C best = T_LOAD(a, IN_PLACE(w, n, y0, x0, c));\n"
    "    for (long p = y0; p < y1; p++)\n"
    "      for (long q = x0; q < x1; q++) {\n"
    "        T_C value = T_LOAD(a, IN_PLACE(w, n, p, q, c));\n"
    "        if (value > best) { best = value; best_y = p; best_x = q; }\n"
    "      }\n"
    "    if (best_y == y && best_x == x) sum += T_LOAD(g, OUT_PLACE(w, n, oy, ox, c));\n"
    "  }\n"
    "  T_STORE(r, IN_PLACE(w, n, y, x, c), sum);\n"
    "}\n";

static const char average_gradient_source[] = SLI_GPU_IMAGES WINDOW_SOURCE FOR_EACH_WINDOW_SOURCE
    "__kernel void average_pool_gradient(TENSOR(g), TENSOR(r), images_t w) {\n"
    "  VIEW(T, g); VIEW(T, r);\n"
    "  long i = get_global_id(0);\n"
    "  ELEMENT(i, w.in, w.in_channels);\n"
    "  T_C sum = 0;\n"
    "  FOR_EACH_WINDOW {\n"
    "    WINDOW(oy, ox);\n"
    "    sum += T_LOAD(g, OUT_PLACE(w, n, oy, ox, c)) / (T_C)((y1 - y0) * (x1 - x0));\n"
    "  }\n"
    "  T_STORE(r, IN_PLACE(w, n, y, x, c), sum);\n"
    "}\n";

static sli_status_t *create(const sli_kernel_setup_t *setup, void **out_state) {
  void *state;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_gpu_images_create(setup, &state));
  const sli_window_t *window = state;
  sli_status_t *status = NULL;
  if (window->size[0] != 1)
    status = sli_status_make(SLI_UNIMPLEMENTED, "Pooling is not yet supported on the batch dimension.");
  if (!status && window->size[sli_window_channel_dim(window)] != 1)
    status = sli_status_make(SLI_UNIMPLEMENTED, "Depthwise max pooling is currently only implemented for CPU devices.");
  for (int i = 0; !status && i < 2; i++) {
    int64_t size = window->size[sli_window_dim(window, i)];
    if (size < 1 || window->before[sli_window_dim(window, i)] >= size ||
        window->after[sli_window_dim(window, i)] >= size)
      status = sli_status_make(SLI_INVALID_ARGUMENT,
                               "Sliding window ksize must be positive and larger than the padding, got %lld",
                               (long long)size);
  }
  if (status)
    free(state);
  else
    *out_state = state;
  return status;
}

// Plans the pooling of images of the shape |in|; |out_dims| is the shape of the output.
static sli_status_t *plan(const sli_kernel_context_t *context, const int64_t in[4], sli_gpu_images_t *out_images,
                          int64_t out_dims[4]) {
  const sli_window_t *window = sli_kernel_state(context);
  const int64_t size[] = {window->size[sli_window_dim(window, 0)], window->size[sli_window_dim(window, 1)]};
  SLI_RETURN_IF_ERROR(sli_gpu_images_plan(window, in, size, in[sli_window_channel_dim(window)], out_images));
  sli_gpu_images_output(window, out_images, out_dims);
  return NULL;
}

static sli_status_t *require_images(const sli_tensor_t *tensor) {
  if (tensor->rank == 4) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "tensor_in must be 4-dimensional: %s",
                         sli_tensor_shape_text(tensor).text);
}

static sli_status_t *pool(sli_kernel_context_t *context, const char *name, const char *source) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_gpu_images_t images;
  int64_t dims[4];
  SLI_RETURN_IF_ERROR(require_images(input));
  SLI_RETURN_IF_ERROR(plan(context, input->dims, &images, dims));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){4, dims}, &output));
  sli_opencl_program_t program = {name, source, NULL, {output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(input), SLI_OPENCL_TENSOR(output), SLI_OPENCL_VALUE(images)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(output->count));
}
static sli_status_t *max_pool(sli_kernel_context_t *context) { return pool(context, "max_pool", max_source); }
static sli_status_t *average_pool(sli_kernel_context_t *context) {
  return pool(context, "average_pool", average_source);
}

static sli_status_t *max_pool_gradient(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *gradient = sli_kernel_input(context, 2), *output;
  sli_gpu_images_t images;
  int64_t dims[4];
  SLI_RETURN_IF_ERROR(require_images(input));
  SLI_RETURN_IF_ERROR(plan(context, input->dims, &images, dims));
  SLI_RETURN_IF_ERROR(sli_gpu_images_check("MaxPoolGrad", "orig_output", sli_kernel_input(context, 1), dims));
  SLI_RETURN_IF_ERROR(sli_gpu_images_check("MaxPoolGrad", "grad", gradient, dims));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  sli_opencl_program_t program = {"max_pool_gradient", max_gradient_source, NULL, {output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(input), SLI_OPENCL_TENSOR(gradient), SLI_OPENCL_TENSOR(output),
                             SLI_OPENCL_VALUE(images)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(output->count));
}

static sli_status_t *average_pool_gradient(sli_kernel_context_t *context) {
  sli_tensor_t *gradient = sli_kernel_input(context, 1), *output;
  sli_gpu_images_t images;
  int64_t in[4], dims[4];
  int count;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 0, "orig_input_shape", in, 4, &count));
  if (count != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "orig_input_shape must be 1-dimensional and 4 elements, got %d",
                           count);
  SLI_RETURN_IF_ERROR(plan(context, in, &images, dims));
  SLI_RETURN_IF_ERROR(sli_gpu_images_check("AvgPoolGrad", "grad", gradient, dims));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){4, in}, &output));
  sli_opencl_program_t program = {"average_pool_gradient", average_gradient_source, NULL, {output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(gradient), SLI_OPENCL_TENSOR(output), SLI_OPENCL_VALUE(images)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(output->count));
}

#define KERNEL(name, function, host)                                                                  \
  {                                                                                                   \
    .op = name, .device = "GPU", .types = SLI_GPU_FLOATING, .host_memory = host, .compute = function, \
    .create = create, .destroy = free                                                                 \
  }
static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    KERNEL("MaxPool", max_pool, NULL),
    KERNEL("MaxPoolGrad", max_pool_gradient, NULL),
    KERNEL("AvgPool", average_pool, NULL),
    KERNEL("AvgPoolGrad", average_pool_gradient, "orig_input_shape"),
};
SLI_OP_MODULE(gpu_pooling);
