// UnbatchDataset: the rows of batches. RebatchDataset: batches divided among replicas, or batches of other sizes.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/batch.h"

typedef struct {
  sli_dataset_t base;
  int64_t *sizes;  // of the batches, in turn; NULL: divides each batch into |replicas|
  int64_t size_count, replicas;
  bool drop_remainder;
} rebatch_t;

typedef struct {
  sli_iterator_t base;
  sli_tensor_t **batch;  // of the input; NULL: none
  int64_t row;           // the next of |batch|
  int64_t turn;          // of the sizes, or of the replicas
} rebatcher_t;

static void rebatch_destroy(sli_dataset_t *dataset) { free(((rebatch_t *)dataset)->sizes); }
static int64_t unknown_cardinality(const sli_dataset_t *dataset) {
  return sli_dataset_cardinality(dataset->inputs[0]) == SLI_DATASET_INFINITE ? SLI_DATASET_INFINITE
                                                                             : SLI_DATASET_UNKNOWN;
}

static void drop_batch(rebatcher_t *state) {
  if (state->batch) sli_dataset_release_element(state->batch, state->base.dataset->component_count);
  free(state->batch);
  state->batch = NULL;
}

static void rebatch_stop(sli_iterator_t *iterator) { drop_batch((rebatcher_t *)iterator); }

static sli_status_t *check_batch(sli_tensor_t *const *batch, int count, bool same_size) {
  for (int i = 0; i < count; i++) {
    if (batch[i]->rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Cannot rebatch dataset: All components must have at least one dimension. Perhaps your "
                             "input dataset is not batched? Component %d is scalar.",
                             i);
    if (same_size && batch[i]->dims[0] != batch[0]->dims[0])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Input element must have the same batch size in each component. Component 0 had size %lld "
                             "but component %d had size, %lld.",
                             (long long)batch[0]->dims[0], i, (long long)batch[i]->dims[0]);
  }
  return NULL;
}

// Fetches the next batch of the input if there is none. |base.input| is NULL after the end.
static sli_status_t *fetch(rebatcher_t *state, const sli_iterator_call_t *call, bool same_size) {
  sli_iterator_t *iterator = &state->base;
  int count = iterator->dataset->component_count;
  if (state->batch || !iterator->input) return NULL;
  sli_tensor_t *batch[SLI_DATASET_MAX_COMPONENTS];
  bool is_end;
  SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, batch, &is_end));
  if (is_end) {
    sli_iterator_release(iterator->input);
    iterator->input = NULL;
    return NULL;
  }
  sli_status_t *status = check_batch(batch, count, same_size);
  if (status) {
    sli_dataset_release_element(batch, count);
    return status;
  }
  state->batch = sli_memdup(batch, sizeof(batch[0]) * (size_t)count);
  state->row = 0;
  return NULL;
}

// Rows [first, last) of a batch.
static sli_tensor_t *rows_of(sli_tensor_t *batch, int64_t first, int64_t last) {
  int64_t dims[SLI_MAX_RANK], row = batch->dims[0] ? batch->count / batch->dims[0] : 0;
  memcpy(dims, batch->dims, sizeof(dims[0]) * batch->rank);
  dims[0] = last - first;
  return sli_tensor_view(batch, (sli_dtype_t)batch->dtype, first * row, dims, batch->rank);
}

// --- Unbatch -------------------------------------------------------------------------------------------------------

static sli_status_t *unbatch_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                  bool *out_end) {
  rebatcher_t *state = (rebatcher_t *)iterator;
  for (;;) {
    SLI_RETURN_IF_ERROR(fetch(state, call, true));
    *out_end = !state->batch;
    if (*out_end) return NULL;
    if (state->row < state->batch[0]->dims[0]) break;
    drop_batch(state);
  }
  for (int i = 0; i < iterator->dataset->component_count; i++) {
    sli_tensor_t *batch = state->batch[i];
    out_element[i] = sli_tensor_view(batch, (sli_dtype_t)batch->dtype, state->row * (batch->count / batch->dims[0]),
                                     batch->dims + 1, batch->rank - 1);
  }
  state->row++;
  return NULL;
}

// --- Rebatch -------------------------------------------------------------------------------------------------------

static sli_status_t *divide_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  const rebatch_t *self = (const rebatch_t *)iterator->dataset;
  rebatcher_t *state = (rebatcher_t *)iterator;
  if (state->turn == 0) drop_batch(state);
  SLI_RETURN_IF_ERROR(fetch(state, call, false));
  *out_end = !state->batch;
  if (*out_end) return NULL;
  for (int i = 0; i < self->base.component_count; i++) {
    int64_t size = state->batch[i]->dims[0], part = size / self->replicas + (size % self->replicas != 0);
    int64_t first = part * state->turn < size ? part * state->turn : size;
    out_element[i] = rows_of(state->batch[i], first, first + part < size ? first + part : size);
  }
  state->turn = (state->turn + 1) % self->replicas;
  return NULL;
}

// Collects |size| rows of one or more batches of the input; fewer at the end.
static sli_status_t *collect(rebatcher_t *state, const sli_iterator_call_t *call, int64_t size,
                             sli_dataset_batch_t *rows) {
  int count = state->base.dataset->component_count;
  while (rows->rows < size) {
    SLI_RETURN_IF_ERROR(fetch(state, call, true));
    if (!state->batch) return NULL;
    if (state->row >= state->batch[0]->dims[0]) {
      drop_batch(state);
      continue;
    }
    sli_tensor_t *row[SLI_DATASET_MAX_COMPONENTS];
    for (int i = 0; i < count; i++) {
      sli_tensor_t *batch = state->batch[i];
      row[i] = sli_tensor_view(batch, (sli_dtype_t)batch->dtype, state->row * (batch->count / batch->dims[0]),
                               batch->dims + 1, batch->rank - 1);
    }
    state->row++;
    SLI_RETURN_IF_ERROR(sli_dataset_batch_add(rows, row));
  }
  return NULL;
}

// A batch of the input that has just the size is given as it is, a part of one as a view.
static bool take_part(rebatcher_t *state, int64_t size, sli_tensor_t **out_element) {
  if (!state->batch || state->batch[0]->dims[0] - state->row < size) return false;
  for (int i = 0; i < state->base.dataset->component_count; i++)
    out_element[i] = rows_of(state->batch[i], state->row, state->row + size);
  state->row += size;
  return true;
}

static sli_status_t *resize_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  const rebatch_t *self = (const rebatch_t *)iterator->dataset;
  rebatcher_t *state = (rebatcher_t *)iterator;
  int64_t size = self->sizes[state->turn];
  do {
    if (state->batch && state->row >= state->batch[0]->dims[0] && size) drop_batch(state);
    SLI_RETURN_IF_ERROR(fetch(state, call, true));
  } while (state->batch && state->row >= state->batch[0]->dims[0] && size);
  *out_end = !state->batch;
  if (*out_end) return NULL;
  state->turn = (state->turn + 1) % self->size_count;
  if (take_part(state, size, out_element)) return NULL;
  sli_dataset_batch_t rows;
  sli_dataset_batch_initialize(&rows, iterator->root->device->allocator, self->base.component_count, size);
  sli_status_t *status = collect(state, call, size, &rows);
  *out_end = !status && (!rows.rows || (rows.rows < size && self->drop_remainder));
  if (!status && !*out_end) status = sli_dataset_batch_take(&rows, out_element);
  sli_dataset_batch_deinitialize(&rows);
  return status;
}

// --- State -----------------------------------------------------------------------------------------------------------

static sli_status_t *rebatch_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  rebatcher_t *state = (rebatcher_t *)iterator;
  sli_iterator_write_int(writer, state->row);
  sli_iterator_write_int(writer, state->turn);
  sli_iterator_write_int(writer, state->batch != NULL);
  return state->batch ? sli_iterator_write_element(writer, state->batch, iterator->dataset->component_count) : NULL;
}

static sli_status_t *rebatch_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  const rebatch_t *self = (const rebatch_t *)iterator->dataset;
  rebatcher_t *state = (rebatcher_t *)iterator;
  const sli_dataset_t *input = self->base.inputs[0];
  int64_t turns = self->sizes ? self->size_count : self->replicas, has_batch;
  sli_tensor_t *batch[SLI_DATASET_MAX_COMPONENTS];
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &state->row));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, turns ? turns - 1 : 0, &state->turn));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_batch));
  if (!has_batch) return NULL;
  SLI_RETURN_IF_ERROR(sli_iterator_read_element(reader, input, batch));
  sli_status_t *status = check_batch(batch, input->component_count, !self->replicas);
  if (status)
    sli_dataset_release_element(batch, input->component_count);
  else
    state->batch = sli_memdup(batch, sizeof(batch[0]) * (size_t)input->component_count);
  return status;
}

#define REBATCH_KIND(kind_name, next_function)                                                                   \
  {                                                                                                              \
    .name = kind_name, .iterator_size = sizeof(rebatcher_t), .opens_input = true, .is_light = true,              \
    .destroy = rebatch_destroy, .cardinality = unknown_cardinality, .next = next_function, .stop = rebatch_stop, \
    .save = rebatch_save, .restore = rebatch_restore                                                             \
  }
static const sli_dataset_kind_t unbatch_kind = REBATCH_KIND("UnbatchDataset", unbatch_next);
static const sli_dataset_kind_t divide_kind = REBATCH_KIND("RebatchDataset", divide_next);
static const sli_dataset_kind_t resize_kind = REBATCH_KIND("RebatchDatasetV2", resize_next);

// --- Kernels ---------------------------------------------------------------------------------------------------------

static sli_status_t *make(sli_kernel_context_t *context, const sli_dataset_kind_t *kind, rebatch_t **out_dataset) {
  sli_dataset_t *input, *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, kind, sizeof(rebatch_t), &input, 1, &dataset));
  *out_dataset = (rebatch_t *)dataset;
  return NULL;
}

static sli_status_t *unbatch_dataset(sli_kernel_context_t *context) {
  rebatch_t *self;
  SLI_RETURN_IF_ERROR(make(context, &unbatch_kind, &self));
  sli_dataset_set_output(context, &self->base);
  return NULL;
}

static sli_status_t *divide_dataset(sli_kernel_context_t *context) {
  int64_t replicas;
  rebatch_t *self;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "num_replicas", &replicas));
  if (replicas <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "num_replicas must be greater than zero.");
  SLI_RETURN_IF_ERROR(make(context, &divide_kind, &self));
  self->replicas = replicas;
  sli_dataset_set_output(context, &self->base);
  return NULL;
}

static sli_status_t *resize_dataset(sli_kernel_context_t *context) {
  const sli_tensor_t *sizes = sli_kernel_input(context, 1);
  bool drop_remainder;
  rebatch_t *self;
  if (sizes->rank > 1 || !sizes->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "`batch_sizes` must be a scalar or a vector.");
  int64_t sum = 0;
  for (int64_t i = 0; i < sizes->count; i++) {
    int64_t size = SLI_DATA(const int64_t, sizes)[i];
    if (size < 0 || __builtin_add_overflow(sum, size, &sum))
      return sli_status_make(SLI_INVALID_ARGUMENT, "`batch_sizes` must be >= 0, got %lld", (long long)size);
  }
  if (!sum) return sli_status_make(SLI_INVALID_ARGUMENT, "`batch_sizes` must not all be 0");
  SLI_RETURN_IF_ERROR(sli_dataset_input_bool(context, 2, "drop_remainder", &drop_remainder));
  SLI_RETURN_IF_ERROR(make(context, &resize_kind, &self));
  self->sizes = sli_memdup(sizes->data, sli_tensor_bytes(sizes));
  self->size_count = sizes->count;
  self->base.is_light &= sum <= SLI_DATASET_MAX_LIGHT;
  self->drop_remainder = drop_remainder;
  sli_dataset_set_output(context, &self->base);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "UnbatchDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "The rows of batches.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalUnbatchDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The rows of batches.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "RebatchDataset",
        .inputs = "input_dataset: variant, num_replicas: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; use_fallback: bool = true",
        .summary = "Divides batches among replicas.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalRebatchDataset",
        .inputs = "input_dataset: variant, num_replicas: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; use_fallback: bool = true",
        .summary = "Divides batches among replicas.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "RebatchDatasetV2",
        .inputs = "input_dataset: variant, batch_sizes: int64, drop_remainder: bool",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "Batches of other sizes.",
        .shape = sli_dataset_infer,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "UnbatchDataset", .compute = unbatch_dataset},
    {.op = "ExperimentalUnbatchDataset", .compute = unbatch_dataset},
    {.op = "RebatchDataset", .compute = divide_dataset},
    {.op = "ExperimentalRebatchDataset", .compute = divide_dataset},
    {.op = "RebatchDatasetV2", .compute = resize_dataset},
};

SLI_OP_MODULE(data_rebatch);
