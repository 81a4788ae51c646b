// Resources: state that outlives a step (variables, queues, readers …), kept by
// container, type and name on the task that holds it. Resources are counted
// objects (core/tensor.h), so that a RESOURCE tensor can hold one. Thread-safe.
#ifndef SLI_CORE_RESOURCE_H_
#define SLI_CORE_RESOURCE_H_

#include "base/status.h"
#include "base/string.h"
#include "core/tensor.h"

typedef struct sli_resource_manager sli_resource_manager_t;

sli_resource_manager_t *sli_resource_manager_create(const char *default_container);
void sli_resource_manager_destroy(sli_resource_manager_t *manager);

// All lookups: an empty |container| is the default one. Out objects carry a
// reference for the caller.

// NOT_FOUND "Resource container/name/type does not exist."
sli_status_t *sli_resource_find(sli_resource_manager_t *manager, sli_view_t container, const sli_object_type_t *type,
                                sli_view_t name, void **out_object);
// Finds, or stores what |create|(context, &object) makes; |create| runs under the
// manager's lock at most once and must not call back.
sli_status_t *sli_resource_find_or_create(sli_resource_manager_t *manager, sli_view_t container,
                                          const sli_object_type_t *type, sli_view_t name,
                                          sli_status_t *(*create)(void *context, void **out_object), void *context,
                                          void **out_object);
// ALREADY_EXISTS if the name is taken. Retains |object|.
sli_status_t *sli_resource_insert(sli_resource_manager_t *manager, sli_view_t container, sli_view_t name, void *object);
sli_status_t *sli_resource_remove(sli_resource_manager_t *manager, sli_view_t container, const sli_object_type_t *type,
                                  sli_view_t name);
// Drops everything in |container| (Session.reset); steps that hold a resource keep it until they end.
void sli_resource_clear(sli_resource_manager_t *manager, sli_view_t container);
// Visits every resource (introspection) outside the lock, with a reference held.
void sli_resource_for_each(sli_resource_manager_t *manager,
                           void (*visit)(void *context, sli_view_t container, sli_view_t name, sli_object_t *object),
                           void *context);

// What a resource shows to whoever watches and steers a job (sluice.Control).
typedef enum { SLI_RESOURCE_VARIABLE, SLI_RESOURCE_QUEUE, SLI_RESOURCE_ACCUMULATOR } sli_resource_kind_t;
typedef struct {
  sli_resource_kind_t kind;
  // Of a variable: what it holds, or was declared with.
  sli_dtype_t dtype;
  bool is_initialized;
  int rank;  // -1: unknown
  int64_t dims[SLI_MAX_RANK];
  int64_t bytes;
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

// A handle: what a RESOURCE tensor's element is. It names a resource of one
// device; |resource| is set where the handle was made, and looked up by name
// after a trip over the wire.
typedef struct {
  sli_object_t base;
  char *device, *container, *name, *type_name;
  uint64_t hash_code;
  sli_object_t *resource;  // counted; NULL: look it up
  sli_dtype_t dtype;       // of a variable, for shape inference; SLI_DTYPE_INVALID: unknown
} sli_resource_handle_t;
extern const sli_object_type_t sli_resource_handle_type;
sli_resource_handle_t *sli_resource_handle_create(const char *device, sli_view_t container, sli_view_t name,
                                                  const sli_object_type_t *type, void *resource);

#endif  // SLI_CORE_RESOURCE_H_
