// The index of a bundle: a BundleHeaderProto under the key "", and a BundleEntryProto per tensor and per stored slice.
// Entries from a file are checked here, so that the reader can rely on them.
#include <limits.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/checkpoint/bundle_internal.h"
#include "io/checkpoint/table.h"
#include "io/checkpoint/table_internal.h"
#include "proto/bundle.fields.h"
#include "proto/tensor.fields.h"
#include "proto/tensor_proto.h"
#include "proto/types.pb-c.h"
#include "proto/wire.h"

// By DataType number.
static const unsigned char dtype_sizes[] = {
    [TENSORFLOW__DATA_TYPE__DT_FLOAT] = 4,       [TENSORFLOW__DATA_TYPE__DT_DOUBLE] = 8,
    [TENSORFLOW__DATA_TYPE__DT_INT32] = 4,       [TENSORFLOW__DATA_TYPE__DT_UINT8] = 1,
    [TENSORFLOW__DATA_TYPE__DT_INT16] = 2,       [TENSORFLOW__DATA_TYPE__DT_INT8] = 1,
    [TENSORFLOW__DATA_TYPE__DT_COMPLEX64] = 8,   [TENSORFLOW__DATA_TYPE__DT_INT64] = 8,
    [TENSORFLOW__DATA_TYPE__DT_BOOL] = 1,        [TENSORFLOW__DATA_TYPE__DT_QINT8] = 1,
    [TENSORFLOW__DATA_TYPE__DT_QUINT8] = 1,      [TENSORFLOW__DATA_TYPE__DT_QINT32] = 4,
    [TENSORFLOW__DATA_TYPE__DT_BFLOAT16] = 2,    [TENSORFLOW__DATA_TYPE__DT_QINT16] = 2,
    [TENSORFLOW__DATA_TYPE__DT_QUINT16] = 2,     [TENSORFLOW__DATA_TYPE__DT_UINT16] = 2,
    [TENSORFLOW__DATA_TYPE__DT_COMPLEX128] = 16, [TENSORFLOW__DATA_TYPE__DT_HALF] = 2,
    [TENSORFLOW__DATA_TYPE__DT_UINT32] = 4,      [TENSORFLOW__DATA_TYPE__DT_UINT64] = 8,
    [TENSORFLOW__DATA_TYPE__DT_FLOAT8_E5M2] = 1, [TENSORFLOW__DATA_TYPE__DT_FLOAT8_E4M3FN] = 1,
    [TENSORFLOW__DATA_TYPE__DT_INT4] = 1,        [TENSORFLOW__DATA_TYPE__DT_UINT4] = 1,
};

size_t sli_bundle_dtype_size(int dtype) {
  return dtype >= 0 && (size_t)dtype < SLI_ARRAY_COUNT_OF(dtype_sizes) ? dtype_sizes[dtype] : 0;
}

char *sli_bundle_index_path(const char *prefix) { return sli_format("%s.index", prefix); }

char *sli_bundle_data_path(const char *prefix, int shard, int num_shards) {
  return sli_format("%s.data-%05d-of-%05d", prefix, shard, num_shards);
}

// Encoders write the fields in the order of their numbers.
static void encode_header(const sli_bundle_header_t *header, sli_string_t *out) {
  sli_wire_write_nonzero(out, SLI_FIELD_BUNDLE_HEADER_PROTO_NUM_SHARDS, header->num_shards);
  sli_wire_write_nonzero(out, SLI_FIELD_BUNDLE_HEADER_PROTO_ENDIANNESS, header->big_endian);
  size_t version = sli_wire_open(out, SLI_FIELD_BUNDLE_HEADER_PROTO_VERSION);
  sli_wire_write_nonzero(out, SLI_FIELD_VERSION_DEF_PRODUCER, header->producer);
  sli_wire_write_nonzero(out, SLI_FIELD_VERSION_DEF_MIN_CONSUMER, header->min_consumer);
  sli_wire_close(out, version);
}

bool sli_bundle_version_decode(sli_view_t bytes, sli_bundle_header_t *header) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_VERSION_DEF_PRODUCER && field.type == SLI_WIRE_VARINT)
      header->producer = (int)field.value;
    if (field.number == SLI_FIELD_VERSION_DEF_MIN_CONSUMER && field.type == SLI_WIRE_VARINT)
      header->min_consumer = (int)field.value;
    sli_wire_values_t values;
    if (field.number != SLI_FIELD_VERSION_DEF_BAD_CONSUMERS || !sli_wire_values_begin(&field, SLI_WIRE_VARINT, &values))
      continue;
    for (uint64_t bad; sli_wire_values_next(&values, &bad);)
      header->bad_consumer |= bad == SLI_BUNDLE_VERSION;  // V1 has the same number
    if (values.reader.malformed) return false;
  }
  return !reader.malformed;
}

static bool decode_header(sli_view_t bytes, sli_bundle_header_t *out_header) {
  *out_header = (sli_bundle_header_t){0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_BUNDLE_HEADER_PROTO_NUM_SHARDS && field.type == SLI_WIRE_VARINT) {
      if (field.value > INT_MAX) return false;
      out_header->num_shards = (int)field.value;
    }
    if (field.number == SLI_FIELD_BUNDLE_HEADER_PROTO_ENDIANNESS && field.type == SLI_WIRE_VARINT)
      out_header->big_endian = field.value != 0;
    if (field.number == SLI_FIELD_BUNDLE_HEADER_PROTO_VERSION && field.type == SLI_WIRE_BYTES &&
        !sli_bundle_version_decode(field.bytes, out_header))
      return false;
  }
  return !reader.malformed;
}

static void encode_slice(const sli_tensor_slice_extent_t *slice, int rank, sli_string_t *out) {
  size_t message = sli_wire_open(out, SLI_FIELD_BUNDLE_ENTRY_PROTO_SLICES);
  for (int d = 0; d < rank; d++) {
    size_t extent = sli_wire_open(out, SLI_FIELD_TENSOR_SLICE_PROTO_EXTENT);
    if (slice[d].length != SLI_TENSOR_SLICE_ALL) {
      sli_wire_write_nonzero(out, SLI_FIELD_TENSOR_SLICE_PROTO_EXTENT_START, slice[d].start);
      sli_wire_write_int(out, SLI_FIELD_TENSOR_SLICE_PROTO_EXTENT_LENGTH, slice[d].length);
    }
    sli_wire_close(out, extent);
  }
  sli_wire_close(out, message);
}

static void encode_entry(const sli_bundle_entry_t *entry, sli_string_t *out) {
  sli_wire_write_nonzero(out, SLI_FIELD_BUNDLE_ENTRY_PROTO_DTYPE, entry->dtype);
  sli_tensor_proto_write_shape(out, SLI_FIELD_BUNDLE_ENTRY_PROTO_SHAPE, entry->dims, entry->rank);
  sli_wire_write_nonzero(out, SLI_FIELD_BUNDLE_ENTRY_PROTO_SHARD_ID, entry->shard);
  sli_wire_write_nonzero(out, SLI_FIELD_BUNDLE_ENTRY_PROTO_OFFSET, (int64_t)entry->offset);
  sli_wire_write_nonzero(out, SLI_FIELD_BUNDLE_ENTRY_PROTO_SIZE, (int64_t)entry->size);
  if (entry->masked_crc) sli_wire_write_fixed32(out, SLI_FIELD_BUNDLE_ENTRY_PROTO_CRC32C, entry->masked_crc);
  for (size_t i = 0; i < entry->slice_count; i++)
    encode_slice(entry->slices + i * (size_t)entry->rank, entry->rank, out);
}

// The size of a dimension; 0 if it is missing.
static bool decode_dim(sli_view_t bytes, int64_t *out_dim) {
  *out_dim = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_TENSOR_SHAPE_PROTO_DIM_SIZE && field.type == SLI_WIRE_VARINT)
      *out_dim = (int64_t)field.value;
  return !reader.malformed;
}

static bool decode_shape(sli_view_t bytes, sli_bundle_entry_t *entry) {
  int64_t dims[SLI_TENSOR_SLICE_MAX_RANK];
  int rank = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_TENSOR_SHAPE_PROTO_UNKNOWN_RANK) return false;
    if (field.number != SLI_FIELD_TENSOR_SHAPE_PROTO_DIM) continue;
    if (field.type != SLI_WIRE_BYTES || rank == SLI_TENSOR_SLICE_MAX_RANK || !decode_dim(field.bytes, &dims[rank++]))
      return false;
  }
  int64_t count;
  if (reader.malformed || entry->dims || !sli_tensor_slice_count(dims, rank, &count)) return false;
  entry->rank = rank;
  entry->dims = sli_memdup(dims, (size_t)rank * sizeof(*dims));
  return true;
}

static bool decode_extent(sli_view_t bytes, sli_tensor_slice_extent_t *out_extent) {
  *out_extent = (sli_tensor_slice_extent_t){0, SLI_TENSOR_SLICE_ALL};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_VARINT) continue;
    if (field.number == SLI_FIELD_TENSOR_SLICE_PROTO_EXTENT_START) out_extent->start = (int64_t)field.value;
    if (field.number == SLI_FIELD_TENSOR_SLICE_PROTO_EXTENT_LENGTH) out_extent->length = (int64_t)field.value;
  }
  return !reader.malformed;
}

// The slices come after the shape and must fit in it.
static bool decode_slice(sli_view_t bytes, sli_bundle_entry_t *entry) {
  sli_tensor_slice_extent_t slice[SLI_TENSOR_SLICE_MAX_RANK];
  int rank = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_TENSOR_SLICE_PROTO_EXTENT) continue;
    if (field.type != SLI_WIRE_BYTES || rank == entry->rank || !decode_extent(field.bytes, &slice[rank++]))
      return false;
  }
  if (reader.malformed || !entry->dims || rank != entry->rank || !sli_tensor_slice_fits(slice, entry->dims, rank))
    return false;
  sli_bundle_entry_add_slice(entry, slice);
  return true;
}

void sli_bundle_entry_add_slice(sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice) {
  size_t rank = (size_t)entry->rank, count = entry->slice_count;
  // The capacity doubles at powers of two. The 1 keeps the size above 0 for scalars.
  if ((count & (count - 1)) == 0 || count == 0)
    entry->slices = sli_realloc(entry->slices, ((count ? 2 * count : 1) * rank + 1) * sizeof(*slice));
  memcpy(entry->slices + count * rank, slice, rank * sizeof(*slice));
  entry->slice_count++;
}

static bool decode_field(const sli_wire_field_t *field, sli_bundle_entry_t *entry) {
  bool is_varint = field->type == SLI_WIRE_VARINT, is_bytes = field->type == SLI_WIRE_BYTES;
  switch (field->number) {
    case SLI_FIELD_BUNDLE_ENTRY_PROTO_DTYPE:
      entry->dtype = (int)field->value;
      return is_varint && field->value <= INT_MAX;
    case SLI_FIELD_BUNDLE_ENTRY_PROTO_SHAPE: return is_bytes && decode_shape(field->bytes, entry);
    case SLI_FIELD_BUNDLE_ENTRY_PROTO_SHARD_ID:
      entry->shard = (int)field->value;
      return is_varint && field->value <= INT_MAX;
    case SLI_FIELD_BUNDLE_ENTRY_PROTO_OFFSET:
      entry->offset = field->value;
      return is_varint && field->value <= INT64_MAX;
    case SLI_FIELD_BUNDLE_ENTRY_PROTO_SIZE: entry->size = field->value; return is_varint && field->value <= INT64_MAX;
    case SLI_FIELD_BUNDLE_ENTRY_PROTO_CRC32C:
      entry->masked_crc = (uint32_t)field->value;
      return field->type == SLI_WIRE_FIXED32;
    case SLI_FIELD_BUNDLE_ENTRY_PROTO_SLICES: return is_bytes && decode_slice(field->bytes, entry);
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
  if (!decode_header(sli_table_iterator_value(iterator), &index->header))
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
  encode_header(&index->header, &bytes);
  sli_status_t *status = sli_table_writer_add(table, sli_view_of("", 0), sli_view_of(bytes.data, bytes.size));
  for (size_t i = 0; !status && i < index->count; i++) {
    sli_string_clear(&bytes);
    encode_entry(&index->items[i], &bytes);
    status = sli_table_writer_add(table, index->items[i].name, sli_view_of(bytes.data, bytes.size));
  }
  if (!status) status = sli_table_writer_finish(table);
  sli_string_deinitialize(&bytes);
  sli_table_writer_release(table);
  return status;
}
