// GroupByWindowDataset and GroupByReducerDataset: elements grouped by a key that a function gives. Groups are kept and
// given in the order of their keys.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/elements.h"

typedef struct {
  sli_dataset_t base;
  sli_dataset_function_t key, reduce, window_size;  // the last of windows only
  sli_dataset_function_t init, finalize;            // of reducers only
} grouped_t;

typedef struct {
  int64_t key;
  int64_t window_size;
  sli_dataset_elements_t elements;  // of a window
  sli_tensor_t **state;             // of a reducer, counted
} group_t;

typedef struct {
  sli_iterator_t base;
  SLI_ARRAY(group_t) groups;  // sorted by key
  bool has_ended;
  sli_iterator_t *current;  // of what the reduction of a window gave
  sli_tensor_t *window;     // that window, a dataset; counted
  int64_t current_key;
  int64_t next;  // reducers: the next group to give
} grouper_t;

static void grouped_destroy(sli_dataset_t *dataset) {
  grouped_t *self = (grouped_t *)dataset;
  sli_dataset_function_deinitialize(&self->key);
  sli_dataset_function_deinitialize(&self->reduce);
  sli_dataset_function_deinitialize(&self->window_size);
  sli_dataset_function_deinitialize(&self->init);
  sli_dataset_function_deinitialize(&self->finalize);
}

static int64_t grouped_cardinality(const sli_dataset_t *dataset) {
  bool is_infinite = sli_dataset_cardinality(dataset->inputs[0]) == SLI_DATASET_INFINITE;
  return is_infinite ? SLI_DATASET_INFINITE : SLI_DATASET_UNKNOWN;
}

static int state_count(const grouped_t *self) { return self->init.function ? self->init.function->result_count : 0; }

static void group_clear(const grouped_t *self, group_t *group) {
  sli_dataset_elements_deinitialize(&group->elements);
  if (group->state) sli_dataset_release_element(group->state, state_count(self));
  free(group->state);
  group->state = NULL;
}

static void grouper_stop(sli_iterator_t *iterator) {
  grouper_t *state = (grouper_t *)iterator;
  for (size_t i = 0; i < state->groups.count; i++)
    group_clear((const grouped_t *)iterator->dataset, &state->groups.items[i]);
  sli_array_deinitialize(&state->groups);
  sli_iterator_release(state->current);
  sli_tensor_release(state->window);
}

// The group of |key|; a new one has a window size of 0.
static group_t *group_of(grouper_t *state, int64_t key) {
  size_t low = 0, high = state->groups.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (state->groups.items[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < state->groups.count && state->groups.items[low].key == key) return &state->groups.items[low];
  int components = state->base.dataset->inputs[0]->component_count;
  sli_array_push(&state->groups, (group_t){0});
  memmove(&state->groups.items[low + 1], &state->groups.items[low], sizeof(group_t) * (state->groups.count - 1 - low));
  state->groups.items[low] = (group_t){.key = key, .elements = {.component_count = components}};
  return &state->groups.items[low];
}

static sli_status_t *call_for_int(const sli_dataset_function_t *function, const sli_iterator_call_t *call,
                                  sli_tensor_t *const *arguments, int count, const char *what, int64_t *out_value) {
  sli_tensor_t *result;
  SLI_RETURN_IF_ERROR(sli_dataset_function_call(function, call, arguments, count, &result));
  sli_status_t *status = sli_dataset_result_int(&result, 1, what, out_value);
  sli_tensor_release(result);
  return status;
}

// The next element of the input and its key.
static sli_status_t *next_keyed(grouper_t *state, const sli_iterator_call_t *call, sli_tensor_t **element,
                                int64_t *out_key) {
  const grouped_t *self = (const grouped_t *)state->base.dataset;
  int count = self->base.inputs[0]->component_count;
  SLI_RETURN_IF_ERROR(sli_iterator_next(state->base.input, call, element, &state->has_ended));
  if (state->has_ended) return NULL;
  sli_status_t *status =
      call_for_int(&self->key, call, element, count, "`key_func` must return a scalar int64.", out_key);
  if (status) sli_dataset_release_element(element, count);
  return status;
}

// --- Windows -------------------------------------------------------------------------------------------------------

static sli_status_t *find_window_size(const grouped_t *self, const sli_iterator_call_t *call, group_t *group) {
  if (group->window_size) return NULL;
  int64_t size;
  sli_tensor_t *key = sli_tensor_scalar_int64(group->key);
  sli_status_t *status =
      call_for_int(&self->window_size, call, &key, 1, "`window_size_func` must return a scalar int64.", &size);
  sli_tensor_release(key);
  SLI_RETURN_IF_ERROR(status);
  if (size <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Window size must be greater than zero, but got %lld.",
                           (long long)size);
  group->window_size = size;
  return NULL;
}

// Calls the reduction for |state->current_key| and |state->window|.
static sli_status_t *open_window(grouper_t *state, const sli_iterator_call_t *call) {
  const grouped_t *self = (const grouped_t *)state->base.dataset;
  sli_tensor_t *arguments[2] = {sli_tensor_scalar_int64(state->current_key), state->window}, *result;
  sli_dataset_t *dataset;
  sli_status_t *status = sli_dataset_function_call(&self->reduce, call, arguments, 2, &result);
  sli_tensor_release(arguments[0]);
  SLI_RETURN_IF_ERROR(status);
  status = sli_dataset_of(result, &dataset);
  if (status) {
    sli_status_release(status);
    status = sli_status_make(SLI_INVALID_ARGUMENT, "`reduce_func` must return a single scalar of dtype DT_VARIANT.");
  }
  if (!status)
    status =
        sli_dataset_check_types(self->base.types, self->base.component_count, dataset->types, dataset->component_count);
  if (!status) status = sli_iterator_create(dataset, state->base.root, &state->current);
  sli_tensor_release(result);
  return status;
}

static sli_status_t *flush(grouper_t *state, const sli_iterator_call_t *call, group_t *group) {
  const sli_dataset_t *input = state->base.dataset->inputs[0];
  state->current_key = group->key;
  state->window = sli_dataset_to_tensor(sli_dataset_create_elements(&group->elements, input->types, input->shapes));
  group->elements = (sli_dataset_elements_t){.component_count = input->component_count};
  return open_window(state, call);
}

static void close_window(grouper_t *state) {
  sli_iterator_release(state->current);
  sli_tensor_release(state->window);
  state->current = NULL;
  state->window = NULL;
}

// Reads the input until a window is full.
static sli_status_t *fill_window(grouper_t *state, const sli_iterator_call_t *call) {
  const grouped_t *self = (const grouped_t *)state->base.dataset;
  while (!state->has_ended && !state->current) {
    sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
    int64_t key;
    SLI_RETURN_IF_ERROR(next_keyed(state, call, element, &key));
    if (state->has_ended) break;
    group_t *group = group_of(state, key);
    sli_status_t *status = find_window_size(self, call, group);
    if (status) {
      sli_dataset_release_element(element, self->base.inputs[0]->component_count);
      return status;
    }
    sli_dataset_elements_push(&group->elements, element);
    if (group->elements.count == group->window_size) SLI_RETURN_IF_ERROR(flush(state, call, group));
  }
  for (size_t i = 0; i < state->groups.count && !state->current; i++)
    if (state->groups.items[i].elements.count) SLI_RETURN_IF_ERROR(flush(state, call, &state->groups.items[i]));
  return NULL;
}

static sli_status_t *window_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  grouper_t *state = (grouper_t *)iterator;
  for (;;) {
    if (state->current) {
      bool is_end;
      SLI_RETURN_IF_ERROR(sli_iterator_next(state->current, call, out_element, &is_end));
      if (!is_end) return NULL;
      close_window(state);
    }
    sli_status_t *status = fill_window(state, call);
    if (status) close_window(state);
    SLI_RETURN_IF_ERROR(status);
    if (state->current) continue;
    *out_end = true;
    return NULL;
  }
}

static sli_status_t *window_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  grouper_t *state = (grouper_t *)iterator;
  sli_iterator_write_int(writer, state->has_ended);
  sli_iterator_write_int(writer, (int64_t)state->groups.count);
  for (size_t i = 0; i < state->groups.count; i++) {
    sli_iterator_write_int(writer, state->groups.items[i].key);
    sli_iterator_write_int(writer, state->groups.items[i].window_size);
    SLI_RETURN_IF_ERROR(sli_dataset_elements_save(&state->groups.items[i].elements, writer));
  }
  sli_iterator_write_int(writer, state->current != NULL);
  if (!state->current) return NULL;
  sli_dataset_t *window;
  SLI_RETURN_IF_ERROR(sli_dataset_of(state->window, &window));
  sli_iterator_write_int(writer, state->current_key);
  SLI_RETURN_IF_ERROR(sli_dataset_elements_save(sli_dataset_elements_of(window), writer));
  return sli_iterator_save(state->current, writer);
}

static sli_status_t *restore_current(grouper_t *state, sli_iterator_reader_t *reader) {
  sli_iterator_call_t call = {state->base.root->cancellation};
  sli_dataset_t *input = state->base.dataset->inputs[0];
  sli_dataset_elements_t elements = {.component_count = input->component_count};
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, INT64_MIN, INT64_MAX, &state->current_key));
  sli_status_t *status = sli_dataset_elements_restore(&elements, input, reader);
  state->window = sli_dataset_to_tensor(sli_dataset_create_elements(&elements, input->types, input->shapes));
  if (!status) status = open_window(state, &call);
  return status ? status : sli_iterator_restore(state->current, reader);
}

static sli_status_t *window_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  grouper_t *state = (grouper_t *)iterator;
  int64_t has_ended, count, key, has_current;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_ended));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &count));
  state->has_ended = has_ended;
  for (int64_t i = 0; i < count; i++) {
    SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, INT64_MIN, INT64_MAX, &key));
    group_t *group = group_of(state, key);
    SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &group->window_size));
    SLI_RETURN_IF_ERROR(sli_dataset_elements_restore(&group->elements, iterator->dataset->inputs[0], reader));
  }
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_current));
  return has_current ? restore_current(state, reader) : NULL;
}

// --- Reducers ------------------------------------------------------------------------------------------------------

static sli_status_t *reduce_one(const grouped_t *self, const sli_iterator_call_t *call, group_t *group,
                                sli_tensor_t **element) {
  int states = state_count(self), inputs = self->base.inputs[0]->component_count;
  sli_tensor_t *arguments[2 * SLI_DATASET_MAX_COMPONENTS], *results[SLI_DATASET_MAX_COMPONENTS];
  if (!group->state) {
    sli_tensor_t *key = sli_tensor_scalar_int64(group->key);
    sli_status_t *status = sli_dataset_function_call(&self->init, call, &key, 1, results);
    sli_tensor_release(key);
    SLI_RETURN_IF_ERROR(status);
    group->state = sli_calloc((size_t)states + 1, sizeof(group->state[0]));
    for (int i = 0; i < states; i++) group->state[i] = results[i];
  }
  for (int i = 0; i < states; i++) arguments[i] = group->state[i];
  for (int i = 0; i < inputs; i++) arguments[states + i] = element[i];
  SLI_RETURN_IF_ERROR(sli_dataset_function_call(&self->reduce, call, arguments, states + inputs, results));
  for (int i = 0; i < states; i++) {
    sli_tensor_release(group->state[i]);
    group->state[i] = results[i];
  }
  return NULL;
}

static sli_status_t *reducer_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                  bool *out_end) {
  const grouped_t *self = (const grouped_t *)iterator->dataset;
  grouper_t *state = (grouper_t *)iterator;
  while (!state->has_ended) {
    sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
    int64_t key;
    SLI_RETURN_IF_ERROR(next_keyed(state, call, element, &key));
    if (state->has_ended) break;
    sli_status_t *status = reduce_one(self, call, group_of(state, key), element);
    sli_dataset_release_element(element, self->base.inputs[0]->component_count);
    SLI_RETURN_IF_ERROR(status);
  }
  *out_end = (size_t)state->next >= state->groups.count;
  if (*out_end) return NULL;
  const group_t *group = &state->groups.items[state->next++];
  return sli_dataset_function_call(&self->finalize, call, group->state, state_count(self), out_element);
}

static sli_status_t *reducer_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  grouper_t *state = (grouper_t *)iterator;
  int states = state_count((const grouped_t *)iterator->dataset);
  sli_iterator_write_int(writer, state->has_ended);
  sli_iterator_write_int(writer, state->next);
  sli_iterator_write_int(writer, (int64_t)state->groups.count);
  for (size_t i = 0; i < state->groups.count; i++) {
    const group_t *group = &state->groups.items[i];
    sli_iterator_write_int(writer, group->key);
    sli_iterator_write_int(writer, group->state != NULL);
    if (group->state) SLI_RETURN_IF_ERROR(sli_iterator_write_element(writer, group->state, states));
  }
  return NULL;
}

static sli_status_t *restore_state(const grouped_t *self, group_t *group, sli_iterator_reader_t *reader) {
  int states = state_count(self);
  if (group->state) return sli_status_make(SLI_DATA_LOSS, "The state of the iterator is malformed: a key comes twice");
  group->state = sli_calloc((size_t)states + 1, sizeof(group->state[0]));
  for (int i = 0; i < states; i++) {
    SLI_RETURN_IF_ERROR(sli_iterator_read_tensor(reader, &group->state[i]));
    if (group->state[i]->dtype != self->init.function->result_types[i])
      return sli_status_make(SLI_DATA_LOSS, "The state of the iterator is malformed: a tensor has another type");
  }
  return NULL;
}

static sli_status_t *reducer_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  grouper_t *state = (grouper_t *)iterator;
  int64_t has_ended, count, key, has_state;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_ended));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &state->next));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &count));
  state->has_ended = has_ended;
  for (int64_t i = 0; i < count; i++) {
    SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, INT64_MIN, INT64_MAX, &key));
    group_t *group = group_of(state, key);
    SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_state));
    // A group without a state is left only by an error.
    if (!has_state) return sli_status_make(SLI_DATA_LOSS, "The state of the iterator is malformed: a group is empty");
    SLI_RETURN_IF_ERROR(restore_state((const grouped_t *)iterator->dataset, group, reader));
  }
  return NULL;
}

static const sli_dataset_kind_t window_kind = {.name = "GroupByWindowDataset",
                                               .iterator_size = sizeof(grouper_t),
                                               .opens_input = true,
                                               .destroy = grouped_destroy,
                                               .cardinality = grouped_cardinality,
                                               .next = window_next,
                                               .stop = grouper_stop,
                                               .save = window_save,
                                               .restore = window_restore};
static const sli_dataset_kind_t reducer_kind = {.name = "GroupByReducerDataset",
                                                .iterator_size = sizeof(grouper_t),
                                                .opens_input = true,
                                                .destroy = grouped_destroy,
                                                .cardinality = grouped_cardinality,
                                                .next = reducer_next,
                                                .stop = grouper_stop,
                                                .save = reducer_save,
                                                .restore = reducer_restore};

// --- Kernels ---------------------------------------------------------------------------------------------------------

static sli_status_t *window_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &window_kind, sizeof(grouped_t), &input, 1, &dataset));
  grouped_t *self = (grouped_t *)dataset;
  sli_status_t *status = sli_dataset_function_initialize(context, "key_func", "key_func_other_arguments", &self->key);
  if (!status)
    status = sli_dataset_function_initialize(context, "reduce_func", "reduce_func_other_arguments", &self->reduce);
  if (!status)
    status = sli_dataset_function_initialize(context, "window_size_func", "window_size_func_other_arguments",
                                             &self->window_size);
  if (!status) status = sli_dataset_function_check(&self->key, input->component_count, 1);
  if (!status) status = sli_dataset_function_check(&self->reduce, 2, 1);
  if (!status) status = sli_dataset_function_check(&self->window_size, 1, 1);
  return sli_dataset_finish(context, dataset, status);
}

static sli_status_t *check_reducer(const grouped_t *self) {
  int states = state_count(self), inputs = self->base.inputs[0]->component_count;
  SLI_RETURN_IF_ERROR(sli_dataset_check_count((size_t)states));
  SLI_RETURN_IF_ERROR(sli_dataset_function_check(&self->key, inputs, 1));
  SLI_RETURN_IF_ERROR(sli_dataset_function_check(&self->init, 1, -1));
  SLI_RETURN_IF_ERROR(sli_dataset_function_check(&self->reduce, states + inputs, states));
  return sli_dataset_function_check(&self->finalize, states, self->base.component_count);
}

static sli_status_t *reducer_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &reducer_kind, sizeof(grouped_t), &input, 1, &dataset));
  grouped_t *self = (grouped_t *)dataset;
  sli_status_t *status = sli_dataset_function_initialize(context, "key_func", "key_func_other_arguments", &self->key);
  if (!status) status = sli_dataset_function_initialize(context, "init_func", "init_func_other_arguments", &self->init);
  if (!status)
    status = sli_dataset_function_initialize(context, "reduce_func", "reduce_func_other_arguments", &self->reduce);
  if (!status)
    status =
        sli_dataset_function_initialize(context, "finalize_func", "finalize_func_other_arguments", &self->finalize);
  if (!status) status = check_reducer(self);
  return sli_dataset_finish(context, dataset, status);
}

static const sli_op_def_t ops[] = {
    {
        .name = "GroupByWindowDataset",
        .inputs =
            "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, reduce_func_other_arguments: "
            "Treduce_func_other_arguments, window_size_func_other_arguments: Twindow_size_func_other_arguments",
        .outputs = "handle: variant",
        .attrs = "key_func: func; reduce_func: func; window_size_func: func; Tkey_func_other_arguments: list(type) >= "
                 "0; Treduce_func_other_arguments: list(type) >= 0; Twindow_size_func_other_arguments: list(type) >= "
                 "0; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Groups elements by a key and reduces windows of each group.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ExperimentalGroupByWindowDataset",
        .inputs =
            "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, reduce_func_other_arguments: "
            "Treduce_func_other_arguments, window_size_func_other_arguments: Twindow_size_func_other_arguments",
        .outputs = "handle: variant",
        .attrs = "key_func: func; reduce_func: func; window_size_func: func; Tkey_func_other_arguments: list(type) >= "
                 "0; Treduce_func_other_arguments: list(type) >= 0; Twindow_size_func_other_arguments: list(type) >= "
                 "0; " SLI_DATASET_ELEMENTS,
        .summary = "Groups elements by a key and reduces windows of each group.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "GroupByReducerDataset",
        .inputs = "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
                  "init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments: "
                  "Treduce_func_other_arguments, finalize_func_other_arguments: Tfinalize_func_other_arguments",
        .outputs = "handle: variant",
        .attrs = "key_func: func; init_func: func; reduce_func: func; finalize_func: func; Tkey_func_other_arguments: "
                 "list(type) >= 0; Tinit_func_other_arguments: list(type) >= 0; Treduce_func_other_arguments: "
                 "list(type) >= 0; Tfinalize_func_other_arguments: list(type) >= 0; " SLI_DATASET_ELEMENTS,
        .summary = "Groups elements by a key and reduces each group to one element.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "ExperimentalGroupByReducerDataset",
        .inputs = "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
                  "init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments: "
                  "Treduce_func_other_arguments, finalize_func_other_arguments: Tfinalize_func_other_arguments",
        .outputs = "handle: variant",
        .attrs = "key_func: func; init_func: func; reduce_func: func; finalize_func: func; Tkey_func_other_arguments: "
                 "list(type) >= 0; Tinit_func_other_arguments: list(type) >= 0; Treduce_func_other_arguments: "
                 "list(type) >= 0; Tfinalize_func_other_arguments: list(type) >= 0; " SLI_DATASET_ELEMENTS,
        .summary = "Groups elements by a key and reduces each group to one element.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
};

#define WITH_LIBRARY .create = sli_dataset_library_create, .destroy = sli_dataset_library_destroy
static const sli_kernel_def_t kernels[] = {
    {.op = "GroupByWindowDataset", .compute = window_dataset, WITH_LIBRARY},
    {.op = "ExperimentalGroupByWindowDataset", .compute = window_dataset, WITH_LIBRARY},
    {.op = "GroupByReducerDataset", .compute = reducer_dataset, WITH_LIBRARY},
    {.op = "ExperimentalGroupByReducerDataset", .compute = reducer_dataset, WITH_LIBRARY},
};

SLI_OP_MODULE(data_group);
