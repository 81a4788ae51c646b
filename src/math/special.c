// Special functions by recurrence, series, asymptotic expansion and continued fraction, after Abramowitz and Stegun.
// The sums of the incomplete gamma function also compute its derivative by |a|.
#include "math/special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double sli_math_log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

// Reflection for negative x, recurrence up to 10, then the asymptotic series.
double sli_math_digamma(double x) {
  static const double bernoulli[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                     1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
  double result = 0;
  if (x <= 0) {
    double whole = floor(x);
    if (x == whole) return x == -INFINITY ? NAN : INFINITY;
    // tan has period 1 here; the fraction keeps it exact for large |x|.
    double fraction = x - whole;
    result = fraction == 0.5 ? 0 : -M_PI / tan(M_PI * fraction);
    x = 1 - x;
  }
  while (x < 10) result -= 1 / x++;
  double z = 1 / (x * x), sum = 0;
  for (int i = 7; i >= 0; i--) sum = (sum + bernoulli[i]) * z;
  return result + log(x) - 0.5 / x - sum;
}

// Euler-Maclaurin: the first terms, the integral of the rest, and corrections.
double sli_math_zeta(double x, double q) {
  // (2k)! / B_2k
  static const double factors[] = {12.0,
                                   -720.0,
                                   30240.0,
                                   -1209600.0,
                                   47900160.0,
                                   -1.8924375803183791606e9,
                                   7.47242496e10,
                                   -2.950130727918164224e12,
                                   1.1646782814350067249e14,
                                   -4.5979787224074726105e15,
                                   1.8152105401943546773e17,
                                   -7.1661652561756670113e18};
  if (x == 1) return INFINITY;
  if (!(x > 1)) return NAN;
  if (q <= 0) {
    if (q == floor(q)) return x == floor(x) && fmod(x, 2) == 0 ? INFINITY : NAN;
    if (x != floor(x)) return NAN;  // a power of a negative number
  }
  double sum = pow(q, -x), a = q, term = 0;
  for (int i = 0; i < 9 || a <= 9; i++) {
    a += 1;
    term = pow(a, -x);
    sum += term;
    if (fabs(term / sum) < DBL_EPSILON / 2) return sum;
  }
  sum += term * a / (x - 1) - 0.5 * term;
  double factor = 1, k = 0;
  for (int i = 0; i < 12; i++) {
    factor *= x + k;
    term /= a;
    double correction = factor * term / factors[i];
    sum += correction;
    if (fabs(correction / sum) < DBL_EPSILON / 2) break;
    k += 1;
    factor *= x + k;
    term /= a;
    k += 1;
  }
  return sum;
}

double sli_math_polygamma(double n, double x) {
  if (!(n >= 0) || n != floor(n)) return NAN;
  if (n == 0) return sli_math_digamma(x);
  double sign = fmod(n, 2) == 0 ? -1 : 1;
  return sign * exp(sli_math_log_gamma(n + 1)) * sli_math_zeta(n + 1, x);
}

// A value and its derivative by a.
typedef struct {
  double value, slope;
} dual_t;

enum { MOST_TERMS = 20000 };

// x^a e^-x / Γ(a), with its derivative.
static dual_t prefactor(double a, double x) {
  double logarithm = a * log(x) - x - sli_math_log_gamma(a), value = exp(logarithm);
  return (dual_t){value, value * (log(x) - sli_math_digamma(a))};
}

// P by the series Σ x^n / (a (a+1) … (a+n)); for x below about a.
static dual_t gamma_series(double a, double x) {
  double term = 1 / a, term_slope = -1 / (a * a), sum = term, slope = term_slope;
  for (int n = 1; n < MOST_TERMS; n++) {
    double r = a + n;
    term_slope = (term_slope * x - term * x / r) / r;
    term *= x / r;
    sum += term;
    slope += term_slope;
    if (fabs(term) <= DBL_EPSILON * fabs(sum) && fabs(term_slope) <= DBL_EPSILON * fabs(slope)) break;
  }
  dual_t factor = prefactor(a, x);
  return (dual_t){factor.value * sum, factor.slope * sum + factor.value * slope};
}

// Q by Legendre's continued fraction, as a ratio of two recurrences kept in range; for larger x.
static dual_t gamma_fraction(double a, double x) {
  dual_t p0 = {0, 0}, p1 = {1, 0}, q0 = {1, 0}, q1 = {x + 1 - a, -1}, ratio = {1 / q1.value, 1 / (q1.value * q1.value)};
  for (int n = 1; n < MOST_TERMS; n++) {
    double b = x + 2 * n + 1 - a, c = -n * (n - a), c_slope = n;
    dual_t p = {b * p1.value + c * p0.value, b * p1.slope - p1.value + c * p0.slope + c_slope * p0.value};
    dual_t q = {b * q1.value + c * q0.value, b * q1.slope - q1.value + c * q0.slope + c_slope * q0.value};
    p0 = p1, p1 = p, q0 = q1, q1 = q;
    if (q.value != 0) {
      dual_t next = {p.value / q.value, (p.slope - p.value / q.value * q.slope) / q.value};
      bool done = fabs(next.value - ratio.value) <= DBL_EPSILON * fabs(next.value) &&
                  fabs(next.slope - ratio.slope) <= DBL_EPSILON * fabs(next.slope);
      ratio = next;
      if (done) break;
    }
    if (fabs(q.value) > 1e100) {
      dual_t *all[] = {&p0, &p1, &q0, &q1};
      for (int i = 0; i < 4; i++) all[i]->value *= 1e-100, all[i]->slope *= 1e-100;
    }
  }
  dual_t factor = prefactor(a, x);
  return (dual_t){factor.value * ratio.value, factor.slope * ratio.value + factor.value * ratio.slope};
}

static bool uses_series(double a, double x) { return x <= 1 || x <= a; }

double sli_math_gamma_p(double a, double x) {
  if (!(a >= 0) || !(x >= 0)) return NAN;
  if (a == 0) return x > 0 ? 1 : NAN;
  if (x == 0) return 0;
  if (isinf(a)) return isinf(x) ? NAN : 0;
  if (isinf(x)) return 1;
  return uses_series(a, x) ? gamma_series(a, x).value : 1 - gamma_fraction(a, x).value;
}

double sli_math_gamma_q(double a, double x) {
  if (!(a >= 0) || !(x >= 0)) return NAN;
  if (a == 0) return x > 0 ? 0 : NAN;
  if (x == 0) return 1;
  if (isinf(a)) return isinf(x) ? NAN : 1;
  if (isinf(x)) return 0;
  return uses_series(a, x) ? 1 - gamma_series(a, x).value : gamma_fraction(a, x).value;
}

double sli_math_gamma_p_derivative_a(double a, double x) {
  if (!(a > 0) || !(x >= 0) || isinf(a)) return NAN;
  if (x == 0 || isinf(x)) return 0;
  return uses_series(a, x) ? gamma_series(a, x).slope : -gamma_fraction(a, x).slope;
}

double sli_math_gamma_sample_derivative(double a, double x) {
  if (!(a > 0) || !(x >= 0) || isinf(a)) return NAN;
  if (x == 0) return 0;
  double density = exp((a - 1) * log(x) - x - sli_math_log_gamma(a));
  return -sli_math_gamma_p_derivative_a(a, x) / density;
}

// The continued fraction of I_x(a, b), by Lentz's method.
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (fabs(d) < tiny) d = tiny;
  d = 1 / d;
  double result = d;
  for (int m = 1; m < MOST_TERMS; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (int half = 0; half < 2; half++) {
      double term = half ? odd : even;
      d = 1 + term * d;
      c = 1 + term / c;
      if (fabs(d) < tiny) d = tiny;
      if (fabs(c) < tiny) c = tiny;
      d = 1 / d;
      step = c * d;
      result *= step;
    }
    if (fabs(step - 1) < DBL_EPSILON) break;
  }
  return result;
}

double sli_math_beta_i(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1)) return NAN;
  if (x == 0 || x == 1) return x;
  double factor =
      exp(sli_math_log_gamma(a + b) - sli_math_log_gamma(a) - sli_math_log_gamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return factor * beta_fraction(a, b, x) / a;
  return 1 - factor * beta_fraction(b, a, 1 - x) / b;
}

// Rational approximations after P. J. Acklam, to 1e-9.
static double rough_quantile(double p) {
  static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                             1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                             6.680131188771972e+01,  -1.328068155288572e+01, 1};
  static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                             -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00,
                             1};
  bool upper = p > 0.5;
  double tail = upper ? 1 - p : p, numerator = 0, denominator = 0;
  if (tail < 0.02425) {
    double q = sqrt(-2 * log(tail));
    for (int i = 0; i < 6; i++) numerator = numerator * q + c[i];
    for (int i = 0; i < 5; i++) denominator = denominator * q + d[i];
    return upper ? -numerator / denominator : numerator / denominator;
  }
  double q = p - 0.5, r = q * q;
  for (int i = 0; i < 6; i++) numerator = numerator * r + a[i];
  for (int i = 0; i < 6; i++) denominator = denominator * r + b[i];
  return numerator * q / denominator;
}

// Both inverses improve the rough value by a step of Halley's method.
double sli_math_normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return NAN;
  if (p == 0 || p == 1) return p ? INFINITY : -INFINITY;
  double x = rough_quantile(p);
  double error = p > 0.5 ? (1 - p) - 0.5 * erfc(x * M_SQRT1_2) : 0.5 * erfc(-x * M_SQRT1_2) - p;
  double u = error * sqrt(2 * M_PI) * exp(x * x / 2);
  return x - u / (1 + x * u / 2);
}

double sli_math_error_inverse(double y) {
  if (!(y >= -1 && y <= 1)) return NAN;
  if (y == 1 || y == -1) return y * INFINITY;
  double size = fabs(y), x = rough_quantile(0.5 + 0.5 * size) * M_SQRT1_2;
  if (size > 1 - 1e-15) x = -rough_quantile(0.5 * (1 - size)) * M_SQRT1_2;
  double error = size > 0.5 ? (1 - size) - erfc(x) : erf(x) - size;
  double u = error * 0.5 * sqrt(M_PI) * exp(x * x);
  return copysign(x - u / (1 + x * u), y);
}

// Power series (all terms positive), or the asymptotic one, whose least term is below 1e-16 from 20 on.
static double bessel_ie(int order, double x) {
  double sum = 1, term = 1;
  if (x < 20) {
    for (int k = 1; k < 200 && term > DBL_EPSILON / 4 * sum; k++) {
      term *= x * x / 4 / (k * (double)(k + order));
      sum += term;
    }
    return exp(-x) * sum * (order ? x / 2 : 1);
  }
  for (int k = 1; k < 40; k++) {
    double odd = 2 * k - 1, next = term * (odd * odd - 4 * order * order) / (8 * k * x);
    if (fabs(next) > fabs(term) || fabs(next) < DBL_EPSILON / 8) break;
    term = next;
    sum += term;
  }
  return sum / sqrt(2 * M_PI * x);
}

double sli_math_bessel_i0e(double x) { return isnan(x) ? x : isinf(x) ? 0 : bessel_ie(0, fabs(x)); }
double sli_math_bessel_i1e(double x) { return isnan(x) ? x : isinf(x) ? 0 : copysign(bessel_ie(1, fabs(x)), x); }
