// Building any node of the graph, op by name: what the typed wrappers of ops.h
// stand on, and the way to ops that have none.
//
//   sl_node_t *node = sl_node_begin(s, "Softplus", NULL);
//   sl_node_input(node, features);
//   TF_Output y = sl_node_output(node);
#ifndef SLUICE_NODE_H_
#define SLUICE_NODE_H_

#include "sluice/scope.h"

SL_BEGIN_DECLS

typedef struct sl_node sl_node_t;

// Starts a node. |name|: NULL for the op's own name; made unique within the scope; if it ends in '/', it is the
// name of the scope that SL_NAME_SCOPE opened, and taken as it is. Each node begun must be finished.
SL_EXPORT sl_node_t *sl_node_begin(sl_scope_t *scope, const char *op, const char *name);
// Inputs in the op's order; an empty one (of a call that failed or was never made) is an error of the scope.
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
SL_EXPORT void sl_node_attr_tensor(sl_node_t *node, const char *attr, TF_Tensor *value);
// Adds the node to the graph, under the device, the control dependencies and the colocation of its scope; NULL when
// the scope has an error. Releases |node| in any case.
SL_EXPORT TF_Operation *sl_node_finish(sl_node_t *node);
// The same; returns its first output.
SL_EXPORT TF_Output sl_node_output(sl_node_t *node);

// The type of an output, without the mark of a reference; 0 if it is empty.
SL_EXPORT TF_DataType sl_dtype(TF_Output output);
// What is known of an output's shape.
SL_EXPORT sl_shape_t sl_static_shape(sl_scope_t *scope, TF_Output output);

SL_END_DECLS

#endif  // SLUICE_NODE_H_
