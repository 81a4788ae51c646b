#include "train/common/tf_tensor.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/string.h"

int64_t sli_tf_shape_elements(sl_shape_t shape) {
  int64_t elements = shape.rank < 0 ? -1 : 1;
  for (int i = 0; i < shape.rank && elements >= 0; i++)
    if (shape.dims[i] < 0 || __builtin_mul_overflow(elements, shape.dims[i], &elements)) elements = -1;
  return elements;
}

int64_t sli_tf_shape_bytes(sl_shape_t shape, TF_DataType dtype) {
  int64_t elements = sli_tf_shape_elements(shape), size = (int64_t)TF_DataTypeSize(dtype), bytes;
  if (elements < 0 || !size || __builtin_mul_overflow(elements, size, &bytes)) return -1;
  return bytes;
}

char *sli_tf_shape_format(sl_shape_t shape) {
  if (shape.rank < 0) return sli_strdup("<unknown>");
  sli_string_t text = {0};
  sli_string_append_char(&text, '(');
  for (int i = 0; i < shape.rank; i++) {
    if (i) sli_string_append_text(&text, ", ");
    if (shape.dims[i] < 0) sli_string_append_char(&text, '?');
    if (shape.dims[i] >= 0) sli_string_append_format(&text, "%lld", (long long)shape.dims[i]);
  }
  sli_string_append_text(&text, shape.rank == 1 ? ",)" : ")");
  return sli_string_take(&text);
}

bool sli_tf_shape_fits(sl_shape_t value, sl_shape_t wanted) {
  if (wanted.rank < 0) return true;
  if (value.rank != wanted.rank) return false;
  for (int i = 0; i < wanted.rank; i++)
    if (wanted.dims[i] >= 0 && value.dims[i] != wanted.dims[i]) return false;
  return true;
}

const char *sli_tf_type_name(TF_DataType dtype) {
  switch (dtype) {
    case TF_FLOAT: return "float";
    case TF_DOUBLE: return "double";
    case TF_HALF: return "half";
    case TF_BFLOAT16: return "bfloat16";
    case TF_INT8: return "int8";
    case TF_INT16: return "int16";
    case TF_INT32: return "int32";
    case TF_INT64: return "int64";
    case TF_UINT8: return "uint8";
    case TF_UINT16: return "uint16";
    case TF_UINT32: return "uint32";
    case TF_UINT64: return "uint64";
    case TF_BOOL: return "bool";
    case TF_STRING: return "string";
    case TF_COMPLEX64: return "complex64";
    case TF_COMPLEX128: return "complex128";
    case TF_RESOURCE: return "resource";
    default: return "?";
  }
}

bool sli_tf_type_is_floating(TF_DataType dtype) {
  return dtype == TF_FLOAT || dtype == TF_DOUBLE || dtype == TF_HALF || dtype == TF_BFLOAT16;
}

bool sli_tf_output_is_reference(TF_Output output) {
  return (int)TF_OperationOutputType(output) > SLI_TF_REFERENCE_TYPE;
}

static TF_Tensor *allocate(TF_DataType dtype, sl_shape_t shape) {
  int64_t elements = sli_tf_shape_elements(shape);
  if (elements < 0) return NULL;
  return TF_AllocateTensor(dtype, shape.dims, shape.rank, (size_t)elements * TF_DataTypeSize(dtype));
}

TF_Tensor *sli_tf_tensor_copy(TF_DataType dtype, sl_shape_t shape, const void *data) {
  TF_Tensor *tensor = allocate(dtype, shape);
  if (tensor && TF_TensorByteSize(tensor)) memcpy(TF_TensorData(tensor), data, TF_TensorByteSize(tensor));
  return tensor;
}

// Element i is numbers[i * stride].
static TF_Tensor *of_numbers(TF_DataType dtype, sl_shape_t shape, const double *numbers, size_t stride) {
  TF_Tensor *tensor = allocate(dtype, shape);
  if (!tensor) return NULL;
  void *data = TF_TensorData(tensor);
  size_t count = (size_t)TF_TensorElementCount(tensor);
#define FILL(number_type, c_type)                                                         \
  case number_type:                                                                       \
    for (size_t i = 0; i < count; i++) ((c_type *)data)[i] = (c_type)numbers[i * stride]; \
    return tensor
  switch (dtype) {
    FILL(TF_FLOAT, float);
    FILL(TF_DOUBLE, double);
    FILL(TF_INT8, int8_t);
    FILL(TF_INT16, int16_t);
    FILL(TF_INT32, int32_t);
    FILL(TF_INT64, int64_t);
    FILL(TF_UINT8, uint8_t);
    FILL(TF_UINT16, uint16_t);
    FILL(TF_UINT32, uint32_t);
    FILL(TF_UINT64, uint64_t);
    FILL(TF_BOOL, bool);
    default: break;
  }
#undef FILL
  TF_DeleteTensor(tensor);
  return NULL;
}

TF_Tensor *sli_tf_tensor_clone(const TF_Tensor *tensor) {
  int rank = TF_NumDims(tensor);
  int64_t *dims = sli_calloc((size_t)rank + 1, sizeof(*dims));
  for (int i = 0; i < rank; i++) dims[i] = TF_Dim(tensor, i);
  TF_Tensor *copy = TF_AllocateTensor(TF_TensorType(tensor), dims, rank, TF_TensorByteSize(tensor));
  if (TF_TensorByteSize(tensor)) memcpy(TF_TensorData(copy), TF_TensorData(tensor), TF_TensorByteSize(tensor));
  free(dims);
  return copy;
}

TF_Tensor *sli_tf_tensor_fill(TF_DataType dtype, sl_shape_t shape, double number) {
  return of_numbers(dtype, shape, &number, 0);
}

TF_Tensor *sli_tf_tensor_from_doubles(TF_DataType dtype, sl_shape_t shape, const double *numbers, size_t count) {
  return sli_tf_shape_elements(shape) == (int64_t)count ? of_numbers(dtype, shape, numbers, 1) : NULL;
}

static TF_Tensor *texts_of_rank(const char *const *texts, size_t count, int rank) {
  int64_t dims[1] = {(int64_t)count};
  TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, dims, rank, count * sizeof(TF_TString));
  TF_TString *strings = TF_TensorData(tensor);
  for (size_t i = 0; i < count; i++) {
    TF_StringInit(&strings[i]);
    TF_StringCopy(&strings[i], texts[i], strlen(texts[i]));
  }
  return tensor;
}

TF_Tensor *sli_tf_tensor_texts(const char *const *texts, size_t count) { return texts_of_rank(texts, count, 1); }
TF_Tensor *sli_tf_tensor_text(const char *text) { return texts_of_rank(&text, 1, 0); }

void sli_tf_tensor_delete(TF_Tensor *tensor) {
  if (tensor) TF_DeleteTensor(tensor);
}

// Both conversions go over the same list of types.
#define READ_ELEMENT(out_type)                                                   \
  const void *data = TF_TensorData(tensor);                                      \
  switch (TF_TensorType(tensor)) {                                               \
    case TF_FLOAT: *out_value = (out_type)((const float *)data)[index]; break;   \
    case TF_DOUBLE: *out_value = (out_type)((const double *)data)[index]; break; \
    case TF_INT8: *out_value = (out_type)((const int8_t *)data)[index]; break;   \
    case TF_INT16: *out_value = (out_type)((const int16_t *)data)[index]; break; \
    case TF_INT32: *out_value = (out_type)((const int32_t *)data)[index]; break; \
    case TF_INT64: *out_value = (out_type)((const int64_t *)data)[index]; break; \
    case TF_UINT8: *out_value = (out_type)((const uint8_t *)data)[index]; break; \
    case TF_BOOL: *out_value = (out_type)((const bool *)data)[index]; break;     \
    default: return false;                                                       \
  }                                                                              \
  return true

bool sli_tf_tensor_to_double(const TF_Tensor *tensor, size_t index, double *out_value) { READ_ELEMENT(double); }
bool sli_tf_tensor_to_int64(const TF_Tensor *tensor, size_t index, int64_t *out_value) { READ_ELEMENT(int64_t); }

sli_status_t *sli_tf_status_to_status(TF_Status *status) {
  sli_status_t *own = NULL;
  if (TF_GetCode(status) != TF_OK) own = sli_status_make_text((sli_code_t)TF_GetCode(status), TF_Message(status));
  TF_DeleteStatus(status);
  return own;
}

void sli_tf_status_from_status(sli_status_t *status, TF_Status *out_status) {
  TF_SetStatus(out_status, (TF_Code)sli_status_code(status), sli_status_message(status));
  sli_status_release(status);
}
