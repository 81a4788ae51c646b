// TensorProto to tensor and back. Reading trusts nothing: dtype, shape, and how
// many values there are for how many elements are checked before memory is
// taken. Writing puts numbers and strings into tensor_content, as TensorFlow does
// on the wire; in files strings go to string_val, where Python finds them.
#include "core/tensor_codec.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/resource.h"
#include "proto/tensor_wire.h"
#include "proto/wire.h"

enum {
  BY_REFERENCE_BYTES = 4096,       // smaller payloads are cheaper to copy than to track
  MAX_REPEATED_BYTES = 256 << 20,  // what one string may grow to by repetition
};
enum { HANDLE_DEVICE = 1, HANDLE_CONTAINER, HANDLE_NAME, HANDLE_HASH, HANDLE_TYPE_NAME, HANDLE_DTYPES };
enum { DTYPE_AND_SHAPE_DTYPE = 1, DTYPE_AND_SHAPE_SHAPE = 2, SHAPE_UNKNOWN_RANK = 3 };

// ---- Decoding ----------------------------------------------------------------

static sli_status_t *mismatch(const sli_tensor_proto_view_t *proto, const char *what, size_t got) {
  char *shape = sli_shape_to_text((sli_shape_t){proto->rank, proto->dims});
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Cannot parse tensor from proto: %zu %s do not fit shape %s and type %s",
                      got, what, shape, sli_dtype_name((sli_dtype_t)proto->dtype));
  free(shape);
  return status;
}

static sli_status_t *check_header(const sli_tensor_proto_view_t *proto) {
  if (!sli_dtype_is_valid(proto->dtype) || sli_dtype_is_ref((sli_dtype_t)proto->dtype))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot parse tensor from proto: invalid dtype %d", proto->dtype);
  if (proto->dtype == SLI_DTYPE_VARIANT)
    return sli_status_make(SLI_UNIMPLEMENTED, "Cannot parse tensor from proto: variant tensors do not travel");
  if (!sli_shape_is_fully_known((sli_shape_t){proto->rank, proto->dims}))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot parse tensor from proto: its shape is not fully known");
  return NULL;
}

// Repeats the last of |have| elements up to |count|; zeros if there is none.
static void repeat_last(char *data, size_t size, size_t have, size_t count) {
  if (have == 0) {
    memset(data, 0, size * count);
    return;
  }
  // Each copy doubles what can be copied next.
  char *first = data + (have - 1) * size;
  size_t total = (count - have + 1) * size;
  for (size_t done = size; done < total;) {
    size_t more = done < total - done ? done : total - done;
    memcpy(first + done, first, more);
    done += more;
  }
}

static void normalize_bools(sli_tensor_t *tensor) {
  uint8_t *bytes = tensor->data;
  for (int64_t i = 0; i < tensor->count; i++) bytes[i] = bytes[i] != 0;
}

static sli_status_t *create_for(const sli_tensor_proto_view_t *proto, sli_tensor_t **out_tensor) {
  return sli_tensor_create(sli_allocator_cpu(), (sli_dtype_t)proto->dtype, proto->dims, proto->rank, out_tensor);
}

// How many elements |proto| describes; negative on overflow.
static int64_t count_of(const sli_tensor_proto_view_t *proto) {
  return sli_shape_count((sli_shape_t){proto->rank, proto->dims});
}

static bool content_fits(const sli_tensor_proto_view_t *proto) {
  size_t bytes;
  int64_t count = count_of(proto);
  return count >= 0 && !__builtin_mul_overflow((size_t)count, sli_dtype_size((sli_dtype_t)proto->dtype), &bytes) &&
         bytes == proto->content.size;
}

static sli_status_t *decode_plain(const sli_tensor_proto_view_t *proto, sli_tensor_t **out_tensor) {
  sli_dtype_t dtype = (sli_dtype_t)proto->dtype;
  if (proto->content.size) {
    if (!content_fits(proto)) return mismatch(proto, "bytes of tensor_content", proto->content.size);
    SLI_RETURN_IF_ERROR(create_for(proto, out_tensor));
    memcpy((*out_tensor)->data, proto->content.data, proto->content.size);
  } else {
    uint32_t field = sli_tensor_proto_value_field(proto->dtype);
    size_t parts = dtype == SLI_DTYPE_COMPLEX64 || dtype == SLI_DTYPE_COMPLEX128 ? 2 : 1;
    size_t size = sli_dtype_size(dtype), have = proto->counts[field] / parts;
    int64_t count = count_of(proto);
    if (count >= 0 && have > (size_t)count) return mismatch(proto, "values", have);
    SLI_RETURN_IF_ERROR(create_for(proto, out_tensor));
    if (count == 0) return NULL;
    sli_tensor_proto_copy_values(proto, field, size / parts, (*out_tensor)->data, have * parts);
    repeat_last((*out_tensor)->data, size, have, (size_t)count);
  }
  if (dtype == SLI_DTYPE_BOOL) normalize_bools(*out_tensor);
  return NULL;
}

// All lengths, then all bytes.
static sli_status_t *decode_string_content(const sli_tensor_proto_view_t *proto, sli_tensor_t **out_tensor) {
  // Every length takes a byte at least.
  if ((uint64_t)count_of(proto) > proto->content.size)
    return mismatch(proto, "bytes of tensor_content", proto->content.size);
  sli_wire_reader_t lengths = sli_wire_reader(proto->content);
  uint64_t size, total = 0;
  for (int64_t i = count_of(proto); i > 0; i--)
    if (!sli_wire_read_varint(&lengths, &size) || __builtin_add_overflow(total, size, &total))
      return mismatch(proto, "bytes of tensor_content", proto->content.size);
  if (total != (uint64_t)(lengths.end - lengths.next))
    return mismatch(proto, "bytes of tensor_content", proto->content.size);
  SLI_RETURN_IF_ERROR(create_for(proto, out_tensor));
  const char *bytes = (const char *)lengths.next;
  lengths = sli_wire_reader(proto->content);
  for (int64_t i = 0; i < (*out_tensor)->count; i++) {
    sli_wire_read_varint(&lengths, &size);
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, *out_tensor)[i], bytes, (size_t)size);
    bytes += size;
  }
  return NULL;
}

static sli_status_t *decode_strings(const sli_tensor_proto_view_t *proto, sli_tensor_t **out_tensor) {
  if (proto->content.size) return decode_string_content(proto, out_tensor);
  size_t have = proto->counts[SLI_TENSOR_STRING_VAL];
  int64_t count = count_of(proto);
  if (count >= 0 && have > (size_t)count) return mismatch(proto, "values", have);
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(create_for(proto, &tensor));
  sli_tensor_proto_items_t items = sli_tensor_proto_items(proto, SLI_TENSOR_STRING_VAL);
  sli_view_t text = {0};
  int64_t at = 0;
  for (sli_view_t item; at < count && sli_tensor_proto_next_item(&items, &item); at++) {
    text = item;
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[at], text.data, text.size);
  }
  // A short message must not grow without limit.
  if (text.size && (uint64_t)(count - at) > MAX_REPEATED_BYTES / text.size) {
    sli_status_t *status =
        sli_tensor_out_of_memory(SLI_DTYPE_STRING, sli_tensor_shape(tensor), "host memory (one string repeated)");
    sli_tensor_release(tensor);
    return status;
  }
  for (; text.size && at < count; at++) sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[at], text.data, text.size);
  *out_tensor = tensor;
  return NULL;
}

static void assign_text(char **text, sli_view_t value) {
  free(*text);
  *text = sli_strndup(value.data, value.size);
}

// NULL if malformed.
static sli_resource_handle_t *decode_handle(sli_view_t bytes) {
  sli_resource_handle_t *handle =
      sli_resource_handle_create("", sli_view_of(NULL, 0), sli_view_of(NULL, 0), NULL, NULL);
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  bool malformed = false;
  for (sli_wire_field_t field; !malformed && sli_wire_next(&reader, &field);) {
    if (field.number > HANDLE_DTYPES) continue;
    malformed = field.type != (field.number == HANDLE_HASH ? SLI_WIRE_VARINT : SLI_WIRE_BYTES);
    switch (field.number) {
      case HANDLE_DEVICE: assign_text(&handle->device, field.bytes); break;
      case HANDLE_CONTAINER: assign_text(&handle->container, field.bytes); break;
      case HANDLE_NAME: assign_text(&handle->name, field.bytes); break;
      case HANDLE_HASH: handle->hash_code = field.value; break;
      case HANDLE_TYPE_NAME: assign_text(&handle->type_name, field.bytes); break;
      case HANDLE_DTYPES: {
        sli_wire_reader_t inner = sli_wire_reader(field.bytes);
        for (sli_wire_field_t part; sli_wire_next(&inner, &part);)
          if (part.number == DTYPE_AND_SHAPE_DTYPE && part.value <= INT32_MAX && sli_dtype_is_valid((int)part.value))
            handle->dtype = (sli_dtype_t)part.value;
        malformed |= inner.malformed;
        break;
      }
    }
  }
  if (!malformed && !reader.malformed) return handle;
  sli_object_release(handle);
  return NULL;
}

static sli_status_t *decode_handles(const sli_tensor_proto_view_t *proto, sli_tensor_t **out_tensor) {
  size_t have = proto->counts[SLI_TENSOR_RESOURCE_HANDLE_VAL];
  int64_t count = count_of(proto);
  if (proto->content.size) return mismatch(proto, "bytes of tensor_content", proto->content.size);
  if (count >= 0 && have > (size_t)count) return mismatch(proto, "values", have);
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(create_for(proto, &tensor));
  sli_tensor_proto_items_t items = sli_tensor_proto_items(proto, SLI_TENSOR_RESOURCE_HANDLE_VAL);
  sli_object_t **elements = tensor->data;
  int64_t at = 0;
  for (sli_view_t item; at < count && sli_tensor_proto_next_item(&items, &item); at++) {
    elements[at] = (sli_object_t *)decode_handle(item);
    if (elements[at]) continue;
    sli_tensor_release(tensor);
    return sli_wire_error("tensorflow.ResourceHandleProto");
  }
  for (; at && at < count; at++) elements[at] = sli_object_retain(elements[at - 1]);
  *out_tensor = tensor;
  return NULL;
}

static sli_status_t *decode_proto(const sli_tensor_proto_view_t *proto, sli_tensor_t **out_tensor) {
  switch (proto->dtype) {
    case SLI_DTYPE_STRING: return decode_strings(proto, out_tensor);
    case SLI_DTYPE_RESOURCE: return decode_handles(proto, out_tensor);
    default: return decode_plain(proto, out_tensor);
  }
}

sli_status_t *sli_tensor_decode(sli_view_t bytes, sli_tensor_t **out_tensor) {
  *out_tensor = NULL;
  sli_tensor_proto_view_t proto;
  SLI_RETURN_IF_ERROR(sli_tensor_proto_decode(bytes, &proto));
  SLI_RETURN_IF_ERROR(check_header(&proto));
  return decode_proto(&proto, out_tensor);
}

typedef struct {
  sli_slice_release_t release;
  void *context;
} shared_bytes_t;

static void release_shared(void *context, void *data, size_t size) {
  shared_bytes_t *shared = context;
  shared->release(shared->context);
  free(shared);
}

sli_status_t *sli_tensor_decode_shared(sli_view_t bytes, sli_ownership_t ownership, sli_slice_release_t release,
                                       void *context, bool *out_shared, sli_tensor_t **out_tensor) {
  *out_tensor = NULL;
  *out_shared = false;
  sli_tensor_proto_view_t proto;
  SLI_RETURN_IF_ERROR(sli_tensor_proto_decode(bytes, &proto));
  SLI_RETURN_IF_ERROR(check_header(&proto));
  sli_dtype_t dtype = (sli_dtype_t)proto.dtype;
  // Bools are copied, since a peer's may need to be made 0 or 1.
  bool can_share = sli_dtype_is_plain(dtype) && dtype != SLI_DTYPE_BOOL && proto.content.size && content_fits(&proto) &&
                   (uintptr_t)proto.content.data % SLI_ALIGNMENT == 0;
  if (!can_share) return decode_proto(&proto, out_tensor);
  shared_bytes_t *shared = sli_malloc(sizeof(*shared));
  *shared = (shared_bytes_t){release, context};
  sli_status_t *status = sli_tensor_adopt(dtype, proto.dims, proto.rank, (char *)proto.content.data, proto.content.size,
                                          release_shared, shared, out_tensor);
  if (status) {
    free(shared);
    return status;
  }
  (*out_tensor)->ownership = (uint8_t)ownership;
  *out_shared = true;
  return NULL;
}

// ---- Encoding ----------------------------------------------------------------

static size_t string_content_size(const sli_tensor_t *tensor) {
  size_t size = 0;
  for (int64_t i = 0; i < tensor->count; i++) {
    size_t length = sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[i]).size;
    size += sli_wire_varint_size(length) + length;
  }
  return size;
}

static void write_string_content(const sli_tensor_t *tensor, sli_string_t *out) {
  for (int64_t i = 0; i < tensor->count; i++)
    sli_wire_write_varint(out, sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[i]).size);
  for (int64_t i = 0; i < tensor->count; i++) {
    sli_view_t text = sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[i]);
    sli_string_append(out, text.data, text.size);
  }
}

static size_t content_size(const sli_tensor_t *tensor) {
  if (sli_dtype_is_plain((sli_dtype_t)tensor->dtype)) return sli_tensor_bytes(tensor);
  return tensor->dtype == SLI_DTYPE_STRING ? string_content_size(tensor) : 0;
}

static void write_handle(const sli_resource_handle_t *handle, sli_string_t *out) {
  size_t mark = sli_wire_open(out, SLI_TENSOR_RESOURCE_HANDLE_VAL);
  if (handle) {
    if (*handle->device) sli_wire_write_text(out, HANDLE_DEVICE, handle->device);
    if (*handle->container) sli_wire_write_text(out, HANDLE_CONTAINER, handle->container);
    if (*handle->name) sli_wire_write_text(out, HANDLE_NAME, handle->name);
    if (handle->hash_code) sli_wire_write_uint(out, HANDLE_HASH, handle->hash_code);
    if (*handle->type_name) sli_wire_write_text(out, HANDLE_TYPE_NAME, handle->type_name);
    if (handle->dtype != SLI_DTYPE_INVALID) {
      size_t dtypes = sli_wire_open(out, HANDLE_DTYPES);
      sli_wire_write_uint(out, DTYPE_AND_SHAPE_DTYPE, handle->dtype);
      size_t shape = sli_wire_open(out, DTYPE_AND_SHAPE_SHAPE);
      sli_wire_write_uint(out, SHAPE_UNKNOWN_RANK, 1);
      sli_wire_close(out, shape);
      sli_wire_close(out, dtypes);
    }
  }
  sli_wire_close(out, mark);
}

// Elements that have no form in tensor_content; variants have none at all.
static void write_objects(const sli_tensor_t *tensor, sli_string_t *out) {
  if (tensor->dtype != SLI_DTYPE_RESOURCE) return;
  for (int64_t i = 0; i < tensor->count; i++) write_handle(SLI_DATA(sli_resource_handle_t *, tensor)[i], out);
}

static void write_head(const sli_tensor_t *tensor, size_t size, sli_string_t *out) {
  SLI_CHECK(tensor->memory == SLI_MEMORY_HOST);
  sli_tensor_proto_write_head(out, tensor->dtype, tensor->dims, tensor->rank, size);
}

size_t sli_tensor_encoded_size(const sli_tensor_t *tensor) {
  size_t size = sli_tensor_proto_size(tensor->dtype, tensor->dims, tensor->rank, content_size(tensor));
  if (tensor->dtype == SLI_DTYPE_RESOURCE) {
    sli_string_t handles = {0};
    write_objects(tensor, &handles);
    size += handles.size;
    sli_string_deinitialize(&handles);
  }
  return size;
}

void sli_tensor_encode(sli_tensor_t *tensor, sli_string_t *head, sli_slices_t *slices) {
  size_t size = content_size(tensor);
  write_head(tensor, size, head);
  if (tensor->dtype == SLI_DTYPE_STRING) {
    write_string_content(tensor, head);
  } else if (!sli_dtype_is_plain((sli_dtype_t)tensor->dtype)) {
    write_objects(tensor, head);
  } else if (size < BY_REFERENCE_BYTES) {
    sli_string_append(head, tensor->data, size);
  } else {
    sli_slices_append_string(slices, head);
    sli_slices_append(slices, tensor->data, size, sli_tensor_release_slice, sli_tensor_retain(tensor));
  }
}

void sli_tensor_encode_flat(const sli_tensor_t *tensor, sli_string_t *out) {
  bool is_plain = sli_dtype_is_plain((sli_dtype_t)tensor->dtype);
  size_t size = is_plain ? sli_tensor_bytes(tensor) : 0;
  write_head(tensor, size, out);
  if (is_plain) {
    sli_string_append(out, tensor->data, size);
  } else if (tensor->dtype == SLI_DTYPE_STRING) {
    for (int64_t i = 0; i < tensor->count; i++) {
      sli_view_t text = sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[i]);
      sli_wire_write_bytes(out, SLI_TENSOR_STRING_VAL, text.data, text.size);
    }
  } else {
    write_objects(tensor, out);
  }
}
