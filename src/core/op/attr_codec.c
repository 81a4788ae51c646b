// AttrValue to attribute and back. The bytes come from peers and files: lengths,
// depth and the arena's budget are checked. On failure no tensor is retained.
#include "base/array.h"
#include "core/op/attr.h"
#include "core/tensor/tensor_codec.h"
#include "proto/graph.fields.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

enum { DEEPEST = 100 };

static const struct {
  uint32_t number, list_number;
  sli_wire_type_t type;
} fields[] = {
    [SLI_ATTR_STRING] = {SLI_FIELD_ATTR_VALUE_S, SLI_FIELD_ATTR_VALUE_LIST_VALUE_S, SLI_WIRE_BYTES},
    [SLI_ATTR_INT] = {SLI_FIELD_ATTR_VALUE_I, SLI_FIELD_ATTR_VALUE_LIST_VALUE_I, SLI_WIRE_VARINT},
    [SLI_ATTR_FLOAT] = {SLI_FIELD_ATTR_VALUE_F, SLI_FIELD_ATTR_VALUE_LIST_VALUE_F, SLI_WIRE_FIXED32},
    [SLI_ATTR_BOOL] = {SLI_FIELD_ATTR_VALUE_B, SLI_FIELD_ATTR_VALUE_LIST_VALUE_B, SLI_WIRE_VARINT},
    [SLI_ATTR_TYPE] = {SLI_FIELD_ATTR_VALUE_TYPE, SLI_FIELD_ATTR_VALUE_LIST_VALUE_TYPE, SLI_WIRE_VARINT},
    [SLI_ATTR_SHAPE] = {SLI_FIELD_ATTR_VALUE_SHAPE, SLI_FIELD_ATTR_VALUE_LIST_VALUE_SHAPE, SLI_WIRE_BYTES},
    [SLI_ATTR_TENSOR] = {SLI_FIELD_ATTR_VALUE_TENSOR, SLI_FIELD_ATTR_VALUE_LIST_VALUE_TENSOR, SLI_WIRE_BYTES},
    [SLI_ATTR_FUNC] = {SLI_FIELD_ATTR_VALUE_FUNC, SLI_FIELD_ATTR_VALUE_LIST_VALUE_FUNC, SLI_WIRE_BYTES},
    [SLI_ATTR_PLACEHOLDER] = {SLI_FIELD_ATTR_VALUE_PLACEHOLDER, 0, SLI_WIRE_BYTES},
};

static sli_attr_kind_t kind_of_field(uint32_t number, bool in_list) {
  for (size_t kind = SLI_ATTR_STRING; kind < SLI_ARRAY_COUNT_OF(fields); kind++) {
    if ((in_list ? fields[kind].list_number : fields[kind].number) == number) return (sli_attr_kind_t)kind;
  }
  return SLI_ATTR_NONE;
}

static sli_status_t *malformed(void) { return sli_wire_error("tensorflow.AttrValue"); }

static sli_status_t *allocate_in_arena(sli_arena_t *arena, size_t count, size_t size, void *out_pointer) {
  void *pointer = count > SIZE_MAX / 2 / size ? NULL : sli_arena_try_allocate(arena, count * size);
  if (!pointer) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "Attributes need more memory than is allowed");
  memcpy(out_pointer, &pointer, sizeof(pointer));
  return NULL;
}

static sli_status_t *decode_view(sli_view_t bytes, sli_arena_t *arena, sli_view_t *out_view) {
  char *copy = NULL;
  SLI_RETURN_IF_ERROR(allocate_in_arena(arena, bytes.size + 1, 1, &copy));
  if (bytes.size) memcpy(copy, bytes.data, bytes.size);
  copy[bytes.size] = '\0';
  *out_view = sli_view_of(copy, bytes.size);
  return NULL;
}

static sli_status_t *decode_dim(sli_view_t bytes, int64_t *out_size) {
  *out_size = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_TENSOR_SHAPE_PROTO_DIM_SIZE && field.type == SLI_WIRE_VARINT)
      *out_size = (int64_t)field.value;
  }
  return reader.malformed ? sli_wire_error("tensorflow.TensorShapeProto") : NULL;
}

static sli_status_t *decode_shape(sli_view_t bytes, sli_arena_t *arena, sli_shape_t *out_shape) {
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  bool unknown = false;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_TENSOR_SHAPE_PROTO_DIM && field.type == SLI_WIRE_BYTES) {
      if (rank == SLI_MAX_RANK) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape has too many dimensions");
      SLI_RETURN_IF_ERROR(decode_dim(field.bytes, &dims[rank++]));
    } else if (field.number == SLI_FIELD_TENSOR_SHAPE_PROTO_UNKNOWN_RANK && field.type == SLI_WIRE_VARINT) {
      unknown = field.value != 0;
    }
  }
  if (reader.malformed) return sli_wire_error("tensorflow.TensorShapeProto");
  if (unknown && rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "An unknown shape must not have any dimensions set.");
  if (unknown) {
    *out_shape = SLI_SHAPE_UNKNOWN;
    return NULL;
  }
  int64_t *copy = NULL;
  SLI_RETURN_IF_ERROR(allocate_in_arena(arena, (size_t)rank, sizeof(*copy), &copy));
  if (rank) memcpy(copy, dims, (size_t)rank * sizeof(*dims));
  *out_shape = (sli_shape_t){rank, copy};
  return NULL;
}

static sli_status_t *decode_attr(sli_view_t bytes, sli_arena_t *arena, int depth, sli_attr_t *out_attr);

static sli_status_t *decode_func_attr(sli_view_t bytes, sli_arena_t *arena, int depth, sli_attr_entry_t *out_entry) {
  sli_view_t key = {0}, value = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_NAME_ATTR_LIST_ATTR_ENTRY_KEY) key = field.bytes;
    if (field.number == SLI_FIELD_NAME_ATTR_LIST_ATTR_ENTRY_VALUE) value = field.bytes;
  }
  if (reader.malformed) return malformed();
  SLI_RETURN_IF_ERROR(decode_view(key, arena, &key));
  out_entry->name = key.data;
  return decode_attr(value, arena, depth, &out_entry->value);
}

// Also on failure |out_func| holds what was decoded so far; the caller releases it.
static sli_status_t *decode_func(sli_view_t bytes, sli_arena_t *arena, int depth, sli_attr_func_t *out_func) {
  *out_func = (sli_attr_func_t){.name = {"", 0}};
  size_t count = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    count += field.number == SLI_FIELD_NAME_ATTR_LIST_ATTR && field.type == SLI_WIRE_BYTES;
  }
  if (reader.malformed) return malformed();
  sli_attr_entry_t *attrs = NULL;
  SLI_RETURN_IF_ERROR(allocate_in_arena(arena, count, sizeof(*attrs), &attrs));
  out_func->attrs = attrs;
  reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_NAME_ATTR_LIST_NAME)
      SLI_RETURN_IF_ERROR(decode_view(field.bytes, arena, &out_func->name));
    if (field.number == SLI_FIELD_NAME_ATTR_LIST_ATTR) {
      sli_attr_entry_t *entry = &attrs[out_func->attr_count];
      SLI_RETURN_IF_ERROR(decode_func_attr(field.bytes, arena, depth + 1, entry));
      out_func->attr_count++;
    }
  }
  return NULL;
}

// Appends the values of one occurrence of a list's field to |items|, which has room.
static sli_status_t *decode_list_field(const sli_wire_field_t *field, sli_arena_t *arena, int depth, sli_attr_t *list,
                                       void *items) {
  switch (list->kind) {
    case SLI_ATTR_STRING:
      SLI_RETURN_IF_ERROR(decode_view(field->bytes, arena, &((sli_view_t *)items)[list->count]));
      break;
    case SLI_ATTR_SHAPE:
      SLI_RETURN_IF_ERROR(decode_shape(field->bytes, arena, &((sli_shape_t *)items)[list->count]));
      break;
    case SLI_ATTR_TENSOR:
      SLI_RETURN_IF_ERROR(sli_tensor_decode(field->bytes, &((sli_tensor_t **)items)[list->count]));
      break;
    case SLI_ATTR_FUNC: {
      // Counted before it succeeds, so that on failure its tensors are released with the list's.
      sli_attr_func_t *func = &((sli_attr_func_t *)items)[list->count++];
      return decode_func(field->bytes, arena, depth, func);
    }
    default: {
      sli_wire_values_t values;
      if (!sli_wire_values_begin(field, fields[list->kind].type, &values)) return malformed();
      for (uint64_t bits; sli_wire_values_next(&values, &bits); list->count++) {
        if (list->kind == SLI_ATTR_INT)
          ((int64_t *)items)[list->count] = (int64_t)bits;
        else if (list->kind == SLI_ATTR_FLOAT)
          ((float *)items)[list->count] = sli_wire_float(bits);
        else if (list->kind == SLI_ATTR_BOOL)
          ((bool *)items)[list->count] = bits != 0;
        else
          ((sli_dtype_t *)items)[list->count] = (sli_dtype_t)bits;
      }
      return values.reader.malformed ? malformed() : NULL;
    }
  }
  list->count++;
  return NULL;
}

// Finds the list's kind and length.
static sli_status_t *measure_list(sli_view_t bytes, sli_attr_kind_t *out_kind, size_t *out_count) {
  *out_kind = SLI_ATTR_NONE;
  *out_count = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    sli_attr_kind_t kind = kind_of_field(field.number, true);
    if (kind == SLI_ATTR_NONE) continue;
    size_t count = 1;
    if (fields[kind].type == SLI_WIRE_BYTES) {
      if (field.type != SLI_WIRE_BYTES) return malformed();
    } else if (!sli_wire_values_count(&field, fields[kind].type, &count)) {
      return malformed();
    }
    if (count == 0) continue;
    if (*out_kind != SLI_ATTR_NONE && *out_kind != kind)
      return sli_status_make(SLI_INVALID_ARGUMENT, "AttrValue had a list with values of more than one type");
    *out_kind = kind;
    *out_count += count;
  }
  return reader.malformed ? malformed() : NULL;
}

static sli_status_t *decode_list(sli_view_t bytes, sli_arena_t *arena, int depth, sli_attr_t *out_attr) {
  static const size_t sizes[] = {
      [SLI_ATTR_STRING] = sizeof(sli_view_t), [SLI_ATTR_INT] = sizeof(int64_t),
      [SLI_ATTR_FLOAT] = sizeof(float),       [SLI_ATTR_BOOL] = sizeof(bool),
      [SLI_ATTR_TYPE] = sizeof(sli_dtype_t),  [SLI_ATTR_SHAPE] = sizeof(sli_shape_t),
      [SLI_ATTR_TENSOR] = sizeof(void *),     [SLI_ATTR_FUNC] = sizeof(sli_attr_func_t),
  };
  sli_attr_t list = {.is_list = true};
  size_t count = 0;
  SLI_RETURN_IF_ERROR(measure_list(bytes, &list.kind, &count));
  if (list.kind != SLI_ATTR_NONE) {
    void *items = NULL;
    SLI_RETURN_IF_ERROR(allocate_in_arena(arena, count, sizes[list.kind], &items));
    list.list.s = items;  // all members of the union are pointers
    sli_wire_reader_t reader = sli_wire_reader(bytes);
    for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
      if (kind_of_field(field.number, true) != list.kind) continue;
      sli_status_t *status = decode_list_field(&field, arena, depth, &list, items);
      if (status) {
        sli_attr_release_tensors(&list);
        return status;
      }
    }
  }
  *out_attr = list;
  return NULL;
}

static sli_status_t *decode_value(const sli_wire_field_t *field, sli_attr_kind_t kind, sli_arena_t *arena, int depth,
                                  sli_attr_t *out_attr) {
  if (field->type != fields[kind].type) return malformed();
  sli_attr_t attr = {.kind = kind};
  sli_status_t *status = NULL;
  switch (kind) {
    case SLI_ATTR_NONE: break;
    case SLI_ATTR_PLACEHOLDER:
    case SLI_ATTR_STRING: status = decode_view(field->bytes, arena, &attr.s); break;
    case SLI_ATTR_INT: attr.i = (int64_t)field->value; break;
    case SLI_ATTR_FLOAT: attr.f = sli_wire_float(field->value); break;
    case SLI_ATTR_BOOL: attr.b = field->value != 0; break;
    case SLI_ATTR_TYPE: attr.type = (sli_dtype_t)field->value; break;
    case SLI_ATTR_SHAPE: status = decode_shape(field->bytes, arena, &attr.shape); break;
    case SLI_ATTR_TENSOR: status = sli_tensor_decode(field->bytes, &attr.tensor); break;
    case SLI_ATTR_FUNC: status = decode_func(field->bytes, arena, depth, &attr.func); break;
  }
  if (status)
    sli_attr_release_tensors(&attr);
  else
    *out_attr = attr;
  return status;
}

// If several fields of the oneof are set, the last one counts.
static sli_status_t *decode_attr(sli_view_t bytes, sli_arena_t *arena, int depth, sli_attr_t *out_attr) {
  *out_attr = (sli_attr_t){0};
  if (depth > DEEPEST)
    return sli_status_make(SLI_INVALID_ARGUMENT, "AttrValue holds functions more than %d levels deep", DEEPEST);
  sli_attr_t attr = {0};
  sli_status_t *status = NULL;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);) {
    sli_attr_kind_t kind = kind_of_field(field.number, false);
    bool is_list = field.number == SLI_FIELD_ATTR_VALUE_LIST;
    if (kind == SLI_ATTR_NONE && !is_list) continue;
    sli_attr_release_tensors(&attr);
    if (!is_list)
      status = decode_value(&field, kind, arena, depth, &attr);
    else if (field.type == SLI_WIRE_BYTES)
      status = decode_list(field.bytes, arena, depth, &attr);
    else
      status = malformed();
  }
  if (!status && reader.malformed) status = malformed();
  if (status)
    sli_attr_release_tensors(&attr);
  else
    *out_attr = attr;
  return status;
}

sli_status_t *sli_attr_decode(sli_view_t bytes, sli_arena_t *arena, sli_attr_t *out_attr) {
  return decode_attr(bytes, arena, 0, out_attr);
}

// Encoding.

static void encode_tensor(const sli_tensor_t *tensor, uint32_t number, sli_string_t *out) {
  size_t mark = sli_wire_open(out, number);
  sli_tensor_encode_flat(tensor, out);
  sli_wire_close(out, mark);
}

static void encode_func(const sli_attr_func_t *func, uint32_t number, sli_string_t *out) {
  size_t mark = sli_wire_open(out, number);
  if (func->name.size) sli_wire_write_bytes(out, SLI_FIELD_NAME_ATTR_LIST_NAME, func->name.data, func->name.size);
  for (size_t i = 0; i < func->attr_count; i++) {
    size_t entry = sli_wire_open(out, SLI_FIELD_NAME_ATTR_LIST_ATTR);
    sli_wire_write_text(out, SLI_FIELD_NAME_ATTR_LIST_ATTR_ENTRY_KEY, func->attrs[i].name);
    size_t value = sli_wire_open(out, SLI_FIELD_NAME_ATTR_LIST_ATTR_ENTRY_VALUE);
    sli_attr_encode(&func->attrs[i].value, out);
    sli_wire_close(out, value);
    sli_wire_close(out, entry);
  }
  sli_wire_close(out, mark);
}

static void encode_packed_varints(const sli_attr_t *attr, uint32_t number, sli_string_t *out) {
  size_t mark = sli_wire_open(out, number);
  for (size_t i = 0; i < attr->count; i++) {
    sli_wire_write_varint(
        out, attr->kind == SLI_ATTR_BOOL ? (uint64_t)attr->list.b[i] : (uint64_t)(int64_t)(int32_t)attr->list.type[i]);
  }
  sli_wire_close(out, mark);
}

static void encode_list(const sli_attr_t *attr, sli_string_t *out) {
  size_t mark = sli_wire_open(out, SLI_FIELD_ATTR_VALUE_LIST);
  uint32_t number = attr->count ? fields[attr->kind].list_number : 0;
  size_t count = attr->count;
  switch (count ? attr->kind : SLI_ATTR_NONE) {
    case SLI_ATTR_NONE:
    case SLI_ATTR_PLACEHOLDER: break;
    case SLI_ATTR_STRING:
      for (size_t i = 0; i < count; i++) sli_wire_write_bytes(out, number, attr->list.s[i].data, attr->list.s[i].size);
      break;
    case SLI_ATTR_INT: sli_wire_write_packed_int64(out, number, attr->list.i, count); break;
    case SLI_ATTR_FLOAT: sli_wire_write_packed_float(out, number, attr->list.f, count); break;
    case SLI_ATTR_BOOL:
    case SLI_ATTR_TYPE: encode_packed_varints(attr, number, out); break;
    case SLI_ATTR_SHAPE:
      for (size_t i = 0; i < count; i++)
        sli_tensor_proto_write_shape(out, number, attr->list.shape[i].dims, attr->list.shape[i].rank);
      break;
    case SLI_ATTR_TENSOR:
      for (size_t i = 0; i < count; i++) encode_tensor(attr->list.tensor[i], number, out);
      break;
    case SLI_ATTR_FUNC:
      for (size_t i = 0; i < count; i++) encode_func(&attr->list.func[i], number, out);
      break;
  }
  sli_wire_close(out, mark);
}

void sli_attr_encode(const sli_attr_t *attr, sli_string_t *out) {
  if (attr->is_list) {
    encode_list(attr, out);
    return;
  }
  uint32_t number = fields[attr->kind].number;
  switch (attr->kind) {
    case SLI_ATTR_NONE: break;
    case SLI_ATTR_PLACEHOLDER:
    case SLI_ATTR_STRING: sli_wire_write_bytes(out, number, attr->s.data, attr->s.size); break;
    case SLI_ATTR_INT: sli_wire_write_int(out, number, attr->i); break;
    case SLI_ATTR_FLOAT: sli_wire_write_float(out, number, attr->f); break;
    case SLI_ATTR_BOOL: sli_wire_write_uint(out, number, attr->b); break;
    case SLI_ATTR_TYPE: sli_wire_write_int(out, number, (int32_t)attr->type); break;
    case SLI_ATTR_SHAPE: sli_tensor_proto_write_shape(out, number, attr->shape.dims, attr->shape.rank); break;
    case SLI_ATTR_TENSOR: encode_tensor(attr->tensor, number, out); break;
    case SLI_ATTR_FUNC: encode_func(&attr->func, number, out); break;
  }
}
