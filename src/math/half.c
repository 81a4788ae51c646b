// Conversions of whole arrays of 16-bit floats.
#include "math/half.h"

#include "math/simd.h"

SLI_SIMD void sli_half_to_float_n(const sli_half_t *restrict source, float *restrict destination, int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = sli_half_to_float(source[i]);
}

SLI_SIMD void sli_half_from_float_n(const float *restrict source, sli_half_t *restrict destination, int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = sli_half_from_float(source[i]);
}

SLI_SIMD void sli_bfloat16_to_float_n(const sli_bfloat16_t *restrict source, float *restrict destination,
                                      int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = sli_bfloat16_to_float(source[i]);
}

SLI_SIMD void sli_bfloat16_from_float_n(const float *restrict source, sli_bfloat16_t *restrict destination,
                                        int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = sli_bfloat16_from_float(source[i]);
}
