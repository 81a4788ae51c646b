// Sharded saves: each task writes its own bundle, then one task merges all of them. No tensor is copied: data files are
// renamed and indices merged.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "io/checkpoint/bundle_internal.h"
#include "io/file/path.h"

typedef struct {
  sli_bundle_index_t index;
  sli_map_t names;               // key -> position in the index + 1
  sli_map_t shard_ids;           // old data file -> new shard + 1
  SLI_ARRAY(char *) data_files;  // by new shard; keys of |shard_ids| in order
  sli_path_list_t unused_files;  // data files of bundles without tensors
} merge_t;

static void merge_deinitialize(merge_t *merge) {
  sli_bundle_index_deinitialize(&merge->index);
  sli_map_deinitialize(&merge->names);
  sli_map_deinitialize(&merge->shard_ids);
  for (size_t i = 0; i < merge->data_files.count; i++) free(merge->data_files.items[i]);
  sli_array_deinitialize(&merge->data_files);
  sli_path_list_deinitialize(&merge->unused_files);
}

// The new shard number of the data file of |entry| of |prefix|.
static int new_shard(merge_t *merge, const char *prefix, int shard, int num_shards) {
  char *path = sli_bundle_data_path(prefix, shard, num_shards);
  uintptr_t id = (uintptr_t)sli_map_get(&merge->shard_ids, sli_view(path));
  if (id) {
    free(path);
    return (int)(id - 1);
  }
  sli_array_push(&merge->data_files, path);
  sli_map_set(&merge->shard_ids, sli_view(path), (void *)(uintptr_t)merge->data_files.count);
  return (int)merge->data_files.count - 1;
}

static sli_status_t *join_slices(sli_bundle_entry_t *to, const sli_bundle_entry_t *from, const char *prefix) {
  if (to->slice_count == 0 || from->slice_count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Duplicate tensor keyed by %.*s encountered, when merging prefix: %s",
                           SLI_VIEW_ARG(from->name), prefix);
  if (to->dtype != from->dtype || to->rank != from->rank ||
      memcmp(to->dims, from->dims, (size_t)to->rank * sizeof(*to->dims)) != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Slices of %.*s differ in data type or shape, when merging prefix: %s",
                           SLI_VIEW_ARG(from->name), prefix);
  for (size_t i = 0; i < from->slice_count; i++) sli_bundle_entry_add_slice(to, from->slices + i * (size_t)from->rank);
  return NULL;
}

static sli_status_t *add_bundle(merge_t *merge, const char *prefix, bool is_first) {
  sli_bundle_index_t index;
  SLI_RETURN_IF_ERROR(sli_bundle_index_read(prefix, &index));
  sli_status_t *status = NULL;
  if (is_first) merge->index.header = index.header;
  if (index.header.producer != merge->index.header.producer ||
      index.header.min_consumer != merge->index.header.min_consumer)
    status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Merging bundles with different format versions: merged %d vs. curr %d",
                        merge->index.header.producer, index.header.producer);
  size_t before = merge->data_files.count;
  for (size_t i = 0; !status && i < index.count; i++) {
    sli_bundle_entry_t *entry = &index.items[i];
    uintptr_t place = (uintptr_t)sli_map_get(&merge->names, entry->name);
    if (place) {
      status = join_slices(&merge->index.items[place - 1], entry, prefix);
      continue;
    }
    entry->shard = new_shard(merge, prefix, entry->shard, index.header.num_shards);
    sli_map_set(&merge->names, entry->name, (void *)(uintptr_t)(merge->index.count + 1));
    sli_array_push(&merge->index, *entry);
    *entry = (sli_bundle_entry_t){0};
  }
  if (!status && merge->data_files.count == before && index.header.num_shards == 1)
    sli_array_push(&merge->unused_files, sli_bundle_data_path(prefix, 0, 1));
  sli_bundle_index_deinitialize(&index);
  return status;
}

// Files that remain do no harm, so failures are ignored.
static void clean_up(merge_t *merge, const char *const *prefixes, size_t count, const char *merged_prefix) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(prefixes[i], merged_prefix) == 0) continue;
    char *path = sli_bundle_index_path(prefixes[i]);
    sli_status_release(sli_file_delete(path));
    free(path);
  }
  for (size_t i = 0; i < merge->unused_files.count; i++)
    sli_status_release(sli_file_delete(merge->unused_files.items[i]));
}

sli_status_t *sli_bundle_merge(const char *const *prefixes, size_t count, const char *merged_prefix) {
  merge_t merge = {0};
  sli_status_t *status = NULL;
  char *directory = sli_path_directory(merged_prefix);
  if (count == 0) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "no checkpoints to merge into %s", merged_prefix);
    goto cleanup;
  }
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_make_directories(directory));
  for (size_t i = 0; i < count; i++) SLI_GOTO_IF_ERROR(status, cleanup, add_bundle(&merge, prefixes[i], i == 0));
  SLI_GOTO_IF_ERROR(
      status, cleanup,
      sli_bundle_publish(merged_prefix, &merge.index, merge.data_files.items, (int)merge.data_files.count));
  clean_up(&merge, prefixes, count, merged_prefix);
cleanup:
  merge_deinitialize(&merge);
  free(directory);
  return status;
}
