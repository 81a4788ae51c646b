// Batch normalisation: images with the fused op, vectors with plain ops, as
// tf.layers does. Operations in SL_UPDATE_OPS update the averages.
#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"
#include "train/nn/layers_internal.h"

typedef struct {
  TF_Output gamma, beta, mean, variance;  // the first two may be empty
} normalization_weights_t;

static normalization_weights_t make_weights(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                            const sl_batch_normalization_options_t *options) {
  normalization_weights_t weights = {0};
  sli_layer_weight_t ones = {.initializer = SL_ONES, .not_trainable = options->not_trainable};
  sli_layer_weight_t zeros = {.initializer = SL_ZEROS, .not_trainable = options->not_trainable};
  if (!options->no_scale) weights.gamma = sli_layer_kernel(scope, "gamma", dtype, shape, ones);
  if (!options->no_center) weights.beta = sli_layer_kernel(scope, "beta", dtype, shape, zeros);
  ones.not_trainable = zeros.not_trainable = true;
  weights.mean = sli_layer_kernel(scope, "moving_mean", dtype, shape, zeros);
  weights.variance = sli_layer_kernel(scope, "moving_variance", dtype, shape, ones);
  return weights;
}

// average -= (average - value) * (1 - momentum). Uses |number| if |momentum| is empty. Returns the new average.
static TF_Output move_average(sl_scope_t *scope, TF_Output average, TF_Output value, TF_Output momentum,
                              double number) {
  TF_Output moved = {0};
  const sl_variable_info_t *variable = sli_train_variable_require(scope, average, "sl_batch_normalization");
  if (!variable) return moved;
  SL_NAME_SCOPE (scope, "AssignMovingAvg") {
    SL_COLOCATE_WITH(scope, variable->reference.oper) {
      char *whole = sli_build_scope_node_name(scope);
      TF_Output rate = momentum.oper ? sli_build_number_left(scope, "Sub", "sub", 1, momentum)
                                     : sli_build_constant_fill(scope, variable->dtype, SL_SHAPE(), 1 - number, "decay");
      TF_Output difference = sl_binary(scope, "Sub", "sub", average, value, NULL);
      TF_Output change = sl_binary(scope, "Mul", "mul", difference, rate, NULL);
      moved = sli_train_variable_update_value(scope, "AssignSub", variable, change, whole, false);
      free(whole);
    }
  }
  return moved;
}

// Shared by the branches for training and for inference.
typedef struct {
  TF_Output x;
  normalization_weights_t weights;
  double momentum, epsilon;
  TF_Output average, value;  // of vectors: the average to update, and the new value
} normalization_t;

// --- Images ---

static TF_Operation *fused_node(sl_scope_t *scope, const normalization_t *batch, bool training) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormV3", NULL);
  sl_node_input(node, batch->x);
  sl_node_input(node, batch->weights.gamma);
  sl_node_input(node, batch->weights.beta);
  sl_node_input(node, batch->weights.mean);
  sl_node_input(node, batch->weights.variance);
  sl_node_attr_float(node, "epsilon", (float)batch->epsilon);
  sl_node_attr_bool(node, "is_training", training);
  return sl_node_finish(node);
}

// The normalised images, their mean and their variance.
enum { IMAGES, MEAN, VARIANCE, RESULTS };

static void fused_results(sl_scope_t *scope, const normalization_t *batch, bool training, TF_Output *out_results) {
  TF_Operation *operation = fused_node(scope, batch, training);
  for (int i = 0; i < RESULTS; i++) out_results[i] = (TF_Output){operation, operation ? i : 0};
}

static void fused_training(sl_scope_t *scope, void *data, TF_Output *out_results) {
  fused_results(scope, data, true, out_results);
}

static void fused_inference(sl_scope_t *scope, void *data, TF_Output *out_results) {
  fused_results(scope, data, false, out_results);
}

static void given_momentum(sl_scope_t *scope, void *data, TF_Output *out_results) {
  out_results[0] =
      sli_build_constant_fill(scope, TF_FLOAT, SL_SHAPE(), ((const normalization_t *)data)->momentum, "Const");
}

// Leaves the averages unchanged.
static void full_momentum(sl_scope_t *scope, void *data, TF_Output *out_results) {
  out_results[0] = sli_build_constant_fill(scope, TF_FLOAT, SL_SHAPE(), 1, "Const");
}

static TF_Output normalise_images(sl_scope_t *scope, normalization_t *batch, bool training, TF_Output when) {
  normalization_weights_t *weights = &batch->weights;
  sl_shape_t shape = sl_static_shape(scope, weights->mean);
  TF_DataType dtype = sl_dtype(batch->x);
  if (!weights->beta.oper) weights->beta = sl_zeros_with(scope, dtype, shape, SL_OP_OPTIONS(.name = "Const"));
  if (!weights->gamma.oper) weights->gamma = sl_ones_with(scope, dtype, shape, SL_OP_OPTIONS(.name = "Const"));
  TF_Output results[RESULTS], momentum = {0};
  if (when.oper) {
    sl_outputs_t either = sl_cond_with(scope, when, fused_training, fused_inference, batch, RESULTS, NULL);
    for (int i = 0; i < RESULTS; i++) results[i] = either.items[i];
    momentum = sl_cond_with(scope, when, given_momentum, full_momentum, batch, 1, NULL).items[0];
  } else {
    fused_results(scope, batch, training, results);
    if (training) given_momentum(scope, batch, &momentum);
  }
  if (momentum.oper) {
    sl_collection_add(scope, SL_UPDATE_OPS, move_average(scope, weights->mean, results[MEAN], momentum, 0));
    sl_collection_add(scope, SL_UPDATE_OPS, move_average(scope, weights->variance, results[VARIANCE], momentum, 0));
  }
  return results[IMAGES];
}

// --- Vectors ---

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
    *out_mean = sli_build_squeeze(scope, mean, 0);
    *out_variance = sli_build_squeeze(scope, variance, 0);
  }
}

// x * (gamma / deviation) + (beta - mean * gamma / deviation)
static TF_Output normalise(sl_scope_t *scope, TF_Output x, TF_Output mean, TF_Output variance,
                           normalization_weights_t weights, double epsilon) {
  TF_Output y = {0};
  SL_NAME_SCOPE (scope, "batchnorm") {
    TF_Output factor = sl_unary(scope, "Rsqrt", sli_build_number_right(scope, "AddV2", "add", variance, epsilon), NULL);
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

static void take_value(sl_scope_t *scope, void *data, TF_Output *out_results) {
  out_results[0] = ((const normalization_t *)data)->value;
}

static void take_average(sl_scope_t *scope, void *data, TF_Output *out_results) {
  out_results[0] = ((const normalization_t *)data)->average;
}

static void build_move(sl_scope_t *scope, void *data, TF_Output *out_results) {
  const normalization_t *batch = data;
  out_results[0] = move_average(scope, batch->average, batch->value, (TF_Output){0}, batch->momentum);
}

static TF_Output normalise_vectors(sl_scope_t *scope, normalization_t *batch, bool training, TF_Output when) {
  const TF_Output averages[] = {batch->weights.mean, batch->weights.variance};
  TF_Output used[] = {averages[0], averages[1]}, moved = {0};
  if (training || when.oper) moments(scope, batch->x, &used[0], &used[1]);
  for (int i = 0; when.oper && i < 2; i++) {
    batch->average = averages[i];
    batch->value = used[i];
    used[i] = sl_cond_with(scope, when, take_value, take_average, batch, 1, NULL).items[0];
  }
  for (int i = 0; (training || when.oper) && i < 2; i++) {
    batch->average = averages[i];
    batch->value = used[i];
    if (when.oper)
      moved = sl_cond_with(scope, when, build_move, take_average, batch, 1, NULL).items[0];
    else
      build_move(scope, batch, &moved);
    sl_collection_add(scope, SL_UPDATE_OPS, moved);
  }
  return normalise(scope, batch->x, used[0], used[1], batch->weights, batch->epsilon);
}

TF_Output sl_batch_normalization_with(sl_scope_t *scope, TF_Output x, const sl_batch_normalization_options_t *given) {
  SLI_CALL_OPTIONS(sl_batch_normalization_options_t, options, given);
  int rank = sl_static_shape(scope, x).rank;
  TF_Output y = {0};
  if (!sli_layer_check_input(scope, x, rank == 4 ? 4 : 2, "batch_normalization")) return y;
  sl_shape_t shape = SL_SHAPE(sl_static_shape(scope, x).dims[rank - 1]);
  SL_BLOCK(sli_layer_enter(scope, options.name, "batch_normalization", options.reuse)) {
    normalization_t batch = {.x = x,
                             .weights = make_weights(scope, sl_dtype(x), shape, &options),
                             .momentum = options.momentum != 0 ? options.momentum : 0.99,
                             .epsilon = options.epsilon != 0 ? options.epsilon : 0.001};
    y = rank == 4 ? normalise_images(scope, &batch, options.training, options.training_when)
                  : normalise_vectors(scope, &batch, options.training, options.training_when);
  }
  return y;
}
