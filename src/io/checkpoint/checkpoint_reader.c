#include "io/checkpoint/checkpoint_reader.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "io/checkpoint/checkpoint_v1_internal.h"
#include "io/checkpoint/table_internal.h"

// One of the two is NULL.
struct sli_checkpoint_reader {
  sli_bundle_reader_t *bundle;
  sli_checkpoint_v1_t *v1;
};

sli_status_t *sli_checkpoint_reader_open(const char *prefix, sli_checkpoint_reader_t **out_reader) {
  *out_reader = NULL;
  sli_checkpoint_reader_t *reader = sli_calloc(1, sizeof(*reader));
  char *index = sli_bundle_index_path(prefix);
  sli_status_t *status = sli_file_exists(index) ? sli_bundle_reader_open(prefix, &reader->bundle)
                                                : sli_checkpoint_v1_open(prefix, &reader->v1);
  free(index);
  if (status) {
    free(reader);
    return status;
  }
  *out_reader = reader;
  return NULL;
}

void sli_checkpoint_reader_release(sli_checkpoint_reader_t *reader) {
  if (!reader) return;
  sli_bundle_reader_release(reader->bundle);
  sli_checkpoint_v1_release(reader->v1);
  free(reader);
}

size_t sli_checkpoint_reader_count(const sli_checkpoint_reader_t *reader) {
  if (reader->bundle) return sli_bundle_reader_count(reader->bundle);
  size_t count;
  sli_checkpoint_v1_entries(reader->v1, &count);
  return count;
}

const sli_bundle_entry_t *sli_checkpoint_reader_at(const sli_checkpoint_reader_t *reader, size_t i) {
  size_t count;
  return reader->bundle ? sli_bundle_reader_at(reader->bundle, i) : &sli_checkpoint_v1_entries(reader->v1, &count)[i];
}

static int compare_name(const void *name, const void *entry) {
  return sli_table_compare(*(const sli_view_t *)name, ((const sli_bundle_entry_t *)entry)->name);
}

const sli_bundle_entry_t *sli_checkpoint_reader_find(const sli_checkpoint_reader_t *reader, sli_view_t name) {
  if (reader->bundle) return sli_bundle_reader_find(reader->bundle, name);
  size_t count;
  const sli_bundle_entry_t *entries = sli_checkpoint_v1_entries(reader->v1, &count);
  return count ? bsearch(&name, entries, count, sizeof(*entries), compare_name) : NULL;
}

sli_status_t *sli_checkpoint_reader_lookup(const sli_checkpoint_reader_t *reader, sli_view_t name,
                                           const sli_bundle_entry_t **out_entry) {
  *out_entry = sli_checkpoint_reader_find(reader, name);
  if (*out_entry) return NULL;
  return sli_status_make(SLI_NOT_FOUND, "Key %.*s not found in checkpoint", SLI_VIEW_ARG(name));
}

sli_status_t *sli_checkpoint_reader_read(sli_checkpoint_reader_t *reader, const sli_bundle_entry_t *entry,
                                         const sli_tensor_slice_extent_t *slice, void *data, size_t size) {
  return reader->bundle ? sli_bundle_reader_read(reader->bundle, entry, slice, data, size)
                        : sli_checkpoint_v1_read(reader->v1, entry, slice, data, size);
}

sli_status_t *sli_checkpoint_reader_read_strings(sli_checkpoint_reader_t *reader, const sli_bundle_entry_t *entry,
                                                 const sli_tensor_slice_extent_t *slice,
                                                 sli_bundle_strings_t *out_strings) {
  return reader->bundle ? sli_bundle_reader_read_strings(reader->bundle, entry, slice, out_strings)
                        : sli_checkpoint_v1_read_strings(reader->v1, entry, slice, out_strings);
}
