// Multi-device iterators: one pass over a dataset whose elements go to the shards in turn. A shard that needs an
// element fetches for the others what comes before it; what it fetched waits for them in their queues.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "core/tensor/tensor_codec.h"
#include "ops/common/named_resource.h"
#include "ops/data/elements.h"
#include "ops/data/iterator_resource.h"

typedef struct {
  sli_object_t base;
  sli_iterator_resource_t *elements;  // for its types and shapes; counted
  int shard_count;
  sli_mutex_t mutex;
  // Under |mutex|, also while an element is fetched: the shards take turns.
  sli_iterator_pass_t *pass;        // NULL: not initialized
  sli_dataset_elements_t *waiting;  // of each shard
  int64_t incarnation;
  int next_shard;
  bool has_ended;
} multi_t;

static void drop_waiting(multi_t *multi) {
  for (int i = 0; i < multi->shard_count; i++) sli_dataset_elements_deinitialize(&multi->waiting[i]);
}

static void multi_destroy(sli_object_t *object) {
  multi_t *multi = (multi_t *)object;
  drop_waiting(multi);
  free(multi->waiting);
  sli_iterator_pass_release(multi->pass);
  sli_object_release(multi->elements);
  sli_mutex_deinitialize(&multi->mutex);
  free(multi);
}

static const sli_object_type_t multi_type = {.name = "MultiDeviceIterator", .destroy = multi_destroy};

static sli_status_t *make_multi(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  *out_object = NULL;
  const sli_attr_t *devices;
  sli_iterator_resource_t *elements;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "devices", SLI_ATTR_STRING, &devices));
  SLI_RETURN_IF_ERROR(sli_iterator_resource_create(node, &elements));
  multi_t *multi = sli_calloc(1, sizeof(*multi));
  sli_object_initialize(&multi->base, &multi_type);
  sli_mutex_initialize(&multi->mutex);
  multi->elements = elements;
  multi->shard_count = (int)devices->count;
  multi->waiting = sli_calloc(devices->count + 1, sizeof(multi->waiting[0]));
  for (int i = 0; i < multi->shard_count; i++) multi->waiting[i].component_count = elements->component_count;
  *out_object = multi;
  return NULL;
}

static sli_status_t *multi_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const sli_named_resource_type_t type = {&multi_type, make_multi, NULL, true};
  return sli_named_resource_create(setup, &type, out_state);
}

// The third version is kept by its handle alone; the other also by name until it is deleted.
static sli_status_t *anonymous(sli_kernel_context_t *context) {
  static atomic_llong next;
  multi_t *multi;
  SLI_RETURN_IF_ERROR(make_multi(context->node, sli_view(""), (void **)&multi));
  sli_view_t container = sli_view("AnonymousMultiDeviceIterator");
  char *name = sli_format("AnonymousMultiDeviceIterator%lld", atomic_fetch_add(&next, 1));
  sli_tensor_t *output;
  sli_status_t *status = NULL;
  if (context->output_count > 1)
    status = sli_resource_insert(context->device->resources, container, sli_view(name), multi);
  if (!status) status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
  if (!status) {
    sli_resource_handle_t *handle =
        sli_resource_handle_create(context->device->name, container, sli_view(name), &multi_type, multi);
    SLI_DATA(sli_object_t *, output)[0] = &handle->base;
  }
  if (!status && context->output_count > 1) {
    status = sli_kernel_allocate_output(context, 1, SLI_SHAPE_SCALAR, &output);
    if (!status) SLI_DATA(sli_object_t *, output)[0] = sli_object_retain(multi);
  }
  sli_object_release(multi);
  free(name);
  return status;
}

static sli_status_t *delete_multi(sli_kernel_context_t *context) {
  const sli_resource_handle_t *handle;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, 0, &handle));
  return sli_resource_remove(context->device->resources, sli_view(handle->container), &multi_type,
                             sli_view(handle->name));
}

static sli_status_t *initialize(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  multi_t *multi;
  int64_t buffer_size;
  sli_iterator_pass_t *pass, *before;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 2, "max_buffer_size", &buffer_size));
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 1, &multi_type, (void **)&multi));
  sli_status_t *status =
      sli_iterator_resource_check(multi->elements, dataset->types, dataset->shapes, dataset->component_count);
  if (!status) status = sli_iterator_pass_create(dataset, context->device, &pass);
  if (!status) {
    sli_mutex_lock(&multi->mutex);
    before = multi->pass;
    multi->pass = pass;
    multi->next_shard = 0;
    multi->has_ended = false;
    drop_waiting(multi);
    sli_kernel_set_output(context, 0, sli_tensor_scalar_int64(++multi->incarnation));
    sli_mutex_unlock(&multi->mutex);
    sli_iterator_pass_release(before);
  }
  sli_object_release(multi);
  return status;
}

// Fetches elements until |shard| has one or the dataset ends.
static sli_status_t *fetch_locked(multi_t *multi, int shard, const sli_iterator_call_t *call) {
  while (!multi->waiting[shard].count && !multi->has_ended) {
    sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
    SLI_RETURN_IF_ERROR(sli_iterator_next(multi->pass->iterator, call, element, &multi->has_ended));
    if (multi->has_ended) return NULL;
    sli_dataset_elements_push(&multi->waiting[multi->next_shard], element);
    multi->next_shard = (multi->next_shard + 1) % multi->shard_count;
  }
  return NULL;
}

static sli_status_t *take_locked(sli_kernel_context_t *context, multi_t *multi, int64_t shard, int64_t incarnation) {
  sli_iterator_call_t call = {context->step->cancellation};
  if (!multi->pass) return sli_iterator_not_initialized("GetNextFromShard()");
  if (incarnation != multi->incarnation)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid incarnation id. Provided: %lld; Expected: %lld",
                           (long long)incarnation, (long long)multi->incarnation);
  if (shard < 0 || shard >= multi->shard_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shard_num must be from 0 to %d, got %lld", multi->shard_count - 1,
                           (long long)shard);
  SLI_RETURN_IF_ERROR(sli_dataset_check_types(context->node->output_types, context->output_count,
                                              multi->elements->types, multi->elements->component_count));
  SLI_RETURN_IF_ERROR(fetch_locked(multi, (int)shard, &call));
  sli_dataset_elements_t *waiting = &multi->waiting[shard];
  if (!waiting->count) return sli_status_make(SLI_OUT_OF_RANGE, "End of sequence");
  sli_tensor_t **element = sli_dataset_elements_at(waiting, 0);
  for (int i = 0; i < waiting->component_count; i++) sli_kernel_set_output(context, i, sli_tensor_retain(element[i]));
  sli_dataset_elements_drop(waiting, 1);
  return NULL;
}

static sli_status_t *next_from_shard(sli_kernel_context_t *context) {
  multi_t *multi;
  int64_t shard, incarnation;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "shard_num", &shard));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 2, "incarnation_id", &incarnation));
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &multi_type, (void **)&multi));
  sli_mutex_lock(&multi->mutex);
  sli_status_t *status = take_locked(context, multi, shard, incarnation);
  sli_mutex_unlock(&multi->mutex);
  sli_object_release(multi);
  return status;
}

static sli_status_t *to_string(sli_kernel_context_t *context) {
  const sli_resource_handle_t *handle;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, 0, &handle));
  sli_string_t bytes = {0};
  sli_resource_handle_encode(handle, &bytes);
  sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view_of(bytes.data, bytes.size)));
  sli_string_deinitialize(&bytes);
  return NULL;
}

static sli_status_t *from_string(sli_kernel_context_t *context) {
  sli_view_t text;
  multi_t *multi;
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 0, "string_handle", &text));
  sli_resource_handle_t *handle = sli_resource_handle_decode(text);
  if (!handle) return sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse string_handle as a valid ResourceHandle");
  sli_status_t *status = sli_resource_find(context->device->resources, sli_view(handle->container), &multi_type,
                                           sli_view(handle->name), (void **)&multi);
  sli_tensor_t *output;
  if (!status) {
    status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
    if (!status) {
      sli_resource_handle_t *own = sli_resource_handle_create(context->device->name, sli_view(handle->container),
                                                              sli_view(handle->name), &multi_type, multi);
      SLI_DATA(sli_object_t *, output)[0] = &own->base;
    }
    sli_object_release(multi);
  }
  sli_object_release(handle);
  return status;
}

static const sli_op_def_t ops[] = {
    {
        .name = "MultiDeviceIterator",
        .outputs = "handle: resource",
        .attrs = "devices: list(string) >= 1; shared_name: string; container: string; " SLI_DATASET_ELEMENTS,
        .summary = "An iterator whose elements go to several devices in turn.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "AnonymousMultiDeviceIterator",
        .outputs = "handle: resource, deleter: variant",
        .attrs = "devices: list(string) >= 1; " SLI_DATASET_ELEMENTS,
        .summary = "An iterator without a name whose elements go to several devices in turn.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "AnonymousMultiDeviceIteratorV3",
        .outputs = "handle: resource",
        .attrs = "devices: list(string) >= 1; " SLI_DATASET_ELEMENTS,
        .summary = "An iterator for several devices that lives as long as its handle.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "MultiDeviceIteratorInit",
        .inputs = "dataset: variant, multi_device_iterator: resource, max_buffer_size: int64",
        .outputs = "incarnation_id: int64",
        .summary = "Starts an iterator for several devices at the first element of a dataset.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "MultiDeviceIteratorGetNextFromShard",
        .inputs = "multi_device_iterator: resource, shard_num: int32, incarnation_id: int64",
        .outputs = "components: output_types",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The next element for one device.",
        .shape = sli_dataset_infer_components,
        .is_stateful = true,
    },
    {
        .name = "MultiDeviceIteratorToStringHandle",
        .inputs = "multi_device_iterator: resource",
        .outputs = "string_handle: string",
        .summary = "The handle of an iterator for several devices as text.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "MultiDeviceIteratorFromStringHandle",
        .inputs = "string_handle: string",
        .outputs = "multi_device_iterator: resource",
        .attrs = "output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []",
        .summary = "The iterator for several devices that a text names.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "DeleteMultiDeviceIterator",
        .inputs = "multi_device_iterator: resource, iterators: N * resource, deleter: variant",
        .attrs = "N: int >= 0",
        .summary = "Deletes an iterator for several devices without a name.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "MultiDeviceIterator",
     .compute = sli_named_resource_compute,
     .create = multi_create,
     .destroy = sli_named_resource_destroy},
    {.op = "AnonymousMultiDeviceIterator", .compute = anonymous},
    {.op = "AnonymousMultiDeviceIteratorV3", .compute = anonymous},
    {.op = "MultiDeviceIteratorInit", .compute = initialize, .blocks = true},
    {.op = "MultiDeviceIteratorGetNextFromShard", .compute = next_from_shard, .blocks = true},
    {.op = "MultiDeviceIteratorToStringHandle", .compute = to_string},
    {.op = "MultiDeviceIteratorFromStringHandle", .compute = from_string},
    {.op = "DeleteMultiDeviceIterator", .compute = delete_multi},
};

SLI_OP_MODULE(data_multi_device);
