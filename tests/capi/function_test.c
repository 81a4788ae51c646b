// Functions through the C API: made of graphs, imported, copied into graphs, called, differentiated. Also runs against
// libtensorflow (tests/capi/capi.h).
#include "base/test.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"
#include "tests/capi/capi.h"

typedef struct {
  TF_Graph *graph;
  TF_Status *status;
} fixture_t;

static void set_up(fixture_t *f) {
  capi_load();
  f->graph = tf.NewGraph();
  f->status = tf.NewStatus();
}

static void tear_down(fixture_t *f) {
  tf.DeleteGraph(f->graph);
  tf.DeleteStatus(f->status);
}

// f(x, y) = (x + y) * y, as a function of the nodes of a graph of its own.
static TF_Function *make_function(const char *name, TF_Status *status) {
  TF_Graph *body = tf.NewGraph();
  TF_Output inputs[] = {capi_placeholder(body, "X", TF_FLOAT, status), capi_placeholder(body, "y", TF_FLOAT, status)};
  TF_Output sum = capi_binary(body, "AddV2", "sum", inputs[0], inputs[1], status);
  TF_Output product = capi_binary(body, "Mul", "product", sum, inputs[1], status);
  TF_Function *function =
      tf.GraphToFunction(body, name, 0, -1, NULL, 2, inputs, 1, &product, NULL, NULL, "A product.", status);
  tf.DeleteGraph(body);
  return function;
}

static float run_float(TF_Graph *graph, TF_Output fetch, TF_Status *status) {
  TF_Session *session = capi_session(graph, status);
  TF_Tensor *value = NULL;
  tf.SessionRun(session, NULL, NULL, NULL, 0, &fetch, &value, 1, NULL, 0, NULL, status);
  float result = value ? *(float *)tf.TensorData(value) : -1e30f;
  if (value) tf.DeleteTensor(value);
  TF_Status *ignored = tf.NewStatus();
  tf.CloseSession(session, ignored);
  tf.DeleteSession(session, ignored);
  tf.DeleteStatus(ignored);
  return result;
}

SLI_TEST(test_a_part_of_a_graph_becomes_a_function) {
  fixture_t f;
  set_up(&f);
  TF_Function *function = make_function("combine", f.status);
  REQUIRE_TF_OK(f.status);
  SLI_EXPECT_TEXT(tf.FunctionName(function), "combine");
  tf.GraphCopyFunction(f.graph, function, NULL, f.status);
  EXPECT_TF_OK(f.status);
  SLI_EXPECT_INT(tf.GraphNumFunctions(f.graph), 1);
  // A node called after the function.
  TF_Output x = capi_const(f.graph, "x", capi_float(3), f.status),
            y = capi_const(f.graph, "y", capi_float(2), f.status);
  TF_Output call = capi_binary(f.graph, "combine", "call", x, y, f.status);
  REQUIRE_TF_OK(f.status);
  SLI_EXPECT_NEAR(run_float(f.graph, call, f.status), 10, 1e-6);
  EXPECT_TF_OK(f.status);
  // PartitionedCall names it by an attribute.
  TF_OperationDescription *desc = tf.NewOperation(f.graph, "PartitionedCall", "partitioned");
  tf.AddInputList(desc, (TF_Output[]){x, y}, 2);
  tf.SetAttrTypeList(desc, "Tout", (TF_DataType[]){TF_FLOAT}, 1);
  tf.SetAttrFuncName(desc, "f", "combine", strlen("combine"));
  TF_Output partitioned = {tf.FinishOperation(desc, f.status), 0};
  REQUIRE_TF_OK(f.status);
  SLI_EXPECT_NEAR(run_float(f.graph, partitioned, f.status), 10, 1e-6);
  EXPECT_TF_OK(f.status);
  tf.DeleteFunction(function);
  tear_down(&f);
}

// The first field |number| of a message.
static sli_view_t field_of(sli_view_t bytes, uint32_t number) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == number && field.type == SLI_WIRE_BYTES) return field.bytes;
  return sli_view_of("", 0);
}

SLI_TEST(test_names_are_normalized_as_in_tensorflow) {
  fixture_t f;
  set_up(&f);
  TF_Function *function = make_function("combine", f.status);
  REQUIRE_TF_OK(f.status);
  TF_Buffer *buffer = tf.NewBuffer();
  tf.FunctionToFunctionDef(function, buffer, f.status);
  REQUIRE_TF_OK(f.status);
  sli_view_t def = sli_view_of(buffer->data, buffer->length);
  sli_view_t signature = field_of(def, SLI_FIELD_FUNCTION_DEF_SIGNATURE);
  sli_view_t input = field_of(signature, SLI_FIELD_OP_DEF_INPUT_ARG);
  SLI_EXPECT(sli_view_is(field_of(input, SLI_FIELD_OP_DEF_ARG_DEF_NAME), "x"));
  SLI_EXPECT(sli_view_is(field_of(field_of(signature, SLI_FIELD_OP_DEF_OUTPUT_ARG), SLI_FIELD_OP_DEF_ARG_DEF_NAME),
                         "product"));
  SLI_EXPECT(sli_view_is(field_of(signature, SLI_FIELD_OP_DEF_DESCRIPTION), "A product."));
  sli_view_t ret = field_of(def, SLI_FIELD_FUNCTION_DEF_RET);
  SLI_EXPECT(sli_view_is(field_of(ret, SLI_FIELD_FUNCTION_DEF_RET_ENTRY_VALUE), "product_0:z:0"));
  // Imported again, it is the same function.
  TF_Function *copy = tf.FunctionImportFunctionDef(buffer->data, buffer->length, f.status);
  REQUIRE_TF_OK(f.status);
  tf.GraphCopyFunction(f.graph, function, NULL, f.status);
  tf.GraphCopyFunction(f.graph, copy, NULL, f.status);
  EXPECT_TF_OK(f.status);
  SLI_EXPECT_INT(tf.GraphNumFunctions(f.graph), 1);
  TF_Function *held[4];
  SLI_EXPECT_INT(tf.GraphGetFunctions(f.graph, held, 4, f.status), 1);
  SLI_EXPECT_TEXT(tf.FunctionName(held[0]), "combine");
  tf.DeleteFunction(held[0]);
  tf.DeleteFunction(copy);
  tf.DeleteFunction(function);
  tf.DeleteBuffer(buffer);
  SLI_EXPECT(!tf.FunctionImportFunctionDef("\xff\xff", 2, f.status));
  EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT, "Invalid FunctionDef given to TF_FunctionImportFunctionDef");
  tear_down(&f);
}

SLI_TEST(test_wrong_bodies_are_refused) {
  fixture_t f;
  set_up(&f);
  TF_Output x = capi_placeholder(f.graph, "x", TF_FLOAT, f.status),
            y = capi_placeholder(f.graph, "y", TF_FLOAT, f.status);
  TF_Output sum = capi_binary(f.graph, "AddV2", "sum", x, y, f.status);
  REQUIRE_TF_OK(f.status);
  const TF_Operation *nodes[] = {sum.oper};
  SLI_EXPECT(!tf.GraphToFunction(f.graph, "f", 0, 1, nodes, 1, &x, 1, &sum, NULL, NULL, NULL, f.status));
  EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT,
                  "Input 1, 'y:0', of node 'sum' in function 'f' is not available. You might need to include it in "
                  "inputs or include its source node in the body");
  SLI_EXPECT(!tf.GraphToFunction(f.graph, "f", 0, 0, NULL, 1, &x, 1, &sum, NULL, NULL, NULL, f.status));
  EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT,
                  "TF_Output sum:0 is neither in the function body nor among function inputs");
  TF_Output twice[] = {x, x};
  SLI_EXPECT(!tf.GraphToFunction(f.graph, "f", 0, 1, nodes, 2, twice, 1, &sum, NULL, NULL, NULL, f.status));
  EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT, "TF_Output x:0 appears more than once in the input list");
  TF_Output both[] = {x, y}, wrong = {sum.oper, 3};
  SLI_EXPECT(!tf.GraphToFunction(f.graph, "f", 0, 1, nodes, 2, both, 1, &wrong, NULL, NULL, NULL, f.status));
  EXPECT_TF_ERROR(f.status, TF_OUT_OF_RANGE, "Node 'sum' (type: 'AddV2', num of outputs: 1) does not have output 3");
  const char *names[] = {"same", "same"};
  TF_Output results[] = {sum, sum};
  SLI_EXPECT(!tf.GraphToFunction(f.graph, "f", 0, 1, nodes, 2, both, 2, results, names, NULL, NULL, f.status));
  EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT,
                  "Cannot have duplicate output names. Name 'same' appears more than once in 'output_names' array.");
  tf.GraphCopyFunction(f.graph, NULL, NULL, f.status);
  EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT, "'func' argument to TF_GraphCopyFunction cannot be null");
  TF_Function *first = make_function("f", f.status);
  TF_Function *other =
      tf.GraphToFunction(f.graph, "f", 0, 1, nodes, 2, both, 1, &sum, (const char *[]){"s"}, NULL, NULL, f.status);
  EXPECT_TF_OK(f.status);
  tf.GraphCopyFunction(f.graph, first, NULL, f.status);
  EXPECT_TF_OK(f.status);
  tf.GraphCopyFunction(f.graph, other, NULL, f.status);
  EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT,
                  "Cannot add function 'f' because a different function with the same name already exists.");
  tf.DeleteFunction(first);
  tf.DeleteFunction(other);
  tear_down(&f);
}

SLI_TEST(test_control_outputs_run) {
  fixture_t f;
  set_up(&f);
  TF_Graph *body = tf.NewGraph();
  TF_Output x = capi_placeholder(body, "x", TF_FLOAT, f.status);
  TF_OperationDescription *desc = tf.NewOperation(body, "CheckNumerics", "check");
  tf.AddInput(desc, x);
  tf.SetAttrString(desc, "message", "checked", strlen("checked"));
  TF_Operation *check = tf.FinishOperation(desc, f.status);
  TF_Output same = capi_unary(body, "Identity", "same", x, f.status);
  REQUIRE_TF_OK(f.status);
  const TF_Operation *nodes[] = {check, same.oper}, *controls[] = {check};
  const char *names[] = {"out"}, *control_names[] = {"out"};
  TF_Function *function = tf.GraphToFunctionWithControlOutputs(body, "checked", 0, 2, nodes, 1, &x, 1, &same, names, 1,
                                                               controls, control_names, NULL, NULL, f.status);
  REQUIRE_TF_OK(f.status);
  tf.GraphCopyFunction(f.graph, function, NULL, f.status);
  for (int is_valid = 0; is_valid < 2; is_valid++) {
    TF_Output value =
        capi_const(f.graph, is_valid ? "good" : "nan", capi_float(is_valid ? 1.5f : (float)(0.0 / 0.0)), f.status);
    desc = tf.NewOperation(f.graph, "StatefulPartitionedCall", is_valid ? "call" : "call_nan");
    tf.AddInputList(desc, &value, 1);
    tf.SetAttrTypeList(desc, "Tout", (TF_DataType[]){TF_FLOAT}, 1);
    tf.SetAttrFuncName(desc, "f", "checked", strlen("checked"));
    TF_Output call = {tf.FinishOperation(desc, f.status), 0};
    REQUIRE_TF_OK(f.status);
    float result = run_float(f.graph, call, f.status);
    if (is_valid) {
      EXPECT_TF_OK(f.status);
      SLI_EXPECT_NEAR(result, 1.5, 1e-6);
    } else {
      EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT, "checked : Tensor had NaN values");
    }
  }
  tf.DeleteFunction(function);
  tf.DeleteGraph(body);
  tear_down(&f);
}

SLI_TEST(test_attributes_of_a_function) {
  fixture_t f;
  set_up(&f);
  TF_Function *function = make_function("f", f.status);
  static const char yes[] = {0x28, 0x01}, no[] = {0x28, 0x00};  // AttrValue.b
  tf.FunctionSetAttrValueProto(function, "_noinline", no, sizeof(no), f.status);
  tf.FunctionSetAttrValueProto(function, "_noinline", yes, sizeof(yes), f.status);
  EXPECT_TF_OK(f.status);
  TF_Buffer *buffer = tf.NewBuffer();
  tf.FunctionGetAttrValueProto(function, "_noinline", buffer, f.status);
  EXPECT_TF_OK(f.status);
  SLI_EXPECT(buffer->length == sizeof(yes) && !memcmp(buffer->data, yes, sizeof(yes)));
  tf.DeleteBuffer(buffer);
  buffer = tf.NewBuffer();
  tf.FunctionGetAttrValueProto(function, "missing", buffer, f.status);
  EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT, "Function 'f' has no attr named 'missing'.");
  tf.DeleteBuffer(buffer);
  tf.FunctionSetAttrValueProto(function, "_noinline", "\xff", 1, f.status);
  EXPECT_TF_ERROR(f.status, TF_INVALID_ARGUMENT, "Unparseable AttrValue proto passed to");
  // Not inlined, it runs as a call.
  tf.GraphCopyFunction(f.graph, function, NULL, f.status);
  TF_Output x = capi_const(f.graph, "x", capi_float(3), f.status),
            y = capi_const(f.graph, "y", capi_float(2), f.status);
  TF_Output call = capi_binary(f.graph, "f", "call", x, y, f.status);
  REQUIRE_TF_OK(f.status);
  SLI_EXPECT_NEAR(run_float(f.graph, call, f.status), 10, 1e-6);
  EXPECT_TF_OK(f.status);
  tf.DeleteFunction(function);
  tear_down(&f);
}

// d (x + y) * y / dx = y, / dy = x + 2 y.
SLI_TEST(test_a_call_is_differentiated) {
  fixture_t f;
  set_up(&f);
  TF_Function *function = make_function("f", f.status);
  tf.GraphCopyFunction(f.graph, function, NULL, f.status);
  TF_Output xs[] = {capi_const(f.graph, "x", capi_float(3), f.status),
                    capi_const(f.graph, "y", capi_float(2), f.status)};
  TF_OperationDescription *desc = tf.NewOperation(f.graph, "PartitionedCall", "call");
  tf.AddInputList(desc, xs, 2);
  tf.SetAttrTypeList(desc, "Tout", (TF_DataType[]){TF_FLOAT}, 1);
  tf.SetAttrFuncName(desc, "f", "f", 1);
  TF_Output call = {tf.FinishOperation(desc, f.status), 0}, gradients[2];
  REQUIRE_TF_OK(f.status);
  tf.AddGradients(f.graph, &call, 1, xs, 2, NULL, f.status, gradients);
  REQUIRE_TF_OK(f.status);
  SLI_EXPECT_NEAR(run_float(f.graph, gradients[0], f.status), 2, 1e-6);
  EXPECT_TF_OK(f.status);
  SLI_EXPECT_NEAR(run_float(f.graph, gradients[1], f.status), 7, 1e-6);
  EXPECT_TF_OK(f.status);
  // A node called after the function. TensorFlow's C library has no gradient for it.
  TF_Output named = capi_binary(f.graph, "f", "named", xs[0], xs[1], f.status);
  tf.AddGradients(f.graph, &named, 1, xs, 2, NULL, f.status, gradients);
  if (tf.is_sluice) {
    EXPECT_TF_OK(f.status);
    SLI_EXPECT_NEAR(run_float(f.graph, gradients[1], f.status), 7, 1e-6);
  }
  tf.DeleteFunction(function);
  tear_down(&f);
}

// The gradient of an If is that of the branch that runs. TensorFlow's C library has no gradient for it.
SLI_TEST(test_a_conditional_is_differentiated) {
  fixture_t f;
  set_up(&f);
  if (!tf.is_sluice) {
    tear_down(&f);
    return;
  }
  TF_Function *product = make_function("product", f.status);
  TF_Graph *body = tf.NewGraph();
  TF_Output inputs[] = {capi_placeholder(body, "a", TF_FLOAT, f.status),
                        capi_placeholder(body, "b", TF_FLOAT, f.status)};
  TF_Output difference = capi_binary(body, "Sub", "difference", inputs[0], inputs[1], f.status);
  TF_Function *less =
      tf.GraphToFunction(body, "less", 0, -1, NULL, 2, inputs, 1, &difference, NULL, NULL, NULL, f.status);
  tf.DeleteGraph(body);
  tf.GraphCopyFunction(f.graph, product, NULL, f.status);
  tf.GraphCopyFunction(f.graph, less, NULL, f.status);
  TF_Output xs[] = {capi_const(f.graph, "x", capi_float(3), f.status),
                    capi_const(f.graph, "y", capi_float(2), f.status)};
  for (int condition = 0; condition < 2; condition++) {
    TF_OperationDescription *desc = tf.NewOperation(f.graph, "StatelessIf", condition ? "then" : "else");
    tf.AddInput(desc, capi_const(f.graph, condition ? "one" : "zero", capi_int(condition), f.status));
    tf.AddInputList(desc, xs, 2);
    tf.SetAttrTypeList(desc, "Tout", (TF_DataType[]){TF_FLOAT}, 1);
    tf.SetAttrFuncName(desc, "then_branch", "product", strlen("product"));
    tf.SetAttrFuncName(desc, "else_branch", "less", strlen("less"));
    TF_Output chosen = {tf.FinishOperation(desc, f.status), 0}, gradients[2];
    REQUIRE_TF_OK(f.status);
    tf.AddGradients(f.graph, &chosen, 1, xs, 2, NULL, f.status, gradients);
    REQUIRE_TF_OK(f.status);
    SLI_EXPECT_NEAR(run_float(f.graph, chosen, f.status), condition ? 10 : 1, 1e-6);
    SLI_EXPECT_NEAR(run_float(f.graph, gradients[0], f.status), condition ? 2 : 1, 1e-6);
    SLI_EXPECT_NEAR(run_float(f.graph, gradients[1], f.status), condition ? 7 : -1, 1e-6);
    EXPECT_TF_OK(f.status);
  }
  tf.DeleteFunction(product);
  tf.DeleteFunction(less);
  tear_down(&f);
}

// f(x, s) = (reshape(x, s), x * x).
static TF_Function *make_reshape(TF_Status *status) {
  TF_Graph *body = tf.NewGraph();
  TF_Output inputs[] = {capi_placeholder(body, "x", TF_FLOAT, status), capi_placeholder(body, "s", TF_INT32, status)};
  TF_Output results[] = {capi_binary(body, "Reshape", "reshape", inputs[0], inputs[1], status),
                         capi_binary(body, "MatMul", "product", inputs[0], inputs[0], status)};
  TF_Function *function = tf.GraphToFunction(body, "f", 0, -1, NULL, 2, inputs, 2, results, NULL, NULL, NULL, status);
  tf.DeleteGraph(body);
  return function;
}

static TF_Output shaped_placeholder(TF_Graph *graph, const char *name, int64_t rows, int64_t columns,
                                    TF_Status *status) {
  TF_OperationDescription *desc = tf.NewOperation(graph, "Placeholder", name);
  tf.SetAttrType(desc, "dtype", TF_FLOAT);
  tf.SetAttrShape(desc, "shape", (int64_t[]){rows, columns}, 2);
  return (TF_Output){tf.FinishOperation(desc, status), 0};
}

// A PartitionedCall of f.
static TF_Operation *call_f(TF_Graph *graph, const char *name, TF_Output x, TF_Output s, bool is_disabled,
                            TF_Status *status) {
  TF_OperationDescription *desc = tf.NewOperation(graph, "PartitionedCall", name);
  tf.AddInputList(desc, (TF_Output[]){x, s}, 2);
  tf.SetAttrTypeList(desc, "Tout", (TF_DataType[]){TF_FLOAT, TF_FLOAT}, 2);
  tf.SetAttrFuncName(desc, "f", "f", 1);
  if (is_disabled) tf.SetAttrBool(desc, "_disable_call_shape_inference", 1);
  return tf.FinishOperation(desc, status);
}

static void expect_shape(TF_Graph *graph, TF_Operation *operation, int index, int rank, int64_t first, int64_t second,
                         TF_Status *status) {
  int64_t dims[2] = {-2, -2};
  TF_Output output = {operation, index};
  SLI_EXPECT_INT(tf.GraphGetTensorNumDims(graph, output, status), rank);
  if (rank == 2) {
    tf.GraphGetTensorShape(graph, output, dims, 2, status);
    SLI_EXPECT_INT(dims[0], first);
    SLI_EXPECT_INT(dims[1], second);
  }
  EXPECT_TF_OK(status);
}

SLI_TEST(test_shapes_pass_through_calls) {
  fixture_t f;
  set_up(&f);
  TF_Function *function = make_reshape(f.status);
  REQUIRE_TF_OK(f.status);
  tf.GraphCopyFunction(f.graph, function, NULL, f.status);
  REQUIRE_TF_OK(f.status);
  TF_Output square = shaped_placeholder(f.graph, "square", -1, 3, f.status),
            wide = shaped_placeholder(f.graph, "wide", 2, 6, f.status),
            shape = capi_placeholder(f.graph, "shape", TF_INT32, f.status),
            known = capi_const(f.graph, "known", capi_tensor(TF_INT32, (int64_t[]){2}, 1, (int32_t[]){3, 4}), f.status);
  // A value that is known outside is known in the body.
  TF_Operation *call = call_f(f.graph, "call", square, known, false, f.status);
  REQUIRE_TF_OK(f.status);
  expect_shape(f.graph, call, 0, 2, 3, 4, f.status);
  expect_shape(f.graph, call, 1, 2, -1, 3, f.status);
  call = call_f(f.graph, "call_1", square, shape, false, f.status);
  expect_shape(f.graph, call, 0, -1, 0, 0, f.status);
  expect_shape(f.graph, call, 1, 2, -1, 3, f.status);
  call = call_f(f.graph, "call_2", square, known, true, f.status);
  expect_shape(f.graph, call, 1, -1, 0, 0, f.status);
  // By the function's own name.
  TF_OperationDescription *desc = tf.NewOperation(f.graph, "f", "by_name");
  tf.AddInput(desc, square);
  tf.AddInput(desc, known);
  call = tf.FinishOperation(desc, f.status);
  REQUIRE_TF_OK(f.status);
  expect_shape(f.graph, call, 1, 2, -1, 3, f.status);
  // Wrong shapes fail where the call is added, with the node of the body.
  call_f(f.graph, "wrong", wide, known, false, f.status);
  SLI_EXPECT_INT(tf.GetCode(f.status), TF_INVALID_ARGUMENT);
  SLI_EXPECT_CONTAINS(tf.Message(f.status), "Dimensions must be equal, but are 6 and 2 for '{{node product");
  SLI_EXPECT_CONTAINS(tf.Message(f.status), "(x, x)' with input shapes: [2,6], [2,6].");
  tf.DeleteFunction(function);
  tear_down(&f);
}

SLI_TEST_MAIN(test_a_part_of_a_graph_becomes_a_function, test_names_are_normalized_as_in_tensorflow,
              test_wrong_bodies_are_refused, test_control_outputs_run, test_attributes_of_a_function,
              test_a_call_is_differentiated, test_a_conditional_is_differentiated, test_shapes_pass_through_calls)
