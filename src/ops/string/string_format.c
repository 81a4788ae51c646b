// StringFormat: formats tensors into a template. Tensors are printed as by NumPy: rows in brackets, long dimensions
// abbreviated in the middle.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"

static void append_element(sli_string_t *text, sli_tensor_t *tensor, int64_t index) {
  bool is_string = tensor->dtype == SLI_DTYPE_STRING;
  sli_tensor_t *element = sli_tensor_view(tensor, (sli_dtype_t)tensor->dtype, index, NULL, 0);
  if (is_string) sli_string_append_char(text, '"');
  sli_tensor_append_values(text, element, 1);
  if (is_string) sli_string_append_char(text, '"');
  sli_tensor_release(element);
}

// Appends dimension |dim| of |tensor|, from element number |first| on. |edge| is the number of items shown at each end;
// negative: all.
static void append_dimension(sli_string_t *text, sli_tensor_t *tensor, int dim, int64_t first, int64_t edge) {
  if (dim == tensor->rank) {
    append_element(text, tensor, first);
    return;
  }
  int64_t size = tensor->dims[dim], stride = sli_shape_product(tensor->dims, dim + 1, tensor->rank);
  bool is_inner = dim + 1 == tensor->rank, is_cut = edge >= 0 && size > 2 * edge;
  sli_string_append_char(text, '[');
  for (int64_t i = 0; i < size; i++) {
    if (i > 0 && is_inner) sli_string_append_char(text, ' ');
    for (int k = dim + 1; i > 0 && !is_inner && k < tensor->rank; k++) sli_string_append_char(text, '\n');
    for (int k = 0; i > 0 && !is_inner && k <= dim; k++) sli_string_append_char(text, ' ');
    if (is_cut && i == edge) {
      sli_string_append_text(text, "...");
      i = size - edge - 1;
      continue;
    }
    append_dimension(text, tensor, dim + 1, first + i * stride, edge);
  }
  sli_string_append_char(text, ']');
}

static int64_t count_places(sli_view_t template, sli_view_t placeholder) {
  int64_t count = 0;
  if (placeholder.size == 0) return 0;
  for (size_t at = 0; at + placeholder.size <= template.size;) {
    if (memcmp(template.data + at, placeholder.data, placeholder.size) == 0) {
      count++;
      at += placeholder.size;
    } else {
      at++;
    }
  }
  return count;
}

static sli_status_t *check_places(const sli_node_def_t *node, sli_view_t *template, sli_view_t *placeholder) {
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "template", template));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "placeholder", placeholder));
  int64_t places = count_places(*template, *placeholder);
  if (places == node->input_count) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "num placeholders in template and num inputs must match: %lld vs. %d",
                         (long long)places, node->input_count);
}

static sli_status_t *format_compute(sli_kernel_context_t *context) {
  sli_view_t template, placeholder;
  int64_t summarize;
  SLI_RETURN_IF_ERROR(check_places(context->node, &template, &placeholder));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "summarize", &summarize));
  sli_string_t text = {0};
  int input = 0;
  for (size_t at = 0; at < template.size;) {
    bool is_place = placeholder.size && at + placeholder.size <= template.size &&
                    memcmp(template.data + at, placeholder.data, placeholder.size) == 0;
    if (is_place) {
      append_dimension(&text, sli_kernel_input(context, input++), 0, 0, summarize);
      at += placeholder.size;
    } else {
      sli_string_append_char(&text, template.data[at++]);
    }
  }
  sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view_of(sli_string_text(&text), text.size)));
  sli_string_deinitialize(&text);
  return NULL;
}

static sli_status_t *format_shape(sli_infer_context_t *c) {
  sli_view_t template, placeholder;
  SLI_RETURN_IF_ERROR(check_places(c->node, &template, &placeholder));
  return sli_infer_fn_scalar(c);
}

static const sli_op_def_t ops[] = {
    {
        .name = "StringFormat",
        .inputs = "inputs: T",
        .outputs = "output: string",
        .attrs = "T: list(type) >= 0; template: string = '%s'; placeholder: string = '%s'; summarize: int = 3",
        .summary = "Formats tensors into a template string.",
        .shape = format_shape,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "StringFormat", .compute = format_compute},
};
SLI_OP_MODULE(string_format);
