// Tensors on the wire. Reading keeps views and counts; typed values are found
// again by a second walk, which is rare: feeds, fetches and
// received tensors carry tensor_content, only constants of a graph do not.
#include "proto/tensor_wire.h"

#include "proto/types.pb-c.h"
#include "proto/wire.h"

enum { TENSOR_DTYPE = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 2, SHAPE_UNKNOWN_RANK = 3, DIM_SIZE = 1 };
enum { RECV_TENSOR = 1, RECV_IS_DEAD = 2, RECV_SEND_START = 3, RECV_TRANSPORT = 4, RECV_REQUIRE_ACK = 5 };
enum { NAMED_NAME = 1, NAMED_TENSOR = 2 };

static const char tensor_name[] = "tensorflow.TensorProto";
static const char response_name[] = "tensorflow.RecvTensorResponse";

// The wire type of one number in a typed field; SLI_WIRE_BYTES for items.
static sli_wire_type_t element_of(uint32_t field) {
  switch (field) {
    case SLI_TENSOR_FLOAT_VAL:
    case SLI_TENSOR_SCOMPLEX_VAL: return SLI_WIRE_FIXED32;
    case SLI_TENSOR_DOUBLE_VAL:
    case SLI_TENSOR_DCOMPLEX_VAL: return SLI_WIRE_FIXED64;
    case SLI_TENSOR_STRING_VAL:
    case SLI_TENSOR_RESOURCE_HANDLE_VAL:
    case SLI_TENSOR_VARIANT_VAL:
    case SLI_TENSOR_FLOAT8_VAL: return SLI_WIRE_BYTES;
    default: return SLI_WIRE_VARINT;
  }
}

uint32_t sli_tensor_proto_value_field(int dtype) {
  switch (dtype) {
    case TENSORFLOW__DATA_TYPE__DT_FLOAT: return SLI_TENSOR_FLOAT_VAL;
    case TENSORFLOW__DATA_TYPE__DT_DOUBLE: return SLI_TENSOR_DOUBLE_VAL;
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
    case TENSORFLOW__DATA_TYPE__DT_QINT32: return SLI_TENSOR_INT_VAL;
    case TENSORFLOW__DATA_TYPE__DT_STRING: return SLI_TENSOR_STRING_VAL;
    case TENSORFLOW__DATA_TYPE__DT_COMPLEX64: return SLI_TENSOR_SCOMPLEX_VAL;
    case TENSORFLOW__DATA_TYPE__DT_COMPLEX128: return SLI_TENSOR_DCOMPLEX_VAL;
    case TENSORFLOW__DATA_TYPE__DT_INT64: return SLI_TENSOR_INT64_VAL;
    case TENSORFLOW__DATA_TYPE__DT_BOOL: return SLI_TENSOR_BOOL_VAL;
    case TENSORFLOW__DATA_TYPE__DT_HALF:
    case TENSORFLOW__DATA_TYPE__DT_BFLOAT16: return SLI_TENSOR_HALF_VAL;
    case TENSORFLOW__DATA_TYPE__DT_RESOURCE: return SLI_TENSOR_RESOURCE_HANDLE_VAL;
    case TENSORFLOW__DATA_TYPE__DT_VARIANT: return SLI_TENSOR_VARIANT_VAL;
    case TENSORFLOW__DATA_TYPE__DT_UINT32: return SLI_TENSOR_UINT32_VAL;
    case TENSORFLOW__DATA_TYPE__DT_UINT64: return SLI_TENSOR_UINT64_VAL;
    case TENSORFLOW__DATA_TYPE__DT_FLOAT8_E5M2:
    case TENSORFLOW__DATA_TYPE__DT_FLOAT8_E4M3FN: return SLI_TENSOR_FLOAT8_VAL;
    default: return 0;
  }
}

// Reading.

static sli_status_t *decode_dim(sli_view_t bytes, int64_t *out_size) {
  *out_size = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != DIM_SIZE) continue;
    if (field.type != SLI_WIRE_VARINT) return sli_wire_error(tensor_name);
    *out_size = (int64_t)field.value;
  }
  if (reader.malformed) return sli_wire_error(tensor_name);
  if (*out_size >= -1) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Shape has a dimension of size %lld, below -1", (long long)*out_size);
}

// Adds the dimensions to those that |view| has: a shape sent in two parts is their merge.
static sli_status_t *decode_shape(sli_view_t bytes, sli_tensor_proto_view_t *view, bool *unknown_rank) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SHAPE_DIM && field.type == SLI_WIRE_BYTES) {
      if (view->rank == SLI_TENSOR_MAX_RANK)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Shape has more than %d dimensions", SLI_TENSOR_MAX_RANK);
      SLI_RETURN_IF_ERROR(decode_dim(field.bytes, &view->dims[view->rank++]));
    } else if (field.number == SHAPE_UNKNOWN_RANK && field.type == SLI_WIRE_VARINT) {
      *unknown_rank = field.value != 0;
    } else if (field.number == SHAPE_DIM || field.number == SHAPE_UNKNOWN_RANK) {
      return sli_wire_error(tensor_name);
    }
  }
  return reader.malformed ? sli_wire_error(tensor_name) : NULL;
}

// Takes one field of a TensorProto into |view|.
static sli_status_t *decode_field(const sli_wire_field_t *field, sli_tensor_proto_view_t *view, bool *unknown_rank) {
  if (field->number == TENSOR_DTYPE) {
    if (field->type != SLI_WIRE_VARINT) return sli_wire_error(tensor_name);
    view->dtype = (int)field->value;
  } else if (field->number == TENSOR_SHAPE) {
    if (field->type != SLI_WIRE_BYTES) return sli_wire_error(tensor_name);
    return decode_shape(field->bytes, view, unknown_rank);
  } else if (field->number == SLI_TENSOR_CONTENT) {
    if (field->type != SLI_WIRE_BYTES) return sli_wire_error(tensor_name);
    view->content = field->bytes;
    view->has_content = true;
  } else if (field->number == SLI_TENSOR_FLOAT8_VAL) {
    if (field->type != SLI_WIRE_BYTES) return sli_wire_error(tensor_name);
    view->counts[field->number] = field->bytes.size;
  } else if (field->number >= SLI_TENSOR_FLOAT_VAL && field->number < SLI_TENSOR_FIELD_COUNT) {
    size_t count;
    if (!sli_wire_values_count(field, element_of(field->number), &count)) return sli_wire_error(tensor_name);
    view->counts[field->number] += count;
  }
  return NULL;
}

static void clear_tensor(sli_tensor_proto_view_t *view) {
  // All but the dimensions, of which only the first |rank| count.
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
  sli_tensor_proto_items_t items = sli_tensor_proto_items(view, SLI_TENSOR_FLOAT8_VAL);
  sli_view_t bytes = {0};
  for (sli_view_t item; sli_tensor_proto_next_item(&items, &item);) bytes = item;
  size_t count = bytes.size < capacity ? bytes.size : capacity;
  if (count) memcpy(out, bytes.data, count);
  return count;
}

size_t sli_tensor_proto_copy_values(const sli_tensor_proto_view_t *view, uint32_t field, size_t width, void *out,
                                    size_t capacity) {
  sli_wire_type_t element = element_of(field);
  if (field == SLI_TENSOR_FLOAT8_VAL) return width == 1 ? copy_float8(view, out, capacity) : 0;
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

// Writing. TensorFlow writes a zero twice differently: the general serialiser
// leaves it out (an empty dimension), RecvTensor's own spells it out, but leaves
// out a scalar's shape.

typedef enum { GENERAL, RECEIVED } flavour_t;

static size_t dim_size(int64_t dim, flavour_t flavour) {
  return dim == 0 && flavour == GENERAL ? 0 : sli_wire_uint_size(DIM_SIZE, (uint64_t)dim);
}

static size_t shape_size(const int64_t *dims, int rank, flavour_t flavour) {
  size_t size = 0;
  for (int i = 0; i < rank; i++) size += sli_wire_bytes_size(SHAPE_DIM, dim_size(dims[i], flavour));
  return size;
}

static size_t tensor_size(int dtype, const int64_t *dims, int rank, size_t content_size, flavour_t flavour) {
  size_t size = sli_wire_uint_size(TENSOR_DTYPE, (uint64_t)dtype);
  if (rank || flavour == GENERAL) size += sli_wire_bytes_size(TENSOR_SHAPE, shape_size(dims, rank, flavour));
  if (content_size || flavour == RECEIVED) size += sli_wire_bytes_size(SLI_TENSOR_CONTENT, content_size);
  return size;
}

static void write_shape(sli_string_t *out, uint32_t number, const int64_t *dims, int rank, flavour_t flavour) {
  sli_wire_write_length(out, number, shape_size(dims, rank, flavour));
  for (int i = 0; i < rank; i++) {
    size_t size = dim_size(dims[i], flavour);
    sli_wire_write_length(out, SHAPE_DIM, size);
    if (size) sli_wire_write_int(out, DIM_SIZE, dims[i]);
  }
}

void sli_shape_proto_write(sli_string_t *out, uint32_t number, const int64_t *dims, int rank) {
  if (rank >= 0) {
    write_shape(out, number, dims, rank, GENERAL);
    return;
  }
  size_t mark = sli_wire_open(out, number);
  sli_wire_write_uint(out, SHAPE_UNKNOWN_RANK, 1);
  sli_wire_close(out, mark);
}

static void write_tensor(sli_string_t *out, int dtype, const int64_t *dims, int rank, size_t content_size,
                         flavour_t flavour) {
  SLI_CHECK(dtype > 0 && rank >= 0 && rank <= SLI_TENSOR_MAX_RANK);
  sli_wire_write_uint(out, TENSOR_DTYPE, (uint64_t)dtype);
  if (rank || flavour == GENERAL) write_shape(out, TENSOR_SHAPE, dims, rank, flavour);
  if (content_size || flavour == RECEIVED) sli_wire_write_length(out, SLI_TENSOR_CONTENT, content_size);
}

size_t sli_tensor_proto_size(int dtype, const int64_t *dims, int rank, size_t content_size) {
  return tensor_size(dtype, dims, rank, content_size, GENERAL);
}

void sli_tensor_proto_write_head(sli_string_t *out, int dtype, const int64_t *dims, int rank, size_t content_size) {
  write_tensor(out, dtype, dims, rank, content_size, GENERAL);
}

void sli_tensor_field_write_head(sli_string_t *out, uint32_t number, int dtype, const int64_t *dims, int rank,
                                 size_t content_size) {
  sli_wire_write_length(out, number, tensor_size(dtype, dims, rank, content_size, GENERAL));
  write_tensor(out, dtype, dims, rank, content_size, GENERAL);
}

void sli_named_tensor_write_head(sli_string_t *out, uint32_t number, sli_view_t name, int dtype, const int64_t *dims,
                                 int rank, size_t content_size) {
  size_t tensor = tensor_size(dtype, dims, rank, content_size, GENERAL);
  size_t named = name.size ? sli_wire_bytes_size(NAMED_NAME, name.size) : 0;
  sli_wire_write_length(out, number, named + sli_wire_bytes_size(NAMED_TENSOR, tensor));
  if (name.size) sli_wire_write_bytes(out, NAMED_NAME, name.data, name.size);
  sli_wire_write_length(out, NAMED_TENSOR, tensor);
  write_tensor(out, dtype, dims, rank, content_size, GENERAL);
}

void sli_recv_tensor_write_head(sli_string_t *out, bool is_dead, int64_t send_start_micros, int dtype,
                                const int64_t *dims, int rank, size_t content_size) {
  if (is_dead) sli_wire_write_uint(out, RECV_IS_DEAD, 1);
  if (send_start_micros) sli_wire_write_int(out, RECV_SEND_START, send_start_micros);
  sli_wire_write_length(out, RECV_TENSOR, tensor_size(dtype, dims, rank, content_size, RECEIVED));
  write_tensor(out, dtype, dims, rank, content_size, RECEIVED);
}

void sli_recv_tensor_write_dead(sli_string_t *out, int64_t send_start_micros) {
  const int64_t none = 0;
  sli_recv_tensor_write_head(out, true, send_start_micros, TENSORFLOW__DATA_TYPE__DT_FLOAT, &none, 1, 0);
}

// RecvTensorResponse.

static void clear_response(sli_recv_tensor_view_t *view) {
  view->is_dead = view->require_ack = false;
  view->send_start_micros = 0;
  view->transport_options = sli_view_of(NULL, 0);
  clear_tensor(&view->tensor);
}

// Takes one field other than the tensor; false if its wire type is wrong.
static bool decode_response_field(const sli_wire_field_t *field, sli_recv_tensor_view_t *view) {
  switch (field->number) {
    case RECV_IS_DEAD: view->is_dead = field->value != 0; return field->type == SLI_WIRE_VARINT;
    case RECV_SEND_START: view->send_start_micros = (int64_t)field->value; return field->type == SLI_WIRE_VARINT;
    case RECV_REQUIRE_ACK: view->require_ack = field->value != 0; return field->type == SLI_WIRE_VARINT;
    case RECV_TRANSPORT: view->transport_options = field->bytes; return field->type == SLI_WIRE_BYTES;
    default: return true;
  }
}

sli_status_t *sli_recv_tensor_decode(sli_view_t bytes, sli_recv_tensor_view_t *out_view) {
  clear_response(out_view);
  bool has_tensor = false;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == RECV_TENSOR) {
      if (field.type != SLI_WIRE_BYTES || has_tensor) return sli_wire_error(response_name);
      has_tensor = true;
      SLI_RETURN_IF_ERROR(sli_tensor_proto_decode(field.bytes, &out_view->tensor));
    } else if (!decode_response_field(&field, out_view)) {
      return sli_wire_error(response_name);
    }
  }
  return reader.malformed ? sli_wire_error(response_name) : NULL;
}

// Reads a tag and, behind it, the length of a field that may reach past the head.
static bool read_length(sli_wire_reader_t *reader, uint32_t *out_number, uint64_t *out_size) {
  uint64_t tag;
  if (!sli_wire_read_varint(reader, &tag) || (tag & 7) != SLI_WIRE_BYTES) return false;
  *out_number = tag >> 3 <= SLI_WIRE_MAX_NUMBER ? (uint32_t)(tag >> 3) : 0;
  return sli_wire_read_varint(reader, out_size);
}

bool sli_recv_tensor_find_content(sli_view_t head, size_t message_size, sli_recv_tensor_place_t *out_place) {
  clear_response(&out_place->response);
  if (head.size > message_size) return false;
  sli_recv_tensor_view_t *response = &out_place->response;
  const uint8_t *start = (const uint8_t *)head.data;
  sli_wire_reader_t reader = sli_wire_reader(head);
  uint32_t number;
  uint64_t size;
  // Small fields of the response up to its tensor.
  for (sli_wire_field_t field;;) {
    sli_wire_reader_t peek = reader;
    if (read_length(&peek, &number, &size) && number == RECV_TENSOR) {
      reader = peek;
      break;
    }
    // Transport options would point into the head, which does not last.
    if (!sli_wire_next(&reader, &field) || field.number == RECV_TENSOR || field.number == RECV_TRANSPORT) return false;
    if (!decode_response_field(&field, response)) return false;
  }
  size_t tensor_start = (size_t)(reader.next - start);
  if (size > message_size - tensor_start) return false;
  size_t tensor_end = tensor_start + (size_t)size;
  // Dtype and shape, up to the content.
  if (tensor_end < head.size) reader.end = start + tensor_end;
  bool unknown_rank = false;
  for (sli_wire_field_t field;;) {
    sli_wire_reader_t peek = reader;
    if (read_length(&peek, &number, &size) && number == SLI_TENSOR_CONTENT) {
      reader = peek;
      break;
    }
    if (!sli_wire_next(&reader, &field) || (field.number != TENSOR_DTYPE && field.number != TENSOR_SHAPE)) return false;
    sli_status_t *status = decode_field(&field, &response->tensor, &unknown_rank);
    if (status) {
      sli_status_release(status);
      return false;
    }
  }
  out_place->content_offset = (size_t)(reader.next - start);
  if (unknown_rank || out_place->content_offset > tensor_end || size > tensor_end - out_place->content_offset)
    return false;
  out_place->content_size = (size_t)size;
  out_place->tensor_rest = tensor_end - out_place->content_offset - (size_t)size;
  response->tensor.has_content = true;
  return true;
}

sli_status_t *sli_recv_tensor_finish(sli_view_t tail, sli_recv_tensor_place_t *place) {
  if (tail.size < place->tensor_rest) return sli_wire_error(response_name);
  sli_wire_field_t field;
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(tail.data, place->tensor_rest));
  while (sli_wire_next(&reader, &field)) {
    // Unknown fields may come; a second shape, content or typed values may not.
    if (field.number == TENSOR_DTYPE || field.number == TENSOR_SHAPE ||
        (field.number >= SLI_TENSOR_CONTENT && field.number < SLI_TENSOR_FIELD_COUNT))
      return sli_wire_error(response_name);
  }
  if (reader.malformed) return sli_wire_error(response_name);
  size_t rest = tail.size - place->tensor_rest;
  reader = sli_wire_reader(sli_view_of(rest ? tail.data + place->tensor_rest : NULL, rest));
  while (sli_wire_next(&reader, &field))
    if (field.number == RECV_TENSOR || !decode_response_field(&field, &place->response))
      return sli_wire_error(response_name);
  return reader.malformed ? sli_wire_error(response_name) : NULL;
}
