#include "runtime/execute/executor.h"

#include "proto/stats.pb-c.h"
#include "runtime/execute/executor_internal.h"
#include "runtime/execute/step_stats.h"
#include "runtime/execute/testing.h"

// Runs the plan of |rig| with |feeds|; what it fetches is in |outcome|.
static void run_once(rig_t *rig, const sli_output_t *feeds, sli_tensor_t *const *values, size_t feed_count,
                     const sli_output_t *fetches, size_t fetch_count, outcome_t *outcome) {
  sli_plan_t *plan;
  sli_status_t *status = rig_plan(rig, feeds, feed_count, fetches, fetch_count, &plan);
  if (status) {
    outcome_initialize(outcome);
    outcome->status = status;
    return;
  }
  rig_run(&(sli_executor_request_t){.plan = plan, .feeds = values, .deadline = SLI_CLOCK_NO_DEADLINE}, outcome);
  sli_plan_release(plan);
}

SLI_TEST(test_chain_adds_every_link) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32), *one = rig_int(&rig, "one", 1);
  sli_output_t last = OUT(x, 0);
  for (int i = 0; i < 500; i++) {
    char name[16];
    snprintf(name, sizeof(name), "add%d", i);
    last = OUT(rig_binary(&rig, "AddV2", name, last, OUT(one, 0)), 0);
  }
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, &last, 1, &plan));
  // Several times with the same memory.
  for (int i = 0; i < 5; i++) {
    sli_tensor_t *value = sli_tensor_scalar_int32(i);
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value}, &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), 500 + i);
    SLI_EXPECT_INT(SLI_DATA(int32_t, value)[0], i);
    SLI_EXPECT_INT(outcome.calls, 1);
    outcome_deinitialize(&outcome);
    SLI_EXPECT(sli_tensor_is_exclusive(value));
    sli_tensor_release(value);
  }
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// As in TensorFlow's kernels; but the thread is the caller's, so its mode must be restored.
SLI_TEST(test_denormals_are_flushed_in_kernels_only) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_FLOAT);
  sli_node_t *square = rig_binary(&rig, "Mul", "square", OUT(x, 0), OUT(x, 0));
  sli_tensor_t *value = sli_tensor_scalar_float(1e-20f);
  outcome_t outcome;
  run_once(&rig, &OUT(x, 0), &value, 1, &OUT(square, 0), 1, &outcome);
  SLI_REQUIRE_OK(outcome.status);
  SLI_EXPECT(SLI_DATA(float, outcome.fetches[0])[0] == 0);
  volatile float own = 1e-20f;
  SLI_EXPECT(own * own > 0);
  outcome_deinitialize(&outcome);
  sli_tensor_release(value);
  rig_deinitialize(&rig);
}

SLI_TEST(test_diamond_feeds_and_fetches_in_order) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *a = rig_placeholder(&rig, "a", SLI_DTYPE_INT32), *b = rig_placeholder(&rig, "b", SLI_DTYPE_INT32);
  sli_node_t *left = rig_binary(&rig, "Sub", "left", OUT(a, 0), OUT(b, 0));
  sli_node_t *right = rig_binary(&rig, "Mul", "right", OUT(a, 0), OUT(b, 0));
  sli_node_t *join = rig_binary(&rig, "AddV2", "join", OUT(left, 0), OUT(right, 0));
  sli_node_t *constant = rig_int(&rig, "constant", 42);
  sli_tensor_t *values[] = {sli_tensor_scalar_int32(3), sli_tensor_scalar_int32(10)};
  sli_output_t feeds[] = {{b, 0}, {a, 0}};
  sli_output_t fetches[] = {{join, 0}, {left, 0}, {join, 0}, {constant, 0}, {b, 0}};
  outcome_t outcome;
  run_once(&rig, feeds, values, 2, fetches, 5, &outcome);
  SLI_EXPECT_INT(outcome_int(&outcome, 0), 37);
  SLI_EXPECT_INT(outcome_int(&outcome, 1), 7);
  SLI_EXPECT_INT(outcome_int(&outcome, 2), 37);
  SLI_EXPECT_INT(outcome_int(&outcome, 3), 42);
  SLI_EXPECT_INT(outcome_int(&outcome, 4), 3);
  outcome_deinitialize(&outcome);
  for (int i = 0; i < 2; i++) sli_tensor_release(values[i]);
  rig_deinitialize(&rig);
}

SLI_TEST(test_feed_of_an_inner_value_replaces_its_producer) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *unfed = rig_placeholder(&rig, "unfed", SLI_DTYPE_INT32);
  sli_node_t *inner = rig_unary(&rig, "Neg", "inner", OUT(unfed, 0));
  sli_node_t *outer = rig_unary(&rig, "Neg", "outer", OUT(inner, 0));
  sli_tensor_t *value = sli_tensor_scalar_int32(5);
  // As in a pruned graph: the fed node exists, its inputs do not.
  bool keep[] = {false, true, true};
  sli_node_t *map[3];
  sli_graph_t *pruned = sli_graph_copy(rig.graph, keep, map);
  sli_graph_release(rig.graph);
  rig.graph = pruned;
  outcome_t outcome;
  run_once(&rig, &OUT(map[inner->id], 0), &value, 1, &OUT(map[outer->id], 0), 1, &outcome);
  SLI_EXPECT_INT(outcome_int(&outcome, 0), -5);
  outcome_deinitialize(&outcome);
  sli_tensor_release(value);
  rig_deinitialize(&rig);
}

SLI_TEST(test_control_edges_of_a_fed_placeholder_are_satisfied) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32);
  sli_node_t *y = rig_unary(&rig, "Neg", "y", OUT(x, 0)), *after = rig_add(&rig, "NoOp", "after", NO_INPUTS, NO_ATTRS);
  sli_graph_add_control_edge(x, after);
  sli_graph_add_control_edge(after, y);
  sli_tensor_t *value = sli_tensor_scalar_int32(5);
  outcome_t outcome;
  run_once(&rig, &OUT(x, 0), &value, 1, &OUT(y, 0), 1, &outcome);
  SLI_EXPECT_INT(outcome_int(&outcome, 0), -5);
  outcome_deinitialize(&outcome);
  // Not fed, it fails.
  run_once(&rig, NULL, NULL, 0, &OUT(y, 0), 1, &outcome);
  SLI_EXPECT_INT(sli_status_code(outcome.status), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_TEXT(sli_status_message(outcome.status),
                  "You must feed a value for placeholder tensor 'x' with dtype int32\n\t [[{{node x}}]]");
  outcome_deinitialize(&outcome);
  sli_tensor_release(value);
  rig_deinitialize(&rig);
}

SLI_TEST(test_feed_of_wrong_type_is_refused) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32), *y = rig_unary(&rig, "Neg", "y", OUT(x, 0));
  sli_tensor_t *value = sli_tensor_scalar_float(5);
  outcome_t outcome;
  run_once(&rig, &OUT(x, 0), &value, 1, &OUT(y, 0), 1, &outcome);
  SLI_EXPECT_INT(sli_status_code(outcome.status), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_TEXT(sli_status_message(outcome.status), "Expects arg[0] to be int32 but float is provided");
  outcome_deinitialize(&outcome);
  sli_tensor_release(value);
  rig_deinitialize(&rig);
}

// The plan still owns a constant that forwarding kernels have passed on.
SLI_TEST(test_constants_survive_kernels_that_move_or_overwrite_inputs) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *c = rig_int(&rig, "c", 7), *yes = rig_constant(&rig, "yes", sli_tensor_scalar_bool(true));
  sli_node_t *moved = rig_binary(&rig, "Switch", "moved", OUT(c, 0), OUT(yes, 0));
  sli_node_t *negative = rig_unary(&rig, "Neg", "negative", OUT(moved, 1));
  sli_node_t *direct = rig_unary(&rig, "Neg", "direct", OUT(c, 0));
  sli_node_t *identity = rig_unary(&rig, "Identity", "identity", OUT(c, 0));
  sli_node_t *again = rig_unary(&rig, "Neg", "again", OUT(identity, 0));
  sli_output_t fetches[] = {{negative, 0}, {direct, 0}, {again, 0}, {c, 0}};
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, NULL, 0, fetches, 4, &plan));
  for (int i = 0; i < 3; i++) {
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan}, &outcome);
    for (size_t k = 0; k < 3; k++) SLI_EXPECT_INT(outcome_int(&outcome, k), -7);
    SLI_EXPECT_INT(outcome_int(&outcome, 3), 7);
    outcome_deinitialize(&outcome);
  }
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// A feed that the step keeps for many consumers is neither overwritten nor counted wrongly.
SLI_TEST(test_feed_of_many_consumers_stays_whole) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32);
  sli_output_t fetches[7] = {{x, 0}};
  for (int i = 1; i < 7; i++) {
    char name[16];
    snprintf(name, sizeof(name), "moved%d", i);
    sli_node_t *moved = rig_unary(&rig, "Identity", name, OUT(x, 0));
    snprintf(name, sizeof(name), "sum%d", i);
    fetches[i] = OUT(rig_binary(&rig, "AddV2", name, OUT(moved, 0), OUT(x, 0)), 0);
  }
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, fetches, 7, &plan));
  for (int i = 0; i < 6; i++) {
    bool is_wrong = i % 2;  // in between, steps that fail before they start
    sli_tensor_t *value = is_wrong ? sli_tensor_scalar_float(1) : sli_tensor_scalar_int32(i);
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value}, &outcome);
    SLI_EXPECT_INT(sli_status_code(outcome.status), is_wrong ? SLI_INVALID_ARGUMENT : SLI_OK);
    for (size_t k = 0; k < 7 && !is_wrong; k++) SLI_EXPECT_INT(outcome_int(&outcome, k), k ? 2 * i : i);
    outcome_deinitialize(&outcome);
    SLI_EXPECT(sli_tensor_is_exclusive(value));
    sli_tensor_release(value);
  }
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

static int traced_nodes(sli_step_stats_t *stats) {
  sli_string_t bytes = {0};
  sli_step_stats_encode(stats, &bytes);
  Tensorflow__StepStats *message =
      tensorflow__step_stats__unpack(NULL, bytes.size, (const uint8_t *)sli_string_text(&bytes));
  int count = message && message->n_dev_stats == 1 ? (int)message->dev_stats[0]->n_node_stats : -1;
  tensorflow__step_stats__free_unpacked(message, NULL);
  sli_string_deinitialize(&bytes);
  return count;
}

SLI_TEST(test_noops_let_others_go_and_show_in_a_trace) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32), *y = rig_unary(&rig, "Neg", "y", OUT(x, 0));
  sli_node_t *group = rig_add(&rig, "NoOp", "group", NO_INPUTS, NO_ATTRS);
  for (int i = 0; i < 50; i++) {
    char name[16];
    snprintf(name, sizeof(name), "wait%d", i);
    sli_node_t *wait = rig_add(&rig, "NoOp", name, NO_INPUTS, NO_ATTRS);
    sli_graph_add_control_edge(wait, group);
    if (i % 2) sli_graph_add_control_edge(wait, y);
  }
  sli_graph_add_control_edge(group, y);
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, &OUT(y, 0), 1, &plan));
  sli_tensor_t *value = sli_tensor_scalar_int32(5);
  for (int i = 0; i < 4; i++) {
    sli_step_stats_t *stats = i % 2 ? sli_step_stats_create() : NULL;
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value, .stats = stats}, &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), -5);
    outcome_deinitialize(&outcome);
    if (stats) SLI_EXPECT_INT(traced_nodes(stats), 52);
    sli_step_stats_destroy(stats);
  }
  sli_tensor_release(value);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// The memory of a value with one consumer is reused for the result.
SLI_TEST(test_single_consumer_may_work_in_place) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_FLOAT);
  sli_node_t *a = rig_unary(&rig, "Neg", "a", OUT(x, 0)), *b = rig_unary(&rig, "Neg", "b", OUT(a, 0));
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, &OUT(b, 0), 1, &plan));
  int64_t dims[] = {1 << 16};
  sli_tensor_t *value;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, dims, 1, &value));
  for (int i = 0; i < 1 << 16; i++) SLI_DATA(float, value)[i] = (float)i;
  sli_allocator_stats_t before, after;
  sli_allocator_cpu_stats(&before);
  outcome_t outcome;
  rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value}, &outcome);
  sli_allocator_cpu_stats(&after);
  // The header and the bytes of |a|, which |b| reuses.
  SLI_EXPECT_INT(after.allocations - before.allocations, 2);
  SLI_EXPECT_INT(SLI_DATA(float, outcome.fetches[0])[77], 77);
  SLI_EXPECT_INT(SLI_DATA(float, value)[77], 77);
  outcome_deinitialize(&outcome);
  sli_tensor_release(value);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

SLI_TEST(test_error_names_its_node_once_and_stops_the_step) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32), *zero = rig_int(&rig, "zero", 0);
  sli_node_t *bad = rig_binary(&rig, "FloorDiv", "bad", OUT(x, 0), OUT(zero, 0));
  sli_node_t *after = rig_unary(&rig, "Neg", "after", OUT(bad, 0));
  sli_node_t *beside = rig_unary(&rig, "Neg", "beside", OUT(x, 0));
  sli_output_t fetches[] = {{after, 0}, {beside, 0}};
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, fetches, 2, &plan));
  sli_tensor_t *value = sli_tensor_scalar_int32(5);
  for (int i = 0; i < 3; i++) {
    sli_cancellation_t *cancellation = sli_cancellation_create();
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value, .cancellation = cancellation}, &outcome);
    SLI_EXPECT_INT(sli_status_code(outcome.status), SLI_INVALID_ARGUMENT);
    SLI_EXPECT_TEXT(sli_status_message(outcome.status), "Integer division by zero\n\t [[{{node bad}}]]");
    SLI_EXPECT(sli_cancellation_is_cancelled(cancellation));
    outcome_deinitialize(&outcome);
    sli_cancellation_release(cancellation);
  }
  SLI_EXPECT(sli_tensor_is_exclusive(value));
  sli_tensor_release(value);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

static sli_node_t *add_variable(rig_t *rig, const char *name) {
  return rig_add(rig, "VariableV2", name, NO_INPUTS,
                 ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT32), SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE_SCALAR)));
}

SLI_TEST(test_references_are_read_where_values_are_wanted) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *v = add_variable(&rig, "v"), *five = rig_int(&rig, "five", 5);
  sli_node_t *assign = rig_binary(&rig, "Assign", "assign", OUT(v, 0), OUT(five, 0));
  sli_node_t *doubled = rig_binary(&rig, "AddV2", "doubled", OUT(v, 0), OUT(v, 0));
  sli_node_t *known = rig_add(&rig, "IsVariableInitialized", "known", INPUTS(OUT(v, 0)), NO_ATTRS);
  sli_graph_t *whole = rig.graph;
  sli_node_t *map[8];
  outcome_t outcome;

  // Reading it before it has a value.
  rig.graph = sli_graph_copy(whole, (bool[]){true, true, false, true, false}, map);
  run_once(&rig, NULL, NULL, 0, &OUT(map[doubled->id], 0), 1, &outcome);
  SLI_EXPECT_INT(sli_status_code(outcome.status), SLI_FAILED_PRECONDITION);
  SLI_EXPECT_TEXT(sli_status_message(outcome.status),
                  "Attempting to use uninitialized value v\n\t [[{{node doubled}}]]");
  outcome_deinitialize(&outcome);
  // Fetching it, too.
  run_once(&rig, NULL, NULL, 0, &OUT(map[v->id], 0), 1, &outcome);
  SLI_EXPECT_INT(sli_status_code(outcome.status), SLI_FAILED_PRECONDITION);
  outcome_deinitialize(&outcome);
  sli_graph_release(rig.graph);

  rig.graph = sli_graph_copy(whole, (bool[]){true, true, false, false, true}, map);
  run_once(&rig, NULL, NULL, 0, &OUT(map[known->id], 0), 1, &outcome);
  SLI_EXPECT_INT(outcome_int(&outcome, 0), false);
  outcome_deinitialize(&outcome);
  sli_graph_release(rig.graph);

  rig.graph = sli_graph_copy(whole, (bool[]){true, true, true, false, false}, map);
  run_once(&rig, NULL, NULL, 0, &OUT(map[assign->id], 0), 1, &outcome);
  SLI_EXPECT_INT(outcome_int(&outcome, 0), 5);
  outcome_deinitialize(&outcome);
  sli_graph_release(rig.graph);

  rig.graph = sli_graph_copy(whole, (bool[]){true, true, false, true, true}, map);
  sli_output_t fetches[] = {{map[doubled->id], 0}, {map[v->id], 0}, {map[known->id], 0}};
  run_once(&rig, NULL, NULL, 0, fetches, 3, &outcome);
  SLI_EXPECT_INT(outcome_int(&outcome, 0), 10);
  SLI_EXPECT_INT(outcome_int(&outcome, 1), 5);
  SLI_EXPECT_INT(outcome_int(&outcome, 2), true);
  outcome_deinitialize(&outcome);
  sli_graph_release(rig.graph);
  rig.graph = whole;
  rig_deinitialize(&rig);
}

// cond(p, -x, x * x) with a value that only one branch makes.
SLI_TEST(test_dead_branch_does_not_run) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32), *p = rig_placeholder(&rig, "p", SLI_DTYPE_BOOL);
  sli_node_t *sw = rig_binary(&rig, "Switch", "switch", OUT(x, 0), OUT(p, 0));
  sli_node_t *zero = rig_int(&rig, "zero", 0);
  sli_node_t *yes = rig_unary(&rig, "Neg", "yes", OUT(sw, 1));
  // The untaken branch would divide by zero.
  sli_node_t *no = rig_binary(&rig, "FloorDiv", "no", OUT(sw, 0), OUT(zero, 0));
  sli_node_t *merge = rig_binary(&rig, "Merge", "merge", OUT(no, 0), OUT(yes, 0));
  sli_node_t *trigger = rig_add(&rig, "ControlTrigger", "trigger", NO_INPUTS, NO_ATTRS);
  sli_graph_add_control_edge(no, trigger);
  sli_node_t *after = rig_int(&rig, "after", 3);
  sli_graph_add_control_edge(trigger, after);
  sli_node_t *dead = rig_int(&rig, "dead", 4);
  sli_graph_add_control_edge(no, dead);
  sli_output_t feeds[] = {{x, 0}, {p, 0}}, fetches[] = {{merge, 0}, {merge, 1}, {after, 0}, {dead, 0}};
  sli_plan_t *plan, *plan_of_dead;
  SLI_REQUIRE_OK(rig_plan(&rig, feeds, 2, fetches, 3, &plan));
  SLI_REQUIRE_OK(rig_plan(&rig, feeds, 2, fetches, 4, &plan_of_dead));
  sli_tensor_t *values[] = {sli_tensor_scalar_int32(6), sli_tensor_scalar_bool(true)};
  for (int i = 0; i < 2; i++) {
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = values}, &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), -6);
    SLI_EXPECT_INT(outcome_int(&outcome, 1), 1);
    SLI_EXPECT_INT(outcome_int(&outcome, 2), 3);
    outcome_deinitialize(&outcome);
    rig_run(&(sli_executor_request_t){.plan = plan_of_dead, .feeds = values}, &outcome);
    SLI_EXPECT_INT(sli_status_code(outcome.status), SLI_INVALID_ARGUMENT);
    SLI_EXPECT_TEXT(sli_status_message(outcome.status), "Retval[3] does not have value");
    outcome_deinitialize(&outcome);
  }
  for (int i = 0; i < 2; i++) sli_tensor_release(values[i]);
  sli_plan_release(plan);
  sli_plan_release(plan_of_dead);
  rig_deinitialize(&rig);
}

static sli_node_t *add_send(rig_t *rig, const char *name, sli_output_t value, const char *edge) {
  return rig_add(rig, "_Send", name, INPUTS(value),
                 ATTRS(SLI_ATTR_STRING_OF("tensor_name", edge), SLI_ATTR_STRING_OF("send_device", RIG_DEVICE),
                       SLI_ATTR_INT_OF("send_device_incarnation", 1), SLI_ATTR_STRING_OF("recv_device", RIG_DEVICE)));
}
static sli_node_t *add_recv(rig_t *rig, const char *name, sli_dtype_t dtype, const char *edge) {
  return rig_add(rig, "_Recv", name, NO_INPUTS,
                 ATTRS(SLI_ATTR_TYPE_OF("tensor_type", dtype), SLI_ATTR_STRING_OF("tensor_name", edge),
                       SLI_ATTR_STRING_OF("send_device", RIG_DEVICE), SLI_ATTR_INT_OF("send_device_incarnation", 1),
                       SLI_ATTR_STRING_OF("recv_device", RIG_DEVICE)));
}

// A chain through the rendezvous: every send completes a receive of the same
// step, and none may do so on top of the one before.
SLI_TEST(test_sends_and_receives_of_one_step_meet) {
  rig_t rig;
  rig_initialize(&rig);
  enum { LINKS = 20000 };
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32);
  sli_output_t last = OUT(x, 0);
  for (int i = 0; i < LINKS; i++) {
    char name[32], edge[32];
    snprintf(edge, sizeof(edge), "edge%d", i);
    snprintf(name, sizeof(name), "send%d", i);
    add_send(&rig, name, last, edge);
    snprintf(name, sizeof(name), "recv%d", i);
    last = OUT(add_recv(&rig, name, SLI_DTYPE_INT32, edge), 0);
  }
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, &last, 1, &plan));
  sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
  sli_tensor_t *value = sli_tensor_scalar_int32(11);
  outcome_t outcome;
  rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value, .rendezvous = rendezvous}, &outcome);
  SLI_EXPECT_INT(outcome_int(&outcome, 0), 11);
  outcome_deinitialize(&outcome);
  sli_tensor_release(value);
  sli_rendezvous_release(rendezvous);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

SLI_TEST(test_dead_value_crosses_the_rendezvous) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32), *p = rig_placeholder(&rig, "p", SLI_DTYPE_BOOL);
  sli_node_t *sw = rig_binary(&rig, "Switch", "switch", OUT(x, 0), OUT(p, 0));
  add_send(&rig, "send", OUT(sw, 0), "edge");
  sli_node_t *recv = add_recv(&rig, "recv", SLI_DTYPE_INT32, "edge");
  sli_node_t *merge = rig_binary(&rig, "Merge", "merge", OUT(recv, 0), OUT(sw, 1));
  sli_output_t feeds[] = {{x, 0}, {p, 0}};
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, feeds, 2, &OUT(merge, 1), 1, &plan));
  for (int taken = 0; taken < 2; taken++) {
    sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
    sli_tensor_t *values[] = {sli_tensor_scalar_int32(6), sli_tensor_scalar_bool(taken)};
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = values, .rendezvous = rendezvous}, &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), taken);
    outcome_deinitialize(&outcome);
    for (int i = 0; i < 2; i++) sli_tensor_release(values[i]);
    sli_rendezvous_release(rendezvous);
  }
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

SLI_TEST(test_parked_receive_ends_when_cancelled) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *recv = add_recv(&rig, "recv", SLI_DTYPE_INT32, "edge");
  sli_node_t *after = rig_unary(&rig, "Neg", "after", OUT(recv, 0));
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, NULL, 0, &OUT(after, 0), 1, &plan));
  for (int i = 0; i < 3; i++) {
    sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
    sli_cancellation_t *cancellation = sli_cancellation_create();
    outcome_t outcome;
    outcome_initialize(&outcome);
    // Cancelled before it starts, the third time.
    if (i == 2) sli_cancellation_cancel(cancellation, sli_status_make(SLI_DEADLINE_EXCEEDED, "too late"));
    sli_executor_run_plan(
        &(sli_executor_request_t){.plan = plan, .rendezvous = rendezvous, .cancellation = cancellation}, outcome_done,
        &outcome);
    if (i < 2) SLI_EXPECT_INT(outcome.calls, 0);
    sli_cancellation_cancel(cancellation, sli_status_make(SLI_DEADLINE_EXCEEDED, "too late"));
    SLI_EXPECT(outcome_wait(&outcome));
    SLI_EXPECT_INT(outcome.calls, 1);
    SLI_EXPECT_INT(sli_status_code(outcome.status), SLI_DEADLINE_EXCEEDED);
    SLI_EXPECT_TEXT(sli_status_message(outcome.status), "too late");
    outcome_deinitialize(&outcome);
    sli_cancellation_release(cancellation);
    sli_rendezvous_release(rendezvous);
  }
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// One node fails while another is parked: both end, and the step fails with the error.
SLI_TEST(test_error_ends_parked_receives) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *recv = add_recv(&rig, "recv", SLI_DTYPE_INT32, "edge");
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32), *zero = rig_int(&rig, "zero", 0);
  sli_node_t *bad = rig_binary(&rig, "FloorDiv", "bad", OUT(x, 0), OUT(zero, 0));
  sli_output_t fetches[] = {{recv, 0}, {bad, 0}};
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, fetches, 2, &plan));
  sli_tensor_t *value = sli_tensor_scalar_int32(1);
  sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
  outcome_t outcome;
  rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value, .rendezvous = rendezvous}, &outcome);
  SLI_EXPECT_TEXT(sli_status_message(outcome.status), "Integer division by zero\n\t [[{{node bad}}]]");
  outcome_deinitialize(&outcome);
  sli_rendezvous_release(rendezvous);
  sli_tensor_release(value);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

typedef struct {
  sli_rendezvous_t *rendezvous;
  int first;
} sender_t;

static void *send_values(void *argument) {
  sender_t *sender = argument;
  for (int i = sender->first; i < 64; i += 2) {
    sli_string_t key = {0};
    char edge[16];
    snprintf(edge, sizeof(edge), "edge%d", i);
    sli_rendezvous_key_append(&key, RIG_DEVICE, 1, RIG_DEVICE, edge, 0, 0);
    sli_status_release(
        sli_rendezvous_send(sender->rendezvous, sli_view_of(key.data, key.size), sli_tensor_scalar_int32(i), false));
    sli_string_deinitialize(&key);
  }
  return NULL;
}

// Receives complete on two other threads at once, cancelled in between at times.
SLI_TEST(test_completions_from_other_threads) {
  rig_t rig;
  rig_initialize(&rig);
  sli_output_t sum = OUT(rig_int(&rig, "zero", 0), 0);
  for (int i = 0; i < 64; i++) {
    char name[16], edge[16];
    snprintf(name, sizeof(name), "recv%d", i);
    snprintf(edge, sizeof(edge), "edge%d", i);
    sli_node_t *recv = add_recv(&rig, name, SLI_DTYPE_INT32, edge);
    snprintf(name, sizeof(name), "neg%d", i);
    sli_node_t *negative = rig_unary(&rig, "Neg", name, OUT(recv, 0));
    snprintf(name, sizeof(name), "add%d", i);
    sum = OUT(rig_binary(&rig, "AddV2", name, sum, OUT(negative, 0)), 0);
  }
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, NULL, 0, &sum, 1, &plan));
  for (int round = 0; round < 40; round++) {
    sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
    sli_cancellation_t *cancellation = sli_cancellation_create();
    outcome_t outcome;
    outcome_initialize(&outcome);
    sli_executor_run_plan(
        &(sli_executor_request_t){.plan = plan, .rendezvous = rendezvous, .cancellation = cancellation}, outcome_done,
        &outcome);
    pthread_t threads[2];
    sender_t senders[2] = {{rendezvous, 0}, {rendezvous, 1}};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, send_values, &senders[i]);
    if (round % 4 == 3) sli_cancellation_cancel(cancellation, sli_status_make(SLI_CANCELLED, "stop"));
    SLI_EXPECT(outcome_wait(&outcome));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    if (round % 4 != 3) SLI_EXPECT_INT(outcome_int(&outcome, 0), -64 * 63 / 2);
    if (outcome.status) SLI_EXPECT_TEXT(sli_status_message(outcome.status), "stop");
    SLI_EXPECT_INT(outcome.calls, 1);
    outcome_deinitialize(&outcome);
    sli_cancellation_release(cancellation);
    sli_rendezvous_release(rendezvous);
  }
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// Several products of large vectors that are joined: the pool runs some of these costly nodes.
static sli_output_t add_products(rig_t *rig, sli_output_t x) {
  sli_output_t sum = x;
  for (int i = 0; i < 6; i++) {
    char name[16];
    snprintf(name, sizeof(name), "product%d", i);
    sli_node_t *product = rig_binary(rig, "Mul", name, x, x);
    snprintf(name, sizeof(name), "sum%d", i);
    sum = OUT(rig_binary(rig, "AddV2", name, sum, OUT(product, 0)), 0);
  }
  return sum;
}

SLI_TEST(test_costly_siblings_share_the_pool) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_FLOAT);
  sli_output_t sum = add_products(&rig, OUT(x, 0));
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, &sum, 1, &plan));
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  int64_t dims[] = {1 << 16};
  sli_tensor_t *value;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, dims, 1, &value));
  for (int i = 0; i < 1 << 16; i++) SLI_DATA(float, value)[i] = 2;
  for (int round = 0; round < 20; round++) {
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value, .pool = pool, .hand_over = round % 2}, &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), 2 + 6 * 4);
    outcome_deinitialize(&outcome);
  }
  sli_thread_pool_destroy(pool);
  sli_tensor_release(value);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

typedef struct {
  sli_plan_t *plan;
  sli_thread_pool_t *pool;
  int seed, failures;
} runner_t;

static void *run_many(void *argument) {
  runner_t *runner = argument;
  for (int i = 0; i < 100; i++) {
    sli_tensor_t *value = sli_tensor_scalar_int32(runner->seed + i);
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = runner->plan, .feeds = &value, .pool = runner->pool, .hand_over = i % 2},
            &outcome);
    runner->failures += outcome_int(&outcome, 0) != 100 + runner->seed + i;
    outcome_deinitialize(&outcome);
    sli_tensor_release(value);
  }
  return NULL;
}

SLI_TEST(test_steps_of_one_plan_run_at_once) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32), *one = rig_int(&rig, "one", 1);
  sli_output_t last = OUT(x, 0);
  for (int i = 0; i < 100; i++) {
    char name[16];
    snprintf(name, sizeof(name), "add%d", i);
    last = OUT(rig_binary(&rig, "AddV2", name, last, OUT(one, 0)), 0);
  }
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, &last, 1, &plan));
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  pthread_t threads[4];
  runner_t runners[4];
  for (int i = 0; i < 4; i++) {
    runners[i] = (runner_t){plan, pool, 1000 * i, 0};
    pthread_create(&threads[i], NULL, run_many, &runners[i]);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    SLI_EXPECT_INT(runners[i].failures, 0);
  }
  sli_thread_pool_destroy(pool);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// Each task of the pool corks once.
static atomic_int corks;
static void count_cork(sli_env_t *env) { atomic_fetch_add(&corks, 1); }
static int64_t some_time(sli_env_t *env) { return 500000; }

// More nodes than the budget of a thread that also polls the network allows.
SLI_TEST(test_long_step_leaves_the_network_thread_only_if_others_wait) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32), *one = rig_int(&rig, "one", 1);
  sli_output_t last = OUT(x, 0);
  const int length = SLI_EXECUTOR_DUTY_NANOS / SLI_EXECUTOR_NODE_NANOS + 100;
  for (int i = 0; i < length; i++) {
    char name[16];
    snprintf(name, sizeof(name), "add%d", i);
    last = OUT(rig_binary(&rig, "AddV2", name, last, OUT(one, 0)), 0);
  }
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, &last, 1, &plan));
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  sli_tensor_t *value = sli_tensor_scalar_int32(0);
  sli_env_t busy_env = *sli_env_local(), free_env = busy_env;
  busy_env.cork = free_env.cork = count_cork;
  free_env.spare_nanos = some_time;
  for (int round = 0; round < 4; round++) {
    atomic_store(&corks, 0);
    sli_env_t *env = round % 2 ? &busy_env : &free_env;
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value, .pool = pool, .env = env, .hand_over = true},
            &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), length);
    SLI_EXPECT_INT(atomic_load(&corks), round % 2);
    outcome_deinitialize(&outcome);
  }
  sli_thread_pool_destroy(pool);
  sli_tensor_release(value);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

SLI_TEST_MAIN(test_chain_adds_every_link, test_denormals_are_flushed_in_kernels_only,
              test_diamond_feeds_and_fetches_in_order, test_feed_of_an_inner_value_replaces_its_producer,
              test_control_edges_of_a_fed_placeholder_are_satisfied, test_feed_of_wrong_type_is_refused,
              test_constants_survive_kernels_that_move_or_overwrite_inputs, test_feed_of_many_consumers_stays_whole,
              test_noops_let_others_go_and_show_in_a_trace, test_single_consumer_may_work_in_place,
              test_error_names_its_node_once_and_stops_the_step, test_references_are_read_where_values_are_wanted,
              test_dead_branch_does_not_run, test_sends_and_receives_of_one_step_meet,
              test_dead_value_crosses_the_rendezvous, test_parked_receive_ends_when_cancelled,
              test_error_ends_parked_receives, test_completions_from_other_threads, test_costly_siblings_share_the_pool,
              test_steps_of_one_plan_run_at_once, test_long_step_leaves_the_network_thread_only_if_others_wait)
