// Changing a graph in place, for src/graph/passes and src/graph/function (graph.c). A pass may write the inputs of
// nodes directly; it calls sli_graph_relink() or sli_graph_remove_unmarked() when it is done, which set all out-edges
// again.
#ifndef SLI_GRAPH_GRAPH_REWRITE_H_
#define SLI_GRAPH_GRAPH_REWRITE_H_

#include "graph/graph.h"

// Replaces the op of |node| by that of |request|, with the same outputs, or without the last of them if nobody reads
// those. Name, device, shapes, consumers and control inputs stay; the control inputs of |request| are added. On
// INVALID_ARGUMENT the node is unchanged. The former inputs keep their out-edges to it until sli_graph_relink().
sli_status_t *sli_graph_change_op(sli_node_t *node, const sli_graph_node_t *request);
// The same, with all out-edges set, and shapes inferred again.
sli_status_t *sli_graph_replace_op(sli_node_t *node, const sli_graph_node_t *request);
// What reads an output of |from| reads that of |outputs| instead, which has one for each.
sli_status_t *sli_graph_move_data_edges(sli_node_t *from, const sli_output_t *outputs);
// Nodes that wait for |from| wait for |to| instead.
void sli_graph_move_control_edges(sli_node_t *from, sli_node_t *to);
// Sets all out-edges from the inputs.
void sli_graph_relink(sli_graph_t *graph);
// Removes the nodes for which |keep[id]| is not set, numbers the others again and links them.
void sli_graph_remove_unmarked(sli_graph_t *graph, const bool *keep);

#endif  // SLI_GRAPH_GRAPH_REWRITE_H_
