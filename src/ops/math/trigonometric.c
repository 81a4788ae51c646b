// The trigonometric and hyperbolic functions, their inverses, and Atan2.
#include <complex.h>
#include <math.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"

#define FUNCTION(op, nanoseconds)                                                                \
  SLI_ELEMENTWISE_LOOP1(, op##_float, float, float, op##f(x))                                    \
  SLI_ELEMENTWISE_LOOP1(, op##_double, double, double, op(x))                                    \
  SLI_ELEMENTWISE_LOOP1(, op##_complex64, float complex, float complex, c##op##f(x))             \
  SLI_ELEMENTWISE_LOOP1(, op##_complex128, double complex, double complex, c##op(x))             \
  static const sli_elementwise_t op##_op = {.loops = {[SLI_DTYPE_FLOAT] = op##_float,            \
                                                      [SLI_DTYPE_DOUBLE] = op##_double,          \
                                                      [SLI_DTYPE_COMPLEX64] = op##_complex64,    \
                                                      [SLI_DTYPE_COMPLEX128] = op##_complex128}, \
                                            .cost = nanoseconds};                                \
  SLI_ELEMENTWISE_KERNEL(op##_kernel, op##_op)

FUNCTION(sin, 6)
FUNCTION(cos, 6)
FUNCTION(tan, 12)
FUNCTION(sinh, 12)
FUNCTION(cosh, 12)
FUNCTION(asin, 10)
FUNCTION(acos, 10)
FUNCTION(atan, 10)
FUNCTION(asinh, 15)
FUNCTION(acosh, 15)
FUNCTION(atanh, 15)

SLI_ELEMENTWISE_LOOP2_SMALL(atan2_float, float, float, atan2f(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(atan2_double, double, double, atan2(x, y))
static const sli_elementwise_t atan2_op = {
    .loops = {[SLI_DTYPE_FLOAT] = atan2_float, [SLI_DTYPE_DOUBLE] = atan2_double}, .cost = 15};
SLI_ELEMENTWISE_KERNEL(atan2_kernel, atan2_op)

// Gradients. G is the gradient of the output; X and Y are input and output, conjugated.
#define G sli_gradient_of_output(b, 0)
#define X sli_emit_conj(b, sli_gradient_input(b, 0))
#define Y sli_emit_conj(b, sli_gradient_output(b, 0))

static sli_output_t neg(sli_gradient_builder_t *b, sli_output_t x) { return sli_emit1(b, "Neg", x); }

static sli_status_t *sin_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Cos", X)));
}
static sli_status_t *cos_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, neg(b, G), sli_emit1(b, "Sin", X)));
}
static sli_status_t *tan_gradient(sli_gradient_builder_t *b) {
  sli_output_t secant = sli_emit1(b, "Reciprocal", sli_emit1(b, "Cos", X));
  return sli_emit_set(b, sli_emit_mul(b, sli_emit1(b, "Square", secant), G));
}
static sli_status_t *sinh_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Cosh", X)));
}
static sli_status_t *cosh_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Sinh", X)));
}
static sli_status_t *asinh_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit2(b, "RealDiv", G, sli_emit1(b, "Cosh", Y)));
}
static sli_status_t *acosh_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit2(b, "RealDiv", G, sli_emit1(b, "Sinh", Y)));
}
// 1 - x² or 1 + x².
static sli_output_t one_and_square(sli_gradient_builder_t *b, const char *op) {
  sli_output_t x = X;
  return sli_emit2(b, op, sli_gradient_const_like(b, x, 1), sli_emit1(b, "Square", x));
}
static sli_status_t *atanh_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Reciprocal", one_and_square(b, "Sub"))));
}
static sli_status_t *asin_gradient(sli_gradient_builder_t *b) {
  sli_output_t root = sli_emit1(b, "Sqrt", one_and_square(b, "Sub"));
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Reciprocal", root)));
}
static sli_status_t *acos_gradient(sli_gradient_builder_t *b) {
  sli_output_t root = sli_emit1(b, "Sqrt", one_and_square(b, "Sub"));
  return sli_emit_set(b, sli_emit_mul(b, neg(b, G), sli_emit1(b, "Reciprocal", root)));
}
static sli_status_t *atan_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit_mul(b, G, sli_emit1(b, "Reciprocal", one_and_square(b, "AddV2"))));
}
static sli_status_t *atan2_gradient(sli_gradient_builder_t *b) {
  sli_output_t y = sli_gradient_input(b, 0), x = sli_gradient_input(b, 1);
  sli_output_t squares = sli_emit2(b, "AddV2", sli_emit1(b, "Square", x), sli_emit1(b, "Square", y));
  sli_output_t scaled = sli_emit2(b, "RealDiv", G, squares);
  sli_emit_set_broadcast(b, sli_emit_mul(b, x, scaled), sli_emit_mul(b, neg(b, y), scaled));
  return NULL;
}

#define FUNCTION_ROW(op_name, gradient_of)                                                                 \
  {                                                                                                        \
    .name = op_name, .inputs = "x: T", .outputs = "y: T",                                                  \
    .attrs = "T: {bfloat16, half, float, double, complex64, complex128}", .shape = sli_infer_fn_unchanged, \
    .gradient = gradient_of                                                                                \
  }

static const sli_op_def_t ops[] = {
    FUNCTION_ROW("Sin", sin_gradient),
    FUNCTION_ROW("Cos", cos_gradient),
    FUNCTION_ROW("Tan", tan_gradient),
    FUNCTION_ROW("Sinh", sinh_gradient),
    FUNCTION_ROW("Cosh", cosh_gradient),
    FUNCTION_ROW("Asin", asin_gradient),
    FUNCTION_ROW("Acos", acos_gradient),
    FUNCTION_ROW("Atan", atan_gradient),
    FUNCTION_ROW("Asinh", asinh_gradient),
    FUNCTION_ROW("Acosh", acosh_gradient),
    FUNCTION_ROW("Atanh", atanh_gradient),
    {.name = "Atan2",
     .inputs = "y: T, x: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double}",
     .shape = sli_infer_fn_broadcast,
     .gradient = atan2_gradient},
};

#define KERNEL_ROW(op_name, function) \
  { .op = op_name, .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = function, .cost = 2.5 }

static const sli_kernel_def_t kernels[] = {
    KERNEL_ROW("Sin", sin_kernel),
    KERNEL_ROW("Cos", cos_kernel),
    KERNEL_ROW("Tan", tan_kernel),
    KERNEL_ROW("Sinh", sinh_kernel),
    KERNEL_ROW("Cosh", cosh_kernel),
    KERNEL_ROW("Asin", asin_kernel),
    KERNEL_ROW("Acos", acos_kernel),
    KERNEL_ROW("Atan", atan_kernel),
    KERNEL_ROW("Asinh", asinh_kernel),
    KERNEL_ROW("Acosh", acosh_kernel),
    KERNEL_ROW("Atanh", atanh_kernel),
    {.op = "Atan2", .types = SLI_TYPES_FLOATING, .compute = atan2_kernel, .cost = 2.5},
};

SLI_OP_MODULE(trigonometric);
