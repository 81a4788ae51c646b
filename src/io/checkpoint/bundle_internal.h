// The index of a bundle, shared by writer, merger and reader.
#ifndef SLI_IO_CHECKPOINT_BUNDLE_INTERNAL_H_
#define SLI_IO_CHECKPOINT_BUNDLE_INTERNAL_H_

#include <stdbool.h>

#include "io/checkpoint/bundle.h"
#include "io/file/file.h"
#include "proto/types.pb-c.h"

enum {
  SLI_BUNDLE_STRING = TENSORFLOW__DATA_TYPE__DT_STRING,
  SLI_BUNDLE_VARIANT = TENSORFLOW__DATA_TYPE__DT_VARIANT,
  SLI_BUNDLE_VERSION = 1,
  SLI_BUNDLE_LENGTH_CRC_SIZE = 4,  // between the lengths and the bytes of strings
};

typedef struct {
  int num_shards;
  bool big_endian;
  int producer, min_consumer;
  bool bad_consumer;  // the file excludes our version
} sli_bundle_header_t;

// The size of an element; 0 for strings and for types that cannot be stored.
size_t sli_bundle_dtype_size(int dtype);

// "PREFIX.index" and "PREFIX.data-SSSSS-of-NNNNN". The caller owns the strings.
char *sli_bundle_index_path(const char *prefix);
char *sli_bundle_data_path(const char *prefix, int shard, int num_shards);

// Decodes a VersionDef into |header|.
bool sli_bundle_version_decode(sli_view_t bytes, sli_bundle_header_t *header);
// INVALID_ARGUMENT with TensorFlow's text if |version|, our own, must not read the file.
sli_status_t *sli_bundle_version_check(const char *path, const sli_bundle_header_t *header, int version);
// The entry keeps copies, also of |key|. False if the bytes are malformed or inconsistent; |*out_entry| then owns
// nothing.
bool sli_bundle_entry_decode(sli_view_t key, sli_view_t bytes, sli_bundle_entry_t *out_entry);
void sli_bundle_entry_deinitialize(sli_bundle_entry_t *entry);

// All entries of an index, checked and sorted by key.
typedef struct {
  sli_bundle_header_t header;
  sli_bundle_entry_t *items;
  size_t count, capacity;
} sli_bundle_index_t;
sli_status_t *sli_bundle_index_read(const char *prefix, sli_bundle_index_t *out_index);
void sli_bundle_index_deinitialize(sli_bundle_index_t *index);
// Sorts and writes the entries. Neither syncs nor closes the file.
sli_status_t *sli_bundle_index_write(sli_file_writer_t *file, sli_bundle_index_t *index);

// Publishes |index| and |count| data files, which must be synced, as the bundle |prefix|, and replaces an existing one.
// Renames the files and sets the number of shards. On failure the old bundle is unchanged, and the caller must delete
// those of |files| that still exist.
sli_status_t *sli_bundle_publish(const char *prefix, sli_bundle_index_t *index, char *const *files, int count);

// Appends a copy of |slice| to the slices of |entry|.
void sli_bundle_entry_add_slice(sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice);

// Reads the whole |i|th stored slice of |entry|, or all of an entry without slices, to |data|. |size| matches its
// shape.
typedef sli_status_t *(*sli_bundle_fetch_t)(void *context, const sli_bundle_entry_t *entry, size_t i, void *data,
                                            size_t size);
// Assembles |slice| of |entry| (NULL: all of it) at |data| from the stored slices.
sli_status_t *sli_bundle_assemble(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice, void *data,
                                  size_t size, sli_bundle_fetch_t fetch, void *context);
// The index of the stored slice that equals |slice| (NULL: the whole tensor); 0 for an entry without slices.
sli_status_t *sli_bundle_find_equal(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice,
                                    size_t *out_i);

#endif  // SLI_IO_CHECKPOINT_BUNDLE_INTERNAL_H_
