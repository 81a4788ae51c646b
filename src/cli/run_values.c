#include "cli/run_values.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/inspect_tensor.h"
#include "cli/npy.h"
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

// The shape by the first item of every level; the others are checked when they are read.
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

// One element. False if |value| is none of the type.
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

static bool put_all(literal_t *literal, const json_t *value, int depth) {
  if (depth == literal->rank) return put_element(literal, value);
  if (!json_is_array(value) || (int64_t)json_array_size(value) != literal->dims[depth]) return false;
  size_t i;
  json_t *item;
  bool good = true;
  json_array_foreach(value, i, item) good = good && put_all(literal, item, depth + 1);
  return good;
}

static size_t element_count(const literal_t *literal) {
  size_t count = 1;
  for (int d = 0; d < literal->rank; d++) count *= (size_t)literal->dims[d];
  return count;
}

// Elements that were not reached must be valid strings too.
static void fill_up(literal_t *literal) {
  size_t count = element_count(literal);
  if (literal->dtype != TF_STRING) return;
  for (; literal->filled < count; literal->filled++) TF_StringInit((TF_TString *)literal->data + literal->filled);
}

static sli_status_t *read_literal(const char *name, const json_t *value, TF_DataType dtype, TF_Tensor **out_tensor) {
  literal_t literal = {.name = name, .dtype = dtype};
  size_t width = dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(dtype);
  if (!find_shape(value, &literal) || !width)
    return sli_status_make(SLI_INVALID_ARGUMENT, "--feed %s: no literal can stand for this tensor; give a .npy file",
                           name);
  TF_Tensor *tensor = TF_AllocateTensor(dtype, literal.dims, literal.rank, element_count(&literal) * width);
  literal.data = TF_TensorData(tensor);
  bool good = put_all(&literal, value, 0);
  fill_up(&literal);
  if (good) {
    *out_tensor = tensor;
    return NULL;
  }
  TF_DeleteTensor(tensor);
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "--feed %s: the value is ragged, or an element is not of the tensor's type (%d)", name,
                         (int)dtype);
}

sli_status_t *sli_run_value_read(const char *name, const char *text, TF_DataType dtype, TF_Tensor **out_tensor) {
  if (text[0] == '@') return sli_npy_read(text + 1, out_tensor);
  json_error_t error;
  json_t *value = json_loads(text, JSON_DECODE_ANY, &error);
  if (!value && dtype == TF_STRING) value = json_string(text);
  if (!value)
    return sli_status_make(SLI_INVALID_ARGUMENT, "--feed %s: '%s' is neither @FILE.npy nor a value: %s", name, text,
                           error.text);
  sli_status_t *status = read_literal(name, value, dtype, out_tensor);
  json_decref(value);
  return status;
}

// --- A tensor to text ---

void sli_run_value_append(sli_string_t *out, const TF_Tensor *tensor, int64_t limit) {
  int rank = TF_NumDims(tensor);
  int64_t *dims = sli_calloc((size_t)rank + 1, sizeof(*dims));
  for (int d = 0; d < rank; d++) dims[d] = TF_Dim(tensor, d);
  sli_inspect_tensor_t view = {.dtype = (int)TF_TensorType(tensor),
                               .rank = rank,
                               .dims = dims,
                               .data = TF_TensorData(tensor),
                               .count = (size_t)TF_TensorElementCount(tensor)};
  sli_view_t *strings = NULL;
  if (TF_TensorType(tensor) == TF_STRING) {
    strings = sli_calloc(view.count + 1, sizeof(*strings));
    const TF_TString *items = TF_TensorData(tensor);
    for (size_t i = 0; i < view.count; i++)
      strings[i] = sli_view_of(TF_StringGetDataPointer(&items[i]), TF_StringGetSize(&items[i]));
    view.strings = strings;
  }
  sli_inspect_append_tensor(out, &view, limit);
  free(strings);
  free(dims);
}
