// Special functions, all in double: digamma, the Hurwitz zeta function and
// polygamma, the incomplete gamma and beta functions, inverses of the error
// function, modified Bessel functions. Pure, for any argument: NaN or infinity
// where a function has no value. Relative error below 1e-12 but near zeros.
#ifndef SLI_MATH_SPECIAL_H_
#define SLI_MATH_SPECIAL_H_

double sli_log_gamma(double x);  // log |Γ(x)|, without touching signgam
double sli_digamma(double x);
double sli_zeta(double x, double q);       // Σ (q + k)^-x
double sli_polygamma(double n, double x);  // the n-th derivative of digamma

// Regularised: P(a, x) and Q(a, x) = 1 - P(a, x).
double sli_gamma_p(double a, double x);
double sli_gamma_q(double a, double x);
double sli_gamma_p_derivative_a(double a, double x);
// How a sample |x| of a gamma distribution moves with its parameter |a|: -(∂P/∂a) / (∂P/∂x).
double sli_gamma_sample_derivative(double a, double x);
// I_x(a, b), regularised.
double sli_beta_i(double a, double b, double x);

double sli_error_inverse(double y);    // erf⁻¹
double sli_normal_quantile(double p);  // of the standard normal distribution

// exp(-|x|) times the modified Bessel function of the first kind, order 0 and 1.
double sli_bessel_i0e(double x);
double sli_bessel_i1e(double x);

#endif  // SLI_MATH_SPECIAL_H_
