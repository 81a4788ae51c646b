// Staging areas and barriers: which calls wait, what ends the wait, and that no thread is blocked meanwhile.
#include <pthread.h>
#include <unistd.h>

#include "ops/common/testing.h"

static const sli_dtype_t float_type[] = {SLI_DTYPE_FLOAT};
#define DTYPES(name)   \
  ((sli_attr_entry_t){ \
      name, {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list = {.type = (sli_dtype_t *)float_type}}})

// --- Asynchronous calls ------------------------------------------------------------

typedef struct {
  sli_testing_device_t *h;
  const char *op;
  sli_kernel_value_t inputs[4];
  int input_count;
  sli_attr_entry_t attrs[4];
  size_t attr_count;
  sli_testing_call_t call;
  sli_arena_t arena;
  sli_node_def_t node;
  sli_kernel_value_t outputs[SLI_TESTING_MAX];
  void *state;
} pending_t;

// Starts the kernel and returns, also if the kernel has to wait.
static void start(pending_t *p) {
  sli_dtype_t types[4];
  for (int i = 0; i < p->input_count; i++)
    types[i] = p->inputs[i].variable ? sli_dtype_make_ref(p->inputs[i].variable->dtype)
                                     : (sli_dtype_t)p->inputs[i].tensor->dtype;
  sli_node_request_t request = {.name = "n",
                                .device = "",
                                .op = sli_op_find(sli_view(p->op)),
                                .attrs = p->attrs,
                                .attr_count = p->attr_count,
                                .input_types = types,
                                .input_count = p->input_count,
                                .infer = true};
  const sli_kernel_def_t *kernel;
  SLI_REQUIRE_OK(sli_node_def_complete(&request, &p->arena, &p->node));
  SLI_REQUIRE_OK(sli_kernel_find(&p->node, "CPU", &kernel));
  SLI_REQUIRE(kernel->compute_async != NULL);
  p->call.context = (sli_kernel_context_t){.node = &p->node,
                                           .device = p->h->device,
                                           .step = &p->h->step,
                                           .inputs = p->inputs,
                                           .input_count = p->input_count,
                                           .outputs = p->outputs,
                                           .output_count = p->node.output_count,
                                           .complete = sli_testing_complete};
  sli_event_initialize(&p->call.is_over);
  kernel->compute_async(&p->call.context);
}

static bool is_over(pending_t *p) { return sli_event_is_set(&p->call.is_over); }

// Waits for the end of the call and returns its status.
static sli_status_t *finish(pending_t *p) {
  SLI_CHECK(sli_event_wait(&p->call.is_over, sli_clock_deadline_after_millis(60000)));
  sli_event_deinitialize(&p->call.is_over);
  for (int i = 0; i < p->input_count; i++) {
    sli_tensor_release(p->inputs[i].tensor);
    sli_variable_release(p->inputs[i].variable);
  }
  for (int i = 0; i < SLI_TESTING_MAX; i++) sli_tensor_release(p->outputs[i].tensor);
  sli_arena_deinitialize(&p->arena);
  return p->call.status;
}

// --- Staging areas ---------------------------------------------------------------------------------------

#define AREA DTYPES("dtypes"), SLI_ATTR_STRING_OF("shared_name", "area"), SLI_ATTR_INT_OF("capacity", 2)

static sli_status_t *stage(sli_testing_device_t *h, float value) {
  return sli_testing_device_run(h, "Stage", SLI_TESTING_INPUTS(TENSOR(sli_tensor_scalar_float(value))),
                                SLI_TESTING_ATTRS(AREA));
}

static float unstage(sli_testing_device_t *h) {
  SLI_EXPECT_OK(sli_testing_device_run(h, "Unstage", NULL, 0, SLI_TESTING_ATTRS(AREA)));
  return h->outputs[0].tensor ? SLI_DATA(float, h->outputs[0].tensor)[0] : NAN;
}

static int32_t stage_size(sli_testing_device_t *h) {
  SLI_EXPECT_OK(sli_testing_device_run(h, "StageSize", NULL, 0, SLI_TESTING_ATTRS(AREA)));
  return h->outputs[0].tensor ? SLI_DATA(int32_t, h->outputs[0].tensor)[0] : -1;
}

static pending_t pending_unstage(sli_testing_device_t *h) {
  return (pending_t){.h = h, .op = "Unstage", .attrs = {AREA}, .attr_count = 3};
}
static pending_t pending_stage(sli_testing_device_t *h, float value) {
  return (pending_t){.h = h,
                     .op = "Stage",
                     .inputs = {TENSOR(sli_tensor_scalar_float(value))},
                     .input_count = 1,
                     .attrs = {AREA},
                     .attr_count = 3};
}

SLI_TEST(test_stage_gives_tuples_in_order_and_clears) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  SLI_EXPECT_OK(stage(&h, 1));
  SLI_EXPECT_OK(stage(&h, 2));
  SLI_EXPECT_INT(stage_size(&h), 2);
  SLI_EXPECT_NEAR(unstage(&h), 1, 0);
  SLI_EXPECT_NEAR(unstage(&h), 2, 0);
  SLI_EXPECT_OK(stage(&h, 3));
  SLI_EXPECT_OK(sli_testing_device_run(&h, "StageClear", NULL, 0, SLI_TESTING_ATTRS(AREA)));
  SLI_EXPECT_INT(stage_size(&h), 0);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_stage_waits_for_room_and_unstage_for_a_tuple) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  pending_t take = pending_unstage(&h);
  start(&take);
  SLI_EXPECT(!is_over(&take));  // and this thread continues: the wait does not block it
  SLI_EXPECT_OK(stage(&h, 5));
  SLI_EXPECT(is_over(&take));
  SLI_REQUIRE(take.outputs[0].tensor);
  SLI_EXPECT_NEAR(SLI_DATA(float, take.outputs[0].tensor)[0], 5, 0);
  SLI_EXPECT_OK(finish(&take));

  SLI_EXPECT_OK(stage(&h, 1));
  SLI_EXPECT_OK(stage(&h, 2));
  pending_t put = pending_stage(&h, 3);
  start(&put);
  SLI_EXPECT(!is_over(&put));
  SLI_EXPECT_NEAR(unstage(&h), 1, 0);
  SLI_EXPECT(is_over(&put));
  SLI_EXPECT_OK(finish(&put));
  SLI_EXPECT_INT(stage_size(&h), 2);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_peek_looks_at_a_tuple_and_waits_for_it) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  SLI_EXPECT_OK(stage(&h, 1));
  pending_t second = {.h = &h,
                      .op = "StagePeek",
                      .inputs = {TENSOR(sli_tensor_scalar_int32(1))},
                      .input_count = 1,
                      .attrs = {AREA},
                      .attr_count = 3};
  start(&second);
  SLI_EXPECT(!is_over(&second));
  SLI_EXPECT_OK(stage(&h, 2));
  SLI_EXPECT(is_over(&second));
  SLI_REQUIRE(second.outputs[0].tensor);
  SLI_EXPECT_NEAR(SLI_DATA(float, second.outputs[0].tensor)[0], 2, 0);
  SLI_EXPECT_OK(finish(&second));
  SLI_EXPECT_INT(stage_size(&h), 2);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "StagePeek", SLI_TESTING_INPUTS(TENSOR(sli_tensor_scalar_int32(-1))),
                             SLI_TESTING_ATTRS(AREA)),
      SLI_INVALID_ARGUMENT, "index must not be negative, got -1");
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_stage_ends_with_the_step_and_keeps_to_its_memory) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  pending_t take = pending_unstage(&h);
  start(&take);
  sli_cancellation_cancel(h.step.cancellation, sli_status_make(SLI_CANCELLED, "the step is over"));
  SLI_EXPECT(is_over(&take));
  SLI_EXPECT_STATUS(finish(&take), SLI_CANCELLED);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "Stage", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(100)))),
                             SLI_TESTING_ATTRS(DTYPES("dtypes"), SLI_ATTR_STRING_OF("shared_name", "small"),
                                               SLI_ATTR_INT_OF("memory_limit", 64))),
      SLI_RESOURCE_EXHAUSTED, "memory limit of '64'");
  sli_testing_device_deinitialize(&h);
}

// --- Barriers ----------------------------------------------------------------------------------------------

static sli_variable_t *create_barrier(sli_testing_device_t *h) {
  static const sli_dtype_t types[] = {SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT};
  static const sli_shape_t shapes[] = {{0, NULL}, {0, NULL}};
  sli_attr_entry_t attrs[] = {
      {"component_types", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 2, .list = {.type = (sli_dtype_t *)types}}},
      {"shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = 2, .list = {.shape = (sli_shape_t *)shapes}}},
      SLI_ATTR_STRING_OF("shared_name", "barrier")};
  SLI_EXPECT_OK(sli_testing_device_run(h, "Barrier", NULL, 0, attrs, 3));
  return sli_variable_retain(h->outputs[0].variable);
}

static sli_status_t *insert(sli_testing_device_t *h, sli_variable_t *barrier, const char *key, int64_t component,
                            float value) {
  sli_tensor_t *keys, *values = sli_testing_range(SLI_SHAPE(1));
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, (int64_t[]){1}, 1, &keys));
  sli_tstring_assign(SLI_DATA(sli_tstring_t, keys), key, strlen(key));
  SLI_DATA(float, values)[0] = value;
  return sli_testing_device_run(h, "BarrierInsertMany",
                                SLI_TESTING_INPUTS(REFERENCE(barrier), TENSOR(keys), TENSOR(values)),
                                SLI_TESTING_ATTRS(SLI_ATTR_INT_OF("component_index", component)));
}

static int32_t size_of(sli_testing_device_t *h, sli_variable_t *barrier, const char *op) {
  SLI_EXPECT_OK(sli_testing_device_run(h, op, SLI_TESTING_INPUTS(REFERENCE(barrier)), NULL, 0));
  return h->outputs[0].tensor ? SLI_DATA(int32_t, h->outputs[0].tensor)[0] : -1;
}

static pending_t pending_take(sli_testing_device_t *h, sli_variable_t *barrier, int32_t count) {
  static const sli_dtype_t types[] = {SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT};
  return (pending_t){
      .h = h,
      .op = "BarrierTakeMany",
      .inputs = {REFERENCE(barrier), TENSOR(sli_tensor_scalar_int32(count))},
      .input_count = 2,
      .attrs = {{"component_types",
                 {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 2, .list = {.type = (sli_dtype_t *)types}}}},
      .attr_count = 1};
}

SLI_TEST(test_barrier_gives_elements_once_all_their_components_came) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *barrier = create_barrier(&h);
  pending_t take = pending_take(&h, barrier, 2);
  start(&take);
  SLI_EXPECT_OK(insert(&h, barrier, "a", 0, 1));
  SLI_EXPECT_OK(insert(&h, barrier, "b", 0, 2));
  SLI_EXPECT_INT(size_of(&h, barrier, "BarrierIncompleteSize"), 2);
  SLI_EXPECT_OK(insert(&h, barrier, "b", 1, 20));
  SLI_EXPECT(!is_over(&take));
  sli_testing_expect_error(insert(&h, barrier, "a", 0, 7), SLI_INVALID_ARGUMENT, "already has a value for component 0");
  SLI_EXPECT_OK(insert(&h, barrier, "a", 1, 10));
  SLI_REQUIRE(is_over(&take) && take.outputs[3].tensor);
  SLI_EXPECT_INT(take.outputs[1].tensor->count, 2);
  for (int i = 0; i < 2; i++)
    SLI_EXPECT_NEAR(SLI_DATA(float, take.outputs[3].tensor)[i], 10 * SLI_DATA(float, take.outputs[2].tensor)[i], 0);
  SLI_EXPECT_OK(finish(&take));
  SLI_EXPECT_INT(size_of(&h, barrier, "BarrierReadySize"), 0);
  sli_variable_release(barrier);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_barrier_closed_takes_no_new_keys_and_ends_takes) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *barrier = create_barrier(&h);
  pending_t take = pending_take(&h, barrier, 1), more = pending_take(&h, barrier, 1);
  SLI_EXPECT_OK(insert(&h, barrier, "a", 0, 1));
  start(&take);
  start(&more);
  SLI_EXPECT_OK(sli_testing_device_run(&h, "BarrierClose", SLI_TESTING_INPUTS(REFERENCE(barrier)), NULL, 0));
  SLI_EXPECT(!is_over(&take));  // "a" may still become ready
  sli_testing_expect_error(insert(&h, barrier, "new", 0, 1), SLI_CANCELLED, "brand new key: new");
  SLI_EXPECT_OK(insert(&h, barrier, "a", 1, 2));
  SLI_EXPECT_OK(finish(&take));
  SLI_EXPECT_STATUS(finish(&more), SLI_OUT_OF_RANGE);
  sli_variable_release(barrier);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_barrier_take_ends_with_the_step) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *barrier = create_barrier(&h);
  pending_t take = pending_take(&h, barrier, 1);
  start(&take);
  sli_cancellation_cancel(h.step.cancellation, sli_status_make(SLI_CANCELLED, "the step is over"));
  SLI_EXPECT_STATUS(finish(&take), SLI_CANCELLED);
  sli_variable_release(barrier);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST_MAIN(test_stage_gives_tuples_in_order_and_clears, test_stage_waits_for_room_and_unstage_for_a_tuple,
              test_peek_looks_at_a_tuple_and_waits_for_it, test_stage_ends_with_the_step_and_keeps_to_its_memory,
              test_barrier_gives_elements_once_all_their_components_came,
              test_barrier_closed_takes_no_new_keys_and_ends_takes, test_barrier_take_ends_with_the_step)
