// The gradients of a graph, as by tf.gradients: paths, sums, stops, names and errors.
// Values of loops are compared in tests/golden/gradients_test.c.
#include "graph/gradients/gradients.h"

#include "base/test.h"
#include "graph/import.h"
#include "graph/testing.h"
#include "runtime/session/session.h"

static sli_graph_t *graph;

static sli_output_t add(const char *op, const char *name, const sli_output_t *inputs, size_t input_count,
                        const sli_attr_entry_t *attrs, size_t attr_count) {
  return sli_graph_testing_add(graph, op, name, inputs, input_count, attrs, attr_count);
}

static sli_output_t constant(const char *name, sli_tensor_t *value) {
  return sli_graph_testing_constant(graph, name, value);
}

static sli_output_t number(const char *name, float value) { return constant(name, sli_tensor_scalar_float(value)); }

static sli_output_t multiply(const char *name, sli_output_t a, sli_output_t b) {
  return add("Mul", name, INPUTS(a, b), NO_ATTRS);
}

static sli_status_t *differentiate(const sli_gradients_request_t *request, sli_gradient_slices_t *out_dxs) {
  return sli_gradients_add(graph, request, out_dxs);
}

// dy/dx of one y and some xs, with nothing special.
static sli_status_t *simple(sli_output_t y, const sli_output_t *xs, size_t x_count, sli_gradient_slices_t *out_dxs) {
  return differentiate(&(sli_gradients_request_t){.ys = &y, .y_count = 1, .xs = xs, .x_count = x_count}, out_dxs);
}

// Runs the graph; the caller releases the tensor. NULL after a reported failure.
static sli_tensor_t *value_of(sli_output_t output) {
  sli_session_t *session = NULL;
  sli_string_t bytes = {0};
  sli_tensor_t *value = NULL;
  char *name = sli_format("%s:%d", output.node->def.name, output.index);
  sli_graph_export(graph, &bytes);
  sli_status_t *status = sli_direct_session_create(sli_view(""), &session);
  if (!status) status = session->vtable->extend(session, sli_view_of(bytes.data, bytes.size));
  const char *fetch = name;
  sli_session_run_t run = {.fetch_names = &fetch, .fetch_count = 1};
  if (!status) status = session->vtable->run(session, &run, &value);
  SLI_EXPECT_OK(status);
  if (session) session->vtable->destroy(session);
  sli_string_deinitialize(&bytes);
  free(name);
  return value;
}

static float float_of(sli_output_t output) {
  if (!output.node) return NAN;
  sli_tensor_t *value = value_of(output);
  float result = value ? SLI_DATA(float, value)[0] : NAN;
  sli_tensor_release(value);
  return result;
}

static void expect_refused(sli_status_t *status, sli_code_t code, const char *part) {
  SLI_EXPECT_INT(sli_status_code(status), code);
  SLI_EXPECT_CONTAINS(sli_status_message(status), part);
  sli_status_release(status);
}

static void begin(void) { graph = sli_graph_create(); }
static void end(void) { sli_graph_release(graph); }

SLI_TEST(test_paths_add_up) {
  begin();
  sli_output_t x = number("x", 3), y = multiply("y", x, x), z = add("AddV2", "z", INPUTS(y, x), NO_ATTRS);
  sli_gradient_slices_t dx;
  SLI_REQUIRE_OK(simple(z, &x, 1, &dx));
  SLI_EXPECT_NEAR(float_of(dx.values), 7, 0);
  SLI_EXPECT(sli_graph_node_is(dx.values.node, "AddN"));
  SLI_EXPECT_INT(dx.values.node->def.input_count, 3);
  end();
}

SLI_TEST(test_paths_add_up_two_at_a_time) {
  begin();
  sli_output_t x = number("x", 3), y = multiply("y", x, x), z = add("AddV2", "z", INPUTS(y, x), NO_ATTRS);
  sli_gradient_slices_t dx;
  sli_gradients_request_t request = {.ys = &z, .xs = &x, .y_count = 1, .x_count = 1, .pairwise = true};
  SLI_REQUIRE_OK(sli_gradients_add(graph, &request, &dx));
  SLI_EXPECT_NEAR(float_of(dx.values), 7, 0);
  SLI_EXPECT_TEXT(dx.values.node->def.name, "gradients/x_gradient_sum/AddN_1");
  SLI_EXPECT_INT(dx.values.node->def.input_count, 2);
  SLI_EXPECT_TEXT(dx.values.node->inputs[0].node->def.name, "gradients/x_gradient_sum/AddN");
  end();
}

SLI_TEST(test_unreachable_x_has_no_gradient) {
  begin();
  sli_output_t x = number("x", 3), other = number("other", 2), n = constant("n", sli_tensor_scalar_int32(2));
  sli_output_t y = multiply("y", x, x);
  // Through integers nothing flows.
  sli_output_t cast = add("Cast", "cast", INPUTS(x), ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_INT32)));
  sli_output_t back = add("Cast", "back", INPUTS(cast), ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_FLOAT)));
  sli_output_t xs[] = {other, x, n};
  sli_gradient_slices_t dxs[3];
  SLI_REQUIRE_OK(simple(y, xs, 3, dxs));
  SLI_EXPECT(!dxs[0].values.node && dxs[1].values.node && !dxs[2].values.node);
  size_t before = graph->nodes.count;
  SLI_REQUIRE_OK(simple(back, xs, 3, dxs));
  SLI_EXPECT(!dxs[1].values.node);
  SLI_REQUIRE_OK(simple(cast, xs, 3, dxs));
  SLI_EXPECT(!dxs[1].values.node);
  SLI_EXPECT_INT(graph->nodes.count, before);
  end();
}

SLI_TEST(test_y_is_x_gives_ones) {
  begin();
  sli_output_t x = number("x", 3);
  sli_gradient_slices_t dx;
  SLI_REQUIRE_OK(simple(x, &x, 1, &dx));
  SLI_EXPECT_NEAR(float_of(dx.values), 1, 0);
  end();
}

SLI_TEST(test_several_ys_and_given_dys) {
  begin();
  sli_output_t x = number("x", 3), two = number("two", 2), ten = number("ten", 10);
  sli_output_t y = multiply("y", x, x), z = multiply("z", y, two);
  sli_output_t ys[] = {y, z}, dys[] = {ten, SLI_OUTPUT_NONE};
  sli_gradient_slices_t dx;
  sli_gradients_request_t request = {.ys = ys, .y_count = 2, .xs = &x, .x_count = 1, .dys = dys};
  SLI_REQUIRE_OK(differentiate(&request, &dx));
  SLI_EXPECT_NEAR(float_of(dx.values), 10 * 6 + 2 * 6, 1e-5);
  sli_output_t n = constant("n", sli_tensor_scalar_int32(2));
  dys[0] = n;
  expect_refused(differentiate(&request, &dx), SLI_INVALID_ARGUMENT, "Gradient type int32 generated for tensor y:0");
  end();
}

SLI_TEST(test_stops_get_gradients_but_do_not_pass_them_on) {
  begin();
  sli_output_t a = number("a", 3), two = number("two", 2), b = multiply("b", a, two), y = multiply("y", a, b);
  sli_output_t xs[] = {a, b};
  sli_gradient_slices_t dxs[2];
  sli_gradients_request_t request = {.ys = &y, .y_count = 1, .xs = xs, .x_count = 2, .stops = xs, .stop_count = 2};
  SLI_REQUIRE_OK(differentiate(&request, dxs));
  SLI_EXPECT_NEAR(float_of(dxs[0].values), 6, 0);  // b alone, not 4a
  SLI_EXPECT_NEAR(float_of(dxs[1].values), 3, 0);
  end();
}

SLI_TEST(test_stop_gradient_ends_a_path) {
  begin();
  sli_output_t x = number("x", 3), held = add("StopGradient", "held", INPUTS(x), NO_ATTRS);
  sli_gradient_slices_t dx;
  SLI_REQUIRE_OK(simple(multiply("y", x, held), &x, 1, &dx));
  SLI_EXPECT_NEAR(float_of(dx.values), 3, 0);
  SLI_REQUIRE_OK(simple(held, &x, 1, &dx));
  SLI_EXPECT(!dx.values.node);
  end();
}

static sli_output_t gather(const char *name, sli_output_t params, sli_tensor_t *indices) {
  char *index_name = sli_format("%s/indices", name);
  sli_output_t which = constant(index_name, indices);
  free(index_name);
  return add("Gather", name, INPUTS(params, which), NO_ATTRS);
}

SLI_TEST(test_slices_are_concatenated_even_of_mixed_indices) {
  begin();
  sli_output_t x = number("x", 1), shape = constant("shape", sli_tensor_vector_int32((int32_t[]){3, 2}, 2));
  sli_output_t table = add("Fill", "table", INPUTS(shape, x), NO_ATTRS);
  sli_output_t a = gather("a", table, sli_tensor_vector_int32((int32_t[]){2, 0}, 2));
  sli_output_t b = gather("b", table, sli_tensor_vector_int64((int64_t[]){1, 2}, 2));
  sli_output_t y = add("AddV2", "y", INPUTS(a, b), NO_ATTRS);
  sli_gradient_slices_t dx;
  SLI_REQUIRE_OK(simple(y, &table, 1, &dx));
  SLI_REQUIRE(dx.indices.node && dx.dense_shape.node);
  sli_tensor_t *indices = value_of(dx.indices), *values = value_of(dx.values);
  SLI_REQUIRE(indices && values);
  SLI_EXPECT_INT(indices->dtype, SLI_DTYPE_INT64);
  SLI_EXPECT_INT(indices->count, 4);
  SLI_EXPECT_INT(values->count, 8);
  sli_tensor_release(indices);
  sli_tensor_release(values);
  // Together with a dense gradient all is dense.
  sli_output_t row = constant("row", sli_tensor_vector_int32((int32_t[]){0, 1}, 2));
  sli_output_t sum = add("Sum", "sum", INPUTS(y, row), NO_ATTRS);
  sli_output_t sum_all = add("Sum", "sum_all", INPUTS(table, row), NO_ATTRS);
  SLI_REQUIRE_OK(simple(add("AddV2", "both", INPUTS(sum, sum_all), NO_ATTRS), &table, 1, &dx));
  SLI_EXPECT(!dx.indices.node);
  values = value_of(dx.values);
  SLI_REQUIRE(values && values->count == 6);
  SLI_EXPECT_NEAR(SLI_DATA(float, values)[0], 2, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, values)[2], 2, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, values)[4], 3, 0);
  sli_tensor_release(values);
  end();
}

SLI_TEST(test_prefix_is_unique_with_all_below_it) {
  begin();
  sli_output_t x = number("x", 3), y = multiply("y", x, x);
  sli_gradient_slices_t dx;
  SLI_REQUIRE_OK(simple(y, &x, 1, &dx));
  SLI_EXPECT(sli_string_starts_with(dx.values.node->def.name, "gradients/"));
  SLI_EXPECT(sli_graph_find(graph, sli_view("gradients/grad_ys_0")));
  SLI_REQUIRE_OK(simple(y, &x, 1, &dx));
  SLI_EXPECT(sli_string_starts_with(dx.values.node->def.name, "gradients_1/"));
  sli_gradients_request_t request = {.ys = &y, .y_count = 1, .xs = &x, .x_count = 1, .name = "mine/grads"};
  SLI_REQUIRE_OK(differentiate(&request, &dx));
  SLI_EXPECT(sli_graph_find(graph, sli_view("mine/grads/y_grad/Mul")));
  end();
}

SLI_TEST(test_colocation_follows_the_forward_op) {
  begin();
  sli_output_t x = number("x", 3), y = multiply("y", x, x);
  sli_graph_set_device(y.node, "/job:ps/task:1");
  sli_gradient_slices_t dx;
  sli_gradients_request_t request = {.ys = &y, .y_count = 1, .xs = &x, .x_count = 1, .colocate = true};
  SLI_REQUIRE_OK(differentiate(&request, &dx));
  sli_node_t *node = sli_graph_find(graph, sli_view("gradients/y_grad/Mul"));
  SLI_REQUIRE(node);
  const sli_attr_t *group = sli_node_attr(&node->def, "_class");
  SLI_REQUIRE(group && group->count == 1);
  SLI_EXPECT(sli_view_is(group->list.s[0], "loc:@y"));
  SLI_EXPECT_TEXT(node->def.device, "/job:ps/task:1");
  end();
}

SLI_TEST(test_no_gradient_names_the_op_and_leaves_the_graph) {
  begin();
  sli_output_t x = number("x", 3), v = multiply("v", x, x), low = add("TruncateMod", "q", INPUTS(v, x), NO_ATTRS);
  size_t before = graph->nodes.count, edges = v.node->out_edges.count;
  sli_gradient_slices_t dx;
  expect_refused(simple(low, &x, 1, &dx), SLI_INVALID_ARGUMENT,
                 "No gradient defined for operation 'q' (op type: TruncateMod)");
  SLI_EXPECT_INT(graph->nodes.count, before);
  SLI_EXPECT_INT(v.node->out_edges.count, edges);
  end();
}

SLI_TEST(test_wrong_requests_are_refused) {
  begin();
  sli_output_t x = number("x", 3), none = {x.node, 1};
  sli_gradient_slices_t dx;
  expect_refused(simple(none, &x, 1, &dx), SLI_INVALID_ARGUMENT, "does not exist");
  expect_refused(simple(x, &none, 1, &dx), SLI_INVALID_ARGUMENT, "does not exist");
  sli_graph_t *mine = graph, *other = sli_graph_create();
  graph = other;
  expect_refused(simple(x, &x, 1, &dx), SLI_INVALID_ARGUMENT, "does not exist");
  graph = mine;
  sli_graph_release(other);
  float pair[2] = {1, 2};
  sli_output_t c = constant("c", sli_tensor_scalar(SLI_DTYPE_COMPLEX64, pair));
  expect_refused(simple(c, &c, 1, &dx), SLI_INVALID_ARGUMENT, "Gradients of complex tensors (c:0) must set grad_ys");
  end();
}

// --- Loops ---------------------------------------------------------------------------

typedef struct {
  sli_output_t limit, weight, initial, entered_weight, iteration, product, result;
} loop_t;

// while (h < limit) h = h * weight.
static loop_t make_loop(void) {
  loop_t loop = {.limit = number("limit", 20), .weight = number("weight", 3), .initial = number("initial", 1)};
  sli_attr_entry_t frame = SLI_ATTR_STRING_OF("frame_name", "loop"),
                   is_constant = SLI_ATTR_BOOL_OF("is_constant", true);
  sli_output_t limit = add("Enter", "enter_limit", INPUTS(loop.limit), ATTRS(frame, is_constant));
  loop.entered_weight = add("Enter", "enter_weight", INPUTS(loop.weight), ATTRS(frame, is_constant));
  sli_output_t enter = add("Enter", "enter", INPUTS(loop.initial), ATTRS(frame));
  sli_output_t merge = add("Merge", "merge", INPUTS(enter, enter), ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t less = add("Less", "less", INPUTS(merge, limit), NO_ATTRS);
  sli_output_t condition = add("LoopCond", "condition", INPUTS(less), NO_ATTRS);
  sli_output_t route = add("Switch", "switch", INPUTS(merge, condition), NO_ATTRS);
  loop.iteration = add("Identity", "turn", INPUTS(((sli_output_t){route.node, 1})), NO_ATTRS);
  loop.product = multiply("product", loop.iteration, loop.entered_weight);
  sli_output_t next = add("NextIteration", "next", INPUTS(loop.product), NO_ATTRS);
  SLI_EXPECT_OK(sli_graph_set_input(merge.node, 1, next));
  loop.result = add("Exit", "exit", INPUTS(route), NO_ATTRS);
  return loop;
}

SLI_TEST(test_loop_gradients_with_respect_to_variable_and_invariant) {
  begin();
  loop_t loop = make_loop();
  sli_output_t xs[] = {loop.initial, loop.weight, loop.limit};
  sli_gradient_slices_t dxs[3];
  SLI_REQUIRE_OK(simple(loop.result, xs, 3, dxs));
  SLI_EXPECT_NEAR(float_of(loop.result), 27, 0);
  SLI_EXPECT_NEAR(float_of(dxs[0].values), 27, 0);
  SLI_EXPECT_NEAR(float_of(dxs[1].values), 27, 0);  // 3 w^2
  SLI_EXPECT(!dxs[2].values.node);
  // A second call has its own counter and stacks.
  sli_gradient_slices_t again[3];
  SLI_REQUIRE_OK(simple(loop.result, xs, 3, again));
  SLI_EXPECT_NEAR(float_of(add("AddV2", "both", INPUTS(dxs[1].values, again[1].values), NO_ATTRS)), 54, 0);
  end();
}

SLI_TEST(test_second_order_through_a_loop_is_refused) {
  begin();
  loop_t loop = make_loop();
  sli_gradient_slices_t dx;
  SLI_REQUIRE_OK(simple(loop.result, &loop.weight, 1, &dx));
  size_t before = graph->nodes.count;
  expect_refused(simple(dx.values, &loop.weight, 1, &dx), SLI_UNIMPLEMENTED,
                 "Second-order gradient for while loops not supported.");
  SLI_EXPECT_INT(graph->nodes.count, before);
  end();
}

SLI_TEST(test_gradients_inside_an_iteration) {
  begin();
  loop_t loop = make_loop();
  sli_output_t xs[] = {loop.iteration, loop.entered_weight, loop.weight};
  sli_gradient_slices_t dxs[3];
  SLI_REQUIRE_OK(simple(loop.product, xs, 2, dxs));
  SLI_REQUIRE(dxs[0].values.node && dxs[1].values.node);
  // d product / d h is the weight, and d product / d weight is h. The gradients are added to the next value of h.
  sli_output_t sum = add("AddV2", "sum", INPUTS(dxs[0].values, dxs[1].values), NO_ATTRS);
  SLI_EXPECT_OK(sli_graph_set_input(sli_graph_find(graph, sli_view("next")), 0, sum));
  // h = weight + h: 1, 4, 7, 10, 13, 16, 19, 22.
  SLI_EXPECT_NEAR(float_of(loop.result), 22, 0);
  SLI_REQUIRE_OK(simple(loop.product, &loop.weight, 1, dxs));
  SLI_EXPECT(dxs[0].values.node);
  // Through the loop variable's start they cannot go.
  size_t before = graph->nodes.count;
  expect_refused(simple(loop.product, &loop.initial, 1, dxs), SLI_INVALID_ARGUMENT,
                 "Cannot compute gradient inside while loop with respect to op");
  SLI_EXPECT_INT(graph->nodes.count, before);
  end();
}

SLI_TEST(test_ys_inside_and_outside_a_loop_are_refused) {
  begin();
  loop_t loop = make_loop();
  sli_output_t ys[] = {loop.result, loop.product};
  sli_gradient_slices_t dx;
  sli_gradients_request_t request = {.ys = ys, .y_count = 2, .xs = &loop.weight, .x_count = 1};
  expect_refused(differentiate(&request, &dx), SLI_INVALID_ARGUMENT, "they are in different loops");
  end();
}

SLI_TEST_MAIN(test_paths_add_up_two_at_a_time, test_paths_add_up, test_unreachable_x_has_no_gradient,
              test_y_is_x_gives_ones, test_several_ys_and_given_dys, test_stops_get_gradients_but_do_not_pass_them_on,
              test_stop_gradient_ends_a_path, test_slices_are_concatenated_even_of_mixed_indices,
              test_prefix_is_unique_with_all_below_it, test_colocation_follows_the_forward_op,
              test_no_gradient_names_the_op_and_leaves_the_graph, test_wrong_requests_are_refused,
              test_loop_gradients_with_respect_to_variable_and_invariant, test_second_order_through_a_loop_is_refused,
              test_gradients_inside_an_iteration, test_ys_inside_and_outside_a_loop_are_refused)
