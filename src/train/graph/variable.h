// Creates, finds and changes variables, for optimizers, metrics and the saver. A
// variable is a reference variable; variables of imported MetaGraphs may be resource
// variables.
#ifndef SLI_TRAIN_GRAPH_VARIABLE_H_
#define SLI_TRAIN_GRAPH_VARIABLE_H_

#include "train/graph/scope.h"

// The slice of a partitioned variable that a part is.
typedef struct {
  const char *full_name;
  sl_shape_t full_shape;
  int64_t offsets[SL_MAX_RANK];
} sli_train_variable_slice_t;

// Like sl_get_variable_with, but |name| is the full name, and only the reuse of the variable scope applies. |slice| may
// be NULL.
TF_Output sli_train_variable_get(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                                 const sl_get_variable_options_t *options, const sli_train_variable_slice_t *slice);
// The same for a variable that options->partitioner splits.
TF_Output sli_train_variable_get_partitioned(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                                             const sl_get_variable_options_t *options);
// Adds the regularization loss of a new variable to SL_REGULARIZATION_LOSSES.
void sli_train_variable_regularize(sl_scope_t *scope, const sl_variable_info_t *variable, sl_regularizer_t regularizer);
// Like sl_initial_value, for a part of a variable of shape |whole|.
TF_Output sli_train_variable_initial_value(sl_scope_t *scope, sl_initializer_t initializer, TF_DataType dtype,
                                           sl_shape_t shape, sl_shape_t whole);

// The graph's step counter: the one in SL_GLOBAL_STEP, or the variable "global_step"; empty if there is none.
TF_Output sli_train_variable_find_global_step(sl_scope_t *scope);

// Creates a variable of zeros in the current name scope, as tf.Variable does with a function: always a new one, with a
// unique name. Not trainable.
TF_Output sli_train_variable_create_zeros(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                                          const char *const *collections, size_t count);
// Creates a variable that starts as |number|, with the node names of tf.Variable(number, name=name):
// "NAME/initial_value" and so on. Not trainable; added to |collection|.
TF_Output sli_train_variable_create_scalar(sl_scope_t *scope, const char *name, TF_DataType dtype, double number,
                                           const char *collection);
// The same, but a resource variable if |like| is one ("NAME/Initializer/initial_value").
TF_Output sli_train_variable_create_scalar_like(sl_scope_t *scope, const char *name, const sl_variable_info_t *like,
                                                TF_DataType dtype, double number, const char *collection);
// The slice of |part| in its whole variable; the full shape if it is not a part. Does not copy |full_name|.
sli_train_variable_slice_t sli_train_variable_slice(const sl_variable_info_t *part, const char *full_name);
// "10 3 0,4:0,3": the full shape, and the start and length of a part of |shape| in each dimension; "" without |slice|.
// New.
char *sli_train_variable_slice_format(const sli_train_variable_slice_t *slice, sl_shape_t shape);
// Registers a variable whose nodes are in the graph already. Copies |given| and its strings.
const sl_variable_info_t *sli_train_variable_import(sl_scope_t *scope, const sl_variable_info_t *given);
// Creates a slot of |primary|: "PRIMARY/NAME" (made unique, "PRIMARY/NAME_1"), with its shape and type, on its device.
TF_Output sli_train_variable_create_slot(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name,
                                         sl_initializer_t initializer);
// The same, of zeros, as a local variable: each task initialises its own, and none is saved.
TF_Output sli_train_variable_create_local_slot(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name);
// The first, with |initial_value|.
TF_Output sli_train_variable_create_slot_from(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name,
                                              TF_Output initial_value);
// Creates a slot of zeros for a value that is not a variable: "NODE/NAME", on the device of the scope.
TF_Output sli_train_variable_create_value_slot(sl_scope_t *scope, TF_Output value, const char *name);
// The variable with value |value|. If there is none, sets an error in the scope, which begins with |what|, and returns
// NULL.
const sl_variable_info_t *sli_train_variable_require(sl_scope_t *scope, TF_Output value, const char *what);
// Whether it is a resource variable, of an imported MetaGraph.
bool sli_train_variable_is_resource(const sl_variable_info_t *variable);
// Builds an Assign, AssignAdd or AssignSub (|op|): the operation, and the value after it.
typedef struct {
  TF_Operation *operation;
  TF_Output value;
} sli_train_variable_update_t;
sli_train_variable_update_t sli_train_variable_update(sl_scope_t *scope, const char *op,
                                                      const sl_variable_info_t *variable, TF_Output value,
                                                      const char *name, bool use_locking);
// The same; returns only the value.
TF_Output sli_train_variable_update_value(sl_scope_t *scope, const char *op, const sl_variable_info_t *variable,
                                          TF_Output value, const char *name, bool use_locking);

// Builds an AssignVariableOp.
TF_Operation *sli_train_variable_assign_resource(sl_scope_t *scope, TF_Output handle, TF_Output value,
                                                 const char *name);

// Builds a ScatterAdd or ScatterSub (|op|), which changes the rows |indices|.
TF_Operation *sli_train_variable_scatter(sl_scope_t *scope, const char *op, const sl_variable_info_t *variable,
                                         TF_Output indices, TF_Output rows, bool use_locking);
// The current value: for a resource variable a new node "ReadVariableOp", else the node that exists already.
TF_Output sli_train_variable_current_value(sl_scope_t *scope, const sl_variable_info_t *variable);
// A new node |name| (NULL: the op's name) that reads the value after the control dependencies of the scope.
TF_Output sli_train_variable_read_node(sl_scope_t *scope, const sl_variable_info_t *variable, const char *name);

#endif  // SLI_TRAIN_GRAPH_VARIABLE_H_
