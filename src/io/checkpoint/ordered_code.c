#include "io/checkpoint/ordered_code.h"

// Strings: 00 becomes 00 ff and ff becomes ff 00, so that the end marker, 00 01, sorts before every continuation.
void sli_ordered_code_write_string(sli_string_t *out, sli_view_t string) {
  for (size_t i = 0; i < string.size; i++) {
    uint8_t byte = (uint8_t)string.data[i];
    sli_string_append_char(out, (char)byte);
    if (byte == 0x00 || byte == 0xff) sli_string_append_char(out, (char)(byte ^ 0xff));
  }
  sli_string_append(out, "\x00\x01", 2);
}

// Unsigned: the number of bytes, then the bytes, most significant first.
void sli_ordered_code_write_uint(sli_string_t *out, uint64_t value) {
  int count = 0;
  while (count < 8 && value >> 8 * count) count++;
  sli_string_append_char(out, (char)count);
  while (count--) sli_string_append_char(out, (char)(value >> 8 * count));
}

// Signed: n bytes of two's complement, most significant byte first. n is large enough for the number, its sign and n
// header bits before it, each of which is the inverse of the sign bit.
// (A non-negative number of 2 bytes starts with 110, a negative one with 001.)
enum { MAX_INT_SIZE = 10 };

// The n header bits of a non-negative number, at the top of the first two bytes.
static uint16_t header_bits(int n) { return (uint16_t)(0xffff << (16 - n)); }

void sli_ordered_code_write_int(sli_string_t *out, int64_t value) {
  uint64_t magnitude = value < 0 ? ~(uint64_t)value : (uint64_t)value;
  int n = 1;
  while (n < MAX_INT_SIZE && magnitude >> (7 * n - 1)) n++;
  uint8_t bytes[MAX_INT_SIZE];
  for (int i = 0; i < n; i++) {
    int shift = 8 * (n - 1 - i);
    bytes[i] = shift < 64 ? (uint8_t)((uint64_t)value >> shift) : value < 0 ? 0xff : 0x00;
  }
  bytes[0] ^= (uint8_t)(header_bits(n) >> 8);
  if (n > 1) bytes[1] ^= (uint8_t)header_bits(n);
  sli_string_append(out, bytes, (size_t)n);
}
