// TensorFlow's C API at run time: gradients, sessions, loops, SavedModels. The expected results are those of
// libtensorflow 2.15; with SLUICE_CAPI_LIBRARY this test runs against it.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "tests/capi/capi.h"

static void load_library(void) __attribute__((constructor));
static void load_library(void) { capi_load(); }

// Runs one fetch; 0 and a failed test if it fails.
static float fetch_float(TF_Session *session, TF_Output output, TF_Status *status) {
  TF_Tensor *value = NULL;
  tf.SessionRun(session, NULL, NULL, NULL, 0, &output, &value, 1, NULL, 0, NULL, status);
  EXPECT_TF_OK(status);
  float result = value ? *(float *)tf.TensorData(value) : 0;
  tf.DeleteTensor(value);
  return result;
}

// The same of a variable that a step under way initialises.
static float fetch_float_once_initialized(TF_Session *session, TF_Output variable, TF_Status *status) {
  for (int64_t deadline = sli_clock_deadline_after_millis(60000); sli_clock_now_nanos() < deadline; usleep(1000)) {
    TF_Tensor *value = NULL;
    tf.SessionRun(session, NULL, NULL, NULL, 0, &variable, &value, 1, NULL, 0, NULL, status);
    tf.DeleteTensor(value);
    if (tf.GetCode(status) != TF_FAILED_PRECONDITION) break;
  }
  return fetch_float(session, variable, status);
}

static void keep(void *data, size_t len, void *arg) {}  // the bytes are the test's

static void run_target(TF_Session *session, const TF_Operation *target, TF_Status *status) {
  tf.SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &target, 1, NULL, status);
}

static TF_Output variable(TF_Graph *graph, const char *name, int rank, const int64_t *dims, TF_Status *status) {
  TF_OperationDescription *desc = tf.NewOperation(graph, "VariableV2", name);
  tf.SetAttrType(desc, "dtype", TF_FLOAT);
  tf.SetAttrShape(desc, "shape", dims, rank);
  return (TF_Output){tf.FinishOperation(desc, status), 0};
}

// --- Runs --------------------------------------------------------------------

SLI_TEST(test_run_feeds_and_fetches) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output x = capi_placeholder(graph, "x", TF_FLOAT, status), c = capi_const(graph, "c", capi_float(3), status);
  TF_Output sum = capi_binary(graph, "Add", "sum", x, c, status),
            twice = capi_binary(graph, "Mul", "m", sum, sum, status);
  TF_Session *session = capi_session(graph, status);
  REQUIRE_TF_OK(status);
  for (int i = 0; i < 5; i++) {
    TF_Tensor *fed = capi_float((float)i), *values[2] = {NULL};
    TF_Output fetches[] = {sum, twice};
    tf.SessionRun(session, NULL, &x, &fed, 1, fetches, values, 2, NULL, 0, NULL, status);
    REQUIRE_TF_OK(status);
    SLI_EXPECT_NEAR(*(float *)tf.TensorData(values[0]), i + 3, 0);
    SLI_EXPECT_NEAR(*(float *)tf.TensorData(values[1]), (i + 3) * (i + 3), 0);
    for (int k = 0; k < 2; k++) tf.DeleteTensor(values[k]);
    tf.DeleteTensor(fed);
  }
  tf.DeleteGraph(graph);  // lives on until the session goes
  SLI_EXPECT_NEAR(fetch_float(session, c, status), 3, 0);
  tf.CloseSession(session, status);
  EXPECT_TF_OK(status);
  tf.DeleteSession(session, status);
  tf.DeleteStatus(status);
}

SLI_TEST(test_session_follows_its_graph) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Session *session = capi_session(graph, status);
  TF_Output last = capi_const(graph, "start", capi_float(1), status);
  for (int i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof(name), "add_%d", i);
    last = capi_binary(graph, "Add", name, last, last, status);
    SLI_EXPECT_NEAR(fetch_float(session, last, status), 2 << i, 0);
  }
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_variables_keep_their_values_between_runs) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output v = variable(graph, "v", 0, NULL, status), one = capi_const(graph, "one", capi_float(1), status);
  TF_Output init = capi_binary(graph, "Assign", "init", v, one, status);
  TF_Output step = capi_binary(graph, "AssignAdd", "step", v, one, status);
  SLI_EXPECT_INT(tf.OperationOutputType(v), TF_FLOAT + 100);
  TF_Session *session = capi_session(graph, status);
  REQUIRE_TF_OK(status);
  run_target(session, step.oper, status);
  EXPECT_TF_ERROR(status, TF_FAILED_PRECONDITION, "Attempting to use uninitialized value v");
  run_target(session, init.oper, status);
  for (int i = 0; i < 3; i++) run_target(session, step.oper, status);
  SLI_EXPECT_NEAR(fetch_float(session, v, status), 4, 0);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_string_tensors_pass_through) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output x = capi_placeholder(graph, "x", TF_STRING, status), same = capi_unary(graph, "Identity", "i", x, status);
  TF_Session *session = capi_session(graph, status);
  REQUIRE_TF_OK(status);
  int64_t dims[] = {2};
  TF_TString *texts = calloc(2, sizeof(*texts));
  const char *large = "a text that does not fit into the twenty-four bytes";
  for (int i = 0; i < 2; i++) tf.StringInit(&texts[i]);
  tf.StringCopy(&texts[0], "short", 5);
  tf.StringCopy(&texts[1], large, strlen(large));
  TF_Tensor *fed = tf.NewTensor(TF_STRING, dims, 1, texts, 2 * sizeof(*texts), keep, NULL), *value = NULL;
  SLI_REQUIRE(fed);
  tf.SessionRun(session, NULL, &x, &fed, 1, &same, &value, 1, NULL, 0, NULL, status);
  REQUIRE_TF_OK(status);
  const TF_TString *got = tf.TensorData(value);
  SLI_EXPECT_INT(tf.TensorByteSize(value), 48);
  SLI_EXPECT(tf.StringGetSize(&got[0]) == 5 && memcmp(tf.StringGetDataPointer(&got[0]), "short", 5) == 0);
  SLI_EXPECT(tf.StringGetSize(&got[1]) == strlen(large) &&
             memcmp(tf.StringGetDataPointer(&got[1]), large, strlen(large)) == 0);
  tf.DeleteTensor(value);
  tf.DeleteTensor(fed);
  for (int i = 0; i < 2; i++) tf.StringDealloc(&texts[i]);
  free(texts);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// The handle of an old TensorArray is a pair of strings, which anybody can make.
SLI_TEST(test_handle_of_no_tensor_array_is_not_found) {
  if (!tf.is_sluice) return;  // libtensorflow crashes
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output inputs[] = {capi_placeholder(graph, "x", TF_STRING, status),
                        capi_placeholder(graph, "flow", TF_FLOAT, status)};
  TF_OperationDescription *desc = tf.NewOperation(graph, "TensorArraySizeV2", "size");
  tf.AddInput(desc, inputs[0]);
  tf.AddInput(desc, inputs[1]);
  TF_Output size = {tf.FinishOperation(desc, status), 0};
  TF_Session *session = capi_session(graph, status);
  REQUIRE_TF_OK(status);
  TF_TString texts[2];
  for (int i = 0; i < 2; i++) {
    tf.StringInit(&texts[i]);
    tf.StringCopy(&texts[i], "a", 1);
  }
  TF_Tensor *fed[] = {tf.NewTensor(TF_STRING, (int64_t[]){2}, 1, texts, sizeof(texts), keep, NULL), capi_float(0)};
  TF_Tensor *value = NULL;
  tf.SessionRun(session, NULL, inputs, fed, 2, &size, &value, 1, NULL, 0, NULL, status);
  EXPECT_TF_ERROR(status, TF_NOT_FOUND, "does not exist");
  for (int i = 0; i < 2; i++) tf.DeleteTensor(fed[i]);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_run_errors) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output x = capi_placeholder(graph, "x", TF_FLOAT, status), y = capi_unary(graph, "Neg", "y", x, status);
  TF_Session *session = capi_session(graph, status);
  REQUIRE_TF_OK(status);
  TF_Tensor *value = (TF_Tensor *)1, *fed = capi_float(1), *wrong = capi_int(1), *pair[] = {fed, fed};
  tf.SessionRun(session, NULL, NULL, NULL, 0, &y, &value, 1, NULL, 0, NULL, status);
  SLI_EXPECT(!value);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "You must feed a value for placeholder tensor 'x' with dtype float");
  TF_Output none = {y.oper, 5}, two[] = {x, x};
  tf.SessionRun(session, NULL, &x, &fed, 1, &none, &value, 1, NULL, 0, NULL, status);
  EXPECT_TF_ERROR(status, TF_OUT_OF_RANGE, "Node 'y' (type: 'Neg', num of outputs: 1) does not have output 5");
  tf.SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Must specify at least one target to fetch or execute.");
  tf.SessionRun(session, NULL, &x, &wrong, 1, &y, &value, 1, NULL, 0, NULL, status);
  SLI_EXPECT_INT(tf.GetCode(status), TF_INVALID_ARGUMENT);
  tf.SessionRun(session, NULL, two, pair, 2, &y, &value, 1, NULL, 0, NULL, status);
  SLI_EXPECT_INT(tf.GetCode(status), TF_INVALID_ARGUMENT);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Endpoint \"x:0\" fed more than once.");
  TF_Buffer *garbage = tf.NewBufferFromString("\xff\xff", 2);
  tf.SessionRun(session, garbage, &x, &fed, 1, &y, &value, 1, NULL, 0, NULL, status);
  SLI_EXPECT_INT(tf.GetCode(status), TF_INVALID_ARGUMENT);
  tf.SessionRun(session, NULL, &x, &fed, 1, &y, &value, 1, NULL, 0, garbage, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Passing non-empty run_metadata is invalid.");
  tf.DeleteBuffer(garbage);
  tf.CloseSession(session, status);
  EXPECT_TF_OK(status);
  tf.SessionRun(session, NULL, &x, &fed, 1, &y, &value, 1, NULL, 0, NULL, status);
  EXPECT_TF_ERROR(status, TF_CANCELLED, "Session has been closed.");
  tf.DeleteSession(session, status);
  tf.DeleteTensor(fed);
  tf.DeleteTensor(wrong);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_session_options_are_checked) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_SessionOptions *options = tf.NewSessionOptions();
  tf.SetConfig(options, "\xff\xff", 2, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Unparseable ConfigProto");
  tf.SetConfig(options,
               "\x0a\x07\x0a\x03"
               "CPU\x10\x02",
               9, status);  // device_count { CPU: 2 }
  EXPECT_TF_OK(status);
  tf.SetTarget(options, "foo://bar");
  SLI_EXPECT(!tf.NewSession(graph, options, status));
  EXPECT_TF_ERROR(status, TF_NOT_FOUND,
                  "No session factory registered for the given session options: {target: \"foo://bar\"");
  tf.SetTarget(options, "");
  TF_Session *session = tf.NewSession(graph, options, status);
  REQUIRE_TF_OK(status);
  TF_DeviceList *devices = tf.SessionListDevices(session, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_INT(tf.DeviceListCount(devices), 2);
  bool found = false;
  for (int i = 0; i < tf.DeviceListCount(devices); i++) {
    found |= strcmp(tf.DeviceListName(devices, i, status), "/job:localhost/replica:0/task:0/device:CPU:1") == 0;
    SLI_EXPECT_TEXT(tf.DeviceListType(devices, i, status), "CPU");
    SLI_EXPECT(tf.DeviceListMemoryBytes(devices, i, status) > 0);
    SLI_EXPECT(tf.DeviceListIncarnation(devices, i, status) != 0);
  }
  SLI_EXPECT(found);
  SLI_EXPECT(!tf.DeviceListName(devices, 2, status));
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "index out of bounds");
  tf.DeleteDeviceList(devices);
  tf.DeleteSession(session, status);
  tf.DeleteSessionOptions(options);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_deprecated_session_runs_by_name) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output x = capi_placeholder(graph, "x", TF_FLOAT, status);
  capi_unary(graph, "Neg", "y", x, status);
  TF_Buffer *graph_def = tf.NewBuffer();
  tf.GraphToGraphDef(graph, graph_def, status);
  TF_SessionOptions *options = tf.NewSessionOptions();
  TF_DeprecatedSession *session = tf.NewDeprecatedSession(options, status);
  REQUIRE_TF_OK(status);
  tf.ExtendGraph(session, graph_def->data, graph_def->length, status);
  EXPECT_TF_OK(status);
  const char *feed = "x", *fetch = "y:0";
  TF_Tensor *fed = capi_float(4), *value = NULL;
  tf.Run(session, NULL, &feed, &fed, 1, &fetch, &value, 1, NULL, 0, NULL, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_NEAR(*(float *)tf.TensorData(value), -4, 0);
  tf.DeleteTensor(value);
  const char *unknown = "z:0", *beyond = "y:7";
  tf.Run(session, NULL, &feed, &fed, 1, &unknown, &value, 1, NULL, 0, NULL, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT,
                  "Tensor z:0, specified in either feed_devices or fetch_devices was not found in the Graph");
  tf.Run(session, NULL, &unknown, &fed, 1, &fetch, &value, 1, NULL, 0, NULL, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT,
                  "Tensor z:0, specified in either feed_devices or fetch_devices was not found in the Graph");
  tf.Run(session, NULL, &feed, &fed, 1, &beyond, &value, 1, NULL, 0, NULL, status);
  EXPECT_TF_ERROR(status, TF_OUT_OF_RANGE, "Node 'y' (type: 'Neg', num of outputs: 1) does not have output 7");
  tf.Run(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &unknown, 1, NULL, status);
  SLI_EXPECT_INT(tf.GetCode(status), TF_NOT_FOUND);
  tf.DeleteTensor(fed);
  tf.DeleteDeprecatedSession(session, status);
  session = tf.NewDeprecatedSession(options, status);
  tf.Run(session, NULL, NULL, NULL, 0, &fetch, &value, 1, NULL, 0, NULL, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Session was not created with a graph before Run()!");
  tf.DeleteDeprecatedSession(session, status);
  tf.DeleteSessionOptions(options);
  tf.DeleteBuffer(graph_def);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// Several threads run one session while another adds operations and runs them.
typedef struct {
  TF_Graph *graph;
  TF_Session *session;
  TF_Output output;
  atomic_int failures;
} shared_t;

static void *run_again_and_again(void *context) {
  shared_t *shared = context;
  TF_Status *status = tf.NewStatus();
  for (int i = 0; i < 200; i++) {
    TF_Tensor *value = NULL;
    tf.SessionRun(shared->session, NULL, NULL, NULL, 0, &shared->output, &value, 1, NULL, 0, NULL, status);
    if (tf.GetCode(status) || *(float *)tf.TensorData(value) != 3) atomic_fetch_add(&shared->failures, 1);
    tf.DeleteTensor(value);
  }
  tf.DeleteStatus(status);
  return NULL;
}

static void *add_and_run(void *context) {
  shared_t *shared = context;
  TF_Status *status = tf.NewStatus();
  for (int i = 0; i < 50; i++) {
    char name[16];
    snprintf(name, sizeof(name), "new_%d", i);
    TF_Output output = capi_unary(shared->graph, "Neg", name, shared->output, status);
    if (tf.GetCode(status) || fetch_float(shared->session, output, status) != -3)
      atomic_fetch_add(&shared->failures, 1);
  }
  tf.DeleteStatus(status);
  return NULL;
}

SLI_TEST(test_threads_share_a_session_while_the_graph_grows) {
  TF_Status *status = tf.NewStatus();
  shared_t shared = {.graph = tf.NewGraph()};
  TF_Output one = capi_const(shared.graph, "one", capi_float(1), status);
  TF_Output two = capi_const(shared.graph, "two", capi_float(2), status);
  shared.output = capi_binary(shared.graph, "Add", "sum", one, two, status);
  shared.session = capi_session(shared.graph, status);
  REQUIRE_TF_OK(status);
  pthread_t threads[3];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run_again_and_again, &shared);
  pthread_create(&threads[2], NULL, add_and_run, &shared);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  SLI_EXPECT_INT(atomic_load(&shared.failures), 0);
  tf.DeleteSession(shared.session, status);
  tf.DeleteGraph(shared.graph);
  tf.DeleteStatus(status);
}

// --- Gradients ---------------------------------------------------------------

// loss = sum(relu(x w1 + b1) w2), with its inputs as feeds.
typedef struct {
  TF_Graph *graph;
  TF_Output feeds[4];  // x [2,3], w1 [3,4], b1 [4], w2 [4,1]
  TF_Output loss;
} network_t;

static network_t make_network(TF_Status *status) {
  network_t n = {.graph = tf.NewGraph()};
  static const char *const names[] = {"x", "w1", "b1", "w2"};
  for (int i = 0; i < 4; i++) n.feeds[i] = capi_placeholder(n.graph, names[i], TF_FLOAT, status);
  TF_Output product = capi_binary(n.graph, "MatMul", "product", n.feeds[0], n.feeds[1], status);
  TF_Output hidden = capi_unary(n.graph, "Relu", "hidden",
                                capi_binary(n.graph, "BiasAdd", "biased", product, n.feeds[2], status), status);
  TF_Output out = capi_binary(n.graph, "MatMul", "out", hidden, n.feeds[3], status);
  int32_t both[] = {0, 1};
  TF_Output axes = capi_const(n.graph, "axes", capi_tensor(TF_INT32, (int64_t[]){2}, 1, both), status);
  n.loss = capi_binary(n.graph, "Sum", "loss", out, axes, status);
  return n;
}

static void fill_network(TF_Tensor **values) {
  static const int64_t dims[][2] = {{2, 3}, {3, 4}, {4, 0}, {4, 1}};
  static const int ranks[] = {2, 2, 1, 2}, counts[] = {6, 12, 4, 4};
  for (int i = 0; i < 4; i++) {
    values[i] = tf.AllocateTensor(TF_FLOAT, dims[i], ranks[i], (size_t)counts[i] * sizeof(float));
    for (int k = 0; k < counts[i]; k++)
      ((float *)tf.TensorData(values[i]))[k] = (float)((k * 7 + i * 3) % 11 - 4) / 4 + 0.07f;  // no kink of Relu near
  }
}

static double loss_at(TF_Session *session, const network_t *n, TF_Tensor **values, TF_Status *status) {
  TF_Tensor *loss = NULL;
  tf.SessionRun(session, NULL, n->feeds, values, 4, &n->loss, &loss, 1, NULL, 0, NULL, status);
  EXPECT_TF_OK(status);
  double result = loss ? *(float *)tf.TensorData(loss) : 0;
  tf.DeleteTensor(loss);
  return result;
}

SLI_TEST(test_gradients_of_a_network_match_finite_differences) {
  TF_Status *status = tf.NewStatus();
  network_t n = make_network(status);
  REQUIRE_TF_OK(status);
  TF_Output gradients[4];
  tf.AddGradients(n.graph, &n.loss, 1, n.feeds, 4, NULL, status, gradients);
  REQUIRE_TF_OK(status);
  SLI_EXPECT(strncmp(tf.OperationName(gradients[0].oper), "gradients/", 10) == 0);
  TF_Session *session = capi_session(n.graph, status);
  TF_Tensor *values[4], *got[4] = {NULL};
  fill_network(values);
  tf.SessionRun(session, NULL, n.feeds, values, 4, gradients, got, 4, NULL, 0, NULL, status);
  REQUIRE_TF_OK(status);
  for (int i = 0; i < 4; i++) {
    SLI_REQUIRE(tf.TensorElementCount(got[i]) == tf.TensorElementCount(values[i]));
    for (int64_t k = 0; k < tf.TensorElementCount(values[i]); k++) {
      float *at = &((float *)tf.TensorData(values[i]))[k], before = *at;
      *at = before + 1.0f / 64;
      double above = loss_at(session, &n, values, status);
      *at = before - 1.0f / 64;
      double below = loss_at(session, &n, values, status);
      *at = before;
      SLI_EXPECT_NEAR(((float *)tf.TensorData(got[i]))[k], (above - below) * 32, 2e-2);
    }
  }
  for (int i = 0; i < 4; i++) {
    tf.DeleteTensor(got[i]);
    tf.DeleteTensor(values[i]);
  }
  tf.DeleteSession(session, status);
  tf.DeleteGraph(n.graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_gradients_of_gather_are_dense) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  float rows[] = {1, 2, 3, 4, 5, 6};
  int32_t indices[] = {2, 0, 2};
  TF_Output table = capi_const(graph, "table", capi_tensor(TF_FLOAT, (int64_t[]){3, 2}, 2, rows), status);
  TF_Output ids = capi_const(graph, "ids", capi_tensor(TF_INT32, (int64_t[]){3}, 1, indices), status);
  TF_OperationDescription *desc = tf.NewOperation(graph, "GatherV2", "rows");
  tf.AddInput(desc, table);
  tf.AddInput(desc, ids);
  tf.AddInput(desc, capi_const(graph, "axis", capi_int(0), status));
  TF_Output gathered = {tf.FinishOperation(desc, status), 0}, gradient;
  REQUIRE_TF_OK(status);
  tf.AddGradientsWithPrefix(graph, "grad", &gathered, 1, &table, 1, NULL, status, &gradient);
  REQUIRE_TF_OK(status);
  TF_Session *session = capi_session(graph, status);
  TF_Tensor *value = NULL;
  tf.SessionRun(session, NULL, NULL, NULL, 0, &gradient, &value, 1, NULL, 0, NULL, status);
  REQUIRE_TF_OK(status);
  static const float wanted[] = {1, 1, 0, 0, 2, 2};
  SLI_EXPECT_INT(tf.TensorElementCount(value), 6);
  SLI_EXPECT(memcmp(tf.TensorData(value), wanted, sizeof(wanted)) == 0);
  tf.DeleteTensor(value);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_gradient_errors_and_prefixes) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output x = capi_placeholder(graph, "x", TF_FLOAT, status),
            other = capi_placeholder(graph, "other", TF_FLOAT, status);
  TF_Output y = capi_unary(graph, "Square", "y", x, status), flat = capi_unary(graph, "Floor", "flat", x, status);
  TF_Output dx = {NULL, 0}, seed = capi_const(graph, "seed", capi_float(10), status);
  tf.AddGradients(graph, &y, 1, &other, 1, NULL, status, &dx);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT,
                  "Cannot compute the partial derivative for node 'other' as it's unreachable");
  tf.AddGradientsWithPrefix(graph, "x", &y, 1, &x, 1, NULL, status, &dx);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "prefix [x] conflicts with existing node in the graph named [x]");
  tf.AddGradients(graph, &flat, 1, &x, 1, NULL, status, &dx);
  EXPECT_TF_OK(status);
  SLI_EXPECT(!dx.oper);
  tf.AddGradientsWithPrefix(graph, "mine", &y, 1, &x, 1, &seed, status, &dx);
  REQUIRE_TF_OK(status);
  SLI_EXPECT(strncmp(tf.OperationName(dx.oper), "mine/", 5) == 0);
  TF_Session *session = capi_session(graph, status);
  TF_Tensor *fed = capi_float(3), *value = NULL;
  tf.SessionRun(session, NULL, &x, &fed, 1, &dx, &value, 1, NULL, 0, NULL, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_NEAR(*(float *)tf.TensorData(value), 60, 1e-5);
  tf.DeleteTensor(value);
  tf.DeleteTensor(fed);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// --- Loops -------------------------------------------------------------------

// i, v = 1, 5; while (i < 10) i, v = i + 1, v
static TF_WhileParams start_loop(TF_Graph *graph, TF_Output *inputs, TF_Status *status) {
  inputs[0] = capi_const(graph, "a", capi_int(1), status);
  inputs[1] = capi_const(graph, "b", capi_int(5), status);
  TF_WhileParams loop = tf.NewWhile(graph, inputs, 2, status);
  EXPECT_TF_OK(status);
  TF_Output ten = capi_const(loop.cond_graph, "ten", capi_int(10), status);
  loop.cond_output = capi_binary(loop.cond_graph, "Less", "less", loop.cond_inputs[0], ten, status);
  TF_Output one = capi_const(loop.body_graph, "one", capi_int(1), status);
  loop.body_outputs[0] = capi_binary(loop.body_graph, "Add", "add", loop.body_inputs[0], one, status);
  loop.body_outputs[1] = loop.body_inputs[1];
  loop.name = "loop";
  EXPECT_TF_OK(status);
  return loop;
}

SLI_TEST(test_while_loop_is_built_and_runs) {
  static const char *const wanted[] = {"a",
                                       "b",
                                       "loop/Enter",
                                       "loop/Enter_1",
                                       "loop/Merge",
                                       "loop/Merge_1",
                                       "loop/cond/ten",
                                       "loop/cond/less",
                                       "loop/LoopCond",
                                       "loop/Switch",
                                       "loop/Switch_1",
                                       "loop/body/one",
                                       "loop/body/add",
                                       "loop/NextIteration",
                                       "loop/NextIteration_1",
                                       "loop/Exit",
                                       "loop/Exit_1"};
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output inputs[2], outputs[2];
  TF_WhileParams loop = start_loop(graph, inputs, status);
  tf.FinishWhile(&loop, status, outputs);
  REQUIRE_TF_OK(status);
  size_t position = 0, count = 0;
  for (TF_Operation *op; (op = tf.GraphNextOperation(graph, &position)); count++)
    if (count < sizeof(wanted) / sizeof(wanted[0])) SLI_EXPECT_TEXT(tf.OperationName(op), wanted[count]);
  SLI_EXPECT_INT(count, sizeof(wanted) / sizeof(wanted[0]));
  SLI_EXPECT_TEXT(tf.OperationName(outputs[1].oper), "loop/Exit_1");
  TF_Operation *merge = tf.GraphOperationByName(graph, "loop/Merge"), *pivot = NULL;
  SLI_REQUIRE(merge);
  SLI_EXPECT_TEXT(tf.OperationName(tf.OperationInput((TF_Input){merge, 1}).oper), "loop/NextIteration");
  tf.OperationGetControlInputs(tf.GraphOperationByName(graph, "loop/body/one"), &pivot, 1);
  SLI_REQUIRE(pivot);
  SLI_EXPECT_TEXT(tf.OperationName(pivot), "loop/Switch");
  TF_Session *session = capi_session(graph, status);
  TF_Tensor *values[2] = {NULL};
  tf.SessionRun(session, NULL, NULL, NULL, 0, outputs, values, 2, NULL, 0, NULL, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_INT(*(int32_t *)tf.TensorData(values[0]), 10);
  SLI_EXPECT_INT(*(int32_t *)tf.TensorData(values[1]), 5);
  for (int i = 0; i < 2; i++) tf.DeleteTensor(values[i]);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// The loop keeps its thread busy: the step itself must look at the clock.
SLI_TEST(test_endless_loop_ends_at_its_deadline) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output inputs[2], outputs[2];
  TF_WhileParams loop = start_loop(graph, inputs, status);
  loop.body_outputs[0] = loop.body_inputs[0];
  tf.FinishWhile(&loop, status, outputs);
  REQUIRE_TF_OK(status);
  TF_Session *session = capi_session(graph, status);
  TF_Buffer *timeout = tf.NewBufferFromString("\x10\x64", 2);  // RunOptions.timeout_in_ms: 100
  TF_Tensor *value = NULL;
  tf.SessionRun(session, timeout, NULL, NULL, 0, outputs, &value, 1, NULL, 0, NULL, status);
  SLI_EXPECT_INT(tf.GetCode(status), TF_DEADLINE_EXCEEDED);
  SLI_EXPECT_CONTAINS(tf.Message(status), "Timed out waiting for notification");
  SLI_EXPECT(!value);
  tf.DeleteBuffer(timeout);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_while_loop_mistakes_leave_the_graph_alone) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output inputs[2], outputs[2];
  tf.NewWhile(graph, NULL, 0, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "TF_NewWhile() must be passed at least one input");
  TF_WhileParams loop = start_loop(graph, inputs, status);
  loop.cond_output = (TF_Output){NULL, 0};
  tf.FinishWhile(&loop, status, outputs);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "TF_WhileParams `cond_output` field isn't set");
  TF_WhileParams second = tf.NewWhile(graph, inputs, 2, status);
  second.cond_output = second.cond_inputs[0];
  for (int i = 0; i < 2; i++) second.body_outputs[i] = second.body_inputs[i];
  second.name = "loop";
  tf.FinishWhile(&second, status, outputs);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT,
                  "BuildWhileLoop: 'cond' argument must return a boolean output, got int32");
  TF_WhileParams third = tf.NewWhile(graph, inputs, 1, status);
  tf.AbortWhile(&third);
  // libtensorflow leaves the operations that it made before it failed.
  if (tf.is_sluice) {
    size_t position = 0, count = 0;
    while (tf.GraphNextOperation(graph, &position)) count++;
    SLI_EXPECT_INT(count, 2);
  }
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// --- Changes and partial runs ------------------------------------------------

SLI_TEST(test_update_edge) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output one = capi_const(graph, "one", capi_float(1), status),
            two = capi_const(graph, "two", capi_float(2), status);
  TF_Output y = capi_unary(graph, "Neg", "y", one, status);
  tf.UpdateEdge(graph, (TF_Output){two.oper, 9}, (TF_Input){y.oper, 0}, status);
  EXPECT_TF_ERROR(status, TF_OUT_OF_RANGE,
                  "Cannot update edge. Output index [9] is greater than the number of total outputs [1].");
  tf.UpdateEdge(graph, two, (TF_Input){y.oper, 3}, status);
  EXPECT_TF_ERROR(status, TF_OUT_OF_RANGE,
                  "Cannot update edge. Input index [3] is greater than the number of total inputs [1].");
  tf.UpdateEdge(graph, two, (TF_Input){y.oper, 0}, status);
  EXPECT_TF_OK(status);
  TF_Session *session = capi_session(graph, status);
  SLI_EXPECT_NEAR(fetch_float(session, y, status), -2, 0);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// One part of a partial run: feeds |x| if |value| is not NAN, fetches |y| if it has a node; its value.
static float run_part(TF_Session *session, const char *handle, TF_Output x, float value, TF_Output y,
                      TF_Status *status) {
  TF_Tensor *fed = isnan(value) ? NULL : capi_float(value), *fetched = NULL;
  tf.SessionPRun(session, handle, &x, &fed, fed != NULL, &y, &fetched, y.oper != NULL, NULL, 0, status);
  float result = fetched ? *(float *)tf.TensorData(fetched) : NAN;
  tf.DeleteTensor(fed);
  tf.DeleteTensor(fetched);
  return result;
}

SLI_TEST(test_partial_run_errors_leave_it_as_it_was) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output a = capi_placeholder(graph, "a", TF_FLOAT, status), b = capi_placeholder(graph, "b", TF_FLOAT, status);
  TF_Output c = capi_placeholder(graph, "c", TF_FLOAT, status), none = {0};
  TF_Output sum = capi_binary(graph, "AddV2", "sum", a, b, status);
  TF_Output product = capi_binary(graph, "Mul", "product", sum, c, status);
  TF_Session *session = capi_session(graph, status);
  TF_Output feeds[] = {a, b, c}, fetches[] = {sum, product};
  const char *handle = NULL, *other = NULL;
  tf.SessionPRunSetup(session, feeds, 3, NULL, 0, NULL, 0, &handle, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Must specify at least one target to fetch or execute.");
  tf.SessionPRunSetup(session, feeds, 3, feeds, 1, NULL, 0, &handle, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "a:0 is both fed and fetched.");
  tf.SessionPRunSetup(session, feeds, 3, fetches, 2, NULL, 0, &handle, status);
  REQUIRE_TF_OK(status);
  run_part(session, "nope", a, 1, none, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Must run 'setup' before performing partial runs!");
  run_part(session, handle, sum, 1, none, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "The feed sum:0 was not specified in partial_run_setup.");
  run_part(session, handle, a, 1, sum, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Fetch b:0 can't be computed from the feeds that have been fed so far.");
  run_part(session, handle, a, 1, none, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT_NEAR(run_part(session, handle, b, 2, sum, status), 3, 0);
  run_part(session, handle, a, 1, none, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "The feed a:0 has already been fed.");
  run_part(session, handle, c, 5, sum, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "The fetch sum:0 has already been fetched.");
  // Several at the same time are independent.
  tf.SessionPRunSetup(session, feeds, 3, fetches, 2, NULL, 0, &other, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_NEAR(run_part(session, handle, c, 5, product, status), 15, 0);
  run_part(session, handle, c, 5, product, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Must run 'setup' before performing partial runs!");
  run_part(session, other, a, 7, none, status);
  EXPECT_TF_OK(status);
  // One that is left unfinished goes with the session.
  tf.CloseSession(session, status);
  run_part(session, other, b, 1, none, status);
  EXPECT_TF_ERROR(status, TF_CANCELLED, "Session has been closed.");
  tf.DeletePRunHandle(handle);
  tf.DeletePRunHandle(other);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// The parts' own failure ends the step; targets run as soon as they can.
SLI_TEST(test_partial_run_runs_targets_and_reports_failures) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output a = capi_placeholder(graph, "a", TF_FLOAT, status), b = capi_placeholder(graph, "b", TF_FLOAT, status);
  TF_OperationDescription *description = tf.NewOperation(graph, "CheckNumerics", "checked");
  tf.AddInput(description, a);
  tf.SetAttrString(description, "message", "bad", 3);
  TF_Output checked = {tf.FinishOperation(description, status), 0}, feeds[] = {a, b};
  TF_Output negative = capi_unary(graph, "Neg", "negative", b, status), fetches[] = {checked, negative}, none = {0};
  TF_Output v = variable(graph, "v", 0, NULL, status), assign = capi_binary(graph, "Assign", "assign", v, a, status);
  TF_Session *session = capi_session(graph, status);
  REQUIRE_TF_OK(status);
  const char *handle = NULL;
  const TF_Operation *target = assign.oper;
  tf.SessionPRunSetup(session, feeds, 2, fetches + 1, 1, &target, 1, &handle, status);
  REQUIRE_TF_OK(status);
  run_part(session, handle, a, 42, none, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT_NEAR(fetch_float_once_initialized(session, v, status), 42, 0);  // a part waits for its fetches only
  SLI_EXPECT_NEAR(run_part(session, handle, b, 1, negative, status), -1, 0);
  EXPECT_TF_OK(status);
  tf.DeletePRunHandle(handle);
  tf.SessionPRunSetup(session, feeds, 2, fetches, 2, NULL, 0, &handle, status);
  REQUIRE_TF_OK(status);
  run_part(session, handle, a, INFINITY, checked, status);
  SLI_EXPECT_INT(tf.GetCode(status), TF_INVALID_ARGUMENT);
  SLI_EXPECT_CONTAINS(tf.Message(status), "bad : Tensor had Inf values");
  run_part(session, handle, b, 1, negative, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Must run 'setup' before performing partial runs!");
  tf.DeletePRunHandle(handle);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_partial_run_goes_on_where_it_stopped) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output a = capi_placeholder(graph, "a", TF_FLOAT, status), b = capi_placeholder(graph, "b", TF_FLOAT, status);
  TF_Output first = capi_unary(graph, "Neg", "first", a, status);
  TF_Output second = capi_binary(graph, "Mul", "second", first, b, status);
  TF_Session *session = capi_session(graph, status);
  REQUIRE_TF_OK(status);
  TF_Output feeds[] = {a, b}, fetches[] = {first, second};
  const char *handle = NULL;
  tf.SessionPRunSetup(session, feeds, 2, fetches, 2, NULL, 0, &handle, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_NEAR(run_part(session, handle, a, 3, first, status), -3, 0);
  EXPECT_TF_OK(status);
  SLI_EXPECT_NEAR(run_part(session, handle, b, 3, second, status), -9, 0);
  EXPECT_TF_OK(status);
  tf.DeletePRunHandle(handle);
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// --- SavedModels -------------------------------------------------------------

// A little writer of messages: fields that hold bytes.
typedef struct {
  char bytes[8192];
  size_t size;
} message_t;

static void put_varint(message_t *message, uint64_t value) {
  for (; value >= 0x80; value >>= 7) message->bytes[message->size++] = (char)(value | 0x80);
  message->bytes[message->size++] = (char)value;
}

static void put(message_t *message, int field, const void *data, size_t size) {
  put_varint(message, (uint64_t)field << 3 | 2);
  put_varint(message, size);
  memcpy(message->bytes + message->size, data, size);
  message->size += size;
}

static TF_Output string_const(TF_Graph *graph, const char *name, const char *text, bool is_vector, TF_Status *status) {
  int64_t one[] = {1};
  TF_Tensor *tensor = tf.AllocateTensor(TF_STRING, one, is_vector, sizeof(TF_TString));
  TF_TString *element = tf.TensorData(tensor);
  tf.StringInit(element);
  tf.StringCopy(element, text, strlen(text));
  return capi_const(graph, name, tensor, status);
}

// A graph with a variable, v, and what a saver adds: returns its GraphDef, with the checkpoint written to |prefix|.
static TF_Buffer *save_model(const char *prefix, TF_Status *status) {
  TF_Graph *graph = tf.NewGraph();
  int64_t dims[] = {2};
  float values[] = {1.5f, -2};
  TF_Output v = variable(graph, "v", 1, dims, status);
  TF_Output init = capi_binary(graph, "Assign", "init", v,
                               capi_const(graph, "value", capi_tensor(TF_FLOAT, dims, 1, values), status), status);
  TF_Output filename = string_const(graph, "filename/default", "model", false, status);
  TF_OperationDescription *desc = tf.NewOperation(graph, "PlaceholderWithDefault", "filename");
  tf.AddInput(desc, filename);
  tf.SetAttrShape(desc, "shape", NULL, 0);
  filename = (TF_Output){tf.FinishOperation(desc, status), 0};
  TF_Output names = string_const(graph, "names", "v", true, status),
            slices = string_const(graph, "slices", "", true, status);
  desc = tf.NewOperation(graph, "SaveV2", "save");
  tf.AddInput(desc, filename);
  tf.AddInput(desc, names);
  tf.AddInput(desc, slices);
  tf.AddInputList(desc, &v, 1);
  TF_Operation *save = tf.FinishOperation(desc, status);
  desc = tf.NewOperation(graph, "RestoreV2", "read");
  tf.AddInput(desc, filename);
  tf.AddInput(desc, names);
  tf.AddInput(desc, slices);
  tf.SetAttrTypeList(desc, "dtypes", (TF_DataType[]){TF_FLOAT}, 1);
  TF_Output read = {tf.FinishOperation(desc, status), 0};
  capi_binary(graph, "Assign", "restore", v, read, status);
  EXPECT_TF_OK(status);
  TF_Session *session = capi_session(graph, status);
  run_target(session, init.oper, status);
  EXPECT_TF_OK(status);
  TF_TString text;
  tf.StringInit(&text);
  tf.StringCopy(&text, prefix, strlen(prefix));
  TF_Tensor *fed = tf.NewTensor(TF_STRING, NULL, 0, &text, sizeof(text), keep, NULL);
  const TF_Operation *target = save;
  tf.SessionRun(session, NULL, &filename, &fed, 1, NULL, NULL, 0, &target, 1, NULL, status);
  EXPECT_TF_OK(status);
  tf.DeleteTensor(fed);
  tf.StringDealloc(&text);
  tf.DeleteSession(session, status);
  TF_Buffer *graph_def = tf.NewBuffer();
  tf.GraphToGraphDef(graph, graph_def, status);
  tf.DeleteGraph(graph);
  return graph_def;
}

static void write_model(const char *directory, const TF_Buffer *graph_def) {
  static message_t info, saver, meta, model;
  info.size = saver.size = meta.size = model.size = 0;
  put(&info, 4, "serve", 5);
  put(&saver, 1, "filename:0", 10);
  put(&saver, 3, "restore", 7);
  put_varint(&saver, 7 << 3);  // version: V2
  put_varint(&saver, 2);
  put(&meta, 1, info.bytes, info.size);
  put(&meta, 2, graph_def->data, graph_def->length);
  put(&meta, 3, saver.bytes, saver.size);
  put(&model, 2, meta.bytes, meta.size);
  char path[512];
  snprintf(path, sizeof(path), "%s/saved_model.pb", directory);
  FILE *file = fopen(path, "wb");
  SLI_REQUIRE(file);
  SLI_EXPECT_INT(fwrite(model.bytes, 1, model.size, file), model.size);
  fclose(file);
}

SLI_TEST(test_saved_model_loads_graph_and_variables) {
  TF_Status *status = tf.NewStatus();
  char directory[256], variables[300], prefix[320];
  snprintf(directory, sizeof(directory), "%s/model", sli_test_temporary_dir());
  snprintf(variables, sizeof(variables), "%s/variables", directory);
  snprintf(prefix, sizeof(prefix), "%s/variables", variables);
  mkdir(directory, 0700);
  mkdir(variables, 0700);
  TF_Buffer *graph_def = save_model(prefix, status), *meta = tf.NewBuffer();
  REQUIRE_TF_OK(status);
  write_model(directory, graph_def);
  TF_SessionOptions *options = tf.NewSessionOptions();
  TF_Graph *graph = tf.NewGraph();
  const char *serve = "serve", *train = "train";
  SLI_EXPECT(!tf.LoadSessionFromSavedModel(options, NULL, directory, &train, 1, graph, NULL, status));
  EXPECT_TF_ERROR(status, TF_NOT_FOUND, "Could not find meta graph def matching supplied tags: { train }");
  SLI_EXPECT(!tf.LoadSessionFromSavedModel(options, NULL, "/nonexistent", &serve, 1, graph, NULL, status));
  EXPECT_TF_ERROR(status, TF_NOT_FOUND,
                  "Could not find SavedModel .pb or .pbtxt at supplied export directory path: /nonexistent.");
  TF_Session *session = tf.LoadSessionFromSavedModel(options, NULL, directory, &serve, 1, graph, meta, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT(meta->length > graph_def->length);
  TF_Output v = {tf.GraphOperationByName(graph, "v"), 0};
  SLI_REQUIRE(v.oper);
  TF_Output negated = capi_unary(graph, "Neg", "negated", v, status);
  TF_Tensor *value = NULL;
  tf.SessionRun(session, NULL, NULL, NULL, 0, &negated, &value, 1, NULL, 0, NULL, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_NEAR(((float *)tf.TensorData(value))[0], -1.5, 0);
  SLI_EXPECT_NEAR(((float *)tf.TensorData(value))[1], 2, 0);
  tf.DeleteTensor(value);
  SLI_EXPECT(!tf.LoadSessionFromSavedModel(options, NULL, directory, &serve, 1, graph, NULL, status));
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Graph is non-empty.");
  tf.DeleteSession(session, status);
  tf.DeleteGraph(graph);
  tf.DeleteSessionOptions(options);
  tf.DeleteBuffer(meta);
  tf.DeleteBuffer(graph_def);
  tf.DeleteStatus(status);
}

SLI_TEST_MAIN(test_run_feeds_and_fetches, test_session_follows_its_graph, test_variables_keep_their_values_between_runs,
              test_string_tensors_pass_through, test_handle_of_no_tensor_array_is_not_found, test_run_errors,
              test_session_options_are_checked, test_deprecated_session_runs_by_name,
              test_threads_share_a_session_while_the_graph_grows, test_gradients_of_a_network_match_finite_differences,
              test_gradients_of_gather_are_dense, test_gradient_errors_and_prefixes, test_while_loop_is_built_and_runs,
              test_endless_loop_ends_at_its_deadline, test_while_loop_mistakes_leave_the_graph_alone, test_update_edge,
              test_partial_run_goes_on_where_it_stopped, test_partial_run_errors_leave_it_as_it_was,
              test_partial_run_runs_targets_and_reports_failures, test_saved_model_loads_graph_and_variables)
