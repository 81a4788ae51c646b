// StringJoin: joins the inputs element by element with a separator between them. Scalars are broadcast.
#include <stdlib.h>

#include "core/op/shape_inference.h"

static const sli_tstring_t *element(const sli_tensor_t *tensor, int64_t index) {
  return &SLI_DATA(sli_tstring_t, tensor)[tensor->rank == 0 ? 0 : index];
}

static sli_status_t *join_compute(sli_kernel_context_t *context) {
  sli_view_t separator;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "separator", &separator));
  const sli_tensor_t *widest = NULL;
  for (int i = 0; i < context->input_count; i++) {
    const sli_tensor_t *input = sli_kernel_input(context, i);
    if (input->rank == 0) continue;
    if (widest && !sli_tensor_same_shape(widest, input)) {
      char *a = sli_shape_to_text(sli_tensor_shape(widest)), *b = sli_shape_to_text(sli_tensor_shape(input));
      sli_status_t *status =
          sli_status_make(SLI_INVALID_ARGUMENT, "Input shapes do not match.  Expected %s, but got %s", a, b);
      free(a);
      free(b);
      return status;
    }
    widest = input;
  }
  sli_tensor_t *output;
  sli_shape_t shape = widest ? sli_tensor_shape(widest) : SLI_SHAPE_SCALAR;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  sli_string_t joined = {0};
  for (int64_t k = 0; k < output->count; k++) {
    sli_string_clear(&joined);
    for (int i = 0; i < context->input_count; i++) {
      sli_view_t part = sli_tstring_view(element(sli_kernel_input(context, i), k));
      if (i) sli_string_append(&joined, separator.data, separator.size);
      sli_string_append(&joined, part.data, part.size);
    }
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[k], sli_string_text(&joined), joined.size);
  }
  sli_string_deinitialize(&joined);
  return NULL;
}

// The output has the shape of the inputs that are not scalars; it is a scalar if all inputs are.
static sli_status_t *join_shape(sli_infer_context_t *c) {
  sli_shape_t merged = SLI_SHAPE_UNKNOWN;
  bool all_scalars = true;
  for (int i = 0; i < c->node->input_count; i++) {
    sli_shape_t input = sli_infer_input(c, i);
    if (input.rank == 0) continue;
    all_scalars = false;
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, merged, input, &merged));
  }
  sli_infer_set_output(c, 0, all_scalars ? SLI_SHAPE_SCALAR : merged);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "StringJoin",
     .inputs = "inputs: N * string",
     .outputs = "output: string",
     .attrs = "N: int >= 0; separator: string = ''",
     .summary = "Joins strings element by element.",
     .shape = join_shape,
     .not_differentiable = true},
};
static const sli_kernel_def_t kernels[] = {
    {.op = "StringJoin", .compute = join_compute},
};
SLI_OP_MODULE(join);
