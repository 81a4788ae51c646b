// Ops: datasets, iterators and optionals: tf.data.
// Generated from src/ops/data by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_DATA_H_
#define SLUICE_OPS_DATA_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// AnonymousIterator() -> handle: resource
// An iterator without a name.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_anonymous_iterator_with(sl_scope_t *scope, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AnonymousIterator", options->name);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_anonymous_iterator(scope, output_types, output_shapes, ...) \
  sl_op_anonymous_iterator_with(SL_AT(scope), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// AnonymousIteratorV2() -> handle: resource, deleter: variant
// An iterator without a name, and what deletes it.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
typedef struct {
  TF_Output handle;
  TF_Output deleter;
} sl_op_anonymous_iterator_v2_t;
static inline sl_op_anonymous_iterator_v2_t sl_op_anonymous_iterator_v2_with(sl_scope_t *scope,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AnonymousIteratorV2", options->name);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_anonymous_iterator_v2_t result;
  result.handle = sl_op_output(operation, 0);
  result.deleter = sl_op_output(operation, 1);
  return result;
}
#define sl_op_anonymous_iterator_v2(scope, output_types, output_shapes, ...) \
  sl_op_anonymous_iterator_v2_with(SL_AT(scope), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// AnonymousIteratorV3() -> handle: resource
// An iterator that lives as long as its handle.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_anonymous_iterator_v3_with(sl_scope_t *scope, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AnonymousIteratorV3", options->name);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_anonymous_iterator_v3(scope, output_types, output_shapes, ...) \
  sl_op_anonymous_iterator_v3_with(SL_AT(scope), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// AnonymousMultiDeviceIterator() -> handle: resource, deleter: variant
// An iterator without a name whose elements go to several devices in turn.
// devices: list(string) >= 1; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
typedef struct {
  TF_Output handle;
  TF_Output deleter;
} sl_op_anonymous_multi_device_iterator_t;
static inline sl_op_anonymous_multi_device_iterator_t sl_op_anonymous_multi_device_iterator_with(sl_scope_t *scope,
    sl_op_texts_t devices, sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AnonymousMultiDeviceIterator", options->name);
  sl_node_attr_text_list(node, "devices", devices.values, devices.count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_anonymous_multi_device_iterator_t result;
  result.handle = sl_op_output(operation, 0);
  result.deleter = sl_op_output(operation, 1);
  return result;
}
#define sl_op_anonymous_multi_device_iterator(scope, devices, output_types, output_shapes, ...) \
  sl_op_anonymous_multi_device_iterator_with(SL_AT(scope), (devices), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// AnonymousMultiDeviceIteratorV3() -> handle: resource
// An iterator for several devices that lives as long as its handle.
// devices: list(string) >= 1; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_anonymous_multi_device_iterator_v3_with(sl_scope_t *scope, sl_op_texts_t devices,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AnonymousMultiDeviceIteratorV3", options->name);
  sl_node_attr_text_list(node, "devices", devices.values, devices.count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_anonymous_multi_device_iterator_v3(scope, devices, output_types, output_shapes, ...) \
  sl_op_anonymous_multi_device_iterator_v3_with(SL_AT(scope), (devices), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// AssertCardinalityDataset(input_dataset: variant, cardinality: int64) -> handle: variant
// Fails if a dataset has another number of elements.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_assert_cardinality_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output cardinality, sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssertCardinalityDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, cardinality);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_assert_cardinality_dataset(scope, input_dataset, cardinality, output_types, output_shapes, ...) \
  sl_op_assert_cardinality_dataset_with(SL_AT(scope), (input_dataset), (cardinality), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AssertNextDataset(input_dataset: variant, transformations: string) -> handle: variant
// The dataset itself; iterators check which transformations come after it.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_assert_next_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output transformations, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssertNextDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, transformations);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_assert_next_dataset(scope, input_dataset, transformations, output_types, output_shapes, ...) \
  sl_op_assert_next_dataset_with(SL_AT(scope), (input_dataset), (transformations), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AutoShardDataset(input_dataset: variant, num_workers: int64, index: int64) -> handle: variant
// The share of one worker of a dataset.
// auto_shard_policy: int = 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; num_replicas: int = 0
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t auto_shard_policy;
  int64_t num_replicas;
} sl_op_auto_shard_dataset_options_t;
static inline TF_Output sl_op_auto_shard_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output num_workers, TF_Output index, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_auto_shard_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AutoShardDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_workers);
  sl_node_input(node, index);
  sl_node_attr_int(node, "auto_shard_policy", options->auto_shard_policy);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_int(node, "num_replicas", options->num_replicas);
  return sl_node_output(node);
}
#define sl_op_auto_shard_dataset(scope, input_dataset, num_workers, index, output_types, output_shapes, ...) \
  sl_op_auto_shard_dataset_with(SL_AT(scope), (input_dataset), (num_workers), (index), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_auto_shard_dataset_options_t, __VA_ARGS__))

// BatchDataset(input_dataset: variant, batch_size: int64) -> handle: variant
// Batches of consecutive elements.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_batch_dataset_options_t;
static inline TF_Output sl_op_batch_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output batch_size,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_batch_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, batch_size);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_batch_dataset(scope, input_dataset, batch_size, output_types, output_shapes, ...) \
  sl_op_batch_dataset_with(SL_AT(scope), (input_dataset), (batch_size), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_batch_dataset_options_t, __VA_ARGS__))

// BatchDatasetV2(input_dataset: variant, batch_size: int64, drop_remainder: bool) -> handle: variant
// Batches of consecutive elements.
// parallel_copy: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool parallel_copy;
  const char *metadata;
} sl_op_batch_dataset_v2_options_t;
static inline TF_Output sl_op_batch_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output batch_size,
    TF_Output drop_remainder, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_batch_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, batch_size);
  sl_node_input(node, drop_remainder);
  sl_node_attr_bool(node, "parallel_copy", options->parallel_copy);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_batch_dataset_v2(scope, input_dataset, batch_size, drop_remainder, output_types, output_shapes, ...) \
  sl_op_batch_dataset_v2_with(SL_AT(scope), (input_dataset), (batch_size), (drop_remainder), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_batch_dataset_v2_options_t, __VA_ARGS__))

// BytesProducedStatsDataset(input_dataset: variant, tag: string) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_bytes_produced_stats_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output tag, sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BytesProducedStatsDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, tag);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_bytes_produced_stats_dataset(scope, input_dataset, tag, output_types, output_shapes, ...) \
  sl_op_bytes_produced_stats_dataset_with(SL_AT(scope), (input_dataset), (tag), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CSVDataset(filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string,
//   use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types) -> handle: variant
// The records of CSV files.
// output_types: list({float, double, int32, int64, string}) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_csv_dataset_with(sl_scope_t *scope, TF_Output filenames, TF_Output compression_type,
    TF_Output buffer_size, TF_Output header, TF_Output field_delim, TF_Output use_quote_delim, TF_Output na_value,
    TF_Output select_cols, const TF_Output *record_defaults, size_t record_defaults_count,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CSVDataset", options->name);
  sl_node_input(node, filenames);
  sl_node_input(node, compression_type);
  sl_node_input(node, buffer_size);
  sl_node_input(node, header);
  sl_node_input(node, field_delim);
  sl_node_input(node, use_quote_delim);
  sl_node_input(node, na_value);
  sl_node_input(node, select_cols);
  sl_node_input_list(node, record_defaults, record_defaults_count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_csv_dataset(scope, filenames, compression_type, buffer_size, header, field_delim, use_quote_delim, \
    na_value, select_cols, record_defaults, record_defaults_count, output_shapes, ...) \
  sl_op_csv_dataset_with(SL_AT(scope), (filenames), (compression_type), (buffer_size), (header), (field_delim), ( \
    use_quote_delim), (na_value), (select_cols), (record_defaults), (record_defaults_count), (output_shapes), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CSVDatasetV2(filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string,
//   use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types, exclude_cols: int64)
//   -> handle: variant
// The records of CSV files, without some columns.
// output_types: list({float, double, int32, int64, string}) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_csv_dataset_v2_with(sl_scope_t *scope, TF_Output filenames, TF_Output compression_type,
    TF_Output buffer_size, TF_Output header, TF_Output field_delim, TF_Output use_quote_delim, TF_Output na_value,
    TF_Output select_cols, const TF_Output *record_defaults, size_t record_defaults_count, TF_Output exclude_cols,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CSVDatasetV2", options->name);
  sl_node_input(node, filenames);
  sl_node_input(node, compression_type);
  sl_node_input(node, buffer_size);
  sl_node_input(node, header);
  sl_node_input(node, field_delim);
  sl_node_input(node, use_quote_delim);
  sl_node_input(node, na_value);
  sl_node_input(node, select_cols);
  sl_node_input_list(node, record_defaults, record_defaults_count);
  sl_node_input(node, exclude_cols);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_csv_dataset_v2(scope, filenames, compression_type, buffer_size, header, field_delim, use_quote_delim, \
    na_value, select_cols, record_defaults, record_defaults_count, exclude_cols, output_shapes, ...) \
  sl_op_csv_dataset_v2_with(SL_AT(scope), (filenames), (compression_type), (buffer_size), (header), (field_delim), ( \
    use_quote_delim), (na_value), (select_cols), (record_defaults), (record_defaults_count), (exclude_cols), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CacheDataset(input_dataset: variant, filename: string) -> handle: variant
// Keeps the elements of the first pass in memory or in a file.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_cache_dataset_options_t;
static inline TF_Output sl_op_cache_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output filename,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_cache_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CacheDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, filename);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_cache_dataset(scope, input_dataset, filename, output_types, output_shapes, ...) \
  sl_op_cache_dataset_with(SL_AT(scope), (input_dataset), (filename), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_cache_dataset_options_t, __VA_ARGS__))

// CacheDatasetV2(input_dataset: variant, filename: string, cache: resource) -> handle: variant
// Keeps the elements of the first pass in memory or in a file.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_cache_dataset_v2_options_t;
static inline TF_Output sl_op_cache_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output filename,
    TF_Output cache, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_cache_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CacheDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, filename);
  sl_node_input(node, cache);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_cache_dataset_v2(scope, input_dataset, filename, cache, output_types, output_shapes, ...) \
  sl_op_cache_dataset_v2_with(SL_AT(scope), (input_dataset), (filename), (cache), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_cache_dataset_v2_options_t, __VA_ARGS__))

// ChooseFastestBranchDataset(input_dataset: variant, ratio_numerator: int64, ratio_denominator: int64,
//   other_arguments: Targuments) -> handle: variant
// One of several functions with the same elements, applied to a dataset.
// Targuments: list(type) >= 0; num_elements_per_branch: int >= 1; branches: list(func) >= 1; other_arguments_lengths:
//   list(int) >= 1; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_choose_fastest_branch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output ratio_numerator, TF_Output ratio_denominator, const TF_Output *other_arguments,
    size_t other_arguments_count, int64_t num_elements_per_branch, sl_op_texts_t branches,
    sl_op_ints_t other_arguments_lengths, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ChooseFastestBranchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, ratio_numerator);
  sl_node_input(node, ratio_denominator);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_attr_int(node, "num_elements_per_branch", num_elements_per_branch);
  sl_node_attr_function_list(node, "branches", branches.values, branches.count);
  sl_node_attr_int_list(node, "other_arguments_lengths", other_arguments_lengths.values,
    other_arguments_lengths.count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_choose_fastest_branch_dataset(scope, input_dataset, ratio_numerator, ratio_denominator, \
    other_arguments, other_arguments_count, num_elements_per_branch, branches, other_arguments_lengths, \
    output_types, output_shapes, ...) \
  sl_op_choose_fastest_branch_dataset_with(SL_AT(scope), (input_dataset), (ratio_numerator), (ratio_denominator), ( \
    other_arguments), (other_arguments_count), (num_elements_per_branch), (branches), (other_arguments_lengths), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ChooseFastestDataset(input_datasets: N * variant) -> handle: variant
// One of several datasets with the same elements.
// N: int >= 2; num_experiments: int; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_choose_fastest_dataset_with(sl_scope_t *scope, const TF_Output *input_datasets,
    size_t input_datasets_count, int64_t num_experiments, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ChooseFastestDataset", options->name);
  sl_node_input_list(node, input_datasets, input_datasets_count);
  sl_node_attr_int(node, "num_experiments", num_experiments);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_choose_fastest_dataset(scope, input_datasets, input_datasets_count, num_experiments, output_types, \
    output_shapes, ...) \
  sl_op_choose_fastest_dataset_with(SL_AT(scope), (input_datasets), (input_datasets_count), (num_experiments), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ComputeBatchSize(input_dataset: variant) -> batch_size: int64
// The size of the batches that a dataset was asked to make; -1: unknown.
// No gradient.
static inline TF_Output sl_op_compute_batch_size_with(sl_scope_t *scope, TF_Output input_dataset,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ComputeBatchSize", options->name);
  sl_node_input(node, input_dataset);
  return sl_node_output(node);
}
#define sl_op_compute_batch_size(scope, input_dataset, ...) \
  sl_op_compute_batch_size_with(SL_AT(scope), (input_dataset), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ConcatenateDataset(input_dataset: variant, another_dataset: variant) -> handle: variant
// The elements of one dataset, then those of another.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_concatenate_dataset_options_t;
static inline TF_Output sl_op_concatenate_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output another_dataset, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_concatenate_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConcatenateDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, another_dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_concatenate_dataset(scope, input_dataset, another_dataset, output_types, output_shapes, ...) \
  sl_op_concatenate_dataset_with(SL_AT(scope), (input_dataset), (another_dataset), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_concatenate_dataset_options_t, __VA_ARGS__))

// DatasetCardinality(input_dataset: variant) -> cardinality: int64
// The number of elements; -1: infinite, -2: unknown.
// cardinality_options: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *cardinality_options;
} sl_op_dataset_cardinality_options_t;
static inline TF_Output sl_op_dataset_cardinality_with(sl_scope_t *scope, TF_Output input_dataset,
    const sl_op_dataset_cardinality_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DatasetCardinality", options->name);
  sl_node_input(node, input_dataset);
  if (options->cardinality_options) sl_node_attr_text(node, "cardinality_options", options->cardinality_options);
  return sl_node_output(node);
}
#define sl_op_dataset_cardinality(scope, input_dataset, ...) \
  sl_op_dataset_cardinality_with(SL_AT(scope), (input_dataset), SL_OPTIONS(sl_op_dataset_cardinality_options_t, \
    __VA_ARGS__))

// DatasetToSingleElement(dataset: variant) -> components: output_types
// The only element of a dataset.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_dataset_to_single_element_options_t;
static inline sl_op_list_t sl_op_dataset_to_single_element_with(sl_scope_t *scope, TF_Output dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_dataset_to_single_element_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DatasetToSingleElement", options->name);
  sl_node_input(node, dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_dataset_to_single_element(scope, dataset, output_types, output_shapes, ...) \
  sl_op_dataset_to_single_element_with(SL_AT(scope), (dataset), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_dataset_to_single_element_options_t, __VA_ARGS__))

// DatasetToTFRecord(input_dataset: variant, filename: string, compression_type: string)
// Writes the elements of a dataset to a TFRecord file.
// Stateful, no gradient.
static inline TF_Operation *sl_op_dataset_to_tf_record_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output filename, TF_Output compression_type, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DatasetToTFRecord", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, filename);
  sl_node_input(node, compression_type);
  return sl_node_finish(node);
}
#define sl_op_dataset_to_tf_record(scope, input_dataset, filename, compression_type, ...) \
  sl_op_dataset_to_tf_record_with(SL_AT(scope), (input_dataset), (filename), (compression_type), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// DeleteIterator(handle: resource, deleter: variant)
// Deletes an iterator without a name.
// Stateful, no gradient.
static inline TF_Operation *sl_op_delete_iterator_with(sl_scope_t *scope, TF_Output handle, TF_Output deleter,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeleteIterator", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, deleter);
  return sl_node_finish(node);
}
#define sl_op_delete_iterator(scope, handle, deleter, ...) \
  sl_op_delete_iterator_with(SL_AT(scope), (handle), (deleter), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DeleteMemoryCache(handle: resource, deleter: variant)
// Stateful, no gradient.
static inline TF_Operation *sl_op_delete_memory_cache_with(sl_scope_t *scope, TF_Output handle, TF_Output deleter,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeleteMemoryCache", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, deleter);
  return sl_node_finish(node);
}
#define sl_op_delete_memory_cache(scope, handle, deleter, ...) \
  sl_op_delete_memory_cache_with(SL_AT(scope), (handle), (deleter), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DeleteMultiDeviceIterator(multi_device_iterator: resource, iterators: N * resource, deleter: variant)
// Deletes an iterator for several devices without a name.
// N: int >= 0
// Stateful, no gradient.
static inline TF_Operation *sl_op_delete_multi_device_iterator_with(sl_scope_t *scope,
    TF_Output multi_device_iterator, const TF_Output *iterators, size_t iterators_count, TF_Output deleter,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeleteMultiDeviceIterator", options->name);
  sl_node_input(node, multi_device_iterator);
  sl_node_input_list(node, iterators, iterators_count);
  sl_node_input(node, deleter);
  return sl_node_finish(node);
}
#define sl_op_delete_multi_device_iterator(scope, multi_device_iterator, iterators, iterators_count, deleter, ...) \
  sl_op_delete_multi_device_iterator_with(SL_AT(scope), (multi_device_iterator), (iterators), (iterators_count), ( \
    deleter), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DeleteRandomSeedGenerator(handle: resource, deleter: variant)
// Stateful, no gradient.
static inline TF_Operation *sl_op_delete_random_seed_generator_with(sl_scope_t *scope, TF_Output handle,
    TF_Output deleter, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeleteRandomSeedGenerator", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, deleter);
  return sl_node_finish(node);
}
#define sl_op_delete_random_seed_generator(scope, handle, deleter, ...) \
  sl_op_delete_random_seed_generator_with(SL_AT(scope), (handle), (deleter), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DeleteSeedGenerator(handle: resource, deleter: variant)
// Stateful, no gradient.
static inline TF_Operation *sl_op_delete_seed_generator_with(sl_scope_t *scope, TF_Output handle, TF_Output deleter,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeleteSeedGenerator", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, deleter);
  return sl_node_finish(node);
}
#define sl_op_delete_seed_generator(scope, handle, deleter, ...) \
  sl_op_delete_seed_generator_with(SL_AT(scope), (handle), (deleter), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DenseToSparseBatchDataset(input_dataset: variant, batch_size: int64, row_shape: int64) -> handle: variant
// Batches of elements of different shapes as sparse tensors.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_dense_to_sparse_batch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output batch_size, TF_Output row_shape, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DenseToSparseBatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, batch_size);
  sl_node_input(node, row_shape);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_dense_to_sparse_batch_dataset(scope, input_dataset, batch_size, row_shape, output_types, \
    output_shapes, ...) \
  sl_op_dense_to_sparse_batch_dataset_with(SL_AT(scope), (input_dataset), (batch_size), (row_shape), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DeserializeIterator(resource_handle: resource, serialized: variant)
// Continues an iterator at a state.
// Stateful, no gradient.
static inline TF_Operation *sl_op_deserialize_iterator_with(sl_scope_t *scope, TF_Output resource_handle,
    TF_Output serialized, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeserializeIterator", options->name);
  sl_node_input(node, resource_handle);
  sl_node_input(node, serialized);
  return sl_node_finish(node);
}
#define sl_op_deserialize_iterator(scope, resource_handle, serialized, ...) \
  sl_op_deserialize_iterator_with(SL_AT(scope), (resource_handle), (serialized), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// DirectedInterleaveDataset(selector_input_dataset: variant, data_input_datasets: N * variant) -> handle: variant
// Takes elements of the datasets that another dataset selects.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1; stop_on_empty_dataset: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool stop_on_empty_dataset;
} sl_op_directed_interleave_dataset_options_t;
static inline TF_Output sl_op_directed_interleave_dataset_with(sl_scope_t *scope, TF_Output selector_input_dataset,
    const TF_Output *data_input_datasets, size_t data_input_datasets_count, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_directed_interleave_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DirectedInterleaveDataset", options->name);
  sl_node_input(node, selector_input_dataset);
  sl_node_input_list(node, data_input_datasets, data_input_datasets_count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "stop_on_empty_dataset", options->stop_on_empty_dataset);
  return sl_node_output(node);
}
#define sl_op_directed_interleave_dataset(scope, selector_input_dataset, data_input_datasets, \
    data_input_datasets_count, output_types, output_shapes, ...) \
  sl_op_directed_interleave_dataset_with(SL_AT(scope), (selector_input_dataset), (data_input_datasets), ( \
    data_input_datasets_count), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_directed_interleave_dataset_options_t, __VA_ARGS__))

// ExperimentalAssertNextDataset(input_dataset: variant, transformations: string) -> handle: variant
// The dataset itself; iterators check which transformations come after it.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_assert_next_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output transformations, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalAssertNextDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, transformations);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_assert_next_dataset(scope, input_dataset, transformations, output_types, output_shapes, \
    ...) \
  sl_op_experimental_assert_next_dataset_with(SL_AT(scope), (input_dataset), (transformations), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalAutoShardDataset(input_dataset: variant, num_workers: int64, index: int64) -> handle: variant
// The share of one worker of a dataset.
// auto_shard_policy: int = 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t auto_shard_policy;
} sl_op_experimental_auto_shard_dataset_options_t;
static inline TF_Output sl_op_experimental_auto_shard_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output num_workers, TF_Output index, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_experimental_auto_shard_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalAutoShardDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_workers);
  sl_node_input(node, index);
  sl_node_attr_int(node, "auto_shard_policy", options->auto_shard_policy);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_auto_shard_dataset(scope, input_dataset, num_workers, index, output_types, \
    output_shapes, ...) \
  sl_op_experimental_auto_shard_dataset_with(SL_AT(scope), (input_dataset), (num_workers), (index), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_experimental_auto_shard_dataset_options_t, __VA_ARGS__))

// ExperimentalBytesProducedStatsDataset(input_dataset: variant, tag: string) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_bytes_produced_stats_dataset_with(sl_scope_t *scope,
    TF_Output input_dataset, TF_Output tag, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalBytesProducedStatsDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, tag);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_bytes_produced_stats_dataset(scope, input_dataset, tag, output_types, output_shapes, \
    ...) \
  sl_op_experimental_bytes_produced_stats_dataset_with(SL_AT(scope), (input_dataset), (tag), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalCSVDataset(filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim:
//   string, use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types) -> handle:
//   variant
// The records of CSV files.
// output_types: list({float, double, int32, int64, string}) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_experimental_csv_dataset_with(sl_scope_t *scope, TF_Output filenames,
    TF_Output compression_type, TF_Output buffer_size, TF_Output header, TF_Output field_delim,
    TF_Output use_quote_delim, TF_Output na_value, TF_Output select_cols, const TF_Output *record_defaults,
    size_t record_defaults_count, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalCSVDataset", options->name);
  sl_node_input(node, filenames);
  sl_node_input(node, compression_type);
  sl_node_input(node, buffer_size);
  sl_node_input(node, header);
  sl_node_input(node, field_delim);
  sl_node_input(node, use_quote_delim);
  sl_node_input(node, na_value);
  sl_node_input(node, select_cols);
  sl_node_input_list(node, record_defaults, record_defaults_count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_csv_dataset(scope, filenames, compression_type, buffer_size, header, field_delim, \
    use_quote_delim, na_value, select_cols, record_defaults, record_defaults_count, output_shapes, ...) \
  sl_op_experimental_csv_dataset_with(SL_AT(scope), (filenames), (compression_type), (buffer_size), (header), ( \
    field_delim), (use_quote_delim), (na_value), (select_cols), (record_defaults), (record_defaults_count), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalDatasetCardinality(input_dataset: variant) -> cardinality: int64
// The number of elements; -1: infinite, -2: unknown.
// No gradient.
static inline TF_Output sl_op_experimental_dataset_cardinality_with(sl_scope_t *scope, TF_Output input_dataset,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalDatasetCardinality", options->name);
  sl_node_input(node, input_dataset);
  return sl_node_output(node);
}
#define sl_op_experimental_dataset_cardinality(scope, input_dataset, ...) \
  sl_op_experimental_dataset_cardinality_with(SL_AT(scope), (input_dataset), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalDatasetToTFRecord(input_dataset: variant, filename: string, compression_type: string)
// Writes the elements of a dataset to a TFRecord file.
// Stateful, no gradient.
static inline TF_Operation *sl_op_experimental_dataset_to_tf_record_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output filename, TF_Output compression_type, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalDatasetToTFRecord", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, filename);
  sl_node_input(node, compression_type);
  return sl_node_finish(node);
}
#define sl_op_experimental_dataset_to_tf_record(scope, input_dataset, filename, compression_type, ...) \
  sl_op_experimental_dataset_to_tf_record_with(SL_AT(scope), (input_dataset), (filename), (compression_type), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalDenseToSparseBatchDataset(input_dataset: variant, batch_size: int64, row_shape: int64) -> handle:
//   variant
// Batches of elements of different shapes as sparse tensors.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_dense_to_sparse_batch_dataset_with(sl_scope_t *scope,
    TF_Output input_dataset, TF_Output batch_size, TF_Output row_shape, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalDenseToSparseBatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, batch_size);
  sl_node_input(node, row_shape);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_dense_to_sparse_batch_dataset(scope, input_dataset, batch_size, row_shape, output_types, \
    output_shapes, ...) \
  sl_op_experimental_dense_to_sparse_batch_dataset_with(SL_AT(scope), (input_dataset), (batch_size), (row_shape), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalDirectedInterleaveDataset(selector_input_dataset: variant, data_input_datasets: N * variant) -> handle:
//   variant
// Takes elements of the datasets that another dataset selects.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1
// No gradient.
static inline TF_Output sl_op_experimental_directed_interleave_dataset_with(sl_scope_t *scope,
    TF_Output selector_input_dataset, const TF_Output *data_input_datasets, size_t data_input_datasets_count,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalDirectedInterleaveDataset", options->name);
  sl_node_input(node, selector_input_dataset);
  sl_node_input_list(node, data_input_datasets, data_input_datasets_count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_directed_interleave_dataset(scope, selector_input_dataset, data_input_datasets, \
    data_input_datasets_count, output_types, output_shapes, ...) \
  sl_op_experimental_directed_interleave_dataset_with(SL_AT(scope), (selector_input_dataset), (data_input_datasets), ( \
    data_input_datasets_count), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalGroupByReducerDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
//   init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments: Treduce_func_other_arguments,
//   finalize_func_other_arguments: Tfinalize_func_other_arguments) -> handle: variant
// Groups elements by a key and reduces each group to one element.
// key_func: func; init_func: func; reduce_func: func; finalize_func: func; Tkey_func_other_arguments: list(type) >=
//   0; Tinit_func_other_arguments: list(type) >= 0; Treduce_func_other_arguments: list(type) >= 0;
//   Tfinalize_func_other_arguments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_experimental_group_by_reducer_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *key_func_other_arguments, size_t key_func_other_arguments_count,
    const TF_Output *init_func_other_arguments, size_t init_func_other_arguments_count,
    const TF_Output *reduce_func_other_arguments, size_t reduce_func_other_arguments_count,
    const TF_Output *finalize_func_other_arguments, size_t finalize_func_other_arguments_count, const char *key_func,
    const char *init_func, const char *reduce_func, const char *finalize_func, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalGroupByReducerDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, key_func_other_arguments, key_func_other_arguments_count);
  sl_node_input_list(node, init_func_other_arguments, init_func_other_arguments_count);
  sl_node_input_list(node, reduce_func_other_arguments, reduce_func_other_arguments_count);
  sl_node_input_list(node, finalize_func_other_arguments, finalize_func_other_arguments_count);
  sl_node_attr_function(node, "key_func", key_func);
  sl_node_attr_function(node, "init_func", init_func);
  sl_node_attr_function(node, "reduce_func", reduce_func);
  sl_node_attr_function(node, "finalize_func", finalize_func);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_group_by_reducer_dataset(scope, input_dataset, key_func_other_arguments, \
    key_func_other_arguments_count, init_func_other_arguments, init_func_other_arguments_count, \
    reduce_func_other_arguments, reduce_func_other_arguments_count, finalize_func_other_arguments, \
    finalize_func_other_arguments_count, key_func, init_func, reduce_func, finalize_func, output_types, \
    output_shapes, ...) \
  sl_op_experimental_group_by_reducer_dataset_with(SL_AT(scope), (input_dataset), (key_func_other_arguments), ( \
    key_func_other_arguments_count), (init_func_other_arguments), (init_func_other_arguments_count), ( \
    reduce_func_other_arguments), (reduce_func_other_arguments_count), (finalize_func_other_arguments), ( \
    finalize_func_other_arguments_count), (key_func), (init_func), (reduce_func), (finalize_func), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalGroupByWindowDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
//   reduce_func_other_arguments: Treduce_func_other_arguments, window_size_func_other_arguments:
//   Twindow_size_func_other_arguments) -> handle: variant
// Groups elements by a key and reduces windows of each group.
// key_func: func; reduce_func: func; window_size_func: func; Tkey_func_other_arguments: list(type) >= 0;
//   Treduce_func_other_arguments: list(type) >= 0; Twindow_size_func_other_arguments: list(type) >= 0; output_types:
//   list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_group_by_window_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *key_func_other_arguments, size_t key_func_other_arguments_count,
    const TF_Output *reduce_func_other_arguments, size_t reduce_func_other_arguments_count,
    const TF_Output *window_size_func_other_arguments, size_t window_size_func_other_arguments_count,
    const char *key_func, const char *reduce_func, const char *window_size_func, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalGroupByWindowDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, key_func_other_arguments, key_func_other_arguments_count);
  sl_node_input_list(node, reduce_func_other_arguments, reduce_func_other_arguments_count);
  sl_node_input_list(node, window_size_func_other_arguments, window_size_func_other_arguments_count);
  sl_node_attr_function(node, "key_func", key_func);
  sl_node_attr_function(node, "reduce_func", reduce_func);
  sl_node_attr_function(node, "window_size_func", window_size_func);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_group_by_window_dataset(scope, input_dataset, key_func_other_arguments, \
    key_func_other_arguments_count, reduce_func_other_arguments, reduce_func_other_arguments_count, \
    window_size_func_other_arguments, window_size_func_other_arguments_count, key_func, reduce_func, \
    window_size_func, output_types, output_shapes, ...) \
  sl_op_experimental_group_by_window_dataset_with(SL_AT(scope), (input_dataset), (key_func_other_arguments), ( \
    key_func_other_arguments_count), (reduce_func_other_arguments), (reduce_func_other_arguments_count), ( \
    window_size_func_other_arguments), (window_size_func_other_arguments_count), (key_func), (reduce_func), ( \
    window_size_func), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalIgnoreErrorsDataset(input_dataset: variant) -> handle: variant
// Leaves out elements that give errors.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; log_warning: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool log_warning;
} sl_op_experimental_ignore_errors_dataset_options_t;
static inline TF_Output sl_op_experimental_ignore_errors_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_experimental_ignore_errors_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalIgnoreErrorsDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "log_warning", options->log_warning);
  return sl_node_output(node);
}
#define sl_op_experimental_ignore_errors_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_experimental_ignore_errors_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_experimental_ignore_errors_dataset_options_t, __VA_ARGS__))

// ExperimentalIteratorGetDevice(resource: resource) -> device: string
// The device of an iterator.
// Stateful, no gradient.
static inline TF_Output sl_op_experimental_iterator_get_device_with(sl_scope_t *scope, TF_Output resource,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalIteratorGetDevice", options->name);
  sl_node_input(node, resource);
  return sl_node_output(node);
}
#define sl_op_experimental_iterator_get_device(scope, resource, ...) \
  sl_op_experimental_iterator_get_device_with(SL_AT(scope), (resource), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalLatencyStatsDataset(input_dataset: variant, tag: string) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_latency_stats_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output tag, sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalLatencyStatsDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, tag);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_latency_stats_dataset(scope, input_dataset, tag, output_types, output_shapes, ...) \
  sl_op_experimental_latency_stats_dataset_with(SL_AT(scope), (input_dataset), (tag), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalMapAndBatchDataset(input_dataset: variant, other_arguments: Targuments, batch_size: int64,
//   num_parallel_calls: int64, drop_remainder: bool) -> handle: variant
// Calls a function for several elements at a time and batches the results.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1;
//   preserve_cardinality: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool preserve_cardinality;
} sl_op_experimental_map_and_batch_dataset_options_t;
static inline TF_Output sl_op_experimental_map_and_batch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output batch_size,
    TF_Output num_parallel_calls, TF_Output drop_remainder, const char *f, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_experimental_map_and_batch_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalMapAndBatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, batch_size);
  sl_node_input(node, num_parallel_calls);
  sl_node_input(node, drop_remainder);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "preserve_cardinality", options->preserve_cardinality);
  return sl_node_output(node);
}
#define sl_op_experimental_map_and_batch_dataset(scope, input_dataset, other_arguments, other_arguments_count, \
    batch_size, num_parallel_calls, drop_remainder, f, output_types, output_shapes, ...) \
  sl_op_experimental_map_and_batch_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), ( \
    other_arguments_count), (batch_size), (num_parallel_calls), (drop_remainder), (f), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_experimental_map_and_batch_dataset_options_t, __VA_ARGS__))

// ExperimentalMatchingFilesDataset(patterns: string) -> handle: variant
// The names of files that match patterns.
// Stateful, no gradient.
static inline TF_Output sl_op_experimental_matching_files_dataset_with(sl_scope_t *scope, TF_Output patterns,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalMatchingFilesDataset", options->name);
  sl_node_input(node, patterns);
  return sl_node_output(node);
}
#define sl_op_experimental_matching_files_dataset(scope, patterns, ...) \
  sl_op_experimental_matching_files_dataset_with(SL_AT(scope), (patterns), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalMaxIntraOpParallelismDataset(input_dataset: variant, max_intra_op_parallelism: int64) -> handle:
//   variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_max_intra_op_parallelism_dataset_with(sl_scope_t *scope,
    TF_Output input_dataset, TF_Output max_intra_op_parallelism, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalMaxIntraOpParallelismDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, max_intra_op_parallelism);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_max_intra_op_parallelism_dataset(scope, input_dataset, max_intra_op_parallelism, \
    output_types, output_shapes, ...) \
  sl_op_experimental_max_intra_op_parallelism_dataset_with(SL_AT(scope), (input_dataset), (max_intra_op_parallelism), \
    (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalNonSerializableDataset(input_dataset: variant) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_non_serializable_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalNonSerializableDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_non_serializable_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_experimental_non_serializable_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalParallelInterleaveDataset(input_dataset: variant, other_arguments: Targuments, cycle_length: int64,
//   block_length: int64, sloppy: bool, buffer_output_elements: int64, prefetch_input_elements: int64) -> handle:
//   variant
// Takes elements of several datasets in turn, which are read in the background.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_parallel_interleave_dataset_with(sl_scope_t *scope,
    TF_Output input_dataset, const TF_Output *other_arguments, size_t other_arguments_count, TF_Output cycle_length,
    TF_Output block_length, TF_Output sloppy, TF_Output buffer_output_elements, TF_Output prefetch_input_elements,
    const char *f, sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalParallelInterleaveDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, cycle_length);
  sl_node_input(node, block_length);
  sl_node_input(node, sloppy);
  sl_node_input(node, buffer_output_elements);
  sl_node_input(node, prefetch_input_elements);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_parallel_interleave_dataset(scope, input_dataset, other_arguments, \
    other_arguments_count, cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements, f, \
    output_types, output_shapes, ...) \
  sl_op_experimental_parallel_interleave_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), ( \
    other_arguments_count), (cycle_length), (block_length), (sloppy), (buffer_output_elements), ( \
    prefetch_input_elements), (f), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalParseExampleDataset(input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense) ->
//   handle: variant
// Parses batches of Examples.
// sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list({float, int64, string}) >= 0;
//   Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0; output_types: list(type) >= 1;
//   output_shapes: list(shape) >= 1; sloppy: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sloppy;
} sl_op_experimental_parse_example_dataset_options_t;
static inline TF_Output sl_op_experimental_parse_example_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output num_parallel_calls, const TF_Output *dense_defaults, size_t dense_defaults_count,
    sl_op_texts_t sparse_keys, sl_op_texts_t dense_keys, sl_op_types_t sparse_types, sl_op_shapes_t dense_shapes,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_experimental_parse_example_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalParseExampleDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_parallel_calls);
  sl_node_input_list(node, dense_defaults, dense_defaults_count);
  sl_node_attr_text_list(node, "sparse_keys", sparse_keys.values, sparse_keys.count);
  sl_node_attr_text_list(node, "dense_keys", dense_keys.values, dense_keys.count);
  sl_node_attr_type_list(node, "sparse_types", sparse_types.values, sparse_types.count);
  sl_node_attr_shape_list(node, "dense_shapes", dense_shapes.values, dense_shapes.count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "sloppy", options->sloppy);
  return sl_node_output(node);
}
#define sl_op_experimental_parse_example_dataset(scope, input_dataset, num_parallel_calls, dense_defaults, \
    dense_defaults_count, sparse_keys, dense_keys, sparse_types, dense_shapes, output_types, output_shapes, ...) \
  sl_op_experimental_parse_example_dataset_with(SL_AT(scope), (input_dataset), (num_parallel_calls), ( \
    dense_defaults), (dense_defaults_count), (sparse_keys), (dense_keys), (sparse_types), (dense_shapes), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_experimental_parse_example_dataset_options_t, __VA_ARGS__))

// ExperimentalPrivateThreadPoolDataset(input_dataset: variant, num_threads: int64) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_private_thread_pool_dataset_with(sl_scope_t *scope,
    TF_Output input_dataset, TF_Output num_threads, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalPrivateThreadPoolDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_threads);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_private_thread_pool_dataset(scope, input_dataset, num_threads, output_types, \
    output_shapes, ...) \
  sl_op_experimental_private_thread_pool_dataset_with(SL_AT(scope), (input_dataset), (num_threads), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalRandomDataset(seed: int64, seed2: int64) -> handle: variant
// Random numbers.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_experimental_random_dataset_with(sl_scope_t *scope, TF_Output seed, TF_Output seed2,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalRandomDataset", options->name);
  sl_node_input(node, seed);
  sl_node_input(node, seed2);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_random_dataset(scope, seed, seed2, output_types, output_shapes, ...) \
  sl_op_experimental_random_dataset_with(SL_AT(scope), (seed), (seed2), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ExperimentalRebatchDataset(input_dataset: variant, num_replicas: int64) -> handle: variant
// Divides batches among replicas.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; use_fallback: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_fallback;
} sl_op_experimental_rebatch_dataset_options_t;
static inline TF_Output sl_op_experimental_rebatch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output num_replicas, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_experimental_rebatch_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalRebatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_replicas);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "use_fallback", options->use_fallback);
  return sl_node_output(node);
}
#define sl_op_experimental_rebatch_dataset(scope, input_dataset, num_replicas, output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_experimental_rebatch_dataset_with(SL_AT(scope), (input_dataset), (num_replicas), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_experimental_rebatch_dataset_options_t, .use_fallback = true, \
    __VA_ARGS__)))

// ExperimentalScanDataset(input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> handle:
//   variant
// Calls a function for each element with the state of the call before.
// f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes:
//   list(shape) >= 1; preserve_cardinality: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool preserve_cardinality;
} sl_op_experimental_scan_dataset_options_t;
static inline TF_Output sl_op_experimental_scan_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *initial_state, size_t initial_state_count, const TF_Output *other_arguments,
    size_t other_arguments_count, const char *f, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_experimental_scan_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalScanDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, initial_state, initial_state_count);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "preserve_cardinality", options->preserve_cardinality);
  return sl_node_output(node);
}
#define sl_op_experimental_scan_dataset(scope, input_dataset, initial_state, initial_state_count, other_arguments, \
    other_arguments_count, f, output_types, output_shapes, ...) \
  sl_op_experimental_scan_dataset_with(SL_AT(scope), (input_dataset), (initial_state), (initial_state_count), ( \
    other_arguments), (other_arguments_count), (f), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_experimental_scan_dataset_options_t, __VA_ARGS__))

// ExperimentalSetStatsAggregatorDataset(input_dataset: variant, stats_aggregator: resource, tag: string,
//   counter_prefix: string) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_experimental_set_stats_aggregator_dataset_with(sl_scope_t *scope,
    TF_Output input_dataset, TF_Output stats_aggregator, TF_Output tag, TF_Output counter_prefix,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalSetStatsAggregatorDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, stats_aggregator);
  sl_node_input(node, tag);
  sl_node_input(node, counter_prefix);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_set_stats_aggregator_dataset(scope, input_dataset, stats_aggregator, tag, \
    counter_prefix, output_types, output_shapes, ...) \
  sl_op_experimental_set_stats_aggregator_dataset_with(SL_AT(scope), (input_dataset), (stats_aggregator), (tag), ( \
    counter_prefix), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalSlidingWindowDataset(input_dataset: variant, window_size: int64, window_shift: int64, window_stride:
//   int64) -> handle: variant
// Batches of elements of a sliding window.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_sliding_window_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output window_size, TF_Output window_shift, TF_Output window_stride, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalSlidingWindowDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, window_size);
  sl_node_input(node, window_shift);
  sl_node_input(node, window_stride);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_sliding_window_dataset(scope, input_dataset, window_size, window_shift, window_stride, \
    output_types, output_shapes, ...) \
  sl_op_experimental_sliding_window_dataset_with(SL_AT(scope), (input_dataset), (window_size), (window_shift), ( \
    window_stride), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalTakeWhileDataset(input_dataset: variant, other_arguments: Targuments) -> handle: variant
// The elements before the first for which a function gives false.
// predicate: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_take_while_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, const char *predicate,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalTakeWhileDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_attr_function(node, "predicate", predicate);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_take_while_dataset(scope, input_dataset, other_arguments, other_arguments_count, \
    predicate, output_types, output_shapes, ...) \
  sl_op_experimental_take_while_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), ( \
    other_arguments_count), (predicate), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalThreadPoolDataset(input_dataset: variant, thread_pool: resource) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_experimental_thread_pool_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output thread_pool, sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalThreadPoolDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, thread_pool);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_thread_pool_dataset(scope, input_dataset, thread_pool, output_types, output_shapes, \
    ...) \
  sl_op_experimental_thread_pool_dataset_with(SL_AT(scope), (input_dataset), (thread_pool), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExperimentalUnbatchDataset(input_dataset: variant) -> handle: variant
// The rows of batches.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_unbatch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalUnbatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_unbatch_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_experimental_unbatch_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ExperimentalUniqueDataset(input_dataset: variant) -> handle: variant
// Elements that were not given before.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_experimental_unique_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExperimentalUniqueDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_experimental_unique_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_experimental_unique_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// FilterDataset(input_dataset: variant, other_arguments: Targuments) -> handle: variant
// The elements for which a function gives true.
// predicate: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1;
//   metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_filter_dataset_options_t;
static inline TF_Output sl_op_filter_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, const char *predicate,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_filter_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FilterDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_attr_function(node, "predicate", predicate);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_filter_dataset(scope, input_dataset, other_arguments, other_arguments_count, predicate, output_types, \
    output_shapes, ...) \
  sl_op_filter_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), (other_arguments_count), (predicate), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_filter_dataset_options_t, __VA_ARGS__))

// FinalizeDataset(input_dataset: variant) -> handle: variant
// The dataset itself.
// has_captured_ref: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool has_captured_ref;
} sl_op_finalize_dataset_options_t;
static inline TF_Output sl_op_finalize_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_finalize_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FinalizeDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_bool(node, "has_captured_ref", options->has_captured_ref);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_finalize_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_finalize_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_finalize_dataset_options_t, __VA_ARGS__))

// FixedLengthRecordDataset(filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64,
//   buffer_size: int64) -> handle: variant
// The records of a fixed length in files.
// metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_fixed_length_record_dataset_options_t;
static inline TF_Output sl_op_fixed_length_record_dataset_with(sl_scope_t *scope, TF_Output filenames,
    TF_Output header_bytes, TF_Output record_bytes, TF_Output footer_bytes, TF_Output buffer_size,
    const sl_op_fixed_length_record_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FixedLengthRecordDataset", options->name);
  sl_node_input(node, filenames);
  sl_node_input(node, header_bytes);
  sl_node_input(node, record_bytes);
  sl_node_input(node, footer_bytes);
  sl_node_input(node, buffer_size);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_fixed_length_record_dataset(scope, filenames, header_bytes, record_bytes, footer_bytes, buffer_size, \
    ...) \
  sl_op_fixed_length_record_dataset_with(SL_AT(scope), (filenames), (header_bytes), (record_bytes), (footer_bytes), ( \
    buffer_size), SL_OPTIONS(sl_op_fixed_length_record_dataset_options_t, __VA_ARGS__))

// FixedLengthRecordDatasetV2(filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64,
//   buffer_size: int64, compression_type: string) -> handle: variant
// The records of a fixed length in files, which may be compressed.
// metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_fixed_length_record_dataset_v2_options_t;
static inline TF_Output sl_op_fixed_length_record_dataset_v2_with(sl_scope_t *scope, TF_Output filenames,
    TF_Output header_bytes, TF_Output record_bytes, TF_Output footer_bytes, TF_Output buffer_size,
    TF_Output compression_type, const sl_op_fixed_length_record_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FixedLengthRecordDatasetV2", options->name);
  sl_node_input(node, filenames);
  sl_node_input(node, header_bytes);
  sl_node_input(node, record_bytes);
  sl_node_input(node, footer_bytes);
  sl_node_input(node, buffer_size);
  sl_node_input(node, compression_type);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_fixed_length_record_dataset_v2(scope, filenames, header_bytes, record_bytes, footer_bytes, \
    buffer_size, compression_type, ...) \
  sl_op_fixed_length_record_dataset_v2_with(SL_AT(scope), (filenames), (header_bytes), (record_bytes), ( \
    footer_bytes), (buffer_size), (compression_type), SL_OPTIONS(sl_op_fixed_length_record_dataset_v2_options_t, \
    __VA_ARGS__))

// FlatMapDataset(input_dataset: variant, other_arguments: Targuments) -> handle: variant
// The elements of the datasets that a function gives for each element.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata:
//   string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_flat_map_dataset_options_t;
static inline TF_Output sl_op_flat_map_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, const char *f, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_flat_map_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FlatMapDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_flat_map_dataset(scope, input_dataset, other_arguments, other_arguments_count, f, output_types, \
    output_shapes, ...) \
  sl_op_flat_map_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), (other_arguments_count), (f), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_flat_map_dataset_options_t, __VA_ARGS__))

// GeneratorDataset(init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args,
//   finalize_func_other_args: Tfinalize_func_args) -> handle: variant
// Elements that functions make.
// init_func: func; next_func: func; finalize_func: func; Tinit_func_args: list(type) >= 0; Tnext_func_args:
//   list(type) >= 0; Tfinalize_func_args: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape)
//   >= 1; metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_generator_dataset_options_t;
static inline TF_Output sl_op_generator_dataset_with(sl_scope_t *scope, const TF_Output *init_func_other_args,
    size_t init_func_other_args_count, const TF_Output *next_func_other_args, size_t next_func_other_args_count,
    const TF_Output *finalize_func_other_args, size_t finalize_func_other_args_count, const char *init_func,
    const char *next_func, const char *finalize_func, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_generator_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GeneratorDataset", options->name);
  sl_node_input_list(node, init_func_other_args, init_func_other_args_count);
  sl_node_input_list(node, next_func_other_args, next_func_other_args_count);
  sl_node_input_list(node, finalize_func_other_args, finalize_func_other_args_count);
  sl_node_attr_function(node, "init_func", init_func);
  sl_node_attr_function(node, "next_func", next_func);
  sl_node_attr_function(node, "finalize_func", finalize_func);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_generator_dataset(scope, init_func_other_args, init_func_other_args_count, next_func_other_args, \
    next_func_other_args_count, finalize_func_other_args, finalize_func_other_args_count, init_func, next_func, \
    finalize_func, output_types, output_shapes, ...) \
  sl_op_generator_dataset_with(SL_AT(scope), (init_func_other_args), (init_func_other_args_count), ( \
    next_func_other_args), (next_func_other_args_count), (finalize_func_other_args), ( \
    finalize_func_other_args_count), (init_func), (next_func), (finalize_func), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_generator_dataset_options_t, __VA_ARGS__))

// GetElementAtIndex(dataset: variant, index: int64) -> components: output_types
// An element of a dataset by its number.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline sl_op_list_t sl_op_get_element_at_index_with(sl_scope_t *scope, TF_Output dataset, TF_Output index,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GetElementAtIndex", options->name);
  sl_node_input(node, dataset);
  sl_node_input(node, index);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_get_element_at_index(scope, dataset, index, output_types, output_shapes, ...) \
  sl_op_get_element_at_index_with(SL_AT(scope), (dataset), (index), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// GetOptions(input_dataset: variant) -> serialized_options: string
// The options of a dataset and its inputs.
// No gradient.
static inline TF_Output sl_op_get_options_with(sl_scope_t *scope, TF_Output input_dataset,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GetOptions", options->name);
  sl_node_input(node, input_dataset);
  return sl_node_output(node);
}
#define sl_op_get_options(scope, input_dataset, ...) \
  sl_op_get_options_with(SL_AT(scope), (input_dataset), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GroupByReducerDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
//   init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments: Treduce_func_other_arguments,
//   finalize_func_other_arguments: Tfinalize_func_other_arguments) -> handle: variant
// Groups elements by a key and reduces each group to one element.
// key_func: func; init_func: func; reduce_func: func; finalize_func: func; Tkey_func_other_arguments: list(type) >=
//   0; Tinit_func_other_arguments: list(type) >= 0; Treduce_func_other_arguments: list(type) >= 0;
//   Tfinalize_func_other_arguments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_group_by_reducer_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *key_func_other_arguments, size_t key_func_other_arguments_count,
    const TF_Output *init_func_other_arguments, size_t init_func_other_arguments_count,
    const TF_Output *reduce_func_other_arguments, size_t reduce_func_other_arguments_count,
    const TF_Output *finalize_func_other_arguments, size_t finalize_func_other_arguments_count, const char *key_func,
    const char *init_func, const char *reduce_func, const char *finalize_func, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GroupByReducerDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, key_func_other_arguments, key_func_other_arguments_count);
  sl_node_input_list(node, init_func_other_arguments, init_func_other_arguments_count);
  sl_node_input_list(node, reduce_func_other_arguments, reduce_func_other_arguments_count);
  sl_node_input_list(node, finalize_func_other_arguments, finalize_func_other_arguments_count);
  sl_node_attr_function(node, "key_func", key_func);
  sl_node_attr_function(node, "init_func", init_func);
  sl_node_attr_function(node, "reduce_func", reduce_func);
  sl_node_attr_function(node, "finalize_func", finalize_func);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_group_by_reducer_dataset(scope, input_dataset, key_func_other_arguments, \
    key_func_other_arguments_count, init_func_other_arguments, init_func_other_arguments_count, \
    reduce_func_other_arguments, reduce_func_other_arguments_count, finalize_func_other_arguments, \
    finalize_func_other_arguments_count, key_func, init_func, reduce_func, finalize_func, output_types, \
    output_shapes, ...) \
  sl_op_group_by_reducer_dataset_with(SL_AT(scope), (input_dataset), (key_func_other_arguments), ( \
    key_func_other_arguments_count), (init_func_other_arguments), (init_func_other_arguments_count), ( \
    reduce_func_other_arguments), (reduce_func_other_arguments_count), (finalize_func_other_arguments), ( \
    finalize_func_other_arguments_count), (key_func), (init_func), (reduce_func), (finalize_func), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GroupByWindowDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
//   reduce_func_other_arguments: Treduce_func_other_arguments, window_size_func_other_arguments:
//   Twindow_size_func_other_arguments) -> handle: variant
// Groups elements by a key and reduces windows of each group.
// key_func: func; reduce_func: func; window_size_func: func; Tkey_func_other_arguments: list(type) >= 0;
//   Treduce_func_other_arguments: list(type) >= 0; Twindow_size_func_other_arguments: list(type) >= 0; output_types:
//   list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_group_by_window_dataset_options_t;
static inline TF_Output sl_op_group_by_window_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *key_func_other_arguments, size_t key_func_other_arguments_count,
    const TF_Output *reduce_func_other_arguments, size_t reduce_func_other_arguments_count,
    const TF_Output *window_size_func_other_arguments, size_t window_size_func_other_arguments_count,
    const char *key_func, const char *reduce_func, const char *window_size_func, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_group_by_window_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GroupByWindowDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, key_func_other_arguments, key_func_other_arguments_count);
  sl_node_input_list(node, reduce_func_other_arguments, reduce_func_other_arguments_count);
  sl_node_input_list(node, window_size_func_other_arguments, window_size_func_other_arguments_count);
  sl_node_attr_function(node, "key_func", key_func);
  sl_node_attr_function(node, "reduce_func", reduce_func);
  sl_node_attr_function(node, "window_size_func", window_size_func);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_group_by_window_dataset(scope, input_dataset, key_func_other_arguments, \
    key_func_other_arguments_count, reduce_func_other_arguments, reduce_func_other_arguments_count, \
    window_size_func_other_arguments, window_size_func_other_arguments_count, key_func, reduce_func, \
    window_size_func, output_types, output_shapes, ...) \
  sl_op_group_by_window_dataset_with(SL_AT(scope), (input_dataset), (key_func_other_arguments), ( \
    key_func_other_arguments_count), (reduce_func_other_arguments), (reduce_func_other_arguments_count), ( \
    window_size_func_other_arguments), (window_size_func_other_arguments_count), (key_func), (reduce_func), ( \
    window_size_func), (output_types), (output_shapes), SL_OPTIONS(sl_op_group_by_window_dataset_options_t, \
    __VA_ARGS__))

// IgnoreErrorsDataset(input_dataset: variant) -> handle: variant
// Leaves out elements that give errors.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; log_warning: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool log_warning;
} sl_op_ignore_errors_dataset_options_t;
static inline TF_Output sl_op_ignore_errors_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_ignore_errors_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IgnoreErrorsDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "log_warning", options->log_warning);
  return sl_node_output(node);
}
#define sl_op_ignore_errors_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_ignore_errors_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_ignore_errors_dataset_options_t, __VA_ARGS__))

// InitializeTableFromDataset(table_handle: resource, dataset: variant)
// Fills a lookup table with the elements of a dataset.
// Stateful, no gradient.
static inline TF_Operation *sl_op_initialize_table_from_dataset_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output dataset, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InitializeTableFromDataset", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, dataset);
  return sl_node_finish(node);
}
#define sl_op_initialize_table_from_dataset(scope, table_handle, dataset, ...) \
  sl_op_initialize_table_from_dataset_with(SL_AT(scope), (table_handle), (dataset), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// InterleaveDataset(input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64) ->
//   handle: variant
// Takes elements of several datasets in turn, which a function gives for each element.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata:
//   string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_interleave_dataset_options_t;
static inline TF_Output sl_op_interleave_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output cycle_length, TF_Output block_length,
    const char *f, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_interleave_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InterleaveDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, cycle_length);
  sl_node_input(node, block_length);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_interleave_dataset(scope, input_dataset, other_arguments, other_arguments_count, cycle_length, \
    block_length, f, output_types, output_shapes, ...) \
  sl_op_interleave_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), (other_arguments_count), ( \
    cycle_length), (block_length), (f), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_interleave_dataset_options_t, __VA_ARGS__))

// Iterator() -> handle: resource
// An iterator over a dataset, under a name.
// shared_name: string; container: string; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_iterator_with(sl_scope_t *scope, const char *shared_name, const char *container,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Iterator", options->name);
  sl_node_attr_text(node, "shared_name", shared_name);
  sl_node_attr_text(node, "container", container);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_iterator(scope, shared_name, container, output_types, output_shapes, ...) \
  sl_op_iterator_with(SL_AT(scope), (shared_name), (container), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// IteratorFromStringHandle(string_handle: string) -> resource_handle: resource
// The iterator that a text names.
// output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_types_t output_types;
  sl_op_shapes_t output_shapes;
} sl_op_iterator_from_string_handle_options_t;
static inline TF_Output sl_op_iterator_from_string_handle_with(sl_scope_t *scope, TF_Output string_handle,
    const sl_op_iterator_from_string_handle_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IteratorFromStringHandle", options->name);
  sl_node_input(node, string_handle);
  if (options->output_types.values) sl_node_attr_type_list(node, "output_types", options->output_types.values,
    options->output_types.count);
  if (options->output_shapes.values) sl_node_attr_shape_list(node, "output_shapes", options->output_shapes.values,
    options->output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_iterator_from_string_handle(scope, string_handle, ...) \
  sl_op_iterator_from_string_handle_with(SL_AT(scope), (string_handle), SL_OPTIONS( \
    sl_op_iterator_from_string_handle_options_t, __VA_ARGS__))

// IteratorFromStringHandleV2(string_handle: string) -> resource_handle: resource
// The iterator that a text names.
// output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_types_t output_types;
  sl_op_shapes_t output_shapes;
} sl_op_iterator_from_string_handle_v2_options_t;
static inline TF_Output sl_op_iterator_from_string_handle_v2_with(sl_scope_t *scope, TF_Output string_handle,
    const sl_op_iterator_from_string_handle_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IteratorFromStringHandleV2", options->name);
  sl_node_input(node, string_handle);
  if (options->output_types.values) sl_node_attr_type_list(node, "output_types", options->output_types.values,
    options->output_types.count);
  if (options->output_shapes.values) sl_node_attr_shape_list(node, "output_shapes", options->output_shapes.values,
    options->output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_iterator_from_string_handle_v2(scope, string_handle, ...) \
  sl_op_iterator_from_string_handle_v2_with(SL_AT(scope), (string_handle), SL_OPTIONS( \
    sl_op_iterator_from_string_handle_v2_options_t, __VA_ARGS__))

// IteratorGetDevice(resource: resource) -> device: string
// The device of an iterator.
// Stateful, no gradient.
static inline TF_Output sl_op_iterator_get_device_with(sl_scope_t *scope, TF_Output resource,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IteratorGetDevice", options->name);
  sl_node_input(node, resource);
  return sl_node_output(node);
}
#define sl_op_iterator_get_device(scope, resource, ...) \
  sl_op_iterator_get_device_with(SL_AT(scope), (resource), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IteratorGetNext(iterator: resource) -> components: output_types
// The next element of an iterator.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline sl_op_list_t sl_op_iterator_get_next_with(sl_scope_t *scope, TF_Output iterator,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IteratorGetNext", options->name);
  sl_node_input(node, iterator);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_iterator_get_next(scope, iterator, output_types, output_shapes, ...) \
  sl_op_iterator_get_next_with(SL_AT(scope), (iterator), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// IteratorGetNextAsOptional(iterator: resource) -> optional: variant
// The next element of an iterator, or an optional without a value at its end.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_iterator_get_next_as_optional_with(sl_scope_t *scope, TF_Output iterator,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IteratorGetNextAsOptional", options->name);
  sl_node_input(node, iterator);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_iterator_get_next_as_optional(scope, iterator, output_types, output_shapes, ...) \
  sl_op_iterator_get_next_as_optional_with(SL_AT(scope), (iterator), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// IteratorGetNextSync(iterator: resource) -> components: output_types
// The next element of an iterator.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline sl_op_list_t sl_op_iterator_get_next_sync_with(sl_scope_t *scope, TF_Output iterator,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IteratorGetNextSync", options->name);
  sl_node_input(node, iterator);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_iterator_get_next_sync(scope, iterator, output_types, output_shapes, ...) \
  sl_op_iterator_get_next_sync_with(SL_AT(scope), (iterator), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// IteratorToStringHandle(resource_handle: resource) -> string_handle: string
// The handle of an iterator as text.
// Stateful, no gradient.
static inline TF_Output sl_op_iterator_to_string_handle_with(sl_scope_t *scope, TF_Output resource_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IteratorToStringHandle", options->name);
  sl_node_input(node, resource_handle);
  return sl_node_output(node);
}
#define sl_op_iterator_to_string_handle(scope, resource_handle, ...) \
  sl_op_iterator_to_string_handle_with(SL_AT(scope), (resource_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IteratorV2() -> handle: resource
// An iterator over a dataset, under a name.
// shared_name: string; container: string; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_iterator_v2_with(sl_scope_t *scope, const char *shared_name, const char *container,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IteratorV2", options->name);
  sl_node_attr_text(node, "shared_name", shared_name);
  sl_node_attr_text(node, "container", container);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_iterator_v2(scope, shared_name, container, output_types, output_shapes, ...) \
  sl_op_iterator_v2_with(SL_AT(scope), (shared_name), (container), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// LatencyStatsDataset(input_dataset: variant, tag: string) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_latency_stats_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output tag,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LatencyStatsDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, tag);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_latency_stats_dataset(scope, input_dataset, tag, output_types, output_shapes, ...) \
  sl_op_latency_stats_dataset_with(SL_AT(scope), (input_dataset), (tag), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// LegacyParallelInterleaveDatasetV2(input_dataset: variant, other_arguments: Targuments, cycle_length: int64,
//   block_length: int64, buffer_output_elements: int64, prefetch_input_elements: int64) -> handle: variant
// Takes elements of several datasets in turn, which are read in the background.
// f: func; deterministic: string = 'default'; Targuments: list(type) >= 0; output_types: list(type) >= 1;
//   output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *deterministic;
  const char *metadata;
} sl_op_legacy_parallel_interleave_dataset_v2_options_t;
static inline TF_Output sl_op_legacy_parallel_interleave_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output cycle_length, TF_Output block_length,
    TF_Output buffer_output_elements, TF_Output prefetch_input_elements, const char *f, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_legacy_parallel_interleave_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LegacyParallelInterleaveDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, cycle_length);
  sl_node_input(node, block_length);
  sl_node_input(node, buffer_output_elements);
  sl_node_input(node, prefetch_input_elements);
  sl_node_attr_function(node, "f", f);
  if (options->deterministic) sl_node_attr_text(node, "deterministic", options->deterministic);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_legacy_parallel_interleave_dataset_v2(scope, input_dataset, other_arguments, other_arguments_count, \
    cycle_length, block_length, buffer_output_elements, prefetch_input_elements, f, output_types, output_shapes, \
    ...) \
  sl_op_legacy_parallel_interleave_dataset_v2_with(SL_AT(scope), (input_dataset), (other_arguments), ( \
    other_arguments_count), (cycle_length), (block_length), (buffer_output_elements), (prefetch_input_elements), ( \
    f), (output_types), (output_shapes), SL_OPTIONS(sl_op_legacy_parallel_interleave_dataset_v2_options_t, \
    __VA_ARGS__))

// ListDataset(tensors: Tinput_types) -> handle: variant
// A dataset of given tensors.
// Tinput_types: list(type) >= 1; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string =
//   ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_list_dataset_options_t;
static inline TF_Output sl_op_list_dataset_with(sl_scope_t *scope, const TF_Output *tensors, size_t tensors_count,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_list_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ListDataset", options->name);
  sl_node_input_list(node, tensors, tensors_count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_list_dataset(scope, tensors, tensors_count, output_types, output_shapes, ...) \
  sl_op_list_dataset_with(SL_AT(scope), (tensors), (tensors_count), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_list_dataset_options_t, __VA_ARGS__))

// LoadDataset(path: string, reader_func_other_args: Treader_func_args) -> handle: variant
// The elements that SaveDataset wrote.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; compression: string = ''; reader_func: func;
//   Treader_func_args: list(type) >= 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *compression;
} sl_op_load_dataset_options_t;
static inline TF_Output sl_op_load_dataset_with(sl_scope_t *scope, TF_Output path,
    const TF_Output *reader_func_other_args, size_t reader_func_other_args_count, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const char *reader_func, const sl_op_load_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LoadDataset", options->name);
  sl_node_input(node, path);
  sl_node_input_list(node, reader_func_other_args, reader_func_other_args_count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->compression) sl_node_attr_text(node, "compression", options->compression);
  sl_node_attr_function(node, "reader_func", reader_func);
  return sl_node_output(node);
}
#define sl_op_load_dataset(scope, path, reader_func_other_args, reader_func_other_args_count, output_types, \
    output_shapes, reader_func, ...) \
  sl_op_load_dataset_with(SL_AT(scope), (path), (reader_func_other_args), (reader_func_other_args_count), ( \
    output_types), (output_shapes), (reader_func), SL_OPTIONS(sl_op_load_dataset_options_t, __VA_ARGS__))

// MakeIterator(dataset: variant, iterator: resource)
// Starts an iterator at the first element of a dataset.
// Stateful, no gradient.
static inline TF_Operation *sl_op_make_iterator_with(sl_scope_t *scope, TF_Output dataset, TF_Output iterator,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MakeIterator", options->name);
  sl_node_input(node, dataset);
  sl_node_input(node, iterator);
  return sl_node_finish(node);
}
#define sl_op_make_iterator(scope, dataset, iterator, ...) \
  sl_op_make_iterator_with(SL_AT(scope), (dataset), (iterator), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MapAndBatchDataset(input_dataset: variant, other_arguments: Targuments, batch_size: int64, num_parallel_calls:
//   int64, drop_remainder: bool) -> handle: variant
// Calls a function for several elements at a time and batches the results.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1;
//   preserve_cardinality: bool = false; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool preserve_cardinality;
  const char *metadata;
} sl_op_map_and_batch_dataset_options_t;
static inline TF_Output sl_op_map_and_batch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output batch_size,
    TF_Output num_parallel_calls, TF_Output drop_remainder, const char *f, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_map_and_batch_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapAndBatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, batch_size);
  sl_node_input(node, num_parallel_calls);
  sl_node_input(node, drop_remainder);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "preserve_cardinality", options->preserve_cardinality);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_map_and_batch_dataset(scope, input_dataset, other_arguments, other_arguments_count, batch_size, \
    num_parallel_calls, drop_remainder, f, output_types, output_shapes, ...) \
  sl_op_map_and_batch_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), (other_arguments_count), ( \
    batch_size), (num_parallel_calls), (drop_remainder), (f), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_map_and_batch_dataset_options_t, __VA_ARGS__))

// MapDataset(input_dataset: variant, other_arguments: Targuments) -> handle: variant
// Calls a function for each element.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1;
//   use_inter_op_parallelism: bool = true; preserve_cardinality: bool = false; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_inter_op_parallelism;
  bool preserve_cardinality;
  const char *metadata;
} sl_op_map_dataset_options_t;
static inline TF_Output sl_op_map_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, const char *f, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_map_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "use_inter_op_parallelism", options->use_inter_op_parallelism);
  sl_node_attr_bool(node, "preserve_cardinality", options->preserve_cardinality);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_map_dataset(scope, input_dataset, other_arguments, other_arguments_count, f, output_types, \
    output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_map_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), (other_arguments_count), ( \
    f), (output_types), (output_shapes), SL_OPTIONS(sl_op_map_dataset_options_t, .use_inter_op_parallelism = true, \
    __VA_ARGS__)))

// MatchingFilesDataset(patterns: string) -> handle: variant
// The names of files that match patterns.
// Stateful, no gradient.
static inline TF_Output sl_op_matching_files_dataset_with(sl_scope_t *scope, TF_Output patterns,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatchingFilesDataset", options->name);
  sl_node_input(node, patterns);
  return sl_node_output(node);
}
#define sl_op_matching_files_dataset(scope, patterns, ...) \
  sl_op_matching_files_dataset_with(SL_AT(scope), (patterns), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MaxIntraOpParallelismDataset(input_dataset: variant, max_intra_op_parallelism: int64) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_max_intra_op_parallelism_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output max_intra_op_parallelism, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxIntraOpParallelismDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, max_intra_op_parallelism);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_max_intra_op_parallelism_dataset(scope, input_dataset, max_intra_op_parallelism, output_types, \
    output_shapes, ...) \
  sl_op_max_intra_op_parallelism_dataset_with(SL_AT(scope), (input_dataset), (max_intra_op_parallelism), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ModelDataset(input_dataset: variant) -> handle: variant
// The dataset itself: buffers tune themselves.
// algorithm: int = 0; cpu_budget: int = 0; ram_budget: int = 0; output_types: list(type) >= 1; output_shapes:
//   list(shape) >= 1
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t algorithm;
  int64_t cpu_budget;
  int64_t ram_budget;
} sl_op_model_dataset_options_t;
static inline TF_Output sl_op_model_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_model_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ModelDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_int(node, "algorithm", options->algorithm);
  sl_node_attr_int(node, "cpu_budget", options->cpu_budget);
  sl_node_attr_int(node, "ram_budget", options->ram_budget);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_model_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_model_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_model_dataset_options_t, __VA_ARGS__))

// MultiDeviceIterator() -> handle: resource
// An iterator whose elements go to several devices in turn.
// devices: list(string) >= 1; shared_name: string; container: string; output_types: list(type) >= 1; output_shapes:
//   list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_multi_device_iterator_with(sl_scope_t *scope, sl_op_texts_t devices,
    const char *shared_name, const char *container, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MultiDeviceIterator", options->name);
  sl_node_attr_text_list(node, "devices", devices.values, devices.count);
  sl_node_attr_text(node, "shared_name", shared_name);
  sl_node_attr_text(node, "container", container);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_multi_device_iterator(scope, devices, shared_name, container, output_types, output_shapes, ...) \
  sl_op_multi_device_iterator_with(SL_AT(scope), (devices), (shared_name), (container), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MultiDeviceIteratorFromStringHandle(string_handle: string) -> multi_device_iterator: resource
// The iterator for several devices that a text names.
// output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_types_t output_types;
  sl_op_shapes_t output_shapes;
} sl_op_multi_device_iterator_from_string_handle_options_t;
static inline TF_Output sl_op_multi_device_iterator_from_string_handle_with(sl_scope_t *scope,
    TF_Output string_handle, const sl_op_multi_device_iterator_from_string_handle_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MultiDeviceIteratorFromStringHandle", options->name);
  sl_node_input(node, string_handle);
  if (options->output_types.values) sl_node_attr_type_list(node, "output_types", options->output_types.values,
    options->output_types.count);
  if (options->output_shapes.values) sl_node_attr_shape_list(node, "output_shapes", options->output_shapes.values,
    options->output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_multi_device_iterator_from_string_handle(scope, string_handle, ...) \
  sl_op_multi_device_iterator_from_string_handle_with(SL_AT(scope), (string_handle), SL_OPTIONS( \
    sl_op_multi_device_iterator_from_string_handle_options_t, __VA_ARGS__))

// MultiDeviceIteratorGetNextFromShard(multi_device_iterator: resource, shard_num: int32, incarnation_id: int64) ->
//   components: output_types
// The next element for one device.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline sl_op_list_t sl_op_multi_device_iterator_get_next_from_shard_with(sl_scope_t *scope,
    TF_Output multi_device_iterator, TF_Output shard_num, TF_Output incarnation_id, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MultiDeviceIteratorGetNextFromShard", options->name);
  sl_node_input(node, multi_device_iterator);
  sl_node_input(node, shard_num);
  sl_node_input(node, incarnation_id);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_multi_device_iterator_get_next_from_shard(scope, multi_device_iterator, shard_num, incarnation_id, \
    output_types, output_shapes, ...) \
  sl_op_multi_device_iterator_get_next_from_shard_with(SL_AT(scope), (multi_device_iterator), (shard_num), ( \
    incarnation_id), (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MultiDeviceIteratorInit(dataset: variant, multi_device_iterator: resource, max_buffer_size: int64) ->
//   incarnation_id: int64
// Starts an iterator for several devices at the first element of a dataset.
// Stateful, no gradient.
static inline TF_Output sl_op_multi_device_iterator_init_with(sl_scope_t *scope, TF_Output dataset,
    TF_Output multi_device_iterator, TF_Output max_buffer_size, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MultiDeviceIteratorInit", options->name);
  sl_node_input(node, dataset);
  sl_node_input(node, multi_device_iterator);
  sl_node_input(node, max_buffer_size);
  return sl_node_output(node);
}
#define sl_op_multi_device_iterator_init(scope, dataset, multi_device_iterator, max_buffer_size, ...) \
  sl_op_multi_device_iterator_init_with(SL_AT(scope), (dataset), (multi_device_iterator), (max_buffer_size), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MultiDeviceIteratorToStringHandle(multi_device_iterator: resource) -> string_handle: string
// The handle of an iterator for several devices as text.
// Stateful, no gradient.
static inline TF_Output sl_op_multi_device_iterator_to_string_handle_with(sl_scope_t *scope,
    TF_Output multi_device_iterator, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MultiDeviceIteratorToStringHandle", options->name);
  sl_node_input(node, multi_device_iterator);
  return sl_node_output(node);
}
#define sl_op_multi_device_iterator_to_string_handle(scope, multi_device_iterator, ...) \
  sl_op_multi_device_iterator_to_string_handle_with(SL_AT(scope), (multi_device_iterator), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// NonSerializableDataset(input_dataset: variant) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_non_serializable_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NonSerializableDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_non_serializable_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_non_serializable_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// OneShotIterator() -> handle: resource
// An iterator over the dataset that a function makes.
// dataset_factory: func; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; container: string = '';
//   shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_one_shot_iterator_options_t;
static inline TF_Output sl_op_one_shot_iterator_with(sl_scope_t *scope, const char *dataset_factory,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_one_shot_iterator_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OneShotIterator", options->name);
  sl_node_attr_function(node, "dataset_factory", dataset_factory);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_one_shot_iterator(scope, dataset_factory, output_types, output_shapes, ...) \
  sl_op_one_shot_iterator_with(SL_AT(scope), (dataset_factory), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_one_shot_iterator_options_t, __VA_ARGS__))

// OptimizeDataset(input_dataset: variant, optimizations: string) -> handle: variant
// The dataset, rewritten to be faster.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; optimization_configs: list(string) = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_texts_t optimization_configs;
} sl_op_optimize_dataset_options_t;
static inline TF_Output sl_op_optimize_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output optimizations, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_optimize_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OptimizeDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, optimizations);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->optimization_configs.values) sl_node_attr_text_list(node, "optimization_configs",
    options->optimization_configs.values, options->optimization_configs.count);
  return sl_node_output(node);
}
#define sl_op_optimize_dataset(scope, input_dataset, optimizations, output_types, output_shapes, ...) \
  sl_op_optimize_dataset_with(SL_AT(scope), (input_dataset), (optimizations), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_optimize_dataset_options_t, __VA_ARGS__))

// OptimizeDatasetV2(input_dataset: variant, optimizations_enabled: string, optimizations_disabled: string,
//   optimizations_default: string) -> handle: variant
// The dataset, rewritten to be faster.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; optimization_configs: list(string) = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_texts_t optimization_configs;
} sl_op_optimize_dataset_v2_options_t;
static inline TF_Output sl_op_optimize_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output optimizations_enabled, TF_Output optimizations_disabled, TF_Output optimizations_default,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_optimize_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OptimizeDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, optimizations_enabled);
  sl_node_input(node, optimizations_disabled);
  sl_node_input(node, optimizations_default);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->optimization_configs.values) sl_node_attr_text_list(node, "optimization_configs",
    options->optimization_configs.values, options->optimization_configs.count);
  return sl_node_output(node);
}
#define sl_op_optimize_dataset_v2(scope, input_dataset, optimizations_enabled, optimizations_disabled, \
    optimizations_default, output_types, output_shapes, ...) \
  sl_op_optimize_dataset_v2_with(SL_AT(scope), (input_dataset), (optimizations_enabled), (optimizations_disabled), ( \
    optimizations_default), (output_types), (output_shapes), SL_OPTIONS(sl_op_optimize_dataset_v2_options_t, \
    __VA_ARGS__))

// OptionalFromValue(components: Toutput_types) -> optional: variant
// An optional that holds tensors.
// Toutput_types: list(type) >= 1
// Differentiable.
static inline TF_Output sl_op_optional_from_value_with(sl_scope_t *scope, const TF_Output *components,
    size_t components_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OptionalFromValue", options->name);
  sl_node_input_list(node, components, components_count);
  return sl_node_output(node);
}
#define sl_op_optional_from_value(scope, components, components_count, ...) \
  sl_op_optional_from_value_with(SL_AT(scope), (components), (components_count), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// OptionalGetValue(optional: variant) -> components: output_types
// The tensors of an optional.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Differentiable.
static inline sl_op_list_t sl_op_optional_get_value_with(sl_scope_t *scope, TF_Output optional,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OptionalGetValue", options->name);
  sl_node_input(node, optional);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_optional_get_value(scope, optional, output_types, output_shapes, ...) \
  sl_op_optional_get_value_with(SL_AT(scope), (optional), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// OptionalHasValue(optional: variant) -> has_value: bool
// Whether an optional holds a value.
// No gradient.
static inline TF_Output sl_op_optional_has_value_with(sl_scope_t *scope, TF_Output optional,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OptionalHasValue", options->name);
  sl_node_input(node, optional);
  return sl_node_output(node);
}
#define sl_op_optional_has_value(scope, optional, ...) \
  sl_op_optional_has_value_with(SL_AT(scope), (optional), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// OptionalNone() -> optional: variant
// An optional without a value.
// No gradient.
static inline TF_Output sl_op_optional_none_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OptionalNone", options->name);
  return sl_node_output(node);
}
#define sl_op_optional_none(scope, ...) \
  sl_op_optional_none_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// OptionsDataset(input_dataset: variant) -> handle: variant
// The dataset with options, which hold already.
// serialized_options: string; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_options_dataset_options_t;
static inline TF_Output sl_op_options_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const char *serialized_options, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OptionsDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_text(node, "serialized_options", serialized_options);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_options_dataset(scope, input_dataset, serialized_options, output_types, output_shapes, ...) \
  sl_op_options_dataset_with(SL_AT(scope), (input_dataset), (serialized_options), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_options_dataset_options_t, __VA_ARGS__))

// PaddedBatchDataset(input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values:
//   Toutput_types) -> handle: variant
// Batches of elements that are padded to one shape.
// Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_padded_batch_dataset_options_t;
static inline TF_Output sl_op_padded_batch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output batch_size, const TF_Output *padded_shapes, size_t padded_shapes_count,
    const TF_Output *padding_values, size_t padding_values_count, sl_op_shapes_t output_shapes,
    const sl_op_padded_batch_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PaddedBatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, batch_size);
  sl_node_input_list(node, padded_shapes, padded_shapes_count);
  sl_node_input_list(node, padding_values, padding_values_count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_padded_batch_dataset(scope, input_dataset, batch_size, padded_shapes, padded_shapes_count, \
    padding_values, padding_values_count, output_shapes, ...) \
  sl_op_padded_batch_dataset_with(SL_AT(scope), (input_dataset), (batch_size), (padded_shapes), ( \
    padded_shapes_count), (padding_values), (padding_values_count), (output_shapes), SL_OPTIONS( \
    sl_op_padded_batch_dataset_options_t, __VA_ARGS__))

// PaddedBatchDatasetV2(input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values:
//   Toutput_types, drop_remainder: bool) -> handle: variant
// Batches of elements that are padded to one shape.
// parallel_copy: bool = false; Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1;
//   metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool parallel_copy;
  const char *metadata;
} sl_op_padded_batch_dataset_v2_options_t;
static inline TF_Output sl_op_padded_batch_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output batch_size, const TF_Output *padded_shapes, size_t padded_shapes_count,
    const TF_Output *padding_values, size_t padding_values_count, TF_Output drop_remainder,
    sl_op_shapes_t output_shapes, const sl_op_padded_batch_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PaddedBatchDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, batch_size);
  sl_node_input_list(node, padded_shapes, padded_shapes_count);
  sl_node_input_list(node, padding_values, padding_values_count);
  sl_node_input(node, drop_remainder);
  sl_node_attr_bool(node, "parallel_copy", options->parallel_copy);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_padded_batch_dataset_v2(scope, input_dataset, batch_size, padded_shapes, padded_shapes_count, \
    padding_values, padding_values_count, drop_remainder, output_shapes, ...) \
  sl_op_padded_batch_dataset_v2_with(SL_AT(scope), (input_dataset), (batch_size), (padded_shapes), ( \
    padded_shapes_count), (padding_values), (padding_values_count), (drop_remainder), (output_shapes), SL_OPTIONS( \
    sl_op_padded_batch_dataset_v2_options_t, __VA_ARGS__))

// ParallelBatchDataset(input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool) ->
//   handle: variant
// Batches of consecutive elements.
// parallel_copy: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; deterministic: string
//   = 'default'; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool parallel_copy;
  const char *deterministic;
  const char *metadata;
} sl_op_parallel_batch_dataset_options_t;
static inline TF_Output sl_op_parallel_batch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output batch_size, TF_Output num_parallel_calls, TF_Output drop_remainder, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_parallel_batch_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelBatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, batch_size);
  sl_node_input(node, num_parallel_calls);
  sl_node_input(node, drop_remainder);
  sl_node_attr_bool(node, "parallel_copy", options->parallel_copy);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->deterministic) sl_node_attr_text(node, "deterministic", options->deterministic);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_parallel_batch_dataset(scope, input_dataset, batch_size, num_parallel_calls, drop_remainder, \
    output_types, output_shapes, ...) \
  sl_op_parallel_batch_dataset_with(SL_AT(scope), (input_dataset), (batch_size), (num_parallel_calls), ( \
    drop_remainder), (output_types), (output_shapes), SL_OPTIONS(sl_op_parallel_batch_dataset_options_t, \
    __VA_ARGS__))

// ParallelFilterDataset(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64) -> handle:
//   variant
// The elements for which a function gives true, several at a time.
// predicate: func; deterministic: string = 'default'; Targuments: list(type) >= 0; output_types: list(type) >= 1;
//   output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *deterministic;
  const char *metadata;
} sl_op_parallel_filter_dataset_options_t;
static inline TF_Output sl_op_parallel_filter_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output num_parallel_calls,
    const char *predicate, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_parallel_filter_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelFilterDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, num_parallel_calls);
  sl_node_attr_function(node, "predicate", predicate);
  if (options->deterministic) sl_node_attr_text(node, "deterministic", options->deterministic);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_parallel_filter_dataset(scope, input_dataset, other_arguments, other_arguments_count, \
    num_parallel_calls, predicate, output_types, output_shapes, ...) \
  sl_op_parallel_filter_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), (other_arguments_count), ( \
    num_parallel_calls), (predicate), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_parallel_filter_dataset_options_t, __VA_ARGS__))

// ParallelInterleaveDataset(input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length:
//   int64, sloppy: bool, buffer_output_elements: int64, prefetch_input_elements: int64) -> handle: variant
// Takes elements of several datasets in turn, which are read in the background.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata:
//   string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_parallel_interleave_dataset_options_t;
static inline TF_Output sl_op_parallel_interleave_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output cycle_length, TF_Output block_length,
    TF_Output sloppy, TF_Output buffer_output_elements, TF_Output prefetch_input_elements, const char *f,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_parallel_interleave_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelInterleaveDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, cycle_length);
  sl_node_input(node, block_length);
  sl_node_input(node, sloppy);
  sl_node_input(node, buffer_output_elements);
  sl_node_input(node, prefetch_input_elements);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_parallel_interleave_dataset(scope, input_dataset, other_arguments, other_arguments_count, \
    cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements, f, output_types, \
    output_shapes, ...) \
  sl_op_parallel_interleave_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), (other_arguments_count), ( \
    cycle_length), (block_length), (sloppy), (buffer_output_elements), (prefetch_input_elements), (f), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_parallel_interleave_dataset_options_t, __VA_ARGS__))

// ParallelInterleaveDatasetV2(input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length:
//   int64, num_parallel_calls: int64) -> handle: variant
// Takes elements of several datasets in turn, which are read in the background.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; sloppy: bool
//   = false; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sloppy;
  const char *metadata;
} sl_op_parallel_interleave_dataset_v2_options_t;
static inline TF_Output sl_op_parallel_interleave_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output cycle_length, TF_Output block_length,
    TF_Output num_parallel_calls, const char *f, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_parallel_interleave_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelInterleaveDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, cycle_length);
  sl_node_input(node, block_length);
  sl_node_input(node, num_parallel_calls);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "sloppy", options->sloppy);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_parallel_interleave_dataset_v2(scope, input_dataset, other_arguments, other_arguments_count, \
    cycle_length, block_length, num_parallel_calls, f, output_types, output_shapes, ...) \
  sl_op_parallel_interleave_dataset_v2_with(SL_AT(scope), (input_dataset), (other_arguments), ( \
    other_arguments_count), (cycle_length), (block_length), (num_parallel_calls), (f), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_parallel_interleave_dataset_v2_options_t, __VA_ARGS__))

// ParallelInterleaveDatasetV3(input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length:
//   int64, num_parallel_calls: int64) -> handle: variant
// Takes elements of several datasets in turn, which are read in the background.
// f: func; deterministic: string = 'default'; Targuments: list(type) >= 0; output_types: list(type) >= 1;
//   output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *deterministic;
  const char *metadata;
} sl_op_parallel_interleave_dataset_v3_options_t;
static inline TF_Output sl_op_parallel_interleave_dataset_v3_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output cycle_length, TF_Output block_length,
    TF_Output num_parallel_calls, const char *f, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_parallel_interleave_dataset_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelInterleaveDatasetV3", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, cycle_length);
  sl_node_input(node, block_length);
  sl_node_input(node, num_parallel_calls);
  sl_node_attr_function(node, "f", f);
  if (options->deterministic) sl_node_attr_text(node, "deterministic", options->deterministic);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_parallel_interleave_dataset_v3(scope, input_dataset, other_arguments, other_arguments_count, \
    cycle_length, block_length, num_parallel_calls, f, output_types, output_shapes, ...) \
  sl_op_parallel_interleave_dataset_v3_with(SL_AT(scope), (input_dataset), (other_arguments), ( \
    other_arguments_count), (cycle_length), (block_length), (num_parallel_calls), (f), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_parallel_interleave_dataset_v3_options_t, __VA_ARGS__))

// ParallelInterleaveDatasetV4(input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length:
//   int64, buffer_output_elements: int64, prefetch_input_elements: int64, num_parallel_calls: int64) -> handle:
//   variant
// Takes elements of several datasets in turn, which are read in the background.
// f: func; deterministic: string = 'default'; Targuments: list(type) >= 0; output_types: list(type) >= 1;
//   output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *deterministic;
  const char *metadata;
} sl_op_parallel_interleave_dataset_v4_options_t;
static inline TF_Output sl_op_parallel_interleave_dataset_v4_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output cycle_length, TF_Output block_length,
    TF_Output buffer_output_elements, TF_Output prefetch_input_elements, TF_Output num_parallel_calls, const char *f,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_parallel_interleave_dataset_v4_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelInterleaveDatasetV4", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, cycle_length);
  sl_node_input(node, block_length);
  sl_node_input(node, buffer_output_elements);
  sl_node_input(node, prefetch_input_elements);
  sl_node_input(node, num_parallel_calls);
  sl_node_attr_function(node, "f", f);
  if (options->deterministic) sl_node_attr_text(node, "deterministic", options->deterministic);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_parallel_interleave_dataset_v4(scope, input_dataset, other_arguments, other_arguments_count, \
    cycle_length, block_length, buffer_output_elements, prefetch_input_elements, num_parallel_calls, f, \
    output_types, output_shapes, ...) \
  sl_op_parallel_interleave_dataset_v4_with(SL_AT(scope), (input_dataset), (other_arguments), ( \
    other_arguments_count), (cycle_length), (block_length), (buffer_output_elements), (prefetch_input_elements), ( \
    num_parallel_calls), (f), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_parallel_interleave_dataset_v4_options_t, __VA_ARGS__))

// ParallelMapDataset(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int32) -> handle:
//   variant
// Calls a function for several elements at a time.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1;
//   use_inter_op_parallelism: bool = true; sloppy: bool = false; preserve_cardinality: bool = false; metadata: string
//   = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_inter_op_parallelism;
  bool sloppy;
  bool preserve_cardinality;
  const char *metadata;
} sl_op_parallel_map_dataset_options_t;
static inline TF_Output sl_op_parallel_map_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output num_parallel_calls, const char *f,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_parallel_map_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelMapDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, num_parallel_calls);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "use_inter_op_parallelism", options->use_inter_op_parallelism);
  sl_node_attr_bool(node, "sloppy", options->sloppy);
  sl_node_attr_bool(node, "preserve_cardinality", options->preserve_cardinality);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_parallel_map_dataset(scope, input_dataset, other_arguments, other_arguments_count, \
    num_parallel_calls, f, output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_parallel_map_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), ( \
    other_arguments_count), (num_parallel_calls), (f), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_parallel_map_dataset_options_t, .use_inter_op_parallelism = true, __VA_ARGS__)))

// ParallelMapDatasetV2(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64) -> handle:
//   variant
// Calls a function for several elements at a time.
// f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1;
//   use_inter_op_parallelism: bool = true; deterministic: string = 'default'; preserve_cardinality: bool = false;
//   metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_inter_op_parallelism;
  const char *deterministic;
  bool preserve_cardinality;
  const char *metadata;
} sl_op_parallel_map_dataset_v2_options_t;
static inline TF_Output sl_op_parallel_map_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, TF_Output num_parallel_calls, const char *f,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_parallel_map_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelMapDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_input(node, num_parallel_calls);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "use_inter_op_parallelism", options->use_inter_op_parallelism);
  if (options->deterministic) sl_node_attr_text(node, "deterministic", options->deterministic);
  sl_node_attr_bool(node, "preserve_cardinality", options->preserve_cardinality);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_parallel_map_dataset_v2(scope, input_dataset, other_arguments, other_arguments_count, \
    num_parallel_calls, f, output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_parallel_map_dataset_v2_with(SL_AT(scope), (input_dataset), (other_arguments), ( \
    other_arguments_count), (num_parallel_calls), (f), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_parallel_map_dataset_v2_options_t, .use_inter_op_parallelism = true, __VA_ARGS__)))

// ParseExampleDataset(input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense) -> handle: variant
// Parses batches of Examples.
// sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list({float, int64, string}) >= 0;
//   Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0; output_types: list(type) >= 1;
//   output_shapes: list(shape) >= 1; sloppy: bool = false; ragged_keys: list(string) >= 0 = []; ragged_value_types:
//   list({float, int64, string}) >= 0 = []; ragged_split_types: list({int32, int64}) >= 0 = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sloppy;
  sl_op_texts_t ragged_keys;
  sl_op_types_t ragged_value_types;
  sl_op_types_t ragged_split_types;
} sl_op_parse_example_dataset_options_t;
static inline TF_Output sl_op_parse_example_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output num_parallel_calls, const TF_Output *dense_defaults, size_t dense_defaults_count,
    sl_op_texts_t sparse_keys, sl_op_texts_t dense_keys, sl_op_types_t sparse_types, sl_op_shapes_t dense_shapes,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_parse_example_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseExampleDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_parallel_calls);
  sl_node_input_list(node, dense_defaults, dense_defaults_count);
  sl_node_attr_text_list(node, "sparse_keys", sparse_keys.values, sparse_keys.count);
  sl_node_attr_text_list(node, "dense_keys", dense_keys.values, dense_keys.count);
  sl_node_attr_type_list(node, "sparse_types", sparse_types.values, sparse_types.count);
  sl_node_attr_shape_list(node, "dense_shapes", dense_shapes.values, dense_shapes.count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "sloppy", options->sloppy);
  if (options->ragged_keys.values) sl_node_attr_text_list(node, "ragged_keys", options->ragged_keys.values,
    options->ragged_keys.count);
  if (options->ragged_value_types.values) sl_node_attr_type_list(node, "ragged_value_types",
    options->ragged_value_types.values, options->ragged_value_types.count);
  if (options->ragged_split_types.values) sl_node_attr_type_list(node, "ragged_split_types",
    options->ragged_split_types.values, options->ragged_split_types.count);
  return sl_node_output(node);
}
#define sl_op_parse_example_dataset(scope, input_dataset, num_parallel_calls, dense_defaults, dense_defaults_count, \
    sparse_keys, dense_keys, sparse_types, dense_shapes, output_types, output_shapes, ...) \
  sl_op_parse_example_dataset_with(SL_AT(scope), (input_dataset), (num_parallel_calls), (dense_defaults), ( \
    dense_defaults_count), (sparse_keys), (dense_keys), (sparse_types), (dense_shapes), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_parse_example_dataset_options_t, __VA_ARGS__))

// ParseExampleDatasetV2(input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense) -> handle: variant
// Parses batches of Examples.
// sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list({float, int64, string}) >= 0;
//   Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0; output_types: list(type) >= 1;
//   output_shapes: list(shape) >= 1; deterministic: string = 'default'; ragged_keys: list(string) >= 0 = [];
//   ragged_value_types: list({float, int64, string}) >= 0 = []; ragged_split_types: list({int32, int64}) >= 0 = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *deterministic;
  sl_op_texts_t ragged_keys;
  sl_op_types_t ragged_value_types;
  sl_op_types_t ragged_split_types;
} sl_op_parse_example_dataset_v2_options_t;
static inline TF_Output sl_op_parse_example_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output num_parallel_calls, const TF_Output *dense_defaults, size_t dense_defaults_count,
    sl_op_texts_t sparse_keys, sl_op_texts_t dense_keys, sl_op_types_t sparse_types, sl_op_shapes_t dense_shapes,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_parse_example_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseExampleDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_parallel_calls);
  sl_node_input_list(node, dense_defaults, dense_defaults_count);
  sl_node_attr_text_list(node, "sparse_keys", sparse_keys.values, sparse_keys.count);
  sl_node_attr_text_list(node, "dense_keys", dense_keys.values, dense_keys.count);
  sl_node_attr_type_list(node, "sparse_types", sparse_types.values, sparse_types.count);
  sl_node_attr_shape_list(node, "dense_shapes", dense_shapes.values, dense_shapes.count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->deterministic) sl_node_attr_text(node, "deterministic", options->deterministic);
  if (options->ragged_keys.values) sl_node_attr_text_list(node, "ragged_keys", options->ragged_keys.values,
    options->ragged_keys.count);
  if (options->ragged_value_types.values) sl_node_attr_type_list(node, "ragged_value_types",
    options->ragged_value_types.values, options->ragged_value_types.count);
  if (options->ragged_split_types.values) sl_node_attr_type_list(node, "ragged_split_types",
    options->ragged_split_types.values, options->ragged_split_types.count);
  return sl_node_output(node);
}
#define sl_op_parse_example_dataset_v2(scope, input_dataset, num_parallel_calls, dense_defaults, \
    dense_defaults_count, sparse_keys, dense_keys, sparse_types, dense_shapes, output_types, output_shapes, ...) \
  sl_op_parse_example_dataset_v2_with(SL_AT(scope), (input_dataset), (num_parallel_calls), (dense_defaults), ( \
    dense_defaults_count), (sparse_keys), (dense_keys), (sparse_types), (dense_shapes), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_parse_example_dataset_v2_options_t, __VA_ARGS__))

// PrefetchDataset(input_dataset: variant, buffer_size: int64) -> handle: variant
// Fetches elements in the background into a buffer.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; slack_period: int = 0; legacy_autotune: bool =
//   true; buffer_size_min: int = 0; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t slack_period;
  bool legacy_autotune;
  int64_t buffer_size_min;
  const char *metadata;
} sl_op_prefetch_dataset_options_t;
static inline TF_Output sl_op_prefetch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output buffer_size, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_prefetch_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PrefetchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, buffer_size);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_int(node, "slack_period", options->slack_period);
  sl_node_attr_bool(node, "legacy_autotune", options->legacy_autotune);
  sl_node_attr_int(node, "buffer_size_min", options->buffer_size_min);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_prefetch_dataset(scope, input_dataset, buffer_size, output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_prefetch_dataset_with(SL_AT(scope), (input_dataset), (buffer_size), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_prefetch_dataset_options_t, .legacy_autotune = true, __VA_ARGS__)))

// PrivateThreadPoolDataset(input_dataset: variant, num_threads: int64) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_private_thread_pool_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output num_threads, sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PrivateThreadPoolDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_threads);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_private_thread_pool_dataset(scope, input_dataset, num_threads, output_types, output_shapes, ...) \
  sl_op_private_thread_pool_dataset_with(SL_AT(scope), (input_dataset), (num_threads), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RandomDataset(seed: int64, seed2: int64) -> handle: variant
// Random numbers.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_random_dataset_options_t;
static inline TF_Output sl_op_random_dataset_with(sl_scope_t *scope, TF_Output seed, TF_Output seed2,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_random_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomDataset", options->name);
  sl_node_input(node, seed);
  sl_node_input(node, seed2);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_random_dataset(scope, seed, seed2, output_types, output_shapes, ...) \
  sl_op_random_dataset_with(SL_AT(scope), (seed), (seed2), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_random_dataset_options_t, __VA_ARGS__))

// RandomDatasetV2(seed: int64, seed2: int64, seed_generator: resource) -> handle: variant
// Random numbers.
// rerandomize_each_iteration: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool rerandomize_each_iteration;
  const char *metadata;
} sl_op_random_dataset_v2_options_t;
static inline TF_Output sl_op_random_dataset_v2_with(sl_scope_t *scope, TF_Output seed, TF_Output seed2,
    TF_Output seed_generator, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_random_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomDatasetV2", options->name);
  sl_node_input(node, seed);
  sl_node_input(node, seed2);
  sl_node_input(node, seed_generator);
  sl_node_attr_bool(node, "rerandomize_each_iteration", options->rerandomize_each_iteration);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_random_dataset_v2(scope, seed, seed2, seed_generator, output_types, output_shapes, ...) \
  sl_op_random_dataset_v2_with(SL_AT(scope), (seed), (seed2), (seed_generator), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_random_dataset_v2_options_t, __VA_ARGS__))

// RangeDataset(start: int64, stop: int64, step: int64) -> handle: variant
// A dataset of the numbers of a range.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''; replicate_on_split: bool =
//   false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
  bool replicate_on_split;
} sl_op_range_dataset_options_t;
static inline TF_Output sl_op_range_dataset_with(sl_scope_t *scope, TF_Output start, TF_Output stop, TF_Output step,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_range_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RangeDataset", options->name);
  sl_node_input(node, start);
  sl_node_input(node, stop);
  sl_node_input(node, step);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  sl_node_attr_bool(node, "replicate_on_split", options->replicate_on_split);
  return sl_node_output(node);
}
#define sl_op_range_dataset(scope, start, stop, step, output_types, output_shapes, ...) \
  sl_op_range_dataset_with(SL_AT(scope), (start), (stop), (step), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_range_dataset_options_t, __VA_ARGS__))

// RebatchDataset(input_dataset: variant, num_replicas: int64) -> handle: variant
// Divides batches among replicas.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; use_fallback: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_fallback;
} sl_op_rebatch_dataset_options_t;
static inline TF_Output sl_op_rebatch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output num_replicas, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_rebatch_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RebatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_replicas);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "use_fallback", options->use_fallback);
  return sl_node_output(node);
}
#define sl_op_rebatch_dataset(scope, input_dataset, num_replicas, output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_rebatch_dataset_with(SL_AT(scope), (input_dataset), (num_replicas), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_rebatch_dataset_options_t, .use_fallback = true, __VA_ARGS__)))

// RebatchDatasetV2(input_dataset: variant, batch_sizes: int64, drop_remainder: bool) -> handle: variant
// Batches of other sizes.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_rebatch_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output batch_sizes, TF_Output drop_remainder, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RebatchDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, batch_sizes);
  sl_node_input(node, drop_remainder);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_rebatch_dataset_v2(scope, input_dataset, batch_sizes, drop_remainder, output_types, output_shapes, \
    ...) \
  sl_op_rebatch_dataset_v2_with(SL_AT(scope), (input_dataset), (batch_sizes), (drop_remainder), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReduceDataset(input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> components:
//   output_types
// Calls a function for all elements with a state and gives the last state.
// f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes:
//   list(shape) >= 1; use_inter_op_parallelism: bool = true; metadata: string = ''
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_inter_op_parallelism;
  const char *metadata;
} sl_op_reduce_dataset_options_t;
static inline sl_op_list_t sl_op_reduce_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *initial_state, size_t initial_state_count, const TF_Output *other_arguments,
    size_t other_arguments_count, const char *f, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_reduce_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReduceDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, initial_state, initial_state_count);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "use_inter_op_parallelism", options->use_inter_op_parallelism);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_reduce_dataset(scope, input_dataset, initial_state, initial_state_count, other_arguments, \
    other_arguments_count, f, output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_reduce_dataset_with(SL_AT(scope), (input_dataset), (initial_state), (initial_state_count), ( \
    other_arguments), (other_arguments_count), (f), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_reduce_dataset_options_t, .use_inter_op_parallelism = true, __VA_ARGS__)))

// RepeatDataset(input_dataset: variant, count: int64) -> handle: variant
// Repeats a dataset, or forever.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_repeat_dataset_options_t;
static inline TF_Output sl_op_repeat_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output count,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_repeat_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RepeatDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_repeat_dataset(scope, input_dataset, count, output_types, output_shapes, ...) \
  sl_op_repeat_dataset_with(SL_AT(scope), (input_dataset), (count), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_repeat_dataset_options_t, __VA_ARGS__))

// RewriteDataset(input_dataset: variant, rewrite_name: string) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_rewrite_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output rewrite_name, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RewriteDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, rewrite_name);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_rewrite_dataset(scope, input_dataset, rewrite_name, output_types, output_shapes, ...) \
  sl_op_rewrite_dataset_with(SL_AT(scope), (input_dataset), (rewrite_name), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SamplingDataset(input_dataset: variant, rate: float, seed: int64, seed2: int64) -> handle: variant
// Takes each element with a probability.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline TF_Output sl_op_sampling_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output rate,
    TF_Output seed, TF_Output seed2, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SamplingDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, rate);
  sl_node_input(node, seed);
  sl_node_input(node, seed2);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_sampling_dataset(scope, input_dataset, rate, seed, seed2, output_types, output_shapes, ...) \
  sl_op_sampling_dataset_with(SL_AT(scope), (input_dataset), (rate), (seed), (seed2), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SaveDataset(input_dataset: variant, path: string, shard_func_other_args: Tshard_func_args)
// Writes the elements of a dataset to a directory.
// compression: string = ''; shard_func: func; use_shard_func: bool = true; Tshard_func_args: list(type) >= 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *compression;
  bool use_shard_func;
} sl_op_save_dataset_options_t;
static inline TF_Operation *sl_op_save_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output path,
    const TF_Output *shard_func_other_args, size_t shard_func_other_args_count, const char *shard_func,
    const sl_op_save_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SaveDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, path);
  sl_node_input_list(node, shard_func_other_args, shard_func_other_args_count);
  if (options->compression) sl_node_attr_text(node, "compression", options->compression);
  sl_node_attr_function(node, "shard_func", shard_func);
  sl_node_attr_bool(node, "use_shard_func", options->use_shard_func);
  return sl_node_finish(node);
}
#define sl_op_save_dataset(scope, input_dataset, path, shard_func_other_args, shard_func_other_args_count, \
    shard_func, ...) \
  SL_OVER_DEFAULTS(sl_op_save_dataset_with(SL_AT(scope), (input_dataset), (path), (shard_func_other_args), ( \
    shard_func_other_args_count), (shard_func), SL_OPTIONS(sl_op_save_dataset_options_t, .use_shard_func = true, \
    __VA_ARGS__)))

// SaveDatasetV2(input_dataset: variant, path: string, shard_func_other_args: Tshard_func_args) -> handle: variant
// The elements of a dataset; an iterator writes them to a directory as it gives them.
// compression: string = ''; shard_func: func; use_shard_func: bool = true; Tshard_func_args: list(type) >= 0;
//   output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *compression;
  bool use_shard_func;
} sl_op_save_dataset_v2_options_t;
static inline TF_Output sl_op_save_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output path,
    const TF_Output *shard_func_other_args, size_t shard_func_other_args_count, const char *shard_func,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_save_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SaveDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, path);
  sl_node_input_list(node, shard_func_other_args, shard_func_other_args_count);
  if (options->compression) sl_node_attr_text(node, "compression", options->compression);
  sl_node_attr_function(node, "shard_func", shard_func);
  sl_node_attr_bool(node, "use_shard_func", options->use_shard_func);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_save_dataset_v2(scope, input_dataset, path, shard_func_other_args, shard_func_other_args_count, \
    shard_func, output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_save_dataset_v2_with(SL_AT(scope), (input_dataset), (path), (shard_func_other_args), ( \
    shard_func_other_args_count), (shard_func), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_save_dataset_v2_options_t, .use_shard_func = true, __VA_ARGS__)))

// ScanDataset(input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> handle: variant
// Calls a function for each element with the state of the call before.
// f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes:
//   list(shape) >= 1; preserve_cardinality: bool = false; use_default_device: bool = true; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool preserve_cardinality;
  bool use_default_device;
  const char *metadata;
} sl_op_scan_dataset_options_t;
static inline TF_Output sl_op_scan_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *initial_state, size_t initial_state_count, const TF_Output *other_arguments,
    size_t other_arguments_count, const char *f, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_scan_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScanDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, initial_state, initial_state_count);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "preserve_cardinality", options->preserve_cardinality);
  sl_node_attr_bool(node, "use_default_device", options->use_default_device);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_scan_dataset(scope, input_dataset, initial_state, initial_state_count, other_arguments, \
    other_arguments_count, f, output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_scan_dataset_with(SL_AT(scope), (input_dataset), (initial_state), (initial_state_count), ( \
    other_arguments), (other_arguments_count), (f), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_scan_dataset_options_t, .use_default_device = true, __VA_ARGS__)))

// SerializeIterator(resource_handle: resource) -> serialized: variant
// The state of an iterator.
// external_state_policy: int = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t external_state_policy;
} sl_op_serialize_iterator_options_t;
static inline TF_Output sl_op_serialize_iterator_with(sl_scope_t *scope, TF_Output resource_handle,
    const sl_op_serialize_iterator_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SerializeIterator", options->name);
  sl_node_input(node, resource_handle);
  sl_node_attr_int(node, "external_state_policy", options->external_state_policy);
  return sl_node_output(node);
}
#define sl_op_serialize_iterator(scope, resource_handle, ...) \
  sl_op_serialize_iterator_with(SL_AT(scope), (resource_handle), SL_OPTIONS(sl_op_serialize_iterator_options_t, \
    __VA_ARGS__))

// SetStatsAggregatorDataset(input_dataset: variant, stats_aggregator: resource, tag: string, counter_prefix: string)
//   -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_set_stats_aggregator_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output stats_aggregator, TF_Output tag, TF_Output counter_prefix, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SetStatsAggregatorDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, stats_aggregator);
  sl_node_input(node, tag);
  sl_node_input(node, counter_prefix);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_set_stats_aggregator_dataset(scope, input_dataset, stats_aggregator, tag, counter_prefix, \
    output_types, output_shapes, ...) \
  sl_op_set_stats_aggregator_dataset_with(SL_AT(scope), (input_dataset), (stats_aggregator), (tag), (counter_prefix), \
    (output_types), (output_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ShardDataset(input_dataset: variant, num_shards: int64, index: int64) -> handle: variant
// Every n-th element of a dataset.
// require_non_empty: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string =
//   ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool require_non_empty;
  const char *metadata;
} sl_op_shard_dataset_options_t;
static inline TF_Output sl_op_shard_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output num_shards,
    TF_Output index, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_shard_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShardDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, num_shards);
  sl_node_input(node, index);
  sl_node_attr_bool(node, "require_non_empty", options->require_non_empty);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_shard_dataset(scope, input_dataset, num_shards, index, output_types, output_shapes, ...) \
  sl_op_shard_dataset_with(SL_AT(scope), (input_dataset), (num_shards), (index), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_shard_dataset_options_t, __VA_ARGS__))

// ShuffleAndRepeatDataset(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64) ->
//   handle: variant
// Shuffles and repeats; the buffer stays full between epochs.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; reshuffle_each_iteration: bool = true; metadata:
//   string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool reshuffle_each_iteration;
  const char *metadata;
} sl_op_shuffle_and_repeat_dataset_options_t;
static inline TF_Output sl_op_shuffle_and_repeat_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output buffer_size, TF_Output seed, TF_Output seed2, TF_Output count, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_shuffle_and_repeat_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShuffleAndRepeatDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, buffer_size);
  sl_node_input(node, seed);
  sl_node_input(node, seed2);
  sl_node_input(node, count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "reshuffle_each_iteration", options->reshuffle_each_iteration);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_shuffle_and_repeat_dataset(scope, input_dataset, buffer_size, seed, seed2, count, output_types, \
    output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_shuffle_and_repeat_dataset_with(SL_AT(scope), (input_dataset), (buffer_size), (seed), ( \
    seed2), (count), (output_types), (output_shapes), SL_OPTIONS(sl_op_shuffle_and_repeat_dataset_options_t, \
    .reshuffle_each_iteration = true, __VA_ARGS__)))

// ShuffleAndRepeatDatasetV2(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64,
//   seed_generator: resource) -> handle: variant
// Shuffles and repeats; the buffer stays full between epochs.
// reshuffle_each_iteration: bool = true; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool reshuffle_each_iteration;
  const char *metadata;
} sl_op_shuffle_and_repeat_dataset_v2_options_t;
static inline TF_Output sl_op_shuffle_and_repeat_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output buffer_size, TF_Output seed, TF_Output seed2, TF_Output count, TF_Output seed_generator,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_shuffle_and_repeat_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShuffleAndRepeatDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, buffer_size);
  sl_node_input(node, seed);
  sl_node_input(node, seed2);
  sl_node_input(node, count);
  sl_node_input(node, seed_generator);
  sl_node_attr_bool(node, "reshuffle_each_iteration", options->reshuffle_each_iteration);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_shuffle_and_repeat_dataset_v2(scope, input_dataset, buffer_size, seed, seed2, count, seed_generator, \
    output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_shuffle_and_repeat_dataset_v2_with(SL_AT(scope), (input_dataset), (buffer_size), (seed), ( \
    seed2), (count), (seed_generator), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_shuffle_and_repeat_dataset_v2_options_t, .reshuffle_each_iteration = true, __VA_ARGS__)))

// ShuffleDataset(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64) -> handle: variant
// Shuffles elements in a buffer.
// reshuffle_each_iteration: bool = true; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata:
//   string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool reshuffle_each_iteration;
  const char *metadata;
} sl_op_shuffle_dataset_options_t;
static inline TF_Output sl_op_shuffle_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output buffer_size,
    TF_Output seed, TF_Output seed2, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_shuffle_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShuffleDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, buffer_size);
  sl_node_input(node, seed);
  sl_node_input(node, seed2);
  sl_node_attr_bool(node, "reshuffle_each_iteration", options->reshuffle_each_iteration);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_shuffle_dataset(scope, input_dataset, buffer_size, seed, seed2, output_types, output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_shuffle_dataset_with(SL_AT(scope), (input_dataset), (buffer_size), (seed), (seed2), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_shuffle_dataset_options_t, .reshuffle_each_iteration = true, \
    __VA_ARGS__)))

// ShuffleDatasetV2(input_dataset: variant, buffer_size: int64, seed_generator: resource) -> handle: variant
// Shuffles elements in a buffer, with seeds of a generator.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_shuffle_dataset_v2_options_t;
static inline TF_Output sl_op_shuffle_dataset_v2_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output buffer_size, TF_Output seed_generator, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_shuffle_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShuffleDatasetV2", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, buffer_size);
  sl_node_input(node, seed_generator);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_shuffle_dataset_v2(scope, input_dataset, buffer_size, seed_generator, output_types, output_shapes, \
    ...) \
  sl_op_shuffle_dataset_v2_with(SL_AT(scope), (input_dataset), (buffer_size), (seed_generator), (output_types), ( \
    output_shapes), SL_OPTIONS(sl_op_shuffle_dataset_v2_options_t, __VA_ARGS__))

// ShuffleDatasetV3(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, seed_generator: resource)
//   -> handle: variant
// Shuffles elements in a buffer, with seeds of a generator.
// reshuffle_each_iteration: bool = true; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool reshuffle_each_iteration;
  const char *metadata;
} sl_op_shuffle_dataset_v3_options_t;
static inline TF_Output sl_op_shuffle_dataset_v3_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output buffer_size, TF_Output seed, TF_Output seed2, TF_Output seed_generator, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_shuffle_dataset_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShuffleDatasetV3", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, buffer_size);
  sl_node_input(node, seed);
  sl_node_input(node, seed2);
  sl_node_input(node, seed_generator);
  sl_node_attr_bool(node, "reshuffle_each_iteration", options->reshuffle_each_iteration);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_shuffle_dataset_v3(scope, input_dataset, buffer_size, seed, seed2, seed_generator, output_types, \
    output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_shuffle_dataset_v3_with(SL_AT(scope), (input_dataset), (buffer_size), (seed), (seed2), ( \
    seed_generator), (output_types), (output_shapes), SL_OPTIONS(sl_op_shuffle_dataset_v3_options_t, \
    .reshuffle_each_iteration = true, __VA_ARGS__)))

// SkipDataset(input_dataset: variant, count: int64) -> handle: variant
// A dataset without its first elements.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_skip_dataset_options_t;
static inline TF_Output sl_op_skip_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output count,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_skip_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SkipDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_skip_dataset(scope, input_dataset, count, output_types, output_shapes, ...) \
  sl_op_skip_dataset_with(SL_AT(scope), (input_dataset), (count), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_skip_dataset_options_t, __VA_ARGS__))

// SlidingWindowDataset(input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64) ->
//   handle: variant
// Batches of elements of a sliding window.
// drop_remainder: bool = true; output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool drop_remainder;
} sl_op_sliding_window_dataset_options_t;
static inline TF_Output sl_op_sliding_window_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output window_size, TF_Output window_shift, TF_Output window_stride, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_sliding_window_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SlidingWindowDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, window_size);
  sl_node_input(node, window_shift);
  sl_node_input(node, window_stride);
  sl_node_attr_bool(node, "drop_remainder", options->drop_remainder);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_sliding_window_dataset(scope, input_dataset, window_size, window_shift, window_stride, output_types, \
    output_shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_sliding_window_dataset_with(SL_AT(scope), (input_dataset), (window_size), (window_shift), ( \
    window_stride), (output_types), (output_shapes), SL_OPTIONS(sl_op_sliding_window_dataset_options_t, \
    .drop_remainder = true, __VA_ARGS__)))

// SnapshotDatasetReader(shard_dir: string, start_index: int64) -> handle: variant
// The elements of one shard that SaveDataset wrote.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; compression: string = ''; version: int
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *compression;
} sl_op_snapshot_dataset_reader_options_t;
static inline TF_Output sl_op_snapshot_dataset_reader_with(sl_scope_t *scope, TF_Output shard_dir,
    TF_Output start_index, sl_op_types_t output_types, sl_op_shapes_t output_shapes, int64_t version,
    const sl_op_snapshot_dataset_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SnapshotDatasetReader", options->name);
  sl_node_input(node, shard_dir);
  sl_node_input(node, start_index);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->compression) sl_node_attr_text(node, "compression", options->compression);
  sl_node_attr_int(node, "version", version);
  return sl_node_output(node);
}
#define sl_op_snapshot_dataset_reader(scope, shard_dir, start_index, output_types, output_shapes, version, ...) \
  sl_op_snapshot_dataset_reader_with(SL_AT(scope), (shard_dir), (start_index), (output_types), (output_shapes), ( \
    version), SL_OPTIONS(sl_op_snapshot_dataset_reader_options_t, __VA_ARGS__))

// SparseTensorSliceDataset(indices: int64, values: Tvalues, dense_shape: int64) -> handle: variant
// The slices of a sparse tensor along its first dimension.
// Tvalues: type
// Stateful, no gradient.
static inline TF_Output sl_op_sparse_tensor_slice_dataset_with(sl_scope_t *scope, TF_Output indices,
    TF_Output values, TF_Output dense_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseTensorSliceDataset", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, values);
  sl_node_input(node, dense_shape);
  return sl_node_output(node);
}
#define sl_op_sparse_tensor_slice_dataset(scope, indices, values, dense_shape, ...) \
  sl_op_sparse_tensor_slice_dataset_with(SL_AT(scope), (indices), (values), (dense_shape), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TFRecordDataset(filenames: string, compression_type: string, buffer_size: int64) -> handle: variant
// The records of TFRecord files.
// metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_tf_record_dataset_options_t;
static inline TF_Output sl_op_tf_record_dataset_with(sl_scope_t *scope, TF_Output filenames,
    TF_Output compression_type, TF_Output buffer_size, const sl_op_tf_record_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TFRecordDataset", options->name);
  sl_node_input(node, filenames);
  sl_node_input(node, compression_type);
  sl_node_input(node, buffer_size);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_tf_record_dataset(scope, filenames, compression_type, buffer_size, ...) \
  sl_op_tf_record_dataset_with(SL_AT(scope), (filenames), (compression_type), (buffer_size), SL_OPTIONS( \
    sl_op_tf_record_dataset_options_t, __VA_ARGS__))

// TFRecordDatasetV2(filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64) -> handle:
//   variant
// The records of TFRecord files, from an offset in each.
// metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_tf_record_dataset_v2_options_t;
static inline TF_Output sl_op_tf_record_dataset_v2_with(sl_scope_t *scope, TF_Output filenames,
    TF_Output compression_type, TF_Output buffer_size, TF_Output byte_offsets,
    const sl_op_tf_record_dataset_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TFRecordDatasetV2", options->name);
  sl_node_input(node, filenames);
  sl_node_input(node, compression_type);
  sl_node_input(node, buffer_size);
  sl_node_input(node, byte_offsets);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_tf_record_dataset_v2(scope, filenames, compression_type, buffer_size, byte_offsets, ...) \
  sl_op_tf_record_dataset_v2_with(SL_AT(scope), (filenames), (compression_type), (buffer_size), (byte_offsets), \
    SL_OPTIONS(sl_op_tf_record_dataset_v2_options_t, __VA_ARGS__))

// TakeDataset(input_dataset: variant, count: int64) -> handle: variant
// The first elements of a dataset.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_take_dataset_options_t;
static inline TF_Output sl_op_take_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output count,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_take_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TakeDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_take_dataset(scope, input_dataset, count, output_types, output_shapes, ...) \
  sl_op_take_dataset_with(SL_AT(scope), (input_dataset), (count), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_take_dataset_options_t, __VA_ARGS__))

// TakeWhileDataset(input_dataset: variant, other_arguments: Targuments) -> handle: variant
// The elements before the first for which a function gives false.
// predicate: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1;
//   metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_take_while_dataset_options_t;
static inline TF_Output sl_op_take_while_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    const TF_Output *other_arguments, size_t other_arguments_count, const char *predicate,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_take_while_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TakeWhileDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input_list(node, other_arguments, other_arguments_count);
  sl_node_attr_function(node, "predicate", predicate);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_take_while_dataset(scope, input_dataset, other_arguments, other_arguments_count, predicate, \
    output_types, output_shapes, ...) \
  sl_op_take_while_dataset_with(SL_AT(scope), (input_dataset), (other_arguments), (other_arguments_count), ( \
    predicate), (output_types), (output_shapes), SL_OPTIONS(sl_op_take_while_dataset_options_t, __VA_ARGS__))

// TensorDataset(components: Toutput_types) -> handle: variant
// A dataset of one element.
// Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_tensor_dataset_options_t;
static inline TF_Output sl_op_tensor_dataset_with(sl_scope_t *scope, const TF_Output *components,
    size_t components_count, sl_op_shapes_t output_shapes, const sl_op_tensor_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorDataset", options->name);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_tensor_dataset(scope, components, components_count, output_shapes, ...) \
  sl_op_tensor_dataset_with(SL_AT(scope), (components), (components_count), (output_shapes), SL_OPTIONS( \
    sl_op_tensor_dataset_options_t, __VA_ARGS__))

// TensorSliceDataset(components: Toutput_types) -> handle: variant
// A dataset of the slices of tensors along their first dimension.
// Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; is_files: bool = false; metadata: string = '';
//   replicate_on_split: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool is_files;
  const char *metadata;
  bool replicate_on_split;
} sl_op_tensor_slice_dataset_options_t;
static inline TF_Output sl_op_tensor_slice_dataset_with(sl_scope_t *scope, const TF_Output *components,
    size_t components_count, sl_op_shapes_t output_shapes, const sl_op_tensor_slice_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorSliceDataset", options->name);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_bool(node, "is_files", options->is_files);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  sl_node_attr_bool(node, "replicate_on_split", options->replicate_on_split);
  return sl_node_output(node);
}
#define sl_op_tensor_slice_dataset(scope, components, components_count, output_shapes, ...) \
  sl_op_tensor_slice_dataset_with(SL_AT(scope), (components), (components_count), (output_shapes), SL_OPTIONS( \
    sl_op_tensor_slice_dataset_options_t, __VA_ARGS__))

// TextLineDataset(filenames: string, compression_type: string, buffer_size: int64) -> handle: variant
// The lines of text files.
// metadata: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_text_line_dataset_options_t;
static inline TF_Output sl_op_text_line_dataset_with(sl_scope_t *scope, TF_Output filenames,
    TF_Output compression_type, TF_Output buffer_size, const sl_op_text_line_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TextLineDataset", options->name);
  sl_node_input(node, filenames);
  sl_node_input(node, compression_type);
  sl_node_input(node, buffer_size);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_text_line_dataset(scope, filenames, compression_type, buffer_size, ...) \
  sl_op_text_line_dataset_with(SL_AT(scope), (filenames), (compression_type), (buffer_size), SL_OPTIONS( \
    sl_op_text_line_dataset_options_t, __VA_ARGS__))

// ThreadPoolDataset(input_dataset: variant, thread_pool: resource) -> handle: variant
// The dataset itself.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// Stateful, no gradient.
static inline TF_Output sl_op_thread_pool_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    TF_Output thread_pool, sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ThreadPoolDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, thread_pool);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  return sl_node_output(node);
}
#define sl_op_thread_pool_dataset(scope, input_dataset, thread_pool, output_types, output_shapes, ...) \
  sl_op_thread_pool_dataset_with(SL_AT(scope), (input_dataset), (thread_pool), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ThreadPoolHandle() -> handle: resource
// A thread pool for datasets.
// num_threads: int; max_intra_op_parallelism: int = 1; display_name: string; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_intra_op_parallelism;
  const char *container;
  const char *shared_name;
} sl_op_thread_pool_handle_options_t;
static inline TF_Output sl_op_thread_pool_handle_with(sl_scope_t *scope, int64_t num_threads,
    const char *display_name, const sl_op_thread_pool_handle_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ThreadPoolHandle", options->name);
  sl_node_attr_int(node, "num_threads", num_threads);
  sl_node_attr_int(node, "max_intra_op_parallelism", options->max_intra_op_parallelism);
  sl_node_attr_text(node, "display_name", display_name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_thread_pool_handle(scope, num_threads, display_name, ...) \
  SL_OVER_DEFAULTS(sl_op_thread_pool_handle_with(SL_AT(scope), (num_threads), (display_name), SL_OPTIONS( \
    sl_op_thread_pool_handle_options_t, .max_intra_op_parallelism = 1, __VA_ARGS__)))

// UnbatchDataset(input_dataset: variant) -> handle: variant
// The rows of batches.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_unbatch_dataset_options_t;
static inline TF_Output sl_op_unbatch_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_unbatch_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnbatchDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_unbatch_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_unbatch_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_unbatch_dataset_options_t, __VA_ARGS__))

// UniqueDataset(input_dataset: variant) -> handle: variant
// Elements that were not given before.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_unique_dataset_options_t;
static inline TF_Output sl_op_unique_dataset_with(sl_scope_t *scope, TF_Output input_dataset,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_unique_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UniqueDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_unique_dataset(scope, input_dataset, output_types, output_shapes, ...) \
  sl_op_unique_dataset_with(SL_AT(scope), (input_dataset), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_unique_dataset_options_t, __VA_ARGS__))

// UnwrapDatasetVariant(input_handle: variant) -> output_handle: variant
// The dataset itself.
// No gradient.
static inline TF_Output sl_op_unwrap_dataset_variant_with(sl_scope_t *scope, TF_Output input_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnwrapDatasetVariant", options->name);
  sl_node_input(node, input_handle);
  return sl_node_output(node);
}
#define sl_op_unwrap_dataset_variant(scope, input_handle, ...) \
  sl_op_unwrap_dataset_variant_with(SL_AT(scope), (input_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// WindowDataset(input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool) -> handle:
//   variant
// Windows of consecutive elements, each component a dataset.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_window_dataset_options_t;
static inline TF_Output sl_op_window_dataset_with(sl_scope_t *scope, TF_Output input_dataset, TF_Output size,
    TF_Output shift, TF_Output stride, TF_Output drop_remainder, sl_op_types_t output_types,
    sl_op_shapes_t output_shapes, const sl_op_window_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WindowDataset", options->name);
  sl_node_input(node, input_dataset);
  sl_node_input(node, size);
  sl_node_input(node, shift);
  sl_node_input(node, stride);
  sl_node_input(node, drop_remainder);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_window_dataset(scope, input_dataset, size, shift, stride, drop_remainder, output_types, \
    output_shapes, ...) \
  sl_op_window_dataset_with(SL_AT(scope), (input_dataset), (size), (shift), (stride), (drop_remainder), ( \
    output_types), (output_shapes), SL_OPTIONS(sl_op_window_dataset_options_t, __VA_ARGS__))

// WrapDatasetVariant(input_handle: variant) -> output_handle: variant
// The dataset itself.
// No gradient.
static inline TF_Output sl_op_wrap_dataset_variant_with(sl_scope_t *scope, TF_Output input_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WrapDatasetVariant", options->name);
  sl_node_input(node, input_handle);
  return sl_node_output(node);
}
#define sl_op_wrap_dataset_variant(scope, input_handle, ...) \
  sl_op_wrap_dataset_variant_with(SL_AT(scope), (input_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ZipDataset(input_datasets: N * variant) -> handle: variant
// Elements with the components of an element of each dataset.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1; metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *metadata;
} sl_op_zip_dataset_options_t;
static inline TF_Output sl_op_zip_dataset_with(sl_scope_t *scope, const TF_Output *input_datasets,
    size_t input_datasets_count, sl_op_types_t output_types, sl_op_shapes_t output_shapes,
    const sl_op_zip_dataset_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ZipDataset", options->name);
  sl_node_input_list(node, input_datasets, input_datasets_count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  if (options->metadata) sl_node_attr_text(node, "metadata", options->metadata);
  return sl_node_output(node);
}
#define sl_op_zip_dataset(scope, input_datasets, input_datasets_count, output_types, output_shapes, ...) \
  sl_op_zip_dataset_with(SL_AT(scope), (input_datasets), (input_datasets_count), (output_types), (output_shapes), \
    SL_OPTIONS(sl_op_zip_dataset_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_DATA_H_
