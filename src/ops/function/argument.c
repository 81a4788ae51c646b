// _Arg and _Retval: the arguments and results of a function's body. A call feeds the arguments and fetches the results,
// so the kernels never run in a function; in another graph they fail.
#include "core/op/shape_inference.h"

static sli_status_t *argument_compute(sli_kernel_context_t *context) {
  return sli_status_make(SLI_INTERNAL, "nullptr call frame: %s '%s' is not in the body of a function",
                         context->node->op->def->name, context->node->name);
}

static sli_status_t *argument_shape(sli_infer_context_t *c) {
  const sli_attr_t *shapes = sli_node_attr(c->node, "_output_shapes");
  if (shapes && shapes->is_list && shapes->kind == SLI_ATTR_SHAPE && shapes->count == 1)
    sli_infer_set_output(c, 0, sli_shape_copy(c->arena, shapes->list.shape[0]));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "_Arg",
     .outputs = "output: T",
     .attrs = "T: type; index: int >= 0",
     .summary = "An argument of a function.",
     .shape = argument_shape,
     .is_stateful = true,
     .is_placeholder = true},
    {.name = "_Retval",
     .inputs = "input: T",
     .attrs = "T: type; index: int >= 0",
     .summary = "A result of a function.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "_Arg", .compute = argument_compute},
    {.op = "_Retval", .compute = argument_compute},
};

SLI_OP_MODULE(argument);
