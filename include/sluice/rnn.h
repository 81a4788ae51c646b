// Recurrent layers, as tf.nn.rnn_cell and tf.nn.dynamic_rnn of TensorFlow 1.x:
// the same variables, under the same names, and the same nodes.
//
//   sl_rnn_cell_t *cell = sl_lstm_cell(s, 128);
//   sl_rnn_t rnn = sl_dynamic_rnn(s, cell, x, .sequence_length = lengths);  // x: [batch, time, depth]
//   TF_Output logits = sl_dense(s, rnn.state.items[1], 10);
//
// A state is a list of matrices [batch, size]: one of a basic or GRU cell, two (c, then h) of an LSTM cell, those of
// all cells one after the other of several.
#ifndef SLUICE_RNN_H_
#define SLUICE_RNN_H_

#include "sluice/layers.h"

SL_BEGIN_DECLS

// --- Cells ---

// Belongs to its scope. Its variables are made at its first use, in a variable scope of its name below the one it is
// used in, and used again at the others.
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
  sl_initializer_t bias_initializer;  // default: ones of the gates, zeros of the candidate
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
  bool no_forget_bias;  // adds 0
  // Of sl_lstm_cell alone.
  bool use_peepholes;            // the gates see the state c: variables "w_f_diag", "w_i_diag", "w_o_diag"
  double cell_clip;              // c lies within ±cell_clip; 0: anywhere
  int64_t projection;            // of h to so many columns: variable "projection/kernel"; 0: none
  double projection_clip;        // of what is projected; 0: none
  sl_initializer_t initializer;  // of all but the bias
} sl_lstm_cell_options_t;
SL_EXPORT sl_rnn_cell_t *sl_basic_lstm_cell_with(sl_scope_t *scope, int64_t units,
                                                 const sl_lstm_cell_options_t *options);
#define sl_basic_lstm_cell(scope, units, ...) \
  sl_basic_lstm_cell_with(SL_AT(scope), (units), SL_OPTIONS(sl_lstm_cell_options_t, __VA_ARGS__))
SL_EXPORT sl_rnn_cell_t *sl_lstm_cell_with(sl_scope_t *scope, int64_t units, const sl_lstm_cell_options_t *options);
#define sl_lstm_cell(scope, units, ...) \
  sl_lstm_cell_with(SL_AT(scope), (units), SL_OPTIONS(sl_lstm_cell_options_t, __VA_ARGS__))

// Cells on top of each other: the output of one is the input of the next. Variables below "multi_rnn_cell/cell_0", ….
SL_EXPORT sl_rnn_cell_t *sl_multi_rnn_cell_with(sl_scope_t *scope, sl_rnn_cell_t *const *cells, size_t count);
#define sl_multi_rnn_cell(scope, cells, count) sl_multi_rnn_cell_with(SL_AT(scope), (cells), (count))

typedef struct {
  size_t struct_size;
  double input_keep_prob, output_keep_prob;  // 0: 1
  double state_keep_prob;                    // of all of the state but an LSTM cell's c; 0: 1
  // The same units are dropped at all steps of a run, for all examples. Needs |input_size|, the columns of the input,
  // if the input is dropped from. |dtype|: of the cell's values; 0: TF_FLOAT.
  bool variational_recurrent;
  int64_t input_size;
  TF_DataType dtype;
} sl_dropout_wrapper_options_t;
// |cell| with dropout around it, another one at each step unless it is variational; the variables are those of |cell|.
SL_EXPORT sl_rnn_cell_t *sl_dropout_wrapper_with(sl_scope_t *scope, sl_rnn_cell_t *cell,
                                                 const sl_dropout_wrapper_options_t *options);
#define sl_dropout_wrapper(scope, cell, ...) \
  sl_dropout_wrapper_with(SL_AT(scope), (cell), SL_OPTIONS(sl_dropout_wrapper_options_t, __VA_ARGS__))

// Columns of the output, and how many matrices the state has.
SL_EXPORT int64_t sl_rnn_cell_output_size(const sl_rnn_cell_t *cell);
SL_EXPORT size_t sl_rnn_cell_state_count(const sl_rnn_cell_t *cell);

// A state of zeros for |batch_size| examples.
SL_EXPORT sl_outputs_t sl_rnn_cell_zero_state_with(sl_scope_t *scope, const sl_rnn_cell_t *cell, int64_t batch_size,
                                                   TF_DataType dtype);
#define sl_rnn_cell_zero_state(scope, cell, batch_size, dtype) \
  sl_rnn_cell_zero_state_with(SL_AT(scope), (cell), (batch_size), (dtype))

// What a cell or a network gives: the outputs of all steps, or of one; and the state after the last.
typedef struct {
  TF_Output outputs;
  sl_outputs_t state;
} sl_rnn_t;

// One step, from |input| [batch, depth] and |state|.
SL_EXPORT sl_rnn_t sl_rnn_cell_call_with(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, sl_outputs_t state);
#define sl_rnn_cell_call(scope, cell, input, state) sl_rnn_cell_call_with(SL_AT(scope), (cell), (input), (state))

// --- Networks ---

typedef struct {
  size_t struct_size;
  const char *name;            // the variable scope; NULL: "rnn", of both ways "bidirectional_rnn"
  TF_Output sequence_length;   // int32 or int64, [batch]: steps of each example. Its outputs beyond are zeros, and its
                               // state is the last one within. Empty: all
  sl_outputs_t initial_state;  // count 0: zeros; of both ways, the forward one's
  sl_outputs_t initial_state_backward;
  int parallel_iterations;  // 0: 32
  bool time_major;          // inputs and outputs are [time, batch, depth]
} sl_rnn_options_t;

// Unrolled as the graph runs, in a loop: |inputs| [batch, time, depth] may be of any length.
SL_EXPORT sl_rnn_t sl_dynamic_rnn_with(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output inputs,
                                       const sl_rnn_options_t *options);
#define sl_dynamic_rnn(scope, cell, inputs, ...) \
  sl_dynamic_rnn_with(SL_AT(scope), (cell), (inputs), SL_OPTIONS(sl_rnn_options_t, __VA_ARGS__))

typedef struct {
  sl_rnn_t forward, backward;
} sl_bidirectional_rnn_t;
// One network that reads forward, below "fw", and one that reads backward, below "bw"; the outputs of both stand at the
// step of their input.
SL_EXPORT sl_bidirectional_rnn_t sl_bidirectional_dynamic_rnn_with(sl_scope_t *scope, sl_rnn_cell_t *forward,
                                                                   sl_rnn_cell_t *backward, TF_Output inputs,
                                                                   const sl_rnn_options_t *options);
#define sl_bidirectional_dynamic_rnn(scope, forward, backward, inputs, ...)        \
  sl_bidirectional_dynamic_rnn_with(SL_AT(scope), (forward), (backward), (inputs), \
                                    SL_OPTIONS(sl_rnn_options_t, __VA_ARGS__))

typedef struct {
  sl_outputs_t outputs, state;
} sl_static_rnn_t;
// Unrolled in the graph: |inputs| are the steps, [batch, depth] each. Of the options, .name, .sequence_length and
// .initial_state count; steps beyond the longest sequence are not computed.
SL_EXPORT sl_static_rnn_t sl_static_rnn_with(sl_scope_t *scope, sl_rnn_cell_t *cell, sl_outputs_t inputs,
                                             const sl_rnn_options_t *options);
#define sl_static_rnn(scope, cell, inputs, ...) \
  sl_static_rnn_with(SL_AT(scope), (cell), (inputs), SL_OPTIONS(sl_rnn_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_RNN_H_
