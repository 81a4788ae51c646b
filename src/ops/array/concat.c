// Joining and splitting along one axis: Pack, Unpack, Concat, ConcatV2, ConcatOffset, Split, SplitV. Each op treats its
// tensors as matrices: the dims before the axis are rows, of which it copies runs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/array/concat.h"
#include "ops/common/copy_elements.h"

// Copies a run of |width| elements in each of |rows| rows.
static void copy_runs(sli_kernel_context_t *context, sli_dtype_t dtype, int64_t rows, int64_t width, void *to,
                      int64_t to_pitch, const void *from, int64_t from_pitch) {
  sli_elements_strided_copy(sli_kernel_pool(context), dtype, 2, (int64_t[]){rows, width}, to, (int64_t[]){to_pitch, 1},
                            from, (int64_t[]){from_pitch, 1});
}

// Pack joins N tensors of one shape along a new axis.
static sli_status_t *pack_compute(sli_kernel_context_t *context) {
  sli_tensor_t *first = sli_kernel_input(context, 0), *output;
  int64_t axis = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "axis", &axis));
  int count = context->input_count, rank = first->rank + 1;
  if (axis < -rank || axis >= rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis = %lld not in [%d, %d)", (long long)axis, -rank, rank);
  }
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(rank));
  if (axis < 0) axis += rank;
  for (int i = 1; i < count; i++) {
    if (!sli_tensor_same_shape(first, sli_kernel_input(context, i))) {
      return sli_status_make(
          SLI_INVALID_ARGUMENT, "Shapes of all inputs must match: values[0].shape = %s != values[%d].shape = %s",
          sli_tensor_shape_text(first).text, i, sli_tensor_shape_text(sli_kernel_input(context, i)).text);
    }
  }
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < rank; i++) dims[i] = i == axis ? count : first->dims[i < axis ? i : i - 1];
  if (count == 1) {
    sli_kernel_set_output_reshaped(context, 0, 0, (sli_shape_t){rank, dims});
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (output->count == 0) return NULL;
  int64_t rows = sli_shape_product(first->dims, 0, (int)axis), width = first->count / rows;
  for (int i = 0; i < count; i++) {
    copy_runs(context, first->dtype, rows, width, sli_tensor_at(output, i * width), count * width,
              sli_kernel_input(context, i)->data, width);
  }
  return NULL;
}

static sli_status_t *pack_shape(sli_infer_context_t *c) {
  int64_t axis = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "axis", &axis));
  int count = c->node->input_count;
  sli_shape_t in = sli_infer_input(c, count - 1);
  for (int i = count - 2; i >= 0; i--) {
    sli_status_t *status = sli_infer_merge(c, sli_infer_input(c, i), in, &in);
    if (status) return sli_status_append(status, "\n\tFrom merging shape %d with other shapes.", i);
  }
  if (c->input_handles && count) c->output_handles[0] = c->input_handles[0];
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  int rank = in.rank + 1;
  if (axis < -rank || axis >= rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid axis: %lld; must be in [%d,%d)", (long long)axis, -rank,
                           rank);
  }
  if (axis < 0) axis += rank;
  int64_t dims[SLI_MAX_RANK + 1];
  for (int i = 0; i < rank; i++) dims[i] = i == axis ? count : in.dims[i < axis ? i : i - 1];
  sli_infer_set_output(c, 0, sli_infer_make(c, rank, dims));
  return NULL;
}

static sli_status_t *pack_gradient(sli_gradient_builder_t *b) {
  int64_t axis = 0;
  int count = b->node->input_count;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(b->node, "axis", &axis));
  sli_output_t parts = SLI_EMIT_WITH(b, "Unpack", SLI_INPUTS(sli_gradient_of_output(b, 0)),
                                     SLI_ATTRS(SLI_ATTR_INT_OF("num", count), SLI_ATTR_INT_OF("axis", axis)));
  for (int i = 0; i < count; i++) sli_gradient_set(b, i, sli_output_at(parts, i));
  return NULL;
}

// Unpack: the reverse of Pack.
static sli_status_t *unpack_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0);
  int64_t axis = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "axis", &axis));
  int count = context->output_count, rank = input->rank;
  if (axis < -rank || axis >= rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis = %lld not in [%d, %d)", (long long)axis, -rank, rank);
  }
  if (axis < 0) axis += rank;
  if (input->dims[axis] != count) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input shape axis %lld must equal %d, got shape %s", (long long)axis,
                           count, sli_tensor_shape_text(input).text);
  }
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < rank - 1; i++) dims[i] = input->dims[i < axis ? i : i + 1];
  sli_shape_t shape = {rank - 1, dims};
  int64_t rows = sli_shape_product(input->dims, 0, (int)axis),
          width = sli_shape_product(input->dims, (int)axis + 1, rank);
  for (int i = 0; i < count; i++) {
    if (rows == 1) {
      // A slice of the first dim shares the input's memory.
      sli_kernel_set_output(context, i, sli_tensor_view(input, input->dtype, i * width, dims, rank - 1));
      continue;
    }
    sli_tensor_t *output;
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, shape, &output));
    if (output->count == 0) continue;
    copy_runs(context, input->dtype, rows, width, output->data, width, sli_tensor_at(input, i * width), count * width);
  }
  return NULL;
}

static sli_status_t *unpack_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0);
  int64_t axis = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "axis", &axis));
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  if (axis < -in.rank || axis >= in.rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid axis: %lld; must be in [%d,%d)", (long long)axis, -in.rank,
                           in.rank);
  }
  if (axis < 0) axis += in.rank;

  if (sli_infer_dim(in, (int)axis) >= 0 && in.dims[axis] != c->node->output_count) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension must be %d but is %lld", c->node->output_count,
                           (long long)in.dims[axis]);
  }

  sli_shape_t out = sli_infer_concatenate(c, sli_infer_subshape(c, in, 0, (int)axis),
                                          sli_infer_subshape(c, in, (int)axis + 1, in.rank));
  for (int i = 0; i < c->node->output_count; i++) sli_infer_set_output(c, i, out);
  return NULL;
}

static sli_status_t *unpack_gradient(sli_gradient_builder_t *b) {
  int64_t axis = 0;
  int count = b->node->output_count;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(b->node, "axis", &axis));
  sli_output_t *parts = sli_calloc((size_t)count + 1, sizeof(*parts));
  for (int i = 0; i < count; i++) parts[i] = sli_gradient_of_output(b, i);
  sli_gradient_set(b, 0,
                   sli_gradient_emit(b, "Pack", parts, (size_t)count,
                                     SLI_ATTRS(SLI_ATTR_INT_OF("N", count), SLI_ATTR_INT_OF("axis", axis))));
  free(parts);
  return NULL;
}

// Concat, ConcatV2 join tensors that differ in one dim only: inputs [first, first + count). The axis is input
// |axis_input|.
static sli_status_t *concat_check(sli_kernel_context_t *context, int first, int count, int64_t axis,
                                  int64_t *out_total) {
  sli_tensor_t *head = sli_kernel_input(context, first);
  *out_total = 0;
  for (int i = 0; i < count; i++) {
    sli_tensor_t *value = sli_kernel_input(context, first + i);
    if (value->rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "ConcatOp : Can't concatenate scalars (use tf.stack instead)");
    if (value->rank != head->rank) {
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
                             sli_tensor_shape_text(head).text, i, sli_tensor_shape_text(value).text);
    }
    for (int j = 0; j < head->rank; j++) {
      if (j != axis && value->dims[j] != head->dims[j]) {
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "ConcatOp : Dimension %d in both shapes must be equal: shape[0] = %s vs. shape[%d] = %s",
                               j, sli_tensor_shape_text(head).text, i, sli_tensor_shape_text(value).text);
      }
    }
    if (__builtin_add_overflow(*out_total, value->dims[axis], out_total)) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "ConcatOp : too many elements");
    }
  }
  return NULL;
}

static sli_status_t *concat(sli_kernel_context_t *context, int first, int count, int axis_input,
                            const char *axis_name) {
  sli_tensor_t *head = sli_kernel_input(context, first), *axis_tensor = sli_kernel_input(context, axis_input), *output;
  if (axis_tensor->count != 1 || axis_tensor->rank > 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s tensor should be a scalar integer, but got shape %s", axis_name,
                           sli_tensor_shape_text(axis_tensor).text);
  }
  int64_t axis = sli_tensor_int_at(axis_tensor, 0), wanted = axis, total;
  if (axis < 0) axis += head->rank;
  if ((axis < 0 || axis >= head->rank) && wanted != 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "ConcatOp : Expected concatenating dimensions in the range [%d, %d), but got %lld",
                           -head->rank, head->rank, (long long)wanted);
  }
  SLI_RETURN_IF_ERROR(concat_check(context, first, count, axis, &total));
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, head->dims, (size_t)head->rank * sizeof(int64_t));
  dims[axis] = total;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){head->rank, dims}, &output));
  if (output->count == 0) return NULL;
  int64_t rows = sli_shape_product(dims, 0, (int)axis), inner = sli_shape_product(dims, (int)axis + 1, head->rank);
  int64_t offset = 0;
  for (int i = 0; i < count; i++) {
    sli_tensor_t *value = sli_kernel_input(context, first + i);
    int64_t width = value->dims[axis] * inner;
    copy_runs(context, value->dtype, rows, width, sli_tensor_at(output, offset), total * inner, value->data, width);
    offset += width;
  }
  return NULL;
}

static sli_status_t *concat_v2_compute(sli_kernel_context_t *context) {
  return concat(context, 0, context->input_count - 1, context->input_count - 1, "axis");
}

static sli_status_t *concat_compute(sli_kernel_context_t *context) {
  return concat(context, 1, context->input_count - 1, 0, "concat_dim");
}

sli_status_t *sli_concat_shape(sli_infer_context_t *c, int first, int count, int axis_input) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, axis_input, 0, &unused));
  const sli_tensor_t *axis_value = sli_infer_input_constant(c, axis_input);
  if (!axis_value) {
    // Only the rank is known, from any input that has one.
    sli_shape_t known = SLI_SHAPE_UNKNOWN;
    for (int i = 0; i < count && known.rank < 0; i++) known = sli_infer_input(c, first + i);
    if (known.rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Can't concatenate scalars (use tf.stack instead)");
    for (int i = 0; i < count && known.rank > 0; i++)
      SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, sli_infer_input(c, first + i), known.rank, &unused));
    sli_infer_set_output(c, 0, known.rank < 0 ? known : sli_infer_make_unknown_of_rank(c, known.rank));
    return NULL;
  }
  int64_t axis = sli_tensor_int_at(axis_value, 0);
  if (axis > SLI_MAX_RANK || axis < -SLI_MAX_RANK) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis must be in [%d, %d], got %lld", -SLI_MAX_RANK, SLI_MAX_RANK,
                           (long long)axis);
  }
  int minimum = (int)(axis < 0 ? -axis : axis + 1);
  sli_shape_t before = SLI_SHAPE_UNKNOWN, after = SLI_SHAPE_UNKNOWN;
  int64_t middle = 0;
  for (int i = 0; i < count; i++) {
    sli_shape_t shape;
    SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, first + i), minimum, &shape));
    if (shape.rank < 0) {
      middle = -1;
      continue;
    }
    int at = (int)(axis < 0 ? axis + shape.rank : axis);
    int64_t dim = shape.dims[at];
    if (middle >= 0 && (dim < 0 || __builtin_add_overflow(middle, dim, &middle))) middle = -1;
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, before, sli_infer_subshape(c, shape, 0, at), &before));
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, after, sli_infer_subshape(c, shape, at + 1, shape.rank), &after));
  }
  if (before.rank < 0 || after.rank < 0) return sli_infer_fn_unknown(c);
  sli_shape_t out = sli_infer_concatenate(c, before, sli_infer_make(c, 1, &middle));
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, out, after));
  return NULL;
}

static sli_status_t *concat_v2_shape(sli_infer_context_t *c) {
  return sli_concat_shape(c, 0, c->node->input_count - 1, c->node->input_count - 1);
}

static sli_status_t *concat_shape(sli_infer_context_t *c) {
  return sli_concat_shape(c, 1, c->node->input_count - 1, 0);
}

// Each input's gradient is its slice of the gradient, cut out by ConcatOffset and Slice. IndexedSlices were made dense
// before.
static sli_status_t *concat_gradient_of(sli_gradient_builder_t *b, int first, int count, int axis_input) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  sli_output_t axis = sli_gradient_input(b, axis_input);
  if (sli_gradient_dtype(b, axis) != SLI_DTYPE_INT32) {
    axis = SLI_EMIT_WITH(b, "Cast", SLI_INPUTS(axis), SLI_ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_INT32)));
  }
  // A negative axis counts from the end.
  axis = SLI_EMIT(b, "FloorMod", SLI_INPUTS(axis, SLI_EMIT(b, "Rank", SLI_INPUTS(sli_gradient_input(b, first)))));
  sli_output_t shapes =
      sli_gradient_emit(b, "ShapeN", b->inputs + first, (size_t)count, SLI_ATTRS(SLI_ATTR_INT_OF("N", count)));
  sli_output_t *arguments = sli_calloc((size_t)count + 1, sizeof(*arguments));
  arguments[0] = axis;
  for (int i = 0; i < count; i++) arguments[i + 1] = sli_output_at(shapes, i);
  sli_output_t offsets =
      sli_gradient_emit(b, "ConcatOffset", arguments, (size_t)count + 1, SLI_ATTRS(SLI_ATTR_INT_OF("N", count)));
  free(arguments);
  for (int i = 0; i < count; i++) {
    sli_gradient_set(b, first + i,
                     SLI_EMIT(b, "Slice", SLI_INPUTS(gradient, sli_output_at(offsets, i), sli_output_at(shapes, i))));
  }
  return NULL;
}

static sli_status_t *concat_v2_gradient(sli_gradient_builder_t *b) {
  return concat_gradient_of(b, 0, b->node->input_count - 1, b->node->input_count - 1);
}

static sli_status_t *concat_gradient(sli_gradient_builder_t *b) {
  return concat_gradient_of(b, 1, b->node->input_count - 1, 0);
}

// A shape as it is in a tensor: "[2 3 5]".
typedef struct {
  char text[160];
} values_text_t;

static values_text_t values_text(const sli_tensor_t *shape) {
  values_text_t result = {"["};
  size_t length = 1;
  for (int64_t i = 0; i < shape->count && length + 24 < sizeof(result.text); i++)
    length += (size_t)snprintf(result.text + length, sizeof(result.text) - length, "%s%lld", i ? " " : "",
                               (long long)sli_tensor_int_at(shape, i));
  snprintf(result.text + length, sizeof(result.text) - length, "]");
  return result;
}

// ConcatOffset: where each input of a Concat starts in its output.
static sli_status_t *concat_offset_compute(sli_kernel_context_t *context) {
  int64_t axis = 0;
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 0, "concat_dim", &axis));
  sli_tensor_t *head = sli_kernel_input(context, 1);
  int count = context->input_count - 1;
  int64_t wanted = axis;
  for (int i = 0; i < count; i++) {
    if (sli_kernel_input(context, i + 1)->rank != 1) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "input %d should be a vector, but got shape %s", i,
                             sli_tensor_shape_text(sli_kernel_input(context, i + 1)).text);
    }
  }
  if (axis < 0) axis += head->count;
  if (axis < 0 || axis >= head->count) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Concat dim is out of range: %lld vs. %lld", (long long)wanted,
                           (long long)head->count);
  }
  int64_t offset = 0;
  for (int i = 0; i < count; i++) {
    sli_tensor_t *shape = sli_kernel_input(context, i + 1), *output;
    if (shape->count != head->count) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "input %d should contain %lld elements, but got %lld", i,
                             (long long)head->count, (long long)shape->count);
    }
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, sli_tensor_shape(shape), &output));
    for (int64_t j = 0; j < shape->count; j++) {
      if (j != axis && sli_tensor_int_at(shape, j) != sli_tensor_int_at(head, j)) {
        return sli_status_make(
            SLI_INVALID_ARGUMENT,
            "All dimensions except %lld must match. Input %d has shape %s and doesn't match input 0 with shape %s.",
            (long long)axis, i, values_text(shape).text, values_text(head).text);
      }
      sli_tensor_set_int(output, j, j == axis ? offset : 0);
    }
    if (__builtin_add_overflow(offset, sli_tensor_int_at(shape, axis), &offset)) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "ConcatOffset: offsets overflow");
    }
  }
  return NULL;
}

static sli_status_t *concat_offset_shape(sli_infer_context_t *c) {
  for (int i = 1; i < c->node->input_count; i++) sli_infer_set_output(c, i - 1, sli_infer_input(c, i));
  return NULL;
}

// Split, SplitV cut the axis into pieces of |sizes|.
static sli_status_t *split_into(sli_kernel_context_t *context, sli_tensor_t *input, int64_t axis,
                                const int64_t *sizes) {
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, input->dims, (size_t)input->rank * sizeof(int64_t));
  int64_t rows = sli_shape_product(dims, 0, (int)axis), inner = sli_shape_product(dims, (int)axis + 1, input->rank);
  int64_t pitch = dims[axis] * inner, offset = 0;
  for (int i = 0; i < context->output_count; i++) {
    dims[axis] = sizes[i];
    int64_t width = sizes[i] * inner;
    if (rows == 1 && offset + width <= input->count) {
      sli_kernel_set_output(context, i, sli_tensor_view(input, input->dtype, offset, dims, input->rank));
    } else {
      sli_tensor_t *output;
      SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, (sli_shape_t){input->rank, dims}, &output));
      if (output->count) {
        copy_runs(context, input->dtype, rows, width, output->data, width, sli_tensor_at(input, offset), pitch);
      }
    }
    offset += width;
  }
  return NULL;
}

static sli_status_t *split_axis(sli_kernel_context_t *context, int axis_input, sli_tensor_t *input, int64_t *out_axis) {
  sli_tensor_t *axis = sli_kernel_input(context, axis_input);
  if (axis->count != 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "split_dim_tensor must have exactly one element, got shape %s",
                           sli_tensor_shape_text(axis).text);
  }
  int64_t wanted = sli_tensor_int_at(axis, 0);
  *out_axis = wanted < 0 ? wanted + input->rank : wanted;
  if (*out_axis < 0 || *out_axis >= input->rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "-input rank(-%d) <= split_dim < input rank (%d), but got %lld",
                           input->rank, input->rank, (long long)wanted);
  }
  return NULL;
}

static sli_status_t *split_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 1);
  int64_t axis = 0;
  SLI_RETURN_IF_ERROR(split_axis(context, 0, input, &axis));
  int count = context->output_count;
  if (input->dims[axis] % count != 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of ways to split should evenly divide the split dimension, but got split_dim %lld "
                           "(size = %lld) and num_split %d",
                           (long long)axis, (long long)input->dims[axis], count);
  }
  if (count == 1) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  int64_t *sizes = sli_calloc((size_t)count, sizeof(int64_t));
  for (int i = 0; i < count; i++) sizes[i] = input->dims[axis] / count;
  sli_status_t *status = split_into(context, input, axis, sizes);
  free(sizes);
  return status;
}

// The sizes; at most one is -1 and is inferred. Their sum must be the dim.
static sli_status_t *split_sizes(sli_tensor_t *tensor, int64_t extent, int64_t *sizes) {
  int unknown = -1;
  int64_t total = 0;
  for (int i = 0; i < tensor->count; i++) {
    sizes[i] = sli_tensor_int_at(tensor, i);
    if (sizes[i] == -1) {
      if (unknown >= 0) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "There can only be one -1 in the input.");
      }
      unknown = i;
      continue;
    }
    if (sizes[i] < 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Split size at index %d must be >= 0. Got: %lld", i,
                             (long long)sizes[i]);
    }
    if (__builtin_add_overflow(total, sizes[i], &total)) total = INT64_MAX;
  }
  if (unknown < 0 ? total != extent : total > extent) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Determined shape must either match input shape along split_dim exactly if fully specified, "
                           "or be less than the size of the input along split_dim if not fully specified.  Got: %lld",
                           (long long)total);
  }
  if (unknown >= 0) sizes[unknown] = extent - total;
  return NULL;
}

static sli_status_t *split_v_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *size_splits = sli_kernel_input(context, 1);
  int64_t axis = 0;
  SLI_RETURN_IF_ERROR(split_axis(context, 2, input, &axis));
  int count = context->output_count;
  if (size_splits->rank != 1 || size_splits->count != count) {
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "size of the split_tensor must be 1-D and have the same elements as outputs got %s-D and %lld elements",
        sli_tensor_shape_text(size_splits).text, (long long)size_splits->count);
  }
  int64_t *sizes = sli_calloc((size_t)count, sizeof(int64_t));
  sli_status_t *status = split_sizes(size_splits, input->dims[axis], sizes);
  if (!status) status = split_into(context, input, axis, sizes);
  free(sizes);
  return status;
}

static sli_status_t *split_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 1), unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &unused));
  const sli_tensor_t *axis_value = sli_infer_input_constant(c, 0);
  int count = c->node->output_count;
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  sli_shape_t out = sli_infer_make_unknown_of_rank(c, in.rank);
  if (axis_value) {
    int64_t axis = sli_tensor_int_at(axis_value, 0);
    if (axis < -in.rank || axis >= in.rank) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld is out of range [-%d, %d)", (long long)axis, in.rank,
                             in.rank);
    }
    if (axis < 0) axis += in.rank;
    int64_t dim = in.dims[axis];
    if (dim >= 0 && dim % count != 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension size must be evenly divisible by %d but is %lld", count,
                             (long long)dim);
    }
    out = sli_infer_replace_dim(c, in, (int)axis, dim < 0 ? -1 : dim / count);
  }
  for (int i = 0; i < count; i++) sli_infer_set_output(c, i, out);
  return NULL;
}

static sli_status_t *split_v_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &unused));
  const sli_tensor_t *sizes = sli_infer_input_constant(c, 1), *axis_value = sli_infer_input_constant(c, 2);
  int count = c->node->output_count;
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  int64_t axis = axis_value ? sli_tensor_int_at(axis_value, 0) : 0;
  if (axis_value && (axis < -in.rank || axis >= in.rank)) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld is out of range [-%d, %d)", (long long)axis, in.rank,
                           in.rank);
  }
  if (axis < 0) axis += in.rank;
  int64_t rest = in.rank > 0 && axis_value ? in.dims[axis] : -1;
  if (sizes && sizes->count != count) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Length of size_splits should be equal to num_outputs");
  }
  for (int i = 0; sizes && rest >= 0 && i < count; i++) {
    if (sli_tensor_int_at(sizes, i) > 0) rest -= sli_tensor_int_at(sizes, i);
  }
  for (int i = 0; i < count; i++) {
    if (!axis_value) {
      sli_infer_set_output(c, i, sli_infer_make_unknown_of_rank(c, in.rank));
      continue;
    }
    int64_t size = sizes ? sli_tensor_int_at(sizes, i) : -1;
    if (size == -1 && sizes && rest >= 0) size = rest;
    sli_infer_set_output(c, i, sli_infer_replace_dim(c, in, (int)axis, size < 0 ? -1 : size));
  }
  return NULL;
}

static sli_status_t *split_gradient_of(sli_gradient_builder_t *b, int input, int axis_input) {
  int count = b->node->output_count;
  sli_output_t *arguments = sli_calloc((size_t)count + 1, sizeof(*arguments));
  for (int i = 0; i < count; i++) arguments[i] = sli_gradient_of_output(b, i);
  arguments[count] = sli_gradient_input(b, axis_input);
  sli_gradient_set(b, input,
                   count == 1 ? arguments[0]
                              : sli_gradient_emit(b, "ConcatV2", arguments, (size_t)count + 1,
                                                  SLI_ATTRS(SLI_ATTR_INT_OF("N", count))));
  free(arguments);
  return NULL;
}

static sli_status_t *split_gradient(sli_gradient_builder_t *b) { return split_gradient_of(b, 1, 0); }

static sli_status_t *split_v_gradient(sli_gradient_builder_t *b) { return split_gradient_of(b, 0, 2); }

static const sli_op_def_t ops[] = {
    {.name = "Pack",
     .inputs = "values: N * T",
     .outputs = "output: T",
     .attrs = "N: int >= 1; T: type; axis: int = 0",
     .summary = "Stacks tensors along a new axis.",
     .shape = pack_shape,
     .gradient = pack_gradient,
     .forwards_input = true},
    {.name = "Unpack",
     .inputs = "value: T",
     .outputs = "output: num * T",
     .attrs = "num: int >= 0; T: type; axis: int = 0",
     .summary = "Splits a tensor into its slices along an axis.",
     .shape = unpack_shape,
     .gradient = unpack_gradient,
     .forwards_input = true},
    {.name = "ConcatV2",
     .inputs = "values: N * T, axis: Tidx",
     .outputs = "output: T",
     .attrs = "N: int >= 2; T: type; Tidx: {int32, int64} = DT_INT32",
     .summary = "Joins tensors along an axis.",
     .shape = concat_v2_shape,
     .gradient = concat_v2_gradient},
    {.name = "Concat",
     .inputs = "concat_dim: int32, values: N * T",
     .outputs = "output: T",
     .attrs = "N: int >= 2; T: type",
     .summary = "Joins tensors along an axis.",
     .shape = concat_shape,
     .gradient = concat_gradient},
    {.name = "ConcatOffset",
     .inputs = "concat_dim: int32, shape: N * shape_type",
     .outputs = "offset: N * shape_type",
     .attrs = "N: int >= 2; shape_type: {int32, int64} = DT_INT32",
     .summary = "The offset of each part of a concatenation.",
     .shape = concat_offset_shape,
     .not_differentiable = true},
    {.name = "Split",
     .inputs = "split_dim: int32, value: T",
     .outputs = "output: num_split * T",
     .attrs = "num_split: int >= 1; T: type",
     .summary = "Cuts a tensor into equal parts.",
     .shape = split_shape,
     .gradient = split_gradient,
     .forwards_input = true},
    {.name = "SplitV",
     .inputs = "value: T, size_splits: Tlen, split_dim: int32",
     .outputs = "output: num_split * T",
     .attrs = "num_split: int >= 1; T: type; Tlen: {int8, int32, int64} = DT_INT64",
     .summary = "Cuts a tensor into parts of given sizes.",
     .shape = split_v_shape,
     .gradient = split_v_gradient,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Pack", .types = SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED | SLI_TYPES_FLOAT8, .compute = pack_compute},
    {.op = "Unpack", .types = SLI_TYPES_COMMON | SLI_TYPES_FLOAT8, .compute = unpack_compute},
    {.op = "ConcatV2",
     .types = SLI_TYPES_POD | SLI_TYPES_QUANTIZED | SLI_TYPES_FLOAT8 | SLI_TYPE_STRING,
     .host_memory = "axis",
     .compute = concat_v2_compute},
    {.op = "Concat",
     .types = SLI_TYPES_POD | SLI_TYPES_QUANTIZED | SLI_TYPES_FLOAT8 | SLI_TYPE_STRING,
     .compute = concat_compute},
    {.op = "ConcatOffset", .compute = concat_offset_compute},
    {.op = "Split",
     .types = SLI_TYPES_COMMON | SLI_TYPES_FLOAT8 | SLI_TYPE_BIT(SLI_DTYPE_INT4) | SLI_TYPE_BIT(SLI_DTYPE_QUINT8) |
              SLI_TYPE_BIT(SLI_DTYPE_UINT4),
     .host_memory = "split_dim",
     .compute = split_compute},
    {.op = "SplitV",
     .types = SLI_TYPES_COMMON | SLI_TYPES_FLOAT8 | SLI_TYPE_BIT(SLI_DTYPE_INT4) | SLI_TYPE_BIT(SLI_DTYPE_QUINT8) |
              SLI_TYPE_BIT(SLI_DTYPE_UINT4),
     .host_memory = "size_splits, split_dim",
     .compute = split_v_compute},
};

SLI_OP_MODULE(concat);
