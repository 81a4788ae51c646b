// The index: BundleHeaderProto under the key "", a BundleEntryProto per tensor
// and per stored slice. What comes from a file is checked here once, so that
// the reader can rely on it.
#include <limits.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/bundle_internal.h"
#include "io/table.h"
#include "io/table_internal.h"
#include "proto/tensor_wire.h"
#include "proto/wire.h"

// By DataType number.
static const unsigned char dtype_sizes[] = {
    [1] = 4,    // float
    [2] = 8,    // double
    [3] = 4,    // int32
    [4] = 1,    // uint8
    [5] = 2,    // int16
    [6] = 1,    // int8
    [8] = 8,    // complex64
    [9] = 8,    // int64
    [10] = 1,   // bool
    [11] = 1,   // qint8
    [12] = 1,   // quint8
    [13] = 4,   // qint32
    [14] = 2,   // bfloat16
    [15] = 2,   // qint16
    [16] = 2,   // quint16
    [17] = 2,   // uint16
    [18] = 16,  // complex128
    [19] = 2,   // half
    [22] = 4,   // uint32
    [23] = 8,   // uint64
    [24] = 1,   // float8_e5m2
    [25] = 1,   // float8_e4m3fn
    [29] = 1,   // int4
    [30] = 1,   // uint4
};

size_t sli_bundle_dtype_size(int dtype) {
  return dtype >= 0 && (size_t)dtype < SLI_COUNT_OF(dtype_sizes) ? dtype_sizes[dtype] : 0;
}

char *sli_bundle_index_path(const char *prefix) { return sli_format("%s.index", prefix); }

char *sli_bundle_data_path(const char *prefix, int shard, int num_shards) {
  return sli_format("%s.data-%05d-of-%05d", prefix, shard, num_shards);
}

void sli_bundle_header_encode(const sli_bundle_header_t *header, sli_string_t *out) {
  sli_wire_write_nonzero(out, 1, header->num_shards);
  sli_wire_write_nonzero(out, 2, header->big_endian);
  size_t version = sli_wire_open(out, 3);
  sli_wire_write_nonzero(out, 1, header->producer);
  sli_wire_write_nonzero(out, 2, header->min_consumer);
  sli_wire_close(out, version);
}

bool sli_bundle_version_decode(sli_view_t bytes, sli_bundle_header_t *header) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == 1 && field.type == SLI_WIRE_VARINT) header->producer = (int)field.value;
    if (field.number == 2 && field.type == SLI_WIRE_VARINT) header->min_consumer = (int)field.value;
    sli_wire_values_t values;
    if (field.number != 3 || !sli_wire_values_begin(&field, SLI_WIRE_VARINT, &values)) continue;
    for (uint64_t bad; sli_wire_values_next(&values, &bad);)
      header->bad_consumer |= bad == SLI_BUNDLE_VERSION;  // V1 has the same number
    if (values.reader.malformed) return false;
  }
  return !reader.malformed;
}

bool sli_bundle_header_decode(sli_view_t bytes, sli_bundle_header_t *out_header) {
  *out_header = (sli_bundle_header_t){0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == 1 && field.type == SLI_WIRE_VARINT) {
      if (field.value > INT_MAX) return false;
      out_header->num_shards = (int)field.value;
    }
    if (field.number == 2 && field.type == SLI_WIRE_VARINT) out_header->big_endian = field.value != 0;
    if (field.number == 3 && field.type == SLI_WIRE_BYTES && !sli_bundle_version_decode(field.bytes, out_header))
      return false;
  }
  return !reader.malformed;
}

static void encode_slice(const sli_extent_t *slice, int rank, sli_string_t *out) {
  size_t message = sli_wire_open(out, 7);
  for (int d = 0; d < rank; d++) {
    size_t extent = sli_wire_open(out, 1);
    if (slice[d].length != SLI_EXTENT_ALL) {
      sli_wire_write_nonzero(out, 1, slice[d].start);
      sli_wire_write_int(out, 2, slice[d].length);
    }
    sli_wire_close(out, extent);
  }
  sli_wire_close(out, message);
}

void sli_bundle_entry_encode(const sli_bundle_entry_t *entry, sli_string_t *out) {
  sli_wire_write_nonzero(out, 1, entry->dtype);
  sli_shape_proto_write(out, 2, entry->dims, entry->rank);
  sli_wire_write_nonzero(out, 3, entry->shard);
  sli_wire_write_nonzero(out, 4, (int64_t)entry->offset);
  sli_wire_write_nonzero(out, 5, (int64_t)entry->size);
  if (entry->masked_crc) sli_wire_write_fixed32(out, 6, entry->masked_crc);
  for (size_t i = 0; i < entry->slice_count; i++)
    encode_slice(entry->slices + i * (size_t)entry->rank, entry->rank, out);
}

// The int64 field 1 of a message; 0 if it is absent.
static bool decode_dim(sli_view_t bytes, int64_t *out_dim) {
  *out_dim = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == 1 && field.type == SLI_WIRE_VARINT) *out_dim = (int64_t)field.value;
  return !reader.malformed;
}

static bool decode_shape(sli_view_t bytes, sli_bundle_entry_t *entry) {
  int64_t dims[SLI_SLICE_MAX_RANK];
  int rank = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == 3) return false;  // unknown rank
    if (field.number != 2) continue;
    if (field.type != SLI_WIRE_BYTES || rank == SLI_SLICE_MAX_RANK || !decode_dim(field.bytes, &dims[rank++]))
      return false;
  }
  int64_t count;
  if (reader.malformed || entry->dims || !sli_dims_count(dims, rank, &count)) return false;
  entry->rank = rank;
  entry->dims = sli_memdup(dims, (size_t)rank * sizeof(*dims));
  return true;
}

static bool decode_extent(sli_view_t bytes, sli_extent_t *out_extent) {
  *out_extent = (sli_extent_t){0, SLI_EXTENT_ALL};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_VARINT) continue;
    if (field.number == 1) out_extent->start = (int64_t)field.value;
    if (field.number == 2) out_extent->length = (int64_t)field.value;
  }
  return !reader.malformed;
}

// Slices come behind the shape, in which they must fit.
static bool decode_slice(sli_view_t bytes, sli_bundle_entry_t *entry) {
  sli_extent_t slice[SLI_SLICE_MAX_RANK];
  int rank = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != 1) continue;
    if (field.type != SLI_WIRE_BYTES || rank == entry->rank || !decode_extent(field.bytes, &slice[rank++]))
      return false;
  }
  if (reader.malformed || !entry->dims || rank != entry->rank || !sli_tensor_slice_fits(slice, entry->dims, rank))
    return false;
  sli_bundle_entry_add_slice(entry, slice);
  return true;
}

void sli_bundle_entry_add_slice(sli_bundle_entry_t *entry, const sli_extent_t *slice) {
  size_t rank = (size_t)entry->rank, count = entry->slice_count;
  // Doubles at powers of two; one more keeps the size above 0 for scalars.
  if ((count & (count - 1)) == 0 || count == 0)
    entry->slices = sli_realloc(entry->slices, ((count ? 2 * count : 1) * rank + 1) * sizeof(*slice));
  memcpy(entry->slices + count * rank, slice, rank * sizeof(*slice));
  entry->slice_count++;
}

static bool decode_field(const sli_wire_field_t *field, sli_bundle_entry_t *entry) {
  bool is_varint = field->type == SLI_WIRE_VARINT, is_bytes = field->type == SLI_WIRE_BYTES;
  switch (field->number) {
    case 1: entry->dtype = (int)field->value; return is_varint && field->value <= INT_MAX;
    case 2: return is_bytes && decode_shape(field->bytes, entry);
    case 3: entry->shard = (int)field->value; return is_varint && field->value <= INT_MAX;
    case 4: entry->offset = field->value; return is_varint && field->value <= INT64_MAX;
    case 5: entry->size = field->value; return is_varint && field->value <= INT64_MAX;
    case 6: entry->masked_crc = (uint32_t)field->value; return field->type == SLI_WIRE_FIXED32;
    case 7: return is_bytes && decode_slice(field->bytes, entry);
    default: return true;
  }
}

bool sli_bundle_entry_decode(sli_view_t key, sli_view_t bytes, sli_bundle_entry_t *out_entry) {
  *out_entry = (sli_bundle_entry_t){.name = sli_view_of(sli_memdup(key.data, key.size), key.size)};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  bool good = true;
  for (sli_wire_field_t field; good && sli_wire_next(&reader, &field);) good = decode_field(&field, out_entry);
  good &= !reader.malformed;
  if (good && !out_entry->dims) good = decode_shape(sli_view_of(NULL, 0), out_entry);
  if (!good) sli_bundle_entry_deinitialize(out_entry);
  return good;
}

void sli_bundle_entry_deinitialize(sli_bundle_entry_t *entry) {
  free((char *)entry->name.data);
  free(entry->dims);
  free(entry->slices);
  *entry = (sli_bundle_entry_t){0};
}

static sli_status_t *unreadable(const char *path, const char *detail) {
  return sli_status_make(SLI_DATA_LOSS,
                         "Unable to read file (%s). Perhaps the file is corrupt or was produced by a newer version "
                         "of TensorFlow with format changes (%s)",
                         path, detail);
}

sli_status_t *sli_bundle_version_check(const char *path, const sli_bundle_header_t *header, int version) {
  if (header->min_consumer > version)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Checkpoint min consumer version %d above current version %d.  Please upgrade. (%s)",
                           header->min_consumer, version, path);
  if (header->bad_consumer)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Checkpoint disallows consumer version %d.  Please upgrade. (%s)",
                           version, path);
  return NULL;
}

static sli_status_t *read_entries(const char *path, sli_table_iterator_t *iterator, sli_bundle_index_t *index) {
  SLI_RETURN_IF_ERROR(sli_table_iterator_seek(iterator, sli_view_of("", 0)));
  if (!sli_table_iterator_valid(iterator) || sli_table_iterator_key(iterator).size != 0)
    return unreadable(path, "failed to seek to header entry");
  if (!sli_bundle_header_decode(sli_table_iterator_value(iterator), &index->header))
    return unreadable(path, "unable to parse header");
  SLI_RETURN_IF_ERROR(sli_bundle_version_check(path, &index->header, SLI_BUNDLE_VERSION));
  if (index->header.big_endian)
    return sli_status_make(SLI_UNIMPLEMENTED, "%s; the checkpoint was written on a big-endian machine", path);
  for (;;) {
    SLI_RETURN_IF_ERROR(sli_table_iterator_next(iterator));
    if (!sli_table_iterator_valid(iterator)) return NULL;
    sli_view_t key = sli_table_iterator_key(iterator);
    if (index->count && sli_table_compare(key, index->items[index->count - 1].name) <= 0)
      return unreadable(path, "keys out of order");
    sli_array_reserve(index, 1);
    sli_bundle_entry_t *entry = &index->items[index->count];
    if (!sli_bundle_entry_decode(key, sli_table_iterator_value(iterator), entry))
      return sli_status_make(SLI_DATA_LOSS, "%s; Entry for key %.*s not parseable.", path, SLI_VIEW_ARG(key));
    index->count++;
    if (entry->slice_count == 0 && entry->shard >= index->header.num_shards)
      return sli_status_make(SLI_DATA_LOSS, "%s; Entry for key %.*s names shard %d of %d", path, SLI_VIEW_ARG(key),
                             entry->shard, index->header.num_shards);
  }
}

sli_status_t *sli_bundle_index_read(const char *prefix, sli_bundle_index_t *out_index) {
  *out_index = (sli_bundle_index_t){0};
  sli_status_t *status = NULL;
  sli_table_t *table = NULL;
  sli_table_iterator_t *iterator = NULL;
  char *path = sli_bundle_index_path(prefix);
  SLI_GOTO_IF_ERROR(status, cleanup, sli_table_open(path, &table));
  iterator = sli_table_iterator_create(table);
  SLI_GOTO_IF_ERROR(status, cleanup, read_entries(path, iterator, out_index));
cleanup:
  if (status) sli_bundle_index_deinitialize(out_index);
  sli_table_iterator_release(iterator);
  sli_table_release(table);
  free(path);
  return status;
}

void sli_bundle_index_deinitialize(sli_bundle_index_t *index) {
  for (size_t i = 0; i < index->count; i++) sli_bundle_entry_deinitialize(&index->items[i]);
  free(index->items);
  *index = (sli_bundle_index_t){0};
}

static int compare_entries(const void *a, const void *b) {
  return sli_table_compare(((const sli_bundle_entry_t *)a)->name, ((const sli_bundle_entry_t *)b)->name);
}

sli_status_t *sli_bundle_index_write(sli_file_writer_t *file, sli_bundle_index_t *index) {
  if (index->count) qsort(index->items, index->count, sizeof(*index->items), compare_entries);
  sli_table_writer_t *table = sli_table_writer_create(file);
  sli_string_t bytes = {0};
  sli_bundle_header_encode(&index->header, &bytes);
  sli_status_t *status = sli_table_writer_add(table, sli_view_of("", 0), sli_view_of(bytes.data, bytes.size));
  for (size_t i = 0; !status && i < index->count; i++) {
    sli_string_clear(&bytes);
    sli_bundle_entry_encode(&index->items[i], &bytes);
    status = sli_table_writer_add(table, index->items[i].name, sli_view_of(bytes.data, bytes.size));
  }
  if (!status) status = sli_table_writer_finish(table);
  sli_string_deinitialize(&bytes);
  sli_table_writer_release(table);
  return status;
}
