// AutoShardDataset: the share of one worker in a pipeline that was written for one.
//
// FILE: the pipeline is made again with a ShardDataset in front of what reads files, so that each worker opens its own
// files only. A shuffle of the file names goes behind the shard, or two workers would shuffle differently and read the
// same file. DATA: every worker reads everything and keeps its elements. AUTO: FILE, or DATA where nothing reads files.
// HINT: the shards that the program marked with SHARD_HINT. Which ops count as what is TensorFlow's choice.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/recipe.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

enum { POLICY_OFF = -1, POLICY_AUTO = 0, POLICY_FILE = 1, POLICY_DATA = 2, POLICY_HINT = 3 };
enum { DEEPEST_FUNCTION = 32, DEEPEST_PIPELINE = 1000 };

static const char *const reader_ops[] = {"FixedLengthRecordDataset", "TextLineDataset", "TFRecordDataset"};
static const char *const function_ops[] = {"ExperimentalParallelInterleaveDataset", "FlatMapDataset",
                                           "InterleaveDataset", "LegacyParallelInterleaveDataset",
                                           "ParallelInterleaveDataset"};
static const char *const passing_ops[] = {"AssertNextDataset",
                                          "BatchDataset",
                                          "CacheDataset",
                                          "ExperimentalMapAndBatchDataset",
                                          "ExperimentalParseExampleDataset",
                                          "ExperimentalRebatchDataset",
                                          "FilterDataset",
                                          "MapAndBatchDataset",
                                          "MapDataset",
                                          "OptionsDataset",
                                          "PaddedBatchDataset",
                                          "ParallelBatchDataset",
                                          "ParallelMapDataset",
                                          "ParseExampleDataset",
                                          "PrefetchDataset",
                                          "RebatchDataset",
                                          "RepeatDataset",
                                          "ShardDataset",
                                          "ShuffleAndRepeatDataset",
                                          "ShuffleDataset",
                                          "SkipDataset",
                                          "TakeDataset",
                                          "UnbatchDataset",
                                          "WindowDataset"};
static const char *const several_ops[] = {"ConcatenateDataset", "ZipDataset"};
static const char *const unshardable_ops[] = {"GeneratorDataset", "RangeDataset", "SparseTensorsSliceDataset",
                                              "TensorDataset", "TensorSliceDataset"};
#define MADE_BY(dataset, ops) sli_dataset_is_made_by(dataset, ops, SLI_ARRAY_COUNT_OF(ops))
#define OP_IS_ONE_OF(op, ops) sli_dataset_op_is_one_of(op, ops, SLI_ARRAY_COUNT_OF(ops))

typedef struct {
  const sli_kernel_context_t *context;
  int64_t workers, index, replicas;
  int depth;
} sharding_t;

static bool is_made_by(const sli_dataset_t *dataset, const char *op) {
  return dataset->recipe && !strcmp(dataset->recipe->node.op->def->name, op);
}

// The dataset in an input of a recipe (borrowed); NULL: the input is something else.
static sli_dataset_t *input_dataset(const sli_dataset_t *dataset, int index) {
  sli_dataset_t *input;
  if (!dataset->recipe || index >= dataset->recipe->node.input_count) return NULL;
  sli_status_release(sli_dataset_of(dataset->recipe->inputs[index], &input));
  return input;
}

// --- Parts of a new pipeline -------------------------------------------------------------------------------

static sli_status_t *add_shard(const sharding_t *sharding, sli_dataset_t *input, sli_dataset_t **out_dataset) {
  sli_attr_entry_t attrs[] = {
      SLI_ATTR_BOOL_OF("require_non_empty", true),
      {"output_types", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = (size_t)input->component_count}},
      {"output_shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = (size_t)input->component_count}}};
  attrs[1].value.list.type = input->types;
  attrs[2].value.list.shape = input->shapes;
  sli_tensor_t *inputs[] = {sli_dataset_to_tensor(sli_dataset_retain(input)),
                            sli_tensor_scalar_int64(sharding->workers), sli_tensor_scalar_int64(sharding->index)};
  sli_status_t *status =
      sli_dataset_make(&(sli_dataset_making_t){"ShardDataset", attrs, SLI_ARRAY_COUNT_OF(attrs), NULL},
                       sharding->context, inputs, SLI_ARRAY_COUNT_OF(inputs), out_dataset);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(inputs); i++) sli_tensor_release(inputs[i]);
  return status;
}

typedef sli_status_t *(*change_t)(sharding_t *sharding, sli_dataset_t *dataset, void *user,
                                  sli_dataset_t **out_dataset);

// |dataset| made again, with |change| applied to each dataset that it takes elements from. Itself if none changes.
static sli_status_t *change_inputs(sharding_t *sharding, sli_dataset_t *dataset, change_t change, void *user,
                                   sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  const sli_dataset_recipe_t *recipe = dataset->recipe;
  int count = recipe ? recipe->node.input_count : 0;
  if (sharding->depth >= DEEPEST_PIPELINE)
    return sli_status_make(SLI_INVALID_ARGUMENT, "A pipeline of more than %d datasets cannot be sharded",
                           DEEPEST_PIPELINE);
  sharding->depth++;
  sli_tensor_t **inputs = sli_calloc((size_t)count + 1, sizeof(*inputs));
  bool is_changed = false;
  sli_status_t *status = NULL;
  for (int i = 0; i < count && !status; i++) {
    sli_dataset_t *input = input_dataset(dataset, i), *changed = NULL;
    if (input) status = change(sharding, input, user, &changed);
    if (status) break;
    is_changed |= changed != input;
    inputs[i] = input ? sli_dataset_to_tensor(changed) : sli_tensor_retain(recipe->inputs[i]);
  }
  if (!status && is_changed) status = sli_dataset_remake(recipe, sharding->context, inputs, out_dataset);
  if (!status && !is_changed) *out_dataset = sli_dataset_retain(dataset);
  for (int i = 0; i < count; i++) sli_tensor_release(inputs[i]);
  free(inputs);
  sharding->depth--;
  return status;
}

// --- By file -------------------------------------------------------------------------------------------------

// Removes the shuffles of one version; the one nearest to the source is noted, to be put behind the shard.
typedef struct {
  const char *op;
  const sli_dataset_recipe_t *last;
} shuffles_t;

static sli_status_t *without_shuffles(sharding_t *sharding, sli_dataset_t *dataset, void *user,
                                      sli_dataset_t **out_dataset) {
  shuffles_t *shuffles = user;
  if (!is_made_by(dataset, shuffles->op)) return change_inputs(sharding, dataset, without_shuffles, user, out_dataset);
  shuffles->last = dataset->recipe;
  return without_shuffles(sharding, input_dataset(dataset, 0), user, out_dataset);
}

// The share of this worker in |dataset|, whose elements are files; shuffled behind the shard if it was before.
static sli_status_t *share_of_files(sharding_t *sharding, sli_dataset_t *dataset, sli_dataset_t **out_dataset) {
  static const char *const shuffle_ops[] = {"ShuffleDataset", "ShuffleDatasetV2", "ShuffleDatasetV3"};
  *out_dataset = NULL;
  sli_dataset_t *files = sli_dataset_retain(dataset), *shard = NULL;
  shuffles_t shuffles = {0};
  sli_status_t *status = NULL;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(shuffle_ops) && !status && !shuffles.last; i++) {
    sli_dataset_t *ordered = NULL;
    shuffles.op = shuffle_ops[i];
    status = without_shuffles(sharding, files, &shuffles, &ordered);
    if (status) break;
    sli_dataset_release(files);
    files = ordered;
  }
  if (!status) status = add_shard(sharding, files, &shard);
  if (!status && shuffles.last)
    status = sli_dataset_remake_from(shuffles.last, sharding->context, shard, out_dataset);
  else if (!status)
    *out_dataset = sli_dataset_retain(shard);
  sli_dataset_release(shard);
  sli_dataset_release(files);
  return status;
}

static sli_status_t *shard_source(sharding_t *sharding, sli_dataset_t *dataset, sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  sli_dataset_t *input = input_dataset(dataset, 0), *share;
  if (!input)
    return sli_status_make(SLI_NOT_FOUND,
                           "Unable to shard this input. You may need to wrap the inputs to your reader dataset in a "
                           "TensorSliceDataset. Input node is that of %s",
                           dataset->recipe->node.name);
  SLI_RETURN_IF_ERROR(share_of_files(sharding, input, &share));
  sli_status_t *status = sli_dataset_remake_from(dataset->recipe, sharding->context, share, out_dataset);
  sli_dataset_release(share);
  return status;
}

// The name of the function in attribute "f" of a serialized node.
static sli_view_t nested_function(sli_view_t node, sli_arena_t *arena) {
  sli_wire_reader_t reader = sli_wire_reader(node);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_NODE_DEF_ATTR || field.type != SLI_WIRE_BYTES) continue;
    sli_view_t key = {"", 0}, value = {"", 0};
    sli_wire_reader_t entry = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&entry, &part);) {
      if (part.number == SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY) key = part.bytes;
      if (part.number == SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE) value = part.bytes;
    }
    sli_attr_t attr;
    if (!sli_view_is(key, "f")) continue;
    sli_status_t *status = sli_attr_decode(value, arena, &attr);
    sli_status_release(status);
    if (status || attr.is_list || attr.kind != SLI_ATTR_FUNC) break;
    return attr.func.name;
  }
  return (sli_view_t){"", 0};
}

// Whether a function of the library reads files, itself or through the function of a dataset in it.
static bool function_reads(sli_function_library_t *library, sli_view_t name, int depth) {
  if (depth >= DEEPEST_FUNCTION) return false;
  bool reads = false;
  sli_arena_t arena = {0};
  sli_wire_reader_t reader = sli_wire_reader(sli_function_definition(library, name));
  for (sli_wire_field_t field; !reads && sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FUNCTION_DEF_NODE_DEF || field.type != SLI_WIRE_BYTES) continue;
    sli_view_t op = {"", 0};
    bool has_input = false;
    sli_wire_reader_t node = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&node, &part);) {
      if (part.number == SLI_FIELD_NODE_DEF_OP) op = part.bytes;
      has_input |= part.number == SLI_FIELD_NODE_DEF_INPUT;
    }
    reads = has_input && OP_IS_ONE_OF(op, reader_ops);
    if (!reads && OP_IS_ONE_OF(op, function_ops))
      reads = function_reads(library, nested_function(field.bytes, &arena), depth + 1);
  }
  sli_arena_deinitialize(&arena);
  return reads;
}

static bool reads_in_function(const sli_dataset_t *dataset) {
  const sli_attr_t *attr = sli_node_attr(&dataset->recipe->node, "f");
  return attr && attr->kind == SLI_ATTR_FUNC && dataset->recipe->library &&
         function_reads(dataset->recipe->library, attr->func.name, 0);
}

// Whether |dataset| flattens a list of datasets that the program has made.
static bool flattens_datasets(const sli_dataset_t *dataset) {
  sli_dataset_t *input = input_dataset(dataset, 0);
  if (!input || !MADE_BY(dataset, function_ops)) return false;
  return (is_made_by(input, "TensorSliceDataset") || is_made_by(input, "TensorDataset")) &&
         input->recipe->node.input_count && input->recipe->inputs[0]->dtype == SLI_DTYPE_VARIANT;
}

// Follows the datasets that pass elements on, and shards behind the one that flattens a list of datasets.
static sli_status_t *shard_flattened(sharding_t *sharding, sli_dataset_t *dataset, void *user,
                                     sli_dataset_t **out_dataset) {
  return flattens_datasets(dataset) ? share_of_files(sharding, dataset, out_dataset)
                                    : change_inputs(sharding, dataset, shard_flattened, user, out_dataset);
}

static bool has_flattened(const sli_dataset_t *dataset) {
  for (int depth = 0; dataset && depth < DEEPEST_PIPELINE; depth++, dataset = input_dataset(dataset, 0)) {
    if (flattens_datasets(dataset)) return true;
    if (!MADE_BY(dataset, passing_ops)) return false;
  }
  return false;
}

static sli_status_t *shard_files(sharding_t *sharding, sli_dataset_t *dataset, void *user,
                                 sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  bool calls = MADE_BY(dataset, function_ops), passes = MADE_BY(dataset, passing_ops);
  if (is_made_by(dataset, "AssertCardinalityDataset"))
    return shard_files(sharding, input_dataset(dataset, 0), user, out_dataset);
  if (MADE_BY(dataset, unshardable_ops))
    return sli_status_make(SLI_NOT_FOUND, "Found an unshardable source dataset: %s (%s)", dataset->recipe->node.name,
                           dataset->recipe->node.op->def->name);
  if (MADE_BY(dataset, several_ops)) return change_inputs(sharding, dataset, shard_files, user, out_dataset);
  if (calls && has_flattened(input_dataset(dataset, 0)))
    return change_inputs(sharding, dataset, shard_flattened, user, out_dataset);
  if ((calls || passes) && reads_in_function(dataset)) return shard_source(sharding, dataset, out_dataset);
  if (MADE_BY(dataset, reader_ops)) return shard_source(sharding, dataset, out_dataset);
  if (calls || passes) return change_inputs(sharding, dataset, shard_files, user, out_dataset);
  return sli_status_make(
      SLI_NOT_FOUND,
      "Did not find a shardable source, walked to a node which is not a dataset: %s (%s). Consider either turning off "
      "auto-sharding or switching the auto_shard_policy to DATA to shard this dataset. You can do this by creating a "
      "new `tf.data.Options()` object then setting `options.experimental_distribute.auto_shard_policy = "
      "AutoShardPolicy.DATA` before applying the options object to the dataset via `dataset.with_options(options)`.",
      dataset->recipe ? dataset->recipe->node.name : "a dataset", dataset->kind->name);
}

// --- By element, by hint ---------------------------------------------------------------------------------------

// A batch that is divided among replicas is divided before it is shared out, evenly.
static sli_status_t *rebatch_evenly(const sharding_t *sharding, sli_dataset_t *dataset, sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  if (sharding->replicas < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Cannot rewrite RebatchDatasetV2 to legacy RebatchDataset with invalid num_replicas "
                           "argument. `num_replicas` is %lld, but expected to be >= 1.",
                           (long long)sharding->replicas);
  sli_arena_t arena = {0};
  sli_shape_t *shapes = sli_arena_calloc(&arena, (size_t)dataset->component_count + 1, sizeof(*shapes));
  for (int i = 0; i < dataset->component_count; i++) {
    shapes[i] = sli_shape_copy(&arena, dataset->shapes[i]);
    if (shapes[i].rank > 0) ((int64_t *)shapes[i].dims)[0] = -1;
  }
  sli_attr_entry_t attrs[] = {
      {"output_types", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = (size_t)dataset->component_count}},
      {"output_shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = (size_t)dataset->component_count}}};
  attrs[0].value.list.type = dataset->types;
  attrs[1].value.list.shape = shapes;
  sli_tensor_t *inputs[] = {dataset->recipe->inputs[0], sli_tensor_scalar_int64(sharding->replicas)};
  sli_status_t *status =
      sli_dataset_make(&(sli_dataset_making_t){"RebatchDataset", attrs, SLI_ARRAY_COUNT_OF(attrs), NULL},
                       sharding->context, inputs, SLI_ARRAY_COUNT_OF(inputs), out_dataset);
  sli_tensor_release(inputs[1]);
  sli_arena_deinitialize(&arena);
  return status;
}

// The last prefetch stays behind the shard: it shall fetch elements of this worker only.
static sli_status_t *shard_data(sharding_t *sharding, sli_dataset_t *dataset, void *user, sli_dataset_t **out_dataset) {
  if (is_made_by(dataset, "PrefetchDataset") || is_made_by(dataset, "OptionsDataset"))
    return change_inputs(sharding, dataset, shard_data, user, out_dataset);
  if (!is_made_by(dataset, "RebatchDatasetV2")) return add_shard(sharding, dataset, out_dataset);
  sli_dataset_t *even;
  SLI_RETURN_IF_ERROR(rebatch_evenly(sharding, dataset, &even));
  sli_status_t *status = add_shard(sharding, even, out_dataset);
  sli_dataset_release(even);
  return status;
}

static sli_status_t *shard_hints(sharding_t *sharding, sli_dataset_t *dataset, void *user,
                                 sli_dataset_t **out_dataset) {
  sli_dataset_t *input = input_dataset(dataset, 0), *changed;
  if (!is_made_by(dataset, "ShardDataset") ||
      sli_tensor_int_at(dataset->recipe->inputs[1], 0) != SLI_DATASET_SHARD_HINT)
    return change_inputs(sharding, dataset, shard_hints, user, out_dataset);
  SLI_RETURN_IF_ERROR(shard_hints(sharding, input, user, &changed));
  sli_status_t *status = add_shard(sharding, changed, out_dataset);
  sli_dataset_release(changed);
  return status;
}

// --- Kernel ----------------------------------------------------------------------------------------------------

static sli_status_t *shard(sharding_t *sharding, int64_t policy, sli_dataset_t *input, sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  switch (policy) {
    case POLICY_OFF: break;
    case POLICY_FILE:
      if (sharding->workers > 1) return shard_files(sharding, input, NULL, out_dataset);
      break;
    case POLICY_DATA: return shard_data(sharding, input, NULL, out_dataset);
    case POLICY_HINT: return shard_hints(sharding, input, NULL, out_dataset);
    case POLICY_AUTO: {
      sli_status_t *status = shard_files(sharding, input, NULL, out_dataset);
      if (sli_status_code(status) != SLI_NOT_FOUND) return status;
      sli_status_release(status);
      return shard_data(sharding, input, NULL, out_dataset);
    }
    default: return sli_status_make(SLI_INVALID_ARGUMENT, "auto_shard_policy is invalid.");
  }
  *out_dataset = sli_dataset_retain(input);
  return NULL;
}

static sli_status_t *auto_shard_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  sharding_t sharding = {.context = context};
  int64_t policy;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "num_workers", &sharding.workers));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 2, "index", &sharding.index));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "auto_shard_policy", &policy));
  if (sli_node_attr(context->node, "num_replicas"))
    SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "num_replicas", &sharding.replicas));
  if (sharding.workers < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "num_workers must be greater than zero.");
  if (sharding.index < 0 || sharding.index >= sharding.workers)
    return sli_status_make(SLI_INVALID_ARGUMENT, "index must be between 0 and %lld", (long long)sharding.workers - 1);
  if (sharding.replicas < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "num_replicas should be >= 0");
  int64_t chosen = sli_dataset_shard_policy(input);
  SLI_RETURN_IF_ERROR(shard(&sharding, chosen ? chosen : policy, input, &dataset));
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "AutoShardDataset",
        .inputs = "input_dataset: variant, num_workers: int64, index: int64",
        .outputs = "handle: variant",
        .attrs = "auto_shard_policy: int = 0; " SLI_DATASET_ELEMENTS "; num_replicas: int = 0",
        .summary = "The share of one worker of a dataset.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalAutoShardDataset",
        .inputs = "input_dataset: variant, num_workers: int64, index: int64",
        .outputs = "handle: variant",
        .attrs = "auto_shard_policy: int = 0; " SLI_DATASET_ELEMENTS,
        .summary = "The share of one worker of a dataset.",
        .shape = sli_dataset_infer,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "AutoShardDataset", .compute = auto_shard_dataset},
    {.op = "ExperimentalAutoShardDataset", .compute = auto_shard_dataset},
};

SLI_OP_MODULE(data_auto_shard);
