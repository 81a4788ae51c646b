// Ops: queues, accumulators, barriers, staging areas.
// Generated from src/ops/queue by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_QUEUE_H_
#define SLUICE_OPS_QUEUE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// AccumulatorApplyGradient(handle: Ref(string), local_step: int64, gradient: dtype)
// Adds a gradient, unless it is stale.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// No gradient.
static inline TF_Operation *sl_op_accumulator_apply_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output local_step, TF_Output gradient, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AccumulatorApplyGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, local_step);
  sl_node_input(node, gradient);
  return sl_node_finish(node);
}
#define sl_op_accumulator_apply_gradient(scope, handle, local_step, gradient, ...) \
  sl_op_accumulator_apply_gradient_with(SL_AT(scope), (handle), (local_step), (gradient), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// AccumulatorNumAccumulated(handle: Ref(string)) -> num_accumulated: int32
// The number of gradients accumulated since the last take.
// No gradient.
static inline TF_Output sl_op_accumulator_num_accumulated_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AccumulatorNumAccumulated", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_accumulator_num_accumulated(scope, handle, ...) \
  sl_op_accumulator_num_accumulated_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AccumulatorSetGlobalStep(handle: Ref(string), new_global_step: int64)
// Sets the step below which gradients are stale.
// No gradient.
static inline TF_Operation *sl_op_accumulator_set_global_step_with(sl_scope_t *scope, TF_Output handle,
    TF_Output new_global_step, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AccumulatorSetGlobalStep", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, new_global_step);
  return sl_node_finish(node);
}
#define sl_op_accumulator_set_global_step(scope, handle, new_global_step, ...) \
  sl_op_accumulator_set_global_step_with(SL_AT(scope), (handle), (new_global_step), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// AccumulatorTakeGradient(handle: Ref(string), num_required: int32) -> average: dtype
// Waits for enough gradients, then takes their mean or sum.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// No gradient.
static inline TF_Output sl_op_accumulator_take_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output num_required, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AccumulatorTakeGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, num_required);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_accumulator_take_gradient(scope, handle, num_required, dtype, ...) \
  sl_op_accumulator_take_gradient_with(SL_AT(scope), (handle), (num_required), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Barrier() -> handle: Ref(string)
// A barrier, which collects elements by key until all their components are inserted.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_barrier_options_t;
static inline TF_Output sl_op_barrier_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_barrier_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Barrier", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_barrier(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_barrier_with(SL_AT(scope), (component_types), SL_OPTIONS(sl_op_barrier_options_t, \
    .capacity = -1, __VA_ARGS__)))

// BarrierClose(handle: Ref(string))
// Closes a barrier.
// cancel_pending_enqueues: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool cancel_pending_enqueues;
} sl_op_barrier_close_options_t;
static inline TF_Operation *sl_op_barrier_close_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_barrier_close_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierClose", options->name);
  sl_node_input(node, handle);
  sl_node_attr_bool(node, "cancel_pending_enqueues", options->cancel_pending_enqueues);
  return sl_node_finish(node);
}
#define sl_op_barrier_close(scope, handle, ...) \
  sl_op_barrier_close_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_barrier_close_options_t, __VA_ARGS__))

// BarrierIncompleteSize(handle: Ref(string)) -> size: int32
// The number of incomplete elements in a barrier.
// No gradient.
static inline TF_Output sl_op_barrier_incomplete_size_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierIncompleteSize", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_barrier_incomplete_size(scope, handle, ...) \
  sl_op_barrier_incomplete_size_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BarrierInsertMany(handle: Ref(string), keys: string, values: T)
// Inserts one component of the elements with the given keys.
// T: type; component_index: int
// No gradient.
static inline TF_Operation *sl_op_barrier_insert_many_with(sl_scope_t *scope, TF_Output handle, TF_Output keys,
    TF_Output values, int64_t component_index, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierInsertMany", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  sl_node_attr_int(node, "component_index", component_index);
  return sl_node_finish(node);
}
#define sl_op_barrier_insert_many(scope, handle, keys, values, component_index, ...) \
  sl_op_barrier_insert_many_with(SL_AT(scope), (handle), (keys), (values), (component_index), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// BarrierReadySize(handle: Ref(string)) -> size: int32
// The number of complete elements in a barrier.
// No gradient.
static inline TF_Output sl_op_barrier_ready_size_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierReadySize", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_barrier_ready_size(scope, handle, ...) \
  sl_op_barrier_ready_size_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BarrierTakeMany(handle: Ref(string), num_elements: int32) -> indices: int64, keys: string, values: component_types
// Takes complete elements from a barrier.
// component_types: list(type) >= 1; allow_small_batch: bool = false; wait_for_incomplete: bool = false; timeout_ms:
//   int = -1
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool allow_small_batch;
  bool wait_for_incomplete;
  int64_t timeout_ms;
} sl_op_barrier_take_many_options_t;
typedef struct {
  TF_Output indices;
  TF_Output keys;
  sl_op_list_t values;
} sl_op_barrier_take_many_t;
static inline sl_op_barrier_take_many_t sl_op_barrier_take_many_with(sl_scope_t *scope, TF_Output handle,
    TF_Output num_elements, sl_op_types_t component_types, const sl_op_barrier_take_many_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierTakeMany", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, num_elements);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_bool(node, "allow_small_batch", options->allow_small_batch);
  sl_node_attr_bool(node, "wait_for_incomplete", options->wait_for_incomplete);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_barrier_take_many_t result;
  int next = 0;
  result.indices = sl_op_output(operation, next++);
  result.keys = sl_op_output(operation, next++);
  result.values = sl_op_list(operation, "values", next);
  next += result.values.count;
  return result;
}
#define sl_op_barrier_take_many(scope, handle, num_elements, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_barrier_take_many_with(SL_AT(scope), (handle), (num_elements), (component_types), SL_OPTIONS( \
    sl_op_barrier_take_many_options_t, .timeout_ms = -1, __VA_ARGS__)))

// ConditionalAccumulator() -> handle: Ref(string)
// A conditional accumulator of dense gradients.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = ''; shared_name: string =
//   ''; reduction_type: {'MEAN', 'SUM'} = 'MEAN'
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *reduction_type;
} sl_op_conditional_accumulator_options_t;
static inline TF_Output sl_op_conditional_accumulator_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
    const sl_op_conditional_accumulator_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConditionalAccumulator", options->name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->reduction_type) sl_node_attr_text(node, "reduction_type", options->reduction_type);
  return sl_node_output(node);
}
#define sl_op_conditional_accumulator(scope, dtype, shape, ...) \
  sl_op_conditional_accumulator_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS( \
    sl_op_conditional_accumulator_options_t, __VA_ARGS__))

// FIFOQueue() -> handle: Ref(string)
// A first-in first-out queue.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_fifo_queue_options_t;
static inline TF_Output sl_op_fifo_queue_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_fifo_queue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FIFOQueue", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_fifo_queue(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_fifo_queue_with(SL_AT(scope), (component_types), SL_OPTIONS(sl_op_fifo_queue_options_t, \
    .capacity = -1, __VA_ARGS__)))

// FIFOQueueV2() -> handle: resource
// A first-in first-out queue.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_fifo_queue_v2_options_t;
static inline TF_Output sl_op_fifo_queue_v2_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_fifo_queue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FIFOQueueV2", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_fifo_queue_v2(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_fifo_queue_v2_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_fifo_queue_v2_options_t, .capacity = -1, __VA_ARGS__)))

// MapClear()
// Removes all tuples from a staging map.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_map_clear_options_t;
static inline TF_Operation *sl_op_map_clear_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_map_clear_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapClear", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_finish(node);
}
#define sl_op_map_clear(scope, dtypes, ...) \
  sl_op_map_clear_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_map_clear_options_t, __VA_ARGS__))

// MapIncompleteSize() -> size: int32
// The number of tuples in a staging map that lack components.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_map_incomplete_size_options_t;
static inline TF_Output sl_op_map_incomplete_size_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_map_incomplete_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapIncompleteSize", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_map_incomplete_size(scope, dtypes, ...) \
  sl_op_map_incomplete_size_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_map_incomplete_size_options_t, __VA_ARGS__))

// MapPeek(key: int64, indices: int32) -> values: dtypes
// Returns what is under a key of a staging map.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_map_peek_options_t;
static inline sl_op_list_t sl_op_map_peek_with(sl_scope_t *scope, TF_Output key, TF_Output indices,
    sl_op_types_t dtypes, const sl_op_map_peek_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapPeek", options->name);
  sl_node_input(node, key);
  sl_node_input(node, indices);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "values", 0);
}
#define sl_op_map_peek(scope, key, indices, dtypes, ...) \
  sl_op_map_peek_with(SL_AT(scope), (key), (indices), (dtypes), SL_OPTIONS(sl_op_map_peek_options_t, __VA_ARGS__))

// MapSize() -> size: int32
// The number of complete tuples in a staging map.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_map_size_options_t;
static inline TF_Output sl_op_map_size_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_map_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapSize", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_map_size(scope, dtypes, ...) \
  sl_op_map_size_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_map_size_options_t, __VA_ARGS__))

// MapStage(key: int64, indices: int32, values: fake_dtypes)
// Stores a tuple, or a part of one, under a key of a staging map.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); fake_dtypes: list(type) >= 1; container:
//   string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_map_stage_options_t;
static inline TF_Operation *sl_op_map_stage_with(sl_scope_t *scope, TF_Output key, TF_Output indices,
    const TF_Output *values, size_t values_count, sl_op_types_t dtypes, const sl_op_map_stage_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapStage", options->name);
  sl_node_input(node, key);
  sl_node_input(node, indices);
  sl_node_input_list(node, values, values_count);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_finish(node);
}
#define sl_op_map_stage(scope, key, indices, values, values_count, dtypes, ...) \
  sl_op_map_stage_with(SL_AT(scope), (key), (indices), (values), (values_count), (dtypes), SL_OPTIONS( \
    sl_op_map_stage_options_t, __VA_ARGS__))

// MapUnstage(key: int64, indices: int32) -> values: dtypes
// Removes what is under a key of a staging map and returns it.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_map_unstage_options_t;
static inline sl_op_list_t sl_op_map_unstage_with(sl_scope_t *scope, TF_Output key, TF_Output indices,
    sl_op_types_t dtypes, const sl_op_map_unstage_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapUnstage", options->name);
  sl_node_input(node, key);
  sl_node_input(node, indices);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "values", 0);
}
#define sl_op_map_unstage(scope, key, indices, dtypes, ...) \
  sl_op_map_unstage_with(SL_AT(scope), (key), (indices), (dtypes), SL_OPTIONS(sl_op_map_unstage_options_t, \
    __VA_ARGS__))

// MapUnstageNoKey(indices: int32) -> key: int64, values: dtypes
// Removes what is under any key of a staging map and returns it.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_map_unstage_no_key_options_t;
typedef struct {
  TF_Output key;
  sl_op_list_t values;
} sl_op_map_unstage_no_key_t;
static inline sl_op_map_unstage_no_key_t sl_op_map_unstage_no_key_with(sl_scope_t *scope, TF_Output indices,
    sl_op_types_t dtypes, const sl_op_map_unstage_no_key_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapUnstageNoKey", options->name);
  sl_node_input(node, indices);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_map_unstage_no_key_t result;
  int next = 0;
  result.key = sl_op_output(operation, next++);
  result.values = sl_op_list(operation, "values", next);
  next += result.values.count;
  return result;
}
#define sl_op_map_unstage_no_key(scope, indices, dtypes, ...) \
  sl_op_map_unstage_no_key_with(SL_AT(scope), (indices), (dtypes), SL_OPTIONS(sl_op_map_unstage_no_key_options_t, \
    __VA_ARGS__))

// OrderedMapClear()
// Removes all tuples from a staging map.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_ordered_map_clear_options_t;
static inline TF_Operation *sl_op_ordered_map_clear_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_ordered_map_clear_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OrderedMapClear", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_finish(node);
}
#define sl_op_ordered_map_clear(scope, dtypes, ...) \
  sl_op_ordered_map_clear_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_ordered_map_clear_options_t, __VA_ARGS__))

// OrderedMapIncompleteSize() -> size: int32
// The number of tuples in a staging map that lack components.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_ordered_map_incomplete_size_options_t;
static inline TF_Output sl_op_ordered_map_incomplete_size_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_ordered_map_incomplete_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OrderedMapIncompleteSize", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_ordered_map_incomplete_size(scope, dtypes, ...) \
  sl_op_ordered_map_incomplete_size_with(SL_AT(scope), (dtypes), SL_OPTIONS( \
    sl_op_ordered_map_incomplete_size_options_t, __VA_ARGS__))

// OrderedMapPeek(key: int64, indices: int32) -> values: dtypes
// Returns what is under a key of a staging map.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_ordered_map_peek_options_t;
static inline sl_op_list_t sl_op_ordered_map_peek_with(sl_scope_t *scope, TF_Output key, TF_Output indices,
    sl_op_types_t dtypes, const sl_op_ordered_map_peek_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OrderedMapPeek", options->name);
  sl_node_input(node, key);
  sl_node_input(node, indices);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "values", 0);
}
#define sl_op_ordered_map_peek(scope, key, indices, dtypes, ...) \
  sl_op_ordered_map_peek_with(SL_AT(scope), (key), (indices), (dtypes), SL_OPTIONS(sl_op_ordered_map_peek_options_t, \
    __VA_ARGS__))

// OrderedMapSize() -> size: int32
// The number of complete tuples in a staging map.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_ordered_map_size_options_t;
static inline TF_Output sl_op_ordered_map_size_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_ordered_map_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OrderedMapSize", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_ordered_map_size(scope, dtypes, ...) \
  sl_op_ordered_map_size_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_ordered_map_size_options_t, __VA_ARGS__))

// OrderedMapStage(key: int64, indices: int32, values: fake_dtypes)
// Stores a tuple, or a part of one, under a key of a staging map.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); fake_dtypes: list(type) >= 1; container:
//   string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_ordered_map_stage_options_t;
static inline TF_Operation *sl_op_ordered_map_stage_with(sl_scope_t *scope, TF_Output key, TF_Output indices,
    const TF_Output *values, size_t values_count, sl_op_types_t dtypes,
    const sl_op_ordered_map_stage_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OrderedMapStage", options->name);
  sl_node_input(node, key);
  sl_node_input(node, indices);
  sl_node_input_list(node, values, values_count);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_finish(node);
}
#define sl_op_ordered_map_stage(scope, key, indices, values, values_count, dtypes, ...) \
  sl_op_ordered_map_stage_with(SL_AT(scope), (key), (indices), (values), (values_count), (dtypes), SL_OPTIONS( \
    sl_op_ordered_map_stage_options_t, __VA_ARGS__))

// OrderedMapUnstage(key: int64, indices: int32) -> values: dtypes
// Removes what is under a key of a staging map and returns it.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_ordered_map_unstage_options_t;
static inline sl_op_list_t sl_op_ordered_map_unstage_with(sl_scope_t *scope, TF_Output key, TF_Output indices,
    sl_op_types_t dtypes, const sl_op_ordered_map_unstage_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OrderedMapUnstage", options->name);
  sl_node_input(node, key);
  sl_node_input(node, indices);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "values", 0);
}
#define sl_op_ordered_map_unstage(scope, key, indices, dtypes, ...) \
  sl_op_ordered_map_unstage_with(SL_AT(scope), (key), (indices), (dtypes), SL_OPTIONS( \
    sl_op_ordered_map_unstage_options_t, __VA_ARGS__))

// OrderedMapUnstageNoKey(indices: int32) -> key: int64, values: dtypes
// Removes what is under the smallest key of a staging map and returns it.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_ordered_map_unstage_no_key_options_t;
typedef struct {
  TF_Output key;
  sl_op_list_t values;
} sl_op_ordered_map_unstage_no_key_t;
static inline sl_op_ordered_map_unstage_no_key_t sl_op_ordered_map_unstage_no_key_with(sl_scope_t *scope,
    TF_Output indices, sl_op_types_t dtypes, const sl_op_ordered_map_unstage_no_key_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OrderedMapUnstageNoKey", options->name);
  sl_node_input(node, indices);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ordered_map_unstage_no_key_t result;
  int next = 0;
  result.key = sl_op_output(operation, next++);
  result.values = sl_op_list(operation, "values", next);
  next += result.values.count;
  return result;
}
#define sl_op_ordered_map_unstage_no_key(scope, indices, dtypes, ...) \
  sl_op_ordered_map_unstage_no_key_with(SL_AT(scope), (indices), (dtypes), SL_OPTIONS( \
    sl_op_ordered_map_unstage_no_key_options_t, __VA_ARGS__))

// PaddingFIFOQueue() -> handle: Ref(string)
// A first-in first-out queue that pads elements of different shapes when it batches them.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_padding_fifo_queue_options_t;
static inline TF_Output sl_op_padding_fifo_queue_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_padding_fifo_queue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PaddingFIFOQueue", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_padding_fifo_queue(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_padding_fifo_queue_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_padding_fifo_queue_options_t, .capacity = -1, __VA_ARGS__)))

// PaddingFIFOQueueV2() -> handle: resource
// A first-in first-out queue that pads elements of different shapes when it batches them.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_padding_fifo_queue_v2_options_t;
static inline TF_Output sl_op_padding_fifo_queue_v2_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_padding_fifo_queue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PaddingFIFOQueueV2", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_padding_fifo_queue_v2(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_padding_fifo_queue_v2_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_padding_fifo_queue_v2_options_t, .capacity = -1, __VA_ARGS__)))

// PriorityQueue() -> handle: Ref(string)
// A queue that returns the element with the lowest priority value first.
// component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_types_t component_types;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_priority_queue_options_t;
static inline TF_Output sl_op_priority_queue_with(sl_scope_t *scope, sl_op_shapes_t shapes,
    const sl_op_priority_queue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PriorityQueue", options->name);
  if (options->component_types.values) sl_node_attr_type_list(node, "component_types",
    options->component_types.values, options->component_types.count);
  sl_node_attr_shape_list(node, "shapes", shapes.values, shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_priority_queue(scope, shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_priority_queue_with(SL_AT(scope), (shapes), SL_OPTIONS(sl_op_priority_queue_options_t, \
    .capacity = -1, __VA_ARGS__)))

// PriorityQueueV2() -> handle: resource
// A queue that returns the element with the lowest priority value first.
// component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_types_t component_types;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_priority_queue_v2_options_t;
static inline TF_Output sl_op_priority_queue_v2_with(sl_scope_t *scope, sl_op_shapes_t shapes,
    const sl_op_priority_queue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PriorityQueueV2", options->name);
  if (options->component_types.values) sl_node_attr_type_list(node, "component_types",
    options->component_types.values, options->component_types.count);
  sl_node_attr_shape_list(node, "shapes", shapes.values, shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_priority_queue_v2(scope, shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_priority_queue_v2_with(SL_AT(scope), (shapes), SL_OPTIONS(sl_op_priority_queue_v2_options_t, \
    .capacity = -1, __VA_ARGS__)))

// QueueClose(handle: Ref(string))
// Closes a queue.
// cancel_pending_enqueues: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool cancel_pending_enqueues;
} sl_op_queue_close_options_t;
static inline TF_Operation *sl_op_queue_close_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_queue_close_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueClose", options->name);
  sl_node_input(node, handle);
  sl_node_attr_bool(node, "cancel_pending_enqueues", options->cancel_pending_enqueues);
  return sl_node_finish(node);
}
#define sl_op_queue_close(scope, handle, ...) \
  sl_op_queue_close_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_queue_close_options_t, __VA_ARGS__))

// QueueCloseV2(handle: resource)
// Closes a queue.
// cancel_pending_enqueues: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool cancel_pending_enqueues;
} sl_op_queue_close_v2_options_t;
static inline TF_Operation *sl_op_queue_close_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_queue_close_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueCloseV2", options->name);
  sl_node_input(node, handle);
  sl_node_attr_bool(node, "cancel_pending_enqueues", options->cancel_pending_enqueues);
  return sl_node_finish(node);
}
#define sl_op_queue_close_v2(scope, handle, ...) \
  sl_op_queue_close_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_queue_close_v2_options_t, __VA_ARGS__))

// QueueDequeue(handle: Ref(string)) -> components: component_types
// Dequeues one tuple of tensors.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_with(sl_scope_t *scope, TF_Output handle,
    sl_op_types_t component_types, const sl_op_queue_dequeue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeue", options->name);
  sl_node_input(node, handle);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue(scope, handle, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_with(SL_AT(scope), (handle), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueMany(handle: Ref(string), n: int32) -> components: component_types
// Dequeues n tuples and stacks them into batches.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_many_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_many_with(sl_scope_t *scope, TF_Output handle, TF_Output n,
    sl_op_types_t component_types, const sl_op_queue_dequeue_many_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueMany", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, n);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_many(scope, handle, n, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_many_with(SL_AT(scope), (handle), (n), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_many_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueManyV2(handle: resource, n: int32) -> components: component_types
// Dequeues n tuples and stacks them into batches.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_many_v2_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_many_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output n,
    sl_op_types_t component_types, const sl_op_queue_dequeue_many_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueManyV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, n);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_many_v2(scope, handle, n, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_many_v2_with(SL_AT(scope), (handle), (n), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_many_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueUpTo(handle: Ref(string), n: int32) -> components: component_types
// Dequeues n tuples, or fewer if the queue is closed, and stacks them into batches.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_up_to_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_up_to_with(sl_scope_t *scope, TF_Output handle, TF_Output n,
    sl_op_types_t component_types, const sl_op_queue_dequeue_up_to_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueUpTo", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, n);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_up_to(scope, handle, n, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_up_to_with(SL_AT(scope), (handle), (n), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_up_to_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueUpToV2(handle: resource, n: int32) -> components: component_types
// Dequeues n tuples, or fewer if the queue is closed, and stacks them into batches.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_up_to_v2_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_up_to_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output n,
    sl_op_types_t component_types, const sl_op_queue_dequeue_up_to_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueUpToV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, n);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_up_to_v2(scope, handle, n, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_up_to_v2_with(SL_AT(scope), (handle), (n), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_up_to_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueV2(handle: resource) -> components: component_types
// Dequeues one tuple of tensors.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_v2_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_v2_with(sl_scope_t *scope, TF_Output handle,
    sl_op_types_t component_types, const sl_op_queue_dequeue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueV2", options->name);
  sl_node_input(node, handle);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_v2(scope, handle, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_v2_with(SL_AT(scope), (handle), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueEnqueue(handle: Ref(string), components: Tcomponents)
// Enqueues one tuple of tensors.
// Tcomponents: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_enqueue_options_t;
static inline TF_Operation *sl_op_queue_enqueue_with(sl_scope_t *scope, TF_Output handle,
    const TF_Output *components, size_t components_count, const sl_op_queue_enqueue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueEnqueue", options->name);
  sl_node_input(node, handle);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  return sl_node_finish(node);
}
#define sl_op_queue_enqueue(scope, handle, components, components_count, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_enqueue_with(SL_AT(scope), (handle), (components), (components_count), SL_OPTIONS( \
    sl_op_queue_enqueue_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueEnqueueMany(handle: Ref(string), components: Tcomponents)
// Enqueues one tuple for each row of the components.
// Tcomponents: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_enqueue_many_options_t;
static inline TF_Operation *sl_op_queue_enqueue_many_with(sl_scope_t *scope, TF_Output handle,
    const TF_Output *components, size_t components_count, const sl_op_queue_enqueue_many_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueEnqueueMany", options->name);
  sl_node_input(node, handle);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  return sl_node_finish(node);
}
#define sl_op_queue_enqueue_many(scope, handle, components, components_count, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_enqueue_many_with(SL_AT(scope), (handle), (components), (components_count), SL_OPTIONS( \
    sl_op_queue_enqueue_many_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueEnqueueManyV2(handle: resource, components: Tcomponents)
// Enqueues one tuple for each row of the components.
// Tcomponents: list(type) >= 1; timeout_ms: int = -1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_enqueue_many_v2_options_t;
static inline TF_Operation *sl_op_queue_enqueue_many_v2_with(sl_scope_t *scope, TF_Output handle,
    const TF_Output *components, size_t components_count, const sl_op_queue_enqueue_many_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueEnqueueManyV2", options->name);
  sl_node_input(node, handle);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  return sl_node_finish(node);
}
#define sl_op_queue_enqueue_many_v2(scope, handle, components, components_count, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_enqueue_many_v2_with(SL_AT(scope), (handle), (components), (components_count), \
    SL_OPTIONS(sl_op_queue_enqueue_many_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueEnqueueV2(handle: resource, components: Tcomponents)
// Enqueues one tuple of tensors.
// Tcomponents: list(type) >= 1; timeout_ms: int = -1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_enqueue_v2_options_t;
static inline TF_Operation *sl_op_queue_enqueue_v2_with(sl_scope_t *scope, TF_Output handle,
    const TF_Output *components, size_t components_count, const sl_op_queue_enqueue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueEnqueueV2", options->name);
  sl_node_input(node, handle);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  return sl_node_finish(node);
}
#define sl_op_queue_enqueue_v2(scope, handle, components, components_count, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_enqueue_v2_with(SL_AT(scope), (handle), (components), (components_count), SL_OPTIONS( \
    sl_op_queue_enqueue_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueIsClosed(handle: Ref(string)) -> is_closed: bool
// Whether a queue is closed.
// No gradient.
static inline TF_Output sl_op_queue_is_closed_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueIsClosed", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_queue_is_closed(scope, handle, ...) \
  sl_op_queue_is_closed_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// QueueIsClosedV2(handle: resource) -> is_closed: bool
// Whether a queue is closed.
// Stateful, no gradient.
static inline TF_Output sl_op_queue_is_closed_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueIsClosedV2", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_queue_is_closed_v2(scope, handle, ...) \
  sl_op_queue_is_closed_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// QueueSize(handle: Ref(string)) -> size: int32
// The number of elements in a queue.
// Gradients stop here.
static inline TF_Output sl_op_queue_size_with(sl_scope_t *scope, TF_Output handle, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueSize", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_queue_size(scope, handle, ...) \
  sl_op_queue_size_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// QueueSizeV2(handle: resource) -> size: int32
// The number of elements in a queue.
// Stateful, no gradient.
static inline TF_Output sl_op_queue_size_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueSizeV2", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_queue_size_v2(scope, handle, ...) \
  sl_op_queue_size_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RandomShuffleQueue() -> handle: Ref(string)
// A queue that returns elements in random order.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; min_after_dequeue: int = 0;
//   seed: int = 0; seed2: int = 0; container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  int64_t min_after_dequeue;
  int64_t seed;
  int64_t seed2;
  const char *container;
  const char *shared_name;
} sl_op_random_shuffle_queue_options_t;
static inline TF_Output sl_op_random_shuffle_queue_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_random_shuffle_queue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomShuffleQueue", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "min_after_dequeue", options->min_after_dequeue);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_random_shuffle_queue(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_random_shuffle_queue_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_random_shuffle_queue_options_t, .capacity = -1, __VA_ARGS__)))

// RandomShuffleQueueV2() -> handle: resource
// A queue that returns elements in random order.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; min_after_dequeue: int = 0;
//   seed: int = 0; seed2: int = 0; container: string = ''; shared_name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  int64_t min_after_dequeue;
  int64_t seed;
  int64_t seed2;
  const char *container;
  const char *shared_name;
} sl_op_random_shuffle_queue_v2_options_t;
static inline TF_Output sl_op_random_shuffle_queue_v2_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_random_shuffle_queue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomShuffleQueueV2", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "min_after_dequeue", options->min_after_dequeue);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_random_shuffle_queue_v2(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_random_shuffle_queue_v2_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_random_shuffle_queue_v2_options_t, .capacity = -1, __VA_ARGS__)))

// ResourceAccumulatorApplyGradient(handle: resource, local_step: int64, gradient: dtype)
// Adds a gradient, unless it is stale.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// Stateful, no gradient.
static inline TF_Operation *sl_op_resource_accumulator_apply_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output local_step, TF_Output gradient, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceAccumulatorApplyGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, local_step);
  sl_node_input(node, gradient);
  return sl_node_finish(node);
}
#define sl_op_resource_accumulator_apply_gradient(scope, handle, local_step, gradient, ...) \
  sl_op_resource_accumulator_apply_gradient_with(SL_AT(scope), (handle), (local_step), (gradient), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ResourceAccumulatorNumAccumulated(handle: resource) -> num_accumulated: int32
// The number of gradients accumulated since the last take.
// Stateful, no gradient.
static inline TF_Output sl_op_resource_accumulator_num_accumulated_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceAccumulatorNumAccumulated", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_resource_accumulator_num_accumulated(scope, handle, ...) \
  sl_op_resource_accumulator_num_accumulated_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ResourceAccumulatorSetGlobalStep(handle: resource, new_global_step: int64)
// Sets the step below which gradients are stale.
// Stateful, no gradient.
static inline TF_Operation *sl_op_resource_accumulator_set_global_step_with(sl_scope_t *scope, TF_Output handle,
    TF_Output new_global_step, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceAccumulatorSetGlobalStep", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, new_global_step);
  return sl_node_finish(node);
}
#define sl_op_resource_accumulator_set_global_step(scope, handle, new_global_step, ...) \
  sl_op_resource_accumulator_set_global_step_with(SL_AT(scope), (handle), (new_global_step), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ResourceAccumulatorTakeGradient(handle: resource, num_required: int32) -> average: dtype
// Waits for enough gradients, then takes their mean or sum.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// Stateful, no gradient.
static inline TF_Output sl_op_resource_accumulator_take_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output num_required, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceAccumulatorTakeGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, num_required);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_resource_accumulator_take_gradient(scope, handle, num_required, dtype, ...) \
  sl_op_resource_accumulator_take_gradient_with(SL_AT(scope), (handle), (num_required), (dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ResourceConditionalAccumulator() -> handle: resource
// A conditional accumulator of dense gradients.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = ''; shared_name: string =
//   ''; reduction_type: {'MEAN', 'SUM'} = 'MEAN'
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *reduction_type;
} sl_op_resource_conditional_accumulator_options_t;
static inline TF_Output sl_op_resource_conditional_accumulator_with(sl_scope_t *scope, TF_DataType dtype,
    sl_shape_t shape, const sl_op_resource_conditional_accumulator_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceConditionalAccumulator", options->name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->reduction_type) sl_node_attr_text(node, "reduction_type", options->reduction_type);
  return sl_node_output(node);
}
#define sl_op_resource_conditional_accumulator(scope, dtype, shape, ...) \
  sl_op_resource_conditional_accumulator_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS( \
    sl_op_resource_conditional_accumulator_options_t, __VA_ARGS__))

// SparseAccumulatorApplyGradient(handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values:
//   dtype, gradient_shape: int64)
// Adds a sparse gradient (slices), unless it is stale.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}; has_known_shape: bool
// No gradient.
static inline TF_Operation *sl_op_sparse_accumulator_apply_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output local_step, TF_Output gradient_indices, TF_Output gradient_values, TF_Output gradient_shape,
    bool has_known_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseAccumulatorApplyGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, local_step);
  sl_node_input(node, gradient_indices);
  sl_node_input(node, gradient_values);
  sl_node_input(node, gradient_shape);
  sl_node_attr_bool(node, "has_known_shape", has_known_shape);
  return sl_node_finish(node);
}
#define sl_op_sparse_accumulator_apply_gradient(scope, handle, local_step, gradient_indices, gradient_values, \
    gradient_shape, has_known_shape, ...) \
  sl_op_sparse_accumulator_apply_gradient_with(SL_AT(scope), (handle), (local_step), (gradient_indices), ( \
    gradient_values), (gradient_shape), (has_known_shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseAccumulatorTakeGradient(handle: Ref(string), num_required: int32) -> indices: int64, values: dtype, shape:
//   int64
// Waits for enough sparse gradients, then takes their mean or sum.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// No gradient.
typedef struct {
  TF_Output indices;
  TF_Output values;
  TF_Output shape;
} sl_op_sparse_accumulator_take_gradient_t;
static inline sl_op_sparse_accumulator_take_gradient_t sl_op_sparse_accumulator_take_gradient_with(sl_scope_t *scope,
    TF_Output handle, TF_Output num_required, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseAccumulatorTakeGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, num_required);
  sl_node_attr_type(node, "dtype", dtype);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_accumulator_take_gradient_t result;
  result.indices = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  result.shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_accumulator_take_gradient(scope, handle, num_required, dtype, ...) \
  sl_op_sparse_accumulator_take_gradient_with(SL_AT(scope), (handle), (num_required), (dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseConditionalAccumulator() -> handle: Ref(string)
// A conditional accumulator of sparse gradients (slices).
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = ''; shared_name: string =
//   ''; reduction_type: {'MEAN', 'SUM'} = 'MEAN'
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *reduction_type;
} sl_op_sparse_conditional_accumulator_options_t;
static inline TF_Output sl_op_sparse_conditional_accumulator_with(sl_scope_t *scope, TF_DataType dtype,
    sl_shape_t shape, const sl_op_sparse_conditional_accumulator_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseConditionalAccumulator", options->name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->reduction_type) sl_node_attr_text(node, "reduction_type", options->reduction_type);
  return sl_node_output(node);
}
#define sl_op_sparse_conditional_accumulator(scope, dtype, shape, ...) \
  sl_op_sparse_conditional_accumulator_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS( \
    sl_op_sparse_conditional_accumulator_options_t, __VA_ARGS__))

// Stage(values: dtypes)
// Adds a tuple to a staging area.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_stage_options_t;
static inline TF_Operation *sl_op_stage_with(sl_scope_t *scope, const TF_Output *values, size_t values_count,
    const sl_op_stage_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Stage", options->name);
  sl_node_input_list(node, values, values_count);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_finish(node);
}
#define sl_op_stage(scope, values, values_count, ...) \
  sl_op_stage_with(SL_AT(scope), (values), (values_count), SL_OPTIONS(sl_op_stage_options_t, __VA_ARGS__))

// StageClear()
// Removes all tuples from a staging area.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_stage_clear_options_t;
static inline TF_Operation *sl_op_stage_clear_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_stage_clear_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StageClear", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_finish(node);
}
#define sl_op_stage_clear(scope, dtypes, ...) \
  sl_op_stage_clear_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_stage_clear_options_t, __VA_ARGS__))

// StagePeek(index: int32) -> values: dtypes
// Returns a tuple of a staging area without removing it.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_stage_peek_options_t;
static inline sl_op_list_t sl_op_stage_peek_with(sl_scope_t *scope, TF_Output index, sl_op_types_t dtypes,
    const sl_op_stage_peek_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StagePeek", options->name);
  sl_node_input(node, index);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "values", 0);
}
#define sl_op_stage_peek(scope, index, dtypes, ...) \
  sl_op_stage_peek_with(SL_AT(scope), (index), (dtypes), SL_OPTIONS(sl_op_stage_peek_options_t, __VA_ARGS__))

// StageSize() -> size: int32
// The number of tuples in a staging area.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_stage_size_options_t;
static inline TF_Output sl_op_stage_size_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_stage_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StageSize", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_stage_size(scope, dtypes, ...) \
  sl_op_stage_size_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_stage_size_options_t, __VA_ARGS__))

// Unstage() -> values: dtypes
// Removes the oldest tuple from a staging area and returns it.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_unstage_options_t;
static inline sl_op_list_t sl_op_unstage_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_unstage_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Unstage", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "values", 0);
}
#define sl_op_unstage(scope, dtypes, ...) \
  sl_op_unstage_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_unstage_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_QUEUE_H_
