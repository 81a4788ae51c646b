#include "ops/linalg/linalg.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/sync.h"
#include "core/op/emit.h"
#include "math/gemm.h"
#include "math/lapack.h"

sli_status_t *sli_linalg_begin(sli_kernel_context_t *context, int input_count, sli_linalg_batch_t *out_batch) {
  sli_linalg_batch_t *batch = out_batch;
  *batch = (sli_linalg_batch_t){.context = context, .input_count = input_count, .batches = 1};
  int rank = sli_kernel_input(context, 0)->rank;
  batch->dtype = (sli_dtype_t)sli_kernel_input(context, 0)->dtype;
  for (int i = 0; i < input_count; i++) {
    const sli_tensor_t *input = sli_kernel_input(context, i);
    if (i == 0) {
      if (rank < 2)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Input tensor %d must have rank >= 2, got %d", i, rank);
      batch->batch_rank = rank - 2;
      for (int d = 0; d < rank - 2; d++) batch->batches *= batch->batch_dims[d] = input->dims[d];
    } else {
      if (input->rank != rank)
        return sli_status_make(SLI_INVALID_ARGUMENT, "All input tensors must have the same rank.");
      for (int d = 0; d < rank - 2; d++) {
        if (input->dims[d] != batch->batch_dims[d])
          return sli_status_make(SLI_INVALID_ARGUMENT, "All input tensors must have the same outer dimensions.");
      }
    }
    batch->rows[i] = input->dims[rank - 2];
    batch->columns[i] = input->dims[rank - 1];
    int64_t longest = batch->rows[i] > batch->columns[i] ? batch->rows[i] : batch->columns[i], elements;
    if (longest > INT_MAX / 16 || __builtin_mul_overflow(batch->rows[i], batch->columns[i], &elements) ||
        elements > INT_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "A matrix of %lld by %lld is too large for LAPACK",
                             (long long)batch->rows[i], (long long)batch->columns[i]);
    batch->in[i] = input->data;
    batch->in_stride[i] = (size_t)elements * sli_dtype_size((sli_dtype_t)input->dtype);
  }
  return NULL;
}

sli_status_t *sli_linalg_require_square(const sli_linalg_batch_t *batch) {
  return batch->rows[0] == batch->columns[0] ? NULL
                                             : sli_status_make(SLI_INVALID_ARGUMENT, "Input matrix must be square.");
}

static void set_output(sli_linalg_batch_t *batch, int index, sli_tensor_t *output) {
  batch->out[index] = output->data;
  batch->out_stride[index] = batch->batches ? sli_tensor_bytes(output) / (size_t)batch->batches : 0;
}

sli_status_t *sli_linalg_output(sli_linalg_batch_t *batch, int index, int rank, int64_t rows, int64_t columns) {
  sli_tensor_t *output;
  int64_t dims[SLI_MAX_RANK + 2];
  memcpy(dims, batch->batch_dims, sizeof(batch->batch_dims));
  dims[batch->batch_rank] = rows;
  dims[batch->batch_rank + 1] = columns;
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(batch->context, index, (sli_shape_t){batch->batch_rank + rank, dims}, &output));
  set_output(batch, index, output);
  return NULL;
}

sli_status_t *sli_linalg_output_in_place(sli_linalg_batch_t *batch, int index) {
  sli_tensor_t *output;
  sli_shape_t shape = sli_tensor_shape(sli_kernel_input(batch->context, 0));
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(batch->context, 0, index, shape, &output));
  set_output(batch, index, output);
  return NULL;
}

sli_status_t *sli_linalg_output_unused(sli_linalg_batch_t *batch, int index) {
  sli_tensor_t *output;
  int64_t none[] = {0};
  return sli_kernel_allocate_output(batch->context, index, (sli_shape_t){1, none}, &output);
}

typedef struct {
  const sli_linalg_batch_t *batch;
  sli_linalg_fn_t compute;
  sli_mutex_t mutex;
  sli_status_t *status;  // the first error, under mutex
} run_t;

static void run_range(void *context, int64_t begin, int64_t end) {
  run_t *run = context;
  for (int64_t i = begin; i < end; i++) {
    sli_status_t *status = run->compute(run->batch, i);
    if (!status) continue;
    sli_mutex_lock(&run->mutex);
    if (run->status)
      sli_status_release(status);
    else
      run->status = status;
    sli_mutex_unlock(&run->mutex);
    return;
  }
}

sli_status_t *sli_linalg_run_alone(const sli_linalg_batch_t *batch, double cost, sli_linalg_fn_t compute) {
  run_t run = {.batch = batch, .compute = compute};
  sli_mutex_initialize(&run.mutex);
  sli_parallel_for(sli_kernel_pool(batch->context), batch->batches, cost, run_range, &run);
  sli_mutex_deinitialize(&run.mutex);
  return run.status;
}

sli_status_t *sli_linalg_run(const sli_linalg_batch_t *batch, double cost, sli_linalg_fn_t compute) {
  if (batch->batches == 0) return NULL;
  SLI_RETURN_IF_ERROR(sli_lapack_load());
  sli_thread_pool_t *pool = sli_kernel_pool(batch->context);
  bool wide = pool && batch->batches == 1 && cost >= SLI_LAPACK_WIDE_COST;
  if (wide) sli_lapack_begin_wide(sli_thread_pool_size(pool));
  sli_status_t *status = sli_linalg_run_alone(batch, cost, compute);
  if (wide) sli_lapack_end_wide();
  return status;
}

#define TRANSPOSE(name, T, CONJUGATE)                                                            \
  static void name(int64_t rows, int64_t columns, const T *from, T *to) {                        \
    enum { BLOCK = 16 };                                                                         \
    for (int64_t i0 = 0; i0 < rows; i0 += BLOCK) {                                               \
      int64_t i1 = i0 + BLOCK < rows ? i0 + BLOCK : rows;                                        \
      for (int64_t j0 = 0; j0 < columns; j0 += BLOCK) {                                          \
        int64_t j1 = j0 + BLOCK < columns ? j0 + BLOCK : columns;                                \
        for (int64_t i = i0; i < i1; i++)                                                        \
          for (int64_t j = j0; j < j1; j++) to[j * rows + i] = CONJUGATE(from[i * columns + j]); \
      }                                                                                          \
    }                                                                                            \
  }
#define SAME(x) (x)
TRANSPOSE(transpose_float, float, SAME)
TRANSPOSE(transpose_double, double, SAME)
TRANSPOSE(transpose_complex64, float complex, SAME)
TRANSPOSE(transpose_complex128, double complex, SAME)
TRANSPOSE(adjoint_complex64, float complex, conjf)
TRANSPOSE(adjoint_complex128, double complex, conj)

void sli_linalg_transpose(sli_dtype_t dtype, int64_t rows, int64_t columns, const void *from, void *to,
                          bool conjugate) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: transpose_float(rows, columns, from, to); break;
    case SLI_DTYPE_DOUBLE: transpose_double(rows, columns, from, to); break;
    case SLI_DTYPE_COMPLEX64: (conjugate ? adjoint_complex64 : transpose_complex64)(rows, columns, from, to); break;
    default: (conjugate ? adjoint_complex128 : transpose_complex128)(rows, columns, from, to); break;
  }
}

void sli_linalg_conjugate(sli_dtype_t dtype, int64_t count, void *values) {
  if (dtype == SLI_DTYPE_COMPLEX64) {
    for (int64_t i = 0; i < count; i++) ((float *)values)[2 * i + 1] *= -1;
  } else if (dtype == SLI_DTYPE_COMPLEX128) {
    for (int64_t i = 0; i < count; i++) ((double *)values)[2 * i + 1] *= -1;
  }
}

double complex sli_linalg_get(sli_dtype_t dtype, const void *values, int64_t i) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: return ((const float *)values)[i];
    case SLI_DTYPE_DOUBLE: return ((const double *)values)[i];
    case SLI_DTYPE_COMPLEX64: return ((const float complex *)values)[i];
    default: return ((const double complex *)values)[i];
  }
}

void sli_linalg_put(sli_dtype_t dtype, void *values, int64_t i, double complex value) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: ((float *)values)[i] = (float)creal(value); break;
    case SLI_DTYPE_DOUBLE: ((double *)values)[i] = creal(value); break;
    case SLI_DTYPE_COMPLEX64: ((float complex *)values)[i] = (float complex)value; break;
    default: ((double complex *)values)[i] = value; break;
  }
}

void sli_linalg_fill(sli_dtype_t dtype, int64_t count, void *values, double value) {
  for (int64_t i = 0; i < count; i++) sli_linalg_put(dtype, values, i, value);
}

sli_status_t *sli_linalg_multiply(sli_dtype_t dtype, int64_t m, int64_t n, int64_t k, const void *a, bool adjoint_a,
                                  const void *b, bool adjoint_b, void *c) {
  sli_gemm_t product = {.dtype = dtype,
                        .m = m,
                        .n = n,
                        .k = k,
                        .transpose_a = adjoint_a,
                        .conjugate_a = adjoint_a,
                        .transpose_b = adjoint_b,
                        .conjugate_b = adjoint_b};
  return sli_gemm(NULL, &product, a, b, c);
}

void sli_linalg_warn(sli_linalg_warnings_t *warnings, const char *text) {
  uint32_t count = __atomic_add_fetch(&warnings->count, 1, __ATOMIC_RELAXED);
  if (__builtin_popcount(count) == 1) SLI_WARNING("%s (%u times)", text, count);
}

sli_status_t *sli_linalg_no_memory(void) {
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating scratch memory of a decomposition");
}

sli_status_t *sli_linalg_scratch(sli_dtype_t dtype, int64_t count, void **out_memory) {
  *out_memory = sli_malloc_or_null((size_t)(count > 0 ? count : 1) * sli_dtype_size(dtype));
  return *out_memory ? NULL : sli_linalg_no_memory();
}

sli_status_t *sli_linalg_shape_square(sli_infer_context_t *c, int input, sli_shape_t *out_batch, int64_t *out_n) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, input), 2, &shape));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(shape, -2), sli_infer_dim(shape, -1), out_n));
  *out_batch = sli_infer_subshape(c, shape, 0, -2);
  return NULL;
}

sli_status_t *sli_linalg_shape_unchanged_square(sli_infer_context_t *c) {
  sli_shape_t batch;
  int64_t n;
  SLI_RETURN_IF_ERROR(sli_linalg_shape_square(c, 0, &batch, &n));
  int64_t dims[] = {n, n};
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batch, sli_infer_make(c, 2, dims)));
  return NULL;
}
