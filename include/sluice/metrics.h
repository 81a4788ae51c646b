// Metrics over many batches, as in tf.metrics: sums in local variables
// ("accuracy/total", "accuracy/count"), which sl_local_variables_initializer sets to 0.
// Of labels and predictions whose ranks differ by one, the larger gives up a last
// dimension of 1; shapes that do not match then are an error.
#ifndef SLUICE_METRICS_H_
#define SLUICE_METRICS_H_

#include "sluice/variable.h"

SL_BEGIN_DECLS

// |value|: of the batches so far; |update|: takes in this batch and gives the value after it. Never fetch both in one
// run.
typedef struct {
  TF_Output value, update;
} sl_metric_t;

// True against false positives; precision against recall.
typedef enum { SL_CURVE_ROC = 0, SL_CURVE_PR } sl_curve_t;

typedef struct {
  size_t struct_size;
  const char *name;
  TF_Output weights;   // one for all, or of the rank of the values, each dimension theirs or 1; empty: 1 each
  int num_thresholds;  // of the area; 0: 200
  sl_curve_t curve;    // of the area
} sl_metric_options_t;
#define SL_METRIC_OPTIONS(...) SL_OPTIONS(sl_metric_options_t, __VA_ARGS__)

SL_EXPORT sl_metric_t sl_metrics_mean_with(sl_scope_t *scope, TF_Output values, const sl_metric_options_t *options);
#define sl_metrics_mean(scope, values, ...) sl_metrics_mean_with(SL_AT(scope), (values), SL_METRIC_OPTIONS(__VA_ARGS__))
// The share of |predictions|, cast to the type of |labels|, that equal them.
SL_EXPORT sl_metric_t sl_metrics_accuracy_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                               const sl_metric_options_t *options);
#define sl_metrics_accuracy(scope, labels, predictions, ...) \
  sl_metrics_accuracy_with(SL_AT(scope), (labels), (predictions), SL_METRIC_OPTIONS(__VA_ARGS__))
// The area under a curve, by the trapezoids between |num_thresholds| thresholds; |labels| bool, or 0 and not 0,
// |predictions| in [0, 1]; both flattened.
SL_EXPORT sl_metric_t sl_metrics_auc_with(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                          const sl_metric_options_t *options);
#define sl_metrics_auc(scope, labels, predictions, ...) \
  sl_metrics_auc_with(SL_AT(scope), (labels), (predictions), SL_METRIC_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_METRICS_H_
