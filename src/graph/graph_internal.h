// Shared within src/graph only.
#ifndef SLI_GRAPH_GRAPH_INTERNAL_H_
#define SLI_GRAPH_GRAPH_INTERNAL_H_

#include "graph/graph.h"

// An integer vector's value as a shape, as far as it is known (constant.c).
sli_shape_t sli_graph_constant_shape(sli_arena_t *arena, sli_output_t output);

#endif  // SLI_GRAPH_GRAPH_INTERNAL_H_
