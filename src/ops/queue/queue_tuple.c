// Checks, splits and batches the components of a queue.
#include "ops/common/copy_elements.h"
#include "ops/queue/queue_internal.h"

static sli_status_t *shape_mismatch(int component, sli_shape_t expected, const sli_tensor_t *tensor) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Shape mismatch in tuple component %d. Expected %s, got %s", component,
                         sli_shape_text(expected).text, sli_tensor_shape_text(tensor).text);
}

static sli_status_t *check_rows(const sli_queue_spec_t *spec, sli_tensor_t *const *components) {
  for (int i = 0; i < spec->component_count; i++) {
    if (components[i]->rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Component %d must have at least 1 dimension to enqueue many elements, got a scalar", i);
  }
  int64_t count = components[0]->dims[0];
  for (int i = 0; i < spec->component_count; i++) {
    const sli_tensor_t *tensor = components[i];
    if (!spec->shapes) {
      if (tensor->dims[0] == count) continue;
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "All input tensors must have the same size in the 0th dimension. Component %d has %lld, "
                             "and should have %lld",
                             i, (long long)tensor->dims[0], (long long)count);
    }
    sli_shape_t row = {tensor->rank - 1, tensor->dims + 1};
    if (tensor->dims[0] == count && sli_shape_is_compatible(spec->shapes[i], row)) continue;
    int64_t expected[SLI_MAX_RANK + 1] = {count};
    for (int k = 0; k < spec->shapes[i].rank; k++) expected[k + 1] = spec->shapes[i].dims[k];
    return shape_mismatch(i, (sli_shape_t){spec->shapes[i].rank + 1, expected}, tensor);
  }
  if (spec->kind == SLI_QUEUE_PRIORITY && components[0]->rank != 1) {
    sli_shape_t row = {components[0]->rank - 1, components[0]->dims + 1};
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected the priority element to be a scalar, but received shape: %s",
                           sli_shape_text(row).text);
  }
  return NULL;
}

sli_status_t *sli_queue_check_components(const sli_queue_spec_t *spec, sli_tensor_t *const *components, bool many) {
  for (int i = 0; i < spec->component_count; i++) {
    if (components[i]->dtype == spec->types[i]) continue;
    return sli_status_make(SLI_INVALID_ARGUMENT, "Type mismatch in tuple component %d. Expected %s, got %s", i,
                           sli_dtype_name(spec->types[i]), sli_dtype_name(components[i]->dtype));
  }
  if (many) return check_rows(spec, components);
  for (int i = 0; spec->shapes && i < spec->component_count; i++) {
    if (!sli_shape_is_compatible(spec->shapes[i], sli_tensor_shape(components[i])))
      return shape_mismatch(i, spec->shapes[i], components[i]);
  }
  if (spec->kind == SLI_QUEUE_PRIORITY && components[0]->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected the priority element to be a scalar, but received shape: %s",
                           sli_tensor_shape_text(components[0]).text);
  return NULL;
}

sli_status_t *sli_queue_copy_row(const sli_tensor_t *tensor, int64_t index, sli_tensor_t **out_row) {
  sli_dtype_t dtype = (sli_dtype_t)tensor->dtype;
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), dtype, tensor->dims + 1, tensor->rank - 1, out_row));
  int64_t count = (*out_row)->count;
  sli_elements_copy(dtype, (*out_row)->data, sli_tensor_at(tensor, index * count), count);
  return NULL;
}

// Copies a row into the batch. Strings that no one else references are moved instead.
static void place_row(sli_tensor_t *batch, int64_t at, sli_tensor_t *row) {
  sli_dtype_t dtype = (sli_dtype_t)batch->dtype;
  if (dtype != SLI_DTYPE_STRING || !sli_tensor_is_exclusive(row)) {
    sli_elements_copy(dtype, sli_tensor_at(batch, at), row->data, row->count);
    return;
  }
  sli_tstring_t *to = SLI_DATA(sli_tstring_t, batch) + at, *from = SLI_DATA(sli_tstring_t, row);
  for (int64_t i = 0; i < row->count; i++) {
    sli_view_t view = sli_tstring_view(&from[i]);
    bool is_movable = (from[i].small.size & 3) == SLI_TSTRING_SMALL || (from[i].small.size & 3) == SLI_TSTRING_LARGE;
    if (is_movable) {
      to[i] = from[i];
      sli_tstring_initialize(&from[i]);
    } else {
      sli_tstring_assign(&to[i], view.data, view.size);
    }
  }
}

sli_status_t *sli_queue_batch_rows(const sli_queue_spec_t *spec, int component, sli_tensor_t *const *rows,
                                   int64_t count, sli_tensor_t **out_batch) {
  sli_shape_t shape = spec->shapes[component];
  int64_t dims[SLI_MAX_RANK + 1] = {count};
  bool is_even = true;  // all rows have the same shape: no padding
  for (int d = 0; d < shape.rank; d++) {
    dims[d + 1] = shape.dims[d] < 0 ? 0 : shape.dims[d];
    for (int64_t i = 0; i < count; i++) {
      if (i > 0 && rows[i]->dims[d] != rows[0]->dims[d]) is_even = false;
      if (rows[i]->dims[d] > dims[d + 1]) dims[d + 1] = rows[i]->dims[d];
    }
  }
  sli_dtype_t dtype = spec->types[component];
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), dtype, dims, shape.rank + 1, out_batch));
  sli_tensor_t *batch = *out_batch;
  if (batch->count == 0) return NULL;
  int64_t stride = batch->count / count, strides[SLI_MAX_RANK + 1], row_strides[SLI_MAX_RANK + 1];
  if (!is_even) sli_elements_clear(dtype, batch->data, batch->count);
  sli_shape_strides(shape.rank, dims + 1, strides);
  for (int64_t i = 0; i < count; i++) {
    if (is_even) {
      place_row(batch, i * stride, rows[i]);
      continue;
    }
    sli_shape_strides(shape.rank, rows[i]->dims, row_strides);
    sli_elements_strided_copy(NULL, dtype, shape.rank, rows[i]->dims, sli_tensor_at(batch, i * stride), strides,
                              rows[i]->data, row_strides);
  }
  return NULL;
}
