// StringNGrams: joins every run of n neighbouring strings of a row, for several n, with padding at both ends.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"

typedef struct {
  const int64_t *widths;
  size_t width_count;
  sli_view_t separator, left_pad, right_pad;
  int64_t pad_width;  // negative: as wide as possible
  bool preserve_short;
} ngrams_t;

static sli_status_t *read_options(const sli_node_def_t *node, ngrams_t *out_options) {
  const sli_attr_t *widths;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "ngram_widths", SLI_ATTR_INT, &widths));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "separator", &out_options->separator));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "left_pad", &out_options->left_pad));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "right_pad", &out_options->right_pad));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "pad_width", &out_options->pad_width));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "preserve_short_sequences", &out_options->preserve_short));
  out_options->widths = widths->list.i;
  out_options->width_count = widths->count;
  for (size_t i = 0; i < widths->count; i++)
    if (widths->list.i[i] <= 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "ngram_widths must contain positive values");
  return NULL;
}

// Padding is never wider than a run without its last string.
static int64_t padding_of(const ngrams_t *options, int64_t width) {
  return options->pad_width < 0 || options->pad_width > width - 1 ? width - 1 : options->pad_width;
}

static sli_status_t *count_ngrams(const ngrams_t *options, int64_t length, int64_t width, int64_t *out_count) {
  int64_t padding = padding_of(options, width);
  if (padding > INT32_MAX / 2 - length)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Pad width could lead to integer overflow, got pad_width = %lld",
                           (long long)padding);
  int64_t count = length + 2 * padding - width + 1;
  *out_count = count > 0 ? count : 0;
  return NULL;
}

static void append(sli_string_t *text, sli_view_t view) { sli_string_append(text, view.data, view.size); }

// The run |index| of |count| of |width| strings, of which |data| starts at |first|.
static void build_ngram(const ngrams_t *options, const sli_tensor_t *data, int64_t first, int64_t index, int64_t count,
                        int64_t width, sli_string_t *text) {
  int64_t padding = padding_of(options, width);
  int64_t left = padding > index ? padding - index : 0;
  int64_t right = padding > count - (index + 1) ? padding - (count - (index + 1)) : 0;
  int64_t tokens = width - (left + right);
  int64_t begin = left > 0 ? 0 : index - padding;
  for (int64_t i = 0; i < left + tokens + right; i++) {
    if (i > 0) append(text, options->separator);
    append(text, i < left            ? options->left_pad
                 : i < left + tokens ? sli_tensor_string_at(data, first + begin + i - left)
                                     : options->right_pad);
  }
}

static sli_status_t *check_splits(const sli_tensor_t *splits, int64_t count) {
  for (int64_t i = 0; i < splits->count; i++) {
    int64_t split = sli_tensor_int_at(splits, i), before = i ? sli_tensor_int_at(splits, i - 1) : 0;
    if (i == 0 && split != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "First split value must be 0, got %lld", (long long)split);
    if (split < before || split > count)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid split value %lld, must be in [%lld, %lld]",
                             (long long)split, (long long)before, (long long)count);
  }
  if (splits->count && sli_tensor_int_at(splits, splits->count - 1) != count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Last split value must be data size. Expected %lld, got %lld",
                           (long long)count, (long long)sli_tensor_int_at(splits, splits->count - 1));
  return NULL;
}

// Fills in the output's splits, the number of n-grams of each row.
static sli_status_t *count_rows(const ngrams_t *options, const sli_tensor_t *splits, sli_tensor_t *out_splits,
                                int64_t *out_total) {
  int64_t total = 0;
  if (splits->count) sli_tensor_set_int(out_splits, 0, 0);
  for (int64_t i = 1; i < splits->count; i++) {
    int64_t length = sli_tensor_int_at(splits, i) - sli_tensor_int_at(splits, i - 1), row = 0, count = 0;
    for (size_t w = 0; w < options->width_count; w++) {
      SLI_RETURN_IF_ERROR(count_ngrams(options, length, options->widths[w], &count));
      row += count;
    }
    if (options->preserve_short && length > 0 && row == 0) {
      if (options->pad_width < 0)
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are "
                               "not provided, got %lld",
                               (long long)options->pad_width);
      row = 1;
    }
    total += row;
    if (out_splits->dtype == SLI_DTYPE_INT32 && total > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "There are more n-grams than int32 splits can number");
    sli_tensor_set_int(out_splits, i, total);
  }
  *out_total = total;
  return NULL;
}

static void fill_row(const ngrams_t *options, const sli_tensor_t *data, int64_t first, int64_t length,
                     sli_tensor_t *output, int64_t at, int64_t end, sli_string_t *text) {
  for (size_t w = 0; w <= options->width_count && at < end; w++) {
    // After the widths, what is left is a sequence that is too short for all of them.
    int64_t width = w < options->width_count ? options->widths[w] : length + 2 * options->pad_width, count = 1;
    if (w < options->width_count) sli_status_release(count_ngrams(options, length, width, &count));
    for (int64_t i = 0; i < count; i++) {
      sli_string_clear(text);
      build_ngram(options, data, first, i, count, width, text);
      sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[at++], sli_string_text(text), text->size);
    }
  }
}

static sli_status_t *ngrams_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *data = sli_kernel_input(context, 0), *splits = sli_kernel_input(context, 1);
  ngrams_t options;
  sli_tensor_t *output, *out_splits;
  int64_t total = 0;
  SLI_RETURN_IF_ERROR(read_options(context->node, &options));
  SLI_RETURN_IF_ERROR(sli_kernel_require_vector(context, 0, "data"));
  SLI_RETURN_IF_ERROR(sli_kernel_require_vector(context, 1, "data_splits"));
  if (splits->count) SLI_RETURN_IF_ERROR(check_splits(splits, data->count));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, sli_tensor_shape(splits), &out_splits));
  if (data->count == 0 || splits->count == 0) {
    for (int64_t i = 0; i < splits->count; i++) sli_tensor_set_int(out_splits, i, 0);
    return sli_kernel_allocate_output(context, 0, sli_tensor_shape(data), &output);
  }
  SLI_RETURN_IF_ERROR(count_rows(&options, splits, out_splits, &total));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(total), &output));
  sli_string_t text = {0};
  for (int64_t i = 1; i < splits->count; i++) {
    int64_t first = sli_tensor_int_at(splits, i - 1), length = sli_tensor_int_at(splits, i) - first;
    fill_row(&options, data, first, length, output, sli_tensor_int_at(out_splits, i - 1),
             sli_tensor_int_at(out_splits, i), &text);
  }
  sli_string_deinitialize(&text);
  return NULL;
}

static sli_status_t *ngrams_shape(sli_infer_context_t *c) {
  sli_shape_t unused, splits;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &splits));
  sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 1, splits);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "StringNGrams",
     .inputs = "data: string, data_splits: Tsplits",
     .outputs = "ngrams: string, ngrams_splits: Tsplits",
     .attrs = "separator: string; ngram_widths: list(int) >= 0; left_pad: string; right_pad: string; pad_width: int; "
              "preserve_short_sequences: bool; Tsplits: {int32, int64} = DT_INT64",
     .summary = "Joins runs of neighbouring strings of each row.",
     .shape = ngrams_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "StringNGrams", .where = {{"Tsplits", SLI_TYPES_INDEX}}, .compute = ngrams_compute},
};
SLI_OP_MODULE(string_ngrams);
