// Weights of losses: one for all values, or of their rank, with each dimension the same or 1.
#ifndef SLI_TRAIN_WEIGHTS_INTERNAL_H_
#define SLI_TRAIN_WEIGHTS_INTERNAL_H_

#include "sluice/math.h"

// Whether |weights| fit |values|. Where their shapes are known, at once: an error of the scope if not. Else by nodes
// "assert_broadcastable", Python's, the last of which is the result: whoever uses the weights waits for it.
// NULL: there is nothing to wait for.
TF_Operation *sli_weights_check(sl_scope_t *scope, TF_Output weights, TF_Output values);

#endif  // SLI_TRAIN_WEIGHTS_INTERNAL_H_
