// Fusion of updates: a matrix product that is nothing but the gradient of one
// variable is computed inside the optimizer's op that applies it, block by block
// (ops/train/apply_product.c). Between the two there may be Identities, which
// gradients are full of; what these wait for, the update waits for.
//
// The product moves from where its operands are ready to where the update runs.
// Their bytes must be the same then: no operand may be a variable's own memory,
// which another update may have written to meanwhile.
#include <stdlib.h>

#include "graph/passes_internal.h"

typedef struct {
  sli_node_t *update, *product;
  const sli_op_t *fused;
  int gradient;  // input of |update|
} match_t;

typedef SLI_ARRAY(sli_node_t *) nodes_t;

static bool is_any_of(const sli_node_t *node, const char *const *names) {
  for (; *names; names++)
    if (sli_node_is(node, *names)) return true;
  return false;
}

static bool attr_is_true(const sli_node_t *node, const char *name) {
  const sli_attr_t *attr = sli_node_attr(&node->def, name);
  return attr && attr->b;
}

// The input at which the fused op takes a product's left operand: the right one follows.
static int find_gradient(const sli_op_t *fused) {
  for (int i = 1; i < fused->input_count; i++)
    if (strcmp(fused->inputs[i].name, "right") == 0) return i - 1;
  return -1;
}

// Whether the bytes of |value| stay as they are once they are there: made by an op that computes, fed or constant.
static bool is_settled(const uint8_t *marks, sli_output_t value) {
  static const char *const passing[] = {"Identity", "Reshape", "Squeeze", "ExpandDims", "StopGradient", NULL};
  static const char *const computing[] = {
      "Const",    "MatMul",      "_FusedMatMul", "BiasAdd",       "Relu",    "ReluGrad",     "Relu6",
      "Elu",      "EluGrad",     "Relu6Grad",    "Tanh",          "Sigmoid", "LeakyRelu",    "LeakyReluGrad",
      "TanhGrad", "SigmoidGrad", "Softplus",     "Selu",          "Softmax", "SoftplusGrad", "SeluGrad",
      "Add",      "AddV2",       "Sub",          "Mul",           "MaxPool", "AvgPool",      "BatchMatMul",
      "RealDiv",  "Maximum",     "Minimum",      "BatchMatMulV2", NULL};
  for (;; value = value.node->inputs[0]) {
    if (!value.node || sli_dtype_is_ref(sli_output_dtype(value))) return false;
    if (marks[value.node->id] & SLI_PASS_FED) return value.node->def.output_count == 1;
    if (is_any_of(value.node, computing)) return true;
    if (!is_any_of(value.node, passing)) return false;
  }
}

// The one input that reads |node|'s only output; NULL: there are more, none, or somebody looks at the node.
static const sli_out_edge_t *only_reader(const uint8_t *marks, const sli_node_t *node) {
  const sli_out_edge_t *reader = NULL;
  if (marks[node->id]) return NULL;
  for (size_t i = 0; i < node->out_edges.count; i++) {
    if (node->out_edges.items[i].index < 0) continue;
    if (reader) return NULL;
    reader = &node->out_edges.items[i];
  }
  return reader;
}

static bool is_on_one_device(const sli_node_t *a, const sli_node_t *b) {
  if (!a->assigned_device || !b->assigned_device) return a->assigned_device == b->assigned_device;
  return strcmp(a->assigned_device, b->assigned_device) == 0;
}

// Whether |update| applies a product that is there for it alone.
static bool match(const uint8_t *marks, sli_node_t *update, match_t *out_match) {
  const char *name = update->def.op->def->name;
  if (!strstr(name, "Apply") || (marks[update->id] & SLI_PASS_FED) || attr_is_true(update, "use_locking")) return false;
  char *fused_name = sli_format("_Product%s", name);
  const sli_op_t *fused = sli_op_find_private(sli_view(fused_name));
  free(fused_name);
  int gradient = fused ? find_gradient(fused) : -1;
  if (gradient < 0 || gradient >= update->def.input_count) return false;
  for (int i = 0; i < update->def.input_count; i++)
    if (!update->inputs[i].node) return false;
  sli_node_t *node = update->inputs[gradient].node;
  const sli_node_t *consumer = update;
  for (;; consumer = node, node = node->inputs[0].node) {
    const sli_out_edge_t *reader = node ? only_reader(marks, node) : NULL;
    if (!reader || reader->consumer != consumer || !is_on_one_device(node, update)) return false;
    if (!sli_node_is(node, "Identity")) break;
  }
  sli_dtype_t dtype = node->def.output_types[0];
  if (!sli_node_is(node, "MatMul") || (dtype != SLI_DTYPE_FLOAT && dtype != SLI_DTYPE_DOUBLE)) return false;
  if (!is_settled(marks, node->inputs[0]) || !is_settled(marks, node->inputs[1])) return false;
  *out_match = (match_t){update, node, fused, gradient};
  return true;
}

// Attributes of the fused op: the product's own, and those of the update.
static size_t collect_attrs(const match_t *m, sli_attr_entry_t *out_attrs) {
  size_t count = 0;
  for (int i = 0; i < m->fused->attr_count; i++) {
    const char *name = m->fused->attrs[i].name;
    const sli_attr_t *value = sli_node_attr(&m->update->def, name);
    if (!value) value = sli_node_attr(&m->product->def, name);
    if (value) out_attrs[count++] = (sli_attr_entry_t){name, *value};
  }
  return count;
}

static bool fuse_match(const match_t *m) {
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
  sli_status_t *status = sli_graph_change(m->update, &request);
  bool done = !status;
  sli_status_release(status);
  free(attrs);
  sli_array_deinitialize(&inputs);
  sli_array_deinitialize(&controls);
  return done;
}

void sli_pass_fuse_updates(sli_pruned_t *pruned) {
  uint8_t *marks = sli_pass_marks(pruned);
  bool any = false;
  for (size_t i = 0; i < pruned->graph->nodes.count; i++) {
    match_t m;
    if (match(marks, pruned->graph->nodes.items[i], &m)) any |= fuse_match(&m);
  }
  if (any) sli_graph_relink(pruned->graph);
  free(marks);
}
