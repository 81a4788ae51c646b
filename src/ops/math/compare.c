// Comparisons and logic: results are bools, none has a gradient. Equal and NotEqual take every type; with
// incompatible_shape_error=false, operands whose shapes are not compatible are unequal.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "core/op/shape_inference.h"
#include "math/broadcast.h"
#include "math/elementwise.h"

#define REAL_LOOPS(op, operator)                                           \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_float, float, bool, x operator y)   \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_double, double, bool, x operator y) \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_int32, int32_t, bool, x operator y) \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, op##_int64, int64_t, bool, x operator y) \
  SLI_ELEMENTWISE_LOOP2(, op##_int8, int8_t, bool, x operator y)           \
  SLI_ELEMENTWISE_LOOP2(, op##_int16, int16_t, bool, x operator y)         \
  SLI_ELEMENTWISE_LOOP2(, op##_uint8, uint8_t, bool, x operator y)         \
  SLI_ELEMENTWISE_LOOP2(, op##_uint16, uint16_t, bool, x operator y)       \
  SLI_ELEMENTWISE_LOOP2(, op##_uint32, uint32_t, bool, x operator y)       \
  SLI_ELEMENTWISE_LOOP2(, op##_uint64, uint64_t, bool, x operator y)
#define REAL_ROWS(op)                                                                                 \
  [SLI_DTYPE_FLOAT] = op##_float, [SLI_DTYPE_DOUBLE] = op##_double, [SLI_DTYPE_INT8] = op##_int8,     \
  [SLI_DTYPE_INT16] = op##_int16, [SLI_DTYPE_INT32] = op##_int32, [SLI_DTYPE_INT64] = op##_int64,     \
  [SLI_DTYPE_UINT8] = op##_uint8, [SLI_DTYPE_UINT16] = op##_uint16, [SLI_DTYPE_UINT32] = op##_uint32, \
  [SLI_DTYPE_UINT64] = op##_uint64

#define ORDER(op, operator)                                            \
  REAL_LOOPS(op, operator)                                             \
  static const sli_elementwise_t op##_op = {.loops = {REAL_ROWS(op)}}; \
  SLI_ELEMENTWISE_KERNEL(op, op##_op)
ORDER(less, <)
ORDER(less_equal, <=)
ORDER(greater, >)
ORDER(greater_equal, >=)

// Compares strings in place, by reference: a short string contains its own text.
static inline void compare_strings(const void *const in[], bool *z, int64_t n, const int64_t stride[], bool if_equal) {
  const sli_tstring_t *a = in[0], *b = in[1];
  for (int64_t i = 0; i < n; i++) {
    bool same = sli_view_equal(sli_tstring_view(&a[i * stride[0]]), sli_tstring_view(&b[i * stride[1]]));
    z[i] = same == if_equal;
  }
}

// Quantized values are compared by their bits, bools as bytes.
#define EQUALITY(op, operator, if_equal)                                                                             \
  REAL_LOOPS(op, operator)                                                                                           \
  SLI_ELEMENTWISE_LOOP2_SMALL(op##_complex64, float complex, bool, x operator y)                                     \
  SLI_ELEMENTWISE_LOOP2_SMALL(op##_complex128, double complex, bool, x operator y)                                   \
  static void op##_string(const void *const in[], void *out, int64_t n, const int64_t stride[],                      \
                          sli_elementwise_loop_state_t *state) {                                                     \
    compare_strings(in, out, n, stride, if_equal);                                                                   \
  }                                                                                                                  \
  static const sli_elementwise_t op##_op = {                                                                         \
      .loops = {REAL_ROWS(op), [SLI_DTYPE_COMPLEX64] = op##_complex64, [SLI_DTYPE_COMPLEX128] = op##_complex128,     \
                [SLI_DTYPE_STRING] = op##_string, [SLI_DTYPE_BOOL] = op##_uint8, [SLI_DTYPE_QINT8] = op##_int8,      \
                [SLI_DTYPE_QUINT8] = op##_uint8, [SLI_DTYPE_QINT16] = op##_int16, [SLI_DTYPE_QUINT16] = op##_uint16, \
                [SLI_DTYPE_QINT32] = op##_int32}};
EQUALITY(equal, ==, true)
EQUALITY(not_equal, !=, false)

static sli_status_t *compare_equality(sli_kernel_context_t *context, const sli_elementwise_t *op,
                                      bool if_incompatible) {
  bool incompatible_is_error;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "incompatible_shape_error", &incompatible_is_error));
  if (!incompatible_is_error) {
    sli_broadcast_t plan;
    sli_shape_t shapes[] = {sli_tensor_shape(sli_kernel_input(context, 0)),
                            sli_tensor_shape(sli_kernel_input(context, 1))};
    sli_status_t *status = sli_broadcast_plan(shapes, 2, &plan);
    if (status) {
      sli_status_release(status);
      sli_kernel_set_output(context, 0, sli_tensor_scalar_bool(if_incompatible));
      return NULL;
    }
  }
  return sli_elementwise_compute(context, op);
}
static sli_status_t *equal(sli_kernel_context_t *context) { return compare_equality(context, &equal_op, false); }
static sli_status_t *not_equal(sli_kernel_context_t *context) { return compare_equality(context, &not_equal_op, true); }

static sli_status_t *equality_shape(sli_infer_context_t *c) {
  bool incompatible_is_error;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "incompatible_shape_error", &incompatible_is_error));
  if (incompatible_is_error) return sli_infer_fn_broadcast(c);
  sli_shape_t result, x = sli_infer_input(c, 0), y = sli_infer_input(c, 1);
  sli_status_t *status = sli_infer_broadcast(c, x, y, &result);
  // Incompatible shapes give a scalar. While a dimension is unknown, both are possible.
  if (status) result = SLI_SHAPE_SCALAR;
  if (!status && !(sli_shape_is_fully_known(x) && sli_shape_is_fully_known(y))) result = SLI_SHAPE_UNKNOWN;
  sli_status_release(status);
  sli_infer_set_output(c, 0, result);
  return NULL;
}

// |x - y| < tolerance for each element; the shapes must be equal.
SLI_ELEMENTWISE_LOOP2_SMALL(approximate_equal_float, float, bool, fabsf(x - y) < *(const float *)state->parameter)
SLI_ELEMENTWISE_LOOP2_SMALL(approximate_equal_double, double, bool,
                            fabs(x - y) < (double)*(const float *)state->parameter)
static const sli_elementwise_t approximate_equal_op = {
    .loops = {[SLI_DTYPE_FLOAT] = approximate_equal_float, [SLI_DTYPE_DOUBLE] = approximate_equal_double}};
static sli_status_t *approximate_equal(sli_kernel_context_t *context) {
  float tolerance;
  SLI_RETURN_IF_ERROR(sli_node_attr_float(context->node, "tolerance", &tolerance));
  sli_tensor_t *x = sli_kernel_input(context, 0), *y = sli_kernel_input(context, 1);
  if (sli_tensor_same_shape(x, y)) return sli_elementwise_compute_paired(context, &approximate_equal_op, &tolerance);
  char *a = sli_shape_to_text(sli_tensor_shape(x)), *b = sli_shape_to_text(sli_tensor_shape(y));
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "x and y must be of the same shape. x shape: %s. y shape: %s", a, b);
  free(a);
  free(b);
  return status;
}

SLI_ELEMENTWISE_LOOP2(, logical_and_bool, bool, bool, x &&y)
SLI_ELEMENTWISE_LOOP2(, logical_or_bool, bool, bool, x || y)
SLI_ELEMENTWISE_LOOP1(, logical_not_bool, bool, bool, !x)
static const sli_elementwise_t logical_and_op = {.loops = {[SLI_DTYPE_BOOL] = logical_and_bool}};
static const sli_elementwise_t logical_or_op = {.loops = {[SLI_DTYPE_BOOL] = logical_or_bool}};
static const sli_elementwise_t logical_not_op = {.loops = {[SLI_DTYPE_BOOL] = logical_not_bool}};
SLI_ELEMENTWISE_KERNEL(logical_and, logical_and_op)
SLI_ELEMENTWISE_KERNEL(logical_or, logical_or_op)
SLI_ELEMENTWISE_KERNEL(logical_not, logical_not_op)

static const sli_op_def_t ops[] = {
    {.name = "Less",
     .inputs = "x: T, y: T",
     .outputs = "z: bool",
     .attrs = "T: realnumbertype",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true},
    {.name = "LessEqual",
     .inputs = "x: T, y: T",
     .outputs = "z: bool",
     .attrs = "T: realnumbertype",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true},
    {.name = "Greater",
     .inputs = "x: T, y: T",
     .outputs = "z: bool",
     .attrs = "T: realnumbertype",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true},
    {.name = "GreaterEqual",
     .inputs = "x: T, y: T",
     .outputs = "z: bool",
     .attrs = "T: realnumbertype",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true},
    {.name = "Equal",
     .inputs = "x: T, y: T",
     .outputs = "z: bool",
     .attrs = "T: type; incompatible_shape_error: bool = true",
     .shape = equality_shape,
     .not_differentiable = true,
     .is_commutative = true},
    {.name = "NotEqual",
     .inputs = "x: T, y: T",
     .outputs = "z: bool",
     .attrs = "T: type; incompatible_shape_error: bool = true",
     .shape = equality_shape,
     .not_differentiable = true,
     .is_commutative = true},
    {.name = "ApproximateEqual",
     .inputs = "x: T, y: T",
     .outputs = "z: bool",
     .attrs = "T: numbertype; tolerance: float = 1e-05",
     .shape = sli_infer_fn_merge,
     .not_differentiable = true,
     .is_commutative = true},
    {.name = "LogicalAnd",
     .inputs = "x: bool, y: bool",
     .outputs = "z: bool",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true,
     .is_commutative = true},
    {.name = "LogicalOr",
     .inputs = "x: bool, y: bool",
     .outputs = "z: bool",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true,
     .is_commutative = true},
    {.name = "LogicalNot",
     .inputs = "x: bool",
     .outputs = "y: bool",
     .shape = sli_infer_fn_unchanged,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Less", .types = SLI_TYPES_REAL, .compute = less},
    {.op = "LessEqual", .types = SLI_TYPES_REAL, .compute = less_equal},
    {.op = "Greater", .types = SLI_TYPES_REAL, .compute = greater},
    {.op = "GreaterEqual", .types = SLI_TYPES_REAL, .compute = greater_equal},
    {.op = "Equal",
     .types = SLI_TYPES_NUMBER | SLI_TYPES_QUANTIZED | SLI_TYPE_BOOL | SLI_TYPE_STRING,
     .compute = equal},
    {.op = "NotEqual",
     .types = SLI_TYPES_NUMBER | SLI_TYPES_QUANTIZED | SLI_TYPE_BOOL | SLI_TYPE_STRING,
     .compute = not_equal},
    {.op = "ApproximateEqual", .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, .compute = approximate_equal},
    {.op = "LogicalAnd", .compute = logical_and},
    {.op = "LogicalOr", .compute = logical_or},
    {.op = "LogicalNot", .compute = logical_not},
};

SLI_OP_MODULE(compare);
