// Layers: a variable scope with the layer's variables, and the nodes that use
// them in the name scope of the same name.
#include "sluice/layers.h"

#include <stdlib.h>

#include "train/options_internal.h"
#include "train/scope_internal.h"
#include "train/tensor.h"

static TF_Output activate(sl_scope_t *scope, TF_Output x, sl_activation_t activation) {
  static const char *const ops[] = {
      [SL_RELU] = "Relu", [SL_SIGMOID] = "Sigmoid", [SL_TANH] = "Tanh", [SL_SOFTMAX] = "Softmax"};
  if (activation == SL_LINEAR) return x;
  if ((size_t)activation >= SLI_COUNT_OF(ops)) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "no activation has number %d", (int)activation);
    return (TF_Output){0};
  }
  return sl_unary(scope, ops[activation], x, NULL);
}

static TF_Output dense_nodes(sl_scope_t *scope, TF_Output x, int64_t inputs, int64_t units,
                             const sl_dense_options_t *options) {
  TF_DataType dtype = sl_dtype(x);
  TF_Output kernel =
      sl_get_variable_with(scope, "kernel", dtype, SL_SHAPE(inputs, units),
                           SL_OPTIONS(sl_get_variable_options_t, .initializer = options->kernel_initializer,
                                      .not_trainable = options->not_trainable));
  sl_initializer_t bias_initializer = options->bias_initializer;
  if (bias_initializer.kind == SL_INITIALIZER_DEFAULT) bias_initializer = SL_ZEROS;
  TF_Output bias = {0};
  if (!options->no_bias)
    bias = sl_get_variable_with(scope, "bias", dtype, SL_SHAPE(units),
                                SL_OPTIONS(sl_get_variable_options_t, .initializer = bias_initializer,
                                           .not_trainable = options->not_trainable));
  TF_Output y = sl_matmul_with(scope, x, kernel, NULL);
  if (!options->no_bias) y = sl_bias_add_with(scope, y, bias, NULL);
  return activate(scope, y, options->activation);
}

TF_Output sl_dense_with(sl_scope_t *scope, TF_Output x, int64_t units, const sl_dense_options_t *given) {
  SLI_READ_OPTIONS(sl_dense_options_t, options, given);
  sl_shape_t shape = sl_static_shape(scope, x);
  if (sli_scope_ok(scope) && (shape.rank != 2 || shape.dims[1] < 0)) {
    char *text = sli_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "the input of a dense layer needs rank 2 and a known last dimension, but has shape %s", text);
    free(text);
  }
  if (units <= 0) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "a dense layer of %lld units", (long long)units);
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  char *name = options.name ? sli_strdup(options.name) : sli_scope_unique_variable_scope(scope, "dense");
  TF_Output y = {0};
  SL_VARIABLE_SCOPE (scope, name, .reuse = options.reuse) {
    y = dense_nodes(scope, x, shape.dims[1], units, &options);
  }
  free(name);
  return y;
}

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
  SL_NAME_SCOPE (scope, "%s", options && options->name ? options->name : "flatten") {
    TF_Output wanted = sl_constant_with(scope, TF_INT32, SL_SHAPE(2), dims, NULL);
    y = sl_binary(scope, "Reshape", "Reshape", x, wanted, NULL);
  }
  return y;
}
