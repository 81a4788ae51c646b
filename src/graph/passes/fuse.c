// Fusion: a product, the bias added to it and the activation become one node, in
// the place of the last of the three. The values in between are never written to
// memory, so nothing else may use them: no other consumer, control edge, fetch or feed.
#include <stdlib.h>

#include "graph/passes/passes_internal.h"

typedef struct {
  const sli_op_t *fused;  // the op that replaces all three
  sli_node_t *product, *bias_add, *last;
  sli_output_t bias;
} chain_t;

typedef struct {
  sli_pass_pruned_t *pruned;
  uint8_t *marks;  // by id
  bool *is_taken;  // by id: was fused into another node
  bool any;
} fuse_t;

// The op that computes |node|'s product together with a bias and an activation; NULL: there is none.
static const sli_op_t *fused_form_of(const sli_node_t *node) {
  const sli_op_t *fused = sli_op_find_fused(node->def.op);
  return fused && fused->def->fused_activations ? fused : NULL;
}

// Whether |node| is used by one input of |consumer| and by nothing else.
static bool is_private_to(const fuse_t *fuse, const sli_node_t *node, const sli_node_t *consumer) {
  return node->out_edges.count == 1 && node->out_edges.items[0].index >= 0 &&
         node->out_edges.items[0].consumer == consumer && !fuse->marks[node->id] &&
         sli_pass_same_device(node, consumer);
}

static bool data_format_is(const sli_node_t *node, const char *format) {
  const sli_attr_t *attr = sli_node_attr(&node->def, "data_format");
  return !attr || (attr->kind == SLI_ATTR_STRING && sli_view_is(attr->s, format));
}

// A bias is a vector. For an Add, which broadcasts, it must be as long as the product's rows.
static bool is_bias(sli_output_t product, sli_output_t bias, bool is_add) {
  sli_shape_t rows = sli_graph_output_shape(product), vector = sli_graph_output_shape(bias);
  if (vector.rank != 1) return false;
  return !is_add || (rows.rank > 0 && vector.dims[0] > 0 && rows.dims[rows.rank - 1] == vector.dims[0]);
}

// Whether |node| adds a bias to a product that nothing else uses.
static bool match_bias(const fuse_t *fuse, sli_node_t *node, chain_t *chain) {
  bool is_bias_add = sli_graph_node_is(node, "BiasAdd") || sli_graph_node_is(node, "BiasAddV1");
  if (!is_bias_add && !sli_graph_node_is(node, "Add") && !sli_graph_node_is(node, "AddV2")) return false;
  if (node->def.output_types[0] != SLI_DTYPE_FLOAT || (fuse->marks[node->id] & SLI_PASS_FED) ||
      fuse->is_taken[node->id] || !sli_pass_is_on_cpu(node))
    return false;
  for (int side = 0; side < (is_bias_add ? 1 : 2); side++) {
    sli_output_t value = node->inputs[side], bias = node->inputs[1 - side];
    if (!value.node || !bias.node || sli_graph_output_equal(value, bias)) continue;
    const sli_op_t *fused = fused_form_of(value.node);
    if (!fused || !is_private_to(fuse, value.node, node)) continue;
    if (!data_format_is(value.node, "NHWC") || !data_format_is(node, "NHWC")) continue;
    if (!is_bias(value, bias, !is_bias_add)) continue;
    if (!value.node->inputs[0].node || !value.node->inputs[1].node) continue;
    *chain = (chain_t){.fused = fused, .product = value.node, .bias_add = node, .last = node, .bias = bias};
    return true;
  }
  return false;
}

// Whether |node| is an activation that can be fused with |chain|.
static bool is_activation_of(const fuse_t *fuse, const chain_t *chain, const sli_node_t *node) {
  if (fuse->marks[node->id] & SLI_PASS_FED || !is_private_to(fuse, chain->bias_add, node)) return false;
  sli_view_t names = sli_view(chain->fused->def->fused_activations), name;
  while (names.size) {
    sli_view_t rest = {0};
    sli_view_split(names, ',', &name, &rest);
    if (sli_view_is(sli_view_trim(name), node->def.op->def->name)) return true;
    names = rest;
  }
  return false;
}

// Finds a chain that ends in |node|. If an activation follows, the chain ends there.
static bool match_chain(const fuse_t *fuse, sli_node_t *node, chain_t *chain) {
  if (match_bias(fuse, node, chain)) {
    const sli_node_t *consumer = node->out_edges.count ? node->out_edges.items[0].consumer : NULL;
    return !(consumer && is_activation_of(fuse, chain, consumer));
  }
  sli_node_t *before = node->def.input_count == 1 ? node->inputs[0].node : NULL;
  if (!before || !match_bias(fuse, before, chain) || !is_activation_of(fuse, chain, node)) return false;
  chain->last = node;
  return true;
}

static void fuse_chain(fuse_t *fuse, const chain_t *chain) {
  const sli_node_t *product = chain->product;
  sli_view_t fused_ops[2] = {sli_view("BiasAdd"), sli_view(chain->last->def.op->def->name)};
  sli_dtype_t type = SLI_DTYPE_FLOAT;
  SLI_ARRAY(sli_attr_entry_t) attrs = {0};
  sli_array_push(&attrs, SLI_ATTR_INT_OF("num_args", 1));
  sli_attr_t ops = {.kind = SLI_ATTR_STRING,
                    .is_list = true,
                    .count = chain->last == chain->bias_add ? 1 : 2,
                    .list = {.s = fused_ops}};
  sli_array_push(&attrs, ((sli_attr_entry_t){"fused_ops", ops}));
  sli_attr_t types = {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list = {.type = &type}};
  if (sli_op_attr_spec(chain->fused, "TArgs")) sli_array_push(&attrs, ((sli_attr_entry_t){"TArgs", types}));
  for (int i = 0; i < chain->fused->attr_count; i++) {
    const char *name = chain->fused->attrs[i].name;
    const sli_attr_t *value = sli_node_attr(&product->def, name);
    if (value) sli_array_push(&attrs, ((sli_attr_entry_t){name, *value}));
  }
  const sli_attr_t *alpha = sli_node_attr(&chain->last->def, "alpha");
  if (alpha) sli_array_push(&attrs, ((sli_attr_entry_t){"leakyrelu_alpha", *alpha}));
  SLI_ARRAY(sli_node_t *) controls = {0};
  for (int i = 0; i < product->control_input_count; i++) sli_array_push(&controls, product->control_inputs[i]);
  for (int i = 0; chain->last != chain->bias_add && i < chain->bias_add->control_input_count; i++)
    sli_array_push(&controls, chain->bias_add->control_inputs[i]);
  sli_output_t inputs[] = {product->inputs[0], product->inputs[1], chain->bias};
  sli_graph_node_t request = {.op = chain->fused->def->name,
                              .inputs = inputs,
                              .input_count = 3,
                              .control_inputs = controls.items,
                              .control_input_count = controls.count,
                              .attrs = attrs.items,
                              .attr_count = attrs.count};
  sli_status_t *status = sli_graph_change_op(chain->last, &request);
  fuse->any |= !status;
  fuse->is_taken[chain->bias_add->id] = !status;
  sli_status_release(status);
  sli_array_deinitialize(&attrs);
  sli_array_deinitialize(&controls);
}

void sli_pass_fuse(sli_pass_pruned_t *pruned) {
  fuse_t fuse = {.pruned = pruned, .marks = sli_pass_marks(pruned)};
  fuse.is_taken = sli_calloc(pruned->graph->nodes.count + 1, sizeof(*fuse.is_taken));
  for (size_t i = 0; i < pruned->graph->nodes.count; i++) {
    chain_t chain;
    sli_node_t *node = pruned->graph->nodes.items[i];
    if (node->def.output_count == 1 && match_chain(&fuse, node, &chain)) fuse_chain(&fuse, &chain);
  }
  if (fuse.any) sli_graph_relink(pruned->graph);
  free(fuse.marks);
  free(fuse.is_taken);
}
