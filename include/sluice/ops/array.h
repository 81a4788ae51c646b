// Ops: constants, shapes, slices, joining and splitting, gathering, padding, diagonals.
// Generated from src/ops/array by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_ARRAY_H_
#define SLUICE_OPS_ARRAY_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// BatchMatrixBandPart(input: T, num_lower: int64, num_upper: int64) -> band: T
// T: type
// No gradient. Deprecated since GraphDef version 14: Use MatrixBandPart
static inline TF_Output sl_op_batch_matrix_band_part_with(sl_scope_t *scope, TF_Output input, TF_Output num_lower,
    TF_Output num_upper, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatrixBandPart", options->name);
  sl_node_input(node, input);
  sl_node_input(node, num_lower);
  sl_node_input(node, num_upper);
  return sl_node_output(node);
}
#define sl_op_batch_matrix_band_part(scope, input, num_lower, num_upper, ...) \
  sl_op_batch_matrix_band_part_with(SL_AT(scope), (input), (num_lower), (num_upper), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// BatchMatrixDiag(diagonal: T) -> output: T
// T: type
// No gradient. Deprecated since GraphDef version 14: Use MatrixDiag
static inline TF_Output sl_op_batch_matrix_diag_with(sl_scope_t *scope, TF_Output diagonal,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatrixDiag", options->name);
  sl_node_input(node, diagonal);
  return sl_node_output(node);
}
#define sl_op_batch_matrix_diag(scope, diagonal, ...) \
  sl_op_batch_matrix_diag_with(SL_AT(scope), (diagonal), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchMatrixDiagPart(input: T) -> diagonal: T
// T: type
// No gradient. Deprecated since GraphDef version 14: Use MatrixDiagPart
static inline TF_Output sl_op_batch_matrix_diag_part_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatrixDiagPart", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_batch_matrix_diag_part(scope, input, ...) \
  sl_op_batch_matrix_diag_part_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchMatrixSetDiag(input: T, diagonal: T) -> output: T
// T: type
// No gradient. Deprecated since GraphDef version 14: Use MatrixSetDiag
static inline TF_Output sl_op_batch_matrix_set_diag_with(sl_scope_t *scope, TF_Output input, TF_Output diagonal,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatrixSetDiag", options->name);
  sl_node_input(node, input);
  sl_node_input(node, diagonal);
  return sl_node_output(node);
}
#define sl_op_batch_matrix_set_diag(scope, input, diagonal, ...) \
  sl_op_batch_matrix_set_diag_with(SL_AT(scope), (input), (diagonal), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchToSpace(input: T, crops: Tidx) -> output: T
// Moves the batch into blocks of space.
// T: type; block_size: int >= 2; Tidx: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_batch_to_space_with(sl_scope_t *scope, TF_Output input, TF_Output crops,
    int64_t block_size, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchToSpace", options->name);
  sl_node_input(node, input);
  sl_node_input(node, crops);
  sl_node_attr_int(node, "block_size", block_size);
  return sl_node_output(node);
}
#define sl_op_batch_to_space(scope, input, crops, block_size, ...) \
  sl_op_batch_to_space_with(SL_AT(scope), (input), (crops), (block_size), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchToSpaceND(input: T, block_shape: Tblock_shape, crops: Tcrops) -> output: T
// Moves the batch into blocks of space.
// T: type; Tblock_shape: {int32, int64} = DT_INT32; Tcrops: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_batch_to_space_nd_with(sl_scope_t *scope, TF_Output input, TF_Output block_shape,
    TF_Output crops, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchToSpaceND", options->name);
  sl_node_input(node, input);
  sl_node_input(node, block_shape);
  sl_node_input(node, crops);
  return sl_node_output(node);
}
#define sl_op_batch_to_space_nd(scope, input, block_shape, crops, ...) \
  sl_op_batch_to_space_nd_with(SL_AT(scope), (input), (block_shape), (crops), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Bitcast(input: T) -> output: type
// The same bytes with another type.
// T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128,
//   qint8, quint8, qint16, quint16, qint32}; type: {bfloat16, half, float, double, int64, int32, uint8, uint16,
//   uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}
// No gradient.
static inline TF_Output sl_op_bitcast_with(sl_scope_t *scope, TF_Output input, TF_DataType type,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Bitcast", options->name);
  sl_node_input(node, input);
  sl_node_attr_type(node, "type", type);
  return sl_node_output(node);
}
#define sl_op_bitcast(scope, input, type, ...) \
  sl_op_bitcast_with(SL_AT(scope), (input), (type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BroadcastArgs(s0: T, s1: T) -> r0: T
// The shape that two shapes broadcast to.
// T: {int32, int64} = DT_INT32
// No gradient.
static inline TF_Output sl_op_broadcast_args_with(sl_scope_t *scope, TF_Output s0, TF_Output s1,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BroadcastArgs", options->name);
  sl_node_input(node, s0);
  sl_node_input(node, s1);
  return sl_node_output(node);
}
#define sl_op_broadcast_args(scope, s0, s1, ...) \
  sl_op_broadcast_args_with(SL_AT(scope), (s0), (s1), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BroadcastGradientArgs(s0: T, s1: T) -> r0: T, r1: T
// The axes over which to sum the gradient of a broadcast.
// T: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  TF_Output r0;
  TF_Output r1;
} sl_op_broadcast_gradient_args_t;
static inline sl_op_broadcast_gradient_args_t sl_op_broadcast_gradient_args_with(sl_scope_t *scope, TF_Output s0,
    TF_Output s1, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BroadcastGradientArgs", options->name);
  sl_node_input(node, s0);
  sl_node_input(node, s1);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_broadcast_gradient_args_t result;
  result.r0 = sl_op_output(operation, 0);
  result.r1 = sl_op_output(operation, 1);
  return result;
}
#define sl_op_broadcast_gradient_args(scope, s0, s1, ...) \
  sl_op_broadcast_gradient_args_with(SL_AT(scope), (s0), (s1), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BroadcastTo(input: T, shape: Tidx) -> output: T
// Broadcasts a tensor to a shape.
// T: type; Tidx: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_broadcast_to_with(sl_scope_t *scope, TF_Output input, TF_Output shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BroadcastTo", options->name);
  sl_node_input(node, input);
  sl_node_input(node, shape);
  return sl_node_output(node);
}
#define sl_op_broadcast_to(scope, input, shape, ...) \
  sl_op_broadcast_to_with(SL_AT(scope), (input), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CheckNumerics(tensor: T) -> output: T
// Fails on NaN and infinity.
// T: {bfloat16, half, float, double}; message: string
// Stateful, differentiable.
static inline TF_Output sl_op_check_numerics_with(sl_scope_t *scope, TF_Output tensor, const char *message,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CheckNumerics", options->name);
  sl_node_input(node, tensor);
  sl_node_attr_text(node, "message", message);
  return sl_node_output(node);
}
#define sl_op_check_numerics(scope, tensor, message, ...) \
  sl_op_check_numerics_with(SL_AT(scope), (tensor), (message), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CheckNumericsV2(tensor: T) -> output: T
// Fails on NaN and infinity, and reports which.
// T: {bfloat16, half, float, double}; message: string
// Stateful, differentiable.
static inline TF_Output sl_op_check_numerics_v2_with(sl_scope_t *scope, TF_Output tensor, const char *message,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CheckNumericsV2", options->name);
  sl_node_input(node, tensor);
  sl_node_attr_text(node, "message", message);
  return sl_node_output(node);
}
#define sl_op_check_numerics_v2(scope, tensor, message, ...) \
  sl_op_check_numerics_v2_with(SL_AT(scope), (tensor), (message), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Concat(concat_dim: int32, values: N * T) -> output: T
// Joins tensors along an axis.
// N: int >= 2; T: type
// Differentiable.
static inline TF_Output sl_op_concat_with(sl_scope_t *scope, TF_Output concat_dim, const TF_Output *values,
    size_t values_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Concat", options->name);
  sl_node_input(node, concat_dim);
  sl_node_input_list(node, values, values_count);
  return sl_node_output(node);
}
#define sl_op_concat(scope, concat_dim, values, values_count, ...) \
  sl_op_concat_with(SL_AT(scope), (concat_dim), (values), (values_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ConcatOffset(concat_dim: int32, shape: N * shape_type) -> offset: N * shape_type
// The offset of each part of a concatenation.
// N: int >= 2; shape_type: {int32, int64} = DT_INT32
// Gradients stop here.
static inline sl_op_list_t sl_op_concat_offset_with(sl_scope_t *scope, TF_Output concat_dim, const TF_Output *shape,
    size_t shape_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConcatOffset", options->name);
  sl_node_input(node, concat_dim);
  sl_node_input_list(node, shape, shape_count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "offset", 0);
}
#define sl_op_concat_offset(scope, concat_dim, shape, shape_count, ...) \
  sl_op_concat_offset_with(SL_AT(scope), (concat_dim), (shape), (shape_count), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ConcatV2(values: N * T, axis: Tidx) -> output: T
// Joins tensors along an axis.
// N: int >= 2; T: type; Tidx: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_concat_v2_with(sl_scope_t *scope, const TF_Output *values, size_t values_count,
    TF_Output axis, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConcatV2", options->name);
  sl_node_input_list(node, values, values_count);
  sl_node_input(node, axis);
  return sl_node_output(node);
}
#define sl_op_concat_v2(scope, values, values_count, axis, ...) \
  sl_op_concat_v2_with(SL_AT(scope), (values), (values_count), (axis), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ConjugateTranspose(x: T, perm: Tperm) -> y: T
// Reorders the dimensions and conjugates.
// T: type; Tperm: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_conjugate_transpose_with(sl_scope_t *scope, TF_Output x, TF_Output perm,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConjugateTranspose", options->name);
  sl_node_input(node, x);
  sl_node_input(node, perm);
  return sl_node_output(node);
}
#define sl_op_conjugate_transpose(scope, x, perm, ...) \
  sl_op_conjugate_transpose_with(SL_AT(scope), (x), (perm), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Const() -> output: dtype
// A constant.
// value: tensor; dtype: type
// Gradients stop here.
static inline TF_Output sl_op_const_with(sl_scope_t *scope, TF_Tensor *value, TF_DataType dtype,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Const", options->name);
  sl_node_attr_tensor(node, "value", value);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_const(scope, value, dtype, ...) \
  sl_op_const_with(SL_AT(scope), (value), (dtype), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Copy(input: T) -> output: T
// A copy, for debuggers.
// T: type; tensor_name: string = ''; debug_ops_spec: list(string) = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *tensor_name;
  sl_op_texts_t debug_ops_spec;
} sl_op_copy_options_t;
static inline TF_Output sl_op_copy_with(sl_scope_t *scope, TF_Output input, const sl_op_copy_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Copy", options->name);
  sl_node_input(node, input);
  if (options->tensor_name) sl_node_attr_text(node, "tensor_name", options->tensor_name);
  if (options->debug_ops_spec.values) sl_node_attr_text_list(node, "debug_ops_spec", options->debug_ops_spec.values,
    options->debug_ops_spec.count);
  return sl_node_output(node);
}
#define sl_op_copy(scope, input, ...) \
  sl_op_copy_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_copy_options_t, __VA_ARGS__))

// CopyHost(input: T) -> output: T
// A copy in host memory, for debuggers.
// T: type; tensor_name: string = ''; debug_ops_spec: list(string) = []
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *tensor_name;
  sl_op_texts_t debug_ops_spec;
} sl_op_copy_host_options_t;
static inline TF_Output sl_op_copy_host_with(sl_scope_t *scope, TF_Output input,
    const sl_op_copy_host_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CopyHost", options->name);
  sl_node_input(node, input);
  if (options->tensor_name) sl_node_attr_text(node, "tensor_name", options->tensor_name);
  if (options->debug_ops_spec.values) sl_node_attr_text_list(node, "debug_ops_spec", options->debug_ops_spec.values,
    options->debug_ops_spec.count);
  return sl_node_output(node);
}
#define sl_op_copy_host(scope, input, ...) \
  sl_op_copy_host_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_copy_host_options_t, __VA_ARGS__))

// DebugGradientIdentity(input: T) -> output: T
// The input; its gradient can be watched.
// T: type
// Differentiable.
static inline TF_Output sl_op_debug_gradient_identity_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DebugGradientIdentity", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_debug_gradient_identity(scope, input, ...) \
  sl_op_debug_gradient_identity_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DeepCopy(x: T) -> y: T
// A copy.
// T: type
// Stateful, no gradient.
static inline TF_Output sl_op_deep_copy_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeepCopy", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_deep_copy(scope, x, ...) \
  sl_op_deep_copy_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DepthToSpace(input: T) -> output: T
// Moves channels into blocks of space.
// T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_depth_to_space_options_t;
static inline TF_Output sl_op_depth_to_space_with(sl_scope_t *scope, TF_Output input, int64_t block_size,
    const sl_op_depth_to_space_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DepthToSpace", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "block_size", block_size);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_depth_to_space(scope, input, block_size, ...) \
  sl_op_depth_to_space_with(SL_AT(scope), (input), (block_size), SL_OPTIONS(sl_op_depth_to_space_options_t, \
    __VA_ARGS__))

// Diag(diagonal: T) -> output: T
// A tensor with a given diagonal.
// T: {bfloat16, half, float, double, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_diag_with(sl_scope_t *scope, TF_Output diagonal, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Diag", options->name);
  sl_node_input(node, diagonal);
  return sl_node_output(node);
}
#define sl_op_diag(scope, diagonal, ...) \
  sl_op_diag_with(SL_AT(scope), (diagonal), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DiagPart(input: T) -> diagonal: T
// The diagonal of a tensor.
// T: {bfloat16, half, float, double, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_diag_part_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DiagPart", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_diag_part(scope, input, ...) \
  sl_op_diag_part_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DynamicPartition(data: T, partitions: int32) -> outputs: num_partitions * T
// Distributes slices to several tensors.
// num_partitions: int >= 1; T: type
// Differentiable.
static inline sl_op_list_t sl_op_dynamic_partition_with(sl_scope_t *scope, TF_Output data, TF_Output partitions,
    int64_t num_partitions, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DynamicPartition", options->name);
  sl_node_input(node, data);
  sl_node_input(node, partitions);
  sl_node_attr_int(node, "num_partitions", num_partitions);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "outputs", 0);
}
#define sl_op_dynamic_partition(scope, data, partitions, num_partitions, ...) \
  sl_op_dynamic_partition_with(SL_AT(scope), (data), (partitions), (num_partitions), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// DynamicStitch(indices: N * int32, data: N * T) -> merged: T
// Merges slices by index.
// N: int >= 1; T: type
// Differentiable.
static inline TF_Output sl_op_dynamic_stitch_with(sl_scope_t *scope, const TF_Output *indices, size_t indices_count,
    const TF_Output *data, size_t data_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DynamicStitch", options->name);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, data, data_count);
  return sl_node_output(node);
}
#define sl_op_dynamic_stitch(scope, indices, indices_count, data, data_count, ...) \
  sl_op_dynamic_stitch_with(SL_AT(scope), (indices), (indices_count), (data), (data_count), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// Empty(shape: int32) -> output: dtype
// A tensor of a given shape.
// dtype: type; init: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool init;
} sl_op_empty_options_t;
static inline TF_Output sl_op_empty_with(sl_scope_t *scope, TF_Output shape, TF_DataType dtype,
    const sl_op_empty_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Empty", options->name);
  sl_node_input(node, shape);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_bool(node, "init", options->init);
  return sl_node_output(node);
}
#define sl_op_empty(scope, shape, dtype, ...) \
  sl_op_empty_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_empty_options_t, __VA_ARGS__))

// EnsureShape(input: T) -> output: T
// The input, after a check of its shape.
// shape: shape; T: type
// Differentiable.
static inline TF_Output sl_op_ensure_shape_with(sl_scope_t *scope, TF_Output input, sl_shape_t shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EnsureShape", options->name);
  sl_node_input(node, input);
  sl_node_attr_shape(node, "shape", shape);
  return sl_node_output(node);
}
#define sl_op_ensure_shape(scope, input, shape, ...) \
  sl_op_ensure_shape_with(SL_AT(scope), (input), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExpandDims(input: T, dim: Tdim) -> output: T
// Inserts a dimension of size 1.
// T: type; Tdim: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_expand_dims_with(sl_scope_t *scope, TF_Output input, TF_Output dim,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExpandDims", options->name);
  sl_node_input(node, input);
  sl_node_input(node, dim);
  return sl_node_output(node);
}
#define sl_op_expand_dims(scope, input, dim, ...) \
  sl_op_expand_dims_with(SL_AT(scope), (input), (dim), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExtractImagePatches(images: T) -> patches: T
// The window around every position of an image.
// ksizes: list(int) >= 4; strides: list(int) >= 4; rates: list(int) >= 4; T: {bfloat16, half, float, double, int8,
//   int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool}; padding: {'SAME', 'VALID'}
// Differentiable.
static inline TF_Output sl_op_extract_image_patches_with(sl_scope_t *scope, TF_Output images, sl_op_ints_t ksizes,
    sl_op_ints_t strides, sl_op_ints_t rates, const char *padding, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExtractImagePatches", options->name);
  sl_node_input(node, images);
  sl_node_attr_int_list(node, "ksizes", ksizes.values, ksizes.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_int_list(node, "rates", rates.values, rates.count);
  sl_node_attr_text(node, "padding", padding);
  return sl_node_output(node);
}
#define sl_op_extract_image_patches(scope, images, ksizes, strides, rates, padding, ...) \
  sl_op_extract_image_patches_with(SL_AT(scope), (images), (ksizes), (strides), (rates), (padding), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// Fill(dims: index_type, value: T) -> output: T
// A tensor filled with one value.
// T: type; index_type: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_fill_with(sl_scope_t *scope, TF_Output dims, TF_Output value,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Fill", options->name);
  sl_node_input(node, dims);
  sl_node_input(node, value);
  return sl_node_output(node);
}
#define sl_op_fill(scope, dims, value, ...) \
  sl_op_fill_with(SL_AT(scope), (dims), (value), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Gather(params: Tparams, indices: Tindices) -> output: Tparams
// Selects rows by index.
// validate_indices: bool = true; Tparams: type; Tindices: {int32, int64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_gather_options_t;
static inline TF_Output sl_op_gather_with(sl_scope_t *scope, TF_Output params, TF_Output indices,
    const sl_op_gather_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Gather", options->name);
  sl_node_input(node, params);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  return sl_node_output(node);
}
#define sl_op_gather(scope, params, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_gather_with(SL_AT(scope), (params), (indices), SL_OPTIONS(sl_op_gather_options_t, \
    .validate_indices = true, __VA_ARGS__)))

// GatherNd(params: Tparams, indices: Tindices) -> output: Tparams
// Selects slices by index vectors.
// Tparams: type; Tindices: {int16, int32, int64}
// Differentiable.
static inline TF_Output sl_op_gather_nd_with(sl_scope_t *scope, TF_Output params, TF_Output indices,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GatherNd", options->name);
  sl_node_input(node, params);
  sl_node_input(node, indices);
  return sl_node_output(node);
}
#define sl_op_gather_nd(scope, params, indices, ...) \
  sl_op_gather_nd_with(SL_AT(scope), (params), (indices), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GatherV2(params: Tparams, indices: Tindices, axis: Taxis) -> output: Tparams
// Selects slices along an axis by index.
// batch_dims: int = 0; Tparams: type; Tindices: {int16, int32, int64}; Taxis: {int32, int64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t batch_dims;
} sl_op_gather_v2_options_t;
static inline TF_Output sl_op_gather_v2_with(sl_scope_t *scope, TF_Output params, TF_Output indices, TF_Output axis,
    const sl_op_gather_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GatherV2", options->name);
  sl_node_input(node, params);
  sl_node_input(node, indices);
  sl_node_input(node, axis);
  sl_node_attr_int(node, "batch_dims", options->batch_dims);
  return sl_node_output(node);
}
#define sl_op_gather_v2(scope, params, indices, axis, ...) \
  sl_op_gather_v2_with(SL_AT(scope), (params), (indices), (axis), SL_OPTIONS(sl_op_gather_v2_options_t, __VA_ARGS__))

// GuaranteeConst(input: T) -> output: T
// The input, which the graph's author promises to be constant.
// T: type
// Stateful, no gradient.
static inline TF_Output sl_op_guarantee_const_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GuaranteeConst", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_guarantee_const(scope, input, ...) \
  sl_op_guarantee_const_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Identity(input: T) -> output: T
// The input itself.
// T: type
// Differentiable.
static inline TF_Output sl_op_identity_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Identity", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_identity(scope, input, ...) \
  sl_op_identity_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IdentityN(input: T) -> output: T
// The inputs themselves.
// T: list(type) >= 1
// Differentiable.
static inline sl_op_list_t sl_op_identity_n_with(sl_scope_t *scope, const TF_Output *input, size_t input_count,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IdentityN", options->name);
  sl_node_input_list(node, input, input_count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_identity_n(scope, input, input_count, ...) \
  sl_op_identity_n_with(SL_AT(scope), (input), (input_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InplaceAdd(x: T, i: int32, v: T) -> y: T
// T: type
// No gradient.
static inline TF_Output sl_op_inplace_add_with(sl_scope_t *scope, TF_Output x, TF_Output i, TF_Output v,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InplaceAdd", options->name);
  sl_node_input(node, x);
  sl_node_input(node, i);
  sl_node_input(node, v);
  return sl_node_output(node);
}
#define sl_op_inplace_add(scope, x, i, v, ...) \
  sl_op_inplace_add_with(SL_AT(scope), (x), (i), (v), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InplaceSub(x: T, i: int32, v: T) -> y: T
// T: type
// No gradient.
static inline TF_Output sl_op_inplace_sub_with(sl_scope_t *scope, TF_Output x, TF_Output i, TF_Output v,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InplaceSub", options->name);
  sl_node_input(node, x);
  sl_node_input(node, i);
  sl_node_input(node, v);
  return sl_node_output(node);
}
#define sl_op_inplace_sub(scope, x, i, v, ...) \
  sl_op_inplace_sub_with(SL_AT(scope), (x), (i), (v), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InplaceUpdate(x: T, i: int32, v: T) -> y: T
// T: type
// No gradient.
static inline TF_Output sl_op_inplace_update_with(sl_scope_t *scope, TF_Output x, TF_Output i, TF_Output v,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InplaceUpdate", options->name);
  sl_node_input(node, x);
  sl_node_input(node, i);
  sl_node_input(node, v);
  return sl_node_output(node);
}
#define sl_op_inplace_update(scope, x, i, v, ...) \
  sl_op_inplace_update_with(SL_AT(scope), (x), (i), (v), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InvertPermutation(x: T) -> y: T
// The inverse of a permutation.
// T: {int32, int64} = DT_INT32
// Gradients stop here.
static inline TF_Output sl_op_invert_permutation_with(sl_scope_t *scope, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InvertPermutation", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_invert_permutation(scope, x, ...) \
  sl_op_invert_permutation_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ListDiff(x: T, y: T) -> out: T, idx: out_idx
// The values of one list that are not in another.
// T: type; out_idx: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_list_diff_options_t;
typedef struct {
  TF_Output out;
  TF_Output idx;
} sl_op_list_diff_t;
static inline sl_op_list_diff_t sl_op_list_diff_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_list_diff_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ListDiff", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_list_diff_t result;
  result.out = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  return result;
}
#define sl_op_list_diff(scope, x, y, ...) \
  sl_op_list_diff_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_list_diff_options_t, __VA_ARGS__))

// LowerBound(sorted_inputs: T, values: T) -> output: out_type
// The first positions at which values can be inserted into sorted rows.
// T: type; out_type: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_lower_bound_options_t;
static inline TF_Output sl_op_lower_bound_with(sl_scope_t *scope, TF_Output sorted_inputs, TF_Output values,
    const sl_op_lower_bound_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LowerBound", options->name);
  sl_node_input(node, sorted_inputs);
  sl_node_input(node, values);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_lower_bound(scope, sorted_inputs, values, ...) \
  sl_op_lower_bound_with(SL_AT(scope), (sorted_inputs), (values), SL_OPTIONS(sl_op_lower_bound_options_t, \
    __VA_ARGS__))

// MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> band: T
// Matrices with zeros outside of a band.
// T: type; Tindex: {int32, int64} = DT_INT64
// Differentiable.
static inline TF_Output sl_op_matrix_band_part_with(sl_scope_t *scope, TF_Output input, TF_Output num_lower,
    TF_Output num_upper, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixBandPart", options->name);
  sl_node_input(node, input);
  sl_node_input(node, num_lower);
  sl_node_input(node, num_upper);
  return sl_node_output(node);
}
#define sl_op_matrix_band_part(scope, input, num_lower, num_upper, ...) \
  sl_op_matrix_band_part_with(SL_AT(scope), (input), (num_lower), (num_upper), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// MatrixDiag(diagonal: T) -> output: T
// Matrices with given diagonals.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_diag_with(sl_scope_t *scope, TF_Output diagonal,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiag", options->name);
  sl_node_input(node, diagonal);
  return sl_node_output(node);
}
#define sl_op_matrix_diag(scope, diagonal, ...) \
  sl_op_matrix_diag_with(SL_AT(scope), (diagonal), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixDiagPart(input: T) -> diagonal: T
// The diagonals of matrices.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_diag_part_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagPart", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_part(scope, input, ...) \
  sl_op_matrix_diag_part_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixDiagPartV2(input: T, k: int32, padding_value: T) -> diagonal: T
// Extracts bands of diagonals of matrices.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_diag_part_v2_with(sl_scope_t *scope, TF_Output input, TF_Output k,
    TF_Output padding_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagPartV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, k);
  sl_node_input(node, padding_value);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_part_v2(scope, input, k, padding_value, ...) \
  sl_op_matrix_diag_part_v2_with(SL_AT(scope), (input), (k), (padding_value), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// MatrixDiagPartV3(input: T, k: int32, padding_value: T) -> diagonal: T
// Extracts bands of diagonals of matrices.
// T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *align;
} sl_op_matrix_diag_part_v3_options_t;
static inline TF_Output sl_op_matrix_diag_part_v3_with(sl_scope_t *scope, TF_Output input, TF_Output k,
    TF_Output padding_value, const sl_op_matrix_diag_part_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagPartV3", options->name);
  sl_node_input(node, input);
  sl_node_input(node, k);
  sl_node_input(node, padding_value);
  if (options->align) sl_node_attr_text(node, "align", options->align);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_part_v3(scope, input, k, padding_value, ...) \
  sl_op_matrix_diag_part_v3_with(SL_AT(scope), (input), (k), (padding_value), SL_OPTIONS( \
    sl_op_matrix_diag_part_v3_options_t, __VA_ARGS__))

// MatrixDiagV2(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> output: T
// Matrices with given bands of diagonals.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_diag_v2_with(sl_scope_t *scope, TF_Output diagonal, TF_Output k,
    TF_Output num_rows, TF_Output num_cols, TF_Output padding_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagV2", options->name);
  sl_node_input(node, diagonal);
  sl_node_input(node, k);
  sl_node_input(node, num_rows);
  sl_node_input(node, num_cols);
  sl_node_input(node, padding_value);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_v2(scope, diagonal, k, num_rows, num_cols, padding_value, ...) \
  sl_op_matrix_diag_v2_with(SL_AT(scope), (diagonal), (k), (num_rows), (num_cols), (padding_value), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// MatrixDiagV3(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> output: T
// Matrices with given bands of diagonals.
// T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *align;
} sl_op_matrix_diag_v3_options_t;
static inline TF_Output sl_op_matrix_diag_v3_with(sl_scope_t *scope, TF_Output diagonal, TF_Output k,
    TF_Output num_rows, TF_Output num_cols, TF_Output padding_value, const sl_op_matrix_diag_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagV3", options->name);
  sl_node_input(node, diagonal);
  sl_node_input(node, k);
  sl_node_input(node, num_rows);
  sl_node_input(node, num_cols);
  sl_node_input(node, padding_value);
  if (options->align) sl_node_attr_text(node, "align", options->align);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_v3(scope, diagonal, k, num_rows, num_cols, padding_value, ...) \
  sl_op_matrix_diag_v3_with(SL_AT(scope), (diagonal), (k), (num_rows), (num_cols), (padding_value), SL_OPTIONS( \
    sl_op_matrix_diag_v3_options_t, __VA_ARGS__))

// MatrixSetDiag(input: T, diagonal: T) -> output: T
// Matrices with their diagonals replaced.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_set_diag_with(sl_scope_t *scope, TF_Output input, TF_Output diagonal,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixSetDiag", options->name);
  sl_node_input(node, input);
  sl_node_input(node, diagonal);
  return sl_node_output(node);
}
#define sl_op_matrix_set_diag(scope, input, diagonal, ...) \
  sl_op_matrix_set_diag_with(SL_AT(scope), (input), (diagonal), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixSetDiagV2(input: T, diagonal: T, k: int32) -> output: T
// Matrices with bands of diagonals replaced.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_set_diag_v2_with(sl_scope_t *scope, TF_Output input, TF_Output diagonal,
    TF_Output k, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixSetDiagV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, diagonal);
  sl_node_input(node, k);
  return sl_node_output(node);
}
#define sl_op_matrix_set_diag_v2(scope, input, diagonal, k, ...) \
  sl_op_matrix_set_diag_v2_with(SL_AT(scope), (input), (diagonal), (k), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixSetDiagV3(input: T, diagonal: T, k: int32) -> output: T
// Matrices with bands of diagonals replaced.
// T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *align;
} sl_op_matrix_set_diag_v3_options_t;
static inline TF_Output sl_op_matrix_set_diag_v3_with(sl_scope_t *scope, TF_Output input, TF_Output diagonal,
    TF_Output k, const sl_op_matrix_set_diag_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixSetDiagV3", options->name);
  sl_node_input(node, input);
  sl_node_input(node, diagonal);
  sl_node_input(node, k);
  if (options->align) sl_node_attr_text(node, "align", options->align);
  return sl_node_output(node);
}
#define sl_op_matrix_set_diag_v3(scope, input, diagonal, k, ...) \
  sl_op_matrix_set_diag_v3_with(SL_AT(scope), (input), (diagonal), (k), SL_OPTIONS( \
    sl_op_matrix_set_diag_v3_options_t, __VA_ARGS__))

// MirrorPad(input: T, paddings: Tpaddings) -> output: T
// Pads a tensor with its mirror images.
// T: type; Tpaddings: {int32, int64} = DT_INT32; mode: {'REFLECT', 'SYMMETRIC'}
// Differentiable.
static inline TF_Output sl_op_mirror_pad_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    const char *mode, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MirrorPad", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  sl_node_attr_text(node, "mode", mode);
  return sl_node_output(node);
}
#define sl_op_mirror_pad(scope, input, paddings, mode, ...) \
  sl_op_mirror_pad_with(SL_AT(scope), (input), (paddings), (mode), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MirrorPadGrad(input: T, paddings: Tpaddings) -> output: T
// The gradient of MirrorPad.
// T: type; Tpaddings: {int32, int64} = DT_INT32; mode: {'REFLECT', 'SYMMETRIC'}
// Differentiable.
static inline TF_Output sl_op_mirror_pad_grad_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    const char *mode, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MirrorPadGrad", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  sl_node_attr_text(node, "mode", mode);
  return sl_node_output(node);
}
#define sl_op_mirror_pad_grad(scope, input, paddings, mode, ...) \
  sl_op_mirror_pad_grad_with(SL_AT(scope), (input), (paddings), (mode), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// OneHot(indices: TI, depth: int32, on_value: T, off_value: T) -> output: T
// Indices as one-hot vectors.
// axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t axis;
} sl_op_one_hot_options_t;
static inline TF_Output sl_op_one_hot_with(sl_scope_t *scope, TF_Output indices, TF_Output depth, TF_Output on_value,
    TF_Output off_value, const sl_op_one_hot_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OneHot", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, depth);
  sl_node_input(node, on_value);
  sl_node_input(node, off_value);
  sl_node_attr_int(node, "axis", options->axis);
  return sl_node_output(node);
}
#define sl_op_one_hot(scope, indices, depth, on_value, off_value, ...) \
  SL_OVER_DEFAULTS(sl_op_one_hot_with(SL_AT(scope), (indices), (depth), (on_value), (off_value), SL_OPTIONS( \
    sl_op_one_hot_options_t, .axis = -1, __VA_ARGS__)))

// OnesLike(x: T) -> y: T
// Ones of the input's shape and type.
// T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, complex128,
//   bool}
// Gradients stop here.
static inline TF_Output sl_op_ones_like_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OnesLike", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_ones_like(scope, x, ...) \
  sl_op_ones_like_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Pack(values: N * T) -> output: T
// Stacks tensors along a new axis.
// N: int >= 1; T: type; axis: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t axis;
} sl_op_pack_options_t;
static inline TF_Output sl_op_pack_with(sl_scope_t *scope, const TF_Output *values, size_t values_count,
    const sl_op_pack_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Pack", options->name);
  sl_node_input_list(node, values, values_count);
  sl_node_attr_int(node, "axis", options->axis);
  return sl_node_output(node);
}
#define sl_op_pack(scope, values, values_count, ...) \
  sl_op_pack_with(SL_AT(scope), (values), (values_count), SL_OPTIONS(sl_op_pack_options_t, __VA_ARGS__))

// Pad(input: T, paddings: Tpaddings) -> output: T
// Pads a tensor with zeros.
// T: type; Tpaddings: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_pad_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Pad", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  return sl_node_output(node);
}
#define sl_op_pad(scope, input, paddings, ...) \
  sl_op_pad_with(SL_AT(scope), (input), (paddings), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// PadV2(input: T, paddings: Tpaddings, constant_values: T) -> output: T
// Pads a tensor with a value.
// T: type; Tpaddings: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_pad_v2_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    TF_Output constant_values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PadV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  sl_node_input(node, constant_values);
  return sl_node_output(node);
}
#define sl_op_pad_v2(scope, input, paddings, constant_values, ...) \
  sl_op_pad_v2_with(SL_AT(scope), (input), (paddings), (constant_values), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ParallelConcat(values: N * T) -> output: T
// N: int >= 1; T: type; shape: shape
// No gradient.
static inline TF_Output sl_op_parallel_concat_with(sl_scope_t *scope, const TF_Output *values, size_t values_count,
    sl_shape_t shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelConcat", options->name);
  sl_node_input_list(node, values, values_count);
  sl_node_attr_shape(node, "shape", shape);
  return sl_node_output(node);
}
#define sl_op_parallel_concat(scope, values, values_count, shape, ...) \
  sl_op_parallel_concat_with(SL_AT(scope), (values), (values_count), (shape), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ParallelDynamicStitch(indices: N * int32, data: N * T) -> merged: T
// Merges slices by index.
// N: int >= 1; T: type
// Differentiable.
static inline TF_Output sl_op_parallel_dynamic_stitch_with(sl_scope_t *scope, const TF_Output *indices,
    size_t indices_count, const TF_Output *data, size_t data_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelDynamicStitch", options->name);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, data, data_count);
  return sl_node_output(node);
}
#define sl_op_parallel_dynamic_stitch(scope, indices, indices_count, data, data_count, ...) \
  sl_op_parallel_dynamic_stitch_with(SL_AT(scope), (indices), (indices_count), (data), (data_count), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// PreventGradient(input: T) -> output: T
// The input; a request for its gradient is an error.
// T: type; message: string = ''
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *message;
} sl_op_prevent_gradient_options_t;
static inline TF_Output sl_op_prevent_gradient_with(sl_scope_t *scope, TF_Output input,
    const sl_op_prevent_gradient_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PreventGradient", options->name);
  sl_node_input(node, input);
  if (options->message) sl_node_attr_text(node, "message", options->message);
  return sl_node_output(node);
}
#define sl_op_prevent_gradient(scope, input, ...) \
  sl_op_prevent_gradient_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_prevent_gradient_options_t, __VA_ARGS__))

// Rank(input: T) -> output: int32
// The number of dimensions.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_rank_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Rank", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_rank(scope, input, ...) sl_op_rank_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RefIdentity(input: Ref(T)) -> output: Ref(T)
// The same reference.
// T: type
// Differentiable.
static inline TF_Output sl_op_ref_identity_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RefIdentity", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_ref_identity(scope, input, ...) \
  sl_op_ref_identity_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Reshape(tensor: T, shape: Tshape) -> output: T
// The same elements with another shape.
// T: type; Tshape: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_reshape_with(sl_scope_t *scope, TF_Output tensor, TF_Output shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Reshape", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, shape);
  return sl_node_output(node);
}
#define sl_op_reshape(scope, tensor, shape, ...) \
  sl_op_reshape_with(SL_AT(scope), (tensor), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Reverse(tensor: T, dims: bool) -> output: T
// Reverses the marked dimensions.
// T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, complex64,
//   complex128, string}
// Differentiable.
static inline TF_Output sl_op_reverse_with(sl_scope_t *scope, TF_Output tensor, TF_Output dims,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Reverse", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, dims);
  return sl_node_output(node);
}
#define sl_op_reverse(scope, tensor, dims, ...) \
  sl_op_reverse_with(SL_AT(scope), (tensor), (dims), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReverseSequence(input: T, seq_lengths: Tlen) -> output: T
// Reverses each sequence of a batch, up to its length.
// seq_dim: int; batch_dim: int = 0; T: type; Tlen: {int32, int64} = DT_INT64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t batch_dim;
} sl_op_reverse_sequence_options_t;
static inline TF_Output sl_op_reverse_sequence_with(sl_scope_t *scope, TF_Output input, TF_Output seq_lengths,
    int64_t seq_dim, const sl_op_reverse_sequence_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReverseSequence", options->name);
  sl_node_input(node, input);
  sl_node_input(node, seq_lengths);
  sl_node_attr_int(node, "seq_dim", seq_dim);
  sl_node_attr_int(node, "batch_dim", options->batch_dim);
  return sl_node_output(node);
}
#define sl_op_reverse_sequence(scope, input, seq_lengths, seq_dim, ...) \
  sl_op_reverse_sequence_with(SL_AT(scope), (input), (seq_lengths), (seq_dim), SL_OPTIONS( \
    sl_op_reverse_sequence_options_t, __VA_ARGS__))

// ReverseV2(tensor: T, axis: Tidx) -> output: T
// Reverses the listed dimensions.
// Tidx: {int32, int64} = DT_INT32; T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16,
//   half, float, double, complex64, complex128, string}
// Differentiable.
static inline TF_Output sl_op_reverse_v2_with(sl_scope_t *scope, TF_Output tensor, TF_Output axis,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReverseV2", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, axis);
  return sl_node_output(node);
}
#define sl_op_reverse_v2(scope, tensor, axis, ...) \
  sl_op_reverse_v2_with(SL_AT(scope), (tensor), (axis), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Roll(input: T, shift: Tshift, axis: Taxis) -> output: T
// Shifts elements cyclically along dimensions.
// T: type; Tshift: {int32, int64}; Taxis: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_roll_with(sl_scope_t *scope, TF_Output input, TF_Output shift, TF_Output axis,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Roll", options->name);
  sl_node_input(node, input);
  sl_node_input(node, shift);
  sl_node_input(node, axis);
  return sl_node_output(node);
}
#define sl_op_roll(scope, input, shift, axis, ...) \
  sl_op_roll_with(SL_AT(scope), (input), (shift), (axis), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Shape(input: T) -> output: out_type
// The shape as a vector.
// T: type; out_type: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_shape_options_t;
static inline TF_Output sl_op_shape_with(sl_scope_t *scope, TF_Output input, const sl_op_shape_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Shape", options->name);
  sl_node_input(node, input);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_shape(scope, input, ...) \
  sl_op_shape_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_shape_options_t, __VA_ARGS__))

// ShapeN(input: N * T) -> output: N * out_type
// The shapes as vectors.
// N: int >= 1; T: type; out_type: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_shape_n_options_t;
static inline sl_op_list_t sl_op_shape_n_with(sl_scope_t *scope, const TF_Output *input, size_t input_count,
    const sl_op_shape_n_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShapeN", options->name);
  sl_node_input_list(node, input, input_count);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_shape_n(scope, input, input_count, ...) \
  sl_op_shape_n_with(SL_AT(scope), (input), (input_count), SL_OPTIONS(sl_op_shape_n_options_t, __VA_ARGS__))

// Size(input: T) -> output: out_type
// The number of elements.
// T: type; out_type: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_size_options_t;
static inline TF_Output sl_op_size_with(sl_scope_t *scope, TF_Output input, const sl_op_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Size", options->name);
  sl_node_input(node, input);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_size(scope, input, ...) \
  sl_op_size_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_size_options_t, __VA_ARGS__))

// Slice(input: T, begin: Index, size: Index) -> output: T
// Extracts a box from a tensor.
// T: type; Index: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_slice_with(sl_scope_t *scope, TF_Output input, TF_Output begin, TF_Output size,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Slice", options->name);
  sl_node_input(node, input);
  sl_node_input(node, begin);
  sl_node_input(node, size);
  return sl_node_output(node);
}
#define sl_op_slice(scope, input, begin, size, ...) \
  sl_op_slice_with(SL_AT(scope), (input), (begin), (size), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Snapshot(input: T) -> output: T
// A copy that later updates do not change.
// T: type
// No gradient.
static inline TF_Output sl_op_snapshot_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Snapshot", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_snapshot(scope, input, ...) \
  sl_op_snapshot_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SpaceToBatch(input: T, paddings: Tpaddings) -> output: T
// Moves blocks of space into the batch.
// T: type; Tpaddings: {int32, int64} = DT_INT32; block_size: int >= 2
// Differentiable.
static inline TF_Output sl_op_space_to_batch_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    int64_t block_size, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SpaceToBatch", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  sl_node_attr_int(node, "block_size", block_size);
  return sl_node_output(node);
}
#define sl_op_space_to_batch(scope, input, paddings, block_size, ...) \
  sl_op_space_to_batch_with(SL_AT(scope), (input), (paddings), (block_size), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SpaceToBatchND(input: T, block_shape: Tblock_shape, paddings: Tpaddings) -> output: T
// Moves blocks of space into the batch.
// T: type; Tblock_shape: {int32, int64} = DT_INT32; Tpaddings: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_space_to_batch_nd_with(sl_scope_t *scope, TF_Output input, TF_Output block_shape,
    TF_Output paddings, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SpaceToBatchND", options->name);
  sl_node_input(node, input);
  sl_node_input(node, block_shape);
  sl_node_input(node, paddings);
  return sl_node_output(node);
}
#define sl_op_space_to_batch_nd(scope, input, block_shape, paddings, ...) \
  sl_op_space_to_batch_nd_with(SL_AT(scope), (input), (block_shape), (paddings), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SpaceToDepth(input: T) -> output: T
// Moves blocks of space into the channels.
// T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_space_to_depth_options_t;
static inline TF_Output sl_op_space_to_depth_with(sl_scope_t *scope, TF_Output input, int64_t block_size,
    const sl_op_space_to_depth_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SpaceToDepth", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "block_size", block_size);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_space_to_depth(scope, input, block_size, ...) \
  sl_op_space_to_depth_with(SL_AT(scope), (input), (block_size), SL_OPTIONS(sl_op_space_to_depth_options_t, \
    __VA_ARGS__))

// Split(split_dim: int32, value: T) -> output: num_split * T
// Cuts a tensor into equal parts.
// num_split: int >= 1; T: type
// Differentiable.
static inline sl_op_list_t sl_op_split_with(sl_scope_t *scope, TF_Output split_dim, TF_Output value,
    int64_t num_split, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Split", options->name);
  sl_node_input(node, split_dim);
  sl_node_input(node, value);
  sl_node_attr_int(node, "num_split", num_split);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_split(scope, split_dim, value, num_split, ...) \
  sl_op_split_with(SL_AT(scope), (split_dim), (value), (num_split), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SplitV(value: T, size_splits: Tlen, split_dim: int32) -> output: num_split * T
// Cuts a tensor into parts of given sizes.
// num_split: int >= 1; T: type; Tlen: {int8, int32, int64} = DT_INT64
// Differentiable.
static inline sl_op_list_t sl_op_split_v_with(sl_scope_t *scope, TF_Output value, TF_Output size_splits,
    TF_Output split_dim, int64_t num_split, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SplitV", options->name);
  sl_node_input(node, value);
  sl_node_input(node, size_splits);
  sl_node_input(node, split_dim);
  sl_node_attr_int(node, "num_split", num_split);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_split_v(scope, value, size_splits, split_dim, num_split, ...) \
  sl_op_split_v_with(SL_AT(scope), (value), (size_splits), (split_dim), (num_split), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Squeeze(input: T) -> output: T
// Removes dimensions of size 1.
// T: type; squeeze_dims: list(int) >= 0 = []
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t squeeze_dims;
} sl_op_squeeze_options_t;
static inline TF_Output sl_op_squeeze_with(sl_scope_t *scope, TF_Output input,
    const sl_op_squeeze_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Squeeze", options->name);
  sl_node_input(node, input);
  if (options->squeeze_dims.values) sl_node_attr_int_list(node, "squeeze_dims", options->squeeze_dims.values,
    options->squeeze_dims.count);
  return sl_node_output(node);
}
#define sl_op_squeeze(scope, input, ...) \
  sl_op_squeeze_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_squeeze_options_t, __VA_ARGS__))

// StopGradient(input: T) -> output: T
// The input; no gradient flows back.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_stop_gradient_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StopGradient", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_stop_gradient(scope, input, ...) \
  sl_op_stop_gradient_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> output: T
// Extracts a slice, like Python's subscripts.
// T: type; Index: {int16, int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0;
//   new_axis_mask: int = 0; shrink_axis_mask: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_strided_slice_options_t;
static inline TF_Output sl_op_strided_slice_with(sl_scope_t *scope, TF_Output input, TF_Output begin, TF_Output end,
    TF_Output strides, const sl_op_strided_slice_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StridedSlice", options->name);
  sl_node_input(node, input);
  sl_node_input(node, begin);
  sl_node_input(node, end);
  sl_node_input(node, strides);
  sl_node_attr_int(node, "begin_mask", options->begin_mask);
  sl_node_attr_int(node, "end_mask", options->end_mask);
  sl_node_attr_int(node, "ellipsis_mask", options->ellipsis_mask);
  sl_node_attr_int(node, "new_axis_mask", options->new_axis_mask);
  sl_node_attr_int(node, "shrink_axis_mask", options->shrink_axis_mask);
  return sl_node_output(node);
}
#define sl_op_strided_slice(scope, input, begin, end, strides, ...) \
  sl_op_strided_slice_with(SL_AT(scope), (input), (begin), (end), (strides), SL_OPTIONS( \
    sl_op_strided_slice_options_t, __VA_ARGS__))

// StridedSliceGrad(shape: Index, begin: Index, end: Index, strides: Index, dy: T) -> output: T
// The gradient of StridedSlice.
// T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int
//   = 0; shrink_axis_mask: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_strided_slice_grad_options_t;
static inline TF_Output sl_op_strided_slice_grad_with(sl_scope_t *scope, TF_Output shape, TF_Output begin,
    TF_Output end, TF_Output strides, TF_Output dy, const sl_op_strided_slice_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StridedSliceGrad", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, begin);
  sl_node_input(node, end);
  sl_node_input(node, strides);
  sl_node_input(node, dy);
  sl_node_attr_int(node, "begin_mask", options->begin_mask);
  sl_node_attr_int(node, "end_mask", options->end_mask);
  sl_node_attr_int(node, "ellipsis_mask", options->ellipsis_mask);
  sl_node_attr_int(node, "new_axis_mask", options->new_axis_mask);
  sl_node_attr_int(node, "shrink_axis_mask", options->shrink_axis_mask);
  return sl_node_output(node);
}
#define sl_op_strided_slice_grad(scope, shape, begin, end, strides, dy, ...) \
  sl_op_strided_slice_grad_with(SL_AT(scope), (shape), (begin), (end), (strides), (dy), SL_OPTIONS( \
    sl_op_strided_slice_grad_options_t, __VA_ARGS__))

// TensorStridedSliceUpdate(input: T, begin: Index, end: Index, strides: Index, value: T) -> output: T
// A tensor with a slice replaced.
// T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int
//   = 0; shrink_axis_mask: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_tensor_strided_slice_update_options_t;
static inline TF_Output sl_op_tensor_strided_slice_update_with(sl_scope_t *scope, TF_Output input, TF_Output begin,
    TF_Output end, TF_Output strides, TF_Output value, const sl_op_tensor_strided_slice_update_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorStridedSliceUpdate", options->name);
  sl_node_input(node, input);
  sl_node_input(node, begin);
  sl_node_input(node, end);
  sl_node_input(node, strides);
  sl_node_input(node, value);
  sl_node_attr_int(node, "begin_mask", options->begin_mask);
  sl_node_attr_int(node, "end_mask", options->end_mask);
  sl_node_attr_int(node, "ellipsis_mask", options->ellipsis_mask);
  sl_node_attr_int(node, "new_axis_mask", options->new_axis_mask);
  sl_node_attr_int(node, "shrink_axis_mask", options->shrink_axis_mask);
  return sl_node_output(node);
}
#define sl_op_tensor_strided_slice_update(scope, input, begin, end, strides, value, ...) \
  sl_op_tensor_strided_slice_update_with(SL_AT(scope), (input), (begin), (end), (strides), (value), SL_OPTIONS( \
    sl_op_tensor_strided_slice_update_options_t, __VA_ARGS__))

// Tile(input: T, multiples: Tmultiples) -> output: T
// Repeats the whole tensor along its dimensions.
// T: type; Tmultiples: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_tile_with(sl_scope_t *scope, TF_Output input, TF_Output multiples,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Tile", options->name);
  sl_node_input(node, input);
  sl_node_input(node, multiples);
  return sl_node_output(node);
}
#define sl_op_tile(scope, input, multiples, ...) \
  sl_op_tile_with(SL_AT(scope), (input), (multiples), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TileGrad(input: T, multiples: int32) -> output: T
// T: type
// No gradient. Deprecated since GraphDef version 3: TileGrad has been replaced with reduce_sum
static inline TF_Output sl_op_tile_grad_with(sl_scope_t *scope, TF_Output input, TF_Output multiples,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TileGrad", options->name);
  sl_node_input(node, input);
  sl_node_input(node, multiples);
  return sl_node_output(node);
}
#define sl_op_tile_grad(scope, input, multiples, ...) \
  sl_op_tile_grad_with(SL_AT(scope), (input), (multiples), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Transpose(x: T, perm: Tperm) -> y: T
// Reorders the dimensions.
// T: type; Tperm: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_transpose_with(sl_scope_t *scope, TF_Output x, TF_Output perm,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Transpose", options->name);
  sl_node_input(node, x);
  sl_node_input(node, perm);
  return sl_node_output(node);
}
#define sl_op_transpose(scope, x, perm, ...) \
  sl_op_transpose_with(SL_AT(scope), (x), (perm), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Unique(x: T) -> y: T, idx: out_idx
// Distinct values, and for each element its index among them.
// T: type; out_idx: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_unique_options_t;
typedef struct {
  TF_Output y;
  TF_Output idx;
} sl_op_unique_t;
static inline sl_op_unique_t sl_op_unique_with(sl_scope_t *scope, TF_Output x,
    const sl_op_unique_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Unique", options->name);
  sl_node_input(node, x);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unique_t result;
  result.y = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  return result;
}
#define sl_op_unique(scope, x, ...) \
  sl_op_unique_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_unique_options_t, __VA_ARGS__))

// UniqueV2(x: T, axis: Taxis) -> y: T, idx: out_idx
// Distinct slices, and for each slice its index among them.
// T: type; Taxis: {int32, int64} = DT_INT64; out_idx: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_unique_v2_options_t;
typedef struct {
  TF_Output y;
  TF_Output idx;
} sl_op_unique_v2_t;
static inline sl_op_unique_v2_t sl_op_unique_v2_with(sl_scope_t *scope, TF_Output x, TF_Output axis,
    const sl_op_unique_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UniqueV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unique_v2_t result;
  result.y = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  return result;
}
#define sl_op_unique_v2(scope, x, axis, ...) \
  sl_op_unique_v2_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_unique_v2_options_t, __VA_ARGS__))

// UniqueWithCounts(x: T) -> y: T, idx: out_idx, count: out_idx
// Distinct values with their counts.
// T: type; out_idx: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_unique_with_counts_options_t;
typedef struct {
  TF_Output y;
  TF_Output idx;
  TF_Output count;
} sl_op_unique_with_counts_t;
static inline sl_op_unique_with_counts_t sl_op_unique_with_counts_with(sl_scope_t *scope, TF_Output x,
    const sl_op_unique_with_counts_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UniqueWithCounts", options->name);
  sl_node_input(node, x);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unique_with_counts_t result;
  result.y = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  result.count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_unique_with_counts(scope, x, ...) \
  sl_op_unique_with_counts_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_unique_with_counts_options_t, __VA_ARGS__))

// UniqueWithCountsV2(x: T, axis: Taxis) -> y: T, idx: out_idx, count: out_idx
// Distinct slices with their counts.
// T: type; Taxis: {int32, int64} = DT_INT64; out_idx: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_unique_with_counts_v2_options_t;
typedef struct {
  TF_Output y;
  TF_Output idx;
  TF_Output count;
} sl_op_unique_with_counts_v2_t;
static inline sl_op_unique_with_counts_v2_t sl_op_unique_with_counts_v2_with(sl_scope_t *scope, TF_Output x,
    TF_Output axis, const sl_op_unique_with_counts_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UniqueWithCountsV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unique_with_counts_v2_t result;
  result.y = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  result.count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_unique_with_counts_v2(scope, x, axis, ...) \
  sl_op_unique_with_counts_v2_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_unique_with_counts_v2_options_t, \
    __VA_ARGS__))

// Unpack(value: T) -> output: num * T
// Splits a tensor into its slices along an axis.
// num: int >= 0; T: type; axis: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t axis;
} sl_op_unpack_options_t;
static inline sl_op_list_t sl_op_unpack_with(sl_scope_t *scope, TF_Output value, int64_t num,
    const sl_op_unpack_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Unpack", options->name);
  sl_node_input(node, value);
  sl_node_attr_int(node, "num", num);
  sl_node_attr_int(node, "axis", options->axis);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_unpack(scope, value, num, ...) \
  sl_op_unpack_with(SL_AT(scope), (value), (num), SL_OPTIONS(sl_op_unpack_options_t, __VA_ARGS__))

// UnravelIndex(indices: Tidx, dims: Tidx) -> output: Tidx
// Tidx: {int32, int64} = DT_INT32
// No gradient.
static inline TF_Output sl_op_unravel_index_with(sl_scope_t *scope, TF_Output indices, TF_Output dims,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnravelIndex", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, dims);
  return sl_node_output(node);
}
#define sl_op_unravel_index(scope, indices, dims, ...) \
  sl_op_unravel_index_with(SL_AT(scope), (indices), (dims), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// UpperBound(sorted_inputs: T, values: T) -> output: out_type
// The last positions at which values can be inserted into sorted rows.
// T: type; out_type: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_upper_bound_options_t;
static inline TF_Output sl_op_upper_bound_with(sl_scope_t *scope, TF_Output sorted_inputs, TF_Output values,
    const sl_op_upper_bound_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UpperBound", options->name);
  sl_node_input(node, sorted_inputs);
  sl_node_input(node, values);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_upper_bound(scope, sorted_inputs, values, ...) \
  sl_op_upper_bound_with(SL_AT(scope), (sorted_inputs), (values), SL_OPTIONS(sl_op_upper_bound_options_t, \
    __VA_ARGS__))

// Where(input: T) -> index: int64
// Coordinates of the elements that are not zero.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64, bool} = DT_BOOL
// No gradient.
static inline TF_Output sl_op_where_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Where", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_where(scope, input, ...) \
  sl_op_where_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ZerosLike(x: T) -> y: T
// Zeros of the input's shape and type.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_zeros_like_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ZerosLike", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_zeros_like(scope, x, ...) \
  sl_op_zeros_like_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_ARRAY_H_
