// Functions whose bodies are on several tasks; calls that stay calls, recursive ones too; and RemoteCall.
#include <stdlib.h>

#include "base/test.h"
#include "graph/function/testing.h"
#include "tests/life/life.h"

#define PS "/job:ps/task:0"
#define WORKER "/job:worker/task:1"

typedef struct {
  life_cluster_t cluster;
  TF_Graph *graph;
  TF_Status *status;
} fixture_t;

static bool set_up(fixture_t *f) {
  *f = (fixture_t){.graph = TF_NewGraph(), .status = TF_NewStatus()};
  life_add(&f->cluster, "worker", 0);
  life_add(&f->cluster, "worker", 1);
  life_add(&f->cluster, "ps", 0);
  bool ok = true;
  for (int i = 0; i < f->cluster.count; i++) ok &= life_start(&f->cluster, i, NULL);
  return ok;
}

static void tear_down(fixture_t *f) {
  TF_DeleteGraph(f->graph);
  TF_DeleteStatus(f->status);
  life_stop(&f->cluster);
}

// spread(x) = (x + x on the ps) * x on the other worker.
static void add_spread(fixture_t *f) {
  TF_Graph *body = TF_NewGraph();
  TF_OperationDescription *placeholder = life_op(body, "Placeholder", "x", NULL, NULL, 0);
  TF_SetAttrType(placeholder, "dtype", TF_FLOAT);
  TF_Output x = life_finish(placeholder);
  TF_Output sum = life_finish(life_op(body, "AddV2", "sum", PS, (TF_Output[]){x, x}, 2));
  TF_Output product = life_finish(life_op(body, "Mul", "product", WORKER, (TF_Output[]){sum, x}, 2));
  TF_Function *function =
      TF_GraphToFunction(body, "spread", 0, -1, NULL, 1, &x, 1, &product, NULL, NULL, NULL, f->status);
  LIFE_EXPECT_OK(f->status);
  TF_GraphCopyFunction(f->graph, function, NULL, f->status);
  LIFE_EXPECT_OK(f->status);
  TF_DeleteFunction(function);
  TF_DeleteGraph(body);
}

static TF_Output add_call(fixture_t *f, const char *op, const char *name, const TF_Output *inputs, int count,
                          const char *function) {
  TF_OperationDescription *call = life_op(f->graph, op, name, NULL, NULL, 0);
  if (!strcmp(op, "RemoteCall")) {
    TF_AddInput(call, inputs[0]);
    TF_AddInputList(call, inputs + 1, count - 1);
  } else {
    TF_AddInputList(call, inputs, count);
  }
  TF_SetAttrTypeList(call, "Tout", (TF_DataType[]){TF_FLOAT}, 1);
  TF_SetAttrFuncName(call, "f", function, strlen(function));
  return life_finish(call);
}

SLI_TEST(test_a_body_spans_tasks) {
  fixture_t f;
  SLI_REQUIRE(set_up(&f));
  add_spread(&f);
  TF_Output x = life_constant(f.graph, "x", NULL, 3);
  TF_Output call = add_call(&f, "PartitionedCall", "call", &x, 1, "spread");
  TF_Output again = add_call(&f, "StatefulPartitionedCall", "again", &call, 1, "spread");
  TF_Session *session = life_session(f.graph, life_target(&f.cluster, 0), NULL, 0);
  SLI_REQUIRE(session);
  SLI_EXPECT_NEAR(life_run(session, &call, NULL, f.status), 18, 1e-6);
  LIFE_EXPECT_OK(f.status);
  SLI_EXPECT_NEAR(life_run(session, &again, NULL, f.status), 648, 1e-3);
  LIFE_EXPECT_OK(f.status);
  life_close(session);
  tear_down(&f);
}

static TF_Output text_constant(TF_Graph *graph, const char *name, const char *value, TF_Status *status) {
  TF_TString text;
  TF_StringInit(&text);
  TF_StringCopy(&text, value, strlen(value));
  TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(text));
  memcpy(TF_TensorData(tensor), &text, sizeof(text));
  TF_OperationDescription *description = life_op(graph, "Const", name, NULL, NULL, 0);
  TF_SetAttrType(description, "dtype", TF_STRING);
  TF_SetAttrTensor(description, "value", tensor, status);
  LIFE_EXPECT_OK(status);
  TF_DeleteTensor(tensor);
  return life_finish(description);
}

// twice(x) = x + x.
static void add_twice(fixture_t *f) {
  sli_graph_t *library = sli_graph_create();
  function_writer_t writer;
  function_begin(&writer, "twice");
  function_argument(&writer, "x", SLI_DTYPE_FLOAT);
  function_node(&writer, "sum", "Add", "x x", FUNCTION_ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT)));
  function_result(&writer, "r", SLI_DTYPE_FLOAT, "sum:z:0");
  function_end(&writer, library);
  sli_view_t bytes = library->functions->items.items[0]->bytes;
  TF_Function *function = TF_FunctionImportFunctionDef(bytes.data, bytes.size, f->status);
  TF_GraphCopyFunction(f->graph, function, NULL, f->status);
  LIFE_EXPECT_OK(f->status);
  TF_DeleteFunction(function);
  sli_graph_release(library);
}

SLI_TEST(test_a_remote_call_runs_on_another_task) {
  fixture_t f;
  SLI_REQUIRE(set_up(&f));
  add_twice(&f);
  TF_Output inputs[] = {text_constant(f.graph, "target", PS "/device:CPU:0", f.status),
                        life_constant(f.graph, "x", NULL, 3)};
  TF_Output call = add_call(&f, "RemoteCall", "call", inputs, 2, "twice");
  TF_Session *session = life_session(f.graph, life_target(&f.cluster, 0), NULL, 0);
  SLI_REQUIRE(session);
  SLI_EXPECT_NEAR(life_run(session, &call, NULL, f.status), 6, 1e-6);
  LIFE_EXPECT_OK(f.status);
  life_close(session);
  tear_down(&f);
}

// sum(n) = n <= 0 ? 0 : n + sum(n - 1), which is never inlined whole.
static void add_sum(fixture_t *f) {
  sli_graph_t *library = sli_graph_create();
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
  function_end(&writer, library);
  sli_view_t bytes = library->functions->items.items[0]->bytes;
  TF_Function *function = TF_FunctionImportFunctionDef(bytes.data, bytes.size, f->status);
  TF_GraphCopyFunction(f->graph, function, NULL, f->status);
  LIFE_EXPECT_OK(f->status);
  TF_DeleteFunction(function);
  sli_graph_release(library);
}

SLI_TEST(test_recursion_runs_where_it_is_placed) {
  fixture_t f;
  SLI_REQUIRE(set_up(&f));
  add_sum(&f);
  TF_Output n = life_constant(f.graph, "n", NULL, 100), much = life_constant(f.graph, "much", NULL, 1e9f);
  TF_Output call = life_finish(life_op(f.graph, "sum", "call", PS, &n, 1));
  TF_Output endless = life_finish(life_op(f.graph, "sum", "endless", PS, &much, 1));
  TF_Session *session = life_session(f.graph, life_target(&f.cluster, 0), NULL, 0);
  SLI_REQUIRE(session);
  SLI_EXPECT_NEAR(life_run(session, &call, NULL, f.status), 5050, 1e-3);
  LIFE_EXPECT_OK(f.status);
  life_run(session, &endless, NULL, f.status);
  SLI_EXPECT_INT(TF_GetCode(f.status), TF_RESOURCE_EXHAUSTED);
  SLI_EXPECT_CONTAINS(TF_Message(f.status), "is there a recursion that does not end?");
  // The server goes on.
  SLI_EXPECT_NEAR(life_run(session, &call, NULL, f.status), 5050, 1e-3);
  LIFE_EXPECT_OK(f.status);
  life_close(session);
  tear_down(&f);
}

SLI_TEST_MAIN(test_a_body_spans_tasks, test_a_remote_call_runs_on_another_task, test_recursion_runs_where_it_is_placed)
