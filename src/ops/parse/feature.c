#include "ops/parse/feature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "proto/wire.h"

bool sli_feature_open(sli_view_t feature, sli_dtype_t *out_type, sli_view_t *out_list) {
  static const sli_dtype_t types[] = {SLI_DTYPE_INVALID, SLI_DTYPE_STRING, SLI_DTYPE_FLOAT, SLI_DTYPE_INT64};
  *out_type = SLI_DTYPE_INVALID;
  *out_list = sli_view("");
  sli_wire_reader_t reader = sli_wire_reader(feature);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number < 1 || field.number > 3 || field.type != SLI_WIRE_BYTES) continue;
    *out_type = types[field.number];
    *out_list = field.bytes;
  }
  return !reader.malformed;
}

bool sli_feature_count(sli_dtype_t type, sli_view_t list, int64_t *out_count) {
  sli_wire_reader_t reader = sli_wire_reader(list);
  *out_count = 0;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    size_t count = 1;
    if (field.number != 1) continue;
    if (type == SLI_DTYPE_STRING) {
      if (field.type != SLI_WIRE_BYTES) return false;
    } else if (!sli_wire_values_count(&field, type == SLI_DTYPE_FLOAT ? SLI_WIRE_FIXED32 : SLI_WIRE_VARINT, &count)) {
      return false;
    }
    *out_count += (int64_t)count;
  }
  return !reader.malformed;
}

void sli_feature_copy(sli_dtype_t type, sli_view_t list, void *to) {
  sli_wire_reader_t reader = sli_wire_reader(list);
  float *floats = to;
  int64_t *ints = to;
  sli_tstring_t *strings = to;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != 1) continue;
    sli_wire_values_t values;
    uint64_t bits;
    if (type == SLI_DTYPE_STRING) {
      sli_tstring_assign(strings++, field.bytes.data, field.bytes.size);
    } else if (type == SLI_DTYPE_FLOAT && field.type == SLI_WIRE_BYTES) {
      memcpy(floats, field.bytes.data, field.bytes.size);
      floats += field.bytes.size / sizeof(float);
    } else if (sli_wire_values_begin(&field, type == SLI_DTYPE_FLOAT ? SLI_WIRE_FIXED32 : SLI_WIRE_VARINT, &values)) {
      while (sli_wire_values_next(&values, &bits)) {
        if (type == SLI_DTYPE_FLOAT)
          *floats++ = sli_wire_float(bits);
        else
          *ints++ = (int64_t)bits;
      }
    }
  }
}

bool sli_features_collect(sli_view_t message, uint32_t field, sli_feature_entries_t *entries) {
  entries->count = 0;
  sli_wire_reader_t outer = sli_wire_reader(message);
  for (sli_wire_field_t features; sli_wire_next(&outer, &features);) {
    if (features.number != field || features.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t map = sli_wire_reader(features.bytes);
    for (sli_wire_field_t pair; sli_wire_next(&map, &pair);) {
      if (pair.number != 1 || pair.type != SLI_WIRE_BYTES) continue;
      sli_feature_entry_t entry = {sli_view(""), sli_view("")};
      sli_wire_reader_t parts = sli_wire_reader(pair.bytes);
      for (sli_wire_field_t part; sli_wire_next(&parts, &part);) {
        if (part.type != SLI_WIRE_BYTES) continue;
        if (part.number == 1) entry.key = part.bytes;
        if (part.number == 2) entry.value = part.bytes;
      }
      if (parts.malformed) return false;
      sli_array_push(entries, entry);
    }
    if (map.malformed) return false;
  }
  return !outer.malformed;
}

sli_status_t *sli_features_malformed(sli_view_t message) {
  sli_string_t text = {0};
  for (size_t i = 0; i < message.size && i < 256; i++) {
    unsigned char byte = (unsigned char)message.data[i];
    if (isprint(byte))
      sli_string_append_char(&text, (char)byte);
    else
      sli_string_append_format(&text, "\\%03o", byte);
  }
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse example input, value: '%s'", sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_values_extend(sli_values_t *values, sli_dtype_t type, int64_t count, void **out_place) {
  size_t size = sli_dtype_size(type);
  if (values->count + count > values->room) {
    int64_t room = 2 * (values->count + count);
    char *data = sli_try_malloc((size_t)room * size);
    if (!data) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for %lld values", (long long)room);
    if (values->count) memcpy(data, values->data, (size_t)values->count * size);
    free(values->data);
    values->data = data;
    values->room = room;
  }
  *out_place = values->data + (size_t)values->count * size;
  if (count) memset(*out_place, 0, (size_t)count * size);
  values->count += count;
  return NULL;
}

sli_status_t *sli_values_take(sli_values_t *values, sli_dtype_t type, sli_tensor_t **out_tensor) {
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), type, &values->count, 1, out_tensor));
  if (values->count) memcpy((*out_tensor)->data, values->data, (size_t)values->count * sli_dtype_size(type));
  values->count = 0;
  return NULL;
}

void sli_values_deinitialize(sli_values_t *values, sli_dtype_t type) {
  for (int64_t i = 0; type == SLI_DTYPE_STRING && i < values->count; i++)
    sli_tstring_deinitialize(&((sli_tstring_t *)values->data)[i]);
  free(values->data);
  *values = (sli_values_t){0};
}
