// Optimizers. A rule names the op that updates a variable and its inputs;
// optimizer_apply.c does the rest in the same way for all rules. The nodes are those
// of tf.train's optimizers.
#include "sluice/optimizer.h"

#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/optimize/optimizer_rule_internal.h"

// --- The rules ---
//
// TensorFlow calls the slots of a variable "NAME", "NAME_1", …. These macros name them by their meaning.

#define MOMENTUM_ACCUMULATOR SLI_OPTIMIZER_SLOT_0
#define ADAGRAD_ACCUMULATOR SLI_OPTIMIZER_SLOT_0
#define ADAM_M SLI_OPTIMIZER_SLOT_0
#define ADAM_V SLI_OPTIMIZER_SLOT_1
#define ADAM_BETA1_POWER SLI_OPTIMIZER_POWER_0
#define ADAM_BETA2_POWER SLI_OPTIMIZER_POWER_1
#define RMS_PROP_MEAN_SQUARE SLI_OPTIMIZER_SLOT_0
#define RMS_PROP_MOMENTUM SLI_OPTIMIZER_SLOT_1
#define CENTERED_MEAN_SQUARE SLI_OPTIMIZER_SLOT_0
#define CENTERED_MEAN_GRADIENT SLI_OPTIMIZER_SLOT_1
#define CENTERED_MOMENTUM SLI_OPTIMIZER_SLOT_2
#define ADADELTA_ACCUMULATOR SLI_OPTIMIZER_SLOT_0
#define ADADELTA_UPDATE SLI_OPTIMIZER_SLOT_1
#define ADAGRAD_DA_GRADIENTS SLI_OPTIMIZER_SLOT_0
#define ADAGRAD_DA_SQUARES SLI_OPTIMIZER_SLOT_1
#define FTRL_ACCUMULATOR SLI_OPTIMIZER_SLOT_0
#define FTRL_LINEAR SLI_OPTIMIZER_SLOT_1

const char *sli_optimizer_hyper_name(sli_optimizer_input_t hyper) {
  switch (hyper) {
    case SLI_OPTIMIZER_MOMENTUM: return "momentum";
    case SLI_OPTIMIZER_DECAY: return "decay";
    case SLI_OPTIMIZER_RHO: return "rho";
    case SLI_OPTIMIZER_BETA1: return "beta1";
    case SLI_OPTIMIZER_BETA2: return "beta2";
    case SLI_OPTIMIZER_EPSILON: return "epsilon";
    case SLI_OPTIMIZER_L1: return "l1_regularization_strength";
    case SLI_OPTIMIZER_L2: return "l2_regularization_strength";
    case SLI_OPTIMIZER_L2_SHRINKAGE: return "l2_shrinkage_regularization_strength";
    default: return "learning_rate_power";
  }
}

static const sli_optimizer_rule_t gradient_descent = {
    .name = "GradientDescent",
    .op = "ApplyGradientDescent",
    .inputs = {SLI_OPTIMIZER_VARIABLE, SLI_OPTIMIZER_RATE, SLI_OPTIMIZER_GRADIENT},
    .sparse = sli_optimizer_gradient_descent_sparse,
    .takes_duplicates = true,
};

static const sli_optimizer_rule_t momentum_rule = {
    .name = "Momentum",
    .op = "ApplyMomentum",
    .inputs = {SLI_OPTIMIZER_VARIABLE, MOMENTUM_ACCUMULATOR, SLI_OPTIMIZER_RATE, SLI_OPTIMIZER_GRADIENT,
               SLI_OPTIMIZER_MOMENTUM},
    .slots = 1,
    .hypers = {SLI_OPTIMIZER_MOMENTUM},
};

static const sli_optimizer_rule_t adagrad = {
    .name = "Adagrad",
    .op = "ApplyAdagrad",
    .inputs = {SLI_OPTIMIZER_VARIABLE, ADAGRAD_ACCUMULATOR, SLI_OPTIMIZER_RATE, SLI_OPTIMIZER_GRADIENT},
    .slots = 1,
};

static const sli_optimizer_rule_t adam = {
    .name = "Adam",
    .op = "ApplyAdam",
    .inputs = {SLI_OPTIMIZER_VARIABLE, ADAM_M, ADAM_V, ADAM_BETA1_POWER, ADAM_BETA2_POWER, SLI_OPTIMIZER_RATE,
               SLI_OPTIMIZER_BETA1, SLI_OPTIMIZER_BETA2, SLI_OPTIMIZER_EPSILON, SLI_OPTIMIZER_GRADIENT},
    .slots = 2,
    .hypers = {SLI_OPTIMIZER_BETA1, SLI_OPTIMIZER_BETA2, SLI_OPTIMIZER_EPSILON},
    .powers = {{"beta1_power", SLI_OPTIMIZER_BETA1}, {"beta2_power", SLI_OPTIMIZER_BETA2}},
    .sparse = sli_optimizer_adam_sparse,
};

static const sli_optimizer_rule_t rms_prop = {
    .name = "RMSProp",
    .op = "ApplyRMSProp",
    .inputs = {SLI_OPTIMIZER_VARIABLE, RMS_PROP_MEAN_SQUARE, RMS_PROP_MOMENTUM, SLI_OPTIMIZER_RATE, SLI_OPTIMIZER_DECAY,
               SLI_OPTIMIZER_MOMENTUM, SLI_OPTIMIZER_EPSILON, SLI_OPTIMIZER_GRADIENT},
    .slots = 2,
    .hypers = {SLI_OPTIMIZER_DECAY, SLI_OPTIMIZER_MOMENTUM, SLI_OPTIMIZER_EPSILON},
};

static const sli_optimizer_rule_t rms_prop_centered = {
    .name = "RMSProp",
    .op = "ApplyCenteredRMSProp",
    .inputs = {SLI_OPTIMIZER_VARIABLE, CENTERED_MEAN_GRADIENT, CENTERED_MEAN_SQUARE, CENTERED_MOMENTUM,
               SLI_OPTIMIZER_RATE, SLI_OPTIMIZER_DECAY, SLI_OPTIMIZER_MOMENTUM, SLI_OPTIMIZER_EPSILON,
               SLI_OPTIMIZER_GRADIENT},
    .slots = 3,
    .hypers = {SLI_OPTIMIZER_DECAY, SLI_OPTIMIZER_MOMENTUM, SLI_OPTIMIZER_EPSILON},
};

static const sli_optimizer_rule_t adadelta = {
    .name = "Adadelta",
    .op = "ApplyAdadelta",
    .rate_name = "lr",
    .inputs = {SLI_OPTIMIZER_VARIABLE, ADADELTA_ACCUMULATOR, ADADELTA_UPDATE, SLI_OPTIMIZER_RATE, SLI_OPTIMIZER_RHO,
               SLI_OPTIMIZER_EPSILON, SLI_OPTIMIZER_GRADIENT},
    .slots = 2,
    .hypers = {SLI_OPTIMIZER_RHO, SLI_OPTIMIZER_EPSILON},
};

static const sli_optimizer_rule_t adagrad_da = {
    .name = "AdagradDA",
    .op = "ApplyAdagradDA",
    .inputs = {SLI_OPTIMIZER_VARIABLE, ADAGRAD_DA_GRADIENTS, ADAGRAD_DA_SQUARES, SLI_OPTIMIZER_GRADIENT,
               SLI_OPTIMIZER_RATE, SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2, SLI_OPTIMIZER_STEP},
    .slots = 2,
    .hypers = {SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2},
};

static const sli_optimizer_rule_t ftrl = {
    .name = "Ftrl",
    .op = "ApplyFtrl",
    .inputs = {SLI_OPTIMIZER_VARIABLE, FTRL_ACCUMULATOR, FTRL_LINEAR, SLI_OPTIMIZER_GRADIENT, SLI_OPTIMIZER_RATE,
               SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2, SLI_OPTIMIZER_RATE_POWER},
    .slots = 2,
    .hypers = {SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2, SLI_OPTIMIZER_RATE_POWER},
};

static const sli_optimizer_rule_t ftrl_shrinkage = {
    .name = "Ftrl",
    .op = "ApplyFtrlV2",
    .inputs = {SLI_OPTIMIZER_VARIABLE, FTRL_ACCUMULATOR, FTRL_LINEAR, SLI_OPTIMIZER_GRADIENT, SLI_OPTIMIZER_RATE,
               SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2, SLI_OPTIMIZER_L2_SHRINKAGE, SLI_OPTIMIZER_RATE_POWER},
    .slots = 2,
    .hypers = {SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2, SLI_OPTIMIZER_L2_SHRINKAGE, SLI_OPTIMIZER_RATE_POWER},
};

static const sli_optimizer_rule_t proximal_gradient_descent = {
    .name = "ProximalGradientDescent",
    .op = "ApplyProximalGradientDescent",
    .inputs = {SLI_OPTIMIZER_VARIABLE, SLI_OPTIMIZER_RATE, SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2, SLI_OPTIMIZER_GRADIENT},
    .hypers = {SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2},
};

static const sli_optimizer_rule_t proximal_adagrad = {
    .name = "ProximalAdagrad",
    .op = "ApplyProximalAdagrad",
    .inputs = {SLI_OPTIMIZER_VARIABLE, ADAGRAD_ACCUMULATOR, SLI_OPTIMIZER_RATE, SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2,
               SLI_OPTIMIZER_GRADIENT},
    .slots = 1,
    .hypers = {SLI_OPTIMIZER_L1, SLI_OPTIMIZER_L2},
};

// --- Creating optimizers ---

static void destroy_optimizer(void *object) {
  sl_optimizer_t *optimizer = object;
  sli_array_deinitialize(&optimizer->slots);
  free(optimizer->name);
  free(optimizer);
}

static sl_optimizer_t *create_optimizer(sl_scope_t *scope, const sli_optimizer_rule_t *rule, sl_rate_t rate,
                                        const char *name, bool use_locking) {
  sl_optimizer_t *optimizer = sli_calloc(1, sizeof(*optimizer));
  optimizer->scope = scope;
  optimizer->rule = rule;
  optimizer->name = sli_strdup(name ? name : rule->name);
  optimizer->rate = rate;
  optimizer->use_locking = use_locking;
  for (int i = 0; i < SLI_OPTIMIZER_MAX_SLOTS; i++) optimizer->slot_initializers[i] = SL_ZEROS;
  sli_scope_own(scope, optimizer, destroy_optimizer);
  return optimizer;
}

static void initialize_slot(sl_optimizer_t *optimizer, sli_optimizer_input_t slot, sl_initializer_t initializer) {
  optimizer->slot_initializers[slot - SLI_OPTIMIZER_SLOT_0] = initializer;
}

sl_optimizer_t *sl_gradient_descent_with(sl_scope_t *scope, sl_rate_t rate,
                                         const sl_gradient_descent_options_t *given) {
  SLI_CALL_OPTIONS(sl_gradient_descent_options_t, options, given);
  return create_optimizer(scope, &gradient_descent, rate, options.name, options.use_locking);
}

sl_optimizer_t *sl_momentum_with(sl_scope_t *scope, sl_rate_t rate, double momentum,
                                 const sl_momentum_options_t *given) {
  SLI_CALL_OPTIONS(sl_momentum_options_t, options, given);
  sl_optimizer_t *optimizer = create_optimizer(scope, &momentum_rule, rate, options.name, options.use_locking);
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_MOMENTUM, momentum);
  optimizer->use_nesterov = options.use_nesterov;
  return optimizer;
}

sl_optimizer_t *sli_optimizer_wrap(sl_scope_t *scope, sl_optimizer_t *inner, sli_optimizer_apply_fn_t apply,
                                   void *context, bool takes_sparse) {
  sl_optimizer_t *optimizer = create_optimizer(scope, inner->rule, inner->rate, inner->name, inner->use_locking);
  optimizer->inner = inner;
  optimizer->apply = apply;
  optimizer->apply_context = context;
  optimizer->takes_sparse = takes_sparse;
  return optimizer;
}

void *sli_optimizer_wrapper_context(const sl_optimizer_t *optimizer, sli_optimizer_apply_fn_t apply) {
  return optimizer && optimizer->apply == apply ? optimizer->apply_context : NULL;
}

static void check_accumulator(sl_scope_t *scope, const char *name, double value) {
  if (value < 0) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s must be positive: %g", name, value);
}

sl_optimizer_t *sl_adagrad_with(sl_scope_t *scope, sl_rate_t rate, const sl_adagrad_options_t *given) {
  SLI_CALL_OPTIONS(sl_adagrad_options_t, options, given);
  check_accumulator(scope, "initial_accumulator_value", options.initial_accumulator_value);
  sl_optimizer_t *optimizer = create_optimizer(scope, &adagrad, rate, options.name, options.use_locking);
  initialize_slot(optimizer, ADAGRAD_ACCUMULATOR,
                  SL_CONSTANT(sli_optimizer_number_or(options.initial_accumulator_value, 0.1)));
  return optimizer;
}

sl_optimizer_t *sl_adam_with(sl_scope_t *scope, sl_rate_t rate, const sl_adam_options_t *given) {
  SLI_CALL_OPTIONS(sl_adam_options_t, options, given);
  sl_optimizer_t *optimizer = create_optimizer(scope, &adam, rate, options.name, options.use_locking);
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_BETA1, sli_optimizer_number_or(options.beta1, 0.9));
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_BETA2, sli_optimizer_number_or(options.beta2, 0.999));
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_EPSILON, sli_optimizer_number_or(options.epsilon, 1e-8));
  return optimizer;
}

sl_optimizer_t *sl_rms_prop_with(sl_scope_t *scope, sl_rate_t rate, const sl_rms_prop_options_t *given) {
  SLI_CALL_OPTIONS(sl_rms_prop_options_t, options, given);
  sl_optimizer_t *optimizer = create_optimizer(scope, options.centered ? &rms_prop_centered : &rms_prop, rate,
                                               options.name, options.use_locking);
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_DECAY, sli_optimizer_number_or(options.decay, 0.9));
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_MOMENTUM, options.momentum);
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_EPSILON, sli_optimizer_number_or(options.epsilon, 1e-10));
  initialize_slot(optimizer, RMS_PROP_MEAN_SQUARE, SL_ONES);  // the first slot of the centered rule too
  return optimizer;
}

sl_optimizer_t *sl_adadelta_with(sl_scope_t *scope, sl_rate_t rate, const sl_adadelta_options_t *given) {
  SLI_CALL_OPTIONS(sl_adadelta_options_t, options, given);
  sl_optimizer_t *optimizer = create_optimizer(scope, &adadelta, rate, options.name, options.use_locking);
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_RHO, sli_optimizer_number_or(options.rho, 0.95));
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_EPSILON, sli_optimizer_number_or(options.epsilon, 1e-8));
  return optimizer;
}

// |accumulator|: the slot that starts with the initial accumulator value; SLI_OPTIMIZER_END: none.
static sl_optimizer_t *create_proximal(sl_scope_t *scope, const sli_optimizer_rule_t *rule, sl_rate_t rate,
                                       const sl_proximal_options_t *options, sli_optimizer_input_t accumulator) {
  sl_optimizer_t *optimizer = create_optimizer(scope, rule, rate, options->name, options->use_locking);
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_L1, options->l1);
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_L2, options->l2);
  if (accumulator != SLI_OPTIMIZER_END)
    initialize_slot(optimizer, accumulator,
                    SL_CONSTANT(sli_optimizer_number_or(options->initial_accumulator_value, 0.1)));
  return optimizer;
}

// |sign|: of the values that are allowed.
static void check_ftrl(sl_scope_t *scope, const char *name, double value, int sign) {
  if (value * sign < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s %f needs to be %s or zero", name, value,
                  sign < 0 ? "negative" : "positive");
}

sl_optimizer_t *sl_ftrl_with(sl_scope_t *scope, sl_rate_t rate, const sl_proximal_options_t *given) {
  SLI_CALL_OPTIONS(sl_proximal_options_t, options, given);
  check_ftrl(scope, "initial_accumulator_value", options.initial_accumulator_value, 1);
  check_ftrl(scope, "learning_rate_power", options.learning_rate_power, -1);
  check_ftrl(scope, "l1_regularization_strength", options.l1, 1);
  check_ftrl(scope, "l2_regularization_strength", options.l2, 1);
  check_ftrl(scope, "l2_shrinkage_regularization_strength", options.l2_shrinkage, 1);
  const sli_optimizer_rule_t *rule = options.l2_shrinkage > 0 ? &ftrl_shrinkage : &ftrl;
  sl_optimizer_t *optimizer = create_proximal(scope, rule, rate, &options, FTRL_ACCUMULATOR);
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_L2_SHRINKAGE, options.l2_shrinkage);
  sli_optimizer_set_hyper(optimizer, SLI_OPTIMIZER_RATE_POWER,
                          sli_optimizer_number_or(options.learning_rate_power, -0.5));
  return optimizer;
}

sl_optimizer_t *sl_proximal_gradient_descent_with(sl_scope_t *scope, sl_rate_t rate,
                                                  const sl_proximal_options_t *given) {
  SLI_CALL_OPTIONS(sl_proximal_options_t, options, given);
  return create_proximal(scope, &proximal_gradient_descent, rate, &options, SLI_OPTIMIZER_END);
}

sl_optimizer_t *sl_proximal_adagrad_with(sl_scope_t *scope, sl_rate_t rate, const sl_proximal_options_t *given) {
  SLI_CALL_OPTIONS(sl_proximal_options_t, options, given);
  check_accumulator(scope, "initial_accumulator_value", options.initial_accumulator_value);
  return create_proximal(scope, &proximal_adagrad, rate, &options, ADAGRAD_ACCUMULATOR);
}

sl_optimizer_t *sl_adagrad_da_with(sl_scope_t *scope, sl_rate_t rate, TF_Output step,
                                   const sl_proximal_options_t *given) {
  SLI_CALL_OPTIONS(sl_proximal_options_t, options, given);
  if (!step.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_adagrad_da: step must not be empty");
  check_accumulator(scope, "initial_gradient_squared_accumulator_value", options.initial_accumulator_value);
  sl_optimizer_t *optimizer = create_proximal(scope, &adagrad_da, rate, &options, ADAGRAD_DA_SQUARES);
  optimizer->step = step;
  return optimizer;
}
