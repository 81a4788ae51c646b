// Tensor connections of a callable: one output takes the place of another.
#include "graph/passes/passes_internal.h"

// Whether some output of |node| still has a consumer.
static bool is_read(const sli_node_t *node, const sli_pass_connection_t *connections, size_t count) {
  for (size_t i = 0; i < node->out_edges.count; i++) {
    int output = node->out_edges.items[i].output;
    bool is_replaced = output < 0;
    for (size_t k = 0; k < count && !is_replaced; k++)
      is_replaced = connections[k].to.node == node && connections[k].to.index == output;
    if (!is_replaced) return true;
  }
  return false;
}

static void connect_node(sli_node_t *node, const sli_pass_connection_t *connection, bool takes_controls) {
  for (int i = 0; i < node->def.input_count; i++)
    if (node->inputs[i].node && sli_graph_output_equal(node->inputs[i], connection->to))
      node->inputs[i] = connection->from;
  for (int i = 0; takes_controls && i < node->control_input_count; i++)
    if (node->control_inputs[i] == connection->to.node) node->control_inputs[i] = connection->from.node;
}

void sli_pass_connect(sli_pass_pruned_t *pruned, const sli_pass_connection_t *connections, size_t count) {
  sli_graph_t *graph = pruned->graph;
  for (size_t k = 0; k < count; k++) {
    bool takes_controls = !is_read(connections[k].to.node, connections, count);
    for (size_t i = 0; i < graph->nodes.count; i++)
      connect_node(graph->nodes.items[i], &connections[k], takes_controls);
  }
  sli_graph_relink(graph);
  sli_pass_drop_unused(pruned);
}
