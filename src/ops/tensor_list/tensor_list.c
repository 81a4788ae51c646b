// The list object: elements, copies, shapes, and its form in messages.
#include "ops/tensor_list/tensor_list.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/op_registry.h"
#include "core/tensor/variant.h"
#include "ops/common/copy_elements.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

enum { MOST_ELEMENTS = 1 << 27 };  // one number in a graph must not fill the memory

static void list_destroy(sli_object_t *object) {
  sli_tensor_list_t *list = (sli_tensor_list_t *)object;
  for (int64_t i = 0; i < list->count; i++) sli_tensor_release(list->tensors[i]);
  free(list->tensors);
  free(list->dims);
  free(list);
}

sli_tensor_list_t *sli_tensor_list_create(sli_dtype_t dtype, sli_shape_t element_shape) {
  sli_tensor_list_t *list = sli_calloc(1, sizeof(*list));
  sli_object_initialize(&list->base, &sli_tensor_list_type);
  list->dtype = dtype;
  list->limit = -1;
  list->rank = element_shape.rank;
  if (list->rank > 0) list->dims = sli_memdup(element_shape.dims, (size_t)list->rank * sizeof(*list->dims));
  return list;
}

static sli_status_t *reserve(sli_tensor_list_t *list, int64_t capacity) {
  if (capacity <= list->capacity) return NULL;
  int64_t grown = 2 * list->capacity < 8 ? 8 : 2 * list->capacity;
  if (grown < capacity) grown = capacity;
  sli_tensor_t **tensors = NULL;
  if (capacity <= MOST_ELEMENTS) tensors = sli_malloc_or_null((size_t)grown * sizeof(*tensors));
  if (!tensors)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for a list of %lld elements", (long long)capacity);
  if (list->count) memcpy(tensors, list->tensors, (size_t)list->count * sizeof(*tensors));
  free(list->tensors);
  list->tensors = tensors;
  list->capacity = grown;
  return NULL;
}

sli_status_t *sli_tensor_list_resize(sli_tensor_list_t *list, int64_t count) {
  SLI_RETURN_IF_ERROR(reserve(list, count));
  for (int64_t i = count; i < list->count; i++) sli_tensor_release(list->tensors[i]);
  for (int64_t i = list->count; i < count; i++) list->tensors[i] = NULL;
  list->count = count;
  return NULL;
}

sli_status_t *sli_tensor_list_push(sli_tensor_list_t *list, sli_tensor_t *tensor) {
  sli_status_t *status = reserve(list, list->count + 1);
  if (status)
    sli_tensor_release(tensor);
  else
    list->tensors[list->count++] = tensor;
  return status;
}

void sli_tensor_list_set(sli_tensor_list_t *list, int64_t index, sli_tensor_t *tensor) {
  sli_tensor_release(list->tensors[index]);
  list->tensors[index] = tensor;
}

static sli_status_t *copy_list(const sli_tensor_list_t *list, sli_tensor_list_t **out_copy) {
  sli_tensor_list_t *copy = sli_tensor_list_create(list->dtype, sli_tensor_list_element_shape(list));
  copy->limit = list->limit;
  sli_status_t *status = sli_tensor_list_resize(copy, list->count);
  if (status) {
    sli_object_release(copy);
    return status;
  }
  for (int64_t i = 0; i < list->count; i++) copy->tensors[i] = sli_tensor_retain(list->tensors[i]);
  *out_copy = copy;
  return NULL;
}

// --- Inputs and outputs ------------------------------------------------------------------------

sli_status_t *sli_tensor_list_input(sli_kernel_context_t *context, int index, sli_tensor_list_t **out_list) {
  *out_list = NULL;
  const sli_tensor_t *input = sli_kernel_input(context, index);
  if (input->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input list must be a scalar saw: %s",
                           sli_tensor_shape_text(input).text);
  SLI_RETURN_IF_ERROR(sli_op_variant_at(input, 0, &sli_tensor_list_type, (sli_object_t **)out_list));
  if (*out_list) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Input handle is not a list. Saw: '%s'",
                         sli_variant_text(SLI_DATA(sli_object_t *, input)[0]).text);
}

sli_status_t *sli_tensor_list_set_output(sli_kernel_context_t *context, int index, sli_tensor_list_t *list) {
  sli_tensor_t *output;
  sli_status_t *status = sli_kernel_allocate_output(context, index, SLI_SHAPE_SCALAR, &output);
  if (status)
    sli_object_release(list);
  else
    SLI_DATA(sli_object_t *, output)[0] = &list->base;
  return status;
}

sli_status_t *sli_tensor_list_edit(sli_kernel_context_t *context, int input, int output, sli_tensor_list_t *list,
                                   sli_tensor_list_t **out_list) {
  sli_tensor_t *tensor = sli_kernel_input(context, input);
  bool is_inside = SLI_DATA(sli_object_t *, tensor)[0] == &list->base;
  if (!is_inside) {  // it was just decoded
    *out_list = list;
    return sli_tensor_list_set_output(context, output, list);
  }
  sli_object_release(list);  // the input still holds it
  if (sli_tensor_is_exclusive(tensor) && sli_refcount_is_one(&list->base.references)) {
    sli_kernel_set_output(context, output, sli_tensor_retain(tensor));
    *out_list = list;
    return NULL;
  }
  SLI_RETURN_IF_ERROR(copy_list(list, out_list));
  return sli_tensor_list_set_output(context, output, *out_list);
}

// --- Shapes ------------------------------------------------------------------------------------

void sli_tensor_list_shape_assign(sli_tensor_list_shape_t *shape, sli_shape_t from) {
  shape->rank = from.rank;
  for (int d = 0; d < from.rank; d++) shape->dims[d] = from.dims[d];
}

sli_status_t *sli_tensor_list_input_shape(const sli_kernel_context_t *context, int index,
                                          sli_tensor_list_shape_t *out_shape) {
  const sli_tensor_t *input = sli_kernel_input(context, index);
  out_shape->rank = -1;
  if (input->rank == 0) {
    if (sli_tensor_int_at(input, 0) == -1) return NULL;
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  }
  if (input->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at most rank 1 but is rank %d", input->rank);
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(input->count));
  out_shape->rank = (int)input->count;
  for (int d = 0; d < out_shape->rank; d++) {
    out_shape->dims[d] = sli_tensor_int_at(input, d);
    if (out_shape->dims[d] < -1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= -1", (long long)out_shape->dims[d]);
  }
  return NULL;
}

sli_status_t *sli_tensor_list_shape_merge(sli_tensor_list_shape_t *shape, sli_shape_t other) {
  if (other.rank < 0) return NULL;
  if (shape->rank < 0) {
    sli_tensor_list_shape_assign(shape, other);
    return NULL;
  }
  if (shape->rank != other.rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "PartialTensorShape: Incompatible ranks during merge: %d vs. %d",
                           shape->rank, other.rank);
  for (int d = 0; d < shape->rank; d++) {
    if (other.dims[d] < 0 || shape->dims[d] == other.dims[d]) continue;
    if (shape->dims[d] >= 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "PartialTensorShape: Incompatible shapes during merge: %s vs. %s",
                             sli_shape_text(sli_tensor_list_shape_view(shape)).text, sli_shape_text(other).text);
    shape->dims[d] = other.dims[d];
  }
  return NULL;
}

sli_status_t *sli_tensor_list_shape_merge_elements(sli_tensor_list_shape_t *shape, const sli_tensor_list_t *list) {
  for (int64_t i = 0; i < list->count; i++)
    if (list->tensors[i]) SLI_RETURN_IF_ERROR(sli_tensor_list_shape_merge(shape, sli_tensor_shape(list->tensors[i])));
  return NULL;
}

// --- Elements ----------------------------------------------------------------------------------

sli_status_t *sli_tensor_list_zeros(sli_kernel_context_t *context, sli_dtype_t dtype, sli_shape_t shape,
                                    sli_tensor_t **out_tensor) {
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, dtype, shape, out_tensor));
  sli_elements_clear(dtype, (*out_tensor)->data, (*out_tensor)->count);
  return NULL;
}

sli_tensor_list_cutter_t sli_tensor_list_cut(sli_kernel_context_t *context, sli_tensor_t *tensor) {
  return (sli_tensor_list_cutter_t){context, tensor, !tensor->owner && sli_tensor_is_exclusive(tensor)};
}

sli_status_t *sli_tensor_list_rows(const sli_tensor_list_cutter_t *cutter, int64_t begin, int64_t end, bool squeeze,
                                   sli_tensor_t **out_rows) {
  sli_tensor_t *tensor = cutter->tensor;
  int64_t dims[SLI_MAX_RANK], row = sli_shape_product(tensor->dims, 1, tensor->rank);
  int rank = tensor->rank - (squeeze ? 1 : 0);
  memcpy(dims, tensor->dims + (squeeze ? 1 : 0), (size_t)rank * sizeof(dims[0]));
  if (!squeeze) dims[0] = end - begin;
  if (cutter->share) {
    *out_rows = sli_tensor_view(tensor, (sli_dtype_t)tensor->dtype, begin * row, dims, rank);
    return NULL;
  }
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_temporary(cutter->context, (sli_dtype_t)tensor->dtype, (sli_shape_t){rank, dims}, out_rows));
  sli_elements_copy((sli_dtype_t)tensor->dtype, (*out_rows)->data, sli_tensor_at(tensor, begin * row),
                    (*out_rows)->count);
  return NULL;
}

sli_status_t *sli_tensor_list_check_dtype(const sli_tensor_list_t *list, sli_dtype_t dtype) {
  if (list->dtype == dtype) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid data types; op elements %s but list elements %s",
                         sli_dtype_name(dtype), sli_dtype_name(list->dtype));
}

// --- As a variant ------------------------------------------------------------------------------

// TensorFlow's format of the metadata: the indices of elements that are not set, with their number before them; the
// element type; the limit; a TensorShapeProto. All numbers are varints.
static void list_encode(const sli_object_t *object, sli_variant_data_t *out_data) {
  const sli_tensor_list_t *list = (const sli_tensor_list_t *)object;
  int64_t unset = 0;
  for (int64_t i = 0; i < list->count; i++) unset += !list->tensors[i];
  sli_wire_write_varint(&out_data->metadata, (uint64_t)unset);
  for (int64_t i = 0; i < list->count; i++) {
    if (list->tensors[i])
      sli_array_push(&out_data->tensors, sli_tensor_retain(list->tensors[i]));
    else
      sli_wire_write_varint(&out_data->metadata, (uint64_t)i);
  }
  sli_wire_write_varint(&out_data->metadata, list->dtype);
  sli_wire_write_varint(&out_data->metadata, (uint64_t)list->limit);
  sli_tensor_proto_append_shape(&out_data->metadata, list->dims, list->rank);
}

static sli_status_t *malformed_list(void) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "The metadata of a TensorList is malformed");
}

static sli_status_t *decode_elements(sli_wire_reader_t *reader, const sli_variant_data_t *data,
                                     sli_tensor_list_t *list) {
  uint64_t unset, next;
  if (!sli_wire_read_varint(reader, &unset) || unset > (uint64_t)(reader->end - reader->next)) return malformed_list();
  SLI_RETURN_IF_ERROR(sli_tensor_list_resize(list, (int64_t)(data->tensors.count + unset)));
  size_t used = 0;
  int64_t at = 0;
  for (uint64_t i = 0; i <= unset; i++) {
    if (i == unset)
      next = (uint64_t)list->count;
    else if (!sli_wire_read_varint(reader, &next) || next >= (uint64_t)list->count || next < (uint64_t)at)
      return malformed_list();
    for (; at < (int64_t)next; at++) {
      if (used == data->tensors.count) return malformed_list();
      list->tensors[at] = sli_tensor_retain(data->tensors.items[used++]);
    }
    at++;
  }
  return NULL;
}

static sli_status_t *decode_list(const sli_variant_data_t *data, sli_tensor_list_t *list) {
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(data->metadata.data, data->metadata.size));
  uint64_t dtype, limit;
  SLI_RETURN_IF_ERROR(decode_elements(&reader, data, list));
  if (!sli_wire_read_varint(&reader, &dtype) || !sli_wire_read_varint(&reader, &limit)) return malformed_list();
  if (dtype > INT32_MAX || !sli_dtype_is_valid((int)dtype) || sli_dtype_is_ref((sli_dtype_t)dtype))
    return malformed_list();
  list->dtype = (sli_dtype_t)dtype;
  list->limit = (int32_t)limit;
  for (int64_t i = 0; i < list->count; i++)
    if (list->tensors[i] && list->tensors[i]->dtype != list->dtype) return malformed_list();
  sli_tensor_list_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_tensor_proto_decode_shape(
      sli_view_of((const char *)reader.next, (size_t)(reader.end - reader.next)), shape.dims, &shape.rank));
  list->rank = shape.rank;
  if (shape.rank > 0) list->dims = sli_memdup(shape.dims, (size_t)shape.rank * sizeof(*list->dims));
  return NULL;
}

static sli_status_t *list_decode(const sli_variant_data_t *data, sli_object_t **out_object) {
  *out_object = NULL;
  sli_tensor_list_t *list = sli_tensor_list_create(SLI_DTYPE_INVALID, SLI_SHAPE_UNKNOWN);
  sli_status_t *status = decode_list(data, list);
  if (status)
    sli_object_release(list);
  else
    *out_object = &list->base;
  return status;
}

static sli_status_t *list_zeros_like(const sli_object_t *object, sli_object_t **out_object) {
  const sli_tensor_list_t *list = (const sli_tensor_list_t *)object;
  *out_object = NULL;
  sli_tensor_list_t *zeros = sli_tensor_list_create(list->dtype, sli_tensor_list_element_shape(list));
  sli_status_t *status = sli_tensor_list_resize(zeros, list->count);
  for (int64_t i = 0; i < list->count && !status; i++)
    if (list->tensors[i]) status = sli_elements_zeros_like(list->tensors[i], &zeros->tensors[i]);
  if (status)
    sli_object_release(zeros);
  else
    *out_object = &zeros->base;
  return status;
}

static sli_status_t *check_addable(const sli_tensor_list_t *a, const sli_tensor_list_t *b) {
  if (a->dtype != b->dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Trying to add two lists of tensors of different dtypes. One is %s and the other is %s",
                           sli_dtype_name(a->dtype), sli_dtype_name(b->dtype));
  sli_shape_t x = sli_tensor_list_element_shape(a), y = sli_tensor_list_element_shape(b);
  if (!sli_shape_is_compatible(x, y))
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Trying to add two lists of tensors with incompatible element shapes. One is %s and the other is %s",
        sli_shape_text(x).text, sli_shape_text(y).text);
  if (a->count != b->count)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Trying to add two lists of tensors with different lengths. One is %lld and the other is %lld",
        (long long)a->count, (long long)b->count);
  return NULL;
}

static sli_status_t *list_add(const sli_object_t *left, const sli_object_t *right, sli_object_t **out_sum) {
  const sli_tensor_list_t *a = (const sli_tensor_list_t *)left, *b = (const sli_tensor_list_t *)right;
  *out_sum = NULL;
  SLI_RETURN_IF_ERROR(check_addable(a, b));
  sli_tensor_list_shape_t shape;
  sli_tensor_list_shape_assign(&shape, sli_tensor_list_element_shape(a));
  SLI_RETURN_IF_ERROR(sli_tensor_list_shape_merge(&shape, sli_tensor_list_element_shape(b)));
  sli_tensor_list_t *sum = sli_tensor_list_create(a->dtype, sli_tensor_list_shape_view(&shape));
  sli_status_t *status = sli_tensor_list_resize(sum, a->count);
  for (int64_t i = 0; i < a->count && !status; i++) {
    if (a->tensors[i] && b->tensors[i])
      status = sli_elements_sum(a->tensors[i], b->tensors[i], &sum->tensors[i]);
    else
      sum->tensors[i] = sli_tensor_retain(a->tensors[i] ? a->tensors[i] : b->tensors[i]);
  }
  if (status)
    sli_object_release(sum);
  else
    *out_sum = &sum->base;
  return status;
}

static const struct sli_variant_methods list_methods = {list_encode, list_decode, list_zeros_like, list_add};
const sli_object_type_t sli_tensor_list_type = {"tensorflow::TensorList", list_destroy, NULL, &list_methods};
