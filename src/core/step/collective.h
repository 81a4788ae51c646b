// Collective ops as kernels see them: the devices of a group exchange tensors, each device by its own node. Groups and
// instances are named by numbers that all members choose alike. The implementation is in the room collective.
#ifndef SLI_CORE_STEP_COLLECTIVE_H_
#define SLI_CORE_STEP_COLLECTIVE_H_

#include <stdbool.h>
#include <stdint.h>

#include "core/step/device.h"
#include "core/step/step.h"
#include "core/tensor/tensor.h"

// TensorFlow's numbers, which messages contain.
typedef enum {
  SLI_COLLECTIVE_REDUCE = 0,
  SLI_COLLECTIVE_BROADCAST = 1,
  SLI_COLLECTIVE_GATHER = 2,
  SLI_COLLECTIVE_ALL_TO_ALL = 4,
  SLI_COLLECTIVE_REDUCE_SCATTER = 5,
} sli_collective_kind_t;

typedef enum {
  SLI_COLLECTIVE_SUM,
  SLI_COLLECTIVE_PRODUCT,
  SLI_COLLECTIVE_MAX,
  SLI_COLLECTIVE_MIN,
} sli_collective_reduction_t;

// Combines |count| elements: to = to op from. With |from_step| 0 all of them with the one element |from|.
typedef void (*sli_collective_merge_t)(int op, sli_dtype_t dtype, void *to, const void *from, int64_t from_step,
                                       int64_t count);

// What one device does in a collective op.
typedef struct {
  sli_collective_kind_t kind;
  const char *name;  // of the node, for messages
  int32_t group_key, group_size, instance_key;
  // Of a join: the group may have any size from |group_least| to |group_size|; 0: it has |group_size| members. Gets the
  // size that it has.
  int32_t group_least;
  int32_t *out_size;     // NULL: not wanted
  int rank;              // that the graph gives this device in its group; -1: none
  bool needs_group;      // the group must have been formed by |join| before
  bool is_source;        // of a broadcast
  const int32_t *rings;  // of a reduction: the offset of each ring (TensorFlow's subdiv_offsets)
  int ring_count;        // 0: one ring, or as many as |max_rings| allows
  int max_rings;         // for each device of a task; -1: one ring
  sli_collective_reduction_t reduction;
  sli_collective_merge_t merge;
  int merge_op;         // of |merge|, which does what |reduction| says
  const void *divisor;  // an element by which the result is divided: |merge| with |divide_op|; NULL: none
  int divide_op;
  sli_tensor_t *input;  // NULL: a receiver of a broadcast
  // Of a reduction it may be the same memory as |input|. Of a reduce-scatter the caller has copied |input| to it, and
  // it is overwritten.
  sli_tensor_t *output;
  sli_tensor_t *part;     // of a reduce-scatter: what this device gets of |output|
  float timeout_seconds;  // 0: none
  sli_device_t *device;
  const sli_step_t *step;
  uint64_t frame_id, iteration;
} sli_collective_request_t;

// Called exactly once, on any thread. The callee owns |status|.
typedef void (*sli_collective_done_t)(void *context, sli_status_t *status);

// Thread-safe. Nothing here blocks.
typedef struct sli_collective sli_collective_t;
typedef struct {
  void (*run)(sli_collective_t *self, const sli_collective_request_t *request, sli_collective_done_t done,
              void *context);
  void (*join)(sli_collective_t *self, const sli_collective_request_t *request, sli_collective_done_t done,
               void *context);
} sli_collective_vtable_t;
struct sli_collective {
  const sli_collective_vtable_t *vtable;
};

// Runs the op; |request| and what it refers to must stay until |done|, which may be called before this returns. Fails
// with the first error of any member: UNAVAILABLE names a member that cannot be reached.
static inline void sli_collective_start(sli_collective_t *self, const sli_collective_request_t *request,
                                        sli_collective_done_t done, void *context) {
  self->vtable->run(self, request, done, context);
}
// Waits until all members of the group have joined it.
static inline void sli_collective_join(sli_collective_t *self, const sli_collective_request_t *request,
                                       sli_collective_done_t done, void *context) {
  self->vtable->join(self, request, done, context);
}

#endif  // SLI_CORE_STEP_COLLECTIVE_H_
