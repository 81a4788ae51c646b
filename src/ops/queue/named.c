// A task's private resources stand in a table that is a resource itself, so that
// it lives and dies with the task's other state. An entry counts the kernels
// (one for each plan) that have its node.
#include "ops/queue/named.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"

typedef struct {
  sli_object_t *object;
  char *name;  // "_3_node"
  int users;
} private_t;

typedef struct {
  sli_object_t base;
  sli_mutex_t mutex;
  sli_map_t entries;  // under |mutex|: type, NUL, container, NUL, node → private_t *
  int64_t next;       // under |mutex|
} private_table_t;

static void private_free(private_t *entry) {
  sli_object_release(entry->object);
  free(entry->name);
  free(entry);
}

static void private_table_destroy(sli_object_t *object) {
  private_table_t *table = (private_table_t *)object;
  SLI_MAP_FOR_EACH (&table->entries, entry) private_free(entry->value);
  sli_map_deinitialize(&table->entries);
  sli_mutex_deinitialize(&table->mutex);
  free(table);
}

static const sli_object_type_t private_table_type = {"PrivateResources", private_table_destroy};

static sli_status_t *private_table_create(void *context, void **out_object) {
  private_table_t *table = sli_calloc(1, sizeof(*table));
  sli_object_initialize(&table->base, &private_table_type);
  sli_mutex_initialize(&table->mutex);
  *out_object = table;
  return NULL;
}

struct sli_named {
  const sli_node_def_t *node;
  const sli_named_type_t *type;
  sli_device_t *device;
  sli_view_t container, shared_name;
  private_table_t *table;  // counted; of a private resource
  sli_string_t key;        // in |table|
  // Made by the first run.
  sli_mutex_t mutex;
  sli_tensor_t *handle;       // under |mutex|; the new form
  sli_variable_t *reference;  // under |mutex|; the old form
};

sli_status_t *sli_named_create(const sli_kernel_setup_t *setup, const sli_named_type_t *type, void **out_state) {
  *out_state = NULL;
  sli_view_t container, shared_name;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "container", &container));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "shared_name", &shared_name));
  if (type->check_early) {
    void *object;
    SLI_RETURN_IF_ERROR(type->make(setup->node, sli_view(setup->node->name), &object));
    sli_object_release(object);
  }
  sli_named_t *named = sli_calloc(1, sizeof(*named));
  *named = (sli_named_t){
      .node = setup->node, .type = type, .device = setup->device, .container = container, .shared_name = shared_name};
  sli_mutex_initialize(&named->mutex);
  *out_state = named;
  return NULL;
}

static void leave_table(sli_named_t *named) {
  private_table_t *table = named->table;
  sli_view_t key = sli_view_of(named->key.data, named->key.size);
  sli_mutex_lock(&table->mutex);
  private_t *entry = sli_map_get(&table->entries, key);
  bool gone = entry && --entry->users == 0 && named->type->is_finished && named->type->is_finished(entry->object);
  if (gone) sli_map_remove(&table->entries, key);
  sli_mutex_unlock(&table->mutex);
  if (gone) {
    sli_status_release(
        sli_resource_remove(named->device->resources, named->container, named->type->type, sli_view(entry->name)));
    private_free(entry);
  }
  sli_object_release(table);
}

void sli_named_destroy(void *state) {
  sli_named_t *named = state;
  if (!named) return;
  sli_tensor_release(named->handle);
  sli_variable_release(named->reference);
  if (named->table) leave_table(named);
  sli_string_deinitialize(&named->key);
  sli_mutex_deinitialize(&named->mutex);
  free(named);
}

// Finds or makes the private resource; |*out_name| lives as long as the kernel.
static sli_status_t *find_private(sli_named_t *named, void **out_object, sli_view_t *out_name) {
  sli_resource_manager_t *resources = named->device->resources;
  private_table_t *table;
  SLI_RETURN_IF_ERROR(sli_resource_find_or_create(resources, sli_view(""), &private_table_type, sli_view("private"),
                                                  private_table_create, NULL, (void **)&table));
  named->key.size = 0;
  sli_string_append_format(&named->key, "%s%c%.*s%c%s", named->type->type->name, 0, SLI_VIEW_ARG(named->container), 0,
                           named->node->name);
  sli_view_t key = sli_view_of(named->key.data, named->key.size);
  sli_status_t *status = NULL;
  sli_mutex_lock(&table->mutex);
  private_t *entry = sli_map_get(&table->entries, key);
  if (entry) {
    if (named->type->match) status = named->type->match(named->node, entry->object);
  } else {
    entry = sli_calloc(1, sizeof(*entry));
    entry->name = sli_format("_%lld_%s", (long long)table->next, named->node->name);
    status = named->type->make(named->node, sli_view(entry->name), (void **)&entry->object);
    if (!status) status = sli_resource_insert(resources, named->container, sli_view(entry->name), entry->object);
    if (status) {
      private_free(entry);
    } else {
      table->next++;
      sli_map_set(&table->entries, key, entry);
    }
  }
  if (!status) {
    entry->users++;
    named->table = sli_object_retain(table);
    *out_object = sli_object_retain(entry->object);
    *out_name = sli_view(entry->name);
  }
  sli_mutex_unlock(&table->mutex);
  sli_object_release(table);
  return status;
}

static sli_status_t *make_shared(void *context, void **out_object) {
  const sli_named_t *named = context;
  return named->type->make(named->node, named->shared_name, out_object);
}

static sli_status_t *find_shared(sli_named_t *named, void **out_object) {
  SLI_RETURN_IF_ERROR(sli_resource_find_or_create(named->device->resources, named->container, named->type->type,
                                                  named->shared_name, make_shared, named, out_object));
  sli_status_t *status = named->type->match ? named->type->match(named->node, *out_object) : NULL;
  if (status) sli_object_release(*out_object);
  return status;
}

static sli_status_t *make_handle_locked(sli_named_t *named) {
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

sli_status_t *sli_named_compute(sli_kernel_context_t *context) {
  sli_named_t *named = (sli_named_t *)sli_kernel_state(context);  // guards itself
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

static sli_status_t *find_by_handle(sli_kernel_context_t *context, int index, const sli_object_type_t *type,
                                    void **out_object) {
  sli_tensor_t *tensor = sli_kernel_input(context, index);
  sli_object_t *element =
      tensor && tensor->dtype == SLI_DTYPE_RESOURCE && tensor->count == 1 ? SLI_DATA(sli_object_t *, tensor)[0] : NULL;
  if (!element || element->type != &sli_resource_handle_type)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input %d is not a resource handle", index);
  const sli_resource_handle_t *handle = (const sli_resource_handle_t *)element;
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

sli_status_t *sli_named_find(sli_kernel_context_t *context, int index, const sli_object_type_t *type,
                             void **out_object) {
  *out_object = NULL;
  if (!sli_dtype_is_ref(context->node->input_types[index])) return find_by_handle(context, index, type, out_object);
  sli_tensor_t *names = sli_tensor_retain(sli_kernel_input(context, index));
  if (!names) SLI_RETURN_IF_ERROR(sli_variable_read_initialized(sli_kernel_input_variable(context, index), &names));
  sli_status_t *status = find_by_names(context, names, type, out_object);
  sli_tensor_release(names);
  return status;
}
