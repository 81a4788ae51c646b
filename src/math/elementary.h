// Elementary functions of float without branches, so that loops over them vectorise. The error is below 2.5 units in
// the last place; denormals may be treated as zero. The polynomials are those of expf, logf and tanhf of Cephes (S. L.
// Moshier).
#ifndef SLI_MATH_ELEMENTARY_H_
#define SLI_MATH_ELEMENTARY_H_

#include <math.h>

#include "math/half.h"

static inline float sli_math_expf(float x) {
  // x = n ln 2 + r; the magic number leaves n in the low bits of |shifted|.
  float bounded = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;
  float shifted = bounded * 1.44269504088896341f + 12582912.0f;
  float n = shifted - 12582912.0f;
  float r = bounded - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // 2^n in two factors: n is between -150 and 129.
  int32_t exponent = (int32_t)(sli_half_float_to_bits(shifted) - 0x4b400000u), half = exponent >> 1;
  float scale = sli_half_bits_to_float((uint32_t)(half + 127) << 23),
        rest = sli_half_bits_to_float((uint32_t)(exponent - half + 127) << 23);
  float result = p * scale * rest;
  return x != x ? x : result;
}

static inline float sli_math_logf(float x) {
  uint32_t bits = sli_half_float_to_bits(x);
  int32_t exponent = (int32_t)(bits >> 23) - 126;
  float m = sli_half_bits_to_float((bits & 0x007fffff) | 0x3f000000);  // [0.5, 1)
  int small = m < 0.707106781186547524f;
  float e = (float)(exponent - small);
  float r = small ? m + m - 1.0f : m - 1.0f;
  float z = r * r;
  float p = 7.0376836292e-2f;
  p = p * r - 1.1514610310e-1f;
  p = p * r + 1.1676998740e-1f;
  p = p * r - 1.2420140846e-1f;
  p = p * r + 1.4249322787e-1f;
  p = p * r - 1.6668057665e-1f;
  p = p * r + 2.0000714765e-1f;
  p = p * r - 2.4999993993e-1f;
  p = p * r + 3.3333331174e-1f;
  float y = p * r * z - 2.12194440e-4f * e - 0.5f * z;
  float result = r + y + 0.693359375f * e;
  result = x == INFINITY ? x : result;
  result = x < 1.17549435e-38f ? -INFINITY : result;
  return x < 0.0f || x != x ? NAN : result;
}

static inline float sli_math_sigmoidf(float x) { return 1.0f / (1.0f + sli_math_expf(-x)); }

static inline float sli_math_tanhf(float x) {
  float magnitude = x < 0.0f ? -x : x;
  float large = 1.0f - 2.0f / (sli_math_expf(magnitude + magnitude) + 1.0f);
  float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  float tiny = p * z * x + x;
  float result = x < 0.0f ? -large : large;
  result = magnitude < 0.625f ? tiny : result;
  return magnitude < 3e-4f ? x : result;  // keeps the sign of zero
}

#endif  // SLI_MATH_ELEMENTARY_H_
