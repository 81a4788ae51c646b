// Ops: arrays and stacks of tensors, for loops.
// Generated from src/ops/tensor_array by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_TENSOR_ARRAY_H_
#define SLUICE_OPS_TENSOR_ARRAY_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// Stack() -> handle: Ref(string)
// A stack of tensors that lives for one step.
// elem_type: type; stack_name: string = ''
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *stack_name;
} sl_op_stack_options_t;
static inline TF_Output sl_op_stack_with(sl_scope_t *scope, TF_DataType elem_type,
    const sl_op_stack_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Stack", options->name);
  sl_node_attr_type(node, "elem_type", elem_type);
  if (options->stack_name) sl_node_attr_text(node, "stack_name", options->stack_name);
  return sl_node_output(node);
}
#define sl_op_stack(scope, elem_type, ...) \
  sl_op_stack_with(SL_AT(scope), (elem_type), SL_OPTIONS(sl_op_stack_options_t, __VA_ARGS__))

// StackClose(handle: Ref(string))
// Closes a stack.
// Gradients stop here.
static inline TF_Operation *sl_op_stack_close_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackClose", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_stack_close(scope, handle, ...) \
  sl_op_stack_close_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StackCloseV2(handle: resource)
// Closes a stack.
// Stateful, no gradient.
static inline TF_Operation *sl_op_stack_close_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackCloseV2", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_stack_close_v2(scope, handle, ...) \
  sl_op_stack_close_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StackPop(handle: Ref(string)) -> elem: elem_type
// Pops a tensor from a stack.
// elem_type: type
// Gradients stop here.
static inline TF_Output sl_op_stack_pop_with(sl_scope_t *scope, TF_Output handle, TF_DataType elem_type,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackPop", options->name);
  sl_node_input(node, handle);
  sl_node_attr_type(node, "elem_type", elem_type);
  return sl_node_output(node);
}
#define sl_op_stack_pop(scope, handle, elem_type, ...) \
  sl_op_stack_pop_with(SL_AT(scope), (handle), (elem_type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StackPopV2(handle: resource) -> elem: elem_type
// Pops a tensor from a stack.
// elem_type: type
// Stateful, no gradient.
static inline TF_Output sl_op_stack_pop_v2_with(sl_scope_t *scope, TF_Output handle, TF_DataType elem_type,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackPopV2", options->name);
  sl_node_input(node, handle);
  sl_node_attr_type(node, "elem_type", elem_type);
  return sl_node_output(node);
}
#define sl_op_stack_pop_v2(scope, handle, elem_type, ...) \
  sl_op_stack_pop_v2_with(SL_AT(scope), (handle), (elem_type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StackPush(handle: Ref(string), elem: T) -> output: T
// Pushes a tensor onto a stack and outputs it.
// T: type; swap_memory: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool swap_memory;
} sl_op_stack_push_options_t;
static inline TF_Output sl_op_stack_push_with(sl_scope_t *scope, TF_Output handle, TF_Output elem,
    const sl_op_stack_push_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackPush", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, elem);
  sl_node_attr_bool(node, "swap_memory", options->swap_memory);
  return sl_node_output(node);
}
#define sl_op_stack_push(scope, handle, elem, ...) \
  sl_op_stack_push_with(SL_AT(scope), (handle), (elem), SL_OPTIONS(sl_op_stack_push_options_t, __VA_ARGS__))

// StackPushV2(handle: resource, elem: T) -> output: T
// Pushes a tensor onto a stack and outputs it.
// T: type; swap_memory: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool swap_memory;
} sl_op_stack_push_v2_options_t;
static inline TF_Output sl_op_stack_push_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output elem,
    const sl_op_stack_push_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackPushV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, elem);
  sl_node_attr_bool(node, "swap_memory", options->swap_memory);
  return sl_node_output(node);
}
#define sl_op_stack_push_v2(scope, handle, elem, ...) \
  sl_op_stack_push_v2_with(SL_AT(scope), (handle), (elem), SL_OPTIONS(sl_op_stack_push_v2_options_t, __VA_ARGS__))

// StackV2(max_size: int32) -> handle: resource
// A stack of tensors that lives for one step.
// elem_type: type; stack_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *stack_name;
} sl_op_stack_v2_options_t;
static inline TF_Output sl_op_stack_v2_with(sl_scope_t *scope, TF_Output max_size, TF_DataType elem_type,
    const sl_op_stack_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackV2", options->name);
  sl_node_input(node, max_size);
  sl_node_attr_type(node, "elem_type", elem_type);
  if (options->stack_name) sl_node_attr_text(node, "stack_name", options->stack_name);
  return sl_node_output(node);
}
#define sl_op_stack_v2(scope, max_size, elem_type, ...) \
  sl_op_stack_v2_with(SL_AT(scope), (max_size), (elem_type), SL_OPTIONS(sl_op_stack_v2_options_t, __VA_ARGS__))

// TensorArray(size: int32) -> handle: Ref(string)
// An array of tensors that lives for one step.
// dtype: type; dynamic_size: bool = false; clear_after_read: bool = true; tensor_array_name: string = '';
//   element_shape: shape = { unknown_rank: true }
// Stateful; gradients stop here. Deprecated since GraphDef version 16: Use TensorArrayV3
typedef struct {
  size_t struct_size;
  const char *name;
  bool dynamic_size;
  bool clear_after_read;
  const char *tensor_array_name;
  sl_shape_t element_shape;
} sl_op_tensor_array_options_t;
static inline TF_Output sl_op_tensor_array_with(sl_scope_t *scope, TF_Output size, TF_DataType dtype,
    const sl_op_tensor_array_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArray", options->name);
  sl_node_input(node, size);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_bool(node, "dynamic_size", options->dynamic_size);
  sl_node_attr_bool(node, "clear_after_read", options->clear_after_read);
  if (options->tensor_array_name) sl_node_attr_text(node, "tensor_array_name", options->tensor_array_name);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array(scope, size, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_with(SL_AT(scope), (size), (dtype), SL_OPTIONS(sl_op_tensor_array_options_t, \
    .clear_after_read = true, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayClose(handle: Ref(string))
// Releases the elements of a TensorArray; later use of it fails.
// Gradients stop here. Deprecated since GraphDef version 16: Use TensorArrayCloseV3
static inline TF_Operation *sl_op_tensor_array_close_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayClose", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_tensor_array_close(scope, handle, ...) \
  sl_op_tensor_array_close_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayCloseV2(handle: string)
// Releases the elements of a TensorArray; later use of it fails.
// Gradients stop here. Deprecated since GraphDef version 26: Use TensorArrayCloseV3
static inline TF_Operation *sl_op_tensor_array_close_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayCloseV2", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_tensor_array_close_v2(scope, handle, ...) \
  sl_op_tensor_array_close_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayCloseV3(handle: resource)
// Releases the elements of a TensorArray; later use of it fails.
// Stateful; gradients stop here.
static inline TF_Operation *sl_op_tensor_array_close_v3_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayCloseV3", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_tensor_array_close_v3(scope, handle, ...) \
  sl_op_tensor_array_close_v3_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayConcat(handle: Ref(string), flow_in: float) -> value: dtype, lengths: int64
// Concatenates all elements of a TensorArray.
// dtype: type; element_shape_except0: shape = { unknown_rank: true }
// Differentiable. Deprecated since GraphDef version 16: Use TensorArrayGradV3
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape_except0;
} sl_op_tensor_array_concat_options_t;
typedef struct {
  TF_Output value;
  TF_Output lengths;
} sl_op_tensor_array_concat_t;
static inline sl_op_tensor_array_concat_t sl_op_tensor_array_concat_with(sl_scope_t *scope, TF_Output handle,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_concat_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayConcat", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape_except0", options->element_shape_except0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_concat_t result;
  result.value = sl_op_output(operation, 0);
  result.lengths = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_concat(scope, handle, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_concat_with(SL_AT(scope), (handle), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_concat_options_t, .element_shape_except0 = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayConcatV2(handle: string, flow_in: float) -> value: dtype, lengths: int64
// Concatenates all elements of a TensorArray.
// dtype: type; element_shape_except0: shape = { unknown_rank: true }
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape_except0;
} sl_op_tensor_array_concat_v2_options_t;
typedef struct {
  TF_Output value;
  TF_Output lengths;
} sl_op_tensor_array_concat_v2_t;
static inline sl_op_tensor_array_concat_v2_t sl_op_tensor_array_concat_v2_with(sl_scope_t *scope, TF_Output handle,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_concat_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayConcatV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape_except0", options->element_shape_except0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_concat_v2_t result;
  result.value = sl_op_output(operation, 0);
  result.lengths = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_concat_v2(scope, handle, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_concat_v2_with(SL_AT(scope), (handle), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_concat_v2_options_t, .element_shape_except0 = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayConcatV3(handle: resource, flow_in: float) -> value: dtype, lengths: int64
// Concatenates all elements of a TensorArray.
// dtype: type; element_shape_except0: shape = { unknown_rank: true }
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape_except0;
} sl_op_tensor_array_concat_v3_options_t;
typedef struct {
  TF_Output value;
  TF_Output lengths;
} sl_op_tensor_array_concat_v3_t;
static inline sl_op_tensor_array_concat_v3_t sl_op_tensor_array_concat_v3_with(sl_scope_t *scope, TF_Output handle,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_concat_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayConcatV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape_except0", options->element_shape_except0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_concat_v3_t result;
  result.value = sl_op_output(operation, 0);
  result.lengths = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_concat_v3(scope, handle, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_concat_v3_with(SL_AT(scope), (handle), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_concat_v3_options_t, .element_shape_except0 = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayGather(handle: Ref(string), indices: int32, flow_in: float) -> value: dtype
// Stacks some elements of a TensorArray into one tensor.
// dtype: type; element_shape: shape = { unknown_rank: true }
// Differentiable. Deprecated since GraphDef version 16: Use TensorArrayGatherV3
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
} sl_op_tensor_array_gather_options_t;
static inline TF_Output sl_op_tensor_array_gather_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_gather_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGather", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array_gather(scope, handle, indices, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_gather_with(SL_AT(scope), (handle), (indices), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_gather_options_t, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayGatherV2(handle: string, indices: int32, flow_in: float) -> value: dtype
// Stacks some elements of a TensorArray into one tensor.
// dtype: type; element_shape: shape = { unknown_rank: true }
// Differentiable. Deprecated since GraphDef version 26: Use TensorArrayGatherV3
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
} sl_op_tensor_array_gather_v2_options_t;
static inline TF_Output sl_op_tensor_array_gather_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_gather_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGatherV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array_gather_v2(scope, handle, indices, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_gather_v2_with(SL_AT(scope), (handle), (indices), (flow_in), (dtype), \
    SL_OPTIONS(sl_op_tensor_array_gather_v2_options_t, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayGatherV3(handle: resource, indices: int32, flow_in: float) -> value: dtype
// Stacks some elements of a TensorArray into one tensor.
// dtype: type; element_shape: shape = { unknown_rank: true }
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
} sl_op_tensor_array_gather_v3_options_t;
static inline TF_Output sl_op_tensor_array_gather_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_gather_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGatherV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array_gather_v3(scope, handle, indices, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_gather_v3_with(SL_AT(scope), (handle), (indices), (flow_in), (dtype), \
    SL_OPTIONS(sl_op_tensor_array_gather_v3_options_t, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayGrad(handle: string, flow_in: float) -> grad_handle: Ref(string)
// The TensorArray of the gradients of another TensorArray.
// source: string
// Stateful; gradients stop here. Deprecated since GraphDef version 16: Use TensorArrayGradV3
static inline TF_Output sl_op_tensor_array_grad_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const char *source, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGrad", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_text(node, "source", source);
  return sl_node_output(node);
}
#define sl_op_tensor_array_grad(scope, handle, flow_in, source, ...) \
  sl_op_tensor_array_grad_with(SL_AT(scope), (handle), (flow_in), (source), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayGradV2(handle: string, flow_in: float) -> grad_handle: string
// The TensorArray of the gradients of another TensorArray.
// source: string
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use TensorArrayGradV3
static inline TF_Output sl_op_tensor_array_grad_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const char *source, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGradV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_text(node, "source", source);
  return sl_node_output(node);
}
#define sl_op_tensor_array_grad_v2(scope, handle, flow_in, source, ...) \
  sl_op_tensor_array_grad_v2_with(SL_AT(scope), (handle), (flow_in), (source), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayGradV3(handle: resource, flow_in: float) -> grad_handle: resource, flow_out: float
// The TensorArray of the gradients of another TensorArray.
// source: string
// Stateful; gradients stop here.
typedef struct {
  TF_Output grad_handle;
  TF_Output flow_out;
} sl_op_tensor_array_grad_v3_t;
static inline sl_op_tensor_array_grad_v3_t sl_op_tensor_array_grad_v3_with(sl_scope_t *scope, TF_Output handle,
    TF_Output flow_in, const char *source, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGradV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_text(node, "source", source);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_grad_v3_t result;
  result.grad_handle = sl_op_output(operation, 0);
  result.flow_out = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_grad_v3(scope, handle, flow_in, source, ...) \
  sl_op_tensor_array_grad_v3_with(SL_AT(scope), (handle), (flow_in), (source), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayGradWithShape(handle: resource, flow_in: float, shape_to_prepend: int32) -> grad_handle: resource,
//   flow_out: float
// The TensorArray of the gradients of another one, with more dimensions in front.
// source: string
// Stateful; gradients stop here.
typedef struct {
  TF_Output grad_handle;
  TF_Output flow_out;
} sl_op_tensor_array_grad_with_shape_t;
static inline sl_op_tensor_array_grad_with_shape_t sl_op_tensor_array_grad_with_shape_with(sl_scope_t *scope,
    TF_Output handle, TF_Output flow_in, TF_Output shape_to_prepend, const char *source,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGradWithShape", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_input(node, shape_to_prepend);
  sl_node_attr_text(node, "source", source);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_grad_with_shape_t result;
  result.grad_handle = sl_op_output(operation, 0);
  result.flow_out = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_grad_with_shape(scope, handle, flow_in, shape_to_prepend, source, ...) \
  sl_op_tensor_array_grad_with_shape_with(SL_AT(scope), (handle), (flow_in), (shape_to_prepend), (source), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorArrayPack(handle: Ref(string), flow_in: float) -> value: dtype
// Stacks all elements of a TensorArray into one tensor.
// dtype: type; element_shape: shape = { unknown_rank: true }
// No gradient. Deprecated since GraphDef version 16: Use TensorArrayGatherV3 with RangeOp
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
} sl_op_tensor_array_pack_options_t;
static inline TF_Output sl_op_tensor_array_pack_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    TF_DataType dtype, const sl_op_tensor_array_pack_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayPack", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array_pack(scope, handle, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_pack_with(SL_AT(scope), (handle), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_pack_options_t, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayRead(handle: Ref(string), index: int32, flow_in: float) -> value: dtype
// Reads an element of a TensorArray.
// dtype: type
// Differentiable. Deprecated since GraphDef version 16: Use TensorArrayReadV3
static inline TF_Output sl_op_tensor_array_read_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output flow_in, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayRead", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_array_read(scope, handle, index, flow_in, dtype, ...) \
  sl_op_tensor_array_read_with(SL_AT(scope), (handle), (index), (flow_in), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayReadV2(handle: string, index: int32, flow_in: float) -> value: dtype
// Reads an element of a TensorArray.
// dtype: type
// Differentiable. Deprecated since GraphDef version 26: Use TensorArrayReadV3
static inline TF_Output sl_op_tensor_array_read_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output flow_in, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayReadV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_array_read_v2(scope, handle, index, flow_in, dtype, ...) \
  sl_op_tensor_array_read_v2_with(SL_AT(scope), (handle), (index), (flow_in), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayReadV3(handle: resource, index: int32, flow_in: float) -> value: dtype
// Reads an element of a TensorArray.
// dtype: type
// Stateful, differentiable.
static inline TF_Output sl_op_tensor_array_read_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output flow_in, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayReadV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_array_read_v3(scope, handle, index, flow_in, dtype, ...) \
  sl_op_tensor_array_read_v3_with(SL_AT(scope), (handle), (index), (flow_in), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayScatter(handle: Ref(string), indices: int32, value: T, flow_in: float) -> flow_out: float
// Writes the rows of a tensor to some elements of a TensorArray.
// T: type
// Differentiable. Deprecated since GraphDef version 19: Use TensorArrayGradV3
static inline TF_Output sl_op_tensor_array_scatter_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayScatter", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_scatter(scope, handle, indices, value, flow_in, ...) \
  sl_op_tensor_array_scatter_with(SL_AT(scope), (handle), (indices), (value), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayScatterV2(handle: string, indices: int32, value: T, flow_in: float) -> flow_out: float
// Writes the rows of a tensor to some elements of a TensorArray.
// T: type
// Differentiable. Deprecated since GraphDef version 26: Use TensorArrayScatterV3
static inline TF_Output sl_op_tensor_array_scatter_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayScatterV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_scatter_v2(scope, handle, indices, value, flow_in, ...) \
  sl_op_tensor_array_scatter_v2_with(SL_AT(scope), (handle), (indices), (value), (flow_in), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorArrayScatterV3(handle: resource, indices: int32, value: T, flow_in: float) -> flow_out: float
// Writes the rows of a tensor to some elements of a TensorArray.
// T: type
// Stateful, differentiable.
static inline TF_Output sl_op_tensor_array_scatter_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayScatterV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_scatter_v3(scope, handle, indices, value, flow_in, ...) \
  sl_op_tensor_array_scatter_v3_with(SL_AT(scope), (handle), (indices), (value), (flow_in), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorArraySize(handle: Ref(string), flow_in: float) -> size: int32
// The number of elements of a TensorArray.
// Gradients stop here. Deprecated since GraphDef version 16: Use TensorArraySizeV3
static inline TF_Output sl_op_tensor_array_size_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySize", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_size(scope, handle, flow_in, ...) \
  sl_op_tensor_array_size_with(SL_AT(scope), (handle), (flow_in), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArraySizeV2(handle: string, flow_in: float) -> size: int32
// The number of elements of a TensorArray.
// Gradients stop here. Deprecated since GraphDef version 26: Use TensorArraySizeV3
static inline TF_Output sl_op_tensor_array_size_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySizeV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_size_v2(scope, handle, flow_in, ...) \
  sl_op_tensor_array_size_v2_with(SL_AT(scope), (handle), (flow_in), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArraySizeV3(handle: resource, flow_in: float) -> size: int32
// The number of elements of a TensorArray.
// Stateful; gradients stop here.
static inline TF_Output sl_op_tensor_array_size_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySizeV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_size_v3(scope, handle, flow_in, ...) \
  sl_op_tensor_array_size_v3_with(SL_AT(scope), (handle), (flow_in), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArraySplit(handle: Ref(string), value: T, lengths: int64, flow_in: float) -> flow_out: float
// Splits a tensor into the elements of a TensorArray.
// T: type
// Differentiable. Deprecated since GraphDef version 16: Use TensorArraySplitV3
static inline TF_Output sl_op_tensor_array_split_with(sl_scope_t *scope, TF_Output handle, TF_Output value,
    TF_Output lengths, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySplit", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, value);
  sl_node_input(node, lengths);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_split(scope, handle, value, lengths, flow_in, ...) \
  sl_op_tensor_array_split_with(SL_AT(scope), (handle), (value), (lengths), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArraySplitV2(handle: string, value: T, lengths: int64, flow_in: float) -> flow_out: float
// Splits a tensor into the elements of a TensorArray.
// T: type
// Differentiable. Deprecated since GraphDef version 26: Use TensorArraySplitV3
static inline TF_Output sl_op_tensor_array_split_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output value,
    TF_Output lengths, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySplitV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, value);
  sl_node_input(node, lengths);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_split_v2(scope, handle, value, lengths, flow_in, ...) \
  sl_op_tensor_array_split_v2_with(SL_AT(scope), (handle), (value), (lengths), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArraySplitV3(handle: resource, value: T, lengths: int64, flow_in: float) -> flow_out: float
// Splits a tensor into the elements of a TensorArray.
// T: type
// Stateful, differentiable.
static inline TF_Output sl_op_tensor_array_split_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output value,
    TF_Output lengths, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySplitV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, value);
  sl_node_input(node, lengths);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_split_v3(scope, handle, value, lengths, flow_in, ...) \
  sl_op_tensor_array_split_v3_with(SL_AT(scope), (handle), (value), (lengths), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayUnpack(handle: Ref(string), value: T, flow_in: float) -> flow_out: float
// Writes the rows of a tensor to all elements of a TensorArray.
// T: type
// No gradient. Deprecated since GraphDef version 20: Use TensorArrayScatterV3 with RangeOp
static inline TF_Output sl_op_tensor_array_unpack_with(sl_scope_t *scope, TF_Output handle, TF_Output value,
    TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayUnpack", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_unpack(scope, handle, value, flow_in, ...) \
  sl_op_tensor_array_unpack_with(SL_AT(scope), (handle), (value), (flow_in), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayV2(size: int32) -> handle: string
// An array of tensors that lives for one step.
// dtype: type; element_shape: shape = { unknown_rank: true }; dynamic_size: bool = false; clear_after_read: bool =
//   true; tensor_array_name: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use TensorArrayV3
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
  bool dynamic_size;
  bool clear_after_read;
  const char *tensor_array_name;
} sl_op_tensor_array_v2_options_t;
static inline TF_Output sl_op_tensor_array_v2_with(sl_scope_t *scope, TF_Output size, TF_DataType dtype,
    const sl_op_tensor_array_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayV2", options->name);
  sl_node_input(node, size);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  sl_node_attr_bool(node, "dynamic_size", options->dynamic_size);
  sl_node_attr_bool(node, "clear_after_read", options->clear_after_read);
  if (options->tensor_array_name) sl_node_attr_text(node, "tensor_array_name", options->tensor_array_name);
  return sl_node_output(node);
}
#define sl_op_tensor_array_v2(scope, size, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_v2_with(SL_AT(scope), (size), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_v2_options_t, .element_shape = SL_UNKNOWN_SHAPE, .clear_after_read = true, __VA_ARGS__)))

// TensorArrayV3(size: int32) -> handle: resource, flow: float
// An array of tensors that lives for one step.
// dtype: type; element_shape: shape = { unknown_rank: true }; dynamic_size: bool = false; clear_after_read: bool =
//   true; identical_element_shapes: bool = false; tensor_array_name: string = ''
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
  bool dynamic_size;
  bool clear_after_read;
  bool identical_element_shapes;
  const char *tensor_array_name;
} sl_op_tensor_array_v3_options_t;
typedef struct {
  TF_Output handle;
  TF_Output flow;
} sl_op_tensor_array_v3_t;
static inline sl_op_tensor_array_v3_t sl_op_tensor_array_v3_with(sl_scope_t *scope, TF_Output size,
    TF_DataType dtype, const sl_op_tensor_array_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayV3", options->name);
  sl_node_input(node, size);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  sl_node_attr_bool(node, "dynamic_size", options->dynamic_size);
  sl_node_attr_bool(node, "clear_after_read", options->clear_after_read);
  sl_node_attr_bool(node, "identical_element_shapes", options->identical_element_shapes);
  if (options->tensor_array_name) sl_node_attr_text(node, "tensor_array_name", options->tensor_array_name);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_v3_t result;
  result.handle = sl_op_output(operation, 0);
  result.flow = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_v3(scope, size, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_v3_with(SL_AT(scope), (size), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_v3_options_t, .element_shape = SL_UNKNOWN_SHAPE, .clear_after_read = true, __VA_ARGS__)))

// TensorArrayWrite(handle: Ref(string), index: int32, value: T, flow_in: float) -> flow_out: float
// Writes an element of a TensorArray.
// T: type
// Differentiable. Deprecated since GraphDef version 16: Use TensorArrayWriteV3
static inline TF_Output sl_op_tensor_array_write_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayWrite", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_write(scope, handle, index, value, flow_in, ...) \
  sl_op_tensor_array_write_with(SL_AT(scope), (handle), (index), (value), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayWriteV2(handle: string, index: int32, value: T, flow_in: float) -> flow_out: float
// Writes an element of a TensorArray.
// T: type
// Differentiable. Deprecated since GraphDef version 26: Use TensorArrayWriteV3
static inline TF_Output sl_op_tensor_array_write_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayWriteV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_write_v2(scope, handle, index, value, flow_in, ...) \
  sl_op_tensor_array_write_v2_with(SL_AT(scope), (handle), (index), (value), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayWriteV3(handle: resource, index: int32, value: T, flow_in: float) -> flow_out: float
// Writes an element of a TensorArray.
// T: type
// Stateful, differentiable.
static inline TF_Output sl_op_tensor_array_write_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayWriteV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_write_v3(scope, handle, index, value, flow_in, ...) \
  sl_op_tensor_array_write_v3_with(SL_AT(scope), (handle), (index), (value), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_TENSOR_ARRAY_H_
