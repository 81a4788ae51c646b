// Functions that the ragged ops share. A ragged tensor is a list of row splits, from the outermost dimension to the
// innermost, and the values of all rows together.
#ifndef SLI_OPS_RAGGED_RAGGED_H_
#define SLI_OPS_RAGGED_RAGGED_H_

#include "core/op/kernel.h"

// INVALID_ARGUMENT unless |splits| is a vector that begins with 0, never decreases and ends with |count|.
sli_status_t *sli_ragged_check_splits(const sli_tensor_t *splits, int64_t count);
// The same for the splits in inputs [first, first + count) and the |rows| values that the last one divides.
sli_status_t *sli_ragged_check_nested(sli_kernel_context_t *context, int first, int count, int64_t rows);
// The elements of one row of |values|.
static inline int64_t sli_ragged_row_size(const sli_tensor_t *values) {
  return sli_shape_product(values->dims, 1, values->rank);
}

#endif  // SLI_OPS_RAGGED_RAGGED_H_
