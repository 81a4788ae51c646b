// A part of a graph as a function: the FunctionDef that TF_GraphToFunction makes.
#ifndef SLI_GRAPH_FUNCTION_FUNCTION_EXPORT_H_
#define SLI_GRAPH_FUNCTION_FUNCTION_EXPORT_H_

#include "graph/import.h"

typedef struct {
  const char *name;
  bool append_hash;  // to the name, so that different functions get different names
  sli_node_t *const *nodes;
  size_t node_count;
  const sli_output_t *inputs;  // become arguments; their nodes may be among |nodes| or not
  size_t input_count;
  const sli_output_t *outputs;  // become results
  size_t output_count;
  const char *const *output_names;  // NULL: after their nodes
  sli_node_t *const *controls;      // that a call must have run
  size_t control_count;
  const char *const *control_names;  // NULL: after their nodes
  const char *description;           // NULL: none
} sli_function_export_t;

// Appends the serialized FunctionDef. INVALID_ARGUMENT, with TensorFlow's texts, if a node of the body reads something
// that is neither in the body nor an input.
sli_status_t *sli_function_export(const sli_function_export_t *request, sli_string_t *out);

#endif  // SLI_GRAPH_FUNCTION_FUNCTION_EXPORT_H_
