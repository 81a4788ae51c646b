// A dataset is a list of steps. sl_dataset_next builds their nodes as the function of a one-shot iterator, so that
// nothing has to be initialised; sl_dataset_next_saved (train/session) builds them where the iterator starts.
#include "sluice/dataset.h"

#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"
#include "train/input/input_dataset.h"
#include "train/input/input_internal.h"

typedef enum {
  STEP_RECORDS,
  STEP_LINES,
  STEP_RANGE,
  STEP_SHARD,
  STEP_SHARD_FILES,
  STEP_SHUFFLE,
  STEP_REPEAT,
  STEP_TAKE,
  STEP_SKIP,
  STEP_BATCH,
  STEP_CACHE,
  STEP_PREFETCH,
  STEP_PARSE,
  STEP_MAP
} step_t;

// Immutable once made.
struct sl_dataset {
  sl_scope_t *scope;
  const sl_dataset_t *input;  // NULL: a source, or an error
  step_t step;
  int64_t numbers[2];
  bool flag;
  char **files;
  size_t file_count;
  char *compression;
  sl_feature_spec_t *features;  // sorted by key, as the components are; with copies of keys and defaults
  size_t *order;                // the position of each feature of the caller among them; NULL: the same
  const sl_function_t *function;
  size_t component_count;
  TF_DataType *types;
  sl_shape_t *shapes;
};

static void destroy(void *object) {
  sl_dataset_t *dataset = object;
  for (size_t i = 0; i < dataset->file_count; i++) free(dataset->files[i]);
  for (size_t i = 0; dataset->features && i < dataset->component_count; i++) {
    free((char *)dataset->features[i].key);
    free((char *)dataset->features[i].default_text);
    free((double *)dataset->features[i].default_values);
  }
  free(dataset->files);
  free(dataset->compression);
  free(dataset->features);
  free(dataset->order);
  free(dataset->types);
  free(dataset->shapes);
  free(dataset);
}

static sl_dataset_t *create(sl_scope_t *scope, const sl_dataset_t *input, step_t step, size_t component_count) {
  sl_dataset_t *dataset = sli_calloc(1, sizeof(*dataset));
  dataset->scope = scope;
  dataset->input = input;
  dataset->step = step;
  dataset->component_count = component_count;
  dataset->types = sli_calloc(component_count + 1, sizeof(dataset->types[0]));
  dataset->shapes = sli_calloc(component_count + 1, sizeof(dataset->shapes[0]));
  sli_scope_own(scope, dataset, destroy);
  return dataset;
}

// A dataset whose elements are those of |input|, with the order of its components.
static sl_dataset_t *create_like(const sl_dataset_t *input, step_t step, int64_t first, int64_t second) {
  sl_dataset_t *dataset = create(input->scope, input, step, input->component_count);
  for (size_t i = 0; i < input->component_count; i++) {
    dataset->types[i] = input->types[i];
    dataset->shapes[i] = input->shapes[i];
  }
  if (input->order) dataset->order = sli_memdup(input->order, sizeof(input->order[0]) * input->component_count);
  dataset->numbers[0] = first;
  dataset->numbers[1] = second;
  return dataset;
}

// --- Sources
// -----------------------------------------------------------------------------------------------------------

static sl_dataset_t *create_files(sl_scope_t *scope, step_t step, const char *const *files, size_t count,
                                  const sl_dataset_options_t *given) {
  SLI_CALL_OPTIONS(sl_dataset_options_t, options, given);
  sl_dataset_t *dataset = create(scope, NULL, step, 1);
  dataset->types[0] = TF_STRING;
  dataset->files = sli_calloc(count + 1, sizeof(dataset->files[0]));
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "files must name at least 1 file, got 0");
  for (size_t i = 0; i < count; i++) {
    if (!files[i]) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "file %zu of a dataset must not be NULL", i);
    dataset->files[dataset->file_count++] = sli_strdup(files[i] ? files[i] : "");
  }
  dataset->compression = sli_strdup(options.compression ? options.compression : "");
  return dataset;
}

sl_dataset_t *sl_dataset_records_with(sl_scope_t *scope, const char *const *files, size_t count,
                                      const sl_dataset_options_t *options) {
  return create_files(scope, STEP_RECORDS, files, count, options);
}

sl_dataset_t *sl_dataset_lines_with(sl_scope_t *scope, const char *const *files, size_t count,
                                    const sl_dataset_options_t *options) {
  return create_files(scope, STEP_LINES, files, count, options);
}

const sl_dataset_t *sl_dataset_at(const sl_dataset_t *dataset, const char *file, int line) {
  sl_scope_at(dataset->scope, file, line);
  return dataset;
}

sl_dataset_t *sl_dataset_range_with(sl_scope_t *scope, int64_t start, int64_t stop) {
  sl_dataset_t *dataset = create(scope, NULL, STEP_RANGE, 1);
  dataset->types[0] = TF_INT64;
  dataset->numbers[0] = start;
  dataset->numbers[1] = stop;
  return dataset;
}

// --- Transformations
// ---------------------------------------------------------------------------------------------------

static void check_shard(const sl_dataset_t *dataset, int64_t shards, int64_t shard) {
  if (shards < 1)
    sl_scope_fail(dataset->scope, TF_INVALID_ARGUMENT, "shards must be at least 1, got %lld", (long long)shards);
  else if (shard < 0 || shard >= shards)
    sl_scope_fail(dataset->scope, TF_INVALID_ARGUMENT, "shard must be from 0 to %lld, got %lld", (long long)shards - 1,
                  (long long)shard);
}

sl_dataset_t *sl_dataset_shard_with(const sl_dataset_t *dataset, int64_t shards, int64_t shard) {
  check_shard(dataset, shards, shard);
  return create_like(dataset, STEP_SHARD, shards, shard);
}

// The files that |dataset| reads for one worker: those that an earlier call left.
static int64_t count_files(const sl_dataset_t *dataset) {
  int64_t shards = 1;
  for (; dataset->input; dataset = dataset->input)
    if (dataset->step == STEP_SHARD_FILES) shards *= dataset->numbers[0];
  return (int64_t)dataset->file_count / shards;
}

sl_dataset_t *sl_dataset_auto_shard_with(const sl_dataset_t *dataset, int64_t shards, int64_t shard,
                                         sl_auto_shard_policy_t policy) {
  check_shard(dataset, shards, shard);
  int64_t files = count_files(dataset);
  if (policy == SL_AUTO_SHARD_AUTO) policy = files && files >= shards ? SL_AUTO_SHARD_FILE : SL_AUTO_SHARD_DATA;
  switch (policy) {
    case SL_AUTO_SHARD_OFF: return create_like(dataset, STEP_SHARD_FILES, 1, 0);
    case SL_AUTO_SHARD_DATA: return create_like(dataset, STEP_SHARD, shards, shard);
    case SL_AUTO_SHARD_FILE:
      if (files < shards)
        sl_scope_fail(dataset->scope, TF_INVALID_ARGUMENT,
                      "SL_AUTO_SHARD_FILE needs a file for each of the %lld shards, but the dataset reads %lld; use "
                      "SL_AUTO_SHARD_DATA, or more files",
                      (long long)shards, (long long)files);
      return create_like(dataset, STEP_SHARD_FILES, shards, shard);
    case SL_AUTO_SHARD_AUTO: break;
  }
  sl_scope_fail(dataset->scope, TF_INVALID_ARGUMENT, "policy must be one of SL_AUTO_SHARD_*, got %d", (int)policy);
  return create_like(dataset, STEP_SHARD_FILES, 1, 0);
}

sl_dataset_t *sl_dataset_shuffle_with(const sl_dataset_t *dataset, int64_t buffer_size, int64_t seed) {
  if (buffer_size < 1)
    sl_scope_fail(dataset->scope, TF_INVALID_ARGUMENT, "buffer_size must be at least 1, got %lld",
                  (long long)buffer_size);
  return create_like(dataset, STEP_SHUFFLE, buffer_size, seed);
}

sl_dataset_t *sl_dataset_repeat_with(const sl_dataset_t *dataset, int64_t count) {
  return create_like(dataset, STEP_REPEAT, count, 0);
}

sl_dataset_t *sl_dataset_take_with(const sl_dataset_t *dataset, int64_t count) {
  return create_like(dataset, STEP_TAKE, count, 0);
}

sl_dataset_t *sl_dataset_skip_with(const sl_dataset_t *dataset, int64_t count) {
  return create_like(dataset, STEP_SKIP, count, 0);
}

sl_dataset_t *sl_dataset_cache_with(const sl_dataset_t *dataset) { return create_like(dataset, STEP_CACHE, 0, 0); }

sl_dataset_t *sl_dataset_prefetch_with(const sl_dataset_t *dataset, int64_t count) {
  if (count < SL_AUTOTUNE)
    sl_scope_fail(dataset->scope, TF_INVALID_ARGUMENT, "count must be at least 0, or SL_AUTOTUNE, got %lld",
                  (long long)count);
  return create_like(dataset, STEP_PREFETCH, count, 0);
}

static sl_shape_t batch_shape(sl_scope_t *scope, sl_shape_t shape, int64_t size) {
  sl_shape_t batch = {.rank = shape.rank + 1, .dims = {size}};
  if (shape.rank < 0) return shape;
  if (shape.rank == SL_MAX_RANK) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "elements of rank %d cannot be batched", shape.rank);
    return shape;
  }
  for (int i = 0; i < shape.rank; i++) batch.dims[i + 1] = shape.dims[i];
  return batch;
}

sl_dataset_t *sl_dataset_batch_with(const sl_dataset_t *dataset, int64_t size, bool drop_remainder) {
  if (size < 1)
    sl_scope_fail(dataset->scope, TF_INVALID_ARGUMENT, "size must be at least 1, got %lld", (long long)size);
  sl_dataset_t *batches = create_like(dataset, STEP_BATCH, size, 0);
  batches->flag = drop_remainder;
  for (size_t i = 0; i < batches->component_count; i++)
    batches->shapes[i] = batch_shape(dataset->scope, dataset->shapes[i], drop_remainder ? size : -1);
  return batches;
}

// A copy that outlives the caller's.
static sl_feature_spec_t copy_feature(const sl_feature_spec_t *feature) {
  sl_feature_spec_t copy = *feature;
  copy.key = sli_strdup(feature->key);
  copy.default_text = feature->default_text ? sli_strdup(feature->default_text) : NULL;
  copy.default_values =
      feature->default_count ? sli_memdup(feature->default_values, sizeof(double) * feature->default_count) : NULL;
  return copy;
}

static bool check_features(const sl_dataset_t *dataset, const sl_feature_spec_t *features, size_t count) {
  sl_scope_t *scope = dataset->scope;
  if (dataset->component_count != 1 || dataset->types[0] != TF_STRING || dataset->shapes[0].rank != 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "sl_dataset_parse needs batches of strings: call sl_dataset_batch before");
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "features must hold at least 1 feature, got 0");
  for (size_t i = 0; i < count && sli_input_check_feature(scope, &features[i]); i++) {
    if (features[i].kind != SL_FIXED_LEN)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                    "feature '%s' must be SL_FIXED_LEN: for others call sl_parse_example on the batches",
                    features[i].key);
    for (size_t k = 0; k < i; k++)
      if (strcmp(features[i].key, features[k].key) == 0)
        sl_scope_fail(scope, TF_INVALID_ARGUMENT, "feature '%s' must not be named twice", features[i].key);
  }
  return sli_scope_ok(scope);
}

sl_dataset_t *sl_dataset_parse_with(const sl_dataset_t *dataset, const sl_feature_spec_t *features, size_t count) {
  if (!check_features(dataset, features, count)) return create(dataset->scope, dataset, STEP_PARSE, 0);
  sl_dataset_t *parsed = create(dataset->scope, dataset, STEP_PARSE, count);
  parsed->features = sli_calloc(count, sizeof(parsed->features[0]));
  parsed->order = sli_calloc(count, sizeof(parsed->order[0]));
  for (size_t i = 0; i < count; i++) {
    size_t place = 0;
    for (size_t k = 0; k < count; k++) place += strcmp(features[k].key, features[i].key) < 0;
    parsed->order[i] = place;
    parsed->features[place] = copy_feature(&features[i]);
    parsed->types[place] = features[i].dtype;
    parsed->shapes[place] = batch_shape(dataset->scope, features[i].shape, dataset->shapes[0].dims[0]);
  }
  return parsed;
}

// The body of a map, which sees the components in the order of the caller.
typedef struct {
  const sl_dataset_t *input;
  sl_function_body_t body;
  void *data;
  sl_dataset_t *result;
} map_t;

static void map_body(sl_scope_t *scope, void *data, const TF_Output *arguments, TF_Output *out_results) {
  map_t *map = data;
  const sl_dataset_t *input = map->input;
  TF_Output *ordered = sli_calloc(input->component_count + 1, sizeof(*ordered));
  for (size_t i = 0; i < input->component_count; i++) ordered[i] = arguments[input->order ? input->order[i] : i];
  map->body(scope, map->data, ordered, out_results);
  for (size_t i = 0; i < map->result->component_count && sli_scope_ok(scope); i++) {
    map->result->types[i] = TF_OperationOutputType(out_results[i]);
    map->result->shapes[i] = sl_static_shape(scope, out_results[i]);
  }
  free(ordered);
}

sl_dataset_t *sl_dataset_map_with(const sl_dataset_t *dataset, sl_function_body_t body, void *data,
                                  size_t result_count) {
  sl_scope_t *scope = dataset->scope;
  sl_dataset_t *mapped = create(scope, dataset, STEP_MAP, result_count);
  if (!result_count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "result_count must be at least 1, got 0");
  if (!sli_scope_ok(scope)) return mapped;
  map_t map = {.input = dataset, .body = body, .data = data, .result = mapped};
  sl_op_types_t types = {dataset->types, dataset->component_count};
  mapped->function =
      sl_function_with(scope, map_body, &map, types, result_count,
                       SL_OPTIONS(sl_function_options_t, .name = "dataset_map", .shapes = dataset->shapes));
  if (mapped->function && sl_function_captures(mapped->function).count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the function of sl_dataset_map must not use values from outside");
  return mapped;
}

// --- Nodes
// -------------------------------------------------------------------------------------------------------------

static TF_Output number(sl_scope_t *scope, int64_t value) {
  return sl_constant_with(scope, TF_INT64, SL_SHAPE(), &value, NULL);
}

static TF_Output flag(sl_scope_t *scope, bool value) {
  return sl_constant_with(scope, TF_BOOL, SL_SHAPE(), &value, NULL);
}

static void set_elements(sl_node_t *node, const sl_dataset_t *dataset) {
  sl_node_attr_type_list(node, "output_types", dataset->types, dataset->component_count);
  sl_node_attr_shape_list(node, "output_shapes", dataset->shapes, dataset->component_count);
}

static TF_Output build_files(sl_scope_t *scope, const sl_dataset_t *dataset, const char *op,
                             const sli_input_start_t *start) {
  const char **names = sli_calloc(dataset->file_count + 1, sizeof(*names));
  size_t count = 0, step = start->file_shards ? (size_t)start->file_shards : 1;
  for (size_t i = (size_t)start->file_shard; i < dataset->file_count; i += step) names[count++] = dataset->files[i];
  TF_Output files = sl_texts_with(scope, names, count, NULL);
  free(names);
  TF_Output compression = sl_text_with(scope, dataset->compression, NULL), buffer = number(scope, 0);
  sl_node_t *node = sl_node_begin(scope, op, NULL);
  sl_node_input(node, files);
  sl_node_input(node, compression);
  sl_node_input(node, buffer);
  return sl_node_output(node);
}

// A node with the input dataset and further inputs.
static TF_Output build_node(sl_scope_t *scope, const sl_dataset_t *dataset, const char *op, const TF_Output *inputs,
                            size_t count) {
  sl_node_t *node = sl_node_begin(scope, op, NULL);
  for (size_t i = 0; i < count; i++) sl_node_input(node, inputs[i]);
  set_elements(node, dataset);
  return sl_node_output(node);
}

static TF_Output build_parse(sl_scope_t *scope, const sl_dataset_t *dataset, TF_Output input) {
  size_t count = dataset->component_count;
  TF_Output *defaults = sli_calloc(count, sizeof(*defaults)), parallel = number(scope, SL_AUTOTUNE);
  const char **keys = sli_calloc(count, sizeof(*keys));
  sl_shape_t *shapes = sli_calloc(count, sizeof(*shapes));
  for (size_t i = 0; i < count; i++) {
    defaults[i] = sli_input_default(scope, &dataset->features[i]);
    keys[i] = dataset->features[i].key;
    shapes[i] = dataset->features[i].shape;
  }
  sl_node_t *node = sl_node_begin(scope, "ParseExampleDatasetV2", NULL);
  sl_node_input(node, input);
  sl_node_input(node, parallel);
  sl_node_input_list(node, defaults, count);
  sl_node_attr_text_list(node, "sparse_keys", NULL, 0);
  sl_node_attr_text_list(node, "dense_keys", keys, count);
  sl_node_attr_type_list(node, "sparse_types", NULL, 0);
  sl_node_attr_type_list(node, "Tdense", dataset->types, count);
  sl_node_attr_shape_list(node, "dense_shapes", shapes, count);
  set_elements(node, dataset);
  free(defaults);
  free(keys);
  free(shapes);
  return sl_node_output(node);
}

static TF_Output build_map(sl_scope_t *scope, const sl_dataset_t *dataset, TF_Output input) {
  TF_Output parallel = number(scope, SL_AUTOTUNE);
  sl_node_t *node = sl_node_begin(scope, "ParallelMapDatasetV2", NULL);
  sl_node_input(node, input);
  sl_node_input_list(node, NULL, 0);
  sl_node_input(node, parallel);
  sl_node_attr_function(node, "f", sl_function_name(dataset->function));
  sl_node_attr_type_list(node, "Targuments", NULL, 0);
  sl_node_attr_bool(node, "preserve_cardinality", true);
  set_elements(node, dataset);
  return sl_node_output(node);
}

#define BUILD(op, ...)                                                    \
  build_node(scope, dataset, op, (const TF_Output[]){input, __VA_ARGS__}, \
             sizeof((const TF_Output[]){input, __VA_ARGS__}) / sizeof(TF_Output))

// How far |skip| elements of |dataset| go in its input: there the same elements are skipped with less work.
static TF_Output skip_of_input(sl_scope_t *scope, const sl_dataset_t *dataset, TF_Output skip) {
  if (dataset->step != STEP_BATCH) return skip;
  return sl_binary(scope, "Mul", "mul", skip, number(scope, dataset->numbers[0]), NULL);
}

static bool is_skipped_before(step_t step) {
  return step == STEP_SHARD_FILES || step == STEP_BATCH || step == STEP_PREFETCH || step == STEP_PARSE ||
         step == STEP_MAP;
}

static TF_Output build(sl_scope_t *scope, const sl_dataset_t *dataset, const sli_input_start_t *start);

static TF_Output build_input(sl_scope_t *scope, const sl_dataset_t *dataset, const sli_input_start_t *start) {
  sli_input_start_t before = *start;
  if (!dataset->input) return (TF_Output){0};
  if (dataset->step == STEP_SHARD_FILES) {  // every shards-th of the files of the shards that come later
    int64_t later = before.file_shards ? before.file_shards : 1;
    before.file_shard = dataset->numbers[1] + dataset->numbers[0] * before.file_shard;
    before.file_shards = dataset->numbers[0] * later;
  }
  if (before.skip.oper)
    before.skip = is_skipped_before(dataset->step) ? skip_of_input(scope, dataset, before.skip) : (TF_Output){0};
  return build(scope, dataset->input, &before);
}

static TF_Output build_step(sl_scope_t *scope, const sl_dataset_t *dataset, TF_Output input,
                            const sli_input_start_t *start) {
  TF_Output seed = start->seed;
  int64_t first = dataset->numbers[0], second = dataset->numbers[1];
  switch (dataset->step) {
    case STEP_RECORDS: return build_files(scope, dataset, "TFRecordDataset", start);
    case STEP_LINES: return build_files(scope, dataset, "TextLineDataset", start);
    case STEP_RANGE: {
      TF_Output inputs[] = {number(scope, first), number(scope, second), number(scope, 1)};
      return build_node(scope, dataset, "RangeDataset", inputs, 3);
    }
    case STEP_SHARD: return BUILD("ShardDataset", number(scope, first), number(scope, second));
    case STEP_SHARD_FILES: return input;
    case STEP_SHUFFLE:
      if (second || !seed.oper) seed = number(scope, second);
      return BUILD("ShuffleDataset", number(scope, first), seed, number(scope, 0));
    case STEP_REPEAT: return BUILD("RepeatDataset", number(scope, first));
    case STEP_TAKE: return BUILD("TakeDataset", number(scope, first));
    case STEP_SKIP: return BUILD("SkipDataset", number(scope, first));
    case STEP_BATCH: return BUILD("BatchDatasetV2", number(scope, first), flag(scope, dataset->flag));
    case STEP_CACHE: return BUILD("CacheDataset", sl_text_with(scope, "", NULL));
    case STEP_PREFETCH: return BUILD("PrefetchDataset", number(scope, first));
    case STEP_PARSE: return build_parse(scope, dataset, input);
    case STEP_MAP: return build_map(scope, dataset, input);
  }
  return input;
}

static TF_Output build(sl_scope_t *scope, const sl_dataset_t *dataset, const sli_input_start_t *start) {
  TF_Output input = build_step(scope, dataset, build_input(scope, dataset, start), start);
  return start->skip.oper && !is_skipped_before(dataset->step) ? BUILD("SkipDataset", start->skip) : input;
}

sl_scope_t *sli_input_dataset_scope(const sl_dataset_t *dataset) { return dataset->scope; }

sl_outputs_t sli_input_no_elements(const sl_dataset_t *dataset) {
  TF_Output *items = sli_calloc(dataset->component_count + 1, sizeof(*items));
  sli_scope_own(dataset->scope, items, free);
  return (sl_outputs_t){.items = items, .count = dataset->component_count};
}

// The components of the next element of |iterator|.
static sl_outputs_t build_next(const sl_dataset_t *dataset, TF_Output iterator) {
  sl_outputs_t next = sli_input_no_elements(dataset);
  sl_node_t *node = sl_node_begin(dataset->scope, "IteratorGetNext", NULL);
  sl_node_input(node, iterator);
  set_elements(node, dataset);
  TF_Operation *operation = sl_node_finish(node);
  for (size_t i = 0; i < dataset->component_count && operation; i++)
    ((TF_Output *)next.items)[i] = (TF_Output){operation, (int)(dataset->order ? dataset->order[i] : i)};
  return next;
}

sl_outputs_t sli_input_start_iterator(const sl_dataset_t *dataset, const sli_input_start_t *start,
                                      TF_Operation **out_initializer) {
  sl_scope_t *scope = dataset->scope;
  sl_node_t *node = sl_node_begin(scope, "IteratorV2", "iterator");
  sl_node_attr_text(node, "shared_name", "");
  sl_node_attr_text(node, "container", "");
  set_elements(node, dataset);
  TF_Output iterator = sl_node_output(node), variant = build(scope, dataset, start);
  node = sl_node_begin(scope, "MakeIterator", "initializer");
  sl_node_input(node, variant);
  sl_node_input(node, iterator);
  *out_initializer = sl_node_finish(node);
  return build_next(dataset, iterator);
}

static void factory_body(sl_scope_t *scope, void *data, const TF_Output *arguments, TF_Output *out_results) {
  out_results[0] = build(scope, data, &(sli_input_start_t){0});
}

sl_outputs_t sl_dataset_next_with(const sl_dataset_t *dataset) {
  sl_scope_t *scope = dataset->scope;
  if (!sli_scope_ok(scope)) return sli_input_no_elements(dataset);
  const sl_function_t *factory = sl_function_with(scope, factory_body, (void *)dataset, (sl_op_types_t){NULL, 0}, 1,
                                                  SL_OPTIONS(sl_function_options_t, .name = "dataset_factory"));
  if (!factory) return sli_input_no_elements(dataset);
  sl_node_t *node = sl_node_begin(scope, "OneShotIterator", NULL);
  sl_node_attr_function(node, "dataset_factory", sl_function_name(factory));
  set_elements(node, dataset);
  return build_next(dataset, sl_node_output(node));
}
