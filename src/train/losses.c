#include "sluice/losses.h"

#include "train/scope_internal.h"

// The mean of |values|, one per example, as the loss of the current name scope.
static TF_Output reduce_loss(sl_scope_t *scope, TF_Output values) {
  TF_Output loss = sl_reduce(scope, "Mean", values, SL_OPTIONS(sl_reduce_options_t, .name = "value"));
  sl_collection_add(scope, SL_LOSSES, loss);
  return loss;
}

static const char *name_or(const sl_op_options_t *options, const char *usual) {
  return options && options->name ? options->name : usual;
}

TF_Output sl_losses_sparse_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                      const sl_op_options_t *options) {
  TF_Output loss = {0};
  SL_NAME_SCOPE (scope, "%s", name_or(options, "sparse_softmax_cross_entropy_loss")) {
    loss = reduce_loss(scope, sl_sparse_softmax_cross_entropy_with_logits_with(scope, labels, logits,
                                                                               SL_OP_OPTIONS(.name = "xentropy")));
  }
  return loss;
}

TF_Output sl_losses_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                               const sl_op_options_t *options) {
  TF_Output loss = {0};
  SL_NAME_SCOPE (scope, "%s", name_or(options, "softmax_cross_entropy_loss")) {
    loss = reduce_loss(
        scope, sl_softmax_cross_entropy_with_logits_with(scope, labels, logits, SL_OP_OPTIONS(.name = "xentropy")));
  }
  return loss;
}

TF_Output sl_losses_mean_squared_error_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                            const sl_op_options_t *options) {
  TF_Output loss = {0};
  SL_NAME_SCOPE (scope, "%s", name_or(options, "mean_squared_error")) {
    TF_Output squares = sl_binary(scope, "SquaredDifference", "SquaredDifference", predictions, labels, NULL);
    loss = reduce_loss(scope, squares);
  }
  return loss;
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
