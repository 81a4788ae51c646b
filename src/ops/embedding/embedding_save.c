#include "ops/embedding/embedding_save.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/checkpoint/bundle.h"
#include "io/file/file.h"
#include "ops/embedding/embedding_rows_internal.h"

enum { MAX_PARTS = 1024, NAME_SIZE = 16 };

// The rows of a shard, copied.
typedef struct {
  int64_t count;
  int slot_count;
  const char *rule;  // NULL: there are no slots
  uint64_t *keys;
  uint32_t *steps;
  char *values, *slots;
  uint64_t *removed;  // keys of rows that are gone
  int64_t removed_count;
} copy_t;

// Which rows are saved.
typedef struct {
  bool only_changes;
  uint32_t since;  // the tick from which on rows may have changed
} choice_t;

static void copy_deinitialize(copy_t *copy) {
  free(copy->keys);
  free(copy->steps);
  free(copy->values);
  free(copy->slots);
  free(copy->removed);
}

// PREFIX.rows-TABLE-00000-of-00002; a '/' in the name of the table is written as '%'.
static char *file_of(const sli_embedding_save_place_t *place, int part, int parts) {
  char *name = sli_strdup(place->name);
  for (char *at = name; *at; at++)
    if (*at == '/') *at = '%';
  char *path = sli_format("%s.rows-%s-%05d-of-%05d", place->prefix, name, part, parts);
  free(name);
  return path;
}

// ---- Saving ----------------------------------------------------------------------

static bool copy_allocate(const sli_embedding_rows_t *rows, copy_t *copy) {
  size_t count = (size_t)copy->count + 1;
  copy->keys = sli_malloc_or_null(count * sizeof(*copy->keys));
  copy->steps = sli_malloc_or_null(count * sizeof(*copy->steps));
  copy->values = sli_malloc_or_null(count * rows->row_bytes);
  copy->slots = sli_malloc_or_null(count * rows->row_bytes * (size_t)(copy->slot_count ? copy->slot_count : 1));
  return copy->keys && copy->steps && copy->values && copy->slots;
}

static bool is_chosen(const sli_embedding_row_t *row, choice_t choice) {
  if (row->used == SLI_EMBEDDING_NOT_USED) return false;
  return !choice.only_changes || (int32_t)(row->used - choice.since) >= 0;
}

static void copy_row(const sli_embedding_rows_t *rows, const sli_embedding_row_t *row, size_t to, copy_t *copy) {
  size_t slot_bytes = rows->row_bytes * (size_t)copy->slot_count;
  copy->keys[to] = row->key;
  copy->steps[to] = row->steps;
  sli_embedding_row_decode(rows, row->values, copy->values + to * rows->row_bytes);
  if (row->steps)
    memcpy(copy->slots + to * slot_bytes, row->values + rows->stored_bytes, slot_bytes);
  else
    memset(copy->slots + to * slot_bytes, 0, slot_bytes);
}

// Copies a row of the disk, if it is chosen.
typedef struct {
  const sli_embedding_rows_t *rows;
  const sli_embedding_shard_t *shard;
  choice_t choice;
  copy_t *copy;
  size_t next;
} frozen_copy_t;

static bool copy_frozen(void *context, uint64_t key, const void *data, size_t size) {
  frozen_copy_t *to = context;
  const sli_embedding_frozen_t *frozen = data;
  sli_embedding_row_t head = {.key = key, .steps = frozen->steps, .used = frozen->used};
  if (!is_chosen(&head, to->choice)) return true;
  bool has_slots = frozen->rules == to->shard->rules && frozen->steps;
  size_t slot_bytes = to->rows->row_bytes * (size_t)to->copy->slot_count;
  to->copy->keys[to->next] = key;
  to->copy->steps[to->next] = has_slots ? frozen->steps : 0;
  const char *values = (const char *)(frozen + 1);
  sli_embedding_row_decode(to->rows, values, to->copy->values + to->next * to->rows->row_bytes);
  if (has_slots && frozen->slot_count == (uint32_t)to->copy->slot_count)
    memcpy(to->copy->slots + to->next * slot_bytes, values + to->rows->stored_bytes, slot_bytes);
  else
    memset(to->copy->slots + to->next * slot_bytes, 0, slot_bytes);
  to->next++;
  return true;
}

// Copies the chosen rows, and starts a new list of removed ones.
static sli_status_t *copy_shard(sli_embedding_rows_t *rows, sli_embedding_shard_t *shard, choice_t choice,
                                copy_t *out_copy) {
  sli_mutex_lock(&shard->mutex);
  *out_copy = (copy_t){.slot_count = shard->rule ? shard->slot_count : 0, .rule = shard->rule};
  for (uint32_t i = 0; i < shard->numbers; i++)
    out_copy->count += is_chosen(sli_embedding_row_at(rows, shard, i), choice);
  size_t in_memory = (size_t)out_copy->count;
  if (shard->cold) out_copy->count += (int64_t)sli_embedding_cold_count(shard->cold);  // at most
  bool ok = copy_allocate(rows, out_copy);
  size_t next = 0;
  for (uint32_t i = 0; ok && i < shard->numbers; i++) {
    const sli_embedding_row_t *row = sli_embedding_row_at(rows, shard, i);
    if (is_chosen(row, choice)) copy_row(rows, row, next++, out_copy);
  }
  sli_status_t *status =
      ok ? NULL
         : sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory to copy %lld rows.", (long long)out_copy->count);
  frozen_copy_t frozen = {.rows = rows, .shard = shard, .choice = choice, .copy = out_copy, .next = in_memory};
  if (ok && shard->cold) status = sli_embedding_cold_for_each(shard->cold, copy_frozen, &frozen);
  out_copy->count = (int64_t)frozen.next;
  out_copy->removed = shard->removed.items;
  out_copy->removed_count = (int64_t)shard->removed.count;
  memset(&shard->removed, 0, sizeof(shard->removed));
  shard->tracks = true;
  shard->lost_track = false;
  sli_mutex_unlock(&shard->mutex);
  return status;
}

static sli_status_t *write_tensor(sli_bundle_writer_t *writer, int shard, const char *what, sli_dtype_t dtype,
                                  int64_t count, int64_t width, const void *data) {
  char name[NAME_SIZE];
  snprintf(name, sizeof(name), "%02d/%s", shard, what);
  int64_t dims[] = {count, width};
  return sli_bundle_writer_add(
      writer, sli_view(name),
      &(sli_bundle_tensor_t){.dtype = (int)dtype,
                             .rank = width < 0 ? 1 : 2,
                             .dims = dims,
                             .data = data,
                             .size = (size_t)(count * (width < 0 ? 1 : width)) * sli_dtype_size(dtype)});
}

static sli_status_t *write_shard(sli_embedding_rows_t *rows, int number, choice_t choice, sli_bundle_writer_t *writer,
                                 const char **out_rule) {
  copy_t copy;
  sli_dtype_t dtype = rows->options.dtype;
  int64_t length = rows->options.length;
  sli_status_t *status = copy_shard(rows, &rows->shards[number], choice, &copy);
  if (!status) status = write_tensor(writer, number, "keys", SLI_DTYPE_INT64, copy.count, -1, copy.keys);
  if (!status) status = write_tensor(writer, number, "steps", SLI_DTYPE_INT32, copy.count, -1, copy.steps);
  if (!status) status = write_tensor(writer, number, "values", dtype, copy.count, length, copy.values);
  if (!status && copy.slot_count)
    status = write_tensor(writer, number, "slots", dtype, copy.count, length * copy.slot_count, copy.slots);
  if (!status && choice.only_changes)
    status = write_tensor(writer, number, "removed", SLI_DTYPE_INT64, copy.removed_count, -1, copy.removed);
  if (copy.rule) *out_rule = copy.rule;
  copy_deinitialize(&copy);
  return status;
}

static sli_status_t *write_file(sli_embedding_rows_t *rows, const char *path, choice_t choice) {
  sli_bundle_writer_t *writer = NULL;
  const char *rule = "";
  sli_status_t *status = sli_bundle_writer_create(path, &writer);
  for (int i = 0; i < SLI_EMBEDDING_SHARDS && !status; i++) status = write_shard(rows, i, choice, writer, &rule);
  sli_view_t text = sli_view(rule);
  if (!status)
    status = sli_bundle_writer_add(writer, sli_view("rule"),
                                   &(sli_bundle_tensor_t){.dtype = (int)SLI_DTYPE_STRING, .strings = &text});
  if (!status) status = sli_bundle_writer_finish(writer);
  sli_bundle_writer_release(writer);
  return status;
}

// PATH for all rows, PATH.changes-1 and so on for changes.
static char *file_with_changes(const char *path, int changes) {
  return changes ? sli_format("%s.changes-%d", path, changes) : sli_strdup(path);
}

// Gives a file of the last save a second name. False if it is not there any more, or if the file system has no links.
static bool link_file(const char *from, const char *to) {
  static const char *const suffixes[] = {".data-00000-of-00001", ".index"};
  bool ok = true;
  for (int i = 0; i < 2 && ok; i++) {
    char *old_name = sli_format("%s%s", from, suffixes[i]), *new_name = sli_format("%s%s", to, suffixes[i]);
    sli_status_release(sli_file_delete(new_name));  // of a save that was interrupted
    sli_status_t *status = sli_file_link(old_name, new_name);
    ok = !status;
    sli_status_release(status);
    free(old_name);
    free(new_name);
  }
  return ok;
}

static bool has_track(sli_embedding_rows_t *rows) {
  bool has = true;
  for (int i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    sli_mutex_lock(&rows->shards[i].mutex);
    has = has && rows->shards[i].tracks && !rows->shards[i].lost_track;
    sli_mutex_unlock(&rows->shards[i].mutex);
  }
  return has;
}

// Whether changes can be added to the last save, whose files then have second names.
static bool begin_changes(const sli_embedding_table_t *table, const char *path, int full_every) {
  bool ok = table->saved_path && strcmp(table->saved_path, path) && table->saved_changes + 1 < full_every &&
            has_track(table->rows);
  for (int i = 0; ok && i <= table->saved_changes; i++) {
    char *from = file_with_changes(table->saved_path, i), *to = file_with_changes(path, i);
    ok = link_file(from, to);
    free(from);
    free(to);
  }
  return ok;
}

// Files of changes of an earlier save under the same name would be restored with this one.
static void delete_changes(const char *path, int first) {
  for (int i = first; i < first + 1024; i++) {
    char *file = file_with_changes(path, i), *index = sli_format("%s.index", file);
    sli_status_t *status = sli_file_delete(index);
    free(file);
    free(index);
    bool was_there = !status;
    sli_status_release(status);
    if (!was_there) return;
  }
}

sli_status_t *sli_embedding_save(sli_embedding_table_t *table, const sli_embedding_save_place_t *place) {
  char *path = file_of(place, place->part, place->parts);
  sli_mutex_lock(&table->save_mutex);
  uint32_t tick = sli_embedding_rows_tick(table->rows);
  choice_t choice = {.only_changes = begin_changes(table, path, place->full_every), .since = table->saved_tick};
  int changes = choice.only_changes ? table->saved_changes + 1 : 0;
  char *file = file_with_changes(path, changes);
  sli_status_t *status = write_file(table->rows, file, choice);
  if (!status) delete_changes(path, changes + 1);
  free(file);
  free(table->saved_path);
  // What was to be saved is not recorded any more: after a failure all rows are saved.
  table->saved_path = status ? NULL : path;
  table->saved_changes = changes;
  table->saved_tick = tick;
  if (status) free(path);
  sli_mutex_unlock(&table->save_mutex);
  return status;
}

// ---- Restoring -------------------------------------------------------------------

typedef struct {
  sli_embedding_table_t *table;
  sli_bundle_reader_t *reader;
  const char *path;
  int part, parts;
  const sli_updater_t *updater;
  bool has_slots;  // of the table's rule
} restore_t;

// Reads tensor |what| of a shard, with |width| columns; -1: a vector. |*out_data| is NULL if there is no such tensor.
static sli_status_t *read_tensor(const restore_t *restore, int shard, const char *what, sli_dtype_t dtype,
                                 int64_t count, int64_t width, void **out_data) {
  char name[NAME_SIZE];
  snprintf(name, sizeof(name), "%02d/%s", shard, what);
  *out_data = NULL;
  const sli_bundle_entry_t *entry = sli_bundle_reader_find(restore->reader, sli_view(name));
  if (!entry) return NULL;
  bool fits = entry->dtype == (int)dtype && entry->rank == (width < 0 ? 1 : 2) &&
              (count < 0 || entry->dims[0] == count) && (width < 0 || entry->dims[1] == width);
  if (!fits)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: %s is not of type %s with %lld columns, as table \"%s\" needs.",
                           restore->path, name, sli_dtype_name(dtype), (long long)width, restore->table->name);
  *out_data = sli_malloc_or_null(entry->size + 1);
  if (!*out_data)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for %llu bytes of %s.",
                           (unsigned long long)entry->size, restore->path);
  return sli_bundle_reader_read(restore->reader, entry, NULL, *out_data, entry->size);
}

static sli_status_t *read_shard(const restore_t *restore, int shard, copy_t *out_copy) {
  const sli_embedding_rows_options_t *options = &restore->table->rows->options;
  char name[NAME_SIZE];
  snprintf(name, sizeof(name), "%02d/keys", shard);
  const sli_bundle_entry_t *keys = sli_bundle_reader_find(restore->reader, sli_view(name));
  if (!keys || keys->rank != 1) return sli_status_make(SLI_DATA_LOSS, "%s has no tensor %s.", restore->path, name);
  out_copy->count = keys->dims[0];
  SLI_RETURN_IF_ERROR(
      read_tensor(restore, shard, "keys", SLI_DTYPE_INT64, out_copy->count, -1, (void **)&out_copy->keys));
  SLI_RETURN_IF_ERROR(
      read_tensor(restore, shard, "steps", SLI_DTYPE_INT32, out_copy->count, -1, (void **)&out_copy->steps));
  SLI_RETURN_IF_ERROR(read_tensor(restore, shard, "values", options->dtype, out_copy->count, options->length,
                                  (void **)&out_copy->values));
  if (restore->has_slots)
    SLI_RETURN_IF_ERROR(read_tensor(restore, shard, "slots", options->dtype, out_copy->count,
                                    options->length * restore->updater->slot_count, (void **)&out_copy->slots));
  void *removed;
  snprintf(name, sizeof(name), "%02d/removed", shard);
  const sli_bundle_entry_t *gone = sli_bundle_reader_find(restore->reader, sli_view(name));
  SLI_RETURN_IF_ERROR(read_tensor(restore, shard, "removed", SLI_DTYPE_INT64, -1, -1, &removed));
  out_copy->removed = removed;
  out_copy->removed_count = gone ? gone->dims[0] : 0;
  if (out_copy->keys && out_copy->steps && out_copy->values) return NULL;
  return sli_status_make(SLI_DATA_LOSS, "%s lacks tensors of part %d.", restore->path, shard);
}

static bool put_row(sli_embedding_rows_t *rows, const copy_t *copy, int64_t i, const sli_updater_t *updater) {
  uint64_t key = copy->keys[i], hash = sli_embedding_hash(key);
  sli_embedding_shard_t *shard = &rows->shards[sli_embedding_shard(hash)];
  sli_mutex_lock(&shard->mutex);
  bool is_new, ok = sli_embedding_row_prepare_slots(rows, shard, updater);
  sli_embedding_row_t *row = ok ? sli_embedding_row_create(rows, shard, hash, key, &is_new) : NULL;
  if (row) {
    size_t slot_bytes = rows->row_bytes * (size_t)updater->slot_count;
    sli_embedding_row_encode(rows, copy->values + (size_t)i * rows->row_bytes, 0, row->values);
    bool has_slots = copy->slots || !slot_bytes;
    row->steps = has_slots ? copy->steps[i] : 0;
    if (copy->slots) memcpy(row->values + rows->stored_bytes, copy->slots + (size_t)i * slot_bytes, slot_bytes);
  }
  sli_mutex_unlock(&shard->mutex);
  return row != NULL;
}

static void remove_rows(sli_embedding_rows_t *rows, const copy_t *copy) {
  for (int64_t i = 0; i < copy->removed_count; i++) {
    uint64_t key = copy->removed[i];
    sli_embedding_shard_t *shard = &rows->shards[sli_embedding_shard(sli_embedding_hash(key))];
    sli_mutex_lock(&shard->mutex);
    sli_embedding_row_remove(rows, shard, key);
    sli_mutex_unlock(&shard->mutex);
  }
}

static sli_status_t *restore_shards(restore_t *restore) {
  for (int s = 0; s < SLI_EMBEDDING_SHARDS; s++) {
    copy_t copy = {0};
    sli_status_t *status = read_shard(restore, s, &copy);
    if (!status) remove_rows(restore->table->rows, &copy);
    for (int64_t i = 0; i < copy.count && !status; i++) {
      if (sli_embedding_task(copy.keys[i], (size_t)restore->parts) != (size_t)restore->part) continue;
      if (!put_row(restore->table->rows, &copy, i, restore->updater))
        status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "Table \"%s\" has no room for the rows of %s.",
                                 restore->table->name, restore->path);
    }
    copy_deinitialize(&copy);
    SLI_RETURN_IF_ERROR(status);
  }
  return NULL;
}

static sli_status_t *read_rule(restore_t *restore) {
  const sli_bundle_entry_t *entry = sli_bundle_reader_find(restore->reader, sli_view("rule"));
  if (!entry) return sli_status_make(SLI_DATA_LOSS, "%s has no tensor rule.", restore->path);
  sli_bundle_strings_t strings = {0};
  SLI_RETURN_IF_ERROR(sli_bundle_reader_read_strings(restore->reader, entry, NULL, &strings));
  restore->has_slots = sli_updater_has_steps(restore->updater) && strings.count == 1 &&
                       sli_view_is(strings.items[0], restore->updater->name);
  sli_bundle_strings_deinitialize(&strings);
  return NULL;
}

static sli_status_t *restore_file(restore_t *restore) {
  SLI_RETURN_IF_ERROR(sli_bundle_reader_open(restore->path, &restore->reader));
  sli_status_t *status = read_rule(restore);
  if (!status) status = restore_shards(restore);
  sli_bundle_reader_release(restore->reader);
  return status;
}

// The number of parts that the rows were saved in; 0: there are none.
static int saved_parts(const sli_embedding_save_place_t *place) {
  for (int parts = 1; parts <= MAX_PARTS; parts++) {
    char *path = file_of(place, 0, parts), *index = sli_format("%s.index", path);
    bool exists = sli_file_exists(index);
    free(path);
    free(index);
    if (exists) return parts;
  }
  return 0;
}

// All rows of one part of the files, then the changes in their order.
static sli_status_t *restore_with_changes(sli_embedding_table_t *table, const sli_embedding_save_place_t *place,
                                          const char *path, const sli_updater_t *updater) {
  for (int changes = 0;; changes++) {
    char *file = file_with_changes(path, changes), *index = sli_format("%s.index", file);
    bool exists = !changes || sli_file_exists(index);
    sli_status_t *status = NULL;
    if (exists)
      status = restore_file(
          &(restore_t){.table = table, .path = file, .part = place->part, .parts = place->parts, .updater = updater});
    free(file);
    free(index);
    if (status || !exists) return status;
  }
}

sli_status_t *sli_embedding_restore(sli_embedding_table_t *table, const sli_embedding_save_place_t *place) {
  int saved = saved_parts(place);
  if (!saved)
    return sli_status_make(
        SLI_NOT_FOUND,
        "Checkpoint %s has no rows of table \"%s\": there is no file %s.rows-%s-00000-of-*.index that "
        "this task can read.",
        place->prefix, place->name, place->prefix, place->name);
  sli_embedding_rows_clear(table->rows);
  sli_updater_shared_t *updater = sli_updater_cell_get(&table->updater);
  sli_status_t *status = NULL;
  for (int i = 0; i < saved && !status; i++) {
    char *path = file_of(place, i, saved);
    status = restore_with_changes(table, place, path, &updater->updater);
    free(path);
  }
  sli_updater_shared_release(updater);
  return status;
}
