// The update rules of the optimizers, by name and type.
#ifndef SLI_OPS_TRAIN_RULES_H_
#define SLI_OPS_TRAIN_RULES_H_

#include <stdbool.h>
#include <stdint.h>

#include "core/dtype.h"

enum { SLI_TRAIN_MAX_SCALARS = 8 };

// The scalar inputs of an op in the order of its definition, and its flags.
typedef struct {
  int count;
  double values[SLI_TRAIN_MAX_SCALARS];
  bool use_nesterov, update_slots, multiply_linear_by_lr;
} sli_train_scalars_t;

// Updates |n| elements of the variable and slots by |grad|. No two overlap.
typedef void (*sli_train_rule_fn_t)(void *const *slots, const void *grad, const sli_train_scalars_t *scalars,
                                    int64_t n);

// |name| as in the op's name without its prefixes: "Adam" of ResourceApplyAdam.
// NULL if the rule does not know the type.
sli_train_rule_fn_t sli_train_rule_find(const char *name, sli_dtype_t dtype);

#endif  // SLI_OPS_TRAIN_RULES_H_
