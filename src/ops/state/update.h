// Updates variables in place: what all ops that change a variable share. Finds the variables of an op's first inputs
// (reference edges or resource handles), locks them in one order if requested, and opens them for writing.
//
// A reference variable is written even while others read it, as in TensorFlow. The tensor of a resource variable is
// copied first if there is another reference to it.
#ifndef SLI_OPS_STATE_UPDATE_H_
#define SLI_OPS_STATE_UPDATE_H_

#include "core/op/kernel.h"
#include "ops/common/accumulate.h"

enum { SLI_UPDATE_MAX = 5 };

typedef struct {
  int count;
  bool locked;
  sli_variable_t *variables[SLI_UPDATE_MAX];  // references
  sli_tensor_t *tensors[SLI_UPDATE_MAX];      // references, never NULL
} sli_update_t;

// The variable of input |index|. The caller owns a reference to |*out_variable|. FAILED_PRECONDITION if the handle
// names a variable that does not exist.
sli_status_t *sli_update_find(sli_kernel_context_t *context, int index, sli_variable_t **out_variable);
// FAILED_PRECONDITION "Could not find variable NAME. …", with the container and |reason|.
sli_status_t *sli_update_missing(const char *name, const char *container, const char *reason);
// Opens the variables of inputs [0, count) for writing; blocks while |lock| is set and others hold their locks.
// FAILED_PRECONDITION "Attempting to use uninitialized value NAME". After a failure there is nothing to end.
sli_status_t *sli_update_begin(sli_kernel_context_t *context, int count, bool lock, sli_update_t *out_update);
// Sets output 0 to the variable of input 0 if that is a reference; does nothing for a resource.
void sli_update_forward(sli_kernel_context_t *context, const sli_update_t *update);
// Unlocks and releases.
void sli_update_end(sli_update_t *update);

// The arithmetic of an op that ends with Add, Sub, Mul, Div, Min or Max; ASSIGN for the others.
sli_accumulate_op_t sli_update_op(const sli_node_def_t *node);

#endif  // SLI_OPS_STATE_UPDATE_H_
