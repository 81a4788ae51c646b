// Regularizers: nodes that compute the loss of a variable's size, colocated with it.
#include <stdlib.h>

#include "train/graph/build.h"
#include "train/graph/variable.h"

// |scale| times the L1 or L2 loss of |value|, named after its scope.
static TF_Output term(sl_scope_t *scope, const char *name, double scale, TF_Output value, bool absolute) {
  TF_Output cost = {0};
  SL_NAME_SCOPE (scope, "%s", name) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output factor = sli_build_constant_fill(scope, sl_dtype(value), SL_SHAPE(), scale, "scale");
    TF_Output size = absolute ? sl_reduce(scope, "Sum", sl_unary(scope, "Abs", value, NULL), NULL)
                              : sl_unary(scope, "L2Loss", value, NULL);
    cost = sl_binary(scope, "Mul", whole, factor, size, NULL);
    free(whole);
  }
  return cost;
}

static TF_Output cost_of(sl_scope_t *scope, TF_Output value, sl_regularizer_t regularizer) {
  if (regularizer.l2 == 0) return term(scope, "l1_regularizer", regularizer.l1, value, true);
  if (regularizer.l1 == 0) return term(scope, "l2_regularizer", regularizer.l2, value, false);
  TF_Output cost = {0};
  SL_NAME_SCOPE (scope, "l1_l2_regularizer") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output terms[] = {term(scope, "l1_regularizer", regularizer.l1, value, true),
                         term(scope, "l2_regularizer", regularizer.l2, value, false)};
    cost = sli_build_add_n(scope, terms, 2, whole);
    free(whole);
  }
  return cost;
}

void sli_train_variable_regularize(sl_scope_t *scope, const sl_variable_info_t *variable,
                                   sl_regularizer_t regularizer) {
  if (regularizer.l1 == 0 && regularizer.l2 == 0) return;
  SL_BLOCK(sli_scope_enter_no_control(scope)) {
    SL_COLOCATE_WITH(scope, variable->reference.oper) {
      SL_NAME_SCOPE (scope, "%s/Regularizer/", variable->name) {
        sl_collection_add(scope, SL_REGULARIZATION_LOSSES, cost_of(scope, variable->value, regularizer));
      }
    }
  }
}
