// Objects that live for one step (TensorArrays, stacks) and their handles. A handle is a resource, or a string tensor
// [container, name], which may be passed by reference.
#ifndef SLI_OPS_TENSOR_ARRAY_STEP_OBJECT_H_
#define SLI_OPS_TENSOR_ARRAY_STEP_OBJECT_H_

#include "core/op/kernel.h"

// Finds the object that input 0 refers to. The caller owns the reference |*out_object|. NOT_FOUND if there is no such
// object, INVALID_ARGUMENT if the handle is malformed or of another type.
sli_status_t *sli_step_object_find(sli_kernel_context_t *context, const sli_object_type_t *type, void **out_object);
// Sets output 0 to a handle of |object|, of the kind that the op declares. The object's key in the step's resources is
// |container| followed by |name|.
sli_status_t *sli_step_object_set_handle(sli_kernel_context_t *context, const char *container, const char *name,
                                         void *object);

#endif  // SLI_OPS_TENSOR_ARRAY_STEP_OBJECT_H_
