#include "dist/store/store_message.h"

#include "proto/store.fields.h"
#include "proto/wire.h"

enum { MAX_KEYS = 1 << 27 };  // in reserved memory; with it no product of lengths exceeds 64 bits

const uint32_t sli_store_exchange_path[] = {SLI_FIELD_STORE_EXCHANGE_REQUEST_VALUES, 0};

// The wire type of each field; other fields are skipped.
static bool has_expected_type(const sli_wire_field_t *field) {
  switch (field->number) {
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_TABLE:
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_VALUES:
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_KEYS:
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_LENGTHS: return field->type == SLI_WIRE_BYTES;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_SPACE:
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_CLIENT: return field->type == SLI_WIRE_FIXED64;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_COUNT:
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_DTYPE:
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_SEQUENCE:
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_UPDATE:
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_PULL:
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_LENGTH: return field->type == SLI_WIRE_VARINT;
    default: return true;
  }
}

// Numbers of a type that is not known, or of an update, become ones that the checks refuse.
static int small_number(uint64_t value) { return value > 1000 ? 1000 : (int)value; }

static void read_field(const sli_wire_field_t *field, sli_store_exchange_t *to, sli_view_t *keys, sli_view_t *lengths) {
  switch (field->number) {
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_TABLE: to->table = field->bytes; break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_DTYPE: to->dtype = (sli_dtype_t)small_number(field->value); break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_CLIENT: to->client = field->value; break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_SEQUENCE: to->sequence = field->value; break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_SPACE: to->space = field->value; break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_COUNT: to->count = (size_t)field->value; break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_UPDATE: to->update = (sli_store_update_t)small_number(field->value); break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_PULL: to->pull = field->value != 0; break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_LENGTH:
      to->length = field->value > UINT32_MAX ? UINT32_MAX : (uint32_t)field->value;
      break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_VALUES:
      to->push = true;
      to->values = field->bytes;
      break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_KEYS: *keys = field->bytes; break;
    case SLI_FIELD_STORE_EXCHANGE_REQUEST_LENGTHS: *lengths = field->bytes; break;
  }
}

// Sums the lengths. Neither a product nor the sum can exceed 64 bits: there are fewer than 2^29 keys.
static sli_status_t *check_lengths(sli_store_exchange_t *exchange, sli_view_t lengths) {
  uint64_t elements = (uint64_t)exchange->length * exchange->count;
  if (lengths.size) {
    if (lengths.size != exchange->count * sizeof(uint32_t))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "There must be one length of 4 bytes for each of %zu keys, got %zu bytes.",
                             exchange->count, lengths.size);
    exchange->lengths = lengths.data;
    elements = 0;
    for (size_t i = 0; i < exchange->count; i++) {
      uint32_t length = sli_store_exchange_length(exchange, i);
      if (!length)
        return sli_status_make(SLI_INVALID_ARGUMENT, "The length of key %llu must be at least 1, got 0.",
                               (unsigned long long)sli_store_exchange_key(exchange, i));
      elements += length;
    }
  } else if (!exchange->length) {
    return sli_status_make_text(SLI_INVALID_ARGUMENT, "The length of a key must be at least 1, got 0.");
  }
  exchange->values_bytes = elements * sli_dtype_size(exchange->dtype);
  if (exchange->values_bytes > SLI_STORE_MAX_BYTES)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The values of one message must have at most %llu bytes, got %llu; use several calls.",
                           (unsigned long long)SLI_STORE_MAX_BYTES, (unsigned long long)exchange->values_bytes);
  if (exchange->push && !exchange->space && exchange->values.size != exchange->values_bytes)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The lengths of %zu keys add up to %llu bytes of values, got %zu.",
                           exchange->count, (unsigned long long)exchange->values_bytes, exchange->values.size);
  return NULL;
}

sli_status_t *sli_store_exchange_decode(sli_view_t bytes, sli_store_exchange_t *out_exchange) {
  *out_exchange = (sli_store_exchange_t){0};
  sli_view_t keys = {0}, lengths = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  bool malformed = false;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (has_expected_type(&field))
      read_field(&field, out_exchange, &keys, &lengths);
    else
      malformed = true;
  }
  if (malformed || reader.malformed) return sli_wire_error("sluice.StoreExchangeRequest");
  if (!sli_dtype_is_plain(out_exchange->dtype) || sli_dtype_is_ref(out_exchange->dtype))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Values must be of a type of fixed size, such as float, got type %d.",
                           (int)out_exchange->dtype);
  if (out_exchange->update < 0 || out_exchange->update >= SLI_STORE_UPDATE_COUNT)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The update must be at most %d, got %d.", SLI_STORE_UPDATE_COUNT - 1,
                           (int)out_exchange->update);
  bool is_in_space = out_exchange->space != 0;
  if (is_in_space && (keys.size || out_exchange->values.size || !out_exchange->count || out_exchange->count > MAX_KEYS))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Reserved memory must have all keys, 1 to %d, and values, got %zu keys.", MAX_KEYS,
                           out_exchange->count);
  if (!is_in_space && (!keys.size || keys.size % sizeof(uint64_t)))
    return sli_status_make(SLI_INVALID_ARGUMENT, "There must be at least one key of 8 bytes, got %zu bytes.",
                           keys.size);
  if (!out_exchange->push && !out_exchange->pull)
    return sli_status_make_text(SLI_INVALID_ARGUMENT, "An exchange must push or pull, got neither.");
  out_exchange->keys = keys.data;
  if (!is_in_space) out_exchange->count = keys.size / sizeof(uint64_t);
  return check_lengths(out_exchange, lengths);
}

uint64_t sli_store_space_size(uint64_t values, uint64_t count, uint64_t *out_keys) {
  *out_keys = (values + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
  return *out_keys + count * sizeof(uint64_t);
}

sli_status_t *sli_store_exchange_set_memory(sli_store_exchange_t *exchange, sli_tensor_t *memory) {
  uint64_t values = exchange->push ? exchange->values_bytes : 0, keys;
  uint64_t size = sli_store_space_size(values, exchange->count, &keys);
  if (size > sli_tensor_bytes(memory))
    return sli_status_make(SLI_INVALID_ARGUMENT, "%zu keys need %llu bytes of reserved memory, it has %zu.",
                           exchange->count, (unsigned long long)size, sli_tensor_bytes(memory));
  exchange->memory = memory;
  exchange->values = sli_view_of(memory->data, (size_t)values);
  exchange->keys = (const char *)memory->data + keys;
  return NULL;
}

void sli_store_exchange_encode_head(const sli_store_exchange_t *exchange, uint64_t values_size, sli_string_t *out) {
  sli_wire_write_bytes(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_TABLE, exchange->table.data, exchange->table.size);
  sli_wire_write_int(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_DTYPE, exchange->dtype);
  if (exchange->client) {
    sli_wire_write_fixed64(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_CLIENT, exchange->client);
    sli_wire_write_uint(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_SEQUENCE, exchange->sequence);
  }
  sli_wire_write_nonzero(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_UPDATE, exchange->update);
  if (exchange->pull) sli_wire_write_uint(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_PULL, 1);
  sli_wire_write_nonzero(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_LENGTH, exchange->length);
  if (exchange->space) {
    sli_wire_write_fixed64(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_SPACE, exchange->space);
    sli_wire_write_uint(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_COUNT, exchange->count);
  }
  if (exchange->push) sli_wire_write_length(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_VALUES, (size_t)values_size);
}

void sli_store_exchange_encode_keys(size_t size, sli_string_t *out) {
  sli_wire_write_length(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_KEYS, size);
}

void sli_store_exchange_encode_lengths(size_t size, sli_string_t *out) {
  sli_wire_write_length(out, SLI_FIELD_STORE_EXCHANGE_REQUEST_LENGTHS, size);
}

void sli_store_reserve_encode_head(uint64_t space, uint64_t size, sli_string_t *out) {
  sli_wire_write_fixed64(out, SLI_FIELD_STORE_RESERVE_RESPONSE_SPACE, space);
  sli_wire_write_length(out, SLI_FIELD_STORE_RESERVE_RESPONSE_MEMORY, (size_t)size);
}

sli_status_t *sli_store_reserve_decode(sli_view_t bytes, uint64_t *out_space, sli_view_t *out_memory) {
  *out_space = 0;
  *out_memory = (sli_view_t){0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  bool malformed = false;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    bool is_space = field.number == SLI_FIELD_STORE_RESERVE_RESPONSE_SPACE;
    bool is_memory = field.number == SLI_FIELD_STORE_RESERVE_RESPONSE_MEMORY;
    malformed |= (is_space && field.type != SLI_WIRE_FIXED64) || (is_memory && field.type != SLI_WIRE_BYTES);
    if (is_space) *out_space = field.value;
    if (is_memory) *out_memory = field.bytes;
  }
  return malformed || reader.malformed ? sli_wire_error("sluice.StoreReserveResponse") : NULL;
}

void sli_store_reply_encode_head(uint64_t values_size, sli_string_t *out) {
  sli_wire_write_length(out, SLI_FIELD_STORE_EXCHANGE_RESPONSE_VALUES, (size_t)values_size);
}

sli_status_t *sli_store_reply_decode(sli_view_t bytes, uint64_t expected, sli_view_t *out_values) {
  *out_values = (sli_view_t){0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  bool malformed = false;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_STORE_EXCHANGE_RESPONSE_VALUES) continue;
    malformed |= field.type != SLI_WIRE_BYTES;
    *out_values = field.bytes;
  }
  if (malformed || reader.malformed) return sli_wire_error("sluice.StoreExchangeResponse");
  if (out_values->size == expected) return NULL;
  return sli_status_make(SLI_INTERNAL, "The reply to a pull of %llu bytes has %zu.", (unsigned long long)expected,
                         out_values->size);
}
