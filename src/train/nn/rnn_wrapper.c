// Cells that contain other cells, and states of zeros.
#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/nn/layers_internal.h"
#include "train/nn/rnn_internal.h"

// --- Stacks of cells ---

// Steps through the cells in the variable scopes "cell_0", "cell_1", ….
static TF_Output step_through(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                              TF_Output *out_next) {
  for (size_t i = 0, first = 0; i < cell->cells.count; i++) {
    sl_rnn_cell_t *own = cell->cells.items[i];
    char *name = sli_format("cell_%zu", i);
    SL_VARIABLE_SCOPE (scope, name) {
      input = sli_rnn_cell_step(scope, own, input, state + first, out_next + first);
    }
    free(name);
    first += own->state.count;
  }
  return input;
}

static TF_Output step_in_scopes(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                                TF_Output *out_next) {
  TF_Output output = {0};
  SL_BLOCK(sli_scope_reenter_variable_scope(scope)) {
    SL_BLOCK(sli_rnn_cell_enter(scope, cell)) { output = step_through(scope, cell, input, state, out_next); }
  }
  return output;
}

static const sli_rnn_kind_t multi = {"MultiRNNCell", "multi_rnn_cell", NULL, step_in_scopes};

// Adds the inner cell |own| to |cell|, whose state includes that of |own|.
static void add_cell(sl_rnn_cell_t *cell, sl_rnn_cell_t *own) {
  sli_array_push(&cell->cells, own);
  for (size_t i = 0; i < own->state.count; i++) sli_array_push(&cell->state, own->state.items[i]);
  cell->output_size = own->output_size;
}

sl_rnn_cell_t *sl_multi_rnn_cell_with(sl_scope_t *scope, sl_rnn_cell_t *const *cells, size_t count) {
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Must specify at least one cell for MultiRNNCell.");
  sl_rnn_cell_t *cell = sli_rnn_cell_create(scope, &multi, NULL, SL_REUSE_INHERIT);
  for (size_t i = 0; i < count; i++) add_cell(cell, cells[i]);
  return cell;
}

// --- Dropout ---

// Noise of shape [1, size] in [0, 1), the same in all steps of a run.
static TF_Output make_noise(sl_scope_t *scope, int64_t size, TF_DataType dtype) {
  TF_Output shape = {0}, noise = {0};
  SL_NAME_SCOPE (scope, "concat") {
    TF_Output one = sli_build_constant_int32s(scope, &(int32_t){1}, 1, "values_0");
    TF_Output columns = sli_build_constant_int32s(scope, &(int32_t){(int32_t)size}, 1, "values_1");
    shape = sli_build_concat_here(scope, (TF_Output[]){one, columns}, 2, 0);
  }
  SL_NAME_SCOPE (scope, "random_uniform") {
    noise = sli_build_random_uniform(scope, shape, dtype, 0);
  }
  return noise;
}

// |noise| is that of a variational dropout; empty: draws noise.
static TF_Output apply_dropout(sl_scope_t *scope, TF_Output x, double probability, TF_Output noise) {
  if (!(probability < 1)) return x;
  if (!noise.oper) return sli_layer_dropout(scope, x, 1 - probability, 0);
  TF_Output kept = sl_unary(scope, "Floor", sli_build_number_left(scope, "AddV2", "add", probability, noise), NULL);
  return sl_binary(scope, "Mul", "mul", sli_build_number_right(scope, "RealDiv", "truediv", x, probability), kept,
                   NULL);
}

static TF_Output dropout_step(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                              TF_Output *out_next) {
  sl_rnn_cell_t *own = cell->cells.items[0];
  TF_Output kept = apply_dropout(scope, input, cell->input_keep_prob, cell->input_noise), drawn = {0};
  TF_Output output = sli_rnn_cell_step(scope, own, kept, state, out_next);
  for (size_t i = 0; i < cell->state.count; i++)
    if (!cell->state.items[i].is_memory)
      out_next[i] =
          apply_dropout(scope, out_next[i], cell->state_keep_prob, cell->variational ? cell->state_noise[i] : drawn);
  return apply_dropout(scope, output, cell->output_keep_prob, cell->output_noise);
}

static const sli_rnn_kind_t dropout = {"DropoutWrapper", "dropout_wrapper", NULL, dropout_step};

static double check_probability(sl_scope_t *scope, double probability, const char *name) {
  if (!(probability >= 0 && probability <= 1))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Parameter %s must be between 0 and 1. Received %g", name, probability);
  return probability == 0 ? 1 : probability;
}

static void make_noises(sl_scope_t *scope, sl_rnn_cell_t *cell, const sl_dropout_wrapper_options_t *options) {
  TF_DataType dtype = options->dtype ? options->dtype : TF_FLOAT;
  bool needs_size = cell->input_keep_prob < 1;
  if (needs_size && (options->input_size <= 0 || options->input_size > INT32_MAX)) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be "
                  "provided");
    return;
  }
  cell->variational = true;
  cell->state_noise = sli_calloc(cell->state.count, sizeof(*cell->state_noise));
  sli_scope_own(scope, cell->state_noise, free);
  if (needs_size) cell->input_noise = make_noise(scope, options->input_size, dtype);
  for (size_t i = 0; i < cell->state.count; i++)
    cell->state_noise[i] = make_noise(scope, cell->state.items[i].size, dtype);
  cell->output_noise = make_noise(scope, cell->output_size, dtype);
}

sl_rnn_cell_t *sl_dropout_wrapper_with(sl_scope_t *scope, sl_rnn_cell_t *cell,
                                       const sl_dropout_wrapper_options_t *given) {
  SLI_CALL_OPTIONS(sl_dropout_wrapper_options_t, options, given);
  sl_rnn_cell_t *wrapper = sli_rnn_cell_create(scope, &dropout, NULL, SL_REUSE_INHERIT);
  wrapper->input_keep_prob = check_probability(scope, options.input_keep_prob, "input_keep_prob");
  wrapper->output_keep_prob = check_probability(scope, options.output_keep_prob, "output_keep_prob");
  wrapper->state_keep_prob = check_probability(scope, options.state_keep_prob, "state_keep_prob");
  add_cell(wrapper, cell);
  if (options.variational_recurrent) make_noises(scope, wrapper, &options);
  return wrapper;
}

// --- Devices ---

static TF_Output step_on_device(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                                TF_Output *out_next) {
  TF_Output output = {0};
  SL_DEVICE (scope, cell->device) {
    output = sli_rnn_cell_step(scope, cell->cells.items[0], input, state, out_next);
  }
  return output;
}

static const sli_rnn_kind_t on_device = {"DeviceWrapper", "device_wrapper", NULL, step_on_device};

sl_rnn_cell_t *sl_device_wrapper_with(sl_scope_t *scope, sl_rnn_cell_t *cell, const char *device) {
  sl_rnn_cell_t *wrapper = sli_rnn_cell_create(scope, &on_device, NULL, SL_REUSE_INHERIT);
  wrapper->device = sli_strdup(device ? device : "");
  sli_scope_own(scope, wrapper->device, free);
  add_cell(wrapper, cell);
  return wrapper;
}

// --- Zeros ---

void sli_rnn_reserve_names(sl_scope_t *scope, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) free(sli_scope_unique_name(scope, names[i]));
}

static TF_Output one_int(sl_scope_t *scope, int64_t number) {
  return sli_build_constant_int32s(scope, &(int32_t){(int32_t)number}, 1, "Const");
}

TF_Output sli_rnn_zeros(sl_scope_t *scope, sli_rnn_batch_t batch, int64_t size, TF_DataType dtype) {
  TF_Output rows = batch.known >= 0 ? one_int(scope, batch.known) : sli_build_expand_dims(scope, batch.size, 0);
  TF_Output shape = sli_build_concat(scope, (TF_Output[]){rows, one_int(scope, size)}, 2, 0, NULL), zeros = {0};
  SL_NAME_SCOPE (scope, "zeros") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output zero = sli_build_constant_fill(scope, dtype, SL_SHAPE(), 0, "Const");
    zeros = sl_binary(scope, "Fill", whole, shape, zero, NULL);
    free(whole);
  }
  sli_build_set_shape(scope, zeros, SL_SHAPE(batch.known, size));
  return zeros;
}

void sli_rnn_cell_zeros(sl_scope_t *scope, const sl_rnn_cell_t *cell, sli_rnn_batch_t batch, TF_DataType dtype,
                        TF_Output *out_state) {
  SL_NAME_SCOPE (scope, "%sZeroState", cell->kind->class_name) {
    SL_DEVICE (scope, cell->device ? cell->device : "") {
      for (size_t i = 0; i < cell->cells.count; i++) {
        sli_rnn_cell_zeros(scope, cell->cells.items[i], batch, dtype, out_state);
        out_state += cell->cells.items[i]->state.count;
      }
    }
    for (size_t i = 0; i < cell->state.count && !cell->cells.count; i++) {
      out_state[i] = sli_rnn_zeros(scope, batch, cell->state.items[i].size, dtype);
      SLI_RNN_RESERVE_NAMES(scope, batch.known >= 0 ? "Const" : "ExpandDims", "Const");
    }
  }
}

sl_outputs_t sl_rnn_cell_zero_state_with(sl_scope_t *scope, const sl_rnn_cell_t *cell, int64_t batch_size,
                                         TF_DataType dtype) {
  if (batch_size < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_rnn_cell_zero_state: batch_size must be at least 0, got %lld",
                  (long long)batch_size);
  TF_Output *zeros = sli_calloc(cell->state.count, sizeof(*zeros));
  if (sli_scope_ok(scope)) sli_rnn_cell_zeros(scope, cell, (sli_rnn_batch_t){.known = batch_size}, dtype, zeros);
  sl_outputs_t state = sli_scope_copy_outputs(scope, zeros, cell->state.count);
  free(zeros);
  return state;
}
