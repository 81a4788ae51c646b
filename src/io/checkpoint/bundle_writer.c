// Adding a tensor writes its bytes to the data file and keeps its entry in memory. Other threads may change the tensor
// meanwhile (variables are updated without locks), so each piece is first copied to a small buffer: the checksum and
// the file then get the same bytes.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "io/checkpoint/bundle_internal.h"
#include "io/file/atomic_file.h"
#include "io/file/coding.h"
#include "io/file/crc32c.h"
#include "io/file/path.h"
#include "proto/wire.h"

enum { PIECE_SIZE = 256 << 10 };  // fits the second-level cache

struct sli_bundle_writer {
  char *prefix;
  sli_atomic_file_t *data;
  uint64_t offset;  // the end of the data file
  char *piece;
  sli_bundle_index_t index;
  sli_map_t names;        // key -> index of its entry + 1
  sli_status_t *failure;  // the first failure
  bool finished;
};

static sli_status_t *make_parent(const char *prefix) {
  char *directory = sli_path_directory(prefix);
  sli_status_t *status = sli_file_make_directories(directory);
  free(directory);
  return status;
}

sli_status_t *sli_bundle_writer_create(const char *prefix, sli_bundle_writer_t **out_writer) {
  *out_writer = NULL;
  SLI_RETURN_IF_ERROR(make_parent(prefix));
  sli_bundle_writer_t *writer = sli_calloc(1, sizeof(*writer));
  writer->prefix = sli_strdup(prefix);
  writer->index.header = (sli_bundle_header_t){.num_shards = 1, .producer = SLI_BUNDLE_VERSION};
  char *path = sli_bundle_data_path(prefix, 0, 1);
  sli_status_t *status = sli_atomic_file_create(path, &writer->data);
  free(path);
  if (status) {
    sli_bundle_writer_release(writer);
    return status;
  }
  writer->piece = sli_malloc(PIECE_SIZE);
  *out_writer = writer;
  return NULL;
}

void sli_bundle_writer_release(sli_bundle_writer_t *writer) {
  if (!writer) return;
  sli_atomic_file_release(writer->data);
  sli_bundle_index_deinitialize(&writer->index);
  sli_map_deinitialize(&writer->names);
  sli_status_release(writer->failure);
  free(writer->piece);
  free(writer->prefix);
  free(writer);
}

static sli_status_t *write_bytes(sli_bundle_writer_t *writer, const void *data, size_t size, uint32_t *crc) {
  sli_file_writer_t *file = sli_atomic_file_writer(writer->data);
  while (size) {
    size_t part = size < PIECE_SIZE ? size : PIECE_SIZE;
    memcpy(writer->piece, data, part);
    *crc = sli_crc32c_extend(*crc, writer->piece, part);
    SLI_RETURN_IF_ERROR(sli_file_writer_write(file, writer->piece, part));
    writer->offset += part;
    data = (const char *)data + part;
    size -= part;
  }
  return NULL;
}

// Strings are stored as: varint lengths | masked crc of the lengths | bytes. That crc covers the lengths as uint32, or
// uint64 for a length that needs it. The crc of the entry covers the lengths in the same form, then the stored bytes
// after the varints.
static sli_status_t *write_strings(sli_bundle_writer_t *writer, const sli_view_t *strings, int64_t count,
                                   uint32_t *crc) {
  sli_string_t lengths = {0};
  for (int64_t i = 0; i < count; i++) {
    char number[8];
    sli_coding_store_u64(number, strings[i].size);
    *crc = sli_crc32c_extend(*crc, number, strings[i].size <= UINT32_MAX ? 4 : 8);
    sli_wire_write_varint(&lengths, strings[i].size);
  }
  uint32_t unused = 0;
  sli_status_t *status = write_bytes(writer, lengths.data, lengths.size, &unused);
  sli_string_deinitialize(&lengths);
  char length_crc[SLI_BUNDLE_LENGTH_CRC_SIZE];
  sli_coding_store_u32(length_crc, sli_crc32c_mask(*crc));
  if (!status) status = write_bytes(writer, length_crc, sizeof(length_crc), crc);
  for (int64_t i = 0; !status && i < count; i++) status = write_bytes(writer, strings[i].data, strings[i].size, crc);
  return status;
}

// Each variant has its length before it and a checksum of everything up to here behind it.
static sli_status_t *write_variants(sli_bundle_writer_t *writer, const sli_view_t *variants, int64_t count,
                                    uint32_t *crc) {
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < count && !status; i++) {
    sli_string_t length = {0};
    char number[8], checksum[SLI_BUNDLE_LENGTH_CRC_SIZE];
    uint32_t unused = 0;
    sli_wire_write_varint(&length, variants[i].size);
    sli_coding_store_u64(number, variants[i].size);
    *crc = sli_crc32c_extend(*crc, number, sizeof(number));
    status = write_bytes(writer, length.data, length.size, &unused);
    sli_string_deinitialize(&length);
    if (!status) status = write_bytes(writer, variants[i].data, variants[i].size, crc);
    sli_coding_store_u32(checksum, sli_crc32c_mask(*crc));
    if (!status) status = write_bytes(writer, checksum, sizeof(checksum), crc);
  }
  return status;
}

static sli_bundle_entry_t *find_entry(sli_bundle_writer_t *writer, sli_view_t key) {
  uintptr_t place = (uintptr_t)sli_map_get(&writer->names, key);
  return place ? &writer->index.items[place - 1] : NULL;
}

static sli_bundle_entry_t *new_entry(sli_bundle_writer_t *writer, sli_view_t key, int dtype, const int64_t *dims,
                                     int rank) {
  sli_array_push(&writer->index, (sli_bundle_entry_t){.name = sli_view_of(sli_memdup(key.data, key.size), key.size),
                                                      .dtype = dtype,
                                                      .rank = rank,
                                                      .dims = sli_memdup(dims, (size_t)rank * sizeof(*dims))});
  sli_map_set(&writer->names, key, (void *)(uintptr_t)writer->index.count);
  return &writer->index.items[writer->index.count - 1];
}

static sli_status_t *check_tensor(sli_view_t name, const sli_bundle_tensor_t *tensor, int64_t *out_count) {
  size_t element = sli_bundle_dtype_size(tensor->dtype);
  if (name.size == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "the name of a tensor in a checkpoint must not be empty");
  if (element == 0 && tensor->dtype != SLI_BUNDLE_STRING && tensor->dtype != SLI_BUNDLE_VARIANT)
    return sli_status_make(SLI_UNIMPLEMENTED, "tensor %.*s: the data type %d cannot be saved in a checkpoint",
                           SLI_VIEW_ARG(name), tensor->dtype);
  size_t bytes = 0;
  if (tensor->rank < 0 || tensor->rank > SLI_TENSOR_SLICE_MAX_RANK ||
      !sli_tensor_slice_count(tensor->dims, tensor->rank, out_count) ||
      __builtin_mul_overflow((size_t)*out_count, element, &bytes) || (element && bytes != tensor->size))
    return sli_status_make(SLI_INVALID_ARGUMENT, "tensor %.*s: %zu bytes do not match its shape", SLI_VIEW_ARG(name),
                           tensor->size);
  return NULL;
}

static sli_status_t *write_entry(sli_bundle_writer_t *writer, sli_view_t key, const sli_bundle_tensor_t *tensor) {
  int64_t count;
  SLI_RETURN_IF_ERROR(check_tensor(key, tensor, &count));
  if (find_entry(writer, key))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Adding duplicate key: %.*s", SLI_VIEW_ARG(key));
  sli_bundle_entry_t *entry = new_entry(writer, key, tensor->dtype, tensor->dims, tensor->rank);
  entry->offset = writer->offset;
  uint32_t crc = 0;
  if (tensor->dtype == SLI_BUNDLE_STRING)
    SLI_RETURN_IF_ERROR(write_strings(writer, tensor->strings, count, &crc));
  else if (tensor->dtype == SLI_BUNDLE_VARIANT)
    SLI_RETURN_IF_ERROR(write_variants(writer, tensor->strings, count, &crc));
  else
    SLI_RETURN_IF_ERROR(write_bytes(writer, tensor->data, tensor->size, &crc));
  entry->size = writer->offset - entry->offset;
  entry->masked_crc = sli_crc32c_mask(crc);
  return NULL;
}

static sli_status_t *check_slice(sli_view_t name, const int64_t *dims, const sli_tensor_slice_extent_t *slice,
                                 const sli_bundle_tensor_t *tensor) {
  int64_t count;
  SLI_RETURN_IF_ERROR(check_tensor(name, tensor, &count));
  bool fits = sli_tensor_slice_count(dims, tensor->rank, &count) && sli_tensor_slice_fits(slice, dims, tensor->rank);
  for (int d = 0; fits && d < tensor->rank; d++)
    fits = tensor->dims[d] == (slice[d].length == SLI_TENSOR_SLICE_ALL ? dims[d] : slice[d].length);
  if (fits) return NULL;
  sli_string_t text = {0};
  sli_tensor_slice_describe(slice, tensor->rank, &text);
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "tensor %.*s: the slice %s does not fit its shape",
                                         SLI_VIEW_ARG(name), sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *add_slice(sli_bundle_writer_t *writer, sli_view_t name, const int64_t *dims,
                               const sli_tensor_slice_extent_t *slice, const sli_bundle_tensor_t *tensor) {
  SLI_RETURN_IF_ERROR(check_slice(name, dims, slice, tensor));
  if (sli_tensor_slice_is_whole(slice, dims, tensor->rank)) return write_entry(writer, name, tensor);
  sli_bundle_entry_t *whole = find_entry(writer, name);
  if (whole && whole->slice_count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Adding duplicate key: %.*s", SLI_VIEW_ARG(name));
  if (whole && (whole->dtype != tensor->dtype || whole->rank != tensor->rank ||
                memcmp(whole->dims, dims, (size_t)whole->rank * sizeof(*dims)) != 0))
    return sli_status_make(SLI_INVALID_ARGUMENT, "tensor %.*s: slices differ in data type or shape",
                           SLI_VIEW_ARG(name));
  if (!whole) whole = new_entry(writer, name, tensor->dtype, dims, tensor->rank);
  sli_bundle_entry_add_slice(whole, slice);
  sli_string_t key = {0};
  sli_tensor_slice_key(name, slice, tensor->rank, &key);
  sli_status_t *status = write_entry(writer, sli_view_of(key.data, key.size), tensor);
  sli_string_deinitialize(&key);
  return status;
}

static sli_status_t *check_usable(sli_bundle_writer_t *writer) {
  if (writer->failure) return sli_status_retain(writer->failure);
  if (writer->finished) return sli_status_make(SLI_INTERNAL, "BundleWriter is closed");
  return NULL;
}

static sli_status_t *keep(sli_bundle_writer_t *writer, sli_status_t *status) {
  if (status) writer->failure = sli_status_retain(status);
  return status;
}

sli_status_t *sli_bundle_writer_add(sli_bundle_writer_t *writer, sli_view_t name, const sli_bundle_tensor_t *tensor) {
  SLI_RETURN_IF_ERROR(check_usable(writer));
  return keep(writer, write_entry(writer, name, tensor));
}

sli_status_t *sli_bundle_writer_add_slice(sli_bundle_writer_t *writer, sli_view_t name, const int64_t *dims,
                                          const sli_tensor_slice_extent_t *slice, const sli_bundle_tensor_t *tensor) {
  SLI_RETURN_IF_ERROR(check_usable(writer));
  return keep(writer, add_slice(writer, name, dims, slice, tensor));
}

static sli_status_t *finish(sli_bundle_writer_t *writer) {
  char *path;
  SLI_RETURN_IF_ERROR(sli_atomic_file_detach(writer->data, &path));
  sli_status_t *status = sli_bundle_publish(writer->prefix, &writer->index, &path, 1);
  if (status) sli_status_release(sli_file_delete(path));
  free(path);
  writer->finished = !status;
  return status;
}

sli_status_t *sli_bundle_writer_finish(sli_bundle_writer_t *writer) {
  SLI_RETURN_IF_ERROR(check_usable(writer));
  return keep(writer, finish(writer));
}
