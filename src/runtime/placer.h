// Placer: gives every node a device, as TensorFlow's placer does: requested
// device parts, colocation ("_class": "loc:@n"), reference edges, kernels that
// exist, soft placement; sources beside their only consumer.
#ifndef SLI_RUNTIME_PLACER_H_
#define SLI_RUNTIME_PLACER_H_

#include "graph/graph.h"
#include "runtime/device_set.h"

typedef struct {
  const sli_device_set_t *devices;
  const char *default_device;  // full name: where free nodes go (the session's own first CPU)
  bool allow_soft_placement;
  bool log_placement;  // a line per node, in TensorFlow's format
} sli_placer_options_t;

// Sets |assigned_device| of every node. INVALID_ARGUMENT "Cannot assign a device for operation x: …".
sli_status_t *sli_place(sli_graph_t *graph, const sli_placer_options_t *options);

// Adds the nodes of |graph_def| to a session's graph (its nodes may refer to those
// that are there) and places them; on failure the graph is as before.
sli_status_t *sli_graph_extend_placed(sli_graph_t *graph, sli_view_t graph_def, const sli_placer_options_t *options);

#endif  // SLI_RUNTIME_PLACER_H_
