#include "train/graph/scope.h"

#include "base/test.h"
#include "sluice/layers.h"
#include "sluice/metrics.h"
#include "sluice/optimizer.h"
#include "sluice/sharded_input.h"
#include "sluice/summary.h"

// scope.h disables SL_AT for the library; a test is a caller.
#undef SL_AT
#define SL_AT(scope) sl_scope_at((scope), __FILE__, __LINE__)

static const char *name_of(TF_Output output) { return output.oper ? TF_OperationName(output.oper) : "(none)"; }

static void leave_by_return(sl_scope_t *s) {
  SL_NAME_SCOPE (s, "a") {
    SL_DEVICE (s, "/job:ps") {
      return;
    }
  }
}

SLI_TEST(test_blocks_are_left_by_break_return_goto_and_continue) {
  sl_scope_t *s = sl_graph_scope();
  SL_NAME_SCOPE (s, "b") {
    break;
  }
  SLI_EXPECT_INT(s->frames.count, 0);
  leave_by_return(s);
  SLI_EXPECT_INT(s->frames.count, 0);
  SL_NAME_SCOPE (s, "c") {
    SL_NAME_SCOPE (s, "d") {
      goto out;
    }
  }
out:
  SLI_EXPECT_INT(s->frames.count, 0);
  for (int i = 0; i < 3; i++) {
    SL_NAME_SCOPE (s, "tower_%d", i) {
      continue;
    }
  }
  SLI_EXPECT_INT(s->frames.count, 0);
  SLI_EXPECT_TEXT(name_of(sl_scalar(s, TF_FLOAT, 1)), "Const");
  sl_scope_release(s);
}

SLI_TEST(test_names_differ_in_more_than_case) {
  sl_scope_t *s = sl_graph_scope();
  SLI_EXPECT_TEXT(name_of(sl_scalar(s, TF_FLOAT, 1, .name = "a")), "a");
  SLI_EXPECT_TEXT(name_of(sl_scalar(s, TF_FLOAT, 1, .name = "A")), "A_1");
  SLI_EXPECT_TEXT(name_of(sl_scalar(s, TF_FLOAT, 1, .name = "a_1")), "a_1_1");
  SLI_EXPECT_TEXT(name_of(sl_scalar(s, TF_FLOAT, 1, .name = "a")), "a_2");
  SL_NAME_SCOPE (s, "a/") {
    SLI_EXPECT_TEXT(name_of(sl_scalar(s, TF_FLOAT, 1, .name = "x")), "a/x");
  }
  sl_scope_release(s);
}

SLI_TEST(test_first_error_names_the_line_and_later_calls_do_nothing) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 3));
  int line = __LINE__ + 1;
  TF_Output bad = sl_matmul(s, x, sl_zeros(s, TF_FLOAT, SL_SHAPE(4, 4)));
  SLI_EXPECT(!bad.oper);
  char *place = sli_format("scope_test.c:%d: node 'MatMul': ", line);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), place);
  free(place);
  SLI_EXPECT_INT(sl_scope_code(s), TF_INVALID_ARGUMENT);
  SLI_EXPECT(!sl_dense(s, bad, 10).oper);
  SLI_EXPECT(!sl_minimize(s, sl_adam(s, 0.1), bad));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "MatMul");
  sl_scope_release(s);
}

SLI_TEST(test_empty_input_is_an_error) {
  sl_scope_t *s = sl_graph_scope();
  sl_relu(s, ((TF_Output){0}));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "input 0 of 'Relu' (Relu) is empty");
  sl_scope_release(s);
}

static void no_variable_name(sl_scope_t *s) { sl_get_variable(s, NULL, TF_FLOAT, SL_SHAPE(1)); }
static void no_tag(sl_scope_t *s) { sl_summary_scalar(s, NULL, sl_scalar(s, TF_FLOAT, 1)); }
static void no_optimizer(sl_scope_t *s) {
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE());
  sl_minimize(s, NULL, sl_square(s, w));
}
static void no_labels(sl_scope_t *s) { sl_metrics_accuracy(s, (TF_Output){0}, sl_scalar(s, TF_FLOAT, 1)); }
static void nothing_to_drop(sl_scope_t *s) { sl_nn_dropout(s, (TF_Output){0}, sl_scalar(s, TF_FLOAT, 1)); }

static TF_Output image(sl_scope_t *s) { return sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 28, 28, 1)); }
static void no_units(sl_scope_t *s) { sl_dense(s, sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 4)), -3); }
static void no_filters(sl_scope_t *s) { sl_conv2d(s, image(s), 0, SL_SIZE(3, 3)); }
static void no_window(sl_scope_t *s) { sl_max_pooling2d(s, image(s), SL_SIZE(2, 0), SL_SIZE(2, 2)); }
static void no_batch(sl_scope_t *s) { sl_batch(s, SL_OUTPUTS(sl_scalar(s, TF_FLOAT, 1)), 0); }
static void no_records(sl_scope_t *s) { sl_sharded_input(s, NULL, SL_STRINGS("a"), 0); }
static void wrong_shard(sl_scope_t *s) { sl_sharded_input(s, NULL, SL_STRINGS("a"), 1, .shard = 2, .shards = 2); }
static void no_decay_steps(sl_scope_t *s) { sl_cosine_decay_restarts(s, 0.1, sl_global_step(s), -1); }
static void falling_boundaries(sl_scope_t *s) {
  sl_piecewise_constant(s, sl_global_step(s), ((const int64_t[]){5, 4}), ((const double[]){1, 2, 3}), 2);
}
static void text_constant(sl_scope_t *s) { sl_constant(s, TF_STRING, SL_SHAPE(1), "x"); }
static void unknown_size(sl_scope_t *s) { sl_random_normal(s, TF_FLOAT, SL_SHAPE(-1, 2)); }

SLI_TEST(test_what_is_wrong_is_named_with_rule_and_value) {
  static const struct {
    void (*build)(sl_scope_t *s);
    const char *error;
  } rows[] = {
      {no_variable_name, "sl_get_variable: name must not be NULL"},
      {no_tag, "the tag of a summary must not be NULL"},
      {no_optimizer, "optimizer must not be NULL"},
      {no_labels, "the labels of a metric must not be empty"},
      {nothing_to_drop, "sl_nn_dropout: x must not be empty"},
      {no_units, "dense: units must be at least 1, got -3"},
      {no_filters, "conv2d: filters must be at least 1, got 0"},
      {no_window, "max_pooling2d: size must be at least 1 x 1, got 2 x 0"},
      {no_batch, "batch: batch_size must be at least 1, got 0"},
      {no_records, "sl_sharded_input: batch_size must be at least 1, got 0"},
      {wrong_shard, "sl_sharded_input: shard must be 0 to 1, got 2"},
      {no_decay_steps, "first_decay_steps must be at least 1, got -1"},
      {falling_boundaries, "sl_piecewise_constant: boundaries must rise, got 4 after 5"},
      {text_constant, "sl_constant 'Const': dtype must be a number or a bool, and shape fully known, got string"},
      {unknown_size, "'random_normal': shape must be fully known, got (?, 2)"}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++) {
    sl_scope_t *s = sl_graph_scope();
    rows[i].build(s);
    SLI_EXPECT_INT(sl_scope_code(s), TF_INVALID_ARGUMENT);
    SLI_EXPECT_CONTAINS(sl_scope_error(s), rows[i].error);
    sl_scope_release(s);
  }
}

SLI_TEST(test_unknown_op_and_device_are_errors) {
  sl_scope_t *s = sl_graph_scope();
  sl_node_finish(sl_node_begin(SL_AT(s), "NoSuchOp", NULL));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "NoSuchOp");
  sl_scope_release(s);
  s = sl_graph_scope();
  SL_DEVICE (s, "/jop:ps") {
    sl_no_op(s);
  }
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Unknown attribute: 'jop:ps' in device '/jop:ps'");
  sl_scope_release(s);
}

SLI_TEST(test_graph_is_final_once_a_session_exists) {
  sl_scope_t *s = sl_graph_scope();
  sli_scope_finalize(s);
  sl_no_op(s);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Graph is finalized");
  sl_scope_release(s);
}

SLI_TEST(test_variables_are_reused_only_when_asked) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output first = {0}, second = {0};
  SL_VARIABLE_SCOPE (s, "m", .reuse = SL_AUTO_REUSE) {
    first = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2));
  }
  SL_VARIABLE_SCOPE (s, "m", .reuse = SL_REUSE) {
    second = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2));
  }
  SLI_EXPECT(first.oper && first.oper == second.oper);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SL_VARIABLE_SCOPE (s, "m") {
    sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2));
  }
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Variable m/w already exists, disallowed");
  sl_scope_release(s);
  s = sl_graph_scope();
  SL_VARIABLE_SCOPE (s, "m", .reuse = SL_REUSE) {
    sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2));
  }
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Variable m/w does not exist");
  sl_scope_release(s);
  s = sl_graph_scope();
  sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2));
  SL_VARIABLE_SCOPE (s, "", .reuse = SL_REUSE) {
    sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(3));
  }
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "specified shape (3,) and found shape (2,)");
  sl_scope_release(s);
}

SLI_TEST(test_collections_keep_order) {
  sl_scope_t *s = sl_graph_scope();
  sl_get_variable(s, "b", TF_FLOAT, SL_SHAPE(1));
  sl_get_variable(s, "a", TF_FLOAT, SL_SHAPE(1), .not_trainable = true);
  sl_get_variable(s, "l", TF_FLOAT, SL_SHAPE(1), .not_trainable = true,
                  .collections = (const char *[]){SL_LOCAL_VARIABLES}, .collection_count = 1);
  SLI_EXPECT_INT(sl_collection_count(s, SL_GLOBAL_VARIABLES), 2);
  SLI_EXPECT_INT(sl_collection_count(s, SL_TRAINABLE_VARIABLES), 1);
  SLI_EXPECT_INT(sl_collection_count(s, SL_LOCAL_VARIABLES), 1);
  SLI_EXPECT_INT(sl_collection_count(s, "none"), 0);
  SLI_EXPECT_TEXT(name_of(sl_collection_items(s, SL_GLOBAL_VARIABLES)[1]), "a/read");
  SLI_EXPECT(!sl_variable_info(s, sl_scalar(s, TF_FLOAT, 1)));
  sl_scope_release(s);
}

SLI_TEST(test_gradient_of_nothing_is_an_error) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE());
  sl_minimize(s, sl_gradient_descent(s, 0.1), x);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "No variables to optimize");
  sl_scope_release(s);
}

SLI_TEST_MAIN(test_what_is_wrong_is_named_with_rule_and_value, test_blocks_are_left_by_break_return_goto_and_continue,
              test_names_differ_in_more_than_case, test_first_error_names_the_line_and_later_calls_do_nothing,
              test_empty_input_is_an_error, test_unknown_op_and_device_are_errors,
              test_graph_is_final_once_a_session_exists, test_variables_are_reused_only_when_asked,
              test_collections_keep_order, test_gradient_of_nothing_is_an_error)
