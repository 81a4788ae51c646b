// RaggedFillEmptyRows and its gradient, RaggedCross.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/op_registry.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"
#include "ops/ragged/ragged.h"
#include "ops/sparse/feature_cross.h"
#include "ops/sparse/sparse.h"

// --- RaggedFillEmptyRows -------------------------------------------------------------------------

static sli_status_t *fill_empty_rows(sli_kernel_context_t *context, int64_t rows, int64_t *next) {
  const sli_tensor_t *ids = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1);
  sli_tensor_t *out_ids, *out_values, *is_empty, *reverse;
  for (int64_t i = 0; i < ids->count; i++) {
    int64_t row = SLI_DATA(int64_t, ids)[i];
    if (row < 0 || row >= rows)
      return sli_status_make(SLI_INVALID_ARGUMENT, "value_rowids[%lld] is invalid: %lld is not in [0, %lld)",
                             (long long)i, (long long)row, (long long)rows);
    next[row]++;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(rows), &is_empty));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 3, SLI_SHAPE(ids->count), &reverse));
  int64_t total = 0;
  for (int64_t row = 0; row < rows; row++) {
    int64_t own = next[row];
    SLI_DATA(bool, is_empty)[row] = own == 0;
    next[row] = total;
    total += own ? own : 1;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(total), &out_ids));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(total), &out_values));
  sli_dtype_t dtype = (sli_dtype_t)values->dtype;
  for (int64_t row = 0; row < rows; row++) {
    if (!SLI_DATA(bool, is_empty)[row]) continue;
    SLI_DATA(int64_t, out_ids)[next[row]] = row;
    sli_elements_copy(dtype, sli_tensor_at(out_values, next[row]), sli_kernel_input(context, 3)->data, 1);
  }
  for (int64_t i = 0; i < ids->count; i++) {
    int64_t row = SLI_DATA(int64_t, ids)[i], at = next[row]++;
    SLI_DATA(int64_t, out_ids)[at] = row;
    sli_elements_copy(dtype, sli_tensor_at(out_values, at), sli_tensor_at(values, i), 1);
    SLI_DATA(int64_t, reverse)[i] = at;
  }
  return NULL;
}

static sli_status_t *fill_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *ids = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1);
  int64_t rows;
  SLI_RETURN_IF_ERROR(sli_kernel_require_vector(context, 0, "value_rowids"));
  SLI_RETURN_IF_ERROR(sli_kernel_require_vector(context, 1, "values"));
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 2, "nrows", &rows));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 3, "default_value"));
  if (ids->count != values->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "value_rowids and values must have the same size, got %lld and %lld",
                           (long long)ids->count, (long long)values->count);
  if (rows < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "nrows must not be negative: %lld", (long long)rows);
  if (rows == 0 && ids->count > 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Received RaggedTensor with nrows = 0 but %lld values",
                           (long long)ids->count);
  int64_t *next = NULL;
  if (rows < INT64_MAX / 16) next = sli_malloc_or_null((size_t)(rows + 1) * sizeof(*next));
  if (!next) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for %lld rows", (long long)rows);
  memset(next, 0, (size_t)(rows + 1) * sizeof(*next));
  sli_status_t *status = fill_empty_rows(context, rows, next);
  free(next);
  return status;
}

static sli_status_t *fill_shape(sli_infer_context_t *c) {
  sli_shape_t ids, values, unused;
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &ids));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &values));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(ids, 0), sli_infer_dim(values, 0), &count));
  sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 2, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 3, sli_infer_make(c, 1, &count));
  return NULL;
}

static sli_status_t *fill_gradient(sli_gradient_builder_t *b) {
  sli_output_t parts = sli_emit2(b, "RaggedFillEmptyRowsGrad", sli_gradient_output(b, 3), sli_gradient_of_output(b, 1));
  sli_gradient_set(b, 1, parts);
  sli_gradient_set(b, 3, sli_output_at(parts, 1));
  return NULL;
}

// --- RaggedCross ---------------------------------------------------------------------------------

typedef struct {
  int ragged_values, ragged_splits, sparse_indices, sparse_values, sparse_shape, dense;  // first inputs
  int ragged_count, sparse_count, dense_count;
} cross_inputs_t;

static sli_status_t *find_inputs(const sli_node_def_t *node, cross_inputs_t *out) {
  int unused;
  SLI_RETURN_IF_ERROR(sli_node_input_range(node, "ragged_values", &out->ragged_values, &out->ragged_count));
  SLI_RETURN_IF_ERROR(sli_node_input_range(node, "ragged_row_splits", &out->ragged_splits, &unused));
  if (unused != out->ragged_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "ragged values and splits must have the same length");
  SLI_RETURN_IF_ERROR(sli_node_input_range(node, "sparse_indices", &out->sparse_indices, &out->sparse_count));
  SLI_RETURN_IF_ERROR(sli_node_input_range(node, "sparse_values", &out->sparse_values, &unused));
  if (unused != out->sparse_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "sparse indices and values must have the same length");
  SLI_RETURN_IF_ERROR(sli_node_input_range(node, "sparse_shape", &out->sparse_shape, &unused));
  return sli_node_input_range(node, "dense_inputs", &out->dense, &out->dense_count);
}

static sli_status_t *check_cross_splits(const sli_tensor_t *splits, int64_t count) {
  const char *rule = NULL;
  if (splits->rank != 1 || splits->count == 0)
    rule = "be non-empty";
  else if (sli_tensor_int_at(splits, 0) != 0)
    rule = "start from 0";
  for (int64_t i = 1; !rule && i < splits->count; i++)
    if (sli_tensor_int_at(splits, i) < sli_tensor_int_at(splits, i - 1)) rule = "be sorted in ascending order";
  if (!rule && sli_tensor_int_at(splits, splits->count - 1) != count) rule = "end with the number of values";
  return rule ? sli_status_make(SLI_INVALID_ARGUMENT, "Invalid RaggedTensor: Ragged splits must %s.", rule) : NULL;
}

static sli_status_t *column_rows(sli_kernel_context_t *context, const cross_inputs_t *in, char kind, int i,
                                 int64_t *out_rows) {
  if (kind == 'R') {
    const sli_tensor_t *splits = sli_kernel_input(context, in->ragged_splits + i);
    const sli_tensor_t *values = sli_kernel_input(context, in->ragged_values + i);
    if (values->rank != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "tf.ragged.cross only supports inputs with rank=2.");
    SLI_RETURN_IF_ERROR(check_cross_splits(splits, values->count));
    *out_rows = splits->count - 1;
  } else if (kind == 'S') {
    const sli_tensor_t *indices = sli_kernel_input(context, in->sparse_indices + i);
    const sli_tensor_t *values = sli_kernel_input(context, in->sparse_values + i);
    const sli_tensor_t *shape = sli_kernel_input(context, in->sparse_shape + i);
    if (indices->rank != 2 || indices->dims[1] != 2 || values->rank != 1 || values->count != indices->dims[0] ||
        shape->count != 2)
      return sli_status_make(SLI_INVALID_ARGUMENT, "tf.ragged.cross only supports inputs with rank=2.");
    *out_rows = SLI_DATA(int64_t, shape)[0];
  } else {
    const sli_tensor_t *dense = sli_kernel_input(context, in->dense + i);
    if (dense->rank != 2)
      return sli_status_make(SLI_INVALID_ARGUMENT, "tf.ragged.cross only supports inputs with rank=2.");
    *out_rows = dense->dims[0];
  }
  return NULL;
}

static sli_status_t *set_column(sli_kernel_context_t *context, const cross_inputs_t *in, char kind, int i, int column,
                                sli_cross_t *cross) {
  if (kind == 'S')
    return sli_cross_set_sparse(cross, column, sli_kernel_input(context, in->sparse_indices + i),
                                sli_kernel_input(context, in->sparse_values + i));
  if (kind == 'D') {
    sli_cross_set_dense(cross, column, sli_kernel_input(context, in->dense + i));
    return NULL;
  }
  const sli_tensor_t *splits = sli_kernel_input(context, in->ragged_splits + i);
  cross->columns[column].values = sli_kernel_input(context, in->ragged_values + i);
  for (int64_t r = 0; r < splits->count; r++) cross->columns[column].starts[r] = sli_tensor_int_at(splits, r);
  return NULL;
}

// Calls column_rows or, if |cross| is not NULL, set_column for each letter of |order|.
static sli_status_t *walk_columns(sli_kernel_context_t *context, const cross_inputs_t *in, sli_view_t order,
                                  sli_cross_t *cross, int64_t *out_rows) {
  int next[3] = {0};
  const int counts[3] = {in->ragged_count, in->sparse_count, in->dense_count};
  int64_t rows = 0;
  *out_rows = -1;
  for (size_t k = 0; k < order.size; k++) {
    int kind = order.data[k] == 'R' ? 0 : order.data[k] == 'S' ? 1 : order.data[k] == 'D' ? 2 : -1;
    if (kind < 0 || next[kind] >= counts[kind])
      return sli_status_make(SLI_INVALID_ARGUMENT, "input_order=%.*s does not match the inputs", SLI_VIEW_ARG(order));
    int i = next[kind]++;
    if (cross) {
      SLI_RETURN_IF_ERROR(set_column(context, in, order.data[k], i, (int)k, cross));
      continue;
    }
    SLI_RETURN_IF_ERROR(column_rows(context, in, order.data[k], i, &rows));
    if (*out_rows >= 0 && rows != *out_rows)
      return sli_status_make(SLI_INVALID_ARGUMENT, "inputs must all have the same batch dimension size.");
    *out_rows = rows;
  }
  if (next[0] == counts[0] && next[1] == counts[1] && next[2] == counts[2]) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "input_order=%.*s does not match the inputs", SLI_VIEW_ARG(order));
}

static sli_status_t *write_crosses(sli_kernel_context_t *context, const sli_cross_t *cross) {
  sli_tensor_t *values, *splits;
  int64_t total = 0, count;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(cross->rows + 1), &splits));
  sli_tensor_set_int(splits, 0, 0);
  for (int64_t r = 0; r < cross->rows; r++) {
    SLI_RETURN_IF_ERROR(sli_cross_count(cross, r, &count));
    if (__builtin_add_overflow(total, count, &total) || (splits->dtype == SLI_DTYPE_INT32 && total > INT32_MAX))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Row splits overflow: there are too many crosses");
    sli_tensor_set_int(splits, r + 1, total);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(total), &values));
  for (int64_t r = 0; r < cross->rows; r++) {
    int64_t begin = sli_tensor_int_at(splits, r);
    sli_cross_fill(cross, r, sli_tensor_int_at(splits, r + 1) - begin, values, begin);
  }
  return NULL;
}

static sli_status_t *cross_compute(sli_kernel_context_t *context) {
  cross_inputs_t in;
  sli_view_t order;
  bool is_hashed;
  int64_t rows, key, buckets;
  sli_cross_t cross;
  SLI_RETURN_IF_ERROR(find_inputs(context->node, &in));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "input_order", &order));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "hashed_output", &is_hashed));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "hash_key", &key));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "num_buckets", &buckets));
  if (is_hashed != (context->node->output_types[0] == SLI_DTYPE_INT64))
    return sli_status_make(SLI_INVALID_ARGUMENT, "hashed_output and out_values_type do not fit each other");
  SLI_RETURN_IF_ERROR(walk_columns(context, &in, order, NULL, &rows));
  if (rows < 0) rows = 0;  // no inputs
  SLI_RETURN_IF_ERROR(sli_cross_initialize(&cross, (int)order.size, rows));
  cross.kind = is_hashed ? SLI_CROSS_HASH : SLI_CROSS_JOIN;
  cross.separator = sli_view("_X_");
  cross.key = (uint64_t)key;
  cross.buckets = buckets;
  sli_status_t *status = walk_columns(context, &in, order, &cross, &rows);
  if (!status) status = write_crosses(context, &cross);
  sli_cross_deinitialize(&cross);
  return status;
}

static int64_t first_dim(sli_infer_context_t *c, int input) {
  sli_shape_t shape = sli_infer_input(c, input);
  return shape.rank == 1 ? shape.dims[0] : -1;
}

static sli_status_t *cross_shape(sli_infer_context_t *c) {
  cross_inputs_t in;
  int64_t splits = -1;
  SLI_RETURN_IF_ERROR(find_inputs(c->node, &in));
  for (int i = 0; i < in.ragged_count; i++)
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(splits, first_dim(c, in.ragged_splits + i), &splits));
  for (int i = 0; i < in.dense_count; i++) {
    sli_shape_t dense;
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, in.dense + i, 2, &dense));
    int64_t rows = sli_infer_dim(dense, 0);
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(splits, rows < 0 ? -1 : rows + 1, &splits));
  }
  sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, &splits));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "RaggedFillEmptyRows",
     .inputs = "value_rowids: int64, values: T, nrows: int64, default_value: T",
     .outputs = "output_value_rowids: int64, output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
     .attrs = "T: type",
     .summary = "Gives rows without values one value.",
     .shape = fill_shape,
     .gradient = fill_gradient},
    {.name = "RaggedFillEmptyRowsGrad",
     .inputs = "reverse_index_map: int64, grad_values: T",
     .outputs = "d_values: T, d_default_value: T",
     .attrs = "T: type",
     .summary = "The gradient of RaggedFillEmptyRows.",
     .shape = sli_sparse_fill_grad_shape},
    {.name = "RaggedCross",
     .inputs = "ragged_values: ragged_values_types, ragged_row_splits: ragged_splits_types, sparse_indices: Nsparse * "
               "int64, sparse_values: sparse_values_types, sparse_shape: Nsparse * int64, dense_inputs: dense_types",
     .outputs = "output_values: out_values_type, output_row_splits: out_row_splits_type",
     .attrs = "Nsparse: int >= 0; input_order: string; hashed_output: bool; num_buckets: int >= 0; hash_key: int; "
              "ragged_values_types: list({int64, string}) >= 0; ragged_splits_types: list({int32, int64}) >= 0; "
              "sparse_values_types: list({int64, string}) >= 0; dense_types: list({int64, string}) >= 0; "
              "out_values_type: {int64, string}; out_row_splits_type: {int32, int64}",
     .summary = "Crosses features of ragged, sparse and dense tensors.",
     .shape = cross_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RaggedFillEmptyRows", .types = SLI_TYPES_COMMON, .compute = fill_compute},
    {.op = "RaggedFillEmptyRowsGrad", .types = SLI_TYPES_NUMBER, .compute = sli_sparse_fill_grad_compute},
    {.op = "RaggedCross", .where = {{"out_row_splits_type", SLI_TYPES_INDEX}}, .compute = cross_compute},
};
SLI_OP_MODULE(ragged_rows);
