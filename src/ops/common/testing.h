// For tests of kernels: runs single nodes without a graph or an executor. An error is returned as the step would have
// reported it.
//
// sli_testing_run and sli_testing_node_... are for ops on tensors alone. A sli_testing_device_t is for ops with
// resources and reference variables: what one run leaves on the device is there in the next.
#ifndef SLI_OPS_COMMON_TESTING_H_
#define SLI_OPS_COMMON_TESTING_H_

#include "base/alloc.h"
#include "base/clock.h"
#include "base/test.h"
#include "core/op/kernel.h"
#include "core/op/op_registry.h"

enum { SLI_TESTING_MAX = 16 };  // inputs or outputs of a node

// --- A device -----------------------------------------------------------------------------------

typedef struct {
  sli_resource_manager_t *resources;
  sli_device_t *device;
  sli_step_t step;
  sli_kernel_value_t outputs[SLI_TESTING_MAX];  // of the last run, owned
  int output_count;
} sli_testing_device_t;

// Kernels share their work on |pool|; NULL: they run on the caller's thread.
static inline void sli_testing_device_initialize_with(sli_testing_device_t *d, sli_thread_pool_t *pool) {
  *d = (sli_testing_device_t){.resources = sli_resource_manager_create("localhost")};
  d->device = sli_device_create_cpu("/job:localhost/replica:0/task:0/device:CPU:0", d->resources, pool);
  d->step = (sli_step_t){
      .id = 1, .cancellation = sli_cancellation_create(), .step_resources = sli_resource_manager_create("step")};
}

static inline void sli_testing_device_initialize(sli_testing_device_t *d) {
  sli_testing_device_initialize_with(d, NULL);
}

static inline void sli_testing_device_release_outputs(sli_testing_device_t *d) {
  for (int i = 0; i < SLI_TESTING_MAX; i++) {
    sli_tensor_release(d->outputs[i].tensor);
    sli_variable_release(d->outputs[i].variable);
    d->outputs[i] = (sli_kernel_value_t){0};
  }
}

static inline void sli_testing_device_deinitialize(sli_testing_device_t *d) {
  sli_testing_device_release_outputs(d);
  // Before the device: an iterator ends its background work, which uses it.
  sli_resource_manager_destroy(d->step.step_resources);
  sli_resource_manager_destroy(d->resources);
  sli_device_destroy(d->device);
  sli_cancellation_release(d->step.cancellation);
}

// --- A node with its kernel ---------------------------------------------------------------------

typedef struct {
  sli_arena_t arena;
  sli_node_def_t node;
  const sli_kernel_def_t *kernel;
  void *state;
} sli_testing_kernel_t;

// Makes a node of |op| named "n". Types that the attributes do not set are inferred from |types|, those of the inputs.
// Deinitialize it after a failure too.
static inline sli_status_t *sli_testing_kernel_initialize(sli_testing_kernel_t *k, sli_device_t *device, const char *op,
                                                          const sli_attr_entry_t *attrs, size_t attr_count,
                                                          const sli_dtype_t *types, int input_count) {
  *k = (sli_testing_kernel_t){0};
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
  SLI_RETURN_IF_ERROR(sli_node_def_complete(&request, &k->arena, &k->node));
  SLI_RETURN_IF_ERROR(sli_kernel_find(&k->node, "CPU", &k->kernel));
  sli_kernel_setup_t setup = {&k->node, device};
  return k->kernel->create ? k->kernel->create(&setup, &k->state) : NULL;
}

static inline void sli_testing_kernel_deinitialize(sli_testing_kernel_t *k) {
  if (k->state && k->kernel->destroy) k->kernel->destroy(k->state);
  sli_arena_deinitialize(&k->arena);
}

// A call of an asynchronous kernel.
typedef struct {
  sli_kernel_context_t context;
  sli_event_t is_over;
  sli_status_t *status;
} sli_testing_call_t;

static inline void sli_testing_complete(sli_kernel_context_t *context, sli_status_t *status) {
  sli_testing_call_t *call = (sli_testing_call_t *)context;
  call->status = status;
  sli_event_set(&call->is_over);
}

// Runs the kernel; blocks until an asynchronous one completes. The inputs are the caller's, the outputs are left in
// |d|.
static inline sli_status_t *sli_testing_kernel_run(sli_testing_kernel_t *k, sli_testing_device_t *d,
                                                   sli_kernel_value_t *inputs, int input_count) {
  sli_testing_device_release_outputs(d);
  d->output_count = k->node.output_count;
  sli_testing_call_t call = {.context = {.node = &k->node,
                                         .state = k->state,
                                         .device = d->device,
                                         .step = &d->step,
                                         .inputs = inputs,
                                         .input_count = input_count,
                                         .outputs = d->outputs,
                                         .output_count = d->output_count,
                                         .complete = sli_testing_complete}};
  if (k->kernel->compute) return k->kernel->compute(&call.context);
  sli_event_initialize(&call.is_over);
  k->kernel->compute_async(&call.context);
  SLI_CHECK(sli_event_wait(&call.is_over, sli_clock_deadline_after_millis(60000)));
  sli_event_deinitialize(&call.is_over);
  return call.status;
}

// Runs |op| on |inputs|, which are consumed. Outputs replace those of the run before.
static inline sli_status_t *sli_testing_device_run(sli_testing_device_t *d, const char *op, sli_kernel_value_t *inputs,
                                                   int input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  sli_testing_kernel_t kernel;
  sli_dtype_t types[SLI_TESTING_MAX];
  for (int i = 0; i < input_count; i++) {
    types[i] =
        inputs[i].variable ? sli_dtype_make_ref(inputs[i].variable->dtype) : (sli_dtype_t)inputs[i].tensor->dtype;
  }
  sli_testing_device_release_outputs(d);
  sli_status_t *status = sli_testing_kernel_initialize(&kernel, d->device, op, attrs, attr_count, types, input_count);
  if (!status) status = sli_testing_kernel_run(&kernel, d, inputs, input_count);
  sli_testing_kernel_deinitialize(&kernel);
  for (int i = 0; i < input_count; i++) {
    sli_tensor_release(inputs[i].tensor);
    sli_variable_release(inputs[i].variable);
  }
  return status;
}

#define SLI_TESTING_INPUTS(...) \
  (sli_kernel_value_t[]){__VA_ARGS__}, (int)(sizeof((sli_kernel_value_t[]){__VA_ARGS__}) / sizeof(sli_kernel_value_t))
#define SLI_TESTING_ATTRS(...) \
  (const sli_attr_entry_t[]){__VA_ARGS__}, sizeof((const sli_attr_entry_t[]){__VA_ARGS__}) / sizeof(sli_attr_entry_t)
#define TENSOR(t) ((sli_kernel_value_t){.tensor = (t)})
#define REFERENCE(v) ((sli_kernel_value_t){.variable = sli_variable_retain(v)})
#define INTS(...) \
  TENSOR(sli_tensor_vector_int32((const int32_t[]){__VA_ARGS__}, (int)(sizeof((const int32_t[]){__VA_ARGS__}) / 4)))

// --- Ops on tensors -----------------------------------------------------------------------------

// A node on a device of its own.
typedef struct {
  sli_testing_device_t device;
  sli_testing_kernel_t kernel;
} sli_testing_node_t;

// |inputs| are read for their types only.
static inline sli_status_t *sli_testing_node_initialize(sli_testing_node_t *t, const char *op, sli_thread_pool_t *pool,
                                                        const sli_attr_entry_t *attrs, size_t attr_count,
                                                        sli_tensor_t *const *inputs, int input_count) {
  sli_dtype_t types[SLI_TESTING_MAX];
  for (int i = 0; i < input_count; i++) types[i] = (sli_dtype_t)inputs[i]->dtype;
  sli_testing_device_initialize_with(&t->device, pool);
  return sli_testing_kernel_initialize(&t->kernel, t->device.device, op, attrs, attr_count, types, input_count);
}

static inline void sli_testing_node_deinitialize(sli_testing_node_t *t) {
  sli_testing_kernel_deinitialize(&t->kernel);
  sli_testing_device_deinitialize(&t->device);
}

// Computes; consumes the inputs. |outputs| are the caller's to release, NULL after a failure.
static inline sli_status_t *sli_testing_node_run(sli_testing_node_t *t, sli_tensor_t *const *inputs, int input_count,
                                                 sli_tensor_t **outputs) {
  sli_kernel_value_t values[SLI_TESTING_MAX] = {0};
  for (int i = 0; i < input_count; i++) values[i].tensor = inputs[i];
  sli_status_t *status = sli_testing_kernel_run(&t->kernel, &t->device, values, input_count);
  for (int i = 0; i < input_count; i++) sli_tensor_release(values[i].tensor);
  for (int i = 0; i < t->device.output_count; i++)
    outputs[i] = status ? NULL : sli_tensor_retain(t->device.outputs[i].tensor);
  sli_testing_device_release_outputs(&t->device);
  return status;
}

// All of it for one run. |outputs| has room for SLI_TESTING_MAX.
static inline sli_status_t *sli_testing_run(const char *op, const sli_attr_entry_t *attrs, size_t attr_count,
                                            sli_tensor_t *const *inputs, int input_count, sli_tensor_t **outputs) {
  sli_testing_node_t node;
  sli_status_t *status = sli_testing_node_initialize(&node, op, NULL, attrs, attr_count, inputs, input_count);
  for (int i = 0; i < SLI_TESTING_MAX; i++) outputs[i] = NULL;
  if (!status) {
    status = sli_testing_node_run(&node, inputs, input_count, outputs);
  } else {
    for (int i = 0; i < input_count; i++) sli_tensor_release(inputs[i]);
  }
  sli_testing_node_deinitialize(&node);
  return status;
}

// --- Tensors and errors -------------------------------------------------------------------------

// A float tensor of |shape| with the given values.
static inline sli_tensor_t *sli_testing_floats(sli_shape_t shape, const float *values) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, shape.dims, shape.rank, &tensor));
  if (tensor->count) memcpy(tensor->data, values, sli_tensor_bytes(tensor));
  return tensor;
}

// A float tensor with the values 0, 1, 2 …
static inline sli_tensor_t *sli_testing_range(sli_shape_t shape) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, shape.dims, shape.rank, &tensor));
  for (int64_t i = 0; i < tensor->count; i++) SLI_DATA(float, tensor)[i] = (float)i;
  return tensor;
}

// Fails the test unless |status| has the code |code| and its message contains |part|. Consumes |status|.
static inline void sli_testing_expect_error(sli_status_t *status, sli_code_t code, const char *part) {
  SLI_EXPECT(sli_status_code(status) == code);
  SLI_EXPECT_CONTAINS(sli_status_message(status), part);
  sli_status_release(status);
}

#endif  // SLI_OPS_COMMON_TESTING_H_
