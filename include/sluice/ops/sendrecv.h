// Ops: tensors between devices.
// Generated from src/ops/sendrecv by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_SENDRECV_H_
#define SLUICE_OPS_SENDRECV_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// Recv() -> tensor: tensor_type
// Receives a tensor from another device.
// tensor_type: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string;
//   client_terminated: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool client_terminated;
} sl_op_recv_options_t;
static inline TF_Output sl_op_recv_with(sl_scope_t *scope, TF_DataType tensor_type, const char *tensor_name,
    const char *send_device, int64_t send_device_incarnation, const char *recv_device,
    const sl_op_recv_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Recv", options->name);
  sl_node_attr_type(node, "tensor_type", tensor_type);
  sl_node_attr_text(node, "tensor_name", tensor_name);
  sl_node_attr_text(node, "send_device", send_device);
  sl_node_attr_int(node, "send_device_incarnation", send_device_incarnation);
  sl_node_attr_text(node, "recv_device", recv_device);
  sl_node_attr_bool(node, "client_terminated", options->client_terminated);
  return sl_node_output(node);
}
#define sl_op_recv(scope, tensor_type, tensor_name, send_device, send_device_incarnation, recv_device, ...) \
  sl_op_recv_with(SL_AT(scope), (tensor_type), (tensor_name), (send_device), (send_device_incarnation), ( \
    recv_device), SL_OPTIONS(sl_op_recv_options_t, __VA_ARGS__))

// Send(tensor: T)
// Sends a tensor to another device.
// T: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string;
//   client_terminated: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool client_terminated;
} sl_op_send_options_t;
static inline TF_Operation *sl_op_send_with(sl_scope_t *scope, TF_Output tensor, const char *tensor_name,
    const char *send_device, int64_t send_device_incarnation, const char *recv_device,
    const sl_op_send_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Send", options->name);
  sl_node_input(node, tensor);
  sl_node_attr_text(node, "tensor_name", tensor_name);
  sl_node_attr_text(node, "send_device", send_device);
  sl_node_attr_int(node, "send_device_incarnation", send_device_incarnation);
  sl_node_attr_text(node, "recv_device", recv_device);
  sl_node_attr_bool(node, "client_terminated", options->client_terminated);
  return sl_node_finish(node);
}
#define sl_op_send(scope, tensor, tensor_name, send_device, send_device_incarnation, recv_device, ...) \
  sl_op_send_with(SL_AT(scope), (tensor), (tensor_name), (send_device), (send_device_incarnation), (recv_device), \
    SL_OPTIONS(sl_op_send_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_SENDRECV_H_
