// A local session runs 100,000 steps of a graph with everything that a training step has: feeds, fetches, variables and
// their update, a product, a queue and a while loop. After a warm-up, memory must not grow.
#include <stdio.h>
#include <unistd.h>

#include "base/test.h"
#include "core/tensor/allocator.h"
#include "graph/import.h"
#include "graph/testing.h"
#include "runtime/session/session.h"

enum { WARM_UP = 5000, STEPS = 100000 };

static sli_graph_t *graph;

static sli_output_t add(const char *op, const char *name, const sli_output_t *inputs, size_t input_count,
                        const sli_attr_entry_t *attrs, size_t attr_count) {
  return sli_graph_testing_add(graph, op, name, inputs, input_count, attrs, attr_count);
}

// for (i = 0; i < 3; i++) value *= value
static sli_output_t add_loop(sli_output_t value) {
  sli_attr_entry_t frame = SLI_ATTR_STRING_OF("frame_name", "loop");
  sli_output_t zero = sli_graph_testing_constant(graph, "zero", sli_tensor_scalar_int32(0));
  sli_output_t enters[] = {add("Enter", "enter_i", INPUTS(zero), &frame, 1),
                           add("Enter", "enter_v", INPUTS(value), &frame, 1)};
  sli_output_t merges[2], switches[2], next[2];
  static const char *const names[][4] = {{"merge_i", "switch_i", "next_i", "exit_i"},
                                         {"merge_v", "switch_v", "next_v", "exit_v"}};
  for (int k = 0; k < 2; k++) merges[k] = add("Merge", names[k][0], INPUTS(enters[k], enters[k]), NO_ATTRS);
  sli_output_t three = sli_graph_testing_constant(graph, "three", sli_tensor_scalar_int32(3));
  sli_output_t limit = add("Enter", "limit", INPUTS(three),
                           ATTRS(SLI_ATTR_STRING_OF("frame_name", "loop"), SLI_ATTR_BOOL_OF("is_constant", true)));
  sli_output_t go_on =
      add("LoopCond", "go_on", INPUTS(add("Less", "less", INPUTS(merges[0], limit), NO_ATTRS)), NO_ATTRS);
  for (int k = 0; k < 2; k++) switches[k] = add("Switch", names[k][1], INPUTS(merges[k], go_on), NO_ATTRS);
  sli_output_t i = {switches[0].node, 1}, v = {switches[1].node, 1};
  sli_output_t one = sli_graph_testing_constant(graph, "one", sli_tensor_scalar_int32(1));
  sli_graph_add_control_edge(add("Identity", "pivot", INPUTS(i), NO_ATTRS).node, one.node);
  next[0] = add("NextIteration", names[0][2], INPUTS(add("AddV2", "count", INPUTS(i, one), NO_ATTRS)), NO_ATTRS);
  next[1] = add("NextIteration", names[1][2], INPUTS(add("Mul", "square", INPUTS(v, v), NO_ATTRS)), NO_ATTRS);
  for (int k = 0; k < 2; k++) {
    sli_status_t *status = sli_graph_set_input(merges[k].node, 1, next[k]);
    SLI_CHECK(!status);
  }
  return add("Exit", names[1][3], INPUTS(switches[1]), NO_ATTRS);
}

// x → queue → loss(x·w), w -= 0.001·x; fetches the loss, made larger in a loop.
static void build(void) {
  int64_t dims[] = {8, 8};
  sli_shape_t shape = {2, dims};
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_FLOAT, shape);
  sli_dtype_t type = SLI_DTYPE_FLOAT;
  sli_attr_entry_t types = {"component_types",
                            {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list = {.type = &type}}};
  sli_attr_entry_t components = {"Tcomponents", types.value};
  sli_output_t queue = add("FIFOQueueV2", "queue", NO_INPUTS, &types, 1);
  sli_output_t put = add("QueueEnqueueV2", "put", INPUTS(queue, x), &components, 1);
  sli_output_t taken = add("QueueDequeueV2", "taken", INPUTS(queue), &types, 1);
  sli_graph_add_control_edge(put.node, taken.node);
  sli_output_t w = add("VariableV2", "w", NO_INPUTS,
                       ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT), SLI_ATTR_SHAPE_OF("shape", shape)));
  sli_attr_entry_t t = SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT);
  add("Assign", "start", INPUTS(w, x), &t, 1);
  sli_output_t product = add("MatMul", "product", INPUTS(taken, add("Identity", "read", INPUTS(w), &t, 1)), NO_ATTRS);
  int32_t axes[] = {0, 1};
  sli_output_t all = sli_graph_testing_constant(graph, "all", sli_tensor_vector_int32(axes, 2));
  sli_output_t mean = add("Mean", "mean", INPUTS(add("Tanh", "tanh", INPUTS(product), NO_ATTRS), all), NO_ATTRS);
  sli_output_t rate = sli_graph_testing_constant(graph, "rate", sli_tensor_scalar_float(0.001f));
  add("ApplyGradientDescent", "train", INPUTS(w, rate, product), &t, 1);
  add_loop(mean);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

static long resident_kilobytes(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  SLI_CHECK(file && fscanf(file, "%ld %ld", &pages, &resident) == 2);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static sli_status_t *run(sli_session_t *session, const char *fetch, const char *target, sli_tensor_t *x) {
  const char *feed = "x:0";
  sli_tensor_t *value = NULL;
  sli_session_run_t request = {.feed_names = &feed,
                               .feeds = &x,
                               .feed_count = 1,
                               .fetch_names = &fetch,
                               .fetch_count = fetch != NULL,
                               .target_names = &target,
                               .target_count = 1};
  sli_status_t *status = session->vtable->run(session, &request, &value);
  sli_tensor_release(value);
  return status;
}

SLI_TEST(test_memory_does_not_grow_over_steps) {
  graph = sli_graph_create();
  build();
  sli_string_t bytes = {0};
  sli_session_t *session = NULL;
  sli_tensor_t *x;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){8, 8}, 2, &x));
  for (int i = 0; i < 64; i++) SLI_DATA(float, x)[i] = 0.01f * (float)(i % 7 - 3);
  sli_graph_export(graph, &bytes);
  SLI_REQUIRE_OK(sli_direct_session_create(sli_view(""), &session));
  SLI_REQUIRE_OK(session->vtable->extend(session, sli_view_of(bytes.data, bytes.size)));
  SLI_REQUIRE_OK(run(session, NULL, "start", x));
  long resident = 0;
  sli_allocator_stats_t warm, after;
  sli_status_t *status = NULL;
  for (int i = 0; i < WARM_UP + STEPS && !status; i++) {
    if (i == WARM_UP) {
      resident = resident_kilobytes();
      sli_allocator_cpu_stats(&warm);
    }
    status = run(session, "exit_v:0", "train", x);
  }
  SLI_EXPECT_OK(status);
  sli_allocator_cpu_stats(&after);
  // A leak of 16 bytes a step would be 1.6 MB. Sanitizers keep freed memory aside, and find leaks themselves.
  SLI_EXPECT(SANITIZED || resident_kilobytes() < resident + 1024);
  SLI_EXPECT_INT(after.bytes_in_use, warm.bytes_in_use);
  SLI_EXPECT_OK(session->vtable->close(session));
  session->vtable->destroy(session);
  sli_tensor_release(x);
  sli_string_deinitialize(&bytes);
  sli_graph_release(graph);
}

SLI_TEST_MAIN(test_memory_does_not_grow_over_steps)
