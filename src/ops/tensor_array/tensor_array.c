// The rules for writing and reading elements. A slot keeps its shape after its tensor was read and released, because
// the array of gradients is created from these shapes.
#include "ops/tensor_array/tensor_array.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"

enum { MAX_SIZE = INT32_MAX };

typedef struct {
  sli_tensor_t *tensor;  // NULL: cleared, or zeros that are not allocated yet
  int64_t *dims;         // the shape, once written
  int rank;
  bool is_written, is_read, is_cleared;
  bool is_own;  // |tensor| was allocated here, so gradients can be added in place
} slot_t;

struct sli_tensor_array {
  sli_object_t base;
  char *name;
  sli_dtype_t dtype;
  bool has_identical_shapes, clear_after_read, is_gradient;
  sli_mutex_t mutex;
  // Guarded by |mutex|:
  slot_t *slots;
  int64_t size, room, marked_size;
  int64_t element_dims[SLI_MAX_RANK];
  int element_rank;
  bool is_dynamic, is_closed, was_aggregated;
};

static void clear_slots(sli_tensor_array_t *array) {
  for (int64_t i = 0; i < array->size; i++) {
    sli_tensor_release(array->slots[i].tensor);
    free(array->slots[i].dims);
  }
  free(array->slots);
  array->slots = NULL;
  array->size = array->room = 0;
}

static void array_destroy(sli_object_t *object) {
  sli_tensor_array_t *array = (sli_tensor_array_t *)object;
  clear_slots(array);
  sli_mutex_deinitialize(&array->mutex);
  free(array->name);
  free(array);
}

const sli_object_type_t sli_tensor_array_type = {"TensorArray", array_destroy};

static sli_shape_t element_shape_locked(const sli_tensor_array_t *array) {
  return (sli_shape_t){array->element_rank, array->element_dims};
}

static void set_element_shape_locked(sli_tensor_array_t *array, sli_shape_t shape) {
  array->element_rank = shape.rank;
  for (int i = 0; i < shape.rank; i++) array->element_dims[i] = shape.dims[i];
}

sli_status_t *sli_tensor_array_create(const sli_tensor_array_spec_t *spec, sli_view_t name,
                                      sli_tensor_array_t **out_array) {
  *out_array = NULL;
  if (spec->size < 0 || spec->size > MAX_SIZE) return sli_status_make(SLI_INVALID_ARGUMENT, "Size should be >= 0.");
  size_t bytes = (size_t)spec->size * sizeof(slot_t);
  slot_t *slots = bytes ? sli_malloc_or_null(bytes) : NULL;
  if (bytes && !slots)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for a TensorArray of %lld elements",
                           (long long)spec->size);
  if (bytes) memset(slots, 0, bytes);
  sli_tensor_array_t *array = sli_calloc(1, sizeof(*array));
  sli_object_initialize(&array->base, &sli_tensor_array_type);
  sli_mutex_initialize(&array->mutex);
  array->name = sli_strndup(name.data, name.size);
  array->dtype = spec->dtype;
  array->has_identical_shapes = spec->has_identical_shapes;
  array->clear_after_read = spec->clear_after_read;
  array->is_gradient = spec->is_gradient;
  array->is_dynamic = spec->is_dynamic;
  array->marked_size = spec->marked_size;
  array->slots = slots;
  array->size = array->room = spec->size;
  set_element_shape_locked(array, spec->element_shape);
  *out_array = array;
  return NULL;
}

static sli_status_t *check_open_locked(const sli_tensor_array_t *array) {
  if (!array->is_closed) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "TensorArray %s has already been closed.", array->name);
}

static void set_shape(slot_t *slot, sli_shape_t prefix, sli_shape_t shape) {
  free(slot->dims);
  slot->rank = prefix.rank + shape.rank;
  slot->dims = sli_malloc((size_t)(slot->rank + 1) * sizeof(*slot->dims));
  for (int i = 0; i < prefix.rank; i++) slot->dims[i] = prefix.dims[i];
  for (int i = 0; i < shape.rank; i++) slot->dims[prefix.rank + i] = shape.dims[i];
  slot->is_written = true;
}

static sli_shape_t slot_shape(const slot_t *slot) { return (sli_shape_t){slot->rank, slot->dims}; }

static sli_status_t *create_gradient_locked(sli_tensor_array_t *array, sli_view_t name, sli_shape_t prefix,
                                            sli_tensor_array_t **out_array) {
  SLI_RETURN_IF_ERROR(check_open_locked(array));
  if (array->was_aggregated)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Unable to create a gradients TensorArray for %s.  Perhaps you used the "
                           "multiple_writes_aggregate flag on a previous write?  Gradient calculation is impossible "
                           "when multiple writes are performed to the same index.",
                           array->name);
  array->is_dynamic = false;
  int64_t dims[2 * SLI_MAX_RANK];
  sli_shape_t shape = element_shape_locked(array);
  if (shape.rank >= 0) {
    SLI_RETURN_IF_ERROR(sli_shape_check_rank(prefix.rank + shape.rank));
    for (int i = 0; i < prefix.rank; i++) dims[i] = prefix.dims[i];
    for (int i = 0; i < shape.rank; i++) dims[prefix.rank + i] = shape.dims[i];
    shape = (sli_shape_t){prefix.rank + shape.rank, dims};
  }
  sli_tensor_array_spec_t spec = {.dtype = array->dtype,
                                  .size = array->size,
                                  .element_shape = shape,
                                  .has_identical_shapes = array->has_identical_shapes,
                                  .clear_after_read = true,
                                  .is_gradient = true,
                                  .marked_size = array->marked_size};
  SLI_RETURN_IF_ERROR(sli_tensor_array_create(&spec, name, out_array));
  for (int64_t i = 0; i < array->size; i++) {
    if (array->slots[i].is_written) set_shape(&(*out_array)->slots[i], prefix, slot_shape(&array->slots[i]));
  }
  return NULL;
}

sli_status_t *sli_tensor_array_create_gradient(sli_tensor_array_t *array, sli_view_t name, sli_shape_t prefix,
                                               sli_tensor_array_t **out_array) {
  *out_array = NULL;
  sli_mutex_lock(&array->mutex);
  sli_status_t *status = create_gradient_locked(array, name, prefix, out_array);
  sli_mutex_unlock(&array->mutex);
  return status;
}

sli_dtype_t sli_tensor_array_dtype(const sli_tensor_array_t *array) { return array->dtype; }
const char *sli_tensor_array_name(const sli_tensor_array_t *array) { return array->name; }

// --- Writing -------------------------------------------------------------------------

static sli_status_t *grow_locked(sli_tensor_array_t *array, int64_t size) {
  if (size > array->room) {
    int64_t room = 2 * size;
    slot_t *slots = sli_malloc_or_null((size_t)room * sizeof(*slots));
    if (!slots)
      return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for a TensorArray of %lld elements", (long long)size);
    if (array->size) memcpy(slots, array->slots, (size_t)array->size * sizeof(*slots));
    free(array->slots);
    array->slots = slots;
    array->room = room;
  }
  memset(array->slots + array->size, 0, (size_t)(size - array->size) * sizeof(*array->slots));
  array->size = size;
  return NULL;
}

static sli_status_t *refuse_write(const sli_tensor_array_t *array, int64_t index, const char *why) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "TensorArray %s: Could not write to TensorArray index %lld because %s",
                         array->name, (long long)index, why);
}

static sli_status_t *check_value_locked(sli_tensor_array_t *array, int64_t index, const sli_tensor_t *value) {
  if (value->dtype != array->dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "TensorArray %s: Could not write to TensorArray index %lld because the value dtype is %s "
                           "but TensorArray dtype is %s.",
                           array->name, (long long)index, sli_dtype_name(value->dtype), sli_dtype_name(array->dtype));
  sli_shape_t wanted = element_shape_locked(array);
  if (!sli_shape_is_compatible(wanted, sli_tensor_shape(value)))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "TensorArray %s: Could not write to TensorArray index %lld because the value shape is %s "
                           "which is incompatible with the TensorArray's inferred element shape: %s (consider setting "
                           "infer_shape=False).",
                           array->name, (long long)index, sli_tensor_shape_text(value).text,
                           sli_shape_text(wanted).text);
  if (array->has_identical_shapes) set_element_shape_locked(array, sli_tensor_shape(value));
  return NULL;
}

// Adds |value| to the gradient in |slot|.
static sli_status_t *aggregate_locked(sli_tensor_array_t *array, slot_t *slot, int64_t index, sli_tensor_t *value) {
  if (!sli_shape_equal(slot_shape(slot), sli_tensor_shape(value)))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "TensorArray %s: Could not aggregate to TensorArray index %lld because the existing shape "
                           "is %s but the new input shape is %s.",
                           array->name, (long long)index, sli_shape_text(slot_shape(slot)).text,
                           sli_tensor_shape_text(value).text);
  if (!slot->tensor || slot->tensor->count == 0) {
    sli_tensor_release(slot->tensor);
    slot->tensor = sli_tensor_retain(value);
    return NULL;
  }
  if (!sli_types_contain(SLI_TYPES_NUMBER | SLI_TYPE_BOOL, array->dtype))
    return sli_status_make(SLI_INVALID_ARGUMENT, "tensor_array::AddToTensor type not supported: %s",
                           sli_dtype_name(array->dtype));
  if (!slot->is_own) {
    sli_tensor_t *copy;
    SLI_RETURN_IF_ERROR(sli_tensor_clone(slot->tensor, &copy));
    sli_tensor_release(slot->tensor);
    slot->tensor = copy;
    slot->is_own = true;
  }
  sli_accumulate(SLI_ACCUMULATE_ADD, array->dtype, slot->tensor->data, value->data, 1, value->count);
  array->was_aggregated = true;
  return NULL;
}

static sli_status_t *write_locked(sli_tensor_array_t *array, int64_t index, sli_tensor_t *value) {
  if (index < 0 || (!array->is_dynamic && index >= array->size))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "TensorArray %s: Tried to write to index %lld but array is not resizeable and size is: %lld",
                           array->name, (long long)index, (long long)array->size);
  if (index >= array->size) SLI_RETURN_IF_ERROR(grow_locked(array, index + 1));
  SLI_RETURN_IF_ERROR(check_value_locked(array, index, value));
  slot_t *slot = &array->slots[index];
  if (slot->is_read) return refuse_write(array, index, "it has already been read.");
  if (slot->is_written && !array->is_gradient) return refuse_write(array, index, "it has already been written to.");
  if (slot->is_written) return aggregate_locked(array, slot, index, value);
  slot->tensor = sli_tensor_retain(value);
  set_shape(slot, SLI_SHAPE_SCALAR, sli_tensor_shape(value));
  return NULL;
}

sli_status_t *sli_tensor_array_write(sli_tensor_array_t *array, const int32_t *indices, int64_t first,
                                     sli_tensor_t *const *values, int64_t count) {
  sli_mutex_lock(&array->mutex);
  sli_status_t *status = check_open_locked(array);
  for (int64_t i = 0; i < count && !status; i++)
    status = write_locked(array, indices ? indices[i] : first + i, values[i]);
  sli_mutex_unlock(&array->mutex);
  return status;
}

// --- Reading -------------------------------------------------------------------------

// Sets the shape with which an unwritten slot is read as zeros.
static sli_status_t *assume_written_locked(sli_tensor_array_t *array, int64_t index) {
  sli_shape_t shape = element_shape_locked(array);
  if (index < array->size && array->slots[index].rank > 0) {
    shape = slot_shape(&array->slots[index]);
  } else if (!sli_shape_is_fully_known(shape)) {
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "TensorArray %s: Could not read from TensorArray index %lld.  Furthermore, the element shape is not fully "
        "defined: %s.  It is possible you are working with a resizeable TensorArray and stop_gradients is not allowing "
        "the gradients to be written.  If you set the full element_shape property on the forward TensorArray, the "
        "proper all-zeros tensor will be returned instead of incurring this error.",
        array->name, (long long)index, sli_shape_text(shape).text);
  }
  int64_t first = index;
  if (index >= array->size) {
    first = array->size;
    SLI_RETURN_IF_ERROR(grow_locked(array, index + 1));
  }
  for (int64_t i = first; i <= index; i++) set_shape(&array->slots[i], SLI_SHAPE_SCALAR, shape);
  return NULL;
}

static sli_status_t *read_locked(sli_tensor_array_t *array, int64_t index, sli_tensor_t **out_value) {
  if (index < 0 || (!array->is_gradient && index >= array->size))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tried to read from index %lld but array size is: %lld",
                           (long long)index, (long long)array->size);
  if (index >= array->size || !array->slots[index].is_written) SLI_RETURN_IF_ERROR(assume_written_locked(array, index));
  slot_t *slot = &array->slots[index];
  if (slot->is_cleared)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "TensorArray %s: Could not read index %lld twice because it was cleared after a previous "
                           "read (perhaps try setting clear_after_read = false?).",
                           array->name, (long long)index);
  if (!slot->tensor) {
    SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), array->dtype, slot->dims, slot->rank, &slot->tensor));
    sli_elements_clear(array->dtype, slot->tensor->data, slot->tensor->count);
  }
  *out_value = sli_tensor_retain(slot->tensor);
  if (array->clear_after_read) {
    sli_tensor_release(slot->tensor);
    slot->tensor = NULL;
    slot->is_cleared = true;
  }
  slot->is_read = true;
  slot->is_own = false;
  return NULL;
}

sli_status_t *sli_tensor_array_read(sli_tensor_array_t *array, const int32_t *indices, int64_t count,
                                    sli_tensor_t **out_values) {
  int64_t done = 0;
  sli_mutex_lock(&array->mutex);
  sli_status_t *status = check_open_locked(array);
  for (; done < count && !status; done += !status) status = read_locked(array, indices[done], &out_values[done]);
  sli_mutex_unlock(&array->mutex);
  for (int64_t i = 0; status && i < done; i++) sli_tensor_release(out_values[i]);
  return status;
}

// --- The rest --------------------------------------------------------------------------

sli_status_t *sli_tensor_array_size(sli_tensor_array_t *array, int64_t *out_size) {
  sli_mutex_lock(&array->mutex);
  sli_status_t *status = check_open_locked(array);
  *out_size = array->size;
  sli_mutex_unlock(&array->mutex);
  return status;
}

sli_status_t *sli_tensor_array_concat_size(sli_tensor_array_t *array, int64_t *out_size) {
  sli_mutex_lock(&array->mutex);
  sli_status_t *status = check_open_locked(array);
  *out_size = array->is_gradient && array->marked_size >= 0 ? array->marked_size : array->size;
  sli_mutex_unlock(&array->mutex);
  return status;
}

bool sli_tensor_array_is_dynamic(sli_tensor_array_t *array) {
  sli_mutex_lock(&array->mutex);
  bool is_dynamic = array->is_dynamic;
  sli_mutex_unlock(&array->mutex);
  return is_dynamic;
}

sli_status_t *sli_tensor_array_mark_size(sli_tensor_array_t *array, int64_t size) {
  sli_mutex_lock(&array->mutex);
  sli_status_t *status = check_open_locked(array);
  if (!status && !array->is_gradient) array->marked_size = size;
  sli_mutex_unlock(&array->mutex);
  return status;
}

sli_status_t *sli_tensor_array_merge_shape(sli_tensor_array_t *array, sli_shape_t shape) {
  if (shape.rank < 0) return NULL;
  sli_status_t *status = NULL;
  sli_mutex_lock(&array->mutex);
  sli_shape_t own = element_shape_locked(array);
  if (!sli_shape_is_compatible(own, shape)) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Incompatible shapes during merge: %s vs. %s",
                             sli_shape_text(own).text, sli_shape_text(shape).text);
  } else if (own.rank < 0) {
    set_element_shape_locked(array, shape);
  } else {
    for (int i = 0; i < own.rank; i++) {
      if (array->element_dims[i] < 0) array->element_dims[i] = shape.dims[i];
    }
  }
  sli_mutex_unlock(&array->mutex);
  return status;
}

void sli_tensor_array_close(sli_tensor_array_t *array) {
  sli_mutex_lock(&array->mutex);
  clear_slots(array);
  array->is_closed = true;
  sli_mutex_unlock(&array->mutex);
}
