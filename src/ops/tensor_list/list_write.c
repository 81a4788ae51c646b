// Kernels that make a list or change one.
#include <stdlib.h>

#include "core/op/op_registry.h"
#include "core/tensor/variant.h"
#include "ops/tensor_list/tensor_list.h"

static sli_status_t *scalar_int(sli_kernel_context_t *context, int index, const char *format, int64_t *out_value) {
  const sli_tensor_t *input = sli_kernel_input(context, index);
  if (input->rank != 0) return sli_status_make(SLI_INVALID_ARGUMENT, "%s%s", format, sli_tensor_shape_text(input).text);
  *out_value = sli_tensor_int_at(input, 0);
  return NULL;
}

static sli_status_t *new_list(sli_kernel_context_t *context, int shape_input, sli_tensor_list_t **out_list) {
  sli_tensor_list_shape_t shape;
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "element_dtype", &dtype));
  SLI_RETURN_IF_ERROR(sli_tensor_list_input_shape(context, shape_input, &shape));
  *out_list = sli_tensor_list_create(dtype, sli_tensor_list_shape_view(&shape));
  return NULL;
}

sli_status_t *sli_tensor_list_empty_compute(sli_kernel_context_t *context) {
  int64_t limit = 0;
  sli_tensor_list_t *list;
  SLI_RETURN_IF_ERROR(scalar_int(context, 1, "max_num_elements expected to be a scalar but got shape: ", &limit));
  SLI_RETURN_IF_ERROR(new_list(context, 0, &list));
  list->limit = limit;
  return sli_tensor_list_set_output(context, 0, list);
}

sli_status_t *sli_tensor_list_reserve_compute(sli_kernel_context_t *context) {
  int64_t count = 0;
  sli_tensor_list_t *list;
  SLI_RETURN_IF_ERROR(scalar_int(context, 1, "The num_elements to reserve must be a tensor size 1, but got ", &count));
  if (count < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The num_elements to reserve must be a non negative number, but got %lld", (long long)count);
  SLI_RETURN_IF_ERROR(new_list(context, 0, &list));
  sli_status_t *status = sli_tensor_list_resize(list, count);
  if (!status) return sli_tensor_list_set_output(context, 0, list);
  sli_object_release(list);
  return status;
}

static sli_status_t *check_push(const sli_tensor_list_t *list, const sli_tensor_t *tensor) {
  if (!sli_shape_is_compatible(sli_tensor_list_element_shape(list), sli_tensor_shape(tensor)))
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Tried to append a tensor with incompatible shape to a list. Op element shape: %s list shape: %s",
        sli_tensor_shape_text(tensor).text, sli_shape_text(sli_tensor_list_element_shape(list)).text);
  SLI_RETURN_IF_ERROR(sli_tensor_list_check_dtype(list, (sli_dtype_t)tensor->dtype));
  if (list->limit != -1 && list->count >= list->limit)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Tried to push item into a full list list size: %lld max_num_elements: %lld",
                           (long long)list->count, (long long)list->limit);
  return NULL;
}

sli_status_t *sli_tensor_list_push_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list, *output;
  sli_tensor_t *tensor = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  sli_status_t *status = check_push(list, tensor);
  if (status) {
    sli_object_release(list);
    return status;
  }
  SLI_RETURN_IF_ERROR(sli_tensor_list_edit(context, 0, 0, list, &output));
  return sli_tensor_list_push(output, sli_tensor_retain(tensor));
}

static sli_status_t *last_element(sli_kernel_context_t *context, const sli_tensor_list_t *list,
                                  sli_tensor_t **out_tensor) {
  SLI_RETURN_IF_ERROR(sli_tensor_list_check_dtype(list, context->node->output_types[1]));
  if (list->count == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Trying to pop from an empty list.");
  sli_tensor_t *last = list->tensors[list->count - 1];
  if (last) {
    *out_tensor = sli_tensor_retain(last);
    return NULL;
  }
  sli_tensor_list_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input_shape(context, 1, &shape));
  SLI_RETURN_IF_ERROR(sli_tensor_list_shape_merge(&shape, sli_tensor_list_element_shape(list)));
  sli_shape_t view = sli_tensor_list_shape_view(&shape);
  if (!sli_shape_is_fully_known(view))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Trying to read an uninitialized tensor but element_shape is not fully defined.%s",
                           sli_shape_text(view).text);
  return sli_tensor_list_zeros(context, list->dtype, view, out_tensor);
}

sli_status_t *sli_tensor_list_pop_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list, *output;
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  sli_status_t *status = last_element(context, list, &tensor);
  if (status) {
    sli_object_release(list);
    return status;
  }
  sli_kernel_set_output(context, 1, tensor);
  SLI_RETURN_IF_ERROR(sli_tensor_list_edit(context, 0, 0, list, &output));
  return sli_tensor_list_resize(output, output->count - 1);
}

static sli_status_t *check_set(sli_kernel_context_t *context, const sli_tensor_list_t *list, const sli_tensor_t *item,
                               int64_t *out_index) {
  bool may_grow;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "resize_if_index_out_of_bounds", &may_grow));
  SLI_RETURN_IF_ERROR(sli_tensor_list_check_dtype(list, (sli_dtype_t)item->dtype));
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 1, "index", out_index));
  if (*out_index < 0 || (*out_index >= list->count && !may_grow))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Trying to modify element %lld in a list with %lld elements.",
                           (long long)*out_index, (long long)list->count);
  if (!sli_shape_is_compatible(sli_tensor_list_element_shape(list), sli_tensor_shape(item)))
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Tried to set a tensor with incompatible shape at a list index. Item element shape: %s list shape: %s",
        sli_tensor_shape_text(item).text, sli_shape_text(sli_tensor_list_element_shape(list)).text);
  return NULL;
}

sli_status_t *sli_tensor_list_set_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list, *output;
  sli_tensor_t *item = sli_kernel_input(context, 2);
  int64_t index;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  sli_status_t *status = check_set(context, list, item, &index);
  if (status) {
    sli_object_release(list);
    return status;
  }
  SLI_RETURN_IF_ERROR(sli_tensor_list_edit(context, 0, 0, list, &output));
  if (index >= output->count) SLI_RETURN_IF_ERROR(sli_tensor_list_resize(output, index + 1));
  sli_tensor_list_set(output, index, sli_tensor_retain(item));
  return NULL;
}

sli_status_t *sli_tensor_list_resize_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list, *output;
  int64_t size = 0;
  SLI_RETURN_IF_ERROR(scalar_int(context, 1, "TensorListResize size must be a scalar, but got shape: ", &size));
  if (size < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "TensorListSlice expects size to be non-negative. Got: %lld",
                           (long long)size);
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  SLI_RETURN_IF_ERROR(sli_tensor_list_edit(context, 0, 0, list, &output));
  return sli_tensor_list_resize(output, size);
}

// --- From a tensor -----------------------------------------------------------------------------

static sli_status_t *check_vector(const sli_tensor_t *tensor) {
  if (tensor->rank > 0) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor must be at least a vector, but saw shape: %s",
                         sli_tensor_shape_text(tensor).text);
}

static sli_status_t *check_element_shape(const sli_tensor_list_t *list, const sli_tensor_t *tensor) {
  sli_shape_t row = {tensor->rank - 1, tensor->dims + 1};
  if (sli_shape_is_compatible(sli_tensor_list_element_shape(list), row)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Specified a list with shape %s from a tensor with shape %s",
                         sli_shape_text(sli_tensor_list_element_shape(list)).text, sli_shape_text(row).text);
}

static sli_status_t *fill_from_tensor(sli_kernel_context_t *context, sli_tensor_list_t *list, sli_tensor_t *tensor) {
  SLI_RETURN_IF_ERROR(check_element_shape(list, tensor));
  SLI_RETURN_IF_ERROR(sli_tensor_list_resize(list, tensor->dims[0]));
  sli_tensor_list_cutter_t cutter = sli_tensor_list_cut(context, tensor);
  for (int64_t i = 0; i < list->count; i++)
    SLI_RETURN_IF_ERROR(sli_tensor_list_rows(&cutter, i, i + 1, true, &list->tensors[i]));
  return NULL;
}

// Sets output 0 to |list| unless |status| is an error; consumes the reference.
static sli_status_t *finish(sli_kernel_context_t *context, sli_tensor_list_t *list, sli_status_t *status) {
  if (!status) return sli_tensor_list_set_output(context, 0, list);
  sli_object_release(list);
  return status;
}

sli_status_t *sli_tensor_list_from_tensor_compute(sli_kernel_context_t *context) {
  sli_tensor_t *tensor = sli_kernel_input(context, 0);
  sli_tensor_list_t *list;
  SLI_RETURN_IF_ERROR(check_vector(tensor));
  SLI_RETURN_IF_ERROR(new_list(context, 1, &list));
  return finish(context, list, fill_from_tensor(context, list, tensor));
}

static sli_status_t *scatter_rows(sli_kernel_context_t *context, sli_tensor_list_t *list, sli_tensor_t *tensor,
                                  const sli_tensor_t *indices) {
  sli_tensor_list_cutter_t cutter = sli_tensor_list_cut(context, tensor);
  for (int64_t i = 0; i < indices->count; i++) {
    sli_tensor_t *row;
    SLI_RETURN_IF_ERROR(sli_tensor_list_rows(&cutter, i, i + 1, true, &row));
    sli_tensor_list_set(list, SLI_DATA(int32_t, indices)[i], row);
  }
  return NULL;
}

// The largest index; -1 if there is none.
static sli_status_t *largest_index(const sli_tensor_t *indices, int64_t limit, int64_t *out_largest) {
  *out_largest = -1;
  for (int64_t i = 0; i < indices->count; i++) {
    int64_t index = SLI_DATA(int32_t, indices)[i];
    if (index < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Indices in TensorListScatter must all be non-negative.");
    if (limit != -1 && index >= limit)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "TensorListScatter: Trying to scatter at index %lld in list with size %lld",
                             (long long)index, (long long)limit);
    if (index > *out_largest) *out_largest = index;
  }
  return NULL;
}

static sli_status_t *fill_scattered(sli_kernel_context_t *context, sli_tensor_list_t *list, int64_t limit) {
  sli_tensor_t *tensor = sli_kernel_input(context, 0);
  const sli_tensor_t *indices = sli_kernel_input(context, 1);
  int64_t largest;
  SLI_RETURN_IF_ERROR(check_element_shape(list, tensor));
  if (indices->count != tensor->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid number of rows in input tensor. Expected: %lld Actual: %lld",
                           (long long)indices->count, (long long)tensor->dims[0]);
  SLI_RETURN_IF_ERROR(largest_index(indices, limit, &largest));
  SLI_RETURN_IF_ERROR(sli_tensor_list_resize(list, largest + 1 > limit ? largest + 1 : limit));
  return scatter_rows(context, list, tensor, indices);
}

sli_status_t *sli_tensor_list_scatter_compute(sli_kernel_context_t *context) {
  int64_t limit = -1;
  sli_tensor_list_t *list;
  if (context->input_count > 3) SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 3, "num_elements", &limit));
  if (limit < -1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "TensorListScatter expects num_elements >= -1, found: %lld",
                           (long long)limit);
  SLI_RETURN_IF_ERROR(check_vector(sli_kernel_input(context, 0)));
  SLI_RETURN_IF_ERROR(new_list(context, 2, &list));
  return finish(context, list, fill_scattered(context, list, limit));
}

static sli_status_t *check_scatter_into(const sli_tensor_list_t *list, const sli_tensor_t *tensor,
                                        const sli_tensor_t *indices, int64_t *out_largest) {
  if (tensor->dtype != list->dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid data types; input tensor type: %s list element_type: %s",
                           sli_dtype_name((sli_dtype_t)tensor->dtype), sli_dtype_name(list->dtype));
  SLI_RETURN_IF_ERROR(check_vector(tensor));
  if (indices->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected indices to be a vector, but received shape: %s",
                           sli_tensor_shape_text(indices).text);
  if (indices->count != tensor->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected len(indices) == tensor.shape[0], but saw: %lld vs. %lld",
                           (long long)indices->count, (long long)tensor->dims[0]);
  return largest_index(indices, -1, out_largest);
}

sli_status_t *sli_tensor_list_scatter_into_compute(sli_kernel_context_t *context) {
  sli_tensor_t *tensor = sli_kernel_input(context, 1);
  const sli_tensor_t *indices = sli_kernel_input(context, 2);
  sli_tensor_list_t *list, *output;
  int64_t largest = 0;
  SLI_RETURN_IF_ERROR(sli_tensor_list_input(context, 0, &list));
  sli_status_t *status = check_scatter_into(list, tensor, indices, &largest);
  if (status) {
    sli_object_release(list);
    return status;
  }
  SLI_RETURN_IF_ERROR(sli_tensor_list_edit(context, 0, 0, list, &output));
  if (largest >= output->count) SLI_RETURN_IF_ERROR(sli_tensor_list_resize(output, largest + 1));
  return scatter_rows(context, output, tensor, indices);
}

static sli_status_t *fill_split(sli_kernel_context_t *context, sli_tensor_list_t *list) {
  sli_tensor_t *tensor = sli_kernel_input(context, 0);
  const sli_tensor_t *lengths = sli_kernel_input(context, 2);
  if (list->rank == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "TensorListSplit requires element_shape to be at least of rank 1, but saw: []");
  SLI_RETURN_IF_ERROR(check_vector(tensor));
  sli_shape_t rest = {tensor->rank - 1, tensor->dims + 1};
  if (list->rank > 0 && !sli_shape_is_compatible((sli_shape_t){list->rank - 1, list->dims + 1}, rest))
    return sli_status_make(SLI_INVALID_ARGUMENT, "tensor shape %s is not compatible with element_shape %s",
                           sli_tensor_shape_text(tensor).text,
                           sli_shape_text((sli_shape_t){list->rank, list->dims}).text);
  if (lengths->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected lengths to be a vector, received shape: %s",
                           sli_tensor_shape_text(lengths).text);
  int64_t begin = 0;
  sli_tensor_list_cutter_t cutter = sli_tensor_list_cut(context, tensor);
  for (int64_t i = 0; i < lengths->count; i++) {
    int64_t length = SLI_DATA(int64_t, lengths)[i];
    if (length < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid value in lengths: %lld", (long long)length);
    if (length > tensor->dims[0] - begin)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Attempting to slice [%lld, %lld] from tensor with length %lld",
                             (long long)begin, (long long)((uint64_t)begin + (uint64_t)length),
                             (long long)tensor->dims[0]);
    sli_tensor_t *rows;
    SLI_RETURN_IF_ERROR(sli_tensor_list_rows(&cutter, begin, begin + length, false, &rows));
    SLI_RETURN_IF_ERROR(sli_tensor_list_push(list, rows));
    begin += length;
  }
  if (begin == tensor->dims[0]) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Unused values in tensor. Length of tensor: %lld Values used: %lld",
                         (long long)tensor->dims[0], (long long)begin);
}

sli_status_t *sli_tensor_list_split_compute(sli_kernel_context_t *context) {
  sli_tensor_list_t *list;
  SLI_RETURN_IF_ERROR(new_list(context, 1, &list));
  return finish(context, list, fill_split(context, list));
}

// --- Several lists -----------------------------------------------------------------------------

static sli_status_t *push_row(const sli_tensor_list_cutter_t *cutter, int64_t index, sli_tensor_list_t **out_copy) {
  const sli_tensor_t *handles = sli_kernel_input(cutter->context, 0);
  sli_tensor_t *tensor = cutter->tensor, *row;
  sli_shape_t shape = {tensor->rank - 1, tensor->dims + 1};
  sli_tensor_list_t *list = NULL;
  SLI_RETURN_IF_ERROR(sli_op_variant_at(handles, index, &sli_tensor_list_type, (sli_object_t **)&list));
  if (!list)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input handle at index %lld is not a list. Saw: '%s'",
                           (long long)index, sli_variant_text(SLI_DATA(sli_object_t *, handles)[index]).text);
  sli_status_t *status = NULL;
  if (!sli_shape_is_compatible(sli_tensor_list_element_shape(list), shape)) {
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "Tried to append a tensor with incompatible shape to a list at index %lld. Op element "
                             "shape: %s list shape: %s",
                             (long long)index, sli_shape_text(shape).text,
                             sli_shape_text(sli_tensor_list_element_shape(list)).text);
  } else if (list->dtype != tensor->dtype) {
    status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Invalid data type at index %lld; op elements %s but list elements %s",
                        (long long)index, sli_dtype_name((sli_dtype_t)tensor->dtype), sli_dtype_name(list->dtype));
  } else {
    sli_tensor_list_t *copy = sli_tensor_list_create(list->dtype, sli_tensor_list_element_shape(list));
    copy->limit = list->limit;
    status = sli_tensor_list_resize(copy, list->count);
    for (int64_t i = 0; i < list->count && !status; i++) copy->tensors[i] = sli_tensor_retain(list->tensors[i]);
    if (!status) status = sli_tensor_list_rows(cutter, index, index + 1, true, &row);
    if (!status) status = sli_tensor_list_push(copy, row);
    if (status)
      sli_object_release(copy);
    else
      *out_copy = copy;
  }
  sli_object_release(list);
  return status;
}

sli_status_t *sli_tensor_list_push_batch_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *handles = sli_kernel_input(context, 0);
  sli_tensor_t *tensor = sli_kernel_input(context, 1), *output;
  if (tensor->rank == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected tensor to be at least a vector, but saw shape: []");
  if (handles->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected input_handles to be a vector, but saw shape: %s",
                           sli_tensor_shape_text(handles).text);
  if (tensor->dims[0] != handles->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected tensor.shape[0] == input_handles.size, but saw %lld vs. %lld",
                           (long long)tensor->dims[0], (long long)handles->count);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(handles), &output));
  sli_tensor_list_cutter_t cutter = sli_tensor_list_cut(context, tensor);
  for (int64_t i = 0; i < handles->count; i++)
    SLI_RETURN_IF_ERROR(push_row(&cutter, i, (sli_tensor_list_t **)&SLI_DATA(sli_object_t *, output)[i]));
  return NULL;
}

static sli_status_t *check_joined(sli_kernel_context_t *context, int64_t index, char letter,
                                  const sli_tensor_list_t *list, sli_dtype_t dtype) {
  if (!list)
    return sli_status_make(
        SLI_INVALID_ARGUMENT, "input_%c is not a TensorList at index %lld.  Saw: '%s'", letter, (long long)index,
        sli_variant_text(SLI_DATA(sli_object_t *, sli_kernel_input(context, letter - 'a'))[index]).text);
  if (list->dtype == dtype) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "input_%c[%lld].dtype != element_dtype.  Saw: %s vs. %s", letter,
                         (long long)index, sli_dtype_name(list->dtype), sli_dtype_name(dtype));
}

static sli_status_t *join_lists(const sli_tensor_list_t *a, const sli_tensor_list_t *b, int64_t index,
                                sli_tensor_list_t **out_list) {
  sli_shape_t x = sli_tensor_list_element_shape(a), y = sli_tensor_list_element_shape(b);
  if (!sli_shape_equal(x, y))
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "input_a and input_b TensorList element shapes are not identical at index %lld.  Saw %s vs. %s",
        (long long)index, sli_shape_text(x).text, sli_shape_text(y).text);
  sli_tensor_list_t *joined = sli_tensor_list_create(a->dtype, x);
  sli_status_t *status = sli_tensor_list_resize(joined, a->count + b->count);
  if (status) {
    sli_object_release(joined);
    return status;
  }
  for (int64_t i = 0; i < a->count; i++) joined->tensors[i] = sli_tensor_retain(a->tensors[i]);
  for (int64_t i = 0; i < b->count; i++) joined->tensors[a->count + i] = sli_tensor_retain(b->tensors[i]);
  *out_list = joined;
  return NULL;
}

sli_status_t *sli_tensor_list_join_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *as = sli_kernel_input(context, 0), *bs = sli_kernel_input(context, 1);
  sli_tensor_t *output;
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "element_dtype", &dtype));
  if (!sli_tensor_same_shape(as, bs))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Incompatible input TensorList tensor shapes: %s vs. %s",
                           sli_tensor_shape_text(as).text, sli_tensor_shape_text(bs).text);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(as), &output));
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < as->count && !status; i++) {
    sli_tensor_list_t *a = NULL, *b = NULL;
    status = sli_op_variant_at(as, i, &sli_tensor_list_type, (sli_object_t **)&a);
    if (!status) status = sli_op_variant_at(bs, i, &sli_tensor_list_type, (sli_object_t **)&b);
    if (!status) status = check_joined(context, i, 'a', a, dtype);
    if (!status) status = check_joined(context, i, 'b', b, dtype);
    if (!status) status = join_lists(a, b, i, (sli_tensor_list_t **)&SLI_DATA(sli_object_t *, output)[i]);
    sli_object_release(a);
    sli_object_release(b);
  }
  return status;
}
