// UnsortedSegmentJoin: joins the strings of each segment.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"

static sli_status_t *check_join(const sli_tensor_t *inputs, const sli_tensor_t *ids) {
  bool fits = ids->rank > 0 && ids->rank <= inputs->rank;
  for (int d = 0; fits && d < ids->rank; d++) fits = ids->dims[d] == inputs->dims[d];
  if (fits) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "segment_ids.shape must be a prefix of inputs.shape: %s and %s",
                         sli_tensor_shape_text(ids).text, sli_tensor_shape_text(inputs).text);
}

static sli_status_t *join_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *inputs = sli_kernel_input(context, 0), *ids = sli_kernel_input(context, 1);
  sli_view_t separator;
  int64_t segments, dims[SLI_MAX_RANK];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "separator", &separator));
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 2, "num_segments", &segments));
  if (segments < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Number of segments must be greater than or equal to 0, got %lld",
                           (long long)segments);
  SLI_RETURN_IF_ERROR(check_join(inputs, ids));
  int rank = inputs->rank - ids->rank + 1;
  dims[0] = segments;
  for (int d = 1; d < rank; d++) dims[d] = inputs->dims[ids->rank + d - 1];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  int64_t width = segments ? output->count / segments : 0;
  for (int64_t i = 0; i < ids->count; i++) {
    int64_t id = sli_tensor_int_at(ids, i);
    if (id < 0 || id >= segments)
      return sli_status_make(SLI_INVALID_ARGUMENT, "segment id %lld is not in [0, %lld)", (long long)id,
                             (long long)segments);
  }
  // Joined one segment at a time would read the ids often; so each string collects its parts.
  sli_string_t *texts = sli_calloc((size_t)output->count + 1, sizeof(*texts));
  bool *is_begun = sli_calloc((size_t)output->count + 1, sizeof(*is_begun));
  for (int64_t i = 0; i < ids->count; i++) {
    int64_t id = sli_tensor_int_at(ids, i);
    for (int64_t k = 0; k < width; k++) {
      int64_t to = id * width + k;
      sli_view_t part = sli_tensor_string_at(inputs, i * width + k);
      if (is_begun[to]) sli_string_append(&texts[to], separator.data, separator.size);
      sli_string_append(&texts[to], part.data, part.size);
      is_begun[to] = true;
    }
  }
  for (int64_t i = 0; i < output->count; i++) {
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&texts[i]), texts[i].size);
    sli_string_deinitialize(&texts[i]);
  }
  free(texts);
  free(is_begun);
  return NULL;
}

static sli_status_t *join_shape(sli_infer_context_t *c) {
  sli_shape_t inputs = sli_infer_input(c, 0), ids = sli_infer_input(c, 1), unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &unused));
  if (inputs.rank < 0 || ids.rank < 0) return sli_infer_fn_unknown(c);
  if (ids.rank > inputs.rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at least rank %d but is rank %d", ids.rank,
                           inputs.rank);
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_subshape(c, inputs, 0, ids.rank), ids, &unused));
  const sli_tensor_t *segments = sli_infer_input_constant(c, 2);
  int64_t count = segments ? sli_tensor_int_at(segments, 0) : -1;
  if (segments && count < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Dimension size, given by scalar input 2, must be non-negative but is %lld",
                           (long long)count);
  sli_shape_t rest = sli_infer_subshape(c, inputs, ids.rank, inputs.rank);
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, sli_infer_make(c, 1, &count), rest));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "UnsortedSegmentJoin",
     .inputs = "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments",
     .outputs = "output: string",
     .attrs = "separator: string = ''; Tindices: {int32, int64}; Tnumsegments: {int32, int64} = DT_INT32",
     .summary = "Joins the strings of each segment.",
     .shape = join_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "UnsortedSegmentJoin",
     .where = {{"Tindices", SLI_TYPES_INDEX}, {"Tnumsegments", SLI_TYPES_INDEX}},
     .compute = join_compute},
};
SLI_OP_MODULE(segment_join);
