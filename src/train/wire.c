#include "train/wire.h"

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static void varint(sli_string_t *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) sli_string_append_char(out, (char)(value | 0x80));
  sli_string_append_char(out, (char)value);
}

static void tag(sli_string_t *out, int field, int type) { varint(out, (uint64_t)field << 3 | (uint64_t)type); }

void sli_train_wire_number(sli_string_t *out, int field, uint64_t value) {
  tag(out, field, WIRE_VARINT);
  varint(out, value);
}

void sli_train_wire_bytes(sli_string_t *out, int field, sli_view_t bytes) {
  tag(out, field, WIRE_BYTES);
  varint(out, bytes.size);
  sli_string_append(out, bytes.data, bytes.size);
}

void sli_train_wire_float(sli_string_t *out, int field, float value) {
  tag(out, field, WIRE_FIXED32);
  sli_string_append(out, &value, sizeof(value));  // little-endian, as all machines we build for
}
