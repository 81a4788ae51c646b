// SelfAdjointEig, SelfAdjointEigV2: eigenvalues, ascending, and eigenvectors of Hermitian matrices, of which only the
// lower triangle is read. Eig: those of any matrix, in no particular order, as complex numbers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op/emit.h"
#include "math/fp_mode.h"
#include "math/lapack.h"
#include "ops/linalg/linalg.h"
#include "ops/math/matmul.h"

typedef struct {
  bool compute_v;
  bool packed;  // SelfAdjointEig: values and vectors in one output
} eigen_options_t;

static sli_dtype_t real_of(sli_dtype_t dtype) {
  return dtype == SLI_DTYPE_COMPLEX64 ? SLI_DTYPE_FLOAT : dtype == SLI_DTYPE_COMPLEX128 ? SLI_DTYPE_DOUBLE : dtype;
}

static bool all_finite(sli_dtype_t dtype, const void *values, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    double complex value = sli_linalg_get(dtype, values, i);
    if (!isfinite(creal(value)) || !isfinite(cimag(value))) return false;
  }
  return true;
}

// LAPACK sees the conjugate of the matrix, and its upper triangle: its eigenvectors are the conjugates of ours.
static sli_status_t *self_adjoint_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  const eigen_options_t *options = batch->options;
  sli_dtype_t dtype = batch->dtype;
  int64_t n = batch->rows[0];
  void *a;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(dtype, n * n + n, &a));
  void *values = (char *)a + batch->in_stride[0];
  memcpy(a, sli_linalg_in(batch, 0, index), batch->in_stride[0]);
  sli_fp_mode_t mode = sli_fp_mode_keep_denormals();
  int info =
      all_finite(dtype, a, n * n) ? sli_lapack_syevd(dtype, options->compute_v ? 'V' : 'N', 'U', (int)n, a, values) : 1;
  sli_fp_mode_restore(mode);
  sli_status_t *status = NULL;
  if (info == SLI_LAPACK_NO_MEMORY) {
    status = sli_linalg_no_memory();
  } else if (info != 0) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, options->packed
                                                       ? "Self Adjoint Eigen decomposition wasnot successful. The "
                                                         "input might not be valid."
                                                       : "Self-adjoint eigen decomposition was not successful. The "
                                                         "input might not be valid.");
  } else {
    void *out = sli_linalg_out(batch, 0, index);
    for (int64_t i = 0; i < n; i++) sli_linalg_put(dtype, out, i, sli_linalg_get(real_of(dtype), values, i));
    void *vectors = options->packed ? (char *)out + (size_t)n * sli_dtype_size(dtype) : NULL;
    if (!options->packed && options->compute_v) vectors = sli_linalg_out(batch, 1, index);
    if (vectors) sli_linalg_transpose(dtype, n, n, a, vectors, true);
  }
  free(a);
  return status;
}

static sli_status_t *run_self_adjoint(sli_linalg_batch_t *batch, const eigen_options_t *options) {
  if (batch->rows[0] == 0) return NULL;
  batch->options = options;
  double n = (double)batch->rows[0];
  return sli_linalg_run(batch, (options->compute_v ? 5 : 1) * n * n * n + 1000, self_adjoint_matrix);
}

static sli_status_t *self_adjoint(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  eigen_options_t options = {0};
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "compute_v", &options.compute_v));
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_linalg_require_square(&batch));
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 0, 1, batch.rows[0], 0));
  SLI_RETURN_IF_ERROR(options.compute_v ? sli_linalg_output(&batch, 1, 2, batch.rows[0], batch.rows[0])
                                        : sli_linalg_output_unused(&batch, 1));
  return run_self_adjoint(&batch, &options);
}

static sli_status_t *self_adjoint_packed(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  eigen_options_t options = {.compute_v = true, .packed = true};
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_linalg_require_square(&batch));
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 0, 2, batch.rows[0] + 1, batch.rows[0]));
  return run_self_adjoint(&batch, &options);
}

static sli_status_t *eig_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  const eigen_options_t *options = batch->options;
  bool single = batch->dtype == SLI_DTYPE_FLOAT || batch->dtype == SLI_DTYPE_COMPLEX64;
  sli_dtype_t dtype = single ? SLI_DTYPE_COMPLEX64 : SLI_DTYPE_COMPLEX128;
  int64_t n = batch->rows[0];
  size_t bytes = (size_t)(n * n) * sli_dtype_size(dtype);
  const void *input = sli_linalg_in(batch, 0, index);
  void *a;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(dtype, 2 * n * n, &a));
  void *vectors = options->compute_v ? (char *)a + bytes : NULL;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) sli_linalg_put(dtype, a, j * n + i, sli_linalg_get(batch->dtype, input, i * n + j));
  sli_fp_mode_t mode = sli_fp_mode_keep_denormals();
  int info =
      all_finite(dtype, a, n * n) ? sli_lapack_geev(dtype, (int)n, a, sli_linalg_out(batch, 0, index), vectors) : 1;
  sli_fp_mode_restore(mode);
  sli_status_t *status = NULL;
  if (info == SLI_LAPACK_NO_MEMORY)
    status = sli_linalg_no_memory();
  else if (info != 0)
    status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Eigen decomposition was not successful. The input might not be valid.");
  else if (vectors)
    sli_linalg_transpose(dtype, n, n, vectors, sli_linalg_out(batch, 1, index), false);
  free(a);
  return status;
}

static sli_status_t *eig(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  eigen_options_t options = {0};
  sli_dtype_t wanted;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "compute_v", &options.compute_v));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "Tout", &wanted));
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 1, &batch));
  bool single = batch.dtype == SLI_DTYPE_FLOAT || batch.dtype == SLI_DTYPE_COMPLEX64;
  sli_dtype_t computed = single ? SLI_DTYPE_COMPLEX64 : SLI_DTYPE_COMPLEX128;
  if (wanted != computed)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid output dtype %d vs %d", (int)wanted, (int)computed);
  SLI_RETURN_IF_ERROR(sli_linalg_require_square(&batch));
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 0, 1, batch.rows[0], 0));
  SLI_RETURN_IF_ERROR(options.compute_v ? sli_linalg_output(&batch, 1, 2, batch.rows[0], batch.rows[0])
                                        : sli_linalg_output_unused(&batch, 1));
  if (batch.rows[0] == 0) return NULL;
  batch.options = &options;
  double n = (double)batch.rows[0];
  return sli_linalg_run(&batch, 25 * n * n * n + 1000, eig_matrix);
}

static sli_status_t *eigen_shape(sli_infer_context_t *c) {
  sli_shape_t batch;
  int64_t n;
  bool compute_v;
  SLI_RETURN_IF_ERROR(sli_linalg_shape_square(c, 0, &batch, &n));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "compute_v", &compute_v));
  int64_t dims[] = {n, n}, none[] = {0};
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batch, sli_infer_make(c, 1, dims)));
  sli_infer_set_output(
      c, 1, compute_v ? sli_infer_concatenate(c, batch, sli_infer_make(c, 2, dims)) : sli_infer_make(c, 1, none));
  return NULL;
}

static sli_status_t *packed_shape(sli_infer_context_t *c) {
  sli_shape_t batch;
  int64_t n;
  SLI_RETURN_IF_ERROR(sli_linalg_shape_square(c, 0, &batch, &n));
  int64_t dims[] = {n < 0 ? -1 : n + 1, n};
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batch, sli_infer_make(c, 2, dims)));
  return NULL;
}

// The eigenvectors, computed again if the op did not.
static sli_output_t emit_vectors(sli_gradient_builder_t *b, const char *op, bool compute_v) {
  if (compute_v) return sli_gradient_output(b, 1);
  if (strcmp(op, "Eig") != 0) return sli_output_at(sli_emit1(b, op, sli_gradient_input(b, 0)), 1);
  sli_dtype_t dtype = sli_gradient_dtype(b, sli_gradient_output(b, 0));
  return sli_output_at(
      SLI_EMIT_WITH(b, op, SLI_INPUTS(sli_gradient_input(b, 0)), SLI_ATTRS(SLI_ATTR_TYPE_OF("Tout", dtype))), 1);
}

static sli_status_t *self_adjoint_gradient(sli_gradient_builder_t *b) {
  bool compute_v;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "compute_v", &compute_v));
  sli_output_t v = emit_vectors(b, "SelfAdjointEigV2", compute_v);
  sli_output_t middle = sli_linalg_emit_diag(b, sli_gradient_of_output(b, 0));
  if (compute_v) {
    sli_output_t moved = sli_matmul_emit_batch(b, v, sli_gradient_of_output(b, 1), true, false);
    sli_output_t gaps = sli_linalg_emit_gaps(b, sli_gradient_output(b, 0));
    middle = sli_emit2(b, "AddV2", middle, sli_emit_mul(b, gaps, moved));
  }
  sli_output_t g = sli_matmul_emit_batch(b, v, sli_matmul_emit_batch(b, middle, v, false, true), false, false);
  // Only the lower triangle is read.
  g = sli_linalg_emit_lower(b, sli_emit2(b, "AddV2", g, sli_linalg_emit_adjoint(b, g)));
  sli_output_t half = sli_emit_scale(b, sli_linalg_emit_diag_part(b, g), 0.5);
  return sli_emit_set(b, sli_linalg_emit_set_diag(b, g, half));
}

static sli_status_t *eig_gradient(sli_gradient_builder_t *b) {
  bool compute_v;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "compute_v", &compute_v));
  sli_output_t v = emit_vectors(b, "Eig", compute_v), adjoint = sli_linalg_emit_adjoint(b, v);
  sli_output_t middle = sli_linalg_emit_diag(b, sli_gradient_of_output(b, 0));
  sli_dtype_t dtype = sli_gradient_dtype(b, v), input = sli_gradient_dtype(b, sli_gradient_input(b, 0));
  sli_dtype_t part = real_of(dtype);
  if (compute_v) {
    sli_output_t gaps = sli_emit1(b, "Conj", sli_linalg_emit_gaps(b, sli_gradient_output(b, 0)));
    sli_output_t moved = sli_matmul_emit_batch(b, adjoint, sli_gradient_of_output(b, 1), false, false);
    sli_output_t real = SLI_EMIT_WITH(b, "Real", SLI_INPUTS(moved), SLI_ATTRS(SLI_ATTR_TYPE_OF("Tout", part)));
    sli_output_t diagonal = sli_linalg_emit_diag(b, sli_linalg_emit_diag_part(b, sli_emit_cast(b, real, dtype)));
    // Eigenvectors keep their length.
    sli_output_t gram = sli_matmul_emit_batch(b, adjoint, v, false, false);
    sli_output_t free_part = sli_emit2(b, "Sub", moved, sli_matmul_emit_batch(b, gram, diagonal, false, false));
    middle = sli_emit2(b, "AddV2", middle, sli_emit_mul(b, gaps, free_part));
  }
  sli_output_t g = sli_emit2(b, "MatrixSolve", adjoint, sli_matmul_emit_batch(b, middle, adjoint, false, false));
  return sli_emit_set(b, sli_emit_cast(b, g, input));
}

static const sli_op_def_t ops[] = {
    {.name = "SelfAdjointEigV2",
     .inputs = "input: T",
     .outputs = "e: T, v: T",
     .attrs = "compute_v: bool = true; T: {double, float, half, complex64, complex128}",
     .shape = eigen_shape,
     .gradient = self_adjoint_gradient},
    {.name = "BatchSelfAdjointEigV2",
     .inputs = "input: T",
     .outputs = "e: T, v: T",
     .attrs = "compute_v: bool = true; T: {double, float}",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 13,
     .deprecation = "Use SelfAdjointEigV2 instead."},
    {.name = "SelfAdjointEig",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {double, float, half}",
     .shape = packed_shape,
     .deprecated_in = 11,
     .deprecation = "Use SelfAdjointEigV2 instead."},
    {.name = "BatchSelfAdjointEig",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {double, float}",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 11,
     .deprecation = "Use SelfAdjointEigV2 instead."},
    {.name = "Eig",
     .inputs = "input: T",
     .outputs = "e: Tout, v: Tout",
     .attrs = "compute_v: bool = true; T: {float, double, complex64, complex128}; Tout: {complex64, complex128}",
     .shape = eigen_shape,
     .gradient = eig_gradient},
};

#define REAL (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
#define ROW(op_name, in, function, price) \
  { .op = op_name, .types = in, .compute = function, .expensive = true, .cost = price }
static const sli_kernel_def_t kernels[] = {
    ROW("SelfAdjointEigV2", REAL | SLI_TYPES_COMPLEX, self_adjoint, 100),
    ROW("BatchSelfAdjointEigV2", REAL, self_adjoint, 100),
    ROW("SelfAdjointEig", REAL, self_adjoint_packed, 100),
    ROW("BatchSelfAdjointEig", REAL, self_adjoint_packed, 100),
    ROW("Eig", REAL | SLI_TYPES_COMPLEX, eig, 200),
};

SLI_OP_MODULE(eigen);
