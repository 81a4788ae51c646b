// Control-flow primitives. The executor implements frames, iterations and dead values,
// by .control_flow of the op's row; the kernels only pass values on. An output that is not
// set is dead.
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"

static void forward(sli_kernel_context_t *context, int input, int output) {
  context->outputs[output] = context->inputs[input];
  context->inputs[input] = (sli_kernel_value_t){0};
}

static bool is_live(const sli_kernel_value_t *value) { return value->tensor || value->variable; }

// Enter, Exit, NextIteration, LoopCond and their Ref forms.
static sli_status_t *forward_compute(sli_kernel_context_t *context) {
  forward(context, 0, 0);
  return NULL;
}

// Switch passes |data| to the output that |pred| selects; the other one is dead.
static sli_status_t *switch_compute(sli_kernel_context_t *context) {
  sli_tensor_t *pred = sli_kernel_input(context, 1);
  if (pred->rank != 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "The second input must be a scalar, but it has shape %s",
                           sli_tensor_shape_text(pred).text);
  }
  forward(context, 0, SLI_DATA(const bool, pred)[0] ? 1 : 0);
  return NULL;
}

// _SwitchN passes |data| to the output that |output_index| selects, to the last one if it is out of range.
static sli_status_t *switch_n_compute(sli_kernel_context_t *context) {
  sli_tensor_t *index = sli_kernel_input(context, 1);
  if (index->rank != 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "The second input must be a scalar, but it has shape %s",
                           sli_tensor_shape_text(index).text);
  }
  int32_t value = SLI_DATA(const int32_t, index)[0];
  forward(context, 0, value < 0 || value >= context->output_count ? context->output_count - 1 : value);
  return NULL;
}

// RefSelect passes the reference that |index| selects.
static sli_status_t *ref_select_compute(sli_kernel_context_t *context) {
  sli_tensor_t *index = sli_kernel_input(context, 0);
  if (index->rank != 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Index must be a scalar");
  int32_t value = SLI_DATA(const int32_t, index)[0];
  if (value < 0 || value >= context->input_count - 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Index must be in the range [0, %d) but got %d",
                           context->input_count - 1, value);
  }
  forward(context, value + 1, 0);
  return NULL;
}

// Merge passes its live input and the index of that input. If all are dead, so are the outputs.
static sli_status_t *merge_compute(sli_kernel_context_t *context) {
  int live = -1;
  for (int i = 0; i < context->input_count; i++) {
    if (!is_live(&context->inputs[i])) continue;
    if (live >= 0) return sli_status_make(SLI_INTERNAL, "Merge can not have more than one valid input.");
    live = i;
  }
  if (live < 0) return NULL;
  sli_tensor_t *index;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE_SCALAR, &index));
  SLI_DATA(int32_t, index)[0] = live;
  forward(context, live, 0);
  return NULL;
}

static sli_status_t *forward_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_input(c, 0));
  if (c->input_handles) c->output_handles[0] = c->input_handles[0];
  return NULL;
}

// Inside a loop a value may change its shape from iteration to iteration.
static sli_status_t *enter_shape(sli_infer_context_t *c) {
  bool is_constant = false;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "is_constant", &is_constant));
  if (c->input_handles) c->output_handles[0] = c->input_handles[0];
  sli_infer_set_output(c, 0, is_constant ? sli_infer_input(c, 0) : SLI_SHAPE_UNKNOWN);
  return NULL;
}

static sli_status_t *loop_cond_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *switch_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  for (int i = 0; i < 2; i++) {
    sli_infer_set_output(c, i, sli_infer_input(c, 0));
    if (c->input_handles) c->output_handles[i] = c->input_handles[0];
  }
  return NULL;
}

static sli_status_t *switch_n_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  for (int i = 0; i < c->node->output_count; i++) {
    sli_infer_set_output(c, i, sli_infer_input(c, 0));
    if (c->input_handles) c->output_handles[i] = c->input_handles[0];
  }
  return NULL;
}

static sli_status_t *ref_select_shape(sli_infer_context_t *c) {
  sli_shape_t first = sli_infer_input(c, 1), unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &unused));
  bool same = sli_shape_is_fully_known(first);
  for (int i = 2; i < c->node->input_count && same; i++) same = sli_shape_equal(first, sli_infer_input(c, i));
  sli_infer_set_output(c, 0, same ? first : SLI_SHAPE_UNKNOWN);
  return NULL;
}

// A dimension of the output is known if it is equal in all inputs.
static sli_status_t *merge_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 1, SLI_SHAPE_SCALAR);
  sli_shape_t out = sli_infer_input(c, 0);
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < c->node->input_count; i++) {
    sli_shape_t in = sli_infer_input(c, i);
    if (in.rank < 0 || in.rank != out.rank) return NULL;
    for (int j = 0; j < in.rank; j++) dims[j] = i == 0 || dims[j] == in.dims[j] ? in.dims[j] : -1;
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, out.rank, dims));
  return NULL;
}

// Gradients of conditionals. Those of loops are in src/graph/gradients, which handles
// the primitives of a loop before it calls these functions.

// The gradient of the branch that ran; zeros if that branch did not use the value.
// The gradient of one branch; zeros, alive only if the branch ran, if none flows there. The shape of a variable does
// not tell which branch ran, so its zeros take the way of the handle.
static sli_output_t branch_gradient(sli_gradient_builder_t *b, int branch) {
  sli_output_t handle = sli_gradient_input(b, 0);
  if (sli_gradient_flows(b, branch) || sli_gradient_dtype(b, handle) != SLI_DTYPE_RESOURCE)
    return sli_gradient_of_output(b, branch);
  sli_output_t zeros = SLI_EMIT(b, "ZerosLike", SLI_INPUTS(handle));
  return sli_output_at(SLI_EMIT(b, "Switch", SLI_INPUTS(zeros, sli_gradient_input(b, 1))), branch);
}

static sli_status_t *switch_gradient(sli_gradient_builder_t *b) {
  if (!sli_gradient_flows(b, 0) && !sli_gradient_flows(b, 1)) return NULL;
  sli_output_t merged = SLI_EMIT_WITH(b, "Merge", SLI_INPUTS(branch_gradient(b, 0), branch_gradient(b, 1)),
                                      SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_gradient_set(b, 0, merged);
  return NULL;
}

// Passes the gradient to the branch that ran, which the Merge's second output tells.
static sli_status_t *merge_gradient(sli_gradient_builder_t *b) {
  sli_output_t index = sli_gradient_output(b, 1), gradient = sli_gradient_of_output(b, 0);
  if (b->node->input_count == 2) {
    sli_output_t second = SLI_EMIT(b, "Greater", SLI_INPUTS(index, sli_gradient_const_int32(b, 0)));
    sli_output_t branches = SLI_EMIT(b, "Switch", SLI_INPUTS(gradient, second));
    sli_gradient_set(b, 0, sli_output_at(branches, 0));
    sli_gradient_set(b, 1, sli_output_at(branches, 1));
    return NULL;
  }
  for (int i = 0; i < b->node->input_count; i++) {
    sli_output_t ran = SLI_EMIT(b, "Equal", SLI_INPUTS(index, sli_gradient_const_int32(b, i)));
    sli_gradient_set(b, i, sli_output_at(SLI_EMIT(b, "Switch", SLI_INPUTS(gradient, ran)), 1));
  }
  return NULL;
}

static sli_status_t *loop_gradient(sli_gradient_builder_t *b) {
  return sli_status_make(SLI_UNIMPLEMENTED, "%s '%s' is part of a while loop, whose gradient is built as a whole",
                         b->node->op->def->name, b->node->name);
}

// A condition has no gradient.
static sli_status_t *loop_cond_gradient(sli_gradient_builder_t *b) { return NULL; }

static const sli_op_def_t ops[] = {
    {.name = "Switch",
     .inputs = "data: T, pred: bool",
     .outputs = "output_false: T, output_true: T",
     .attrs = "T: type",
     .summary = "Sends a value to one of two outputs.",
     .shape = switch_shape,
     .gradient = switch_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_SWITCH,
     .forwards_input = true},
    {.name = "_SwitchN",
     .inputs = "data: T, output_index: int32",
     .outputs = "outputs: num_outs * T",
     .attrs = "num_outs: int >= 1; T: type",
     .summary = "Sends a value to one of several outputs.",
     .shape = switch_n_shape,
     .control_flow = SLI_OP_CONTROL_FLOW_SWITCH,
     .forwards_input = true},
    {.name = "RefSwitch",
     .inputs = "data: Ref(T), pred: bool",
     .outputs = "output_false: Ref(T), output_true: Ref(T)",
     .attrs = "T: type",
     .summary = "Sends a reference to one of two outputs.",
     .shape = switch_shape,
     .gradient = switch_gradient,
     .allows_uninitialized_input = true,
     .control_flow = SLI_OP_CONTROL_FLOW_SWITCH,
     .forwards_input = true},
    {.name = "RefSelect",
     .inputs = "index: int32, inputs: Ref(N * T)",
     .outputs = "output: Ref(T)",
     .attrs = "T: type; N: int >= 1",
     .summary = "One of several references.",
     .shape = ref_select_shape,
     .control_flow = SLI_OP_CONTROL_FLOW_SELECT,
     .forwards_input = true},
    {.name = "Merge",
     .inputs = "inputs: N * T",
     .outputs = "output: T, value_index: int32",
     .attrs = "T: type; N: int >= 1",
     .summary = "The one input that is alive.",
     .shape = merge_shape,
     .gradient = merge_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_MERGE,
     .forwards_input = true},
    {.name = "RefMerge",
     .inputs = "inputs: Ref(N * T)",
     .outputs = "output: Ref(T), value_index: int32",
     .attrs = "T: type; N: int >= 1",
     .summary = "The one reference that is alive.",
     .shape = merge_shape,
     .gradient = merge_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_MERGE,
     .forwards_input = true},
    {.name = "Enter",
     .inputs = "data: T",
     .outputs = "output: T",
     .attrs = "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10",
     .summary = "Takes a value into a loop's frame.",
     .shape = enter_shape,
     .gradient = loop_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_ENTER,
     .forwards_input = true},
    {.name = "RefEnter",
     .inputs = "data: Ref(T)",
     .outputs = "output: Ref(T)",
     .attrs = "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10",
     .summary = "Takes a reference into a loop's frame.",
     .shape = forward_shape,
     .gradient = loop_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_ENTER,
     .forwards_input = true},
    {.name = "Exit",
     .inputs = "data: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "Takes a value out of a loop's frame.",
     .shape = forward_shape,
     .gradient = loop_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_EXIT,
     .forwards_input = true},
    {.name = "RefExit",
     .inputs = "data: Ref(T)",
     .outputs = "output: Ref(T)",
     .attrs = "T: type",
     .summary = "Takes a reference out of a loop's frame.",
     .shape = forward_shape,
     .gradient = loop_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_EXIT,
     .forwards_input = true},
    {.name = "NextIteration",
     .inputs = "data: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "Takes a value into the next iteration of a loop.",
     .shape = forward_shape,
     .gradient = loop_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_NEXT_ITERATION,
     .forwards_input = true},
    {.name = "RefNextIteration",
     .inputs = "data: Ref(T)",
     .outputs = "output: Ref(T)",
     .attrs = "T: type",
     .summary = "Takes a reference into the next iteration of a loop.",
     .shape = forward_shape,
     .gradient = loop_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_NEXT_ITERATION,
     .forwards_input = true},
    {.name = "LoopCond",
     .inputs = "input: bool",
     .outputs = "output: bool",
     .summary = "The condition of a loop.",
     .shape = loop_cond_shape,
     .gradient = loop_cond_gradient,
     .control_flow = SLI_OP_CONTROL_FLOW_LOOP_COND,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Switch",
     .any_device = true,
     .types = SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32,
     .host_memory = "pred",
     .compute = switch_compute},
    {.op = "_SwitchN", .host_memory = "output_index", .compute = switch_n_compute},
    {.op = "RefSwitch",
     .any_device = true,
     .types = SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32,
     .host_memory = "pred",
     .compute = switch_compute},
    {.op = "RefSelect", .types = SLI_TYPES_COMMON, .host_memory = "index", .compute = ref_select_compute},
    {.op = "Merge", .any_device = true, .compute = merge_compute},
    {.op = "RefMerge", .any_device = true, .compute = merge_compute},
    {.op = "Enter", .any_device = true, .types = SLI_TYPES_COMMON, .compute = forward_compute},
    {.op = "RefEnter", .any_device = true, .compute = forward_compute},
    {.op = "Exit", .any_device = true, .types = SLI_TYPES_COMMON, .compute = forward_compute},
    {.op = "RefExit", .any_device = true, .compute = forward_compute},
    {.op = "NextIteration", .any_device = true, .types = SLI_TYPES_COMMON, .compute = forward_compute},
    {.op = "RefNextIteration", .any_device = true, .compute = forward_compute},
    {.op = "LoopCond", .any_device = true, .host_memory = "input, output", .compute = forward_compute},
};

SLI_OP_MODULE(flow);
