// Qr: the QR decomposition of the matrices in the last two dimensions, by Householder reflections, with TensorFlow's
// signs. Matrices of some size by LAPACK, if it is there; else in double, real or complex, for all element types.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "math/lapack.h"
#include "ops/math/matmul.h"

#define T double
#define NAME(x) x##_real
#define CONJUGATE(x) (x)
#include "ops/math/qr_kernel.inc"
#define T double complex
#define NAME(x) x##_complex
#define CONJUGATE(x) conj(x)
#include "ops/math/qr_kernel.inc"

static void load(const sli_tensor_t *from, int64_t first, double *to, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    switch ((sli_dtype_t)from->dtype) {
      case SLI_DTYPE_FLOAT: to[i] = SLI_DATA(float, from)[first + i]; break;
      case SLI_DTYPE_DOUBLE: to[i] = SLI_DATA(double, from)[first + i]; break;
      case SLI_DTYPE_COMPLEX64: to[i] = SLI_DATA(float, from)[first + i]; break;
      case SLI_DTYPE_COMPLEX128: to[i] = SLI_DATA(double, from)[first + i]; break;
      default: to[i] = sli_half_to_float(SLI_DATA(uint16_t, from)[first + i]);
    }
  }
}

static void store(const double *from, sli_tensor_t *to, int64_t first, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    switch ((sli_dtype_t)to->dtype) {
      case SLI_DTYPE_FLOAT:
      case SLI_DTYPE_COMPLEX64: SLI_DATA(float, to)[first + i] = (float)from[i]; break;
      case SLI_DTYPE_DOUBLE:
      case SLI_DTYPE_COMPLEX128: SLI_DATA(double, to)[first + i] = from[i]; break;
      default: SLI_DATA(uint16_t, to)[first + i] = sli_half_from_float((float)from[i]);
    }
  }
}

typedef struct {
  const sli_tensor_t *input;
  sli_tensor_t *q, *r;
  int64_t m, n, q_columns, r_rows;
  bool out_of_memory;
} qr_work_t;

// Decomposes matrices [begin, end). A complex element is two doubles.
static void decompose_range(void *context, int64_t begin, int64_t end) {
  qr_work_t *work = context;
  int64_t m = work->m, n = work->n, steps = m < n ? m : n;
  int64_t parts = sli_types_contain(SLI_TYPES_COMPLEX, (sli_dtype_t)work->input->dtype) ? 2 : 1;
  double *memory = sli_malloc_or_null((size_t)(parts * (m * n + m * work->q_columns + steps + 1)) * sizeof(double));
  if (!memory) {
    __atomic_store_n(&work->out_of_memory, true, __ATOMIC_RELAXED);
    return;
  }
  double *a = memory, *q = a + parts * m * n, *factors = q + parts * m * work->q_columns;
  for (int64_t b = begin; b < end; b++) {
    load(work->input, b * parts * m * n, a, parts * m * n);
    if (parts == 2)
      decompose_complex((double complex *)a, m, n, (double complex *)q, work->q_columns, (double complex *)factors);
    else
      decompose_real(a, m, n, q, work->q_columns, factors);
    for (int64_t i = 0; i < work->r_rows; i++)
      for (int64_t j = 0; j < parts * n && j < parts * i; j++) a[i * parts * n + j] = 0;
    store(q, work->q, b * parts * m * work->q_columns, parts * m * work->q_columns);
    store(a, work->r, b * parts * work->r_rows * n, parts * work->r_rows * n);
  }
  free(memory);
}

// |from| is row-major and |rows| by |columns|; |to| receives its columns.
static void transpose(size_t size, int64_t rows, int64_t columns, const char *from, char *to) {
  enum { BLOCK = 16 };
  for (int64_t i0 = 0; i0 < rows; i0 += BLOCK)
    for (int64_t j0 = 0; j0 < columns; j0 += BLOCK)
      for (int64_t i = i0; i < rows && i < i0 + BLOCK; i++)
        for (int64_t j = j0; j < columns && j < j0 + BLOCK; j++)
          memcpy(to + (size_t)(j * rows + i) * size, from + (size_t)(i * columns + j) * size, size);
}

// The same by LAPACK, which has the same signs. FLOAT, DOUBLE and complex types.
static void decompose_range_lapack(void *context, int64_t begin, int64_t end) {
  qr_work_t *work = context;
  sli_dtype_t dtype = (sli_dtype_t)work->input->dtype;
  size_t size = sli_dtype_size(dtype);
  int64_t m = work->m, n = work->n, steps = m < n ? m : n, q_columns = work->q_columns;
  char *memory = sli_malloc_or_null((size_t)(m * n + m * q_columns + steps) * size);
  char *a = memory, *q = a + (size_t)(m * n) * size, *factors = q + (size_t)(m * q_columns) * size;
  bool good = memory != NULL;
  for (int64_t b = begin; b < end && good; b++) {
    transpose(size, m, n, (const char *)work->input->data + (size_t)(b * m * n) * size, a);
    good = sli_lapack_geqrf(dtype, (int)m, (int)n, a, factors) == 0;
    size_t shared = (size_t)(m * (n < q_columns ? n : q_columns)) * size;
    memcpy(q, a, shared);
    memset(q + shared, 0, (size_t)(m * q_columns) * size - shared);
    good = good && sli_lapack_orgqr(dtype, (int)m, (int)q_columns, (int)steps, q, factors) == 0;
    transpose(size, q_columns, m, q, (char *)work->q->data + (size_t)(b * m * q_columns) * size);
    char *r = (char *)work->r->data + (size_t)(b * work->r_rows * n) * size;
    for (int64_t i = 0; i < work->r_rows; i++)
      for (int64_t j = 0; j < n; j++) {
        char *to = r + (size_t)(i * n + j) * size;
        if (j < i)
          memset(to, 0, size);
        else
          memcpy(to, a + (size_t)(j * m + i) * size, size);
      }
  }
  if (!good) __atomic_store_n(&work->out_of_memory, true, __ATOMIC_RELAXED);
  free(memory);
}

static sli_status_t *qr(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0);
  bool full;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "full_matrices", &full));
  if (input->rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input tensor 0 must have rank >= 2, got %d", input->rank);
  int rank = input->rank;
  qr_work_t work = {.input = input, .m = input->dims[rank - 2], .n = input->dims[rank - 1]};
  work.q_columns = work.r_rows = full || work.m < work.n ? work.m : work.n;
  int64_t dims[SLI_MAX_RANK], batches = 1;
  for (int d = 0; d < rank - 2; d++) batches *= dims[d] = input->dims[d];
  dims[rank - 2] = work.m;
  dims[rank - 1] = work.q_columns;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &work.q));
  dims[rank - 2] = work.r_rows;
  dims[rank - 1] = work.n;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, (sli_shape_t){rank, dims}, &work.r));
  if (work.q->count == 0 && work.r->count == 0) return NULL;
  double size = (double)work.m, cost = 4 * size * size * (double)(work.n + 1);
  bool large = work.m * work.n >= 1024 && work.m < INT32_MAX / 16 && work.n < INT32_MAX / 16;
  if (large && input->dtype != SLI_DTYPE_HALF && sli_lapack_available()) {
    // The library's own threads for a single matrix, ours for a batch.
    bool wide = batches == 1 && cost / 4 >= SLI_LAPACK_WIDE_COST && sli_kernel_pool(context);
    if (wide) sli_lapack_begin_wide(sli_thread_pool_size(sli_kernel_pool(context)));
    sli_parallel_for(sli_kernel_pool(context), batches, cost / 4, decompose_range_lapack, &work);
    if (wide) sli_lapack_end_wide();
  } else {
    sli_parallel_for(sli_kernel_pool(context), batches, cost, decompose_range, &work);
  }
  if (work.out_of_memory)
    return sli_tensor_out_of_memory((sli_dtype_t)input->dtype, sli_tensor_shape(input), "host memory");
  return NULL;
}

static sli_status_t *qr_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  bool full;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &input));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "full_matrices", &full));
  if (input.rank < 0) return NULL;
  int64_t m = sli_infer_dim(input, -2), n = sli_infer_dim(input, -1);
  int64_t inner = full ? m : m == 0 || n == 0 ? 0 : m < 0 || n < 0 ? -1 : m < n ? m : n;
  sli_shape_t batches = sli_infer_subshape(c, input, 0, -2);
  int64_t q[] = {m, inner}, r[] = {inner, n};
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batches, sli_infer_make(c, 2, q)));
  sli_infer_set_output(c, 1, sli_infer_concatenate(c, batches, sli_infer_make(c, 2, r)));
  return NULL;
}

// The gradient, after D. Roberts and L. Roberts, "QR and LQ decomposition matrix backpropagation algorithms" (2020).

static sli_output_t emit_adjoint(sli_gradient_builder_t *b, sli_output_t x, int rank) {
  int32_t order[SLI_MAX_RANK];
  for (int d = 0; d < rank; d++) order[d] = d < rank - 2 ? d : 2 * rank - 3 - d;
  bool is_complex = sli_types_contain(SLI_TYPES_COMPLEX, sli_gradient_dtype(b, x));
  return sli_emit2(b, is_complex ? "ConjugateTranspose" : "Transpose", x, sli_gradient_const_ints(b, order, rank));
}

// Emits x times the inverse of the adjoint of r, which is upper triangular.
static sli_output_t emit_solve(sli_gradient_builder_t *b, sli_output_t x, sli_output_t r, int rank) {
  sli_output_t solved = SLI_EMIT_WITH(b, "MatrixTriangularSolve", SLI_INPUTS(r, emit_adjoint(b, x, rank)),
                                      SLI_ATTRS(SLI_ATTR_BOOL_OF("lower", false)));
  return emit_adjoint(b, solved, rank);
}

// The correction for complex matrices, where the phase of R's diagonal is arbitrary.
static sli_output_t emit_correction(sli_gradient_builder_t *b, sli_output_t q, sli_output_t r, sli_output_t m,
                                    int rank) {
  sli_dtype_t dtype = sli_gradient_dtype(b, m);
  sli_output_t zero = sli_gradient_const_int32(b, 0);
  sli_output_t diagonal = sli_emit3(b, "MatrixDiagPartV3", m, zero, sli_gradient_const_like(b, m, 0));
  sli_output_t eye = sli_emit3(b, "MatrixSetDiagV3", sli_emit1(b, "ZerosLike", m), diagonal, zero);
  sli_dtype_t part = dtype == SLI_DTYPE_COMPLEX64 ? SLI_DTYPE_FLOAT : SLI_DTYPE_DOUBLE;
  sli_output_t real = SLI_EMIT_WITH(b, "Real", SLI_INPUTS(eye), SLI_ATTRS(SLI_ATTR_TYPE_OF("Tout", part)));
  sli_output_t correction = sli_emit2(b, "Sub", eye, sli_emit_cast(b, real, dtype));
  return emit_solve(b, sli_matmul_emit_batch(b, q, correction, false, true), r, rank);
}

// The gradient for at least as many rows as columns.
static sli_output_t emit_tall(sli_gradient_builder_t *b, sli_output_t q, sli_output_t r, sli_output_t dq,
                              sli_output_t dr, int rank) {
  sli_output_t qdq = sli_matmul_emit_batch(b, q, dq, true, false), rdr = sli_matmul_emit_batch(b, r, dr, false, true);
  sli_output_t skew_q = sli_emit2(b, "Sub", qdq, emit_adjoint(b, qdq, rank));
  sli_output_t skew_r = sli_emit2(b, "Sub", rdr, emit_adjoint(b, rdr, rank));
  sli_output_t lower = sli_emit3(b, "MatrixBandPart", sli_emit2(b, "AddV2", skew_q, skew_r),
                                 sli_gradient_const_int32(b, -1), sli_gradient_const_int32(b, 0));
  sli_output_t inside = sli_emit2(b, "AddV2", dr, emit_solve(b, lower, r, rank));
  sli_output_t outside = sli_emit2(b, "Sub", dq, sli_matmul_emit_batch(b, q, qdq, false, false));
  sli_output_t gradient =
      sli_emit2(b, "AddV2", sli_matmul_emit_batch(b, q, inside, false, false), emit_solve(b, outside, r, rank));
  if (!sli_types_contain(SLI_TYPES_COMPLEX, sli_gradient_dtype(b, q))) return gradient;
  sli_output_t m = sli_emit2(b, "Sub", rdr, emit_adjoint(b, qdq, rank));
  return sli_emit2(b, "AddV2", gradient, emit_correction(b, q, r, m, rank));
}

// Emits columns [first, first + count) of the last dimension; all from |first| on if |count| is -1.
static sli_output_t emit_columns(sli_gradient_builder_t *b, sli_output_t x, int rank, int64_t first, int64_t count) {
  int32_t begin[SLI_MAX_RANK] = {0}, size[SLI_MAX_RANK];
  for (int d = 0; d < rank; d++) size[d] = -1;
  begin[rank - 1] = (int32_t)first;
  size[rank - 1] = (int32_t)count;
  return sli_emit3(b, "Slice", x, sli_gradient_const_ints(b, begin, rank), sli_gradient_const_ints(b, size, rank));
}

static sli_status_t *qr_gradient(sli_gradient_builder_t *b) {
  sli_output_t q = sli_gradient_output(b, 0), r = sli_gradient_output(b, 1);
  sli_output_t dq = sli_gradient_of_output(b, 0), dr = sli_gradient_of_output(b, 1);
  sli_shape_t q_shape = b->shape(b, q), r_shape = b->shape(b, r);
  if (q_shape.rank < 2 || r_shape.rank < 2 || sli_infer_dim(r_shape, -2) < 0 || sli_infer_dim(r_shape, -1) < 0)
    return sli_status_make(SLI_UNIMPLEMENTED, "QrGrad not implemented with dynamic shapes.");
  int64_t rows = sli_infer_dim(q_shape, -2), columns = sli_infer_dim(r_shape, -1);
  if (sli_infer_dim(r_shape, -2) > columns && rows == sli_infer_dim(q_shape, -1))
    return sli_status_make(SLI_UNIMPLEMENTED, "QrGrad not implemented when nrows > ncols and full_matrices is true.");
  int rank = q_shape.rank;
  if (rows >= columns) {
    sli_gradient_set(b, 0, emit_tall(b, q, r, dq, dr, rank));
    return NULL;
  }
  // A = [X, Y], R = [U, V]: X and U are square, Y = Q V.
  sli_output_t y = emit_columns(b, sli_gradient_input(b, 0), rank, rows, -1), u = emit_columns(b, r, rank, 0, rows);
  sli_output_t dv = emit_columns(b, dr, rank, rows, -1), du = emit_columns(b, dr, rank, 0, rows);
  sli_output_t moved = sli_emit2(b, "AddV2", dq, sli_matmul_emit_batch(b, y, dv, false, true));
  sli_output_t dx = emit_tall(b, q, u, moved, du, rank), dy = sli_matmul_emit_batch(b, q, dv, false, false);
  sli_gradient_set(b, 0,
                   SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(dx, dy, sli_gradient_const_int32(b, -1)),
                                 SLI_ATTRS(SLI_ATTR_INT_OF("N", 2))));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Qr",
     .inputs = "input: T",
     .outputs = "q: T, r: T",
     .attrs = "full_matrices: bool = false; T: {double, float, half, complex64, complex128}",
     .shape = qr_shape,
     .gradient = qr_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Qr",
     .types = SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_COMPLEX,
     .compute = qr,
     .expensive = true,
     .cost = 50},
};

SLI_OP_MODULE(qr);
