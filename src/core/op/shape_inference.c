#include "core/op/shape_inference.h"

#include <stdlib.h>

const sli_tensor_t *sli_infer_input_constant(sli_infer_context_t *c, int index) {
  return c->constant ? c->constant(c, index) : NULL;
}

// Building shapes.

sli_shape_t sli_infer_make(sli_infer_context_t *c, int rank, const int64_t *dims) {
  return sli_shape_copy(c->arena, (sli_shape_t){rank, dims});
}

static int64_t *new_dims(sli_infer_context_t *c, int rank) {
  return sli_arena_calloc(c->arena, (size_t)rank, sizeof(int64_t));
}

sli_shape_t sli_infer_make_unknown_of_rank(sli_infer_context_t *c, int rank) {
  if (rank < 0 || rank > SLI_MAX_RANK) return SLI_SHAPE_UNKNOWN;
  int64_t *dims = new_dims(c, rank);
  for (int i = 0; i < rank; i++) dims[i] = -1;
  return (sli_shape_t){rank, dims};
}

sli_shape_t sli_infer_concatenate(sli_infer_context_t *c, sli_shape_t a, sli_shape_t b) {
  if (a.rank < 0 || b.rank < 0 || a.rank + b.rank > SLI_MAX_RANK) return SLI_SHAPE_UNKNOWN;
  int64_t *dims = new_dims(c, a.rank + b.rank);
  for (int i = 0; i < a.rank; i++) dims[i] = a.dims[i];
  for (int i = 0; i < b.rank; i++) dims[a.rank + i] = b.dims[i];
  return (sli_shape_t){a.rank + b.rank, dims};
}

static int clamp_index(int index, int rank) {
  if (index < 0) index = index < -rank ? 0 : rank + index;
  return index > rank ? rank : index;
}

sli_shape_t sli_infer_subshape(sli_infer_context_t *c, sli_shape_t shape, int begin, int end) {
  if (shape.rank < 0) return SLI_SHAPE_UNKNOWN;
  begin = clamp_index(begin, shape.rank);
  end = clamp_index(end, shape.rank);
  return end <= begin ? SLI_SHAPE_SCALAR : sli_infer_make(c, end - begin, shape.dims + begin);
}

sli_shape_t sli_infer_replace_dim(sli_infer_context_t *c, sli_shape_t shape, int index, int64_t dim) {
  if (index < 0) index += shape.rank;
  if (shape.rank < 0 || index < 0 || index >= shape.rank) return SLI_SHAPE_UNKNOWN;
  int64_t *dims = new_dims(c, shape.rank);
  memcpy(dims, shape.dims, (size_t)shape.rank * sizeof(*dims));
  dims[index] = dim;
  return (sli_shape_t){shape.rank, dims};
}

// Checks.

sli_status_t *sli_infer_with_rank(sli_infer_context_t *c, sli_shape_t shape, int rank, sli_shape_t *out_shape) {
  if (shape.rank >= 0 && shape.rank != rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be rank %d but is rank %d", rank, shape.rank);
  *out_shape = shape.rank < 0 ? sli_infer_make_unknown_of_rank(c, rank) : shape;
  return NULL;
}

sli_status_t *sli_infer_with_rank_at_least(sli_infer_context_t *c, sli_shape_t shape, int rank,
                                           sli_shape_t *out_shape) {
  if (shape.rank >= 0 && shape.rank < rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at least rank %d but is rank %d", rank, shape.rank);
  *out_shape = shape;
  return NULL;
}

sli_status_t *sli_infer_with_rank_at_most(sli_infer_context_t *c, sli_shape_t shape, int rank, sli_shape_t *out_shape) {
  if (shape.rank > rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at most rank %d but is rank %d", rank, shape.rank);
  *out_shape = shape;
  return NULL;
}

sli_status_t *sli_infer_merge_dims(int64_t a, int64_t b, int64_t *out_dim) {
  if (a >= 0 && b >= 0 && a != b)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimensions must be equal, but are %lld and %lld", (long long)a,
                           (long long)b);
  *out_dim = a >= 0 ? a : b;
  return NULL;
}

static sli_status_t *dims_differ(sli_shape_t a, sli_shape_t b, int index) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "Dimension %d in both shapes must be equal, but are %lld and %lld. Shapes are ",
                           index, (long long)a.dims[index], (long long)b.dims[index]);
  sli_shape_append(&text, a);
  sli_string_append_text(&text, " and ");
  sli_shape_append(&text, b);
  sli_string_append_char(&text, '.');
  sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_infer_merge(sli_infer_context_t *c, sli_shape_t a, sli_shape_t b, sli_shape_t *out_shape) {
  if (a.rank < 0 || b.rank < 0) {
    *out_shape = a.rank < 0 ? b : a;
    return NULL;
  }
  if (a.rank != b.rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shapes must be equal rank, but are %d and %d", a.rank, b.rank);
  int64_t *dims = new_dims(c, a.rank);
  for (int i = 0; i < a.rank; i++) {
    if (a.dims[i] >= 0 && b.dims[i] >= 0 && a.dims[i] != b.dims[i]) return dims_differ(a, b, i);
    dims[i] = a.dims[i] >= 0 ? a.dims[i] : b.dims[i];
  }
  *out_shape = (sli_shape_t){a.rank, dims};
  return NULL;
}

// One dimension of a broadcast. An unknown dimension next to a known one greater than
// 1 is assumed to fit: the kernel checks it.
static sli_status_t *broadcast_dim(int64_t x, int64_t y, int64_t *out_dim) {
  if (x == 1 || y == 1) {
    *out_dim = x == 1 ? y : x;
    return NULL;
  }
  if (x < 0 || y < 0) {
    int64_t known = x < 0 ? y : x;
    *out_dim = known > 1 ? known : -1;
    return NULL;
  }
  return sli_infer_merge_dims(x, y, out_dim);
}

sli_status_t *sli_infer_broadcast(sli_infer_context_t *c, sli_shape_t a, sli_shape_t b, sli_shape_t *out_shape) {
  *out_shape = SLI_SHAPE_UNKNOWN;
  if (a.rank < 0 || b.rank < 0) return NULL;
  int rank = a.rank > b.rank ? a.rank : b.rank;
  int64_t *dims = new_dims(c, rank);
  for (int i = 0; i < rank; i++) {
    int in_a = i - (rank - a.rank), in_b = i - (rank - b.rank);
    SLI_RETURN_IF_ERROR(broadcast_dim(in_a < 0 ? 1 : a.dims[in_a], in_b < 0 ? 1 : b.dims[in_b], &dims[i]));
  }
  *out_shape = (sli_shape_t){rank, dims};
  return NULL;
}

// Values as shapes.

static sli_status_t *shape_of_constant(sli_infer_context_t *c, const sli_tensor_t *value, sli_shape_t *out_shape) {
  if (value->rank != 1) {
    char *shape = sli_shape_to_text(sli_tensor_shape(value));
    sli_status_t *status = sli_status_make(
        SLI_INVALID_ARGUMENT, "Input tensor must be rank 1, but was rank %d. Saw tensor shape %s", value->rank, shape);
    free(shape);
    return status;
  }
  if (value->dtype != SLI_DTYPE_INT32 && value->dtype != SLI_DTYPE_INT64)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input tensor must be int32 or int64, but was %s",
                           sli_dtype_name((sli_dtype_t)value->dtype));
  if (value->count > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape has %lld dimensions, more than the limit of %d",
                           (long long)value->count, SLI_MAX_RANK);
  int64_t *dims = new_dims(c, (int)value->count);
  for (int64_t i = 0; i < value->count; i++) {
    dims[i] = sli_tensor_int_at(value, i);
    if (dims[i] < -1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid value in tensor used for shape: %lld", (long long)dims[i]);
  }
  *out_shape = (sli_shape_t){(int)value->count, dims};
  return NULL;
}

sli_status_t *sli_infer_input_as_shape(sli_infer_context_t *c, int index, sli_shape_t *out_shape) {
  sli_shape_t input = SLI_SHAPE_UNKNOWN;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, index, 1, &input));
  *out_shape = SLI_SHAPE_UNKNOWN;
  if (c->constant_as_shape) *out_shape = c->constant_as_shape(c, index);
  if (out_shape->rank >= 0) return NULL;
  const sli_tensor_t *value = sli_infer_input_constant(c, index);
  if (value) return shape_of_constant(c, value, out_shape);
  // At least the rank is known if the length of the vector is.
  if (input.dims[0] >= 0 && input.dims[0] <= SLI_MAX_RANK)
    *out_shape = sli_infer_make_unknown_of_rank(c, (int)input.dims[0]);
  return NULL;
}

// Shape functions that many ops share.

sli_status_t *sli_infer_fn_unchanged(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_input(c, 0));
  if (c->input_handles) c->output_handles[0] = c->input_handles[0];
  return NULL;
}

sli_status_t *sli_infer_fn_unknown(sli_infer_context_t *c) {
  for (int i = 0; i < c->node->output_count; i++) sli_infer_set_output(c, i, SLI_SHAPE_UNKNOWN);
  return NULL;
}

sli_status_t *sli_infer_fn_scalar(sli_infer_context_t *c) {
  for (int i = 0; i < c->node->output_count; i++) sli_infer_set_output(c, i, SLI_SHAPE_SCALAR);
  return NULL;
}

sli_status_t *sli_infer_fn_none(sli_infer_context_t *c) { return NULL; }

sli_status_t *sli_infer_fn_broadcast(sli_infer_context_t *c) {
  return sli_infer_broadcast(c, c->inputs[0], c->inputs[1], &c->outputs[0]);
}

sli_status_t *sli_infer_fn_merge(sli_infer_context_t *c) {
  if (c->node->input_count == 0) return NULL;
  sli_shape_t merged = c->inputs[c->node->input_count - 1];
  for (int i = c->node->input_count - 2; i >= 0; i--) {
    sli_status_t *status = sli_infer_merge(c, c->inputs[i], merged, &merged);
    if (status) return sli_status_append(status, "\n\tFrom merging shape %d with other shapes.", i);
  }
  sli_infer_set_output(c, 0, merged);
  return NULL;
}

sli_status_t *sli_infer_fn_explicit(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "shape", &shape));
  sli_infer_set_output(c, 0, sli_shape_copy(c->arena, shape));
  return NULL;
}
