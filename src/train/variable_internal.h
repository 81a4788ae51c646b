// Variables as the optimizers and the saver make and find them.
#ifndef SLI_TRAIN_VARIABLE_INTERNAL_H_
#define SLI_TRAIN_VARIABLE_INTERNAL_H_

#include "train/scope_internal.h"

// A variable that starts as |number|, named as tf.Variable(number, name=name): "NAME/initial_value" and so on.
// Not trainable, in SL_GLOBAL_VARIABLES.
TF_Output sli_variable_of_number(sl_scope_t *scope, const char *name, TF_DataType dtype, double number);
// A slot of |primary|: "PRIMARY/NAME" (made unique, "PRIMARY/NAME_1"), of its shape and type, on its device.
TF_Output sli_variable_slot(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name,
                            sl_initializer_t initializer);
// The variable behind |value|; the scope's error, and NULL, if it is none.
const sl_variable_info_t *sli_variable_need(sl_scope_t *scope, TF_Output value, const char *what);
// The operations that initialise the variables of a collection, grouped.
TF_Operation *sli_variables_initializer(sl_scope_t *scope, const char *collection, const char *name);
// Assign, AssignAdd, … without a search for the variable.
TF_Output sli_variable_update(sl_scope_t *scope, const char *op, const sl_variable_info_t *variable, TF_Output value,
                              const char *name, bool use_locking);

#endif  // SLI_TRAIN_VARIABLE_INTERNAL_H_
