// What the kernels of the optimizers' ops share: which inputs are what, and the
// checks before an update.
#ifndef SLI_OPS_TRAIN_APPLY_INTERNAL_H_
#define SLI_OPS_TRAIN_APPLY_INTERNAL_H_

#include "core/op_registry.h"
#include "ops/state/update.h"
#include "ops/train/rules.h"

// Read from an op's definition and a node's attributes; immutable.
typedef struct {
  sli_train_rule_fn_t rule;
  const char *rule_name;
  bool use_locking;
  int slot_count, gradient, indices;  // input numbers; |indices| -1 in dense ops
  int right;                          // the gradient is the product of inputs |gradient| and |right|; -1: it is given
  int scalar_inputs[SLI_TRAIN_MAX_SCALARS];
  sli_train_scalars_t scalars;  // flags and count
} sli_apply_t;

// UNIMPLEMENTED if the rule does not know the type.
sli_status_t *sli_apply_prepare(const sli_node_def_t *node, sli_apply_t *out_apply);
// The scalar inputs' values. INVALID_ARGUMENT for one that is none, or that the rule does not take.
sli_status_t *sli_apply_read_scalars(sli_kernel_context_t *context, const sli_apply_t *apply,
                                     sli_train_scalars_t *out_scalars);
// That the variables that are open have the type |dtype| and one shape, and are not the same.
sli_status_t *sli_apply_check_slots(const sli_kernel_context_t *context, const sli_update_t *update, sli_dtype_t dtype);
// Runs the rule over |count| elements of the variables from |first| on.
void sli_apply_range(const sli_apply_t *apply, const sli_update_t *update, const sli_train_scalars_t *scalars,
                     const void *gradient, int64_t first, int64_t count);
// INVALID_ARGUMENT: |input| has not the variable's shape, but |shape|.
sli_status_t *sli_apply_shapes_differ(const sli_kernel_context_t *context, int input, const sli_tensor_t *var,
                                      sli_shape_t shape);

#endif  // SLI_OPS_TRAIN_APPLY_INTERNAL_H_
