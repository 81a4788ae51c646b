// Import and export of GraphDefs. Import checks everything that a user or a peer can
// send: message depth and size, names, ops, attributes, edges, types and cycles.
// Errors name the node. On failure the graph is unchanged.
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
  sli_node_t *const *control_dependencies;  // imported nodes that have no imported input wait for these
  size_t control_dependency_count;
  const char *default_device;  // for nodes that request no device
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

// |options| and |results| may be NULL. Appends to |results|; on failure empties it.
sli_status_t *sli_graph_import(sli_graph_t *graph, sli_view_t graph_def, const sli_import_options_t *options,
                               sli_import_results_t *results);
void sli_import_results_deinitialize(sli_import_results_t *results);

// The body of a function as nodes. Its inputs are named "argument", "argument:index", "node:output" or
// "node:output:index"; attributes "$T" are replaced by those of |attrs|.
typedef struct {
  sli_view_t name;
  const sli_output_t *outputs;  // more than one, or none, for a list
  size_t count;
} sli_import_argument_t;
typedef struct {
  const sli_map_t *arguments;  // name to sli_import_argument_t
  const sli_attr_entry_t *attrs;
  size_t attr_count;
} sli_import_body_t;

// Adds the nodes of a serialized FunctionDef. On failure the graph is unchanged.
sli_status_t *sli_graph_import_body(sli_graph_t *graph, sli_view_t function_def, const sli_import_body_t *body);
// Appends what |text| names in the body that was imported. INVALID_ARGUMENT if there is nothing.
typedef SLI_ARRAY(sli_output_t) sli_import_outputs_t;
sli_status_t *sli_graph_find_in_body(const sli_graph_t *graph, const sli_import_body_t *body, sli_view_t text,
                                     sli_import_outputs_t *outputs);
// Replaces "$T" by the attribute |attrs| has of that name, in |attr| and in the functions that it names; all in
// |arena|. Tensors are retained. INVALID_ARGUMENT if there is none.
sli_status_t *sli_import_bind_attr(const sli_attr_entry_t *attrs, size_t attr_count, sli_arena_t *arena,
                                   sli_attr_t *attr);

// Appends the serialized GraphDef. A node's device is the assigned one if set, else the requested one.
void sli_graph_export(const sli_graph_t *graph, sli_string_t *out);
// Only the nodes and functions from these positions on, for a receiver that has the earlier ones (ExtendSession).
void sli_graph_export_from(const sli_graph_t *graph, size_t first_node, size_t first_function, sli_string_t *out);
void sli_graph_node_export(const sli_node_t *node, sli_string_t *out);  // one NodeDef
// The same under another name and with other inputs, for the body of a function.
void sli_graph_node_export_as(const sli_node_t *node, const char *name, const sli_view_t *inputs, size_t input_count,
                              sli_string_t *out);
// A GraphDef without the attributes that equal the op's defaults, as a master sends it to workers.
void sli_graph_export_stripped(const sli_graph_t *graph, sli_string_t *out);

#endif  // SLI_GRAPH_IMPORT_H_
