// Common subexpressions: which nodes are merged, and which only look equal.
#include "graph/passes/testing.h"

static void merge(scene_t *scene) {
  sli_pass_merge_equal(&scene->pruned);
  sli_pass_drop_unused(&scene->pruned);
  scene_check(scene);
}

SLI_TEST(test_merge_of_equal_subgraphs_leaves_one) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t x = scene_placeholder(&s, "x"), a = scene_number(&s, "a", 2), b = scene_number(&s, "b", 2);
  sli_output_t p = scene_binary(&s, "Mul", "p", x, a), q = scene_binary(&s, "Mul", "q", x, b);
  sli_output_t e = scene_unary(&s, "Exp", "e", p), f = scene_unary(&s, "Exp", "f", q);
  scene_fetch(&s, e);
  scene_fetch(&s, f);
  scene_target(&s, f.node);
  merge(&s);
  SLI_EXPECT_INT(s.graph->nodes.count, 4);
  SLI_EXPECT(sli_graph_output_equal(s.pruned.fetches[0], s.pruned.fetches[1]));
  SLI_EXPECT(s.pruned.targets[0] == s.pruned.fetches[0].node);
  scene_deinitialize(&s);
}

// Fetches |a| and |b|, merges, and returns whether they are still two nodes.
static bool stay_apart(scene_t *s, sli_output_t a, sli_output_t b) {
  scene_fetch(s, a);
  scene_fetch(s, b);
  merge(s);
  bool apart = !sli_graph_output_equal(s->pruned.fetches[0], s->pruned.fetches[1]);
  scene_deinitialize(s);
  return apart;
}

SLI_TEST(test_merge_needs_equal_inputs_attributes_and_values) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t x = scene_placeholder(&s, "x"), y = scene_placeholder(&s, "y");
  SLI_EXPECT(stay_apart(&s, scene_binary(&s, "Sub", "a", x, y), scene_binary(&s, "Sub", "b", y, x)));
  scene_initialize(&s);
  x = scene_placeholder(&s, "x");
  SLI_EXPECT(stay_apart(&s, scene_unary(&s, "Exp", "a", x), scene_unary(&s, "Neg", "b", x)));
  scene_initialize(&s);
  x = scene_placeholder(&s, "x");
  sli_output_t wide =
      sli_graph_testing_add(s.graph, "Cast", "a", INPUTS(x), ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_DOUBLE)));
  sli_output_t whole =
      sli_graph_testing_add(s.graph, "Cast", "b", INPUTS(x), ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_INT32)));
  SLI_EXPECT(stay_apart(&s, wide, whole));
  scene_initialize(&s);
  // Equal as numbers, not as bits.
  SLI_EXPECT(stay_apart(&s, scene_number(&s, "a", 0.0f), scene_number(&s, "b", -0.0f)));
  scene_initialize(&s);
  SLI_EXPECT(!stay_apart(&s, scene_number(&s, "a", 1), scene_number(&s, "b", 1)));
}

// Two placeholders are two values, even if all their attributes are equal.
SLI_TEST(test_merge_leaves_placeholders_of_every_form) {
  for (int form = 0; form < 3; form++) {
    scene_t s;
    scene_initialize(&s);
    sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT),
                                SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE_SCALAR)};
    const char *op = form == 0 ? "Placeholder" : form == 1 ? "PlaceholderV2" : "PlaceholderWithDefault";
    sli_output_t input = scene_number(&s, "default", 1);
    size_t inputs = form == 2;
    SLI_EXPECT(stay_apart(&s, sli_graph_testing_add(s.graph, op, "a", &input, inputs, attrs, 2),
                          sli_graph_testing_add(s.graph, op, "b", &input, inputs, attrs, 2)));
  }
}

SLI_TEST(test_merge_takes_outputs_one_by_one) {
  scene_t s;
  scene_initialize(&s);
  int32_t values[] = {1, 2};
  sli_output_t v = sli_graph_testing_constant(s.graph, "v", sli_tensor_vector_int32(values, 2));
  sli_output_t u = sli_graph_testing_add(s.graph, "Unpack", "u", INPUTS(v), ATTRS(SLI_ATTR_INT_OF("num", 2)));
  sli_output_t w = sli_graph_testing_add(s.graph, "Unpack", "w", INPUTS(v), ATTRS(SLI_ATTR_INT_OF("num", 2)));
  scene_fetch(&s, scene_unary(&s, "Neg", "a", (sli_output_t){u.node, 0}));
  scene_fetch(&s, scene_unary(&s, "Neg", "b", (sli_output_t){w.node, 1}));
  merge(&s);
  SLI_EXPECT_INT(s.graph->nodes.count, 4);
  SLI_EXPECT(s.pruned.fetches[0].node->inputs[0].node == s.pruned.fetches[1].node->inputs[0].node);
  SLI_EXPECT_INT(s.pruned.fetches[1].node->inputs[0].index, 1);
  scene_deinitialize(&s);
}

SLI_TEST(test_merge_never_crosses_devices) {
  for (int other = 0; other < 2; other++) {
    scene_t s;
    scene_initialize(&s);
    sli_output_t x = scene_placeholder(&s, "x"), a = scene_unary(&s, "Exp", "a", x), b = scene_unary(&s, "Exp", "b", x);
    a.node->assigned_device = "/job:localhost/replica:0/task:0/device:CPU:0";
    b.node->assigned_device = other ? "/job:localhost/replica:0/task:0/device:CPU:1" : a.node->assigned_device;
    SLI_EXPECT_INT(stay_apart(&s, a, b), other);
  }
}

// The same control inputs, in any order.
SLI_TEST(test_merge_needs_equal_control_inputs) {
  for (int more = 0; more < 2; more++) {
    scene_t s;
    scene_initialize(&s);
    sli_output_t x = scene_placeholder(&s, "x"), a = scene_unary(&s, "Exp", "a", x), b = scene_unary(&s, "Exp", "b", x);
    sli_node_t *first = scene_no_op(&s, "first"), *second = scene_no_op(&s, "second");
    sli_graph_add_control_edge(first, a.node);
    if (!more) sli_graph_add_control_edge(second, a.node);
    sli_graph_add_control_edge(second, b.node);
    sli_graph_add_control_edge(first, b.node);
    SLI_EXPECT_INT(stay_apart(&s, a, b), more);
  }
}

SLI_TEST(test_merge_leaves_fed_values_placeholders_and_state) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t x = scene_placeholder(&s, "x"), a = scene_unary(&s, "Exp", "a", x), b = scene_unary(&s, "Exp", "b", x);
  scene_feed(&s, a);
  SLI_EXPECT(stay_apart(&s, a, b));
  scene_initialize(&s);
  SLI_EXPECT(stay_apart(&s, scene_placeholder(&s, "a"), scene_placeholder(&s, "b")));
  scene_initialize(&s);
  int32_t dims[] = {2};
  sli_output_t shape = sli_graph_testing_constant(s.graph, "shape", sli_tensor_vector_int32(dims, 1));
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT);
  SLI_EXPECT(stay_apart(&s, sli_graph_testing_add(s.graph, "RandomUniform", "a", INPUTS(shape), &type, 1),
                        sli_graph_testing_add(s.graph, "RandomUniform", "b", INPUTS(shape), &type, 1)));
}

// Two reads of one variable may be meant to see different values.
SLI_TEST(test_merge_leaves_reads_of_references) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t v = sli_graph_testing_add(
      s.graph, "VariableV2", "v", NO_INPUTS,
      ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT), SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE_SCALAR)));
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT);
  SLI_EXPECT(stay_apart(&s, sli_graph_testing_add(s.graph, "Identity", "a", INPUTS(v), &type, 1),
                        sli_graph_testing_add(s.graph, "Identity", "b", INPUTS(v), &type, 1)));
}

SLI_TEST(test_merge_leaves_loops) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t x = scene_placeholder(&s, "x");
  sli_attr_entry_t frame = SLI_ATTR_STRING_OF("frame_name", "loop");
  SLI_EXPECT(stay_apart(&s, sli_graph_testing_add(s.graph, "Enter", "a", INPUTS(x), &frame, 1),
                        sli_graph_testing_add(s.graph, "Enter", "b", INPUTS(x), &frame, 1)));
}

SLI_TEST_MAIN(test_merge_of_equal_subgraphs_leaves_one, test_merge_needs_equal_inputs_attributes_and_values,
              test_merge_leaves_placeholders_of_every_form, test_merge_takes_outputs_one_by_one,
              test_merge_never_crosses_devices, test_merge_needs_equal_control_inputs,
              test_merge_leaves_fed_values_placeholders_and_state, test_merge_leaves_reads_of_references,
              test_merge_leaves_loops)
