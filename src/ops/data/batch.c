#include "ops/data/batch.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ops/common/copy_elements.h"

enum { FIRST_BYTES = 16 << 20 };  // memory for a batch that may never be full

void sli_dataset_batch_initialize(sli_dataset_batch_t *batch, sli_allocator_t *allocator, int component_count,
                                  int64_t limit) {
  *batch = (sli_dataset_batch_t){.allocator = allocator, .limit = limit, .component_count = component_count};
  batch->tensors = sli_calloc((size_t)component_count + 1, sizeof(batch->tensors[0]));
}

void sli_dataset_batch_deinitialize(sli_dataset_batch_t *batch) {
  sli_dataset_release_element(batch->tensors, batch->component_count);
  free(batch->tensors);
}

static sli_status_t *create_rows(const sli_dataset_batch_t *batch, int64_t rows, sli_shape_t row, sli_dtype_t dtype,
                                 sli_tensor_t **out_tensor) {
  int64_t dims[SLI_MAX_RANK + 1];
  *out_tensor = NULL;
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(row.rank + 1));
  dims[0] = rows;
  for (int i = 0; i < row.rank; i++) dims[i + 1] = row.dims[i];
  return sli_tensor_create(batch->allocator, dtype, dims, row.rank + 1, out_tensor);
}

// Copies the elements of |from| to element |at| of |to|. Moves strings that nobody else refers to.
static void move_elements(sli_tensor_t *to, int64_t at, sli_tensor_t *from) {
  sli_dtype_t dtype = (sli_dtype_t)from->dtype;
  void *target = sli_tensor_at(to, at);
  if (sli_dtype_is_plain(dtype)) {
    if (from->count) memcpy(target, from->data, sli_tensor_bytes(from));
  } else if (dtype == SLI_DTYPE_STRING && sli_tensor_is_exclusive(from) && !from->owner) {
    // The strings of |to| are empty: those of |from| take their place.
    memcpy(target, from->data, sli_tensor_bytes(from));
    memset(from->data, 0, sli_tensor_bytes(from));
  } else {
    sli_elements_copy(dtype, target, from->data, from->count);
  }
}

// Memory for more rows; the first time for all of them, if that is not too much.
static sli_status_t *grow(sli_dataset_batch_t *batch, sli_tensor_t *const *element) {
  int64_t capacity = batch->capacity * 2;
  if (!batch->capacity) {
    size_t bytes = 1;
    for (int i = 0; i < batch->component_count; i++) bytes += sli_tensor_bytes(element[i]);
    capacity = FIRST_BYTES / bytes < 16 ? 16 : (int64_t)(FIRST_BYTES / bytes);
  }
  if (capacity > batch->limit) capacity = batch->limit;
  for (int i = 0; i < batch->component_count; i++) {
    sli_tensor_t *larger, *old = batch->tensors[i];
    SLI_RETURN_IF_ERROR(
        create_rows(batch, capacity, sli_tensor_shape(element[i]), (sli_dtype_t)element[i]->dtype, &larger));
    if (old) {
      sli_tensor_t *rows =
          sli_tensor_view(old, (sli_dtype_t)old->dtype, 0, (int64_t[]){batch->rows * element[i]->count}, 1);
      move_elements(larger, 0, rows);
      sli_tensor_release(rows);
    }
    sli_tensor_release(old);
    batch->tensors[i] = larger;
  }
  batch->capacity = capacity;
  return NULL;
}

static sli_status_t *check_row(const sli_dataset_batch_t *batch, sli_tensor_t *const *element) {
  for (int i = 0; i < batch->component_count; i++) {
    const sli_tensor_t *have = batch->tensors[i], *row = element[i];
    sli_shape_t first = {have->rank - 1, have->dims + 1};
    if (have->dtype == row->dtype && sli_shape_equal(first, sli_tensor_shape(row))) continue;
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Cannot batch tensors with different shapes in component %d. First element had shape %s and "
                           "element %lld had shape %s.",
                           i, sli_shape_text(first).text, (long long)batch->rows, sli_tensor_shape_text(row).text);
  }
  return NULL;
}

sli_status_t *sli_dataset_batch_add(sli_dataset_batch_t *batch, sli_tensor_t **element) {
  sli_status_t *status = batch->rows ? check_row(batch, element) : NULL;
  if (!status && batch->rows == batch->capacity) status = grow(batch, element);
  for (int i = 0; i < batch->component_count && !status; i++)
    move_elements(batch->tensors[i], batch->rows * element[i]->count, element[i]);
  batch->rows += !status;
  sli_dataset_release_element(element, batch->component_count);
  return status;
}

sli_status_t *sli_dataset_batch_take(sli_dataset_batch_t *batch, sli_tensor_t **out_element) {
  sli_status_t *status = NULL;
  for (int i = 0; i < batch->component_count; i++) {
    sli_tensor_t *full = batch->tensors[i];
    batch->tensors[i] = NULL;
    out_element[i] = full;
    if (batch->rows == batch->capacity) continue;
    int64_t dims[SLI_MAX_RANK];
    memcpy(dims, full->dims, (size_t)full->rank * sizeof(dims[0]));
    dims[0] = batch->rows;
    out_element[i] = sli_tensor_view(full, (sli_dtype_t)full->dtype, 0, dims, full->rank);
    sli_tensor_release(full);
    if (batch->rows > batch->capacity / 2) continue;
    // A small part would keep much memory.
    sli_tensor_t *part = out_element[i], *copy = NULL;
    if (!status) status = sli_tensor_clone(part, &copy);
    sli_tensor_release(part);
    out_element[i] = copy;
  }
  if (status) sli_dataset_release_element(out_element, batch->component_count);
  batch->rows = batch->capacity = 0;
  return status;
}
