// Losses, as in tf.losses: a scalar, as a rule the mean over what has a weight
// other than 0, also added to the collection SL_LOSSES. The results are named as in
// Python ("NAME/value", "NAME/Sum", …); nodes that check what is known anyway, or that
// multiply and count with weights that are not given, are left out.
#ifndef SLUICE_LOSSES_H_
#define SLUICE_LOSSES_H_

#include "sluice/math.h"

SL_BEGIN_DECLS

// What becomes of the single losses times their weights. As tf.losses.Reduction.
typedef enum {
  SL_REDUCTION_SUM_BY_NONZERO_WEIGHTS = 0,  // the sum over how many weights are not 0
  SL_REDUCTION_NONE,                        // nothing: they are the result
  SL_REDUCTION_SUM,
  SL_REDUCTION_MEAN,                 // the sum over the sum of the weights
  SL_REDUCTION_SUM_OVER_BATCH_SIZE,  // the sum over how many there are
} sl_reduction_t;

typedef struct {
  size_t struct_size;
  const char *name;
  TF_Output weights;       // one for all, or of the rank of the single losses, each dimension theirs or 1; empty: 1
  double label_smoothing;  // of the cross entropies of distributions
  double delta;            // of Huber's; 0: 1
  sl_reduction_t reduction;
  const char *loss_collection;  // to add it to. NULL: SL_LOSSES; "": none
} sl_loss_options_t;
#define SL_LOSS_OPTIONS(...) SL_OPTIONS(sl_loss_options_t, __VA_ARGS__)

// |labels|: class numbers.
SL_EXPORT TF_Output sl_losses_sparse_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                                const sl_loss_options_t *options);
#define sl_losses_sparse_softmax_cross_entropy(scope, labels, logits, ...) \
  sl_losses_sparse_softmax_cross_entropy_with(SL_AT(scope), (labels), (logits), SL_LOSS_OPTIONS(__VA_ARGS__))
// |labels| one-hot, or any distribution.
SL_EXPORT TF_Output sl_losses_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                         const sl_loss_options_t *options);
#define sl_losses_softmax_cross_entropy(scope, labels, logits, ...) \
  sl_losses_softmax_cross_entropy_with(SL_AT(scope), (labels), (logits), SL_LOSS_OPTIONS(__VA_ARGS__))
// |labels|: 0 or 1 for each logit, or between.
SL_EXPORT TF_Output sl_losses_sigmoid_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                         const sl_loss_options_t *options);
#define sl_losses_sigmoid_cross_entropy(scope, labels, logits, ...) \
  sl_losses_sigmoid_cross_entropy_with(SL_AT(scope), (labels), (logits), SL_LOSS_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_losses_mean_squared_error_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                                      const sl_loss_options_t *options);
#define sl_losses_mean_squared_error(scope, labels, predictions, ...) \
  sl_losses_mean_squared_error_with(SL_AT(scope), (labels), (predictions), SL_LOSS_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_losses_absolute_difference_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                                       const sl_loss_options_t *options);
#define sl_losses_absolute_difference(scope, labels, predictions, ...) \
  sl_losses_absolute_difference_with(SL_AT(scope), (labels), (predictions), SL_LOSS_OPTIONS(__VA_ARGS__))
// Quadratic up to |delta|, straight beyond.
SL_EXPORT TF_Output sl_losses_huber_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                         const sl_loss_options_t *options);
#define sl_losses_huber(scope, labels, predictions, ...) \
  sl_losses_huber_with(SL_AT(scope), (labels), (predictions), SL_LOSS_OPTIONS(__VA_ARGS__))
// |labels| 0 or 1.
SL_EXPORT TF_Output sl_losses_hinge_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                         const sl_loss_options_t *options);
#define sl_losses_hinge(scope, labels, logits, ...) \
  sl_losses_hinge_with(SL_AT(scope), (labels), (logits), SL_LOSS_OPTIONS(__VA_ARGS__))
// -labels * log(predictions) - (1 - labels) * log(1 - predictions), with 1e-7 in the logarithms.
SL_EXPORT TF_Output sl_losses_log_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                       const sl_loss_options_t *options);
#define sl_losses_log(scope, labels, predictions, ...) \
  sl_losses_log_with(SL_AT(scope), (labels), (predictions), SL_LOSS_OPTIONS(__VA_ARGS__))
// 1 - labels · predictions along |axis|; both of unit length there.
SL_EXPORT TF_Output sl_losses_cosine_distance_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions, int axis,
                                                   const sl_loss_options_t *options);
#define sl_losses_cosine_distance(scope, labels, predictions, axis, ...) \
  sl_losses_cosine_distance_with(SL_AT(scope), (labels), (predictions), (axis), SL_LOSS_OPTIONS(__VA_ARGS__))

// The mean over the examples of the squared differences between pairs of a row's errors; weights: one for all, or one
// for each row ([batch, 1]). Takes no reduction.
SL_EXPORT TF_Output sl_losses_mean_pairwise_squared_error_with(sl_scope_t *scope, TF_Output labels,
                                                               TF_Output predictions, const sl_loss_options_t *options);
#define sl_losses_mean_pairwise_squared_error(scope, labels, predictions, ...) \
  sl_losses_mean_pairwise_squared_error_with(SL_AT(scope), (labels), (predictions), SL_LOSS_OPTIONS(__VA_ARGS__))
// |losses|, one for each example or element, weighted and reduced. As tf.losses.compute_weighted_loss.
SL_EXPORT TF_Output sl_losses_compute_weighted_with(sl_scope_t *scope, TF_Output losses,
                                                    const sl_loss_options_t *options);
#define sl_losses_compute_weighted(scope, losses, ...) \
  sl_losses_compute_weighted_with(SL_AT(scope), (losses), SL_LOSS_OPTIONS(__VA_ARGS__))
// Adds a loss of the program's own to SL_LOSSES. As tf.losses.add_loss; sl_collection(s, SL_LOSSES, prefix) has all.
SL_EXPORT void sl_losses_add(sl_scope_t *scope, TF_Output loss);

typedef struct {
  size_t struct_size;
  const char *name;        // NULL: "total_loss"
  const char *prefix;      // only losses whose names start with it; NULL: all
  bool no_regularization;  // leaves SL_REGULARIZATION_LOSSES out
} sl_losses_total_options_t;
// The sum of SL_LOSSES and SL_REGULARIZATION_LOSSES. As tf.losses.get_total_loss.
SL_EXPORT TF_Output sl_losses_total_with(sl_scope_t *scope, const sl_losses_total_options_t *options);
#define sl_losses_total(scope, ...) \
  sl_losses_total_with(SL_AT(scope), SL_OPTIONS(sl_losses_total_options_t, __VA_ARGS__))
// The sum of SL_REGULARIZATION_LOSSES, 0 if there are none: "total_regularization_loss" or "Const". As
// tf.losses.get_regularization_loss.
SL_EXPORT TF_Output sl_losses_regularization_with(sl_scope_t *scope, const sl_op_options_t *options);
#define sl_losses_regularization(scope, ...) sl_losses_regularization_with(SL_AT(scope), SL_OP_OPTIONS(__VA_ARGS__))

// --- Sequences ---

// A sparse tensor: the values at [count, rank] indices.
typedef struct {
  TF_Output indices, values, dense_shape;
} sl_sparse_t;
// To be fed in three parts: "NAME/indices", "NAME/values", "NAME/shape"; without a name, three of "Placeholder".
SL_EXPORT sl_sparse_t sl_sparse_placeholder_with(sl_scope_t *scope, TF_DataType dtype, const sl_op_options_t *options);
#define sl_sparse_placeholder(scope, dtype, ...) \
  sl_sparse_placeholder_with(SL_AT(scope), (dtype), SL_OP_OPTIONS(__VA_ARGS__))
// Connectionist temporal classification, one loss per example: |labels| int32 of [batch, steps], |logits|
// [steps, batch, classes], the last class the blank; |lengths| int32, steps of each example. As tf.nn.ctc_loss.
SL_EXPORT TF_Output sl_ctc_loss_with(sl_scope_t *scope, sl_sparse_t labels, TF_Output logits, TF_Output lengths,
                                     const sl_op_options_t *options);
#define sl_ctc_loss(scope, labels, logits, lengths, ...) \
  sl_ctc_loss_with(SL_AT(scope), (labels), (logits), (lengths), SL_OP_OPTIONS(__VA_ARGS__))

// The share of examples whose largest logit is at the label's place; |labels| are class numbers.
SL_EXPORT TF_Output sl_accuracy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                     const sl_op_options_t *options);
#define sl_accuracy(scope, labels, logits, ...) \
  sl_accuracy_with(SL_AT(scope), (labels), (logits), SL_OP_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_LOSSES_H_
