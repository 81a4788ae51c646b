// A V1 checkpoint is a table. The key "" has a SavedTensorSlices with the list of tensors and slices. The key of each
// slice has a SavedTensorSlices with the values as a TensorProto. Each shard is a separate table.
#include <limits.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "io/checkpoint/checkpoint_v1_internal.h"
#include "io/checkpoint/table.h"
#include "io/checkpoint/table_internal.h"
#include "proto/bundle.fields.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

enum { VERSION = 1 };  // TensorFlow's TF_CHECKPOINT_VERSION

struct sli_checkpoint_v1 {
  char *pattern;
  SLI_ARRAY(sli_table_t *) tables;
  sli_bundle_index_t index;  // sorted by name
  sli_map_t names;           // while opening: name -> position in the index + 1
};

static sli_status_t *v1_damaged(const sli_checkpoint_v1_t *reader, const char *what, sli_view_t name) {
  return sli_status_make(SLI_DATA_LOSS, "checkpoint %s: %s%s%.*s", reader->pattern, what, name.size ? " " : "",
                         SLI_VIEW_ARG(name));
}

// Translates a SavedSliceMeta to a BundleEntryProto, which has the same fields under other numbers.
static sli_status_t *add_slice_meta(sli_checkpoint_v1_t *reader, sli_view_t meta) {
  sli_view_t name = {0};
  sli_string_t entry_bytes = {0}, slices = {0};
  sli_wire_reader_t in = sli_wire_reader(meta);
  for (sli_wire_field_t field; sli_wire_next(&in, &field);) {
    if (field.type == SLI_WIRE_VARINT && field.number == SLI_FIELD_SAVED_SLICE_META_TYPE)
      sli_wire_write_uint(&entry_bytes, SLI_FIELD_BUNDLE_ENTRY_PROTO_DTYPE, field.value);
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_SAVED_SLICE_META_NAME) name = field.bytes;
    if (field.number == SLI_FIELD_SAVED_SLICE_META_SHAPE)
      sli_wire_write_bytes(&entry_bytes, SLI_FIELD_BUNDLE_ENTRY_PROTO_SHAPE, field.bytes.data, field.bytes.size);
    if (field.number == SLI_FIELD_SAVED_SLICE_META_SLICE)
      sli_wire_write_bytes(&slices, SLI_FIELD_BUNDLE_ENTRY_PROTO_SLICES, field.bytes.data, field.bytes.size);
  }
  sli_string_append(&entry_bytes, slices.data, slices.size);
  sli_bundle_entry_t entry = {0};
  bool good = !in.malformed && name.size > 0 &&
              sli_bundle_entry_decode(name, sli_view_of(entry_bytes.data, entry_bytes.size), &entry);
  sli_string_deinitialize(&slices);
  sli_string_deinitialize(&entry_bytes);
  if (!good || entry.slice_count == 0) {
    sli_bundle_entry_deinitialize(&entry);
    return v1_damaged(reader, "bad list of slices of tensor", name);
  }
  uintptr_t place = (uintptr_t)sli_map_get(&reader->names, name);
  if (!place) {
    sli_array_push(&reader->index, entry);
    sli_map_set(&reader->names, name, (void *)(uintptr_t)reader->index.count);
    return NULL;
  }
  // The same tensor in another shard.
  sli_bundle_entry_t *known = &reader->index.items[place - 1];
  good = known->dtype == entry.dtype && known->rank == entry.rank &&
         memcmp(known->dims, entry.dims, (size_t)entry.rank * sizeof(*entry.dims)) == 0;
  for (size_t i = 0; good && i < entry.slice_count; i++)
    sli_bundle_entry_add_slice(known, entry.slices + i * (size_t)entry.rank);
  sli_bundle_entry_deinitialize(&entry);
  return good ? NULL : v1_damaged(reader, "shards differ in data type or shape of tensor", name);
}

static sli_status_t *add_meta(sli_checkpoint_v1_t *reader, sli_view_t meta) {
  sli_bundle_header_t header = {0};
  sli_wire_reader_t in = sli_wire_reader(meta);
  for (sli_wire_field_t field; sli_wire_next(&in, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_SAVED_TENSOR_SLICE_META_TENSOR)
      SLI_RETURN_IF_ERROR(add_slice_meta(reader, field.bytes));
    if (field.number == SLI_FIELD_SAVED_TENSOR_SLICE_META_VERSIONS && !sli_bundle_version_decode(field.bytes, &header))
      return v1_damaged(reader, "bad version", sli_view(""));
  }
  if (in.malformed) return v1_damaged(reader, "bad list of tensors", sli_view(""));
  return sli_bundle_version_check(reader->pattern, &header, VERSION);
}

// Finds the message in field |number| of the SavedTensorSlices under |key|; empty if the key does not exist.
static sli_status_t *find_message(sli_checkpoint_v1_t *reader, sli_table_iterator_t *iterator, sli_view_t key,
                                  uint32_t number, sli_view_t *out_message, bool *out_found) {
  *out_found = false;
  SLI_RETURN_IF_ERROR(sli_table_iterator_seek(iterator, key));
  if (!sli_table_iterator_valid(iterator) || !sli_view_equal(sli_table_iterator_key(iterator), key)) return NULL;
  sli_wire_reader_t in = sli_wire_reader(sli_table_iterator_value(iterator));
  for (sli_wire_field_t field; sli_wire_next(&in, &field);) {
    if (field.number != number || field.type != SLI_WIRE_BYTES) continue;
    *out_message = field.bytes;
    *out_found = true;
  }
  return in.malformed ? v1_damaged(reader, "bad saved slices", sli_view("")) : NULL;
}

static sli_status_t *open_table(sli_checkpoint_v1_t *reader, const char *path) {
  sli_table_t *table;
  sli_status_t *status = sli_table_open(path, &table);
  if (status) return sli_status_prefix(status, "Unable to open table file %s: ", path);
  sli_array_push(&reader->tables, table);
  sli_table_iterator_t *iterator = sli_table_iterator_create(table);
  sli_view_t meta;
  bool found;
  status = find_message(reader, iterator, sli_view_of("", 0), SLI_FIELD_SAVED_TENSOR_SLICES_META, &meta, &found);
  if (!status && !found)
    status = sli_status_make(
        SLI_DATA_LOSS, "Failed to find the saved tensor slices at the beginning of the checkpoint file: %s", path);
  if (!status) status = add_meta(reader, meta);
  sli_table_iterator_release(iterator);
  return status;
}

static int compare_names(const void *a, const void *b) {
  return sli_table_compare(((const sli_bundle_entry_t *)a)->name, ((const sli_bundle_entry_t *)b)->name);
}

sli_status_t *sli_checkpoint_v1_open(const char *pattern, sli_checkpoint_v1_t **out_reader) {
  *out_reader = NULL;
  sli_path_list_t paths = {0};
  SLI_RETURN_IF_ERROR(sli_file_match(pattern, &paths));
  sli_checkpoint_v1_t *reader = sli_calloc(1, sizeof(*reader));
  reader->pattern = sli_strdup(pattern);
  sli_status_t *status = NULL;
  if (paths.count == 0)
    status = sli_status_make(
        SLI_NOT_FOUND, "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for %s", pattern);
  for (size_t i = 0; !status && i < paths.count; i++) status = open_table(reader, paths.items[i]);
  sli_path_list_deinitialize(&paths);
  sli_map_deinitialize(&reader->names);
  if (status) {
    sli_checkpoint_v1_release(reader);
    return status;
  }
  if (reader->index.count) qsort(reader->index.items, reader->index.count, sizeof(*reader->index.items), compare_names);
  *out_reader = reader;
  return NULL;
}

void sli_checkpoint_v1_release(sli_checkpoint_v1_t *reader) {
  if (!reader) return;
  for (size_t i = 0; i < reader->tables.count; i++) sli_table_release(reader->tables.items[i]);
  sli_array_deinitialize(&reader->tables);
  sli_bundle_index_deinitialize(&reader->index);
  sli_map_deinitialize(&reader->names);
  free(reader->pattern);
  free(reader);
}

const sli_bundle_entry_t *sli_checkpoint_v1_entries(const sli_checkpoint_v1_t *reader, size_t *out_count) {
  *out_count = reader->index.count;
  return reader->index.items;
}

// Handles the TensorProto of a slice. |values| is valid only during the call.
typedef sli_status_t *(*visit_t)(sli_checkpoint_v1_t *reader, const sli_bundle_entry_t *entry,
                                 const sli_tensor_proto_view_t *values, void *context);

// Finds the shard of the |i|th slice and calls |visit| with the values.
static sli_status_t *visit_slice(sli_checkpoint_v1_t *reader, const sli_bundle_entry_t *entry, size_t i, visit_t visit,
                                 void *context) {
  sli_string_t key = {0};
  sli_tensor_slice_key(entry->name, entry->slices + i * (size_t)entry->rank, entry->rank, &key);
  sli_status_t *status = NULL;
  bool found = false;
  for (size_t t = 0; !status && !found && t < reader->tables.count; t++) {
    sli_table_iterator_t *iterator = sli_table_iterator_create(reader->tables.items[t]);
    sli_view_t saved;
    status = find_message(reader, iterator, sli_view_of(key.data, key.size), SLI_FIELD_SAVED_TENSOR_SLICES_DATA, &saved,
                          &found);
    if (!status && found) {
      sli_view_t proto = {0};
      sli_tensor_proto_view_t *values = sli_malloc(sizeof(*values));
      sli_wire_reader_t in = sli_wire_reader(saved);
      for (sli_wire_field_t field; sli_wire_next(&in, &field);)
        if (field.number == SLI_FIELD_SAVED_SLICE_DATA && field.type == SLI_WIRE_BYTES) proto = field.bytes;
      if (in.malformed) status = v1_damaged(reader, "bad slice of tensor", entry->name);
      if (!status) status = sli_tensor_proto_decode(proto, values);
      if (!status) status = visit(reader, entry, values, context);
      free(values);
    }
    sli_table_iterator_release(iterator);
  }
  sli_string_deinitialize(&key);
  if (!status && !found) status = v1_damaged(reader, "no values for a slice of tensor", entry->name);
  return status;
}

typedef struct {
  void *data;
  size_t size;
} dense_t;

static sli_status_t *copy_numbers(sli_checkpoint_v1_t *reader, const sli_bundle_entry_t *entry,
                                  const sli_tensor_proto_view_t *values, void *context) {
  const dense_t *dense = context;
  uint32_t field = sli_tensor_proto_value_field(entry->dtype);
  bool complex = field == SLI_FIELD_TENSOR_PROTO_SCOMPLEX_VAL || field == SLI_FIELD_TENSOR_PROTO_DCOMPLEX_VAL;
  size_t width = sli_bundle_dtype_size(entry->dtype) / (complex ? 2 : 1), count = dense->size / width;
  if (values->has_content && values->content.size == dense->size) {
    memcpy(dense->data, values->content.data, dense->size);
    return NULL;
  }
  if (field == 0 || values->counts[field] != count)
    return v1_damaged(reader, "wrong number of values for a slice of tensor", entry->name);
  sli_tensor_proto_copy_values(values, field, width, dense->data, count);
  return NULL;
}

static sli_status_t *fetch_v1_slice(void *context, const sli_bundle_entry_t *entry, size_t i, void *data, size_t size) {
  return visit_slice(context, entry, i, copy_numbers, &(dense_t){data, size});
}

sli_status_t *sli_checkpoint_v1_read(sli_checkpoint_v1_t *reader, const sli_bundle_entry_t *entry,
                                     const sli_tensor_slice_extent_t *slice, void *data, size_t size) {
  return sli_bundle_assemble(entry, slice, data, size, fetch_v1_slice, reader);
}

typedef struct {
  size_t slice;
  sli_bundle_strings_t *strings;
} string_visit_t;

static sli_status_t *copy_strings(sli_checkpoint_v1_t *reader, const sli_bundle_entry_t *entry,
                                  const sli_tensor_proto_view_t *values, void *context) {
  const string_visit_t *visit = context;
  const sli_tensor_slice_extent_t *slice = entry->slices + visit->slice * (size_t)entry->rank;
  size_t count = values->counts[SLI_FIELD_TENSOR_PROTO_STRING_VAL], wanted = 1, total = 0, i = 0;
  for (int d = 0; d < entry->rank; d++)
    wanted *= (size_t)(slice[d].length == SLI_TENSOR_SLICE_ALL ? entry->dims[d] : slice[d].length);
  if (count != wanted) return v1_damaged(reader, "wrong number of values for a slice of tensor", entry->name);
  sli_view_t item;
  sli_tensor_proto_items_t items = sli_tensor_proto_items(values, SLI_FIELD_TENSOR_PROTO_STRING_VAL);
  while (sli_tensor_proto_next_item(&items, &item)) total += item.size;
  *visit->strings = (sli_bundle_strings_t){
      .items = sli_calloc(count + 1, sizeof(item)), .count = count, .bytes = sli_malloc(total + 1)};
  char *next = visit->strings->bytes;
  items = sli_tensor_proto_items(values, SLI_FIELD_TENSOR_PROTO_STRING_VAL);
  for (; i < count && sli_tensor_proto_next_item(&items, &item); i++) {
    if (item.size) memcpy(next, item.data, item.size);
    visit->strings->items[i] = sli_view_of(next, item.size);
    next += item.size;
  }
  return NULL;
}

sli_status_t *sli_checkpoint_v1_read_strings(sli_checkpoint_v1_t *reader, const sli_bundle_entry_t *entry,
                                             const sli_tensor_slice_extent_t *slice,
                                             sli_bundle_strings_t *out_strings) {
  *out_strings = (sli_bundle_strings_t){0};
  if (entry->dtype != SLI_BUNDLE_STRING) return v1_damaged(reader, "no strings in tensor", entry->name);
  string_visit_t visit = {.strings = out_strings};
  SLI_RETURN_IF_ERROR(sli_bundle_find_equal(entry, slice, &visit.slice));
  return visit_slice(reader, entry, visit.slice, copy_strings, &visit);
}
