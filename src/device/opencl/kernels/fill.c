// Fill, BiasAdd: a value for many elements.
#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"

static const char fill_source[] =
    "__kernel void fill(TENSOR(a), TENSOR(r)) {\n"
    "  VIEW(T, a); VIEW(T, r);\n"
    "  r[get_global_id(0)] = a[0];\n"
    "}\n";

static const char bias_source[] =
    "__kernel void bias_add(TENSOR(a), TENSOR(b), TENSOR(r), long channels, long inner) {\n"
    "  VIEW(T, a); VIEW(T, b); VIEW(T, r);\n"
    "  size_t i = get_global_id(0);\n"
    "  T_STORE(r, i, T_LOAD(a, i) + T_LOAD(b, i / inner % channels));\n"
    "}\n";

static sli_status_t *fill_compute(sli_kernel_context_t *context) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 0, "dims", dims, SLI_MAX_RANK, &rank));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 1, "value"));
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  sli_opencl_program_t program = {"fill", fill_source, NULL, {output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(sli_kernel_input(context, 1)), SLI_OPENCL_TENSOR(output)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(output->count));
}

static sli_status_t *bias_add_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *bias = sli_kernel_input(context, 1), *output;
  const sli_attr_t *format = sli_node_attr(context->node, "data_format");
  if (input->rank < 2 || bias->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input tensor must be at least 2D and biases must be 1D: %s %s",
                           sli_tensor_shape_text(input).text, sli_tensor_shape_text(bias).text);
  int channel = format && sli_view_is(format->s, "NCHW") ? 1 : input->rank - 1;
  int64_t channels = input->dims[channel], inner = 1;
  if (bias->dims[0] != channels)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Must provide as many biases as the last dimension of the input tensor: %s vs. %s",
                           sli_tensor_shape_text(bias).text, sli_tensor_shape_text(input).text);
  for (int d = channel + 1; d < input->rank; d++) inner *= input->dims[d];
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, sli_tensor_shape(input), &output));
  sli_opencl_program_t program = {"bias_add", bias_source, NULL, {output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(input), SLI_OPENCL_TENSOR(bias), SLI_OPENCL_TENSOR(output),
                             SLI_OPENCL_VALUE(channels), SLI_OPENCL_VALUE(inner)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(output->count));
}

static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    {.op = "Fill",
     .device = "GPU",
     .types = SLI_GPU_NUMBERS | SLI_TYPE_BOOL,
     .host_memory = "dims",
     .compute = fill_compute},
    {.op = "BiasAdd", .device = "GPU", .types = SLI_GPU_FLOATING, .compute = bias_add_compute},
    {.op = "BiasAddV1", .device = "GPU", .types = SLI_GPU_FLOATING, .compute = bias_add_compute},
};
SLI_OP_MODULE(gpu_fill);
