// MatrixSolve: A X = B, or A^H X = B, for square matrices. MatrixSolveLs: the least-squares solution, by the normal
// equations (fast) or by a complete orthogonal decomposition, which also takes matrices of lower rank.
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "core/op/emit.h"
#include "math/lapack.h"
#include "ops/linalg/linalg.h"
#include "ops/math/matmul.h"

typedef struct {
  bool adjoint, fast;
  double l2_regularizer;
} solve_options_t;

static sli_status_t *solve_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  const solve_options_t *options = batch->options;
  sli_dtype_t dtype = batch->dtype;
  size_t size = sli_dtype_size(dtype);
  int64_t n = batch->rows[0], k = batch->columns[1];
  void *columns;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(dtype, n * n + n * k + n, &columns));
  void *x = (char *)columns + (size_t)(n * n) * size;
  int *pivots = (int *)((char *)x + (size_t)(n * k) * size);
  if (options->adjoint) {
    memcpy(columns, sli_linalg_in(batch, 0, index), batch->in_stride[0]);
    sli_linalg_conjugate(dtype, n * n, columns);
  } else {
    sli_linalg_transpose(dtype, n, n, sli_linalg_in(batch, 0, index), columns, false);
  }
  sli_lapack_getrf(dtype, (int)n, columns, pivots);
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < n && !status; i++) {
    if (!(cabs(sli_linalg_get(dtype, columns, i * n + i)) > 0))
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Input matrix is not invertible.");
  }
  if (!status) {
    sli_linalg_transpose(dtype, n, k, sli_linalg_in(batch, 1, index), x, false);
    sli_lapack_getrs(dtype, 'N', (int)n, (int)k, columns, pivots, x);
    sli_linalg_transpose(dtype, k, n, x, sli_linalg_out(batch, 0, index), false);
  }
  free(columns);
  return status;
}

static sli_status_t *solve(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  solve_options_t options = {0};
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "adjoint", &options.adjoint));
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 2, &batch));
  if (batch.rows[0] != batch.columns[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "First input (lhs) must be a square matrix.");
  if (batch.rows[0] != batch.rows[1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input matrix and rhs are incompatible.");
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 0, 2, batch.columns[0], batch.columns[1]));
  if (batch.rows[0] == 0 || batch.columns[1] == 0) return NULL;
  batch.options = &options;
  double n = (double)batch.rows[0], k = (double)batch.columns[1];
  return sli_linalg_run(&batch, n * n * (n / 6 + k / 2) + 300, solve_matrix);
}

// The normal equations. Tall: (A^H A + λ) X = A^H B. Wide: (A A^H + λ) Z = B, X = A^H Z.
static sli_status_t *least_squares_fast(const sli_linalg_batch_t *batch, int64_t index, char *memory) {
  const solve_options_t *options = batch->options;
  sli_dtype_t dtype = batch->dtype;
  int64_t m = batch->rows[0], n = batch->columns[0], k = batch->columns[1], order = m < n ? m : n;
  bool tall = m >= n;
  const void *a = sli_linalg_in(batch, 0, index), *b = sli_linalg_in(batch, 1, index);
  void *x = sli_linalg_out(batch, 0, index), *z = tall ? x : memory + (size_t)(order * order) * sli_dtype_size(dtype);
  SLI_RETURN_IF_ERROR(sli_linalg_multiply(dtype, order, order, tall ? m : n, a, tall, a, !tall, memory));
  if (options->l2_regularizer > 0) {
    for (int64_t i = 0; i < order; i++) {
      double complex value = sli_linalg_get(dtype, memory, i * order + i) + options->l2_regularizer;
      sli_linalg_put(dtype, memory, i * order + i, value);
    }
  }
  if (sli_lapack_potrf(dtype, 'U', (int)order, memory) != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide %s "
                           "l2_regularizer > 0.",
                           tall ? "a larger" : "an");
  if (tall)
    SLI_RETURN_IF_ERROR(sli_linalg_multiply(dtype, n, k, m, a, true, b, false, z));
  else
    memcpy(z, b, batch->in_stride[1]);
  // Rows of Z are columns to LAPACK, and the lower factor is an upper one: it stands on the right.
  sli_lapack_trsm(dtype, 'R', 'U', 'N', (int)k, (int)order, memory, z);
  sli_lapack_trsm(dtype, 'R', 'U', 'C', (int)k, (int)order, memory, z);
  return tall ? NULL : sli_linalg_multiply(dtype, n, k, m, a, true, z, false, x);
}

static sli_status_t *least_squares_slow(const sli_linalg_batch_t *batch, int64_t index, char *memory) {
  sli_dtype_t dtype = batch->dtype;
  size_t size = sli_dtype_size(dtype);
  int64_t m = batch->rows[0], n = batch->columns[0], k = batch->columns[1], longest = m > n ? m : n;
  bool single = dtype == SLI_DTYPE_FLOAT || dtype == SLI_DTYPE_COMPLEX64;
  char *b = memory + (size_t)(m * n) * size, *x = sli_linalg_out(batch, 0, index);
  const char *rhs = sli_linalg_in(batch, 1, index);
  sli_linalg_transpose(dtype, m, n, sli_linalg_in(batch, 0, index), memory, false);
  for (int64_t c = 0; c < k; c++) {
    for (int64_t i = 0; i < m; i++)
      memcpy(b + (size_t)(c * longest + i) * size, rhs + (size_t)(i * k + c) * size, size);
    for (int64_t i = m; i < longest; i++) memset(b + (size_t)(c * longest + i) * size, 0, size);
  }
  double rcond = (single ? FLT_EPSILON : DBL_EPSILON) * (double)(m < n ? m : n);
  if (sli_lapack_gelsy(dtype, (int)m, (int)n, (int)k, memory, b, rcond) == SLI_LAPACK_NO_MEMORY)
    return sli_linalg_no_memory();
  for (int64_t c = 0; c < k; c++)
    for (int64_t i = 0; i < n; i++) memcpy(x + (size_t)(i * k + c) * size, b + (size_t)(c * longest + i) * size, size);
  return NULL;
}

static sli_status_t *least_squares_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  const solve_options_t *options = batch->options;
  int64_t m = batch->rows[0], n = batch->columns[0], k = batch->columns[1], least = m < n ? m : n;
  void *memory;
  int64_t count = options->fast ? least * (least + k) : m * n + (m > n ? m : n) * k;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(batch->dtype, count, &memory));
  sli_status_t *status = (options->fast ? least_squares_fast : least_squares_slow)(batch, index, memory);
  free(memory);
  return status;
}

static sli_status_t *least_squares(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  solve_options_t options = {0};
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "fast", &options.fast));
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 2, &batch));
  if (batch.rows[0] != batch.rows[1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input matrix and rhs are incompatible.");
  const sli_tensor_t *regularizer = sli_kernel_input(context, 2);
  if (regularizer->rank != 0) {
    char *text = sli_shape_to_text(sli_tensor_shape(regularizer));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "l2_regularizer must be scalar, got shape %s", text);
    free(text);
    return status;
  }
  options.l2_regularizer = *SLI_DATA(double, regularizer);
  if (!(options.l2_regularizer >= 0)) return sli_status_make(SLI_INVALID_ARGUMENT, "l2_regularizer must be >= 0.");
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 0, 2, batch.columns[0], batch.columns[1]));
  if (batch.columns[0] == 0 || batch.columns[1] == 0 || batch.batches == 0) return NULL;
  if (batch.rows[0] == 0) {
    memset(batch.out[0], 0, batch.out_stride[0] * (size_t)batch.batches);
    return NULL;
  }
  batch.options = &options;
  double m = (double)batch.rows[0], n = (double)batch.columns[0], k = (double)batch.columns[1], least = m < n ? m : n;
  return sli_linalg_run(&batch, m * n * (least + k) / 2 + 500, least_squares_matrix);
}

static sli_status_t *set_solution_shape(sli_infer_context_t *c, sli_shape_t a, sli_shape_t b, bool square) {
  sli_shape_t batches;
  int64_t rows;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_subshape(c, a, 0, -2), sli_infer_subshape(c, b, 0, -2), &batches));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(a, -2), sli_infer_dim(b, -2), &rows));
  int64_t dims[] = {square && rows >= 0 ? rows : sli_infer_dim(a, -1), sli_infer_dim(b, -1)};
  if (a.rank < 0 && b.rank < 0) return NULL;
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batches, sli_infer_make(c, 2, dims)));
  return NULL;
}

static sli_status_t *solve_shape(sli_infer_context_t *c) {
  sli_shape_t a, b;
  int64_t n;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &a));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 2, &b));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(a, -2), sli_infer_dim(a, -1), &n));
  if (a.rank >= 0) a = sli_infer_replace_dim(c, sli_infer_replace_dim(c, a, -2, n), -1, n);
  return set_solution_shape(c, a, b, true);
}

static sli_status_t *least_squares_shape(sli_infer_context_t *c) {
  sli_shape_t a, b, scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &scalar));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &a));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 2, &b));
  return set_solution_shape(c, a, b, false);
}

static sli_status_t *solve_gradient(sli_gradient_builder_t *b) {
  bool adjoint;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "adjoint", &adjoint));
  sli_output_t x = sli_gradient_output(b, 0);
  sli_output_t rhs = SLI_EMIT_WITH(b, "MatrixSolve", SLI_INPUTS(sli_gradient_input(b, 0), sli_gradient_of_output(b, 0)),
                                   SLI_ATTRS(SLI_ATTR_BOOL_OF("adjoint", !adjoint)));
  sli_output_t product = sli_matmul_emit_batch(b, adjoint ? x : rhs, adjoint ? rhs : x, false, true);
  sli_gradient_set(b, 0, sli_emit1(b, "Neg", product));
  sli_gradient_set(b, 1, rhs);
  return NULL;
}

// Solves with the Cholesky factor |l|.
static sli_output_t emit_cholesky_solve(sli_gradient_builder_t *b, sli_output_t l, sli_output_t rhs) {
  sli_output_t y = sli_emit2(b, "MatrixTriangularSolve", l, rhs);
  return SLI_EMIT_WITH(b, "MatrixTriangularSolve", SLI_INPUTS(l, y), SLI_ATTRS(SLI_ATTR_BOOL_OF("adjoint", true)));
}

// The tensors that the gradient of a least-squares solution is made of.
typedef struct {
  sli_output_t a, rhs, x, g, lambda;
} least_squares_terms_t;

// The factor of A^H A + λ (tall) or A A^H + λ.
static sli_output_t emit_gramian_factor(sli_gradient_builder_t *b, const least_squares_terms_t *t, bool tall) {
  sli_output_t gramian = sli_matmul_emit_batch(b, t->a, t->a, tall, !tall);
  sli_output_t diagonal = sli_emit2(b, "AddV2", sli_linalg_emit_diag_part(b, gramian), t->lambda);
  return sli_emit1(b, "Cholesky", sli_linalg_emit_set_diag(b, gramian, diagonal));
}

// At least as many rows as columns.
static void emit_tall(sli_gradient_builder_t *b, const least_squares_terms_t *t, sli_output_t out[2]) {
  sli_output_t z = emit_cholesky_solve(b, emit_gramian_factor(b, t, true), t->g);
  sli_output_t xz = sli_matmul_emit_batch(b, t->x, z, false, true);
  sli_output_t symmetric = sli_emit2(b, "AddV2", xz, sli_linalg_emit_transpose(b, xz));
  out[0] = sli_emit2(b, "Sub", sli_matmul_emit_batch(b, t->rhs, z, false, true),
                     sli_matmul_emit_batch(b, t->a, symmetric, false, false));
  out[1] = sli_matmul_emit_batch(b, t->a, z, false, false);
}

static void emit_wide(sli_gradient_builder_t *b, const least_squares_terms_t *t, sli_output_t out[2]) {
  sli_output_t factor = emit_gramian_factor(b, t, false);
  out[1] = emit_cholesky_solve(b, factor, sli_matmul_emit_batch(b, t->a, t->g, false, false));
  sli_output_t z = emit_cholesky_solve(b, factor, t->rhs);
  sli_output_t first = sli_matmul_emit_batch(b, out[1], sli_matmul_emit_batch(b, z, t->a, true, false), false, false);
  sli_output_t rest = sli_emit2(b, "Sub", t->g, sli_matmul_emit_batch(b, t->a, out[1], true, false));
  out[0] = sli_emit2(b, "Sub", sli_matmul_emit_batch(b, z, rest, false, true), first);
}

// Whether the matrices have at least as many rows as columns, found when the step runs.
static sli_output_t emit_is_tall(sli_gradient_builder_t *b, sli_output_t a) {
  sli_output_t shape = sli_emit_shape(b, a), rank = sli_emit1(b, "Rank", a), zero = sli_gradient_const_int32(b, 0);
  sli_output_t rows = sli_emit3(b, "GatherV2", shape, sli_emit2(b, "Sub", rank, sli_gradient_const_int32(b, 2)), zero);
  sli_output_t columns =
      sli_emit3(b, "GatherV2", shape, sli_emit2(b, "Sub", rank, sli_gradient_const_int32(b, 1)), zero);
  return sli_emit2(b, "GreaterEqual", rows, columns);
}

// Both ways, of which the step takes one.
static void emit_either(sli_gradient_builder_t *b, const least_squares_terms_t *t, sli_output_t out[2]) {
  sli_output_t is_tall = emit_is_tall(b, t->a), tall[2], wide[2];
  sli_output_t from[] = {t->a, t->rhs, t->x, t->g, t->lambda}, low[5], high[5];
  for (int i = 0; i < 5; i++) {
    low[i] = sli_emit2(b, "Switch", from[i], is_tall);
    high[i] = sli_output_at(low[i], 1);
  }
  emit_wide(b, &(least_squares_terms_t){low[0], low[1], low[2], low[3], low[4]}, wide);
  emit_tall(b, &(least_squares_terms_t){high[0], high[1], high[2], high[3], high[4]}, tall);
  for (int i = 0; i < 2; i++)
    out[i] = SLI_EMIT_WITH(b, "Merge", SLI_INPUTS(wide[i], tall[i]), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
}

static sli_status_t *least_squares_gradient(sli_gradient_builder_t *b) {
  bool fast;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "fast", &fast));
  if (!fast) return sli_status_make(SLI_INVALID_ARGUMENT, "Gradient not defined for fast=False");
  sli_output_t a = sli_gradient_input(b, 0), out[2];
  least_squares_terms_t terms = {.a = a,
                                 .rhs = sli_gradient_input(b, 1),
                                 .x = sli_gradient_output(b, 0),
                                 .g = sli_gradient_of_output(b, 0),
                                 .lambda = sli_emit_cast(b, sli_gradient_input(b, 2), sli_gradient_dtype(b, a))};
  sli_shape_t shape = b->shape(b, a);
  if (shape.rank < 2 || sli_infer_dim(shape, -2) < 0 || sli_infer_dim(shape, -1) < 0)
    emit_either(b, &terms, out);
  else if (sli_infer_dim(shape, -2) >= sli_infer_dim(shape, -1))
    emit_tall(b, &terms, out);
  else
    emit_wide(b, &terms, out);
  sli_gradient_set(b, 0, out[0]);
  sli_gradient_set(b, 1, out[1]);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "MatrixSolve",
     .inputs = "matrix: T, rhs: T",
     .outputs = "output: T",
     .attrs = "adjoint: bool = false; T: {double, float, half, complex64, complex128}",
     .shape = solve_shape,
     .gradient = solve_gradient},
    {.name = "BatchMatrixSolve",
     .inputs = "matrix: T, rhs: T",
     .outputs = "output: T",
     .attrs = "adjoint: bool = false; T: {double, float}",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 13,
     .deprecation = "Use MatrixSolve instead."},
    {.name = "MatrixSolveLs",
     .inputs = "matrix: T, rhs: T, l2_regularizer: double",
     .outputs = "output: T",
     .attrs = "T: {double, float, half, complex64, complex128}; fast: bool = true",
     .shape = least_squares_shape,
     .gradient = least_squares_gradient},
    {.name = "BatchMatrixSolveLs",
     .inputs = "matrix: T, rhs: T, l2_regularizer: double",
     .outputs = "output: T",
     .attrs = "T: {double, float}; fast: bool = true",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 13,
     .deprecation = "Use MatrixSolveLs instead."},
};

#define REAL (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
#define ROW(op_name, in, function, price) \
  { .op = op_name, .types = in, .compute = function, .expensive = true, .cost = price }
static const sli_kernel_def_t kernels[] = {
    ROW("MatrixSolve", REAL | SLI_TYPES_COMPLEX, solve, 20),
    ROW("BatchMatrixSolve", REAL, solve, 20),
    ROW("MatrixSolveLs", REAL | SLI_TYPES_COMPLEX, least_squares, 30),
    ROW("BatchMatrixSolveLs", REAL, least_squares, 30),
};

SLI_OP_MODULE(solve);
