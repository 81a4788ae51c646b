// The elements of quantized tensors.
#ifndef SLI_OPS_QUANTIZE_QUANTIZED_TYPES_H_
#define SLI_OPS_QUANTIZE_QUANTIZED_TYPES_H_

#include "core/tensor/tensor.h"

static inline int64_t sli_quantized_lowest(sli_dtype_t dtype) {
  switch (dtype) {
    case SLI_DTYPE_QINT8: return INT8_MIN;
    case SLI_DTYPE_QINT16: return INT16_MIN;
    case SLI_DTYPE_QINT32: return INT32_MIN;
    default: return 0;
  }
}

static inline int64_t sli_quantized_highest(sli_dtype_t dtype) {
  switch (dtype) {
    case SLI_DTYPE_QINT8: return INT8_MAX;
    case SLI_DTYPE_QUINT8: return UINT8_MAX;
    case SLI_DTYPE_QINT16: return INT16_MAX;
    case SLI_DTYPE_QUINT16: return UINT16_MAX;
    default: return INT32_MAX;
  }
}

static inline int32_t sli_quantized_at(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_QINT8: return SLI_DATA(int8_t, tensor)[i];
    case SLI_DTYPE_QUINT8: return SLI_DATA(uint8_t, tensor)[i];
    case SLI_DTYPE_QINT16: return SLI_DATA(int16_t, tensor)[i];
    case SLI_DTYPE_QUINT16: return SLI_DATA(uint16_t, tensor)[i];
    default: return SLI_DATA(int32_t, tensor)[i];
  }
}

// |value| is within the range of the type.
static inline void sli_quantized_set(sli_tensor_t *tensor, int64_t i, int64_t value) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_QINT8: SLI_DATA(int8_t, tensor)[i] = (int8_t)value; break;
    case SLI_DTYPE_QUINT8: SLI_DATA(uint8_t, tensor)[i] = (uint8_t)value; break;
    case SLI_DTYPE_QINT16: SLI_DATA(int16_t, tensor)[i] = (int16_t)value; break;
    case SLI_DTYPE_QUINT16: SLI_DATA(uint16_t, tensor)[i] = (uint16_t)value; break;
    default: SLI_DATA(int32_t, tensor)[i] = (int32_t)value;
  }
}

// The number nearest to |value| in the range of the type; the lowest for a NaN.
static inline int64_t sli_quantized_clamp(sli_dtype_t dtype, double value) {
  const int64_t lowest = sli_quantized_lowest(dtype), highest = sli_quantized_highest(dtype);
  if (!(value > (double)lowest)) return lowest;
  return value >= (double)highest ? highest : (int64_t)value;
}

// A tensor as [before, slices, after], with the slices along |axis|; negative: one slice, the whole tensor.
typedef struct {
  int64_t before, slices, after;
} sli_quantized_slices_t;

static inline sli_quantized_slices_t sli_quantized_slice(const sli_tensor_t *tensor, int64_t axis) {
  if (axis < 0) return (sli_quantized_slices_t){1, 1, tensor->count};
  sli_quantized_slices_t s = {1, 1, 1};
  for (int i = 0; i < tensor->rank; i++) *(i < axis ? &s.before : i == axis ? &s.slices : &s.after) *= tensor->dims[i];
  return s;
}

#endif  // SLI_OPS_QUANTIZE_QUANTIZED_TYPES_H_
