// StringSplit, StringSplitV2: split strings; the result is a sparse matrix with one row per string.
#include <string.h>

#include "base/array.h"
#include "core/op/shape_inference.h"

typedef struct {
  int64_t row, column;
  sli_view_t text;
} part_t;

typedef struct {
  SLI_ARRAY(part_t) all;
  int64_t row, column, widest;
} parts_t;

static void add_part(parts_t *parts, sli_view_t text) {
  sli_array_push(&parts->all, (part_t){parts->row, parts->column++, text});
  if (parts->column > parts->widest) parts->widest = parts->column;
}

static sli_view_t cut(sli_view_t text, size_t begin, size_t end) { return sli_view_of(text.data + begin, end - begin); }

static sli_status_t *set_outputs(sli_kernel_context_t *context, const parts_t *parts, int64_t rows) {
  sli_tensor_t *indices, *values;
  int64_t count = (int64_t)parts->all.count;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(count, 2), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(count), &values));
  for (int64_t i = 0; i < count; i++) {
    const part_t *part = &parts->all.items[i];
    SLI_DATA(int64_t, indices)[2 * i] = part->row;
    SLI_DATA(int64_t, indices)[2 * i + 1] = part->column;
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, values)[i], part->text.data, part->text.size);
  }
  sli_kernel_set_output(context, 2, sli_tensor_vector_int64((int64_t[]){rows, parts->widest}, 2));
  return NULL;
}

typedef void (*split_fn_t)(sli_view_t text, sli_view_t separator, int64_t option, parts_t *parts);

static sli_status_t *split_all(sli_kernel_context_t *context, const char *separator_name, split_fn_t split,
                               int64_t option) {
  const sli_tensor_t *input = sli_kernel_input(context, 0), *separator = sli_kernel_input(context, 1);
  if (input->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be a vector, got shape: %s",
                           sli_tensor_shape_text(input).text);
  if (separator->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a scalar, got shape: %s", separator_name,
                           sli_tensor_shape_text(separator).text);
  sli_view_t by = sli_tstring_view(SLI_DATA(sli_tstring_t, separator));
  parts_t parts = {0};
  for (int64_t i = 0; i < input->count; i++) {
    parts.row = i;
    parts.column = 0;
    split(sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]), by, option, &parts);
  }
  sli_status_t *status = set_outputs(context, &parts, input->count);
  sli_array_deinitialize(&parts.all);
  return status;
}

// Splits at each byte of |delimiters|, or into single bytes if |delimiters| is empty. An empty text has no parts.
static void split_at_bytes(sli_view_t text, sli_view_t delimiters, int64_t skip_empty, parts_t *parts) {
  if (text.size == 0) return;
  if (delimiters.size == 0) {
    for (size_t i = 0; i < text.size; i++) add_part(parts, cut(text, i, i + 1));
    return;
  }
  size_t begin = 0;
  for (size_t i = 0; i <= text.size; i++) {
    if (i < text.size && !memchr(delimiters.data, text.data[i], delimiters.size)) continue;
    if (i > begin || !skip_empty) add_part(parts, cut(text, begin, i));
    begin = i + 1;
  }
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static size_t skip_spaces(sli_view_t text, size_t at) {
  while (at < text.size && is_space(text.data[at])) at++;
  return at;
}

// Splits at runs of whitespace. After |most| splits the rest, even if it is empty, is one part.
static void split_at_spaces(sli_view_t text, int64_t most, parts_t *parts) {
  size_t at = skip_spaces(text, 0);
  for (int64_t splits = 1; at < text.size; splits++) {
    size_t end = at;
    while (end < text.size && !is_space(text.data[end])) end++;
    add_part(parts, cut(text, at, end));
    at = skip_spaces(text, end);
    if (splits == most) {
      add_part(parts, cut(text, at, text.size));
      return;
    }
  }
}

static void split_at_text(sli_view_t text, sli_view_t separator, int64_t most, parts_t *parts) {
  if (most == 0) {
    add_part(parts, text);
    return;
  }
  if (separator.size == 0) {
    split_at_spaces(text, most, parts);
    return;
  }
  size_t begin = 0;
  for (int64_t splits = 0; most < 0 || splits < most; splits++) {
    const char *found =
        begin < text.size ? memmem(text.data + begin, text.size - begin, separator.data, separator.size) : NULL;
    if (!found) break;
    add_part(parts, cut(text, begin, (size_t)(found - text.data)));
    begin = (size_t)(found - text.data) + separator.size;
  }
  add_part(parts, cut(text, begin, text.size));
}

static sli_status_t *split_compute(sli_kernel_context_t *context) {
  bool skip_empty;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "skip_empty", &skip_empty));
  return split_all(context, "delimiter", split_at_bytes, skip_empty);
}

static sli_status_t *split_v2_compute(sli_kernel_context_t *context) {
  int64_t most;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "maxsplit", &most));
  return split_all(context, "sep", split_at_text, most);
}

static sli_status_t *split_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, 2}));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 2, sli_infer_make(c, 1, (int64_t[]){2}));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "StringSplit",
        .inputs = "input: string, delimiter: string",
        .outputs = "indices: int64, values: string, shape: int64",
        .attrs = "skip_empty: bool = true",
        .summary = "Splits strings at any of the given bytes.",
        .shape = split_shape,
        .not_differentiable = true,
    },
    {
        .name = "StringSplitV2",
        .inputs = "input: string, sep: string",
        .outputs = "indices: int64, values: string, shape: int64",
        .attrs = "maxsplit: int = -1",
        .summary = "Splits strings at a separator.",
        .shape = split_shape,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "StringSplit", .compute = split_compute},
    {.op = "StringSplitV2", .compute = split_v2_compute},
};
SLI_OP_MODULE(string_split);
