#include "ops/data/node.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

sli_status_t *sli_dataset_node_initialize(sli_dataset_node_t *self, const char *op, sli_device_t *device,
                                          const sli_attr_entry_t *attrs, size_t attr_count, const sli_dtype_t *types,
                                          int input_count) {
  *self = (sli_dataset_node_t){.device = device};
  sli_node_request_t request = {.name = op,
                                .device = "",
                                .op = sli_op_find(sli_view(op)),
                                .attrs = attrs,
                                .attr_count = attr_count,
                                .input_types = types,
                                .input_count = input_count,
                                .infer = true};
  SLI_CHECK(request.op);
  sli_status_t *status = sli_node_def_complete(&request, &self->arena, &self->node);
  bool is_complete = !status;
  if (!status) status = sli_kernel_find(&self->node, device->type, &self->kernel);
  if (!status) SLI_CHECK(self->kernel->compute);
  sli_kernel_setup_t setup = {.node = &self->node, .device = device};
  if (!status && self->kernel->create) status = self->kernel->create(&setup, &self->state);
  if (!status) return NULL;
  if (is_complete) sli_node_def_release_tensors(&self->node);
  sli_arena_deinitialize(&self->arena);
  *self = (sli_dataset_node_t){0};
  return status;
}

void sli_dataset_node_deinitialize(sli_dataset_node_t *self) {
  if (!self->kernel) return;
  if (self->state && self->kernel->destroy) self->kernel->destroy(self->state);
  sli_node_def_release_tensors(&self->node);
  sli_arena_deinitialize(&self->arena);
  *self = (sli_dataset_node_t){0};
}

sli_status_t *sli_dataset_node_run(const sli_dataset_node_t *self, sli_cancellation_t *cancellation,
                                   sli_tensor_t *const *inputs, sli_tensor_t **out_outputs) {
  int input_count = self->node.input_count, output_count = self->node.output_count;
  sli_kernel_value_t *values = sli_calloc((size_t)(input_count + output_count + 1), sizeof(*values));
  sli_step_t step = {.cancellation = cancellation, .deadline = SLI_CLOCK_NO_DEADLINE};
  sli_kernel_context_t context = {.node = &self->node,
                                  .state = self->state,
                                  .device = self->device,
                                  .step = &step,
                                  .inputs = values,
                                  .input_count = input_count,
                                  .outputs = values + input_count,
                                  .output_count = output_count};
  for (int i = 0; i < input_count; i++) values[i].tensor = sli_tensor_retain(inputs[i]);
  sli_status_t *status = self->kernel->compute(&context);
  for (int i = 0; i < input_count; i++) sli_kernel_value_release(values[i]);
  for (int i = 0; i < output_count; i++) {
    if (status)
      sli_kernel_value_release(context.outputs[i]);
    else
      out_outputs[i] = context.outputs[i].tensor;
  }
  free(values);
  return status;
}
