// Tasks on one host, which read large tensors in each other's memory: a received value never changes, even if the
// sender updates its variable or dies.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/test.h"
#include "tests/life/life.h"

enum { ELEMENTS = 300000 };
#define PS "/job:ps/task:0"
#define WORKER "/job:worker/task:0"

typedef struct {
  TF_Graph *graph;
  TF_Operation *initialize, *push;
  TF_Output variable, fetched, before, after;
} model_t;

static TF_Output integers(TF_Graph *graph, const char *name, const char *device, const int64_t *dims, int rank,
                          int32_t value) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *tensor = TF_AllocateTensor(TF_INT32, dims, rank, sizeof(value));
  memcpy(TF_TensorData(tensor), &value, sizeof(value));
  TF_OperationDescription *description = life_op(graph, "Const", name, device, NULL, 0);
  TF_SetAttrType(description, "dtype", TF_INT32);
  TF_SetAttrTensor(description, "value", tensor, status);
  LIFE_EXPECT_OK(status);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
  return life_finish(description);
}

// ELEMENTS times |value|, made on |device|.
static TF_Output filled(TF_Graph *graph, const char *name, const char *device, float value) {
  char text[64];
  snprintf(text, sizeof(text), "%s/dims", name);
  TF_Output dims = integers(graph, text, device, (int64_t[]){1}, 1, ELEMENTS);
  snprintf(text, sizeof(text), "%s/value", name);
  TF_Output one = life_constant(graph, text, device, value);
  return life_finish(life_op(graph, "Fill", name, device, (TF_Output[]){dims, one}, 2));
}

// The mean of |input| on |device|, once |first| has run.
static TF_Output mean(TF_Graph *graph, const char *name, const char *device, TF_Output input, TF_Operation *first) {
  char text[64];
  snprintf(text, sizeof(text), "%s/axis", name);
  TF_Output axis = integers(graph, text, device, NULL, 0, 0);
  TF_OperationDescription *description = life_op(graph, "Mean", name, device, (TF_Output[]){input, axis}, 2);
  if (first) TF_AddControlInput(description, first);
  return life_finish(description);
}

// A variable of ones on the ps. |before| is its mean as the worker received it before the ps added twos to it, |after|
// as it received it then.
static model_t model_make(void) {
  model_t model = {.graph = TF_NewGraph()};
  TF_Graph *graph = model.graph;
  TF_OperationDescription *description = life_op(graph, "VariableV2", "v", PS, NULL, 0);
  TF_SetAttrType(description, "dtype", TF_FLOAT);
  TF_SetAttrShape(description, "shape", (int64_t[]){ELEMENTS}, 1);
  model.variable = life_finish(description);
  TF_Output initial = filled(graph, "initial", WORKER, 1);
  model.initialize = life_finish(life_op(graph, "Assign", "init", PS, (TF_Output[]){model.variable, initial}, 2)).oper;
  model.fetched = life_finish(life_op(graph, "Identity", "fetched", WORKER, &model.variable, 1));
  description =
      life_op(graph, "AssignAdd", "push", PS, (TF_Output[]){model.variable, filled(graph, "gradient", WORKER, 2)}, 2);
  TF_AddControlInput(description, model.fetched.oper);
  TF_Output pushed = life_finish(description);
  model.push = pushed.oper;
  model.before = mean(graph, "before", WORKER, model.fetched, model.push);
  model.after = mean(graph, "after", WORKER, pushed, NULL);
  return model;
}

static float *fetch(TF_Session *session, TF_Output output, TF_Tensor **out_tensor) {
  TF_Status *status = TF_NewStatus();
  *out_tensor = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &output, out_tensor, 1, NULL, 0, NULL, status);
  LIFE_EXPECT_OK(status);
  TF_DeleteStatus(status);
  return *out_tensor ? TF_TensorData(*out_tensor) : NULL;
}

static void check_exchange(TF_Session *session, const model_t *model) {
  TF_Status *status = TF_NewStatus();
  life_run(session, NULL, model->initialize, status);
  LIFE_EXPECT_OK(status);
  for (int step = 0; step < 20; step++) {
    TF_Tensor *values[2] = {NULL, NULL};
    TF_SessionRun(session, NULL, NULL, NULL, 0, (TF_Output[]){model->before, model->after}, values, 2, NULL, 0, NULL,
                  status);
    LIFE_EXPECT_OK(status);
    for (int i = 0; i < 2 && values[i]; i++) {
      SLI_EXPECT_NEAR(*(float *)TF_TensorData(values[i]), 1 + 2 * (step + i), 0);
      TF_DeleteTensor(values[i]);
    }
  }
  TF_DeleteStatus(status);
}

SLI_TEST(test_a_received_value_stays_while_its_owner_updates_it) {
  life_cluster_t cluster = {0};
  int ps = life_add(&cluster, "ps", 0), worker = life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, ps, NULL) && life_start(&cluster, worker, NULL));
  model_t model = model_make();
  TF_Session *session = life_session(model.graph, life_target(&cluster, worker), NULL, 0);
  SLI_REQUIRE(session);
  check_exchange(session, &model);
  life_close(session);
  TF_DeleteGraph(model.graph);
  life_stop(&cluster);
}

// A client in the worker's own process gets tensors as they came.
SLI_TEST(test_what_a_client_fetched_is_its_own) {
  life_cluster_t cluster = {0};
  int ps = life_add(&cluster, "ps", 0), worker = life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, ps, NULL));
  TF_Status *status = TF_NewStatus();
  TF_Server *server = life_own_server(&cluster, worker, status);
  SLI_REQUIRE(server);
  model_t model = model_make();
  TF_Session *session = life_session(model.graph, TF_ServerTarget(server), NULL, 0);
  SLI_REQUIRE(session);
  check_exchange(session, &model);
  TF_Tensor *first, *second;
  float *mine = fetch(session, model.fetched, &first);
  SLI_REQUIRE(mine);
  SLI_EXPECT_NEAR(mine[ELEMENTS - 1], 41, 0);
  for (int i = 0; i < ELEMENTS; i++) mine[i] = -1;
  float *again = fetch(session, model.fetched, &second);
  SLI_REQUIRE(again);
  SLI_EXPECT(again[0] == 41 && again[ELEMENTS - 1] == 41 && mine[0] == -1);
  // It outlives its maker.
  life_kill(&cluster, ps, SIGKILL);
  SLI_EXPECT(again[ELEMENTS / 2] == 41);
  TF_DeleteTensor(first);
  TF_DeleteTensor(second);
  life_close(session);
  TF_DeleteGraph(model.graph);
  TF_ServerStop(server, status);
  TF_DeleteServer(server);
  TF_DeleteStatus(status);
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_a_received_value_stays_while_its_owner_updates_it, test_what_a_client_fetched_is_its_own)
