// Ops: files, readers, saving and restoring checkpoints.
// Generated from src/ops/io by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_IO_H_
#define SLUICE_OPS_IO_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// FixedLengthRecordReader() -> reader_handle: Ref(string)
// A reader that returns records of a fixed length.
// header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = '';
//   shared_name: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use FixedLengthRecordReaderV2
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t header_bytes;
  int64_t footer_bytes;
  int64_t hop_bytes;
  const char *container;
  const char *shared_name;
} sl_op_fixed_length_record_reader_options_t;
static inline TF_Output sl_op_fixed_length_record_reader_with(sl_scope_t *scope, int64_t record_bytes,
    const sl_op_fixed_length_record_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FixedLengthRecordReader", options->name);
  sl_node_attr_int(node, "header_bytes", options->header_bytes);
  sl_node_attr_int(node, "record_bytes", record_bytes);
  sl_node_attr_int(node, "footer_bytes", options->footer_bytes);
  sl_node_attr_int(node, "hop_bytes", options->hop_bytes);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_fixed_length_record_reader(scope, record_bytes, ...) \
  sl_op_fixed_length_record_reader_with(SL_AT(scope), (record_bytes), SL_OPTIONS( \
    sl_op_fixed_length_record_reader_options_t, __VA_ARGS__))

// FixedLengthRecordReaderV2() -> reader_handle: resource
// A reader that returns records of a fixed length.
// header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = '';
//   shared_name: string = ''; encoding: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t header_bytes;
  int64_t footer_bytes;
  int64_t hop_bytes;
  const char *container;
  const char *shared_name;
  const char *encoding;
} sl_op_fixed_length_record_reader_v2_options_t;
static inline TF_Output sl_op_fixed_length_record_reader_v2_with(sl_scope_t *scope, int64_t record_bytes,
    const sl_op_fixed_length_record_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FixedLengthRecordReaderV2", options->name);
  sl_node_attr_int(node, "header_bytes", options->header_bytes);
  sl_node_attr_int(node, "record_bytes", record_bytes);
  sl_node_attr_int(node, "footer_bytes", options->footer_bytes);
  sl_node_attr_int(node, "hop_bytes", options->hop_bytes);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->encoding) sl_node_attr_text(node, "encoding", options->encoding);
  return sl_node_output(node);
}
#define sl_op_fixed_length_record_reader_v2(scope, record_bytes, ...) \
  sl_op_fixed_length_record_reader_v2_with(SL_AT(scope), (record_bytes), SL_OPTIONS( \
    sl_op_fixed_length_record_reader_v2_options_t, __VA_ARGS__))

// IdentityReader() -> reader_handle: Ref(string)
// A reader that returns the names of its work units.
// container: string = ''; shared_name: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use IdentityReaderV2
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_identity_reader_options_t;
static inline TF_Output sl_op_identity_reader_with(sl_scope_t *scope,
    const sl_op_identity_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IdentityReader", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_identity_reader(scope, ...) \
  sl_op_identity_reader_with(SL_AT(scope), SL_OPTIONS(sl_op_identity_reader_options_t, __VA_ARGS__))

// IdentityReaderV2() -> reader_handle: resource
// A reader that returns the names of its work units.
// container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_identity_reader_v2_options_t;
static inline TF_Output sl_op_identity_reader_v2_with(sl_scope_t *scope,
    const sl_op_identity_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IdentityReaderV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_identity_reader_v2(scope, ...) \
  sl_op_identity_reader_v2_with(SL_AT(scope), SL_OPTIONS(sl_op_identity_reader_v2_options_t, __VA_ARGS__))

// LoadAndRemapMatrix(ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64,
//   initializing_values: float) -> output_matrix: float
// num_rows: int >= 0; num_cols: int >= 1; max_rows_in_memory: int = -1
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_rows_in_memory;
} sl_op_load_and_remap_matrix_options_t;
static inline TF_Output sl_op_load_and_remap_matrix_with(sl_scope_t *scope, TF_Output ckpt_path,
    TF_Output old_tensor_name, TF_Output row_remapping, TF_Output col_remapping, TF_Output initializing_values,
    int64_t num_rows, int64_t num_cols, const sl_op_load_and_remap_matrix_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LoadAndRemapMatrix", options->name);
  sl_node_input(node, ckpt_path);
  sl_node_input(node, old_tensor_name);
  sl_node_input(node, row_remapping);
  sl_node_input(node, col_remapping);
  sl_node_input(node, initializing_values);
  sl_node_attr_int(node, "num_rows", num_rows);
  sl_node_attr_int(node, "num_cols", num_cols);
  sl_node_attr_int(node, "max_rows_in_memory", options->max_rows_in_memory);
  return sl_node_output(node);
}
#define sl_op_load_and_remap_matrix(scope, ckpt_path, old_tensor_name, row_remapping, col_remapping, \
    initializing_values, num_rows, num_cols, ...) \
  SL_OVER_DEFAULTS(sl_op_load_and_remap_matrix_with(SL_AT(scope), (ckpt_path), (old_tensor_name), (row_remapping), ( \
    col_remapping), (initializing_values), (num_rows), (num_cols), SL_OPTIONS( \
    sl_op_load_and_remap_matrix_options_t, .max_rows_in_memory = -1, __VA_ARGS__)))

// MatchingFiles(pattern: string) -> filenames: string
// The names of files that match patterns, sorted.
// No gradient.
static inline TF_Output sl_op_matching_files_with(sl_scope_t *scope, TF_Output pattern,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatchingFiles", options->name);
  sl_node_input(node, pattern);
  return sl_node_output(node);
}
#define sl_op_matching_files(scope, pattern, ...) \
  sl_op_matching_files_with(SL_AT(scope), (pattern), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string)
// Merges the shards of a V2 checkpoint.
// delete_old_dirs: bool = true; allow_missing_files: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool delete_old_dirs;
  bool allow_missing_files;
} sl_op_merge_v2_checkpoints_options_t;
static inline TF_Operation *sl_op_merge_v2_checkpoints_with(sl_scope_t *scope, TF_Output checkpoint_prefixes,
    TF_Output destination_prefix, const sl_op_merge_v2_checkpoints_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MergeV2Checkpoints", options->name);
  sl_node_input(node, checkpoint_prefixes);
  sl_node_input(node, destination_prefix);
  sl_node_attr_bool(node, "delete_old_dirs", options->delete_old_dirs);
  sl_node_attr_bool(node, "allow_missing_files", options->allow_missing_files);
  return sl_node_finish(node);
}
#define sl_op_merge_v2_checkpoints(scope, checkpoint_prefixes, destination_prefix, ...) \
  SL_OVER_DEFAULTS(sl_op_merge_v2_checkpoints_with(SL_AT(scope), (checkpoint_prefixes), (destination_prefix), \
    SL_OPTIONS(sl_op_merge_v2_checkpoints_options_t, .delete_old_dirs = true, __VA_ARGS__)))

// ReadFile(filename: string) -> contents: string
// Reads a whole file.
// No gradient.
static inline TF_Output sl_op_read_file_with(sl_scope_t *scope, TF_Output filename, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReadFile", options->name);
  sl_node_input(node, filename);
  return sl_node_output(node);
}
#define sl_op_read_file(scope, filename, ...) \
  sl_op_read_file_with(SL_AT(scope), (filename), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderNumRecordsProduced(reader_handle: Ref(string)) -> records_produced: int64
// The number of records that a reader has produced.
// Gradients stop here.
static inline TF_Output sl_op_reader_num_records_produced_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderNumRecordsProduced", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_num_records_produced(scope, reader_handle, ...) \
  sl_op_reader_num_records_produced_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderNumRecordsProducedV2(reader_handle: resource) -> records_produced: int64
// The number of records that a reader has produced.
// Stateful, no gradient.
static inline TF_Output sl_op_reader_num_records_produced_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderNumRecordsProducedV2", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_num_records_produced_v2(scope, reader_handle, ...) \
  sl_op_reader_num_records_produced_v2_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderNumWorkUnitsCompleted(reader_handle: Ref(string)) -> units_completed: int64
// The number of work units that a reader has completed.
// Gradients stop here.
static inline TF_Output sl_op_reader_num_work_units_completed_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderNumWorkUnitsCompleted", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_num_work_units_completed(scope, reader_handle, ...) \
  sl_op_reader_num_work_units_completed_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderNumWorkUnitsCompletedV2(reader_handle: resource) -> units_completed: int64
// The number of work units that a reader has completed.
// Stateful, no gradient.
static inline TF_Output sl_op_reader_num_work_units_completed_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderNumWorkUnitsCompletedV2", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_num_work_units_completed_v2(scope, reader_handle, ...) \
  sl_op_reader_num_work_units_completed_v2_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ReaderRead(reader_handle: Ref(string), queue_handle: Ref(string)) -> key: string, value: string
// Reads the next record.
// Gradients stop here.
typedef struct {
  TF_Output key;
  TF_Output value;
} sl_op_reader_read_t;
static inline sl_op_reader_read_t sl_op_reader_read_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output queue_handle, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderRead", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, queue_handle);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_reader_read_t result;
  result.key = sl_op_output(operation, 0);
  result.value = sl_op_output(operation, 1);
  return result;
}
#define sl_op_reader_read(scope, reader_handle, queue_handle, ...) \
  sl_op_reader_read_with(SL_AT(scope), (reader_handle), (queue_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderReadUpTo(reader_handle: Ref(string), queue_handle: Ref(string), num_records: int64) -> keys: string, values:
//   string
// Reads up to num_records records.
// Gradients stop here.
typedef struct {
  TF_Output keys;
  TF_Output values;
} sl_op_reader_read_up_to_t;
static inline sl_op_reader_read_up_to_t sl_op_reader_read_up_to_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output queue_handle, TF_Output num_records, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderReadUpTo", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, queue_handle);
  sl_node_input(node, num_records);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_reader_read_up_to_t result;
  result.keys = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_reader_read_up_to(scope, reader_handle, queue_handle, num_records, ...) \
  sl_op_reader_read_up_to_with(SL_AT(scope), (reader_handle), (queue_handle), (num_records), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ReaderReadUpToV2(reader_handle: resource, queue_handle: resource, num_records: int64) -> keys: string, values:
//   string
// Reads up to num_records records.
// Stateful, no gradient.
typedef struct {
  TF_Output keys;
  TF_Output values;
} sl_op_reader_read_up_to_v2_t;
static inline sl_op_reader_read_up_to_v2_t sl_op_reader_read_up_to_v2_with(sl_scope_t *scope,
    TF_Output reader_handle, TF_Output queue_handle, TF_Output num_records, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderReadUpToV2", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, queue_handle);
  sl_node_input(node, num_records);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_reader_read_up_to_v2_t result;
  result.keys = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_reader_read_up_to_v2(scope, reader_handle, queue_handle, num_records, ...) \
  sl_op_reader_read_up_to_v2_with(SL_AT(scope), (reader_handle), (queue_handle), (num_records), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ReaderReadV2(reader_handle: resource, queue_handle: resource) -> key: string, value: string
// Reads the next record.
// Stateful, no gradient.
typedef struct {
  TF_Output key;
  TF_Output value;
} sl_op_reader_read_v2_t;
static inline sl_op_reader_read_v2_t sl_op_reader_read_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output queue_handle, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderReadV2", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, queue_handle);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_reader_read_v2_t result;
  result.key = sl_op_output(operation, 0);
  result.value = sl_op_output(operation, 1);
  return result;
}
#define sl_op_reader_read_v2(scope, reader_handle, queue_handle, ...) \
  sl_op_reader_read_v2_with(SL_AT(scope), (reader_handle), (queue_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderReset(reader_handle: Ref(string))
// Resets a reader to its initial state.
// Gradients stop here.
static inline TF_Operation *sl_op_reader_reset_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderReset", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_finish(node);
}
#define sl_op_reader_reset(scope, reader_handle, ...) \
  sl_op_reader_reset_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderResetV2(reader_handle: resource)
// Resets a reader to its initial state.
// Stateful, no gradient.
static inline TF_Operation *sl_op_reader_reset_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderResetV2", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_finish(node);
}
#define sl_op_reader_reset_v2(scope, reader_handle, ...) \
  sl_op_reader_reset_v2_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderRestoreState(reader_handle: Ref(string), state: string)
// Restores the state of a reader.
// Gradients stop here.
static inline TF_Operation *sl_op_reader_restore_state_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output state, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderRestoreState", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, state);
  return sl_node_finish(node);
}
#define sl_op_reader_restore_state(scope, reader_handle, state, ...) \
  sl_op_reader_restore_state_with(SL_AT(scope), (reader_handle), (state), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderRestoreStateV2(reader_handle: resource, state: string)
// Restores the state of a reader.
// Stateful, no gradient.
static inline TF_Operation *sl_op_reader_restore_state_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output state, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderRestoreStateV2", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, state);
  return sl_node_finish(node);
}
#define sl_op_reader_restore_state_v2(scope, reader_handle, state, ...) \
  sl_op_reader_restore_state_v2_with(SL_AT(scope), (reader_handle), (state), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderSerializeState(reader_handle: Ref(string)) -> state: string
// Serializes the state of a reader.
// Gradients stop here.
static inline TF_Output sl_op_reader_serialize_state_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderSerializeState", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_serialize_state(scope, reader_handle, ...) \
  sl_op_reader_serialize_state_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderSerializeStateV2(reader_handle: resource) -> state: string
// Serializes the state of a reader.
// Stateful, no gradient.
static inline TF_Output sl_op_reader_serialize_state_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderSerializeStateV2", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_serialize_state_v2(scope, reader_handle, ...) \
  sl_op_reader_serialize_state_v2_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RecordInput() -> records: string
// Batches of records of files, in random order, epoch after epoch.
// file_pattern: string; file_random_seed: int = 301; file_shuffle_shift_ratio: float = 0; file_buffer_size: int =
//   10000; file_parallelism: int = 16; batch_size: int = 32; compression_type: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t file_random_seed;
  float file_shuffle_shift_ratio;
  int64_t file_buffer_size;
  int64_t file_parallelism;
  int64_t batch_size;
  const char *compression_type;
} sl_op_record_input_options_t;
static inline TF_Output sl_op_record_input_with(sl_scope_t *scope, const char *file_pattern,
    const sl_op_record_input_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RecordInput", options->name);
  sl_node_attr_text(node, "file_pattern", file_pattern);
  sl_node_attr_int(node, "file_random_seed", options->file_random_seed);
  sl_node_attr_float(node, "file_shuffle_shift_ratio", options->file_shuffle_shift_ratio);
  sl_node_attr_int(node, "file_buffer_size", options->file_buffer_size);
  sl_node_attr_int(node, "file_parallelism", options->file_parallelism);
  sl_node_attr_int(node, "batch_size", options->batch_size);
  if (options->compression_type) sl_node_attr_text(node, "compression_type", options->compression_type);
  return sl_node_output(node);
}
#define sl_op_record_input(scope, file_pattern, ...) \
  SL_OVER_DEFAULTS(sl_op_record_input_with(SL_AT(scope), (file_pattern), SL_OPTIONS(sl_op_record_input_options_t, \
    .file_random_seed = 301, .file_buffer_size = 10000, .file_parallelism = 16, .batch_size = 32, __VA_ARGS__)))

// Restore(file_pattern: string, tensor_name: string) -> tensor: dt
// Reads a tensor from a checkpoint.
// dt: type; preferred_shard: int = -1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t preferred_shard;
} sl_op_restore_options_t;
static inline TF_Output sl_op_restore_with(sl_scope_t *scope, TF_Output file_pattern, TF_Output tensor_name,
    TF_DataType dt, const sl_op_restore_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Restore", options->name);
  sl_node_input(node, file_pattern);
  sl_node_input(node, tensor_name);
  sl_node_attr_type(node, "dt", dt);
  sl_node_attr_int(node, "preferred_shard", options->preferred_shard);
  return sl_node_output(node);
}
#define sl_op_restore(scope, file_pattern, tensor_name, dt, ...) \
  SL_OVER_DEFAULTS(sl_op_restore_with(SL_AT(scope), (file_pattern), (tensor_name), (dt), SL_OPTIONS( \
    sl_op_restore_options_t, .preferred_shard = -1, __VA_ARGS__)))

// RestoreSlice(file_pattern: string, tensor_name: string, shape_and_slice: string) -> tensor: dt
// Reads a slice of a tensor from a checkpoint.
// dt: type; preferred_shard: int = -1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t preferred_shard;
} sl_op_restore_slice_options_t;
static inline TF_Output sl_op_restore_slice_with(sl_scope_t *scope, TF_Output file_pattern, TF_Output tensor_name,
    TF_Output shape_and_slice, TF_DataType dt, const sl_op_restore_slice_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RestoreSlice", options->name);
  sl_node_input(node, file_pattern);
  sl_node_input(node, tensor_name);
  sl_node_input(node, shape_and_slice);
  sl_node_attr_type(node, "dt", dt);
  sl_node_attr_int(node, "preferred_shard", options->preferred_shard);
  return sl_node_output(node);
}
#define sl_op_restore_slice(scope, file_pattern, tensor_name, shape_and_slice, dt, ...) \
  SL_OVER_DEFAULTS(sl_op_restore_slice_with(SL_AT(scope), (file_pattern), (tensor_name), (shape_and_slice), (dt), \
    SL_OPTIONS(sl_op_restore_slice_options_t, .preferred_shard = -1, __VA_ARGS__)))

// RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) -> tensors: dtypes
// Reads tensors from a V2 or V1 checkpoint.
// dtypes: list(type) >= 1
// Stateful, no gradient.
static inline sl_op_list_t sl_op_restore_v2_with(sl_scope_t *scope, TF_Output prefix, TF_Output tensor_names,
    TF_Output shape_and_slices, sl_op_types_t dtypes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RestoreV2", options->name);
  sl_node_input(node, prefix);
  sl_node_input(node, tensor_names);
  sl_node_input(node, shape_and_slices);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "tensors", 0);
}
#define sl_op_restore_v2(scope, prefix, tensor_names, shape_and_slices, dtypes, ...) \
  sl_op_restore_v2_with(SL_AT(scope), (prefix), (tensor_names), (shape_and_slices), (dtypes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// Save(filename: string, tensor_names: string, data: T)
// Writes tensors to a V1 checkpoint.
// T: list(type) >= 1
// Stateful, no gradient.
static inline TF_Operation *sl_op_save_with(sl_scope_t *scope, TF_Output filename, TF_Output tensor_names,
    const TF_Output *data, size_t data_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Save", options->name);
  sl_node_input(node, filename);
  sl_node_input(node, tensor_names);
  sl_node_input_list(node, data, data_count);
  return sl_node_finish(node);
}
#define sl_op_save(scope, filename, tensor_names, data, data_count, ...) \
  sl_op_save_with(SL_AT(scope), (filename), (tensor_names), (data), (data_count), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SaveSlices(filename: string, tensor_names: string, shapes_and_slices: string, data: T)
// Writes tensors or slices of tensors to a V1 checkpoint.
// T: list(type) >= 1
// Stateful, no gradient.
static inline TF_Operation *sl_op_save_slices_with(sl_scope_t *scope, TF_Output filename, TF_Output tensor_names,
    TF_Output shapes_and_slices, const TF_Output *data, size_t data_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SaveSlices", options->name);
  sl_node_input(node, filename);
  sl_node_input(node, tensor_names);
  sl_node_input(node, shapes_and_slices);
  sl_node_input_list(node, data, data_count);
  return sl_node_finish(node);
}
#define sl_op_save_slices(scope, filename, tensor_names, shapes_and_slices, data, data_count, ...) \
  sl_op_save_slices_with(SL_AT(scope), (filename), (tensor_names), (shapes_and_slices), (data), (data_count), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes)
// Writes tensors to a V2 checkpoint.
// dtypes: list(type) >= 1
// Stateful, no gradient.
static inline TF_Operation *sl_op_save_v2_with(sl_scope_t *scope, TF_Output prefix, TF_Output tensor_names,
    TF_Output shape_and_slices, const TF_Output *tensors, size_t tensors_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SaveV2", options->name);
  sl_node_input(node, prefix);
  sl_node_input(node, tensor_names);
  sl_node_input(node, shape_and_slices);
  sl_node_input_list(node, tensors, tensors_count);
  return sl_node_finish(node);
}
#define sl_op_save_v2(scope, prefix, tensor_names, shape_and_slices, tensors, tensors_count, ...) \
  sl_op_save_v2_with(SL_AT(scope), (prefix), (tensor_names), (shape_and_slices), (tensors), (tensors_count), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ShardedFilename(basename: string, shard: int32, num_shards: int32) -> filename: string
// The file name of a shard: BASE-00001-of-00002.
// No gradient.
static inline TF_Output sl_op_sharded_filename_with(sl_scope_t *scope, TF_Output basename, TF_Output shard,
    TF_Output num_shards, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShardedFilename", options->name);
  sl_node_input(node, basename);
  sl_node_input(node, shard);
  sl_node_input(node, num_shards);
  return sl_node_output(node);
}
#define sl_op_sharded_filename(scope, basename, shard, num_shards, ...) \
  sl_op_sharded_filename_with(SL_AT(scope), (basename), (shard), (num_shards), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ShardedFilespec(basename: string, num_shards: int32) -> filename: string
// A pattern that matches the file names of all shards.
// No gradient.
static inline TF_Output sl_op_sharded_filespec_with(sl_scope_t *scope, TF_Output basename, TF_Output num_shards,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShardedFilespec", options->name);
  sl_node_input(node, basename);
  sl_node_input(node, num_shards);
  return sl_node_output(node);
}
#define sl_op_sharded_filespec(scope, basename, num_shards, ...) \
  sl_op_sharded_filespec_with(SL_AT(scope), (basename), (num_shards), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TFRecordReader() -> reader_handle: Ref(string)
// A reader that returns the records of TFRecord files.
// container: string = ''; shared_name: string = ''; compression_type: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use TFRecordReaderV2
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *compression_type;
} sl_op_tf_record_reader_options_t;
static inline TF_Output sl_op_tf_record_reader_with(sl_scope_t *scope,
    const sl_op_tf_record_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TFRecordReader", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->compression_type) sl_node_attr_text(node, "compression_type", options->compression_type);
  return sl_node_output(node);
}
#define sl_op_tf_record_reader(scope, ...) \
  sl_op_tf_record_reader_with(SL_AT(scope), SL_OPTIONS(sl_op_tf_record_reader_options_t, __VA_ARGS__))

// TFRecordReaderV2() -> reader_handle: resource
// A reader that returns the records of TFRecord files.
// container: string = ''; shared_name: string = ''; compression_type: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *compression_type;
} sl_op_tf_record_reader_v2_options_t;
static inline TF_Output sl_op_tf_record_reader_v2_with(sl_scope_t *scope,
    const sl_op_tf_record_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TFRecordReaderV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->compression_type) sl_node_attr_text(node, "compression_type", options->compression_type);
  return sl_node_output(node);
}
#define sl_op_tf_record_reader_v2(scope, ...) \
  sl_op_tf_record_reader_v2_with(SL_AT(scope), SL_OPTIONS(sl_op_tf_record_reader_v2_options_t, __VA_ARGS__))

// TextLineReader() -> reader_handle: Ref(string)
// A reader that returns the lines of text files.
// skip_header_lines: int = 0; container: string = ''; shared_name: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use TextLineReaderV2
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t skip_header_lines;
  const char *container;
  const char *shared_name;
} sl_op_text_line_reader_options_t;
static inline TF_Output sl_op_text_line_reader_with(sl_scope_t *scope,
    const sl_op_text_line_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TextLineReader", options->name);
  sl_node_attr_int(node, "skip_header_lines", options->skip_header_lines);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_text_line_reader(scope, ...) \
  sl_op_text_line_reader_with(SL_AT(scope), SL_OPTIONS(sl_op_text_line_reader_options_t, __VA_ARGS__))

// TextLineReaderV2() -> reader_handle: resource
// A reader that returns the lines of text files.
// skip_header_lines: int = 0; container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t skip_header_lines;
  const char *container;
  const char *shared_name;
} sl_op_text_line_reader_v2_options_t;
static inline TF_Output sl_op_text_line_reader_v2_with(sl_scope_t *scope,
    const sl_op_text_line_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TextLineReaderV2", options->name);
  sl_node_attr_int(node, "skip_header_lines", options->skip_header_lines);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_text_line_reader_v2(scope, ...) \
  sl_op_text_line_reader_v2_with(SL_AT(scope), SL_OPTIONS(sl_op_text_line_reader_v2_options_t, __VA_ARGS__))

// WholeFileReader() -> reader_handle: Ref(string)
// A reader that returns the contents of whole files.
// container: string = ''; shared_name: string = ''
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_whole_file_reader_options_t;
static inline TF_Output sl_op_whole_file_reader_with(sl_scope_t *scope,
    const sl_op_whole_file_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WholeFileReader", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_whole_file_reader(scope, ...) \
  sl_op_whole_file_reader_with(SL_AT(scope), SL_OPTIONS(sl_op_whole_file_reader_options_t, __VA_ARGS__))

// WholeFileReaderV2() -> reader_handle: resource
// A reader that returns the contents of whole files.
// container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_whole_file_reader_v2_options_t;
static inline TF_Output sl_op_whole_file_reader_v2_with(sl_scope_t *scope,
    const sl_op_whole_file_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WholeFileReaderV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_whole_file_reader_v2(scope, ...) \
  sl_op_whole_file_reader_v2_with(SL_AT(scope), SL_OPTIONS(sl_op_whole_file_reader_v2_options_t, __VA_ARGS__))

// WriteFile(filename: string, contents: string)
// Writes a file.
// Stateful, no gradient.
static inline TF_Operation *sl_op_write_file_with(sl_scope_t *scope, TF_Output filename, TF_Output contents,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteFile", options->name);
  sl_node_input(node, filename);
  sl_node_input(node, contents);
  return sl_node_finish(node);
}
#define sl_op_write_file(scope, filename, contents, ...) \
  sl_op_write_file_with(SL_AT(scope), (filename), (contents), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_IO_H_
