// TensorArrays, with the nodes of tf.TensorArray. An array has no device: it is
// placed where the first value is written.
#include "train/graph/build_tensor_array.h"

#include <stdlib.h>

#include "train/graph/build.h"
#include "train/graph/scope.h"

sli_build_tensor_array_t sli_build_tensor_array_create(sl_scope_t *scope, TF_Output size, TF_DataType dtype,
                                                       sl_shape_t element_shape, const char *resource_name) {
  sli_build_tensor_array_t array = {.size = size, .dtype = dtype, .element_shape = element_shape};
  SL_DEVICE (scope, (const char *)NULL) {
    sl_node_t *node = sl_node_begin(scope, "TensorArrayV3", "TensorArray");
    sl_node_input(node, size);
    sl_node_attr_type(node, "dtype", dtype);
    sl_node_attr_shape(node, "element_shape", element_shape);
    sl_node_attr_bool(node, "identical_element_shapes", true);
    sl_node_attr_text(node, "tensor_array_name", resource_name);
    array.handle = sl_node_output(node);
  }
  array.flow = (TF_Output){array.handle.oper, 1};
  return array;
}

static TF_Output put(sl_scope_t *scope, const char *op, const sli_build_tensor_array_t *array, TF_Output where,
                     TF_Output value) {
  TF_Output flow = {0};
  if (!value.oper) return flow;
  SL_COLOCATE_WITH(scope, value.oper) {
    sl_node_t *node = sl_node_begin(scope, op, NULL);
    sl_node_input(node, array->handle);
    sl_node_input(node, where);
    sl_node_input(node, value);
    sl_node_input(node, array->flow);
    flow = sl_node_output(node);
  }
  return flow;
}

void sli_build_tensor_array_unstack(sl_scope_t *scope, sli_build_tensor_array_t *array, TF_Output value) {
  SL_NAME_SCOPE (scope, "TensorArrayUnstack") {
    TF_Output count = sli_build_element(scope, sli_build_shape(scope, value), 0);
    TF_Output indices = sli_build_range(scope, 0, count);
    SL_NAME_SCOPE (scope, "TensorArrayScatter") {
      array->flow = put(scope, "TensorArrayScatterV3", array, indices, value);
    }
  }
}

void sli_build_tensor_array_write(sl_scope_t *scope, sli_build_tensor_array_t *array, TF_Output index,
                                  TF_Output value) {
  SL_NAME_SCOPE (scope, "TensorArrayWrite") {
    array->flow = put(scope, "TensorArrayWriteV3", array, index, value);
  }
}

TF_Output sli_build_tensor_array_read(sl_scope_t *scope, const sli_build_tensor_array_t *array, TF_Output index) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayReadV3", NULL);
  sl_node_input(node, array->handle);
  sl_node_input(node, index);
  sl_node_input(node, array->flow);
  sl_node_attr_type(node, "dtype", array->dtype);
  return sl_node_output(node);
}

TF_Output sli_build_tensor_array_stack(sl_scope_t *scope, const sli_build_tensor_array_t *array) {
  TF_Output all = {0};
  if (!array->handle.oper) return all;
  SL_COLOCATE_WITH(scope, array->handle.oper) {
    SL_NAME_SCOPE (scope, "TensorArrayStack") {
      TF_Output indices = sli_build_range(scope, 0, array->size);
      sl_node_t *node = sl_node_begin(scope, "TensorArrayGatherV3", NULL);
      sl_node_input(node, array->handle);
      sl_node_input(node, indices);
      sl_node_input(node, array->flow);
      sl_node_attr_type(node, "dtype", array->dtype);
      sl_node_attr_shape(node, "element_shape", array->element_shape);
      all = sl_node_output(node);
    }
  }
  return all;
}
