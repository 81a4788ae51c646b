// RemoteCall calls a function on the device that its first input names. If the name is a constant, the call is inlined
// before the graph is placed and may be on any task; else the device must be one of the node's own task.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/function/functional.h"

typedef struct {
  sli_function_library_t *library;
} remote_t;

static sli_status_t *remote_create(const sli_kernel_setup_t *setup, void **out_state) {
  if (!setup->functions) return sli_status_make(SLI_INTERNAL, "No function library is provided.");
  remote_t *remote = sli_malloc(sizeof(*remote));
  remote->library = sli_object_retain(setup->functions);
  *out_state = remote;
  return NULL;
}

static void remote_destroy(void *state) {
  remote_t *remote = state;
  sli_object_release(remote->library);
  free(remote);
}

typedef struct {
  sli_kernel_context_t *context;
  sli_function_t *function;
} remote_call_t;

static void remote_done(void *argument, sli_status_t *status, sli_tensor_t **results) {
  remote_call_t call = *(remote_call_t *)argument;
  free(argument);
  for (int i = 0; !status && i < call.context->output_count; i++) sli_kernel_set_output(call.context, i, results[i]);
  sli_object_release(call.function);
  sli_kernel_complete(call.context, status);
}

static sli_status_t *find_function(sli_kernel_context_t *context, sli_function_t **out_function) {
  const remote_t *remote = sli_kernel_state(context);
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 0, "target"));
  sli_view_t target = sli_tensor_string_at(sli_kernel_input(context, 0), 0);
  sli_device_t *device = sli_function_find_device(remote->library, target);
  if (!device)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "RemoteCall to %.*s: the task of this node (%s) has no such device. A target on another "
                           "task must be a constant",
                           SLI_VIEW_ARG(target), context->device->name);
  const sli_attr_func_t *name = &sli_node_attr(context->node, "f")->func;
  SLI_RETURN_IF_ERROR(sli_function_instantiate(remote->library, name, device, out_function));
  sli_status_t *status = sli_functional_check(*out_function, context->input_count - 1, context->output_count);
  if (status) sli_object_release(*out_function);
  return status;
}

static void remote_compute(sli_kernel_context_t *context) {
  sli_function_t *function;
  sli_status_t *status = find_function(context, &function);
  if (status) {
    sli_kernel_complete(context, status);
    return;
  }
  size_t count = (size_t)context->input_count - 1;
  sli_tensor_t **arguments = sli_malloc((count + 1) * sizeof(*arguments));
  for (size_t i = 0; i < count; i++) arguments[i] = sli_kernel_input(context, (int)i + 1);
  remote_call_t *state = sli_malloc(sizeof(*state));
  *state = (remote_call_t){context, function};
  sli_function_call_t call = sli_functional_call(context, arguments);
  sli_function_call(function, &call, remote_done, state);
  free(arguments);
}

static const sli_op_def_t ops[] = {
    {.name = "RemoteCall",
     .inputs = "target: string, args: Tin",
     .outputs = "output: Tout",
     .attrs = "Tin: list(type) >= 1; Tout: list(type) >= 1; f: func",
     .summary = "Calls a function on another device.",
     .shape = sli_infer_fn_unknown,
     .is_stateful = true,
     .functional = SLI_OP_FUNCTIONAL_REMOTE_CALL},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RemoteCall",
     .host_memory = "target",
     .compute_async = remote_compute,
     .create = remote_create,
     .destroy = remote_destroy},
};

SLI_OP_MODULE(remote_call);
