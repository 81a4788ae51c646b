// _Send, _Recv, _HostSend, _HostRecv, Send, Recv: the two ends of an edge between devices. They exchange the tensor
// through the step's rendezvous. The key for the root frame is built once; inside loops a key with the frame and the
// iteration is built for each execution.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "core/step/rendezvous.h"

typedef struct {
  char *send_device, *recv_device, *tensor_name;
  uint64_t incarnation;
  bool is_clients;        // a feed or fetch: its key never has a frame
  sli_string_t root_key;  // for frame 0, iteration 0
} edge_t;

static void edge_destroy(void *state) {
  edge_t *edge = state;
  if (!edge) return;
  free(edge->send_device);
  free(edge->recv_device);
  free(edge->tensor_name);
  sli_string_deinitialize(&edge->root_key);
  free(edge);
}

static sli_status_t *edge_create(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = NULL;
  sli_view_t send_device, recv_device, tensor_name;
  int64_t incarnation;
  bool is_clients;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "client_terminated", &is_clients));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "send_device", &send_device));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "recv_device", &recv_device));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "tensor_name", &tensor_name));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "send_device_incarnation", &incarnation));
  edge_t *edge = sli_calloc(1, sizeof(*edge));
  edge->send_device = sli_strndup(send_device.data, send_device.size);
  edge->recv_device = sli_strndup(recv_device.data, recv_device.size);
  edge->tensor_name = sli_strndup(tensor_name.data, tensor_name.size);
  edge->incarnation = (uint64_t)incarnation;
  edge->is_clients = is_clients;
  sli_rendezvous_key_append(&edge->root_key, edge->send_device, edge->incarnation, edge->recv_device, edge->tensor_name,
                            0, 0);
  *out_state = edge;
  return NULL;
}

// The key for this execution. Inside loops |storage| holds its text.
static sli_view_t edge_key(const sli_kernel_context_t *context, sli_string_t *storage) {
  const edge_t *edge = sli_kernel_state(context);
  if (edge->is_clients || (context->frame_id == 0 && context->iteration == 0)) {
    return sli_view_of(edge->root_key.data, edge->root_key.size);
  }
  sli_rendezvous_key_append(storage, edge->send_device, edge->incarnation, edge->recv_device, edge->tensor_name,
                            context->frame_id, context->iteration);
  return sli_view_of(storage->data, storage->size);
}

static sli_status_t *no_rendezvous(void) {
  return sli_status_make(SLI_INTERNAL, "Op kernel context needs to provide a rendezvous.");
}

static sli_status_t *send_compute(sli_kernel_context_t *context) {
  if (!context->step->rendezvous) return no_rendezvous();
  bool is_dead = context->is_dead_input;
  sli_string_t storage = {0};
  sli_view_t key = edge_key(context, &storage);
  // Passes the tensor itself: if no one else references it, the receiver may reuse its buffer.
  sli_tensor_t *tensor = is_dead ? NULL : sli_kernel_input(context, 0);
  if (tensor)
    context->inputs[0].tensor = NULL;
  else
    tensor = sli_tensor_empty_float();
  sli_status_t *status = sli_rendezvous_send(context->step->rendezvous, key, tensor, is_dead);
  sli_string_deinitialize(&storage);
  return status;
}

// If the value is dead, the output stays unset.
static void recv_done(void *user, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  sli_kernel_context_t *context = user;
  if (!status && !is_dead) {
    sli_dtype_t wanted = sli_dtype_base(context->node->output_types[0]);
    if (tensor->dtype != wanted) {
      status = sli_status_make(SLI_INTERNAL,
                               "Output 0 of type %s does not match declared output type %s for node {{node %s}}",
                               sli_dtype_name(tensor->dtype), sli_dtype_name(wanted), context->node->name);
    } else {
      sli_kernel_set_output(context, 0, tensor);
      tensor = NULL;
    }
  }
  sli_tensor_release(tensor);
  sli_kernel_complete(context, status);
}

static void recv_compute(sli_kernel_context_t *context) {
  if (!context->step->rendezvous) {
    sli_kernel_complete(context, no_rendezvous());
    return;
  }
  sli_string_t storage = {0};
  // The rendezvous copies the key before recv returns, so |storage| can be freed.
  sli_view_t key = edge_key(context, &storage);
  sli_rendezvous_recv(context->step->rendezvous, key, recv_done, context);
  sli_string_deinitialize(&storage);
}

static const sli_op_def_t ops[] = {
    {.name = "Send",
     .inputs = "tensor: T",
     .attrs = "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; "
              "client_terminated: bool = false",
     .summary = "Sends a tensor to another device.",
     .shape = sli_infer_fn_none,
     .is_stateful = true,
     .transfer = SLI_OP_TRANSFER_SEND,
     .keeps_inputs = true},
    {.name = "Recv",
     .outputs = "tensor: tensor_type",
     .attrs = "tensor_type: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: "
              "string; client_terminated: bool = false",
     .summary = "Receives a tensor from another device.",
     .shape = sli_infer_fn_unknown,
     .is_stateful = true,
     .is_distributed_communication = true,
     .transfer = SLI_OP_TRANSFER_RECV},
    {.name = "_Send",
     .inputs = "tensor: T",
     .attrs = "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; "
              "client_terminated: bool = false",
     .summary = "Sends a tensor to another device.",
     .shape = sli_infer_fn_none,
     .is_stateful = true,
     .transfer = SLI_OP_TRANSFER_SEND,
     .keeps_inputs = true},
    {.name = "_Recv",
     .outputs = "tensor: tensor_type",
     .attrs = "tensor_type: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: "
              "string; client_terminated: bool = false",
     .summary = "Receives a tensor from another device.",
     .shape = sli_infer_fn_unknown,
     .is_stateful = true,
     .is_distributed_communication = true,
     .transfer = SLI_OP_TRANSFER_RECV},
    {.name = "_HostSend",
     .inputs = "tensor: T",
     .attrs = "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; "
              "client_terminated: bool = false",
     .summary = "Sends a tensor in host memory to another device.",
     .shape = sli_infer_fn_none,
     .is_stateful = true,
     .transfer = SLI_OP_TRANSFER_SEND,
     .keeps_inputs = true},
    {.name = "_HostRecv",
     .outputs = "tensor: tensor_type",
     .attrs = "tensor_type: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: "
              "string; client_terminated: bool = false",
     .summary = "Receives a tensor into host memory.",
     .shape = sli_infer_fn_unknown,
     .is_stateful = true,
     .is_distributed_communication = true,
     .transfer = SLI_OP_TRANSFER_RECV},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Send",
     .any_device = true,
     .host_memory = "tensor",
     .compute = send_compute,
     .create = edge_create,
     .destroy = edge_destroy},
    {.op = "Recv",
     .any_device = true,
     .host_memory = "tensor",
     .compute_async = recv_compute,
     .create = edge_create,
     .destroy = edge_destroy},
    {.op = "_Send",
     .any_device = true,
     .host_memory = "tensor",
     .compute = send_compute,
     .create = edge_create,
     .destroy = edge_destroy},
    {.op = "_Recv",
     .any_device = true,
     .host_memory = "tensor",
     .compute_async = recv_compute,
     .create = edge_create,
     .destroy = edge_destroy},
    {.op = "_HostSend",
     .any_device = true,
     .host_memory = "tensor",
     .compute = send_compute,
     .create = edge_create,
     .destroy = edge_destroy},
    {.op = "_HostRecv",
     .any_device = true,
     .host_memory = "tensor",
     .compute_async = recv_compute,
     .create = edge_create,
     .destroy = edge_destroy},
};

SLI_OP_MODULE(sendrecv);
