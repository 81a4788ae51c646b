#include "core/tensor/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/tensor/tensor_codec.h"
#include "core/tensor/tensor_codec_internal.h"
#include "proto/tensor.fields.h"
#include "proto/wire.h"

enum { MOST_DEPTH = 16 };  // of tensors in elements of tensors

void sli_variant_data_deinitialize(sli_variant_data_t *data) {
  for (size_t i = 0; i < data->tensors.count; i++) sli_tensor_release(data->tensors.items[i]);
  sli_array_deinitialize(&data->tensors);
  sli_string_deinitialize(&data->metadata);
}

static void encoded_destroy(sli_object_t *object) {
  sli_variant_encoded_t *encoded = (sli_variant_encoded_t *)object;
  sli_variant_data_deinitialize(&encoded->data);
  free(encoded->type_name);
  free(encoded);
}

const sli_object_type_t sli_variant_encoded_type = {"encoded variant", encoded_destroy, NULL, NULL};

const char *sli_variant_type_name(const sli_object_t *object) {
  if (!object) return "";
  if (object->type == &sli_variant_encoded_type) return ((const sli_variant_encoded_t *)object)->type_name;
  return object->type->name;
}

sli_variant_text_t sli_variant_text(const sli_object_t *object) {
  sli_variant_text_t text;
  const char *name = sli_variant_type_name(object), *last = strrchr(name, ':');
  snprintf(text.text, sizeof(text.text), "Variant<type: %s value: %s>", name, last ? last + 1 : name);
  return text;
}

static void write_data(const sli_variant_data_t *data, sli_string_t *out) {
  if (data->metadata.size)
    sli_wire_write_bytes(out, SLI_FIELD_VARIANT_TENSOR_DATA_PROTO_METADATA, data->metadata.data, data->metadata.size);
  for (size_t i = 0; i < data->tensors.count; i++) {
    size_t mark = sli_wire_open(out, SLI_FIELD_VARIANT_TENSOR_DATA_PROTO_TENSORS);
    sli_tensor_encode_flat(data->tensors.items[i], out);
    sli_wire_close(out, mark);
  }
}

void sli_variant_encode(const sli_object_t *object, sli_string_t *out) {
  if (!object) return;
  const char *name = sli_variant_type_name(object);
  if (*name) sli_wire_write_text(out, SLI_FIELD_VARIANT_TENSOR_DATA_PROTO_TYPE_NAME, name);
  if (object->type == &sli_variant_encoded_type) {
    write_data(&((const sli_variant_encoded_t *)object)->data, out);
  } else if (object->type->variant && object->type->variant->encode) {
    sli_variant_data_t data = {0};
    object->type->variant->encode(object, &data);
    write_data(&data, out);
    sli_variant_data_deinitialize(&data);
  }
}

static sli_status_t *read_field(const sli_wire_field_t *field, int depth, sli_variant_encoded_t *encoded) {
  bool is_known = field->number == SLI_FIELD_VARIANT_TENSOR_DATA_PROTO_TYPE_NAME ||
                  field->number == SLI_FIELD_VARIANT_TENSOR_DATA_PROTO_METADATA ||
                  field->number == SLI_FIELD_VARIANT_TENSOR_DATA_PROTO_TENSORS;
  if (!is_known) return NULL;
  if (field->type != SLI_WIRE_BYTES) return sli_wire_error("tensorflow.VariantTensorDataProto");
  if (field->number == SLI_FIELD_VARIANT_TENSOR_DATA_PROTO_TYPE_NAME) {
    free(encoded->type_name);
    encoded->type_name = sli_strndup(field->bytes.data, field->bytes.size);
  } else if (field->number == SLI_FIELD_VARIANT_TENSOR_DATA_PROTO_METADATA) {
    sli_string_clear(&encoded->data.metadata);
    sli_string_append(&encoded->data.metadata, field->bytes.data, field->bytes.size);
  } else {
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(sli_tensor_decode_nested(field->bytes, depth + 1, &tensor));
    sli_array_push(&encoded->data.tensors, tensor);
  }
  return NULL;
}

sli_status_t *sli_variant_decode(sli_view_t bytes, int depth, sli_object_t **out_object) {
  *out_object = NULL;
  if (bytes.size == 0) return NULL;
  if (depth > MOST_DEPTH)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot parse tensor from proto: variants within more than %d others",
                           MOST_DEPTH);
  sli_variant_encoded_t *encoded = sli_calloc(1, sizeof(*encoded));
  sli_object_initialize(&encoded->base, &sli_variant_encoded_type);
  encoded->type_name = sli_strdup("");
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  sli_status_t *status = NULL;
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);) status = read_field(&field, depth, encoded);
  if (!status && reader.malformed) status = sli_wire_error("tensorflow.VariantTensorDataProto");
  if (status) {
    sli_object_release(encoded);
    return status;
  }
  *out_object = &encoded->base;
  return NULL;
}
