// Recurrent layers, as tf.nn.rnn_cell and tf.nn.dynamic_rnn of TensorFlow 1.x:
// the same variables and nodes under the same names.
//
//   sl_rnn_cell_t *cell = sl_lstm_cell(s, 128);
//   sl_rnn_t rnn = sl_dynamic_rnn(s, cell, x, .sequence_length = lengths);  // x: [batch, time, depth]
//   TF_Output logits = sl_dense(s, rnn.state.items[1], 10);
//
// A state is a list of matrices [batch, size]: one for a basic or GRU cell, two (c, then h) for an LSTM cell, and the
// states of all cells in order for a cell made of several.
#ifndef SLUICE_RNN_H_
#define SLUICE_RNN_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/layers.h"

SL_BEGIN_DECLS

// --- Cells ---

// Owned by its scope. The variables are created at the first use of the cell, in a variable scope of the cell's name
// inside the current one. Later uses share them.
typedef struct sl_rnn_cell sl_rnn_cell_t;

typedef struct {
  size_t struct_size;
  const char *name;            // NULL: "basic_rnn_cell", made unique
  sl_activation_t activation;  // 0: SL_TANH
  sl_reuse_t reuse;
} sl_basic_rnn_cell_options_t;
// output = state = activation([input, state] · kernel + bias).
SL_EXPORT sl_rnn_cell_t *sl_basic_rnn_cell_with(sl_scope_t *scope, int64_t units,
                                                const sl_basic_rnn_cell_options_t *options);
#define sl_basic_rnn_cell(scope, units, ...) \
  sl_basic_rnn_cell_with(SL_AT(scope), (units), SL_OPTIONS(sl_basic_rnn_cell_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;            // NULL: "gru_cell"
  sl_activation_t activation;  // 0: SL_TANH
  sl_reuse_t reuse;
  sl_initializer_t kernel_initializer;
  sl_initializer_t bias_initializer;  // default: ones for the gates, zeros for the candidate
} sl_gru_cell_options_t;
// A gated recurrent unit. Variables "gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias".
SL_EXPORT sl_rnn_cell_t *sl_gru_cell_with(sl_scope_t *scope, int64_t units, const sl_gru_cell_options_t *options);
#define sl_gru_cell(scope, units, ...) \
  sl_gru_cell_with(SL_AT(scope), (units), SL_OPTIONS(sl_gru_cell_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;            // NULL: "basic_lstm_cell" or "lstm_cell"
  sl_activation_t activation;  // 0: SL_TANH
  sl_reuse_t reuse;
  double forget_bias;   // added to the forget gate; 0: 1
  bool no_forget_bias;  // adds nothing
  // The rest is for sl_lstm_cell only.
  bool use_peepholes;            // the state c is an input of the gates: variables "w_f_diag", "w_i_diag", "w_o_diag"
  double cell_clip;              // c is clipped to ±cell_clip; 0: not clipped
  int64_t projection;            // h is projected to so many columns: variable "projection/kernel"; 0: not projected
  double projection_clip;        // the projection is clipped to ±projection_clip; 0: not clipped
  sl_initializer_t initializer;  // of all variables but the bias
} sl_lstm_cell_options_t;
SL_EXPORT sl_rnn_cell_t *sl_basic_lstm_cell_with(sl_scope_t *scope, int64_t units,
                                                 const sl_lstm_cell_options_t *options);
#define sl_basic_lstm_cell(scope, units, ...) \
  sl_basic_lstm_cell_with(SL_AT(scope), (units), SL_OPTIONS(sl_lstm_cell_options_t, __VA_ARGS__))
SL_EXPORT sl_rnn_cell_t *sl_lstm_cell_with(sl_scope_t *scope, int64_t units, const sl_lstm_cell_options_t *options);
#define sl_lstm_cell(scope, units, ...) \
  sl_lstm_cell_with(SL_AT(scope), (units), SL_OPTIONS(sl_lstm_cell_options_t, __VA_ARGS__))

// A stack of cells: the output of one is the input of the next. Variables are in "multi_rnn_cell/cell_0", ….
SL_EXPORT sl_rnn_cell_t *sl_multi_rnn_cell_with(sl_scope_t *scope, sl_rnn_cell_t *const *cells, size_t count);
#define sl_multi_rnn_cell(scope, cells, count) sl_multi_rnn_cell_with(SL_AT(scope), (cells), (count))

typedef struct {
  size_t struct_size;
  double input_keep_prob, output_keep_prob;  // 0: 1
  double state_keep_prob;                    // of the state without an LSTM cell's c; 0: 1
  // Drop the same units at all steps of a run and for all examples. |input_size|, the columns of the input, is required
  // if input_keep_prob is less than 1. |dtype| is the type of the cell's values; 0: TF_FLOAT.
  bool variational_recurrent;
  int64_t input_size;
  TF_DataType dtype;
} sl_dropout_wrapper_options_t;
// |cell| with dropout on its input, output and state. Each step drops other units, unless .variational_recurrent is
// set. The variables are those of |cell|.
SL_EXPORT sl_rnn_cell_t *sl_dropout_wrapper_with(sl_scope_t *scope, sl_rnn_cell_t *cell,
                                                 const sl_dropout_wrapper_options_t *options);
#define sl_dropout_wrapper(scope, cell, ...) \
  sl_dropout_wrapper_with(SL_AT(scope), (cell), SL_OPTIONS(sl_dropout_wrapper_options_t, __VA_ARGS__))

// |cell| on a device: its nodes, its variables and its state of zeros are placed on |device|, within the devices of the
// blocks around each use. For stacks whose layers are on different devices:
//
//   for (int i = 0; i < 4; i++) cells[i] = sl_device_wrapper(s, sl_lstm_cell(s, 512), i < 2 ? "/cpu:0" : "/cpu:1");
//   sl_rnn_t rnn = sl_dynamic_rnn(s, sl_multi_rnn_cell(s, cells, 4), x);
//
// The variables are named as those of |cell|. As tf.nn.rnn_cell.DeviceWrapper.
SL_EXPORT sl_rnn_cell_t *sl_device_wrapper_with(sl_scope_t *scope, sl_rnn_cell_t *cell, const char *device);
#define sl_device_wrapper(scope, cell, device) sl_device_wrapper_with(SL_AT(scope), (cell), (device))

// The number of columns of the output, and the number of matrices in the state.
SL_EXPORT int64_t sl_rnn_cell_output_size(const sl_rnn_cell_t *cell);
SL_EXPORT size_t sl_rnn_cell_state_count(const sl_rnn_cell_t *cell);

// A state of zeros for |batch_size| examples.
SL_EXPORT sl_outputs_t sl_rnn_cell_zero_state_with(sl_scope_t *scope, const sl_rnn_cell_t *cell, int64_t batch_size,
                                                   TF_DataType dtype);
#define sl_rnn_cell_zero_state(scope, cell, batch_size, dtype) \
  sl_rnn_cell_zero_state_with(SL_AT(scope), (cell), (batch_size), (dtype))

// The result of a cell or a network: the outputs of one step or of all steps, and the state after the last.
typedef struct {
  TF_Output outputs;
  sl_outputs_t state;
} sl_rnn_t;

// Builds one step from |input| [batch, depth] and |state|.
SL_EXPORT sl_rnn_t sl_rnn_cell_call_with(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, sl_outputs_t state);
#define sl_rnn_cell_call(scope, cell, input, state) sl_rnn_cell_call_with(SL_AT(scope), (cell), (input), (state))

// --- Networks ---

typedef struct {
  size_t struct_size;
  const char *name;            // the variable scope; NULL: "rnn", or "bidirectional_rnn"
  TF_Output sequence_length;   // int32 or int64, [batch]: the steps of each example. Outputs after its last step are
                               // zeros, and its state is that of its last step. Empty: all steps
  sl_outputs_t initial_state;  // count 0: zeros. In a bidirectional network: of the forward cell
  sl_outputs_t initial_state_backward;
  int parallel_iterations;  // 0: 32
  bool time_major;          // inputs and outputs are [time, batch, depth]
} sl_rnn_options_t;

// Unrolls the cell in a loop while the graph runs: |inputs| [batch, time, depth] may have any number of steps.
SL_EXPORT sl_rnn_t sl_dynamic_rnn_with(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output inputs,
                                       const sl_rnn_options_t *options);
#define sl_dynamic_rnn(scope, cell, inputs, ...) \
  sl_dynamic_rnn_with(SL_AT(scope), (cell), (inputs), SL_OPTIONS(sl_rnn_options_t, __VA_ARGS__))

typedef struct {
  sl_rnn_t forward, backward;
} sl_bidirectional_rnn_t;
// One network that reads forward, in the scope "fw", and one that reads backward, in "bw". The outputs of both are in
// the order of the inputs.
SL_EXPORT sl_bidirectional_rnn_t sl_bidirectional_dynamic_rnn_with(sl_scope_t *scope, sl_rnn_cell_t *forward,
                                                                   sl_rnn_cell_t *backward, TF_Output inputs,
                                                                   const sl_rnn_options_t *options);
#define sl_bidirectional_dynamic_rnn(scope, forward, backward, inputs, ...)        \
  sl_bidirectional_dynamic_rnn_with(SL_AT(scope), (forward), (backward), (inputs), \
                                    SL_OPTIONS(sl_rnn_options_t, __VA_ARGS__))

typedef struct {
  sl_outputs_t outputs, state;
} sl_static_rnn_t;
// Unrolls the cell in the graph: |inputs| are the steps, each [batch, depth]. Uses only the options .name,
// .sequence_length and .initial_state. Steps after the end of the longest sequence are not computed.
SL_EXPORT sl_static_rnn_t sl_static_rnn_with(sl_scope_t *scope, sl_rnn_cell_t *cell, sl_outputs_t inputs,
                                             const sl_rnn_options_t *options);
#define sl_static_rnn(scope, cell, inputs, ...) \
  sl_static_rnn_with(SL_AT(scope), (cell), (inputs), SL_OPTIONS(sl_rnn_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_RNN_H_
