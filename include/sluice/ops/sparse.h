// Ops: sparse tensors.
// Generated from src/ops/sparse by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_SPARSE_H_
#define SLUICE_OPS_SPARSE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// AddManySparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> sparse_handles: int64
// Stores each row of a sparse tensor in a map and returns the handles.
// T: type; container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_add_many_sparse_to_tensors_map_options_t;
static inline TF_Output sl_op_add_many_sparse_to_tensors_map_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output sparse_values, TF_Output sparse_shape, const sl_op_add_many_sparse_to_tensors_map_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AddManySparseToTensorsMap", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, sparse_values);
  sl_node_input(node, sparse_shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_add_many_sparse_to_tensors_map(scope, sparse_indices, sparse_values, sparse_shape, ...) \
  sl_op_add_many_sparse_to_tensors_map_with(SL_AT(scope), (sparse_indices), (sparse_values), (sparse_shape), \
    SL_OPTIONS(sl_op_add_many_sparse_to_tensors_map_options_t, __VA_ARGS__))

// AddSparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> sparse_handle: int64
// Stores a sparse tensor in a map and returns its handle.
// T: type; container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_add_sparse_to_tensors_map_options_t;
static inline TF_Output sl_op_add_sparse_to_tensors_map_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output sparse_values, TF_Output sparse_shape, const sl_op_add_sparse_to_tensors_map_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AddSparseToTensorsMap", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, sparse_values);
  sl_node_input(node, sparse_shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_add_sparse_to_tensors_map(scope, sparse_indices, sparse_values, sparse_shape, ...) \
  sl_op_add_sparse_to_tensors_map_with(SL_AT(scope), (sparse_indices), (sparse_values), (sparse_shape), SL_OPTIONS( \
    sl_op_add_sparse_to_tensors_map_options_t, __VA_ARGS__))

// DenseCountSparseOutput(values: T, weights: output_type) -> output_indices: int64, output_values: output_type,
//   output_dense_shape: int64
// Counts the values of each row of a dense tensor.
// T: {int32, int64}; minlength: int >= -1 = -1; maxlength: int >= -1 = -1; binary_output: bool; output_type: {int32,
//   int64, float, double}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t minlength;
  int64_t maxlength;
} sl_op_dense_count_sparse_output_options_t;
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_dense_shape;
} sl_op_dense_count_sparse_output_t;
static inline sl_op_dense_count_sparse_output_t sl_op_dense_count_sparse_output_with(sl_scope_t *scope,
    TF_Output values, TF_Output weights, bool binary_output,
    const sl_op_dense_count_sparse_output_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DenseCountSparseOutput", options->name);
  sl_node_input(node, values);
  sl_node_input(node, weights);
  sl_node_attr_int(node, "minlength", options->minlength);
  sl_node_attr_int(node, "maxlength", options->maxlength);
  sl_node_attr_bool(node, "binary_output", binary_output);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_dense_count_sparse_output_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_dense_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_dense_count_sparse_output(scope, values, weights, binary_output, ...) \
  SL_OVER_DEFAULTS(sl_op_dense_count_sparse_output_with(SL_AT(scope), (values), (weights), (binary_output), \
    SL_OPTIONS(sl_op_dense_count_sparse_output_options_t, .minlength = -1, .maxlength = -1, __VA_ARGS__)))

// DeserializeManySparse(serialized_sparse: string) -> sparse_indices: int64, sparse_values: dtype, sparse_shape:
//   int64
// Deserializes sparse tensors and stacks them.
// dtype: type
// No gradient.
typedef struct {
  TF_Output sparse_indices;
  TF_Output sparse_values;
  TF_Output sparse_shape;
} sl_op_deserialize_many_sparse_t;
static inline sl_op_deserialize_many_sparse_t sl_op_deserialize_many_sparse_with(sl_scope_t *scope,
    TF_Output serialized_sparse, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeserializeManySparse", options->name);
  sl_node_input(node, serialized_sparse);
  sl_node_attr_type(node, "dtype", dtype);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_deserialize_many_sparse_t result;
  result.sparse_indices = sl_op_output(operation, 0);
  result.sparse_values = sl_op_output(operation, 1);
  result.sparse_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_deserialize_many_sparse(scope, serialized_sparse, dtype, ...) \
  sl_op_deserialize_many_sparse_with(SL_AT(scope), (serialized_sparse), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// DeserializeSparse(serialized_sparse: Tserialized) -> sparse_indices: int64, sparse_values: dtype, sparse_shape:
//   int64
// Deserializes sparse tensors and stacks them.
// dtype: type; Tserialized: {string, variant} = DT_STRING
// No gradient.
typedef struct {
  TF_Output sparse_indices;
  TF_Output sparse_values;
  TF_Output sparse_shape;
} sl_op_deserialize_sparse_t;
static inline sl_op_deserialize_sparse_t sl_op_deserialize_sparse_with(sl_scope_t *scope,
    TF_Output serialized_sparse, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeserializeSparse", options->name);
  sl_node_input(node, serialized_sparse);
  sl_node_attr_type(node, "dtype", dtype);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_deserialize_sparse_t result;
  result.sparse_indices = sl_op_output(operation, 0);
  result.sparse_values = sl_op_output(operation, 1);
  result.sparse_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_deserialize_sparse(scope, serialized_sparse, dtype, ...) \
  sl_op_deserialize_sparse_with(SL_AT(scope), (serialized_sparse), (dtype), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// EditDistance(hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64,
//   truth_values: T, truth_shape: int64) -> output: float
// The Levenshtein distances of sequences.
// normalize: bool = true; T: type
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool normalize;
} sl_op_edit_distance_options_t;
static inline TF_Output sl_op_edit_distance_with(sl_scope_t *scope, TF_Output hypothesis_indices,
    TF_Output hypothesis_values, TF_Output hypothesis_shape, TF_Output truth_indices, TF_Output truth_values,
    TF_Output truth_shape, const sl_op_edit_distance_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EditDistance", options->name);
  sl_node_input(node, hypothesis_indices);
  sl_node_input(node, hypothesis_values);
  sl_node_input(node, hypothesis_shape);
  sl_node_input(node, truth_indices);
  sl_node_input(node, truth_values);
  sl_node_input(node, truth_shape);
  sl_node_attr_bool(node, "normalize", options->normalize);
  return sl_node_output(node);
}
#define sl_op_edit_distance(scope, hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, \
    truth_values, truth_shape, ...) \
  SL_OVER_DEFAULTS(sl_op_edit_distance_with(SL_AT(scope), (hypothesis_indices), (hypothesis_values), ( \
    hypothesis_shape), (truth_indices), (truth_values), (truth_shape), SL_OPTIONS(sl_op_edit_distance_options_t, \
    .normalize = true, __VA_ARGS__)))

// RaggedBincount(splits: int64, values: Tidx, size: Tidx, weights: T) -> output: T
// Histograms of the rows of a ragged tensor.
// Tidx: {int32, int64}; T: {int32, int64, float, double}; binary_output: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool binary_output;
} sl_op_ragged_bincount_options_t;
static inline TF_Output sl_op_ragged_bincount_with(sl_scope_t *scope, TF_Output splits, TF_Output values,
    TF_Output size, TF_Output weights, const sl_op_ragged_bincount_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedBincount", options->name);
  sl_node_input(node, splits);
  sl_node_input(node, values);
  sl_node_input(node, size);
  sl_node_input(node, weights);
  sl_node_attr_bool(node, "binary_output", options->binary_output);
  return sl_node_output(node);
}
#define sl_op_ragged_bincount(scope, splits, values, size, weights, ...) \
  sl_op_ragged_bincount_with(SL_AT(scope), (splits), (values), (size), (weights), SL_OPTIONS( \
    sl_op_ragged_bincount_options_t, __VA_ARGS__))

// RaggedCountSparseOutput(splits: int64, values: T, weights: output_type) -> output_indices: int64, output_values:
//   output_type, output_dense_shape: int64
// Counts the values of each row of a ragged tensor.
// T: {int32, int64}; minlength: int >= -1 = -1; maxlength: int >= -1 = -1; binary_output: bool; output_type: {int32,
//   int64, float, double}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t minlength;
  int64_t maxlength;
} sl_op_ragged_count_sparse_output_options_t;
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_dense_shape;
} sl_op_ragged_count_sparse_output_t;
static inline sl_op_ragged_count_sparse_output_t sl_op_ragged_count_sparse_output_with(sl_scope_t *scope,
    TF_Output splits, TF_Output values, TF_Output weights, bool binary_output,
    const sl_op_ragged_count_sparse_output_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RaggedCountSparseOutput", options->name);
  sl_node_input(node, splits);
  sl_node_input(node, values);
  sl_node_input(node, weights);
  sl_node_attr_int(node, "minlength", options->minlength);
  sl_node_attr_int(node, "maxlength", options->maxlength);
  sl_node_attr_bool(node, "binary_output", binary_output);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ragged_count_sparse_output_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_dense_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_ragged_count_sparse_output(scope, splits, values, weights, binary_output, ...) \
  SL_OVER_DEFAULTS(sl_op_ragged_count_sparse_output_with(SL_AT(scope), (splits), (values), (weights), ( \
    binary_output), SL_OPTIONS(sl_op_ragged_count_sparse_output_options_t, .minlength = -1, .maxlength = -1, \
    __VA_ARGS__)))

// SerializeManySparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> serialized_sparse: out_type
// Serializes each row of a sparse tensor into three elements.
// T: type; out_type: {string, variant} = DT_STRING
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_serialize_many_sparse_options_t;
static inline TF_Output sl_op_serialize_many_sparse_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output sparse_values, TF_Output sparse_shape, const sl_op_serialize_many_sparse_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SerializeManySparse", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, sparse_values);
  sl_node_input(node, sparse_shape);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_serialize_many_sparse(scope, sparse_indices, sparse_values, sparse_shape, ...) \
  sl_op_serialize_many_sparse_with(SL_AT(scope), (sparse_indices), (sparse_values), (sparse_shape), SL_OPTIONS( \
    sl_op_serialize_many_sparse_options_t, __VA_ARGS__))

// SerializeSparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> serialized_sparse: out_type
// Serializes a sparse tensor into three elements.
// T: type; out_type: {string, variant} = DT_STRING
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_serialize_sparse_options_t;
static inline TF_Output sl_op_serialize_sparse_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output sparse_values, TF_Output sparse_shape, const sl_op_serialize_sparse_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SerializeSparse", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, sparse_values);
  sl_node_input(node, sparse_shape);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_serialize_sparse(scope, sparse_indices, sparse_values, sparse_shape, ...) \
  sl_op_serialize_sparse_with(SL_AT(scope), (sparse_indices), (sparse_values), (sparse_shape), SL_OPTIONS( \
    sl_op_serialize_sparse_options_t, __VA_ARGS__))

// SparseAdd(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, thresh:
//   Treal) -> sum_indices: int64, sum_values: T, sum_shape: int64
// Adds two sparse tensors and drops small sums.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64}; Treal: {float, double, int32, uint8, int16, int8, int64, bfloat16,
//   uint16, half, uint32, uint64}
// Differentiable.
typedef struct {
  TF_Output sum_indices;
  TF_Output sum_values;
  TF_Output sum_shape;
} sl_op_sparse_add_t;
static inline sl_op_sparse_add_t sl_op_sparse_add_with(sl_scope_t *scope, TF_Output a_indices, TF_Output a_values,
    TF_Output a_shape, TF_Output b_indices, TF_Output b_values, TF_Output b_shape, TF_Output thresh,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseAdd", options->name);
  sl_node_input(node, a_indices);
  sl_node_input(node, a_values);
  sl_node_input(node, a_shape);
  sl_node_input(node, b_indices);
  sl_node_input(node, b_values);
  sl_node_input(node, b_shape);
  sl_node_input(node, thresh);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_add_t result;
  result.sum_indices = sl_op_output(operation, 0);
  result.sum_values = sl_op_output(operation, 1);
  result.sum_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_add(scope, a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh, ...) \
  sl_op_sparse_add_with(SL_AT(scope), (a_indices), (a_values), (a_shape), (b_indices), (b_values), (b_shape), ( \
    thresh), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseAddGrad(backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64) -> a_val_grad: T,
//   b_val_grad: T
// The gradient of SparseAdd.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64}
// Gradients stop here.
typedef struct {
  TF_Output a_val_grad;
  TF_Output b_val_grad;
} sl_op_sparse_add_grad_t;
static inline sl_op_sparse_add_grad_t sl_op_sparse_add_grad_with(sl_scope_t *scope, TF_Output backprop_val_grad,
    TF_Output a_indices, TF_Output b_indices, TF_Output sum_indices, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseAddGrad", options->name);
  sl_node_input(node, backprop_val_grad);
  sl_node_input(node, a_indices);
  sl_node_input(node, b_indices);
  sl_node_input(node, sum_indices);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_add_grad_t result;
  result.a_val_grad = sl_op_output(operation, 0);
  result.b_val_grad = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_add_grad(scope, backprop_val_grad, a_indices, b_indices, sum_indices, ...) \
  sl_op_sparse_add_grad_with(SL_AT(scope), (backprop_val_grad), (a_indices), (b_indices), (sum_indices), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseBincount(indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T) -> output: T
// Histograms of the rows of a sparse tensor.
// Tidx: {int32, int64}; T: {int32, int64, float, double}; binary_output: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool binary_output;
} sl_op_sparse_bincount_options_t;
static inline TF_Output sl_op_sparse_bincount_with(sl_scope_t *scope, TF_Output indices, TF_Output values,
    TF_Output dense_shape, TF_Output size, TF_Output weights, const sl_op_sparse_bincount_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseBincount", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, values);
  sl_node_input(node, dense_shape);
  sl_node_input(node, size);
  sl_node_input(node, weights);
  sl_node_attr_bool(node, "binary_output", options->binary_output);
  return sl_node_output(node);
}
#define sl_op_sparse_bincount(scope, indices, values, dense_shape, size, weights, ...) \
  sl_op_sparse_bincount_with(SL_AT(scope), (indices), (values), (dense_shape), (size), (weights), SL_OPTIONS( \
    sl_op_sparse_bincount_options_t, __VA_ARGS__))

// SparseConcat(indices: N * int64, values: N * T, shapes: N * int64) -> output_indices: int64, output_values: T,
//   output_shape: int64
// Concatenates sparse tensors along a dimension.
// concat_dim: int; N: int >= 2; T: type
// Gradients stop here.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_shape;
} sl_op_sparse_concat_t;
static inline sl_op_sparse_concat_t sl_op_sparse_concat_with(sl_scope_t *scope, const TF_Output *indices,
    size_t indices_count, const TF_Output *values, size_t values_count, const TF_Output *shapes, size_t shapes_count,
    int64_t concat_dim, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseConcat", options->name);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, values, values_count);
  sl_node_input_list(node, shapes, shapes_count);
  sl_node_attr_int(node, "concat_dim", concat_dim);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_concat_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_concat(scope, indices, indices_count, values, values_count, shapes, shapes_count, concat_dim, \
    ...) \
  sl_op_sparse_concat_with(SL_AT(scope), (indices), (indices_count), (values), (values_count), (shapes), ( \
    shapes_count), (concat_dim), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseCountSparseOutput(indices: int64, values: T, dense_shape: int64, weights: output_type) -> output_indices:
//   int64, output_values: output_type, output_dense_shape: int64
// Counts the values of each row of a sparse tensor.
// T: {int32, int64}; minlength: int >= -1 = -1; maxlength: int >= -1 = -1; binary_output: bool; output_type: {int32,
//   int64, float, double}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t minlength;
  int64_t maxlength;
} sl_op_sparse_count_sparse_output_options_t;
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_dense_shape;
} sl_op_sparse_count_sparse_output_t;
static inline sl_op_sparse_count_sparse_output_t sl_op_sparse_count_sparse_output_with(sl_scope_t *scope,
    TF_Output indices, TF_Output values, TF_Output dense_shape, TF_Output weights, bool binary_output,
    const sl_op_sparse_count_sparse_output_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseCountSparseOutput", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, values);
  sl_node_input(node, dense_shape);
  sl_node_input(node, weights);
  sl_node_attr_int(node, "minlength", options->minlength);
  sl_node_attr_int(node, "maxlength", options->maxlength);
  sl_node_attr_bool(node, "binary_output", binary_output);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_count_sparse_output_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_dense_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_count_sparse_output(scope, indices, values, dense_shape, weights, binary_output, ...) \
  SL_OVER_DEFAULTS(sl_op_sparse_count_sparse_output_with(SL_AT(scope), (indices), (values), (dense_shape), (weights), \
    (binary_output), SL_OPTIONS(sl_op_sparse_count_sparse_output_options_t, .minlength = -1, .maxlength = -1, \
    __VA_ARGS__)))

// SparseCross(indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types) ->
//   output_indices: int64, output_values: out_type, output_shape: int64
// Crosses features: all combinations of one value of each column, joined or hashed.
// N: int >= 0; hashed_output: bool; num_buckets: int >= 0; hash_key: int; sparse_types: list({int64, string}) >= 0;
//   dense_types: list({int64, string}) >= 0; out_type: {int64, string}; internal_type: {int64, string}
// No gradient.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_shape;
} sl_op_sparse_cross_t;
static inline sl_op_sparse_cross_t sl_op_sparse_cross_with(sl_scope_t *scope, const TF_Output *indices,
    size_t indices_count, const TF_Output *values, size_t values_count, const TF_Output *shapes, size_t shapes_count,
    const TF_Output *dense_inputs, size_t dense_inputs_count, bool hashed_output, int64_t num_buckets,
    int64_t hash_key, TF_DataType out_type, TF_DataType internal_type, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseCross", options->name);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, values, values_count);
  sl_node_input_list(node, shapes, shapes_count);
  sl_node_input_list(node, dense_inputs, dense_inputs_count);
  sl_node_attr_bool(node, "hashed_output", hashed_output);
  sl_node_attr_int(node, "num_buckets", num_buckets);
  sl_node_attr_int(node, "hash_key", hash_key);
  sl_node_attr_type(node, "out_type", out_type);
  sl_node_attr_type(node, "internal_type", internal_type);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_cross_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_cross(scope, indices, indices_count, values, values_count, shapes, shapes_count, dense_inputs, \
    dense_inputs_count, hashed_output, num_buckets, hash_key, out_type, internal_type, ...) \
  sl_op_sparse_cross_with(SL_AT(scope), (indices), (indices_count), (values), (values_count), (shapes), ( \
    shapes_count), (dense_inputs), (dense_inputs_count), (hashed_output), (num_buckets), (hash_key), (out_type), ( \
    internal_type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseCrossHashed(indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types,
//   num_buckets: int64, strong_hash: bool, salt: int64) -> output_indices: int64, output_values: int64, output_shape:
//   int64
// Crosses features: all combinations of one value of each column, hashed.
// N: int >= 0; sparse_types: list({int64, string}) >= 0; dense_types: list({int64, string}) >= 0
// No gradient.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_shape;
} sl_op_sparse_cross_hashed_t;
static inline sl_op_sparse_cross_hashed_t sl_op_sparse_cross_hashed_with(sl_scope_t *scope, const TF_Output *indices,
    size_t indices_count, const TF_Output *values, size_t values_count, const TF_Output *shapes, size_t shapes_count,
    const TF_Output *dense_inputs, size_t dense_inputs_count, TF_Output num_buckets, TF_Output strong_hash,
    TF_Output salt, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseCrossHashed", options->name);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, values, values_count);
  sl_node_input_list(node, shapes, shapes_count);
  sl_node_input_list(node, dense_inputs, dense_inputs_count);
  sl_node_input(node, num_buckets);
  sl_node_input(node, strong_hash);
  sl_node_input(node, salt);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_cross_hashed_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_cross_hashed(scope, indices, indices_count, values, values_count, shapes, shapes_count, \
    dense_inputs, dense_inputs_count, num_buckets, strong_hash, salt, ...) \
  sl_op_sparse_cross_hashed_with(SL_AT(scope), (indices), (indices_count), (values), (values_count), (shapes), ( \
    shapes_count), (dense_inputs), (dense_inputs_count), (num_buckets), (strong_hash), (salt), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseCrossV2(indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types, sep: string)
//   -> output_indices: int64, output_values: string, output_shape: int64
// Crosses features: all combinations of one value of each column, joined.
// N: int >= 0; sparse_types: list({int64, string}) >= 0; dense_types: list({int64, string}) >= 0
// No gradient.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_shape;
} sl_op_sparse_cross_v2_t;
static inline sl_op_sparse_cross_v2_t sl_op_sparse_cross_v2_with(sl_scope_t *scope, const TF_Output *indices,
    size_t indices_count, const TF_Output *values, size_t values_count, const TF_Output *shapes, size_t shapes_count,
    const TF_Output *dense_inputs, size_t dense_inputs_count, TF_Output sep, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseCrossV2", options->name);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, values, values_count);
  sl_node_input_list(node, shapes, shapes_count);
  sl_node_input_list(node, dense_inputs, dense_inputs_count);
  sl_node_input(node, sep);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_cross_v2_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_cross_v2(scope, indices, indices_count, values, values_count, shapes, shapes_count, \
    dense_inputs, dense_inputs_count, sep, ...) \
  sl_op_sparse_cross_v2_with(SL_AT(scope), (indices), (indices_count), (values), (values_count), (shapes), ( \
    shapes_count), (dense_inputs), (dense_inputs_count), (sep), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseDenseCwiseAdd(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> output: T
// Adds to the entries of a sparse tensor a dense tensor, which is broadcast; the result has the same indices.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64}
// Differentiable.
static inline TF_Output sl_op_sparse_dense_cwise_add_with(sl_scope_t *scope, TF_Output sp_indices,
    TF_Output sp_values, TF_Output sp_shape, TF_Output dense, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseDenseCwiseAdd", options->name);
  sl_node_input(node, sp_indices);
  sl_node_input(node, sp_values);
  sl_node_input(node, sp_shape);
  sl_node_input(node, dense);
  return sl_node_output(node);
}
#define sl_op_sparse_dense_cwise_add(scope, sp_indices, sp_values, sp_shape, dense, ...) \
  sl_op_sparse_dense_cwise_add_with(SL_AT(scope), (sp_indices), (sp_values), (sp_shape), (dense), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseDenseCwiseDiv(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> output: T
// Divides the entries of a sparse tensor by a dense tensor, which is broadcast; the result has the same indices.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64}
// Differentiable.
static inline TF_Output sl_op_sparse_dense_cwise_div_with(sl_scope_t *scope, TF_Output sp_indices,
    TF_Output sp_values, TF_Output sp_shape, TF_Output dense, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseDenseCwiseDiv", options->name);
  sl_node_input(node, sp_indices);
  sl_node_input(node, sp_values);
  sl_node_input(node, sp_shape);
  sl_node_input(node, dense);
  return sl_node_output(node);
}
#define sl_op_sparse_dense_cwise_div(scope, sp_indices, sp_values, sp_shape, dense, ...) \
  sl_op_sparse_dense_cwise_div_with(SL_AT(scope), (sp_indices), (sp_values), (sp_shape), (dense), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseDenseCwiseMul(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> output: T
// Multiplies the entries of a sparse tensor by a dense tensor, which is broadcast; the result has the same indices.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64}
// Differentiable.
static inline TF_Output sl_op_sparse_dense_cwise_mul_with(sl_scope_t *scope, TF_Output sp_indices,
    TF_Output sp_values, TF_Output sp_shape, TF_Output dense, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseDenseCwiseMul", options->name);
  sl_node_input(node, sp_indices);
  sl_node_input(node, sp_values);
  sl_node_input(node, sp_shape);
  sl_node_input(node, dense);
  return sl_node_output(node);
}
#define sl_op_sparse_dense_cwise_mul(scope, sp_indices, sp_values, sp_shape, dense, ...) \
  sl_op_sparse_dense_cwise_mul_with(SL_AT(scope), (sp_indices), (sp_values), (sp_shape), (dense), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseFillEmptyRows(indices: int64, values: T, dense_shape: int64, default_value: T) -> output_indices: int64,
//   output_values: T, empty_row_indicator: bool, reverse_index_map: int64
// Fills the empty rows of a sparse tensor with a default value.
// T: type
// Differentiable.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output empty_row_indicator;
  TF_Output reverse_index_map;
} sl_op_sparse_fill_empty_rows_t;
static inline sl_op_sparse_fill_empty_rows_t sl_op_sparse_fill_empty_rows_with(sl_scope_t *scope, TF_Output indices,
    TF_Output values, TF_Output dense_shape, TF_Output default_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseFillEmptyRows", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, values);
  sl_node_input(node, dense_shape);
  sl_node_input(node, default_value);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_fill_empty_rows_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.empty_row_indicator = sl_op_output(operation, 2);
  result.reverse_index_map = sl_op_output(operation, 3);
  return result;
}
#define sl_op_sparse_fill_empty_rows(scope, indices, values, dense_shape, default_value, ...) \
  sl_op_sparse_fill_empty_rows_with(SL_AT(scope), (indices), (values), (dense_shape), (default_value), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseFillEmptyRowsGrad(reverse_index_map: int64, grad_values: T) -> d_values: T, d_default_value: T
// The gradient of SparseFillEmptyRows.
// T: type
// No gradient.
typedef struct {
  TF_Output d_values;
  TF_Output d_default_value;
} sl_op_sparse_fill_empty_rows_grad_t;
static inline sl_op_sparse_fill_empty_rows_grad_t sl_op_sparse_fill_empty_rows_grad_with(sl_scope_t *scope,
    TF_Output reverse_index_map, TF_Output grad_values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseFillEmptyRowsGrad", options->name);
  sl_node_input(node, reverse_index_map);
  sl_node_input(node, grad_values);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_fill_empty_rows_grad_t result;
  result.d_values = sl_op_output(operation, 0);
  result.d_default_value = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_fill_empty_rows_grad(scope, reverse_index_map, grad_values, ...) \
  sl_op_sparse_fill_empty_rows_grad_with(SL_AT(scope), (reverse_index_map), (grad_values), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseReduceMax(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> output: T
// The largest elements of a sparse tensor along axes; the result is dense.
// keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32,
//   uint64}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_sparse_reduce_max_options_t;
static inline TF_Output sl_op_sparse_reduce_max_with(sl_scope_t *scope, TF_Output input_indices,
    TF_Output input_values, TF_Output input_shape, TF_Output reduction_axes,
    const sl_op_sparse_reduce_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseReduceMax", options->name);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_values);
  sl_node_input(node, input_shape);
  sl_node_input(node, reduction_axes);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_sparse_reduce_max(scope, input_indices, input_values, input_shape, reduction_axes, ...) \
  sl_op_sparse_reduce_max_with(SL_AT(scope), (input_indices), (input_values), (input_shape), (reduction_axes), \
    SL_OPTIONS(sl_op_sparse_reduce_max_options_t, __VA_ARGS__))

// SparseReduceMaxSparse(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) ->
//   output_indices: int64, output_values: T, output_shape: int64
// The largest elements of a sparse tensor along axes; the result is sparse.
// keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32,
//   uint64}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_sparse_reduce_max_sparse_options_t;
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_shape;
} sl_op_sparse_reduce_max_sparse_t;
static inline sl_op_sparse_reduce_max_sparse_t sl_op_sparse_reduce_max_sparse_with(sl_scope_t *scope,
    TF_Output input_indices, TF_Output input_values, TF_Output input_shape, TF_Output reduction_axes,
    const sl_op_sparse_reduce_max_sparse_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseReduceMaxSparse", options->name);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_values);
  sl_node_input(node, input_shape);
  sl_node_input(node, reduction_axes);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_reduce_max_sparse_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_reduce_max_sparse(scope, input_indices, input_values, input_shape, reduction_axes, ...) \
  sl_op_sparse_reduce_max_sparse_with(SL_AT(scope), (input_indices), (input_values), (input_shape), (reduction_axes), \
    SL_OPTIONS(sl_op_sparse_reduce_max_sparse_options_t, __VA_ARGS__))

// SparseReduceSum(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> output: T
// Sums a sparse tensor along axes; the result is dense.
// keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32,
//   bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_sparse_reduce_sum_options_t;
static inline TF_Output sl_op_sparse_reduce_sum_with(sl_scope_t *scope, TF_Output input_indices,
    TF_Output input_values, TF_Output input_shape, TF_Output reduction_axes,
    const sl_op_sparse_reduce_sum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseReduceSum", options->name);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_values);
  sl_node_input(node, input_shape);
  sl_node_input(node, reduction_axes);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_sparse_reduce_sum(scope, input_indices, input_values, input_shape, reduction_axes, ...) \
  sl_op_sparse_reduce_sum_with(SL_AT(scope), (input_indices), (input_values), (input_shape), (reduction_axes), \
    SL_OPTIONS(sl_op_sparse_reduce_sum_options_t, __VA_ARGS__))

// SparseReduceSumSparse(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) ->
//   output_indices: int64, output_values: T, output_shape: int64
// Sums a sparse tensor along axes; the result is sparse.
// keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32,
//   bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_sparse_reduce_sum_sparse_options_t;
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_shape;
} sl_op_sparse_reduce_sum_sparse_t;
static inline sl_op_sparse_reduce_sum_sparse_t sl_op_sparse_reduce_sum_sparse_with(sl_scope_t *scope,
    TF_Output input_indices, TF_Output input_values, TF_Output input_shape, TF_Output reduction_axes,
    const sl_op_sparse_reduce_sum_sparse_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseReduceSumSparse", options->name);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_values);
  sl_node_input(node, input_shape);
  sl_node_input(node, reduction_axes);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_reduce_sum_sparse_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_reduce_sum_sparse(scope, input_indices, input_values, input_shape, reduction_axes, ...) \
  sl_op_sparse_reduce_sum_sparse_with(SL_AT(scope), (input_indices), (input_values), (input_shape), (reduction_axes), \
    SL_OPTIONS(sl_op_sparse_reduce_sum_sparse_options_t, __VA_ARGS__))

// SparseReorder(input_indices: int64, input_values: T, input_shape: int64) -> output_indices: int64, output_values: T
// Sorts the entries of a sparse tensor by index.
// T: type
// Differentiable.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
} sl_op_sparse_reorder_t;
static inline sl_op_sparse_reorder_t sl_op_sparse_reorder_with(sl_scope_t *scope, TF_Output input_indices,
    TF_Output input_values, TF_Output input_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseReorder", options->name);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_values);
  sl_node_input(node, input_shape);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_reorder_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_reorder(scope, input_indices, input_values, input_shape, ...) \
  sl_op_sparse_reorder_with(SL_AT(scope), (input_indices), (input_values), (input_shape), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SparseReshape(input_indices: int64, input_shape: int64, new_shape: int64) -> output_indices: int64, output_shape:
//   int64
// Reshapes a sparse tensor.
// No gradient.
typedef struct {
  TF_Output output_indices;
  TF_Output output_shape;
} sl_op_sparse_reshape_t;
static inline sl_op_sparse_reshape_t sl_op_sparse_reshape_with(sl_scope_t *scope, TF_Output input_indices,
    TF_Output input_shape, TF_Output new_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseReshape", options->name);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_shape);
  sl_node_input(node, new_shape);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_reshape_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_shape = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_reshape(scope, input_indices, input_shape, new_shape, ...) \
  sl_op_sparse_reshape_with(SL_AT(scope), (input_indices), (input_shape), (new_shape), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SparseSegmentMean(data: T, indices: Tidx, segment_ids: Tsegmentids) -> output: T
// Means of gathered rows by segment.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32;
//   sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_mean_options_t;
static inline TF_Output sl_op_sparse_segment_mean_with(sl_scope_t *scope, TF_Output data, TF_Output indices,
    TF_Output segment_ids, const sl_op_sparse_segment_mean_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentMean", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_mean(scope, data, indices, segment_ids, ...) \
  sl_op_sparse_segment_mean_with(SL_AT(scope), (data), (indices), (segment_ids), SL_OPTIONS( \
    sl_op_sparse_segment_mean_options_t, __VA_ARGS__))

// SparseSegmentMeanGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> output: T
// The gradient of SparseSegmentMean.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// No gradient.
static inline TF_Output sl_op_sparse_segment_mean_grad_with(sl_scope_t *scope, TF_Output grad, TF_Output indices,
    TF_Output segment_ids, TF_Output output_dim0, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentMeanGrad", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, output_dim0);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_mean_grad(scope, grad, indices, segment_ids, output_dim0, ...) \
  sl_op_sparse_segment_mean_grad_with(SL_AT(scope), (grad), (indices), (segment_ids), (output_dim0), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseSegmentMeanGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> output: T,
//   sorted_unique_indices: Tidx
// The gradient of SparseSegmentMean, only for the rows that occur.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  TF_Output output;
  TF_Output sorted_unique_indices;
} sl_op_sparse_segment_mean_grad_v2_t;
static inline sl_op_sparse_segment_mean_grad_v2_t sl_op_sparse_segment_mean_grad_v2_with(sl_scope_t *scope,
    TF_Output grad, TF_Output indices, TF_Output segment_ids, TF_Output dense_output_dim0,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentMeanGradV2", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, dense_output_dim0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_segment_mean_grad_v2_t result;
  result.output = sl_op_output(operation, 0);
  result.sorted_unique_indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_segment_mean_grad_v2(scope, grad, indices, segment_ids, dense_output_dim0, ...) \
  sl_op_sparse_segment_mean_grad_v2_with(SL_AT(scope), (grad), (indices), (segment_ids), (dense_output_dim0), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSegmentMeanWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments) ->
//   output: T
// Means of gathered rows by segment.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tnumsegments: {int32, int64} = DT_INT32;
//   Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_mean_with_num_segments_options_t;
static inline TF_Output sl_op_sparse_segment_mean_with_num_segments_with(sl_scope_t *scope, TF_Output data,
    TF_Output indices, TF_Output segment_ids, TF_Output num_segments,
    const sl_op_sparse_segment_mean_with_num_segments_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentMeanWithNumSegments", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_mean_with_num_segments(scope, data, indices, segment_ids, num_segments, ...) \
  sl_op_sparse_segment_mean_with_num_segments_with(SL_AT(scope), (data), (indices), (segment_ids), (num_segments), \
    SL_OPTIONS(sl_op_sparse_segment_mean_with_num_segments_options_t, __VA_ARGS__))

// SparseSegmentSqrtN(data: T, indices: Tidx, segment_ids: Tsegmentids) -> output: T
// Sums of gathered rows by segment, divided by the square root of their number.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32;
//   sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_sqrt_n_options_t;
static inline TF_Output sl_op_sparse_segment_sqrt_n_with(sl_scope_t *scope, TF_Output data, TF_Output indices,
    TF_Output segment_ids, const sl_op_sparse_segment_sqrt_n_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSqrtN", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sqrt_n(scope, data, indices, segment_ids, ...) \
  sl_op_sparse_segment_sqrt_n_with(SL_AT(scope), (data), (indices), (segment_ids), SL_OPTIONS( \
    sl_op_sparse_segment_sqrt_n_options_t, __VA_ARGS__))

// SparseSegmentSqrtNGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> output: T
// The gradient of SparseSegmentSqrtN.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// No gradient.
static inline TF_Output sl_op_sparse_segment_sqrt_n_grad_with(sl_scope_t *scope, TF_Output grad, TF_Output indices,
    TF_Output segment_ids, TF_Output output_dim0, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSqrtNGrad", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, output_dim0);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sqrt_n_grad(scope, grad, indices, segment_ids, output_dim0, ...) \
  sl_op_sparse_segment_sqrt_n_grad_with(SL_AT(scope), (grad), (indices), (segment_ids), (output_dim0), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseSegmentSqrtNGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> output: T,
//   sorted_unique_indices: Tidx
// The gradient of SparseSegmentSqrtN, only for the rows that occur.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  TF_Output output;
  TF_Output sorted_unique_indices;
} sl_op_sparse_segment_sqrt_n_grad_v2_t;
static inline sl_op_sparse_segment_sqrt_n_grad_v2_t sl_op_sparse_segment_sqrt_n_grad_v2_with(sl_scope_t *scope,
    TF_Output grad, TF_Output indices, TF_Output segment_ids, TF_Output dense_output_dim0,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSqrtNGradV2", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, dense_output_dim0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_segment_sqrt_n_grad_v2_t result;
  result.output = sl_op_output(operation, 0);
  result.sorted_unique_indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_segment_sqrt_n_grad_v2(scope, grad, indices, segment_ids, dense_output_dim0, ...) \
  sl_op_sparse_segment_sqrt_n_grad_v2_with(SL_AT(scope), (grad), (indices), (segment_ids), (dense_output_dim0), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSegmentSqrtNWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments) ->
//   output: T
// Sums of gathered rows by segment, divided by the square root of their number.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tnumsegments: {int32, int64} = DT_INT32;
//   Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_sqrt_n_with_num_segments_options_t;
static inline TF_Output sl_op_sparse_segment_sqrt_n_with_num_segments_with(sl_scope_t *scope, TF_Output data,
    TF_Output indices, TF_Output segment_ids, TF_Output num_segments,
    const sl_op_sparse_segment_sqrt_n_with_num_segments_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSqrtNWithNumSegments", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sqrt_n_with_num_segments(scope, data, indices, segment_ids, num_segments, ...) \
  sl_op_sparse_segment_sqrt_n_with_num_segments_with(SL_AT(scope), (data), (indices), (segment_ids), (num_segments), \
    SL_OPTIONS(sl_op_sparse_segment_sqrt_n_with_num_segments_options_t, __VA_ARGS__))

// SparseSegmentSum(data: T, indices: Tidx, segment_ids: Tsegmentids) -> output: T
// Sums of gathered rows by segment.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tidx: {int32, int64}
//   = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_sum_options_t;
static inline TF_Output sl_op_sparse_segment_sum_with(sl_scope_t *scope, TF_Output data, TF_Output indices,
    TF_Output segment_ids, const sl_op_sparse_segment_sum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSum", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sum(scope, data, indices, segment_ids, ...) \
  sl_op_sparse_segment_sum_with(SL_AT(scope), (data), (indices), (segment_ids), SL_OPTIONS( \
    sl_op_sparse_segment_sum_options_t, __VA_ARGS__))

// SparseSegmentSumGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> output: T
// The gradient of SparseSegmentSum.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// No gradient.
static inline TF_Output sl_op_sparse_segment_sum_grad_with(sl_scope_t *scope, TF_Output grad, TF_Output indices,
    TF_Output segment_ids, TF_Output output_dim0, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSumGrad", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, output_dim0);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sum_grad(scope, grad, indices, segment_ids, output_dim0, ...) \
  sl_op_sparse_segment_sum_grad_with(SL_AT(scope), (grad), (indices), (segment_ids), (output_dim0), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseSegmentSumGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> output: T,
//   sorted_unique_indices: Tidx
// The gradient of SparseSegmentSum, only for the rows that occur.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  TF_Output output;
  TF_Output sorted_unique_indices;
} sl_op_sparse_segment_sum_grad_v2_t;
static inline sl_op_sparse_segment_sum_grad_v2_t sl_op_sparse_segment_sum_grad_v2_with(sl_scope_t *scope,
    TF_Output grad, TF_Output indices, TF_Output segment_ids, TF_Output dense_output_dim0,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSumGradV2", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, dense_output_dim0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_segment_sum_grad_v2_t result;
  result.output = sl_op_output(operation, 0);
  result.sorted_unique_indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_segment_sum_grad_v2(scope, grad, indices, segment_ids, dense_output_dim0, ...) \
  sl_op_sparse_segment_sum_grad_v2_with(SL_AT(scope), (grad), (indices), (segment_ids), (dense_output_dim0), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSegmentSumWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments) ->
//   output: T
// Sums of gathered rows by segment.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tidx: {int32, int64}
//   = DT_INT32; Tnumsegments: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient:
//   bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_sum_with_num_segments_options_t;
static inline TF_Output sl_op_sparse_segment_sum_with_num_segments_with(sl_scope_t *scope, TF_Output data,
    TF_Output indices, TF_Output segment_ids, TF_Output num_segments,
    const sl_op_sparse_segment_sum_with_num_segments_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSumWithNumSegments", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sum_with_num_segments(scope, data, indices, segment_ids, num_segments, ...) \
  sl_op_sparse_segment_sum_with_num_segments_with(SL_AT(scope), (data), (indices), (segment_ids), (num_segments), \
    SL_OPTIONS(sl_op_sparse_segment_sum_with_num_segments_options_t, __VA_ARGS__))

// SparseSlice(indices: int64, values: T, shape: int64, start: int64, size: int64) -> output_indices: int64,
//   output_values: T, output_shape: int64
// A part of a sparse tensor.
// T: type
// Differentiable.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_shape;
} sl_op_sparse_slice_t;
static inline sl_op_sparse_slice_t sl_op_sparse_slice_with(sl_scope_t *scope, TF_Output indices, TF_Output values,
    TF_Output shape, TF_Output start, TF_Output size, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSlice", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, values);
  sl_node_input(node, shape);
  sl_node_input(node, start);
  sl_node_input(node, size);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_slice_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_slice(scope, indices, values, shape, start, size, ...) \
  sl_op_sparse_slice_with(SL_AT(scope), (indices), (values), (shape), (start), (size), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SparseSliceGrad(backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64) -> val_grad:
//   T
// The gradient of SparseSlice.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64}
// No gradient.
static inline TF_Output sl_op_sparse_slice_grad_with(sl_scope_t *scope, TF_Output backprop_val_grad,
    TF_Output input_indices, TF_Output input_start, TF_Output output_indices, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSliceGrad", options->name);
  sl_node_input(node, backprop_val_grad);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_start);
  sl_node_input(node, output_indices);
  return sl_node_output(node);
}
#define sl_op_sparse_slice_grad(scope, backprop_val_grad, input_indices, input_start, output_indices, ...) \
  sl_op_sparse_slice_grad_with(SL_AT(scope), (backprop_val_grad), (input_indices), (input_start), (output_indices), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSoftmax(sp_indices: int64, sp_values: T, sp_shape: int64) -> output: T
// Softmax over the entries of each row of a sparse tensor.
// T: {half, float, double}
// Differentiable.
static inline TF_Output sl_op_sparse_softmax_with(sl_scope_t *scope, TF_Output sp_indices, TF_Output sp_values,
    TF_Output sp_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSoftmax", options->name);
  sl_node_input(node, sp_indices);
  sl_node_input(node, sp_values);
  sl_node_input(node, sp_shape);
  return sl_node_output(node);
}
#define sl_op_sparse_softmax(scope, sp_indices, sp_values, sp_shape, ...) \
  sl_op_sparse_softmax_with(SL_AT(scope), (sp_indices), (sp_values), (sp_shape), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SparseSparseMaximum(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64)
//   -> output_indices: int64, output_values: T
// The larger elements of two sparse tensors; an entry that is not there counts as zero.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
// Differentiable.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
} sl_op_sparse_sparse_maximum_t;
static inline sl_op_sparse_sparse_maximum_t sl_op_sparse_sparse_maximum_with(sl_scope_t *scope, TF_Output a_indices,
    TF_Output a_values, TF_Output a_shape, TF_Output b_indices, TF_Output b_values, TF_Output b_shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSparseMaximum", options->name);
  sl_node_input(node, a_indices);
  sl_node_input(node, a_values);
  sl_node_input(node, a_shape);
  sl_node_input(node, b_indices);
  sl_node_input(node, b_values);
  sl_node_input(node, b_shape);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_sparse_maximum_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_sparse_maximum(scope, a_indices, a_values, a_shape, b_indices, b_values, b_shape, ...) \
  sl_op_sparse_sparse_maximum_with(SL_AT(scope), (a_indices), (a_values), (a_shape), (b_indices), (b_values), ( \
    b_shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSparseMinimum(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64)
//   -> output_indices: int64, output_values: T
// The smaller elements of two sparse tensors; an entry that is not there counts as zero.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64}
// Differentiable.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
} sl_op_sparse_sparse_minimum_t;
static inline sl_op_sparse_sparse_minimum_t sl_op_sparse_sparse_minimum_with(sl_scope_t *scope, TF_Output a_indices,
    TF_Output a_values, TF_Output a_shape, TF_Output b_indices, TF_Output b_values, TF_Output b_shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSparseMinimum", options->name);
  sl_node_input(node, a_indices);
  sl_node_input(node, a_values);
  sl_node_input(node, a_shape);
  sl_node_input(node, b_indices);
  sl_node_input(node, b_values);
  sl_node_input(node, b_shape);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_sparse_minimum_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_sparse_minimum(scope, a_indices, a_values, a_shape, b_indices, b_values, b_shape, ...) \
  sl_op_sparse_sparse_minimum_with(SL_AT(scope), (a_indices), (a_values), (a_shape), (b_indices), (b_values), ( \
    b_shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSplit(split_dim: int64, indices: int64, values: T, shape: int64) -> output_indices: num_split * int64,
//   output_values: num_split * T, output_shape: num_split * int64
// Splits a sparse tensor along a dimension.
// num_split: int >= 1; T: type
// No gradient.
typedef struct {
  sl_op_list_t output_indices;
  sl_op_list_t output_values;
  sl_op_list_t output_shape;
} sl_op_sparse_split_t;
static inline sl_op_sparse_split_t sl_op_sparse_split_with(sl_scope_t *scope, TF_Output split_dim, TF_Output indices,
    TF_Output values, TF_Output shape, int64_t num_split, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSplit", options->name);
  sl_node_input(node, split_dim);
  sl_node_input(node, indices);
  sl_node_input(node, values);
  sl_node_input(node, shape);
  sl_node_attr_int(node, "num_split", num_split);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_split_t result;
  int next = 0;
  result.output_indices = sl_op_list(operation, "output_indices", next);
  next += result.output_indices.count;
  result.output_values = sl_op_list(operation, "output_values", next);
  next += result.output_values.count;
  result.output_shape = sl_op_list(operation, "output_shape", next);
  next += result.output_shape.count;
  return result;
}
#define sl_op_sparse_split(scope, split_dim, indices, values, shape, num_split, ...) \
  sl_op_sparse_split_with(SL_AT(scope), (split_dim), (indices), (values), (shape), (num_split), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseTensorDenseAdd(a_indices: Tindices, a_values: T, a_shape: Tindices, b: T) -> output: T
// Adds a sparse tensor to a dense one.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64}; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_sparse_tensor_dense_add_with(sl_scope_t *scope, TF_Output a_indices,
    TF_Output a_values, TF_Output a_shape, TF_Output b, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseTensorDenseAdd", options->name);
  sl_node_input(node, a_indices);
  sl_node_input(node, a_values);
  sl_node_input(node, a_shape);
  sl_node_input(node, b);
  return sl_node_output(node);
}
#define sl_op_sparse_tensor_dense_add(scope, a_indices, a_values, a_shape, b, ...) \
  sl_op_sparse_tensor_dense_add_with(SL_AT(scope), (a_indices), (a_values), (a_shape), (b), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseTensorDenseMatMul(a_indices: Tindices, a_values: T, a_shape: int64, b: T) -> product: T
// A sparse matrix times a dense one.
// T: type; Tindices: {int32, int64} = DT_INT64; adjoint_a: bool = false; adjoint_b: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adjoint_a;
  bool adjoint_b;
} sl_op_sparse_tensor_dense_mat_mul_options_t;
static inline TF_Output sl_op_sparse_tensor_dense_mat_mul_with(sl_scope_t *scope, TF_Output a_indices,
    TF_Output a_values, TF_Output a_shape, TF_Output b, const sl_op_sparse_tensor_dense_mat_mul_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseTensorDenseMatMul", options->name);
  sl_node_input(node, a_indices);
  sl_node_input(node, a_values);
  sl_node_input(node, a_shape);
  sl_node_input(node, b);
  sl_node_attr_bool(node, "adjoint_a", options->adjoint_a);
  sl_node_attr_bool(node, "adjoint_b", options->adjoint_b);
  return sl_node_output(node);
}
#define sl_op_sparse_tensor_dense_mat_mul(scope, a_indices, a_values, a_shape, b, ...) \
  sl_op_sparse_tensor_dense_mat_mul_with(SL_AT(scope), (a_indices), (a_values), (a_shape), (b), SL_OPTIONS( \
    sl_op_sparse_tensor_dense_mat_mul_options_t, __VA_ARGS__))

// SparseToDense(sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T) -> dense: T
// Creates a dense tensor with the given values at the given indices.
// validate_indices: bool = true; T: type; Tindices: {int32, int64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_sparse_to_dense_options_t;
static inline TF_Output sl_op_sparse_to_dense_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output output_shape, TF_Output sparse_values, TF_Output default_value,
    const sl_op_sparse_to_dense_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseToDense", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, output_shape);
  sl_node_input(node, sparse_values);
  sl_node_input(node, default_value);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  return sl_node_output(node);
}
#define sl_op_sparse_to_dense(scope, sparse_indices, output_shape, sparse_values, default_value, ...) \
  SL_OVER_DEFAULTS(sl_op_sparse_to_dense_with(SL_AT(scope), (sparse_indices), (output_shape), (sparse_values), ( \
    default_value), SL_OPTIONS(sl_op_sparse_to_dense_options_t, .validate_indices = true, __VA_ARGS__)))

// TakeManySparseFromTensorsMap(sparse_handles: int64) -> sparse_indices: int64, sparse_values: dtype, sparse_shape:
//   int64
// Removes sparse tensors from a map and stacks them.
// dtype: type; container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_take_many_sparse_from_tensors_map_options_t;
typedef struct {
  TF_Output sparse_indices;
  TF_Output sparse_values;
  TF_Output sparse_shape;
} sl_op_take_many_sparse_from_tensors_map_t;
static inline sl_op_take_many_sparse_from_tensors_map_t sl_op_take_many_sparse_from_tensors_map_with(
    sl_scope_t *scope, TF_Output sparse_handles, TF_DataType dtype,
    const sl_op_take_many_sparse_from_tensors_map_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TakeManySparseFromTensorsMap", options->name);
  sl_node_input(node, sparse_handles);
  sl_node_attr_type(node, "dtype", dtype);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_take_many_sparse_from_tensors_map_t result;
  result.sparse_indices = sl_op_output(operation, 0);
  result.sparse_values = sl_op_output(operation, 1);
  result.sparse_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_take_many_sparse_from_tensors_map(scope, sparse_handles, dtype, ...) \
  sl_op_take_many_sparse_from_tensors_map_with(SL_AT(scope), (sparse_handles), (dtype), SL_OPTIONS( \
    sl_op_take_many_sparse_from_tensors_map_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_SPARSE_H_
