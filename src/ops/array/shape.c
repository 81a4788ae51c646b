// Shapes as values (Shape, ShapeN, Size, Rank), and the same elements with another shape (Reshape, ExpandDims,
// Squeeze), which never copy.
#include <string.h>

#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/array/reshape.h"

static sli_status_t *too_large(sli_tensor_t *input) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Shape output type is 32-bit but a dim of %s is larger",
                         sli_tensor_shape_text(input).text);
}

// Shape, ShapeN: one vector per input.
static sli_status_t *shape_compute(sli_kernel_context_t *context) {
  for (int i = 0; i < context->input_count; i++) {
    sli_tensor_t *input = sli_kernel_input(context, i), *output;
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, SLI_SHAPE(input->rank), &output));
    for (int j = 0; j < input->rank; j++) {
      if (output->dtype == SLI_DTYPE_INT32 && input->dims[j] > INT32_MAX) return too_large(input);
      sli_tensor_set_int(output, j, input->dims[j]);
    }
  }
  return NULL;
}

static sli_status_t *shape_shape(sli_infer_context_t *c) {
  for (int i = 0; i < c->node->output_count; i++) {
    int rank = sli_infer_input(c, i).rank;
    sli_infer_set_output(c, i, sli_infer_make(c, 1, (int64_t[]){rank}));
  }
  return NULL;
}

static sli_status_t *size_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  if (output->dtype == SLI_DTYPE_INT32 && input->count > INT32_MAX) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of elements was larger than representable by 32-bit output type");
  }
  sli_tensor_set_int(output, 0, input->count);
  return NULL;
}

static sli_status_t *rank_compute(sli_kernel_context_t *context) {
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  sli_tensor_set_int(output, 0, sli_kernel_input(context, 0)->rank);
  return NULL;
}

// Reshape: at most one size may be -1 and is inferred.
sli_status_t *sli_reshape_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *sizes = sli_kernel_input(context, 1);
  if (sizes->rank > 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "sizes input must be 1-D, not %s", sli_tensor_shape_text(sizes).text);
  }
  if (sizes->count >= SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "too many dimensions: must be < %d, but received %lld", SLI_MAX_RANK,
                           (long long)sizes->count);
  int64_t dims[SLI_MAX_RANK];
  int64_t product = 1;
  int unknown = -1;
  bool has_zero = false;
  for (int i = 0; i < sizes->count; i++) {
    dims[i] = sli_tensor_int_at(sizes, i);
    if (dims[i] == -1) {
      if (unknown >= 0) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Only one input size may be -1, not both %d and %d", unknown, i);
      }
      unknown = i;
    } else if (dims[i] < 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Size %d must be non-negative, not %lld", i, (long long)dims[i]);
    } else if (dims[i] == 0) {
      has_zero = true;
    } else if (__builtin_mul_overflow(product, dims[i], &product)) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Shape %s would have more than 2**63 - 1 elements",
                             sli_shape_text((sli_shape_t){i + 1, dims}).text);
    }
  }
  if (unknown >= 0) {
    // A dimension of size 0 on both sides says nothing about the missing one.
    int64_t elements = 1;
    bool skips_zero = false;
    for (int i = 0; i < input->rank; i++) {
      skips_zero |= !input->dims[i] && has_zero;
      if ((input->dims[i] || !has_zero) && __builtin_mul_overflow(elements, input->dims[i], &elements))
        return sli_status_make(SLI_INVALID_ARGUMENT, "The missing size of a reshape of %s would be too large",
                               sli_tensor_shape_text(input).text);
    }
    dims[unknown] = elements / product;
    if (!skips_zero && dims[unknown] * product != elements)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Input to reshape is a tensor with %lld values, but the requested shape requires a "
                             "multiple of %lld",
                             (long long)elements, (long long)product);
    product *= dims[unknown];
  }
  if (has_zero) product = 0;
  if (product != input->count) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input to reshape is a tensor with %lld values, but the requested shape has %lld",
                           (long long)input->count, (long long)product);
  }
  sli_kernel_set_output_reshaped(context, 0, 0, (sli_shape_t){(int)sizes->count, dims});
  return NULL;
}

// The number of elements; -1 if a dim is unknown, but 0 if any dim is 0.
static int64_t partial_count(sli_shape_t shape) {
  if (shape.rank < 0) return -1;
  int64_t count = 1;
  bool unknown = false;
  for (int i = 0; i < shape.rank; i++) {
    if (shape.dims[i] < 0) {
      unknown = true;
    } else if (__builtin_mul_overflow(count, shape.dims[i], &count)) {
      return -1;
    }
  }
  return unknown ? -1 : count;
}

// One unknown output dim can be inferred if the input's count is known, or if the same dims are unknown on both sides.
static sli_status_t *reshape_infer(sli_infer_context_t *c, sli_shape_t in, sli_shape_t out) {
  int unknown = -1, unknown_count = 0, in_unknown_count = 0;
  int64_t known = 1, in_known = 1;
  for (int i = 0; i < out.rank; i++) {
    if (out.dims[i] < 0) {
      unknown = i;
      unknown_count++;
    } else if (__builtin_mul_overflow(known, out.dims[i], &known)) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Shape %s has too many elements", sli_shape_text(out).text);
    }
  }
  for (int i = 0; i < in.rank; i++) {
    if (in.dims[i] < 0) {
      in_unknown_count++;
    } else if (__builtin_mul_overflow(in_known, in.dims[i], &in_known)) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Shape %s has too many elements", sli_shape_text(in).text);
    }
  }
  if (in_unknown_count == 0) {
    if (unknown_count == 0 && known != in_known) {
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Cannot reshape a tensor with %lld elements to shape %s (%lld elements)",
                             (long long)in_known, sli_shape_text(out).text, (long long)known);
    }
    if (unknown_count == 1 && known > 0) {
      if (in_known % known != 0) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension size must be evenly divisible by %lld but is %lld",
                               (long long)known, (long long)in_known);
      }
      out = sli_infer_replace_dim(c, out, unknown, in_known / known);
    }
  }
  sli_infer_set_output(c, 0, out);
  return NULL;
}

sli_status_t *sli_reshape_shape(sli_infer_context_t *c) {
  sli_shape_t out;
  if (sli_infer_input(c, 1).rank == 0) {
    const sli_tensor_t *value = sli_infer_input_constant(c, 1);
    if (!value || sli_tensor_int_at(value, 0) != -1) return sli_infer_fn_unknown(c);
    int64_t count = partial_count(sli_infer_input(c, 0));
    sli_infer_set_output(c, 0, sli_infer_make(c, 1, &count));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 1, &out));
  sli_shape_t in = sli_infer_input(c, 0);
  if (out.rank < 0 || in.rank < 0) {
    sli_infer_set_output(c, 0, out);
    return NULL;
  }
  return reshape_infer(c, in, out);
}

static sli_status_t *reshape_gradient(sli_gradient_builder_t *b) {
  sli_output_t shape = SLI_EMIT(b, "Shape", SLI_INPUTS(sli_gradient_input(b, 0)));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Reshape", SLI_INPUTS(sli_gradient_of_output(b, 0), shape)));
  return NULL;
}

// ExpandDims: a new dim of 1 before dim |dim|, counted from the end if negative.
static sli_status_t *expand_dims_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *axis = sli_kernel_input(context, 1);
  if (axis->count != 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "'dim' must be a tensor with a single value");
  }
  int64_t dim = sli_tensor_int_at(axis, 0);
  if (dim < -1 - input->rank || dim > input->rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tried to expand dim index %lld for tensor with %d dimensions.",
                           (long long)dim, input->rank);
  }
  if (dim < 0) dim += input->rank + 1;
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(input->rank + 1));
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i <= input->rank; i++) dims[i] = i == dim ? 1 : input->dims[i < dim ? i : i - 1];
  sli_kernel_set_output_reshaped(context, 0, 0, (sli_shape_t){input->rank + 1, dims});
  return NULL;
}

static sli_status_t *expand_dims_shape(sli_infer_context_t *c) {
  const sli_tensor_t *axis = sli_infer_input_constant(c, 1);
  sli_shape_t in = sli_infer_input(c, 0);
  if (!axis || axis->count != 1) {
    if (axis) return sli_status_make(SLI_INVALID_ARGUMENT, "'dim' input must be a tensor with a single value");
    sli_infer_set_output(c, 0, in.rank < 0 ? in : sli_infer_make_unknown_of_rank(c, in.rank + 1));
    return NULL;
  }
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  int64_t dim = sli_tensor_int_at(axis, 0);
  if (dim < -1 - in.rank || dim > in.rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "dim %lld not in the interval [%d, %d].", (long long)dim, -1 - in.rank,
                           in.rank);
  }
  if (dim < 0) dim += in.rank + 1;
  sli_shape_t head = sli_infer_subshape(c, in, 0, (int)dim), tail = sli_infer_subshape(c, in, (int)dim, in.rank);
  sli_shape_t out = sli_infer_concatenate(c, head, sli_infer_make(c, 1, (int64_t[]){1}));
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, out, tail));
  return NULL;
}

// Squeeze removes the dims of 1 that |squeeze_dims| lists, or all of them.
static sli_status_t *mark_squeezed(const sli_attr_t *list, int rank, bool *marked) {
  memset(marked, 0, (size_t)rank);
  for (size_t i = 0; i < list->count; i++) {
    int64_t dim = list->list.i[i];
    if (dim < -rank || dim >= rank) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Tried to squeeze dim index %lld for tensor with %d dimensions.",
                             (long long)dim, rank);
    }
    marked[dim < 0 ? dim + rank : dim] = true;
  }
  return NULL;
}

static sli_status_t *squeeze_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0);
  const sli_attr_t *list;
  bool marked[SLI_MAX_RANK];
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "squeeze_dims", SLI_ATTR_INT, &list));
  SLI_RETURN_IF_ERROR(mark_squeezed(list, input->rank, marked));
  for (int i = 0; i < input->rank; i++) {
    if (list->count ? marked[i] : input->dims[i] == 1) {
      if (input->dims[i] != 1) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Can not squeeze dim[%d], expected a dimension of 1, got %lld", i,
                               (long long)input->dims[i]);
      }
      continue;
    }
    dims[rank++] = input->dims[i];
  }
  sli_kernel_set_output_reshaped(context, 0, 0, (sli_shape_t){rank, dims});
  return NULL;
}

static sli_status_t *squeeze_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0);
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  const sli_attr_t *list;
  bool marked[SLI_MAX_RANK];
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(c->node, "squeeze_dims", SLI_ATTR_INT, &list));
  for (size_t i = 0; i < list->count; i++) {
    if (list->list.i[i] < -in.rank || list->list.i[i] >= in.rank) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "squeeze_dims[%zu] not in [%d,%d).", i, -in.rank, in.rank);
    }
  }
  SLI_RETURN_IF_ERROR(mark_squeezed(list, in.rank, marked));
  if (list->count == 0) {
    // An unknown dim may or may not be 1.
    for (int i = 0; i < in.rank; i++) {
      if (in.dims[i] < 0) return sli_infer_fn_unknown(c);
    }
  }
  for (int i = 0; i < in.rank; i++) {
    if (list->count ? marked[i] : in.dims[i] == 1) {
      if (in.dims[i] != 1 && in.dims[i] >= 0) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Can not squeeze dim[%d], expected a dimension of 1, got %lld", i,
                               (long long)in.dims[i]);
      }
      continue;
    }
    dims[rank++] = in.dims[i];
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, rank, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Shape",
     .inputs = "input: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: {int32, int64} = DT_INT32",
     .summary = "The shape as a vector.",
     .shape = shape_shape,
     .not_differentiable = true,
     .is_metadata = true},
    {.name = "ShapeN",
     .inputs = "input: N * T",
     .outputs = "output: N * out_type",
     .attrs = "N: int >= 1; T: type; out_type: {int32, int64} = DT_INT32",
     .summary = "The shapes as vectors.",
     .shape = shape_shape,
     .not_differentiable = true},
    {.name = "Size",
     .inputs = "input: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: {int32, int64} = DT_INT32",
     .summary = "The number of elements.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true,
     .is_metadata = true},
    {.name = "Rank",
     .inputs = "input: T",
     .outputs = "output: int32",
     .attrs = "T: type",
     .summary = "The number of dimensions.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true,
     .is_metadata = true},
    {.name = "Reshape",
     .inputs = "tensor: T, shape: Tshape",
     .outputs = "output: T",
     .attrs = "T: type; Tshape: {int32, int64} = DT_INT32",
     .summary = "The same elements with another shape.",
     .shape = sli_reshape_shape,
     .gradient = reshape_gradient,
     .forwards_input = true},
    {.name = "ExpandDims",
     .inputs = "input: T, dim: Tdim",
     .outputs = "output: T",
     .attrs = "T: type; Tdim: {int32, int64} = DT_INT32",
     .summary = "Inserts a dimension of size 1.",
     .shape = expand_dims_shape,
     .gradient = reshape_gradient,
     .forwards_input = true},
    {.name = "Squeeze",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; squeeze_dims: list(int) >= 0 = []",
     .summary = "Removes dimensions of size 1.",
     .shape = squeeze_shape,
     .gradient = reshape_gradient,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Shape", .any_device = true, .host_memory = "output", .compute = shape_compute},
    {.op = "ShapeN", .any_device = true, .host_memory = "output", .compute = shape_compute},
    {.op = "Size", .any_device = true, .host_memory = "output", .compute = size_compute},
    {.op = "Rank", .any_device = true, .host_memory = "output", .compute = rank_compute},
    {.op = "Reshape", .any_device = true, .host_memory = "shape", .compute = sli_reshape_compute},
    {.op = "ExpandDims", .any_device = true, .host_memory = "dim", .compute = expand_dims_compute},
    {.op = "Squeeze", .any_device = true, .compute = squeeze_compute},
};

SLI_OP_MODULE(shape);
