// Layers, as in tf.layers: each makes its variables in a variable scope of its
// name ("dense", "dense_1", … without one) and returns its output.
#ifndef SLUICE_LAYERS_H_
#define SLUICE_LAYERS_H_

#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef enum { SL_LINEAR = 0, SL_RELU, SL_SIGMOID, SL_TANH, SL_SOFTMAX } sl_activation_t;

typedef struct {
  size_t struct_size;
  const char *name;
  sl_activation_t activation;
  bool no_bias;
  sl_initializer_t kernel_initializer;  // default: Glorot uniform
  sl_initializer_t bias_initializer;    // default: zeros
  bool not_trainable;
  sl_reuse_t reuse;
} sl_dense_options_t;

// activation(x · kernel + bias); |x| of rank 2 with a known last dimension. Variables "NAME/kernel" and "NAME/bias".
SL_EXPORT TF_Output sl_dense_with(sl_scope_t *scope, TF_Output x, int64_t units, const sl_dense_options_t *options);
#define sl_dense(scope, x, units, ...) \
  sl_dense_with(SL_AT(scope), (x), (units), SL_OPTIONS(sl_dense_options_t, __VA_ARGS__))

// Keeps the first dimension and joins the others, whose sizes must be known.
SL_EXPORT TF_Output sl_flatten_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options);
#define sl_flatten(scope, x, ...) sl_flatten_with(SL_AT(scope), (x), SL_OP_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_LAYERS_H_
