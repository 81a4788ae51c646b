// Gradients of while loops. Each forward loop gets a counter of its iterations and a
// backward loop that runs as many. A loop variable's gradient enters the
// backward loop where the variable left the forward one (Exit), goes through
// the gradients of the body in each iteration, and leaves where the variable entered.
// The gradients of loop-invariant values are summed over all iterations.
//
//   forward:  Enter → Merge → Switch → body → NextIteration → Merge;  Switch → Exit
//   backward: Exit ← Switch ← Merge ← Enter (b_exit);  Switch → body's gradients → NextIteration → Merge
#include "graph/gradients/gradients_internal.h"

// --- Which loops there are -------------------------------------------------------

sli_backprop_loop_t *sli_backprop_loop_of(const sli_backprop_driver_t *driver, const sli_node_t *node) {
  return driver->loops.count ? driver->places.items[node->id].loop : NULL;
}

sli_backprop_loop_t *sli_backprop_gradient_loop(const sli_backprop_driver_t *driver, const sli_node_t *node) {
  sli_backprop_loop_t *loop = sli_backprop_loop_of(driver, node);
  return !loop || loop->direct ? driver->base : loop;
}

sli_backprop_place_t sli_backprop_place_in(sli_backprop_loop_t *loop) {
  return (sli_backprop_place_t){loop, loop && !loop->direct};
}

static sli_status_t *entered_loop(sli_backprop_driver_t *driver, const sli_node_t *enter, sli_map_t *by_name,
                                  sli_backprop_loop_t **out_loop) {
  sli_backprop_loop_t *parent = driver->places.items[enter->inputs[0].node->id].loop;
  sli_view_t name;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(&enter->def, "frame_name", &name));
  sli_string_t key = {0};
  sli_string_append(&key, &parent, sizeof(parent));
  sli_string_append(&key, name.data, name.size);
  sli_backprop_loop_t *loop = sli_map_get(by_name, sli_view_of(key.data, key.size));
  if (!loop) {
    loop = sli_arena_calloc(&driver->scratch, 1, sizeof(*loop));
    loop->parent = parent;
    loop->depth = parent ? parent->depth + 1 : 1;
    loop->frame_name = sli_arena_strndup(&driver->scratch, name.data, name.size);
    loop->enter = enter;
    sli_map_set(by_name, sli_view_of(key.data, key.size), loop);
    sli_array_push(&driver->loops, loop);
  }
  sli_string_deinitialize(&key);
  *out_loop = loop;
  return NULL;
}

// A node is in the frame of its inputs: in the innermost loop that one of them is in.
static sli_backprop_loop_t *loop_of_inputs(const sli_backprop_driver_t *driver, const sli_node_t *node) {
  sli_backprop_loop_t *deepest = NULL;
  for (int i = 0; i < node->def.input_count + node->control_input_count; i++) {
    const sli_node_t *input =
        i < node->def.input_count ? node->inputs[i].node : node->control_inputs[i - node->def.input_count];
    sli_backprop_loop_t *loop = driver->places.items[input->id].loop;
    if (loop && (!deepest || loop->depth > deepest->depth)) deepest = loop;
  }
  return deepest;
}

static sli_status_t *place_nodes(sli_backprop_driver_t *driver, const int *order) {
  sli_map_t by_name = {0};
  sli_status_t *status = NULL;
  for (size_t i = 0; i < driver->count && !status; i++) {
    const sli_node_t *node = driver->graph->nodes.items[order[i]];
    sli_backprop_loop_t *loop = loop_of_inputs(driver, node);
    if (sli_backprop_is_enter(node)) status = entered_loop(driver, node, &by_name, &loop);
    if (sli_backprop_is_exit(node) && loop) loop = loop->parent;
    driver->places.items[node->id].loop = loop;
  }
  sli_map_deinitialize(&by_name);
  return status;
}

// Gradients begin in the frame of the ys.
static sli_status_t *find_base(sli_backprop_driver_t *driver) {
  const sli_node_t *first = NULL;
  for (size_t i = 0; i < driver->request->y_count; i++) {
    sli_node_t *y = driver->request->ys[i].node;
    sli_backprop_loop_t *loop = sli_backprop_loop_of(driver, y);
    if (first && loop != driver->loop)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Cannot compute gradients of '%s' and '%s' together: they are in different loops",
                             first->def.name, y->def.name);
    first = y;
    driver->loop = loop;
    driver->base_pivot = loop ? y : NULL;
  }
  driver->base = driver->loop;
  for (sli_backprop_loop_t *loop = driver->base; loop; loop = loop->parent) loop->direct = true;
  return NULL;
}

sli_status_t *sli_backprop_loops_find(sli_backprop_driver_t *driver) {
  bool any = false;
  for (size_t i = 0; i < driver->count && !any; i++) any = sli_backprop_is_enter(driver->graph->nodes.items[i]);
  if (!any) return NULL;
  int *order = sli_calloc(driver->count, sizeof(*order));
  sli_status_t *status = sli_graph_topological_order(driver->graph, order);
  sli_array_reserve(&driver->places, driver->count);
  memset(driver->places.items, 0, driver->count * sizeof(*driver->places.items));
  driver->places.count = driver->count;
  if (!status) status = place_nodes(driver, order);
  if (!status) sli_backprop_find_guards(driver, order);
  if (!status) status = find_base(driver);
  free(order);
  return status;
}

void sli_backprop_count_exits(sli_backprop_driver_t *driver) {
  for (size_t i = 0; driver->loops.count && i < driver->count; i++) {
    const sli_node_t *node = driver->graph->nodes.items[i];
    if (!driver->states[i].on_path || !sli_backprop_is_exit(node)) continue;
    sli_backprop_loop_t *left = sli_backprop_loop_of(driver, node->inputs[0].node);
    if (left) left->exits_left++;
  }
}

bool sli_backprop_crosses_iterations(const sli_backprop_driver_t *driver, const sli_node_t *producer) {
  const sli_backprop_loop_t *loop = sli_backprop_loop_of(driver, producer);
  return loop && loop->direct && sli_backprop_is_next_iteration(producer);
}

void sli_backprop_loops_deinitialize(sli_backprop_driver_t *driver) {
  for (size_t i = 0; i < driver->loops.count; i++) sli_map_deinitialize(&driver->loops.items[i]->values);
  sli_array_deinitialize(&driver->loops);
  sli_array_deinitialize(&driver->places);
  sli_array_deinitialize(&driver->guards);
}

// --- Added loop variables -----------------------------------------------------

static sli_node_t *add_here(sli_backprop_driver_t *driver, sli_backprop_place_t place, const char *op, const char *leaf,
                            const sli_output_t *inputs, size_t input_count, sli_node_t *control) {
  return sli_backprop_add_node(
      driver,
      &(sli_backprop_node_t){
          .op = op, .leaf = leaf, .inputs = inputs, .input_count = input_count, .control = control, .place = place});
}

static sli_output_t at(sli_node_t *node, int index) { return node ? (sli_output_t){node, index} : SLI_OUTPUT_NONE; }

typedef struct {
  sli_node_t *merge, *route;  // the Merge and the Switch
} variable_t;

static sli_output_t in_iteration(variable_t variable) { return at(variable.route, 1); }
static sli_output_t after_loop(variable_t variable) { return at(variable.route, 0); }

static sli_node_t *open_merge(sli_backprop_driver_t *driver, sli_output_t initial, sli_backprop_place_t place,
                              const char *leaf) {
  sli_output_t entered = sli_backprop_enter(driver, initial, place, false, leaf);
  // The first input takes the place of the second until the value at the end of the iteration is known.
  return add_here(driver, place, "Merge", leaf, SLI_INPUTS(entered, entered), NULL);
}

static variable_t open_variable(sli_backprop_driver_t *driver, sli_output_t initial, sli_backprop_place_t place,
                                const char *leaf) {
  variable_t variable = {.merge = open_merge(driver, initial, place, leaf)};
  sli_output_t pivot = place.backward ? place.loop->pivot : at(place.loop->condition, 0);
  variable.route = add_here(driver, place, "Switch", leaf, SLI_INPUTS(at(variable.merge, 0), pivot), NULL);
  return variable;
}

static sli_node_t *close_merge(sli_backprop_driver_t *driver, sli_node_t *merge, sli_output_t value,
                               sli_backprop_place_t place) {
  sli_node_t *next = add_here(driver, place, "NextIteration", "NextIteration", &value, 1, NULL);
  if (!driver->status) driver->status = sli_graph_set_input(merge, 1, (sli_output_t){next, 0});
  return next;
}

static sli_output_t leave(sli_backprop_driver_t *driver, sli_output_t value, sli_backprop_loop_t *loop,
                          const char *leaf) {
  return at(add_here(driver, sli_backprop_place_in(loop->parent), "Exit", leaf, &value, 1, NULL), 0);
}

// --- Counting iterations ------------------------------------------------------------------

static sli_output_t add_int(sli_backprop_driver_t *driver, sli_backprop_place_t place, int32_t number, const char *leaf,
                            sli_node_t *control) {
  sli_tensor_t *value = sli_tensor_scalar_int32(number);
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT32), SLI_ATTR_TENSOR_OF("value", value)};
  sli_node_t *node = sli_backprop_add_node(driver, &(sli_backprop_node_t){.op = "Const",
                                                                          .leaf = leaf,
                                                                          .attrs = attrs,
                                                                          .attr_count = SLI_ARRAY_COUNT_OF(attrs),
                                                                          .control = control,
                                                                          .place = place});
  sli_tensor_release(value);
  return at(node, 0);
}

// n = 0; while (condition) n++. Inside an outer loop or a conditional the counter must start only if the loop does:
// after the initial values of the loop's own variables, and after the iteration of the outer loop began.
static void count_forward(sli_backprop_driver_t *driver, sli_backprop_loop_t *loop) {
  sli_backprop_place_t outside = {loop->parent, false}, inside = {loop, false};
  sli_node_t *started = NULL;
  if (loop->parent || loop->guard.count)
    started = add_here(driver, outside, "Identity", "f_start", &loop->enter->inputs[0], 1, NULL);
  sli_output_t zero = add_int(driver, outside, 0, "f_count", started);
  if (loop->parent && loop->parent->forward_add && zero.node)
    sli_graph_add_control_edge(loop->parent->forward_add, zero.node);
  variable_t count = open_variable(driver, zero, inside, "f_count");
  sli_output_t one = add_int(driver, inside, 1, "f_count", count.route);
  loop->forward_add = add_here(driver, inside, "AddV2", "f_count", SLI_INPUTS(in_iteration(count), one), NULL);
  loop->forward_next = close_merge(driver, count.merge, at(loop->forward_add, 0), inside);
  sli_output_t ended = after_loop(count);
  loop->iterations = at(add_here(driver, outside, "Exit", "f_count", &ended, 1, NULL), 0);
  if (loop->iterations.node) driver->guards.items[loop->iterations.node->id] = loop->guard;
}

// n = iterations; while (n >= 1) n--.
static void count_backward(sli_backprop_driver_t *driver, sli_backprop_loop_t *loop) {
  sli_backprop_place_t inside = {loop, true};
  sli_output_t iterations = sli_backprop_bring_into_loop(driver, loop->iterations, loop->parent);
  sli_node_t *merge = open_merge(driver, iterations, inside, "b_count");
  sli_output_t one = add_int(driver, inside, 1, "b_count", merge);
  sli_node_t *more = add_here(driver, inside, "GreaterEqual", "b_count", SLI_INPUTS(at(merge, 0), one), NULL);
  loop->pivot = at(add_here(driver, inside, "LoopCond", "b_count", SLI_INPUTS(at(more, 0)), NULL), 0);
  sli_node_t *route = add_here(driver, inside, "Switch", "b_count", SLI_INPUTS(at(merge, 0), loop->pivot), NULL);
  loop->backward_index = add_here(driver, inside, "Sub", "b_count", SLI_INPUTS(at(route, 1), one), NULL);
  loop->backward_next = close_merge(driver, merge, at(loop->backward_index, 0), inside);
  sli_output_t zero = leave(driver, at(route, 0), loop, "b_count");
  // The pops of this run of the loop must end before those of the next run.
  if (loop->parent && !loop->parent->direct)
    sli_backprop_delay_next_iteration(driver, sli_backprop_place_in(loop->parent), zero.node);
}

// --- Starting a backward loop -----------------------------------------------------------

static sli_node_t *find_consumer(const sli_node_t *node, int output, bool (*is_wanted)(const sli_node_t *)) {
  for (size_t i = 0; i < node->out_edges.count; i++) {
    const sli_graph_edge_t *edge = &node->out_edges.items[i];
    if (edge->index == 0 && edge->output == output && is_wanted(edge->consumer)) return edge->consumer;
  }
  return NULL;
}

// The gradient of the variable's value after the forward loop; zeros if there is none.
static sli_output_t exit_gradient(sli_backprop_driver_t *driver, sli_backprop_loop_t *loop, sli_node_t *forward_switch,
                                  sli_node_t *exit) {
  if (exit && (size_t)exit->id < driver->count && driver->states[exit->id].total) {
    const sli_gradient_slices_t *total = driver->states[exit->id].total;
    if (total->values.node) return sli_backprop_dense_here(driver, total);
  }
  if (!exit)
    exit = add_here(driver, (sli_backprop_place_t){loop->parent, false}, "Exit", "Exit",
                    SLI_INPUTS(at(forward_switch, 0)), NULL);
  if (driver->status) return SLI_OUTPUT_NONE;
  sli_output_t last = at(exit, 0);
  // Outside loops zeros wait for the value. If it is the flow of a TensorArray, they wait for its last write that way.
  if (!driver->loop && sli_graph_output_dtype(last) != SLI_DTYPE_RESOURCE)
    return sli_backprop_emit_here(driver, "ZerosLike", "zeros_like", &last, 1, NULL, 0);
  return sli_backprop_zeros_here(driver, last, sli_dtype_base(sli_graph_output_dtype(last)));
}

static void pass_gradient(sli_backprop_driver_t *driver, sli_output_t to, sli_output_t gradient) {
  if (!driver->states[to.node->id].on_path) return;
  sli_backprop_add_gradient(driver, to, (sli_gradient_slices_t){.values = gradient});
  sli_backprop_edge_done(driver, to.node);
}

static void start_variable(sli_backprop_driver_t *driver, sli_backprop_loop_t *loop, sli_node_t *merge) {
  sli_node_t *forward_switch = find_consumer(merge, 0, sli_backprop_is_loop_switch);
  driver->states[merge->id].queued = true;
  if (!forward_switch) return;
  sli_node_t *exit = find_consumer(forward_switch, 0, sli_backprop_is_exit);
  driver->loop = loop->parent;
  driver->current = exit ? exit : forward_switch;
  sli_output_t gradient = exit_gradient(driver, loop, forward_switch, exit);
  variable_t variable = open_variable(driver, gradient, (sli_backprop_place_t){loop, true}, "b_exit");
  if (driver->status) return;
  driver->states[forward_switch->id].backward_merge = variable.merge;
  for (int i = 0; i < merge->def.input_count; i++) {
    bool is_back = sli_backprop_is_next_iteration(merge->inputs[i].node);
    pass_gradient(driver, merge->inputs[i], is_back ? in_iteration(variable) : after_loop(variable));
  }
  if (exit && driver->states[exit->id].on_path) sli_backprop_edge_done(driver, forward_switch);
}

// A loop that pops from a stack was made by an earlier call.
static sli_status_t *check_first_order(const sli_backprop_driver_t *driver, const sli_backprop_loop_t *loop) {
  for (size_t i = 0; i < driver->count; i++) {
    const sli_node_t *node = driver->graph->nodes.items[i];
    if (driver->places.items[i].loop != loop) continue;
    if (sli_graph_node_is(node, "StackPopV2") || sli_graph_node_is(node, "StackPop"))
      return sli_status_make(SLI_UNIMPLEMENTED, "Second-order gradient for while loops not supported.");
  }
  return NULL;
}

static void find_condition(const sli_backprop_driver_t *driver, sli_backprop_loop_t *loop) {
  for (size_t i = 0; i < driver->count; i++) {
    sli_node_t *node = driver->graph->nodes.items[i];
    if (driver->places.items[i].loop != loop) continue;
    if (sli_graph_control_flow(node) == SLI_OP_CONTROL_FLOW_LOOP_COND) loop->condition = node;
    // A loop variable is alive only if the loop runs; an invariant may be alive without it.
    if (sli_backprop_is_enter(node) && !sli_backprop_is_constant_enter(node) &&
        sli_backprop_is_constant_enter(loop->enter))
      loop->enter = node;
  }
}

static void start_loop(sli_backprop_driver_t *driver, sli_backprop_loop_t *loop) {
  const sli_node_t *current = driver->current;
  if (!driver->status) driver->status = check_first_order(driver, loop);
  find_condition(driver, loop);
  if (!driver->status && !loop->condition)
    driver->status = sli_status_make(SLI_INVALID_ARGUMENT, "The while loop '%s' has no LoopCond", loop->frame_name);
  if (driver->status) return;
  char *name = sli_format("%s/%s", driver->prefix, loop->frame_name);
  loop->backward_name = sli_arena_strndup(&driver->scratch, name, strlen(name));
  free(name);
  driver->loop = loop->parent;
  driver->current = NULL;
  count_forward(driver, loop);
  count_backward(driver, loop);
  for (size_t i = 0; i < driver->count && !driver->status; i++) {
    sli_node_t *node = driver->graph->nodes.items[i];
    if (driver->places.items[i].loop == loop && driver->states[i].on_path && sli_backprop_is_loop_merge(node))
      start_variable(driver, loop, node);
  }
  driver->current = current;
}

// --- Nodes of a loop ---------------------------------------------------------------------

// Ends a backward iteration: with the gradient of the variable's value at the start of the forward iteration.
static void close_variable(sli_backprop_driver_t *driver, sli_node_t *forward_switch) {
  sli_backprop_state_t *state = &driver->states[forward_switch->id];
  if (!state->backward_merge) return;
  sli_output_t gradient = SLI_OUTPUT_NONE;
  if (state->total[1].values.node) {
    gradient = sli_backprop_dense_here(driver, &state->total[1]);
  } else {
    sli_node_t *route = find_consumer(state->backward_merge, 0, sli_backprop_is_loop_switch);
    gradient = sli_backprop_emit_here(driver, "ZerosLike", "b_zeros", SLI_INPUTS(at(route, 1)), NULL, 0);
  }
  close_merge(driver, state->backward_merge, gradient, sli_backprop_place_in(driver->loop));
}

static sli_output_t sum_over_iterations(sli_backprop_driver_t *driver, const sli_node_t *enter, sli_output_t gradient) {
  sli_backprop_loop_t *loop = driver->loop;
  sli_backprop_place_t inside = {loop, true};
  sli_dtype_t dtype = sli_graph_output_dtype(gradient);
  driver->loop = loop->parent;
  sli_output_t zeros = sli_backprop_zeros_here(driver, enter->inputs[0], dtype);
  variable_t sum = open_variable(driver, zeros, inside, "b_acc");
  sli_node_t *added = add_here(driver, inside, "AddV2", "b_acc", SLI_INPUTS(in_iteration(sum), gradient), NULL);
  close_merge(driver, sum.merge, at(added, 0), inside);
  return leave(driver, after_loop(sum), loop, "b_acc");
}

// The rows of all iterations, one after another, after those of |initial|.
static sli_output_t append_over_iterations(sli_backprop_driver_t *driver, sli_backprop_loop_t *loop,
                                           sli_output_t initial, sli_output_t rows) {
  sli_backprop_place_t inside = {loop, true};
  variable_t all = open_variable(driver, initial, inside, "b_acc");
  sli_output_t axis = add_int(driver, inside, 0, "b_acc", loop->backward_index);
  sli_attr_entry_t number = SLI_ATTR_INT_OF("N", 2);
  sli_output_t inputs[] = {in_iteration(all), rows, axis};
  sli_node_t *joined = sli_backprop_add_node(driver, &(sli_backprop_node_t){.op = "ConcatV2",
                                                                            .leaf = "b_acc",
                                                                            .inputs = inputs,
                                                                            .input_count = 3,
                                                                            .attrs = &number,
                                                                            .attr_count = 1,
                                                                            .place = inside});
  close_merge(driver, all.merge, at(joined, 0), inside);
  return leave(driver, after_loop(all), loop, "b_acc");
}

static sli_gradient_slices_t append_slices(sli_backprop_driver_t *driver, const sli_node_t *enter,
                                           const sli_gradient_slices_t *slices) {
  sli_backprop_loop_t *loop = driver->loop;
  sli_dtype_t index_type = sli_graph_output_dtype(slices->indices);
  driver->loop = loop->parent;
  // No rows yet: [0] + shape[1:].
  sli_output_t shape = sli_backprop_shape_here(driver, enter->inputs[0], SLI_DTYPE_INT32);
  sli_output_t ends[2];
  for (int i = 0; i < 2; i++)
    ends[i] = sli_backprop_const_here(driver, "b_acc", sli_tensor_vector_int32((int32_t[]){i}, 1));
  sli_attr_entry_t to_end = SLI_ATTR_INT_OF("end_mask", 1), number = SLI_ATTR_INT_OF("N", 2);
  sli_output_t row =
      sli_backprop_emit_here(driver, "StridedSlice", "b_acc", SLI_INPUTS(shape, ends[1], ends[1], ends[1]), &to_end, 1);
  sli_output_t axis = sli_backprop_const_here(driver, "b_acc", sli_tensor_scalar_int32(0));
  sli_output_t empty = sli_backprop_emit_here(driver, "ConcatV2", "b_acc", SLI_INPUTS(ends[0], row, axis), &number, 1);
  sli_output_t zero = sli_backprop_zero_here(driver, sli_graph_output_dtype(slices->values));
  sli_output_t no_index = sli_backprop_zero_here(driver, index_type);
  sli_output_t no_values = sli_backprop_emit_here(driver, "Fill", "b_acc", SLI_INPUTS(empty, zero), NULL, 0);
  sli_output_t no_indices = sli_backprop_emit_here(driver, "Fill", "b_acc", SLI_INPUTS(ends[0], no_index), NULL, 0);
  return (sli_gradient_slices_t){
      .values = append_over_iterations(driver, loop, no_values, slices->values),
      .indices = append_over_iterations(driver, loop, no_indices, slices->indices),
      .dense_shape = shape,
  };
}

static void leave_loop(sli_backprop_driver_t *driver, sli_node_t *enter, sli_gradient_slices_t *gradients) {
  const sli_gradient_slices_t *total = driver->states[enter->id].total;
  sli_backprop_loop_t *loop = driver->loop;
  if (!total->values.node) return;
  if (loop->direct)
    gradients[0] = *total;
  else if (!sli_backprop_is_constant_enter(enter))
    gradients[0].values = leave(driver, sli_backprop_dense_here(driver, total), loop, "b_exit");
  else if (total->indices.node)
    gradients[0] = append_slices(driver, enter, total);
  else
    gradients[0].values = sum_over_iterations(driver, enter, total->values);
  driver->loop = loop;
}

static void refuse_loop_variable(sli_backprop_driver_t *driver, const sli_node_t *node) {
  driver->status =
      sli_status_make(SLI_INVALID_ARGUMENT,
                      "Cannot compute gradient inside while loop with respect to op '%s'. We do not support "
                      "taking the gradient wrt or through the initial value of a loop variable. Gradients "
                      "can be computed through loop invariants or wrt the input parameters to the loop "
                      "body.",
                      node->def.name);
}

// A conditional's Switch inside a loop. The branch that ignored the value gets zeros, which are alive only if it ran.
static void merge_branches(sli_backprop_driver_t *driver, sli_node_t *node, sli_gradient_slices_t *gradients) {
  const sli_gradient_slices_t *total = driver->states[node->id].total;
  if (!total[0].values.node && !total[1].values.node) return;
  sli_output_t branches[2];
  for (int i = 0; i < 2; i++) {
    if (total[i].values.node) {
      branches[i] = sli_backprop_dense_here(driver, &total[i]);
      continue;
    }
    sli_output_t zeros = sli_backprop_zeros_here(driver, node->inputs[0], sli_graph_output_dtype(total[1 - i].values));
    sli_output_t inputs[] = {zeros, node->inputs[1]};
    branches[i] = at(sli_backprop_emit_here(driver, "Switch", "cond_zeros", inputs, 2, NULL, 0).node, i);
  }
  sli_attr_entry_t number = SLI_ATTR_INT_OF("N", 2);
  gradients[0].values = sli_backprop_emit_here(driver, "Merge", "cond_grad", branches, 2, &number, 1);
}

bool sli_backprop_loop_node(sli_backprop_driver_t *driver, sli_node_t *node, sli_gradient_slices_t *gradients) {
  if (driver->loops.count == 0) return false;
  sli_backprop_loop_t *loop = driver->loop;
  if (sli_backprop_is_exit(node)) {
    sli_backprop_loop_t *left = driver->places.items[node->inputs[0].node->id].loop;
    if (left && --left->exits_left == 0) start_loop(driver, left);
    driver->loop = loop;
    return true;
  }
  if (!loop) return false;
  if (sli_backprop_is_enter(node)) {
    leave_loop(driver, node, gradients);
  } else if (sli_backprop_is_next_iteration(node)) {
    gradients[0] = driver->states[node->id].total[0];
  } else if (sli_backprop_is_loop_switch(node) || sli_backprop_is_loop_merge(node)) {
    if (loop->direct)
      refuse_loop_variable(driver, node);
    else
      close_variable(driver, node);
  } else if (!loop->direct && sli_graph_control_flow(node) == SLI_OP_CONTROL_FLOW_SWITCH) {
    merge_branches(driver, node, gradients);
  } else {
    return false;
  }
  return true;
}
