// Gradients of a graph with what TF_AddGradients leaves out: a gradient of a
// gather stays sparse, as IndexedSlices.
#ifndef SLUICE_GRADIENTS_H_
#define SLUICE_GRADIENTS_H_

#include <stddef.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

// A gradient: |values| alone, or the rows |values| at |indices| of a tensor of |dense_shape|; empty if none flows.
typedef struct {
  TF_Output values, indices, dense_shape;
} sl_indexed_slices_t;

// How the gradients of several paths become one. All give the same sum.
typedef enum {
  SL_ADD_N = 0,                  // at once, when the last is there
  SL_EXPERIMENTAL_TREE,          // two at a time: less memory, more nodes
  SL_EXPERIMENTAL_ACCUMULATE_N,  // as the one before, in TensorFlow too
} sl_aggregation_method_t;

// Adds the nodes of d(sum of |ys|)/dx for each of |xs|, named below |prefix|, which must be free. |dys|: incoming
// gradients, one per y; NULL: ones. |device|: of the new nodes; NULL: none. All gradients that an op gives for its
// inputs are computed before one is used, as with gate_gradients in Python. An x that no y depends on gets an empty
// gradient; IndexedSlices of several paths are joined. On failure the graph is as before.
SL_EXPORT void sl_graph_gradients(TF_Graph *graph, const char *prefix, const TF_Output *ys, size_t y_count,
                                  const TF_Output *xs, size_t x_count, const TF_Output *dys, const char *device,
                                  sl_aggregation_method_t aggregation_method, sl_indexed_slices_t *out_dxs,
                                  TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_GRADIENTS_H_
