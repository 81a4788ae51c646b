// Fusion of updates: which products move into the update, and which do not.
#include "graph/passes/testing.h"

// w -= rate * xᵀ·d by way of an Identity that waits for a group, as gradients are built.
typedef struct {
  scene_t scene;
  sli_output_t w, rate, x, d, product, gradient, update;
  sli_node_t *group;
} step_t;

static sli_output_t variable(scene_t *scene, const char *name, sli_dtype_t dtype, sli_shape_t shape) {
  return sli_graph_testing_add(scene->graph, "VariableV2", name, NO_INPUTS,
                               ATTRS(SLI_ATTR_TYPE_OF("dtype", dtype), SLI_ATTR_SHAPE_OF("shape", shape)));
}

static sli_output_t multiply(step_t *s, sli_output_t a, sli_output_t b) {
  return sli_graph_testing_add(s->scene.graph, "MatMul", "product", INPUTS(a, b),
                               ATTRS(SLI_ATTR_BOOL_OF("transpose_a", true)));
}

// Everything up to the operands.
static void begin(step_t *s) {
  scene_initialize(&s->scene);
  s->w = variable(&s->scene, "w", SLI_DTYPE_FLOAT, SLI_SHAPE(3, 5));
  s->rate = scene_number(&s->scene, "rate", 0.5F);
  s->x = sli_graph_testing_placeholder(s->scene.graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE(-1, 3));
  s->d = sli_graph_testing_placeholder(s->scene.graph, "d", SLI_DTYPE_FLOAT, SLI_SHAPE(-1, 5));
  scene_feed(&s->scene, s->x);
  scene_feed(&s->scene, s->d);
}

static void finish(step_t *s, sli_output_t a, sli_output_t b, bool use_locking) {
  s->product = multiply(s, a, b);
  s->gradient = scene_unary(&s->scene, "Identity", "gradient", s->product);
  s->group = scene_no_op(&s->scene, "group");
  sli_graph_add_control_edge(s->product.node, s->group);
  sli_graph_add_control_edge(s->group, s->gradient.node);
  s->update =
      sli_graph_testing_add(s->scene.graph, "ApplyGradientDescent", "update", INPUTS(s->w, s->rate, s->gradient),
                            ATTRS(SLI_ATTR_BOOL_OF("use_locking", use_locking)));
  scene_target(&s->scene, s->update.node);
}

static void fuse(step_t *s) {
  sli_pass_fuse_updates(&s->scene.pruned);
  sli_pass_skip_unread(&s->scene.pruned);
  sli_pass_drop_unused(&s->scene.pruned);
  scene_check(&s->scene);
}

static void expect_apart(step_t *s) {
  fuse(s);
  SLI_EXPECT_TEXT(s->update.node->def.op->def->name, "ApplyGradientDescent");
  SLI_EXPECT(scene_find(&s->scene, "product") != NULL);
  scene_deinitialize(&s->scene);
}

SLI_TEST(test_fuse_update_takes_the_product_and_what_it_waits_for) {
  step_t s;
  begin(&s);
  finish(&s, s.x, s.d, false);
  fuse(&s);
  const sli_node_t *update = s.update.node;
  SLI_EXPECT_TEXT(update->def.op->def->name, "_ProductApplyGradientDescent");
  SLI_EXPECT_INT(update->def.input_count, 4);
  SLI_EXPECT(update->inputs[0].node == s.w.node && update->inputs[2].node == s.x.node);
  SLI_EXPECT(update->inputs[3].node == s.d.node);
  bool transpose_a = false, transpose_b = true;
  SLI_EXPECT_OK(sli_node_attr_bool(&update->def, "transpose_a", &transpose_a));
  SLI_EXPECT_OK(sli_node_attr_bool(&update->def, "transpose_b", &transpose_b));
  SLI_EXPECT(transpose_a && !transpose_b);
  SLI_EXPECT_INT(update->control_input_count, 1);
  SLI_EXPECT(update->control_inputs[0] == s.group);
  // The group still waits for the product's node, which no longer multiplies.
  SLI_EXPECT(scene_find(&s.scene, "gradient") == NULL);
  SLI_EXPECT(sli_graph_node_is(s.product.node, "NoOp"));
  scene_deinitialize(&s.scene);
}

SLI_TEST(test_fuse_update_takes_computed_operands) {
  step_t s;
  begin(&s);
  sli_output_t read = scene_unary(&s.scene, "Identity", "read", s.w);
  sli_output_t hidden = scene_binary(&s.scene, "MatMul", "hidden", s.x, read);
  finish(&s, s.x, scene_unary(&s.scene, "Relu", "activated", hidden), false);
  fuse(&s);
  SLI_EXPECT_TEXT(s.update.node->def.op->def->name, "_ProductApplyGradientDescent");
  scene_deinitialize(&s.scene);
}

SLI_TEST(test_fuse_update_leaves_a_gradient_that_others_want) {
  step_t s;
  begin(&s);
  finish(&s, s.x, s.d, false);
  scene_fetch(&s.scene, s.gradient);
  expect_apart(&s);
  begin(&s);
  finish(&s, s.x, s.d, false);
  scene_target(&s.scene, s.product.node);
  expect_apart(&s);
  begin(&s);
  finish(&s, s.x, s.d, false);
  scene_feed(&s.scene, s.product);
  expect_apart(&s);
  begin(&s);
  finish(&s, s.x, s.d, false);
  scene_fetch(&s.scene, scene_unary(&s.scene, "Neg", "other", s.product));
  expect_apart(&s);
}

SLI_TEST(test_fuse_update_leaves_updates_under_a_lock) {
  step_t s;
  begin(&s);
  finish(&s, s.x, s.d, true);
  expect_apart(&s);
}

// dU = G V and dV = Gᵀ U: each product must be done before the other's operand changes.
SLI_TEST(test_fuse_update_leaves_products_of_variables) {
  step_t s;
  begin(&s);
  sli_output_t v = variable(&s.scene, "v", SLI_DTYPE_FLOAT, SLI_SHAPE(7, 5));
  finish(&s, s.x, scene_unary(&s.scene, "Identity", "v/read", v), false);
  expect_apart(&s);
  begin(&s);
  v = variable(&s.scene, "v", SLI_DTYPE_FLOAT, SLI_SHAPE(7, 5));
  finish(&s, s.x, v, false);
  expect_apart(&s);
}

// Cast to the same type and Reshape pass their input on: behind them is still the memory of the variable or the sum.
SLI_TEST(test_fuse_update_looks_through_ops_that_forward_their_input) {
  for (int is_computed = 0; is_computed < 2; is_computed++) {
    step_t s;
    begin(&s);
    sli_output_t v = variable(&s.scene, "v", SLI_DTYPE_FLOAT, SLI_SHAPE(7, 5));
    sli_output_t value = scene_unary(&s.scene, is_computed ? "Exp" : "Identity", "value", v);
    sli_output_t cast = sli_graph_testing_add(s.scene.graph, "Cast", "cast", INPUTS(value),
                                              ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_FLOAT)));
    sli_output_t shape =
        sli_graph_testing_constant(s.scene.graph, "shape", sli_tensor_vector_int32((int32_t[]){7, 5}, 2));
    finish(&s, s.x, scene_binary(&s.scene, "Reshape", "reshaped", cast, shape), false);
    if (!is_computed) {
      expect_apart(&s);
      continue;
    }
    fuse(&s);
    SLI_EXPECT_TEXT(s.update.node->def.op->def->name, "_ProductApplyGradientDescent");
    scene_deinitialize(&s.scene);
  }
}

SLI_TEST(test_fuse_update_leaves_devices_apart) {
  step_t s;
  begin(&s);
  finish(&s, s.x, s.d, false);
  s.product.node->assigned_device = "/device:CPU:1";
  s.gradient.node->assigned_device = s.update.node->assigned_device = "/device:CPU:0";
  expect_apart(&s);
}

SLI_TEST_MAIN(test_fuse_update_takes_the_product_and_what_it_waits_for, test_fuse_update_takes_computed_operands,
              test_fuse_update_leaves_a_gradient_that_others_want, test_fuse_update_leaves_updates_under_a_lock,
              test_fuse_update_leaves_products_of_variables,
              test_fuse_update_looks_through_ops_that_forward_their_input, test_fuse_update_leaves_devices_apart)
