// Ops: elementwise arithmetic and comparison, matrix products, reductions, segments.
// Generated from src/ops/math by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_MATH_H_
#define SLUICE_OPS_MATH_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// Abs(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64}
// Differentiable.
static inline TF_Output sl_op_abs_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Abs", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_abs(scope, x, ...) sl_op_abs_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Acos(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_acos_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Acos", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_acos(scope, x, ...) sl_op_acos_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Acosh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_acosh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Acosh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_acosh(scope, x, ...) sl_op_acosh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Add(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}
// Differentiable.
static inline TF_Output sl_op_add_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Add", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_add(scope, x, y, ...) sl_op_add_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AddN(inputs: N * T) -> sum: T
// N: int >= 1; T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
//   qint16, quint16, uint16, complex128, half, uint32, uint64, variant}
// Differentiable.
static inline TF_Output sl_op_add_n_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AddN", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  return sl_node_output(node);
}
#define sl_op_add_n(scope, inputs, inputs_count, ...) \
  sl_op_add_n_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AddV2(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_add_v2_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AddV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_add_v2(scope, x, y, ...) \
  sl_op_add_v2_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// All(input: bool, reduction_indices: Tidx) -> output: bool
// keep_dims: bool = false; Tidx: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_all_options_t;
static inline TF_Output sl_op_all_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_all_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "All", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_all(scope, input, reduction_indices, ...) \
  sl_op_all_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_all_options_t, __VA_ARGS__))

// Angle(input: T) -> output: Tout
// T: {complex64, complex128} = DT_COMPLEX64; Tout: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_angle_options_t;
static inline TF_Output sl_op_angle_with(sl_scope_t *scope, TF_Output input, const sl_op_angle_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Angle", options->name);
  sl_node_input(node, input);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_angle(scope, input, ...) \
  sl_op_angle_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_angle_options_t, __VA_ARGS__))

// Any(input: bool, reduction_indices: Tidx) -> output: bool
// keep_dims: bool = false; Tidx: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_any_options_t;
static inline TF_Output sl_op_any_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_any_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Any", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_any(scope, input, reduction_indices, ...) \
  sl_op_any_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_any_options_t, __VA_ARGS__))

// ApproximateEqual(x: T, y: T) -> z: bool
// T: numbertype; tolerance: float = 1e-05
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  float tolerance;
} sl_op_approximate_equal_options_t;
static inline TF_Output sl_op_approximate_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_approximate_equal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApproximateEqual", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_float(node, "tolerance", options->tolerance);
  return sl_node_output(node);
}
#define sl_op_approximate_equal(scope, x, y, ...) \
  SL_OVER_DEFAULTS(sl_op_approximate_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_approximate_equal_options_t, \
    .tolerance = (float)9.99999975e-06, __VA_ARGS__)))

// ArgMax(input: T, dimension: Tidx) -> output: output_type
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32,
//   qint16, quint16, bool}; Tidx: {int16, int32, int64} = DT_INT32; output_type: {int16, uint16, int32, int64} =
//   DT_INT64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType output_type;
} sl_op_arg_max_options_t;
static inline TF_Output sl_op_arg_max_with(sl_scope_t *scope, TF_Output input, TF_Output dimension,
    const sl_op_arg_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ArgMax", options->name);
  sl_node_input(node, input);
  sl_node_input(node, dimension);
  if (options->output_type) sl_node_attr_type(node, "output_type", options->output_type);
  return sl_node_output(node);
}
#define sl_op_arg_max(scope, input, dimension, ...) \
  sl_op_arg_max_with(SL_AT(scope), (input), (dimension), SL_OPTIONS(sl_op_arg_max_options_t, __VA_ARGS__))

// ArgMin(input: T, dimension: Tidx) -> output: output_type
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32,
//   qint16, quint16, bool}; Tidx: {int32, int64} = DT_INT32; output_type: {int32, int64} = DT_INT64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType output_type;
} sl_op_arg_min_options_t;
static inline TF_Output sl_op_arg_min_with(sl_scope_t *scope, TF_Output input, TF_Output dimension,
    const sl_op_arg_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ArgMin", options->name);
  sl_node_input(node, input);
  sl_node_input(node, dimension);
  if (options->output_type) sl_node_attr_type(node, "output_type", options->output_type);
  return sl_node_output(node);
}
#define sl_op_arg_min(scope, input, dimension, ...) \
  sl_op_arg_min_with(SL_AT(scope), (input), (dimension), SL_OPTIONS(sl_op_arg_min_options_t, __VA_ARGS__))

// Asin(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_asin_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Asin", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_asin(scope, x, ...) sl_op_asin_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Asinh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_asinh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Asinh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_asinh(scope, x, ...) sl_op_asinh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Atan(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_atan_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Atan", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_atan(scope, x, ...) sl_op_atan_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Atan2(y: T, x: T) -> z: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_atan2_with(sl_scope_t *scope, TF_Output y, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Atan2", options->name);
  sl_node_input(node, y);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_atan2(scope, y, x, ...) \
  sl_op_atan2_with(SL_AT(scope), (y), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Atanh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_atanh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Atanh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_atanh(scope, x, ...) sl_op_atanh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchMatMul(x: T, y: T) -> output: T
// T: {bfloat16, half, float, double, int32, int64, complex64, complex128}; adj_x: bool = false; adj_y: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adj_x;
  bool adj_y;
} sl_op_batch_mat_mul_options_t;
static inline TF_Output sl_op_batch_mat_mul_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_batch_mat_mul_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatMul", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_bool(node, "adj_x", options->adj_x);
  sl_node_attr_bool(node, "adj_y", options->adj_y);
  return sl_node_output(node);
}
#define sl_op_batch_mat_mul(scope, x, y, ...) \
  sl_op_batch_mat_mul_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_batch_mat_mul_options_t, __VA_ARGS__))

// BatchMatMulV2(x: T, y: T) -> output: T
// T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128};
//   adj_x: bool = false; adj_y: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adj_x;
  bool adj_y;
} sl_op_batch_mat_mul_v2_options_t;
static inline TF_Output sl_op_batch_mat_mul_v2_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_batch_mat_mul_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatMulV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_bool(node, "adj_x", options->adj_x);
  sl_node_attr_bool(node, "adj_y", options->adj_y);
  return sl_node_output(node);
}
#define sl_op_batch_mat_mul_v2(scope, x, y, ...) \
  sl_op_batch_mat_mul_v2_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_batch_mat_mul_v2_options_t, __VA_ARGS__))

// BatchMatMulV3(x: Ta, y: Tb) -> output: Tout
// Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}; Tb: {bfloat16, half,
//   float, double, uint8, int8, int16, int32, int64, complex64, complex128}; Tout: {bfloat16, half, float, double,
//   int16, int32, int64, complex64, complex128}; adj_x: bool = false; adj_y: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adj_x;
  bool adj_y;
} sl_op_batch_mat_mul_v3_options_t;
static inline TF_Output sl_op_batch_mat_mul_v3_with(sl_scope_t *scope, TF_Output x, TF_Output y, TF_DataType Tout,
    const sl_op_batch_mat_mul_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatMulV3", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_type(node, "Tout", Tout);
  sl_node_attr_bool(node, "adj_x", options->adj_x);
  sl_node_attr_bool(node, "adj_y", options->adj_y);
  return sl_node_output(node);
}
#define sl_op_batch_mat_mul_v3(scope, x, y, Tout, ...) \
  sl_op_batch_mat_mul_v3_with(SL_AT(scope), (x), (y), (Tout), SL_OPTIONS(sl_op_batch_mat_mul_v3_options_t, \
    __VA_ARGS__))

// BatchMatrixTriangularSolve(matrix: T, rhs: T) -> output: T
// lower: bool = true; adjoint: bool = false; T: {double, float}
// No gradient. Deprecated since GraphDef version 13: Use MatrixTriangularSolve instead.
typedef struct {
  size_t struct_size;
  const char *name;
  bool lower;
  bool adjoint;
} sl_op_batch_matrix_triangular_solve_options_t;
static inline TF_Output sl_op_batch_matrix_triangular_solve_with(sl_scope_t *scope, TF_Output matrix, TF_Output rhs,
    const sl_op_batch_matrix_triangular_solve_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatrixTriangularSolve", options->name);
  sl_node_input(node, matrix);
  sl_node_input(node, rhs);
  sl_node_attr_bool(node, "lower", options->lower);
  sl_node_attr_bool(node, "adjoint", options->adjoint);
  return sl_node_output(node);
}
#define sl_op_batch_matrix_triangular_solve(scope, matrix, rhs, ...) \
  SL_OVER_DEFAULTS(sl_op_batch_matrix_triangular_solve_with(SL_AT(scope), (matrix), (rhs), SL_OPTIONS( \
    sl_op_batch_matrix_triangular_solve_options_t, .lower = true, __VA_ARGS__)))

// BesselI0(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_i0_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselI0", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_i0(scope, x, ...) \
  sl_op_bessel_i0_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselI0e(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_i0e_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselI0e", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_i0e(scope, x, ...) \
  sl_op_bessel_i0e_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselI1(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_i1_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselI1", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_i1(scope, x, ...) \
  sl_op_bessel_i1_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselI1e(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_i1e_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselI1e", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_i1e(scope, x, ...) \
  sl_op_bessel_i1e_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselJ0(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_j0_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselJ0", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_j0(scope, x, ...) \
  sl_op_bessel_j0_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselJ1(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_j1_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselJ1", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_j1(scope, x, ...) \
  sl_op_bessel_j1_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselK0(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_k0_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselK0", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_k0(scope, x, ...) \
  sl_op_bessel_k0_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselK0e(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_k0e_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselK0e", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_k0e(scope, x, ...) \
  sl_op_bessel_k0e_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselK1(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_k1_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselK1", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_k1(scope, x, ...) \
  sl_op_bessel_k1_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselK1e(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_k1e_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselK1e", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_k1e(scope, x, ...) \
  sl_op_bessel_k1e_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselY0(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_y0_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselY0", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_y0(scope, x, ...) \
  sl_op_bessel_y0_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselY1(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_y1_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselY1", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_y1(scope, x, ...) \
  sl_op_bessel_y1_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Betainc(a: T, b: T, x: T) -> z: T
// T: {float, double}
// Differentiable.
static inline TF_Output sl_op_betainc_with(sl_scope_t *scope, TF_Output a, TF_Output b, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Betainc", options->name);
  sl_node_input(node, a);
  sl_node_input(node, b);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_betainc(scope, a, b, x, ...) \
  sl_op_betainc_with(SL_AT(scope), (a), (b), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Bincount(arr: int32, size: int32, weights: T) -> bins: T
// T: {int32, int64, float, double}
// No gradient.
static inline TF_Output sl_op_bincount_with(sl_scope_t *scope, TF_Output arr, TF_Output size, TF_Output weights,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Bincount", options->name);
  sl_node_input(node, arr);
  sl_node_input(node, size);
  sl_node_input(node, weights);
  return sl_node_output(node);
}
#define sl_op_bincount(scope, arr, size, weights, ...) \
  sl_op_bincount_with(SL_AT(scope), (arr), (size), (weights), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BitwiseAnd(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_bitwise_and_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BitwiseAnd", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_bitwise_and(scope, x, y, ...) \
  sl_op_bitwise_and_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BitwiseOr(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_bitwise_or_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BitwiseOr", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_bitwise_or(scope, x, y, ...) \
  sl_op_bitwise_or_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BitwiseXor(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_bitwise_xor_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BitwiseXor", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_bitwise_xor(scope, x, y, ...) \
  sl_op_bitwise_xor_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Bucketize(input: T) -> output: int32
// T: {int32, int64, float, double}; boundaries: list(float)
// No gradient.
static inline TF_Output sl_op_bucketize_with(sl_scope_t *scope, TF_Output input, sl_op_floats_t boundaries,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Bucketize", options->name);
  sl_node_input(node, input);
  sl_node_attr_float_list(node, "boundaries", boundaries.values, boundaries.count);
  return sl_node_output(node);
}
#define sl_op_bucketize(scope, input, boundaries, ...) \
  sl_op_bucketize_with(SL_AT(scope), (input), (boundaries), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Cast(x: SrcT) -> y: DstT
// SrcT: type; DstT: type; Truncate: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool Truncate;
} sl_op_cast_options_t;
static inline TF_Output sl_op_cast_with(sl_scope_t *scope, TF_Output x, TF_DataType DstT,
    const sl_op_cast_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cast", options->name);
  sl_node_input(node, x);
  sl_node_attr_type(node, "DstT", DstT);
  sl_node_attr_bool(node, "Truncate", options->Truncate);
  return sl_node_output(node);
}
#define sl_op_cast(scope, x, DstT, ...) \
  sl_op_cast_with(SL_AT(scope), (x), (DstT), SL_OPTIONS(sl_op_cast_options_t, __VA_ARGS__))

// Ceil(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_ceil_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Ceil", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_ceil(scope, x, ...) sl_op_ceil_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ClipByValue(t: T, clip_value_min: T, clip_value_max: T) -> output: T
// T: numbertype
// Differentiable.
static inline TF_Output sl_op_clip_by_value_with(sl_scope_t *scope, TF_Output t, TF_Output clip_value_min,
    TF_Output clip_value_max, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ClipByValue", options->name);
  sl_node_input(node, t);
  sl_node_input(node, clip_value_min);
  sl_node_input(node, clip_value_max);
  return sl_node_output(node);
}
#define sl_op_clip_by_value(scope, t, clip_value_min, clip_value_max, ...) \
  sl_op_clip_by_value_with(SL_AT(scope), (t), (clip_value_min), (clip_value_max), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Complex(real: T, imag: T) -> out: Tout
// T: {float, double} = DT_FLOAT; Tout: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_complex_options_t;
static inline TF_Output sl_op_complex_with(sl_scope_t *scope, TF_Output real, TF_Output imag,
    const sl_op_complex_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Complex", options->name);
  sl_node_input(node, real);
  sl_node_input(node, imag);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_complex(scope, real, imag, ...) \
  sl_op_complex_with(SL_AT(scope), (real), (imag), SL_OPTIONS(sl_op_complex_options_t, __VA_ARGS__))

// ComplexAbs(x: T) -> y: Tout
// T: {complex64, complex128} = DT_COMPLEX64; Tout: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_complex_abs_options_t;
static inline TF_Output sl_op_complex_abs_with(sl_scope_t *scope, TF_Output x,
    const sl_op_complex_abs_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ComplexAbs", options->name);
  sl_node_input(node, x);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_complex_abs(scope, x, ...) \
  sl_op_complex_abs_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_complex_abs_options_t, __VA_ARGS__))

// Conj(input: T) -> output: T
// T: {complex64, complex128, variant} = DT_COMPLEX64
// Differentiable.
static inline TF_Output sl_op_conj_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conj", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_conj(scope, input, ...) sl_op_conj_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Cos(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_cos_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cos", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_cos(scope, x, ...) sl_op_cos_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Cosh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_cosh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cosh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_cosh(scope, x, ...) sl_op_cosh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Cross(a: T, b: T) -> product: T
// T: realnumbertype
// Differentiable.
static inline TF_Output sl_op_cross_with(sl_scope_t *scope, TF_Output a, TF_Output b,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cross", options->name);
  sl_node_input(node, a);
  sl_node_input(node, b);
  return sl_node_output(node);
}
#define sl_op_cross(scope, a, b, ...) \
  sl_op_cross_with(SL_AT(scope), (a), (b), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Cumprod(x: T, axis: Tidx) -> out: T
// exclusive: bool = false; reverse: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool exclusive;
  bool reverse;
} sl_op_cumprod_options_t;
static inline TF_Output sl_op_cumprod_with(sl_scope_t *scope, TF_Output x, TF_Output axis,
    const sl_op_cumprod_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cumprod", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  sl_node_attr_bool(node, "exclusive", options->exclusive);
  sl_node_attr_bool(node, "reverse", options->reverse);
  return sl_node_output(node);
}
#define sl_op_cumprod(scope, x, axis, ...) \
  sl_op_cumprod_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_cumprod_options_t, __VA_ARGS__))

// Cumsum(x: T, axis: Tidx) -> out: T
// exclusive: bool = false; reverse: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool exclusive;
  bool reverse;
} sl_op_cumsum_options_t;
static inline TF_Output sl_op_cumsum_with(sl_scope_t *scope, TF_Output x, TF_Output axis,
    const sl_op_cumsum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cumsum", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  sl_node_attr_bool(node, "exclusive", options->exclusive);
  sl_node_attr_bool(node, "reverse", options->reverse);
  return sl_node_output(node);
}
#define sl_op_cumsum(scope, x, axis, ...) \
  sl_op_cumsum_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_cumsum_options_t, __VA_ARGS__))

// CumulativeLogsumexp(x: T, axis: Tidx) -> out: T
// exclusive: bool = false; reverse: bool = false; T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool exclusive;
  bool reverse;
} sl_op_cumulative_logsumexp_options_t;
static inline TF_Output sl_op_cumulative_logsumexp_with(sl_scope_t *scope, TF_Output x, TF_Output axis,
    const sl_op_cumulative_logsumexp_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CumulativeLogsumexp", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  sl_node_attr_bool(node, "exclusive", options->exclusive);
  sl_node_attr_bool(node, "reverse", options->reverse);
  return sl_node_output(node);
}
#define sl_op_cumulative_logsumexp(scope, x, axis, ...) \
  sl_op_cumulative_logsumexp_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_cumulative_logsumexp_options_t, \
    __VA_ARGS__))

// Dawsn(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_dawsn_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Dawsn", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_dawsn(scope, x, ...) sl_op_dawsn_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DenseBincount(input: Tidx, size: Tidx, weights: T) -> output: T
// Tidx: {int32, int64}; T: {int32, int64, float, double}; binary_output: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool binary_output;
} sl_op_dense_bincount_options_t;
static inline TF_Output sl_op_dense_bincount_with(sl_scope_t *scope, TF_Output input, TF_Output size,
    TF_Output weights, const sl_op_dense_bincount_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DenseBincount", options->name);
  sl_node_input(node, input);
  sl_node_input(node, size);
  sl_node_input(node, weights);
  sl_node_attr_bool(node, "binary_output", options->binary_output);
  return sl_node_output(node);
}
#define sl_op_dense_bincount(scope, input, size, weights, ...) \
  sl_op_dense_bincount_with(SL_AT(scope), (input), (size), (weights), SL_OPTIONS(sl_op_dense_bincount_options_t, \
    __VA_ARGS__))

// DenseToDenseSetOperation(set1: T, set2: T) -> result_indices: int64, result_values: T, result_shape: int64
// set_operation: string; validate_indices: bool = true; T: {int8, int16, int32, int64, uint8, uint16, string}
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_dense_to_dense_set_operation_options_t;
typedef struct {
  TF_Output result_indices;
  TF_Output result_values;
  TF_Output result_shape;
} sl_op_dense_to_dense_set_operation_t;
static inline sl_op_dense_to_dense_set_operation_t sl_op_dense_to_dense_set_operation_with(sl_scope_t *scope,
    TF_Output set1, TF_Output set2, const char *set_operation,
    const sl_op_dense_to_dense_set_operation_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DenseToDenseSetOperation", options->name);
  sl_node_input(node, set1);
  sl_node_input(node, set2);
  sl_node_attr_text(node, "set_operation", set_operation);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_dense_to_dense_set_operation_t result;
  result.result_indices = sl_op_output(operation, 0);
  result.result_values = sl_op_output(operation, 1);
  result.result_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_dense_to_dense_set_operation(scope, set1, set2, set_operation, ...) \
  SL_OVER_DEFAULTS(sl_op_dense_to_dense_set_operation_with(SL_AT(scope), (set1), (set2), (set_operation), SL_OPTIONS( \
    sl_op_dense_to_dense_set_operation_options_t, .validate_indices = true, __VA_ARGS__)))

// DenseToSparseSetOperation(set1: T, set2_indices: int64, set2_values: T, set2_shape: int64) -> result_indices:
//   int64, result_values: T, result_shape: int64
// Combines the sets of a dense and a sparse tensor.
// set_operation: string; validate_indices: bool = true; T: {int8, int16, int32, int64, uint8, uint16, string}
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_dense_to_sparse_set_operation_options_t;
typedef struct {
  TF_Output result_indices;
  TF_Output result_values;
  TF_Output result_shape;
} sl_op_dense_to_sparse_set_operation_t;
static inline sl_op_dense_to_sparse_set_operation_t sl_op_dense_to_sparse_set_operation_with(sl_scope_t *scope,
    TF_Output set1, TF_Output set2_indices, TF_Output set2_values, TF_Output set2_shape, const char *set_operation,
    const sl_op_dense_to_sparse_set_operation_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DenseToSparseSetOperation", options->name);
  sl_node_input(node, set1);
  sl_node_input(node, set2_indices);
  sl_node_input(node, set2_values);
  sl_node_input(node, set2_shape);
  sl_node_attr_text(node, "set_operation", set_operation);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_dense_to_sparse_set_operation_t result;
  result.result_indices = sl_op_output(operation, 0);
  result.result_values = sl_op_output(operation, 1);
  result.result_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_dense_to_sparse_set_operation(scope, set1, set2_indices, set2_values, set2_shape, set_operation, \
    ...) \
  SL_OVER_DEFAULTS(sl_op_dense_to_sparse_set_operation_with(SL_AT(scope), (set1), (set2_indices), (set2_values), ( \
    set2_shape), (set_operation), SL_OPTIONS(sl_op_dense_to_sparse_set_operation_options_t, \
    .validate_indices = true, __VA_ARGS__)))

// Digamma(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_digamma_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Digamma", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_digamma(scope, x, ...) sl_op_digamma_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Div(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_div_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Div", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_div(scope, x, y, ...) sl_op_div_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DivNoNan(x: T, y: T) -> z: T
// T: {half, float, bfloat16, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_div_no_nan_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DivNoNan", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_div_no_nan(scope, x, y, ...) \
  sl_op_div_no_nan_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Einsum(inputs: N * T) -> output: T
// equation: string; N: int >= 1; T: type
// Differentiable.
static inline TF_Output sl_op_einsum_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const char *equation, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Einsum", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  sl_node_attr_text(node, "equation", equation);
  return sl_node_output(node);
}
#define sl_op_einsum(scope, inputs, inputs_count, equation, ...) \
  sl_op_einsum_with(SL_AT(scope), (inputs), (inputs_count), (equation), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Equal(x: T, y: T) -> z: bool
// T: type; incompatible_shape_error: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool incompatible_shape_error;
} sl_op_equal_options_t;
static inline TF_Output sl_op_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_equal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Equal", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_bool(node, "incompatible_shape_error", options->incompatible_shape_error);
  return sl_node_output(node);
}
#define sl_op_equal(scope, x, y, ...) \
  SL_OVER_DEFAULTS(sl_op_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_equal_options_t, \
    .incompatible_shape_error = true, __VA_ARGS__)))

// Erf(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_erf_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Erf", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_erf(scope, x, ...) sl_op_erf_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Erfc(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_erfc_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Erfc", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_erfc(scope, x, ...) sl_op_erfc_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Erfinv(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_erfinv_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Erfinv", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_erfinv(scope, x, ...) sl_op_erfinv_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// EuclideanNorm(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_euclidean_norm_options_t;
static inline TF_Output sl_op_euclidean_norm_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_euclidean_norm_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EuclideanNorm", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_euclidean_norm(scope, input, reduction_indices, ...) \
  sl_op_euclidean_norm_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_euclidean_norm_options_t, \
    __VA_ARGS__))

// Exp(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_exp_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Exp", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_exp(scope, x, ...) sl_op_exp_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Expint(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_expint_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Expint", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_expint(scope, x, ...) sl_op_expint_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Expm1(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_expm1_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Expm1", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_expm1(scope, x, ...) sl_op_expm1_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Floor(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_floor_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Floor", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_floor(scope, x, ...) sl_op_floor_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FloorDiv(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_floor_div_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FloorDiv", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_floor_div(scope, x, y, ...) \
  sl_op_floor_div_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FloorMod(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_floor_mod_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FloorMod", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_floor_mod(scope, x, y, ...) \
  sl_op_floor_mod_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FresnelCos(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_fresnel_cos_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FresnelCos", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_fresnel_cos(scope, x, ...) \
  sl_op_fresnel_cos_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FresnelSin(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_fresnel_sin_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FresnelSin", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_fresnel_sin(scope, x, ...) \
  sl_op_fresnel_sin_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Greater(x: T, y: T) -> z: bool
// T: realnumbertype
// Gradients stop here.
static inline TF_Output sl_op_greater_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Greater", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_greater(scope, x, y, ...) \
  sl_op_greater_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GreaterEqual(x: T, y: T) -> z: bool
// T: realnumbertype
// Gradients stop here.
static inline TF_Output sl_op_greater_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GreaterEqual", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_greater_equal(scope, x, y, ...) \
  sl_op_greater_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// HistogramFixedWidth(values: T, value_range: T, nbins: int32) -> out: dtype
// T: {int32, int64, float, double}; dtype: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_histogram_fixed_width_options_t;
static inline TF_Output sl_op_histogram_fixed_width_with(sl_scope_t *scope, TF_Output values, TF_Output value_range,
    TF_Output nbins, const sl_op_histogram_fixed_width_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "HistogramFixedWidth", options->name);
  sl_node_input(node, values);
  sl_node_input(node, value_range);
  sl_node_input(node, nbins);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_histogram_fixed_width(scope, values, value_range, nbins, ...) \
  sl_op_histogram_fixed_width_with(SL_AT(scope), (values), (value_range), (nbins), SL_OPTIONS( \
    sl_op_histogram_fixed_width_options_t, __VA_ARGS__))

// Igamma(a: T, x: T) -> z: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_igamma_with(sl_scope_t *scope, TF_Output a, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Igamma", options->name);
  sl_node_input(node, a);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_igamma(scope, a, x, ...) \
  sl_op_igamma_with(SL_AT(scope), (a), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IgammaGradA(a: T, x: T) -> z: T
// T: {float, double}
// No gradient.
static inline TF_Output sl_op_igamma_grad_a_with(sl_scope_t *scope, TF_Output a, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IgammaGradA", options->name);
  sl_node_input(node, a);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_igamma_grad_a(scope, a, x, ...) \
  sl_op_igamma_grad_a_with(SL_AT(scope), (a), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Igammac(a: T, x: T) -> z: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_igammac_with(sl_scope_t *scope, TF_Output a, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Igammac", options->name);
  sl_node_input(node, a);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_igammac(scope, a, x, ...) \
  sl_op_igammac_with(SL_AT(scope), (a), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Imag(input: T) -> output: Tout
// T: {complex64, complex128} = DT_COMPLEX64; Tout: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_imag_options_t;
static inline TF_Output sl_op_imag_with(sl_scope_t *scope, TF_Output input, const sl_op_imag_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Imag", options->name);
  sl_node_input(node, input);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_imag(scope, input, ...) \
  sl_op_imag_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_imag_options_t, __VA_ARGS__))

// Inv(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_inv_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Inv", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_inv(scope, x, ...) sl_op_inv_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InvGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_inv_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InvGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_inv_grad(scope, y, dy, ...) \
  sl_op_inv_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Invert(x: T) -> y: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_invert_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Invert", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_invert(scope, x, ...) sl_op_invert_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IsFinite(x: T) -> y: bool
// T: {bfloat16, half, float, double}
// No gradient.
static inline TF_Output sl_op_is_finite_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IsFinite", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_is_finite(scope, x, ...) \
  sl_op_is_finite_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IsInf(x: T) -> y: bool
// T: {bfloat16, half, float, double}
// No gradient.
static inline TF_Output sl_op_is_inf_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IsInf", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_is_inf(scope, x, ...) sl_op_is_inf_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IsNan(x: T) -> y: bool
// T: {bfloat16, half, float, double}
// No gradient.
static inline TF_Output sl_op_is_nan_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IsNan", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_is_nan(scope, x, ...) sl_op_is_nan_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// KMC2ChainInitialization(distances: float, seed: int64) -> index: int64
// No gradient.
static inline TF_Output sl_op_kmc2_chain_initialization_with(sl_scope_t *scope, TF_Output distances, TF_Output seed,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "KMC2ChainInitialization", options->name);
  sl_node_input(node, distances);
  sl_node_input(node, seed);
  return sl_node_output(node);
}
#define sl_op_kmc2_chain_initialization(scope, distances, seed, ...) \
  sl_op_kmc2_chain_initialization_with(SL_AT(scope), (distances), (seed), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// KmeansPlusPlusInitialization(points: float, num_to_sample: int64, seed: int64, num_retries_per_sample: int64) ->
//   samples: float
// No gradient.
static inline TF_Output sl_op_kmeans_plus_plus_initialization_with(sl_scope_t *scope, TF_Output points,
    TF_Output num_to_sample, TF_Output seed, TF_Output num_retries_per_sample, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "KmeansPlusPlusInitialization", options->name);
  sl_node_input(node, points);
  sl_node_input(node, num_to_sample);
  sl_node_input(node, seed);
  sl_node_input(node, num_retries_per_sample);
  return sl_node_output(node);
}
#define sl_op_kmeans_plus_plus_initialization(scope, points, num_to_sample, seed, num_retries_per_sample, ...) \
  sl_op_kmeans_plus_plus_initialization_with(SL_AT(scope), (points), (num_to_sample), (seed), ( \
    num_retries_per_sample), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LeftShift(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_left_shift_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LeftShift", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_left_shift(scope, x, y, ...) \
  sl_op_left_shift_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Less(x: T, y: T) -> z: bool
// T: realnumbertype
// Gradients stop here.
static inline TF_Output sl_op_less_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Less", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_less(scope, x, y, ...) sl_op_less_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LessEqual(x: T, y: T) -> z: bool
// T: realnumbertype
// Gradients stop here.
static inline TF_Output sl_op_less_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LessEqual", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_less_equal(scope, x, y, ...) \
  sl_op_less_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Lgamma(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_lgamma_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Lgamma", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_lgamma(scope, x, ...) sl_op_lgamma_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LinSpace(start: T, stop: T, num: Tidx) -> output: T
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32
// Gradients stop here.
static inline TF_Output sl_op_lin_space_with(sl_scope_t *scope, TF_Output start, TF_Output stop, TF_Output num,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LinSpace", options->name);
  sl_node_input(node, start);
  sl_node_input(node, stop);
  sl_node_input(node, num);
  return sl_node_output(node);
}
#define sl_op_lin_space(scope, start, stop, num, ...) \
  sl_op_lin_space_with(SL_AT(scope), (start), (stop), (num), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Log(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_log_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Log", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_log(scope, x, ...) sl_op_log_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Log1p(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_log1p_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Log1p", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_log1p(scope, x, ...) sl_op_log1p_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LogicalAnd(x: bool, y: bool) -> z: bool
// Gradients stop here.
static inline TF_Output sl_op_logical_and_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogicalAnd", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_logical_and(scope, x, y, ...) \
  sl_op_logical_and_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LogicalNot(x: bool) -> y: bool
// Gradients stop here.
static inline TF_Output sl_op_logical_not_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogicalNot", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_logical_not(scope, x, ...) \
  sl_op_logical_not_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LogicalOr(x: bool, y: bool) -> z: bool
// Gradients stop here.
static inline TF_Output sl_op_logical_or_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogicalOr", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_logical_or(scope, x, y, ...) \
  sl_op_logical_or_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatMul(a: T, b: T) -> product: T
// transpose_a: bool = false; transpose_b: bool = false; T: {bfloat16, half, float, double, int32, int64, uint8,
//   uint16, uint32, uint64, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool transpose_a;
  bool transpose_b;
} sl_op_mat_mul_options_t;
static inline TF_Output sl_op_mat_mul_with(sl_scope_t *scope, TF_Output a, TF_Output b,
    const sl_op_mat_mul_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatMul", options->name);
  sl_node_input(node, a);
  sl_node_input(node, b);
  sl_node_attr_bool(node, "transpose_a", options->transpose_a);
  sl_node_attr_bool(node, "transpose_b", options->transpose_b);
  return sl_node_output(node);
}
#define sl_op_mat_mul(scope, a, b, ...) \
  sl_op_mat_mul_with(SL_AT(scope), (a), (b), SL_OPTIONS(sl_op_mat_mul_options_t, __VA_ARGS__))

// MatrixTriangularSolve(matrix: T, rhs: T) -> output: T
// lower: bool = true; adjoint: bool = false; T: {bfloat16, double, float, half, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool lower;
  bool adjoint;
} sl_op_matrix_triangular_solve_options_t;
static inline TF_Output sl_op_matrix_triangular_solve_with(sl_scope_t *scope, TF_Output matrix, TF_Output rhs,
    const sl_op_matrix_triangular_solve_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixTriangularSolve", options->name);
  sl_node_input(node, matrix);
  sl_node_input(node, rhs);
  sl_node_attr_bool(node, "lower", options->lower);
  sl_node_attr_bool(node, "adjoint", options->adjoint);
  return sl_node_output(node);
}
#define sl_op_matrix_triangular_solve(scope, matrix, rhs, ...) \
  SL_OVER_DEFAULTS(sl_op_matrix_triangular_solve_with(SL_AT(scope), (matrix), (rhs), SL_OPTIONS( \
    sl_op_matrix_triangular_solve_options_t, .lower = true, __VA_ARGS__)))

// Max(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32,
//   uint64, qint8, quint8, qint32, qint16, quint16}; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_max_options_t;
static inline TF_Output sl_op_max_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Max", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_max(scope, input, reduction_indices, ...) \
  sl_op_max_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_max_options_t, __VA_ARGS__))

// Maximum(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}
// Differentiable.
static inline TF_Output sl_op_maximum_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Maximum", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_maximum(scope, x, y, ...) \
  sl_op_maximum_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Mean(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_mean_options_t;
static inline TF_Output sl_op_mean_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_mean_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Mean", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_mean(scope, input, reduction_indices, ...) \
  sl_op_mean_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_mean_options_t, __VA_ARGS__))

// Min(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32,
//   uint64, qint8, quint8, qint32, qint16, quint16}; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_min_options_t;
static inline TF_Output sl_op_min_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Min", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_min(scope, input, reduction_indices, ...) \
  sl_op_min_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_min_options_t, __VA_ARGS__))

// Minimum(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}
// Differentiable.
static inline TF_Output sl_op_minimum_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Minimum", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_minimum(scope, x, y, ...) \
  sl_op_minimum_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Mod(x: T, y: T) -> z: T
// T: {int32, int64, half, half, bfloat16, float, double}
// No gradient.
static inline TF_Output sl_op_mod_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Mod", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_mod(scope, x, y, ...) sl_op_mod_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Mul(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_mul_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Mul", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_mul(scope, x, y, ...) sl_op_mul_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MulNoNan(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_mul_no_nan_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MulNoNan", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_mul_no_nan(scope, x, y, ...) \
  sl_op_mul_no_nan_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Ndtri(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_ndtri_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Ndtri", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_ndtri(scope, x, ...) sl_op_ndtri_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// NearestNeighbors(points: float, centers: float, k: int64) -> nearest_center_indices: int64,
//   nearest_center_distances: float
// No gradient.
typedef struct {
  TF_Output nearest_center_indices;
  TF_Output nearest_center_distances;
} sl_op_nearest_neighbors_t;
static inline sl_op_nearest_neighbors_t sl_op_nearest_neighbors_with(sl_scope_t *scope, TF_Output points,
    TF_Output centers, TF_Output k, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NearestNeighbors", options->name);
  sl_node_input(node, points);
  sl_node_input(node, centers);
  sl_node_input(node, k);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_nearest_neighbors_t result;
  result.nearest_center_indices = sl_op_output(operation, 0);
  result.nearest_center_distances = sl_op_output(operation, 1);
  return result;
}
#define sl_op_nearest_neighbors(scope, points, centers, k, ...) \
  sl_op_nearest_neighbors_with(SL_AT(scope), (points), (centers), (k), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Neg(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_neg_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Neg", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_neg(scope, x, ...) sl_op_neg_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// NextAfter(x1: T, x2: T) -> output: T
// T: {double, float} = DT_FLOAT
// Differentiable.
static inline TF_Output sl_op_next_after_with(sl_scope_t *scope, TF_Output x1, TF_Output x2,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NextAfter", options->name);
  sl_node_input(node, x1);
  sl_node_input(node, x2);
  return sl_node_output(node);
}
#define sl_op_next_after(scope, x1, x2, ...) \
  sl_op_next_after_with(SL_AT(scope), (x1), (x2), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// NotEqual(x: T, y: T) -> z: bool
// T: type; incompatible_shape_error: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool incompatible_shape_error;
} sl_op_not_equal_options_t;
static inline TF_Output sl_op_not_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_not_equal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NotEqual", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_bool(node, "incompatible_shape_error", options->incompatible_shape_error);
  return sl_node_output(node);
}
#define sl_op_not_equal(scope, x, y, ...) \
  SL_OVER_DEFAULTS(sl_op_not_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_not_equal_options_t, \
    .incompatible_shape_error = true, __VA_ARGS__)))

// Polygamma(a: T, x: T) -> z: T
// T: {float, double}
// Differentiable.
static inline TF_Output sl_op_polygamma_with(sl_scope_t *scope, TF_Output a, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Polygamma", options->name);
  sl_node_input(node, a);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_polygamma(scope, a, x, ...) \
  sl_op_polygamma_with(SL_AT(scope), (a), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// PopulationCount(x: T) -> y: uint8
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_population_count_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PopulationCount", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_population_count(scope, x, ...) \
  sl_op_population_count_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Pow(x: T, y: T) -> z: T
// T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_pow_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Pow", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_pow(scope, x, y, ...) sl_op_pow_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Prod(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_prod_options_t;
static inline TF_Output sl_op_prod_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_prod_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Prod", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_prod(scope, input, reduction_indices, ...) \
  sl_op_prod_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_prod_options_t, __VA_ARGS__))

// Qr(input: T) -> q: T, r: T
// full_matrices: bool = false; T: {double, float, half, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool full_matrices;
} sl_op_qr_options_t;
typedef struct {
  TF_Output q;
  TF_Output r;
} sl_op_qr_t;
static inline sl_op_qr_t sl_op_qr_with(sl_scope_t *scope, TF_Output input, const sl_op_qr_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Qr", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "full_matrices", options->full_matrices);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_qr_t result;
  result.q = sl_op_output(operation, 0);
  result.r = sl_op_output(operation, 1);
  return result;
}
#define sl_op_qr(scope, input, ...) sl_op_qr_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_qr_options_t, __VA_ARGS__))

// Range(start: Tidx, limit: Tidx, delta: Tidx) -> output: Tidx
// Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32} = DT_INT32
// Gradients stop here.
static inline TF_Output sl_op_range_with(sl_scope_t *scope, TF_Output start, TF_Output limit, TF_Output delta,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Range", options->name);
  sl_node_input(node, start);
  sl_node_input(node, limit);
  sl_node_input(node, delta);
  return sl_node_output(node);
}
#define sl_op_range(scope, start, limit, delta, ...) \
  sl_op_range_with(SL_AT(scope), (start), (limit), (delta), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Real(input: T) -> output: Tout
// T: {complex64, complex128} = DT_COMPLEX64; Tout: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_real_options_t;
static inline TF_Output sl_op_real_with(sl_scope_t *scope, TF_Output input, const sl_op_real_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Real", options->name);
  sl_node_input(node, input);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_real(scope, input, ...) \
  sl_op_real_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_real_options_t, __VA_ARGS__))

// RealDiv(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_real_div_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RealDiv", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_real_div(scope, x, y, ...) \
  sl_op_real_div_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Reciprocal(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_reciprocal_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Reciprocal", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_reciprocal(scope, x, ...) \
  sl_op_reciprocal_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReciprocalGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_reciprocal_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReciprocalGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_reciprocal_grad(scope, y, dy, ...) \
  sl_op_reciprocal_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RightShift(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_right_shift_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RightShift", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_right_shift(scope, x, y, ...) \
  sl_op_right_shift_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Rint(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_rint_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Rint", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_rint(scope, x, ...) sl_op_rint_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Round(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_round_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Round", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_round(scope, x, ...) sl_op_round_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Rsqrt(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_rsqrt_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Rsqrt", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_rsqrt(scope, x, ...) sl_op_rsqrt_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RsqrtGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_rsqrt_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RsqrtGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_rsqrt_grad(scope, y, dy, ...) \
  sl_op_rsqrt_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SegmentMax(data: T, segment_ids: Tindices) -> output: T
// T: realnumbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_max_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentMax", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_max(scope, data, segment_ids, ...) \
  sl_op_segment_max_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SegmentMean(data: T, segment_ids: Tindices) -> output: T
// T: numbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_mean_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentMean", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_mean(scope, data, segment_ids, ...) \
  sl_op_segment_mean_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SegmentMin(data: T, segment_ids: Tindices) -> output: T
// T: realnumbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_min_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentMin", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_min(scope, data, segment_ids, ...) \
  sl_op_segment_min_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SegmentProd(data: T, segment_ids: Tindices) -> output: T
// T: numbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_prod_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentProd", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_prod(scope, data, segment_ids, ...) \
  sl_op_segment_prod_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SegmentSum(data: T, segment_ids: Tindices) -> output: T
// T: numbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_sum_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentSum", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_sum(scope, data, segment_ids, ...) \
  sl_op_segment_sum_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Select(condition: bool, t: T, e: T) -> output: T
// T: type
// Differentiable.
static inline TF_Output sl_op_select_with(sl_scope_t *scope, TF_Output condition, TF_Output t, TF_Output e,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Select", options->name);
  sl_node_input(node, condition);
  sl_node_input(node, t);
  sl_node_input(node, e);
  return sl_node_output(node);
}
#define sl_op_select(scope, condition, t, e, ...) \
  sl_op_select_with(SL_AT(scope), (condition), (t), (e), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SelectV2(condition: bool, t: T, e: T) -> output: T
// T: type
// Differentiable.
static inline TF_Output sl_op_select_v2_with(sl_scope_t *scope, TF_Output condition, TF_Output t, TF_Output e,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SelectV2", options->name);
  sl_node_input(node, condition);
  sl_node_input(node, t);
  sl_node_input(node, e);
  return sl_node_output(node);
}
#define sl_op_select_v2(scope, condition, t, e, ...) \
  sl_op_select_v2_with(SL_AT(scope), (condition), (t), (e), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SetSize(set_indices: int64, set_values: T, set_shape: int64) -> size: int32
// validate_indices: bool = true; T: {int8, int16, int32, int64, uint8, uint16, string}
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_set_size_options_t;
static inline TF_Output sl_op_set_size_with(sl_scope_t *scope, TF_Output set_indices, TF_Output set_values,
    TF_Output set_shape, const sl_op_set_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SetSize", options->name);
  sl_node_input(node, set_indices);
  sl_node_input(node, set_values);
  sl_node_input(node, set_shape);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  return sl_node_output(node);
}
#define sl_op_set_size(scope, set_indices, set_values, set_shape, ...) \
  SL_OVER_DEFAULTS(sl_op_set_size_with(SL_AT(scope), (set_indices), (set_values), (set_shape), SL_OPTIONS( \
    sl_op_set_size_options_t, .validate_indices = true, __VA_ARGS__)))

// Sigmoid(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sigmoid_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sigmoid", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sigmoid(scope, x, ...) sl_op_sigmoid_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SigmoidGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sigmoid_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SigmoidGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_sigmoid_grad(scope, y, dy, ...) \
  sl_op_sigmoid_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sign(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sign_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sign", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sign(scope, x, ...) sl_op_sign_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sin(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sin_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sin", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sin(scope, x, ...) sl_op_sin_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sinh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sinh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sinh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sinh(scope, x, ...) sl_op_sinh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseMatMul(a: Ta, b: Tb) -> product: float
// transpose_a: bool = false; transpose_b: bool = false; a_is_sparse: bool = false; b_is_sparse: bool = false; Ta:
//   {float, bfloat16} = DT_FLOAT; Tb: {float, bfloat16} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool transpose_a;
  bool transpose_b;
  bool a_is_sparse;
  bool b_is_sparse;
} sl_op_sparse_mat_mul_options_t;
static inline TF_Output sl_op_sparse_mat_mul_with(sl_scope_t *scope, TF_Output a, TF_Output b,
    const sl_op_sparse_mat_mul_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseMatMul", options->name);
  sl_node_input(node, a);
  sl_node_input(node, b);
  sl_node_attr_bool(node, "transpose_a", options->transpose_a);
  sl_node_attr_bool(node, "transpose_b", options->transpose_b);
  sl_node_attr_bool(node, "a_is_sparse", options->a_is_sparse);
  sl_node_attr_bool(node, "b_is_sparse", options->b_is_sparse);
  return sl_node_output(node);
}
#define sl_op_sparse_mat_mul(scope, a, b, ...) \
  sl_op_sparse_mat_mul_with(SL_AT(scope), (a), (b), SL_OPTIONS(sl_op_sparse_mat_mul_options_t, __VA_ARGS__))

// SparseToSparseSetOperation(set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64,
//   set2_values: T, set2_shape: int64) -> result_indices: int64, result_values: T, result_shape: int64
// Combines the sets of two sparse tensors.
// set_operation: string; validate_indices: bool = true; T: {int8, int16, int32, int64, uint8, uint16, string}
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_sparse_to_sparse_set_operation_options_t;
typedef struct {
  TF_Output result_indices;
  TF_Output result_values;
  TF_Output result_shape;
} sl_op_sparse_to_sparse_set_operation_t;
static inline sl_op_sparse_to_sparse_set_operation_t sl_op_sparse_to_sparse_set_operation_with(sl_scope_t *scope,
    TF_Output set1_indices, TF_Output set1_values, TF_Output set1_shape, TF_Output set2_indices,
    TF_Output set2_values, TF_Output set2_shape, const char *set_operation,
    const sl_op_sparse_to_sparse_set_operation_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseToSparseSetOperation", options->name);
  sl_node_input(node, set1_indices);
  sl_node_input(node, set1_values);
  sl_node_input(node, set1_shape);
  sl_node_input(node, set2_indices);
  sl_node_input(node, set2_values);
  sl_node_input(node, set2_shape);
  sl_node_attr_text(node, "set_operation", set_operation);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_to_sparse_set_operation_t result;
  result.result_indices = sl_op_output(operation, 0);
  result.result_values = sl_op_output(operation, 1);
  result.result_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_to_sparse_set_operation(scope, set1_indices, set1_values, set1_shape, set2_indices, \
    set2_values, set2_shape, set_operation, ...) \
  SL_OVER_DEFAULTS(sl_op_sparse_to_sparse_set_operation_with(SL_AT(scope), (set1_indices), (set1_values), ( \
    set1_shape), (set2_indices), (set2_values), (set2_shape), (set_operation), SL_OPTIONS( \
    sl_op_sparse_to_sparse_set_operation_options_t, .validate_indices = true, __VA_ARGS__)))

// Spence(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_spence_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Spence", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_spence(scope, x, ...) sl_op_spence_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sqrt(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sqrt_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sqrt", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sqrt(scope, x, ...) sl_op_sqrt_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SqrtGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sqrt_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SqrtGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_sqrt_grad(scope, y, dy, ...) \
  sl_op_sqrt_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Square(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_square_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Square", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_square(scope, x, ...) sl_op_square_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SquaredDifference(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_squared_difference_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SquaredDifference", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_squared_difference(scope, x, y, ...) \
  sl_op_squared_difference_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sub(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64}
// Differentiable.
static inline TF_Output sl_op_sub_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sub", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_sub(scope, x, y, ...) sl_op_sub_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sum(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_sum_options_t;
static inline TF_Output sl_op_sum_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_sum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sum", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_sum(scope, input, reduction_indices, ...) \
  sl_op_sum_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_sum_options_t, __VA_ARGS__))

// Tan(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_tan_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Tan", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_tan(scope, x, ...) sl_op_tan_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Tanh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_tanh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Tanh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_tanh(scope, x, ...) sl_op_tanh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TanhGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_tanh_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TanhGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_tanh_grad(scope, y, dy, ...) \
  sl_op_tanh_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TruncateDiv(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_truncate_div_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TruncateDiv", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_truncate_div(scope, x, y, ...) \
  sl_op_truncate_div_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TruncateMod(x: T, y: T) -> z: T
// T: {int32, int64, bfloat16, half, float, double}
// No gradient.
static inline TF_Output sl_op_truncate_mod_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TruncateMod", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_truncate_mod(scope, x, y, ...) \
  sl_op_truncate_mod_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// UnsortedSegmentMax(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T
// T: realnumbertype; Tindices: {int32, int64}; Tnumsegments: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_unsorted_segment_max_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    TF_Output num_segments, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentMax", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  return sl_node_output(node);
}
#define sl_op_unsorted_segment_max(scope, data, segment_ids, num_segments, ...) \
  sl_op_unsorted_segment_max_with(SL_AT(scope), (data), (segment_ids), (num_segments), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// UnsortedSegmentMin(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T
// T: realnumbertype; Tindices: {int32, int64}; Tnumsegments: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_unsorted_segment_min_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    TF_Output num_segments, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentMin", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  return sl_node_output(node);
}
#define sl_op_unsorted_segment_min(scope, data, segment_ids, num_segments, ...) \
  sl_op_unsorted_segment_min_with(SL_AT(scope), (data), (segment_ids), (num_segments), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// UnsortedSegmentProd(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T
// T: numbertype; Tindices: {int32, int64}; Tnumsegments: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_unsorted_segment_prod_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    TF_Output num_segments, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentProd", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  return sl_node_output(node);
}
#define sl_op_unsorted_segment_prod(scope, data, segment_ids, num_segments, ...) \
  sl_op_unsorted_segment_prod_with(SL_AT(scope), (data), (segment_ids), (num_segments), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// UnsortedSegmentSum(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T
// T: numbertype; Tindices: {int16, int32, int64}; Tnumsegments: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_unsorted_segment_sum_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    TF_Output num_segments, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentSum", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  return sl_node_output(node);
}
#define sl_op_unsorted_segment_sum(scope, data, segment_ids, num_segments, ...) \
  sl_op_unsorted_segment_sum_with(SL_AT(scope), (data), (segment_ids), (num_segments), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Xdivy(x: T, y: T) -> z: T
// T: {half, bfloat16, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_xdivy_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Xdivy", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_xdivy(scope, x, y, ...) \
  sl_op_xdivy_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Xlog1py(x: T, y: T) -> z: T
// T: {half, bfloat16, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_xlog1py_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Xlog1py", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_xlog1py(scope, x, y, ...) \
  sl_op_xlog1py_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Xlogy(x: T, y: T) -> z: T
// T: {half, bfloat16, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_xlogy_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Xlogy", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_xlogy(scope, x, y, ...) \
  sl_op_xlogy_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Zeta(x: T, q: T) -> z: T
// T: {float, double}
// Differentiable.
static inline TF_Output sl_op_zeta_with(sl_scope_t *scope, TF_Output x, TF_Output q, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Zeta", options->name);
  sl_node_input(node, x);
  sl_node_input(node, q);
  return sl_node_output(node);
}
#define sl_op_zeta(scope, x, q, ...) sl_op_zeta_with(SL_AT(scope), (x), (q), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_MATH_H_
