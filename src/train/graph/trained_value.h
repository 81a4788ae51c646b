// Values that are trained, and state that is saved, without being variables. Of the first kind are values such as the
// rows of a step's embeddings: sl_compute_gradients computes their gradients too, and sl_apply_gradients applies them
// in their own way.
#ifndef SLI_TRAIN_GRAPH_TRAINED_VALUE_H_
#define SLI_TRAIN_GRAPH_TRAINED_VALUE_H_

#include "train/graph/scope.h"

typedef struct sli_train_value {
  TF_Output value;
  TF_Output gradient;  // set when the gradients of all variables were computed; empty: none flows here
  // Builds the operation that applies |gradient|.
  TF_Operation *(*apply)(sl_scope_t *scope, void *context, TF_Output gradient);
  void *context;  // owned by the scope
} sli_train_value_t;

// Copies |value|.
void sli_train_value_add(sl_scope_t *scope, sli_train_value_t value);
// Builds what applies the gradients that are known, adds the operations to |out_updates| and forgets the gradients.
void sli_train_value_apply_all(sl_scope_t *scope, sli_operations_t *out_updates);

// State of the graph that is no variable, but belongs to its checkpoints. Each builds an operation that writes its
// files for the checkpoint in |prefix|, or reads them.
typedef struct sli_train_state {
  TF_Operation *(*save)(sl_scope_t *scope, void *context, TF_Output prefix);
  TF_Operation *(*restore)(sl_scope_t *scope, void *context, TF_Output prefix);
  void *context;  // owned by the scope
} sli_train_state_t;

void sli_train_state_add(sl_scope_t *scope, sli_train_state_t state);
// Adds the operations that save, or restore, all states to |out_operations|.
void sli_train_state_save_all(sl_scope_t *scope, TF_Output prefix, sli_operations_t *out_operations);
void sli_train_state_restore_all(sl_scope_t *scope, TF_Output prefix, sli_operations_t *out_operations);

#endif  // SLI_TRAIN_GRAPH_TRAINED_VALUE_H_
