#include "graph/gradients.h"

#include <stdlib.h>

// A node is differentiated once all gradients that flow into it are known:
// |pending| counts its edges to consumers on a path from an x to a y.
typedef struct {
  bool on_path, queued;
  int pending;
  SLI_ARRAY(sli_indexed_slices_t) * incoming;  // per output: the gradients to sum up
  sli_indexed_slices_t *total;                 // per output: their sum, once it is known
} state_t;

typedef struct {
  sli_graph_t *graph;
  const sli_gradients_request_t *request;
  const char *prefix;
  state_t *states;
  size_t count;  // nodes before we began
  SLI_ARRAY(sli_node_t *) ready;
  const sli_node_t *current;  // being differentiated; NULL: at the ends
  sli_arena_t scratch;
} driver_t;

// --- Which nodes lie between -------------------------------------------------

static bool carries_gradient(sli_dtype_t dtype) {
  return sli_types_contain(SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPE_RESOURCE | SLI_TYPE_VARIANT,
                           sli_dtype_base(dtype));
}

static bool is_stopped(const driver_t *driver, sli_output_t output) {
  for (size_t i = 0; i < driver->request->stop_count; i++)
    if (sli_output_equal(driver->request->stops[i], output)) return true;
  return false;
}

static void mark_forward(driver_t *driver, bool *reached) {
  SLI_ARRAY(sli_node_t *) stack = {0};
  for (size_t i = 0; i < driver->request->x_count; i++) sli_array_push(&stack, driver->request->xs[i].node);
  while (stack.count) {
    sli_node_t *node = stack.items[--stack.count];
    if (reached[node->id]) continue;
    reached[node->id] = true;
    for (size_t i = 0; i < node->out_edges.count; i++)
      if (node->out_edges.items[i].index >= 0) sli_array_push(&stack, node->out_edges.items[i].consumer);
  }
  sli_array_deinitialize(&stack);
}

static bool flows_back(const driver_t *driver, sli_output_t input, const bool *reached) {
  return reached[input.node->id] && carries_gradient(sli_output_dtype(input)) && !is_stopped(driver, input);
}

// Marks what lies on a path, and counts the edges that will bring gradients.
static void mark_paths(driver_t *driver, const bool *reached) {
  SLI_ARRAY(sli_node_t *) stack = {0};
  for (size_t i = 0; i < driver->request->y_count; i++) {
    sli_node_t *node = driver->request->ys[i].node;
    if (reached[node->id]) sli_array_push(&stack, node);
  }
  while (stack.count) {
    sli_node_t *node = stack.items[--stack.count];
    if (driver->states[node->id].on_path) continue;
    driver->states[node->id].on_path = true;
    for (int i = 0; i < node->def.input_count; i++) {
      if (!flows_back(driver, node->inputs[i], reached)) continue;
      driver->states[node->inputs[i].node->id].pending++;
      sli_array_push(&stack, node->inputs[i].node);
    }
  }
  sli_array_deinitialize(&stack);
}

// --- Emitting nodes ----------------------------------------------------------

static const char *emitted_name(driver_t *driver, const char *leaf) {
  sli_string_t name = {0};
  sli_string_append_text(&name, driver->prefix);
  if (driver->current) sli_string_append_format(&name, "/%s_grad", driver->current->def.name);
  sli_string_append_format(&name, "/%s", leaf);
  const char *unique = sli_graph_unique_name(driver->graph, name.data);
  sli_string_deinitialize(&name);
  return unique;
}

// Beside the forward op, in its colocation group or founding one.
static void colocate(sli_node_t *node, const sli_node_t *forward) {
  const sli_attr_t *group = sli_node_attr(&forward->def, "_class");
  if (group && group->is_list && group->count) {
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

static sli_output_t emit(sli_gradient_builder_t *builder, const char *op, const char *name, const sli_output_t *inputs,
                         size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  driver_t *driver = builder->user;
  if (builder->status) return SLI_NO_OUTPUT;
  sli_graph_node_t request = {
      .op = op,
      .name = emitted_name(driver, name && *name ? name : op),
      .inputs = inputs,
      .input_count = input_count,
      .attrs = attrs,
      .attr_count = attr_count,
      .infer = true,
  };
  sli_node_t *node = NULL;
  for (size_t i = 0; i < input_count && !builder->status; i++)
    if (!inputs[i].node)
      builder->status = sli_status_make(SLI_INTERNAL, "Gradient of '%s' feeds nothing into input %zu of %s",
                                        builder->node ? builder->node->name : "the result", i, op);
  if (!builder->status) builder->status = sli_graph_add(driver->graph, &request, &node);
  if (builder->status) return SLI_NO_OUTPUT;
  if (driver->request->colocate && driver->current) colocate(node, driver->current);
  return (sli_output_t){node, 0};
}

static const sli_node_def_t *node_def(sli_gradient_builder_t *builder, sli_node_t *node) { return &node->def; }

static sli_shape_t output_shape(sli_gradient_builder_t *builder, sli_output_t output) {
  return sli_output_shape(output);
}

static sli_gradient_builder_t make_builder(driver_t *driver) {
  return (sli_gradient_builder_t){.emit = emit, .def = node_def, .shape = output_shape, .user = driver};
}

// --- Sums ----------------------------------------------------------------------

// Several IndexedSlices are one with all rows.
static sli_indexed_slices_t concatenate_slices(sli_gradient_builder_t *builder, const sli_indexed_slices_t *parts,
                                               size_t count) {
  driver_t *driver = builder->user;
  sli_output_t *values = sli_arena_calloc(&driver->scratch, count + 1, sizeof(*values));
  sli_output_t *indices = sli_arena_calloc(&driver->scratch, count + 1, sizeof(*indices));
  for (size_t i = 0; i < count; i++) {
    values[i] = parts[i].values;
    indices[i] = parts[i].indices;
  }
  values[count] = indices[count] = sli_gradient_const_int32(builder, 0);
  sli_attr_entry_t number = SLI_ATTR_INT_OF("N", (int64_t)count);
  return (sli_indexed_slices_t){
      .values = emit(builder, "ConcatV2", "concat", values, count + 1, &number, 1),
      .indices = emit(builder, "ConcatV2", "concat", indices, count + 1, &number, 1),
      .dense_shape = parts[0].dense_shape,
  };
}

static sli_output_t densify(sli_gradient_builder_t *builder, const sli_indexed_slices_t *gradient) {
  if (!gradient->indices.node) return gradient->values;
  sli_gradient_builder_t one = *builder;
  one.output_gradients = gradient;
  sli_output_t dense = sli_gradient_of_output(&one, 0);
  builder->status = one.status;
  return dense;
}

static sli_indexed_slices_t add_up(sli_gradient_builder_t *builder, const sli_indexed_slices_t *parts, size_t count) {
  driver_t *driver = builder->user;
  if (count == 0) return (sli_indexed_slices_t){.values = SLI_NO_OUTPUT};
  if (count == 1) return parts[0];
  bool all_slices = true;
  for (size_t i = 0; i < count; i++) all_slices &= parts[i].indices.node != NULL;
  if (all_slices) return concatenate_slices(builder, parts, count);
  sli_output_t *dense = sli_arena_calloc(&driver->scratch, count, sizeof(*dense));
  for (size_t i = 0; i < count; i++) dense[i] = densify(builder, &parts[i]);
  sli_attr_entry_t number = SLI_ATTR_INT_OF("N", (int64_t)count);
  return (sli_indexed_slices_t){.values = emit(builder, "AddN", "AddN", dense, count, &number, 1)};
}

// --- The walk ------------------------------------------------------------------

static void add_incoming(driver_t *driver, sli_output_t output, sli_indexed_slices_t gradient) {
  state_t *state = &driver->states[output.node->id];
  if (!state->incoming)
    state->incoming = sli_calloc((size_t)output.node->def.output_count, sizeof(*state->incoming));
  sli_array_push(&state->incoming[output.index], gradient);
}

static void enqueue_if_ready(driver_t *driver, sli_node_t *node) {
  state_t *state = &driver->states[node->id];
  if (state->pending || state->queued || !state->on_path) return;
  state->queued = true;
  sli_array_push(&driver->ready, node);
}

// The gradient of each y with respect to itself: what the caller gave, or ones.
static sli_status_t *start_at_ys(driver_t *driver) {
  sli_gradient_builder_t builder = make_builder(driver);
  for (size_t i = 0; i < driver->request->y_count && !builder.status; i++) {
    sli_output_t y = driver->request->ys[i];
    if (!driver->states[y.node->id].on_path) continue;
    if (!carries_gradient(sli_output_dtype(y))) {
      builder.status = sli_status_make(SLI_INVALID_ARGUMENT, "Gradients of %s:%d cannot be computed: its type is %s",
                                       y.node->def.name, y.index, sli_dtype_name(sli_output_dtype(y)));
      break;
    }
    sli_output_t dy = driver->request->dys ? driver->request->dys[i] : SLI_NO_OUTPUT;
    if (!dy.node) {
      sli_output_t shape = SLI_EMIT(&builder, "Shape", SLI_INPUTS(y));
      dy = SLI_EMIT(&builder, "Fill", SLI_INPUTS(shape, sli_gradient_const_like(&builder, y, 1)));
    }
    add_incoming(driver, y, (sli_indexed_slices_t){.values = dy});
  }
  return builder.status;
}

static sli_status_t *no_gradient(const sli_node_t *node) {
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "No gradient defined for operation '%s' (op type: %s). In general every operation must have an "
                         "associated gradient for correct autodiff, which this op is lacking.",
                         node->def.name, node->def.op->def->name);
}

// Sums what flows into |node| and hands its inputs theirs.
static sli_status_t *differentiate(driver_t *driver, sli_node_t *node) {
  state_t *state = &driver->states[node->id];
  sli_gradient_builder_t builder = make_builder(driver);
  size_t outputs = (size_t)node->def.output_count, inputs = (size_t)node->def.input_count;
  state->total = sli_arena_calloc(&driver->scratch, outputs, sizeof(*state->total));
  driver->current = node;
  bool any = false;
  for (size_t i = 0; i < outputs && state->incoming; i++) {
    state->total[i] = add_up(&builder, state->incoming[i].items, state->incoming[i].count);
    any |= state->total[i].values.node != NULL;
  }
  bool wanted = false;
  for (size_t i = 0; i < inputs; i++) wanted |= driver->states[node->inputs[i].node->id].on_path;

  sli_indexed_slices_t *gradients = sli_arena_calloc(&driver->scratch, inputs, sizeof(*gradients));
  const sli_op_def_t *op = node->def.op->def;
  if (any && wanted && !builder.status && !op->not_differentiable) {
    if (!op->gradient) return no_gradient(node);
    builder.node = &node->def;
    builder.graph_node = node;
    builder.inputs = node->inputs;
    builder.output_gradients = state->total;
    builder.input_gradients = gradients;
    sli_status_t *status = op->gradient(&builder);
    builder.status = sli_status_join(builder.status, status);
  }
  driver->current = NULL;
  if (builder.status) return sli_status_append(builder.status, " (gradient of '%s')", node->def.name);

  for (size_t i = 0; i < inputs; i++) {
    sli_output_t input = node->inputs[i];
    state_t *source = &driver->states[input.node->id];
    if (!source->on_path || !carries_gradient(sli_output_dtype(input)) || is_stopped(driver, input)) continue;
    if (gradients[i].values.node) add_incoming(driver, input, gradients[i]);
    source->pending--;
    enqueue_if_ready(driver, input.node);
  }
  return NULL;
}

static sli_status_t *walk(driver_t *driver) {
  for (size_t i = 0; i < driver->request->y_count; i++) enqueue_if_ready(driver, driver->request->ys[i].node);
  for (size_t next = 0; next < driver->ready.count; next++)
    SLI_RETURN_IF_ERROR(differentiate(driver, driver->ready.items[next]));
  for (size_t i = 0; i < driver->count; i++)
    if (driver->states[i].on_path && !driver->states[i].queued)
      return sli_status_make(SLI_UNIMPLEMENTED, "Gradients through the while loop around '%s' are not available yet",
                             driver->graph->nodes.items[i]->def.name);
  return NULL;
}

static sli_status_t *check_request(const sli_gradients_request_t *request) {
  for (size_t i = 0; i < request->x_count + request->y_count; i++) {
    sli_output_t output = i < request->x_count ? request->xs[i] : request->ys[i - request->x_count];
    if (!output.node || output.index < 0 || output.index >= output.node->def.output_count)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Gradients: an output that does not exist was given");
  }
  return NULL;
}

sli_status_t *sli_graph_add_gradients(sli_graph_t *graph, const sli_gradients_request_t *request,
                                      sli_indexed_slices_t *out_dxs) {
  memset(out_dxs, 0, request->x_count * sizeof(*out_dxs));
  SLI_RETURN_IF_ERROR(check_request(request));
  size_t before = graph->nodes.count;
  driver_t driver = {.graph = graph, .request = request, .count = before};
  driver.prefix = sli_graph_unique_name(graph, request->name ? request->name : "gradients");
  driver.states = sli_calloc(before, sizeof(*driver.states));
  bool *reached = sli_calloc(before, sizeof(*reached));
  mark_forward(&driver, reached);
  mark_paths(&driver, reached);
  free(reached);

  sli_status_t *status = start_at_ys(&driver);
  if (!status) status = walk(&driver);
  for (size_t i = 0; i < request->x_count && !status; i++) {
    state_t *state = &driver.states[request->xs[i].node->id];
    if (state->total) out_dxs[i] = state->total[request->xs[i].index];
  }
  if (status) sli_graph_truncate(graph, before);
  for (size_t i = 0; i < before; i++) {
    state_t *state = &driver.states[i];
    for (int k = 0; state->incoming && k < graph->nodes.items[i]->def.output_count; k++)
      sli_array_deinitialize(&state->incoming[k]);
    free(state->incoming);
  }
  free(driver.states);
  sli_array_deinitialize(&driver.ready);
  sli_arena_deinitialize(&driver.scratch);
  return status;
}
