// Ops: convolution, pooling, normalization, activations, losses, top k.
// Generated from src/ops/nn by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_NN_H_
#define SLUICE_OPS_NN_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// ApproxTopK(input: T) -> values: T, indices: int32
// The largest or smallest values along a dimension.
// k: int >= 0; reduction_dimension: int = -1; recall_target: float = 0.95; is_max_k: bool = true;
//   reduction_input_size_override: int = -1; aggregate_to_topk: bool = true; T: {half, bfloat16, float}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t reduction_dimension;
  float recall_target;
  bool is_max_k;
  int64_t reduction_input_size_override;
  bool aggregate_to_topk;
} sl_op_approx_top_k_options_t;
typedef struct {
  TF_Output values;
  TF_Output indices;
} sl_op_approx_top_k_t;
static inline sl_op_approx_top_k_t sl_op_approx_top_k_with(sl_scope_t *scope, TF_Output input, int64_t k,
    const sl_op_approx_top_k_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApproxTopK", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "k", k);
  sl_node_attr_int(node, "reduction_dimension", options->reduction_dimension);
  sl_node_attr_float(node, "recall_target", options->recall_target);
  sl_node_attr_bool(node, "is_max_k", options->is_max_k);
  sl_node_attr_int(node, "reduction_input_size_override", options->reduction_input_size_override);
  sl_node_attr_bool(node, "aggregate_to_topk", options->aggregate_to_topk);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_approx_top_k_t result;
  result.values = sl_op_output(operation, 0);
  result.indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_approx_top_k(scope, input, k, ...) \
  SL_OVER_DEFAULTS(sl_op_approx_top_k_with(SL_AT(scope), (input), (k), SL_OPTIONS(sl_op_approx_top_k_options_t, \
    .reduction_dimension = -1, .recall_target = (float)0.949999988, .is_max_k = true, \
    .reduction_input_size_override = -1, .aggregate_to_topk = true, __VA_ARGS__)))

// AvgPool(value: T) -> output: T
// The mean of each 2-D window.
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_avg_pool_options_t;
static inline TF_Output sl_op_avg_pool_with(sl_scope_t *scope, TF_Output value, sl_op_ints_t ksize,
    sl_op_ints_t strides, const char *padding, const sl_op_avg_pool_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AvgPool", options->name);
  sl_node_input(node, value);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_avg_pool(scope, value, ksize, strides, padding, ...) \
  sl_op_avg_pool_with(SL_AT(scope), (value), (ksize), (strides), (padding), SL_OPTIONS(sl_op_avg_pool_options_t, \
    __VA_ARGS__))

// AvgPool3D(input: T) -> output: T
// The mean of each 3-D window.
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_avg_pool3d_options_t;
static inline TF_Output sl_op_avg_pool3d_with(sl_scope_t *scope, TF_Output input, sl_op_ints_t ksize,
    sl_op_ints_t strides, const char *padding, const sl_op_avg_pool3d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AvgPool3D", options->name);
  sl_node_input(node, input);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_avg_pool3d(scope, input, ksize, strides, padding, ...) \
  sl_op_avg_pool3d_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS(sl_op_avg_pool3d_options_t, \
    __VA_ARGS__))

// AvgPool3DGrad(orig_input_shape: int32, grad: T) -> output: T
// The gradient of AvgPool3D.
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_avg_pool3d_grad_options_t;
static inline TF_Output sl_op_avg_pool3d_grad_with(sl_scope_t *scope, TF_Output orig_input_shape, TF_Output grad,
    sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding, const sl_op_avg_pool3d_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AvgPool3DGrad", options->name);
  sl_node_input(node, orig_input_shape);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_avg_pool3d_grad(scope, orig_input_shape, grad, ksize, strides, padding, ...) \
  sl_op_avg_pool3d_grad_with(SL_AT(scope), (orig_input_shape), (grad), (ksize), (strides), (padding), SL_OPTIONS( \
    sl_op_avg_pool3d_grad_options_t, __VA_ARGS__))

// AvgPoolGrad(orig_input_shape: int32, grad: T) -> output: T
// The gradient of AvgPool.
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_avg_pool_grad_options_t;
static inline TF_Output sl_op_avg_pool_grad_with(sl_scope_t *scope, TF_Output orig_input_shape, TF_Output grad,
    sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding, const sl_op_avg_pool_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AvgPoolGrad", options->name);
  sl_node_input(node, orig_input_shape);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_avg_pool_grad(scope, orig_input_shape, grad, ksize, strides, padding, ...) \
  sl_op_avg_pool_grad_with(SL_AT(scope), (orig_input_shape), (grad), (ksize), (strides), (padding), SL_OPTIONS( \
    sl_op_avg_pool_grad_options_t, __VA_ARGS__))

// BatchNormWithGlobalNormalization(t: T, m: T, v: T, beta: T, gamma: T) -> result: T
// Batch normalisation with given moments.
// T: numbertype; variance_epsilon: float; scale_after_normalization: bool
// Differentiable. Deprecated since GraphDef version 9: Use tf.nn.batch_normalization()
static inline TF_Output sl_op_batch_norm_with_global_normalization_with(sl_scope_t *scope, TF_Output t, TF_Output m,
    TF_Output v, TF_Output beta, TF_Output gamma, float variance_epsilon, bool scale_after_normalization,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchNormWithGlobalNormalization", options->name);
  sl_node_input(node, t);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, beta);
  sl_node_input(node, gamma);
  sl_node_attr_float(node, "variance_epsilon", variance_epsilon);
  sl_node_attr_bool(node, "scale_after_normalization", scale_after_normalization);
  return sl_node_output(node);
}
#define sl_op_batch_norm_with_global_normalization(scope, t, m, v, beta, gamma, variance_epsilon, \
    scale_after_normalization, ...) \
  sl_op_batch_norm_with_global_normalization_with(SL_AT(scope), (t), (m), (v), (beta), (gamma), (variance_epsilon), ( \
    scale_after_normalization), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchNormWithGlobalNormalizationGrad(t: T, m: T, v: T, gamma: T, backprop: T) -> dx: T, dm: T, dv: T, db: T, dg: T
// The gradient of BatchNormWithGlobalNormalization.
// T: numbertype; variance_epsilon: float; scale_after_normalization: bool
// No gradient. Deprecated since GraphDef version 9: Use tf.nn.batch_normalization()
typedef struct {
  TF_Output dx;
  TF_Output dm;
  TF_Output dv;
  TF_Output db;
  TF_Output dg;
} sl_op_batch_norm_with_global_normalization_grad_t;
static inline sl_op_batch_norm_with_global_normalization_grad_t sl_op_batch_norm_with_global_normalization_grad_with(
    sl_scope_t *scope, TF_Output t, TF_Output m, TF_Output v, TF_Output gamma, TF_Output backprop,
    float variance_epsilon, bool scale_after_normalization, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchNormWithGlobalNormalizationGrad", options->name);
  sl_node_input(node, t);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, gamma);
  sl_node_input(node, backprop);
  sl_node_attr_float(node, "variance_epsilon", variance_epsilon);
  sl_node_attr_bool(node, "scale_after_normalization", scale_after_normalization);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_batch_norm_with_global_normalization_grad_t result;
  result.dx = sl_op_output(operation, 0);
  result.dm = sl_op_output(operation, 1);
  result.dv = sl_op_output(operation, 2);
  result.db = sl_op_output(operation, 3);
  result.dg = sl_op_output(operation, 4);
  return result;
}
#define sl_op_batch_norm_with_global_normalization_grad(scope, t, m, v, gamma, backprop, variance_epsilon, \
    scale_after_normalization, ...) \
  sl_op_batch_norm_with_global_normalization_grad_with(SL_AT(scope), (t), (m), (v), (gamma), (backprop), ( \
    variance_epsilon), (scale_after_normalization), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BiasAdd(value: T, bias: T) -> output: T
// Adds a vector along the channel dimension.
// T: numbertype; data_format: {'NHWC', 'NCHW'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_bias_add_options_t;
static inline TF_Output sl_op_bias_add_with(sl_scope_t *scope, TF_Output value, TF_Output bias,
    const sl_op_bias_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BiasAdd", options->name);
  sl_node_input(node, value);
  sl_node_input(node, bias);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_bias_add(scope, value, bias, ...) \
  sl_op_bias_add_with(SL_AT(scope), (value), (bias), SL_OPTIONS(sl_op_bias_add_options_t, __VA_ARGS__))

// BiasAddGrad(out_backprop: T) -> output: T
// The gradient of the bias of BiasAdd.
// T: numbertype; data_format: {'NHWC', 'NCHW'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_bias_add_grad_options_t;
static inline TF_Output sl_op_bias_add_grad_with(sl_scope_t *scope, TF_Output out_backprop,
    const sl_op_bias_add_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BiasAddGrad", options->name);
  sl_node_input(node, out_backprop);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_bias_add_grad(scope, out_backprop, ...) \
  sl_op_bias_add_grad_with(SL_AT(scope), (out_backprop), SL_OPTIONS(sl_op_bias_add_grad_options_t, __VA_ARGS__))

// BiasAddV1(value: T, bias: T) -> output: T
// Adds a vector along the last dimension.
// T: numbertype
// Differentiable.
static inline TF_Output sl_op_bias_add_v1_with(sl_scope_t *scope, TF_Output value, TF_Output bias,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BiasAddV1", options->name);
  sl_node_input(node, value);
  sl_node_input(node, bias);
  return sl_node_output(node);
}
#define sl_op_bias_add_v1(scope, value, bias, ...) \
  sl_op_bias_add_v1_with(SL_AT(scope), (value), (bias), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BlockLSTM(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> i: T, cs: T, f:
//   T, o: T, ci: T, co: T, h: T
// All steps of an LSTM.
// forget_bias: float = 1; cell_clip: float = 3; use_peephole: bool = false; T: {half, float}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float forget_bias;
  float cell_clip;
  bool use_peephole;
} sl_op_block_lstm_options_t;
typedef struct {
  TF_Output i;
  TF_Output cs;
  TF_Output f;
  TF_Output o;
  TF_Output ci;
  TF_Output co;
  TF_Output h;
} sl_op_block_lstm_t;
static inline sl_op_block_lstm_t sl_op_block_lstm_with(sl_scope_t *scope, TF_Output seq_len_max, TF_Output x,
    TF_Output cs_prev, TF_Output h_prev, TF_Output w, TF_Output wci, TF_Output wcf, TF_Output wco, TF_Output b,
    const sl_op_block_lstm_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BlockLSTM", options->name);
  sl_node_input(node, seq_len_max);
  sl_node_input(node, x);
  sl_node_input(node, cs_prev);
  sl_node_input(node, h_prev);
  sl_node_input(node, w);
  sl_node_input(node, wci);
  sl_node_input(node, wcf);
  sl_node_input(node, wco);
  sl_node_input(node, b);
  sl_node_attr_float(node, "forget_bias", options->forget_bias);
  sl_node_attr_float(node, "cell_clip", options->cell_clip);
  sl_node_attr_bool(node, "use_peephole", options->use_peephole);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_block_lstm_t result;
  result.i = sl_op_output(operation, 0);
  result.cs = sl_op_output(operation, 1);
  result.f = sl_op_output(operation, 2);
  result.o = sl_op_output(operation, 3);
  result.ci = sl_op_output(operation, 4);
  result.co = sl_op_output(operation, 5);
  result.h = sl_op_output(operation, 6);
  return result;
}
#define sl_op_block_lstm(scope, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, ...) \
  SL_OVER_DEFAULTS(sl_op_block_lstm_with(SL_AT(scope), (seq_len_max), (x), (cs_prev), (h_prev), (w), (wci), (wcf), ( \
    wco), (b), SL_OPTIONS(sl_op_block_lstm_options_t, .forget_bias = (float)1, .cell_clip = (float)3, __VA_ARGS__)))

// BlockLSTMGrad(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T, f:
//   T, o: T, ci: T, co: T, h: T, cs_grad: T, h_grad: T) -> x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T,
//   wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T
// The gradient of BlockLSTM.
// use_peephole: bool; T: {half, float}
// No gradient.
typedef struct {
  TF_Output x_grad;
  TF_Output cs_prev_grad;
  TF_Output h_prev_grad;
  TF_Output w_grad;
  TF_Output wci_grad;
  TF_Output wcf_grad;
  TF_Output wco_grad;
  TF_Output b_grad;
} sl_op_block_lstm_grad_t;
static inline sl_op_block_lstm_grad_t sl_op_block_lstm_grad_with(sl_scope_t *scope, TF_Output seq_len_max,
    TF_Output x, TF_Output cs_prev, TF_Output h_prev, TF_Output w, TF_Output wci, TF_Output wcf, TF_Output wco,
    TF_Output b, TF_Output i, TF_Output cs, TF_Output f, TF_Output o, TF_Output ci, TF_Output co, TF_Output h,
    TF_Output cs_grad, TF_Output h_grad, bool use_peephole, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BlockLSTMGrad", options->name);
  sl_node_input(node, seq_len_max);
  sl_node_input(node, x);
  sl_node_input(node, cs_prev);
  sl_node_input(node, h_prev);
  sl_node_input(node, w);
  sl_node_input(node, wci);
  sl_node_input(node, wcf);
  sl_node_input(node, wco);
  sl_node_input(node, b);
  sl_node_input(node, i);
  sl_node_input(node, cs);
  sl_node_input(node, f);
  sl_node_input(node, o);
  sl_node_input(node, ci);
  sl_node_input(node, co);
  sl_node_input(node, h);
  sl_node_input(node, cs_grad);
  sl_node_input(node, h_grad);
  sl_node_attr_bool(node, "use_peephole", use_peephole);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_block_lstm_grad_t result;
  result.x_grad = sl_op_output(operation, 0);
  result.cs_prev_grad = sl_op_output(operation, 1);
  result.h_prev_grad = sl_op_output(operation, 2);
  result.w_grad = sl_op_output(operation, 3);
  result.wci_grad = sl_op_output(operation, 4);
  result.wcf_grad = sl_op_output(operation, 5);
  result.wco_grad = sl_op_output(operation, 6);
  result.b_grad = sl_op_output(operation, 7);
  return result;
}
#define sl_op_block_lstm_grad(scope, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, \
    cs_grad, h_grad, use_peephole, ...) \
  sl_op_block_lstm_grad_with(SL_AT(scope), (seq_len_max), (x), (cs_prev), (h_prev), (w), (wci), (wcf), (wco), (b), ( \
    i), (cs), (f), (o), (ci), (co), (h), (cs_grad), (h_grad), (use_peephole), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// BlockLSTMGradV2(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T,
//   f: T, o: T, ci: T, co: T, h: T, cs_grad: T, h_grad: T) -> x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T,
//   wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T
// The gradient of BlockLSTMV2.
// use_peephole: bool; T: {half, float}
// No gradient.
typedef struct {
  TF_Output x_grad;
  TF_Output cs_prev_grad;
  TF_Output h_prev_grad;
  TF_Output w_grad;
  TF_Output wci_grad;
  TF_Output wcf_grad;
  TF_Output wco_grad;
  TF_Output b_grad;
} sl_op_block_lstm_grad_v2_t;
static inline sl_op_block_lstm_grad_v2_t sl_op_block_lstm_grad_v2_with(sl_scope_t *scope, TF_Output seq_len_max,
    TF_Output x, TF_Output cs_prev, TF_Output h_prev, TF_Output w, TF_Output wci, TF_Output wcf, TF_Output wco,
    TF_Output b, TF_Output i, TF_Output cs, TF_Output f, TF_Output o, TF_Output ci, TF_Output co, TF_Output h,
    TF_Output cs_grad, TF_Output h_grad, bool use_peephole, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BlockLSTMGradV2", options->name);
  sl_node_input(node, seq_len_max);
  sl_node_input(node, x);
  sl_node_input(node, cs_prev);
  sl_node_input(node, h_prev);
  sl_node_input(node, w);
  sl_node_input(node, wci);
  sl_node_input(node, wcf);
  sl_node_input(node, wco);
  sl_node_input(node, b);
  sl_node_input(node, i);
  sl_node_input(node, cs);
  sl_node_input(node, f);
  sl_node_input(node, o);
  sl_node_input(node, ci);
  sl_node_input(node, co);
  sl_node_input(node, h);
  sl_node_input(node, cs_grad);
  sl_node_input(node, h_grad);
  sl_node_attr_bool(node, "use_peephole", use_peephole);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_block_lstm_grad_v2_t result;
  result.x_grad = sl_op_output(operation, 0);
  result.cs_prev_grad = sl_op_output(operation, 1);
  result.h_prev_grad = sl_op_output(operation, 2);
  result.w_grad = sl_op_output(operation, 3);
  result.wci_grad = sl_op_output(operation, 4);
  result.wcf_grad = sl_op_output(operation, 5);
  result.wco_grad = sl_op_output(operation, 6);
  result.b_grad = sl_op_output(operation, 7);
  return result;
}
#define sl_op_block_lstm_grad_v2(scope, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, \
    h, cs_grad, h_grad, use_peephole, ...) \
  sl_op_block_lstm_grad_v2_with(SL_AT(scope), (seq_len_max), (x), (cs_prev), (h_prev), (w), (wci), (wcf), (wco), (b), \
    (i), (cs), (f), (o), (ci), (co), (h), (cs_grad), (h_grad), (use_peephole), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// BlockLSTMV2(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> i: T, cs: T, f:
//   T, o: T, ci: T, co: T, h: T
// All steps of an LSTM, with the gates in the order i, f, c, o.
// cell_clip: float = 0; use_peephole: bool = false; T: {half, float}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float cell_clip;
  bool use_peephole;
} sl_op_block_lstm_v2_options_t;
typedef struct {
  TF_Output i;
  TF_Output cs;
  TF_Output f;
  TF_Output o;
  TF_Output ci;
  TF_Output co;
  TF_Output h;
} sl_op_block_lstm_v2_t;
static inline sl_op_block_lstm_v2_t sl_op_block_lstm_v2_with(sl_scope_t *scope, TF_Output seq_len_max, TF_Output x,
    TF_Output cs_prev, TF_Output h_prev, TF_Output w, TF_Output wci, TF_Output wcf, TF_Output wco, TF_Output b,
    const sl_op_block_lstm_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BlockLSTMV2", options->name);
  sl_node_input(node, seq_len_max);
  sl_node_input(node, x);
  sl_node_input(node, cs_prev);
  sl_node_input(node, h_prev);
  sl_node_input(node, w);
  sl_node_input(node, wci);
  sl_node_input(node, wcf);
  sl_node_input(node, wco);
  sl_node_input(node, b);
  sl_node_attr_float(node, "cell_clip", options->cell_clip);
  sl_node_attr_bool(node, "use_peephole", options->use_peephole);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_block_lstm_v2_t result;
  result.i = sl_op_output(operation, 0);
  result.cs = sl_op_output(operation, 1);
  result.f = sl_op_output(operation, 2);
  result.o = sl_op_output(operation, 3);
  result.ci = sl_op_output(operation, 4);
  result.co = sl_op_output(operation, 5);
  result.h = sl_op_output(operation, 6);
  return result;
}
#define sl_op_block_lstm_v2(scope, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, ...) \
  sl_op_block_lstm_v2_with(SL_AT(scope), (seq_len_max), (x), (cs_prev), (h_prev), (w), (wci), (wcf), (wco), (b), \
    SL_OPTIONS(sl_op_block_lstm_v2_options_t, __VA_ARGS__))

// CTCBeamSearchDecoder(inputs: T, sequence_length: int32) -> decoded_indices: top_paths * int64, decoded_values:
//   top_paths * int64, decoded_shape: top_paths * int64, log_probability: T
// Decodes sequences by a beam search.
// beam_width: int >= 1; top_paths: int >= 1; merge_repeated: bool = true; T: {float, double} = DT_FLOAT
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool merge_repeated;
} sl_op_ctc_beam_search_decoder_options_t;
typedef struct {
  sl_op_list_t decoded_indices;
  sl_op_list_t decoded_values;
  sl_op_list_t decoded_shape;
  TF_Output log_probability;
} sl_op_ctc_beam_search_decoder_t;
static inline sl_op_ctc_beam_search_decoder_t sl_op_ctc_beam_search_decoder_with(sl_scope_t *scope, TF_Output inputs,
    TF_Output sequence_length, int64_t beam_width, int64_t top_paths,
    const sl_op_ctc_beam_search_decoder_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CTCBeamSearchDecoder", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, sequence_length);
  sl_node_attr_int(node, "beam_width", beam_width);
  sl_node_attr_int(node, "top_paths", top_paths);
  sl_node_attr_bool(node, "merge_repeated", options->merge_repeated);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ctc_beam_search_decoder_t result;
  int next = 0;
  result.decoded_indices = sl_op_list(operation, "decoded_indices", next);
  next += result.decoded_indices.count;
  result.decoded_values = sl_op_list(operation, "decoded_values", next);
  next += result.decoded_values.count;
  result.decoded_shape = sl_op_list(operation, "decoded_shape", next);
  next += result.decoded_shape.count;
  result.log_probability = sl_op_output(operation, next++);
  return result;
}
#define sl_op_ctc_beam_search_decoder(scope, inputs, sequence_length, beam_width, top_paths, ...) \
  SL_OVER_DEFAULTS(sl_op_ctc_beam_search_decoder_with(SL_AT(scope), (inputs), (sequence_length), (beam_width), ( \
    top_paths), SL_OPTIONS(sl_op_ctc_beam_search_decoder_options_t, .merge_repeated = true, __VA_ARGS__)))

// CTCGreedyDecoder(inputs: T, sequence_length: int32) -> decoded_indices: int64, decoded_values: int64,
//   decoded_shape: int64, log_probability: T
// Decodes sequences by the most likely label at each time.
// merge_repeated: bool = false; blank_index: int = -1; T: {float, double} = DT_FLOAT
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool merge_repeated;
  int64_t blank_index;
} sl_op_ctc_greedy_decoder_options_t;
typedef struct {
  TF_Output decoded_indices;
  TF_Output decoded_values;
  TF_Output decoded_shape;
  TF_Output log_probability;
} sl_op_ctc_greedy_decoder_t;
static inline sl_op_ctc_greedy_decoder_t sl_op_ctc_greedy_decoder_with(sl_scope_t *scope, TF_Output inputs,
    TF_Output sequence_length, const sl_op_ctc_greedy_decoder_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CTCGreedyDecoder", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, sequence_length);
  sl_node_attr_bool(node, "merge_repeated", options->merge_repeated);
  sl_node_attr_int(node, "blank_index", options->blank_index);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ctc_greedy_decoder_t result;
  result.decoded_indices = sl_op_output(operation, 0);
  result.decoded_values = sl_op_output(operation, 1);
  result.decoded_shape = sl_op_output(operation, 2);
  result.log_probability = sl_op_output(operation, 3);
  return result;
}
#define sl_op_ctc_greedy_decoder(scope, inputs, sequence_length, ...) \
  SL_OVER_DEFAULTS(sl_op_ctc_greedy_decoder_with(SL_AT(scope), (inputs), (sequence_length), SL_OPTIONS( \
    sl_op_ctc_greedy_decoder_options_t, .blank_index = -1, __VA_ARGS__)))

// CTCLoss(inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32) -> loss: T, gradient: T
// The CTC loss of each sequence, and its gradient.
// preprocess_collapse_repeated: bool = false; ctc_merge_repeated: bool = true; ignore_longer_outputs_than_inputs:
//   bool = false; T: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool preprocess_collapse_repeated;
  bool ctc_merge_repeated;
  bool ignore_longer_outputs_than_inputs;
} sl_op_ctc_loss_options_t;
typedef struct {
  TF_Output loss;
  TF_Output gradient;
} sl_op_ctc_loss_t;
static inline sl_op_ctc_loss_t sl_op_ctc_loss_with(sl_scope_t *scope, TF_Output inputs, TF_Output labels_indices,
    TF_Output labels_values, TF_Output sequence_length, const sl_op_ctc_loss_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CTCLoss", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, labels_indices);
  sl_node_input(node, labels_values);
  sl_node_input(node, sequence_length);
  sl_node_attr_bool(node, "preprocess_collapse_repeated", options->preprocess_collapse_repeated);
  sl_node_attr_bool(node, "ctc_merge_repeated", options->ctc_merge_repeated);
  sl_node_attr_bool(node, "ignore_longer_outputs_than_inputs", options->ignore_longer_outputs_than_inputs);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ctc_loss_t result;
  result.loss = sl_op_output(operation, 0);
  result.gradient = sl_op_output(operation, 1);
  return result;
}
#define sl_op_ctc_loss(scope, inputs, labels_indices, labels_values, sequence_length, ...) \
  SL_OVER_DEFAULTS(sl_op_ctc_loss_with(SL_AT(scope), (inputs), (labels_indices), (labels_values), (sequence_length), \
    SL_OPTIONS(sl_op_ctc_loss_options_t, .ctc_merge_repeated = true, __VA_ARGS__)))

// Conv2D(input: T, filter: T) -> output: T
// A 2-D convolution.
// T: {half, bfloat16, float, double, int32}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME',
//   'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations:
//   list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_cudnn_on_gpu;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv2d_options_t;
static inline TF_Output sl_op_conv2d_with(sl_scope_t *scope, TF_Output input, TF_Output filter, sl_op_ints_t strides,
    const char *padding, const sl_op_conv2d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv2D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_bool(node, "use_cudnn_on_gpu", options->use_cudnn_on_gpu);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv2d(scope, input, filter, strides, padding, ...) \
  SL_OVER_DEFAULTS(sl_op_conv2d_with(SL_AT(scope), (input), (filter), (strides), (padding), SL_OPTIONS( \
    sl_op_conv2d_options_t, .use_cudnn_on_gpu = true, __VA_ARGS__)))

// Conv2DBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> output: T
// The gradient of Conv2D with respect to the filter.
// T: {half, bfloat16, float, double}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME', 'VALID',
//   'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) =
//   [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_cudnn_on_gpu;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv2d_backprop_filter_options_t;
static inline TF_Output sl_op_conv2d_backprop_filter_with(sl_scope_t *scope, TF_Output input, TF_Output filter_sizes,
    TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv2d_backprop_filter_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv2DBackpropFilter", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter_sizes);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_bool(node, "use_cudnn_on_gpu", options->use_cudnn_on_gpu);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv2d_backprop_filter(scope, input, filter_sizes, out_backprop, strides, padding, ...) \
  SL_OVER_DEFAULTS(sl_op_conv2d_backprop_filter_with(SL_AT(scope), (input), (filter_sizes), (out_backprop), ( \
    strides), (padding), SL_OPTIONS(sl_op_conv2d_backprop_filter_options_t, .use_cudnn_on_gpu = true, __VA_ARGS__)))

// Conv2DBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> output: T
// The gradient of Conv2D with respect to the input.
// T: {half, bfloat16, float, double, int32}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME',
//   'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations:
//   list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_cudnn_on_gpu;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv2d_backprop_input_options_t;
static inline TF_Output sl_op_conv2d_backprop_input_with(sl_scope_t *scope, TF_Output input_sizes, TF_Output filter,
    TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv2d_backprop_input_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv2DBackpropInput", options->name);
  sl_node_input(node, input_sizes);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_bool(node, "use_cudnn_on_gpu", options->use_cudnn_on_gpu);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv2d_backprop_input(scope, input_sizes, filter, out_backprop, strides, padding, ...) \
  SL_OVER_DEFAULTS(sl_op_conv2d_backprop_input_with(SL_AT(scope), (input_sizes), (filter), (out_backprop), (strides), \
    (padding), SL_OPTIONS(sl_op_conv2d_backprop_input_options_t, .use_cudnn_on_gpu = true, __VA_ARGS__)))

// Conv3D(input: T, filter: T) -> output: T
// A 3-D convolution.
// T: {half, bfloat16, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC',
//   'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv3d_options_t;
static inline TF_Output sl_op_conv3d_with(sl_scope_t *scope, TF_Output input, TF_Output filter, sl_op_ints_t strides,
    const char *padding, const sl_op_conv3d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv3D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv3d(scope, input, filter, strides, padding, ...) \
  sl_op_conv3d_with(SL_AT(scope), (input), (filter), (strides), (padding), SL_OPTIONS(sl_op_conv3d_options_t, \
    __VA_ARGS__))

// Conv3DBackpropFilter(input: T, filter: T, out_backprop: T) -> output: T
// The gradient of Conv3D with respect to the filter.
// T: {half, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; dilations: list(int) = [1, 1, 1, 1,
//   1]
// No gradient. Deprecated since GraphDef version 10: Use Conv3DBackpropFilterV2
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t dilations;
} sl_op_conv3d_backprop_filter_options_t;
static inline TF_Output sl_op_conv3d_backprop_filter_with(sl_scope_t *scope, TF_Output input, TF_Output filter,
    TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv3d_backprop_filter_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv3DBackpropFilter", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv3d_backprop_filter(scope, input, filter, out_backprop, strides, padding, ...) \
  sl_op_conv3d_backprop_filter_with(SL_AT(scope), (input), (filter), (out_backprop), (strides), (padding), SL_OPTIONS( \
    sl_op_conv3d_backprop_filter_options_t, __VA_ARGS__))

// Conv3DBackpropFilterV2(input: T, filter_sizes: int32, out_backprop: T) -> output: T
// The gradient of Conv3D with respect to the filter.
// T: {half, bfloat16, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC',
//   'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv3d_backprop_filter_v2_options_t;
static inline TF_Output sl_op_conv3d_backprop_filter_v2_with(sl_scope_t *scope, TF_Output input,
    TF_Output filter_sizes, TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv3d_backprop_filter_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv3DBackpropFilterV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter_sizes);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv3d_backprop_filter_v2(scope, input, filter_sizes, out_backprop, strides, padding, ...) \
  sl_op_conv3d_backprop_filter_v2_with(SL_AT(scope), (input), (filter_sizes), (out_backprop), (strides), (padding), \
    SL_OPTIONS(sl_op_conv3d_backprop_filter_v2_options_t, __VA_ARGS__))

// Conv3DBackpropInput(input: T, filter: T, out_backprop: T) -> output: T
// The gradient of Conv3D with respect to the input.
// T: {half, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; dilations: list(int) = [1, 1, 1, 1,
//   1]
// No gradient. Deprecated since GraphDef version 10: Use Conv3DBackpropInputV2
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t dilations;
} sl_op_conv3d_backprop_input_options_t;
static inline TF_Output sl_op_conv3d_backprop_input_with(sl_scope_t *scope, TF_Output input, TF_Output filter,
    TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv3d_backprop_input_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv3DBackpropInput", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv3d_backprop_input(scope, input, filter, out_backprop, strides, padding, ...) \
  sl_op_conv3d_backprop_input_with(SL_AT(scope), (input), (filter), (out_backprop), (strides), (padding), SL_OPTIONS( \
    sl_op_conv3d_backprop_input_options_t, __VA_ARGS__))

// Conv3DBackpropInputV2(input_sizes: Tshape, filter: T, out_backprop: T) -> output: T
// The gradient of Conv3D with respect to the input.
// T: {half, bfloat16, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC',
//   'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]; Tshape: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv3d_backprop_input_v2_options_t;
static inline TF_Output sl_op_conv3d_backprop_input_v2_with(sl_scope_t *scope, TF_Output input_sizes,
    TF_Output filter, TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv3d_backprop_input_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv3DBackpropInputV2", options->name);
  sl_node_input(node, input_sizes);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv3d_backprop_input_v2(scope, input_sizes, filter, out_backprop, strides, padding, ...) \
  sl_op_conv3d_backprop_input_v2_with(SL_AT(scope), (input_sizes), (filter), (out_backprop), (strides), (padding), \
    SL_OPTIONS(sl_op_conv3d_backprop_input_v2_options_t, __VA_ARGS__))

// DataFormatDimMap(x: T) -> y: T
// Converts dimension numbers from one data format to another.
// T: {int32, int64} = DT_INT32; src_format: string = 'NHWC'; dst_format: string = 'NCHW'
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *src_format;
  const char *dst_format;
} sl_op_data_format_dim_map_options_t;
static inline TF_Output sl_op_data_format_dim_map_with(sl_scope_t *scope, TF_Output x,
    const sl_op_data_format_dim_map_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DataFormatDimMap", options->name);
  sl_node_input(node, x);
  if (options->src_format) sl_node_attr_text(node, "src_format", options->src_format);
  if (options->dst_format) sl_node_attr_text(node, "dst_format", options->dst_format);
  return sl_node_output(node);
}
#define sl_op_data_format_dim_map(scope, x, ...) \
  sl_op_data_format_dim_map_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_data_format_dim_map_options_t, __VA_ARGS__))

// DataFormatVecPermute(x: T) -> y: T
// Permutes a vector with one value per dimension from one data format to another.
// T: {int32, int64} = DT_INT32; src_format: string = 'NHWC'; dst_format: string = 'NCHW'
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *src_format;
  const char *dst_format;
} sl_op_data_format_vec_permute_options_t;
static inline TF_Output sl_op_data_format_vec_permute_with(sl_scope_t *scope, TF_Output x,
    const sl_op_data_format_vec_permute_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DataFormatVecPermute", options->name);
  sl_node_input(node, x);
  if (options->src_format) sl_node_attr_text(node, "src_format", options->src_format);
  if (options->dst_format) sl_node_attr_text(node, "dst_format", options->dst_format);
  return sl_node_output(node);
}
#define sl_op_data_format_vec_permute(scope, x, ...) \
  sl_op_data_format_vec_permute_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_data_format_vec_permute_options_t, \
    __VA_ARGS__))

// DepthwiseConv2dNative(input: T, filter: T) -> output: T
// A 2-D convolution of each channel with its own filters.
// T: {half, bfloat16, float, double}; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings:
//   list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_depthwise_conv2d_native_options_t;
static inline TF_Output sl_op_depthwise_conv2d_native_with(sl_scope_t *scope, TF_Output input, TF_Output filter,
    sl_op_ints_t strides, const char *padding, const sl_op_depthwise_conv2d_native_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DepthwiseConv2dNative", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_depthwise_conv2d_native(scope, input, filter, strides, padding, ...) \
  sl_op_depthwise_conv2d_native_with(SL_AT(scope), (input), (filter), (strides), (padding), SL_OPTIONS( \
    sl_op_depthwise_conv2d_native_options_t, __VA_ARGS__))

// DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> output: T
// The gradient of DepthwiseConv2dNative with respect to the filter.
// T: {half, bfloat16, float, double}; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings:
//   list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_depthwise_conv2d_native_backprop_filter_options_t;
static inline TF_Output sl_op_depthwise_conv2d_native_backprop_filter_with(sl_scope_t *scope, TF_Output input,
    TF_Output filter_sizes, TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_depthwise_conv2d_native_backprop_filter_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DepthwiseConv2dNativeBackpropFilter", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter_sizes);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_depthwise_conv2d_native_backprop_filter(scope, input, filter_sizes, out_backprop, strides, padding, \
    ...) \
  sl_op_depthwise_conv2d_native_backprop_filter_with(SL_AT(scope), (input), (filter_sizes), (out_backprop), ( \
    strides), (padding), SL_OPTIONS(sl_op_depthwise_conv2d_native_backprop_filter_options_t, __VA_ARGS__))

// DepthwiseConv2dNativeBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> output: T
// The gradient of DepthwiseConv2dNative with respect to the input.
// T: {half, bfloat16, float, double}; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings:
//   list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_depthwise_conv2d_native_backprop_input_options_t;
static inline TF_Output sl_op_depthwise_conv2d_native_backprop_input_with(sl_scope_t *scope, TF_Output input_sizes,
    TF_Output filter, TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_depthwise_conv2d_native_backprop_input_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DepthwiseConv2dNativeBackpropInput", options->name);
  sl_node_input(node, input_sizes);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_depthwise_conv2d_native_backprop_input(scope, input_sizes, filter, out_backprop, strides, padding, \
    ...) \
  sl_op_depthwise_conv2d_native_backprop_input_with(SL_AT(scope), (input_sizes), (filter), (out_backprop), (strides), \
    (padding), SL_OPTIONS(sl_op_depthwise_conv2d_native_backprop_input_options_t, __VA_ARGS__))

// Dilation2D(input: T, filter: T) -> output: T
// The grayscale dilation of images.
// T: realnumbertype; strides: list(int) >= 4; rates: list(int) >= 4; padding: {'SAME', 'VALID'}
// Differentiable.
static inline TF_Output sl_op_dilation2d_with(sl_scope_t *scope, TF_Output input, TF_Output filter,
    sl_op_ints_t strides, sl_op_ints_t rates, const char *padding, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Dilation2D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_int_list(node, "rates", rates.values, rates.count);
  sl_node_attr_text(node, "padding", padding);
  return sl_node_output(node);
}
#define sl_op_dilation2d(scope, input, filter, strides, rates, padding, ...) \
  sl_op_dilation2d_with(SL_AT(scope), (input), (filter), (strides), (rates), (padding), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Dilation2DBackpropFilter(input: T, filter: T, out_backprop: T) -> filter_backprop: T
// The gradient of Dilation2D with respect to the filter.
// T: realnumbertype; strides: list(int) >= 4; rates: list(int) >= 4; padding: {'SAME', 'VALID'}
// No gradient.
static inline TF_Output sl_op_dilation2d_backprop_filter_with(sl_scope_t *scope, TF_Output input, TF_Output filter,
    TF_Output out_backprop, sl_op_ints_t strides, sl_op_ints_t rates, const char *padding,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Dilation2DBackpropFilter", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_int_list(node, "rates", rates.values, rates.count);
  sl_node_attr_text(node, "padding", padding);
  return sl_node_output(node);
}
#define sl_op_dilation2d_backprop_filter(scope, input, filter, out_backprop, strides, rates, padding, ...) \
  sl_op_dilation2d_backprop_filter_with(SL_AT(scope), (input), (filter), (out_backprop), (strides), (rates), ( \
    padding), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Dilation2DBackpropInput(input: T, filter: T, out_backprop: T) -> in_backprop: T
// The gradient of Dilation2D with respect to the input.
// T: realnumbertype; strides: list(int) >= 4; rates: list(int) >= 4; padding: {'SAME', 'VALID'}
// No gradient.
static inline TF_Output sl_op_dilation2d_backprop_input_with(sl_scope_t *scope, TF_Output input, TF_Output filter,
    TF_Output out_backprop, sl_op_ints_t strides, sl_op_ints_t rates, const char *padding,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Dilation2DBackpropInput", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_int_list(node, "rates", rates.values, rates.count);
  sl_node_attr_text(node, "padding", padding);
  return sl_node_output(node);
}
#define sl_op_dilation2d_backprop_input(scope, input, filter, out_backprop, strides, rates, padding, ...) \
  sl_op_dilation2d_backprop_input_with(SL_AT(scope), (input), (filter), (out_backprop), (strides), (rates), ( \
    padding), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Elu(features: T) -> activations: T
// The features where they are positive, otherwise exp(features) - 1.
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_elu_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Elu", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_elu(scope, features, ...) \
  sl_op_elu_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// EluGrad(gradients: T, outputs: T) -> backprops: T
// The gradient of Elu.
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_elu_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output outputs,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EluGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, outputs);
  return sl_node_output(node);
}
#define sl_op_elu_grad(scope, gradients, outputs, ...) \
  sl_op_elu_grad_with(SL_AT(scope), (gradients), (outputs), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExtractVolumePatches(input: T) -> patches: T
// The window around every position of a volume.
// ksizes: list(int) >= 5; strides: list(int) >= 5; T: realnumbertype; padding: {'SAME', 'VALID'}
// Differentiable.
static inline TF_Output sl_op_extract_volume_patches_with(sl_scope_t *scope, TF_Output input, sl_op_ints_t ksizes,
    sl_op_ints_t strides, const char *padding, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExtractVolumePatches", options->name);
  sl_node_input(node, input);
  sl_node_attr_int_list(node, "ksizes", ksizes.values, ksizes.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  return sl_node_output(node);
}
#define sl_op_extract_volume_patches(scope, input, ksizes, strides, padding, ...) \
  sl_op_extract_volume_patches_with(SL_AT(scope), (input), (ksizes), (strides), (padding), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// FractionalAvgPool(value: T) -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64
// Means over windows of two sizes.
// pooling_ratio: list(float) >= 4; pseudo_random: bool = false; overlapping: bool = false; deterministic: bool =
//   false; seed: int = 0; seed2: int = 0; T: {float, double, int32, int64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool pseudo_random;
  bool overlapping;
  bool deterministic;
  int64_t seed;
  int64_t seed2;
} sl_op_fractional_avg_pool_options_t;
typedef struct {
  TF_Output output;
  TF_Output row_pooling_sequence;
  TF_Output col_pooling_sequence;
} sl_op_fractional_avg_pool_t;
static inline sl_op_fractional_avg_pool_t sl_op_fractional_avg_pool_with(sl_scope_t *scope, TF_Output value,
    sl_op_floats_t pooling_ratio, const sl_op_fractional_avg_pool_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FractionalAvgPool", options->name);
  sl_node_input(node, value);
  sl_node_attr_float_list(node, "pooling_ratio", pooling_ratio.values, pooling_ratio.count);
  sl_node_attr_bool(node, "pseudo_random", options->pseudo_random);
  sl_node_attr_bool(node, "overlapping", options->overlapping);
  sl_node_attr_bool(node, "deterministic", options->deterministic);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fractional_avg_pool_t result;
  result.output = sl_op_output(operation, 0);
  result.row_pooling_sequence = sl_op_output(operation, 1);
  result.col_pooling_sequence = sl_op_output(operation, 2);
  return result;
}
#define sl_op_fractional_avg_pool(scope, value, pooling_ratio, ...) \
  sl_op_fractional_avg_pool_with(SL_AT(scope), (value), (pooling_ratio), SL_OPTIONS( \
    sl_op_fractional_avg_pool_options_t, __VA_ARGS__))

// FractionalAvgPoolGrad(orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64,
//   col_pooling_sequence: int64) -> output: T
// The gradient of FractionalAvgPool.
// overlapping: bool = false; T: {float, double, int32, int64}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool overlapping;
} sl_op_fractional_avg_pool_grad_options_t;
static inline TF_Output sl_op_fractional_avg_pool_grad_with(sl_scope_t *scope, TF_Output orig_input_tensor_shape,
    TF_Output out_backprop, TF_Output row_pooling_sequence, TF_Output col_pooling_sequence,
    const sl_op_fractional_avg_pool_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FractionalAvgPoolGrad", options->name);
  sl_node_input(node, orig_input_tensor_shape);
  sl_node_input(node, out_backprop);
  sl_node_input(node, row_pooling_sequence);
  sl_node_input(node, col_pooling_sequence);
  sl_node_attr_bool(node, "overlapping", options->overlapping);
  return sl_node_output(node);
}
#define sl_op_fractional_avg_pool_grad(scope, orig_input_tensor_shape, out_backprop, row_pooling_sequence, \
    col_pooling_sequence, ...) \
  sl_op_fractional_avg_pool_grad_with(SL_AT(scope), (orig_input_tensor_shape), (out_backprop), ( \
    row_pooling_sequence), (col_pooling_sequence), SL_OPTIONS(sl_op_fractional_avg_pool_grad_options_t, \
    __VA_ARGS__))

// FractionalMaxPool(value: T) -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64
// Maxima over windows of two sizes.
// pooling_ratio: list(float) >= 4; pseudo_random: bool = false; overlapping: bool = false; deterministic: bool =
//   false; seed: int = 0; seed2: int = 0; T: {float, double, int32, int64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool pseudo_random;
  bool overlapping;
  bool deterministic;
  int64_t seed;
  int64_t seed2;
} sl_op_fractional_max_pool_options_t;
typedef struct {
  TF_Output output;
  TF_Output row_pooling_sequence;
  TF_Output col_pooling_sequence;
} sl_op_fractional_max_pool_t;
static inline sl_op_fractional_max_pool_t sl_op_fractional_max_pool_with(sl_scope_t *scope, TF_Output value,
    sl_op_floats_t pooling_ratio, const sl_op_fractional_max_pool_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FractionalMaxPool", options->name);
  sl_node_input(node, value);
  sl_node_attr_float_list(node, "pooling_ratio", pooling_ratio.values, pooling_ratio.count);
  sl_node_attr_bool(node, "pseudo_random", options->pseudo_random);
  sl_node_attr_bool(node, "overlapping", options->overlapping);
  sl_node_attr_bool(node, "deterministic", options->deterministic);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fractional_max_pool_t result;
  result.output = sl_op_output(operation, 0);
  result.row_pooling_sequence = sl_op_output(operation, 1);
  result.col_pooling_sequence = sl_op_output(operation, 2);
  return result;
}
#define sl_op_fractional_max_pool(scope, value, pooling_ratio, ...) \
  sl_op_fractional_max_pool_with(SL_AT(scope), (value), (pooling_ratio), SL_OPTIONS( \
    sl_op_fractional_max_pool_options_t, __VA_ARGS__))

// FractionalMaxPoolGrad(orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64,
//   col_pooling_sequence: int64) -> output: T
// The gradient of FractionalMaxPool.
// overlapping: bool = false; T: {float, double, int32, int64}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool overlapping;
} sl_op_fractional_max_pool_grad_options_t;
static inline TF_Output sl_op_fractional_max_pool_grad_with(sl_scope_t *scope, TF_Output orig_input,
    TF_Output orig_output, TF_Output out_backprop, TF_Output row_pooling_sequence, TF_Output col_pooling_sequence,
    const sl_op_fractional_max_pool_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FractionalMaxPoolGrad", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, out_backprop);
  sl_node_input(node, row_pooling_sequence);
  sl_node_input(node, col_pooling_sequence);
  sl_node_attr_bool(node, "overlapping", options->overlapping);
  return sl_node_output(node);
}
#define sl_op_fractional_max_pool_grad(scope, orig_input, orig_output, out_backprop, row_pooling_sequence, \
    col_pooling_sequence, ...) \
  sl_op_fractional_max_pool_grad_with(SL_AT(scope), (orig_input), (orig_output), (out_backprop), ( \
    row_pooling_sequence), (col_pooling_sequence), SL_OPTIONS(sl_op_fractional_max_pool_grad_options_t, \
    __VA_ARGS__))

// FusedBatchNorm(x: T, scale: T, offset: T, mean: T, variance: T) -> y: T, batch_mean: T, batch_variance: T,
//   reserve_space_1: T, reserve_space_2: T
// Batch normalisation.
// T: {float}; epsilon: float = 0.0001; exponential_avg_factor: float = 1; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  float exponential_avg_factor;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_options_t;
typedef struct {
  TF_Output y;
  TF_Output batch_mean;
  TF_Output batch_variance;
  TF_Output reserve_space_1;
  TF_Output reserve_space_2;
} sl_op_fused_batch_norm_t;
static inline sl_op_fused_batch_norm_t sl_op_fused_batch_norm_with(sl_scope_t *scope, TF_Output x, TF_Output scale,
    TF_Output offset, TF_Output mean, TF_Output variance, const sl_op_fused_batch_norm_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNorm", options->name);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, offset);
  sl_node_input(node, mean);
  sl_node_input(node, variance);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  sl_node_attr_float(node, "exponential_avg_factor", options->exponential_avg_factor);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_t result;
  result.y = sl_op_output(operation, 0);
  result.batch_mean = sl_op_output(operation, 1);
  result.batch_variance = sl_op_output(operation, 2);
  result.reserve_space_1 = sl_op_output(operation, 3);
  result.reserve_space_2 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm(scope, x, scale, offset, mean, variance, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_with(SL_AT(scope), (x), (scale), (offset), (mean), (variance), SL_OPTIONS( \
    sl_op_fused_batch_norm_options_t, .epsilon = (float)9.99999975e-05, .exponential_avg_factor = (float)1, \
    .is_training = true, __VA_ARGS__)))

// FusedBatchNormGrad(y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T) -> x_backprop: T,
//   scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T
// The gradient of FusedBatchNorm.
// T: {float}; epsilon: float = 0.0001; data_format: {'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_grad_options_t;
typedef struct {
  TF_Output x_backprop;
  TF_Output scale_backprop;
  TF_Output offset_backprop;
  TF_Output reserve_space_3;
  TF_Output reserve_space_4;
} sl_op_fused_batch_norm_grad_t;
static inline sl_op_fused_batch_norm_grad_t sl_op_fused_batch_norm_grad_with(sl_scope_t *scope, TF_Output y_backprop,
    TF_Output x, TF_Output scale, TF_Output reserve_space_1, TF_Output reserve_space_2,
    const sl_op_fused_batch_norm_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormGrad", options->name);
  sl_node_input(node, y_backprop);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, reserve_space_1);
  sl_node_input(node, reserve_space_2);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_grad_t result;
  result.x_backprop = sl_op_output(operation, 0);
  result.scale_backprop = sl_op_output(operation, 1);
  result.offset_backprop = sl_op_output(operation, 2);
  result.reserve_space_3 = sl_op_output(operation, 3);
  result.reserve_space_4 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm_grad(scope, y_backprop, x, scale, reserve_space_1, reserve_space_2, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_grad_with(SL_AT(scope), (y_backprop), (x), (scale), (reserve_space_1), ( \
    reserve_space_2), SL_OPTIONS(sl_op_fused_batch_norm_grad_options_t, .epsilon = (float)9.99999975e-05, \
    .is_training = true, __VA_ARGS__)))

// FusedBatchNormGradV2(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U) -> x_backprop: T,
//   scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U
// The gradient of FusedBatchNormV2.
// T: {half, bfloat16, float}; U: {float}; epsilon: float = 0.0001; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_grad_v2_options_t;
typedef struct {
  TF_Output x_backprop;
  TF_Output scale_backprop;
  TF_Output offset_backprop;
  TF_Output reserve_space_3;
  TF_Output reserve_space_4;
} sl_op_fused_batch_norm_grad_v2_t;
static inline sl_op_fused_batch_norm_grad_v2_t sl_op_fused_batch_norm_grad_v2_with(sl_scope_t *scope,
    TF_Output y_backprop, TF_Output x, TF_Output scale, TF_Output reserve_space_1, TF_Output reserve_space_2,
    const sl_op_fused_batch_norm_grad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormGradV2", options->name);
  sl_node_input(node, y_backprop);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, reserve_space_1);
  sl_node_input(node, reserve_space_2);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_grad_v2_t result;
  result.x_backprop = sl_op_output(operation, 0);
  result.scale_backprop = sl_op_output(operation, 1);
  result.offset_backprop = sl_op_output(operation, 2);
  result.reserve_space_3 = sl_op_output(operation, 3);
  result.reserve_space_4 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm_grad_v2(scope, y_backprop, x, scale, reserve_space_1, reserve_space_2, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_grad_v2_with(SL_AT(scope), (y_backprop), (x), (scale), (reserve_space_1), ( \
    reserve_space_2), SL_OPTIONS(sl_op_fused_batch_norm_grad_v2_options_t, .epsilon = (float)9.99999975e-05, \
    .is_training = true, __VA_ARGS__)))

// FusedBatchNormGradV3(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U)
//   -> x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U
// The gradient of FusedBatchNormV3.
// T: {half, bfloat16, float}; U: {float}; epsilon: float = 0.0001; data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} =
//   'NHWC'; is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_grad_v3_options_t;
typedef struct {
  TF_Output x_backprop;
  TF_Output scale_backprop;
  TF_Output offset_backprop;
  TF_Output reserve_space_4;
  TF_Output reserve_space_5;
} sl_op_fused_batch_norm_grad_v3_t;
static inline sl_op_fused_batch_norm_grad_v3_t sl_op_fused_batch_norm_grad_v3_with(sl_scope_t *scope,
    TF_Output y_backprop, TF_Output x, TF_Output scale, TF_Output reserve_space_1, TF_Output reserve_space_2,
    TF_Output reserve_space_3, const sl_op_fused_batch_norm_grad_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormGradV3", options->name);
  sl_node_input(node, y_backprop);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, reserve_space_1);
  sl_node_input(node, reserve_space_2);
  sl_node_input(node, reserve_space_3);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_grad_v3_t result;
  result.x_backprop = sl_op_output(operation, 0);
  result.scale_backprop = sl_op_output(operation, 1);
  result.offset_backprop = sl_op_output(operation, 2);
  result.reserve_space_4 = sl_op_output(operation, 3);
  result.reserve_space_5 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm_grad_v3(scope, y_backprop, x, scale, reserve_space_1, reserve_space_2, \
    reserve_space_3, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_grad_v3_with(SL_AT(scope), (y_backprop), (x), (scale), (reserve_space_1), ( \
    reserve_space_2), (reserve_space_3), SL_OPTIONS(sl_op_fused_batch_norm_grad_v3_options_t, .epsilon = ( \
    float)9.99999975e-05, .is_training = true, __VA_ARGS__)))

// FusedBatchNormV2(x: T, scale: U, offset: U, mean: U, variance: U) -> y: T, batch_mean: U, batch_variance: U,
//   reserve_space_1: U, reserve_space_2: U
// Batch normalisation.
// T: {half, bfloat16, float}; U: {float}; epsilon: float = 0.0001; exponential_avg_factor: float = 1; data_format:
//   {'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  float exponential_avg_factor;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_v2_options_t;
typedef struct {
  TF_Output y;
  TF_Output batch_mean;
  TF_Output batch_variance;
  TF_Output reserve_space_1;
  TF_Output reserve_space_2;
} sl_op_fused_batch_norm_v2_t;
static inline sl_op_fused_batch_norm_v2_t sl_op_fused_batch_norm_v2_with(sl_scope_t *scope, TF_Output x,
    TF_Output scale, TF_Output offset, TF_Output mean, TF_Output variance,
    const sl_op_fused_batch_norm_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, offset);
  sl_node_input(node, mean);
  sl_node_input(node, variance);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  sl_node_attr_float(node, "exponential_avg_factor", options->exponential_avg_factor);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_v2_t result;
  result.y = sl_op_output(operation, 0);
  result.batch_mean = sl_op_output(operation, 1);
  result.batch_variance = sl_op_output(operation, 2);
  result.reserve_space_1 = sl_op_output(operation, 3);
  result.reserve_space_2 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm_v2(scope, x, scale, offset, mean, variance, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_v2_with(SL_AT(scope), (x), (scale), (offset), (mean), (variance), \
    SL_OPTIONS(sl_op_fused_batch_norm_v2_options_t, .epsilon = (float)9.99999975e-05, .exponential_avg_factor = ( \
    float)1, .is_training = true, __VA_ARGS__)))

// FusedBatchNormV3(x: T, scale: U, offset: U, mean: U, variance: U) -> y: T, batch_mean: U, batch_variance: U,
//   reserve_space_1: U, reserve_space_2: U, reserve_space_3: U
// Batch normalisation.
// T: {half, bfloat16, float}; U: {bfloat16, float}; epsilon: float = 0.0001; exponential_avg_factor: float = 1;
//   data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'; is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  float exponential_avg_factor;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_v3_options_t;
typedef struct {
  TF_Output y;
  TF_Output batch_mean;
  TF_Output batch_variance;
  TF_Output reserve_space_1;
  TF_Output reserve_space_2;
  TF_Output reserve_space_3;
} sl_op_fused_batch_norm_v3_t;
static inline sl_op_fused_batch_norm_v3_t sl_op_fused_batch_norm_v3_with(sl_scope_t *scope, TF_Output x,
    TF_Output scale, TF_Output offset, TF_Output mean, TF_Output variance,
    const sl_op_fused_batch_norm_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormV3", options->name);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, offset);
  sl_node_input(node, mean);
  sl_node_input(node, variance);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  sl_node_attr_float(node, "exponential_avg_factor", options->exponential_avg_factor);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_v3_t result;
  result.y = sl_op_output(operation, 0);
  result.batch_mean = sl_op_output(operation, 1);
  result.batch_variance = sl_op_output(operation, 2);
  result.reserve_space_1 = sl_op_output(operation, 3);
  result.reserve_space_2 = sl_op_output(operation, 4);
  result.reserve_space_3 = sl_op_output(operation, 5);
  return result;
}
#define sl_op_fused_batch_norm_v3(scope, x, scale, offset, mean, variance, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_v3_with(SL_AT(scope), (x), (scale), (offset), (mean), (variance), \
    SL_OPTIONS(sl_op_fused_batch_norm_v3_options_t, .epsilon = (float)9.99999975e-05, .exponential_avg_factor = ( \
    float)1, .is_training = true, __VA_ARGS__)))

// GRUBlockCell(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T) -> r: T, u: T, c: T, h: T
// One step of a GRU.
// T: {float}
// No gradient.
typedef struct {
  TF_Output r;
  TF_Output u;
  TF_Output c;
  TF_Output h;
} sl_op_gru_block_cell_t;
static inline sl_op_gru_block_cell_t sl_op_gru_block_cell_with(sl_scope_t *scope, TF_Output x, TF_Output h_prev,
    TF_Output w_ru, TF_Output w_c, TF_Output b_ru, TF_Output b_c, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GRUBlockCell", options->name);
  sl_node_input(node, x);
  sl_node_input(node, h_prev);
  sl_node_input(node, w_ru);
  sl_node_input(node, w_c);
  sl_node_input(node, b_ru);
  sl_node_input(node, b_c);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_gru_block_cell_t result;
  result.r = sl_op_output(operation, 0);
  result.u = sl_op_output(operation, 1);
  result.c = sl_op_output(operation, 2);
  result.h = sl_op_output(operation, 3);
  return result;
}
#define sl_op_gru_block_cell(scope, x, h_prev, w_ru, w_c, b_ru, b_c, ...) \
  sl_op_gru_block_cell_with(SL_AT(scope), (x), (h_prev), (w_ru), (w_c), (b_ru), (b_c), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// GRUBlockCellGrad(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T, r: T, u: T, c: T, d_h: T) -> d_x: T, d_h_prev:
//   T, d_c_bar: T, d_r_bar_u_bar: T
// The gradient of GRUBlockCell.
// T: {float}
// No gradient.
typedef struct {
  TF_Output d_x;
  TF_Output d_h_prev;
  TF_Output d_c_bar;
  TF_Output d_r_bar_u_bar;
} sl_op_gru_block_cell_grad_t;
static inline sl_op_gru_block_cell_grad_t sl_op_gru_block_cell_grad_with(sl_scope_t *scope, TF_Output x,
    TF_Output h_prev, TF_Output w_ru, TF_Output w_c, TF_Output b_ru, TF_Output b_c, TF_Output r, TF_Output u,
    TF_Output c, TF_Output d_h, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GRUBlockCellGrad", options->name);
  sl_node_input(node, x);
  sl_node_input(node, h_prev);
  sl_node_input(node, w_ru);
  sl_node_input(node, w_c);
  sl_node_input(node, b_ru);
  sl_node_input(node, b_c);
  sl_node_input(node, r);
  sl_node_input(node, u);
  sl_node_input(node, c);
  sl_node_input(node, d_h);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_gru_block_cell_grad_t result;
  result.d_x = sl_op_output(operation, 0);
  result.d_h_prev = sl_op_output(operation, 1);
  result.d_c_bar = sl_op_output(operation, 2);
  result.d_r_bar_u_bar = sl_op_output(operation, 3);
  return result;
}
#define sl_op_gru_block_cell_grad(scope, x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h, ...) \
  sl_op_gru_block_cell_grad_with(SL_AT(scope), (x), (h_prev), (w_ru), (w_c), (b_ru), (b_c), (r), (u), (c), (d_h), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InTopK(predictions: float, targets: T) -> precision: bool
// Whether each target is among the k greatest predictions.
// k: int; T: {int32, int64} = DT_INT32
// No gradient.
static inline TF_Output sl_op_in_top_k_with(sl_scope_t *scope, TF_Output predictions, TF_Output targets, int64_t k,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InTopK", options->name);
  sl_node_input(node, predictions);
  sl_node_input(node, targets);
  sl_node_attr_int(node, "k", k);
  return sl_node_output(node);
}
#define sl_op_in_top_k(scope, predictions, targets, k, ...) \
  sl_op_in_top_k_with(SL_AT(scope), (predictions), (targets), (k), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InTopKV2(predictions: float, targets: T, k: T) -> precision: bool
// Whether each target is among the k greatest predictions.
// T: {int32, int64} = DT_INT32
// No gradient.
static inline TF_Output sl_op_in_top_k_v2_with(sl_scope_t *scope, TF_Output predictions, TF_Output targets,
    TF_Output k, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InTopKV2", options->name);
  sl_node_input(node, predictions);
  sl_node_input(node, targets);
  sl_node_input(node, k);
  return sl_node_output(node);
}
#define sl_op_in_top_k_v2(scope, predictions, targets, k, ...) \
  sl_op_in_top_k_v2_with(SL_AT(scope), (predictions), (targets), (k), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IsotonicRegression(input: T) -> output: output_dtype, segments: int32
// The nearest sequence that never rises.
// T: realnumbertype; output_dtype: {half, bfloat16, float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType output_dtype;
} sl_op_isotonic_regression_options_t;
typedef struct {
  TF_Output output;
  TF_Output segments;
} sl_op_isotonic_regression_t;
static inline sl_op_isotonic_regression_t sl_op_isotonic_regression_with(sl_scope_t *scope, TF_Output input,
    const sl_op_isotonic_regression_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IsotonicRegression", options->name);
  sl_node_input(node, input);
  if (options->output_dtype) sl_node_attr_type(node, "output_dtype", options->output_dtype);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_isotonic_regression_t result;
  result.output = sl_op_output(operation, 0);
  result.segments = sl_op_output(operation, 1);
  return result;
}
#define sl_op_isotonic_regression(scope, input, ...) \
  sl_op_isotonic_regression_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_isotonic_regression_options_t, __VA_ARGS__))

// L2Loss(t: T) -> output: T
// Half the sum of squares.
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_l2_loss_with(sl_scope_t *scope, TF_Output t, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "L2Loss", options->name);
  sl_node_input(node, t);
  return sl_node_output(node);
}
#define sl_op_l2_loss(scope, t, ...) sl_op_l2_loss_with(SL_AT(scope), (t), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LRN(input: T) -> output: T
// Local response normalisation.
// depth_radius: int = 5; bias: float = 1; alpha: float = 1; beta: float = 0.5; T: {half, bfloat16, float} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t depth_radius;
  float bias;
  float alpha;
  float beta;
} sl_op_lrn_options_t;
static inline TF_Output sl_op_lrn_with(sl_scope_t *scope, TF_Output input, const sl_op_lrn_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LRN", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "depth_radius", options->depth_radius);
  sl_node_attr_float(node, "bias", options->bias);
  sl_node_attr_float(node, "alpha", options->alpha);
  sl_node_attr_float(node, "beta", options->beta);
  return sl_node_output(node);
}
#define sl_op_lrn(scope, input, ...) \
  SL_OVER_DEFAULTS(sl_op_lrn_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_lrn_options_t, .depth_radius = 5, .bias = ( \
    float)1, .alpha = (float)1, .beta = (float)0.5, __VA_ARGS__)))

// LRNGrad(input_grads: T, input_image: T, output_image: T) -> output: T
// The gradient of LRN.
// depth_radius: int = 5; bias: float = 1; alpha: float = 1; beta: float = 0.5; T: {half, bfloat16, float} = DT_FLOAT
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t depth_radius;
  float bias;
  float alpha;
  float beta;
} sl_op_lrn_grad_options_t;
static inline TF_Output sl_op_lrn_grad_with(sl_scope_t *scope, TF_Output input_grads, TF_Output input_image,
    TF_Output output_image, const sl_op_lrn_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LRNGrad", options->name);
  sl_node_input(node, input_grads);
  sl_node_input(node, input_image);
  sl_node_input(node, output_image);
  sl_node_attr_int(node, "depth_radius", options->depth_radius);
  sl_node_attr_float(node, "bias", options->bias);
  sl_node_attr_float(node, "alpha", options->alpha);
  sl_node_attr_float(node, "beta", options->beta);
  return sl_node_output(node);
}
#define sl_op_lrn_grad(scope, input_grads, input_image, output_image, ...) \
  SL_OVER_DEFAULTS(sl_op_lrn_grad_with(SL_AT(scope), (input_grads), (input_image), (output_image), SL_OPTIONS( \
    sl_op_lrn_grad_options_t, .depth_radius = 5, .bias = (float)1, .alpha = (float)1, .beta = (float)0.5, \
    __VA_ARGS__)))

// LSTMBlockCell(x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> i: T, cs: T, f: T, o: T, ci: T,
//   co: T, h: T
// One step of an LSTM.
// forget_bias: float = 1; cell_clip: float = 3; use_peephole: bool = false; T: {half, float}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  float forget_bias;
  float cell_clip;
  bool use_peephole;
} sl_op_lstm_block_cell_options_t;
typedef struct {
  TF_Output i;
  TF_Output cs;
  TF_Output f;
  TF_Output o;
  TF_Output ci;
  TF_Output co;
  TF_Output h;
} sl_op_lstm_block_cell_t;
static inline sl_op_lstm_block_cell_t sl_op_lstm_block_cell_with(sl_scope_t *scope, TF_Output x, TF_Output cs_prev,
    TF_Output h_prev, TF_Output w, TF_Output wci, TF_Output wcf, TF_Output wco, TF_Output b,
    const sl_op_lstm_block_cell_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LSTMBlockCell", options->name);
  sl_node_input(node, x);
  sl_node_input(node, cs_prev);
  sl_node_input(node, h_prev);
  sl_node_input(node, w);
  sl_node_input(node, wci);
  sl_node_input(node, wcf);
  sl_node_input(node, wco);
  sl_node_input(node, b);
  sl_node_attr_float(node, "forget_bias", options->forget_bias);
  sl_node_attr_float(node, "cell_clip", options->cell_clip);
  sl_node_attr_bool(node, "use_peephole", options->use_peephole);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_lstm_block_cell_t result;
  result.i = sl_op_output(operation, 0);
  result.cs = sl_op_output(operation, 1);
  result.f = sl_op_output(operation, 2);
  result.o = sl_op_output(operation, 3);
  result.ci = sl_op_output(operation, 4);
  result.co = sl_op_output(operation, 5);
  result.h = sl_op_output(operation, 6);
  return result;
}
#define sl_op_lstm_block_cell(scope, x, cs_prev, h_prev, w, wci, wcf, wco, b, ...) \
  SL_OVER_DEFAULTS(sl_op_lstm_block_cell_with(SL_AT(scope), (x), (cs_prev), (h_prev), (w), (wci), (wcf), (wco), (b), \
    SL_OPTIONS(sl_op_lstm_block_cell_options_t, .forget_bias = (float)1, .cell_clip = (float)3, __VA_ARGS__)))

// LSTMBlockCellGrad(x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T, f: T, o: T, ci: T,
//   co: T, cs_grad: T, h_grad: T) -> cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T
// The gradient of LSTMBlockCell.
// use_peephole: bool; T: {half, float}
// No gradient.
typedef struct {
  TF_Output cs_prev_grad;
  TF_Output dicfo;
  TF_Output wci_grad;
  TF_Output wcf_grad;
  TF_Output wco_grad;
} sl_op_lstm_block_cell_grad_t;
static inline sl_op_lstm_block_cell_grad_t sl_op_lstm_block_cell_grad_with(sl_scope_t *scope, TF_Output x,
    TF_Output cs_prev, TF_Output h_prev, TF_Output w, TF_Output wci, TF_Output wcf, TF_Output wco, TF_Output b,
    TF_Output i, TF_Output cs, TF_Output f, TF_Output o, TF_Output ci, TF_Output co, TF_Output cs_grad,
    TF_Output h_grad, bool use_peephole, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LSTMBlockCellGrad", options->name);
  sl_node_input(node, x);
  sl_node_input(node, cs_prev);
  sl_node_input(node, h_prev);
  sl_node_input(node, w);
  sl_node_input(node, wci);
  sl_node_input(node, wcf);
  sl_node_input(node, wco);
  sl_node_input(node, b);
  sl_node_input(node, i);
  sl_node_input(node, cs);
  sl_node_input(node, f);
  sl_node_input(node, o);
  sl_node_input(node, ci);
  sl_node_input(node, co);
  sl_node_input(node, cs_grad);
  sl_node_input(node, h_grad);
  sl_node_attr_bool(node, "use_peephole", use_peephole);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_lstm_block_cell_grad_t result;
  result.cs_prev_grad = sl_op_output(operation, 0);
  result.dicfo = sl_op_output(operation, 1);
  result.wci_grad = sl_op_output(operation, 2);
  result.wcf_grad = sl_op_output(operation, 3);
  result.wco_grad = sl_op_output(operation, 4);
  return result;
}
#define sl_op_lstm_block_cell_grad(scope, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, cs_grad, \
    h_grad, use_peephole, ...) \
  sl_op_lstm_block_cell_grad_with(SL_AT(scope), (x), (cs_prev), (h_prev), (w), (wci), (wcf), (wco), (b), (i), (cs), ( \
    f), (o), (ci), (co), (cs_grad), (h_grad), (use_peephole), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LeakyRelu(features: T) -> activations: T
// The features where they are positive, otherwise alpha * features.
// alpha: float = 0.2; T: {half, bfloat16, float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float alpha;
} sl_op_leaky_relu_options_t;
static inline TF_Output sl_op_leaky_relu_with(sl_scope_t *scope, TF_Output features,
    const sl_op_leaky_relu_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LeakyRelu", options->name);
  sl_node_input(node, features);
  sl_node_attr_float(node, "alpha", options->alpha);
  return sl_node_output(node);
}
#define sl_op_leaky_relu(scope, features, ...) \
  SL_OVER_DEFAULTS(sl_op_leaky_relu_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_leaky_relu_options_t, .alpha = ( \
    float)0.200000003, __VA_ARGS__)))

// LeakyReluGrad(gradients: T, features: T) -> backprops: T
// The gradient of LeakyRelu.
// alpha: float = 0.2; T: {half, bfloat16, float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float alpha;
} sl_op_leaky_relu_grad_options_t;
static inline TF_Output sl_op_leaky_relu_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_leaky_relu_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LeakyReluGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  sl_node_attr_float(node, "alpha", options->alpha);
  return sl_node_output(node);
}
#define sl_op_leaky_relu_grad(scope, gradients, features, ...) \
  SL_OVER_DEFAULTS(sl_op_leaky_relu_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS( \
    sl_op_leaky_relu_grad_options_t, .alpha = (float)0.200000003, __VA_ARGS__)))

// LogSoftmax(logits: T) -> logsoftmax: T
// The logarithm of Softmax.
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_log_softmax_with(sl_scope_t *scope, TF_Output logits, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogSoftmax", options->name);
  sl_node_input(node, logits);
  return sl_node_output(node);
}
#define sl_op_log_softmax(scope, logits, ...) \
  sl_op_log_softmax_with(SL_AT(scope), (logits), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MaxPool(input: T) -> output: T
// The maximum of each 2-D window.
// T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT; ksize: list(int) >=
//   4; strides: list(int) >= 4; padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = [];
//   data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
} sl_op_max_pool_options_t;
static inline TF_Output sl_op_max_pool_with(sl_scope_t *scope, TF_Output input, sl_op_ints_t ksize,
    sl_op_ints_t strides, const char *padding, const sl_op_max_pool_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPool", options->name);
  sl_node_input(node, input);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool(scope, input, ksize, strides, padding, ...) \
  sl_op_max_pool_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS(sl_op_max_pool_options_t, \
    __VA_ARGS__))

// MaxPool3D(input: T) -> output: T
// The maximum of each 3-D window.
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: {half, bfloat16, float}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool3d_options_t;
static inline TF_Output sl_op_max_pool3d_with(sl_scope_t *scope, TF_Output input, sl_op_ints_t ksize,
    sl_op_ints_t strides, const char *padding, const sl_op_max_pool3d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPool3D", options->name);
  sl_node_input(node, input);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool3d(scope, input, ksize, strides, padding, ...) \
  sl_op_max_pool3d_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS(sl_op_max_pool3d_options_t, \
    __VA_ARGS__))

// MaxPool3DGrad(orig_input: TInput, orig_output: TInput, grad: T) -> output: T
// The gradient of MaxPool3D.
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: {half, bfloat16, float} = DT_FLOAT; TInput: {half, bfloat16, float} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool3d_grad_options_t;
static inline TF_Output sl_op_max_pool3d_grad_with(sl_scope_t *scope, TF_Output orig_input, TF_Output orig_output,
    TF_Output grad, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool3d_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPool3DGrad", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool3d_grad(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool3d_grad_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool3d_grad_options_t, __VA_ARGS__))

// MaxPool3DGradGrad(orig_input: T, orig_output: T, grad: T) -> output: T
// The second gradient of MaxPool3D.
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: realnumbertype
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool3d_grad_grad_options_t;
static inline TF_Output sl_op_max_pool3d_grad_grad_with(sl_scope_t *scope, TF_Output orig_input,
    TF_Output orig_output, TF_Output grad, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool3d_grad_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPool3DGradGrad", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool3d_grad_grad(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool3d_grad_grad_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool3d_grad_grad_options_t, __VA_ARGS__))

// MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> output: T
// The gradient of MaxPool.
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings:
//   list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
} sl_op_max_pool_grad_options_t;
static inline TF_Output sl_op_max_pool_grad_with(sl_scope_t *scope, TF_Output orig_input, TF_Output orig_output,
    TF_Output grad, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGrad", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_options_t, __VA_ARGS__))

// MaxPoolGradGrad(orig_input: T, orig_output: T, grad: T) -> output: T
// The second gradient of MaxPool.
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   T: realnumbertype
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool_grad_grad_options_t;
static inline TF_Output sl_op_max_pool_grad_grad_with(sl_scope_t *scope, TF_Output orig_input, TF_Output orig_output,
    TF_Output grad, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool_grad_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGradGrad", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad_grad(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_grad_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_grad_options_t, __VA_ARGS__))

// MaxPoolGradGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> output: T
// The second gradient of MaxPoolV2.
// padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool_grad_grad_v2_options_t;
static inline TF_Output sl_op_max_pool_grad_grad_v2_with(sl_scope_t *scope, TF_Output orig_input,
    TF_Output orig_output, TF_Output grad, TF_Output ksize, TF_Output strides, const char *padding,
    const sl_op_max_pool_grad_grad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGradGradV2", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_input(node, ksize);
  sl_node_input(node, strides);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad_grad_v2(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_grad_v2_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_grad_v2_options_t, __VA_ARGS__))

// MaxPoolGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> output: T
// The gradient of MaxPoolV2.
// padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool_grad_v2_options_t;
static inline TF_Output sl_op_max_pool_grad_v2_with(sl_scope_t *scope, TF_Output orig_input, TF_Output orig_output,
    TF_Output grad, TF_Output ksize, TF_Output strides, const char *padding,
    const sl_op_max_pool_grad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGradV2", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_input(node, ksize);
  sl_node_input(node, strides);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad_v2(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_v2_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_v2_options_t, __VA_ARGS__))

// MaxPoolGradWithArgmax(input: T, grad: T, argmax: Targmax) -> output: T
// The gradient of MaxPoolWithArgmax.
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; include_batch_in_index: bool = false;
//   Targmax: {int32, int64}; T: realnumbertype
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool include_batch_in_index;
} sl_op_max_pool_grad_with_argmax_options_t;
static inline TF_Output sl_op_max_pool_grad_with_argmax_with(sl_scope_t *scope, TF_Output input, TF_Output grad,
    TF_Output argmax, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool_grad_with_argmax_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGradWithArgmax", options->name);
  sl_node_input(node, input);
  sl_node_input(node, grad);
  sl_node_input(node, argmax);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  sl_node_attr_bool(node, "include_batch_in_index", options->include_batch_in_index);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad_with_argmax(scope, input, grad, argmax, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_with_argmax_with(SL_AT(scope), (input), (grad), (argmax), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_with_argmax_options_t, __VA_ARGS__))

// MaxPoolV2(input: T, ksize: int32, strides: int32) -> output: T
// The maximum of each 2-D window.
// T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT; padding: {'SAME',
//   'VALID'}; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool_v2_options_t;
static inline TF_Output sl_op_max_pool_v2_with(sl_scope_t *scope, TF_Output input, TF_Output ksize,
    TF_Output strides, const char *padding, const sl_op_max_pool_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, ksize);
  sl_node_input(node, strides);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_v2(scope, input, ksize, strides, padding, ...) \
  sl_op_max_pool_v2_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS( \
    sl_op_max_pool_v2_options_t, __VA_ARGS__))

// MaxPoolWithArgmax(input: T) -> output: T, argmax: Targmax
// The maximum of each 2-D window and its index.
// ksize: list(int) >= 4; strides: list(int) >= 4; Targmax: {int32, int64} = DT_INT64; padding: {'SAME', 'VALID'};
//   include_batch_in_index: bool = false; T: realnumbertype
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Targmax;
  bool include_batch_in_index;
} sl_op_max_pool_with_argmax_options_t;
typedef struct {
  TF_Output output;
  TF_Output argmax;
} sl_op_max_pool_with_argmax_t;
static inline sl_op_max_pool_with_argmax_t sl_op_max_pool_with_argmax_with(sl_scope_t *scope, TF_Output input,
    sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool_with_argmax_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolWithArgmax", options->name);
  sl_node_input(node, input);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  if (options->Targmax) sl_node_attr_type(node, "Targmax", options->Targmax);
  sl_node_attr_text(node, "padding", padding);
  sl_node_attr_bool(node, "include_batch_in_index", options->include_batch_in_index);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_max_pool_with_argmax_t result;
  result.output = sl_op_output(operation, 0);
  result.argmax = sl_op_output(operation, 1);
  return result;
}
#define sl_op_max_pool_with_argmax(scope, input, ksize, strides, padding, ...) \
  sl_op_max_pool_with_argmax_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS( \
    sl_op_max_pool_with_argmax_options_t, __VA_ARGS__))

// NthElement(input: T, n: int32) -> values: T
// The n-th smallest or largest value of each row.
// reverse: bool = false; T: realnumbertype
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool reverse;
} sl_op_nth_element_options_t;
static inline TF_Output sl_op_nth_element_with(sl_scope_t *scope, TF_Output input, TF_Output n,
    const sl_op_nth_element_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NthElement", options->name);
  sl_node_input(node, input);
  sl_node_input(node, n);
  sl_node_attr_bool(node, "reverse", options->reverse);
  return sl_node_output(node);
}
#define sl_op_nth_element(scope, input, n, ...) \
  sl_op_nth_element_with(SL_AT(scope), (input), (n), SL_OPTIONS(sl_op_nth_element_options_t, __VA_ARGS__))

// Relu(features: T) -> activations: T
// max(features, 0).
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}
// Differentiable.
static inline TF_Output sl_op_relu_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Relu", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_relu(scope, features, ...) \
  sl_op_relu_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Relu6(features: T) -> activations: T
// min(max(features, 0), 6).
// T: realnumbertype
// Differentiable.
static inline TF_Output sl_op_relu6_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Relu6", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_relu6(scope, features, ...) \
  sl_op_relu6_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Relu6Grad(gradients: T, features: T) -> backprops: T
// The gradient of Relu6.
// T: realnumbertype
// Differentiable.
static inline TF_Output sl_op_relu6_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Relu6Grad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_relu6_grad(scope, gradients, features, ...) \
  sl_op_relu6_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReluGrad(gradients: T, features: T) -> backprops: T
// The gradient of Relu.
// T: realnumbertype
// Differentiable.
static inline TF_Output sl_op_relu_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReluGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_relu_grad(scope, gradients, features, ...) \
  sl_op_relu_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Selu(features: T) -> activations: T
// The scaled exponential linear unit.
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_selu_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Selu", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_selu(scope, features, ...) \
  sl_op_selu_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SeluGrad(gradients: T, outputs: T) -> backprops: T
// The gradient of Selu.
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_selu_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output outputs,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SeluGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, outputs);
  return sl_node_output(node);
}
#define sl_op_selu_grad(scope, gradients, outputs, ...) \
  sl_op_selu_grad_with(SL_AT(scope), (gradients), (outputs), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Softmax(logits: T) -> softmax: T
// exp(logits) / sum(exp(logits)) for each row.
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_softmax_with(sl_scope_t *scope, TF_Output logits, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Softmax", options->name);
  sl_node_input(node, logits);
  return sl_node_output(node);
}
#define sl_op_softmax(scope, logits, ...) \
  sl_op_softmax_with(SL_AT(scope), (logits), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> loss: T, backprop: T
// The cross entropy of a distribution of labels and the softmax of the logits, and its gradient.
// T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  TF_Output loss;
  TF_Output backprop;
} sl_op_softmax_cross_entropy_with_logits_t;
static inline sl_op_softmax_cross_entropy_with_logits_t sl_op_softmax_cross_entropy_with_logits_with(
    sl_scope_t *scope, TF_Output features, TF_Output labels, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SoftmaxCrossEntropyWithLogits", options->name);
  sl_node_input(node, features);
  sl_node_input(node, labels);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_softmax_cross_entropy_with_logits_t result;
  result.loss = sl_op_output(operation, 0);
  result.backprop = sl_op_output(operation, 1);
  return result;
}
#define sl_op_softmax_cross_entropy_with_logits(scope, features, labels, ...) \
  sl_op_softmax_cross_entropy_with_logits_with(SL_AT(scope), (features), (labels), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Softplus(features: T) -> activations: T
// log(1 + exp(features)).
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_softplus_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Softplus", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_softplus(scope, features, ...) \
  sl_op_softplus_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SoftplusGrad(gradients: T, features: T) -> backprops: T
// The gradient of Softplus.
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_softplus_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SoftplusGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_softplus_grad(scope, gradients, features, ...) \
  sl_op_softplus_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Softsign(features: T) -> activations: T
// features / (1 + abs(features)).
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_softsign_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Softsign", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_softsign(scope, features, ...) \
  sl_op_softsign_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SoftsignGrad(gradients: T, features: T) -> backprops: T
// The gradient of Softsign.
// T: {half, bfloat16, float, double}
// No gradient.
static inline TF_Output sl_op_softsign_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SoftsignGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_softsign_grad(scope, gradients, features, ...) \
  sl_op_softsign_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels) -> loss: T, backprop: T
// The cross entropy of one class per row and the softmax of the logits, and its gradient.
// T: {half, bfloat16, float, double}; Tlabels: {int32, int64} = DT_INT64
// Differentiable.
typedef struct {
  TF_Output loss;
  TF_Output backprop;
} sl_op_sparse_softmax_cross_entropy_with_logits_t;
static inline sl_op_sparse_softmax_cross_entropy_with_logits_t sl_op_sparse_softmax_cross_entropy_with_logits_with(
    sl_scope_t *scope, TF_Output features, TF_Output labels, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSoftmaxCrossEntropyWithLogits", options->name);
  sl_node_input(node, features);
  sl_node_input(node, labels);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_softmax_cross_entropy_with_logits_t result;
  result.loss = sl_op_output(operation, 0);
  result.backprop = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_softmax_cross_entropy_with_logits(scope, features, labels, ...) \
  sl_op_sparse_softmax_cross_entropy_with_logits_with(SL_AT(scope), (features), (labels), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TopK(input: T) -> values: T, indices: int32
// The k greatest values of each row and their indices.
// k: int >= 0; sorted: bool = true; T: realnumbertype
// Differentiable. Deprecated since GraphDef version 7: Use TopKV2 instead
typedef struct {
  size_t struct_size;
  const char *name;
  bool sorted;
} sl_op_top_k_options_t;
typedef struct {
  TF_Output values;
  TF_Output indices;
} sl_op_top_k_t;
static inline sl_op_top_k_t sl_op_top_k_with(sl_scope_t *scope, TF_Output input, int64_t k,
    const sl_op_top_k_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TopK", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "k", k);
  sl_node_attr_bool(node, "sorted", options->sorted);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_top_k_t result;
  result.values = sl_op_output(operation, 0);
  result.indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_top_k(scope, input, k, ...) \
  SL_OVER_DEFAULTS(sl_op_top_k_with(SL_AT(scope), (input), (k), SL_OPTIONS(sl_op_top_k_options_t, .sorted = true, \
    __VA_ARGS__)))

// TopKV2(input: T, k: Tk) -> values: T, indices: index_type
// The k greatest values of each row and their indices.
// sorted: bool = true; T: realnumbertype; Tk: {int16, int32, int64} = DT_INT32; index_type: {int16, int32, int64} =
//   DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sorted;
  TF_DataType index_type;
} sl_op_top_k_v2_options_t;
typedef struct {
  TF_Output values;
  TF_Output indices;
} sl_op_top_k_v2_t;
static inline sl_op_top_k_v2_t sl_op_top_k_v2_with(sl_scope_t *scope, TF_Output input, TF_Output k,
    const sl_op_top_k_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TopKV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, k);
  sl_node_attr_bool(node, "sorted", options->sorted);
  if (options->index_type) sl_node_attr_type(node, "index_type", options->index_type);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_top_k_v2_t result;
  result.values = sl_op_output(operation, 0);
  result.indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_top_k_v2(scope, input, k, ...) \
  SL_OVER_DEFAULTS(sl_op_top_k_v2_with(SL_AT(scope), (input), (k), SL_OPTIONS(sl_op_top_k_v2_options_t, \
    .sorted = true, __VA_ARGS__)))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_NN_H_
