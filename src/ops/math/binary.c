// Add, Sub, Mul, MulNoNan, Maximum, Minimum, SquaredDifference, Pow, NextAfter: two operands of one type, broadcast.
// Integers wrap; the result is NaN if an operand is.
#include <complex.h>
#include <math.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"

// The loops of an op for all types, from expressions over x and y.
#define FLOATING(op, expression)                                        \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_float, float, float, expression) \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_double, double, double, expression)
#define COMPLEX(op, expression)                                                     \
  SLI_ELEMENTWISE_LOOP2(, op##_complex64, float complex, float complex, expression) \
  SLI_ELEMENTWISE_LOOP2(, op##_complex128, double complex, double complex, expression)
#define INTEGER(op, expression32, expression64)                               \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_int32, int32_t, int32_t, expression32) \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_int64, int64_t, int64_t, expression64) \
  SLI_ELEMENTWISE_LOOP2(, op##_int8, int8_t, int8_t, expression32)            \
  SLI_ELEMENTWISE_LOOP2(, op##_int16, int16_t, int16_t, expression32)         \
  SLI_ELEMENTWISE_LOOP2(, op##_uint8, uint8_t, uint8_t, expression32)         \
  SLI_ELEMENTWISE_LOOP2(, op##_uint16, uint16_t, uint16_t, expression32)      \
  SLI_ELEMENTWISE_LOOP2(, op##_uint32, uint32_t, uint32_t, expression32)      \
  SLI_ELEMENTWISE_LOOP2(, op##_uint64, uint64_t, uint64_t, expression64)

#define FLOATING_ROWS(op) [SLI_DTYPE_FLOAT] = op##_float, [SLI_DTYPE_DOUBLE] = op##_double
#define COMPLEX_ROWS(op) [SLI_DTYPE_COMPLEX64] = op##_complex64, [SLI_DTYPE_COMPLEX128] = op##_complex128
#define INTEGER_ROWS(op)                                                                            \
  [SLI_DTYPE_INT8] = op##_int8, [SLI_DTYPE_INT16] = op##_int16, [SLI_DTYPE_INT32] = op##_int32,     \
  [SLI_DTYPE_INT64] = op##_int64, [SLI_DTYPE_UINT8] = op##_uint8, [SLI_DTYPE_UINT16] = op##_uint16, \
  [SLI_DTYPE_UINT32] = op##_uint32, [SLI_DTYPE_UINT64] = op##_uint64

FLOATING(add, x + y)
COMPLEX(add, x + y)
INTEGER(add, (uint32_t)x + (uint32_t)y, (uint64_t)x + (uint64_t)y)

// Concatenates strings.
static void add_string(const void *const in[], void *out, int64_t n, const int64_t stride[],
                       sli_elementwise_loop_state_t *state) {
  const sli_tstring_t *a = in[0], *b = in[1];
  sli_tstring_t *z = out;
  for (int64_t i = 0; i < n; i++) {
    sli_view_t x = sli_tstring_view(&a[i * stride[0]]), y = sli_tstring_view(&b[i * stride[1]]);
    char *text = sli_tstring_resize(&z[i], x.size + y.size);
    if (x.size) memcpy(text, x.data, x.size);
    if (y.size) memcpy(text + x.size, y.data, y.size);
  }
}

static const sli_elementwise_t add_op = {
    .loops = {FLOATING_ROWS(add), COMPLEX_ROWS(add), INTEGER_ROWS(add), [SLI_DTYPE_STRING] = add_string}};
SLI_ELEMENTWISE_KERNEL(add, add_op)

static sli_status_t *add_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_emit_set_broadcast(b, g, g);
  return NULL;
}

FLOATING(sub, x - y)
COMPLEX(sub, x - y)
INTEGER(sub, (uint32_t)x - (uint32_t)y, (uint64_t)x - (uint64_t)y)
static const sli_elementwise_t sub_op = {.loops = {FLOATING_ROWS(sub), COMPLEX_ROWS(sub), INTEGER_ROWS(sub)}};
SLI_ELEMENTWISE_KERNEL(sub, sub_op)

static sli_status_t *sub_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_emit_set_broadcast(b, g, sli_emit1(b, "Neg", g));
  return NULL;
}

FLOATING(mul, x *y)
COMPLEX(mul, x *y)
INTEGER(mul, (uint32_t)x *(uint32_t)y, (uint64_t)x *(uint64_t)y)
static const sli_elementwise_t mul_op = {.loops = {FLOATING_ROWS(mul), COMPLEX_ROWS(mul), INTEGER_ROWS(mul)}};
SLI_ELEMENTWISE_KERNEL(mul, mul_op)

static sli_status_t *mul_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 0), y = sli_gradient_input(b, 1);
  sli_emit_set_broadcast(b, sli_emit_mul(b, g, sli_emit_conj(b, y)), sli_emit_mul(b, sli_emit_conj(b, x), g));
  return NULL;
}

// 0 where y is 0, even if x is NaN.
FLOATING(mul_no_nan, y == 0 ? 0 : x * y)
COMPLEX(mul_no_nan, y == 0 ? 0 : x * y)
static const sli_elementwise_t mul_no_nan_op = {.loops = {FLOATING_ROWS(mul_no_nan), COMPLEX_ROWS(mul_no_nan)}};
SLI_ELEMENTWISE_KERNEL(mul_no_nan, mul_no_nan_op)

static sli_status_t *mul_no_nan_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_emit_set_broadcast(b, sli_emit2(b, "MulNoNan", g, sli_gradient_input(b, 1)),
                         sli_emit2(b, "MulNoNan", sli_gradient_input(b, 0), g));
  return NULL;
}

FLOATING(maximum, x > y || x != x ? x : y)
INTEGER(maximum, x > y ? x : y, x > y ? x : y)
static const sli_elementwise_t maximum_op = {.loops = {FLOATING_ROWS(maximum), INTEGER_ROWS(maximum)}};
SLI_ELEMENTWISE_KERNEL(maximum, maximum_op)

FLOATING(minimum, x < y || x != x ? x : y)
INTEGER(minimum, x < y ? x : y, x < y ? x : y)
static const sli_elementwise_t minimum_op = {.loops = {FLOATING_ROWS(minimum), INTEGER_ROWS(minimum)}};
SLI_ELEMENTWISE_KERNEL(minimum, minimum_op)

// The gradient goes to the operand that was taken, to the first one if they are equal.
static sli_status_t *select_gradient(sli_gradient_builder_t *b, const char *first_wins) {
  sli_output_t g = sli_gradient_of_output(b, 0), zero = sli_gradient_const_like(b, g, 0);
  sli_output_t mask = sli_emit2(b, first_wins, sli_gradient_input(b, 0), sli_gradient_input(b, 1));
  sli_emit_set_broadcast(b, sli_emit3(b, "SelectV2", mask, g, zero), sli_emit3(b, "SelectV2", mask, zero, g));
  return NULL;
}
static sli_status_t *maximum_gradient(sli_gradient_builder_t *b) { return select_gradient(b, "GreaterEqual"); }
static sli_status_t *minimum_gradient(sli_gradient_builder_t *b) { return select_gradient(b, "LessEqual"); }

FLOATING(squared_difference, (x - y) * (x - y))
SLI_ELEMENTWISE_LOOP2(, squared_difference_int32, int32_t, int32_t,
                      ((uint32_t)x - (uint32_t)y) * ((uint32_t)x - (uint32_t)y))
SLI_ELEMENTWISE_LOOP2(, squared_difference_int64, int64_t, int64_t,
                      ((uint64_t)x - (uint64_t)y) * ((uint64_t)x - (uint64_t)y))
SLI_ELEMENTWISE_LOOP2(, squared_difference_complex64, float complex, float complex, (x - y) * conjf(x - y))
SLI_ELEMENTWISE_LOOP2(, squared_difference_complex128, double complex, double complex, (x - y) * conj(x - y))
static const sli_elementwise_t squared_difference_op = {
    .loops = {FLOATING_ROWS(squared_difference), COMPLEX_ROWS(squared_difference),
              [SLI_DTYPE_INT32] = squared_difference_int32, [SLI_DTYPE_INT64] = squared_difference_int64}};
SLI_ELEMENTWISE_KERNEL(squared_difference, squared_difference_op)

static sli_status_t *squared_difference_gradient(sli_gradient_builder_t *b) {
  sli_output_t difference = sli_emit2(b, "Sub", sli_gradient_input(b, 0), sli_gradient_input(b, 1));
  sli_output_t g = sli_emit_mul(b, sli_emit_scale(b, sli_gradient_of_output(b, 0), 2), difference);
  sli_emit_set_broadcast(b, g, sli_emit1(b, "Neg", g));
  return NULL;
}

// Integer powers wrap; a negative exponent is an error.
#define INTEGER_POW(T, name, dtype, U)                                           \
  static inline T pow_of_##name(T x, T y, sli_elementwise_loop_state_t *state) { \
    if (y < 0) {                                                                 \
      state->error = true;                                                       \
      return 0;                                                                  \
    }                                                                            \
    U result = 1, base = (U)x;                                                   \
    for (U e = (U)y; e; e >>= 1, base *= base)                                   \
      if (e & 1) result *= base;                                                 \
    return (T)result;                                                            \
  }                                                                              \
  SLI_ELEMENTWISE_LOOP2_SMALL(pow_##name, T, T, pow_of_##name(x, y, state))
SLI_ELEMENTWISE_FOR_SIGNED(INTEGER_POW)
SLI_ELEMENTWISE_LOOP2_SMALL(pow_float, float, float, powf(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(pow_double, double, double, pow(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(pow_complex64, float complex, float complex, cpowf(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(pow_complex128, double complex, double complex, cpow(x, y))
static const sli_elementwise_t pow_op = {
    .loops = {FLOATING_ROWS(pow), COMPLEX_ROWS(pow), [SLI_DTYPE_INT8] = pow_int8, [SLI_DTYPE_INT16] = pow_int16,
              [SLI_DTYPE_INT32] = pow_int32, [SLI_DTYPE_INT64] = pow_int64},
    .cost = 20,
    .error = "Integers to negative integer powers are not allowed"};
SLI_ELEMENTWISE_KERNEL(power, pow_op)

static sli_status_t *pow_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_emit_conj(b, sli_gradient_input(b, 0)),
               y = sli_emit_conj(b, sli_gradient_input(b, 1)), z = sli_emit_conj(b, sli_gradient_output(b, 0));
  sli_output_t less_one = sli_emit2(b, "Sub", y, sli_gradient_const_like(b, y, 1));
  sli_output_t gx = sli_emit_mul(b, sli_emit_mul(b, g, y), sli_emit2(b, "Pow", x, less_one));
  // log(x) where it is defined. It must not be computed elsewhere, because NaN times 0 is NaN.
  bool is_complex = sli_types_contain(SLI_TYPES_COMPLEX, sli_gradient_dtype(b, x));
  sli_output_t mask = sli_emit2(b, is_complex ? "NotEqual" : "Greater", x, sli_gradient_const_like(b, x, 0));
  sli_output_t safe = sli_emit3(b, "SelectV2", mask, x, sli_gradient_const_like(b, x, 1));
  sli_output_t log_x = sli_emit3(b, "SelectV2", mask, sli_emit1(b, "Log", safe), sli_emit1(b, "ZerosLike", x));
  sli_emit_set_broadcast(b, gx, sli_emit_mul(b, sli_emit_mul(b, g, z), log_x));
  return NULL;
}

// The next number after x towards y.
SLI_ELEMENTWISE_LOOP2_SMALL(next_after_float, float, float, nextafterf(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(next_after_double, double, double, nextafter(x, y))
static const sli_elementwise_t next_after_op = {.loops = {FLOATING_ROWS(next_after)}, .cost = 5};
SLI_ELEMENTWISE_KERNEL(next_after, next_after_op)

static sli_status_t *next_after_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_emit_set_broadcast(b, g, sli_emit1(b, "ZerosLike", g));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Add",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}",
     .shape = sli_infer_fn_broadcast,
     .gradient = add_gradient},
    {.name = "AddV2",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, "
              "complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = add_gradient,
     .is_commutative = true,
     .is_aggregate = true},
    {.name = "Sub",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, "
              "uint32, uint64}",
     .shape = sli_infer_fn_broadcast,
     .gradient = sub_gradient},
    {.name = "Mul",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = mul_gradient,
     .is_commutative = true},
    {.name = "MulNoNan",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = mul_no_nan_gradient},
    {.name = "NextAfter",
     .inputs = "x1: T, x2: T",
     .outputs = "output: T",
     .attrs = "T: {double, float} = DT_FLOAT",
     .shape = sli_infer_fn_broadcast,
     .gradient = next_after_gradient},
    {.name = "Maximum",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}",
     .shape = sli_infer_fn_broadcast,
     .gradient = maximum_gradient},
    {.name = "Minimum",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}",
     .shape = sli_infer_fn_broadcast,
     .gradient = minimum_gradient},
    {.name = "SquaredDifference",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = squared_difference_gradient,
     .is_commutative = true},
    {.name = "Pow",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}",
     .shape = sli_infer_fn_broadcast,
     .gradient = pow_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Add",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_SIGNED | SLI_TYPES_COMPLEX | SLI_TYPE_UINT8 | SLI_TYPE_STRING,
     .compute = add},
    {.op = "AddV2", .types = SLI_TYPES_NUMBER, .compute = add},
    {.op = "Sub", .types = SLI_TYPES_NUMBER, .compute = sub},
    {.op = "Mul", .types = SLI_TYPES_NUMBER, .compute = mul},
    {.op = "MulNoNan", .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, .compute = mul_no_nan},
    {.op = "NextAfter", .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, .compute = next_after},
    {.op = "Maximum", .types = SLI_TYPES_REAL, .compute = maximum},
    {.op = "Minimum", .types = SLI_TYPES_REAL, .compute = minimum},
    {.op = "SquaredDifference",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPE_INT32 | SLI_TYPE_INT64,
     .compute = squared_difference},
    {.op = "Pow", .types = SLI_TYPES_FLOATING | SLI_TYPES_SIGNED | SLI_TYPES_COMPLEX, .compute = power, .cost = 5},
};

SLI_OP_MODULE(binary);
