// Updates with sparse gradients, for the rules that TensorFlow has no sparse op for.
#include "train/graph/build.h"
#include "train/graph/variable.h"
#include "train/optimize/optimizer_rule_internal.h"

void sli_optimizer_sum_duplicates(sl_scope_t *scope, TF_Output *gradient, TF_Output *indices) {
  TF_Output unique = sl_unary(scope, "Unique", *indices, NULL);
  TF_Output count = sli_build_element(scope, sl_shape_of_with(scope, unique, NULL), 0);
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentSum", NULL);
  sl_node_input(node, *gradient);
  sl_node_input(node, (TF_Output){unique.oper, 1});
  sl_node_input(node, count);
  *gradient = sl_node_output(node);
  *indices = unique;
}

TF_Operation *sli_optimizer_gradient_descent_sparse(sl_optimizer_t *optimizer, const sl_variable_info_t *variable,
                                                    const sli_optimizer_numbers_t *numbers, TF_Output gradient,
                                                    TF_Output indices) {
  sl_scope_t *scope = optimizer->scope;
  bool is_resource = sli_train_variable_is_resource(variable);
  if (is_resource)
    gradient = sl_unary(scope, "Neg", gradient, NULL);  // as in Python, whose optimizers do not use ResourceScatterSub
  TF_Output change = sl_binary(scope, "Mul", "mul", gradient, numbers->rate, NULL);
  const char *op = is_resource ? "ScatterAdd" : "ScatterSub";
  return sli_train_variable_scatter(scope, op, variable, indices, change, optimizer->use_locking);
}

// slot = slot * beta, then += (1 - beta) * value at |indices|; returns the slot after it.
static TF_Output decay_and_add(sl_optimizer_t *optimizer, const sl_variable_info_t *slot, TF_Output beta,
                               TF_Output scaled, TF_Output indices) {
  sl_scope_t *scope = optimizer->scope;
  TF_Output decayed = sl_binary(scope, "Mul", "mul", sli_train_variable_current_value(scope, slot), beta, NULL),
            added = {0};
  TF_Operation *assigned =
      sli_train_variable_update(scope, "Assign", slot, decayed, NULL, optimizer->use_locking).operation;
  if (!assigned) return added;
  SL_CONTROL_DEPENDENCIES (scope, assigned) {
    TF_Operation *scattered =
        sli_train_variable_scatter(scope, "ScatterAdd", slot, indices, scaled, optimizer->use_locking);
    added = (TF_Output){scattered, 0};
    if (scattered && sli_train_variable_is_resource(slot))
      SL_CONTROL_DEPENDENCIES (scope, scattered) added = sli_train_variable_current_value(scope, slot);
  }
  return added;
}

// All rows of the slots decay and all rows of the variable change; the gradient is added only to the rows it has.
TF_Operation *sli_optimizer_adam_sparse(sl_optimizer_t *optimizer, const sl_variable_info_t *variable,
                                        const sli_optimizer_numbers_t *numbers, TF_Output gradient, TF_Output indices) {
  sl_scope_t *scope = optimizer->scope;
  const sli_optimizer_slots_t *slots = sli_optimizer_find_slots(optimizer, variable->value);
  const sl_variable_info_t *m = sl_variable_info(scope, slots->values[0]),
                           *v = sl_variable_info(scope, slots->values[1]);
  TF_DataType dtype = variable->dtype;
  TF_Output beta1 = sli_optimizer_hyper(numbers, SLI_OPTIMIZER_BETA1),
            beta2 = sli_optimizer_hyper(numbers, SLI_OPTIMIZER_BETA2);
  TF_Output epsilon = sli_optimizer_hyper(numbers, SLI_OPTIMIZER_EPSILON);
  TF_Output power2 = sli_optimizer_power(optimizer, 1, dtype);
  TF_Output root = sl_unary(scope, "Sqrt", sli_build_number_left(scope, "Sub", "sub", 1, power2), NULL);
  TF_Output product = sl_binary(scope, "Mul", "mul", numbers->rate, root, NULL);
  TF_Output power1 = sli_optimizer_power(optimizer, 0, dtype);
  TF_Output rate =
      sl_binary(scope, "RealDiv", "truediv", product, sli_build_number_left(scope, "Sub", "sub", 1, power1), NULL);
  TF_Output m_scaled =
      sl_binary(scope, "Mul", "mul", gradient, sli_build_number_left(scope, "Sub", "sub", 1, beta1), NULL);
  TF_Output m_now = decay_and_add(optimizer, m, beta1, m_scaled, indices);
  TF_Output square = sl_binary(scope, "Mul", "mul", gradient, gradient, NULL);
  TF_Output v_scaled =
      sl_binary(scope, "Mul", "mul", square, sli_build_number_left(scope, "Sub", "sub", 1, beta2), NULL);
  TF_Output v_now = decay_and_add(optimizer, v, beta2, v_scaled, indices);
  TF_Output deviation = sl_unary(scope, "Sqrt", v_now, NULL);
  TF_Output step = sl_binary(scope, "Mul", "mul", rate, m_now, NULL);
  TF_Output change =
      sl_binary(scope, "RealDiv", "truediv", step, sl_binary(scope, "AddV2", "add", deviation, epsilon, NULL), NULL);
  TF_Operation *moved =
      sli_train_variable_update(scope, "AssignSub", variable, change, NULL, optimizer->use_locking).operation;
  TF_Operation *all[] = {moved, m_now.oper, v_now.oper};
  return sli_scope_ok(scope) ? sl_group_with(scope, all, 3, NULL) : NULL;
}
