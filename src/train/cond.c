// Conditionals. Each branch is built in a context of its own, which hands values
// from outside on only if the branch is taken; a Merge takes what is alive.
#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/flow_internal.h"
#include "train/ops_internal.h"
#include "train/options_internal.h"
#include "train/tensor.h"

static void build_branch(sl_scope_t *scope, sl_branch_t branch, void *data, TF_Output pred, int number, TF_Output pivot,
                         TF_Output *out_results, size_t count) {
  sli_flow_t *flow = sli_flow_create_branch(scope, pred, number, pivot);
  SL_BLOCK(sli_flow_enter(scope, flow)) {
    branch(scope, data, out_results);
    for (size_t i = 0; i < count && sli_scope_ok(scope); i++) {
      if (!out_results[i].oper)
        sl_scope_fail(scope, TF_INVALID_ARGUMENT, "result %zu of the branch for '%s' is empty", i,
                      number ? "true" : "false");
      else if (out_results[i].index < 0)
        out_results[i] = sli_after(scope, &out_results[i].oper, 1, pivot);
      else
        out_results[i] = sli_flow_bring(scope, flow, out_results[i]);
    }
  }
}

static TF_Output merge(sl_scope_t *scope, TF_Output no, TF_Output yes) {
  if (sl_dtype(yes) != sl_dtype(no)) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "Outputs of the two branches must have the same type. '%s' is %s where pred is true, '%s' is %s "
                  "where it is false.",
                  TF_OperationName(yes.oper), sli_type_name(sl_dtype(yes)), TF_OperationName(no.oper),
                  sli_type_name(sl_dtype(no)));
    return (TF_Output){0};
  }
  bool references = sli_flow_is_reference(no) && sli_flow_is_reference(yes);
  sl_node_t *node = sl_node_begin(scope, references ? "RefMerge" : "Merge", NULL);
  sl_node_input_list(node, (TF_Output[]){no, yes}, 2);
  return sl_node_output(node);
}

static void check_arguments(sl_scope_t *scope, TF_Output pred, size_t count) {
  if (!pred.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the condition of a conditional is empty");
  if (pred.oper && sl_dtype(pred) != TF_BOOL)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the condition of a conditional must be a bool, but '%s' is %s",
                  TF_OperationName(pred.oper), sli_type_name(sl_dtype(pred)));
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "a conditional needs a result at least");
}

sl_outputs_t sl_cond_with(sl_scope_t *scope, TF_Output pred, sl_branch_t yes, sl_branch_t no, void *data, size_t count,
                          const sl_op_options_t *given) {
  SLI_READ_OPTIONS(sl_op_options_t, options, given);
  check_arguments(scope, pred, count);
  TF_Output *results = sli_calloc(3 * count, sizeof(*results)), *other = results + count, *merged = other + count;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "cond") {
    TF_Output route = sl_binary(scope, "Switch", "Switch", pred, pred, NULL);
    TF_Output pivots[2];
    pivots[1] = sl_unary(scope, "Identity", (TF_Output){route.oper, 1}, SL_OP_OPTIONS(.name = "switch_t"));
    pivots[0] = sl_unary(scope, "Identity", route, SL_OP_OPTIONS(.name = "switch_f"));
    TF_Output id = sl_unary(scope, "Identity", pred, SL_OP_OPTIONS(.name = "pred_id"));
    if (sli_scope_ok(scope)) build_branch(scope, yes, data, id, 1, pivots[1], results, count);
    if (sli_scope_ok(scope)) build_branch(scope, no, data, id, 0, pivots[0], other, count);
    for (size_t i = 0; i < count && sli_scope_ok(scope); i++) merged[i] = merge(scope, other[i], results[i]);
  }
  sl_outputs_t outputs = sli_scope_outputs(scope, merged, count);
  free(results);
  return outputs;
}
