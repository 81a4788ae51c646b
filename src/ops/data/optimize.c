#include "ops/data/optimize.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/map.h"
#include "proto/dataset_options.fields.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

enum { DEEPEST_PIPELINE = 1000 };

sli_dataset_t *sli_dataset_recipe_input(const sli_dataset_t *dataset, int index) {
  sli_dataset_t *input;
  if (!dataset->recipe || index >= dataset->recipe->node.input_count) return NULL;
  sli_status_release(sli_dataset_of(dataset->recipe->inputs[index], &input));
  return input;
}

static bool has_attr(const sli_attr_entry_t *attrs, size_t count, const char *name) {
  bool has = false;
  for (size_t i = 0; i < count; i++) has |= !strcmp(attrs[i].name, name);
  return has;
}

static bool op_has_attr(const sli_op_t *op, const char *name) {
  bool has = false;
  for (int i = 0; i < op->attr_count; i++) has |= !strcmp(op->attrs[i].name, name);
  return has;
}

sli_status_t *sli_dataset_make_like(const sli_kernel_context_t *context, const sli_dataset_t *like,
                                    const sli_dataset_making_t *making, sli_tensor_t *const *inputs, int input_count,
                                    sli_dataset_t **out_dataset) {
  const sli_node_def_t *node = &like->recipe->node;
  const sli_op_t *op = sli_op_find(sli_view(making->op));
  SLI_CHECK(op);
  sli_attr_entry_t *attrs = sli_calloc(making->attr_count + node->attr_count + 1, sizeof(*attrs));
  size_t count = making->attr_count;
  for (size_t i = 0; i < making->attr_count; i++) attrs[i] = making->attrs[i];
  for (size_t i = 0; i < node->attr_count; i++)
    if (op_has_attr(op, node->attrs[i].name) && !has_attr(making->attrs, making->attr_count, node->attrs[i].name))
      attrs[count++] = node->attrs[i];
  sli_dataset_making_t full = {making->op, attrs, count, making->library ? making->library : like->recipe->library};
  sli_status_t *status = sli_dataset_make(&full, context, inputs, input_count, out_dataset);
  free(attrs);
  return status;
}

// --- What changes nothing ------------------------------------------------------------------------------------------

static bool input_is(const sli_dataset_t *dataset, int index, int64_t value) {
  const sli_tensor_t *tensor = dataset->recipe->inputs[index];
  return tensor->dtype == SLI_DTYPE_INT64 && tensor->count == 1 && SLI_DATA(const int64_t, tensor)[0] == value;
}

// The parts of a serialized FunctionDef that say where results come from.
typedef struct {
  sli_view_t arguments[SLI_DATASET_MAX_COMPONENTS], results[SLI_DATASET_MAX_COMPONENTS];
  size_t argument_count, result_count;
  sli_map_t sources;     // of results by name, to sli_view_t in |arena|
  sli_map_t identities;  // the input of each Identity by name, to sli_view_t in |arena|
  sli_arena_t arena;
} signature_t;

static sli_view_t first_text(sli_view_t message, uint32_t number) {
  sli_view_t text = {"", 0};
  sli_wire_reader_t reader = sli_wire_reader(message);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == number && field.type == SLI_WIRE_BYTES && !text.size) text = field.bytes;
  return text;
}

static void note(signature_t *signature, sli_map_t *map, sli_view_t name, sli_view_t value) {
  sli_view_t *copy = sli_arena_calloc(&signature->arena, 1, sizeof(*copy));
  *copy = value;
  sli_map_set(map, name, copy);
}

static void read_arguments(signature_t *signature, sli_view_t op) {
  sli_wire_reader_t reader = sli_wire_reader(op);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    sli_view_t name = first_text(field.bytes, SLI_FIELD_OP_DEF_ARG_DEF_NAME);
    if (field.number == SLI_FIELD_OP_DEF_INPUT_ARG && signature->argument_count < SLI_DATASET_MAX_COMPONENTS)
      signature->arguments[signature->argument_count++] = name;
    if (field.number == SLI_FIELD_OP_DEF_OUTPUT_ARG && signature->result_count < SLI_DATASET_MAX_COMPONENTS)
      signature->results[signature->result_count++] = name;
  }
}

static void read_signature(signature_t *signature, sli_view_t function) {
  sli_wire_reader_t reader = sli_wire_reader(function);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_FUNCTION_DEF_SIGNATURE) read_arguments(signature, field.bytes);
    if (field.number == SLI_FIELD_FUNCTION_DEF_RET)
      note(signature, &signature->sources, first_text(field.bytes, SLI_FIELD_FUNCTION_DEF_RET_ENTRY_KEY),
           first_text(field.bytes, SLI_FIELD_FUNCTION_DEF_RET_ENTRY_VALUE));
    if (field.number == SLI_FIELD_FUNCTION_DEF_NODE_DEF &&
        sli_view_is(first_text(field.bytes, SLI_FIELD_NODE_DEF_OP), "Identity"))
      note(signature, &signature->identities, first_text(field.bytes, SLI_FIELD_NODE_DEF_NAME),
           first_text(field.bytes, SLI_FIELD_NODE_DEF_INPUT));
  }
}

// The name before the colon of "node:output:0".
static sli_view_t node_of(sli_view_t source) {
  const char *colon = source.size ? memchr(source.data, ':', source.size) : NULL;
  return colon ? sli_view_of(source.data, (size_t)(colon - source.data)) : source;
}

static bool gives_argument(const signature_t *signature, size_t i) {
  const sli_view_t *source = sli_map_get(&signature->sources, signature->results[i]);
  for (size_t steps = 0; source && steps <= signature->identities.count; steps++) {
    const sli_view_t *next = sli_map_get(&signature->identities, node_of(*source));
    if (!next) return sli_view_equal(*source, signature->arguments[i]);
    source = next;
  }
  return false;
}

static bool is_identity(sli_view_t function) {
  signature_t *signature = sli_calloc(1, sizeof(*signature));
  read_signature(signature, function);
  bool is = signature->argument_count && signature->argument_count == signature->result_count;
  for (size_t i = 0; i < signature->result_count && is; i++) is = gives_argument(signature, i);
  sli_map_deinitialize(&signature->sources);
  sli_map_deinitialize(&signature->identities);
  sli_arena_deinitialize(&signature->arena);
  free(signature);
  return is;
}

// The function that an attribute of the recipe names; NULL: it has state, or there is none.
static const sli_attr_func_t *stateless_function(const sli_dataset_t *dataset, const char *attr) {
  const sli_attr_t *name = sli_node_attr(&dataset->recipe->node, attr);
  if (!name || name->kind != SLI_ATTR_FUNC || name->is_list || !dataset->recipe->library) return NULL;
  sli_status_t *state = sli_dataset_check_function_state(dataset->recipe->library, name->func.name);
  sli_status_release(state);
  return state ? NULL : &name->func;
}

static bool maps_to_itself(const sli_dataset_t *dataset) {
  bool is_map = sli_dataset_is_op(dataset, "MapDataset");
  bool is_parallel =
      sli_dataset_is_op(dataset, "ParallelMapDataset") || sli_dataset_is_op(dataset, "ParallelMapDatasetV2");
  if ((!is_map && !is_parallel) || dataset->recipe->node.input_count != (is_parallel ? 2 : 1)) return false;
  const sli_attr_func_t *function = stateless_function(dataset, "f");
  return function && is_identity(sli_function_definition(dataset->recipe->library, function->name));
}

static sli_status_t *eliminate_noop(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                    sli_dataset_t **out_dataset) {
  bool is_noop = (sli_dataset_is_op(dataset, "SkipDataset") && input_is(dataset, 1, 0)) ||
                 (sli_dataset_is_op(dataset, "RepeatDataset") && input_is(dataset, 1, 1)) ||
                 (sli_dataset_is_op(dataset, "ShardDataset") && input_is(dataset, 1, 1)) ||
                 (sli_dataset_is_op(dataset, "TakeDataset") && input_is(dataset, 1, -1)) || maps_to_itself(dataset);
  if (is_noop) *out_dataset = sli_dataset_retain(sli_dataset_recipe_input(dataset, 0));
  return NULL;
}

// --- Several at a time -----------------------------------------------------------------------------------------------

// The inputs of the recipe and, last, AUTOTUNE.
static sli_status_t *parallelize(const sli_kernel_context_t *context, sli_dataset_t *dataset, const char *op,
                                 sli_dataset_t **out_dataset) {
  int count = dataset->recipe->node.input_count;
  sli_tensor_t **inputs = sli_calloc((size_t)count + 1, sizeof(*inputs));
  for (int i = 0; i < count; i++) inputs[i] = dataset->recipe->inputs[i];
  inputs[count] = sli_tensor_scalar_int64(SLI_DATASET_AUTOTUNE);
  sli_attr_entry_t attrs[] = {SLI_ATTR_STRING_OF("deterministic", "true")};
  sli_status_t *status = sli_dataset_make_like(context, dataset, &(sli_dataset_making_t){op, attrs, 1, NULL}, inputs,
                                               count + 1, out_dataset);
  sli_tensor_release(inputs[count]);
  free(inputs);
  return status;
}

static sli_status_t *parallelize_map(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                     sli_dataset_t **out_dataset) {
  if (!sli_dataset_is_op(dataset, "MapDataset") || !stateless_function(dataset, "f")) return NULL;
  return parallelize(context, dataset, "ParallelMapDatasetV2", out_dataset);
}

static sli_status_t *parallelize_filter(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                        sli_dataset_t **out_dataset) {
  if (!sli_dataset_is_op(dataset, "FilterDataset") || !stateless_function(dataset, "predicate")) return NULL;
  return parallelize(context, dataset, "ParallelFilterDataset", out_dataset);
}

// --- Two in one ------------------------------------------------------------------------------------------------------

static sli_status_t *fuse_shuffle_and_repeat(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                             sli_dataset_t **out_dataset) {
  sli_dataset_t *shuffle = sli_dataset_is_op(dataset, "RepeatDataset") ? sli_dataset_recipe_input(dataset, 0) : NULL;
  bool is_first = sli_dataset_is_op(shuffle, "ShuffleDataset"),
       is_third = sli_dataset_is_op(shuffle, "ShuffleDatasetV3");
  if (!is_first && !is_third) return NULL;
  sli_tensor_t **old = shuffle->recipe->inputs;
  sli_tensor_t *inputs[] = {old[0], old[1], old[2], old[3], dataset->recipe->inputs[1], is_third ? old[4] : NULL};
  const char *op = is_third ? "ShuffleAndRepeatDatasetV2" : "ShuffleAndRepeatDataset";
  return sli_dataset_make_like(context, shuffle, &(sli_dataset_making_t){.op = op}, inputs, is_third ? 6 : 5,
                               out_dataset);
}

static sli_status_t *fuse_map_and_batch(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                        sli_dataset_t **out_dataset) {
  bool is_batch = sli_dataset_is_op(dataset, "BatchDataset"), is_second = sli_dataset_is_op(dataset, "BatchDatasetV2");
  sli_dataset_t *map = is_batch || is_second ? sli_dataset_recipe_input(dataset, 0) : NULL;
  bool is_plain = sli_dataset_is_op(map, "MapDataset"), is_parallel = sli_dataset_is_op(map, "ParallelMapDatasetV2");
  if (!is_plain && !is_parallel) return NULL;
  int taken = map->recipe->node.input_count - is_parallel, count = taken;
  sli_tensor_t **inputs = sli_calloc((size_t)taken + 3, sizeof(*inputs));
  for (int i = 0; i < taken; i++) inputs[i] = map->recipe->inputs[i];
  inputs[count++] = dataset->recipe->inputs[1];
  sli_tensor_t *one = sli_tensor_scalar_int64(1), *no = sli_tensor_scalar_bool(false);
  inputs[count++] = is_parallel ? map->recipe->inputs[taken] : one;
  inputs[count++] = is_second ? dataset->recipe->inputs[2] : no;
  const sli_node_def_t *batch = &dataset->recipe->node;
  sli_attr_entry_t attrs[] = {{"output_types", *sli_node_attr(batch, "output_types")},
                              {"output_shapes", *sli_node_attr(batch, "output_shapes")}};
  sli_dataset_making_t making = {"MapAndBatchDataset", attrs, SLI_ARRAY_COUNT_OF(attrs), NULL};
  sli_status_t *status = sli_dataset_make_like(context, map, &making, inputs, count, out_dataset);
  sli_tensor_release(one);
  sli_tensor_release(no);
  free(inputs);
  return status;
}

// At the end of the pipeline, unless its last part works in the background already.
static sli_status_t *inject_prefetch(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                     sli_dataset_t **out_dataset) {
  static const char *const skipped[] = {
      "AssertNextDataset", "ExperimentalAssertNextDataset", "IgnoreErrorsDataset", "OptionsDataset",
      "ModelDataset",      "MaxIntraOpParallelismDataset",  "OptimizeDataset",     "PrivateThreadPoolDataset"};
  static const char *const busy[] = {"MapAndBatchDataset", "ParallelBatchDataset", "ParallelInterleaveDataset",
                                     "ParallelMapDataset", "PrefetchDataset"};
  sli_dataset_t *last = dataset;
  while (last && sli_dataset_is_made_by(last, skipped, SLI_ARRAY_COUNT_OF(skipped)))
    last = sli_dataset_recipe_input(last, 0);
  if (!last || !last->recipe || sli_dataset_is_made_by(last, busy, SLI_ARRAY_COUNT_OF(busy))) return NULL;
  sli_attr_entry_t attrs[] = {
      {"output_types", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = (size_t)dataset->component_count}},
      {"output_shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = (size_t)dataset->component_count}}};
  attrs[0].value.list.type = dataset->types;
  attrs[1].value.list.shape = dataset->shapes;
  sli_tensor_t *inputs[] = {sli_dataset_to_tensor(sli_dataset_retain(dataset)),
                            sli_tensor_scalar_int64(SLI_DATASET_AUTOTUNE)};
  sli_dataset_making_t making = {"PrefetchDataset", attrs, SLI_ARRAY_COUNT_OF(attrs), NULL};
  sli_status_t *status = sli_dataset_make(&making, context, inputs, SLI_ARRAY_COUNT_OF(inputs), out_dataset);
  sli_tensor_release(inputs[0]);
  sli_tensor_release(inputs[1]);
  return status;
}

// --- All of a pipeline -----------------------------------------------------------------------------------------------

// In the order in which they are applied.
static const struct {
  const char *name;
  uint32_t option;  // its field in OptimizationOptions
  bool needs_autotune;
  bool is_for_root;  // only for the last dataset
  sli_dataset_rewrite_t rewrite;
} rewrites[] = {
    {"noop_elimination", SLI_FIELD_OPTIMIZATION_OPTIONS_NOOP_ELIMINATION, false, false, eliminate_noop},
    {"shuffle_and_repeat_fusion", SLI_FIELD_OPTIMIZATION_OPTIONS_SHUFFLE_AND_REPEAT_FUSION, false, false,
     fuse_shuffle_and_repeat},
    {"map_parallelization", SLI_FIELD_OPTIMIZATION_OPTIONS_MAP_PARALLELIZATION, true, false, parallelize_map},
    {"map_fusion", SLI_FIELD_OPTIMIZATION_OPTIONS_MAP_FUSION, false, false, sli_dataset_fuse_maps},
    {"filter_fusion", SLI_FIELD_OPTIMIZATION_OPTIONS_FILTER_FUSION, false, false, sli_dataset_fuse_filters},
    {"map_and_filter_fusion", SLI_FIELD_OPTIMIZATION_OPTIONS_MAP_AND_FILTER_FUSION, false, false,
     sli_dataset_fuse_map_and_filter},
    {"map_and_batch_fusion", SLI_FIELD_OPTIMIZATION_OPTIONS_MAP_AND_BATCH_FUSION, false, false, fuse_map_and_batch},
    {"filter_parallelization", SLI_FIELD_OPTIMIZATION_OPTIONS_FILTER_PARALLELIZATION, true, false, parallelize_filter},
    {"inject_prefetch", SLI_FIELD_OPTIMIZATION_OPTIONS_INJECT_PREFETCH, true, true, inject_prefetch},
};

typedef struct {
  const sli_kernel_context_t *context;
  sli_dataset_rewrite_t rewrite;
  sli_map_t done;  // by address of the old dataset, to the new one, which is counted
  int depth;
} rewriting_t;

static sli_status_t *rewrite_one(rewriting_t *self, sli_dataset_t *dataset, sli_dataset_t **out_dataset);

// Inputs first. What did not change is not made again, because a cache or a shuffle may have begun.
static sli_status_t *rewrite_inputs(rewriting_t *self, sli_dataset_t *dataset, sli_dataset_t **out_dataset) {
  const sli_dataset_recipe_t *recipe = dataset->recipe;
  int count = recipe->node.input_count;
  sli_tensor_t **inputs = sli_calloc((size_t)count + 1, sizeof(*inputs));
  bool is_changed = false;
  sli_status_t *status = NULL;
  for (int i = 0; i < count && !status; i++) {
    sli_dataset_t *input = sli_dataset_recipe_input(dataset, i), *changed = NULL;
    if (input) status = rewrite_one(self, input, &changed);
    if (status) break;
    is_changed |= changed != input;
    inputs[i] = input ? sli_dataset_to_tensor(changed) : sli_tensor_retain(recipe->inputs[i]);
  }
  if (!status && is_changed) status = sli_dataset_remake(recipe, self->context, inputs, out_dataset);
  if (!status && !is_changed) *out_dataset = sli_dataset_retain(dataset);
  for (int i = 0; i < count; i++) sli_tensor_release(inputs[i]);
  free(inputs);
  return status;
}

static sli_status_t *rewrite_one(rewriting_t *self, sli_dataset_t *dataset, sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  sli_view_t key = sli_view_of((const char *)&dataset, sizeof(dataset));
  sli_dataset_t *known = sli_map_get(&self->done, key), *made = NULL, *better = NULL;
  if (known) {
    *out_dataset = sli_dataset_retain(known);
    return NULL;
  }
  if (!dataset->recipe || self->depth >= DEEPEST_PIPELINE || sli_dataset_is_op(dataset, "NonSerializableDataset") ||
      sli_dataset_is_op(dataset, "ExperimentalNonSerializableDataset")) {
    *out_dataset = sli_dataset_retain(dataset);
    return NULL;
  }
  self->depth++;
  sli_status_t *status = rewrite_inputs(self, dataset, &made);
  self->depth--;
  SLI_RETURN_IF_ERROR(status);
  status = self->rewrite(self->context, made, &better);
  if (status || better) sli_dataset_release(made);
  SLI_RETURN_IF_ERROR(status);
  *out_dataset = better ? better : made;
  sli_map_set(&self->done, key, sli_dataset_retain(*out_dataset));
  return NULL;
}

// Replaces |*dataset|.
static sli_status_t *apply(const sli_kernel_context_t *context, size_t which, sli_dataset_t **dataset) {
  sli_dataset_t *made = NULL;
  sli_status_t *status;
  if (rewrites[which].is_for_root) {
    status = rewrites[which].rewrite(context, *dataset, &made);
  } else {
    rewriting_t self = {.context = context, .rewrite = rewrites[which].rewrite};
    status = rewrite_one(&self, *dataset, &made);
    SLI_MAP_FOR_EACH (&self.done, entry) sli_dataset_release(entry->value);
    sli_map_deinitialize(&self.done);
  }
  if (status || !made) return status;
  sli_dataset_release(*dataset);
  *dataset = made;
  return NULL;
}

static sli_status_t *apply_all(const sli_kernel_context_t *context, const bool *wanted, sli_dataset_t *dataset,
                               sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  sli_status_t *status = NULL;
  sli_dataset_retain(dataset);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rewrites) && !status; i++)
    if (wanted[i]) status = apply(context, i, &dataset);
  if (status)
    sli_dataset_release(dataset);
  else
    *out_dataset = dataset;
  return status;
}

// A bool field of the submessage |message| in serialized options: the last one counts. Unchanged if there is none.
static void read_option(sli_view_t options, uint32_t message, uint32_t number, bool *value) {
  sli_wire_reader_t reader = sli_wire_reader(options);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != message || field.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t inner = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&inner, &part);)
      if (part.number == number && part.type == SLI_WIRE_VARINT) *value = part.value != 0;
  }
}

sli_status_t *sli_dataset_optimize(sli_dataset_t *dataset, sli_device_t *device, sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  bool wanted[SLI_ARRAY_COUNT_OF(rewrites)] = {0}, tunes = true, any = false;
  sli_string_t text = {0};
  sli_dataset_append_options(dataset, &text);
  sli_view_t options = sli_view_of(text.data, text.size);
  read_option(options, SLI_FIELD_OPTIONS_AUTOTUNE_OPTIONS, SLI_FIELD_AUTOTUNE_OPTIONS_ENABLED, &tunes);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rewrites); i++) {
    read_option(options, SLI_FIELD_OPTIONS_OPTIMIZATION_OPTIONS, rewrites[i].option, &wanted[i]);
    wanted[i] &= tunes || !rewrites[i].needs_autotune;
    any |= wanted[i];
  }
  sli_string_deinitialize(&text);
  if (!any) {
    *out_dataset = sli_dataset_retain(dataset);
    return NULL;
  }
  sli_cancellation_t *cancellation = sli_cancellation_create();
  sli_step_t step = {.cancellation = cancellation, .deadline = SLI_CLOCK_NO_DEADLINE};
  sli_kernel_context_t context = {.device = device, .step = &step};
  sli_status_t *status = apply_all(&context, wanted, dataset, out_dataset);
  sli_cancellation_release(cancellation);
  return status;
}

sli_status_t *sli_dataset_optimize_by_name(sli_dataset_t *dataset, const sli_kernel_context_t *context,
                                           const sli_tensor_t *names, sli_dataset_t **out_dataset) {
  bool wanted[SLI_ARRAY_COUNT_OF(rewrites)] = {0};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rewrites); i++)
    for (int64_t j = 0; j < names->count; j++)
      wanted[i] |= sli_view_is(sli_tensor_string_at(names, j), rewrites[i].name);
  return apply_all(context, wanted, dataset, out_dataset);
}
