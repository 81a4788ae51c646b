// Tables are written with TensorFlow's block sizes, so that equal contents give equal bytes.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/checkpoint/table.h"
#include "io/checkpoint/table_internal.h"
#include "io/file/coding.h"
#include "io/file/crc32c.h"
#include "proto/wire.h"

enum {
  BLOCK_SIZE = 256 << 10,
  DATA_RESTARTS = 16,  // keys from one restart to the next
  INDEX_RESTARTS = 1,
};

typedef struct {
  sli_string_t bytes;
  SLI_ARRAY(uint32_t) restarts;  // without the first, which is 0
  sli_string_t last_key;
  int interval, since_restart;
} block_builder_t;

struct sli_table_writer {
  sli_file_writer_t *file;
  uint64_t offset;
  block_builder_t data, index;
  sli_string_t last_key;
  bool empty;                // no key was added yet
  bool index_entry_pending;  // a block was written; its index entry depends on the next key
  sli_table_handle_t written;
};

static size_t block_size(const block_builder_t *block) {
  return block->bytes.size + (block->restarts.count + 2) * sizeof(uint32_t);
}

static void block_add(block_builder_t *block, sli_view_t key, sli_view_t value) {
  size_t shared = 0, most = block->last_key.size < key.size ? block->last_key.size : key.size;
  if (block->since_restart < block->interval) {
    while (shared < most && block->last_key.data[shared] == key.data[shared]) shared++;
  } else {
    sli_array_push(&block->restarts, (uint32_t)block->bytes.size);
    block->since_restart = 0;
  }
  sli_wire_write_varint(&block->bytes, shared);
  sli_wire_write_varint(&block->bytes, key.size - shared);
  sli_wire_write_varint(&block->bytes, value.size);
  sli_string_append(&block->bytes, key.data + shared, key.size - shared);
  sli_string_append(&block->bytes, value.data, value.size);
  sli_string_clear(&block->last_key);
  sli_string_append(&block->last_key, key.data, key.size);
  block->since_restart++;
}

static void block_clear(block_builder_t *block) {
  sli_string_clear(&block->bytes);
  sli_string_clear(&block->last_key);
  block->restarts.count = 0;
  block->since_restart = 0;
}

static void block_builder_deinitialize(block_builder_t *block) {
  sli_string_deinitialize(&block->bytes);
  sli_string_deinitialize(&block->last_key);
  sli_array_deinitialize(&block->restarts);
}

sli_table_writer_t *sli_table_writer_create(sli_file_writer_t *file) {
  sli_table_writer_t *writer = sli_calloc(1, sizeof(*writer));
  writer->file = file;
  writer->data.interval = DATA_RESTARTS;
  writer->index.interval = INDEX_RESTARTS;
  writer->empty = true;
  return writer;
}

void sli_table_writer_release(sli_table_writer_t *writer) {
  if (!writer) return;
  block_builder_deinitialize(&writer->data);
  block_builder_deinitialize(&writer->index);
  sli_string_deinitialize(&writer->last_key);
  free(writer);
}

// Ends |block|, writes it and clears it.
static sli_status_t *write_block(sli_table_writer_t *writer, block_builder_t *block, sli_table_handle_t *out_handle) {
  sli_coding_store_u32(sli_string_extend(&block->bytes, 4), 0);
  for (size_t i = 0; i < block->restarts.count; i++)
    sli_coding_store_u32(sli_string_extend(&block->bytes, 4), block->restarts.items[i]);
  sli_coding_store_u32(sli_string_extend(&block->bytes, 4), (uint32_t)block->restarts.count + 1);
  *out_handle = (sli_table_handle_t){.offset = writer->offset, .size = block->bytes.size};
  sli_string_append_char(&block->bytes, SLI_TABLE_PLAIN);
  uint32_t crc = sli_crc32c(block->bytes.data, block->bytes.size);
  sli_coding_store_u32(sli_string_extend(&block->bytes, 4), sli_crc32c_mask(crc));
  writer->offset += block->bytes.size;
  sli_status_t *status = sli_file_writer_write(writer->file, block->bytes.data, block->bytes.size);
  block_clear(block);
  return status;
}

static sli_status_t *flush_data(sli_table_writer_t *writer) {
  if (writer->data.bytes.size == 0) return NULL;
  SLI_RETURN_IF_ERROR(write_block(writer, &writer->data, &writer->written));
  writer->index_entry_pending = true;
  return NULL;
}

static void put_handle(sli_string_t *out, sli_table_handle_t handle) {
  sli_wire_write_varint(out, handle.offset);
  sli_wire_write_varint(out, handle.size);
}

static void add_index_entry(sli_table_writer_t *writer) {
  sli_string_t handle = {0};
  put_handle(&handle, writer->written);
  block_add(&writer->index, sli_view_of(sli_string_text(&writer->last_key), writer->last_key.size),
            sli_view_of(handle.data, handle.size));
  sli_string_deinitialize(&handle);
  writer->index_entry_pending = false;
}

// Shortens |key| to a key in [key, next), if possible.
static void shorten_before(sli_string_t *key, sli_view_t next) {
  size_t same = 0, most = key->size < next.size ? key->size : next.size;
  while (same < most && key->data[same] == next.data[same]) same++;
  if (same == most) return;
  uint8_t byte = (uint8_t)key->data[same];
  if (byte == 0xff || byte + 1 >= (uint8_t)next.data[same]) return;
  key->data[same]++;
  key->size = same + 1;
}

// Shortens |key| to a key that is not less than it, if possible.
static void shorten_after(sli_string_t *key) {
  for (size_t i = 0; i < key->size; i++) {
    if ((uint8_t)key->data[i] == 0xff) continue;
    key->data[i]++;
    key->size = i + 1;
    return;
  }
}

sli_status_t *sli_table_writer_add(sli_table_writer_t *writer, sli_view_t key, sli_view_t value) {
  sli_view_t last = sli_view_of(writer->last_key.data, writer->last_key.size);
  // The pending index entry has not shortened last_key yet.
  if (!writer->empty && sli_table_compare(key, last) <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s; the key \"%.*s\" is out of order in a table",
                           sli_file_writer_path(writer->file), SLI_VIEW_ARG(key));
  if (key.size > UINT32_MAX / 2 || value.size > UINT32_MAX / 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s; the entry \"%.64s\" is too long for a table",
                           sli_file_writer_path(writer->file), key.data);
  if (!writer->empty && key.size + value.size >= 2 * BLOCK_SIZE) SLI_RETURN_IF_ERROR(flush_data(writer));
  if (writer->index_entry_pending) {
    shorten_before(&writer->last_key, key);
    add_index_entry(writer);
  }
  sli_string_clear(&writer->last_key);
  sli_string_append(&writer->last_key, key.data, key.size);
  writer->empty = false;
  block_add(&writer->data, key, value);
  return block_size(&writer->data) >= BLOCK_SIZE ? flush_data(writer) : NULL;
}

sli_status_t *sli_table_writer_finish(sli_table_writer_t *writer) {
  sli_table_handle_t metaindex, index;
  block_builder_t nothing = {0};
  SLI_RETURN_IF_ERROR(flush_data(writer));
  sli_status_t *status = write_block(writer, &nothing, &metaindex);
  block_builder_deinitialize(&nothing);
  if (status) return status;
  if (writer->index_entry_pending) {
    shorten_after(&writer->last_key);
    add_index_entry(writer);
  }
  SLI_RETURN_IF_ERROR(write_block(writer, &writer->index, &index));

  sli_string_t footer = {0};
  put_handle(&footer, metaindex);
  put_handle(&footer, index);
  size_t padding = SLI_TABLE_HANDLES_SIZE - footer.size;
  memset(sli_string_extend(&footer, padding), 0, padding);
  sli_coding_store_u64(sli_string_extend(&footer, 8), SLI_TABLE_MAGIC);
  status = sli_file_writer_write(writer->file, footer.data, footer.size);
  sli_string_deinitialize(&footer);
  return status;
}
