#include "dist/store/store_save.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/checkpoint/bundle.h"
#include "io/file/file.h"
#include "ops/embedding/embedding_order.h"
#include "ops/embedding/embedding_save.h"

enum { MAX_PARTS = 1024 };

// All values, one after the other.
typedef struct {
  size_t item_size, slot_count;
  SLI_ARRAY(uint64_t) keys;
  SLI_ARRAY(uint64_t) steps;
  SLI_ARRAY(uint32_t) lengths;
  sli_string_t values, slots;  // slots only of keys with steps
} saved_t;

static void saved_deinitialize(saved_t *saved) {
  sli_array_deinitialize(&saved->keys);
  sli_array_deinitialize(&saved->steps);
  sli_array_deinitialize(&saved->lengths);
  sli_string_deinitialize(&saved->values);
  sli_string_deinitialize(&saved->slots);
}

static char *file_of(const char *name, const char *prefix, int part, int parts) {
  char *flat = sli_strdup(name);
  for (char *at = flat; *at; at++)
    if (*at == '/') *at = '%';
  char *path = sli_format("%s.keys-%s-%05d-of-%05d", prefix, flat, part, parts);
  free(flat);
  return path;
}

static sli_embedding_save_place_t rows_place(const char *name, const sli_store_save_place_t *place) {
  return (sli_embedding_save_place_t){
      .prefix = place->prefix, .name = name, .part = place->part, .parts = place->parts};
}

// ---- Saving ----------------------------------------------------------------------

static void add_value(void *context, const sli_store_table_value_t *value) {
  saved_t *saved = context;
  size_t bytes = value->length * saved->item_size;
  sli_array_push(&saved->keys, value->key);
  sli_array_push(&saved->steps, value->steps);
  sli_array_push(&saved->lengths, value->length);
  sli_string_append(&saved->values, value->values, bytes);
  if (value->steps && value->slots) sli_string_append(&saved->slots, value->slots, bytes * saved->slot_count);
}

static sli_status_t *add_tensor(sli_bundle_writer_t *writer, const char *name, sli_dtype_t dtype, const void *data,
                                size_t bytes) {
  int64_t count = (int64_t)(bytes / sli_dtype_size(dtype));
  return sli_bundle_writer_add(
      writer, sli_view(name),
      &(sli_bundle_tensor_t){.dtype = (int)dtype, .rank = 1, .dims = &count, .data = data, .size = bytes});
}

static sli_status_t *write_file(sli_store_table_t *table, const saved_t *saved, const char *rule, const char *path) {
  sli_bundle_writer_t *writer = NULL;
  sli_dtype_t dtype = sli_store_table_dtype(table);
  sli_view_t text = sli_view(rule);
  sli_status_t *status = sli_bundle_writer_create(path, &writer);
  if (!status) status = add_tensor(writer, "keys", SLI_DTYPE_INT64, saved->keys.items, saved->keys.count * 8);
  if (!status) status = add_tensor(writer, "steps", SLI_DTYPE_INT64, saved->steps.items, saved->steps.count * 8);
  if (!status) status = add_tensor(writer, "lengths", SLI_DTYPE_INT32, saved->lengths.items, saved->lengths.count * 4);
  if (!status) status = add_tensor(writer, "values", dtype, saved->values.data, saved->values.size);
  if (!status) status = add_tensor(writer, "slots", dtype, saved->slots.data, saved->slots.size);
  if (!status)
    status = sli_bundle_writer_add(writer, sli_view("rule"),
                                   &(sli_bundle_tensor_t){.dtype = (int)SLI_DTYPE_STRING, .strings = &text});
  if (!status) status = sli_bundle_writer_finish(writer);
  sli_bundle_writer_release(writer);
  return status;
}

sli_status_t *sli_store_save(sli_store_table_t *table, const char *name, const sli_store_save_place_t *place) {
  sli_embedding_save_place_t rows = rows_place(name, place);
  if (sli_store_table_rows(table)) return sli_embedding_save(sli_store_table_rows(table), &rows);
  sli_updater_shared_t *updater = sli_store_table_get_updater(table);
  saved_t saved = {.item_size = sli_dtype_size(sli_store_table_dtype(table)),
                   .slot_count = (size_t)updater->updater.slot_count};
  sli_store_table_for_each(table, &updater->updater, add_value, &saved);
  char *path = file_of(name, place->prefix, place->part, place->parts);
  sli_status_t *status = write_file(table, &saved, updater->updater.name, path);
  free(path);
  saved_deinitialize(&saved);
  sli_updater_shared_release(updater);
  return status;
}

// ---- Restoring -------------------------------------------------------------------

static bool is_own(uint64_t key, const sli_store_save_place_t *place) {
  size_t parts = (size_t)place->parts, at;
  if (!place->by_range)
    at = sli_embedding_task(key, parts);
  else if (!place->key_limit)
    at = (size_t)((unsigned __int128)key * parts >> 64);
  else
    at = (size_t)(key / ((place->key_limit - 1) / parts + 1));
  return at == (size_t)place->part;
}

static sli_status_t *read_tensor(sli_bundle_reader_t *reader, const char *path, const char *name, sli_dtype_t dtype,
                                 void **out_data, size_t *out_count) {
  *out_data = NULL;
  const sli_bundle_entry_t *entry = sli_bundle_reader_find(reader, sli_view(name));
  if (!entry || entry->rank != 1) return sli_status_make(SLI_DATA_LOSS, "%s has no tensor %s.", path, name);
  if (entry->dtype != (int)dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: %s is not of type %s.", path, name, sli_dtype_name(dtype));
  *out_data = sli_malloc_or_null(entry->size + 1);
  *out_count = (size_t)entry->dims[0];
  if (!*out_data) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for %s.", path);
  return sli_bundle_reader_read(reader, entry, NULL, *out_data, entry->size);
}

typedef struct {
  uint64_t *keys, *steps;
  uint32_t *lengths;
  char *values, *slots;
  size_t key_count, step_count, length_count, value_count, slot_count;
} loaded_t;

static sli_status_t *put_values(sli_store_table_t *table, const loaded_t *loaded, const sli_store_save_place_t *place,
                                const sli_updater_t *updater, bool has_slots, const char *path) {
  size_t item_size = sli_dtype_size(sli_store_table_dtype(table)), at = 0, slot_at = 0;
  for (size_t i = 0; i < loaded->key_count; i++) {
    size_t length = loaded->lengths[i],
           width = loaded->steps[i] && has_slots ? (size_t)updater->slot_count * length : 0;
    if (length > loaded->value_count - at || width > loaded->slot_count - slot_at)
      return sli_status_make(SLI_DATA_LOSS, "%s has fewer values than its keys need.", path);
    sli_store_table_value_t value = {.key = loaded->keys[i],
                                     .length = (uint32_t)length,
                                     .steps = has_slots ? loaded->steps[i] : 0,
                                     .values = loaded->values + at * item_size,
                                     .slots = width ? loaded->slots + slot_at * item_size : NULL};
    if (length && is_own(value.key, place)) SLI_RETURN_IF_ERROR(sli_store_table_put(table, &value, updater));
    at += length;
    slot_at += width;
  }
  return NULL;
}

static sli_status_t *load(sli_bundle_reader_t *reader, const char *path, sli_dtype_t dtype, loaded_t *l) {
  SLI_RETURN_IF_ERROR(read_tensor(reader, path, "keys", SLI_DTYPE_INT64, (void **)&l->keys, &l->key_count));
  SLI_RETURN_IF_ERROR(read_tensor(reader, path, "steps", SLI_DTYPE_INT64, (void **)&l->steps, &l->step_count));
  SLI_RETURN_IF_ERROR(read_tensor(reader, path, "lengths", SLI_DTYPE_INT32, (void **)&l->lengths, &l->length_count));
  SLI_RETURN_IF_ERROR(read_tensor(reader, path, "values", dtype, (void **)&l->values, &l->value_count));
  SLI_RETURN_IF_ERROR(read_tensor(reader, path, "slots", dtype, (void **)&l->slots, &l->slot_count));
  if (l->step_count == l->key_count && l->length_count == l->key_count) return NULL;
  return sli_status_make(SLI_DATA_LOSS, "%s has different numbers of keys, steps and lengths.", path);
}

static sli_status_t *restore_file(sli_store_table_t *table, const char *path, const sli_store_save_place_t *place,
                                  const sli_updater_t *updater) {
  sli_bundle_reader_t *reader;
  SLI_RETURN_IF_ERROR(sli_bundle_reader_open(path, &reader));
  loaded_t loaded = {0};
  sli_bundle_strings_t rule = {0};
  sli_status_t *status = load(reader, path, sli_store_table_dtype(table), &loaded);
  const sli_bundle_entry_t *entry = sli_bundle_reader_find(reader, sli_view("rule"));
  if (!status && entry) status = sli_bundle_reader_read_strings(reader, entry, NULL, &rule);
  bool has_slots = rule.count == 1 && sli_view_is(rule.items[0], updater->name);
  if (!status) status = put_values(table, &loaded, place, updater, has_slots, path);
  sli_bundle_strings_deinitialize(&rule);
  free(loaded.keys);
  free(loaded.steps);
  free(loaded.lengths);
  free(loaded.values);
  free(loaded.slots);
  sli_bundle_reader_release(reader);
  return status;
}

sli_status_t *sli_store_restore(sli_store_table_t *table, const char *name, const sli_store_save_place_t *place) {
  sli_embedding_save_place_t rows = rows_place(name, place);
  if (sli_store_table_rows(table)) return sli_embedding_restore(sli_store_table_rows(table), &rows);
  int saved = 0;
  for (int parts = 1; parts <= MAX_PARTS && !saved; parts++) {
    char *path = file_of(name, place->prefix, 0, parts), *index = sli_format("%s.index", path);
    if (sli_file_exists(index)) saved = parts;
    free(path);
    free(index);
  }
  if (!saved)
    return sli_status_make(SLI_NOT_FOUND, "There are no keys of table \"%s\" at %s that this task can read.", name,
                           place->prefix);
  sli_updater_shared_t *updater = sli_store_table_get_updater(table);
  sli_status_t *status = NULL;
  for (int i = 0; i < saved && !status; i++) {
    char *path = file_of(name, place->prefix, i, saved);
    status = restore_file(table, path, place, &updater->updater);
    free(path);
  }
  sli_updater_shared_release(updater);
  return status;
}
