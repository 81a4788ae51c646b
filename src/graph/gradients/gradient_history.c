// Forward values inside backward loops. A backward loop runs its iterations in the
// opposite order. So a value of a forward iteration is pushed onto a stack in the
// forward loop and popped in the backward one. Three things keep pushes and pops
// in step: the counters (the pushes and pops of an iteration end before those of the
// next begin), the guards (a value inside a conditional is popped only in the
// iterations in which it was pushed), and that every value is pushed once in each
// iteration.
#include "graph/gradients/gradients_internal.h"

// --- Kinds of nodes --------------------------------------------------------------

static bool is_switch(const sli_node_t *node) { return sli_graph_control_flow(node) == SLI_OP_CONTROL_FLOW_SWITCH; }

static bool is_identity(const sli_node_t *node) {
  return sli_graph_node_is(node, "Identity") || sli_graph_node_is(node, "RefIdentity");
}

bool sli_backprop_is_next_iteration(const sli_node_t *node) {
  return sli_graph_control_flow(node) == SLI_OP_CONTROL_FLOW_NEXT_ITERATION;
}

bool sli_backprop_is_exit(const sli_node_t *node) { return sli_graph_control_flow(node) == SLI_OP_CONTROL_FLOW_EXIT; }

bool sli_backprop_is_enter(const sli_node_t *node) { return sli_graph_control_flow(node) == SLI_OP_CONTROL_FLOW_ENTER; }

bool sli_backprop_is_constant_enter(const sli_node_t *node) {
  if (!sli_backprop_is_enter(node)) return false;
  const sli_attr_t *attr = sli_node_attr(&node->def, "is_constant");
  return attr && attr->kind == SLI_ATTR_BOOL && attr->b;
}

bool sli_backprop_is_loop_switch(const sli_node_t *node) {
  return is_switch(node) && sli_graph_control_flow(node->inputs[1].node) == SLI_OP_CONTROL_FLOW_LOOP_COND;
}

bool sli_backprop_is_loop_merge(const sli_node_t *node) {
  if (sli_graph_control_flow(node) != SLI_OP_CONTROL_FLOW_MERGE) return false;
  for (int i = 0; i < node->def.input_count; i++)
    if (sli_backprop_is_next_iteration(node->inputs[i].node)) return true;
  return false;
}

// --- Guards ----------------------------------------------------------------------

static bool literal_equal(const sli_backprop_literal_t *a, const sli_backprop_literal_t *b) {
  return sli_graph_output_equal(a->pred, b->pred) && a->branch == b->branch;
}

static bool guard_has(sli_backprop_guard_t guard, const sli_backprop_literal_t *literal) {
  for (size_t i = 0; i < guard.count; i++)
    if (literal_equal(&guard.items[i], literal)) return true;
  return false;
}

static sli_backprop_guard_t guard_with(sli_backprop_driver_t *driver, sli_backprop_guard_t guard,
                                       const sli_backprop_literal_t *literal) {
  if (guard_has(guard, literal)) return guard;
  sli_backprop_literal_t *items = sli_arena_calloc(&driver->scratch, guard.count + 1, sizeof(*items));
  if (guard.count) memcpy(items, guard.items, guard.count * sizeof(*items));
  items[guard.count] = *literal;
  return (sli_backprop_guard_t){items, guard.count + 1};
}

static sli_backprop_guard_t guard_union(sli_backprop_driver_t *driver, sli_backprop_guard_t a, sli_backprop_guard_t b) {
  if (a.count == 0 || a.items == b.items) return a.count > b.count ? a : b;
  for (size_t i = 0; i < b.count; i++) a = guard_with(driver, a, &b.items[i]);
  return a;
}

static sli_backprop_guard_t guard_intersection(sli_backprop_driver_t *driver, sli_backprop_guard_t a,
                                               sli_backprop_guard_t b) {
  sli_backprop_guard_t common = {0};
  for (size_t i = 0; i < a.count; i++)
    if (guard_has(b, &a.items[i])) common = guard_with(driver, common, &a.items[i]);
  return common;
}

static sli_output_t behind_identity(sli_output_t value) {
  while (is_identity(value.node)) value = value.node->inputs[0];
  return value;
}

static sli_backprop_guard_t guard_of(sli_backprop_driver_t *driver, sli_output_t value) {
  sli_backprop_guard_t guard = driver->guards.items[value.node->id];
  if (!is_switch(value.node) || sli_backprop_is_loop_switch(value.node)) return guard;
  sli_backprop_literal_t literal = {behind_identity(value.node->inputs[1]), value.index};
  return guard_with(driver, guard, &literal);
}

// A node is alive if all its inputs are, a Merge if one of them is: there the two branches of a conditional cancel out.
static sli_backprop_guard_t guard_of_node(sli_backprop_driver_t *driver, const sli_node_t *node) {
  sli_backprop_guard_t guard = {0};
  bool merge = sli_graph_control_flow(node) == SLI_OP_CONTROL_FLOW_MERGE;
  for (int i = 0; i < node->def.input_count; i++) {
    if (sli_backprop_is_next_iteration(node->inputs[i].node) && merge) continue;
    sli_backprop_guard_t input = guard_of(driver, node->inputs[i]);
    if (merge && i)
      guard = guard_intersection(driver, guard, input);
    else
      guard = guard_union(driver, guard, input);
  }
  for (int i = 0; i < node->control_input_count; i++)
    guard = guard_union(driver, guard, driver->guards.items[node->control_inputs[i]->id]);
  return guard;
}

void sli_backprop_find_guards(sli_backprop_driver_t *driver, const int *order) {
  sli_array_reserve(&driver->guards, driver->count);
  driver->guards.count = driver->count;
  for (size_t i = 0; i < driver->count; i++) {
    const sli_node_t *node = driver->graph->nodes.items[order[i]];
    sli_backprop_guard_t *guard = &driver->guards.items[node->id];
    if (sli_backprop_is_enter(node)) {
      // Inside a loop a guard tells in which iterations a value is alive; loop->guard tells whether the loop runs.
      sli_backprop_loop_t *loop = driver->places.items[node->id].loop;
      loop->guard = guard_union(driver, loop->guard, guard_of(driver, node->inputs[0]));
      *guard = (sli_backprop_guard_t){0};
    } else if (sli_backprop_is_exit(node)) {
      sli_backprop_loop_t *loop = driver->places.items[node->inputs[0].node->id].loop;
      *guard = loop ? loop->guard : (sli_backprop_guard_t){0};
    } else {
      *guard = guard_of_node(driver, node);
    }
  }
}

// --- Entering loops ----------------------------------------------------------------

sli_output_t sli_backprop_enter(sli_backprop_driver_t *driver, sli_output_t value, sli_backprop_place_t place,
                                bool is_constant, const char *leaf) {
  if (driver->status) return SLI_OUTPUT_NONE;
  int64_t parallel = 10;
  const sli_attr_t *attr = sli_node_attr(&place.loop->enter->def, "parallel_iterations");
  if (attr && attr->kind == SLI_ATTR_INT) parallel = attr->i;
  sli_attr_entry_t attrs[] = {
      SLI_ATTR_STRING_OF("frame_name", place.backward ? place.loop->backward_name : place.loop->frame_name),
      SLI_ATTR_BOOL_OF("is_constant", is_constant),
      SLI_ATTR_INT_OF("parallel_iterations", parallel),
  };
  sli_node_t *node = sli_backprop_add_node(driver, &(sli_backprop_node_t){.op = "Enter",
                                                                          .leaf = leaf,
                                                                          .inputs = &value,
                                                                          .input_count = 1,
                                                                          .attrs = attrs,
                                                                          .attr_count = SLI_ARRAY_COUNT_OF(attrs),
                                                                          .place = place});
  return (sli_output_t){node, 0};
}

// The frame in which the gradients begin and end.
static sli_backprop_loop_t *base_of(sli_backprop_loop_t *loop) {
  while (loop && !loop->direct) loop = loop->parent;
  return loop;
}

// A value of the base frame inside the forward loop.
static sli_output_t enter_forward(sli_backprop_driver_t *driver, sli_output_t value, sli_backprop_loop_t *loop) {
  if (!loop || loop->direct) return value;
  sli_output_t outer = enter_forward(driver, value, loop->parent);
  return sli_backprop_enter(driver, outer, (sli_backprop_place_t){loop, false}, true, "Enter");
}

// --- Stacks --------------------------------------------------------------------------

static sli_node_t *sync_of(sli_backprop_driver_t *driver, sli_backprop_loop_t *loop, bool backward) {
  sli_node_t **sync = backward ? &loop->backward_sync : &loop->forward_sync;
  if (*sync || driver->status) return *sync;
  sli_node_t *next = backward ? loop->backward_next : loop->forward_next;
  *sync = sli_backprop_add_node(
      driver, &(sli_backprop_node_t){
                  .op = "ControlTrigger", .leaf = backward ? "b_sync" : "f_sync", .place = {loop, backward}});
  if (*sync) sli_graph_add_control_edge(*sync, next);
  return *sync;
}

void sli_backprop_delay_next_iteration(sli_backprop_driver_t *driver, sli_backprop_place_t place, sli_node_t *node) {
  sli_node_t *sync = sync_of(driver, place.loop, place.backward);
  if (sync && node) sli_graph_add_control_edge(node, sync);
}

// The handle, in the base frame, of a stack onto which |value| is pushed in every iteration of its loop.
static sli_output_t push(sli_backprop_driver_t *driver, sli_output_t value, sli_backprop_loop_t *loop) {
  const sli_node_t *current = driver->current;
  sli_backprop_loop_t *here = driver->loop;
  driver->current = value.node->id < (int)driver->count ? value.node : current;
  driver->loop = base_of(loop);
  sli_output_t limit = sli_backprop_const_here(driver, "f_acc", sli_tensor_scalar_int32(-1));
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("elem_type", sli_dtype_base(sli_graph_output_dtype(value)));
  sli_output_t stack = sli_backprop_emit_here(driver, "StackV2", "f_acc", &limit, 1, &type, 1);
  if (!driver->status) sli_backprop_colocate(stack.node, value.node);
  sli_output_t inputs[] = {enter_forward(driver, stack, loop), value};
  sli_node_t *node = sli_backprop_add_node(driver, &(sli_backprop_node_t){.op = "StackPushV2",
                                                                          .inputs = inputs,
                                                                          .input_count = 2,
                                                                          .control = loop->forward_add,
                                                                          .place = {loop, false}});
  sli_backprop_delay_next_iteration(driver, (sli_backprop_place_t){loop, false}, node);
  if (!driver->status) sli_backprop_colocate(node, value.node);
  driver->current = current;
  driver->loop = here;
  return stack;
}

// A literal is implied if another one's pred is alive only where it holds.
static bool is_implied(sli_backprop_driver_t *driver, sli_backprop_guard_t guard, size_t index) {
  for (size_t i = 0; i < guard.count; i++)
    if (i != index && guard_has(guard_of(driver, guard.items[i].pred), &guard.items[index])) return true;
  return false;
}

static sli_output_t pop(sli_backprop_driver_t *driver, sli_output_t stack, sli_output_t value,
                        sli_backprop_loop_t *loop) {
  sli_output_t handle = sli_backprop_bring_into_loop(driver, stack, loop);
  sli_backprop_guard_t guard = guard_of(driver, value);
  sli_backprop_place_t place = {loop, true};
  for (size_t i = 0; i < guard.count && !driver->status; i++) {
    if (is_implied(driver, guard, i)) continue;
    sli_output_t inputs[] = {handle, sli_backprop_bring_into_loop(driver, guard.items[i].pred, loop)};
    sli_node_t *node = sli_backprop_add_node(
        driver, &(sli_backprop_node_t){.op = "Switch", .inputs = inputs, .input_count = 2, .place = place});
    handle = (sli_output_t){node, guard.items[i].branch};
  }
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("elem_type", sli_dtype_base(sli_graph_output_dtype(value)));
  sli_node_t *node = sli_backprop_add_node(driver, &(sli_backprop_node_t){.op = "StackPopV2",
                                                                          .inputs = &handle,
                                                                          .input_count = 1,
                                                                          .attrs = &type,
                                                                          .attr_count = 1,
                                                                          .control = loop->backward_index,
                                                                          .place = place});
  sli_backprop_delay_next_iteration(driver, place, node);
  if (driver->status) return SLI_OUTPUT_NONE;
  sli_backprop_colocate(node, value.node);
  node->output_handles[0] = value.node->output_handles[value.index];
  driver->status = sli_graph_merge_shape(driver->graph, (sli_output_t){node, 0}, sli_graph_output_shape(value));
  return (sli_output_t){node, 0};
}

// --- Bringing values ---------------------------------------------------------------

// The Enter of a loop-invariant value, behind nodes that pass it on unchanged; NULL: it is not loop-invariant.
static const sli_node_t *invariant_enter(sli_output_t value) {
  const sli_node_t *node = value.node;
  while (is_identity(node) || is_switch(node)) node = node->inputs[0].node;
  return sli_backprop_is_constant_enter(node) ? node : NULL;
}

static sli_output_t copy_constant(sli_backprop_driver_t *driver, const sli_node_t *constant,
                                  sli_backprop_loop_t *loop) {
  sli_attr_entry_t attrs[2];
  static const char *const names[] = {"dtype", "value"};
  for (int i = 0; i < 2; i++) attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(&constant->def, names[i])};
  sli_node_t *node = sli_backprop_add_node(
      driver,
      &(sli_backprop_node_t){
          .op = "Const", .attrs = attrs, .attr_count = 2, .control = loop->backward_index, .place = {loop, true}});
  return (sli_output_t){node, 0};
}

static sli_output_t bring_new_value(sli_backprop_driver_t *driver, sli_output_t value, sli_backprop_loop_t *loop) {
  sli_backprop_place_t place = driver->places.items[value.node->id];
  if (loop->direct || place.backward || place.loop != loop) {
    sli_output_t outer = sli_backprop_bring_into_loop(driver, value, loop->parent);
    return sli_backprop_enter(driver, outer, sli_backprop_place_in(loop), true, "Enter");
  }
  const sli_node_t *enter = invariant_enter(value);
  if (enter) {
    sli_output_t outer = sli_backprop_bring_into_loop(driver, enter->inputs[0], loop->parent);
    return sli_backprop_enter(driver, outer, (sli_backprop_place_t){loop, true}, true, "Enter");
  }
  if (sli_graph_node_is(value.node, "Const")) return copy_constant(driver, value.node, loop);
  return pop(driver, push(driver, value, loop), value, loop);
}

sli_output_t sli_backprop_bring_into_loop(sli_backprop_driver_t *driver, sli_output_t value,
                                          sli_backprop_loop_t *loop) {
  if (driver->status || !value.node || driver->loops.count == 0) return driver->status ? SLI_OUTPUT_NONE : value;
  sli_backprop_place_t place = driver->places.items[value.node->id];
  if (place.loop == loop && (!loop || loop->direct || place.backward)) return value;
  if (!loop || (place.loop && place.loop->depth > loop->depth)) {
    driver->status = sli_status_make(SLI_INVALID_ARGUMENT,
                                     "The gradient of '%s' needs '%s', a value inside a while loop, outside that loop",
                                     driver->current ? driver->current->def.name : "the result", value.node->def.name);
    return SLI_OUTPUT_NONE;
  }
  int key[] = {value.node->id, value.index};
  sli_view_t view = sli_view_of((const char *)key, sizeof(key));
  sli_output_t *known = sli_map_get(&loop->values, view);
  if (known) return *known;
  sli_output_t brought = bring_new_value(driver, value, loop);
  if (driver->status) return SLI_OUTPUT_NONE;
  known = sli_arena_allocate(&driver->scratch, sizeof(*known));
  *known = brought;
  sli_map_set(&loop->values, view, known);
  return brought;
}

// --- Shapes ----------------------------------------------------------------------------

static sli_output_t constant_shape(sli_backprop_driver_t *driver, sli_shape_t shape, sli_dtype_t out_type) {
  int32_t dims[SLI_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) dims[i] = (int32_t)shape.dims[i];
  sli_tensor_t *value = out_type == SLI_DTYPE_INT64 ? sli_tensor_vector_int64(shape.dims, shape.rank)
                                                    : sli_tensor_vector_int32(dims, shape.rank);
  return sli_backprop_const_here(driver, "Shape", value);
}

// Whether using |value| here needs a stack.
static bool needs_history(const sli_backprop_driver_t *driver, sli_output_t value) {
  if (driver->loops.count == 0 || !driver->loop || driver->loop->direct) return false;
  sli_backprop_place_t place = driver->places.items[value.node->id];
  return place.loop == driver->loop && !place.backward && !invariant_enter(value);
}

sli_output_t sli_backprop_shape_here(sli_backprop_driver_t *driver, sli_output_t value, sli_dtype_t out_type) {
  if (driver->status || !value.node) return SLI_OUTPUT_NONE;
  bool is_handle = sli_graph_output_dtype(value) == SLI_DTYPE_RESOURCE;
  sli_shape_t shape = is_handle ? value.node->output_handles[value.index].shape : sli_graph_output_shape(value);
  bool fits = sli_shape_is_fully_known(shape);
  for (int i = 0; fits && i < shape.rank; i++) fits = shape.dims[i] <= INT32_MAX;
  if (fits) return constant_shape(driver, shape, out_type);
  const char *op = is_handle ? "VariableShape" : "Shape";
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("out_type", out_type);
  if (!needs_history(driver, value)) return sli_backprop_emit_here(driver, op, "Shape", &value, 1, &type, 1);
  sli_node_t *node = sli_backprop_add_node(driver, &(sli_backprop_node_t){.op = op,
                                                                          .leaf = "Shape",
                                                                          .inputs = &value,
                                                                          .input_count = 1,
                                                                          .attrs = &type,
                                                                          .attr_count = 1,
                                                                          .place = {driver->loop, false}});
  if (!node) return SLI_OUTPUT_NONE;
  driver->guards.items[node->id] = guard_of(driver, value);
  return sli_backprop_bring_into_loop(driver, (sli_output_t){node, 0}, driver->loop);
}
