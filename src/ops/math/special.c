// The special functions: error function and its inverse, gamma, zeta, incomplete gamma and beta, Bessel, integrals with
// a name. All are computed in double by math/special.h, except those that the C library has.
#include <math.h>
#include <stdlib.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"
#include "math/special.h"

#define REAL_LOOPS(op) \
  { [SLI_DTYPE_FLOAT] = op##_float, [SLI_DTYPE_DOUBLE] = op##_double }

#define FUNCTION1(op, f32, f64, nanoseconds)                                               \
  SLI_ELEMENTWISE_LOOP1(, op##_float, float, float, f32)                                   \
  SLI_ELEMENTWISE_LOOP1(, op##_double, double, double, f64)                                \
  static const sli_elementwise_t op##_op = {.loops = REAL_LOOPS(op), .cost = nanoseconds}; \
  SLI_ELEMENTWISE_KERNEL(op, op##_op)
#define FUNCTION2(op, expression, nanoseconds)                                             \
  SLI_ELEMENTWISE_LOOP2_SMALL(op##_float, float, float, expression)                        \
  SLI_ELEMENTWISE_LOOP2_SMALL(op##_double, double, double, expression)                     \
  static const sli_elementwise_t op##_op = {.loops = REAL_LOOPS(op), .cost = nanoseconds}; \
  SLI_ELEMENTWISE_KERNEL(op, op##_op)

// For an argument that is not positive, as TensorFlow.
static inline double second_kind(double x, double value) { return x <= 0 ? -INFINITY : value; }

FUNCTION1(error_function, erff(x), erf(x), 10)
FUNCTION1(error_complement, erfcf(x), erfc(x), 15)
FUNCTION1(error_inverse, sli_math_error_inverse(x), sli_math_error_inverse(x), 60)
FUNCTION1(normal_quantile, sli_math_normal_quantile(x), sli_math_normal_quantile(x), 60)
FUNCTION1(log_gamma, sli_math_log_gamma(x), sli_math_log_gamma(x), 30)
FUNCTION1(digamma, sli_math_digamma(x), sli_math_digamma(x), 50)
FUNCTION1(bessel_i0e, sli_math_bessel_i0e(x), sli_math_bessel_i0e(x), 100)
FUNCTION1(bessel_i1e, sli_math_bessel_i1e(x), sli_math_bessel_i1e(x), 100)
FUNCTION1(bessel_i0, sli_math_bessel_i0(x), sli_math_bessel_i0(x), 110)
FUNCTION1(bessel_i1, sli_math_bessel_i1(x), sli_math_bessel_i1(x), 110)
FUNCTION1(bessel_j0, j0(x), j0(x), 60)
FUNCTION1(bessel_j1, j1(x), j1(x), 60)
FUNCTION1(bessel_y0, second_kind(x, y0(x)), second_kind(x, y0(x)), 80)
FUNCTION1(bessel_y1, second_kind(x, y1(x)), second_kind(x, y1(x)), 80)
FUNCTION1(bessel_k0, sli_math_bessel_k0(x), sli_math_bessel_k0(x), 400)
FUNCTION1(bessel_k1, sli_math_bessel_k1(x), sli_math_bessel_k1(x), 400)
FUNCTION1(bessel_k0e, sli_math_bessel_k0e(x), sli_math_bessel_k0e(x), 400)
FUNCTION1(bessel_k1e, sli_math_bessel_k1e(x), sli_math_bessel_k1e(x), 400)
FUNCTION1(dawson, sli_math_dawson(x), sli_math_dawson(x), 100)
FUNCTION1(exponential_integral, sli_math_exponential_integral(x), sli_math_exponential_integral(x), 100)
FUNCTION1(fresnel_cos, sli_math_fresnel_cos(x), sli_math_fresnel_cos(x), 300)
FUNCTION1(fresnel_sin, sli_math_fresnel_sin(x), sli_math_fresnel_sin(x), 300)
FUNCTION1(spence, sli_math_spence(x), sli_math_spence(x), 50)
FUNCTION2(polygamma, sli_math_polygamma(x, y), 300)
FUNCTION2(zeta, sli_math_zeta(x, y), 300)
FUNCTION2(igamma, sli_math_gamma_p(x, y), 500)
FUNCTION2(igammac, sli_math_gamma_q(x, y), 500)
FUNCTION2(igamma_grad_a, sli_math_gamma_p_derivative_a(x, y), 500)

static void betainc_float(const void *const in[], void *out, int64_t n, const int64_t stride[],
                          sli_elementwise_loop_state_t *state) {
  const float *a = in[0], *b = in[1], *x = in[2];
  float *z = out;
  for (int64_t i = 0; i < n; i++) z[i] = (float)sli_math_beta_i(a[i * stride[0]], b[i * stride[1]], x[i * stride[2]]);
}
static void betainc_double(const void *const in[], void *out, int64_t n, const int64_t stride[],
                           sli_elementwise_loop_state_t *state) {
  const double *a = in[0], *b = in[1], *x = in[2];
  double *z = out;
  for (int64_t i = 0; i < n; i++) z[i] = sli_math_beta_i(a[i * stride[0]], b[i * stride[1]], x[i * stride[2]]);
}
static const sli_elementwise_t betainc_op = {.loops = REAL_LOOPS(betainc), .cost = 500};

// Operands that are not scalars must have the same shape.
static sli_status_t *betainc(sli_kernel_context_t *context) {
  static const char *const names[] = {"a", "b", "x"};
  for (int i = 0; i < 2; i++) {
    for (int j = i + 1; j < 3; j++) {
      sli_tensor_t *p = sli_kernel_input(context, i), *q = sli_kernel_input(context, j);
      if (p->rank == 0 || q->rank == 0 || sli_tensor_same_shape(p, q)) continue;
      char *first = sli_shape_to_text(sli_tensor_shape(p)), *second = sli_shape_to_text(sli_tensor_shape(q));
      sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Shapes of %s and %s are inconsistent: %s vs. %s",
                                             names[i], names[j], first, second);
      free(first);
      free(second);
      return status;
    }
  }
  return sli_elementwise_compute(context, &betainc_op);
}

static sli_status_t *betainc_shape(sli_infer_context_t *c) {
  sli_shape_t output = SLI_SHAPE_SCALAR;
  bool unknown = false;
  for (int i = 0; i < 3; i++) {
    sli_shape_t input = sli_infer_input(c, i);
    if (input.rank < 0) unknown = true;
    if (input.rank <= 0) continue;
    if (output.rank == 0)
      output = input;
    else
      SLI_RETURN_IF_ERROR(sli_infer_merge(c, output, input, &output));
  }
  sli_infer_set_output(c, 0, unknown && output.rank == 0 ? SLI_SHAPE_UNKNOWN : output);
  return NULL;
}

// Gradients.
#define G sli_gradient_of_output(b, 0)
#define X sli_gradient_input(b, 0)
#define Y sli_gradient_output(b, 0)

static sli_output_t emit_add(sli_gradient_builder_t *b, sli_output_t x, double value) {
  return sli_emit2(b, "AddV2", x, sli_gradient_const_like(b, x, value));
}
// g * factor * exp(sign * x² * scale)
static sli_output_t emit_bell(sli_gradient_builder_t *b, sli_output_t x, double factor, double scale) {
  sli_output_t square = sli_emit1(b, "Square", x);
  sli_output_t exponent = scale == -1  ? sli_emit1(b, "Neg", square)
                          : scale == 1 ? square
                                       : sli_emit_scale(b, square, scale);
  return sli_emit_mul(b, sli_emit_scale(b, G, factor), sli_emit1(b, "Exp", exponent));
}
static sli_status_t *erf_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, emit_bell(b, X, M_2_SQRTPI, -1));
}
static sli_status_t *erfc_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, emit_bell(b, X, -M_2_SQRTPI, -1));
}
static sli_status_t *erfinv_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, emit_bell(b, Y, 1 / M_2_SQRTPI, 1));
}
static sli_status_t *ndtri_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, emit_bell(b, Y, sqrt(2 * M_PI), 0.5));
}
static sli_status_t *lgamma_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Digamma", X)));
}
static sli_status_t *digamma_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit2(b, "Polygamma", sli_gradient_const_like(b, X, 1), X)));
}
static sli_status_t *bessel_i0e_gradient(sli_gradient_builder_t *b) {
  sli_output_t falling = sli_emit_mul(b, sli_emit1(b, "Sign", X), Y);
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit2(b, "Sub", sli_emit1(b, "BesselI1e", X), falling)));
}
// The limit at 0 is 1/2. The other branch must not divide by 0 there.
static sli_status_t *bessel_i1e_gradient(sli_gradient_builder_t *b) {
  sli_output_t zero = sli_emit2(b, "Equal", X, sli_gradient_const_like(b, X, 0));
  sli_output_t safe = sli_emit3(b, "SelectV2", zero, sli_emit1(b, "OnesLike", X), X);
  sli_output_t fall = sli_emit2(b, "AddV2", sli_emit1(b, "Sign", safe), sli_emit1(b, "Reciprocal", safe));
  sli_output_t slope = sli_emit2(b, "Sub", sli_emit1(b, "BesselI0e", safe), sli_emit_mul(b, Y, fall));
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit3(b, "SelectV2", zero, sli_gradient_const_like(b, X, 0.5), slope)));
}

// g times |slope|.
static sli_status_t *set_slope(sli_gradient_builder_t *b, sli_output_t slope) {
  return sli_emit_set(b, sli_emit_mul(b, G, slope));
}
// first(x) - y / x, and |limit| at 0.
static sli_status_t *emit_order_one(sli_gradient_builder_t *b, const char *first, double limit) {
  sli_output_t zero = sli_emit2(b, "Equal", X, sli_gradient_const_like(b, X, 0));
  sli_output_t safe = sli_emit3(b, "SelectV2", zero, sli_emit1(b, "OnesLike", X), X);
  sli_output_t slope = sli_emit2(b, "Sub", sli_emit1(b, first, safe), sli_emit2(b, "RealDiv", Y, safe));
  return set_slope(b, sli_emit3(b, "SelectV2", zero, sli_gradient_const_like(b, X, limit), slope));
}
static sli_status_t *bessel_i0_gradient(sli_gradient_builder_t *b) { return set_slope(b, sli_emit1(b, "BesselI1", X)); }
static sli_status_t *bessel_i1_gradient(sli_gradient_builder_t *b) { return emit_order_one(b, "BesselI0", 1); }
static sli_status_t *bessel_j1_gradient(sli_gradient_builder_t *b) { return emit_order_one(b, "BesselJ0", 0.5); }
static sli_output_t emit_minus(sli_gradient_builder_t *b, const char *op) {
  return sli_emit1(b, "Neg", sli_emit1(b, op, X));
}
static sli_status_t *bessel_j0_gradient(sli_gradient_builder_t *b) { return set_slope(b, emit_minus(b, "BesselJ1")); }
static sli_status_t *bessel_y0_gradient(sli_gradient_builder_t *b) { return set_slope(b, emit_minus(b, "BesselY1")); }
static sli_status_t *bessel_k0_gradient(sli_gradient_builder_t *b) { return set_slope(b, emit_minus(b, "BesselK1")); }
// The derivatives of the second kind have no value at 0.
static sli_status_t *bessel_y1_gradient(sli_gradient_builder_t *b) {
  return set_slope(b, sli_emit2(b, "Sub", sli_emit1(b, "BesselY0", X), sli_emit2(b, "RealDiv", Y, X)));
}
static sli_status_t *bessel_k1_gradient(sli_gradient_builder_t *b) {
  return set_slope(b, sli_emit2(b, "Sub", emit_minus(b, "BesselK0"), sli_emit2(b, "RealDiv", Y, X)));
}
static sli_status_t *bessel_k0e_gradient(sli_gradient_builder_t *b) {
  return set_slope(b, sli_emit2(b, "Sub", Y, sli_emit1(b, "BesselK1e", X)));
}
static sli_status_t *bessel_k1e_gradient(sli_gradient_builder_t *b) {
  sli_output_t factor = sli_emit2(b, "Sub", sli_gradient_const_like(b, X, 1), sli_emit1(b, "Reciprocal", X));
  return set_slope(b, sli_emit2(b, "Sub", sli_emit_mul(b, Y, factor), sli_emit1(b, "BesselK0e", X)));
}
static sli_status_t *dawson_gradient(sli_gradient_builder_t *b) {
  return set_slope(b, emit_add(b, sli_emit_scale(b, sli_emit_mul(b, X, Y), -2), 1));
}
static sli_status_t *exponential_integral_gradient(sli_gradient_builder_t *b) {
  return set_slope(b, sli_emit2(b, "RealDiv", sli_emit1(b, "Exp", X), X));
}
static sli_output_t emit_fresnel_angle(sli_gradient_builder_t *b) {
  return sli_emit_scale(b, sli_emit1(b, "Square", X), M_PI / 2);
}
static sli_status_t *fresnel_cos_gradient(sli_gradient_builder_t *b) {
  return set_slope(b, sli_emit1(b, "Cos", emit_fresnel_angle(b)));
}
static sli_status_t *fresnel_sin_gradient(sli_gradient_builder_t *b) {
  return set_slope(b, sli_emit1(b, "Sin", emit_fresnel_angle(b)));
}
static sli_status_t *spence_gradient(sli_gradient_builder_t *b) {
  sli_output_t one = sli_gradient_const_like(b, X, 1), is_one = sli_emit2(b, "Equal", X, one);
  sli_output_t slope = sli_emit2(b, "RealDiv", sli_emit1(b, "Log", X), sli_emit2(b, "Sub", one, X));
  return set_slope(b, sli_emit3(b, "SelectV2", is_one, sli_gradient_const_like(b, X, -1), slope));
}

// Only the second operand has a gradient.
static sli_status_t *polygamma_gradient(sli_gradient_builder_t *b) {
  sli_output_t slope = sli_emit2(b, "Polygamma", emit_add(b, X, 1), sli_gradient_input(b, 1));
  sli_gradient_set(b, 1, sli_gradient_unbroadcast(b, sli_emit_mul(b, slope, G), 1, 0));
  return NULL;
}
static sli_status_t *zeta_gradient(sli_gradient_builder_t *b) {
  sli_output_t slope = sli_emit2(b, "Zeta", emit_add(b, X, 1), sli_gradient_input(b, 1));
  sli_output_t scaled = sli_emit_mul(b, sli_emit1(b, "Neg", X), slope);
  sli_gradient_set(b, 1, sli_gradient_unbroadcast(b, sli_emit_mul(b, scaled, G), 1, 0));
  return NULL;
}

static sli_status_t *incomplete_gamma_gradient(sli_gradient_builder_t *b, bool complement) {
  sli_output_t a = X, x = sli_gradient_input(b, 1), g = complement ? sli_emit1(b, "Neg", G) : G;
  sli_output_t slope_a = sli_emit2(b, "IgammaGradA", a, x);
  sli_output_t power = sli_emit_mul(b, emit_add(b, a, -1), sli_emit1(b, "Log", x));
  sli_output_t exponent = sli_emit2(b, "AddV2", sli_emit1(b, "Neg", x), power);
  sli_output_t slope_x = sli_emit1(b, "Exp", sli_emit2(b, "Sub", exponent, sli_emit1(b, "Lgamma", a)));
  sli_emit_set_broadcast(b, sli_emit_mul(b, slope_a, g), sli_emit_mul(b, slope_x, g));
  return NULL;
}
static sli_status_t *igamma_gradient(sli_gradient_builder_t *b) { return incomplete_gamma_gradient(b, false); }
static sli_status_t *igammac_gradient(sli_gradient_builder_t *b) { return incomplete_gamma_gradient(b, true); }

// Only x has a gradient; for a scalar x it is the sum.
static sli_status_t *betainc_gradient(sli_gradient_builder_t *b) {
  sli_output_t p = X, q = sli_gradient_input(b, 1), x = sli_gradient_input(b, 2);
  sli_output_t gammas = sli_emit2(b, "AddV2", sli_emit1(b, "Lgamma", p), sli_emit1(b, "Lgamma", q));
  sli_output_t log_beta = sli_emit2(b, "Sub", gammas, sli_emit1(b, "Lgamma", sli_emit2(b, "AddV2", p, q)));
  sli_output_t right = sli_emit2(b, "Xlog1py", emit_add(b, q, -1), sli_emit1(b, "Neg", x));
  sli_output_t left = sli_emit2(b, "Xlogy", emit_add(b, p, -1), x);
  sli_output_t logarithm = sli_emit2(b, "Sub", sli_emit2(b, "AddV2", right, left), log_beta);
  sli_output_t slope = sli_emit1(b, "Exp", logarithm);
  sli_gradient_set(b, 2, sli_gradient_unbroadcast(b, sli_emit_mul(b, slope, G), 2, 0));
  return NULL;
}

#define ROW1(op_name, gradient_of)                                                                       \
  {                                                                                                      \
    .name = op_name, .inputs = "x: T", .outputs = "y: T", .attrs = "T: {bfloat16, half, float, double}", \
    .shape = sli_infer_fn_unchanged, .gradient = gradient_of                                             \
  }
#define ROW2(op_name, in, types, gradient_of)                                                                \
  {                                                                                                          \
    .name = op_name, .inputs = in, .outputs = "z: T", .attrs = "T: " types, .shape = sli_infer_fn_broadcast, \
    .gradient = gradient_of                                                                                  \
  }

static const sli_op_def_t ops[] = {
    ROW1("Erf", erf_gradient),
    ROW1("Erfc", erfc_gradient),
    ROW1("Erfinv", erfinv_gradient),
    ROW1("Ndtri", ndtri_gradient),
    ROW1("Lgamma", lgamma_gradient),
    ROW1("Digamma", digamma_gradient),
    ROW1("BesselI0e", bessel_i0e_gradient),
    ROW1("BesselI1e", bessel_i1e_gradient),
    ROW1("BesselI0", bessel_i0_gradient),
    ROW1("BesselI1", bessel_i1_gradient),
    ROW1("BesselJ0", bessel_j0_gradient),
    ROW1("BesselJ1", bessel_j1_gradient),
    ROW1("BesselY0", bessel_y0_gradient),
    ROW1("BesselY1", bessel_y1_gradient),
    ROW1("BesselK0", bessel_k0_gradient),
    ROW1("BesselK1", bessel_k1_gradient),
    ROW1("BesselK0e", bessel_k0e_gradient),
    ROW1("BesselK1e", bessel_k1e_gradient),
    ROW1("Dawsn", dawson_gradient),
    ROW1("Expint", exponential_integral_gradient),
    ROW1("FresnelCos", fresnel_cos_gradient),
    ROW1("FresnelSin", fresnel_sin_gradient),
    ROW1("Spence", spence_gradient),
    ROW2("Polygamma", "a: T, x: T", "{float, double}", polygamma_gradient),
    ROW2("Zeta", "x: T, q: T", "{float, double}", zeta_gradient),
    ROW2("Igamma", "a: T, x: T", "{bfloat16, half, float, double}", igamma_gradient),
    ROW2("Igammac", "a: T, x: T", "{bfloat16, half, float, double}", igammac_gradient),
    ROW2("IgammaGradA", "a: T, x: T", "{float, double}", NULL),
    {.name = "Betainc",
     .inputs = "a: T, b: T, x: T",
     .outputs = "z: T",
     .attrs = "T: {float, double}",
     .shape = betainc_shape,
     .gradient = betainc_gradient},
};

#define REAL (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
#define KERNEL_ROW(op_name, in, function, price) \
  { .op = op_name, .types = in, .compute = function, .cost = price }

static const sli_kernel_def_t kernels[] = {
    KERNEL_ROW("Erf", SLI_TYPES_FLOATING, error_function, 2.5),
    KERNEL_ROW("Erfc", SLI_TYPES_FLOATING, error_complement, 4),
    KERNEL_ROW("Erfinv", REAL, error_inverse, 15),
    KERNEL_ROW("Ndtri", REAL, normal_quantile, 15),
    KERNEL_ROW("Lgamma", REAL | SLI_TYPE_HALF, log_gamma, 8),
    KERNEL_ROW("Digamma", REAL | SLI_TYPE_HALF, digamma, 12),
    KERNEL_ROW("BesselI0e", REAL | SLI_TYPE_HALF, bessel_i0e, 25),
    KERNEL_ROW("BesselI1e", REAL | SLI_TYPE_HALF, bessel_i1e, 25),
    KERNEL_ROW("BesselI0", REAL | SLI_TYPE_HALF, bessel_i0, 30),
    KERNEL_ROW("BesselI1", REAL | SLI_TYPE_HALF, bessel_i1, 30),
    KERNEL_ROW("BesselJ0", REAL | SLI_TYPE_HALF, bessel_j0, 30),
    KERNEL_ROW("BesselJ1", REAL | SLI_TYPE_HALF, bessel_j1, 30),
    KERNEL_ROW("BesselY0", REAL | SLI_TYPE_HALF, bessel_y0, 30),
    KERNEL_ROW("BesselY1", REAL | SLI_TYPE_HALF, bessel_y1, 30),
    KERNEL_ROW("BesselK0", REAL | SLI_TYPE_HALF, bessel_k0, 30),
    KERNEL_ROW("BesselK1", REAL | SLI_TYPE_HALF, bessel_k1, 30),
    KERNEL_ROW("BesselK0e", REAL | SLI_TYPE_HALF, bessel_k0e, 30),
    KERNEL_ROW("BesselK1e", REAL | SLI_TYPE_HALF, bessel_k1e, 30),
    KERNEL_ROW("Dawsn", REAL, dawson, 30),
    KERNEL_ROW("Expint", REAL, exponential_integral, 30),
    KERNEL_ROW("FresnelCos", REAL, fresnel_cos, 30),
    KERNEL_ROW("FresnelSin", REAL, fresnel_sin, 30),
    KERNEL_ROW("Spence", REAL, spence, 30),
    KERNEL_ROW("Polygamma", REAL, polygamma, 75),
    KERNEL_ROW("Zeta", REAL, zeta, 75),
    KERNEL_ROW("Igamma", REAL, igamma, 100),
    KERNEL_ROW("Igammac", REAL, igammac, 100),
    KERNEL_ROW("IgammaGradA", REAL, igamma_grad_a, 100),
    KERNEL_ROW("Betainc", REAL, betainc, 100),
};

SLI_OP_MODULE(special);
