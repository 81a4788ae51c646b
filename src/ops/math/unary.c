// Functions of one operand: arithmetic, exponentials, rounding and tests, with
// the "…Grad" ops that TensorFlow's gradients of them use.
#include <complex.h>
#include <math.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementary.h"
#include "math/elementwise.h"

#define FLOATING_ROWS(op) [SLI_DTYPE_FLOAT] = op##_float, [SLI_DTYPE_DOUBLE] = op##_double
#define COMPLEX_ROWS(op) [SLI_DTYPE_COMPLEX64] = op##_complex64, [SLI_DTYPE_COMPLEX128] = op##_complex128
#define SIGNED_ROWS(op)                                                                         \
  [SLI_DTYPE_INT8] = op##_int8, [SLI_DTYPE_INT16] = op##_int16, [SLI_DTYPE_INT32] = op##_int32, \
  [SLI_DTYPE_INT64] = op##_int64
#define UNSIGNED_ROWS(op)                                                                             \
  [SLI_DTYPE_UINT8] = op##_uint8, [SLI_DTYPE_UINT16] = op##_uint16, [SLI_DTYPE_UINT32] = op##_uint32, \
  [SLI_DTYPE_UINT64] = op##_uint64

// A function of floating and complex values: expressions for float, double and both complex types.
#define FUNCTION(op, f32, f64, c64, c128, nanoseconds)                                                            \
  SLI_ELEMENTWISE_LOOP1(SLI_SIMD, op##_float, float, float, f32)                                                  \
  SLI_ELEMENTWISE_LOOP1(SLI_SIMD, op##_double, double, double, f64)                                               \
  SLI_ELEMENTWISE_LOOP1(, op##_complex64, float complex, float complex, c64)                                      \
  SLI_ELEMENTWISE_LOOP1(, op##_complex128, double complex, double complex, c128)                                  \
  static const sli_elementwise_t op##_op = {.loops = {FLOATING_ROWS(op), COMPLEX_ROWS(op)}, .cost = nanoseconds}; \
  SLI_ELEMENTWISE_KERNEL(op##_kernel, op##_op)

FUNCTION(square_root, sqrtf(x), sqrt(x), csqrtf(x), csqrt(x), 1)
FUNCTION(rsqrt, 1 / sqrtf(x), 1 / sqrt(x), 1 / csqrtf(x), 1 / csqrt(x), 1)
FUNCTION(exponential, sli_math_expf(x), exp(x), cexpf(x), cexp(x), 0.5)
FUNCTION(exponential_m1, expm1f(x), expm1(x), cexpf(x) - 1, cexp(x) - 1, 10)
FUNCTION(logarithm, sli_math_logf(x), log(x), clogf(x), clog(x), 0.7)
FUNCTION(logarithm_1p, log1pf(x), log1p(x), clogf(x + 1), clog(x + 1), 10)
FUNCTION(sigmoid, sli_math_sigmoidf(x), 1 / (1 + exp(-x)), 1 / (1 + cexpf(-x)), 1 / (1 + cexp(-x)), 0.8)
FUNCTION(hyperbolic_tangent, sli_math_tanhf(x), tanh(x), ctanhf(x), ctanh(x), 1)
FUNCTION(reciprocal, 1 / x, 1 / x, 1 / x, 1 / x, 0)

// The same for signed integers too.
#define SIGNED_LOOPS(T, name, dtype, U)                                 \
  SLI_ELEMENTWISE_LOOP1(, neg_##name, T, T, (U)0 - (U)x)                \
  SLI_ELEMENTWISE_LOOP1(, abs_##name, T, T, x < 0 ? (U)0 - (U)x : (U)x) \
  SLI_ELEMENTWISE_LOOP1(, sign_##name, T, T, (x > 0) - (x < 0))
#define INTEGER_LOOPS(T, name, dtype, U) SLI_ELEMENTWISE_LOOP1(, square_##name, T, T, (U)x *(U)x)
SLI_ELEMENTWISE_FOR_SIGNED(SIGNED_LOOPS)
SLI_ELEMENTWISE_FOR_INTEGER(INTEGER_LOOPS)

SLI_ELEMENTWISE_LOOP1(SLI_SIMD, neg_float, float, float, -x)
SLI_ELEMENTWISE_LOOP1(SLI_SIMD, neg_double, double, double, -x)
SLI_ELEMENTWISE_LOOP1(, neg_complex64, float complex, float complex, -x)
SLI_ELEMENTWISE_LOOP1(, neg_complex128, double complex, double complex, -x)
static const sli_elementwise_t neg_op = {.loops = {FLOATING_ROWS(neg), COMPLEX_ROWS(neg), SIGNED_ROWS(neg)}};
SLI_ELEMENTWISE_KERNEL(neg, neg_op)

SLI_ELEMENTWISE_LOOP1(SLI_SIMD, abs_float, float, float, fabsf(x))
SLI_ELEMENTWISE_LOOP1(SLI_SIMD, abs_double, double, double, fabs(x))
static const sli_elementwise_t abs_op = {.loops = {FLOATING_ROWS(abs), SIGNED_ROWS(abs)}};
SLI_ELEMENTWISE_KERNEL(absolute, abs_op)

SLI_ELEMENTWISE_LOOP1(SLI_SIMD, square_float, float, float, x *x)
SLI_ELEMENTWISE_LOOP1(SLI_SIMD, square_double, double, double, x *x)
SLI_ELEMENTWISE_LOOP1(, square_complex64, float complex, float complex, x *x)
SLI_ELEMENTWISE_LOOP1(, square_complex128, double complex, double complex, x *x)
static const sli_elementwise_t square_op = {
    .loops = {FLOATING_ROWS(square), COMPLEX_ROWS(square), SIGNED_ROWS(square), UNSIGNED_ROWS(square)}};
SLI_ELEMENTWISE_KERNEL(square, square_op)

// The sign of 0 is 0 and that of NaN is NaN; that of a complex number is x/|x|.
SLI_ELEMENTWISE_LOOP1(SLI_SIMD, sign_float, float, float, x > 0 ? 1 : x < 0 ? -1 : x)
SLI_ELEMENTWISE_LOOP1(SLI_SIMD, sign_double, double, double, x > 0 ? 1 : x < 0 ? -1 : x)
SLI_ELEMENTWISE_LOOP1(, sign_complex64, float complex, float complex, x == 0 ? 0 : x / cabsf(x))
SLI_ELEMENTWISE_LOOP1(, sign_complex128, double complex, double complex, x == 0 ? 0 : x / cabs(x))
static const sli_elementwise_t sign_op = {.loops = {FLOATING_ROWS(sign), COMPLEX_ROWS(sign), SIGNED_ROWS(sign)}};
SLI_ELEMENTWISE_KERNEL(sign, sign_op)

// Rounding.
#define ROUNDING(op, f32, f64)                                      \
  SLI_ELEMENTWISE_LOOP1(SLI_SIMD, op##_float, float, float, f32(x)) \
  SLI_ELEMENTWISE_LOOP1(SLI_SIMD, op##_double, double, double, f64(x))
ROUNDING(floor, floorf, floor)
ROUNDING(ceil, ceilf, ceil)
ROUNDING(rint, rintf, rint)
SLI_ELEMENTWISE_LOOP1(, same_int32, int32_t, int32_t, x)
SLI_ELEMENTWISE_LOOP1(, same_int64, int64_t, int64_t, x)
static const sli_elementwise_t floor_op = {.loops = {FLOATING_ROWS(floor)}};
static const sli_elementwise_t ceil_op = {.loops = {FLOATING_ROWS(ceil)}};
static const sli_elementwise_t round_op = {  // rounds halves to even
    .loops = {FLOATING_ROWS(rint), [SLI_DTYPE_INT32] = same_int32, [SLI_DTYPE_INT64] = same_int64}};
SLI_ELEMENTWISE_KERNEL(floor_kernel, floor_op)
SLI_ELEMENTWISE_KERNEL(ceil_kernel, ceil_op)
SLI_ELEMENTWISE_KERNEL(round_kernel, round_op)

// Tests.
#define TEST(op, expression)                                               \
  SLI_ELEMENTWISE_LOOP1(SLI_SIMD, op##_float, float, bool, expression)     \
  SLI_ELEMENTWISE_LOOP1(SLI_SIMD, op##_double, double, bool, expression)   \
  static const sli_elementwise_t op##_op = {.loops = {FLOATING_ROWS(op)}}; \
  SLI_ELEMENTWISE_KERNEL(op, op##_op)
TEST(is_nan, x != x)
TEST(is_inf, x == INFINITY || x == -INFINITY)
TEST(is_finite, x - x == 0)

// The ops that gradients of sqrt, rsqrt, 1/x, sigmoid and tanh emit. In the expressions x is the output of the function
// (the ops call it y), and y is the gradient (dy).
#define GRADIENT_FUNCTION(op, real, c64, c128)                                               \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_float, float, float, real)                            \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_double, double, double, real)                         \
  SLI_ELEMENTWISE_LOOP2_SMALL(op##_complex64, float complex, float complex, c64)             \
  SLI_ELEMENTWISE_LOOP2_SMALL(op##_complex128, double complex, double complex, c128)         \
  static const sli_elementwise_t op##_op = {.loops = {FLOATING_ROWS(op), COMPLEX_ROWS(op)}}; \
  static sli_status_t *op(sli_kernel_context_t *context) {                                   \
    return sli_elementwise_compute_paired(context, &op##_op, NULL);                          \
  }
GRADIENT_FUNCTION(sqrt_grad, y / (x + x), 0.5f * y / conjf(x), 0.5 * y / conj(x))
GRADIENT_FUNCTION(rsqrt_grad, -(y / 2) * (x * x * x), -0.5f * y * conjf(x * x * x), -0.5 * y * conj(x * x * x))
GRADIENT_FUNCTION(reciprocal_grad, -x *y *x, -conjf(x) * y * conjf(x), -conj(x) * y * conj(x))
GRADIENT_FUNCTION(sigmoid_grad, y *x *(1 - x), y *x *(1 - x), y *x *(1 - x))
GRADIENT_FUNCTION(tanh_grad, y *(1 - x * x), y *(1 - x * x), y *(1 - x * x))

// Gradients. G is the gradient of the output, X the input, Y the output.
#define G sli_gradient_of_output(b, 0)
#define X sli_gradient_input(b, 0)
#define Y sli_gradient_output(b, 0)

static sli_status_t *neg_gradient(sli_gradient_builder_t *b) { return sli_emit_set(b, sli_emit1(b, "Neg", G)); }
static sli_status_t *abs_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Sign", X)));
}
static sli_status_t *square_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit_scale(b, sli_emit_conj(b, X), 2)));
}
static sli_status_t *sqrt_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit2(b, "SqrtGrad", Y, G));
}
static sli_status_t *rsqrt_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit2(b, "RsqrtGrad", Y, G));
}
static sli_status_t *exp_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit_conj(b, Y)));
}
static sli_status_t *expm1_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Exp", sli_emit_conj(b, X))));
}
static sli_status_t *log_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Reciprocal", sli_emit_conj(b, X))));
}
static sli_status_t *log1p_gradient(sli_gradient_builder_t *b) {
  sli_output_t x = sli_emit_conj(b, X);
  sli_output_t more = sli_emit2(b, "AddV2", sli_gradient_const_like(b, x, 1), x);
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Reciprocal", more)));
}
static sli_status_t *sigmoid_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit2(b, "SigmoidGrad", sli_emit_conj(b, Y), G));
}
static sli_status_t *tanh_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit2(b, "TanhGrad", sli_emit_conj(b, Y), G));
}
static sli_status_t *inv_gradient(sli_gradient_builder_t *b) { return sli_emit_set(b, sli_emit2(b, "InvGrad", Y, G)); }
static sli_status_t *reciprocal_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit2(b, "ReciprocalGrad", Y, G));
}
static sli_status_t *sign_gradient(sli_gradient_builder_t *b) { return sli_emit_set(b, sli_emit1(b, "ZerosLike", X)); }

// Second derivatives. A is the output of the function, D the gradient of it.
#define A sli_gradient_input(b, 0)
#define D sli_gradient_input(b, 1)

static sli_status_t *sqrt_grad_gradient(sli_gradient_builder_t *b) {
  sli_output_t ga = sli_emit2(b, "RealDiv", G, A);
  sli_gradient_set(b, 0, sli_emit_mul(b, sli_emit1(b, "Neg", sli_emit_conj(b, ga)), Y));
  sli_gradient_set(b, 1, sli_emit_scale(b, ga, 0.5));
  return NULL;
}
static sli_status_t *rsqrt_grad_gradient(sli_gradient_builder_t *b) {
  sli_output_t ca = sli_emit_conj(b, A), cg = sli_emit_conj(b, G);
  sli_output_t slope = sli_emit_mul(b, sli_emit_scale(b, cg, -1.5), D);
  sli_gradient_set(b, 0, sli_emit_mul(b, slope, sli_emit1(b, "Square", ca)));
  sli_gradient_set(b, 1, sli_emit2(b, "RsqrtGrad", ca, G));
  return NULL;
}
// For ReciprocalGrad and for InvGrad, its older name.
static sli_status_t *reciprocal_second(sli_gradient_builder_t *b, const char *op) {
  sli_output_t ca = sli_emit_conj(b, A), cg = sli_emit_conj(b, G);
  sli_gradient_set(b, 0, sli_emit_mul(b, sli_emit_mul(b, sli_emit_scale(b, cg, -2), D), ca));
  sli_gradient_set(b, 1, sli_emit2(b, op, ca, G));
  return NULL;
}
static sli_status_t *reciprocal_grad_gradient(sli_gradient_builder_t *b) {
  return reciprocal_second(b, "ReciprocalGrad");
}
static sli_status_t *inv_grad_gradient(sli_gradient_builder_t *b) { return reciprocal_second(b, "InvGrad"); }
static sli_status_t *sigmoid_grad_gradient(sli_gradient_builder_t *b) {
  sli_output_t a = sli_emit_conj(b, A), gb = sli_emit_mul(b, G, sli_emit_conj(b, D));
  sli_gradient_set(b, 0, sli_emit2(b, "Sub", gb, sli_emit_mul(b, sli_emit_scale(b, gb, 2), a)));
  sli_gradient_set(b, 1, sli_emit2(b, "SigmoidGrad", a, G));
  return NULL;
}
static sli_status_t *tanh_grad_gradient(sli_gradient_builder_t *b) {
  sli_output_t a = sli_emit_conj(b, A);
  sli_gradient_set(b, 0, sli_emit_mul(b, sli_emit_mul(b, sli_emit_scale(b, G, -2), sli_emit_conj(b, D)), a));
  sli_gradient_set(b, 1, sli_emit2(b, "TanhGrad", a, G));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Neg",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = neg_gradient},
    {.name = "Abs",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64}",
     .shape = sli_infer_fn_unchanged,
     .gradient = abs_gradient},
    {.name = "Square",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
              "complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = square_gradient},
    {.name = "Sqrt",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = sqrt_gradient},
    {.name = "Rsqrt",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = rsqrt_gradient},
    {.name = "Exp",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = exp_gradient},
    {.name = "Expm1",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = expm1_gradient},
    {.name = "Log",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = log_gradient},
    {.name = "Log1p",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = log1p_gradient},
    {.name = "Sigmoid",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = sigmoid_gradient},
    {.name = "Tanh",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = tanh_gradient},
    {.name = "Reciprocal",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = reciprocal_gradient},
    {.name = "Inv",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = inv_gradient},
    {.name = "Sign",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = sign_gradient},
    {.name = "Floor",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double}",
     .shape = sli_infer_fn_unchanged,
     .gradient = sli_emit_no_gradient},
    {.name = "Ceil",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double}",
     .shape = sli_infer_fn_unchanged,
     .gradient = sli_emit_no_gradient},
    {.name = "Round",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = sli_emit_no_gradient},
    {.name = "Rint",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double}",
     .shape = sli_infer_fn_unchanged,
     .gradient = sli_emit_no_gradient},
    {.name = "IsNan",
     .inputs = "x: T",
     .outputs = "y: bool",
     .attrs = "T: {bfloat16, half, float, double}",
     .shape = sli_infer_fn_unchanged},
    {.name = "IsInf",
     .inputs = "x: T",
     .outputs = "y: bool",
     .attrs = "T: {bfloat16, half, float, double}",
     .shape = sli_infer_fn_unchanged},
    {.name = "IsFinite",
     .inputs = "x: T",
     .outputs = "y: bool",
     .attrs = "T: {bfloat16, half, float, double}",
     .shape = sli_infer_fn_unchanged},
    {.name = "SqrtGrad",
     .inputs = "y: T, dy: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = sqrt_grad_gradient},
    {.name = "RsqrtGrad",
     .inputs = "y: T, dy: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = rsqrt_grad_gradient},
    {.name = "ReciprocalGrad",
     .inputs = "y: T, dy: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = reciprocal_grad_gradient},
    {.name = "InvGrad",
     .inputs = "y: T, dy: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = inv_grad_gradient},
    {.name = "SigmoidGrad",
     .inputs = "y: T, dy: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = sigmoid_grad_gradient},
    {.name = "TanhGrad",
     .inputs = "y: T, dy: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_unchanged,
     .gradient = tanh_grad_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Neg", .types = SLI_TYPES_FLOATING | SLI_TYPES_SIGNED | SLI_TYPES_COMPLEX, .compute = neg},
    {.op = "Abs", .types = SLI_TYPES_FLOATING | SLI_TYPES_SIGNED, .compute = absolute},
    {.op = "Square", .types = SLI_TYPES_NUMBER, .compute = square},
    {.op = "Sqrt", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = square_root_kernel},
    {.op = "Rsqrt", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = rsqrt_kernel},
    {.op = "Exp", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = exponential_kernel},
    {.op = "Expm1", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = exponential_m1_kernel, .cost = 2.5},
    {.op = "Log", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = logarithm_kernel},
    {.op = "Log1p", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = logarithm_1p_kernel, .cost = 2.5},
    {.op = "Sigmoid", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = sigmoid_kernel},
    {.op = "Tanh", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = hyperbolic_tangent_kernel},
    {.op = "Reciprocal", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = reciprocal_kernel},
    {.op = "Inv", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = reciprocal_kernel},
    {.op = "Sign", .types = SLI_TYPES_FLOATING | SLI_TYPES_SIGNED | SLI_TYPES_COMPLEX, .compute = sign},
    {.op = "Floor", .types = SLI_TYPES_FLOATING, .compute = floor_kernel},
    {.op = "Ceil", .types = SLI_TYPES_FLOATING, .compute = ceil_kernel},
    {.op = "Round", .types = SLI_TYPES_FLOATING | SLI_TYPE_INT32 | SLI_TYPE_INT64, .compute = round_kernel},
    {.op = "Rint", .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, .compute = round_kernel},
    {.op = "IsNan", .types = SLI_TYPES_FLOATING, .compute = is_nan},
    {.op = "IsInf", .types = SLI_TYPES_FLOATING, .compute = is_inf},
    {.op = "IsFinite", .types = SLI_TYPES_FLOATING, .compute = is_finite},
    {.op = "SqrtGrad", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = sqrt_grad},
    {.op = "RsqrtGrad", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = rsqrt_grad},
    {.op = "ReciprocalGrad", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = reciprocal_grad},
    {.op = "InvGrad", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = reciprocal_grad},
    {.op = "SigmoidGrad", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = sigmoid_grad},
    {.op = "TanhGrad", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = tanh_grad},
};

SLI_OP_MODULE(unary);
