// Opening reads and checks the index. Data is read on request, directly to its destination, and the checksum is
// computed while the data is in the cache.
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sync.h"
#include "io/checkpoint/bundle_internal.h"
#include "io/checkpoint/table_internal.h"
#include "io/file/coding.h"
#include "io/file/crc32c.h"
#include "io/file/file.h"
#include "proto/wire.h"

enum { PIECE_SIZE = 512 << 10 };

typedef struct {
  int number;
  sli_file_reader_t *file;
} shard_t;

struct sli_bundle_reader {
  char *prefix;
  sli_bundle_index_t index;
  size_t first_tensor;  // entries before it are stored slices, whose keys start with 0
  sli_mutex_t mutex;
  SLI_ARRAY(shard_t) shards;  // guarded by |mutex|; opened at first use
};

sli_status_t *sli_bundle_reader_open(const char *prefix, sli_bundle_reader_t **out_reader) {
  *out_reader = NULL;
  sli_bundle_index_t index;
  SLI_RETURN_IF_ERROR(sli_bundle_index_read(prefix, &index));
  sli_bundle_reader_t *reader = sli_calloc(1, sizeof(*reader));
  reader->prefix = sli_strdup(prefix);
  reader->index = index;
  sli_mutex_initialize(&reader->mutex);
  while (reader->first_tensor < index.count && index.items[reader->first_tensor].name.data[0] == '\0')
    reader->first_tensor++;
  *out_reader = reader;
  return NULL;
}

void sli_bundle_reader_release(sli_bundle_reader_t *reader) {
  if (!reader) return;
  for (size_t i = 0; i < reader->shards.count; i++) sli_file_reader_release(reader->shards.items[i].file);
  sli_array_deinitialize(&reader->shards);
  sli_mutex_deinitialize(&reader->mutex);
  sli_bundle_index_deinitialize(&reader->index);
  free(reader->prefix);
  free(reader);
}

size_t sli_bundle_reader_count(const sli_bundle_reader_t *reader) { return reader->index.count - reader->first_tensor; }

const sli_bundle_entry_t *sli_bundle_reader_at(const sli_bundle_reader_t *reader, size_t i) {
  return &reader->index.items[reader->first_tensor + i];
}

const sli_bundle_entry_t *sli_bundle_reader_find(const sli_bundle_reader_t *reader, sli_view_t name) {
  size_t low = 0, high = reader->index.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = sli_table_compare(reader->index.items[middle].name, name);
    if (order == 0) return &reader->index.items[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

// "TensorBundle at PREFIX: <what>; tensor NAME at offset O of file PATH"
static sli_status_t *bundle_damaged(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry, const char *format,
                                    ...) __attribute__((format(printf, 3, 4)));
static sli_status_t *bundle_damaged(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry, const char *format,
                                    ...) {
  va_list args;
  va_start(args, format);
  sli_status_t *status = sli_status_make_v(SLI_DATA_LOSS, format, args);
  va_end(args);
  char *path = sli_bundle_data_path(reader->prefix, entry->shard, reader->index.header.num_shards);
  // The key of a stored slice is not text.
  sli_string_t name = {0};
  sli_string_append_escaped_utf8(&name, entry->name);
  status = sli_status_append(status, "; tensor %s at offset %" PRIu64 " of file %s", sli_string_text(&name),
                             entry->offset, path);
  sli_string_deinitialize(&name);
  free(path);
  return sli_status_prefix(status, "TensorBundle at %s shard %d (%" PRIu64 " bytes): ", reader->prefix, entry->shard,
                           entry->size);
}

static sli_status_t *open_shard_locked(sli_bundle_reader_t *reader, int number, sli_file_reader_t **out_file) {
  for (size_t i = 0; i < reader->shards.count; i++) {
    *out_file = reader->shards.items[i].file;
    if (reader->shards.items[i].number == number) return NULL;
  }
  char *path = sli_bundle_data_path(reader->prefix, number, reader->index.header.num_shards);
  sli_status_t *status = sli_file_reader_open(path, out_file);
  free(path);
  if (!status) sli_array_push(&reader->shards, (shard_t){number, *out_file});
  return status;
}

// Opens the data file of |entry| and checks that it contains all of its bytes.
static sli_status_t *open_entry(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                sli_file_reader_t **out_file) {
  sli_mutex_lock(&reader->mutex);
  sli_status_t *status = open_shard_locked(reader, entry->shard, out_file);
  sli_mutex_unlock(&reader->mutex);
  if (status) return status;
  uint64_t size;
  SLI_RETURN_IF_ERROR(sli_file_reader_size(*out_file, &size));
  if (entry->offset > size || entry->size > size - entry->offset)
    return bundle_damaged(reader, entry, "Read less bytes than requested: the file has only %" PRIu64, size);
  return NULL;
}

static sli_status_t *check_crc(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry, uint32_t crc) {
  uint32_t stored = sli_crc32c_unmask(entry->masked_crc);
  if (crc == stored) return NULL;
  return bundle_damaged(reader, entry, "Checksum does not match: stored %08u vs. calculated on the restored bytes %u",
                        stored, crc);
}

// Reads an entry without slices. |size| matches its shape.
static sli_status_t *read_stored(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry, void *data,
                                 size_t size) {
  if (entry->size != size)
    return bundle_damaged(reader, entry, "Invalid size in bundle entry: stored size %" PRIu64 "; expected size %zu",
                          entry->size, size);
  sli_file_reader_t *file;
  SLI_RETURN_IF_ERROR(open_entry(reader, entry, &file));
  uint32_t crc = 0;
  for (size_t done = 0; done < size;) {
    size_t part = size - done < PIECE_SIZE ? size - done : PIECE_SIZE;
    SLI_RETURN_IF_ERROR(sli_file_reader_read_all(file, entry->offset + done, (char *)data + done, part));
    crc = sli_crc32c_extend(crc, (char *)data + done, part);
    done += part;
  }
  return check_crc(reader, entry, crc);
}

// The entry of the |i|th stored slice of |entry|.
static sli_status_t *find_slice(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry, size_t i,
                                const sli_bundle_entry_t **out_stored) {
  const sli_tensor_slice_extent_t *slice = entry->slices + i * (size_t)entry->rank;
  sli_string_t key = {0};
  sli_tensor_slice_key(entry->name, slice, entry->rank, &key);
  const sli_bundle_entry_t *stored = sli_bundle_reader_find(reader, sli_view_of(key.data, key.size));
  sli_string_deinitialize(&key);
  bool good = stored && stored->slice_count == 0 && stored->dtype == entry->dtype && stored->rank == entry->rank;
  for (int d = 0; good && d < entry->rank; d++)
    good = stored->dims[d] == (slice[d].length == SLI_TENSOR_SLICE_ALL ? entry->dims[d] : slice[d].length);
  *out_stored = stored;
  if (good) return NULL;
  sli_string_t text = {0};
  sli_tensor_slice_describe(slice, entry->rank, &text);
  sli_status_t *status = sli_status_make(SLI_DATA_LOSS, "checkpoint %s: slice %s of tensor %.*s is %s", reader->prefix,
                                         sli_string_text(&text), SLI_VIEW_ARG(entry->name),
                                         stored ? "of another data type or shape" : "missing");
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *fetch_bundle_slice(void *context, const sli_bundle_entry_t *entry, size_t i, void *data,
                                        size_t size) {
  sli_bundle_reader_t *reader = context;
  const sli_bundle_entry_t *stored = entry;
  if (entry->slice_count) SLI_RETURN_IF_ERROR(find_slice(reader, entry, i, &stored));
  return read_stored(reader, stored, data, size);
}

sli_status_t *sli_bundle_reader_read(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                     const sli_tensor_slice_extent_t *slice, void *data, size_t size) {
  return sli_bundle_assemble(entry, slice, data, size, fetch_bundle_slice, reader);
}

void sli_bundle_strings_deinitialize(sli_bundle_strings_t *strings) {
  free(strings->items);
  free(strings->bytes);
  *strings = (sli_bundle_strings_t){0};
}

// Finds the strings in the bytes of |entry| (see bundle_writer.c) and checks them.
static sli_status_t *parse_strings(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                   sli_bundle_strings_t *strings) {
  sli_wire_reader_t in = sli_wire_reader(sli_view_of(strings->bytes, (size_t)entry->size));
  uint32_t crc = 0;
  for (size_t i = 0; i < strings->count; i++) {
    uint64_t length;
    if (!sli_wire_read_varint(&in, &length) || length > entry->size)
      return bundle_damaged(reader, entry, "String lengths longer than expected");
    char number[8];
    sli_coding_store_u64(number, length);
    crc = sli_crc32c_extend(crc, number, length <= UINT32_MAX ? 4 : 8);
    strings->items[i].size = (size_t)length;
  }
  if (in.end - in.next < SLI_BUNDLE_LENGTH_CRC_SIZE)
    return bundle_damaged(reader, entry, "String lengths longer than expected");
  uint32_t stored = sli_crc32c_unmask(sli_coding_load_u32(in.next));
  if (stored != crc)
    return bundle_damaged(reader, entry, "The length checksum does not match: expected %08u but actual is %08u", stored,
                          crc);
  const char *next = (const char *)in.next + SLI_BUNDLE_LENGTH_CRC_SIZE;
  SLI_RETURN_IF_ERROR(check_crc(reader, entry, sli_crc32c_extend(crc, in.next, (size_t)(in.end - in.next))));
  for (size_t i = 0; i < strings->count; i++) {
    if (strings->items[i].size > (size_t)((const char *)in.end - next))
      return bundle_damaged(reader, entry, "String lengths longer than expected");
    strings->items[i].data = next;
    next += strings->items[i].size;
  }
  return NULL;
}

// The same for variants.
static sli_status_t *parse_variants(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                    sli_bundle_strings_t *variants) {
  sli_wire_reader_t in = sli_wire_reader(sli_view_of(variants->bytes, (size_t)entry->size));
  uint32_t crc = 0;
  for (size_t i = 0; i < variants->count; i++) {
    uint64_t length;
    char number[8];
    bool fits = sli_wire_read_varint(&in, &length) && (size_t)(in.end - in.next) >= SLI_BUNDLE_LENGTH_CRC_SIZE &&
                length <= (size_t)(in.end - in.next) - SLI_BUNDLE_LENGTH_CRC_SIZE;
    if (!fits) return bundle_damaged(reader, entry, "Variant lengths longer than expected");
    sli_coding_store_u64(number, length);
    crc = sli_crc32c_extend(crc, number, sizeof(number));
    variants->items[i] = sli_view_of((const char *)in.next, (size_t)length);
    crc = sli_crc32c_extend(crc, in.next, (size_t)length);
    in.next += length;
    uint32_t stored = sli_crc32c_unmask(sli_coding_load_u32(in.next));
    if (stored != crc)
      return bundle_damaged(reader, entry,
                            "The checksum after Variant %zu does not match: expected %08u but actual is %08u", i,
                            stored, crc);
    crc = sli_crc32c_extend(crc, in.next, SLI_BUNDLE_LENGTH_CRC_SIZE);
    in.next += SLI_BUNDLE_LENGTH_CRC_SIZE;
  }
  return check_crc(reader, entry, crc);
}

static sli_status_t *read_stored_strings(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                         sli_bundle_strings_t *out_strings) {
  int64_t count;
  if (entry->dtype != SLI_BUNDLE_STRING && entry->dtype != SLI_BUNDLE_VARIANT)
    return sli_status_make(SLI_INVALID_ARGUMENT, "tensor %.*s in checkpoint %s has data type %d, not string",
                           SLI_VIEW_ARG(entry->name), reader->prefix, entry->dtype);
  // Every string has a length of at least one byte, so the file's size limits the number of strings.
  if (!sli_tensor_slice_count(entry->dims, entry->rank, &count) || (uint64_t)count > entry->size)
    return bundle_damaged(reader, entry, "Invalid size in bundle entry: stored size %" PRIu64, entry->size);
  sli_file_reader_t *file;
  SLI_RETURN_IF_ERROR(open_entry(reader, entry, &file));
  sli_status_t *status = NULL;
  sli_bundle_strings_t strings = {.count = (size_t)count};
  strings.bytes = sli_malloc_or_null((size_t)entry->size + 1);
  strings.items = sli_malloc_or_null(((size_t)count + 1) * sizeof(*strings.items));
  if (!strings.bytes || !strings.items) {
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "no memory for %" PRIu64 " bytes of tensor %.*s", entry->size,
                             SLI_VIEW_ARG(entry->name));
    goto cleanup;
  }
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_reader_read_all(file, entry->offset, strings.bytes, (size_t)entry->size));
  SLI_GOTO_IF_ERROR(status, cleanup,
                    entry->dtype == SLI_BUNDLE_STRING ? parse_strings(reader, entry, &strings)
                                                      : parse_variants(reader, entry, &strings));
  *out_strings = strings;
  strings = (sli_bundle_strings_t){0};
cleanup:
  sli_bundle_strings_deinitialize(&strings);
  return status;
}

sli_status_t *sli_bundle_reader_read_strings(sli_bundle_reader_t *reader, const sli_bundle_entry_t *entry,
                                             const sli_tensor_slice_extent_t *slice,
                                             sli_bundle_strings_t *out_strings) {
  *out_strings = (sli_bundle_strings_t){0};
  size_t i;
  SLI_RETURN_IF_ERROR(sli_bundle_find_equal(entry, slice, &i));
  if (entry->slice_count) SLI_RETURN_IF_ERROR(find_slice(reader, entry, i, &entry));
  return read_stored_strings(reader, entry, out_strings);
}
