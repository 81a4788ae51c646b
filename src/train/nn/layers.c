// Layers: a variable scope with the layer's variables, and the nodes that use
// them in the name scope of the same name.
#include "sluice/layers.h"

#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/nn/layers_internal.h"

// --- Shared by all layers ---

sl_block_t sli_layer_enter(sl_scope_t *scope, const char *name, const char *usual, sl_reuse_t reuse) {
  return sl_variable_scope_enter_with(scope, name,
                                      SL_OPTIONS(sl_variable_scope_options_t, .reuse = reuse, .default_name = usual));
}

TF_Output sli_layer_activate(sl_scope_t *scope, TF_Output x, sl_activation_t activation) {
  static const char *const ops[] = {
      [SL_RELU] = "Relu", [SL_SIGMOID] = "Sigmoid",   [SL_TANH] = "Tanh",  [SL_SOFTMAX] = "Softmax",
      [SL_ELU] = "Elu",   [SL_SOFTPLUS] = "Softplus", [SL_RELU6] = "Relu6"};
  if (activation == SL_LINEAR) return x;
  if ((size_t)activation >= SLI_ARRAY_COUNT_OF(ops)) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "activation must be one of sl_activation_t, got %d", (int)activation);
    return (TF_Output){0};
  }
  return sl_unary(scope, ops[activation], x, NULL);
}

TF_Output sli_layer_kernel(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                           sli_layer_weight_t weight) {
  return sl_get_variable_with(scope, name, dtype, shape,
                              SL_OPTIONS(sl_get_variable_options_t, .initializer = weight.initializer,
                                         .regularizer = weight.regularizer, .not_trainable = weight.not_trainable));
}

TF_Output sli_layer_bias(sl_scope_t *scope, TF_DataType dtype, int64_t units, sli_layer_weight_t weight) {
  if (weight.initializer.kind == SL_INITIALIZER_DEFAULT) weight.initializer = SL_ZEROS;
  return sli_layer_kernel(scope, "bias", dtype, SL_SHAPE(units), weight);
}

bool sli_layer_check_rank(sl_scope_t *scope, TF_Output x, int rank, bool or_more, const char *layer) {
  sl_shape_t shape = sl_static_shape(scope, x);
  if (sli_scope_ok(scope) && shape.rank >= 0 && (or_more ? shape.rank < rank : shape.rank != rank)) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "Input 0 of layer \"%s\" is incompatible with the layer: expected %s=%d, found ndim=%d. Full shape "
                  "received: %s",
                  layer, or_more ? "min_ndim" : "ndim", rank, shape.rank, text);
    free(text);
  }
  return sli_scope_ok(scope);
}

bool sli_layer_check_input(sl_scope_t *scope, TF_Output x, int rank, const char *layer) {
  if (!sli_layer_check_rank(scope, x, rank, false, layer)) return false;
  sl_shape_t shape = sl_static_shape(scope, x);
  if (shape.rank < 0 || shape.dims[rank - 1] < 0) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "The channel dimension of the inputs should be defined. The input_shape received is %s, where axis "
                  "-1 (0-based) is the channel dimension, which found to be `None`.",
                  text);
    free(text);
  }
  return sli_scope_ok(scope);
}

bool sli_layer_check_scaled(sl_scope_t *scope, TF_Output x) {
  if (sli_scope_ok(scope) && !sli_tf_type_is_floating(sl_dtype(x)))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype=%s",
                  sli_tf_type_name(sl_dtype(x)));
  return sli_scope_ok(scope);
}

// --- Dense ---

// x · kernel for |x| of more than two dimensions, with the nodes of tf.tensordot.
static TF_Output tensordot(sl_scope_t *scope, TF_Output x, TF_Output kernel, int rank, int64_t units) {
  TF_Output y = {0};
  SL_NAME_SCOPE (scope, "Tensordot") {
    char *whole = sli_build_scope_node_name(scope);
    int32_t last[] = {rank - 1}, others[SL_MAX_RANK], width[] = {(int32_t)units};
    for (int i = 0; i < rank - 1; i++) others[i] = i;
    TF_Output axes = sli_build_constant_int32s(scope, last, 1, "axes");
    TF_Output free_axes = sli_build_constant_int32s(scope, others, (size_t)rank - 1, "free");
    TF_Output shape = sli_build_shape(scope, x);
    TF_Output free_dims = sli_build_gather_rows(scope, shape, free_axes, NULL),
              dims = sli_build_gather_rows(scope, shape, axes, NULL);
    TF_Output rows = sl_reduce(scope, "Prod", free_dims, NULL), columns = sl_reduce(scope, "Prod", dims, NULL);
    TF_Output order = sli_build_concat(scope, (TF_Output[]){free_axes, axes}, 2, 0, NULL);
    TF_Output flat_shape = sli_build_pack(scope, (TF_Output[]){rows, columns}, 2, NULL);
    TF_Output turned = sl_binary(scope, "Transpose", "transpose", x, order, NULL);
    TF_Output flat = sl_binary(scope, "Reshape", "Reshape", turned, flat_shape, NULL);
    TF_Output product = sl_matmul_with(scope, flat, kernel, NULL);
    TF_Output width_node = sli_build_constant_int32s(scope, width, 1, "Const_2");
    TF_Output y_shape = sli_build_concat(scope, (TF_Output[]){free_dims, width_node}, 2, 0, NULL);
    y = sl_binary(scope, "Reshape", whole, product, y_shape, NULL);
    free(whole);
  }
  return y;
}

static TF_Output dense_nodes(sl_scope_t *scope, TF_Output x, sl_shape_t shape, int64_t units,
                             const sl_dense_options_t *options) {
  TF_DataType dtype = sl_dtype(x);
  sli_layer_weight_t weight = {options->kernel_initializer, options->kernel_regularizer, options->not_trainable};
  TF_Output kernel = sli_layer_kernel(scope, "kernel", dtype, SL_SHAPE(shape.dims[shape.rank - 1], units), weight),
            bias = {0};
  weight = (sli_layer_weight_t){options->bias_initializer, options->bias_regularizer, options->not_trainable};
  if (!options->no_bias) bias = sli_layer_bias(scope, dtype, units, weight);
  TF_Output y =
      shape.rank == 2 ? sl_matmul_with(scope, x, kernel, NULL) : tensordot(scope, x, kernel, shape.rank, units);
  if (!options->no_bias) y = sl_bias_add_with(scope, y, bias, NULL);
  return sli_layer_activate(scope, y, options->activation);
}

TF_Output sl_dense_with(sl_scope_t *scope, TF_Output x, int64_t units, const sl_dense_options_t *given) {
  SLI_CALL_OPTIONS(sl_dense_options_t, options, given);
  sl_shape_t shape = sl_static_shape(scope, x);
  if (sli_layer_check_rank(scope, x, 2, true, "dense") && (shape.rank < 0 || shape.dims[shape.rank - 1] < 0)) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "The last dimension of the inputs to a Dense layer should be defined. Found None. Full input shape "
                  "received: %s",
                  text);
    free(text);
  }
  if (sli_scope_ok(scope) && !sli_tf_type_is_floating(sl_dtype(x)))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "A Dense layer can only be built with a floating-point dtype. Received: dtype=%s",
                  sli_tf_type_name(sl_dtype(x)));
  if (units < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "dense: units must be at least 1, got %lld", (long long)units);
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  TF_Output y = {0};
  SL_BLOCK(sli_layer_enter(scope, options.name, "dense", options.reuse)) {
    y = dense_nodes(scope, x, shape, units, &options);
  }
  return y;
}

// --- Layers without variables ---

TF_Output sl_flatten_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_shape_t shape = sl_static_shape(scope, x);
  int32_t dims[2] = {-1, 1};
  for (int i = 1; i < shape.rank; i++) dims[1] = shape.dims[i] < 0 ? -1 : dims[1] * (int32_t)shape.dims[i];
  if (sli_scope_ok(scope) && (shape.rank < 1 || dims[1] < 0)) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_flatten: all dimensions but the first must be known, got shape %s",
                  text);
    free(text);
  }
  TF_Output y = {0};
  SL_BLOCK(sli_layer_enter(scope, options ? options->name : NULL, "flatten", SL_REUSE_INHERIT)) {
    TF_Output wanted = sl_constant_with(scope, TF_INT32, SL_SHAPE(2), dims, NULL);
    y = sl_binary(scope, "Reshape", "Reshape", x, wanted, NULL);
  }
  return y;
}

// |scaled| where a random number for each element of |x| is at least |rate|, else 0. In the name scope "dropout".
static TF_Output select_kept(sl_scope_t *scope, TF_Output x, TF_Output scaled, double number, TF_Output rate,
                             int64_t seed) {
  TF_DataType dtype = sl_dtype(x);
  TF_Output shape = sli_build_shape(scope, x), random = {0};
  SL_NAME_SCOPE (scope, "random_uniform") {
    random = sli_build_random_uniform(scope, shape, dtype, seed);
  }
  TF_Output kept = rate.oper ? sl_binary(scope, "GreaterEqual", "GreaterEqual", random, rate, NULL)
                             : sli_build_number_right(scope, "GreaterEqual", "GreaterEqual", random, number);
  TF_Output zero = sli_build_constant_fill(scope, dtype, SL_SHAPE(), 0, "Const");
  sl_node_t *node = sl_node_begin(scope, "SelectV2", NULL);
  sl_node_input(node, kept);
  sl_node_input(node, scaled);
  sl_node_input(node, zero);
  return sl_node_output(node);
}

TF_Output sli_layer_dropout(sl_scope_t *scope, TF_Output x, double rate, int64_t seed) {
  TF_Output y = {0};
  SL_NAME_SCOPE (scope, "dropout") {
    TF_Output scale = sli_build_constant_fill(scope, sl_dtype(x), SL_SHAPE(), 1 / (1 - rate), "Const");
    TF_Output scaled = sl_binary(scope, "Mul", "Mul", x, scale, NULL);
    y = select_kept(scope, x, scaled, rate, (TF_Output){0}, seed);
  }
  return y;
}

TF_Output sl_nn_dropout_with(sl_scope_t *scope, TF_Output x, TF_Output keep_prob,
                             const sl_nn_dropout_options_t *given) {
  SLI_CALL_OPTIONS(sl_nn_dropout_options_t, options, given);
  if (!x.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_nn_dropout: x must not be empty");
  if (!keep_prob.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_nn_dropout: keep_prob must not be empty");
  if (!sli_build_check_scalar(scope, keep_prob, "sl_nn_dropout: keep_prob") || !sli_layer_check_scaled(scope, x))
    return (TF_Output){0};
  TF_Output y = {0}, rate = sli_build_number_left(scope, "Sub", "sub", 1, keep_prob);
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "dropout") {
    rate = sl_cast_with(scope, rate, sl_dtype(x), SL_OP_OPTIONS(.name = "rate"));
    TF_Output one = sli_build_constant_fill(scope, sl_dtype(x), SL_SHAPE(), 1, "Const");
    TF_Output kept = sl_binary(scope, "Sub", "Sub", one, rate, NULL);
    y = select_kept(scope, x, sl_binary(scope, "RealDiv", "RealDiv", x, kept, NULL), 0, rate, options.seed);
  }
  return y;
}

typedef struct {
  TF_Output x;
  double rate;
  int64_t seed;
} dropout_t;

static void build_dropout(sl_scope_t *scope, void *data, TF_Output *out_results) {
  const dropout_t *dropout = data;
  out_results[0] = sli_layer_dropout(scope, dropout->x, dropout->rate, dropout->seed);
}

static void build_identity(sl_scope_t *scope, void *data, TF_Output *out_results) {
  out_results[0] = sl_unary(scope, "Identity", ((const dropout_t *)data)->x, NULL);
}

TF_Output sl_dropout_with(sl_scope_t *scope, TF_Output x, double rate, const sl_dropout_options_t *given) {
  SLI_CALL_OPTIONS(sl_dropout_options_t, options, given);
  if (!x.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_dropout: x must not be empty");
  if (!(rate >= 0 && rate < 1))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate=%g", rate);
  bool drops = rate > 0 && (options.training || options.training_when.oper);
  if (drops && !sli_layer_check_scaled(scope, x)) return (TF_Output){0};
  TF_Output y = {0};
  SL_BLOCK(sli_layer_enter(scope, options.name, "dropout", SL_REUSE_INHERIT)) {
    dropout_t dropout = {x, rate, options.seed};
    if (drops && options.training_when.oper)
      y = sl_cond_with(scope, options.training_when, build_dropout, build_identity, &dropout, 1, NULL).items[0];
    else if (drops)
      build_dropout(scope, &dropout, &y);
    else
      build_identity(scope, &dropout, &y);
  }
  return y;
}
