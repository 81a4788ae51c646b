#include "ops/sparse/sparse.h"

#include <stdlib.h>

#include "math/half.h"

sli_sparse_number_t sli_sparse_number(sli_dtype_t dtype, double value) {
  sli_sparse_number_t number = {0};
  switch (dtype) {
    case SLI_DTYPE_DOUBLE: number.d = value; break;
    case SLI_DTYPE_HALF: number.h = sli_half_from_float((float)value); break;
    case SLI_DTYPE_BFLOAT16: number.h = sli_bfloat16_from_float((float)value); break;
    default: number.f = (float)value;
  }
  return number;
}

sli_status_t *sli_sparse_input(const sli_kernel_context_t *context, int first, sli_sparse_t *out_sparse) {
  const sli_tensor_t *indices = sli_kernel_input(context, first), *values = sli_kernel_input(context, first + 1),
                     *shape = sli_kernel_input(context, first + 2);
  if (indices->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input indices should be a matrix but received shape %s",
                           sli_tensor_shape_text(indices).text);
  if (values->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input values should be a vector but received shape %s",
                           sli_tensor_shape_text(values).text);
  if (shape->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input shape should be a vector but received shape %s",
                           sli_tensor_shape_text(shape).text);
  if (indices->dims[0] != values->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Number of elements in indices (%lld) and values (%lld) do not match",
                           (long long)indices->dims[0], (long long)values->count);
  if (indices->dims[1] != shape->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Index rank (%lld) and shape rank (%lld) do not match",
                           (long long)indices->dims[1], (long long)shape->count);
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(shape->count));
  *out_sparse = (sli_sparse_t){indices, values, shape, values->count, (int)shape->count};
  return NULL;
}

sli_status_t *sli_sparse_check_size(const sli_sparse_t *sparse) {
  int64_t size = 1, product;
  for (int d = 0; d < sparse->rank; d++, size = product) {
    int64_t dim = sli_tensor_int_at(sparse->shape, d);
    if (__builtin_mul_overflow(size, dim, &product))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Encountered overflow when multiplying %lld with %lld, result: %lld",
                             (long long)size, (long long)dim, (long long)product);
  }
  return NULL;
}

sli_status_t *sli_sparse_check_bounds(const sli_sparse_t *sparse) {
  for (int64_t i = 0; i < sparse->count; i++) {
    for (int d = 0; d < sparse->rank; d++) {
      int64_t index = sli_tensor_int_at(sparse->indices, i * sparse->rank + d);
      if (index < 0 || index >= sli_tensor_int_at(sparse->shape, d))
        return sli_status_make(SLI_INVALID_ARGUMENT, "indices[%lld,%d] = %lld is out of bounds [0, %lld)", (long long)i,
                               d, (long long)index, (long long)sli_tensor_int_at(sparse->shape, d));
    }
  }
  return NULL;
}

sli_status_t *sli_sparse_check_indices(const sli_tensor_t *indices, const sli_tensor_t *shape, bool ordered) {
  int64_t rank = shape->count;
  const int64_t *bounds = shape->data;
  for (int64_t i = 0; i < indices->dims[0]; i++) {
    const int64_t *index = SLI_DATA(int64_t, indices) + i * rank;
    bool inside = true;
    int order = i ? 0 : 1;
    for (int64_t d = 0; d < rank; d++) {
      inside &= index[d] >= 0 && index[d] < bounds[d];
      if (!order && index[d] != index[d - rank]) order = index[d] > index[d - rank] ? 1 : -1;
    }
    if (inside && (!ordered || order > 0)) continue;
    sli_string_t text = {0};
    sli_string_append_format(&text, "indices[%lld] = ", (long long)i);
    sli_shape_append(&text, (sli_shape_t){(int)rank, index});
    if (!inside) {
      sli_string_append_text(&text, " is out of bounds: need 0 <= index < ");
      sli_shape_append(&text, (sli_shape_t){(int)rank, bounds});
    } else {
      sli_string_append_text(&text, order < 0 ? " is out of order. Many sparse ops require sorted indices.\n    Use "
                                                "`tf.sparse.reorder` to create a correctly ordered copy.\n\n"
                                              : " is repeated");
    }
    sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, sli_string_text(&text));
    sli_string_deinitialize(&text);
    return status;
  }
  return NULL;
}

sli_output_t sli_sparse_emit_rows(sli_gradient_builder_t *b, sli_output_t tensor) {
  sli_output_t shape = SLI_EMIT(b, "Shape", SLI_INPUTS(tensor));
  return SLI_EMIT_WITH(
      b, "StridedSlice",
      SLI_INPUTS(shape, sli_gradient_const_ints(b, (int32_t[]){0}, 1), sli_gradient_const_ints(b, (int32_t[]){1}, 1),
                 sli_gradient_const_ints(b, (int32_t[]){1}, 1)),
      SLI_ATTRS(SLI_ATTR_INT_OF("shrink_axis_mask", 1)));
}

static int compare_places(const void *a, const void *b) {
  const sli_sparse_place_t *x = a, *y = b;
  for (int d = 0; d < x->rank; d++) {
    if (x->index[d] != y->index[d]) return x->index[d] < y->index[d] ? -1 : 1;
  }
  return (x->row > y->row) - (x->row < y->row);
}

void sli_sparse_sort(sli_sparse_place_t *places, int64_t count) {
  qsort(places, (size_t)count, sizeof(*places), compare_places);
}
