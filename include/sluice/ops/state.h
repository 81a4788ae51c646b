// Ops: variables, assignment, scattered updates.
// Generated from src/ops/state by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_STATE_H_
#define SLUICE_OPS_STATE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// Assign(ref: Ref(T), value: T) -> output_ref: Ref(T)
// Sets a variable.
// T: type; validate_shape: bool = true; use_locking: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_shape;
  bool use_locking;
} sl_op_assign_options_t;
static inline TF_Output sl_op_assign_with(sl_scope_t *scope, TF_Output ref, TF_Output value,
    const sl_op_assign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Assign", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, value);
  sl_node_attr_bool(node, "validate_shape", options->validate_shape);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_assign(scope, ref, value, ...) \
  SL_OVER_DEFAULTS(sl_op_assign_with(SL_AT(scope), (ref), (value), SL_OPTIONS(sl_op_assign_options_t, \
    .validate_shape = true, .use_locking = true, __VA_ARGS__)))

// AssignAdd(ref: Ref(T), value: T) -> output_ref: Ref(T)
// Adds to a variable.
// T: numbertype; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_assign_add_options_t;
static inline TF_Output sl_op_assign_add_with(sl_scope_t *scope, TF_Output ref, TF_Output value,
    const sl_op_assign_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignAdd", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, value);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_assign_add(scope, ref, value, ...) \
  sl_op_assign_add_with(SL_AT(scope), (ref), (value), SL_OPTIONS(sl_op_assign_add_options_t, __VA_ARGS__))

// AssignAddVariableOp(resource: resource, value: dtype)
// Adds to a variable.
// dtype: type
// Stateful, no gradient.
static inline TF_Operation *sl_op_assign_add_variable_op_with(sl_scope_t *scope, TF_Output resource, TF_Output value,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignAddVariableOp", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, value);
  return sl_node_finish(node);
}
#define sl_op_assign_add_variable_op(scope, resource, value, ...) \
  sl_op_assign_add_variable_op_with(SL_AT(scope), (resource), (value), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AssignSub(ref: Ref(T), value: T) -> output_ref: Ref(T)
// Subtracts from a variable.
// T: numbertype; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_assign_sub_options_t;
static inline TF_Output sl_op_assign_sub_with(sl_scope_t *scope, TF_Output ref, TF_Output value,
    const sl_op_assign_sub_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignSub", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, value);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_assign_sub(scope, ref, value, ...) \
  sl_op_assign_sub_with(SL_AT(scope), (ref), (value), SL_OPTIONS(sl_op_assign_sub_options_t, __VA_ARGS__))

// AssignSubVariableOp(resource: resource, value: dtype)
// Subtracts from a variable.
// dtype: type
// Stateful, no gradient.
static inline TF_Operation *sl_op_assign_sub_variable_op_with(sl_scope_t *scope, TF_Output resource, TF_Output value,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignSubVariableOp", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, value);
  return sl_node_finish(node);
}
#define sl_op_assign_sub_variable_op(scope, resource, value, ...) \
  sl_op_assign_sub_variable_op_with(SL_AT(scope), (resource), (value), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AssignVariableOp(resource: resource, value: dtype)
// Sets a variable.
// dtype: type; validate_shape: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_shape;
} sl_op_assign_variable_op_options_t;
static inline TF_Operation *sl_op_assign_variable_op_with(sl_scope_t *scope, TF_Output resource, TF_Output value,
    const sl_op_assign_variable_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignVariableOp", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, value);
  sl_node_attr_bool(node, "validate_shape", options->validate_shape);
  return sl_node_finish(node);
}
#define sl_op_assign_variable_op(scope, resource, value, ...) \
  sl_op_assign_variable_op_with(SL_AT(scope), (resource), (value), SL_OPTIONS(sl_op_assign_variable_op_options_t, \
    __VA_ARGS__))

// ConsumeMutexLock(mutex_lock: variant)
// Keeps a lock until here; fails if another op has it too.
// Stateful, no gradient.
static inline TF_Operation *sl_op_consume_mutex_lock_with(sl_scope_t *scope, TF_Output mutex_lock,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConsumeMutexLock", options->name);
  sl_node_input(node, mutex_lock);
  return sl_node_finish(node);
}
#define sl_op_consume_mutex_lock(scope, mutex_lock, ...) \
  sl_op_consume_mutex_lock_with(SL_AT(scope), (mutex_lock), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CountUpTo(ref: Ref(T)) -> output: T
// Increments a variable up to a limit.
// limit: int; T: {int32, int64}
// No gradient.
static inline TF_Output sl_op_count_up_to_with(sl_scope_t *scope, TF_Output ref, int64_t limit,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CountUpTo", options->name);
  sl_node_input(node, ref);
  sl_node_attr_int(node, "limit", limit);
  return sl_node_output(node);
}
#define sl_op_count_up_to(scope, ref, limit, ...) \
  sl_op_count_up_to_with(SL_AT(scope), (ref), (limit), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DeleteSessionTensor(handle: string)
// Lets the session forget the tensor of a handle.
// Stateful; gradients stop here.
static inline TF_Operation *sl_op_delete_session_tensor_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeleteSessionTensor", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_delete_session_tensor(scope, handle, ...) \
  sl_op_delete_session_tensor_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DestroyResourceOp(resource: resource)
// Removes a resource.
// ignore_lookup_error: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool ignore_lookup_error;
} sl_op_destroy_resource_op_options_t;
static inline TF_Operation *sl_op_destroy_resource_op_with(sl_scope_t *scope, TF_Output resource,
    const sl_op_destroy_resource_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DestroyResourceOp", options->name);
  sl_node_input(node, resource);
  sl_node_attr_bool(node, "ignore_lookup_error", options->ignore_lookup_error);
  return sl_node_finish(node);
}
#define sl_op_destroy_resource_op(scope, resource, ...) \
  SL_OVER_DEFAULTS(sl_op_destroy_resource_op_with(SL_AT(scope), (resource), SL_OPTIONS( \
    sl_op_destroy_resource_op_options_t, .ignore_lookup_error = true, __VA_ARGS__)))

// DestroyTemporaryVariable(ref: Ref(T)) -> value: T
// Destroys a temporary variable and returns its value.
// T: type; var_name: string
// No gradient.
static inline TF_Output sl_op_destroy_temporary_variable_with(sl_scope_t *scope, TF_Output ref, const char *var_name,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DestroyTemporaryVariable", options->name);
  sl_node_input(node, ref);
  sl_node_attr_text(node, "var_name", var_name);
  return sl_node_output(node);
}
#define sl_op_destroy_temporary_variable(scope, ref, var_name, ...) \
  sl_op_destroy_temporary_variable_with(SL_AT(scope), (ref), (var_name), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DisableCopyOnRead(resource: resource)
// Declares that reads of a variable need not copy; for savers.
// Stateful, no gradient.
static inline TF_Operation *sl_op_disable_copy_on_read_with(sl_scope_t *scope, TF_Output resource,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DisableCopyOnRead", options->name);
  sl_node_input(node, resource);
  return sl_node_finish(node);
}
#define sl_op_disable_copy_on_read(scope, resource, ...) \
  sl_op_disable_copy_on_read_with(SL_AT(scope), (resource), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GetSessionHandle(value: T) -> handle: string
// Keeps a tensor in the session and outputs its handle.
// T: type
// Stateful; gradients stop here.
static inline TF_Output sl_op_get_session_handle_with(sl_scope_t *scope, TF_Output value,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GetSessionHandle", options->name);
  sl_node_input(node, value);
  return sl_node_output(node);
}
#define sl_op_get_session_handle(scope, value, ...) \
  sl_op_get_session_handle_with(SL_AT(scope), (value), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GetSessionHandleV2(value: T) -> handle: resource
// Keeps a tensor in the session and outputs its handle.
// T: type
// Stateful; gradients stop here.
static inline TF_Output sl_op_get_session_handle_v2_with(sl_scope_t *scope, TF_Output value,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GetSessionHandleV2", options->name);
  sl_node_input(node, value);
  return sl_node_output(node);
}
#define sl_op_get_session_handle_v2(scope, value, ...) \
  sl_op_get_session_handle_v2_with(SL_AT(scope), (value), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GetSessionTensor(handle: string) -> value: dtype
// The tensor that the session keeps under a handle.
// dtype: type
// Stateful; gradients stop here.
static inline TF_Output sl_op_get_session_tensor_with(sl_scope_t *scope, TF_Output handle, TF_DataType dtype,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GetSessionTensor", options->name);
  sl_node_input(node, handle);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_get_session_tensor(scope, handle, dtype, ...) \
  sl_op_get_session_tensor_with(SL_AT(scope), (handle), (dtype), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IsVariableInitialized(ref: Ref(dtype)) -> is_initialized: bool
// Whether a variable has a value.
// dtype: type
// No gradient.
static inline TF_Output sl_op_is_variable_initialized_with(sl_scope_t *scope, TF_Output ref,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IsVariableInitialized", options->name);
  sl_node_input(node, ref);
  return sl_node_output(node);
}
#define sl_op_is_variable_initialized(scope, ref, ...) \
  sl_op_is_variable_initialized_with(SL_AT(scope), (ref), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MutexLock(mutex: resource) -> mutex_lock: variant
// Waits for a mutex and locks it until the last reference to the output is released.
// Stateful, no gradient.
static inline TF_Output sl_op_mutex_lock_with(sl_scope_t *scope, TF_Output mutex, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutexLock", options->name);
  sl_node_input(node, mutex);
  return sl_node_output(node);
}
#define sl_op_mutex_lock(scope, mutex, ...) \
  sl_op_mutex_lock_with(SL_AT(scope), (mutex), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MutexV2() -> resource: resource
// A mutex for a critical section.
// container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_mutex_v2_options_t;
static inline TF_Output sl_op_mutex_v2_with(sl_scope_t *scope, const sl_op_mutex_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutexV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_mutex_v2(scope, ...) \
  sl_op_mutex_v2_with(SL_AT(scope), SL_OPTIONS(sl_op_mutex_v2_options_t, __VA_ARGS__))

// ReadVariableOp(resource: resource) -> value: dtype
// The value of a variable.
// dtype: type
// Stateful, differentiable.
static inline TF_Output sl_op_read_variable_op_with(sl_scope_t *scope, TF_Output resource, TF_DataType dtype,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReadVariableOp", options->name);
  sl_node_input(node, resource);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_read_variable_op(scope, resource, dtype, ...) \
  sl_op_read_variable_op_with(SL_AT(scope), (resource), (dtype), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ResourceCountUpTo(resource: resource) -> output: T
// Increments a variable up to a limit.
// limit: int; T: {int32, int64}
// Stateful, no gradient.
static inline TF_Output sl_op_resource_count_up_to_with(sl_scope_t *scope, TF_Output resource, int64_t limit,
    TF_DataType T, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceCountUpTo", options->name);
  sl_node_input(node, resource);
  sl_node_attr_int(node, "limit", limit);
  sl_node_attr_type(node, "T", T);
  return sl_node_output(node);
}
#define sl_op_resource_count_up_to(scope, resource, limit, T, ...) \
  sl_op_resource_count_up_to_with(SL_AT(scope), (resource), (limit), (T), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ResourceGather(resource: resource, indices: Tindices) -> output: dtype
// Selects rows of a variable by index.
// batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: {int32, int64}
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t batch_dims;
  bool validate_indices;
} sl_op_resource_gather_options_t;
static inline TF_Output sl_op_resource_gather_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_DataType dtype, const sl_op_resource_gather_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceGather", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_attr_int(node, "batch_dims", options->batch_dims);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_resource_gather(scope, resource, indices, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_gather_with(SL_AT(scope), (resource), (indices), (dtype), SL_OPTIONS( \
    sl_op_resource_gather_options_t, .validate_indices = true, __VA_ARGS__)))

// ResourceGatherNd(resource: resource, indices: Tindices) -> output: dtype
// Selects slices of a variable by index vectors.
// dtype: type; Tindices: {int32, int64}
// Stateful, differentiable.
static inline TF_Output sl_op_resource_gather_nd_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceGatherNd", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_resource_gather_nd(scope, resource, indices, dtype, ...) \
  sl_op_resource_gather_nd_with(SL_AT(scope), (resource), (indices), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterAdd(resource: resource, indices: Tindices, updates: dtype)
// Adds to rows of a variable.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, no gradient.
static inline TF_Operation *sl_op_resource_scatter_add_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterAdd", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_add(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_add_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterDiv(resource: resource, indices: Tindices, updates: dtype)
// Divides rows of a variable.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, no gradient.
static inline TF_Operation *sl_op_resource_scatter_div_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterDiv", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_div(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_div_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterMax(resource: resource, indices: Tindices, updates: dtype)
// Sets rows of a variable to the maximum of old and new values.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, no gradient.
static inline TF_Operation *sl_op_resource_scatter_max_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterMax", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_max(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_max_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterMin(resource: resource, indices: Tindices, updates: dtype)
// Sets rows of a variable to the minimum of old and new values.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, no gradient.
static inline TF_Operation *sl_op_resource_scatter_min_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterMin", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_min(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_min_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterMul(resource: resource, indices: Tindices, updates: dtype)
// Multiplies rows of a variable.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, no gradient.
static inline TF_Operation *sl_op_resource_scatter_mul_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterMul", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_mul(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_mul_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterNdAdd(ref: resource, indices: Tindices, updates: T)
// Adds to slices of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_add_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_add_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_resource_scatter_nd_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdAdd", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_add(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_add_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_add_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterNdMax(ref: resource, indices: Tindices, updates: T)
// Sets slices of a variable to the maximum of old and new values.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_max_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_max_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_resource_scatter_nd_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdMax", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_max(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_max_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_max_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterNdMin(ref: resource, indices: Tindices, updates: T)
// Sets slices of a variable to the minimum of old and new values.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_min_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_min_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_resource_scatter_nd_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdMin", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_min(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_min_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_min_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterNdSub(ref: resource, indices: Tindices, updates: T)
// Subtracts from slices of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_sub_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_sub_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_resource_scatter_nd_sub_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdSub", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_sub(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_sub_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_sub_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterNdUpdate(ref: resource, indices: Tindices, updates: T)
// Sets slices of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_update_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_update_with(sl_scope_t *scope, TF_Output ref,
    TF_Output indices, TF_Output updates, const sl_op_resource_scatter_nd_update_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdUpdate", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_update(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_update_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_update_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterSub(resource: resource, indices: Tindices, updates: dtype)
// Subtracts from rows of a variable.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, no gradient.
static inline TF_Operation *sl_op_resource_scatter_sub_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterSub", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_sub(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_sub_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterUpdate(resource: resource, indices: Tindices, updates: dtype)
// Sets rows of a variable.
// dtype: type; Tindices: {int32, int64}
// Stateful, no gradient.
static inline TF_Operation *sl_op_resource_scatter_update_with(sl_scope_t *scope, TF_Output resource,
    TF_Output indices, TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterUpdate", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_update(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_update_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceStridedSliceAssign(ref: resource, begin: Index, end: Index, strides: Index, value: T)
// Sets a slice of a variable.
// T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int
//   = 0; shrink_axis_mask: int = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_resource_strided_slice_assign_options_t;
static inline TF_Operation *sl_op_resource_strided_slice_assign_with(sl_scope_t *scope, TF_Output ref,
    TF_Output begin, TF_Output end, TF_Output strides, TF_Output value,
    const sl_op_resource_strided_slice_assign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceStridedSliceAssign", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, begin);
  sl_node_input(node, end);
  sl_node_input(node, strides);
  sl_node_input(node, value);
  sl_node_attr_int(node, "begin_mask", options->begin_mask);
  sl_node_attr_int(node, "end_mask", options->end_mask);
  sl_node_attr_int(node, "ellipsis_mask", options->ellipsis_mask);
  sl_node_attr_int(node, "new_axis_mask", options->new_axis_mask);
  sl_node_attr_int(node, "shrink_axis_mask", options->shrink_axis_mask);
  return sl_node_finish(node);
}
#define sl_op_resource_strided_slice_assign(scope, ref, begin, end, strides, value, ...) \
  sl_op_resource_strided_slice_assign_with(SL_AT(scope), (ref), (begin), (end), (strides), (value), SL_OPTIONS( \
    sl_op_resource_strided_slice_assign_options_t, __VA_ARGS__))

// ScatterAdd(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Adds to rows of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_add_options_t;
static inline TF_Output sl_op_scatter_add_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterAdd", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_add(scope, ref, indices, updates, ...) \
  sl_op_scatter_add_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_add_options_t, \
    __VA_ARGS__))

// ScatterDiv(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Divides rows of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_div_options_t;
static inline TF_Output sl_op_scatter_div_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_div_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterDiv", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_div(scope, ref, indices, updates, ...) \
  sl_op_scatter_div_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_div_options_t, \
    __VA_ARGS__))

// ScatterMax(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Sets rows of a variable to the maximum of old and new values.
// T: {half, bfloat16, float, double, int32, int64}; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_max_options_t;
static inline TF_Output sl_op_scatter_max_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterMax", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_max(scope, ref, indices, updates, ...) \
  sl_op_scatter_max_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_max_options_t, \
    __VA_ARGS__))

// ScatterMin(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Sets rows of a variable to the minimum of old and new values.
// T: {half, bfloat16, float, double, int32, int64}; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_min_options_t;
static inline TF_Output sl_op_scatter_min_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterMin", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_min(scope, ref, indices, updates, ...) \
  sl_op_scatter_min_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_min_options_t, \
    __VA_ARGS__))

// ScatterMul(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Multiplies rows of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_mul_options_t;
static inline TF_Output sl_op_scatter_mul_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_mul_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterMul", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_mul(scope, ref, indices, updates, ...) \
  sl_op_scatter_mul_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_mul_options_t, \
    __VA_ARGS__))

// ScatterNd(indices: Tindices, updates: T, shape: Tindices) -> output: T
// Adds slices to a tensor of zeros.
// T: type; Tindices: {int16, int32, int64}
// Differentiable.
static inline TF_Output sl_op_scatter_nd_with(sl_scope_t *scope, TF_Output indices, TF_Output updates,
    TF_Output shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNd", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_input(node, shape);
  return sl_node_output(node);
}
#define sl_op_scatter_nd(scope, indices, updates, shape, ...) \
  sl_op_scatter_nd_with(SL_AT(scope), (indices), (updates), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ScatterNdAdd(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Adds to slices of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_add_options_t;
static inline TF_Output sl_op_scatter_nd_add_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdAdd", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_add(scope, ref, indices, updates, ...) \
  sl_op_scatter_nd_add_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_nd_add_options_t, \
    __VA_ARGS__))

// ScatterNdMax(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Sets slices of a variable to the maximum of old and new values.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_max_options_t;
static inline TF_Output sl_op_scatter_nd_max_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdMax", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_max(scope, ref, indices, updates, ...) \
  sl_op_scatter_nd_max_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_nd_max_options_t, \
    __VA_ARGS__))

// ScatterNdMin(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Sets slices of a variable to the minimum of old and new values.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_min_options_t;
static inline TF_Output sl_op_scatter_nd_min_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdMin", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_min(scope, ref, indices, updates, ...) \
  sl_op_scatter_nd_min_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_nd_min_options_t, \
    __VA_ARGS__))

// ScatterNdNonAliasingAdd(input: T, indices: Tindices, updates: T) -> output: T
// A tensor with slices added.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64, bool}; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_scatter_nd_non_aliasing_add_with(sl_scope_t *scope, TF_Output input, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdNonAliasingAdd", options->name);
  sl_node_input(node, input);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_non_aliasing_add(scope, input, indices, updates, ...) \
  sl_op_scatter_nd_non_aliasing_add_with(SL_AT(scope), (input), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ScatterNdSub(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Subtracts from slices of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_sub_options_t;
static inline TF_Output sl_op_scatter_nd_sub_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_sub_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdSub", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_sub(scope, ref, indices, updates, ...) \
  sl_op_scatter_nd_sub_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_nd_sub_options_t, \
    __VA_ARGS__))

// ScatterNdUpdate(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Sets slices of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_update_options_t;
static inline TF_Output sl_op_scatter_nd_update_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_update_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdUpdate", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_update(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_scatter_nd_update_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_scatter_nd_update_options_t, .use_locking = true, __VA_ARGS__)))

// ScatterSub(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Subtracts from rows of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_sub_options_t;
static inline TF_Output sl_op_scatter_sub_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_sub_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterSub", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_sub(scope, ref, indices, updates, ...) \
  sl_op_scatter_sub_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_sub_options_t, \
    __VA_ARGS__))

// ScatterUpdate(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Sets rows of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_update_options_t;
static inline TF_Output sl_op_scatter_update_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_update_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterUpdate", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_update(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_scatter_update_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_scatter_update_options_t, .use_locking = true, __VA_ARGS__)))

// StridedSliceAssign(ref: Ref(T), begin: Index, end: Index, strides: Index, value: T) -> output_ref: Ref(T)
// Sets a slice of a variable.
// T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int
//   = 0; shrink_axis_mask: int = 0
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_strided_slice_assign_options_t;
static inline TF_Output sl_op_strided_slice_assign_with(sl_scope_t *scope, TF_Output ref, TF_Output begin,
    TF_Output end, TF_Output strides, TF_Output value, const sl_op_strided_slice_assign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StridedSliceAssign", options->name);
  sl_node_input(node, ref);
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
#define sl_op_strided_slice_assign(scope, ref, begin, end, strides, value, ...) \
  sl_op_strided_slice_assign_with(SL_AT(scope), (ref), (begin), (end), (strides), (value), SL_OPTIONS( \
    sl_op_strided_slice_assign_options_t, __VA_ARGS__))

// TemporaryVariable() -> ref: Ref(dtype)
// A variable that exists for one step.
// shape: shape; dtype: type; var_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *var_name;
} sl_op_temporary_variable_options_t;
static inline TF_Output sl_op_temporary_variable_with(sl_scope_t *scope, sl_shape_t shape, TF_DataType dtype,
    const sl_op_temporary_variable_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TemporaryVariable", options->name);
  sl_node_attr_shape(node, "shape", shape);
  sl_node_attr_type(node, "dtype", dtype);
  if (options->var_name) sl_node_attr_text(node, "var_name", options->var_name);
  return sl_node_output(node);
}
#define sl_op_temporary_variable(scope, shape, dtype, ...) \
  sl_op_temporary_variable_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_temporary_variable_options_t, \
    __VA_ARGS__))

// TensorScatterAdd(tensor: T, indices: Tindices, updates: T) -> output: T
// A tensor with slices added.
// T: type; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_add_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterAdd", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_add(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_add_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorScatterMax(tensor: T, indices: Tindices, updates: T) -> output: T
// The maximum of a tensor and slices.
// T: type; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_max_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterMax", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_max(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_max_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorScatterMin(tensor: T, indices: Tindices, updates: T) -> output: T
// The minimum of a tensor and slices.
// T: type; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_min_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterMin", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_min(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_min_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorScatterSub(tensor: T, indices: Tindices, updates: T) -> output: T
// A tensor with slices subtracted.
// T: type; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_sub_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterSub", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_sub(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_sub_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorScatterUpdate(tensor: T, indices: Tindices, updates: T) -> output: T
// A tensor with slices replaced.
// T: type; Tindices: {int16, int32, int64, uint16}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_update_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterUpdate", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_update(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_update_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// VarHandleOp() -> resource: resource
// A handle to a variable of the task.
// container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: type; shape: shape;
//   allowed_devices: list(string) = []
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *debug_name;
  sl_op_texts_t allowed_devices;
} sl_op_var_handle_op_options_t;
static inline TF_Output sl_op_var_handle_op_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
    const sl_op_var_handle_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "VarHandleOp", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->debug_name) sl_node_attr_text(node, "debug_name", options->debug_name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  if (options->allowed_devices.values) sl_node_attr_text_list(node, "allowed_devices",
    options->allowed_devices.values, options->allowed_devices.count);
  return sl_node_output(node);
}
#define sl_op_var_handle_op(scope, dtype, shape, ...) \
  sl_op_var_handle_op_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS(sl_op_var_handle_op_options_t, __VA_ARGS__))

// VarIsInitializedOp(resource: resource) -> is_initialized: bool
// Whether a variable has a value.
// Stateful; gradients stop here.
static inline TF_Output sl_op_var_is_initialized_op_with(sl_scope_t *scope, TF_Output resource,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "VarIsInitializedOp", options->name);
  sl_node_input(node, resource);
  return sl_node_output(node);
}
#define sl_op_var_is_initialized_op(scope, resource, ...) \
  sl_op_var_is_initialized_op_with(SL_AT(scope), (resource), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Variable() -> ref: Ref(dtype)
// A variable of the task, by reference.
// shape: shape; dtype: type; container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_variable_options_t;
static inline TF_Output sl_op_variable_with(sl_scope_t *scope, sl_shape_t shape, TF_DataType dtype,
    const sl_op_variable_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Variable", options->name);
  sl_node_attr_shape(node, "shape", shape);
  sl_node_attr_type(node, "dtype", dtype);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_variable(scope, shape, dtype, ...) \
  sl_op_variable_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_variable_options_t, __VA_ARGS__))

// VariableShape(input: resource) -> output: out_type
// The shape of a variable's value.
// out_type: {int32, int64} = DT_INT32
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_variable_shape_options_t;
static inline TF_Output sl_op_variable_shape_with(sl_scope_t *scope, TF_Output input,
    const sl_op_variable_shape_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "VariableShape", options->name);
  sl_node_input(node, input);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_variable_shape(scope, input, ...) \
  sl_op_variable_shape_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_variable_shape_options_t, __VA_ARGS__))

// VariableV2() -> ref: Ref(dtype)
// A variable of the task, by reference.
// shape: shape; dtype: type; container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_variable_v2_options_t;
static inline TF_Output sl_op_variable_v2_with(sl_scope_t *scope, sl_shape_t shape, TF_DataType dtype,
    const sl_op_variable_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "VariableV2", options->name);
  sl_node_attr_shape(node, "shape", shape);
  sl_node_attr_type(node, "dtype", dtype);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_variable_v2(scope, shape, dtype, ...) \
  sl_op_variable_v2_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_variable_v2_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_STATE_H_
