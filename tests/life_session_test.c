// What sessions share on a task and what each has for itself.
#include "base/test.h"
#include "life_internal.h"
#include "sluice/cluster.h"

typedef struct {
  TF_Graph *graph;
  TF_Operation *assign, *enqueue, *enqueue_shared;
  TF_Output variable, size, shared_size;
} model_t;

// The size of a queue as a float, so that life_run can fetch it.
static TF_Output queue(TF_Graph *graph, const char *name, const char *shared_name, const char *device,
                       TF_Operation **out_enqueue) {
  char text[64];
  TF_DataType type = TF_FLOAT;
  TF_OperationDescription *description = life_op(graph, "FIFOQueueV2", name, device, NULL, 0);
  TF_SetAttrTypeList(description, "component_types", &type, 1);
  TF_SetAttrString(description, "shared_name", shared_name, strlen(shared_name));
  TF_Output handle = life_finish(description);
  snprintf(text, sizeof(text), "%s/one", name);
  TF_Output one = life_constant(graph, text, device, 1);
  snprintf(text, sizeof(text), "%s/enqueue", name);
  description = life_op(graph, "QueueEnqueueV2", text, device, &handle, 1);
  TF_AddInputList(description, &one, 1);
  *out_enqueue = life_finish(description).oper;
  snprintf(text, sizeof(text), "%s/size", name);
  TF_Output size = life_finish(life_op(graph, "QueueSizeV2", text, device, &handle, 1));
  snprintf(text, sizeof(text), "%s/float", name);
  description = life_op(graph, "Cast", text, device, &size, 1);
  TF_SetAttrType(description, "DstT", TF_FLOAT);
  return life_finish(description);
}

static model_t model_make(const char *device) {
  model_t model = {.graph = TF_NewGraph()};
  model.variable = life_variable(model.graph, "v", device, 3, &model.assign);
  model.size = queue(model.graph, "own", "", device, &model.enqueue);
  model.shared_size = queue(model.graph, "common", "shared", device, &model.enqueue_shared);
  return model;
}

static size_t count_queues(const char *target) {
  TF_Status *status = TF_NewStatus();
  sl_task_status_t *task = sl_cluster_status(target, 5000, 0, status);
  LIFE_EXPECT_OK(status);
  size_t count = task ? task->queue_count : 0;
  sl_task_status_free(task);
  TF_DeleteStatus(status);
  return count;
}

// As TensorFlow's servers: variables and named queues belong to the task, a queue without a shared name to its session.
static void check_sharing(const life_cluster_t *cluster, int holder, const char *device) {
  model_t model = model_make(device);
  TF_Status *status = TF_NewStatus();
  TF_Session *first = life_session(model.graph, life_target(cluster, 1), NULL, 0);
  TF_Session *second = life_session(model.graph, life_target(cluster, 1), NULL, 0);
  SLI_REQUIRE(first && second);
  TF_Operation *steps[] = {model.assign, model.enqueue, model.enqueue_shared};
  for (size_t i = 0; i < 3; i++) {
    life_run(first, NULL, steps[i], status);
    LIFE_EXPECT_OK(status);
  }
  SLI_EXPECT_NEAR(life_run(first, &model.size, NULL, status), 1, 0);
  SLI_EXPECT_NEAR(life_run(second, &model.size, NULL, status), 0, 0);
  SLI_EXPECT_NEAR(life_run(second, &model.shared_size, NULL, status), 1, 0);
  SLI_EXPECT_NEAR(life_run(second, &model.variable, NULL, status), 3, 0);
  LIFE_EXPECT_OK(status);
  for (int i = 0; i < 2; i++) life_run(second, NULL, model.enqueue, status);
  SLI_EXPECT_NEAR(life_run(first, &model.size, NULL, status), 1, 0);
  SLI_EXPECT_NEAR(life_run(second, &model.size, NULL, status), 2, 0);
  SLI_EXPECT_INT(count_queues(life_target(cluster, holder)), 3);
  life_close(first);
  SLI_EXPECT_INT(count_queues(life_target(cluster, holder)), 2);
  SLI_EXPECT_NEAR(life_run(second, &model.size, NULL, status), 2, 0);
  LIFE_EXPECT_OK(status);
  life_close(second);
  SLI_EXPECT_INT(count_queues(life_target(cluster, holder)), 1);
  TF_Session *third = life_session(model.graph, life_target(cluster, 1), NULL, 0);
  SLI_EXPECT_NEAR(life_run(third, &model.size, NULL, status), 0, 0);
  SLI_EXPECT_NEAR(life_run(third, &model.shared_size, NULL, status), 1, 0);
  LIFE_EXPECT_OK(status);
  life_close(third);
  TF_DeleteStatus(status);
  TF_DeleteGraph(model.graph);
}

SLI_TEST(test_a_queue_without_a_shared_name_belongs_to_its_session) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL) && life_start(&cluster, 1, NULL));
  check_sharing(&cluster, 0, "/job:ps/task:0");
  check_sharing(&cluster, 1, "/job:worker/task:0");
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_a_queue_without_a_shared_name_belongs_to_its_session)
