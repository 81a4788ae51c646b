// Shared by the passes.
#ifndef SLI_GRAPH_PASSES_PASSES_INTERNAL_H_
#define SLI_GRAPH_PASSES_PASSES_INTERNAL_H_

#include "graph/graph_rewrite.h"
#include "graph/passes/passes.h"

// What a signature uses a node for.
enum {
  SLI_PASS_FED = 1 << 0,      // some output is fed: consumers do not get the value that the node computes
  SLI_PASS_FETCHED = 1 << 1,  // some output is fetched
  SLI_PASS_TARGET = 1 << 2,
};

// The marks of all nodes, by id; the caller frees the array.
uint8_t *sli_pass_marks(const sli_pass_pruned_t *pruned);
// Whether a pass may compute, merge or drop the node: its outputs depend on its inputs and attributes alone
// (sli_graph_is_function), inputs and outputs are numbers or strings, all inputs are connected and none of them is a
// reference.
bool sli_pass_is_pure(const sli_node_t *node);
// Whether both nodes are assigned to the same device, or both to none.
bool sli_pass_same_device(const sli_node_t *a, const sli_node_t *b);
// Whether the node runs on a CPU, or is not assigned to a device yet: the fused ops have kernels for CPUs only.
bool sli_pass_is_on_cpu(const sli_node_t *node);

#endif  // SLI_GRAPH_PASSES_PASSES_INTERNAL_H_
