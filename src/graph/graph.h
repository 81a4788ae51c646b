// Graph: nodes in the order they were added, with edges both ways, names, and
// the shapes inferred so far. Memory lies in the graph's arena; nothing is ever
// removed (passes build a new graph). Thread-compatible; counted.
#ifndef SLI_GRAPH_GRAPH_H_
#define SLI_GRAPH_GRAPH_H_

#include "base/array.h"
#include "base/map.h"
#include "core/gradient.h"
#include "core/op_registry.h"
#include "core/shape_inference.h"

typedef struct sli_graph sli_graph_t;

// The version that GraphDefs of ours carry, and the newest that we read: TensorFlow 2.15's.
enum { SLI_GRAPH_VERSION = 1645 };

// An edge to a consumer: its input |index|, or -1 for a control edge.
typedef struct {
  sli_node_t *consumer;
  int output;  // which of our outputs; -1 for a control edge
  int index;
} sli_out_edge_t;

// Read the fields freely; only src/graph writes them, but for |assigned_device|.
struct sli_node {
  sli_node_def_t def;
  sli_graph_t *graph;
  int id;                // position in graph->nodes
  sli_output_t *inputs;  // def.input_count of them
  sli_node_t **control_inputs;
  int control_input_count;
  SLI_ARRAY(sli_out_edge_t) out_edges;
  sli_shape_t *output_shapes;  // def.output_count of them
  sli_handle_shape_t *output_handles;
  const char *assigned_device;  // full name, by the placer; NULL before
};

struct sli_graph {
  sli_refcount_t references;
  sli_arena_t arena;
  SLI_ARRAY(sli_node_t *) nodes;
  sli_map_t by_name;
  sli_map_t unique_names;  // how often a base name was made unique
  int producer, min_consumer;
  SLI_ARRAY(sli_attr_t) held;  // attributes whose tensors are released with the graph
  sli_graph_t *parent;         // a copy shares definitions with its source and keeps it alive
  // Serialized FunctionDef messages of the library, in the arena.
  SLI_ARRAY(sli_view_t) functions;
};

sli_graph_t *sli_graph_create(void);
sli_graph_t *sli_graph_retain(sli_graph_t *graph);
void sli_graph_release(sli_graph_t *graph);

sli_node_t *sli_graph_find(const sli_graph_t *graph, sli_view_t name);
// "name:1" or "name" (output 0) to an output; NOT_FOUND / INVALID_ARGUMENT naming it.
sli_status_t *sli_graph_find_output(const sli_graph_t *graph, sli_view_t tensor_name, sli_output_t *out_output);
// |base|, or |base|_1, _2 … if taken. Lives in the graph's arena.
const char *sli_graph_unique_name(sli_graph_t *graph, const char *base);

static inline sli_dtype_t sli_output_dtype(sli_output_t output) { return output.node->def.output_types[output.index]; }
static inline sli_shape_t sli_output_shape(sli_output_t output) { return output.node->output_shapes[output.index]; }
static inline bool sli_output_equal(sli_output_t a, sli_output_t b) { return a.node == b.node && a.index == b.index; }
static inline bool sli_node_is(const sli_node_t *node, const char *op) {
  return strcmp(node->def.op->def->name, op) == 0;
}

// What a new node is made of. Everything is copied.
typedef struct {
  const char *op, *name, *device;  // device NULL: none
  const sli_output_t *inputs;
  size_t input_count;
  sli_node_t *const *control_inputs;
  size_t control_input_count;
  const sli_attr_entry_t *attrs;
  size_t attr_count;
  const int *list_sizes;  // see sli_node_request_t
  bool infer;             // type attributes from the inputs
  bool is_private;        // |op| is a private one (core/op_registry.h)
} sli_graph_node_t;

// Adds a node: checks name ("Duplicate node name in graph: 'x'"), op, attributes and
// types, and infers its shapes. A shape error fails the call, as in TensorFlow.
sli_status_t *sli_graph_add(sli_graph_t *graph, const sli_graph_node_t *request, sli_node_t **out_node);
// Takes back all nodes from |count| on (an import that failed), with their edges.
void sli_graph_truncate(sli_graph_t *graph, size_t count);
// Later edges: a control edge, and the back edge of a loop (NextIteration to Merge's input |index|).
void sli_graph_add_control_edge(sli_node_t *from, sli_node_t *to);
sli_status_t *sli_graph_set_input(sli_node_t *node, int index, sli_output_t input);
// Hands |from|'s consumers over to |to|, its node's control consumers included; on failure none.
sli_status_t *sli_graph_redirect(sli_output_t from, sli_output_t to);
// Adds or replaces an attribute; |value| is copied.
void sli_graph_set_attr(sli_node_t *node, const char *name, const sli_attr_t *value);
void sli_graph_set_device(sli_node_t *node, const char *device);
// Refines an output's shape by what the caller knows (TF_GraphSetTensorShape).
sli_status_t *sli_graph_merge_shape(sli_graph_t *graph, sli_output_t output, sli_shape_t shape);

// Copies |source|'s nodes for which |keep[id]| is set into a new graph, with the
// edges among them, assigned devices and shapes; |out_map[id]| is the copy or NULL
// (array of source->nodes.count, by the caller). Edges from nodes not kept must not exist.
sli_graph_t *sli_graph_copy(const sli_graph_t *source, const bool *keep, sli_node_t **out_map);

// All nodes reachable backwards from |roots|, without going past |stops| (outputs
// that are fed: their nodes are kept, but not what only those need).
// keep[] has graph->nodes.count entries.
void sli_graph_reach(const sli_graph_t *graph, sli_node_t *const *roots, size_t root_count, const sli_output_t *stops,
                     size_t stop_count, bool *keep);
// Topological order of all nodes (back edges of NextIteration ignored): ids in |out_order|, room for all.
// INVALID_ARGUMENT naming a node on a cycle.
sli_status_t *sli_graph_order(const sli_graph_t *graph, int *out_order);

// Infers |node|'s shapes anew from its inputs (shape.c of this folder).
sli_status_t *sli_graph_infer_shapes(sli_node_t *node);
// The constant value of an output if it can be told without running: Const, and
// small subgraphs of constants; NULL else. The caller releases it.
sli_tensor_t *sli_graph_constant_value(sli_output_t output);

#endif  // SLI_GRAPH_GRAPH_H_
