// Gradients of a graph. Unlike TF_AddGradients, the gradient of a gather stays
// sparse, as IndexedSlices.
#ifndef SLUICE_GRADIENTS_H_
#define SLUICE_GRADIENTS_H_

#pragma GCC system_header  // see sluice/export.h

#include <stdbool.h>
#include <stddef.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

// A gradient: dense if only |values| is set; else sparse, with the rows |values| at |indices| of a tensor of
// |dense_shape|. Empty if no gradient flows.
typedef struct {
  TF_Output values, indices, dense_shape;
} sl_indexed_slices_t;

// How the gradients of several paths are summed. The result is the same.
typedef enum {
  SL_ADD_N = 0,                  // all at once, when the last is available
  SL_EXPERIMENTAL_TREE,          // two at a time: less memory, more nodes
  SL_EXPERIMENTAL_ACCUMULATE_N,  // the same as SL_EXPERIMENTAL_TREE, as in TensorFlow
} sl_aggregation_method_t;

// Adds nodes that compute d(sum of |ys|)/dx for each of |xs|. Their names start with |prefix|, which must be unused.
// |dys| are incoming gradients, one per y; NULL: ones. |device| is the device of the new nodes; NULL: none. All
// gradients of an op's inputs are computed before one of them is used, as with gate_gradients in Python. An x that no y
// depends on gets an empty gradient. IndexedSlices of several paths are concatenated. On failure the graph is
// unchanged.
SL_EXPORT void sl_graph_gradients(TF_Graph *graph, const char *prefix, const TF_Output *ys, size_t y_count,
                                  const TF_Output *xs, size_t x_count, const TF_Output *dys, const char *device,
                                  sl_aggregation_method_t aggregation_method, sl_indexed_slices_t *out_dxs,
                                  TF_Status *status);

typedef struct {
  size_t struct_size;
  const TF_Output *dys;  // NULL: ones
  const char *device;    // of the new nodes; NULL: none
  sl_aggregation_method_t aggregation_method;
  bool colocate;  // place the gradient of each op on that op's device, as colocate_gradients_with_ops in Python
  // Gradients reach the ops of these outputs, but do not go on from there, as with stop_gradients in Python.
  const TF_Output *stops;
  size_t stop_count;
} sl_graph_add_gradients_options_t;
// The same with options; NULL: defaults.
SL_EXPORT void sl_graph_add_gradients(TF_Graph *graph, const char *prefix, const TF_Output *ys, size_t y_count,
                                      const TF_Output *xs, size_t x_count,
                                      const sl_graph_add_gradients_options_t *options, sl_indexed_slices_t *out_dxs,
                                      TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_GRADIENTS_H_
