// DynamicPartition distributes slices to outputs by number; DynamicStitch and ParallelDynamicStitch merge slices by
// index.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"
#include "ops/common/index.h"

static bool starts_with(const sli_tensor_t *data, const sli_tensor_t *prefix) {
  if (data->rank < prefix->rank) return false;
  for (int i = 0; i < prefix->rank; i++) {
    if (data->dims[i] != prefix->dims[i]) return false;
  }
  return true;
}

static sli_status_t *count_partitions(const sli_tensor_t *partitions, int64_t *counts, int count) {
  SLI_RETURN_IF_ERROR(sli_index_check("partitions", partitions, count));
  for (int64_t i = 0; i < partitions->count; i++) counts[SLI_DATA(const int32_t, partitions)[i]]++;
  return NULL;
}

static sli_status_t *partition_slices(sli_kernel_context_t *context, int64_t *counts) {
  sli_tensor_t *data = sli_kernel_input(context, 0), *partitions = sli_kernel_input(context, 1);
  int count = context->output_count;
  SLI_RETURN_IF_ERROR(count_partitions(partitions, counts, count));
  int64_t dims[SLI_MAX_RANK + 1];
  int rank = data->rank - partitions->rank + 1;
  for (int i = 1; i < rank; i++) dims[i] = data->dims[partitions->rank + i - 1];
  int64_t slice = sli_shape_product(dims, 1, rank);
  for (int i = 0; i < count; i++) {
    sli_tensor_t *output;
    dims[0] = counts[i];
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, (sli_shape_t){rank, dims}, &output));
    counts[i] = 0;
  }
  if (slice == 0) return NULL;
  for (int64_t i = 0; i < partitions->count; i++) {
    int32_t p = SLI_DATA(const int32_t, partitions)[i];
    sli_elements_copy(data->dtype, sli_tensor_at(context->outputs[p].tensor, counts[p]++ * slice),
                      sli_tensor_at(data, i * slice), slice);
  }
  return NULL;
}

static sli_status_t *dynamic_partition_compute(sli_kernel_context_t *context) {
  sli_tensor_t *data = sli_kernel_input(context, 0), *partitions = sli_kernel_input(context, 1);
  if (!starts_with(data, partitions)) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "data.shape must start with partitions.shape, got data.shape = %s, partitions.shape = %s",
                           sli_tensor_shape_text(data).text, sli_tensor_shape_text(partitions).text);
  }
  int64_t *counts = sli_calloc((size_t)context->output_count, sizeof(int64_t));
  sli_status_t *status = partition_slices(context, counts);
  free(counts);
  return status;
}

static sli_status_t *dynamic_partition_shape(sli_infer_context_t *c) {
  sli_shape_t data = sli_infer_input(c, 0), partitions = sli_infer_input(c, 1), unused;
  if (partitions.rank < 0 || data.rank < 0) return sli_infer_fn_unknown(c);
  if (data.rank < partitions.rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at least rank %d but is rank %d", partitions.rank,
                           data.rank);
  }
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_subshape(c, data, 0, partitions.rank), partitions, &unused));
  sli_shape_t out = sli_infer_concatenate(c, sli_infer_make(c, 1, (int64_t[]){-1}),
                                          sli_infer_subshape(c, data, partitions.rank, data.rank));
  for (int i = 0; i < c->node->output_count; i++) sli_infer_set_output(c, i, out);
  return NULL;
}

// Partitions the positions too: they tell where each row of the gradient belongs.
static sli_status_t *dynamic_partition_gradient(sli_gradient_builder_t *b) {
  sli_output_t partitions = sli_gradient_input(b, 1);
  int count = b->node->output_count;
  sli_output_t prefix = SLI_EMIT(b, "Shape", SLI_INPUTS(partitions));
  sli_output_t size = SLI_EMIT(b, "Prod", SLI_INPUTS(prefix, sli_gradient_const_ints(b, (int32_t[]){0}, 1)));
  sli_output_t range =
      SLI_EMIT(b, "Range", SLI_INPUTS(sli_gradient_const_int32(b, 0), size, sli_gradient_const_int32(b, 1)));
  sli_output_t positions =
      SLI_EMIT_WITH(b, "DynamicPartition", SLI_INPUTS(SLI_EMIT(b, "Reshape", SLI_INPUTS(range, prefix)), partitions),
                    SLI_ATTRS(SLI_ATTR_INT_OF("num_partitions", count)));
  sli_output_t *arguments = sli_calloc(2 * (size_t)count, sizeof(*arguments));
  for (int i = 0; i < count; i++) {
    arguments[i] = sli_output_at(positions, i);
    arguments[count + i] = sli_gradient_of_output(b, i);
  }
  sli_output_t stitched = sli_gradient_emit(b, "ParallelDynamicStitch", arguments, 2 * (size_t)count,
                                            SLI_ATTRS(SLI_ATTR_INT_OF("N", count)));
  free(arguments);
  sli_output_t shape = SLI_EMIT(b, "Shape", SLI_INPUTS(sli_gradient_input(b, 0)));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Reshape", SLI_INPUTS(stitched, shape)));
  return NULL;
}

// DynamicStitch: merged[indices[m][i]] = data[m][i]; the last one counts.
static sli_status_t *stitch_check(sli_kernel_context_t *context, int count, int64_t *out_rows) {
  *out_rows = 0;
  sli_tensor_t *first = sli_kernel_input(context, count);
  for (int i = 0; i < count; i++) {
    sli_tensor_t *indices = sli_kernel_input(context, i), *data = sli_kernel_input(context, count + i);
    if (!starts_with(data, indices)) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "data[%d].shape = %s does not start with indices[%d].shape = %s", i,
                             sli_tensor_shape_text(data).text, i, sli_tensor_shape_text(indices).text);
    }
    int offset = sli_kernel_input(context, 0)->rank, extra = data->rank - indices->rank;
    bool same = extra == first->rank - offset;
    for (int j = 0; same && j < extra; j++) same = data->dims[indices->rank + j] == first->dims[offset + j];
    if (!same) {
      return sli_status_make(
          SLI_INVALID_ARGUMENT,
          "Need data[0].shape[%d:] = data[%d].shape[%d:], got data[0].shape = %s, data[%d].shape = %s, "
          "indices[0].shape = %s, indices[%d].shape = %s",
          offset, i, indices->rank, sli_tensor_shape_text(first).text, i, sli_tensor_shape_text(data).text,
          sli_tensor_shape_text(sli_kernel_input(context, 0)).text, i, sli_tensor_shape_text(indices).text);
    }
    for (int64_t j = 0; j < indices->count; j++) {
      int32_t index = SLI_DATA(const int32_t, indices)[j];
      if (index < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "indices[%d] is out of range", index);
      if (index >= *out_rows) *out_rows = (int64_t)index + 1;
    }
  }
  return NULL;
}

static sli_status_t *dynamic_stitch_compute(sli_kernel_context_t *context) {
  int count = context->input_count / 2;
  sli_tensor_t *first = sli_kernel_input(context, count), *output;
  int64_t dims[SLI_MAX_RANK + 1];
  SLI_RETURN_IF_ERROR(stitch_check(context, count, &dims[0]));
  int offset = sli_kernel_input(context, 0)->rank, rank = first->rank - offset + 1;
  for (int i = 1; i < rank; i++) dims[i] = first->dims[offset + i - 1];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (output->count == 0) return NULL;
  int64_t slice = sli_shape_product(dims, 1, rank);
  // Rows without an index must not contain old data.
  if (sli_dtype_is_plain(output->dtype)) sli_elements_clear(output->dtype, output->data, output->count);
  for (int i = 0; i < count; i++) {
    sli_tensor_t *indices = sli_kernel_input(context, i), *data = sli_kernel_input(context, count + i);
    for (int64_t j = 0; j < indices->count; j++) {
      sli_elements_copy(data->dtype, sli_tensor_at(output, SLI_DATA(const int32_t, indices)[j] * slice),
                        sli_tensor_at(data, j * slice), slice);
    }
  }
  return NULL;
}

static sli_status_t *dynamic_stitch_shape(sli_infer_context_t *c) {
  int count = c->node->input_count / 2;
  bool all_constant = true;
  int64_t rows = 0;
  sli_shape_t extra = SLI_SHAPE_UNKNOWN;
  for (int i = 0; i < count; i++) {
    const sli_tensor_t *value = sli_infer_input_constant(c, i);
    sli_shape_t indices = sli_infer_input(c, i), data = sli_infer_input(c, count + i), unused;
    all_constant &= value != NULL;
    for (int64_t j = 0; value && j < value->count; j++) {
      if (sli_tensor_int_at(value, j) >= rows) rows = sli_tensor_int_at(value, j) + 1;
    }
    if (indices.rank < 0 || data.rank < 0) continue;
    if (data.rank < indices.rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at least rank %d but is rank %d", indices.rank,
                             data.rank);
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_subshape(c, data, 0, indices.rank), indices, &unused));
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, extra, sli_infer_subshape(c, data, indices.rank, data.rank), &extra));
  }
  if (extra.rank < 0) return sli_infer_fn_unknown(c);
  sli_infer_set_output(c, 0,
                       sli_infer_concatenate(c, sli_infer_make(c, 1, (int64_t[]){all_constant ? rows : -1}), extra));
  return NULL;
}

static sli_status_t *dynamic_stitch_gradient(sli_gradient_builder_t *b) {
  int count = b->node->input_count / 2;
  sli_output_t gradient = sli_gradient_of_output(b, 0), axis = sli_gradient_const_int32(b, 0);
  for (int i = 0; i < count; i++) {
    sli_gradient_set(b, count + i, SLI_EMIT(b, "GatherV2", SLI_INPUTS(gradient, sli_gradient_input(b, i), axis)));
  }
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "DynamicPartition",
     .inputs = "data: T, partitions: int32",
     .outputs = "outputs: num_partitions * T",
     .attrs = "num_partitions: int >= 1; T: type",
     .summary = "Distributes slices to several tensors.",
     .shape = dynamic_partition_shape,
     .gradient = dynamic_partition_gradient},
    {.name = "DynamicStitch",
     .inputs = "indices: N * int32, data: N * T",
     .outputs = "merged: T",
     .attrs = "N: int >= 1; T: type",
     .summary = "Merges slices by index.",
     .shape = dynamic_stitch_shape,
     .gradient = dynamic_stitch_gradient},
    {.name = "ParallelDynamicStitch",
     .inputs = "indices: N * int32, data: N * T",
     .outputs = "merged: T",
     .attrs = "N: int >= 1; T: type",
     .summary = "Merges slices by index.",
     .shape = dynamic_stitch_shape,
     .gradient = dynamic_stitch_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "DynamicPartition", .types = SLI_TYPES_COMMON, .compute = dynamic_partition_compute},
    {.op = "DynamicStitch",
     .any_device = true,
     .types = SLI_TYPES_POD | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPE_STRING | SLI_TYPE_VARIANT,
     .host_memory = "indices, data, merged",
     .compute = dynamic_stitch_compute},
    {.op = "ParallelDynamicStitch",
     .types = SLI_TYPES_POD | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPE_STRING | SLI_TYPE_VARIANT,
     .host_memory = "indices",
     .compute = dynamic_stitch_compute},
};

SLI_OP_MODULE(dynamic_partition);
