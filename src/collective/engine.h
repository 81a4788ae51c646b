// Collective ops in one process: groups, instances and the algorithms by which the members of a group exchange tensors.
// One task of a cluster, the leader, forms the groups: members tell it that they are there and get the list of all.
// Then they exchange buffers with each other, and a member asks for what it needs.
//
// If all members are Sluice's, a group has a life of its own, named by its generation: the first failure of any op ends
// it on every member, and the next op forms the group anew. Groups with TensorFlow's members follow TensorFlow's
// rules: buffers belong to steps, and a group is formed once.
//
// The members of an elastic group may join and leave. It has a size between two limits, which the leader decides: it
// waits for the tasks that reply. The first task that replies is the leader, so that every member may be lost.
//
// Thread-safe; nothing here blocks. Callbacks are called exactly once, on any thread, possibly before the call returns.
#ifndef SLI_COLLECTIVE_ENGINE_H_
#define SLI_COLLECTIVE_ENGINE_H_

#include "base/lend.h"
#include "base/map.h"
#include "collective/exchange.h"
#include "core/step/collective.h"
#include "core/step/env.h"

// A device in a group.
typedef struct {
  char *device, *task;
  uint64_t incarnation;
  bool is_sluice;
  int rank;  // that the graph gave it; -1: none
} sli_collective_member_t;

// Reference-counted. Immutable, except for |instances| and |boards|.
typedef struct {
  sli_refcount_t references;
  int32_t key, size;
  char *device_type;
  int task_count;
  char *generation;                      // "": a member or the leader is TensorFlow's
  char *leader;                          // of an elastic group, "": this process; NULL: it is not elastic
  sli_collective_member_t *members;      // |size| of them; those of a task are neighbours
  sli_map_t instances;                   // under the engine's mutex
  struct sli_collective_boards *boards;  // likewise: shared memory between the members, see shared.c; NULL: not tried
} sli_collective_group_t;

// Takes over |members|. Sorts them.
sli_collective_group_t *sli_collective_group_create(int32_t key, const char *device_type, const char *generation,
                                                    sli_collective_member_t *members, int32_t size);
sli_collective_group_t *sli_collective_group_retain(sli_collective_group_t *group);
void sli_collective_group_release(sli_collective_group_t *group);

// CompleteGroup: |member| is there.
typedef struct {
  int32_t key, size;
  const char *device_type;
  sli_collective_kind_t kind;
  sli_collective_member_t member;  // its |task| is not set
  const char *failed;              // the generation that failed; "": none
  // The group may have any size from |least| to |size|, and is formed anew when a member asks; 0: it has |size|.
  int32_t least;
  bool takes_over;  // the caller forms the group from now on; it does not join here
} sli_collective_group_request_t;
// The callee owns |status| and, on success, a reference to |group|.
typedef void (*sli_collective_group_done_t)(void *context, sli_status_t *status, sli_collective_group_t *group);

// CompleteInstance: what a device expects of an op.
typedef struct {
  const char *name;
  sli_collective_kind_t kind;
  sli_dtype_t dtype;
  sli_shape_t shape;
  int32_t group_key, group_size, instance_key;
  const char *device_type, *device;
  const int32_t *rings;
  int ring_count;
  bool is_source;
  int64_t step_id;
} sli_collective_instance_request_t;
// |source_rank| of a broadcast; -1 for others.
typedef void (*sli_collective_instance_done_t)(void *context, sli_status_t *status, int source_rank);

// RecvBuf.
typedef struct {
  int64_t step_id;
  sli_view_t key;
  int64_t size;
  const char *source_device, *destination_device;
  uint64_t incarnation;  // of the source
} sli_collective_buffer_request_t;

typedef void (*sli_collective_probe_done_t)(void *context, sli_status_t *status, const sli_collective_member_t *devices,
                                            size_t count);

// The other tasks. Calls are asynchronous; |cancellation| ends them.
typedef struct {
  void *context;
  // The names of all tasks, in the cluster's order; NULL after the last one.
  const char *(*task)(void *context, size_t index);
  void (*complete_group)(void *context, const char *leader, const sli_collective_group_request_t *request,
                         sli_cancellation_t *cancellation, sli_collective_group_done_t done, void *done_context);
  void (*complete_instance)(void *context, const char *leader, const sli_collective_instance_request_t *request,
                            sli_cancellation_t *cancellation, sli_collective_instance_done_t done, void *done_context);
  void (*receive)(void *context, const char *task, const sli_collective_buffer_request_t *request,
                  sli_cancellation_t *cancellation, sli_collective_buffer_done_t done, void *done_context);
  // The memory that the task shares with this one; the caller releases it. NULL, or the function is NULL: none.
  sli_lend_mapping_t *(*memory)(void *context, const char *task);
  uint64_t host;  // the same number for tasks that may share memory; 0: nobody shares
  // Asks the task for its devices. UNAVAILABLE if it cannot be reached; with |waits| it may take some seconds to start.
  void (*probe)(void *context, const char *task, bool waits, sli_cancellation_t *cancellation,
                sli_collective_probe_done_t done, void *done_context);
} sli_collective_peers_t;

typedef struct sli_collective_engine sli_collective_engine_t;

// |peers| NULL: this process has all members. |env| must then not have timers. |pool| computes; it may be NULL.
sli_collective_engine_t *sli_collective_engine_create(sli_env_t *env, sli_thread_pool_t *pool, const char *task,
                                                      const sli_collective_peers_t *peers);
// Fails everything that runs and will run with |status| (consumed).
void sli_collective_engine_stop(sli_collective_engine_t *engine, sli_status_t *status);
// After the stop; no op may be running. NULL is allowed.
void sli_collective_engine_destroy(sli_collective_engine_t *engine);
// 0: no limit for the RecvBufs that wait.
void sli_collective_engine_limit(sli_collective_engine_t *engine, size_t waiting);

// The engine for ops whose groups |leader| forms; "" or the task's own name: this process does. The caller frees it
// with free(), before the engine.
sli_collective_t *sli_collective_engine_bind(sli_collective_engine_t *engine, const char *leader);

// What other tasks request of this one.
void sli_collective_engine_complete_group(sli_collective_engine_t *engine,
                                          const sli_collective_group_request_t *request,
                                          sli_cancellation_t *cancellation, sli_collective_group_done_t done,
                                          void *context);
void sli_collective_engine_complete_instance(sli_collective_engine_t *engine,
                                             const sli_collective_instance_request_t *request,
                                             sli_cancellation_t *cancellation, sli_collective_instance_done_t done,
                                             void *context);
void sli_collective_engine_serve(sli_collective_engine_t *engine, const sli_collective_buffer_request_t *request,
                                 sli_cancellation_t *cancellation, sli_collective_buffer_done_t done, void *context);

// The step has ended: peers that still wait for its buffers fail.
void sli_collective_engine_end_step(sli_collective_engine_t *engine, int64_t step_id);

#endif  // SLI_COLLECTIVE_ENGINE_H_
