// Conversions of whole arrays of 16-bit floats.
#include "math/half.h"

#include "math/simd.h"

SLI_SIMD void sli_half_to_float_n(const sli_half_t *restrict source, float *restrict destination, int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = sli_half_to_float(source[i]);
}

SLI_SIMD void sli_half_from_float_n(const float *restrict source, sli_half_t *restrict destination, int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = sli_half_from_float(source[i]);
}

static SLI_SIMD void bfloat16_to_float(const sli_bfloat16_t *restrict source, float *restrict destination,
                                       int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = sli_bfloat16_to_float(source[i]);
}

static SLI_SIMD void bfloat16_from_float(const float *restrict source, sli_bfloat16_t *restrict destination,
                                         int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = sli_bfloat16_from_float(source[i]);
}

void sli_half_widen(sli_dtype_t dtype, const void *source, float *destination, int64_t count) {
  if (dtype == SLI_DTYPE_HALF)
    sli_half_to_float_n(source, destination, count);
  else
    bfloat16_to_float(source, destination, count);
}

void sli_half_narrow(sli_dtype_t dtype, const float *source, void *destination, int64_t count) {
  if (dtype == SLI_DTYPE_HALF)
    sli_half_from_float_n(source, destination, count);
  else
    bfloat16_from_float(source, destination, count);
}
