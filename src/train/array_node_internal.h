// A TensorArray of the graph: as many tensors of one type as its size says,
// written and read by index. What orders the writes and reads is the flow, a
// scalar that each write takes and gives anew.
#ifndef SLI_TRAIN_ARRAY_NODE_INTERNAL_H_
#define SLI_TRAIN_ARRAY_NODE_INTERNAL_H_

#include "sluice/node.h"

typedef struct {
  TF_Output handle, flow, size;
  TF_DataType dtype;
  sl_shape_t element_shape;
} sli_array_node_t;

sli_array_node_t sli_array_node_create(sl_scope_t *scope, TF_Output size, TF_DataType dtype, sl_shape_t element_shape,
                                       const char *resource_name);
// Write all of |value|, cut along its first dimension; and one. Both set the flow.
void sli_array_node_unstack(sl_scope_t *scope, sli_array_node_t *array, TF_Output value);
void sli_array_node_write(sl_scope_t *scope, sli_array_node_t *array, TF_Output index, TF_Output value);
// One, and all of them on top of each other.
TF_Output sli_array_node_read(sl_scope_t *scope, const sli_array_node_t *array, TF_Output index);
TF_Output sli_array_node_stack(sl_scope_t *scope, const sli_array_node_t *array);

#endif  // SLI_TRAIN_ARRAY_NODE_INTERNAL_H_
