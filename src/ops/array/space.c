// SpaceToBatch, SpaceToDepth and their reverses: move blocks of an image into the batch or the channels, and back. The
// elements at one position of all blocks are one strided box, copied in one direction or the other.
#include <string.h>

#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

enum { MAX_BLOCKS = 8 };

typedef struct {
  int count;  // spatial dims
  int64_t block[MAX_BLOCKS], before[MAX_BLOCKS], after[MAX_BLOCKS];
} blocks_t;

// Reads block_shape from input |shape_input| (or the attribute block_size for two dims), and paddings or crops from
// input |edges_input|.
static sli_status_t *read_blocks(sli_kernel_context_t *context, int shape_input, int edges_input,
                                 const char *edges_name, blocks_t *b) {
  sli_tensor_t *edges = sli_kernel_input(context, edges_input);
  if (shape_input < 0) {
    int64_t size;
    SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "block_size", &size));
    b->count = 2;
    b->block[0] = b->block[1] = size;
  } else {
    sli_tensor_t *shape = sli_kernel_input(context, shape_input);
    if (shape->rank != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "block_shape must be one dimensional instead of %d", shape->rank);
    if (shape->count > MAX_BLOCKS)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Maximum number of non-combined block dimensions is %d but input has %lld", MAX_BLOCKS,
                             (long long)shape->count);
    b->count = (int)shape->count;
    for (int i = 0; i < b->count; i++) b->block[i] = sli_tensor_int_at(shape, i);
  }
  if (edges->rank != 2 || edges->dims[0] != b->count || edges->dims[1] != 2) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s should have shape [%d, 2] instead of %s", edges_name, b->count,
                           sli_tensor_shape_text(edges).text);
  }
  int64_t product = 1;
  for (int i = 0; i < b->count; i++) {
    b->before[i] = sli_tensor_int_at(edges, 2 * i);
    b->after[i] = sli_tensor_int_at(edges, 2 * i + 1);
    if (b->before[i] < 0 || b->after[i] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be non-negative", edges_name);
    if (b->block[i] < 1 || __builtin_mul_overflow(product, b->block[i], &product)) {
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "All values in block_shape must be positive, got value, %lld at index %d.",
                             (long long)b->block[i], i);
    }
  }
  return NULL;
}

// Copies between |space| ([n, s…, rest]) and |batch| ([n·Πblock, (s + edges) / block…, rest]).
static void move_blocks(sli_kernel_context_t *context, const blocks_t *b, sli_tensor_t *space, sli_tensor_t *batch,
                        bool to_batch) {
  int rank = space->rank;
  int64_t space_strides[SLI_MAX_RANK], batch_strides[SLI_MAX_RANK], dims[SLI_MAX_RANK], steps[SLI_MAX_RANK], total = 1;
  sli_shape_strides(rank, space->dims, space_strides);
  sli_shape_strides(rank, batch->dims, batch_strides);
  memcpy(dims, space->dims, (size_t)rank * sizeof(int64_t));
  memcpy(steps, space_strides, (size_t)rank * sizeof(int64_t));
  for (int i = 0; i < b->count; i++) {
    steps[i + 1] *= b->block[i];
    total *= b->block[i];
  }
  for (int64_t position = 0; position < total; position++) {
    int64_t rest = position, space_offset = 0, batch_offset = position * space->dims[0] * batch_strides[0];
    bool empty = false;
    for (int i = b->count - 1; i >= 0; i--) {
      // Batch position p is space position p·block + shift.
      int64_t shift = rest % b->block[i] - b->before[i], block = b->block[i], extent = space->dims[i + 1];
      rest /= block;
      int64_t first = shift >= 0 ? 0 : (-shift + block - 1) / block;
      int64_t end = extent - shift <= 0 ? 0 : (extent - shift + block - 1) / block;
      if (end > batch->dims[i + 1]) end = batch->dims[i + 1];
      dims[i + 1] = end - first;
      empty |= end <= first;
      space_offset += (first * block + shift) * space_strides[i + 1];
      batch_offset += first * batch_strides[i + 1];
    }
    if (empty) continue;
    void *in_space = sli_tensor_at(space, space_offset), *in_batch = sli_tensor_at(batch, batch_offset);
    if (to_batch) {
      sli_elements_strided_copy(sli_kernel_pool(context), space->dtype, rank, dims, in_batch, batch_strides, in_space,
                                steps);
    } else {
      sli_elements_strided_copy(sli_kernel_pool(context), space->dtype, rank, dims, in_space, steps, in_batch,
                                batch_strides);
    }
  }
}

// Without block_shape the input must have four dimensions.
static sli_status_t *check_rank(const sli_tensor_t *input, int shape_input, int block_count) {
  if (shape_input < 0 && input->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input rank should be: 4 instead of: %d", input->rank);
  if (input->rank < 1 + block_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input rank should be >= %d instead of %d", 1 + block_count,
                           input->rank);
  return NULL;
}

static sli_status_t *space_to_batch(sli_kernel_context_t *context, int shape_input, int edges_input) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  blocks_t b;
  SLI_RETURN_IF_ERROR(read_blocks(context, shape_input, edges_input, "paddings", &b));
  SLI_RETURN_IF_ERROR(check_rank(input, shape_input, b.count));
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, input->dims, (size_t)input->rank * sizeof(int64_t));
  for (int i = 0; i < b.count; i++) {
    int64_t padded;
    if (__builtin_add_overflow(b.before[i], b.after[i], &padded) ||
        __builtin_add_overflow(padded, dims[i + 1], &padded) || __builtin_mul_overflow(dims[0], b.block[i], &dims[0])) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "padded_shape[%d] is too large", i);
    }
    if (padded % b.block[i] != 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "padded_shape[%d]=%lld is not divisible by block_shape[%d]=%lld", i,
                             (long long)padded, i, (long long)b.block[i]);
    }
    dims[i + 1] = padded / b.block[i];
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &output));
  if (output->count == 0) return NULL;
  sli_elements_clear(output->dtype, output->data, output->count);
  if (input->count) move_blocks(context, &b, input, output, true);
  return NULL;
}

static sli_status_t *batch_to_space(sli_kernel_context_t *context, int shape_input, int edges_input) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  blocks_t b;
  SLI_RETURN_IF_ERROR(read_blocks(context, shape_input, edges_input, "crops", &b));
  SLI_RETURN_IF_ERROR(check_rank(input, shape_input, b.count));
  int64_t dims[SLI_MAX_RANK], product = 1;
  memcpy(dims, input->dims, (size_t)input->rank * sizeof(int64_t));
  for (int i = 0; i < b.count; i++) {
    product *= b.block[i];
    if (__builtin_mul_overflow(dims[i + 1], b.block[i], &dims[i + 1]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "cropped_shape[%d] is too large", i);
    dims[i + 1] -= b.before[i];
    dims[i + 1] -= b.after[i];
    if (dims[i + 1] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "cropped_shape[%d]=%lld must be non-negative", i,
                             (long long)dims[i + 1]);
  }
  if (dims[0] % product != 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input batch dimension (%lld) is not divisible by product of block sizes (%lld)",
                           (long long)dims[0], (long long)product);
  }
  dims[0] /= product;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &output));
  if (output->count) move_blocks(context, &b, output, input, false);
  return NULL;
}

static sli_status_t *space_to_batch_nd_compute(sli_kernel_context_t *context) { return space_to_batch(context, 1, 2); }
static sli_status_t *space_to_batch_compute(sli_kernel_context_t *context) { return space_to_batch(context, -1, 1); }
static sli_status_t *batch_to_space_nd_compute(sli_kernel_context_t *context) { return batch_to_space(context, 1, 2); }
static sli_status_t *batch_to_space_compute(sli_kernel_context_t *context) { return batch_to_space(context, -1, 1); }

static sli_status_t *space_batch_shape(sli_infer_context_t *c, int shape_input, int edges_input, bool to_batch) {
  int64_t block[MAX_BLOCKS], size = 0;
  int64_t count = 2;
  sli_shape_t in = sli_infer_input(c, 0), vector, pairs;
  const sli_tensor_t *blocks = shape_input < 0 ? NULL : sli_infer_input_constant(c, shape_input);
  const sli_tensor_t *edges = sli_infer_input_constant(c, edges_input);
  if (shape_input < 0) {
    SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, in, 4, &in));
    SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "block_size", &size));
  } else {
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, shape_input, 1, &vector));
    count = sli_infer_dim(vector, 0);
    if (blocks) count = blocks->count;
  }
  if (count < 0) {
    sli_infer_set_output(c, 0, in.rank < 0 ? in : sli_infer_make_unknown_of_rank(c, in.rank));
    return NULL;
  }
  if (count > MAX_BLOCKS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "block_shape must have at most %d elements, got %lld", MAX_BLOCKS,
                           (long long)count);
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, in, (int)count + 1, &in));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, edges_input), SLI_SHAPE(count, 2), &pairs));
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  int64_t dims[SLI_MAX_RANK], product = 1;
  memcpy(dims, in.dims, (size_t)in.rank * sizeof(int64_t));
  bool known = shape_input < 0 || blocks;
  for (int i = 0; i < count; i++) {
    block[i] = blocks ? sli_tensor_int_at(blocks, i) : size;
    if (known && block[i] < 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "block_shape[%d] must be at least 1, got %lld", i,
                             (long long)block[i]);
    if (known && __builtin_mul_overflow(product, block[i], &product))
      return sli_status_make(SLI_INVALID_ARGUMENT, "The product of block_shape must fit 64 bits");
    if (!known || !edges || dims[i + 1] < 0) {
      dims[i + 1] = -1;
      continue;
    }
    int64_t before = sli_tensor_int_at(edges, 2 * i), after = sli_tensor_int_at(edges, 2 * i + 1);
    if (before < 0 || after < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s cannot be negative", to_batch ? "paddings" : "crops");
    if (to_batch) {
      int64_t padded;
      if (__builtin_add_overflow(before, after, &padded) || __builtin_add_overflow(padded, dims[i + 1], &padded))
        return sli_status_make(SLI_INVALID_ARGUMENT, "padded_shape[%d] is too large", i);
      if (padded % block[i] != 0) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension size must be evenly divisible by %lld but is %lld",
                               (long long)block[i], (long long)padded);
      }
      dims[i + 1] = padded / block[i];
    } else {
      if (__builtin_mul_overflow(dims[i + 1], block[i], &dims[i + 1]))
        return sli_status_make(SLI_INVALID_ARGUMENT, "cropped_shape[%d] is too large", i);
      if (dims[i + 1] - before < after)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Negative dimension size caused by crops");
      dims[i + 1] -= before + after;
    }
  }
  if (!known || dims[0] < 0) {
    dims[0] = -1;
  } else if (to_batch) {
    if (__builtin_mul_overflow(dims[0], product, &dims[0]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "The batch dimension is too large");
  } else if (dims[0] % product != 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension size must be evenly divisible by %lld but is %lld",
                           (long long)product, (long long)dims[0]);
  } else {
    dims[0] /= product;
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, in.rank, dims));
  return NULL;
}

static sli_status_t *space_to_batch_nd_shape(sli_infer_context_t *c) { return space_batch_shape(c, 1, 2, true); }
static sli_status_t *space_to_batch_shape(sli_infer_context_t *c) { return space_batch_shape(c, -1, 1, true); }
static sli_status_t *batch_to_space_nd_shape(sli_infer_context_t *c) { return space_batch_shape(c, 1, 2, false); }
static sli_status_t *batch_to_space_shape(sli_infer_context_t *c) { return space_batch_shape(c, -1, 1, false); }

static sli_status_t *nd_gradient(sli_gradient_builder_t *b, const char *inverse) {
  sli_gradient_set(
      b, 0,
      SLI_EMIT(b, inverse,
               SLI_INPUTS(sli_gradient_of_output(b, 0), sli_gradient_input(b, 1), sli_gradient_input(b, 2))));
  return NULL;
}

static sli_status_t *block_gradient(sli_gradient_builder_t *b, const char *inverse) {
  int64_t size;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(b->node, "block_size", &size));
  sli_gradient_set(b, 0,
                   SLI_EMIT_WITH(b, inverse, SLI_INPUTS(sli_gradient_of_output(b, 0), sli_gradient_input(b, 1)),
                                 SLI_ATTRS(SLI_ATTR_INT_OF("block_size", size))));
  return NULL;
}

static sli_status_t *space_to_batch_nd_gradient(sli_gradient_builder_t *b) { return nd_gradient(b, "BatchToSpaceND"); }
static sli_status_t *batch_to_space_nd_gradient(sli_gradient_builder_t *b) { return nd_gradient(b, "SpaceToBatchND"); }
static sli_status_t *space_to_batch_gradient(sli_gradient_builder_t *b) { return block_gradient(b, "BatchToSpace"); }
static sli_status_t *batch_to_space_gradient(sli_gradient_builder_t *b) { return block_gradient(b, "SpaceToBatch"); }

// SpaceToDepth, DepthToSpace on NHWC: [n, h, s, w, s, c] <-> [n, h, w, s, s, c].
static sli_status_t *space_depth(sli_kernel_context_t *context, bool to_depth) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_view_t format;
  int64_t s;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "data_format", &format));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "block_size", &s));
  if (!sli_view_is(format, "NHWC")) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Only NHWC data_format supported on CPU. Got %.*s",
                           SLI_VIEW_ARG(format));
  }
  if (input->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input rank should be: 4 instead of: %d", input->rank);
  int64_t n = input->dims[0], h = input->dims[1], w = input->dims[2], c = input->dims[3], area;
  if (__builtin_mul_overflow(s, s, &area))
    return sli_status_make(SLI_INVALID_ARGUMENT, "block_size is too large: %lld", (long long)s);
  if (to_depth ? h % s != 0 || w % s != 0 : c % area != 0) {
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        to_depth ? "Image width %lld and height %lld should be divisible by block_size: %lld"
                 : "Input depth dimension %lld (of width %lld) should be divisible by the square of block_size: %lld",
        to_depth ? (long long)w : (long long)c, to_depth ? (long long)h : (long long)w, (long long)s);
  }
  if (to_depth) {
    h /= s, w /= s;
  } else {
    c /= area;
  }
  int64_t space[4] = {n, h * s, w * s, c}, depth[4] = {n, h, w, c * area};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){4, to_depth ? depth : space}, &output));
  if (output->count == 0) return NULL;
  int64_t dims[6] = {n, h, w, s, s, c};
  int64_t in_space[6] = {h * s * w * s * c, s * w * s * c, s * c, w * s * c, c, 1}, in_depth[6];
  sli_shape_strides(6, dims, in_depth);
  sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, 6, dims, output->data,
                            to_depth ? in_depth : in_space, input->data, to_depth ? in_space : in_depth);
  return NULL;
}

static sli_status_t *space_to_depth_compute(sli_kernel_context_t *context) { return space_depth(context, true); }
static sli_status_t *depth_to_space_compute(sli_kernel_context_t *context) { return space_depth(context, false); }

// Multiplies or divides a dimension by |factor|, if it is known.
static sli_status_t *scale_dim(int64_t *dim, int64_t factor, bool up) {
  if (*dim < 0) return NULL;
  if (up && __builtin_mul_overflow(*dim, factor, dim))
    return sli_status_make(SLI_INVALID_ARGUMENT, "block_size is too large: a dimension times %lld does not fit 64 bits",
                           (long long)factor);
  if (!up && *dim % factor != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension size must be evenly divisible by %lld but is %lld",
                           (long long)factor, (long long)*dim);
  if (!up) *dim /= factor;
  return NULL;
}

static sli_status_t *space_depth_shape(sli_infer_context_t *c, bool to_depth) {
  sli_shape_t in;
  sli_view_t format;
  int64_t s, dims[5];
  SLI_RETURN_IF_ERROR(sli_node_attr_string(c->node, "data_format", &format));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "block_size", &s));
  bool vector = sli_view_is(format, "NCHW_VECT_C"), channels_first = sli_view_is(format, "NCHW") || vector;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, vector ? 5 : 4, &in));
  if (in.rank < 0) {
    sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, vector ? 5 : 4));
    return NULL;
  }
  memcpy(dims, in.dims, (size_t)in.rank * sizeof(int64_t));
  int channel = channels_first ? 1 : 3, spatial = channels_first ? 2 : 1;
  int64_t area;
  if (__builtin_mul_overflow(s, s, &area))
    return sli_status_make(SLI_INVALID_ARGUMENT, "block_size is too large: %lld", (long long)s);
  for (int i = 0; i < 2; i++) SLI_RETURN_IF_ERROR(scale_dim(&dims[spatial + i], s, !to_depth));
  SLI_RETURN_IF_ERROR(scale_dim(&dims[channel], area, to_depth));
  sli_infer_set_output(c, 0, sli_infer_make(c, in.rank, dims));
  return NULL;
}

static sli_status_t *space_to_depth_shape(sli_infer_context_t *c) { return space_depth_shape(c, true); }
static sli_status_t *depth_to_space_shape(sli_infer_context_t *c) { return space_depth_shape(c, false); }

static sli_status_t *depth_gradient(sli_gradient_builder_t *b, const char *inverse) {
  int64_t size;
  const sli_attr_t *format = sli_node_attr(b->node, "data_format");
  SLI_RETURN_IF_ERROR(sli_node_attr_int(b->node, "block_size", &size));
  sli_gradient_set(
      b, 0,
      SLI_EMIT_WITH(b, inverse, SLI_INPUTS(sli_gradient_of_output(b, 0)),
                    SLI_ATTRS(SLI_ATTR_INT_OF("block_size", size), ((sli_attr_entry_t){"data_format", *format}))));
  return NULL;
}

static sli_status_t *space_to_depth_gradient(sli_gradient_builder_t *b) { return depth_gradient(b, "DepthToSpace"); }
static sli_status_t *depth_to_space_gradient(sli_gradient_builder_t *b) { return depth_gradient(b, "SpaceToDepth"); }

static const sli_op_def_t ops[] = {
    {.name = "SpaceToBatchND",
     .inputs = "input: T, block_shape: Tblock_shape, paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tblock_shape: {int32, int64} = DT_INT32; Tpaddings: {int32, int64} = DT_INT32",
     .summary = "Moves blocks of space into the batch.",
     .shape = space_to_batch_nd_shape,
     .gradient = space_to_batch_nd_gradient},
    {.name = "SpaceToBatch",
     .inputs = "input: T, paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: {int32, int64} = DT_INT32; block_size: int >= 2",
     .summary = "Moves blocks of space into the batch.",
     .shape = space_to_batch_shape,
     .gradient = space_to_batch_gradient},
    {.name = "BatchToSpaceND",
     .inputs = "input: T, block_shape: Tblock_shape, crops: Tcrops",
     .outputs = "output: T",
     .attrs = "T: type; Tblock_shape: {int32, int64} = DT_INT32; Tcrops: {int32, int64} = DT_INT32",
     .summary = "Moves the batch into blocks of space.",
     .shape = batch_to_space_nd_shape,
     .gradient = batch_to_space_nd_gradient},
    {.name = "BatchToSpace",
     .inputs = "input: T, crops: Tidx",
     .outputs = "output: T",
     .attrs = "T: type; block_size: int >= 2; Tidx: {int32, int64} = DT_INT32",
     .summary = "Moves the batch into blocks of space.",
     .shape = batch_to_space_shape,
     .gradient = batch_to_space_gradient},
    {.name = "SpaceToDepth",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     .summary = "Moves blocks of space into the channels.",
     .shape = space_to_depth_shape,
     .gradient = space_to_depth_gradient},
    {.name = "DepthToSpace",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     .summary = "Moves channels into blocks of space.",
     .shape = depth_to_space_shape,
     .gradient = depth_to_space_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SpaceToBatchND",
     .types = SLI_TYPES_REAL,
     .host_memory = "block_shape, paddings",
     .compute = space_to_batch_nd_compute},
    {.op = "SpaceToBatch", .types = SLI_TYPES_REAL, .host_memory = "paddings", .compute = space_to_batch_compute},
    {.op = "BatchToSpaceND",
     .types = SLI_TYPES_REAL,
     .host_memory = "block_shape, crops",
     .compute = batch_to_space_nd_compute},
    {.op = "BatchToSpace", .types = SLI_TYPES_REAL, .host_memory = "crops", .compute = batch_to_space_compute},
    {.op = "SpaceToDepth",
     .types = SLI_TYPES_COMMON | SLI_TYPE_BIT(SLI_DTYPE_QINT8),
     .compute = space_to_depth_compute},
    {.op = "DepthToSpace",
     .types = SLI_TYPES_COMMON,
     .where = {{.attr = "data_format", .text = "NHWC"}},
     .compute = depth_to_space_compute},
};

SLI_OP_MODULE(space);
