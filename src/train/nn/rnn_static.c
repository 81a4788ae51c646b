// Networks that are unrolled in the graph. With sequence lengths each step is inside
// two conditionals: it is not computed after the end of the longest sequence, and
// before the end of the shortest sequence no selection by row is needed.
#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/nn/rnn_internal.h"

typedef struct {
  sl_rnn_cell_t *cell;
  int time;
  TF_Output input;
  TF_Output *state;                      // before the step
  TF_Output *computed;                   // the results of the cell: the output, then the state
  TF_Output lengths, shortest, longest;  // empty if all sequences are of full length
  TF_Output zero_output;
  TF_Output done;  // which sequences ended before the step
} static_step_t;

static void call_cell(sl_scope_t *scope, static_step_t *step, TF_Output *out_results) {
  out_results[0] = sli_rnn_cell_step(scope, step->cell, step->input, step->state, out_results + 1);
}

// After the longest sequence: zeros, and the unchanged state.
static void skip_step(sl_scope_t *scope, void *data, TF_Output *out_results) {
  static_step_t *step = data;
  out_results[0] = step->zero_output;
  for (size_t i = 0; i < step->cell->state.count; i++) out_results[i + 1] = step->state[i];
}

static void use_all_rows(sl_scope_t *scope, void *data, TF_Output *out_results) {
  static_step_t *step = data;
  for (size_t i = 0; i <= step->cell->state.count; i++) out_results[i] = step->computed[i];
}

static void use_unfinished_rows(sl_scope_t *scope, void *data, TF_Output *out_results) {
  static_step_t *step = data;
  out_results[0] = sli_rnn_keep_finished(scope, step->done, step->zero_output, step->computed[0]);
  for (size_t i = 0; i < step->cell->state.count; i++)
    out_results[i + 1] = sli_rnn_keep_finished(scope, step->done, step->state[i], step->computed[i + 1]);
}

static void compute_and_select(sl_scope_t *scope, void *data, TF_Output *out_results) {
  static_step_t *step = data;
  size_t count = step->cell->state.count + 1;
  call_cell(scope, step, step->computed);
  TF_Output all = sli_build_number_right(scope, "Greater", "Greater", step->shortest, step->time);
  sl_outputs_t results = sl_cond_with(scope, all, use_all_rows, use_unfinished_rows, step, count, NULL);
  for (size_t i = 0; i < count; i++) out_results[i] = results.items[i];
}

// Writes the output and the next state.
static void build_step(sl_scope_t *scope, static_step_t *step, TF_Output *out_results) {
  if (!step->lengths.oper) {
    call_cell(scope, step, out_results);
    return;
  }
  size_t count = step->cell->state.count + 1;
  step->done = sli_build_number_right(scope, "LessEqual", "LessEqual", step->lengths, step->time);
  TF_Output beyond = sli_build_number_right(scope, "LessEqual", "LessEqual", step->longest, step->time);
  sl_outputs_t results = sl_cond_with(scope, beyond, skip_step, compute_and_select, step, count, NULL);
  for (size_t i = 0; i < count; i++) {
    out_results[i] = results.items[i];
    sli_build_set_shape(scope, results.items[i], sl_static_shape(scope, i ? step->state[i - 1] : step->zero_output));
  }
}

static void set_lengths(sl_scope_t *scope, static_step_t *step, sli_rnn_batch_t batch, TF_DataType dtype,
                        TF_Output lengths) {
  step->zero_output = sli_rnn_zeros(scope, batch, step->cell->output_size, dtype);
  if (batch.known >= 0) SLI_RNN_RESERVE_NAMES(scope, "Const");
  SLI_RNN_RESERVE_NAMES(scope, "Const");
  step->lengths = sl_cast_with(scope, lengths, TF_INT32, NULL);
  if (sl_static_shape(scope, lengths).rank > 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sequence_length must be a vector of length batch_size: '%s'",
                  TF_OperationName(lengths.oper));
  step->shortest = sl_reduce(scope, "Min", step->lengths, NULL);
  step->longest = sl_reduce(scope, "Max", step->lengths, NULL);
}

// In the network's variable scope. |work| has room for two states and outputs.
static void build_static(sl_scope_t *scope, sl_rnn_cell_t *cell, sl_outputs_t inputs, const sl_rnn_options_t *options,
                         TF_Output *work, TF_Output *out_outputs) {
  size_t parts = cell->state.count;
  TF_Output *results = work + parts + 1;
  static_step_t step = {.cell = cell, .state = results + 1, .computed = work};
  sli_rnn_batch_t batch = {.known = sl_static_shape(scope, inputs.items[0]).dims[0]};
  bool needs_batch = !options->initial_state.count || options->sequence_length.oper;
  if (batch.known < 0 && needs_batch) batch.size = sli_build_element(scope, sli_build_shape(scope, inputs.items[0]), 0);
  TF_DataType dtype = sl_dtype(inputs.items[0]);
  if (!sli_rnn_initial_state(scope, cell, options->initial_state, batch, dtype, step.state)) return;
  if (options->sequence_length.oper) set_lengths(scope, &step, batch, dtype, options->sequence_length);
  TF_Output *next = sli_calloc(parts + 1, sizeof(*next));
  for (size_t i = 0; i < inputs.count; i++) {
    step.time = (int)i;
    step.input = inputs.items[i];
    build_step(scope, &step, next);
    memcpy(results, next, (parts + 1) * sizeof(*next));
    out_outputs[i] = results[0];
  }
  free(next);
}

sl_static_rnn_t sl_static_rnn_with(sl_scope_t *scope, sl_rnn_cell_t *cell, sl_outputs_t inputs,
                                   const sl_rnn_options_t *given) {
  SLI_CALL_OPTIONS(sl_rnn_options_t, options, given);
  if (!inputs.count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_static_rnn: inputs must hold at least 1 step, got 0");
  for (size_t i = 0; i < inputs.count; i++)
    if (!inputs.items[i].oper || sl_static_shape(scope, inputs.items[i]).rank != 2)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_static_rnn: input %zu must be a matrix [batch, depth]", i);
  size_t parts = cell->state.count;
  TF_Output *work = sli_calloc(2 * (parts + 1), sizeof(*work)), *outputs = sli_calloc(inputs.count, sizeof(*outputs));
  SL_BLOCK(sli_rnn_enter(scope, options.name)) {
    if (sli_scope_ok(scope)) build_static(scope, cell, inputs, &options, work, outputs);
  }
  sl_static_rnn_t rnn = {.outputs = sli_scope_copy_outputs(scope, outputs, inputs.count),
                         .state = sli_scope_copy_outputs(scope, work + parts + 2, parts)};
  free(work);
  free(outputs);
  return rnn;
}
