// Functions that the sparse ops share: checks of sparse tensors, sorting of entries, scalars of an element type.
#ifndef SLI_OPS_SPARSE_SPARSE_H_
#define SLI_OPS_SPARSE_SPARSE_H_

#include "core/op/gradient.h"
#include "core/op/kernel.h"

// |value| converted to one element of a floating type, as an operand of sli_accumulate with step 0.
typedef union {
  float f;
  double d;
  uint16_t h;
} sli_sparse_number_t;
sli_sparse_number_t sli_sparse_number(sli_dtype_t dtype, double value);

// A sparse tensor in inputs |first|, |first| + 1 and |first| + 2: indices [n, rank] (int32 or int64), values [n] and
// shape [rank]. The tensors are borrowed. INVALID_ARGUMENT if their shapes do not match.
typedef struct {
  const sli_tensor_t *indices, *values, *shape;
  int64_t count;
  int rank;
} sli_sparse_t;
sli_status_t *sli_sparse_input(const sli_kernel_context_t *context, int first, sli_sparse_t *out_sparse);
// INVALID_ARGUMENT, with the first bad index, unless all indices are within the shape.
sli_status_t *sli_sparse_check_bounds(const sli_sparse_t *sparse);
// INVALID_ARGUMENT if a dense tensor of the shape would have more elements than can be counted.
sli_status_t *sli_sparse_check_size(const sli_sparse_t *sparse);
// The same for |indices| [n, rank] and |shape| [rank], both int64. If |ordered|, the rows must also be in strictly
// ascending order.
sli_status_t *sli_sparse_check_indices(const sli_tensor_t *indices, const sli_tensor_t *shape, bool ordered);

// An entry to sort: its index, and its row before sorting.
typedef struct {
  const int64_t *index;
  int64_t row;
  int rank;
} sli_sparse_place_t;
// Sorts by index, and by row where indices are equal.
void sli_sparse_sort(sli_sparse_place_t *places, int64_t count);

// Shape function of the reductions to a dense tensor: inputs 2 and 3 are the shape and the axes.
sli_status_t *sli_sparse_reduce_shape(sli_infer_context_t *c);
// The gradient of ops that fill empty rows with a default value. Input 0 is the position of each input value among the
// output values, input 1 the gradients of the output values. Gathers the gradients of the input values; the sum of all
// others is the gradient of the default value.
sli_status_t *sli_sparse_fill_grad_compute(sli_kernel_context_t *context);
sli_status_t *sli_sparse_fill_grad_shape(sli_infer_context_t *c);

// Emits ops that compute the size of the first dimension of |tensor|: Shape, StridedSlice.
sli_output_t sli_sparse_emit_rows(sli_gradient_builder_t *b, sli_output_t tensor);

#endif  // SLI_OPS_SPARSE_SPARSE_H_
