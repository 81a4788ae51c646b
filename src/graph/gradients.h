// Reverse-mode differentiation: adds the nodes of dy/dx to the graph.
#ifndef SLI_GRAPH_GRADIENTS_H_
#define SLI_GRAPH_GRADIENTS_H_

#include "graph/graph.h"

typedef struct {
  const char *name;  // prefix of the new nodes ("gradients"); made unique; NULL: "gradients"
  const sli_output_t *ys, *xs;
  size_t y_count, x_count;
  const sli_output_t *dys;  // incoming gradients, one per y; NULL: ones
  const sli_output_t *stops;  // outputs to treat as constants
  size_t stop_count;
  bool colocate;  // put each gradient op beside its forward op ("_class" attributes), as colocate_gradients_with_ops
} sli_gradients_request_t;

// |out_dxs[i]|: the gradient for xs[i]; values.node NULL if ys do not depend on it.
// Sums of several paths as tf.gradients makes them (AddN; concatenated IndexedSlices).
// INVALID_ARGUMENT "No gradient defined for op: X …" where an op on the way has none.
sli_status_t *sli_graph_add_gradients(sli_graph_t *graph, const sli_gradients_request_t *request,
                                      sli_indexed_slices_t *out_dxs);

#endif  // SLI_GRAPH_GRADIENTS_H_
