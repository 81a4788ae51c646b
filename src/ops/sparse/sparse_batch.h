// Batches of sparse tensors: splits a sparse tensor along its first dimension, and stacks sparse tensors of the same
// rank into one. The ops that store sparse tensors in strings, variants and maps use this.
#ifndef SLI_OPS_SPARSE_SPARSE_BATCH_H_
#define SLI_OPS_SPARSE_SPARSE_BATCH_H_

#include "core/op/shape_inference.h"
#include "ops/sparse/sparse.h"

// A sparse tensor. Holds a reference to each of the three tensors; all NULL: empty.
typedef struct {
  sli_tensor_t *indices, *values, *shape;
} sli_sparse_part_t;
void sli_sparse_part_release(sli_sparse_part_t *part);

// The sparse tensor in inputs 0, 1 and 2. Checks only their ranks. Retains the tensors.
sli_status_t *sli_sparse_part_of_inputs(const sli_kernel_context_t *context, sli_sparse_part_t *out_part);

// The batch in inputs 0, 1 and 2. INVALID_ARGUMENT unless they are a sparse tensor of rank 2 or more with sorted
// indices.
sli_status_t *sli_sparse_batch_input(const sli_kernel_context_t *context, sli_sparse_t *out_batch);
// Splits |batch| along its first dimension and calls |take|(user, row, part) for each row in order. |take| owns |part|.
// Stops at its first error and returns it.
typedef sli_status_t *(*sli_sparse_take_t)(void *user, int64_t row, sli_sparse_part_t part);
sli_status_t *sli_sparse_split(const sli_sparse_t *batch, sli_sparse_take_t take, void *user);

// Stacks |parts|, one for each element of the shape |lead|, and sets outputs 0, 1 and 2. The shape of the result is
// |lead| followed by the maximum of the parts in each dimension. INVALID_ARGUMENT if a part is inconsistent, is not of
// |dtype| or has another rank than the first; the message counts the dimensions of |lead| if |counts_lead|.
sli_status_t *sli_sparse_stack(sli_kernel_context_t *context, const sli_sparse_part_t *parts, sli_shape_t lead,
                               bool counts_lead, sli_dtype_t dtype);
// INVALID_ARGUMENT unless |part| is a sparse tensor of |dtype|. Error messages show |index|.
sli_status_t *sli_sparse_part_check(const sli_sparse_part_t *part, int64_t index, sli_dtype_t dtype);

// Shape functions: check that inputs 0 to 2 are a matrix and two vectors; set the shapes of outputs 0 to 2 likewise.
sli_status_t *sli_sparse_shape_inputs(sli_infer_context_t *c);
void sli_sparse_shape_outputs(sli_infer_context_t *c);

#endif  // SLI_OPS_SPARSE_SPARSE_BATCH_H_
