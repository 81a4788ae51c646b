// Fusion of updates: a matrix product that is used only as the gradient of one
// variable is computed inside the optimizer's op that applies it, block by block
// (ops/train/apply_product.c). There may be Identity nodes between the two; the
// update then waits for what they waited for.
//
// The product is computed later than before: when the update runs. Its operands must
// still have the same bytes then. So no operand may be a variable's own memory, which
// another update may have changed by then.
#include <stdlib.h>

#include "graph/passes/passes_internal.h"

typedef struct {
  sli_node_t *update, *product;
  const sli_op_t *fused;
  int gradient;  // input of |update|
} update_match_t;

typedef SLI_ARRAY(sli_node_t *) nodes_t;

static bool attr_is_true(const sli_node_t *node, const char *name) {
  const sli_attr_t *attr = sli_node_attr(&node->def, name);
  return attr && attr->b;
}

// The input of the fused op that takes the product's left operand; the right one follows it.
static int find_gradient(const sli_op_t *fused) {
  for (int i = 1; i < fused->input_count; i++)
    if (strcmp(fused->inputs[i].name, "right") == 0) return i - 1;
  return -1;
}

enum { MAX_NODES = 100 };  // that is_settled() looks at

// Whether the bytes of |value| stay as they are once they are computed: the value is fed, or an op wrote it into memory
// of its own. |*nodes_left| bounds the search.
static bool is_settled(const uint8_t *marks, sli_output_t value, int *nodes_left) {
  const sli_node_t *node = value.node;
  if (!node || sli_dtype_is_ref(sli_graph_output_dtype(value)) || --*nodes_left < 0) return false;
  if (marks[node->id] & SLI_PASS_FED) return node->def.output_count == 1;
  if (!sli_graph_is_function(node)) return false;
  for (int i = 0; node->def.op->def->forwards_input && i < node->def.input_count; i++)
    if (!is_settled(marks, node->inputs[i], nodes_left)) return false;
  return true;
}

// The only edge that reads |node|'s output; NULL: there is none or more than one, or the signature uses the node.
static const sli_graph_edge_t *only_reader(const uint8_t *marks, const sli_node_t *node) {
  const sli_graph_edge_t *reader = NULL;
  if (marks[node->id]) return NULL;
  for (size_t i = 0; i < node->out_edges.count; i++) {
    if (node->out_edges.items[i].index < 0) continue;
    if (reader) return NULL;
    reader = &node->out_edges.items[i];
  }
  return reader;
}

// Whether |update| applies a product that nothing else uses.
static bool match_update(const uint8_t *marks, sli_node_t *update, update_match_t *out_match) {
  if ((marks[update->id] & SLI_PASS_FED) || attr_is_true(update, "use_locking")) return false;
  const sli_op_t *fused = sli_op_find_fused(update->def.op);
  int gradient = fused ? find_gradient(fused) : -1, nodes_left = MAX_NODES;
  if (gradient < 0 || gradient >= update->def.input_count || !sli_pass_is_on_cpu(update)) return false;
  for (int i = 0; i < update->def.input_count; i++)
    if (!update->inputs[i].node) return false;
  sli_node_t *node = update->inputs[gradient].node;
  const sli_node_t *consumer = update;
  for (;; consumer = node, node = node->inputs[0].node) {
    const sli_graph_edge_t *reader = node ? only_reader(marks, node) : NULL;
    if (!reader || reader->consumer != consumer || !sli_pass_same_device(node, update)) return false;
    if (!sli_graph_node_is(node, "Identity")) break;
  }
  sli_dtype_t dtype = node->def.output_types[0];
  if (!sli_graph_node_is(node, "MatMul") || (dtype != SLI_DTYPE_FLOAT && dtype != SLI_DTYPE_DOUBLE)) return false;
  if (!is_settled(marks, node->inputs[0], &nodes_left) || !is_settled(marks, node->inputs[1], &nodes_left))
    return false;
  *out_match = (update_match_t){update, node, fused, gradient};
  return true;
}

// Attributes of the fused op: the product's own, and those of the update.
static size_t collect_attrs(const update_match_t *m, sli_attr_entry_t *out_attrs) {
  size_t count = 0;
  for (int i = 0; i < m->fused->attr_count; i++) {
    const char *name = m->fused->attrs[i].name;
    const sli_attr_t *value = sli_node_attr(&m->update->def, name);
    if (!value) value = sli_node_attr(&m->product->def, name);
    if (value) out_attrs[count++] = (sli_attr_entry_t){name, *value};
  }
  return count;
}

static bool fuse_match(const update_match_t *m) {
  SLI_ARRAY(sli_output_t) inputs = {0};
  for (int i = 0; i < m->update->def.input_count; i++) {
    if (i != m->gradient) {
      sli_array_push(&inputs, m->update->inputs[i]);
      continue;
    }
    sli_array_push(&inputs, m->product->inputs[0]);
    sli_array_push(&inputs, m->product->inputs[1]);
  }
  nodes_t controls = {0};
  for (const sli_node_t *node = m->update->inputs[m->gradient].node;; node = node->inputs[0].node) {
    for (int i = 0; i < node->control_input_count; i++) sli_array_push(&controls, node->control_inputs[i]);
    if (node == m->product) break;
  }
  sli_attr_entry_t *attrs = sli_calloc((size_t)m->fused->attr_count + 1, sizeof(*attrs));
  sli_graph_node_t request = {.op = m->fused->def->name,
                              .inputs = inputs.items,
                              .input_count = inputs.count,
                              .control_inputs = controls.items,
                              .control_input_count = controls.count,
                              .attrs = attrs,
                              .attr_count = collect_attrs(m, attrs),
                              .is_private = true};
  sli_status_t *status = sli_graph_change_op(m->update, &request);
  bool done = !status;
  sli_status_release(status);
  free(attrs);
  sli_array_deinitialize(&inputs);
  sli_array_deinitialize(&controls);
  return done;
}

void sli_pass_fuse_updates(sli_pass_pruned_t *pruned) {
  uint8_t *marks = sli_pass_marks(pruned);
  bool any = false;
  for (size_t i = 0; i < pruned->graph->nodes.count; i++) {
    update_match_t m;
    if (match_update(marks, pruned->graph->nodes.items[i], &m)) any |= fuse_match(&m);
  }
  if (any) sli_graph_relink(pruned->graph);
  free(marks);
}
