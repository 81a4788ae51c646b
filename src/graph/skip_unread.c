// Values that nobody reads. A pure node that is there only because others wait for
// it, such as the gradient of an input that is grouped with those of the weights,
// becomes a NoOp that waits for what the node needed. Consumers come before
// producers, so that whole chains of unread values fall.
#include <stdlib.h>

#include "graph/passes_internal.h"

typedef struct {
  const sli_pruned_t *pruned;
  // By id:
  uint8_t *marks;
  int *readers;  // inputs that read some output
} skip_t;

// What checks its input is there for the error, not for the value.
static bool is_check(const sli_node_t *node) {
  return sli_node_is(node, "CheckNumerics") || sli_node_is(node, "CheckNumericsV2");
}

// An output of control flow may be dead by itself, which a control edge cannot tell.
static bool needs_control_flow(const sli_node_t *node) {
  for (int i = 0; i < node->def.input_count; i++)
    if (sli_pass_is_control_flow(node->inputs[i].node)) return true;
  return false;
}

static bool is_unread(const skip_t *skip, const sli_node_t *node) {
  return skip->readers[node->id] == 0 && !skip->marks[node->id] && sli_pass_is_pure(node) && !is_check(node) &&
         !needs_control_flow(node);
}

// Whether |node| became a NoOp.
static bool skip_node(skip_t *skip, sli_node_t *node) {
  SLI_ARRAY(sli_node_t *) needed = {0};
  for (int i = 0; i < node->def.input_count; i++) {
    sli_node_t *producer = node->inputs[i].node;
    skip->readers[producer->id]--;
    // What is fed is there from the start.
    if (!(skip->marks[producer->id] & SLI_PASS_FED)) sli_array_push(&needed, producer);
  }
  sli_graph_node_t request = {
      .op = "NoOp", .control_inputs = needed.items, .control_input_count = (size_t)needed.count};
  sli_status_t *status = sli_graph_change(node, &request);
  bool done = !status;
  sli_status_release(status);
  sli_array_deinitialize(&needed);
  return done;
}

void sli_pass_skip_unread(sli_pruned_t *pruned) {
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
  sli_status_t *status = sli_graph_order(graph, order);
  for (size_t i = count; i-- > 0 && !status;) {
    sli_node_t *node = graph->nodes.items[order[i]];
    if (is_unread(&skip, node)) any |= skip_node(&skip, node);
  }
  sli_status_release(status);  // a cycle: making the plan will say it
  if (any) sli_graph_relink(graph);
  free(skip.marks);
  free(skip.readers);
  free(order);
}
