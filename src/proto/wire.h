// Protocol buffers' wire format, read and written without message structs. Hot paths use it to avoid copies.
// The reader is a cursor over borrowed bytes. It checks every length; the views that it returns point into those bytes.
// Fields are named by the constants of proto/<file>.fields.h, which the build generates from <file>.proto.
//
//   sli_wire_reader_t reader = sli_wire_reader(bytes);
//   for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
//     if (field.number == SLI_FIELD_TENSOR_PROTO_DTYPE) …
//   if (reader.malformed) return sli_wire_error("tensorflow.TensorProto");
//
// Thread-compatible. Nothing here blocks.
#ifndef SLI_PROTO_WIRE_H_
#define SLI_PROTO_WIRE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

typedef enum {
  SLI_WIRE_VARINT = 0,
  SLI_WIRE_FIXED64 = 1,
  SLI_WIRE_BYTES = 2,
  SLI_WIRE_FIXED32 = 5,  // 3 and 4 are groups: TensorFlow uses none, the reader rejects them
} sli_wire_type_t;

enum { SLI_WIRE_MAX_VARINT = 10, SLI_WIRE_MAX_NUMBER = (1 << 29) - 1 };

typedef struct {
  const uint8_t *next, *end;
  bool malformed;  // once set, it stays set, and the reader is at its end
} sli_wire_reader_t;

typedef struct {
  uint32_t number;
  sli_wire_type_t type;
  uint64_t value;      // varint, fixed32 (low half) or fixed64
  sli_view_t bytes;    // SLI_WIRE_BYTES: the payload
  sli_view_t encoded;  // all that follows the tag, a length prefix included
} sli_wire_field_t;

static inline sli_wire_reader_t sli_wire_reader(sli_view_t bytes) {
  const uint8_t *data = (const uint8_t *)bytes.data;
  return (sli_wire_reader_t){.next = data, .end = bytes.size ? data + bytes.size : data};
}

// Returns false and sets |malformed| if the bytes end inside the varint or it has more than ten bytes. Bits past the
// 64th are dropped, as every decoder does.
bool sli_wire_read_varint_slow(sli_wire_reader_t *reader, uint64_t *out_value);
static inline bool sli_wire_read_varint(sli_wire_reader_t *reader, uint64_t *out_value) {
  if (reader->next < reader->end && *reader->next < 0x80) {
    *out_value = *reader->next++;
    return true;
  }
  return sli_wire_read_varint_slow(reader, out_value);
}

// Reads the next field. Returns false at the end, and on malformed bytes, for which it sets |malformed|.
bool sli_wire_next(sli_wire_reader_t *reader, sli_wire_field_t *out_field);

// Returns INVALID_ARGUMENT: the bytes are not a valid |type_name| message.
sli_status_t *sli_wire_error(const char *type_name);

// A cursor over the values in one occurrence of a field of repeated scalars, which may be packed or a single value.
// |element| is the wire type of a single value.
typedef struct {
  sli_wire_reader_t reader;  // when packed
  sli_wire_type_t element;
  uint64_t single;
  bool has_single;
} sli_wire_values_t;

// Returns false if the field's type is neither |element| nor packed.
bool sli_wire_values_begin(const sli_wire_field_t *field, sli_wire_type_t element, sli_wire_values_t *out_values);
// Reads the bits of the next value. Returns false at the end, and on malformed bytes, for which it sets
// reader.malformed.
bool sli_wire_values_next(sli_wire_values_t *values, uint64_t *out_bits);
// Counts the values of the occurrence. Returns false if it is malformed.
bool sli_wire_values_count(const sli_wire_field_t *field, sli_wire_type_t element, size_t *out_count);

static inline float sli_wire_float(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof(value));
  return value;
}
static inline double sli_wire_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

// Encoded sizes, for messages whose length must be known before they are written.
static inline size_t sli_wire_varint_size(uint64_t value) {
  return (size_t)((9 * (63 - __builtin_clzll(value | 1)) + 73) / 64);
}
static inline size_t sli_wire_tag_size(uint32_t number) { return sli_wire_varint_size((uint64_t)number << 3); }
static inline size_t sli_wire_uint_size(uint32_t number, uint64_t value) {
  return sli_wire_tag_size(number) + sli_wire_varint_size(value);
}
// The size of tag, length and payload together.
static inline size_t sli_wire_bytes_size(uint32_t number, size_t size) {
  return sli_wire_tag_size(number) + sli_wire_varint_size(size) + size;
}

// Writes at |at|, which must have room for SLI_WIRE_MAX_VARINT bytes. Returns the end of what it wrote.
char *sli_wire_put_varint(char *at, uint64_t value);

// Writers append to |out|. They also write zeros and empty values, which proto3 omits: the caller decides.
void sli_wire_write_varint(sli_string_t *out, uint64_t value);
void sli_wire_write_tag(sli_string_t *out, uint32_t number, sli_wire_type_t type);
void sli_wire_write_uint(sli_string_t *out, uint32_t number, uint64_t value);
// A negative value takes ten bytes, as for int32, int64 and enum fields.
static inline void sli_wire_write_int(sli_string_t *out, uint32_t number, int64_t value) {
  sli_wire_write_uint(out, number, (uint64_t)value);
}
// Omits a zero, as proto3 does.
static inline void sli_wire_write_nonzero(sli_string_t *out, uint32_t number, int64_t value) {
  if (value) sli_wire_write_int(out, number, value);
}
void sli_wire_write_fixed32(sli_string_t *out, uint32_t number, uint32_t value);
void sli_wire_write_fixed64(sli_string_t *out, uint32_t number, uint64_t value);
void sli_wire_write_float(sli_string_t *out, uint32_t number, float value);
void sli_wire_write_double(sli_string_t *out, uint32_t number, double value);
void sli_wire_write_bytes(sli_string_t *out, uint32_t number, const void *data, size_t size);
static inline void sli_wire_write_text(sli_string_t *out, uint32_t number, const char *text) {
  sli_wire_write_bytes(out, number, text, strlen(text));
}
// Writes tag and length only: the caller must append |size| bytes of payload.
void sli_wire_write_length(sli_string_t *out, uint32_t number, size_t size);

// A nested message whose size is not known yet:
//   size_t mark = sli_wire_open(out, SLI_FIELD_GRAPH_DEF_LIBRARY); … sli_wire_close(out, mark);
size_t sli_wire_open(sli_string_t *out, uint32_t number);
void sli_wire_close(sli_string_t *out, size_t mark);

// Packed repeated fields. They write nothing if |count| is 0.
void sli_wire_write_packed_int64(sli_string_t *out, uint32_t number, const int64_t *values, size_t count);
void sli_wire_write_packed_float(sli_string_t *out, uint32_t number, const float *values, size_t count);
void sli_wire_write_packed_double(sli_string_t *out, uint32_t number, const double *values, size_t count);

#endif  // SLI_PROTO_WIRE_H_
