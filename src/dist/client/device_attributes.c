#include "dist/client/device_attributes.h"

#include "proto/service.fields.h"
#include "proto/stats.fields.h"
#include "proto/wire.h"

void sli_device_attributes_encode(const sli_device_set_entry_t *device, sli_string_t *out) {
  sli_wire_write_text(out, SLI_FIELD_DEVICE_ATTRIBUTES_NAME, device->name);
  sli_wire_write_text(out, SLI_FIELD_DEVICE_ATTRIBUTES_DEVICE_TYPE, device->type);
  sli_wire_write_int(out, SLI_FIELD_DEVICE_ATTRIBUTES_MEMORY_LIMIT, device->memory_limit);
  sli_wire_write_length(out, SLI_FIELD_DEVICE_ATTRIBUTES_LOCALITY, 0);
  sli_wire_write_fixed64(out, SLI_FIELD_DEVICE_ATTRIBUTES_INCARNATION, device->incarnation);
  sli_wire_write_int(out, SLI_FIELD_DEVICE_ATTRIBUTES_XLA_GLOBAL_ID, -1);  // none
}

sli_status_t *sli_device_attributes_decode(sli_view_t bytes, sli_device_set_t *set) {
  sli_view_t name = {0}, type = {0};
  int64_t memory_limit = 0;
  uint64_t incarnation = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_DEVICE_ATTRIBUTES_NAME && field.type == SLI_WIRE_BYTES) name = field.bytes;
    if (field.number == SLI_FIELD_DEVICE_ATTRIBUTES_DEVICE_TYPE && field.type == SLI_WIRE_BYTES) type = field.bytes;
    if (field.number == SLI_FIELD_DEVICE_ATTRIBUTES_MEMORY_LIMIT && field.type == SLI_WIRE_VARINT)
      memory_limit = (int64_t)field.value;
    if (field.number == SLI_FIELD_DEVICE_ATTRIBUTES_INCARNATION && field.type == SLI_WIRE_FIXED64)
      incarnation = field.value;
  }
  sli_device_name_t parsed;
  if (reader.malformed || !sli_device_name_parse(name, &parsed) || !parsed.has_type || memchr(name.data, 0, name.size))
    return sli_wire_error("tensorflow.DeviceAttributes");
  char *name_text = sli_strndup(name.data, name.size), *type_text = sli_strndup(type.data, type.size);
  sli_device_set_add(set, name_text, type_text, incarnation, memory_limit, NULL);
  free(name_text);
  free(type_text);
  return NULL;
}

sli_status_t *sli_device_attributes_decode_all(sli_view_t response, sli_device_set_t *set) {
  sli_wire_reader_t reader = sli_wire_reader(response);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_GET_STATUS_RESPONSE_DEVICE_ATTRIBUTES && field.type == SLI_WIRE_BYTES)
      SLI_RETURN_IF_ERROR(sli_device_attributes_decode(field.bytes, set));
  return reader.malformed ? sli_wire_error("tensorflow.GetStatusResponse") : NULL;
}

void sli_device_attributes_fill_status(const sli_device_set_t *set, sli_arena_t *arena,
                                       Sluice__StatusResponse *out_status) {
  out_status->n_device = set->devices.count;
  out_status->device = sli_arena_calloc(arena, set->devices.count, sizeof(*out_status->device));
  for (size_t i = 0; i < set->devices.count; i++) {
    const sli_device_set_entry_t *device = &set->devices.items[i];
    Sluice__DeviceStatus *entry = out_status->device[i] = sli_arena_allocate(arena, sizeof(*entry));
    sluice__device_status__init(entry);
    entry->name = sli_arena_strndup(arena, device->name, strlen(device->name));
    entry->type = sli_arena_strndup(arena, device->type, strlen(device->type));
    entry->incarnation = device->incarnation;
    entry->memory_limit = device->memory_limit;
  }
}
