// Kernels that read a list.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/common/copy_elements.h"
#include "ops/tensor_list/tensor_list.h"

sli_status_t *sli_tensor_list_length_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32((int32_t)list->count));
  sli_object_release(list);
  return NULL;
}

sli_status_t *sli_tensor_list_shape_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  int64_t dims[1] = {list->rank};
  sli_status_t *status = sli_kernel_allocate_output(context, 0, (sli_shape_t){list->rank < 0 ? 0 : 1, dims}, &output);
  if (!status && list->rank < 0) sli_tensor_set_int(output, 0, -1);
  for (int d = 0; d < list->rank && !status; d++) sli_tensor_set_int(output, d, list->dims[d]);
  sli_object_release(list);
  return status;
}

// The shape of an element that is not set: that of input |input|, of the list, and of the other elements.
static sli_status_t *unset_shape(sli_kernel_context_t *context, int input, const sli_tensor_list_t *list,
                                 sli_tensor_list_shape_t *out_shape) {
  SLI_RETURN_IF_ERROR(sli_tensor_list_input_shape(context, input, out_shape));
  return sli_tensor_list_shape_merge(out_shape, sli_tensor_list_element_shape(list));
}

static sli_status_t *get_element(sli_kernel_context_t *context, const sli_tensor_list_t *list) {
  int64_t index;
  SLI_RETURN_IF_ERROR(sli_tensor_list_check_dtype(list, context->node->output_types[0]));
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 1, "index", &index));
  if (index < 0 || index >= list->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Trying to access element %lld in a list with %lld elements.",
                           (long long)index, (long long)list->count);
  if (list->tensors[index]) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(list->tensors[index]));
    return NULL;
  }
  sli_tensor_list_shape_t shape;
  SLI_RETURN_IF_ERROR(unset_shape(context, 2, list, &shape));
  if (!sli_shape_is_fully_known(sli_tensor_list_shape_view(&shape)))
    SLI_RETURN_IF_ERROR(sli_tensor_list_shape_merge_elements(&shape, list));
  sli_shape_t view = sli_tensor_list_shape_view(&shape);
  if (!sli_shape_is_fully_known(view))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Trying to read an uninitialized tensor but element_shape is not fully defined: %s and no "
                           "list element is set.",
                           sli_shape_text(view).text);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, view, &output));
  sli_elements_clear(list->dtype, output->data, output->count);
  return NULL;
}

sli_status_t *sli_tensor_list_get_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  sli_status_t *status = get_element(context, list);
  sli_object_release(list);
  return status;
}

static void copy_element(sli_dtype_t dtype, const sli_tensor_t *element, sli_tensor_t *output, int64_t at,
                         int64_t count) {
  if (element)
    sli_elements_copy(dtype, sli_tensor_at(output, at), element->data, count);
  else
    sli_elements_clear(dtype, sli_tensor_at(output, at), count);
}

static sli_status_t *stack_elements(sli_kernel_context_t *context, const sli_tensor_list_t *list) {
  int64_t wanted, dims[SLI_MAX_RANK + 1];
  sli_tensor_list_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "num_elements", &wanted));
  SLI_RETURN_IF_ERROR(sli_tensor_list_check_dtype(list, context->node->output_types[0]));
  if (wanted != -1 && wanted != list->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Operation expected a list with %lld elements but got a list with %lld elements.",
                           (long long)wanted, (long long)list->count);
  SLI_RETURN_IF_ERROR(unset_shape(context, 1, list, &shape));
  if (list->count == 0 && !sli_shape_is_fully_known(sli_tensor_list_shape_view(&shape)))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Tried to stack elements of an empty list with non-fully-defined element_shape: %s",
                           sli_shape_text(sli_tensor_list_shape_view(&shape)).text);
  SLI_RETURN_IF_ERROR(sli_tensor_list_shape_merge_elements(&shape, list));
  sli_shape_t view = sli_tensor_list_shape_view(&shape);
  if (!sli_shape_is_fully_known(view))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined "
                           "element_shape: %s",
                           sli_shape_text(view).text);
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(view.rank + 1));
  dims[0] = list->count;
  for (int d = 0; d < view.rank; d++) dims[d + 1] = view.dims[d];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){view.rank + 1, dims}, &output));
  int64_t size = list->count ? output->count / list->count : 0;
  for (int64_t i = 0; i < list->count; i++) copy_element(list->dtype, list->tensors[i], output, i * size, size);
  return NULL;
}

sli_status_t *sli_tensor_list_stack_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  sli_status_t *status = stack_elements(context, list);
  sli_object_release(list);
  return status;
}

static sli_status_t *merge_gathered(const sli_tensor_list_t *list, const sli_tensor_t *indices,
                                    sli_tensor_list_shape_t *shape) {
  for (int64_t i = 0; i < indices->count; i++) {
    int64_t index = SLI_DATA(int32_t, indices)[i];
    if (index < 0 || index >= list->count)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Index %lld out o range; list only has %lld elements.",
                             (long long)index, (long long)list->count);
    if (list->tensors[index])
      SLI_RETURN_IF_ERROR(sli_tensor_list_shape_merge(shape, sli_tensor_shape(list->tensors[index])));
  }
  return NULL;
}

static sli_status_t *gather_elements(sli_kernel_context_t *context, const sli_tensor_list_t *list) {
  const sli_tensor_t *indices = sli_kernel_input(context, 1);
  sli_tensor_list_shape_t shape;
  int64_t dims[SLI_MAX_RANK + 1];
  SLI_RETURN_IF_ERROR(sli_tensor_list_check_dtype(list, context->node->output_types[0]));
  SLI_RETURN_IF_ERROR(unset_shape(context, 2, list, &shape));
  if (indices->count == 0 && !sli_shape_is_fully_known(sli_tensor_list_shape_view(&shape)))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Tried to gather 0-elements from a list with non-fully-defined shape: %s",
                           sli_shape_text(sli_tensor_list_shape_view(&shape)).text);
  SLI_RETURN_IF_ERROR(merge_gathered(list, indices, &shape));
  sli_shape_t view = sli_tensor_list_shape_view(&shape);
  if (!sli_shape_is_fully_known(view))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: %s",
                           sli_shape_text(view).text);
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(view.rank + 1));
  dims[0] = indices->count;
  for (int d = 0; d < view.rank; d++) dims[d + 1] = view.dims[d];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){view.rank + 1, dims}, &output));
  int64_t size = indices->count ? output->count / indices->count : 0;
  for (int64_t i = 0; i < indices->count; i++)
    copy_element(list->dtype, list->tensors[SLI_DATA(int32_t, indices)[i]], output, i * size, size);
  return NULL;
}

sli_status_t *sli_tensor_list_gather_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  sli_status_t *status = gather_elements(context, list);
  sli_object_release(list);
  return status;
}

// --- Concat ------------------------------------------------------------------------------------

// What is known of the elements: the first dimension, if all have the same, and the others.
typedef struct {
  int64_t first;  // -1: unknown
  sli_tensor_list_shape_t rest;
} concat_shape_t;

static sli_status_t *given_shape(sli_kernel_context_t *context, const sli_tensor_list_t *list,
                                 concat_shape_t *out_shape) {
  sli_tensor_list_shape_t shape;
  out_shape->first = -1;
  if (context->input_count > 1) {
    SLI_RETURN_IF_ERROR(unset_shape(context, 1, list, &shape));
    if (shape.rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Concat requires elements to be at least vectors, found scalars instead.");
    if (shape.rank > 0) out_shape->first = shape.dims[0];
  } else {
    sli_shape_t given;
    SLI_RETURN_IF_ERROR(sli_node_attr_shape(context->node, "element_shape", &given));
    if (given.rank == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "element_shape must not be empty");
    sli_tensor_list_shape_assign(&shape, given);
  }
  if (shape.rank > 0)
    sli_tensor_list_shape_assign(&out_shape->rest, (sli_shape_t){shape.rank - 1, shape.dims + 1});
  else
    sli_tensor_list_shape_assign(&out_shape->rest, SLI_SHAPE_UNKNOWN);
  return NULL;
}

// Compares the elements with |shape| and adds what they tell: their first dimension, if all have the same.
static sli_status_t *merge_concat(const sli_tensor_list_t *list, concat_shape_t *shape) {
  int64_t common = -1;
  bool is_common = true;
  for (int64_t i = 0; i < list->count; i++) {
    const sli_tensor_t *element = list->tensors[i];
    if (!element) continue;
    if (element->rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Concat saw a scalar shape at index %lld but requires at least vectors.", (long long)i);
    if (shape->first != -1 && element->dims[0] != shape->first)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "First entry of element_shape input does not match the first dim of list element at "
                             "index: %lld Expected: %lld Actual: %lld",
                             (long long)i, (long long)shape->first, (long long)element->dims[0]);
    SLI_RETURN_IF_ERROR(sli_tensor_list_shape_merge(&shape->rest, (sli_shape_t){element->rank - 1, element->dims + 1}));
    is_common &= common == -1 || common == element->dims[0];
    common = element->dims[0];
  }
  if (shape->first == -1 && is_common) shape->first = common;
  return NULL;
}

static sli_status_t *element_rows(sli_kernel_context_t *context, const sli_tensor_list_t *list, int64_t index,
                                  int64_t first, int64_t *out_rows) {
  const sli_tensor_t *leading = context->input_count > 2 ? sli_kernel_input(context, 2) : NULL;
  if (list->tensors[index]) {
    *out_rows = list->tensors[index]->dims[0];
  } else if (first != -1 && (!leading || index >= leading->count)) {
    *out_rows = first;
  } else if (!leading) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Concating lists with uninitialized tensors is not supported in this version of "
                           "TensorListConcat. Consider updating your GraphDef to run the newer version.");
  } else {
    if (index >= leading->count)
      return sli_status_make(
          SLI_INVALID_ARGUMENT,
          "List contains uninitialized tensor at index %lld but leading_dims has only %lld elements.", (long long)index,
          (long long)leading->count);
    *out_rows = SLI_DATA(int64_t, leading)[index];
    if (*out_rows < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "leading_dims[%lld] = %lld must not be negative", (long long)index,
                             (long long)*out_rows);
  }
  return NULL;
}

static sli_status_t *concat_elements(sli_kernel_context_t *context, const sli_tensor_list_t *list) {
  concat_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_tensor_list_check_dtype(list, context->node->output_types[0]));
  SLI_RETURN_IF_ERROR(given_shape(context, list, &shape));
  if (list->count == 0 && !sli_shape_is_fully_known(sli_tensor_list_shape_view(&shape.rest)))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "All except the first dimension must be fully defined when concating an empty tensor list. "
                           "element_shape: %s",
                           sli_shape_text(sli_tensor_list_shape_view(&shape.rest)).text);
  SLI_RETURN_IF_ERROR(merge_concat(list, &shape));
  if (!sli_shape_is_fully_known(sli_tensor_list_shape_view(&shape.rest)))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim "
                           "is not fully defined: %s",
                           sli_shape_text(sli_tensor_list_shape_view(&shape.rest)).text);
  sli_tensor_t *output, *lengths;
  int64_t dims[SLI_MAX_RANK + 1] = {0}, at = 0, row = sli_shape_count(sli_tensor_list_shape_view(&shape.rest));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(list->count), &lengths));
  for (int64_t i = 0; i < list->count; i++) {
    int64_t rows = 0;
    SLI_RETURN_IF_ERROR(element_rows(context, list, i, shape.first, &rows));
    SLI_DATA(int64_t, lengths)[i] = rows;
    if (__builtin_add_overflow(dims[0], rows, &dims[0]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "The lengths of the list's elements are too large");
  }
  for (int d = 0; d < shape.rest.rank; d++) dims[d + 1] = shape.rest.dims[d];
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(shape.rest.rank + 1));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){shape.rest.rank + 1, dims}, &output));
  for (int64_t i = 0; output->count && i < list->count; i++) {
    int64_t count = SLI_DATA(int64_t, lengths)[i] * row;
    copy_element(list->dtype, list->tensors[i], output, at, count);
    at += count;
  }
  return NULL;
}

sli_status_t *sli_tensor_list_concat_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  sli_status_t *status = concat_elements(context, list);
  sli_object_release(list);
  return status;
}
