// Builds the nodes of tf.report_uninitialized_variables, including those of
// tf.boolean_mask.
#include "sluice/node.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"
#include "train/session/scaffold.h"

static TF_Output int32_constant(sl_scope_t *scope, int32_t value, const char *name) {
  return sl_constant_with(scope, TF_INT32, SL_SHAPE(1), &value, SL_OP_OPTIONS(.name = name));
}

static TF_Output product(sl_scope_t *scope, TF_Output vector) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "Prod") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output axes = int32_constant(scope, 0, "reduction_indices");
    sl_node_t *node = sl_node_begin(scope, "Prod", whole);
    sl_node_input(node, vector);
    sl_node_input(node, axes);
    result = sl_node_output(node);
    free(whole);
  }
  return result;
}

// The shape of the values with the masked dimensions flattened.
static TF_Output flat_shape(sl_scope_t *scope, int32_t count) {
  TF_Output shape = int32_constant(scope, count, "Shape");
  TF_Output elements =
      product(scope, sli_build_strided_slice(scope, shape, &(sli_build_slice_t){.axes = 1, .end = {1}}));
  TF_Output before = sli_build_strided_slice(scope, int32_constant(scope, count, "Shape_1"),
                                             &(sli_build_slice_t){.axes = 1, .begin_mask = 1});
  TF_Output after = sli_build_strided_slice(scope, int32_constant(scope, count, "Shape_2"),
                                            &(sli_build_slice_t){.axes = 1, .begin = {1}, .end_mask = 1});
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "concat") {
    result = sli_build_concat_here(scope, (TF_Output[]){before, sli_build_pack(scope, &elements, 1, "values_1"), after},
                                   3, 0);
  }
  return result;
}

// tf.boolean_mask of two vectors of |count|.
static TF_Output boolean_mask(sl_scope_t *scope, TF_Output values, TF_Output mask, int32_t count) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "boolean_mask") {
    TF_Output flat = sl_binary(scope, "Reshape", "Reshape", values, flat_shape(scope, count), NULL);
    TF_Output flat_mask = {0};
    SL_NAME_SCOPE (scope, "Reshape_1") {
      char *whole = sli_build_scope_node_name(scope);
      flat_mask = sl_binary(scope, "Reshape", whole, mask, int32_constant(scope, -1, "shape"), NULL);
      free(whole);
    }
    TF_Output where = sl_unary(scope, "Where", flat_mask, NULL);
    result = sli_build_gather_rows(scope, flat, sli_build_squeeze(scope, where, 1), NULL);
  }
  return result;
}

TF_Output sli_scaffold_report_uninitialized_variables(sl_scope_t *scope, const TF_Output *variables, size_t count) {
  TF_Output result = {0};
  TF_Output *initialized = sli_calloc(count, sizeof(*initialized));
  const char **names = sli_calloc(count, sizeof(*names));
  SL_NAME_SCOPE (scope, "report_uninitialized_variables") {
    for (size_t i = 0; i < count; i++) {
      const sl_variable_info_t *info =
          sli_train_variable_require(scope, variables[i], "report_uninitialized_variables");
      if (!info) break;
      names[i] = info->name;
      if (sli_train_variable_is_resource(info)) {
        initialized[i] = sl_unary(scope, "VarIsInitializedOp", info->reference, NULL);
        continue;
      }
      SL_COLOCATE_WITH(scope, info->reference.oper) {
        initialized[i] = sl_unary(scope, "IsVariableInitialized", info->reference, NULL);
      }
    }
    if (sli_scope_ok(scope)) {
      SL_DEVICE (scope, "/device:CPU:0") {
        if (count) {
          TF_Output mask = sl_unary(scope, "LogicalNot", sli_build_pack(scope, initialized, count, "stack"), NULL);
          TF_Output all = sl_texts_with(scope, names, count, NULL);
          result = boolean_mask(scope, all, mask, (int32_t)count);
        } else {
          result = sl_texts_with(scope, NULL, 0, NULL);
        }
      }
    }
  }
  free(names);
  free(initialized);
  return result;
}
