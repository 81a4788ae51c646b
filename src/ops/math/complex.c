// Complex, Real, Imag, Conj, ComplexAbs, Angle: complex numbers and their parts.
#include <complex.h>
#include <math.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"

// The loops and the kernel of a function of a complex value.
#define FUNCTION(op, R64, R128, c64, c128)                                                          \
  SLI_ELEMENTWISE_LOOP1(, op##_complex64, float complex, R64, c64)                                  \
  SLI_ELEMENTWISE_LOOP1(, op##_complex128, double complex, R128, c128)                              \
  static const sli_elementwise_t op##_op = {                                                        \
      .loops = {[SLI_DTYPE_COMPLEX64] = op##_complex64, [SLI_DTYPE_COMPLEX128] = op##_complex128}}; \
  SLI_ELEMENTWISE_KERNEL(op, op##_op)

FUNCTION(real_part, float, double, crealf(x), creal(x))
FUNCTION(imaginary_part, float, double, cimagf(x), cimag(x))
FUNCTION(magnitude, float, double, cabsf(x), cabs(x))
FUNCTION(angle, float, double, cargf(x), carg(x))
FUNCTION(conjugate, float complex, double complex, conjf(x), conj(x))

// The op table does not require that Tout is the type of the part.
static sli_status_t *checked_magnitude(sli_kernel_context_t *context) {
  sli_dtype_t in = (sli_dtype_t)sli_kernel_input(context, 0)->dtype, out = context->node->output_types[0];
  sli_dtype_t expected = in == SLI_DTYPE_COMPLEX64 ? SLI_DTYPE_FLOAT : SLI_DTYPE_DOUBLE;
  if (out == expected) return magnitude(context);
  return sli_status_make(SLI_INVALID_ARGUMENT, "Signature mismatch, have: %s->%s expected: %s->%s", sli_dtype_name(in),
                         sli_dtype_name(out), sli_dtype_name(in), sli_dtype_name(expected));
}

SLI_ELEMENTWISE_LOOP2_SMALL(join_float, float, float complex, CMPLXF(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(join_double, double, double complex, CMPLX(x, y))
static const sli_elementwise_t join_op = {.loops = {[SLI_DTYPE_FLOAT] = join_float, [SLI_DTYPE_DOUBLE] = join_double}};
SLI_ELEMENTWISE_KERNEL(join, join_op)

// No variant has a conjugate.
static sli_status_t *conjugate_variant(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_object_t *object = input->rank == 0 ? SLI_DATA(sli_object_t *, input)[0] : NULL;
  return sli_status_make(SLI_INTERNAL,
                         "No unary variant unary_op function found for op CONJ Variant type_name: %s for device type: "
                         "CPU",
                         object ? object->type->name : "");
}

// Gradients.
static sli_output_t part(sli_gradient_builder_t *b, const char *op, sli_output_t x) {
  sli_dtype_t dtype = sli_gradient_dtype(b, x) == SLI_DTYPE_COMPLEX64 ? SLI_DTYPE_FLOAT : SLI_DTYPE_DOUBLE;
  return SLI_EMIT_WITH(b, op, SLI_INPUTS(x), SLI_ATTRS(SLI_ATTR_TYPE_OF("Tout", dtype)));
}
static sli_output_t combine(sli_gradient_builder_t *b, sli_output_t real, sli_output_t imaginary) {
  sli_dtype_t dtype = sli_gradient_dtype(b, real) == SLI_DTYPE_FLOAT ? SLI_DTYPE_COMPLEX64 : SLI_DTYPE_COMPLEX128;
  return SLI_EMIT_WITH(b, "Complex", SLI_INPUTS(real, imaginary), SLI_ATTRS(SLI_ATTR_TYPE_OF("Tout", dtype)));
}

static sli_status_t *real_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, combine(b, g, sli_gradient_const_like(b, g, 0)));
  return NULL;
}
static sli_status_t *imaginary_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, combine(b, sli_gradient_const_like(b, g, 0), g));
  return NULL;
}
static sli_status_t *join_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_emit_set_broadcast(b, part(b, "Real", g), part(b, "Imag", g));
  return NULL;
}
static sli_status_t *conjugate_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 0, sli_emit1(b, "Conj", sli_gradient_of_output(b, 0)));
  return NULL;
}
static sli_status_t *magnitude_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_output_t wide = combine(b, g, sli_emit1(b, "ZerosLike", g));
  sli_gradient_set(b, 0, sli_emit_mul(b, wide, sli_emit1(b, "Sign", sli_gradient_input(b, 0))));
  return NULL;
}
static sli_status_t *angle_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 0);
  sli_output_t turned = combine(b, part(b, "Imag", x), part(b, "Real", x));
  sli_output_t zero = sli_gradient_const_like(b, g, 0), wide = combine(b, g, zero);
  sli_gradient_set(b, 0, sli_emit1(b, "Neg", sli_emit_mul(b, wide, sli_emit1(b, "Reciprocal", turned))));
  return NULL;
}

#define PART_ATTRS "T: {complex64, complex128} = DT_COMPLEX64; Tout: {float, double} = DT_FLOAT"

static const sli_op_def_t ops[] = {
    {.name = "Complex",
     .inputs = "real: T, imag: T",
     .outputs = "out: Tout",
     .attrs = "T: {float, double} = DT_FLOAT; Tout: {complex64, complex128} = DT_COMPLEX64",
     .shape = sli_infer_fn_broadcast,
     .gradient = join_gradient},
    {.name = "Real",
     .inputs = "input: T",
     .outputs = "output: Tout",
     .attrs = PART_ATTRS,
     .shape = sli_infer_fn_unchanged,
     .gradient = real_gradient},
    {.name = "Imag",
     .inputs = "input: T",
     .outputs = "output: Tout",
     .attrs = PART_ATTRS,
     .shape = sli_infer_fn_unchanged,
     .gradient = imaginary_gradient},
    {.name = "Angle",
     .inputs = "input: T",
     .outputs = "output: Tout",
     .attrs = PART_ATTRS,
     .shape = sli_infer_fn_unchanged,
     .gradient = angle_gradient},
    {.name = "ComplexAbs",
     .inputs = "x: T",
     .outputs = "y: Tout",
     .attrs = PART_ATTRS,
     .shape = sli_infer_fn_unchanged,
     .gradient = magnitude_gradient},
    {.name = "Conj",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {complex64, complex128, variant} = DT_COMPLEX64",
     .shape = sli_infer_fn_unchanged,
     .gradient = conjugate_gradient},
};

#define PARTS(name, function)                                                                            \
  {.op = name, .types = SLI_TYPE_COMPLEX64, .where = {{"Tout", SLI_TYPE_FLOAT}}, .compute = function}, { \
    .op = name, .types = SLI_TYPE_COMPLEX128, .where = {{"Tout", SLI_TYPE_DOUBLE}}, .compute = function  \
  }

static const sli_kernel_def_t kernels[] = {
    {.op = "Complex", .types = SLI_TYPE_FLOAT, .where = {{"Tout", SLI_TYPE_COMPLEX64}}, .compute = join},
    {.op = "Complex", .types = SLI_TYPE_DOUBLE, .where = {{"Tout", SLI_TYPE_COMPLEX128}}, .compute = join},
    PARTS("Real", real_part),
    PARTS("Imag", imaginary_part),
    PARTS("Angle", angle),
    {.op = "ComplexAbs", .types = SLI_TYPES_COMPLEX, .compute = checked_magnitude},
    {.op = "Conj", .types = SLI_TYPES_COMPLEX, .compute = conjugate},
    {.op = "Conj", .types = SLI_TYPE_VARIANT, .compute = conjugate_variant},
};

SLI_OP_MODULE(complex);
