// Transformations that select and order elements without changing them: repeat, take, skip, shard, concatenate, zip.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/dataset.h"

typedef struct {
  sli_dataset_t base;
  int64_t count, index;  // index: of a shard
  bool require_non_empty;
} counted_t;

typedef struct {
  sli_iterator_t base;
  int64_t done;     // passes or elements
  bool is_started;  // repeat: an element was found; shard: it has one
} counter_t;

static int64_t count_of(const sli_iterator_t *iterator) { return ((const counted_t *)iterator->dataset)->count; }
static int64_t input_cardinality(const sli_dataset_t *dataset) { return sli_dataset_cardinality(dataset->inputs[0]); }

static sli_status_t *counter_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  sli_iterator_write_int(writer, ((counter_t *)iterator)->done);
  sli_iterator_write_int(writer, ((counter_t *)iterator)->is_started);
  return NULL;
}

static sli_status_t *counter_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  int64_t is_started;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &((counter_t *)iterator)->done));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &is_started));
  ((counter_t *)iterator)->is_started = is_started;
  return NULL;
}

static void drop_input(sli_iterator_t *iterator) {
  sli_iterator_release(iterator->input);
  iterator->input = NULL;
}

static sli_status_t *make_counted(sli_kernel_context_t *context, const sli_dataset_kind_t *kind,
                                  counted_t **out_dataset) {
  sli_dataset_t *input, *dataset;
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "count", &count));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, kind, sizeof(counted_t), &input, 1, &dataset));
  *out_dataset = (counted_t *)dataset;
  (*out_dataset)->count = count;
  return NULL;
}

// --- Repeat ------------------------------------------------------------------------------------------------

static int64_t repeat_cardinality(const sli_dataset_t *dataset) {
  int64_t n = input_cardinality(dataset), count = ((const counted_t *)dataset)->count, product;
  if (count < 0) return n == 0 ? 0 : SLI_DATASET_INFINITE;
  if (count == 0) return 0;
  if (n < 0) return n;
  return __builtin_mul_overflow(n, count, &product) ? SLI_DATASET_INFINITE : product;
}

// Repeated forever, a dataset without elements ends.
static sli_status_t *repeat_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  counter_t *self = (counter_t *)iterator;
  int64_t count = count_of(iterator);
  while (count < 0 || self->done < count) {
    if (!iterator->input)
      SLI_RETURN_IF_ERROR(sli_iterator_create(iterator->dataset->inputs[0], iterator->root, &iterator->input));
    SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, out_element, out_end));
    if (!*out_end) {
      self->is_started = true;
      return NULL;
    }
    drop_input(iterator);
    if (count < 0 && !self->is_started) return NULL;
    if (count >= 0) self->done++;
    self->is_started = false;
  }
  *out_end = true;
  return NULL;
}

static const sli_dataset_kind_t repeat_kind = {.name = "RepeatDataset",
                                               .keeps_batches = true,
                                               .iterator_size = sizeof(counter_t),
                                               .opens_input = true,
                                               .is_light = true,
                                               .cardinality = repeat_cardinality,
                                               .next = repeat_next,
                                               .save = counter_save,
                                               .restore = counter_restore};

static sli_status_t *repeat_dataset(sli_kernel_context_t *context) {
  counted_t *dataset;
  SLI_RETURN_IF_ERROR(make_counted(context, &repeat_kind, &dataset));
  sli_dataset_set_output(context, &dataset->base);
  return NULL;
}

// --- Take and skip -----------------------------------------------------------------------------------------

static int64_t take_cardinality(const sli_dataset_t *dataset) {
  int64_t n = input_cardinality(dataset), count = ((const counted_t *)dataset)->count;
  if (n == SLI_DATASET_UNKNOWN) return SLI_DATASET_UNKNOWN;
  if (count < 0) return n;
  return n == SLI_DATASET_INFINITE || count < n ? count : n;
}

static sli_status_t *take_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                               bool *out_end) {
  counter_t *self = (counter_t *)iterator;
  int64_t count = count_of(iterator);
  *out_end = !iterator->input || (count >= 0 && self->done >= count);
  if (!*out_end) SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, out_element, out_end));
  if (*out_end)
    drop_input(iterator);
  else
    self->done++;
  return NULL;
}

static int64_t skip_cardinality(const sli_dataset_t *dataset) {
  int64_t n = input_cardinality(dataset), count = ((const counted_t *)dataset)->count;
  if (count < 0) return 0;
  if (n < 0) return n;
  return n > count ? n - count : 0;
}

static sli_status_t *skip_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                               bool *out_end) {
  counter_t *self = (counter_t *)iterator;
  int64_t count = count_of(iterator);
  if (count < 0) drop_input(iterator);
  while (iterator->input) {
    SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, out_element, out_end));
    if (*out_end)
      drop_input(iterator);
    else if (self->done >= count)
      return NULL;
    else
      sli_dataset_release_element(out_element, iterator->dataset->component_count);
    self->done++;
  }
  *out_end = true;
  return NULL;
}

static const sli_dataset_kind_t take_kind = {.name = "TakeDataset",
                                             .keeps_batches = true,
                                             .iterator_size = sizeof(counter_t),
                                             .opens_input = true,
                                             .is_light = true,
                                             .cardinality = take_cardinality,
                                             .next = take_next,
                                             .save = counter_save,
                                             .restore = counter_restore};
static const sli_dataset_kind_t skip_kind = {.name = "SkipDataset",
                                             .keeps_batches = true,
                                             .iterator_size = sizeof(counter_t),
                                             .opens_input = true,
                                             .is_light = true,
                                             .cardinality = skip_cardinality,
                                             .next = skip_next,
                                             .save = counter_save,
                                             .restore = counter_restore};

static sli_status_t *take_dataset(sli_kernel_context_t *context) {
  counted_t *dataset;
  SLI_RETURN_IF_ERROR(make_counted(context, &take_kind, &dataset));
  sli_dataset_set_output(context, &dataset->base);
  return NULL;
}

static sli_status_t *skip_dataset(sli_kernel_context_t *context) {
  counted_t *dataset;
  SLI_RETURN_IF_ERROR(make_counted(context, &skip_kind, &dataset));
  dataset->base.is_light &= dataset->count <= SLI_DATASET_MAX_LIGHT;
  sli_dataset_set_output(context, &dataset->base);
  return NULL;
}

// --- Shard -------------------------------------------------------------------------------------------------

static int64_t shard_cardinality(const sli_dataset_t *dataset) {
  const counted_t *self = (const counted_t *)dataset;
  int64_t n = input_cardinality(dataset);
  if (n < 0 || self->count == SLI_DATASET_SHARD_HINT) return n;
  return n / self->count + (self->index < n % self->count ? 1 : 0);
}

// With require_non_empty the shard reads one round further to know that every shard has an element.
static sli_status_t *shard_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end) {
  counter_t *self = (counter_t *)iterator;
  const counted_t *dataset = (const counted_t *)iterator->dataset;
  int components = dataset->base.component_count;
  while (iterator->input) {
    SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, out_element, out_end));
    if (*out_end) {
      drop_input(iterator);
      break;
    }
    if (self->done++ % dataset->count == dataset->index) break;
    sli_dataset_release_element(out_element, components);
  }
  *out_end = !iterator->input;
  if (*out_end || self->is_started || !dataset->require_non_empty) return NULL;
  self->is_started = true;
  while (self->done < dataset->count) {
    sli_tensor_t *unused[SLI_DATASET_MAX_COMPONENTS];
    bool is_end;
    sli_status_t *status = sli_iterator_next(iterator->input, call, unused, &is_end);
    if (!status && is_end)
      status = sli_status_make(SLI_INVALID_ARGUMENT,
                               "There aren't enough elements in this dataset for each shard to have at least one "
                               "element (# elems = %lld, # shards = %lld). If you are using datasets with distribution "
                               "strategy, consider setting the auto sharding policy to either DATA or OFF using the "
                               "`experimental_distribute.auto_shard_policy` option of `tf.data.Options()`. Or, split "
                               "your input files into a larger number of small files such that number of files is "
                               "greater than number of shards/workers.",
                               (long long)self->done, (long long)dataset->count);
    if (status) {
      sli_dataset_release_element(out_element, components);
      return status;
    }
    sli_dataset_release_element(unused, components);
    self->done++;
  }
  return NULL;
}

static sli_status_t *shard_start(sli_iterator_t *iterator) {
  if (((const counted_t *)iterator->dataset)->count != SLI_DATASET_SHARD_HINT) return NULL;
  return sli_status_make(SLI_FAILED_PRECONDITION,
                         "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
                         "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
                         "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data service with "
                         "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.");
}

static const sli_dataset_kind_t shard_kind = {.name = "ShardDataset",
                                              .keeps_batches = true,
                                              .iterator_size = sizeof(counter_t),
                                              .opens_input = true,
                                              .is_light = true,
                                              .cardinality = shard_cardinality,
                                              .start = shard_start,
                                              .next = shard_next,
                                              .save = counter_save,
                                              .restore = counter_restore};

static sli_status_t *shard_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  int64_t shards, index;
  bool require_non_empty;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "num_shards", &shards));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 2, "index", &index));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "require_non_empty", &require_non_empty));
  if (shards <= 0 && shards != SLI_DATASET_SHARD_HINT)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of shards must be greater than zero (currently num_shards = %lld).",
                           (long long)shards);
  if ((index < 0 || index >= shards) && shards != SLI_DATASET_SHARD_HINT)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Index must be between 0 and %lld (currently index = %lld).",
                           (long long)shards - 1, (long long)index);
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &shard_kind, sizeof(counted_t), &input, 1, &dataset));
  counted_t *self = (counted_t *)dataset;
  self->count = shards;
  self->index = index;
  self->require_non_empty = require_non_empty;
  dataset->is_light &= shards <= SLI_DATASET_MAX_LIGHT;
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// --- Concatenate -------------------------------------------------------------------------------------------

static int64_t concatenate_cardinality(const sli_dataset_t *dataset) {
  int64_t a = sli_dataset_cardinality(dataset->inputs[0]), b = sli_dataset_cardinality(dataset->inputs[1]), sum;
  if (a == SLI_DATASET_INFINITE || b == SLI_DATASET_INFINITE) return SLI_DATASET_INFINITE;
  if (a < 0 || b < 0) return SLI_DATASET_UNKNOWN;
  return __builtin_add_overflow(a, b, &sum) ? SLI_DATASET_INFINITE : sum;
}

// |done| is the number of inputs that have ended; |base.input| the iterator of the current one.
static sli_status_t *concatenate_next(sli_iterator_t *iterator, const sli_iterator_call_t *call,
                                      sli_tensor_t **out_element, bool *out_end) {
  counter_t *self = (counter_t *)iterator;
  for (; self->done < 2; self->done++) {
    if (!iterator->input)
      SLI_RETURN_IF_ERROR(sli_iterator_create(iterator->dataset->inputs[self->done], iterator->root, &iterator->input));
    SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, out_element, out_end));
    if (!*out_end) return NULL;
    drop_input(iterator);
  }
  *out_end = true;
  return NULL;
}

static sli_status_t *concatenate_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  SLI_RETURN_IF_ERROR(counter_save(iterator, writer));
  return sli_iterator_save_slot(iterator->input, writer);
}

static sli_status_t *concatenate_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  counter_t *self = (counter_t *)iterator;
  int64_t unused;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 2, &self->done));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &unused));
  return sli_iterator_restore_slot(&iterator->input, iterator->dataset->inputs[self->done < 2 ? self->done : 1],
                                   iterator->root, reader);
}

static const sli_dataset_kind_t concatenate_kind = {.name = "ConcatenateDataset",
                                                    .keeps_batches = true,
                                                    .iterator_size = sizeof(counter_t),
                                                    .is_light = true,
                                                    .cardinality = concatenate_cardinality,
                                                    .next = concatenate_next,
                                                    .save = concatenate_save,
                                                    .restore = concatenate_restore};

static sli_status_t *concatenate_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *inputs[2], *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &inputs[0]));
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 1, &inputs[1]));
  sli_status_t *status = sli_dataset_check_types(inputs[0]->types, inputs[0]->component_count, inputs[1]->types,
                                                 inputs[1]->component_count);
  if (status) {
    sli_status_release(status);
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "input dataset and dataset_to_concatenate have different output_types "
                           "(%d and %d components)",
                           inputs[0]->component_count, inputs[1]->component_count);
  }
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &concatenate_kind, sizeof(sli_dataset_t), inputs, 2, &dataset));
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// --- Zip ---------------------------------------------------------------------------------------------------

typedef struct {
  sli_iterator_t base;
  sli_iterator_t **inputs;  // one for each input; NULL: it has ended
} zip_t;

static int64_t zip_cardinality(const sli_dataset_t *dataset) {
  int64_t least = SLI_DATASET_INFINITE;
  for (int i = 0; i < dataset->input_count; i++) {
    int64_t n = sli_dataset_cardinality(dataset->inputs[i]);
    if (n == SLI_DATASET_UNKNOWN) return n;
    if (n != SLI_DATASET_INFINITE && (least == SLI_DATASET_INFINITE || n < least)) least = n;
  }
  return least;
}

static sli_status_t *zip_start(sli_iterator_t *iterator) {
  zip_t *self = (zip_t *)iterator;
  int count = iterator->dataset->input_count;
  self->inputs = sli_calloc((size_t)count + 1, sizeof(self->inputs[0]));
  for (int i = 0; i < count; i++)
    SLI_RETURN_IF_ERROR(sli_iterator_create(iterator->dataset->inputs[i], iterator->root, &self->inputs[i]));
  return NULL;
}

static void zip_drop(sli_iterator_t *iterator) {
  zip_t *self = (zip_t *)iterator;
  for (int i = 0; self->inputs && i < iterator->dataset->input_count; i++) {
    sli_iterator_release(self->inputs[i]);
    self->inputs[i] = NULL;
  }
}

static void zip_stop(sli_iterator_t *iterator) {
  zip_drop(iterator);
  free(((zip_t *)iterator)->inputs);
}

// One input has ended: the others after it are asked once more, so that a cache among them becomes complete.
static void zip_finish(zip_t *self, const sli_iterator_call_t *call, int first) {
  for (int i = first; i < self->base.dataset->input_count && self->inputs[i]; i++) {
    sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
    bool is_end;
    sli_status_t *status = sli_iterator_next(self->inputs[i], call, element, &is_end);
    if (!status && !is_end) sli_dataset_release_element(element, self->base.dataset->inputs[i]->component_count);
    sli_status_release(status);
  }
}

static sli_status_t *zip_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                              bool *out_end) {
  zip_t *self = (zip_t *)iterator;
  int have = 0;
  sli_status_t *status = NULL;
  for (int i = 0; i < iterator->dataset->input_count && !*out_end; i++) {
    if (!self->inputs[i]) {
      *out_end = true;
      break;
    }
    // Behind an error the other inputs still move on, so that their elements stay together when it is ignored.
    sli_status_t *error = sli_iterator_next(self->inputs[i], call, out_element + have, out_end);
    if (!error && !*out_end) have += iterator->dataset->inputs[i]->component_count;
    if (!error && *out_end) zip_finish(self, call, i + 1);
    if (!status)
      status = error;
    else
      sli_status_release(error);
  }
  if (status || *out_end) sli_dataset_release_element(out_element, have);
  if (!status && *out_end) zip_drop(iterator);
  return status;
}

static sli_status_t *zip_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  for (int i = 0; i < iterator->dataset->input_count; i++)
    SLI_RETURN_IF_ERROR(sli_iterator_save_slot(((zip_t *)iterator)->inputs[i], writer));
  return NULL;
}

static sli_status_t *zip_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  for (int i = 0; i < iterator->dataset->input_count; i++)
    SLI_RETURN_IF_ERROR(sli_iterator_restore_slot(&((zip_t *)iterator)->inputs[i], iterator->dataset->inputs[i],
                                                  iterator->root, reader));
  return NULL;
}

static const sli_dataset_kind_t zip_kind = {.name = "ZipDataset",
                                            .keeps_batches = true,
                                            .iterator_size = sizeof(zip_t),
                                            .is_light = true,
                                            .cardinality = zip_cardinality,
                                            .start = zip_start,
                                            .next = zip_next,
                                            .stop = zip_stop,
                                            .save = zip_save,
                                            .restore = zip_restore};

static sli_status_t *zip_dataset(sli_kernel_context_t *context) {
  sli_dataset_t **inputs = sli_calloc((size_t)context->input_count + 1, sizeof(*inputs)), *dataset = NULL;
  sli_status_t *status = NULL;
  int components = 0;
  for (int i = 0; i < context->input_count && !status; i++) {
    status = sli_dataset_input(context, i, &inputs[i]);
    if (!status) components += inputs[i]->component_count;
  }
  if (!status)
    status = sli_dataset_create(context, &zip_kind, sizeof(sli_dataset_t), inputs, context->input_count, &dataset);
  if (!status && components != dataset->component_count)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Number of components does not match: expected %d types but got %d.",
                             dataset->component_count, components);
  free(inputs);
  return sli_dataset_finish(context, dataset, status);
}

static const sli_op_def_t ops[] = {
    {
        .name = "RepeatDataset",
        .inputs = "input_dataset: variant, count: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Repeats a dataset, or forever.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "TakeDataset",
        .inputs = "input_dataset: variant, count: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "The first elements of a dataset.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "SkipDataset",
        .inputs = "input_dataset: variant, count: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "A dataset without its first elements.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ShardDataset",
        .inputs = "input_dataset: variant, num_shards: int64, index: int64",
        .outputs = "handle: variant",
        .attrs = "require_non_empty: bool = false; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Every n-th element of a dataset.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ConcatenateDataset",
        .inputs = "input_dataset: variant, another_dataset: variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "The elements of one dataset, then those of another.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ZipDataset",
        .inputs = "input_datasets: N * variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; N: int >= 1; " SLI_DATASET_METADATA,
        .summary = "Elements with the components of an element of each dataset.",
        .shape = sli_dataset_infer,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RepeatDataset", .compute = repeat_dataset},
    {.op = "TakeDataset", .compute = take_dataset},
    {.op = "SkipDataset", .compute = skip_dataset},
    {.op = "ShardDataset", .compute = shard_dataset},
    {.op = "ConcatenateDataset", .compute = concatenate_dataset},
    {.op = "ZipDataset", .compute = zip_dataset},
};

SLI_OP_MODULE(data_sequence);
