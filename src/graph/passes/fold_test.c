// Folding: which nodes become constants, with which names and control inputs, and which must not.
#include "graph/passes/testing.h"

static void fold_within(scene_t *scene, size_t max_bytes) {
  sli_device_t *device = sli_device_create_cpu("/device:CPU:0", NULL, NULL);
  sli_pass_fold_options_t options = {device, max_bytes};
  sli_pass_fold(&scene->pruned, &options);
  sli_pass_drop_unused(&scene->pruned);
  sli_device_destroy(device);
  scene_check(scene);
}

static void fold(scene_t *scene) { fold_within(scene, 0); }

// The value of a node that must be a Const; NAN after a reported failure.
static float constant_of(const sli_node_t *node) {
  const sli_attr_t *value = node && sli_graph_node_is(node, "Const") ? sli_node_attr(&node->def, "value") : NULL;
  SLI_EXPECT(value);
  return value ? SLI_DATA(float, value->tensor)[0] : -12345;
}

SLI_TEST(test_fold_makes_one_constant_of_a_subgraph) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t a = scene_number(&s, "a", 2), b = scene_number(&s, "b", 3), x = scene_placeholder(&s, "x");
  sli_output_t sum = scene_binary(&s, "AddV2", "sum", a, b), square = scene_unary(&s, "Square", "square", sum);
  scene_fetch(&s, scene_binary(&s, "Mul", "y", square, x));
  fold(&s);
  SLI_EXPECT_INT(constant_of(scene_find(&s, "square")), 25);
  SLI_EXPECT_INT(s.graph->nodes.count, 3);
  SLI_EXPECT(!scene_find(&s, "sum") && !scene_find(&s, "a"));
  scene_deinitialize(&s);
}

SLI_TEST(test_fold_keeps_the_names_of_fetches_and_targets) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t a = scene_number(&s, "a", 2), sum = scene_binary(&s, "AddV2", "sum", a, a);
  sli_output_t target = scene_unary(&s, "Neg", "target", a);
  scene_fetch(&s, sum);
  scene_target(&s, target.node);
  fold(&s);
  SLI_EXPECT(s.pruned.fetches[0].node == scene_find(&s, "sum"));
  SLI_EXPECT_INT(constant_of(s.pruned.fetches[0].node), 4);
  SLI_EXPECT(s.pruned.targets[0] == scene_find(&s, "target"));
  scene_deinitialize(&s);
}

SLI_TEST(test_fold_gives_each_used_output_of_a_node_its_constant) {
  scene_t s;
  scene_initialize(&s);
  float values[] = {1, 2, 3};
  sli_tensor_t *vector;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){3}, 1, &vector));
  memcpy(vector->data, values, sizeof(values));
  sli_output_t v = sli_graph_testing_constant(s.graph, "v", vector), x = scene_placeholder(&s, "x");
  sli_output_t parts = sli_graph_testing_add(s.graph, "Unpack", "parts", INPUTS(v), ATTRS(SLI_ATTR_INT_OF("num", 3)));
  scene_fetch(&s, scene_binary(&s, "Mul", "y", (sli_output_t){parts.node, 1}, x));
  scene_fetch(&s, (sli_output_t){parts.node, 2});
  sli_node_t *after = scene_no_op(&s, "after");
  sli_graph_add_control_edge(parts.node, after);
  scene_target(&s, after);
  fold(&s);
  SLI_EXPECT(!scene_find(&s, "parts"));
  SLI_EXPECT_INT(constant_of(s.pruned.fetches[0].node->inputs[0].node), 2);
  SLI_EXPECT_INT(constant_of(s.pruned.fetches[1].node), 3);
  SLI_EXPECT_INT(after->control_input_count, 1);
  SLI_EXPECT(sli_graph_node_is(after->control_inputs[0], "Const"));
  scene_deinitialize(&s);
}

SLI_TEST(test_fold_waits_for_what_its_nodes_waited_for) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t a = scene_number(&s, "a", 2), b = scene_number(&s, "b", 3);
  sli_node_t *first = scene_no_op(&s, "first"), *second = scene_no_op(&s, "second");
  sli_output_t sum = scene_binary(&s, "AddV2", "sum", a, b), y = scene_unary(&s, "Neg", "y", sum);
  sli_graph_add_control_edge(first, a.node);
  sli_graph_add_control_edge(second, sum.node);
  scene_fetch(&s, y);
  fold(&s);
  SLI_EXPECT_INT(constant_of(y.node), -5);
  SLI_EXPECT_INT(y.node->control_input_count, 2);
  SLI_EXPECT_INT(s.graph->nodes.count, 3);
  scene_deinitialize(&s);
}

SLI_TEST(test_fold_of_a_node_that_others_wait_for_keeps_them_waiting) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t a = scene_number(&s, "a", 2), sum = scene_binary(&s, "AddV2", "sum", a, a);
  sli_node_t *first = scene_no_op(&s, "first"), *last = scene_no_op(&s, "last");
  sli_graph_add_control_edge(first, sum.node);
  sli_graph_add_control_edge(sum.node, last);
  scene_target(&s, last);
  fold(&s);
  SLI_EXPECT(last->control_input_count == 1 && last->control_inputs[0] == sum.node);
  SLI_EXPECT(sum.node->control_input_count == 1 && sum.node->control_inputs[0] == first);
  SLI_EXPECT_INT(constant_of(sum.node), 4);
  scene_deinitialize(&s);
}

SLI_TEST(test_fold_takes_fed_values_for_unknown) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t a = scene_number(&s, "a", 2), sum = scene_binary(&s, "AddV2", "sum", a, a);
  sli_output_t y = scene_unary(&s, "Neg", "y", sum);
  scene_fetch(&s, y);
  scene_feed(&s, sum);
  fold(&s);
  SLI_EXPECT(sli_graph_node_is(y.node, "Neg") && sli_graph_node_is(sum.node, "AddV2"));
  scene_deinitialize(&s);
  scene_initialize(&s);
  a = scene_number(&s, "a", 2);
  y = scene_unary(&s, "Neg", "y", a);
  scene_feed(&s, a);
  scene_fetch(&s, y);
  fold(&s);
  SLI_EXPECT(sli_graph_node_is(y.node, "Neg"));
  scene_deinitialize(&s);
}

SLI_TEST(test_fold_leaves_state_and_control_flow) {
  scene_t s;
  scene_initialize(&s);
  int32_t dims[] = {2};
  sli_output_t shape = sli_graph_testing_constant(s.graph, "shape", sli_tensor_vector_int32(dims, 1));
  sli_output_t random = sli_graph_testing_add(s.graph, "RandomUniform", "random", INPUTS(shape),
                                              ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT)));
  sli_output_t a = scene_number(&s, "a", 2);
  sli_output_t yes = sli_graph_testing_constant(s.graph, "yes", sli_tensor_scalar_bool(true));
  sli_output_t branch = scene_binary(&s, "Switch", "switch", a, yes), merge = scene_binary(&s, "Merge", "merge", a, a);
  sli_output_t enter =
      sli_graph_testing_add(s.graph, "Enter", "enter", INPUTS(a), ATTRS(SLI_ATTR_STRING_OF("frame_name", "loop")));
  sli_output_t exit = scene_unary(&s, "Exit", "exit", enter), body = scene_unary(&s, "Neg", "body", branch);
  scene_fetch(&s, random);
  scene_fetch(&s, body);
  scene_fetch(&s, merge);
  scene_fetch(&s, exit);
  size_t before = s.graph->nodes.count;
  fold(&s);
  SLI_EXPECT_INT(s.graph->nodes.count, before);
  SLI_EXPECT(sli_graph_node_is(random.node, "RandomUniform") && sli_graph_node_is(body.node, "Neg"));
  SLI_EXPECT(sli_graph_node_is(merge.node, "Merge") && sli_graph_node_is(exit.node, "Exit"));
  scene_deinitialize(&s);
}

// A file is read by the task that the node is placed on, in each step.
SLI_TEST(test_fold_leaves_what_reads_files) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t path = sli_graph_testing_constant(s.graph, "path", sli_tensor_scalar_string(sli_view("/dev/null")));
  sli_output_t contents = scene_unary(&s, "ReadFile", "contents", path);
  sli_output_t files = scene_unary(&s, "MatchingFiles", "files", path);
  scene_fetch(&s, contents);
  scene_fetch(&s, files);
  SLI_EXPECT(!sli_graph_constant_value(contents) && !sli_graph_constant_value(files));
  fold(&s);
  SLI_EXPECT(sli_graph_node_is(contents.node, "ReadFile") && sli_graph_node_is(files.node, "MatchingFiles"));
  scene_deinitialize(&s);
}

// The step must report an integer division by zero.
SLI_TEST(test_fold_leaves_what_fails) {
  scene_t s;
  scene_initialize(&s);
  sli_output_t one = sli_graph_testing_constant(s.graph, "one", sli_tensor_scalar_int32(1));
  sli_output_t zero = sli_graph_testing_constant(s.graph, "zero", sli_tensor_scalar_int32(0));
  sli_output_t quotient = scene_binary(&s, "FloorDiv", "quotient", one, zero);
  sli_output_t y = scene_unary(&s, "Neg", "y", quotient);
  scene_fetch(&s, y);
  fold(&s);
  SLI_EXPECT(sli_graph_node_is(y.node, "Neg") && sli_graph_node_is(quotient.node, "FloorDiv"));
  scene_deinitialize(&s);
}

SLI_TEST(test_fold_keeps_large_values_out) {
  for (int limited = 0; limited < 2; limited++) {
    scene_t s;
    scene_initialize(&s);
    int32_t dims[] = {limited ? 100 : 100000};
    sli_output_t shape = sli_graph_testing_constant(s.graph, "shape", sli_tensor_vector_int32(dims, 1));
    sli_output_t zeros = scene_binary(&s, "Fill", "zeros", shape, scene_number(&s, "zero", 0));
    scene_fetch(&s, zeros);
    fold_within(&s, limited ? 399 : 0);
    SLI_EXPECT(sli_graph_node_is(zeros.node, "Fill"));
    fold_within(&s, 400);
    SLI_EXPECT(sli_graph_node_is(zeros.node, limited ? "Const" : "Fill"));
    scene_deinitialize(&s);
  }
}

SLI_TEST(test_fold_of_a_broken_constant_is_the_kernels_to_refuse) {
  scene_t s;
  scene_initialize(&s);
  sli_tensor_t *number = sli_tensor_scalar_int32(1);
  sli_output_t liar =
      sli_graph_testing_add(s.graph, "Const", "liar", NO_INPUTS,
                            ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT), SLI_ATTR_TENSOR_OF("value", number)));
  sli_tensor_release(number);
  sli_output_t y = scene_unary(&s, "Neg", "y", liar);
  scene_fetch(&s, y);
  fold(&s);
  SLI_EXPECT(sli_graph_node_is(y.node, "Neg"));
  scene_deinitialize(&s);
}

SLI_TEST_MAIN(test_fold_makes_one_constant_of_a_subgraph, test_fold_keeps_the_names_of_fetches_and_targets,
              test_fold_gives_each_used_output_of_a_node_its_constant, test_fold_waits_for_what_its_nodes_waited_for,
              test_fold_of_a_node_that_others_wait_for_keeps_them_waiting, test_fold_takes_fed_values_for_unknown,
              test_fold_leaves_state_and_control_flow, test_fold_leaves_what_reads_files, test_fold_leaves_what_fails,
              test_fold_keeps_large_values_out, test_fold_of_a_broken_constant_is_the_kernels_to_refuse)
