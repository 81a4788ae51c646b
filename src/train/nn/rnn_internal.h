// Shared by cells and networks.
#ifndef SLI_TRAIN_NN_RNN_INTERNAL_H_
#define SLI_TRAIN_NN_RNN_INTERNAL_H_

#include "sluice/rnn.h"
#include "train/graph/scope.h"

// One matrix of a state.
typedef struct {
  int64_t size;
  bool is_memory;  // the c of an LSTM, to which no dropout is applied
} sli_rnn_state_part_t;

typedef struct {
  const char *class_name;  // "BasicLSTMCell", of Python
  const char *usual_name;  // "basic_lstm_cell"
  // Creates the variables at the first use, in the cell's variable scope; NULL: the cell has no variables of its own.
  void (*build)(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_DataType dtype, int64_t depth);
  // Builds one step and writes the next state.
  TF_Output (*step)(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                    TF_Output *out_next);
} sli_rnn_kind_t;

struct sl_rnn_cell {
  const sli_rnn_kind_t *kind;
  int64_t units, output_size;
  SLI_ARRAY(sli_rnn_state_part_t) state;
  char *name;
  sl_reuse_t reuse;
  sl_activation_t activation;
  sl_initializer_t kernel_initializer, bias_initializer;
  double forget_bias, cell_clip, projection_clip;
  int64_t projection;
  bool use_peepholes;
  char *device;  // of a device wrapper
  double input_keep_prob, output_keep_prob, state_keep_prob;
  bool variational;  // dropout with the following noise, one |state_noise| for each part of the state
  TF_Output input_noise, output_noise, *state_noise;
  SLI_ARRAY(sl_rnn_cell_t *) cells;  // inner cells
  char *name_scope;                  // full name, of its nodes; NULL before the first use
  char *variable_scope;
  TF_Output kernel, bias, candidate_kernel, candidate_bias, forget_diagonal, input_diagonal, output_diagonal,
      projection_kernel;
};

// New, owned by the scope.
sl_rnn_cell_t *sli_rnn_cell_create(sl_scope_t *scope, const sli_rnn_kind_t *kind, const char *name, sl_reuse_t reuse);
// Opens the scopes of a cell's step: those of its first use, or new ones named after the cell.
sl_block_t sli_rnn_cell_enter(sl_scope_t *scope, sl_rnn_cell_t *cell);
// Builds one step.
TF_Output sli_rnn_cell_step(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                            TF_Output *out_next);

// The batch size.
typedef struct {
  int64_t known;   // -1: not known while the graph is built
  TF_Output size;  // set if not known
} sli_rnn_batch_t;
// Writes a state of zeros.
void sli_rnn_cell_zeros(sl_scope_t *scope, const sl_rnn_cell_t *cell, sli_rnn_batch_t batch, TF_DataType dtype,
                        TF_Output *out_state);
// Zeros of [batch, size].
TF_Output sli_rnn_zeros(sl_scope_t *scope, sli_rnn_batch_t batch, int64_t size, TF_DataType dtype);
// Reserves names of nodes that Python builds but does not use, so that later names are the same.
void sli_rnn_reserve_names(sl_scope_t *scope, const char *const *names, size_t count);
#define SLI_RNN_RESERVE_NAMES(scope, ...)                            \
  sli_rnn_reserve_names((scope), (const char *const[]){__VA_ARGS__}, \
                        sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))
// |old| where |done|, else |new|; colocated with |new|.
TF_Output sli_rnn_keep_finished(sl_scope_t *scope, TF_Output done, TF_Output old, TF_Output new);
// Opens the variable scope of a network.
sl_block_t sli_rnn_enter(sl_scope_t *scope, const char *name);
// Writes the given state, or zeros. False after an error.
bool sli_rnn_initial_state(sl_scope_t *scope, const sl_rnn_cell_t *cell, sl_outputs_t given, sli_rnn_batch_t batch,
                           TF_DataType dtype, TF_Output *out_state);

#endif  // SLI_TRAIN_NN_RNN_INTERNAL_H_
