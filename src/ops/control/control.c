// Ops without arithmetic: NoOp, ControlTrigger, the placeholders, Assert, Abort
// and PyFunc.
#include "core/gradient.h"
#include "core/shape_inference.h"
#include "ops/array/elements.h"

static sli_status_t *no_op_compute(sli_kernel_context_t *context) { return NULL; }

// A placeholder that runs was not fed.
static sli_status_t *placeholder_compute(sli_kernel_context_t *context) {
  sli_shape_t shape;
  const char *name = context->node->name, *dtype = sli_dtype_name(context->node->output_types[0]);
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(context->node, "shape", &shape));
  if (shape.rank <= 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "You must feed a value for placeholder tensor '%s' with dtype %s",
                           name, dtype);
  }
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "You must feed a value for placeholder tensor '%s' with dtype %s and shape %s", name, dtype,
                         sli_shape_text(shape).text);
}

static sli_status_t *default_compute(sli_kernel_context_t *context) {
  context->outputs[0] = context->inputs[0];
  context->inputs[0] = (sli_value_t){0};
  return NULL;
}

// The default's shape must fit, but what is fed may differ from it.
static sli_status_t *default_shape(sli_shape_context_t *c) {
  sli_shape_t shape, unused;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "shape", &shape));
  SLI_RETURN_IF_ERROR(sli_shape_merge(c, sli_shape_input(c, 0), shape, &unused));
  sli_shape_set_output(c, 0, sli_shape_copy(c->arena, shape));
  return NULL;
}

static sli_status_t *default_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set_slices(b, 0, b->output_gradients[0]);
  return NULL;
}

// Assert: INVALID_ARGUMENT with the data's first elements unless |condition|.
static sli_status_t *assert_compute(sli_kernel_context_t *context) {
  sli_tensor_t *condition = sli_kernel_input(context, 0);
  if (condition->rank != 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "In[0] should be a scalar: %s", sli_tensor_shape_text(condition).text);
  }
  if (SLI_DATA(const bool, condition)[0]) return NULL;
  int64_t summarize;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "summarize", &summarize));
  sli_string_t text = {0};
  for (int i = 1; i < context->input_count; i++) {
    sli_tensor_t *data = sli_kernel_input(context, i);
    sli_string_append_text(&text, i > 1 ? " [" : "[");
    bool all = summarize < 0 || summarize > data->count;
    sli_tensor_append_values(&text, data,
                             all ? (int)(data->count < INT32_MAX ? data->count : INT32_MAX) : (int)summarize);
    sli_string_append_char(&text, ']');
  }
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "assertion failed: %s", sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *assert_shape(sli_shape_context_t *c) {
  sli_shape_t unused;
  return sli_shape_input_with_rank(c, 0, 0, &unused);
}

// Abort: ends the step, not the process: a graph from a peer must not stop a server.
static sli_status_t *abort_compute(sli_kernel_context_t *context) {
  sli_view_t message;
  bool quiet;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "error_msg", &message));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "exit_without_error", &quiet));
  if (quiet) return NULL;
  return sli_status_make(SLI_ABORTED, "Abort_op intentional failure; %.*s", SLI_VIEW_ARG(message));
}

// PyFunc and its kin: the function lives in a Python process, which this is not.
static sli_status_t *py_func_compute(sli_kernel_context_t *context) {
  sli_view_t token;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "token", &token));
  return sli_status_make(SLI_UNIMPLEMENTED,
                         "%s: Python callback %.*s is not in this process; place the op on the task that runs Python",
                         context->node->op->def->name, SLI_VIEW_ARG(token));
}

// Python registers the function's gradient under a name that only its own process knows.
static sli_status_t *eager_py_func_gradient(sli_gradient_builder_t *b) {
  return sli_status_make(SLI_UNIMPLEMENTED, "EagerPyFunc '%s' has a gradient in Python only", b->node->name);
}

static const sli_op_def_t ops[] = {
    {.name = "NoOp", .summary = "Does nothing; for control dependencies.", .shape = sli_shape_fn_none},
    {.name = "ControlTrigger", .summary = "Does nothing, even when its inputs are dead.", .shape = sli_shape_fn_none},
    {.name = "Placeholder",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape = { unknown_rank: true }",
     .summary = "A value that must be fed.",
     .shape = sli_shape_fn_explicit},
    {.name = "PlaceholderV2",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape",
     .summary = "A value that must be fed.",
     .shape = sli_shape_fn_explicit,
     .deprecated_in = 23,
     .deprecation = "Placeholder now behaves the same as PlaceholderV2."},
    {.name = "PlaceholderWithDefault",
     .inputs = "input: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape",
     .summary = "A value that may be fed.",
     .shape = default_shape,
     .gradient = default_gradient},
    {.name = "Assert",
     .inputs = "condition: bool, data: T",
     .attrs = "T: list(type) >= 1; summarize: int = 3",
     .summary = "Fails unless a condition holds.",
     .shape = assert_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "Abort",
     .attrs = "error_msg: string = ''; exit_without_error: bool = false",
     .summary = "Fails the step.",
     .shape = sli_shape_fn_none},
    {.name = "PyFunc",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
     .summary = "A function of the Python client.",
     .shape = sli_shape_fn_unknown,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "PyFuncStateless",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
     .summary = "A function of the Python client that only computes.",
     .shape = sli_shape_fn_unknown,
     .not_differentiable = true},
    {.name = "EagerPyFunc",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; is_async: bool = false; Tin: list(type) >= 0; Tout: list(type) >= 0",
     .summary = "A function of the Python client that may be differentiated there.",
     .shape = sli_shape_fn_unknown,
     .gradient = eager_py_func_gradient,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "NoOp", .compute = no_op_compute},
    {.op = "ControlTrigger", .compute = no_op_compute},
    {.op = "Placeholder", .compute = placeholder_compute},
    {.op = "PlaceholderV2", .compute = placeholder_compute},
    {.op = "PlaceholderWithDefault", .compute = default_compute},
    {.op = "Assert", .compute = assert_compute},
    {.op = "Abort", .compute = abort_compute},
    {.op = "PyFunc", .compute = py_func_compute},
    {.op = "PyFuncStateless", .compute = py_func_compute},
    {.op = "EagerPyFunc", .compute = py_func_compute},
};

SLI_OP_MODULE(control);
