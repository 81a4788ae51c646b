// FakeParam, a value for a branch that does not compute it, and DeviceIndex, the kind of device that a node runs on.
#include "core/op/shape_inference.h"
#include "core/tensor/tensor.h"

// The value is never used: zeros, with no elements along dimensions that are unknown.
static sli_status_t *fake_param_compute(sli_kernel_context_t *context) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(context->node, "shape", &shape));
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) dims[i] = shape.dims[i] < 0 ? 0 : shape.dims[i];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, 0, (sli_shape_t){shape.rank < 0 ? 0 : shape.rank, dims}, &output));
  if (output->dtype != SLI_DTYPE_STRING && sli_tensor_bytes(output)) memset(output->data, 0, sli_tensor_bytes(output));
  return NULL;
}

static sli_status_t *device_index_compute(sli_kernel_context_t *context) {
  const sli_attr_t *names;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "device_names", SLI_ATTR_STRING, &names));
  int32_t index = 0;
  while ((size_t)index < names->count && !sli_view_is(names->list.s[index], context->device->type)) index++;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  SLI_DATA(int32_t, output)[0] = index;
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "FakeParam",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape",
     .summary = "A value that is never used.",
     .shape = sli_infer_fn_explicit},
    {.name = "DeviceIndex",
     .outputs = "index: int32",
     .attrs = "device_names: list(string)",
     .summary = "The position of this node's kind of device in a list.",
     .shape = sli_infer_fn_scalar,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "FakeParam", .compute = fake_param_compute},
    {.op = "DeviceIndex", .compute = device_index_compute},
};

SLI_OP_MODULE(parameter);
