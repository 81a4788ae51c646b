// Control flow contexts. A value from outside enters a loop through an Enter, which
// passes it to every iteration, and a branch through a Switch, which passes it only
// if the branch is taken. Each is built once, where a node first uses the value.
// Nodes without inputs would run once and outside, so they wait for the pivot.
#include "train/graph/flow.h"

#include <stdlib.h>

#include "sluice/math.h"
#include "train/common/tf_tensor.h"

// --- Creation ---

static void destroy(void *object) {
  sli_flow_t *flow = object;
  SLI_MAP_FOR_EACH (&flow->captured, entry) free(entry->value);
  sli_map_deinitialize(&flow->captured);
  sli_array_deinitialize(&flow->enters);
  sli_array_deinitialize(&flow->exits);
  free(flow->name);
  free(flow);
}

static sli_flow_t *create(sl_scope_t *scope, sli_flow_t start) {
  sli_flow_t *flow = sli_malloc(sizeof(*flow));
  *flow = start;
  flow->outer = sli_flow_current(scope);
  flow->name = sli_scope_unique_name(scope, flow->is_loop ? "while_context" : "cond_text");
  sli_scope_own(scope, flow, destroy);
  sli_array_push(&scope->contexts, flow);
  return flow;
}

sli_flow_t *sli_flow_create_loop(sl_scope_t *scope, int64_t parallel_iterations) {
  return create(scope, (sli_flow_t){.is_loop = true, .parallel_iterations = parallel_iterations});
}

sli_flow_t *sli_flow_create_branch(sl_scope_t *scope, TF_Output pred, int branch, TF_Output pivot) {
  sli_flow_t *flow = create(scope, (sli_flow_t){.pred = pred, .branch = branch, .pivot = pivot.oper});
  if (pivot.oper) sli_flow_add_operation(scope, flow, pivot.oper);
  return flow;
}

sli_flow_t *sli_flow_current(const sl_scope_t *scope) {
  for (size_t i = scope->frames.count; i-- > 0;) {
    const sli_scope_frame_t *frame = &scope->frames.items[i];
    if (frame->kind == SLI_SCOPE_FLOW) return frame->flow;
    if (frame->kind == SLI_SCOPE_CONTROL && frame->operations.count == 0) return NULL;
  }
  return NULL;
}

sl_block_t sli_flow_enter(sl_scope_t *scope, sli_flow_t *flow) {
  return sli_scope_enter_frame(scope, (sli_scope_frame_t){.kind = SLI_SCOPE_FLOW, .flow = flow});
}

// --- The context of a node ---

static sli_view_t key_of(TF_Operation *const *operation) {
  return sli_view_of((const char *)operation, sizeof(*operation));
}

void sli_flow_add_operation(sl_scope_t *scope, sli_flow_t *flow, TF_Operation *operation) {
  if (flow) sli_map_set(&scope->flows, key_of(&operation), flow);
}

sli_flow_t *sli_flow_of_operation(const sl_scope_t *scope, TF_Operation *operation) {
  return sli_map_get(&scope->flows, key_of(&operation));
}

static bool is_op(TF_Operation *operation, const char *op, const char *ref_op) {
  const char *type = TF_OperationOpType(operation);
  return strcmp(type, op) == 0 || strcmp(type, ref_op) == 0;
}

sli_flow_t *sli_flow_of_outputs(const sl_scope_t *scope, TF_Operation *operation) {
  sli_flow_t *flow = sli_flow_of_operation(scope, operation);
  return flow && is_op(operation, "Exit", "RefExit") ? flow->outer : flow;
}

static sli_flow_t *loop_around(sli_flow_t *flow) {
  while (flow && !flow->is_loop) flow = flow->outer;
  return flow;
}

static bool is_within(const sli_flow_t *flow, const sli_flow_t *outer) {
  while (flow && flow != outer) flow = flow->outer;
  return flow == outer;
}

bool sli_flow_is_loop_invariant(TF_Operation *operation) {
  if (!is_op(operation, "Enter", "RefEnter")) return false;
  TF_Status *status = TF_NewStatus();
  unsigned char is_constant = 0;
  TF_OperationGetAttrBool(operation, "is_constant", &is_constant, status);
  TF_DeleteStatus(status);
  return is_constant;
}

bool sli_flow_check_use(sl_scope_t *scope, sli_flow_t *flow, TF_Output value, const char *user) {
  const sli_flow_t *loop = loop_around(flow), *from = loop_around(sli_flow_of_outputs(scope, value.oper));
  if (is_within(loop, from)) return true;
  const char *name = TF_OperationName(value.oper);
  if (loop)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "Cannot use '%s' as input to '%s' because they are in different while loops.", name, user);
  else
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Cannot use '%s' as input to '%s' because '%s' is in a while loop.", name,
                  user, name);
  return false;
}

size_t sli_flow_count_nodes(sl_scope_t *scope) {
  size_t count = 0;
  while (TF_GraphNextOperation(scope->graph, &count)) {
  }
  return count;
}

void sli_flow_add_new_nodes(sl_scope_t *scope, TF_Operation *like, size_t first) {
  sli_flow_t *flow = sli_flow_of_operation(scope, like);
  if (!loop_around(flow)) return;  // in a branch, a Switch does this
  for (TF_Operation *node; (node = TF_GraphNextOperation(scope->graph, &first));)
    sli_flow_add_operation(scope, flow, node);
}

// --- Capturing values ---

// Adds those of the current control dependencies that are in the same context as the loop. Dependencies outside of an
// enclosing loop do not apply to it.
static void add_controls_of_loop(sl_scope_t *scope, const sli_flow_t *loop, TF_Operation *input,
                                 sli_operations_t *out_controls) {
  sli_operations_t inputs = {0}, around = {0};
  sli_array_push(&inputs, input);
  sli_scope_control_inputs(scope, &inputs, &around);
  const sli_flow_t *outer_loop = loop_around(loop->outer);
  for (size_t i = 0; i < around.count; i++) {
    const sli_flow_t *from = sli_flow_of_outputs(scope, around.items[i]), *place = loop->outer;
    while (place != from && place && place != outer_loop) place = place->outer;
    if (place == from) sli_array_push(out_controls, around.items[i]);
  }
  sli_array_deinitialize(&inputs);
  sli_array_deinitialize(&around);
}

static TF_Operation *pivot_around(const sli_flow_t *flow) {
  while (flow && !flow->pivot) flow = flow->outer;
  return flow ? flow->pivot : NULL;
}

TF_Output sli_flow_build_enter(sl_scope_t *scope, sli_flow_t *loop, TF_Output value, bool is_constant) {
  if (!value.oper) return value;
  sli_operations_t controls = {0};
  add_controls_of_loop(scope, loop, value.oper, &controls);
  // A loop variable that starts as an invariant of the enclosing loop must start again in each of its iterations.
  TF_Operation *pivot = !is_constant && sli_flow_is_loop_invariant(value.oper) ? pivot_around(loop->outer) : NULL;
  if (pivot) sli_array_push(&controls, pivot);
  TF_Output entered = {0};
  SL_BLOCK(sli_scope_enter_no_control(scope)) {
    sl_node_t *node = sl_node_begin(scope, sli_tf_output_is_reference(value) ? "RefEnter" : "Enter", NULL);
    sl_node_input(node, value);
    for (size_t i = 0; i < controls.count; i++) sl_node_control_input(node, controls.items[i]);
    sl_node_attr_text(node, "frame_name", loop->name);
    sl_node_attr_bool(node, "is_constant", is_constant);
    sl_node_attr_int(node, "parallel_iterations", loop->parallel_iterations);
    entered = sl_node_output(node);
  }
  sli_array_deinitialize(&controls);
  if (!entered.oper) return entered;
  sli_scope_note_operation(scope, entered.oper);
  sli_flow_add_operation(scope, loop, entered.oper);
  return entered;
}

TF_Output sli_flow_build_switch(sl_scope_t *scope, TF_Output value, TF_Output pred) {
  if (!value.oper) return value;
  TF_Output routed = {0};
  SL_COLOCATE_WITH(scope, value.oper) {
    routed = sl_binary(scope, sli_tf_output_is_reference(value) ? "RefSwitch" : "Switch", "Switch", value, pred, NULL);
  }
  return routed;
}

static TF_Output bring_into_branch(sl_scope_t *scope, sli_flow_t *flow, TF_Output value) {
  TF_Output routed = {0};
  SL_BLOCK(sli_scope_enter_no_control(scope)) { routed = sli_flow_build_switch(scope, value, flow->pred); }
  if (routed.oper) sli_flow_add_operation(scope, flow, routed.oper);
  routed.index = flow->branch;
  return routed;
}

TF_Output sli_flow_capture_value(sl_scope_t *scope, sli_flow_t *flow, TF_Output value) {
  if (!flow || !value.oper || is_within(sli_flow_of_outputs(scope, value.oper), flow)) return value;
  if (!flow->is_loop && value.oper == flow->pred.oper) return value;
  char key_bytes[sizeof(value.oper) + sizeof(value.index)];  // without the padding of the struct
  memcpy(key_bytes, &value.oper, sizeof(value.oper));
  memcpy(key_bytes + sizeof(value.oper), &value.index, sizeof(value.index));
  const sli_view_t key = sli_view_of(key_bytes, sizeof(key_bytes));
  const sli_flow_capture_t *known = sli_map_get(&flow->captured, key);
  if (known) return known->inside;
  TF_Output outer = sli_flow_capture_value(scope, flow->outer, value);
  TF_Output brought =
      flow->is_loop ? sli_flow_build_enter(scope, flow, outer, true) : bring_into_branch(scope, flow, outer);
  sli_flow_capture_t capture = {value, brought};
  if (brought.oper) sli_map_set(&flow->captured, key, sli_memdup(&capture, sizeof(capture)));
  return brought;
}

// --- Control inputs ---

static bool any_within(const sl_scope_t *scope, const sli_operations_t *operations, const sli_flow_t *flow) {
  for (size_t i = 0; i < operations->count; i++)
    if (is_within(sli_flow_of_outputs(scope, operations->items[i]), flow)) return true;
  return false;
}

// |operation| runs once, outside the loop; inside, an Identity of its first output represents it. An operation without
// outputs is ignored.
static TF_Operation *bring_operation(sl_scope_t *scope, sli_flow_t *loop, TF_Operation *operation) {
  TF_Output inside = {0};
  if (TF_OperationNumOutputs(operation) == 0) return NULL;
  SL_BLOCK(sli_scope_enter_no_control(scope)) {
    SL_BLOCK(sli_flow_enter(scope, loop)) { inside = sl_unary(scope, "Identity", (TF_Output){operation, 0}, NULL); }
  }
  return inside.oper;
}

void sli_flow_adapt_controls(sl_scope_t *scope, sli_flow_t *flow, bool has_inputs, bool bound,
                             sli_operations_t *controls) {
  sli_flow_t *loop = loop_around(flow);
  sli_operations_t inner = {0}, external = {0};
  for (size_t i = 0; i < controls->count; i++) {
    TF_Operation *control = controls->items[i];
    if (!loop || loop_around(sli_flow_of_outputs(scope, control)) == loop)
      sli_array_push(&inner, control);
    else
      sli_array_push(&external, control);
  }
  bool waits = flow->is_loop ? inner.count > 0 : any_within(scope, &inner, flow);
  if (flow->pivot && !waits && (flow->is_loop ? !bound : !has_inputs)) sli_array_push(&inner, flow->pivot);
  for (size_t i = 0; i < external.count && flow->is_loop; i++) {
    TF_Operation *inside = bring_operation(scope, flow, external.items[i]);
    if (inside) sli_array_push(&inner, inside);
  }
  sli_array_deinitialize(&external);
  sli_array_deinitialize(controls);
  *controls = inner;
}
