// What the files of the layers share.
#ifndef SLI_TRAIN_LAYERS_INTERNAL_H_
#define SLI_TRAIN_LAYERS_INTERNAL_H_

#include "sluice/layers.h"
#include "train/scope_internal.h"

// The block of a layer's variables and nodes: |name|, or |usual| made unique.
sl_block_t sli_layer_enter(sl_scope_t *scope, const char *name, const char *usual, sl_reuse_t reuse);
TF_Output sli_layer_activate(sl_scope_t *scope, TF_Output x, sl_activation_t activation);

// The nodes of tf.nn.dropout.
TF_Output sli_layer_drop(sl_scope_t *scope, TF_Output x, double rate, int64_t seed);

// A weight of a layer; the default initialiser of biases is zeros.
typedef struct {
  sl_initializer_t initializer;
  sl_regularizer_t regularizer;
  bool not_trainable;
} sli_weight_t;
TF_Output sli_layer_kernel(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                           sli_weight_t weight);
TF_Output sli_layer_bias(sl_scope_t *scope, TF_DataType dtype, int64_t units, sli_weight_t weight);
// An error of the scope unless |x| has |rank| dimensions, the last one of known size.
bool sli_layer_check(sl_scope_t *scope, TF_Output x, int rank, const char *layer);

#endif  // SLI_TRAIN_LAYERS_INTERNAL_H_
