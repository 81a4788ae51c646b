// Gathering of slices, shared by Gather, GatherV2, GatherNd and their forms on
// resource variables.
#ifndef SLI_OPS_ARRAY_GATHER_H_
#define SLI_OPS_ARRAY_GATHER_H_

#include "core/gradient.h"
#include "core/kernel.h"
#include "core/shape_inference.h"

// Output 0 = slices of |params| along |axis| at |indices|; the first |batch_dims|
// dims of both go together. INVALID_ARGUMENT "indices[3] = 7 is not in [0, 5)".
sli_status_t *sli_gather(sli_kernel_context_t *context, sli_tensor_t *params, sli_tensor_t *indices, int64_t axis,
                         int64_t batch_dims);
// Output 0 = slices of |params| at the index vectors in the last dim of |indices|.
sli_status_t *sli_gather_nd(sli_kernel_context_t *context, sli_tensor_t *params, sli_tensor_t *indices);

// INVALID_ARGUMENT with the first index that is not in [0, limit).
sli_status_t *sli_check_indices(const sli_tensor_t *indices, int64_t limit);
// "[2,1]": which element of |shape| is number |index|; nothing for a scalar.
void sli_append_position(sli_string_t *string, sli_shape_t shape, int64_t index);

// Output 0's shape for params of shape |params|.
sli_status_t *sli_gather_shape(sli_shape_context_t *c, sli_shape_t params, sli_shape_t indices, int axis,
                               int batch_dims);
sli_status_t *sli_gather_nd_shape(sli_shape_context_t *c, sli_shape_t params, sli_shape_t indices);

// The dense gradient of params of shape |shape| (int32) of a gather whose indices are input 1: rows of the output's
// gradient, added up where they came from. |axis| is an integer scalar.
sli_output_t sli_gather_gradient(sli_gradient_builder_t *b, sli_output_t shape, sli_output_t axis, int batch_dims);
// The node's batch_dims, counted from the start. INVALID_ARGUMENT if that needs a rank that is not known.
sli_status_t *sli_gather_batch_dims(sli_gradient_builder_t *b, int *out_batch_dims);

#endif  // SLI_OPS_ARRAY_GATHER_H_
