// SymbolicGradient computes the gradient of a function: from its arguments and the gradients of its results to the
// gradients of its arguments. The library differentiates the function, or finds the one that the program gave.
#include "core/op/shape_inference.h"
#include "ops/function/functional.h"

static sli_status_t *gradient_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_attr_t *attr = sli_node_attr(setup->node, "f");
  sli_attr_entry_t entry = {"f", *attr};
  sli_attr_func_t name = {sli_view(setup->node->op->def->name), &entry, 1};
  sli_function_t *function;
  SLI_RETURN_IF_ERROR(sli_function_instantiate(setup->functions, &name, setup->device, &function));
  sli_status_t *status = sli_functional_check_arguments(function, setup->node->input_count);
  if (!status && function->result_count != setup->node->output_count)
    status =
        sli_status_make(SLI_INVALID_ARGUMENT, "SymGrad expects to return %d tensor(s), but get %d tensor(s) instead.",
                        setup->node->output_count, function->result_count);
  if (status)
    sli_object_release(function);
  else
    *out_state = function;
  return status;
}

static void gradient_compute(sli_kernel_context_t *context) {
  sli_functional_forward(context, (sli_function_t *)sli_kernel_state(context), 0);
}

// The gradients have the shapes of the arguments.
static sli_status_t *gradient_shape(sli_infer_context_t *c) {
  if (c->node->input_count < c->node->output_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "len(inputs) < len(outputs)");
  for (int i = 0; i < c->node->output_count; i++)
    if (c->node->output_types[i] != SLI_DTYPE_RESOURCE) sli_infer_set_output(c, i, sli_infer_input(c, i));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "SymbolicGradient",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "Tin: list(type) >= 1; Tout: list(type) >= 1; f: func",
     .summary = "The gradient of a function.",
     .shape = gradient_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SymbolicGradient",
     .compute_async = gradient_compute,
     .create = gradient_create,
     .destroy = sli_object_release},
};

SLI_OP_MODULE(symbolic_gradient);
