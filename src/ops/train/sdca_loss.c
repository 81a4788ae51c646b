#include "ops/train/sdca_loss.h"

#include <float.h>
#include <math.h>

enum { NEWTON_STEPS = 10 };

static sli_status_t *binary_label(float *label) {
  if (*label == 0) {
    *label = -1;
    return NULL;
  }
  if (*label == 1) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Only labels of 0.0 or 1.0 are supported right now. Found example with label: %g",
                         (double)*label);
}
static sli_status_t *any_label(float *label) { return NULL; }
static sli_status_t *count_label(float *label) {
  if (!(*label < 0)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Only non-negative labels can be used with the Poisson log loss. Found example with label: %g",
                         (double)*label);
}

// Logistic: log(1 + exp(-y wx)). The dual is (1 + tanh x) / 2y, where Newton's method finds x.
static double logistic_updated(double partitions, double label, double weight, double dual, double wx, double norm) {
  double x = 0, scale = partitions * norm * weight;
  for (int i = 0; i < NEWTON_STEPS; i++) {
    double t = tanh(x);
    double value = -2 * label * x - wx - scale * (0.5 * (1 + t) / label - dual);
    double slope = -2 * label - scale * (1 - t * t) * 0.5 / label;
    x -= value / slope;
  }
  return 0.5 * (1 + tanh(x)) / label;
}
static double logistic_dual(double dual, double label, double weight) {
  double a = dual * label, rest = 1 - a;
  return (a * (a > 0 ? log(a) : 0) + rest * (rest > 0 ? log(rest) : 0)) * weight;
}
static double logistic_primal(double wx, double label, double weight) {
  double margin = label * wx;
  return (margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin) * weight;
}
static double logistic_derivative(double wx, double label, double weight) {
  double margin = label * wx;
  double share = margin > 0 ? exp(-margin) / (1 + exp(-margin)) : 1 / (1 + exp(margin));
  return -share * label * weight;
}

static double squared_updated(double partitions, double label, double weight, double dual, double wx, double norm) {
  return dual + (label - dual - wx) / (1 + partitions * norm * weight);
}
static double squared_dual(double dual, double label, double weight) { return dual * (0.5 * dual - label) * weight; }
static double squared_primal(double wx, double label, double weight) {
  return (wx - label) * (wx - label) * weight * 0.5;
}
static double squared_derivative(double wx, double label, double weight) { return (wx - label) * weight; }

// The dual variable of both hinges, times the label, is in [0, 1].
static double into_range(double dual, double label) {
  if (label * dual < 0) return 0;
  return label * dual > 1 ? label : dual;
}
static double hinge_updated(double partitions, double label, double weight, double dual, double wx, double norm) {
  return into_range(dual + (label - wx) / (partitions * weight * norm), label);
}
static double hinge_dual(double dual, double label, double weight) {
  double a = dual * label;
  return a < 0 || a > 1 ? DBL_MAX : -a * weight;
}
static double hinge_primal(double wx, double label, double weight) { return fmax(0, 1 - label * wx) * weight; }
static double hinge_derivative(double wx, double label, double weight) { return label * wx < 1 ? -label * weight : 0; }

// A parabola where the margin is between 0 and 1.
static double smooth_updated(double partitions, double label, double weight, double dual, double wx, double norm) {
  return into_range(dual + (label - wx - dual) / (partitions * weight * norm + 1), label);
}
static double smooth_dual(double dual, double label, double weight) {
  double a = dual * label;
  return a < 0 || a > 1 ? DBL_MAX : (-a + 0.5 * dual * dual) * weight;
}
static double smooth_primal(double wx, double label, double weight) {
  double margin = label * wx;
  if (margin >= 1) return 0;
  return (margin <= 0 ? 0.5 - margin : (1 - margin) * (1 - margin) * 0.5) * weight;
}
static double smooth_derivative(double wx, double label, double weight) {
  double margin = label * wx;
  return margin >= 1 ? 0 : margin <= 0 ? -label : wx - label;
}

// exp(wx) - y wx. The dual is y - exp(x), where Newton's method finds x.
static double poisson_updated(double partitions, double label, double weight, double dual, double wx, double norm) {
  double rest = label - dual, x = rest > 0 ? log(rest) : 0, scale = partitions * norm * weight;
  for (int i = 0; i < NEWTON_STEPS; i++) {
    double e = exp(x);
    x -= (x - wx - scale * (label - dual - e)) / (1 + scale * e);
  }
  return label - exp(x);
}
static double poisson_dual(double dual, double label, double weight) {
  double rest = label - dual;
  return rest == 0 ? 0 : rest < 0 ? DBL_MAX : rest * (log(rest) - 1) * weight;
}
static double poisson_primal(double wx, double label, double weight) { return (exp(wx) - wx * label) * weight; }
static double poisson_derivative(double wx, double label, double weight) { return (exp(wx) - label) * weight; }

const sli_sdca_loss_t *sli_sdca_loss_named(sli_view_t name) {
  static const sli_sdca_loss_t losses[] = {
      {"logistic_loss", 4, binary_label, logistic_updated, logistic_dual, logistic_primal, logistic_derivative},
      {"squared_loss", 1, any_label, squared_updated, squared_dual, squared_primal, squared_derivative},
      {"hinge_loss", 0, binary_label, hinge_updated, hinge_dual, hinge_primal, hinge_derivative},
      {"smooth_hinge_loss", 1, binary_label, smooth_updated, smooth_dual, smooth_primal, smooth_derivative},
      {"poisson_loss", 1, count_label, poisson_updated, poisson_dual, poisson_primal, poisson_derivative},
  };
  for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
    if (sli_view_is(name, losses[i].name)) return &losses[i];
  return NULL;
}
