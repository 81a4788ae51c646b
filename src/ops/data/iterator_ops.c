// The iterator ops: making iterators, asking for elements, handles as text, saving and restoring.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "core/tensor/tensor_codec.h"
#include "ops/common/named_resource.h"
#include "ops/data/iterator_resource.h"
#include "ops/data/optional.h"

// --- Making iterators ----------------------------------------------------------------------------------

static sli_status_t *make_resource(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  return sli_iterator_resource_create(node, (sli_iterator_resource_t **)out_object);
}

static sli_status_t *match_resource(const sli_node_def_t *node, void *object) {
  sli_iterator_resource_t *wanted;
  SLI_RETURN_IF_ERROR(sli_iterator_resource_create(node, &wanted));
  sli_iterator_resource_t *resource = object;
  sli_status_t *status =
      sli_iterator_resource_check(wanted, resource->types, resource->shapes, resource->component_count);
  sli_object_release(wanted);
  return status;
}

static sli_status_t *iterator_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const sli_named_resource_type_t type = {&sli_iterator_resource_type, make_resource, match_resource, true};
  return sli_named_resource_create(setup, &type, out_state);
}

static sli_status_t *make_iterator(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  sli_iterator_resource_t *resource;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 1, &sli_iterator_resource_type, (void **)&resource));
  sli_status_t *status = sli_iterator_resource_start(resource, dataset, context->device);
  sli_object_release(resource);
  return status;
}

// --- One-shot iterators --------------------------------------------------------------------------------

typedef struct {
  void *named, *library;
} one_shot_t;

static void one_shot_destroy(void *state) {
  one_shot_t *self = state;
  if (!self) return;
  sli_named_resource_destroy(self->named);
  sli_dataset_library_destroy(self->library);
  free(self);
}

static sli_status_t *one_shot_create(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = NULL;
  one_shot_t *self = sli_calloc(1, sizeof(*self));
  sli_status_t *status = iterator_create(setup, &self->named);
  if (!status) status = sli_dataset_library_create(setup, &self->library);
  if (status) {
    one_shot_destroy(self);
    return status;
  }
  *out_state = self;
  return NULL;
}

static sli_status_t *call_factory(sli_kernel_context_t *context, sli_iterator_resource_t *resource) {
  sli_dataset_function_t factory;
  SLI_RETURN_IF_ERROR(sli_dataset_function_initialize(context, "dataset_factory", NULL, &factory));
  sli_tensor_t *result = NULL;
  sli_dataset_t *dataset;
  sli_iterator_call_t call = {context->step->cancellation};
  sli_status_t *status = NULL;
  if (factory.function->argument_count != 0 || factory.function->result_count != 1 ||
      factory.function->result_types[0] != SLI_DTYPE_VARIANT)
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "The `dataset_factory` function must return a single scalar of dtype DT_VARIANT.");
  if (!status) status = sli_dataset_function_call(&factory, &call, NULL, 0, &result);
  if (!status) status = sli_dataset_of(result, &dataset);
  if (!status) status = sli_iterator_resource_start(resource, dataset, context->device);
  sli_tensor_release(result);
  sli_dataset_function_deinitialize(&factory);
  return status;
}

// Makes the dataset when the op first runs. An error stays.
static sli_status_t *one_shot(sli_kernel_context_t *context) {
  const one_shot_t *self = sli_kernel_state(context);
  sli_kernel_context_t part = *context;
  part.state = self->named;
  SLI_RETURN_IF_ERROR(sli_named_resource_compute(&part));
  part.state = self->library;
  const sli_resource_handle_t *handle = SLI_DATA(const sli_resource_handle_t *, context->outputs[0].tensor)[0];
  sli_iterator_resource_t *resource = (sli_iterator_resource_t *)handle->resource;
  sli_mutex_lock(&resource->initialization);
  sli_mutex_lock(&resource->mutex);
  bool is_done = resource->pass || resource->error;
  sli_mutex_unlock(&resource->mutex);
  sli_status_t *status = is_done ? sli_status_retain(resource->error) : call_factory(&part, resource);
  if (!is_done && status && sli_status_code(status) != SLI_CANCELLED) resource->error = sli_status_retain(status);
  sli_mutex_unlock(&resource->initialization);
  return status;
}

// --- Iterators without a name ----------------------------------------------------------------------------

// The third version is kept by its handle alone; the others also by name until they are deleted.
static sli_status_t *anonymous(sli_kernel_context_t *context) {
  static atomic_llong next;
  sli_iterator_resource_t *resource;
  SLI_RETURN_IF_ERROR(sli_iterator_resource_create(context->node, &resource));
  char *name = sli_format("AnonymousIterator%lld", atomic_fetch_add(&next, 1));
  bool is_counted = strcmp(context->node->op->def->name, "AnonymousIteratorV3") == 0;
  sli_status_t *status = NULL;
  sli_tensor_t *output;
  if (!is_counted)
    status = sli_resource_insert(context->device->resources, sli_view("AnonymousIterator"), sli_view(name), resource);
  if (!status) status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
  if (!status) {
    sli_resource_handle_t *handle = sli_resource_handle_create(context->device->name, sli_view("AnonymousIterator"),
                                                               sli_view(name), &sli_iterator_resource_type, resource);
    SLI_DATA(sli_object_t *, output)[0] = &handle->base;
  }
  if (!status && context->output_count > 1) {
    status = sli_kernel_allocate_output(context, 1, SLI_SHAPE_SCALAR, &output);
    if (!status) SLI_DATA(sli_object_t *, output)[0] = sli_object_retain(resource);
  }
  sli_object_release(resource);
  free(name);
  return status;
}

static sli_status_t *delete_iterator(sli_kernel_context_t *context) {
  const sli_resource_handle_t *handle;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, 0, &handle));
  return sli_resource_remove(context->device->resources, sli_view(handle->container), &sli_iterator_resource_type,
                             sli_view(handle->name));
}

// --- Elements ------------------------------------------------------------------------------------------

static sli_status_t *next_element(sli_kernel_context_t *context, sli_iterator_pass_t *pass, sli_tensor_t **element,
                                  bool *out_end) {
  if (!pass) return sli_iterator_not_initialized("GetNext()");
  sli_iterator_call_t call = {context->step->cancellation};
  return sli_iterator_next(pass->iterator, &call, element, out_end);
}

static sli_status_t *check_element(const sli_node_def_t *node, sli_tensor_t *const *element, int count) {
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "output_types", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  if (types->count != (size_t)count || shapes->count != (size_t)count)
    return sli_dataset_check_types(types->list.type, (int)types->count, types->list.type, count);
  for (int i = 0; i < count; i++) {
    sli_dtype_t type = (sli_dtype_t)element[i]->dtype;
    sli_shape_t shape = sli_tensor_shape(element[i]);
    if (types->list.type[i] != type || !sli_shape_is_compatible(shapes->list.shape[i], shape))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Element component %d has type %s and shape %s, expected type %s and shape %s", i,
                             sli_dtype_name(type), sli_shape_text(shape).text, sli_dtype_name(types->list.type[i]),
                             sli_shape_text(shapes->list.shape[i]).text);
  }
  return NULL;
}

static sli_status_t *run_get_next(sli_kernel_context_t *context, sli_iterator_pass_t *pass) {
  sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
  bool is_end;
  SLI_RETURN_IF_ERROR(next_element(context, pass, element, &is_end));
  if (is_end) return sli_status_make(SLI_OUT_OF_RANGE, "End of sequence");
  int count = pass->iterator->dataset->component_count;
  sli_status_t *status = check_element(context->node, element, count);
  if (status) {
    sli_dataset_release_element(element, count);
    return status;
  }
  for (int i = 0; i < count; i++) sli_kernel_set_output(context, i, element[i]);
  return NULL;
}

static sli_status_t *run_get_next_optional(sli_kernel_context_t *context, sli_iterator_pass_t *pass) {
  sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
  bool is_end;
  SLI_RETURN_IF_ERROR(next_element(context, pass, element, &is_end));
  int count = pass->iterator->dataset->component_count;
  sli_status_t *status = is_end ? NULL : check_element(context->node, element, count);
  if (!status) sli_kernel_set_output(context, 0, is_end ? sli_optional_none() : sli_optional_make(element, count));
  if (!is_end) sli_dataset_release_element(element, count);
  return status;
}

static void request(sli_kernel_context_t *context, bool is_quick,
                    sli_status_t *(*run)(sli_kernel_context_t *, sli_iterator_pass_t *)) {
  sli_iterator_resource_t *resource;
  sli_status_t *status = sli_named_resource_find(context, 0, &sli_iterator_resource_type, (void **)&resource);
  if (status) {
    sli_kernel_complete(context, status);
    return;
  }
  sli_iterator_resource_request(resource, context, is_quick, run);
}

// The request holds the resource from here on, and the input until it completes.
static void get_next(sli_kernel_context_t *context) { request(context, true, run_get_next); }
static void get_next_optional(sli_kernel_context_t *context) { request(context, true, run_get_next_optional); }

// --- Handles as text -------------------------------------------------------------------------------------

static sli_status_t *to_string(sli_kernel_context_t *context) {
  const sli_resource_handle_t *handle;
  sli_iterator_resource_t *resource;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, 0, &handle));
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &sli_iterator_resource_type, (void **)&resource));
  sli_object_release(resource);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  sli_string_t bytes = {0};
  sli_resource_handle_encode(handle, &bytes);
  sli_tstring_assign(SLI_DATA(sli_tstring_t, output), bytes.data, bytes.size);
  sli_string_deinitialize(&bytes);
  return NULL;
}

static sli_status_t *check_handle(sli_kernel_context_t *context, const sli_resource_handle_t *handle,
                                  sli_iterator_resource_t **out_resource) {
  if (strcmp(handle->device, context->device->name) != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Attempted create an iterator on device \"%s\" from handle defined on device \"%s\"",
                           context->device->name, handle->device);
  SLI_RETURN_IF_ERROR(sli_resource_find(context->device->resources, sli_view(handle->container),
                                        &sli_iterator_resource_type, sli_view(handle->name), (void **)out_resource));
  sli_iterator_resource_t *wanted;
  sli_status_t *status = sli_iterator_resource_create(context->node, &wanted);
  if (!status)
    status = sli_iterator_resource_check(wanted, (*out_resource)->types, (*out_resource)->shapes,
                                         (*out_resource)->component_count);
  if (!status) sli_object_release(wanted);
  if (status) sli_object_release(*out_resource);
  return status;
}

static sli_status_t *from_string(sli_kernel_context_t *context) {
  sli_view_t text;
  sli_tensor_t *output;
  sli_iterator_resource_t *resource;
  if (sli_kernel_input(context, 0)->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "string_handle must be a scalar");
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 0, "string_handle", &text));
  sli_resource_handle_t *handle = sli_resource_handle_decode(text);
  if (!handle) return sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse string_handle as a valid ResourceHandle");
  sli_status_t *status = check_handle(context, handle, &resource);
  if (!status) {
    sli_resource_handle_t *own =
        sli_resource_handle_create(context->device->name, sli_view(handle->container), sli_view(handle->name),
                                   &sli_iterator_resource_type, resource);
    sli_object_release(resource);
    status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
    if (status)
      sli_object_release(own);
    else
      SLI_DATA(sli_object_t *, output)[0] = &own->base;
  }
  sli_object_release(handle);
  return status;
}

static sli_status_t *get_device(sli_kernel_context_t *context) {
  const sli_resource_handle_t *handle;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, 0, &handle));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view(handle->device)));
  return NULL;
}

// --- Tables ------------------------------------------------------------------------------------------------

static const sli_op_def_t ops[] = {
    {
        .name = "Iterator",
        .outputs = "handle: resource",
        .attrs = "shared_name: string; container: string; " SLI_DATASET_ELEMENTS,
        .summary = "An iterator over a dataset, under a name.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "IteratorV2",
        .outputs = "handle: resource",
        .attrs = "shared_name: string; container: string; " SLI_DATASET_ELEMENTS,
        .summary = "An iterator over a dataset, under a name.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "OneShotIterator",
        .outputs = "handle: resource",
        .attrs = "dataset_factory: func; " SLI_DATASET_ELEMENTS "; container: string = ''; shared_name: string = ''",
        .summary = "An iterator over the dataset that a function makes.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "AnonymousIterator",
        .outputs = "handle: resource",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "An iterator without a name.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "AnonymousIteratorV2",
        .outputs = "handle: resource, deleter: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "An iterator without a name, and what deletes it.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "AnonymousIteratorV3",
        .outputs = "handle: resource",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "An iterator that lives as long as its handle.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "MakeIterator",
        .inputs = "dataset: variant, iterator: resource",
        .summary = "Starts an iterator at the first element of a dataset.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
    {
        .name = "DeleteIterator",
        .inputs = "handle: resource, deleter: variant",
        .summary = "Deletes an iterator without a name.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
    {
        .name = "IteratorGetNext",
        .inputs = "iterator: resource",
        .outputs = "components: output_types",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The next element of an iterator.",
        .shape = sli_dataset_infer_components,
        .is_stateful = true,
    },
    {
        .name = "IteratorGetNextSync",
        .inputs = "iterator: resource",
        .outputs = "components: output_types",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The next element of an iterator.",
        .shape = sli_dataset_infer_components,
        .is_stateful = true,
    },
    {
        .name = "IteratorGetNextAsOptional",
        .inputs = "iterator: resource",
        .outputs = "optional: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The next element of an iterator, or an optional without a value at its end.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "IteratorToStringHandle",
        .inputs = "resource_handle: resource",
        .outputs = "string_handle: string",
        .summary = "The handle of an iterator as text.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "IteratorFromStringHandle",
        .inputs = "string_handle: string",
        .outputs = "resource_handle: resource",
        .attrs = "output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []",
        .summary = "The iterator that a text names.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "IteratorFromStringHandleV2",
        .inputs = "string_handle: string",
        .outputs = "resource_handle: resource",
        .attrs = "output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []",
        .summary = "The iterator that a text names.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "IteratorGetDevice",
        .inputs = "resource: resource",
        .outputs = "device: string",
        .summary = "The device of an iterator.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "ExperimentalIteratorGetDevice",
        .inputs = "resource: resource",
        .outputs = "device: string",
        .summary = "The device of an iterator.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Iterator",
     .compute = sli_named_resource_compute,
     .create = iterator_create,
     .destroy = sli_named_resource_destroy},
    {.op = "IteratorV2",
     .compute = sli_named_resource_compute,
     .create = iterator_create,
     .destroy = sli_named_resource_destroy},
    {.op = "OneShotIterator",
     .compute = one_shot,
     .create = one_shot_create,
     .destroy = one_shot_destroy,
     .blocks = true},
    {.op = "AnonymousIterator", .compute = anonymous},
    {.op = "AnonymousIteratorV2", .compute = anonymous},
    {.op = "AnonymousIteratorV3", .compute = anonymous},
    {.op = "MakeIterator", .compute = make_iterator, .blocks = true},
    {.op = "DeleteIterator", .compute = delete_iterator},
    {.op = "IteratorGetNext", .compute_async = get_next},
    {.op = "IteratorGetNextSync", .compute_async = get_next},
    {.op = "IteratorGetNextAsOptional", .compute_async = get_next_optional},
    {.op = "IteratorToStringHandle", .compute = to_string},
    {.op = "IteratorFromStringHandle", .compute = from_string},
    {.op = "IteratorFromStringHandleV2", .compute = from_string},
    {.op = "IteratorGetDevice", .compute = get_device},
    {.op = "ExperimentalIteratorGetDevice", .compute = get_device},
};

SLI_OP_MODULE(iterator_ops);
