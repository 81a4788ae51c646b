// Values that outlive the step: a search forward, from a node to the ops that keep their inputs.
#include <stdlib.h>

#include "graph/graph.h"

bool sli_graph_outputs_are_kept(const sli_node_t *node) {
  bool *is_queued = sli_calloc(node->graph->nodes.count, sizeof(*is_queued)), is_kept = false;
  SLI_ARRAY(const sli_node_t *) queue = {0};
  is_queued[node->id] = true;
  sli_array_push(&queue, node);
  for (size_t next = 0; next < queue.count && !is_kept; next++) {
    const sli_node_t *producer = queue.items[next];
    for (size_t i = 0; i < producer->out_edges.count && !is_kept; i++) {
      const sli_node_t *consumer = producer->out_edges.items[i].consumer;
      if (producer->out_edges.items[i].index < 0 || is_queued[consumer->id]) continue;
      is_queued[consumer->id] = true;
      is_kept = consumer->def.op->def->keeps_inputs;
      if (consumer->def.op->def->forwards_input) sli_array_push(&queue, consumer);
    }
  }
  sli_array_deinitialize(&queue);
  free(is_queued);
  return is_kept;
}
