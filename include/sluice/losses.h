// Losses, as in tf.losses: a scalar, by default the mean over the elements whose
// weight is not 0. It is also added to the collection SL_LOSSES. The results have
// Python's names ("NAME/value", "NAME/Sum", …). Nodes that would check known shapes,
// or multiply by and count weights that are not given, are left out.
#ifndef SLUICE_LOSSES_H_
#define SLUICE_LOSSES_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/math.h"

SL_BEGIN_DECLS

// How the losses of the elements, multiplied by their weights, are reduced. As tf.losses.Reduction.
typedef enum {
  SL_REDUCTION_SUM_BY_NONZERO_WEIGHTS = 0,  // the sum divided by the number of weights that are not 0
  SL_REDUCTION_NONE,                        // not reduced: one loss per element
  SL_REDUCTION_SUM,
  SL_REDUCTION_MEAN,                 // the sum divided by the sum of the weights
  SL_REDUCTION_SUM_OVER_BATCH_SIZE,  // the sum divided by the number of elements
} sl_reduction_t;

typedef struct {
  size_t struct_size;
  const char *name;
  TF_Output weights;       // a scalar, or of the rank of the losses with each dimension the same or 1; empty: 1
  double label_smoothing;  // for softmax and sigmoid cross entropy
  double delta;            // for the Huber loss; 0: 1
  sl_reduction_t reduction;
  const char *loss_collection;  // the collection to add the loss to. NULL: SL_LOSSES; "": none
} sl_loss_options_t;
#define SL_LOSS_OPTIONS(...) SL_OPTIONS(sl_loss_options_t, __VA_ARGS__)

// |labels| are class numbers: [batch] or [batch, 1] for logits [batch, classes].
SL_EXPORT TF_Output sl_losses_sparse_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                                const sl_loss_options_t *options);
#define sl_losses_sparse_softmax_cross_entropy(scope, labels, logits, ...) \
  sl_losses_sparse_softmax_cross_entropy_with(SL_AT(scope), (labels), (logits), SL_LOSS_OPTIONS(__VA_ARGS__))
// Labels and predictions (or logits) of all losses below must have the same shape, as far as the graph knows it:
// [-1] and [-1, 1] are an error. Labels are cast to the type of the predictions.
// |labels| are one-hot, or any distribution.
SL_EXPORT TF_Output sl_losses_softmax_cross_entropy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                         const sl_loss_options_t *options);
#define sl_losses_softmax_cross_entropy(scope, labels, logits, ...) \
  sl_losses_softmax_cross_entropy_with(SL_AT(scope), (labels), (logits), SL_LOSS_OPTIONS(__VA_ARGS__))
// |labels| are numbers from 0 to 1, one for each logit.
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
// Quadratic for errors up to |delta|, linear beyond.
SL_EXPORT TF_Output sl_losses_huber_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                         const sl_loss_options_t *options);
#define sl_losses_huber(scope, labels, predictions, ...) \
  sl_losses_huber_with(SL_AT(scope), (labels), (predictions), SL_LOSS_OPTIONS(__VA_ARGS__))
// |labels| are 0 or 1.
SL_EXPORT TF_Output sl_losses_hinge_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                         const sl_loss_options_t *options);
#define sl_losses_hinge(scope, labels, logits, ...) \
  sl_losses_hinge_with(SL_AT(scope), (labels), (logits), SL_LOSS_OPTIONS(__VA_ARGS__))
// -labels * log(predictions) - (1 - labels) * log(1 - predictions), with 1e-7 added inside the logarithms.
SL_EXPORT TF_Output sl_losses_log_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                       const sl_loss_options_t *options);
#define sl_losses_log(scope, labels, predictions, ...) \
  sl_losses_log_with(SL_AT(scope), (labels), (predictions), SL_LOSS_OPTIONS(__VA_ARGS__))
// 1 - labels · predictions along |axis|; both must have unit length along it.
SL_EXPORT TF_Output sl_losses_cosine_distance_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions, int axis,
                                                   const sl_loss_options_t *options);
#define sl_losses_cosine_distance(scope, labels, predictions, axis, ...) \
  sl_losses_cosine_distance_with(SL_AT(scope), (labels), (predictions), (axis), SL_LOSS_OPTIONS(__VA_ARGS__))

// The mean over the examples of the squared differences between pairs of errors in a row. Weights are a scalar, or one
// for each row ([batch, 1]). .reduction is ignored.
SL_EXPORT TF_Output sl_losses_mean_pairwise_squared_error_with(sl_scope_t *scope, TF_Output labels,
                                                               TF_Output predictions, const sl_loss_options_t *options);
#define sl_losses_mean_pairwise_squared_error(scope, labels, predictions, ...) \
  sl_losses_mean_pairwise_squared_error_with(SL_AT(scope), (labels), (predictions), SL_LOSS_OPTIONS(__VA_ARGS__))
// Weights and reduces |losses|, one for each example or element. As tf.losses.compute_weighted_loss.
SL_EXPORT TF_Output sl_losses_compute_weighted_with(sl_scope_t *scope, TF_Output losses,
                                                    const sl_loss_options_t *options);
#define sl_losses_compute_weighted(scope, losses, ...) \
  sl_losses_compute_weighted_with(SL_AT(scope), (losses), SL_LOSS_OPTIONS(__VA_ARGS__))
// Adds any scalar to SL_LOSSES. As tf.losses.add_loss. sl_collection(s, SL_LOSSES, prefix) returns all losses.
SL_EXPORT void sl_losses_add_with(sl_scope_t *scope, TF_Output loss);
#define sl_losses_add(scope, loss) sl_losses_add_with(SL_AT(scope), (loss))

typedef struct {
  size_t struct_size;
  const char *name;        // NULL: "total_loss"
  const char *prefix;      // use only losses whose names start with it; NULL: all
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

// A sparse tensor: |indices| [count, rank], |values| [count], |dense_shape| [rank].
typedef struct {
  TF_Output indices, values, dense_shape;
} sl_sparse_t;
// Three placeholders: "NAME/indices", "NAME/values", "NAME/shape"; without a name "Placeholder", "Placeholder_1", ….
SL_EXPORT sl_sparse_t sl_sparse_placeholder_with(sl_scope_t *scope, TF_DataType dtype, const sl_op_options_t *options);
#define sl_sparse_placeholder(scope, dtype, ...) \
  sl_sparse_placeholder_with(SL_AT(scope), (dtype), SL_OP_OPTIONS(__VA_ARGS__))
// Connectionist temporal classification, one loss per example. |labels| are int32 of shape [batch, steps]; |logits| are
// [steps, batch, classes], where the last class is the blank; |lengths| are the steps of each example, int32. As
// tf.nn.ctc_loss.
SL_EXPORT TF_Output sl_ctc_loss_with(sl_scope_t *scope, sl_sparse_t labels, TF_Output logits, TF_Output lengths,
                                     const sl_op_options_t *options);
#define sl_ctc_loss(scope, labels, logits, lengths, ...) \
  sl_ctc_loss_with(SL_AT(scope), (labels), (logits), (lengths), SL_OP_OPTIONS(__VA_ARGS__))

// The fraction of examples whose largest logit is that of the label. |labels| are class numbers.
SL_EXPORT TF_Output sl_accuracy_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                     const sl_op_options_t *options);
#define sl_accuracy(scope, labels, logits, ...) \
  sl_accuracy_with(SL_AT(scope), (labels), (logits), SL_OP_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_LOSSES_H_
