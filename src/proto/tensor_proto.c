// Reading keeps views and counts. Typed values are found by reading the bytes a second time. That is rare: feeds,
// fetches and received tensors have tensor_content; only constants of a graph have typed values.
#include "proto/tensor_proto.h"

#include "proto/service.fields.h"
#include "proto/types.pb-c.h"
#include "proto/wire.h"

static const char tensor_name[] = "tensorflow.TensorProto";

// The wire type of one number in a typed field; SLI_WIRE_BYTES for items.
static sli_wire_type_t element_of(uint32_t field) {
  switch (field) {
    case SLI_FIELD_TENSOR_PROTO_FLOAT_VAL:
    case SLI_FIELD_TENSOR_PROTO_SCOMPLEX_VAL: return SLI_WIRE_FIXED32;
    case SLI_FIELD_TENSOR_PROTO_DOUBLE_VAL:
    case SLI_FIELD_TENSOR_PROTO_DCOMPLEX_VAL: return SLI_WIRE_FIXED64;
    case SLI_FIELD_TENSOR_PROTO_STRING_VAL:
    case SLI_FIELD_TENSOR_PROTO_RESOURCE_HANDLE_VAL:
    case SLI_FIELD_TENSOR_PROTO_VARIANT_VAL:
    case SLI_FIELD_TENSOR_PROTO_FLOAT8_VAL: return SLI_WIRE_BYTES;
    default: return SLI_WIRE_VARINT;
  }
}

uint32_t sli_tensor_proto_value_field(int dtype) {
  switch (dtype) {
    case TENSORFLOW__DATA_TYPE__DT_FLOAT: return SLI_FIELD_TENSOR_PROTO_FLOAT_VAL;
    case TENSORFLOW__DATA_TYPE__DT_DOUBLE: return SLI_FIELD_TENSOR_PROTO_DOUBLE_VAL;
    case TENSORFLOW__DATA_TYPE__DT_INT32:
    case TENSORFLOW__DATA_TYPE__DT_INT16:
    case TENSORFLOW__DATA_TYPE__DT_INT8:
    case TENSORFLOW__DATA_TYPE__DT_INT4:
    case TENSORFLOW__DATA_TYPE__DT_UINT16:
    case TENSORFLOW__DATA_TYPE__DT_UINT8:
    case TENSORFLOW__DATA_TYPE__DT_UINT4:
    case TENSORFLOW__DATA_TYPE__DT_QINT8:
    case TENSORFLOW__DATA_TYPE__DT_QUINT8:
    case TENSORFLOW__DATA_TYPE__DT_QINT16:
    case TENSORFLOW__DATA_TYPE__DT_QUINT16:
    case TENSORFLOW__DATA_TYPE__DT_QINT32: return SLI_FIELD_TENSOR_PROTO_INT_VAL;
    case TENSORFLOW__DATA_TYPE__DT_STRING: return SLI_FIELD_TENSOR_PROTO_STRING_VAL;
    case TENSORFLOW__DATA_TYPE__DT_COMPLEX64: return SLI_FIELD_TENSOR_PROTO_SCOMPLEX_VAL;
    case TENSORFLOW__DATA_TYPE__DT_COMPLEX128: return SLI_FIELD_TENSOR_PROTO_DCOMPLEX_VAL;
    case TENSORFLOW__DATA_TYPE__DT_INT64: return SLI_FIELD_TENSOR_PROTO_INT64_VAL;
    case TENSORFLOW__DATA_TYPE__DT_BOOL: return SLI_FIELD_TENSOR_PROTO_BOOL_VAL;
    case TENSORFLOW__DATA_TYPE__DT_HALF:
    case TENSORFLOW__DATA_TYPE__DT_BFLOAT16: return SLI_FIELD_TENSOR_PROTO_HALF_VAL;
    case TENSORFLOW__DATA_TYPE__DT_RESOURCE: return SLI_FIELD_TENSOR_PROTO_RESOURCE_HANDLE_VAL;
    case TENSORFLOW__DATA_TYPE__DT_VARIANT: return SLI_FIELD_TENSOR_PROTO_VARIANT_VAL;
    case TENSORFLOW__DATA_TYPE__DT_UINT32: return SLI_FIELD_TENSOR_PROTO_UINT32_VAL;
    case TENSORFLOW__DATA_TYPE__DT_UINT64: return SLI_FIELD_TENSOR_PROTO_UINT64_VAL;
    case TENSORFLOW__DATA_TYPE__DT_FLOAT8_E5M2:
    case TENSORFLOW__DATA_TYPE__DT_FLOAT8_E4M3FN: return SLI_FIELD_TENSOR_PROTO_FLOAT8_VAL;
    default: return 0;
  }
}

// Reading.

static sli_status_t *decode_dim(sli_view_t bytes, int64_t *out_size) {
  *out_size = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_TENSOR_SHAPE_PROTO_DIM_SIZE) continue;
    if (field.type != SLI_WIRE_VARINT) return sli_wire_error(tensor_name);
    *out_size = (int64_t)field.value;
  }
  if (reader.malformed) return sli_wire_error(tensor_name);
  if (*out_size >= -1) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Shape has a dimension of size %lld, below -1", (long long)*out_size);
}

// Appends the dimensions to those of |view|: a shape field that occurs twice is merged.
static sli_status_t *decode_shape(sli_view_t bytes, sli_tensor_proto_view_t *view, bool *unknown_rank) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_TENSOR_SHAPE_PROTO_DIM && field.type == SLI_WIRE_BYTES) {
      if (view->rank == SLI_TENSOR_PROTO_MAX_RANK)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Shape has more than %d dimensions", SLI_TENSOR_PROTO_MAX_RANK);
      SLI_RETURN_IF_ERROR(decode_dim(field.bytes, &view->dims[view->rank++]));
    } else if (field.number == SLI_FIELD_TENSOR_SHAPE_PROTO_UNKNOWN_RANK && field.type == SLI_WIRE_VARINT) {
      *unknown_rank = field.value != 0;
    } else if (field.number == SLI_FIELD_TENSOR_SHAPE_PROTO_DIM ||
               field.number == SLI_FIELD_TENSOR_SHAPE_PROTO_UNKNOWN_RANK) {
      return sli_wire_error(tensor_name);
    }
  }
  return reader.malformed ? sli_wire_error(tensor_name) : NULL;
}

// Stores one field of a TensorProto in |view|.
static sli_status_t *decode_field(const sli_wire_field_t *field, sli_tensor_proto_view_t *view, bool *unknown_rank) {
  if (field->number == SLI_FIELD_TENSOR_PROTO_DTYPE) {
    if (field->type != SLI_WIRE_VARINT) return sli_wire_error(tensor_name);
    view->dtype = (int)field->value;
  } else if (field->number == SLI_FIELD_TENSOR_PROTO_TENSOR_SHAPE) {
    if (field->type != SLI_WIRE_BYTES) return sli_wire_error(tensor_name);
    return decode_shape(field->bytes, view, unknown_rank);
  } else if (field->number == SLI_FIELD_TENSOR_PROTO_TENSOR_CONTENT) {
    if (field->type != SLI_WIRE_BYTES) return sli_wire_error(tensor_name);
    view->content = field->bytes;
    view->has_content = true;
  } else if (field->number == SLI_FIELD_TENSOR_PROTO_FLOAT8_VAL) {
    if (field->type != SLI_WIRE_BYTES) return sli_wire_error(tensor_name);
    view->counts[field->number] = field->bytes.size;
  } else if (field->number >= SLI_FIELD_TENSOR_PROTO_FLOAT_VAL && field->number < SLI_TENSOR_PROTO_FIELD_COUNT) {
    size_t count;
    if (!sli_wire_values_count(field, element_of(field->number), &count)) return sli_wire_error(tensor_name);
    view->counts[field->number] += count;
  }
  return NULL;
}

static void clear_tensor(sli_tensor_proto_view_t *view) {
  // Leaves |dims|, of which only the first |rank| are valid.
  view->dtype = view->rank = 0;
  view->has_content = false;
  view->content = view->encoded = sli_view_of(NULL, 0);
  memset(view->counts, 0, sizeof(view->counts));
}

sli_status_t *sli_tensor_proto_decode(sli_view_t bytes, sli_tensor_proto_view_t *out_view) {
  clear_tensor(out_view);
  out_view->encoded = bytes;
  bool unknown_rank = false;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    SLI_RETURN_IF_ERROR(decode_field(&field, out_view, &unknown_rank));
  if (unknown_rank) out_view->rank = -1;
  return reader.malformed ? sli_wire_error(tensor_name) : NULL;
}

static size_t copy_float8(const sli_tensor_proto_view_t *view, void *out, size_t capacity) {
  // The last occurrence counts, as in decode_field.
  sli_tensor_proto_items_t items = sli_tensor_proto_items(view, SLI_FIELD_TENSOR_PROTO_FLOAT8_VAL);
  sli_view_t bytes = {0};
  for (sli_view_t item; sli_tensor_proto_next_item(&items, &item);) bytes = item;
  size_t count = bytes.size < capacity ? bytes.size : capacity;
  if (count) memcpy(out, bytes.data, count);
  return count;
}

size_t sli_tensor_proto_copy_values(const sli_tensor_proto_view_t *view, uint32_t field, size_t width, void *out,
                                    size_t capacity) {
  sli_wire_type_t element = element_of(field);
  if (field == SLI_FIELD_TENSOR_PROTO_FLOAT8_VAL) return width == 1 ? copy_float8(view, out, capacity) : 0;
  SLI_CHECK(element != SLI_WIRE_BYTES && width <= 8);
  size_t wire_width = element == SLI_WIRE_FIXED64 ? 8 : element == SLI_WIRE_FIXED32 ? 4 : 0;
  SLI_CHECK(!wire_width || width == wire_width);
  char *at = out;
  size_t copied = 0;
  sli_wire_reader_t reader = sli_wire_reader(view->encoded);
  for (sli_wire_field_t wire; copied < capacity && sli_wire_next(&reader, &wire);) {
    if (wire.number != field) continue;
    if (wire_width && wire.type == SLI_WIRE_BYTES) {
      size_t count = wire.bytes.size / width;
      if (count > capacity - copied) count = capacity - copied;
      if (count) memcpy(at + copied * width, wire.bytes.data, count * width);
      copied += count;
      continue;
    }
    sli_wire_values_t values;
    sli_wire_values_begin(&wire, element, &values);
    for (uint64_t bits; copied < capacity && sli_wire_values_next(&values, &bits); copied++)
      memcpy(at + copied * width, &bits, width);
  }
  return copied;
}

sli_tensor_proto_items_t sli_tensor_proto_items(const sli_tensor_proto_view_t *view, uint32_t field) {
  return (sli_tensor_proto_items_t){.rest = view->encoded, .field = field};
}

bool sli_tensor_proto_next_item(sli_tensor_proto_items_t *items, sli_view_t *out_item) {
  sli_wire_reader_t reader = sli_wire_reader(items->rest);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != items->field || field.type != SLI_WIRE_BYTES) continue;
    items->rest = sli_view_of((const char *)reader.next, (size_t)(reader.end - reader.next));
    *out_item = field.bytes;
    return true;
  }
  items->rest = *out_item = sli_view_of(NULL, 0);
  return false;
}

// Writing. TensorFlow has two serializers. The general one omits a dimension's size if it is 0. The one of RecvTensor
// writes it, but omits the shape of a scalar.

typedef enum { GENERAL, RECEIVED } flavour_t;

static size_t dim_size(int64_t dim, flavour_t flavour) {
  return dim == 0 && flavour == GENERAL ? 0 : sli_wire_uint_size(SLI_FIELD_TENSOR_SHAPE_PROTO_DIM_SIZE, (uint64_t)dim);
}

static size_t shape_size(const int64_t *dims, int rank, flavour_t flavour) {
  size_t size = 0;
  for (int i = 0; i < rank; i++)
    size += sli_wire_bytes_size(SLI_FIELD_TENSOR_SHAPE_PROTO_DIM, dim_size(dims[i], flavour));
  return size;
}

static size_t tensor_size(int dtype, const int64_t *dims, int rank, size_t content_size, flavour_t flavour) {
  size_t size = sli_wire_uint_size(SLI_FIELD_TENSOR_PROTO_DTYPE, (uint64_t)dtype);
  if (rank || flavour == GENERAL)
    size += sli_wire_bytes_size(SLI_FIELD_TENSOR_PROTO_TENSOR_SHAPE, shape_size(dims, rank, flavour));
  if (content_size || flavour == RECEIVED)
    size += sli_wire_bytes_size(SLI_FIELD_TENSOR_PROTO_TENSOR_CONTENT, content_size);
  return size;
}

static void write_shape(sli_string_t *out, uint32_t number, const int64_t *dims, int rank, flavour_t flavour) {
  sli_wire_write_length(out, number, shape_size(dims, rank, flavour));
  for (int i = 0; i < rank; i++) {
    size_t size = dim_size(dims[i], flavour);
    sli_wire_write_length(out, SLI_FIELD_TENSOR_SHAPE_PROTO_DIM, size);
    if (size) sli_wire_write_int(out, SLI_FIELD_TENSOR_SHAPE_PROTO_DIM_SIZE, dims[i]);
  }
}

sli_status_t *sli_tensor_proto_decode_shape(sli_view_t bytes, int64_t *out_dims, int *out_rank) {
  sli_tensor_proto_view_t view;
  bool unknown_rank = false;
  clear_tensor(&view);
  SLI_RETURN_IF_ERROR(decode_shape(bytes, &view, &unknown_rank));
  *out_rank = unknown_rank ? -1 : view.rank;
  if (!unknown_rank) memcpy(out_dims, view.dims, (size_t)view.rank * sizeof(*out_dims));
  return NULL;
}

void sli_tensor_proto_append_shape(sli_string_t *out, const int64_t *dims, int rank) {
  if (rank < 0) sli_wire_write_uint(out, SLI_FIELD_TENSOR_SHAPE_PROTO_UNKNOWN_RANK, 1);
  for (int d = 0; d < rank; d++) {
    size_t mark = sli_wire_open(out, SLI_FIELD_TENSOR_SHAPE_PROTO_DIM);
    if (dims[d]) sli_wire_write_uint(out, SLI_FIELD_TENSOR_SHAPE_PROTO_DIM_SIZE, (uint64_t)dims[d]);
    sli_wire_close(out, mark);
  }
}

void sli_tensor_proto_write_shape(sli_string_t *out, uint32_t number, const int64_t *dims, int rank) {
  if (rank >= 0) {
    write_shape(out, number, dims, rank, GENERAL);
    return;
  }
  size_t mark = sli_wire_open(out, number);
  sli_wire_write_uint(out, SLI_FIELD_TENSOR_SHAPE_PROTO_UNKNOWN_RANK, 1);
  sli_wire_close(out, mark);
}

static void write_tensor(sli_string_t *out, int dtype, const int64_t *dims, int rank, size_t content_size,
                         flavour_t flavour) {
  SLI_CHECK(dtype > 0 && rank >= 0 && rank <= SLI_TENSOR_PROTO_MAX_RANK);
  sli_wire_write_uint(out, SLI_FIELD_TENSOR_PROTO_DTYPE, (uint64_t)dtype);
  if (rank || flavour == GENERAL) write_shape(out, SLI_FIELD_TENSOR_PROTO_TENSOR_SHAPE, dims, rank, flavour);
  if (content_size || flavour == RECEIVED)
    sli_wire_write_length(out, SLI_FIELD_TENSOR_PROTO_TENSOR_CONTENT, content_size);
}

size_t sli_tensor_proto_size(int dtype, const int64_t *dims, int rank, size_t content_size) {
  return tensor_size(dtype, dims, rank, content_size, GENERAL);
}

void sli_tensor_proto_write_head(sli_string_t *out, int dtype, const int64_t *dims, int rank, size_t content_size) {
  write_tensor(out, dtype, dims, rank, content_size, GENERAL);
}

void sli_tensor_proto_write_response_head(sli_string_t *out, bool is_dead, int64_t send_start_micros, int dtype,
                                          const int64_t *dims, int rank, size_t content_size) {
  if (is_dead) sli_wire_write_uint(out, SLI_FIELD_RECV_TENSOR_RESPONSE_IS_DEAD, 1);
  if (send_start_micros) sli_wire_write_int(out, SLI_FIELD_RECV_TENSOR_RESPONSE_SEND_START_MICROS, send_start_micros);
  sli_wire_write_length(out, SLI_FIELD_RECV_TENSOR_RESPONSE_TENSOR,
                        tensor_size(dtype, dims, rank, content_size, RECEIVED));
  write_tensor(out, dtype, dims, rank, content_size, RECEIVED);
}

void sli_tensor_proto_write_dead_response(sli_string_t *out, int64_t send_start_micros) {
  const int64_t none = 0;
  sli_tensor_proto_write_response_head(out, true, send_start_micros, TENSORFLOW__DATA_TYPE__DT_FLOAT, &none, 1, 0);
}
