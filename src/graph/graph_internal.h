// Shared within src/graph only.
#ifndef SLI_GRAPH_GRAPH_INTERNAL_H_
#define SLI_GRAPH_GRAPH_INTERNAL_H_

#include "graph/graph.h"

// Whether the node's outputs depend on the machine that it runs on, though not stateful: it must run on its own task,
// in every step, and no pass may run it elsewhere (constant.c).
bool sli_node_reads_its_place(const sli_node_t *node);
// An integer vector's value as a shape, as far as it is known (constant.c).
sli_shape_t sli_graph_constant_shape(sli_arena_t *arena, sli_output_t output);

// For passes, which change much at once (graph.c). Inputs are theirs to write; out-edges are made anew by
// sli_graph_relink() or sli_graph_keep() when they are done.

// Makes |node| another op with the same outputs, or without the last of them where nobody reads those; name, device,
// shapes, consumers and control inputs stay, and |request|'s control inputs come in addition. INVALID_ARGUMENT leaves
// it as it was. The former inputs keep their out-edges to it until the graph is linked anew.
sli_status_t *sli_graph_change(sli_node_t *node, const sli_graph_node_t *request);
void sli_graph_relink(sli_graph_t *graph);
// Takes out the nodes for which |keep[id]| is not set, renumbers the others and links them.
void sli_graph_keep(sli_graph_t *graph, const bool *keep);

#endif  // SLI_GRAPH_GRAPH_INTERNAL_H_
