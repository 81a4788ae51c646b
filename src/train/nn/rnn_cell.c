// Cells: one step of a recurrent network. The variables of a cell and the name scope
// of its nodes are created at its first use, as by the layer objects of the Python
// library. The nodes are the same.
#include <stdlib.h>

#include "sluice/optimizer.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/nn/layers_internal.h"
#include "train/nn/rnn_internal.h"

// --- Creation ---

static void destroy_cell(void *object) {
  sl_rnn_cell_t *cell = object;
  sli_array_deinitialize(&cell->state);
  sli_array_deinitialize(&cell->cells);
  free(cell->name);
  free(cell->name_scope);
  free(cell->variable_scope);
  free(cell);
}

sl_rnn_cell_t *sli_rnn_cell_create(sl_scope_t *scope, const sli_rnn_kind_t *kind, const char *name, sl_reuse_t reuse) {
  sl_rnn_cell_t *cell = sli_calloc(1, sizeof(*cell));
  cell->kind = kind;
  cell->name = sli_strdup(name ? name : kind->usual_name);
  cell->reuse = reuse;
  sli_scope_own(scope, cell, destroy_cell);
  return cell;
}

static sl_rnn_cell_t *create_cell(sl_scope_t *scope, const sli_rnn_kind_t *kind, const char *name, sl_reuse_t reuse,
                                  int64_t units, sl_activation_t activation) {
  if (units < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: units must be at least 1, got %lld", kind->class_name,
                  (long long)units);
  sl_rnn_cell_t *cell = sli_rnn_cell_create(scope, kind, name, reuse);
  cell->units = cell->output_size = units;
  cell->activation = activation == SL_LINEAR ? SL_TANH : activation;
  return cell;
}

// --- Use ---

sl_block_t sli_rnn_cell_enter(sl_scope_t *scope, sl_rnn_cell_t *cell) {
  if (cell->name_scope) {
    sl_block_t block = sl_name_scope_enter(scope, "%s/", cell->name_scope);
    sli_scope_enter_variable_scope(scope, cell->variable_scope, SL_REUSE);
    return block;
  }
  bool shared = cell->reuse != SL_REUSE_INHERIT;
  sl_block_t block = sli_layer_enter(scope, shared ? cell->name : NULL, cell->name, cell->reuse);
  cell->name_scope = sli_strdup(sli_scope_prefix(scope));
  cell->variable_scope = sli_strdup(sli_scope_variable_prefix(scope));
  return block;
}

static bool check_input(sl_scope_t *scope, TF_Output input, const char *cell) {
  if (!sli_layer_check_rank(scope, input, 2, false, cell)) return false;
  sl_shape_t shape = sl_static_shape(scope, input);
  if (!sli_tf_type_is_floating(sl_dtype(input)))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "RNN cell only supports floating point inputs, but received dtype: %s",
                  sli_tf_type_name(sl_dtype(input)));
  if (shape.rank != 2 || shape.dims[1] < 0) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Expected inputs.shape[-1] to be known, received shape: %s", text);
    free(text);
  }
  return sli_scope_ok(scope);
}

// The step of a cell with variables.
static TF_Output layer_step(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                            TF_Output *out_next) {
  if (!check_input(scope, input, cell->kind->usual_name)) return (TF_Output){0};
  bool first = !cell->name_scope;
  TF_Output output = {0};
  SL_BLOCK(sli_rnn_cell_enter(scope, cell)) {
    if (first) cell->kind->build(scope, cell, sl_dtype(input), sl_static_shape(scope, input).dims[1]);
    if (sli_scope_ok(scope)) output = cell->kind->step(scope, cell, input, state, out_next);
  }
  return output;
}

TF_Output sli_rnn_cell_step(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                            TF_Output *out_next) {
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  return cell->kind->build ? layer_step(scope, cell, input, state, out_next)
                           : cell->kind->step(scope, cell, input, state, out_next);
}

sl_rnn_t sl_rnn_cell_call_with(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, sl_outputs_t state) {
  sl_rnn_t result = {0};
  TF_Output *next = sli_calloc(cell->state.count, sizeof(*next));
  if (state.count != cell->state.count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "state of a %s must hold %zu outputs, got %zu", cell->kind->class_name,
                  cell->state.count, state.count);
  else
    result.outputs = sli_rnn_cell_step(scope, cell, input, state.items, next);
  result.state = sli_scope_copy_outputs(scope, next, cell->state.count);
  free(next);
  return result;
}

int64_t sl_rnn_cell_output_size(const sl_rnn_cell_t *cell) { return cell->output_size; }
size_t sl_rnn_cell_state_count(const sl_rnn_cell_t *cell) { return cell->state.count; }

// --- Helpers ---

static TF_Output weight(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                        sl_initializer_t initializer) {
  return sli_layer_kernel(scope, name, dtype, shape, (sli_layer_weight_t){.initializer = initializer});
}

static sl_initializer_t initializer_or(sl_initializer_t initializer, sl_initializer_t usual) {
  return initializer.kind == SL_INITIALIZER_DEFAULT ? usual : initializer;
}

// [input, state] · kernel + bias.
static TF_Output linear(sl_scope_t *scope, TF_Output input, TF_Output state, TF_Output kernel, TF_Output bias) {
  TF_Output joined = sli_build_concat(scope, (TF_Output[]){input, state}, 2, 1, NULL);
  return sl_bias_add_with(scope, sl_matmul_with(scope, joined, kernel, NULL), bias, NULL);
}

static TF_Output split_along(sl_scope_t *scope, TF_Output axis, TF_Output value, int parts, const char *name) {
  sl_node_t *node = sl_node_begin(scope, "Split", name);
  sl_node_input(node, axis);
  sl_node_input(node, value);
  sl_node_attr_int(node, "num_split", parts);
  return sl_node_output(node);
}

// The first of |parts| outputs.
static TF_Output split_columns(sl_scope_t *scope, TF_Output value, int parts) {
  TF_Output first = {0};
  SL_NAME_SCOPE (scope, "split") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output axis = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), 1, "split_dim");
    first = split_along(scope, axis, value, parts, whole);
    free(whole);
  }
  return first;
}

static TF_Output part(TF_Output split, int index) { return (TF_Output){split.oper, index}; }

static TF_Output sigmoid(sl_scope_t *scope, TF_Output x) { return sl_unary(scope, "Sigmoid", x, NULL); }
static TF_Output times(sl_scope_t *scope, TF_Output x, TF_Output y) {
  return sl_binary(scope, "Mul", "mul", x, y, NULL);
}
static TF_Output plus(sl_scope_t *scope, TF_Output x, TF_Output y) {
  return sl_binary(scope, "AddV2", "add", x, y, NULL);
}
static TF_Output activate(sl_scope_t *scope, const sl_rnn_cell_t *cell, TF_Output x) {
  return sli_layer_activate(scope, x, cell->activation);
}

// --- The basic cell ---

static void basic_rnn_build(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_DataType dtype, int64_t depth) {
  cell->kernel = weight(scope, "kernel", dtype, SL_SHAPE(depth + cell->units, cell->units), (sl_initializer_t){0});
  cell->bias = weight(scope, "bias", dtype, SL_SHAPE(cell->units), SL_ZEROS);
}

static TF_Output basic_rnn_step(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                                TF_Output *out_next) {
  out_next[0] = activate(scope, cell, linear(scope, input, state[0], cell->kernel, cell->bias));
  return out_next[0];
}

static const sli_rnn_kind_t basic_rnn = {"BasicRNNCell", "basic_rnn_cell", basic_rnn_build, basic_rnn_step};

sl_rnn_cell_t *sl_basic_rnn_cell_with(sl_scope_t *scope, int64_t units, const sl_basic_rnn_cell_options_t *given) {
  SLI_CALL_OPTIONS(sl_basic_rnn_cell_options_t, options, given);
  sl_rnn_cell_t *cell = create_cell(scope, &basic_rnn, options.name, options.reuse, units, options.activation);
  sli_array_push(&cell->state, (sli_rnn_state_part_t){units, false});
  return cell;
}

// --- GRU ---

static void gru_build(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_DataType dtype, int64_t depth) {
  int64_t units = cell->units, rows = depth + units;
  cell->kernel = weight(scope, "gates/kernel", dtype, SL_SHAPE(rows, 2 * units), cell->kernel_initializer);
  cell->bias =
      weight(scope, "gates/bias", dtype, SL_SHAPE(2 * units), initializer_or(cell->bias_initializer, SL_CONSTANT(1)));
  cell->candidate_kernel = weight(scope, "candidate/kernel", dtype, SL_SHAPE(rows, units), cell->kernel_initializer);
  cell->candidate_bias =
      weight(scope, "candidate/bias", dtype, SL_SHAPE(units), initializer_or(cell->bias_initializer, SL_ZEROS));
}

static TF_Output gru_step(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                          TF_Output *out_next) {
  TF_Output gates = split_columns(scope, sigmoid(scope, linear(scope, input, state[0], cell->kernel, cell->bias)), 2);
  TF_Output reset = part(gates, 0), update = part(gates, 1);
  TF_Output remembered = times(scope, reset, state[0]);
  TF_Output candidate =
      activate(scope, cell, linear(scope, input, remembered, cell->candidate_kernel, cell->candidate_bias));
  TF_Output old = times(scope, update, state[0]);
  TF_Output new = times(scope, sli_build_number_left(scope, "Sub", "sub", 1, update), candidate);
  out_next[0] = plus(scope, old, new);
  return out_next[0];
}

static const sli_rnn_kind_t gru = {"GRUCell", "gru_cell", gru_build, gru_step};

sl_rnn_cell_t *sl_gru_cell_with(sl_scope_t *scope, int64_t units, const sl_gru_cell_options_t *given) {
  SLI_CALL_OPTIONS(sl_gru_cell_options_t, options, given);
  sl_rnn_cell_t *cell = create_cell(scope, &gru, options.name, options.reuse, units, options.activation);
  cell->kernel_initializer = options.kernel_initializer;
  cell->bias_initializer = options.bias_initializer;
  sli_array_push(&cell->state, (sli_rnn_state_part_t){units, false});
  return cell;
}

// --- LSTM ---

static void lstm_build(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_DataType dtype, int64_t depth) {
  int64_t units = cell->units;
  sl_initializer_t initializer = cell->kernel_initializer;
  cell->kernel = weight(scope, "kernel", dtype, SL_SHAPE(depth + cell->output_size, 4 * units), initializer);
  cell->bias = weight(scope, "bias", dtype, SL_SHAPE(4 * units), SL_ZEROS);
  if (cell->use_peepholes) {
    cell->forget_diagonal = weight(scope, "w_f_diag", dtype, SL_SHAPE(units), initializer);
    cell->input_diagonal = weight(scope, "w_i_diag", dtype, SL_SHAPE(units), initializer);
    cell->output_diagonal = weight(scope, "w_o_diag", dtype, SL_SHAPE(units), initializer);
  }
  if (cell->projection)
    cell->projection_kernel = weight(scope, "projection/kernel", dtype, SL_SHAPE(units, cell->projection), initializer);
}

static TF_Output basic_lstm_step(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                                 TF_Output *out_next) {
  TF_Output one = sl_scalar_with(scope, TF_INT32, 1, NULL);
  TF_Output gates = split_along(scope, one, linear(scope, input, state[1], cell->kernel, cell->bias), 4, "split");
  TF_Output bias = sl_scalar_with(scope, sl_dtype(input), cell->forget_bias, NULL);
  TF_Output forget = sigmoid(scope, sl_binary(scope, "AddV2", "Add", part(gates, 2), bias, NULL));
  TF_Output kept = sl_binary(scope, "Mul", "Mul", state[0], forget, NULL);
  TF_Output gate = sigmoid(scope, part(gates, 0));
  TF_Output new = sl_binary(scope, "Mul", "Mul", gate, activate(scope, cell, part(gates, 1)), NULL);
  out_next[0] = sl_binary(scope, "AddV2", "Add", kept, new, NULL);
  TF_Output shown = activate(scope, cell, out_next[0]);
  out_next[1] = sl_binary(scope, "Mul", "Mul", shown, sigmoid(scope, part(gates, 3)), NULL);
  return out_next[1];
}

// A gate with a peephole to |memory| through |diagonal|, if that is not empty.
static TF_Output peephole_gate(sl_scope_t *scope, TF_Output gate, TF_Output diagonal, TF_Output memory) {
  if (diagonal.oper) gate = plus(scope, gate, times(scope, diagonal, memory));
  return sigmoid(scope, gate);
}

static TF_Output clip(sl_scope_t *scope, TF_Output x, double limit) {
  return limit != 0 ? sl_clip_by_value_with(scope, x, -limit, limit, NULL) : x;
}

static TF_Output lstm_step(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                           TF_Output *out_next) {
  TF_Output gates = split_columns(scope, linear(scope, input, state[1], cell->kernel, cell->bias), 4), old = state[0];
  TF_Output forget = sli_build_number_right(scope, "AddV2", "add", part(gates, 2), cell->forget_bias);
  TF_Output kept = times(scope, peephole_gate(scope, forget, cell->forget_diagonal, old), old);
  TF_Output gate = peephole_gate(scope, part(gates, 0), cell->input_diagonal, old);
  TF_Output new = times(scope, gate, activate(scope, cell, part(gates, 1)));
  TF_Output memory = clip(scope, plus(scope, kept, new), cell->cell_clip);
  TF_Output open = peephole_gate(scope, part(gates, 3), cell->output_diagonal, memory);
  TF_Output output = times(scope, open, activate(scope, cell, memory));
  if (cell->projection)
    output = clip(scope, sl_matmul_with(scope, output, cell->projection_kernel, NULL), cell->projection_clip);
  out_next[0] = memory;
  out_next[1] = output;
  return output;
}

static const sli_rnn_kind_t basic_lstm = {"BasicLSTMCell", "basic_lstm_cell", lstm_build, basic_lstm_step};
static const sli_rnn_kind_t lstm = {"LSTMCell", "lstm_cell", lstm_build, lstm_step};

static sl_rnn_cell_t *create_lstm(sl_scope_t *scope, const sli_rnn_kind_t *kind, int64_t units,
                                  const sl_lstm_cell_options_t *options) {
  if (options->projection < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: projection must be at least 0, got %lld", kind->class_name,
                  (long long)options->projection);
  sl_rnn_cell_t *cell = create_cell(scope, kind, options->name, options->reuse, units, options->activation);
  cell->forget_bias = options->no_forget_bias ? 0 : options->forget_bias != 0 ? options->forget_bias : 1;
  cell->use_peepholes = options->use_peepholes;
  cell->cell_clip = options->cell_clip;
  cell->projection = options->projection;
  cell->projection_clip = options->projection_clip;
  cell->kernel_initializer = options->initializer;
  if (options->projection) cell->output_size = options->projection;
  sli_array_push(&cell->state, (sli_rnn_state_part_t){units, true});
  sli_array_push(&cell->state, (sli_rnn_state_part_t){cell->output_size, false});
  return cell;
}

sl_rnn_cell_t *sl_basic_lstm_cell_with(sl_scope_t *scope, int64_t units, const sl_lstm_cell_options_t *given) {
  SLI_CALL_OPTIONS(sl_lstm_cell_options_t, options, given);
  if (options.use_peepholes || options.cell_clip != 0 || options.projection || options.initializer.kind)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "sl_basic_lstm_cell takes no use_peepholes, cell_clip, projection or initializer: use sl_lstm_cell");
  return create_lstm(scope, &basic_lstm, units, &options);
}

sl_rnn_cell_t *sl_lstm_cell_with(sl_scope_t *scope, int64_t units, const sl_lstm_cell_options_t *given) {
  SLI_CALL_OPTIONS(sl_lstm_cell_options_t, options, given);
  return create_lstm(scope, &lstm, units, &options);
}
