// Placer: gives every node a device, as TensorFlow's placer does: requested
// device parts, colocation ("_class": "loc:@n"), reference edges, kernels that
// exist, soft placement, sources on the device of their only consumer.
#ifndef SLI_RUNTIME_PLACE_PLACER_H_
#define SLI_RUNTIME_PLACE_PLACER_H_

#include "graph/graph.h"
#include "runtime/place/device_set.h"

typedef struct {
  const sli_device_set_t *devices;
  const char *default_device;  // full name, for nodes that request no device: the session's own first CPU
  bool allow_soft_placement;
  bool log_placement;  // a line per node, in TensorFlow's format
} sli_placer_options_t;

// Sets |assigned_device| of every node. INVALID_ARGUMENT "Cannot assign a device for operation x: …".
sli_status_t *sli_placer_place(sli_graph_t *graph, const sli_placer_options_t *options);

// Adds the nodes of |graph_def|, which may refer to existing nodes, to a session's
// graph and places them. On failure the graph is unchanged.
sli_status_t *sli_placer_extend_graph(sli_graph_t *graph, sli_view_t graph_def, const sli_placer_options_t *options);

#endif  // SLI_RUNTIME_PLACE_PLACER_H_
