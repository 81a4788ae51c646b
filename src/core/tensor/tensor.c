// Tensors. A small tensor is one block of the CPU's allocator with header and bytes, so
// that a scalar costs one access to a free list. Larger bytes are a separate block.
#include "core/tensor/tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/tensor/allocator_limit.h"

enum { INLINE_BYTES = 512 };  // the most data kept behind the header

// Header and dims, up to where inline data starts.
static inline size_t header_size(int rank) {
  size_t size = sizeof(sli_tensor_t) + (size_t)rank * sizeof(int64_t);
  return (size + SLI_ALIGNMENT - 1) / SLI_ALIGNMENT * SLI_ALIGNMENT;
}

static inline bool is_inline(const sli_tensor_t *tensor) { return !tensor->owner && !tensor->release; }

static void release_to_allocator(void *context, void *data, size_t size) {
  sli_allocator_t *allocator = context;
  if (data) allocator->release(allocator, data, size);
}

static void release_nothing(void *context, void *data, size_t size) {}

// A header with |extra| bytes behind it; NULL if there is no memory. The caller sets the data fields.
static inline sli_tensor_t *allocate_header(sli_dtype_t dtype, const int64_t *dims, int rank, int64_t count,
                                            size_t extra) {
  sli_allocator_t *allocator = sli_allocator_cpu();
  sli_tensor_t *tensor = allocator->allocate(allocator, header_size(rank) + extra);
  if (!tensor) return NULL;
  sli_refcount_initialize(&tensor->references);
  tensor->dtype = (uint8_t)dtype;
  tensor->rank = (uint8_t)rank;
  tensor->memory = SLI_MEMORY_HOST;
  tensor->ownership = SLI_LEND_OWNED;
  atomic_init(&tensor->frozen, false);
  tensor->count = count;
  tensor->data = NULL;
  tensor->owner = NULL;
  tensor->release = NULL;
  tensor->release_context = NULL;
  tensor->allocated = extra;
  for (int i = 0; i < rank; i++) tensor->dims[i] = dims[i];
  return tensor;
}

static inline void release_header(sli_tensor_t *tensor) {
  size_t size = header_size(tensor->rank) + (is_inline(tensor) ? tensor->allocated : 0);
  sli_allocator_t *allocator = sli_allocator_cpu();
  allocator->release(allocator, tensor, size);
}

sli_status_t *sli_tensor_out_of_memory(sli_dtype_t dtype, sli_shape_t shape, const char *where) {
  return sli_tensor_out_of_memory_in(sli_allocator_cpu(), dtype, shape, where);
}

sli_status_t *sli_tensor_out_of_memory_in(const sli_allocator_t *allocator, sli_dtype_t dtype, sli_shape_t shape,
                                          const char *where) {
  sli_string_t text = {0};
  sli_string_append_text(&text, "OOM when allocating tensor with shape");
  sli_shape_append(&text, shape);
  sli_string_append_format(&text, " and type %s on %s by allocator %s", sli_dtype_name(dtype), where, allocator->name);
  size_t limit = allocator->memory == SLI_MEMORY_HOST ? sli_allocator_limit_get() : 0;
  if (limit)
    sli_string_append_format(
        &text, "; the tensors of this task may take %zu MB (--max_memory_megabytes of sluice serve)", limit >> 20);
  sli_status_t *status = sli_status_make_text(SLI_RESOURCE_EXHAUSTED, sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *out_of_host_memory(sli_dtype_t dtype, const int64_t *dims, int rank) {
  return sli_tensor_out_of_memory(dtype, (sli_shape_t){rank, dims}, "host memory");
}

sli_status_t *sli_tensor_check_shape(sli_shape_t shape) {
  int64_t count = 1;
  for (int i = 0; i < shape.rank; i++) {
    int64_t dim = shape.dims[i], before = count;
    if (dim < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected shape dimensions to be non-negative, got %lld",
                             (long long)dim);
    if (__builtin_mul_overflow(count, dim, &count))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Encountered overflow when multiplying %lld with %lld, result: -1: shape %s has too many "
                             "elements",
                             (long long)before, (long long)dim, sli_shape_text(shape).text);
  }
  return NULL;
}

static sli_status_t *too_large(const int64_t *dims, int rank) {
  sli_shape_t shape = {rank, dims};
  SLI_RETURN_IF_ERROR(sli_tensor_check_shape(shape));
  return sli_status_make(SLI_INVALID_ARGUMENT, "Shape %s has too many elements", sli_shape_text(shape).text);
}

static sli_status_t *bad_type(sli_dtype_t dtype) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot make a tensor of type %s (%d)", sli_dtype_name(dtype),
                         (int)dtype);
}

static sli_status_t *bad_rank(int rank) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "A tensor must have between 0 and %d dimensions, got %d", SLI_MAX_RANK,
                         rank);
}

// Computes elements and bytes of a tensor, and checks that such a tensor may exist.
static inline sli_status_t *measure(sli_dtype_t dtype, const int64_t *dims, int rank, int64_t *out_count,
                                    size_t *out_bytes) {
  *out_count = 0;
  *out_bytes = 0;
  size_t size = sli_dtype_size(dtype);
  if (size == 0 || sli_dtype_is_ref(dtype)) return bad_type(dtype);
  if (rank < 0 || rank > SLI_MAX_RANK) return bad_rank(rank);
  int64_t count = rank == 0 ? 1 : rank == 1 ? dims[0] : sli_shape_count((sli_shape_t){rank, dims});
  if (count < 0 || __builtin_mul_overflow((size_t)count, size, out_bytes) || *out_bytes > INT64_MAX)
    return too_large(dims, rank);
  *out_count = count;
  return NULL;
}

sli_status_t *sli_tensor_create(sli_allocator_t *allocator, sli_dtype_t dtype, const int64_t *dims, int rank,
                                sli_tensor_t **out_tensor) {
  *out_tensor = NULL;
  int64_t count;
  size_t bytes;
  SLI_RETURN_IF_ERROR(measure(dtype, dims, rank, &count, &bytes));
  bool keep_inline = bytes <= INLINE_BYTES && allocator == sli_allocator_cpu();
  sli_tensor_t *tensor = allocate_header(dtype, dims, rank, count, keep_inline ? bytes : 0);
  if (!tensor) return out_of_host_memory(dtype, dims, rank);
  if (keep_inline) {
    if (bytes) tensor->data = (char *)tensor + header_size(rank);
  } else {
    tensor->memory = (uint8_t)allocator->memory;
    tensor->release = release_to_allocator;
    tensor->release_context = allocator;
    tensor->allocated = bytes;
    if (bytes) tensor->data = allocator->allocate(allocator, bytes);
    if (bytes && !tensor->data) {
      release_header(tensor);
      return sli_tensor_out_of_memory_in(allocator, dtype, (sli_shape_t){rank, dims},
                                         allocator->memory == SLI_MEMORY_HOST ? "host memory" : "device memory");
    }
  }
  // Zero bytes are an empty string or a NULL object.
  if (bytes && !sli_dtype_is_plain(dtype)) memset(tensor->data, 0, bytes);
  *out_tensor = tensor;
  return NULL;
}

sli_status_t *sli_tensor_adopt(sli_dtype_t dtype, const int64_t *dims, int rank, void *data, size_t size,
                               void (*release)(void *context, void *data, size_t size), void *context,
                               sli_tensor_t **out_tensor) {
  *out_tensor = NULL;
  int64_t count;
  size_t bytes;
  SLI_RETURN_IF_ERROR(measure(dtype, dims, rank, &count, &bytes));
  if (size < bytes || (bytes && !data))
    return sli_status_make(SLI_INVALID_ARGUMENT, "A tensor of %lld elements of type %s needs %zu bytes, got %zu",
                           (long long)count, sli_dtype_name(dtype), bytes, data ? size : 0);
  sli_tensor_t *tensor = allocate_header(dtype, dims, rank, count, 0);
  if (!tensor) return out_of_host_memory(dtype, dims, rank);
  tensor->data = data;
  tensor->allocated = size;
  tensor->release = release ? release : release_nothing;
  tensor->release_context = context;
  *out_tensor = tensor;
  return NULL;
}

sli_tensor_t *sli_tensor_view(sli_tensor_t *base, sli_dtype_t dtype, int64_t first, const int64_t *dims, int rank) {
  int64_t count = sli_shape_count((sli_shape_t){rank, dims});
  sli_tensor_t *view = allocate_header(dtype, dims, rank, count, 0);
  SLI_CHECK(view && count >= 0);
  size_t offset = (size_t)first * sli_dtype_size((sli_dtype_t)base->dtype);
  if (base->data) view->data = (char *)base->data + offset;
  view->memory = base->memory;
  view->ownership = base->ownership;
  view->allocated = (size_t)count * sli_dtype_size(dtype);
  view->owner = sli_tensor_retain(base->owner ? base->owner : base);
  return view;
}

// For the small tensors of the shorthands. If there is no memory, the process ends, as in sli_malloc.
static sli_tensor_t *create_or_die(sli_dtype_t dtype, const int64_t *dims, int rank) {
  sli_tensor_t *tensor;
  sli_status_t *status = sli_tensor_create(sli_allocator_cpu(), dtype, dims, rank, &tensor);
  SLI_CHECK(!status);
  return tensor;
}

sli_tensor_t *sli_tensor_scalar(sli_dtype_t dtype, const void *value) {
  SLI_CHECK(sli_dtype_is_plain(dtype));
  sli_tensor_t *tensor = create_or_die(dtype, NULL, 0);
  memcpy(tensor->data, value, tensor->allocated);
  return tensor;
}

sli_tensor_t *sli_tensor_scalar_int32(int32_t value) { return sli_tensor_scalar(SLI_DTYPE_INT32, &value); }
sli_tensor_t *sli_tensor_scalar_int64(int64_t value) { return sli_tensor_scalar(SLI_DTYPE_INT64, &value); }
sli_tensor_t *sli_tensor_scalar_float(float value) { return sli_tensor_scalar(SLI_DTYPE_FLOAT, &value); }
sli_tensor_t *sli_tensor_scalar_bool(bool value) { return sli_tensor_scalar(SLI_DTYPE_BOOL, &value); }

sli_tensor_t *sli_tensor_scalar_string(sli_view_t value) {
  sli_tensor_t *tensor = create_or_die(SLI_DTYPE_STRING, NULL, 0);
  sli_tstring_assign(tensor->data, value.data, value.size);
  return tensor;
}

static sli_tensor_t *vector(sli_dtype_t dtype, const void *values, int64_t count) {
  sli_tensor_t *tensor = create_or_die(dtype, &count, 1);
  if (count) memcpy(tensor->data, values, tensor->allocated);
  return tensor;
}

sli_tensor_t *sli_tensor_vector_int32(const int32_t *values, int64_t count) {
  return vector(SLI_DTYPE_INT32, values, count);
}
sli_tensor_t *sli_tensor_vector_int64(const int64_t *values, int64_t count) {
  return vector(SLI_DTYPE_INT64, values, count);
}
sli_tensor_t *sli_tensor_empty_float(void) { return create_or_die(SLI_DTYPE_FLOAT, (const int64_t[]){0}, 1); }

sli_status_t *sli_tensor_clone(const sli_tensor_t *tensor, sli_tensor_t **out_tensor) {
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_tensor_allocator(tensor), (sli_dtype_t)tensor->dtype, tensor->dims,
                                        tensor->rank, out_tensor));
  sli_tensor_copy_elements(*out_tensor, tensor);
  return NULL;
}

static void destroy_elements(sli_tensor_t *tensor) {
  if (tensor->dtype == SLI_DTYPE_STRING) {
    for (int64_t i = 0; i < tensor->count; i++) sli_tstring_deinitialize(&SLI_DATA(sli_tstring_t, tensor)[i]);
  } else {
    for (int64_t i = 0; i < tensor->count; i++) sli_object_release(SLI_DATA(sli_object_t *, tensor)[i]);
  }
}

void sli_tensor_destroy(sli_tensor_t *tensor) {
  if (tensor->owner) {
    sli_tensor_release(tensor->owner);
  } else {
    if (!sli_dtype_is_plain((sli_dtype_t)tensor->dtype)) destroy_elements(tensor);
    if (tensor->release) tensor->release(tensor->release_context, tensor->data, tensor->allocated);
  }
  release_header(tensor);
}

bool sli_tensor_same_shape(const sli_tensor_t *a, const sli_tensor_t *b) {
  return sli_shape_equal(sli_tensor_shape(a), sli_tensor_shape(b));
}

sli_allocator_t *sli_tensor_allocator(const sli_tensor_t *tensor) {
  const sli_tensor_t *owner = tensor->owner ? tensor->owner : tensor;
  return owner->release == release_to_allocator ? owner->release_context : sli_allocator_cpu();
}

void sli_tensor_copy_elements(sli_tensor_t *destination, const sli_tensor_t *source) {
  SLI_CHECK(destination->dtype == source->dtype && destination->count == source->count);
  SLI_CHECK(destination->memory == source->memory);
  if (destination->count == 0 || destination->data == source->data) return;
  if (source->memory != SLI_MEMORY_HOST) {
    sli_allocator_t *allocator = sli_tensor_allocator(source);
    SLI_CHECK(allocator == sli_tensor_allocator(destination));
    allocator->copy(allocator, destination->data, source->data, sli_tensor_bytes(source));
  } else if (sli_dtype_is_plain((sli_dtype_t)source->dtype)) {
    memcpy(destination->data, source->data, sli_tensor_bytes(source));
  } else if (source->dtype == SLI_DTYPE_STRING) {
    for (int64_t i = 0; i < source->count; i++) {
      sli_view_t text = sli_tstring_view(&SLI_DATA(sli_tstring_t, source)[i]);
      sli_tstring_assign(&SLI_DATA(sli_tstring_t, destination)[i], text.data, text.size);
    }
  } else {
    for (int64_t i = 0; i < source->count; i++) {
      sli_object_t **place = &SLI_DATA(sli_object_t *, destination)[i], *old = *place;
      *place = sli_object_retain(SLI_DATA(sli_object_t *, source)[i]);
      sli_object_release(old);
    }
  }
}

// The shorter of two precisions, if it reads back as the same number.
static void append_float(sli_string_t *string, float value) {
  char text[32];
  snprintf(text, sizeof(text), "%.6g", (double)value);
  if (strtof(text, NULL) != value) snprintf(text, sizeof(text), "%.9g", (double)value);
  sli_string_append_text(string, isnan(value) ? "nan" : text);
}

static void append_double(sli_string_t *string, double value) {
  char text[32];
  snprintf(text, sizeof(text), "%.15g", value);
  if (strtod(text, NULL) != value) snprintf(text, sizeof(text), "%.17g", value);
  sli_string_append_text(string, isnan(value) ? "nan" : text);
}

static float half_to_float(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                : exponent     ? ldexpf((float)(1024 + mantissa), exponent - 25)
                               : ldexpf((float)mantissa, -24);
  return bits >> 15 ? -value : value;
}

static float bfloat16_to_float(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

static void append_element(sli_string_t *string, const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: append_float(string, SLI_DATA(float, tensor)[i]); break;
    case SLI_DTYPE_DOUBLE: append_double(string, SLI_DATA(double, tensor)[i]); break;
    case SLI_DTYPE_HALF: append_float(string, half_to_float(SLI_DATA(uint16_t, tensor)[i])); break;
    case SLI_DTYPE_BFLOAT16: append_float(string, bfloat16_to_float(SLI_DATA(uint16_t, tensor)[i])); break;
    case SLI_DTYPE_INT8:
    case SLI_DTYPE_QINT8:
    case SLI_DTYPE_INT4: sli_string_append_format(string, "%d", SLI_DATA(int8_t, tensor)[i]); break;
    case SLI_DTYPE_BOOL:
    case SLI_DTYPE_UINT8:
    case SLI_DTYPE_QUINT8:
    case SLI_DTYPE_UINT4: sli_string_append_format(string, "%d", SLI_DATA(uint8_t, tensor)[i]); break;
    case SLI_DTYPE_INT16:
    case SLI_DTYPE_QINT16: sli_string_append_format(string, "%d", SLI_DATA(int16_t, tensor)[i]); break;
    case SLI_DTYPE_UINT16:
    case SLI_DTYPE_QUINT16: sli_string_append_format(string, "%d", SLI_DATA(uint16_t, tensor)[i]); break;
    case SLI_DTYPE_INT32:
    case SLI_DTYPE_QINT32: sli_string_append_format(string, "%d", SLI_DATA(int32_t, tensor)[i]); break;
    case SLI_DTYPE_UINT32: sli_string_append_format(string, "%u", SLI_DATA(uint32_t, tensor)[i]); break;
    case SLI_DTYPE_INT64: sli_string_append_format(string, "%lld", (long long)SLI_DATA(int64_t, tensor)[i]); break;
    case SLI_DTYPE_UINT64:
      sli_string_append_format(string, "%llu", (unsigned long long)SLI_DATA(uint64_t, tensor)[i]);
      break;
    case SLI_DTYPE_STRING:
      sli_string_append_escaped_utf8(string, sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[i]));
      break;
    default: sli_string_append_char(string, '?');
  }
}

// The elements of dimension |dim| from |*next| on; brackets around inner dimensions only.
static void append_dimension(sli_string_t *string, const sli_tensor_t *tensor, int dim, int64_t limit, int64_t *next) {
  bool is_innermost = dim == tensor->rank - 1;
  for (int64_t i = 0; i < tensor->dims[dim]; i++) {
    if (*next >= limit) {
      if (is_innermost && dim > 0) sli_string_append_text(string, "...");
      return;
    }
    if (is_innermost) {
      if (i) sli_string_append_char(string, ' ');
      append_element(string, tensor, (*next)++);
    } else {
      sli_string_append_char(string, '[');
      append_dimension(string, tensor, dim + 1, limit, next);
      sli_string_append_char(string, ']');
    }
  }
}

void sli_tensor_append_values(sli_string_t *string, const sli_tensor_t *tensor, int limit) {
  int64_t shown = limit < 0 || limit > tensor->count ? tensor->count : limit, next = 0;
  if (tensor->rank == 0) {
    if (shown) append_element(string, tensor, 0);
  } else if (shown) {
    append_dimension(string, tensor, 0, shown, &next);
  }
  if (shown < tensor->count) sli_string_append_text(string, "...");
}

void sli_tensor_release_slice(void *tensor) { sli_tensor_release(tensor); }
