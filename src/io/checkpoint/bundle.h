// TensorFlow's V2 checkpoint format, the tensor bundle. PREFIX.index is a table of tensor names with dtype, shape and
// location. PREFIX.data-00000-of-0000N has the bytes. For equal contents the files are byte for byte those of
// TensorFlow.
#ifndef SLI_IO_CHECKPOINT_BUNDLE_H_
#define SLI_IO_CHECKPOINT_BUNDLE_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "io/checkpoint/tensor_slice.h"

// A tensor to write. |dtype| is TensorFlow's DataType number; all but resource can be saved.
typedef struct {
  int dtype;
  int rank;
  const int64_t *dims;
  const void *data;  // dense elements, |size| bytes; not for strings
  size_t size;
  const sli_view_t *strings;  // for strings: one per element; for variants their VariantTensorDataProtos
} sli_bundle_tensor_t;

// Writes a bundle of one shard. Thread-compatible; blocks. No file is visible under |prefix| until finish, which syncs
// all files and then renames them.
typedef struct sli_bundle_writer sli_bundle_writer_t;

// Creates missing directories of |prefix|.
sli_status_t *sli_bundle_writer_create(const char *prefix, sli_bundle_writer_t **out_writer);
// Writes |tensor| immediately and keeps no reference to it. Other threads may change its elements meanwhile: the
// checksum still matches the written bytes. INVALID_ARGUMENT for a name that is empty or was added before. After a
// failure every later call, finish included, returns the same status.
sli_status_t *sli_bundle_writer_add(sli_bundle_writer_t *writer, sli_view_t name, const sli_bundle_tensor_t *tensor);
// Writes |tensor| as |slice| of the partitioned tensor |name| of shape |dims|, whose rank is the tensor's.
sli_status_t *sli_bundle_writer_add_slice(sli_bundle_writer_t *writer, sli_view_t name, const int64_t *dims,
                                          const sli_tensor_slice_extent_t *slice, const sli_bundle_tensor_t *tensor);
// Publishes the bundle and replaces an existing one of the same prefix. If the process ends meanwhile, either the old
// or the new bundle exists and is complete. On failure the files of |prefix| are unchanged.
sli_status_t *sli_bundle_writer_finish(sli_bundle_writer_t *writer);
// Removes the temporary files of an unfinished bundle. NULL is fine.
void sli_bundle_writer_release(sli_bundle_writer_t *writer);

// Merges |count| bundles into one: renames their data files, merges their indices and the slices of the same tensor,
// and deletes the old indices. Thread-safe; blocks. INVALID_ARGUMENT if two bundles have the same tensor.
sli_status_t *sli_bundle_merge(const char *const *prefixes, size_t count, const char *merged_prefix);

// The index entry of a tensor or of a stored slice. Owned by its reader.
typedef struct {
  sli_view_t name;
  int dtype;
  int rank;
  int64_t *dims;  // none negative; their product fits
  int shard;
  uint64_t offset, size;  // bytes in the data file
  uint32_t masked_crc;
  size_t slice_count;                 // 0: the tensor is stored whole
  sli_tensor_slice_extent_t *slices;  // slice_count * rank; each fits
} sli_bundle_entry_t;

// Strings of a tensor, or the VariantTensorDataProtos of its variants, in order. Owns its memory.
typedef struct {
  sli_view_t *items;
  size_t count;
  char *bytes;  // all strings
} sli_bundle_strings_t;
void sli_bundle_strings_deinitialize(sli_bundle_strings_t *strings);

// Reads a bundle. Thread-safe; reads block. If bytes are damaged, the error is DATA_LOSS and names file, tensor and
// offset.
typedef struct sli_bundle_reader sli_bundle_reader_t;

// Reads and checks the whole index. NOT_FOUND if there is none.
sli_status_t *sli_bundle_reader_open(const char *prefix, sli_bundle_reader_t **out_reader);
void sli_bundle_reader_release(sli_bundle_reader_t *reader);
// The tensors, sorted by name. A partitioned tensor counts once.
size_t sli_bundle_reader_count(const sli_bundle_reader_t *reader);
const sli_bundle_entry_t *sli_bundle_reader_at(const sli_bundle_reader_t *reader, size_t i);
// NULL if there is none.
const sli_bundle_entry_t *sli_bundle_reader_find(const sli_bundle_reader_t *reader, sli_view_t name);
// Reads a tensor, or |slice| of it if that is not NULL, assembled from the stored slices. |size| must be the size of
// the elements. On failure the contents of |data| are undefined. INVALID_ARGUMENT if the stored slices do not cover the
// requested part.
sli_status_t *sli_bundle_reader_read(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                     const sli_tensor_slice_extent_t *slice, void *data, size_t size);
// Reads the strings of a tensor, or of |slice| if that is not NULL. |slice| must be the whole tensor or a stored slice.
sli_status_t *sli_bundle_reader_read_strings(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                             const sli_tensor_slice_extent_t *slice, sli_bundle_strings_t *out_strings);

#endif  // SLI_IO_CHECKPOINT_BUNDLE_H_
