#include "ops/image/pixels.h"

#include <string.h>

#include "base/status.h"
#include "math/half.h"
#include "math/simd.h"

#define WIDEN(T, name)                                                                    \
  SLI_SIMD static void widen_##name(const T *source, int64_t count, float *destination) { \
    for (int64_t i = 0; i < count; i++) destination[i] = (float)source[i];                \
  }
WIDEN(int8_t, int8)
WIDEN(uint8_t, uint8)
WIDEN(int16_t, int16)
WIDEN(uint16_t, uint16)
WIDEN(int32_t, int32)
WIDEN(int64_t, int64)
WIDEN(double, double)

const float *sli_pixels_as_floats(sli_dtype_t dtype, const void *source, int64_t count, float *buffer) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: return source;
    case SLI_DTYPE_DOUBLE: widen_double(source, count, buffer); break;
    case SLI_DTYPE_INT8: widen_int8(source, count, buffer); break;
    case SLI_DTYPE_UINT8: widen_uint8(source, count, buffer); break;
    case SLI_DTYPE_INT16: widen_int16(source, count, buffer); break;
    case SLI_DTYPE_UINT16: widen_uint16(source, count, buffer); break;
    case SLI_DTYPE_INT32: widen_int32(source, count, buffer); break;
    case SLI_DTYPE_INT64: widen_int64(source, count, buffer); break;
    default: sli_half_widen(dtype, source, buffer, count);
  }
  return buffer;
}

void sli_pixels_from_floats(sli_dtype_t dtype, const float *source, int64_t count, void *destination) {
  if (dtype == SLI_DTYPE_FLOAT) {
    memcpy(destination, source, (size_t)count * sizeof(float));
  } else if (dtype == SLI_DTYPE_DOUBLE) {
    double *wide = destination;
    for (int64_t i = 0; i < count; i++) wide[i] = source[i];
  } else {
    SLI_CHECK(sli_half_is_narrow(dtype));
    sli_half_narrow(dtype, source, destination, count);
  }
}
