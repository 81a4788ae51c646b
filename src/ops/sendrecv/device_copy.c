// _CopyToDevice, _CopyToHost, _DeviceConst: values between host memory and the memory of a device. Plans put them where
// the two ends of an edge are in different memories (runtime/plan/copies.h); they are in no other graph.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"

static sli_status_t *upload(sli_device_t *device, sli_tensor_t *host, sli_tensor_t **out_tensor) {
  SLI_RETURN_IF_ERROR(
      sli_tensor_create(device->allocator, (sli_dtype_t)host->dtype, host->dims, host->rank, out_tensor));
  sli_status_t *status = device->vtable->upload(device, host, *out_tensor);
  if (!status) return NULL;
  sli_tensor_release(*out_tensor);
  *out_tensor = NULL;
  return status;
}

static sli_status_t *copy_to_device_compute(sli_kernel_context_t *context) {
  sli_tensor_t *host = sli_kernel_input(context, 0), *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(host), &output));
  return context->device->vtable->upload(context->device, host, output);
}

static void downloaded(void *user, sli_status_t *status) { sli_kernel_complete(user, status); }

static void copy_to_host_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_status_t *status = sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output);
  if (status)
    sli_kernel_complete(context, status);
  else
    context->device->vtable->download(context->device, input, output, downloaded, context);
}

// The value is copied to the device once, when the plan is made.
static sli_status_t *device_const_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_tensor_t *value, *copy;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_tensor(setup->node, "value", &value));
  SLI_RETURN_IF_ERROR(upload(setup->device, value, &copy));
  *out_state = copy;
  return NULL;
}

static void device_const_destroy(void *state) { sli_tensor_release(state); }

static sli_status_t *device_const_compute(sli_kernel_context_t *context) {
  sli_kernel_set_output(context, 0, sli_tensor_retain((sli_tensor_t *)sli_kernel_state(context)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "_CopyToDevice",
     .inputs = "host: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "The value, in the memory of the node's device.",
     .shape = sli_infer_fn_unchanged},
    {.name = "_CopyToHost",
     .inputs = "input: T",
     .outputs = "host: T",
     .attrs = "T: type",
     .summary = "The value, in host memory.",
     .shape = sli_infer_fn_unchanged},
    {.name = "_DeviceConst",
     .outputs = "output: dtype",
     .attrs = "value: tensor; dtype: type",
     .summary = "A constant in the memory of the node's device.",
     .shape = sli_infer_fn_unknown},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "_CopyToDevice", .device = "GPU", .host_memory = "host", .compute = copy_to_device_compute},
    {.op = "_CopyToHost", .device = "GPU", .host_memory = "host", .compute_async = copy_to_host_compute},
    {.op = "_DeviceConst",
     .device = "GPU",
     .compute = device_const_compute,
     .create = device_const_create,
     .destroy = device_const_destroy},
};

SLI_OP_MODULE_PRIVATE(device_copy);
