// ElasticGroupJoin: joins a group whose members may change, and says how many there are. Sluice's own: the ops of such
// a group (the second versions of TensorFlow's) get their group_size from it. When a member is lost, leaves or joins,
// the ops of all fail with ABORTED or UNAVAILABLE, and everybody joins again.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/op_registry.h"
#include "core/op/shape_inference.h"
#include "core/step/collective.h"

typedef struct {
  sli_collective_request_t request;
  sli_kernel_context_t *context;
  int32_t size;
} elastic_join_t;

static void joined(void *user, sli_status_t *status) {
  elastic_join_t *joining = user;
  sli_kernel_context_t *context = joining->context;
  if (!status) sli_kernel_set_output(context, 0, sli_tensor_scalar_int32(joining->size));
  free(joining);
  sli_kernel_complete(context, status);
}

static sli_status_t *read_attrs(const sli_node_def_t *node, sli_collective_request_t *request) {
  int64_t key, least, most;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "group_key", &key));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "least_size", &least));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "most_size", &most));
  if (least < 1 || least > most || most > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "least_size must be from 1 to most_size %lld, got %lld",
                           (long long)most, (long long)least);
  request->group_key = (int32_t)key;
  request->group_least = (int32_t)least;
  request->group_size = (int32_t)most;
  return sli_node_attr_float(node, "timeout_seconds", &request->timeout_seconds);
}

static void join_compute(sli_kernel_context_t *context) {
  elastic_join_t *joining = sli_calloc(1, sizeof(*joining));
  joining->context = context;
  joining->request = (sli_collective_request_t){.name = context->node->name,
                                                .rank = -1,
                                                .device = context->device,
                                                .step = context->step,
                                                .out_size = &joining->size};
  sli_status_t *status = read_attrs(context->node, &joining->request);
  if (!status && !context->step->collective)
    status = sli_status_make(SLI_INTERNAL, "%s: the step has no collective ops", context->node->name);
  if (status)
    joined(joining, status);
  else
    sli_collective_join(context->step->collective, &joining->request, joined, joining);
}

static const sli_op_def_t ops[] = {
    {.name = "ElasticGroupJoin",
     .outputs = "group_size: int32",
     .attrs = "group_key: int; least_size: int >= 1; most_size: int >= 1; timeout_seconds: float = 0",
     .summary = "Joins a group of devices whose members may change.",
     .shape = sli_infer_fn_scalar,
     .is_stateful = true,
     .is_distributed_communication = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ElasticGroupJoin", .compute_async = join_compute},
};

SLI_OP_MODULE(elastic_group);
