// Applies gradients: creates slots and constants, updates each variable by the
// optimizer's rule on the variable's device, then increments the global step. The
// nodes are those of tf.train's optimizers.
#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/graph/trained_value.h"
#include "train/graph/variable.h"
#include "train/optimize/optimizer_rule_internal.h"

// --- Slots ---

sli_optimizer_slots_t *sli_optimizer_find_slots(const sl_optimizer_t *optimizer, TF_Output variable) {
  for (size_t i = 0; i < optimizer->slots.count; i++)
    if (optimizer->slots.items[i].variable.oper == variable.oper) return &optimizer->slots.items[i];
  return NULL;
}

TF_Output sl_optimizer_slot(const sl_optimizer_t *optimizer, TF_Output variable, const char *slot) {
  if (optimizer->inner) return sl_optimizer_slot(optimizer->inner, variable, slot);
  const sli_optimizer_slots_t *slots = sli_optimizer_find_slots(optimizer, variable);
  const sl_variable_info_t *primary = sl_variable_info(optimizer->scope, variable);
  for (int i = 0; slots && primary && i < optimizer->rule->slots; i++) {
    const sl_variable_info_t *info = sl_variable_info(optimizer->scope, slots->values[i]);
    if (info && sli_string_starts_with(info->name, primary->name) &&
        strcmp(info->name + strlen(primary->name) + 1, slot) == 0)
      return slots->values[i];
  }
  return (TF_Output){0};
}

// The powers are colocated with the variable whose name is the first in sorted order.
static void make_powers(sl_optimizer_t *optimizer, const sl_gradients_t *gradients) {
  sl_scope_t *scope = optimizer->scope;
  const sl_variable_info_t *first = NULL;
  for (size_t i = 0; i < gradients->count; i++) {
    const sl_variable_info_t *info = sl_variable_info(scope, gradients->items[i].variable);
    if (gradients->items[i].gradient.oper && (!first || strcmp(info->name, first->name) < 0)) first = info;
  }
  SL_COLOCATE_WITH(scope, first->reference.oper) {
    for (int i = 0; i < SLI_OPTIMIZER_MAX_POWERS && optimizer->rule->powers[i].name; i++) {
      const sli_optimizer_power_t *power = &optimizer->rule->powers[i];
      if (!optimizer->powers[i].oper)
        optimizer->powers[i] = sli_train_variable_create_scalar_like(
            scope, power->name, first, TF_FLOAT, sli_optimizer_get_hyper(optimizer, power->hyper), SL_GLOBAL_VARIABLES);
    }
  }
}

TF_Output sli_optimizer_power(const sl_optimizer_t *optimizer, int index, TF_DataType dtype) {
  sl_scope_t *scope = optimizer->scope;
  return sl_cast_with(scope, sli_train_variable_current_value(scope, sl_variable_info(scope, optimizer->powers[index])),
                      dtype, NULL);
}

static void make_slots(sl_optimizer_t *optimizer, const sl_gradients_t *gradients) {
  sl_scope_t *scope = optimizer->scope;
  if (optimizer->rule->powers[0].name) make_powers(optimizer, gradients);
  for (size_t i = 0; i < gradients->count && sli_scope_ok(scope); i++) {
    TF_Output variable = gradients->items[i].variable;
    if (!gradients->items[i].gradient.oper || sli_optimizer_find_slots(optimizer, variable)) continue;
    sli_optimizer_slots_t slots = {.variable = variable};
    for (int j = 0; j < optimizer->rule->slots; j++)
      slots.values[j] = sli_train_variable_create_slot(scope, sl_variable_info(scope, variable), optimizer->name,
                                                       optimizer->slot_initializers[j]);
    sli_array_push(&optimizer->slots, slots);
  }
}

// --- Applying ---

// The current step, as tf.identity returns it.
static TF_Output current_step(sl_scope_t *scope, TF_Output step) {
  const sl_variable_info_t *variable = sl_variable_info(scope, step);
  if (!variable || !sli_train_variable_is_resource(variable)) return sl_unary(scope, "Identity", step, NULL);
  TF_Output current = {0};
  SL_NAME_SCOPE (scope, "Identity") {
    char *whole = sli_build_scope_node_name(scope);
    current =
        sl_unary(scope, "Identity", sli_train_variable_current_value(scope, variable), SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  return current;
}

// Floats, whatever type the variables have, as Python makes them. An update casts them to its variable's type.
static sli_optimizer_numbers_t make_numbers(sl_optimizer_t *optimizer) {
  sl_scope_t *scope = optimizer->scope;
  sli_optimizer_numbers_t numbers = {.rate = optimizer->rate.output};
  if (!numbers.rate.oper)
    numbers.rate = sli_build_constant_fill(scope, TF_FLOAT, SL_SHAPE(), optimizer->rate.number,
                                           optimizer->rule->rate_name ? optimizer->rule->rate_name : "learning_rate");
  for (const sli_optimizer_input_t *hyper = optimizer->rule->hypers; *hyper != SLI_OPTIMIZER_END; hyper++)
    numbers.hypers[*hyper - SLI_OPTIMIZER_FIRST_HYPER] = sli_build_constant_fill(
        scope, TF_FLOAT, SL_SHAPE(), sli_optimizer_get_hyper(optimizer, *hyper), sli_optimizer_hyper_name(*hyper));
  if (optimizer->step.oper) {
    SL_COLOCATE_WITH(scope, numbers.rate.oper) {
      numbers.step = sli_build_number_right(scope, "AddV2", "add", current_step(scope, optimizer->step), 1);
    }
  }
  return numbers;
}

static TF_Output input_of(const sl_optimizer_t *optimizer, sli_optimizer_input_t kind,
                          const sli_optimizer_numbers_t *numbers, const sl_variable_info_t *variable,
                          TF_Output gradient) {
  sl_scope_t *scope = optimizer->scope;
  const sli_optimizer_slots_t *slots = sli_optimizer_find_slots(optimizer, variable->value);
  switch (kind) {
    case SLI_OPTIMIZER_VARIABLE: return variable->reference;
    case SLI_OPTIMIZER_SLOT_0:
    case SLI_OPTIMIZER_SLOT_1:
    case SLI_OPTIMIZER_SLOT_2: return sl_variable_info(scope, slots->values[kind - SLI_OPTIMIZER_SLOT_0])->reference;
    case SLI_OPTIMIZER_RATE: return sl_cast_with(scope, numbers->rate, variable->dtype, NULL);
    case SLI_OPTIMIZER_POWER_0:
    case SLI_OPTIMIZER_POWER_1:
      return sli_optimizer_power(optimizer, (int)(kind - SLI_OPTIMIZER_POWER_0), variable->dtype);
    case SLI_OPTIMIZER_STEP:
      return sl_cast_with(scope, sl_unary(scope, "Identity", numbers->step, NULL), TF_INT64, NULL);
    case SLI_OPTIMIZER_GRADIENT: return gradient;
    default: return sl_cast_with(scope, sli_optimizer_hyper(numbers, kind), variable->dtype, NULL);
  }
}

// Whether Python reads the input, a resource, in the name scope of the op.
static bool is_read_late(const sl_optimizer_t *optimizer, sli_optimizer_input_t kind) {
  return (kind == SLI_OPTIMIZER_POWER_0 || kind == SLI_OPTIMIZER_POWER_1) &&
         sli_train_variable_is_resource(
             sl_variable_info(optimizer->scope, optimizer->powers[kind - SLI_OPTIMIZER_POWER_0]));
}

// Builds the rule's op, dense or sparse.
static TF_Operation *update_node(sl_optimizer_t *optimizer, const sli_optimizer_numbers_t *numbers,
                                 const sl_variable_info_t *variable, TF_Output gradient, TF_Output indices) {
  sl_scope_t *scope = optimizer->scope;
  const char *kind_of_variable = sli_train_variable_is_resource(variable) ? "Resource" : "";
  TF_Output inputs[SLI_OPTIMIZER_MAX_INPUTS + 1];
  sli_optimizer_input_t late[SLI_OPTIMIZER_MAX_INPUTS + 1] = {SLI_OPTIMIZER_END};
  size_t count = 0;
  for (const sli_optimizer_input_t *kind = optimizer->rule->inputs; *kind != SLI_OPTIMIZER_END; kind++) {
    if (is_read_late(optimizer, *kind))
      late[count++] = *kind;
    else
      inputs[count++] = input_of(optimizer, *kind, numbers, variable, gradient);
    if (*kind == SLI_OPTIMIZER_GRADIENT && indices.oper) inputs[count++] = indices;
  }
  char *op = sli_format("%s%s%s", kind_of_variable, indices.oper ? "Sparse" : "", optimizer->rule->op);
  TF_Operation *operation = NULL;
  SL_NAME_SCOPE (scope, "%s", op) {
    char *whole = sli_build_scope_node_name(scope);
    for (size_t i = 0; i < count; i++)
      if (late[i] != SLI_OPTIMIZER_END) inputs[i] = input_of(optimizer, late[i], numbers, variable, gradient);
    sl_node_t *node = sl_node_begin(scope, op, whole);
    for (size_t i = 0; i < count; i++) sl_node_input(node, inputs[i]);
    sl_node_attr_bool(node, "use_locking", optimizer->use_locking);
    if (optimizer->use_nesterov) sl_node_attr_bool(node, "use_nesterov", true);
    operation = sl_node_finish(node);
    free(whole);
  }
  free(op);
  return operation;
}

// |numbers| with the variable's type.
static sli_optimizer_numbers_t cast_numbers(const sl_optimizer_t *optimizer, const sli_optimizer_numbers_t *numbers,
                                            const sl_variable_info_t *variable) {
  sl_scope_t *scope = optimizer->scope;
  sli_optimizer_numbers_t cast = {.rate = sl_cast_with(scope, numbers->rate, variable->dtype, NULL)};
  for (const sli_optimizer_input_t *hyper = optimizer->rule->hypers; *hyper != SLI_OPTIMIZER_END; hyper++)
    cast.hypers[*hyper - SLI_OPTIMIZER_FIRST_HYPER] =
        sl_cast_with(scope, sli_optimizer_hyper(numbers, *hyper), variable->dtype, NULL);
  return cast;
}

static TF_Operation *update_variable(sl_optimizer_t *optimizer, const sli_optimizer_numbers_t *numbers,
                                     const sl_gradient_t *gradient) {
  sl_scope_t *scope = optimizer->scope;
  const sli_optimizer_rule_t *rule = optimizer->rule;
  const sl_variable_info_t *variable = sl_variable_info(scope, gradient->variable);
  TF_Operation *operation = NULL;
  SL_NAME_SCOPE (scope, "update_%s", variable->name) {
    SL_COLOCATE_WITH(scope, variable->reference.oper) {
      TF_Output values = gradient->gradient, indices = gradient->indices;
      if (indices.oper && !rule->takes_duplicates) sli_optimizer_sum_duplicates(scope, &values, &indices);
      if (indices.oper && rule->sparse) {
        sli_optimizer_numbers_t cast = cast_numbers(optimizer, numbers, variable);
        operation = rule->sparse(optimizer, variable, &cast, values, indices);
      } else {
        operation = update_node(optimizer, numbers, variable, values, indices);
      }
    }
  }
  return operation;
}

// Updates the powers after all variables.
static void update_powers(sl_optimizer_t *optimizer, const sli_optimizer_numbers_t *numbers,
                          sli_operations_t *updates) {
  sl_scope_t *scope = optimizer->scope;
  SL_BLOCK(sl_control_dependencies_enter(scope, updates->items, updates->count)) {
    for (int i = 0; i < SLI_OPTIMIZER_MAX_POWERS && optimizer->rule->powers[i].name; i++) {
      const sl_variable_info_t *power = sl_variable_info(scope, optimizer->powers[i]);
      if (!power) break;
      SL_COLOCATE_WITH(scope, sl_variable_info(scope, optimizer->powers[0])->reference.oper) {
        bool is_resource = sli_train_variable_is_resource(power);
        TF_Output next = sl_binary(scope, "Mul", "mul", sli_train_variable_current_value(scope, power),
                                   sli_optimizer_hyper(numbers, optimizer->rule->powers[i].hyper), NULL);
        TF_Operation *assigned = sli_train_variable_update(scope, "Assign", power, next, is_resource ? NULL : "Assign",
                                                           optimizer->use_locking)
                                     .operation;
        if (assigned) sli_array_push(updates, assigned);
      }
    }
  }
}

// Increments the step; the result is not used.
static TF_Operation *increment_step(sl_scope_t *scope, const sl_variable_info_t *step, bool use_locking,
                                    const char *name) {
  bool is_resource = sli_train_variable_is_resource(step);
  TF_Output one = sli_build_constant_fill(scope, step->dtype, SL_SHAPE(), 1, is_resource ? "Const" : "value");
  if (!is_resource) return sli_train_variable_update(scope, "AssignAdd", step, one, name, use_locking).operation;
  sl_node_t *node = sl_node_begin(scope, "AssignAddVariableOp", name);
  sl_node_input(node, step->reference);
  sl_node_input(node, one);
  return sl_node_finish(node);
}

// Groups all updates in one operation |name|; with a global step, the operation that increments it after them.
static TF_Operation *group_updates(sl_optimizer_t *optimizer, const sli_operations_t *updates,
                                   const sl_variable_info_t *global_step, const char *name) {
  sl_scope_t *scope = optimizer->scope;
  if (!global_step) return sl_group_with(scope, updates->items, updates->count, SL_OP_OPTIONS(.name = name));
  TF_Operation *group = sl_group_with(scope, updates->items, updates->count, SL_OP_OPTIONS(.name = "update"));
  TF_Operation *step = NULL;
  if (!group) return NULL;
  SL_CONTROL_DEPENDENCIES (scope, group) {
    SL_COLOCATE_WITH(scope, global_step->reference.oper) {
      step = increment_step(scope, global_step, optimizer->use_locking, name);
    }
  }
  return step;
}

static bool check_gradients(sl_scope_t *scope, const sl_gradients_t *gradients) {
  bool any = false;
  for (size_t i = 0; i < gradients->count; i++) {
    if (!sli_train_variable_require(scope, gradients->items[i].variable, "sl_apply_gradients")) return false;
    any = any || gradients->items[i].gradient.oper;
  }
  if (!any) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "No gradients provided for any variable.");
  return sli_scope_ok(scope);
}

static TF_Operation *pass_to_wrapper(sl_scope_t *scope, sl_optimizer_t *optimizer, sl_gradients_t gradients,
                                     const sl_apply_gradients_options_t *options) {
  if (optimizer->takes_sparse) return optimizer->apply(scope, optimizer->apply_context, gradients, options);
  sl_gradients_t dense = {gradients.count, sli_calloc(gradients.count, sizeof(*dense.items))};
  sli_scope_own(scope, dense.items, free);
  for (size_t i = 0; i < gradients.count; i++)
    dense.items[i] = (sl_gradient_t){.gradient = sl_dense_gradient_with(scope, gradients.items[i]),
                                     .variable = gradients.items[i].variable};
  return optimizer->apply(scope, optimizer->apply_context, dense, options);
}

// Values without a variable are updated by each worker at once, whatever the wrapper does with the gradients.
static TF_Operation *apply_wrapped(sl_scope_t *scope, sl_optimizer_t *optimizer, sl_gradients_t gradients,
                                   const sl_apply_gradients_options_t *options) {
  sli_operations_t updates = {0};
  sli_train_value_apply_all(scope, &updates);
  TF_Operation *train = pass_to_wrapper(scope, optimizer, gradients, options);
  if (train && updates.count) {
    sli_array_push(&updates, train);
    train = sl_group_with(scope, updates.items, updates.count, SL_OP_OPTIONS(.name = "train_with_rows"));
  }
  sli_array_deinitialize(&updates);
  return train;
}

TF_Operation *sl_apply_gradients_with(sl_scope_t *scope, sl_optimizer_t *optimizer, sl_gradients_t gradients,
                                      const sl_apply_gradients_options_t *given) {
  SLI_CALL_OPTIONS(sl_apply_gradients_options_t, options, given);
  if (!optimizer) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_apply_gradients: optimizer must not be NULL");
  if (!sli_scope_ok(scope) || !check_gradients(scope, &gradients)) return NULL;
  if (optimizer->apply) return apply_wrapped(scope, optimizer, gradients, &options);
  const sl_variable_info_t *global_step = NULL;
  if (options.global_step.oper) {
    global_step = sli_train_variable_require(scope, options.global_step, "global_step");
    if (!global_step) return NULL;
  }
  make_slots(optimizer, &gradients);
  if (!sli_scope_ok(scope)) return NULL;
  TF_Operation *train = NULL;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : optimizer->name) {
    char *whole = sli_build_scope_node_name(scope);
    sli_optimizer_numbers_t numbers = make_numbers(optimizer);
    sli_operations_t updates = {0};
    for (size_t i = 0; i < gradients.count && sli_scope_ok(scope); i++) {
      if (!gradients.items[i].gradient.oper) continue;
      TF_Operation *operation = update_variable(optimizer, &numbers, &gradients.items[i]);
      if (operation) sli_array_push(&updates, operation);
    }
    if (optimizer->rule->powers[0].name) update_powers(optimizer, &numbers, &updates);
    sli_train_value_apply_all(scope, &updates);
    if (sli_scope_ok(scope)) train = group_updates(optimizer, &updates, global_step, whole);
    sli_array_deinitialize(&updates);
    free(whole);
  }
  sl_collection_add(scope, SL_TRAIN_OP, (TF_Output){train, 0});
  return train;
}

TF_Operation *sl_minimize_with(sl_scope_t *scope, sl_optimizer_t *optimizer, TF_Output loss,
                               const sl_minimize_options_t *given) {
  SLI_CALL_OPTIONS(sl_minimize_options_t, options, given);
  sl_gradients_t gradients = sl_compute_gradients_with(
      scope, loss,
      SL_OPTIONS(sl_compute_gradients_options_t, .variables = options.variables,
                 .variable_count = options.variable_count, .aggregation_method = options.aggregation_method,
                 .colocate_gradients_with_ops = options.colocate_gradients_with_ops));
  return sl_apply_gradients_with(
      scope, optimizer, gradients,
      SL_OPTIONS(sl_apply_gradients_options_t, .global_step = options.global_step, .name = options.name));
}
