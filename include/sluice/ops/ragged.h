// Ops: ragged tensors.
// Generated from src/ops/ragged by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_RAGGED_H_
#define SLUICE_OPS_RAGGED_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// RaggedCross(ragged_values: ragged_values_types, ragged_row_splits: ragged_splits_types, sparse_indices: Nsparse *
//   int64, sparse_values: sparse_values_types, sparse_shape: Nsparse * int64, dense_inputs: dense_types) ->
//   output_values: out_values_type, output_row_splits: out_row_splits_type
// Crosses features of ragged, sparse and dense tensors.
// Nsparse: int >= 0; input_order: string; hashed_output: bool; num_buckets: int >= 0; hash_key: int;
//   ragged_values_types: list({int64, string}) >= 0; ragged_splits_types: list({int32, int64}) >= 0;
//   sparse_values_types: list({int64, string}) >= 0; dense_types: list({int64, string}) >= 0; out_values_type:
//   {int64, string}; out_row_splits_type: {int32, int64}
// No gradient.
typedef struct {
  TF_Output output_values;
  TF_Output output_row_splits;
} sl_op_ragged_cross_t;
static inline sl_op_ragged_cross_t sl_op_ragged_cross_with(sl_scope_t *scope, const TF_Output *ragged_values,
    size_t ragged_values_count, const TF_Output *ragged_row_splits, size_t ragged_row_splits_count,
    const TF_Output *sparse_indices, size_t sparse_indices_count, const TF_Output *sparse_values,
    size_t sparse_values_count, const TF_Output *sparse_shape, size_t sparse_shape_count,
    const TF_Output *dense_inputs, size_t dense_inputs_count, const char *input_order, bool hashed_output,
    int64_t num_buckets, int64_t hash_key, TF_DataType out_values_type, TF_DataType out_row_splits_type,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedCross", options->name);
  sl_node_input_list(node, ragged_values, ragged_values_count);
  sl_node_input_list(node, ragged_row_splits, ragged_row_splits_count);
  sl_node_input_list(node, sparse_indices, sparse_indices_count);
  sl_node_input_list(node, sparse_values, sparse_values_count);
  sl_node_input_list(node, sparse_shape, sparse_shape_count);
  sl_node_input_list(node, dense_inputs, dense_inputs_count);
  sl_node_attr_text(node, "input_order", input_order);
  sl_node_attr_bool(node, "hashed_output", hashed_output);
  sl_node_attr_int(node, "num_buckets", num_buckets);
  sl_node_attr_int(node, "hash_key", hash_key);
  sl_node_attr_type(node, "out_values_type", out_values_type);
  sl_node_attr_type(node, "out_row_splits_type", out_row_splits_type);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ragged_cross_t result;
  result.output_values = sl_op_output(operation, 0);
  result.output_row_splits = sl_op_output(operation, 1);
  return result;
}
#define sl_op_ragged_cross(scope, ragged_values, ragged_values_count, ragged_row_splits, ragged_row_splits_count, \
    sparse_indices, sparse_indices_count, sparse_values, sparse_values_count, sparse_shape, sparse_shape_count, \
    dense_inputs, dense_inputs_count, input_order, hashed_output, num_buckets, hash_key, out_values_type, \
    out_row_splits_type, ...) \
  sl_op_ragged_cross_with(SL_AT(scope), (ragged_values), (ragged_values_count), (ragged_row_splits), ( \
    ragged_row_splits_count), (sparse_indices), (sparse_indices_count), (sparse_values), (sparse_values_count), ( \
    sparse_shape), (sparse_shape_count), (dense_inputs), (dense_inputs_count), (input_order), (hashed_output), ( \
    num_buckets), (hash_key), (out_values_type), (out_row_splits_type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RaggedFillEmptyRows(value_rowids: int64, values: T, nrows: int64, default_value: T) -> output_value_rowids: int64,
//   output_values: T, empty_row_indicator: bool, reverse_index_map: int64
// Gives rows without values one value.
// T: type
// Differentiable.
typedef struct {
  TF_Output output_value_rowids;
  TF_Output output_values;
  TF_Output empty_row_indicator;
  TF_Output reverse_index_map;
} sl_op_ragged_fill_empty_rows_t;
static inline sl_op_ragged_fill_empty_rows_t sl_op_ragged_fill_empty_rows_with(sl_scope_t *scope,
    TF_Output value_rowids, TF_Output values, TF_Output nrows, TF_Output default_value,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedFillEmptyRows", options->name);
  sl_node_input(node, value_rowids);
  sl_node_input(node, values);
  sl_node_input(node, nrows);
  sl_node_input(node, default_value);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ragged_fill_empty_rows_t result;
  result.output_value_rowids = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.empty_row_indicator = sl_op_output(operation, 2);
  result.reverse_index_map = sl_op_output(operation, 3);
  return result;
}
#define sl_op_ragged_fill_empty_rows(scope, value_rowids, values, nrows, default_value, ...) \
  sl_op_ragged_fill_empty_rows_with(SL_AT(scope), (value_rowids), (values), (nrows), (default_value), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// RaggedFillEmptyRowsGrad(reverse_index_map: int64, grad_values: T) -> d_values: T, d_default_value: T
// The gradient of RaggedFillEmptyRows.
// T: type
// No gradient.
typedef struct {
  TF_Output d_values;
  TF_Output d_default_value;
} sl_op_ragged_fill_empty_rows_grad_t;
static inline sl_op_ragged_fill_empty_rows_grad_t sl_op_ragged_fill_empty_rows_grad_with(sl_scope_t *scope,
    TF_Output reverse_index_map, TF_Output grad_values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedFillEmptyRowsGrad", options->name);
  sl_node_input(node, reverse_index_map);
  sl_node_input(node, grad_values);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ragged_fill_empty_rows_grad_t result;
  result.d_values = sl_op_output(operation, 0);
  result.d_default_value = sl_op_output(operation, 1);
  return result;
}
#define sl_op_ragged_fill_empty_rows_grad(scope, reverse_index_map, grad_values, ...) \
  sl_op_ragged_fill_empty_rows_grad_with(SL_AT(scope), (reverse_index_map), (grad_values), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// RaggedGather(params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, indices: Tindices)
//   -> output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues
// Gathers rows of a ragged tensor.
// Tvalues: type; Tindices: {int32, int64}; Tsplits: {int32, int64} = DT_INT64; PARAMS_RAGGED_RANK: int >= 1;
//   OUTPUT_RAGGED_RANK: int >= 0
// Differentiable.
typedef struct {
  sl_op_list_t output_nested_splits;
  TF_Output output_dense_values;
} sl_op_ragged_gather_t;
static inline sl_op_ragged_gather_t sl_op_ragged_gather_with(sl_scope_t *scope,
    const TF_Output *params_nested_splits, size_t params_nested_splits_count, TF_Output params_dense_values,
    TF_Output indices, int64_t OUTPUT_RAGGED_RANK, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedGather", options->name);
  sl_node_input_list(node, params_nested_splits, params_nested_splits_count);
  sl_node_input(node, params_dense_values);
  sl_node_input(node, indices);
  sl_node_attr_int(node, "OUTPUT_RAGGED_RANK", OUTPUT_RAGGED_RANK);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ragged_gather_t result;
  int next = 0;
  result.output_nested_splits = sl_op_list(operation, "output_nested_splits", next);
  next += result.output_nested_splits.count;
  result.output_dense_values = sl_op_output(operation, next++);
  return result;
}
#define sl_op_ragged_gather(scope, params_nested_splits, params_nested_splits_count, params_dense_values, indices, \
    OUTPUT_RAGGED_RANK, ...) \
  sl_op_ragged_gather_with(SL_AT(scope), (params_nested_splits), (params_nested_splits_count), (params_dense_values), \
    (indices), (OUTPUT_RAGGED_RANK), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RaggedRange(starts: T, limits: T, deltas: T) -> rt_nested_splits: Tsplits, rt_dense_values: T
// A ragged tensor of sequences of numbers.
// T: {bfloat16, float, double, int32, int64} = DT_INT32; Tsplits: {int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tsplits;
} sl_op_ragged_range_options_t;
typedef struct {
  TF_Output rt_nested_splits;
  TF_Output rt_dense_values;
} sl_op_ragged_range_t;
static inline sl_op_ragged_range_t sl_op_ragged_range_with(sl_scope_t *scope, TF_Output starts, TF_Output limits,
    TF_Output deltas, const sl_op_ragged_range_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedRange", options->name);
  sl_node_input(node, starts);
  sl_node_input(node, limits);
  sl_node_input(node, deltas);
  if (options->Tsplits) sl_node_attr_type(node, "Tsplits", options->Tsplits);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ragged_range_t result;
  result.rt_nested_splits = sl_op_output(operation, 0);
  result.rt_dense_values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_ragged_range(scope, starts, limits, deltas, ...) \
  sl_op_ragged_range_with(SL_AT(scope), (starts), (limits), (deltas), SL_OPTIONS(sl_op_ragged_range_options_t, \
    __VA_ARGS__))

// RaggedTensorFromVariant(encoded_ragged: variant) -> output_nested_splits: output_ragged_rank * Tsplits,
//   output_dense_values: Tvalues
// Stacks ragged tensors that are variants.
// input_ragged_rank: int >= -1; output_ragged_rank: int >= 0; Tvalues: type; Tsplits: {int32, int64} = DT_INT64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tsplits;
} sl_op_ragged_tensor_from_variant_options_t;
typedef struct {
  sl_op_list_t output_nested_splits;
  TF_Output output_dense_values;
} sl_op_ragged_tensor_from_variant_t;
static inline sl_op_ragged_tensor_from_variant_t sl_op_ragged_tensor_from_variant_with(sl_scope_t *scope,
    TF_Output encoded_ragged, int64_t input_ragged_rank, int64_t output_ragged_rank, TF_DataType Tvalues,
    const sl_op_ragged_tensor_from_variant_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedTensorFromVariant", options->name);
  sl_node_input(node, encoded_ragged);
  sl_node_attr_int(node, "input_ragged_rank", input_ragged_rank);
  sl_node_attr_int(node, "output_ragged_rank", output_ragged_rank);
  sl_node_attr_type(node, "Tvalues", Tvalues);
  if (options->Tsplits) sl_node_attr_type(node, "Tsplits", options->Tsplits);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ragged_tensor_from_variant_t result;
  int next = 0;
  result.output_nested_splits = sl_op_list(operation, "output_nested_splits", next);
  next += result.output_nested_splits.count;
  result.output_dense_values = sl_op_output(operation, next++);
  return result;
}
#define sl_op_ragged_tensor_from_variant(scope, encoded_ragged, input_ragged_rank, output_ragged_rank, Tvalues, \
    ...) \
  sl_op_ragged_tensor_from_variant_with(SL_AT(scope), (encoded_ragged), (input_ragged_rank), (output_ragged_rank), ( \
    Tvalues), SL_OPTIONS(sl_op_ragged_tensor_from_variant_options_t, __VA_ARGS__))

// RaggedTensorToSparse(rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T) -> sparse_indices: int64,
//   sparse_values: T, sparse_dense_shape: int64
// Converts a ragged tensor to a sparse one.
// RAGGED_RANK: int >= 1; T: type; Tsplits: {int32, int64} = DT_INT64
// Differentiable.
typedef struct {
  TF_Output sparse_indices;
  TF_Output sparse_values;
  TF_Output sparse_dense_shape;
} sl_op_ragged_tensor_to_sparse_t;
static inline sl_op_ragged_tensor_to_sparse_t sl_op_ragged_tensor_to_sparse_with(sl_scope_t *scope,
    const TF_Output *rt_nested_splits, size_t rt_nested_splits_count, TF_Output rt_dense_values,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedTensorToSparse", options->name);
  sl_node_input_list(node, rt_nested_splits, rt_nested_splits_count);
  sl_node_input(node, rt_dense_values);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ragged_tensor_to_sparse_t result;
  result.sparse_indices = sl_op_output(operation, 0);
  result.sparse_values = sl_op_output(operation, 1);
  result.sparse_dense_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_ragged_tensor_to_sparse(scope, rt_nested_splits, rt_nested_splits_count, rt_dense_values, ...) \
  sl_op_ragged_tensor_to_sparse_with(SL_AT(scope), (rt_nested_splits), (rt_nested_splits_count), (rt_dense_values), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RaggedTensorToTensor(shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors *
//   Tindex) -> result: T
// Converts a ragged tensor to a dense one, padded or cut.
// T: type; Tindex: {int64, int32}; Tshape: {int64, int32}; num_row_partition_tensors: int >= 1; row_partition_types:
//   list(string)
// Differentiable.
static inline TF_Output sl_op_ragged_tensor_to_tensor_with(sl_scope_t *scope, TF_Output shape, TF_Output values,
    TF_Output default_value, const TF_Output *row_partition_tensors, size_t row_partition_tensors_count,
    sl_op_texts_t row_partition_types, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedTensorToTensor", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, values);
  sl_node_input(node, default_value);
  sl_node_input_list(node, row_partition_tensors, row_partition_tensors_count);
  sl_node_attr_text_list(node, "row_partition_types", row_partition_types.values, row_partition_types.count);
  return sl_node_output(node);
}
#define sl_op_ragged_tensor_to_tensor(scope, shape, values, default_value, row_partition_tensors, \
    row_partition_tensors_count, row_partition_types, ...) \
  sl_op_ragged_tensor_to_tensor_with(SL_AT(scope), (shape), (values), (default_value), (row_partition_tensors), ( \
    row_partition_tensors_count), (row_partition_types), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RaggedTensorToVariant(rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues) -> encoded_ragged: variant
// A ragged tensor, or each of its rows, as a variant.
// RAGGED_RANK: int >= 0; Tvalues: type; Tsplits: {int32, int64} = DT_INT64; batched_input: bool
// Differentiable.
static inline TF_Output sl_op_ragged_tensor_to_variant_with(sl_scope_t *scope, const TF_Output *rt_nested_splits,
    size_t rt_nested_splits_count, TF_Output rt_dense_values, bool batched_input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedTensorToVariant", options->name);
  sl_node_input_list(node, rt_nested_splits, rt_nested_splits_count);
  sl_node_input(node, rt_dense_values);
  sl_node_attr_bool(node, "batched_input", batched_input);
  return sl_node_output(node);
}
#define sl_op_ragged_tensor_to_variant(scope, rt_nested_splits, rt_nested_splits_count, rt_dense_values, \
    batched_input, ...) \
  sl_op_ragged_tensor_to_variant_with(SL_AT(scope), (rt_nested_splits), (rt_nested_splits_count), (rt_dense_values), ( \
    batched_input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RaggedTensorToVariantGradient(encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32) ->
//   dense_values_grad: Tvalues
// The gradient of RaggedTensorToVariant.
// Tvalues: type; Tsplits: {int32, int64} = DT_INT64
// No gradient.
static inline TF_Output sl_op_ragged_tensor_to_variant_gradient_with(sl_scope_t *scope,
    TF_Output encoded_ragged_grad, TF_Output row_splits, TF_Output dense_values_shape, TF_DataType Tvalues,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedTensorToVariantGradient", options->name);
  sl_node_input(node, encoded_ragged_grad);
  sl_node_input(node, row_splits);
  sl_node_input(node, dense_values_shape);
  sl_node_attr_type(node, "Tvalues", Tvalues);
  return sl_node_output(node);
}
#define sl_op_ragged_tensor_to_variant_gradient(scope, encoded_ragged_grad, row_splits, dense_values_shape, \
    Tvalues, ...) \
  sl_op_ragged_tensor_to_variant_gradient_with(SL_AT(scope), (encoded_ragged_grad), (row_splits), ( \
    dense_values_shape), (Tvalues), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_RAGGED_H_
