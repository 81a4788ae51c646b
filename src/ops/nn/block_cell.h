// What the recurrent cells in one op share: all arithmetic is in float, also for 16-bit inputs and outputs.
#ifndef SLI_OPS_NN_BLOCK_CELL_H_
#define SLI_OPS_NN_BLOCK_CELL_H_

#include "core/op/kernel.h"

enum { SLI_BLOCK_CELL_MAX = 40 };

// Floats of a kernel's inputs and outputs, and scratch memory. Zero-initialise all but |context|. After the first
// error the functions return NULL and do nothing; sli_block_cell_finish() reports it.
typedef struct {
  sli_kernel_context_t *context;
  sli_tensor_t *temporary[SLI_BLOCK_CELL_MAX];
  sli_tensor_t *output[SLI_BLOCK_CELL_MAX];  // to be narrowed from the temporary tensor at the same position
  int count;
  sli_status_t *status;
} sli_block_cell_t;

const float *sli_block_cell_input(sli_block_cell_t *cell, int index);
// Allocates output |index|; all zero.
float *sli_block_cell_output(sli_block_cell_t *cell, int index, sli_shape_t shape);
float *sli_block_cell_scratch(sli_block_cell_t *cell, int64_t count);
// Narrows the outputs and releases everything; returns the first error.
sli_status_t *sli_block_cell_finish(sli_block_cell_t *cell);

// c[m, n] = op(a) op(b), in float.
void sli_block_cell_product(sli_block_cell_t *cell, int64_t m, int64_t n, int64_t k, const float *a, bool transpose_a,
                            const float *b, bool transpose_b, float *c);
// Copies rows of |left| and |right| floats side by side.
void sli_block_cell_join(int64_t rows, const float *a, int64_t left, const float *b, int64_t right, float *out);

// "name must be rank 2 but is rank 1", "name.dims(1) != cell_size: 3 vs. 4".
sli_status_t *sli_block_cell_require(const sli_kernel_context_t *context, int index, const char *name, int rank,
                                     const int64_t *dims);

static inline float sli_block_cell_sigmoid(float x) { return 1 / (1 + __builtin_expf(-x)); }

#endif  // SLI_OPS_NN_BLOCK_CELL_H_
