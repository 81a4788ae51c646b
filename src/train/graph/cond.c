// Conditionals. Each branch is built in its own context, which passes values from
// outside only if the branch is taken. A Merge takes the result of that branch.
#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/flow.h"

static void build_branch(sl_scope_t *scope, sl_branch_t branch, void *data, TF_Output pred, int number, TF_Output pivot,
                         TF_Output *out_results, size_t count) {
  sli_flow_t *flow = sli_flow_create_branch(scope, pred, number, pivot);
  SL_BLOCK(sli_flow_enter(scope, flow)) {
    const char *file = scope->file;
    int line = scope->line;
    branch(scope, data, out_results);
    sl_scope_at(scope, file, line);
    for (size_t i = 0; i < count && sli_scope_ok(scope); i++) {
      if (!out_results[i].oper)
        sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_cond: result %zu of the branch for '%s' must not be empty", i,
                      number ? "true" : "false");
      else if (out_results[i].index < 0)
        out_results[i] = sli_build_after(scope, &out_results[i].oper, 1, pivot);
      else
        out_results[i] = sli_flow_capture_value(scope, flow, out_results[i]);
    }
  }
}

static TF_Output merge_branches(sl_scope_t *scope, TF_Output no, TF_Output yes) {
  if (sl_dtype(yes) != sl_dtype(no)) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "Outputs of the two branches must have the same type. '%s' is %s where pred is true, '%s' is %s "
                  "where it is false.",
                  TF_OperationName(yes.oper), sli_tf_type_name(sl_dtype(yes)), TF_OperationName(no.oper),
                  sli_tf_type_name(sl_dtype(no)));
    return (TF_Output){0};
  }
  bool references = sli_tf_output_is_reference(no) && sli_tf_output_is_reference(yes);
  sl_node_t *node = sl_node_begin(scope, references ? "RefMerge" : "Merge", NULL);
  sl_node_input_list(node, (TF_Output[]){no, yes}, 2);
  return sl_node_output(node);
}

static void check_cond_arguments(sl_scope_t *scope, TF_Output pred, size_t count) {
  if (!pred.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_cond: pred must not be empty");
  if (pred.oper && sl_dtype(pred) != TF_BOOL)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_cond: pred must be a bool, but '%s' is %s",
                  TF_OperationName(pred.oper), sli_tf_type_name(sl_dtype(pred)));
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_cond: count must be at least 1, got 0");
}

sl_outputs_t sl_cond_with(sl_scope_t *scope, TF_Output pred, sl_branch_t yes, sl_branch_t no, void *data, size_t count,
                          const sl_op_options_t *given) {
  SLI_CALL_OPTIONS(sl_op_options_t, options, given);
  check_cond_arguments(scope, pred, count);
  TF_Output *results = sli_calloc(3 * count, sizeof(*results)), *other = results + count, *merged = other + count;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "cond") {
    TF_Output route = sl_binary(scope, "Switch", "Switch", pred, pred, NULL);
    TF_Output pivots[2];
    pivots[1] = sl_unary(scope, "Identity", (TF_Output){route.oper, 1}, SL_OP_OPTIONS(.name = "switch_t"));
    pivots[0] = sl_unary(scope, "Identity", route, SL_OP_OPTIONS(.name = "switch_f"));
    TF_Output id = sl_unary(scope, "Identity", pred, SL_OP_OPTIONS(.name = "pred_id"));
    if (sli_scope_ok(scope)) build_branch(scope, yes, data, id, 1, pivots[1], results, count);
    if (sli_scope_ok(scope)) build_branch(scope, no, data, id, 0, pivots[0], other, count);
    for (size_t i = 0; i < count && sli_scope_ok(scope); i++) merged[i] = merge_branches(scope, other[i], results[i]);
  }
  sl_outputs_t outputs = sli_scope_copy_outputs(scope, merged, count);
  free(results);
  return outputs;
}
