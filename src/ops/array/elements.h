// Elements of any type, moved and compared without knowing what they mean.
// Plain types are bytes; strings and objects keep their owners. Every op that
// only moves data is written on these few functions, once for all types.
#ifndef SLI_OPS_ARRAY_ELEMENTS_H_
#define SLI_OPS_ARRAY_ELEMENTS_H_

#include <string.h>

#include "base/thread_pool.h"
#include "core/tensor.h"

// The sets of types that TensorFlow registers its data-moving kernels for.
#define SLI_TYPES_POD (SLI_TYPES_NUMBER | SLI_TYPE_BOOL)
#define SLI_TYPES_COMMON (SLI_TYPES_POD | SLI_TYPE_STRING | SLI_TYPE_RESOURCE | SLI_TYPE_VARIANT)
#define SLI_TYPES_FLOAT8 (SLI_TYPE_BIT(SLI_DTYPE_FLOAT8_E5M2) | SLI_TYPE_BIT(SLI_DTYPE_FLOAT8_E4M3FN))
#define SLI_TYPES_QUANTIZED_8_32 \
  (SLI_TYPE_BIT(SLI_DTYPE_QINT8) | SLI_TYPE_BIT(SLI_DTYPE_QUINT8) | SLI_TYPE_BIT(SLI_DTYPE_QINT32))

// Copies |count| elements; the destination's elements are valid and are
// replaced. The ranges do not overlap.
void sli_elements_copy(sli_dtype_t dtype, void *to, const void *from, int64_t count);
// Sets |count| elements to |*value|.
void sli_elements_fill(sli_dtype_t dtype, void *to, const void *value, int64_t count);
// Sets |count| elements to zero (empty strings, NULL objects).
void sli_elements_clear(sli_dtype_t dtype, void *to, int64_t count);

// to[i·to_strides] = from[i·from_strides] for every index i below |dims|.
// Strides count elements; a source stride may be 0 or negative. |to| is written
// at distinct places only. Runs on |pool| (may be NULL) when there is much to do.
void sli_strided_copy(sli_thread_pool_t *pool, sli_dtype_t dtype, int rank, const int64_t *dims, void *to,
                      const int64_t *to_strides, const void *from, const int64_t *from_strides);

// Row-major strides of a shape.
static inline void sli_row_major_strides(int rank, const int64_t *dims, int64_t *out_strides) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; i--) {
    out_strides[i] = stride;
    if (__builtin_mul_overflow(stride, dims[i], &stride)) stride = 0;  // an empty shape with huge dims
  }
}

// Where element |index| starts.
static inline void *sli_element_at(const sli_tensor_t *tensor, int64_t index) {
  return (char *)tensor->data + (size_t)index * sli_dtype_size((sli_dtype_t)tensor->dtype);
}

// Element |index| of a tensor of any integer type up to int64.
static inline int64_t sli_integer_at(const sli_tensor_t *tensor, int64_t index) {
  switch (tensor->dtype) {
    case SLI_DTYPE_INT64: return SLI_DATA(const int64_t, tensor)[index];
    case SLI_DTYPE_INT16: return SLI_DATA(const int16_t, tensor)[index];
    case SLI_DTYPE_UINT16: return SLI_DATA(const uint16_t, tensor)[index];
    case SLI_DTYPE_INT8: return SLI_DATA(const int8_t, tensor)[index];
    case SLI_DTYPE_UINT8: return SLI_DATA(const uint8_t, tensor)[index];
    default: return SLI_DATA(const int32_t, tensor)[index];
  }
}
// Writes |value| into an int32 or int64 tensor.
static inline void sli_integer_set(sli_tensor_t *tensor, int64_t index, int64_t value) {
  if (tensor->dtype == SLI_DTYPE_INT64) {
    SLI_DATA(int64_t, tensor)[index] = value;
  } else {
    SLI_DATA(int32_t, tensor)[index] = (int32_t)value;
  }
}

// A shape as text for a message: sli_status_make(…, "… %s", sli_shape_text(shape).text).
// Cut with "…" where it is very long.
typedef struct {
  char text[160];
} sli_shape_text_t;
sli_shape_text_t sli_shape_text(sli_shape_t shape);
static inline sli_shape_text_t sli_tensor_shape_text(const sli_tensor_t *tensor) {
  return sli_shape_text(sli_tensor_shape(tensor));
}

// The product of dims [begin, end) of a tensor's shape.
static inline int64_t sli_dims_product(const int64_t *dims, int begin, int end) {
  int64_t product = 1;
  for (int i = begin; i < end; i++) product *= dims[i];
  return product;
}

#endif  // SLI_OPS_ARRAY_ELEMENTS_H_
