// Optimizers: a rule is a row of a table that says which op updates a variable
// and what its inputs are; making slots, naming and ordering are the same for
// all. The nodes are those of tf.train's optimizers.
#include "sluice/optimizer.h"

#include <stdlib.h>

#include "train/optimizer_rule_internal.h"
#include "train/options_internal.h"

static const sli_rule_t gradient_descent = {.name = "GradientDescent",
                                            .op = "ApplyGradientDescent",
                                            .inputs = {SLI_VARIABLE, SLI_RATE, SLI_GRADIENT},
                                            .sparse = sli_gradient_descent_sparse,
                                            .takes_duplicates = true};
static const sli_rule_t momentum_rule = {.name = "Momentum",
                                         .op = "ApplyMomentum",
                                         .inputs = {SLI_VARIABLE, SLI_SLOT_0, SLI_RATE, SLI_GRADIENT, SLI_HYPER_0},
                                         .slots = 1,
                                         .hypers = {"momentum"}};
static const sli_rule_t adagrad = {
    .name = "Adagrad", .op = "ApplyAdagrad", .inputs = {SLI_VARIABLE, SLI_SLOT_0, SLI_RATE, SLI_GRADIENT}, .slots = 1};
static const sli_rule_t adam = {.name = "Adam",
                                .op = "ApplyAdam",
                                .inputs = {SLI_VARIABLE, SLI_SLOT_0, SLI_SLOT_1, SLI_POWER_0, SLI_POWER_1, SLI_RATE,
                                           SLI_HYPER_0, SLI_HYPER_1, SLI_HYPER_2, SLI_GRADIENT},
                                .slots = 2,
                                .hypers = {"beta1", "beta2", "epsilon"},
                                .powers = {"beta1_power", "beta2_power"},
                                .sparse = sli_adam_sparse};
static const sli_rule_t rms_prop = {
    .name = "RMSProp",
    .op = "ApplyRMSProp",
    .inputs = {SLI_VARIABLE, SLI_SLOT_0, SLI_SLOT_1, SLI_RATE, SLI_HYPER_0, SLI_HYPER_1, SLI_HYPER_2, SLI_GRADIENT},
    .slots = 2,
    .hypers = {"decay", "momentum", "epsilon"}};

static const sli_rule_t rms_prop_centered = {.name = "RMSProp",
                                             .op = "ApplyCenteredRMSProp",
                                             .inputs = {SLI_VARIABLE, SLI_SLOT_1, SLI_SLOT_0, SLI_SLOT_2, SLI_RATE,
                                                        SLI_HYPER_0, SLI_HYPER_1, SLI_HYPER_2, SLI_GRADIENT},
                                             .slots = 3,
                                             .hypers = {"decay", "momentum", "epsilon"}};
static const sli_rule_t adadelta = {
    .name = "Adadelta",
    .op = "ApplyAdadelta",
    .rate = "lr",
    .inputs = {SLI_VARIABLE, SLI_SLOT_0, SLI_SLOT_1, SLI_RATE, SLI_HYPER_0, SLI_HYPER_1, SLI_GRADIENT},
    .slots = 2,
    .hypers = {"rho", "epsilon"}};
static const sli_rule_t adagrad_da = {
    .name = "AdagradDA",
    .op = "ApplyAdagradDA",
    .inputs = {SLI_VARIABLE, SLI_SLOT_0, SLI_SLOT_1, SLI_GRADIENT, SLI_RATE, SLI_HYPER_0, SLI_HYPER_1, SLI_STEP},
    .slots = 2,
    .hypers = {"l1_regularization_strength", "l2_regularization_strength"}};
static const sli_rule_t ftrl = {
    .name = "Ftrl",
    .op = "ApplyFtrl",
    .inputs = {SLI_VARIABLE, SLI_SLOT_0, SLI_SLOT_1, SLI_GRADIENT, SLI_RATE, SLI_HYPER_0, SLI_HYPER_1, SLI_HYPER_2},
    .slots = 2,
    .hypers = {"l1_regularization_strength", "l2_regularization_strength", "learning_rate_power"}};
static const sli_rule_t ftrl_shrinkage = {.name = "Ftrl",
                                          .op = "ApplyFtrlV2",
                                          .inputs = {SLI_VARIABLE, SLI_SLOT_0, SLI_SLOT_1, SLI_GRADIENT, SLI_RATE,
                                                     SLI_HYPER_0, SLI_HYPER_1, SLI_HYPER_2, SLI_HYPER_3},
                                          .slots = 2,
                                          .hypers = {"l1_regularization_strength", "l2_regularization_strength",
                                                     "l2_shrinkage_regularization_strength", "learning_rate_power"}};
static const sli_rule_t proximal_gradient_descent = {
    .name = "ProximalGradientDescent",
    .op = "ApplyProximalGradientDescent",
    .inputs = {SLI_VARIABLE, SLI_RATE, SLI_HYPER_0, SLI_HYPER_1, SLI_GRADIENT},
    .hypers = {"l1_regularization_strength", "l2_regularization_strength"}};
static const sli_rule_t proximal_adagrad = {
    .name = "ProximalAdagrad",
    .op = "ApplyProximalAdagrad",
    .inputs = {SLI_VARIABLE, SLI_SLOT_0, SLI_RATE, SLI_HYPER_0, SLI_HYPER_1, SLI_GRADIENT},
    .slots = 1,
    .hypers = {"l1_regularization_strength", "l2_regularization_strength"}};

static void destroy(void *object) {
  sl_optimizer_t *optimizer = object;
  sli_array_deinitialize(&optimizer->slots);
  free(optimizer->name);
  free(optimizer);
}

static sl_optimizer_t *create(sl_scope_t *scope, const sli_rule_t *rule, sl_rate_t rate, const char *name,
                              bool use_locking) {
  sl_optimizer_t *optimizer = sli_calloc(1, sizeof(*optimizer));
  optimizer->scope = scope;
  optimizer->rule = rule;
  optimizer->name = sli_strdup(name ? name : rule->name);
  optimizer->rate = rate;
  optimizer->use_locking = use_locking;
  for (int i = 0; i < SLI_MAX_SLOTS; i++) optimizer->slot_initializers[i] = SL_ZEROS;
  sli_scope_own(scope, optimizer, destroy);
  return optimizer;
}

sl_optimizer_t *sl_gradient_descent_with(sl_scope_t *scope, sl_rate_t rate,
                                         const sl_gradient_descent_options_t *given) {
  SLI_READ_OPTIONS(sl_gradient_descent_options_t, options, given);
  return create(scope, &gradient_descent, rate, options.name, options.use_locking);
}

sl_optimizer_t *sl_momentum_with(sl_scope_t *scope, sl_rate_t rate, double momentum,
                                 const sl_momentum_options_t *given) {
  SLI_READ_OPTIONS(sl_momentum_options_t, options, given);
  sl_optimizer_t *optimizer = create(scope, &momentum_rule, rate, options.name, options.use_locking);
  optimizer->hypers[0] = momentum;
  optimizer->use_nesterov = options.use_nesterov;
  return optimizer;
}

sl_optimizer_t *sli_optimizer_wrap(sl_scope_t *scope, sl_optimizer_t *inner, sli_apply_function_t apply, void *context,
                                   bool takes_sparse) {
  sl_optimizer_t *optimizer = create(scope, inner->rule, inner->rate, inner->name, inner->use_locking);
  optimizer->inner = inner;
  optimizer->apply = apply;
  optimizer->apply_context = context;
  optimizer->takes_sparse = takes_sparse;
  return optimizer;
}

void *sli_optimizer_wrapping(const sl_optimizer_t *optimizer, sli_apply_function_t apply) {
  return optimizer && optimizer->apply == apply ? optimizer->apply_context : NULL;
}

static double number_or(double given, double usual) { return given != 0 ? given : usual; }

sl_optimizer_t *sl_adagrad_with(sl_scope_t *scope, sl_rate_t rate, const sl_adagrad_options_t *given) {
  SLI_READ_OPTIONS(sl_adagrad_options_t, options, given);
  sl_optimizer_t *optimizer = create(scope, &adagrad, rate, options.name, options.use_locking);
  optimizer->slot_initializers[0] = SL_CONSTANT(number_or(options.initial_accumulator_value, 0.1));
  return optimizer;
}

sl_optimizer_t *sl_adam_with(sl_scope_t *scope, sl_rate_t rate, const sl_adam_options_t *given) {
  SLI_READ_OPTIONS(sl_adam_options_t, options, given);
  sl_optimizer_t *optimizer = create(scope, &adam, rate, options.name, options.use_locking);
  optimizer->hypers[0] = number_or(options.beta1, 0.9);
  optimizer->hypers[1] = number_or(options.beta2, 0.999);
  optimizer->hypers[2] = number_or(options.epsilon, 1e-8);
  return optimizer;
}

sl_optimizer_t *sl_rms_prop_with(sl_scope_t *scope, sl_rate_t rate, const sl_rms_prop_options_t *given) {
  SLI_READ_OPTIONS(sl_rms_prop_options_t, options, given);
  sl_optimizer_t *optimizer =
      create(scope, options.centered ? &rms_prop_centered : &rms_prop, rate, options.name, options.use_locking);
  optimizer->hypers[0] = number_or(options.decay, 0.9);
  optimizer->hypers[1] = options.momentum;
  optimizer->hypers[2] = number_or(options.epsilon, 1e-10);
  optimizer->slot_initializers[0] = SL_ONES;
  return optimizer;
}

sl_optimizer_t *sl_adadelta_with(sl_scope_t *scope, sl_rate_t rate, const sl_adadelta_options_t *given) {
  SLI_READ_OPTIONS(sl_adadelta_options_t, options, given);
  sl_optimizer_t *optimizer = create(scope, &adadelta, rate, options.name, options.use_locking);
  optimizer->hypers[0] = number_or(options.rho, 0.95);
  optimizer->hypers[1] = number_or(options.epsilon, 1e-8);
  return optimizer;
}

// |accumulator|: the slot that starts with the initial accumulator value; -1: none.
static sl_optimizer_t *create_proximal(sl_scope_t *scope, const sli_rule_t *rule, sl_rate_t rate,
                                       const sl_proximal_options_t *options, int accumulator) {
  sl_optimizer_t *optimizer = create(scope, rule, rate, options->name, options->use_locking);
  optimizer->hypers[0] = options->l1;
  optimizer->hypers[1] = options->l2;
  if (accumulator >= 0)
    optimizer->slot_initializers[accumulator] = SL_CONSTANT(number_or(options->initial_accumulator_value, 0.1));
  return optimizer;
}

sl_optimizer_t *sl_ftrl_with(sl_scope_t *scope, sl_rate_t rate, const sl_proximal_options_t *given) {
  SLI_READ_OPTIONS(sl_proximal_options_t, options, given);
  bool shrinks = options.l2_shrinkage > 0;
  sl_optimizer_t *optimizer = create_proximal(scope, shrinks ? &ftrl_shrinkage : &ftrl, rate, &options, 0);
  optimizer->hypers[2] = options.l2_shrinkage;
  optimizer->hypers[shrinks ? 3 : 2] = number_or(options.learning_rate_power, -0.5);
  return optimizer;
}

sl_optimizer_t *sl_proximal_gradient_descent_with(sl_scope_t *scope, sl_rate_t rate,
                                                  const sl_proximal_options_t *given) {
  SLI_READ_OPTIONS(sl_proximal_options_t, options, given);
  return create_proximal(scope, &proximal_gradient_descent, rate, &options, -1);
}

sl_optimizer_t *sl_proximal_adagrad_with(sl_scope_t *scope, sl_rate_t rate, const sl_proximal_options_t *given) {
  SLI_READ_OPTIONS(sl_proximal_options_t, options, given);
  return create_proximal(scope, &proximal_adagrad, rate, &options, 0);
}

sl_optimizer_t *sl_adagrad_da_with(sl_scope_t *scope, sl_rate_t rate, TF_Output step,
                                   const sl_proximal_options_t *given) {
  SLI_READ_OPTIONS(sl_proximal_options_t, options, given);
  if (!step.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "AdagradDA needs the global step");
  sl_optimizer_t *optimizer = create_proximal(scope, &adagrad_da, rate, &options, 1);
  optimizer->step = step;
  return optimizer;
}
