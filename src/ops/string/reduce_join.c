// ReduceJoin: joins strings along one or more dimensions. The first dimension that is named varies fastest.
#include "core/op/shape_inference.h"

typedef struct {
  int axes[SLI_MAX_RANK], axis_count;
  bool is_reduced[SLI_MAX_RANK];
} join_axes_t;

static sli_status_t *read_reduction(const sli_tensor_t *axes, int rank, join_axes_t *out) {
  *out = (join_axes_t){0};
  if (axes->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "reduction_indices must be a scalar or a vector, got shape %s",
                           sli_tensor_shape_text(axes).text);
  for (int64_t i = 0; i < axes->count; i++) {
    int32_t axis = SLI_DATA(int32_t, axes)[i];
    if (axis < -rank || axis >= rank)
      return sli_status_make(SLI_OUT_OF_RANGE, "Invalid reduction dimension %d for input with %d dimension(s)", axis,
                             rank);
    if (axis < 0) axis += rank;
    if (out->is_reduced[axis]) return sli_status_make(SLI_INVALID_ARGUMENT, "Duplicate reduction dimension %d", axis);
    out->is_reduced[axis] = true;
    out->axes[out->axis_count++] = axis;
  }
  return NULL;
}

// Advances |index| to the next position within the dims |axes|, the first of which varies fastest. Returns false, with
// these dims at 0, after the last position.
static bool advance(int64_t *index, const int *axes, int count, const int64_t *dims) {
  for (int i = 0; i < count; i++) {
    if (++index[axes[i]] < dims[axes[i]]) return true;
    index[axes[i]] = 0;
  }
  return false;
}

static int64_t offset_of(const int64_t *index, const int64_t *strides, int rank) {
  int64_t offset = 0;
  for (int d = 0; d < rank; d++) offset += index[d] * strides[d];
  return offset;
}

static sli_status_t *reduce_join_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  bool keep_dims;
  sli_view_t separator;
  join_axes_t reduction;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "keep_dims", &keep_dims));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "separator", &separator));
  SLI_RETURN_IF_ERROR(read_reduction(sli_kernel_input(context, 1), input->rank, &reduction));
  int64_t dims[SLI_MAX_RANK], strides[SLI_MAX_RANK], index[SLI_MAX_RANK] = {0};
  int kept[SLI_MAX_RANK], kept_count = 0, rank = 0;  // |kept|: the innermost dimension first
  bool is_empty = false;
  for (int d = input->rank - 1; d >= 0; d--) {
    if (!reduction.is_reduced[d]) kept[kept_count++] = d;
  }
  for (int d = 0; d < input->rank; d++) {
    if (!reduction.is_reduced[d]) {
      dims[rank++] = input->dims[d];
    } else {
      if (keep_dims) dims[rank++] = 1;
      is_empty |= input->dims[d] == 0;
    }
  }
  sli_shape_strides(input->rank, input->dims, strides);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  sli_string_t text = {0};
  for (int64_t i = 0; i < output->count && !is_empty; i++) {
    sli_string_clear(&text);
    bool is_first = true;
    do {
      sli_view_t part = sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[offset_of(index, strides, input->rank)]);
      if (!is_first) sli_string_append(&text, separator.data, separator.size);
      sli_string_append(&text, part.data, part.size);
      is_first = false;
    } while (advance(index, reduction.axes, reduction.axis_count, input->dims));
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&text), text.size);
    advance(index, kept, kept_count, input->dims);
  }
  sli_string_deinitialize(&text);
  return NULL;
}

static sli_status_t *reduce_join_shape(sli_infer_context_t *c) {
  sli_shape_t input = sli_infer_input(c, 0);
  const sli_tensor_t *axes = sli_infer_input_constant(c, 1);
  bool keep_dims;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "keep_dims", &keep_dims));
  if (input.rank < 0) return NULL;
  if (!axes) {
    if (keep_dims) sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, input.rank));
    return NULL;
  }
  join_axes_t reduction;
  sli_status_t *status = read_reduction(axes, input.rank, &reduction);
  if (status) return status;
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  for (int d = 0; d < input.rank; d++) {
    if (!reduction.is_reduced[d])
      dims[rank++] = input.dims[d];
    else if (keep_dims)
      dims[rank++] = 1;
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, rank, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "ReduceJoin",
        .inputs = "inputs: string, reduction_indices: int32",
        .outputs = "output: string",
        .attrs = "keep_dims: bool = false; separator: string = ''",
        .summary = "Joins strings along dimensions.",
        .shape = reduce_join_shape,
        .not_differentiable = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ReduceJoin", .host_memory = "reduction_indices", .compute = reduce_join_compute},
};
SLI_OP_MODULE(reduce_join);
