// Transformations that leave elements out or choose among datasets: sampling, unique, ignore_errors,
// assert_cardinality, directed interleave; and RandomDataset.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "ops/data/seeds.h"

typedef struct {
  sli_dataset_t base;
  float rate;                  // sampling
  int64_t expected;            // assert_cardinality
  bool stops_on_empty;         // directed interleave
  sli_dataset_seeds_t *seeds;  // sampling, random; counted
} choosing_t;

typedef struct {
  sli_iterator_t base;
  sli_dataset_random_t random;
  int64_t count;            // assert_cardinality
  sli_map_t seen;           // unique: the bytes of what was given
  sli_iterator_t **inputs;  // directed interleave: all but the selector
} chooser_t;

static void choosing_destroy(sli_dataset_t *dataset) { sli_object_release(((choosing_t *)dataset)->seeds); }
static int64_t unknown_cardinality(const sli_dataset_t *dataset) { return SLI_DATASET_UNKNOWN; }
static int64_t infinite_cardinality(const sli_dataset_t *dataset) { return SLI_DATASET_INFINITE; }

static sli_status_t *seeded_start(sli_iterator_t *iterator) {
  int64_t seed, seed2;
  sli_dataset_seeds_next(((choosing_t *)iterator->dataset)->seeds, &seed, &seed2);
  sli_dataset_random_initialize(&((chooser_t *)iterator)->random, seed, seed2, 0);
  return NULL;
}

static sli_status_t *seeded_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  sli_dataset_random_save(&((chooser_t *)iterator)->random, writer);
  return NULL;
}

static sli_status_t *seeded_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  return sli_dataset_random_restore(&((chooser_t *)iterator)->random, reader);
}

// --- Sampling and random numbers -------------------------------------------------------------------------------------

static sli_status_t *sampling_next(sli_iterator_t *iterator, const sli_iterator_call_t *call,
                                   sli_tensor_t **out_element, bool *out_end) {
  const choosing_t *self = (const choosing_t *)iterator->dataset;
  for (;;) {
    SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, out_element, out_end));
    if (*out_end) return NULL;
    if (sli_philox_to_float(sli_dataset_random_next(&((chooser_t *)iterator)->random)) < self->rate) return NULL;
    sli_dataset_release_element(out_element, self->base.component_count);
  }
}

static sli_status_t *random_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  out_element[0] = sli_tensor_scalar_int64(sli_dataset_random_next(&((chooser_t *)iterator)->random));
  return NULL;
}

static const sli_dataset_kind_t sampling_kind = {.name = "SamplingDataset",
                                                 .iterator_size = sizeof(chooser_t),
                                                 .opens_input = true,
                                                 .destroy = choosing_destroy,
                                                 .cardinality = unknown_cardinality,
                                                 .start = seeded_start,
                                                 .next = sampling_next,
                                                 .save = seeded_save,
                                                 .restore = seeded_restore};
static const sli_dataset_kind_t random_kind = {.name = "RandomDataset",
                                               .iterator_size = sizeof(chooser_t),
                                               .is_light = true,
                                               .destroy = choosing_destroy,
                                               .cardinality = infinite_cardinality,
                                               .start = seeded_start,
                                               .next = random_next,
                                               .save = seeded_save,
                                               .restore = seeded_restore};

static sli_status_t *sampling_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  int64_t seed, seed2;
  const sli_tensor_t *rate = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  if (rate->rank) return sli_status_make(SLI_INVALID_ARGUMENT, "rate must be a scalar");
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 2, "seed", &seed));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 3, "seed2", &seed2));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &sampling_kind, sizeof(choosing_t), &input, 1, &dataset));
  ((choosing_t *)dataset)->rate = SLI_DATA(const float, rate)[0];
  ((choosing_t *)dataset)->seeds = sli_dataset_seeds_create(seed, seed2, true);
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static sli_status_t *random_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  int64_t seed, seed2;
  bool changes = false;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 0, "seed", &seed));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "seed2", &seed2));
  if (sli_node_attr(context->node, "rerandomize_each_iteration"))
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "rerandomize_each_iteration", &changes));
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &random_kind, sizeof(choosing_t), NULL, 0, &dataset));
  if (dataset->component_count != 1 || dataset->types[0] != SLI_DTYPE_INT64) {
    sli_dataset_release(dataset);
    return sli_status_make(SLI_INVALID_ARGUMENT, "RandomDataset gives scalars of type int64");
  }
  ((choosing_t *)dataset)->seeds = sli_dataset_seeds_create(seed, seed2, !changes);
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// --- Unique
// ------------------------------------------------------------------------------------------------------------

static void append_key(sli_string_t *key, const sli_tensor_t *tensor) {
  for (int i = 0; i < tensor->rank; i++) sli_string_append(key, &tensor->dims[i], sizeof(tensor->dims[i]));
  if (tensor->dtype != SLI_DTYPE_STRING) {
    sli_string_append(key, tensor->data, sli_tensor_bytes(tensor));
    return;
  }
  for (int64_t i = 0; i < tensor->count; i++) {
    sli_view_t text = sli_tensor_string_at(tensor, i);
    sli_string_append(key, &text.size, sizeof(text.size));
    sli_string_append(key, text.data, text.size);
  }
}

static sli_status_t *unique_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  chooser_t *state = (chooser_t *)iterator;
  for (;;) {
    SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, out_element, out_end));
    if (*out_end) return NULL;
    sli_string_t key = {0};
    append_key(&key, out_element[0]);
    bool is_new = sli_map_insert(&state->seen, sli_view_of(key.data ? key.data : "", key.size), state);
    sli_string_deinitialize(&key);
    if (is_new) return NULL;
    sli_dataset_release_element(out_element, 1);
  }
}

static void unique_stop(sli_iterator_t *iterator) { sli_map_deinitialize(&((chooser_t *)iterator)->seen); }

static sli_status_t *unique_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  chooser_t *state = (chooser_t *)iterator;
  sli_iterator_write_int(writer, (int64_t)state->seen.count);
  SLI_MAP_FOR_EACH (&state->seen, entry) sli_iterator_write_text(writer, sli_view_of(entry->key, entry->key_size));
  return NULL;
}

static sli_status_t *unique_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &count));
  for (int64_t i = 0; i < count; i++) {
    sli_view_t key;
    SLI_RETURN_IF_ERROR(sli_iterator_read_text(reader, &key));
    sli_map_insert(&((chooser_t *)iterator)->seen, key, iterator);
  }
  return NULL;
}

static const sli_dataset_kind_t unique_kind = {.name = "UniqueDataset",
                                               .iterator_size = sizeof(chooser_t),
                                               .opens_input = true,
                                               .cardinality = unknown_cardinality,
                                               .next = unique_next,
                                               .stop = unique_stop,
                                               .save = unique_save,
                                               .restore = unique_restore};

static sli_status_t *unique_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  if (input->component_count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "UniqueDataset only supports inputs with a single component.");
  if (!sli_types_contain(SLI_TYPE_INT32 | SLI_TYPE_INT64 | SLI_TYPE_STRING, input->types[0]))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "UniqueDataset only supports inputs with a single `tf.int32`, `tf.int64`, or `tf.string` "
                           "component.");
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &unique_kind, sizeof(choosing_t), &input, 1, &dataset));
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// --- Errors and the number of elements
// -----------------------------------------------------------------------------------

static sli_status_t *ignore_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  for (;;) {
    sli_status_t *status = sli_iterator_next(iterator->input, call, out_element, out_end);
    if (!status || sli_cancellation_is_cancelled(call->cancellation)) return status;
    sli_status_release(status);
  }
}

static const sli_dataset_kind_t ignore_kind = {.name = "IgnoreErrorsDataset",
                                               .iterator_size = sizeof(chooser_t),
                                               .opens_input = true,
                                               .cardinality = unknown_cardinality,
                                               .next = ignore_next};

static sli_status_t *ignore_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &ignore_kind, sizeof(choosing_t), &input, 1, &dataset));
  sli_dataset_set_output(context, dataset);
  return NULL;
}

typedef struct {
  char text[64];
} amount_t;

static amount_t amount(int64_t count) {
  amount_t amount;
  if (count == SLI_DATASET_INFINITE)
    snprintf(amount.text, sizeof(amount.text), "an infinite number of elements");
  else if (count == SLI_DATASET_UNKNOWN)
    snprintf(amount.text, sizeof(amount.text), "an unknown number of elements");
  else
    snprintf(amount.text, sizeof(amount.text), "%lld element%s", (long long)count, count == 1 ? "" : "s");
  return amount;
}

static int64_t asserted_cardinality(const sli_dataset_t *dataset) { return ((const choosing_t *)dataset)->expected; }

static sli_status_t *assert_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  const choosing_t *self = (const choosing_t *)iterator->dataset;
  chooser_t *state = (chooser_t *)iterator;
  SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, out_element, out_end));
  state->count += !*out_end;
  bool is_short = *out_end && state->count != self->expected && self->expected != SLI_DATASET_UNKNOWN;
  bool is_long = !*out_end && self->expected >= 0 && state->count > self->expected;
  if (!is_short && !is_long) return NULL;
  if (is_long) sli_dataset_release_element(out_element, self->base.component_count);
  return sli_status_make(SLI_FAILED_PRECONDITION, "Input dataset was expected to contain %s but contained %s %s.",
                         amount(self->expected).text, is_short ? "only" : "at least", amount(state->count).text);
}

static sli_status_t *assert_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  sli_iterator_write_int(writer, ((chooser_t *)iterator)->count);
  return NULL;
}

static sli_status_t *assert_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  return sli_iterator_read_int(reader, 0, INT64_MAX, &((chooser_t *)iterator)->count);
}

static const sli_dataset_kind_t assert_kind = {.name = "AssertCardinalityDataset",
                                               .keeps_batches = true,
                                               .iterator_size = sizeof(chooser_t),
                                               .opens_input = true,
                                               .is_light = true,
                                               .cardinality = asserted_cardinality,
                                               .next = assert_next,
                                               .save = assert_save,
                                               .restore = assert_restore};

static sli_status_t *assert_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  int64_t expected;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "cardinality", &expected));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &assert_kind, sizeof(choosing_t), &input, 1, &dataset));
  ((choosing_t *)dataset)->expected = expected;
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// --- Directed interleave
// ---------------------------------------------------------------------------------------------------

// |base.input| is the iterator of the selector.
static sli_status_t *directed_start(sli_iterator_t *iterator) {
  chooser_t *state = (chooser_t *)iterator;
  int count = iterator->dataset->input_count - 1;
  state->inputs = sli_calloc((size_t)count + 1, sizeof(state->inputs[0]));
  for (int i = 0; i < count; i++)
    SLI_RETURN_IF_ERROR(sli_iterator_create(iterator->dataset->inputs[i + 1], iterator->root, &state->inputs[i]));
  return NULL;
}

static void directed_drop(sli_iterator_t *iterator) {
  chooser_t *state = (chooser_t *)iterator;
  for (int i = 0; state->inputs && i < iterator->dataset->input_count - 1; i++) {
    sli_iterator_release(state->inputs[i]);
    state->inputs[i] = NULL;
  }
  sli_iterator_release(iterator->input);
  iterator->input = NULL;
}

static void directed_stop(sli_iterator_t *iterator) {
  directed_drop(iterator);
  free(((chooser_t *)iterator)->inputs);
}

static sli_status_t *select_input(sli_iterator_t *iterator, const sli_iterator_call_t *call, int64_t *out_selected,
                                  bool *out_end) {
  sli_tensor_t *selected;
  SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, &selected, out_end));
  if (*out_end) return NULL;
  *out_selected = selected->count == 1 ? SLI_DATA(const int64_t, selected)[0] : -1;
  sli_tensor_release(selected);
  if (*out_selected >= 0 && *out_selected < iterator->dataset->input_count - 1) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Selector index out of range: %lld >= %d", (long long)*out_selected,
                         iterator->dataset->input_count - 1);
}

static bool has_inputs(const chooser_t *state) {
  for (int i = 0; i < state->base.dataset->input_count - 1; i++)
    if (state->inputs[i]) return true;
  return false;
}

static sli_status_t *directed_next(sli_iterator_t *iterator, const sli_iterator_call_t *call,
                                   sli_tensor_t **out_element, bool *out_end) {
  chooser_t *state = (chooser_t *)iterator;
  while (iterator->input) {
    int64_t selected;
    bool is_end = false;
    SLI_RETURN_IF_ERROR(select_input(iterator, call, &selected, &is_end));
    if (is_end) break;
    sli_iterator_t **input = &state->inputs[selected];
    if (!*input) continue;
    SLI_RETURN_IF_ERROR(sli_iterator_next(*input, call, out_element, &is_end));
    if (!is_end) return NULL;
    sli_iterator_release(*input);
    *input = NULL;
    if (((const choosing_t *)iterator->dataset)->stops_on_empty || !has_inputs(state)) break;
  }
  directed_drop(iterator);
  *out_end = true;
  return NULL;
}

static sli_status_t *directed_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  for (int i = 0; i < iterator->dataset->input_count - 1; i++)
    SLI_RETURN_IF_ERROR(sli_iterator_save_slot(((chooser_t *)iterator)->inputs[i], writer));
  return NULL;
}

static sli_status_t *directed_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  for (int i = 0; i < iterator->dataset->input_count - 1; i++)
    SLI_RETURN_IF_ERROR(sli_iterator_restore_slot(&((chooser_t *)iterator)->inputs[i], iterator->dataset->inputs[i + 1],
                                                  iterator->root, reader));
  return NULL;
}

static const sli_dataset_kind_t directed_kind = {.name = "DirectedInterleaveDataset",
                                                 .iterator_size = sizeof(chooser_t),
                                                 .opens_input = true,
                                                 .cardinality = unknown_cardinality,
                                                 .start = directed_start,
                                                 .next = directed_next,
                                                 .stop = directed_stop,
                                                 .save = directed_save,
                                                 .restore = directed_restore};

static sli_status_t *read_inputs(sli_kernel_context_t *context, sli_dataset_t **inputs) {
  for (int i = 0; i < context->input_count; i++) SLI_RETURN_IF_ERROR(sli_dataset_input(context, i, &inputs[i]));
  if (inputs[0]->component_count != 1 || inputs[0]->types[0] != SLI_DTYPE_INT64)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The selector input must be a dataset of scalar int64 elements.");
  for (int i = 2; i < context->input_count; i++)
    SLI_RETURN_IF_ERROR(sli_dataset_check_types(inputs[1]->types, inputs[1]->component_count, inputs[i]->types,
                                                inputs[i]->component_count));
  return NULL;
}

static sli_status_t *directed_dataset(sli_kernel_context_t *context) {
  sli_dataset_t **inputs = sli_calloc((size_t)context->input_count, sizeof(*inputs)), *dataset = NULL;
  bool stops = false;
  sli_status_t *status = read_inputs(context, inputs);
  if (!status) status = sli_node_attr_bool(context->node, "stop_on_empty_dataset", &stops);
  if (!status)
    status = sli_dataset_create(context, &directed_kind, sizeof(choosing_t), inputs, context->input_count, &dataset);
  if (!status)
    status =
        sli_dataset_check_types(dataset->types, dataset->component_count, inputs[1]->types, inputs[1]->component_count);
  if (status) {
    sli_dataset_release(dataset);
  } else {
    ((choosing_t *)dataset)->stops_on_empty = stops;
    sli_dataset_set_output(context, dataset);
  }
  free(inputs);
  return status;
}

static const sli_op_def_t ops[] = {
    {
        .name = "SamplingDataset",
        .inputs = "input_dataset: variant, rate: float, seed: int64, seed2: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "Takes each element with a probability.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "RandomDataset",
        .inputs = "seed: int64, seed2: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Random numbers.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "ExperimentalRandomDataset",
        .inputs = "seed: int64, seed2: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "Random numbers.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "RandomDatasetV2",
        .inputs = "seed: int64, seed2: int64, seed_generator: resource",
        .outputs = "handle: variant",
        .attrs = "rerandomize_each_iteration: bool = false; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Random numbers.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "UniqueDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Elements that were not given before.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalUniqueDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "Elements that were not given before.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "IgnoreErrorsDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; log_warning: bool = false",
        .summary = "Leaves out elements that give errors.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalIgnoreErrorsDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; log_warning: bool = false",
        .summary = "Leaves out elements that give errors.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "AssertCardinalityDataset",
        .inputs = "input_dataset: variant, cardinality: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "Fails if a dataset has another number of elements.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "DirectedInterleaveDataset",
        .inputs = "selector_input_dataset: variant, data_input_datasets: N * variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; N: int >= 1; stop_on_empty_dataset: bool = false",
        .summary = "Takes elements of the datasets that another dataset selects.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalDirectedInterleaveDataset",
        .inputs = "selector_input_dataset: variant, data_input_datasets: N * variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; N: int >= 1",
        .summary = "Takes elements of the datasets that another dataset selects.",
        .shape = sli_dataset_infer,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SamplingDataset", .compute = sampling_dataset},
    {.op = "RandomDataset", .compute = random_dataset},
    {.op = "ExperimentalRandomDataset", .compute = random_dataset},
    {.op = "RandomDatasetV2", .compute = random_dataset},
    {.op = "UniqueDataset", .compute = unique_dataset},
    {.op = "ExperimentalUniqueDataset", .compute = unique_dataset},
    {.op = "IgnoreErrorsDataset", .compute = ignore_dataset},
    {.op = "ExperimentalIgnoreErrorsDataset", .compute = ignore_dataset},
    {.op = "AssertCardinalityDataset", .compute = assert_dataset},
    {.op = "DirectedInterleaveDataset", .compute = directed_dataset},
    {.op = "ExperimentalDirectedInterleaveDataset", .compute = directed_dataset},
};

SLI_OP_MODULE(data_choose);
