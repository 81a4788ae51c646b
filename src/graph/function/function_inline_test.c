// Calls that are replaced by bodies, and conditionals and loops by Switch, Merge and loops: names, edges, devices, what
// stays, and which functions a graph still needs.
#include "graph/function/function_inline.h"

#include "graph/function/testing.h"
#include "graph/testing.h"

#define FLOAT SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT)

// "twice": x + x on the device /device:CPU:1, if any. "effect": an Assert that no result needs.
static void add_function(sli_graph_t *graph, const char *name, bool has_effect) {
  function_writer_t writer;
  function_begin(&writer, name);
  function_argument(&writer, "x", SLI_DTYPE_FLOAT);
  function_node(&writer, "sum", "Add", "x x", FUNCTION_ATTRS(FLOAT));
  if (has_effect) {
    sli_dtype_t types[] = {SLI_DTYPE_FLOAT};
    sli_attr_t list = {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list.type = types};
    sli_tensor_t *yes = sli_tensor_scalar_bool(true);
    function_node(&writer, "yes", "Const", "",
                  FUNCTION_ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_BOOL), SLI_ATTR_TENSOR_OF("value", yes)));
    sli_tensor_release(yes);
    function_node(&writer, "check", "Assert", "yes:output:0 x", FUNCTION_ATTRS((sli_attr_entry_t){"T", list}));
  }
  function_result(&writer, "r", SLI_DTYPE_FLOAT, "sum:z:0");
  function_end(&writer, graph);
}

static sli_node_t *find(const sli_graph_t *graph, const char *name) { return sli_graph_find(graph, sli_view(name)); }

static void inline_all(sli_graph_t *graph) {
  SLI_EXPECT_OK(sli_function_inline(graph, 0, &(sli_function_inline_options_t){0}));
  int *order = sli_calloc(graph->nodes.count + 1, sizeof(*order));
  SLI_EXPECT_OK(sli_graph_topological_order(graph, order));
  free(order);
}

SLI_TEST(test_a_call_becomes_its_body) {
  sli_graph_t *graph = sli_graph_create();
  add_function(graph, "twice", false);
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE_SCALAR);
  sli_output_t call = sli_graph_testing_add(graph, "twice", "call", INPUTS(x), NO_ATTRS);
  sli_output_t after = sli_graph_testing_add(graph, "Neg", "after", INPUTS(call), NO_ATTRS);
  sli_graph_set_device(call.node, "/device:CPU:1");
  inline_all(graph);
  sli_node_t *sum = find(graph, "call/sum");
  SLI_REQUIRE(sum);
  SLI_EXPECT(after.node->inputs[0].node == sum);
  SLI_EXPECT(sum->inputs[0].node == x.node && sum->inputs[1].node == x.node);
  SLI_EXPECT_TEXT(sum->def.device, "/device:CPU:1");
  SLI_EXPECT_TEXT(call.node->def.op->def->name, "IdentityN");
  SLI_EXPECT(call.node->inputs[0].node == sum);
  SLI_EXPECT_INT(sli_graph_output_shape(call).rank, 0);
  sli_graph_drop_functions(graph);
  SLI_EXPECT(!graph->functions);
  sli_graph_release(graph);
}

SLI_TEST(test_control_edges_pass_through_a_call) {
  sli_graph_t *graph = sli_graph_create();
  add_function(graph, "checked", true);
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE_SCALAR);
  sli_node_t *before = sli_graph_testing_add(graph, "NoOp", "before", NO_INPUTS, NO_ATTRS).node;
  sli_output_t call = sli_graph_testing_add(graph, "checked", "call", INPUTS(x), NO_ATTRS);
  sli_graph_add_control_edge(before, call.node);
  sli_node_t *after = sli_graph_testing_add(graph, "NoOp", "after", NO_INPUTS, NO_ATTRS).node;
  sli_graph_add_control_edge(call.node, after);
  sli_output_t reader = sli_graph_testing_add(graph, "Neg", "reader", INPUTS(call), NO_ATTRS);
  inline_all(graph);
  bool *keep = sli_calloc(graph->nodes.count, sizeof(*keep));
  sli_node_t *check = find(graph, "call/check"), *constant = find(graph, "call/yes");
  SLI_REQUIRE(check && constant);
  // The reader, and what waits for the call, also run the check; and everything waits for |before|.
  sli_graph_mark_needed(graph, &reader.node, 1, NULL, 0, keep);
  SLI_EXPECT(keep[check->id]);
  sli_graph_mark_needed(graph, &after, 1, NULL, 0, keep);
  SLI_EXPECT(keep[check->id] && keep[before->id]);
  sli_graph_mark_needed(graph, &constant, 1, NULL, 0, keep);
  SLI_EXPECT(keep[before->id]);
  sli_node_t *sum = find(graph, "call/sum");
  sli_graph_mark_needed(graph, &sum, 1, NULL, 0, keep);
  SLI_EXPECT(keep[before->id]);
  free(keep);
  sli_graph_release(graph);
}

static sli_attr_entry_t function_attr(const char *attr, const char *name) {
  return (sli_attr_entry_t){attr, {.kind = SLI_ATTR_FUNC, .func = {.name = sli_view(name)}}};
}

static int count_ops(const sli_graph_t *graph, const char *op) {
  int count = 0;
  for (size_t i = 0; i < graph->nodes.count; i++) count += sli_graph_node_is(graph->nodes.items[i], op);
  return count;
}

SLI_TEST(test_an_if_is_lowered_only_if_it_asks_for_it) {
  for (int lowers = 0; lowers < 2; lowers++) {
    sli_graph_t *graph = sli_graph_create();
    add_function(graph, "then", false);
    add_function(graph, "else", true);
    sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE_SCALAR);
    sli_output_t condition = sli_graph_testing_placeholder(graph, "c", SLI_DTYPE_BOOL, SLI_SHAPE_SCALAR);
    sli_dtype_t types[] = {SLI_DTYPE_FLOAT};
    sli_attr_t list = {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list.type = types};
    sli_output_t chosen =
        sli_graph_testing_add(graph, "If", "if", INPUTS(condition, x),
                              ATTRS(function_attr("then_branch", "then"), function_attr("else_branch", "else"),
                                    {"Tout", list}, SLI_ATTR_BOOL_OF("_lower_using_switch_merge", lowers)));
    sli_output_t after = sli_graph_testing_add(graph, "Neg", "after", INPUTS(chosen), NO_ATTRS);
    inline_all(graph);
    SLI_EXPECT_INT(count_ops(graph, "If"), !lowers);
    SLI_EXPECT_INT(count_ops(graph, "Switch"), lowers ? 2 : 0);
    SLI_EXPECT_INT(count_ops(graph, "Merge"), lowers ? 2 : 0);
    SLI_EXPECT(sli_graph_node_is(after.node->inputs[0].node, lowers ? "Merge" : "If"));
    SLI_EXPECT((find(graph, "if/then/sum") != NULL) == lowers);
    SLI_EXPECT((find(graph, "if/else/check") != NULL) == lowers);
    sli_graph_drop_functions(graph);
    SLI_EXPECT_INT(sli_graph_function_count(graph), lowers ? 0 : 2);
    sli_graph_release(graph);
  }
}

SLI_TEST(test_recursion_and_explosions_end) {
  sli_graph_t *graph = sli_graph_create();
  function_writer_t writer;
  // Each of 60 functions calls the next one twice; the last one calls the first.
  for (int i = 0; i < 60; i++) {
    char name[16], next[16];
    snprintf(name, sizeof(name), "f%d", i);
    snprintf(next, sizeof(next), "f%d", (i + 1) % 60);
    function_begin(&writer, name);
    function_argument(&writer, "x", SLI_DTYPE_FLOAT);
    function_node(&writer, "a", next, "x", NULL, 0);
    function_node(&writer, "b", next, "a:r:0", NULL, 0);
    function_result(&writer, "r", SLI_DTYPE_FLOAT, "b:r:0");
    function_end(&writer, graph);
  }
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE_SCALAR);
  sli_graph_testing_add(graph, "f0", "call", INPUTS(x), NO_ATTRS);
  inline_all(graph);
  SLI_EXPECT(graph->nodes.count < 250000);
  sli_graph_release(graph);
}

SLI_TEST_MAIN(test_a_call_becomes_its_body, test_control_edges_pass_through_a_call,
              test_an_if_is_lowered_only_if_it_asks_for_it, test_recursion_and_explosions_end)
