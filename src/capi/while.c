// While loops. The caller builds condition and body as separate graphs. They are then
// copied into the parent graph, between the operations of a loop:
//
//   Enter → Merge → [cond] → LoopCond → Switch → [body] → NextIteration ⤴ Merge
//                                          ↳ Exit
#include <stdlib.h>

#include "capi/capi.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

// --- Starting ----------------------------------------------------------------

// A placeholder for a loop variable.
static sli_status_t *add_variable(TF_Graph *graph, const char *name, sli_dtype_t dtype, TF_Output *out_output) {
  *out_output = (TF_Output){NULL, -1};
  sli_attr_entry_t attr = SLI_ATTR_TYPE_OF("dtype", dtype);
  sli_graph_node_t request = {.op = "Placeholder", .name = name, .attrs = &attr, .attr_count = 1};
  sli_node_t *node = NULL;
  SLI_RETURN_IF_ERROR(sli_graph_add(graph->graph, &request, &node));
  *out_output = (TF_Output){sli_capi_operation(node), 0};
  return NULL;
}

static TF_Graph *new_loop_graph(TF_Graph *parent, const TF_Output *inputs, size_t count) {
  TF_Graph *graph = TF_NewGraph();
  graph->loop_parent = parent;
  graph->loop_inputs = sli_memdup(inputs, count * sizeof(*inputs));
  return graph;
}

static sli_status_t *add_variables(TF_Graph *graph, const char *kind, const TF_Output *inputs, size_t count,
                                   TF_Output *out_outputs) {
  sli_status_t *status = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    char *name = sli_format("%s_input%zu", kind, i);
    status = add_variable(graph, name, sli_dtype_base((sli_dtype_t)TF_OperationOutputType(inputs[i])), &out_outputs[i]);
    free(name);
  }
  return status;
}

TF_WhileParams TF_NewWhile(TF_Graph *g, TF_Output *inputs, int ninputs, TF_Status *status) {
  const TF_WhileParams none = {0};
  sli_status_t *result =
      ninputs > 0 ? NULL : sli_status_make(SLI_INVALID_ARGUMENT, "TF_NewWhile() must be passed at least one input");
  sli_mutex_lock(&g->mutex);
  for (int i = 0; i < ninputs && !result; i++) result = sli_capi_check_output(g, inputs[i]);
  sli_mutex_unlock(&g->mutex);
  if (result) {
    sli_capi_set_status(status, result);
    return none;
  }
  size_t count = (size_t)ninputs;
  TF_WhileParams params = {
      .ninputs = ninputs,
      .cond_graph = new_loop_graph(g, inputs, count),
      .cond_inputs = sli_calloc(count, sizeof(TF_Output)),
      .cond_output = {NULL, -1},
      .body_graph = new_loop_graph(g, inputs, count),
      .body_inputs = sli_calloc(count, sizeof(TF_Output)),
      .body_outputs = sli_calloc(count, sizeof(TF_Output)),
  };
  for (size_t i = 0; i < count; i++) params.body_outputs[i] = (TF_Output){NULL, -1};
  result = add_variables(params.cond_graph, "cond", inputs, count, (TF_Output *)params.cond_inputs);
  if (!result) result = add_variables(params.body_graph, "body", inputs, count, (TF_Output *)params.body_inputs);
  sli_capi_set_status(status, result);
  if (!sli_capi_failed(status)) return params;
  TF_AbortWhile(&params);
  return none;
}

void TF_AbortWhile(const TF_WhileParams *params) {
  TF_DeleteGraph(params->cond_graph);
  TF_DeleteGraph(params->body_graph);
  free((TF_Output *)params->cond_inputs);
  free((TF_Output *)params->body_inputs);
  free(params->body_outputs);
}

// --- Checks ------------------------------------------------------------------

static sli_status_t *check_made_by_us(const TF_WhileParams *params) {
  const TF_Graph *cond = params->cond_graph, *body = params->body_graph;
  if (cond && body && cond->loop_parent && cond->loop_parent == body->loop_parent && params->ninputs > 0 &&
      params->cond_inputs && params->body_inputs && params->body_outputs)
    return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "TF_WhileParams must be created by successful TF_NewWhile() call");
}

static sli_status_t *check_filled(const TF_WhileParams *params) {
  if (!params->cond_output.oper)
    return sli_status_make(SLI_INVALID_ARGUMENT, "TF_WhileParams `cond_output` field isn't set");
  SLI_RETURN_IF_ERROR(sli_capi_check_output(params->cond_graph, params->cond_output));
  for (int i = 0; i < params->ninputs; i++) {
    if (!params->body_outputs[i].oper)
      return sli_status_make(SLI_INVALID_ARGUMENT, "TF_WhileParams `body_outputs[%d]` field isn't set", i);
    SLI_RETURN_IF_ERROR(sli_capi_check_output(params->body_graph, params->body_outputs[i]));
  }
  if (!params->name) return sli_status_make(SLI_INVALID_ARGUMENT, "TF_WhileParams `name` field is null");
  sli_dtype_t dtype = sli_graph_output_dtype(sli_capi_output(params->cond_output));
  if (dtype != SLI_DTYPE_BOOL)
    return sli_status_make(SLI_INVALID_ARGUMENT, "BuildWhileLoop: 'cond' argument must return a boolean output, got %s",
                           sli_dtype_name(dtype));
  return NULL;
}

// Two loops with the same frame name would mix their iterations.
static sli_status_t *check_frame(const sli_graph_t *graph, const char *frame) {
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_attr_t *attr = sli_node_attr(&graph->nodes.items[i]->def, "frame_name");
    if (attr && attr->kind == SLI_ATTR_STRING && !attr->is_list && sli_view_is(attr->s, frame))
      return sli_status_make(SLI_INVALID_ARGUMENT, "WhileContext with frame name '%s' already exists", frame);
  }
  return NULL;
}

// --- Building ----------------------------------------------------------------

typedef struct {
  const TF_WhileParams *params;
  sli_graph_t *graph;  // of the parent, which is locked
  size_t count;
  sli_output_t *enters, *merges, *trues, *nexts, *exits, *body;
} loop_t;

static sli_status_t *add(loop_t *loop, const char *op, const sli_output_t *inputs, size_t input_count,
                         sli_output_t *out_output) {
  char *name = sli_format("%s/%s", loop->params->name, op);
  sli_attr_entry_t frame = SLI_ATTR_STRING_OF("frame_name", loop->params->name);
  sli_graph_node_t request = {
      .op = op,
      .name = sli_graph_unique_name(loop->graph, name),
      .inputs = inputs,
      .input_count = input_count,
      .attrs = &frame,
      .attr_count = strcmp(op, "Enter") == 0,
      .infer = true,
  };
  free(name);
  sli_node_t *node = NULL;
  SLI_RETURN_IF_ERROR(sli_graph_add(loop->graph, &request, &node));
  *out_output = (sli_output_t){node, 0};
  return NULL;
}

// Copies |source| under "name/part", without its |variables|: |values| take their place.
// Nodes without inputs wait for the first value, so that they run within the loop.
// |out_copies| gets the copies of |outputs|.
static sli_status_t *copy_graph(loop_t *loop, const TF_Graph *source, const char *part, const TF_Output *variables,
                                const sli_output_t *values, const TF_Output *outputs, size_t output_count,
                                sli_output_t *out_copies) {
  sli_string_t graph_def = {0};
  for (size_t i = 0; i < source->graph->nodes.count; i++) {
    const sli_node_t *node = source->graph->nodes.items[i];
    bool is_variable = false;
    for (size_t k = 0; k < loop->count; k++) is_variable |= sli_capi_node(variables[k].oper) == node;
    if (is_variable) continue;
    size_t mark = sli_wire_open(&graph_def, SLI_FIELD_GRAPH_DEF_NODE);
    sli_graph_node_export(node, &graph_def);
    sli_wire_close(&graph_def, mark);
  }
  sli_import_mapping_t *mappings = sli_calloc(2 * loop->count, sizeof(*mappings));
  for (size_t i = 0; i < loop->count; i++) {
    sli_view_t name = sli_view(TF_OperationName(variables[i].oper));
    mappings[2 * i] = (sli_import_mapping_t){name, 0, values[i]};
    mappings[2 * i + 1] = (sli_import_mapping_t){name, -1, values[i]};
  }
  sli_view_t *names = sli_calloc(output_count, sizeof(*names));
  for (size_t i = 0; i < output_count; i++)
    names[i] = sli_view(sli_format("%s:%d", TF_OperationName(outputs[i].oper), outputs[i].index));
  char *prefix = sli_format("%s/%s", loop->params->name, part);
  sli_node_t *pivot = values[0].node;
  sli_import_options_t options = {
      .prefix = prefix,
      .mappings = mappings,
      .mapping_count = 2 * loop->count,
      .control_dependencies = &pivot,
      .control_dependency_count = 1,
      .return_outputs = names,
      .return_output_count = output_count,
  };
  sli_import_results_t results = {0};
  sli_status_t *status = sli_graph_import(loop->graph, sli_view_of(graph_def.data, graph_def.size), &options, &results);
  if (!status) memcpy(out_copies, results.outputs.items, output_count * sizeof(*out_copies));
  sli_import_results_deinitialize(&results);
  for (size_t i = 0; i < output_count; i++) free((char *)names[i].data);
  free(names);
  free(mappings);
  free(prefix);
  sli_string_deinitialize(&graph_def);
  return status;
}

static sli_status_t *build(loop_t *loop) {
  const TF_WhileParams *params = loop->params;
  const TF_Output *inputs = params->cond_graph->loop_inputs;
  for (size_t i = 0; i < loop->count; i++) {
    sli_output_t input = sli_capi_output(inputs[i]);
    SLI_RETURN_IF_ERROR(add(loop, "Enter", &input, 1, &loop->enters[i]));
  }
  // Until the back edge exists, the first value takes its place.
  for (size_t i = 0; i < loop->count; i++)
    SLI_RETURN_IF_ERROR(add(loop, "Merge", SLI_INPUTS(loop->enters[i], loop->enters[i]), &loop->merges[i]));
  sli_output_t condition;
  SLI_RETURN_IF_ERROR(copy_graph(loop, params->cond_graph, "cond", params->cond_inputs, loop->merges,
                                 &params->cond_output, 1, &condition));
  SLI_RETURN_IF_ERROR(add(loop, "LoopCond", &condition, 1, &condition));
  sli_output_t branch;
  for (size_t i = 0; i < loop->count; i++) {
    SLI_RETURN_IF_ERROR(add(loop, "Switch", SLI_INPUTS(loop->merges[i], condition), &branch));
    loop->trues[i] = sli_output_at(branch, 1);
  }
  SLI_RETURN_IF_ERROR(copy_graph(loop, params->body_graph, "body", params->body_inputs, loop->trues,
                                 params->body_outputs, loop->count, loop->body));
  for (size_t i = 0; i < loop->count; i++)
    SLI_RETURN_IF_ERROR(add(loop, "NextIteration", &loop->body[i], 1, &loop->nexts[i]));
  for (size_t i = 0; i < loop->count; i++)
    SLI_RETURN_IF_ERROR(sli_graph_set_input(loop->merges[i].node, 1, loop->nexts[i]));
  for (size_t i = 0; i < loop->count; i++) {
    branch = sli_output_at(loop->trues[i], 0);
    SLI_RETURN_IF_ERROR(add(loop, "Exit", &branch, 1, &loop->exits[i]));
  }
  return NULL;
}

static sli_status_t *finish_locked(const TF_WhileParams *params, TF_Output *outputs) {
  SLI_RETURN_IF_ERROR(check_filled(params));
  TF_Graph *parent = params->cond_graph->loop_parent;
  SLI_RETURN_IF_ERROR(check_frame(parent->graph, params->name));
  size_t count = (size_t)params->ninputs, before = parent->graph->nodes.count;
  sli_output_t *all = sli_calloc(6 * count, sizeof(*all));
  loop_t loop = {params,          parent->graph,   count,          all, all + count, all + 2 * count,
                 all + 3 * count, all + 4 * count, all + 5 * count};
  sli_status_t *status = build(&loop);
  if (status) {
    sli_graph_truncate(parent->graph, before);
  } else {
    for (size_t i = 0; i < count; i++) outputs[i] = sli_capi_tf_output(loop.exits[i]);
    sli_capi_graph_changed_locked(parent);
  }
  free(all);
  return status;
}

void TF_FinishWhile(const TF_WhileParams *params, TF_Status *status, TF_Output *outputs) {
  // Only params of TF_NewWhile are freed here.
  sli_capi_set_status(status, check_made_by_us(params));
  if (sli_capi_failed(status)) return;
  TF_Graph *parent = params->cond_graph->loop_parent;
  for (int i = 0; i < params->ninputs; i++) outputs[i] = (TF_Output){NULL, -1};
  sli_mutex_lock(&parent->mutex);
  sli_status_t *result = finish_locked(params, outputs);
  sli_mutex_unlock(&parent->mutex);
  TF_AbortWhile(params);
  sli_capi_set_status(status, result);
}
