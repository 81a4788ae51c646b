// Losses of stochastic dual coordinate ascent: what the update of one example needs of each.
#ifndef SLI_OPS_TRAIN_SDCA_LOSS_H_
#define SLI_OPS_TRAIN_SDCA_LOSS_H_

#include "base/status.h"
#include "base/string.h"

// |label| is a converted one, |wx| the model's output, |norm| the squared norm of the example's features over L2.
typedef struct {
  const char *name;
  double smoothness;  // the derivative is 1 / smoothness Lipschitz
  // Changes a label into the form that the functions below take; INVALID_ARGUMENT if the loss has none for it.
  sli_status_t *(*convert_label)(float *label);
  // The dual variable that maximizes the dual objective with all others fixed.
  double (*updated_dual)(double partitions, double label, double weight, double dual, double wx, double norm);
  double (*dual)(double dual, double label, double weight);
  double (*primal)(double wx, double label, double weight);
  double (*derivative)(double wx, double label, double weight);
} sli_sdca_loss_t;

// NULL if there is none of this name.
const sli_sdca_loss_t *sli_sdca_loss_named(sli_view_t name);

#endif  // SLI_OPS_TRAIN_SDCA_LOSS_H_
