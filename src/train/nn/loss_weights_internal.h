// Checks the weights of losses and metrics: a scalar, or of the rank of the values with
// each dimension the same or 1.
#ifndef SLI_TRAIN_NN_LOSS_WEIGHTS_INTERNAL_H_
#define SLI_TRAIN_NN_LOSS_WEIGHTS_INTERNAL_H_

#include "sluice/math.h"

// Checks that |weights| can be broadcast to |values|. If the shapes are known, checks at once and sets an error in the
// scope on failure; returns NULL. Else builds Python's nodes "assert_broadcastable" and returns the operation that
// nodes using the weights must depend on.
TF_Operation *sli_loss_weights_check(sl_scope_t *scope, TF_Output weights, TF_Output values);

#endif  // SLI_TRAIN_NN_LOSS_WEIGHTS_INTERNAL_H_
