// Fusion: which chains become one node, and which do not.
#include "graph/passes/testing.h"

// x·w + b, then an activation.
typedef struct {
  scene_t scene;
  sli_output_t x, w, b, product, sum, activated;
} chain_t;

static sli_output_t matrix(scene_t *scene, const char *name, int rank, const int64_t *dims) {
  return sli_graph_testing_placeholder(scene->graph, name, SLI_DTYPE_FLOAT, (sli_shape_t){rank, dims});
}

static void begin(chain_t *c, const char *add, const char *activation) {
  scene_initialize(&c->scene);
  c->x = matrix(&c->scene, "x", 2, (int64_t[]){-1, 3});
  c->w = matrix(&c->scene, "w", 2, (int64_t[]){3, 5});
  c->b = matrix(&c->scene, "b", 1, (int64_t[]){5});
  c->product = scene_binary(&c->scene, "MatMul", "product", c->x, c->w);
  c->sum = scene_binary(&c->scene, add, "sum", c->product, c->b);
  c->activated = activation ? scene_unary(&c->scene, activation, "activated", c->sum) : c->sum;
}

// Fetches the end of the chain.
static void fuse(chain_t *c) {
  scene_fetch(&c->scene, c->activated);
  sli_pass_fuse(&c->scene.pruned);
  sli_pass_drop_unused(&c->scene.pruned);
  scene_check(&c->scene);
}

static void expect_fused(chain_t *c, const char *op, const char *ops) {
  const sli_node_t *node = c->scene.pruned.fetches[0].node;
  SLI_EXPECT_TEXT(node->def.op->def->name, op);
  const sli_attr_t *fused = sli_node_attr(&node->def, "fused_ops");
  sli_string_t text = {0};
  if (fused) sli_attr_append(&text, fused);
  SLI_EXPECT_TEXT(sli_string_text(&text), ops);
  sli_string_deinitialize(&text);
  scene_deinitialize(&c->scene);
}

static void expect_apart(chain_t *c) {
  fuse(c);
  for (size_t i = 0; i < c->scene.graph->nodes.count; i++)
    SLI_EXPECT(!sli_graph_node_is(c->scene.graph->nodes.items[i], "_FusedMatMul"));
  scene_deinitialize(&c->scene);
}

SLI_TEST(test_fuse_takes_bias_and_relu) {
  chain_t c;
  begin(&c, "BiasAdd", "Relu");
  fuse(&c);
  SLI_EXPECT_INT(c.scene.graph->nodes.count, 4);
  SLI_EXPECT_TEXT(c.scene.pruned.fetches[0].node->def.name, "activated");
  expect_fused(&c, "_FusedMatMul", "[\"BiasAdd\", \"Relu\"]");
  begin(&c, "BiasAdd", NULL);
  fuse(&c);
  expect_fused(&c, "_FusedMatMul", "[\"BiasAdd\"]");
  begin(&c, "AddV2", "Relu");
  fuse(&c);
  expect_fused(&c, "_FusedMatMul", "[\"BiasAdd\", \"Relu\"]");
}

SLI_TEST(test_fuse_takes_every_activation_of_the_kernel) {
  static const char *const activations[] = {"Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(activations); i++) {
    chain_t c;
    begin(&c, "BiasAdd", activations[i]);
    sli_attr_t alpha = {.kind = SLI_ATTR_FLOAT, .f = 0.25F};
    if (strcmp(activations[i], "LeakyRelu") == 0) sli_graph_set_attr(c.activated.node, "alpha", &alpha);
    fuse(&c);
    float have = 0;
    SLI_EXPECT_OK(sli_node_attr_float(&c.activated.node->def, "leakyrelu_alpha", &have));
    SLI_EXPECT(have == (strcmp(activations[i], "LeakyRelu") == 0 ? 0.25F : 0.2F));
    char *ops = sli_format("[\"BiasAdd\", \"%s\"]", activations[i]);
    expect_fused(&c, "_FusedMatMul", ops);
    free(ops);
  }
}

SLI_TEST(test_fuse_leaves_other_ops_as_nodes) {
  chain_t c;
  begin(&c, "BiasAdd", "Softplus");
  fuse(&c);
  SLI_EXPECT(sli_graph_node_is(c.sum.node, "_FusedMatMul"));
  SLI_EXPECT_INT(c.scene.graph->nodes.count, 5);
  expect_fused(&c, "Softplus", "");
}

SLI_TEST(test_fuse_keeps_transposition_and_control_inputs) {
  chain_t c;
  begin(&c, "BiasAdd", "Relu");
  sli_attr_t yes = {.kind = SLI_ATTR_BOOL, .b = true};
  sli_graph_set_attr(c.product.node, "transpose_b", &yes);
  sli_node_t *first = scene_no_op(&c.scene, "first"), *second = scene_no_op(&c.scene, "second");
  sli_graph_add_control_edge(first, c.product.node);
  sli_graph_add_control_edge(first, c.activated.node);
  sli_graph_add_control_edge(second, c.sum.node);
  fuse(&c);
  bool transposed = false;
  SLI_EXPECT_OK(sli_node_attr_bool(&c.activated.node->def, "transpose_b", &transposed));
  SLI_EXPECT(transposed);
  SLI_EXPECT_INT(c.activated.node->control_input_count, 2);
  expect_fused(&c, "_FusedMatMul", "[\"BiasAdd\", \"Relu\"]");
}

static void begin_convolution(chain_t *c, const char *activation) {
  scene_initialize(&c->scene);
  int64_t strides[] = {1, 1, 1, 1};
  sli_attr_entry_t attrs[] = {
      {"strides", {.kind = SLI_ATTR_INT, .is_list = true, .count = 4, .list = {.i = strides}}},
      SLI_ATTR_STRING_OF("padding", "SAME"),
  };
  c->x = matrix(&c->scene, "x", 4, (int64_t[]){-1, 8, 8, 3});
  c->w = matrix(&c->scene, "w", 4, (int64_t[]){3, 3, 3, 5});
  c->b = matrix(&c->scene, "b", 1, (int64_t[]){5});
  c->product = sli_graph_testing_add(c->scene.graph, "Conv2D", "product", INPUTS(c->x, c->w), attrs, 2);
  c->sum = scene_binary(&c->scene, "BiasAdd", "sum", c->product, c->b);
  c->activated = scene_unary(&c->scene, activation, "activated", c->sum);
}

SLI_TEST(test_fuse_takes_convolutions) {
  chain_t c;
  begin_convolution(&c, "Relu");
  fuse(&c);
  expect_fused(&c, "_FusedConv2D", "[\"BiasAdd\", \"Relu\"]");
  begin_convolution(&c, "Elu");
  fuse(&c);
  expect_fused(&c, "_FusedConv2D", "[\"BiasAdd\", \"Elu\"]");
  begin_convolution(&c, "Tanh");  // the kernel does not have it
  fuse(&c);
  SLI_EXPECT(sli_graph_node_is(c.sum.node, "_FusedConv2D"));
  expect_fused(&c, "Tanh", "");
}

SLI_TEST(test_fuse_leaves_values_that_somebody_wants) {
  chain_t c;
  begin(&c, "BiasAdd", "Relu");
  scene_fetch(&c.scene, c.product);
  expect_apart(&c);
  begin(&c, "BiasAdd", "Relu");
  scene_feed(&c.scene, c.product);
  expect_apart(&c);
  begin(&c, "BiasAdd", "Relu");
  scene_feed(&c.scene, c.sum);
  expect_apart(&c);
  begin(&c, "BiasAdd", "Relu");
  scene_target(&c.scene, c.product.node);
  expect_apart(&c);
  begin(&c, "BiasAdd", "Relu");
  scene_fetch(&c.scene, scene_unary(&c.scene, "Neg", "other", c.product));
  expect_apart(&c);
  begin(&c, "BiasAdd", "Relu");
  sli_node_t *waits = scene_no_op(&c.scene, "waits");
  sli_graph_add_control_edge(c.product.node, waits);
  scene_target(&c.scene, waits);
  expect_apart(&c);
  // The sum has a second reader: the activation stays a separate node.
  begin(&c, "BiasAdd", "Relu");
  scene_target(&c.scene, scene_unary(&c.scene, "Neg", "other", c.sum).node);
  fuse(&c);
  SLI_EXPECT(sli_graph_node_is(c.sum.node, "_FusedMatMul"));
  expect_fused(&c, "Relu", "");
}

SLI_TEST(test_fuse_needs_one_device_float_and_a_vector) {
  chain_t c;
  begin(&c, "BiasAdd", NULL);
  c.product.node->assigned_device = "/job:a/replica:0/task:0/device:CPU:0";
  c.sum.node->assigned_device = "/job:b/replica:0/task:0/device:CPU:0";
  expect_apart(&c);
  begin(&c, "AddV2", NULL);  // a row vector broadcasts, but is not a bias
  c.sum = c.activated = scene_binary(&c.scene, "AddV2", "row", c.product, matrix(&c.scene, "r", 2, (int64_t[]){1, 5}));
  expect_apart(&c);
  begin(&c, "BiasAdd", NULL);
  c.x = sli_graph_testing_placeholder(c.scene.graph, "dx", SLI_DTYPE_DOUBLE, SLI_SHAPE_UNKNOWN);
  c.product = scene_binary(&c.scene, "MatMul", "dproduct", c.x, c.x);
  c.b = sli_graph_testing_placeholder(c.scene.graph, "db", SLI_DTYPE_DOUBLE, (sli_shape_t){1, (int64_t[]){5}});
  c.sum = c.activated = scene_binary(&c.scene, "BiasAdd", "dsum", c.product, c.b);
  expect_apart(&c);
}

SLI_TEST_MAIN(test_fuse_takes_bias_and_relu, test_fuse_takes_every_activation_of_the_kernel,
              test_fuse_leaves_other_ops_as_nodes, test_fuse_keeps_transposition_and_control_inputs,
              test_fuse_takes_convolutions, test_fuse_leaves_values_that_somebody_wants,
              test_fuse_needs_one_device_float_and_a_vector)
