// StridedSlice: Python's x[begin:end:stride, …, newaxis, i], its gradient, and TensorStridedSliceUpdate, which writes
// into such a slice of a copy. The inputs have one entry per subscript, with bit masks. They are first resolved into
// one range per input dim; the shape function, the kernel and the gradient's kernel share that step.
#include "ops/array/strided_slice.h"

#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

enum { MAX_SUBSCRIPTS = 64, NEW_AXIS = -2, SHRUNK = -1 };

typedef struct {
  int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
} masks_t;

// One range per input dim; |size| is -1 where unknown. |gather| has for each subscript the dim that it results in, or
// NEW_AXIS or SHRUNK.
typedef struct {
  int rank;
  int64_t begin[SLI_MAX_RANK], end[SLI_MAX_RANK], stride[SLI_MAX_RANK], size[SLI_MAX_RANK];
  bool begin_masked[SLI_MAX_RANK], end_masked[SLI_MAX_RANK], shrunk[SLI_MAX_RANK];
  int gather[SLI_MAX_RANK + MAX_SUBSCRIPTS], gather_count;
  int out_rank;
  int64_t out_dims[SLI_MAX_RANK];
} ranges_t;

static sli_status_t *masks_read(const sli_node_def_t *node, masks_t *masks) {
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "begin_mask", &masks->begin_mask));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "end_mask", &masks->end_mask));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "ellipsis_mask", &masks->ellipsis_mask));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "new_axis_mask", &masks->new_axis_mask));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "shrink_axis_mask", &masks->shrink_axis_mask));
  if (__builtin_popcountll((uint64_t)masks->ellipsis_mask) > 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Multiple ellipses in slice spec not allowed");
  }
  return NULL;
}

static bool has_bit(int64_t mask, int index) { return index < 63 && (mask >> index & 1); }

// Assigns the subscripts to the input's dims.
static sli_status_t *spread(const masks_t *masks, const sli_tensor_t *begin, const sli_tensor_t *end,
                            const sli_tensor_t *strides, ranges_t *r) {
  int count = (int)strides->count, ellipsis = -1, new_axes_after = 0;
  for (int i = 0; i < count; i++) {
    if (ellipsis >= 0 && has_bit(masks->new_axis_mask, i)) new_axes_after++;
    if (has_bit(masks->ellipsis_mask, i)) ellipsis = i;
  }
  int total = ellipsis < 0 ? count + 1 : count;  // without an ellipsis there is one at the end
  if (ellipsis < 0) ellipsis = count;
  int dim = 0;
  r->gather_count = 0;
  for (int i = 0; i < total; i++) {
    if (i == ellipsis) {
      int next = r->rank - (total - i) + 1 + new_axes_after;
      for (next = next < r->rank ? next : r->rank; dim < next; dim++) {
        r->begin[dim] = r->end[dim] = 0;
        r->stride[dim] = 1;
        r->begin_masked[dim] = r->end_masked[dim] = true;
        r->shrunk[dim] = false;
        r->gather[r->gather_count++] = dim;
      }
    } else if (has_bit(masks->new_axis_mask, i)) {
      r->gather[r->gather_count++] = NEW_AXIS;
    } else {
      if (dim >= r->rank) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Index out of range using input dim %d; input has only %d dims",
                               dim, r->rank);
      }
      r->begin[dim] = begin ? sli_tensor_int_at(begin, i) : 0;
      r->end[dim] = end ? sli_tensor_int_at(end, i) : 0;
      r->stride[dim] = sli_tensor_int_at(strides, i);
      r->begin_masked[dim] = has_bit(masks->begin_mask, i);
      r->end_masked[dim] = has_bit(masks->end_mask, i);
      r->shrunk[dim] = has_bit(masks->shrink_axis_mask, i);
      r->gather[r->gather_count++] = r->shrunk[dim] ? SHRUNK : dim;
      dim++;
    }
  }
  // There is a subscript for every dim: the ellipsis takes the rest.
  return NULL;
}

// A begin or end as an index into a dim of |extent|, clamped to the valid range.
static int64_t clamp_index(int64_t index, bool masked, bool is_end, int64_t stride, int64_t extent) {
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? extent : extent - 1;
  if (masked) return (stride > 0) == is_end ? high : low;
  if (index < 0) index += extent;
  return index < low ? low : index > high ? high : index;
}

static int64_t range_size(int64_t length, int64_t stride) {
  if (length == 0 || (length < 0) != (stride < 0)) return 0;
  return length / stride + (length % stride != 0);
}

static sli_status_t *resolve_dim(ranges_t *r, int i, int64_t extent, bool known) {
  int64_t stride = r->stride[i];
  if (stride == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "strides[%d] must be non-zero", i);
  if (stride == INT64_MIN) stride = r->stride[i] = INT64_MIN + 1;
  if (r->shrunk[i] && stride <= 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "only stride 1 allowed on non-range indexing.");
  }
  if (extent < 0) {
    r->size[i] = r->shrunk[i] ? 1 : -1;
    return NULL;
  }
  if (known && r->shrunk[i]) {
    int64_t index = r->begin[i] < 0 ? r->begin[i] + extent : r->begin[i];
    if (index < 0 || index >= extent) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "slice index %lld of dimension %d out of bounds.",
                             (long long)r->begin[i], i);
    }
    r->begin[i] = index;
    r->end[i] = index + 1;
  } else if (known) {
    r->begin[i] = clamp_index(r->begin[i], r->begin_masked[i], false, stride, extent);
    r->end[i] = clamp_index(r->end[i], r->end_masked[i], true, stride, extent);
  }
  if (known) {
    r->size[i] = range_size(r->end[i] - r->begin[i], stride);
  } else if (r->shrunk[i]) {
    r->size[i] = 1;
  } else if (r->begin_masked[i] && r->end_masked[i]) {
    r->size[i] = range_size(stride < 0 ? -extent : extent, stride);
  } else {
    r->size[i] = -1;
  }
  return NULL;
}

// |begin| and |end| may be NULL (unknown). |in| has a known rank.
static sli_status_t *resolve(const masks_t *masks, sli_shape_t in, const sli_tensor_t *begin, const sli_tensor_t *end,
                             const sli_tensor_t *strides, ranges_t *r) {
  if (strides->count > MAX_SUBSCRIPTS - 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Too many subscripts in slice spec: %lld", (long long)strides->count);
  }
  r->rank = in.rank;
  SLI_RETURN_IF_ERROR(spread(masks, begin, end, strides, r));
  for (int i = 0; i < r->rank; i++) SLI_RETURN_IF_ERROR(resolve_dim(r, i, in.dims[i], begin && end));
  r->out_rank = 0;
  for (int i = 0; i < r->gather_count; i++) {
    if (r->gather[i] == SHRUNK) continue;
    SLI_RETURN_IF_ERROR(sli_shape_check_rank(r->out_rank + 1));
    r->out_dims[r->out_rank++] = r->gather[i] == NEW_AXIS ? 1 : r->size[r->gather[i]];
  }
  return NULL;
}

static sli_status_t *check_subscripts(const sli_tensor_t *begin, const sli_tensor_t *end, const sli_tensor_t *strides) {
  if (begin->rank == 1 && end->rank == 1 && strides->rank == 1 && begin->count == end->count &&
      begin->count == strides->count) {
    return NULL;
  }
  return sli_status_make(
      SLI_INVALID_ARGUMENT,
      "Expected begin, end, and strides to be 1D equal size tensors, but got shapes %s, %s, and %s instead.",
      sli_tensor_shape_text(begin).text, sli_tensor_shape_text(end).text, sli_tensor_shape_text(strides).text);
}

// The offset of the slice in the tensor, and its strides.
static int64_t slice_layout(const ranges_t *r, const int64_t *dims, int64_t *strides) {
  int64_t offset = 0;
  sli_shape_strides(r->rank, dims, strides);
  for (int i = 0; i < r->rank; i++) {
    offset += r->begin[i] * strides[i];
    if (r->size[i] > 1) strides[i] *= r->stride[i];
  }
  return offset;
}

static sli_status_t *strided_slice_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_tensor_t *begin = sli_kernel_input(context, 1), *end = sli_kernel_input(context, 2);
  sli_tensor_t *steps = sli_kernel_input(context, 3);
  masks_t masks;
  ranges_t r;
  SLI_RETURN_IF_ERROR(masks_read(context->node, &masks));
  SLI_RETURN_IF_ERROR(check_subscripts(begin, end, steps));
  SLI_RETURN_IF_ERROR(resolve(&masks, sli_tensor_shape(input), begin, end, steps, &r));
  sli_shape_t shape = {r.out_rank, r.out_dims};
  bool contiguous = true;  // whole rows of the first dim: no copy is needed
  for (int i = 0; i < r.rank; i++) {
    if (i > 0 && r.size[i] != input->dims[i]) contiguous = false;
    if (r.size[i] > 1 && r.stride[i] != 1) contiguous = false;
  }
  int64_t strides[SLI_MAX_RANK], to_strides[SLI_MAX_RANK];
  if (contiguous && sli_shape_count(shape) > 0) {
    int64_t offset = slice_layout(&r, input->dims, strides);
    if (sli_shape_count(shape) == input->count) {
      sli_kernel_set_output_reshaped(context, 0, 0, shape);
    } else {
      sli_kernel_set_output(context, 0, sli_tensor_view(input, input->dtype, offset, r.out_dims, r.out_rank));
    }
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  if (output->count == 0) return NULL;
  int64_t offset = slice_layout(&r, input->dims, strides);
  sli_shape_strides(r.rank, r.size, to_strides);
  sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, r.rank, r.size, output->data, to_strides,
                            sli_tensor_at(input, offset), strides);
  return NULL;
}

// StridedSliceGrad outputs zeros of |shape|, with |dy| where the slice was taken.
static sli_status_t *strided_slice_grad_compute(sli_kernel_context_t *context) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 0, "shape", dims, SLI_MAX_RANK, &rank));
  for (int i = 0; i < rank; i++) {
    if (dims[i] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)dims[i]);
  }
  sli_tensor_t *begin = sli_kernel_input(context, 1), *end = sli_kernel_input(context, 2);
  sli_tensor_t *steps = sli_kernel_input(context, 3), *dy = sli_kernel_input(context, 4), *output;
  masks_t masks;
  ranges_t r;
  SLI_RETURN_IF_ERROR(masks_read(context->node, &masks));
  SLI_RETURN_IF_ERROR(check_subscripts(begin, end, steps));
  SLI_RETURN_IF_ERROR(resolve(&masks, (sli_shape_t){rank, dims}, begin, end, steps, &r));
  sli_shape_t shape = {r.out_rank, r.out_dims};
  if (!sli_shape_equal(shape, sli_tensor_shape(dy))) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape of dy was %s instead of %s", sli_tensor_shape_text(dy).text,
                           sli_shape_text(shape).text);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (output->count == 0) return NULL;
  if (sli_dtype_is_plain(output->dtype)) sli_elements_clear(output->dtype, output->data, output->count);
  if (dy->count == 0) return NULL;
  int64_t strides[SLI_MAX_RANK], from_strides[SLI_MAX_RANK];
  int64_t offset = slice_layout(&r, dims, strides);
  sli_shape_strides(rank, r.size, from_strides);
  sli_elements_strided_copy(sli_kernel_pool(context), dy->dtype, rank, r.size, sli_tensor_at(output, offset), strides,
                            dy->data, from_strides);
  return NULL;
}

// The strides of |value| for the dims of the slice |r|: 0 where it is broadcast. INVALID_ARGUMENT if it cannot be
// broadcast.
static sli_status_t *broadcast_strides(const ranges_t *r, const sli_tensor_t *value, int64_t *out_strides) {
  int64_t strides[SLI_MAX_RANK];
  int before = value->rank - r->out_rank;  // leading dims of size 1 that the slice does not have
  bool fits = true;
  sli_shape_strides(value->rank, value->dims, strides);
  for (int i = 0; i < r->rank; i++) out_strides[i] = 0;
  for (int i = 0; i < before; i++) fits &= value->dims[i] == 1;
  for (int i = 0, dim = before; i < r->gather_count; i++) {
    if (r->gather[i] == SHRUNK) continue;
    int64_t wanted = r->gather[i] == NEW_AXIS ? 1 : r->size[r->gather[i]];
    if (dim >= 0 && value->dims[dim] != 1) {
      fits &= value->dims[dim] == wanted;
      if (r->gather[i] != NEW_AXIS) out_strides[r->gather[i]] = strides[dim];
    }
    dim++;
  }
  if (fits) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot broadcast input shape %s into final shape %s",
                         sli_tensor_shape_text(value).text,
                         sli_shape_text((sli_shape_t){r->out_rank, r->out_dims}).text);
}

static bool overlap(const sli_tensor_t *a, const sli_tensor_t *b) {
  uintptr_t a_begin = (uintptr_t)a->data, b_begin = (uintptr_t)b->data;
  return a_begin < b_begin + sli_tensor_bytes(b) && b_begin < a_begin + sli_tensor_bytes(a);
}

sli_status_t *sli_strided_slice_assign(sli_kernel_context_t *context, sli_tensor_t *target) {
  sli_tensor_t *begin = sli_kernel_input(context, 1), *end = sli_kernel_input(context, 2);
  sli_tensor_t *steps = sli_kernel_input(context, 3), *value = sli_kernel_input(context, 4), *copy = NULL;
  masks_t masks;
  ranges_t r;
  SLI_RETURN_IF_ERROR(masks_read(context->node, &masks));
  SLI_RETURN_IF_ERROR(check_subscripts(begin, end, steps));
  SLI_RETURN_IF_ERROR(resolve(&masks, sli_tensor_shape(target), begin, end, steps, &r));
  if (sli_shape_product(r.size, 0, r.rank) == 0) return NULL;
  // TensorFlow registers these types, but cannot broadcast them.
  if (sli_types_contain(SLI_TYPES_QUANTIZED_8_32, (sli_dtype_t)target->dtype))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported data type: %s",
                           sli_dtype_name((sli_dtype_t)target->dtype));
  int64_t strides[SLI_MAX_RANK], from_strides[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(broadcast_strides(&r, value, from_strides));
  if (overlap(target, value)) SLI_RETURN_IF_ERROR(sli_tensor_clone(value, &copy));
  int64_t offset = slice_layout(&r, target->dims, strides);
  sli_elements_strided_copy(sli_kernel_pool(context), target->dtype, r.rank, r.size, sli_tensor_at(target, offset),
                            strides, (copy ? copy : value)->data, from_strides);
  sli_tensor_release(copy);
  return NULL;
}

static sli_status_t *strided_update_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_tensor_retain(sli_kernel_input(context, 0)), *output;
  sli_status_t *status = sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output);
  if (!status) {
    sli_tensor_copy_elements(output, input);
    status = sli_strided_slice_assign(context, output);
  }
  sli_tensor_release(input);
  return status;
}

static sli_status_t *strided_slice_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), begin_shape, end_shape, strides_shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &begin_shape));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &end_shape));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 1, &strides_shape));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, begin_shape, end_shape, &begin_shape));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, begin_shape, strides_shape, &begin_shape));
  const sli_tensor_t *begin = sli_infer_input_constant(c, 1), *end = sli_infer_input_constant(c, 2);
  const sli_tensor_t *strides = sli_infer_input_constant(c, 3);
  if (in.rank < 0 || !strides) return sli_infer_fn_unknown(c);
  masks_t masks;
  ranges_t r;
  SLI_RETURN_IF_ERROR(masks_read(c->node, &masks));
  SLI_RETURN_IF_ERROR(resolve(&masks, in, begin, end, strides, &r));
  if (c->input_handles) c->output_handles[0] = c->input_handles[0];
  sli_infer_set_output(c, 0, sli_infer_make(c, r.out_rank, r.out_dims));
  return NULL;
}

static sli_status_t *strided_slice_grad_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 0, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

#define MASK_ATTRS(masks)                                                                                     \
  SLI_ATTRS(SLI_ATTR_INT_OF("begin_mask", (masks).begin_mask), SLI_ATTR_INT_OF("end_mask", (masks).end_mask), \
            SLI_ATTR_INT_OF("ellipsis_mask", (masks).ellipsis_mask),                                          \
            SLI_ATTR_INT_OF("new_axis_mask", (masks).new_axis_mask),                                          \
            SLI_ATTR_INT_OF("shrink_axis_mask", (masks).shrink_axis_mask))

static sli_status_t *strided_slice_gradient(sli_gradient_builder_t *b) {
  masks_t masks;
  SLI_RETURN_IF_ERROR(masks_read(b->node, &masks));
  sli_output_t begin = sli_gradient_input(b, 1), end = sli_gradient_input(b, 2), strides = sli_gradient_input(b, 3);
  sli_output_t shape = SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(sli_gradient_input(b, 0)),
                                     SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", sli_gradient_dtype(b, begin))));
  sli_gradient_set(
      b, 0,
      SLI_EMIT_WITH(b, "StridedSliceGrad", SLI_INPUTS(shape, begin, end, strides, sli_gradient_of_output(b, 0)),
                    MASK_ATTRS(masks)));
  return NULL;
}

static sli_status_t *strided_slice_grad_gradient(sli_gradient_builder_t *b) {
  masks_t masks;
  SLI_RETURN_IF_ERROR(masks_read(b->node, &masks));
  sli_gradient_set(b, 4,
                   SLI_EMIT_WITH(b, "StridedSlice",
                                 SLI_INPUTS(sli_gradient_of_output(b, 0), sli_gradient_input(b, 1),
                                            sli_gradient_input(b, 2), sli_gradient_input(b, 3)),
                                 MASK_ATTRS(masks)));
  return NULL;
}

// The input gets no gradient where it was overwritten; a value that was broadcast gets the sum over its copies.
static sli_status_t *strided_update_gradient(sli_gradient_builder_t *b) {
  masks_t masks;
  SLI_RETURN_IF_ERROR(masks_read(b->node, &masks));
  sli_output_t begin = sli_gradient_input(b, 1), end = sli_gradient_input(b, 2), strides = sli_gradient_input(b, 3);
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  sli_output_t slice = SLI_EMIT_WITH(b, "StridedSlice", SLI_INPUTS(gradient, begin, end, strides), MASK_ATTRS(masks));
  sli_output_t zeros = SLI_EMIT(b, "ZerosLike", SLI_INPUTS(slice));
  sli_gradient_set(b, 0,
                   SLI_EMIT_WITH(b, "TensorStridedSliceUpdate", SLI_INPUTS(gradient, begin, end, strides, zeros),
                                 MASK_ATTRS(masks)));
  sli_attr_entry_t dtype = SLI_ATTR_TYPE_OF("out_type", sli_gradient_dtype(b, begin));
  sli_output_t slice_shape = SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(slice), SLI_ATTRS(dtype));
  sli_output_t value_shape = SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(sli_gradient_input(b, 4)), SLI_ATTRS(dtype));
  sli_output_t axes = sli_output_at(SLI_EMIT(b, "BroadcastGradientArgs", SLI_INPUTS(slice_shape, value_shape)), 1);
  sli_output_t sum = SLI_EMIT_WITH(b, "Sum", SLI_INPUTS(slice, axes), SLI_ATTRS(SLI_ATTR_BOOL_OF("keep_dims", true)));
  sli_gradient_set(b, 4, SLI_EMIT(b, "Reshape", SLI_INPUTS(sum, value_shape)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "StridedSlice",
     .inputs = "input: T, begin: Index, end: Index, strides: Index",
     .outputs = "output: T",
     .attrs = "T: type; Index: {int16, int32, int64}; " SLI_STRIDED_SLICE_MASKS,
     .summary = "Extracts a slice, like Python's subscripts.",
     .shape = strided_slice_shape,
     .gradient = strided_slice_gradient,
     .forwards_input = true},
    {.name = "StridedSliceGrad",
     .inputs = "shape: Index, begin: Index, end: Index, strides: Index, dy: T",
     .outputs = "output: T",
     .attrs = "T: type; Index: {int32, int64}; " SLI_STRIDED_SLICE_MASKS,
     .summary = "The gradient of StridedSlice.",
     .shape = strided_slice_grad_shape,
     .gradient = strided_slice_grad_gradient},
    {.name = "TensorStridedSliceUpdate",
     .inputs = "input: T, begin: Index, end: Index, strides: Index, value: T",
     .outputs = "output: T",
     .attrs = "T: type; Index: {int32, int64}; " SLI_STRIDED_SLICE_MASKS,
     .summary = "A tensor with a slice replaced.",
     .shape = sli_infer_fn_unchanged,
     .gradient = strided_update_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "StridedSlice",
     .types = SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPES_FLOAT8,
     .host_memory = "begin, end, strides",
     .compute = strided_slice_compute},
    {.op = "StridedSliceGrad",
     .types = SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPES_FLOAT8,
     .host_memory = "shape, begin, end, strides",
     .compute = strided_slice_grad_compute},
    {.op = "TensorStridedSliceUpdate",
     .types = SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPES_FLOAT8,
     .host_memory = "begin, end, strides",
     .compute = strided_update_compute},
};

SLI_OP_MODULE(strided_slice);
