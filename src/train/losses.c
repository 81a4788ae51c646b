// Losses: one value per example or element, then the weighted mean of them.
#include "sluice/losses.h"

#include <stdlib.h>

#include "train/ops_internal.h"
#include "train/options_internal.h"
#include "train/scope_internal.h"

// --- The mean ---

static TF_Output sum_of(sl_scope_t *scope, TF_Output x) { return sl_reduce(scope, "Sum", x, NULL); }

// sum(values * weights) / how many of the weights, broadcast to |values|, are not 0.
static TF_Output weighted_mean(sl_scope_t *scope, TF_Output values, TF_Output weights) {
  weights = sl_cast_with(scope, weights, sl_dtype(values), NULL);
  TF_Output ones = sl_unary(scope, "OnesLike", values, SL_OP_OPTIONS(.name = "ones_like"));
  TF_Output each = sl_binary(scope, "Mul", "broadcast_weights", weights, ones, NULL);
  TF_Output zeros = sl_unary(scope, "ZerosLike", values, SL_OP_OPTIONS(.name = "zeros_like"));
  TF_Output present =
      sl_cast_with(scope, sl_binary(scope, "NotEqual", "NotEqual", each, zeros, NULL), sl_dtype(values), NULL);
  TF_Output total = sum_of(scope, sl_binary(scope, "Mul", "Mul", values, each, NULL));
  return sl_binary(scope, "DivNoNan", "value", total, sum_of(scope, present), NULL);
}

static TF_Output reduce_loss(sl_scope_t *scope, TF_Output values, const sl_loss_options_t *options) {
  TF_Output loss = options->weights.oper
                       ? weighted_mean(scope, values, options->weights)
                       : sl_reduce(scope, "Mean", values, SL_OPTIONS(sl_reduce_options_t, .name = "value"));
  sl_collection_add(scope, SL_LOSSES, loss);
  return loss;
}

// --- Single losses, by kind ---

typedef TF_Output (*values_function_t)(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                       const sl_loss_options_t *options);

// The loss |usual| (or options->name) with the nodes of |values| in its name scope.
static TF_Output make_loss(sl_scope_t *scope, const char *usual, values_function_t values, TF_Output labels,
                           TF_Output predictions, const sl_loss_options_t *given) {
  SLI_READ_OPTIONS(sl_loss_options_t, options, given);
  TF_Output loss = {0};
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : usual) {
    loss = reduce_loss(scope, values(scope, labels, predictions, &options), &options);
  }
  return loss;
}

static TF_Output sparse_softmax(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                const sl_loss_options_t *options) {
  return sl_sparse_softmax_cross_entropy_with_logits_with(scope, labels, logits, SL_OP_OPTIONS(.name = "xentropy"));
}

TF_Output sl_losses_sparse_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                      const sl_loss_options_t *options) {
  return make_loss(scope, "sparse_softmax_cross_entropy_loss", sparse_softmax, labels, logits, options);
}

// labels * (1 - smoothing) + smoothing * |share|
static TF_Output smooth(sl_scope_t *scope, TF_Output labels, double smoothing, double share) {
  TF_Output kept = sli_number_right(scope, "Mul", "mul", labels, 1 - smoothing);
  return sli_number_right(scope, "AddV2", "add", kept, smoothing * share);
}

static TF_Output softmax(sl_scope_t *scope, TF_Output labels, TF_Output logits, const sl_loss_options_t *options) {
  sl_shape_t shape = sl_static_shape(scope, logits);
  labels = sl_cast_with(scope, labels, sl_dtype(logits), NULL);
  if (options->label_smoothing > 0) {
    if (shape.rank < 1 || shape.dims[shape.rank - 1] < 1)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "label_smoothing needs a known number of classes");
    else
      labels = smooth(scope, labels, options->label_smoothing, 1.0 / (double)shape.dims[shape.rank - 1]);
  }
  return sl_softmax_cross_entropy_with_logits_with(scope, labels, logits, SL_OP_OPTIONS(.name = "xentropy"));
}

TF_Output sl_losses_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                               const sl_loss_options_t *options) {
  return make_loss(scope, "softmax_cross_entropy_loss", softmax, labels, logits, options);
}

static TF_Output sigmoid(sl_scope_t *scope, TF_Output labels, TF_Output logits, const sl_loss_options_t *options) {
  labels = sl_cast_with(scope, labels, sl_dtype(logits), NULL);
  if (options->label_smoothing > 0) labels = smooth(scope, labels, options->label_smoothing, 0.5);
  return sl_sigmoid_cross_entropy_with_logits_with(scope, labels, logits, SL_OP_OPTIONS(.name = "xentropy"));
}

TF_Output sl_losses_sigmoid_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                               const sl_loss_options_t *options) {
  return make_loss(scope, "sigmoid_cross_entropy_loss", sigmoid, labels, logits, options);
}

static TF_Output squared(sl_scope_t *scope, TF_Output labels, TF_Output predictions, const sl_loss_options_t *options) {
  return sl_binary(scope, "SquaredDifference", "SquaredDifference", predictions, labels, NULL);
}

TF_Output sl_losses_mean_squared_error_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                            const sl_loss_options_t *options) {
  return make_loss(scope, "mean_squared_error", squared, labels, predictions, options);
}

static TF_Output absolute(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                          const sl_loss_options_t *options) {
  return sl_unary(scope, "Abs", sl_binary(scope, "Sub", "Sub", predictions, labels, NULL), NULL);
}

TF_Output sl_losses_absolute_difference_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                             const sl_loss_options_t *options) {
  return make_loss(scope, "absolute_difference", absolute, labels, predictions, options);
}

// 0.5 * min(|e|, delta)² + delta * (|e| - min(|e|, delta))
static TF_Output huber(sl_scope_t *scope, TF_Output labels, TF_Output predictions, const sl_loss_options_t *options) {
  double delta = options->delta != 0 ? options->delta : 1;
  TF_Output error = absolute(scope, labels, predictions, options);
  TF_Output quadratic = sli_number_right(scope, "Minimum", "Minimum", error, delta);
  TF_Output linear = sl_binary(scope, "Sub", "Sub", error, quadratic, NULL);
  TF_Output square = sl_binary(scope, "Mul", "Mul", quadratic, quadratic, NULL);
  TF_Output half = sli_number_left(scope, "Mul", "Mul", 0.5, square);
  return sl_binary(scope, "AddV2", "Add", half, sli_number_left(scope, "Mul", "Mul", delta, linear), NULL);
}

TF_Output sl_losses_huber_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                               const sl_loss_options_t *options) {
  return make_loss(scope, "huber_loss", huber, labels, predictions, options);
}

// max(0, 1 - (2 * labels - 1) * logits)
static TF_Output hinge(sl_scope_t *scope, TF_Output labels, TF_Output logits, const sl_loss_options_t *options) {
  labels = sl_cast_with(scope, labels, sl_dtype(logits), NULL);
  TF_Output signs = sli_number_right(scope, "Sub", "Sub", sli_scaled(scope, 2, labels), 1);
  TF_Output margin = sl_binary(scope, "Mul", "Mul", signs, logits, NULL);
  return sl_unary(scope, "Relu", sli_number_left(scope, "Sub", "Sub", 1, margin), NULL);
}

TF_Output sl_losses_hinge_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                               const sl_loss_options_t *options) {
  return make_loss(scope, "hinge_loss", hinge, labels, logits, options);
}

static TF_Output safe_log(sl_scope_t *scope, TF_Output x) {
  return sl_unary(scope, "Log", sli_number_right(scope, "AddV2", "add", x, 1e-7), NULL);
}

static TF_Output log_values(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                            const sl_loss_options_t *options) {
  TF_Output yes = sl_binary(scope, "Mul", "Mul", labels, safe_log(scope, predictions), NULL);
  TF_Output other = sli_number_left(scope, "Sub", "sub", 1, labels);
  TF_Output no = safe_log(scope, sli_number_left(scope, "Sub", "sub", 1, predictions));
  TF_Output second = sl_binary(scope, "Mul", "Mul", other, no, NULL);
  return sl_binary(scope, "Sub", "sub", sl_unary(scope, "Neg", yes, NULL), second, NULL);
}

TF_Output sl_losses_log_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                             const sl_loss_options_t *options) {
  return make_loss(scope, "log_loss", log_values, labels, predictions, options);
}

TF_Output sl_losses_cosine_distance_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions, int axis,
                                         const sl_loss_options_t *given) {
  SLI_READ_OPTIONS(sl_loss_options_t, options, given);
  TF_Output loss = {0};
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "cosine_distance_loss") {
    TF_Output product = sl_binary(scope, "Mul", "Mul", predictions, labels, NULL);
    TF_Output dot = sl_reduce(
        scope, "Sum", product,
        SL_OPTIONS(sl_reduce_options_t, .axes = &axis, .axis_count = 1, .axes_as_list = true, .keep_dims = true));
    loss = reduce_loss(scope, sli_number_left(scope, "Sub", "sub", 1, dot), &options);
  }
  return loss;
}

TF_Output sl_losses_total_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_outputs_t losses = sl_collection(scope, SL_LOSSES, NULL),
               sizes = sl_collection(scope, SL_REGULARIZATION_LOSSES, NULL);
  sli_outputs_t all = {0};
  for (size_t i = 0; i < losses.count; i++) sli_array_push(&all, losses.items[i]);
  for (size_t i = 0; i < sizes.count; i++) sli_array_push(&all, sizes.items[i]);
  if (!all.count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "there is no loss to sum up");
  TF_Output total = {0};
  if (all.count)
    total = sli_add_n(scope, all.items, all.count, options && options->name ? options->name : "total_loss");
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

static const char *name_or(const sl_op_options_t *options, const char *usual) {
  return options && options->name ? options->name : usual;
}

TF_Output sl_accuracy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits, const sl_op_options_t *options) {
  TF_Output accuracy = {0};
  SL_NAME_SCOPE (scope, "%s", name_or(options, "accuracy")) {
    TF_Output predicted = sl_argmax_with(scope, logits, 1, NULL);
    TF_Output wanted = sl_cast_with(scope, labels, TF_INT64, NULL);
    TF_Output right = sl_binary(scope, "Equal", "Equal", predicted, wanted, NULL);
    accuracy = sl_reduce(scope, "Mean", sl_cast_with(scope, right, TF_FLOAT, NULL), NULL);
  }
  return accuracy;
}
