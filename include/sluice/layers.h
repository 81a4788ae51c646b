// Layers, as in tf.layers: each creates its variables in a variable scope of its
// name (by default "dense", "dense_1", …) and returns its output. Images are
// [batch, rows, columns, channels], sequences [batch, steps, channels]. Dimensions
// that determine the shape of a variable must be known.
#ifndef SLUICE_LAYERS_H_
#define SLUICE_LAYERS_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef enum { SL_LINEAR = 0, SL_RELU, SL_SIGMOID, SL_TANH, SL_SOFTMAX, SL_ELU, SL_SOFTPLUS, SL_RELU6 } sl_activation_t;
typedef enum { SL_VALID = 0, SL_SAME } sl_padding_t;

// Rows and columns of a window or of its strides.
typedef struct {
  int rows, columns;
} sl_size_t;
#define SL_SIZE(rows_, columns_) ((sl_size_t){(rows_), (columns_)})

typedef struct {
  size_t struct_size;
  const char *name;
  sl_activation_t activation;
  bool no_bias;
  sl_initializer_t kernel_initializer;  // default: the variable scope's
  sl_initializer_t bias_initializer;    // default: zeros
  bool not_trainable;
  sl_reuse_t reuse;
  sl_regularizer_t kernel_regularizer, bias_regularizer;
} sl_dense_options_t;

// activation(x · kernel + bias) over the last dimension. Variables "NAME/kernel" and "NAME/bias".
SL_EXPORT TF_Output sl_dense_with(sl_scope_t *scope, TF_Output x, int64_t units, const sl_dense_options_t *options);
#define sl_dense(scope, x, units, ...) \
  sl_dense_with(SL_AT(scope), (x), (units), SL_OPTIONS(sl_dense_options_t, __VA_ARGS__))

// --- Convolutions ---

typedef struct {
  size_t struct_size;
  const char *name;
  sl_size_t strides;  // 0: 1; for a sequence only .rows counts
  sl_padding_t padding;
  sl_activation_t activation;
  bool no_bias;
  sl_initializer_t kernel_initializer;  // of both kernels of a separable convolution
  sl_initializer_t bias_initializer;
  sl_regularizer_t kernel_regularizer, bias_regularizer;
  bool not_trainable;
  sl_reuse_t reuse;
  int depth_multiplier;  // of a separable convolution; 0: 1
} sl_conv_options_t;
#define SL_CONV_OPTIONS(...) SL_OPTIONS(sl_conv_options_t, __VA_ARGS__)

// A convolution over images with a kernel of |size|. Variables "NAME/kernel", "NAME/bias".
SL_EXPORT TF_Output sl_conv2d_with(sl_scope_t *scope, TF_Output x, int64_t filters, sl_size_t size,
                                   const sl_conv_options_t *options);
#define sl_conv2d(scope, x, filters, size, ...) \
  sl_conv2d_with(SL_AT(scope), (x), (filters), (size), SL_CONV_OPTIONS(__VA_ARGS__))
// A convolution over sequences.
SL_EXPORT TF_Output sl_conv1d_with(sl_scope_t *scope, TF_Output x, int64_t filters, int size,
                                   const sl_conv_options_t *options);
#define sl_conv1d(scope, x, filters, size, ...) \
  sl_conv1d_with(SL_AT(scope), (x), (filters), (size), SL_CONV_OPTIONS(__VA_ARGS__))
// A convolution of each channel separately, then a 1 x 1 convolution that mixes them. Variables
// "NAME/depthwise_kernel", "NAME/pointwise_kernel", "NAME/bias".
SL_EXPORT TF_Output sl_separable_conv2d_with(sl_scope_t *scope, TF_Output x, int64_t filters, sl_size_t size,
                                             const sl_conv_options_t *options);
#define sl_separable_conv2d(scope, x, filters, size, ...) \
  sl_separable_conv2d_with(SL_AT(scope), (x), (filters), (size), SL_CONV_OPTIONS(__VA_ARGS__))
// The transpose (gradient) of a convolution: makes images larger by the strides. The kernel is
// [rows, columns, filters, channels].
SL_EXPORT TF_Output sl_conv2d_transpose_with(sl_scope_t *scope, TF_Output x, int64_t filters, sl_size_t size,
                                             const sl_conv_options_t *options);
#define sl_conv2d_transpose(scope, x, filters, size, ...) \
  sl_conv2d_transpose_with(SL_AT(scope), (x), (filters), (size), SL_CONV_OPTIONS(__VA_ARGS__))

// --- Pooling ---

typedef struct {
  size_t struct_size;
  const char *name;
  sl_padding_t padding;
} sl_pool_options_t;
#define SL_POOL_OPTIONS(...) SL_OPTIONS(sl_pool_options_t, __VA_ARGS__)

SL_EXPORT TF_Output sl_max_pooling2d_with(sl_scope_t *scope, TF_Output x, sl_size_t size, sl_size_t strides,
                                          const sl_pool_options_t *options);
#define sl_max_pooling2d(scope, x, size, strides, ...) \
  sl_max_pooling2d_with(SL_AT(scope), (x), (size), (strides), SL_POOL_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_average_pooling2d_with(sl_scope_t *scope, TF_Output x, sl_size_t size, sl_size_t strides,
                                              const sl_pool_options_t *options);
#define sl_average_pooling2d(scope, x, size, strides, ...) \
  sl_average_pooling2d_with(SL_AT(scope), (x), (size), (strides), SL_POOL_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_max_pooling1d_with(sl_scope_t *scope, TF_Output x, int size, int stride,
                                          const sl_pool_options_t *options);
#define sl_max_pooling1d(scope, x, size, stride, ...) \
  sl_max_pooling1d_with(SL_AT(scope), (x), (size), (stride), SL_POOL_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_average_pooling1d_with(sl_scope_t *scope, TF_Output x, int size, int stride,
                                              const sl_pool_options_t *options);
#define sl_average_pooling1d(scope, x, size, stride, ...) \
  sl_average_pooling1d_with(SL_AT(scope), (x), (size), (stride), SL_POOL_OPTIONS(__VA_ARGS__))

// --- Others ---

typedef struct {
  size_t struct_size;
  const char *name;
  bool training;            // false: the layer returns |x| unchanged
  int64_t seed;             // 0: none
  TF_Output training_when;  // a scalar bool, evaluated at each run and used instead of |training|
} sl_dropout_options_t;
// Sets each element to 0 with probability |rate| and scales the others by 1 / (1 - rate).
SL_EXPORT TF_Output sl_dropout_with(sl_scope_t *scope, TF_Output x, double rate, const sl_dropout_options_t *options);
#define sl_dropout(scope, x, rate, ...) \
  sl_dropout_with(SL_AT(scope), (x), (rate), SL_OPTIONS(sl_dropout_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;  // 0: none
} sl_nn_dropout_options_t;
// Keeps each element with probability |keep_prob|, a scalar that may be fed, and scales it by 1 / keep_prob. As
// tf.nn.dropout.
SL_EXPORT TF_Output sl_nn_dropout_with(sl_scope_t *scope, TF_Output x, TF_Output keep_prob,
                                       const sl_nn_dropout_options_t *options);
#define sl_nn_dropout(scope, x, keep_prob, ...) \
  sl_nn_dropout_with(SL_AT(scope), (x), (keep_prob), SL_OPTIONS(sl_nn_dropout_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  bool training;             // normalise by the batch and update the averages; false: normalise by the averages
  double momentum;           // 0: 0.99
  double epsilon;            // 0: 0.001
  bool no_center, no_scale;  // no "beta", no "gamma"
  bool not_trainable;
  sl_reuse_t reuse;
  TF_Output training_when;  // a scalar bool, evaluated at each run and used instead of |training|
} sl_batch_normalization_options_t;
// Normalises over the last dimension of a tensor of rank 2 or 4. Variables "NAME/gamma", "NAME/beta", and the averages
// "NAME/moving_mean" and "NAME/moving_variance". Operations in SL_UPDATE_OPS update the averages: make the training
// operation depend on them.
SL_EXPORT TF_Output sl_batch_normalization_with(sl_scope_t *scope, TF_Output x,
                                                const sl_batch_normalization_options_t *options);
#define sl_batch_normalization(scope, x, ...) \
  sl_batch_normalization_with(SL_AT(scope), (x), SL_OPTIONS(sl_batch_normalization_options_t, __VA_ARGS__))

// Reshapes to [first dimension, product of the others]. All dimensions but the first must be known.
SL_EXPORT TF_Output sl_flatten_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options);
#define sl_flatten(scope, x, ...) sl_flatten_with(SL_AT(scope), (x), SL_OP_OPTIONS(__VA_ARGS__))

// How ids map to the parts of a partitioned table: id % parts, or blocks of consecutive ids.
typedef enum { SL_PARTITION_MOD = 0, SL_PARTITION_DIV } sl_partition_strategy_t;
typedef struct {
  size_t struct_size;
  const char *name;
  sl_partition_strategy_t strategy;
} sl_embedding_lookup_options_t;
// The rows |ids| (int32 or int64, any shape) of |table|, the value of a variable that may be partitioned along its
// first dimension. The gradient is sparse. As tf.nn.embedding_lookup.
SL_EXPORT TF_Output sl_embedding_lookup_with(sl_scope_t *scope, TF_Output table, TF_Output ids,
                                             const sl_embedding_lookup_options_t *options);
#define sl_embedding_lookup(scope, table, ids, ...) \
  sl_embedding_lookup_with(SL_AT(scope), (table), (ids), SL_OPTIONS(sl_embedding_lookup_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_LAYERS_H_
