// The two 16-bit floats. Arithmetic is done in float; a result is rounded to nearest, ties to even. A NaN becomes the
// canonical quiet NaN with its sign. The conversions have no branches, so that loops over them vectorise.
#ifndef SLI_MATH_HALF_H_
#define SLI_MATH_HALF_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/tensor/dtype.h"

typedef uint16_t sli_half_t;      // IEEE binary16
typedef uint16_t sli_bfloat16_t;  // the upper half of a float

static inline uint32_t sli_half_float_to_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}
static inline float sli_half_bits_to_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static inline float sli_half_to_float(sli_half_t half) {
  uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
  uint32_t exponent = magnitude & 0x0f800000;
  // Denormal: 1.m with a fixed exponent less the implied one; the subtraction normalises.
  float denormal = sli_half_bits_to_float(magnitude + 0x38800000) - sli_half_bits_to_float(0x38800000);
  uint32_t normal = magnitude + ((127 - 15) << 23) + (exponent == 0x0f800000 ? (128 - 16) << 23 : 0);
  uint32_t bits = exponent == 0 ? sli_half_float_to_bits(denormal) : normal;
  return sli_half_bits_to_float(bits | (uint32_t)(half & 0x8000) << 16);
}

static inline sli_half_t sli_half_from_float(float value) {
  uint32_t bits = sli_half_float_to_bits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  uint32_t special = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  // Below the least normal half: adding 0.5 leaves the rounded denormal in the low bits.
  uint32_t denormal = sli_half_float_to_bits(sli_half_bits_to_float(magnitude) + 0.5f) - 0x3f000000;
  uint32_t normal = (magnitude - ((127 - 15) << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  uint32_t half = magnitude >= 0x47800000 ? special : magnitude < 0x38800000 ? denormal : normal;
  return (sli_half_t)(half | sign);
}

static inline float sli_bfloat16_to_float(sli_bfloat16_t value) {
  return sli_half_bits_to_float((uint32_t)value << 16);
}

static inline sli_bfloat16_t sli_bfloat16_from_float(float value) {
  uint32_t bits = sli_half_float_to_bits(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  uint32_t nan = (bits >> 16 & 0x8000) | 0x7fc0;
  return (sli_bfloat16_t)((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

// Whole arrays. Source and destination must not overlap.
void sli_half_to_float_n(const sli_half_t *source, float *destination, int64_t count);
void sli_half_from_float_n(const float *source, sli_half_t *destination, int64_t count);

// The same for |dtype|, which is HALF or BFLOAT16.
static inline bool sli_half_is_narrow(sli_dtype_t dtype) {
  return dtype == SLI_DTYPE_HALF || dtype == SLI_DTYPE_BFLOAT16;
}
void sli_half_widen(sli_dtype_t dtype, const void *source, float *destination, int64_t count);
void sli_half_narrow(sli_dtype_t dtype, const float *source, void *destination, int64_t count);

#endif  // SLI_MATH_HALF_H_
