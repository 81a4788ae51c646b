// How a bundle comes to be seen. The index names its data files only by the
// number of shards, so a bundle that is saved again under its prefix would tear
// the old one apart: old index, new data. Such a bundle first takes the names
// of one shard more, to which the index then switches at once; after that the
// usual names are free, and it takes those in the same way.
//
// Whenever the process ends, the prefix has its old bundle or its new one.
#include <stdlib.h>

#include "base/alloc.h"
#include "io/atomic_file.h"
#include "io/bundle_internal.h"
#include "io/path.h"

typedef struct {
  const char *prefix;
  char *directory;
  sli_bundle_index_t *index;
  int count;  // data files
} publish_t;

// Gives |*from| the name |to|; with |keep| it also keeps the one that it has.
static sli_status_t *rename_data(const char *from, const char *to, bool keep) {
  if (!keep) return sli_file_rename(from, to);
  char *second = sli_format("%s.tempstate", to);
  sli_status_release(sli_file_delete(second));  // left by a process that was killed
  sli_status_t *status = sli_file_link(from, second);
  if (!status) {
    status = sli_file_rename(second, to);
    if (status) sli_status_release(sli_file_delete(second));
  }
  free(second);
  return status;
}

static void delete_data(const publish_t *p, int num_shards, int count) {
  for (int shard = 0; shard < count; shard++) {
    char *path = sli_bundle_data_path(p->prefix, shard, num_shards);
    sli_status_release(sli_file_delete(path));
    free(path);
  }
}

static bool is_among(const char *path, char *const *paths, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(path, paths[i]) == 0) return true;
  return false;
}

// Whether a bundle of |num_shards| has one of |files| where it shall lie.
static bool is_in_place(const publish_t *p, int num_shards, char *const *files) {
  bool found = false;
  for (int shard = 0; shard < p->count && !found; shard++) {
    char *path = sli_bundle_data_path(p->prefix, shard, num_shards);
    found = is_among(path, files, p->count);
    free(path);
  }
  return found;
}

// Renames |files| to the names of |num_shards|, which no index has, and switches to an index that has them.
static sli_status_t *switch_to(const publish_t *p, int num_shards, char *const *files, bool keep) {
  sli_atomic_file_t *index = NULL;
  sli_status_t *status = NULL;
  char *path = sli_bundle_index_path(p->prefix);
  p->index->header.num_shards = num_shards;
  SLI_GOTO_IF_ERROR(status, cleanup, sli_atomic_file_create(path, &index));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_bundle_index_write(sli_atomic_file_writer(index), p->index));
  // After this only names change, for which there is room on a full disk.
  SLI_GOTO_IF_ERROR(status, cleanup, sli_atomic_file_prepare(index));
  for (int shard = 0; shard < p->count && !status; shard++) {
    char *to = sli_bundle_data_path(p->prefix, shard, num_shards);
    status = rename_data(files[shard], to, keep);
    free(to);
  }
  if (!status) status = sli_file_sync_directory(p->directory);
  if (status) {
    if (keep || !is_in_place(p, num_shards, files)) delete_data(p, num_shards, p->count);
    goto cleanup;
  }
  SLI_GOTO_IF_ERROR(status, cleanup, sli_atomic_file_commit(index));
cleanup:
  sli_atomic_file_release(index);
  free(path);
  return status;
}

// From the names of |num_shards| to the usual ones. Without luck the bundle stays where it is, and is whole.
static void settle(const publish_t *p, int num_shards) {
  char **files = sli_calloc((size_t)p->count + 1, sizeof(*files));
  for (int shard = 0; shard < p->count; shard++) files[shard] = sli_bundle_data_path(p->prefix, shard, num_shards);
  sli_status_t *status = switch_to(p, num_shards - 1, files, true);
  if (!status) delete_data(p, num_shards, p->count);
  sli_status_release(status);
  for (int shard = 0; shard < p->count; shard++) free(files[shard]);
  free(files);
}

// The number of shards of the bundle that has the prefix; 0 if there is none that can be read.
static int shards_there(const char *prefix) {
  sli_bundle_index_t index;
  sli_status_t *status = sli_bundle_index_read(prefix, &index);
  int count = status ? 0 : index.header.num_shards;
  if (!status) sli_bundle_index_deinitialize(&index);
  sli_status_release(status);
  return count;
}

sli_status_t *sli_bundle_publish(const char *prefix, sli_bundle_index_t *index, char *const *files, int count) {
  publish_t p = {.prefix = prefix, .directory = sli_path_directory(prefix), .index = index, .count = count};
  int usual = count ? count : 1, old = shards_there(prefix);
  int chosen = old == usual && !is_in_place(&p, usual, files) ? usual + 1 : usual;
  sli_status_t *status = switch_to(&p, chosen, files, false);
  if (!status) {
    if (old != chosen) delete_data(&p, old, old);
    if (chosen != usual) settle(&p, chosen);
  }
  free(p.directory);
  return status;
}
