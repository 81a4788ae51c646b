// What the sparse ops share: numbers in an element type, checks of a sparse tensor.
#ifndef SLI_OPS_SPARSE_SPARSE_H_
#define SLI_OPS_SPARSE_SPARSE_H_

#include "core/gradient.h"
#include "core/kernel.h"

// |value| as one element of a floating type, for sli_accumulate with step 0.
typedef union {
  float f;
  double d;
  uint16_t h;
} sli_sparse_number_t;
sli_sparse_number_t sli_sparse_number(sli_dtype_t dtype, double value);

// Inputs |first|, +1, +2 as indices [n, rank] (int32 or int64), values [n] and shape [rank] (int64, or int32 if
// |shape| is NULL: not looked at). INVALID_ARGUMENT where they do not fit together.
typedef struct {
  const sli_tensor_t *indices, *values, *shape;
  int64_t count;
  int rank;
} sli_sparse_t;
sli_status_t *sli_sparse_input(const sli_kernel_context_t *context, int first, sli_sparse_t *out_sparse);
// Every index within the shape. INVALID_ARGUMENT naming the first that is not.
sli_status_t *sli_sparse_check_bounds(const sli_sparse_t *sparse);
// The same of |indices| [n, rank] and |shape| [rank], both int64; if |ordered|, each row must also come after the one
// before it.
sli_status_t *sli_sparse_check_indices(const sli_tensor_t *indices, const sli_tensor_t *shape, bool ordered);

// An entry on its way into order: its index, and the row that it had.
typedef struct {
  const int64_t *index;
  int64_t row;
  int rank;
} sli_sparse_place_t;
// By index; equal ones stay by row.
void sli_sparse_sort(sli_sparse_place_t *places, int64_t count);

// The first dimension of |tensor|'s shape: Shape, StridedSlice.
sli_output_t sli_sparse_emit_rows(sli_gradient_builder_t *b, sli_output_t tensor);

#endif  // SLI_OPS_SPARSE_SPARSE_H_
