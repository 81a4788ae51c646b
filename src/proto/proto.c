// Each level of a message is read twice: first to check every field and count the repeated ones, then to fill arrays of
// exactly that size. So no array grows or is freed, and the memory that untrusted bytes need is known before it is
// allocated.
#include "proto/proto.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/wire.h"

typedef struct {
  const ProtobufCMessageDescriptor *root;
  sli_arena_t *arena;
} decoder_t;

size_t sli_proto_budget(size_t wire_size) {
  const size_t base = 64 << 10, factor = 32;
  return wire_size < (SIZE_MAX - base) / factor ? base + factor * wire_size : SIZE_MAX;
}

// Types.

static sli_wire_type_t wire_type_of(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT: return SLI_WIRE_FIXED32;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return SLI_WIRE_FIXED64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return SLI_WIRE_BYTES;
    default: return SLI_WIRE_VARINT;
  }
}

// Bytes of one value in the struct.
static size_t value_size(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return 8;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    default: return 4;
  }
}

static bool is_repeated(const ProtobufCFieldDescriptor *field) { return field->label == PROTOBUF_C_LABEL_REPEATED; }
static bool is_oneof(const ProtobufCFieldDescriptor *field) { return field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF; }
static void *member(const void *message, unsigned offset) { return (char *)message + offset; }

// Errors.

static sli_status_t *field_error(const decoder_t *decoder, const ProtobufCMessageDescriptor *descriptor,
                                 const ProtobufCFieldDescriptor *field, const char *problem) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse %s: field %s.%s %s", decoder->root->name,
                         descriptor->name, field->name, problem);
}

static sli_status_t *allocate(const decoder_t *decoder, size_t count, size_t size, void **out_memory) {
  *out_memory = count <= SIZE_MAX / 2 / size ? sli_arena_try_allocate(decoder->arena, count * size) : NULL;
  if (*out_memory) return NULL;
  const sli_arena_t *arena = decoder->arena;
  if (arena->budget && (count > arena->budget / size || count * size > arena->budget - arena->used))
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "Could not parse %s: it unpacks to more than the %zu bytes allowed",
                           decoder->root->name, arena->budget);
  return sli_status_make(SLI_RESOURCE_EXHAUSTED,
                         "Could not parse %s: not enough memory (asked for %zu values of %zu bytes)",
                         decoder->root->name, count, size);
}

static bool is_utf8(sli_view_t text) {
  for (size_t at = 0; at < text.size;) {
    // Nearly all names are ASCII.
    size_t size =
        (unsigned char)text.data[at] < 0x80 ? 1 : sli_view_utf8_size(sli_view_of(text.data + at, text.size - at));
    if (size == 0) return false;
    at += size;
  }
  return true;
}

// Values.

static void store_scalar(ProtobufCType type, uint64_t bits, void *at) {
  if (type == PROTOBUF_C_TYPE_SINT32 || type == PROTOBUF_C_TYPE_SINT64) bits = (bits >> 1) ^ -(bits & 1);
  if (type == PROTOBUF_C_TYPE_BOOL) bits = bits != 0;
  if (value_size(type) == 8) {
    memcpy(at, &bits, 8);
  } else {
    uint32_t low = (uint32_t)bits;
    memcpy(at, &low, 4);
  }
}

static sli_status_t *decode_string(const decoder_t *decoder, const ProtobufCMessageDescriptor *descriptor,
                                   const ProtobufCFieldDescriptor *field, sli_view_t text, void *at) {
  char *copy = (char *)protobuf_c_empty_string;
  if (text.size) {
    if (memchr(text.data, '\0', text.size))
      return field_error(decoder, descriptor, field, "is a string with a NUL byte inside");
    if (!is_utf8(text)) return field_error(decoder, descriptor, field, "is a string that is not valid UTF-8");
    SLI_RETURN_IF_ERROR(allocate(decoder, text.size + 1, 1, (void **)&copy));
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
  }
  memcpy(at, &copy, sizeof(copy));
  return NULL;
}

static sli_status_t *decode_bytes(const decoder_t *decoder, sli_view_t bytes, void *at) {
  ProtobufCBinaryData copy = {.len = bytes.size};
  if (bytes.size) {
    SLI_RETURN_IF_ERROR(allocate(decoder, bytes.size, 1, (void **)&copy.data));
    memcpy(copy.data, bytes.data, bytes.size);
  }
  memcpy(at, &copy, sizeof(copy));
  return NULL;
}

static sli_status_t *decode_message(const decoder_t *decoder, const ProtobufCMessageDescriptor *descriptor,
                                    sli_view_t bytes, int depth, void **out_message);

static sli_status_t *decode_value(const decoder_t *decoder, const ProtobufCMessageDescriptor *descriptor,
                                  const ProtobufCFieldDescriptor *field, const sli_wire_field_t *wire, int depth,
                                  void *at) {
  switch (field->type) {
    case PROTOBUF_C_TYPE_STRING: return decode_string(decoder, descriptor, field, wire->bytes, at);
    case PROTOBUF_C_TYPE_BYTES: return decode_bytes(decoder, wire->bytes, at);
    case PROTOBUF_C_TYPE_MESSAGE: return decode_message(decoder, field->descriptor, wire->bytes, depth + 1, at);
    default: store_scalar(field->type, wire->value, at); return NULL;
  }
}

// Appends one occurrence of a repeated field to its array, which allocate_arrays made large enough.
static sli_status_t *decode_repeated(const decoder_t *decoder, const ProtobufCMessageDescriptor *descriptor,
                                     const ProtobufCFieldDescriptor *field, const sli_wire_field_t *wire, int depth,
                                     void *message) {
  size_t *count = member(message, field->quantifier_offset);
  size_t size = value_size(field->type);
  char *at = *(char **)member(message, field->offset) + *count * size;
  sli_wire_type_t element = wire_type_of(field->type);
  if (element == SLI_WIRE_BYTES) {
    ++*count;
    return decode_value(decoder, descriptor, field, wire, depth, at);
  }
  if (wire->type == SLI_WIRE_BYTES && element != SLI_WIRE_VARINT) {
    if (wire->bytes.size) memcpy(at, wire->bytes.data, wire->bytes.size);
    *count += wire->bytes.size / size;
    return NULL;
  }
  sli_wire_values_t values;
  sli_wire_values_begin(wire, element, &values);
  for (uint64_t bits; sli_wire_values_next(&values, &bits); at += size, ++*count) store_scalar(field->type, bits, at);
  return NULL;
}

// The value of a message field that occurs several times is the merge of all occurrences. The concatenation of their
// encodings is the encoding of the merge.
static sli_status_t *decode_merged(const decoder_t *decoder, const ProtobufCFieldDescriptor *field, sli_view_t bytes,
                                   int depth, void **out_message) {
  sli_wire_field_t wire;
  size_t size = 0;
  for (sli_wire_reader_t reader = sli_wire_reader(bytes); sli_wire_next(&reader, &wire);)
    if (wire.number == field->id) size += wire.bytes.size;
  char *all;
  SLI_RETURN_IF_ERROR(allocate(decoder, size, 1, (void **)&all));
  size_t at = 0;
  for (sli_wire_reader_t reader = sli_wire_reader(bytes); sli_wire_next(&reader, &wire);) {
    if (wire.number != field->id || !wire.bytes.size) continue;
    memcpy(all + at, wire.bytes.data, wire.bytes.size);
    at += wire.bytes.size;
  }
  return decode_message(decoder, field->descriptor, sli_view_of(all, size), depth + 1, out_message);
}

static sli_status_t *decode_singular(const decoder_t *decoder, const ProtobufCMessageDescriptor *descriptor,
                                     const ProtobufCFieldDescriptor *field, const sli_wire_field_t *wire, int depth,
                                     void *message) {
  void *quantifier = member(message, field->quantifier_offset);
  if (is_oneof(field))
    memcpy(quantifier, &field->id, sizeof(field->id));
  else if (field->label == PROTOBUF_C_LABEL_OPTIONAL && field->type != PROTOBUF_C_TYPE_STRING &&
           field->type != PROTOBUF_C_TYPE_MESSAGE)
    *(protobuf_c_boolean *)quantifier = 1;
  return decode_value(decoder, descriptor, field, wire, depth, member(message, field->offset));
}

static sli_status_t *decode_unknown(const decoder_t *decoder, const sli_wire_field_t *wire, ProtobufCMessage *message) {
  ProtobufCMessageUnknownField *unknown = &message->unknown_fields[message->n_unknown_fields++];
  *unknown = (ProtobufCMessageUnknownField){
      .tag = wire->number, .wire_type = (ProtobufCWireType)wire->type, .len = wire->encoded.size};
  SLI_RETURN_IF_ERROR(allocate(decoder, wire->encoded.size, 1, (void **)&unknown->data));
  memcpy(unknown->data, wire->encoded.data, wire->encoded.size);
  return NULL;
}

// Messages.

// The first reading: checks form and wire types, and stores the counts of repeated and unknown fields in |message|.
// |out_merged| gets a bit for each message field (by index) that occurs more than once.
static sli_status_t *count_fields(const decoder_t *decoder, const ProtobufCMessageDescriptor *descriptor,
                                  sli_view_t bytes, ProtobufCMessage *message, uint64_t *out_merged) {
  SLI_CHECK(descriptor->n_fields <= 64);
  uint64_t seen = 0;
  *out_merged = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t wire; sli_wire_next(&reader, &wire);) {
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(descriptor, wire.number);
    if (!field) {
      message->n_unknown_fields++;
      continue;
    }
    sli_wire_type_t element = wire_type_of(field->type);
    if (is_repeated(field)) {
      size_t count;
      if (!sli_wire_values_count(&wire, element, &count))
        return field_error(decoder, descriptor, field, "has a value of the wrong type or length");
      *(size_t *)member(message, field->quantifier_offset) += count;
    } else if (wire.type != element) {
      return field_error(decoder, descriptor, field, "has a value of the wrong type");
    } else if (field->type == PROTOBUF_C_TYPE_MESSAGE && !is_oneof(field)) {
      uint64_t bit = UINT64_C(1) << (field - descriptor->fields);
      *out_merged |= seen & bit;
      seen |= bit;
    }
  }
  if (!reader.malformed) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse %s: a %s inside is truncated or malformed",
                         decoder->root->name, descriptor->name);
}

// Allocates arrays for the counted fields and resets the counts to 0.
static sli_status_t *allocate_arrays(const decoder_t *decoder, const ProtobufCMessageDescriptor *descriptor,
                                     ProtobufCMessage *message) {
  for (unsigned i = 0; i < descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
    if (!is_repeated(field)) continue;
    size_t *count = member(message, field->quantifier_offset);
    if (*count) {
      void *array;
      SLI_RETURN_IF_ERROR(allocate(decoder, *count, value_size(field->type), &array));
      memcpy(member(message, field->offset), &array, sizeof(array));
    }
    *count = 0;
  }
  if (message->n_unknown_fields) {
    void *array;
    SLI_RETURN_IF_ERROR(allocate(decoder, message->n_unknown_fields, sizeof(ProtobufCMessageUnknownField), &array));
    message->unknown_fields = array;
    message->n_unknown_fields = 0;
  }
  return NULL;
}

static sli_status_t *decode_message(const decoder_t *decoder, const ProtobufCMessageDescriptor *descriptor,
                                    sli_view_t bytes, int depth, void **out_message) {
  if (depth > SLI_PROTO_MAX_DEPTH)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse %s: it is nested more than %d levels deep",
                           decoder->root->name, SLI_PROTO_MAX_DEPTH);
  ProtobufCMessage *message;
  SLI_RETURN_IF_ERROR(allocate(decoder, 1, descriptor->sizeof_message, (void **)&message));
  descriptor->message_init(message);
  uint64_t merged, done = 0;
  SLI_RETURN_IF_ERROR(count_fields(decoder, descriptor, bytes, message, &merged));
  SLI_RETURN_IF_ERROR(allocate_arrays(decoder, descriptor, message));
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t wire; sli_wire_next(&reader, &wire);) {
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(descriptor, wire.number);
    uint64_t bit = field ? UINT64_C(1) << (field - descriptor->fields) : 0;
    if (!field) {
      SLI_RETURN_IF_ERROR(decode_unknown(decoder, &wire, message));
    } else if (is_repeated(field)) {
      SLI_RETURN_IF_ERROR(decode_repeated(decoder, descriptor, field, &wire, depth, message));
    } else if (!(merged & bit)) {
      SLI_RETURN_IF_ERROR(decode_singular(decoder, descriptor, field, &wire, depth, message));
    } else if (!(done & bit)) {
      done |= bit;
      SLI_RETURN_IF_ERROR(decode_merged(decoder, field, bytes, depth, member(message, field->offset)));
    }
  }
  *out_message = message;
  return NULL;
}

sli_status_t *sli_proto_parse(const ProtobufCMessageDescriptor *descriptor, const void *data, size_t size,
                              sli_arena_t *arena, void **out_message) {
  *out_message = NULL;
  decoder_t decoder = {.root = descriptor, .arena = arena};
  return decode_message(&decoder, descriptor, sli_view_of(data, size), 1, out_message);
}

sli_status_t *sli_proto_pack(const ProtobufCMessage *message, sli_string_t *out) {
  size_t size = protobuf_c_message_get_packed_size(message);
  if (size > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Cannot serialize protocol buffer of type %s as the serialized size (%zu bytes) would be "
                           "larger than the limit (%d bytes)",
                           message->descriptor->name, size, INT32_MAX);
  if (size) protobuf_c_message_pack(message, (uint8_t *)sli_string_extend(out, size));
  return NULL;
}

// Text.

static void text_quoted(sli_string_t *out, const char *data, size_t size) {
  sli_string_append_char(out, '"');
  sli_string_append_escaped(out, sli_view_of(data, size));
  sli_string_append_char(out, '"');
}

// Writes the fewest digits that read back as the same value.
static void text_real(sli_string_t *out, double value, bool is_float) {
  char text[40];
  if (isnan(value)) {
    snprintf(text, sizeof(text), "nan");
  } else {
    for (int digits = is_float ? 6 : 15; digits <= (is_float ? 9 : 17); digits++) {
      snprintf(text, sizeof(text), "%.*g", digits, value);
      if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) break;
    }
  }
  sli_string_append_text(out, text);
}

static void text_enum(sli_string_t *out, const ProtobufCEnumDescriptor *descriptor, int32_t value) {
  const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(descriptor, value);
  if (known)
    sli_string_append_text(out, known->name);
  else
    sli_string_append_format(out, "%" PRId32, value);
}

static void text_message(sli_string_t *out, const ProtobufCMessage *message, int level);

static void text_value(sli_string_t *out, const ProtobufCFieldDescriptor *field, const void *at, int level) {
  sli_string_append_format(out, "%*s%s", 2 * level, "", field->name);
  if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
    sli_string_append_text(out, " {\n");
    text_message(out, *(const ProtobufCMessage *const *)at, level + 1);
    sli_string_append_format(out, "%*s}\n", 2 * level, "");
    return;
  }
  sli_string_append_text(out, ": ");
  switch (field->type) {
    case PROTOBUF_C_TYPE_STRING: {
      const char *text = *(const char *const *)at;
      text_quoted(out, text, strlen(text));
      break;
    }
    case PROTOBUF_C_TYPE_BYTES: {
      const ProtobufCBinaryData *bytes = at;
      text_quoted(out, (const char *)bytes->data, bytes->len);
      break;
    }
    case PROTOBUF_C_TYPE_FLOAT: text_real(out, *(const float *)at, true); break;
    case PROTOBUF_C_TYPE_DOUBLE: text_real(out, *(const double *)at, false); break;
    case PROTOBUF_C_TYPE_BOOL: sli_string_append_text(out, *(const protobuf_c_boolean *)at ? "true" : "false"); break;
    case PROTOBUF_C_TYPE_ENUM: text_enum(out, field->descriptor, *(const int32_t *)at); break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32: sli_string_append_format(out, "%" PRIu32, *(const uint32_t *)at); break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64: sli_string_append_format(out, "%" PRIu64, *(const uint64_t *)at); break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64: sli_string_append_format(out, "%" PRId64, *(const int64_t *)at); break;
    default: sli_string_append_format(out, "%" PRId32, *(const int32_t *)at); break;
  }
  sli_string_append_char(out, '\n');
}

// Whether proto3 would write the field.
static bool is_present(const ProtobufCFieldDescriptor *field, const void *message) {
  const void *at = member(message, field->offset);
  static const char zeros[8];
  if (is_oneof(field)) return memcmp(member(message, field->quantifier_offset), &field->id, sizeof(field->id)) == 0;
  switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE: return *(void *const *)at != NULL;
    case PROTOBUF_C_TYPE_STRING: return *(const char *const *)at && **(const char *const *)at;
    case PROTOBUF_C_TYPE_BYTES: return ((const ProtobufCBinaryData *)at)->len > 0;
    default: return memcmp(at, zeros, value_size(field->type)) != 0;
  }
}

static void text_unknown(sli_string_t *out, const ProtobufCMessageUnknownField *unknown, int level) {
  sli_string_append_format(out, "%*s%" PRIu32 ": ", 2 * level, "", unknown->tag);
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of((const char *)unknown->data, unknown->len));
  uint64_t bits = 0;
  if (unknown->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) {
    sli_wire_read_varint(&reader, &bits);
    text_quoted(out, (const char *)reader.next, (size_t)(reader.end - reader.next));
  } else if (unknown->wire_type == PROTOBUF_C_WIRE_TYPE_VARINT) {
    sli_wire_read_varint(&reader, &bits);
    sli_string_append_format(out, "%" PRIu64, bits);
  } else {
    memcpy(&bits, unknown->data, unknown->len < sizeof(bits) ? unknown->len : sizeof(bits));
    sli_string_append_format(out, "0x%0*" PRIx64, (int)(2 * unknown->len), bits);
  }
  sli_string_append_char(out, '\n');
}

static void text_message(sli_string_t *out, const ProtobufCMessage *message, int level) {
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    const char *at = member(message, field->offset);
    if (!is_repeated(field)) {
      if (is_present(field, message)) text_value(out, field, at, level);
      continue;
    }
    size_t count = *(const size_t *)member(message, field->quantifier_offset);
    for (size_t k = 0; k < count; k++) text_value(out, field, *(char *const *)at + k * value_size(field->type), level);
  }
  for (unsigned i = 0; i < message->n_unknown_fields; i++) text_unknown(out, &message->unknown_fields[i], level);
}

void sli_proto_to_text(const ProtobufCMessage *message, sli_string_t *out) { text_message(out, message, 0); }

void sli_proto_to_line(const ProtobufCMessage *message, sli_string_t *out) {
  sli_string_t text = {0};
  text_message(&text, message, 0);
  // Newlines inside of values are escaped, so each line is a field or a brace.
  for (sli_view_t rest = sli_view_of(text.data, text.size), line; rest.size;) {
    sli_view_split(rest, '\n', &line, &rest);
    line = sli_view_trim(line);
    if (!line.size) continue;
    if (line.data != text.data) sli_string_append_char(out, ' ');
    sli_string_append(out, line.data, line.size);
  }
  sli_string_deinitialize(&text);
}
