// A private resource is registered twice: under its node's name in the resources of the session, so that all plans of
// the session find it and it is destroyed with the session; and under a name like "_3_node" in the resources of the
// device, where handles find it.
#include "ops/common/named_resource.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"

// The entry for a private resource in the resources of the session.
typedef struct {
  sli_object_t base;
  sli_object_t *object;
  sli_resource_manager_t *home;  // the device's, which outlives its sessions
  char *container, *name;        // in |home|
  sli_mutex_t mutex;
  bool is_published;  // under |mutex|: |home| has it
} private_t;

static void private_destroy(sli_object_t *object) {
  private_t *entry = (private_t *)object;
  // Ignores the error: a reset of the device may have removed it already.
  if (entry->is_published)
    sli_status_release(
        sli_resource_remove(entry->home, sli_view(entry->container), entry->object->type, sli_view(entry->name)));
  sli_object_release(entry->object);
  sli_mutex_deinitialize(&entry->mutex);
  free(entry->container);
  free(entry->name);
  free(entry);
}

static const sli_object_type_t private_type = {"PrivateResource", private_destroy, NULL};

struct sli_named_resource {
  const sli_node_def_t *node;
  const sli_named_resource_type_t *type;
  sli_device_t *device;
  sli_view_t container, shared_name;
  sli_resource_manager_t *session;  // where private resources are registered
  private_t *entry;                 // a reference; NULL for a shared resource
  // Created by the first run.
  sli_mutex_t mutex;
  sli_tensor_t *handle;       // under |mutex|; the RESOURCE form
  sli_variable_t *reference;  // under |mutex|; the old form
};

sli_status_t *sli_named_resource_create(const sli_kernel_setup_t *setup, const sli_named_resource_type_t *type,
                                        void **out_state) {
  *out_state = NULL;
  sli_view_t container, shared_name;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "container", &container));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "shared_name", &shared_name));
  if (!shared_name.size && sli_node_attr(setup->node, "use_node_name_sharing")) {
    bool by_node;
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "use_node_name_sharing", &by_node));
    if (by_node) shared_name = sli_view(setup->node->name);
  }
  if (type->check_early) {
    void *object;
    SLI_RETURN_IF_ERROR(type->make(setup->node, sli_view(setup->node->name), &object));
    sli_object_release(object);
  }
  sli_named_resource_t *named = sli_calloc(1, sizeof(*named));
  *named = (sli_named_resource_t){.node = setup->node,
                                  .type = type,
                                  .device = setup->device,
                                  .container = container,
                                  .shared_name = shared_name,
                                  .session = setup->session ? setup->session : setup->device->resources};
  sli_mutex_initialize(&named->mutex);
  *out_state = named;
  return NULL;
}

void sli_named_resource_destroy(void *state) {
  sli_named_resource_t *named = state;
  if (!named) return;
  sli_tensor_release(named->handle);
  sli_variable_release(named->reference);
  sli_object_release(named->entry);
  sli_mutex_deinitialize(&named->mutex);
  free(named);
}

static sli_status_t *make_private(void *context, void **out_object) {
  static atomic_llong next;
  const sli_named_resource_t *named = context;
  char *name = sli_format("_%lld_%s", atomic_fetch_add(&next, 1), named->node->name);
  void *object;
  sli_status_t *status = named->type->make(named->node, sli_view(name), &object);
  if (status) {
    free(name);
    return status;
  }
  private_t *entry = sli_calloc(1, sizeof(*entry));
  sli_object_initialize(&entry->base, &private_type);
  entry->object = object;
  entry->home = named->device->resources;
  entry->container = sli_strndup(named->container.data, named->container.size);
  entry->name = name;
  sli_mutex_initialize(&entry->mutex);
  *out_object = entry;
  return NULL;
}

// Registers the resource with the device, once. Not done in |make_private|, which runs under the lock of the session's
// resources: these may be the device's.
static sli_status_t *publish(private_t *entry) {
  sli_status_t *status = NULL;
  sli_mutex_lock(&entry->mutex);
  if (!entry->is_published)
    status = sli_resource_insert(entry->home, sli_view(entry->container), sli_view(entry->name), entry->object);
  entry->is_published = !status;
  sli_mutex_unlock(&entry->mutex);
  return status;
}

// Finds or creates the private resource. |*out_name| is valid as long as the kernel.
static sli_status_t *find_private(sli_named_resource_t *named, void **out_object, sli_view_t *out_name) {
  char *key = sli_format("%s/%s", named->type->type->name, named->node->name);
  private_t *entry;
  sli_status_t *status = sli_resource_find_or_create(named->session, named->container, &private_type, sli_view(key),
                                                     make_private, named, (void **)&entry);
  free(key);
  if (!status && named->type->match) status = named->type->match(named->node, entry->object);
  if (!status) status = publish(entry);
  if (status) {
    sli_object_release(entry);
    return status;
  }
  named->entry = entry;
  *out_object = sli_object_retain(entry->object);
  *out_name = sli_view(entry->name);
  return NULL;
}

static sli_status_t *make_shared(void *context, void **out_object) {
  const sli_named_resource_t *named = context;
  return named->type->make(named->node, named->shared_name, out_object);
}

static sli_status_t *find_shared(sli_named_resource_t *named, void **out_object) {
  SLI_RETURN_IF_ERROR(sli_resource_find_or_create(named->device->resources, named->container, named->type->type,
                                                  named->shared_name, make_shared, named, out_object));
  sli_status_t *status = named->type->match ? named->type->match(named->node, *out_object) : NULL;
  if (status) sli_object_release(*out_object);
  return status;
}

static sli_status_t *make_handle_locked(sli_named_resource_t *named) {
  void *object;
  sli_view_t name = named->shared_name;
  sli_view_t container = named->container.size ? named->container : sli_view("localhost");
  SLI_RETURN_IF_ERROR(name.size ? find_shared(named, &object) : find_private(named, &object, &name));
  bool is_ref = sli_dtype_is_ref(named->node->output_types[0]);
  sli_tensor_t *tensor;
  sli_status_t *status = sli_tensor_create(named->device->allocator, is_ref ? SLI_DTYPE_STRING : SLI_DTYPE_RESOURCE,
                                           (int64_t[]){2}, is_ref ? 1 : 0, &tensor);
  if (!status && is_ref) {
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[0], container.data, container.size);
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[1], name.data, name.size);
    named->reference = sli_variable_create(SLI_DTYPE_STRING, sli_view(named->node->name), SLI_SHAPE_UNKNOWN);
    sli_variable_replace(named->reference, tensor);
  } else if (!status) {
    sli_resource_handle_t *handle =
        sli_resource_handle_create(named->device->name, container, name, named->type->type, object);
    SLI_DATA(sli_object_t *, tensor)[0] = &handle->base;
    named->handle = tensor;
  }
  sli_object_release(object);
  return status;
}

sli_status_t *sli_named_resource_compute(sli_kernel_context_t *context) {
  sli_named_resource_t *named = (sli_named_resource_t *)sli_kernel_state(context);  // has its own mutex
  sli_mutex_lock(&named->mutex);
  sli_status_t *status = named->handle || named->reference ? NULL : make_handle_locked(named);
  if (!status && named->reference)
    sli_kernel_set_output_variable(context, 0, sli_variable_retain(named->reference));
  else if (!status)
    sli_kernel_set_output(context, 0, sli_tensor_retain(named->handle));
  sli_mutex_unlock(&named->mutex);
  return status;
}

static sli_status_t *find_by_names(sli_kernel_context_t *context, const sli_tensor_t *names,
                                   const sli_object_type_t *type, void **out_object) {
  if (names->dtype != SLI_DTYPE_STRING || names->count != 2) {
    char *shape = sli_shape_to_text(sli_tensor_shape(names));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Resource handle must have 2 elements, but had shape: %s", shape);
    free(shape);
    return status;
  }
  const sli_tstring_t *parts = SLI_DATA(const sli_tstring_t, names);
  return sli_resource_find(context->device->resources, sli_tstring_view(&parts[0]), type, sli_tstring_view(&parts[1]),
                           out_object);
}

sli_status_t *sli_named_resource_handle(sli_kernel_context_t *context, int index,
                                        const sli_resource_handle_t **out_handle) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  sli_object_t *element =
      tensor && tensor->dtype == SLI_DTYPE_RESOURCE && tensor->count == 1 ? SLI_DATA(sli_object_t *, tensor)[0] : NULL;
  bool is_handle = element && element->type == &sli_resource_handle_type;
  *out_handle = is_handle ? (const sli_resource_handle_t *)element : NULL;
  return is_handle ? NULL : sli_status_make(SLI_INVALID_ARGUMENT, "Input %d is not a resource handle", index);
}

static sli_status_t *find_by_handle(sli_kernel_context_t *context, int index, const sli_object_type_t *type,
                                    void **out_object) {
  const sli_resource_handle_t *handle;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, index, &handle));
  if (!handle->resource)
    return sli_resource_find(context->device->resources, sli_view(handle->container), type, sli_view(handle->name),
                             out_object);
  if (handle->resource->type != type)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Trying to access resource %s of type %s through a handle that wants type %s", handle->name,
                           handle->resource->type->name, type->name);
  *out_object = sli_object_retain(handle->resource);
  return NULL;
}

sli_status_t *sli_named_resource_find(sli_kernel_context_t *context, int index, const sli_object_type_t *type,
                                      void **out_object) {
  *out_object = NULL;
  if (!sli_dtype_is_ref(context->node->input_types[index])) return find_by_handle(context, index, type, out_object);
  sli_tensor_t *names = sli_tensor_retain(sli_kernel_input(context, index));
  if (!names) SLI_RETURN_IF_ERROR(sli_variable_read_initialized(sli_kernel_input_variable(context, index), &names));
  sli_status_t *status = find_by_names(context, names, type, out_object);
  sli_tensor_release(names);
  return status;
}
