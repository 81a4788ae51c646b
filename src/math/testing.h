// For tests of kernels: runs one op on tensors, without a graph. Fails the test
// by returning the status that a step would have ended with.
#ifndef SLI_MATH_TESTING_H_
#define SLI_MATH_TESTING_H_

#include "base/alloc.h"
#include "core/kernel.h"
#include "core/op_registry.h"

enum { SLI_TESTING_MAX = 8 };

// A node with its kernel. Fields are free to read.
typedef struct {
  sli_arena_t arena;
  sli_node_def_t node;
  const sli_kernel_def_t *kernel;
  void *state;
  sli_resource_manager_t *resources;
  sli_device_t *device;
} sli_testing_node_t;

// Makes a node of |op|; types are inferred from |inputs| as far as the attributes do not say them.
static inline sli_status_t *sli_testing_node_initialize(sli_testing_node_t *t, const char *op, sli_thread_pool_t *pool,
                                                        const sli_attr_entry_t *attrs, size_t attr_count,
                                                        sli_tensor_t *const *inputs, int input_count) {
  sli_dtype_t types[SLI_TESTING_MAX];
  *t = (sli_testing_node_t){0};
  t->resources = sli_resource_manager_create("localhost");
  t->device = sli_device_create_cpu("/job:localhost/replica:0/task:0/device:CPU:0", t->resources, pool);
  for (int i = 0; i < input_count; i++) types[i] = (sli_dtype_t)inputs[i]->dtype;
  sli_node_request_t request = {.name = "node",
                                .device = "",
                                .op = sli_op_find(sli_view(op)),
                                .attrs = attrs,
                                .attr_count = attr_count,
                                .input_types = types,
                                .input_count = input_count,
                                .infer = true};
  if (!request.op) return sli_status_make(SLI_NOT_FOUND, "no op %s", op);
  SLI_RETURN_IF_ERROR(sli_node_def_complete(&request, &t->arena, &t->node));
  SLI_RETURN_IF_ERROR(sli_kernel_find(&t->node, "CPU", &t->kernel));
  sli_kernel_setup_t setup = {&t->node, t->device};
  return t->kernel->create ? t->kernel->create(&setup, &t->state) : NULL;
}

static inline void sli_testing_node_deinitialize(sli_testing_node_t *t) {
  if (t->state && t->kernel->destroy) t->kernel->destroy(t->state);
  sli_device_destroy(t->device);
  sli_resource_manager_destroy(t->resources);
  sli_arena_deinitialize(&t->arena);
}

// Computes; consumes the inputs. |outputs| are the caller's to release, NULL on failure.
static inline sli_status_t *sli_testing_node_run(sli_testing_node_t *t, sli_tensor_t *const *inputs, int input_count,
                                                 sli_tensor_t **outputs) {
  sli_value_t in[SLI_TESTING_MAX] = {0}, out[SLI_TESTING_MAX] = {0};
  sli_step_t step = {0};
  for (int i = 0; i < input_count; i++) in[i].tensor = inputs[i];
  sli_kernel_context_t context = {.node = &t->node,
                                  .state = t->state,
                                  .device = t->device,
                                  .step = &step,
                                  .inputs = in,
                                  .input_count = input_count,
                                  .outputs = out,
                                  .output_count = t->node.output_count};
  sli_status_t *status = t->kernel->compute(&context);
  for (int i = 0; i < input_count; i++) sli_tensor_release(in[i].tensor);
  for (int i = 0; i < t->node.output_count; i++) {
    outputs[i] = status ? NULL : out[i].tensor;
    if (status) sli_tensor_release(out[i].tensor);
  }
  return status;
}

// Both at once.
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

// A float tensor of |shape| with the given values.
static inline sli_tensor_t *sli_testing_floats(sli_shape_t shape, const float *values) {
  sli_tensor_t *tensor = NULL;
  sli_status_t *status = sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, shape.dims, shape.rank, &tensor);
  SLI_CHECK(!status);
  if (tensor->count) memcpy(tensor->data, values, sli_tensor_bytes(tensor));
  return tensor;
}

#endif  // SLI_MATH_TESTING_H_
