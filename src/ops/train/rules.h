// The update rules of the optimizers, by name and type.
#ifndef SLI_OPS_TRAIN_RULES_H_
#define SLI_OPS_TRAIN_RULES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/tensor/dtype.h"

// The hyper-parameters of all rules: X(field, name of the op's input).
#define SLI_RULE_SCALARS(X)          \
  X(learning_rate, "lr")             \
  X(learning_rate_power, "lr_power") \
  X(alpha, "alpha")                  \
  X(beta, "beta")                    \
  X(beta1, "beta1")                  \
  X(beta2, "beta2")                  \
  X(beta1_power, "beta1_power")      \
  X(beta2_power, "beta2_power")      \
  X(rho, "rho")                      \
  X(momentum, "momentum")            \
  X(epsilon, "epsilon")              \
  X(log_base, "logbase")             \
  X(sign_decay, "sign_decay")        \
  X(l1, "l1")                        \
  X(l2, "l2")                        \
  X(l2_shrinkage, "l2_shrinkage")    \
  X(global_step, "global_step")

// One value for each hyper-parameter, 0 for those that the op has no input for, and the op's flags.
typedef struct {
#define SLI_RULE_FIELD(field, input) double field;
  SLI_RULE_SCALARS(SLI_RULE_FIELD)
#undef SLI_RULE_FIELD
  bool use_nesterov, update_slots, multiply_linear_by_lr;
} sli_rule_scalars_t;

enum { SLI_RULE_MAX_SCALARS = 8 };  // of one op

// The offset in sli_rule_scalars_t of the hyper-parameter that the op's input |input| sets. SLI_CHECKs that there is
// one.
size_t sli_rule_scalar_offset(const char *input);

// Updates |n| elements of the variable (slots[0]) and of its slots (slots[1] and on) by |gradient|. The arrays must
// not overlap.
typedef void (*sli_rule_fn_t)(void *const *slots, const void *gradient, const sli_rule_scalars_t *scalars, int64_t n);

// |name| is the op's name without its prefixes: "Adam" for ResourceApplyAdam. NULL if there is no such rule for
// |dtype|.
sli_rule_fn_t sli_rule_find(const char *name, sli_dtype_t dtype);

#endif  // SLI_OPS_TRAIN_RULES_H_
