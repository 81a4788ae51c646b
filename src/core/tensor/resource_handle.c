#include "core/tensor/resource_handle.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

static void handle_destroy(sli_object_t *object) {
  sli_resource_handle_t *handle = (sli_resource_handle_t *)object;
  sli_object_release(handle->resource);
  free(handle->device);
  free(handle->container);
  free(handle->name);
  free(handle->type_name);
  free(handle);
}

const sli_object_type_t sli_resource_handle_type = {"ResourceHandle", handle_destroy};

sli_resource_handle_t *sli_resource_handle_create(const char *device, sli_view_t container, sli_view_t name,
                                                  const sli_object_type_t *type, void *resource) {
  sli_resource_handle_t *handle = sli_calloc(1, sizeof(*handle));
  sli_object_initialize(&handle->base, &sli_resource_handle_type);
  handle->device = sli_strdup(device);
  handle->container = sli_strndup(container.data, container.size);
  handle->name = sli_strndup(name.data, name.size);
  handle->type_name = sli_strdup(type ? type->name : "");
  handle->hash_code = type ? sli_hash_bytes(type->name, strlen(type->name)) : 0;
  handle->resource = sli_object_retain(resource);
  return handle;
}
