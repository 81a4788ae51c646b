// MatrixExponential, by scaling, a Padé approximant and squaring (N. Higham, "The scaling and squaring method for the
// matrix exponential revisited", 2005). MatrixSquareRoot and MatrixLogarithm, by the complex Schur form (A. Björck and
// S. Hammarling 1983; the logarithm by inverse scaling and squaring, N. Higham, "Functions of Matrices", 11.5).
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op/emit.h"
#include "math/lapack.h"
#include "ops/linalg/linalg.h"
#include "ops/math/matmul.h"

static bool is_complex(sli_dtype_t dtype) { return dtype == SLI_DTYPE_COMPLEX64 || dtype == SLI_DTYPE_COMPLEX128; }

// All functions compute in double. Scratch for |count| matrices of n by n numbers of double complex.
static sli_status_t *allocate_matrices(int64_t n, int count, double complex **out_memory) {
  void *memory;
  sli_status_t *status = sli_linalg_scratch(SLI_DTYPE_COMPLEX128, n * n * count, &memory);
  *out_memory = memory;
  return status;
}

static double one_norm(const double complex *a, int64_t n) {
  double most = 0;
  for (int64_t j = 0; j < n; j++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += cabs(a[i * n + j]);
    if (!(sum <= most)) most = sum;  // also not a number
  }
  return most;
}

static sli_status_t *multiply(int64_t n, const double complex *a, const double complex *b, double complex *c) {
  return sli_linalg_multiply(SLI_DTYPE_COMPLEX128, n, n, n, a, false, b, false, c);
}

// b := a^-1 b, row-major; |a| is destroyed. |scratch| has room for a matrix.
static sli_status_t *solve_in_place(int64_t n, double complex *a, double complex *b, double complex *scratch) {
  void *pivots;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(SLI_DTYPE_FLOAT, n, &pivots));
  sli_linalg_transpose(SLI_DTYPE_COMPLEX128, n, n, a, scratch, false);
  memcpy(a, scratch, (size_t)(n * n) * sizeof(*a));
  sli_linalg_transpose(SLI_DTYPE_COMPLEX128, n, n, b, scratch, false);
  sli_lapack_getrf(SLI_DTYPE_COMPLEX128, (int)n, a, pivots);
  sli_lapack_getrs(SLI_DTYPE_COMPLEX128, 'N', (int)n, (int)n, a, pivots, scratch);
  sli_linalg_transpose(SLI_DTYPE_COMPLEX128, n, n, scratch, b, false);
  free(pivots);
  return NULL;
}

static void load(const sli_linalg_batch_t *batch, int64_t index, double complex *to) {
  const void *input = sli_linalg_in(batch, 0, index);
  for (int64_t i = 0; i < batch->rows[0] * batch->rows[0]; i++) to[i] = sli_linalg_get(batch->dtype, input, i);
}

static void store(const sli_linalg_batch_t *batch, int64_t index, const double complex *from) {
  void *output = sli_linalg_out(batch, 0, index);
  for (int64_t i = 0; i < batch->rows[0] * batch->rows[0]; i++) sli_linalg_put(batch->dtype, output, i, from[i]);
}

// The approximant of degree 13: exp(A) = (V - U)^-1 (V + U), U odd and V even in A.
static sli_status_t *exponential(int64_t n, double complex *a, double complex *memory) {
  static const double c[] = {64764752532480000,
                             32382376266240000,
                             7771770303897600,
                             1187353796428800,
                             129060195264000,
                             10559470521600,
                             670442572800,
                             33522128640,
                             1323241920,
                             40840800,
                             960960,
                             16380,
                             182,
                             1};
  int64_t count = n * n;
  double norm = one_norm(a, n);
  int squarings = 0;
  if (isfinite(norm) && norm > 5.371920351148152) squarings = (int)ceil(log2(norm / 5.371920351148152));
  for (int64_t i = 0; i < count; i++) a[i] = CMPLX(ldexp(creal(a[i]), -squarings), ldexp(cimag(a[i]), -squarings));
  double complex *a2 = memory, *a4 = a2 + count, *a6 = a4 + count, *u = a6 + count, *v = u + count, *w = v + count;
  SLI_RETURN_IF_ERROR(multiply(n, a, a, a2));
  SLI_RETURN_IF_ERROR(multiply(n, a2, a2, a4));
  SLI_RETURN_IF_ERROR(multiply(n, a4, a2, a6));
  for (int64_t i = 0; i < count; i++) w[i] = c[13] * a6[i] + c[11] * a4[i] + c[9] * a2[i];
  SLI_RETURN_IF_ERROR(multiply(n, a6, w, v));
  for (int64_t i = 0; i < count; i++)
    v[i] += c[7] * a6[i] + c[5] * a4[i] + c[3] * a2[i] + (i % (n + 1) == 0 ? c[1] : 0);
  SLI_RETURN_IF_ERROR(multiply(n, a, v, u));
  for (int64_t i = 0; i < count; i++) w[i] = c[12] * a6[i] + c[10] * a4[i] + c[8] * a2[i];
  SLI_RETURN_IF_ERROR(multiply(n, a6, w, v));
  for (int64_t i = 0; i < count; i++)
    v[i] += c[6] * a6[i] + c[4] * a4[i] + c[2] * a2[i] + (i % (n + 1) == 0 ? c[0] : 0);
  for (int64_t i = 0; i < count; i++) {
    a[i] = u[i] + v[i];
    w[i] = v[i] - u[i];
  }
  SLI_RETURN_IF_ERROR(solve_in_place(n, w, a, u));
  for (int s = 0; s < squarings; s++) {
    memcpy(w, a, (size_t)count * sizeof(*a));
    SLI_RETURN_IF_ERROR(multiply(n, w, w, a));
  }
  return NULL;
}

static sli_status_t *exponential_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  int64_t n = batch->rows[0];
  double complex *memory;
  SLI_RETURN_IF_ERROR(allocate_matrices(n, 7, &memory));
  load(batch, index, memory);
  sli_status_t *status = exponential(n, memory, memory + n * n);
  if (!status) store(batch, index, memory);
  free(memory);
  return status;
}

// The principal square root of the upper triangular |t| (row-major), column by column.
static void triangular_root(int64_t n, const double complex *t, double complex *r) {
  memset(r, 0, (size_t)(n * n) * sizeof(*r));
  for (int64_t j = 0; j < n; j++) {
    r[j * n + j] = csqrt(t[j * n + j]);
    for (int64_t i = j - 1; i >= 0; i--) {
      double complex sum = t[i * n + j], divisor = r[i * n + i] + r[j * n + j];
      for (int64_t k = i + 1; k < j; k++) sum -= r[i * n + k] * r[k * n + j];
      r[i * n + j] = sum == 0 ? 0 : sum / divisor;
    }
  }
}

// The Schur form A = Z T Z^H of |a|; |t| and |z| are row-major. |values| has n elements, |scratch| is a matrix.
static sli_status_t *schur(int64_t n, const double complex *a, double complex *t, double complex *z,
                           double complex *values, double complex *scratch) {
  sli_linalg_transpose(SLI_DTYPE_COMPLEX128, n, n, a, scratch, false);
  int info = sli_lapack_gees(SLI_DTYPE_COMPLEX128, (int)n, scratch, values, z);
  if (info == SLI_LAPACK_NO_MEMORY) return sli_linalg_no_memory();
  if (info != 0) {
    sli_linalg_fill(SLI_DTYPE_COMPLEX128, n * n, t, NAN);
    sli_linalg_fill(SLI_DTYPE_COMPLEX128, n * n, z, NAN);
    return NULL;
  }
  sli_linalg_transpose(SLI_DTYPE_COMPLEX128, n, n, scratch, t, false);
  memcpy(scratch, z, (size_t)(n * n) * sizeof(*z));
  sli_linalg_transpose(SLI_DTYPE_COMPLEX128, n, n, scratch, z, false);
  return NULL;
}

// out = Z f Z^H.
static sli_status_t *from_schur(int64_t n, const double complex *f, const double complex *z, double complex *out,
                                double complex *scratch) {
  SLI_RETURN_IF_ERROR(multiply(n, z, f, scratch));
  return sli_linalg_multiply(SLI_DTYPE_COMPLEX128, n, n, n, scratch, false, z, true, out);
}

static bool all_finite(const double complex *a, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!isfinite(creal(a[i])) || !isfinite(cimag(a[i]))) return false;
  return true;
}

// A real matrix with a negative real eigenvalue has no real root: NaNs, as in TensorFlow.
static bool has_real_root(int64_t n, const double complex *t) {
  double scale = 0;
  for (int64_t i = 0; i < n; i++) scale = fmax(scale, cabs(t[i * n + i]));
  for (int64_t i = 0; i < n; i++) {
    double complex value = t[i * n + i];
    if (creal(value) < -scale * 1e-14 && fabs(cimag(value)) <= scale * 1e-14) return false;
  }
  return true;
}

static sli_status_t *square_root_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  int64_t n = batch->rows[0], count = n * n;
  double complex *memory;
  SLI_RETURN_IF_ERROR(allocate_matrices(n, 6, &memory));
  double complex *a = memory, *t = a + count, *z = t + count, *r = z + count, *scratch = r + count,
                 *values = scratch + count;
  load(batch, index, a);
  sli_status_t *status = NULL;
  if (all_finite(a, count)) {
    status = schur(n, a, t, z, values, scratch);
    triangular_root(n, t, r);
    if (!status) status = from_schur(n, r, z, a, scratch);
    if (!is_complex(batch->dtype) && !has_real_root(n, t)) sli_linalg_fill(SLI_DTYPE_COMPLEX128, count, a, NAN);
  } else {
    sli_linalg_fill(SLI_DTYPE_COMPLEX128, count, a, NAN);
  }
  if (!status) store(batch, index, a);
  free(memory);
  return status;
}

// log(I + X) by the diagonal Padé approximant of degree 7, as partial fractions with the nodes and weights of Gauss and
// Legendre on [0, 1]: Σ w (I + x X)^-1 X. |sum| receives it.
static sli_status_t *logarithm_near_one(int64_t n, const double complex *x, double complex *sum, double complex *left,
                                        double complex *right, double complex *scratch) {
  static const double nodes[] = {0.025446043828620737736, 0.12923440720030278007, 0.29707742431130141655, 0.5,
                                 0.70292257568869858345,  0.87076559279969721993, 0.97455395617137926226};
  static const double weights[] = {0.064742483084434846636, 0.13985269574463833395, 0.19091502525255947248,
                                   0.20897959183673469388,  0.19091502525255947248, 0.13985269574463833395,
                                   0.064742483084434846636};
  int64_t count = n * n;
  memset(sum, 0, (size_t)count * sizeof(*sum));
  for (int node = 0; node < 7; node++) {
    for (int64_t i = 0; i < count; i++) {
      left[i] = nodes[node] * x[i] + (i % (n + 1) == 0);
      right[i] = weights[node] * x[i];
    }
    SLI_RETURN_IF_ERROR(solve_in_place(n, left, right, scratch));
    for (int64_t i = 0; i < count; i++) sum[i] += right[i];
  }
  return NULL;
}

static sli_status_t *logarithm(int64_t n, double complex *a, double complex *memory) {
  int64_t count = n * n;
  double complex *t = memory, *z = t + count, *r = z + count, *left = r + count, *right = left + count,
                 *scratch = right + count, *values = scratch + count;
  SLI_RETURN_IF_ERROR(schur(n, a, t, z, values, scratch));
  bool singular = false;
  for (int64_t i = 0; i < n; i++) {
    values[i] = t[i * n + i];
    singular = singular || values[i] == 0;
  }
  if (singular) {
    sli_linalg_fill(SLI_DTYPE_COMPLEX128, count, a, NAN);
    return NULL;
  }
  // Roots until the matrix is near 1, where the approximant is exact to double precision.
  int roots = 0;
  for (; roots < 60; roots++) {
    for (int64_t i = 0; i < count; i++) a[i] = t[i] - (i % (n + 1) == 0);
    if (!(one_norm(a, n) > 0.25)) break;
    triangular_root(n, t, r);
    memcpy(t, r, (size_t)count * sizeof(*t));
  }
  SLI_RETURN_IF_ERROR(logarithm_near_one(n, a, r, left, right, scratch));
  for (int64_t i = 0; i < count; i++) r[i] = CMPLX(ldexp(creal(r[i]), roots), ldexp(cimag(r[i]), roots));
  for (int64_t i = 0; i < n; i++) r[i * n + i] = clog(values[i]);  // more exact than what many roots leave
  return from_schur(n, r, z, a, scratch);
}

static sli_status_t *logarithm_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  int64_t n = batch->rows[0];
  double complex *memory;
  SLI_RETURN_IF_ERROR(allocate_matrices(n, 8, &memory));
  load(batch, index, memory);
  sli_status_t *status = NULL;
  if (all_finite(memory, n * n))
    status = logarithm(n, memory, memory + n * n);
  else
    sli_linalg_fill(SLI_DTYPE_COMPLEX128, n * n, memory, NAN);
  if (!status) store(batch, index, memory);
  free(memory);
  return status;
}

static sli_status_t *run_function(sli_kernel_context_t *context, double cost, sli_linalg_fn_t compute) {
  sli_linalg_batch_t batch;
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_linalg_require_square(&batch));
  SLI_RETURN_IF_ERROR(sli_linalg_output_in_place(&batch, 0));
  if (batch.rows[0] == 0) return NULL;
  double n = (double)batch.rows[0];
  return sli_linalg_run(&batch, cost * n * n * n + 1000, compute);
}

static sli_status_t *matrix_exponential(sli_kernel_context_t *context) {
  return run_function(context, 20, exponential_matrix);
}
static sli_status_t *matrix_square_root(sli_kernel_context_t *context) {
  return run_function(context, 30, square_root_matrix);
}
static sli_status_t *matrix_logarithm(sli_kernel_context_t *context) {
  return run_function(context, 60, logarithm_matrix);
}

// The Kronecker product of |x| and |y|, of order m each, in batches of the shape |batch|.
static sli_output_t emit_kronecker(sli_gradient_builder_t *b, sli_output_t x, sli_output_t y, sli_output_t batch,
                                   sli_output_t m, sli_output_t m2) {
  sli_output_t one = sli_gradient_const_int32(b, 1), zero = sli_gradient_const_int32(b, 0);
  sli_output_t x_dims = SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(m, one, m, one), SLI_ATTRS(SLI_ATTR_INT_OF("N", 4)));
  sli_output_t y_dims = SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(one, m, one, m), SLI_ATTRS(SLI_ATTR_INT_OF("N", 4)));
  sli_output_t z_dims = SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(m2, m2), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t x_shape =
      SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(batch, x_dims, zero), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t y_shape =
      SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(batch, y_dims, zero), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t z_shape =
      SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(batch, z_dims, zero), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t product = sli_emit_mul(b, sli_emit2(b, "Reshape", x, x_shape), sli_emit2(b, "Reshape", y, y_shape));
  return sli_emit2(b, "Reshape", product, z_shape);
}

// A = R R, so dA = R dR + dR R: a linear system for dR, written with Kronecker products.
static sli_status_t *square_root_gradient(sli_gradient_builder_t *b) {
  sli_output_t r = sli_gradient_output(b, 0), shape = sli_emit_shape(b, r);
  sli_output_t batch = sli_matmul_emit_batch_shape(b, shape), zero = sli_gradient_const_int32(b, 0);
  sli_output_t m = sli_emit3(b, "GatherV2", shape,
                             sli_emit2(b, "Sub", sli_emit1(b, "Rank", r), sli_gradient_const_int32(b, 1)), zero);
  sli_output_t m2 = sli_emit_mul(b, m, m);
  sli_output_t ones = sli_emit1(b, "OnesLike", sli_linalg_emit_diag_part(b, r)), eye = sli_linalg_emit_diag(b, ones);
  sli_output_t first = emit_kronecker(b, eye, sli_linalg_emit_transpose(b, r), batch, m, m2);
  sli_output_t sum = sli_emit2(b, "AddV2", first, emit_kronecker(b, r, eye, batch, m, m2));
  sli_output_t column =
      SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(m2, sli_gradient_const_int32(b, 1)), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t vector_shape =
      SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(batch, column, zero), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t g = sli_linalg_emit_transpose(b, sli_gradient_of_output(b, 0));
  sli_output_t solved = sli_emit2(b, "MatrixSolve", sum, sli_emit2(b, "Reshape", g, vector_shape));
  return sli_emit_set(b, sli_linalg_emit_transpose(b, sli_emit2(b, "Reshape", solved, shape)));
}

static const sli_op_def_t ops[] = {
    {.name = "MatrixExponential",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {double, float, half, complex64, complex128}",
     .shape = sli_linalg_shape_unchanged_square,
     .deprecated_in = 27,
     .deprecation = "Use Python implementation tf.linalg.matrix_exponential instead."},
    {.name = "MatrixLogarithm",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {complex64, complex128}",
     .shape = sli_linalg_shape_unchanged_square},
    {.name = "MatrixSquareRoot",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {double, float, half, complex64, complex128}",
     .shape = sli_linalg_shape_unchanged_square,
     .gradient = square_root_gradient},
};

#define ALL (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_COMPLEX)
static const sli_kernel_def_t kernels[] = {
    {.op = "MatrixExponential", .types = ALL, .compute = matrix_exponential, .expensive = true, .cost = 200},
    {.op = "MatrixLogarithm", .types = SLI_TYPES_COMPLEX, .compute = matrix_logarithm, .expensive = true, .cost = 500},
    {.op = "MatrixSquareRoot", .types = ALL, .compute = matrix_square_root, .expensive = true, .cost = 300},
};

SLI_OP_MODULE(matrix_function);
