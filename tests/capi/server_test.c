// A server and its clients through TensorFlow's C API, in one process. The expected results are those of libtensorflow
// 2.15; with SLUICE_CAPI_LIBRARY this test runs against it.
#include <pthread.h>

#include "base/test.h"
#include "tests/capi/capi.h"

static void load_library(void) __attribute__((constructor));
static void load_library(void) { capi_load(); }

static size_t put(char *message, size_t size, int field, const void *data, size_t length) {
  message[size++] = (char)(field << 3 | 2);
  message[size++] = (char)length;
  memcpy(message + size, data, length);
  return size + length;
}

// ServerDef { cluster { job { name: "local" tasks { 0: "localhost:port" } } } job_name: "local" protocol: "grpc" }
static size_t server_def(int port, char *message) {
  char address[64], task[96], job[128], cluster[160];
  int length = snprintf(address, sizeof(address), "localhost:%d", port);
  memcpy(task, "\x08\x00", 2);
  size_t task_size = put(task, 2, 2, address, (size_t)length);
  size_t job_size = put(job, put(job, 0, 1, "local", 5), 2, task, task_size);
  size_t cluster_size = put(cluster, 0, 1, job, job_size);
  size_t size = put(message, 0, 1, cluster, cluster_size);
  size = put(message, size, 2, "local", 5);
  return put(message, size, 5, "grpc", 4);
}

SLI_TEST(test_server_definitions_are_checked) {
  TF_Status *status = tf.NewStatus();
  SLI_EXPECT(!tf.NewServer("\xff\xff", 2, status));
  SLI_EXPECT_INT(tf.GetCode(status), TF_INVALID_ARGUMENT);
  SLI_EXPECT(!tf.NewServer("", 0, status));
  SLI_EXPECT(tf.GetCode(status) != TF_OK);
  tf.DeleteStatus(status);
}

static void *join_server(void *server) {
  TF_Status *status = tf.NewStatus();
  tf.ServerJoin(server, status);
  tf.DeleteStatus(status);
  return NULL;
}

SLI_TEST(test_sessions_on_a_server_share_their_variables) {
  TF_Status *status = tf.NewStatus();
  char def[256];
  int port = sli_test_free_port();
  size_t size = server_def(port, def);
  TF_Server *server = tf.NewServer(def, size, status);
  REQUIRE_TF_OK(status);
  tf.ServerStart(server, status);
  REQUIRE_TF_OK(status);
  char target[64];
  snprintf(target, sizeof(target), "grpc://localhost:%d", port);
  SLI_EXPECT_TEXT(tf.ServerTarget(server), target);

  TF_Graph *graph = tf.NewGraph();
  TF_OperationDescription *desc = tf.NewOperation(graph, "VariableV2", "v");
  tf.SetAttrType(desc, "dtype", TF_FLOAT);
  tf.SetAttrShape(desc, "shape", NULL, 0);
  TF_Output v = {tf.FinishOperation(desc, status), 0}, x = capi_placeholder(graph, "x", TF_FLOAT, status);
  TF_Output assign = capi_binary(graph, "Assign", "assign", v, x, status);
  TF_SessionOptions *options = tf.NewSessionOptions();
  tf.SetTarget(options, target);
  TF_Session *first = tf.NewSession(graph, options, status);
  REQUIRE_TF_OK(status);
  TF_Tensor *fed = capi_float(7), *value = NULL;
  const TF_Operation *operation = assign.oper;
  tf.SessionRun(first, NULL, &x, &fed, 1, NULL, NULL, 0, &operation, 1, NULL, status);
  REQUIRE_TF_OK(status);
  tf.DeleteTensor(fed);
  TF_Session *second = tf.NewSession(graph, options, status);
  REQUIRE_TF_OK(status);
  tf.SessionRun(second, NULL, NULL, NULL, 0, &v, &value, 1, NULL, 0, NULL, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_NEAR(*(float *)tf.TensorData(value), 7, 0);
  tf.DeleteTensor(value);
  // The graph may grow after the first run here too.
  TF_Output negated = capi_unary(graph, "Neg", "negated", v, status);
  tf.SessionRun(second, NULL, NULL, NULL, 0, &negated, &value, 1, NULL, 0, NULL, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_NEAR(*(float *)tf.TensorData(value), -7, 0);
  tf.DeleteTensor(value);
  if (tf.is_sluice) {  // a value from inside a loop; libtensorflow waits for it without end
    desc = tf.NewOperation(graph, "Enter", "enter");
    tf.AddInput(desc, negated);
    tf.SetAttrString(desc, "frame_name", "loop", strlen("loop"));
    TF_Output inside = {tf.FinishOperation(desc, status), 0};
    tf.SessionRun(second, NULL, NULL, NULL, 0, &inside, &value, 1, NULL, 0, NULL, status);
    REQUIRE_TF_OK(status);
    SLI_EXPECT_NEAR(*(float *)tf.TensorData(value), -7, 0);
    tf.DeleteTensor(value);
  }
  TF_DeviceList *devices = tf.SessionListDevices(second, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT(tf.DeviceListCount(devices) >= 1);
  SLI_EXPECT_TEXT(tf.DeviceListName(devices, 0, status), "/job:local/replica:0/task:0/device:CPU:0");
  tf.DeleteDeviceList(devices);
  // Errors come back whole.
  tf.SessionRun(second, NULL, NULL, NULL, 0, &x, &value, 1, NULL, 0, NULL, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "You must feed a value for placeholder tensor 'x' with dtype float");
  tf.CloseSession(first, status);
  EXPECT_TF_OK(status);
  tf.Reset(options, NULL, 0, status);
  EXPECT_TF_OK(status);
  tf.DeleteSession(first, status);
  tf.DeleteSession(second, status);
  tf.DeleteSessionOptions(options);
  tf.DeleteGraph(graph);
  if (tf.is_sluice) {  // libtensorflow cannot stop a server
    pthread_t joiner;
    pthread_create(&joiner, NULL, join_server, server);
    tf.ServerStop(server, status);
    EXPECT_TF_OK(status);
    pthread_join(joiner, NULL);
    tf.DeleteServer(server);
  }
  tf.DeleteStatus(status);
}

SLI_TEST_MAIN(test_server_definitions_are_checked, test_sessions_on_a_server_share_their_variables)
