// Convolution and pooling layers. As in TensorFlow, a sequence is computed as an
// image with one row (for pooling: one column).
#include <stdio.h>
#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/nn/layers_internal.h"

static const char *padding_name(sl_padding_t padding) { return padding == SL_SAME ? "SAME" : "VALID"; }
static int at_least_one(int number) { return number < 1 ? 1 : number; }

// |least| stride: 0 if 0 stands for 1.
static bool check_window(sl_scope_t *scope, int64_t filters, sl_size_t size, sl_size_t strides, int least,
                         const char *layer) {
  if (filters < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: filters must be at least 1, got %lld", layer, (long long)filters);
  if (size.rows < 1 || size.columns < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: size must be at least 1 x 1, got %d x %d", layer, size.rows,
                  size.columns);
  if (strides.rows < least || strides.columns < least)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: strides must be at least 1 x 1, got %d x %d", layer, strides.rows,
                  strides.columns);
  return sli_scope_ok(scope);
}

static void set_window(sl_node_t *node, const char *attr, sl_size_t size) {
  sl_node_attr_int_list(node, attr, (const int64_t[]){1, at_least_one(size.rows), at_least_one(size.columns), 1}, 4);
}

static TF_Output conv_node(sl_scope_t *scope, const char *op, const char *name, TF_Output x, TF_Output kernel,
                           sl_size_t strides, sl_padding_t padding) {
  sl_node_t *node = sl_node_begin(scope, op, name);
  sl_node_input(node, x);
  sl_node_input(node, kernel);
  set_window(node, "strides", strides);
  sl_node_attr_text(node, "padding", padding_name(padding));
  return sl_node_output(node);
}

static sli_layer_weight_t kernel_weight(const sl_conv_options_t *options) {
  return (sli_layer_weight_t){options->kernel_initializer, options->kernel_regularizer, options->not_trainable};
}

static TF_Output make_bias(sl_scope_t *scope, TF_DataType dtype, int64_t filters, const sl_conv_options_t *options) {
  if (options->no_bias) return (TF_Output){0};
  return sli_layer_bias(
      scope, dtype, filters,
      (sli_layer_weight_t){options->bias_initializer, options->bias_regularizer, options->not_trainable});
}

static TF_Output add_bias_and_activate(sl_scope_t *scope, TF_Output y, TF_Output bias,
                                       const sl_conv_options_t *options) {
  if (!options->no_bias) y = sl_bias_add_with(scope, y, bias, NULL);
  return sli_layer_activate(scope, y, options->activation);
}

TF_Output sl_conv2d_with(sl_scope_t *scope, TF_Output x, int64_t filters, sl_size_t size,
                         const sl_conv_options_t *given) {
  SLI_CALL_OPTIONS(sl_conv_options_t, options, given);
  TF_Output y = {0};
  if (!sli_layer_check_input(scope, x, 4, "conv2d") ||
      !check_window(scope, filters, size, options.strides, 0, "conv2d"))
    return y;
  int64_t channels = sl_static_shape(scope, x).dims[3];
  SL_BLOCK(sli_layer_enter(scope, options.name, "conv2d", options.reuse)) {
    TF_Output kernel = sli_layer_kernel(scope, "kernel", sl_dtype(x),
                                        SL_SHAPE(size.rows, size.columns, channels, filters), kernel_weight(&options));
    TF_Output bias = make_bias(scope, sl_dtype(x), filters, &options);
    y = add_bias_and_activate(scope, conv_node(scope, "Conv2D", NULL, x, kernel, options.strides, options.padding),
                              bias, &options);
  }
  return y;
}

TF_Output sl_conv1d_with(sl_scope_t *scope, TF_Output x, int64_t filters, int size, const sl_conv_options_t *given) {
  SLI_CALL_OPTIONS(sl_conv_options_t, options, given);
  TF_Output y = {0};
  if (!sli_layer_check_input(scope, x, 3, "conv1d") ||
      !check_window(scope, filters, SL_SIZE(size, 1), SL_SIZE(options.strides.rows, 1), 0, "conv1d"))
    return y;
  int64_t channels = sl_static_shape(scope, x).dims[2];
  SL_BLOCK(sli_layer_enter(scope, options.name, "conv1d", options.reuse)) {
    TF_Output kernel =
        sli_layer_kernel(scope, "kernel", sl_dtype(x), SL_SHAPE(size, channels, filters), kernel_weight(&options));
    TF_Output bias = make_bias(scope, sl_dtype(x), filters, &options);
    SL_NAME_SCOPE (scope, "Conv1D") {
      char *whole = sli_build_scope_node_name(scope);
      TF_Output image = sli_build_expand_dims(scope, x, -3), window = sli_build_expand_dims(scope, kernel, 0);
      sl_size_t strides = SL_SIZE(1, options.strides.rows);
      y = sli_build_squeeze(scope, conv_node(scope, "Conv2D", whole, image, window, strides, options.padding), -3);
      free(whole);
    }
    y = add_bias_and_activate(scope, y, bias, &options);
  }
  return y;
}

TF_Output sl_separable_conv2d_with(sl_scope_t *scope, TF_Output x, int64_t filters, sl_size_t size,
                                   const sl_conv_options_t *given) {
  SLI_CALL_OPTIONS(sl_conv_options_t, options, given);
  TF_Output y = {0};
  if (!sli_layer_check_input(scope, x, 4, "separable_conv2d") ||
      !check_window(scope, filters, size, options.strides, 0, "separable_conv2d"))
    return y;
  TF_DataType dtype = sl_dtype(x);
  int64_t channels = sl_static_shape(scope, x).dims[3], depth = at_least_one(options.depth_multiplier);
  SL_BLOCK(sli_layer_enter(scope, options.name, "separable_conv2d", options.reuse)) {
    TF_Output depthwise = sli_layer_kernel(scope, "depthwise_kernel", dtype,
                                           SL_SHAPE(size.rows, size.columns, channels, depth), kernel_weight(&options));
    TF_Output pointwise = sli_layer_kernel(scope, "pointwise_kernel", dtype, SL_SHAPE(1, 1, channels * depth, filters),
                                           kernel_weight(&options));
    TF_Output bias = make_bias(scope, dtype, filters, &options);
    SL_NAME_SCOPE (scope, "separable_conv2d") {
      char *whole = sli_build_scope_node_name(scope);
      TF_Output mixed =
          conv_node(scope, "DepthwiseConv2dNative", "depthwise", x, depthwise, options.strides, options.padding);
      y = conv_node(scope, "Conv2D", whole, mixed, pointwise, SL_SIZE(1, 1), SL_VALID);
      free(whole);
    }
    y = add_bias_and_activate(scope, y, bias, &options);
  }
  return y;
}

static int64_t grown(int64_t length, int stride, int size, sl_padding_t padding) {
  if (length < 0) return -1;
  return padding == SL_SAME ? length * stride : length * stride + (size > stride ? size - stride : 0);
}

// The size of the output along |axis|: a constant if the size of the input is known, else computed from it.
static TF_Output grown_size(sl_scope_t *scope, TF_Output shape, sl_shape_t known, int axis, int stride, int size,
                            sl_padding_t padding) {
  char name[32];
  snprintf(name, sizeof(name), "stack/%d", axis);
  int64_t length = grown(known.dims[axis], stride, size, padding);
  if (length >= 0) return sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), (double)length, name);
  TF_Output scaled = sli_build_number_right(scope, "Mul", "mul", sli_build_element(scope, shape, axis), stride);
  int extra = padding == SL_SAME || size <= stride ? 0 : size - stride;
  return extra ? sli_build_number_right(scope, "AddV2", "add", scaled, extra) : scaled;
}

TF_Output sl_conv2d_transpose_with(sl_scope_t *scope, TF_Output x, int64_t filters, sl_size_t size,
                                   const sl_conv_options_t *given) {
  SLI_CALL_OPTIONS(sl_conv_options_t, options, given);
  TF_Output y = {0};
  if (!sli_layer_check_input(scope, x, 4, "conv2d_transpose") ||
      !check_window(scope, filters, size, options.strides, 0, "conv2d_transpose"))
    return y;
  sl_shape_t known = sl_static_shape(scope, x);
  sl_size_t strides = SL_SIZE(at_least_one(options.strides.rows), at_least_one(options.strides.columns));
  SL_BLOCK(sli_layer_enter(scope, options.name, "conv2d_transpose", options.reuse)) {
    TF_Output kernel =
        sli_layer_kernel(scope, "kernel", sl_dtype(x), SL_SHAPE(size.rows, size.columns, filters, known.dims[3]),
                         kernel_weight(&options));
    TF_Output bias = make_bias(scope, sl_dtype(x), filters, &options);
    TF_Output shape = sli_build_shape(scope, x), batch = sli_build_element(scope, shape, 0);
    TF_Output rows = grown_size(scope, shape, known, 1, strides.rows, size.rows, options.padding);
    TF_Output columns = grown_size(scope, shape, known, 2, strides.columns, size.columns, options.padding);
    TF_Output depth = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), (double)filters, "stack/3");
    TF_Output sizes = sli_build_pack(scope, (TF_Output[]){batch, rows, columns, depth}, 4, NULL);
    sl_node_t *node = sl_node_begin(scope, "Conv2DBackpropInput", "conv2d_transpose");
    sl_node_input(node, sizes);
    sl_node_input(node, kernel);
    sl_node_input(node, x);
    set_window(node, "strides", strides);
    sl_node_attr_text(node, "padding", padding_name(options.padding));
    y = add_bias_and_activate(scope, sl_node_output(node), bias, &options);
  }
  return y;
}

// --- Pooling ---

static TF_Output pool_node(sl_scope_t *scope, const char *op, TF_Output x, sl_size_t size, sl_size_t strides,
                           sl_padding_t padding) {
  sl_node_t *node = sl_node_begin(scope, op, NULL);
  sl_node_input(node, x);
  set_window(node, "ksize", size);
  set_window(node, "strides", strides);
  sl_node_attr_text(node, "padding", padding_name(padding));
  return sl_node_output(node);
}

static TF_Output pool2d(sl_scope_t *scope, const char *op, const char *usual, TF_Output x, sl_size_t size,
                        sl_size_t strides, const sl_pool_options_t *given) {
  SLI_CALL_OPTIONS(sl_pool_options_t, options, given);
  TF_Output y = {0};
  if (!sli_layer_check_rank(scope, x, 4, false, usual) || !check_window(scope, 1, size, strides, 1, usual)) return y;
  SL_BLOCK(sli_layer_enter(scope, options.name, usual, SL_REUSE_INHERIT)) {
    y = pool_node(scope, op, x, size, strides, options.padding);
  }
  return y;
}

static TF_Output pool1d(sl_scope_t *scope, const char *op, const char *usual, TF_Output x, int size, int stride,
                        const sl_pool_options_t *given) {
  SLI_CALL_OPTIONS(sl_pool_options_t, options, given);
  TF_Output y = {0};
  if (!sli_layer_check_rank(scope, x, 3, false, usual) ||
      !check_window(scope, 1, SL_SIZE(size, 1), SL_SIZE(stride, 1), 1, usual))
    return y;
  SL_BLOCK(sli_layer_enter(scope, options.name, usual, SL_REUSE_INHERIT)) {
    TF_Output image = sli_build_expand_dims(scope, x, 2);
    y = sli_build_squeeze(scope, pool_node(scope, op, image, SL_SIZE(size, 1), SL_SIZE(stride, 1), options.padding), 2);
  }
  return y;
}

TF_Output sl_max_pooling2d_with(sl_scope_t *scope, TF_Output x, sl_size_t size, sl_size_t strides,
                                const sl_pool_options_t *options) {
  return pool2d(scope, "MaxPool", "max_pooling2d", x, size, strides, options);
}

TF_Output sl_average_pooling2d_with(sl_scope_t *scope, TF_Output x, sl_size_t size, sl_size_t strides,
                                    const sl_pool_options_t *options) {
  return pool2d(scope, "AvgPool", "average_pooling2d", x, size, strides, options);
}

TF_Output sl_max_pooling1d_with(sl_scope_t *scope, TF_Output x, int size, int stride,
                                const sl_pool_options_t *options) {
  return pool1d(scope, "MaxPool", "max_pooling1d", x, size, stride, options);
}

TF_Output sl_average_pooling1d_with(sl_scope_t *scope, TF_Output x, int size, int stride,
                                    const sl_pool_options_t *options) {
  return pool1d(scope, "AvgPool", "average_pooling1d", x, size, stride, options);
}
