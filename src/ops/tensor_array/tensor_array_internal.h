// The kernels of the TensorArray ops, which tensor_array_ops.c lists in its table.
#ifndef SLI_OPS_TENSOR_ARRAY_TENSOR_ARRAY_INTERNAL_H_
#define SLI_OPS_TENSOR_ARRAY_TENSOR_ARRAY_INTERNAL_H_

#include "core/op/kernel.h"

sli_status_t *sli_tensor_array_make_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_gradient_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_write_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_read_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_gather_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_pack_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_concat_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_scatter_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_unpack_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_split_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_size_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_array_close_compute(sli_kernel_context_t *context);

#endif  // SLI_OPS_TENSOR_ARRAY_TENSOR_ARRAY_INTERNAL_H_
