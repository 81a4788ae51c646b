// Networks that are unrolled while the graph runs: a loop over time that reads the
// inputs from one TensorArray and writes the outputs to another.
#include "sluice/rnn.h"

#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/build_tensor_array.h"
#include "train/graph/flow.h"
#include "train/nn/rnn_internal.h"

// --- Shared by all networks ---

// Lets variables in the current variable scope be read once per step, on the task that uses them. Not inside loops.
static void cache_variables(sl_scope_t *scope) {
  const sli_flow_t *flow = sli_flow_current(scope);
  while (flow && !flow->is_loop) flow = flow->outer;
  sli_scope_frame_t *frame = &scope->frames.items[scope->frames.count - 1];
  if (!flow) frame->defaults.cached = true;
}

sl_block_t sli_rnn_enter(sl_scope_t *scope, const char *name) {
  sl_block_t block = sl_variable_scope_enter_with(scope, name ? name : "rnn", NULL);
  cache_variables(scope);
  return block;
}

bool sli_rnn_initial_state(sl_scope_t *scope, const sl_rnn_cell_t *cell, sl_outputs_t given, sli_rnn_batch_t batch,
                           TF_DataType dtype, TF_Output *out_state) {
  if (given.count && given.count != cell->state.count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "initial_state of a %s must hold %zu outputs, got %zu",
                  cell->kind->class_name, cell->state.count, given.count);
  if (sli_scope_ok(scope) && !given.count) sli_rnn_cell_zeros(scope, cell, batch, dtype, out_state);
  for (size_t i = 0; i < given.count && i < cell->state.count; i++) out_state[i] = given.items[i];
  return sli_scope_ok(scope);
}

TF_Output sli_rnn_keep_finished(sl_scope_t *scope, TF_Output done, TF_Output old, TF_Output new) {
  TF_Output kept = {0};
  if (!new.oper) return kept;
  SL_COLOCATE_WITH(scope, new.oper) { kept = sli_build_select(scope, done, old, new); }
  sli_build_set_shape(scope, kept, sl_static_shape(scope, old));
  return kept;
}

// --- The loop ---

typedef struct {
  sl_rnn_cell_t *cell;
  sl_shape_t shape;  // of the inputs, [time, batch, depth]
  TF_DataType dtype;
  sli_build_tensor_array_t inputs, outputs;
  TF_Output lengths, zero_output;  // empty if all sequences are of full length
  TF_Output bound;
} unroll_t;

static TF_Output loop_condition(sl_scope_t *scope, void *data, const TF_Output *variables) {
  return sl_binary(scope, "Less", "Less", variables[0], ((unroll_t *)data)->bound, NULL);
}

// Variables: the time, the flow of the outputs, the state.
static void loop_body(sl_scope_t *scope, void *data, const TF_Output *variables, TF_Output *out_next) {
  unroll_t *unroll = data;
  const TF_Output *state = variables + 2;
  TF_Output *next = out_next + 2, done = {0};
  TF_Output input = sli_build_tensor_array_read(scope, &unroll->inputs, variables[0]);
  sli_build_set_shape(scope, input, SL_SHAPE(unroll->shape.dims[1], unroll->shape.dims[2]));
  if (unroll->lengths.oper)
    done = sl_binary(scope, "GreaterEqual", "GreaterEqual", variables[0], unroll->lengths, NULL);
  TF_Output output = sli_rnn_cell_step(scope, unroll->cell, input, state, next);
  if (done.oper) {
    output = sli_rnn_keep_finished(scope, done, unroll->zero_output, output);
    for (size_t i = 0; i < unroll->cell->state.count; i++)
      next[i] = sli_rnn_keep_finished(scope, done, state[i], next[i]);
  }
  sli_build_tensor_array_t outputs = unroll->outputs;
  outputs.flow = variables[1];
  sli_build_tensor_array_write(scope, &outputs, variables[0], output);
  out_next[0] = sli_build_number_right(scope, "AddV2", "add", variables[0], 1);
  out_next[1] = outputs.flow;
}

// The batch size: |x| is [time, batch, …].
static sli_rnn_batch_t batch_of(sl_scope_t *scope, TF_Output x, bool needed) {
  sli_rnn_batch_t batch = {.known = sl_static_shape(scope, x).dims[1]};
  if (batch.known >= 0) return batch;
  if (needed)
    batch.size = sli_build_element(scope, sli_build_shape(scope, x), 1);
  else
    SLI_RNN_RESERVE_NAMES(scope, "Shape", "strided_slice");
  return batch;
}

static sli_build_tensor_array_t make_array(sl_scope_t *scope, TF_Output steps, TF_DataType dtype,
                                           sl_shape_t element_shape, const char *base, const char *name) {
  char *resource = sli_format("%s/%s", base, name);
  sli_build_tensor_array_t array = sli_build_tensor_array_create(scope, steps, dtype, element_shape, resource);
  free(resource);
  return array;
}

// Zeros for the outputs of sequences that ended, and the longest length.
static TF_Output prepare_lengths(sl_scope_t *scope, unroll_t *unroll, TF_Output x, TF_Output steps) {
  sli_rnn_batch_t batch = batch_of(scope, x, unroll->lengths.oper != NULL);
  if (!unroll->lengths.oper) {
    if (batch.known >= 0) SLI_RNN_RESERVE_NAMES(scope, "Const", "Const", "concat", "zeros");
    if (batch.known < 0) SLI_RNN_RESERVE_NAMES(scope, "ExpandDims", "Const", "concat", "zeros");
    return steps;
  }
  unroll->zero_output = sli_rnn_zeros(scope, batch, unroll->cell->output_size, unroll->dtype);
  SLI_RNN_RESERVE_NAMES(scope, "Const", "Min");  // of the shortest length, which only Python's static network uses
  return sl_reduce(scope, "Max", unroll->lengths, NULL);
}

// |x| is [time, batch, depth]; so is the result. |state| becomes the last one.
static TF_Output unroll_in_time(sl_scope_t *scope, unroll_t *unroll, TF_Output x, TF_Output *state,
                                int parallel_iterations) {
  size_t parts = unroll->cell->state.count;
  int64_t batch = unroll->shape.dims[1], size = unroll->cell->output_size;
  TF_Output steps = sli_build_element(scope, sli_build_shape(scope, x), 0);
  TF_Output longest = prepare_lengths(scope, unroll, x, steps);
  TF_Output time = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), 0, "time");
  char *base = sli_scope_unique_name(scope, "dynamic_rnn");
  unroll->outputs = make_array(scope, steps, unroll->dtype, SL_SHAPE(batch, size), base, "output_0");
  sl_shape_t element = SL_SHAPE(batch, unroll->shape.dims[2]);
  unroll->inputs = make_array(scope, steps, sl_dtype(x), element, base, "input_0");
  free(base);
  sli_build_tensor_array_unstack(scope, &unroll->inputs, x);
  // At least one step, so that the outputs of empty sequences have a shape.
  TF_Output bound = sli_build_number_left(scope, "Maximum", "Maximum", 1, longest);
  unroll->bound = sl_binary(scope, "Minimum", "Minimum", steps, bound, NULL);

  TF_Output *variables = sli_calloc(parts + 2, sizeof(*variables));
  variables[0] = time;
  variables[1] = unroll->outputs.flow;
  for (size_t i = 0; i < parts; i++) variables[i + 2] = state[i];
  sl_outputs_t ends = sl_while_loop_with(
      scope, loop_condition, loop_body, unroll, (sl_outputs_t){parts + 2, variables},
      SL_OPTIONS(sl_while_loop_options_t, .parallel_iterations = parallel_iterations ? parallel_iterations : 32,
                 .maximum_iterations = steps));
  free(variables);
  for (size_t i = 0; i < parts; i++) state[i] = ends.items[i + 2];
  unroll->outputs.flow = ends.items[1];
  TF_Output outputs = sli_build_tensor_array_stack(scope, &unroll->outputs);
  sli_build_set_shape(scope, outputs, SL_SHAPE(unroll->shape.dims[0], batch, size));
  if (unroll->shape.dims[0] >= 0 && batch >= 0) SLI_RNN_RESERVE_NAMES(scope, "Const");
  SLI_RNN_RESERVE_NAMES(scope, "Const");
  return outputs;
}

// --- Dynamic ---

// [batch, time, depth] to [time, batch, depth], and back.
static TF_Output transpose_batch_time(sl_scope_t *scope, TF_Output x) {
  sl_shape_t shape = sl_static_shape(scope, x);
  TF_Output rank = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), 3, "Rank");
  TF_Output rest = sli_build_range(scope, 2, rank), order = {0};
  SL_NAME_SCOPE (scope, "concat") {
    TF_Output first = sli_build_constant_int32s(scope, (const int32_t[]){1, 0}, 2, "values_0");
    order = sli_build_concat_here(scope, (TF_Output[]){first, rest}, 2, 0);
  }
  TF_Output turned = sl_binary(scope, "Transpose", "transpose", x, order, NULL);
  sli_build_set_shape(scope, turned, SL_SHAPE(shape.dims[1], shape.dims[0], shape.dims[2]));
  return turned;
}

static TF_Output cast_lengths(sl_scope_t *scope, TF_Output lengths) {
  if (!lengths.oper) return lengths;
  lengths = sl_cast_with(scope, lengths, TF_INT32, NULL);
  if (sl_static_shape(scope, lengths).rank > 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sequence_length must be a vector of length batch_size: '%s'",
                  TF_OperationName(lengths.oper));
  return sl_unary(scope, "Identity", lengths, SL_OP_OPTIONS(.name = "sequence_length"));
}

// |lengths|, with an assertion at run time that there is one for each example.
static TF_Output check_lengths(sl_scope_t *scope, TF_Output lengths, sli_rnn_batch_t batch) {
  if (!sli_scope_ok(scope)) return lengths;
  TF_Output shape = sli_build_shape(scope, lengths);
  TF_Output wanted = batch.known >= 0 ? sli_build_constant_int32s(scope, &(int32_t){(int32_t)batch.known}, 1, "stack")
                                      : sli_build_pack(scope, &batch.size, 1, NULL);
  TF_Output right = sl_reduce(scope, "All", sl_binary(scope, "Equal", "Equal", shape, wanted, NULL), NULL);
  TF_Operation *check = NULL;
  char *expected = sli_format("Expected shape for Tensor %s:0 is ", TF_OperationName(lengths.oper));
  SL_NAME_SCOPE (scope, "Assert") {
    SL_NAME_SCOPE (scope, "Assert") {
      char *whole = sli_build_scope_node_name(scope);
      TF_Output first = sl_text_with(scope, expected, SL_OP_OPTIONS(.name = "data_0"));
      TF_Output second = sl_text_with(scope, " but saw shape: ", SL_OP_OPTIONS(.name = "data_2"));
      sl_node_t *node = sl_node_begin(scope, "Assert", whole);
      sl_node_input(node, right);
      sl_node_input_list(node, (TF_Output[]){first, wanted, second, shape}, 4);
      check = sl_node_finish(node);
      free(whole);
    }
  }
  free(expected);
  if (!check) return lengths;
  SL_CONTROL_DEPENDENCIES (scope, check) {
    lengths = sl_unary(scope, "Identity", lengths, SL_OP_OPTIONS(.name = "CheckSeqLen"));
  }
  return lengths;
}

static bool check_inputs(sl_scope_t *scope, TF_Output inputs) {
  sl_shape_t shape = sl_static_shape(scope, inputs);
  if (!inputs.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the inputs of a recurrent network must not be empty");
  if (sli_scope_ok(scope) && (shape.rank != 3 || shape.dims[2] < 0)) {
    char *text = sli_tf_shape_format(shape);
    if (shape.rank >= 0 && shape.rank != 3)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Shape %s must have rank %s3", text, shape.rank < 3 ? "at least " : "");
    else
      sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                    "Input size (depth of inputs) must be accessible via shape inference, but saw value None: the "
                    "inputs have shape %s",
                    text);
    free(text);
  }
  return sli_scope_ok(scope);
}

// In the network's variable scope.
static sl_rnn_t build_dynamic(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output inputs,
                              const sl_rnn_options_t *options) {
  sl_rnn_t rnn = {0};
  size_t parts = cell->state.count;
  TF_Output *state = sli_calloc(parts, sizeof(*state));
  if (check_inputs(scope, inputs)) {
    TF_Output x = options->time_major ? inputs : transpose_batch_time(scope, inputs);
    TF_Output lengths = cast_lengths(scope, options->sequence_length);
    unroll_t unroll = {.cell = cell, .shape = sl_static_shape(scope, x), .dtype = sl_dtype(inputs)};
    sli_rnn_batch_t batch = batch_of(scope, x, !options->initial_state.count || lengths.oper);
    bool started = sli_rnn_initial_state(scope, cell, options->initial_state, batch, unroll.dtype, state);
    if (started && lengths.oper) unroll.lengths = check_lengths(scope, lengths, batch);
    if (started) rnn.outputs = unroll_in_time(scope, &unroll, x, state, options->parallel_iterations);
    if (!options->time_major && rnn.outputs.oper) rnn.outputs = transpose_batch_time(scope, rnn.outputs);
  }
  rnn.state = sli_scope_copy_outputs(scope, state, parts);
  free(state);
  return rnn;
}

sl_rnn_t sl_dynamic_rnn_with(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output inputs, const sl_rnn_options_t *given) {
  SLI_CALL_OPTIONS(sl_rnn_options_t, options, given);
  sl_rnn_t rnn = {0};
  SL_BLOCK(sli_rnn_enter(scope, options.name)) { rnn = build_dynamic(scope, cell, inputs, &options); }
  return rnn;
}

// --- Bidirectional ---

static TF_Output reverse(sl_scope_t *scope, TF_Output x, const sl_rnn_options_t *options) {
  int32_t time = options->time_major ? 0 : 1;
  TF_Output reversed = {0};
  if (options->sequence_length.oper) {
    sl_node_t *node = sl_node_begin(scope, "ReverseSequence", NULL);
    sl_node_input(node, x);
    sl_node_input(node, options->sequence_length);
    sl_node_attr_int(node, "seq_dim", time);
    sl_node_attr_int(node, "batch_dim", 1 - time);
    return sl_node_output(node);
  }
  SL_NAME_SCOPE (scope, "ReverseV2") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output axis = sli_build_constant_int32s(scope, &time, 1, "axis");
    reversed = sl_binary(scope, "ReverseV2", whole, x, axis, NULL);
    free(whole);
  }
  return reversed;
}

// One direction, in a variable scope |name|, which Python opens twice.
static sl_rnn_t build_direction(sl_scope_t *scope, const char *name, sl_rnn_cell_t *cell, TF_Output inputs,
                                bool backward, const sl_rnn_options_t *options) {
  sl_rnn_t rnn = {0};
  SL_VARIABLE_SCOPE (scope, name) {
    if (backward) inputs = reverse(scope, inputs, options);
    SL_BLOCK(sli_scope_reenter_variable_scope(scope)) {
      cache_variables(scope);
      rnn = build_dynamic(scope, cell, inputs, options);
    }
  }
  return rnn;
}

sl_bidirectional_rnn_t sl_bidirectional_dynamic_rnn_with(sl_scope_t *scope, sl_rnn_cell_t *forward,
                                                         sl_rnn_cell_t *backward, TF_Output inputs,
                                                         const sl_rnn_options_t *given) {
  SLI_CALL_OPTIONS(sl_rnn_options_t, options, given);
  sl_bidirectional_rnn_t rnn = {0};
  SL_VARIABLE_SCOPE (scope, options.name ? options.name : "bidirectional_rnn") {
    rnn.forward = build_direction(scope, "fw", forward, inputs, false, &options);
    options.initial_state = options.initial_state_backward;
    rnn.backward = build_direction(scope, "bw", backward, inputs, true, &options);
  }
  rnn.backward.outputs = reverse(scope, rnn.backward.outputs, &options);
  return rnn;
}
