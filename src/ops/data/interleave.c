// Transformations whose function gives a dataset for each element: flat_map, interleave and the parallel interleaves.
//
// |cycle| datasets are open at a time; each in turn gives |block| elements. In the parallel versions each has a buffer
// that is filled in the background. The order is that of the sequential version unless the dataset is sloppy: then a
// dataset without an element in its buffer is passed over. What cannot be opened ahead is an error when its turn comes.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/buffer.h"

typedef struct {
  sli_dataset_t base;
  sli_dataset_function_t function;
  int64_t cycle, block;
  bool is_parallel, is_sloppy;
  int64_t buffer_size;  // of each open dataset, if parallel
} interleave_t;

typedef struct {
  sli_status_t *error;       // parallel: why there is nothing to open; owned
  sli_tensor_t **arguments;  // the input element, counted; NULL: not open
  sli_dataset_t *dataset;    // what the function gave; counted
  sli_iterator_t *iterator;  // sequential
  sli_iterator_buffer_t *buffer;
} open_t;

typedef struct {
  sli_iterator_t base;
  open_t *open;     // |cycle| of them
  int64_t index;    // the one whose turn it is
  int64_t taken;    // elements of its block
  int64_t opened;   // how many are open
  bool has_ended;   // the input
  bool is_started;  // parallel: all were opened once
} interleaver_t;

static void interleave_destroy(sli_dataset_t *dataset) {
  sli_dataset_function_deinitialize(&((interleave_t *)dataset)->function);
}

static int64_t interleave_cardinality(const sli_dataset_t *dataset) { return SLI_DATASET_UNKNOWN; }

static int64_t parallel_cardinality(const sli_dataset_t *dataset) {
  return sli_dataset_cardinality(dataset->inputs[0]) == SLI_DATASET_INFINITE ? SLI_DATASET_INFINITE
                                                                             : SLI_DATASET_UNKNOWN;
}

static sli_status_t *interleave_start(sli_iterator_t *iterator) {
  const interleave_t *self = (const interleave_t *)iterator->dataset;
  ((interleaver_t *)iterator)->open = sli_calloc((size_t)self->cycle, sizeof(open_t));
  return NULL;
}

static void close_one(const interleave_t *self, open_t *one) {
  sli_iterator_release(one->iterator);
  sli_iterator_buffer_release(one->buffer);
  sli_dataset_release(one->dataset);
  if (one->arguments) sli_dataset_release_element(one->arguments, self->base.inputs[0]->component_count);
  free(one->arguments);
  sli_status_release(one->error);
  *one = (open_t){0};
}

static void interleave_stop(sli_iterator_t *iterator) {
  const interleave_t *self = (const interleave_t *)iterator->dataset;
  interleaver_t *state = (interleaver_t *)iterator;
  for (int64_t i = 0; state->open && i < self->cycle; i++) close_one(self, &state->open[i]);
  free(state->open);
}

// The dataset that the function gives for |one->arguments|, and an iterator of it.
static sli_status_t *open_dataset(const interleave_t *self, interleaver_t *state, const sli_iterator_call_t *call,
                                  open_t *one) {
  sli_tensor_t *result;
  sli_dataset_t *dataset;
  sli_iterator_t *iterator;
  SLI_RETURN_IF_ERROR(
      sli_dataset_function_call(&self->function, call, one->arguments, self->base.inputs[0]->component_count, &result));
  sli_status_t *status = sli_dataset_of(result, &dataset);
  if (status) {
    sli_status_release(status);
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Function must return a single dataset.");
  }
  if (!status)
    status =
        sli_dataset_check_types(self->base.types, self->base.component_count, dataset->types, dataset->component_count);
  if (!status) status = sli_iterator_create(dataset, state->base.root, &iterator);
  if (!status) {
    one->dataset = sli_dataset_retain(dataset);
    if (self->is_parallel)
      one->buffer = sli_iterator_buffer_create(iterator, self->buffer_size);
    else
      one->iterator = iterator;
  }
  sli_tensor_release(result);
  return status;
}

// Opens the next element of the input in slot |index|, unless the input has ended.
static sli_status_t *open_input(interleaver_t *state, const sli_iterator_call_t *call, int64_t index) {
  const interleave_t *self = (const interleave_t *)state->base.dataset;
  open_t *one = &state->open[index];
  int count = self->base.inputs[0]->component_count;
  sli_tensor_t *arguments[SLI_DATASET_MAX_COMPONENTS];
  SLI_RETURN_IF_ERROR(sli_iterator_next(state->base.input, call, arguments, &state->has_ended));
  if (state->has_ended) return NULL;
  one->arguments = sli_memdup(arguments, sizeof(arguments[0]) * (size_t)count);
  sli_status_t *status = open_dataset(self, state, call, one);
  if (status) {
    close_one(self, one);
    return status;
  }
  if (one->buffer) sli_iterator_buffer_start(one->buffer);
  state->opened++;
  return NULL;
}

static bool is_empty(const open_t *one) { return !one->arguments && !one->error; }

// The same; in the parallel versions an error takes the slot, unless it is the end of the step.
static sli_status_t *open_next(interleaver_t *state, const sli_iterator_call_t *call, int64_t index) {
  sli_status_t *status = open_input(state, call, index);
  bool is_parallel = ((const interleave_t *)state->base.dataset)->is_parallel;
  if (!status || !is_parallel || sli_status_code(status) == SLI_CANCELLED) return status;
  state->open[index].error = status;
  state->opened++;
  return NULL;
}

static void advance(interleaver_t *state) {
  state->taken = 0;
  state->index = (state->index + 1) % ((const interleave_t *)state->base.dataset)->cycle;
}

// Sloppy: goes on to a dataset that has an element, if there is one.
static void skip_waiting(interleaver_t *state) {
  const interleave_t *self = (const interleave_t *)state->base.dataset;
  for (int64_t i = 0; i < self->cycle; i++) {
    const open_t *one = &state->open[(state->index + i) % self->cycle];
    if (!one->buffer || !sli_iterator_buffer_is_ready(one->buffer)) continue;
    if (i) state->taken = 0;
    state->index = (state->index + i) % self->cycle;
    return;
  }
}

static sli_status_t *interleave_next(sli_iterator_t *iterator, const sli_iterator_call_t *call,
                                     sli_tensor_t **out_element, bool *out_end) {
  const interleave_t *self = (const interleave_t *)iterator->dataset;
  interleaver_t *state = (interleaver_t *)iterator;
  for (int64_t i = 0; self->is_parallel && !state->is_started && i < self->cycle && !state->has_ended; i++) {
    if (is_empty(&state->open[i])) SLI_RETURN_IF_ERROR(open_next(state, call, i));
  }
  state->is_started = true;
  if (self->is_sloppy && state->opened == self->cycle) skip_waiting(state);
  while (!state->has_ended || state->opened > 0) {
    open_t *one = &state->open[state->index];
    if (is_empty(one)) {
      if (!state->has_ended)
        SLI_RETURN_IF_ERROR(open_next(state, call, state->index));
      else
        advance(state);
      continue;
    }
    bool is_end = false;
    sli_status_t *error = one->error;
    one->error = NULL;
    if (!error)
      SLI_RETURN_IF_ERROR(one->buffer ? sli_iterator_buffer_next(one->buffer, call, out_element, &is_end)
                                      : sli_iterator_next(one->iterator, call, out_element, &is_end));
    if (!error && !is_end) {
      if (++state->taken >= self->block) advance(state);
      return NULL;
    }
    close_one(self, one);
    state->opened--;
    advance(state);
    if (error) return error;
  }
  *out_end = true;
  return NULL;
}

static sli_status_t *interleave_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  const interleave_t *self = (const interleave_t *)iterator->dataset;
  interleaver_t *state = (interleaver_t *)iterator;
  sli_iterator_write_int(writer, state->index);
  sli_iterator_write_int(writer, state->taken);
  sli_iterator_write_int(writer, state->has_ended);
  sli_iterator_write_int(writer, state->is_started);
  for (int64_t i = 0; i < self->cycle; i++) {
    const open_t *one = &state->open[i];
    sli_iterator_write_int(writer, !is_empty(one));
    if (is_empty(one)) continue;
    sli_iterator_write_status(writer, one->error);
    if (one->error) continue;
    SLI_RETURN_IF_ERROR(sli_iterator_write_element(writer, one->arguments, self->base.inputs[0]->component_count));
    SLI_RETURN_IF_ERROR(one->buffer ? sli_iterator_buffer_save(one->buffer, writer)
                                    : sli_iterator_save(one->iterator, writer));
  }
  return NULL;
}

// Calls the function again for the elements that were open.
static sli_status_t *restore_one(const interleave_t *self, interleaver_t *state, open_t *one,
                                 sli_iterator_reader_t *reader) {
  sli_iterator_call_t call = {state->base.root->cancellation};
  sli_dataset_t *input = self->base.inputs[0];
  SLI_RETURN_IF_ERROR(sli_iterator_read_status(reader, &one->error));
  if (one->error) {
    state->opened++;
    return NULL;
  }
  one->arguments = sli_calloc((size_t)input->component_count + 1, sizeof(one->arguments[0]));
  SLI_RETURN_IF_ERROR(sli_iterator_read_element(reader, input, one->arguments));
  SLI_RETURN_IF_ERROR(open_dataset(self, state, &call, one));
  state->opened++;
  return one->buffer ? sli_iterator_buffer_restore(one->buffer, reader) : sli_iterator_restore(one->iterator, reader);
}

static sli_status_t *interleave_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  const interleave_t *self = (const interleave_t *)iterator->dataset;
  interleaver_t *state = (interleaver_t *)iterator;
  int64_t has_ended, is_started, is_open;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, self->cycle - 1, &state->index));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, self->block, &state->taken));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_ended));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &is_started));
  state->has_ended = has_ended;
  state->is_started = is_started;
  for (int64_t i = 0; i < self->cycle; i++) {
    SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &is_open));
    if (is_open) SLI_RETURN_IF_ERROR(restore_one(self, state, &state->open[i], reader));
  }
  return NULL;
}

#define INTERLEAVE_KIND(kind_name, count)                                                                          \
  {                                                                                                                \
    .name = kind_name, .iterator_size = sizeof(interleaver_t), .opens_input = true, .destroy = interleave_destroy, \
    .cardinality = count, .start = interleave_start, .next = interleave_next, .stop = interleave_stop,             \
    .save = interleave_save, .restore = interleave_restore                                                         \
  }
static const sli_dataset_kind_t flat_map_kind = INTERLEAVE_KIND("FlatMapDataset", interleave_cardinality);
static const sli_dataset_kind_t interleave_kind = INTERLEAVE_KIND("InterleaveDataset", interleave_cardinality);
static const sli_dataset_kind_t parallel_kind = INTERLEAVE_KIND("ParallelInterleaveDataset", parallel_cardinality);

// --- Kernels -------------------------------------------------------------------------------------------------------

static sli_status_t *make(sli_kernel_context_t *context, const sli_dataset_kind_t *kind, const interleave_t *like) {
  sli_dataset_t *input, *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, kind, sizeof(interleave_t), &input, 1, &dataset));
  interleave_t *self = (interleave_t *)dataset;
  self->cycle = like->cycle;
  self->block = like->block;
  self->is_parallel = like->is_parallel;
  self->is_sloppy = like->is_sloppy;
  self->buffer_size = like->buffer_size;
  sli_status_t *status = sli_dataset_function_initialize(context, "f", "other_arguments", &self->function);
  if (!status) status = sli_dataset_function_check(&self->function, input->component_count, 1);
  return sli_dataset_finish(context, dataset, status);
}

static sli_status_t *flat_map_dataset(sli_kernel_context_t *context) {
  return make(context, &flat_map_kind, &(interleave_t){.cycle = 1, .block = 1});
}

// The inputs cycle_length and block_length.
static sli_status_t *read_cycle(sli_kernel_context_t *context, interleave_t *like) {
  int first, count;
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "cycle_length", &first, &count));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, first, "cycle_length", &like->cycle));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, first + 1, "block_length", &like->block));
  if (like->cycle == SLI_DATASET_AUTOTUNE)
    like->cycle = context->device->compute_pool ? sli_thread_pool_size(context->device->compute_pool) : 1;
  if (like->cycle <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "`cycle_length` must be > 0");
  if (like->block <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "`block_length` must be > 0");
  if (like->cycle > 1 << 20)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "`cycle_length` must be at most %d, got %lld", 1 << 20,
                           (long long)like->cycle);
  return NULL;
}

static sli_status_t *interleave_dataset(sli_kernel_context_t *context) {
  interleave_t like = {0};
  SLI_RETURN_IF_ERROR(read_cycle(context, &like));
  return make(context, &interleave_kind, &like);
}

static sli_status_t *read_parallelism(sli_kernel_context_t *context, int index) {
  int64_t calls;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, index, "num_parallel_calls", &calls));
  if (calls > 0 || calls == SLI_DATASET_AUTOTUNE) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "`num_parallel_calls` must be greater than zero.");
}

static sli_status_t *read_order(sli_kernel_context_t *context, interleave_t *like) {
  if (sli_node_attr(context->node, "sloppy")) return sli_node_attr_bool(context->node, "sloppy", &like->is_sloppy);
  sli_view_t text;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "deterministic", &text));
  like->is_sloppy = sli_view_is(text, "false");
  return NULL;
}

static sli_status_t *read_buffer(sli_kernel_context_t *context, int index, const char *name, int64_t *out_size) {
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, index, name, out_size));
  if (*out_size > 0 || *out_size == SLI_DATASET_AUTOTUNE) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "`%s` must be > 0", name);
}

static sli_status_t *read_ahead(sli_kernel_context_t *context, int index) {
  int64_t ahead;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, index, "prefetch_input_elements", &ahead));
  if (ahead >= 0 || ahead == SLI_DATASET_AUTOTUNE) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "`prefetch_input_elements` must be >= 0");
}

// Versions 2 to 4.
static sli_status_t *parallel_dataset(sli_kernel_context_t *context) {
  interleave_t like = {.is_parallel = true, .buffer_size = SLI_DATASET_AUTOTUNE};
  int first, count;
  int64_t buffer;
  SLI_RETURN_IF_ERROR(read_cycle(context, &like));
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "num_parallel_calls", &first, &count));
  SLI_RETURN_IF_ERROR(read_parallelism(context, first));
  SLI_RETURN_IF_ERROR(read_order(context, &like));
  if (strcmp(context->node->op->def->name, "ParallelInterleaveDatasetV4") == 0) {
    SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "buffer_output_elements", &first, &count));
    SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, first, "buffer_output_elements", &buffer));
    if (buffer > 0) like.buffer_size = buffer;
  }
  return make(context, &parallel_kind, &like);
}

// The first version, which says how large the buffers are.
static sli_status_t *parallel_dataset_v1(sli_kernel_context_t *context) {
  interleave_t like = {.is_parallel = true};
  int first, count;
  SLI_RETURN_IF_ERROR(read_cycle(context, &like));
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "sloppy", &first, &count));
  SLI_RETURN_IF_ERROR(sli_dataset_input_bool(context, first, "sloppy", &like.is_sloppy));
  SLI_RETURN_IF_ERROR(read_buffer(context, first + 1, "buffer_output_elements", &like.buffer_size));
  SLI_RETURN_IF_ERROR(read_ahead(context, first + 2));
  return make(context, &parallel_kind, &like);
}

// The same with the order as an attribute.
static sli_status_t *legacy_dataset(sli_kernel_context_t *context) {
  interleave_t like = {.is_parallel = true};
  int first, count;
  SLI_RETURN_IF_ERROR(read_cycle(context, &like));
  SLI_RETURN_IF_ERROR(read_order(context, &like));
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "buffer_output_elements", &first, &count));
  SLI_RETURN_IF_ERROR(read_buffer(context, first, "buffer_output_elements", &like.buffer_size));
  SLI_RETURN_IF_ERROR(read_ahead(context, first + 1));
  return make(context, &parallel_kind, &like);
}

static const sli_op_def_t ops[] = {
    {
        .name = "LegacyParallelInterleaveDatasetV2",
        .inputs = "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, "
                  "buffer_output_elements: int64, prefetch_input_elements: int64",
        .outputs = "handle: variant",
        .attrs = "f: func; deterministic: string = 'default'; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; " SLI_DATASET_METADATA,
        .summary = "Takes elements of several datasets in turn, which are read in the background.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "FlatMapDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "The elements of the datasets that a function gives for each element.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "InterleaveDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Takes elements of several datasets in turn, which a function gives for each element.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ParallelInterleaveDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, "
                  "sloppy: bool, buffer_output_elements: int64, prefetch_input_elements: int64",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Takes elements of several datasets in turn, which are read in the background.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ExperimentalParallelInterleaveDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, "
                  "sloppy: bool, buffer_output_elements: int64, prefetch_input_elements: int64",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS,
        .summary = "Takes elements of several datasets in turn, which are read in the background.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ParallelInterleaveDatasetV2",
        .inputs = "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, "
                  "num_parallel_calls: int64",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; sloppy: bool = false; " SLI_DATASET_METADATA,
        .summary = "Takes elements of several datasets in turn, which are read in the background.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ParallelInterleaveDatasetV3",
        .inputs = "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, "
                  "num_parallel_calls: int64",
        .outputs = "handle: variant",
        .attrs = "f: func; deterministic: string = 'default'; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; " SLI_DATASET_METADATA,
        .summary = "Takes elements of several datasets in turn, which are read in the background.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ParallelInterleaveDatasetV4",
        .inputs = "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, "
                  "buffer_output_elements: int64, prefetch_input_elements: int64, num_parallel_calls: int64",
        .outputs = "handle: variant",
        .attrs = "f: func; deterministic: string = 'default'; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; " SLI_DATASET_METADATA,
        .summary = "Takes elements of several datasets in turn, which are read in the background.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
};

#define WITH_LIBRARY .create = sli_dataset_library_create, .destroy = sli_dataset_library_destroy
static const sli_kernel_def_t kernels[] = {
    {.op = "FlatMapDataset", .compute = flat_map_dataset, WITH_LIBRARY},
    {.op = "InterleaveDataset", .compute = interleave_dataset, WITH_LIBRARY},
    {.op = "ParallelInterleaveDataset", .compute = parallel_dataset_v1, WITH_LIBRARY},
    {.op = "ExperimentalParallelInterleaveDataset", .compute = parallel_dataset_v1, WITH_LIBRARY},
    {.op = "LegacyParallelInterleaveDatasetV2", .compute = legacy_dataset, WITH_LIBRARY},
    {.op = "ParallelInterleaveDatasetV2", .compute = parallel_dataset, WITH_LIBRARY},
    {.op = "ParallelInterleaveDatasetV3", .compute = parallel_dataset, WITH_LIBRARY},
    {.op = "ParallelInterleaveDatasetV4", .compute = parallel_dataset, WITH_LIBRARY},
};

SLI_OP_MODULE(data_interleave);
