// Graph: nodes in the order they were added, with edges in both directions, names,
// and the shapes inferred so far. All memory is in the graph's arena and freed with
// it. Reference-counted. Not thread-safe: the caller locks.
#ifndef SLI_GRAPH_GRAPH_H_
#define SLI_GRAPH_GRAPH_H_

#include "base/array.h"
#include "base/map.h"
#include "core/op/gradient.h"
#include "core/op/op_registry.h"
#include "core/op/shape_inference.h"
#include "graph/names.h"

typedef struct sli_graph sli_graph_t;

// The version of the GraphDefs that we write, and the newest that we read: that of TensorFlow 2.15.
enum { SLI_GRAPH_VERSION = 1645 };

// An edge to a consumer: its input |index|, or -1 for a control edge.
typedef struct {
  sli_node_t *consumer;
  int output;  // of the producer; -1 for a control edge
  int index;
} sli_graph_edge_t;

// Other rooms may read all fields. Only src/graph writes them, except |assigned_device|.
struct sli_node {
  sli_node_def_t def;
  sli_graph_t *graph;
  int id;  // position in graph->nodes
  int control_input_count;
  sli_output_t *inputs;  // def.input_count of them
  sli_node_t **control_inputs;
  struct {
    sli_graph_edge_t *items;
    uint32_t count, capacity;
  } out_edges;
  sli_shape_t *output_shapes;  // def.output_count of them
  sli_infer_handle_t *output_handles;
  const char *assigned_device;  // full name, by the placer; NULL before
};

// A function of a graph's library, also as an op: a node may be called after it.
typedef struct {
  sli_view_t bytes;  // a serialized FunctionDef
  sli_op_t *op;      // its signature
} sli_graph_function_t;

// A function library. Immutable, thread-safe, reference counted: graphs, their copies and what runs them share it. A
// larger library keeps the one alive that it was made from.
typedef struct sli_graph_functions sli_graph_functions_t;
struct sli_graph_functions {
  sli_refcount_t references;
  sli_arena_t arena;
  sli_graph_functions_t *base;
  SLI_ARRAY(const sli_graph_function_t *) items;  // in the order in which they were added
  size_t own;                                     // items before this one belong to |base|
  sli_map_t by_name;                              // to sli_graph_function_t
  sli_map_t gradients;                            // name of a function to the name of its gradient function, a text
};

// Infers the outputs of a node that calls a function, after the op's own shape function.
typedef sli_status_t *(*sli_graph_infer_call_fn_t)(sli_node_t *node, sli_infer_context_t *context);

struct sli_graph {
  sli_refcount_t references;
  sli_arena_t arena;
  SLI_ARRAY(sli_node_t *) nodes;
  sli_graph_names_t names;  // of |nodes|
  sli_map_t unique_names;   // how often a base name was made unique
  int producer, min_consumer;
  SLI_ARRAY(const sli_attr_t *) held;    // attributes in the arena whose tensors are released with the graph
  sli_graph_t *parent;                   // a copy shares definitions with its source and keeps it alive
  sli_graph_functions_t *functions;      // NULL: none
  sli_graph_infer_call_fn_t infer_call;  // NULL: shapes of calls stay unknown. Not in copies of the graph.
  const void *infer_state;               // of |infer_call|
};

sli_graph_functions_t *sli_graph_functions_retain(sli_graph_functions_t *functions);
void sli_graph_functions_release(sli_graph_functions_t *functions);
// NULL: there is none of this name. |functions| may be NULL.
const sli_graph_function_t *sli_graph_functions_find(const sli_graph_functions_t *functions, sli_view_t name);
// The name of the function's gradient function; NULL: it has none.
const char *sli_graph_functions_gradient(const sli_graph_functions_t *functions, sli_view_t name);
static inline size_t sli_graph_function_count(const sli_graph_t *graph) {
  return graph->functions ? graph->functions->items.count : 0;
}
// Adds FunctionDefs and GradientDefs (serialized) to the graph's library. What is equal to what it has is ignored.
// INVALID_ARGUMENT, in TensorFlow's words, for another function with a known name. On failure nothing changes.
typedef struct {
  const sli_view_t *functions, *gradients;
  size_t function_count, gradient_count;
} sli_graph_library_t;
sli_status_t *sli_graph_add_functions(sli_graph_t *graph, const sli_graph_library_t *library);
// The same for a library, which may be NULL and stays as it is.
sli_status_t *sli_graph_functions_extend(sli_graph_functions_t *functions, const sli_graph_library_t *library,
                                         sli_graph_functions_t **out_functions);
// Drops the functions that no node needs, directly or through others (functions_needed.c).
void sli_graph_drop_functions(sli_graph_t *graph);

sli_graph_t *sli_graph_create(void);
// RESOURCE_EXHAUSTED if there is not enough memory for work on a graph of |nodes| nodes that takes about |bytes|;
// |what| completes the message "Not enough memory to …".
sli_status_t *sli_graph_check_memory(const char *what, size_t nodes, size_t bytes);
sli_graph_t *sli_graph_retain(sli_graph_t *graph);
void sli_graph_release(sli_graph_t *graph);

sli_node_t *sli_graph_find(const sli_graph_t *graph, sli_view_t name);
// Finds the output called "name:1", or "name" for output 0. NOT_FOUND or INVALID_ARGUMENT with the name.
sli_status_t *sli_graph_find_output(const sli_graph_t *graph, sli_view_t tensor_name, sli_output_t *out_output);
// |base|, or |base|_1, _2 … if that is taken. The text is in the graph's arena.
const char *sli_graph_unique_name(sli_graph_t *graph, const char *base);
// Frees the index of the names. The graph is complete: nodes are neither found by name nor added any more.
void sli_graph_forget_names(sli_graph_t *graph);

static inline sli_dtype_t sli_graph_output_dtype(sli_output_t output) {
  return output.node->def.output_types[output.index];
}
static inline sli_shape_t sli_graph_output_shape(sli_output_t output) {
  return output.node->output_shapes[output.index];
}
static inline bool sli_graph_output_equal(sli_output_t a, sli_output_t b) {
  return a.node == b.node && a.index == b.index;
}
// For qsort: orders outputs of one graph by node and index.
int sli_graph_compare_outputs(const void *a, const void *b);
// A sorted copy of |outputs|, which the caller frees; and whether one of them is |output|, or, if its index is -1, any
// output of its node.
sli_output_t *sli_graph_sort_outputs(const sli_output_t *outputs, size_t count);
bool sli_graph_is_among(sli_output_t output, const sli_output_t *sorted, size_t count);
static inline bool sli_graph_node_is(const sli_node_t *node, const char *op) {
  return strcmp(node->def.op->def->name, op) == 0;
}
static inline sli_op_control_flow_t sli_graph_control_flow(const sli_node_t *node) {
  return node->def.op->def->control_flow;
}

// A request for a new node. Everything is copied.
typedef struct {
  const char *op, *name, *device;  // device NULL: none
  const sli_output_t *inputs;
  size_t input_count;
  sli_node_t *const *control_inputs;
  size_t control_input_count;
  const sli_attr_entry_t *attrs;
  size_t attr_count;
  const int *list_sizes;  // see sli_node_request_t
  bool infer;             // absent type attributes from the inputs
  bool is_private;        // |op| is a private op (core/op/op_registry.h)
} sli_graph_node_t;

// Adds a node: checks name ("Duplicate node name in graph: 'x'"), op, attributes and
// types, and infers its shapes. A shape error fails the call, as in TensorFlow.
sli_status_t *sli_graph_add(sli_graph_t *graph, const sli_graph_node_t *request, sli_node_t **out_node);
// Removes all nodes from position |count| on, with their edges (after an import that failed).
void sli_graph_truncate(sli_graph_t *graph, size_t count);
// Edges that are added later: a control edge, and the back edge of a loop (NextIteration to Merge's input |index|).
void sli_graph_add_control_edge(sli_node_t *from, sli_node_t *to);
sli_status_t *sli_graph_set_input(sli_node_t *node, int index, sli_output_t input);
// Moves the consumers of |from|, and the control consumers of its node, to |to|. On failure none is moved.
sli_status_t *sli_graph_redirect(sli_output_t from, sli_output_t to);
// Adds or replaces an attribute; |value| is copied.
void sli_graph_set_attr(sli_node_t *node, const char *name, const sli_attr_t *value);
void sli_graph_set_device(sli_node_t *node, const char *device);
// Merges a shape that the caller knows into the shape of an output (TF_GraphSetTensorShape).
sli_status_t *sli_graph_merge_shape(sli_graph_t *graph, sli_output_t output, sli_shape_t shape);

// Copies the nodes of |source| for which |keep[id]| is set into a new graph, with the
// edges between them, assigned devices and shapes. |out_map[id]| is set to the copy or
// NULL; the caller provides room for source->nodes.count entries. A kept node must not
// have an input from one that is not kept.
sli_graph_t *sli_graph_copy(const sli_graph_t *source, const bool *keep, sli_node_t **out_map);

// Sets keep[id] for all nodes that |roots| need, directly or indirectly. The search does
// not go past |stops| (fed outputs): their nodes are kept, but not the nodes that only
// those need. |keep| has graph->nodes.count entries.
void sli_graph_mark_needed(const sli_graph_t *graph, sli_node_t *const *roots, size_t root_count,
                           const sli_output_t *stops, size_t stop_count, bool *keep);
// Topological order of all nodes, without the back edges of NextIteration: fills |out_order| with ids; it has room for
// all.
// INVALID_ARGUMENT naming a node on a cycle.
sli_status_t *sli_graph_topological_order(const sli_graph_t *graph, int *out_order);

// Infers |node|'s shapes again from its inputs (infer.c).
sli_status_t *sli_graph_infer_shapes(sli_node_t *node);
// The value of an output if it is known without running the graph: of a Const, or of a
// small subgraph of constants; else NULL. The caller releases it (constant.c).
sli_tensor_t *sli_graph_constant_value(sli_output_t output);
// The value of an integer vector as a shape, as far as it is known. Dims are in |arena|.
sli_shape_t sli_graph_constant_shape(sli_arena_t *arena, sli_output_t output);
// Whether the node's op computes its outputs from its inputs and attributes alone, in any step and on any host: it is
// not stateful, not control flow, no placeholder and reads no files.
bool sli_graph_is_function(const sli_node_t *node);

// Whether an op may hold a reference to an output of |node| after the step (a queue, a variable): one that the
// output reaches directly or through ops that pass their input on without a copy (kept_values.c).
bool sli_graph_outputs_are_kept(const sli_node_t *node);

#endif  // SLI_GRAPH_GRAPH_H_
