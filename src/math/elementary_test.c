// Compares the elementary functions with those of libm in double, over floats of all magnitudes. They are called in
// loops, so that the vectorised code is tested.
#include "math/elementary.h"

#include "base/test.h"
#include "math/simd.h"

enum { COUNT = 1 << 12 };

#define LOOP(name, function)                               \
  SLI_SIMD static void name(const float *x, float *y) {    \
    for (int i = 0; i < COUNT; i++) y[i] = function(x[i]); \
  }
LOOP(exponentials, sli_math_expf)
LOOP(logarithms, sli_math_logf)
LOOP(tangents, sli_math_tanhf)
LOOP(sigmoids, sli_math_sigmoidf)

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

// The distance between |value| and |exact|, in units in the last place of a float.
static double distance(float value, double exact) {
  int exponent;
  frexp(exact, &exponent);
  return fabs((double)value - exact) / ldexp(1, exponent - 24);
}

// The largest error over every |STEP|-th float, for normal arguments and results.
static double worst(void (*loop)(const float *, float *), double (*exact)(double)) {
  enum { STEP = 1013 };
  static float x[COUNT], y[COUNT];
  double most = 0;
  for (uint64_t first = 0; first < UINT64_C(1) << 32; first += (uint64_t)COUNT * STEP) {
    for (uint64_t i = 0; i < COUNT; i++) x[i] = sli_half_bits_to_float((uint32_t)(first + i * STEP));
    loop(x, y);
    for (int i = 0; i < COUNT; i++) {
      double wanted = exact((double)x[i]);
      if (!isnormal(x[i]) || !isnormal((float)wanted)) continue;
      double error = distance(y[i], wanted);
      if (!(error <= most)) most = error;
    }
  }
  return most;
}

SLI_TEST(test_elementary_errors_are_a_few_last_places) {
  SLI_EXPECT_NEAR(worst(exponentials, exp), 0, 1.5);
  SLI_EXPECT_NEAR(worst(logarithms, log), 0, 1.5);
  SLI_EXPECT_NEAR(worst(tangents, tanh), 0, 1.5);
  SLI_EXPECT_NEAR(worst(sigmoids, sigmoid), 0, 2.5);
}

SLI_TEST(test_elementary_special_values) {
  static float x[COUNT] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1000.0f, -1000.0f, 1e-40f, -1e-40f};
  static float y[COUNT];
  exponentials(x, y);
  SLI_EXPECT(isnan(y[0]) && y[1] == INFINITY && y[2] == 0 && y[3] == 1 && y[4] == 1 && y[5] == INFINITY && y[6] == 0);
  SLI_EXPECT(y[7] == 1 && y[8] == 1);
  logarithms(x, y);
  SLI_EXPECT(isnan(y[0]) && y[1] == INFINITY && isnan(y[2]) && y[3] == -INFINITY && y[4] == -INFINITY);
  SLI_EXPECT(isnan(y[6]));
  tangents(x, y);
  SLI_EXPECT(isnan(y[0]) && y[1] == 1 && y[2] == -1 && y[5] == 1 && y[6] == -1);
  SLI_EXPECT(y[3] == 0 && !signbit(y[3]) && y[4] == 0 && signbit(y[4]));
  SLI_EXPECT(fabsf(y[7]) <= 1e-40f && fabsf(y[8]) <= 1e-40f);
  sigmoids(x, y);
  SLI_EXPECT(isnan(y[0]) && y[1] == 1 && y[2] == 0 && y[3] == 0.5f && y[4] == 0.5f && y[5] == 1 && y[6] == 0);
}

SLI_TEST_MAIN(test_elementary_errors_are_a_few_last_places, test_elementary_special_values)
