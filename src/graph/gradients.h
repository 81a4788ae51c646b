// Reverse-mode differentiation: adds the nodes of dy/dx to the graph.
#ifndef SLI_GRAPH_GRADIENTS_H_
#define SLI_GRAPH_GRADIENTS_H_

#include "graph/graph.h"

typedef struct {
  const char *name;  // prefix of the new nodes, made unique; NULL: "gradients"
  const sli_output_t *ys, *xs;
  size_t y_count, x_count;
  const sli_output_t *dys;    // incoming gradients, one per y; NULL: ones
  const sli_output_t *stops;  // their ops get gradients, but pass none on
  size_t stop_count;
  bool colocate;  // put each gradient op beside its forward op ("_class" attributes), as colocate_gradients_with_ops
  bool gate;      // outside of loops, all gradients that an op gives are ready before one is used; as gate_gradients
  bool pairwise;  // sums of several paths two at a time, "NODE_gradient_sum/AddN", as EXPERIMENTAL_TREE
  const char *device;  // of the new nodes; NULL: none
} sli_gradients_request_t;

// |out_dxs[i]|: the gradient for xs[i]; values.node NULL if ys do not depend on it.
// Sums of several paths as tf.gradients makes them (AddN; concatenated IndexedSlices).
// Goes through conditionals and while loops, nested ones too: adds a counter and
// stacks to a forward loop and a loop that runs backwards. ys inside a loop are
// differentiated within one of its turns; they must all lie in the same loop.
// INVALID_ARGUMENT "No gradient defined for operation 'n' (op type: X) …" where an op
// on the way has none; UNIMPLEMENTED for second-order gradients of loops. On failure
// the graph is as it was before.
sli_status_t *sli_graph_add_gradients(sli_graph_t *graph, const sli_gradients_request_t *request,
                                      sli_indexed_slices_t *out_dxs);

// The name of a node that is |prefix| or lies under it; NULL: the prefix is free.
const char *sli_gradients_find_under(const sli_graph_t *graph, const char *prefix);
// |wanted|, or |wanted|_1, _2 … if a node has that name or lies under it. The caller frees it.
char *sli_gradients_free_prefix(const sli_graph_t *graph, const char *wanted);

#endif  // SLI_GRAPH_GRADIENTS_H_
