// Tensor: an immutable header (type, shape, memory) and bytes that it owns or
// shares. One reference-counted object: a new tensor owns its bytes, a view points
// into another tensor and keeps it alive. Passing a tensor costs one counter, never
// a copy.
//
// The bytes may be written by the creator before the tensor is shared, by the holder of
// the only reference (sli_tensor_is_exclusive()), and by the update ops on a variable's
// tensor, which race with readers as TensorFlow's do (use_locking=false).
#ifndef SLI_CORE_TENSOR_TENSOR_H_
#define SLI_CORE_TENSOR_TENSOR_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/lend.h"
#include "base/slices.h"
#include "base/status.h"
#include "base/sync.h"
#include "core/tensor/allocator.h"
#include "core/tensor/dtype.h"
#include "core/tensor/shape.h"
#include "core/tensor/tstring.h"

// An element of a RESOURCE or VARIANT tensor is a pointer to a reference-counted object
// or NULL.
typedef struct sli_object sli_object_t;
typedef struct {
  const char *name;
  void (*destroy)(sli_object_t *object);
  const struct sli_resource_watch *watch;     // core/state/resource.h; NULL: reports nothing
  const struct sli_variant_methods *variant;  // core/tensor/variant.h; NULL: has none
} sli_object_type_t;
struct sli_object {
  const sli_object_type_t *type;
  sli_refcount_t references;
};
static inline void sli_object_initialize(sli_object_t *object, const sli_object_type_t *type) {
  object->type = type;
  sli_refcount_initialize(&object->references);
}
static inline void *sli_object_retain(void *object) {
  if (object) sli_refcount_retain(&((sli_object_t *)object)->references);
  return object;
}
static inline void sli_object_release(void *object) {
  sli_object_t *base = object;
  if (base && sli_refcount_release(&base->references)) base->type->destroy(base);
}

typedef struct sli_tensor sli_tensor_t;
// Any code may read the fields. Only core/tensor/tensor.c writes them.
struct sli_tensor {
  sli_refcount_t references;
  uint8_t dtype;  // sli_dtype_t, never a reference type
  uint8_t rank;
  uint8_t memory;       // sli_memory_t of |data|
  uint8_t ownership;    // sli_lend_ownership_t of |data|
  atomic_bool frozen;   // see sli_tensor_freeze
  int64_t count;        // elements
  void *data;           // NULL only if count is 0
  sli_tensor_t *owner;  // of a view: the tensor that owns the bytes; NULL: this one does
  // How to free |data|, if this tensor owns it and it is not in the block of the header.
  void (*release)(void *context, void *data, size_t size);
  void *release_context;
  size_t allocated;  // bytes of |data|
  int64_t dims[];
};

// A tensor with uninitialised elements (strings empty, objects NULL).
// INVALID_ARGUMENT for negative dims or too many elements, RESOURCE_EXHAUSTED
// "OOM when allocating tensor with shape[…] and type float …" without memory.
sli_status_t *sli_tensor_create(sli_allocator_t *allocator, sli_dtype_t dtype, const int64_t *dims, int rank,
                                sli_tensor_t **out_tensor);
// Whether a tensor can have the shape. INVALID_ARGUMENT for negative dims or too many elements.
sli_status_t *sli_tensor_check_shape(sli_shape_t shape);
// The error without memory, with the name of a device; for its allocator, or for the CPU's.
sli_status_t *sli_tensor_out_of_memory(sli_dtype_t dtype, sli_shape_t shape, const char *where);
sli_status_t *sli_tensor_out_of_memory_in(const sli_allocator_t *allocator, sli_dtype_t dtype, sli_shape_t shape,
                                          const char *where);
// A host tensor over the caller's bytes. |release|(context, data, size) runs when the last
// reference is released. Ownership passes only on success. Elements of strings must be
// valid sli_tstring_t and are destroyed before |release|.
sli_status_t *sli_tensor_adopt(sli_dtype_t dtype, const int64_t *dims, int rank, void *data, size_t size,
                               void (*release)(void *context, void *data, size_t size), void *context,
                               sli_tensor_t **out_tensor);
// A tensor of another shape and, for plain types, dtype over the bytes of
// |base|, starting at its element |first|. The caller has checked that they are inside.
sli_tensor_t *sli_tensor_view(sli_tensor_t *base, sli_dtype_t dtype, int64_t first, const int64_t *dims, int rank);
// Shorthands for host tensors; these never fail.
sli_tensor_t *sli_tensor_scalar(sli_dtype_t dtype, const void *value);  // plain types
sli_tensor_t *sli_tensor_scalar_int32(int32_t value);
sli_tensor_t *sli_tensor_scalar_int64(int64_t value);
sli_tensor_t *sli_tensor_scalar_float(float value);
sli_tensor_t *sli_tensor_scalar_bool(bool value);
sli_tensor_t *sli_tensor_scalar_string(sli_view_t value);
sli_tensor_t *sli_tensor_vector_int32(const int32_t *values, int64_t count);
sli_tensor_t *sli_tensor_vector_int64(const int64_t *values, int64_t count);
sli_tensor_t *sli_tensor_empty_float(void);  // float [0]: the dead tensor and the control edge of the wire
// A deep copy in the same memory.
sli_status_t *sli_tensor_clone(const sli_tensor_t *tensor, sli_tensor_t **out_tensor);

static inline sli_tensor_t *sli_tensor_retain(sli_tensor_t *tensor) {
  if (tensor) sli_refcount_retain(&tensor->references);
  return tensor;
}
void sli_tensor_destroy(sli_tensor_t *tensor);  // called by sli_tensor_release only
static inline void sli_tensor_release(sli_tensor_t *tensor) {
  if (tensor && sli_refcount_release(&tensor->references)) sli_tensor_destroy(tensor);
}
// While a tensor is frozen its bytes may not change, though a variable holds it: an update in place moves the variable
// to other bytes. An update that has begun may still write. One at a time freezes and thaws it. Thread-safe.
static inline void sli_tensor_freeze(sli_tensor_t *tensor) { atomic_store(&tensor->frozen, true); }
static inline void sli_tensor_thaw(sli_tensor_t *tensor) { atomic_store(&tensor->frozen, false); }
// Whether the bytes may change: no other process uses them, and they are not frozen. Check the references first.
static inline bool sli_tensor_is_writable(const sli_tensor_t *tensor) {
  return tensor->ownership != SLI_LEND_LENT && !sli_lend_is_lent(tensor->data) &&
         !atomic_load_explicit(&tensor->frozen, memory_order_relaxed);
}
// True if nothing else refers to the bytes: the caller's reference is the only one.
static inline bool sli_tensor_is_exclusive(sli_tensor_t *tensor) {
  return sli_refcount_is_one(&tensor->references) &&
         (!tensor->owner || sli_refcount_is_one(&tensor->owner->references)) && sli_tensor_is_writable(tensor);
}

static inline sli_shape_t sli_tensor_shape(const sli_tensor_t *tensor) {
  return (sli_shape_t){tensor->rank, tensor->dims};
}
static inline sli_shape_text_t sli_tensor_shape_text(const sli_tensor_t *tensor) {
  return sli_shape_text(sli_tensor_shape(tensor));
}
static inline size_t sli_tensor_bytes(const sli_tensor_t *tensor) {
  return (size_t)tensor->count * sli_dtype_size((sli_dtype_t)tensor->dtype);
}
// The elements as |type|*.
#define SLI_DATA(type, tensor) ((type *)(tensor)->data)

// Element |index| of a string tensor; the caller has checked type and index.
static inline sli_view_t sli_tensor_string_at(const sli_tensor_t *tensor, int64_t index) {
  return sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[index]);
}

bool sli_tensor_same_shape(const sli_tensor_t *a, const sli_tensor_t *b);
// The allocator of the tensor's memory. Of memory that was adopted, the CPU's.
sli_allocator_t *sli_tensor_allocator(const sli_tensor_t *tensor);
// Copies all elements between tensors of equal type and count in the same memory.
void sli_tensor_copy_elements(sli_tensor_t *destination, const sli_tensor_t *source);
// Where element |index| starts.
static inline void *sli_tensor_at(const sli_tensor_t *tensor, int64_t index) {
  return (char *)tensor->data + (size_t)index * sli_dtype_size((sli_dtype_t)tensor->dtype);
}
// Element |index| of a tensor of any integer type but uint32 and uint64; the caller has checked type and index.
static inline int64_t sli_tensor_int_at(const sli_tensor_t *tensor, int64_t index) {
  switch (tensor->dtype) {
    case SLI_DTYPE_INT64: return SLI_DATA(const int64_t, tensor)[index];
    case SLI_DTYPE_INT16: return SLI_DATA(const int16_t, tensor)[index];
    case SLI_DTYPE_UINT16: return SLI_DATA(const uint16_t, tensor)[index];
    case SLI_DTYPE_INT8: return SLI_DATA(const int8_t, tensor)[index];
    case SLI_DTYPE_UINT8: return SLI_DATA(const uint8_t, tensor)[index];
    default: return SLI_DATA(const int32_t, tensor)[index];
  }
}
// Sets element |index| of an int32 or int64 tensor; the caller has checked type and index.
static inline void sli_tensor_set_int(sli_tensor_t *tensor, int64_t index, int64_t value) {
  if (tensor->dtype == SLI_DTYPE_INT64) {
    SLI_DATA(int64_t, tensor)[index] = value;
  } else {
    SLI_DATA(int32_t, tensor)[index] = (int32_t)value;
  }
}
// Up to |limit| elements (all if negative) as TensorFlow's summaries show them: "1 2 3..." of a vector,
// "[1 2][3 4]" of a matrix. The caller adds the outer brackets.
void sli_tensor_append_values(sli_string_t *string, const sli_tensor_t *tensor, int limit);

// A release function of slices (base/slices.h) that releases a tensor.
void sli_tensor_release_slice(void *tensor);

#endif  // SLI_CORE_TENSOR_TENSOR_H_
