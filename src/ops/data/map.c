// Transformations that call a function for each element, one at a time: map, filter, take_while, scan.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/dataset.h"

typedef struct {
  sli_dataset_t base;
  sli_dataset_function_t function;
  bool keeps_cardinality;
  sli_tensor_t **state;  // of scan: the initial one; counted
  int state_count;
} mapped_t;

static void mapped_destroy(sli_dataset_t *dataset) {
  mapped_t *self = (mapped_t *)dataset;
  sli_dataset_function_deinitialize(&self->function);
  sli_dataset_release_element(self->state, self->state_count);
  free(self->state);
}

static int64_t mapped_cardinality(const sli_dataset_t *dataset) {
  return ((const mapped_t *)dataset)->keeps_cardinality ? sli_dataset_cardinality(dataset->inputs[0])
                                                        : SLI_DATASET_UNKNOWN;
}

static int64_t filter_cardinality(const sli_dataset_t *dataset) { return SLI_DATASET_UNKNOWN; }

// The next element of the input, as arguments of a function. The room is the caller's.
static sli_status_t *next_input(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **arguments,
                                bool *out_end) {
  *out_end = !iterator->input;
  return *out_end ? NULL : sli_iterator_next(iterator->input, call, arguments, out_end);
}

// --- Map -----------------------------------------------------------------------------------------------------

static sli_status_t *map_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                              bool *out_end) {
  const mapped_t *self = (const mapped_t *)iterator->dataset;
  int count = self->base.inputs[0]->component_count;
  sli_tensor_t *arguments[SLI_DATASET_MAX_COMPONENTS];
  SLI_RETURN_IF_ERROR(next_input(iterator, call, arguments, out_end));
  if (*out_end) return NULL;
  sli_status_t *status = sli_dataset_function_call_move(&self->function, call, arguments, count, out_element);
  return sli_dataset_function_ends(status, self->keeps_cardinality, out_end);
}

static const sli_dataset_kind_t map_kind = {.name = "MapDataset",
                                            .iterator_size = sizeof(sli_iterator_t),
                                            .opens_input = true,
                                            .destroy = mapped_destroy,
                                            .cardinality = mapped_cardinality,
                                            .next = map_next};

// --- Filter and take_while -------------------------------------------------------------------------------------

static sli_status_t *test(const mapped_t *self, const sli_iterator_call_t *call, sli_tensor_t **element,
                          const char *what, bool *out_value) {
  sli_tensor_t *result;
  int count = self->base.component_count;
  sli_status_t *status = sli_dataset_function_call(&self->function, call, element, count, &result);
  if (!status) {
    status = sli_dataset_result_bool(&result, 1, what, out_value);
    sli_tensor_release(result);
  }
  return status;
}

static sli_status_t *filter_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  const mapped_t *self = (const mapped_t *)iterator->dataset;
  for (;;) {
    bool is_kept = false;
    SLI_RETURN_IF_ERROR(next_input(iterator, call, out_element, out_end));
    if (*out_end) return NULL;
    sli_status_t *status =
        test(self, call, out_element, "Filter predicate `predicate` must return a scalar bool.", &is_kept);
    if (!status && is_kept) return NULL;
    sli_dataset_release_element(out_element, self->base.component_count);
    status = sli_dataset_function_ends(status, false, out_end);
    if (status || *out_end) return status;
  }
}

static sli_status_t *take_while_next(sli_iterator_t *iterator, const sli_iterator_call_t *call,
                                     sli_tensor_t **out_element, bool *out_end) {
  const mapped_t *self = (const mapped_t *)iterator->dataset;
  bool goes_on = false;
  SLI_RETURN_IF_ERROR(next_input(iterator, call, out_element, out_end));
  if (*out_end) return NULL;
  sli_status_t *status =
      test(self, call, out_element, "Expected predicate function to return a scalar bool.", &goes_on);
  if (status || !goes_on) sli_dataset_release_element(out_element, self->base.component_count);
  if (status) return status;
  *out_end = !goes_on;
  if (!goes_on) {
    sli_iterator_release(iterator->input);
    iterator->input = NULL;
  }
  return NULL;
}

static const sli_dataset_kind_t filter_kind = {.name = "FilterDataset",
                                               .keeps_batches = true,
                                               .iterator_size = sizeof(sli_iterator_t),
                                               .opens_input = true,
                                               .destroy = mapped_destroy,
                                               .cardinality = filter_cardinality,
                                               .next = filter_next};
static const sli_dataset_kind_t take_while_kind = {.name = "TakeWhileDataset",
                                                   .iterator_size = sizeof(sli_iterator_t),
                                                   .opens_input = true,
                                                   .destroy = mapped_destroy,
                                                   .cardinality = filter_cardinality,
                                                   .next = take_while_next};

// --- Scan ------------------------------------------------------------------------------------------------------

typedef struct {
  sli_iterator_t base;
  sli_tensor_t **state;  // counted
} scanner_t;

static sli_status_t *scan_start(sli_iterator_t *iterator) {
  const mapped_t *self = (const mapped_t *)iterator->dataset;
  scanner_t *scanner = (scanner_t *)iterator;
  scanner->state = sli_calloc((size_t)self->state_count + 1, sizeof(scanner->state[0]));
  for (int i = 0; i < self->state_count; i++) scanner->state[i] = sli_tensor_retain(self->state[i]);
  return NULL;
}

static void scan_stop(sli_iterator_t *iterator) {
  scanner_t *scanner = (scanner_t *)iterator;
  if (scanner->state) sli_dataset_release_element(scanner->state, ((const mapped_t *)iterator->dataset)->state_count);
  free(scanner->state);
}

static sli_status_t *scan_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                               bool *out_end) {
  const mapped_t *self = (const mapped_t *)iterator->dataset;
  scanner_t *scanner = (scanner_t *)iterator;
  int states = self->state_count, inputs = self->base.inputs[0]->component_count;
  sli_tensor_t *arguments[2 * SLI_DATASET_MAX_COMPONENTS], *results[2 * SLI_DATASET_MAX_COMPONENTS];
  for (int i = 0; i < states; i++) arguments[i] = scanner->state[i];
  SLI_RETURN_IF_ERROR(next_input(iterator, call, arguments + states, out_end));
  if (*out_end) return NULL;
  sli_status_t *status = sli_dataset_function_call(&self->function, call, arguments, states + inputs, results);
  sli_dataset_release_element(arguments + states, inputs);
  if (status) return sli_dataset_function_ends(status, self->keeps_cardinality, out_end);
  for (int i = 0; i < states; i++) {
    sli_tensor_release(scanner->state[i]);
    scanner->state[i] = results[i];
  }
  for (int i = 0; i < self->base.component_count; i++) out_element[i] = results[states + i];
  return NULL;
}

static sli_status_t *scan_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  return sli_iterator_write_element(writer, ((scanner_t *)iterator)->state,
                                    ((const mapped_t *)iterator->dataset)->state_count);
}

static sli_status_t *scan_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  scanner_t *scanner = (scanner_t *)iterator;
  for (int i = 0; i < ((const mapped_t *)iterator->dataset)->state_count; i++) {
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(sli_iterator_read_tensor(reader, &tensor));
    bool fits = tensor->dtype == scanner->state[i]->dtype;
    sli_tensor_release(fits ? scanner->state[i] : tensor);
    if (!fits)
      return sli_status_make(SLI_DATA_LOSS, "The state of the iterator is malformed: a tensor has another type");
    scanner->state[i] = tensor;
  }
  return NULL;
}

static const sli_dataset_kind_t scan_kind = {.name = "ScanDataset",
                                             .iterator_size = sizeof(scanner_t),
                                             .opens_input = true,
                                             .destroy = mapped_destroy,
                                             .cardinality = mapped_cardinality,
                                             .start = scan_start,
                                             .next = scan_next,
                                             .stop = scan_stop,
                                             .save = scan_save,
                                             .restore = scan_restore};

// --- Kernels -----------------------------------------------------------------------------------------------------

static sli_status_t *map_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &map_kind, sizeof(mapped_t), &input, 1, &dataset));
  mapped_t *self = (mapped_t *)dataset;
  sli_status_t *status = sli_node_attr_bool(context->node, "preserve_cardinality", &self->keeps_cardinality);
  if (!status) status = sli_dataset_function_initialize(context, "f", "other_arguments", &self->function);
  if (!status) status = sli_dataset_function_check(&self->function, input->component_count, dataset->component_count);
  return sli_dataset_finish(context, dataset, status);
}

static sli_status_t *make_filter(sli_kernel_context_t *context, const sli_dataset_kind_t *kind) {
  sli_dataset_t *input, *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, kind, sizeof(mapped_t), &input, 1, &dataset));
  mapped_t *self = (mapped_t *)dataset;
  sli_status_t *status = sli_dataset_function_initialize(context, "predicate", "other_arguments", &self->function);
  if (!status) status = sli_dataset_function_check(&self->function, input->component_count, 1);
  return sli_dataset_finish(context, dataset, status);
}

static sli_status_t *filter_dataset(sli_kernel_context_t *context) { return make_filter(context, &filter_kind); }
static sli_status_t *take_while_dataset(sli_kernel_context_t *context) {
  return make_filter(context, &take_while_kind);
}

static sli_status_t *scan_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  int first, count;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "initial_state", &first, &count));
  SLI_RETURN_IF_ERROR(sli_dataset_check_count((size_t)count));
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &scan_kind, sizeof(mapped_t), &input, 1, &dataset));
  mapped_t *self = (mapped_t *)dataset;
  self->state = sli_calloc((size_t)count + 1, sizeof(self->state[0]));
  self->state_count = count;
  for (int i = 0; i < count; i++) self->state[i] = sli_tensor_retain(sli_kernel_input(context, first + i));
  sli_status_t *status = sli_node_attr_bool(context->node, "preserve_cardinality", &self->keeps_cardinality);
  if (!status) status = sli_dataset_function_initialize(context, "f", "other_arguments", &self->function);
  if (!status)
    status =
        sli_dataset_function_check(&self->function, count + input->component_count, count + dataset->component_count);
  return sli_dataset_finish(context, dataset, status);
}

static const sli_op_def_t ops[] = {
    {
        .name = "MapDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; use_inter_op_parallelism: bool = true; preserve_cardinality: bool = false; " SLI_DATASET_METADATA,
        .summary = "Calls a function for each element.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "FilterDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments",
        .outputs = "handle: variant",
        .attrs = "predicate: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "The elements for which a function gives true.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "TakeWhileDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments",
        .outputs = "handle: variant",
        .attrs = "predicate: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "The elements before the first for which a function gives false.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ExperimentalTakeWhileDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments",
        .outputs = "handle: variant",
        .attrs = "predicate: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS,
        .summary = "The elements before the first for which a function gives false.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ScanDataset",
        .inputs = "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
        .outputs = "handle: variant",
        .attrs = "f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; preserve_cardinality: bool = false; use_default_device: bool = true; " SLI_DATASET_METADATA,
        .summary = "Calls a function for each element with the state of the call before.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ExperimentalScanDataset",
        .inputs = "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
        .outputs = "handle: variant",
        .attrs = "f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; preserve_cardinality: bool = false",
        .summary = "Calls a function for each element with the state of the call before.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
};

#define WITH_LIBRARY .create = sli_dataset_library_create, .destroy = sli_dataset_library_destroy
static const sli_kernel_def_t kernels[] = {
    {.op = "MapDataset", .compute = map_dataset, WITH_LIBRARY},
    {.op = "FilterDataset", .compute = filter_dataset, WITH_LIBRARY},
    {.op = "TakeWhileDataset", .compute = take_while_dataset, WITH_LIBRARY},
    {.op = "ExperimentalTakeWhileDataset", .compute = take_while_dataset, WITH_LIBRARY},
    {.op = "ScanDataset", .compute = scan_dataset, WITH_LIBRARY},
    {.op = "ExperimentalScanDataset", .compute = scan_dataset, WITH_LIBRARY},
};

SLI_OP_MODULE(data_map);
