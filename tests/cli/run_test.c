// `sluice run`: a graph in this process and on a server, with JSON values and .npy files.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/test.h"
#include "tensorflow/c/c_api.h"
#include "tests/life/life.h"
#include "tests/support/tool.h"

#define GRAPH tool_scratch("graph.pb")

// Writes the graph and releases both.
static void save_graph(TF_Graph *graph, TF_Status *status, const char *path) {
  TF_Buffer *def = TF_NewBuffer();
  TF_GraphToGraphDef(graph, def, status);
  tool_write_file(path, def->data, def->length);
  TF_DeleteBuffer(def);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
}

// x (float, of any rows of two) times v, a variable; s (string) twice; n (int64) as it is.
static void write_graph(const char *path) {
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  int64_t dims[] = {-1, 2}, square[] = {2, 2};
  TF_OperationDescription *d = TF_NewOperation(graph, "Placeholder", "x");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", dims, 2);
  TF_Output x = {TF_FinishOperation(d, status), 0};
  d = TF_NewOperation(graph, "VariableV2", "v");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", square, 2);
  TF_Output v = {TF_FinishOperation(d, status), 0};
  TF_Tensor *start = TF_AllocateTensor(TF_FLOAT, square, 2, 16);
  memcpy(TF_TensorData(start), (float[]){1, 2, 3, 4}, 16);
  d = TF_NewOperation(graph, "Const", "start");
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrTensor(d, "value", start, status);
  TF_Output c = {TF_FinishOperation(d, status), 0};
  TF_DeleteTensor(start);
  d = TF_NewOperation(graph, "Assign", "init");
  TF_AddInput(d, v);
  TF_AddInput(d, c);
  TF_FinishOperation(d, status);
  d = TF_NewOperation(graph, "MatMul", "y");
  TF_AddInput(d, x);
  TF_AddInput(d, v);
  TF_FinishOperation(d, status);
  d = TF_NewOperation(graph, "Placeholder", "s");
  TF_SetAttrType(d, "dtype", TF_STRING);
  TF_Output s = {TF_FinishOperation(d, status), 0};
  d = TF_NewOperation(graph, "StringJoin", "twice");
  TF_AddInputList(d, (TF_Output[]){s, s}, 2);
  TF_FinishOperation(d, status);
  d = TF_NewOperation(graph, "Placeholder", "n");
  TF_SetAttrType(d, "dtype", TF_INT64);
  TF_FinishOperation(d, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  save_graph(graph, status, path);
}

static void expect_output(const tool_run_t *run, int code, const char *out, const char *err) {
  SLI_EXPECT_INT(run->code, code);
  SLI_EXPECT_TEXT(run->out, out);
  SLI_EXPECT_CONTAINS(run->err, err);
}

SLI_TEST(test_run_takes_literals_and_prints_results) {
  write_graph(GRAPH);
  static const struct {
    const char *feed, *fetch, *out;
  } cases[] = {
      {"x=[[1, 2]]", "y", "[[ 7. 10.]]\n"},
      {"x:0=[[1, 0], [0, 1]]", "y:0", "[[1. 2.]\n [3. 4.]]\n"},
      {"x=[]", "x", "[]\n"},
      {"s=ab", "twice", "b'abab'\n"},
      {"s=\"a b\"", "twice", "b'a ba b'\n"},
      {"n=-9007199254740993", "n", "-9007199254740993\n"},
      {"n=[[1, 2], [3, 4]]", "n", "[[1 2]\n [3 4]]\n"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    tool_run_t run;
    TOOL_RUN(&run, "run", GRAPH, "--init", "init", "--feed", cases[i].feed, "--fetch", cases[i].fetch);
    expect_output(&run, 0, cases[i].out, "");
    tool_run_release(&run);
  }
  tool_run_t run;
  TOOL_RUN(&run, "run", GRAPH, "--feed=n=1", "--feed=s=x", "--fetch=n", "--fetch=twice");
  expect_output(&run, 0, "n = 1\ntwice = b'xx'\n", "");
  tool_run_release(&run);
}

// What NumPy writes, in every order and type.
static void write_npy_of_shape(const char *path, const char *descr, bool fortran, const char *shape, const void *data,
                               size_t size) {
  sli_string_t file = {0}, header = {0};
  sli_string_append_format(&header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
                           fortran ? "True" : "False", shape);
  while ((header.size + 11) % 64) sli_string_append_char(&header, ' ');
  sli_string_append_char(&header, '\n');
  sli_string_append(&file, "\x93NUMPY\1\0", 8);
  sli_string_append_char(&file, (char)header.size);
  sli_string_append_char(&file, (char)(header.size >> 8));
  sli_string_append(&file, header.data, header.size);
  sli_string_append(&file, data, size);
  tool_write_file(path, file.data, file.size);
  sli_string_deinitialize(&header);
  sli_string_deinitialize(&file);
}

static void write_npy(const char *path, const char *descr, bool fortran, const void *data, size_t size) {
  write_npy_of_shape(path, descr, fortran, "(2, 3)", data, size);
}

SLI_TEST(test_run_reads_and_writes_npy) {
  write_graph(GRAPH);
  char *feed = sli_format("n=@%s", tool_scratch("in.npy")), *fetch = sli_format("n=@%s", tool_scratch("out.npy"));
  static const struct {
    const char *descr;
    bool fortran;
    int64_t values[6];
  } cases[] = {{"<i8", false, {1, 2, 3, 4, 5, 6}},
               {"<i8", true, {1, 4, 2, 5, 3, 6}},
               {">i8", false, {1LL << 56, 2LL << 56, 3LL << 56, 4LL << 56, 5LL << 56, 6LL << 56}}};
  for (size_t i = 0; i < 3; i++) {
    write_npy(tool_scratch("in.npy"), cases[i].descr, cases[i].fortran, cases[i].values, 48);
    tool_run_t run;
    TOOL_RUN(&run, "run", GRAPH, "--feed", feed, "--fetch", "n", "--fetch", fetch);
    expect_output(&run, 0, "n = [[1 2 3]\n [4 5 6]]\n", "");
    tool_run_release(&run);
    sli_string_t file = tool_read_file(tool_scratch("out.npy"));
    SLI_REQUIRE(file.size == 128 + 48);
    SLI_EXPECT_CONTAINS(file.data + 10, "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }");
    SLI_EXPECT(!memcmp(file.data + 128, cases[0].values, 48));
    sli_string_deinitialize(&file);
  }
  write_npy(tool_scratch("in.npy"), "<i8", false, cases[0].values, 47);
  tool_run_t run;
  TOOL_RUN(&run, "run", GRAPH, "--feed", feed, "--fetch", "n");
  expect_output(&run, 1, "", "47 bytes of elements, but its type and shape need 48");
  tool_run_release(&run);
  write_npy(tool_scratch("in.npy"), "|O", false, cases[0].values, 48);
  TOOL_RUN(&run, "run", GRAPH, "--feed", feed, "--fetch", "n");
  expect_output(&run, 1, "", "of a type that has no tensor");
  tool_run_release(&run);
  write_npy_of_shape(tool_scratch("in.npy"), "|S0", false, "(1000000000000,)", "", 0);
  TOOL_RUN(&run, "run", GRAPH, "--feed", feed, "--fetch", "n");
  expect_output(&run, 1, "", "an array of empty strings may have at most 1048576 elements, got 1000000000000");
  tool_run_release(&run);
  free(feed);
  free(fetch);
}

SLI_TEST(test_run_says_what_is_wrong) {
  write_graph(GRAPH);
  static const struct {
    const char *words[6];
    int code;
    const char *err;
  } cases[] = {
      {{"GRAPH"}, 2, "nothing to run"},
      {{"GRAPH", "--fetch", "nope"}, 1, "no operation 'nope'"},
      {{"GRAPH", "--fetch", "y:1"}, 1, "'y:1' is not one of them"},
      {{"GRAPH", "--fetch", "y"}, 1, "placeholder"},
      {{"GRAPH", "--feed", "x", "--fetch", "y"}, 1, "NAME=VALUE"},
      {{"GRAPH", "--feed", "z=1", "--fetch", "y"}, 1, "--feed: the graph has no operation 'z'; 'sluice inspect"},
      {{"GRAPH", "--feed", "twise:0=a", "--fetch", "y"}, 1, "no operation 'twise'; did you mean 'twice'?"},
      {{"GRAPH", "--feed", "X=[[1, 2]]", "--fetch", "y"}, 1, "no operation 'X'; did you mean 'x'?"},
      {{"GRAPH", "--init", "inti", "--fetch", "y"},
       1,
       "--init: the graph has no operation 'inti'; did you mean 'init'"},
      {{"GRAPH", "--feed", "x=[[1, 2], [3]]", "--fetch", "y"},
       1,
       "--feed x: the rows differ in length: [1] has length 1, but the first one has length 2"},
      {{"GRAPH", "--feed", "n=[[[1], [2]], [[3], 4]]", "--fetch", "n"},
       1,
       "--feed n: the rows differ in length: [1][1] is 4, but the first one is a list of 1"},
      {{"GRAPH", "--feed", "n=[1, [2, 3]]", "--fetch", "n"},
       1,
       "--feed n: the rows differ in length: [1] is a list of 2, but the first one is a single element"},
      {{"GRAPH", "--feed", "x=[[1, 2], [3, \"4\"]]", "--fetch", "y"},
       1,
       "--feed x: [1][1] is \"4\", which is not a value of type float32"},
      {{"GRAPH", "--feed", "n=1.5", "--fetch", "n"},
       1,
       "--feed n: the value is 1.5, which is not a value of type int64"},
      {{"GRAPH", "--feed", "x=one", "--fetch", "y"}, 1, "neither @FILE.npy nor JSON"},
      {{"GRAPH", "--feed", "x=@/nonexistent.npy", "--fetch", "y"}, 1, "/nonexistent.npy"},
      {{"/nonexistent", "--fetch", "y"}, 1, "/nonexistent"},
      {{"GRAPH", "--target=grpc://127.0.0.1:1", "--timeout=1", "--fetch", "y"}, 128, "127.0.0.1:1"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char *words[8] = {"run"};
    memcpy(words + 1, cases[i].words, sizeof(cases[i].words));
    if (!strcmp(words[1], "GRAPH")) words[1] = GRAPH;
    tool_run_t run;
    tool_run(&run, -1, words);
    expect_output(&run, cases[i].code, "", cases[i].err);
    tool_run_release(&run);
  }
}

// As write_graph, but v is on the ps and is read on the worker.
static void write_split_graph(const char *path) {
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Operation *assign;
  TF_Output v = life_variable(graph, "v", "/job:ps/task:0", 3, &assign);
  life_finish(life_op(graph, "Square", "y", "/job:worker/task:0", &v, 1));
  save_graph(graph, status, path);
}

SLI_TEST(test_run_on_a_cluster_and_trace_it) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL) || !life_start(&cluster, 1, NULL)) return life_stop(&cluster);
  write_split_graph(GRAPH);
  const char *target = life_target(&cluster, 1);
  tool_run_t run;
  TOOL_RUN(&run, "run", GRAPH, "--target", target, "--init", "v/assign");
  expect_output(&run, 0, "", "");
  tool_run_release(&run);
  // The variable stays on the ps; its value travels.
  TOOL_RUN(&run, "run", GRAPH, "--target", target, "--fetch", "y", "--trace", tool_scratch("trace.json"));
  expect_output(&run, 0, "9.\n", "");
  tool_run_release(&run);
  sli_string_t text = tool_read_file(tool_scratch("trace.json"));
  json_t *report = json_loadb(text.data, text.size, 0, NULL), *event;
  bool squared = false, read = false;
  long long bytes = 0;
  size_t i;
  json_array_foreach(json_object_get(report, "traceEvents"), i, event) {
    json_t *args = json_object_get(event, "args");
    const char *name = json_string_value(json_object_get(event, "name"));
    const char *device = json_string_value(json_object_get(args, "name"));
    squared |= name && !strcmp(name, "Square") && json_integer_value(json_object_get(event, "ts")) >= 0;
    read |= device && !strcmp(device, "/job:ps/replica:0/task:0/device:CPU:0");
    bytes += json_integer_value(json_object_get(args, "bytes"));
  }
  SLI_EXPECT(squared && read);
  SLI_EXPECT_INT(bytes, 4);
  json_decref(report);
  sli_string_deinitialize(&text);
  life_stop(&cluster);
}

SLI_TEST(test_run_says_for_whom_it_waits) {
  write_graph(GRAPH);
  char *target = sli_format("grpc://localhost:%d", sli_test_free_port());
  tool_run_t run;
  TOOL_RUN(&run, "run", GRAPH, "--target", target, "--timeout=4", "--feed", "n=3", "--fetch", "n");
  SLI_EXPECT_INT(run.code, 128);
  char *waiting = sli_format("CreateSession still waiting for %s: failed to connect to", target + strlen("grpc://"));
  char *ended = sli_format("CreateSession waited 4 s for %s: failed to connect to", target + strlen("grpc://"));
  SLI_EXPECT_CONTAINS(run.err, waiting);
  SLI_EXPECT_CONTAINS(run.err, ended);
  SLI_EXPECT_CONTAINS(run.err, "Connection refused");
  tool_run_release(&run);
  free(waiting);
  free(ended);
  free(target);
}

SLI_TEST_MAIN(test_run_says_for_whom_it_waits, test_run_takes_literals_and_prints_results,
              test_run_reads_and_writes_npy, test_run_says_what_is_wrong, test_run_on_a_cluster_and_trace_it)
