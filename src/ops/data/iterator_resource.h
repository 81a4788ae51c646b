// The resource behind an iterator op: the pass over a dataset that runs now, and the requests that wait for their turn.
// Requests are served in order, one at a time, on a thread that may block; none holds a thread while it waits. Requests
// that only copy memory, or that find their element ready, are served at once on the caller's thread. Thread-safe.
#ifndef SLI_OPS_DATA_ITERATOR_RESOURCE_H_
#define SLI_OPS_DATA_ITERATOR_RESOURCE_H_

#include "ops/common/waiter.h"
#include "ops/data/dataset.h"

typedef struct sli_iterator_pass sli_iterator_pass_t;

// A pass over a dataset: the iterator and its root. Counted; the last reference ends the background work.
struct sli_iterator_pass {
  sli_refcount_t references;
  sli_iterator_root_t *root;
  sli_iterator_t *iterator;
};
sli_status_t *sli_iterator_pass_create(sli_dataset_t *dataset, sli_device_t *device, sli_iterator_pass_t **out_pass);
void sli_iterator_pass_release(sli_iterator_pass_t *pass);

typedef struct {
  sli_object_t base;
  sli_arena_t arena;
  int component_count;  // 0: any
  const sli_dtype_t *types;
  const sli_shape_t *shapes;
  sli_mutex_t mutex;
  // Under |mutex|:
  sli_iterator_pass_t *pass;  // NULL: not initialized
  sli_waiter_list_t waiting;
  bool is_busy;                // a request is being served
  sli_status_t *error;         // of a one-shot iterator's dataset
  sli_mutex_t initialization;  // held while a one-shot iterator makes its dataset
} sli_iterator_resource_t;
extern const sli_object_type_t sli_iterator_resource_type;

// A resource for elements of the types and shapes of |node|'s attributes output_types and output_shapes, without a
// pass.
sli_status_t *sli_iterator_resource_create(const sli_node_def_t *node, sli_iterator_resource_t **out_resource);
// INVALID_ARGUMENT unless elements of |types| and |shapes| fit.
sli_status_t *sli_iterator_resource_check(const sli_iterator_resource_t *resource, const sli_dtype_t *types,
                                          const sli_shape_t *shapes, int count);
// Starts a pass over |dataset| and forgets the one before.
sli_status_t *sli_iterator_resource_start(sli_iterator_resource_t *resource, sli_dataset_t *dataset,
                                          sli_device_t *device);

// The pass that runs now, with a reference; NULL: not initialized.
sli_iterator_pass_t *sli_iterator_resource_pass(sli_iterator_resource_t *resource);
// Puts |pass| in its place; consumes the reference.
void sli_iterator_resource_replace(sli_iterator_resource_t *resource, sli_iterator_pass_t *pass);

// A request. |run| is called when it is its turn, without locks, with the pass (NULL: not initialized), and
// completes the kernel.
typedef struct sli_iterator_request sli_iterator_request_t;
struct sli_iterator_request {
  sli_waiter_t waiter;
  sli_iterator_resource_t *resource;  // counted
  sli_kernel_context_t *context;
  sli_status_t *(*run)(sli_kernel_context_t *context, sli_iterator_pass_t *pass);
};
// Queues |run| for the resource and completes |context| afterwards. Consumes the reference of |resource|.
// |may_be_quick|: |run| asks for one element.
void sli_iterator_resource_request(sli_iterator_resource_t *resource, sli_kernel_context_t *context, bool may_be_quick,
                                   sli_status_t *(*run)(sli_kernel_context_t *context, sli_iterator_pass_t *pass));

// FAILED_PRECONDITION that |what| needs an initialized iterator.
sli_status_t *sli_iterator_not_initialized(const char *what);

#endif  // SLI_OPS_DATA_ITERATOR_RESOURCE_H_
