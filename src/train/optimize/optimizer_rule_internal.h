// The fields and the rule of an optimizer, for the files that create optimizers and
// apply gradients.
#ifndef SLI_TRAIN_OPTIMIZE_OPTIMIZER_RULE_INTERNAL_H_
#define SLI_TRAIN_OPTIMIZE_OPTIMIZER_RULE_INTERNAL_H_

#include "train/graph/scope.h"
#include "train/optimize/optimizer_internal.h"

enum { SLI_OPTIMIZER_MAX_SLOTS = 3, SLI_OPTIMIZER_MAX_POWERS = 2, SLI_OPTIMIZER_MAX_INPUTS = 12 };

// The inputs of an update op, in the op's order. END ends the list.
typedef enum {
  SLI_OPTIMIZER_END = 0,
  SLI_OPTIMIZER_VARIABLE,
  SLI_OPTIMIZER_SLOT_0,
  SLI_OPTIMIZER_SLOT_1,
  SLI_OPTIMIZER_SLOT_2,
  SLI_OPTIMIZER_RATE,
  SLI_OPTIMIZER_GRADIENT,  // if it is sparse, the indices follow
  SLI_OPTIMIZER_POWER_0,
  SLI_OPTIMIZER_POWER_1,
  SLI_OPTIMIZER_STEP,  // the global step after this one
  // Hyper-parameters; sli_optimizer_hyper_name() has the names of their constants.
  SLI_OPTIMIZER_FIRST_HYPER,
  SLI_OPTIMIZER_MOMENTUM = SLI_OPTIMIZER_FIRST_HYPER,
  SLI_OPTIMIZER_DECAY,
  SLI_OPTIMIZER_RHO,
  SLI_OPTIMIZER_BETA1,
  SLI_OPTIMIZER_BETA2,
  SLI_OPTIMIZER_EPSILON,
  SLI_OPTIMIZER_L1,
  SLI_OPTIMIZER_L2,
  SLI_OPTIMIZER_L2_SHRINKAGE,
  SLI_OPTIMIZER_RATE_POWER,
  SLI_OPTIMIZER_PAST_LAST,
} sli_optimizer_input_t;

enum { SLI_OPTIMIZER_HYPERS = SLI_OPTIMIZER_PAST_LAST - SLI_OPTIMIZER_FIRST_HYPER };

// The learning rate and the hyper-parameters of a step, as nodes. Only those that the rule has are set.
typedef struct {
  TF_Output rate;
  TF_Output hypers[SLI_OPTIMIZER_HYPERS];
  TF_Output step;
} sli_optimizer_numbers_t;

static inline TF_Output sli_optimizer_hyper(const sli_optimizer_numbers_t *numbers, sli_optimizer_input_t hyper) {
  return numbers->hypers[hyper - SLI_OPTIMIZER_FIRST_HYPER];
}

// A scalar variable that starts as a hyper-parameter and is multiplied by it after each step.
typedef struct {
  const char *name;  // NULL: there is none
  sli_optimizer_input_t hyper;
} sli_optimizer_power_t;

typedef struct {
  const char *name;       // "Adam"
  const char *op;         // "ApplyAdam"; "Sparse" before it for sparse gradients
  const char *rate_name;  // of the learning rate's constant; NULL: "learning_rate"
  sli_optimizer_input_t inputs[SLI_OPTIMIZER_MAX_INPUTS + 1];
  int slots;
  sli_optimizer_input_t hypers[SLI_OPTIMIZER_MAX_INPUTS + 1];  // in the order in which their constants are built
  sli_optimizer_power_t powers[SLI_OPTIMIZER_MAX_POWERS];
  // Applies a sparse gradient where TensorFlow has no op for it; NULL: it has one. The indices are unique unless the
  // rule takes duplicates. |numbers| have the variable's type.
  TF_Operation *(*sparse)(sl_optimizer_t *optimizer, const sl_variable_info_t *variable,
                          const sli_optimizer_numbers_t *numbers, TF_Output gradient, TF_Output indices);
  bool takes_duplicates;
} sli_optimizer_rule_t;

typedef struct {
  TF_Output variable;  // the one they are for
  TF_Output values[SLI_OPTIMIZER_MAX_SLOTS];
} sli_optimizer_slots_t;

struct sl_optimizer {
  sl_scope_t *scope;
  const sli_optimizer_rule_t *rule;
  char *name;
  sl_rate_t rate;
  double hypers[SLI_OPTIMIZER_HYPERS];  // use sli_optimizer_set_hyper and sli_optimizer_get_hyper
  sl_initializer_t slot_initializers[SLI_OPTIMIZER_MAX_SLOTS];
  bool use_locking, use_nesterov;
  TF_Output step;  // of rules that use it
  SLI_ARRAY(sli_optimizer_slots_t) slots;
  TF_Output powers[SLI_OPTIMIZER_MAX_POWERS];
  // A wrapper has these instead of a rule.
  sl_optimizer_t *inner;
  sli_optimizer_apply_fn_t apply;
  void *apply_context;
  bool takes_sparse;
};

static inline void sli_optimizer_set_hyper(sl_optimizer_t *optimizer, sli_optimizer_input_t hyper, double value) {
  optimizer->hypers[hyper - SLI_OPTIMIZER_FIRST_HYPER] = value;
}
static inline double sli_optimizer_get_hyper(const sl_optimizer_t *optimizer, sli_optimizer_input_t hyper) {
  return optimizer->hypers[hyper - SLI_OPTIMIZER_FIRST_HYPER];
}
// "beta1": what Python calls the constant.
const char *sli_optimizer_hyper_name(sli_optimizer_input_t hyper);

// The slots of |variable|; NULL before the first update.
sli_optimizer_slots_t *sli_optimizer_find_slots(const sl_optimizer_t *optimizer, TF_Output variable);
// Power |index| as a number of |dtype|.
TF_Output sli_optimizer_power(const sl_optimizer_t *optimizer, int index, TF_DataType dtype);
// Sparse updates of rules that have no op for it.
TF_Operation *sli_optimizer_gradient_descent_sparse(sl_optimizer_t *optimizer, const sl_variable_info_t *variable,
                                                    const sli_optimizer_numbers_t *numbers, TF_Output gradient,
                                                    TF_Output indices);
TF_Operation *sli_optimizer_adam_sparse(sl_optimizer_t *optimizer, const sl_variable_info_t *variable,
                                        const sli_optimizer_numbers_t *numbers, TF_Output gradient, TF_Output indices);
// Sums the rows of a sparse gradient that have the same index.
void sli_optimizer_sum_duplicates(sl_scope_t *scope, TF_Output *gradient, TF_Output *indices);

#endif  // SLI_TRAIN_OPTIMIZE_OPTIMIZER_RULE_INTERNAL_H_
