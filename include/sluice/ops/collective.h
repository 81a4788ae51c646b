// Ops: reductions, gathers and broadcasts between the devices of a group.
// Generated from src/ops/collective by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_COLLECTIVE_H_
#define SLUICE_OPS_COLLECTIVE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// CollectiveAllToAllV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token:
//   Nordering_token * resource) -> data: T
// Exchanges parts of tensors between all members of a group.
// T: {bfloat16, float, half, double, int32, int64}; communication_hint: string = 'auto'; timeout_seconds: float = 0;
//   is_stateless: bool = false; Nordering_token: int >= 0 = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
  bool is_stateless;
} sl_op_collective_all_to_all_v2_options_t;
static inline TF_Output sl_op_collective_all_to_all_v2_with(sl_scope_t *scope, TF_Output input, TF_Output group_size,
    TF_Output group_key, TF_Output instance_key, const TF_Output *ordering_token, size_t ordering_token_count,
    const sl_op_collective_all_to_all_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveAllToAllV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, group_size);
  sl_node_input(node, group_key);
  sl_node_input(node, instance_key);
  sl_node_input_list(node, ordering_token, ordering_token_count);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  sl_node_attr_bool(node, "is_stateless", options->is_stateless);
  return sl_node_output(node);
}
#define sl_op_collective_all_to_all_v2(scope, input, group_size, group_key, instance_key, ordering_token, \
    ordering_token_count, ...) \
  sl_op_collective_all_to_all_v2_with(SL_AT(scope), (input), (group_size), (group_key), (instance_key), ( \
    ordering_token), (ordering_token_count), SL_OPTIONS(sl_op_collective_all_to_all_v2_options_t, __VA_ARGS__))

// CollectiveAllToAllV3(input: T, communicator: resource, group_assignment: int32) -> data: T
// Exchanges parts of tensors between all members of a communicator.
// T: {bfloat16, float, half, double, int32, int64}; timeout_seconds: float = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  float timeout_seconds;
} sl_op_collective_all_to_all_v3_options_t;
static inline TF_Output sl_op_collective_all_to_all_v3_with(sl_scope_t *scope, TF_Output input,
    TF_Output communicator, TF_Output group_assignment, const sl_op_collective_all_to_all_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveAllToAllV3", options->name);
  sl_node_input(node, input);
  sl_node_input(node, communicator);
  sl_node_input(node, group_assignment);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_collective_all_to_all_v3(scope, input, communicator, group_assignment, ...) \
  sl_op_collective_all_to_all_v3_with(SL_AT(scope), (input), (communicator), (group_assignment), SL_OPTIONS( \
    sl_op_collective_all_to_all_v3_options_t, __VA_ARGS__))

// CollectiveAssignGroupV2(group_assignment: int32, device_index: int32, base_key: int32) -> group_size: int32,
//   group_key: int32
// Finds the group of a device in a table of groups.
// Stateful, no gradient.
typedef struct {
  TF_Output group_size;
  TF_Output group_key;
} sl_op_collective_assign_group_v2_t;
static inline sl_op_collective_assign_group_v2_t sl_op_collective_assign_group_v2_with(sl_scope_t *scope,
    TF_Output group_assignment, TF_Output device_index, TF_Output base_key, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveAssignGroupV2", options->name);
  sl_node_input(node, group_assignment);
  sl_node_input(node, device_index);
  sl_node_input(node, base_key);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_collective_assign_group_v2_t result;
  result.group_size = sl_op_output(operation, 0);
  result.group_key = sl_op_output(operation, 1);
  return result;
}
#define sl_op_collective_assign_group_v2(scope, group_assignment, device_index, base_key, ...) \
  sl_op_collective_assign_group_v2_with(SL_AT(scope), (group_assignment), (device_index), (base_key), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// CollectiveBcastRecv() -> data: T
// Receives a tensor from a member of a group.
// T: {bool, float, half, double, int32, int64}; group_size: int; group_key: int; instance_key: int; shape: shape;
//   communication_hint: string = 'auto'; timeout_seconds: float = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
} sl_op_collective_bcast_recv_options_t;
static inline TF_Output sl_op_collective_bcast_recv_with(sl_scope_t *scope, TF_DataType T, int64_t group_size,
    int64_t group_key, int64_t instance_key, sl_shape_t shape, const sl_op_collective_bcast_recv_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveBcastRecv", options->name);
  sl_node_attr_type(node, "T", T);
  sl_node_attr_int(node, "group_size", group_size);
  sl_node_attr_int(node, "group_key", group_key);
  sl_node_attr_int(node, "instance_key", instance_key);
  sl_node_attr_shape(node, "shape", shape);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_collective_bcast_recv(scope, T, group_size, group_key, instance_key, shape, ...) \
  sl_op_collective_bcast_recv_with(SL_AT(scope), (T), (group_size), (group_key), (instance_key), (shape), SL_OPTIONS( \
    sl_op_collective_bcast_recv_options_t, __VA_ARGS__))

// CollectiveBcastRecvV2(group_size: int32, group_key: int32, instance_key: int32, shape: Tshape) -> data: T
// Receives a tensor from a member of a group.
// T: {bool, float, half, double, int32, int64}; Tshape: {int32, int64} = DT_INT32; communication_hint: string =
//   'auto'; timeout_seconds: float = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
} sl_op_collective_bcast_recv_v2_options_t;
static inline TF_Output sl_op_collective_bcast_recv_v2_with(sl_scope_t *scope, TF_Output group_size,
    TF_Output group_key, TF_Output instance_key, TF_Output shape, TF_DataType T,
    const sl_op_collective_bcast_recv_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveBcastRecvV2", options->name);
  sl_node_input(node, group_size);
  sl_node_input(node, group_key);
  sl_node_input(node, instance_key);
  sl_node_input(node, shape);
  sl_node_attr_type(node, "T", T);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_collective_bcast_recv_v2(scope, group_size, group_key, instance_key, shape, T, ...) \
  sl_op_collective_bcast_recv_v2_with(SL_AT(scope), (group_size), (group_key), (instance_key), (shape), (T), \
    SL_OPTIONS(sl_op_collective_bcast_recv_v2_options_t, __VA_ARGS__))

// CollectiveBcastSend(input: T) -> data: T
// Sends a tensor to all members of a group.
// T: {bool, float, half, double, int32, int64}; group_size: int; group_key: int; instance_key: int; shape: shape;
//   communication_hint: string = 'auto'; timeout_seconds: float = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
} sl_op_collective_bcast_send_options_t;
static inline TF_Output sl_op_collective_bcast_send_with(sl_scope_t *scope, TF_Output input, int64_t group_size,
    int64_t group_key, int64_t instance_key, sl_shape_t shape, const sl_op_collective_bcast_send_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveBcastSend", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "group_size", group_size);
  sl_node_attr_int(node, "group_key", group_key);
  sl_node_attr_int(node, "instance_key", instance_key);
  sl_node_attr_shape(node, "shape", shape);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_collective_bcast_send(scope, input, group_size, group_key, instance_key, shape, ...) \
  sl_op_collective_bcast_send_with(SL_AT(scope), (input), (group_size), (group_key), (instance_key), (shape), \
    SL_OPTIONS(sl_op_collective_bcast_send_options_t, __VA_ARGS__))

// CollectiveBcastSendV2(input: T, group_size: int32, group_key: int32, instance_key: int32) -> data: T
// Sends a tensor to all members of a group.
// T: {bool, float, half, double, int32, int64}; communication_hint: string = 'auto'; timeout_seconds: float = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
} sl_op_collective_bcast_send_v2_options_t;
static inline TF_Output sl_op_collective_bcast_send_v2_with(sl_scope_t *scope, TF_Output input, TF_Output group_size,
    TF_Output group_key, TF_Output instance_key, const sl_op_collective_bcast_send_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveBcastSendV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, group_size);
  sl_node_input(node, group_key);
  sl_node_input(node, instance_key);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_collective_bcast_send_v2(scope, input, group_size, group_key, instance_key, ...) \
  sl_op_collective_bcast_send_v2_with(SL_AT(scope), (input), (group_size), (group_key), (instance_key), SL_OPTIONS( \
    sl_op_collective_bcast_send_v2_options_t, __VA_ARGS__))

// CollectiveGather(input: T) -> data: T
// Concatenates the tensors of all members of a group.
// T: {float, half, double, int32, int64}; group_size: int; group_key: int; instance_key: int; shape: shape;
//   communication_hint: string = 'auto'; timeout_seconds: float = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
} sl_op_collective_gather_options_t;
static inline TF_Output sl_op_collective_gather_with(sl_scope_t *scope, TF_Output input, int64_t group_size,
    int64_t group_key, int64_t instance_key, sl_shape_t shape, const sl_op_collective_gather_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveGather", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "group_size", group_size);
  sl_node_attr_int(node, "group_key", group_key);
  sl_node_attr_int(node, "instance_key", instance_key);
  sl_node_attr_shape(node, "shape", shape);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_collective_gather(scope, input, group_size, group_key, instance_key, shape, ...) \
  sl_op_collective_gather_with(SL_AT(scope), (input), (group_size), (group_key), (instance_key), (shape), SL_OPTIONS( \
    sl_op_collective_gather_options_t, __VA_ARGS__))

// CollectiveGatherV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token:
//   Nordering_token * resource) -> data: T
// Concatenates the tensors of all members of a group.
// T: {float, half, double, int32, int64}; communication_hint: string = 'auto'; timeout_seconds: float = 0;
//   is_stateless: bool = false; Nordering_token: int >= 0 = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
  bool is_stateless;
} sl_op_collective_gather_v2_options_t;
static inline TF_Output sl_op_collective_gather_v2_with(sl_scope_t *scope, TF_Output input, TF_Output group_size,
    TF_Output group_key, TF_Output instance_key, const TF_Output *ordering_token, size_t ordering_token_count,
    const sl_op_collective_gather_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveGatherV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, group_size);
  sl_node_input(node, group_key);
  sl_node_input(node, instance_key);
  sl_node_input_list(node, ordering_token, ordering_token_count);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  sl_node_attr_bool(node, "is_stateless", options->is_stateless);
  return sl_node_output(node);
}
#define sl_op_collective_gather_v2(scope, input, group_size, group_key, instance_key, ordering_token, \
    ordering_token_count, ...) \
  sl_op_collective_gather_v2_with(SL_AT(scope), (input), (group_size), (group_key), (instance_key), (ordering_token), \
    (ordering_token_count), SL_OPTIONS(sl_op_collective_gather_v2_options_t, __VA_ARGS__))

// CollectiveInitializeCommunicator(group_key: int32, rank: int32, group_size: int32) -> communicator: resource
// Forms a group of devices for collective ops.
// communication_hint: string = 'auto'; timeout_seconds: float = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
} sl_op_collective_initialize_communicator_options_t;
static inline TF_Output sl_op_collective_initialize_communicator_with(sl_scope_t *scope, TF_Output group_key,
    TF_Output rank, TF_Output group_size, const sl_op_collective_initialize_communicator_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveInitializeCommunicator", options->name);
  sl_node_input(node, group_key);
  sl_node_input(node, rank);
  sl_node_input(node, group_size);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_collective_initialize_communicator(scope, group_key, rank, group_size, ...) \
  sl_op_collective_initialize_communicator_with(SL_AT(scope), (group_key), (rank), (group_size), SL_OPTIONS( \
    sl_op_collective_initialize_communicator_options_t, __VA_ARGS__))

// CollectiveReduce(input: T) -> data: T
// Reduces tensors of all members of a group.
// T: {bfloat16, float, half, double, int32, int64}; group_size: int; group_key: int; instance_key: int; merge_op:
//   {'Min', 'Max', 'Mul', 'Add'}; final_op: {'Id', 'Div'}; subdiv_offsets: list(int); wait_for: list(int) = [];
//   communication_hint: string = 'auto'; timeout_seconds: float = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t wait_for;
  const char *communication_hint;
  float timeout_seconds;
} sl_op_collective_reduce_options_t;
static inline TF_Output sl_op_collective_reduce_with(sl_scope_t *scope, TF_Output input, int64_t group_size,
    int64_t group_key, int64_t instance_key, const char *merge_op, const char *final_op, sl_op_ints_t subdiv_offsets,
    const sl_op_collective_reduce_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveReduce", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "group_size", group_size);
  sl_node_attr_int(node, "group_key", group_key);
  sl_node_attr_int(node, "instance_key", instance_key);
  sl_node_attr_text(node, "merge_op", merge_op);
  sl_node_attr_text(node, "final_op", final_op);
  sl_node_attr_int_list(node, "subdiv_offsets", subdiv_offsets.values, subdiv_offsets.count);
  if (options->wait_for.values) sl_node_attr_int_list(node, "wait_for", options->wait_for.values,
    options->wait_for.count);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_collective_reduce(scope, input, group_size, group_key, instance_key, merge_op, final_op, \
    subdiv_offsets, ...) \
  sl_op_collective_reduce_with(SL_AT(scope), (input), (group_size), (group_key), (instance_key), (merge_op), ( \
    final_op), (subdiv_offsets), SL_OPTIONS(sl_op_collective_reduce_options_t, __VA_ARGS__))

// CollectiveReduceScatterV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token:
//   Nordering_token * resource) -> data: T
// Reduces tensors of all members of a group; each gets a part of the result.
// T: {bfloat16, float, half, double, int32, int64}; merge_op: {'Min', 'Max', 'Mul', 'Add'}; final_op: {'Id', 'Div'};
//   communication_hint: string = 'auto'; timeout_seconds: float = 0; is_stateless: bool = false; Nordering_token: int
//   >= 0 = 0; max_subdivs_per_device: int = -1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
  bool is_stateless;
  int64_t max_subdivs_per_device;
} sl_op_collective_reduce_scatter_v2_options_t;
static inline TF_Output sl_op_collective_reduce_scatter_v2_with(sl_scope_t *scope, TF_Output input,
    TF_Output group_size, TF_Output group_key, TF_Output instance_key, const TF_Output *ordering_token,
    size_t ordering_token_count, const char *merge_op, const char *final_op,
    const sl_op_collective_reduce_scatter_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveReduceScatterV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, group_size);
  sl_node_input(node, group_key);
  sl_node_input(node, instance_key);
  sl_node_input_list(node, ordering_token, ordering_token_count);
  sl_node_attr_text(node, "merge_op", merge_op);
  sl_node_attr_text(node, "final_op", final_op);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  sl_node_attr_bool(node, "is_stateless", options->is_stateless);
  sl_node_attr_int(node, "max_subdivs_per_device", options->max_subdivs_per_device);
  return sl_node_output(node);
}
#define sl_op_collective_reduce_scatter_v2(scope, input, group_size, group_key, instance_key, ordering_token, \
    ordering_token_count, merge_op, final_op, ...) \
  SL_OVER_DEFAULTS(sl_op_collective_reduce_scatter_v2_with(SL_AT(scope), (input), (group_size), (group_key), ( \
    instance_key), (ordering_token), (ordering_token_count), (merge_op), (final_op), SL_OPTIONS( \
    sl_op_collective_reduce_scatter_v2_options_t, .max_subdivs_per_device = -1, __VA_ARGS__)))

// CollectiveReduceV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token:
//   Nordering_token * resource) -> data: T
// Reduces tensors of all members of a group.
// T: {bfloat16, float, half, double, int32, int64}; merge_op: {'Min', 'Max', 'Mul', 'Add'}; final_op: {'Id', 'Div'};
//   communication_hint: string = 'auto'; timeout_seconds: float = 0; is_stateless: bool = false; Nordering_token: int
//   >= 0 = 0; max_subdivs_per_device: int = -1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *communication_hint;
  float timeout_seconds;
  bool is_stateless;
  int64_t max_subdivs_per_device;
} sl_op_collective_reduce_v2_options_t;
static inline TF_Output sl_op_collective_reduce_v2_with(sl_scope_t *scope, TF_Output input, TF_Output group_size,
    TF_Output group_key, TF_Output instance_key, const TF_Output *ordering_token, size_t ordering_token_count,
    const char *merge_op, const char *final_op, const sl_op_collective_reduce_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveReduceV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, group_size);
  sl_node_input(node, group_key);
  sl_node_input(node, instance_key);
  sl_node_input_list(node, ordering_token, ordering_token_count);
  sl_node_attr_text(node, "merge_op", merge_op);
  sl_node_attr_text(node, "final_op", final_op);
  if (options->communication_hint) sl_node_attr_text(node, "communication_hint", options->communication_hint);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  sl_node_attr_bool(node, "is_stateless", options->is_stateless);
  sl_node_attr_int(node, "max_subdivs_per_device", options->max_subdivs_per_device);
  return sl_node_output(node);
}
#define sl_op_collective_reduce_v2(scope, input, group_size, group_key, instance_key, ordering_token, \
    ordering_token_count, merge_op, final_op, ...) \
  SL_OVER_DEFAULTS(sl_op_collective_reduce_v2_with(SL_AT(scope), (input), (group_size), (group_key), (instance_key), ( \
    ordering_token), (ordering_token_count), (merge_op), (final_op), SL_OPTIONS( \
    sl_op_collective_reduce_v2_options_t, .max_subdivs_per_device = -1, __VA_ARGS__)))

// CollectiveReduceV3(input: T, communicator: resource, group_assignment: int32) -> data: T
// Reduces tensors of all members of a communicator.
// T: {bfloat16, float, half, double, int32, int64}; reduction: {'Min', 'Max', 'Mul', 'Add'}; timeout_seconds: float =
//   0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  float timeout_seconds;
} sl_op_collective_reduce_v3_options_t;
static inline TF_Output sl_op_collective_reduce_v3_with(sl_scope_t *scope, TF_Output input, TF_Output communicator,
    TF_Output group_assignment, const char *reduction, const sl_op_collective_reduce_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CollectiveReduceV3", options->name);
  sl_node_input(node, input);
  sl_node_input(node, communicator);
  sl_node_input(node, group_assignment);
  sl_node_attr_text(node, "reduction", reduction);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_collective_reduce_v3(scope, input, communicator, group_assignment, reduction, ...) \
  sl_op_collective_reduce_v3_with(SL_AT(scope), (input), (communicator), (group_assignment), (reduction), SL_OPTIONS( \
    sl_op_collective_reduce_v3_options_t, __VA_ARGS__))

// ElasticGroupJoin() -> group_size: int32
// Joins a group of devices whose members may change.
// group_key: int; least_size: int >= 1; most_size: int >= 1; timeout_seconds: float = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  float timeout_seconds;
} sl_op_elastic_group_join_options_t;
static inline TF_Output sl_op_elastic_group_join_with(sl_scope_t *scope, int64_t group_key, int64_t least_size,
    int64_t most_size, const sl_op_elastic_group_join_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ElasticGroupJoin", options->name);
  sl_node_attr_int(node, "group_key", group_key);
  sl_node_attr_int(node, "least_size", least_size);
  sl_node_attr_int(node, "most_size", most_size);
  sl_node_attr_float(node, "timeout_seconds", options->timeout_seconds);
  return sl_node_output(node);
}
#define sl_op_elastic_group_join(scope, group_key, least_size, most_size, ...) \
  sl_op_elastic_group_join_with(SL_AT(scope), (group_key), (least_size), (most_size), SL_OPTIONS( \
    sl_op_elastic_group_join_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_COLLECTIVE_H_
