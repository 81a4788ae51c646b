// Optimizers: a rule is a row of a table that says which op updates a variable
// and what its inputs are; making slots, naming and ordering are the same for
// all. The nodes are those of tf.train's optimizers.
#include "sluice/optimizer.h"

#include <stdlib.h>

#include "train/ops_internal.h"
#include "train/optimizer_internal.h"
#include "train/options_internal.h"
#include "train/tensor.h"
#include "train/variable_internal.h"

enum { MAX_SLOTS = 2, MAX_HYPERS = 3, MAX_POWERS = 2, MAX_INPUTS = 10 };

// Inputs of an update op, in its order.
typedef enum { END = 0, VARIABLE, SLOT_0, SLOT_1, RATE, GRADIENT, HYPER_0, HYPER_1, HYPER_2, POWER_0, POWER_1 } input_t;

typedef struct {
  const char *name;                // "Adam"
  const char *op;                  // "ApplyAdam"
  input_t inputs[MAX_INPUTS + 1];  // ends with END
  int slots;
  const char *hypers[MAX_HYPERS];  // names of the constants that the op takes
  const char *powers[MAX_POWERS];  // scalar variables that are multiplied by hyper 0, 1 after each step
} rule_t;

static const rule_t gradient_descent = {
    .name = "GradientDescent", .op = "ApplyGradientDescent", .inputs = {VARIABLE, RATE, GRADIENT}};
static const rule_t momentum_rule = {.name = "Momentum",
                                     .op = "ApplyMomentum",
                                     .inputs = {VARIABLE, SLOT_0, RATE, GRADIENT, HYPER_0},
                                     .slots = 1,
                                     .hypers = {"momentum"}};
static const rule_t adagrad = {
    .name = "Adagrad", .op = "ApplyAdagrad", .inputs = {VARIABLE, SLOT_0, RATE, GRADIENT}, .slots = 1};
static const rule_t adam = {
    .name = "Adam",
    .op = "ApplyAdam",
    .inputs = {VARIABLE, SLOT_0, SLOT_1, POWER_0, POWER_1, RATE, HYPER_0, HYPER_1, HYPER_2, GRADIENT},
    .slots = 2,
    .hypers = {"beta1", "beta2", "epsilon"},
    .powers = {"beta1_power", "beta2_power"}};
static const rule_t rms_prop = {.name = "RMSProp",
                                .op = "ApplyRMSProp",
                                .inputs = {VARIABLE, SLOT_0, SLOT_1, RATE, HYPER_0, HYPER_1, HYPER_2, GRADIENT},
                                .slots = 2,
                                .hypers = {"decay", "momentum", "epsilon"}};

typedef struct {
  TF_Output variable;  // the one they are for
  TF_Output values[MAX_SLOTS];
} slots_t;

struct sl_optimizer {
  sl_scope_t *scope;
  const rule_t *rule;
  char *name;
  sl_rate_t rate;
  double hypers[MAX_HYPERS];
  sl_initializer_t slot_initializers[MAX_SLOTS];
  bool use_locking, use_nesterov;
  SLI_ARRAY(slots_t) slots;
  TF_Output powers[MAX_POWERS];
  // A wrapper has these instead of a rule.
  sl_optimizer_t *inner;
  sli_apply_function_t apply;
  void *apply_context;
};

static void destroy(void *object) {
  sl_optimizer_t *optimizer = object;
  sli_array_deinitialize(&optimizer->slots);
  free(optimizer->name);
  free(optimizer);
}

static sl_optimizer_t *create(sl_scope_t *scope, const rule_t *rule, sl_rate_t rate, const char *name,
                              bool use_locking) {
  sl_optimizer_t *optimizer = sli_calloc(1, sizeof(*optimizer));
  optimizer->scope = scope;
  optimizer->rule = rule;
  optimizer->name = sli_strdup(name ? name : rule->name);
  optimizer->rate = rate;
  optimizer->use_locking = use_locking;
  for (int i = 0; i < MAX_SLOTS; i++) optimizer->slot_initializers[i] = SL_ZEROS;
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

sl_optimizer_t *sli_optimizer_wrap(sl_scope_t *scope, sl_optimizer_t *inner, sli_apply_function_t apply,
                                   void *context) {
  sl_optimizer_t *optimizer = create(scope, inner->rule, inner->rate, inner->name, inner->use_locking);
  optimizer->inner = inner;
  optimizer->apply = apply;
  optimizer->apply_context = context;
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
  sl_optimizer_t *optimizer = create(scope, &rms_prop, rate, options.name, options.use_locking);
  optimizer->hypers[0] = number_or(options.decay, 0.9);
  optimizer->hypers[1] = options.momentum;
  optimizer->hypers[2] = number_or(options.epsilon, 1e-10);
  optimizer->slot_initializers[0] = SL_ONES;
  return optimizer;
}

// --- Gradients ---

static bool check_loss(sl_scope_t *scope, TF_Output loss) {
  if (!loss.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the loss is empty");
  return sli_scope_ok(scope);
}

sl_gradients_t sl_compute_gradients_with(sl_scope_t *scope, TF_Output loss,
                                         const sl_compute_gradients_options_t *given) {
  SLI_READ_OPTIONS(sl_compute_gradients_options_t, options, given);
  if (!check_loss(scope, loss)) return (sl_gradients_t){0};
  const TF_Output *variables = options.variables;
  size_t count = options.variable_count;
  if (!variables) {
    variables = sl_collection_items(scope, SL_TRAINABLE_VARIABLES);
    count = sl_collection_count(scope, SL_TRAINABLE_VARIABLES);
  }
  if (!count) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "No variables to optimize.");
    return (sl_gradients_t){0};
  }
  sl_gradients_t gradients = {.count = count, .items = sli_calloc(count, sizeof(*gradients.items))};
  sli_scope_own(scope, gradients.items, free);
  TF_Output *targets = sli_calloc(count, sizeof(*targets)), *results = sli_calloc(count, sizeof(*results));
  for (size_t i = 0; i < count; i++) {
    const sl_variable_info_t *info = sli_variable_need(scope, variables[i], "sl_compute_gradients");
    if (info) targets[i] = info->value;
    gradients.items[i].variable = variables[i];
  }
  if (sli_scope_ok(scope)) {
    char *prefix = sli_scope_unique_name(scope, "gradients");
    TF_Status *status = TF_NewStatus();
    TF_AddGradientsWithPrefix(scope->graph, prefix, &loss, 1, targets, (int)count, NULL, status, results);
    sli_scope_check_tf(scope, status, TF_OperationName(loss.oper));
    free(prefix);
  }
  for (size_t i = 0; i < count && sli_scope_ok(scope); i++) gradients.items[i].gradient = results[i];
  free(targets);
  free(results);
  return gradients;
}

// --- Slots ---

static slots_t *find_slots(const sl_optimizer_t *optimizer, TF_Output variable) {
  for (size_t i = 0; i < optimizer->slots.count; i++)
    if (optimizer->slots.items[i].variable.oper == variable.oper) return &optimizer->slots.items[i];
  return NULL;
}

TF_Output sl_optimizer_slot(const sl_optimizer_t *optimizer, TF_Output variable, const char *slot) {
  if (optimizer->inner) return sl_optimizer_slot(optimizer->inner, variable, slot);
  const slots_t *slots = find_slots(optimizer, variable);
  const sl_variable_info_t *primary = sl_variable_info(optimizer->scope, variable);
  for (int i = 0; slots && primary && i < optimizer->rule->slots; i++) {
    const sl_variable_info_t *info = sl_variable_info(optimizer->scope, slots->values[i]);
    if (info && sli_starts_with(info->name, primary->name) && strcmp(info->name + strlen(primary->name) + 1, slot) == 0)
      return slots->values[i];
  }
  return (TF_Output){0};
}

// The powers stay with the variable whose name comes first.
static void make_powers(sl_optimizer_t *optimizer, const sl_gradients_t *gradients) {
  sl_scope_t *scope = optimizer->scope;
  const sl_variable_info_t *first = NULL;
  for (size_t i = 0; i < gradients->count; i++) {
    const sl_variable_info_t *info = sl_variable_info(scope, gradients->items[i].variable);
    if (gradients->items[i].gradient.oper && (!first || strcmp(info->name, first->name) < 0)) first = info;
  }
  SL_COLOCATE_WITH(scope, first->reference.oper) {
    for (int i = 0; i < MAX_POWERS && optimizer->rule->powers[i]; i++)
      if (!optimizer->powers[i].oper)
        optimizer->powers[i] = sli_variable_of_number(scope, optimizer->rule->powers[i], first->dtype,
                                                      optimizer->hypers[i], SL_GLOBAL_VARIABLES);
  }
}

static void make_slots(sl_optimizer_t *optimizer, const sl_gradients_t *gradients) {
  sl_scope_t *scope = optimizer->scope;
  if (optimizer->rule->powers[0]) make_powers(optimizer, gradients);
  for (size_t i = 0; i < gradients->count && sli_scope_ok(scope); i++) {
    TF_Output variable = gradients->items[i].variable;
    if (!gradients->items[i].gradient.oper || find_slots(optimizer, variable)) continue;
    slots_t slots = {.variable = variable};
    for (int j = 0; j < optimizer->rule->slots; j++)
      slots.values[j] =
          sli_variable_slot(scope, sl_variable_info(scope, variable), optimizer->name, optimizer->slot_initializers[j]);
    sli_array_push(&optimizer->slots, slots);
  }
}

// --- Applying ---

// The numbers of a step as nodes: the learning rate and what the rule calls hypers.
typedef struct {
  TF_Output rate, hypers[MAX_HYPERS];
} numbers_t;

static numbers_t make_numbers(sl_optimizer_t *optimizer, TF_DataType dtype) {
  sl_scope_t *scope = optimizer->scope;
  numbers_t numbers = {.rate = optimizer->rate.output};
  if (!numbers.rate.oper)
    numbers.rate = sli_constant_fill(scope, dtype, SL_SHAPE(), optimizer->rate.number, "learning_rate");
  for (int i = 0; i < MAX_HYPERS && optimizer->rule->hypers[i]; i++)
    numbers.hypers[i] = sli_constant_fill(scope, dtype, SL_SHAPE(), optimizer->hypers[i], optimizer->rule->hypers[i]);
  return numbers;
}

static TF_Output input_of(const sl_optimizer_t *optimizer, input_t kind, const numbers_t *numbers,
                          const sl_variable_info_t *variable, TF_Output gradient) {
  sl_scope_t *scope = optimizer->scope;
  const slots_t *slots = find_slots(optimizer, variable->value);
  switch (kind) {
    case VARIABLE: return variable->reference;
    case SLOT_0:
    case SLOT_1: return sl_variable_info(scope, slots->values[kind - SLOT_0])->reference;
    case RATE: return sl_cast_with(scope, numbers->rate, variable->dtype, NULL);
    case HYPER_0:
    case HYPER_1:
    case HYPER_2: return sl_cast_with(scope, numbers->hypers[kind - HYPER_0], variable->dtype, NULL);
    case POWER_0:
    case POWER_1: return sl_cast_with(scope, optimizer->powers[kind - POWER_0], variable->dtype, NULL);
    default: return gradient;
  }
}

static TF_Operation *update(sl_optimizer_t *optimizer, const numbers_t *numbers, const sl_gradient_t *gradient) {
  sl_scope_t *scope = optimizer->scope;
  const sl_variable_info_t *variable = sl_variable_info(scope, gradient->variable);
  TF_Operation *operation = NULL;
  SL_NAME_SCOPE (scope, "update_%s", variable->name) {
    SL_COLOCATE_WITH(scope, variable->reference.oper) {
      TF_Output inputs[MAX_INPUTS];
      size_t count = 0;
      for (; optimizer->rule->inputs[count] != END; count++)
        inputs[count] = input_of(optimizer, optimizer->rule->inputs[count], numbers, variable, gradient->gradient);
      sl_node_t *node = sl_node_begin(scope, optimizer->rule->op, NULL);
      for (size_t i = 0; i < count; i++) sl_node_input(node, inputs[i]);
      sl_node_attr_bool(node, "use_locking", optimizer->use_locking);
      if (optimizer->use_nesterov) sl_node_attr_bool(node, "use_nesterov", true);
      operation = sl_node_finish(node);
    }
  }
  return operation;
}

// After all variables: the powers take their step.
static void update_powers(sl_optimizer_t *optimizer, const numbers_t *numbers, sli_operations_t *updates) {
  sl_scope_t *scope = optimizer->scope;
  SL_BLOCK(sl_control_dependencies_enter(scope, updates->items, updates->count)) {
    for (int i = 0; i < MAX_POWERS && optimizer->rule->powers[i]; i++) {
      const sl_variable_info_t *power = sl_variable_info(scope, optimizer->powers[i]);
      if (!power) break;
      SL_COLOCATE_WITH(scope, sl_variable_info(scope, optimizer->powers[0])->reference.oper) {
        TF_Output next = sl_binary(scope, "Mul", "mul", power->value, numbers->hypers[i], NULL);
        TF_Operation *assigned =
            sli_variable_update(scope, "Assign", power, next, "Assign", optimizer->use_locking).oper;
        if (assigned) sli_array_push(updates, assigned);
      }
    }
  }
}

// All updates as one operation: |name|, or, with a global step, the step's increment after them.
static TF_Operation *finish(sl_optimizer_t *optimizer, const sli_operations_t *updates,
                            const sl_variable_info_t *global_step, const char *name) {
  sl_scope_t *scope = optimizer->scope;
  if (!global_step) return sl_group_with(scope, updates->items, updates->count, SL_OP_OPTIONS(.name = name));
  TF_Operation *group = sl_group_with(scope, updates->items, updates->count, SL_OP_OPTIONS(.name = "update"));
  TF_Operation *step = NULL;
  if (!group) return NULL;
  SL_CONTROL_DEPENDENCIES (scope, group) {
    SL_COLOCATE_WITH(scope, global_step->reference.oper) {
      TF_Output one = sli_constant_fill(scope, global_step->dtype, SL_SHAPE(), 1, "value");
      step = sli_variable_update(scope, "AssignAdd", global_step, one, name, optimizer->use_locking).oper;
    }
  }
  return step;
}

static bool check_gradients(sl_scope_t *scope, const sl_gradients_t *gradients) {
  bool any = false;
  for (size_t i = 0; i < gradients->count; i++) {
    if (!sli_variable_need(scope, gradients->items[i].variable, "sl_apply_gradients")) return false;
    any = any || gradients->items[i].gradient.oper;
  }
  if (!any) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "No gradients provided for any variable.");
  return sli_scope_ok(scope);
}

static TF_DataType number_type(sl_scope_t *scope, const sl_gradients_t *gradients) {
  return sl_variable_info(scope, gradients->items[0].variable)->dtype;
}

TF_Operation *sl_apply_gradients_with(sl_scope_t *scope, sl_optimizer_t *optimizer, sl_gradients_t gradients,
                                      const sl_apply_gradients_options_t *given) {
  SLI_READ_OPTIONS(sl_apply_gradients_options_t, options, given);
  if (!sli_scope_ok(scope) || !check_gradients(scope, &gradients)) return NULL;
  if (optimizer->apply) return optimizer->apply(scope, optimizer->apply_context, gradients, &options);
  const sl_variable_info_t *global_step = NULL;
  if (options.global_step.oper) {
    global_step = sli_variable_need(scope, options.global_step, "global_step");
    if (!global_step) return NULL;
  }
  make_slots(optimizer, &gradients);
  if (!sli_scope_ok(scope)) return NULL;
  TF_Operation *train = NULL;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : optimizer->name) {
    char *whole = sli_scope_own_name(scope);
    numbers_t numbers = make_numbers(optimizer, number_type(scope, &gradients));
    sli_operations_t updates = {0};
    for (size_t i = 0; i < gradients.count && sli_scope_ok(scope); i++) {
      if (!gradients.items[i].gradient.oper) continue;
      TF_Operation *operation = update(optimizer, &numbers, &gradients.items[i]);
      if (operation) sli_array_push(&updates, operation);
    }
    if (optimizer->rule->powers[0]) update_powers(optimizer, &numbers, &updates);
    if (sli_scope_ok(scope)) train = finish(optimizer, &updates, global_step, whole);
    sli_array_deinitialize(&updates);
    free(whole);
  }
  sl_collection_add(scope, SL_TRAIN_OP, (TF_Output){train, 0});
  return train;
}

TF_Operation *sl_minimize_with(sl_scope_t *scope, sl_optimizer_t *optimizer, TF_Output loss,
                               const sl_minimize_options_t *given) {
  SLI_READ_OPTIONS(sl_minimize_options_t, options, given);
  sl_gradients_t gradients =
      sl_compute_gradients_with(scope, loss,
                                SL_OPTIONS(sl_compute_gradients_options_t, .variables = options.variables,
                                           .variable_count = options.variable_count));
  return sl_apply_gradients_with(
      scope, optimizer, gradients,
      SL_OPTIONS(sl_apply_gradients_options_t, .global_step = options.global_step, .name = options.name));
}
