// MatrixTriangularSolve solves A x = b (or with the adjoint of A) for the triangular matrices in the last two
// dimensions; the dimensions before them are broadcast. The other triangle is never read. A zero on the diagonal gives
// infinities and NaNs.
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/broadcast.h"
#include "math/lapack.h"
#include "ops/math/matmul.h"

typedef struct {
  const sli_broadcast_t *plan;
  const char *matrix, *rhs;
  char *out;
  int64_t n, columns;
  size_t size;
  sli_dtype_t dtype;
  bool lower, adjoint, blas;
} triangular_solve_work_t;

// Substitution, row by row. The adjoint of a lower triangular matrix is upper triangular.
#define SOLVE(name, T, conjugate)                                                                    \
  static void solve_##name(const T *a, T *x, int64_t n, int64_t columns, bool lower, bool adjoint) { \
    bool forward = lower != adjoint;                                                                 \
    for (int64_t s = 0; s < n; s++) {                                                                \
      int64_t i = forward ? s : n - 1 - s;                                                           \
      T diagonal = adjoint ? conjugate(a[i * n + i]) : a[i * n + i];                                 \
      for (int64_t r = 0; r < s; r++) {                                                              \
        int64_t j = forward ? r : n - 1 - r;                                                         \
        T factor = adjoint ? conjugate(a[j * n + i]) : a[i * n + j];                                 \
        for (int64_t c = 0; c < columns; c++) x[i * columns + c] -= factor * x[j * columns + c];     \
      }                                                                                              \
      for (int64_t c = 0; c < columns; c++) x[i * columns + c] /= diagonal;                          \
    }                                                                                                \
  }
#define SAME(x) (x)
SOLVE(float, float, SAME)
SOLVE(double, double, SAME)
SOLVE(complex64, float complex, conjf)
SOLVE(complex128, double complex, conj)

// Rows are columns to BLAS: X^T A^T = B^T, and a lower matrix is an upper one.
static void solve_blas(const triangular_solve_work_t *work, const void *a, void *x) {
  sli_lapack_trsm(work->dtype, 'R', work->lower ? 'U' : 'L', work->adjoint ? 'C' : 'N', (int)work->columns,
                  (int)work->n, a, x);
}

static void solve(const triangular_solve_work_t *work, const void *a, void *x) {
  if (work->blas) {
    solve_blas(work, a, x);
    return;
  }
  switch (work->dtype) {
    case SLI_DTYPE_FLOAT: solve_float(a, x, work->n, work->columns, work->lower, work->adjoint); break;
    case SLI_DTYPE_DOUBLE: solve_double(a, x, work->n, work->columns, work->lower, work->adjoint); break;
    case SLI_DTYPE_COMPLEX64: solve_complex64(a, x, work->n, work->columns, work->lower, work->adjoint); break;
    default: solve_complex128(a, x, work->n, work->columns, work->lower, work->adjoint); break;
  }
}

static void solve_run(void *context, const int64_t *offsets, const int64_t *strides, int64_t out, int64_t count) {
  triangular_solve_work_t *work = context;
  size_t matrix_size = (size_t)(work->n * work->n) * work->size,
         x_size = (size_t)(work->n * work->columns) * work->size;
  for (int64_t i = 0; i < count; i++) {
    char *x = work->out + (size_t)(out + i) * x_size;
    memcpy(x, work->rhs + (size_t)(offsets[1] + i * strides[1]) * x_size, x_size);
    solve(work, work->matrix + (size_t)(offsets[0] + i * strides[0]) * matrix_size, x);
  }
}

static void solve_range(void *context, int64_t begin, int64_t end) {
  triangular_solve_work_t *work = context;
  sli_broadcast_walk(work->plan, begin, end, solve_run, work);
}

static sli_status_t *solve_compute(sli_kernel_context_t *context) {
  sli_tensor_t *a = sli_kernel_input(context, 0), *b = sli_kernel_input(context, 1), *output;
  triangular_solve_work_t work = {.dtype = (sli_dtype_t)a->dtype};
  sli_broadcast_t plan;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "lower", &work.lower));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "adjoint", &work.adjoint));
  if (a->rank < 2) return sli_status_make(SLI_INVALID_ARGUMENT, "In[0] ndims must be >= 2: %d", a->rank);
  if (b->rank < 2) return sli_status_make(SLI_INVALID_ARGUMENT, "In[1] ndims must be >= 2: %d", b->rank);
  const int64_t *am = a->dims + a->rank - 2, *bm = b->dims + b->rank - 2;
  if (am[0] != am[1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "In[0] matrices in the last dimensions must be square (%lld =/= %lld)",
                           (long long)am[1], (long long)am[0]);
  if (am[0] != bm[0]) {
    char *x = sli_shape_to_text(sli_tensor_shape(a)), *y = sli_shape_to_text(sli_tensor_shape(b));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "In[0] mismatch In[1] shape: %lld vs. %lld: %s %s %d %d",
                        (long long)am[0], (long long)bm[0], x, y, work.lower, work.adjoint);
    free(x);
    free(y);
    return status;
  }
  sli_shape_t batches[] = {{a->rank - 2, a->dims}, {b->rank - 2, b->dims}};
  sli_status_t *status = sli_broadcast_plan(batches, 2, &plan);
  if (status) {
    sli_status_release(status);
    char *x = sli_shape_to_text(sli_tensor_shape(a)), *y = sli_shape_to_text(sli_tensor_shape(b));
    status =
        sli_status_make(SLI_INVALID_ARGUMENT, "In[0] and In[1] must have compatible batch dimensions: %s vs. %s", x, y);
    free(x);
    free(y);
    return status;
  }
  plan.out_dims[plan.out_rank] = bm[0];
  plan.out_dims[plan.out_rank + 1] = bm[1];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){plan.out_rank + 2, plan.out_dims}, &output));
  if (output->count == 0) return NULL;
  work.plan = &plan;
  work.matrix = a->data;
  work.rhs = b->data;
  work.out = output->data;
  work.n = am[0];
  work.columns = bm[1];
  work.size = sli_dtype_size(work.dtype);
  // A system of some size is worth the library, if it is there.
  work.blas = work.n >= 32 && work.n * work.columns >= 1024 && work.n < INT32_MAX / 16 &&
              work.columns < INT32_MAX / 16 && sli_lapack_available();
  sli_parallel_for(sli_kernel_pool(context), plan.count, (double)work.n * (double)work.n * (double)work.columns,
                   solve_range, &work);
  return NULL;
}

static sli_status_t *solve_shape(sli_infer_context_t *c) {
  sli_shape_t a, b, batches;
  int64_t n;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &a));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 2, &b));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(a, -2), sli_infer_dim(a, -1), &n));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(n, sli_infer_dim(b, -2), &n));
  SLI_RETURN_IF_ERROR(
      sli_infer_broadcast(c, sli_infer_subshape(c, a, 0, -2), sli_infer_subshape(c, b, 0, -2), &batches));
  int64_t dims[] = {n, sli_infer_dim(b, -1)};
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batches, sli_infer_make(c, 2, dims)));
  return NULL;
}

static sli_status_t *solve_gradient(sli_gradient_builder_t *b) {
  bool lower, adjoint;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "lower", &lower));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "adjoint", &adjoint));
  sli_output_t a = sli_gradient_input(b, 0), rhs = sli_gradient_input(b, 1), x = sli_gradient_output(b, 0);
  sli_output_t g_rhs =
      SLI_EMIT_WITH(b, "MatrixTriangularSolve", SLI_INPUTS(a, sli_gradient_of_output(b, 0)),
                    SLI_ATTRS(SLI_ATTR_BOOL_OF("lower", lower), SLI_ATTR_BOOL_OF("adjoint", !adjoint)));
  sli_output_t product = SLI_EMIT_WITH(b, "BatchMatMulV2", SLI_INPUTS(adjoint ? x : g_rhs, adjoint ? g_rhs : x),
                                       SLI_ATTRS(SLI_ATTR_BOOL_OF("adj_y", true)));
  sli_output_t all = sli_gradient_const_int32(b, -1), none = sli_gradient_const_int32(b, 0);
  sli_output_t g_a =
      sli_emit3(b, "MatrixBandPart", sli_emit1(b, "Neg", product), lower ? all : none, lower ? none : all);
  sli_output_t a_shape = sli_emit_shape(b, a), rhs_shape = sli_emit_shape(b, rhs);
  sli_matmul_set_gradients(b, g_a, a_shape, g_rhs, rhs_shape);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "MatrixTriangularSolve",
     .inputs = "matrix: T, rhs: T",
     .outputs = "output: T",
     .attrs = "lower: bool = true; adjoint: bool = false; T: {bfloat16, double, float, half, complex64, complex128}",
     .shape = solve_shape,
     .gradient = solve_gradient},
    {.name = "BatchMatrixTriangularSolve",
     .inputs = "matrix: T, rhs: T",
     .outputs = "output: T",
     .attrs = "lower: bool = true; adjoint: bool = false; T: {double, float}",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 13,
     .deprecation = "Use MatrixTriangularSolve instead."},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "MatrixTriangularSolve",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_COMPLEX,
     .compute = solve_compute,
     .expensive = true,
     .cost = 10},
    {.op = "BatchMatrixTriangularSolve",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = solve_compute,
     .expensive = true,
     .cost = 10},
};

SLI_OP_MODULE(triangular_solve);
