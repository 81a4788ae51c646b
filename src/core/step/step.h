// One step as kernels see it. Lives until every kernel of the step has completed.
#ifndef SLI_CORE_STEP_STEP_H_
#define SLI_CORE_STEP_STEP_H_

#include <stdbool.h>
#include <stdint.h>

#include "core/state/resource.h"
#include "core/step/cancellation.h"
#include "core/step/rendezvous.h"

typedef struct {
  int64_t id;
  sli_rendezvous_t *rendezvous;      // may be NULL in a graph without _Send and _Recv
  sli_cancellation_t *cancellation;  // never NULL
  // Resources of this step only (TensorArrays, stacks), in a separate manager.
  sli_resource_manager_t *step_resources;
  int64_t deadline;                   // sli_clock_now_nanos, or SLI_CLOCK_NO_DEADLINE
  int depth;                          // of calls of functions: 0 for the step of a client
  struct sli_step_stats *stats;       // of a traced step: functions add their nodes to it; NULL: it is not traced
  struct sli_collective *collective;  // for collective ops (core/step/collective.h); NULL: they cannot run
  bool hands_over;  // threads that run it must not be kept busy: functions that it calls give costly nodes to the pool
} sli_step_t;

#endif  // SLI_CORE_STEP_STEP_H_
