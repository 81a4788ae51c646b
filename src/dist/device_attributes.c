#include "dist/device_attributes.h"

#include "proto/wire.h"

void sli_device_attributes_encode(const sli_device_info_t *device, sli_string_t *out) {
  sli_wire_write_text(out, 1, device->name);
  sli_wire_write_text(out, 2, device->type);
  sli_wire_write_int(out, 4, device->memory_limit);
  sli_wire_write_length(out, 5, 0);
  sli_wire_write_fixed64(out, 6, device->incarnation);
  sli_wire_write_int(out, 8, -1);  // xla_global_id: none
}

sli_status_t *sli_device_attributes_decode(sli_view_t bytes, sli_device_set_t *set) {
  sli_view_t name = {0}, type = {0};
  int64_t memory_limit = 0;
  uint64_t incarnation = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == 1 && field.type == SLI_WIRE_BYTES) name = field.bytes;
    if (field.number == 2 && field.type == SLI_WIRE_BYTES) type = field.bytes;
    if (field.number == 4 && field.type == SLI_WIRE_VARINT) memory_limit = (int64_t)field.value;
    if (field.number == 6 && field.type == SLI_WIRE_FIXED64) incarnation = field.value;
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
    if (field.number == 1 && field.type == SLI_WIRE_BYTES)
      SLI_RETURN_IF_ERROR(sli_device_attributes_decode(field.bytes, set));
  return reader.malformed ? sli_wire_error("tensorflow.GetStatusResponse") : NULL;
}
