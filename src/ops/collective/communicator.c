// CollectiveInitializeCommunicator: forms a group, whose later ops (V3) need no keys. CollectiveAssignGroupV2: the key
// of the group to which a device belongs.
#include "ops/collective/communicator.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/op_registry.h"
#include "core/op/shape_inference.h"
#include "core/step/collective.h"
#include "core/tensor/resource_handle.h"
#include "ops/common/named_resource.h"

static void communicator_destroy(sli_object_t *object) { free(object); }

static const sli_object_type_t communicator_type = {.name = "CollectiveGroupResource", .destroy = communicator_destroy};

sli_status_t *sli_communicator_find(sli_kernel_context_t *context, int index, sli_communicator_t **out_communicator) {
  return sli_named_resource_find(context, index, &communicator_type, (void **)out_communicator);
}

// ---- CollectiveInitializeCommunicator --------------------------------------------

typedef struct {
  sli_collective_request_t request;
  sli_kernel_context_t *context;
} joining_t;

static void joined(void *user, sli_status_t *status) {
  joining_t *joining = user;
  sli_kernel_context_t *context = joining->context;
  free(joining);
  sli_kernel_complete(context, status);
}

static sli_status_t *read_inputs(sli_kernel_context_t *context, sli_collective_request_t *request) {
  static const char *const names[] = {"group_key", "rank", "group_size"};
  int64_t values[3];
  for (int i = 0; i < 3; i++) {
    const sli_tensor_t *input = sli_kernel_input(context, i);
    if (input->rank)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Unexpected dimensions on input %s. It shoulbe a scalar, got tensor with shape %s",
                             names[i], sli_tensor_shape_text(input).text);
    values[i] = sli_tensor_int_at(input, 0);
  }
  if (values[2] <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "group_size must be positive integer but got %lld",
                           (long long)values[2]);
  if (values[1] < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "rank must be non-negative integer but got %lld",
                           (long long)values[1]);
  if (values[1] >= values[2])
    return sli_status_make(SLI_INVALID_ARGUMENT, "rank must be less than group size but got %lld >= %lld",
                           (long long)values[1], (long long)values[2]);
  request->group_key = (int32_t)values[0];
  request->rank = (int)values[1];
  request->group_size = (int32_t)values[2];
  return NULL;
}

// Stores the communicator and sets the output to its handle.
static sli_status_t *make_communicator(sli_kernel_context_t *context, const sli_collective_request_t *request) {
  sli_communicator_t *communicator = sli_calloc(1, sizeof(*communicator));
  sli_object_initialize(&communicator->base, &communicator_type);
  communicator->group_key = request->group_key;
  communicator->group_size = request->group_size;
  communicator->rank = request->rank;
  communicator->timeout_seconds = request->timeout_seconds;
  char name[40];
  snprintf(name, sizeof(name), "%d:r%04d", request->group_key, request->rank);
  sli_view_t container = sli_view("collective_op_group");
  sli_status_t *status = sli_resource_insert(context->device->resources, container, sli_view(name), communicator);
  sli_tensor_t *output = NULL;
  if (!status) status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
  if (!status) SLI_DATA(sli_object_t *, output)
  [0] = &sli_resource_handle_create(context->device->name, container, sli_view(name), &communicator_type, communicator)
             ->base;
  sli_object_release(communicator);
  return status;
}

static void initialize_compute(sli_kernel_context_t *context) {
  sli_collective_request_t request = {
      .name = context->node->name, .device = context->device, .step = context->step, .merge = NULL};
  sli_status_t *status = sli_node_attr_float(context->node, "timeout_seconds", &request.timeout_seconds);
  if (!status) status = read_inputs(context, &request);
  if (!status && !context->step->collective)
    status = sli_status_make(SLI_INTERNAL, "Failed to get CollectiveExecutor from OpKernelContext for Op %s",
                             context->node->name);
  if (!status) status = make_communicator(context, &request);
  if (status) {
    sli_kernel_complete(context, status);
    return;
  }
  joining_t *joining = sli_malloc(sizeof(*joining));
  *joining = (joining_t){request, context};
  sli_collective_join(context->step->collective, &joining->request, joined, joining);
}

// ---- CollectiveAssignGroupV2 -----------------------------------------------------

static sli_status_t *find_group(const sli_tensor_t *assignment, int64_t device, int32_t base_key, int32_t *out_key) {
  for (int64_t group = 0; group < assignment->dims[0]; group++) {
    int32_t key = (int32_t)((uint32_t)base_key + (uint32_t)group);
    if (key == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Using the reserved group_key = 0 is not allowed: group_id = %lld, base_key = %d",
                             (long long)group, base_key);
    for (int64_t i = 0; i < assignment->dims[1]; i++) {
      int32_t index = SLI_DATA(const int32_t, assignment)[group * assignment->dims[1] + i];
      if (index < 0 || index >= assignment->count)
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "Not all items in group_assignment are within [0, number of devices): %d", index);
      if (index == device) {
        *out_key = key;
        return NULL;
      }
    }
  }
  return sli_status_make(SLI_INVALID_ARGUMENT, "device_index %lld is not found in group_assignment with shape %s",
                         (long long)device, sli_tensor_shape_text(assignment).text);
}

static sli_status_t *assign_group_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *assignment = sli_kernel_input(context, 0);
  if (assignment->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "group_assignment must be a matrix, got shape %s",
                           sli_tensor_shape_text(assignment).text);
  int64_t device, base_key;
  int32_t key = 0;
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 1, "device_index"));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 2, "base_key"));
  device = sli_tensor_int_at(sli_kernel_input(context, 1), 0);
  base_key = sli_tensor_int_at(sli_kernel_input(context, 2), 0);
  SLI_RETURN_IF_ERROR(find_group(assignment, device, (int32_t)base_key, &key));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32((int32_t)assignment->dims[1]));
  sli_kernel_set_output(context, 1, sli_tensor_scalar_int32(key));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "CollectiveInitializeCommunicator",
     .inputs = "group_key: int32, rank: int32, group_size: int32",
     .outputs = "communicator: resource",
     .attrs = "communication_hint: string = 'auto'; timeout_seconds: float = 0",
     .summary = "Forms a group of devices for collective ops.",
     .shape = sli_infer_fn_scalar,
     .is_stateful = true,
     .is_distributed_communication = true},
    {.name = "CollectiveAssignGroupV2",
     .inputs = "group_assignment: int32, device_index: int32, base_key: int32",
     .outputs = "group_size: int32, group_key: int32",
     .summary = "Finds the group of a device in a table of groups.",
     .shape = sli_infer_fn_scalar,
     .is_stateful = true,
     .is_distributed_communication = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "CollectiveInitializeCommunicator", .compute_async = initialize_compute},
    {.op = "CollectiveAssignGroupV2", .compute = assign_group_compute},
};

SLI_OP_MODULE(communicator);
