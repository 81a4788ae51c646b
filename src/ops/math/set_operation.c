// DenseToDenseSetOperation and SetSize: sets in the last dimension of tensors.
// Every row becomes a sorted array of distinct values; a merge of two of those
// is all that the operations need. Results are sparse tensors.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/kernel.h"
#include "core/shape_inference.h"
#include "ops/sparse/sparse.h"

typedef enum { SET_A_MINUS_B, SET_B_MINUS_A, SET_INTERSECTION, SET_UNION } set_operation_t;

// Elements of one row, sorted and distinct. Strings are views into the input.
typedef struct {
  sli_view_t *strings;
  int64_t *integers;
  int64_t count;
} set_t;

static int64_t integer_at(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_INT8: return SLI_DATA(int8_t, tensor)[i];
    case SLI_DTYPE_INT16: return SLI_DATA(int16_t, tensor)[i];
    case SLI_DTYPE_UINT8: return SLI_DATA(uint8_t, tensor)[i];
    case SLI_DTYPE_UINT16: return SLI_DATA(uint16_t, tensor)[i];
    default: return sli_tensor_int_at(tensor, i);
  }
}

static void store_integer(sli_tensor_t *tensor, int64_t i, int64_t value) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_INT8: SLI_DATA(int8_t, tensor)[i] = (int8_t)value; break;
    case SLI_DTYPE_INT16: SLI_DATA(int16_t, tensor)[i] = (int16_t)value; break;
    case SLI_DTYPE_UINT8: SLI_DATA(uint8_t, tensor)[i] = (uint8_t)value; break;
    case SLI_DTYPE_UINT16: SLI_DATA(uint16_t, tensor)[i] = (uint16_t)value; break;
    case SLI_DTYPE_INT32: SLI_DATA(int32_t, tensor)[i] = (int32_t)value; break;
    default: SLI_DATA(int64_t, tensor)[i] = value;
  }
}

static int compare_views(const void *a, const void *b) {
  const sli_view_t *x = a, *y = b;
  size_t n = x->size < y->size ? x->size : y->size;
  int order = n ? memcmp(x->data, y->data, n) : 0;
  return order ? order : (x->size > y->size) - (x->size < y->size);
}
static int compare_integers(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int compare_elements(const set_t *a, int64_t i, const set_t *b, int64_t j) {
  return a->strings ? compare_views(&a->strings[i], &b->strings[j])
                    : compare_integers(&a->integers[i], &b->integers[j]);
}

static void set_copy(set_t *to, int64_t i, const set_t *from, int64_t j) {
  if (to->strings)
    to->strings[i] = from->strings[j];
  else
    to->integers[i] = from->integers[j];
}

// Room for |capacity| elements of the kind of |values|.
static set_t set_allocate(const sli_tensor_t *values, int64_t capacity) {
  set_t set = {0};
  size_t n = (size_t)(capacity ? capacity : 1);
  if (values->dtype == SLI_DTYPE_STRING)
    set.strings = sli_malloc(n * sizeof(*set.strings));
  else
    set.integers = sli_malloc(n * sizeof(*set.integers));
  return set;
}
static void set_free(set_t *set) {
  free(set->strings);
  free(set->integers);
}

// Fills |set| with elements [first, first + n) of |values|.
static void set_read(set_t *set, const sli_tensor_t *values, int64_t first, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    if (set->strings)
      set->strings[i] = sli_tstring_view(&SLI_DATA(sli_tstring_t, values)[first + i]);
    else
      set->integers[i] = integer_at(values, first + i);
  }
  set->count = 0;
  if (!n) return;
  if (set->strings)
    qsort(set->strings, (size_t)n, sizeof(*set->strings), compare_views);
  else
    qsort(set->integers, (size_t)n, sizeof(*set->integers), compare_integers);
  set->count = 1;
  for (int64_t i = 1; i < n; i++)
    if (compare_elements(set, i, set, set->count - 1) != 0) set_copy(set, set->count++, set, i);
}

static void set_merge(const set_t *a, const set_t *b, set_operation_t operation, set_t *out) {
  int64_t i = 0, j = 0;
  out->count = 0;
  while (i < a->count || j < b->count) {
    int order = i == a->count ? 1 : j == b->count ? -1 : compare_elements(a, i, b, j);
    bool keep = order < 0   ? operation == SET_A_MINUS_B || operation == SET_UNION
                : order > 0 ? operation == SET_B_MINUS_A || operation == SET_UNION
                            : operation == SET_INTERSECTION || operation == SET_UNION;
    if (keep) set_copy(out, out->count++, order <= 0 ? a : b, order <= 0 ? i : j);
    i += order <= 0;
    j += order >= 0;
  }
}

typedef SLI_ARRAY(int64_t) counts_t;

static sli_status_t *parse_operation(const sli_node_def_t *node, set_operation_t *out_operation) {
  static const char *const names[] = {"a-b", "b-a", "intersection", "union"};
  sli_view_t name;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "set_operation", &name));
  for (int i = 0; i < 4; i++) {
    *out_operation = (set_operation_t)i;
    bool same = strlen(names[i]) == name.size;
    for (size_t k = 0; same && k < name.size; k++) same = (name.data[k] | 0x20) == (names[i][k] | 0x20);
    if (same) return NULL;
  }
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid set_operation %.*s.", SLI_VIEW_ARG(name));
}

static sli_status_t *check_shapes(const sli_tensor_t *a, const sli_tensor_t *b) {
  const sli_tensor_t *both[] = {a, b};
  for (int i = 0; i < 2; i++) {
    if (both[i]->rank >= 2) continue;
    char *shape = sli_shape_to_text(sli_tensor_shape(both[i]));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Shape %s has rank %d < 2", shape, both[i]->rank);
    free(shape);
    return status;
  }
  sli_shape_t x = {a->rank - 1, a->dims}, y = {b->rank - 1, b->dims};
  if (sli_shape_equal(x, y)) return NULL;
  char *first = sli_shape_to_text(x), *second = sli_shape_to_text(y);
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Mismatched shapes %s vs %s", first, second);
  free(first);
  free(second);
  return status;
}

// Writes the sparse result: |counts| elements for each group, one behind the other in |all|.
static sli_status_t *write_sparse(sli_kernel_context_t *context, const sli_tensor_t *like, const counts_t *counts,
                                  const set_t *all) {
  sli_tensor_t *indices, *values, *shape;
  int rank = like->rank;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(all->count, rank), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(all->count), &values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(rank), &shape));
  int64_t at = 0, most = 0, *index = indices->data;
  for (size_t g = 0; g < counts->count; g++) {
    for (int64_t i = 0; i < counts->items[g]; i++, at++, index += rank) {
      int64_t rest = (int64_t)g;
      for (int d = rank - 2; d >= 0; d--) {
        index[d] = rest % like->dims[d];
        rest /= like->dims[d];
      }
      index[rank - 1] = i;
      if (all->strings)
        sli_tstring_assign(&SLI_DATA(sli_tstring_t, values)[at], all->strings[at].data, all->strings[at].size);
      else
        store_integer(values, at, all->integers[at]);
    }
    if (counts->items[g] > most) most = counts->items[g];
  }
  for (int d = 0; d < rank - 1; d++) SLI_DATA(int64_t, shape)[d] = like->dims[d];
  SLI_DATA(int64_t, shape)[rank - 1] = most;
  return NULL;
}

static sli_status_t *dense_to_dense(sli_kernel_context_t *context) {
  sli_tensor_t *a = sli_kernel_input(context, 0), *b = sli_kernel_input(context, 1);
  set_operation_t operation;
  SLI_RETURN_IF_ERROR(parse_operation(context->node, &operation));
  SLI_RETURN_IF_ERROR(check_shapes(a, b));
  int64_t groups = 1, a_width = a->dims[a->rank - 1], b_width = b->dims[b->rank - 1];
  for (int d = 0; d < a->rank - 1; d++) groups *= a->dims[d];
  set_t x = set_allocate(a, a_width), y = set_allocate(a, b_width), merged = set_allocate(a, a_width + b_width);
  set_t all = set_allocate(a, a->count + b->count);
  counts_t counts = {0};
  for (int64_t g = 0; g < groups; g++) {
    set_read(&x, a, g * a_width, a_width);
    set_read(&y, b, g * b_width, b_width);
    set_merge(&x, &y, operation, &merged);
    for (int64_t i = 0; i < merged.count; i++) set_copy(&all, all.count++, &merged, i);
    sli_array_push(&counts, merged.count);
  }
  sli_status_t *status = write_sparse(context, a, &counts, &all);
  sli_array_deinitialize(&counts);
  set_free(&x);
  set_free(&y);
  set_free(&merged);
  set_free(&all);
  return status;
}

static sli_status_t *set_size(sli_kernel_context_t *context) {
  sli_tensor_t *indices = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1),
               *shape = sli_kernel_input(context, 2), *output;
  bool validate;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "validate_indices", &validate));
  if (indices->rank != 2 || values->rank != 1 || shape->rank != 1 || indices->dims[0] != values->count ||
      indices->dims[1] != shape->count || shape->count < 1 || shape->count > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Indices, values and shape do not make a sparse tensor");
  SLI_RETURN_IF_ERROR(sli_sparse_check_indices(indices, shape, validate));
  int rank = (int)shape->count - 1;
  const int64_t *bounds = shape->data;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, bounds}, &output));
  if (output->count) memset(output->data, 0, sli_tensor_bytes(output));
  // Neighbours with the same leading indices make a group.
  set_t set = set_allocate(values, values->count);
  for (int64_t first = 0, end; first < values->count; first = end) {
    const int64_t *index = SLI_DATA(int64_t, indices) + first * (rank + 1);
    int64_t place = 0;
    for (int d = 0; d < rank; d++) place = place * bounds[d] + index[d];
    for (end = first + 1; end < values->count; end++)
      if (memcmp(index, SLI_DATA(int64_t, indices) + end * (rank + 1), (size_t)rank * sizeof(*index)) != 0) break;
    set_read(&set, values, first, end - first);
    SLI_DATA(int32_t, output)[place] = (int32_t)set.count;
  }
  set_free(&set);
  return NULL;
}

static sli_status_t *operation_shape(sli_shape_context_t *c) {
  sli_shape_t a = sli_shape_input(c, 0), b = sli_shape_input(c, 1), groups;
  if (a.rank >= 0 && a.rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input 0 must have rank >= 2 but is rank %d", a.rank);
  if (b.rank >= 0 && b.rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input 1 must have rank >= 2 but is rank %d", b.rank);
  if (a.rank >= 0 && b.rank >= 0)
    SLI_RETURN_IF_ERROR(sli_shape_merge(c, sli_shape_subshape(c, a, 0, -1), sli_shape_subshape(c, b, 0, -1), &groups));
  int64_t rank = a.rank >= 0 ? a.rank : b.rank, dims[] = {-1, rank};
  sli_shape_set_output(c, 0, sli_shape_make(c, 2, dims));
  sli_shape_set_output(c, 1, sli_shape_make(c, 1, dims));
  sli_shape_set_output(c, 2, sli_shape_make(c, 1, dims + 1));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "DenseToDenseSetOperation",
     .inputs = "set1: T, set2: T",
     .outputs = "result_indices: int64, result_values: T, result_shape: int64",
     .attrs = "set_operation: string; validate_indices: bool = true; T: {int8, int16, int32, int64, uint8, uint16, "
              "string}",
     .shape = operation_shape,
     .not_differentiable = true},
    {.name = "SetSize",
     .inputs = "set_indices: int64, set_values: T, set_shape: int64",
     .outputs = "size: int32",
     .attrs = "validate_indices: bool = true; T: {int8, int16, int32, int64, uint8, uint16, string}",
     .shape = sli_shape_fn_unknown,
     .not_differentiable = true},
};

#define TYPES (SLI_TYPES_SIGNED | SLI_TYPE_UINT8 | SLI_TYPE_UINT16 | SLI_TYPE_STRING)

static const sli_kernel_def_t kernels[] = {
    {.op = "DenseToDenseSetOperation", .types = TYPES, .compute = dense_to_dense, .cost = 5},
    {.op = "SetSize", .types = TYPES, .compute = set_size, .cost = 5},
};

SLI_OP_MODULE(set_operation);
