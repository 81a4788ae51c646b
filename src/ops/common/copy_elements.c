// Strided copies first merge the dims that are contiguous on both sides, so that most calls end in memcpy.
#include "ops/common/copy_elements.h"

#include <string.h>

#include "core/op/op_registry.h"
#include "core/tensor/variant.h"
#include "ops/common/accumulate.h"

static void copy_strings(sli_tstring_t *to, const sli_tstring_t *from, int64_t to_stride, int64_t from_stride,
                         int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    sli_view_t view = sli_tstring_view(&from[i * from_stride]);
    sli_tstring_assign(&to[i * to_stride], view.data, view.size);
  }
}

static void copy_objects(sli_object_t **to, sli_object_t *const *from, int64_t to_stride, int64_t from_stride,
                         int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    sli_object_t *old = to[i * to_stride];
    to[i * to_stride] = sli_object_retain(from[i * from_stride]);
    sli_object_release(old);
  }
}

void sli_elements_copy(sli_dtype_t dtype, void *to, const void *from, int64_t count) {
  if (count <= 0) return;
  if (sli_dtype_is_plain(dtype)) {
    memcpy(to, from, (size_t)count * sli_dtype_size(dtype));
  } else if (dtype == SLI_DTYPE_STRING) {
    copy_strings(to, from, 1, 1, count);
  } else {
    copy_objects(to, from, 1, 1, count);
  }
}

typedef struct {
  uint64_t low, high;
} pair_t;

#define COPY_ROW(name, type)                                                                                       \
  static void copy_row_##name(type *to, const type *from, int64_t to_stride, int64_t from_stride, int64_t count) { \
    if (to_stride == 1 && from_stride == 1) {                                                                      \
      memcpy(to, from, (size_t)count * sizeof(type));                                                              \
    } else if (to_stride == 1 && from_stride == 0) {                                                               \
      const type value = *from;                                                                                    \
      for (int64_t i = 0; i < count; i++) to[i] = value;                                                           \
    } else if (to_stride == 1) {                                                                                   \
      for (int64_t i = 0; i < count; i++) to[i] = from[i * from_stride];                                           \
    } else {                                                                                                       \
      for (int64_t i = 0; i < count; i++) to[i * to_stride] = from[i * from_stride];                               \
    }                                                                                                              \
  }
// Rows of |to| are columns of |from|. Copies small squares, so that both stay in cache.
#define TRANSPOSE(name, type)                                                                                    \
  static void transpose_##name(type *to, const type *from, int64_t to_stride, int64_t from_stride, int64_t rows, \
                               int64_t columns) {                                                                \
    enum { SIDE = 16 };                                                                                          \
    for (int64_t j = 0; j < columns; j += SIDE) {                                                                \
      int64_t end = j + SIDE < columns ? j + SIDE : columns;                                                     \
      for (int64_t i = 0; i < rows; i++)                                                                         \
        for (int64_t k = j; k < end; k++) to[i * to_stride + k] = from[i + k * from_stride];                     \
    }                                                                                                            \
  }
#define OF_SIZE(name, type) COPY_ROW(name, type) TRANSPOSE(name, type)
OF_SIZE(1, uint8_t)
OF_SIZE(2, uint16_t)
OF_SIZE(4, uint32_t)
OF_SIZE(8, uint64_t)
OF_SIZE(16, pair_t)

static void copy_row(sli_dtype_t dtype, size_t size, void *to, const void *from, int64_t to_stride, int64_t from_stride,
                     int64_t count) {
  if (!sli_dtype_is_plain(dtype)) {
    if (dtype == SLI_DTYPE_STRING) return copy_strings(to, from, to_stride, from_stride, count);
    return copy_objects(to, from, to_stride, from_stride, count);
  }
  switch (size) {
    case 1: copy_row_1(to, from, to_stride, from_stride, count); break;
    case 2: copy_row_2(to, from, to_stride, from_stride, count); break;
    case 4: copy_row_4(to, from, to_stride, from_stride, count); break;
    case 8: copy_row_8(to, from, to_stride, from_stride, count); break;
    default: copy_row_16(to, from, to_stride, from_stride, count); break;
  }
}

static void transpose_block(size_t size, void *to, const void *from, int64_t to_stride, int64_t from_stride,
                            int64_t rows, int64_t columns) {
  switch (size) {
    case 1: transpose_1(to, from, to_stride, from_stride, rows, columns); break;
    case 2: transpose_2(to, from, to_stride, from_stride, rows, columns); break;
    case 4: transpose_4(to, from, to_stride, from_stride, rows, columns); break;
    case 8: transpose_8(to, from, to_stride, from_stride, rows, columns); break;
    default: transpose_16(to, from, to_stride, from_stride, rows, columns); break;
  }
}

void sli_elements_fill(sli_dtype_t dtype, void *to, const void *value, int64_t count) {
  if (count <= 0) return;
  copy_row(dtype, sli_dtype_size(dtype), to, value, 1, 0, count);
}

void sli_elements_clear(sli_dtype_t dtype, void *to, int64_t count) {
  if (count <= 0) return;
  if (sli_dtype_is_plain(dtype)) {
    memset(to, 0, (size_t)count * sli_dtype_size(dtype));
  } else if (dtype == SLI_DTYPE_STRING) {
    for (int64_t i = 0; i < count; i++) sli_tstring_assign(&((sli_tstring_t *)to)[i], "", 0);
  } else {
    for (int64_t i = 0; i < count; i++) {
      sli_object_release(((sli_object_t **)to)[i]);
      ((sli_object_t **)to)[i] = NULL;
    }
  }
}

// A copy whose dims were merged. The last dim is a row. If |tiled|, the last two dims are a transposed matrix, which is
// copied in blocks of TILE rows.
enum { TILE = 16 };
typedef struct {
  sli_dtype_t dtype;
  size_t size;
  char *to;
  const char *from;
  int rank;
  int64_t dims[SLI_MAX_RANK + 1], to_strides[SLI_MAX_RANK + 1], from_strides[SLI_MAX_RANK + 1];
  bool tiled;
} copy_t;

static void merge_dims(copy_t *copy, int rank, const int64_t *dims, const int64_t *to_strides,
                       const int64_t *from_strides) {
  int n = 0;
  for (int i = 0; i < rank; i++) {
    if (dims[i] == 1) continue;
    if (n && copy->to_strides[n - 1] == to_strides[i] * dims[i] &&
        copy->from_strides[n - 1] == from_strides[i] * dims[i]) {
      copy->dims[n - 1] *= dims[i];
      copy->to_strides[n - 1] = to_strides[i];
      copy->from_strides[n - 1] = from_strides[i];
      continue;
    }
    copy->dims[n] = dims[i];
    copy->to_strides[n] = to_strides[i];
    copy->from_strides[n] = from_strides[i];
    n++;
  }
  if (n == 0) {
    copy->dims[0] = copy->to_strides[0] = copy->from_strides[0] = 1;
    n = 1;
  }
  copy->rank = n;
}

// Copies units [begin, end), which are rows or blocks of TILE rows.
static void copy_range(void *context, int64_t begin, int64_t end) {
  const copy_t *copy = context;
  const int last = copy->rank - 1, outer = last;
  int64_t index[SLI_MAX_RANK + 1];
  int64_t rest = begin;
  ptrdiff_t to = 0, from = 0;
  for (int i = outer - 1; i >= 0; i--) {
    int64_t extent = copy->tiled && i == last - 1 ? (copy->dims[i] + TILE - 1) / TILE : copy->dims[i];
    int64_t step = copy->tiled && i == last - 1 ? TILE : 1;
    index[i] = rest % extent;
    rest /= extent;
    to += index[i] * step * copy->to_strides[i];
    from += index[i] * step * copy->from_strides[i];
  }
  for (int64_t unit = begin; unit < end; unit++) {
    char *target = copy->to + to * (ptrdiff_t)copy->size;
    const char *source = copy->from + from * (ptrdiff_t)copy->size;
    if (copy->tiled) {
      int64_t rows = copy->dims[last - 1] - index[last - 1] * TILE;
      transpose_block(copy->size, target, source, copy->to_strides[last - 1], copy->from_strides[last],
                      rows < TILE ? rows : TILE, copy->dims[last]);
    } else {
      copy_row(copy->dtype, copy->size, target, source, copy->to_strides[last], copy->from_strides[last],
               copy->dims[last]);
    }
    for (int i = outer - 1; i >= 0; i--) {
      int64_t extent = copy->tiled && i == last - 1 ? (copy->dims[i] + TILE - 1) / TILE : copy->dims[i];
      int64_t step = copy->tiled && i == last - 1 ? TILE : 1;
      to += step * copy->to_strides[i];
      from += step * copy->from_strides[i];
      if (++index[i] < extent) break;
      to -= extent * step * copy->to_strides[i];
      from -= extent * step * copy->from_strides[i];
      index[i] = 0;
    }
  }
}

typedef struct {
  sli_dtype_t dtype;
  size_t size;
  char *to;
  const char *from;
} flat_t;

static void copy_flat_range(void *context, int64_t begin, int64_t end) {
  const flat_t *flat = context;
  size_t offset = (size_t)begin * flat->size;
  sli_elements_copy(flat->dtype, flat->to + offset, flat->from + offset, end - begin);
}

void sli_elements_strided_copy(sli_thread_pool_t *pool, sli_dtype_t dtype, int rank, const int64_t *dims, void *to,
                               const int64_t *to_strides, const void *from, const int64_t *from_strides) {
  for (int i = 0; i < rank; i++) {
    if (dims[i] <= 0) return;
  }
  copy_t copy;
  copy.dtype = dtype;
  copy.size = sli_dtype_size(dtype);
  copy.to = to;
  copy.from = from;
  merge_dims(&copy, rank, dims, to_strides, from_strides);
  const int last = copy.rank - 1;
  // Strings cost an allocation each, plain bytes a fraction of a nanosecond.
  const double cost = sli_dtype_is_plain(dtype) ? 0.1 * (double)copy.size : 30;
  if (copy.rank == 1 && copy.to_strides[0] == 1 && copy.from_strides[0] == 1) {
    flat_t flat = {dtype, copy.size, to, from};
    sli_parallel_for(pool, copy.dims[0], cost, copy_flat_range, &flat);
    return;
  }
  copy.tiled = copy.rank >= 2 && sli_dtype_is_plain(dtype) && copy.to_strides[last] == 1 &&
               copy.from_strides[last - 1] == 1 && copy.from_strides[last] != 1 && copy.from_strides[last] != 0;
  int64_t units = 1;
  for (int i = 0; i < last; i++) units *= copy.tiled && i == last - 1 ? (copy.dims[i] + TILE - 1) / TILE : copy.dims[i];
  double unit_cost = cost * (double)copy.dims[last] * (copy.tiled ? 2 * TILE : 1) + 4;
  sli_parallel_for(pool, units, unit_cost, copy_range, &copy);
}

sli_status_t *sli_elements_zeros_like(const sli_tensor_t *tensor, sli_tensor_t **out_zeros) {
  SLI_RETURN_IF_ERROR(
      sli_tensor_create(sli_allocator_cpu(), (sli_dtype_t)tensor->dtype, tensor->dims, tensor->rank, out_zeros));
  if (tensor->dtype != SLI_DTYPE_VARIANT) {
    sli_elements_clear((sli_dtype_t)tensor->dtype, (*out_zeros)->data, tensor->count);
    return NULL;
  }
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < tensor->count && !status; i++)
    status = sli_op_variant_zeros_like(tensor, i, &SLI_DATA(sli_object_t *, *out_zeros)[i]);
  if (status) {
    sli_tensor_release(*out_zeros);
    *out_zeros = NULL;
  }
  return status;
}

sli_status_t *sli_elements_sum(const sli_tensor_t *a, const sli_tensor_t *b, sli_tensor_t **out_sum) {
  if (!sli_tensor_same_shape(a, b))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Trying to add two tensors with incompatible element shapes. One is %s and the other is %s",
                           sli_tensor_shape_text(a).text, sli_tensor_shape_text(b).text);
  sli_dtype_t dtype = (sli_dtype_t)a->dtype;
  sli_tensor_t *sum;
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), dtype, a->dims, a->rank, &sum));
  sli_status_t *status = NULL;
  if (dtype == SLI_DTYPE_VARIANT) {
    for (int64_t i = 0; i < a->count && !status; i++)
      status = sli_op_variant_add(a, b, i, &SLI_DATA(sli_object_t *, sum)[i]);
  } else if (!sli_types_contain(SLI_TYPES_NUMBER, dtype)) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Trying to add unsupported dtype %d", dtype);
  } else {
    sli_elements_copy(dtype, sum->data, a->data, a->count);
    sli_accumulate(SLI_ACCUMULATE_ADD, dtype, sum->data, b->data, 1, a->count);
  }
  if (status)
    sli_tensor_release(sum);
  else
    *out_sum = sum;
  return status;
}
