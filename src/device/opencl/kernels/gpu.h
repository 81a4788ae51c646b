// What the kernels for GPUs share.
#ifndef SLI_DEVICE_OPENCL_KERNELS_GPU_H_
#define SLI_DEVICE_OPENCL_KERNELS_GPU_H_

#include "base/array.h"
#include "device/opencl/opencl.h"

// Types with kernels on a GPU. int32 is in host memory, where the CPU's kernels compute it.
#define SLI_GPU_FLOATING SLI_TYPES_FLOATING
#define SLI_GPU_NUMBERS (SLI_GPU_FLOATING | SLI_TYPE_INT64)

// Sizes and strides of a walk over a tensor, as the long8 parameters of a kernel.
enum { SLI_GPU_DIMS = 8 };
typedef struct {
  int64_t values[SLI_GPU_DIMS];
} sli_gpu_dims_t;

static inline sli_dtype_t sli_gpu_output_type(const sli_kernel_context_t *context, int index) {
  return sli_dtype_base(context->node->output_types[index]);
}

// UNIMPLEMENTED: a walk of more than SLI_GPU_DIMS dimensions.
sli_status_t *sli_gpu_too_many_dims(const sli_kernel_context_t *context, int rank);
// Input |index| in the device's memory: itself, or a copy if it is in host memory. The caller releases it.
sli_status_t *sli_gpu_input(sli_kernel_context_t *context, int index, sli_tensor_t **out_tensor);

#endif  // SLI_DEVICE_OPENCL_KERNELS_GPU_H_
