// Losses, as in tf.losses: a scalar, the mean over the batch, also added to the
// collection SL_LOSSES. With the default weight of 1 the nodes that multiply and
// count with it are left out; the result "NAME/value" is the same.
#ifndef SLUICE_LOSSES_H_
#define SLUICE_LOSSES_H_

#include "sluice/math.h"

SL_BEGIN_DECLS

SL_EXPORT TF_Output sl_losses_sparse_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                                const sl_op_options_t *options);
#define sl_losses_sparse_softmax_cross_entropy(scope, labels, logits, ...) \
  sl_losses_sparse_softmax_cross_entropy_with(SL_AT(scope), (labels), (logits), SL_OP_OPTIONS(__VA_ARGS__))
// |labels| one-hot, or any distribution.
SL_EXPORT TF_Output sl_losses_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                         const sl_op_options_t *options);
#define sl_losses_softmax_cross_entropy(scope, labels, logits, ...) \
  sl_losses_softmax_cross_entropy_with(SL_AT(scope), (labels), (logits), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_losses_mean_squared_error_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                                      const sl_op_options_t *options);
#define sl_losses_mean_squared_error(scope, labels, predictions, ...) \
  sl_losses_mean_squared_error_with(SL_AT(scope), (labels), (predictions), SL_OP_OPTIONS(__VA_ARGS__))

// The share of examples whose largest logit is at the label's place; |labels| are class numbers.
SL_EXPORT TF_Output sl_accuracy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                     const sl_op_options_t *options);
#define sl_accuracy(scope, labels, logits, ...) \
  sl_accuracy_with(SL_AT(scope), (labels), (logits), SL_OP_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_LOSSES_H_
