// Partitions run against each other through one rendezvous, as two tasks would.
#include "runtime/place/partition.h"

#include "base/clock.h"
#include "base/test.h"
#include "runtime/execute/executor.h"
#include "runtime/execute/local_rendezvous.h"
#include "runtime/place/placer.h"

#define PS "/job:ps/replica:0/task:0/device:CPU:0"
#define WORKER "/job:worker/replica:0/task:0/device:CPU:0"

typedef struct {
  sli_graph_t *graph;
  bool bfloat16;
  sli_device_set_t devices;
  sli_resource_manager_t *resources;
  sli_status_t *status;
} world_t;

static void world_initialize(world_t *world) {
  *world = (world_t){.graph = sli_graph_create(), .resources = sli_resource_manager_create("localhost")};
  static const char *const names[] = {PS, WORKER};
  for (int i = 0; i < 2; i++) {
    sli_device_t *device = sli_device_create_cpu(names[i], world->resources, NULL);
    sli_device_set_add(&world->devices, names[i], "CPU", device->incarnation, 0, device);
  }
}

static void world_deinitialize(world_t *world) {
  sli_graph_release(world->graph);
  sli_resource_manager_destroy(world->resources);
  for (size_t i = 0; i < world->devices.devices.count; i++) sli_device_destroy(world->devices.devices.items[i].local);
  sli_device_set_deinitialize(&world->devices);
  sli_status_release(world->status);
}

static sli_output_t add(world_t *world, const char *op, const char *name, const char *device,
                        const sli_output_t *inputs, size_t input_count, const sli_attr_entry_t *attrs,
                        size_t attr_count) {
  if (world->status) return SLI_OUTPUT_NONE;
  sli_graph_node_t request = {.op = op,
                              .name = name,
                              .device = device,
                              .inputs = inputs,
                              .input_count = input_count,
                              .attrs = attrs,
                              .attr_count = attr_count,
                              .infer = true};
  sli_node_t *node = NULL;
  world->status = sli_graph_add(world->graph, &request, &node);
  return (sli_output_t){node, 0};
}

static sli_output_t constant(world_t *world, const char *name, const char *device, sli_tensor_t *value) {
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", (sli_dtype_t)value->dtype), SLI_ATTR_TENSOR_OF("value", value)};
  sli_output_t output = add(world, "Const", name, device, NULL, 0, attrs, 2);
  sli_tensor_release(value);
  return output;
}

typedef struct {
  sli_event_t done;
  sli_status_t *status;
  float value;
} outcome_t;

static void part_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t count) {
  outcome_t *outcome = context;
  outcome->status = status;
  if (!status && count) outcome->value = SLI_DATA(float, fetches[0])[0];
  for (size_t i = 0; i < count; i++) sli_tensor_release(fetches[i]);
  sli_event_set(&outcome->done);
}

// Places and partitions the graph and runs all parts at once; returns the float scalar |fetch|.
static float run(world_t *world, const char *fetch) {
  sli_placer_options_t placing = {.devices = &world->devices, .default_device = WORKER};
  sli_partition_list_t parts = {0};
  float value = NAN;
  if (!world->status) world->status = sli_placer_place(world->graph, &placing);
  if (!world->status) world->status = sli_partition_graph(world->graph, &world->devices, world->bfloat16, &parts);
  sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
  outcome_t outcomes[4];
  sli_plan_t *plans[4] = {0};
  size_t count = parts.parts.count;
  for (size_t i = 0; i < count && !world->status; i++) {
    sli_node_t *node = sli_graph_find(parts.parts.items[i].graph, sli_view(fetch));
    sli_output_t output = {node, 0};
    sli_plan_request_t request = {.graph = parts.parts.items[i].graph,
                                  .devices = &world->devices,
                                  .fetches = &output,
                                  .fetch_count = node ? 1 : 0};
    world->status = sli_plan_create(&request, &plans[i]);
  }
  for (size_t i = 0; i < count && !world->status; i++) {
    outcomes[i] = (outcome_t){.value = NAN};
    sli_event_initialize(&outcomes[i].done);
    sli_executor_request_t request = {
        .plan = plans[i], .step_id = 1, .rendezvous = rendezvous, .deadline = SLI_CLOCK_NO_DEADLINE};
    sli_executor_run_plan(&request, part_done, &outcomes[i]);
  }
  for (size_t i = 0; i < count && plans[i]; i++) {
    if (world->status) continue;
    SLI_EXPECT(sli_event_wait(&outcomes[i].done, sli_clock_deadline_after_millis(20000)));
    world->status = sli_status_join(world->status, outcomes[i].status);
    sli_event_deinitialize(&outcomes[i].done);
    if (!isnan(outcomes[i].value)) value = outcomes[i].value;
  }
  for (size_t i = 0; i < count; i++) sli_plan_release(plans[i]);
  sli_rendezvous_release(rendezvous);
  sli_partition_list_deinitialize(&parts);
  SLI_EXPECT_OK(sli_status_retain(world->status));
  return value;
}

SLI_TEST(test_value_and_control_edges_cross_tasks) {
  world_t world;
  world_initialize(&world);
  sli_output_t a = constant(&world, "a", PS, sli_tensor_scalar_float(3));
  sli_output_t b = constant(&world, "b", WORKER, sli_tensor_scalar_float(4));
  sli_output_t sum = add(&world, "AddV2", "sum", WORKER, (sli_output_t[]){a, b}, 2, NULL, 0);
  sli_output_t square = add(&world, "Mul", "square", PS, (sli_output_t[]){sum, sum}, 2, NULL, 0);
  sli_output_t back = add(&world, "Neg", "back", WORKER, (sli_output_t[]){square}, 1, NULL, 0);
  SLI_REQUIRE(back.node != NULL);
  sli_graph_add_control_edge(a.node, back.node);
  SLI_EXPECT_NEAR(run(&world, "back"), -49, 0);
  world_deinitialize(&world);
}

// Returns the sum of what the worker gets from the ps: a float, and an integer as float.
static float run_transfer(bool bfloat16) {
  world_t world;
  world_initialize(&world);
  world.bfloat16 = bfloat16;
  sli_output_t a = constant(&world, "a", PS, sli_tensor_scalar_float(1 + 1.0f / 512));
  sli_output_t b = constant(&world, "b", PS, sli_tensor_scalar_int32(513));
  sli_attr_entry_t types[] = {SLI_ATTR_TYPE_OF("SrcT", SLI_DTYPE_INT32), SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_FLOAT)};
  sli_output_t whole = add(&world, "Cast", "whole", WORKER, &b, 1, types, 2);
  add(&world, "AddV2", "sum", WORKER, (sli_output_t[]){a, whole}, 2, NULL, 0);
  float value = run(&world, "sum");
  world_deinitialize(&world);
  return value;
}

SLI_TEST(test_floats_are_rounded_to_bfloat16_on_request) {
  SLI_EXPECT_NEAR(run_transfer(false), 514 + 1.0f / 512, 1e-4);
  SLI_EXPECT_NEAR(run_transfer(true), 514, 0);
}

static size_t count_recvs(const sli_partition_list_t *parts, sli_dtype_t type) {
  size_t count = 0;
  for (size_t i = 0; i < parts->parts.count; i++) {
    const sli_graph_t *graph = parts->parts.items[i].graph;
    for (size_t k = 0; k < graph->nodes.count; k++) {
      sli_node_t *node = graph->nodes.items[k];
      if (sli_graph_node_is(node, "_Recv")) count += sli_graph_output_dtype((sli_output_t){node, 0}) == type;
    }
  }
  return count;
}

// A variable that a node uses and a checkpoint saves goes to their task in both forms.
SLI_TEST(test_what_is_saved_is_not_rounded) {
  world_t world;
  world_initialize(&world);
  sli_output_t a = constant(&world, "a", PS, sli_tensor_scalar_float(1));
  sli_output_t text = constant(&world, "text", WORKER, sli_tensor_scalar_string(sli_view("x")));
  sli_output_t zero = constant(&world, "zero", WORKER, sli_tensor_scalar_int32(0));
  sli_output_t texts = add(&world, "ExpandDims", "texts", WORKER, (sli_output_t[]){text, zero}, 2, NULL, 0);
  add(&world, "Neg", "negated", WORKER, &a, 1, NULL, 0);
  add(&world, "SaveV2", "save", WORKER, (sli_output_t[]){text, texts, texts, a}, 4, NULL, 0);
  sli_placer_options_t placing = {.devices = &world.devices, .default_device = WORKER};
  sli_partition_list_t parts = {0};
  if (!world.status) world.status = sli_placer_place(world.graph, &placing);
  if (!world.status) world.status = sli_partition_graph(world.graph, &world.devices, true, &parts);
  SLI_EXPECT_OK(sli_status_retain(world.status));
  SLI_EXPECT_INT(count_recvs(&parts, SLI_DTYPE_FLOAT), 1);
  SLI_EXPECT_INT(count_recvs(&parts, SLI_DTYPE_BFLOAT16), 1);
  sli_partition_list_deinitialize(&parts);
  world_deinitialize(&world);
}

// Branches on another task, whose constants depend on the condition by control edges only.
static float run_cond(bool condition) {
  world_t world;
  world_initialize(&world);
  sli_output_t pred = constant(&world, "pred", WORKER, sli_tensor_scalar_bool(condition));
  sli_output_t pivot = add(&world, "Switch", "switch", WORKER, (sli_output_t[]){pred, pred}, 2, NULL, 0);
  sli_output_t pivots[] = {pivot, sli_output_at(pivot, 1)};
  sli_output_t branches[2];
  for (int i = 0; i < 2 && !world.status; i++) {
    sli_output_t identity = add(&world, "Identity", i ? "on_true" : "on_false", WORKER, &pivots[i], 1, NULL, 0);
    branches[i] = constant(&world, i ? "yes" : "no", PS, sli_tensor_scalar_float(i ? 1 : -1));
    if (!world.status) sli_graph_add_control_edge(identity.node, branches[i].node);
  }
  add(&world, "Merge", "merge", WORKER, branches, 2, NULL, 0);
  float value = run(&world, "merge");
  world_deinitialize(&world);
  return value;
}

SLI_TEST(test_dead_control_edges_cross_tasks) {
  SLI_EXPECT_NEAR(run_cond(true), 1, 0);
  SLI_EXPECT_NEAR(run_cond(false), -1, 0);
}

// i = 0, x = 1; while i < |limit|: x = body(x), i += 1. The two halves of the body are on two tasks.
typedef sli_output_t (*body_fn_t)(world_t *world, sli_output_t x);

static sli_output_t loop(world_t *world, const char *name, float limit, sli_output_t start, body_fn_t body) {
  char n[64];
#define NAME(suffix) (snprintf(n, sizeof(n), "%s/%s", name, suffix), n)
  sli_output_t zero = constant(world, NAME("zero"), WORKER, sli_tensor_scalar_float(0));
  sli_attr_entry_t frame[] = {SLI_ATTR_STRING_OF("frame_name", name), SLI_ATTR_INT_OF("parallel_iterations", 4)};
  sli_attr_entry_t invariant[] = {frame[0], frame[1], SLI_ATTR_BOOL_OF("is_constant", true)};
  sli_output_t bound = constant(world, NAME("bound"), WORKER, sli_tensor_scalar_float(limit));
  sli_output_t one = constant(world, NAME("one"), WORKER, sli_tensor_scalar_float(1));
  if (world->status) return SLI_OUTPUT_NONE;
  // What is constant in an outer loop must wait for it: a control edge from its start.
  if (strcmp(name, "inner") == 0) {
    sli_graph_add_control_edge(start.node, zero.node);
    sli_graph_add_control_edge(start.node, bound.node);
    sli_graph_add_control_edge(start.node, one.node);
  }
  sli_output_t enter_i = add(world, "Enter", NAME("enter_i"), WORKER, &zero, 1, frame, 2);
  sli_output_t enter_x = add(world, "Enter", NAME("enter_x"), WORKER, &start, 1, frame, 2);
  sli_output_t inner_bound = add(world, "Enter", NAME("enter_bound"), WORKER, &bound, 1, invariant, 3);
  sli_output_t inner_one = add(world, "Enter", NAME("enter_one"), WORKER, &one, 1, invariant, 3);
  sli_output_t i = add(world, "Merge", NAME("i"), WORKER, (sli_output_t[]){enter_i, enter_i}, 2, NULL, 0);
  sli_output_t x = add(world, "Merge", NAME("x"), WORKER, (sli_output_t[]){enter_x, enter_x}, 2, NULL, 0);
  sli_output_t less = add(world, "Less", NAME("less"), WORKER, (sli_output_t[]){i, inner_bound}, 2, NULL, 0);
  sli_output_t condition = add(world, "LoopCond", NAME("cond"), WORKER, &less, 1, NULL, 0);
  sli_output_t switch_i = add(world, "Switch", NAME("switch_i"), WORKER, (sli_output_t[]){i, condition}, 2, NULL, 0);
  sli_output_t switch_x = add(world, "Switch", NAME("switch_x"), WORKER, (sli_output_t[]){x, condition}, 2, NULL, 0);
  sli_output_t i1 =
      add(world, "AddV2", NAME("i1"), WORKER, (sli_output_t[]){sli_output_at(switch_i, 1), inner_one}, 2, NULL, 0);
  sli_output_t x1 = world->status ? SLI_OUTPUT_NONE : body(world, sli_output_at(switch_x, 1));
  sli_output_t next_i = add(world, "NextIteration", NAME("next_i"), WORKER, &i1, 1, NULL, 0);
  sli_output_t next_x = add(world, "NextIteration", NAME("next_x"), WORKER, &x1, 1, NULL, 0);
  if (!world->status) world->status = sli_graph_set_input(i.node, 1, next_i);
  if (!world->status) world->status = sli_graph_set_input(x.node, 1, next_x);
  sli_output_t exit_value = sli_output_at(switch_x, 0);
  return add(world, "Exit", NAME("exit"), WORKER, &exit_value, 1, NULL, 0);
#undef NAME
}

// (x + x) on the ps, then -(-y) on the worker and back: doubles x.
static sli_output_t doubling_body(world_t *world, sli_output_t x) {
  sli_output_t twice = add(world, "AddV2", "body/twice", PS, (sli_output_t[]){x, x}, 2, NULL, 0);
  sli_output_t minus = add(world, "Neg", "body/minus", WORKER, &twice, 1, NULL, 0);
  return add(world, "Neg", "body/plus", PS, &minus, 1, NULL, 0);
}

static sli_output_t nested_body(world_t *world, sli_output_t x) {
  sli_output_t identity = add(world, "Identity", "nested/start", WORKER, &x, 1, NULL, 0);
  return loop(world, "inner", 3, identity, doubling_body);
}

SLI_TEST(test_loop_body_on_two_tasks) {
  world_t world;
  world_initialize(&world);
  loop(&world, "outer", 10, constant(&world, "start", WORKER, sli_tensor_scalar_float(1)), doubling_body);
  SLI_EXPECT_NEAR(run(&world, "outer/exit"), 1024, 0);
  world_deinitialize(&world);
}

SLI_TEST(test_nested_loops_on_two_tasks) {
  world_t world;
  world_initialize(&world);
  loop(&world, "outer", 4, constant(&world, "start", WORKER, sli_tensor_scalar_float(1)), nested_body);
  SLI_EXPECT_NEAR(run(&world, "outer/exit"), 4096, 0);
  world_deinitialize(&world);
}

SLI_TEST_MAIN(test_value_and_control_edges_cross_tasks, test_floats_are_rounded_to_bfloat16_on_request,
              test_what_is_saved_is_not_rounded, test_dead_control_edges_cross_tasks, test_loop_body_on_two_tasks,
              test_nested_loops_on_two_tasks)
