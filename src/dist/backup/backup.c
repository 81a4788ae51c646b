// Takes versions. While a version is written, its tensors are frozen: an update of such a variable moves it to other
// memory first, so that all values are those of one moment and no step waits for the disk. What has changed is found by
// hashes of blocks of rows, so that no kernel has to tell.
#include "dist/backup/backup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "core/state/variable.h"
#include "dist/backup/backup_internal.h"
#include "io/checkpoint/bundle.h"
#include "io/file/file.h"
#include "io/file/path.h"

enum { FULL_EVERY = 10, BLOCK_BYTES = 1 << 16, POLL_MILLIS = 10 };

#define DEFAULT_CONTAINER "localhost"

// --- The object ---

sli_backup_t *sli_backup_create(sli_env_t *env, sli_resource_manager_t *resources, const char *task_name) {
  sli_backup_t *backup = sli_calloc(1, sizeof(*backup));
  char job[64] = "";
  int index = 0;
  sscanf(task_name, "/job:%63[^/]/replica:%*d/task:%d", job, &index);
  backup->env = env;
  backup->resources = resources;
  backup->folder = sli_format("%s-%d", job, index);
  backup->last_full = -1;
  sli_event_initialize(&backup->never);
  sli_mutex_initialize(&backup->mutex);
  return backup;
}

static bool try_begin(sli_backup_t *backup) {
  sli_mutex_lock(&backup->mutex);
  bool begins = !backup->is_busy;
  backup->is_busy = true;
  sli_mutex_unlock(&backup->mutex);
  return begins;
}

void sli_backup_begin(sli_backup_t *backup) {
  while (!try_begin(backup))
    backup->env->sleep(backup->env, &backup->never, sli_env_deadline_after_millis(backup->env, POLL_MILLIS));
}

void sli_backup_end(sli_backup_t *backup) {
  sli_mutex_lock(&backup->mutex);
  backup->is_busy = false;
  sli_mutex_unlock(&backup->mutex);
}

static void free_record(void *value) {
  sli_backup_record_t *record = value;
  if (record) free(record->hashes);
  free(record);
}

void sli_backup_forget_records(sli_backup_t *backup) {
  SLI_MAP_FOR_EACH (&backup->records, entry) free_record(entry->value);
  sli_map_deinitialize(&backup->records);
  backup->versions = 0;
}

void sli_backup_destroy(sli_backup_t *backup) {
  if (!backup) return;
  sli_backup_begin(backup);
  sli_backup_forget_records(backup);
  sli_event_deinitialize(&backup->never);
  sli_mutex_deinitialize(&backup->mutex);
  free(backup->directory);
  free(backup->folder);
  free(backup);
}

char *sli_backup_task_directory(const sli_backup_t *backup, const char *directory) {
  return sli_path_join(directory, backup->folder);
}

// --- One version ---

typedef struct {
  char *key;  // in the checkpoint: the variable's name, with its container if that is not the default one
  sli_tensor_t *tensor;
} frozen_t;

typedef struct {
  sli_backup_t *backup;
  char *task_directory;
  int64_t step;
  SLI_ARRAY(frozen_t) variables;
} cut_t;

// What a version has of |tensor|. A small one is copied: an update would move a frozen one to other memory, and a graph
// may have read its value before the update and use it afterwards. The tokens of synchronous training are the global
// step, read that way, as in TensorFlow. Consumes |tensor|.
static sli_tensor_t *share(sli_tensor_t *tensor) {
  enum { SMALL_BYTES = 4096 };
  sli_tensor_t *copy = NULL;
  if (sli_tensor_bytes(tensor) <= SMALL_BYTES) sli_status_release(sli_tensor_clone(tensor, &copy));
  if (!copy) return tensor;
  sli_tensor_release(tensor);
  return copy;
}

static void freeze(void *context, sli_view_t container, sli_view_t name, sli_object_t *object) {
  cut_t *cut = context;
  if (object->type != &sli_variable_type) return;
  sli_tensor_t *tensor = sli_variable_read((sli_variable_t *)object);
  if (!tensor) return;
  if (!sli_dtype_is_plain((sli_dtype_t)tensor->dtype)) {
    if (!cut->backup->has_warned) SLI_WARNING("'%.*s' holds no numbers: it is not backed up", SLI_VIEW_ARG(name));
    cut->backup->has_warned = true;
    sli_tensor_release(tensor);
    return;
  }
  bool is_default = sli_view_is(container, DEFAULT_CONTAINER);
  char *key = is_default ? sli_strndup(name.data, name.size)
                         : sli_format("%.*s//%.*s", SLI_VIEW_ARG(container), SLI_VIEW_ARG(name));
  tensor = share(tensor);
  sli_tensor_freeze(tensor);
  sli_array_push(&cut->variables, ((frozen_t){key, tensor}));
}

static void thaw(frozen_t *frozen) {
  if (frozen->tensor) sli_tensor_thaw(frozen->tensor);
  sli_tensor_release(frozen->tensor);
  frozen->tensor = NULL;
}

static void cut_release(cut_t *cut) {
  for (size_t i = 0; i < cut->variables.count; i++) {
    thaw(&cut->variables.items[i]);
    free(cut->variables.items[i].key);
  }
  sli_array_deinitialize(&cut->variables);
  free(cut->task_directory);
  free(cut);
}

// --- What has changed ---

static uint64_t hash_bytes(const char *bytes, size_t size) {
  const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t lanes[4] = {1, 2, 3, 4};
  size_t i = 0;
  for (; i + 32 <= size; i += 32) {
    uint64_t words[4];
    memcpy(words, bytes + i, sizeof(words));
    for (int k = 0; k < 4; k++) {
      lanes[k] = (lanes[k] ^ words[k]) * factor;
      lanes[k] ^= lanes[k] >> 29;
    }
  }
  uint64_t hash = size;
  for (int k = 0; k < 4; k++) hash = (hash ^ lanes[k]) * factor ^ (hash >> 31);
  for (; i < size; i++) hash = (hash ^ (unsigned char)bytes[i]) * factor;
  return hash ^ (hash >> 32);
}

static size_t row_bytes(const sli_tensor_t *tensor) {
  return tensor->rank && tensor->dims[0] ? sli_tensor_bytes(tensor) / (size_t)tensor->dims[0] : 0;
}

// Rows in a block: one if they are large, all for a scalar.
static int64_t block_rows(const sli_tensor_t *tensor) {
  size_t row = row_bytes(tensor);
  if (!row) return 1;
  return row < BLOCK_BYTES ? (int64_t)(BLOCK_BYTES / row) : 1;
}

static size_t count_blocks(const sli_tensor_t *tensor) {
  if (!row_bytes(tensor)) return 1;
  int64_t rows = block_rows(tensor);
  return (size_t)((tensor->dims[0] + rows - 1) / rows);
}

static bool is_same_kind(const sli_backup_record_t *record, const sli_tensor_t *tensor) {
  return record->dtype == (sli_dtype_t)tensor->dtype && record->rank == tensor->rank &&
         memcmp(record->dims, tensor->dims, tensor->rank * sizeof(int64_t)) == 0;
}

static sli_backup_record_t *make_record(const sli_tensor_t *tensor) {
  sli_backup_record_t *record = sli_calloc(1, sizeof(*record));
  record->dtype = (sli_dtype_t)tensor->dtype;
  record->rank = tensor->rank;
  memcpy(record->dims, tensor->dims, tensor->rank * sizeof(int64_t));
  record->block_count = count_blocks(tensor);
  record->hashes = sli_calloc(record->block_count, sizeof(*record->hashes));
  return record;
}

static sli_bundle_tensor_t whole(const sli_tensor_t *tensor) {
  return (sli_bundle_tensor_t){.dtype = tensor->dtype,
                               .rank = tensor->rank,
                               .dims = tensor->dims,
                               .data = tensor->data,
                               .size = sli_tensor_bytes(tensor)};
}

static sli_status_t *write_rows(sli_bundle_writer_t *writer, const frozen_t *frozen, int64_t first, int64_t end) {
  const sli_tensor_t *tensor = frozen->tensor;
  sli_tensor_slice_extent_t slice[SLI_MAX_RANK];
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < tensor->rank; i++) {
    dims[i] = i ? tensor->dims[i] : end - first;
    slice[i] =
        i ? (sli_tensor_slice_extent_t){0, SLI_TENSOR_SLICE_ALL} : (sli_tensor_slice_extent_t){first, end - first};
  }
  size_t row = row_bytes(tensor);
  sli_bundle_tensor_t rows = {.dtype = tensor->dtype,
                              .rank = tensor->rank,
                              .dims = dims,
                              .data = (const char *)tensor->data + (size_t)first * row,
                              .size = (size_t)(end - first) * row};
  return sli_bundle_writer_add_slice(writer, sli_view(frozen->key), tensor->dims, slice, &rows);
}

// Updates the hashes and lists which blocks have changed. Returns how many.
static size_t compare_blocks(sli_backup_record_t *record, const sli_tensor_t *tensor, bool *changed) {
  size_t row = row_bytes(tensor), block = (size_t)block_rows(tensor) * row, size = sli_tensor_bytes(tensor), count = 0;
  if (!row) block = size;
  for (size_t i = 0; i < record->block_count; i++) {
    size_t begin = i * block, end = begin + block < size ? begin + block : size;
    uint64_t hash = hash_bytes((const char *)tensor->data + begin, end - begin);
    changed[i] = hash != record->hashes[i];
    record->hashes[i] = hash;
    count += changed[i];
  }
  return count;
}

static sli_status_t *write_variable(sli_backup_t *backup, sli_bundle_writer_t *writer, const frozen_t *frozen,
                                    bool is_full) {
  const sli_tensor_t *tensor = frozen->tensor;
  sli_view_t key = sli_view(frozen->key);
  sli_backup_record_t *record = sli_map_get(&backup->records, key);
  bool is_new = !record || !is_same_kind(record, tensor);
  if (is_new) {
    free_record(record);
    record = make_record(tensor);
    sli_map_set(&backup->records, key, record);
  }
  bool *changed = sli_calloc(record->block_count, sizeof(*changed));
  size_t count = compare_blocks(record, tensor, changed);
  sli_status_t *status = NULL;
  int64_t rows = block_rows(tensor);
  bool writes_all = is_full || is_new || (count > 0 && count == record->block_count);
  if (writes_all) {
    sli_bundle_tensor_t all = whole(tensor);
    status = sli_bundle_writer_add(writer, key, &all);
  }
  for (size_t i = 0; !writes_all && !status && i < record->block_count; i++) {
    if (!changed[i]) continue;
    size_t end = i;
    while (end < record->block_count && changed[end]) end++;
    int64_t last = (int64_t)end * rows;
    status = write_rows(writer, frozen, (int64_t)i * rows, last < tensor->dims[0] ? last : tensor->dims[0]);
    i = end;
  }
  free(changed);
  return status;
}

// --- Writing ---

static sli_status_t *write_files(cut_t *cut, bool is_full) {
  sli_backup_t *backup = cut->backup;
  char *prefix = sli_backup_prefix(cut->task_directory, (sli_backup_version_t){cut->step, is_full});
  sli_bundle_writer_t *writer = NULL;
  sli_status_t *status = sli_bundle_writer_create(prefix, &writer);
  sli_bundle_tensor_t previous = {
      .dtype = SLI_DTYPE_INT64, .data = &backup->previous, .size = sizeof(backup->previous)};
  if (!status && !is_full) status = sli_bundle_writer_add(writer, sli_view(SLI_BACKUP_PREVIOUS), &previous);
  for (size_t i = 0; !status && i < cut->variables.count; i++) {
    status = write_variable(backup, writer, &cut->variables.items[i], is_full);
    thaw(&cut->variables.items[i]);
  }
  if (!status) status = sli_bundle_writer_finish(writer);
  sli_bundle_writer_release(writer);
  free(prefix);
  return status;
}

// Deletes all versions. By whoever has set |is_busy|.
static void delete_versions(sli_backup_t *backup) {
  sli_mutex_lock(&backup->mutex);
  char *directory = backup->directory;
  backup->directory = NULL;
  sli_mutex_unlock(&backup->mutex);
  sli_backup_forget_records(backup);
  if (!directory) return;
  char *task_directory = sli_backup_task_directory(backup, directory);
  sli_backup_delete_outside(task_directory, 0, -1);
  sli_status_release(sli_file_delete_directory(task_directory));
  sli_status_release(sli_file_delete_directory(directory));  // fails while other tasks have versions there
  free(task_directory);
  free(directory);
}

void sli_backup_forget(sli_backup_t *backup) {
  sli_mutex_lock(&backup->mutex);
  backup->is_over = true;
  sli_mutex_unlock(&backup->mutex);
  if (!try_begin(backup)) return;
  delete_versions(backup);
  sli_backup_end(backup);
}

// After a full version those before the last full one are not needed any more. The last one is kept, because other
// tasks may not have this version yet.
static void write_version(void *context) {
  cut_t *cut = context;
  sli_backup_t *backup = cut->backup;
  bool is_full = backup->versions == 0;
  if (is_full) {
    sli_backup_versions_t none = {0};
    sli_status_release(sli_backup_find_versions(cut->task_directory, true, &none));
    sli_array_deinitialize(&none);
  }
  sli_status_t *status = write_files(cut, is_full);
  if (!status) {
    backup->previous = cut->step;
    backup->versions = (backup->versions + 1) % FULL_EVERY;
    if (is_full && backup->last_full >= 0) sli_backup_delete_outside(cut->task_directory, backup->last_full, INT64_MAX);
    if (is_full) backup->last_full = cut->step;
  } else {
    SLI_WARNING("The backup of global step %lld cannot be written: %s", (long long)cut->step,
                sli_status_message(status));
    sli_backup_forget_records(backup);
  }
  sli_status_release(status);
  cut_release(cut);
  sli_mutex_lock(&backup->mutex);
  bool is_over = backup->is_over;
  sli_mutex_unlock(&backup->mutex);
  if (is_over) delete_versions(backup);
  sli_backup_end(backup);
}

bool sli_backup_cut(sli_backup_t *backup, const char *directory, int64_t step) {
  if (!try_begin(backup)) return false;
  sli_mutex_lock(&backup->mutex);
  bool moved = !backup->directory || strcmp(backup->directory, directory) != 0;
  if (moved) {
    free(backup->directory);
    backup->directory = sli_strdup(directory);
  }
  sli_mutex_unlock(&backup->mutex);
  if (moved) {
    sli_backup_forget_records(backup);
    backup->last_full = -1;
  }
  if (backup->versions && step == backup->previous) {  // there is a version of this step
    sli_backup_end(backup);
    return true;
  }
  cut_t *cut = sli_calloc(1, sizeof(*cut));
  cut->backup = backup;
  cut->task_directory = sli_backup_task_directory(backup, directory);
  cut->step = step;
  sli_resource_for_each(backup->resources, freeze, cut);
  sli_thread_pool_submit_blocking(backup->env->pool, write_version, cut);
  return true;
}
