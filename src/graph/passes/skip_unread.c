// Unread values. A pure node that other nodes only wait for, such as the gradient of
// an input that is grouped with those of the weights, becomes a NoOp that waits for
// the node's inputs. Consumers are visited before producers, so that whole chains of
// unread values are skipped.
#include <stdlib.h>

#include "graph/passes/passes_internal.h"

typedef struct {
  const sli_pass_pruned_t *pruned;
  // By id:
  uint8_t *marks;
  int *readers;  // number of inputs that read an output of the node
} skip_t;

// One output of a control flow op may be dead while the op is alive, and a control edge does not show that.
static bool needs_control_flow(const sli_node_t *node) {
  for (int i = 0; i < node->def.input_count; i++)
    if (sli_graph_control_flow(node->inputs[i].node)) return true;
  return false;
}

static bool is_unread(const skip_t *skip, const sli_node_t *node) {
  return skip->readers[node->id] == 0 && !skip->marks[node->id] && sli_pass_is_pure(node) &&
         !node->def.op->def->is_check && !needs_control_flow(node);
}

// Whether |node| became a NoOp.
static bool skip_node(skip_t *skip, sli_node_t *node) {
  SLI_ARRAY(sli_node_t *) needed = {0};
  for (int i = 0; i < node->def.input_count; i++) {
    sli_node_t *producer = node->inputs[i].node;
    skip->readers[producer->id]--;
    // A fed value is there from the start.
    if (!(skip->marks[producer->id] & SLI_PASS_FED)) sli_array_push(&needed, producer);
  }
  sli_graph_node_t request = {
      .op = "NoOp", .control_inputs = needed.items, .control_input_count = (size_t)needed.count};
  sli_status_t *status = sli_graph_change_op(node, &request);
  bool done = !status;
  sli_status_release(status);
  sli_array_deinitialize(&needed);
  return done;
}

void sli_pass_skip_unread(sli_pass_pruned_t *pruned) {
  sli_graph_t *graph = pruned->graph;
  size_t count = graph->nodes.count;
  int *order = sli_calloc(count + 1, sizeof(*order));
  skip_t skip = {pruned, sli_pass_marks(pruned), sli_calloc(count + 1, sizeof(int))};
  bool any = false;
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < graph->nodes.items[i]->def.input_count; k++) {
      const sli_node_t *producer = graph->nodes.items[i]->inputs[k].node;
      if (producer) skip.readers[producer->id]++;
    }
  sli_status_t *status = sli_graph_topological_order(graph, order);
  for (size_t i = count; i-- > 0 && !status;) {
    sli_node_t *node = graph->nodes.items[order[i]];
    if (is_unread(&skip, node)) any |= skip_node(&skip, node);
  }
  sli_status_release(status);  // a cycle: compiling the plan will report it
  if (any) sli_graph_relink(graph);
  free(skip.marks);
  free(skip.readers);
  free(order);
}
