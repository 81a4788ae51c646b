// A list of tensors as the element of a VARIANT tensor. Lists are values: an op that changes a list makes a new one,
// or changes the old one in place if nothing else refers to it.
#ifndef SLI_OPS_TENSOR_LIST_TENSOR_LIST_H_
#define SLI_OPS_TENSOR_LIST_TENSOR_LIST_H_

#include "core/op/kernel.h"

// A shape, parts of which may be unknown, with room for its dims.
typedef struct {
  int rank;  // -1: unknown
  int64_t dims[SLI_MAX_RANK];
} sli_tensor_list_shape_t;

typedef struct {
  sli_object_t base;
  sli_dtype_t dtype;       // of the elements
  int64_t limit;           // of the number of elements; -1: none
  int rank;                // of the elements; -1: unknown
  int64_t *dims;           // -1: unknown
  sli_tensor_t **tensors;  // owned; NULL: not set yet, which counts as zeros
  int64_t count, capacity;
} sli_tensor_list_t;
extern const sli_object_type_t sli_tensor_list_type;

// An empty list with one reference.
sli_tensor_list_t *sli_tensor_list_create(sli_dtype_t dtype, sli_shape_t element_shape);
static inline sli_shape_t sli_tensor_list_element_shape(const sli_tensor_list_t *list) {
  return (sli_shape_t){list->rank, list->dims};
}
// Changes the number of elements; new ones are not set. RESOURCE_EXHAUSTED without memory or for more than 2^27
// elements; the list is then unchanged.
sli_status_t *sli_tensor_list_resize(sli_tensor_list_t *list, int64_t count);
// Appends |tensor|, of which it consumes a reference also if it fails.
sli_status_t *sli_tensor_list_push(sli_tensor_list_t *list, sli_tensor_t *tensor);
// Replaces element |index|, which must exist; consumes a reference to |tensor|.
void sli_tensor_list_set(sli_tensor_list_t *list, int64_t index, sli_tensor_t *tensor);

// The list in input |index|, a scalar; the caller owns a reference. INVALID_ARGUMENT if the input is not a list.
sli_status_t *sli_tensor_list_input(sli_kernel_context_t *context, int index, sli_tensor_list_t **out_list);
// Sets output |index| to a scalar that holds |list|; consumes a reference to it.
sli_status_t *sli_tensor_list_set_output(sli_kernel_context_t *context, int index, sli_tensor_list_t *list);
// For an op that changes |list|, which input |input| holds: sets output |output| to a list that may be changed, and
// returns it: |list| itself if nothing else refers to it, else a copy. Consumes a reference to |list|, also if it
// fails.
// |*out_list| is borrowed.
sli_status_t *sli_tensor_list_edit(sli_kernel_context_t *context, int input, int output, sli_tensor_list_t *list,
                                   sli_tensor_list_t **out_list);

// --- Shapes of elements ------------------------------------------------------------------------

// The shape in input |index|: a vector, or the scalar -1 for an unknown rank.
sli_status_t *sli_tensor_list_input_shape(const sli_kernel_context_t *context, int index,
                                          sli_tensor_list_shape_t *out_shape);
void sli_tensor_list_shape_assign(sli_tensor_list_shape_t *shape, sli_shape_t from);
static inline sli_shape_t sli_tensor_list_shape_view(const sli_tensor_list_shape_t *shape) {
  return (sli_shape_t){shape->rank, shape->dims};
}
// Makes |shape| as known as |shape| and |other| together. INVALID_ARGUMENT "Incompatible shapes during merge: …".
sli_status_t *sli_tensor_list_shape_merge(sli_tensor_list_shape_t *shape, sli_shape_t other);
// Merges the shapes of all elements of |list| that are set into |shape|.
sli_status_t *sli_tensor_list_shape_merge_elements(sli_tensor_list_shape_t *shape, const sli_tensor_list_t *list);

// --- Elements ----------------------------------------------------------------------------------

// A tensor of zeros (of empty strings, of variants without a value).
sli_status_t *sli_tensor_list_zeros(sli_kernel_context_t *context, sli_dtype_t dtype, sli_shape_t shape,
                                    sli_tensor_t **out_tensor);
// Cuts a tensor into rows, or groups of them.
typedef struct {
  sli_kernel_context_t *context;
  sli_tensor_t *tensor;  // borrowed
  bool share;            // nobody else can change its memory, so that it need not be copied
} sli_tensor_list_cutter_t;
sli_tensor_list_cutter_t sli_tensor_list_cut(sli_kernel_context_t *context, sli_tensor_t *tensor);
// Rows [begin, end); if |squeeze|, one row without its first dimension.
sli_status_t *sli_tensor_list_rows(const sli_tensor_list_cutter_t *cutter, int64_t begin, int64_t end, bool squeeze,
                                   sli_tensor_t **out_rows);
// INVALID_ARGUMENT "Invalid data types; op elements float but list elements int32" unless the list holds |dtype|.
sli_status_t *sli_tensor_list_check_dtype(const sli_tensor_list_t *list, sli_dtype_t dtype);

// The kernels of ops that read a list: list_read.c.
sli_status_t *sli_tensor_list_length_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_shape_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_get_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_stack_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_gather_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_concat_compute(sli_kernel_context_t *context);
// Of ops that make or change one: list_write.c.
sli_status_t *sli_tensor_list_empty_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_reserve_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_push_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_pop_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_set_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_resize_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_from_tensor_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_scatter_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_scatter_into_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_split_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_push_batch_compute(sli_kernel_context_t *context);
sli_status_t *sli_tensor_list_join_compute(sli_kernel_context_t *context);

#endif  // SLI_OPS_TENSOR_LIST_TENSOR_LIST_H_
