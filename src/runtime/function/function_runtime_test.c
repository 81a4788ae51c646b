// Functions as kernels call them: values, types from attributes, recursion, errors, cancellation, and what stays alive.
#include "runtime/function/function_runtime.h"

#include "graph/function/testing.h"
#include "runtime/execute/testing.h"

static sli_attr_func_t named(const char *name) { return (sli_attr_func_t){.name = sli_view(name)}; }

// Checks an error's code and a part of its text; consumes it.
static void expect_error(sli_status_t *status, sli_code_t code, const char *part) {
  SLI_EXPECT_INT(sli_status_code(status), code);
  SLI_EXPECT_CONTAINS(sli_status_message(status), part);
  sli_status_release(status);
}

#define INT_TYPE SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT32)

// Const nodes need a tensor that lives while the bytes are written.
static void write_int(function_writer_t *writer, const char *name, int value) {
  sli_tensor_t *tensor = sli_tensor_scalar_int32(value);
  function_node(writer, name, "Const", "",
                FUNCTION_ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT32), SLI_ATTR_TENSOR_OF("value", tensor)));
  sli_tensor_release(tensor);
}

// square(x) = x * x + 1.
static void add_square(sli_graph_t *graph) {
  function_writer_t writer;
  function_begin(&writer, "square");
  function_argument(&writer, "x", SLI_DTYPE_INT32);
  write_int(&writer, "one", 1);
  function_node(&writer, "add", "Add", "mul:z:0 one:output:0", FUNCTION_ATTRS(INT_TYPE));
  function_node(&writer, "mul", "Mul", "x x", FUNCTION_ATTRS(INT_TYPE));
  function_result(&writer, "r", SLI_DTYPE_INT32, "add:z:0");
  function_end(&writer, graph);
}

// sum(n) = n <= 0 ? 0 : n + sum(n - 1).
static void add_sum(sli_graph_t *graph) {
  function_writer_t writer;
  function_begin(&writer, "sum");
  function_argument(&writer, "n", SLI_DTYPE_INT32);
  write_int(&writer, "zero", 0);
  write_int(&writer, "one", 1);
  function_node(&writer, "ends", "LessEqual", "n zero:output:0", FUNCTION_ATTRS(INT_TYPE));
  function_node(&writer, "switch", "Switch", "n ends:z:0", FUNCTION_ATTRS(INT_TYPE));
  function_node(&writer, "less", "Sub", "switch:output_false:0 one:output:0", FUNCTION_ATTRS(INT_TYPE));
  function_node(&writer, "call", "sum", "less:z:0", NULL, 0);
  function_node(&writer, "more", "Add", "call:r:0 switch:output_false:0", FUNCTION_ATTRS(INT_TYPE));
  function_node(&writer, "merge", "Merge", "more:z:0 switch:output_true:0",
                FUNCTION_ATTRS(INT_TYPE, SLI_ATTR_INT_OF("N", 2)));
  function_result(&writer, "r", SLI_DTYPE_INT32, "merge:output:0");
  function_end(&writer, graph);
}

typedef struct {
  rig_t rig;
  sli_thread_pool_t *pool;
  sli_function_library_t *library;
  sli_cancellation_t *cancellation;
} fixture_t;

static void fixture_initialize(fixture_t *fixture, void (*add)(sli_graph_t *graph)) {
  rig_initialize(&fixture->rig);
  add(fixture->rig.graph);
  fixture->pool = sli_thread_pool_create("test", 2, NULL);
  fixture->cancellation = sli_cancellation_create();
  sli_function_runtime_request_t request = {.functions = fixture->rig.graph->functions,
                                            .devices = &fixture->rig.devices,
                                            .optimizer = sli_optimize_options(NULL),
                                            .pool = fixture->pool};
  fixture->library = sli_function_runtime_create(&request);
}

static void fixture_deinitialize(fixture_t *fixture) {
  sli_object_release(fixture->library);
  sli_cancellation_release(fixture->cancellation);
  sli_thread_pool_destroy(fixture->pool);
  rig_deinitialize(&fixture->rig);
}

typedef struct {
  sli_event_t event;
  sli_status_t *status;
  sli_tensor_t *result;
} answer_t;

static void answered(void *context, sli_status_t *status, sli_tensor_t **results) {
  answer_t *answer = context;
  answer->status = status;
  if (!status) answer->result = results[0];
  sli_event_set(&answer->event);
}

static sli_status_t *call(fixture_t *fixture, sli_function_t *function, sli_tensor_t *argument, int *out_value) {
  answer_t answer = {0};
  sli_event_initialize(&answer.event);
  sli_function_call_t request = {.cancellation = fixture->cancellation,
                                 .deadline = SLI_CLOCK_NO_DEADLINE,
                                 .arguments = &argument,
                                 .may_block = true};
  sli_function_call(function, &request, answered, &answer);
  if (!sli_event_wait(&answer.event, sli_clock_now_nanos() + 60 * INT64_C(1000000000)))
    sli_test_fail(__FILE__, __LINE__, "the call hangs");
  sli_event_deinitialize(&answer.event);
  sli_tensor_release(argument);
  *out_value = INT32_MIN;
  if (answer.result)
    *out_value = answer.result->dtype == SLI_DTYPE_FLOAT ? (int)SLI_DATA(float, answer.result)[0]
                                                         : SLI_DATA(int32_t, answer.result)[0];
  sli_tensor_release(answer.result);
  return answer.status;
}

SLI_TEST(test_a_function_is_compiled_once_and_called_often) {
  fixture_t fixture;
  fixture_initialize(&fixture, add_square);
  sli_function_t *first, *second;
  sli_attr_func_t name = named("square");
  SLI_EXPECT_OK(sli_function_instantiate(fixture.library, &name, fixture.rig.device, &first));
  SLI_EXPECT_OK(sli_function_instantiate(fixture.library, &name, fixture.rig.device, &second));
  SLI_EXPECT_INT(first->argument_count, 1);
  SLI_EXPECT_INT(first->result_count, 1);
  SLI_EXPECT_INT(first->argument_types[0], SLI_DTYPE_INT32);
  SLI_EXPECT(first->argument_types == second->argument_types);
  sli_object_release(second);
  // The function keeps what it needs alive.
  sli_object_release(fixture.library);
  fixture.library = NULL;
  for (int i = 0; i < 5; i++) {
    int value;
    SLI_EXPECT_OK(call(&fixture, first, sli_tensor_scalar_int32(i), &value));
    SLI_EXPECT_INT(value, i * i + 1);
  }
  sli_object_release(first);
  fixture_deinitialize(&fixture);
}

static void add_generic(sli_graph_t *graph) {
  function_writer_t writer;
  function_begin(&writer, "twice");
  function_type_attr(&writer, "T");
  function_write_arg(&writer, SLI_FIELD_OP_DEF_INPUT_ARG, "x", SLI_DTYPE_INVALID, "T");
  function_node(&writer, "sum", "Add", "x x", FUNCTION_ATTRS(FUNCTION_PLACEHOLDER("T", "T")));
  function_write_arg(&writer, SLI_FIELD_OP_DEF_OUTPUT_ARG, "r", SLI_DTYPE_INVALID, "T");
  function_write_ret(&writer, SLI_FIELD_FUNCTION_DEF_RET, "r", "sum:z:0");
  function_end(&writer, graph);
}

SLI_TEST(test_attributes_choose_the_types) {
  fixture_t fixture;
  fixture_initialize(&fixture, add_generic);
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT);
  sli_attr_func_t name = {.name = sli_view("twice"), .attrs = &type, .attr_count = 1};
  sli_function_t *function;
  SLI_EXPECT_OK(sli_function_instantiate(fixture.library, &name, fixture.rig.device, &function));
  SLI_EXPECT_INT(function->result_types[0], SLI_DTYPE_FLOAT);
  int value;
  SLI_EXPECT_OK(call(&fixture, function, sli_tensor_scalar_float(2.5f), &value));
  SLI_EXPECT_INT(value, 5);
  expect_error(call(&fixture, function, sli_tensor_scalar_int32(2), &value), SLI_INVALID_ARGUMENT,
               "Expects arg[0] to be float but int32 is provided");
  sli_object_release(function);
  name.attr_count = 0;
  expect_error(sli_function_instantiate(fixture.library, &name, fixture.rig.device, &function), SLI_NOT_FOUND,
               "Attr T is not found from Op<name=twice;");
  name = named("thrice");
  expect_error(sli_function_instantiate(fixture.library, &name, fixture.rig.device, &function), SLI_NOT_FOUND,
               "Function thrice is not defined.");
  fixture_deinitialize(&fixture);
}

SLI_TEST(test_recursion_has_a_limit) {
  fixture_t fixture;
  fixture_initialize(&fixture, add_sum);
  sli_attr_func_t name = named("sum");
  sli_function_t *function;
  SLI_EXPECT_OK(sli_function_instantiate(fixture.library, &name, fixture.rig.device, &function));
  int value;
  SLI_EXPECT_OK(call(&fixture, function, sli_tensor_scalar_int32(10), &value));
  SLI_EXPECT_INT(value, 55);
  SLI_EXPECT_OK(call(&fixture, function, sli_tensor_scalar_int32(2000), &value));
  SLI_EXPECT_INT(value, 2001000);
  expect_error(call(&fixture, function, sli_tensor_scalar_int32(100000), &value), SLI_RESOURCE_EXHAUSTED,
               "nested more than 4096 deep");
  sli_object_release(function);
  fixture_deinitialize(&fixture);
}

// The same for floats: d sum(n) / dn is the number of calls.
static void add_float_sum(sli_graph_t *graph) {
  function_writer_t writer;
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT);
  function_begin(&writer, "sum");
  function_argument(&writer, "n", SLI_DTYPE_FLOAT);
  for (int i = 0; i < 2; i++) {
    sli_tensor_t *value = sli_tensor_scalar_float((float)i);
    function_node(&writer, i ? "one" : "zero", "Const", "",
                  FUNCTION_ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT), SLI_ATTR_TENSOR_OF("value", value)));
    sli_tensor_release(value);
  }
  function_node(&writer, "ends", "LessEqual", "n zero:output:0", &type, 1);
  function_node(&writer, "switch", "Switch", "n ends:z:0", &type, 1);
  function_node(&writer, "less", "Sub", "switch:output_false:0 one:output:0", &type, 1);
  function_node(&writer, "call", "sum", "less:z:0", NULL, 0);
  function_node(&writer, "more", "Add", "call:r:0 switch:output_false:0", &type, 1);
  function_node(&writer, "merge", "Merge", "more:z:0 switch:output_true:0",
                FUNCTION_ATTRS(type, SLI_ATTR_INT_OF("N", 2)));
  function_result(&writer, "r", SLI_DTYPE_FLOAT, "merge:output:0");
  function_end(&writer, graph);
}

SLI_TEST(test_recursion_is_differentiated) {
  fixture_t fixture;
  fixture_initialize(&fixture, add_float_sum);
  sli_attr_entry_t f = {"f", {.kind = SLI_ATTR_FUNC, .func = named("sum")}};
  sli_attr_func_t name = {sli_view("SymbolicGradient"), &f, 1};
  sli_function_t *gradient;
  SLI_EXPECT_OK(sli_function_instantiate(fixture.library, &name, fixture.rig.device, &gradient));
  SLI_EXPECT_INT(gradient->argument_count, 2);
  SLI_EXPECT_INT(gradient->result_count, 1);
  sli_tensor_t *arguments[] = {sli_tensor_scalar_float(3.5f), sli_tensor_scalar_float(1)};
  answer_t answer = {0};
  sli_event_initialize(&answer.event);
  sli_function_call_t request = {.cancellation = fixture.cancellation,
                                 .deadline = SLI_CLOCK_NO_DEADLINE,
                                 .arguments = arguments,
                                 .may_block = true};
  sli_function_call(gradient, &request, answered, &answer);
  SLI_EXPECT(sli_event_wait(&answer.event, sli_clock_now_nanos() + 60 * INT64_C(1000000000)));
  SLI_EXPECT_OK(answer.status);
  if (answer.result) SLI_EXPECT_NEAR(SLI_DATA(float, answer.result)[0], 5, 1e-6);
  sli_tensor_release(answer.result);
  sli_event_deinitialize(&answer.event);
  for (int i = 0; i < 2; i++) sli_tensor_release(arguments[i]);
  sli_object_release(gradient);
  fixture_deinitialize(&fixture);
}

SLI_TEST(test_an_error_leaves_the_cancellation_of_the_caller_alone) {
  fixture_t fixture;
  fixture_initialize(&fixture, add_square);
  sli_attr_func_t name = named("square");
  sli_function_t *function;
  int value;
  SLI_EXPECT_OK(sli_function_instantiate(fixture.library, &name, fixture.rig.device, &function));
  sli_status_t *status = call(&fixture, function, sli_tensor_scalar_float(1), &value);
  expect_error(status, SLI_INVALID_ARGUMENT, "arg[0]");
  SLI_EXPECT(!sli_cancellation_is_cancelled(fixture.cancellation));
  sli_cancellation_cancel(fixture.cancellation, sli_status_make(SLI_CANCELLED, "enough"));
  expect_error(call(&fixture, function, sli_tensor_scalar_int32(1), &value), SLI_CANCELLED, "enough");
  sli_object_release(function);
  fixture_deinitialize(&fixture);
}

// Instantiates, calls and releases, again and again.
static void *call_often(void *argument) {
  fixture_t *fixture = argument;
  sli_attr_func_t name = named("sum");
  for (int i = 0; i < 20; i++) {
    sli_function_t *function;
    int value;
    SLI_EXPECT_OK(sli_function_instantiate(fixture->library, &name, fixture->rig.device, &function));
    SLI_EXPECT_OK(call(fixture, function, sli_tensor_scalar_int32(100), &value));
    SLI_EXPECT_INT(value, 5050);
    sli_object_release(function);
  }
  return NULL;
}

SLI_TEST(test_threads_share_a_library) {
  fixture_t fixture;
  fixture_initialize(&fixture, add_sum);
  pthread_t threads[4];
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(threads); i++)
    SLI_CHECK(pthread_create(&threads[i], NULL, call_often, &fixture) == 0);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(threads); i++) pthread_join(threads[i], NULL);
  fixture_deinitialize(&fixture);
}

typedef struct {
  const char *op, *inputs, *result, *text;
} wrong_t;

SLI_TEST(test_wrong_bodies_are_refused) {
  static const wrong_t cases[] = {
      {"NoSuchOp", "x", "n:z:0", "Op type not registered 'NoSuchOp'"},
      {"Mul", "x y", "n:z:0", "input y is not found: {{node n}}"},
      {"Mul", "x n:z:0", "n:z:0", "1 nodes in a cycle"},
      {"Mul", "x x:1", "n:z:0", "input x:1 is not found"},
      {"Mul", "x", "n:z:0", "NodeDef expected inputs"},
      {"Mul", "x x", "n:z:1", "Return r -> n:z:1 is not found."},
      {"Mul", "x x", "m:z:0", "Return r -> m:z:0 is not found."},
      {"Less", "x x", "n:z:0", "Invalid ret types r : int32 vs. bool"},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    fixture_t fixture;
    fixture_initialize(&fixture, add_square);
    function_writer_t writer;
    function_begin(&writer, "wrong");
    function_argument(&writer, "x", SLI_DTYPE_INT32);
    function_node(&writer, "n", cases[i].op, cases[i].inputs, FUNCTION_ATTRS(INT_TYPE));
    function_result(&writer, "r", SLI_DTYPE_INT32, cases[i].result);
    function_end(&writer, fixture.rig.graph);
    sli_object_release(fixture.library);
    sli_function_runtime_request_t request = {.functions = fixture.rig.graph->functions,
                                              .devices = &fixture.rig.devices};
    fixture.library = sli_function_runtime_create(&request);
    sli_attr_func_t name = named("wrong");
    sli_function_t *function;
    sli_status_t *status = sli_function_instantiate(fixture.library, &name, fixture.rig.device, &function);
    expect_error(status, i == 0 ? SLI_NOT_FOUND : SLI_INVALID_ARGUMENT, cases[i].text);
    fixture_deinitialize(&fixture);
  }
}

SLI_TEST(test_another_function_of_the_same_name_is_refused) {
  sli_graph_t *graph = sli_graph_create();
  add_square(graph);
  add_square(graph);
  SLI_EXPECT_INT(sli_graph_function_count(graph), 1);
  function_writer_t writer;
  function_begin(&writer, "square");
  function_argument(&writer, "x", SLI_DTYPE_FLOAT);
  expect_error(function_try_end(&writer, graph), SLI_INVALID_ARGUMENT,
               "Cannot add function 'square' because a different function with the same name already exists.");
  function_begin(&writer, "MatMul");
  expect_error(function_try_end(&writer, graph), SLI_INVALID_ARGUMENT,
               "Cannot add function 'MatMul' because an op with the same name already exists.");
  SLI_EXPECT_INT(sli_graph_function_count(graph), 1);
  sli_graph_release(graph);
}

SLI_TEST_MAIN(test_a_function_is_compiled_once_and_called_often, test_attributes_choose_the_types,
              test_recursion_has_a_limit, test_recursion_is_differentiated,
              test_an_error_leaves_the_cancellation_of_the_caller_alone, test_threads_share_a_library,
              test_wrong_bodies_are_refused, test_another_function_of_the_same_name_is_refused)
