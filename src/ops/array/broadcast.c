// Broadcasting: BroadcastArgs and BroadcastGradientArgs compute with shapes, BroadcastTo and Tile repeat elements.
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

// The shapes |s0| and |s1|, aligned to the right; the shorter one is padded with ones.
typedef struct {
  int rank;
  int64_t dims[2][SLI_MAX_RANK];
} aligned_t;

static sli_status_t *align_shapes(sli_kernel_context_t *context, aligned_t *aligned) {
  sli_tensor_t *shapes[2] = {sli_kernel_input(context, 0), sli_kernel_input(context, 1)};
  aligned->rank = 0;
  for (int i = 0; i < 2; i++) {
    if (shapes[i]->rank != 1) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "In[%d] must be a vector.%s", i,
                             sli_tensor_shape_text(shapes[i]).text);
    }
    if (shapes[i]->count > SLI_MAX_RANK) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "In[%d] has more than %d dimensions", i, SLI_MAX_RANK);
    }
    if (shapes[i]->count > aligned->rank) aligned->rank = (int)shapes[i]->count;
  }
  for (int i = 0; i < 2; i++) {
    int pad = aligned->rank - (int)shapes[i]->count;
    for (int j = 0; j < aligned->rank; j++) aligned->dims[i][j] = j < pad ? 1 : sli_tensor_int_at(shapes[i], j - pad);
  }
  for (int j = 0; j < aligned->rank; j++) {
    int64_t a = aligned->dims[0][j], b = aligned->dims[1][j];
    if (a != b && a != 1 && b != 1) {
      sli_string_t text[2] = {{0}, {0}};
      for (int i = 0; i < 2; i++) {
        for (int64_t k = 0; k < shapes[i]->count; k++)
          sli_string_append_format(&text[i], "%s%lld", k ? "," : "", (long long)sli_tensor_int_at(shapes[i], k));
      }
      sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Incompatible shapes: [%s] vs. [%s]",
                                             sli_string_text(&text[0]), sli_string_text(&text[1]));
      sli_string_deinitialize(&text[0]);
      sli_string_deinitialize(&text[1]);
      return status;
    }
  }
  return NULL;
}

static sli_status_t *emit_vector(sli_kernel_context_t *context, int index, const int64_t *values, int count) {
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, index, SLI_SHAPE(count), &output));
  for (int i = 0; i < count; i++) sli_tensor_set_int(output, i, values[i]);
  return NULL;
}

static sli_status_t *broadcast_args_compute(sli_kernel_context_t *context) {
  aligned_t aligned;
  SLI_RETURN_IF_ERROR(align_shapes(context, &aligned));
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < aligned.rank; i++) dims[i] = aligned.dims[0][i] == 1 ? aligned.dims[1][i] : aligned.dims[0][i];
  return emit_vector(context, 0, dims, aligned.rank);
}

// BroadcastGradientArgs: the axes over which the gradient of a broadcast result is summed for each operand. An axis of
// size 1 in both operands needs no sum, but TensorFlow lists it for both if the shapes differ anywhere.
static sli_status_t *broadcast_gradient_args_compute(sli_kernel_context_t *context) {
  aligned_t aligned;
  SLI_RETURN_IF_ERROR(align_shapes(context, &aligned));
  sli_tensor_t *shapes[2] = {sli_kernel_input(context, 0), sli_kernel_input(context, 1)};
  bool same = shapes[0]->count == shapes[1]->count;
  for (int j = 0; same && j < aligned.rank; j++) same = aligned.dims[0][j] == aligned.dims[1][j];
  for (int i = 0; i < 2; i++) {
    int64_t axes[SLI_MAX_RANK];
    int count = 0;
    for (int j = 0; j < aligned.rank && !same; j++) {
      if (aligned.dims[i][j] == 1) axes[count++] = j;
    }
    SLI_RETURN_IF_ERROR(emit_vector(context, i, axes, count));
  }
  return NULL;
}

static sli_status_t *broadcast_gradient_args_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  for (int i = 0; i < 2; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &unused));
  for (int i = 0; i < 2; i++) sli_infer_set_output(c, i, sli_infer_make(c, 1, (int64_t[]){-1}));
  return NULL;
}

static sli_status_t *broadcast_args_shape(sli_infer_context_t *c) {
  sli_shape_t a, b;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &a));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &b));
  int64_t x = sli_infer_dim(a, 0), y = sli_infer_dim(b, 0);
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){x < 0 || y < 0 ? -1 : x > y ? x : y}));
  return NULL;
}

// BroadcastTo: repeats dims of 1 and adds dims in front.
static sli_status_t *broadcast_to_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t dims[SLI_MAX_RANK], to_strides[SLI_MAX_RANK], from_strides[SLI_MAX_RANK], strides[SLI_MAX_RANK];
  int rank;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 1, "shape", dims, SLI_MAX_RANK, &rank));
  for (int i = 0; i < rank; i++) {
    if (dims[i] < 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)dims[i]);
    }
  }
  if (input->rank > rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Rank of input (%d) must be no greater than rank of output shape (%d).", input->rank, rank);
  }
  sli_shape_strides(input->rank, input->dims, strides);
  int pad = rank - input->rank;
  for (int i = 0; i < rank; i++) {
    int64_t extent = i < pad ? 1 : input->dims[i - pad];
    if (extent != dims[i] && extent != 1) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s", sli_tensor_shape_text(input).text,
                             sli_shape_text((sli_shape_t){rank, dims}).text);
    }
    from_strides[i] = extent == 1 ? 0 : strides[i - pad];
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  sli_shape_strides(rank, dims, to_strides);
  sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, rank, dims, output->data, to_strides, input->data,
                            from_strides);
  return NULL;
}

static sli_status_t *broadcast_to_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), out, shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &shape));
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 1, &out));
  if (out.rank < 0) {
    int64_t length = sli_infer_dim(shape, 0);
    sli_infer_set_output(c, 0,
                         length < 0 || length > SLI_MAX_RANK ? out : sli_infer_make_unknown_of_rank(c, (int)length));
    return NULL;
  }
  if (in.rank >= 0) {
    SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, in, out.rank, &in));
    for (int i = 0; i < in.rank; i++) {
      int64_t from = in.dims[in.rank - 1 - i], to = out.dims[out.rank - 1 - i];
      if (from > 1 && to >= 0 && from != to) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Dimensions must be equal, but are %lld and %lld", (long long)from,
                               (long long)to);
      }
    }
  }
  sli_infer_set_output(c, 0, out);
  return NULL;
}

static sli_status_t *broadcast_to_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), input = sli_gradient_input(b, 0);
  sli_output_t shape = sli_gradient_input(b, 1);
  sli_dtype_t type = sli_gradient_dtype(b, shape);
  sli_output_t in_shape = SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(input), SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", type)));
  sli_output_t axes = SLI_EMIT(b, "BroadcastGradientArgs", SLI_INPUTS(in_shape, shape));
  sli_output_t sum =
      SLI_EMIT_WITH(b, "Sum", SLI_INPUTS(gradient, axes), SLI_ATTRS(SLI_ATTR_BOOL_OF("keep_dims", true)));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Reshape", SLI_INPUTS(sum, in_shape)));
  return NULL;
}

// Tile repeats each dim: a copy of shape [m0, d0, m1, d1, …] with stride 0 along every m.
static sli_status_t *tile_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *multiples = sli_kernel_input(context, 1), *output;
  if (multiples->rank != 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected multiples to be 1-D, but got shape %s",
                           sli_tensor_shape_text(multiples).text);
  }
  if (multiples->count != input->rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected multiples argument to be a vector of length %d but got length %lld", input->rank,
                           (long long)multiples->count);
  }
  if (input->rank == 0) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  int64_t dims[SLI_MAX_RANK], strides[SLI_MAX_RANK], to_strides[SLI_MAX_RANK];
  int64_t loop_dims[2 * SLI_MAX_RANK], loop_to[2 * SLI_MAX_RANK], loop_from[2 * SLI_MAX_RANK];
  int rank = 0;
  bool unchanged = true;
  for (int i = 0; i < input->rank; i++) {
    int64_t times = sli_tensor_int_at(multiples, i);
    if (times < 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected multiples[%d] >= 0, but got %lld", i, (long long)times);
    }
    if (__builtin_mul_overflow(input->dims[i], times, &dims[i])) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Tile: dim %d would have more than 2**63 - 1 elements", i);
    }
    if (times != 1) unchanged = false;
  }
  if (unchanged) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &output));
  if (output->count == 0) return NULL;
  sli_shape_strides(input->rank, input->dims, strides);
  sli_shape_strides(input->rank, dims, to_strides);
  for (int i = 0; i < input->rank; i++) {
    int64_t times = sli_tensor_int_at(multiples, i);
    if (times > 1) {
      loop_dims[rank] = times;
      loop_to[rank] = to_strides[i] * input->dims[i];
      loop_from[rank++] = 0;
    }
    if (input->dims[i] > 1) {
      loop_dims[rank] = input->dims[i];
      loop_to[rank] = to_strides[i];
      loop_from[rank++] = strides[i];
    }
    if (rank > SLI_MAX_RANK) {
      return sli_status_make(SLI_UNIMPLEMENTED, "TileOp : Unhandled input dimensions, DT : %s : %d",
                             sli_dtype_name(input->dtype), input->rank);
    }
  }
  sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, rank, loop_dims, output->data, loop_to, input->data,
                            loop_from);
  return NULL;
}

static sli_status_t *tile_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), times, shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 1, &times));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &shape));
  if (times.rank < 0 && sli_infer_dim(shape, 0) >= 0 && sli_infer_dim(shape, 0) <= SLI_MAX_RANK) {
    times = sli_infer_make_unknown_of_rank(c, (int)sli_infer_dim(shape, 0));
  }
  if (in.rank >= 0) {
    SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, times, in.rank, &times));
  } else if (times.rank >= 0) {
    in = sli_infer_make_unknown_of_rank(c, times.rank);
  }
  if (in.rank < 0 || times.rank < 0) return sli_infer_fn_unknown(c);
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < in.rank; i++) {
    int64_t d = in.dims[i], t = times.dims[i];
    if (d == 0 || t == 0) {
      dims[i] = 0;
    } else if (d < 0 || t < 0 || __builtin_mul_overflow(d, t, &dims[i])) {
      dims[i] = d == 1 && t >= 0 ? t : -1;
    }
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, in.rank, dims));
  return NULL;
}

// The gradient, reshaped to [m0, d0, m1, d1, …], is summed over the m's.
static sli_status_t *tile_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), multiples = sli_gradient_input(b, 1);
  sli_dtype_t type = sli_gradient_dtype(b, multiples);
  sli_output_t shape =
      SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(sli_gradient_input(b, 0)), SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", type)));
  sli_output_t pairs = SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(multiples, shape), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t transposed =
      SLI_EMIT(b, "Transpose", SLI_INPUTS(pairs, sli_gradient_const_ints(b, (int32_t[]){1, 0}, 2)));
  sli_output_t split = SLI_EMIT(b, "Reshape", SLI_INPUTS(transposed, sli_gradient_const_ints(b, (int32_t[]){-1}, 1)));
  sli_output_t size = SLI_EMIT(b, "Size", SLI_INPUTS(split));
  sli_output_t axes =
      SLI_EMIT(b, "Range", SLI_INPUTS(sli_gradient_const_int32(b, 0), size, sli_gradient_const_int32(b, 2)));
  sli_output_t sum = SLI_EMIT(b, "Sum", SLI_INPUTS(SLI_EMIT(b, "Reshape", SLI_INPUTS(gradient, split)), axes));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Reshape", SLI_INPUTS(sum, shape)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "BroadcastGradientArgs",
     .inputs = "s0: T, s1: T",
     .outputs = "r0: T, r1: T",
     .attrs = "T: {int32, int64} = DT_INT32",
     .summary = "The axes over which to sum the gradient of a broadcast.",
     .shape = broadcast_gradient_args_shape,
     .not_differentiable = true},
    {.name = "BroadcastArgs",
     .inputs = "s0: T, s1: T",
     .outputs = "r0: T",
     .attrs = "T: {int32, int64} = DT_INT32",
     .summary = "The shape that two shapes broadcast to.",
     .shape = broadcast_args_shape},
    {.name = "BroadcastTo",
     .inputs = "input: T, shape: Tidx",
     .outputs = "output: T",
     .attrs = "T: type; Tidx: {int32, int64} = DT_INT32",
     .summary = "Broadcasts a tensor to a shape.",
     .shape = broadcast_to_shape,
     .gradient = broadcast_to_gradient},
    {.name = "Tile",
     .inputs = "input: T, multiples: Tmultiples",
     .outputs = "output: T",
     .attrs = "T: type; Tmultiples: {int32, int64} = DT_INT32",
     .summary = "Repeats the whole tensor along its dimensions.",
     .shape = tile_shape,
     .gradient = tile_gradient,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "BroadcastGradientArgs",
     .any_device = true,
     .types = SLI_TYPES_INDEX,
     .host_memory = "s0, s1, r0, r1",
     .compute = broadcast_gradient_args_compute},
    {.op = "BroadcastArgs", .types = SLI_TYPES_INDEX, .host_memory = "s0, s1, r0", .compute = broadcast_args_compute},
    {.op = "BroadcastTo", .types = SLI_TYPES_COMMON | SLI_TYPES_FLOAT8, .compute = broadcast_to_compute},
    {.op = "Tile", .host_memory = "multiples", .compute = tile_compute},
};

SLI_OP_MODULE(broadcast);
