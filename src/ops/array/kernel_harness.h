// For tests of kernels: runs one node without a graph or an executor.
#ifndef SLI_OPS_ARRAY_KERNEL_HARNESS_H_
#define SLI_OPS_ARRAY_KERNEL_HARNESS_H_

#include "base/clock.h"
#include "base/test.h"
#include "core/kernel.h"
#include "core/op_registry.h"

enum { HARNESS_MAX = 16 };

typedef struct {
  sli_resource_manager_t *resources;
  sli_device_t *device;
  sli_step_t step;
  sli_value_t outputs[HARNESS_MAX];  // of the last run, owned
  int output_count;
} harness_t;

static inline void harness_initialize(harness_t *h) {
  *h = (harness_t){.resources = sli_resource_manager_create("localhost")};
  h->device = sli_device_create_cpu("/job:localhost/replica:0/task:0/device:CPU:0", h->resources, NULL);
  h->step = (sli_step_t){
      .id = 1, .cancellation = sli_cancellation_create(), .step_resources = sli_resource_manager_create("step")};
}

static inline void harness_clear(harness_t *h) {
  for (int i = 0; i < HARNESS_MAX; i++) {
    sli_tensor_release(h->outputs[i].tensor);
    sli_variable_release(h->outputs[i].variable);
    h->outputs[i] = (sli_value_t){0};
  }
}

static inline void harness_deinitialize(harness_t *h) {
  harness_clear(h);
  sli_device_destroy(h->device);
  sli_resource_manager_destroy(h->step.step_resources);
  sli_resource_manager_destroy(h->resources);
  sli_cancellation_release(h->step.cancellation);
}

// An asynchronous kernel's end.
typedef struct {
  sli_kernel_context_t context;
  sli_event_t is_over;
  sli_status_t *status;
} harness_call_t;

static inline void harness_complete(sli_kernel_context_t *context, sli_status_t *status) {
  harness_call_t *call = (harness_call_t *)context;
  call->status = status;
  sli_event_set(&call->is_over);
}

static inline sli_status_t *harness_call(const sli_kernel_def_t *kernel, sli_kernel_context_t *context) {
  if (kernel->compute) return kernel->compute(context);
  harness_call_t call = {.context = *context};
  call.context.complete = harness_complete;
  sli_event_initialize(&call.is_over);
  kernel->compute_async(&call.context);
  SLI_CHECK(sli_event_wait(&call.is_over, sli_deadline_after_millis(60000)));
  sli_event_deinitialize(&call.is_over);
  return call.status;
}

// Runs |op| named "n" on |inputs|, which are consumed; outputs replace those of the run before. Blocks while an
// asynchronous kernel waits.
static inline sli_status_t *harness_run(harness_t *h, const char *op, sli_value_t *inputs, int input_count,
                                        const sli_attr_entry_t *attrs, size_t attr_count) {
  sli_arena_t arena = {0};
  sli_dtype_t types[HARNESS_MAX];
  sli_node_def_t node;
  const sli_kernel_def_t *kernel = NULL;
  void *state = NULL;
  sli_status_t *status = NULL;
  harness_clear(h);
  for (int i = 0; i < input_count; i++) {
    types[i] =
        inputs[i].variable ? sli_dtype_make_ref(inputs[i].variable->dtype) : (sli_dtype_t)inputs[i].tensor->dtype;
  }
  sli_node_request_t request = {.name = "n",
                                .device = "",
                                .op = sli_op_find(sli_view(op)),
                                .attrs = attrs,
                                .attr_count = attr_count,
                                .input_types = types,
                                .input_count = input_count,
                                .infer = true};
  if (!request.op) request.op = sli_op_find_private(sli_view(op));
  if (!request.op) return sli_status_make(SLI_NOT_FOUND, "no op %s", op);
  SLI_GOTO_IF_ERROR(status, cleanup, sli_node_def_complete(&request, &arena, &node));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_kernel_find(&node, "CPU", &kernel));
  sli_kernel_setup_t setup = {&node, h->device};
  if (kernel->create) SLI_GOTO_IF_ERROR(status, cleanup, kernel->create(&setup, &state));
  sli_kernel_context_t context = {.node = &node,
                                  .state = state,
                                  .device = h->device,
                                  .step = &h->step,
                                  .inputs = inputs,
                                  .input_count = input_count,
                                  .outputs = h->outputs,
                                  .output_count = node.output_count};
  status = harness_call(kernel, &context);
  h->output_count = node.output_count;
cleanup:
  if (kernel && kernel->destroy && state) kernel->destroy(state);
  for (int i = 0; i < input_count; i++) {
    sli_tensor_release(inputs[i].tensor);
    sli_variable_release(inputs[i].variable);
  }
  sli_arena_deinitialize(&arena);
  return status;
}

#define HARNESS_INPUTS(...) \
  (sli_value_t[]){__VA_ARGS__}, (int)(sizeof((sli_value_t[]){__VA_ARGS__}) / sizeof(sli_value_t))
#define HARNESS_ATTRS(...) \
  (const sli_attr_entry_t[]){__VA_ARGS__}, sizeof((const sli_attr_entry_t[]){__VA_ARGS__}) / sizeof(sli_attr_entry_t)
#define TENSOR(t) ((sli_value_t){.tensor = (t)})
#define REFERENCE(v) ((sli_value_t){.variable = sli_variable_retain(v)})

// A float tensor with the values 0, 1, 2 …
static inline sli_tensor_t *harness_range(sli_shape_t shape) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, shape.dims, shape.rank, &tensor));
  for (int64_t i = 0; i < tensor->count; i++) SLI_DATA(float, tensor)[i] = (float)i;
  return tensor;
}

static inline sli_tensor_t *harness_ints(const int32_t *values, int count) {
  return sli_tensor_vector_int32(values, count);
}
#define INTS(...) \
  TENSOR(harness_ints((const int32_t[]){__VA_ARGS__}, (int)(sizeof((const int32_t[]){__VA_ARGS__}) / 4)))

// Fails the test unless |status| has the code and the text contains |part|; consumes it.
static inline void harness_expect_error(sli_status_t *status, sli_code_t code, const char *part) {
  SLI_EXPECT(sli_status_code(status) == code);
  SLI_EXPECT_CONTAINS(sli_status_message(status), part);
  sli_status_release(status);
}

#endif  // SLI_OPS_ARRAY_KERNEL_HARNESS_H_
