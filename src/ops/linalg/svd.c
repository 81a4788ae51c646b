// Svd: A = U S V^H, singular values descending; U and V have all columns (full_matrices) or the first min(m, n). The
// signs (phases) of pairs of singular vectors are LAPACK's.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op/emit.h"
#include "math/fp_mode.h"
#include "math/lapack.h"
#include "ops/linalg/linalg.h"
#include "ops/math/matmul.h"

typedef struct {
  bool compute_uv, full;
} svd_options_t;

// LAPACK sees the transpose, A^T = U' S V'^H. So U, by rows, is V'^H by columns, and V is the conjugate of U'.
static sli_status_t *svd_matrix(const sli_linalg_batch_t *batch, int64_t index) {
  const svd_options_t *options = batch->options;
  sli_dtype_t dtype = batch->dtype;
  sli_dtype_t real = dtype == SLI_DTYPE_COMPLEX64    ? SLI_DTYPE_FLOAT
                     : dtype == SLI_DTYPE_COMPLEX128 ? SLI_DTYPE_DOUBLE
                                                     : dtype;
  size_t size = sli_dtype_size(dtype);
  int64_t m = batch->rows[0], n = batch->columns[0], least = m < n ? m : n, v_columns = options->full ? n : least;
  void *memory;
  SLI_RETURN_IF_ERROR(sli_linalg_scratch(dtype, m * n + least + (options->compute_uv ? n * v_columns : 0), &memory));
  char *a = memory, *values = a + (size_t)(m * n) * size, *left = values + (size_t)least * size;
  void *u = options->compute_uv ? sli_linalg_out(batch, 1, index) : a;
  char job = !options->compute_uv ? 'N' : options->full ? 'A' : 'S';
  memcpy(a, sli_linalg_in(batch, 0, index), batch->in_stride[0]);
  sli_fp_mode_t mode = sli_fp_mode_keep_denormals();
  int info = sli_lapack_gesdd(dtype, job, (int)n, (int)m, a, values, left, u);
  sli_fp_mode_restore(mode);
  void *s = sli_linalg_out(batch, 0, index);
  if (info != 0 && info != SLI_LAPACK_NO_MEMORY) {  // not a number, or no convergence
    sli_linalg_fill(dtype, least, s, NAN);
    if (options->compute_uv) {
      sli_linalg_fill(dtype, m * (options->full ? m : least), u, NAN);
      sli_linalg_fill(dtype, n * v_columns, sli_linalg_out(batch, 2, index), NAN);
    }
  } else if (info == 0) {
    for (int64_t i = 0; i < least; i++) sli_linalg_put(dtype, s, i, sli_linalg_get(real, values, i));
    if (options->compute_uv) {
      // |left| is v_columns columns of n; V has them as its columns, by rows.
      sli_linalg_transpose(dtype, v_columns, n, left, sli_linalg_out(batch, 2, index), true);
    }
  }
  free(memory);
  return info == SLI_LAPACK_NO_MEMORY ? sli_linalg_no_memory() : NULL;
}

// Of a matrix without elements U and V are unit matrices.
static void fill_empty(sli_linalg_batch_t *batch, const svd_options_t *options) {
  if (!options->compute_uv) return;
  for (int output = 1; output <= 2; output++) {
    int64_t rows = output == 1 ? batch->rows[0] : batch->columns[0];
    int64_t columns = options->full ? rows : 0;
    for (int64_t i = 0; i < batch->batches * rows * columns; i++)
      sli_linalg_put(batch->dtype, batch->out[output], i, i / columns % rows == i % columns);
  }
}

static sli_status_t *svd(sli_kernel_context_t *context) {
  sli_linalg_batch_t batch;
  svd_options_t options;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "compute_uv", &options.compute_uv));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "full_matrices", &options.full));
  SLI_RETURN_IF_ERROR(sli_linalg_begin(context, 1, &batch));
  int64_t m = batch.rows[0], n = batch.columns[0], least = m < n ? m : n;
  SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 0, 1, least, 0));
  if (options.compute_uv) {
    SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 1, 2, m, options.full ? m : least));
    SLI_RETURN_IF_ERROR(sli_linalg_output(&batch, 2, 2, n, options.full ? n : least));
  } else {
    SLI_RETURN_IF_ERROR(sli_linalg_output_unused(&batch, 1));
    SLI_RETURN_IF_ERROR(sli_linalg_output_unused(&batch, 2));
  }
  if (least == 0) {
    fill_empty(&batch, &options);
    return NULL;
  }
  batch.options = &options;
  return sli_linalg_run(&batch, (options.compute_uv ? 10 : 3) * (double)m * (double)n * (double)least + 1000,
                        svd_matrix);
}

static sli_status_t *svd_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  bool compute_uv, full;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &input));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "compute_uv", &compute_uv));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "full_matrices", &full));
  int64_t m = sli_infer_dim(input, -2), n = sli_infer_dim(input, -1);
  int64_t least = m == 0 || n == 0 ? 0 : m < 0 || n < 0 ? -1 : m < n ? m : n, none[] = {0};
  sli_shape_t batch = sli_infer_subshape(c, input, 0, -2);
  int64_t u[] = {m, full ? m : least}, v[] = {n, full ? n : least};
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batch, sli_infer_make(c, 1, &least)));
  sli_infer_set_output(
      c, 1, compute_uv ? sli_infer_concatenate(c, batch, sli_infer_make(c, 2, u)) : sli_infer_make(c, 1, none));
  sli_infer_set_output(
      c, 2, compute_uv ? sli_infer_concatenate(c, batch, sli_infer_make(c, 2, v)) : sli_infer_make(c, 1, none));
  return NULL;
}

// Columns [first, first + count) of the last dimension.
static sli_output_t emit_columns(sli_gradient_builder_t *b, sli_output_t x, int rank, int64_t first, int64_t count) {
  int32_t begin[SLI_MAX_RANK] = {0}, size[SLI_MAX_RANK];
  for (int d = 0; d < rank; d++) size[d] = -1;
  begin[rank - 1] = (int32_t)first;
  size[rank - 1] = (int32_t)count;
  return sli_emit3(b, "Slice", x, sli_gradient_const_ints(b, begin, rank), sli_gradient_const_ints(b, size, rank));
}

#define PRODUCT(x, y) sli_matmul_emit_batch(b, x, y, false, false)
#define ADJOINT_PRODUCT(x, y) sli_matmul_emit_batch(b, x, y, true, false)
#define PRODUCT_ADJOINT(x, y) sli_matmul_emit_batch(b, x, y, false, true)

// x + x^H.
static sli_output_t emit_symmetric(sli_gradient_builder_t *b, sli_output_t x) {
  return sli_emit2(b, "AddV2", x, sli_linalg_emit_adjoint(b, x));
}

// The gradient for at most as many rows (m) as columns (n).
static sli_output_t emit_wide(sli_gradient_builder_t *b, sli_output_t s, sli_output_t u, sli_output_t v,
                              sli_output_t ds, sli_output_t du, sli_output_t dv, int rank, int64_t m, int64_t n,
                              bool full) {
  bool thin = m == n || !full;  // v has m columns
  sli_output_t v1 = thin ? v : emit_columns(b, v, rank, 0, m), dv1 = thin ? dv : emit_columns(b, dv, rank, 0, m);
  sli_output_t gaps = sli_linalg_emit_gaps(b, sli_emit1(b, "Square", s)), s_mat = sli_linalg_emit_diag(b, s);
  sli_output_t s_inverse = sli_linalg_emit_diag(b, sli_linalg_emit_safe_reciprocal(b, s));
  sli_output_t v_dv = ADJOINT_PRODUCT(v1, dv1);
  sli_output_t fu = sli_emit_mul(b, gaps, ADJOINT_PRODUCT(u, du)), fv = sli_emit_mul(b, gaps, v_dv);
  sli_output_t from_u = PRODUCT(emit_symmetric(b, fu), s_mat), from_v = PRODUCT(s_mat, emit_symmetric(b, fv));
  sli_output_t middle = sli_emit2(b, "AddV2", sli_linalg_emit_diag(b, ds), sli_emit2(b, "AddV2", from_u, from_v));
  if (sli_types_contain(SLI_TYPES_COMPLEX, sli_gradient_dtype(b, s))) {
    sli_output_t diagonal = sli_linalg_emit_diag(b, sli_linalg_emit_diag_part(b, v_dv));
    sli_output_t skew = sli_emit2(b, "Sub", sli_linalg_emit_adjoint(b, diagonal), diagonal);
    middle = sli_emit2(b, "AddV2", middle, sli_emit_scale(b, PRODUCT(s_inverse, skew), 0.5));
  }
  sli_output_t g = PRODUCT(u, PRODUCT_ADJOINT(middle, v1));
  if (m == n) return g;
  sli_output_t dv1_adjoint = sli_linalg_emit_adjoint(b, dv1);
  sli_output_t rest = sli_emit2(b, "Sub", dv1_adjoint, PRODUCT_ADJOINT(PRODUCT(dv1_adjoint, v1), v1));
  if (full) {
    sli_output_t v2 = emit_columns(b, v, rank, m, n - m), dv2 = emit_columns(b, dv, rank, m, n - m);
    rest = sli_emit2(b, "Sub", rest, PRODUCT_ADJOINT(ADJOINT_PRODUCT(v1, dv2), v2));
  }
  return sli_emit2(b, "AddV2", g, PRODUCT(PRODUCT(u, s_inverse), rest));
}

static sli_status_t *svd_gradient(sli_gradient_builder_t *b) {
  bool compute_uv, full;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "compute_uv", &compute_uv));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "full_matrices", &full));
  sli_output_t a = sli_gradient_input(b, 0), ds = sli_gradient_of_output(b, 0);
  if (!compute_uv) {
    sli_output_t again = sli_emit1(b, "Svd", a);
    sli_output_t right = PRODUCT_ADJOINT(sli_linalg_emit_diag(b, ds), sli_output_at(again, 2));
    return sli_emit_set(b, PRODUCT(sli_output_at(again, 1), right));
  }
  sli_shape_t shape = b->shape(b, a);
  int64_t m = shape.rank < 2 ? -1 : sli_infer_dim(shape, -2), n = shape.rank < 2 ? -1 : sli_infer_dim(shape, -1);
  if (m < 0 || n < 0)
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "SVD gradient has not been implemented for input with unknown inner matrix shape.");
  if (full && llabs(m - n) > 1)
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. Received: "
                           "m=%lld and n=%lld",
                           (long long)m, (long long)n);
  sli_output_t s = sli_gradient_output(b, 0), u = sli_gradient_output(b, 1), v = sli_gradient_output(b, 2);
  sli_output_t du = sli_gradient_of_output(b, 1), dv = sli_gradient_of_output(b, 2);
  // A^H = V S U^H.
  sli_output_t g = m > n ? sli_linalg_emit_adjoint(b, emit_wide(b, s, v, u, ds, dv, du, shape.rank, n, m, full))
                         : emit_wide(b, s, u, v, ds, du, dv, shape.rank, m, n, full);
  return sli_emit_set(b, g);
}

static const sli_op_def_t ops[] = {
    {.name = "Svd",
     .inputs = "input: T",
     .outputs = "s: T, u: T, v: T",
     .attrs = "compute_uv: bool = true; full_matrices: bool = false; T: {double, float, half, complex64, complex128}",
     .shape = svd_shape,
     .gradient = svd_gradient},
    {.name = "BatchSvd",
     .inputs = "input: T",
     .outputs = "s: T, u: T, v: T",
     .attrs = "compute_uv: bool = true; full_matrices: bool = false; T: {double, float, complex64, complex128}",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 13,
     .deprecation = "Use Svd instead."},
};

#define ALL (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_COMPLEX)
static const sli_kernel_def_t kernels[] = {
    {.op = "Svd", .types = ALL, .compute = svd, .expensive = true, .cost = 200},
    {.op = "BatchSvd", .types = ALL, .compute = svd, .expensive = true, .cost = 200},
};

SLI_OP_MODULE(svd);
