// Special functions, all in double: digamma, the Hurwitz zeta function and polygamma, the incomplete gamma and beta
// functions, inverses of the error function, modified Bessel functions, integrals with a name. Pure functions of any
// argument: they return NaN or infinity where the function has no value. The relative error is below 1e-12 except near
// zeros.
#ifndef SLI_MATH_SPECIAL_H_
#define SLI_MATH_SPECIAL_H_

double sli_math_log_gamma(double x);  // log |Γ(x)|; does not set signgam
double sli_math_digamma(double x);
double sli_math_zeta(double x, double q);       // Σ (q + k)^-x
double sli_math_polygamma(double n, double x);  // the n-th derivative of digamma

// The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x).
double sli_math_gamma_p(double a, double x);
double sli_math_gamma_q(double a, double x);
double sli_math_gamma_p_derivative_a(double a, double x);
// The derivative of a sample |x| of a gamma distribution by its parameter |a|: -(∂P/∂a) / (∂P/∂x).
double sli_math_gamma_sample_derivative(double a, double x);
// The regularised incomplete beta function I_x(a, b).
double sli_math_beta_i(double a, double b, double x);

double sli_math_error_inverse(double y);    // erf⁻¹
double sli_math_normal_quantile(double p);  // of the standard normal distribution

// exp(-|x|) times the modified Bessel function of the first kind, order 0 and 1.
double sli_math_bessel_i0e(double x);
double sli_math_bessel_i1e(double x);
double sli_math_bessel_i0(double x);
double sli_math_bessel_i1(double x);
// The modified Bessel functions of the second kind, order 0 and 1, and exp(x) times them. Infinite up to 0.
double sli_math_bessel_k0(double x);
double sli_math_bessel_k1(double x);
double sli_math_bessel_k0e(double x);
double sli_math_bessel_k1e(double x);

double sli_math_dawson(double x);                // exp(-x²) ∫ exp(t²) dt, from 0 to x
double sli_math_exponential_integral(double x);  // Ei(x), x >= 0
double sli_math_fresnel_cos(double x);           // ∫ cos(π t²/2) dt, from 0 to x
double sli_math_fresnel_sin(double x);
double sli_math_spence(double x);  // the dilogarithm of 1 - x

#endif  // SLI_MATH_SPECIAL_H_
