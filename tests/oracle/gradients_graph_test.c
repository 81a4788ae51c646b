// Gradients of ops that make sense only together (tensor arrays of all versions, variables, conditionals), compared
// with central finite differences. Each test builds a graph from "x" to "y"; the weighted sum of y's elements is
// differentiated.
#include <math.h>

#include "base/alloc.h"
#include "base/test.h"
#include "graph/gradients/gradients.h"
#include "graph/import.h"
#include "graph/testing.h"
#include "runtime/session/session.h"

static sli_tensor_t *doubles(sli_shape_t shape) {
  sli_tensor_t *tensor = NULL;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_DOUBLE, shape.dims, shape.rank, &tensor));
  for (int64_t i = 0; i < tensor->count; i++) SLI_DATA(double, tensor)[i] = sin(1.0 + 3.0 * (double)i);
  return tensor;
}

static sli_output_t ints(sli_graph_t *graph, const char *name, sli_dtype_t dtype, sli_shape_t shape,
                         const int *values) {
  sli_tensor_t *tensor = NULL;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), dtype, shape.dims, shape.rank, &tensor));
  for (int64_t i = 0; i < tensor->count; i++) {
    if (dtype == SLI_DTYPE_INT64)
      SLI_DATA(int64_t, tensor)[i] = values[i];
    else
      SLI_DATA(int32_t, tensor)[i] = values[i];
  }
  return sli_graph_testing_constant(graph, name, tensor);
}

#define INTS(graph, name, ...) \
  ints(graph, name, SLI_DTYPE_INT32, SLI_SHAPE(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (const int[]){__VA_ARGS__})
#define INT(graph, name, value) ints(graph, name, SLI_DTYPE_INT32, SLI_SHAPE_SCALAR, &(int){value})

// --- Running -------------------------------------------------------------------------------------

static sli_session_t *open_session(sli_graph_t *graph) {
  sli_string_t bytes = {0};
  sli_session_t *session = NULL;
  sli_graph_export(graph, &bytes);
  SLI_EXPECT_OK(sli_direct_session_create(sli_view(""), &session));
  SLI_EXPECT_OK(session->vtable->extend(session, sli_view_of(bytes.data, bytes.size)));
  sli_string_deinitialize(&bytes);
  return session;
}

static void close_session(sli_session_t *session) {
  SLI_EXPECT_OK(session->vtable->close(session));
  session->vtable->destroy(session);
}

static sli_tensor_t *run(sli_session_t *session, sli_tensor_t *x, const char *fetch) {
  sli_session_run_t request = {.feed_names = (const char *[]){"x:0"},
                               .feeds = (sli_tensor_t *[]){x},
                               .feed_count = 1,
                               .fetch_names = &fetch,
                               .fetch_count = 1};
  sli_tensor_t *value = NULL;
  SLI_EXPECT_OK(session->vtable->run(session, &request, &value));
  return value;
}

static double weighted_sum(sli_session_t *session, sli_tensor_t *x, const char *fetch) {
  sli_tensor_t *y = run(session, x, fetch);
  double sum = 0;
  for (int64_t i = 0; y && i < y->count; i++) sum += SLI_DATA(double, y)[i] * (double)(i + 1);
  sli_tensor_release(y);
  return sum;
}

// dys = 1, 2, 3, … in the shape of y.
static sli_output_t weights_like(sli_graph_t *graph, sli_output_t y) {
  sli_output_t one = INT(graph, "weights/one", 1), flat = INTS(graph, "weights/flat", -1);
  sli_output_t vector = sli_graph_testing_add(graph, "Reshape", "weights/vector", INPUTS(y, flat), NO_ATTRS);
  sli_output_t size = sli_graph_testing_add(graph, "Size", "weights/size", INPUTS(vector), NO_ATTRS);
  sli_output_t end = sli_graph_testing_add(graph, "AddV2", "weights/end", INPUTS(size, one), NO_ATTRS);
  sli_output_t range = sli_graph_testing_add(graph, "Range", "weights/range", INPUTS(one, end, one), NO_ATTRS);
  sli_output_t real = sli_graph_testing_add(graph, "Cast", "weights/real", INPUTS(range),
                                            ATTRS(SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_DOUBLE)));
  sli_output_t shape = sli_graph_testing_add(graph, "Shape", "weights/shape", INPUTS(y), NO_ATTRS);
  return sli_graph_testing_add(graph, "Reshape", "weights", INPUTS(real, shape), NO_ATTRS);
}

// Consumes |graph|.
static void check(sli_graph_t *graph, sli_output_t x, sli_output_t y, sli_shape_t shape) {
  sli_tensor_t *value = doubles(shape);
  sli_output_t dy = weights_like(graph, y);
  sli_gradient_slices_t gradient = {0};
  SLI_EXPECT_OK(sli_gradients_add(
      graph, &(sli_gradients_request_t){.ys = &y, .xs = &x, .y_count = 1, .x_count = 1, .dys = &dy}, &gradient));
  SLI_EXPECT(gradient.values.node && !gradient.indices.node);
  if (gradient.values.node) {
    sli_session_t *session = open_session(graph);
    char *fetch = sli_format("%s:%d", gradient.values.node->def.name, gradient.values.index);
    char *y_name = sli_format("%s:%d", y.node->def.name, y.index);
    sli_tensor_t *have = run(session, value, fetch);
    SLI_EXPECT(have && sli_tensor_same_shape(have, value));
    for (int64_t i = 0; have && i < value->count; i++) {
      const double step = 1e-5, at = SLI_DATA(double, value)[i];
      SLI_DATA(double, value)[i] = at + step;
      double high = weighted_sum(session, value, y_name);
      SLI_DATA(double, value)[i] = at - step;
      double low = weighted_sum(session, value, y_name);
      SLI_DATA(double, value)[i] = at;
      double want = (high - low) / (2 * step), got = SLI_DATA(double, have)[i];
      if (!(fabs(want - got) <= 1e-6 * (1 + fabs(want))))
        sli_test_fail(__FILE__, __LINE__, "element %lld: have %.9g, want %.9g", (long long)i, got, want);
    }
    sli_tensor_release(have);
    free(fetch);
    free(y_name);
    close_session(session);
  }
  sli_tensor_release(value);
  sli_graph_release(graph);
}

// --- Tensor arrays -------------------------------------------------------------------------------

typedef struct {
  sli_graph_t *graph;
  const char *version;
  sli_output_t handle, flow;
} array_t;

static sli_output_t array_op(array_t *array, const char *verb, const sli_output_t *inputs, size_t input_count,
                             bool reads) {
  char *op = sli_format("TensorArray%s%s", verb, array->version);
  const char *name = sli_graph_unique_name(array->graph, *verb ? verb : "Array");
  sli_attr_entry_t dtype = SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_DOUBLE);
  sli_output_t output = sli_graph_testing_add(array->graph, op, name, inputs, input_count, &dtype, reads ? 1 : 0);
  free(op);
  return output;
}

static array_t make_array(sli_graph_t *graph, const char *version, int size) {
  array_t array = {graph, version};
  array.handle = array_op(&array, "", INPUTS(INT(graph, "array/size", size)), true);
  float zero = 0;
  sli_tensor_t *flow = NULL;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, NULL, 0, &flow));
  *SLI_DATA(float, flow) = zero;
  array.flow = sli_graph_testing_constant(graph, "array/flow", flow);
  return array;
}

static const char *const versions[] = {"", "V2", "V3"};

SLI_TEST(test_arrays_scattered_and_read_give_the_gradient) {
  for (size_t v = 0; v < SLI_ARRAY_COUNT_OF(versions); v++) {
    sli_graph_t *graph = sli_graph_create();
    sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_DOUBLE, SLI_SHAPE(3, 2));
    array_t array = make_array(graph, versions[v], 3);
    array.flow = array_op(&array, "Scatter", INPUTS(array.handle, INTS(graph, "where", 2, 0, 1), x, array.flow), false);
    sli_output_t a = array_op(&array, "Read", INPUTS(array.handle, INT(graph, "a", 2), array.flow), true);
    sli_output_t b = array_op(&array, "Read", INPUTS(array.handle, INT(graph, "b", 0), array.flow), true);
    check(graph, x, sli_graph_testing_add(graph, "Mul", "y", INPUTS(a, b), NO_ATTRS), SLI_SHAPE(3, 2));
  }
}

SLI_TEST(test_arrays_written_and_gathered_give_the_gradient) {
  for (size_t v = 0; v < SLI_ARRAY_COUNT_OF(versions); v++) {
    sli_graph_t *graph = sli_graph_create();
    sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_DOUBLE, SLI_SHAPE(4));
    sli_output_t square = sli_graph_testing_add(graph, "Square", "square", INPUTS(x), NO_ATTRS);
    array_t array = make_array(graph, versions[v], 2);
    array.flow = array_op(&array, "Write", INPUTS(array.handle, INT(graph, "first", 0), x, array.flow), false);
    array.flow = array_op(&array, "Write", INPUTS(array.handle, INT(graph, "second", 1), square, array.flow), false);
    sli_output_t y = array_op(&array, "Gather", INPUTS(array.handle, INTS(graph, "order", 1, 0), array.flow), true);
    check(graph, x, y, SLI_SHAPE(4));
  }
}

SLI_TEST(test_arrays_split_and_concatenated_give_the_gradient) {
  for (size_t v = 0; v < SLI_ARRAY_COUNT_OF(versions); v++) {
    sli_graph_t *graph = sli_graph_create();
    sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_DOUBLE, SLI_SHAPE(5, 2));
    array_t array = make_array(graph, versions[v], 2);
    sli_output_t lengths = ints(graph, "lengths", SLI_DTYPE_INT64, SLI_SHAPE(2), (const int[]){3, 2});
    array.flow = array_op(&array, "Split", INPUTS(array.handle, x, lengths, array.flow), false);
    sli_output_t y = array_op(&array, "Concat", INPUTS(array.handle, array.flow), true);
    y = sli_graph_testing_add(graph, "Square", "y", INPUTS(y), NO_ATTRS);
    check(graph, x, y, SLI_SHAPE(5, 2));
  }
}

// --- Conditionals --------------------------------------------------------------------------------

// Three branches of which the middle one runs: Switch(Switch(x, true):1, false):0.
SLI_TEST(test_merge_of_three_branches_gives_the_gradient) {
  sli_graph_t *graph = sli_graph_create();
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_DOUBLE, SLI_SHAPE(3));
  sli_output_t zero = INT(graph, "zero", 0), one = INT(graph, "one", 1);
  sli_output_t yes = sli_graph_testing_add(graph, "Less", "yes", INPUTS(zero, one), NO_ATTRS);
  sli_output_t no = sli_graph_testing_add(graph, "Less", "no", INPUTS(one, zero), NO_ATTRS);
  sli_output_t outer = sli_graph_testing_add(graph, "Switch", "outer", INPUTS(x, yes), NO_ATTRS);
  sli_output_t inner = sli_graph_testing_add(graph, "Switch", "inner", INPUTS(sli_output_at(outer, 1), no), NO_ATTRS);
  sli_output_t a = sli_graph_testing_add(graph, "Neg", "a", INPUTS(outer), NO_ATTRS);
  sli_output_t b = sli_graph_testing_add(graph, "Exp", "b", INPUTS(inner), NO_ATTRS);
  sli_output_t c = sli_graph_testing_add(graph, "Sin", "c", INPUTS(sli_output_at(inner, 1)), NO_ATTRS);
  sli_output_t y = sli_graph_testing_add(graph, "Merge", "y", INPUTS(a, b, c), ATTRS(SLI_ATTR_INT_OF("N", 3)));
  check(graph, x, y, SLI_SHAPE(3));
}

// --- Variables -----------------------------------------------------------------------------------

// Picks [1, 0] of the first row and [1, 1] of the second, weighted 1 to 4.
SLI_TEST(test_gather_from_a_variable_in_batches_gives_the_gradient) {
  static const double wanted[] = {2, 1, 0, 0, 7, 0};
  sli_graph_t *graph = sli_graph_create();
  sli_output_t x = sli_graph_testing_placeholder(graph, "x", SLI_DTYPE_DOUBLE, SLI_SHAPE(2, 3));
  sli_attr_entry_t dtype = SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_DOUBLE);
  sli_output_t variable = sli_graph_testing_add(graph, "VarHandleOp", "variable", NO_INPUTS,
                                                ATTRS(dtype, SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(2, 3))));
  sli_graph_testing_add(graph, "AssignVariableOp", "assign", INPUTS(variable, x), NO_ATTRS);
  sli_output_t indices = ints(graph, "indices", SLI_DTYPE_INT64, SLI_SHAPE(2, 2), (const int[]){1, 0, 1, 1});
  sli_output_t y = sli_graph_testing_add(graph, "ResourceGather", "y", INPUTS(variable, indices),
                                         ATTRS(dtype, SLI_ATTR_INT_OF("batch_dims", 1)));
  sli_output_t dy = weights_like(graph, y);
  sli_gradient_slices_t gradient = {0};
  SLI_EXPECT_OK(sli_gradients_add(
      graph, &(sli_gradients_request_t){.ys = &y, .xs = &variable, .y_count = 1, .x_count = 1, .dys = &dy}, &gradient));
  SLI_EXPECT(gradient.values.node && !gradient.indices.node);
  sli_session_t *session = open_session(graph);
  sli_tensor_t *value = doubles(SLI_SHAPE(2, 3)), *have = NULL;
  sli_session_run_t assign = {.feed_names = (const char *[]){"x:0"},
                              .feeds = &value,
                              .feed_count = 1,
                              .target_names = (const char *[]){"assign"},
                              .target_count = 1};
  SLI_EXPECT_OK(session->vtable->run(session, &assign, NULL));
  char *fetch = sli_format("%s:%d", gradient.values.node->def.name, gradient.values.index);
  have = run(session, value, fetch);
  SLI_EXPECT(have && sli_tensor_same_shape(have, value));
  for (int64_t i = 0; have && i < have->count; i++) SLI_EXPECT(SLI_DATA(double, have)[i] == wanted[i]);
  sli_tensor_release(have);
  sli_tensor_release(value);
  free(fetch);
  close_session(session);
  sli_graph_release(graph);
}

SLI_TEST_MAIN(test_gather_from_a_variable_in_batches_gives_the_gradient,
              test_arrays_scattered_and_read_give_the_gradient, test_arrays_written_and_gathered_give_the_gradient,
              test_arrays_split_and_concatenated_give_the_gradient, test_merge_of_three_branches_gives_the_gradient)
