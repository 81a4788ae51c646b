// The format is a varint with the decompressed size, then elements. The low two bits of an element's first byte select
// a literal (00) or a copy of earlier output with an offset of 11 bits (01), 16 bits (10) or 32 bits (11).
#include "io/file/snappy.h"

#include "proto/wire.h"

bool sli_snappy_size(sli_view_t packed, size_t *out_size) {
  sli_wire_reader_t reader = sli_wire_reader(packed);
  uint64_t size;
  if (!sli_wire_read_varint(&reader, &size) || size > UINT32_MAX) return false;
  *out_size = (size_t)size;
  return true;
}

// |count| bytes, least significant first.
static bool take_number(sli_wire_reader_t *in, int count, size_t *out_value) {
  if (in->end - in->next < count) return false;
  *out_value = 0;
  for (int i = 0; i < count; i++) *out_value |= (size_t)*in->next++ << 8 * i;
  return true;
}

static bool take_literal(sli_wire_reader_t *in, uint8_t tag, char *data, size_t size, size_t *done) {
  size_t length = tag >> 2;
  // 60 to 63: the length is in the next 1 to 4 bytes.
  if (length >= 60 && !take_number(in, (int)length - 59, &length)) return false;
  length++;
  if (length > (size_t)(in->end - in->next) || length > size - *done) return false;
  memcpy(data + *done, in->next, length);
  in->next += length;
  *done += length;
  return true;
}

static bool take_copy(sli_wire_reader_t *in, uint8_t tag, char *data, size_t size, size_t *done) {
  size_t length, offset;
  if ((tag & 3) == 1) {
    if (!take_number(in, 1, &offset)) return false;
    length = 4 + (tag >> 2 & 7);
    offset |= (size_t)(tag >> 5) << 8;
  } else {
    if (!take_number(in, (tag & 3) == 2 ? 2 : 4, &offset)) return false;
    length = 1 + (tag >> 2);
  }
  if (offset == 0 || offset > *done || length > size - *done) return false;
  // Byte by byte: if the offset is shorter than the length, the copy repeats its own output.
  for (size_t i = 0; i < length; i++, ++*done) data[*done] = data[*done - offset];
  return true;
}

bool sli_snappy_unpack(sli_view_t packed, char *data, size_t size) {
  sli_wire_reader_t in = sli_wire_reader(packed);
  uint64_t said;
  if (!sli_wire_read_varint(&in, &said) || said != size) return false;
  size_t done = 0;
  while (in.next < in.end) {
    uint8_t tag = *in.next++;
    if (!((tag & 3) == 0 ? take_literal : take_copy)(&in, tag, data, size, &done)) return false;
  }
  return done == size;
}

// --- Packing ---------------------------------------------------------------------------------

enum { BLOCK_SIZE = 1 << 16, HASH_BITS = 12 };

static uint32_t load32(const char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof(value));
  return value;
}

static void put_literal(sli_string_t *out, const char *data, size_t size) {
  if (size == 0) return;
  size_t length = size - 1;
  if (length < 60) {
    sli_string_append_char(out, (char)(length << 2));
  } else {
    int bytes = length < 1 << 8 ? 1 : 2;  // a block has no more
    sli_string_append_char(out, (char)((59 + bytes) << 2));
    for (int i = 0; i < bytes; i++) sli_string_append_char(out, (char)(length >> 8 * i));
  }
  sli_string_append(out, data, size);
}

static void put_copy(sli_string_t *out, size_t offset, size_t size) {
  while (size > 0) {
    size_t length = size < 64 ? size : 64;
    sli_string_append_char(out, (char)((length - 1) << 2 | 2));
    sli_string_append_char(out, (char)offset);
    sli_string_append_char(out, (char)(offset >> 8));
    size -= length;
  }
}

// Copies refer to the same block only, so that their offsets have 16 bits.
static void pack_block(const char *data, size_t size, sli_string_t *out) {
  uint16_t places[1 << HASH_BITS] = {0};  // where four bytes of a hash were seen last
  size_t done = 0;
  for (size_t at = 1; at + 4 <= size;) {
    uint32_t four = load32(data + at);
    uint16_t *place = &places[four * 0x1e35a7bdu >> (32 - HASH_BITS)];
    size_t seen = *place;
    *place = (uint16_t)at;
    if (load32(data + seen) != four || seen >= at) {
      at++;
      continue;
    }
    size_t length = 4;
    while (at + length < size && data[seen + length] == data[at + length]) length++;
    put_literal(out, data + done, at - done);
    put_copy(out, at - seen, length);
    at += length;
    done = at;
  }
  put_literal(out, data + done, size - done);
}

void sli_snappy_pack(sli_view_t data, sli_string_t *out) {
  sli_wire_write_varint(out, data.size);
  for (size_t at = 0; at < data.size; at += BLOCK_SIZE)
    pack_block(data.data + at, data.size - at < BLOCK_SIZE ? data.size - at : BLOCK_SIZE, out);
}
