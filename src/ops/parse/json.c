// DecodeJSONExample: converts tf.train.Example messages from protobuf's JSON encoding to the binary one.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "proto/example.fields.h"
#include "proto/wire.h"

static sli_status_t *json_error(const char *what, const char *where) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Error while parsing JSON: %s: %s", where, what);
}

static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

static bool decode_base64(const char *text, size_t size, sli_string_t *out) {
  while (size > 0 && text[size - 1] == '=') size--;
  if (size % 4 == 1) return false;
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < size; i++) {
    int digit = base64_digit(text[i]);
    if (digit < 0) return false;
    bits = bits << 6 | (uint32_t)digit;
    count += 6;
    if (count >= 8) {
      count -= 8;
      sli_string_append_char(out, (char)(bits >> count & 0xff));
    }
  }
  return true;
}

static bool append_bytes(const json_t *value, sli_string_t *list) {
  sli_string_t bytes = {0};
  bool is_good = json_is_string(value) && decode_base64(json_string_value(value), json_string_length(value), &bytes);
  if (is_good) sli_wire_write_bytes(list, SLI_FIELD_BYTES_LIST_VALUE, sli_string_text(&bytes), bytes.size);
  sli_string_deinitialize(&bytes);
  return is_good;
}

// Numbers are not packed, as protobuf's converter writes them.
static bool append_float(const json_t *value, sli_string_t *list) {
  double number = 0;
  bool is_good = json_is_number(value);
  if (is_good) number = json_number_value(value);
  if (json_is_string(value)) is_good = sli_view_to_double(sli_view(json_string_value(value)), &number);
  sli_wire_write_float(list, SLI_FIELD_FLOAT_LIST_VALUE, (float)number);
  return is_good;
}

static bool append_int(const json_t *value, sli_string_t *list) {
  int64_t number = 0;
  bool is_good = json_is_integer(value);
  if (is_good) number = json_integer_value(value);
  if (json_is_string(value)) is_good = sli_view_to_int64(sli_view(json_string_value(value)), &number);
  sli_wire_write_uint(list, SLI_FIELD_INT64_LIST_VALUE, (uint64_t)number);
  return is_good;
}

// Appends a Feature: a JSON object with one list.
static sli_status_t *append_feature(const char *key, json_t *feature, sli_string_t *out) {
  static const struct {
    const char *name, *old_name;
    uint32_t number;
  } kinds[] = {{"bytesList", "bytes_list", SLI_FIELD_FEATURE_BYTES_LIST},
               {"floatList", "float_list", SLI_FIELD_FEATURE_FLOAT_LIST},
               {"int64List", "int64_list", SLI_FIELD_FEATURE_INT64_LIST}};
  const char *name;
  json_t *list, *value;
  if (!json_is_object(feature)) return json_error("A feature must be an object.", key);
  json_object_foreach(feature, name, list) {
    size_t kind = 0, index;
    while (kind < 3 && strcmp(name, kinds[kind].name) != 0 && strcmp(name, kinds[kind].old_name) != 0) kind++;
    if (kind == 3 || !json_is_object(list)) return json_error("Cannot find field.", name);
    json_t *values = json_object_get(list, "value");
    if (values && !json_is_array(values)) return json_error("value must be an array.", key);
    sli_string_t payload = {0};
    bool is_good = true;
    json_array_foreach(values, index, value) {
      is_good &= kind == 0   ? append_bytes(value, &payload)
                 : kind == 1 ? append_float(value, &payload)
                             : append_int(value, &payload);
    }
    size_t mark = sli_wire_open(out, kinds[kind].number);
    sli_string_append(out, sli_string_text(&payload), payload.size);
    sli_wire_close(out, mark);
    sli_string_deinitialize(&payload);
    if (!is_good) return json_error("invalid value", key);
  }
  return NULL;
}

static sli_status_t *append_example(json_t *root, sli_string_t *out) {
  const char *name, *key;
  json_t *features, *feature;
  if (!json_is_object(root)) return json_error("An Example must be an object.", "root");
  json_object_foreach(root, name, features) {
    if (strcmp(name, "features") != 0) return json_error("Cannot find field.", name);
    if (!json_is_object(features)) return json_error("features must be an object.", name);
    size_t outer = sli_wire_open(out, SLI_FIELD_EXAMPLE_FEATURES);
    json_object_foreach(features, name, feature) {
      if (strcmp(name, "feature") != 0) return json_error("Cannot find field.", name);
    }
    json_object_foreach(json_object_get(features, "feature"), key, feature) {
      size_t pair = sli_wire_open(out, SLI_FIELD_FEATURES_FEATURE);
      sli_wire_write_text(out, SLI_FIELD_FEATURES_FEATURE_ENTRY_KEY, key);
      size_t value = sli_wire_open(out, SLI_FIELD_FEATURES_FEATURE_ENTRY_VALUE);
      SLI_RETURN_IF_ERROR(append_feature(key, feature, out));
      sli_wire_close(out, value);
      sli_wire_close(out, pair);
    }
    sli_wire_close(out, outer);
  }
  return NULL;
}

static sli_status_t *json_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < input->count && !status; i++) {
    sli_view_t text = sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]);
    json_error_t error;
    json_t *root = json_loadb(text.data ? text.data : "", text.size, 0, &error);
    sli_string_t bytes = {0};
    if (root)
      status = append_example(root, &bytes);
    else
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Error while parsing JSON: %s at line %d, column %d", error.text,
                               error.line, error.column);
    if (!status) sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&bytes), bytes.size);
    sli_string_deinitialize(&bytes);
    json_decref(root);
  }
  return status;
}

static const sli_op_def_t ops[] = {
    {
        .name = "DecodeJSONExample",
        .inputs = "json_examples: string",
        .outputs = "binary_examples: string",
        .summary = "Converts Example messages from JSON to their binary encoding.",
        .shape = sli_infer_fn_unchanged,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "DecodeJSONExample", .compute = json_compute, .expensive = true},
};
SLI_OP_MODULE(json);
