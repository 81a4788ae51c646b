// WindowDataset: windows of elements as datasets; SlidingWindowDataset: as batches.
#include "base/array.h"
#include "ops/data/batch.h"
#include "ops/data/elements.h"

typedef struct {
  sli_dataset_t base;
  int64_t size, shift, stride;
  bool drop_remainder, gives_batches;
} windows_t;

typedef struct {
  sli_iterator_t base;
  sli_dataset_elements_t buffer;
  SLI_ARRAY(sli_status_t *) errors;  // one for each element of the buffer; NULL, or why the element is missing
} windower_t;

static int64_t window_cardinality(const sli_dataset_t *dataset) {
  const windows_t *self = (const windows_t *)dataset;
  int64_t n = sli_dataset_cardinality(dataset->inputs[0]), span;
  if (n < 0) return n;
  if (!self->drop_remainder) return n / self->shift + (n % self->shift != 0);
  if (__builtin_mul_overflow(self->size - 1, self->stride, &span)) return 0;
  return n <= span ? 0 : (n - span - 1) / self->shift + 1;
}

static sli_status_t *window_start(sli_iterator_t *iterator) {
  ((windower_t *)iterator)->buffer.component_count = iterator->dataset->inputs[0]->component_count;
  return NULL;
}

static void window_stop(sli_iterator_t *iterator) {
  windower_t *state = (windower_t *)iterator;
  sli_dataset_elements_deinitialize(&state->buffer);
  for (size_t i = 0; i < state->errors.count; i++) sli_status_release(state->errors.items[i]);
  sli_array_deinitialize(&state->errors);
}

static void drop(windower_t *state, int64_t count) {
  sli_dataset_elements_drop(&state->buffer, count);
  for (int64_t i = 0; i < count; i++) sli_status_release(state->errors.items[i]);
  state->errors.count -= (size_t)count;
  if (state->errors.count)
    memmove(state->errors.items, state->errors.items + count, sizeof(state->errors.items[0]) * state->errors.count);
}

// Reads the next element of the input into the buffer. One that failed is kept as an error, which counts only if it is
// part of a window; the end of the step is an error at once.
static sli_status_t *fetch(windower_t *state, const sli_iterator_call_t *call, bool is_kept) {
  sli_iterator_t *iterator = &state->base;
  sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
  bool is_end = false;
  sli_status_t *status = sli_iterator_next(iterator->input, call, element, &is_end);
  if (sli_status_code(status) == SLI_CANCELLED) return status;
  if (status) memset(element, 0, sizeof(element));
  if (is_end) {
    sli_iterator_release(iterator->input);
    iterator->input = NULL;
  } else if (is_kept) {
    sli_dataset_elements_push(&state->buffer, element);
    sli_array_push(&state->errors, status);
    return NULL;
  } else if (!status) {
    sli_dataset_release_element(element, state->buffer.component_count);
  }
  sli_status_release(status);
  return NULL;
}

// The first error among the elements of the window; counted.
static sli_status_t *window_error(const windower_t *state, int64_t count) {
  const windows_t *self = (const windows_t *)state->base.dataset;
  for (int64_t i = 0; i < count; i++)
    if (state->errors.items[i * self->stride]) return sli_status_retain(state->errors.items[i * self->stride]);
  return NULL;
}

// Each component of the window is a dataset.
static void give_datasets(const windower_t *state, int64_t count, sli_tensor_t **out_element) {
  const windows_t *self = (const windows_t *)state->base.dataset;
  const sli_dataset_t *input = self->base.inputs[0];
  for (int c = 0; c < input->component_count; c++) {
    sli_dataset_elements_t part = {.component_count = 1};
    for (int64_t i = 0; i < count; i++) {
      sli_tensor_t *tensor = sli_tensor_retain(sli_dataset_elements_at(&state->buffer, i * self->stride)[c]);
      sli_dataset_elements_push(&part, &tensor);
    }
    out_element[c] = sli_dataset_to_tensor(sli_dataset_create_elements(&part, &input->types[c], &input->shapes[c]));
  }
}

static sli_status_t *give_batch(const windower_t *state, int64_t count, sli_tensor_t **out_element) {
  const windows_t *self = (const windows_t *)state->base.dataset;
  sli_dataset_batch_t batch;
  sli_status_t *status = NULL;
  sli_dataset_batch_initialize(&batch, state->base.root->device->allocator, state->buffer.component_count, count);
  for (int64_t i = 0; i < count && !status; i++) {
    sli_tensor_t *row[SLI_DATASET_MAX_COMPONENTS], **from = sli_dataset_elements_at(&state->buffer, i * self->stride);
    for (int c = 0; c < batch.component_count; c++) row[c] = sli_tensor_retain(from[c]);
    status = sli_dataset_batch_add(&batch, row);
  }
  if (!status) status = sli_dataset_batch_take(&batch, out_element);
  sli_dataset_batch_deinitialize(&batch);
  return status;
}

static sli_status_t *window_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  const windows_t *self = (const windows_t *)iterator->dataset;
  windower_t *state = (windower_t *)iterator;
  int64_t span = (self->size - 1) * self->stride + 1;
  while (iterator->input && state->buffer.count < span) SLI_RETURN_IF_ERROR(fetch(state, call, true));
  *out_end = !state->buffer.count || (self->drop_remainder && state->buffer.count < span);
  if (*out_end) return NULL;
  int64_t count = 1 + (state->buffer.count - 1) / self->stride;
  if (count > self->size) count = self->size;
  sli_status_t *status = window_error(state, count);
  if (!status && self->gives_batches)
    status = give_batch(state, count, out_element);
  else if (!status)
    give_datasets(state, count, out_element);
  int64_t have = state->buffer.count;
  drop(state, self->shift < have ? self->shift : have);
  bool is_given = !status;
  for (int64_t i = have; iterator->input && i < self->shift && sli_status_code(status) != SLI_CANCELLED; i++) {
    sli_status_t *cancelled = fetch(state, call, false);
    if (cancelled) {
      sli_status_release(status);
      status = cancelled;
    }
  }
  if (status && is_given) sli_dataset_release_element(out_element, self->base.component_count);
  return status;
}

static sli_status_t *window_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  const windower_t *state = (const windower_t *)iterator;
  sli_iterator_write_int(writer, state->buffer.count);
  for (int64_t i = 0; i < state->buffer.count; i++) {
    sli_iterator_write_status(writer, state->errors.items[i]);
    if (!state->errors.items[i])
      SLI_RETURN_IF_ERROR(sli_iterator_write_element(writer, sli_dataset_elements_at(&state->buffer, i),
                                                     state->buffer.component_count));
  }
  return NULL;
}

static sli_status_t *window_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  windower_t *state = (windower_t *)iterator;
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &count));
  for (int64_t i = 0; i < count; i++) {
    sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS] = {0};
    sli_status_t *error;
    SLI_RETURN_IF_ERROR(sli_iterator_read_status(reader, &error));
    if (!error) SLI_RETURN_IF_ERROR(sli_iterator_read_element(reader, iterator->dataset->inputs[0], element));
    sli_dataset_elements_push(&state->buffer, element);
    sli_array_push(&state->errors, error);
  }
  return NULL;
}

static const sli_dataset_kind_t window_kind = {.name = "WindowDataset",
                                               .iterator_size = sizeof(windower_t),
                                               .opens_input = true,
                                               .is_light = true,
                                               .cardinality = window_cardinality,
                                               .start = window_start,
                                               .next = window_next,
                                               .stop = window_stop,
                                               .save = window_save,
                                               .restore = window_restore};

static sli_status_t *make(sli_kernel_context_t *context, const char *const names[3], bool gives_batches,
                          bool drop_remainder) {
  sli_dataset_t *input, *dataset;
  int64_t values[3], span;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  for (int i = 0; i < 3; i++) {
    SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, i + 1, names[i], &values[i]));
    if (values[i] <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Window %s must be greater than zero.", names[i]);
  }
  if (__builtin_mul_overflow(values[0], values[2], &span))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Window size and stride are too large: %lld and %lld",
                           (long long)values[0], (long long)values[2]);
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &window_kind, sizeof(windows_t), &input, 1, &dataset));
  if (dataset->component_count != input->component_count) {
    int count = dataset->component_count;
    sli_dataset_release(dataset);
    return sli_status_make(SLI_INVALID_ARGUMENT, "Number of components does not match: expected %d types but got %d.",
                           count, input->component_count);
  }
  windows_t *self = (windows_t *)dataset;
  self->size = values[0];
  dataset->is_light &= span <= SLI_DATASET_MAX_LIGHT && values[1] <= SLI_DATASET_MAX_LIGHT;
  self->shift = values[1];
  self->stride = values[2];
  self->gives_batches = gives_batches;
  self->drop_remainder = drop_remainder;
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static sli_status_t *window_dataset(sli_kernel_context_t *context) {
  bool drop_remainder;
  SLI_RETURN_IF_ERROR(sli_dataset_input_bool(context, 4, "drop_remainder", &drop_remainder));
  return make(context, (const char *const[]){"size", "shift", "stride"}, false, drop_remainder);
}

static sli_status_t *sliding_dataset(sli_kernel_context_t *context) {
  bool drop_remainder;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "drop_remainder", &drop_remainder));
  return make(context, (const char *const[]){"window_size", "window_shift", "window_stride"}, true, drop_remainder);
}

static const sli_op_def_t ops[] = {
    {
        .name = "WindowDataset",
        .inputs = "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Windows of consecutive elements, each component a dataset.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "SlidingWindowDataset",
        .inputs = "input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64",
        .outputs = "handle: variant",
        .attrs = "drop_remainder: bool = true; " SLI_DATASET_ELEMENTS,
        .summary = "Batches of elements of a sliding window.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalSlidingWindowDataset",
        .inputs = "input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "Batches of elements of a sliding window.",
        .shape = sli_dataset_infer,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "WindowDataset", .compute = window_dataset},
    {.op = "SlidingWindowDataset", .compute = sliding_dataset},
    {.op = "ExperimentalSlidingWindowDataset", .compute = sliding_dataset},
};

SLI_OP_MODULE(data_window);
