// A table keeps its index in memory; an iterator keeps its current block. The checksum of a block is checked when it is
// read, and every length in it when it is used.
#include <stdlib.h>

#include "base/alloc.h"
#include "io/checkpoint/table.h"
#include "io/checkpoint/table_internal.h"
#include "io/file/coding.h"
#include "io/file/crc32c.h"
#include "io/file/snappy.h"
#include "proto/wire.h"

typedef struct {
  char *bytes;
  size_t size;      // of the entries
  size_t restarts;  // their number; their offsets follow the entries
} block_t;

// A position in a block: the entry [at, next) with its complete key.
typedef struct {
  const block_t *block;
  size_t at, next;
  sli_string_t key;
  sli_view_t value;
  bool valid;
} cursor_t;

struct sli_table {
  sli_file_reader_t *file;
  uint64_t size;
  block_t index;
};

struct sli_table_iterator {
  sli_table_t *table;
  cursor_t index, data;
  block_t block;
};

static sli_status_t *table_damaged(sli_table_t *table, const char *what) {
  return sli_status_make(SLI_DATA_LOSS, "%s; %s", sli_file_reader_path(table->file), what);
}

static void block_deinitialize(block_t *block) {
  free(block->bytes);
  *block = (block_t){0};
}

// Decompresses |*bytes|, |*size| in place.
static sli_status_t *unpack(sli_table_t *table, char **bytes, size_t *size) {
  size_t unpacked_size;
  sli_view_t packed = sli_view_of(*bytes, *size);
  if (!sli_snappy_size(packed, &unpacked_size)) return table_damaged(table, "corrupted compressed block contents");
  char *unpacked = sli_malloc_or_null(unpacked_size + 1);
  if (!unpacked)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s; no memory for a block of %zu bytes",
                           sli_file_reader_path(table->file), unpacked_size);
  if (!sli_snappy_unpack(packed, unpacked, unpacked_size)) {
    free(unpacked);
    return table_damaged(table, "corrupted compressed block contents");
  }
  free(*bytes);
  *bytes = unpacked;
  *size = unpacked_size;
  return NULL;
}

static sli_status_t *read_block(sli_table_t *table, sli_table_handle_t handle, block_t *out_block) {
  *out_block = (block_t){0};
  if (handle.offset > table->size || handle.size > table->size - handle.offset ||
      table->size - handle.offset - handle.size < SLI_TABLE_TRAILER_SIZE)
    return table_damaged(table, "bad block handle");
  size_t size = (size_t)handle.size;
  char *bytes = sli_malloc_or_null(size + SLI_TABLE_TRAILER_SIZE);
  if (!bytes)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s; no memory for a block of %zu bytes",
                           sli_file_reader_path(table->file), size);
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, failed,
                    sli_file_reader_read_all(table->file, handle.offset, bytes, size + SLI_TABLE_TRAILER_SIZE));
  uint32_t stored = sli_crc32c_unmask(sli_coding_load_u32(bytes + size + 1));
  if (sli_crc32c(bytes, size + 1) != stored) {
    status = table_damaged(table, "block checksum mismatch");
    goto failed;
  }
  int type = bytes[size];
  if (type == SLI_TABLE_SNAPPY)
    SLI_GOTO_IF_ERROR(status, failed, unpack(table, &bytes, &size));
  else if (type != SLI_TABLE_PLAIN) {
    status = table_damaged(table, "bad block type");
    goto failed;
  }
  uint64_t restarts = size >= 4 ? sli_coding_load_u32(bytes + size - 4) : UINT64_MAX;
  if (restarts > size / 4 - 1) {
    status = table_damaged(table, "bad block contents");
    goto failed;
  }
  *out_block = (block_t){.bytes = bytes, .size = size - 4 * (size_t)(restarts + 1), .restarts = (size_t)restarts};
  return NULL;
failed:
  free(bytes);
  return status;
}

// Reads the entry at cursor->next. At the end of the block the cursor becomes invalid.
static sli_status_t *cursor_step(sli_table_t *table, cursor_t *cursor) {
  const block_t *block = cursor->block;
  cursor->valid = false;
  cursor->at = cursor->next;
  if (cursor->at >= block->size) return NULL;
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(block->bytes + cursor->at, block->size - cursor->at));
  uint64_t shared, unshared, value_size;
  if (!sli_wire_read_varint(&reader, &shared) || !sli_wire_read_varint(&reader, &unshared) ||
      !sli_wire_read_varint(&reader, &value_size))
    return table_damaged(table, "bad entry in block");
  size_t left = (size_t)(reader.end - reader.next);
  if (shared > cursor->key.size || unshared > left || value_size > left - unshared)
    return table_damaged(table, "bad entry in block");
  cursor->key.size = (size_t)shared;
  sli_string_append(&cursor->key, reader.next, (size_t)unshared);
  cursor->value = sli_view_of((const char *)reader.next + unshared, (size_t)value_size);
  cursor->next = (size_t)((const char *)reader.next - block->bytes) + (size_t)(unshared + value_size);
  cursor->valid = true;
  return NULL;
}

static sli_view_t cursor_key(const cursor_t *cursor) { return sli_view_of(cursor->key.data, cursor->key.size); }

// Moves to the |i|th restart and reads its entry.
static sli_status_t *cursor_restart(sli_table_t *table, cursor_t *cursor, size_t i) {
  const block_t *block = cursor->block;
  cursor->next = i ? sli_coding_load_u32(block->bytes + block->size + 4 * i) : 0;
  sli_string_clear(&cursor->key);
  return cursor_step(table, cursor);
}

// Moves to the first entry of |block| whose key is not less than |key|.
static sli_status_t *cursor_seek(sli_table_t *table, cursor_t *cursor, const block_t *block, sli_view_t key) {
  cursor->block = block;
  // The last restart whose key is less than |key| is in [low, high).
  size_t low = 0, high = block->restarts ? block->restarts : 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    SLI_RETURN_IF_ERROR(cursor_restart(table, cursor, middle));
    if (cursor->valid && sli_table_compare(cursor_key(cursor), key) < 0)
      low = middle;
    else
      high = middle;
  }
  SLI_RETURN_IF_ERROR(cursor_restart(table, cursor, low));
  while (cursor->valid && sli_table_compare(cursor_key(cursor), key) < 0)
    SLI_RETURN_IF_ERROR(cursor_step(table, cursor));
  return NULL;
}

static bool get_handle(sli_wire_reader_t *reader, sli_table_handle_t *out_handle) {
  return sli_wire_read_varint(reader, &out_handle->offset) && sli_wire_read_varint(reader, &out_handle->size);
}

sli_status_t *sli_table_open(const char *path, sli_table_t **out_table) {
  *out_table = NULL;
  sli_status_t *status = NULL;
  sli_table_t *table = sli_calloc(1, sizeof(*table));
  char footer[SLI_TABLE_FOOTER_SIZE];
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_reader_open(path, &table->file));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_reader_size(table->file, &table->size));
  if (table->size < sizeof(footer)) {
    status = table_damaged(table, "file is too short to be an sstable");
    goto cleanup;
  }
  SLI_GOTO_IF_ERROR(status, cleanup,
                    sli_file_reader_read_all(table->file, table->size - sizeof(footer), footer, sizeof(footer)));
  if (sli_coding_load_u64(footer + SLI_TABLE_HANDLES_SIZE) != SLI_TABLE_MAGIC) {
    status = table_damaged(table, "not an sstable (bad magic number)");
    goto cleanup;
  }
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(footer, SLI_TABLE_HANDLES_SIZE));
  sli_table_handle_t metaindex, index;
  if (!get_handle(&reader, &metaindex) || !get_handle(&reader, &index)) {
    status = table_damaged(table, "bad block handle");
    goto cleanup;
  }
  SLI_GOTO_IF_ERROR(status, cleanup, read_block(table, index, &table->index));
  *out_table = table;
  table = NULL;
cleanup:
  sli_table_release(table);
  return status;
}

void sli_table_release(sli_table_t *table) {
  if (!table) return;
  block_deinitialize(&table->index);
  sli_file_reader_release(table->file);
  free(table);
}

sli_table_iterator_t *sli_table_iterator_create(sli_table_t *table) {
  sli_table_iterator_t *iterator = sli_calloc(1, sizeof(*iterator));
  iterator->table = table;
  return iterator;
}

void sli_table_iterator_release(sli_table_iterator_t *iterator) {
  if (!iterator) return;
  block_deinitialize(&iterator->block);
  sli_string_deinitialize(&iterator->index.key);
  sli_string_deinitialize(&iterator->data.key);
  free(iterator);
}

// Seeks |key| in the current block of the index, or moves to the first entry after it in a later block.
static sli_status_t *enter_block(sli_table_iterator_t *iterator, sli_view_t key) {
  sli_table_t *table = iterator->table;
  iterator->data.valid = false;
  while (iterator->index.valid) {
    sli_wire_reader_t reader = sli_wire_reader(iterator->index.value);
    sli_table_handle_t handle;
    if (!get_handle(&reader, &handle)) return table_damaged(table, "bad block handle");
    block_deinitialize(&iterator->block);
    SLI_RETURN_IF_ERROR(read_block(table, handle, &iterator->block));
    SLI_RETURN_IF_ERROR(cursor_seek(table, &iterator->data, &iterator->block, key));
    if (iterator->data.valid) return NULL;
    SLI_RETURN_IF_ERROR(cursor_step(table, &iterator->index));
  }
  return NULL;
}

sli_status_t *sli_table_iterator_seek(sli_table_iterator_t *iterator, sli_view_t key) {
  iterator->data.valid = false;
  SLI_RETURN_IF_ERROR(cursor_seek(iterator->table, &iterator->index, &iterator->table->index, key));
  return enter_block(iterator, key);
}

sli_status_t *sli_table_iterator_next(sli_table_iterator_t *iterator) {
  SLI_CHECK(iterator->data.valid);
  SLI_RETURN_IF_ERROR(cursor_step(iterator->table, &iterator->data));
  if (iterator->data.valid) return NULL;
  SLI_RETURN_IF_ERROR(cursor_step(iterator->table, &iterator->index));
  return enter_block(iterator, sli_view_of("", 0));
}

bool sli_table_iterator_valid(const sli_table_iterator_t *iterator) { return iterator->data.valid; }

sli_view_t sli_table_iterator_key(const sli_table_iterator_t *iterator) { return cursor_key(&iterator->data); }

sli_view_t sli_table_iterator_value(const sli_table_iterator_t *iterator) { return iterator->data.value; }
