// Counts of integer values, weighted or not. SparseBincount and RaggedBincount give a dense histogram for each row;
// DenseCountSparseOutput, SparseCountSparseOutput and RaggedCountSparseOutput give only the counts that are not zero.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

static bool has_weights(const sli_tensor_t *weights) { return weights->count > 0; }

static sli_status_t *check_weights(const sli_tensor_t *values, const sli_tensor_t *weights) {
  if (!has_weights(weights) || sli_tensor_same_shape(values, weights)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Weights and values must have the same shape. Weight shape: %s; values shape: %s",
                         sli_tensor_shape_text(weights).text, sli_tensor_shape_text(values).text);
}

// Adds weight |i| (1 without weights) to element |at| of |counts|, or sets it to 1 if |is_binary|.
static void count_one(sli_tensor_t *counts, int64_t at, const sli_tensor_t *weights, int64_t i, bool is_binary) {
#define COUNT(T)                                                           \
  do {                                                                     \
    T weight = has_weights(weights) ? SLI_DATA(T, weights)[i] : 1, *count; \
    count = &SLI_DATA(T, counts)[at];                                      \
    *count = is_binary ? 1 : (T)(*count + weight);                         \
  } while (0)
  switch (counts->dtype) {
    case SLI_DTYPE_FLOAT: COUNT(float); break;
    case SLI_DTYPE_DOUBLE: COUNT(double); break;
    case SLI_DTYPE_INT32: COUNT(uint32_t); break;
    default: COUNT(uint64_t); break;
  }
#undef COUNT
}

// --- Histograms ----------------------------------------------------------------------------------

// Creates output 0, [rows, size] or, if |rows| is negative, [size], with zeros.
static sli_status_t *make_histogram(sli_kernel_context_t *context, int size_input, int64_t rows, int64_t *out_size,
                                    sli_tensor_t **out_counts) {
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, size_input, "size", out_size));
  if (*out_size < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "size (%lld) must be non-negative", (long long)*out_size);
  int64_t dims[2] = {rows, *out_size};
  sli_shape_t shape = rows < 0 ? (sli_shape_t){1, dims + 1} : (sli_shape_t){2, dims};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, out_counts));
  sli_elements_clear((sli_dtype_t)(*out_counts)->dtype, (*out_counts)->data, (*out_counts)->count);
  return NULL;
}

static sli_status_t *negative_value(void) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Input must be non-negative");
}

static sli_status_t *sparse_bincount_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *indices = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1);
  const sli_tensor_t *shape = sli_kernel_input(context, 2), *weights = sli_kernel_input(context, 4);
  bool is_binary;
  int64_t size;
  sli_tensor_t *counts;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "binary_output", &is_binary));
  SLI_RETURN_IF_ERROR(check_weights(values, weights));
  if (shape->rank != 1 || shape->count < 1 || shape->count > 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "dense_shape must be a vector of 1 or 2 elements, got shape %s",
                           sli_tensor_shape_text(shape).text);
  bool is_matrix = shape->count == 2;
  int64_t rows = is_matrix ? SLI_DATA(int64_t, shape)[0] : -1;
  if (is_matrix && (rows < 0 || indices->rank != 2 || indices->dims[0] != values->count || indices->dims[1] != 2))
    return sli_status_make(SLI_INVALID_ARGUMENT, "indices of shape %s do not fit values of shape %s",
                           sli_tensor_shape_text(indices).text, sli_tensor_shape_text(values).text);
  SLI_RETURN_IF_ERROR(make_histogram(context, 3, rows, &size, &counts));
  const int64_t length = SLI_DATA(int64_t, shape)[0];
  for (int64_t i = 0; !is_matrix && indices->count == values->count && i < values->count; i++) {
    int64_t at = SLI_DATA(int64_t, indices)[i];
    if (at < 0 || at >= length)
      return sli_status_make(SLI_INVALID_ARGUMENT, "indices[%lld] = [%lld] is out of bounds: need 0 <= index < [%lld]",
                             (long long)i, (long long)at, (long long)length);
  }
  for (int64_t i = 0; i < values->count; i++) {
    int64_t value = sli_tensor_int_at(values, i), row = is_matrix ? SLI_DATA(int64_t, indices)[2 * i] : 0;
    if (value < 0) return negative_value();
    if (is_matrix && (row < 0 || row >= rows))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Index out of bound. `batch` (%lld) must be less than the dimension "
                             "size (%lld).",
                             (long long)row, (long long)rows);
    if (value < size) count_one(counts, row * size + value, weights, i, is_binary);
  }
  return NULL;
}

static sli_status_t *check_count_splits(const sli_tensor_t *splits, int64_t count) {
  if (splits->rank != 1 || splits->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Splits must be non-empty: a vector, got shape %s",
                           sli_tensor_shape_text(splits).text);
  const int64_t *at = splits->data;
  if (at[0] != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Splits must start with 0, not with %lld", (long long)at[0]);
  for (int64_t i = 1; i < splits->count; i++)
    if (at[i] < at[i - 1])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Splits must not decrease: %lld after %lld", (long long)at[i],
                             (long long)at[i - 1]);
  if (at[splits->count - 1] != count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Splits must end with the number of values, got %lld instead of %lld",
                           (long long)at[splits->count - 1], (long long)count);
  return NULL;
}

static sli_status_t *ragged_bincount_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *splits = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1);
  const sli_tensor_t *weights = sli_kernel_input(context, 3);
  bool is_binary;
  int64_t size;
  sli_tensor_t *counts;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "binary_output", &is_binary));
  SLI_RETURN_IF_ERROR(check_count_splits(splits, values->count));
  if (weights->count != values->count) SLI_RETURN_IF_ERROR(check_weights(values, weights));
  SLI_RETURN_IF_ERROR(make_histogram(context, 2, splits->count - 1, &size, &counts));
  for (int64_t row = 0; row + 1 < splits->count; row++) {
    for (int64_t i = SLI_DATA(int64_t, splits)[row]; i < SLI_DATA(int64_t, splits)[row + 1]; i++) {
      int64_t value = sli_tensor_int_at(values, i);
      if (value < 0) return negative_value();
      if (value < size) count_one(counts, row * size + value, weights, i, is_binary);
    }
  }
  return NULL;
}

static sli_status_t *bincount_shape(sli_infer_context_t *c, int64_t rows, bool is_vector) {
  const sli_tensor_t *size = sli_infer_input_constant(c, 3);
  int64_t dims[2] = {rows, size && size->count == 1 ? sli_tensor_int_at(size, 0) : -1};
  if (size && dims[1] < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "size (%lld) must be non-negative", (long long)dims[1]);
  sli_infer_set_output(c, 0, is_vector ? sli_infer_make(c, 1, dims + 1) : sli_infer_make(c, 2, dims));
  return NULL;
}

static sli_status_t *sparse_bincount_shape(sli_infer_context_t *c) {
  const sli_tensor_t *shape = sli_infer_input_constant(c, 2);
  if (!shape) return sli_infer_fn_unknown(c);
  return bincount_shape(c, shape->count == 2 ? SLI_DATA(int64_t, shape)[0] : -1, shape->count == 1);
}

static sli_status_t *ragged_bincount_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, sli_infer_input(c, 2), 0, &unused));
  return sli_infer_fn_unknown(c);
}

// --- Sparse counts -------------------------------------------------------------------------------

typedef struct {
  int64_t row, value, at;  // |at|: which value it is
} counted_t;

typedef struct {
  sli_kernel_context_t *context;
  const sli_tensor_t *values, *weights;
  int64_t rows;  // -1: the output has no rows
  SLI_ARRAY(counted_t) counted;
  int64_t minimum, maximum, largest;
  bool is_binary;
} counter_t;

static sli_status_t *open_counter(sli_kernel_context_t *context, const sli_tensor_t *values, counter_t *counter) {
  *counter = (counter_t){.context = context,
                         .values = values,
                         .weights = sli_kernel_input(context, context->input_count - 1),
                         .rows = -1,
                         .largest = -1};
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "minlength", &counter->minimum));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "maxlength", &counter->maximum));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "binary_output", &counter->is_binary));
  return check_weights(values, counter->weights);
}

static sli_status_t *add_counted(counter_t *counter, int64_t row, int64_t at) {
  int64_t value = sli_tensor_int_at(counter->values, at);
  if (value < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Input values must all be non-negative");
  if (counter->maximum >= 0 && value >= counter->maximum) return NULL;
  if (value > counter->largest) counter->largest = value;
  sli_array_push(&counter->counted, (counted_t){row, value, at});
  return NULL;
}

static int compare_counted(const void *a, const void *b) {
  const counted_t *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static sli_status_t *write_counts(counter_t *counter) {
  sli_kernel_context_t *context = counter->context;
  size_t count = counter->counted.count;
  counted_t *items = counter->counted.items;
  if (count) qsort(items, count, sizeof(*items), compare_counted);
  int64_t distinct = 0, at = -1;
  for (size_t i = 0; i < count; i++)
    distinct += i == 0 || items[i].row != items[i - 1].row || items[i].value != items[i - 1].value;
  bool has_rows = counter->rows >= 0;
  int width = has_rows ? 2 : 1;
  sli_tensor_t *indices, *counts, *shape;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(distinct, width), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(distinct), &counts));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(width), &shape));
  sli_elements_clear((sli_dtype_t)counts->dtype, counts->data, counts->count);
  for (size_t i = 0; i < count; i++) {
    at += i == 0 || items[i].row != items[i - 1].row || items[i].value != items[i - 1].value;
    if (has_rows) SLI_DATA(int64_t, indices)[2 * at] = items[i].row;
    SLI_DATA(int64_t, indices)[width * at + width - 1] = items[i].value;
    count_one(counts, at, counter->weights, items[i].at, counter->is_binary);
  }
  int64_t size = counter->largest + 1 > counter->minimum ? counter->largest + 1 : counter->minimum;
  if (counter->maximum >= 0) size = counter->maximum;
  if (has_rows) SLI_DATA(int64_t, shape)[0] = counter->rows;
  SLI_DATA(int64_t, shape)[width - 1] = size;
  return NULL;
}

static sli_status_t *dense_count_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *values = sli_kernel_input(context, 0);
  counter_t counter;
  if (values->rank < 1 || values->rank > 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input must be a 1 or 2-dimensional tensor. Got: %s",
                           sli_tensor_shape_text(values).text);
  SLI_RETURN_IF_ERROR(open_counter(context, values, &counter));
  if (values->rank == 2) counter.rows = values->dims[0];
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < values->count && !status; i++)
    status = add_counted(&counter, values->rank == 2 ? i / values->dims[1] : 0, i);
  if (!status) status = write_counts(&counter);
  sli_array_deinitialize(&counter.counted);
  return status;
}

static sli_status_t *check_sparse_count(const sli_tensor_t *indices, const sli_tensor_t *values,
                                        const sli_tensor_t *shape) {
  if (indices->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input indices must be a 2-dimensional tensor. Got: %s",
                           sli_tensor_shape_text(indices).text);
  if (values->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input values must be a vector. Got: %s",
                           sli_tensor_shape_text(values).text);
  if (shape->rank != 1 || shape->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input dense_shape must be a vector with elements. Got: %s",
                           sli_tensor_shape_text(shape).text);
  if (values->count != indices->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of values must match first dimension of indices. Got %lld and %lld",
                           (long long)values->count, (long long)indices->dims[0]);
  if (shape->count != indices->dims[1])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of dimensions must match second dimension of indices. Got %lld and %lld",
                           (long long)shape->count, (long long)indices->dims[1]);
  return NULL;
}

static sli_status_t *sparse_count_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *indices = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1);
  const sli_tensor_t *shape = sli_kernel_input(context, 2);
  counter_t counter;
  SLI_RETURN_IF_ERROR(check_sparse_count(indices, values, shape));
  SLI_RETURN_IF_ERROR(open_counter(context, values, &counter));
  int64_t rank = shape->count;
  if (rank > 1) counter.rows = SLI_DATA(int64_t, shape)[0];
  sli_status_t *status = NULL;
  if (rank > 1 && counter.rows < 0)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "dense_shape[0] must not be negative");
  for (int64_t i = 0; i < values->count && !status; i++) {
    int64_t row = rank > 1 ? SLI_DATA(int64_t, indices)[i * rank] : 0;
    if (rank > 1 && (row < 0 || row >= counter.rows))
      status = sli_status_make(SLI_INVALID_ARGUMENT,
                               "Indices value along the first dimension must be lower than the "
                               "first index of the shape. Got %lld as batch and %lld as the first "
                               "dimension of the shape.",
                               (long long)row, (long long)counter.rows);
    if (!status) status = add_counted(&counter, row, i);
  }
  if (!status) status = write_counts(&counter);
  sli_array_deinitialize(&counter.counted);
  return status;
}

static sli_status_t *ragged_count_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *splits = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1);
  counter_t counter;
  if (values->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input values must be a vector. Got: %s",
                           sli_tensor_shape_text(values).text);
  SLI_RETURN_IF_ERROR(check_count_splits(splits, values->count));
  SLI_RETURN_IF_ERROR(open_counter(context, values, &counter));
  counter.rows = splits->count - 1;
  sli_status_t *status = NULL;
  for (int64_t row = 0; row < counter.rows && !status; row++)
    for (int64_t i = SLI_DATA(int64_t, splits)[row]; i < SLI_DATA(int64_t, splits)[row + 1] && !status; i++)
      status = add_counted(&counter, row, i);
  if (!status) status = write_counts(&counter);
  sli_array_deinitialize(&counter.counted);
  return status;
}

static sli_status_t *count_shape(sli_infer_context_t *c, int64_t rank) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, rank}));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 2, sli_infer_make(c, 1, &rank));
  return NULL;
}

static sli_status_t *dense_count_shape(sli_infer_context_t *c) {
  sli_shape_t values;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &values));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, values, 2, &values));
  return count_shape(c, values.rank);
}

static sli_status_t *sparse_count_shape(sli_infer_context_t *c) {
  return count_shape(c, sli_infer_dim(sli_infer_input(c, 2), 0));
}

static sli_status_t *ragged_count_shape(sli_infer_context_t *c) { return count_shape(c, 2); }

#define BINCOUNT_ATTRS "Tidx: {int32, int64}; T: {int32, int64, float, double}; binary_output: bool = false"
#define COUNT_ATTRS                                                                                             \
  "T: {int32, int64}; minlength: int >= -1 = -1; maxlength: int >= -1 = -1; binary_output: bool; output_type: " \
  "{int32, int64, float, double}"
#define COUNT_OUTPUTS "output_indices: int64, output_values: output_type, output_dense_shape: int64"

static const sli_op_def_t ops[] = {
    {.name = "SparseBincount",
     .inputs = "indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T",
     .outputs = "output: T",
     .attrs = BINCOUNT_ATTRS,
     .summary = "Histograms of the rows of a sparse tensor.",
     .shape = sparse_bincount_shape},
    {.name = "RaggedBincount",
     .inputs = "splits: int64, values: Tidx, size: Tidx, weights: T",
     .outputs = "output: T",
     .attrs = BINCOUNT_ATTRS,
     .summary = "Histograms of the rows of a ragged tensor.",
     .shape = ragged_bincount_shape},
    {.name = "DenseCountSparseOutput",
     .inputs = "values: T, weights: output_type",
     .outputs = COUNT_OUTPUTS,
     .attrs = COUNT_ATTRS,
     .summary = "Counts the values of each row of a dense tensor.",
     .shape = dense_count_shape},
    {.name = "SparseCountSparseOutput",
     .inputs = "indices: int64, values: T, dense_shape: int64, weights: output_type",
     .outputs = COUNT_OUTPUTS,
     .attrs = COUNT_ATTRS,
     .summary = "Counts the values of each row of a sparse tensor.",
     .shape = sparse_count_shape},
    {.name = "RaggedCountSparseOutput",
     .inputs = "splits: int64, values: T, weights: output_type",
     .outputs = COUNT_OUTPUTS,
     .attrs = COUNT_ATTRS,
     .summary = "Counts the values of each row of a ragged tensor.",
     .shape = ragged_count_shape},
};

#define NUMBERS (SLI_TYPES_INDEX | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
#define BINS .types = NUMBERS, .where = {{"Tidx", SLI_TYPES_INDEX}}
#define COUNTS .types = SLI_TYPES_INDEX, .where = {{"output_type", NUMBERS}}

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseBincount", BINS, .compute = sparse_bincount_compute},
    {.op = "RaggedBincount", BINS, .compute = ragged_bincount_compute},
    {.op = "DenseCountSparseOutput", COUNTS, .compute = dense_count_compute},
    {.op = "SparseCountSparseOutput", COUNTS, .compute = sparse_count_compute},
    {.op = "RaggedCountSparseOutput", COUNTS, .compute = ragged_count_compute},
};
SLI_OP_MODULE(sparse_count);
