// TridiagonalSolve, TridiagonalMatMul and BandedTriangularSolve: matrices that are given by their diagonals.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op/emit.h"
#include "math/broadcast.h"
#include "ops/linalg/linalg.h"
#include "ops/math/matmul.h"

#define T float
#define NAME(x) x##_float
#define ABS fabsf
#define CONJUGATE(x) (x)
#include "ops/linalg/tridiagonal_loops.inc"
#define T double
#define NAME(x) x##_double
#define ABS fabs
#define CONJUGATE(x) (x)
#include "ops/linalg/tridiagonal_loops.inc"
#define T float complex
#define NAME(x) x##_complex64
#define ABS cabsf
#define CONJUGATE(x) conjf(x)
#include "ops/linalg/tridiagonal_loops.inc"
#define T double complex
#define NAME(x) x##_complex128
#define ABS cabs
#define CONJUGATE(x) conj(x)
#include "ops/linalg/tridiagonal_loops.inc"

typedef struct {
  bool pivoting, perturb;
} tridiagonal_options_t;

// The least pivot that perturb_singular leaves alone.
static double least_pivot(const sli_linalg_batch_t *batch, const void *diagonals, int64_t count) {
  bool single = batch->dtype == SLI_DTYPE_FLOAT || batch->dtype == SLI_DTYPE_COMPLEX64;
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, cabs(sli_linalg_get(batch->dtype, diagonals, i)));
  return single ? fmax(FLT_MIN, FLT_EPSILON * most) : fmax(DBL_MIN, DBL_EPSILON * most);
}

// A matrix that cannot be solved gives NaNs and a warning, as in TensorFlow.
static sli_status_t *tridiagonal_solve_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  const tridiagonal_options_t *options = batch->options;
  int64_t n = batch->columns[0], k = batch->columns[1];
  const char *upper = sli_linalg_in(batch, 0, index);
  size_t row = (size_t)n * sli_dtype_size(batch->dtype);
  const void *diagonal = upper + row, *lower = upper + 2 * row, *rhs = sli_linalg_in(batch, 1, index);
  void *x = sli_linalg_out(batch, 0, index), *u;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(batch->dtype, 3 * n, &u));
  double least = options->perturb ? least_pivot(batch, upper, 3 * n) : 0;
  bool solved = false;
#define UPPER(type) ((const type *)(const void *)upper)
  switch (batch->dtype) {
    case SLI_DTYPE_FLOAT:
      solved = options->pivoting ? solve_pivoting_float(UPPER(float), diagonal, lower, rhs, x, n, k, least, u)
                                 : solve_thomas_float(UPPER(float), diagonal, lower, rhs, x, n, k, u);
      break;
    case SLI_DTYPE_DOUBLE:
      solved = options->pivoting ? solve_pivoting_double(UPPER(double), diagonal, lower, rhs, x, n, k, least, u)
                                 : solve_thomas_double(UPPER(double), diagonal, lower, rhs, x, n, k, u);
      break;
    case SLI_DTYPE_COMPLEX64:
      solved = options->pivoting
                   ? solve_pivoting_complex64(UPPER(float complex), diagonal, lower, rhs, x, n, k, least, u)
                   : solve_thomas_complex64(UPPER(float complex), diagonal, lower, rhs, x, n, k, u);
      break;
    default:
      solved = options->pivoting
                   ? solve_pivoting_complex128(UPPER(double complex), diagonal, lower, rhs, x, n, k, least, u)
                   : solve_thomas_complex128(UPPER(double complex), diagonal, lower, rhs, x, n, k, u);
  }
  free(u);
  if (!solved) {
    static sli_linalg_warnings_t warnings;
    sli_linalg_warn(
        &warnings,
        options->pivoting
            ? "The matrix is not invertible. The solution is NaN."
            : "The matrix is either not invertible, or requires pivoting. Try setting partial_pivoting = True. "
              "The solution is NaN.");
    sli_linalg_fill(batch->dtype, n * k, x, NAN);
  }
  return NULL;
}

static sli_status_t *tridiagonal_solve(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  tridiagonal_options_t options;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "partial_pivoting", &options.pivoting));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "perturb_singular", &options.perturb));
  if (options.perturb && !options.pivoting)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Setting perturb_singular requires also setting partial_pivoting.");
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 2, &batch));
  if (batch.rows[0] != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected diagonals to be provided as a matrix with 3 rows, got %lld rows.",
                           (long long)batch.rows[0]);
  if (batch.columns[0] != batch.rows[1])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected the same number of left-hand sides and right-hand sides, got %lld and %lld.",
                           (long long)batch.columns[0], (long long)batch.rows[1]);
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 0, 2, batch.rows[1], batch.columns[1]));
  if (batch.rows[1] == 0 || batch.columns[1] == 0) return NULL;
  batch.options = &options;
  return sli_linalg_run_alone(&batch, (double)(batch.rows[1] * (batch.columns[1] + 2)) * 5 + 50,
                              tridiagonal_solve_matrix);
}

static sli_status_t *tridiagonal_multiply_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  int64_t n = batch->rows[3], k = batch->columns[3];
  const void *upper = sli_linalg_in(batch, 0, index), *diagonal = sli_linalg_in(batch, 1, index);
  const void *lower = sli_linalg_in(batch, 2, index), *rhs = sli_linalg_in(batch, 3, index);
  void *out = sli_linalg_out(batch, 0, index);
  switch (batch->dtype) {
    case SLI_DTYPE_FLOAT: multiply_float(upper, diagonal, lower, rhs, out, n, k); break;
    case SLI_DTYPE_DOUBLE: multiply_double(upper, diagonal, lower, rhs, out, n, k); break;
    case SLI_DTYPE_COMPLEX64: multiply_complex64(upper, diagonal, lower, rhs, out, n, k); break;
    default: multiply_complex128(upper, diagonal, lower, rhs, out, n, k); break;
  }
  return NULL;
}

static sli_status_t *tridiagonal_multiply(sli_kernel_context_t *context) {
  static const char *const names[] = {"superdiagonal", "main diagonal", "subdiagonal"};
  sli_linalg_batch_t batch;
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 4, &batch));
  for (int i = 0; i < 3; i++) {
    if (batch.rows[i] != 1 || batch.columns[i] != batch.rows[3])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid %s shape.", names[i]);
  }
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 0, 2, batch.rows[3], batch.columns[3]));
  if (batch.rows[3] == 0 || batch.columns[3] == 0) return NULL;
  return sli_linalg_run_alone(&batch, (double)(batch.rows[3] * batch.columns[3]) * 2 + 20, tridiagonal_multiply_matrix);
}

// BandedTriangularSolve broadcasts the dimensions before the last two.

typedef struct {
  const sli_broadcast_t *plan;
  const char *matrix, *rhs;
  char *out;
  int64_t n, bands, columns;
  size_t size;
  sli_dtype_t dtype;
  bool lower, adjoint, singular;
} banded_work_t;

static void banded_run(void *context, const int64_t *offsets, const int64_t *strides, int64_t out, int64_t count) {
  banded_work_t *work = context;
  int64_t n = work->n, bands = work->bands, k = work->columns;
  size_t matrix_size = (size_t)(bands * n) * work->size, x_size = (size_t)(n * k) * work->size;
  for (int64_t i = 0; i < count; i++) {
    void *x = work->out + (size_t)(out + i) * x_size;
    const void *a = work->matrix + (size_t)(offsets[0] + i * strides[0]) * matrix_size;
    memcpy(x, work->rhs + (size_t)(offsets[1] + i * strides[1]) * x_size, x_size);
    bool solved;
    switch (work->dtype) {
      case SLI_DTYPE_FLOAT: solved = solve_banded_float(a, x, n, bands, k, work->lower, work->adjoint); break;
      case SLI_DTYPE_DOUBLE: solved = solve_banded_double(a, x, n, bands, k, work->lower, work->adjoint); break;
      case SLI_DTYPE_COMPLEX64: solved = solve_banded_complex64(a, x, n, bands, k, work->lower, work->adjoint); break;
      default: solved = solve_banded_complex128(a, x, n, bands, k, work->lower, work->adjoint); break;
    }
    if (!solved) __atomic_store_n(&work->singular, true, __ATOMIC_RELAXED);
  }
}

static void banded_range(void *context, int64_t begin, int64_t end) {
  banded_work_t *work = context;
  sli_broadcast_walk(work->plan, begin, end, banded_run, work);
}

static sli_status_t *shapes_error(const char *format, const sli_tensor_t *a, const sli_tensor_t *b) {
  char *x = sli_shape_to_text(sli_tensor_shape(a)), *y = sli_shape_to_text(sli_tensor_shape(b));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s %s vs. %s", format, x, y);
  free(x);
  free(y);
  return status;
}

static sli_status_t *banded_check(const sli_tensor_t *a, const sli_tensor_t *b, const banded_work_t *work) {
  if (a->rank < 2) return sli_status_make(SLI_INVALID_ARGUMENT, "In[0] ndims must be >= 2: %d", a->rank);
  if (b->rank < 2) return sli_status_make(SLI_INVALID_ARGUMENT, "In[1] ndims must be >= 2: %d", b->rank);
  const int64_t *am = a->dims + a->rank - 2, *bm = b->dims + b->rank - 2;
  if (am[0] <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "In[0] matrices in the last dimensions must have at least one band");
  if (am[1] == bm[0]) return NULL;
  char *x = sli_shape_to_text(sli_tensor_shape(a)), *y = sli_shape_to_text(sli_tensor_shape(b));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "In[0] mismatch In[1] shape: %lld vs. %lld: %s %s %d %d",
                                         (long long)am[1], (long long)bm[0], x, y, work->lower, work->adjoint);
  free(x);
  free(y);
  return status;
}

static sli_status_t *banded_solve(sli_kernel_context_t *context) {
  sli_tensor_t *a = sli_kernel_input(context, 0), *b = sli_kernel_input(context, 1), *output;
  banded_work_t work = {.dtype = (sli_dtype_t)a->dtype};
  sli_broadcast_t plan;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "lower", &work.lower));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "adjoint", &work.adjoint));
  SLI_RETURN_IF_ERROR(banded_check(a, b, &work));
  const int64_t *am = a->dims + a->rank - 2, *bm = b->dims + b->rank - 2;
  sli_shape_t batches[] = {{a->rank - 2, a->dims}, {b->rank - 2, b->dims}};
  sli_status_t *status = sli_broadcast_plan(batches, 2, &plan);
  if (status) {
    sli_status_release(status);
    return shapes_error("In[0] and In[1] must have compatible batch dimensions:", a, b);
  }
  plan.out_dims[plan.out_rank] = bm[0];
  plan.out_dims[plan.out_rank + 1] = bm[1];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){plan.out_rank + 2, plan.out_dims}, &output));
  if (output->count == 0) return NULL;
  work.plan = &plan;
  work.matrix = a->data;
  work.rhs = b->data;
  work.out = output->data;
  work.bands = am[0];
  work.n = am[1];
  work.columns = bm[1];
  work.size = sli_dtype_size(work.dtype);
  sli_parallel_for(sli_kernel_pool(context), plan.count,
                   (double)work.n * (double)work.bands * (double)work.columns + 50, banded_range, &work);
  return work.singular ? sli_status_make(SLI_INVALID_ARGUMENT, "Input matrix is not invertible.") : NULL;
}

static sli_status_t *tridiagonal_solve_shape(sli_infer_context_t *c) {
  sli_shape_t a, b, batches;
  int64_t n;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &a));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 2, &b));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_subshape(c, a, 0, -2), sli_infer_subshape(c, b, 0, -2), &batches));
  if (a.rank >= 0 && sli_infer_dim(a, -2) >= 0 && sli_infer_dim(a, -2) != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension must be 3 but is %lld", (long long)sli_infer_dim(a, -2));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(a, -1), sli_infer_dim(b, -2), &n));
  sli_infer_set_output(c, 0, b);
  return NULL;
}

static sli_status_t *tridiagonal_multiply_shape(sli_infer_context_t *c) {
  sli_shape_t shapes[4], batches = SLI_SHAPE_UNKNOWN, diagonals = SLI_SHAPE_UNKNOWN;
  int64_t n;
  for (int i = 0; i < 4; i++) {
    SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, i), 2, &shapes[i]));
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, batches, sli_infer_subshape(c, shapes[i], 0, -2), &batches));
    if (i < 3) SLI_RETURN_IF_ERROR(sli_infer_merge(c, diagonals, shapes[i], &diagonals));
  }
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(diagonals, -1), sli_infer_dim(shapes[3], -2), &n));
  int64_t rows;
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(diagonals, -2), 1, &rows));
  sli_infer_set_output(c, 0, shapes[3]);
  return NULL;
}

static sli_status_t *banded_shape(sli_infer_context_t *c) {
  sli_shape_t a, b, batches;
  int64_t n;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &a));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 2, &b));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(a, -1), sli_infer_dim(b, -2), &n));
  SLI_RETURN_IF_ERROR(
      sli_infer_broadcast(c, sli_infer_subshape(c, a, 0, -2), sli_infer_subshape(c, b, 0, -2), &batches));
  int64_t dims[] = {n, sli_infer_dim(b, -1)};
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batches, sli_infer_make(c, 2, dims)));
  return NULL;
}

// Gradients.

// Emits x[..., begin:end] of |axis| (-1 or -2), which may be open at one side.
static sli_output_t emit_range(sli_gradient_builder_t *b, sli_output_t x, int axis, int32_t begin, int32_t end,
                               bool open) {
  int at = axis == -2 ? 1 : 2;  // after the ellipsis
  int32_t begins[3] = {0}, ends[3] = {0}, strides[] = {1, 1, 1};
  begins[at] = begin;
  ends[at] = end;
  int all = 2 | 4, one = 1 << at;
  return SLI_EMIT_WITH(b, "StridedSlice",
                       SLI_INPUTS(x, sli_gradient_const_ints(b, begins, 3), sli_gradient_const_ints(b, ends, 3),
                                  sli_gradient_const_ints(b, strides, 3)),
                       SLI_ATTRS(SLI_ATTR_INT_OF("ellipsis_mask", 1), SLI_ATTR_INT_OF("begin_mask", all & ~one),
                                 SLI_ATTR_INT_OF("end_mask", open ? all : all & ~one)));
}

// Emits |x| moved by one along |axis|: forward, so that element 0 is zero, or backward.
static sli_output_t emit_shift(sli_gradient_builder_t *b, sli_output_t x, int axis, bool forward) {
  sli_output_t edge = emit_range(b, sli_emit1(b, "ZerosLike", x), axis, 0, 1, false);
  sli_output_t rest = forward ? emit_range(b, x, axis, 0, -1, false) : emit_range(b, x, axis, 1, 0, true);
  return SLI_EMIT_WITH(b, "ConcatV2",
                       SLI_INPUTS(forward ? edge : rest, forward ? rest : edge, sli_gradient_const_int32(b, axis)),
                       SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
}

static sli_output_t emit_row_sum(sli_gradient_builder_t *b, sli_output_t x) {
  sli_output_t sum = sli_emit2(b, "Sum", x, sli_gradient_const_int32(b, -1));
  return sli_emit2(b, "ExpandDims", sum, sli_gradient_const_int32(b, -2));
}

static sli_status_t *tridiagonal_multiply_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), rhs = sli_emit_conj(b, sli_gradient_input(b, 3));
  sli_output_t columns[3];
  for (int i = 0; i < 3; i++) columns[i] = sli_linalg_emit_adjoint(b, sli_gradient_input(b, i));
  sli_gradient_set(b, 0, emit_row_sum(b, sli_emit_mul(b, emit_shift(b, rhs, -2, false), g)));
  sli_gradient_set(b, 1, emit_row_sum(b, sli_emit_mul(b, rhs, g)));
  sli_gradient_set(b, 2, emit_row_sum(b, sli_emit_mul(b, emit_shift(b, rhs, -2, true), g)));
  sli_output_t above = emit_shift(b, sli_emit_mul(b, columns[0], g), -2, true);
  sli_output_t below = emit_shift(b, sli_emit_mul(b, columns[2], g), -2, false);
  sli_output_t middle = sli_emit_mul(b, columns[1], g);
  sli_gradient_set(b, 3, sli_emit2(b, "AddV2", sli_emit2(b, "AddV2", above, middle), below));
  return NULL;
}

// Row |index| of the three diagonals, with its dimension kept.
static sli_output_t emit_diagonal(sli_gradient_builder_t *b, sli_output_t diagonals, int index) {
  sli_output_t at = sli_gradient_const_ints(b, (const int32_t[]){index}, 1);
  return sli_emit3(b, "GatherV2", diagonals, at, sli_gradient_const_int32(b, -2));
}

static sli_output_t emit_three(sli_gradient_builder_t *b, sli_output_t upper, sli_output_t diagonal,
                               sli_output_t lower) {
  return SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(upper, diagonal, lower, sli_gradient_const_int32(b, -2)),
                       SLI_ATTRS(SLI_ATTR_INT_OF("N", 3)));
}

static sli_status_t *tridiagonal_solve_gradient(sli_gradient_builder_t *b) {
  bool pivoting, perturb;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "partial_pivoting", &pivoting));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "perturb_singular", &perturb));
  sli_output_t diagonals = sli_gradient_input(b, 0), x = sli_gradient_output(b, 0);
  sli_output_t upper = emit_shift(b, emit_diagonal(b, diagonals, 2), -1, false);
  sli_output_t lower = emit_shift(b, emit_diagonal(b, diagonals, 0), -1, true);
  sli_output_t transposed = emit_three(b, upper, emit_diagonal(b, diagonals, 1), lower);
  sli_output_t rhs = SLI_EMIT_WITH(
      b, "TridiagonalSolve", SLI_INPUTS(transposed, sli_gradient_of_output(b, 0)),
      SLI_ATTRS(SLI_ATTR_BOOL_OF("partial_pivoting", pivoting), SLI_ATTR_BOOL_OF("perturb_singular", perturb)));
  sli_output_t above = emit_row_sum(b, sli_emit_mul(b, rhs, emit_shift(b, x, -2, false)));
  sli_output_t below = emit_row_sum(b, sli_emit_mul(b, rhs, emit_shift(b, x, -2, true)));
  sli_output_t middle = emit_row_sum(b, sli_emit_mul(b, rhs, x));
  sli_gradient_set(b, 0, sli_emit1(b, "Neg", emit_three(b, above, middle, below)));
  sli_gradient_set(b, 1, rhs);
  return NULL;
}

static sli_status_t *banded_gradient(sli_gradient_builder_t *b) {
  bool lower, adjoint;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "lower", &lower));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "adjoint", &adjoint));
  sli_output_t a = sli_gradient_input(b, 0), rhs = sli_gradient_input(b, 1), x = sli_gradient_output(b, 0);
  sli_output_t a_shape = sli_emit_shape(b, a), rhs_shape = sli_emit_shape(b, rhs);
  sli_output_t g_rhs =
      SLI_EMIT_WITH(b, "BandedTriangularSolve", SLI_INPUTS(a, sli_gradient_of_output(b, 0)),
                    SLI_ATTRS(SLI_ATTR_BOOL_OF("lower", lower), SLI_ATTR_BOOL_OF("adjoint", !adjoint)));
  sli_output_t product =
      sli_emit1(b, "Neg", sli_matmul_emit_batch(b, adjoint ? x : g_rhs, adjoint ? g_rhs : x, false, true));
  sli_output_t one = sli_gradient_const_int32(b, 1), zero = sli_gradient_const_int32(b, 0);
  sli_output_t row = sli_emit2(b, "Sub", sli_emit1(b, "Rank", a), sli_gradient_const_int32(b, 2));
  sli_output_t widest = sli_emit2(b, "Sub", sli_emit3(b, "GatherV2", a_shape, row, zero), one);
  sli_output_t k =
      SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(lower ? sli_emit1(b, "Neg", widest) : zero, lower ? zero : widest),
                    SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t g_a =
      SLI_EMIT_WITH(b, "MatrixDiagPartV3", SLI_INPUTS(product, k, sli_gradient_const_like(b, product, 0)),
                    SLI_ATTRS(SLI_ATTR_STRING_OF("align", "LEFT_RIGHT")));
  sli_matmul_set_gradients(b, g_a, a_shape, g_rhs, rhs_shape);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "TridiagonalSolve",
     .inputs = "diagonals: T, rhs: T",
     .outputs = "output: T",
     .attrs =
         "partial_pivoting: bool = true; perturb_singular: bool = false; T: {double, float, complex64, complex128}",
     .shape = tridiagonal_solve_shape,
     .gradient = tridiagonal_solve_gradient},
    {.name = "TridiagonalMatMul",
     .inputs = "superdiag: T, maindiag: T, subdiag: T, rhs: T",
     .outputs = "output: T",
     .attrs = "T: {double, float, complex64, complex128}",
     .shape = tridiagonal_multiply_shape,
     .gradient = tridiagonal_multiply_gradient},
    {.name = "BandedTriangularSolve",
     .inputs = "matrix: T, rhs: T",
     .outputs = "output: T",
     .attrs = "lower: bool = true; adjoint: bool = false; T: {double, float, half, complex64, complex128}",
     .shape = banded_shape,
     .gradient = banded_gradient},
};

#define ALL (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_COMPLEX)
static const sli_kernel_def_t kernels[] = {
    {.op = "TridiagonalSolve", .types = ALL, .compute = tridiagonal_solve, .expensive = true, .cost = 2},
    {.op = "TridiagonalMatMul", .types = ALL, .compute = tridiagonal_multiply, .cost = 0.5},
    {.op = "BandedTriangularSolve", .types = ALL, .compute = banded_solve, .expensive = true, .cost = 2},
};

SLI_OP_MODULE(tridiagonal);
