// Loops and conditionals: the graphs of TensorFlow's Python library, their values and gradients, and the errors.
#include "base/test.h"
#include "tests/train/golden.h"
#include "train/graph/build.h"

// The data of the functions that build conditions, bodies and branches.
typedef struct {
  TF_Output x, y, limit, step;
  TF_Output outer[2];
} values_t;

static TF_Output plus_one(sl_scope_t *s, const char *name, TF_Output x) {
  return sli_build_number_right(s, "AddV2", name, x, 1);
}

// --- Graphs ---

static TF_Output below_limit(sl_scope_t *s, void *data, const TF_Output *v) {
  return sl_less(s, v[0], ((values_t *)data)->limit);
}

static void add_turn(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  values_t *values = data;
  next[0] = plus_one(s, "add", v[0]);
  TF_Output twice = sli_build_number_right(s, "Mul", "Mul", values->x, 2);
  next[1] = sl_add(s, v[1], sl_add(s, twice, values->step, .name = "add"));
}

static TF_Output sum_below_9(sl_scope_t *s, void *data, const TF_Output *v) {
  return sli_build_number_right(s, "Less", "Less", sl_sum(s, v[0]), 9);
}

static void grow(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  next[0] = sl_concat(s, SL_OUTPUTS(v[0], ((values_t *)data)->x), 0);
  next[1] = v[1];
}

static void to_step(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  next[0] = plus_one(s, "Add", v[0]);
  next[1] = ((values_t *)data)->step;
}

static TF_Output below_3(sl_scope_t *s, void *data, const TF_Output *v) {
  return sli_build_number_right(s, "Less", "Less", v[0], 3);
}

static void in_order(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  TF_Output inner = sl_add(s, v[0], ((values_t *)data)->limit, .name = "inner");
  SL_CONTROL_DEPENDENCIES (s, inner.oper) {
    next[0] = sl_add(s, v[0], sl_scalar(s, TF_INT32, 1, .name = "one"), .name = "next");
  }
}

SLI_TEST(test_while_loops) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = {.x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 3), .name = "x"),
                     .limit = sl_scalar(s, TF_INT32, 5, .name = "limit")};
  values.step = sl_get_variable(s, "step", TF_FLOAT, SL_SHAPE(3), .initializer = SL_ZEROS);
  sl_while_loop(s, below_limit, add_turn, &values, SL_OUTPUTS(sl_scalar(s, TF_INT32, 0), values.x),
                .parallel_iterations = 4);
  sl_while_loop(s, sum_below_9, grow, &values, SL_OUTPUTS(values.x, values.limit),
                .shape_invariants = (sl_shape_t[]){SL_SHAPE(-1, 3), SL_SHAPE()},
                .maximum_iterations = sl_scalar(s, TF_INT32, 7, .name = "most"), .name = "grow");
  sl_while_loop(s, below_limit, to_step, &values, SL_OUTPUTS(sl_scalar(s, TF_INT32, 0), values.step),
                .name = "constant");
  TF_Operation *before = sl_no_op(s, .name = "before"), *mark = sl_identity(s, values.x, .name = "mark").oper;
  SL_CONTROL_DEPENDENCIES (s, before, mark) {
    sl_while_loop(s, below_3, in_order, &values, SL_OUTPUTS(values.limit), .name = "ordered");
  }
  sli_expect_listing(s, "while_loops");
  sl_scope_release(s);
}

static TF_Output below_outer(sl_scope_t *s, void *data, const TF_Output *v) {
  return sl_less(s, v[0], ((values_t *)data)->outer[0]);
}

static void times_y(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  next[0] = plus_one(s, "Add", v[0]);
  next[1] = sl_multiply(s, v[1], ((values_t *)data)->y);
}

static void add_product(sl_scope_t *s, void *data, TF_Output *results) {
  values_t *values = data;
  results[0] = sl_add(s, values->outer[1], values->step);
}

static void subtract_y(sl_scope_t *s, void *data, TF_Output *results) {
  values_t *values = data;
  results[0] = sl_subtract(s, values->outer[1], values->y);
}

static TF_Output below_4(sl_scope_t *s, void *data, const TF_Output *v) {
  return sli_build_number_right(s, "Less", "Less", v[0], 4);
}

static void outer_turn(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  values_t *values = data;
  values->outer[0] = v[0];
  values->outer[1] = v[1];
  values->step =
      sl_while_loop(s, below_outer, times_y, values, SL_OUTPUTS(sl_scalar(s, TF_INT32, 0), values->x)).items[1];
  TF_Output is_2 = sli_build_number_right(s, "Equal", "Equal", v[0], 2);
  next[1] = sl_cond(s, is_2, add_product, subtract_y, values, 1).items[0];
  next[0] = plus_one(s, "Add", v[0]);
}

static sl_outputs_t nested(sl_scope_t *s, values_t *values) {
  return sl_while_loop(s, below_4, outer_turn, values, SL_OUTPUTS(sl_scalar(s, TF_INT32, 0), values->x));
}

SLI_TEST(test_nested_loops) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = {.x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3), .name = "x"),
                     .y = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3), .name = "y")};
  nested(s, &values);
  sli_expect_listing(s, "nested_loops");
  sl_scope_release(s);
}

static void times_step(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = sl_multiply(s, ((values_t *)data)->x, ((values_t *)data)->step);
}
static void negate(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = sl_negative(s, ((values_t *)data)->x);
}
static void itself(sl_scope_t *s, void *data, TF_Output *results) { results[0] = ((values_t *)data)->x; }
static void one_two_three(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = sl_constant(s, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 2, 3}));
}
static void with_square(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = ((values_t *)data)->x;
  results[1] = sl_square(s, results[0]);
}
static void with_zeros(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = ((values_t *)data)->step;
  results[1] = sl_zeros(s, TF_FLOAT, SL_SHAPE(3));
}
static void do_nothing(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = SL_OPERATION(sl_no_op(s, .name = "nothing"));
}
static void assign_step(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = SL_OPERATION(sl_assign(s, ((values_t *)data)->step, ((values_t *)data)->x).oper);
}
static void add_step(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = sl_add(s, ((values_t *)data)->x, ((values_t *)data)->step);
}
static void ask_again(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = sl_cond(s, ((values_t *)data)->y, add_step, itself, data, 1).items[0];
}
static void exponential(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = sl_exp(s, ((values_t *)data)->x);
}
static void add_x(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  next[0] = plus_one(s, "Add", v[0]);
  next[1] = sl_add(s, v[1], ((values_t *)data)->x);
}
static void loop_inside(sl_scope_t *s, void *data, TF_Output *results) {
  TF_Output x = ((values_t *)data)->x;
  results[0] = sl_while_loop(s, below_3, add_x, data, SL_OUTPUTS(sl_scalar(s, TF_INT32, 0), x)).items[1];
}

SLI_TEST(test_conds) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output p = sl_placeholder(s, TF_BOOL, SL_SHAPE(), .name = "p"),
            q = sl_placeholder(s, TF_BOOL, SL_SHAPE(), .name = "q");
  values_t values = {.x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3), .name = "x"), .y = q};
  values.step = sl_get_variable(s, "step", TF_FLOAT, SL_SHAPE(3), .initializer = SL_ONES);
  sl_cond(s, p, times_step, negate, &values, 1);
  sl_cond(s, p, itself, one_two_three, &values, 1, .name = "through");
  sl_cond(s, p, with_square, with_zeros, &values, 2, .name = "two");
  sl_cond(s, p, do_nothing, assign_step, &values, 1, .name = "act");
  sl_cond(s, p, ask_again, exponential, &values, 1, .name = "nest");
  sl_cond(s, q, loop_inside, itself, &values, 1, .name = "looped");
  sli_expect_listing(s, "conds");
  sl_scope_release(s);
}

// --- Values ---

static values_t two_variables(sl_scope_t *s) {
  return (values_t){.x = sl_get_variable(s, "x", TF_FLOAT, SL_SHAPE(3)),
                    .y = sl_get_variable(s, "y", TF_FLOAT, SL_SHAPE(3))};
}

SLI_TEST(test_nested_loops_have_tensorflows_values_and_gradients) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = two_variables(s);
  sli_expect_values(s, SL_OUTPUTS(nested(s, &values).items[1]), "control_flow_values", "nested");
  sl_scope_release(s);
}

static TF_Output second_below_9(sl_scope_t *s, void *data, const TF_Output *v) { return sum_below_9(s, data, v + 1); }

static void grow_and_add(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  values_t *values = data;
  next[0] = sl_concat(s, SL_OUTPUTS(v[0], sl_multiply(s, values->x, v[1])), 0);
  next[1] = sl_add(s, v[1], sl_multiply(s, values->y, values->y));
}

SLI_TEST(test_a_variable_may_grow_up_to_a_number_of_iterations) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = two_variables(s);
  sl_outputs_t grown = sl_while_loop(s, second_below_9, grow_and_add, &values, SL_OUTPUTS(values.y, values.x),
                                     .shape_invariants = (sl_shape_t[]){SL_SHAPE(-1), SL_SHAPE(3)},
                                     .maximum_iterations = sl_scalar(s, TF_INT64, 2));
  SLI_EXPECT_INT(sl_static_shape(s, grown.items[0]).dims[0], -1);
  sli_expect_values(s, grown, "control_flow_values", "grown");
  sl_scope_release(s);
}

static void product(sl_scope_t *s, void *data, TF_Output *results) {
  results[0] = sl_multiply(s, ((values_t *)data)->x, ((values_t *)data)->y);
}

SLI_TEST(test_both_branches_have_tensorflows_values_and_gradients) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = two_variables(s);
  TF_Output results[2];
  for (int i = 0; i < 2; i++) {
    TF_Output less = sli_build_number_right(s, "Less", "Less", sl_sum(s, values.x), i ? 9 : -9);
    results[i] = sl_cond(s, less, product, exponential, &values, 1).items[0];
  }
  sli_expect_values(s, SL_OUTPUTS(results[0], results[1]), "control_flow_values", "cond");
  sl_scope_release(s);
}

static void loop_times_y(sl_scope_t *s, void *data, TF_Output *results) {
  TF_Output x = ((values_t *)data)->x;
  results[0] = sl_while_loop(s, below_3, times_y, data, SL_OUTPUTS(sl_scalar(s, TF_INT32, 0), x)).items[1];
}

SLI_TEST(test_gradients_flow_through_a_loop_in_a_branch) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = two_variables(s);
  TF_Output results[2];
  for (int i = 0; i < 2; i++) {
    TF_Output less = sli_build_number_right(s, "Less", "Less", sl_sum(s, values.x), i ? 9 : -9);
    results[i] = sl_cond(s, less, loop_times_y, itself, &values, 1).items[0];
  }
  sli_expect_values(s, SL_OUTPUTS(results[0], results[1]), "control_flow_values", "loop_in_branch");
  sl_scope_release(s);
}

SLI_TEST(test_only_the_branch_that_is_taken_acts) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = {.x = sl_constant(s, TF_FLOAT, SL_SHAPE(1), ((float[]){5}))};
  TF_Output outputs[4];
  for (int i = 0; i < 2; i++) {
    values.step = sl_get_variable(s, i ? "b" : "a", TF_FLOAT, SL_SHAPE(1), .initializer = SL_ONES);
    TF_Output done = sl_cond(s, sl_scalar(s, TF_BOOL, i), do_nothing, assign_step, &values, 1).items[0];
    outputs[2 * i] = done;
    SL_CONTROL_DEPENDENCIES (s, done.oper) {
      outputs[2 * i + 1] = sl_identity(s, sl_variable_info(s, values.step)->reference);
    }
  }
  double results[4];
  SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), outputs, 4, results, 4), 4);
  const double wanted[] = {0, 5, 1, 1};
  for (int i = 0; i < 4; i++) SLI_EXPECT_NEAR(results[i], wanted[i], 0);
  sl_scope_release(s);
}

// One step of gradient descent in each iteration: y = v - 0.25 * d(v²)/dv = v / 2.
static void descend(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  TF_Output weight = sl_get_variable(s, "weight", TF_FLOAT, SL_SHAPE(1), .initializer = SL_ONES);
  TF_Output loss = sl_sum(s, sl_square(s, sl_multiply(s, v[1], weight)));
  sl_gradients_t gradients = sl_compute_gradients(s, loss);
  next[0] = plus_one(s, "add", v[0]);
  TF_Output gradient = gradients.count ? gradients.items[0].gradient : (TF_Output){0};
  next[1] = sl_subtract(s, v[1], sli_build_number_right(s, "Mul", "mul", gradient, 0.25));
}

SLI_TEST(test_a_variable_created_in_a_loop_is_outside_and_no_back_prop_stops_gradients) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = two_variables(s);
  sl_outputs_t ends = sl_while_loop(s, below_3, times_y, &values, SL_OUTPUTS(sl_scalar(s, TF_INT32, 0), values.x),
                                    .no_back_prop = true);
  SLI_EXPECT_TEXT(TF_OperationOpType(ends.items[1].oper), "StopGradient");
  sl_gradients_t gradients = sl_compute_gradients(s, sl_sum(s, ends.items[1]));
  SLI_REQUIRE(gradients.count == 2);
  SLI_EXPECT(!gradients.items[0].gradient.oper && !gradients.items[1].gradient.oper);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  sl_scope_release(s);

  s = sl_graph_scope();
  TF_Output start = sl_constant(s, TF_FLOAT, SL_SHAPE(1), ((float[]){1}));
  ends = sl_while_loop(s, below_3, descend, NULL, SL_OUTPUTS(sl_scalar(s, TF_INT32, 0), start));
  double end;
  SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), &ends.items[1], 1, &end, 1), 1);
  double wanted = 1;
  for (int i = 0; i < 3; i++) wanted -= 0.25 * 2 * wanted * wanted;
  SLI_EXPECT_NEAR(end, wanted, 1e-6);
  sl_scope_release(s);
}

// --- Errors ---

static void wider(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  next[0] = sl_concat(s, SL_OUTPUTS(v[0], v[0]), 0);
}
static void as_int(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  next[0] = sl_cast(s, v[0], TF_INT32);
}
static void nothing_at_all(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {}
static void empty_branch(sl_scope_t *s, void *data, TF_Output *results) {}
static TF_Output no_bool(sl_scope_t *s, void *data, const TF_Output *v) { return v[0]; }
static TF_Output always(sl_scope_t *s, void *data, const TF_Output *v) { return sl_scalar(s, TF_BOOL, 1); }
static void leak(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  next[0] = sl_negative(s, v[0], .name = "inside");
  *(TF_Output *)data = next[0];
}

static void expect_loop_error(sl_loop_condition_t condition, sl_loop_body_t body, const char *error) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3), .name = "x");
  sl_outputs_t ends = sl_while_loop(s, condition, body, NULL, SL_OUTPUTS(x));
  SLI_EXPECT_INT(ends.count, 1);
  SLI_EXPECT(!ends.items[0].oper);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), error);
  sl_scope_release(s);
}

SLI_TEST(test_bad_loops_say_why) {
  expect_loop_error(always, wider, "'x' enters the loop with shape (3,), but has shape (6,) after one iteration.");
  expect_loop_error(always, as_int, "'x' enters the loop as float, but is int32 after one iteration.");
  expect_loop_error(always, nothing_at_all, "is empty");
  expect_loop_error(no_bool, wider, "sl_while_loop: the condition must be a bool, but 'while/Merge' is float");

  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3)), inside = {0};
  sl_while_loop(s, always, leak, &inside, SL_OUTPUTS(x));
  sl_negative(s, inside);
  SLI_EXPECT_CONTAINS(sl_scope_error(s),
                      "Cannot use 'while/inside' as input to 'Neg' because 'while/inside' is in a while loop.");
  sl_scope_release(s);

  s = sl_graph_scope();
  x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1), .name = "x");
  sl_while_loop(s, always, leak, &inside, SL_OUTPUTS(x), .shape_invariants = (sl_shape_t[]){SL_SHAPE(3)});
  SLI_EXPECT_CONTAINS(sl_scope_error(s),
                      "It enters the loop with shape (?,), but the specified shape invariant is (3,)");
  sl_scope_release(s);
}

static void leaked(sl_scope_t *s, void *data, TF_Output *results) { results[0] = sl_scalar(s, TF_INT32, 1); }

SLI_TEST(test_bad_conditionals_say_why) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = two_variables(s);
  sl_cond(s, sl_scalar(s, TF_BOOL, 1), itself, leaked, &values, 1);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Outputs of the two branches must have the same type.");
  sl_scope_release(s);

  s = sl_graph_scope();
  values = two_variables(s);
  sl_cond(s, values.x, itself, negate, &values, 1);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "sl_cond: pred must be a bool, but 'x/read' is float");
  sl_scope_release(s);

  s = sl_graph_scope();
  values = two_variables(s);
  sl_cond(s, sl_scalar(s, TF_BOOL, 1), itself, empty_branch, &values, 1);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "result 0 of the branch for 'false' must not be empty");
  sl_scope_release(s);
}

SLI_TEST_MAIN(test_while_loops, test_nested_loops, test_conds, test_nested_loops_have_tensorflows_values_and_gradients,
              test_a_variable_may_grow_up_to_a_number_of_iterations,
              test_both_branches_have_tensorflows_values_and_gradients, test_gradients_flow_through_a_loop_in_a_branch,
              test_only_the_branch_that_is_taken_acts,
              test_a_variable_created_in_a_loop_is_outside_and_no_back_prop_stops_gradients, test_bad_loops_say_why,
              test_bad_conditionals_say_why)
