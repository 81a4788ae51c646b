// Reads the attributes of sliding windows and computes output sizes.
#include "ops/nn/window.h"

#include <string.h>

static sli_status_t *read_list(const sli_node_def_t *node, const char *attr, const char *said, const char *name,
                               int count, int64_t *out_values) {
  const sli_attr_t *list;
  if (!sli_node_attr(node, attr)) return NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, attr, SLI_ATTR_INT, &list));
  if (list->count != (size_t)count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s requires the %s attribute to contain %d values, but got: %zu",
                           name, said, count, list->count);
  for (int i = 0; i < count; i++) {
    if (list->list.i[i] < INT32_MIN || list->list.i[i] > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s: elements of the %s attribute must fit int32, got %lld", name,
                             said, (long long)list->list.i[i]);
    out_values[i] = list->list.i[i];
  }
  return NULL;
}

static sli_status_t *read_explicit(const sli_node_def_t *node, sli_window_t *window) {
  const sli_attr_t *list;
  if (!sli_node_attr(node, "explicit_paddings")) return NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "explicit_paddings", SLI_ATTR_INT, &list));
  if (window->padding != SLI_WINDOW_EXPLICIT) {
    if (list->count == 0) return NULL;
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
  }
  if (list->count != 2 * (size_t)window->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "explicit_paddings attribute must contain %d values, but got: %zu",
                           2 * window->rank, list->count);
  for (int d = 0; d < window->rank; d++) {
    window->before[d] = list->list.i[2 * d];
    window->after[d] = list->list.i[2 * d + 1];
    if (window->before[d] < 0 || window->after[d] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "All elements of explicit_paddings must be nonnegative");
    if (window->before[d] > INT32_MAX || window->after[d] > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Elements of explicit_paddings must be at most %d, got %lld",
                             INT32_MAX,
                             (long long)(window->before[d] > window->after[d] ? window->before[d] : window->after[d]));
  }
  int channels = sli_window_channel_dim(window);
  if (window->before[0] || window->after[0] || window->before[channels] || window->after[channels])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Nonzero explicit padding in the batch or depth dimensions is not supported");
  return NULL;
}

sli_status_t *sli_window_read(const sli_node_def_t *node, int rank, const char *name, sli_window_t *out_window) {
  sli_window_t window = {.rank = rank};
  sli_view_t format = sli_view(""), padding;
  for (int d = 0; d < rank; d++) window.size[d] = window.stride[d] = window.dilation[d] = 1;
  if (sli_node_attr(node, "data_format")) SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "data_format", &format));
  window.channels_first = format.size > 1 && format.data[1] == 'C';
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "padding", &padding));
  window.padding = sli_view_is(padding, "SAME")       ? SLI_WINDOW_SAME
                   : sli_view_is(padding, "EXPLICIT") ? SLI_WINDOW_EXPLICIT
                                                      : SLI_WINDOW_VALID;
  SLI_RETURN_IF_ERROR(read_list(node, "ksize", "ksize", name, rank, window.size));
  SLI_RETURN_IF_ERROR(read_list(node, "strides", "stride", name, rank, window.stride));
  SLI_RETURN_IF_ERROR(read_list(node, "dilations", "dilation", name, rank, window.dilation));
  for (int i = 0; i < rank - 2; i++) {
    int d = sli_window_dim(&window, i);
    if (window.stride[d] <= 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Stride must be > 0, but got %lld", (long long)window.stride[d]);
    if (window.dilation[d] < 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dilation rate must be >= 1, but got %lld",
                             (long long)window.dilation[d]);
  }
  SLI_RETURN_IF_ERROR(read_explicit(node, &window));
  *out_window = window;
  return NULL;
}

sli_status_t *sli_window_extent(const sli_window_t *window, int dim, int64_t input, int64_t size,
                                sli_window_extent_t *out_extent) {
  int64_t stride = window->stride[dim];
  *out_extent = (sli_window_extent_t){0, window->before[dim], window->after[dim]};
  // With this limit nothing below can overflow int64.
  if (input > INT32_MAX || size > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "A dimension with a sliding window must have at most %d elements, got %lld", INT32_MAX,
                           (long long)(input > size ? input : size));
  int64_t span = (size - 1) * window->dilation[dim] + 1;
  if (window->padding == SLI_WINDOW_SAME) {
    out_extent->out = (input + stride - 1) / stride;
    int64_t needed = (out_extent->out - 1) * stride + span - input;
    if (needed > 0) {
      out_extent->before = needed / 2;
      out_extent->after = needed - needed / 2;
    }
  } else {
    out_extent->out = (input + out_extent->before + out_extent->after - span + stride) / stride;
  }
  if (out_extent->out < 0)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Computed output size would be negative: %lld [input_size: %lld, effective_filter_size: %lld, stride: %lld]",
        (long long)out_extent->out, (long long)input, (long long)span, (long long)stride);
  return NULL;
}

sli_status_t *sli_window_infer(const sli_window_t *window, int dim, int64_t input, int64_t size, int64_t *out) {
  int64_t stride = window->stride[dim];
  *out = -1;
  if (stride <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Stride must be > 0, but got %lld", (long long)stride);
  if (input < 0 || (size < 0 && window->padding != SLI_WINDOW_SAME)) return NULL;
  if (input > INT64_MAX - 3 * (int64_t)INT32_MAX || size > INT32_MAX) return NULL;
  if (window->padding == SLI_WINDOW_SAME) {
    *out = (input + stride - 1) / stride;
    return NULL;
  }
  int64_t span = (size - 1) * window->dilation[dim] + 1, padded = input + window->before[dim] + window->after[dim];
  if (padded < span)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Negative dimension size caused by subtracting %lld from %lld",
                           (long long)span, (long long)padded);
  *out = (padded - span + stride) / stride;
  return NULL;
}
