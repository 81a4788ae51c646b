#include "graph/function/function_inline.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/step/device.h"
#include "graph/function/function_inline_internal.h"
#include "graph/graph_rewrite.h"

enum {
  MOST_NODES = 200000,  // bodies within bodies may double at each level: beyond this many added nodes, calls stay
  DEEPEST = 256,
};

// The functions whose bodies a node comes from, innermost first.
typedef struct origin origin_t;
struct origin {
  const origin_t *outer;
  sli_view_t name;
  int depth;
};

typedef struct {
  sli_graph_t *graph;
  const sli_function_inline_options_t *options;
  size_t first;
  bool has_flow;  // the graph has loops or branches
  sli_arena_t arena;
  SLI_ARRAY(const origin_t *) origins;  // by position after |first|
} inliner_t;

// A body that is copied to the place of a call.
typedef struct {
  sli_node_t *caller;
  const sli_function_body_t *body;
  sli_node_t **copies;   // by id in the body; NULL: an argument
  int *argument_of;      // by id in the body: which argument the node is; -1: none
  sli_output_t *inputs;  // what the arguments become
  sli_node_t *begin;     // runs when the call may; NULL: at any time
  bool *must_run;        // by id in the body: what a call runs besides what its results need
  int first_input;       // of the call that is an argument
  bool is_multi_device;
  bool may_be_in_flow;       // the graph has loops or branches
  const char *device_text;   // of the caller, or where a RemoteCall runs
  sli_device_name_t device;  // the same, parsed
  bool has_device;
} copy_t;

// --- Small steps --------------------------------------------------------------------

static bool flag_of(const sli_node_t *node, const char *name) {
  const sli_attr_t *attr = sli_node_attr(&node->def, name);
  return attr && attr->kind == SLI_ATTR_BOOL && !attr->is_list && attr->b;
}

sli_status_t *sli_function_inline_add(sli_node_t *owner, const sli_function_inline_node_t *request,
                                      sli_node_t **out_node) {
  char *base = sli_format("%s/%s", owner->def.name, request->infix);
  sli_graph_node_t node = {.op = request->op,
                           .name = sli_graph_unique_name(owner->graph, base),
                           .device = request->device ? request->device : owner->def.device,
                           .inputs = request->inputs,
                           .input_count = request->input_count,
                           .control_inputs = request->controls,
                           .control_input_count = request->control_count,
                           .attrs = request->attrs,
                           .attr_count = request->attr_count,
                           .infer = true};
  sli_status_t *status = sli_graph_add(owner->graph, &node, out_node);
  free(base);
  return status;
}

static sli_status_t *become(sli_node_t *node, const sli_output_t *outputs, sli_node_t *done) {
  sli_graph_node_t request = {.op = "NoOp", .control_inputs = &done, .control_input_count = done ? 1 : 0};
  size_t count = (size_t)node->def.output_count;
  sli_dtype_t *types = sli_calloc(count + 1, sizeof(*types));
  for (size_t i = 0; i < count; i++) types[i] = node->def.output_types[i];
  sli_attr_entry_t attrs[] = {
      {"T", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = count, .list.type = types}},
      SLI_ATTR_BOOL_OF(SLI_FUNCTION_INLINE_KEPT, true),
  };
  if (count) {
    request.op = "IdentityN";
    request.inputs = outputs;
    request.input_count = count;
    request.attrs = attrs;
    request.attr_count = SLI_ARRAY_COUNT_OF(attrs);
  }
  sli_status_t *status = sli_graph_replace_op(node, &request);
  free(types);
  return status;
}

sli_status_t *sli_function_inline_replace(sli_node_t *node, const sli_output_t *outputs, sli_node_t *done) {
  SLI_RETURN_IF_ERROR(sli_graph_move_data_edges(node, outputs));
  if (done) sli_graph_move_control_edges(node, done);
  return become(node, outputs, done);
}

// --- Copying a body -----------------------------------------------------------------

// The device of a node of the body: its own, with the parts that only the caller's has.
static char *device_of(const copy_t *copy, const sli_node_t *node) {
  sli_device_name_t own, merged = copy->device;
  if (!copy->has_device) return sli_strdup(node->def.device);
  if (!copy->is_multi_device || !*node->def.device) return sli_strdup(copy->device_text);
  if (!sli_device_name_parse(sli_view(node->def.device), &own)) return sli_strdup(node->def.device);
  if (own.has_job) merged.has_job = true, merged.job = own.job;
  if (own.has_replica) merged.has_replica = true, merged.replica = own.replica;
  if (own.has_task) merged.has_task = true, merged.task = own.task;
  if (own.has_type) merged.has_type = true, merged.type = own.type;
  if (own.has_id) merged.has_id = true, merged.id = own.id;
  sli_string_t text = {0};
  sli_device_name_append(&text, &merged);
  return sli_string_take(&text);
}

static sli_view_t prefixed(sli_arena_t *arena, const copy_t *copy, const char *before, sli_view_t name) {
  size_t size = strlen(before) + strlen(copy->caller->def.name) + 1 + name.size;
  char *text = sli_arena_allocate(arena, size + 1);
  snprintf(text, size + 1, "%s%s/%.*s", before, copy->caller->def.name, SLI_VIEW_ARG(name));
  return sli_view_of(text, size);
}

// The attributes of the copy: names of other nodes and of loops are under the caller's name.
static sli_attr_entry_t *attrs_of(const copy_t *copy, const sli_node_t *node, sli_arena_t *arena) {
  sli_attr_entry_t *attrs = sli_arena_calloc(arena, node->def.attr_count, sizeof(*attrs));
  for (size_t i = 0; i < node->def.attr_count; i++) {
    attrs[i] = node->def.attrs[i];
    sli_attr_t *value = &attrs[i].value;
    if (!strcmp(attrs[i].name, "_class") && value->is_list && value->kind == SLI_ATTR_STRING) {
      sli_view_t *names = sli_arena_calloc(arena, value->count, sizeof(*names));
      for (size_t k = 0; k < value->count; k++) {
        names[k] = value->list.s[k];
        if (sli_view_starts_with(names[k], "loc:@"))
          names[k] = prefixed(arena, copy, "loc:@", sli_view_of(names[k].data + 5, names[k].size - 5));
      }
      value->list.s = names;
    }
    bool enters = sli_graph_control_flow(node) == SLI_OP_CONTROL_FLOW_ENTER;
    if (enters && !strcmp(attrs[i].name, "frame_name") && value->kind == SLI_ATTR_STRING && !value->is_list)
      value->s = prefixed(arena, copy, "", value->s);
  }
  return attrs;
}

// Where an output of the body is in the graph; node NULL: not copied yet (a back edge).
static sli_output_t copied(const copy_t *copy, sli_output_t output) {
  int argument = copy->argument_of[output.node->id];
  if (argument >= 0) return copy->inputs[argument];
  return (sli_output_t){copy->copies[output.node->id], output.index};
}

static bool is_call(const sli_node_t *node) {
  if (node->def.op->def->is_function) return true;
  for (size_t i = 0; i < node->def.attr_count; i++)
    if (node->def.attrs[i].value.kind == SLI_ATTR_FUNC) return true;
  return false;
}

static sli_status_t *copy_node(copy_t *copy, const sli_node_t *node) {
  sli_arena_t arena = {0};
  sli_graph_t *graph = copy->caller->graph;
  sli_output_t *inputs = sli_arena_calloc(&arena, (size_t)node->def.input_count, sizeof(*inputs));
  for (int i = 0; i < node->def.input_count; i++) {
    inputs[i] = copied(copy, node->inputs[i]);
    if (!inputs[i].node) inputs[i] = inputs[0];  // a back edge, connected later
  }
  SLI_ARRAY(sli_node_t *) controls = {0};
  for (int i = 0; i < node->control_input_count; i++) {
    sli_array_push(&controls, copied(copy, (sli_output_t){node->control_inputs[i], 0}).node);
  }
  // A node that waits for nothing must wait for the call's own turn; so must what a nested call will become.
  bool has_inputs = node->def.input_count || node->control_input_count;
  if (copy->begin && (!has_inputs || is_call(node))) sli_array_push(&controls, copy->begin);
  char *device = device_of(copy, node), *name = sli_format("%s/%s", copy->caller->def.name, node->def.name);
  sli_graph_node_t request = {.op = node->def.op->def->name,
                              .name = sli_graph_unique_name(graph, name),
                              .device = device,
                              .inputs = inputs,
                              .input_count = (size_t)node->def.input_count,
                              .control_inputs = controls.items,
                              .control_input_count = controls.count,
                              .attrs = attrs_of(copy, node, &arena),
                              .attr_count = node->def.attr_count};
  sli_status_t *status = sli_graph_add(graph, &request, &copy->copies[node->id]);
  free(device);
  free(name);
  sli_array_deinitialize(&controls);
  sli_arena_deinitialize(&arena);
  return status;
}

static sli_status_t *connect_back_edges(copy_t *copy) {
  const sli_graph_t *graph = copy->body->graph;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_node_t *node = graph->nodes.items[i];
    for (int k = 0; k < node->def.input_count; k++)
      if (sli_graph_control_flow(node->inputs[k].node) == SLI_OP_CONTROL_FLOW_NEXT_ITERATION && copy->copies[i])
        SLI_RETURN_IF_ERROR(sli_graph_set_input(copy->copies[i], k, copied(copy, node->inputs[k])));
  }
  return NULL;
}

static sli_status_t *copy_nodes(copy_t *copy) {
  const sli_graph_t *graph = copy->body->graph;
  int *order = sli_calloc(graph->nodes.count + 1, sizeof(*order));
  sli_status_t *status = sli_graph_topological_order(graph, order);
  for (size_t i = 0; i < graph->nodes.count && !status; i++) {
    const sli_node_t *node = graph->nodes.items[order[i]];
    if (copy->argument_of[node->id] < 0) status = copy_node(copy, node);
  }
  free(order);
  return status ? status : connect_back_edges(copy);
}

// --- Inputs and outputs of a call -----------------------------------------------------

static bool has_state(const sli_graph_t *graph) {
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_op_def_t *op = graph->nodes.items[i]->def.op->def;
    if (op->is_stateful && !op->is_placeholder) return true;
  }
  return false;
}

// Whether some node of the body has no inputs, so that nothing would tell it whether, and in which iteration, it runs.
static bool has_sources(const copy_t *copy) {
  const sli_graph_t *graph = copy->body->graph;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_node_t *node = graph->nodes.items[i];
    if (!node->def.input_count && !node->control_input_count && copy->argument_of[i] < 0) return true;
  }
  return false;
}

typedef SLI_ARRAY(sli_node_t *) nodes_t;

// A node that runs if and when the value is there. A control edge from a Switch would tell nothing of its outputs.
static sli_status_t *add_arrival(copy_t *copy, const sli_output_t *value, nodes_t *controls) {
  sli_node_t *node = value->node;
  bool is_source = !node->def.input_count && !node->control_input_count;
  if (is_source || node->def.op->def->is_placeholder) return NULL;
  if (sli_graph_control_flow(node) != SLI_OP_CONTROL_FLOW_NONE) {
    sli_function_inline_node_t identity = {
        .op = "Identity", .infix = "arrival", .device = node->def.device, .inputs = value, .input_count = 1};
    SLI_RETURN_IF_ERROR(sli_function_inline_add(copy->caller, &identity, &node));
  }
  sli_array_push(controls, node);
  return NULL;
}

// What the body must wait for as a whole: what the call waits for; and all inputs, because a call begins when all of
// them are there, if the body has state, or if it might be in a branch or a loop and has nodes without inputs. The
// calls that lowering makes wait for their branch or iteration already.
static sli_status_t *collect_begin(copy_t *copy, nodes_t *controls) {
  const sli_node_t *caller = copy->caller;
  for (int i = 0; i < caller->control_input_count; i++) sli_array_push(controls, caller->control_inputs[i]);
  bool is_lowered = flag_of(caller, SLI_FUNCTION_INLINE_MULTI_DEVICE);
  bool is_strict = has_state(copy->body->graph) || (copy->may_be_in_flow && !is_lowered && has_sources(copy));
  for (int i = copy->first_input; is_strict && i < caller->def.input_count; i++)
    SLI_RETURN_IF_ERROR(add_arrival(copy, &caller->inputs[i], controls));
  return NULL;
}

// If the body waits for other nodes, so do its inputs, through an Identity each.
static sli_status_t *prepare_inputs(copy_t *copy) {
  sli_node_t *caller = copy->caller;
  nodes_t controls = {0};
  sli_status_t *status = collect_begin(copy, &controls);
  sli_function_inline_node_t begin = {
      .op = "NoOp", .infix = "input_control_node", .controls = controls.items, .control_count = controls.count};
  if (!status && controls.count) status = sli_function_inline_add(caller, &begin, &copy->begin);
  sli_array_deinitialize(&controls);
  if (status) return status;
  for (int i = 0; i + copy->first_input < caller->def.input_count; i++) {
    const sli_output_t *input = &caller->inputs[i + copy->first_input];
    copy->inputs[i] = *input;
    if (!copy->begin && !sli_dtype_is_ref(sli_graph_output_dtype(*input))) continue;
    sli_node_t *node;
    sli_function_inline_node_t identity = {
        .op = "Identity",
        .infix = "input",
        .device = copy->is_multi_device ? input->node->def.device : copy->device_text,
        .inputs = input,
        .input_count = 1,
        .controls = &copy->begin,
        .control_count = copy->begin ? 1 : 0};
    SLI_RETURN_IF_ERROR(sli_function_inline_add(caller, &identity, &node));
    copy->inputs[i] = (sli_output_t){node, 0};
  }
  return NULL;
}

// How many loops and branches a node is in, about: by how many Enters or Switches come before it without their Exits
// and Merges.
static int *find_depths(const sli_graph_t *graph) {
  int *order = sli_calloc(graph->nodes.count + 1, sizeof(*order)),
      *depths = sli_calloc(graph->nodes.count + 1, sizeof(*depths));
  sli_status_release(sli_graph_topological_order(graph, order));
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_node_t *node = graph->nodes.items[order[i]];
    sli_op_control_flow_t flow = sli_graph_control_flow(node);
    int depth = 0;
    for (int k = 0; k < node->def.input_count; k++)
      if (depths[node->inputs[k].node->id] > depth) depth = depths[node->inputs[k].node->id];
    for (int k = 0; k < node->control_input_count; k++)
      if (depths[node->control_inputs[k]->id] > depth) depth = depths[node->control_inputs[k]->id];
    if (flow == SLI_OP_CONTROL_FLOW_ENTER || flow == SLI_OP_CONTROL_FLOW_SWITCH) depth++;
    // A loop's Exit comes after its Enter and its Switch, a Merge of branches after a Switch.
    bool is_loop_merge = flow == SLI_OP_CONTROL_FLOW_MERGE && node->def.input_count &&
                         sli_graph_control_flow(node->inputs[0].node) == SLI_OP_CONTROL_FLOW_ENTER;
    if (flow == SLI_OP_CONTROL_FLOW_EXIT) depth -= 2;
    if (flow == SLI_OP_CONTROL_FLOW_MERGE && !is_loop_merge) depth--;
    depths[node->id] = depth < 0 ? 0 : depth;
  }
  free(order);
  return depths;
}

// Marks what a call must run although its results may not need it: its control outputs. A node called after a function
// also runs the stateful nodes, as in TensorFlow: such functions have no control outputs. What is in a loop or a branch
// runs with that, or not at all.
static void find_must_run(copy_t *copy) {
  const sli_function_body_t *body = copy->body;
  const sli_graph_t *graph = body->graph;
  int *depths = find_depths(graph);
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_op_def_t *op = graph->nodes.items[i]->def.op->def;
    copy->must_run[i] = !copy->is_multi_device && op->is_stateful && !op->is_placeholder && !depths[i];
  }
  free(depths);
  // What another such node waits for runs anyway.
  for (size_t i = 0; i < graph->nodes.count; i++) {
    if (!copy->must_run[i]) continue;
    const sli_node_t *node = graph->nodes.items[i];
    for (int k = 0; k < node->def.input_count; k++) copy->must_run[node->inputs[k].node->id] = false;
    for (int k = 0; k < node->control_input_count; k++) copy->must_run[node->control_inputs[k]->id] = false;
  }
  for (size_t i = 0; i < body->control_count; i++) copy->must_run[body->controls[i]->id] = true;
}

// The node after which everything that the call must run has run.
static sli_status_t *add_end(copy_t *copy, bool *out_has_effects, sli_node_t **out_end) {
  const sli_function_body_t *body = copy->body;
  SLI_ARRAY(sli_node_t *) controls = {0};
  size_t result_nodes = 0;
  bool *is_result = sli_calloc(body->graph->nodes.count + 1, sizeof(*is_result));
  for (size_t i = 0; i < body->result_count; i++) is_result[body->results[i].node->id] = true;
  for (size_t i = 0; i < body->graph->nodes.count; i++) {
    if (!copy->must_run[i]) continue;
    sli_array_push(&controls, copied(copy, (sli_output_t){body->graph->nodes.items[i], 0}).node);
    result_nodes += is_result[i];
  }
  *out_has_effects = controls.count > result_nodes;
  // The results of a function that is called by its own name are what one waits for.
  for (size_t i = 0; !copy->is_multi_device && i < body->result_count; i++)
    sli_array_push(&controls, copied(copy, body->results[i]).node);
  if (!controls.count && copy->begin) sli_array_push(&controls, copy->begin);
  sli_function_inline_node_t end = {
      .op = "NoOp", .infix = "output_control_node", .controls = controls.items, .control_count = controls.count};
  sli_status_t *status = sli_function_inline_add(copy->caller, &end, out_end);
  free(is_result);
  sli_array_deinitialize(&controls);
  return status;
}

// Whether the results need every node that must run: then nothing else has to wait for them. A very large function is
// not searched.
static bool results_need_effects(const copy_t *copy) {
  enum { MOST_STEPS = 20000000 };
  const sli_function_body_t *body = copy->body;
  size_t count = body->graph->nodes.count;
  if (body->result_count * count > MOST_STEPS) return false;
  sli_node_t **roots = sli_calloc(body->result_count + 1, sizeof(*roots));
  bool *needed = sli_calloc(count + 1, sizeof(*needed)), all = true;
  for (size_t i = 0; i < body->result_count && all; i++) {
    roots[0] = body->results[i].node;
    sli_graph_mark_needed(body->graph, roots, 1, NULL, 0, needed);
    for (size_t k = 0; k < count && all; k++) all = !copy->must_run[k] || needed[k];
  }
  free(roots);
  free(needed);
  return all;
}

// Marks the results whose values something else reads, too: a fed value of the call must not reach that.
static bool *find_read_elsewhere(const copy_t *copy) {
  const sli_function_body_t *body = copy->body;
  bool *is_read = sli_calloc(body->result_count + 1, sizeof(*is_read));
  sli_map_t first = {0};  // "id:output" to the first result that is this value, counted from 1
  for (size_t i = 0; i < body->result_count; i++) {
    sli_output_t result = body->results[i];
    char key[48];
    int size = snprintf(key, sizeof(key), "%d:%d", result.node->id, result.index);
    sli_view_t view = sli_view_of(key, (size_t)size);
    uintptr_t other = (uintptr_t)sli_map_get(&first, view);
    if (other)
      is_read[i] = is_read[other - 1] = true;
    else
      sli_map_set(&first, view, (void *)(uintptr_t)(i + 1));
    is_read[i] |= copy->argument_of[result.node->id] >= 0;
  }
  for (size_t i = 0; i < body->graph->nodes.count; i++) {
    const sli_node_t *node = body->graph->nodes.items[i];
    for (int k = 0; k < node->def.input_count; k++) {
      char key[48];
      int size = snprintf(key, sizeof(key), "%d:%d", node->inputs[k].node->id, node->inputs[k].index);
      uintptr_t result = (uintptr_t)sli_map_get(&first, sli_view_of(key, (size_t)size));
      if (result) is_read[result - 1] = true;
    }
  }
  sli_map_deinitialize(&first);
  return is_read;
}

static sli_status_t *finish_outputs(copy_t *copy) {
  const sli_function_body_t *body = copy->body;
  sli_node_t *end;
  bool has_effects;
  sli_output_t *outputs = sli_calloc(body->result_count + 1, sizeof(*outputs));
  sli_status_t *status = add_end(copy, &has_effects, &end);
  bool waits = !status && has_effects && !results_need_effects(copy);
  bool *is_read = find_read_elsewhere(copy);
  for (size_t i = 0; i < body->result_count && !status; i++) {
    outputs[i] = copied(copy, body->results[i]);
    bool is_ref = sli_dtype_is_ref(sli_graph_output_dtype(outputs[i]));
    if (!waits && !is_ref && !is_read[i]) continue;
    sli_node_t *node;
    sli_function_inline_node_t output = {.op = "Identity",
                                         .infix = "output",
                                         .device = copy->is_multi_device ? outputs[i].node->def.device : NULL,
                                         .inputs = &outputs[i],
                                         .input_count = 1,
                                         .controls = &end,
                                         .control_count = waits ? 1 : 0};
    status = sli_function_inline_add(copy->caller, &output, &node);
    if (!status) outputs[i] = (sli_output_t){node, 0};
  }
  if (!status) status = sli_function_inline_replace(copy->caller, outputs, end);
  free(is_read);
  free(outputs);
  return status;
}

static sli_status_t *inline_body(copy_t *copy) {
  sli_node_t *caller = copy->caller;
  const sli_function_body_t *body = copy->body;
  if ((size_t)(caller->def.input_count - copy->first_input) != body->argument_count ||
      (size_t)caller->def.output_count != body->result_count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "{{node %s}} passes %d arguments and expects %d results, but its function has %zu and %zu",
                           caller->def.name, caller->def.input_count - copy->first_input, caller->def.output_count,
                           body->argument_count, body->result_count);
  size_t count = body->graph->nodes.count;
  copy->copies = sli_calloc(count + 1, sizeof(*copy->copies));
  copy->must_run = sli_calloc(count + 1, sizeof(*copy->must_run));
  copy->inputs = sli_calloc(body->argument_count + 1, sizeof(*copy->inputs));
  copy->argument_of = sli_malloc((count + 1) * sizeof(*copy->argument_of));
  for (size_t i = 0; i < count; i++) copy->argument_of[i] = -1;
  for (size_t i = 0; i < body->argument_count; i++) copy->argument_of[body->arguments[i].node->id] = (int)i;
  copy->has_device = *copy->device_text && sli_device_name_parse(sli_view(copy->device_text), &copy->device);
  sli_status_t *status = prepare_inputs(copy);
  if (!status) status = copy_nodes(copy);
  if (!status) {
    find_must_run(copy);
    status = finish_outputs(copy);
  }
  free(copy->copies);
  free(copy->must_run);
  free(copy->argument_of);
  free(copy->inputs);
  return status;
}

// --- Which calls ----------------------------------------------------------------------

static const origin_t *origin_of(const inliner_t *inliner, const sli_node_t *node) {
  size_t position = (size_t)node->id - inliner->first;
  return position < inliner->origins.count ? inliner->origins.items[position] : NULL;
}

// Nodes that were added since the last call come from |origin|.
static void record_origin(inliner_t *inliner, const origin_t *origin) {
  while (inliner->first + inliner->origins.count < inliner->graph->nodes.count) {
    const sli_node_t *node = inliner->graph->nodes.items[inliner->first + inliner->origins.count];
    inliner->has_flow |= sli_graph_control_flow(node) != SLI_OP_CONTROL_FLOW_NONE;
    sli_array_push(&inliner->origins, origin);
  }
}

static bool may_inline(const inliner_t *inliner, const sli_node_t *node, const sli_attr_func_t *name) {
  const sli_graph_function_t *function = sli_graph_functions_find(inliner->graph->functions, name->name);
  if (!function) return false;
  if (!inliner->options->is_differentiated && sli_function_body_flag(function, "_noinline")) return false;
  const origin_t *origin = origin_of(inliner, node);
  if (origin && origin->depth >= DEEPEST) return false;
  for (; origin; origin = origin->outer)
    if (sli_view_equal(origin->name, name->name)) return false;
  return inliner->origins.count < MOST_NODES;
}

// The device of a RemoteCall, if it is known; NULL: it is not.
static char *target_of(const sli_node_t *node) {
  sli_tensor_t *value = sli_graph_constant_value(node->inputs[0]);
  char *target = NULL;
  if (value && value->count == 1 && value->dtype == SLI_DTYPE_STRING) {
    sli_view_t text = sli_tensor_string_at(value, 0);
    sli_device_name_t parsed;
    if (sli_device_name_parse(text, &parsed)) target = sli_strndup(text.data, text.size);
  }
  sli_tensor_release(value);
  return target;
}

static sli_status_t *inline_call(inliner_t *inliner, sli_node_t *node, const sli_attr_func_t *name) {
  bool is_remote = node->def.op->def->functional == SLI_OP_FUNCTIONAL_REMOTE_CALL;
  char *target = is_remote ? target_of(node) : sli_strdup(node->def.device);
  if (!target) return NULL;
  sli_status_t *status =
      sli_alloc_is_short() ? sli_graph_check_memory("inline the functions of", inliner->graph->nodes.count, 0) : NULL;
  if (status) {
    free(target);
    return status;
  }
  const origin_t *outer = origin_of(inliner, node);
  origin_t *origin = sli_arena_calloc(&inliner->arena, 1, sizeof(*origin));
  *origin = (origin_t){outer, sli_view(sli_arena_strndup(&inliner->arena, name->name.data, name->name.size)),
                       outer ? outer->depth + 1 : 1};
  sli_function_body_t body;
  status = sli_function_body_create(inliner->graph->functions, name, &body);
  if (!status) {
    bool is_named = node->def.op->def->is_function;
    copy_t copy = {.caller = node,
                   .body = &body,
                   .first_input = is_remote,
                   .may_be_in_flow = inliner->has_flow,
                   .is_multi_device = !is_remote && (!is_named || flag_of(node, SLI_FUNCTION_INLINE_MULTI_DEVICE)),
                   .device_text = target};
    status = inline_body(&copy);
    sli_function_body_deinitialize(&body);
  }
  free(target);
  record_origin(inliner, origin);
  return status;
}

sli_status_t *sli_function_inline(sli_graph_t *graph, size_t first, const sli_function_inline_options_t *options) {
  if (!graph->functions) return NULL;
  inliner_t inliner = {.graph = graph, .options = options, .first = first};
  origin_t outermost = {NULL, options->inside, 1};
  sli_status_t *status = NULL;
  record_origin(&inliner, options->inside.size ? &outermost : NULL);
  for (size_t i = 0; i < first && !inliner.has_flow; i++)
    inliner.has_flow = sli_graph_control_flow(graph->nodes.items[i]) != SLI_OP_CONTROL_FLOW_NONE;
  // Nodes that a step adds come last, and get their turn.
  for (size_t i = first; i < graph->nodes.count && !status; i++) {
    sli_node_t *node = graph->nodes.items[i];
    sli_attr_func_t name;
    if (sli_function_body_called(node, &name)) {
      if (may_inline(&inliner, node, &name)) status = inline_call(&inliner, node, &name);
    } else if (sli_function_inline_is_lowerable(node, options->is_differentiated)) {
      const origin_t *origin = origin_of(&inliner, node);
      status = sli_function_inline_lower(node);
      record_origin(&inliner, origin);
    }
  }
  sli_array_deinitialize(&inliner.origins);
  sli_arena_deinitialize(&inliner.arena);
  return status;
}
