// Shapes of what a call of a function returns: those that its body has for the shapes of the call's arguments.
#ifndef SLI_GRAPH_FUNCTION_FUNCTION_INFER_H_
#define SLI_GRAPH_FUNCTION_FUNCTION_INFER_H_

#include "graph/graph.h"

// For a graph's |infer_call|. As in TensorFlow's C API: calls by name, PartitionedCall and StatefulPartitionedCall,
// unless they have the attribute "_disable_call_shape_inference"; values that are known are known in the body, too; a
// shape error in the body fails the call. Shapes stay unknown where a function calls itself, where calls are nested too
// deep or bodies are too large, and if the body cannot be built at all: running it explains why.
sli_status_t *sli_function_infer_call(sli_node_t *node, sli_infer_context_t *context);

#endif  // SLI_GRAPH_FUNCTION_FUNCTION_INFER_H_
