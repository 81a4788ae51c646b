// Ops: lookup tables from keys to values.
// Generated from src/ops/lookup by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_LOOKUP_H_
#define SLUICE_OPS_LOOKUP_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// AnonymousHashTable() -> table_handle: resource
// A lookup table that is initialized once; it lives as long as its handle.
// key_dtype: type; value_dtype: type
// Stateful, no gradient.
static inline TF_Output sl_op_anonymous_hash_table_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AnonymousHashTable", options->name);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_anonymous_hash_table(scope, key_dtype, value_dtype, ...) \
  sl_op_anonymous_hash_table_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AnonymousMutableDenseHashTable(empty_key: key_dtype, deleted_key: key_dtype) -> table_handle: resource
// A dense lookup table that lives as long as its handle.
// key_dtype: type; value_dtype: type; value_shape: shape = {}; initial_num_buckets: int = 131072; max_load_factor:
//   float = 0.8
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t value_shape;
  int64_t initial_num_buckets;
  float max_load_factor;
} sl_op_anonymous_mutable_dense_hash_table_options_t;
static inline TF_Output sl_op_anonymous_mutable_dense_hash_table_with(sl_scope_t *scope, TF_Output empty_key,
    TF_Output deleted_key, TF_DataType value_dtype,
    const sl_op_anonymous_mutable_dense_hash_table_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AnonymousMutableDenseHashTable", options->name);
  sl_node_input(node, empty_key);
  sl_node_input(node, deleted_key);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  sl_node_attr_shape(node, "value_shape", options->value_shape);
  sl_node_attr_int(node, "initial_num_buckets", options->initial_num_buckets);
  sl_node_attr_float(node, "max_load_factor", options->max_load_factor);
  return sl_node_output(node);
}
#define sl_op_anonymous_mutable_dense_hash_table(scope, empty_key, deleted_key, value_dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_anonymous_mutable_dense_hash_table_with(SL_AT(scope), (empty_key), (deleted_key), ( \
    value_dtype), SL_OPTIONS(sl_op_anonymous_mutable_dense_hash_table_options_t, .initial_num_buckets = 131072, \
    .max_load_factor = (float)0.800000012, __VA_ARGS__)))

// AnonymousMutableHashTable() -> table_handle: resource
// A mutable lookup table that lives as long as its handle.
// key_dtype: type; value_dtype: type
// Stateful, no gradient.
static inline TF_Output sl_op_anonymous_mutable_hash_table_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AnonymousMutableHashTable", options->name);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_anonymous_mutable_hash_table(scope, key_dtype, value_dtype, ...) \
  sl_op_anonymous_mutable_hash_table_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// AnonymousMutableHashTableOfTensors() -> table_handle: resource
// A mutable lookup table of tensors that lives as long as its handle.
// key_dtype: type; value_dtype: type; value_shape: shape = {}
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t value_shape;
} sl_op_anonymous_mutable_hash_table_of_tensors_options_t;
static inline TF_Output sl_op_anonymous_mutable_hash_table_of_tensors_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_anonymous_mutable_hash_table_of_tensors_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AnonymousMutableHashTableOfTensors", options->name);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  sl_node_attr_shape(node, "value_shape", options->value_shape);
  return sl_node_output(node);
}
#define sl_op_anonymous_mutable_hash_table_of_tensors(scope, key_dtype, value_dtype, ...) \
  sl_op_anonymous_mutable_hash_table_of_tensors_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS( \
    sl_op_anonymous_mutable_hash_table_of_tensors_options_t, __VA_ARGS__))

// GenerateVocabRemapping(new_vocab_file: string, old_vocab_file: string) -> remapping: int64, num_present: int32
// The places of a new vocabulary's words in an old one.
// new_vocab_offset: int >= 0; num_new_vocab: int >= 0; old_vocab_size: int >= -1 = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t old_vocab_size;
} sl_op_generate_vocab_remapping_options_t;
typedef struct {
  TF_Output remapping;
  TF_Output num_present;
} sl_op_generate_vocab_remapping_t;
static inline sl_op_generate_vocab_remapping_t sl_op_generate_vocab_remapping_with(sl_scope_t *scope,
    TF_Output new_vocab_file, TF_Output old_vocab_file, int64_t new_vocab_offset, int64_t num_new_vocab,
    const sl_op_generate_vocab_remapping_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GenerateVocabRemapping", options->name);
  sl_node_input(node, new_vocab_file);
  sl_node_input(node, old_vocab_file);
  sl_node_attr_int(node, "new_vocab_offset", new_vocab_offset);
  sl_node_attr_int(node, "num_new_vocab", num_new_vocab);
  sl_node_attr_int(node, "old_vocab_size", options->old_vocab_size);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_generate_vocab_remapping_t result;
  result.remapping = sl_op_output(operation, 0);
  result.num_present = sl_op_output(operation, 1);
  return result;
}
#define sl_op_generate_vocab_remapping(scope, new_vocab_file, old_vocab_file, new_vocab_offset, num_new_vocab, \
    ...) \
  SL_OVER_DEFAULTS(sl_op_generate_vocab_remapping_with(SL_AT(scope), (new_vocab_file), (old_vocab_file), ( \
    new_vocab_offset), (num_new_vocab), SL_OPTIONS(sl_op_generate_vocab_remapping_options_t, .old_vocab_size = -1, \
    __VA_ARGS__)))

// HashTable() -> table_handle: Ref(string)
// A lookup table that is initialized once and then only read.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
} sl_op_hash_table_options_t;
static inline TF_Output sl_op_hash_table_with(sl_scope_t *scope, TF_DataType key_dtype, TF_DataType value_dtype,
    const sl_op_hash_table_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "HashTable", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_hash_table(scope, key_dtype, value_dtype, ...) \
  sl_op_hash_table_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS(sl_op_hash_table_options_t, __VA_ARGS__))

// HashTableV2() -> table_handle: resource
// A lookup table that is initialized once and then only read.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
} sl_op_hash_table_v2_options_t;
static inline TF_Output sl_op_hash_table_v2_with(sl_scope_t *scope, TF_DataType key_dtype, TF_DataType value_dtype,
    const sl_op_hash_table_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "HashTableV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_hash_table_v2(scope, key_dtype, value_dtype, ...) \
  sl_op_hash_table_v2_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS(sl_op_hash_table_v2_options_t, \
    __VA_ARGS__))

// InitializeTable(table_handle: Ref(string), keys: Tkey, values: Tval)
// Initializes a lookup table with keys and values.
// Tkey: type; Tval: type
// Gradients stop here.
static inline TF_Operation *sl_op_initialize_table_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InitializeTable", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_initialize_table(scope, table_handle, keys, values, ...) \
  sl_op_initialize_table_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// InitializeTableFromTextFile(table_handle: Ref(string), filename: string)
// Initializes a lookup table from the lines of a text file.
// key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; delimiter: string = '	'; offset: int = 0
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t vocab_size;
  const char *delimiter;
  int64_t offset;
} sl_op_initialize_table_from_text_file_options_t;
static inline TF_Operation *sl_op_initialize_table_from_text_file_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output filename, int64_t key_index, int64_t value_index,
    const sl_op_initialize_table_from_text_file_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InitializeTableFromTextFile", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, filename);
  sl_node_attr_int(node, "key_index", key_index);
  sl_node_attr_int(node, "value_index", value_index);
  sl_node_attr_int(node, "vocab_size", options->vocab_size);
  if (options->delimiter) sl_node_attr_text(node, "delimiter", options->delimiter);
  sl_node_attr_int(node, "offset", options->offset);
  return sl_node_finish(node);
}
#define sl_op_initialize_table_from_text_file(scope, table_handle, filename, key_index, value_index, ...) \
  SL_OVER_DEFAULTS(sl_op_initialize_table_from_text_file_with(SL_AT(scope), (table_handle), (filename), (key_index), ( \
    value_index), SL_OPTIONS(sl_op_initialize_table_from_text_file_options_t, .vocab_size = -1, __VA_ARGS__)))

// InitializeTableFromTextFileV2(table_handle: resource, filename: string)
// Initializes a lookup table from the lines of a text file.
// key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; delimiter: string = '	'; offset: int = 0
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t vocab_size;
  const char *delimiter;
  int64_t offset;
} sl_op_initialize_table_from_text_file_v2_options_t;
static inline TF_Operation *sl_op_initialize_table_from_text_file_v2_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output filename, int64_t key_index, int64_t value_index,
    const sl_op_initialize_table_from_text_file_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InitializeTableFromTextFileV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, filename);
  sl_node_attr_int(node, "key_index", key_index);
  sl_node_attr_int(node, "value_index", value_index);
  sl_node_attr_int(node, "vocab_size", options->vocab_size);
  if (options->delimiter) sl_node_attr_text(node, "delimiter", options->delimiter);
  sl_node_attr_int(node, "offset", options->offset);
  return sl_node_finish(node);
}
#define sl_op_initialize_table_from_text_file_v2(scope, table_handle, filename, key_index, value_index, ...) \
  SL_OVER_DEFAULTS(sl_op_initialize_table_from_text_file_v2_with(SL_AT(scope), (table_handle), (filename), ( \
    key_index), (value_index), SL_OPTIONS(sl_op_initialize_table_from_text_file_v2_options_t, .vocab_size = -1, \
    __VA_ARGS__)))

// InitializeTableV2(table_handle: resource, keys: Tkey, values: Tval)
// Initializes a lookup table with keys and values.
// Tkey: type; Tval: type
// Stateful; gradients stop here.
static inline TF_Operation *sl_op_initialize_table_v2_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InitializeTableV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_initialize_table_v2(scope, table_handle, keys, values, ...) \
  sl_op_initialize_table_v2_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableExport(table_handle: Ref(string)) -> keys: Tkeys, values: Tvalues
// All keys and values of a lookup table.
// Tkeys: type; Tvalues: type
// No gradient.
typedef struct {
  TF_Output keys;
  TF_Output values;
} sl_op_lookup_table_export_t;
static inline sl_op_lookup_table_export_t sl_op_lookup_table_export_with(sl_scope_t *scope, TF_Output table_handle,
    TF_DataType Tkeys, TF_DataType Tvalues, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableExport", options->name);
  sl_node_input(node, table_handle);
  sl_node_attr_type(node, "Tkeys", Tkeys);
  sl_node_attr_type(node, "Tvalues", Tvalues);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_lookup_table_export_t result;
  result.keys = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_lookup_table_export(scope, table_handle, Tkeys, Tvalues, ...) \
  sl_op_lookup_table_export_with(SL_AT(scope), (table_handle), (Tkeys), (Tvalues), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableExportV2(table_handle: resource) -> keys: Tkeys, values: Tvalues
// All keys and values of a lookup table.
// Tkeys: type; Tvalues: type
// Stateful, no gradient.
typedef struct {
  TF_Output keys;
  TF_Output values;
} sl_op_lookup_table_export_v2_t;
static inline sl_op_lookup_table_export_v2_t sl_op_lookup_table_export_v2_with(sl_scope_t *scope,
    TF_Output table_handle, TF_DataType Tkeys, TF_DataType Tvalues, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableExportV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_attr_type(node, "Tkeys", Tkeys);
  sl_node_attr_type(node, "Tvalues", Tvalues);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_lookup_table_export_v2_t result;
  result.keys = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_lookup_table_export_v2(scope, table_handle, Tkeys, Tvalues, ...) \
  sl_op_lookup_table_export_v2_with(SL_AT(scope), (table_handle), (Tkeys), (Tvalues), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableFind(table_handle: Ref(string), keys: Tin, default_value: Tout) -> values: Tout
// Looks up the values of keys; missing keys get the default value.
// Tin: type; Tout: type
// Gradients stop here.
static inline TF_Output sl_op_lookup_table_find_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output default_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableFind", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, default_value);
  return sl_node_output(node);
}
#define sl_op_lookup_table_find(scope, table_handle, keys, default_value, ...) \
  sl_op_lookup_table_find_with(SL_AT(scope), (table_handle), (keys), (default_value), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableFindV2(table_handle: resource, keys: Tin, default_value: Tout) -> values: Tout
// Looks up the values of keys; missing keys get the default value.
// Tin: type; Tout: type
// Stateful; gradients stop here.
static inline TF_Output sl_op_lookup_table_find_v2_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output default_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableFindV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, default_value);
  return sl_node_output(node);
}
#define sl_op_lookup_table_find_v2(scope, table_handle, keys, default_value, ...) \
  sl_op_lookup_table_find_v2_with(SL_AT(scope), (table_handle), (keys), (default_value), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableImport(table_handle: Ref(string), keys: Tin, values: Tout)
// Replaces all entries of a lookup table.
// Tin: type; Tout: type
// No gradient.
static inline TF_Operation *sl_op_lookup_table_import_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableImport", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_import(scope, table_handle, keys, values, ...) \
  sl_op_lookup_table_import_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableImportV2(table_handle: resource, keys: Tin, values: Tout)
// Replaces all entries of a lookup table.
// Tin: type; Tout: type
// Stateful, no gradient.
static inline TF_Operation *sl_op_lookup_table_import_v2_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output keys, TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableImportV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_import_v2(scope, table_handle, keys, values, ...) \
  sl_op_lookup_table_import_v2_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableInsert(table_handle: Ref(string), keys: Tin, values: Tout)
// Adds keys and values to a lookup table, or replaces their values.
// Tin: type; Tout: type
// Gradients stop here.
static inline TF_Operation *sl_op_lookup_table_insert_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableInsert", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_insert(scope, table_handle, keys, values, ...) \
  sl_op_lookup_table_insert_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableInsertV2(table_handle: resource, keys: Tin, values: Tout)
// Adds keys and values to a lookup table, or replaces their values.
// Tin: type; Tout: type
// Stateful; gradients stop here.
static inline TF_Operation *sl_op_lookup_table_insert_v2_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output keys, TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableInsertV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_insert_v2(scope, table_handle, keys, values, ...) \
  sl_op_lookup_table_insert_v2_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableRemoveV2(table_handle: resource, keys: Tin)
// Removes keys from a lookup table.
// Tin: type
// Stateful, no gradient.
static inline TF_Operation *sl_op_lookup_table_remove_v2_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output keys, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableRemoveV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_remove_v2(scope, table_handle, keys, ...) \
  sl_op_lookup_table_remove_v2_with(SL_AT(scope), (table_handle), (keys), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LookupTableSize(table_handle: Ref(string)) -> size: int64
// The number of keys in a lookup table.
// Gradients stop here.
static inline TF_Output sl_op_lookup_table_size_with(sl_scope_t *scope, TF_Output table_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableSize", options->name);
  sl_node_input(node, table_handle);
  return sl_node_output(node);
}
#define sl_op_lookup_table_size(scope, table_handle, ...) \
  sl_op_lookup_table_size_with(SL_AT(scope), (table_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LookupTableSizeV2(table_handle: resource) -> size: int64
// The number of keys in a lookup table.
// Stateful; gradients stop here.
static inline TF_Output sl_op_lookup_table_size_v2_with(sl_scope_t *scope, TF_Output table_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableSizeV2", options->name);
  sl_node_input(node, table_handle);
  return sl_node_output(node);
}
#define sl_op_lookup_table_size_v2(scope, table_handle, ...) \
  sl_op_lookup_table_size_v2_with(SL_AT(scope), (table_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MutableDenseHashTable(empty_key: key_dtype) -> table_handle: Ref(string)
// A mutable lookup table whose keys and values may be tensors; two keys are reserved.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type; value_shape: shape = {}; initial_num_buckets: int = 131072; max_load_factor: float = 0.8
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
  sl_shape_t value_shape;
  int64_t initial_num_buckets;
  float max_load_factor;
} sl_op_mutable_dense_hash_table_options_t;
static inline TF_Output sl_op_mutable_dense_hash_table_with(sl_scope_t *scope, TF_Output empty_key,
    TF_DataType value_dtype, const sl_op_mutable_dense_hash_table_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableDenseHashTable", options->name);
  sl_node_input(node, empty_key);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  sl_node_attr_shape(node, "value_shape", options->value_shape);
  sl_node_attr_int(node, "initial_num_buckets", options->initial_num_buckets);
  sl_node_attr_float(node, "max_load_factor", options->max_load_factor);
  return sl_node_output(node);
}
#define sl_op_mutable_dense_hash_table(scope, empty_key, value_dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_mutable_dense_hash_table_with(SL_AT(scope), (empty_key), (value_dtype), SL_OPTIONS( \
    sl_op_mutable_dense_hash_table_options_t, .initial_num_buckets = 131072, .max_load_factor = (float)0.800000012, \
    __VA_ARGS__)))

// MutableDenseHashTableV2(empty_key: key_dtype, deleted_key: key_dtype) -> table_handle: resource
// A mutable lookup table whose keys and values may be tensors; two keys are reserved.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type; value_shape: shape = {}; initial_num_buckets: int = 131072; max_load_factor: float = 0.8
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
  sl_shape_t value_shape;
  int64_t initial_num_buckets;
  float max_load_factor;
} sl_op_mutable_dense_hash_table_v2_options_t;
static inline TF_Output sl_op_mutable_dense_hash_table_v2_with(sl_scope_t *scope, TF_Output empty_key,
    TF_Output deleted_key, TF_DataType value_dtype, const sl_op_mutable_dense_hash_table_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableDenseHashTableV2", options->name);
  sl_node_input(node, empty_key);
  sl_node_input(node, deleted_key);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  sl_node_attr_shape(node, "value_shape", options->value_shape);
  sl_node_attr_int(node, "initial_num_buckets", options->initial_num_buckets);
  sl_node_attr_float(node, "max_load_factor", options->max_load_factor);
  return sl_node_output(node);
}
#define sl_op_mutable_dense_hash_table_v2(scope, empty_key, deleted_key, value_dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_mutable_dense_hash_table_v2_with(SL_AT(scope), (empty_key), (deleted_key), (value_dtype), \
    SL_OPTIONS(sl_op_mutable_dense_hash_table_v2_options_t, .initial_num_buckets = 131072, .max_load_factor = ( \
    float)0.800000012, __VA_ARGS__)))

// MutableHashTable() -> table_handle: Ref(string)
// A lookup table to which keys can be added and from which they can be removed.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
} sl_op_mutable_hash_table_options_t;
static inline TF_Output sl_op_mutable_hash_table_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_mutable_hash_table_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableHashTable", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_mutable_hash_table(scope, key_dtype, value_dtype, ...) \
  sl_op_mutable_hash_table_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS( \
    sl_op_mutable_hash_table_options_t, __VA_ARGS__))

// MutableHashTableOfTensors() -> table_handle: Ref(string)
// A mutable lookup table whose values are tensors of one shape.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type; value_shape: shape = {}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
  sl_shape_t value_shape;
} sl_op_mutable_hash_table_of_tensors_options_t;
static inline TF_Output sl_op_mutable_hash_table_of_tensors_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_mutable_hash_table_of_tensors_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableHashTableOfTensors", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  sl_node_attr_shape(node, "value_shape", options->value_shape);
  return sl_node_output(node);
}
#define sl_op_mutable_hash_table_of_tensors(scope, key_dtype, value_dtype, ...) \
  sl_op_mutable_hash_table_of_tensors_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS( \
    sl_op_mutable_hash_table_of_tensors_options_t, __VA_ARGS__))

// MutableHashTableOfTensorsV2() -> table_handle: resource
// A mutable lookup table whose values are tensors of one shape.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type; value_shape: shape = {}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
  sl_shape_t value_shape;
} sl_op_mutable_hash_table_of_tensors_v2_options_t;
static inline TF_Output sl_op_mutable_hash_table_of_tensors_v2_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_mutable_hash_table_of_tensors_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableHashTableOfTensorsV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  sl_node_attr_shape(node, "value_shape", options->value_shape);
  return sl_node_output(node);
}
#define sl_op_mutable_hash_table_of_tensors_v2(scope, key_dtype, value_dtype, ...) \
  sl_op_mutable_hash_table_of_tensors_v2_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS( \
    sl_op_mutable_hash_table_of_tensors_v2_options_t, __VA_ARGS__))

// MutableHashTableV2() -> table_handle: resource
// A lookup table to which keys can be added and from which they can be removed.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
} sl_op_mutable_hash_table_v2_options_t;
static inline TF_Output sl_op_mutable_hash_table_v2_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_mutable_hash_table_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableHashTableV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_mutable_hash_table_v2(scope, key_dtype, value_dtype, ...) \
  sl_op_mutable_hash_table_v2_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS( \
    sl_op_mutable_hash_table_v2_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_LOOKUP_H_
