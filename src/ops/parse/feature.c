#include "ops/parse/feature.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "proto/example.fields.h"
#include "proto/wire.h"

// SLI_FIELD_BYTES_LIST_VALUE is used for the lists of all types, whose values have the same number.
_Static_assert((int)SLI_FIELD_BYTES_LIST_VALUE == (int)SLI_FIELD_FLOAT_LIST_VALUE, "see above");
_Static_assert((int)SLI_FIELD_BYTES_LIST_VALUE == (int)SLI_FIELD_INT64_LIST_VALUE, "see above");
// SLI_FIELD_FEATURES_... is used for the maps of Features and FeatureLists, whose entries have the same form.
_Static_assert((int)SLI_FIELD_FEATURES_FEATURE == (int)SLI_FIELD_FEATURE_LISTS_FEATURE_LIST, "see above");
_Static_assert((int)SLI_FIELD_FEATURES_FEATURE_ENTRY_KEY == (int)SLI_FIELD_FEATURE_LISTS_FEATURE_LIST_ENTRY_KEY,
               "see above");
_Static_assert((int)SLI_FIELD_FEATURES_FEATURE_ENTRY_VALUE == (int)SLI_FIELD_FEATURE_LISTS_FEATURE_LIST_ENTRY_VALUE,
               "see above");

bool sli_feature_open(sli_view_t feature, sli_dtype_t *out_type, sli_view_t *out_list) {
  static const sli_dtype_t types[] = {[SLI_FIELD_FEATURE_BYTES_LIST] = SLI_DTYPE_STRING,
                                      [SLI_FIELD_FEATURE_FLOAT_LIST] = SLI_DTYPE_FLOAT,
                                      [SLI_FIELD_FEATURE_INT64_LIST] = SLI_DTYPE_INT64};
  *out_type = SLI_DTYPE_INVALID;
  *out_list = sli_view("");
  sli_wire_reader_t reader = sli_wire_reader(feature);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number >= SLI_ARRAY_COUNT_OF(types) || field.type != SLI_WIRE_BYTES) continue;
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
    if (field.number != SLI_FIELD_BYTES_LIST_VALUE) continue;
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
    if (field.number != SLI_FIELD_BYTES_LIST_VALUE) continue;
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

bool sli_feature_collect(sli_view_t message, uint32_t field, sli_feature_entries_t *entries) {
  entries->count = 0;
  sli_wire_reader_t outer = sli_wire_reader(message);
  for (sli_wire_field_t features; sli_wire_next(&outer, &features);) {
    if (features.number != field || features.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t map = sli_wire_reader(features.bytes);
    for (sli_wire_field_t pair; sli_wire_next(&map, &pair);) {
      if (pair.number != SLI_FIELD_FEATURES_FEATURE || pair.type != SLI_WIRE_BYTES) continue;
      sli_feature_entry_t entry = {sli_view(""), sli_view("")};
      sli_wire_reader_t parts = sli_wire_reader(pair.bytes);
      for (sli_wire_field_t part; sli_wire_next(&parts, &part);) {
        if (part.type != SLI_WIRE_BYTES) continue;
        if (part.number == SLI_FIELD_FEATURES_FEATURE_ENTRY_KEY) entry.key = part.bytes;
        if (part.number == SLI_FIELD_FEATURES_FEATURE_ENTRY_VALUE) entry.value = part.bytes;
      }
      if (parts.malformed) return false;
      sli_array_push(entries, entry);
    }
    if (map.malformed) return false;
  }
  return !outer.malformed;
}

enum { SHOWN_BYTES = 256 };  // of a message that cannot be parsed

sli_status_t *sli_feature_malformed_error(sli_view_t message) {
  sli_string_t text = {0};
  sli_string_append_escaped(&text, sli_view_of(message.data, message.size < SHOWN_BYTES ? message.size : SHOWN_BYTES));
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse example input, value: '%s'", sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_feature_values_extend(sli_feature_values_t *values, sli_dtype_t type, int64_t count,
                                        void **out_place) {
  size_t size = sli_dtype_size(type);
  if (values->count + count > values->room) {
    int64_t room = 2 * (values->count + count);
    char *data = sli_malloc_or_null((size_t)room * size);
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

sli_status_t *sli_feature_values_take(sli_feature_values_t *values, sli_dtype_t type, sli_tensor_t **out_tensor) {
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), type, &values->count, 1, out_tensor));
  if (values->count) memcpy((*out_tensor)->data, values->data, (size_t)values->count * sli_dtype_size(type));
  values->count = 0;
  return NULL;
}

void sli_feature_values_deinitialize(sli_feature_values_t *values, sli_dtype_t type) {
  for (int64_t i = 0; type == SLI_DTYPE_STRING && i < values->count; i++)
    sli_tstring_deinitialize(&((sli_tstring_t *)values->data)[i]);
  free(values->data);
  *values = (sli_feature_values_t){0};
}
