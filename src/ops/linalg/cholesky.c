// Cholesky: the lower factor L of A = L L^H, of which only the lower triangle is read. A matrix that is not positive
// definite gives NaNs and a warning, as in TensorFlow. CholeskyGrad: its derivative, symmetric.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op/emit.h"
#include "math/lapack.h"
#include "ops/linalg/linalg.h"
#include "ops/math/matmul.h"

static void clear_upper(sli_dtype_t dtype, int64_t n, void *matrix) {
  size_t size = sli_dtype_size(dtype);
  for (int64_t i = 0; i < n; i++)
    memset((char *)matrix + (size_t)(i * n + i + 1) * size, 0, (size_t)(n - 1 - i) * size);
}

// The row-major lower triangle is the upper one of the columns that LAPACK sees, and so is the factor.
static sli_status_t *cholesky_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  int64_t n = batch->rows[0];
  const char *input = sli_linalg_in(batch, 0, index);
  char *output = sli_linalg_out(batch, 0, index);
  size_t size = sli_dtype_size(batch->dtype), row = (size_t)n * size;
  for (size_t i = 0; i < (size_t)n; i++) {
    if (input != output) memcpy(output + i * row, input + i * row, (i + 1) * size);
    memset(output + i * row + (i + 1) * size, 0, row - (i + 1) * size);
  }
  int info = sli_lapack_potrf(batch->dtype, 'U', (int)n, output);
  if (info > 0) {
    static sli_linalg_warnings_t warnings;
    sli_linalg_warn(&warnings,
                    "Cholesky decomposition was not successful. The input might not be valid. The output is NaN.");
    sli_linalg_fill(batch->dtype, n * n, output, NAN);
    clear_upper(batch->dtype, n, output);
  }
  return NULL;
}

static sli_status_t *cholesky(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_linalg_require_square(&batch));
  SLI_RETURN_IF_ERROR(sli_linalg_output_in_place(&batch, 0));
  if (batch.rows[0] == 0) return NULL;
  double n = (double)batch.rows[0];
  return sli_linalg_run(&batch, n * n * n / 12 + 100, cholesky_matrix);
}

// Half of S + S^T, where S = L^-T Φ(L^T G) L^-1 and Φ keeps the lower triangle and half of the diagonal.
static sli_status_t *cholesky_grad_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  sli_dtype_t dtype = batch->dtype;
  int64_t n = batch->rows[0];
  void *output = sli_linalg_out(batch, 0, index), *memory;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(dtype, 3 * n * n, &memory));
  size_t bytes = batch->in_stride[0];
  char *l = memory, *g = l + bytes, *middle = g + bytes;
  memcpy(l, sli_linalg_in(batch, 0, index), bytes);
  memcpy(g, sli_linalg_in(batch, 1, index), bytes);
  clear_upper(dtype, n, l);
  clear_upper(dtype, n, g);
  sli_status_t *status = sli_linalg_multiply(dtype, n, n, n, l, true, g, false, middle);
  if (!status) {
    clear_upper(dtype, n, middle);
    for (int64_t i = 0; i < n; i++)
      sli_linalg_put(dtype, middle, i * n + i, sli_linalg_get(dtype, middle, i * n + i) / 2);
    // By rows: S = L^-T M L^-1. LAPACK sees U = L^T and M^T: X = U^-T M^T from the left, then from the right with U.
    sli_lapack_trsm(dtype, 'R', 'U', 'T', (int)n, (int)n, l, middle);
    sli_lapack_trsm(dtype, 'L', 'U', 'N', (int)n, (int)n, l, middle);
    sli_linalg_transpose(dtype, n, n, middle, g, false);
    for (int64_t i = 0; i < n * n; i++)
      sli_linalg_put(dtype, output, i, (sli_linalg_get(dtype, middle, i) + sli_linalg_get(dtype, g, i)) / 2);
  }
  free(memory);
  return status;
}

static sli_status_t *cholesky_grad(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 2, &batch));
  if (batch.rows[0] != batch.rows[1] || batch.columns[0] != batch.columns[1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Inputs (L and grad) must have the same shape.");
  if (batch.rows[0] != batch.columns[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Inputs must be a square matrices.");
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 0, 2, batch.rows[0], batch.rows[0]));
  if (batch.rows[0] == 0) return NULL;
  double n = (double)batch.rows[0];
  return sli_linalg_run(&batch, n * n * n + 200, cholesky_grad_matrix);
}

static sli_status_t *cholesky_gradient(sli_gradient_builder_t *b) {
  sli_output_t l = sli_gradient_output(b, 0);
  sli_output_t middle = sli_matmul_emit_batch(b, l, sli_gradient_of_output(b, 0), true, false);
  sli_output_t half = sli_emit_scale(b, sli_linalg_emit_diag_part(b, middle), 0.5);
  middle = sli_linalg_emit_lower(b, sli_linalg_emit_set_diag(b, middle, half));
  // L^-H M L^-1, by two triangular solutions: the second one for its adjoint.
  sli_output_t left =
      SLI_EMIT_WITH(b, "MatrixTriangularSolve", SLI_INPUTS(l, middle), SLI_ATTRS(SLI_ATTR_BOOL_OF("adjoint", true)));
  sli_output_t right = SLI_EMIT_WITH(b, "MatrixTriangularSolve", SLI_INPUTS(l, sli_linalg_emit_adjoint(b, left)),
                                     SLI_ATTRS(SLI_ATTR_BOOL_OF("adjoint", true)));
  sli_output_t sum = sli_emit2(b, "AddV2", right, sli_linalg_emit_adjoint(b, right));
  return sli_emit_set(b, sli_emit_scale(b, sum, 0.5));
}

static const sli_op_def_t ops[] = {
    {.name = "Cholesky",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {double, float, half, complex64, complex128}",
     .shape = sli_linalg_shape_unchanged_square,
     .gradient = cholesky_gradient},
    {.name = "BatchCholesky",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {double, float}",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 13,
     .deprecation = "Use Cholesky instead."},
    {.name = "CholeskyGrad",
     .inputs = "l: T, grad: T",
     .outputs = "output: T",
     .attrs = "T: {half, float, double}",
     .shape = sli_linalg_shape_unchanged_square},
    {.name = "BatchCholeskyGrad",
     .inputs = "l: T, grad: T",
     .outputs = "output: T",
     .attrs = "T: {float, double}",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 13,
     .deprecation = "Use CholeskyGrad instead."},
};

#define REAL (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
static const sli_kernel_def_t kernels[] = {
    {.op = "Cholesky", .types = REAL | SLI_TYPES_COMPLEX, .compute = cholesky, .expensive = true, .cost = 10},
    {.op = "BatchCholesky", .types = REAL, .compute = cholesky, .expensive = true, .cost = 10},
    {.op = "CholeskyGrad", .types = REAL, .compute = cholesky_grad, .expensive = true, .cost = 40},
    {.op = "BatchCholeskyGrad", .types = REAL, .compute = cholesky_grad, .expensive = true, .cost = 40},
};

SLI_OP_MODULE(cholesky);
