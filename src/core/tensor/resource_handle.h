// A resource handle: the element of a RESOURCE tensor. It names a resource of one device; |resource| is set where the
// handle was made; a handle that came over the wire looks it up by name. Immutable after creation.
#ifndef SLI_CORE_TENSOR_RESOURCE_HANDLE_H_
#define SLI_CORE_TENSOR_RESOURCE_HANDLE_H_

#include "base/string.h"
#include "core/tensor/tensor.h"

typedef struct {
  sli_object_t base;
  char *device, *container, *name, *type_name;
  uint64_t hash_code;
  sli_object_t *resource;  // counted; NULL: look it up
  sli_dtype_t dtype;       // of a variable, for shape inference; SLI_DTYPE_INVALID: unknown
} sli_resource_handle_t;
extern const sli_object_type_t sli_resource_handle_type;

// A handle with one reference. Copies the names; retains |resource|, which may be NULL, as may |type|.
sli_resource_handle_t *sli_resource_handle_create(const char *device, sli_view_t container, sli_view_t name,
                                                  const sli_object_type_t *type, void *resource);

#endif  // SLI_CORE_TENSOR_RESOURCE_HANDLE_H_
