// Nodes of a TensorArray: an array of tensors of one type in the graph, written and
// read by index. The flow, a scalar that each write takes as input and returns,
// orders the writes before the reads.
#ifndef SLI_TRAIN_GRAPH_BUILD_TENSOR_ARRAY_H_
#define SLI_TRAIN_GRAPH_BUILD_TENSOR_ARRAY_H_

#include "sluice/node.h"

typedef struct {
  TF_Output handle, flow, size;
  TF_DataType dtype;
  sl_shape_t element_shape;
} sli_build_tensor_array_t;

sli_build_tensor_array_t sli_build_tensor_array_create(sl_scope_t *scope, TF_Output size, TF_DataType dtype,
                                                       sl_shape_t element_shape, const char *resource_name);
// Write all rows of |value|, and one element. Both update the flow.
void sli_build_tensor_array_unstack(sl_scope_t *scope, sli_build_tensor_array_t *array, TF_Output value);
void sli_build_tensor_array_write(sl_scope_t *scope, sli_build_tensor_array_t *array, TF_Output index, TF_Output value);
// Read one element, and all elements stacked.
TF_Output sli_build_tensor_array_read(sl_scope_t *scope, const sli_build_tensor_array_t *array, TF_Output index);
TF_Output sli_build_tensor_array_stack(sl_scope_t *scope, const sli_build_tensor_array_t *array);

#endif  // SLI_TRAIN_GRAPH_BUILD_TENSOR_ARRAY_H_
