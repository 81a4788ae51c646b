// Layers: a variable scope with the layer's variables, and the nodes that use
// them in the name scope of the same name.
#include "sluice/layers.h"

#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/layers_internal.h"
#include "train/ops_internal.h"
#include "train/options_internal.h"
#include "train/tensor.h"

// --- What they share ---

sl_block_t sli_layer_enter(sl_scope_t *scope, const char *name, const char *usual, sl_reuse_t reuse) {
  return sl_variable_scope_enter_with(scope, name,
                                      SL_OPTIONS(sl_variable_scope_options_t, .reuse = reuse, .default_name = usual));
}

TF_Output sli_layer_activate(sl_scope_t *scope, TF_Output x, sl_activation_t activation) {
  static const char *const ops[] = {
      [SL_RELU] = "Relu", [SL_SIGMOID] = "Sigmoid",   [SL_TANH] = "Tanh",  [SL_SOFTMAX] = "Softmax",
      [SL_ELU] = "Elu",   [SL_SOFTPLUS] = "Softplus", [SL_RELU6] = "Relu6"};
  if (activation == SL_LINEAR) return x;
  if ((size_t)activation >= SLI_COUNT_OF(ops)) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "no activation has number %d", (int)activation);
    return (TF_Output){0};
  }
  return sl_unary(scope, ops[activation], x, NULL);
}

TF_Output sli_layer_kernel(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                           sli_weight_t weight) {
  return sl_get_variable_with(scope, name, dtype, shape,
                              SL_OPTIONS(sl_get_variable_options_t, .initializer = weight.initializer,
                                         .regularizer = weight.regularizer, .not_trainable = weight.not_trainable));
}

TF_Output sli_layer_bias(sl_scope_t *scope, TF_DataType dtype, int64_t units, sli_weight_t weight) {
  if (weight.initializer.kind == SL_INITIALIZER_DEFAULT) weight.initializer = SL_ZEROS;
  return sli_layer_kernel(scope, "bias", dtype, SL_SHAPE(units), weight);
}

bool sli_layer_check(sl_scope_t *scope, TF_Output x, int rank, const char *layer) {
  sl_shape_t shape = sl_static_shape(scope, x);
  if (sli_scope_ok(scope) && (shape.rank != rank || shape.dims[rank - 1] < 0)) {
    char *text = sli_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "the input of a %s layer needs rank %d and a known last dimension, but has shape %s", layer, rank,
                  text);
    free(text);
  }
  return sli_scope_ok(scope);
}

// --- Dense ---

// x · kernel where |x| has more than two dimensions, with the nodes of tf.tensordot.
static TF_Output tensordot(sl_scope_t *scope, TF_Output x, TF_Output kernel, int rank, int64_t units) {
  TF_Output y = {0};
  SL_NAME_SCOPE (scope, "Tensordot") {
    char *whole = sli_scope_own_name(scope);
    int32_t last[] = {rank - 1}, others[SL_MAX_RANK], width[] = {(int32_t)units};
    for (int i = 0; i < rank - 1; i++) others[i] = i;
    TF_Output axes = sli_constant_int32s(scope, last, 1, "axes");
    TF_Output free_axes = sli_constant_int32s(scope, others, (size_t)rank - 1, "free");
    TF_Output shape = sli_shape_node(scope, x);
    TF_Output free_dims = sli_gather_rows(scope, shape, free_axes, NULL),
              dims = sli_gather_rows(scope, shape, axes, NULL);
    TF_Output rows = sl_reduce(scope, "Prod", free_dims, NULL), columns = sl_reduce(scope, "Prod", dims, NULL);
    TF_Output order = sli_concat(scope, (TF_Output[]){free_axes, axes}, 2, 0, NULL);
    TF_Output flat_shape = sli_pack(scope, (TF_Output[]){rows, columns}, 2, NULL);
    TF_Output turned = sl_binary(scope, "Transpose", "transpose", x, order, NULL);
    TF_Output flat = sl_binary(scope, "Reshape", "Reshape", turned, flat_shape, NULL);
    TF_Output product = sl_matmul_with(scope, flat, kernel, NULL);
    TF_Output width_node = sli_constant_int32s(scope, width, 1, "Const_2");
    TF_Output y_shape = sli_concat(scope, (TF_Output[]){free_dims, width_node}, 2, 0, NULL);
    y = sl_binary(scope, "Reshape", whole, product, y_shape, NULL);
    free(whole);
  }
  return y;
}

static TF_Output dense_nodes(sl_scope_t *scope, TF_Output x, sl_shape_t shape, int64_t units,
                             const sl_dense_options_t *options) {
  TF_DataType dtype = sl_dtype(x);
  sli_weight_t weight = {options->kernel_initializer, options->kernel_regularizer, options->not_trainable};
  TF_Output kernel = sli_layer_kernel(scope, "kernel", dtype, SL_SHAPE(shape.dims[shape.rank - 1], units), weight),
            bias = {0};
  weight = (sli_weight_t){options->bias_initializer, options->bias_regularizer, options->not_trainable};
  if (!options->no_bias) bias = sli_layer_bias(scope, dtype, units, weight);
  TF_Output y =
      shape.rank == 2 ? sl_matmul_with(scope, x, kernel, NULL) : tensordot(scope, x, kernel, shape.rank, units);
  if (!options->no_bias) y = sl_bias_add_with(scope, y, bias, NULL);
  return sli_layer_activate(scope, y, options->activation);
}

TF_Output sl_dense_with(sl_scope_t *scope, TF_Output x, int64_t units, const sl_dense_options_t *given) {
  SLI_READ_OPTIONS(sl_dense_options_t, options, given);
  sl_shape_t shape = sl_static_shape(scope, x);
  if (sli_scope_ok(scope) && (shape.rank < 2 || shape.dims[shape.rank - 1] < 0)) {
    char *text = sli_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "the input of a dense layer needs rank 2 and a known last dimension, but has shape %s", text);
    free(text);
  }
  if (units <= 0) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "a dense layer of %lld units", (long long)units);
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  TF_Output y = {0};
  SL_BLOCK(sli_layer_enter(scope, options.name, "dense", options.reuse)) {
    y = dense_nodes(scope, x, shape, units, &options);
  }
  return y;
}

// --- Without variables ---

TF_Output sl_flatten_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_shape_t shape = sl_static_shape(scope, x);
  int32_t dims[2] = {-1, 1};
  for (int i = 1; i < shape.rank; i++) dims[1] = shape.dims[i] < 0 ? -1 : dims[1] * (int32_t)shape.dims[i];
  if (sli_scope_ok(scope) && (shape.rank < 1 || dims[1] < 0)) {
    char *text = sli_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_flatten needs known sizes but for the first; the shape is %s", text);
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
static TF_Output keep_some(sl_scope_t *scope, TF_Output x, TF_Output scaled, double number, TF_Output rate,
                           int64_t seed) {
  TF_DataType dtype = sl_dtype(x);
  TF_Output shape = sli_shape_node(scope, x), random = {0};
  SL_NAME_SCOPE (scope, "random_uniform") {
    random = sli_random_uniform_node(scope, shape, dtype, seed);
  }
  TF_Output kept = rate.oper ? sl_binary(scope, "GreaterEqual", "GreaterEqual", random, rate, NULL)
                             : sli_number_right(scope, "GreaterEqual", "GreaterEqual", random, number);
  TF_Output zero = sli_constant_fill(scope, dtype, SL_SHAPE(), 0, "Const");
  sl_node_t *node = sl_node_begin(scope, "SelectV2", NULL);
  sl_node_input(node, kept);
  sl_node_input(node, scaled);
  sl_node_input(node, zero);
  return sl_node_output(node);
}

TF_Output sli_layer_drop(sl_scope_t *scope, TF_Output x, double rate, int64_t seed) {
  TF_Output y = {0};
  SL_NAME_SCOPE (scope, "dropout") {
    TF_Output scale = sli_constant_fill(scope, sl_dtype(x), SL_SHAPE(), 1 / (1 - rate), "Const");
    TF_Output scaled = sl_binary(scope, "Mul", "Mul", x, scale, NULL);
    y = keep_some(scope, x, scaled, rate, (TF_Output){0}, seed);
  }
  return y;
}

TF_Output sl_nn_dropout_with(sl_scope_t *scope, TF_Output x, TF_Output keep_prob,
                             const sl_nn_dropout_options_t *given) {
  SLI_READ_OPTIONS(sl_nn_dropout_options_t, options, given);
  if (!x.oper || !keep_prob.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_nn_dropout: an input is empty");
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  TF_Output y = {0}, rate = sli_number_left(scope, "Sub", "sub", 1, keep_prob);
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "dropout") {
    rate = sl_cast_with(scope, rate, sl_dtype(x), SL_OP_OPTIONS(.name = "rate"));
    TF_Output one = sli_constant_fill(scope, sl_dtype(x), SL_SHAPE(), 1, "Const");
    TF_Output kept = sl_binary(scope, "Sub", "Sub", one, rate, NULL);
    y = keep_some(scope, x, sl_binary(scope, "RealDiv", "RealDiv", x, kept, NULL), 0, rate, options.seed);
  }
  return y;
}

typedef struct {
  TF_Output x;
  double rate;
  int64_t seed;
} dropout_t;

static void dropped(sl_scope_t *scope, void *data, TF_Output *out_results) {
  const dropout_t *dropout = data;
  out_results[0] = sli_layer_drop(scope, dropout->x, dropout->rate, dropout->seed);
}

static void passed_on(sl_scope_t *scope, void *data, TF_Output *out_results) {
  out_results[0] = sl_unary(scope, "Identity", ((const dropout_t *)data)->x, NULL);
}

TF_Output sl_dropout_with(sl_scope_t *scope, TF_Output x, double rate, const sl_dropout_options_t *given) {
  SLI_READ_OPTIONS(sl_dropout_options_t, options, given);
  if (!x.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_dropout: the input is empty");
  if (!(rate >= 0 && rate < 1))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate=%g", rate);
  TF_Output y = {0};
  SL_BLOCK(sli_layer_enter(scope, options.name, "dropout", SL_REUSE_INHERIT)) {
    dropout_t dropout = {x, rate, options.seed};
    if (options.training_when.oper && rate > 0)
      y = sl_cond_with(scope, options.training_when, dropped, passed_on, &dropout, 1, NULL).items[0];
    else if (options.training && rate > 0)
      dropped(scope, &dropout, &y);
    else
      passed_on(scope, &dropout, &y);
  }
  return y;
}
