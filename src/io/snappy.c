// A varint with the unpacked size, then elements: the low two bits of the
// first byte tell a literal (00) from copies of what was already unpacked, with
// offsets of 11 bits (01), 16 bits (10) or 32 bits (11).
#include "io/snappy.h"

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
  // 60 to 63: the length stands in 1 to 4 bytes of its own.
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
  // Byte by byte: an offset shorter than the length repeats what it just wrote.
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
