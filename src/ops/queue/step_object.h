// Objects that live for one step (TensorArrays, stacks) and their handles: a
// resource, or the two names [container, object] as strings, by reference or not.
#ifndef SLI_OPS_QUEUE_STEP_OBJECT_H_
#define SLI_OPS_QUEUE_STEP_OBJECT_H_

#include "core/kernel.h"

// The object behind input 0; |*out_object| carries a reference. NOT_FOUND, INVALID_ARGUMENT.
sli_status_t *sli_step_find(sli_kernel_context_t *context, const sli_object_type_t *type, void **out_object);
// Sets output 0 to a handle of |object|, in the form that the op declares. The object stands in the step's
// resources under |container| and |name| together.
sli_status_t *sli_step_set_handle(sli_kernel_context_t *context, const char *container, const char *name, void *object);

#endif  // SLI_OPS_QUEUE_STEP_OBJECT_H_
