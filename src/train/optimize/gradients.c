// Computes the gradients of a loss, averages them over towers and clips them by their
// global norm.
#include <stdlib.h>

#include "sluice/gradients.h"
#include "train/common/call_options.h"
#include "train/common/device_spec.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/flow.h"
#include "train/graph/trained_value.h"
#include "train/graph/variable.h"
#include "train/optimize/optimizer_rule_internal.h"

// --- Gradients ---

static bool check_loss(sl_scope_t *scope, TF_Output loss) {
  if (!loss.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "loss must not be empty");
  if (loss.oper && !sli_tf_type_is_floating(sl_dtype(loss)))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "Invalid type tf.%s for %s:%d, expected: [tf.float32, tf.float64, tf.float16, tf.bfloat16].",
                  sli_tf_type_name(sl_dtype(loss)), TF_OperationName(loss.oper), loss.index);
  return sli_scope_ok(scope);
}

sl_gradients_t sl_compute_gradients_with(sl_scope_t *scope, TF_Output loss,
                                         const sl_compute_gradients_options_t *given) {
  SLI_CALL_OPTIONS(sl_compute_gradients_options_t, options, given);
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
  // Values without a variable are trained with all variables.
  size_t others = options.variables ? 0 : scope->trained.count;
  TF_Output *targets = sli_calloc(count + others, sizeof(*targets));
  sl_indexed_slices_t *results = sli_calloc(count + others, sizeof(*results));
  for (size_t i = 0; i < others; i++) targets[count + i] = scope->trained.items[i]->value;
  for (size_t i = 0; i < count; i++) {
    const sl_variable_info_t *info = sli_train_variable_require(scope, variables[i], "sl_compute_gradients");
    // A resource variable is read in many places: compute the gradient of its handle.
    if (info) targets[i] = sli_train_variable_is_resource(info) ? info->reference : info->value;
    gradients.items[i].variable = variables[i];
  }
  if (sli_scope_ok(scope)) {
    char *prefix = sli_scope_unique_name(scope, "gradients");
    char device[SLI_DEVICE_SPEC_SIZE];
    sli_scope_choose_device(scope, "AddN", prefix, -1, device, sizeof(device));
    size_t before = sli_flow_current(scope) ? sli_flow_count_nodes(scope) : 0;
    TF_Status *status = TF_NewStatus();
    sl_graph_add_gradients(
        scope->graph, prefix, &loss, 1, targets, count + others,
        SL_OPTIONS(sl_graph_add_gradients_options_t, .device = device, .aggregation_method = options.aggregation_method,
                   .colocate = options.colocate_gradients_with_ops),
        results, status);
    sli_scope_check_tf(scope, status, TF_OperationName(loss.oper));
    if (before) sli_flow_add_new_nodes(scope, loss.oper, before);
    free(prefix);
  }
  for (size_t i = 0; i < count && sli_scope_ok(scope); i++) {
    gradients.items[i].gradient = results[i].values;
    gradients.items[i].indices = results[i].indices;
    gradients.items[i].dense_shape = results[i].dense_shape;
  }
  for (size_t i = 0; i < others && sli_scope_ok(scope); i++)
    scope->trained.items[i]->gradient = results[count + i].values;
  free(targets);
  free(results);
  return gradients;
}

// --- Sparse gradients ---

TF_Output sl_dense_gradient_with(sl_scope_t *scope, sl_gradient_t gradient) {
  if (!gradient.indices.oper || !gradient.gradient.oper) return gradient.gradient;
  TF_Output rows = sli_build_element(scope, gradient.dense_shape, 0);
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentSum", NULL);
  sl_node_input(node, gradient.gradient);
  sl_node_input(node, gradient.indices);
  sl_node_input(node, rows);
  return sl_node_output(node);
}

// --- Towers ---

static sl_gradients_t copy_gradients(sl_scope_t *scope, sl_gradients_t gradients) {
  sl_gradients_t copy = {gradients.count, sli_calloc(gradients.count, sizeof(*copy.items))};
  sli_scope_own(scope, copy.items, free);
  for (size_t i = 0; i < gradients.count; i++) copy.items[i] = gradients.items[i];
  return copy;
}

sl_gradients_t sl_average_gradients_with(sl_scope_t *scope, const sl_gradients_t *towers, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (towers[i].count != towers[0].count)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                    "sl_average_gradients: tower %zu must have %zu gradients like tower 0, got %zu", i, towers[0].count,
                    towers[i].count);
  if (!count || !sli_scope_ok(scope)) return (sl_gradients_t){0};
  sl_gradients_t average = copy_gradients(scope, towers[0]);
  for (size_t i = 0; i < average.count; i++) {
    sli_outputs_t rows = {0};
    for (size_t j = 0; j < count; j++) {
      TF_Output dense = sl_dense_gradient_with(scope, towers[j].items[i]);
      if (dense.oper) sli_array_push(&rows, sli_build_expand_dims(scope, dense, 0));
    }
    average.items[i] = (sl_gradient_t){.variable = towers[0].items[i].variable};
    if (rows.count) {
      TF_Output all = sli_build_concat(scope, rows.items, rows.count, 0, NULL);
      average.items[i].gradient =
          sl_reduce(scope, "Mean", all, SL_OPTIONS(sl_reduce_options_t, .axes = (const int[]){0}, .axis_count = 1));
    }
    sli_array_deinitialize(&rows);
  }
  return average;
}

// --- Clipping ---

TF_Output sl_global_norm_with(sl_scope_t *scope, sl_gradients_t gradients) {
  TF_Output norm = {0};
  SL_NAME_SCOPE (scope, "global_norm") {
    sli_outputs_t halves = {0};
    for (size_t i = 0; i < gradients.count; i++) {
      TF_Output values = gradients.items[i].gradient;
      if (!values.oper) continue;
      SL_COLOCATE_WITH(scope, values.oper) { sli_array_push(&halves, sl_unary(scope, "L2Loss", values, NULL)); }
    }
    if (!halves.count)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_global_norm: at least 1 gradient must not be empty");
    if (sli_scope_ok(scope)) {
      TF_Output half = sl_reduce(scope, "Sum", sli_build_pack(scope, halves.items, halves.count, NULL), NULL);
      TF_Output two = sli_build_constant_fill(scope, sl_dtype(half), SL_SHAPE(), 2, "Const");
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
  sl_gradients_t clipped = copy_gradients(scope, gradients);
  SL_NAME_SCOPE (scope, "clip_by_global_norm") {
    TF_Output inverse = sli_build_number_left(scope, "RealDiv", "truediv", 1, length);
    TF_Output one = sli_build_constant_fill(scope, sl_dtype(length), SL_SHAPE(), 1, "Const");
    TF_Output limit = sli_build_number_right(scope, "RealDiv", "truediv", one, norm);
    TF_Output factor = sli_build_scaled(scope, norm, sl_binary(scope, "Minimum", "Minimum", inverse, limit, NULL));
    // If the norm is infinite or NaN, all gradients become NaN.
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
