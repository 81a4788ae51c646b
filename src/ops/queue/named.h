// Resources that an op makes by name (queues, accumulators, readers …) and other
// ops find through the handle: a RESOURCE tensor, or in the old form a reference
// to a string tensor [container, name].
//
// With a shared name the resource belongs to its container. Without one it is
// private to the node in its session: every plan of the session that holds the node
// sees the same resource, under a name like "_3_node" that no shared name takes.
#ifndef SLI_OPS_QUEUE_NAMED_H_
#define SLI_OPS_QUEUE_NAMED_H_

#include "core/kernel.h"
#include "core/resource.h"

typedef struct sli_named sli_named_t;

// How an op makes its resource.
typedef struct {
  const sli_object_type_t *type;
  // Makes the resource for |node|; |name| is how messages show it.
  sli_status_t *(*make)(const sli_node_def_t *node, sli_view_t name, void **out_object);
  // Whether the node agrees with a resource that was there; NULL: always.
  sli_status_t *(*match)(const sli_node_def_t *node, void *object);
  // |make| needs nothing but the node's attributes: run it once for its errors when a plan is made.
  bool check_early;
} sli_named_type_t;

// The state of a kernel that makes a resource: a .create function calls this with its type.
sli_status_t *sli_named_create(const sli_kernel_setup_t *setup, const sli_named_type_t *type, void **out_state);
void sli_named_destroy(void *state);
// Sets output 0 to the handle, in the form that the op declares.
sli_status_t *sli_named_compute(sli_kernel_context_t *context);

// The resource behind input |index|, whichever form the handle has; |*out_object| carries a reference.
// NOT_FOUND if the name names nothing, INVALID_ARGUMENT if it is no handle or one of another type.
sli_status_t *sli_named_find(sli_kernel_context_t *context, int index, const sli_object_type_t *type,
                             void **out_object);

#endif  // SLI_OPS_QUEUE_NAMED_H_
