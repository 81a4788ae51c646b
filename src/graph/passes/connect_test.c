// Tensor connections: inputs and control edges afterwards, and which nodes are removed.
#include "graph/passes/testing.h"

SLI_TEST(test_connect_replaces_an_output_and_what_made_it) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t x = scene_placeholder(&s, "x"), other = scene_unary(&s, "Exp", "other", x);
  sli_output_t old = scene_unary(&s, "Neg", "old", scene_unary(&s, "Abs", "only_for_old", x));
  sli_output_t sum = scene_binary(&s, "AddV2", "sum", old, old);
  sli_node_t *wait = scene_no_op(&s, "wait");
  sli_graph_add_control_edge(old.node, wait);
  scene_feed(&s, x);
  scene_fetch(&s, sum);
  scene_target(&s, wait);
  sli_pass_connect(&s.pruned, &(sli_pass_connection_t){.from = other, .to = old}, 1);
  scene_check(&s);
  SLI_EXPECT(!scene_find(&s, "old") && !scene_find(&s, "only_for_old"));
  for (int i = 0; i < 2; i++) SLI_EXPECT_TEXT(scene_find(&s, "sum")->inputs[i].node->def.name, "other");
  SLI_EXPECT_TEXT(scene_find(&s, "wait")->control_inputs[0]->def.name, "other");
  scene_deinitialize(&s);
}

// A node with another output that is read stays, and so do the control edges from it.
SLI_TEST(test_connect_keeps_a_node_that_is_read_otherwise) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t x = scene_placeholder(&s, "x"), other = scene_unary(&s, "Exp", "other", x);
  sli_output_t pair = sli_graph_testing_add(
      s.graph, "Switch", "pair", INPUTS(x, sli_graph_testing_constant(s.graph, "yes", sli_tensor_scalar_bool(true))),
      NO_ATTRS);
  sli_output_t second = {pair.node, 1};
  sli_output_t first_use = scene_unary(&s, "Neg", "first_use", pair),
               second_use = scene_unary(&s, "Neg", "second_use", second);
  sli_node_t *wait = scene_no_op(&s, "wait");
  sli_graph_add_control_edge(pair.node, wait);
  scene_feed(&s, x);
  scene_fetch(&s, first_use);
  scene_fetch(&s, second_use);
  scene_target(&s, wait);
  sli_pass_connect(&s.pruned, &(sli_pass_connection_t){.from = other, .to = pair}, 1);
  scene_check(&s);
  SLI_EXPECT_TEXT(scene_find(&s, "first_use")->inputs[0].node->def.name, "other");
  SLI_EXPECT_TEXT(scene_find(&s, "second_use")->inputs[0].node->def.name, "pair");
  SLI_EXPECT_TEXT(scene_find(&s, "wait")->control_inputs[0]->def.name, "pair");
  scene_deinitialize(&s);
}

SLI_TEST_MAIN(test_connect_replaces_an_output_and_what_made_it, test_connect_keeps_a_node_that_is_read_otherwise)
