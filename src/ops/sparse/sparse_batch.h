// A batch of sparse tensors: many of one rank, as one tensor whose first dimension
// counts them, and back. What puts them into strings, variants and maps stands on it.
#ifndef SLI_OPS_SPARSE_SPARSE_BATCH_H_
#define SLI_OPS_SPARSE_SPARSE_BATCH_H_

#include "core/shape_inference.h"
#include "ops/sparse/sparse.h"

// One sparse tensor, which holds a reference to each part; all NULL: none.
typedef struct {
  sli_tensor_t *indices, *values, *shape;
} sli_sparse_part_t;
void sli_sparse_part_release(sli_sparse_part_t *part);

// Inputs 0, 1 and 2, whose ranks alone are checked. Holds references.
sli_status_t *sli_sparse_part_of_inputs(const sli_kernel_context_t *context, sli_sparse_part_t *out_part);

// Inputs 0, 1 and 2 as a batch: INVALID_ARGUMENT unless they are a sparse tensor of rank 2 or more, in order.
sli_status_t *sli_sparse_batch_input(const sli_kernel_context_t *context, sli_sparse_t *out_batch);
// Splits |batch| along its first dimension: |take|(user, row, part) gets each row in turn, with a part that is its own
// to release. Its first failure ends the walk.
typedef sli_status_t *(*sli_sparse_take_t)(void *user, int64_t row, sli_sparse_part_t part);
sli_status_t *sli_sparse_split(const sli_sparse_t *batch, sli_sparse_take_t take, void *user);

// Stacks |parts|, as many as |lead| has elements, and sets outputs 0, 1 and 2: the shape is |lead| and then the largest
// of the parts in each dimension. INVALID_ARGUMENT if a part is not consistent in itself, not of |dtype| or of
// another rank than the first.
sli_status_t *sli_sparse_stack(sli_kernel_context_t *context, const sli_sparse_part_t *parts, sli_shape_t lead,
                               sli_dtype_t dtype);
// Whether |part|, number |index| of many, is a sparse tensor of |dtype|.
sli_status_t *sli_sparse_part_check(const sli_sparse_part_t *part, int64_t index, sli_dtype_t dtype);

// Shapes of the three inputs: a matrix and two vectors. Of the three outputs: the same.
sli_status_t *sli_sparse_shape_inputs(sli_shape_context_t *c);
void sli_sparse_shape_outputs(sli_shape_context_t *c);

#endif  // SLI_OPS_SPARSE_SPARSE_BATCH_H_
