// What the tests of this folder share: a device, a graph built node by node, and
// a plan run to its end. Test code only.
#ifndef SLI_RUNTIME_EXECUTE_TESTING_H_
#define SLI_RUNTIME_EXECUTE_TESTING_H_

#include "base/clock.h"
#include "base/test.h"
#include "graph/testing.h"
#include "runtime/execute/executor.h"
#include "runtime/execute/local_rendezvous.h"

#define RIG_DEVICE "/job:localhost/replica:0/task:0/device:CPU:0"

typedef struct {
  sli_resource_manager_t *resources;
  sli_device_t *device;
  sli_device_set_t devices;
  sli_graph_t *graph;
} rig_t;

static inline void rig_initialize(rig_t *rig) {
  *rig = (rig_t){0};
  rig->resources = sli_resource_manager_create("localhost");
  rig->device = sli_device_create_cpu(RIG_DEVICE, rig->resources, NULL);
  sli_device_set_add(&rig->devices, RIG_DEVICE, "CPU", 1, 0, rig->device);
  rig->graph = sli_graph_create();
}

static inline void rig_deinitialize(rig_t *rig) {
  sli_graph_release(rig->graph);
  sli_device_set_deinitialize(&rig->devices);
  sli_device_destroy(rig->device);
  sli_resource_manager_destroy(rig->resources);
}

#define OUT(node, output) ((sli_output_t){node, output})

static inline sli_node_t *rig_add(rig_t *rig, const char *op, const char *name, const sli_output_t *inputs,
                                  size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  sli_node_t *node = sli_graph_testing_add(rig->graph, op, name, inputs, input_count, attrs, attr_count).node;
  node->assigned_device = RIG_DEVICE;
  return node;
}

static inline sli_node_t *rig_constant(rig_t *rig, const char *name, sli_tensor_t *value) {
  sli_node_t *node = sli_graph_testing_constant(rig->graph, name, value).node;
  node->assigned_device = RIG_DEVICE;
  return node;
}
static inline sli_node_t *rig_int(rig_t *rig, const char *name, int value) {
  return rig_constant(rig, name, sli_tensor_scalar_int32(value));
}
static inline sli_node_t *rig_placeholder(rig_t *rig, const char *name, sli_dtype_t dtype) {
  return rig_add(rig, "Placeholder", name, NO_INPUTS, ATTRS(SLI_ATTR_TYPE_OF("dtype", dtype)));
}
static inline sli_node_t *rig_unary(rig_t *rig, const char *op, const char *name, sli_output_t a) {
  return rig_add(rig, op, name, INPUTS(a), NO_ATTRS);
}
static inline sli_node_t *rig_binary(rig_t *rig, const char *op, const char *name, sli_output_t a, sli_output_t b) {
  return rig_add(rig, op, name, INPUTS(a, b), NO_ATTRS);
}

static inline sli_status_t *rig_plan(rig_t *rig, const sli_output_t *feeds, size_t feed_count,
                                     const sli_output_t *fetches, size_t fetch_count, sli_plan_t **out_plan) {
  sli_plan_request_t request = {rig->graph, &rig->devices, feeds, feed_count, fetches, fetch_count};
  return sli_plan_create(&request, out_plan);
}

// How a step ended. Wait for |event| first.
typedef struct {
  sli_event_t event;
  sli_status_t *status;
  sli_tensor_t *fetches[8];
  size_t fetch_count;
  int calls;
} outcome_t;

static inline void outcome_initialize(outcome_t *outcome) {
  memset(outcome, 0, sizeof(*outcome));
  sli_event_initialize(&outcome->event);
}
static inline void outcome_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t count) {
  outcome_t *outcome = context;
  outcome->status = status;
  outcome->calls++;
  outcome->fetch_count = status ? 0 : count;
  for (size_t i = 0; i < outcome->fetch_count && i < 8; i++) outcome->fetches[i] = fetches[i];
  sli_event_set(&outcome->event);
}
static inline bool outcome_wait(outcome_t *outcome) {
  return sli_event_wait(&outcome->event, sli_clock_now_nanos() + 20 * INT64_C(1000000000));
}
static inline void outcome_deinitialize(outcome_t *outcome) {
  sli_status_release(outcome->status);
  for (size_t i = 0; i < outcome->fetch_count; i++) sli_tensor_release(outcome->fetches[i]);
  sli_event_deinitialize(&outcome->event);
}

// Runs |request| to its end; the caller deinitializes |outcome|.
static inline void rig_run(const sli_executor_request_t *request, outcome_t *outcome) {
  outcome_initialize(outcome);
  sli_executor_run_plan(request, outcome_done, outcome);
  if (!outcome_wait(outcome)) sli_test_fail(__FILE__, __LINE__, "the step hangs");
}

// The int32 or float value of a step's fetch; reports and gives INT32_MIN if the step failed.
static inline int outcome_int(const outcome_t *outcome, size_t index) {
  if (outcome->status) sli_test_fail(__FILE__, __LINE__, "step failed: %s", sli_status_message(outcome->status));
  if (index >= outcome->fetch_count) return INT32_MIN;
  const sli_tensor_t *tensor = outcome->fetches[index];
  return tensor->dtype == SLI_DTYPE_FLOAT  ? (int)SLI_DATA(float, tensor)[0]
         : tensor->dtype == SLI_DTYPE_BOOL ? SLI_DATA(bool, tensor)[0]
                                           : SLI_DATA(int32_t, tensor)[0];
}

#endif  // SLI_RUNTIME_EXECUTE_TESTING_H_
