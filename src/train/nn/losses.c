// Losses: one value per example or element, which are then weighted and reduced.
#include "sluice/losses.h"

#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"
#include "train/nn/loss_weights_internal.h"

// --- Weights and reductions ---

static TF_Output sum_of(sl_scope_t *scope, TF_Output x, const char *name) {
  return sl_reduce(scope, "Sum", x, SL_OPTIONS(sl_reduce_options_t, .name = name));
}

static TF_Output ones_like(sl_scope_t *scope, TF_Output x) {
  return sl_unary(scope, "OnesLike", x, SL_OP_OPTIONS(.name = "ones_like"));
}

// 1 where the weights, broadcast to |values|, are not 0.
static TF_Output present_of(sl_scope_t *scope, TF_Output values, TF_Output weights) {
  TF_Output absent = sli_build_number_right(scope, "Equal", "Equal", weights, 0);
  TF_Output zeros = sl_unary(scope, "ZerosLike", weights, SL_OP_OPTIONS(.name = "zeros_like"));
  TF_Output present = sli_build_select(scope, absent, zeros, ones_like(scope, weights));
  return sl_binary(scope, "Mul", "broadcast_weights", present, ones_like(scope, values), NULL);
}

static TF_Output num_present(sl_scope_t *scope, TF_Output values, TF_Output weights) {
  TF_Output count = {0};
  SL_NAME_SCOPE (scope, "num_present") {
    char *whole = sli_build_scope_node_name(scope);
    count = sum_of(scope, present_of(scope, values, weights), whole);
    free(whole);
  }
  return count;
}

static TF_Output num_elements(sl_scope_t *scope, TF_Output values) {
  TF_Output count = sl_unary(scope, "Size", values, SL_OP_OPTIONS(.name = "num_elements"));
  return sl_cast_with(scope, count, sl_dtype(values), SL_OP_OPTIONS(.name = "num_elements/Cast"));
}

static TF_Output reduce_weighted(sl_scope_t *scope, TF_Output values, TF_Output weights,
                                 const sl_loss_options_t *options) {
  TF_Output products = sl_binary(scope, "Mul", "Mul", values, weights, NULL), divisor = {0};
  if (options->reduction == SL_REDUCTION_NONE) return products;
  TF_Output total = sum_of(scope, products, NULL);
  switch (options->reduction) {
    case SL_REDUCTION_SUM: return total;
    case SL_REDUCTION_MEAN:
      divisor = sum_of(scope, sl_binary(scope, "Mul", "mul", ones_like(scope, values), weights, NULL), NULL);
      break;
    case SL_REDUCTION_SUM_OVER_BATCH_SIZE: divisor = num_elements(scope, values); break;
    default: divisor = num_present(scope, values, weights); break;
  }
  return sl_binary(scope, "DivNoNan", "value", total, divisor, NULL);
}

static TF_Output weighted(sl_scope_t *scope, TF_Output values, const sl_loss_options_t *options) {
  TF_Output weights = sl_cast_with(scope, options->weights, sl_dtype(values), NULL), loss = {0};
  TF_Operation *checked = sli_loss_weights_check(scope, weights, values);
  if (!checked) return reduce_weighted(scope, values, weights, options);
  SL_CONTROL_DEPENDENCIES (scope, checked) loss = reduce_weighted(scope, values, weights, options);
  return loss;
}

// All weights are 1.
static TF_Output unweighted(sl_scope_t *scope, TF_Output values, const sl_loss_options_t *options) {
  if (options->reduction == SL_REDUCTION_NONE) return values;
  if (options->reduction == SL_REDUCTION_SUM) return sum_of(scope, values, NULL);
  return sl_reduce(scope, "Mean", values, SL_OPTIONS(sl_reduce_options_t, .name = "value"));
}

static TF_Output add_to_collection(sl_scope_t *scope, TF_Output loss, const sl_loss_options_t *options) {
  const char *key = options->loss_collection ? options->loss_collection : SL_LOSSES;
  if (key[0]) sl_collection_add(scope, key, loss);
  return loss;
}

static TF_Output reduce_loss(sl_scope_t *scope, TF_Output values, const sl_loss_options_t *options) {
  if ((int)options->reduction < SL_REDUCTION_SUM_BY_NONZERO_WEIGHTS ||
      options->reduction > SL_REDUCTION_SUM_OVER_BATCH_SIZE)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Invalid Reduction Key: %d.", (int)options->reduction);
  TF_Output loss = options->weights.oper ? weighted(scope, values, options) : unweighted(scope, values, options);
  return add_to_collection(scope, loss, options);
}

// --- Losses per element ---

typedef TF_Output (*values_function_t)(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                       const sl_loss_options_t *options);

// As Python: without the check, labels and predictions of different shapes would be broadcast, and the loss of each
// example be that of all pairs. Returns whether they fit; else the scope has an error.
static bool check_labels(sl_scope_t *scope, TF_Output labels, TF_Output predictions, const char *predictions_name) {
  if (!labels.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Argument `labels` must not be None.");
  if (!predictions.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Argument `%s` must not be None.", predictions_name);
  return sli_build_check_compatible(scope, predictions, labels);
}

// Builds the loss |usual| (or options->name) from the nodes that |values| builds in its name scope.
static TF_Output make_loss(sl_scope_t *scope, const char *usual, values_function_t values, TF_Output labels,
                           TF_Output predictions, const sl_loss_options_t *given) {
  SLI_CALL_OPTIONS(sl_loss_options_t, options, given);
  TF_Output loss = {0};
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : usual) {
    loss = reduce_loss(scope, values(scope, labels, predictions, &options), &options);
  }
  return loss;
}

// |x| without its last dimension, if that is or can be 1.
static TF_Output squeeze_last(sl_scope_t *scope, TF_Output x) {
  sl_shape_t shape = sl_static_shape(scope, x);
  bool can_be_one = shape.rank > 0 && (shape.dims[shape.rank - 1] == 1 || shape.dims[shape.rank - 1] < 0);
  return can_be_one ? sli_build_squeeze(scope, x, -1) : x;
}

TF_Output sl_losses_sparse_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                      const sl_loss_options_t *given) {
  SLI_CALL_OPTIONS(sl_loss_options_t, options, given);
  if (!labels.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Argument `labels` must not be None.");
  if (!logits.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Argument `logits` must not be None.");
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  TF_Output loss = {0};
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "sparse_softmax_cross_entropy_loss") {
    // As Python: labels [-1, 1] for logits [-1, classes] are taken as [-1], and so are weights.
    int rank = sl_static_shape(scope, labels).rank, outer = sl_static_shape(scope, logits).rank;
    SL_NAME_SCOPE (scope, "remove_squeezable_dimensions") {
      if (rank > 0 && rank == outer) labels = squeeze_last(scope, labels);
      if (rank >= 0 && rank == outer - 2) logits = squeeze_last(scope, logits);
    }
    rank = sl_static_shape(scope, labels).rank;
    if (rank >= 0 && options.weights.oper && sl_static_shape(scope, options.weights).rank == rank + 1)
      options.weights = sli_build_squeeze(scope, options.weights, -1);
    TF_Output values =
        sl_sparse_softmax_cross_entropy_with_logits_with(scope, labels, logits, SL_OP_OPTIONS(.name = "xentropy"));
    loss = reduce_loss(scope, values, &options);
  }
  return loss;
}

// labels * (1 - smoothing) + smoothing * |share|
static TF_Output smooth(sl_scope_t *scope, TF_Output labels, double smoothing, double share) {
  TF_Output kept = sli_build_number_right(scope, "Mul", "mul", labels, 1 - smoothing);
  return sli_build_number_right(scope, "AddV2", "add", kept, smoothing * share);
}

static TF_Output softmax_values(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                const sl_loss_options_t *options) {
  sl_shape_t shape = sl_static_shape(scope, logits);
  labels = sl_cast_with(scope, labels, sl_dtype(logits), NULL);
  if (options->label_smoothing > 0) {
    if (shape.rank < 1 || shape.dims[shape.rank - 1] < 1) {
      char *text = sli_tf_shape_format(shape);
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "label_smoothing: the last dimension of logits must be known, got %s",
                    text);
      free(text);
    } else {
      labels = smooth(scope, labels, options->label_smoothing, 1.0 / (double)shape.dims[shape.rank - 1]);
    }
  }
  return sl_softmax_cross_entropy_with_logits_with(scope, labels, logits, SL_OP_OPTIONS(.name = "xentropy"));
}

TF_Output sl_losses_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                               const sl_loss_options_t *options) {
  if (!check_labels(scope, labels, logits, "logits")) return (TF_Output){0};
  return make_loss(scope, "softmax_cross_entropy_loss", softmax_values, labels, logits, options);
}

static TF_Output sigmoid_values(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                const sl_loss_options_t *options) {
  labels = sl_cast_with(scope, labels, sl_dtype(logits), NULL);
  if (options->label_smoothing > 0) labels = smooth(scope, labels, options->label_smoothing, 0.5);
  return sl_sigmoid_cross_entropy_with_logits_with(scope, labels, logits, SL_OP_OPTIONS(.name = "xentropy"));
}

TF_Output sl_losses_sigmoid_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                               const sl_loss_options_t *options) {
  if (!check_labels(scope, labels, logits, "logits")) return (TF_Output){0};
  return make_loss(scope, "sigmoid_cross_entropy_loss", sigmoid_values, labels, logits, options);
}

// Labels of the predictions' type. Text stays: the op that reads it refuses it.
static TF_Output cast_labels(sl_scope_t *scope, TF_Output labels, TF_Output predictions) {
  return sl_dtype(labels) == TF_STRING ? labels : sl_cast_with(scope, labels, sl_dtype(predictions), NULL);
}

static TF_Output squared_values(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                const sl_loss_options_t *options) {
  labels = cast_labels(scope, labels, predictions);
  return sl_binary(scope, "SquaredDifference", "SquaredDifference", predictions, labels, NULL);
}

TF_Output sl_losses_mean_squared_error_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                            const sl_loss_options_t *options) {
  if (!check_labels(scope, labels, predictions, "predictions")) return (TF_Output){0};
  return make_loss(scope, "mean_squared_error", squared_values, labels, predictions, options);
}

static TF_Output absolute_values(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                 const sl_loss_options_t *options) {
  labels = cast_labels(scope, labels, predictions);
  return sl_unary(scope, "Abs", sl_binary(scope, "Sub", "Sub", predictions, labels, NULL), NULL);
}

TF_Output sl_losses_absolute_difference_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                             const sl_loss_options_t *options) {
  if (!check_labels(scope, labels, predictions, "predictions")) return (TF_Output){0};
  return make_loss(scope, "absolute_difference", absolute_values, labels, predictions, options);
}

// 0.5 * min(|e|, delta)² + delta * (|e| - min(|e|, delta))
static TF_Output huber_values(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                              const sl_loss_options_t *options) {
  double delta = options->delta != 0 ? options->delta : 1;
  TF_Output error = absolute_values(scope, labels, predictions, options);
  TF_Output quadratic = sli_build_number_right(scope, "Minimum", "Minimum", error, delta);
  TF_Output linear = sl_binary(scope, "Sub", "Sub", error, quadratic, NULL);
  TF_Output square = sl_binary(scope, "Mul", "Mul", quadratic, quadratic, NULL);
  TF_Output half = sli_build_number_left(scope, "Mul", "Mul", 0.5, square);
  return sl_binary(scope, "AddV2", "Add", half, sli_build_number_left(scope, "Mul", "Mul", delta, linear), NULL);
}

TF_Output sl_losses_huber_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                               const sl_loss_options_t *options) {
  if (!check_labels(scope, labels, predictions, "predictions")) return (TF_Output){0};
  return make_loss(scope, "huber_loss", huber_values, labels, predictions, options);
}

// max(0, 1 - (2 * labels - 1) * logits)
static TF_Output hinge_values(sl_scope_t *scope, TF_Output labels, TF_Output logits, const sl_loss_options_t *options) {
  labels = sl_cast_with(scope, labels, sl_dtype(logits), NULL);
  TF_Output signs = sli_build_number_right(scope, "Sub", "Sub", sli_build_scaled(scope, 2, labels), 1);
  TF_Output margin = sl_binary(scope, "Mul", "Mul", signs, logits, NULL);
  return sl_unary(scope, "Relu", sli_build_number_left(scope, "Sub", "Sub", 1, margin), NULL);
}

TF_Output sl_losses_hinge_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                               const sl_loss_options_t *options) {
  if (!check_labels(scope, labels, logits, "logits")) return (TF_Output){0};
  return make_loss(scope, "hinge_loss", hinge_values, labels, logits, options);
}

static TF_Output safe_log(sl_scope_t *scope, TF_Output x) {
  return sl_unary(scope, "Log", sli_build_number_right(scope, "AddV2", "add", x, 1e-7), NULL);
}

static TF_Output log_values(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                            const sl_loss_options_t *options) {
  labels = cast_labels(scope, labels, predictions);
  TF_Output yes = sl_binary(scope, "Mul", "Mul", labels, safe_log(scope, predictions), NULL);
  TF_Output other = sli_build_number_left(scope, "Sub", "sub", 1, labels);
  TF_Output no = safe_log(scope, sli_build_number_left(scope, "Sub", "sub", 1, predictions));
  TF_Output second = sl_binary(scope, "Mul", "Mul", other, no, NULL);
  return sl_binary(scope, "Sub", "sub", sl_unary(scope, "Neg", yes, NULL), second, NULL);
}

TF_Output sl_losses_log_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                             const sl_loss_options_t *options) {
  if (!check_labels(scope, labels, predictions, "predictions")) return (TF_Output){0};
  return make_loss(scope, "log_loss", log_values, labels, predictions, options);
}

TF_Output sl_losses_cosine_distance_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions, int axis,
                                         const sl_loss_options_t *given) {
  SLI_CALL_OPTIONS(sl_loss_options_t, options, given);
  if (!check_labels(scope, labels, predictions, "predictions")) return (TF_Output){0};
  TF_Output loss = {0};
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "cosine_distance_loss") {
    labels = cast_labels(scope, labels, predictions);
    TF_Output product = sl_binary(scope, "Mul", "Mul", predictions, labels, NULL);
    TF_Output dot = sl_reduce(
        scope, "Sum", product,
        SL_OPTIONS(sl_reduce_options_t, .axes = &axis, .axis_count = 1, .axes_as_list = true, .keep_dims = true));
    loss = reduce_loss(scope, sli_build_number_left(scope, "Sub", "sub", 1, dot), &options);
  }
  return loss;
}

static TF_Output given_values(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                              const sl_loss_options_t *options) {
  return predictions;
}

TF_Output sl_losses_compute_weighted_with(sl_scope_t *scope, TF_Output losses, const sl_loss_options_t *options) {
  if (!losses.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_losses_compute_weighted: losses must not be empty");
  return make_loss(scope, "weighted_loss", given_values, (TF_Output){0}, losses, options);
}

// The sum over all dimensions but the first; the summed dimensions are kept with size 1.
static TF_Output sum_per_example(sl_scope_t *scope, TF_Output x, TF_Output axes, const char *name) {
  sl_node_t *node = sl_node_begin(scope, "Sum", name);
  sl_node_input(node, x);
  sl_node_input(node, axes);
  sl_node_attr_bool(node, "keep_dims", true);
  return sl_node_output(node);
}

// 2 * numerator / max(divisor, 0); 0 where the divisor is 0.
static TF_Output twice_ratio(sl_scope_t *scope, TF_Output numerator, TF_Output divisor) {
  TF_Output safe = sli_build_number_right(scope, "Maximum", "Maximum", divisor, 0);
  return sli_build_scaled(scope, 2, sl_binary(scope, "DivNoNan", "value", numerator, safe, NULL));
}

// For the n errors e of a row: 2 * sum(e²) / (n - 1) - 2 * sum(e)² / (n * (n - 1)), which is the mean of (e_i - e_j)²
// over the pairs.
static TF_Output pairwise_values(sl_scope_t *scope, TF_Output errors, TF_Output weights) {
  TF_Output axes = sli_build_range(scope, 1, sl_unary(scope, "Rank", errors, NULL)), count = {0};
  TF_Output squares = sum_per_example(scope, sl_unary(scope, "Square", errors, NULL), axes, NULL);
  SL_NAME_SCOPE (scope, "num_present") {
    char *whole = sli_build_scope_node_name(scope);
    count = sum_per_example(scope, present_of(scope, errors, weights), axes, whole);
    free(whole);
  }
  TF_Output less = sli_build_number_right(scope, "Sub", "sub", count, 1);
  TF_Output first = twice_ratio(scope, squares, less);
  TF_Output sums = sl_unary(scope, "Square", sum_per_example(scope, errors, axes, NULL), NULL);
  TF_Output second = twice_ratio(scope, sums, sl_binary(scope, "Mul", "Mul", count, less, NULL));
  TF_Output each = sl_binary(scope, "Sub", "sub", first, second, NULL);
  TF_Output total = sum_of(scope, sl_binary(scope, "Mul", "Mul", each, weights, NULL), NULL);
  TF_Output any = sli_build_number_right(scope, "Greater", "Greater", sum_of(scope, count, NULL), 0);
  sl_node_t *node = sl_node_begin(scope, "Select", "value");
  sl_node_input(node, any);
  sl_node_input(node, total);
  sl_node_input(node, sl_unary(scope, "ZerosLike", total, SL_OP_OPTIONS(.name = "zeros_like")));
  return sl_node_output(node);
}

TF_Output sl_losses_mean_pairwise_squared_error_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                                     const sl_loss_options_t *given) {
  SLI_CALL_OPTIONS(sl_loss_options_t, options, given);
  if (!check_labels(scope, labels, predictions, "predictions")) return (TF_Output){0};
  TF_Output loss = {0};
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "mean_pairwise_squared_error") {
    TF_Output weights = options.weights.oper ? sl_cast_with(scope, options.weights, sl_dtype(predictions), NULL)
                                             : sl_scalar_with(scope, sl_dtype(predictions), 1, NULL);
    labels = sl_cast_with(scope, labels, sl_dtype(predictions), NULL);
    TF_Output errors = sl_binary(scope, "Sub", "Sub", predictions, labels, NULL);
    TF_Operation *checked = sli_loss_weights_check(scope, weights, errors);
    if (checked)
      SL_CONTROL_DEPENDENCIES (scope, checked) loss = pairwise_values(scope, errors, weights);
    else
      loss = pairwise_values(scope, errors, weights);
    add_to_collection(scope, loss, &options);
  }
  return loss;
}

void sl_losses_add_with(sl_scope_t *scope, TF_Output loss) {
  if (loss.oper)
    sl_collection_add(scope, SL_LOSSES, loss);
  else
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_losses_add: loss must not be empty");
}

TF_Output sl_losses_regularization_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_outputs_t sizes = sl_collection(scope, SL_REGULARIZATION_LOSSES, NULL);
  if (!sizes.count) return sl_scalar_with(scope, TF_FLOAT, 0, NULL);
  return sli_build_add_n(scope, sizes.items, sizes.count,
                         options && options->name ? options->name : "total_regularization_loss");
}

TF_Output sl_losses_total_with(sl_scope_t *scope, const sl_losses_total_options_t *given) {
  SLI_CALL_OPTIONS(sl_losses_total_options_t, options, given);
  sl_outputs_t losses = sl_collection(scope, SL_LOSSES, options.prefix);
  sl_outputs_t sizes = {0};
  if (!options.no_regularization) sizes = sl_collection(scope, SL_REGULARIZATION_LOSSES, options.prefix);
  sli_outputs_t all = {0};
  for (size_t i = 0; i < losses.count; i++) sli_array_push(&all, losses.items[i]);
  for (size_t i = 0; i < sizes.count; i++) sli_array_push(&all, sizes.items[i]);
  if (!all.count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_losses_total: there are no losses to sum up");
  TF_Output total = {0};
  if (all.count) total = sli_build_add_n(scope, all.items, all.count, options.name ? options.name : "total_loss");
  sli_array_deinitialize(&all);
  return total;
}

// --- Sequences ---

static TF_Output placeholder_of(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, const char *name,
                                const char *part) {
  char *whole = name ? sli_format("%s/%s", name, part) : NULL;
  TF_Output value = sl_placeholder_with(scope, dtype, shape, SL_OP_OPTIONS(.name = whole));
  free(whole);
  return value;
}

sl_sparse_t sl_sparse_placeholder_with(sl_scope_t *scope, TF_DataType dtype, const sl_op_options_t *options) {
  const char *name = options ? options->name : NULL;
  sl_sparse_t sparse = {.dense_shape = placeholder_of(scope, TF_INT64, SL_SHAPE(-1), name, "shape")};
  sparse.values = placeholder_of(scope, dtype, SL_SHAPE(-1), name, "values");
  sparse.indices = placeholder_of(scope, TF_INT64, SL_SHAPE(-1, -1), name, "indices");
  return sparse;
}

TF_Output sl_ctc_loss_with(sl_scope_t *scope, sl_sparse_t labels, TF_Output logits, TF_Output lengths,
                           const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CTCLoss", options ? options->name : NULL);
  sl_node_input(node, logits);
  sl_node_input(node, labels.indices);
  sl_node_input(node, labels.values);
  sl_node_input(node, lengths);
  return sl_node_output(node);
}

TF_Output sl_accuracy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits, const sl_op_options_t *options) {
  TF_Output accuracy = {0};
  SL_NAME_SCOPE (scope, "%s", sli_build_name_or(options, "accuracy")) {
    TF_Output predicted = sl_argmax_with(scope, logits, 1, NULL);
    if (!sli_build_check_compatible(scope, predicted, labels)) break;
    TF_Output wanted = sl_cast_with(scope, labels, TF_INT64, NULL);
    TF_Output right = sl_binary(scope, "Equal", "Equal", predicted, wanted, NULL);
    accuracy = sl_reduce(scope, "Mean", sl_cast_with(scope, right, TF_FLOAT, NULL), NULL);
  }
  return accuracy;
}
