// A node without its edges: op, attributes and types. Nodes of a graph embed it;
// kernels, shape functions and gradients read it. Immutable once built.
#ifndef SLI_CORE_OP_NODE_DEF_H_
#define SLI_CORE_OP_NODE_DEF_H_

#include "core/op/attr.h"

typedef struct sli_op sli_op_t;

typedef struct {
  const char *name;
  const sli_op_t *op;
  const char *device;             // as requested, "" if none
  const sli_attr_entry_t *attrs;  // defaults filled in
  size_t attr_count;
  int input_count, output_count;
  const sli_dtype_t *input_types;  // as the op declares them: reference types included
  const sli_dtype_t *output_types;
} sli_node_def_t;

const sli_attr_t *sli_node_attr(const sli_node_def_t *node, const char *name);  // NULL: absent

// Typed getters. NOT_FOUND or INVALID_ARGUMENT, with the names of attribute and node.
sli_status_t *sli_node_attr_int(const sli_node_def_t *node, const char *name, int64_t *out_value);
sli_status_t *sli_node_attr_float(const sli_node_def_t *node, const char *name, float *out_value);
sli_status_t *sli_node_attr_bool(const sli_node_def_t *node, const char *name, bool *out_value);
sli_status_t *sli_node_attr_type(const sli_node_def_t *node, const char *name, sli_dtype_t *out_value);
sli_status_t *sli_node_attr_string(const sli_node_def_t *node, const char *name, sli_view_t *out_value);
sli_status_t *sli_node_attr_shape(const sli_node_def_t *node, const char *name, sli_shape_t *out_value);
sli_status_t *sli_node_attr_tensor(const sli_node_def_t *node, const char *name, sli_tensor_t **out_borrowed);
// The list, whose elements are of |kind|.
sli_status_t *sli_node_attr_list(const sli_node_def_t *node, const char *name, sli_attr_kind_t kind,
                                 const sli_attr_t **out_list);

#endif  // SLI_CORE_OP_NODE_DEF_H_
