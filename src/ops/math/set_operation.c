// DenseToDenseSetOperation, DenseToSparseSetOperation, SparseToSparseSetOperation and SetSize: sets in the last
// dimension of tensors. Every row becomes a sorted array of distinct values; an operation merges two of them. Results
// are sparse tensors.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
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

// A set with room for |capacity| elements of the type of |values|.
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

// An operand: a dense tensor, or a sparse one whose indices are checked. |dims| are those of the groups.
typedef struct {
  const sli_tensor_t *values, *indices;  // |indices|: NULL if dense
  int rank;
  const int64_t *dims;
  int64_t next;  // the next entry of a sparse one
} operand_t;

static sli_status_t *check_shapes(const operand_t *a, const operand_t *b) {
  const operand_t *both[] = {a, b};
  for (int i = 0; i < 2; i++) {
    sli_shape_t shape = {both[i]->rank, both[i]->dims};
    if (both[i]->rank < 2)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Shape %s has rank %d < 2", sli_shape_text(shape).text,
                             both[i]->rank);
  }
  sli_shape_t x = {a->rank - 1, a->dims}, y = {b->rank - 1, b->dims};
  if (sli_shape_equal(x, y)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Mismatched shapes %s vs %s", sli_shape_text(x).text,
                         sli_shape_text(y).text);
}

static sli_status_t *sparse_operand(const sli_kernel_context_t *context, int first, bool validate,
                                    operand_t *out_operand) {
  sli_sparse_t sparse;
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, first, &sparse));
  SLI_RETURN_IF_ERROR(sli_sparse_check_indices(sparse.indices, sparse.shape, validate));
  for (int d = 0; d < sparse.rank; d++)
    if (SLI_DATA(int64_t, sparse.shape)[d] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "A shape has a negative dimension %lld",
                             (long long)SLI_DATA(int64_t, sparse.shape)[d]);
  *out_operand = (operand_t){sparse.values, sparse.indices, sparse.rank, SLI_DATA(int64_t, sparse.shape), 0};
  return NULL;
}

// The number of the group of entry |i|.
static int64_t group_of(const operand_t *operand, int64_t i) {
  int64_t group = 0;
  for (int d = 0; d < operand->rank - 1; d++)
    group = group * operand->dims[d] + SLI_DATA(int64_t, operand->indices)[i * operand->rank + d];
  return group;
}

// The elements of |operand| in group |group|, which only increases.
static void read_group(operand_t *operand, int64_t group, set_t *set) {
  if (!operand->indices) {
    int64_t width = operand->dims[operand->rank - 1];
    set_read(set, operand->values, group * width, width);
    return;
  }
  int64_t begin = operand->next;
  while (operand->next < operand->values->count && group_of(operand, operand->next) == group) operand->next++;
  set_read(set, operand->values, begin, operand->next - begin);
}

// Writes the sparse result: |counts| elements for each group of |numbers|, consecutive in |all|.
static sli_status_t *write_sparse(sli_kernel_context_t *context, const operand_t *like, const counts_t *numbers,
                                  const counts_t *counts, const set_t *all) {
  sli_tensor_t *indices, *values, *shape;
  int rank = like->rank;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(all->count, rank), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(all->count), &values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(rank), &shape));
  int64_t at = 0, most = 0, *index = indices->data;
  for (size_t g = 0; g < counts->count; g++) {
    for (int64_t i = 0; i < counts->items[g]; i++, at++, index += rank) {
      int64_t rest = numbers->items[g];
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

// The next group that one of the operands has; -1: there is none.
static int64_t next_group(const operand_t *a, const operand_t *b, int64_t before, int64_t groups) {
  if (!a->indices || !b->indices) return before + 1 < groups ? before + 1 : -1;
  int64_t x = a->next < a->values->count ? group_of(a, a->next) : -1;
  int64_t y = b->next < b->values->count ? group_of(b, b->next) : -1;
  return x < 0 ? y : y < 0 ? x : x < y ? x : y;
}

static sli_status_t *operate(sli_kernel_context_t *context, operand_t *a, operand_t *b) {
  set_operation_t operation;
  SLI_RETURN_IF_ERROR(parse_operation(context->node, &operation));
  SLI_RETURN_IF_ERROR(check_shapes(a, b));
  int64_t groups = sli_shape_count((sli_shape_t){a->rank - 1, a->dims}), most = a->values->count + b->values->count;
  if (groups < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "There are too many sets");
  set_t x = set_allocate(a->values, a->values->count), y = set_allocate(a->values, b->values->count);
  set_t merged = set_allocate(a->values, most), all = set_allocate(a->values, most);
  counts_t counts = {0}, numbers = {0};
  for (int64_t g = -1; (g = next_group(a, b, g, groups)) >= 0;) {
    read_group(a, g, &x);
    read_group(b, g, &y);
    set_merge(&x, &y, operation, &merged);
    for (int64_t i = 0; i < merged.count; i++) set_copy(&all, all.count++, &merged, i);
    sli_array_push(&counts, merged.count);
    sli_array_push(&numbers, g);
  }
  sli_status_t *status = write_sparse(context, a, &numbers, &counts, &all);
  sli_array_deinitialize(&counts);
  sli_array_deinitialize(&numbers);
  set_free(&x);
  set_free(&y);
  set_free(&merged);
  set_free(&all);
  return status;
}

static operand_t dense_operand(const sli_tensor_t *tensor) {
  return (operand_t){tensor, NULL, tensor->rank, tensor->dims, 0};
}

static sli_status_t *dense_to_dense(sli_kernel_context_t *context) {
  operand_t a = dense_operand(sli_kernel_input(context, 0)), b = dense_operand(sli_kernel_input(context, 1));
  return operate(context, &a, &b);
}

// Entries must be in order in any case, because groups are read one after the other.
static sli_status_t *dense_to_sparse(sli_kernel_context_t *context) {
  operand_t a = dense_operand(sli_kernel_input(context, 0)), b;
  SLI_RETURN_IF_ERROR(sparse_operand(context, 1, true, &b));
  return operate(context, &a, &b);
}

static sli_status_t *sparse_to_sparse(sli_kernel_context_t *context) {
  operand_t a, b;
  SLI_RETURN_IF_ERROR(sparse_operand(context, 0, true, &a));
  SLI_RETURN_IF_ERROR(sparse_operand(context, 3, true, &b));
  return operate(context, &a, &b);
}

static sli_status_t *set_size(sli_kernel_context_t *context) {
  sli_tensor_t *indices = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1),
               *shape = sli_kernel_input(context, 2), *output;
  bool validate;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "validate_indices", &validate));
  if (shape->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be a 1D tensor.");
  if (indices->rank != 2 || values->rank != 1 || indices->dims[0] != values->count ||
      indices->dims[1] != shape->count || shape->count < 1 || shape->count > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Indices, values and shape do not make a sparse tensor");
  SLI_RETURN_IF_ERROR(sli_sparse_check_indices(indices, shape, validate));
  int rank = (int)shape->count - 1;
  const int64_t *bounds = shape->data;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, bounds}, &output));
  if (output->count) memset(output->data, 0, sli_tensor_bytes(output));
  // Consecutive entries with the same leading indices are a group.
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

static sli_status_t *operation_shape(sli_infer_context_t *c) {
  sli_shape_t a = sli_infer_input(c, 0), b = sli_infer_input(c, 1), groups;
  if (a.rank >= 0 && a.rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input 0 must have rank >= 2 but is rank %d", a.rank);
  if (b.rank >= 0 && b.rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input 1 must have rank >= 2 but is rank %d", b.rank);
  if (a.rank >= 0 && b.rank >= 0)
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_subshape(c, a, 0, -1), sli_infer_subshape(c, b, 0, -1), &groups));
  int64_t rank = a.rank >= 0 ? a.rank : b.rank, dims[] = {-1, rank};
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, dims));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, dims));
  sli_infer_set_output(c, 2, sli_infer_make(c, 1, dims + 1));
  return NULL;
}

static sli_status_t *set_outputs_of_rank(sli_infer_context_t *c, int64_t rank) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, rank}));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 2, sli_infer_make(c, 1, &rank));
  return NULL;
}

static int64_t sparse_rank(sli_infer_context_t *c, int shape_input) {
  sli_shape_t shape = sli_infer_input(c, shape_input);
  return shape.rank == 1 ? shape.dims[0] : -1;
}

static sli_status_t *dense_to_sparse_shape(sli_infer_context_t *c) {
  sli_shape_t a = sli_infer_input(c, 0);
  if (a.rank >= 0 && a.rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input rank should be >= 2, but is %d", a.rank);
  return set_outputs_of_rank(c, a.rank >= 0 ? a.rank : sparse_rank(c, 3));
}

static sli_status_t *sparse_to_sparse_shape(sli_infer_context_t *c) {
  int64_t rank = sparse_rank(c, 2);
  return set_outputs_of_rank(c, rank >= 0 ? rank : sparse_rank(c, 5));
}

#define SET_OPERATION \
  "set_operation: string; validate_indices: bool = true; T: {int8, int16, int32, int64, uint8, uint16, string}"
#define SET_RESULT "result_indices: int64, result_values: T, result_shape: int64"

static const sli_op_def_t ops[] = {
    {.name = "DenseToSparseSetOperation",
     .inputs = "set1: T, set2_indices: int64, set2_values: T, set2_shape: int64",
     .outputs = SET_RESULT,
     .attrs = SET_OPERATION,
     .summary = "Combines the sets of a dense and a sparse tensor.",
     .shape = dense_to_sparse_shape,
     .not_differentiable = true},
    {.name = "SparseToSparseSetOperation",
     .inputs =
         "set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, set2_values: T, set2_shape: "
         "int64",
     .outputs = SET_RESULT,
     .attrs = SET_OPERATION,
     .summary = "Combines the sets of two sparse tensors.",
     .shape = sparse_to_sparse_shape,
     .not_differentiable = true},
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
     .shape = sli_infer_fn_unknown,
     .not_differentiable = true},
};

#define TYPES (SLI_TYPES_SIGNED | SLI_TYPE_UINT8 | SLI_TYPE_UINT16 | SLI_TYPE_STRING)

static const sli_kernel_def_t kernels[] = {
    {.op = "DenseToDenseSetOperation", .types = TYPES, .compute = dense_to_dense, .cost = 5},
    {.op = "DenseToSparseSetOperation", .types = TYPES, .compute = dense_to_sparse, .cost = 5},
    {.op = "SparseToSparseSetOperation", .types = TYPES, .compute = sparse_to_sparse, .cost = 5},
    {.op = "SetSize", .types = TYPES, .compute = set_size, .cost = 5},
};

SLI_OP_MODULE(set_operation);
