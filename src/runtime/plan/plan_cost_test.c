// Which nodes a thread that polls the network leaves to the pool although nothing else waits for it.
#include <stdatomic.h>
#include <unistd.h>

#include "runtime/execute/testing.h"

// Each task of the pool corks once.
static atomic_int corks;
static void count_cork(sli_env_t *env) { atomic_fetch_add(&corks, 1); }
static int64_t some_time(sli_env_t *env) { return 500000; }

// Runs steps on a thread that also polls the network.
typedef struct {
  rig_t rig;
  sli_plan_t *plan;
  sli_thread_pool_t *pool;
  sli_env_t env;
} duty_t;

static void duty_initialize(duty_t *duty) {
  *duty = (duty_t){0};
  rig_initialize(&duty->rig);
  duty->pool = sli_thread_pool_create("test", 1, NULL);
  duty->env = *sli_env_local();
  duty->env.cork = count_cork;
  duty->env.spare_nanos = some_time;
}

static void duty_deinitialize(duty_t *duty) {
  sli_plan_release(duty->plan);
  sli_thread_pool_destroy(duty->pool);
  rig_deinitialize(&duty->rig);
}

// Runs the plan; consumes |feeds|. Whether a part of it went to the pool.
static bool leaves(duty_t *duty, sli_tensor_t **feeds, size_t feed_count) {
  atomic_store(&corks, 0);
  outcome_t outcome;
  rig_run(
      &(sli_executor_request_t){
          .plan = duty->plan, .feeds = feeds, .pool = duty->pool, .env = &duty->env, .hand_over = true},
      &outcome);
  if (outcome.status) sli_test_fail(__FILE__, __LINE__, "%s", sli_status_message(outcome.status));
  outcome_deinitialize(&outcome);
  for (size_t i = 0; i < feed_count; i++) sli_tensor_release(feeds[i]);
  return atomic_load(&corks) > 0;
}

// Fetched instead of a large value.
static sli_output_t shape_of(rig_t *rig, sli_node_t *node) {
  return OUT(rig_unary(rig, "Shape", "shape", OUT(node, 0)), 0);
}

static bool leaves_with_dims(duty_t *duty, int32_t rows) {
  sli_tensor_t *dims = sli_tensor_vector_int32(&rows, 1);
  return leaves(duty, &dims, 1);
}

// The size of what a Fill or a random op makes is the value of its input.
static void check_sized_by_value(const char *op) {
  duty_t duty;
  duty_initialize(&duty);
  rig_t *rig = &duty.rig;
  sli_node_t *dims = rig_placeholder(rig, "dims", SLI_DTYPE_INT32);
  sli_node_t *made;
  if (!strcmp(op, "Fill"))
    made = rig_binary(rig, op, "made", OUT(dims, 0), OUT(rig_int(rig, "one", 1), 0));
  else
    made = rig_add(rig, op, "made", INPUTS(OUT(dims, 0)), ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT)));
  sli_output_t fetch = shape_of(rig, made);
  SLI_REQUIRE_OK(rig_plan(rig, &OUT(dims, 0), 1, &fetch, 1, &duty.plan));
  // Measurements of small sizes are not used for large ones.
  for (int i = 0; i < 3; i++) SLI_EXPECT(!leaves_with_dims(&duty, 10));
  for (int i = 0; i < 3; i++) SLI_EXPECT(leaves_with_dims(&duty, 4000000));
  SLI_EXPECT(!leaves_with_dims(&duty, 10));
  duty_deinitialize(&duty);
}

SLI_TEST(test_what_makes_much_of_little_leaves_the_network_thread) {
  check_sized_by_value("Fill");
  check_sized_by_value("RandomUniform");
}

SLI_TEST(test_large_output_of_known_shape_leaves_the_network_thread) {
  duty_t duty;
  duty_initialize(&duty);
  rig_t *rig = &duty.rig;
  sli_node_t *go = rig_placeholder(rig, "go", SLI_DTYPE_INT32);
  sli_node_t *dims = rig_constant(rig, "dims", sli_tensor_vector_int32(&(int32_t){4000000}, 1));
  sli_node_t *made = rig_binary(rig, "Fill", "made", OUT(dims, 0), OUT(go, 0));
  sli_output_t fetch = shape_of(rig, made);
  SLI_REQUIRE_OK(rig_plan(rig, &OUT(go, 0), 1, &fetch, 1, &duty.plan));
  sli_tensor_t *value = sli_tensor_scalar_int32(1);
  SLI_EXPECT(leaves(&duty, &value, 1));
  duty_deinitialize(&duty);
}

static sli_tensor_t *ones(int64_t rows, int64_t columns) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){rows, columns}, 2, &tensor));
  for (int64_t i = 0; i < tensor->count; i++) SLI_DATA(float, tensor)[i] = 1;
  return tensor;
}

// A column times a row: 16 KB go in, 16 MB come out.
static void check_outer(const char *op) {
  duty_t duty;
  duty_initialize(&duty);
  rig_t *rig = &duty.rig;
  sli_node_t *a = rig_placeholder(rig, "a", SLI_DTYPE_FLOAT), *b = rig_placeholder(rig, "b", SLI_DTYPE_FLOAT);
  sli_node_t *product = rig_binary(rig, op, "product", OUT(a, 0), OUT(b, 0));
  sli_output_t feeds[] = {OUT(a, 0), OUT(b, 0)};
  sli_output_t fetch = shape_of(rig, product);
  SLI_REQUIRE_OK(rig_plan(rig, feeds, 2, &fetch, 1, &duty.plan));
  SLI_EXPECT(!leaves(&duty, (sli_tensor_t *[]){ones(4, 1), ones(1, 4)}, 2));
  SLI_EXPECT(leaves(&duty, (sli_tensor_t *[]){ones(2000, 1), ones(1, 2000)}, 2));
  duty_deinitialize(&duty);
}

SLI_TEST(test_outer_products_leave_the_network_thread) {
  check_outer("MatMul");
  check_outer("Mul");
}

// How long a file takes is unknown.
SLI_TEST(test_files_are_not_read_on_the_network_thread) {
  char path[] = "/tmp/sluice-cost-XXXXXX";
  int file = mkstemp(path);
  SLI_REQUIRE(file >= 0);
  close(file);
  duty_t duty;
  duty_initialize(&duty);
  rig_t *rig = &duty.rig;
  sli_node_t *name = rig_constant(rig, "name", sli_tensor_scalar_string(sli_view(path)));
  sli_node_t *bytes = rig_unary(rig, "ReadFile", "bytes", OUT(name, 0));
  sli_output_t fetch = shape_of(rig, bytes);
  SLI_REQUIRE_OK(rig_plan(rig, NULL, 0, &fetch, 1, &duty.plan));
  for (int i = 0; i < 3; i++) SLI_EXPECT(leaves(&duty, NULL, 0));
  duty_deinitialize(&duty);
  unlink(path);
}

SLI_TEST_MAIN(test_what_makes_much_of_little_leaves_the_network_thread,
              test_large_output_of_known_shape_leaves_the_network_thread, test_outer_products_leave_the_network_thread,
              test_files_are_not_read_on_the_network_thread)
