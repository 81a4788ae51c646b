// Reading an operation's attributes.
#include <stdlib.h>

#include "capi/capi.h"
#include "proto/wire.h"

static const sli_node_def_t *def_of(TF_Operation *oper) { return &sli_capi_node(oper)->def; }

static sli_status_t *find(TF_Operation *oper, const char *name, const sli_attr_t **out_attr) {
  *out_attr = sli_node_attr(def_of(oper), name);
  if (*out_attr) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Operation '%s' has no attr named '%s'.", def_of(oper)->name, name);
}

// A list of |kind|. As in TensorFlow, a list of another kind counts as empty.
static sli_status_t *find_list(TF_Operation *oper, const char *name, sli_attr_kind_t kind, const sli_attr_t **out_attr,
                               size_t *out_count) {
  *out_count = 0;
  SLI_RETURN_IF_ERROR(find(oper, name, out_attr));
  if (!(*out_attr)->is_list) return sli_status_make(SLI_INVALID_ARGUMENT, "Value for '%s' is not a list.", name);
  if ((*out_attr)->kind == kind) *out_count = (*out_attr)->count;
  return NULL;
}

static size_t at_most(size_t count, int capacity) {
  size_t limit = capacity < 0 ? 0 : (size_t)capacity;
  return count < limit ? count : limit;
}

// --- Metadata ----------------------------------------------------------------

static const TF_AttrType attr_types[] = {
    [SLI_ATTR_STRING] = TF_ATTR_STRING, [SLI_ATTR_INT] = TF_ATTR_INT,   [SLI_ATTR_FLOAT] = TF_ATTR_FLOAT,
    [SLI_ATTR_BOOL] = TF_ATTR_BOOL,     [SLI_ATTR_TYPE] = TF_ATTR_TYPE, [SLI_ATTR_SHAPE] = TF_ATTR_SHAPE,
    [SLI_ATTR_TENSOR] = TF_ATTR_TENSOR, [SLI_ATTR_FUNC] = TF_ATTR_FUNC, [SLI_ATTR_PLACEHOLDER] = TF_ATTR_PLACEHOLDER,
};

static int64_t total_size(const sli_attr_t *attr) {
  if (attr->kind != SLI_ATTR_STRING && attr->kind != SLI_ATTR_SHAPE) return -1;
  if (!attr->is_list) return attr->kind == SLI_ATTR_STRING ? (int64_t)attr->s.size : attr->shape.rank;
  int64_t total = 0;
  for (size_t i = 0; i < attr->count; i++) {
    if (attr->kind == SLI_ATTR_STRING)
      total += (int64_t)attr->list.s[i].size;
    else if (attr->list.shape[i].rank > 0)
      total += attr->list.shape[i].rank;
  }
  return attr->count ? total : -1;
}

TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation *oper, const char *attr_name, TF_Status *status) {
  TF_AttrMetadata metadata = {.list_size = -1, .total_size = -1};
  const sli_attr_t *attr = NULL;
  sli_status_t *result = find(oper, attr_name, &attr);
  if (!result && attr->kind == SLI_ATTR_NONE && !attr->is_list)
    result = sli_status_make(SLI_INVALID_ARGUMENT, "Attribute '%s' has no value set", attr_name);
  if (!result) {
    const sli_attr_spec_t *spec = sli_op_attr_spec(def_of(oper)->op, attr_name);
    metadata.is_list = attr->is_list;
    if (attr->is_list) metadata.list_size = (int64_t)attr->count;
    // An empty list may have no kind; the op's spec has it.
    metadata.type = attr_types[attr->kind == SLI_ATTR_NONE && spec ? spec->kind : attr->kind];
    metadata.total_size = total_size(attr);
  }
  sli_capi_set_status(status, result);
  return metadata;
}

// --- Single values and plain lists -------------------------------------------

#define DEFINE_GETTERS(name, c_type, getter, getter_type, attr_kind, field)                                       \
  void TF_OperationGetAttr##name(TF_Operation *oper, const char *attr_name, c_type *value, TF_Status *status) {   \
    getter_type got;                                                                                              \
    sli_status_t *result = getter(def_of(oper), attr_name, &got);                                                 \
    if (!result) *value = (c_type)got;                                                                            \
    sli_capi_set_status(status, result);                                                                          \
  }                                                                                                               \
  void TF_OperationGetAttr##name##List(TF_Operation *oper, const char *attr_name, c_type *values, int max_values, \
                                       TF_Status *status) {                                                       \
    const sli_attr_t *list = NULL;                                                                                \
    size_t count = 0;                                                                                             \
    sli_capi_set_status(status, find_list(oper, attr_name, attr_kind, &list, &count));                            \
    for (size_t i = 0; i < at_most(count, max_values); i++) values[i] = (c_type)list->list.field[i];              \
  }
DEFINE_GETTERS(Int, int64_t, sli_node_attr_int, int64_t, SLI_ATTR_INT, i)
DEFINE_GETTERS(Float, float, sli_node_attr_float, float, SLI_ATTR_FLOAT, f)
DEFINE_GETTERS(Bool, unsigned char, sli_node_attr_bool, bool, SLI_ATTR_BOOL, b)
DEFINE_GETTERS(Type, TF_DataType, sli_node_attr_type, sli_dtype_t, SLI_ATTR_TYPE, type)
#undef DEFINE_GETTERS

// --- Strings -----------------------------------------------------------------

void TF_OperationGetAttrString(TF_Operation *oper, const char *attr_name, void *value, size_t max_length,
                               TF_Status *status) {
  const sli_attr_t *attr = NULL;
  sli_status_t *result = find(oper, attr_name, &attr);
  if (!result && (attr->is_list || attr->kind != SLI_ATTR_STRING))
    result = sli_status_make(SLI_INVALID_ARGUMENT, "Attribute '%s' is not a string", attr_name);
  if (!result && max_length && attr->s.size)
    memcpy(value, attr->s.data, attr->s.size < max_length ? attr->s.size : max_length);
  sli_capi_set_status(status, result);
}

void TF_OperationGetAttrStringList(TF_Operation *oper, const char *attr_name, void **values, size_t *lengths,
                                   int max_values, void *storage, size_t storage_size, TF_Status *status) {
  const sli_attr_t *list = NULL;
  size_t count = 0, used = 0;
  sli_status_t *result = find_list(oper, attr_name, SLI_ATTR_STRING, &list, &count);
  for (size_t i = 0; i < at_most(count, max_values) && !result; i++) {
    sli_view_t text = list->list.s[i];
    values[i] = (char *)storage + used;
    lengths[i] = text.size;
    if (text.size > storage_size - used) {
      result = sli_status_make(SLI_INVALID_ARGUMENT, "Not enough storage to hold the requested list of strings");
    } else if (text.size) {
      memcpy(values[i], text.data, text.size);
      used += text.size;
    }
  }
  sli_capi_set_status(status, result);
}

// --- Shapes ------------------------------------------------------------------

void TF_OperationGetAttrShape(TF_Operation *oper, const char *attr_name, int64_t *value, int num_dims,
                              TF_Status *status) {
  sli_shape_t shape = SLI_SHAPE_UNKNOWN;
  sli_status_t *result = sli_node_attr_shape(def_of(oper), attr_name, &shape);
  for (int i = 0; i < shape.rank && i < num_dims && !result; i++) value[i] = shape.dims[i];
  sli_capi_set_status(status, result);
}

void TF_OperationGetAttrShapeList(TF_Operation *oper, const char *attr_name, int64_t **dims, int *num_dims,
                                  int num_shapes, int64_t *storage, int storage_size, TF_Status *status) {
  const sli_attr_t *list = NULL;
  sli_status_t *result = sli_node_attr_list(def_of(oper), attr_name, SLI_ATTR_SHAPE, &list);
  int used = 0;
  for (size_t i = 0; !result && i < at_most(list->count, num_shapes); i++) {
    sli_shape_t shape = list->list.shape[i];
    num_dims[i] = shape.rank;
    dims[i] = storage + used;
    if (shape.rank > storage_size - used) {
      result = sli_status_make(SLI_INVALID_ARGUMENT, "Not enough storage to hold the requested list of shapes");
    } else if (shape.rank > 0) {
      memcpy(dims[i], shape.dims, (size_t)shape.rank * sizeof(*shape.dims));
      used += shape.rank;
    }
  }
  sli_capi_set_status(status, result);
}

// A TensorShapeProto is the only field of a shape's AttrValue.
static void encode_shape(sli_shape_t shape, sli_string_t *out) {
  sli_string_t value = {0};
  sli_attr_encode(&(sli_attr_t){.kind = SLI_ATTR_SHAPE, .shape = shape}, &value);
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(value.data, value.size));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    sli_string_append(out, field.bytes.data, field.bytes.size);
  sli_string_deinitialize(&value);
}

void TF_OperationGetAttrTensorShapeProto(TF_Operation *oper, const char *attr_name, TF_Buffer *value,
                                         TF_Status *status) {
  const sli_attr_t *attr = NULL;
  sli_status_t *result = find(oper, attr_name, &attr);
  if (!result && (attr->is_list || attr->kind != SLI_ATTR_SHAPE))
    result = sli_status_make(SLI_INVALID_ARGUMENT, "Value for '%s' is not a shape.", attr_name);
  if (!result) {
    sli_string_t bytes = {0};
    encode_shape(attr->shape, &bytes);
    result = sli_capi_buffer_fill(value, &bytes);
  }
  sli_capi_set_status(status, result);
}

void TF_OperationGetAttrTensorShapeProtoList(TF_Operation *oper, const char *attr_name, TF_Buffer **values,
                                             int max_values, TF_Status *status) {
  const sli_attr_t *list = NULL;
  size_t count = 0;
  sli_capi_set_status(status, find_list(oper, attr_name, SLI_ATTR_SHAPE, &list, &count));
  for (size_t i = 0; i < at_most(count, max_values); i++) {
    sli_string_t bytes = {0};
    encode_shape(list->list.shape[i], &bytes);
    values[i] = sli_capi_buffer_create(&bytes);
  }
}

// --- Tensors and everything --------------------------------------------------

// A copy, because the caller may write to it.
static sli_status_t *copy_tensor(sli_tensor_t *tensor, TF_Tensor **out_tensor) {
  sli_tensor_t *copy = NULL;
  SLI_RETURN_IF_ERROR(sli_tensor_clone(tensor, &copy));
  *out_tensor = sli_capi_tensor_wrap(copy);
  return NULL;
}

void TF_OperationGetAttrTensor(TF_Operation *oper, const char *attr_name, TF_Tensor **value, TF_Status *status) {
  *value = NULL;
  sli_tensor_t *tensor = NULL;
  sli_status_t *result = sli_node_attr_tensor(def_of(oper), attr_name, &tensor);
  if (!result) result = copy_tensor(tensor, value);
  sli_capi_set_status(status, result);
}

void TF_OperationGetAttrTensorList(TF_Operation *oper, const char *attr_name, TF_Tensor **values, int max_values,
                                   TF_Status *status) {
  const sli_attr_t *list = NULL;
  sli_status_t *result = sli_node_attr_list(def_of(oper), attr_name, SLI_ATTR_TENSOR, &list);
  size_t count = result ? 0 : at_most(list->count, max_values), done = 0;
  for (; done < count && !result; done++) {
    values[done] = NULL;
    result = copy_tensor(list->list.tensor[done], &values[done]);
  }
  for (size_t i = 0; result && i < done; i++) {
    TF_DeleteTensor(values[i]);
    values[i] = NULL;
  }
  sli_capi_set_status(status, result);
}

void TF_OperationGetAttrValueProto(TF_Operation *oper, const char *attr_name, TF_Buffer *output_attr_value,
                                   TF_Status *status) {
  const sli_attr_t *attr = NULL;
  sli_status_t *result = find(oper, attr_name, &attr);
  if (!result) {
    sli_string_t bytes = {0};
    sli_attr_encode(attr, &bytes);
    result = sli_capi_buffer_fill(output_attr_value, &bytes);
  }
  sli_capi_set_status(status, result);
}

// --- Names -------------------------------------------------------------------

int TF_OperationGetNumAttrs(TF_Operation *oper) { return (int)def_of(oper)->attr_count; }

int TF_OperationGetAttrNameLength(TF_Operation *oper, int i) {
  return i < 0 || (size_t)i >= def_of(oper)->attr_count ? -1 : (int)strlen(def_of(oper)->attrs[i].name);
}

void TF_OperationGetAttrName(TF_Operation *oper, int i, char *output, TF_Status *status) {
  int length = TF_OperationGetAttrNameLength(oper, i);
  if (length < 0) {
    sli_capi_set_status(status,
                        sli_status_make(SLI_OUT_OF_RANGE, "Operation only has %zu attributes, can't get the %dth",
                                        def_of(oper)->attr_count, i));
    return;
  }
  memcpy(output, def_of(oper)->attrs[i].name, (size_t)length);
  sli_capi_set_status(status, NULL);
}
