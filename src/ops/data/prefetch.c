// PrefetchDataset: a buffer that is filled in the background.
#include "ops/data/buffer.h"

typedef struct {
  sli_dataset_t base;
  int64_t buffer_size;
} prefetch_t;

typedef struct {
  sli_iterator_t base;
  sli_iterator_buffer_t *buffer;  // NULL: a buffer of 0 elements; then |base.input| is used
} prefetcher_t;

static sli_status_t *prefetch_start(sli_iterator_t *iterator) {
  sli_iterator_t *source;
  int64_t size = ((const prefetch_t *)iterator->dataset)->buffer_size;
  SLI_RETURN_IF_ERROR(sli_iterator_create(iterator->dataset->inputs[0], iterator->root, &source));
  if (size == 0)
    iterator->input = source;
  else
    ((prefetcher_t *)iterator)->buffer = sli_iterator_buffer_create(source, size);
  return NULL;
}

static void prefetch_stop(sli_iterator_t *iterator) { sli_iterator_buffer_release(((prefetcher_t *)iterator)->buffer); }

static sli_status_t *prefetch_next(sli_iterator_t *iterator, const sli_iterator_call_t *call,
                                   sli_tensor_t **out_element, bool *out_end) {
  prefetcher_t *self = (prefetcher_t *)iterator;
  if (!self->buffer) return sli_iterator_next(iterator->input, call, out_element, out_end);
  return sli_iterator_buffer_next(self->buffer, call, out_element, out_end);
}

static bool prefetch_is_ready(sli_iterator_t *iterator) {
  prefetcher_t *self = (prefetcher_t *)iterator;
  return self->buffer ? sli_iterator_buffer_is_ready(self->buffer) : sli_iterator_is_ready(iterator->input);
}

static sli_status_t *prefetch_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  prefetcher_t *self = (prefetcher_t *)iterator;
  return self->buffer ? sli_iterator_buffer_save(self->buffer, writer) : sli_iterator_save(iterator->input, writer);
}

static sli_status_t *prefetch_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  prefetcher_t *self = (prefetcher_t *)iterator;
  return self->buffer ? sli_iterator_buffer_restore(self->buffer, reader)
                      : sli_iterator_restore(iterator->input, reader);
}

static const sli_dataset_kind_t prefetch_kind = {.name = "PrefetchDataset",
                                                 .keeps_batches = true,
                                                 .iterator_size = sizeof(prefetcher_t),
                                                 .start = prefetch_start,
                                                 .next = prefetch_next,
                                                 .is_ready = prefetch_is_ready,
                                                 .stop = prefetch_stop,
                                                 .save = prefetch_save,
                                                 .restore = prefetch_restore};

static sli_status_t *prefetch_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  int64_t size;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "buffer_size", &size));
  if (size < 0 && size != SLI_DATASET_AUTOTUNE)
    return sli_status_make(SLI_INVALID_ARGUMENT, "buffer_size must be >= 0 or set buffer_size to be %d for auto-tuning",
                           SLI_DATASET_AUTOTUNE);
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &prefetch_kind, sizeof(prefetch_t), &input, 1, &dataset));
  ((prefetch_t *)dataset)->buffer_size = size;
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "PrefetchDataset",
        .inputs = "input_dataset: variant, buffer_size: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS
        "; slack_period: int = 0; legacy_autotune: bool = true; buffer_size_min: int = 0; " SLI_DATASET_METADATA,
        .summary = "Fetches elements in the background into a buffer.",
        .shape = sli_dataset_infer,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "PrefetchDataset", .compute = prefetch_dataset},
};

SLI_OP_MODULE(data_prefetch);
