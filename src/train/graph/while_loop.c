// While loops. A loop variable passes through five nodes. The back edge is built
// last, when the value for the next iteration is known:
//
//   Enter → Merge → [condition] → LoopCond → Switch → Identity → [body] → NextIteration ⤴ Merge
//                                              ↳ Exit
#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/flow.h"

typedef struct {
  sl_scope_t *scope;
  const sl_while_loop_options_t *options;
  sl_loop_condition_t condition;
  sl_loop_body_t body;
  void *data;
  size_t count;  // of all variables, including the iteration counter, which is the first
  bool counted;
  sli_flow_t *flow;
  TF_Output *initial, *merges, *switches, *values, *next, *results;
} loop_t;

// --- Checks ---

// Whether |shape| matches every known dimension of |invariant|.
static bool is_as_specific(sl_shape_t shape, sl_shape_t invariant) {
  if (invariant.rank < 0) return true;
  bool fits = shape.rank == invariant.rank;
  for (int i = 0; i < invariant.rank && fits; i++) fits = invariant.dims[i] < 0 || shape.dims[i] == invariant.dims[i];
  return fits;
}

static sl_shape_t invariant_of(const loop_t *loop, size_t index) {
  size_t own = index - loop->counted;
  if (loop->options->shape_invariants && index >= loop->counted) return loop->options->shape_invariants[own];
  return sl_static_shape(loop->scope, loop->initial[index]);
}

static void check_entry(const loop_t *loop, TF_Output value, sl_shape_t invariant) {
  sl_shape_t shape = sl_static_shape(loop->scope, value);
  if (is_as_specific(shape, invariant)) return;
  char *enters = sli_tf_shape_format(shape), *wanted = sli_tf_shape_format(invariant);
  sl_scope_fail(loop->scope, TF_INVALID_ARGUMENT,
                "The shape invariant specified for %s is not compatible with the initial shape of the loop variable. "
                "It enters the loop with shape %s, but the specified shape invariant is %s.",
                TF_OperationName(value.oper), enters, wanted);
  free(enters);
  free(wanted);
}

static void check_next_value(const loop_t *loop, size_t index, TF_Output next) {
  const char *name = TF_OperationName(loop->initial[index].oper);
  if (sl_dtype(next) != sl_dtype(loop->merges[index]))
    sl_scope_fail(loop->scope, TF_INVALID_ARGUMENT, "'%s' enters the loop as %s, but is %s after one iteration.", name,
                  sli_tf_type_name(sl_dtype(loop->merges[index])), sli_tf_type_name(sl_dtype(next)));
  sl_shape_t shape = sl_static_shape(loop->scope, next);
  if (is_as_specific(shape, sl_static_shape(loop->scope, loop->merges[index]))) return;
  char *before = sli_tf_shape_format(sl_static_shape(loop->scope, loop->initial[index])),
       *after = sli_tf_shape_format(shape);
  sl_scope_fail(loop->scope, TF_INVALID_ARGUMENT,
                "Input tensor '%s' enters the loop with shape %s, but has shape %s after one iteration. To allow the "
                "shape to vary across iterations, use .shape_invariants to specify a less-specific shape.",
                name, before, after);
  free(before);
  free(after);
}

// --- Building ---

static void enter_variables(loop_t *loop) {
  sl_scope_t *scope = loop->scope;
  TF_Output *real = loop->results;  // free until the end
  for (size_t i = 0; i < loop->count; i++) real[i] = sli_flow_capture_value(scope, loop->flow->outer, loop->initial[i]);
  for (size_t i = 0; i < loop->count && sli_scope_ok(scope); i++) {
    sl_shape_t invariant = invariant_of(loop, i);
    check_entry(loop, real[i], invariant);
    loop->values[i] = sli_flow_build_enter(scope, loop->flow, real[i], false);
    sli_array_push(&loop->flow->enters, loop->values[i]);
    sli_build_set_shape(scope, loop->values[i], invariant);
  }
}

// The entry value is used for both inputs until the back edge exists.
static TF_Output merge_entry(sl_scope_t *scope, TF_Output entered) {
  sl_node_t *node = sl_node_begin(scope, "Merge", NULL);
  sl_node_input_list(node, (TF_Output[]){entered, entered}, 2);
  return sl_node_output(node);
}

static TF_Output condition_of(const loop_t *loop) {
  TF_Output under_limit = {0};
  if (loop->counted)
    under_limit = sl_binary(loop->scope, "Less", "Less", loop->merges[0], loop->options->maximum_iterations, NULL);
  const char *file = loop->scope->file;
  int line = loop->scope->line;
  TF_Output more = loop->condition(loop->scope, loop->data, loop->merges + loop->counted);
  sl_scope_at(loop->scope, file, line);
  if (loop->counted) more = sl_binary(loop->scope, "LogicalAnd", "LogicalAnd", under_limit, more, NULL);
  if (more.oper && sl_dtype(more) != TF_BOOL)
    sl_scope_fail(loop->scope, TF_INVALID_ARGUMENT, "sl_while_loop: the condition must be a bool, but '%s' is %s",
                  TF_OperationName(more.oper), sli_tf_type_name(sl_dtype(more)));
  return more;
}

static void close_variable(loop_t *loop, size_t index) {
  sl_scope_t *scope = loop->scope;
  TF_Output next = sl_unary(scope, "NextIteration", loop->next[index], NULL);
  if (!sli_scope_ok(scope)) return;
  check_next_value(loop, index, next);
  if (!sli_scope_ok(scope)) return;
  TF_Status *status = TF_NewStatus();
  TF_UpdateEdge(scope->graph, next, (TF_Input){loop->merges[index].oper, 1}, status);
  sli_scope_check_tf(scope, status, TF_OperationName(next.oper));
}

static void build_loop(loop_t *loop) {
  sl_scope_t *scope = loop->scope;
  enter_variables(loop);
  SL_BLOCK(sli_flow_enter(scope, loop->flow)) {
    for (size_t i = 0; i < loop->count; i++) loop->merges[i] = merge_entry(scope, loop->values[i]);
    loop->flow->first_merge = loop->merges[0];
    loop->flow->pivot = loop->merges[0].oper;
    TF_Output pivot = loop->flow->loop_cond = sl_unary(scope, "LoopCond", condition_of(loop), NULL);
    for (size_t i = 0; i < loop->count; i++) loop->switches[i] = sli_flow_build_switch(scope, loop->merges[i], pivot);
    for (size_t i = 0; i < loop->count; i++)
      loop->values[i] = sl_unary(scope, "Identity", (TF_Output){loop->switches[i].oper, 1}, NULL);
    loop->flow->first_value = loop->values[0];
    loop->flow->pivot = loop->values[0].oper;
    if (loop->counted) loop->next[0] = sli_build_number_right(scope, "AddV2", "add", loop->values[0], 1);
    const char *file = scope->file;
    int line = scope->line;
    if (sli_scope_ok(scope)) loop->body(scope, loop->data, loop->values + loop->counted, loop->next + loop->counted);
    sl_scope_at(scope, file, line);
    for (size_t i = 0; i < loop->count; i++) close_variable(loop, i);
    for (size_t i = 0; i < loop->count; i++) {
      loop->results[i] = sl_unary(scope, "Exit", loop->switches[i], NULL);
      sli_array_push(&loop->flow->exits, loop->results[i]);
    }
  }
  for (size_t i = 0; i < loop->count && loop->options->no_back_prop; i++)
    loop->results[i] = sl_unary(scope, "StopGradient", loop->results[i], NULL);
}

// --- The call ---

static void check_loop_arguments(sl_scope_t *scope, sl_outputs_t variables, const sl_while_loop_options_t *options) {
  if (!variables.count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_while_loop: variables must hold at least 1 output, got 0");
  for (size_t i = 0; i < variables.count; i++)
    if (!variables.items[i].oper)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_while_loop: variable %zu must not be empty", i);
  if (options->parallel_iterations < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "'parallel_iterations' must be a positive integer: %d",
                  options->parallel_iterations);
  if (!options->maximum_iterations.oper) return;
  TF_DataType dtype = sl_dtype(options->maximum_iterations);
  if (sl_static_shape(scope, options->maximum_iterations).rank > 0 || (dtype != TF_INT32 && dtype != TF_INT64))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "sl_while_loop: maximum_iterations must be a scalar int32 or int64, but '%s' is %s of rank %d",
                  TF_OperationName(options->maximum_iterations.oper), sli_tf_type_name(dtype),
                  sl_static_shape(scope, options->maximum_iterations).rank);
}

sl_outputs_t sl_while_loop_with(sl_scope_t *scope, sl_loop_condition_t condition, sl_loop_body_t body, void *data,
                                sl_outputs_t variables, const sl_while_loop_options_t *given) {
  SLI_CALL_OPTIONS(sl_while_loop_options_t, options, given);
  check_loop_arguments(scope, variables, &options);
  bool counted = options.maximum_iterations.oper != NULL;
  size_t count = variables.count + counted;
  TF_Output *all = sli_calloc(6 * count, sizeof(*all));
  loop_t loop = {.scope = scope,
                 .options = &options,
                 .condition = condition,
                 .body = body,
                 .data = data,
                 .count = count,
                 .counted = counted,
                 .initial = all,
                 .merges = all + count,
                 .switches = all + 2 * count,
                 .values = all + 3 * count,
                 .next = all + 4 * count,
                 .results = all + 5 * count};
  for (size_t i = 0; i < variables.count; i++) loop.initial[i + counted] = variables.items[i];
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "while") {
    if (counted)
      loop.initial[0] =
          sl_scalar_with(scope, sl_dtype(options.maximum_iterations), 0, SL_OP_OPTIONS(.name = "iteration_counter"));
    loop.flow = sli_flow_create_loop(scope, options.parallel_iterations ? options.parallel_iterations : 10);
    loop.flow->maximum_iterations = options.maximum_iterations;
    loop.flow->no_back_prop = options.no_back_prop;
    if (sli_scope_ok(scope)) build_loop(&loop);
  }
  if (!sli_scope_ok(scope)) memset(loop.results, 0, count * sizeof(*loop.results));
  sl_outputs_t results = sli_scope_copy_outputs(scope, loop.results + counted, variables.count);
  free(all);
  return results;
}
