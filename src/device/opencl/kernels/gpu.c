#include "device/opencl/kernels/gpu.h"

#include "core/op/op_registry.h"

sli_status_t *sli_gpu_too_many_dims(const sli_kernel_context_t *context, int rank) {
  return sli_status_make(SLI_UNIMPLEMENTED, "%s on a GPU handles up to %d dimensions that cannot be merged, got %d",
                         context->node->op->def->name, SLI_GPU_DIMS, rank);
}

sli_status_t *sli_gpu_input(sli_kernel_context_t *context, int index, sli_tensor_t **out_tensor) {
  sli_tensor_t *input = sli_kernel_input(context, index);
  *out_tensor = NULL;
  if (input->memory == SLI_MEMORY_DEVICE) {
    *out_tensor = sli_tensor_retain(input);
    return NULL;
  }
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_temporary(context, (sli_dtype_t)input->dtype, sli_tensor_shape(input), out_tensor));
  sli_status_t *status = context->device->vtable->upload(context->device, input, *out_tensor);
  if (!status) return NULL;
  sli_tensor_release(*out_tensor);
  *out_tensor = NULL;
  return status;
}
