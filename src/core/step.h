// One step as kernels see it. Lives until every kernel of the step has completed.
#ifndef SLI_CORE_STEP_H_
#define SLI_CORE_STEP_H_

#include <stdint.h>

#include "core/cancellation.h"
#include "core/rendezvous.h"
#include "core/resource.h"

typedef struct {
  int64_t id;
  sli_rendezvous_t *rendezvous;      // may be NULL in a graph without _Send and _Recv
  sli_cancellation_t *cancellation;  // never NULL
  // Resources that live for this step only (TensorArrays, stacks), in a container of their own.
  sli_resource_manager_t *step_resources;
  int64_t deadline;  // sli_now_nanos, or SLI_NO_DEADLINE
} sli_step_t;

#endif  // SLI_CORE_STEP_H_
