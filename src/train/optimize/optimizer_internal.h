// Optimizers that wrap another optimizer.
#ifndef SLI_TRAIN_OPTIMIZE_OPTIMIZER_INTERNAL_H_
#define SLI_TRAIN_OPTIMIZE_OPTIMIZER_INTERNAL_H_

#include "sluice/optimizer.h"

// An option that is 0 stands for its default.
static inline double sli_optimizer_number_or(double given, double default_value) {
  return given != 0 ? given : default_value;
}

// Called with checked gradients instead of applying them. Sparse gradients are converted to dense ones first, unless
// the wrapper takes them.
typedef TF_Operation *(*sli_optimizer_apply_fn_t)(sl_scope_t *scope, void *context, sl_gradients_t gradients,
                                                  const sl_apply_gradients_options_t *options);

// An optimizer that passes its gradients to |apply|(context). Its slots are those of |inner|. Owned by the scope.
sl_optimizer_t *sli_optimizer_wrap(sl_scope_t *scope, sl_optimizer_t *inner, sli_optimizer_apply_fn_t apply,
                                   void *context, bool takes_sparse);
// The context of a wrapper with |apply|; NULL for any other optimizer.
void *sli_optimizer_wrapper_context(const sl_optimizer_t *optimizer, sli_optimizer_apply_fn_t apply);

#endif  // SLI_TRAIN_OPTIMIZE_OPTIMIZER_INTERNAL_H_
