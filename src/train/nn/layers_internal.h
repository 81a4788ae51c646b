// Shared by the files with layers.
#ifndef SLI_TRAIN_NN_LAYERS_INTERNAL_H_
#define SLI_TRAIN_NN_LAYERS_INTERNAL_H_

#include "sluice/layers.h"
#include "train/graph/scope.h"

// Opens the variable scope of a layer: |name|, or |usual| made unique.
sl_block_t sli_layer_enter(sl_scope_t *scope, const char *name, const char *usual, sl_reuse_t reuse);
TF_Output sli_layer_activate(sl_scope_t *scope, TF_Output x, sl_activation_t activation);

// The nodes of tf.nn.dropout.
TF_Output sli_layer_dropout(sl_scope_t *scope, TF_Output x, double rate, int64_t seed);

// A weight of a layer. The default initializer of biases is zeros.
typedef struct {
  sl_initializer_t initializer;
  sl_regularizer_t regularizer;
  bool not_trainable;
} sli_layer_weight_t;
TF_Output sli_layer_kernel(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                           sli_layer_weight_t weight);
TF_Output sli_layer_bias(sl_scope_t *scope, TF_DataType dtype, int64_t units, sli_layer_weight_t weight);
// Each sets an error in the scope, with Python's text, and returns false: unless |x| has |rank| dimensions (or more, if
// |or_more|) or an unknown number of them; unless the number is |rank| and the last dimension is known; unless |x| is
// of a floating type.
bool sli_layer_check_rank(sl_scope_t *scope, TF_Output x, int rank, bool or_more, const char *layer);
bool sli_layer_check_input(sl_scope_t *scope, TF_Output x, int rank, const char *layer);
bool sli_layer_check_scaled(sl_scope_t *scope, TF_Output x);

#endif  // SLI_TRAIN_NN_LAYERS_INTERNAL_H_
