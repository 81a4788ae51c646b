// Builds any node of the graph by the name of its op. The typed wrappers of ops.h
// use these functions.
//
//   sl_node_t *node = sl_node_begin(s, "Softplus", NULL);
//   sl_node_input(node, features);
//   TF_Output y = sl_node_output(node);
#ifndef SLUICE_NODE_H_
#define SLUICE_NODE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/scope.h"

SL_BEGIN_DECLS

typedef struct sl_node sl_node_t;

// Starts a node. |name|, made unique within the name scope; NULL: the op's name. A name that ends in '/' is used as it
// is: the node then has the name of the name scope that SL_NAME_SCOPE opened. Each node must be finished.
SL_EXPORT sl_node_t *sl_node_begin(sl_scope_t *scope, const char *op, const char *name);
// Adds inputs in the op's order. An empty input (the result of a call that failed, or a zeroed TF_Output) sets an error
// in the scope.
SL_EXPORT void sl_node_input(sl_node_t *node, TF_Output input);
SL_EXPORT void sl_node_input_list(sl_node_t *node, const TF_Output *inputs, size_t count);
SL_EXPORT void sl_node_control_input(sl_node_t *node, TF_Operation *operation);
SL_EXPORT void sl_node_attr_type(sl_node_t *node, const char *attr, TF_DataType value);
SL_EXPORT void sl_node_attr_type_list(sl_node_t *node, const char *attr, const TF_DataType *values, size_t count);
SL_EXPORT void sl_node_attr_int(sl_node_t *node, const char *attr, int64_t value);
SL_EXPORT void sl_node_attr_int_list(sl_node_t *node, const char *attr, const int64_t *values, size_t count);
SL_EXPORT void sl_node_attr_float(sl_node_t *node, const char *attr, float value);
SL_EXPORT void sl_node_attr_float_list(sl_node_t *node, const char *attr, const float *values, size_t count);
SL_EXPORT void sl_node_attr_bool(sl_node_t *node, const char *attr, bool value);
SL_EXPORT void sl_node_attr_text(sl_node_t *node, const char *attr, const char *value);
SL_EXPORT void sl_node_attr_text_list(sl_node_t *node, const char *attr, const char *const *values, size_t count);
SL_EXPORT void sl_node_attr_shape(sl_node_t *node, const char *attr, sl_shape_t value);
SL_EXPORT void sl_node_attr_shape_list(sl_node_t *node, const char *attr, const sl_shape_t *values, size_t count);
// A function of the graph, by name.
SL_EXPORT void sl_node_attr_function(sl_node_t *node, const char *attr, const char *name);
SL_EXPORT void sl_node_attr_function_list(sl_node_t *node, const char *attr, const char *const *names, size_t count);
SL_EXPORT void sl_node_attr_tensor(sl_node_t *node, const char *attr, TF_Tensor *value);
// Adds the node to the graph, with the device, control dependencies and colocation of the scope. NULL if the scope has
// an error. Releases |node| in any case.
SL_EXPORT TF_Operation *sl_node_finish(sl_node_t *node);
// Does the same and returns the first output.
SL_EXPORT TF_Output sl_node_output(sl_node_t *node);

// The type of an output: TF_FLOAT for a reference to a float, too. 0 if |output| is empty.
SL_EXPORT TF_DataType sl_dtype(TF_Output output);
// The shape of an output, as far as it is known while the graph is built.
SL_EXPORT sl_shape_t sl_static_shape(sl_scope_t *scope, TF_Output output);
// Whether an op of the graph may still hold a value of |output|'s node after the step that computed it or was fed with
// it: an op that stores the tensor itself (in a queue, a variable, a map) and reads it directly or through ops that
// pass their input on without a copy. If not, memory given to TF_NewTensor() and fed is free again after the step.
// No other thread may add to the graph meanwhile.
SL_EXPORT bool sl_outlives_step(TF_Output output);

SL_END_DECLS

#endif  // SLUICE_NODE_H_
