// The graph: names, edges in both directions, removal, copies, order, and values that are
// known without running it.
#include "graph/graph.h"

#include "base/test.h"
#include "graph/import.h"
#include "graph/testing.h"

// Adds a node without attributes.
static sli_output_t add(sli_graph_t *graph, const char *op, const char *name, const sli_output_t *inputs,
                        size_t input_count) {
  return sli_graph_testing_add(graph, op, name, inputs, input_count, NO_ATTRS);
}

static int count_edges(const sli_node_t *from, const sli_node_t *to) {
  int count = 0;
  for (size_t i = 0; i < from->out_edges.count; i++) count += from->out_edges.items[i].consumer == to;
  return count;
}

static void expect_error(sli_status_t *status, sli_code_t code, const char *part) {
  SLI_EXPECT_INT(sli_status_code(status), code);
  SLI_EXPECT_CONTAINS(sli_status_message(status), part);
  sli_status_release(status);
}

SLI_TEST(test_add_connects_both_ways_and_infers) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, (sli_shape_t){2, (int64_t[]){2, 3}});
  sli_output_t sum = add(graph, "AddV2", "sum", INPUTS(a, a));
  SLI_EXPECT_INT(count_edges(a.node, sum.node), 2);
  SLI_EXPECT_INT(sli_graph_output_dtype(sum), SLI_DTYPE_FLOAT);
  SLI_EXPECT_INT(sli_graph_output_shape(sum).rank, 2);
  SLI_EXPECT_INT(sli_graph_output_shape(sum).dims[1], 3);
  SLI_EXPECT(sli_graph_find(graph, sli_view("sum")) == sum.node);
  sli_graph_release(graph);
}

SLI_TEST(test_add_refuses_what_is_wrong_and_leaves_the_graph) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, (sli_shape_t){1, (int64_t[]){2}});
  sli_output_t b = sli_graph_testing_placeholder(graph, "b", SLI_DTYPE_FLOAT, (sli_shape_t){1, (int64_t[]){3}});
  sli_output_t n = sli_graph_testing_placeholder(graph, "n", SLI_DTYPE_INT32, SLI_SHAPE_UNKNOWN);
  sli_node_t *node;
  expect_error(sli_graph_testing_try_add(graph, "Neg", "a", INPUTS(a), NULL, 0, &node), SLI_INVALID_ARGUMENT,
               "Duplicate node name in graph: 'a'");
  expect_error(sli_graph_testing_try_add(graph, "NoSuchOp", "x", NULL, 0, NULL, 0, &node), SLI_NOT_FOUND,
               "Op type not registered 'NoSuchOp'");
  static const char *const bad_names[] = {"", "-a", "/a", "a b", "a:0", "a\n", "^a"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(bad_names); i++)
    expect_error(sli_graph_testing_try_add(graph, "Neg", bad_names[i], INPUTS(a), NULL, 0, &node), SLI_INVALID_ARGUMENT,
                 "invalid characters");
  expect_error(sli_graph_testing_try_add(graph, "AddV2", "x", INPUTS(a, b), NULL, 0, &node), SLI_INVALID_ARGUMENT,
               "Dimensions must be equal, but are 2 and 3");
  sli_status_release(sli_graph_testing_try_add(graph, "AddV2", "x", INPUTS(a, n), NULL, 0, &node));
  SLI_EXPECT(!node);
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT);
  sli_graph_node_t request = {
      .op = "AddV2", .name = "x", .inputs = (sli_output_t[]){a, n}, .input_count = 2, .attrs = &type, .attr_count = 1};
  expect_error(sli_graph_add(graph, &request, &node), SLI_INVALID_ARGUMENT,
               "Input 1 of node x was passed int32 from n:0 incompatible with expected float.");
  SLI_EXPECT_INT(graph->nodes.count, 3);
  SLI_EXPECT_INT(a.node->out_edges.count, 0);
  SLI_EXPECT_INT(b.node->out_edges.count, 0);
  SLI_EXPECT(!sli_graph_find(graph, sli_view("x")));
  sli_graph_release(graph);
}

SLI_TEST(test_find_output_says_what_is_missing) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN), found;
  SLI_EXPECT_OK(sli_graph_find_output(graph, sli_view("a"), &found));
  SLI_EXPECT(sli_graph_output_equal(found, a));
  SLI_EXPECT_OK(sli_graph_find_output(graph, sli_view("a:0"), &found));
  expect_error(sli_graph_find_output(graph, sli_view("a:1"), &found), SLI_NOT_FOUND, "exists but only has 1 outputs");
  expect_error(sli_graph_find_output(graph, sli_view("b:0"), &found), SLI_NOT_FOUND, "does not exist in the graph");
  expect_error(sli_graph_find_output(graph, sli_view("a:99999999999"), &found), SLI_NOT_FOUND, "only has 1 outputs");
  SLI_EXPECT_STATUS(sli_graph_find_output(graph, sli_view("a:x"), &found), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_graph_find_output(graph, sli_view("a:"), &found), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_graph_find_output(graph, sli_view("a:-1"), &found), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_graph_find_output(graph, sli_view(""), &found), SLI_NOT_FOUND);
  SLI_EXPECT(!found.node);
  sli_graph_release(graph);
}

SLI_TEST(test_unique_name_counts_past_taken_ones) {
  sli_graph_t *graph = sli_graph_create();
  SLI_EXPECT_TEXT(sli_graph_unique_name(graph, "a"), "a");
  sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  sli_graph_testing_placeholder(graph, "a_1", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  SLI_EXPECT_TEXT(sli_graph_unique_name(graph, "a"), "a_2");
  sli_graph_testing_placeholder(graph, "a_2", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  SLI_EXPECT_TEXT(sli_graph_unique_name(graph, "a"), "a_3");
  SLI_EXPECT_TEXT(sli_graph_unique_name(graph, "a_1"), "a_1_1");
  sli_graph_release(graph);
}

SLI_TEST(test_truncate_takes_back_nodes_names_and_edges) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  sli_output_t kept = add(graph, "Neg", "kept", INPUTS(a));
  size_t before = graph->nodes.count;
  sli_output_t gone = add(graph, "AddV2", "gone", INPUTS(a, kept));
  sli_output_t more = add(graph, "Neg", "more", INPUTS(gone));
  sli_graph_add_control_edge(kept.node, more.node);
  sli_graph_truncate(graph, before);
  SLI_EXPECT_INT(graph->nodes.count, before);
  SLI_EXPECT_INT(a.node->out_edges.count, 1);
  SLI_EXPECT_INT(kept.node->out_edges.count, 0);
  SLI_EXPECT(!sli_graph_find(graph, sli_view("gone")) && !sli_graph_find(graph, sli_view("more")));
  SLI_EXPECT_INT(add(graph, "Neg", "gone", INPUTS(kept)).node->id, before);
  sli_graph_release(graph);
}

SLI_TEST(test_control_edges_are_kept_once) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t all = add(graph, "NoOp", "all", NULL, 0);
  sli_node_t *nodes[9];
  for (int i = 0; i < 9; i++) {
    char name[8];
    snprintf(name, sizeof(name), "n%d", i);
    nodes[i] = add(graph, "NoOp", name, NULL, 0).node;
    sli_graph_add_control_edge(nodes[i], all.node);
    sli_graph_add_control_edge(nodes[i], all.node);
  }
  SLI_EXPECT_INT(all.node->control_input_count, 9);
  for (int i = 0; i < 9; i++) {
    SLI_EXPECT(all.node->control_inputs[i] == nodes[i]);
    SLI_EXPECT_INT(count_edges(nodes[i], all.node), 1);
  }
  sli_graph_release(graph);
}

SLI_TEST(test_set_input_moves_the_edge_and_checks_types) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  sli_output_t b = sli_graph_testing_placeholder(graph, "b", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  sli_output_t n = sli_graph_testing_placeholder(graph, "n", SLI_DTYPE_INT32, SLI_SHAPE_UNKNOWN);
  sli_output_t sum = add(graph, "AddV2", "sum", INPUTS(a, a));
  SLI_EXPECT_OK(sli_graph_set_input(sum.node, 1, b));
  SLI_EXPECT_INT(count_edges(a.node, sum.node), 1);
  SLI_EXPECT_INT(count_edges(b.node, sum.node), 1);
  SLI_EXPECT_STATUS(sli_graph_set_input(sum.node, 0, n), SLI_INVALID_ARGUMENT);
  SLI_EXPECT(sli_graph_output_equal(sum.node->inputs[0], a));
  sli_graph_release(graph);
}

SLI_TEST(test_redirect_moves_all_consumers_or_none) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  sli_output_t n = sli_graph_testing_placeholder(graph, "n", SLI_DTYPE_INT32, SLI_SHAPE_UNKNOWN);
  sli_output_t sum = add(graph, "AddV2", "sum", INPUTS(a, a));
  sli_output_t other = add(graph, "Neg", "other", INPUTS(a));
  sli_output_t done = add(graph, "NoOp", "done", NULL, 0);
  sli_graph_add_control_edge(a.node, done.node);
  SLI_EXPECT_STATUS(sli_graph_redirect(a, n), SLI_INVALID_ARGUMENT);
  SLI_EXPECT(sli_graph_output_equal(sum.node->inputs[0], a) && sli_graph_output_equal(other.node->inputs[0], a));
  SLI_EXPECT(done.node->control_inputs[0] == a.node);
  // The new producer may itself use the old one.
  sli_output_t copy = add(graph, "Identity", "copy", INPUTS(a));
  SLI_EXPECT_OK(sli_graph_redirect(a, copy));
  SLI_EXPECT(sli_graph_output_equal(sum.node->inputs[0], copy) && sli_graph_output_equal(sum.node->inputs[1], copy));
  SLI_EXPECT(sli_graph_output_equal(other.node->inputs[0], copy) && sli_graph_output_equal(copy.node->inputs[0], a));
  SLI_EXPECT(done.node->control_inputs[0] == copy.node);
  SLI_EXPECT_INT(a.node->out_edges.count, 1);
  SLI_EXPECT_INT(copy.node->out_edges.count, 4);
  sli_graph_release(graph);
}

SLI_TEST(test_set_attr_adds_and_replaces) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  size_t count = a.node->def.attr_count;
  sli_attr_t value = {.kind = SLI_ATTR_INT, .i = 1};
  sli_graph_set_attr(a.node, "_mine", &value);
  value.i = 2;
  sli_graph_set_attr(a.node, "_mine", &value);
  SLI_EXPECT_INT(a.node->def.attr_count, count + 1);
  int64_t got = 0;
  SLI_EXPECT_OK(sli_node_attr_int(&a.node->def, "_mine", &got));
  SLI_EXPECT_INT(got, 2);
  sli_graph_release(graph);
}

SLI_TEST(test_merge_shape_refines_and_refuses) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, (sli_shape_t){2, (int64_t[]){-1, 3}});
  SLI_EXPECT_OK(sli_graph_merge_shape(graph, a, (sli_shape_t){2, (int64_t[]){5, -1}}));
  SLI_EXPECT_INT(sli_graph_output_shape(a).dims[0], 5);
  SLI_EXPECT_INT(sli_graph_output_shape(a).dims[1], 3);
  SLI_EXPECT_STATUS(sli_graph_merge_shape(graph, a, (sli_shape_t){1, (int64_t[]){5}}), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_graph_merge_shape(graph, a, (sli_shape_t){2, (int64_t[]){4, 3}}), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_INT(sli_graph_output_shape(a).dims[0], 5);
  sli_graph_release(graph);
}

SLI_TEST(test_reach_stops_at_feeds_and_copy_keeps_edges) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  sli_output_t b = add(graph, "Neg", "b", INPUTS(a));
  sli_output_t c = add(graph, "Neg", "c", INPUTS(b));
  sli_output_t unused = add(graph, "Neg", "unused", INPUTS(b));
  sli_output_t before = add(graph, "NoOp", "before", NULL, 0);
  sli_graph_add_control_edge(before.node, c.node);
  bool keep[5];
  sli_graph_mark_needed(graph, &c.node, 1, NULL, 0, keep);
  SLI_EXPECT(keep[a.node->id] && keep[b.node->id] && keep[c.node->id] && keep[before.node->id]);
  SLI_EXPECT(!keep[unused.node->id]);
  sli_node_t *map[5];
  sli_graph_t *copy = sli_graph_copy(graph, keep, map);
  SLI_EXPECT_INT(copy->nodes.count, 4);
  SLI_EXPECT(!map[unused.node->id]);
  sli_node_t *c2 = map[c.node->id];
  SLI_EXPECT(c2 != c.node && c2->inputs[0].node == map[b.node->id] && c2->control_inputs[0] == map[before.node->id]);
  SLI_EXPECT_INT(map[b.node->id]->out_edges.count, 1);
  sli_graph_mark_needed(graph, &c.node, 1, &b, 1, keep);
  SLI_EXPECT(keep[b.node->id] && !keep[a.node->id]);
  // A copy keeps its source alive.
  sli_graph_release(graph);
  SLI_EXPECT_TEXT(c2->def.name, "c");
  sli_graph_release(copy);
}

static int position(const int *order, size_t count, const sli_node_t *node) {
  for (size_t i = 0; i < count; i++)
    if (order[i] == node->id) return (int)i;
  return -1;
}

SLI_TEST(test_order_puts_producers_first_and_names_a_cycle) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t a = sli_graph_testing_placeholder(graph, "a", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  sli_output_t b = add(graph, "Neg", "b", INPUTS(a));
  sli_output_t c = add(graph, "Neg", "c", INPUTS(a));
  sli_graph_add_control_edge(c.node, b.node);
  int order[3];
  SLI_EXPECT_OK(sli_graph_topological_order(graph, order));
  SLI_EXPECT(position(order, 3, a.node) < position(order, 3, c.node));
  SLI_EXPECT(position(order, 3, c.node) < position(order, 3, b.node));
  sli_graph_add_control_edge(b.node, c.node);
  expect_error(sli_graph_topological_order(graph, order), SLI_INVALID_ARGUMENT, "contains a cycle with 2 nodes");
  sli_graph_release(graph);
}

SLI_TEST(test_constant_value_computes_small_subgraphs) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t two = sli_graph_testing_constant(graph, "two", sli_tensor_scalar_int32(2));
  sli_output_t three = sli_graph_testing_constant(graph, "three", sli_tensor_scalar_int32(3));
  sli_output_t sum = add(graph, "AddV2", "sum", INPUTS(two, three));
  sli_tensor_t *value = sli_graph_constant_value(sum);
  SLI_REQUIRE(value);
  SLI_EXPECT_INT(SLI_DATA(int32_t, value)[0], 5);
  sli_tensor_release(value);
  sli_output_t fed = sli_graph_testing_placeholder(graph, "fed", SLI_DTYPE_INT32, SLI_SHAPE_SCALAR);
  SLI_EXPECT(!sli_graph_constant_value(add(graph, "AddV2", "open", INPUTS(two, fed))));
  sli_output_t known =
      sli_graph_testing_placeholder(graph, "known", SLI_DTYPE_FLOAT, (sli_shape_t){2, (int64_t[]){4, 7}});
  value = sli_graph_constant_value(add(graph, "Shape", "shape", INPUTS(known)));
  SLI_REQUIRE(value);
  SLI_EXPECT_INT(SLI_DATA(int32_t, value)[1], 7);
  sli_tensor_release(value);
  sli_graph_release(graph);
}

// Values that depend on the step are not known before it, even if all inputs are constant.
SLI_TEST(test_constant_value_of_placeholders_and_control_flow_is_unknown) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t two = sli_graph_testing_constant(graph, "two", sli_tensor_scalar_int32(2));
  sli_output_t yes = sli_graph_testing_constant(graph, "yes", sli_tensor_scalar_bool(true));
  sli_output_t outputs[] = {
      sli_graph_testing_add(
          graph, "PlaceholderV2", "v2", NO_INPUTS,
          ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT32), SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE_SCALAR))),
      sli_graph_testing_add(graph, "PlaceholderWithDefault", "default", INPUTS(two),
                            ATTRS(SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE_SCALAR))),
      add(graph, "Switch", "switch", INPUTS(two, yes)),
      add(graph, "Merge", "merge", INPUTS(two, two)),
      sli_graph_testing_add(graph, "Enter", "enter", INPUTS(two), ATTRS(SLI_ATTR_STRING_OF("frame_name", "loop"))),
      add(graph, "Exit", "exit", INPUTS(two)),
      add(graph, "NextIteration", "next", INPUTS(two)),
      add(graph, "LoopCond", "condition", INPUTS(yes)),
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(outputs); i++) SLI_EXPECT(!sli_graph_constant_value(outputs[i]));
  sli_graph_release(graph);
}

SLI_TEST(test_values_are_kept_by_ops_that_store_them_and_through_ops_that_forward_them) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE(2));
  sli_output_t y = sli_graph_testing_placeholder(graph, "y", SLI_DTYPE_FLOAT, SLI_SHAPE(2));
  sli_output_t copy = add(graph, "Identity", "copy", INPUTS(x));
  sli_output_t negative = add(graph, "Neg", "negative", INPUTS(y));
  SLI_EXPECT(!sli_graph_outputs_are_kept(x.node));
  sli_graph_testing_add(graph, "Stage", "stage", INPUTS(copy), NO_ATTRS);
  sli_graph_testing_add(graph, "Stage", "stage_2", INPUTS(negative), NO_ATTRS);
  SLI_EXPECT(sli_graph_outputs_are_kept(x.node) && sli_graph_outputs_are_kept(negative.node));
  SLI_EXPECT(!sli_graph_outputs_are_kept(y.node));
  sli_graph_release(graph);
}

SLI_TEST(test_a_graph_that_forgot_its_names_can_be_ordered_and_exported) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE(2));
  sli_output_t negative = add(graph, "Neg", "negative", INPUTS(x));
  sli_string_t before = {0}, after = {0};
  sli_graph_export(graph, &before);
  sli_graph_forget_names(graph);
  SLI_EXPECT(!sli_graph_find(graph, sli_view("x")));
  int order[2];
  SLI_EXPECT_OK(sli_graph_topological_order(graph, order));
  SLI_EXPECT(order[0] == x.node->id && order[1] == negative.node->id);
  sli_graph_export(graph, &after);
  SLI_EXPECT(before.size && before.size == after.size && !memcmp(before.data, after.data, before.size));
  sli_string_deinitialize(&before);
  sli_string_deinitialize(&after);
  sli_graph_release(graph);
}

// An op and its form for references have the same control flow. (RefSelect is not a form of Select.)
static void check_reference_form(void *context, const sli_op_t *op) {
  int *count = context;
  if (!op->def->control_flow) return;
  char *name = sli_format("Ref%s", op->def->name);
  const sli_op_t *form = sli_op_find(sli_view(name));
  free(name);
  if (!form) return;
  ++*count;
  SLI_EXPECT_INT(form->def->control_flow, op->def->control_flow);
  SLI_EXPECT_INT(form->def->forwards_input, op->def->forwards_input);
}

SLI_TEST(test_ops_and_their_forms_for_references_have_the_same_control_flow) {
  int count = 0;
  sli_op_for_each(check_reference_form, &count);
  SLI_EXPECT_INT(count, 5);
}

SLI_TEST(test_constant_value_of_a_known_dimension_beside_unknown_ones) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t x =
      sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, (sli_shape_t){3, (int64_t[]){16, -1, 64}});
  sli_output_t shape = add(graph, "Shape", "shape", INPUTS(x));
  for (int i = -1; i < 3; i++) {
    char names[4][16];
    for (int k = 0; k < 4; k++) snprintf(names[k], sizeof(names[k]), "%c%d", "besd"[k], i + 1);
    sli_output_t begin = sli_graph_testing_constant(graph, names[0], sli_tensor_vector_int32((int32_t[]){i}, 1));
    sli_output_t stop = sli_graph_testing_constant(graph, names[1], sli_tensor_vector_int32((int32_t[]){i + 1}, 1));
    sli_output_t stride = sli_graph_testing_constant(graph, names[2], sli_tensor_vector_int32((int32_t[]){1}, 1));
    sli_attr_entry_t shrink = SLI_ATTR_INT_OF("shrink_axis_mask", 1);
    sli_node_t *node;
    SLI_REQUIRE_OK(sli_graph_testing_try_add(graph, "StridedSlice", names[3], INPUTS(shape, begin, stop, stride),
                                             &shrink, 1, &node));
    sli_tensor_t *value = sli_graph_constant_value((sli_output_t){node, 0});
    static const int wanted[] = {64, 16, -1, 64};
    SLI_EXPECT_INT(value ? SLI_DATA(int32_t, value)[0] : -1, wanted[i + 1]);
    sli_tensor_release(value);
  }
  sli_graph_release(graph);
}

// A graph of a user or a peer may be deep and share subgraphs: the evaluation must still end soon.
SLI_TEST(test_constant_shape_of_deep_and_tangled_graphs_ends) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN);
  sli_output_t deep = sli_graph_testing_placeholder(graph, "deep", SLI_DTYPE_INT32, (sli_shape_t){1, (int64_t[]){3}});
  for (int i = 0; i < 50000; i++) {
    char name[32];
    snprintf(name, sizeof(name), "i%d", i);
    deep = add(graph, "Identity", name, INPUTS(deep));
  }
  sli_output_t reshaped = add(graph, "Reshape", "reshaped", INPUTS(x, deep));
  SLI_EXPECT_INT(sli_graph_output_shape(reshaped).rank, 3);
  sli_output_t tangled =
      sli_graph_testing_placeholder(graph, "none", SLI_DTYPE_INT32, (sli_shape_t){1, (int64_t[]){0}});
  sli_output_t axis = sli_graph_testing_constant(graph, "axis", sli_tensor_scalar_int32(0));
  for (int i = 0; i < 60; i++) {
    char name[32];
    snprintf(name, sizeof(name), "c%d", i);
    tangled = add(graph, "ConcatV2", name, INPUTS(tangled, tangled, axis));
  }
  add(graph, "Reshape", "reshaped_too", INPUTS(x, tangled));
  sli_graph_release(graph);
}

SLI_TEST_MAIN(test_add_connects_both_ways_and_infers, test_add_refuses_what_is_wrong_and_leaves_the_graph,
              test_find_output_says_what_is_missing, test_unique_name_counts_past_taken_ones,
              test_truncate_takes_back_nodes_names_and_edges, test_control_edges_are_kept_once,
              test_set_input_moves_the_edge_and_checks_types, test_redirect_moves_all_consumers_or_none,
              test_set_attr_adds_and_replaces, test_merge_shape_refines_and_refuses,
              test_reach_stops_at_feeds_and_copy_keeps_edges, test_order_puts_producers_first_and_names_a_cycle,
              test_constant_value_computes_small_subgraphs,
              test_constant_value_of_placeholders_and_control_flow_is_unknown,
              test_values_are_kept_by_ops_that_store_them_and_through_ops_that_forward_them,
              test_a_graph_that_forgot_its_names_can_be_ordered_and_exported,
              test_ops_and_their_forms_for_references_have_the_same_control_flow,
              test_constant_value_of_a_known_dimension_beside_unknown_ones,
              test_constant_shape_of_deep_and_tangled_graphs_ends)
