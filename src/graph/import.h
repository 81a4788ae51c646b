// GraphDef in and out. Import validates all that a user or a peer can send:
// message depth and size, names, ops, attributes, edges, types, cycles; its
// errors name the node. On failure the graph is as it was before.
#ifndef SLI_GRAPH_IMPORT_H_
#define SLI_GRAPH_IMPORT_H_

#include "graph/graph.h"

typedef struct {
  sli_view_t source;  // node name in the GraphDef
  int source_index;   // -1: control
  sli_output_t destination;
} sli_import_mapping_t;

typedef struct {
  const char *prefix;  // "" or NULL: none; "p" puts nodes under "p/"
  bool uniquify_names, uniquify_prefix;
  const sli_import_mapping_t *mappings;
  size_t mapping_count;
  sli_node_t *const *control_dependencies;  // every imported node without an imported input waits for these
  size_t control_dependency_count;
  const char *default_device;  // for nodes without one
  bool extend;                 // names not in the GraphDef refer to nodes of the graph (ExtendSession)
  // What to return: outputs and nodes by name, in order.
  const sli_view_t *return_outputs;  // "name:0"
  size_t return_output_count;
  const sli_view_t *return_nodes;
  size_t return_node_count;
} sli_import_options_t;

typedef struct {
  SLI_ARRAY(sli_output_t) outputs;
  SLI_ARRAY(sli_node_t *) nodes;
  SLI_ARRAY(sli_import_mapping_t) unused_mappings;  // whose source the GraphDef does not have
} sli_import_results_t;

// |options| and |results| may be NULL. |results| is added to, and emptied on failure.
sli_status_t *sli_graph_import(sli_graph_t *graph, sli_view_t graph_def, const sli_import_options_t *options,
                               sli_import_results_t *results);
void sli_import_results_deinitialize(sli_import_results_t *results);

// Appends the serialized GraphDef. Assigned devices go out where set, else requested ones.
void sli_graph_export(const sli_graph_t *graph, sli_string_t *out);
// Only the nodes and functions from these positions on, for whoever has the earlier ones (ExtendSession).
void sli_graph_export_from(const sli_graph_t *graph, size_t first_node, size_t first_function, sli_string_t *out);
void sli_node_export(const sli_node_t *node, sli_string_t *out);  // one NodeDef
// A GraphDef whose attributes that equal the op's defaults are left out (as a master sends it to workers).
void sli_graph_export_stripped(const sli_graph_t *graph, sli_string_t *out);

#endif  // SLI_GRAPH_IMPORT_H_
