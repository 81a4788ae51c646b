#include "graph/graph.h"

#include <ctype.h>
#include <stdlib.h>

#include "core/tensor/tensor.h"
#include "graph/graph_rewrite.h"

sli_graph_t *sli_graph_create(void) {
  sli_graph_t *graph = sli_calloc(1, sizeof(*graph));
  sli_refcount_initialize(&graph->references);
  graph->producer = SLI_GRAPH_VERSION;
  return graph;
}

sli_status_t *sli_graph_check_memory(const char *what, size_t nodes, size_t bytes) {
  if (sli_alloc_has(bytes)) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED,
                         "Not enough memory to %s a graph of %zu nodes: the system has no more for this process. Use a "
                         "smaller graph, close sessions, or raise the memory limit of the process (ulimit -v)",
                         what, nodes);
}

sli_graph_t *sli_graph_retain(sli_graph_t *graph) {
  if (graph) sli_refcount_retain(&graph->references);
  return graph;
}

static void free_out_edges(sli_node_t *node);

void sli_graph_release(sli_graph_t *graph) {
  if (!graph || !sli_refcount_release(&graph->references)) return;
  for (size_t i = 0; i < graph->nodes.count; i++) free_out_edges(graph->nodes.items[i]);
  for (size_t i = 0; i < graph->held.count; i++) sli_attr_release_tensors((sli_attr_t *)graph->held.items[i]);
  sli_array_deinitialize(&graph->nodes);
  sli_array_deinitialize(&graph->held);
  sli_graph_functions_release(graph->functions);
  sli_graph_names_deinitialize(&graph->names);
  sli_map_deinitialize(&graph->unique_names);
  sli_arena_deinitialize(&graph->arena);
  sli_graph_release(graph->parent);
  free(graph);
}

static sli_view_t name_of_node(const void *graph, uint32_t id) {
  return sli_view(((const sli_graph_t *)graph)->nodes.items[id]->def.name);
}

sli_node_t *sli_graph_find(const sli_graph_t *graph, sli_view_t name) {
  int64_t id = sli_graph_names_find(&graph->names, name, name_of_node, graph);
  return id < 0 ? NULL : graph->nodes.items[id];
}

sli_status_t *sli_graph_find_output(const sli_graph_t *graph, sli_view_t tensor_name, sli_output_t *out_output) {
  *out_output = SLI_OUTPUT_NONE;
  sli_view_t name = tensor_name;
  int64_t index = 0;
  const char *colon = tensor_name.size ? memrchr(tensor_name.data, ':', tensor_name.size) : NULL;
  if (colon) {
    name.size = (size_t)(colon - name.data);
    sli_view_t digits = sli_view_of(colon + 1, tensor_name.size - name.size - 1);
    if (!sli_view_to_int64(digits, &index) || index < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor name '%.*s' is not of the form name:index",
                             SLI_VIEW_ARG(tensor_name));
  }
  sli_node_t *node = sli_graph_find(graph, name);
  if (!node)
    return sli_status_make(SLI_NOT_FOUND,
                           "The name '%.*s:%lld' refers to a Tensor which does not exist. The operation, "
                           "'%.*s', does not exist in the graph.",
                           SLI_VIEW_ARG(name), (long long)index, SLI_VIEW_ARG(name));
  if (index >= node->def.output_count)
    return sli_status_make(SLI_NOT_FOUND,
                           "The name '%.*s:%lld' refers to a Tensor which does not exist. The operation, "
                           "'%.*s', exists but only has %d outputs.",
                           SLI_VIEW_ARG(name), (long long)index, SLI_VIEW_ARG(name), node->def.output_count);
  *out_output = (sli_output_t){node, (int)index};
  return NULL;
}

const char *sli_graph_unique_name(sli_graph_t *graph, const char *base) {
  if (!sli_graph_find(graph, sli_view(base))) return sli_arena_strndup(&graph->arena, base, strlen(base));
  sli_string_t name = {0};
  uintptr_t number = (uintptr_t)sli_map_get(&graph->unique_names, sli_view(base));
  do {
    sli_string_clear(&name);
    sli_string_append_format(&name, "%s_%lu", base, (unsigned long)++number);
  } while (sli_graph_find(graph, sli_view(name.data)));
  sli_map_set(&graph->unique_names, sli_view(base), (void *)number);
  const char *kept = sli_arena_strndup(&graph->arena, name.data, name.size);
  sli_string_deinitialize(&name);
  return kept;
}

void sli_graph_forget_names(sli_graph_t *graph) {
  sli_graph_names_deinitialize(&graph->names);
  sli_map_deinitialize(&graph->unique_names);
}

// [A-Za-z0-9.][A-Za-z0-9_.\-/>]*; names made by masters and passes may begin with an underscore.
static bool name_is_valid(const char *name) {
  if (!isalnum((unsigned char)name[0]) && name[0] != '.' && name[0] != '_') return false;
  for (const char *p = name + 1; *p; p++)
    if (!isalnum((unsigned char)*p) && !strchr("_./>-", *p)) return false;
  return true;
}

static void hold_tensors(sli_graph_t *graph, const sli_attr_t *attr) {
  if (attr->kind == SLI_ATTR_TENSOR || attr->kind == SLI_ATTR_FUNC) sli_array_push(&graph->held, attr);
}

// Most outputs have one consumer or two. So few edges are in the arena, more are in memory of their own.
enum { FEW_EDGES = 2 };

static void grow_out_edges(sli_node_t *node) {
  uint32_t old = node->out_edges.capacity, capacity = old ? 2 * old : 1;
  size_t size = capacity * sizeof(sli_graph_edge_t);
  sli_graph_edge_t *items = node->out_edges.items;
  if (old > FEW_EDGES) {
    items = sli_realloc(items, size);
  } else {
    items = capacity > FEW_EDGES ? sli_malloc(size) : sli_arena_allocate(&node->graph->arena, size);
    if (old) memcpy(items, node->out_edges.items, old * sizeof(*items));
  }
  node->out_edges.items = items;
  node->out_edges.capacity = capacity;
}

static void add_out_edge(sli_node_t *from, int output, sli_node_t *to, int index) {
  if (from->out_edges.count == from->out_edges.capacity) grow_out_edges(from);
  from->out_edges.items[from->out_edges.count++] = (sli_graph_edge_t){to, output, index};
}

static void free_out_edges(sli_node_t *node) {
  if (node->out_edges.capacity > FEW_EDGES) free(node->out_edges.items);
  node->out_edges.items = NULL;
  node->out_edges.count = node->out_edges.capacity = 0;
}

static bool has_control_input(const sli_node_t *node, const sli_node_t *input) {
  for (int i = 0; i < node->control_input_count; i++)
    if (node->control_inputs[i] == input) return true;
  return false;
}

// The caller knows that the edge does not exist yet.
static void append_control_edge(sli_node_t *from, sli_node_t *to) {
  int count = to->control_input_count;
  // Doubles at powers of two, because an arena does not take memory back.
  if ((count & (count - 1)) == 0) {
    sli_node_t **grown = sli_arena_calloc(&to->graph->arena, count ? 2 * (size_t)count : 1, sizeof(*grown));
    if (count) memcpy(grown, to->control_inputs, (size_t)count * sizeof(*grown));
    to->control_inputs = grown;
  }
  to->control_inputs[to->control_input_count++] = from;
  add_out_edge(from, -1, to, -1);
}

void sli_graph_add_control_edge(sli_node_t *from, sli_node_t *to) {
  if (!has_control_input(to, from)) append_control_edge(from, to);
}

// Puts a node whose |def| is complete into the graph, with unknown shapes and no edges.
static sli_node_t *node_insert(sli_graph_t *graph, const sli_node_def_t *def) {
  sli_node_t *node = sli_arena_calloc(&graph->arena, 1, sizeof(*node));
  node->def = *def;
  node->graph = graph;
  node->id = (int)graph->nodes.count;
  node->inputs = sli_arena_calloc(&graph->arena, (size_t)def->input_count, sizeof(*node->inputs));
  size_t outputs = (size_t)def->output_count;
  node->output_shapes = sli_arena_calloc(&graph->arena, outputs, sizeof(*node->output_shapes));
  node->output_handles = sli_arena_calloc(&graph->arena, outputs, sizeof(*node->output_handles));
  for (size_t i = 0; i < outputs; i++) {
    node->output_shapes[i] = SLI_SHAPE_UNKNOWN;
    node->output_handles[i] = (sli_infer_handle_t){SLI_DTYPE_INVALID, SLI_SHAPE_UNKNOWN};
  }
  sli_array_push(&graph->nodes, node);
  sli_graph_names_add(&graph->names, (uint32_t)node->id, name_of_node, graph);
  return node;
}

static sli_status_t *check_edge(const sli_node_def_t *def, int index, sli_output_t input) {
  sli_dtype_t expected = def->input_types[index], actual = sli_graph_output_dtype(input);
  if (sli_dtype_base(expected) == sli_dtype_base(actual) && (!sli_dtype_is_ref(expected) || sli_dtype_is_ref(actual)))
    return NULL;
  return sli_status_make(
      SLI_INVALID_ARGUMENT, "Input %d of node %s was passed %s from %s:%d incompatible with expected %s.", index,
      def->name, sli_dtype_name(actual), input.node->def.name, input.index, sli_dtype_name(expected));
}

static sli_status_t *find_op(const sli_graph_t *graph, const sli_graph_node_t *request, const char *node_name,
                             const sli_op_t **out_op) {
  const char *name = request->op;
  *out_op = request->is_private ? sli_op_find_private(sli_view(name)) : sli_op_find(sli_view(name));
  if (*out_op) return NULL;
  const sli_graph_function_t *function = sli_graph_functions_find(graph->functions, sli_view(name));
  if (function) *out_op = function->op;
  if (*out_op) return NULL;
  return sli_status_make(SLI_NOT_FOUND,
                         "Op type not registered '%s' in binary running on this task (node '%s'). Sluice does not "
                         "have this op; `sluice inspect` lists the ops of a graph.",
                         name, node_name);
}

// |device| in the graph's arena. Many nodes in a row have the same.
static const char *keep_device(sli_graph_t *graph, const char *device) {
  if (!device || !*device) return "";
  const char *last = graph->nodes.count ? graph->nodes.items[graph->nodes.count - 1]->def.device : "";
  return strcmp(last, device) == 0 ? last : sli_arena_strndup(&graph->arena, device, strlen(device));
}

// Completes |request| as a node with |name| and with |device|, which is in the arena, and checks the types of its
// inputs.
static sli_status_t *complete(sli_graph_t *graph, const sli_graph_node_t *request, const char *name, const char *device,
                              sli_node_def_t *out_def) {
  const sli_op_t *op;
  SLI_RETURN_IF_ERROR(find_op(graph, request, name, &op));
  sli_dtype_t *types = NULL;
  if (request->infer) {
    types = sli_arena_calloc(&graph->arena, request->input_count, sizeof(*types));
    for (size_t i = 0; i < request->input_count; i++) types[i] = sli_graph_output_dtype(request->inputs[i]);
  }
  sli_node_request_t completion = {
      .name = name,
      .device = device,
      .op = op,
      .attrs = request->attrs,
      .attr_count = request->attr_count,
      .input_types = types,
      .input_count = (int)request->input_count,
      .list_sizes = request->list_sizes,
      .infer = request->infer,
  };
  SLI_RETURN_IF_ERROR(sli_node_def_complete(&completion, &graph->arena, out_def));
  for (size_t i = 0; i < out_def->attr_count; i++) hold_tensors(graph, &out_def->attrs[i].value);
  for (size_t i = 0; i < request->input_count; i++)
    SLI_RETURN_IF_ERROR(check_edge(out_def, (int)i, request->inputs[i]));
  return NULL;
}

sli_status_t *sli_graph_add(sli_graph_t *graph, const sli_graph_node_t *request, sli_node_t **out_node) {
  *out_node = NULL;
  if (!name_is_valid(request->name))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Node name contains invalid characters or is empty: '%s'",
                           request->name);
  if (sli_graph_find(graph, sli_view(request->name)))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Duplicate node name in graph: '%s'", request->name);
  sli_node_def_t def;
  SLI_RETURN_IF_ERROR(complete(graph, request, request->name, keep_device(graph, request->device), &def));

  sli_node_t *node = node_insert(graph, &def);
  for (size_t i = 0; i < request->input_count; i++) {
    node->inputs[i] = request->inputs[i];
    add_out_edge(request->inputs[i].node, request->inputs[i].index, node, (int)i);
  }
  for (size_t i = 0; i < request->control_input_count; i++)
    sli_graph_add_control_edge(request->control_inputs[i], node);
  sli_status_t *status = sli_graph_infer_shapes(node);
  if (status) {
    sli_graph_truncate(graph, (size_t)node->id);
    return status;
  }
  *out_node = node;
  return NULL;
}

sli_status_t *sli_graph_change_op(sli_node_t *node, const sli_graph_node_t *request) {
  sli_graph_t *graph = node->graph;
  sli_node_def_t def;
  SLI_RETURN_IF_ERROR(complete(graph, request, node->def.name, node->def.device, &def));
  bool same = def.output_count <= node->def.output_count;
  for (int i = 0; same && i < def.output_count; i++) same = def.output_types[i] == node->def.output_types[i];
  if (!same)
    return sli_status_make(SLI_INVALID_ARGUMENT, "{{node %s}} cannot become a %s: its outputs would change",
                           node->def.name, request->op);
  node->def = def;
  node->inputs = sli_arena_calloc(&graph->arena, request->input_count, sizeof(*node->inputs));
  for (size_t i = 0; i < request->input_count; i++) node->inputs[i] = request->inputs[i];
  for (size_t i = 0; i < request->control_input_count; i++)
    sli_graph_add_control_edge(request->control_inputs[i], node);
  return NULL;
}

static void remove_out_edge(sli_node_t *from, const sli_node_t *to, int index) {
  for (size_t i = 0; i < from->out_edges.count; i++) {
    const sli_graph_edge_t *edge = &from->out_edges.items[i];
    if (edge->consumer != to || edge->index != index) continue;
    from->out_edges.items[i] = from->out_edges.items[--from->out_edges.count];
    return;
  }
}

sli_status_t *sli_graph_replace_op(sli_node_t *node, const sli_graph_node_t *request) {
  int input_count = node->def.input_count;
  sli_output_t *inputs = node->inputs;
  SLI_RETURN_IF_ERROR(sli_graph_change_op(node, request));
  for (int i = 0; i < input_count; i++)
    if (inputs[i].node) remove_out_edge(inputs[i].node, node, i);
  for (int i = 0; i < node->def.input_count; i++) add_out_edge(node->inputs[i].node, node->inputs[i].index, node, i);
  return sli_graph_infer_shapes(node);
}

sli_status_t *sli_graph_move_data_edges(sli_node_t *from, const sli_output_t *outputs) {
  size_t kept = 0, count = from->out_edges.count;
  sli_status_t *status = NULL;
  for (size_t i = 0; i < count; i++) {
    sli_graph_edge_t edge = from->out_edges.items[i];
    bool moves = edge.index >= 0 && !status;
    if (moves) status = check_edge(&edge.consumer->def, edge.index, outputs[edge.output]);
    if (!moves || status) {
      from->out_edges.items[kept++] = edge;
      continue;
    }
    edge.consumer->inputs[edge.index] = outputs[edge.output];
    if (outputs[edge.output].node != from)
      add_out_edge(outputs[edge.output].node, outputs[edge.output].index, edge.consumer, edge.index);
  }
  from->out_edges.count = kept;
  return status;
}

void sli_graph_move_control_edges(sli_node_t *from, sli_node_t *to) {
  size_t kept = 0;
  SLI_ARRAY(sli_node_t *) consumers = {0};
  for (size_t i = 0; i < from->out_edges.count; i++) {
    sli_graph_edge_t edge = from->out_edges.items[i];
    if (edge.index < 0 && edge.consumer != to)
      sli_array_push(&consumers, edge.consumer);
    else
      from->out_edges.items[kept++] = edge;
  }
  from->out_edges.count = kept;
  for (size_t i = 0; i < consumers.count; i++) {
    sli_node_t *consumer = consumers.items[i];
    int at = 0;
    while (consumer->control_inputs[at] != from) at++;
    if (has_control_input(consumer, to)) {
      consumer->control_inputs[at] = consumer->control_inputs[--consumer->control_input_count];
      continue;
    }
    consumer->control_inputs[at] = to;
    add_out_edge(to, -1, consumer, -1);
  }
  sli_array_deinitialize(&consumers);
}

void sli_graph_relink(sli_graph_t *graph) {
  for (size_t i = 0; i < graph->nodes.count; i++) graph->nodes.items[i]->out_edges.count = 0;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    sli_node_t *node = graph->nodes.items[i];
    for (int k = 0; k < node->def.input_count; k++)
      if (node->inputs[k].node) add_out_edge(node->inputs[k].node, node->inputs[k].index, node, k);
    for (int k = 0; k < node->control_input_count; k++) add_out_edge(node->control_inputs[k], -1, node, -1);
  }
}

void sli_graph_remove_unmarked(sli_graph_t *graph, const bool *keep) {
  size_t kept = 0;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    sli_node_t *node = graph->nodes.items[i];
    if (keep[i]) {
      node->id = (int)kept;
      graph->nodes.items[kept++] = node;
      continue;
    }
    // Marks the node as removed for the nodes that stay. Its memory is freed with the arena.
    node->id = -1;
    free_out_edges(node);
  }
  graph->nodes.count = kept;
  sli_graph_names_rebuild(&graph->names, (uint32_t)kept, kept, name_of_node, graph);
  for (size_t i = 0; i < kept; i++) {
    sli_node_t *node = graph->nodes.items[i];
    int controls = 0;
    for (int k = 0; k < node->def.input_count; k++)
      if (node->inputs[k].node && node->inputs[k].node->id < 0) node->inputs[k] = SLI_OUTPUT_NONE;
    for (int k = 0; k < node->control_input_count; k++)
      if (node->control_inputs[k]->id >= 0) node->control_inputs[controls++] = node->control_inputs[k];
    node->control_input_count = controls;
  }
  sli_graph_relink(graph);
}

// Removes the out-edges of |node| to nodes with an id of |count| or more.
static void cut_edges(sli_node_t *node, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < node->out_edges.count; i++)
    if ((size_t)node->out_edges.items[i].consumer->id < count) node->out_edges.items[kept++] = node->out_edges.items[i];
  node->out_edges.count = kept;
}

void sli_graph_truncate(sli_graph_t *graph, size_t count) {
  for (size_t i = count; i < graph->nodes.count; i++) {
    sli_node_t *node = graph->nodes.items[i];
    for (int k = 0; k < node->def.input_count; k++)
      if (node->inputs[k].node) cut_edges(node->inputs[k].node, count);
    for (int k = 0; k < node->control_input_count; k++) cut_edges(node->control_inputs[k], count);
  }
  for (size_t i = count; i < graph->nodes.count; i++) {
    sli_graph_names_remove(&graph->names, (uint32_t)i, name_of_node, graph);
    free_out_edges(graph->nodes.items[i]);
  }
  graph->nodes.count = count < graph->nodes.count ? count : graph->nodes.count;
}

sli_status_t *sli_graph_set_input(sli_node_t *node, int index, sli_output_t input) {
  SLI_RETURN_IF_ERROR(check_edge(&node->def, index, input));
  sli_node_t *old = node->inputs[index].node;
  for (size_t i = 0; old && i < old->out_edges.count; i++) {
    sli_graph_edge_t *edge = &old->out_edges.items[i];
    if (edge->consumer != node || edge->index != index) continue;
    *edge = old->out_edges.items[--old->out_edges.count];
    break;
  }
  node->inputs[index] = input;
  add_out_edge(input.node, input.index, node, index);
  return NULL;
}

sli_status_t *sli_graph_redirect(sli_output_t from, sli_output_t to) {
  for (size_t i = 0; i < from.node->out_edges.count; i++) {
    const sli_graph_edge_t *edge = &from.node->out_edges.items[i];
    if (edge->index >= 0 && edge->output == from.index && edge->consumer != to.node)
      SLI_RETURN_IF_ERROR(check_edge(&edge->consumer->def, edge->index, to));
  }
  size_t kept = 0;
  SLI_ARRAY(sli_graph_edge_t) moved = {0};
  for (size_t i = 0; i < from.node->out_edges.count; i++) {
    sli_graph_edge_t edge = from.node->out_edges.items[i];
    if (edge.consumer == to.node || (edge.index >= 0 && edge.output != from.index))
      from.node->out_edges.items[kept++] = edge;
    else
      sli_array_push(&moved, edge);
  }
  from.node->out_edges.count = kept;
  sli_status_t *status = NULL;
  for (size_t i = 0; i < moved.count && !status; i++) {
    sli_node_t *consumer = moved.items[i].consumer;
    if (moved.items[i].index >= 0) {
      consumer->inputs[moved.items[i].index] = SLI_OUTPUT_NONE;
      status = sli_graph_set_input(consumer, moved.items[i].index, to);
      continue;
    }
    for (int k = 0; k < consumer->control_input_count; k++)
      if (consumer->control_inputs[k] == from.node) consumer->control_inputs[k] = to.node;
    add_out_edge(to.node, -1, consumer, -1);
  }
  sli_array_deinitialize(&moved);
  return status;
}

void sli_graph_set_attr(sli_node_t *node, const char *name, const sli_attr_t *value) {
  sli_graph_t *graph = node->graph;
  size_t count = node->def.attr_count, at = 0;
  while (at < count && strcmp(node->def.attrs[at].name, name) != 0) at++;
  sli_attr_entry_t *attrs = sli_arena_calloc(&graph->arena, count + 1, sizeof(*attrs));
  if (count) memcpy(attrs, node->def.attrs, count * sizeof(*attrs));
  attrs[at] =
      (sli_attr_entry_t){sli_arena_strndup(&graph->arena, name, strlen(name)), sli_attr_copy(&graph->arena, value)};
  hold_tensors(graph, &attrs[at].value);
  node->def.attrs = attrs;
  node->def.attr_count = at < count ? count : count + 1;
}

void sli_graph_set_device(sli_node_t *node, const char *device) {
  node->def.device = sli_arena_strndup(&node->graph->arena, device, strlen(device));
}

sli_status_t *sli_graph_merge_shape(sli_graph_t *graph, sli_output_t output, sli_shape_t shape) {
  sli_infer_context_t context = {.node = &output.node->def, .arena = &graph->arena};
  return sli_infer_merge(&context, sli_graph_output_shape(output), sli_shape_copy(&graph->arena, shape),
                         &output.node->output_shapes[output.index]);
}

sli_graph_t *sli_graph_copy(const sli_graph_t *source, const bool *keep, sli_node_t **out_map) {
  sli_graph_t *graph = sli_graph_create();
  graph->parent = sli_graph_retain((sli_graph_t *)source);
  graph->functions = sli_graph_functions_retain(source->functions);
  graph->producer = source->producer;
  graph->min_consumer = source->min_consumer;
  for (size_t i = 0; i < source->nodes.count; i++) {
    const sli_node_t *from = source->nodes.items[i];
    out_map[i] = NULL;
    if (!keep[i]) continue;
    sli_node_t *node = node_insert(graph, &from->def);
    for (int k = 0; k < from->def.output_count; k++) {
      node->output_shapes[k] = from->output_shapes[k];
      node->output_handles[k] = from->output_handles[k];
    }
    node->assigned_device = from->assigned_device;
    out_map[i] = node;
  }
  for (size_t i = 0; i < source->nodes.count; i++) {
    const sli_node_t *from = source->nodes.items[i];
    sli_node_t *node = out_map[i];
    for (int k = 0; node && k < from->def.input_count; k++) {
      sli_node_t *producer = from->inputs[k].node ? out_map[from->inputs[k].node->id] : NULL;
      if (!producer) continue;  // it is fed: the caller connects it
      node->inputs[k] = (sli_output_t){producer, from->inputs[k].index};
      add_out_edge(producer, from->inputs[k].index, node, k);
    }
    for (int k = 0; node && k < from->control_input_count; k++)
      if (out_map[from->control_inputs[k]->id]) append_control_edge(out_map[from->control_inputs[k]->id], node);
  }
  return graph;
}

int sli_graph_compare_outputs(const void *a, const void *b) {
  const sli_output_t *x = a, *y = b;
  int order = (x->node->id > y->node->id) - (x->node->id < y->node->id);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

sli_output_t *sli_graph_sort_outputs(const sli_output_t *outputs, size_t count) {
  sli_output_t *sorted = sli_memdup(outputs, count * sizeof(*outputs));
  if (count) qsort(sorted, count, sizeof(*sorted), sli_graph_compare_outputs);
  return sorted;
}

bool sli_graph_is_among(sli_output_t output, const sli_output_t *sorted, size_t count) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (sli_graph_compare_outputs(&sorted[middle], &output) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && sorted[low].node == output.node && (output.index < 0 || sorted[low].index == output.index);
}

void sli_graph_mark_needed(const sli_graph_t *graph, sli_node_t *const *roots, size_t root_count,
                           const sli_output_t *stops, size_t stop_count, bool *keep) {
  memset(keep, 0, graph->nodes.count * sizeof(*keep));
  bool *expanded = sli_calloc(graph->nodes.count, sizeof(*expanded));
  sli_output_t *sorted = sli_graph_sort_outputs(stops, stop_count);
  SLI_ARRAY(sli_node_t *) stack = {0};
  for (size_t i = 0; i < root_count; i++) sli_array_push(&stack, roots[i]);
  while (stack.count) {
    sli_node_t *node = stack.items[--stack.count];
    keep[node->id] = true;
    if (expanded[node->id]) continue;
    expanded[node->id] = true;
    for (int i = 0; i < node->def.input_count + node->control_input_count; i++) {
      bool control = i >= node->def.input_count;
      sli_output_t input =
          control ? (sli_output_t){node->control_inputs[i - node->def.input_count], -1} : node->inputs[i];
      if (!input.node) continue;
      if (sli_graph_is_among(input, sorted, stop_count))
        keep[input.node->id] = true;
      else
        sli_array_push(&stack, input.node);
    }
  }
  free(expanded);
  free(sorted);
  sli_array_deinitialize(&stack);
}

static bool is_back_edge(const sli_node_t *producer) {
  return sli_graph_control_flow(producer) == SLI_OP_CONTROL_FLOW_NEXT_ITERATION;
}

sli_status_t *sli_graph_topological_order(const sli_graph_t *graph, int *out_order) {
  size_t count = graph->nodes.count, done = 0, next = 0;
  int *pending = sli_calloc(count, sizeof(*pending));
  for (size_t i = 0; i < count; i++) {
    const sli_node_t *node = graph->nodes.items[i];
    pending[i] = node->control_input_count;
    for (int k = 0; k < node->def.input_count; k++)
      pending[i] += node->inputs[k].node && !is_back_edge(node->inputs[k].node);
    if (!pending[i]) out_order[done++] = (int)i;
  }
  for (; next < done; next++) {
    const sli_node_t *node = graph->nodes.items[out_order[next]];
    bool back = is_back_edge(node);
    for (size_t e = 0; e < node->out_edges.count; e++) {
      const sli_graph_edge_t *edge = &node->out_edges.items[e];
      if (back && edge->index >= 0) continue;
      if (--pending[edge->consumer->id] == 0) out_order[done++] = edge->consumer->id;
    }
  }
  sli_status_t *status = NULL;
  for (size_t i = 0; done < count && i < count && !status; i++)
    if (pending[i])
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Graph is invalid, contains a cycle with %zu nodes, including: %s",
                               count - done, graph->nodes.items[i]->def.name);
  free(pending);
  return status;
}
