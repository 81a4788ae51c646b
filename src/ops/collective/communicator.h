// A communicator: a group that was formed once, and the number of the next op in it.
#ifndef SLI_OPS_COLLECTIVE_COMMUNICATOR_H_
#define SLI_OPS_COLLECTIVE_COMMUNICATOR_H_

#include <stdatomic.h>

#include "core/op/kernel.h"

// A resource; immutable but for |next_instance|.
typedef struct {
  sli_object_t base;
  int32_t group_key, group_size, rank;
  float timeout_seconds;
  atomic_int next_instance;
} sli_communicator_t;

// The communicator in input |index|; the caller owns a reference.
sli_status_t *sli_communicator_find(sli_kernel_context_t *context, int index, sli_communicator_t **out_communicator);

#endif  // SLI_OPS_COLLECTIVE_COMMUNICATOR_H_
