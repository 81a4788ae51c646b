// What the ops of this room share: batches of matrices in the last two dimensions of their inputs, with TensorFlow's
// checks, and nodes that their gradients emit.
#ifndef SLI_OPS_LINALG_LINALG_H_
#define SLI_OPS_LINALG_LINALG_H_

#include <complex.h>

#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

enum { SLI_LINALG_MAX_ARGS = 4 };

// The matrices of one run of a kernel.
typedef struct {
  sli_kernel_context_t *context;
  sli_dtype_t dtype;  // of input 0
  int batch_rank;
  int64_t batch_dims[SLI_MAX_RANK];
  int64_t batches;
  int input_count;
  int64_t rows[SLI_LINALG_MAX_ARGS], columns[SLI_LINALG_MAX_ARGS];  // of the inputs
  const char *in[SLI_LINALG_MAX_ARGS];
  char *out[SLI_LINALG_MAX_ARGS];
  size_t in_stride[SLI_LINALG_MAX_ARGS], out_stride[SLI_LINALG_MAX_ARGS];  // bytes from matrix to matrix
  const void *options;                                                     // of the op
} sli_linalg_batch_t;

// Reads the first |input_count| inputs. INVALID_ARGUMENT unless they are matrices in equal batches, of a size that
// LAPACK's 32-bit integers can count.
sli_status_t *sli_linalg_begin(sli_kernel_context_t *context, int input_count, sli_linalg_batch_t *out_batch);
// INVALID_ARGUMENT unless input 0 is square.
sli_status_t *sli_linalg_require_square(const sli_linalg_batch_t *batch);
// Allocates output |index|: the batch, then |rank| (0 to 2) of |rows| and |columns|.
sli_status_t *sli_linalg_output(sli_linalg_batch_t *batch, int index, int rank, int64_t rows, int64_t columns);
// The same for an output of the shape and type of input 0, whose memory it may take over.
sli_status_t *sli_linalg_output_in_place(sli_linalg_batch_t *batch, int index);
// Allocates an output that is not computed: an empty vector.
sli_status_t *sli_linalg_output_unused(sli_linalg_batch_t *batch, int index);

// Computes matrix |index| of a batch. Called on several threads at once.
typedef sli_status_t *(*sli_linalg_fn_t)(const sli_linalg_batch_t *batch, int64_t index);
// Loads LAPACK and calls |compute| for every matrix; returns the first error. |cost|: nanoseconds for each matrix.
sli_status_t *sli_linalg_run(const sli_linalg_batch_t *batch, double cost, sli_linalg_fn_t compute);
// The same for a |compute| that does not use LAPACK.
sli_status_t *sli_linalg_run_alone(const sli_linalg_batch_t *batch, double cost, sli_linalg_fn_t compute);

static inline const void *sli_linalg_in(const sli_linalg_batch_t *batch, int input, int64_t index) {
  return batch->in[input] + (size_t)index * batch->in_stride[input];
}
static inline void *sli_linalg_out(const sli_linalg_batch_t *batch, int output, int64_t index) {
  return batch->out[output] + (size_t)index * batch->out_stride[output];
}

// |to| becomes the transpose, or the adjoint, of |from|, which is row-major. They must not overlap.
void sli_linalg_transpose(sli_dtype_t dtype, int64_t rows, int64_t columns, const void *from, void *to, bool conjugate);
void sli_linalg_conjugate(sli_dtype_t dtype, int64_t count, void *values);  // nothing for real types
void sli_linalg_fill(sli_dtype_t dtype, int64_t count, void *values, double value);
// One element of any of the four types.
double complex sli_linalg_get(sli_dtype_t dtype, const void *values, int64_t i);
void sli_linalg_put(sli_dtype_t dtype, void *values, int64_t i, double complex value);
// C[m,n] = op(A) op(B), row-major, on the caller's thread; |adjoint_a| and |adjoint_b| are conjugate transposes.
sli_status_t *sli_linalg_multiply(sli_dtype_t dtype, int64_t m, int64_t n, int64_t k, const void *a, bool adjoint_a,
                                  const void *b, bool adjoint_b, void *c);
// Scratch memory for |count| elements of |dtype|. RESOURCE_EXHAUSTED if there is none; free() releases it.
sli_status_t *sli_linalg_scratch(sli_dtype_t dtype, int64_t count, void **out_memory);
sli_status_t *sli_linalg_no_memory(void);
// Logs |text| at the 1st, 2nd, 4th … call. The counter is static, zero at first.
typedef struct {
  uint32_t count;
} sli_linalg_warnings_t;
void sli_linalg_warn(sli_linalg_warnings_t *warnings, const char *text);

// Shape functions. Both merge the last two dimensions of input 0.
sli_status_t *sli_linalg_shape_square(sli_infer_context_t *c, int input, sli_shape_t *out_batch, int64_t *out_n);
sli_status_t *sli_linalg_shape_unchanged_square(sli_infer_context_t *c);

// Nodes of gradients.
sli_output_t sli_linalg_emit_adjoint(sli_gradient_builder_t *b, sli_output_t x);
sli_output_t sli_linalg_emit_transpose(sli_gradient_builder_t *b, sli_output_t x);
sli_output_t sli_linalg_emit_diag(sli_gradient_builder_t *b, sli_output_t diagonal);
sli_output_t sli_linalg_emit_diag_part(sli_gradient_builder_t *b, sli_output_t matrix);
sli_output_t sli_linalg_emit_set_diag(sli_gradient_builder_t *b, sli_output_t matrix, sli_output_t diagonal);
// Keeps the lower triangle.
sli_output_t sli_linalg_emit_lower(sli_gradient_builder_t *b, sli_output_t matrix);
// 1 / (v_j - v_i), and 0 on the diagonal, without infinities where two values are equal.
sli_output_t sli_linalg_emit_gaps(sli_gradient_builder_t *b, sli_output_t values);
// x / (x² + tiny).
sli_output_t sli_linalg_emit_safe_reciprocal(sli_gradient_builder_t *b, sli_output_t x);

#endif  // SLI_OPS_LINALG_LINALG_H_
