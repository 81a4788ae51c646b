// Optimizers that stand around another one.
#ifndef SLI_TRAIN_OPTIMIZER_INTERNAL_H_
#define SLI_TRAIN_OPTIMIZER_INTERNAL_H_

#include "sluice/optimizer.h"

// What a wrapper does with checked gradients in place of applying them. Sparse ones are made dense first, unless it
// takes them.
typedef TF_Operation *(*sli_apply_function_t)(sl_scope_t *scope, void *context, sl_gradients_t gradients,
                                              const sl_apply_gradients_options_t *options);

// An optimizer that gives its gradients to |apply|(context); slots are |inner|'s. Belongs to the scope.
sl_optimizer_t *sli_optimizer_wrap(sl_scope_t *scope, sl_optimizer_t *inner, sli_apply_function_t apply, void *context,
                                   bool takes_sparse);
// The context of a wrapper made with |apply|; NULL for any other optimizer.
void *sli_optimizer_wrapping(const sl_optimizer_t *optimizer, sli_apply_function_t apply);

#endif  // SLI_TRAIN_OPTIMIZER_INTERNAL_H_
