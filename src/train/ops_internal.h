// Parts of ops that other files of the training layer build with.
#ifndef SLI_TRAIN_OPS_INTERNAL_H_
#define SLI_TRAIN_OPS_INTERNAL_H_

#include "sluice/math.h"

// A Const with |number| in every element.
TF_Output sli_constant_fill(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, double number, const char *name);
// "SCOPE/": the name that makes a node the one its name scope is named after; new.
char *sli_scope_own_name(sl_scope_t *scope);

#endif  // SLI_TRAIN_OPS_INTERNAL_H_
