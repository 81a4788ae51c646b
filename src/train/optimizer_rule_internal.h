// What an optimizer is made of; shared by the files that make optimizers and
// those that apply them.
#ifndef SLI_TRAIN_OPTIMIZER_RULE_INTERNAL_H_
#define SLI_TRAIN_OPTIMIZER_RULE_INTERNAL_H_

#include "train/optimizer_internal.h"
#include "train/scope_internal.h"

enum { SLI_MAX_SLOTS = 3, SLI_MAX_HYPERS = 4, SLI_MAX_POWERS = 2, SLI_MAX_INPUTS = 12 };

// Inputs of an update op, in its order. END ends the list.
typedef enum {
  SLI_END = 0,
  SLI_VARIABLE,
  SLI_SLOT_0,
  SLI_SLOT_1,
  SLI_SLOT_2,
  SLI_RATE,
  SLI_GRADIENT,  // of a sparse gradient the indices follow
  SLI_HYPER_0,
  SLI_HYPER_1,
  SLI_HYPER_2,
  SLI_HYPER_3,
  SLI_POWER_0,
  SLI_POWER_1,
  SLI_STEP,  // the global step after this one
} sli_input_t;

typedef struct {
  const char *name;  // "Adam"
  const char *op;    // "ApplyAdam"; "Sparse" before it for sparse gradients
  const char *rate;  // name of the learning rate's constant; NULL: "learning_rate"
  sli_input_t inputs[SLI_MAX_INPUTS + 1];
  int slots;
  const char *hypers[SLI_MAX_HYPERS];  // names of the constants that the op takes
  const char *powers[SLI_MAX_POWERS];  // scalar variables that are multiplied by hyper 0, 1 after each step
  // Updates with a sparse gradient whose indices are unique (GradientDescent: are not) where there is no such op.
  TF_Operation *(*sparse)(sl_optimizer_t *optimizer, const sl_variable_info_t *variable, const TF_Output *numbers,
                          TF_Output gradient, TF_Output indices);
  bool takes_duplicates;
} sli_rule_t;

typedef struct {
  TF_Output variable;  // the one they are for
  TF_Output values[SLI_MAX_SLOTS];
} sli_slots_t;

struct sl_optimizer {
  sl_scope_t *scope;
  const sli_rule_t *rule;
  char *name;
  sl_rate_t rate;
  double hypers[SLI_MAX_HYPERS];
  sl_initializer_t slot_initializers[SLI_MAX_SLOTS];
  bool use_locking, use_nesterov;
  TF_Output step;  // of rules that take it
  SLI_ARRAY(sli_slots_t) slots;
  TF_Output powers[SLI_MAX_POWERS];
  // A wrapper has these instead of a rule.
  sl_optimizer_t *inner;
  sli_apply_function_t apply;
  void *apply_context;
  bool takes_sparse;
};

// The slots of |variable|; NULL before the first update.
sli_slots_t *sli_optimizer_find_slots(const sl_optimizer_t *optimizer, TF_Output variable);
// Power |index| as a number of |dtype|.
TF_Output sli_optimizer_power(const sl_optimizer_t *optimizer, int index, TF_DataType dtype);
// Sparse updates of rules that have no op for it; |numbers|: the rate, then the hypers.
TF_Operation *sli_gradient_descent_sparse(sl_optimizer_t *optimizer, const sl_variable_info_t *variable,
                                          const TF_Output *numbers, TF_Output gradient, TF_Output indices);
TF_Operation *sli_adam_sparse(sl_optimizer_t *optimizer, const sl_variable_info_t *variable, const TF_Output *numbers,
                              TF_Output gradient, TF_Output indices);
// The rows of a sparse gradient with those of equal indices summed.
void sli_sum_duplicates(sl_scope_t *scope, TF_Output *gradient, TF_Output *indices);

#endif  // SLI_TRAIN_OPTIMIZER_RULE_INTERNAL_H_
