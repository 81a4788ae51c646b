// Entries and headers of a bundle's index, shared by writer, merger and reader.
#ifndef SLI_IO_BUNDLE_INTERNAL_H_
#define SLI_IO_BUNDLE_INTERNAL_H_

#include <stdbool.h>

#include "io/bundle.h"
#include "io/file.h"

enum {
  SLI_BUNDLE_STRING = 7,  // DT_STRING
  SLI_BUNDLE_VERSION = 1,
  SLI_BUNDLE_LENGTH_CRC_SIZE = 4,  // between the lengths and the bytes of strings
};

typedef struct {
  int num_shards;
  bool big_endian;
  int producer, min_consumer;
  bool bad_consumer;  // we are one
} sli_bundle_header_t;

// Bytes of one element; 0 for strings and what cannot be stored.
size_t sli_bundle_dtype_size(int dtype);

// "PREFIX.index" and "PREFIX.data-SSSSS-of-NNNNN"; new strings.
char *sli_bundle_index_path(const char *prefix);
char *sli_bundle_data_path(const char *prefix, int shard, int num_shards);

// VersionDef: fills the header's three fields.
bool sli_bundle_version_decode(sli_view_t bytes, sli_bundle_header_t *header);
// INVALID_ARGUMENT, as TensorFlow says it, if we (|version|) are not to read the file.
sli_status_t *sli_bundle_version_check(const char *path, const sli_bundle_header_t *header, int version);
// Protocol buffers, in the canonical order of fields.
void sli_bundle_header_encode(const sli_bundle_header_t *header, sli_string_t *out);
bool sli_bundle_header_decode(sli_view_t bytes, sli_bundle_header_t *out_header);
void sli_bundle_entry_encode(const sli_bundle_entry_t *entry, sli_string_t *out);
// Copies |key| and everything else it keeps. False on bytes that are no entry
// or make no sense; |*out_entry| then owns nothing.
bool sli_bundle_entry_decode(sli_view_t key, sli_view_t bytes, sli_bundle_entry_t *out_entry);
void sli_bundle_entry_deinitialize(sli_bundle_entry_t *entry);

// All entries of an index in the order of their keys, checked.
typedef struct {
  sli_bundle_header_t header;
  sli_bundle_entry_t *items;
  size_t count, capacity;
} sli_bundle_index_t;
sli_status_t *sli_bundle_index_read(const char *prefix, sli_bundle_index_t *out_index);
void sli_bundle_index_deinitialize(sli_bundle_index_t *index);
// Writes the entries, sorting them first. The file is neither synced nor closed.
sli_status_t *sli_bundle_index_write(sli_file_writer_t *file, sli_bundle_index_t *index);

// Makes a bundle of |index| and of |count| data files, whose bytes are on the disk, in place of the one that |prefix|
// has. Renames the files; sets the number of shards. On failure the old bundle is as it was, and what is left of
// |files| is the caller's to delete.
sli_status_t *sli_bundle_publish(const char *prefix, sli_bundle_index_t *index, char *const *files, int count);

// Appends room for one more slice to |entry| and copies |slice| there.
void sli_bundle_entry_add_slice(sli_bundle_entry_t *entry, const sli_extent_t *slice);

// Reads the whole |i|th stored slice of |entry| (or all of it, if it is stored
// whole) to |data|; |size| is right for its shape.
typedef sli_status_t *(*sli_bundle_fetch_t)(void *context, const sli_bundle_entry_t *entry, size_t i, void *data,
                                            size_t size);
// Puts |slice| of |entry| together at |data| (NULL: all of it) from what is stored.
sli_status_t *sli_bundle_assemble(const sli_bundle_entry_t *entry, const sli_extent_t *slice, void *data, size_t size,
                                  sli_bundle_fetch_t fetch, void *context);
// Which stored slice equals |slice| (NULL: the whole); 0 for an entry that is stored whole.
sli_status_t *sli_bundle_find_equal(const sli_bundle_entry_t *entry, const sli_extent_t *slice, size_t *out_i);

#endif  // SLI_IO_BUNDLE_INTERNAL_H_
