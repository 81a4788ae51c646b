// Special functions at points whose values are known, and at the limits of their domains.
#include "math/special.h"

#include "base/test.h"

static void expect_close(int line, double actual, double wanted) {
  if (!(fabs(actual - wanted) <= 1e-11 * (1e-3 + fabs(wanted))))
    sli_test_fail(__FILE__, line, "have %.17g, want %.17g", actual, wanted);
}
#define CLOSE(actual, wanted) expect_close(__LINE__, actual, wanted)

static const double euler = 0.57721566490153286;

SLI_TEST(test_digamma_and_polygamma) {
  CLOSE(sli_math_digamma(1), -euler);
  CLOSE(sli_math_digamma(0.5), -euler - 2 * log(2));
  CLOSE(sli_math_digamma(-0.5), 2 - euler - 2 * log(2));
  CLOSE(sli_math_digamma(3), 1.5 - euler);
  CLOSE(sli_math_polygamma(0, 2), 1 - euler);
  CLOSE(sli_math_polygamma(1, 1), M_PI * M_PI / 6);
  CLOSE(sli_math_polygamma(3, 1), pow(M_PI, 4) / 15);
  SLI_EXPECT(isinf(sli_math_digamma(0)) && isinf(sli_math_digamma(-3)));
  SLI_EXPECT(isnan(sli_math_polygamma(0.5, 1)) && isnan(sli_math_polygamma(-1, 1)));
}

SLI_TEST(test_zeta) {
  CLOSE(sli_math_zeta(2, 1), M_PI * M_PI / 6);
  CLOSE(sli_math_zeta(4, 1), pow(M_PI, 4) / 90);
  CLOSE(sli_math_zeta(2, 2), M_PI * M_PI / 6 - 1);
  CLOSE(sli_math_zeta(2, -0.5), 4 + 4 + sli_math_zeta(2, 1.5));
  SLI_EXPECT(isinf(sli_math_zeta(1, 1)));
  SLI_EXPECT(isnan(sli_math_zeta(0.5, 1)) && isnan(sli_math_zeta(1.5, -0.5)));
  SLI_EXPECT(isinf(sli_math_zeta(2, -3)));
}

SLI_TEST(test_incomplete_gamma_on_both_sides_of_the_switch) {
  for (double x = 0.05; x < 30; x *= 1.7) {
    CLOSE(sli_math_gamma_p(1, x), 1 - exp(-x));
    CLOSE(sli_math_gamma_q(1, x), exp(-x));
    CLOSE(sli_math_gamma_p(0.5, x), erf(sqrt(x)));
    CLOSE(sli_math_gamma_q(2, x), (1 + x) * exp(-x));
    CLOSE(sli_math_gamma_p(7, x) + sli_math_gamma_q(7, x), 1);
  }
  SLI_EXPECT(sli_math_gamma_p(2, 0) == 0 && sli_math_gamma_q(2, 0) == 1 && sli_math_gamma_p(2, INFINITY) == 1);
  SLI_EXPECT(isnan(sli_math_gamma_p(-1, 1)) && isnan(sli_math_gamma_p(1, -1)) && isnan(sli_math_gamma_p(NAN, 1)));
}

SLI_TEST(test_incomplete_gamma_derivative_is_the_slope) {
  static const double as[] = {0.3, 1, 2.5, 10, 60}, xs[] = {0.01, 0.7, 2.4, 9, 70};
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 5; j++) {
      double h = 1e-5 * as[i],
             slope = (sli_math_gamma_p(as[i] + h, xs[j]) - sli_math_gamma_p(as[i] - h, xs[j])) / (2 * h);
      SLI_EXPECT_NEAR(sli_math_gamma_p_derivative_a(as[i], xs[j]), slope, 1e-8 + 1e-6 * fabs(slope));
    }
  }
  // The derivative of an exponential sample with rate 1 by alpha is known at the median.
  double median = log(2), density = exp(-median);
  CLOSE(sli_math_gamma_sample_derivative(1, median), -sli_math_gamma_p_derivative_a(1, median) / density);
  SLI_EXPECT(sli_math_gamma_sample_derivative(1, 0) == 0);
}

SLI_TEST(test_incomplete_beta) {
  CLOSE(sli_math_beta_i(1, 1, 0.3), 0.3);
  CLOSE(sli_math_beta_i(2, 1, 0.3), 0.09);
  CLOSE(sli_math_beta_i(1, 3, 0.3), 1 - pow(0.7, 3));
  CLOSE(sli_math_beta_i(0.5, 0.5, 0.5), 0.5);
  CLOSE(sli_math_beta_i(3, 5, 0.2) + sli_math_beta_i(5, 3, 0.8), 1);
  SLI_EXPECT(sli_math_beta_i(2, 3, 0) == 0 && sli_math_beta_i(2, 3, 1) == 1);
  SLI_EXPECT(isnan(sli_math_beta_i(0, 1, 0.5)) && isnan(sli_math_beta_i(1, 1, 1.5)));
}

SLI_TEST(test_inverses_undo_their_functions) {
  for (double y = -0.999; y < 1; y += 0.0371) CLOSE(erf(sli_math_error_inverse(y)), y);
  CLOSE(sli_math_error_inverse(1e-20), 1e-20 * sqrt(M_PI) / 2);
  for (double p = 1e-12; p < 0.9; p *= 3) CLOSE(0.5 * erfc(-sli_math_normal_quantile(p) * M_SQRT1_2), p);
  SLI_EXPECT(isinf(sli_math_error_inverse(1)) && sli_math_error_inverse(-1) < 0 && isnan(sli_math_error_inverse(2)));
  SLI_EXPECT(sli_math_normal_quantile(0.5) == 0 && isinf(sli_math_normal_quantile(0)) &&
             isnan(sli_math_normal_quantile(-1)));
}

SLI_TEST(test_bessel_series_meet) {
  CLOSE(sli_math_bessel_i0e(0), 1);
  CLOSE(sli_math_bessel_i0e(1), 1.2660658777520084 * exp(-1));
  CLOSE(sli_math_bessel_i1e(1), 0.56515910399248503 * exp(-1));
  CLOSE(sli_math_bessel_i1e(-1), -0.56515910399248503 * exp(-1));
  // Where the code changes from the power series to the asymptotic one.
  SLI_EXPECT_NEAR(sli_math_bessel_i0e(20 - 1e-9), sli_math_bessel_i0e(20 + 1e-9), 1e-11);
  SLI_EXPECT_NEAR(sli_math_bessel_i1e(20 - 1e-9), sli_math_bessel_i1e(20 + 1e-9), 1e-11);
  SLI_EXPECT(sli_math_bessel_i0e(INFINITY) == 0 && isnan(sli_math_bessel_i0e(NAN)));
}

SLI_TEST_MAIN(test_digamma_and_polygamma, test_zeta, test_incomplete_gamma_on_both_sides_of_the_switch,
              test_incomplete_gamma_derivative_is_the_slope, test_incomplete_beta, test_inverses_undo_their_functions,
              test_bessel_series_meet)
