// Parses the equation of an Einsum, and emits its gradient: an Einsum of the output's gradient and the other input.
// Labels that only this input has are broadcast again by BroadcastTo; a broadcast ellipsis is summed.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "ops/math/einsum_internal.h"

static bool contains(sli_view_t text, char label) { return text.size && memchr(text.data, label, text.size); }

static sli_status_t *check_ellipsis(sli_view_t text) {
  int periods = 0;
  for (size_t i = 0; i < text.size; i++) periods += text.data[i] == '.';
  const char *first = text.size ? memchr(text.data, '.', text.size) : NULL;
  if (periods == 0 || (periods == 3 && text.data + text.size - first >= 3 && first[1] == '.' && first[2] == '.'))
    return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Expected at most one ellipsis (...), but found %d periods (.) in the input subscript: %.*s",
                         periods, SLI_VIEW_ARG(text));
}

sli_status_t *sli_einsum_parse(const sli_node_def_t *node, sli_einsum_t *out_equation) {
  sli_view_t text;
  *out_equation = (sli_einsum_t){0};
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "equation", &text));
  size_t arrow = 0, arrows = 0;
  for (size_t i = 0; i + 1 < text.size; i++) {
    if (text.data[i] != '-' || text.data[i + 1] != '>') continue;
    arrow = i;
    arrows++;
  }
  if (arrows != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expecting exactly one '->' in einsum equation: %.*s",
                           SLI_VIEW_ARG(text));
  sli_view_t rest = sli_view_of(text.data, arrow), part;
  out_equation->output = sli_view_of(text.data + arrow + 2, text.size - arrow - 2);
  int count = 0;
  for (bool more = true; more; count++) {
    more = sli_view_split(rest, ',', &part, &rest);
    if (count < 2) out_equation->inputs[count] = part;
  }
  out_equation->input_count = count;
  if (count > 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expecting 1 or 2 input subscripts in equation '%.*s' but got: %d",
                           SLI_VIEW_ARG(text), count);
  if (count != node->input_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected %d inputs for equation %.*s but got: %d", count,
                           SLI_VIEW_ARG(text), node->input_count);
  for (int k = 0; k < count; k++) SLI_RETURN_IF_ERROR(check_ellipsis(out_equation->inputs[k]));
  SLI_RETURN_IF_ERROR(check_ellipsis(out_equation->output));
  for (size_t i = 0; i < out_equation->output.size; i++) {
    char label = out_equation->output.data[i];
    bool known = label == '.';
    for (int k = 0; k < count; k++) known |= contains(out_equation->inputs[k], label);
    if (!known)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Einsum output subscripts for equation '%.*s' has label '%c' which is not present in the "
                             "input subscripts",
                             SLI_VIEW_ARG(text), label);
  }
  return NULL;
}

static sli_output_t emit_einsum(sli_gradient_builder_t *b, sli_view_t x_text, sli_output_t x, sli_view_t y_text,
                                sli_output_t y, sli_view_t result) {
  sli_string_t equation = {0};
  sli_string_append(&equation, x_text.data, x_text.size);
  if (y.node) {
    sli_string_append_char(&equation, ',');
    sli_string_append(&equation, y_text.data, y_text.size);
  }
  sli_string_append_text(&equation, "->");
  sli_string_append(&equation, result.data, result.size);
  sli_attr_entry_t attrs[] = {SLI_ATTR_STRING_OF("equation", sli_string_text(&equation)),
                              SLI_ATTR_INT_OF("N", y.node ? 2 : 1)};
  sli_output_t inputs[] = {x, y};
  sli_output_t output = sli_gradient_emit(b, "Einsum", inputs, y.node ? 2 : 1, attrs, 2);
  sli_string_deinitialize(&equation);
  return output;
}

// Appends the distinct labels of |text| that are in |a| or |b|, and an ellipsis.
static void keep_labels(sli_view_t text, sli_view_t a, sli_view_t b, sli_string_t *out) {
  for (size_t i = 0; i < text.size; i++) {
    char label = text.data[i];
    if (label == '.') {
      sli_string_append_text(out, "...");
      i += 2;
    } else if ((contains(a, label) || contains(b, label)) && !contains(sli_view_of(out->data, out->size), label)) {
      sli_string_append_char(out, label);
    }
  }
}

static sli_output_t emit_slice(sli_gradient_builder_t *b, sli_output_t shape, int begin, int end, bool to_end) {
  return SLI_EMIT_WITH(
      b, "StridedSlice",
      SLI_INPUTS(shape, sli_gradient_const_ints(b, (int32_t[]){begin}, 1),
                 sli_gradient_const_ints(b, (int32_t[]){end}, 1), sli_gradient_const_ints(b, (int32_t[]){1}, 1)),
      SLI_ATTRS(SLI_ATTR_INT_OF("end_mask", to_end)));
}

// Emits the part of |shape| that belongs to the ellipsis of |text|; empty if there is none.
static sli_output_t emit_ellipsis_shape(sli_gradient_builder_t *b, sli_view_t text, sli_output_t shape,
                                        int *out_start) {
  const char *dots = text.size ? memchr(text.data, '.', text.size) : NULL;
  *out_start = dots ? (int)(dots - text.data) : 0;
  if (!dots) return sli_gradient_const_ints(b, NULL, 0);
  int behind = (int)text.size - *out_start - 3;
  return emit_slice(b, shape, *out_start, -behind, behind == 0);
}

// |spread| has the labels |kept| of |text|, each once. Emits a tensor with every dimension of |text|: a missing label
// becomes a dimension of size 1 that BroadcastTo widens to |shape|, a repeated one a diagonal.
static sli_output_t emit_restore(sli_gradient_builder_t *b, sli_output_t spread, sli_view_t kept, sli_view_t text,
                                 sli_output_t shape) {
  sli_string_t distinct = {0};
  keep_labels(text, text, text, &distinct);
  sli_view_t names = sli_view_of(distinct.data, distinct.size);
  sli_output_t result = spread;
  if (names.size != kept.size) {
    // The size of each distinct label, at its first position; positions after an ellipsis are counted from the end.
    sli_output_t sizes[512], ones[512];
    int count = 0;
    bool behind = false;
    for (size_t i = 0; i < names.size && count < 500; i++) {
      char label = names.data[i];
      if (label == '.') {
        int start;
        ones[count] = sizes[count] = emit_ellipsis_shape(b, text, shape, &start);
        count++;
        i += 2;
        behind = true;
        continue;
      }
      int at = (int)((const char *)memchr(text.data, label, text.size) - text.data);
      int place = behind ? at - (int)text.size : at;
      sizes[count] = emit_slice(b, shape, place, place + 1, place == -1);
      ones[count] = contains(kept, label) ? sizes[count] : sli_gradient_const_ints(b, (int32_t[]){1}, 1);
      count++;
    }
    sizes[count] = ones[count] = sli_gradient_const_int32(b, 0);
    sli_attr_entry_t attrs[] = {SLI_ATTR_INT_OF("N", count)};
    sli_output_t narrow = count == 1 ? ones[0] : sli_gradient_emit(b, "ConcatV2", ones, (size_t)count + 1, attrs, 1);
    sli_output_t wide = count == 1 ? sizes[0] : sli_gradient_emit(b, "ConcatV2", sizes, (size_t)count + 1, attrs, 1);
    result = sli_emit2(b, "BroadcastTo", sli_emit2(b, "Reshape", spread, narrow), wide);
  }
  if (names.size != text.size) result = emit_einsum(b, names, result, sli_view(""), SLI_OUTPUT_NONE, text);
  sli_string_deinitialize(&distinct);
  return result;
}

// Emits the gradient of the input with subscripts |text|; |other| is the other input, if there is one.
static sli_output_t emit_gradient(sli_gradient_builder_t *b, sli_view_t output, sli_view_t text, sli_output_t shape,
                                  sli_view_t other_text, sli_output_t other) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_string_t kept = {0};
  keep_labels(text, output, other_text, &kept);
  // An input without an ellipsis is broadcast to the dimensions of the other one: they are summed below.
  bool borrowed = !contains(text, '.') && contains(output, '.');
  sli_string_t wanted = {0};
  if (borrowed) sli_string_append_text(&wanted, "...");
  sli_string_append(&wanted, kept.data, kept.size);
  sli_output_t spread = emit_einsum(b, output, g, other_text, other.node ? sli_emit_conj(b, other) : other,
                                    sli_view_of(wanted.data, wanted.size));
  if (borrowed) {
    int labels = (int)kept.size;
    sli_output_t all = sli_emit1(b, "Rank", spread);
    sli_output_t axes =
        sli_emit3(b, "Range", sli_gradient_const_int32(b, 0),
                  sli_emit2(b, "Sub", all, sli_gradient_const_int32(b, labels)), sli_gradient_const_int32(b, 1));
    spread = sli_emit2(b, "Sum", spread, axes);
  }
  sli_output_t result = emit_restore(b, spread, sli_view_of(kept.data, kept.size), text, shape);
  sli_string_deinitialize(&kept);
  sli_string_deinitialize(&wanted);
  return result;
}

// Sums the dimensions of the ellipsis that were broadcast.
static sli_output_t emit_unbroadcast(sli_gradient_builder_t *b, sli_output_t gradient, sli_output_t axes, int start,
                                     sli_output_t shape) {
  sli_output_t shifted = sli_emit2(b, "AddV2", axes, sli_gradient_const_int32(b, start));
  return sli_emit2(b, "Reshape", sli_emit2(b, "Sum", gradient, shifted), shape);
}

sli_status_t *sli_einsum_gradient(sli_gradient_builder_t *b) {
  sli_einsum_t equation;
  SLI_RETURN_IF_ERROR(sli_einsum_parse(b->node, &equation));
  sli_output_t x = sli_gradient_input(b, 0), x_shape = sli_emit_shape(b, x);
  sli_view_t none = sli_view(""), *text = equation.inputs;
  if (equation.input_count == 1) {
    sli_gradient_set(b, 0, emit_gradient(b, equation.output, text[0], x_shape, none, SLI_OUTPUT_NONE));
    return NULL;
  }
  sli_output_t y = sli_gradient_input(b, 1), y_shape = sli_emit_shape(b, y);
  sli_output_t gx = emit_gradient(b, equation.output, text[0], x_shape, text[1], y);
  sli_output_t gy = emit_gradient(b, equation.output, text[1], y_shape, text[0], x);
  if (contains(text[0], '.') && contains(text[1], '.')) {
    int x_start, y_start;
    sli_output_t x_wide = emit_ellipsis_shape(b, text[0], x_shape, &x_start);
    sli_output_t y_wide = emit_ellipsis_shape(b, text[1], y_shape, &y_start);
    sli_output_t axes = sli_emit2(b, "BroadcastGradientArgs", x_wide, y_wide);
    gx = emit_unbroadcast(b, gx, axes, x_start, x_shape);
    gy = emit_unbroadcast(b, gy, sli_output_at(axes, 1), y_start, y_shape);
  }
  sli_gradient_set(b, 0, gx);
  sli_gradient_set(b, 1, gy);
  return NULL;
}
