// Cast. An int32 is in host memory: as the input it is copied to the device first, as the output it is copied back.
#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"

static const char cast_source[] =
    "__kernel void cast(TENSOR(a), TENSOR(r)) {\n"
    "  VIEW(T, a); VIEW(U, r);\n"
    "  size_t i = get_global_id(0);\n"
    "  T_C x = T_LOAD(a, i);\n"
    "  U_STORE(r, i, (U_C)(EXPRESSION));\n"
    "}\n";

static sli_status_t *launch(sli_kernel_context_t *context, const sli_tensor_t *input, const sli_tensor_t *output) {
  const char *expression = output->dtype == SLI_DTYPE_BOOL ? "x != 0" : "x";
  sli_opencl_program_t program = {"cast", cast_source, expression, {input->dtype, output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(input), SLI_OPENCL_TENSOR(output)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(output->count));
}

static sli_status_t *cast_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input, *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(sli_kernel_input(context, 0)), &output));
  SLI_RETURN_IF_ERROR(sli_gpu_input(context, 0, &input));
  sli_status_t *status = launch(context, input, output);
  sli_tensor_release(input);
  return status;
}

static void downloaded(void *user, sli_status_t *status) { sli_kernel_complete(user, status); }

static sli_status_t *begin_cast_to_host(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output, *result;
  sli_shape_t shape = sli_tensor_shape(input);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, (sli_dtype_t)output->dtype, shape, &result));
  sli_status_t *status = launch(context, input, result);
  if (!status) context->device->vtable->download(context->device, result, output, downloaded, context);
  sli_tensor_release(result);
  return status;
}

static void cast_to_host_compute(sli_kernel_context_t *context) {
  sli_status_t *status = begin_cast_to_host(context);
  if (status) sli_kernel_complete(context, status);
}

// TensorFlow's casts to integers of values that do not fit differ between devices; ours are those of OpenCL.
#define ON_DEVICE (SLI_GPU_NUMBERS | SLI_TYPE_BOOL | SLI_TYPE_INT8 | SLI_TYPE_UINT8 | SLI_TYPE_INT16 | SLI_TYPE_UINT16)
static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    {.op = "Cast",
     .device = "GPU",
     .where = {{"SrcT", ON_DEVICE | SLI_TYPE_INT32}, {"DstT", ON_DEVICE}},
     .compute = cast_compute},
    {.op = "Cast",
     .device = "GPU",
     .where = {{"SrcT", ON_DEVICE}, {"DstT", SLI_TYPE_INT32}},
     .compute_async = cast_to_host_compute},
};
SLI_OP_MODULE(gpu_cast);
