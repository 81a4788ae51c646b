// Batch normalisation: images by the fused op, vectors by plain ones, as
// tf.layers chooses. The averages are moved by operations in SL_UPDATE_OPS.
#include <stdlib.h>

#include "train/layers_internal.h"
#include "train/ops_internal.h"
#include "train/options_internal.h"
#include "train/variable_internal.h"

typedef struct {
  TF_Output gamma, beta, mean, variance;  // the first two may be empty
} weights_t;

static weights_t make_weights(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                              const sl_batch_normalization_options_t *options) {
  weights_t weights = {0};
  sli_weight_t ones = {.initializer = SL_ONES, .not_trainable = options->not_trainable};
  sli_weight_t zeros = {.initializer = SL_ZEROS, .not_trainable = options->not_trainable};
  if (!options->no_scale) weights.gamma = sli_layer_kernel(scope, "gamma", dtype, shape, ones);
  if (!options->no_center) weights.beta = sli_layer_kernel(scope, "beta", dtype, shape, zeros);
  ones.not_trainable = zeros.not_trainable = true;
  weights.mean = sli_layer_kernel(scope, "moving_mean", dtype, shape, zeros);
  weights.variance = sli_layer_kernel(scope, "moving_variance", dtype, shape, ones);
  return weights;
}

// average -= (average - value) * (1 - momentum); |momentum| is a node or, if empty, the number.
static void move_average(sl_scope_t *scope, TF_Output average, TF_Output value, TF_Output momentum, double number) {
  const sl_variable_info_t *variable = sli_variable_need(scope, average, "sl_batch_normalization");
  if (!variable) return;
  SL_NAME_SCOPE (scope, "AssignMovingAvg") {
    SL_COLOCATE_WITH(scope, variable->reference.oper) {
      char *whole = sli_scope_own_name(scope);
      TF_Output rate = momentum.oper ? sli_number_left(scope, "Sub", "sub", 1, momentum)
                                     : sli_constant_fill(scope, variable->dtype, SL_SHAPE(), 1 - number, "decay");
      TF_Output difference = sl_binary(scope, "Sub", "sub", average, value, NULL);
      TF_Output change = sl_binary(scope, "Mul", "mul", difference, rate, NULL);
      sl_collection_add(scope, SL_UPDATE_OPS, sli_variable_update(scope, "AssignSub", variable, change, whole, false));
      free(whole);
    }
  }
}

static TF_Output fused(sl_scope_t *scope, TF_Output x, weights_t weights, double momentum, double epsilon,
                       bool training) {
  sl_shape_t shape = sl_static_shape(scope, weights.mean);
  if (!weights.gamma.oper) weights.gamma = sl_ones_with(scope, sl_dtype(x), shape, SL_OP_OPTIONS(.name = "Const"));
  if (!weights.beta.oper) weights.beta = sl_zeros_with(scope, sl_dtype(x), shape, SL_OP_OPTIONS(.name = "Const"));
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormV3", NULL);
  sl_node_input(node, x);
  sl_node_input(node, weights.gamma);
  sl_node_input(node, weights.beta);
  sl_node_input(node, weights.mean);
  sl_node_input(node, weights.variance);
  sl_node_attr_float(node, "epsilon", (float)epsilon);
  sl_node_attr_bool(node, "is_training", training);
  TF_Operation *operation = sl_node_finish(node);
  if (training && operation) {
    TF_Output decay = sli_constant_fill(scope, TF_FLOAT, SL_SHAPE(), momentum, "Const");
    move_average(scope, weights.mean, (TF_Output){operation, 1}, decay, 0);
    move_average(scope, weights.variance, (TF_Output){operation, 2}, decay, 0);
  }
  return (TF_Output){operation, 0};
}

// Mean and variance of a batch of vectors.
static void moments(sl_scope_t *scope, TF_Output x, TF_Output *out_mean, TF_Output *out_variance) {
  static const int axes[] = {0};
  SL_NAME_SCOPE (scope, "moments") {
    sl_reduce_options_t over = {.struct_size = sizeof(over),
                                .name = "mean",
                                .axes = axes,
                                .axis_count = 1,
                                .keep_dims = true,
                                .axes_as_list = true};
    TF_Output mean = sl_reduce(scope, "Mean", x, &over);
    TF_Output fixed = sl_unary(scope, "StopGradient", mean, NULL);
    TF_Output squares = sl_binary(scope, "SquaredDifference", "SquaredDifference", x, fixed, NULL);
    over.name = "variance";
    TF_Output variance = sl_reduce(scope, "Mean", squares, &over);
    *out_mean = sli_squeeze(scope, mean, 0);
    *out_variance = sli_squeeze(scope, variance, 0);
  }
}

// x * (gamma / deviation) + (beta - mean * gamma / deviation)
static TF_Output normalise(sl_scope_t *scope, TF_Output x, TF_Output mean, TF_Output variance, weights_t weights,
                           double epsilon) {
  TF_Output y = {0};
  SL_NAME_SCOPE (scope, "batchnorm") {
    TF_Output factor = sl_unary(scope, "Rsqrt", sli_number_right(scope, "AddV2", "add", variance, epsilon), NULL);
    if (weights.gamma.oper) factor = sl_binary(scope, "Mul", "mul", factor, weights.gamma, NULL);
    TF_Output scaled = sl_binary(scope, "Mul", "mul", x, factor, NULL), offset;
    if (weights.beta.oper) {
      offset = sl_binary(scope, "Sub", "sub", weights.beta, sl_binary(scope, "Mul", "mul", mean, factor, NULL), NULL);
    } else {
      offset = sl_binary(scope, "Mul", "mul", sl_unary(scope, "Neg", mean, NULL), factor, NULL);
    }
    y = sl_binary(scope, "AddV2", "add", scaled, offset, NULL);
  }
  return y;
}

TF_Output sl_batch_normalization_with(sl_scope_t *scope, TF_Output x, const sl_batch_normalization_options_t *given) {
  SLI_READ_OPTIONS(sl_batch_normalization_options_t, options, given);
  double momentum = options.momentum != 0 ? options.momentum : 0.99;
  double epsilon = options.epsilon != 0 ? options.epsilon : 0.001;
  int rank = sl_static_shape(scope, x).rank;
  TF_Output y = {0};
  if (!sli_layer_check(scope, x, rank == 4 ? 4 : 2, "batch_normalization")) return y;
  sl_shape_t shape = SL_SHAPE(sl_static_shape(scope, x).dims[rank - 1]);
  SL_BLOCK(sli_layer_enter(scope, options.name, "batch_normalization", options.reuse)) {
    weights_t weights = make_weights(scope, sl_dtype(x), shape, &options);
    TF_Output mean = weights.mean, variance = weights.variance;
    if (rank == 4) {
      y = fused(scope, x, weights, momentum, epsilon, options.training);
    } else {
      if (options.training) {
        moments(scope, x, &mean, &variance);
        move_average(scope, weights.mean, mean, (TF_Output){0}, momentum);
        move_average(scope, weights.variance, variance, (TF_Output){0}, momentum);
      }
      y = normalise(scope, x, mean, variance, weights, epsilon);
    }
  }
  return y;
}
