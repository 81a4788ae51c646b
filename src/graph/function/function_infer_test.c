// Shapes through calls: nested ones, functions that call themselves, bodies that double at each level.
#include "graph/function/function_infer.h"

#include "graph/function/testing.h"
#include "graph/testing.h"

#define FLOAT SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT)

// name(x) = first(x) + second(x), where both are functions or ops with one argument.
static void add_sum(sli_graph_t *graph, const char *name, const char *first, const char *second, bool of_ops) {
  function_writer_t writer;
  function_begin(&writer, name);
  function_argument(&writer, "x", SLI_DTYPE_FLOAT);
  if (of_ops) {
    function_node(&writer, "a", first, "x", FUNCTION_ATTRS(FLOAT));
    function_node(&writer, "b", second, "x", FUNCTION_ATTRS(FLOAT));
    function_node(&writer, "sum", "Add", "a:y:0 b:y:0", FUNCTION_ATTRS(FLOAT));
  } else {
    function_node(&writer, "a", first, "x", NULL, 0);
    function_node(&writer, "b", second, "x", NULL, 0);
    function_node(&writer, "sum", "Add", "a:r:0 b:r:0", FUNCTION_ATTRS(FLOAT));
  }
  function_result(&writer, "r", SLI_DTYPE_FLOAT, "sum:z:0");
  function_end(&writer, graph);
}

static sli_graph_t *create(void) {
  sli_graph_t *graph = sli_graph_create();
  graph->infer_call = sli_function_infer_call;
  return graph;
}

static sli_output_t call(sli_graph_t *graph, const char *function) {
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE(2, 3));
  return sli_graph_testing_add(graph, function, "call", INPUTS(x), NO_ATTRS);
}

SLI_TEST(test_calls_in_bodies_are_inferred) {
  sli_graph_t *graph = create();
  add_sum(graph, "inner", "Neg", "Exp", true);
  add_sum(graph, "outer", "inner", "inner", false);
  SLI_EXPECT(sli_shape_equal(sli_graph_output_shape(call(graph, "outer")), SLI_SHAPE(2, 3)));
  sli_graph_release(graph);
}

SLI_TEST(test_a_graph_that_does_not_ask_has_unknown_shapes) {
  sli_graph_t *graph = sli_graph_create();
  add_sum(graph, "f", "Neg", "Exp", true);
  SLI_EXPECT_INT(sli_graph_output_shape(call(graph, "f")).rank, -1);
  sli_graph_release(graph);
}

SLI_TEST(test_a_function_that_calls_itself_stays_unknown) {
  sli_graph_t *graph = create();
  add_sum(graph, "f", "g", "g", false);
  add_sum(graph, "g", "f", "f", false);
  SLI_EXPECT_INT(sli_graph_output_shape(call(graph, "f")).rank, -1);
  sli_graph_release(graph);
}

SLI_TEST(test_bodies_that_double_come_to_an_end) {
  sli_graph_t *graph = create();
  add_sum(graph, "f0", "Neg", "Exp", true);
  for (int i = 1; i < 40; i++) {
    char name[8], inner[8];
    snprintf(name, sizeof(name), "f%d", i);
    snprintf(inner, sizeof(inner), "f%d", i - 1);
    add_sum(graph, name, inner, inner, false);
  }
  // 2^39 calls: most are left out.
  call(graph, "f39");
  sli_graph_release(graph);
}

SLI_TEST(test_a_body_that_cannot_be_built_is_left_to_the_run) {
  sli_graph_t *graph = create();
  add_sum(graph, "f", "NoSuchOp", "Neg", false);
  SLI_EXPECT_INT(sli_graph_output_shape(call(graph, "f")).rank, -1);
  sli_graph_release(graph);
}

SLI_TEST_MAIN(test_calls_in_bodies_are_inferred, test_a_graph_that_does_not_ask_has_unknown_shapes,
              test_a_function_that_calls_itself_stays_unknown, test_bodies_that_double_come_to_an_end,
              test_a_body_that_cannot_be_built_is_left_to_the_run)
