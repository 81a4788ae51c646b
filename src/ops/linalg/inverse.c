// MatrixInverse, MatrixDeterminant, LogMatrixDeterminant and Lu: what an LU decomposition with partial pivoting gives.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op/emit.h"
#include "math/half.h"
#include "math/lapack.h"
#include "ops/linalg/linalg.h"
#include "ops/math/matmul.h"

// Decomposes the matrix in |columns| (column-major). INVALID_ARGUMENT if a pivot is zero or not a number.
static sli_status_t *decompose(sli_dtype_t dtype, int64_t n, void *columns, int *pivots) {
  sli_lapack_getrf(dtype, (int)n, columns, pivots);
  for (int64_t i = 0; i < n; i++) {
    if (!(cabs(sli_linalg_get(dtype, columns, i * n + i)) > 0))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input is not invertible.");
  }
  return NULL;
}

typedef struct {
  bool adjoint;
} inverse_options_t;

// A half is inverted in float.
static sli_status_t *inverse_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  const inverse_options_t *options = batch->options;
  bool half = batch->dtype == SLI_DTYPE_HALF;
  sli_dtype_t dtype = half ? SLI_DTYPE_FLOAT : batch->dtype;
  int64_t n = batch->rows[0], count = n * n;
  const void *input = sli_linalg_in(batch, 0, index);
  void *output = sli_linalg_out(batch, 0, index), *columns, *wide = NULL;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(dtype, (half ? 2 * count : count) + n, &columns));
  int *pivots = (int *)((char *)columns + (size_t)count * sli_dtype_size(dtype));
  if (half) {
    wide = (float *)(pivots + n);
    for (int64_t i = 0; i < count; i++) ((float *)wide)[i] = sli_half_to_float(((const uint16_t *)input)[i]);
    input = wide;
  }
  if (options->adjoint) {
    memcpy(columns, input, (size_t)count * sli_dtype_size(dtype));
    sli_linalg_conjugate(dtype, count, columns);
  } else {
    sli_linalg_transpose(dtype, n, n, input, columns, false);
  }
  sli_status_t *status = decompose(dtype, n, columns, pivots);
  if (!status && sli_lapack_getri(dtype, (int)n, columns, pivots) == SLI_LAPACK_NO_MEMORY)
    status = sli_linalg_no_memory();
  if (!status) sli_linalg_transpose(dtype, n, n, columns, half ? wide : output, false);
  if (!status && half) {
    for (int64_t i = 0; i < count; i++) ((uint16_t *)output)[i] = sli_half_from_float(((float *)wide)[i]);
  }
  free(columns);
  return status;
}

static sli_status_t *inverse(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  inverse_options_t options;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "adjoint", &options.adjoint));
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_linalg_require_square(&batch));
  SLI_RETURN_IF_ERROR(sli_linalg_output_in_place(&batch, 0));
  if (batch.rows[0] == 0) return NULL;
  batch.options = &options;
  double n = (double)batch.rows[0];
  return sli_linalg_run(&batch, n * n * n / 2 + 300, inverse_matrix);
}

// The sign (a phase, of complex matrices) and the logarithm of the absolute value.
static sli_status_t *log_determinant(const sli_linalg_batch_t *batch, int64_t index, double complex *out_sign,
                                     double *out_log) {
  sli_dtype_t dtype = batch->dtype;
  int64_t n = batch->rows[0];
  void *columns;
  *out_sign = 1;
  *out_log = 0;
  if (n == 0) return NULL;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(dtype, n * n + n, &columns));
  int *pivots = (int *)((char *)columns + (size_t)(n * n) * sli_dtype_size(dtype));
  sli_linalg_transpose(dtype, n, n, sli_linalg_in(batch, 0, index), columns, false);
  sli_lapack_getrf(dtype, (int)n, columns, pivots);
  for (int64_t i = 0; i < n; i++) {
    double complex pivot = sli_linalg_get(dtype, columns, i * n + i);
    double magnitude = cabs(pivot);
    *out_log += log(magnitude);
    *out_sign *= (pivots[i] == i + 1 ? 1 : -1) * (pivot / magnitude);
  }
  free(columns);
  if (!isfinite(*out_log)) {
    *out_sign = 0;
    *out_log = *out_log > 0 ? INFINITY : -INFINITY;
  }
  return NULL;
}

static sli_status_t *determinant_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  double complex sign;
  double logarithm;
  SLI_RETURN_IF_ERROR(log_determinant(batch, index, &sign, &logarithm));
  double magnitude = exp(logarithm);
  sli_linalg_put(batch->dtype, batch->out[0], index, CMPLX(creal(sign) * magnitude, cimag(sign) * magnitude));
  return NULL;
}

static sli_status_t *log_determinant_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  double complex sign;
  double logarithm;
  SLI_RETURN_IF_ERROR(log_determinant(batch, index, &sign, &logarithm));
  sli_linalg_put(batch->dtype, batch->out[0], index, sign);
  sli_linalg_put(batch->dtype, batch->out[1], index, logarithm);
  return NULL;
}

static sli_status_t *determinants(sli_kernel_context_t *context, int outputs, sli_linalg_fn_t compute) {
  sli_linalg_batch_t batch;
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_linalg_require_square(&batch));
  for (int i = 0; i < outputs; i++) SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, i, 0, 0, 0));
  double n = (double)batch.rows[0];
  return sli_linalg_run(&batch, n * n * n / 6 + 300, compute);
}

static sli_status_t *determinant(sli_kernel_context_t *context) { return determinants(context, 1, determinant_matrix); }
static sli_status_t *log_determinants(sli_kernel_context_t *context) {
  return determinants(context, 2, log_determinant_matrix);
}

// The same decomposition, row-major. LAPACK compares complex pivots by |re| + |im|, TensorFlow by their absolute value,
// and the order of rows is a result here.
#define DECOMPOSE_ROWS(name, T, ABS)                                               \
  static void name(int64_t n, T *a, int *pivots) {                                 \
    for (int64_t k = 0; k < n; k++) {                                              \
      int64_t best = k;                                                            \
      for (int64_t i = k + 1; i < n; i++)                                          \
        if (ABS(a[i * n + k]) > ABS(a[best * n + k])) best = i;                    \
      pivots[k] = (int)best + 1;                                                   \
      for (int64_t j = 0; j < n && best != k; j++) {                               \
        T value = a[k * n + j];                                                    \
        a[k * n + j] = a[best * n + j];                                            \
        a[best * n + j] = value;                                                   \
      }                                                                            \
      for (int64_t i = k + 1; i < n && a[k * n + k] != 0; i++) {                   \
        T factor = a[i * n + k] /= a[k * n + k];                                   \
        for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j]; \
      }                                                                            \
    }                                                                              \
  }
DECOMPOSE_ROWS(decompose_rows_complex64, float complex, cabsf)
DECOMPOSE_ROWS(decompose_rows_complex128, double complex, cabs)

// |lu| receives the factors, |pivots| what each row was exchanged with, counted from 1.
static sli_status_t *decompose_rows(const sli_linalg_batch_t *batch, int64_t index, void *scratch, int *pivots) {
  int64_t n = batch->rows[0];
  sli_dtype_t dtype = batch->dtype;
  const void *input = sli_linalg_in(batch, 0, index);
  void *lu = sli_linalg_out(batch, 0, index);
  if (dtype == SLI_DTYPE_FLOAT || dtype == SLI_DTYPE_DOUBLE) {
    sli_linalg_transpose(dtype, n, n, input, scratch, false);
    sli_lapack_getrf(dtype, (int)n, scratch, pivots);
    sli_linalg_transpose(dtype, n, n, scratch, lu, false);
  } else {
    if (input != lu) memcpy(lu, input, batch->in_stride[0]);
    if (dtype == SLI_DTYPE_COMPLEX64)
      decompose_rows_complex64(n, lu, pivots);
    else
      decompose_rows_complex128(n, lu, pivots);
  }
  for (int64_t i = 0; i < n; i++) {
    if (!(cabs(sli_linalg_get(dtype, lu, i * n + i)) > 0))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input is not invertible.");
  }
  return NULL;
}

static sli_status_t *lu_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  int64_t n = batch->rows[0];
  bool wide = batch->out_stride[1] == (size_t)n * sizeof(int64_t);
  void *columns, *order = sli_linalg_out(batch, 1, index);
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(batch->dtype, n * n + 2 * n, &columns));
  int *pivots = (int *)((char *)columns + (size_t)(n * n) * sli_dtype_size(batch->dtype)), *rows = pivots + n;
  sli_status_t *status = decompose_rows(batch, index, columns, pivots);
  for (int i = 0; i < n; i++) rows[i] = i;
  for (int i = 0; i < n; i++) {
    int other = pivots[i] - 1, row = rows[i];
    rows[i] = rows[other];
    rows[other] = row;
  }
  for (int i = 0; i < n; i++) {
    if (wide)
      ((int64_t *)order)[i] = rows[i];
    else
      ((int32_t *)order)[i] = rows[i];
  }
  free(columns);
  return status;
}

static sli_status_t *lu(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  int rank = sli_kernel_input(context, 0)->rank;
  if (rank < 2) return sli_status_make(SLI_INVALID_ARGUMENT, "Input tensor must have rank >= 2, got %d", rank);
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_linalg_require_square(&batch));
  SLI_RETURN_IF_ERROR(sli_linalg_output_in_place(&batch, 0));
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 1, 1, batch.rows[0], 0));
  if (batch.rows[0] == 0) return NULL;
  double n = (double)batch.rows[0];
  return sli_linalg_run(&batch, n * n * n / 6 + 300, lu_matrix);
}

static sli_status_t *determinant_shape(sli_infer_context_t *c) {
  sli_shape_t batch;
  int64_t n;
  SLI_RETURN_IF_ERROR(sli_linalg_shape_square(c, 0, &batch, &n));
  for (int i = 0; i < c->node->output_count; i++) sli_infer_set_output(c, i, batch);
  return NULL;
}

static sli_status_t *lu_shape(sli_infer_context_t *c) {
  sli_shape_t batch;
  int64_t n;
  SLI_RETURN_IF_ERROR(sli_linalg_shape_square(c, 0, &batch, &n));
  int64_t dims[] = {n, n};
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batch, sli_infer_make(c, 2, dims)));
  sli_infer_set_output(c, 1, sli_infer_concatenate(c, batch, sli_infer_make(c, 1, dims)));
  return NULL;
}

static sli_status_t *inverse_gradient(sli_gradient_builder_t *b) {
  bool adjoint;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "adjoint", &adjoint));
  sli_output_t y = sli_gradient_output(b, 0);
  sli_output_t right = sli_matmul_emit_batch(b, sli_gradient_of_output(b, 0), y, adjoint, !adjoint);
  return sli_emit_set(b, sli_emit1(b, "Neg", sli_matmul_emit_batch(b, y, right, !adjoint, false)));
}

// |factors|, one for each matrix, times the adjoint of the inverse.
static sli_status_t *emit_scaled_inverse(sli_gradient_builder_t *b, sli_output_t factors) {
  sli_output_t inverse_adjoint = SLI_EMIT_WITH(b, "MatrixInverse", SLI_INPUTS(sli_gradient_input(b, 0)),
                                               SLI_ATTRS(SLI_ATTR_BOOL_OF("adjoint", true)));
  sli_output_t last = sli_gradient_const_int32(b, -1);
  sli_output_t column = sli_emit2(b, "ExpandDims", factors, last);
  return sli_emit_set(b, sli_emit_mul(b, sli_emit2(b, "ExpandDims", column, last), inverse_adjoint));
}

static sli_status_t *determinant_gradient(sli_gradient_builder_t *b) {
  return emit_scaled_inverse(b, sli_emit_mul(b, sli_gradient_of_output(b, 0), sli_gradient_output(b, 0)));
}
static sli_status_t *log_determinant_gradient(sli_gradient_builder_t *b) {
  return emit_scaled_inverse(b, sli_gradient_of_output(b, 1));
}

static const sli_op_def_t ops[] = {
    {.name = "MatrixInverse",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "adjoint: bool = false; T: {double, float, half, complex64, complex128}",
     .shape = sli_linalg_shape_unchanged_square,
     .gradient = inverse_gradient},
    {.name = "BatchMatrixInverse",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "adjoint: bool = false; T: {double, float}",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 13,
     .deprecation = "Use MatrixInverse instead."},
    {.name = "MatrixDeterminant",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {half, float, double, complex64, complex128}",
     .shape = determinant_shape,
     .gradient = determinant_gradient},
    {.name = "BatchMatrixDeterminant",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {float, double, complex64, complex128}",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 13,
     .deprecation = "Use MatrixDeterminant instead."},
    {.name = "LogMatrixDeterminant",
     .inputs = "input: T",
     .outputs = "sign: T, log_abs_determinant: T",
     .attrs = "T: {half, float, double, complex64, complex128}",
     .shape = determinant_shape,
     .gradient = log_determinant_gradient},
    {.name = "Lu",
     .inputs = "input: T",
     .outputs = "lu: T, p: output_idx_type",
     .attrs = "T: {double, float, half, complex64, complex128}; output_idx_type: {int32, int64} = DT_INT32",
     .shape = lu_shape},
};

#define ALL (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_COMPLEX)
#define ROW(op_name, in, function, price) \
  { .op = op_name, .types = in, .compute = function, .expensive = true, .cost = price }
static const sli_kernel_def_t kernels[] = {
    ROW("MatrixInverse", ALL | SLI_TYPE_HALF, inverse, 30),
    ROW("BatchMatrixInverse", SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, inverse, 30),
    ROW("MatrixDeterminant", ALL, determinant, 15),
    ROW("BatchMatrixDeterminant", ALL, determinant, 15),
    ROW("LogMatrixDeterminant", ALL, log_determinants, 15),
    ROW("Lu", ALL, lu, 15),
};

SLI_OP_MODULE(inverse);
