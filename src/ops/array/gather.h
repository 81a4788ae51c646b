// Gathers slices: for Gather, GatherV2, GatherNd and their forms on resource variables.
#ifndef SLI_OPS_ARRAY_GATHER_H_
#define SLI_OPS_ARRAY_GATHER_H_

#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

// Sets output 0 to the slices of |params| along |axis| at |indices|. The first |batch_dims| dims of both are batch
// dims. INVALID_ARGUMENT "indices[3] = 7 is not in [0, 5)".
sli_status_t *sli_gather(sli_kernel_context_t *context, sli_tensor_t *params, sli_tensor_t *indices, int64_t axis,
                         int64_t batch_dims);
// Sets output 0 to the slices of |params| at the index vectors in the last dim of |indices|.
sli_status_t *sli_gather_nd(sli_kernel_context_t *context, sli_tensor_t *params, sli_tensor_t *indices);

// Infers the shape of output 0 for params of shape |params|.
sli_status_t *sli_gather_shape(sli_infer_context_t *c, sli_shape_t params, sli_shape_t indices, int axis,
                               int batch_dims);
sli_status_t *sli_gather_nd_shape(sli_infer_context_t *c, sli_shape_t params, sli_shape_t indices);

// Emits the dense gradient of params of shape |shape| (int32) for a gather whose indices are input 1: rows of the
// output's gradient, added at the indices that they were gathered from. |axis| is an integer scalar.
sli_output_t sli_gather_gradient(sli_gradient_builder_t *b, sli_output_t shape, sli_output_t axis, int batch_dims);
// The node's batch_dims, never negative. INVALID_ARGUMENT if a negative value needs a rank that is not known.
sli_status_t *sli_gather_batch_dims(sli_gradient_builder_t *b, int *out_batch_dims);

#endif  // SLI_OPS_ARRAY_GATHER_H_
