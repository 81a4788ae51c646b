// Ops: examples, CSV, raw bytes and tensors from strings.
// Generated from src/ops/parse by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_PARSE_H_
#define SLUICE_OPS_PARSE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// CompressElement(components: input_types) -> compressed: variant
// Packs the tensors of a dataset's element.
// input_types: list(type) >= 1
// No gradient.
static inline TF_Output sl_op_compress_element_with(sl_scope_t *scope, const TF_Output *components,
    size_t components_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CompressElement", options->name);
  sl_node_input_list(node, components, components_count);
  return sl_node_output(node);
}
#define sl_op_compress_element(scope, components, components_count, ...) \
  sl_op_compress_element_with(SL_AT(scope), (components), (components_count), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// DecodeCSV(records: string, record_defaults: OUT_TYPE) -> output: OUT_TYPE
// Converts CSV records to one tensor for each column.
// OUT_TYPE: list({float, double, int32, int64, string}) >= 1; field_delim: string = ','; use_quote_delim: bool =
//   true; na_value: string = ''; select_cols: list(int) = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *field_delim;
  bool use_quote_delim;
  const char *na_value;
  sl_op_ints_t select_cols;
} sl_op_decode_csv_options_t;
static inline sl_op_list_t sl_op_decode_csv_with(sl_scope_t *scope, TF_Output records,
    const TF_Output *record_defaults, size_t record_defaults_count, const sl_op_decode_csv_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeCSV", options->name);
  sl_node_input(node, records);
  sl_node_input_list(node, record_defaults, record_defaults_count);
  if (options->field_delim) sl_node_attr_text(node, "field_delim", options->field_delim);
  sl_node_attr_bool(node, "use_quote_delim", options->use_quote_delim);
  if (options->na_value) sl_node_attr_text(node, "na_value", options->na_value);
  if (options->select_cols.values) sl_node_attr_int_list(node, "select_cols", options->select_cols.values,
    options->select_cols.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_decode_csv(scope, records, record_defaults, record_defaults_count, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_csv_with(SL_AT(scope), (records), (record_defaults), (record_defaults_count), \
    SL_OPTIONS(sl_op_decode_csv_options_t, .use_quote_delim = true, __VA_ARGS__)))

// DecodeCompressed(bytes: string) -> output: string
// Unpacks strings that were packed with zlib or gzip.
// compression_type: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *compression_type;
} sl_op_decode_compressed_options_t;
static inline TF_Output sl_op_decode_compressed_with(sl_scope_t *scope, TF_Output bytes,
    const sl_op_decode_compressed_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeCompressed", options->name);
  sl_node_input(node, bytes);
  if (options->compression_type) sl_node_attr_text(node, "compression_type", options->compression_type);
  return sl_node_output(node);
}
#define sl_op_decode_compressed(scope, bytes, ...) \
  sl_op_decode_compressed_with(SL_AT(scope), (bytes), SL_OPTIONS(sl_op_decode_compressed_options_t, __VA_ARGS__))

// DecodeJSONExample(json_examples: string) -> binary_examples: string
// Converts Example messages from JSON to their binary encoding.
// No gradient.
static inline TF_Output sl_op_decode_json_example_with(sl_scope_t *scope, TF_Output json_examples,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeJSONExample", options->name);
  sl_node_input(node, json_examples);
  return sl_node_output(node);
}
#define sl_op_decode_json_example(scope, json_examples, ...) \
  sl_op_decode_json_example_with(SL_AT(scope), (json_examples), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DecodePaddedRaw(input_bytes: string, fixed_length: int32) -> output: out_type
// Reinterprets the bytes of strings, truncated or padded to one length, as numbers.
// out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}; little_endian: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool little_endian;
} sl_op_decode_padded_raw_options_t;
static inline TF_Output sl_op_decode_padded_raw_with(sl_scope_t *scope, TF_Output input_bytes,
    TF_Output fixed_length, TF_DataType out_type, const sl_op_decode_padded_raw_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodePaddedRaw", options->name);
  sl_node_input(node, input_bytes);
  sl_node_input(node, fixed_length);
  sl_node_attr_type(node, "out_type", out_type);
  sl_node_attr_bool(node, "little_endian", options->little_endian);
  return sl_node_output(node);
}
#define sl_op_decode_padded_raw(scope, input_bytes, fixed_length, out_type, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_padded_raw_with(SL_AT(scope), (input_bytes), (fixed_length), (out_type), SL_OPTIONS( \
    sl_op_decode_padded_raw_options_t, .little_endian = true, __VA_ARGS__)))

// DecodeRaw(bytes: string) -> output: out_type
// Reinterprets the bytes of strings as numbers.
// out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool, bfloat16};
//   little_endian: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool little_endian;
} sl_op_decode_raw_options_t;
static inline TF_Output sl_op_decode_raw_with(sl_scope_t *scope, TF_Output bytes, TF_DataType out_type,
    const sl_op_decode_raw_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeRaw", options->name);
  sl_node_input(node, bytes);
  sl_node_attr_type(node, "out_type", out_type);
  sl_node_attr_bool(node, "little_endian", options->little_endian);
  return sl_node_output(node);
}
#define sl_op_decode_raw(scope, bytes, out_type, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_raw_with(SL_AT(scope), (bytes), (out_type), SL_OPTIONS(sl_op_decode_raw_options_t, \
    .little_endian = true, __VA_ARGS__)))

// ParseExample(serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string,
//   dense_defaults: Tdense) -> sparse_indices: Nsparse * int64, sparse_values: sparse_types, sparse_shapes: Nsparse *
//   int64, dense_values: Tdense
// Parses Example messages.
// Nsparse: int >= 0; Ndense: int >= 0; sparse_types: list({float, int64, string}) >= 0; Tdense: list({float, int64,
//   string}) >= 0; dense_shapes: list(shape) >= 0
// No gradient.
typedef struct {
  sl_op_list_t sparse_indices;
  sl_op_list_t sparse_values;
  sl_op_list_t sparse_shapes;
  sl_op_list_t dense_values;
} sl_op_parse_example_t;
static inline sl_op_parse_example_t sl_op_parse_example_with(sl_scope_t *scope, TF_Output serialized,
    TF_Output names, const TF_Output *sparse_keys, size_t sparse_keys_count, const TF_Output *dense_keys,
    size_t dense_keys_count, const TF_Output *dense_defaults, size_t dense_defaults_count,
    sl_op_types_t sparse_types, sl_op_shapes_t dense_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseExample", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, names);
  sl_node_input_list(node, sparse_keys, sparse_keys_count);
  sl_node_input_list(node, dense_keys, dense_keys_count);
  sl_node_input_list(node, dense_defaults, dense_defaults_count);
  sl_node_attr_type_list(node, "sparse_types", sparse_types.values, sparse_types.count);
  sl_node_attr_shape_list(node, "dense_shapes", dense_shapes.values, dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_example_t result;
  int next = 0;
  result.sparse_indices = sl_op_list(operation, "sparse_indices", next);
  next += result.sparse_indices.count;
  result.sparse_values = sl_op_list(operation, "sparse_values", next);
  next += result.sparse_values.count;
  result.sparse_shapes = sl_op_list(operation, "sparse_shapes", next);
  next += result.sparse_shapes.count;
  result.dense_values = sl_op_list(operation, "dense_values", next);
  next += result.dense_values.count;
  return result;
}
#define sl_op_parse_example(scope, serialized, names, sparse_keys, sparse_keys_count, dense_keys, dense_keys_count, \
    dense_defaults, dense_defaults_count, sparse_types, dense_shapes, ...) \
  sl_op_parse_example_with(SL_AT(scope), (serialized), (names), (sparse_keys), (sparse_keys_count), (dense_keys), ( \
    dense_keys_count), (dense_defaults), (dense_defaults_count), (sparse_types), (dense_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ParseExampleV2(serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string,
//   dense_defaults: Tdense) -> sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes:
//   num_sparse * int64, dense_values: Tdense, ragged_values: ragged_value_types, ragged_row_splits:
//   ragged_split_types
// Parses one Example message or a vector of them.
// Tdense: list({float, int64, string}) >= 0; num_sparse: int >= 0; sparse_types: list({float, int64, string}) >= 0;
//   ragged_value_types: list({float, int64, string}) >= 0; ragged_split_types: list({int32, int64}) >= 0;
//   dense_shapes: list(shape) >= 0
// No gradient.
typedef struct {
  sl_op_list_t sparse_indices;
  sl_op_list_t sparse_values;
  sl_op_list_t sparse_shapes;
  sl_op_list_t dense_values;
  sl_op_list_t ragged_values;
  sl_op_list_t ragged_row_splits;
} sl_op_parse_example_v2_t;
static inline sl_op_parse_example_v2_t sl_op_parse_example_v2_with(sl_scope_t *scope, TF_Output serialized,
    TF_Output names, TF_Output sparse_keys, TF_Output dense_keys, TF_Output ragged_keys,
    const TF_Output *dense_defaults, size_t dense_defaults_count, int64_t num_sparse, sl_op_types_t sparse_types,
    sl_op_types_t ragged_value_types, sl_op_types_t ragged_split_types, sl_op_shapes_t dense_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseExampleV2", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, names);
  sl_node_input(node, sparse_keys);
  sl_node_input(node, dense_keys);
  sl_node_input(node, ragged_keys);
  sl_node_input_list(node, dense_defaults, dense_defaults_count);
  sl_node_attr_int(node, "num_sparse", num_sparse);
  sl_node_attr_type_list(node, "sparse_types", sparse_types.values, sparse_types.count);
  sl_node_attr_type_list(node, "ragged_value_types", ragged_value_types.values, ragged_value_types.count);
  sl_node_attr_type_list(node, "ragged_split_types", ragged_split_types.values, ragged_split_types.count);
  sl_node_attr_shape_list(node, "dense_shapes", dense_shapes.values, dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_example_v2_t result;
  int next = 0;
  result.sparse_indices = sl_op_list(operation, "sparse_indices", next);
  next += result.sparse_indices.count;
  result.sparse_values = sl_op_list(operation, "sparse_values", next);
  next += result.sparse_values.count;
  result.sparse_shapes = sl_op_list(operation, "sparse_shapes", next);
  next += result.sparse_shapes.count;
  result.dense_values = sl_op_list(operation, "dense_values", next);
  next += result.dense_values.count;
  result.ragged_values = sl_op_list(operation, "ragged_values", next);
  next += result.ragged_values.count;
  result.ragged_row_splits = sl_op_list(operation, "ragged_row_splits", next);
  next += result.ragged_row_splits.count;
  return result;
}
#define sl_op_parse_example_v2(scope, serialized, names, sparse_keys, dense_keys, ragged_keys, dense_defaults, \
    dense_defaults_count, num_sparse, sparse_types, ragged_value_types, ragged_split_types, dense_shapes, ...) \
  sl_op_parse_example_v2_with(SL_AT(scope), (serialized), (names), (sparse_keys), (dense_keys), (ragged_keys), ( \
    dense_defaults), (dense_defaults_count), (num_sparse), (sparse_types), (ragged_value_types), ( \
    ragged_split_types), (dense_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ParseSequenceExample(serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense) ->
//   context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types,
//   context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense,
//   feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types,
//   feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types,
//   feature_list_dense_lengths: Nfeature_list_dense * int64
// Parses SequenceExample messages.
// feature_list_dense_missing_assumed_empty: list(string) >= 0; context_sparse_keys: list(string) >= 0;
//   context_dense_keys: list(string) >= 0; feature_list_sparse_keys: list(string) >= 0; feature_list_dense_keys:
//   list(string) >= 0; Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; Nfeature_list_sparse: int >= 0 =
//   0; Nfeature_list_dense: int >= 0 = 0; context_sparse_types: list({float, int64, string}) >= 0 = [];
//   Tcontext_dense: list({float, int64, string}) >= 0 = []; feature_list_dense_types: list({float, int64, string}) >=
//   0 = []; context_dense_shapes: list(shape) >= 0 = []; feature_list_sparse_types: list({float, int64, string}) >= 0
//   = []; feature_list_dense_shapes: list(shape) >= 0 = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t Ncontext_sparse;
  int64_t Ncontext_dense;
  int64_t Nfeature_list_sparse;
  int64_t Nfeature_list_dense;
  sl_op_types_t context_sparse_types;
  sl_op_types_t feature_list_dense_types;
  sl_op_shapes_t context_dense_shapes;
  sl_op_types_t feature_list_sparse_types;
  sl_op_shapes_t feature_list_dense_shapes;
} sl_op_parse_sequence_example_options_t;
typedef struct {
  sl_op_list_t context_sparse_indices;
  sl_op_list_t context_sparse_values;
  sl_op_list_t context_sparse_shapes;
  sl_op_list_t context_dense_values;
  sl_op_list_t feature_list_sparse_indices;
  sl_op_list_t feature_list_sparse_values;
  sl_op_list_t feature_list_sparse_shapes;
  sl_op_list_t feature_list_dense_values;
  sl_op_list_t feature_list_dense_lengths;
} sl_op_parse_sequence_example_t;
static inline sl_op_parse_sequence_example_t sl_op_parse_sequence_example_with(sl_scope_t *scope,
    TF_Output serialized, TF_Output debug_name, const TF_Output *context_dense_defaults,
    size_t context_dense_defaults_count, sl_op_texts_t feature_list_dense_missing_assumed_empty,
    sl_op_texts_t context_sparse_keys, sl_op_texts_t context_dense_keys, sl_op_texts_t feature_list_sparse_keys,
    sl_op_texts_t feature_list_dense_keys, const sl_op_parse_sequence_example_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseSequenceExample", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, debug_name);
  sl_node_input_list(node, context_dense_defaults, context_dense_defaults_count);
  sl_node_attr_text_list(node, "feature_list_dense_missing_assumed_empty",
    feature_list_dense_missing_assumed_empty.values, feature_list_dense_missing_assumed_empty.count);
  sl_node_attr_text_list(node, "context_sparse_keys", context_sparse_keys.values, context_sparse_keys.count);
  sl_node_attr_text_list(node, "context_dense_keys", context_dense_keys.values, context_dense_keys.count);
  sl_node_attr_text_list(node, "feature_list_sparse_keys", feature_list_sparse_keys.values,
    feature_list_sparse_keys.count);
  sl_node_attr_text_list(node, "feature_list_dense_keys", feature_list_dense_keys.values,
    feature_list_dense_keys.count);
  sl_node_attr_int(node, "Ncontext_sparse", options->Ncontext_sparse);
  sl_node_attr_int(node, "Ncontext_dense", options->Ncontext_dense);
  sl_node_attr_int(node, "Nfeature_list_sparse", options->Nfeature_list_sparse);
  sl_node_attr_int(node, "Nfeature_list_dense", options->Nfeature_list_dense);
  if (options->context_sparse_types.values) sl_node_attr_type_list(node, "context_sparse_types",
    options->context_sparse_types.values, options->context_sparse_types.count);
  if (options->feature_list_dense_types.values) sl_node_attr_type_list(node, "feature_list_dense_types",
    options->feature_list_dense_types.values, options->feature_list_dense_types.count);
  if (options->context_dense_shapes.values) sl_node_attr_shape_list(node, "context_dense_shapes",
    options->context_dense_shapes.values, options->context_dense_shapes.count);
  if (options->feature_list_sparse_types.values) sl_node_attr_type_list(node, "feature_list_sparse_types",
    options->feature_list_sparse_types.values, options->feature_list_sparse_types.count);
  if (options->feature_list_dense_shapes.values) sl_node_attr_shape_list(node, "feature_list_dense_shapes",
    options->feature_list_dense_shapes.values, options->feature_list_dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_sequence_example_t result;
  int next = 0;
  result.context_sparse_indices = sl_op_list(operation, "context_sparse_indices", next);
  next += result.context_sparse_indices.count;
  result.context_sparse_values = sl_op_list(operation, "context_sparse_values", next);
  next += result.context_sparse_values.count;
  result.context_sparse_shapes = sl_op_list(operation, "context_sparse_shapes", next);
  next += result.context_sparse_shapes.count;
  result.context_dense_values = sl_op_list(operation, "context_dense_values", next);
  next += result.context_dense_values.count;
  result.feature_list_sparse_indices = sl_op_list(operation, "feature_list_sparse_indices", next);
  next += result.feature_list_sparse_indices.count;
  result.feature_list_sparse_values = sl_op_list(operation, "feature_list_sparse_values", next);
  next += result.feature_list_sparse_values.count;
  result.feature_list_sparse_shapes = sl_op_list(operation, "feature_list_sparse_shapes", next);
  next += result.feature_list_sparse_shapes.count;
  result.feature_list_dense_values = sl_op_list(operation, "feature_list_dense_values", next);
  next += result.feature_list_dense_values.count;
  result.feature_list_dense_lengths = sl_op_list(operation, "feature_list_dense_lengths", next);
  next += result.feature_list_dense_lengths.count;
  return result;
}
#define sl_op_parse_sequence_example(scope, serialized, debug_name, context_dense_defaults, \
    context_dense_defaults_count, feature_list_dense_missing_assumed_empty, context_sparse_keys, \
    context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys, ...) \
  sl_op_parse_sequence_example_with(SL_AT(scope), (serialized), (debug_name), (context_dense_defaults), ( \
    context_dense_defaults_count), (feature_list_dense_missing_assumed_empty), (context_sparse_keys), ( \
    context_dense_keys), (feature_list_sparse_keys), (feature_list_dense_keys), SL_OPTIONS( \
    sl_op_parse_sequence_example_options_t, __VA_ARGS__))

// ParseSequenceExampleV2(serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys:
//   string, context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string,
//   feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, context_dense_defaults:
//   Tcontext_dense) -> context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types,
//   context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, context_ragged_values:
//   context_ragged_value_types, context_ragged_row_splits: context_ragged_split_types, feature_list_sparse_indices:
//   Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes:
//   Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types, feature_list_dense_lengths:
//   Nfeature_list_dense * int64, feature_list_ragged_values: feature_list_ragged_value_types,
//   feature_list_ragged_outer_splits: feature_list_ragged_split_types, feature_list_ragged_inner_splits:
//   feature_list_ragged_split_types
// Parses one SequenceExample message or a vector of them.
// Ncontext_sparse: int >= 0 = 0; Tcontext_dense: list({float, int64, string}) >= 0 = []; context_sparse_types:
//   list({float, int64, string}) >= 0 = []; context_ragged_value_types: list({float, int64, string}) >= 0 = [];
//   context_ragged_split_types: list({int32, int64}) >= 0 = []; context_dense_shapes: list(shape) >= 0 = [];
//   Nfeature_list_sparse: int >= 0 = 0; Nfeature_list_dense: int >= 0 = 0; feature_list_dense_types: list({float,
//   int64, string}) >= 0 = []; feature_list_sparse_types: list({float, int64, string}) >= 0 = [];
//   feature_list_ragged_value_types: list({float, int64, string}) >= 0 = []; feature_list_ragged_split_types:
//   list({int32, int64}) >= 0 = []; feature_list_dense_shapes: list(shape) >= 0 = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t Ncontext_sparse;
  sl_op_types_t context_sparse_types;
  sl_op_types_t context_ragged_value_types;
  sl_op_types_t context_ragged_split_types;
  sl_op_shapes_t context_dense_shapes;
  int64_t Nfeature_list_sparse;
  int64_t Nfeature_list_dense;
  sl_op_types_t feature_list_dense_types;
  sl_op_types_t feature_list_sparse_types;
  sl_op_types_t feature_list_ragged_value_types;
  sl_op_types_t feature_list_ragged_split_types;
  sl_op_shapes_t feature_list_dense_shapes;
} sl_op_parse_sequence_example_v2_options_t;
typedef struct {
  sl_op_list_t context_sparse_indices;
  sl_op_list_t context_sparse_values;
  sl_op_list_t context_sparse_shapes;
  sl_op_list_t context_dense_values;
  sl_op_list_t context_ragged_values;
  sl_op_list_t context_ragged_row_splits;
  sl_op_list_t feature_list_sparse_indices;
  sl_op_list_t feature_list_sparse_values;
  sl_op_list_t feature_list_sparse_shapes;
  sl_op_list_t feature_list_dense_values;
  sl_op_list_t feature_list_dense_lengths;
  sl_op_list_t feature_list_ragged_values;
  sl_op_list_t feature_list_ragged_outer_splits;
  sl_op_list_t feature_list_ragged_inner_splits;
} sl_op_parse_sequence_example_v2_t;
static inline sl_op_parse_sequence_example_v2_t sl_op_parse_sequence_example_v2_with(sl_scope_t *scope,
    TF_Output serialized, TF_Output debug_name, TF_Output context_sparse_keys, TF_Output context_dense_keys,
    TF_Output context_ragged_keys, TF_Output feature_list_sparse_keys, TF_Output feature_list_dense_keys,
    TF_Output feature_list_ragged_keys, TF_Output feature_list_dense_missing_assumed_empty,
    const TF_Output *context_dense_defaults, size_t context_dense_defaults_count,
    const sl_op_parse_sequence_example_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseSequenceExampleV2", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, debug_name);
  sl_node_input(node, context_sparse_keys);
  sl_node_input(node, context_dense_keys);
  sl_node_input(node, context_ragged_keys);
  sl_node_input(node, feature_list_sparse_keys);
  sl_node_input(node, feature_list_dense_keys);
  sl_node_input(node, feature_list_ragged_keys);
  sl_node_input(node, feature_list_dense_missing_assumed_empty);
  sl_node_input_list(node, context_dense_defaults, context_dense_defaults_count);
  sl_node_attr_int(node, "Ncontext_sparse", options->Ncontext_sparse);
  if (options->context_sparse_types.values) sl_node_attr_type_list(node, "context_sparse_types",
    options->context_sparse_types.values, options->context_sparse_types.count);
  if (options->context_ragged_value_types.values) sl_node_attr_type_list(node, "context_ragged_value_types",
    options->context_ragged_value_types.values, options->context_ragged_value_types.count);
  if (options->context_ragged_split_types.values) sl_node_attr_type_list(node, "context_ragged_split_types",
    options->context_ragged_split_types.values, options->context_ragged_split_types.count);
  if (options->context_dense_shapes.values) sl_node_attr_shape_list(node, "context_dense_shapes",
    options->context_dense_shapes.values, options->context_dense_shapes.count);
  sl_node_attr_int(node, "Nfeature_list_sparse", options->Nfeature_list_sparse);
  sl_node_attr_int(node, "Nfeature_list_dense", options->Nfeature_list_dense);
  if (options->feature_list_dense_types.values) sl_node_attr_type_list(node, "feature_list_dense_types",
    options->feature_list_dense_types.values, options->feature_list_dense_types.count);
  if (options->feature_list_sparse_types.values) sl_node_attr_type_list(node, "feature_list_sparse_types",
    options->feature_list_sparse_types.values, options->feature_list_sparse_types.count);
  if (options->feature_list_ragged_value_types.values) sl_node_attr_type_list(node,
    "feature_list_ragged_value_types", options->feature_list_ragged_value_types.values,
    options->feature_list_ragged_value_types.count);
  if (options->feature_list_ragged_split_types.values) sl_node_attr_type_list(node,
    "feature_list_ragged_split_types", options->feature_list_ragged_split_types.values,
    options->feature_list_ragged_split_types.count);
  if (options->feature_list_dense_shapes.values) sl_node_attr_shape_list(node, "feature_list_dense_shapes",
    options->feature_list_dense_shapes.values, options->feature_list_dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_sequence_example_v2_t result;
  int next = 0;
  result.context_sparse_indices = sl_op_list(operation, "context_sparse_indices", next);
  next += result.context_sparse_indices.count;
  result.context_sparse_values = sl_op_list(operation, "context_sparse_values", next);
  next += result.context_sparse_values.count;
  result.context_sparse_shapes = sl_op_list(operation, "context_sparse_shapes", next);
  next += result.context_sparse_shapes.count;
  result.context_dense_values = sl_op_list(operation, "context_dense_values", next);
  next += result.context_dense_values.count;
  result.context_ragged_values = sl_op_list(operation, "context_ragged_values", next);
  next += result.context_ragged_values.count;
  result.context_ragged_row_splits = sl_op_list(operation, "context_ragged_row_splits", next);
  next += result.context_ragged_row_splits.count;
  result.feature_list_sparse_indices = sl_op_list(operation, "feature_list_sparse_indices", next);
  next += result.feature_list_sparse_indices.count;
  result.feature_list_sparse_values = sl_op_list(operation, "feature_list_sparse_values", next);
  next += result.feature_list_sparse_values.count;
  result.feature_list_sparse_shapes = sl_op_list(operation, "feature_list_sparse_shapes", next);
  next += result.feature_list_sparse_shapes.count;
  result.feature_list_dense_values = sl_op_list(operation, "feature_list_dense_values", next);
  next += result.feature_list_dense_values.count;
  result.feature_list_dense_lengths = sl_op_list(operation, "feature_list_dense_lengths", next);
  next += result.feature_list_dense_lengths.count;
  result.feature_list_ragged_values = sl_op_list(operation, "feature_list_ragged_values", next);
  next += result.feature_list_ragged_values.count;
  result.feature_list_ragged_outer_splits = sl_op_list(operation, "feature_list_ragged_outer_splits", next);
  next += result.feature_list_ragged_outer_splits.count;
  result.feature_list_ragged_inner_splits = sl_op_list(operation, "feature_list_ragged_inner_splits", next);
  next += result.feature_list_ragged_inner_splits.count;
  return result;
}
#define sl_op_parse_sequence_example_v2(scope, serialized, debug_name, context_sparse_keys, context_dense_keys, \
    context_ragged_keys, feature_list_sparse_keys, feature_list_dense_keys, feature_list_ragged_keys, \
    feature_list_dense_missing_assumed_empty, context_dense_defaults, context_dense_defaults_count, ...) \
  sl_op_parse_sequence_example_v2_with(SL_AT(scope), (serialized), (debug_name), (context_sparse_keys), ( \
    context_dense_keys), (context_ragged_keys), (feature_list_sparse_keys), (feature_list_dense_keys), ( \
    feature_list_ragged_keys), (feature_list_dense_missing_assumed_empty), (context_dense_defaults), ( \
    context_dense_defaults_count), SL_OPTIONS(sl_op_parse_sequence_example_v2_options_t, __VA_ARGS__))

// ParseSingleExample(serialized: string, dense_defaults: Tdense) -> sparse_indices: num_sparse * int64,
//   sparse_values: sparse_types, sparse_shapes: num_sparse * int64, dense_values: Tdense
// Parses one Example message.
// num_sparse: int >= 0; sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list({float,
//   int64, string}) >= 0; Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0
// No gradient.
typedef struct {
  sl_op_list_t sparse_indices;
  sl_op_list_t sparse_values;
  sl_op_list_t sparse_shapes;
  sl_op_list_t dense_values;
} sl_op_parse_single_example_t;
static inline sl_op_parse_single_example_t sl_op_parse_single_example_with(sl_scope_t *scope, TF_Output serialized,
    const TF_Output *dense_defaults, size_t dense_defaults_count, int64_t num_sparse, sl_op_texts_t sparse_keys,
    sl_op_texts_t dense_keys, sl_op_types_t sparse_types, sl_op_shapes_t dense_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseSingleExample", options->name);
  sl_node_input(node, serialized);
  sl_node_input_list(node, dense_defaults, dense_defaults_count);
  sl_node_attr_int(node, "num_sparse", num_sparse);
  sl_node_attr_text_list(node, "sparse_keys", sparse_keys.values, sparse_keys.count);
  sl_node_attr_text_list(node, "dense_keys", dense_keys.values, dense_keys.count);
  sl_node_attr_type_list(node, "sparse_types", sparse_types.values, sparse_types.count);
  sl_node_attr_shape_list(node, "dense_shapes", dense_shapes.values, dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_single_example_t result;
  int next = 0;
  result.sparse_indices = sl_op_list(operation, "sparse_indices", next);
  next += result.sparse_indices.count;
  result.sparse_values = sl_op_list(operation, "sparse_values", next);
  next += result.sparse_values.count;
  result.sparse_shapes = sl_op_list(operation, "sparse_shapes", next);
  next += result.sparse_shapes.count;
  result.dense_values = sl_op_list(operation, "dense_values", next);
  next += result.dense_values.count;
  return result;
}
#define sl_op_parse_single_example(scope, serialized, dense_defaults, dense_defaults_count, num_sparse, \
    sparse_keys, dense_keys, sparse_types, dense_shapes, ...) \
  sl_op_parse_single_example_with(SL_AT(scope), (serialized), (dense_defaults), (dense_defaults_count), (num_sparse), \
    (sparse_keys), (dense_keys), (sparse_types), (dense_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ParseSingleSequenceExample(serialized: string, feature_list_dense_missing_assumed_empty: string,
//   context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string,
//   feature_list_sparse_keys: Nfeature_list_sparse * string, feature_list_dense_keys: Nfeature_list_dense * string,
//   context_dense_defaults: Tcontext_dense, debug_name: string) -> context_sparse_indices: Ncontext_sparse * int64,
//   context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64,
//   context_dense_values: Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse * int64,
//   feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64,
//   feature_list_dense_values: feature_list_dense_types
// Parses one SequenceExample message.
// Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; Nfeature_list_sparse: int >= 0 = 0;
//   Nfeature_list_dense: int >= 0 = 0; context_sparse_types: list({float, int64, string}) >= 0 = []; Tcontext_dense:
//   list({float, int64, string}) >= 0 = []; feature_list_dense_types: list({float, int64, string}) >= 0 = [];
//   context_dense_shapes: list(shape) >= 0 = []; feature_list_sparse_types: list({float, int64, string}) >= 0 = [];
//   feature_list_dense_shapes: list(shape) >= 0 = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_types_t context_sparse_types;
  sl_op_types_t feature_list_dense_types;
  sl_op_shapes_t context_dense_shapes;
  sl_op_types_t feature_list_sparse_types;
  sl_op_shapes_t feature_list_dense_shapes;
} sl_op_parse_single_sequence_example_options_t;
typedef struct {
  sl_op_list_t context_sparse_indices;
  sl_op_list_t context_sparse_values;
  sl_op_list_t context_sparse_shapes;
  sl_op_list_t context_dense_values;
  sl_op_list_t feature_list_sparse_indices;
  sl_op_list_t feature_list_sparse_values;
  sl_op_list_t feature_list_sparse_shapes;
  sl_op_list_t feature_list_dense_values;
} sl_op_parse_single_sequence_example_t;
static inline sl_op_parse_single_sequence_example_t sl_op_parse_single_sequence_example_with(sl_scope_t *scope,
    TF_Output serialized, TF_Output feature_list_dense_missing_assumed_empty, const TF_Output *context_sparse_keys,
    size_t context_sparse_keys_count, const TF_Output *context_dense_keys, size_t context_dense_keys_count,
    const TF_Output *feature_list_sparse_keys, size_t feature_list_sparse_keys_count,
    const TF_Output *feature_list_dense_keys, size_t feature_list_dense_keys_count,
    const TF_Output *context_dense_defaults, size_t context_dense_defaults_count, TF_Output debug_name,
    const sl_op_parse_single_sequence_example_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseSingleSequenceExample", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, feature_list_dense_missing_assumed_empty);
  sl_node_input_list(node, context_sparse_keys, context_sparse_keys_count);
  sl_node_input_list(node, context_dense_keys, context_dense_keys_count);
  sl_node_input_list(node, feature_list_sparse_keys, feature_list_sparse_keys_count);
  sl_node_input_list(node, feature_list_dense_keys, feature_list_dense_keys_count);
  sl_node_input_list(node, context_dense_defaults, context_dense_defaults_count);
  sl_node_input(node, debug_name);
  if (options->context_sparse_types.values) sl_node_attr_type_list(node, "context_sparse_types",
    options->context_sparse_types.values, options->context_sparse_types.count);
  if (options->feature_list_dense_types.values) sl_node_attr_type_list(node, "feature_list_dense_types",
    options->feature_list_dense_types.values, options->feature_list_dense_types.count);
  if (options->context_dense_shapes.values) sl_node_attr_shape_list(node, "context_dense_shapes",
    options->context_dense_shapes.values, options->context_dense_shapes.count);
  if (options->feature_list_sparse_types.values) sl_node_attr_type_list(node, "feature_list_sparse_types",
    options->feature_list_sparse_types.values, options->feature_list_sparse_types.count);
  if (options->feature_list_dense_shapes.values) sl_node_attr_shape_list(node, "feature_list_dense_shapes",
    options->feature_list_dense_shapes.values, options->feature_list_dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_single_sequence_example_t result;
  int next = 0;
  result.context_sparse_indices = sl_op_list(operation, "context_sparse_indices", next);
  next += result.context_sparse_indices.count;
  result.context_sparse_values = sl_op_list(operation, "context_sparse_values", next);
  next += result.context_sparse_values.count;
  result.context_sparse_shapes = sl_op_list(operation, "context_sparse_shapes", next);
  next += result.context_sparse_shapes.count;
  result.context_dense_values = sl_op_list(operation, "context_dense_values", next);
  next += result.context_dense_values.count;
  result.feature_list_sparse_indices = sl_op_list(operation, "feature_list_sparse_indices", next);
  next += result.feature_list_sparse_indices.count;
  result.feature_list_sparse_values = sl_op_list(operation, "feature_list_sparse_values", next);
  next += result.feature_list_sparse_values.count;
  result.feature_list_sparse_shapes = sl_op_list(operation, "feature_list_sparse_shapes", next);
  next += result.feature_list_sparse_shapes.count;
  result.feature_list_dense_values = sl_op_list(operation, "feature_list_dense_values", next);
  next += result.feature_list_dense_values.count;
  return result;
}
#define sl_op_parse_single_sequence_example(scope, serialized, feature_list_dense_missing_assumed_empty, \
    context_sparse_keys, context_sparse_keys_count, context_dense_keys, context_dense_keys_count, \
    feature_list_sparse_keys, feature_list_sparse_keys_count, feature_list_dense_keys, \
    feature_list_dense_keys_count, context_dense_defaults, context_dense_defaults_count, debug_name, ...) \
  sl_op_parse_single_sequence_example_with(SL_AT(scope), (serialized), (feature_list_dense_missing_assumed_empty), ( \
    context_sparse_keys), (context_sparse_keys_count), (context_dense_keys), (context_dense_keys_count), ( \
    feature_list_sparse_keys), (feature_list_sparse_keys_count), (feature_list_dense_keys), ( \
    feature_list_dense_keys_count), (context_dense_defaults), (context_dense_defaults_count), (debug_name), \
    SL_OPTIONS(sl_op_parse_single_sequence_example_options_t, __VA_ARGS__))

// ParseTensor(serialized: string) -> output: out_type
// Parses a serialized TensorProto.
// out_type: type
// Gradients stop here.
static inline TF_Output sl_op_parse_tensor_with(sl_scope_t *scope, TF_Output serialized, TF_DataType out_type,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseTensor", options->name);
  sl_node_input(node, serialized);
  sl_node_attr_type(node, "out_type", out_type);
  return sl_node_output(node);
}
#define sl_op_parse_tensor(scope, serialized, out_type, ...) \
  sl_op_parse_tensor_with(SL_AT(scope), (serialized), (out_type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SerializeTensor(tensor: T) -> serialized: string
// Serializes a tensor as a TensorProto.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_serialize_tensor_with(sl_scope_t *scope, TF_Output tensor,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SerializeTensor", options->name);
  sl_node_input(node, tensor);
  return sl_node_output(node);
}
#define sl_op_serialize_tensor(scope, tensor, ...) \
  sl_op_serialize_tensor_with(SL_AT(scope), (tensor), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// UncompressElement(compressed: variant) -> components: output_types
// Unpacks the tensors of a dataset's element.
// output_types: list(type) >= 1; output_shapes: list(shape) >= 1
// No gradient.
static inline sl_op_list_t sl_op_uncompress_element_with(sl_scope_t *scope, TF_Output compressed,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UncompressElement", options->name);
  sl_node_input(node, compressed);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_uncompress_element(scope, compressed, output_types, output_shapes, ...) \
  sl_op_uncompress_element_with(SL_AT(scope), (compressed), (output_types), (output_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_PARSE_H_
