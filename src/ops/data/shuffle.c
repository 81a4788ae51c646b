// ShuffleDataset, ShuffleAndRepeatDataset and their versions. A buffer of elements is kept full; the next element is a
// random one of the oldest epoch in it.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/seeds.h"

enum { MAX_EPOCHS = 3, MAX_SLICES = MAX_EPOCHS + 2 };

typedef struct {
  sli_dataset_t base;
  int64_t buffer_size;  // SLI_DATASET_UNKNOWN: everything
  int64_t count;        // epochs; -1: forever
  sli_dataset_seeds_t *seeds;
} shuffle_t;

// The part of the buffer with elements of one epoch: positions [start, end), modulo the size of the buffer.
typedef struct {
  int64_t start, end;
} slice_t;

typedef struct {
  sli_iterator_t base;
  sli_dataset_random_t random;
  sli_tensor_t **buffer;  // |allocated| elements
  int64_t allocated;
  int64_t elements;  // that are in the buffer
  int64_t epoch;
  slice_t slices[MAX_SLICES];
  int slice_count;
  bool has_ended;     // there are no more epochs
  bool has_produced;  // this epoch gave an element
} shuffler_t;

static void shuffle_destroy(sli_dataset_t *dataset) { sli_object_release(((shuffle_t *)dataset)->seeds); }

static int64_t shuffle_cardinality(const sli_dataset_t *dataset) {
  int64_t n = sli_dataset_cardinality(dataset->inputs[0]), count = ((const shuffle_t *)dataset)->count, product;
  if (count < 0) return n == 0 ? 0 : SLI_DATASET_INFINITE;
  if (n < 0) return n;
  return __builtin_mul_overflow(n, count, &product) ? SLI_DATASET_INFINITE : product;
}

static sli_status_t *shuffle_start(sli_iterator_t *iterator) {
  shuffler_t *self = (shuffler_t *)iterator;
  int64_t seed, seed2;
  sli_dataset_seeds_next(((shuffle_t *)iterator->dataset)->seeds, &seed, &seed2);
  sli_dataset_random_initialize(&self->random, seed, seed2, 0);
  self->slice_count = 1;
  return NULL;
}

static int64_t buffer_size(const sli_iterator_t *iterator) {
  int64_t size = ((const shuffle_t *)iterator->dataset)->buffer_size;
  return size < 0 ? INT64_MAX : size;
}

static sli_tensor_t **slot(const shuffler_t *self, int64_t position) {
  int64_t index = position % buffer_size(&self->base);
  return self->buffer + index * self->base.dataset->component_count;
}

static void shuffle_stop(sli_iterator_t *iterator) {
  shuffler_t *self = (shuffler_t *)iterator;
  for (int i = 0; i < self->slice_count; i++) {
    for (int64_t k = self->slices[i].start; k < self->slices[i].end; k++)
      sli_dataset_release_element(slot(self, k), iterator->dataset->component_count);
  }
  free(self->buffer);
}

// Positions are used in order, so that the buffer grows up to its size.
static sli_status_t *reserve(shuffler_t *self, int64_t position) {
  int64_t size = buffer_size(&self->base), index = position % size;
  size_t bytes = sizeof(sli_tensor_t *) * (size_t)(self->base.dataset->component_count + 1);
  if (index < self->allocated) return NULL;
  int64_t larger = self->allocated ? self->allocated * 2 : 64;
  if (larger <= index) larger = index + 1;
  if (larger > size) larger = size;
  sli_tensor_t **buffer = (size_t)larger > SIZE_MAX / bytes ? NULL : realloc(self->buffer, (size_t)larger * bytes);
  if (!buffer)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM: a shuffle buffer of %lld elements does not fit into memory",
                           (long long)larger);
  self->buffer = buffer;
  self->allocated = larger;
  return NULL;
}

// Takes elements of the input until the buffer is full, or has elements of more than |MAX_EPOCHS| epochs.
static sli_status_t *fill(shuffler_t *self, const sli_iterator_call_t *call) {
  sli_iterator_t *iterator = &self->base;
  int64_t count = ((const shuffle_t *)iterator->dataset)->count, size = buffer_size(iterator);
  while (!self->has_ended && self->elements < size && (self->slice_count <= MAX_EPOCHS || self->elements == 0)) {
    bool is_end = false;
    slice_t *last = &self->slices[self->slice_count - 1];
    if (!iterator->input)
      SLI_RETURN_IF_ERROR(sli_iterator_create(iterator->dataset->inputs[0], iterator->root, &iterator->input));
    SLI_RETURN_IF_ERROR(reserve(self, last->end));
    SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, slot(self, last->end), &is_end));
    if (!is_end) {
      self->has_produced = true;
      self->elements++;
      last->end++;
      continue;
    }
    sli_iterator_release(iterator->input);
    iterator->input = NULL;
    self->epoch++;
    // Repeated forever, an input without elements ends.
    self->has_ended = (count >= 0 && self->epoch >= count) || (count < 0 && !self->has_produced);
    self->has_produced = false;
    if (self->has_ended) break;
    if (last->start == last->end) continue;
    if (self->slice_count == MAX_SLICES) break;
    self->slices[self->slice_count] = (slice_t){last->end, last->end};
    self->slice_count++;
  }
  return NULL;
}

// The oldest epoch has no more elements in the buffer: the next one has seeds of its own.
static void begin_epoch(shuffler_t *self) {
  int64_t seed, seed2;
  self->slice_count--;
  memmove(self->slices, self->slices + 1, sizeof(slice_t) * (size_t)self->slice_count);
  sli_dataset_seeds_next(((shuffle_t *)self->base.dataset)->seeds, &seed, &seed2);
  sli_dataset_random_initialize(&self->random, seed, seed2, 0);
}

static sli_status_t *shuffle_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                  bool *out_end) {
  shuffler_t *self = (shuffler_t *)iterator;
  int components = iterator->dataset->component_count;
  SLI_RETURN_IF_ERROR(fill(self, call));
  *out_end = self->elements == 0;
  if (*out_end) return NULL;
  while (self->slices[0].start == self->slices[0].end) begin_epoch(self);
  slice_t *first = &self->slices[0];
  int64_t offset = sli_dataset_random_next(&self->random) % (first->end - first->start);
  sli_tensor_t **chosen = slot(self, first->start + offset), **oldest = slot(self, first->start);
  for (int i = 0; i < components; i++) {
    out_element[i] = chosen[i];
    chosen[i] = oldest[i];
    oldest[i] = NULL;
  }
  first->start++;
  self->elements--;
  return NULL;
}

static sli_status_t *shuffle_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  shuffler_t *self = (shuffler_t *)iterator;
  sli_dataset_seeds_save(((shuffle_t *)iterator->dataset)->seeds, writer);
  sli_dataset_random_save(&self->random, writer);
  sli_iterator_write_int(writer, self->epoch);
  sli_iterator_write_int(writer, self->has_ended);
  sli_iterator_write_int(writer, self->has_produced);
  sli_iterator_write_int(writer, self->slice_count);
  for (int i = 0; i < self->slice_count; i++) {
    sli_iterator_write_int(writer, self->slices[i].end - self->slices[i].start);
    for (int64_t k = self->slices[i].start; k < self->slices[i].end; k++)
      SLI_RETURN_IF_ERROR(sli_iterator_write_element(writer, slot(self, k), iterator->dataset->component_count));
  }
  return NULL;
}

// The elements move to the beginning of the buffer.
static sli_status_t *shuffle_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  shuffler_t *self = (shuffler_t *)iterator;
  int64_t has_ended, has_produced, slices;
  SLI_RETURN_IF_ERROR(sli_dataset_seeds_restore(((shuffle_t *)iterator->dataset)->seeds, reader));
  SLI_RETURN_IF_ERROR(sli_dataset_random_restore(&self->random, reader));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &self->epoch));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_ended));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_produced));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 1, MAX_SLICES, &slices));
  self->has_ended = has_ended;
  self->has_produced = has_produced;
  self->slice_count = 0;
  for (int64_t i = 0; i < slices; i++) {
    int64_t size, start = i ? self->slices[i - 1].end : 0;
    self->slices[self->slice_count++] = (slice_t){start, start};
    SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, buffer_size(iterator) - self->elements, &size));
    for (int64_t k = 0; k < size; k++) {
      SLI_RETURN_IF_ERROR(reserve(self, start + k));
      SLI_RETURN_IF_ERROR(sli_iterator_read_element(reader, iterator->dataset, slot(self, start + k)));
      self->slices[i].end++;
      self->elements++;
    }
  }
  return NULL;
}

static const sli_dataset_kind_t shuffle_kind = {.name = "ShuffleDataset",
                                                .keeps_batches = true,
                                                .iterator_size = sizeof(shuffler_t),
                                                .opens_input = true,
                                                .is_light = true,
                                                .destroy = shuffle_destroy,
                                                .cardinality = shuffle_cardinality,
                                                .start = shuffle_start,
                                                .next = shuffle_next,
                                                .stop = shuffle_stop,
                                                .save = shuffle_save,
                                                .restore = shuffle_restore};

// The seed generator in input |index|, with a reference; NULL: the handle refers to none.
static sli_dataset_seeds_t *seeds_input(const sli_kernel_context_t *context, int index) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  sli_resource_handle_t *handle = tensor && tensor->count == 1 ? SLI_DATA(sli_resource_handle_t *, tensor)[0] : NULL;
  if (!handle || handle->base.type != &sli_resource_handle_type || !handle->resource) return NULL;
  return handle->resource->type == &sli_dataset_seeds_type ? sli_object_retain(handle->resource) : NULL;
}

static sli_status_t *make_shuffle(sli_kernel_context_t *context, int64_t count, sli_dataset_seeds_t *seeds) {
  sli_dataset_t *input, *dataset = NULL;
  int64_t size;
  sli_status_t *status = sli_dataset_input(context, 0, &input);
  if (!status) status = sli_dataset_input_int(context, 1, "buffer_size", &size);
  if (!status && size <= 0 && size != SLI_DATASET_UNKNOWN)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  if (!status) status = sli_dataset_create_like(context, &shuffle_kind, sizeof(shuffle_t), &input, 1, &dataset);
  if (status) {
    sli_object_release(seeds);
    return status;
  }
  shuffle_t *self = (shuffle_t *)dataset;
  self->buffer_size = size;
  dataset->is_light &= size > 0 && size <= SLI_DATASET_MAX_LIGHT;
  self->count = count;
  self->seeds = seeds;
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static sli_status_t *make_seeds(sli_kernel_context_t *context, int generator, sli_dataset_seeds_t **out_seeds) {
  int64_t seed, seed2;
  bool reshuffles;
  *out_seeds = generator ? seeds_input(context, generator) : NULL;
  if (*out_seeds) return NULL;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 2, "seed", &seed));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 3, "seed2", &seed2));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "reshuffle_each_iteration", &reshuffles));
  *out_seeds = sli_dataset_seeds_create(seed, seed2, !reshuffles);
  return NULL;
}

static sli_status_t *shuffle_dataset(sli_kernel_context_t *context) {
  sli_dataset_seeds_t *seeds;
  SLI_RETURN_IF_ERROR(make_seeds(context, context->input_count > 4 ? 4 : 0, &seeds));
  return make_shuffle(context, 1, seeds);
}

static sli_status_t *shuffle_dataset_v2(sli_kernel_context_t *context) {
  sli_dataset_seeds_t *seeds = seeds_input(context, 2);
  return make_shuffle(context, 1, seeds ? seeds : sli_dataset_seeds_create(0, 0, false));
}

static sli_status_t *shuffle_and_repeat_dataset(sli_kernel_context_t *context) {
  sli_dataset_seeds_t *seeds;
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 4, "count", &count));
  if (count < -1 || count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "count must be greater than zero or equal to -1.");
  SLI_RETURN_IF_ERROR(make_seeds(context, context->input_count > 5 ? 5 : 0, &seeds));
  return make_shuffle(context, count, seeds);
}

static const sli_op_def_t ops[] = {
    {
        .name = "ShuffleDataset",
        .inputs = "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64",
        .outputs = "handle: variant",
        .attrs = "reshuffle_each_iteration: bool = true; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Shuffles elements in a buffer.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ShuffleDatasetV2",
        .inputs = "input_dataset: variant, buffer_size: int64, seed_generator: resource",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Shuffles elements in a buffer, with seeds of a generator.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "ShuffleDatasetV3",
        .inputs = "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, seed_generator: resource",
        .outputs = "handle: variant",
        .attrs = "reshuffle_each_iteration: bool = true; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Shuffles elements in a buffer, with seeds of a generator.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "ShuffleAndRepeatDataset",
        .inputs = "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; reshuffle_each_iteration: bool = true; " SLI_DATASET_METADATA,
        .summary = "Shuffles and repeats; the buffer stays full between epochs.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ShuffleAndRepeatDatasetV2",
        .inputs = "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64, "
                  "seed_generator: resource",
        .outputs = "handle: variant",
        .attrs = "reshuffle_each_iteration: bool = true; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Shuffles and repeats; the buffer stays full between epochs.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ShuffleDataset", .compute = shuffle_dataset},
    {.op = "ShuffleDatasetV2", .compute = shuffle_dataset_v2},
    {.op = "ShuffleDatasetV3", .compute = shuffle_dataset},
    {.op = "ShuffleAndRepeatDataset", .compute = shuffle_and_repeat_dataset},
    {.op = "ShuffleAndRepeatDatasetV2", .compute = shuffle_and_repeat_dataset},
};

SLI_OP_MODULE(data_shuffle);
