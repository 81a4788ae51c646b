// Functions that integrals define: modified Bessel functions of the second kind, Dawson's integral, the exponential
// integral, Fresnel's integrals, the dilogarithm. Series of terms of one sign where there is one, asymptotic expansions
// for large arguments, else a quadrature or a continued fraction that converges to the last digits.
#include <complex.h>
#include <float.h>
#include <math.h>

#include "math/special.h"

static const double EULER = 0.57721566490153286061;

double sli_math_bessel_i0(double x) { return exp(fabs(x)) * sli_math_bessel_i0e(x); }
double sli_math_bessel_i1(double x) { return exp(fabs(x)) * sli_math_bessel_i1e(x); }

// K_order(x) for 0 < x <= 2 (Abramowitz and Stegun 9.6.11).
static double bessel_k_series(int order, double x) {
  double square = x * x / 4, half_log = log(x / 2), term = 1, harmonic = 0, sum = 0;
  if (order == 0) {
    for (int k = 1; k < 40; k++) {
      term *= square / k / k;
      harmonic += 1.0 / k;
      sum += term * harmonic;
      if (term * harmonic < sum * DBL_EPSILON / 4) break;
    }
    return sum - (half_log + EULER) * sli_math_bessel_i0(x);
  }
  for (int k = 0; k < 40; k++) {
    if (k) {
      term *= square / k / (k + 1);
      harmonic += 1.0 / k;
    }
    double add = term * (2 * (harmonic - EULER) + 1.0 / (k + 1));
    sum += add;
    if (k > 2 && fabs(add) < fabs(sum) * DBL_EPSILON / 4) break;
  }
  return 1 / x + half_log * sli_math_bessel_i1(x) - x / 4 * sum;
}

// exp(x) K_order(x) for x > 2: ∫ exp(-x (cosh t - 1)) cosh(order t) dt. The trapezoidal rule converges exponentially,
// because the integrand falls doubly exponentially. cosh t - 1 is 2 sinh²(t/2).
static double bessel_k_quadrature(int order, double x) {
  enum { STEPS = 24 };
  double step = 2 * asinh(sqrt(22.0 / x)) / STEPS, sum = 0.5;
  for (int i = 1; i <= STEPS; i++) {
    double half = sinh(i * step / 2), lift = 2 * half * half;
    sum += exp(-x * lift) * (order ? 1 + lift : 1);
  }
  return sum * step;
}

static double bessel_k(int order, double x, int scaled) {
  if (isnan(x)) return x;
  if (x <= 0) return INFINITY;
  if (x <= 2) return bessel_k_series(order, x) * (scaled ? exp(x) : 1);
  double result = isinf(x) ? 0 : bessel_k_quadrature(order, x);
  return scaled ? result : result * exp(-x);
}

double sli_math_bessel_k0(double x) { return bessel_k(0, x, 0); }
double sli_math_bessel_k1(double x) { return bessel_k(1, x, 0); }
double sli_math_bessel_k0e(double x) { return bessel_k(0, x, 1); }
double sli_math_bessel_k1e(double x) { return bessel_k(1, x, 1); }

// exp(-x²) Σ x^(2k+1) / (k! (2k + 1)); from 6.5 on 1/(2x) Σ (2k - 1)!! / (2x²)^k.
double sli_math_dawson(double x) {
  double square = x * x, sum = 0, term = 1;
  if (isnan(x)) return x;
  if (fabs(x) < 6.5) {
    for (int k = 0; k < 400; k++) {
      double add = term / (2 * k + 1);
      sum += add;
      if (add < sum * DBL_EPSILON / 4) break;
      term *= square / (k + 1);
    }
    return x * exp(-square) * sum;
  }
  if (isinf(square)) return 0.5 / x;
  for (int k = 0; k < 40; k++) {
    sum += term;
    double next = term * (2 * k + 1) / (2 * square);
    if (next >= term || next < DBL_EPSILON / 4) break;
    term = next;
  }
  return sum / (2 * x);
}

// γ + log x + Σ x^k / (k k!); for large x exp(x)/x Σ k!/x^k.
double sli_math_exponential_integral(double x) {
  if (isnan(x) || x < 0) return NAN;
  if (x == 0) return -INFINITY;
  if (isinf(x)) return INFINITY;
  double sum = 0, term = 1;
  if (x < 45) {
    for (int k = 1; k < 500; k++) {
      term *= x / k;
      sum += term / k;
      if (term / k < sum * DBL_EPSILON / 4) break;
    }
    return EULER + log(x) + sum;
  }
  for (int k = 0; k < 100; k++) {
    sum += term;
    double next = term * (k + 1) / x;
    if (next >= term || next < DBL_EPSILON / 4) break;
    term = next;
  }
  // In two factors: exp(x) may overflow before the result does.
  return exp(x / 2) / x * sum * exp(x / 2);
}

// C(x) + i S(x) for x >= 0. Power series, then the continued fraction of the complementary error function (Abramowitz
// and Stegun 7.3.22), then the first terms of the asymptotic expansion.
static double complex fresnel(double x) {
  double square = x * x;
  if (x < 1.5) {
    double complex sum = 0, term = x;  // Σ (i π x²/2)^k x / (k! (2k + 1))
    for (int k = 0; k < 60; k++) {
      double complex add = term / (2 * k + 1);
      sum += add;
      if (cabs(add) < DBL_EPSILON / 8 * cabs(sum)) break;
      term *= CMPLX(0, M_PI / 2 * square / (k + 1));
    }
    return sum;
  }
  if (x > 1e8) return CMPLX(0.5, 0.5);
  double complex b = CMPLX(1, -M_PI * square), c = 1e300, d = 1 / b, h = d;
  for (int k = 2, n = -1; k < 400; k++) {
    n += 2;
    double a = -(double)n * (n + 1);
    b += 4;
    d = 1 / (a * d + b);
    c = b + a / c;
    double complex change = c * d;
    h *= change;
    if (fabs(creal(change) - 1) + fabs(cimag(change)) < DBL_EPSILON) break;
  }
  h *= CMPLX(x, -x);
  // The angle π x²/2 modulo a turn: x² modulo 4, exactly.
  double angle = M_PI / 2 * fmod(square, 4);
  double rest = fma(x, x, -square) * M_PI / 2;
  double complex turn = CMPLX(cos(angle + rest), sin(angle + rest));
  return CMPLX(0.5, 0.5) * (1 - turn * h);
}

double sli_math_fresnel_cos(double x) {
  if (isnan(x)) return x;
  double value = creal(fresnel(fabs(x)));
  return x < 0 ? -value : value;
}
double sli_math_fresnel_sin(double x) {
  if (isnan(x)) return x;
  double value = cimag(fresnel(fabs(x)));
  return x < 0 ? -value : value;
}

// Li2(1 - exp(-u)) = u - u²/4 + Σ B_2k u^(2k+1) / (2k + 1)!, for |u| below log 2.
static double dilogarithm_of(double u) {
  static const double factors[] = {1.0 / 36,
                                   -1.0 / 3600,
                                   1.0 / 211680,
                                   -1.0 / 10886400,
                                   1.0 / 526901760,
                                   -4.0647616451442255e-11,
                                   8.9216910204564526e-13,
                                   -1.9939295860721076e-14,
                                   4.5189800296199182e-16};
  double square = u * u, sum = 0;
  for (int k = 8; k >= 0; k--) sum = (sum + factors[k]) * square;
  return u * (1 - u / 4 + sum);
}

// Li2(1 - x).
double sli_math_spence(double x) {
  if (isnan(x) || x < 0) return NAN;
  if (x == 0) return M_PI * M_PI / 6;
  if (isinf(x)) return -INFINITY;
  if (x < 0.5) return M_PI * M_PI / 6 - log(x) * log1p(-x) - dilogarithm_of(-log1p(-x));
  if (x <= 2) return dilogarithm_of(-log(x));
  double logarithm = log(x - 1);  // 1 - x is below -1: the inverse, whose 1 - z is x / (x - 1)
  return -M_PI * M_PI / 6 - logarithm * logarithm / 2 - dilogarithm_of(-log1p(1 / (x - 1)));
}
