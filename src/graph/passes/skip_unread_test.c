// Unread values: which are no longer computed, which still are, and that the order stays.
#include "graph/passes/testing.h"

static void skip(scene_t *scene) {
  sli_pass_skip_unread(&scene->pruned);
  sli_pass_drop_unused(&scene->pruned);
  scene_check(scene);
}

// Waits for |node| and fetches something that waits with it.
static void wait_for(scene_t *s, sli_node_t *node) {
  sli_node_t *wait = scene_no_op(s, "wait");
  sli_graph_add_control_edge(node, wait);
  scene_target(s, wait);
}

static bool waits_for(const scene_t *s, const char *name, const char *before) {
  const sli_node_t *node = scene_find(s, name);
  for (int i = 0; i < node->control_input_count; i++)
    if (!strcmp(node->control_inputs[i]->def.name, before)) return true;
  return false;
}

SLI_TEST(test_skip_unread_chain_becomes_order) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t x = scene_placeholder(&s, "x"), y = scene_placeholder(&s, "y");
  sli_output_t kept = scene_unary(&s, "Neg", "kept", y);
  sli_output_t product = scene_binary(&s, "Mul", "product", x, kept), e = scene_unary(&s, "Exp", "e", product);
  scene_feed(&s, x);
  scene_fetch(&s, kept);
  wait_for(&s, e.node);
  skip(&s);
  SLI_EXPECT(sli_graph_node_is(scene_find(&s, "e"), "NoOp"));
  SLI_EXPECT(sli_graph_node_is(scene_find(&s, "product"), "NoOp"));
  SLI_EXPECT(waits_for(&s, "wait", "e") && waits_for(&s, "e", "product") && waits_for(&s, "product", "kept"));
  // A fed value is there from the start.
  SLI_EXPECT_INT(scene_find(&s, "product")->control_input_count, 1);
  SLI_EXPECT(sli_graph_node_is(scene_find(&s, "kept"), "Neg"));
  scene_deinitialize(&s);
}

// Whether |name| is still |op|.
static bool stays(scene_t *s, const char *name, const char *op) {
  skip(s);
  bool is_same = sli_graph_node_is(scene_find(s, name), op);
  scene_deinitialize(s);
  return is_same;
}

SLI_TEST(test_skip_unread_keeps_what_somebody_wants) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t read = scene_unary(&s, "Exp", "a", scene_placeholder(&s, "x"));
  scene_fetch(&s, scene_unary(&s, "Neg", "reader", read));
  wait_for(&s, read.node);
  SLI_EXPECT(stays(&s, "a", "Exp"));

  scene_initialize(&s);
  sli_output_t fetched = scene_unary(&s, "Exp", "a", scene_placeholder(&s, "x"));
  scene_fetch(&s, fetched);
  wait_for(&s, fetched.node);
  SLI_EXPECT(stays(&s, "a", "Exp"));

  scene_initialize(&s);
  scene_target(&s, scene_unary(&s, "Exp", "a", scene_placeholder(&s, "x")).node);
  SLI_EXPECT(stays(&s, "a", "Exp"));
}

SLI_TEST(test_skip_unread_keeps_effects_checks_and_branches) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t check = sli_graph_testing_add(s.graph, "CheckNumerics", "a", INPUTS(scene_placeholder(&s, "x")),
                                             ATTRS(SLI_ATTR_STRING_OF("message", "bad")));
  wait_for(&s, check.node);
  SLI_EXPECT(stays(&s, "a", "CheckNumerics"));

  scene_initialize(&s);
  sli_output_t shape = sli_graph_testing_constant(s.graph, "shape", sli_tensor_scalar_int32(2));
  sli_output_t axis = sli_graph_testing_constant(s.graph, "axis", sli_tensor_scalar_int32(0));
  sli_output_t dims = sli_graph_testing_add(s.graph, "ExpandDims", "dims", INPUTS(shape, axis), NO_ATTRS);
  sli_output_t random = sli_graph_testing_add(s.graph, "RandomUniform", "a", INPUTS(dims),
                                              ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT)));
  wait_for(&s, random.node);
  SLI_EXPECT(stays(&s, "a", "RandomUniform"));

  // Dead with its branch, which a control edge would not show.
  scene_initialize(&s);
  sli_output_t condition = sli_graph_testing_placeholder(s.graph, "p", SLI_DTYPE_BOOL, SLI_SHAPE_SCALAR);
  sli_output_t branch = scene_binary(&s, "Switch", "switch", scene_placeholder(&s, "x"), condition);
  wait_for(&s, scene_unary(&s, "Identity", "a", branch).node);
  SLI_EXPECT(stays(&s, "a", "Identity"));
}

SLI_TEST_MAIN(test_skip_unread_chain_becomes_order, test_skip_unread_keeps_what_somebody_wants,
              test_skip_unread_keeps_effects_checks_and_branches)
