// Ops that move elements: Tile, Transpose, Slice, ConcatV2, Pack, Unpack and BroadcastTo. One kernel copies elements
// between two walks with strides.
#include <string.h>

#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"

static const char move_source[] =
    "__kernel void move(TENSOR(a), TENSOR(r), int rank, long8 dims8, long a_first, long8 a8, long r_first, long8 r8) "
    "{\n"
    "  VIEW(T, a); VIEW(T, r);\n"
    "  long dims[8], a_strides[8], r_strides[8];\n"
    "  vstore8(dims8, 0, dims); vstore8(a8, 0, a_strides); vstore8(r8, 0, r_strides);\n"
    "  long rest = get_global_id(0), from = a_first, to = r_first;\n"
    "  for (int d = rank - 1; d >= 0; d--) {\n"
    "    long index = rest % dims[d];\n"
    "    rest /= dims[d];\n"
    "    from += index * a_strides[d];\n"
    "    to += index * r_strides[d];\n"
    "  }\n"
    "  r[to] = a[from];\n"
    "}\n";

// A walk over elements of |from| and |to|, outermost dimension first.
typedef struct {
  int rank;
  int64_t dims[2 * SLI_MAX_RANK], from[2 * SLI_MAX_RANK], to[2 * SLI_MAX_RANK];
  int64_t first_from, first_to;
} walk_t;

static void add_dim(walk_t *walk, int64_t size, int64_t from, int64_t to) {
  if (size == 1) return;
  int last = walk->rank - 1;
  if (last >= 0 && walk->from[last] == size * from && walk->to[last] == size * to) {
    walk->dims[last] *= size;
    walk->from[last] = from;
    walk->to[last] = to;
    return;
  }
  walk->dims[walk->rank] = size;
  walk->from[walk->rank] = from;
  walk->to[walk->rank++] = to;
}

static void strides_of(sli_shape_t shape, int64_t *out_strides) {
  int64_t stride = 1;
  for (int d = shape.rank - 1; d >= 0; stride *= shape.dims[d--]) out_strides[d] = stride;
}

// An element is moved as a number of its size.
static sli_dtype_t moved_as(sli_dtype_t dtype) {
  switch (sli_dtype_size(dtype)) {
    case 1: return SLI_DTYPE_UINT8;
    case 2: return SLI_DTYPE_UINT16;
    case 4: return SLI_DTYPE_UINT32;
    default: return SLI_DTYPE_UINT64;
  }
}

static sli_status_t *move(sli_kernel_context_t *context, const walk_t *walk, const sli_tensor_t *from,
                          const sli_tensor_t *to) {
  if (walk->rank > SLI_GPU_DIMS) return sli_gpu_too_many_dims(context, walk->rank);
  int64_t count = 1;
  sli_gpu_dims_t dims = {0}, from_strides = {0}, to_strides = {0};
  for (int d = 0; d < walk->rank; d++) {
    count *= dims.values[d] = walk->dims[d];
    from_strides.values[d] = walk->from[d];
    to_strides.values[d] = walk->to[d];
  }
  int32_t rank = walk->rank;
  sli_opencl_program_t program = {"move", move_source, NULL, {moved_as((sli_dtype_t)from->dtype)}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(from),
                             SLI_OPENCL_TENSOR(to),
                             SLI_OPENCL_VALUE(rank),
                             SLI_OPENCL_VALUE(dims),
                             SLI_OPENCL_VALUE(walk->first_from),
                             SLI_OPENCL_VALUE(from_strides),
                             SLI_OPENCL_VALUE(walk->first_to),
                             SLI_OPENCL_VALUE(to_strides)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(count));
}

static sli_status_t *tile_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t multiples[SLI_MAX_RANK], dims[SLI_MAX_RANK], from[SLI_MAX_RANK], to[SLI_MAX_RANK];
  int count;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 1, "multiples", multiples, SLI_MAX_RANK, &count));
  if (count != input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected multiples argument to be a vector of length %d but got length %d", input->rank,
                           count);
  for (int d = 0; d < count; d++) {
    if (multiples[d] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected multiples[%d] >= 0, but got %lld", d,
                             (long long)multiples[d]);
    dims[d] = input->dims[d] * multiples[d];
  }
  sli_shape_t shape = {count, dims};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  if (!output->count) return NULL;
  strides_of(sli_tensor_shape(input), from);
  strides_of(shape, to);
  walk_t walk = {0};
  for (int d = 0; d < count; d++) {
    add_dim(&walk, multiples[d], 0, to[d] * input->dims[d]);
    add_dim(&walk, input->dims[d], from[d], to[d]);
  }
  return move(context, &walk, input, output);
}

static sli_status_t *broadcast_to_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t dims[SLI_MAX_RANK], from[SLI_MAX_RANK], to[SLI_MAX_RANK];
  int rank;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 1, "shape", dims, SLI_MAX_RANK, &rank));
  sli_shape_t shape = {rank, dims};
  int extra = rank - input->rank;
  for (int d = 0; d < rank; d++)
    if (extra < 0 || (d >= extra && input->dims[d - extra] != 1 && input->dims[d - extra] != dims[d]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s", sli_tensor_shape_text(input).text,
                             sli_shape_text(shape).text);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  strides_of(sli_tensor_shape(input), from);
  strides_of(shape, to);
  walk_t walk = {0};
  for (int d = 0; d < rank; d++)
    add_dim(&walk, dims[d], d < extra || input->dims[d - extra] == 1 ? 0 : from[d - extra], to[d]);
  return output->count ? move(context, &walk, input, output) : NULL;
}

static sli_status_t *transpose_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t perm[SLI_MAX_RANK], dims[SLI_MAX_RANK], from[SLI_MAX_RANK], to[SLI_MAX_RANK];
  bool seen[SLI_MAX_RANK] = {0};
  int count;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 1, "perm", perm, SLI_MAX_RANK, &count));
  if (count != input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "transpose expects a vector of size %d. But input(1) is a vector of size %d", input->rank,
                           count);
  for (int d = 0; d < count; d++) {
    if (perm[d] < 0) perm[d] += count;
    if (perm[d] < 0 || perm[d] >= count || seen[perm[d]])
      return sli_status_make(SLI_INVALID_ARGUMENT, "%lld is missing from perm or out of range", (long long)perm[d]);
    seen[perm[d]] = true;
    dims[d] = input->dims[perm[d]];
  }
  sli_shape_t shape = {count, dims};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  strides_of(sli_tensor_shape(input), from);
  strides_of(shape, to);
  walk_t walk = {0};
  for (int d = 0; d < count; d++) add_dim(&walk, dims[d], from[perm[d]], to[d]);
  return output->count ? move(context, &walk, input, output) : NULL;
}

static sli_status_t *slice_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t begin[SLI_MAX_RANK], size[SLI_MAX_RANK], from[SLI_MAX_RANK], to[SLI_MAX_RANK];
  int begins, sizes;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 1, "begin", begin, SLI_MAX_RANK, &begins));
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 2, "size", size, SLI_MAX_RANK, &sizes));
  if (begins != input->rank || sizes != input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected begin and size arguments to be 1-D tensors of size %d, but got %d and %d",
                           input->rank, begins, sizes);
  for (int d = 0; d < input->rank; d++) {
    if (size[d] == -1) size[d] = input->dims[d] - begin[d];
    if (begin[d] < 0 || begin[d] > input->dims[d])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected begin[%d] in [0, %lld], but got %lld", d,
                             (long long)input->dims[d], (long long)begin[d]);
    if (size[d] < 0 || size[d] > input->dims[d] - begin[d])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected size[%d] in [0, %lld], but got %lld", d,
                             (long long)(input->dims[d] - begin[d]), (long long)size[d]);
  }
  sli_shape_t shape = {input->rank, size};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  strides_of(sli_tensor_shape(input), from);
  strides_of(shape, to);
  walk_t walk = {0};
  for (int d = 0; d < input->rank; d++) {
    walk.first_from += begin[d] * from[d];
    add_dim(&walk, size[d], from[d], to[d]);
  }
  return output->count ? move(context, &walk, input, output) : NULL;
}

static int64_t product(const int64_t *dims, int from, int to) {
  int64_t count = 1;
  for (int d = from; d < to; d++) count *= dims[d];
  return count;
}

// Copies |input|, which is |outer| blocks, to the blocks of |output| from |*offset| of each on.
static sli_status_t *join(sli_kernel_context_t *context, const sli_tensor_t *input, int64_t outer,
                          const sli_tensor_t *output, int64_t *offset) {
  if (!input->count) return NULL;
  int64_t block = input->count / outer;
  walk_t walk = {.first_to = *offset};
  add_dim(&walk, outer, block, output->count / outer);
  add_dim(&walk, block, 1, 1);
  *offset += block;
  return move(context, &walk, input, output);
}

static sli_status_t *concat_compute(sli_kernel_context_t *context) {
  int64_t axis, dims[SLI_MAX_RANK], offset = 0;
  int count = context->input_count - 1;
  const sli_tensor_t *first = sli_kernel_input(context, 0);
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, count, "axis", &axis));
  int64_t place = axis < 0 ? axis + first->rank : axis;
  if (place < 0 || place >= first->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "ConcatOp : Expected concatenating dimensions in the range [%d, %d), but got %lld",
                           -first->rank, first->rank, (long long)axis);
  memcpy(dims, first->dims, (size_t)first->rank * sizeof(*dims));
  dims[place] = 0;
  for (int i = 0; i < count; i++) {
    const sli_tensor_t *input = sli_kernel_input(context, i);
    bool fits = input->rank == first->rank;
    for (int d = 0; fits && d < first->rank; d++) fits = d == place || input->dims[d] == first->dims[d];
    if (!fits)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "ConcatOp : Dimension of inputs should match: shape[0] = %s vs. shape[%d] = %s",
                             sli_tensor_shape_text(first).text, i, sli_tensor_shape_text(input).text);
    dims[place] += input->dims[place];
  }
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){first->rank, dims}, &output));
  for (int i = 0; i < count && output->count; i++)
    SLI_RETURN_IF_ERROR(join(context, sli_kernel_input(context, i), product(dims, 0, (int)place), output, &offset));
  return NULL;
}

static sli_status_t *pack_compute(sli_kernel_context_t *context) {
  int64_t axis, dims[SLI_MAX_RANK], offset = 0;
  const sli_tensor_t *first = sli_kernel_input(context, 0);
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "axis", &axis));
  int rank = first->rank + 1;
  int64_t place = axis < 0 ? axis + rank : axis;
  if (place < 0 || place >= rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis = %lld not in [%d, %d)", (long long)axis, -rank, rank);
  for (int i = 1; i < context->input_count; i++)
    if (!sli_tensor_same_shape(first, sli_kernel_input(context, i)))
      return sli_status_make(
          SLI_INVALID_ARGUMENT, "Shapes of all inputs must match: values[0].shape = %s != values[%d].shape = %s",
          sli_tensor_shape_text(first).text, i, sli_tensor_shape_text(sli_kernel_input(context, i)).text);
  for (int d = 0; d < rank; d++)
    dims[d] = d < place ? first->dims[d] : d == place ? context->input_count : first->dims[d - 1];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  for (int i = 0; i < context->input_count && output->count; i++)
    SLI_RETURN_IF_ERROR(join(context, sli_kernel_input(context, i), product(dims, 0, (int)place), output, &offset));
  return NULL;
}

static sli_status_t *unpack_compute(sli_kernel_context_t *context) {
  int64_t axis, dims[SLI_MAX_RANK];
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "axis", &axis));
  int64_t place = axis < 0 ? axis + input->rank : axis;
  if (place < 0 || place >= input->rank || input->dims[place] != context->output_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input shape axis %lld must equal %d, got shape %s", (long long)axis,
                           context->output_count, sli_tensor_shape_text(input).text);
  for (int d = 0; d < input->rank - 1; d++) dims[d] = input->dims[d < place ? d : d + 1];
  int64_t outer = product(input->dims, 0, (int)place), inner = product(input->dims, (int)place + 1, input->rank);
  for (int i = 0; i < context->output_count; i++) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, (sli_shape_t){input->rank - 1, dims}, &output));
    walk_t walk = {.first_from = i * inner};
    add_dim(&walk, outer, inner * context->output_count, inner);
    add_dim(&walk, inner, 1, 1);
    if (output->count) SLI_RETURN_IF_ERROR(move(context, &walk, input, output));
  }
  return NULL;
}

// Types whose elements are in the device's memory.
#define MOVED (SLI_TYPES_POD & ~(SLI_TYPE_INT32 | SLI_TYPE_COMPLEX128))
static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    {.op = "Tile", .device = "GPU", .types = MOVED, .host_memory = "multiples", .compute = tile_compute},
    {.op = "BroadcastTo", .device = "GPU", .types = MOVED, .host_memory = "shape", .compute = broadcast_to_compute},
    {.op = "Transpose", .device = "GPU", .types = MOVED, .host_memory = "perm", .compute = transpose_compute},
    {.op = "Slice", .device = "GPU", .types = MOVED, .host_memory = "begin, size", .compute = slice_compute},
    {.op = "ConcatV2", .device = "GPU", .types = MOVED, .host_memory = "axis", .compute = concat_compute},
    {.op = "Pack", .device = "GPU", .types = MOVED, .compute = pack_compute},
    {.op = "Unpack", .device = "GPU", .types = MOVED, .compute = unpack_compute},
};
SLI_OP_MODULE(gpu_move);
