// What the kernels of the optimizers' ops share: the roles of the inputs, and the checks before an update.
#ifndef SLI_OPS_TRAIN_APPLY_INTERNAL_H_
#define SLI_OPS_TRAIN_APPLY_INTERNAL_H_

#include "core/op/op_registry.h"
#include "ops/state/update.h"
#include "ops/train/rules.h"

// The roles of a node's inputs, and its flags. Immutable.
typedef struct {
  sli_rule_fn_t rule;
  const char *rule_name;
  bool use_locking;
  int slot_count, gradient, indices;  // |gradient| and |indices| are input numbers; |indices| is -1 in dense ops
  int right;  // the gradient is the product of inputs |gradient| and |right|; -1: it is input |gradient|
  int scalar_count;
  struct {
    int input;
    size_t offset;  // of its field in sli_rule_scalars_t
  } scalar_inputs[SLI_RULE_MAX_SCALARS];
  sli_rule_scalars_t scalars;  // the flags; the values are read in each step
} sli_apply_t;

// Reads |node|. UNIMPLEMENTED if there is no rule for its type.
sli_status_t *sli_apply_prepare(const sli_node_def_t *node, sli_apply_t *out_apply);
// Reads the hyper-parameters. INVALID_ARGUMENT for one that is not a scalar, or has a value that the rule is not
// defined for.
sli_status_t *sli_apply_read_scalars(sli_kernel_context_t *context, const sli_apply_t *apply,
                                     sli_rule_scalars_t *out_scalars);
// INVALID_ARGUMENT unless the open variables have the type |dtype| and the same shape, and are distinct.
sli_status_t *sli_apply_check_slots(const sli_kernel_context_t *context, const sli_update_t *update, sli_dtype_t dtype);
// Applies the rule to |count| elements of the variables, from |first| on.
void sli_apply_range(const sli_apply_t *apply, const sli_update_t *update, const sli_rule_scalars_t *scalars,
                     const void *gradient, int64_t first, int64_t count);
// The error for an |input| that has |shape| and not the variable's.
sli_status_t *sli_apply_shapes_differ(const sli_kernel_context_t *context, int input, const sli_tensor_t *var,
                                      sli_shape_t shape);

#endif  // SLI_OPS_TRAIN_APPLY_INTERNAL_H_
