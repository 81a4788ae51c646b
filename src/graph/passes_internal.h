// Shared by the passes.
#ifndef SLI_GRAPH_PASSES_INTERNAL_H_
#define SLI_GRAPH_PASSES_INTERNAL_H_

#include "graph/graph_internal.h"
#include "graph/passes.h"

// What a pass must know of a node, by id.
enum {
  SLI_PASS_FED = 1 << 0,      // some output is fed: the node is not what it seems
  SLI_PASS_FETCHED = 1 << 1,  // some output is fetched
  SLI_PASS_TARGET = 1 << 2,
};

// One entry per node; the caller frees it.
uint8_t *sli_pass_marks(const sli_pruned_t *pruned);
// Whether the node's outputs are a function of its inputs and attributes alone: not stateful, no files, not control
// flow (whose outputs may be dead), no placeholder, no references, plain values and strings only, no input from a
// reference or missing.
bool sli_pass_is_pure(const sli_node_t *node);
// Whether the node takes or joins branches or loops.
bool sli_pass_is_control_flow(const sli_node_t *node);

#endif  // SLI_GRAPH_PASSES_INTERNAL_H_
