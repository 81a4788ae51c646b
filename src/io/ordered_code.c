#include "io/ordered_code.h"

// Strings: 00 becomes 00 ff and ff becomes ff 00, so that the end, 00 01, sorts
// before every continuation.
void sli_ordered_code_write_string(sli_string_t *out, sli_view_t string) {
  for (size_t i = 0; i < string.size; i++) {
    uint8_t byte = (uint8_t)string.data[i];
    sli_string_append_char(out, (char)byte);
    if (byte == 0x00 || byte == 0xff) sli_string_append_char(out, (char)(byte ^ 0xff));
  }
  sli_string_append(out, "\x00\x01", 2);
}

bool sli_ordered_code_read_string(sli_view_t *in, sli_string_t *out_string) {
  sli_string_clear(out_string);
  for (size_t i = 0; i < in->size; i++) {
    uint8_t byte = (uint8_t)in->data[i];
    if (byte == 0x00 || byte == 0xff) {
      if (++i == in->size) return false;
      uint8_t next = (uint8_t)in->data[i];
      if (byte == 0x00 && next == 0x01) {
        *in = sli_view_of(in->data + i + 1, in->size - i - 1);
        return true;
      }
      if ((next ^ byte) != 0xff) return false;
    }
    sli_string_append_char(out_string, (char)byte);
  }
  return false;
}

// Unsigned: how many bytes, then those, most significant first.
void sli_ordered_code_write_uint(sli_string_t *out, uint64_t value) {
  int count = 0;
  while (count < 8 && value >> 8 * count) count++;
  sli_string_append_char(out, (char)count);
  while (count--) sli_string_append_char(out, (char)(value >> 8 * count));
}

bool sli_ordered_code_read_uint(sli_view_t *in, uint64_t *out_value) {
  if (in->size == 0) return false;
  size_t count = (uint8_t)in->data[0];
  if (count > 8 || count >= in->size) return false;
  *out_value = 0;
  for (size_t i = 1; i <= count; i++) *out_value = *out_value << 8 | (uint8_t)in->data[i];
  *in = sli_view_of(in->data + count + 1, in->size - count - 1);
  return true;
}

// Signed: two's complement, most significant byte first, in n bytes that leave
// room for n header bits and the sign: n times the inverse of the sign bit.
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

bool sli_ordered_code_read_int(sli_view_t *in, int64_t *out_value) {
  if (in->size == 0) return false;
  const uint8_t *bytes = (const uint8_t *)in->data;
  uint8_t flip = bytes[0] & 0x80 ? 0x00 : 0xff;
  // n: the run of ones at the top, once a negative number is flipped.
  int n = 0;
  while (n < MAX_INT_SIZE && (size_t)(n / 8) < in->size && (bytes[n / 8] ^ flip) >> (7 - n % 8) & 1) n++;
  if ((size_t)n > in->size) return false;
  uint64_t value = flip ? ~UINT64_C(0) : 0;
  for (int i = 0; i < n; i++) {
    uint8_t byte = bytes[i];
    if (i < 2) byte ^= (uint8_t)(header_bits(n) >> (i == 0 ? 8 : 0));
    // What is shifted out must be sign, or the number has more than 64 bits.
    if (n > 8 && i < n - 8 && byte != flip) return false;
    value = value << 8 | byte;
  }
  if (n == MAX_INT_SIZE && value >> 63 != (flip ? 1 : 0)) return false;
  *out_value = (int64_t)value;
  *in = sli_view_of(in->data + n, in->size - (size_t)n);
  return true;
}
