// Ops: decompositions of matrices, solutions, inverses.
// Generated from src/ops/linalg by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_LINALG_H_
#define SLUICE_OPS_LINALG_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// BandedTriangularSolve(matrix: T, rhs: T) -> output: T
// lower: bool = true; adjoint: bool = false; T: {double, float, half, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool lower;
  bool adjoint;
} sl_op_banded_triangular_solve_options_t;
static inline TF_Output sl_op_banded_triangular_solve_with(sl_scope_t *scope, TF_Output matrix, TF_Output rhs,
    const sl_op_banded_triangular_solve_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BandedTriangularSolve", options->name);
  sl_node_input(node, matrix);
  sl_node_input(node, rhs);
  sl_node_attr_bool(node, "lower", options->lower);
  sl_node_attr_bool(node, "adjoint", options->adjoint);
  return sl_node_output(node);
}
#define sl_op_banded_triangular_solve(scope, matrix, rhs, ...) \
  SL_OVER_DEFAULTS(sl_op_banded_triangular_solve_with(SL_AT(scope), (matrix), (rhs), SL_OPTIONS( \
    sl_op_banded_triangular_solve_options_t, .lower = true, __VA_ARGS__)))

// BatchCholesky(input: T) -> output: T
// T: {double, float}
// No gradient. Deprecated since GraphDef version 13: Use Cholesky instead.
static inline TF_Output sl_op_batch_cholesky_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchCholesky", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_batch_cholesky(scope, input, ...) \
  sl_op_batch_cholesky_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchCholeskyGrad(l: T, grad: T) -> output: T
// T: {float, double}
// No gradient. Deprecated since GraphDef version 13: Use CholeskyGrad instead.
static inline TF_Output sl_op_batch_cholesky_grad_with(sl_scope_t *scope, TF_Output l, TF_Output grad,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchCholeskyGrad", options->name);
  sl_node_input(node, l);
  sl_node_input(node, grad);
  return sl_node_output(node);
}
#define sl_op_batch_cholesky_grad(scope, l, grad, ...) \
  sl_op_batch_cholesky_grad_with(SL_AT(scope), (l), (grad), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchMatrixDeterminant(input: T) -> output: T
// T: {float, double, complex64, complex128}
// No gradient. Deprecated since GraphDef version 13: Use MatrixDeterminant instead.
static inline TF_Output sl_op_batch_matrix_determinant_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatrixDeterminant", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_batch_matrix_determinant(scope, input, ...) \
  sl_op_batch_matrix_determinant_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchMatrixInverse(input: T) -> output: T
// adjoint: bool = false; T: {double, float}
// No gradient. Deprecated since GraphDef version 13: Use MatrixInverse instead.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adjoint;
} sl_op_batch_matrix_inverse_options_t;
static inline TF_Output sl_op_batch_matrix_inverse_with(sl_scope_t *scope, TF_Output input,
    const sl_op_batch_matrix_inverse_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatrixInverse", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "adjoint", options->adjoint);
  return sl_node_output(node);
}
#define sl_op_batch_matrix_inverse(scope, input, ...) \
  sl_op_batch_matrix_inverse_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_batch_matrix_inverse_options_t, \
    __VA_ARGS__))

// BatchMatrixSolve(matrix: T, rhs: T) -> output: T
// adjoint: bool = false; T: {double, float}
// No gradient. Deprecated since GraphDef version 13: Use MatrixSolve instead.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adjoint;
} sl_op_batch_matrix_solve_options_t;
static inline TF_Output sl_op_batch_matrix_solve_with(sl_scope_t *scope, TF_Output matrix, TF_Output rhs,
    const sl_op_batch_matrix_solve_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatrixSolve", options->name);
  sl_node_input(node, matrix);
  sl_node_input(node, rhs);
  sl_node_attr_bool(node, "adjoint", options->adjoint);
  return sl_node_output(node);
}
#define sl_op_batch_matrix_solve(scope, matrix, rhs, ...) \
  sl_op_batch_matrix_solve_with(SL_AT(scope), (matrix), (rhs), SL_OPTIONS(sl_op_batch_matrix_solve_options_t, \
    __VA_ARGS__))

// BatchMatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> output: T
// T: {double, float}; fast: bool = true
// No gradient. Deprecated since GraphDef version 13: Use MatrixSolveLs instead.
typedef struct {
  size_t struct_size;
  const char *name;
  bool fast;
} sl_op_batch_matrix_solve_ls_options_t;
static inline TF_Output sl_op_batch_matrix_solve_ls_with(sl_scope_t *scope, TF_Output matrix, TF_Output rhs,
    TF_Output l2_regularizer, const sl_op_batch_matrix_solve_ls_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatrixSolveLs", options->name);
  sl_node_input(node, matrix);
  sl_node_input(node, rhs);
  sl_node_input(node, l2_regularizer);
  sl_node_attr_bool(node, "fast", options->fast);
  return sl_node_output(node);
}
#define sl_op_batch_matrix_solve_ls(scope, matrix, rhs, l2_regularizer, ...) \
  SL_OVER_DEFAULTS(sl_op_batch_matrix_solve_ls_with(SL_AT(scope), (matrix), (rhs), (l2_regularizer), SL_OPTIONS( \
    sl_op_batch_matrix_solve_ls_options_t, .fast = true, __VA_ARGS__)))

// BatchSelfAdjointEig(input: T) -> output: T
// T: {double, float}
// No gradient. Deprecated since GraphDef version 11: Use SelfAdjointEigV2 instead.
static inline TF_Output sl_op_batch_self_adjoint_eig_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchSelfAdjointEig", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_batch_self_adjoint_eig(scope, input, ...) \
  sl_op_batch_self_adjoint_eig_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchSelfAdjointEigV2(input: T) -> e: T, v: T
// compute_v: bool = true; T: {double, float}
// No gradient. Deprecated since GraphDef version 13: Use SelfAdjointEigV2 instead.
typedef struct {
  size_t struct_size;
  const char *name;
  bool compute_v;
} sl_op_batch_self_adjoint_eig_v2_options_t;
typedef struct {
  TF_Output e;
  TF_Output v;
} sl_op_batch_self_adjoint_eig_v2_t;
static inline sl_op_batch_self_adjoint_eig_v2_t sl_op_batch_self_adjoint_eig_v2_with(sl_scope_t *scope,
    TF_Output input, const sl_op_batch_self_adjoint_eig_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchSelfAdjointEigV2", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "compute_v", options->compute_v);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_batch_self_adjoint_eig_v2_t result;
  result.e = sl_op_output(operation, 0);
  result.v = sl_op_output(operation, 1);
  return result;
}
#define sl_op_batch_self_adjoint_eig_v2(scope, input, ...) \
  SL_OVER_DEFAULTS(sl_op_batch_self_adjoint_eig_v2_with(SL_AT(scope), (input), SL_OPTIONS( \
    sl_op_batch_self_adjoint_eig_v2_options_t, .compute_v = true, __VA_ARGS__)))

// BatchSvd(input: T) -> s: T, u: T, v: T
// compute_uv: bool = true; full_matrices: bool = false; T: {double, float, complex64, complex128}
// No gradient. Deprecated since GraphDef version 13: Use Svd instead.
typedef struct {
  size_t struct_size;
  const char *name;
  bool compute_uv;
  bool full_matrices;
} sl_op_batch_svd_options_t;
typedef struct {
  TF_Output s;
  TF_Output u;
  TF_Output v;
} sl_op_batch_svd_t;
static inline sl_op_batch_svd_t sl_op_batch_svd_with(sl_scope_t *scope, TF_Output input,
    const sl_op_batch_svd_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchSvd", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "compute_uv", options->compute_uv);
  sl_node_attr_bool(node, "full_matrices", options->full_matrices);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_batch_svd_t result;
  result.s = sl_op_output(operation, 0);
  result.u = sl_op_output(operation, 1);
  result.v = sl_op_output(operation, 2);
  return result;
}
#define sl_op_batch_svd(scope, input, ...) \
  SL_OVER_DEFAULTS(sl_op_batch_svd_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_batch_svd_options_t, \
    .compute_uv = true, __VA_ARGS__)))

// Cholesky(input: T) -> output: T
// T: {double, float, half, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_cholesky_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cholesky", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_cholesky(scope, input, ...) \
  sl_op_cholesky_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CholeskyGrad(l: T, grad: T) -> output: T
// T: {half, float, double}
// No gradient.
static inline TF_Output sl_op_cholesky_grad_with(sl_scope_t *scope, TF_Output l, TF_Output grad,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CholeskyGrad", options->name);
  sl_node_input(node, l);
  sl_node_input(node, grad);
  return sl_node_output(node);
}
#define sl_op_cholesky_grad(scope, l, grad, ...) \
  sl_op_cholesky_grad_with(SL_AT(scope), (l), (grad), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Eig(input: T) -> e: Tout, v: Tout
// compute_v: bool = true; T: {float, double, complex64, complex128}; Tout: {complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool compute_v;
} sl_op_eig_options_t;
typedef struct {
  TF_Output e;
  TF_Output v;
} sl_op_eig_t;
static inline sl_op_eig_t sl_op_eig_with(sl_scope_t *scope, TF_Output input, TF_DataType Tout,
    const sl_op_eig_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Eig", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "compute_v", options->compute_v);
  sl_node_attr_type(node, "Tout", Tout);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_eig_t result;
  result.e = sl_op_output(operation, 0);
  result.v = sl_op_output(operation, 1);
  return result;
}
#define sl_op_eig(scope, input, Tout, ...) \
  SL_OVER_DEFAULTS(sl_op_eig_with(SL_AT(scope), (input), (Tout), SL_OPTIONS(sl_op_eig_options_t, .compute_v = true, \
    __VA_ARGS__)))

// LogMatrixDeterminant(input: T) -> sign: T, log_abs_determinant: T
// T: {half, float, double, complex64, complex128}
// Differentiable.
typedef struct {
  TF_Output sign;
  TF_Output log_abs_determinant;
} sl_op_log_matrix_determinant_t;
static inline sl_op_log_matrix_determinant_t sl_op_log_matrix_determinant_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogMatrixDeterminant", options->name);
  sl_node_input(node, input);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_log_matrix_determinant_t result;
  result.sign = sl_op_output(operation, 0);
  result.log_abs_determinant = sl_op_output(operation, 1);
  return result;
}
#define sl_op_log_matrix_determinant(scope, input, ...) \
  sl_op_log_matrix_determinant_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Lu(input: T) -> lu: T, p: output_idx_type
// T: {double, float, half, complex64, complex128}; output_idx_type: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType output_idx_type;
} sl_op_lu_options_t;
typedef struct {
  TF_Output lu;
  TF_Output p;
} sl_op_lu_t;
static inline sl_op_lu_t sl_op_lu_with(sl_scope_t *scope, TF_Output input, const sl_op_lu_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Lu", options->name);
  sl_node_input(node, input);
  if (options->output_idx_type) sl_node_attr_type(node, "output_idx_type", options->output_idx_type);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_lu_t result;
  result.lu = sl_op_output(operation, 0);
  result.p = sl_op_output(operation, 1);
  return result;
}
#define sl_op_lu(scope, input, ...) sl_op_lu_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_lu_options_t, __VA_ARGS__))

// MatrixDeterminant(input: T) -> output: T
// T: {half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_matrix_determinant_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDeterminant", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_matrix_determinant(scope, input, ...) \
  sl_op_matrix_determinant_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixExponential(input: T) -> output: T
// T: {double, float, half, complex64, complex128}
// No gradient. Deprecated since GraphDef version 27: Use Python implementation tf.linalg.matrix_exponential instead.
static inline TF_Output sl_op_matrix_exponential_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixExponential", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_matrix_exponential(scope, input, ...) \
  sl_op_matrix_exponential_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixInverse(input: T) -> output: T
// adjoint: bool = false; T: {double, float, half, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adjoint;
} sl_op_matrix_inverse_options_t;
static inline TF_Output sl_op_matrix_inverse_with(sl_scope_t *scope, TF_Output input,
    const sl_op_matrix_inverse_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixInverse", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "adjoint", options->adjoint);
  return sl_node_output(node);
}
#define sl_op_matrix_inverse(scope, input, ...) \
  sl_op_matrix_inverse_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_matrix_inverse_options_t, __VA_ARGS__))

// MatrixLogarithm(input: T) -> output: T
// T: {complex64, complex128}
// No gradient.
static inline TF_Output sl_op_matrix_logarithm_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixLogarithm", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_matrix_logarithm(scope, input, ...) \
  sl_op_matrix_logarithm_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixSolve(matrix: T, rhs: T) -> output: T
// adjoint: bool = false; T: {double, float, half, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adjoint;
} sl_op_matrix_solve_options_t;
static inline TF_Output sl_op_matrix_solve_with(sl_scope_t *scope, TF_Output matrix, TF_Output rhs,
    const sl_op_matrix_solve_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixSolve", options->name);
  sl_node_input(node, matrix);
  sl_node_input(node, rhs);
  sl_node_attr_bool(node, "adjoint", options->adjoint);
  return sl_node_output(node);
}
#define sl_op_matrix_solve(scope, matrix, rhs, ...) \
  sl_op_matrix_solve_with(SL_AT(scope), (matrix), (rhs), SL_OPTIONS(sl_op_matrix_solve_options_t, __VA_ARGS__))

// MatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> output: T
// T: {double, float, half, complex64, complex128}; fast: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool fast;
} sl_op_matrix_solve_ls_options_t;
static inline TF_Output sl_op_matrix_solve_ls_with(sl_scope_t *scope, TF_Output matrix, TF_Output rhs,
    TF_Output l2_regularizer, const sl_op_matrix_solve_ls_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixSolveLs", options->name);
  sl_node_input(node, matrix);
  sl_node_input(node, rhs);
  sl_node_input(node, l2_regularizer);
  sl_node_attr_bool(node, "fast", options->fast);
  return sl_node_output(node);
}
#define sl_op_matrix_solve_ls(scope, matrix, rhs, l2_regularizer, ...) \
  SL_OVER_DEFAULTS(sl_op_matrix_solve_ls_with(SL_AT(scope), (matrix), (rhs), (l2_regularizer), SL_OPTIONS( \
    sl_op_matrix_solve_ls_options_t, .fast = true, __VA_ARGS__)))

// MatrixSquareRoot(input: T) -> output: T
// T: {double, float, half, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_matrix_square_root_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixSquareRoot", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_matrix_square_root(scope, input, ...) \
  sl_op_matrix_square_root_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SelfAdjointEig(input: T) -> output: T
// T: {double, float, half}
// No gradient. Deprecated since GraphDef version 11: Use SelfAdjointEigV2 instead.
static inline TF_Output sl_op_self_adjoint_eig_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SelfAdjointEig", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_self_adjoint_eig(scope, input, ...) \
  sl_op_self_adjoint_eig_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SelfAdjointEigV2(input: T) -> e: T, v: T
// compute_v: bool = true; T: {double, float, half, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool compute_v;
} sl_op_self_adjoint_eig_v2_options_t;
typedef struct {
  TF_Output e;
  TF_Output v;
} sl_op_self_adjoint_eig_v2_t;
static inline sl_op_self_adjoint_eig_v2_t sl_op_self_adjoint_eig_v2_with(sl_scope_t *scope, TF_Output input,
    const sl_op_self_adjoint_eig_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SelfAdjointEigV2", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "compute_v", options->compute_v);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_self_adjoint_eig_v2_t result;
  result.e = sl_op_output(operation, 0);
  result.v = sl_op_output(operation, 1);
  return result;
}
#define sl_op_self_adjoint_eig_v2(scope, input, ...) \
  SL_OVER_DEFAULTS(sl_op_self_adjoint_eig_v2_with(SL_AT(scope), (input), SL_OPTIONS( \
    sl_op_self_adjoint_eig_v2_options_t, .compute_v = true, __VA_ARGS__)))

// Svd(input: T) -> s: T, u: T, v: T
// compute_uv: bool = true; full_matrices: bool = false; T: {double, float, half, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool compute_uv;
  bool full_matrices;
} sl_op_svd_options_t;
typedef struct {
  TF_Output s;
  TF_Output u;
  TF_Output v;
} sl_op_svd_t;
static inline sl_op_svd_t sl_op_svd_with(sl_scope_t *scope, TF_Output input, const sl_op_svd_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Svd", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "compute_uv", options->compute_uv);
  sl_node_attr_bool(node, "full_matrices", options->full_matrices);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_svd_t result;
  result.s = sl_op_output(operation, 0);
  result.u = sl_op_output(operation, 1);
  result.v = sl_op_output(operation, 2);
  return result;
}
#define sl_op_svd(scope, input, ...) \
  SL_OVER_DEFAULTS(sl_op_svd_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_svd_options_t, .compute_uv = true, \
    __VA_ARGS__)))

// TridiagonalMatMul(superdiag: T, maindiag: T, subdiag: T, rhs: T) -> output: T
// T: {double, float, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_tridiagonal_mat_mul_with(sl_scope_t *scope, TF_Output superdiag, TF_Output maindiag,
    TF_Output subdiag, TF_Output rhs, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TridiagonalMatMul", options->name);
  sl_node_input(node, superdiag);
  sl_node_input(node, maindiag);
  sl_node_input(node, subdiag);
  sl_node_input(node, rhs);
  return sl_node_output(node);
}
#define sl_op_tridiagonal_mat_mul(scope, superdiag, maindiag, subdiag, rhs, ...) \
  sl_op_tridiagonal_mat_mul_with(SL_AT(scope), (superdiag), (maindiag), (subdiag), (rhs), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TridiagonalSolve(diagonals: T, rhs: T) -> output: T
// partial_pivoting: bool = true; perturb_singular: bool = false; T: {double, float, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool partial_pivoting;
  bool perturb_singular;
} sl_op_tridiagonal_solve_options_t;
static inline TF_Output sl_op_tridiagonal_solve_with(sl_scope_t *scope, TF_Output diagonals, TF_Output rhs,
    const sl_op_tridiagonal_solve_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TridiagonalSolve", options->name);
  sl_node_input(node, diagonals);
  sl_node_input(node, rhs);
  sl_node_attr_bool(node, "partial_pivoting", options->partial_pivoting);
  sl_node_attr_bool(node, "perturb_singular", options->perturb_singular);
  return sl_node_output(node);
}
#define sl_op_tridiagonal_solve(scope, diagonals, rhs, ...) \
  SL_OVER_DEFAULTS(sl_op_tridiagonal_solve_with(SL_AT(scope), (diagonals), (rhs), SL_OPTIONS( \
    sl_op_tridiagonal_solve_options_t, .partial_pivoting = true, __VA_ARGS__)))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_LINALG_H_
