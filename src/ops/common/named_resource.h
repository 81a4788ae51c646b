// Resources that an op creates by name (queues, accumulators, readers …) and other ops find through a handle. The
// handle is a RESOURCE tensor, or in the old form a reference to a string tensor [container, name].
//
// With a shared name the resource belongs to its container. Without one it is private to the node in its session: every
// plan of the session that contains the node finds the same resource, under a name like "_3_node" that no shared name
// can equal. It is destroyed with the session.
#ifndef SLI_OPS_COMMON_NAMED_RESOURCE_H_
#define SLI_OPS_COMMON_NAMED_RESOURCE_H_

#include "core/op/kernel.h"
#include "core/state/resource.h"

typedef struct sli_named_resource sli_named_resource_t;

// How an op creates its resource.
typedef struct {
  const sli_object_type_t *type;
  // Creates the resource for |node|; |name| is for messages.
  sli_status_t *(*make)(const sli_node_def_t *node, sli_view_t name, void **out_object);
  // Returns an error if |node| does not fit a resource that exists already. NULL: any node fits.
  sli_status_t *(*match)(const sli_node_def_t *node, void *object);
  // Also call |make| when a plan is compiled, to report its errors early. It must need only the node's attributes.
  bool check_early;
} sli_named_resource_type_t;

// Creates the state of a kernel that creates a resource. Call it from the kernel's .create function.
sli_status_t *sli_named_resource_create(const sli_kernel_setup_t *setup, const sli_named_resource_type_t *type,
                                        void **out_state);
void sli_named_resource_destroy(void *state);
// Sets output 0 to the handle, in the form that the op declares.
sli_status_t *sli_named_resource_compute(sli_kernel_context_t *context);

// The resource handle in input |index|, owned by the input. INVALID_ARGUMENT if the input holds none.
sli_status_t *sli_named_resource_handle(sli_kernel_context_t *context, int index,
                                        const sli_resource_handle_t **out_handle);
// Finds the resource of the handle in input |index|, of either form. The caller owns a reference to |*out_object|.
// NOT_FOUND if there is no such resource, INVALID_ARGUMENT if the input is not a handle or has another type.
sli_status_t *sli_named_resource_find(sli_kernel_context_t *context, int index, const sli_object_type_t *type,
                                      void **out_object);

#endif  // SLI_OPS_COMMON_NAMED_RESOURCE_H_
