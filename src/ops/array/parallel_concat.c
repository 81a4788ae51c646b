// ParallelConcat joins tensors with one row each. Their shapes must be known when the graph is built.
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

static sli_status_t *parallel_concat(sli_kernel_context_t *context) {
  sli_shape_t shape;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(context->node, "shape", &shape));
  for (int d = 0; d < shape.rank; d++)
    if (shape.dims[d] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "shape attr must be fully defined.");
  if (shape.rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "value should be at least rank 1.");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  sli_dtype_t dtype = (sli_dtype_t)output->dtype;
  int64_t rows = shape.dims[0], width = rows ? output->count / rows : 0;
  if (context->input_count > rows)
    return sli_status_make(SLI_INVALID_ARGUMENT, "0th dimension of value = %lld is less than loc_=%lld",
                           (long long)rows, (long long)rows);
  for (int i = 0; i < context->input_count; i++) {
    const sli_tensor_t *value = sli_kernel_input(context, i);
    bool fits = value->rank == shape.rank && value->dims[0] == 1;
    for (int d = 1; d < shape.rank && fits; d++) fits = value->dims[d] == shape.dims[d];
    if (!fits)
      return sli_status_make(SLI_INVALID_ARGUMENT, "value and update shape doesn't match: %s vs. %s",
                             sli_tensor_shape_text(output).text, sli_tensor_shape_text(value).text);
    sli_elements_copy(dtype, sli_tensor_at(output, i * width), value->data, width);
  }
  int64_t given = context->input_count * width;
  if (given < output->count) sli_elements_clear(dtype, sli_tensor_at(output, given), output->count - given);
  return NULL;
}

static bool is_known(sli_shape_t shape) {
  for (int d = 0; d < shape.rank; d++)
    if (shape.dims[d] < 0) return false;
  return shape.rank >= 0;
}

static sli_status_t *parallel_concat_shape(sli_infer_context_t *c) {
  sli_shape_t shape, row;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "shape", &shape));
  if (!is_known(shape)) return sli_status_make(SLI_INVALID_ARGUMENT, "shape attr must be fully defined.");
  if (shape.rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "value should be at least rank 1.");
  sli_infer_set_output(c, 0, sli_infer_make(c, shape.rank, shape.dims));
  row = sli_infer_replace_dim(c, sli_infer_make(c, shape.rank, shape.dims), 0, 1);
  for (int i = 0; i < c->node->input_count; i++) {
    sli_shape_t input = sli_infer_input(c, i);
    if (!is_known(input)) return sli_status_make(SLI_INVALID_ARGUMENT, "All input shapes must be fully defined.");
    if (input.rank < 1 || input.dims[0] != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Size of first dimension must be 1.");
    sli_status_t *status = sli_infer_merge(c, input, row, &row);
    if (status) return sli_status_append(status, "\n\tFrom merging shape %d with other shapes.", i);
  }
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ParallelConcat",
     .inputs = "values: N * T",
     .outputs = "output: T",
     .attrs = "N: int >= 1; T: type; shape: shape",
     .shape = parallel_concat_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ParallelConcat", .types = SLI_TYPES_POD | SLI_TYPE_STRING, .compute = parallel_concat},
};

SLI_OP_MODULE(parallel_concat);
