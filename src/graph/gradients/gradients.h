// Reverse-mode differentiation: adds the nodes of dy/dx to the graph.
#ifndef SLI_GRAPH_GRADIENTS_GRADIENTS_H_
#define SLI_GRAPH_GRADIENTS_GRADIENTS_H_

#include "graph/graph.h"

typedef struct {
  const char *name;  // prefix of the new nodes, made unique; NULL: "gradients"
  const sli_output_t *ys, *xs;
  size_t y_count, x_count;
  const sli_output_t *dys;    // incoming gradients, one per y; NULL: ones
  const sli_output_t *stops;  // gradients reach their ops, but do not go on from there
  size_t stop_count;
  bool colocate;  // place each gradient op on the device of its forward op ("_class" attributes), as
                  // colocate_gradients_with_ops
  bool gate;      // outside of loops, all gradients that an op gives are ready before one is used; as gate_gradients
  bool pairwise;  // sums of several paths two at a time, "NODE_gradient_sum/AddN", as EXPERIMENTAL_TREE
  const char *device;  // of the new nodes; NULL: none
} sli_gradients_request_t;

// |out_dxs[i]|: the gradient for xs[i]; values.node NULL if ys do not depend on it.
// Sums of several paths as tf.gradients makes them (AddN; concatenated IndexedSlices).
// Handles conditionals and while loops, also nested ones: it adds a counter and
// stacks to the forward loop, and a loop that runs backwards. ys inside a loop are
// differentiated within one iteration; they must all be in the same loop.
// INVALID_ARGUMENT "No gradient defined for operation 'n' (op type: X) …" where an op
// on the path has none; UNIMPLEMENTED for second-order gradients of loops. On failure
// the graph is as it was before.
sli_status_t *sli_gradients_add(sli_graph_t *graph, const sli_gradients_request_t *request,
                                sli_gradient_slices_t *out_dxs);

// The name of a node that is called |prefix| or "|prefix|/…"; NULL: there is none.
const char *sli_gradients_find_node_under(const sli_graph_t *graph, const char *prefix);
// |wanted|, or |wanted|_1, _2 … if a node is called that or is under it. The caller frees the text.
char *sli_gradients_unused_prefix(const sli_graph_t *graph, const char *wanted);

#endif  // SLI_GRAPH_GRADIENTS_GRADIENTS_H_
