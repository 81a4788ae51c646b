#include "ops/data/iterator_resource.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/optimize.h"

// --- Passes ------------------------------------------------------------------------------------------

sli_status_t *sli_iterator_pass_create(sli_dataset_t *dataset, sli_device_t *device, sli_iterator_pass_t **out_pass) {
  *out_pass = NULL;
  sli_dataset_t *optimized;
  SLI_RETURN_IF_ERROR(sli_dataset_optimize(dataset, device, &optimized));
  sli_iterator_root_t *root = sli_iterator_root_create(device);
  sli_iterator_t *iterator;
  sli_status_t *status = sli_dataset_check_expectations(optimized);
  if (!status) status = sli_iterator_create(optimized, root, &iterator);
  sli_dataset_release(optimized);
  if (status) {
    sli_iterator_root_cancel(root);
    sli_iterator_root_release(root);
    return status;
  }
  sli_iterator_pass_t *pass = sli_calloc(1, sizeof(*pass));
  sli_refcount_initialize(&pass->references);
  pass->root = root;
  pass->iterator = iterator;
  *out_pass = pass;
  return NULL;
}

void sli_iterator_pass_release(sli_iterator_pass_t *pass) {
  if (!pass || !sli_refcount_release(&pass->references)) return;
  sli_iterator_root_cancel(pass->root);
  sli_iterator_release(pass->iterator);
  sli_iterator_root_release(pass->root);
  free(pass);
}

static sli_iterator_pass_t *take_pass_locked(sli_iterator_resource_t *resource) {
  if (resource->pass) sli_refcount_retain(&resource->pass->references);
  return resource->pass;
}

// --- The resource --------------------------------------------------------------------------------------

static void resource_destroy(sli_object_t *object) {
  sli_iterator_resource_t *resource = (sli_iterator_resource_t *)object;
  sli_iterator_pass_release(resource->pass);
  sli_status_release(resource->error);
  sli_mutex_deinitialize(&resource->mutex);
  sli_mutex_deinitialize(&resource->initialization);
  sli_arena_deinitialize(&resource->arena);
  free(resource);
}

const sli_object_type_t sli_iterator_resource_type = {"Iterator", resource_destroy, NULL};

sli_status_t *sli_iterator_resource_create(const sli_node_def_t *node, sli_iterator_resource_t **out_resource) {
  *out_resource = NULL;
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "output_types", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  if (types->count != shapes->count || types->count > SLI_DATASET_MAX_COMPONENTS)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "output_types and output_shapes must have the same length, at most %d; they have %zu and "
                           "%zu",
                           SLI_DATASET_MAX_COMPONENTS, types->count, shapes->count);
  sli_iterator_resource_t *resource = sli_calloc(1, sizeof(*resource));
  sli_object_initialize(&resource->base, &sli_iterator_resource_type);
  sli_mutex_initialize(&resource->mutex);
  sli_mutex_initialize(&resource->initialization);
  resource->component_count = (int)types->count;
  sli_dtype_t *own_types = sli_arena_calloc(&resource->arena, types->count + 1, sizeof(*own_types));
  sli_shape_t *own_shapes = sli_arena_calloc(&resource->arena, types->count + 1, sizeof(*own_shapes));
  for (size_t i = 0; i < types->count; i++) {
    own_types[i] = types->list.type[i];
    own_shapes[i] = sli_shape_copy(&resource->arena, shapes->list.shape[i]);
  }
  resource->types = own_types;
  resource->shapes = own_shapes;
  *out_resource = resource;
  return NULL;
}

sli_status_t *sli_iterator_resource_check(const sli_iterator_resource_t *resource, const sli_dtype_t *types,
                                          const sli_shape_t *shapes, int count) {
  if (!resource->component_count) return NULL;
  SLI_RETURN_IF_ERROR(sli_dataset_check_types(resource->types, resource->component_count, types, count));
  return sli_dataset_check_shapes(resource->shapes, shapes, count);
}

sli_status_t *sli_iterator_resource_start(sli_iterator_resource_t *resource, sli_dataset_t *dataset,
                                          sli_device_t *device) {
  SLI_RETURN_IF_ERROR(sli_iterator_resource_check(resource, dataset->types, dataset->shapes, dataset->component_count));
  sli_iterator_pass_t *pass;
  SLI_RETURN_IF_ERROR(sli_iterator_pass_create(dataset, device, &pass));
  sli_iterator_resource_replace(resource, pass);
  return NULL;
}

sli_iterator_pass_t *sli_iterator_resource_pass(sli_iterator_resource_t *resource) {
  sli_mutex_lock(&resource->mutex);
  sli_iterator_pass_t *pass = take_pass_locked(resource);
  sli_mutex_unlock(&resource->mutex);
  return pass;
}

void sli_iterator_resource_replace(sli_iterator_resource_t *resource, sli_iterator_pass_t *pass) {
  sli_mutex_lock(&resource->mutex);
  sli_iterator_pass_t *before = resource->pass;
  resource->pass = pass;
  sli_mutex_unlock(&resource->mutex);
  sli_iterator_pass_release(before);
}

sli_status_t *sli_iterator_not_initialized(const char *what) {
  return sli_status_make(SLI_FAILED_PRECONDITION,
                         "%s failed because the iterator has not been initialized. Ensure that you have run the "
                         "initializer operation for this iterator before getting the next element.",
                         what);
}

// --- Requests ------------------------------------------------------------------------------------------

static void serve(void *context);

// Ends one turn: the next request gets a thread, or the resource is idle. Consumes a reference of |resource|.
static void end_turn(sli_iterator_resource_t *resource, sli_thread_pool_t *pool) {
  sli_mutex_lock(&resource->mutex);
  bool goes_on = resource->waiting.first != NULL;
  resource->is_busy = goes_on;
  sli_mutex_unlock(&resource->mutex);
  if (!goes_on)
    sli_object_release(resource);
  else if (pool)
    sli_thread_pool_submit_blocking(pool, serve, resource);
  else
    serve(resource);
}

// Runs a request whose turn it is, or that was cancelled before. All references are released before the kernel
// completes: the step may be the last one of its session.
static void request_done(sli_waiter_t *waiter, sli_status_t *status) {
  sli_iterator_request_t *request = (sli_iterator_request_t *)waiter;
  sli_iterator_resource_t *resource = request->resource;
  sli_kernel_context_t *context = request->context;
  if (!status) {
    sli_iterator_pass_t *pass = sli_iterator_resource_pass(resource);
    status = request->run(context, pass);
    sli_iterator_pass_release(pass);
    end_turn(resource, sli_kernel_pool(context));
  }
  sli_object_release(resource);
  free(request);
  sli_kernel_complete(context, status);
}

// Serves the first request. Owns a reference of the resource and its turn.
static void serve(void *context) {
  sli_iterator_resource_t *resource = context;
  sli_waiter_list_t turn = {0};
  sli_mutex_lock(&resource->mutex);
  sli_waiter_t *first = resource->waiting.first;
  if (first)
    sli_waiter_resolve_locked(first, NULL, &turn);
  else
    resource->is_busy = false;  // its request was cancelled
  sli_mutex_unlock(&resource->mutex);
  if (first)
    sli_waiter_list_finish(&turn);
  else
    sli_object_release(resource);
}

static void queue_request_locked(sli_iterator_resource_t *resource, sli_kernel_context_t *context,
                                 sli_status_t *(*run)(sli_kernel_context_t *, sli_iterator_pass_t *),
                                 sli_waiter_list_t *resolved) {
  sli_iterator_request_t *request = sli_calloc(1, sizeof(*request));
  sli_waiter_initialize(&request->waiter, NULL, &resource->mutex, context->step->cancellation);
  request->waiter.cancelled_text = "The step was cancelled while it waited for an iterator";
  request->waiter.done = request_done;
  request->resource = sli_object_retain(resource);
  request->context = context;
  request->run = run;
  sli_waiter_append_locked(&request->waiter, &resource->waiting);
  sli_waiter_park_locked(&request->waiter, resolved);
}

void sli_iterator_resource_request(sli_iterator_resource_t *resource, sli_kernel_context_t *context, bool may_be_quick,
                                   sli_status_t *(*run)(sli_kernel_context_t *context, sli_iterator_pass_t *pass)) {
  sli_thread_pool_t *pool = sli_kernel_pool(context);
  sli_iterator_pass_t *pass = NULL;
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&resource->mutex);
  bool is_first = !resource->is_busy;
  bool is_quick = is_first && may_be_quick &&
                  (!resource->pass || !pool || resource->pass->iterator->dataset->is_light ||
                   sli_iterator_is_ready(resource->pass->iterator));
  resource->is_busy = true;
  if (is_quick)
    pass = take_pass_locked(resource);
  else
    queue_request_locked(resource, context, run, &resolved);
  // The turn of another request has a reference while the lock is held, so that this one is not the last.
  if (!is_first) sli_object_release(resource);
  sli_mutex_unlock(&resource->mutex);
  // From here on |context| may have completed, unless the request is quick.
  if (is_first && !is_quick && pool) sli_thread_pool_submit_blocking(pool, serve, resource);
  if (is_first && !is_quick && !pool) serve(resource);
  sli_waiter_list_finish(&resolved);
  if (!is_quick) return;
  sli_status_t *status = run(context, pass);
  sli_iterator_pass_release(pass);
  end_turn(resource, pool);
  sli_kernel_complete(context, status);
}
