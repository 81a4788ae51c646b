// Streaming metrics. Each adds to local variables and computes its value twice: from
// the current variables (|value|) and from the results of the additions (|update|).
#include "sluice/metrics.h"

#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"
#include "train/nn/loss_weights_internal.h"

// A local variable |name| below the current name scope, zeros.
static TF_Output metric_variable(sl_scope_t *scope, const char *name, sl_shape_t shape) {
  static const char *const collections[] = {SL_LOCAL_VARIABLES, SL_METRIC_VARIABLES};
  return sli_train_variable_create_zeros(scope, name, TF_FLOAT, shape, collections, 2);
}

// --- Matching shapes ---

static int rank_of(sl_scope_t *scope, TF_Output x) { return x.oper ? sl_static_shape(scope, x).rank : -1; }

// |x| without its last dimension if |x| has rank |rank| + 1.
static TF_Output squeeze_last(sl_scope_t *scope, TF_Output x, int rank) {
  sl_shape_t shape = sl_static_shape(scope, x);
  bool one = shape.rank == rank + 1 && rank >= 0 && (shape.dims[rank] == 1 || shape.dims[rank] < 0);
  return one ? sli_build_squeeze(scope, x, -1) : x;
}

// As tf.metrics: if the ranks of labels and predictions differ by one, removes a dimension. Sets an error in the scope
// if the shapes do not match then.
static void squeeze_labels(sl_scope_t *scope, TF_Output *labels, TF_Output *predictions) {
  if (!labels->oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the labels of a metric must not be empty");
  if (!predictions->oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the predictions of a metric must not be empty");
  if (!sli_scope_ok(scope)) return;
  SL_NAME_SCOPE (scope, "remove_squeezable_dimensions") {
    TF_Output given = *labels;
    *labels = squeeze_last(scope, given, rank_of(scope, *predictions));
    *predictions = squeeze_last(scope, *predictions, rank_of(scope, given));
  }
  sli_build_check_compatible(scope, *predictions, *labels);
}

static TF_Output multiply_ones(sl_scope_t *scope, TF_Output weights, TF_Output values) {
  char *whole = sli_build_scope_node_name(scope);
  TF_Output ones = sl_unary(scope, "OnesLike", values, SL_OP_OPTIONS(.name = "ones_like"));
  TF_Output each = sl_binary(scope, "Mul", whole, weights, ones, NULL);
  free(whole);
  return each;
}

// One weight for each of |values|.
static TF_Output broadcast_weights(sl_scope_t *scope, TF_Output weights, TF_Output values) {
  int rank = rank_of(scope, values), given = rank_of(scope, weights);
  if (given > 0 && rank >= 0 && given == rank + 1) weights = sli_build_squeeze(scope, weights, -1);
  if (given > 0 && given == rank - 1) weights = sli_build_expand_dims(scope, weights, -1);
  weights = sl_cast_with(scope, weights, TF_FLOAT, NULL);
  TF_Output each = {0};
  SL_NAME_SCOPE (scope, "broadcast_weights") {
    TF_Operation *checked = sli_loss_weights_check(scope, weights, values);
    if (checked)
      SL_CONTROL_DEPENDENCIES (scope, checked) each = multiply_ones(scope, weights, values);
    else
      each = multiply_ones(scope, weights, values);
  }
  return each;
}

// --- Means ---

static TF_Output add_to(sl_scope_t *scope, TF_Output variable, TF_Output value) {
  const sl_variable_info_t *info = sl_variable_info(scope, variable);
  return info ? sli_train_variable_update_value(scope, "AssignAdd", info, value, NULL, false) : (TF_Output){0};
}

static sl_metric_t mean_of(sl_scope_t *scope, TF_Output values, TF_Output weights) {
  TF_Output total = metric_variable(scope, "total", SL_SHAPE()), count = metric_variable(scope, "count", SL_SHAPE());
  values = sl_cast_with(scope, values, TF_FLOAT, NULL);
  TF_Output number;
  if (weights.oper) {
    TF_Output each = broadcast_weights(scope, weights, values);
    values = sl_binary(scope, "Mul", "Mul", values, each, NULL);
    number = sl_reduce(scope, "Sum", each, NULL);
  } else {
    number = sl_cast_with(scope, sl_unary(scope, "Size", values, NULL), TF_FLOAT, NULL);
  }
  TF_Output sum = sl_reduce(scope, "Sum", values, NULL);
  TF_Output new_total = add_to(scope, total, sum), new_count = add_to(scope, count, number);
  return (sl_metric_t){.value = sl_binary(scope, "DivNoNan", "value", total, count, NULL),
                       .update = sl_binary(scope, "DivNoNan", "update_op", new_total, new_count, NULL)};
}

static sl_block_t enter_metric(sl_scope_t *scope, const char *name, const char *usual) {
  return sl_variable_scope_enter_with(scope, name, SL_OPTIONS(sl_variable_scope_options_t, .default_name = usual));
}

sl_metric_t sl_metrics_mean_with(sl_scope_t *scope, TF_Output values, const sl_metric_options_t *given) {
  SLI_CALL_OPTIONS(sl_metric_options_t, options, given);
  sl_metric_t metric = {0};
  SL_BLOCK(enter_metric(scope, options.name, "mean")) { metric = mean_of(scope, values, options.weights); }
  return metric;
}

sl_metric_t sl_metrics_accuracy_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                     const sl_metric_options_t *given) {
  SLI_CALL_OPTIONS(sl_metric_options_t, options, given);
  squeeze_labels(scope, &labels, &predictions);
  if (!sli_scope_ok(scope)) return (sl_metric_t){0};
  predictions = sl_cast_with(scope, predictions, sl_dtype(labels), NULL);
  TF_Output right = sl_cast_with(scope, sl_binary(scope, "Equal", "Equal", predictions, labels, NULL), TF_FLOAT, NULL);
  sl_metric_t metric = {0};
  SL_BLOCK(enter_metric(scope, options.name, "accuracy")) { metric = mean_of(scope, right, options.weights); }
  return metric;
}

// --- The area under the curve ---

enum { TRUE_POSITIVES, FALSE_NEGATIVES, TRUE_NEGATIVES, FALSE_POSITIVES, KINDS };

// |share| / (|share| + |rest|), with 1e-7 to avoid 0 / 0.
static TF_Output rate_of(sl_scope_t *scope, TF_Output share, TF_Output rest, double in_share) {
  TF_Output all =
      sli_build_number_right(scope, "AddV2", "add", sl_binary(scope, "AddV2", "add", share, rest, NULL), 1e-7);
  if (in_share > 0) share = sli_build_number_right(scope, "AddV2", "add", share, in_share);
  return sl_binary(scope, "RealDiv", "div", share, all, NULL);
}

// |count| elements of a vector, from |first| on.
static TF_Output slice(sl_scope_t *scope, TF_Output x, int first, int count) {
  sl_node_t *node = sl_node_begin(scope, "Slice", NULL);
  sl_node_input(node, x);
  sl_node_input(node, sli_build_constant_int32s(scope, &first, 1, "begin"));
  sl_node_input(node, sli_build_constant_int32s(scope, &count, 1, "size"));
  return sl_node_output(node);
}

// The sum of (x[i] - x[i + 1]) * (y[i] + y[i + 1]) / 2 over the points of the curve.
static TF_Output area(sl_scope_t *scope, const TF_Output *counts, int thresholds, sl_curve_t curve, const char *name) {
  TF_Output recall = rate_of(scope, counts[TRUE_POSITIVES], counts[FALSE_NEGATIVES], 1e-7), x = recall, y = recall;
  if (curve == SL_CURVE_PR)
    y = rate_of(scope, counts[TRUE_POSITIVES], counts[FALSE_POSITIVES], 1e-7);
  else
    x = rate_of(scope, counts[FALSE_POSITIVES], counts[TRUE_NEGATIVES], 0);
  int count = thresholds - 1;
  TF_Output width = sl_binary(scope, "Sub", "sub", slice(scope, x, 0, count), slice(scope, x, 1, count), NULL);
  TF_Output heights = sl_binary(scope, "AddV2", "add", slice(scope, y, 0, count), slice(scope, y, 1, count), NULL);
  TF_Output height = sli_build_number_right(scope, "RealDiv", "truediv", heights, 2);
  return sl_reduce(scope, "Sum", sl_binary(scope, "Mul", "Mul", width, height, NULL),
                   SL_OPTIONS(sl_reduce_options_t, .name = name));
}

// A column of evenly spaced thresholds from just below 0 to just above 1.
static TF_Output thresholds_of(sl_scope_t *scope, int count) {
  float *values = sli_calloc((size_t)count, sizeof(*values));
  for (int i = 0; i < count; i++) values[i] = (float)((double)i / (count - 1));
  values[0] = -1e-7f;
  values[count - 1] = (float)(1 + 1e-7);
  TF_Output column = sl_constant_with(scope, TF_FLOAT, SL_SHAPE(count, 1), values, NULL);
  free(values);
  return column;
}

sl_metric_t sl_metrics_auc_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                const sl_metric_options_t *given) {
  SLI_CALL_OPTIONS(sl_metric_options_t, options, given);
  static const char *const names[KINDS] = {"true_positives", "false_negatives", "true_negatives", "false_positives"};
  int thresholds = options.num_thresholds ? options.num_thresholds : 200;
  sl_metric_t metric = {0};
  if (thresholds < 2) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "num_thresholds must be > 1.");
  if (options.curve != SL_CURVE_ROC && options.curve != SL_CURVE_PR)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "curve must be either ROC or PR, %d unknown", (int)options.curve);
  if (!sli_scope_ok(scope)) return metric;
  SL_BLOCK(enter_metric(scope, options.name, "auc")) {
    squeeze_labels(scope, &labels, &predictions);
    TF_Output row = sl_reshape_with(scope, sl_cast_with(scope, predictions, TF_FLOAT, NULL), SL_SHAPE(1, -1), NULL);
    TF_Output truth =
        sl_cast_with(scope, sl_reshape_with(scope, sl_cast_with(scope, labels, TF_BOOL, NULL), SL_SHAPE(1, -1), NULL),
                     TF_FLOAT, NULL);
    TF_Output falsehood = sli_build_number_left(scope, "Sub", "sub", 1, truth);
    if (options.weights.oper) {
      TF_Output each =
          sl_reshape_with(scope, broadcast_weights(scope, options.weights, predictions), SL_SHAPE(1, -1), NULL);
      truth = sl_binary(scope, "Mul", "mul", truth, each, NULL);
      falsehood = sl_binary(scope, "Mul", "mul", falsehood, each, NULL);
    }
    TF_Output above = sl_binary(scope, "Greater", "Greater", row, thresholds_of(scope, thresholds), NULL);
    TF_Output positive = sl_cast_with(scope, above, TF_FLOAT, NULL);
    TF_Output negative = sli_build_number_left(scope, "Sub", "sub", 1, positive);
    const TF_Output pairs[KINDS][2] = {
        {positive, truth}, {negative, truth}, {negative, falsehood}, {positive, falsehood}};
    TF_Output old[KINDS], new[KINDS];
    for (int i = 0; i < KINDS; i++) {
      old[i] = metric_variable(scope, names[i], SL_SHAPE(thresholds));
      TF_Output both = sl_binary(scope, "Mul", "mul", pairs[i][0], pairs[i][1], NULL);
      TF_Output sum =
          sl_reduce(scope, "Sum", both, SL_OPTIONS(sl_reduce_options_t, .axes = (const int[]){1}, .axis_count = 1));
      new[i] = add_to(scope, old[i], sum);
    }
    metric.value = area(scope, old, thresholds, options.curve, "value");
    metric.update = area(scope, new, thresholds, options.curve, "update_op");
  }
  return metric;
}
