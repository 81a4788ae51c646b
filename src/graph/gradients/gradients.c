// The walk from the ys back to the xs. Each node is differentiated once, when all gradients
// that flow into it are known. Loops have their own rules: gradient_loops.c.
#include "graph/gradients/gradients.h"

#include <stdio.h>
#include <stdlib.h>

#include "graph/gradients/gradients_internal.h"

typedef sli_backprop_driver_t driver_t;
typedef sli_backprop_state_t state_t;

// --- Nodes between xs and ys -------------------------------------------------

static bool carries_gradient(sli_dtype_t dtype) {
  return sli_types_contain(SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPE_RESOURCE | SLI_TYPE_VARIANT,
                           sli_dtype_base(dtype));
}

static void mark_forward(driver_t *driver, bool *reached) {
  SLI_ARRAY(sli_node_t *) stack = {0};
  for (size_t i = 0; i < driver->request->x_count; i++) sli_array_push(&stack, driver->request->xs[i].node);
  while (stack.count) {
    sli_node_t *node = stack.items[--stack.count];
    if (reached[node->id]) continue;
    reached[node->id] = true;
    for (size_t i = 0; i < node->out_edges.count; i++) {
      const sli_graph_edge_t *edge = &node->out_edges.items[i];
      if (edge->index >= 0 && carries_gradient(node->def.output_types[edge->output]) &&
          !sli_backprop_crosses_iterations(driver, node))
        sli_array_push(&stack, edge->consumer);
    }
  }
  sli_array_deinitialize(&stack);
}

// The op whose gradient |node| has: its own, or the one that gradient_override_map has chosen in Python. NULL: unknown.
static const sli_op_def_t *gradient_op(const sli_node_t *node) {
  const sli_attr_t *other = sli_node_attr(&node->def, "_gradient_op_type");
  if (!other || other->kind != SLI_ATTR_STRING || other->is_list) return node->def.op->def;
  const sli_op_t *op = sli_op_find(other->s);
  return op ? op->def : NULL;
}

// Gradients reach such a node, but do not go on from it.
static void mark_stops(driver_t *driver) {
  for (size_t i = 0; i < driver->count; i++) {
    const sli_node_t *node = driver->graph->nodes.items[i];
    const sli_op_def_t *op = gradient_op(node);
    driver->states[i].stopped = op && op->not_differentiable && !sli_node_attr(&node->def, "_gradient_function");
  }
  for (size_t i = 0; i < driver->request->stop_count; i++)
    driver->states[driver->request->stops[i].node->id].stopped = true;
}

// Marks the nodes on a path, and counts the edges that will deliver gradients.
static void mark_paths(driver_t *driver, const bool *reached) {
  SLI_ARRAY(sli_node_t *) stack = {0};
  for (size_t i = 0; i < driver->request->y_count; i++) {
    sli_output_t y = driver->request->ys[i];
    if (reached[y.node->id] && carries_gradient(sli_graph_output_dtype(y))) sli_array_push(&stack, y.node);
  }
  while (stack.count) {
    sli_node_t *node = stack.items[--stack.count];
    state_t *state = &driver->states[node->id];
    if (state->on_path) continue;
    state->on_path = true;
    for (int i = 0; i < node->def.input_count && !state->stopped; i++) {
      sli_output_t input = node->inputs[i];
      if (!reached[input.node->id] || !carries_gradient(sli_graph_output_dtype(input)) ||
          sli_backprop_crosses_iterations(driver, input.node))
        continue;
      driver->states[input.node->id].pending++;
      sli_array_push(&stack, input.node);
    }
  }
  sli_array_deinitialize(&stack);
}

// --- Adding nodes --------------------------------------------------------------

static const char *emitted_name(driver_t *driver, const char *leaf) {
  sli_string_t name = {0};
  sli_string_append_text(&name, driver->prefix);
  if (driver->current && !driver->summing) sli_string_append_format(&name, "/%s_grad", driver->current->def.name);
  if (driver->summing && driver->request->pairwise)
    sli_string_append_format(&name, "/%s_gradient_sum", driver->current->def.name);
  sli_string_append_format(&name, "/%s", leaf);
  const char *unique = sli_graph_unique_name(driver->graph, name.data);
  sli_string_deinitialize(&name);
  return unique;
}

void sli_backprop_colocate(sli_node_t *node, const sli_node_t *forward) {
  if (*forward->def.device) sli_graph_set_device(node, forward->def.device);
  const sli_attr_t *group = sli_node_attr(&forward->def, "_class");
  if (group && group->is_list && group->kind == SLI_ATTR_STRING && group->count) {
    sli_graph_set_attr(node, "_class", group);
    return;
  }
  sli_string_t text = {0};
  sli_string_append_format(&text, "loc:@%s", forward->def.name);
  sli_view_t names[] = {sli_view(text.data)};
  sli_attr_t attr = {.kind = SLI_ATTR_STRING, .is_list = true, .count = 1};
  attr.list.s = names;
  sli_graph_set_attr(node, "_class", &attr);
  sli_string_deinitialize(&text);
}

// The producer of a handle that the node takes; NULL: it takes none. The placer puts the node on the device of what the
// handle names, such as a stack, wherever the forward op is.
static const sli_node_t *handle_producer(const sli_backprop_node_t *request) {
  if (!request->input_count || sli_graph_output_dtype(request->inputs[0]) != SLI_DTYPE_RESOURCE) return NULL;
  return request->inputs[0].node;
}

sli_node_t *sli_backprop_add_node(driver_t *driver, const sli_backprop_node_t *request) {
  if (driver->status) return NULL;
  sli_graph_node_t addition = {
      .op = request->op,
      .name = emitted_name(driver, request->leaf && *request->leaf ? request->leaf : request->op),
      .device = driver->request->device,
      .inputs = request->inputs,
      .input_count = request->input_count,
      .control_inputs = request->controls ? request->controls : &request->control,
      .control_input_count = request->controls  ? request->control_count
                             : request->control ? 1
                                                : 0,
      .attrs = request->attrs,
      .attr_count = request->attr_count,
      .infer = true,
  };
  sli_node_t *node = NULL;
  driver->status = sli_graph_add(driver->graph, &addition, &node);
  if (driver->status) return NULL;
  if (driver->loops.count) {
    sli_array_push(&driver->places, request->place);
    sli_array_push(&driver->guards, (sli_backprop_guard_t){0});
  }
  const sli_node_t *producer = handle_producer(request);
  if (driver->request->colocate && (producer || driver->current))
    sli_backprop_colocate(node, producer ? producer : driver->current);
  return node;
}

// In a loop, a node that would run before the iteration begins, or in no iteration, waits for the iteration's index.
static sli_node_t *control_here(const driver_t *driver, const sli_output_t *inputs, size_t input_count) {
  if (!driver->loop) return NULL;
  for (size_t i = 0; i < input_count; i++)
    if (!sli_backprop_is_constant_enter(inputs[i].node)) return NULL;
  return driver->loop->direct ? driver->base_pivot : driver->loop->backward_index;
}

sli_output_t sli_backprop_emit_here(driver_t *driver, const char *op, const char *leaf, const sli_output_t *inputs,
                                    size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  if (driver->status) return SLI_OUTPUT_NONE;
  sli_output_t *brought = sli_arena_calloc(&driver->scratch, input_count, sizeof(*brought));
  for (size_t i = 0; i < input_count; i++) brought[i] = sli_backprop_bring_into_loop(driver, inputs[i], driver->loop);
  if (driver->status) return SLI_OUTPUT_NONE;
  sli_node_t *node =
      sli_backprop_add_node(driver, &(sli_backprop_node_t){.op = op,
                                                           .leaf = leaf,
                                                           .inputs = brought,
                                                           .input_count = input_count,
                                                           .attrs = attrs,
                                                           .attr_count = attr_count,
                                                           .control = control_here(driver, brought, input_count),
                                                           .place = sli_backprop_place_in(driver->loop)});
  return node ? (sli_output_t){node, 0} : SLI_OUTPUT_NONE;
}

sli_output_t sli_backprop_const_here(driver_t *driver, const char *leaf, sli_tensor_t *value) {
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", (sli_dtype_t)value->dtype), SLI_ATTR_TENSOR_OF("value", value)};
  sli_output_t constant = sli_backprop_emit_here(driver, "Const", leaf, NULL, 0, attrs, SLI_ARRAY_COUNT_OF(attrs));
  sli_tensor_release(value);
  return constant;
}

sli_output_t sli_backprop_zero_here(driver_t *driver, sli_dtype_t dtype) {
  static const _Alignas(16) char zeros[16];
  if (!sli_types_contain(SLI_TYPES_NUMBER, dtype) && !driver->status)
    driver->status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Cannot make a zero gradient of type %s", sli_dtype_name(dtype));
  if (driver->status) return SLI_OUTPUT_NONE;
  return sli_backprop_const_here(driver, "zero", sli_tensor_scalar(dtype, zeros));
}

sli_output_t sli_backprop_zeros_here(driver_t *driver, sli_output_t like, sli_dtype_t dtype) {
  sli_output_t shape = sli_backprop_shape_here(driver, like, SLI_DTYPE_INT32);
  sli_output_t zero = sli_backprop_zero_here(driver, dtype);
  return sli_backprop_emit_here(driver, "Fill", "zeros", SLI_INPUTS(shape, zero), NULL, 0);
}

// --- What gradient functions call ------------------------------------------------

static sli_dtype_t shape_type(const sli_attr_entry_t *attrs, size_t attr_count) {
  for (size_t i = 0; i < attr_count; i++)
    if (strcmp(attrs[i].name, "out_type") == 0) return attrs[i].value.type;
  return SLI_DTYPE_INT32;
}

static bool in_loop(const driver_t *driver) { return driver->loop && !driver->loop->direct; }

static sli_output_t emit(sli_gradient_builder_t *builder, const char *op, const char *name, const sli_output_t *inputs,
                         size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  driver_t *driver = builder->user;
  if (builder->status) return SLI_OUTPUT_NONE;
  sli_output_t output;
  bool is_handle = input_count && sli_graph_output_dtype(inputs[0]) == SLI_DTYPE_RESOURCE;
  if (strcmp(op, "ZerosLike") == 0 && (in_loop(driver) || is_handle)) {
    sli_infer_handle_t *handle = &inputs[0].node->output_handles[inputs[0].index];
    output = sli_backprop_zeros_here(driver, inputs[0], is_handle ? handle->dtype : sli_graph_output_dtype(inputs[0]));
  } else if (strcmp(op, "Shape") == 0 && in_loop(driver)) {
    output = sli_backprop_shape_here(driver, inputs[0], shape_type(attrs, attr_count));
  } else {
    output = sli_backprop_emit_here(driver, op, name, inputs, input_count, attrs, attr_count);
  }
  builder->status = driver->status;
  driver->status = NULL;
  return output;
}

static const sli_node_def_t *node_def(sli_gradient_builder_t *builder, sli_node_t *node) { return &node->def; }

static sli_shape_t output_shape(sli_gradient_builder_t *builder, sli_output_t output) {
  return sli_graph_output_shape(output);
}

// |node| is named in errors.
static sli_gradient_builder_t make_builder(driver_t *driver, const sli_node_t *node) {
  return (sli_gradient_builder_t){.emit = emit,
                                  .def = node_def,
                                  .shape = output_shape,
                                  .user = driver,
                                  .node = &node->def,
                                  .prefix = driver->prefix};
}

// --- Sums ----------------------------------------------------------------------

// Joins several IndexedSlices into one with all rows. Their indices may be int32 or int64.
static sli_gradient_slices_t concatenate_slices(driver_t *driver, const sli_gradient_slices_t *parts, size_t count) {
  sli_output_t *values = sli_arena_calloc(&driver->scratch, count + 1, sizeof(*values));
  sli_output_t *indices = sli_arena_calloc(&driver->scratch, count + 1, sizeof(*indices));
  bool mixed = false;
  for (size_t i = 0; i < count; i++) {
    values[i] = parts[i].values;
    indices[i] = parts[i].indices;
    mixed |= sli_graph_output_dtype(indices[i]) != sli_graph_output_dtype(indices[0]);
  }
  sli_attr_entry_t number = SLI_ATTR_INT_OF("N", (int64_t)count), wide = SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_INT64);
  for (size_t i = 0; mixed && i < count; i++)
    if (sli_graph_output_dtype(indices[i]) != SLI_DTYPE_INT64)
      indices[i] = sli_backprop_emit_here(driver, "Cast", "Cast", &indices[i], 1, &wide, 1);
  values[count] = indices[count] = sli_backprop_const_here(driver, "concat/axis", sli_tensor_scalar_int32(0));
  return (sli_gradient_slices_t){
      .values = sli_backprop_emit_here(driver, "ConcatV2", "concat", values, count + 1, &number, 1),
      .indices = sli_backprop_emit_here(driver, "ConcatV2", "concat", indices, count + 1, &number, 1),
      .dense_shape = parts[0].dense_shape,
  };
}

sli_output_t sli_backprop_dense_here(driver_t *driver, const sli_gradient_slices_t *gradient) {
  if (driver->status) return SLI_OUTPUT_NONE;
  if (!gradient->indices.node) return gradient->values;
  sli_gradient_builder_t builder = make_builder(driver, driver->current ? driver->current : gradient->values.node);
  builder.output_gradients = gradient;
  sli_output_t dense = sli_gradient_of_output(&builder, 0);
  driver->status = builder.status;
  return dense;
}

// The sum of |dense|, which has at least two items. As in Python, the sum does not belong to the gradient of an op.
static sli_output_t sum(driver_t *driver, const sli_output_t *dense, size_t count) {
  sli_attr_entry_t number = SLI_ATTR_INT_OF("N", (int64_t)count), two = SLI_ATTR_INT_OF("N", 2);
  sli_output_t running = dense[0];
  driver->summing = true;
  if (!driver->request->pairwise) running = sli_backprop_emit_here(driver, "AddN", "AddN", dense, count, &number, 1);
  for (size_t i = 1; driver->request->pairwise && i < count; i++)
    running = sli_backprop_emit_here(driver, "AddN", "AddN", SLI_INPUTS(running, dense[i]), &two, 1);
  driver->summing = false;
  return running;
}

static sli_gradient_slices_t add_up(driver_t *driver, const sli_gradient_slices_t *parts, size_t count) {
  if (count == 0 || driver->status) return (sli_gradient_slices_t){.values = SLI_OUTPUT_NONE};
  if (count == 1) return parts[0];
  bool all_slices = true;
  for (size_t i = 0; i < count; i++) all_slices &= parts[i].indices.node != NULL;
  if (all_slices) return concatenate_slices(driver, parts, count);
  sli_output_t *dense = sli_arena_calloc(&driver->scratch, count, sizeof(*dense));
  for (size_t i = 0; i < count; i++) dense[i] = sli_backprop_dense_here(driver, &parts[i]);
  return (sli_gradient_slices_t){.values = sum(driver, dense, count)};
}

// --- The walk ------------------------------------------------------------------

void sli_backprop_add_gradient(driver_t *driver, sli_output_t output, sli_gradient_slices_t gradient) {
  state_t *state = &driver->states[output.node->id];
  if (!state->incoming) state->incoming = sli_calloc((size_t)output.node->def.output_count, sizeof(*state->incoming));
  sli_array_push(&state->incoming[output.index], gradient);
}

static void enqueue_if_ready(driver_t *driver, sli_node_t *node) {
  state_t *state = &driver->states[node->id];
  if (state->pending || state->queued || !state->on_path) return;
  state->queued = true;
  sli_array_push(&driver->ready, node);
}

void sli_backprop_edge_done(driver_t *driver, sli_node_t *node) {
  driver->states[node->id].pending--;
  enqueue_if_ready(driver, node);
}

// A gradient that the caller gave must have the type of y.
static sli_status_t *check_given(sli_output_t y, sli_output_t dy) {
  sli_dtype_t want = sli_dtype_base(sli_graph_output_dtype(y)), have = sli_dtype_base(sli_graph_output_dtype(dy));
  if (want == have || want == SLI_DTYPE_RESOURCE || want == SLI_DTYPE_VARIANT) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Gradient type %s generated for tensor %s:%d with type %s must be %s",
                         sli_dtype_name(have), y.node->def.name, y.index, sli_dtype_name(want), sli_dtype_name(want));
}

// The gradient of a y with respect to itself: the one that the caller gave, or ones.
static sli_output_t gradient_of_y(driver_t *driver, size_t index) {
  sli_output_t y = driver->request->ys[index];
  sli_output_t dy = driver->request->dys ? driver->request->dys[index] : SLI_OUTPUT_NONE;
  char name[64];
  snprintf(name, sizeof(name), "grad_ys_%zu", index);
  if (dy.node) {
    driver->status = check_given(y, dy);
    return sli_backprop_emit_here(driver, "Identity", name, &dy, 1, NULL, 0);
  }
  sli_dtype_t dtype = sli_dtype_base(sli_graph_output_dtype(y));
  if (sli_types_contain(SLI_TYPES_COMPLEX, dtype)) {
    driver->status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Gradients of complex tensors (%s:%d) must set grad_ys (y.dtype = %s)",
                        y.node->def.name, y.index, sli_dtype_name(dtype));
    return SLI_OUTPUT_NONE;
  }
  sli_gradient_builder_t builder = make_builder(driver, y.node);
  sli_output_t shape = SLI_EMIT(&builder, "Shape", SLI_INPUTS(y));
  sli_output_t one = sli_gradient_const_like(&builder, y, 1);
  driver->status = builder.status;
  return sli_backprop_emit_here(driver, "Fill", name, SLI_INPUTS(shape, one), NULL, 0);
}

static void start_at_ys(driver_t *driver) {
  for (size_t i = 0; i < driver->request->y_count && !driver->status; i++) {
    sli_output_t y = driver->request->ys[i];
    if (!driver->states[y.node->id].on_path || !carries_gradient(sli_graph_output_dtype(y))) continue;
    sli_output_t dy = gradient_of_y(driver, i);
    if (dy.node) sli_backprop_add_gradient(driver, y, (sli_gradient_slices_t){.values = dy});
  }
}

static sli_status_t *no_gradient(const sli_node_t *node) {
  return sli_status_make(
      SLI_INVALID_ARGUMENT,
      "No gradient defined for operation '%s' (op type: %s). In general every operation must have an "
      "associated gradient for correct autodiff, which this op is lacking. If you want to pretend "
      "this operation is a constant in your program, you may insert a StopGradient.",
      node->def.name, node->def.op->def->name);
}

// A function of the graph that the attribute _gradient_function names, in the place of the op's own gradient. It is
// called with the node's inputs and outputs, the gradients of the outputs, and the tensors that _gradient_captures
// names; it returns the gradients of the inputs of floating-point and complex types.
static sli_status_t *call_function(sli_gradient_builder_t *b, const sli_attr_t *function) {
  driver_t *driver = b->user;
  const sli_attr_t *captures = sli_node_attr(b->node, "_gradient_captures");
  size_t inputs = (size_t)b->node->input_count, outputs = (size_t)b->node->output_count, count = 0;
  size_t extra = captures && captures->is_list && captures->kind == SLI_ATTR_STRING ? captures->count : 0;
  sli_output_t *all = sli_arena_calloc(&driver->scratch, inputs + 2 * outputs + extra + 1, sizeof(*all));
  sli_dtype_t *types = sli_arena_calloc(&driver->scratch, 2 * (inputs + outputs) + extra + 1, sizeof(*types));
  for (size_t i = 0; i < inputs; i++) all[count++] = sli_gradient_input(b, (int)i);
  for (size_t i = 0; i < outputs; i++) all[count++] = sli_gradient_output(b, (int)i);
  for (size_t i = 0; i < outputs; i++) all[count++] = sli_gradient_of_output(b, (int)i);
  for (size_t i = 0; i < extra; i++)
    SLI_RETURN_IF_ERROR(sli_graph_find_output(driver->graph, captures->list.s[i], &all[count++]));
  for (size_t i = 0; i < count; i++) types[i] = sli_gradient_dtype(b, all[i]);
  sli_dtype_t *results = types + count;
  size_t result_count = 0;
  for (size_t i = 0; i < inputs; i++)
    if (sli_types_contain(SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, types[i])) results[result_count++] = types[i];
  sli_attr_t list = {.kind = SLI_ATTR_TYPE, .is_list = true, .count = count, .list.type = types};
  sli_attr_t result_list = {.kind = SLI_ATTR_TYPE, .is_list = true, .count = result_count, .list.type = results};
  sli_attr_entry_t attrs[] = {{"Tin", list}, {"Tout", result_list}, {"f", *function}};
  sli_output_t called = sli_gradient_emit(b, "StatefulPartitionedCall", all, count, attrs, 3);
  for (size_t i = 0, at = 0; i < inputs; i++)
    if (sli_types_contain(SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, types[i]))
      sli_gradient_set(b, (int)i, sli_output_at(called, (int)at++));
  return NULL;
}

static void call_gradient(driver_t *driver, sli_node_t *node, sli_gradient_slices_t *gradients) {
  const sli_attr_t *function = sli_node_attr(&node->def, "_gradient_function");
  bool is_own = function && function->kind == SLI_ATTR_FUNC && !function->is_list;
  const sli_op_def_t *op = gradient_op(node);
  sli_gradient_fn_t gradient = op ? op->gradient : NULL;
  if (op && op->is_function) gradient = sli_op_find(sli_view("PartitionedCall"))->def->gradient;
  if (!gradient && !is_own) {
    driver->status = no_gradient(node);
    return;
  }
  sli_gradient_builder_t builder = make_builder(driver, node);
  builder.graph_node = node;
  builder.inputs = node->inputs;
  builder.output_gradients = driver->states[node->id].total;
  builder.input_gradients = gradients;
  sli_status_t *status = is_own ? call_function(&builder, function) : gradient(&builder);
  driver->status = sli_status_join(builder.status, status);
}

// A gradient must have its input's shape, and be in the loop in which the gradient function was called.
static sli_status_t *check_gradient(driver_t *driver, const sli_node_t *node, int index,
                                    sli_gradient_slices_t *gradient) {
  sli_output_t *parts[] = {&gradient->values, &gradient->indices, &gradient->dense_shape};
  bool entered = sli_backprop_is_enter(node);
  for (int i = 0; i < 3; i++)
    if (parts[i]->node && !entered) *parts[i] = sli_backprop_bring_into_loop(driver, *parts[i], driver->loop);
  sli_output_t input = node->inputs[index];
  if (driver->status || gradient->indices.node || sli_graph_output_dtype(input) == SLI_DTYPE_RESOURCE) return NULL;
  sli_status_t *status = sli_graph_merge_shape(driver->graph, gradient->values, sli_graph_output_shape(input));
  if (!status) return NULL;
  sli_status_release(status);
  sli_string_t text = {0};
  sli_string_append_format(&text, "Forward operation: %s. Input index: %d. Original input shape: ", node->def.name,
                           index);
  sli_shape_append(&text, sli_graph_output_shape(input));
  sli_string_append_text(&text, ". Calculated input gradient shape: ");
  sli_shape_append(&text, sli_graph_output_shape(gradient->values));
  status = sli_status_make(SLI_INVALID_ARGUMENT,
                           "Incompatible shapes between op input and calculated input gradient. %s", text.data);
  sli_string_deinitialize(&text);
  return status;
}

static bool takes_gradient(const driver_t *driver, sli_output_t input) {
  return driver->states[input.node->id].on_path && carries_gradient(sli_graph_output_dtype(input));
}

// Lets each gradient of |node|'s inputs wait for the others. An op that then updates a variable by one of them cannot
// disturb another one that still reads the variable.
static void gate(driver_t *driver, const sli_node_t *node, sli_gradient_slices_t *gradients) {
  size_t inputs = (size_t)node->def.input_count, count = 0;
  sli_node_t **ready = sli_arena_calloc(&driver->scratch, inputs, sizeof(*ready));
  for (size_t i = 0; i < inputs; i++) {
    sli_node_t *own = takes_gradient(driver, node->inputs[i]) ? gradients[i].values.node : NULL;
    for (size_t j = 0; j < count && own; j++)
      if (ready[j] == own) own = NULL;
    if (own) ready[count++] = own;
  }
  if (count < 2) return;
  sli_backprop_place_t place = sli_backprop_place_in(driver->loop);
  sli_backprop_node_t group = {
      .op = "NoOp", .leaf = "tuple/group_deps", .controls = ready, .control_count = count, .place = place};
  sli_node_t *all = sli_backprop_add_node(driver, &group);
  for (size_t i = 0; i < inputs && !driver->status; i++) {
    if (!takes_gradient(driver, node->inputs[i]) || !gradients[i].values.node) continue;
    sli_backprop_node_t gated = {.op = "Identity",
                                 .leaf = "tuple/control_dependency",
                                 .inputs = &gradients[i].values,
                                 .input_count = 1,
                                 .control = all,
                                 .place = place};
    gradients[i].values = (sli_output_t){sli_backprop_add_node(driver, &gated), 0};
  }
}

// Sums the gradients that flow into |node| and passes its inputs theirs.
static void differentiate(driver_t *driver, sli_node_t *node) {
  state_t *state = &driver->states[node->id];
  size_t outputs = (size_t)node->def.output_count, inputs = (size_t)node->def.input_count;
  state->total = sli_arena_calloc(&driver->scratch, outputs, sizeof(*state->total));
  driver->current = node;
  driver->loop = sli_backprop_gradient_loop(driver, node);
  bool flows = false, wanted = false;
  for (size_t i = 0; i < outputs && state->incoming; i++) {
    state->total[i] = add_up(driver, state->incoming[i].items, state->incoming[i].count);
    flows |= state->total[i].values.node != NULL;
  }
  if (state->stopped || driver->status) return;
  for (size_t i = 0; i < inputs; i++) wanted |= driver->states[node->inputs[i].node->id].on_path;

  sli_gradient_slices_t *gradients = sli_arena_calloc(&driver->scratch, inputs, sizeof(*gradients));
  bool is_exit = sli_backprop_is_exit(node);
  if (!sli_backprop_loop_node(driver, node, gradients) && flows && wanted) call_gradient(driver, node, gradients);
  for (size_t i = 0; i < inputs && !is_exit && !driver->status; i++)
    if (gradients[i].values.node && takes_gradient(driver, node->inputs[i]))
      driver->status = check_gradient(driver, node, (int)i, &gradients[i]);
  if (driver->request->gate && !driver->loop && !is_exit && !driver->status) gate(driver, node, gradients);
  for (size_t i = 0; i < inputs && !is_exit && !driver->status; i++) {
    sli_output_t input = node->inputs[i];
    if (!takes_gradient(driver, input)) continue;
    if (gradients[i].values.node) sli_backprop_add_gradient(driver, input, gradients[i]);
    sli_backprop_edge_done(driver, input.node);
  }
  driver->status = sli_status_append(driver->status, " (gradient of '%s')", node->def.name);
}

static void walk(driver_t *driver) {
  for (size_t i = 0; i < driver->request->y_count; i++) enqueue_if_ready(driver, driver->request->ys[i].node);
  for (size_t next = 0; next < driver->ready.count && !driver->status; next++)
    differentiate(driver, driver->ready.items[next]);
  driver->current = NULL;
  for (size_t i = 0; i < driver->count && !driver->status; i++)
    if (driver->states[i].on_path && !driver->states[i].queued)
      driver->status = sli_status_make(SLI_INVALID_ARGUMENT,
                                       "Gradients cannot pass node '%s': it is in a cycle that is not a while loop",
                                       driver->graph->nodes.items[i]->def.name);
}

// --- The call --------------------------------------------------------------------

static sli_status_t *check_outputs(const sli_graph_t *graph, const sli_output_t *outputs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const sli_node_t *node = outputs[i].node;
    if (!node || node->graph != graph || outputs[i].index < 0 || outputs[i].index >= node->def.output_count)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Gradients: an output does not exist in the graph");
  }
  return NULL;
}

static sli_status_t *check_request(const sli_graph_t *graph, const sli_gradients_request_t *request) {
  SLI_RETURN_IF_ERROR(check_outputs(graph, request->xs, request->x_count));
  SLI_RETURN_IF_ERROR(check_outputs(graph, request->ys, request->y_count));
  SLI_RETURN_IF_ERROR(check_outputs(graph, request->stops, request->stop_count));
  for (size_t i = 0; request->dys && i < request->y_count; i++)
    if (request->dys[i].node) SLI_RETURN_IF_ERROR(check_outputs(graph, &request->dys[i], 1));
  return NULL;
}

const char *sli_gradients_find_node_under(const sli_graph_t *graph, const char *prefix) {
  size_t length = strlen(prefix);
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const char *name = graph->nodes.items[i]->def.name;
    if (strncmp(name, prefix, length) == 0 && (!name[length] || name[length] == '/')) return name;
  }
  return NULL;
}

char *sli_gradients_unused_prefix(const sli_graph_t *graph, const char *wanted) {
  char *prefix = sli_strdup(wanted);
  for (int number = 1; sli_gradients_find_node_under(graph, prefix); number++) {
    free(prefix);
    prefix = sli_format("%s_%d", wanted, number);
  }
  return prefix;
}

static void driver_deinitialize(driver_t *driver) {
  for (size_t i = 0; i < driver->count; i++) {
    state_t *state = &driver->states[i];
    for (int k = 0; state->incoming && k < driver->graph->nodes.items[i]->def.output_count; k++)
      sli_array_deinitialize(&state->incoming[k]);
    free(state->incoming);
  }
  free(driver->states);
  sli_backprop_loops_deinitialize(driver);
  sli_array_deinitialize(&driver->ready);
  sli_arena_deinitialize(&driver->scratch);
}

sli_status_t *sli_gradients_add(sli_graph_t *graph, const sli_gradients_request_t *request,
                                sli_gradient_slices_t *out_dxs) {
  memset(out_dxs, 0, request->x_count * sizeof(*out_dxs));
  SLI_RETURN_IF_ERROR(check_request(graph, request));
  driver_t driver = {.graph = graph, .request = request, .count = graph->nodes.count};
  char *prefix = sli_gradients_unused_prefix(graph, request->name ? request->name : "gradients");
  driver.prefix = sli_arena_strndup(&driver.scratch, prefix, strlen(prefix));
  free(prefix);
  driver.states = sli_calloc(driver.count, sizeof(*driver.states));
  bool *reached = sli_calloc(driver.count, sizeof(*reached));
  driver.status = sli_backprop_loops_find(&driver);
  mark_stops(&driver);
  mark_forward(&driver, reached);
  mark_paths(&driver, reached);
  free(reached);

  sli_backprop_count_exits(&driver);
  start_at_ys(&driver);
  walk(&driver);
  for (size_t i = 0; i < request->x_count && !driver.status; i++) {
    state_t *state = &driver.states[request->xs[i].node->id];
    if (state->total) out_dxs[i] = state->total[request->xs[i].index];
  }
  if (driver.status) sli_graph_truncate(graph, driver.count);
  driver_deinitialize(&driver);
  return driver.status;
}
