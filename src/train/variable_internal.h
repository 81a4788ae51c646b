// Variables as the optimizers and the saver make and find them.
#ifndef SLI_TRAIN_VARIABLE_INTERNAL_H_
#define SLI_TRAIN_VARIABLE_INTERNAL_H_

#include "train/scope_internal.h"

// Which part of a partitioned variable a variable is.
typedef struct {
  const char *full_name;
  sl_shape_t full_shape;
  int64_t offsets[SL_MAX_RANK];
} sli_slice_t;

// sl_get_variable_with for the whole name |name|, with nothing of the variable scope but its reuse; |slice| may be
// NULL.
TF_Output sli_variable_get(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                           const sl_get_variable_options_t *options, const sli_slice_t *slice);
// The same for a variable that options->partitioner cuts.
TF_Output sli_variable_get_partitioned(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                                       const sl_get_variable_options_t *options);
// Adds the loss of a new variable's size to SL_REGULARIZATION_LOSSES.
void sli_variable_regularize(sl_scope_t *scope, const sl_variable_info_t *variable, sl_regularizer_t regularizer);
// sl_initial_value of a part of a variable of shape |whole|.
TF_Output sli_initial_value(sl_scope_t *scope, sl_initializer_t initializer, TF_DataType dtype, sl_shape_t shape,
                            sl_shape_t whole);

// The graph's step counter: of SL_GLOBAL_STEP, or a variable of that name; empty if there is none.
TF_Output sli_global_step_find(sl_scope_t *scope);

// A variable of zeros below the current name scope, as tf.Variable makes one of a function: made anew each time, under
// another name if need be. Not trainable.
TF_Output sli_variable_of_zeros(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                                const char *const *collections, size_t count);
// A variable that starts as |number|, named as tf.Variable(number, name=name): "NAME/initial_value" and so on.
// Not trainable, in |collection|.
TF_Output sli_variable_of_number(sl_scope_t *scope, const char *name, TF_DataType dtype, double number,
                                 const char *collection);
// The same, but a resource if |like| is one ("NAME/Initializer/initial_value").
TF_Output sli_variable_of_number_like(sl_scope_t *scope, const char *name, const sl_variable_info_t *like,
                                      TF_DataType dtype, double number, const char *collection);
// The place of |part| in its whole, of shape |part| itself if it is none. |full_name| must stay.
sli_slice_t sli_variable_slice(const sl_variable_info_t *part, const char *full_name);
// "10 3 0,4:0,3": the shape of the whole, where a part of |shape| starts and how long it is; "" without |slice|; new.
char *sli_variable_slice_text(const sli_slice_t *slice, sl_shape_t shape);
// Takes over a variable whose nodes are there already: |given| is copied, with its texts.
const sl_variable_info_t *sli_variable_adopt(sl_scope_t *scope, const sl_variable_info_t *given);
// A slot of |primary|: "PRIMARY/NAME" (made unique, "PRIMARY/NAME_1"), of its shape and type, on its device.
TF_Output sli_variable_slot(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name,
                            sl_initializer_t initializer);
// The same, starting as |initial_value| instead.
TF_Output sli_variable_slot_of(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name,
                               TF_Output initial_value);
// A slot of zeros for a value that is no variable's: "NODE/NAME", wherever the scope says.
TF_Output sli_value_slot(sl_scope_t *scope, TF_Output value, const char *name);
// The variable behind |value|; the scope's error, and NULL, if it is none.
const sl_variable_info_t *sli_variable_need(sl_scope_t *scope, TF_Output value, const char *what);
// Whether it came as a resource, with a MetaGraph.
bool sli_variable_is_resource(const sl_variable_info_t *variable);
// The operations that initialise the variables of a collection, grouped.
TF_Operation *sli_variables_initializer(sl_scope_t *scope, const char *collection, const char *name);
// Assign, AssignAdd, AssignSub without a search for the variable: the change, and the value that it has then.
typedef struct {
  TF_Operation *operation;
  TF_Output value;
} sli_change_t;
sli_change_t sli_variable_change(sl_scope_t *scope, const char *op, const sl_variable_info_t *variable, TF_Output value,
                                 const char *name, bool use_locking);
// The value alone.
TF_Output sli_variable_update(sl_scope_t *scope, const char *op, const sl_variable_info_t *variable, TF_Output value,
                              const char *name, bool use_locking);

// AssignVariableOp alone.
TF_Operation *sli_resource_assign(sl_scope_t *scope, TF_Output handle, TF_Output value, const char *name);

// ScatterAdd, ScatterSub: changes the rows |indices|.
TF_Operation *sli_variable_scatter(sl_scope_t *scope, const char *op, const sl_variable_info_t *variable,
                                   TF_Output indices, TF_Output rows, bool use_locking);
// The value now: of a resource a node "ReadVariableOp" of its own.
TF_Output sli_variable_now(sl_scope_t *scope, const sl_variable_info_t *variable);
// The value, read by a node |name| (NULL: the op's) that waits for what the scope says, wherever that is.
TF_Output sli_variable_look(sl_scope_t *scope, const sl_variable_info_t *variable, const char *name);

#endif  // SLI_TRAIN_VARIABLE_INTERNAL_H_
