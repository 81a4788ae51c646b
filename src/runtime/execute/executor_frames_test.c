// Loops and conditionals in frames, built from the primitives as TensorFlow's
// Python client builds them.
#include "runtime/execute/testing.h"

#define FLOWS 2

// while (i < limit) { i += 1; for each other value: step }. A loop with |FLOWS| values.
typedef struct {
  sli_node_t *merge[FLOWS], *branch[FLOWS], *exit[FLOWS];
  sli_node_t *condition;
} loop_t;

static sli_node_t *add_enter(rig_t *rig, const char *loop, const char *name, sli_output_t value, bool is_constant,
                             int parallel) {
  char full[64];
  snprintf(full, sizeof(full), "%s/enter_%s", loop, name);
  return rig_add(rig, "Enter", full, INPUTS(value),
                 ATTRS(SLI_ATTR_STRING_OF("frame_name", loop), SLI_ATTR_BOOL_OF("is_constant", is_constant),
                       SLI_ATTR_INT_OF("parallel_iterations", parallel)));
}

static const char *in_loop(const char *loop, const char *name) {
  static char text[8][64];
  static int next;
  char *place = text[next++ % 8];
  snprintf(place, sizeof(text[0]), "%s/%s", loop, name);
  return place;
}

// Begins a loop over |values|; the caller ends it with the outputs of the body.
static loop_t begin_loop(rig_t *rig, const char *name, const sli_output_t *values, sli_output_t limit, int parallel) {
  loop_t loop;
  static const char *const flow[] = {"a", "b"};
  for (int i = 0; i < FLOWS; i++) {
    sli_output_t enter = OUT(add_enter(rig, name, flow[i], values[i], false, parallel), 0);
    char merge[64];
    snprintf(merge, sizeof(merge), "%s/merge_%s", name, flow[i]);
    loop.merge[i] = rig_binary(rig, "Merge", merge, enter, enter);
  }
  sli_node_t *bound = add_enter(rig, name, "limit", limit, true, parallel);
  sli_node_t *less = rig_binary(rig, "Less", in_loop(name, "less"), OUT(loop.merge[0], 0), OUT(bound, 0));
  loop.condition = rig_unary(rig, "LoopCond", in_loop(name, "condition"), OUT(less, 0));
  for (int i = 0; i < FLOWS; i++) {
    char text[64];
    snprintf(text, sizeof(text), "%s/switch_%s", name, flow[i]);
    loop.branch[i] = rig_binary(rig, "Switch", text, OUT(loop.merge[i], 0), OUT(loop.condition, 0));
    snprintf(text, sizeof(text), "%s/exit_%s", name, flow[i]);
    loop.exit[i] = rig_unary(rig, "Exit", text, OUT(loop.branch[i], 0));
  }
  return loop;
}

static void end_loop(rig_t *rig, const char *name, loop_t *loop, const sli_output_t *results) {
  static const char *const flow[] = {"a", "b"};
  for (int i = 0; i < FLOWS; i++) {
    char text[64];
    snprintf(text, sizeof(text), "%s/next_%s", name, flow[i]);
    sli_node_t *next = rig_unary(rig, "NextIteration", text, results[i]);
    sli_status_t *status = sli_graph_set_input(loop->merge[i], 1, OUT(next, 0));
    if (status) abort();
  }
}

// A constant of the body: it waits for the iteration by a control edge, as Python makes it.
static sli_node_t *add_body_constant(rig_t *rig, const char *name, int value, sli_node_t *pivot) {
  sli_node_t *node = rig_int(rig, name, value);
  sli_graph_add_control_edge(pivot, node);
  return node;
}

// while (i < limit) { i += 1; sum += i * factor }: |factor| is an invariant.
static loop_t add_sum_loop(rig_t *rig, const char *name, sli_output_t first, sli_output_t limit, sli_output_t factor,
                           int parallel) {
  sli_node_t *zero = rig_int(rig, in_loop(name, "zero"), 0);
  loop_t loop = begin_loop(rig, name, (sli_output_t[]){first, {zero, 0}}, limit, parallel);
  sli_node_t *inside = rig_unary(rig, "Identity", in_loop(name, "pivot"), OUT(loop.branch[0], 1));
  sli_node_t *one = add_body_constant(rig, in_loop(name, "one"), 1, inside);
  sli_node_t *times = add_enter(rig, name, "factor", factor, true, parallel);
  sli_node_t *i = rig_binary(rig, "AddV2", in_loop(name, "i"), OUT(inside, 0), OUT(one, 0));
  sli_node_t *term = rig_binary(rig, "Mul", in_loop(name, "term"), OUT(i, 0), OUT(times, 0));
  sli_node_t *sum = rig_binary(rig, "AddV2", in_loop(name, "sum"), OUT(loop.branch[1], 1), OUT(term, 0));
  end_loop(rig, name, &loop, (sli_output_t[]){{i, 0}, {sum, 0}});
  return loop;
}

SLI_TEST(test_loop_sums) {
  for (int parallel = 1; parallel < 33; parallel *= 4) {
    rig_t rig;
    rig_initialize(&rig);
    sli_node_t *start = rig_int(&rig, "start", 0), *three = rig_int(&rig, "three", 3);
    sli_node_t *limit = rig_placeholder(&rig, "limit", SLI_DTYPE_INT32);
    loop_t loop = add_sum_loop(&rig, "while", OUT(start, 0), OUT(limit, 0), OUT(three, 0), parallel);
    sli_output_t fetches[] = {{loop.exit[1], 0}, {loop.exit[0], 0}};
    sli_plan_t *plan;
    SLI_REQUIRE_OK(rig_plan(&rig, &OUT(limit, 0), 1, fetches, 2, &plan));
    static const int limits[] = {0, 1, 2, 100, 7, 0};
    for (size_t t = 0; t < SLI_ARRAY_COUNT_OF(limits); t++) {
      sli_tensor_t *value = sli_tensor_scalar_int32(limits[t]);
      outcome_t outcome;
      rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value}, &outcome);
      SLI_EXPECT_INT(outcome_int(&outcome, 0), 3 * limits[t] * (limits[t] + 1) / 2);
      SLI_EXPECT_INT(outcome_int(&outcome, 1), limits[t]);
      outcome_deinitialize(&outcome);
      SLI_EXPECT(sli_tensor_is_exclusive(value));
      sli_tensor_release(value);
    }
    sli_plan_release(plan);
    rig_deinitialize(&rig);
  }
}

SLI_TEST(test_long_loop_does_not_grow) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *start = rig_int(&rig, "start", 0), *one = rig_int(&rig, "factor", 1);
  sli_node_t *limit = rig_placeholder(&rig, "limit", SLI_DTYPE_INT32);
  loop_t loop = add_sum_loop(&rig, "while", OUT(start, 0), OUT(limit, 0), OUT(one, 0), 10);
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(limit, 0), 1, &OUT(loop.exit[0], 0), 1, &plan));
  sli_allocator_stats_t stats[2];
  static const int limits[] = {100, 10000};
  for (int t = 0; t < 2; t++) {
    sli_tensor_t *value = sli_tensor_scalar_int32(limits[t]);
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value}, &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), limits[t]);
    outcome_deinitialize(&outcome);
    sli_tensor_release(value);
    sli_allocator_cpu_stats(&stats[t]);
  }
  SLI_EXPECT_INT(stats[1].bytes_in_use, stats[0].bytes_in_use);
  SLI_EXPECT(stats[1].peak_bytes_in_use <= stats[0].peak_bytes_in_use + 4096);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// for i in 1..n: for j in 1..i: total += j, the inner loop's limit a value of the outer one.
SLI_TEST(test_nested_loops) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *zero = rig_int(&rig, "zero", 0), *limit = rig_placeholder(&rig, "limit", SLI_DTYPE_INT32);
  sli_node_t *unit = rig_int(&rig, "unit", 1);
  loop_t outer = begin_loop(&rig, "outer", (sli_output_t[]){{zero, 0}, {zero, 0}}, OUT(limit, 0), 4);
  sli_node_t *pivot = rig_unary(&rig, "Identity", "pivot", OUT(outer.branch[0], 1));
  sli_node_t *one = add_body_constant(&rig, "one", 1, pivot), *nought = add_body_constant(&rig, "nought", 0, pivot);
  sli_node_t *factor = add_enter(&rig, "outer", "unit", OUT(unit, 0), true, 4);
  sli_node_t *i = rig_binary(&rig, "AddV2", "i", OUT(pivot, 0), OUT(one, 0));
  // The inner loop's own first value must come from the outer body.
  loop_t inner = begin_loop(&rig, "inner", (sli_output_t[]){{nought, 0}, {nought, 0}}, OUT(i, 0), 2);
  sli_node_t *inner_pivot = rig_unary(&rig, "Identity", "inner_pivot", OUT(inner.branch[0], 1));
  sli_node_t *inner_one = add_body_constant(&rig, "inner_one", 1, inner_pivot);
  sli_node_t *inner_factor = add_enter(&rig, "inner", "factor", OUT(factor, 0), true, 2);
  sli_node_t *j = rig_binary(&rig, "AddV2", "j", OUT(inner_pivot, 0), OUT(inner_one, 0));
  sli_node_t *term = rig_binary(&rig, "Mul", "term", OUT(j, 0), OUT(inner_factor, 0));
  sli_node_t *part = rig_binary(&rig, "AddV2", "part", OUT(inner.branch[1], 1), OUT(term, 0));
  end_loop(&rig, "inner", &inner, (sli_output_t[]){{j, 0}, {part, 0}});
  sli_node_t *total = rig_binary(&rig, "AddV2", "total", OUT(outer.branch[1], 1), OUT(inner.exit[1], 0));
  end_loop(&rig, "outer", &outer, (sli_output_t[]){{i, 0}, {total, 0}});
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(limit, 0), 1, &OUT(outer.exit[1], 0), 1, &plan));
  static const int limits[] = {0, 1, 10, 30};
  for (size_t t = 0; t < SLI_ARRAY_COUNT_OF(limits); t++) {
    int n = limits[t], wanted = 0;
    for (int a = 1; a <= n; a++) wanted += a * (a + 1) / 2;
    sli_tensor_t *value = sli_tensor_scalar_int32(n);
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value}, &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), wanted);
    outcome_deinitialize(&outcome);
    sli_tensor_release(value);
  }
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// cond(p, loop, -1): a whole loop in the branch that is not taken is dead, and so are its exits.
SLI_TEST(test_loop_in_an_untaken_branch_is_dead) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *p = rig_placeholder(&rig, "p", SLI_DTYPE_BOOL), *start = rig_int(&rig, "start", 0);
  sli_node_t *limit = rig_int(&rig, "limit", 5), *factor = rig_int(&rig, "factor", 2);
  sli_node_t *sw_start = rig_binary(&rig, "Switch", "sw_start", OUT(start, 0), OUT(p, 0));
  sli_node_t *sw_limit = rig_binary(&rig, "Switch", "sw_limit", OUT(limit, 0), OUT(p, 0));
  sli_node_t *sw_factor = rig_binary(&rig, "Switch", "sw_factor", OUT(factor, 0), OUT(p, 0));
  sli_node_t *zero = rig_unary(&rig, "Identity", "zero", OUT(sw_start, 1));
  loop_t loop = begin_loop(&rig, "while", (sli_output_t[]){{zero, 0}, {zero, 0}}, OUT(sw_limit, 1), 3);
  sli_node_t *pivot = rig_unary(&rig, "Identity", "pivot", OUT(loop.branch[0], 1));
  sli_node_t *one = add_body_constant(&rig, "one", 1, pivot);
  sli_node_t *times = add_enter(&rig, "while", "factor", OUT(sw_factor, 1), true, 3);
  sli_node_t *i = rig_binary(&rig, "AddV2", "i", OUT(pivot, 0), OUT(one, 0));
  sli_node_t *sum = rig_binary(&rig, "AddV2", "sum", OUT(loop.branch[1], 1), OUT(times, 0));
  end_loop(&rig, "while", &loop, (sli_output_t[]){{i, 0}, {sum, 0}});
  sli_node_t *other = rig_unary(&rig, "Neg", "other", OUT(sw_limit, 0));
  sli_node_t *merge = rig_binary(&rig, "Merge", "merge", OUT(loop.exit[1], 0), OUT(other, 0));
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(p, 0), 1, &OUT(merge, 0), 1, &plan));
  for (int round = 0; round < 4; round++) {
    sli_tensor_t *value = sli_tensor_scalar_bool(round % 2);
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value}, &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), round % 2 ? 10 : -5);
    outcome_deinitialize(&outcome);
    sli_tensor_release(value);
  }
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// An error deep in an iteration frees every frame and leaves the plan usable.
SLI_TEST(test_error_in_a_loop_ends_the_step) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *ten = rig_int(&rig, "ten", 10), *zero = rig_int(&rig, "zero", 0);
  sli_node_t *limit = rig_placeholder(&rig, "limit", SLI_DTYPE_INT32);
  loop_t loop = begin_loop(&rig, "while", (sli_output_t[]){{zero, 0}, {ten, 0}}, OUT(limit, 0), 4);
  sli_node_t *pivot = rig_unary(&rig, "Identity", "pivot", OUT(loop.branch[0], 1));
  sli_node_t *one = add_body_constant(&rig, "one", 1, pivot);
  sli_node_t *i = rig_binary(&rig, "AddV2", "i", OUT(pivot, 0), OUT(one, 0));
  sli_node_t *left = rig_binary(&rig, "Sub", "left", OUT(loop.branch[1], 1), OUT(one, 0));
  rig_binary(&rig, "FloorDiv", "ratio", OUT(i, 0), OUT(left, 0));
  end_loop(&rig, "while", &loop, (sli_output_t[]){{i, 0}, {left, 0}});
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(limit, 0), 1, &OUT(loop.exit[1], 0), 1, &plan));
  static const int limits[] = {20, 5, 20, 9};
  for (size_t t = 0; t < SLI_ARRAY_COUNT_OF(limits); t++) {
    sli_tensor_t *value = sli_tensor_scalar_int32(limits[t]);
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value}, &outcome);
    if (limits[t] >= 10)
      SLI_EXPECT_TEXT(sli_status_message(outcome.status), "Integer division by zero\n\t [[{{node ratio}}]]");
    else
      SLI_EXPECT_INT(outcome_int(&outcome, 0), 10 - limits[t]);
    outcome_deinitialize(&outcome);
    sli_tensor_release(value);
  }
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

#define EDGE_ATTRS                                                                          \
  SLI_ATTR_STRING_OF("tensor_name", "edge"), SLI_ATTR_STRING_OF("send_device", RIG_DEVICE), \
      SLI_ATTR_INT_OF("send_device_incarnation", 1), SLI_ATTR_STRING_OF("recv_device", RIG_DEVICE)

// A value goes through the rendezvous in every iteration, under the key of its frame and iteration.
static void add_transfer_loop(rig_t *rig, sli_output_t limit, loop_t *loop) {
  sli_node_t *zero = rig_int(rig, "zero", 0);
  *loop = begin_loop(rig, "while/while_context", (sli_output_t[]){{zero, 0}, {zero, 0}}, limit, 4);
  sli_node_t *pivot = rig_unary(rig, "Identity", "pivot", OUT(loop->branch[0], 1));
  sli_node_t *one = add_body_constant(rig, "one", 1, pivot);
  sli_node_t *i = rig_binary(rig, "AddV2", "i", OUT(pivot, 0), OUT(one, 0));
  rig_add(rig, "_Send", "send", INPUTS(OUT(i, 0)), ATTRS(EDGE_ATTRS));
  sli_node_t *recv =
      rig_add(rig, "_Recv", "recv", NO_INPUTS, ATTRS(SLI_ATTR_TYPE_OF("tensor_type", SLI_DTYPE_INT32), EDGE_ATTRS));
  sli_graph_add_control_edge(pivot, recv);
  sli_node_t *sum = rig_binary(rig, "AddV2", "sum", OUT(loop->branch[1], 1), OUT(recv, 0));
  end_loop(rig, "while/while_context", loop, (sli_output_t[]){{i, 0}, {sum, 0}});
}

SLI_TEST(test_transfers_in_a_loop_meet_by_iteration) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *limit = rig_placeholder(&rig, "limit", SLI_DTYPE_INT32);
  loop_t loop;
  add_transfer_loop(&rig, OUT(limit, 0), &loop);
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(limit, 0), 1, &OUT(loop.exit[1], 0), 1, &plan));
  sli_tensor_t *value = sli_tensor_scalar_int32(3000);
  sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
  outcome_t outcome;
  rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value, .rendezvous = rendezvous}, &outcome);
  SLI_EXPECT_INT(outcome_int(&outcome, 0), 3000 * 3001 / 2);
  outcome_deinitialize(&outcome);
  sli_rendezvous_release(rendezvous);
  sli_tensor_release(value);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

typedef struct {
  sli_status_t *status;
  int value, calls;
} received_t;

static void on_received(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  received_t *received = context;
  received->calls++;
  received->status = status;
  if (tensor) received->value = SLI_DATA(int32_t, tensor)[0];
  sli_tensor_release(tensor);
}

// The frame's id is TensorFlow's: peers compute the same.
SLI_TEST(test_frame_ids_are_those_of_the_wire) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *zero = rig_int(&rig, "zero", 0), *limit = rig_int(&rig, "limit", 3);
  loop_t loop = begin_loop(&rig, "while/while_context", (sli_output_t[]){{zero, 0}, {zero, 0}}, OUT(limit, 0), 10);
  sli_node_t *pivot = rig_unary(&rig, "Identity", "pivot", OUT(loop.branch[0], 1));
  sli_node_t *one = add_body_constant(&rig, "one", 1, pivot);
  sli_node_t *i = rig_binary(&rig, "AddV2", "i", OUT(pivot, 0), OUT(one, 0));
  rig_add(&rig, "_Send", "send", INPUTS(OUT(i, 0)), ATTRS(EDGE_ATTRS));
  end_loop(&rig, "while/while_context", &loop, (sli_output_t[]){{i, 0}, {i, 0}});
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, NULL, 0, NULL, 0, &plan));
  sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
  outcome_t outcome;
  rig_run(&(sli_executor_request_t){.plan = plan, .rendezvous = rendezvous}, &outcome);
  SLI_EXPECT_OK(sli_status_retain(outcome.status));
  outcome_deinitialize(&outcome);
  for (int round = 0; round < 3; round++) {
    sli_string_t key = {0};
    sli_rendezvous_key_append(&key, RIG_DEVICE, 1, RIG_DEVICE, "edge", UINT64_C(18186195969791715286), (uint64_t)round);
    received_t received = {0};
    sli_rendezvous_recv(rendezvous, sli_view_of(key.data, key.size), on_received, &received);
    SLI_EXPECT_INT(received.calls, 1);
    SLI_EXPECT_INT(received.value, round + 1);
    sli_status_release(received.status);
    sli_string_deinitialize(&key);
  }
  sli_rendezvous_release(rendezvous);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

typedef struct {
  sli_plan_t *plan;
  sli_thread_pool_t *pool;
  int failures;
} runner_t;

static void *run_loops(void *argument) {
  runner_t *runner = argument;
  for (int round = 0; round < 10; round++) {
    sli_tensor_t *value = sli_tensor_scalar_int32(200 + round);
    sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = runner->plan,
                                      .feeds = &value,
                                      .rendezvous = rendezvous,
                                      .pool = runner->pool,
                                      .hand_over = round % 2},
            &outcome);
    runner->failures += outcome_int(&outcome, 0) != (200 + round) * (201 + round) / 2;
    outcome_deinitialize(&outcome);
    sli_rendezvous_release(rendezvous);
    sli_tensor_release(value);
  }
  return NULL;
}

SLI_TEST(test_loops_of_one_plan_run_at_once) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *limit = rig_placeholder(&rig, "limit", SLI_DTYPE_INT32);
  loop_t loop;
  add_transfer_loop(&rig, OUT(limit, 0), &loop);
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(limit, 0), 1, &OUT(loop.exit[1], 0), 1, &plan));
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  pthread_t threads[4];
  runner_t runners[4];
  for (int i = 0; i < 4; i++) {
    runners[i] = (runner_t){plan, pool, 0};
    pthread_create(&threads[i], NULL, run_loops, &runners[i]);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    SLI_EXPECT_INT(runners[i].failures, 0);
  }
  sli_thread_pool_destroy(pool);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

// Costly nodes in a loop whose iterations run at the same time, on the pool.
SLI_TEST(test_costly_iterations_share_the_pool) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_FLOAT);
  sli_node_t *zero = rig_int(&rig, "zero", 0), *limit = rig_int(&rig, "limit", 20);
  loop_t loop = begin_loop(&rig, "while", (sli_output_t[]){{zero, 0}, {x, 0}}, OUT(limit, 0), 5);
  sli_node_t *pivot = rig_unary(&rig, "Identity", "pivot", OUT(loop.branch[0], 1));
  sli_node_t *one = add_body_constant(&rig, "one", 1, pivot);
  sli_node_t *i = rig_binary(&rig, "AddV2", "i", OUT(pivot, 0), OUT(one, 0));
  sli_node_t *invariant = add_enter(&rig, "while", "x", OUT(x, 0), true, 5);
  sli_node_t *a = rig_binary(&rig, "Mul", "a", OUT(invariant, 0), OUT(invariant, 0));
  sli_node_t *b = rig_binary(&rig, "Sub", "b", OUT(invariant, 0), OUT(invariant, 0));
  sli_node_t *ab = rig_binary(&rig, "AddV2", "ab", OUT(a, 0), OUT(b, 0));
  sli_node_t *sum = rig_binary(&rig, "AddV2", "sum", OUT(loop.branch[1], 1), OUT(ab, 0));
  end_loop(&rig, "while", &loop, (sli_output_t[]){{i, 0}, {sum, 0}});
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, &OUT(loop.exit[1], 0), 1, &plan));
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 3, NULL);
  int64_t dims[] = {1 << 16};
  sli_tensor_t *value;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, dims, 1, &value));
  for (int k = 0; k < 1 << 16; k++) SLI_DATA(float, value)[k] = 2;
  for (int round = 0; round < 5; round++) {
    outcome_t outcome;
    rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value, .pool = pool}, &outcome);
    SLI_EXPECT_INT(outcome_int(&outcome, 0), 2 + 20 * 4);
    outcome_deinitialize(&outcome);
  }
  sli_thread_pool_destroy(pool);
  sli_tensor_release(value);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

SLI_TEST_MAIN(test_loop_sums, test_long_loop_does_not_grow, test_nested_loops, test_loop_in_an_untaken_branch_is_dead,
              test_error_in_a_loop_ends_the_step, test_transfers_in_a_loop_meet_by_iteration,
              test_frame_ids_are_those_of_the_wire, test_loops_of_one_plan_run_at_once,
              test_costly_iterations_share_the_pool)
