// The reader and writers of protocol buffers' wire format. The machine must be little-endian, as the format is.
#include "proto/wire.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fixed-size values are copied as they are");

static bool fail(sli_wire_reader_t *reader) {
  reader->malformed = true;
  reader->next = reader->end;
  return false;
}

static size_t left(const sli_wire_reader_t *reader) { return (size_t)(reader->end - reader->next); }

bool sli_wire_read_varint_slow(sli_wire_reader_t *reader, uint64_t *out_value) {
  uint64_t value = 0;
  size_t limit = left(reader) < SLI_WIRE_MAX_VARINT ? left(reader) : SLI_WIRE_MAX_VARINT;
  for (size_t i = 0; i < limit; i++) {
    uint8_t byte = reader->next[i];
    value |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      reader->next += i + 1;
      *out_value = value;
      return true;
    }
  }
  *out_value = 0;
  return fail(reader);
}

static bool read_fixed32(sli_wire_reader_t *reader, uint32_t *out_value) {
  *out_value = 0;
  if (left(reader) < 4) return fail(reader);
  memcpy(out_value, reader->next, 4);
  reader->next += 4;
  return true;
}

static bool read_fixed64(sli_wire_reader_t *reader, uint64_t *out_value) {
  *out_value = 0;
  if (left(reader) < 8) return fail(reader);
  memcpy(out_value, reader->next, 8);
  reader->next += 8;
  return true;
}

static bool read_value(sli_wire_reader_t *reader, sli_wire_field_t *field) {
  switch (field->type) {
    case SLI_WIRE_VARINT: return sli_wire_read_varint(reader, &field->value);
    case SLI_WIRE_FIXED64: return read_fixed64(reader, &field->value);
    case SLI_WIRE_FIXED32: {
      uint32_t value;
      if (!read_fixed32(reader, &value)) return false;
      field->value = value;
      return true;
    }
    case SLI_WIRE_BYTES: {
      uint64_t size;
      if (!sli_wire_read_varint(reader, &size)) return false;
      if (size > left(reader)) return fail(reader);
      field->bytes = sli_view_of((const char *)reader->next, (size_t)size);
      reader->next += size;
      return true;
    }
  }
  return fail(reader);  // a group, or an undefined wire type
}

bool sli_wire_next(sli_wire_reader_t *reader, sli_wire_field_t *out_field) {
  if (reader->next == reader->end) return false;
  uint64_t tag;
  if (!sli_wire_read_varint(reader, &tag)) return false;
  if (tag >> 3 == 0 || tag >> 3 > SLI_WIRE_MAX_NUMBER) return fail(reader);
  const uint8_t *start = reader->next;
  *out_field = (sli_wire_field_t){.number = (uint32_t)(tag >> 3), .type = (sli_wire_type_t)(tag & 7)};
  if (!read_value(reader, out_field)) return false;
  out_field->encoded = sli_view_of((const char *)start, (size_t)(reader->next - start));
  return true;
}

sli_status_t *sli_wire_error(const char *type_name) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse %s: the bytes are truncated or malformed", type_name);
}

bool sli_wire_values_begin(const sli_wire_field_t *field, sli_wire_type_t element, sli_wire_values_t *out_values) {
  *out_values = (sli_wire_values_t){.element = element};
  if (field->type == SLI_WIRE_BYTES && element != SLI_WIRE_BYTES) {
    out_values->reader = sli_wire_reader(field->bytes);
    return true;
  }
  out_values->single = field->value;
  out_values->has_single = field->type == element && element != SLI_WIRE_BYTES;
  return out_values->has_single;
}

bool sli_wire_values_next(sli_wire_values_t *values, uint64_t *out_bits) {
  if (values->has_single) {
    *out_bits = values->single;
    values->has_single = false;
    return true;
  }
  *out_bits = 0;
  if (values->reader.next == values->reader.end) return false;
  if (values->element == SLI_WIRE_VARINT) return sli_wire_read_varint(&values->reader, out_bits);
  if (values->element == SLI_WIRE_FIXED64) return read_fixed64(&values->reader, out_bits);
  uint32_t value;
  if (!read_fixed32(&values->reader, &value)) return false;
  *out_bits = value;
  return true;
}

bool sli_wire_values_count(const sli_wire_field_t *field, sli_wire_type_t element, size_t *out_count) {
  *out_count = 0;
  if (field->type == element) {
    *out_count = 1;
    return true;
  }
  if (field->type != SLI_WIRE_BYTES) return false;
  if (element != SLI_WIRE_VARINT) {
    size_t width = element == SLI_WIRE_FIXED64 ? 8 : 4;
    *out_count = field->bytes.size / width;
    return field->bytes.size % width == 0;
  }
  // The last byte of a varint, and only that, is below 0x80.
  size_t run = 0;
  for (size_t i = 0; i < field->bytes.size; i++) {
    bool last = (uint8_t)field->bytes.data[i] < 0x80;
    if (!last && ++run == SLI_WIRE_MAX_VARINT) return false;
    if (last) run = 0;
    *out_count += last;
  }
  return run == 0;
}

char *sli_wire_put_varint(char *at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = (char)(value | 0x80);
    value >>= 7;
  }
  *at++ = (char)value;
  return at;
}

void sli_wire_write_varint(sli_string_t *out, uint64_t value) {
  sli_wire_put_varint(sli_string_extend(out, sli_wire_varint_size(value)), value);
}

void sli_wire_write_tag(sli_string_t *out, uint32_t number, sli_wire_type_t type) {
  sli_wire_write_varint(out, (uint64_t)number << 3 | type);
}

void sli_wire_write_uint(sli_string_t *out, uint32_t number, uint64_t value) {
  sli_wire_write_tag(out, number, SLI_WIRE_VARINT);
  sli_wire_write_varint(out, value);
}

void sli_wire_write_fixed32(sli_string_t *out, uint32_t number, uint32_t value) {
  sli_wire_write_tag(out, number, SLI_WIRE_FIXED32);
  sli_string_append(out, &value, sizeof(value));
}

void sli_wire_write_fixed64(sli_string_t *out, uint32_t number, uint64_t value) {
  sli_wire_write_tag(out, number, SLI_WIRE_FIXED64);
  sli_string_append(out, &value, sizeof(value));
}

void sli_wire_write_float(sli_string_t *out, uint32_t number, float value) {
  sli_wire_write_tag(out, number, SLI_WIRE_FIXED32);
  sli_string_append(out, &value, sizeof(value));
}

void sli_wire_write_double(sli_string_t *out, uint32_t number, double value) {
  sli_wire_write_tag(out, number, SLI_WIRE_FIXED64);
  sli_string_append(out, &value, sizeof(value));
}

void sli_wire_write_length(sli_string_t *out, uint32_t number, size_t size) {
  sli_wire_write_tag(out, number, SLI_WIRE_BYTES);
  sli_wire_write_varint(out, size);
}

void sli_wire_write_bytes(sli_string_t *out, uint32_t number, const void *data, size_t size) {
  sli_wire_write_length(out, number, size);
  sli_string_append(out, data, size);
}

size_t sli_wire_open(sli_string_t *out, uint32_t number) {
  sli_wire_write_length(out, number, 0);
  return out->size;
}

void sli_wire_close(sli_string_t *out, size_t mark) {
  size_t size = out->size - mark;
  size_t width = sli_wire_varint_size(size);
  if (width > 1) {
    // sli_wire_open reserved one byte for the length, which is enough for most nested messages.
    sli_string_extend(out, width - 1);
    memmove(out->data + mark + width - 1, out->data + mark, size);
  }
  sli_wire_put_varint(out->data + mark - 1, size);
}

void sli_wire_write_packed_int64(sli_string_t *out, uint32_t number, const int64_t *values, size_t count) {
  if (!count) return;
  size_t size = 0;
  for (size_t i = 0; i < count; i++) size += sli_wire_varint_size((uint64_t)values[i]);
  sli_wire_write_length(out, number, size);
  char *at = sli_string_extend(out, size);
  for (size_t i = 0; i < count; i++) at = sli_wire_put_varint(at, (uint64_t)values[i]);
}

void sli_wire_write_packed_float(sli_string_t *out, uint32_t number, const float *values, size_t count) {
  if (count) sli_wire_write_bytes(out, number, values, count * sizeof(*values));
}

void sli_wire_write_packed_double(sli_string_t *out, uint32_t number, const double *values, size_t count) {
  if (count) sli_wire_write_bytes(out, number, values, count * sizeof(*values));
}
