// The kernels of the TensorArray ops. The step's resources own the arrays.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/common/copy_elements.h"
#include "ops/tensor_array/step_object.h"
#include "ops/tensor_array/tensor_array.h"
#include "ops/tensor_array/tensor_array_internal.h"

static const char forward_container[] = "_tensor_arrays";
static const char gradient_container[] = "_tensor_array_grads";

static sli_status_t *set_handle(sli_kernel_context_t *context, const char *container, sli_tensor_array_t *array) {
  if (context->output_count > 1) sli_kernel_set_output(context, 1, sli_tensor_scalar_float(0));
  return sli_step_object_set_handle(context, container, sli_tensor_array_name(array), array);
}

// --- Making ------------------------------------------------------------------------------

sli_status_t *sli_tensor_array_make_compute(sli_kernel_context_t *context) {
  static atomic_llong made;
  const sli_node_def_t *node = context->node;
  const sli_tensor_t *size = sli_kernel_input(context, 0);
  sli_tensor_array_spec_t spec = {.marked_size = -1};
  sli_view_t given;
  if (size->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "TensorArray size must be scalar, but had shape: %s",
                           sli_tensor_shape_text(size).text);
  spec.size = SLI_DATA(int32_t, size)[0];
  SLI_RETURN_IF_ERROR(sli_node_attr_type(node, "dtype", &spec.dtype));
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(node, "element_shape", &spec.element_shape));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "dynamic_size", &spec.is_dynamic));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "clear_after_read", &spec.clear_after_read));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "tensor_array_name", &given));
  if (sli_node_attr(node, "identical_element_shapes"))
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "identical_element_shapes", &spec.has_identical_shapes));
  if (given.size == 0) given = sli_view(node->name);
  char *name = sli_format("%.*s_%lld", SLI_VIEW_ARG(given), (long long)atomic_fetch_add(&made, 1));
  char *key = sli_format("%s%s", forward_container, name);
  sli_tensor_array_t *array;
  sli_status_t *status = sli_tensor_array_create(&spec, sli_view(name), &array);
  if (!status) status = sli_resource_insert(context->step->step_resources, sli_view(""), sli_view(key), array);
  if (!status) status = set_handle(context, forward_container, array);
  sli_object_release(array);
  free(name);
  free(key);
  return status;
}

typedef struct {
  sli_tensor_array_t *forward;
  sli_view_t name;
  sli_shape_t prefix;
} gradient_request_t;

static sli_status_t *make_gradient(void *context, void **out_object) {
  const gradient_request_t *request = context;
  return sli_tensor_array_create_gradient(request->forward, request->name, request->prefix,
                                          (sli_tensor_array_t **)out_object);
}

sli_status_t *sli_tensor_array_gradient_compute(sli_kernel_context_t *context) {
  sli_view_t source;
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "source", &source));
  if (context->input_count > 2)
    SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 2, "shape_to_prepend", dims, SLI_MAX_RANK, &rank));
  gradient_request_t request = {.prefix = {rank, dims}};
  SLI_RETURN_IF_ERROR(sli_step_object_find(context, &sli_tensor_array_type, (void **)&request.forward));
  char *name = sli_format("%s@%.*s", sli_tensor_array_name(request.forward), SLI_VIEW_ARG(source));
  char *key = sli_format("%s%s", gradient_container, name);
  request.name = sli_view(name);
  sli_tensor_array_t *array = NULL;
  sli_status_t *status =
      sli_resource_find_or_create(context->step->step_resources, sli_view(""), &sli_tensor_array_type, sli_view(key),
                                  make_gradient, &request, (void **)&array);
  if (!status) {
    status = set_handle(context, gradient_container, array);
    sli_object_release(array);
  }
  sli_object_release(request.forward);
  free(name);
  free(key);
  return status;
}

// --- Elements ----------------------------------------------------------------------------

static void pass_flow(sli_kernel_context_t *context) {
  sli_kernel_set_output(context, 0, sli_tensor_retain(sli_kernel_input(context, context->input_count - 1)));
}

// Finds the array of input 0 and checks that its elements are of |dtype|.
static sli_status_t *find_typed(sli_kernel_context_t *context, sli_dtype_t dtype, bool is_write,
                                sli_tensor_array_t **out_array) {
  SLI_RETURN_IF_ERROR(sli_step_object_find(context, &sli_tensor_array_type, (void **)out_array));
  sli_dtype_t own = sli_tensor_array_dtype(*out_array);
  if (own == dtype) return NULL;
  sli_object_release(*out_array);
  *out_array = NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "TensorArray dtype is %s but Op %s dtype %s.", sli_dtype_name(own),
                         is_write ? "is trying to write" : "requested", sli_dtype_name(dtype));
}

static sli_status_t *read_index(const sli_kernel_context_t *context, int32_t *out_index) {
  const sli_tensor_t *index = sli_kernel_input(context, 1);
  if (index->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "TensorArray index must be scalar, but had shape: %s",
                           sli_tensor_shape_text(index).text);
  *out_index = SLI_DATA(int32_t, index)[0];
  return NULL;
}

sli_status_t *sli_tensor_array_write_compute(sli_kernel_context_t *context) {
  sli_tensor_t *value = sli_kernel_input(context, 2);
  sli_tensor_array_t *array;
  int32_t index;
  SLI_RETURN_IF_ERROR(read_index(context, &index));
  SLI_RETURN_IF_ERROR(find_typed(context, (sli_dtype_t)value->dtype, true, &array));
  sli_status_t *status = sli_tensor_array_write(array, &index, 0, &value, 1);
  sli_object_release(array);
  if (!status) pass_flow(context);
  return status;
}

sli_status_t *sli_tensor_array_read_compute(sli_kernel_context_t *context) {
  sli_tensor_array_t *array;
  sli_tensor_t *value;
  int32_t index;
  SLI_RETURN_IF_ERROR(read_index(context, &index));
  SLI_RETURN_IF_ERROR(find_typed(context, context->node->output_types[0], false, &array));
  sli_status_t *status = sli_tensor_array_read(array, &index, 1, &value);
  sli_object_release(array);
  if (!status) sli_kernel_set_output(context, 0, value);
  return status;
}

// --- Gather, pack ------------------------------------------------------------------------

static sli_status_t *pack_values(sli_kernel_context_t *context, sli_shape_t element_shape, sli_tensor_t *const *values,
                                 int64_t count) {
  sli_shape_t row = sli_tensor_shape(values[0]);
  if (!sli_shape_is_compatible(element_shape, row))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "TensorArray was passed element_shape %s which does not match the Tensor at index 0: %s",
                           sli_shape_text(element_shape).text, sli_shape_text(row).text);
  for (int64_t i = 1; i < count; i++) {
    if (sli_tensor_same_shape(values[0], values[i])) continue;
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "TensorArray has inconsistent shapes.  Index 0 has shape: %s but index %lld has shape: %s",
                           sli_shape_text(row).text, (long long)i, sli_tensor_shape_text(values[i]).text);
  }
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(row.rank + 1));
  int64_t dims[SLI_MAX_RANK] = {count};
  for (int i = 0; i < row.rank; i++) dims[i + 1] = row.dims[i];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){row.rank + 1, dims}, &output));
  for (int64_t i = 0; i < count; i++)
    sli_elements_copy(output->dtype, sli_tensor_at(output, i * values[0]->count), values[i]->data, values[i]->count);
  return NULL;
}

static sli_status_t *empty_output(sli_kernel_context_t *context, sli_shape_t rest, const char *attr,
                                  const char *doing) {
  if (!sli_shape_is_fully_known(rest))
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "TensorArray has size zero, but %s %s is not fully defined. Currently only static shapes "
                           "are supported when %s zero-size TensorArrays.",
                           attr, sli_shape_text(rest).text, doing);
  int64_t dims[SLI_MAX_RANK + 1] = {0};
  for (int i = 0; i < rest.rank; i++) dims[i + 1] = rest.dims[i];
  sli_tensor_t *output;
  return sli_kernel_allocate_output(context, 0, (sli_shape_t){rest.rank + 1, dims}, &output);
}

static void release_values(sli_tensor_t **values, int64_t count) {
  for (int64_t i = 0; i < count; i++) sli_tensor_release(values[i]);
  free(values);
}

static sli_status_t *read_and_pack(sli_kernel_context_t *context, sli_tensor_array_t *array, const int32_t *indices,
                                   int64_t count) {
  sli_shape_t element_shape;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(context->node, "element_shape", &element_shape));
  SLI_RETURN_IF_ERROR(sli_tensor_array_merge_shape(array, element_shape));
  if (count == 0) return empty_output(context, element_shape, "element shape", "packing");
  sli_tensor_t **values = sli_calloc((size_t)count, sizeof(*values));
  sli_status_t *status = sli_tensor_array_read(array, indices, count, values);
  if (status) {
    free(values);
    return status;
  }
  status = pack_values(context, element_shape, values, count);
  release_values(values, count);
  return status;
}

sli_status_t *sli_tensor_array_gather_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *indices = sli_kernel_input(context, 1);
  if (indices->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected indices to be a vector, but received shape: %s",
                           sli_tensor_shape_text(indices).text);
  sli_tensor_array_t *array;
  SLI_RETURN_IF_ERROR(find_typed(context, context->node->output_types[0], false, &array));
  sli_status_t *status = read_and_pack(context, array, SLI_DATA(int32_t, indices), indices->count);
  sli_object_release(array);
  return status;
}

// The indices 0, 1, …, |count| - 1, for the ops on all elements; NULL if |count| is 0. The caller frees them.
static int32_t *all_indices(int64_t count) {
  int32_t *indices = sli_malloc((size_t)(count + 1) * sizeof(*indices));
  for (int64_t i = 0; i < count; i++) indices[i] = (int32_t)i;
  return indices;
}

sli_status_t *sli_tensor_array_pack_compute(sli_kernel_context_t *context) {
  sli_tensor_array_t *array;
  int64_t count;
  SLI_RETURN_IF_ERROR(find_typed(context, context->node->output_types[0], false, &array));
  sli_status_t *status = sli_tensor_array_concat_size(array, &count);
  if (!status) {
    int32_t *indices = all_indices(count);
    status = read_and_pack(context, array, indices, count);
    free(indices);
  }
  sli_object_release(array);
  return status;
}

// --- Concat --------------------------------------------------------------------------------

static sli_shape_t shape_except0(const sli_tensor_t *tensor) {
  return (sli_shape_t){tensor->rank - 1, tensor->dims + 1};
}

static sli_status_t *check_concat(sli_shape_t wanted, sli_tensor_t *const *values, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (values[i]->rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Concat saw a scalar shape at index %lld but requires at least vectors.  Did you mean to "
                             "call pack?",
                             (long long)i);
    sli_shape_t rest = shape_except0(values[i]), first = shape_except0(values[0]);
    if (i == 0 && !sli_shape_is_compatible(wanted, rest))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "TensorArray was passed element_shape_except0 %s but index 0 has (excepting dimension 0) "
                             "shape: %s which does not match.",
                             sli_shape_text(wanted).text, sli_shape_text(rest).text);
    if (!sli_shape_equal(first, rest))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: %s but "
                             "index %lld has (excepting dimension 0) shape: %s",
                             sli_shape_text(first).text, (long long)i, sli_shape_text(rest).text);
  }
  return NULL;
}

static sli_status_t *concat_values(sli_kernel_context_t *context, sli_shape_t wanted, sli_tensor_t *const *values,
                                   int64_t count) {
  SLI_RETURN_IF_ERROR(check_concat(wanted, values, count));
  sli_tensor_t *output, *lengths;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(count), &lengths));
  int64_t dims[SLI_MAX_RANK] = {0}, at = 0;
  sli_shape_t rest = shape_except0(values[0]);
  for (int i = 0; i < rest.rank; i++) dims[i + 1] = rest.dims[i];
  for (int64_t i = 0; i < count; i++) {
    SLI_DATA(int64_t, lengths)[i] = values[i]->dims[0];
    dims[0] += values[i]->dims[0];
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rest.rank + 1, dims}, &output));
  for (int64_t i = 0; i < count; at += values[i++]->count)
    sli_elements_copy(output->dtype, sli_tensor_at(output, at), values[i]->data, values[i]->count);
  return NULL;
}

static sli_status_t *concat_array(sli_kernel_context_t *context, sli_tensor_array_t *array) {
  sli_shape_t rest;
  int64_t count;
  sli_tensor_t *lengths;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(context->node, "element_shape_except0", &rest));
  SLI_RETURN_IF_ERROR(sli_tensor_array_concat_size(array, &count));
  if (count == 0) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(0), &lengths));
    return empty_output(context, rest, "element_shape_except0", "concatenating");
  }
  int32_t *indices = all_indices(count);
  sli_tensor_t **values = sli_calloc((size_t)count, sizeof(*values));
  sli_status_t *status = sli_tensor_array_read(array, indices, count, values);
  free(indices);
  if (status) {
    free(values);
    return status;
  }
  status = concat_values(context, rest, values, count);
  release_values(values, count);
  return status;
}

sli_status_t *sli_tensor_array_concat_compute(sli_kernel_context_t *context) {
  sli_tensor_array_t *array;
  SLI_RETURN_IF_ERROR(find_typed(context, context->node->output_types[0], false, &array));
  sli_status_t *status = concat_array(context, array);
  sli_object_release(array);
  return status;
}

// --- Scatter, unpack, split ------------------------------------------------------------------

// Writes views into |value| as elements. Element i has lengths[i] rows; if |lengths| is NULL, it is row i without its
// first dimension.
static sli_status_t *write_rows(sli_tensor_array_t *array, sli_tensor_t *value, const int32_t *indices,
                                const int64_t *lengths, int64_t count) {
  sli_tensor_t **rows = sli_calloc((size_t)count + 1, sizeof(*rows));
  int64_t width = sli_shape_product(value->dims, 1, value->rank), at = 0, dims[SLI_MAX_RANK];
  memcpy(dims, value->dims, value->rank * sizeof(*dims));
  for (int64_t i = 0; i < count; i++) {
    if (lengths) dims[0] = lengths[i];
    rows[i] = lengths ? sli_tensor_view(value, (sli_dtype_t)value->dtype, at, dims, value->rank)
                      : sli_tensor_view(value, (sli_dtype_t)value->dtype, at, dims + 1, value->rank - 1);
    at += lengths ? lengths[i] * width : width;
  }
  sli_status_t *status = sli_tensor_array_write(array, indices, 0, rows, count);
  release_values(rows, count);
  return status;
}

static sli_status_t *require_rows(const sli_tensor_t *value) {
  if (value->rank > 0) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Input value for unpack must be at least a vector but received shape: %s",
                         sli_tensor_shape_text(value).text);
}

static sli_status_t *scatter_rows(sli_tensor_array_t *array, sli_tensor_t *value, const sli_tensor_t *indices) {
  int64_t size, most = -1;
  SLI_RETURN_IF_ERROR(sli_tensor_array_size(array, &size));
  for (int64_t i = 0; i < indices->count; i++)
    if (SLI_DATA(int32_t, indices)[i] > most) most = SLI_DATA(int32_t, indices)[i];
  if (!sli_tensor_array_is_dynamic(array) && most >= size)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Max scatter index must be < array size (%lld vs. %lld)",
                           (long long)most, (long long)size);
  return write_rows(array, value, SLI_DATA(int32_t, indices), NULL, indices->count);
}

sli_status_t *sli_tensor_array_scatter_compute(sli_kernel_context_t *context) {
  sli_tensor_t *indices = sli_kernel_input(context, 1), *value = sli_kernel_input(context, 2);
  sli_tensor_array_t *array;
  SLI_RETURN_IF_ERROR(require_rows(value));
  if (indices->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected indices to be a vector, but received shape: %s",
                           sli_tensor_shape_text(indices).text);
  if (indices->count != value->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected len(indices) == values.shape[0], but saw: %lld vs. %lld",
                           (long long)indices->count, (long long)value->dims[0]);
  SLI_RETURN_IF_ERROR(find_typed(context, (sli_dtype_t)value->dtype, true, &array));
  sli_status_t *status = scatter_rows(array, value, indices);
  sli_object_release(array);
  if (!status) pass_flow(context);
  return status;
}

static sli_status_t *unpack_rows(sli_tensor_array_t *array, sli_tensor_t *value) {
  int64_t size, count = value->dims[0];
  SLI_RETURN_IF_ERROR(sli_tensor_array_size(array, &size));
  if (sli_tensor_array_is_dynamic(array) && size < count) size = count;
  if (size != count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input value must have first dimension equal to the array size (%lld vs. %lld)",
                           (long long)count, (long long)size);
  SLI_RETURN_IF_ERROR(sli_tensor_array_mark_size(array, size));
  return write_rows(array, value, NULL, NULL, count);
}

sli_status_t *sli_tensor_array_unpack_compute(sli_kernel_context_t *context) {
  sli_tensor_t *value = sli_kernel_input(context, 1);
  sli_tensor_array_t *array;
  SLI_RETURN_IF_ERROR(require_rows(value));
  SLI_RETURN_IF_ERROR(find_typed(context, (sli_dtype_t)value->dtype, true, &array));
  sli_status_t *status = unpack_rows(array, value);
  sli_object_release(array);
  if (!status) pass_flow(context);
  return status;
}

static sli_status_t *check_lengths(const sli_tensor_t *value, const sli_tensor_t *lengths) {
  if (lengths->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected lengths to be a vector, received shape: %s",
                           sli_tensor_shape_text(lengths).text);
  if (value->rank == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected value to be at least a vector, but received shape: %s",
                           sli_tensor_shape_text(value).text);
  int64_t total = 0;
  for (int64_t i = 0; i < lengths->count; i++) {
    int64_t length = SLI_DATA(int64_t, lengths)[i];
    if (length < 0 || __builtin_add_overflow(total, length, &total))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Length %lld at index %lld is negative or too large",
                             (long long)length, (long long)i);
  }
  if (total == value->dims[0]) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is %lld and "
                         "value's shape is: %s ",
                         (long long)total, sli_tensor_shape_text(value).text);
}

static sli_status_t *split_rows(sli_tensor_array_t *array, sli_tensor_t *value, const sli_tensor_t *lengths) {
  int64_t size;
  SLI_RETURN_IF_ERROR(sli_tensor_array_size(array, &size));
  if (sli_tensor_array_is_dynamic(array) && size < lengths->count) size = lengths->count;
  if (size != lengths->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "TensorArray's size is not equal to the size of lengths (%lld vs. %lld), and the "
                           "TensorArray is not marked as dynamically resizeable",
                           (long long)size, (long long)lengths->count);
  SLI_RETURN_IF_ERROR(sli_tensor_array_mark_size(array, size));
  return write_rows(array, value, NULL, SLI_DATA(int64_t, lengths), lengths->count);
}

sli_status_t *sli_tensor_array_split_compute(sli_kernel_context_t *context) {
  sli_tensor_t *value = sli_kernel_input(context, 1), *lengths = sli_kernel_input(context, 2);
  sli_tensor_array_t *array;
  SLI_RETURN_IF_ERROR(check_lengths(value, lengths));
  SLI_RETURN_IF_ERROR(find_typed(context, (sli_dtype_t)value->dtype, true, &array));
  sli_status_t *status = split_rows(array, value, lengths);
  sli_object_release(array);
  if (!status) pass_flow(context);
  return status;
}

sli_status_t *sli_tensor_array_size_compute(sli_kernel_context_t *context) {
  sli_tensor_array_t *array;
  int64_t size;
  SLI_RETURN_IF_ERROR(sli_step_object_find(context, &sli_tensor_array_type, (void **)&array));
  sli_status_t *status = sli_tensor_array_size(array, &size);
  sli_object_release(array);
  if (!status) sli_kernel_set_output(context, 0, sli_tensor_scalar_int32((int32_t)size));
  return status;
}

// Releases the elements before the step ends; later use fails.
sli_status_t *sli_tensor_array_close_compute(sli_kernel_context_t *context) {
  sli_tensor_array_t *array;
  SLI_RETURN_IF_ERROR(sli_step_object_find(context, &sli_tensor_array_type, (void **)&array));
  sli_tensor_array_close(array);
  sli_object_release(array);
  return NULL;
}
