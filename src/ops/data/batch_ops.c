// BatchDataset and its versions.
#include "ops/data/batch.h"

typedef struct {
  sli_dataset_t base;
  int64_t size;
  bool drop_remainder;
} batches_t;

static int64_t batch_cardinality(const sli_dataset_t *dataset) {
  const batches_t *self = (const batches_t *)dataset;
  int64_t n = sli_dataset_cardinality(dataset->inputs[0]);
  if (n < 0) return n;
  return n / self->size + (n % self->size != 0 && !self->drop_remainder ? 1 : 0);
}

// Not more rows than the input can have.
static int64_t batch_limit(const batches_t *self) {
  int64_t n = sli_dataset_cardinality(self->base.inputs[0]);
  return n > 0 && n < self->size ? n : self->size;
}

static sli_status_t *batch_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end) {
  const batches_t *self = (const batches_t *)iterator->dataset;
  if (!iterator->input) {
    *out_end = true;
    return NULL;
  }
  sli_dataset_batch_t batch;
  sli_status_t *status = NULL;
  bool is_end = false;
  sli_dataset_batch_initialize(&batch, iterator->root->device->allocator, self->base.component_count,
                               batch_limit(self));
  while (batch.rows < self->size && !status && !is_end) {
    status = sli_iterator_next(iterator->input, call, out_element, &is_end);
    if (!status && !is_end) status = sli_dataset_batch_add(&batch, out_element);
  }
  if (is_end) {
    sli_iterator_release(iterator->input);
    iterator->input = NULL;
  }
  *out_end = !status && (batch.rows == 0 || (batch.rows < self->size && self->drop_remainder));
  if (!status && !*out_end) status = sli_dataset_batch_take(&batch, out_element);
  sli_dataset_batch_deinitialize(&batch);
  return status;
}

static const sli_dataset_kind_t batch_kind = {.name = "BatchDataset",
                                              .iterator_size = sizeof(sli_iterator_t),
                                              .opens_input = true,
                                              .is_light = true,
                                              .cardinality = batch_cardinality,
                                              .next = batch_next};

sli_dataset_t *sli_dataset_create_batch(sli_dataset_t *input, int64_t size, bool drop_remainder,
                                        const sli_shape_t *shapes) {
  sli_dataset_t *dataset =
      sli_dataset_create_as(&batch_kind, sizeof(batches_t), input->component_count, input->types, shapes, &input, 1);
  ((batches_t *)dataset)->size = size;
  dataset->is_light &= size <= SLI_DATASET_MAX_LIGHT;
  ((batches_t *)dataset)->drop_remainder = drop_remainder;
  return dataset;
}

// The flag is the last input, if there is one.
static sli_status_t *batch_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  int64_t size;
  bool drop_remainder = false;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "batch_size", &size));
  if (size <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Batch size must be greater than zero.");
  if (context->input_count > 2)
    SLI_RETURN_IF_ERROR(sli_dataset_input_bool(context, context->input_count - 1, "drop_remainder", &drop_remainder));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &batch_kind, sizeof(batches_t), &input, 1, &dataset));
  ((batches_t *)dataset)->size = size;
  dataset->is_light &= size <= SLI_DATASET_MAX_LIGHT;
  ((batches_t *)dataset)->drop_remainder = drop_remainder;
  // TensorFlow does not look through a ParallelBatchDataset, the only one with four inputs.
  if (context->input_count < 4) dataset->batch_size = size;
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "ParallelBatchDataset",
        .inputs = "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
        .outputs = "handle: variant",
        .attrs = "parallel_copy: bool = false; " SLI_DATASET_ELEMENTS
                 "; deterministic: string = 'default'; " SLI_DATASET_METADATA,
        .summary = "Batches of consecutive elements.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "BatchDataset",
        .inputs = "input_dataset: variant, batch_size: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Batches of consecutive elements.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "BatchDatasetV2",
        .inputs = "input_dataset: variant, batch_size: int64, drop_remainder: bool",
        .outputs = "handle: variant",
        .attrs = "parallel_copy: bool = false; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Batches of consecutive elements.",
        .shape = sli_dataset_infer,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "BatchDataset", .compute = batch_dataset},
    {.op = "BatchDatasetV2", .compute = batch_dataset},
    {.op = "ParallelBatchDataset", .compute = batch_dataset},
};

SLI_OP_MODULE(data_batch);
