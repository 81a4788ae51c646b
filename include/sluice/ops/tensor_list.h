// Ops: lists and maps of tensors as values.
// Generated from src/ops/tensor_list by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_TENSOR_LIST_H_
#define SLUICE_OPS_TENSOR_LIST_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// EmptyTensorList(element_shape: shape_type, max_num_elements: int32) -> handle: variant
// An empty list of tensors.
// element_dtype: type; shape_type: {int32, int64}
// No gradient.
static inline TF_Output sl_op_empty_tensor_list_with(sl_scope_t *scope, TF_Output element_shape,
    TF_Output max_num_elements, TF_DataType element_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmptyTensorList", options->name);
  sl_node_input(node, element_shape);
  sl_node_input(node, max_num_elements);
  sl_node_attr_type(node, "element_dtype", element_dtype);
  return sl_node_output(node);
}
#define sl_op_empty_tensor_list(scope, element_shape, max_num_elements, element_dtype, ...) \
  sl_op_empty_tensor_list_with(SL_AT(scope), (element_shape), (max_num_elements), (element_dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// EmptyTensorMap() -> handle: variant
// An empty map from tensors to tensors.
// No gradient.
static inline TF_Output sl_op_empty_tensor_map_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmptyTensorMap", options->name);
  return sl_node_output(node);
}
#define sl_op_empty_tensor_map(scope, ...) \
  sl_op_empty_tensor_map_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorListConcat(input_handle: variant) -> tensor: element_dtype, lengths: int64
// Concatenates the elements of a list.
// element_dtype: type; element_shape: shape = { unknown_rank: true }
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
} sl_op_tensor_list_concat_options_t;
typedef struct {
  TF_Output tensor;
  TF_Output lengths;
} sl_op_tensor_list_concat_t;
static inline sl_op_tensor_list_concat_t sl_op_tensor_list_concat_with(sl_scope_t *scope, TF_Output input_handle,
    TF_DataType element_dtype, const sl_op_tensor_list_concat_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListConcat", options->name);
  sl_node_input(node, input_handle);
  sl_node_attr_type(node, "element_dtype", element_dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_list_concat_t result;
  result.tensor = sl_op_output(operation, 0);
  result.lengths = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_list_concat(scope, input_handle, element_dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_list_concat_with(SL_AT(scope), (input_handle), (element_dtype), SL_OPTIONS( \
    sl_op_tensor_list_concat_options_t, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorListConcatLists(input_a: variant, input_b: variant) -> output: variant
// Appends the elements of one list to those of another.
// element_dtype: type
// Gradients stop here.
static inline TF_Output sl_op_tensor_list_concat_lists_with(sl_scope_t *scope, TF_Output input_a, TF_Output input_b,
    TF_DataType element_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListConcatLists", options->name);
  sl_node_input(node, input_a);
  sl_node_input(node, input_b);
  sl_node_attr_type(node, "element_dtype", element_dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_list_concat_lists(scope, input_a, input_b, element_dtype, ...) \
  sl_op_tensor_list_concat_lists_with(SL_AT(scope), (input_a), (input_b), (element_dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorListConcatV2(input_handle: variant, element_shape: shape_type, leading_dims: int64) -> tensor: element_dtype,
//   lengths: int64
// Concatenates the elements of a list.
// element_dtype: type; shape_type: {int32, int64}
// Differentiable.
typedef struct {
  TF_Output tensor;
  TF_Output lengths;
} sl_op_tensor_list_concat_v2_t;
static inline sl_op_tensor_list_concat_v2_t sl_op_tensor_list_concat_v2_with(sl_scope_t *scope,
    TF_Output input_handle, TF_Output element_shape, TF_Output leading_dims, TF_DataType element_dtype,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListConcatV2", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, element_shape);
  sl_node_input(node, leading_dims);
  sl_node_attr_type(node, "element_dtype", element_dtype);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_list_concat_v2_t result;
  result.tensor = sl_op_output(operation, 0);
  result.lengths = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_list_concat_v2(scope, input_handle, element_shape, leading_dims, element_dtype, ...) \
  sl_op_tensor_list_concat_v2_with(SL_AT(scope), (input_handle), (element_shape), (leading_dims), (element_dtype), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorListElementShape(input_handle: variant) -> element_shape: shape_type
// The shape of the elements of a list, as far as it was declared.
// shape_type: {int32, int64}
// Gradients stop here.
static inline TF_Output sl_op_tensor_list_element_shape_with(sl_scope_t *scope, TF_Output input_handle,
    TF_DataType shape_type, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListElementShape", options->name);
  sl_node_input(node, input_handle);
  sl_node_attr_type(node, "shape_type", shape_type);
  return sl_node_output(node);
}
#define sl_op_tensor_list_element_shape(scope, input_handle, shape_type, ...) \
  sl_op_tensor_list_element_shape_with(SL_AT(scope), (input_handle), (shape_type), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorListFromTensor(tensor: element_dtype, element_shape: shape_type) -> output_handle: variant
// The list of a tensor's rows.
// element_dtype: type; shape_type: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_list_from_tensor_with(sl_scope_t *scope, TF_Output tensor,
    TF_Output element_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListFromTensor", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_list_from_tensor(scope, tensor, element_shape, ...) \
  sl_op_tensor_list_from_tensor_with(SL_AT(scope), (tensor), (element_shape), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorListGather(input_handle: variant, indices: int32, element_shape: int32) -> values: element_dtype
// Stacks some elements of a list.
// element_dtype: type
// Differentiable.
static inline TF_Output sl_op_tensor_list_gather_with(sl_scope_t *scope, TF_Output input_handle, TF_Output indices,
    TF_Output element_shape, TF_DataType element_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListGather", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, indices);
  sl_node_input(node, element_shape);
  sl_node_attr_type(node, "element_dtype", element_dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_list_gather(scope, input_handle, indices, element_shape, element_dtype, ...) \
  sl_op_tensor_list_gather_with(SL_AT(scope), (input_handle), (indices), (element_shape), (element_dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorListGetItem(input_handle: variant, index: int32, element_shape: int32) -> item: element_dtype
// An element of a list.
// element_dtype: type
// Differentiable.
static inline TF_Output sl_op_tensor_list_get_item_with(sl_scope_t *scope, TF_Output input_handle, TF_Output index,
    TF_Output element_shape, TF_DataType element_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListGetItem", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, index);
  sl_node_input(node, element_shape);
  sl_node_attr_type(node, "element_dtype", element_dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_list_get_item(scope, input_handle, index, element_shape, element_dtype, ...) \
  sl_op_tensor_list_get_item_with(SL_AT(scope), (input_handle), (index), (element_shape), (element_dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorListLength(input_handle: variant) -> length: int32
// The number of elements of a list.
// Gradients stop here.
static inline TF_Output sl_op_tensor_list_length_with(sl_scope_t *scope, TF_Output input_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListLength", options->name);
  sl_node_input(node, input_handle);
  return sl_node_output(node);
}
#define sl_op_tensor_list_length(scope, input_handle, ...) \
  sl_op_tensor_list_length_with(SL_AT(scope), (input_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorListPopBack(input_handle: variant, element_shape: int32) -> output_handle: variant, tensor: element_dtype
// Removes the last tensor of a list.
// element_dtype: type
// Differentiable.
typedef struct {
  TF_Output output_handle;
  TF_Output tensor;
} sl_op_tensor_list_pop_back_t;
static inline sl_op_tensor_list_pop_back_t sl_op_tensor_list_pop_back_with(sl_scope_t *scope, TF_Output input_handle,
    TF_Output element_shape, TF_DataType element_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListPopBack", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, element_shape);
  sl_node_attr_type(node, "element_dtype", element_dtype);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_list_pop_back_t result;
  result.output_handle = sl_op_output(operation, 0);
  result.tensor = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_list_pop_back(scope, input_handle, element_shape, element_dtype, ...) \
  sl_op_tensor_list_pop_back_with(SL_AT(scope), (input_handle), (element_shape), (element_dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorListPushBack(input_handle: variant, tensor: element_dtype) -> output_handle: variant
// Appends a tensor to a list.
// element_dtype: type
// Differentiable.
static inline TF_Output sl_op_tensor_list_push_back_with(sl_scope_t *scope, TF_Output input_handle, TF_Output tensor,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListPushBack", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, tensor);
  return sl_node_output(node);
}
#define sl_op_tensor_list_push_back(scope, input_handle, tensor, ...) \
  sl_op_tensor_list_push_back_with(SL_AT(scope), (input_handle), (tensor), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorListPushBackBatch(input_handles: variant, tensor: element_dtype) -> output_handles: variant
// Appends a row of a tensor to each of several lists.
// element_dtype: type
// Gradients stop here.
static inline TF_Output sl_op_tensor_list_push_back_batch_with(sl_scope_t *scope, TF_Output input_handles,
    TF_Output tensor, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListPushBackBatch", options->name);
  sl_node_input(node, input_handles);
  sl_node_input(node, tensor);
  return sl_node_output(node);
}
#define sl_op_tensor_list_push_back_batch(scope, input_handles, tensor, ...) \
  sl_op_tensor_list_push_back_batch_with(SL_AT(scope), (input_handles), (tensor), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorListReserve(element_shape: shape_type, num_elements: int32) -> handle: variant
// A list of elements that are not set yet.
// element_dtype: type; shape_type: {int32, int64}
// No gradient.
static inline TF_Output sl_op_tensor_list_reserve_with(sl_scope_t *scope, TF_Output element_shape,
    TF_Output num_elements, TF_DataType element_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListReserve", options->name);
  sl_node_input(node, element_shape);
  sl_node_input(node, num_elements);
  sl_node_attr_type(node, "element_dtype", element_dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_list_reserve(scope, element_shape, num_elements, element_dtype, ...) \
  sl_op_tensor_list_reserve_with(SL_AT(scope), (element_shape), (num_elements), (element_dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorListResize(input_handle: variant, size: int32) -> output_handle: variant
// Changes the number of elements of a list.
// Differentiable.
static inline TF_Output sl_op_tensor_list_resize_with(sl_scope_t *scope, TF_Output input_handle, TF_Output size,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListResize", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, size);
  return sl_node_output(node);
}
#define sl_op_tensor_list_resize(scope, input_handle, size, ...) \
  sl_op_tensor_list_resize_with(SL_AT(scope), (input_handle), (size), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorListScatter(tensor: element_dtype, indices: int32, element_shape: shape_type) -> output_handle: variant
// A list with a tensor's rows at given places.
// element_dtype: type; shape_type: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_list_scatter_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output element_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListScatter", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_list_scatter(scope, tensor, indices, element_shape, ...) \
  sl_op_tensor_list_scatter_with(SL_AT(scope), (tensor), (indices), (element_shape), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorListScatterIntoExistingList(input_handle: variant, tensor: element_dtype, indices: int32) -> output_handle:
//   variant
// Replaces elements of a list by a tensor's rows.
// element_dtype: type
// Differentiable.
static inline TF_Output sl_op_tensor_list_scatter_into_existing_list_with(sl_scope_t *scope, TF_Output input_handle,
    TF_Output tensor, TF_Output indices, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListScatterIntoExistingList", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  return sl_node_output(node);
}
#define sl_op_tensor_list_scatter_into_existing_list(scope, input_handle, tensor, indices, ...) \
  sl_op_tensor_list_scatter_into_existing_list_with(SL_AT(scope), (input_handle), (tensor), (indices), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorListScatterV2(tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32) ->
//   output_handle: variant
// A list of given length with a tensor's rows at given places.
// element_dtype: type; shape_type: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_list_scatter_v2_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output element_shape, TF_Output num_elements, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListScatterV2", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, element_shape);
  sl_node_input(node, num_elements);
  return sl_node_output(node);
}
#define sl_op_tensor_list_scatter_v2(scope, tensor, indices, element_shape, num_elements, ...) \
  sl_op_tensor_list_scatter_v2_with(SL_AT(scope), (tensor), (indices), (element_shape), (num_elements), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorListSetItem(input_handle: variant, index: int32, item: element_dtype) -> output_handle: variant
// Replaces an element of a list.
// element_dtype: type; resize_if_index_out_of_bounds: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool resize_if_index_out_of_bounds;
} sl_op_tensor_list_set_item_options_t;
static inline TF_Output sl_op_tensor_list_set_item_with(sl_scope_t *scope, TF_Output input_handle, TF_Output index,
    TF_Output item, const sl_op_tensor_list_set_item_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListSetItem", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, index);
  sl_node_input(node, item);
  sl_node_attr_bool(node, "resize_if_index_out_of_bounds", options->resize_if_index_out_of_bounds);
  return sl_node_output(node);
}
#define sl_op_tensor_list_set_item(scope, input_handle, index, item, ...) \
  sl_op_tensor_list_set_item_with(SL_AT(scope), (input_handle), (index), (item), SL_OPTIONS( \
    sl_op_tensor_list_set_item_options_t, __VA_ARGS__))

// TensorListSplit(tensor: element_dtype, element_shape: shape_type, lengths: int64) -> output_handle: variant
// The list of groups of a tensor's rows.
// element_dtype: type; shape_type: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_list_split_with(sl_scope_t *scope, TF_Output tensor, TF_Output element_shape,
    TF_Output lengths, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListSplit", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, element_shape);
  sl_node_input(node, lengths);
  return sl_node_output(node);
}
#define sl_op_tensor_list_split(scope, tensor, element_shape, lengths, ...) \
  sl_op_tensor_list_split_with(SL_AT(scope), (tensor), (element_shape), (lengths), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorListStack(input_handle: variant, element_shape: int32) -> tensor: element_dtype
// Stacks the elements of a list, which must have one shape.
// element_dtype: type; num_elements: int = -1
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t num_elements;
} sl_op_tensor_list_stack_options_t;
static inline TF_Output sl_op_tensor_list_stack_with(sl_scope_t *scope, TF_Output input_handle,
    TF_Output element_shape, TF_DataType element_dtype, const sl_op_tensor_list_stack_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorListStack", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, element_shape);
  sl_node_attr_type(node, "element_dtype", element_dtype);
  sl_node_attr_int(node, "num_elements", options->num_elements);
  return sl_node_output(node);
}
#define sl_op_tensor_list_stack(scope, input_handle, element_shape, element_dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_list_stack_with(SL_AT(scope), (input_handle), (element_shape), (element_dtype), \
    SL_OPTIONS(sl_op_tensor_list_stack_options_t, .num_elements = -1, __VA_ARGS__)))

// TensorMapErase(input_handle: variant, key: key_dtype) -> output_handle: variant
// Removes a key of a map.
// key_dtype: type; value_dtype: type
// No gradient.
static inline TF_Output sl_op_tensor_map_erase_with(sl_scope_t *scope, TF_Output input_handle, TF_Output key,
    TF_DataType value_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorMapErase", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, key);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_map_erase(scope, input_handle, key, value_dtype, ...) \
  sl_op_tensor_map_erase_with(SL_AT(scope), (input_handle), (key), (value_dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorMapHasKey(input_handle: variant, key: key_dtype) -> has_key: bool
// Whether a map has a key.
// key_dtype: type
// No gradient.
static inline TF_Output sl_op_tensor_map_has_key_with(sl_scope_t *scope, TF_Output input_handle, TF_Output key,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorMapHasKey", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, key);
  return sl_node_output(node);
}
#define sl_op_tensor_map_has_key(scope, input_handle, key, ...) \
  sl_op_tensor_map_has_key_with(SL_AT(scope), (input_handle), (key), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorMapInsert(input_handle: variant, key: key_dtype, value: value_dtype) -> output_handle: variant
// Sets the value of a key of a map.
// key_dtype: type; value_dtype: type
// No gradient.
static inline TF_Output sl_op_tensor_map_insert_with(sl_scope_t *scope, TF_Output input_handle, TF_Output key,
    TF_Output value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorMapInsert", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, key);
  sl_node_input(node, value);
  return sl_node_output(node);
}
#define sl_op_tensor_map_insert(scope, input_handle, key, value, ...) \
  sl_op_tensor_map_insert_with(SL_AT(scope), (input_handle), (key), (value), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorMapLookup(input_handle: variant, key: key_dtype) -> value: value_dtype
// The value of a key of a map.
// key_dtype: type; value_dtype: type
// No gradient.
static inline TF_Output sl_op_tensor_map_lookup_with(sl_scope_t *scope, TF_Output input_handle, TF_Output key,
    TF_DataType value_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorMapLookup", options->name);
  sl_node_input(node, input_handle);
  sl_node_input(node, key);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_map_lookup(scope, input_handle, key, value_dtype, ...) \
  sl_op_tensor_map_lookup_with(SL_AT(scope), (input_handle), (key), (value_dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorMapSize(input_handle: variant) -> size: int32
// The number of keys of a map.
// No gradient.
static inline TF_Output sl_op_tensor_map_size_with(sl_scope_t *scope, TF_Output input_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorMapSize", options->name);
  sl_node_input(node, input_handle);
  return sl_node_output(node);
}
#define sl_op_tensor_map_size(scope, input_handle, ...) \
  sl_op_tensor_map_size_with(SL_AT(scope), (input_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorMapStackKeys(input_handle: variant) -> keys: key_dtype
// All keys of a map, stacked in no particular order.
// key_dtype: type
// No gradient.
static inline TF_Output sl_op_tensor_map_stack_keys_with(sl_scope_t *scope, TF_Output input_handle,
    TF_DataType key_dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorMapStackKeys", options->name);
  sl_node_input(node, input_handle);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_map_stack_keys(scope, input_handle, key_dtype, ...) \
  sl_op_tensor_map_stack_keys_with(SL_AT(scope), (input_handle), (key_dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_TENSOR_LIST_H_
