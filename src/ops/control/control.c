// Ops without arithmetic: NoOp, ControlTrigger, SyncDevice, GetDeadline, the placeholders, Assert, Abort and
// PyFunc.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "core/op/gradient.h"
#include "core/op/host_function.h"
#include "core/op/shape_inference.h"

static sli_status_t *no_op_compute(sli_kernel_context_t *context) { return NULL; }

// When the step must end, in microseconds since 1970; the largest number if it need not.
static sli_status_t *deadline_compute(sli_kernel_context_t *context) {
  int64_t deadline = context->step->deadline, micros = INT64_MAX;
  if (deadline != SLI_CLOCK_NO_DEADLINE && deadline != 0)
    micros = sli_clock_wall_micros() + (deadline - sli_clock_now_nanos()) / 1000;
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int64(micros));
  return NULL;
}

// A placeholder runs only if it was not fed: an error.
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
  context->inputs[0] = (sli_kernel_value_t){0};
  return NULL;
}

// The default must have a compatible shape; a fed value may have another one.
static sli_status_t *default_shape(sli_infer_context_t *c) {
  sli_shape_t shape, unused;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "shape", &shape));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 0), shape, &unused));
  sli_infer_set_output(c, 0, sli_shape_copy(c->arena, shape));
  return NULL;
}

static sli_status_t *default_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set_slices(b, 0, b->output_gradients[0]);
  return NULL;
}

// Assert: INVALID_ARGUMENT with the first elements of the data if |condition| is false.
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

static sli_status_t *assert_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  return sli_infer_input_with_rank(c, 0, 0, &unused);
}

// Abort ends the step, not the process: a graph from a peer must not stop a server.
static sli_status_t *abort_compute(sli_kernel_context_t *context) {
  sli_view_t message;
  bool quiet;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "error_msg", &message));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "exit_without_error", &quiet));
  if (quiet) return NULL;
  return sli_status_make(SLI_ABORTED, "Abort_op intentional failure; %.*s", SLI_VIEW_ARG(message));
}

// A result must have the type that the node has promised.
static sli_status_t *check_result(const sli_node_def_t *node, sli_view_t token, int index, const sli_tensor_t *result) {
  sli_dtype_t want = node->output_types[index], have = (sli_dtype_t)result->dtype;
  if (want == have) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%d-th value returned by %.*s is %s, but expects %s", index,
                         SLI_VIEW_ARG(token), sli_dtype_name(have), sli_dtype_name(want));
}

// PyFunc and its variants: the function is in the Python process that built the graph, if it is anywhere. The code of
// the error is that of a stock server.
static sli_status_t *py_func_compute(sli_kernel_context_t *context) {
  sli_view_t token;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "token", &token));
  sli_function_host_t host = sli_function_host();
  if (!host)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "%s: Python callback %.*s is not in this process; place the op on the task that runs Python",
                           context->node->op->def->name, SLI_VIEW_ARG(token));
  int inputs = context->input_count, outputs = context->output_count;
  sli_tensor_t **values = sli_calloc((size_t)(inputs + outputs), sizeof(*values)), **results = values + inputs;
  for (int i = 0; i < inputs; i++) values[i] = sli_kernel_input(context, i);
  sli_status_t *status = host(token, values, inputs, results, outputs);
  for (int i = 0; i < outputs && !status; i++) status = check_result(context->node, token, i, results[i]);
  for (int i = 0; i < outputs; i++) {
    if (!status)
      sli_kernel_set_output(context, i, results[i]);
    else if (results[i])
      sli_tensor_release(results[i]);
  }
  free(values);
  return status;
}

// Python registers the function's gradient under a name that only its own process knows.
static sli_status_t *eager_py_func_gradient(sli_gradient_builder_t *b) {
  return sli_status_make(SLI_UNIMPLEMENTED, "EagerPyFunc '%s' has a gradient in Python only", b->node->name);
}

static const sli_op_def_t ops[] = {
    {.name = "NoOp", .summary = "Does nothing; for control dependencies.", .shape = sli_infer_fn_none},
    {.name = "SyncDevice",
     .summary = "Waits for the device's work; on a CPU there is none to wait for.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "GetDeadline",
     .outputs = "deadline_from_epoch_micros: int64",
     .summary = "When the step must end, in microseconds since 1970.",
     .shape = sli_infer_fn_scalar,
     .depends_on_host = true},
    {.name = "ControlTrigger",
     .summary = "Does nothing, even when its inputs are dead.",
     .shape = sli_infer_fn_none,
     .control_flow = SLI_OP_CONTROL_FLOW_TRIGGER},
    {.name = "Placeholder",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape = { unknown_rank: true }",
     .summary = "A value that must be fed.",
     .shape = sli_infer_fn_explicit,
     .is_placeholder = true},
    {.name = "PlaceholderV2",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape",
     .summary = "A value that must be fed.",
     .shape = sli_infer_fn_explicit,
     .deprecated_in = 23,
     .deprecation = "Placeholder now behaves the same as PlaceholderV2.",
     .is_placeholder = true},
    {.name = "PlaceholderWithDefault",
     .inputs = "input: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape",
     .summary = "A value that may be fed.",
     .shape = default_shape,
     .gradient = default_gradient,
     .is_placeholder = true,
     .forwards_input = true},
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
     .shape = sli_infer_fn_none},
    {.name = "PyFunc",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
     .summary = "A function of the Python client.",
     .shape = sli_infer_fn_unknown,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "PyFuncStateless",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
     .summary = "A function of the Python client that only computes.",
     .shape = sli_infer_fn_unknown,
     .not_differentiable = true,
     .depends_on_host = true},
    {.name = "EagerPyFunc",
     .inputs = "input: Tin",
     .outputs = "output: Tout",
     .attrs = "token: string; is_async: bool = false; Tin: list(type) >= 0; Tout: list(type) >= 0",
     .summary = "A function of the Python client that may be differentiated there.",
     .shape = sli_infer_fn_unknown,
     .gradient = eager_py_func_gradient,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SyncDevice", .compute = no_op_compute},
    {.op = "GetDeadline", .compute = deadline_compute},
    {.op = "NoOp", .any_device = true, .compute = no_op_compute},
    {.op = "ControlTrigger", .any_device = true, .compute = no_op_compute},
    {.op = "Placeholder", .any_device = true, .compute = placeholder_compute},
    {.op = "PlaceholderV2", .any_device = true, .compute = placeholder_compute},
    {.op = "PlaceholderWithDefault", .any_device = true, .compute = default_compute},
    {.op = "Assert", .compute = assert_compute},
    {.op = "Abort", .compute = abort_compute},
    {.op = "PyFunc", .compute = py_func_compute, .expensive = true, .blocks = true},
    {.op = "PyFuncStateless", .compute = py_func_compute, .expensive = true, .blocks = true},
    {.op = "EagerPyFunc", .compute = py_func_compute, .expensive = true, .blocks = true},
};

SLI_OP_MODULE(control);
