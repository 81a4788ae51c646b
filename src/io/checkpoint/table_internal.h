// The format of tables, shared by writer and reader.
//
//   table:  data block… | metaindex block (empty) | index block | footer
//   block:  entry… | uint32 restart… | uint32 restart count || type byte, masked crc32c
//   entry:  varint shared, unshared, value size | unshared bytes of the key | value
//   footer: handles of metaindex and index, padded to 40 bytes | magic
//   handle: varint offset, size (without the 5 bytes after the block)
//
// The first |shared| bytes of a key are those of the previous key; at a restart it is 0. The index has an entry per
// data block: the block's handle under a key that is not less than the block's last key and less than the next block's
// first.
#ifndef SLI_IO_CHECKPOINT_TABLE_INTERNAL_H_
#define SLI_IO_CHECKPOINT_TABLE_INTERNAL_H_

#include <stdint.h>

#include "base/string.h"

#define SLI_TABLE_MAGIC UINT64_C(0xdb4775248b80fb57)

enum {
  SLI_TABLE_FOOTER_SIZE = 48,
  SLI_TABLE_HANDLES_SIZE = 40,
  SLI_TABLE_TRAILER_SIZE = 5,
  SLI_TABLE_PLAIN = 0,
  SLI_TABLE_SNAPPY = 1,
};

typedef struct {
  uint64_t offset, size;
} sli_table_handle_t;

static inline int sli_table_compare(sli_view_t a, sli_view_t b) {
  size_t shorter = a.size < b.size ? a.size : b.size;
  int order = shorter ? memcmp(a.data, b.data, shorter) : 0;
  return order ? order : (a.size > b.size) - (a.size < b.size);
}

#endif  // SLI_IO_CHECKPOINT_TABLE_INTERNAL_H_
