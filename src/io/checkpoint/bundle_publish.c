// Publishes a bundle under its prefix. The names of data files contain only shard number and number of shards. If a
// bundle were saved again directly under the same prefix, the old index would refer to new data for a moment. So the
// new data files first get the names of a bundle with one shard more, and the new index replaces the old one
// atomically. Then the usual names are free, and the bundle moves to those in the same way.
//
// Whenever the process ends, the prefix has either its old or its new bundle.
#include <stdlib.h>

#include "base/alloc.h"
#include "io/checkpoint/bundle_internal.h"
#include "io/file/atomic_file.h"
#include "io/file/path.h"

typedef struct {
  const char *prefix;
  char *directory;
  sli_bundle_index_t *index;
  int count;  // data files
} publish_t;

// Renames |from| to |to|; with |keep| it also keeps the old name.
static sli_status_t *rename_data(const char *from, const char *to, bool keep) {
  if (!keep) return sli_file_rename(from, to);
  char *second = sli_format("%s.tempstate", to);
  sli_status_release(sli_file_delete(second));  // left by a killed process
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

// Whether one of |files| already has the name that it would get in a bundle of |num_shards|.
static bool uses_target_names(const publish_t *p, int num_shards, char *const *files) {
  bool found = false;
  for (int shard = 0; shard < p->count && !found; shard++) {
    char *path = sli_bundle_data_path(p->prefix, shard, num_shards);
    found = is_among(path, files, p->count);
    free(path);
  }
  return found;
}

// Renames |files| to the names for |num_shards|, which no index uses, and replaces the index.
static sli_status_t *switch_to(const publish_t *p, int num_shards, char *const *files, bool keep) {
  sli_atomic_file_t *index = NULL;
  sli_status_t *status = NULL;
  char *path = sli_bundle_index_path(p->prefix);
  p->index->header.num_shards = num_shards;
  SLI_GOTO_IF_ERROR(status, cleanup, sli_atomic_file_create(path, &index));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_bundle_index_write(sli_atomic_file_writer(index), p->index));
  // After this only names change, which also works on a full disk.
  SLI_GOTO_IF_ERROR(status, cleanup, sli_atomic_file_prepare(index));
  for (int shard = 0; shard < p->count && !status; shard++) {
    char *to = sli_bundle_data_path(p->prefix, shard, num_shards);
    status = rename_data(files[shard], to, keep);
    free(to);
  }
  if (!status) status = sli_file_sync_directory(p->directory);
  if (status) {
    if (keep || !uses_target_names(p, num_shards, files)) delete_data(p, num_shards, p->count);
    goto cleanup;
  }
  SLI_GOTO_IF_ERROR(status, cleanup, sli_atomic_file_commit(index));
cleanup:
  sli_atomic_file_release(index);
  free(path);
  return status;
}

// Moves the bundle from the names for |num_shards| to the usual ones. On failure it stays where it is and is complete.
static void move_to_usual_names(const publish_t *p, int num_shards) {
  char **files = sli_calloc((size_t)p->count + 1, sizeof(*files));
  for (int shard = 0; shard < p->count; shard++) files[shard] = sli_bundle_data_path(p->prefix, shard, num_shards);
  sli_status_t *status = switch_to(p, num_shards - 1, files, true);
  if (!status) delete_data(p, num_shards, p->count);
  sli_status_release(status);
  for (int shard = 0; shard < p->count; shard++) free(files[shard]);
  free(files);
}

// The number of shards of the existing bundle |prefix|; 0 if there is none that can be read.
static int count_shards(const char *prefix) {
  sli_bundle_index_t index;
  sli_status_t *status = sli_bundle_index_read(prefix, &index);
  int count = status ? 0 : index.header.num_shards;
  if (!status) sli_bundle_index_deinitialize(&index);
  sli_status_release(status);
  return count;
}

sli_status_t *sli_bundle_publish(const char *prefix, sli_bundle_index_t *index, char *const *files, int count) {
  publish_t p = {.prefix = prefix, .directory = sli_path_directory(prefix), .index = index, .count = count};
  int usual = count ? count : 1, old = count_shards(prefix);
  int chosen = old == usual && !uses_target_names(&p, usual, files) ? usual + 1 : usual;
  sli_status_t *status = switch_to(&p, chosen, files, false);
  if (!status) {
    if (old != chosen) delete_data(&p, old, old);
    if (chosen != usual) move_to_usual_names(&p, chosen);
  }
  free(p.directory);
  return status;
}
