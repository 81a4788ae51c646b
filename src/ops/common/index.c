#include "ops/common/index.h"

// Appends "[2,1]", the position of element |index| in a tensor of |shape|; nothing for a scalar.
static void append_position(sli_string_t *string, sli_shape_t shape, int64_t index) {
  if (shape.rank == 0) return;
  int64_t position[SLI_MAX_RANK];
  for (int i = shape.rank - 1; i >= 0; i--) {
    position[i] = index % shape.dims[i];
    index /= shape.dims[i];
  }
  for (int i = 0; i < shape.rank; i++)
    sli_string_append_format(string, "%s%lld", i ? "," : "[", (long long)position[i]);
  sli_string_append_char(string, ']');
}

sli_status_t *sli_index_check(const char *name, const sli_tensor_t *indices, int64_t limit) {
  for (int64_t i = 0; i < indices->count; i++) {
    int64_t index = sli_tensor_int_at(indices, i);
    if (index >= 0 && index < limit) continue;
    sli_string_t where = {0};
    append_position(&where, sli_tensor_shape(indices), i);
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s%s = %lld is not in [0, %lld)", name,
                                           sli_string_text(&where), (long long)index, (long long)limit);
    sli_string_deinitialize(&where);
    return status;
  }
  return NULL;
}

// The error for vector |i| of |indices|.
static sli_status_t *bad_vector(const sli_tensor_t *indices, int64_t i, const char *what, sli_shape_t shape) {
  int64_t depth = indices->dims[indices->rank - 1];
  sli_string_t text = {0};
  sli_string_append_text(&text, "indices");
  append_position(&text, (sli_shape_t){indices->rank - 1, indices->dims}, i);
  sli_string_append_text(&text, " = [");
  for (int64_t k = 0; k < depth; k++)
    sli_string_append_format(&text, "%s%lld", k ? ", " : "", (long long)sli_tensor_int_at(indices, i * depth + k));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s] does not index into %s %s", sli_string_text(&text),
                                         what, sli_shape_text(shape).text);
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_index_check_vectors(const sli_tensor_t *indices, const char *what, sli_shape_t shape) {
  int64_t depth = indices->dims[indices->rank - 1], count = sli_shape_product(indices->dims, 0, indices->rank - 1);
  for (int64_t i = 0; i < count; i++) {
    for (int64_t j = 0; j < depth; j++) {
      int64_t index = sli_tensor_int_at(indices, i * depth + j);
      if (index < 0 || index >= shape.dims[j]) return bad_vector(indices, i, what, shape);
    }
  }
  return NULL;
}
