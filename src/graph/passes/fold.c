// Constant folding. First all constant values are computed in topological order. Then
// the nodes change whose values are used outside of the constant part: a node with one
// output becomes a constant with the same name; a node with several outputs gets a
// constant for each output that is used. The nodes before them are no longer needed.
//
// A constant waits for everything that the nodes it replaces waited for. So it is dead
// when they were, comes no earlier, and is in the same loop.
#include <stdlib.h>

#include "graph/passes/passes_internal.h"

enum {
  MAX_CONTROLS = 16,          // control inputs of a constant
  SMALL_BYTES = 100 * 1024,   // a value up to this size may be larger than the inputs it is computed from
  DEFAULT_BYTES = 10 << 20,   // the largest value that is kept
  COSTLY_BYTES = 256 * 1024,  // larger inputs of an expensive kernel would delay the first step
};

typedef SLI_ARRAY(sli_node_t *) node_list_t;

typedef struct {
  sli_pass_pruned_t *pruned;
  const sli_pass_fold_options_t *options;
  size_t max_bytes, count;  // |count|: nodes before the pass
  // By id:
  uint8_t *marks;
  sli_tensor_t ***values;  // by output, a reference each; NULL: not constant
  node_list_t *controls;   // what a constant node waits for
  bool any;
} fold_t;

static size_t bytes_of(const sli_tensor_t *tensor) {
  if (tensor->dtype != SLI_DTYPE_STRING) return sli_tensor_bytes(tensor);
  size_t bytes = 0;
  for (int64_t i = 0; i < tensor->count; i++) bytes += sizeof(sli_tstring_t) + sli_tensor_string_at(tensor, i).size;
  return bytes;
}

static sli_tensor_t *value_of(const fold_t *fold, sli_output_t output) {
  sli_tensor_t **values = (size_t)output.node->id < fold->count ? fold->values[output.node->id] : NULL;
  return values ? values[output.index] : NULL;
}

static void add_controls(node_list_t *list, sli_node_t *const *nodes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool is_there = false;
    for (size_t k = 0; k < list->count && !is_there; k++) is_there = list->items[k] == nodes[i];
    if (!is_there && list->count <= MAX_CONTROLS) sli_array_push(list, nodes[i]);
  }
}

// Collects what |node|'s value would have to wait for; false if that is too much.
static bool gather_controls(fold_t *fold, const sli_node_t *node) {
  node_list_t *list = &fold->controls[node->id];
  add_controls(list, node->control_inputs, (size_t)node->control_input_count);
  for (int i = 0; i < node->def.input_count; i++) {
    const node_list_t *more = &fold->controls[node->inputs[i].node->id];
    add_controls(list, more->items, more->count);
  }
  return list->count <= MAX_CONTROLS;
}

static bool take_constant(fold_t *fold, const sli_node_t *node) {
  const sli_attr_t *value = sli_node_attr(&node->def, "value");
  // If type and value disagree, the kernel reports it.
  if (!value || value->kind != SLI_ATTR_TENSOR || value->tensor->dtype != node->def.output_types[0]) return false;
  sli_tensor_t **values = sli_calloc(1, sizeof(*values));
  values[0] = sli_tensor_retain(value->tensor);
  fold->values[node->id] = values;
  return true;
}

static size_t input_bytes(const fold_t *fold, const sli_node_t *node) {
  size_t bytes = 0;
  for (int i = 0; i < node->def.input_count; i++) bytes += bytes_of(value_of(fold, node->inputs[i]));
  return bytes;
}

static bool is_size_allowed(const fold_t *fold, size_t bytes, size_t from) {
  return bytes <= fold->max_bytes && (bytes <= SMALL_BYTES || bytes <= from);
}

// Checks by the shapes, before the kernel runs, that the values are not too large.
static bool may_compute(const fold_t *fold, const sli_node_t *node, const sli_kernel_def_t *kernel) {
  size_t from = input_bytes(fold, node);
  if (!kernel->compute || kernel->blocks || (kernel->expensive && from > COSTLY_BYTES)) return false;
  for (int i = 0; i < node->def.output_count; i++) {
    int64_t count = sli_shape_is_fully_known(node->output_shapes[i]) ? sli_shape_count(node->output_shapes[i]) : 0;
    if (count < 0 || (uint64_t)count > fold->max_bytes ||
        !is_size_allowed(fold, (size_t)count * sli_dtype_size(node->def.output_types[i]), from))
      return false;
  }
  return true;
}

static bool compute(fold_t *fold, const sli_node_t *node) {
  size_t inputs = (size_t)node->def.input_count, outputs = (size_t)node->def.output_count;
  const sli_kernel_def_t *kernel;
  sli_status_t *status = sli_kernel_find(&node->def, fold->options->device->type, &kernel);
  bool is_known = !status && may_compute(fold, node, kernel);
  sli_status_release(status);
  if (!is_known) return false;
  sli_kernel_value_t *in = sli_calloc(inputs, sizeof(*in)), *out = sli_calloc(outputs, sizeof(*out));
  for (size_t i = 0; i < inputs; i++) in[i].tensor = sli_tensor_retain(value_of(fold, node->inputs[i]));
  status = sli_kernel_evaluate(&node->def, kernel, fold->options->device, in, out);
  is_known = !status;
  size_t from = input_bytes(fold, node);
  for (size_t i = 0; i < outputs && is_known; i++)
    is_known = out[i].tensor && is_size_allowed(fold, bytes_of(out[i].tensor), from);
  sli_tensor_t **values = sli_calloc(outputs, sizeof(*values));
  for (size_t i = 0; i < outputs; i++) {
    if (is_known)
      values[i] = out[i].tensor;
    else
      sli_tensor_release(out[i].tensor);
  }
  for (size_t i = 0; i < inputs; i++) sli_tensor_release(in[i].tensor);
  if (is_known)
    fold->values[node->id] = values;
  else
    free(values);
  sli_status_release(status);  // the step will report it
  free(in);
  free(out);
  return is_known;
}

static bool has_constant_inputs(const fold_t *fold, const sli_node_t *node) {
  for (int i = 0; i < node->def.input_count; i++)
    if (!node->inputs[i].node || !value_of(fold, node->inputs[i])) return false;
  return node->def.input_count > 0;
}

static void find_values(fold_t *fold, const int *order) {
  for (size_t i = 0; i < fold->count; i++) {
    const sli_node_t *node = fold->pruned->graph->nodes.items[order[i]];
    if (fold->marks[node->id] & SLI_PASS_FED) continue;
    bool is_constant = sli_graph_node_is(node, "Const");
    if (!is_constant && (!has_constant_inputs(fold, node) || !sli_pass_is_pure(node))) continue;
    if (!gather_controls(fold, node)) continue;
    if (is_constant)
      take_constant(fold, node);
    else
      fold->any |= compute(fold, node);
  }
}

// Whether the node is fetched, a target, fed, or used by a node that is not constant.
static bool is_seen(const fold_t *fold, const sli_node_t *node) {
  if (fold->marks[node->id]) return true;
  for (size_t i = 0; i < node->out_edges.count; i++) {
    const sli_graph_edge_t *edge = &node->out_edges.items[i];
    if (edge->index < 0 || !fold->values[edge->consumer->id]) return true;
  }
  return false;
}

static sli_graph_node_t constant_request(const fold_t *fold, const sli_node_t *node, int output,
                                         sli_attr_entry_t attrs[2]) {
  attrs[0] = SLI_ATTR_TYPE_OF("dtype", node->def.output_types[output]);
  attrs[1] = SLI_ATTR_TENSOR_OF("value", fold->values[node->id][output]);
  const node_list_t *controls = &fold->controls[node->id];
  return (sli_graph_node_t){.op = "Const",
                            .device = node->def.device,
                            .control_inputs = controls->items,
                            .control_input_count = controls->count,
                            .attrs = attrs,
                            .attr_count = 2};
}

static void become_constant(fold_t *fold, sli_node_t *node) {
  sli_attr_entry_t attrs[2];
  sli_graph_node_t request = constant_request(fold, node, 0, attrs);
  sli_status_t *status = sli_graph_change_op(node, &request);
  SLI_CHECK(!status);
  node->output_shapes[0] = sli_shape_copy(&node->graph->arena, sli_tensor_shape(fold->values[node->id][0]));
}

static sli_node_t *add_constant(fold_t *fold, sli_node_t *node, int output) {
  sli_attr_entry_t attrs[2];
  sli_graph_node_t request = constant_request(fold, node, output, attrs);
  char *base = sli_format("%s/folded_%d", node->def.name, output);
  request.name = sli_graph_unique_name(node->graph, base);
  free(base);
  sli_node_t *constant;
  sli_status_t *status = sli_graph_add(node->graph, &request, &constant);
  SLI_CHECK(!status);
  constant->assigned_device = node->assigned_device;
  return constant;
}

// Moves the consumers of each used output to a new constant. Nodes that only wait for the node wait for the first one.
static void split_into_constants(fold_t *fold, sli_node_t *node) {
  sli_node_t **constants = sli_calloc((size_t)node->def.output_count, sizeof(*constants)), *first = NULL;
  for (size_t i = 0; i < node->out_edges.count; i++) {
    sli_graph_edge_t edge = node->out_edges.items[i];
    if (edge.index < 0 || fold->values[edge.consumer->id]) continue;
    if (!constants[edge.output]) constants[edge.output] = add_constant(fold, node, edge.output);
    if (!first) first = constants[edge.output];
    edge.consumer->inputs[edge.index] = (sli_output_t){constants[edge.output], 0};
  }
  for (size_t i = 0; i < fold->pruned->fetch_count; i++) {
    sli_output_t *fetch = &fold->pruned->fetches[i];
    if (fetch->node != node) continue;
    if (!constants[fetch->index]) constants[fetch->index] = add_constant(fold, node, fetch->index);
    if (!first) first = constants[fetch->index];
    *fetch = (sli_output_t){constants[fetch->index], 0};
  }
  for (size_t i = 0; first && i < node->out_edges.count; i++) {
    sli_node_t *consumer = node->out_edges.items[i].consumer;
    if (node->out_edges.items[i].index >= 0) continue;
    for (int k = 0; k < consumer->control_input_count; k++)
      if (consumer->control_inputs[k] == node) consumer->control_inputs[k] = first;
  }
  free(constants);
}

static void replace_nodes(fold_t *fold) {
  for (size_t i = 0; i < fold->count; i++) {
    sli_node_t *node = fold->pruned->graph->nodes.items[i];
    if (!fold->values[i] || sli_graph_node_is(node, "Const") || !is_seen(fold, node)) continue;
    if (node->def.output_count == 1)
      become_constant(fold, node);
    else
      split_into_constants(fold, node);
  }
  sli_graph_relink(fold->pruned->graph);
}

void sli_pass_fold(sli_pass_pruned_t *pruned, const sli_pass_fold_options_t *options) {
  size_t count = pruned->graph->nodes.count;
  sli_arena_t arena = {0};
  int *order = sli_arena_calloc(&arena, count, sizeof(*order));
  fold_t fold = {
      .pruned = pruned,
      .options = options,
      .max_bytes = options->max_bytes ? options->max_bytes : DEFAULT_BYTES,
      .count = count,
      .marks = sli_pass_marks(pruned),
      .values = sli_arena_calloc(&arena, count, sizeof(sli_tensor_t **)),
      .controls = sli_arena_calloc(&arena, count, sizeof(node_list_t)),
  };
  sli_status_t *status = sli_graph_topological_order(pruned->graph, order);
  if (!status) find_values(&fold, order);
  if (fold.any) replace_nodes(&fold);
  sli_status_release(status);  // a cycle: compiling the plan will report it
  for (size_t i = 0; i < count; i++) {
    int outputs = fold.values[i] ? pruned->graph->nodes.items[i]->def.output_count : 0;
    for (int k = 0; k < outputs; k++) sli_tensor_release(fold.values[i][k]);
    free(fold.values[i]);
    sli_array_deinitialize(&fold.controls[i]);
  }
  free(fold.marks);
  sli_arena_deinitialize(&arena);
}
