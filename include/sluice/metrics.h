// Metrics over many batches, as in tf.metrics. They keep sums in local variables
// ("accuracy/total", "accuracy/count"), which sl_local_variables_initializer sets to 0.
// If the ranks of labels and predictions differ by one, a last dimension of 1 is
// removed from the larger. It is an error if the shapes do not match then.
#ifndef SLUICE_METRICS_H_
#define SLUICE_METRICS_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/variable.h"

SL_BEGIN_DECLS

// |value| is the metric of the batches so far. |update| adds this batch and returns the new value. Do not fetch both in
// one run.
typedef struct {
  TF_Output value, update;
} sl_metric_t;

// ROC: true positives against false positives. PR: precision against recall.
typedef enum { SL_CURVE_ROC = 0, SL_CURVE_PR } sl_curve_t;

typedef struct {
  size_t struct_size;
  const char *name;
  TF_Output weights;   // a scalar, or of the rank of the values with each dimension the same or 1; empty: 1
  int num_thresholds;  // for sl_metrics_auc; 0: 200
  sl_curve_t curve;    // for sl_metrics_auc
} sl_metric_options_t;
#define SL_METRIC_OPTIONS(...) SL_OPTIONS(sl_metric_options_t, __VA_ARGS__)

SL_EXPORT sl_metric_t sl_metrics_mean_with(sl_scope_t *scope, TF_Output values, const sl_metric_options_t *options);
#define sl_metrics_mean(scope, values, ...) sl_metrics_mean_with(SL_AT(scope), (values), SL_METRIC_OPTIONS(__VA_ARGS__))
// The fraction of |predictions|, cast to the type of |labels|, that equal the labels.
SL_EXPORT sl_metric_t sl_metrics_accuracy_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                               const sl_metric_options_t *options);
#define sl_metrics_accuracy(scope, labels, predictions, ...) \
  sl_metrics_accuracy_with(SL_AT(scope), (labels), (predictions), SL_METRIC_OPTIONS(__VA_ARGS__))
// The area under the curve, as the sum of the trapezoids between |num_thresholds| thresholds. |labels| are bool, or 0
// for false; |predictions| are in [0, 1]; both are flattened.
SL_EXPORT sl_metric_t sl_metrics_auc_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                          const sl_metric_options_t *options);
#define sl_metrics_auc(scope, labels, predictions, ...) \
  sl_metrics_auc_with(SL_AT(scope), (labels), (predictions), SL_METRIC_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_METRICS_H_
