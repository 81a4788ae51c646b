// What cells and networks share.
#ifndef SLI_TRAIN_RNN_INTERNAL_H_
#define SLI_TRAIN_RNN_INTERNAL_H_

#include "sluice/rnn.h"
#include "train/scope_internal.h"

// One part of a state.
typedef struct {
  int64_t size;
  bool is_memory;  // an LSTM's c, which is never dropped out
} sli_rnn_part_t;

typedef struct {
  const char *class_name;  // "BasicLSTMCell", of Python
  const char *usual_name;  // "basic_lstm_cell"
  // In the cell's variable scope, at its first use; NULL: it has no variables of its own.
  void (*build)(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_DataType dtype, int64_t depth);
  // One step; writes the next state.
  TF_Output (*step)(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                    TF_Output *out_next);
} sli_rnn_kind_t;

struct sl_rnn_cell {
  const sli_rnn_kind_t *kind;
  int64_t units, output_size;
  SLI_ARRAY(sli_rnn_part_t) state;
  char *name;
  sl_reuse_t reuse;
  sl_activation_t activation;
  sl_initializer_t kernel_initializer, bias_initializer;
  double forget_bias, cell_clip, projection_clip;
  int64_t projection;
  bool use_peepholes;
  double input_keep_prob, output_keep_prob, state_keep_prob;
  bool variational;  // dropout: by the following, one |state_noise| for each part
  TF_Output input_noise, output_noise, *state_noise;
  SLI_ARRAY(sl_rnn_cell_t *) cells;  // that it is made of
  char *name_scope;                  // whole, of its nodes; NULL before its first use
  char *variable_scope;
  TF_Output kernel, bias, candidate_kernel, candidate_bias, forget_diagonal, input_diagonal, output_diagonal,
      projection_kernel;
};

// New, owned by the scope.
sl_rnn_cell_t *sli_rnn_cell_create(sl_scope_t *scope, const sli_rnn_kind_t *kind, const char *name, sl_reuse_t reuse);
// The block of a cell's step: as at its first use, or a new one below |name|.
sl_block_t sli_rnn_cell_enter(sl_scope_t *scope, sl_rnn_cell_t *cell);
// One step, with errors of the scope if the state is not the cell's.
TF_Output sli_rnn_cell_step(sl_scope_t *scope, sl_rnn_cell_t *cell, TF_Output input, const TF_Output *state,
                            TF_Output *out_next);

// How many examples there are.
typedef struct {
  int64_t known;   // -1: not known while building
  TF_Output size;  // if not known
} sli_batch_t;
// Writes the cell's zeros, as many as its state has parts.
void sli_rnn_cell_zeros(sl_scope_t *scope, const sl_rnn_cell_t *cell, sli_batch_t batch, TF_DataType dtype,
                        TF_Output *out_state);
// Zeros of [batch, size].
TF_Output sli_rnn_zeros(sl_scope_t *scope, sli_batch_t batch, int64_t size, TF_DataType dtype);
// Where Python makes a node that nothing takes, its name stays taken.
void sli_rnn_skip_names(sl_scope_t *scope, const char *const *names, size_t count);
#define SLI_RNN_SKIP_NAMES(scope, ...)                            \
  sli_rnn_skip_names((scope), (const char *const[]){__VA_ARGS__}, \
                     sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))
// |old| where |done|, else |new|, which it goes with.
TF_Output sli_rnn_keep_done(sl_scope_t *scope, TF_Output done, TF_Output old, TF_Output new);
// The variable scope of a network.
sl_block_t sli_rnn_enter(sl_scope_t *scope, const char *name);
// In the current variable scope variables are read once a step, by the task that uses them; not so inside loops.
void sli_rnn_cache_variables(sl_scope_t *scope);
// The given state, or zeros; false after an error. |batch| is asked for only if need be.
bool sli_rnn_start_state(sl_scope_t *scope, const sl_rnn_cell_t *cell, sl_outputs_t given, sli_batch_t batch,
                         TF_DataType dtype, TF_Output *out_state);

#endif  // SLI_TRAIN_RNN_INTERNAL_H_
