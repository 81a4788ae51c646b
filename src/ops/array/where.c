// Where outputs the coordinates of the elements that are not zero. OneHot sets elements at given indices.
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

static bool is_nonzero(const sli_tensor_t *tensor, int64_t i) {
  switch (tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(const float, tensor)[i] != 0;
    case SLI_DTYPE_DOUBLE: return SLI_DATA(const double, tensor)[i] != 0;
    case SLI_DTYPE_COMPLEX64:
      return SLI_DATA(const float, tensor)[2 * i] != 0 || SLI_DATA(const float, tensor)[2 * i + 1] != 0;
    case SLI_DTYPE_COMPLEX128:
      return SLI_DATA(const double, tensor)[2 * i] != 0 || SLI_DATA(const double, tensor)[2 * i + 1] != 0;
    case SLI_DTYPE_HALF:
    case SLI_DTYPE_BFLOAT16: return (SLI_DATA(const uint16_t, tensor)[i] & 0x7fff) != 0;  // -0 is zero
    default: break;
  }
  switch (sli_dtype_size(tensor->dtype)) {
    case 1: return SLI_DATA(const uint8_t, tensor)[i] != 0;
    case 2: return SLI_DATA(const uint16_t, tensor)[i] != 0;
    case 4: return SLI_DATA(const uint32_t, tensor)[i] != 0;
    default: return SLI_DATA(const uint64_t, tensor)[i] != 0;
  }
}

static sli_status_t *where_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t found = 0;
  if (input->rank < 1 || input->rank > 8)
    return sli_status_make(SLI_INVALID_ARGUMENT, "WhereOp : Unhandled input dimensions: %d", input->rank);
  for (int64_t i = 0; i < input->count; i++) found += is_nonzero(input, i);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(found, input->rank), &output));
  int64_t index[SLI_MAX_RANK] = {0}, *to = output->data;
  const int rank = input->rank;
  for (int64_t i = 0, left = found; left > 0; i++) {
    if (is_nonzero(input, i)) {
      for (int j = 0; j < rank; j++) *to++ = index[j];
      left--;
    }
    for (int j = rank - 1; j >= 0 && ++index[j] == input->dims[j]; j--) index[j] = 0;
  }
  return NULL;
}

static sli_status_t *where_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, sli_infer_input(c, 0).rank}));
  return NULL;
}

// OneHot has |on| at the index and |off| elsewhere, along a new axis of |depth|.
static sli_status_t *one_hot_compute(sli_kernel_context_t *context) {
  sli_tensor_t *indices = sli_kernel_input(context, 0), *depth_tensor = sli_kernel_input(context, 1), *output;
  sli_tensor_t *on = sli_kernel_input(context, 2), *off = sli_kernel_input(context, 3);
  int64_t axis;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "axis", &axis));
  int rank = indices->rank + 1;
  if (axis != -1 && (axis < 0 || axis >= rank)) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected axis to be -1 or between [0, %d).  But received: %lld", rank,
                           (long long)axis);
  }
  sli_tensor_t *scalars[] = {depth_tensor, on, off};
  static const char *const names[] = {"depth", "on_value", "off_value"};
  for (int i = 0; i < 3; i++) {
    if (scalars[i]->rank != 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a scalar, but got: %s", names[i],
                             sli_tensor_shape_text(scalars[i]).text);
    }
  }
  if (axis == -1) axis = rank - 1;
  int64_t depth = sli_tensor_int_at(depth_tensor, 0);
  if (depth < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "depth must be non-negative, got: %lld", (long long)depth);
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(rank));
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < rank; i++) dims[i] = i == axis ? depth : indices->dims[i < axis ? i : i - 1];
  if (sli_shape_count((sli_shape_t){rank, dims}) < 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "OneHot result would have shape %s + [%lld], which exceeds 2**63 - 1 elements",
                           sli_tensor_shape_text(indices).text, (long long)depth);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (output->count == 0) return NULL;
  sli_elements_fill(output->dtype, output->data, off->data, output->count);
  int64_t suffix = sli_shape_product(indices->dims, (int)axis, indices->rank);
  for (int64_t i = 0; i < indices->count; i++) {
    int64_t index = sli_tensor_int_at(indices, i);
    if (index < 0 || index >= depth) continue;
    int64_t at = (i / suffix * depth + index) * suffix + i % suffix;
    sli_elements_copy(output->dtype, sli_tensor_at(output, at), on->data, 1);
  }
  return NULL;
}

static sli_status_t *one_hot_shape(sli_infer_context_t *c) {
  int64_t axis;
  sli_shape_t in = sli_infer_input(c, 0), unused;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "axis", &axis));
  if (axis < -1) return sli_status_make(SLI_INVALID_ARGUMENT, "axis must be >= -1");
  for (int i = 1; i < 4; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
  const sli_tensor_t *value = sli_infer_input_constant(c, 1);
  int64_t depth = value ? sli_tensor_int_at(value, 0) : -1;
  if (value && depth < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Dimension size, given by scalar input 1, must be non-negative but is %lld",
                           (long long)depth);
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  if (axis > in.rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis must be in [0, %d], but is %lld", in.rank, (long long)axis);
  if (axis == -1) axis = in.rank;
  sli_shape_t out = sli_infer_concatenate(c, sli_infer_subshape(c, in, 0, (int)axis), sli_infer_make(c, 1, &depth));
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, out, sli_infer_subshape(c, in, (int)axis, in.rank)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Where",
     .inputs = "input: T",
     .outputs = "index: int64",
     .attrs = "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
              "qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = DT_BOOL",
     .summary = "Coordinates of the elements that are not zero.",
     .shape = where_shape},
    {.name = "OneHot",
     .inputs = "indices: TI, depth: int32, on_value: T, off_value: T",
     .outputs = "output: T",
     .attrs = "axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = DT_INT64",
     .summary = "Indices as one-hot vectors.",
     .shape = one_hot_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Where", .types = SLI_TYPES_POD, .compute = where_compute},
    {.op = "OneHot", .types = SLI_TYPES_COMMON, .host_memory = "depth", .compute = one_hot_compute},
};

SLI_OP_MODULE(where);
