// The versions of a task on disk, and reading one back: the last full version before it, then each delta up to it. A
// delta names the version that it follows, so that a chain with a gap is not restored.
#include <inttypes.h>
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

// --- Files ---

static const char *kind_name(bool is_full) { return is_full ? "full" : "delta"; }

char *sli_backup_prefix(const char *task_directory, sli_backup_version_t version) {
  char *name = sli_format("%s-%020" PRId64, kind_name(version.is_full), version.step);
  char *prefix = sli_path_join(task_directory, name);
  free(name);
  return prefix;
}

// Reads "full-00000000000000000012" before the first dot; false if |name| is no file of a version.
static bool parse_name(const char *name, sli_backup_version_t *out_version) {
  char kind[8] = "";
  if (sscanf(name, "%7[a-z]-%20" SCNd64, kind, &out_version->step) != 2 || out_version->step < 0) return false;
  out_version->is_full = strcmp(kind, kind_name(true)) == 0;
  return out_version->is_full || strcmp(kind, kind_name(false)) == 0;
}

static int by_step(const void *one, const void *other) {
  const sli_backup_version_t *a = one, *b = other;
  if (a->step != b->step) return a->step < b->step ? -1 : 1;
  return a->is_full - b->is_full;
}

sli_status_t *sli_backup_find_versions(const char *task_directory, bool cleans, sli_backup_versions_t *out_versions) {
  sli_path_list_t names = {0};
  sli_status_t *status = sli_file_list(task_directory, &names);
  if (sli_status_code(status) == SLI_NOT_FOUND) {
    sli_status_release(status);
    status = NULL;
  }
  for (size_t i = 0; !status && i < names.count; i++) {
    sli_backup_version_t version;
    bool is_known = parse_name(names.items[i], &version);
    char *prefix = is_known ? sli_backup_prefix(task_directory, version) : NULL;
    char *index = is_known ? sli_format("%s.index", prefix) : NULL;
    char *path = sli_path_join(task_directory, names.items[i]);
    if (is_known && strcmp(index, path) == 0)
      sli_array_push(out_versions, version);
    else if (cleans && (!is_known || !sli_file_exists(index)))
      sli_status_release(sli_file_delete(path));
    free(path);
    free(index);
    free(prefix);
  }
  if (out_versions->count) qsort(out_versions->items, out_versions->count, sizeof(*out_versions->items), by_step);
  sli_path_list_deinitialize(&names);
  return status;
}

void sli_backup_delete_outside(const char *task_directory, int64_t first, int64_t last) {
  sli_path_list_t names = {0};
  sli_status_release(sli_file_list(task_directory, &names));
  for (size_t i = 0; i < names.count; i++) {
    sli_backup_version_t version;
    if (!parse_name(names.items[i], &version) || (version.step >= first && version.step <= last)) continue;
    char *path = sli_path_join(task_directory, names.items[i]);
    sli_status_release(sli_file_delete(path));
    free(path);
  }
  sli_path_list_deinitialize(&names);
}

sli_status_t *sli_backup_list(sli_backup_t *backup, const char *directory, sli_backup_steps_t *out_steps) {
  char *task_directory = sli_backup_task_directory(backup, directory);
  sli_backup_versions_t versions = {0};
  sli_status_t *status = sli_backup_find_versions(task_directory, false, &versions);
  bool has_full = false;
  for (size_t i = 0; i < versions.count; i++) {
    int64_t step = versions.items[i].step;
    has_full = has_full || versions.items[i].is_full;
    bool is_listed = out_steps->count && out_steps->items[out_steps->count - 1] == step;
    if (has_full && !is_listed) sli_array_push(out_steps, step);
  }
  sli_array_deinitialize(&versions);
  free(task_directory);
  return status;
}

// --- Reading ---

static size_t element_rows_bytes(const sli_bundle_entry_t *entry, size_t bytes) {
  return entry->rank && entry->dims[0] ? bytes / (size_t)entry->dims[0] : bytes;
}

static sli_status_t *read_whole(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry, sli_map_t *tensors) {
  sli_tensor_t *tensor = NULL;
  if (!sli_dtype_is_plain((sli_dtype_t)entry->dtype))
    return sli_status_make(SLI_DATA_LOSS, "'%.*s' has type %d, which a backup does not hold", SLI_VIEW_ARG(entry->name),
                           entry->dtype);
  SLI_RETURN_IF_ERROR(
      sli_tensor_create(sli_allocator_cpu(), (sli_dtype_t)entry->dtype, entry->dims, entry->rank, &tensor));
  sli_status_t *status = sli_bundle_reader_read(reader, entry, NULL, tensor->data, sli_tensor_bytes(tensor));
  if (status)
    sli_tensor_release(tensor);
  else
    sli_tensor_release(sli_map_set(tensors, entry->name, tensor));
  return status;
}

// The stored slices are runs of whole rows.
static sli_status_t *read_rows(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry, sli_map_t *tensors) {
  sli_tensor_t *tensor = sli_map_get(tensors, entry->name);
  bool fits = tensor && tensor->rank == entry->rank && tensor->dtype == entry->dtype && entry->rank > 0 &&
              memcmp(tensor->dims, entry->dims, (size_t)entry->rank * sizeof(int64_t)) == 0;
  if (!fits)
    return sli_status_make(SLI_DATA_LOSS, "the version before has no '%.*s' of this shape", SLI_VIEW_ARG(entry->name));
  size_t row = element_rows_bytes(entry, sli_tensor_bytes(tensor));
  for (size_t i = 0; i < entry->slice_count; i++) {
    const sli_tensor_slice_extent_t *slice = &entry->slices[i * (size_t)entry->rank];
    SLI_RETURN_IF_ERROR(sli_bundle_reader_read(
        reader, entry, slice, (char *)tensor->data + (size_t)slice[0].start * row, (size_t)slice[0].length * row));
  }
  return NULL;
}

static sli_status_t *check_link(sli_bundle_reader_t *reader, int64_t previous) {
  const sli_bundle_entry_t *link = sli_bundle_reader_find(reader, sli_view(SLI_BACKUP_PREVIOUS));
  int64_t follows = -1;
  if (link && link->dtype == SLI_DTYPE_INT64 && link->rank == 0 && !link->slice_count)
    SLI_RETURN_IF_ERROR(sli_bundle_reader_read(reader, link, NULL, &follows, sizeof(follows)));
  if (follows == previous) return NULL;
  return sli_status_make(SLI_DATA_LOSS, "it follows global step %lld, but the version before is of %lld",
                         (long long)follows, (long long)previous);
}

static sli_status_t *read_version(const char *task_directory, sli_backup_version_t version, int64_t previous,
                                  sli_map_t *tensors) {
  char *prefix = sli_backup_prefix(task_directory, version);
  sli_bundle_reader_t *reader = NULL;
  sli_status_t *status = sli_bundle_reader_open(prefix, &reader);
  if (!status && !version.is_full) status = check_link(reader, previous);
  for (size_t i = 0; !status && i < sli_bundle_reader_count(reader); i++) {
    const sli_bundle_entry_t *entry = sli_bundle_reader_at(reader, i);
    if (sli_view_is(entry->name, SLI_BACKUP_PREVIOUS)) continue;
    status = entry->slice_count ? read_rows(reader, entry, tensors) : read_whole(reader, entry, tensors);
  }
  sli_bundle_reader_release(reader);
  status = sli_status_prefix(status, "backup %s: ", prefix);
  free(prefix);
  return status;
}

static sli_status_t *read_chain(const char *task_directory, int64_t step, sli_map_t *tensors) {
  sli_backup_versions_t versions = {0};
  sli_status_t *status = sli_backup_find_versions(task_directory, false, &versions);
  size_t first = versions.count, end = 0;
  for (size_t i = 0; i < versions.count && versions.items[i].step <= step; i++) {
    if (versions.items[i].is_full) first = i;
    end = i + 1;
  }
  if (!status && (first >= end || versions.items[end - 1].step != step))
    status = sli_status_make(SLI_NOT_FOUND, "%s has no backup of global step %lld", task_directory, (long long)step);
  for (size_t i = first; !status && i < end; i++)
    status = read_version(task_directory, versions.items[i], i > first ? versions.items[i - 1].step : -1, tensors);
  sli_array_deinitialize(&versions);
  return status;
}

// --- Restoring ---

static sli_status_t *make_variable(void *context, void **out_object) {
  const sli_map_entry_t *entry = context;
  const sli_tensor_t *tensor = entry->value;
  *out_object = sli_variable_create((sli_dtype_t)tensor->dtype, sli_view_of(entry->key, entry->key_size),
                                    sli_tensor_shape(tensor));
  return NULL;
}

// Gives the variable the value of |entry|, which it takes.
static sli_status_t *set_variable(sli_backup_t *backup, sli_map_entry_t *entry) {
  const char *separator = strstr(entry->key, "//");
  sli_view_t container = separator ? sli_view_of(entry->key, (size_t)(separator - entry->key)) : sli_view("");
  sli_view_t name = sli_view(separator ? separator + 2 : entry->key);
  sli_variable_t *variable = NULL;
  SLI_RETURN_IF_ERROR(sli_resource_find_or_create(backup->resources, container, &sli_variable_type, name, make_variable,
                                                  entry, (void **)&variable));
  sli_variable_replace(variable, entry->value);
  entry->value = NULL;
  sli_variable_release(variable);
  return NULL;
}

sli_status_t *sli_backup_restore(sli_backup_t *backup, const char *directory, int64_t step) {
  sli_backup_begin(backup);
  char *task_directory = sli_backup_task_directory(backup, directory);
  sli_map_t tensors = {0};
  sli_status_t *status = read_chain(task_directory, step, &tensors);
  SLI_MAP_FOR_EACH (&tensors, entry) {
    if (!status) status = set_variable(backup, entry);
    sli_tensor_release(entry->value);
  }
  if (!status) {
    SLI_INFO("Restored %zu variables from the backup of global step %lld in %s", tensors.count, (long long)step,
             task_directory);
    sli_backup_delete_outside(task_directory, 0, step);
    sli_backup_forget_records(backup);
    backup->last_full = -1;
    sli_mutex_lock(&backup->mutex);
    free(backup->directory);
    backup->directory = sli_strdup(directory);
    sli_mutex_unlock(&backup->mutex);
  }
  sli_map_deinitialize(&tensors);
  free(task_directory);
  sli_backup_end(backup);
  return status;
}
