// Ops that output their input, such as Identity. They differ in their gradients, not in what they compute.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"

static void forward(sli_kernel_context_t *context, int index) {
  context->outputs[index] = context->inputs[index];
  context->inputs[index] = (sli_kernel_value_t){0};
}

static sli_status_t *identity_compute(sli_kernel_context_t *context) {
  forward(context, 0);
  return NULL;
}

static sli_status_t *identity_n_compute(sli_kernel_context_t *context) {
  for (int i = 0; i < context->input_count; i++) forward(context, i);
  return NULL;
}

static sli_status_t *identity_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_input(c, 0));
  if (c->input_handles) c->output_handles[0] = c->input_handles[0];
  return NULL;
}

static sli_status_t *identity_n_shape(sli_infer_context_t *c) {
  for (int i = 0; i < c->node->output_count; i++) {
    sli_infer_set_output(c, i, sli_infer_input(c, i));
    if (c->input_handles) c->output_handles[i] = c->input_handles[i];
  }
  return NULL;
}

// Passes the gradient unchanged, also IndexedSlices.
static sli_status_t *identity_gradient(sli_gradient_builder_t *b) {
  for (int i = 0; i < b->node->input_count; i++) {
    if (sli_gradient_flows(b, i)) sli_gradient_set_slices(b, i, b->output_gradients[i]);
  }
  return NULL;
}

static sli_status_t *prevent_gradient_gradient(sli_gradient_builder_t *b) {
  sli_view_t message;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(b->node, "message", &message));
  return sli_status_make(SLI_INVALID_ARGUMENT, "Gradient explicitly disabled. The '%s' op has message: %.*s",
                         b->node->name, SLI_VIEW_ARG(message));
}

static sli_status_t *guarantee_compute(sli_kernel_context_t *context) {
  if (sli_kernel_input(context, 0)->dtype == SLI_DTYPE_RESOURCE)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input tensor cannot be a resource variable handle.");
  return identity_compute(context);
}

// EnsureShape checks a shape that is only known when the step runs. Its state is the name of the node that it checks.
static sli_status_t *ensure_shape_create(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = sli_strdup(setup->first_input ? setup->first_input : "input");
  return NULL;
}

static sli_status_t *ensure_shape_compute(sli_kernel_context_t *context) {
  sli_shape_t wanted;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(context->node, "shape", &wanted));
  sli_tensor_t *input = sli_kernel_input(context, 0);
  if (sli_shape_is_compatible(wanted, sli_tensor_shape(input))) return identity_compute(context);
  return sli_status_make(SLI_INVALID_ARGUMENT, "Shape of tensor %s %s is not compatible with expected shape %s.",
                         (const char *)sli_kernel_state(context), sli_tensor_shape_text(input).text,
                         sli_shape_text(wanted).text);
}

static sli_status_t *ensure_shape_shape(sli_infer_context_t *c) {
  sli_shape_t wanted, merged;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "shape", &wanted));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, wanted, sli_infer_input(c, 0), &merged));
  sli_infer_set_output(c, 0, merged);
  return NULL;
}

// Snapshot, DeepCopy output memory that nothing else writes to. An exclusive input needs no copy.
static sli_status_t *copy_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (sli_tensor_is_exclusive(input)) return identity_compute(context);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  sli_tensor_copy_elements(output, input);
  return NULL;
}

// Copy, CopyHost: each of |debug_ops_spec| is "op;url;gated".
static sli_status_t *debug_copy_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_attr_t *specs;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(setup->node, "debug_ops_spec", SLI_ATTR_STRING, &specs));
  for (size_t i = 0; i < specs->count; i++) {
    sli_view_t spec = specs->list.s[i];
    int semicolons = 0;
    for (size_t k = 0; k < spec.size; k++) semicolons += spec.data[k] == ';';
    if (semicolons != 2)
      return sli_status_make(SLI_INTERNAL, "Unexpected number of semicolons in debug_ops_spec element: %.*s",
                             SLI_VIEW_ARG(spec));
  }
  *out_state = NULL;
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Identity",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "The input itself.",
     .shape = identity_shape,
     .gradient = identity_gradient,
     .forwards_input = true},
    {.name = "IdentityN",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: list(type) >= 1",
     .summary = "The inputs themselves.",
     .shape = identity_n_shape,
     .gradient = identity_gradient,
     .forwards_input = true},
    {.name = "RefIdentity",
     .inputs = "input: Ref(T)",
     .outputs = "output: Ref(T)",
     .attrs = "T: type",
     .summary = "The same reference.",
     .shape = identity_shape,
     .gradient = identity_gradient,
     .allows_uninitialized_input = true,
     .forwards_input = true},
    {.name = "StopGradient",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "The input; no gradient flows back.",
     .shape = identity_shape,
     .not_differentiable = true,
     .forwards_input = true},
    {.name = "PreventGradient",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; message: string = ''",
     .summary = "The input; a request for its gradient is an error.",
     .shape = identity_shape,
     .gradient = prevent_gradient_gradient,
     .forwards_input = true},
    {.name = "DebugGradientIdentity",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "The input; its gradient can be watched.",
     .shape = identity_shape,
     .gradient = identity_gradient,
     .allows_uninitialized_input = true,
     .forwards_input = true},
    {.name = "GuaranteeConst",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "The input, which the graph's author promises to be constant.",
     .shape = identity_shape,
     .is_stateful = true,
     .forwards_input = true},
    {.name = "EnsureShape",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "shape: shape; T: type",
     .summary = "The input, after a check of its shape.",
     .shape = ensure_shape_shape,
     .gradient = identity_gradient,
     .forwards_input = true},
    {.name = "Snapshot",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "A copy that later updates do not change.",
     .shape = sli_infer_fn_unchanged},
    {.name = "DeepCopy",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type",
     .summary = "A copy.",
     .shape = sli_infer_fn_unchanged,
     .is_stateful = true},
    {.name = "Copy",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; tensor_name: string = ''; debug_ops_spec: list(string) = []",
     .summary = "A copy, for debuggers.",
     .shape = sli_infer_fn_unchanged,
     .allows_uninitialized_input = true},
    {.name = "CopyHost",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; tensor_name: string = ''; debug_ops_spec: list(string) = []",
     .summary = "A copy in host memory, for debuggers.",
     .shape = sli_infer_fn_unchanged,
     .allows_uninitialized_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Identity", .any_device = true, .compute = identity_compute},
    {.op = "IdentityN", .any_device = true, .compute = identity_n_compute},
    {.op = "RefIdentity", .any_device = true, .compute = identity_compute},
    {.op = "StopGradient", .any_device = true, .compute = identity_compute},
    {.op = "PreventGradient", .any_device = true, .compute = identity_compute},
    {.op = "DebugGradientIdentity", .compute = identity_compute},
    {.op = "GuaranteeConst", .any_device = true, .compute = guarantee_compute},
    {.op = "EnsureShape",
     .any_device = true,
     .compute = ensure_shape_compute,
     .create = ensure_shape_create,
     .destroy = free},
    {.op = "Snapshot", .types = SLI_TYPES_POD, .compute = copy_compute},
    {.op = "DeepCopy", .compute = copy_compute},
    {.op = "Copy", .compute = copy_compute, .create = debug_copy_create},
    {.op = "CopyHost", .compute = copy_compute, .create = debug_copy_create},
};

SLI_OP_MODULE(identity);
