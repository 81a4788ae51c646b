// TensorProto to tensor and back. Decoding checks dtype, shape and the number of
// values against the number of elements before it allocates. Encoding writes numbers
// and strings to tensor_content, as TensorFlow does on the wire. In files strings go
// to string_val, where Python expects them.
#include "core/tensor/tensor_codec.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/tensor/resource_handle.h"
#include "core/tensor/tensor_codec_internal.h"
#include "core/tensor/variant.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

enum {
  BY_REFERENCE_BYTES = 4096,       // smaller payloads are copied, which costs less than a reference
  MAX_REPEATED_BYTES = 256 << 20,  // limit for a string that is repeated for all elements
};

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
  // Each copy doubles the number of elements that can be copied next.
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

// tensor_content of strings: all lengths, then all bytes.
// The lengths and bytes that tensor_content has for strings and variants.
typedef struct {
  sli_wire_reader_t lengths;
  const char *bytes;
} content_items_t;

static sli_status_t *open_content(const sli_tensor_proto_view_t *proto, content_items_t *out_items) {
  // Each element has a length of at least one byte.
  if (count_of(proto) < 0 || (uint64_t)count_of(proto) > proto->content.size)
    return mismatch(proto, "bytes of tensor_content", proto->content.size);
  sli_wire_reader_t lengths = sli_wire_reader(proto->content);
  uint64_t size, total = 0;
  for (int64_t i = count_of(proto); i > 0; i--)
    if (!sli_wire_read_varint(&lengths, &size) || __builtin_add_overflow(total, size, &total))
      return mismatch(proto, "bytes of tensor_content", proto->content.size);
  if (total != (uint64_t)(lengths.end - lengths.next))
    return mismatch(proto, "bytes of tensor_content", proto->content.size);
  *out_items = (content_items_t){sli_wire_reader(proto->content), (const char *)lengths.next};
  return NULL;
}

static sli_view_t next_content(content_items_t *items) {
  uint64_t size = 0;
  sli_wire_read_varint(&items->lengths, &size);
  sli_view_t item = sli_view_of(items->bytes, (size_t)size);
  items->bytes += size;
  return item;
}

static sli_status_t *decode_string_content(const sli_tensor_proto_view_t *proto, sli_tensor_t **out_tensor) {
  content_items_t items;
  SLI_RETURN_IF_ERROR(open_content(proto, &items));
  SLI_RETURN_IF_ERROR(create_for(proto, out_tensor));
  for (int64_t i = 0; i < (*out_tensor)->count; i++) {
    sli_view_t text = next_content(&items);
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, *out_tensor)[i], text.data, text.size);
  }
  return NULL;
}

static sli_status_t *decode_strings(const sli_tensor_proto_view_t *proto, sli_tensor_t **out_tensor) {
  if (proto->content.size) return decode_string_content(proto, out_tensor);
  size_t have = proto->counts[SLI_FIELD_TENSOR_PROTO_STRING_VAL];
  int64_t count = count_of(proto);
  if (count >= 0 && have > (size_t)count) return mismatch(proto, "values", have);
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(create_for(proto, &tensor));
  sli_tensor_proto_items_t items = sli_tensor_proto_items(proto, SLI_FIELD_TENSOR_PROTO_STRING_VAL);
  sli_view_t text = {0};
  int64_t at = 0;
  for (sli_view_t item; at < count && sli_tensor_proto_next_item(&items, &item); at++) {
    text = item;
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[at], text.data, text.size);
  }
  // A short message must not become a tensor of any size.
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
sli_resource_handle_t *sli_resource_handle_decode(sli_view_t bytes) {
  sli_resource_handle_t *handle =
      sli_resource_handle_create("", sli_view_of(NULL, 0), sli_view_of(NULL, 0), NULL, NULL);
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  bool malformed = false;
  for (sli_wire_field_t field; !malformed && sli_wire_next(&reader, &field);) {
    if (field.number > SLI_FIELD_RESOURCE_HANDLE_PROTO_DTYPES_AND_SHAPES) continue;
    malformed =
        field.type != (field.number == SLI_FIELD_RESOURCE_HANDLE_PROTO_HASH_CODE ? SLI_WIRE_VARINT : SLI_WIRE_BYTES);
    switch (field.number) {
      case SLI_FIELD_RESOURCE_HANDLE_PROTO_DEVICE: assign_text(&handle->device, field.bytes); break;
      case SLI_FIELD_RESOURCE_HANDLE_PROTO_CONTAINER: assign_text(&handle->container, field.bytes); break;
      case SLI_FIELD_RESOURCE_HANDLE_PROTO_NAME: assign_text(&handle->name, field.bytes); break;
      case SLI_FIELD_RESOURCE_HANDLE_PROTO_HASH_CODE: handle->hash_code = field.value; break;
      case SLI_FIELD_RESOURCE_HANDLE_PROTO_MAYBE_TYPE_NAME: assign_text(&handle->type_name, field.bytes); break;
      case SLI_FIELD_RESOURCE_HANDLE_PROTO_DTYPES_AND_SHAPES: {
        sli_wire_reader_t inner = sli_wire_reader(field.bytes);
        for (sli_wire_field_t part; sli_wire_next(&inner, &part);)
          if (part.number == SLI_FIELD_RESOURCE_HANDLE_PROTO_DTYPE_AND_SHAPE_DTYPE && part.value <= INT32_MAX &&
              sli_dtype_is_valid((int)part.value))
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

static sli_status_t *decode_object(const sli_tensor_proto_view_t *proto, sli_view_t item, int depth,
                                   sli_object_t **out_object) {
  if (proto->dtype == SLI_DTYPE_VARIANT) return sli_variant_decode(item, depth, out_object);
  *out_object = (sli_object_t *)sli_resource_handle_decode(item);
  return *out_object ? NULL : sli_wire_error("tensorflow.ResourceHandleProto");
}

static sli_status_t *decode_variant_content(const sli_tensor_proto_view_t *proto, int depth,
                                            sli_tensor_t **out_tensor) {
  content_items_t items;
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(open_content(proto, &items));
  SLI_RETURN_IF_ERROR(create_for(proto, &tensor));
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < tensor->count && !status; i++)
    status = sli_variant_decode(next_content(&items), depth, &SLI_DATA(sli_object_t *, tensor)[i]);
  if (status)
    sli_tensor_release(tensor);
  else
    *out_tensor = tensor;
  return status;
}

// Handles or variants, in the field |values|.
static sli_status_t *decode_objects(const sli_tensor_proto_view_t *proto, uint32_t values, int depth,
                                    sli_tensor_t **out_tensor) {
  size_t have = proto->counts[values];
  int64_t count = count_of(proto);
  if (proto->content.size && proto->dtype == SLI_DTYPE_VARIANT) return decode_variant_content(proto, depth, out_tensor);
  if (proto->content.size) return mismatch(proto, "bytes of tensor_content", proto->content.size);
  if (count >= 0 && have > (size_t)count) return mismatch(proto, "values", have);
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(create_for(proto, &tensor));
  sli_tensor_proto_items_t items = sli_tensor_proto_items(proto, values);
  sli_object_t **elements = tensor->data;
  int64_t at = 0;
  for (sli_view_t item; at < count && sli_tensor_proto_next_item(&items, &item); at++) {
    sli_status_t *status = decode_object(proto, item, depth, &elements[at]);
    if (!status) continue;
    sli_tensor_release(tensor);
    return status;
  }
  for (; at && at < count; at++) elements[at] = sli_object_retain(elements[at - 1]);
  *out_tensor = tensor;
  return NULL;
}

static sli_status_t *decode_proto(const sli_tensor_proto_view_t *proto, int depth, sli_tensor_t **out_tensor) {
  // Python writes one empty string for a vector of none: TensorFlow reads no values where there are no elements.
  if (count_of(proto) == 0) return create_for(proto, out_tensor);
  switch (proto->dtype) {
    case SLI_DTYPE_STRING: return decode_strings(proto, out_tensor);
    case SLI_DTYPE_RESOURCE:
      return decode_objects(proto, SLI_FIELD_TENSOR_PROTO_RESOURCE_HANDLE_VAL, depth, out_tensor);
    case SLI_DTYPE_VARIANT: return decode_objects(proto, SLI_FIELD_TENSOR_PROTO_VARIANT_VAL, depth, out_tensor);
    default: return decode_plain(proto, out_tensor);
  }
}

sli_status_t *sli_tensor_decode(sli_view_t bytes, sli_tensor_t **out_tensor) {
  return sli_tensor_decode_nested(bytes, 0, out_tensor);
}

sli_status_t *sli_tensor_decode_nested(sli_view_t bytes, int depth, sli_tensor_t **out_tensor) {
  *out_tensor = NULL;
  sli_tensor_proto_view_t proto;
  SLI_RETURN_IF_ERROR(sli_tensor_proto_decode(bytes, &proto));
  SLI_RETURN_IF_ERROR(check_header(&proto));
  return decode_proto(&proto, depth, out_tensor);
}

typedef struct {
  sli_slices_release_fn_t release;
  void *context;
} shared_bytes_t;

static void release_shared(void *context, void *data, size_t size) {
  shared_bytes_t *shared = context;
  shared->release(shared->context);
  free(shared);
}

sli_status_t *sli_tensor_decode_shared(sli_view_t bytes, sli_lend_ownership_t ownership,
                                       sli_slices_release_fn_t release, void *context, bool *out_shared,
                                       sli_tensor_t **out_tensor) {
  *out_tensor = NULL;
  *out_shared = false;
  sli_tensor_proto_view_t proto;
  SLI_RETURN_IF_ERROR(sli_tensor_proto_decode(bytes, &proto));
  SLI_RETURN_IF_ERROR(check_header(&proto));
  sli_dtype_t dtype = (sli_dtype_t)proto.dtype;
  // Bools are copied, because a peer may send other values than 0 and 1.
  bool can_share = sli_dtype_is_plain(dtype) && dtype != SLI_DTYPE_BOOL && proto.content.size && content_fits(&proto) &&
                   (uintptr_t)proto.content.data % SLI_ALIGNMENT == 0;
  if (!can_share) return decode_proto(&proto, 0, out_tensor);
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

// In tensor_content variants are like strings: all lengths, then all elements.
static void write_variant_content(const sli_tensor_t *tensor, sli_string_t *out) {
  sli_string_t elements = {0};
  size_t before = 0;
  for (int64_t i = 0; i < tensor->count; i++) {
    sli_variant_encode(SLI_DATA(sli_object_t *, tensor)[i], &elements);
    sli_wire_write_varint(out, elements.size - before);
    before = elements.size;
  }
  sli_string_append(out, elements.data, elements.size);
  sli_string_deinitialize(&elements);
}

static size_t variant_content_size(const sli_tensor_t *tensor) {
  sli_string_t content = {0};
  write_variant_content(tensor, &content);
  size_t size = content.size;
  sli_string_deinitialize(&content);
  return size;
}

static size_t content_size(const sli_tensor_t *tensor) {
  switch (tensor->dtype) {
    case SLI_DTYPE_STRING: return string_content_size(tensor);
    case SLI_DTYPE_VARIANT: return variant_content_size(tensor);
    case SLI_DTYPE_RESOURCE: return 0;
    default: return sli_tensor_bytes(tensor);
  }
}

void sli_resource_handle_encode(const sli_resource_handle_t *handle, sli_string_t *out) {
  if (*handle->device) sli_wire_write_text(out, SLI_FIELD_RESOURCE_HANDLE_PROTO_DEVICE, handle->device);
  if (*handle->container) sli_wire_write_text(out, SLI_FIELD_RESOURCE_HANDLE_PROTO_CONTAINER, handle->container);
  if (*handle->name) sli_wire_write_text(out, SLI_FIELD_RESOURCE_HANDLE_PROTO_NAME, handle->name);
  if (handle->hash_code) sli_wire_write_uint(out, SLI_FIELD_RESOURCE_HANDLE_PROTO_HASH_CODE, handle->hash_code);
  if (*handle->type_name) sli_wire_write_text(out, SLI_FIELD_RESOURCE_HANDLE_PROTO_MAYBE_TYPE_NAME, handle->type_name);
  if (handle->dtype == SLI_DTYPE_INVALID) return;
  size_t dtypes = sli_wire_open(out, SLI_FIELD_RESOURCE_HANDLE_PROTO_DTYPES_AND_SHAPES);
  sli_wire_write_uint(out, SLI_FIELD_RESOURCE_HANDLE_PROTO_DTYPE_AND_SHAPE_DTYPE, handle->dtype);
  size_t shape = sli_wire_open(out, SLI_FIELD_RESOURCE_HANDLE_PROTO_DTYPE_AND_SHAPE_SHAPE);
  sli_wire_write_uint(out, SLI_FIELD_TENSOR_SHAPE_PROTO_UNKNOWN_RANK, 1);
  sli_wire_close(out, shape);
  sli_wire_close(out, dtypes);
}

static void write_handle(const sli_resource_handle_t *handle, sli_string_t *out) {
  size_t mark = sli_wire_open(out, SLI_FIELD_TENSOR_PROTO_RESOURCE_HANDLE_VAL);
  if (handle) sli_resource_handle_encode(handle, out);
  sli_wire_close(out, mark);
}

static void write_variant(const sli_object_t *object, sli_string_t *out) {
  size_t mark = sli_wire_open(out, SLI_FIELD_TENSOR_PROTO_VARIANT_VAL);
  sli_variant_encode(object, out);
  sli_wire_close(out, mark);
}

// Elements that cannot be in tensor_content.
static void write_objects(const sli_tensor_t *tensor, sli_string_t *out) {
  for (int64_t i = 0; i < tensor->count; i++) {
    if (tensor->dtype == SLI_DTYPE_VARIANT)
      write_variant(SLI_DATA(sli_object_t *, tensor)[i], out);
    else
      write_handle(SLI_DATA(sli_resource_handle_t *, tensor)[i], out);
  }
}

static void write_head(const sli_tensor_t *tensor, size_t size, sli_string_t *out) {
  SLI_CHECK(tensor->memory == SLI_MEMORY_HOST);
  sli_tensor_proto_write_head(out, tensor->dtype, tensor->dims, tensor->rank, size);
}

size_t sli_tensor_encoded_size(const sli_tensor_t *tensor) {
  size_t size = sli_tensor_proto_size(tensor->dtype, tensor->dims, tensor->rank, content_size(tensor));
  if (tensor->dtype == SLI_DTYPE_RESOURCE) {
    sli_string_t objects = {0};
    write_objects(tensor, &objects);
    size += objects.size;
    sli_string_deinitialize(&objects);
  }
  return size;
}

void sli_tensor_encode(sli_tensor_t *tensor, sli_string_t *head, sli_slices_t *slices) {
  size_t size = content_size(tensor);
  write_head(tensor, size, head);
  if (tensor->dtype == SLI_DTYPE_STRING) {
    write_string_content(tensor, head);
  } else if (tensor->dtype == SLI_DTYPE_VARIANT) {
    write_variant_content(tensor, head);
  } else if (tensor->dtype == SLI_DTYPE_RESOURCE) {
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
      sli_wire_write_bytes(out, SLI_FIELD_TENSOR_PROTO_STRING_VAL, text.data, text.size);
    }
  } else {
    write_objects(tensor, out);
  }
}
