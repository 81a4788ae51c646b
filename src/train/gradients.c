// Gradients of a loss: computing, averaging over towers, clipping, and what
// sparse ones need.
#include <stdlib.h>

#include "sluice/gradients.h"
#include "train/device_spec.h"
#include "train/flow_internal.h"
#include "train/ops_internal.h"
#include "train/optimizer_rule_internal.h"
#include "train/options_internal.h"
#include "train/tensor.h"
#include "train/variable_internal.h"

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
  TF_Output *targets = sli_calloc(count, sizeof(*targets));
  sl_indexed_slices_t *results = sli_calloc(count, sizeof(*results));
  for (size_t i = 0; i < count; i++) {
    const sl_variable_info_t *info = sli_variable_need(scope, variables[i], "sl_compute_gradients");
    // A resource is read in many places: the gradient is that of the handle.
    if (info) targets[i] = sli_variable_is_resource(info) ? info->reference : info->value;
    gradients.items[i].variable = variables[i];
  }
  if (sli_scope_ok(scope)) {
    char *prefix = sli_scope_unique_name(scope, "gradients");
    char device[SLI_DEVICE_NAME_SIZE];
    sli_scope_choose_device(scope, "AddN", prefix, -1, device, sizeof(device));
    size_t before = sli_flow_current(scope) ? sli_flow_count_nodes(scope) : 0;
    TF_Status *status = TF_NewStatus();
    sl_graph_gradients(scope->graph, prefix, &loss, 1, targets, count, NULL, device, options.aggregation_method,
                       results, status);
    sli_scope_check_tf(scope, status, TF_OperationName(loss.oper));
    if (before) sli_flow_adopt(scope, loss.oper, before);
    free(prefix);
  }
  for (size_t i = 0; i < count && sli_scope_ok(scope); i++) {
    gradients.items[i].gradient = results[i].values;
    gradients.items[i].indices = results[i].indices;
    gradients.items[i].dense_shape = results[i].dense_shape;
  }
  free(targets);
  free(results);
  return gradients;
}

// --- Sparse gradients ---

void sli_sum_duplicates(sl_scope_t *scope, TF_Output *gradient, TF_Output *indices) {
  TF_Output unique = sl_unary(scope, "Unique", *indices, NULL);
  TF_Output count = sli_item(scope, sl_shape_of_with(scope, unique, NULL), 0);
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentSum", NULL);
  sl_node_input(node, *gradient);
  sl_node_input(node, (TF_Output){unique.oper, 1});
  sl_node_input(node, count);
  *gradient = sl_node_output(node);
  *indices = unique;
}

TF_Operation *sli_gradient_descent_sparse(sl_optimizer_t *optimizer, const sl_variable_info_t *variable,
                                          const TF_Output *numbers, TF_Output gradient, TF_Output indices) {
  sl_scope_t *scope = optimizer->scope;
  bool is_resource = sli_variable_is_resource(variable);
  if (is_resource)
    gradient = sl_unary(scope, "Neg", gradient, NULL);  // Python's: there is no ResourceScatterSub in its optimizers
  TF_Output change = sl_binary(scope, "Mul", "mul", gradient, numbers[0], NULL);
  const char *op = is_resource ? "ScatterAdd" : "ScatterSub";
  return sli_variable_scatter(scope, op, variable, indices, change, optimizer->use_locking);
}

// slot = slot * beta, then += (1 - beta) * value at |indices|; returns the slot after it.
static TF_Output decay_and_add(sl_optimizer_t *optimizer, const sl_variable_info_t *slot, TF_Output beta,
                               TF_Output scaled, TF_Output indices) {
  sl_scope_t *scope = optimizer->scope;
  TF_Output decayed = sl_binary(scope, "Mul", "mul", sli_variable_now(scope, slot), beta, NULL), added = {0};
  TF_Operation *assigned = sli_variable_change(scope, "Assign", slot, decayed, NULL, optimizer->use_locking).operation;
  if (!assigned) return added;
  SL_CONTROL_DEPENDENCIES (scope, assigned) {
    TF_Operation *scattered = sli_variable_scatter(scope, "ScatterAdd", slot, indices, scaled, optimizer->use_locking);
    added = (TF_Output){scattered, 0};
    if (scattered && sli_variable_is_resource(slot))
      SL_CONTROL_DEPENDENCIES (scope, scattered) added = sli_variable_now(scope, slot);
  }
  return added;
}

// All rows of the slots decay and all of the variable move; the gradient adds to its own.
TF_Operation *sli_adam_sparse(sl_optimizer_t *optimizer, const sl_variable_info_t *variable, const TF_Output *numbers,
                              TF_Output gradient, TF_Output indices) {
  sl_scope_t *scope = optimizer->scope;
  const sli_slots_t *slots = sli_optimizer_find_slots(optimizer, variable->value);
  const sl_variable_info_t *m = sl_variable_info(scope, slots->values[0]),
                           *v = sl_variable_info(scope, slots->values[1]);
  TF_DataType dtype = variable->dtype;
  TF_Output beta1 = sl_cast_with(scope, numbers[1], dtype, NULL), beta2 = sl_cast_with(scope, numbers[2], dtype, NULL);
  TF_Output epsilon = sl_cast_with(scope, numbers[3], dtype, NULL);
  TF_Output power2 = sli_optimizer_power(optimizer, 1, dtype);
  TF_Output root = sl_unary(scope, "Sqrt", sli_number_left(scope, "Sub", "sub", 1, power2), NULL);
  TF_Output product = sl_binary(scope, "Mul", "mul", numbers[0], root, NULL);
  TF_Output power1 = sli_optimizer_power(optimizer, 0, dtype);
  TF_Output rate =
      sl_binary(scope, "RealDiv", "truediv", product, sli_number_left(scope, "Sub", "sub", 1, power1), NULL);
  TF_Output m_scaled = sl_binary(scope, "Mul", "mul", gradient, sli_number_left(scope, "Sub", "sub", 1, beta1), NULL);
  TF_Output m_now = decay_and_add(optimizer, m, beta1, m_scaled, indices);
  TF_Output square = sl_binary(scope, "Mul", "mul", gradient, gradient, NULL);
  TF_Output v_scaled = sl_binary(scope, "Mul", "mul", square, sli_number_left(scope, "Sub", "sub", 1, beta2), NULL);
  TF_Output v_now = decay_and_add(optimizer, v, beta2, v_scaled, indices);
  TF_Output deviation = sl_unary(scope, "Sqrt", v_now, NULL);
  TF_Output step = sl_binary(scope, "Mul", "mul", rate, m_now, NULL);
  TF_Output change =
      sl_binary(scope, "RealDiv", "truediv", step, sl_binary(scope, "AddV2", "add", deviation, epsilon, NULL), NULL);
  TF_Operation *moved =
      sli_variable_change(scope, "AssignSub", variable, change, NULL, optimizer->use_locking).operation;
  TF_Operation *all[] = {moved, m_now.oper, v_now.oper};
  return sli_scope_ok(scope) ? sl_group_with(scope, all, 3, NULL) : NULL;
}

TF_Output sl_dense_gradient_with(sl_scope_t *scope, sl_gradient_t gradient) {
  if (!gradient.indices.oper || !gradient.gradient.oper) return gradient.gradient;
  TF_Output rows = sli_item(scope, gradient.dense_shape, 0);
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentSum", NULL);
  sl_node_input(node, gradient.gradient);
  sl_node_input(node, gradient.indices);
  sl_node_input(node, rows);
  return sl_node_output(node);
}

// --- Towers ---

static sl_gradients_t like(sl_scope_t *scope, sl_gradients_t gradients) {
  sl_gradients_t copy = {gradients.count, sli_calloc(gradients.count, sizeof(*copy.items))};
  sli_scope_own(scope, copy.items, free);
  for (size_t i = 0; i < gradients.count; i++) copy.items[i] = gradients.items[i];
  return copy;
}

sl_gradients_t sl_average_gradients_with(sl_scope_t *scope, const sl_gradients_t *towers, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (towers[i].count != towers[0].count)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "tower %zu has %zu gradients, tower 0 has %zu", i, towers[i].count,
                    towers[0].count);
  if (!count || !sli_scope_ok(scope)) return (sl_gradients_t){0};
  sl_gradients_t average = like(scope, towers[0]);
  for (size_t i = 0; i < average.count; i++) {
    sli_outputs_t rows = {0};
    for (size_t j = 0; j < count; j++) {
      TF_Output dense = sl_dense_gradient_with(scope, towers[j].items[i]);
      if (dense.oper) sli_array_push(&rows, sli_expand_dims(scope, dense, 0));
    }
    average.items[i] = (sl_gradient_t){.variable = towers[0].items[i].variable};
    if (rows.count) {
      TF_Output all = sli_concat(scope, rows.items, rows.count, 0, NULL);
      average.items[i].gradient =
          sl_reduce(scope, "Mean", all, SL_OPTIONS(sl_reduce_options_t, .axes = (const int[]){0}, .axis_count = 1));
    }
    sli_array_deinitialize(&rows);
  }
  return average;
}

// --- Clipping ---

static const char *name_or(const sl_op_options_t *options, const char *usual) {
  return options && options->name ? options->name : usual;
}

TF_Output sl_clip_by_value_with(sl_scope_t *scope, TF_Output x, double minimum, double maximum,
                                const sl_op_options_t *options) {
  TF_Output clipped = {0};
  SL_NAME_SCOPE (scope, "%s", name_or(options, "clip_by_value")) {
    char *whole = sli_scope_own_name(scope);
    TF_Output below = sli_number_right(scope, "Minimum", "Minimum", x, maximum);
    TF_Output floor = sli_constant_fill(scope, sl_dtype(x), SL_SHAPE(), minimum, "y");
    clipped = sl_binary(scope, "Maximum", whole, below, floor, NULL);
    free(whole);
  }
  return clipped;
}

TF_Output sl_clip_by_norm_with(sl_scope_t *scope, TF_Output x, double norm, const sl_op_options_t *options) {
  TF_Output clipped = {0};
  SL_NAME_SCOPE (scope, "%s", name_or(options, "clip_by_norm")) {
    char *whole = sli_scope_own_name(scope);
    TF_Output sum = sl_reduce(scope, "Sum", sl_binary(scope, "Mul", "mul", x, x, NULL),
                              SL_OPTIONS(sl_reduce_options_t, .keep_dims = true));
    // The root of 0 has no gradient: where the sum is 0, it stands for itself.
    TF_Output positive = sli_number_right(scope, "Greater", "Greater", sum, 0);
    TF_Output safe =
        sli_select(scope, positive, sum, sl_unary(scope, "OnesLike", sum, SL_OP_OPTIONS(.name = "ones_like")));
    TF_Output length = sli_select(scope, positive, sl_unary(scope, "Sqrt", safe, NULL), sum);
    TF_Output scaled = sli_number_right(scope, "Mul", "mul", x, norm);
    TF_Output divisor = sli_number_right(scope, "Maximum", "Maximum", length, norm);
    TF_Output quotient = sl_binary(scope, "RealDiv", "truediv", scaled, divisor, NULL);
    clipped = sl_unary(scope, "Identity", quotient, SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  return clipped;
}

TF_Output sl_clip_by_average_norm_with(sl_scope_t *scope, TF_Output x, double norm, const sl_op_options_t *options) {
  TF_Output clipped = {0};
  SL_NAME_SCOPE (scope, "%s", name_or(options, "clip_by_average_norm")) {
    char *whole = sli_scope_own_name(scope);
    sl_shape_t shape = sl_static_shape(scope, x);
    int64_t elements = sli_shape_elements(shape);
    TF_Output size = elements < 0 ? sl_unary(scope, "Size", x, NULL)
                                  : sli_constant_fill(scope, TF_INT32, SL_SHAPE(), (double)elements, "Size");
    TF_Output count = sl_cast_with(scope, size, sl_dtype(x), NULL);
    TF_Output squares = sl_binary(scope, "Mul", "mul", x, x, NULL);
    TF_Output rank = shape.rank < 0 ? sl_unary(scope, "Rank", x, NULL)
                                    : sli_constant_fill(scope, TF_INT32, SL_SHAPE(), shape.rank, "Rank");
    TF_Output sum = sl_binary(scope, "Sum", "Sum", squares, sli_range(scope, 0, rank), NULL);
    TF_Output inverse = sl_unary(scope, "Rsqrt", sum, NULL);
    TF_Output scaled = sli_number_right(scope, "Mul", "mul", x, norm);
    TF_Output by_average = sl_binary(scope, "Mul", "mul", inverse, count, NULL);
    TF_Output one = sli_constant_fill(scope, sl_dtype(x), SL_SHAPE(), 1, "Const");
    TF_Output by_norm = sli_number_right(scope, "RealDiv", "truediv", one, norm);
    TF_Output factor = sl_binary(scope, "Minimum", "Minimum", by_average, by_norm, NULL);
    TF_Output product = sl_binary(scope, "Mul", "mul", scaled, factor, NULL);
    clipped = sl_unary(scope, "Identity", product, SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  return clipped;
}

TF_Output sl_global_norm_with(sl_scope_t *scope, sl_gradients_t gradients) {
  TF_Output norm = {0};
  SL_NAME_SCOPE (scope, "global_norm") {
    sli_outputs_t halves = {0};
    for (size_t i = 0; i < gradients.count; i++) {
      TF_Output values = gradients.items[i].gradient;
      if (!values.oper) continue;
      SL_COLOCATE_WITH(scope, values.oper) { sli_array_push(&halves, sl_unary(scope, "L2Loss", values, NULL)); }
    }
    if (!halves.count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "no gradient to take the norm of");
    if (sli_scope_ok(scope)) {
      TF_Output half = sl_reduce(scope, "Sum", sli_pack(scope, halves.items, halves.count, NULL), NULL);
      TF_Output two = sli_constant_fill(scope, sl_dtype(half), SL_SHAPE(), 2, "Const");
      TF_Output sum = sl_binary(scope, "Mul", "mul", half, two, NULL);
      norm = sl_unary(scope, "Sqrt", sum, SL_OP_OPTIONS(.name = "global_norm"));
    }
    sli_array_deinitialize(&halves);
  }
  return norm;
}

sl_gradients_t sl_clip_by_global_norm_with(sl_scope_t *scope, sl_gradients_t gradients, double norm) {
  TF_Output length = sl_global_norm_with(scope, gradients);
  if (!length.oper) return (sl_gradients_t){0};
  sl_gradients_t clipped = like(scope, gradients);
  SL_NAME_SCOPE (scope, "clip_by_global_norm") {
    TF_Output inverse = sli_number_left(scope, "RealDiv", "truediv", 1, length);
    TF_Output one = sli_constant_fill(scope, sl_dtype(length), SL_SHAPE(), 1, "Const");
    TF_Output limit = sli_number_right(scope, "RealDiv", "truediv", one, norm);
    TF_Output factor = sli_scaled(scope, norm, sl_binary(scope, "Minimum", "Minimum", inverse, limit, NULL));
    // A norm that is infinite or no number makes all gradients so.
    TF_Output nothing = sl_binary(scope, "Sub", "sub", length, length, NULL);
    factor = sl_binary(scope, "AddV2", "add", factor, nothing, NULL);
    for (size_t i = 0; i < gradients.count; i++) {
      TF_Output values = gradients.items[i].gradient;
      if (!values.oper) continue;
      char *name = sli_format("clip_by_global_norm/_%zu", i);
      SL_COLOCATE_WITH(scope, values.oper) {
        TF_Output product = sl_binary(scope, "Mul", "mul", values, factor, NULL);
        clipped.items[i].gradient = sl_unary(scope, "Identity", product, SL_OP_OPTIONS(.name = name));
      }
      free(name);
    }
  }
  return clipped;
}
