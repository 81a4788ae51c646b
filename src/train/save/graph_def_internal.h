// Serializes a graph for files and event files.
#ifndef SLI_TRAIN_SAVE_GRAPH_DEF_INTERNAL_H_
#define SLI_TRAIN_SAVE_GRAPH_DEF_INTERNAL_H_

#include "base/status.h"
#include "base/string.h"
#include "tensorflow/c/c_api.h"

// Appends |graph| as a GraphDef with the shapes of all outputs (attribute "_output_shapes"), serialized or in text
// format. Thread-safe.
sli_status_t *sli_graph_def_append(TF_Graph *graph, bool as_text, sli_string_t *out);

#endif  // SLI_TRAIN_SAVE_GRAPH_DEF_INTERNAL_H_
