// Fusion: a product, the bias added to it and the activation become one node, at
// the place of the last of the three. The values between are never written to
// memory, so nobody else may want them: no other consumer, fetch, feed or wait.
#include <stdlib.h>

#include "graph/passes_internal.h"

typedef struct {
  const char *op, *fused;
  const char *const *attrs;        // that the fused op takes over
  const char *const *activations;  // that its kernel knows
} product_t;

static const char *const matmul_attrs[] = {"transpose_a", "transpose_b", NULL};
static const char *const conv_attrs[] = {"strides",          "padding", "explicit_paddings", "data_format", "dilations",
                                         "use_cudnn_on_gpu", NULL};

static const char *const matmul_activations[] = {"Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid", NULL};
static const char *const conv_activations[] = {"Relu", "Relu6", "Elu", "LeakyRelu", NULL};

static const product_t products[] = {
    {"MatMul", "_FusedMatMul", matmul_attrs, matmul_activations},
    {"Conv2D", "_FusedConv2D", conv_attrs, conv_activations},
};

typedef struct {
  const product_t *kind;
  sli_node_t *product, *bias_add, *last;
  sli_output_t bias;
} chain_t;

typedef struct {
  sli_pruned_t *pruned;
  uint8_t *marks;  // by id
  bool *is_taken;  // by id: inside a node that was fused
  bool any;
} fuse_t;

static const product_t *product_of(const sli_node_t *node) {
  for (size_t i = 0; i < SLI_COUNT_OF(products); i++)
    if (sli_node_is(node, products[i].op)) return &products[i];
  return NULL;
}

static bool is_on_one_device(const sli_node_t *a, const sli_node_t *b) {
  if (!a->assigned_device || !b->assigned_device) return a->assigned_device == b->assigned_device;
  return strcmp(a->assigned_device, b->assigned_device) == 0;
}

// Whether |node| is used by one input of |consumer| and by nothing else.
static bool is_private_to(const fuse_t *fuse, const sli_node_t *node, const sli_node_t *consumer) {
  return node->out_edges.count == 1 && node->out_edges.items[0].index >= 0 &&
         node->out_edges.items[0].consumer == consumer && !fuse->marks[node->id] && is_on_one_device(node, consumer);
}

static bool data_format_is(const sli_node_t *node, const char *format) {
  const sli_attr_t *attr = sli_node_attr(&node->def, "data_format");
  return !attr || (attr->kind == SLI_ATTR_STRING && sli_view_is(attr->s, format));
}

// A vector; for an Add, which broadcasts, one as long as the product's rows.
static bool is_bias(sli_output_t product, sli_output_t bias, bool is_add) {
  sli_shape_t rows = sli_output_shape(product), vector = sli_output_shape(bias);
  if (vector.rank != 1) return false;
  return !is_add || (rows.rank > 0 && vector.dims[0] > 0 && rows.dims[rows.rank - 1] == vector.dims[0]);
}

// Whether |node| adds a bias to a product that nobody else wants.
static bool match_bias(const fuse_t *fuse, sli_node_t *node, chain_t *chain) {
  bool is_bias_add = sli_node_is(node, "BiasAdd") || sli_node_is(node, "BiasAddV1");
  if (!is_bias_add && !sli_node_is(node, "Add") && !sli_node_is(node, "AddV2")) return false;
  if (node->def.output_types[0] != SLI_DTYPE_FLOAT || (fuse->marks[node->id] & SLI_PASS_FED) ||
      fuse->is_taken[node->id])
    return false;
  for (int side = 0; side < (is_bias_add ? 1 : 2); side++) {
    sli_output_t value = node->inputs[side], bias = node->inputs[1 - side];
    if (!value.node || !bias.node || sli_output_equal(value, bias)) continue;
    const product_t *kind = product_of(value.node);
    if (!kind || !is_private_to(fuse, value.node, node)) continue;
    if (!data_format_is(value.node, "NHWC") || !data_format_is(node, "NHWC")) continue;
    if (!is_bias(value, bias, !is_bias_add)) continue;
    if (!value.node->inputs[0].node || !value.node->inputs[1].node) continue;
    *chain = (chain_t){.kind = kind, .product = value.node, .bias_add = node, .last = node, .bias = bias};
    return true;
  }
  return false;
}

// Whether |node| may follow the bias of |chain| in one node with it.
static bool is_activation_of(const fuse_t *fuse, const chain_t *chain, const sli_node_t *node) {
  if (fuse->marks[node->id] & SLI_PASS_FED || !is_private_to(fuse, chain->bias_add, node)) return false;
  for (const char *const *name = chain->kind->activations; *name; name++)
    if (sli_node_is(node, *name)) return true;
  return false;
}

// A chain that ends in |node|. One with an activation is taken at the activation.
static bool match(const fuse_t *fuse, sli_node_t *node, chain_t *chain) {
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
  sli_attr_entry_t attrs[16] = {
      SLI_ATTR_TYPE_OF("T", type),
      SLI_ATTR_INT_OF("num_args", 1),
      {"fused_ops",
       {.kind = SLI_ATTR_STRING,
        .is_list = true,
        .count = chain->last == chain->bias_add ? 1 : 2,
        .list = {.s = fused_ops}}},
  };
  size_t attr_count = 3;
  if (sli_op_attr_spec(sli_op_find(sli_view(chain->kind->fused)), "TArgs"))
    attrs[attr_count++] =
        (sli_attr_entry_t){"TArgs", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list = {.type = &type}}};
  for (const char *const *name = chain->kind->attrs; *name; name++) {
    const sli_attr_t *value = sli_node_attr(&product->def, *name);
    if (value) attrs[attr_count++] = (sli_attr_entry_t){*name, *value};
  }
  const sli_attr_t *alpha = sli_node_attr(&chain->last->def, "alpha");
  if (alpha) attrs[attr_count++] = (sli_attr_entry_t){"leakyrelu_alpha", *alpha};
  SLI_ARRAY(sli_node_t *) controls = {0};
  for (int i = 0; i < product->control_input_count; i++) sli_array_push(&controls, product->control_inputs[i]);
  for (int i = 0; chain->last != chain->bias_add && i < chain->bias_add->control_input_count; i++)
    sli_array_push(&controls, chain->bias_add->control_inputs[i]);
  sli_output_t inputs[] = {product->inputs[0], product->inputs[1], chain->bias};
  sli_graph_node_t request = {.op = chain->kind->fused,
                              .inputs = inputs,
                              .input_count = 3,
                              .control_inputs = controls.items,
                              .control_input_count = controls.count,
                              .attrs = attrs,
                              .attr_count = attr_count};
  sli_status_t *status = sli_graph_change(chain->last, &request);
  fuse->any |= !status;
  fuse->is_taken[chain->bias_add->id] = !status;
  sli_status_release(status);
  sli_array_deinitialize(&controls);
}

void sli_pass_fuse(sli_pruned_t *pruned) {
  fuse_t fuse = {.pruned = pruned, .marks = sli_pass_marks(pruned)};
  fuse.is_taken = sli_calloc(pruned->graph->nodes.count + 1, sizeof(*fuse.is_taken));
  for (size_t i = 0; i < pruned->graph->nodes.count; i++) {
    chain_t chain;
    sli_node_t *node = pruned->graph->nodes.items[i];
    if (node->def.output_count == 1 && match(&fuse, node, &chain)) fuse_chain(&fuse, &chain);
  }
  if (fuse.any) sli_graph_relink(pruned->graph);
  free(fuse.marks);
  free(fuse.is_taken);
}
