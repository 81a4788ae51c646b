// Resources: state that outlives a step (variables, queues, readers …). A task stores
// them by container, type and name. Resources are reference-counted objects
// (core/tensor/tensor.h), so that a RESOURCE tensor can hold one. Thread-safe.
#ifndef SLI_CORE_STATE_RESOURCE_H_
#define SLI_CORE_STATE_RESOURCE_H_

#include "base/status.h"
#include "base/string.h"
#include "core/tensor/resource_handle.h"
#include "core/tensor/tensor.h"

typedef struct sli_resource_manager sli_resource_manager_t;

sli_resource_manager_t *sli_resource_manager_create(const char *default_container);
void sli_resource_manager_destroy(sli_resource_manager_t *manager);

// In all functions an empty |container| is the default one. The caller gets a reference
// to |*out_object|.

// NOT_FOUND "Resource container/name/type does not exist." A NULL |manager| holds nothing, as that of a step without
// stateful ops.
sli_status_t *sli_resource_find(sli_resource_manager_t *manager, sli_view_t container, const sli_object_type_t *type,
                                sli_view_t name, void **out_object);
// Finds the resource, or stores the one that |create|(context, &object) makes. |create| runs at
// most once, under the manager's lock, and must not call the manager.
sli_status_t *sli_resource_find_or_create(sli_resource_manager_t *manager, sli_view_t container,
                                          const sli_object_type_t *type, sli_view_t name,
                                          sli_status_t *(*create)(void *context, void **out_object), void *context,
                                          void **out_object);
// ALREADY_EXISTS if the name is taken. Retains |object|.
sli_status_t *sli_resource_insert(sli_resource_manager_t *manager, sli_view_t container, sli_view_t name, void *object);
sli_status_t *sli_resource_remove(sli_resource_manager_t *manager, sli_view_t container, const sli_object_type_t *type,
                                  sli_view_t name);
// Removes everything in |container| (Session.reset). Steps that hold a resource keep it until they end.
void sli_resource_clear(sli_resource_manager_t *manager, sli_view_t container);
// The same for all containers, before the manager is destroyed: a resource may keep alive what owns the manager.
void sli_resource_clear_all(sli_resource_manager_t *manager);
// Calls |visit| for every resource, without the lock and with a reference held.
void sli_resource_for_each(sli_resource_manager_t *manager,
                           void (*visit)(void *context, sli_view_t container, sli_view_t name, sli_object_t *object),
                           void *context);

// What a resource reports about itself to sluice.Control.
typedef enum { SLI_RESOURCE_VARIABLE, SLI_RESOURCE_QUEUE, SLI_RESOURCE_ACCUMULATOR } sli_resource_kind_t;
typedef struct {
  sli_resource_kind_t kind;
  // Of a variable: what it holds, or was declared with.
  sli_dtype_t dtype;
  bool is_initialized;
  int rank;  // -1: unknown
  int64_t dims[SLI_MAX_RANK];
  int64_t bytes;
  bool has_count;  // it is an initialised integer, a counter such as the global step
  int64_t count;
  // Of a queue.
  const char *queue_kind;
  int64_t size, capacity;  // -1: unbounded
  bool is_closed;
  int64_t waiting_enqueues, waiting_dequeues;
  // Of an accumulator.
  int64_t accumulated, required, quorum, global_step, accepted, stale;
} sli_resource_info_t;
// Thread-safe; never blocks for long.
typedef struct sli_resource_watch {
  // Fills in |out_info|, which is zeroed.
  void (*describe)(sli_object_t *object, sli_resource_info_t *out_info);
  void (*set_quorum)(sli_object_t *object, int64_t quorum);  // NULL: has none
} sli_resource_watch_t;

#endif  // SLI_CORE_STATE_RESOURCE_H_
