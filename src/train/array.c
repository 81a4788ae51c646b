// Slices, ranges, gathers and what waits: small groups of nodes that the layers build with,
// constants included, as the functions of TensorFlow's Python library make them.
#include <stdlib.h>

#include "train/ops_internal.h"
#include "train/scope_internal.h"
#include "train/tensor.h"

TF_Output sli_strided_slice(sl_scope_t *scope, TF_Output x, const sli_cut_t *slice) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "strided_slice") {
    char *whole = sli_scope_own_name(scope);
    static const int32_t steps[SLI_CUT_AXES] = {1, 1};
    TF_Output begin = sli_constant_int32s(scope, slice->begin, slice->axes, "stack");
    TF_Output end = sli_constant_int32s(scope, slice->end, slice->axes, "stack_1");
    TF_Output stride = sli_constant_int32s(scope, steps, slice->axes, "stack_2");
    sl_node_t *node = sl_node_begin(scope, "StridedSlice", whole);
    sl_node_input(node, x);
    sl_node_input(node, begin);
    sl_node_input(node, end);
    sl_node_input(node, stride);
    sl_node_attr_int(node, "begin_mask", slice->begin_mask);
    sl_node_attr_int(node, "end_mask", slice->end_mask);
    sl_node_attr_int(node, "shrink_axis_mask", slice->shrink_mask);
    result = sl_node_output(node);
    free(whole);
  }
  return result;
}

TF_Output sli_item(sl_scope_t *scope, TF_Output x, int index) {
  return sli_strided_slice(scope, x, &(sli_cut_t){.axes = 1, .begin = {index}, .end = {index + 1}, .shrink_mask = 1});
}

TF_Output sli_expand_dims(sl_scope_t *scope, TF_Output x, int axis) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "ExpandDims") {
    char *whole = sli_scope_own_name(scope);
    TF_Output dim = sli_constant_fill(scope, TF_INT32, SL_SHAPE(), axis, "dim");
    result = sl_binary(scope, "ExpandDims", whole, x, dim, NULL);
    free(whole);
  }
  return result;
}

TF_Output sli_squeeze(sl_scope_t *scope, TF_Output x, int axis) {
  sl_node_t *node = sl_node_begin(scope, "Squeeze", NULL);
  sl_node_input(node, x);
  sl_node_attr_int_list(node, "squeeze_dims", (const int64_t[]){axis}, 1);
  return sl_node_output(node);
}

// |limit| empty: |number|.
static TF_Output range_node(sl_scope_t *scope, int start, TF_Output limit, int32_t number) {
  TF_Output range = {0};
  SL_NAME_SCOPE (scope, "range") {
    char *whole = sli_scope_own_name(scope);
    TF_Output first = sli_constant_fill(scope, TF_INT32, SL_SHAPE(), start, "start");
    if (!limit.oper) limit = sli_constant_fill(scope, TF_INT32, SL_SHAPE(), number, "limit");
    TF_Output delta = sli_constant_fill(scope, TF_INT32, SL_SHAPE(), 1, "delta");
    sl_node_t *node = sl_node_begin(scope, "Range", whole);
    sl_node_input(node, first);
    sl_node_input(node, limit);
    sl_node_input(node, delta);
    range = sl_node_output(node);
    free(whole);
  }
  return range;
}

TF_Output sli_range(sl_scope_t *scope, int start, TF_Output limit) {
  if (!limit.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the limit of a range is empty");
  return range_node(scope, start, limit, 0);
}

TF_Output sli_range_to(sl_scope_t *scope, int32_t limit) { return range_node(scope, 0, (TF_Output){0}, limit); }

TF_Output sli_pack(sl_scope_t *scope, const TF_Output *values, size_t count, const char *name) {
  sl_node_t *node = sl_node_begin(scope, "Pack", name ? name : "stack");
  sl_node_input_list(node, values, count);
  return sl_node_output(node);
}

TF_Output sli_gather_rows(sl_scope_t *scope, TF_Output params, TF_Output indices, const char *name) {
  TF_Output rows = {0};
  SL_NAME_SCOPE (scope, "%s", name ? name : "GatherV2") {
    char *whole = sli_scope_own_name(scope);
    TF_Output axis = sli_constant_fill(scope, TF_INT32, SL_SHAPE(), 0, "axis");
    sl_node_t *node = sl_node_begin(scope, "GatherV2", whole);
    sl_node_input(node, params);
    sl_node_input(node, indices);
    sl_node_input(node, axis);
    rows = sl_node_output(node);
    free(whole);
  }
  return rows;
}

TF_Output sli_shape_node(sl_scope_t *scope, TF_Output x) {
  sl_shape_t shape = sl_static_shape(scope, x);
  if (sli_shape_elements(shape) < 0) return sl_shape_of_with(scope, x, NULL);
  int32_t dims[SL_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) dims[i] = (int32_t)shape.dims[i];
  return sli_constant_int32s(scope, dims, (size_t)shape.rank, "Shape");
}

TF_Output sli_after(sl_scope_t *scope, TF_Operation *const *operations, size_t count, TF_Output output) {
  TF_Output result = {0};
  if (!output.oper) return result;
  SL_COLOCATE_WITH(scope, output.oper) {
    SL_BLOCK(sl_control_dependencies_enter(scope, operations, count)) {
      result = sl_unary(scope, "Identity", output, SL_OP_OPTIONS(.name = "control_dependency"));
    }
  }
  return result;
}

void sli_set_shape(sl_scope_t *scope, TF_Output value, sl_shape_t shape) {
  if (!value.oper || shape.rank < 0) return;
  TF_Status *status = TF_NewStatus();
  TF_GraphSetTensorShape(scope->graph, value, shape.dims, shape.rank, status);
  sli_scope_check_tf(scope, status, TF_OperationName(value.oper));
}
