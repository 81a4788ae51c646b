// Compares transforms with the definition, for lengths of every kind: products of small primes, large primes, 1.
#include "math/fft.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/test.h"

static double noise(int64_t i) {
  double x = sin((double)(i + 1) * 12.9898) * 43758.5453;
  return 2 * (x - floor(x)) - 1;
}

// The transform of line |x| by its definition.
static double complex sum_of(const double complex *x, int64_t n, int64_t step, int64_t k, double sign) {
  double complex sum = 0;
  for (int64_t j = 0; j < n; j++) sum += x[j * step] * cexp(sign * 2 * M_PI * I * (double)(j * k % n) / (double)n);
  return sum;
}

static void check_complex(int64_t batch, int64_t n, bool is_double, bool inverse) {
  double complex *x = sli_calloc((size_t)(batch * n), sizeof(*x)), *y = sli_calloc((size_t)(batch * n), sizeof(*y));
  float complex *small = sli_calloc((size_t)(batch * n), sizeof(*small));
  double tolerance = is_double ? 1e-13 : 2e-6;
  for (int64_t i = 0; i < batch * n; i++) {
    small[i] = (float complex)(noise(2 * i) + I * noise(2 * i + 1));
    x[i] = small[i];
  }
  sli_fft_t fft = {.is_double = is_double, .inverse = inverse, .batch = batch, .rank = 1, .dims = {n}};
  SLI_EXPECT_OK(is_double ? sli_fft_complex(NULL, &fft, x, y) : sli_fft_complex(NULL, &fft, small, small));
  for (int64_t i = 0; i<batch * n; i += n> 200 ? 37 : 1) {
    double complex wanted = sum_of(x + i / n * n, n, 1, i % n, inverse ? 1 : -1) / (inverse ? (double)n : 1);
    double complex have = is_double ? y[i] : small[i];
    if (cabs(have - wanted) > tolerance * (inverse ? 1 : sqrt((double)n)) * 4)
      sli_test_fail(__FILE__, __LINE__, "length %lld, element %lld: %g%+gi, expected %g%+gi", (long long)n,
                    (long long)i, creal(have), cimag(have), creal(wanted), cimag(wanted));
  }
  free(x);
  free(y);
  free(small);
}

SLI_TEST(test_complex_transforms_equal_the_definition) {
  for (int64_t n = 1; n <= 70; n++)
    for (int kind = 0; kind < 4; kind++) check_complex(n % 3 == 0 ? 1 : n % 3 == 1 ? 5 : 40, n, kind & 1, kind & 2);
  static const int64_t lengths[] = {97, 101, 121, 128, 169, 243, 256, 315, 343, 404, 512, 961, 1000, 1009, 1024, 4096};
  for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
    for (int kind = 0; kind < 4; kind++) check_complex(2, lengths[i], kind & 1, kind & 2);
}

// There and back, of each rank, with an input that is larger than the transform.
SLI_TEST(test_real_transforms_invert_each_other) {
  for (int64_t n = 1; n <= 40; n++) {
    for (int rank = 1; rank <= 3; rank++) {
      sli_fft_t fft = {.is_double = true, .batch = 3, .rank = rank, .dims = {2, 3, 3}, .in_dims = {3, 4, 4}};
      fft.dims[rank - 1] = n;
      fft.in_dims[rank - 1] = n + 1;
      int64_t in_count = fft.batch, out_count = fft.batch, rows = fft.batch;
      for (int d = 0; d < rank; d++) {
        in_count *= fft.in_dims[d];
        out_count *= fft.dims[d];
        if (d < rank - 1) rows *= fft.dims[d];
      }
      double *x = sli_calloc((size_t)in_count, sizeof(*x)), *back = sli_calloc((size_t)out_count, sizeof(*back));
      double complex *spectrum = sli_calloc((size_t)(rows * (n / 2 + 1)), sizeof(*spectrum));
      for (int64_t i = 0; i < in_count; i++) x[i] = noise(i);
      SLI_EXPECT_OK(sli_fft_real(NULL, &fft, x, spectrum));
      double sum = 0;  // frequency 0 of the first of the batch
      sli_fft_t inverse = fft;
      inverse.inverse = true;
      inverse.in_dims[rank - 1] = n / 2 + 1;
      for (int d = 0; d < rank - 1; d++) inverse.in_dims[d] = fft.dims[d];
      SLI_EXPECT_OK(sli_fft_real_inverse(NULL, &inverse, spectrum, back));
      for (int64_t i = 0; i < out_count; i++) {
        int64_t rest = i, offset = 0, stride = 1;
        for (int d = rank - 1; d >= 0; d--) {
          offset += rest % fft.dims[d] * stride;
          rest /= fft.dims[d];
          stride *= fft.in_dims[d];
        }
        offset += rest * stride;
        if (rest == 0) sum += x[offset];
        SLI_EXPECT(fabs(back[i] - x[offset]) < 1e-13);
      }
      SLI_EXPECT(cabs(spectrum[0] - sum) < 1e-12);
      free(x);
      free(back);
      free(spectrum);
    }
  }
}

SLI_TEST_MAIN(test_complex_transforms_equal_the_definition, test_real_transforms_invert_each_other)
