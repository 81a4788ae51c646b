// Updating variables in place: what every op that changes a variable shares.
// The variables behind an op's first inputs, reference edges or resource
// handles, are found, locked in one order if asked, and opened for writing.
//
// A reference variable is written to whoever reads it, as TensorFlow does; the
// tensor of a resource variable that somebody still holds is copied first.
#ifndef SLI_OPS_STATE_UPDATE_H_
#define SLI_OPS_STATE_UPDATE_H_

#include "core/kernel.h"

enum { SLI_UPDATE_MAX = 5 };

typedef struct {
  int count;
  bool locked;
  sli_variable_t *variables[SLI_UPDATE_MAX];  // counted
  sli_tensor_t *tensors[SLI_UPDATE_MAX];      // counted, never NULL
} sli_update_t;

// The variable behind input |index|; |*out_variable| carries a reference.
// FAILED_PRECONDITION if a handle names none.
sli_status_t *sli_update_find(sli_kernel_context_t *context, int index, sli_variable_t **out_variable);
// Opens inputs [0, count) for writing. FAILED_PRECONDITION "Attempting to use
// uninitialized value NAME". On failure |update| is closed.
sli_status_t *sli_update_begin(sli_kernel_context_t *context, int count, bool lock, sli_update_t *out_update);
// Sets output 0 to the reference of input 0; nothing for a resource.
void sli_update_forward(sli_kernel_context_t *context, const sli_update_t *update);
// Unlocks and releases.
void sli_update_end(sli_update_t *update);

#endif  // SLI_OPS_STATE_UPDATE_H_
