// SaveDataset and LoadDataset: the elements of a dataset in a directory, in TensorFlow's format of snapshots,
// version 2.
//
//   PATH/snapshot.metadata                  a SnapshotMetadataRecord
//   PATH/RUN/SHARD.shard/00000000.snapshot  TFRecords: each component of each element is a TensorProto
//
// A function of the program chooses the shard of each element, and another one in which order the shards are read.
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "core/op/shape_inference.h"
#include "core/tensor/tensor_codec.h"
#include "io/file/atomic_file.h"
#include "io/file/file.h"
#include "io/record/record.h"
#include "ops/data/elements.h"
#include "ops/data/iterator_resource.h"
#include "ops/data/recipe.h"
#include "proto/snapshot.fields.h"
#include "proto/wire.h"

enum { FORMAT_VERSION = 2, MAX_METADATA = 1 << 20 };

// --- Metadata ------------------------------------------------------------------------------------------------------

typedef struct {
  uint64_t run;
  int64_t version, count;
} metadata_t;

static char *metadata_path(const char *path) { return sli_format("%s/snapshot.metadata", path); }

static sli_status_t *write_metadata(const char *path, const sli_dataset_t *dataset, uint64_t run, int64_t count,
                                    bool is_final) {
  sli_string_t bytes = {0};
  char *file = metadata_path(path), *run_text = sli_format("%" PRIu64, run);
  sli_wire_write_bytes(&bytes, SLI_FIELD_SNAPSHOT_METADATA_RECORD_RUN_ID, run_text, strlen(run_text));
  sli_wire_write_int(&bytes, SLI_FIELD_SNAPSHOT_METADATA_RECORD_CREATION_TIMESTAMP, sli_clock_wall_micros());
  sli_wire_write_int(&bytes, SLI_FIELD_SNAPSHOT_METADATA_RECORD_VERSION, FORMAT_VERSION);
  for (int i = 0; i < dataset->component_count; i++)
    sli_wire_write_int(&bytes, SLI_FIELD_SNAPSHOT_METADATA_RECORD_DTYPE, dataset->types[i]);
  if (count) sli_wire_write_int(&bytes, SLI_FIELD_SNAPSHOT_METADATA_RECORD_NUM_ELEMENTS, count);
  if (is_final) sli_wire_write_int(&bytes, SLI_FIELD_SNAPSHOT_METADATA_RECORD_FINALIZED, 1);
  sli_status_t *status = sli_atomic_file_write(file, sli_view_of(bytes.data, bytes.size));
  sli_string_deinitialize(&bytes);
  free(run_text);
  free(file);
  return status;
}

static sli_status_t *parse_metadata(const char *path, sli_view_t bytes, metadata_t *out_metadata) {
  bool has_run = false;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_SNAPSHOT_METADATA_RECORD_RUN_ID && field.type == SLI_WIRE_BYTES) {
      char *text = sli_strndup(field.bytes.data, field.bytes.size), *end;
      out_metadata->run = strtoull(text, &end, 10);
      has_run = *text && !*end;
      free(text);
    }
    if (field.type != SLI_WIRE_VARINT) continue;
    if (field.number == SLI_FIELD_SNAPSHOT_METADATA_RECORD_VERSION) out_metadata->version = (int64_t)field.value;
    if (field.number == SLI_FIELD_SNAPSHOT_METADATA_RECORD_NUM_ELEMENTS) out_metadata->count = (int64_t)field.value;
  }
  if (reader.malformed || !has_run || out_metadata->count < 0)
    return sli_status_make(SLI_DATA_LOSS, "%s/snapshot.metadata is malformed", path);
  if (out_metadata->version != FORMAT_VERSION)
    return sli_status_make(SLI_UNIMPLEMENTED, "%s has version %lld of the snapshot format; only version %d can be read",
                           path, (long long)out_metadata->version, FORMAT_VERSION);
  return NULL;
}

static sli_status_t *read_metadata(const char *path, metadata_t *out_metadata) {
  *out_metadata = (metadata_t){0};
  sli_string_t bytes = {0};
  char *file = metadata_path(path);
  sli_status_t *status = sli_file_read_whole(file, MAX_METADATA, &bytes);
  if (sli_status_code(status) == SLI_NOT_FOUND) {
    sli_status_release(status);
    status = sli_status_make(SLI_NOT_FOUND, "Could not find metadata file [%s]", path);
  }
  if (!status) status = parse_metadata(path, sli_view_of(bytes.data, bytes.size), out_metadata);
  sli_string_deinitialize(&bytes);
  free(file);
  return status;
}

// --- Writing -------------------------------------------------------------------------------------------------------

typedef struct {
  int64_t index;
  sli_record_writer_t *records;
} shard_t;

typedef struct {
  char *path;
  uint64_t run;
  sli_compression_t compression;
  bool calls_function;
  const sli_dataset_function_t *function;  // chooses the shard
  SLI_ARRAY(shard_t) shards;
  int64_t count;
} saving_t;

static sli_status_t *begin_saving(saving_t *saving, const sli_dataset_t *dataset) {
  saving->run = sli_random_u64();
  char *directory = sli_format("%s/%" PRIu64, saving->path, saving->run);
  sli_status_t *status = sli_file_make_directories(directory);
  if (!status) status = write_metadata(saving->path, dataset, saving->run, 0, false);
  free(directory);
  return status;
}

static sli_status_t *choose_shard(saving_t *saving, const sli_iterator_call_t *call, sli_tensor_t *const *element,
                                  int count, int64_t *out_index) {
  *out_index = 0;
  if (!saving->calls_function) return NULL;
  sli_tensor_t *results[1];
  SLI_RETURN_IF_ERROR(sli_dataset_function_call(saving->function, call, element, count, results));
  bool is_number = results[0]->dtype == SLI_DTYPE_INT64 && results[0]->count == 1;
  if (is_number) *out_index = sli_tensor_int_at(results[0], 0);
  sli_tensor_release(results[0]);
  return is_number ? NULL : sli_status_make(SLI_INVALID_ARGUMENT, "`shard_func` must return a scalar int64.");
}

static sli_status_t *open_shard(saving_t *saving, int64_t index, sli_record_writer_t **out_records) {
  for (size_t i = 0; i < saving->shards.count; i++) {
    *out_records = saving->shards.items[i].records;
    if (saving->shards.items[i].index == index) return NULL;
  }
  char *directory = sli_format("%s/%" PRIu64 "/%08" PRIu64 ".shard", saving->path, saving->run, (uint64_t)index);
  char *file = sli_format("%s/00000000.snapshot", directory);
  sli_status_t *status = sli_file_make_directories(directory);
  if (!status) status = sli_record_writer_open(file, SLI_FILE_TRUNCATE, saving->compression, -1, out_records);
  if (!status) sli_array_push(&saving->shards, (shard_t){index, *out_records});
  free(file);
  free(directory);
  return status;
}

static sli_status_t *save_element(saving_t *saving, const sli_iterator_call_t *call, sli_tensor_t *const *element,
                                  int count) {
  int64_t index;
  sli_record_writer_t *records;
  SLI_RETURN_IF_ERROR(choose_shard(saving, call, element, count, &index));
  SLI_RETURN_IF_ERROR(open_shard(saving, index, &records));
  sli_status_t *status = NULL;
  for (int i = 0; i < count && !status; i++) {
    sli_string_t bytes = {0};
    sli_tensor_encode_flat(element[i], &bytes);
    status = sli_record_writer_write(records, sli_view_of(bytes.data, bytes.size));
    sli_string_deinitialize(&bytes);
  }
  saving->count++;
  return status;
}

static sli_status_t *finish_saving(saving_t *saving, const sli_dataset_t *dataset) {
  for (size_t i = 0; i < saving->shards.count; i++)
    SLI_RETURN_IF_ERROR(sli_record_writer_close(saving->shards.items[i].records));
  return write_metadata(saving->path, dataset, saving->run, saving->count, true);
}

static void release_saving(saving_t *saving) {
  for (size_t i = 0; i < saving->shards.count; i++) sli_record_writer_release(saving->shards.items[i].records);
  sli_array_deinitialize(&saving->shards);
  free(saving->path);
}

static sli_status_t *read_compression(const sli_node_def_t *node, sli_compression_t *out_compression) {
  sli_view_t text;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "compression", &text));
  return sli_compression_parse(text, out_compression);
}

static sli_status_t *save_all(sli_kernel_context_t *context, saving_t *saving, sli_dataset_t *dataset) {
  sli_iterator_call_t call = {context->step->cancellation};
  sli_iterator_pass_t *pass;
  SLI_RETURN_IF_ERROR(begin_saving(saving, dataset));
  SLI_RETURN_IF_ERROR(sli_iterator_pass_create(dataset, context->device, &pass));
  sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
  sli_status_t *status = NULL;
  for (bool is_end = false; !status && !is_end;) {
    status = sli_iterator_next(pass->iterator, &call, element, &is_end);
    if (status || is_end) break;
    status = save_element(saving, &call, element, dataset->component_count);
    sli_dataset_release_element(element, dataset->component_count);
  }
  sli_iterator_pass_release(pass);
  return status ? status : finish_saving(saving, dataset);
}

static sli_status_t *save_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  sli_view_t path;
  sli_dataset_function_t function = {0};
  saving_t saving = {.function = &function};
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 1, "path", &path));
  SLI_RETURN_IF_ERROR(read_compression(context->node, &saving.compression));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "use_shard_func", &saving.calls_function));
  SLI_RETURN_IF_ERROR(sli_dataset_function_initialize(context, "shard_func", "shard_func_other_args", &function));
  sli_status_t *status =
      saving.calls_function ? sli_dataset_function_check(&function, dataset->component_count, 1) : NULL;
  saving.path = sli_strndup(path.data, path.size);
  if (!status) status = save_all(context, &saving, dataset);
  release_saving(&saving);
  sli_dataset_function_deinitialize(&function);
  return status;
}

// --- Saving while the elements are read ------------------------------------------------------------------------------

typedef struct {
  sli_dataset_t base;
  char *path;
  sli_compression_t compression;
  bool calls_function;
  sli_dataset_function_t function;
} saved_t;

typedef struct {
  sli_iterator_t base;
  saving_t saving;
  bool is_started, is_over;
} saver_t;

static void saved_destroy(sli_dataset_t *dataset) {
  saved_t *self = (saved_t *)dataset;
  sli_dataset_function_deinitialize(&self->function);
  free(self->path);
}

static sli_status_t *saver_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end) {
  saver_t *self = (saver_t *)iterator;
  const saved_t *dataset = (const saved_t *)iterator->dataset;
  saving_t *saving = &self->saving;
  *out_end = self->is_over;
  if (*out_end) return NULL;
  if (!self->is_started) {
    *saving = (saving_t){.path = sli_strdup(dataset->path),
                         .compression = dataset->compression,
                         .calls_function = dataset->calls_function,
                         .function = &dataset->function};
    self->is_started = true;
    SLI_RETURN_IF_ERROR(begin_saving(saving, &dataset->base));
  }
  SLI_RETURN_IF_ERROR(sli_iterator_next(iterator->input, call, out_element, out_end));
  self->is_over = *out_end;
  if (*out_end) return finish_saving(saving, &dataset->base);
  sli_status_t *status = save_element(saving, call, out_element, dataset->base.component_count);
  if (status) sli_dataset_release_element(out_element, dataset->base.component_count);
  return status;
}

static void saver_stop(sli_iterator_t *iterator) { release_saving(&((saver_t *)iterator)->saving); }

static sli_status_t *saver_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  return sli_status_make(SLI_UNIMPLEMENTED, "The position of an iterator that saves a dataset cannot be saved");
}

static const sli_dataset_kind_t saved_kind = {.name = "SaveDatasetV2",
                                              .iterator_size = sizeof(saver_t),
                                              .opens_input = true,
                                              .destroy = saved_destroy,
                                              .next = saver_next,
                                              .stop = saver_stop,
                                              .save = saver_save};

static sli_status_t *save_dataset_v2(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  sli_view_t path;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 1, "path", &path));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &saved_kind, sizeof(saved_t), &input, 1, &dataset));
  saved_t *self = (saved_t *)dataset;
  self->path = sli_strndup(path.data, path.size);
  sli_status_t *status = read_compression(context->node, &self->compression);
  if (!status) status = sli_node_attr_bool(context->node, "use_shard_func", &self->calls_function);
  if (!status)
    status = sli_dataset_function_initialize(context, "shard_func", "shard_func_other_args", &self->function);
  if (!status && self->calls_function) status = sli_dataset_function_check(&self->function, input->component_count, 1);
  return sli_dataset_finish(context, dataset, status);
}

// --- One shard -------------------------------------------------------------------------------------------------------

typedef struct {
  sli_dataset_t base;
  char *directory;
  int64_t skipped;  // elements before the first
  sli_compression_t compression;
} stored_t;

typedef struct {
  sli_iterator_t base;
  int64_t file;  // the number of the file that is read
  sli_record_reader_t *records;
  bool is_over;
  int64_t skipped;
} storage_t;

static void stored_destroy(sli_dataset_t *dataset) { free(((stored_t *)dataset)->directory); }
static int64_t stored_cardinality(const sli_dataset_t *dataset) { return SLI_DATASET_UNKNOWN; }

static sli_status_t *open_file(storage_t *self) {
  const stored_t *dataset = (const stored_t *)self->base.dataset;
  char *file = sli_format("%s/%08" PRId64 ".snapshot", dataset->directory, self->file);
  self->is_over = !sli_file_exists(file);
  sli_status_t *status = self->is_over ? NULL : sli_record_reader_open(file, dataset->compression, 0, &self->records);
  free(file);
  return status;
}

static sli_status_t *read_component(storage_t *self, int i, sli_tensor_t **out_tensor) {
  const sli_dataset_t *dataset = self->base.dataset;
  sli_view_t record;
  SLI_RETURN_IF_ERROR(sli_record_reader_read(self->records, &record));
  SLI_RETURN_IF_ERROR(sli_tensor_decode(record, out_tensor));
  sli_status_t *status = NULL;
  if ((*out_tensor)->dtype != dataset->types[i])
    status = sli_status_make(SLI_DATA_LOSS, "Component %d of an element in %s has type %s, not %s", i,
                             ((const stored_t *)dataset)->directory, sli_dtype_name((sli_dtype_t)(*out_tensor)->dtype),
                             sli_dtype_name(dataset->types[i]));
  if (status) sli_tensor_release(*out_tensor);
  return status;
}

static sli_status_t *stored_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  storage_t *self = (storage_t *)iterator;
  const int count = iterator->dataset->component_count;
  for (;;) {
    if (!self->records && !self->is_over) SLI_RETURN_IF_ERROR(open_file(self));
    *out_end = self->is_over;
    if (*out_end) return NULL;
    int have = 0;
    sli_status_t *status = NULL;
    while (have < count && !status) {
      status = read_component(self, have, &out_element[have]);
      have += !status;
    }
    if (status) sli_dataset_release_element(out_element, have);
    if (sli_status_code(status) == SLI_OUT_OF_RANGE && have == 0) {
      sli_status_release(status);
      sli_record_reader_release(self->records);
      self->records = NULL;
      self->file++;
      continue;
    }
    if (status || self->skipped == 0) return status;
    self->skipped--;
    sli_dataset_release_element(out_element, count);
  }
}

static sli_status_t *stored_start(sli_iterator_t *iterator) {
  ((storage_t *)iterator)->skipped = ((const stored_t *)iterator->dataset)->skipped;
  return NULL;
}

static void stored_stop(sli_iterator_t *iterator) { sli_record_reader_release(((storage_t *)iterator)->records); }

static sli_status_t *stored_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  storage_t *self = (storage_t *)iterator;
  sli_iterator_write_int(writer, self->file);
  sli_iterator_write_int(writer, self->is_over);
  sli_iterator_write_int(writer, self->skipped);
  sli_iterator_write_int(writer, self->records ? (int64_t)sli_record_reader_offset(self->records) : -1);
  return NULL;
}

static sli_status_t *stored_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  storage_t *self = (storage_t *)iterator;
  int64_t is_over, offset;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &self->file));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &is_over));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &self->skipped));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, -1, INT64_MAX, &offset));
  self->is_over = is_over;
  if (self->is_over || offset < 0) return NULL;
  SLI_RETURN_IF_ERROR(open_file(self));
  return self->records ? sli_record_reader_seek(self->records, (uint64_t)offset) : NULL;
}

static const sli_dataset_kind_t stored_kind = {.name = "SnapshotDatasetReader",
                                               .iterator_size = sizeof(storage_t),
                                               .destroy = stored_destroy,
                                               .cardinality = stored_cardinality,
                                               .start = stored_start,
                                               .next = stored_next,
                                               .stop = stored_stop,
                                               .save = stored_save,
                                               .restore = stored_restore};

static sli_status_t *snapshot_reader(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  sli_view_t directory;
  int64_t start, version;
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 0, "shard_dir", &directory));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "start_index", &start));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "version", &version));
  if (start < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "start_index must be >= 0, got %lld", (long long)start);
  if (version != FORMAT_VERSION)
    return sli_status_make(SLI_UNIMPLEMENTED, "Only version %d of the snapshot format can be read, got %lld",
                           FORMAT_VERSION, (long long)version);
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &stored_kind, sizeof(stored_t), NULL, 0, &dataset));
  ((stored_t *)dataset)->directory = sli_strndup(directory.data, directory.size);
  ((stored_t *)dataset)->skipped = start;
  return sli_dataset_finish(context, dataset, read_compression(context->node, &((stored_t *)dataset)->compression));
}

// --- Loading
// -----------------------------------------------------------------------------------------------------------

typedef struct {
  sli_dataset_t base;
  sli_dataset_function_t function;  // of a dataset of shards
  sli_tensor_t *shards;             // that dataset
  int64_t count;
} loaded_t;

static void loaded_destroy(sli_dataset_t *dataset) {
  loaded_t *self = (loaded_t *)dataset;
  sli_dataset_function_deinitialize(&self->function);
  sli_tensor_release(self->shards);
}

static int64_t loaded_cardinality(const sli_dataset_t *dataset) { return ((const loaded_t *)dataset)->count; }

static sli_status_t *loaded_start(sli_iterator_t *iterator) {
  const loaded_t *self = (const loaded_t *)iterator->dataset;
  sli_iterator_call_t call = {iterator->root->cancellation};
  sli_tensor_t *results[1];
  sli_dataset_t *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_function_call(&self->function, &call, &self->shards, 1, results));
  sli_status_t *status = sli_dataset_of(results[0], &dataset);
  if (!status)
    status =
        sli_dataset_check_types(self->base.types, self->base.component_count, dataset->types, dataset->component_count);
  if (!status) status = sli_iterator_create(dataset, iterator->root, &iterator->input);
  sli_tensor_release(results[0]);
  return status;
}

static sli_status_t *loaded_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  return sli_iterator_next(iterator->input, call, out_element, out_end);
}

static sli_status_t *loaded_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  return sli_iterator_save(iterator->input, writer);
}

static sli_status_t *loaded_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  return sli_iterator_restore(iterator->input, reader);
}

static const sli_dataset_kind_t loaded_kind = {.name = "LoadDataset",
                                               .iterator_size = sizeof(sli_iterator_t),
                                               .destroy = loaded_destroy,
                                               .cardinality = loaded_cardinality,
                                               .start = loaded_start,
                                               .next = loaded_next,
                                               .save = loaded_save,
                                               .restore = loaded_restore};

// A dataset that reads the shard in |directory|.
static sli_status_t *make_shard(sli_kernel_context_t *context, const char *directory, sli_tensor_t **out_shard) {
  static const char *const names[] = {"output_types", "output_shapes", "compression"};
  sli_attr_entry_t attrs[SLI_ARRAY_COUNT_OF(names) + 1] = {SLI_ATTR_INT_OF("version", FORMAT_VERSION)};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++)
    attrs[i + 1] = (sli_attr_entry_t){names[i], *sli_node_attr(context->node, names[i])};
  sli_tensor_t *inputs[] = {sli_tensor_scalar_string(sli_view(directory)), sli_tensor_scalar_int64(0)};
  sli_dataset_t *shard = NULL;
  sli_dataset_making_t making = {"SnapshotDatasetReader", attrs, SLI_ARRAY_COUNT_OF(attrs), NULL};
  sli_status_t *status = sli_dataset_make(&making, context, inputs, SLI_ARRAY_COUNT_OF(inputs), &shard);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(inputs); i++) sli_tensor_release(inputs[i]);
  if (!status) *out_shard = sli_dataset_to_tensor(shard);
  return status;
}

static sli_status_t *make_shards(sli_kernel_context_t *context, const char *path, uint64_t run,
                                 sli_tensor_t **out_shards) {
  sli_path_list_t found = {0};
  sli_dataset_elements_t elements = {.component_count = 1};
  char *pattern = sli_format("%s/%" PRIu64 "/*.shard", path, run);
  sli_status_t *status = sli_file_match(pattern, &found);
  for (size_t i = 0; i < found.count && !status; i++) {
    sli_tensor_t *shard = NULL;
    status = make_shard(context, found.items[i], &shard);
    if (!status) sli_dataset_elements_push(&elements, &shard);
  }
  if (!status)
    *out_shards = sli_dataset_to_tensor(
        sli_dataset_create_elements(&elements, (sli_dtype_t[]){SLI_DTYPE_VARIANT}, (sli_shape_t[]){SLI_SHAPE_SCALAR}));
  else
    sli_dataset_elements_deinitialize(&elements);
  sli_path_list_deinitialize(&found);
  free(pattern);
  return status;
}

static sli_status_t *load_dataset(sli_kernel_context_t *context) {
  sli_view_t name;
  sli_dataset_t *dataset = NULL;
  metadata_t metadata;
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 0, "path", &name));
  char *path = sli_strndup(name.data, name.size);
  sli_status_t *status = read_metadata(path, &metadata);
  if (!status) status = sli_dataset_create(context, &loaded_kind, sizeof(loaded_t), NULL, 0, &dataset);
  loaded_t *self = (loaded_t *)dataset;
  if (!status) {
    self->count = metadata.count;
    status = make_shards(context, path, metadata.run, &self->shards);
  }
  if (!status)
    status = sli_dataset_function_initialize(context, "reader_func", "reader_func_other_args", &self->function);
  if (!status) status = sli_dataset_function_check(&self->function, 1, 1);
  free(path);
  return sli_dataset_finish(context, dataset, status);
}

static const sli_op_def_t ops[] = {
    {
        .name = "SaveDataset",
        .inputs = "input_dataset: variant, path: string, shard_func_other_args: Tshard_func_args",
        .attrs = "compression: string = ''; shard_func: func; use_shard_func: bool = true; "
                 "Tshard_func_args: list(type) >= 0",
        .summary = "Writes the elements of a dataset to a directory.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
    {
        .name = "SaveDatasetV2",
        .inputs = "input_dataset: variant, path: string, shard_func_other_args: Tshard_func_args",
        .outputs = "handle: variant",
        .attrs = "compression: string = ''; shard_func: func; use_shard_func: bool = true; "
                 "Tshard_func_args: list(type) >= 0; " SLI_DATASET_ELEMENTS,
        .summary = "The elements of a dataset; an iterator writes them to a directory as it gives them.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "LoadDataset",
        .inputs = "path: string, reader_func_other_args: Treader_func_args",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; compression: string = ''; reader_func: func; "
                                      "Treader_func_args: list(type) >= 0",
        .summary = "The elements that SaveDataset wrote.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "SnapshotDatasetReader",
        .inputs = "shard_dir: string, start_index: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; compression: string = ''; version: int",
        .summary = "The elements of one shard that SaveDataset wrote.",
        .shape = sli_dataset_infer,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SaveDataset",
     .compute = save_dataset,
     .create = sli_dataset_library_create,
     .destroy = sli_dataset_library_destroy,
     .blocks = true},
    {.op = "SaveDatasetV2",
     .compute = save_dataset_v2,
     .create = sli_dataset_library_create,
     .destroy = sli_dataset_library_destroy},
    {.op = "LoadDataset",
     .compute = load_dataset,
     .create = sli_dataset_library_create,
     .destroy = sli_dataset_library_destroy,
     .blocks = true},
    {.op = "SnapshotDatasetReader", .compute = snapshot_reader},
};

SLI_OP_MODULE(data_snapshot);
