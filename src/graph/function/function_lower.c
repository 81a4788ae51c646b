// If, Case and While as Switch, Merge and loops around calls of their functions.
#include <stdio.h>
#include <stdlib.h>

#include "graph/function/function_inline_internal.h"

typedef SLI_ARRAY(sli_output_t) outputs_t;

static bool has_flag(const sli_node_t *node, const char *name) {
  const sli_attr_t *attr = sli_node_attr(&node->def, name);
  return attr && attr->kind == SLI_ATTR_BOOL && !attr->is_list && attr->b;
}

static const sli_attr_func_t *function_attr(const sli_node_t *node, const char *name) {
  const sli_attr_t *attr = sli_node_attr(&node->def, name);
  return attr && attr->kind == SLI_ATTR_FUNC && !attr->is_list ? &attr->func : NULL;
}

static bool is_resource(sli_output_t output) {
  return sli_dtype_base(sli_graph_output_dtype(output)) == SLI_DTYPE_RESOURCE;
}

// Whether a loop has a variable that changes: a loop needs one for its iterations.
static bool has_variable(const sli_node_t *node) {
  for (int i = 0; i < node->def.input_count; i++)
    if (!is_resource(node->inputs[i])) return true;
  return false;
}

bool sli_function_inline_is_lowerable(const sli_node_t *node, bool always) {
  sli_op_functional_t functional = node->def.op->def->functional;
  bool is_control_flow = functional == SLI_OP_FUNCTIONAL_IF || functional == SLI_OP_FUNCTIONAL_CASE ||
                         functional == SLI_OP_FUNCTIONAL_WHILE;
  if (!is_control_flow || (!always && !has_flag(node, "_lower_using_switch_merge"))) return false;
  if (functional == SLI_OP_FUNCTIONAL_WHILE) return has_variable(node);
  sli_dtype_t condition = sli_dtype_base(sli_graph_output_dtype(node->inputs[0]));
  return functional != SLI_OP_FUNCTIONAL_IF || condition == SLI_DTYPE_BOOL;
}

// A node named after the function, which the inliner will replace.
static sli_status_t *add_call(sli_node_t *owner, const char *infix, const sli_attr_func_t *function,
                              const sli_output_t *inputs, size_t input_count, sli_node_t *control,
                              sli_node_t **out_call) {
  sli_attr_entry_t *attrs = sli_calloc(function->attr_count + 1, sizeof(*attrs));
  for (size_t i = 0; i < function->attr_count; i++) attrs[i] = function->attrs[i];
  attrs[function->attr_count] = SLI_ATTR_BOOL_OF(SLI_FUNCTION_INLINE_MULTI_DEVICE, true);
  char *name = sli_strndup(function->name.data, function->name.size);
  sli_function_inline_node_t call = {.op = name,
                                     .infix = infix,
                                     .inputs = inputs,
                                     .input_count = input_count,
                                     .controls = &control,
                                     .control_count = 1,
                                     .attrs = attrs,
                                     .attr_count = function->attr_count + 1};
  sli_status_t *status = NULL;
  if (!sli_graph_functions_find(owner->graph->functions, function->name))
    status = sli_status_make(SLI_NOT_FOUND, "Function %s is not defined.\n\t [[{{node %s}}]]", name, owner->def.name);
  else
    status = sli_function_inline_add(owner, &call, out_call);
  if (!status && (size_t)(*out_call)->def.input_count != input_count)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Function %s does not take %zu arguments\n\t [[{{node %s}}]]", name,
                             input_count, owner->def.name);
  free(name);
  free(attrs);
  return status;
}

static sli_status_t *add_unary(sli_node_t *owner, const char *op, const char *infix, sli_output_t input,
                               sli_node_t **out_node) {
  sli_function_inline_node_t node = {.op = op, .infix = infix, .inputs = &input, .input_count = 1};
  return sli_function_inline_add(owner, &node, out_node);
}

static sli_status_t *add_merge(sli_node_t *owner, const char *infix, const sli_output_t *inputs, size_t count,
                               sli_node_t *const *controls, size_t control_count, sli_node_t **out_merge) {
  sli_function_inline_node_t merge = {.op = "Merge",
                                      .infix = infix,
                                      .inputs = inputs,
                                      .input_count = count,
                                      .controls = controls,
                                      .control_count = control_count};
  return sli_function_inline_add(owner, &merge, out_merge);
}

// --- If and Case ----------------------------------------------------------------------

typedef struct {
  sli_node_t *node;
  bool is_if;
  const sli_attr_func_t **branches;  // of an If: else, then
  size_t count;
  sli_node_t **pivots, **calls;  // by branch
  sli_node_t **switches;         // by input, without the condition
} branching_t;

// A Switch of |data| with an output for each branch.
static sli_status_t *add_switch(const branching_t *b, const char *infix, sli_output_t data, const char *device,
                                bool colocate, sli_node_t **out_switch) {
  sli_output_t inputs[] = {data, b->node->inputs[0]};
  char *group = sli_format("loc:@%s", data.node->def.name);
  sli_view_t groups = sli_view(group);
  sli_attr_entry_t attrs[2];
  size_t attr_count = 0;
  if (colocate)
    attrs[attr_count++] =
        (sli_attr_entry_t){"_class", {.kind = SLI_ATTR_STRING, .is_list = true, .count = 1, .list.s = &groups}};
  if (!b->is_if) attrs[attr_count++] = SLI_ATTR_INT_OF("num_outs", (int64_t)b->count);
  sli_function_inline_node_t node = {.op = b->is_if ? "Switch" : "_SwitchN",
                                     .infix = infix,
                                     .device = device,
                                     .inputs = inputs,
                                     .input_count = 2,
                                     .attrs = attrs,
                                     .attr_count = attr_count};
  sli_status_t *status = sli_function_inline_add(b->node, &node, out_switch);
  free(group);
  return status;
}

static sli_status_t *add_pivots(branching_t *b) {
  sli_node_t *node = b->node, *condition;
  SLI_RETURN_IF_ERROR(
      add_switch(b, b->is_if ? "switch_pred" : "branch_index", node->inputs[0], NULL, false, &condition));
  for (int i = 0; i < node->control_input_count; i++) sli_graph_add_control_edge(node->control_inputs[i], condition);
  for (size_t i = 0; i < b->count; i++) {
    char infix[32];
    snprintf(infix, sizeof(infix), b->is_if ? (i ? "pivot_t" : "pivot_f") : "pivot_%zu", i);
    SLI_RETURN_IF_ERROR(add_unary(node, "Identity", infix, (sli_output_t){condition, (int)i}, &b->pivots[i]));
  }
  for (int i = 1; i < node->def.input_count; i++) {
    const sli_node_t *producer = node->inputs[i].node;
    SLI_RETURN_IF_ERROR(
        add_switch(b, producer->def.name, node->inputs[i], producer->def.device, true, &b->switches[i - 1]));
  }
  return NULL;
}

static sli_status_t *add_calls(branching_t *b) {
  size_t input_count = (size_t)b->node->def.input_count - 1;
  sli_output_t *inputs = sli_calloc(input_count + 1, sizeof(*inputs));
  sli_status_t *status = NULL;
  // The then branch first, as TensorFlow names things.
  for (size_t n = 0; n < b->count && !status; n++) {
    size_t i = b->is_if ? 1 - n : n;
    char infix[32];
    snprintf(infix, sizeof(infix), b->is_if ? (i ? "then" : "else") : "branch%zu", i);
    for (size_t k = 0; k < input_count; k++) inputs[k] = (sli_output_t){b->switches[k], (int)i};
    status = add_call(b->node, infix, b->branches[i], inputs, input_count, b->pivots[i], &b->calls[i]);
    if (!status && b->calls[i]->def.output_count != b->node->def.output_count)
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Function %.*s has %d results, but {{node %s}} expects %d",
                               SLI_VIEW_ARG(b->branches[i]->name), b->calls[i]->def.output_count, b->node->def.name,
                               b->node->def.output_count);
  }
  free(inputs);
  return status;
}

// The branch that ran gives the values. In an If the then branch comes first.
static sli_status_t *merge_branches(branching_t *b) {
  sli_node_t *node = b->node, *merge;
  size_t output_count = (size_t)node->def.output_count;
  sli_output_t *values = sli_calloc(b->count, sizeof(*values)),
               *outputs = sli_calloc(output_count + 1, sizeof(*outputs));
  sli_status_t *status = NULL;
  for (size_t i = 0; i < output_count && !status; i++) {
    for (size_t k = 0; k < b->count; k++) values[k] = (sli_output_t){b->calls[b->is_if ? 1 - k : k], (int)i};
    status = add_merge(node, b->is_if ? "output" : "merge", values, b->count, NULL, 0, &merge);
    if (!status) outputs[i] = (sli_output_t){merge, 0};
  }
  for (size_t k = 0; k < b->count; k++) values[k] = (sli_output_t){b->pivots[b->is_if ? 1 - k : k], 0};
  if (!status) status = add_merge(node, "branch_executed", values, b->count, b->calls, b->count, &merge);
  if (!status) status = sli_function_inline_replace(node, outputs, merge);
  free(values);
  free(outputs);
  return status;
}

static sli_status_t *lower_branches(sli_node_t *node, const sli_attr_func_t **branches, size_t count, bool is_if) {
  branching_t b = {.node = node, .is_if = is_if, .branches = branches, .count = count};
  b.pivots = sli_calloc(count, sizeof(*b.pivots));
  b.calls = sli_calloc(count, sizeof(*b.calls));
  b.switches = sli_calloc((size_t)node->def.input_count, sizeof(*b.switches));
  sli_status_t *status = add_pivots(&b);
  if (!status) status = add_calls(&b);
  if (!status) status = merge_branches(&b);
  free(b.pivots);
  free(b.calls);
  free(b.switches);
  return status;
}

static sli_status_t *lower_if(sli_node_t *node) {
  const sli_attr_func_t *branches[] = {function_attr(node, "else_branch"), function_attr(node, "then_branch")};
  if (!branches[1]) return sli_status_make(SLI_INVALID_ARGUMENT, "Then branch function missing");
  if (!branches[0]) return sli_status_make(SLI_INVALID_ARGUMENT, "Else branch function missing");
  return lower_branches(node, branches, 2, true);
}

static sli_status_t *lower_case(sli_node_t *node) {
  const sli_attr_t *list;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(&node->def, "branches", SLI_ATTR_FUNC, &list));
  if (!list->count) return sli_status_make(SLI_INVALID_ARGUMENT, "branch functions missing");
  const sli_attr_func_t **branches = sli_calloc(list->count, sizeof(*branches));
  for (size_t i = 0; i < list->count; i++) branches[i] = &list->list.func[i];
  sli_status_t *status = lower_branches(node, branches, list->count, false);
  free(branches);
  return status;
}

// --- While ----------------------------------------------------------------------------

// Resources do not change in a loop: their Enters are constant, and consumers of the loop take them from before it.
typedef struct {
  sli_node_t *node;
  int count;
  int first;                                           // input that is no resource
  sli_node_t **enters, **merges, **switches, **exits;  // by input; NULL for a resource, except |enters|
  outputs_t arguments;                                 // of the next call
  sli_node_t *condition, *body;
} loop_t;

static sli_status_t *add_enters(loop_t *loop) {
  sli_node_t *node = loop->node, *control = NULL;
  int64_t parallel;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(&node->def, "parallel_iterations", &parallel));
  if (node->control_input_count) {
    sli_function_inline_node_t inputs = {.op = "NoOp",
                                         .infix = "LoopControlInputs",
                                         .controls = node->control_inputs,
                                         .control_count = (size_t)node->control_input_count};
    SLI_RETURN_IF_ERROR(sli_function_inline_add(node, &inputs, &control));
  }
  for (int i = 0; i < loop->count; i++) {
    sli_attr_entry_t attrs[] = {SLI_ATTR_STRING_OF("frame_name", node->def.name),
                                SLI_ATTR_INT_OF("parallel_iterations", parallel),
                                SLI_ATTR_BOOL_OF("is_constant", is_resource(node->inputs[i]))};
    sli_function_inline_node_t enter = {
        .op = "Enter",
        .infix = "enter",
        .device = is_resource(node->inputs[i]) ? node->inputs[i].node->def.device : NULL,
        .inputs = &node->inputs[i],
        .input_count = 1,
        .controls = &control,
        .control_count = control ? 1 : 0,
        .attrs = attrs,
        .attr_count = SLI_ARRAY_COUNT_OF(attrs)};
    SLI_RETURN_IF_ERROR(sli_function_inline_add(node, &enter, &loop->enters[i]));
  }
  return NULL;
}

static void collect_arguments(loop_t *loop, sli_node_t *const *nodes, int output) {
  loop->arguments.count = 0;
  for (int i = 0; i < loop->count; i++)
    sli_array_push(&loop->arguments, nodes[i] ? (sli_output_t){nodes[i], output} : (sli_output_t){loop->enters[i], 0});
}

static sli_status_t *add_condition(loop_t *loop) {
  sli_node_t *node = loop->node;
  for (int i = 0; i < loop->count; i++) {
    if (is_resource(node->inputs[i])) continue;
    sli_output_t inputs[] = {{loop->enters[i], 0}, {loop->enters[i], 0}};
    SLI_RETURN_IF_ERROR(add_merge(node, "merge", inputs, 2, NULL, 0, &loop->merges[i]));
  }
  const sli_attr_func_t *function = function_attr(node, "cond");
  if (!function) return sli_status_make(SLI_INVALID_ARGUMENT, "While cond function missing");
  sli_node_t *call;
  collect_arguments(loop, loop->merges, 0);
  SLI_RETURN_IF_ERROR(
      add_call(node, "cond", function, loop->arguments.items, loop->arguments.count, loop->merges[loop->first], &call));
  if (call->def.output_count != 1 || call->def.output_types[0] != SLI_DTYPE_BOOL)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The condition of {{node %s}} must be one bool", node->def.name);
  return add_unary(node, "LoopCond", "LoopCond", (sli_output_t){call, 0}, &loop->condition);
}

static sli_status_t *add_body(loop_t *loop) {
  sli_node_t *node = loop->node, *control;
  for (int i = 0; i < loop->count; i++) {
    if (!loop->merges[i]) continue;
    sli_output_t inputs[] = {{loop->merges[i], 0}, {loop->condition, 0}};
    char *infix = sli_format("%s_switch", node->inputs[i].node->def.name);
    sli_function_inline_node_t request = {.op = "Switch", .infix = infix, .inputs = inputs, .input_count = 2};
    sli_status_t *status = sli_function_inline_add(node, &request, &loop->switches[i]);
    free(infix);
    if (status) return status;
  }
  const sli_attr_func_t *function = function_attr(node, "body");
  if (!function) return sli_status_make(SLI_INVALID_ARGUMENT, "While body function missing");
  SLI_RETURN_IF_ERROR(
      add_unary(node, "Identity", "loop_body_control", (sli_output_t){loop->switches[loop->first], 1}, &control));
  collect_arguments(loop, loop->switches, 1);
  SLI_RETURN_IF_ERROR(
      add_call(node, "body", function, loop->arguments.items, loop->arguments.count, control, &loop->body));
  if (loop->body->def.output_count != loop->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The body of {{node %s}} has %d results for %d loop variables",
                           node->def.name, loop->body->def.output_count, loop->count);
  return NULL;
}

static sli_status_t *close_loop(loop_t *loop) {
  for (int i = 0; i < loop->count; i++) {
    if (!loop->merges[i]) continue;
    sli_output_t value = {loop->body, i};
    sli_function_inline_node_t request = {.op = "NextIteration",
                                          .infix = "next_iteration",
                                          .inputs = &value,
                                          .input_count = 1,
                                          .controls = &loop->body,
                                          .control_count = 1};
    sli_node_t *next;
    SLI_RETURN_IF_ERROR(sli_function_inline_add(loop->node, &request, &next));
    SLI_RETURN_IF_ERROR(sli_graph_set_input(loop->merges[i], 1, (sli_output_t){next, 0}));
  }
  return NULL;
}

static sli_status_t *add_exits(loop_t *loop) {
  sli_node_t *node = loop->node, *done = NULL;
  SLI_ARRAY(sli_node_t *) exits = {0};
  outputs_t outputs = {0};
  sli_status_t *status = NULL;
  for (int i = 0; i < loop->count && !status; i++) {
    if (!loop->switches[i]) {
      sli_array_push(&outputs, node->inputs[i]);
      continue;
    }
    status = add_unary(node, "Exit", "exit", (sli_output_t){loop->switches[i], 0}, &loop->exits[i]);
    sli_array_push(&exits, loop->exits[i]);
    sli_array_push(&outputs, (sli_output_t){loop->exits[i], 0});
  }
  sli_function_inline_node_t request = {
      .op = "NoOp", .infix = "LoopExecuted", .controls = exits.items, .control_count = exits.count};
  if (!status) status = sli_function_inline_add(node, &request, &done);
  if (!status) status = sli_function_inline_replace(node, outputs.items, done);
  sli_array_deinitialize(&exits);
  sli_array_deinitialize(&outputs);
  return status;
}

static sli_status_t *lower_while(sli_node_t *node) {
  size_t count = (size_t)node->def.input_count;
  loop_t loop = {.node = node, .count = node->def.input_count};
  while (is_resource(node->inputs[loop.first])) loop.first++;
  sli_node_t **nodes = sli_calloc(4 * count, sizeof(*nodes));
  loop.enters = nodes;
  loop.merges = nodes + count;
  loop.switches = nodes + 2 * count;
  loop.exits = nodes + 3 * count;
  sli_status_t *status = add_enters(&loop);
  if (!status) status = add_condition(&loop);
  if (!status) status = add_body(&loop);
  if (!status) status = close_loop(&loop);
  if (!status) status = add_exits(&loop);
  sli_array_deinitialize(&loop.arguments);
  free(nodes);
  return status;
}

sli_status_t *sli_function_inline_lower(sli_node_t *node) {
  switch (node->def.op->def->functional) {
    case SLI_OP_FUNCTIONAL_IF: return lower_if(node);
    case SLI_OP_FUNCTIONAL_CASE: return lower_case(node);
    case SLI_OP_FUNCTIONAL_WHILE: return lower_while(node);
    default: return NULL;
  }
}
