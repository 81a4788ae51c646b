#include "cli/run/feed_value.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/string.h"
#include "cli/common/report.h"
#include "cli/run/npy.h"
#include "tensorflow/c/tf_tstring.h"

enum { MAX_RANK = 32 };

// --- JSON to a tensor ---

typedef struct {
  const char *name;
  TF_DataType dtype;
  int64_t dims[MAX_RANK];
  int rank;
  char *data;  // the tensor's
  size_t filled;
} literal_t;

// Finds the shape from the first item of each level. put_all checks that the others agree. False: too many dimensions.
static bool find_shape(const json_t *value, literal_t *literal) {
  for (; json_is_array(value); value = json_array_get(value, 0)) {
    if (literal->rank == MAX_RANK) return false;
    literal->dims[literal->rank++] = (int64_t)json_array_size(value);
    if (!json_array_size(value)) break;
  }
  return true;
}

static bool put_integer(char *at, TF_DataType dtype, int64_t number) {
  switch (dtype) {
    case TF_INT8: *(int8_t *)at = (int8_t)number; return number == (int8_t)number;
    case TF_INT16: *(int16_t *)at = (int16_t)number; return number == (int16_t)number;
    case TF_INT32: *(int32_t *)at = (int32_t)number; return number == (int32_t)number;
    case TF_INT64: *(int64_t *)at = number; return true;
    case TF_UINT8: *(uint8_t *)at = (uint8_t)number; return number == (uint8_t)number;
    case TF_UINT16: *(uint16_t *)at = (uint16_t)number; return number == (uint16_t)number;
    case TF_UINT32: *(uint32_t *)at = (uint32_t)number; return number == (uint32_t)number;
    case TF_UINT64: *(uint64_t *)at = (uint64_t)number; return number >= 0;
    default: return false;
  }
}

// Stores one element. False if |value| is not of the type.
static bool put_element(literal_t *literal, const json_t *value) {
  size_t width = literal->dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(literal->dtype);
  char *at = literal->data + literal->filled++ * width;
  switch (literal->dtype) {
    case TF_STRING:
      TF_StringInit((TF_TString *)at);
      if (!json_is_string(value)) return false;
      TF_StringCopy((TF_TString *)at, json_string_value(value), json_string_length(value));
      return true;
    case TF_BOOL: *(bool *)at = json_is_true(value); return json_is_boolean(value);
    case TF_FLOAT: *(float *)at = (float)json_number_value(value); return json_is_number(value);
    case TF_DOUBLE: *(double *)at = json_number_value(value); return json_is_number(value);
    default: return json_is_integer(value) && put_integer(at, literal->dtype, json_integer_value(value));
  }
}

// "[1][0]", the place of the item with |index|; "the value" for a scalar.
static void append_place(sli_string_t *out, const size_t *index, int depth) {
  if (depth == 0) sli_string_append_text(out, "the value");
  for (int d = 0; d < depth; d++) sli_string_append_format(out, "[%zu]", index[d]);
}

// What is wrong with |value| at the place |index|: another length than the first item of its level, or another type.
static sli_status_t *describe(const literal_t *literal, const json_t *value, const size_t *index, int depth) {
  sli_string_t place = {0}, what = {0};
  append_place(&place, index, depth);
  char *text = json_dumps(value, JSON_ENCODE_ANY);
  bool is_row = json_is_array(value);
  if (depth < literal->rank && is_row)
    sli_string_append_format(&what, "%s has length %zu, but the first one has length %lld", sli_string_text(&place),
                             json_array_size(value), (long long)literal->dims[depth]);
  else if (depth < literal->rank)
    sli_string_append_format(&what, "%s is %.40s, but the first one is a list of %lld", sli_string_text(&place), text,
                             (long long)literal->dims[depth]);
  else if (is_row)
    sli_string_append_format(&what, "%s is a list of %zu, but the first one is a single element",
                             sli_string_text(&place), json_array_size(value));
  bool is_ragged = what.size > 0;
  if (!is_ragged)
    sli_string_append_format(&what, "%s is %.40s, which is not a value of type %s", sli_string_text(&place), text,
                             sli_report_dtype((int)literal->dtype));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "--feed %s: %s%s", literal->name,
                                         is_ragged ? "the rows differ in length: " : "", sli_string_text(&what));
  free(text);
  sli_string_deinitialize(&place);
  sli_string_deinitialize(&what);
  return status;
}

// |index| is the place of |value|; items of it add one number.
static sli_status_t *put_all(literal_t *literal, const json_t *value, size_t *index, int depth) {
  bool is_leaf = depth == literal->rank;
  bool good = is_leaf ? put_element(literal, value)
                      : json_is_array(value) && (int64_t)json_array_size(value) == literal->dims[depth];
  if (!good) return describe(literal, value, index, depth);
  for (size_t i = 0; !is_leaf && i < json_array_size(value); i++) {
    index[depth] = i;
    SLI_RETURN_IF_ERROR(put_all(literal, json_array_get(value, i), index, depth + 1));
  }
  return NULL;
}

static size_t element_count(const literal_t *literal) {
  size_t count = 1;
  for (int d = 0; d < literal->rank; d++) count *= (size_t)literal->dims[d];
  return count;
}

// After an error: makes the strings that were not stored valid, so that the tensor can be deleted.
static void fill_up(literal_t *literal) {
  size_t count = element_count(literal);
  if (literal->dtype != TF_STRING) return;
  for (; literal->filled < count; literal->filled++) TF_StringInit((TF_TString *)literal->data + literal->filled);
}

static sli_status_t *read_literal(const char *name, const json_t *value, TF_DataType dtype, TF_Tensor **out_tensor) {
  literal_t literal = {.name = name, .dtype = dtype};
  size_t width = dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(dtype);
  if (!find_shape(value, &literal) || !width)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "--feed %s: a tensor of this type, or of more than %d dimensions, cannot be written as JSON; use @FILE.npy",
        name, MAX_RANK);
  TF_Tensor *tensor = TF_AllocateTensor(dtype, literal.dims, literal.rank, element_count(&literal) * width);
  literal.data = TF_TensorData(tensor);
  size_t index[MAX_RANK];
  sli_status_t *status = put_all(&literal, value, index, 0);
  fill_up(&literal);
  if (!status)
    *out_tensor = tensor;
  else
    TF_DeleteTensor(tensor);
  return status;
}

sli_status_t *sli_feed_value_read(const char *name, const char *text, TF_DataType dtype, TF_Tensor **out_tensor) {
  if (text[0] == '@') return sli_npy_read(text + 1, out_tensor);
  json_error_t error;
  json_t *value = json_loads(text, JSON_DECODE_ANY, &error);
  if (!value && dtype == TF_STRING) value = json_string(text);
  if (!value)
    return sli_status_make(SLI_INVALID_ARGUMENT, "--feed %s: '%s' is neither @FILE.npy nor JSON: %s", name, text,
                           error.text);
  sli_status_t *status = read_literal(name, value, dtype, out_tensor);
  json_decref(value);
  return status;
}
