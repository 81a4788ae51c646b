// Division: true, truncated and floored quotients, their remainders, and the ops that define x/0 or 0·log(0). An
// integer divided by zero is an error; the least integer divided by -1 wraps.
#include <complex.h>
#include <math.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"
#include "math/half.h"

#define NARROW_ROWS(op) [SLI_DTYPE_HALF] = op##_half, [SLI_DTYPE_BFLOAT16] = op##_bfloat16
#define FLOATING_ROWS(op) [SLI_DTYPE_FLOAT] = op##_float, [SLI_DTYPE_DOUBLE] = op##_double
#define COMPLEX_ROWS(op) [SLI_DTYPE_COMPLEX64] = op##_complex64, [SLI_DTYPE_COMPLEX128] = op##_complex128
#define INTEGER_ROWS(op)                                                                            \
  [SLI_DTYPE_INT8] = op##_int8, [SLI_DTYPE_INT16] = op##_int16, [SLI_DTYPE_INT32] = op##_int32,     \
  [SLI_DTYPE_INT64] = op##_int64, [SLI_DTYPE_UINT8] = op##_uint8, [SLI_DTYPE_UINT16] = op##_uint16, \
  [SLI_DTYPE_UINT32] = op##_uint32, [SLI_DTYPE_UINT64] = op##_uint64

static const char zero_divisor[] = "Integer division by zero";

// Integer quotients and remainders, truncated and floored.
#define SIGNED_DIVISION(T, name, dtype, U)                                                \
  static inline T quotient_##name(T x, T y, sli_elementwise_loop_state_t *state) {        \
    if (y == 0) return state->error = true, (T)0;                                         \
    return y == -1 ? (T)((U)0 - (U)x) : (T)(x / y);                                       \
  }                                                                                       \
  static inline T remainder_##name(T x, T y, sli_elementwise_loop_state_t *state) {       \
    if (y == 0) return state->error = true, (T)0;                                         \
    return y == -1 ? (T)0 : (T)(x % y);                                                   \
  }                                                                                       \
  static inline T floor_quotient_##name(T x, T y, sli_elementwise_loop_state_t *state) {  \
    T rest = remainder_##name(x, y, state);                                               \
    return (T)(quotient_##name(x, y, state) - (rest != 0 && (rest < 0) != (y < 0)));      \
  }                                                                                       \
  static inline T floor_remainder_##name(T x, T y, sli_elementwise_loop_state_t *state) { \
    T rest = remainder_##name(x, y, state);                                               \
    return rest != 0 && (rest < 0) != (y < 0) ? (T)(rest + y) : rest;                     \
  }
#define UNSIGNED_DIVISION(T, name, dtype, U)                                              \
  static inline T quotient_##name(T x, T y, sli_elementwise_loop_state_t *state) {        \
    if (y == 0) return state->error = true, (T)0;                                         \
    return (T)(x / y);                                                                    \
  }                                                                                       \
  static inline T remainder_##name(T x, T y, sli_elementwise_loop_state_t *state) {       \
    if (y == 0) return state->error = true, (T)0;                                         \
    return (T)(x % y);                                                                    \
  }                                                                                       \
  static inline T floor_quotient_##name(T x, T y, sli_elementwise_loop_state_t *state) {  \
    return quotient_##name(x, y, state);                                                  \
  }                                                                                       \
  static inline T floor_remainder_##name(T x, T y, sli_elementwise_loop_state_t *state) { \
    return remainder_##name(x, y, state);                                                 \
  }
SLI_ELEMENTWISE_FOR_SIGNED(SIGNED_DIVISION)
SLI_ELEMENTWISE_FOR_UNSIGNED(UNSIGNED_DIVISION)

#define INTEGER_LOOPS(T, name, dtype, U)                                                  \
  SLI_ELEMENTWISE_LOOP2_SMALL(div_##name, T, T, quotient_##name(x, y, state))             \
  SLI_ELEMENTWISE_LOOP2_SMALL(floor_div_##name, T, T, floor_quotient_##name(x, y, state)) \
  SLI_ELEMENTWISE_LOOP2_SMALL(floor_mod_##name, T, T, floor_remainder_##name(x, y, state))
SLI_ELEMENTWISE_FOR_INTEGER(INTEGER_LOOPS)

SLI_ELEMENTWISE_LOOP2(SLI_SIMD, div_float, float, float, x / y)
SLI_ELEMENTWISE_LOOP2(SLI_SIMD, div_double, double, double, x / y)
SLI_ELEMENTWISE_LOOP2(, div_complex64, float complex, float complex, x / y)
SLI_ELEMENTWISE_LOOP2(, div_complex128, double complex, double complex, x / y)
static const sli_elementwise_t div_op = {
    .loops = {FLOATING_ROWS(div), COMPLEX_ROWS(div), INTEGER_ROWS(div)}, .cost = 0.5, .error = zero_divisor};
SLI_ELEMENTWISE_KERNEL(divide, div_op)

static sli_status_t *div_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_emit_conj(b, sli_gradient_input(b, 0)),
               y = sli_emit_conj(b, sli_gradient_input(b, 1));
  const char *op = b->node->op->def->name;
  sli_output_t slope = sli_emit2(b, op, sli_emit2(b, op, sli_emit1(b, "Neg", x), y), y);
  sli_emit_set_broadcast(b, sli_emit2(b, op, g, y), sli_emit_mul(b, g, slope));
  return NULL;
}

SLI_ELEMENTWISE_LOOP2(SLI_SIMD, truncate_div_float, float, float, x / y < 0 ? ceilf(x / y) : floorf(x / y))
SLI_ELEMENTWISE_LOOP2(SLI_SIMD, truncate_div_double, double, double, x / y < 0 ? ceil(x / y) : floor(x / y))
static const sli_elementwise_t truncate_div_op = {
    .loops = {FLOATING_ROWS(truncate_div), INTEGER_ROWS(div)}, .cost = 1, .error = zero_divisor};
SLI_ELEMENTWISE_KERNEL(truncate_div, truncate_div_op)

SLI_ELEMENTWISE_LOOP2(SLI_SIMD, floor_div_float, float, float, floorf(x / y))
SLI_ELEMENTWISE_LOOP2(SLI_SIMD, floor_div_double, double, double, floor(x / y))
static const sli_elementwise_t floor_div_op = {
    .loops = {FLOATING_ROWS(floor_div), INTEGER_ROWS(floor_div)}, .cost = 1, .error = zero_divisor};
SLI_ELEMENTWISE_KERNEL(floor_div, floor_div_op)

#define FLOOR_MOD(T, fmod_of) \
  T rest = fmod_of(x, y);     \
  return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest
static inline float floor_remainder_float(float x, float y) { FLOOR_MOD(float, fmodf); }
static inline double floor_remainder_double(double x, double y) { FLOOR_MOD(double, fmod); }
SLI_ELEMENTWISE_LOOP2_SMALL(floor_mod_float, float, float, floor_remainder_float(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(floor_mod_double, double, double, floor_remainder_double(x, y))
static const sli_elementwise_t floor_mod_op = {
    .loops = {FLOATING_ROWS(floor_mod), INTEGER_ROWS(floor_mod)}, .cost = 5, .error = zero_divisor};
SLI_ELEMENTWISE_KERNEL(floor_mod, floor_mod_op)

static sli_status_t *floor_mod_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_output_t quotient = sli_emit2(b, "FloorDiv", sli_gradient_input(b, 0), sli_gradient_input(b, 1));
  sli_emit_set_broadcast(b, g, sli_emit_mul(b, g, sli_emit1(b, "Neg", quotient)));
  return NULL;
}

SLI_ELEMENTWISE_LOOP2_SMALL(mod_float, float, float, fmodf(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(mod_double, double, double, fmod(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(mod_int32, int32_t, int32_t, remainder_int32(x, y, state))
SLI_ELEMENTWISE_LOOP2_SMALL(mod_int64, int64_t, int64_t, remainder_int64(x, y, state))
static const sli_elementwise_t mod_op = {
    .loops = {FLOATING_ROWS(mod), [SLI_DTYPE_INT32] = mod_int32, [SLI_DTYPE_INT64] = mod_int64},
    .cost = 5,
    .error = zero_divisor};
SLI_ELEMENTWISE_KERNEL(truncate_mod, mod_op)

// x/y, and 0 where y is 0.
SLI_ELEMENTWISE_LOOP2(SLI_SIMD, div_no_nan_float, float, float, y == 0 ? 0 : x / y)
SLI_ELEMENTWISE_LOOP2(SLI_SIMD, div_no_nan_double, double, double, y == 0 ? 0 : x / y)
SLI_ELEMENTWISE_LOOP2_SMALL(div_no_nan_complex64, float complex, float complex, y == 0 ? 0 : x / y)
SLI_ELEMENTWISE_LOOP2_SMALL(div_no_nan_complex128, double complex, double complex, y == 0 ? 0 : x / y)
static const sli_elementwise_t div_no_nan_op = {.loops = {FLOATING_ROWS(div_no_nan), COMPLEX_ROWS(div_no_nan)}};
SLI_ELEMENTWISE_KERNEL(div_no_nan, div_no_nan_op)

// x/y, x·log(y) and x·log(1+y), and 0 where x is 0.
SLI_ELEMENTWISE_LOOP2(SLI_SIMD, xdivy_float, float, float, x == 0 ? 0 : x / y)
SLI_ELEMENTWISE_LOOP2(SLI_SIMD, xdivy_double, double, double, x == 0 ? 0 : x / y)
SLI_ELEMENTWISE_LOOP2_SMALL(xdivy_complex64, float complex, float complex, x == 0 ? 0 : x / y)
SLI_ELEMENTWISE_LOOP2_SMALL(xdivy_complex128, double complex, double complex, x == 0 ? 0 : x / y)
static const sli_elementwise_t xdivy_op = {.loops = {FLOATING_ROWS(xdivy), COMPLEX_ROWS(xdivy)}};
SLI_ELEMENTWISE_KERNEL(xdivy, xdivy_op)

// In half and bfloat16 TensorFlow rounds the logarithm before the product.
static float rounded_half(float value) { return sli_half_to_float(sli_half_from_float(value)); }
static float rounded_bfloat16(float value) { return sli_bfloat16_to_float(sli_bfloat16_from_float(value)); }
#define TIMES_LOG(type, x, function, y)                 \
  sli_##type##_from_float(sli_##type##_to_float(x) == 0 \
                              ? 0                       \
                              : sli_##type##_to_float(x) * rounded_##type(function(sli_##type##_to_float(y))))

SLI_ELEMENTWISE_LOOP2_SMALL(xlogy_half, sli_half_t, sli_half_t, TIMES_LOG(half, x, logf, y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlogy_bfloat16, sli_bfloat16_t, sli_bfloat16_t, TIMES_LOG(bfloat16, x, logf, y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlogy_float, float, float, x == 0 ? 0 : x * logf(y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlogy_double, double, double, x == 0 ? 0 : x * log(y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlogy_complex64, float complex, float complex, x == 0 ? 0 : x * clogf(y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlogy_complex128, double complex, double complex, x == 0 ? 0 : x * clog(y))
static const sli_elementwise_t xlogy_op = {.loops = {NARROW_ROWS(xlogy), FLOATING_ROWS(xlogy), COMPLEX_ROWS(xlogy)},
                                           .cost = 10};
SLI_ELEMENTWISE_KERNEL(xlogy, xlogy_op)

SLI_ELEMENTWISE_LOOP2_SMALL(xlog1py_half, sli_half_t, sli_half_t, TIMES_LOG(half, x, log1pf, y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlog1py_bfloat16, sli_bfloat16_t, sli_bfloat16_t, TIMES_LOG(bfloat16, x, log1pf, y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlog1py_float, float, float, x == 0 ? 0 : x * log1pf(y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlog1py_double, double, double, x == 0 ? 0 : x * log1p(y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlog1py_complex64, float complex, float complex, x == 0 ? 0 : x * clogf(1 + y))
SLI_ELEMENTWISE_LOOP2_SMALL(xlog1py_complex128, double complex, double complex, x == 0 ? 0 : x * clog(1 + y))
static const sli_elementwise_t xlog1py_op = {
    .loops = {NARROW_ROWS(xlog1py), FLOATING_ROWS(xlog1py), COMPLEX_ROWS(xlog1py)}, .cost = 15};
SLI_ELEMENTWISE_KERNEL(xlog1py, xlog1py_op)

// 1 where x is not 0, in the type of x.
static sli_output_t emit_not_zero(sli_gradient_builder_t *b, sli_output_t x) {
  sli_output_t mask = sli_emit2(b, "NotEqual", x, sli_gradient_const_like(b, x, 0));
  return sli_emit_cast(b, mask, sli_gradient_dtype(b, x));
}

static sli_status_t *xdivy_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 0), y = sli_gradient_input(b, 1);
  sli_output_t by_x = sli_emit2(b, "Xdivy", emit_not_zero(b, x), y);
  sli_output_t by_y = sli_emit2(b, "Xdivy", sli_emit1(b, "Neg", x), sli_emit1(b, "Square", y));
  sli_emit_set_broadcast(b, sli_emit_mul(b, by_x, g), sli_emit_mul(b, by_y, g));
  return NULL;
}

static sli_status_t *xlogy_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 0), y = sli_gradient_input(b, 1);
  sli_output_t by_x = sli_emit2(b, "Xlogy", emit_not_zero(b, x), y);
  sli_emit_set_broadcast(b, sli_emit_mul(b, by_x, g), sli_emit_mul(b, sli_emit2(b, "Xdivy", x, y), g));
  return NULL;
}

static sli_status_t *xlog1py_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 0), y = sli_gradient_input(b, 1);
  sli_output_t by_x = sli_emit2(b, "Xlog1py", emit_not_zero(b, x), y);
  sli_output_t by_y = sli_emit2(b, "Xdivy", x, sli_emit2(b, "AddV2", y, sli_gradient_const_like(b, y, 1)));
  sli_emit_set_broadcast(b, sli_emit_mul(b, by_x, g), sli_emit_mul(b, by_y, g));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Div",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = div_gradient},
    {.name = "RealDiv",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = div_gradient},
    {.name = "TruncateDiv",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = sli_emit_no_gradient},
    {.name = "FloorDiv",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = sli_emit_no_gradient},
    {.name = "FloorMod",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}",
     .shape = sli_infer_fn_broadcast,
     .gradient = floor_mod_gradient},
    {.name = "Mod",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {int32, int64, half, half, bfloat16, float, double}",
     .shape = sli_infer_fn_broadcast},
    {.name = "TruncateMod",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {int32, int64, bfloat16, half, float, double}",
     .shape = sli_infer_fn_broadcast},
    {.name = "DivNoNan",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {half, float, bfloat16, double, complex64, complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = div_gradient},
    {.name = "Xdivy",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {half, bfloat16, float, double, complex64, complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = xdivy_gradient},
    {.name = "Xlogy",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {half, bfloat16, float, double, complex64, complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = xlogy_gradient},
    {.name = "Xlog1py",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {half, bfloat16, float, double, complex64, complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = xlog1py_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Div", .types = SLI_TYPES_NUMBER, .compute = divide},
    {.op = "RealDiv", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = divide},
    {.op = "TruncateDiv", .types = SLI_TYPES_REAL, .compute = truncate_div},
    {.op = "FloorDiv", .types = SLI_TYPES_REAL, .compute = floor_div},
    {.op = "FloorMod", .types = SLI_TYPES_REAL, .compute = floor_mod},
    {.op = "Mod", .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_INT32 | SLI_TYPE_INT64, .compute = truncate_mod},
    {.op = "TruncateMod",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_INT32 | SLI_TYPE_INT64,
     .compute = truncate_mod},
    {.op = "DivNoNan", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = div_no_nan},
    {.op = "Xdivy", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = xdivy},
    {.op = "Xlog1py", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = xlog1py, .cost = 4},
    {.op = "Xlogy", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = xlogy},
};

SLI_OP_MODULE(divide);
