// PartitionedCall, StatefulPartitionedCall, and the kernel of nodes that are called after a function. The body runs as
// part of the caller's step: with its ID, rendezvous, step resources and deadline.
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/function/functional.h"

// The function that a node calls: its attribute "f", or for a node called after a function that function, with the
// node's attributes.
static sli_status_t *called_function(const sli_node_def_t *node, sli_attr_func_t *out_name) {
  if (node->op->def->is_function) {
    *out_name = (sli_attr_func_t){sli_view(node->op->def->name), node->attrs, node->attr_count};
    return NULL;
  }
  const sli_attr_t *attr = sli_node_attr(node, "f");
  if (!attr || attr->kind != SLI_ATTR_FUNC || attr->is_list)
    return sli_status_make(SLI_INVALID_ARGUMENT, "No attr named 'f' in NodeDef:\n\t [[{{node %s}}]]", node->name);
  *out_name = attr->func;
  return NULL;
}

static sli_status_t *call_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_attr_func_t name;
  sli_function_t *function;
  SLI_RETURN_IF_ERROR(called_function(setup->node, &name));
  SLI_RETURN_IF_ERROR(sli_function_instantiate(setup->functions, &name, setup->device, &function));
  sli_status_t *status = sli_functional_check(function, setup->node->input_count, setup->node->output_count);
  if (status)
    sli_object_release(function);
  else
    *out_state = function;
  return status;
}

static void call_compute(sli_kernel_context_t *context) {
  sli_functional_forward(context, (sli_function_t *)sli_kernel_state(context), 0);
}

static sli_status_t *call_gradient(sli_gradient_builder_t *b) {
  sli_attr_func_t name;
  SLI_RETURN_IF_ERROR(called_function(b->node, &name));
  sli_attr_entry_t function = {"f", {.kind = SLI_ATTR_FUNC, .func = name}};
  return sli_functional_gradient(b, "SymbolicGradient", 0, &function, 1);
}

static const sli_op_def_t ops[] = {
    {.name = "PartitionedCall",
     .inputs = "args: Tin",
     .outputs = "output: Tout",
     .attrs = "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = ''; config_proto: string = ''; "
              "executor_type: string = ''",
     .summary = "Calls a function.",
     .shape = sli_infer_fn_unknown,
     .gradient = call_gradient,
     .functional = SLI_OP_FUNCTIONAL_CALL},
    {.name = "StatefulPartitionedCall",
     .inputs = "args: Tin",
     .outputs = "output: Tout",
     .attrs = "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = ''; config_proto: string = ''; "
              "executor_type: string = ''",
     .summary = "Calls a function that has state.",
     .shape = sli_infer_fn_unknown,
     .gradient = call_gradient,
     .is_stateful = true,
     .is_distributed_communication = true,
     .functional = SLI_OP_FUNCTIONAL_CALL},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "PartitionedCall", .compute_async = call_compute, .create = call_create, .destroy = sli_object_release},
    {.op = "StatefulPartitionedCall",
     .compute_async = call_compute,
     .create = call_create,
     .destroy = sli_object_release},
};

SLI_OP_MODULE(function_call);
