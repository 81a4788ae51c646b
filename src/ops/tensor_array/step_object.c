#include "ops/tensor_array/step_object.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/common/named_resource.h"

static sli_status_t *find_by_names(sli_kernel_context_t *context, const sli_tensor_t *names,
                                   const sli_object_type_t *type, void **out_object) {
  if (names->dtype != SLI_DTYPE_STRING || names->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s handle must be 2-element vector, but had shape: %s", type->name,
                           sli_tensor_shape_text(names).text);
  sli_string_t key = {0};
  for (int i = 0; i < 2; i++) {
    sli_view_t part = sli_tstring_view(&SLI_DATA(sli_tstring_t, names)[i]);
    sli_string_append(&key, part.data, part.size);
  }
  sli_status_t *status =
      sli_resource_find(context->step->step_resources, sli_view(""), type, sli_view_of(key.data, key.size), out_object);
  sli_string_deinitialize(&key);
  return status;
}

static sli_status_t *find_by_handle(sli_kernel_context_t *context, const sli_object_type_t *type, void **out_object) {
  const sli_resource_handle_t *handle;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, 0, &handle));
  if (!handle->resource)
    return sli_resource_find(context->step->step_resources, sli_view(""), type, sli_view(handle->name), out_object);
  if (handle->resource->type != type)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Handle %s refers to a %s, expected a %s", handle->name,
                           handle->resource->type->name, type->name);
  *out_object = sli_object_retain(handle->resource);
  return NULL;
}

sli_status_t *sli_step_object_find(sli_kernel_context_t *context, const sli_object_type_t *type, void **out_object) {
  *out_object = NULL;
  sli_tensor_t *tensor = sli_kernel_input(context, 0);
  if (tensor && tensor->dtype == SLI_DTYPE_RESOURCE) return find_by_handle(context, type, out_object);
  if (tensor) return find_by_names(context, tensor, type, out_object);
  SLI_RETURN_IF_ERROR(sli_variable_read_initialized(sli_kernel_input_variable(context, 0), &tensor));
  sli_status_t *status = find_by_names(context, tensor, type, out_object);
  sli_tensor_release(tensor);
  return status;
}

static void set_resource(sli_kernel_context_t *context, sli_tensor_t *tensor, const char *container, const char *name,
                         sli_object_t *object) {
  char *key = sli_format("%s%s", container, name);
  SLI_DATA(sli_object_t *, tensor)
  [0] = (sli_object_t *)sli_resource_handle_create(context->device->name, sli_view("__per_step"), sli_view(key),
                                                   object->type, object);
  free(key);
}

sli_status_t *sli_step_object_set_handle(sli_kernel_context_t *context, const char *container, const char *name,
                                         void *object) {
  sli_dtype_t type = context->node->output_types[0];
  sli_tensor_t *tensor;
  if (type == SLI_DTYPE_RESOURCE) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &tensor));
    set_resource(context, tensor, container, name, object);
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, (int64_t[]){2}, 1, &tensor));
  sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[0], container, strlen(container));
  sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[1], name, strlen(name));
  if (!sli_dtype_is_ref(type)) {
    sli_kernel_set_output(context, 0, tensor);
    return NULL;
  }
  sli_variable_t *reference = sli_variable_create(SLI_DTYPE_STRING, sli_view(context->node->name), SLI_SHAPE_UNKNOWN);
  sli_variable_replace(reference, tensor);
  sli_kernel_set_output_variable(context, 0, reference);
  return NULL;
}
