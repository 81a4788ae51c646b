#include "ops/nn/block_cell.h"

#include <string.h>

#include "math/gemm.h"
#include "math/half.h"

static sli_tensor_t *add_temporary(sli_block_cell_t *cell, sli_shape_t shape) {
  SLI_CHECK(cell->count < SLI_BLOCK_CELL_MAX);
  if (cell->status) return NULL;
  sli_tensor_t *tensor = NULL;
  cell->status = sli_kernel_allocate_temporary(cell->context, SLI_DTYPE_FLOAT, shape, &tensor);
  if (tensor) cell->temporary[cell->count++] = tensor;
  return tensor;
}

const float *sli_block_cell_input(sli_block_cell_t *cell, int index) {
  const sli_tensor_t *input = sli_kernel_input(cell->context, index);
  if (input->dtype == SLI_DTYPE_FLOAT) return input->data;
  sli_tensor_t *wide = add_temporary(cell, sli_tensor_shape(input));
  if (!wide) return NULL;
  sli_half_widen((sli_dtype_t)input->dtype, input->data, wide->data, input->count);
  return wide->data;
}

float *sli_block_cell_output(sli_block_cell_t *cell, int index, sli_shape_t shape) {
  sli_tensor_t *output = NULL;
  if (!cell->status) cell->status = sli_kernel_allocate_output(cell->context, index, shape, &output);
  if (!output) return NULL;
  if (output->dtype != SLI_DTYPE_FLOAT) {
    sli_tensor_t *wide = add_temporary(cell, shape);
    if (!wide) return NULL;
    cell->output[cell->count - 1] = output;
    output = wide;
  }
  if (output->count) memset(output->data, 0, sli_tensor_bytes(output));
  return output->data;
}

float *sli_block_cell_scratch(sli_block_cell_t *cell, int64_t count) {
  sli_tensor_t *tensor = add_temporary(cell, SLI_SHAPE(count));
  return tensor ? tensor->data : NULL;
}

sli_status_t *sli_block_cell_finish(sli_block_cell_t *cell) {
  for (int i = 0; i < cell->count; i++) {
    sli_tensor_t *output = cell->output[i];
    if (output && !cell->status)
      sli_half_narrow((sli_dtype_t)output->dtype, cell->temporary[i]->data, output->data, output->count);
    sli_tensor_release(cell->temporary[i]);
  }
  return cell->status;
}

void sli_block_cell_product(sli_block_cell_t *cell, int64_t m, int64_t n, int64_t k, const float *a, bool transpose_a,
                            const float *b, bool transpose_b, float *c) {
  if (cell->status) return;
  sli_gemm_t product = {
      .dtype = SLI_DTYPE_FLOAT, .m = m, .n = n, .k = k, .transpose_a = transpose_a, .transpose_b = transpose_b};
  cell->status = sli_gemm(sli_kernel_pool(cell->context), &product, a, b, c);
}

void sli_block_cell_join(int64_t rows, const float *a, int64_t left, const float *b, int64_t right, float *out) {
  for (int64_t i = 0; i < rows; i++, out += left + right) {
    if (left) memcpy(out, a + i * left, (size_t)left * sizeof(float));
    if (right) memcpy(out + left, b + i * right, (size_t)right * sizeof(float));
  }
}

sli_status_t *sli_block_cell_require(const sli_kernel_context_t *context, int index, const char *name, int rank,
                                     const int64_t *dims) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  if (tensor->rank != rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be rank %d but is rank %d", name, rank, tensor->rank);
  for (int i = 0; i < rank; i++) {
    if (tensor->dims[i] != dims[i])
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s.dims(%d) must be %lld, got shape %s", name, i,
                             (long long)dims[i], sli_tensor_shape_text(tensor).text);
  }
  return NULL;
}
