// TensorFlow's V2 checkpoint, the tensor bundle: PREFIX.index, a table of names
// with dtype, shape and place, and PREFIX.data-00000-of-0000N, the bytes. Equal
// contents give files equal to TensorFlow's, byte for byte.
#ifndef SLI_IO_BUNDLE_H_
#define SLI_IO_BUNDLE_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "io/tensor_slice.h"

// A tensor to write. |dtype| is TensorFlow's DataType number; all but resource and variant can be saved.
typedef struct {
  int dtype;
  int rank;
  const int64_t *dims;
  const void *data;  // dense elements, |size| bytes; not for strings
  size_t size;
  const sli_view_t *strings;  // for strings: one per element
} sli_bundle_tensor_t;

// Writes a bundle of one shard. Thread-compatible; blocks. Nothing is to be
// seen under |prefix| until finish, which syncs all and renames last.
typedef struct sli_bundle_writer sli_bundle_writer_t;

// Makes missing directories of |prefix|.
sli_status_t *sli_bundle_writer_create(const char *prefix, sli_bundle_writer_t **out_writer);
// Writes |tensor| at once and keeps nothing of it. Others may change its
// elements meanwhile: what is written is what the checksum says.
// INVALID_ARGUMENT for a name that is empty or taken. After a failure every
// later call, finish included, returns it again.
sli_status_t *sli_bundle_writer_add(sli_bundle_writer_t *writer, sli_view_t name, const sli_bundle_tensor_t *tensor);
// Writes |tensor| as |slice| of the partitioned tensor |name| of shape |dims|, whose rank is the tensor's.
sli_status_t *sli_bundle_writer_add_slice(sli_bundle_writer_t *writer, sli_view_t name, const int64_t *dims,
                                          const sli_extent_t *slice, const sli_bundle_tensor_t *tensor);
// In place of the bundle that has the prefix, if any; should the process end meanwhile, one of the two is there and
// whole. On failure the files of |prefix| are as they were.
sli_status_t *sli_bundle_writer_finish(sli_bundle_writer_t *writer);
// Removes the temporary files of an unfinished bundle. NULL is fine.
void sli_bundle_writer_release(sli_bundle_writer_t *writer);

// Makes one bundle of |count|: renames their data files, joins their indices and
// the slices they hold of the same tensor, and deletes the old indices.
// Thread-safe; blocks. INVALID_ARGUMENT when two have the same tensor.
sli_status_t *sli_bundle_merge(const char *const *prefixes, size_t count, const char *merged_prefix);

// What the index says of a tensor, or of a stored slice. Owned by its reader.
typedef struct {
  sli_view_t name;
  int dtype;
  int rank;
  int64_t *dims;  // none negative; their product fits
  int shard;
  uint64_t offset, size;  // bytes in the data file
  uint32_t masked_crc;
  size_t slice_count;    // 0: the tensor is stored whole
  sli_extent_t *slices;  // slice_count * rank; each fits
} sli_bundle_entry_t;

// Strings of a tensor, in order. Owns its memory.
typedef struct {
  sli_view_t *items;
  size_t count;
  char *bytes;  // all strings
} sli_bundle_strings_t;
void sli_bundle_strings_deinitialize(sli_bundle_strings_t *strings);

// Reads a bundle. Thread-safe; reads block. DATA_LOSS names file, tensor and
// offset when bytes are damaged.
typedef struct sli_bundle_reader sli_bundle_reader_t;

// Reads and checks the whole index. NOT_FOUND when there is none.
sli_status_t *sli_bundle_reader_open(const char *prefix, sli_bundle_reader_t **out_reader);
void sli_bundle_reader_release(sli_bundle_reader_t *reader);
// The tensors in the order of their names; a partitioned one counts once.
size_t sli_bundle_reader_count(const sli_bundle_reader_t *reader);
const sli_bundle_entry_t *sli_bundle_reader_at(const sli_bundle_reader_t *reader, size_t i);
// NULL if there is none.
const sli_bundle_entry_t *sli_bundle_reader_find(const sli_bundle_reader_t *reader, sli_view_t name);
// The same, with NOT_FOUND "Key NAME not found in checkpoint".
sli_status_t *sli_bundle_reader_lookup(const sli_bundle_reader_t *reader, sli_view_t name,
                                       const sli_bundle_entry_t **out_entry);
// Reads a tensor, or |slice| of it unless that is NULL, put together from what
// slices are stored. |size| must be that of the elements. On failure |data|
// holds anything. INVALID_ARGUMENT when stored slices do not cover what is asked.
sli_status_t *sli_bundle_reader_read(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                     const sli_extent_t *slice, void *data, size_t size);
// The strings of a tensor, or of |slice| unless that is NULL, which must be the whole tensor or one that is stored.
sli_status_t *sli_bundle_reader_read_strings(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                             const sli_extent_t *slice, sli_bundle_strings_t *out_strings);

#endif  // SLI_IO_BUNDLE_H_
