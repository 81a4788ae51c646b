// PaddedBatchDataset: batches whose elements are padded to one shape.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/common/copy_elements.h"
#include "ops/data/elements.h"

typedef struct {
  sli_dataset_t base;
  int64_t size;
  bool drop_remainder;
  sli_shape_t *padded;     // of each component; -1: as large as the largest. In the arena
  sli_tensor_t **padding;  // of each component, scalars; counted
} padded_t;

static void padded_destroy(sli_dataset_t *dataset) {
  padded_t *self = (padded_t *)dataset;
  if (self->padding) sli_dataset_release_element(self->padding, dataset->component_count);
  free(self->padding);
}

static int64_t padded_cardinality(const sli_dataset_t *dataset) {
  const padded_t *self = (const padded_t *)dataset;
  int64_t n = sli_dataset_cardinality(dataset->inputs[0]);
  if (n < 0) return n;
  return n / self->size + (n % self->size != 0 && !self->drop_remainder ? 1 : 0);
}

// The shape of the batch of component |c|, into |dims|.
static sli_status_t *batch_dims(const padded_t *self, const sli_dataset_elements_t *elements, int c, int64_t *dims) {
  sli_shape_t padded = self->padded[c];
  dims[0] = elements->count;
  for (int d = 0; d < padded.rank; d++) dims[d + 1] = padded.dims[d] < 0 ? 0 : padded.dims[d];
  for (int64_t i = 0; i < elements->count; i++) {
    const sli_tensor_t *tensor = sli_dataset_elements_at(elements, i)[c];
    if (tensor->rank != padded.rank)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "All elements in a batch must have the same rank as the padded shape for component%d: "
                             "expected rank %d but got element with rank %d",
                             c, padded.rank, tensor->rank);
    for (int d = 0; d < padded.rank; d++) {
      if (tensor->dims[d] <= dims[d + 1]) continue;
      if (padded.dims[d] >= 0)
        return sli_status_make(SLI_DATA_LOSS, "Attempted to pad to a smaller size than the input element.");
      dims[d + 1] = tensor->dims[d];
    }
  }
  return NULL;
}

// Rows that fill their place are copied at once; only the others need padding.
static void copy_rows(sli_tensor_t *batch, const sli_dataset_elements_t *elements, int c, const sli_tensor_t *padding) {
  sli_dtype_t dtype = (sli_dtype_t)batch->dtype;
  int rank = batch->rank - 1;
  int64_t to_strides[SLI_MAX_RANK + 1], from_strides[SLI_MAX_RANK + 1], row = batch->count / batch->dims[0];
  sli_shape_strides(rank, batch->dims + 1, to_strides);
  for (int64_t i = 0; i < elements->count; i++) {
    const sli_tensor_t *from = sli_dataset_elements_at(elements, i)[c];
    void *to = sli_tensor_at(batch, i * row);
    if (from->count == row) {
      sli_elements_copy(dtype, to, from->data, row);
      continue;
    }
    sli_elements_fill(dtype, to, padding->data, row);
    if (!from->count) continue;
    sli_shape_strides(rank, from->dims, from_strides);
    sli_elements_strided_copy(NULL, dtype, rank, from->dims, to, to_strides, from->data, from_strides);
  }
}

static sli_status_t *make_batch(const padded_t *self, sli_allocator_t *allocator,
                                const sli_dataset_elements_t *elements, sli_tensor_t **out_element) {
  int64_t dims[SLI_MAX_RANK + 1];
  sli_status_t *status = NULL;
  int made = 0;
  for (; made < self->base.component_count && !status; made++) {
    out_element[made] = NULL;
    status = batch_dims(self, elements, made, dims);
    if (!status)
      status =
          sli_tensor_create(allocator, self->base.types[made], dims, self->padded[made].rank + 1, &out_element[made]);
    if (!status && out_element[made]->count) copy_rows(out_element[made], elements, made, self->padding[made]);
  }
  if (status) sli_dataset_release_element(out_element, made);
  return status;
}

static sli_status_t *padded_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  const padded_t *self = (const padded_t *)iterator->dataset;
  sli_dataset_elements_t elements = {.component_count = self->base.component_count};
  sli_status_t *status = NULL;
  while (iterator->input && elements.count < self->size && !status) {
    bool is_end;
    status = sli_iterator_next(iterator->input, call, out_element, &is_end);
    if (!status && !is_end) sli_dataset_elements_push(&elements, out_element);
    if (status || !is_end) continue;
    sli_iterator_release(iterator->input);
    iterator->input = NULL;
  }
  *out_end = !status && (!elements.count || (self->drop_remainder && elements.count < self->size));
  if (!status && !*out_end) status = make_batch(self, iterator->root->device->allocator, &elements, out_element);
  sli_dataset_elements_deinitialize(&elements);
  return status;
}

static const sli_dataset_kind_t padded_kind = {.name = "PaddedBatchDataset",
                                               .iterator_size = sizeof(sli_iterator_t),
                                               .opens_input = true,
                                               .is_light = true,
                                               .destroy = padded_destroy,
                                               .cardinality = padded_cardinality,
                                               .next = padded_next};

static sli_status_t *read_shape(sli_kernel_context_t *context, int index, padded_t *self, int component) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  if (tensor->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "All padded shapes must be vectors");
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(tensor->count + 1));
  for (int64_t i = 0; i < tensor->count; i++)
    if (SLI_DATA(const int64_t, tensor)[i] < -1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= -1",
                             (long long)SLI_DATA(const int64_t, tensor)[i]);
  self->padded[component] =
      sli_shape_copy(&self->base.arena, (sli_shape_t){(int)tensor->count, SLI_DATA(const int64_t, tensor)});
  return NULL;
}

static sli_status_t *read_padding(sli_kernel_context_t *context, int index, padded_t *self, int component) {
  sli_tensor_t *tensor = sli_kernel_input(context, index);
  if (tensor->rank != 0) return sli_status_make(SLI_INVALID_ARGUMENT, "All padding values must be scalars");
  if (tensor->dtype != self->base.types[component])
    return sli_status_make(
        SLI_INVALID_ARGUMENT, "Mismatched type between padding value %d and input dataset's component %d: %s vs. %s",
        component, component, sli_dtype_name((sli_dtype_t)tensor->dtype), sli_dtype_name(self->base.types[component]));
  self->padding[component] = sli_tensor_retain(tensor);
  return NULL;
}

static sli_status_t *read_all(sli_kernel_context_t *context, padded_t *self) {
  int shapes, shape_count, values, value_count, components = self->base.component_count;
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "padded_shapes", &shapes, &shape_count));
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "padding_values", &values, &value_count));
  if (shape_count != components || value_count != components)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of padded shapes (%d) must match the number of components in the input dataset's "
                           "elements (%d)",
                           shape_count, components);
  self->padded = sli_arena_calloc(&self->base.arena, (size_t)components, sizeof(self->padded[0]));
  self->padding = sli_calloc((size_t)components, sizeof(self->padding[0]));
  for (int i = 0; i < components; i++) {
    SLI_RETURN_IF_ERROR(read_shape(context, shapes + i, self, i));
    SLI_RETURN_IF_ERROR(read_padding(context, values + i, self, i));
  }
  return NULL;
}

static sli_status_t *padded_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  int64_t size;
  bool drop_remainder = false;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "batch_size", &size));
  if (size <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Batch size must be greater than zero.");
  if (strcmp(context->node->op->def->name, "PaddedBatchDatasetV2") == 0)
    SLI_RETURN_IF_ERROR(sli_dataset_input_bool(context, context->input_count - 1, "drop_remainder", &drop_remainder));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &padded_kind, sizeof(padded_t), &input, 1, &dataset));
  padded_t *self = (padded_t *)dataset;
  self->size = dataset->batch_size = size;
  dataset->is_light &= size <= SLI_DATASET_MAX_LIGHT;
  self->drop_remainder = drop_remainder;
  sli_status_t *status = read_all(context, self);
  return sli_dataset_finish(context, dataset, status);
}

static const sli_op_def_t ops[] = {
    {
        .name = "PaddedBatchDataset",
        .inputs = "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types",
        .outputs = "handle: variant",
        .attrs = "T" SLI_DATASET_ELEMENTS "; N: int >= 1; " SLI_DATASET_METADATA,
        .summary = "Batches of elements that are padded to one shape.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "PaddedBatchDatasetV2",
        .inputs = "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types, "
                  "drop_remainder: bool",
        .outputs = "handle: variant",
        .attrs = "parallel_copy: bool = false; T" SLI_DATASET_ELEMENTS "; N: int >= 1; " SLI_DATASET_METADATA,
        .summary = "Batches of elements that are padded to one shape.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "PaddedBatchDataset", .compute = padded_dataset},
    {.op = "PaddedBatchDatasetV2", .compute = padded_dataset},
};

SLI_OP_MODULE(data_padded_batch);
