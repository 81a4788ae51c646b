// Resources beside datasets. DeleteSeedGenerator, DeleteRandomSeedGenerator and DeleteMemoryCache remove what datasets
// of TensorFlow 2 hold as a resource, before its last reference is gone. ThreadPoolHandle names a thread pool for
// ThreadPoolDataset; there is nothing in it, because datasets here share the threads of the process.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/named_resource.h"

static void pool_destroy(sli_object_t *object) { free(object); }
static const sli_object_type_t pool_type = {"ThreadPool", pool_destroy, NULL};

static sli_status_t *pool_make(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  int64_t threads;
  *out_object = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_threads", &threads));
  if (threads <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "`num_threads` must be greater than zero, got %lld",
                           (long long)threads);
  sli_object_t *pool = sli_calloc(1, sizeof(*pool));
  sli_object_initialize(pool, &pool_type);
  *out_object = pool;
  return NULL;
}

static sli_status_t *pool_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const sli_named_resource_type_t type = {.type = &pool_type, .make = pool_make};
  return sli_named_resource_create(setup, &type, out_state);
}

static sli_status_t *delete_resource(sli_kernel_context_t *context) {
  const sli_resource_handle_t *handle;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, 0, &handle));
  const sli_object_type_t *type = handle->resource ? handle->resource->type : NULL;
  if (!type) return sli_status_make(SLI_NOT_FOUND, "Resource %s/%s does not exist.", handle->container, handle->name);
  return sli_resource_remove(context->device->resources, sli_view(handle->container), type, sli_view(handle->name));
}

static sli_status_t *delete_shape(sli_infer_context_t *c) {
  sli_shape_t scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &scalar));
  return sli_infer_input_with_rank(c, 1, 0, &scalar);
}

#define ROW(op_name) \
  { .name = op_name, .inputs = "handle: resource, deleter: variant", .shape = delete_shape, .is_stateful = true }
static const sli_op_def_t ops[] = {
    ROW("DeleteSeedGenerator"),
    ROW("DeleteRandomSeedGenerator"),
    ROW("DeleteMemoryCache"),
    {
        .name = "ThreadPoolHandle",
        .outputs = "handle: resource",
        .attrs = "num_threads: int; max_intra_op_parallelism: int = 1; display_name: string; container: string = ''; "
                 "shared_name: string = ''",
        .summary = "A thread pool for datasets.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "DeleteSeedGenerator", .compute = delete_resource},
    {.op = "DeleteRandomSeedGenerator", .compute = delete_resource},
    {.op = "DeleteMemoryCache", .compute = delete_resource},
    {.op = "ThreadPoolHandle",
     .compute = sli_named_resource_compute,
     .create = pool_create,
     .destroy = sli_named_resource_destroy},
};

SLI_OP_MODULE(data_handles);
