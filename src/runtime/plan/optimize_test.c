// The session's configuration as TensorFlow reads it, and plans of big graphs.
#include "runtime/plan/optimize.h"

#include "base/clock.h"
#include "base/test.h"
#include "graph/testing.h"

static Tensorflow__GraphOptions graph_options;
static Tensorflow__OptimizerOptions older;
static Tensorflow__RewriterConfig rewriter;

static void begin(void) {
  tensorflow__graph_options__init(&graph_options);
  tensorflow__optimizer_options__init(&older);
  tensorflow__rewriter_config__init(&rewriter);
  graph_options.optimizer_options = &older;
  graph_options.rewrite_options = &rewriter;
}

static void expect(bool fold, bool merge_equal, bool skip_unread, bool fuse) {
  sli_optimize_options_t options = sli_optimize_options(&graph_options);
  SLI_EXPECT_INT(options.fold, fold);
  SLI_EXPECT_INT(options.merge_equal, merge_equal);
  SLI_EXPECT_INT(options.skip_unread, skip_unread);
  SLI_EXPECT_INT(options.fuse, fuse);
}

// What TensorFlow 2.15's partition graphs show for each of these.
SLI_TEST(test_options_are_read_as_tensorflow_reads_them) {
  const Tensorflow__OptimizerOptions__Level L0 = TENSORFLOW__OPTIMIZER_OPTIONS__LEVEL__L0;
  const Tensorflow__RewriterConfig__Toggle OFF = TENSORFLOW__REWRITER_CONFIG__TOGGLE__OFF;
  sli_optimize_options_t defaults = sli_optimize_options(NULL);
  SLI_EXPECT(defaults.fold && defaults.merge_equal && defaults.skip_unread && defaults.fuse);
  begin();
  expect(true, true, true, true);
  older.opt_level = L0;
  expect(true, true, true, true);
  rewriter.constant_folding = OFF;
  expect(false, true, true, true);
  rewriter.arithmetic_optimization = OFF;
  expect(false, false, true, true);
  begin();
  older.opt_level = L0;
  rewriter.common_subgraph_elimination = OFF;
  expect(true, false, true, true);
  begin();
  rewriter.disable_meta_optimizer = true;
  expect(true, true, false, false);
  older.opt_level = L0;
  expect(false, false, false, false);
  older.do_constant_folding = true;
  expect(true, false, false, false);
  older.do_constant_folding = false;
  older.do_common_subexpression_elimination = true;
  expect(false, true, false, false);
  begin();
  rewriter.constant_folding = OFF;
  rewriter.remapping = OFF;
  expect(true, true, true, false);
  begin();
  rewriter.dependency_optimization = OFF;
  expect(true, true, false, true);
  begin();
  char *names[] = {"remap"};
  older.opt_level = L0;
  rewriter.optimizers = names;
  rewriter.n_optimizers = 1;
  expect(false, false, false, true);
  names[0] = "dependency";
  expect(false, false, true, false);
}

SLI_TEST(test_folded_size_comes_from_the_options) {
  begin();
  SLI_EXPECT_INT(sli_optimize_options(&graph_options).max_folded_bytes, 0);
  older.max_folded_constant_in_bytes = 123;
  SLI_EXPECT_INT(sli_optimize_options(&graph_options).max_folded_bytes, 123);
  older.max_folded_constant_in_bytes = -1;
  SLI_EXPECT_INT(sli_optimize_options(&graph_options).max_folded_bytes, 0);
}

// 30,000 nodes that are merged, each of them among thousands that share an input, a consumer or a control edge:
// passes that looked at every pair would take minutes.
SLI_TEST(test_optimize_is_linear_in_wide_graphs) {
  enum { WIDTH = 10000 };
  sli_graph_t *graph = sli_graph_create();
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE_SCALAR);
  sli_output_t one = sli_graph_testing_constant(graph, "one", sli_tensor_scalar_float(1));
  sli_node_t *all = sli_graph_testing_add(graph, "NoOp", "all", NO_INPUTS, NO_ATTRS).node;
  for (int i = 0; i < WIDTH; i++) {
    char names[3][16];
    for (int k = 0; k < 3; k++) snprintf(names[k], sizeof(names[k]), "%c%d", "fma"[k], i);
    sli_output_t folded = sli_graph_testing_add(graph, "AddV2", names[0], INPUTS(one, one), NO_ATTRS);
    sli_output_t merged = sli_graph_testing_add(graph, "Mul", names[1], INPUTS(x, folded), NO_ATTRS);
    sli_node_t *stays = sli_graph_testing_add(graph, "NoOp", names[2], NO_INPUTS, NO_ATTRS).node;
    sli_graph_add_control_edge(merged.node, stays);
  }
  bool *keep = sli_calloc(graph->nodes.count, sizeof(*keep));
  sli_node_t **map = sli_calloc(graph->nodes.count, sizeof(*map));
  for (size_t i = 0; i < graph->nodes.count; i++) {
    sli_node_t *node = graph->nodes.items[i];
    keep[i] = true;
    if (node != all && sli_graph_node_is(node, "NoOp")) sli_graph_add_control_edge(node, all);
  }
  int64_t began = sli_clock_now_nanos();
  sli_pass_pruned_t pruned = {.graph = sli_graph_copy(graph, keep, map), .feed_count = 1, .target_count = 1};
  pruned.feeds = sli_calloc(1, sizeof(*pruned.feeds));
  pruned.targets = sli_calloc(1, sizeof(*pruned.targets));
  pruned.feeds[0] = (sli_output_t){map[x.node->id], 0};
  pruned.targets[0] = map[all->id];
  sli_device_t *device = sli_device_create_cpu("/device:CPU:0", NULL, NULL);
  sli_optimize_options_t options = sli_optimize_options(NULL);
  sli_optimize(&pruned, &options, device);
  printf("%zu nodes became %zu in %.1f ms\n", graph->nodes.count, pruned.graph->nodes.count,
         (double)(sli_clock_now_nanos() - began) * 1e-6);
  SLI_EXPECT_INT(pruned.graph->nodes.count, WIDTH + 4);
  sli_pass_pruned_deinitialize(&pruned);
  sli_device_destroy(device);
  sli_graph_release(graph);
  free(keep);
  free(map);
}

// What becomes of w -= rate * x·d under |options|.
static void expect_update(sli_optimize_options_t options, const char *op) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, SLI_SHAPE(3, -1));
  sli_output_t d = sli_graph_testing_placeholder(graph, "d", SLI_DTYPE_FLOAT, SLI_SHAPE(-1, 5));
  sli_output_t w = sli_graph_testing_add(
      graph, "VariableV2", "w", NO_INPUTS,
      ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT), SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(3, 5))));
  sli_output_t rate = sli_graph_testing_constant(graph, "rate", sli_tensor_scalar_float(1));
  sli_output_t product = sli_graph_testing_add(graph, "MatMul", "product", INPUTS(x, d), NO_ATTRS);
  sli_output_t update =
      sli_graph_testing_add(graph, "ApplyGradientDescent", "update", INPUTS(w, rate, product), NO_ATTRS);
  sli_pass_pruned_t pruned = {.graph = graph, .feed_count = 2, .target_count = 1};
  pruned.feeds = sli_calloc(2, sizeof(*pruned.feeds));
  pruned.targets = sli_calloc(1, sizeof(*pruned.targets));
  pruned.feeds[0] = x;
  pruned.feeds[1] = d;
  pruned.targets[0] = update.node;
  sli_device_t *device = sli_device_create_cpu("/device:CPU:0", NULL, NULL);
  sli_optimize(&pruned, &options, device);
  SLI_EXPECT_TEXT(update.node->def.op->def->name, op);
  sli_pass_pruned_deinitialize(&pruned);
  sli_device_destroy(device);
}

// A graph that is sent to a peer has no private ops.
SLI_TEST(test_private_ops_are_made_for_plans_alone) {
  sli_optimize_options_t options = sli_optimize_options(NULL);
  expect_update(options, "ApplyGradientDescent");
  options.is_for_plan = true;
  expect_update(options, "_ProductApplyGradientDescent");
  options.fuse = false;
  expect_update(options, "ApplyGradientDescent");
  options.fuse = true;
  options.skip_unread = false;
  expect_update(options, "ApplyGradientDescent");
}

SLI_TEST_MAIN(test_options_are_read_as_tensorflow_reads_them, test_folded_size_comes_from_the_options,
              test_optimize_is_linear_in_wide_graphs, test_private_ops_are_made_for_plans_alone)
