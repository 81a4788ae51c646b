// Ops: numbers of few bits: fake quantization, conversions, simple ops on quantized tensors.
// Generated from src/ops/quantize by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_QUANTIZE_H_
#define SLUICE_OPS_QUANTIZE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// Dequantize(input: T, min_range: float, max_range: float) -> output: dtype
// Quantized numbers as floats.
// T: {qint8, quint8, qint32, qint16, quint16}; mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED';
//   narrow_range: bool = false; axis: int = -1; dtype: {bfloat16, float} = DT_FLOAT
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *mode;
  bool narrow_range;
  int64_t axis;
  TF_DataType dtype;
} sl_op_dequantize_options_t;
static inline TF_Output sl_op_dequantize_with(sl_scope_t *scope, TF_Output input, TF_Output min_range,
    TF_Output max_range, const sl_op_dequantize_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Dequantize", options->name);
  sl_node_input(node, input);
  sl_node_input(node, min_range);
  sl_node_input(node, max_range);
  if (options->mode) sl_node_attr_text(node, "mode", options->mode);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  sl_node_attr_int(node, "axis", options->axis);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_dequantize(scope, input, min_range, max_range, ...) \
  SL_OVER_DEFAULTS(sl_op_dequantize_with(SL_AT(scope), (input), (min_range), (max_range), SL_OPTIONS( \
    sl_op_dequantize_options_t, .axis = -1, __VA_ARGS__)))

// FakeQuantWithMinMaxArgs(inputs: float) -> outputs: float
// Rounds to numbers of few bits in a fixed range.
// min: float = -6; max: float = 6; num_bits: int = 8; narrow_range: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float min;
  float max;
  int64_t num_bits;
  bool narrow_range;
} sl_op_fake_quant_with_min_max_args_options_t;
static inline TF_Output sl_op_fake_quant_with_min_max_args_with(sl_scope_t *scope, TF_Output inputs,
    const sl_op_fake_quant_with_min_max_args_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FakeQuantWithMinMaxArgs", options->name);
  sl_node_input(node, inputs);
  sl_node_attr_float(node, "min", options->min);
  sl_node_attr_float(node, "max", options->max);
  sl_node_attr_int(node, "num_bits", options->num_bits);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  return sl_node_output(node);
}
#define sl_op_fake_quant_with_min_max_args(scope, inputs, ...) \
  SL_OVER_DEFAULTS(sl_op_fake_quant_with_min_max_args_with(SL_AT(scope), (inputs), SL_OPTIONS( \
    sl_op_fake_quant_with_min_max_args_options_t, .min = (float)-6, .max = (float)6, .num_bits = 8, __VA_ARGS__)))

// FakeQuantWithMinMaxArgsGradient(gradients: float, inputs: float) -> backprops: float
// The gradient of FakeQuantWithMinMaxArgs.
// min: float = -6; max: float = 6; num_bits: int = 8; narrow_range: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  float min;
  float max;
  int64_t num_bits;
  bool narrow_range;
} sl_op_fake_quant_with_min_max_args_gradient_options_t;
static inline TF_Output sl_op_fake_quant_with_min_max_args_gradient_with(sl_scope_t *scope, TF_Output gradients,
    TF_Output inputs, const sl_op_fake_quant_with_min_max_args_gradient_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FakeQuantWithMinMaxArgsGradient", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, inputs);
  sl_node_attr_float(node, "min", options->min);
  sl_node_attr_float(node, "max", options->max);
  sl_node_attr_int(node, "num_bits", options->num_bits);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  return sl_node_output(node);
}
#define sl_op_fake_quant_with_min_max_args_gradient(scope, gradients, inputs, ...) \
  SL_OVER_DEFAULTS(sl_op_fake_quant_with_min_max_args_gradient_with(SL_AT(scope), (gradients), (inputs), SL_OPTIONS( \
    sl_op_fake_quant_with_min_max_args_gradient_options_t, .min = (float)-6, .max = (float)6, .num_bits = 8, \
    __VA_ARGS__)))

// FakeQuantWithMinMaxVars(inputs: float, min: float, max: float) -> outputs: float
// Rounds to numbers of few bits in a range that can be trained.
// num_bits: int = 8; narrow_range: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t num_bits;
  bool narrow_range;
} sl_op_fake_quant_with_min_max_vars_options_t;
static inline TF_Output sl_op_fake_quant_with_min_max_vars_with(sl_scope_t *scope, TF_Output inputs, TF_Output min,
    TF_Output max, const sl_op_fake_quant_with_min_max_vars_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FakeQuantWithMinMaxVars", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, min);
  sl_node_input(node, max);
  sl_node_attr_int(node, "num_bits", options->num_bits);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  return sl_node_output(node);
}
#define sl_op_fake_quant_with_min_max_vars(scope, inputs, min, max, ...) \
  SL_OVER_DEFAULTS(sl_op_fake_quant_with_min_max_vars_with(SL_AT(scope), (inputs), (min), (max), SL_OPTIONS( \
    sl_op_fake_quant_with_min_max_vars_options_t, .num_bits = 8, __VA_ARGS__)))

// FakeQuantWithMinMaxVarsGradient(gradients: float, inputs: float, min: float, max: float) -> backprops_wrt_input:
//   float, backprop_wrt_min: float, backprop_wrt_max: float
// The gradient of FakeQuantWithMinMaxVars.
// num_bits: int = 8; narrow_range: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t num_bits;
  bool narrow_range;
} sl_op_fake_quant_with_min_max_vars_gradient_options_t;
typedef struct {
  TF_Output backprops_wrt_input;
  TF_Output backprop_wrt_min;
  TF_Output backprop_wrt_max;
} sl_op_fake_quant_with_min_max_vars_gradient_t;
static inline sl_op_fake_quant_with_min_max_vars_gradient_t sl_op_fake_quant_with_min_max_vars_gradient_with(
    sl_scope_t *scope, TF_Output gradients, TF_Output inputs, TF_Output min, TF_Output max,
    const sl_op_fake_quant_with_min_max_vars_gradient_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FakeQuantWithMinMaxVarsGradient", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, inputs);
  sl_node_input(node, min);
  sl_node_input(node, max);
  sl_node_attr_int(node, "num_bits", options->num_bits);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fake_quant_with_min_max_vars_gradient_t result;
  result.backprops_wrt_input = sl_op_output(operation, 0);
  result.backprop_wrt_min = sl_op_output(operation, 1);
  result.backprop_wrt_max = sl_op_output(operation, 2);
  return result;
}
#define sl_op_fake_quant_with_min_max_vars_gradient(scope, gradients, inputs, min, max, ...) \
  SL_OVER_DEFAULTS(sl_op_fake_quant_with_min_max_vars_gradient_with(SL_AT(scope), (gradients), (inputs), (min), ( \
    max), SL_OPTIONS(sl_op_fake_quant_with_min_max_vars_gradient_options_t, .num_bits = 8, __VA_ARGS__)))

// FakeQuantWithMinMaxVarsPerChannel(inputs: float, min: float, max: float) -> outputs: float
// Rounds to numbers of few bits in a range for each channel.
// num_bits: int = 8; narrow_range: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t num_bits;
  bool narrow_range;
} sl_op_fake_quant_with_min_max_vars_per_channel_options_t;
static inline TF_Output sl_op_fake_quant_with_min_max_vars_per_channel_with(sl_scope_t *scope, TF_Output inputs,
    TF_Output min, TF_Output max, const sl_op_fake_quant_with_min_max_vars_per_channel_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FakeQuantWithMinMaxVarsPerChannel", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, min);
  sl_node_input(node, max);
  sl_node_attr_int(node, "num_bits", options->num_bits);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  return sl_node_output(node);
}
#define sl_op_fake_quant_with_min_max_vars_per_channel(scope, inputs, min, max, ...) \
  SL_OVER_DEFAULTS(sl_op_fake_quant_with_min_max_vars_per_channel_with(SL_AT(scope), (inputs), (min), (max), \
    SL_OPTIONS(sl_op_fake_quant_with_min_max_vars_per_channel_options_t, .num_bits = 8, __VA_ARGS__)))

// FakeQuantWithMinMaxVarsPerChannelGradient(gradients: float, inputs: float, min: float, max: float) ->
//   backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float
// The gradient of FakeQuantWithMinMaxVarsPerChannel.
// num_bits: int = 8; narrow_range: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t num_bits;
  bool narrow_range;
} sl_op_fake_quant_with_min_max_vars_per_channel_gradient_options_t;
typedef struct {
  TF_Output backprops_wrt_input;
  TF_Output backprop_wrt_min;
  TF_Output backprop_wrt_max;
} sl_op_fake_quant_with_min_max_vars_per_channel_gradient_t;
static inline sl_op_fake_quant_with_min_max_vars_per_channel_gradient_t
    sl_op_fake_quant_with_min_max_vars_per_channel_gradient_with(sl_scope_t *scope, TF_Output gradients,
    TF_Output inputs, TF_Output min, TF_Output max,
    const sl_op_fake_quant_with_min_max_vars_per_channel_gradient_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FakeQuantWithMinMaxVarsPerChannelGradient", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, inputs);
  sl_node_input(node, min);
  sl_node_input(node, max);
  sl_node_attr_int(node, "num_bits", options->num_bits);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fake_quant_with_min_max_vars_per_channel_gradient_t result;
  result.backprops_wrt_input = sl_op_output(operation, 0);
  result.backprop_wrt_min = sl_op_output(operation, 1);
  result.backprop_wrt_max = sl_op_output(operation, 2);
  return result;
}
#define sl_op_fake_quant_with_min_max_vars_per_channel_gradient(scope, gradients, inputs, min, max, ...) \
  SL_OVER_DEFAULTS(sl_op_fake_quant_with_min_max_vars_per_channel_gradient_with(SL_AT(scope), (gradients), (inputs), ( \
    min), (max), SL_OPTIONS(sl_op_fake_quant_with_min_max_vars_per_channel_gradient_options_t, .num_bits = 8, \
    __VA_ARGS__)))

// QuantizeAndDequantize(input: T) -> output: T
// Rounds to numbers of few bits.
// signed_input: bool = true; num_bits: int = 8; range_given: bool = false; input_min: float = 0; input_max: float =
//   0; T: {bfloat16, half, float, double}
// Differentiable. Deprecated since GraphDef version 22: Replaced by QuantizeAndDequantizeV2
typedef struct {
  size_t struct_size;
  const char *name;
  bool signed_input;
  int64_t num_bits;
  bool range_given;
  float input_min;
  float input_max;
} sl_op_quantize_and_dequantize_options_t;
static inline TF_Output sl_op_quantize_and_dequantize_with(sl_scope_t *scope, TF_Output input,
    const sl_op_quantize_and_dequantize_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QuantizeAndDequantize", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "signed_input", options->signed_input);
  sl_node_attr_int(node, "num_bits", options->num_bits);
  sl_node_attr_bool(node, "range_given", options->range_given);
  sl_node_attr_float(node, "input_min", options->input_min);
  sl_node_attr_float(node, "input_max", options->input_max);
  return sl_node_output(node);
}
#define sl_op_quantize_and_dequantize(scope, input, ...) \
  SL_OVER_DEFAULTS(sl_op_quantize_and_dequantize_with(SL_AT(scope), (input), SL_OPTIONS( \
    sl_op_quantize_and_dequantize_options_t, .signed_input = true, .num_bits = 8, __VA_ARGS__)))

// QuantizeAndDequantizeV2(input: T, input_min: T, input_max: T) -> output: T
// Rounds to numbers of few bits.
// signed_input: bool = true; num_bits: int = 8; range_given: bool = false; T: {bfloat16, half, float, double};
//   round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'; narrow_range: bool = false; axis: int = -1
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool signed_input;
  int64_t num_bits;
  bool range_given;
  const char *round_mode;
  bool narrow_range;
  int64_t axis;
} sl_op_quantize_and_dequantize_v2_options_t;
static inline TF_Output sl_op_quantize_and_dequantize_v2_with(sl_scope_t *scope, TF_Output input,
    TF_Output input_min, TF_Output input_max, const sl_op_quantize_and_dequantize_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QuantizeAndDequantizeV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, input_min);
  sl_node_input(node, input_max);
  sl_node_attr_bool(node, "signed_input", options->signed_input);
  sl_node_attr_int(node, "num_bits", options->num_bits);
  sl_node_attr_bool(node, "range_given", options->range_given);
  if (options->round_mode) sl_node_attr_text(node, "round_mode", options->round_mode);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  sl_node_attr_int(node, "axis", options->axis);
  return sl_node_output(node);
}
#define sl_op_quantize_and_dequantize_v2(scope, input, input_min, input_max, ...) \
  SL_OVER_DEFAULTS(sl_op_quantize_and_dequantize_v2_with(SL_AT(scope), (input), (input_min), (input_max), SL_OPTIONS( \
    sl_op_quantize_and_dequantize_v2_options_t, .signed_input = true, .num_bits = 8, .axis = -1, __VA_ARGS__)))

// QuantizeAndDequantizeV3(input: T, input_min: T, input_max: T, num_bits: int32) -> output: T
// Rounds to numbers of as many bits as the graph says.
// signed_input: bool = true; range_given: bool = true; T: {bfloat16, half, float, double}; narrow_range: bool =
//   false; axis: int = -1
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool signed_input;
  bool range_given;
  bool narrow_range;
  int64_t axis;
} sl_op_quantize_and_dequantize_v3_options_t;
static inline TF_Output sl_op_quantize_and_dequantize_v3_with(sl_scope_t *scope, TF_Output input,
    TF_Output input_min, TF_Output input_max, TF_Output num_bits,
    const sl_op_quantize_and_dequantize_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QuantizeAndDequantizeV3", options->name);
  sl_node_input(node, input);
  sl_node_input(node, input_min);
  sl_node_input(node, input_max);
  sl_node_input(node, num_bits);
  sl_node_attr_bool(node, "signed_input", options->signed_input);
  sl_node_attr_bool(node, "range_given", options->range_given);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  sl_node_attr_int(node, "axis", options->axis);
  return sl_node_output(node);
}
#define sl_op_quantize_and_dequantize_v3(scope, input, input_min, input_max, num_bits, ...) \
  SL_OVER_DEFAULTS(sl_op_quantize_and_dequantize_v3_with(SL_AT(scope), (input), (input_min), (input_max), (num_bits), \
    SL_OPTIONS(sl_op_quantize_and_dequantize_v3_options_t, .signed_input = true, .range_given = true, .axis = -1, \
    __VA_ARGS__)))

// QuantizeAndDequantizeV4(input: T, input_min: T, input_max: T) -> output: T
// Rounds to numbers of few bits; the gradient is that within the range.
// signed_input: bool = true; num_bits: int = 8; range_given: bool = false; T: {bfloat16, half, float, double};
//   round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'; narrow_range: bool = false; axis: int = -1
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool signed_input;
  int64_t num_bits;
  bool range_given;
  const char *round_mode;
  bool narrow_range;
  int64_t axis;
} sl_op_quantize_and_dequantize_v4_options_t;
static inline TF_Output sl_op_quantize_and_dequantize_v4_with(sl_scope_t *scope, TF_Output input,
    TF_Output input_min, TF_Output input_max, const sl_op_quantize_and_dequantize_v4_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QuantizeAndDequantizeV4", options->name);
  sl_node_input(node, input);
  sl_node_input(node, input_min);
  sl_node_input(node, input_max);
  sl_node_attr_bool(node, "signed_input", options->signed_input);
  sl_node_attr_int(node, "num_bits", options->num_bits);
  sl_node_attr_bool(node, "range_given", options->range_given);
  if (options->round_mode) sl_node_attr_text(node, "round_mode", options->round_mode);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  sl_node_attr_int(node, "axis", options->axis);
  return sl_node_output(node);
}
#define sl_op_quantize_and_dequantize_v4(scope, input, input_min, input_max, ...) \
  SL_OVER_DEFAULTS(sl_op_quantize_and_dequantize_v4_with(SL_AT(scope), (input), (input_min), (input_max), SL_OPTIONS( \
    sl_op_quantize_and_dequantize_v4_options_t, .signed_input = true, .num_bits = 8, .axis = -1, __VA_ARGS__)))

// QuantizeAndDequantizeV4Grad(gradients: T, input: T, input_min: T, input_max: T) -> input_backprop: T,
//   input_min_backprop: T, input_max_backprop: T
// The gradient of QuantizeAndDequantizeV4.
// T: {bfloat16, half, float, double}; axis: int = -1
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t axis;
} sl_op_quantize_and_dequantize_v4_grad_options_t;
typedef struct {
  TF_Output input_backprop;
  TF_Output input_min_backprop;
  TF_Output input_max_backprop;
} sl_op_quantize_and_dequantize_v4_grad_t;
static inline sl_op_quantize_and_dequantize_v4_grad_t sl_op_quantize_and_dequantize_v4_grad_with(sl_scope_t *scope,
    TF_Output gradients, TF_Output input, TF_Output input_min, TF_Output input_max,
    const sl_op_quantize_and_dequantize_v4_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QuantizeAndDequantizeV4Grad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, input);
  sl_node_input(node, input_min);
  sl_node_input(node, input_max);
  sl_node_attr_int(node, "axis", options->axis);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_quantize_and_dequantize_v4_grad_t result;
  result.input_backprop = sl_op_output(operation, 0);
  result.input_min_backprop = sl_op_output(operation, 1);
  result.input_max_backprop = sl_op_output(operation, 2);
  return result;
}
#define sl_op_quantize_and_dequantize_v4_grad(scope, gradients, input, input_min, input_max, ...) \
  SL_OVER_DEFAULTS(sl_op_quantize_and_dequantize_v4_grad_with(SL_AT(scope), (gradients), (input), (input_min), ( \
    input_max), SL_OPTIONS(sl_op_quantize_and_dequantize_v4_grad_options_t, .axis = -1, __VA_ARGS__)))

// QuantizeDownAndShrinkRange(input: Tinput, input_min: float, input_max: float) -> output: out_type, output_min:
//   float, output_max: float
// Converts 32 bits to 8 in the range that is used.
// Tinput: {qint8, quint8, qint32, qint16, quint16}; out_type: {qint8, quint8, qint32, qint16, quint16}
// No gradient.
typedef struct {
  TF_Output output;
  TF_Output output_min;
  TF_Output output_max;
} sl_op_quantize_down_and_shrink_range_t;
static inline sl_op_quantize_down_and_shrink_range_t sl_op_quantize_down_and_shrink_range_with(sl_scope_t *scope,
    TF_Output input, TF_Output input_min, TF_Output input_max, TF_DataType out_type, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QuantizeDownAndShrinkRange", options->name);
  sl_node_input(node, input);
  sl_node_input(node, input_min);
  sl_node_input(node, input_max);
  sl_node_attr_type(node, "out_type", out_type);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_quantize_down_and_shrink_range_t result;
  result.output = sl_op_output(operation, 0);
  result.output_min = sl_op_output(operation, 1);
  result.output_max = sl_op_output(operation, 2);
  return result;
}
#define sl_op_quantize_down_and_shrink_range(scope, input, input_min, input_max, out_type, ...) \
  sl_op_quantize_down_and_shrink_range_with(SL_AT(scope), (input), (input_min), (input_max), (out_type), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// QuantizeV2(input: float, min_range: float, max_range: float) -> output: T, output_min: float, output_max: float
// Floats as quantized numbers.
// T: {qint8, quint8, qint32, qint16, quint16}; mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED';
//   round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'; narrow_range: bool = false; axis:
//   int = -1; ensure_minimum_range: float = 0.01
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *mode;
  const char *round_mode;
  bool narrow_range;
  int64_t axis;
  float ensure_minimum_range;
} sl_op_quantize_v2_options_t;
typedef struct {
  TF_Output output;
  TF_Output output_min;
  TF_Output output_max;
} sl_op_quantize_v2_t;
static inline sl_op_quantize_v2_t sl_op_quantize_v2_with(sl_scope_t *scope, TF_Output input, TF_Output min_range,
    TF_Output max_range, TF_DataType T, const sl_op_quantize_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QuantizeV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, min_range);
  sl_node_input(node, max_range);
  sl_node_attr_type(node, "T", T);
  if (options->mode) sl_node_attr_text(node, "mode", options->mode);
  if (options->round_mode) sl_node_attr_text(node, "round_mode", options->round_mode);
  sl_node_attr_bool(node, "narrow_range", options->narrow_range);
  sl_node_attr_int(node, "axis", options->axis);
  sl_node_attr_float(node, "ensure_minimum_range", options->ensure_minimum_range);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_quantize_v2_t result;
  result.output = sl_op_output(operation, 0);
  result.output_min = sl_op_output(operation, 1);
  result.output_max = sl_op_output(operation, 2);
  return result;
}
#define sl_op_quantize_v2(scope, input, min_range, max_range, T, ...) \
  SL_OVER_DEFAULTS(sl_op_quantize_v2_with(SL_AT(scope), (input), (min_range), (max_range), (T), SL_OPTIONS( \
    sl_op_quantize_v2_options_t, .axis = -1, .ensure_minimum_range = (float)0.00999999978, __VA_ARGS__)))

// QuantizedConcat(concat_dim: int32, values: N * T, input_mins: N * float, input_maxes: N * float) -> output: T,
//   output_min: float, output_max: float
// Joins quantized tensors in a common range.
// N: int >= 2; T: type
// No gradient.
typedef struct {
  TF_Output output;
  TF_Output output_min;
  TF_Output output_max;
} sl_op_quantized_concat_t;
static inline sl_op_quantized_concat_t sl_op_quantized_concat_with(sl_scope_t *scope, TF_Output concat_dim,
    const TF_Output *values, size_t values_count, const TF_Output *input_mins, size_t input_mins_count,
    const TF_Output *input_maxes, size_t input_maxes_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QuantizedConcat", options->name);
  sl_node_input(node, concat_dim);
  sl_node_input_list(node, values, values_count);
  sl_node_input_list(node, input_mins, input_mins_count);
  sl_node_input_list(node, input_maxes, input_maxes_count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_quantized_concat_t result;
  result.output = sl_op_output(operation, 0);
  result.output_min = sl_op_output(operation, 1);
  result.output_max = sl_op_output(operation, 2);
  return result;
}
#define sl_op_quantized_concat(scope, concat_dim, values, values_count, input_mins, input_mins_count, input_maxes, \
    input_maxes_count, ...) \
  sl_op_quantized_concat_with(SL_AT(scope), (concat_dim), (values), (values_count), (input_mins), (input_mins_count), \
    (input_maxes), (input_maxes_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// QuantizedReshape(tensor: T, shape: Tshape, input_min: float, input_max: float) -> output: T, output_min: float,
//   output_max: float
// Reshapes a quantized tensor.
// T: type; Tshape: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  TF_Output output;
  TF_Output output_min;
  TF_Output output_max;
} sl_op_quantized_reshape_t;
static inline sl_op_quantized_reshape_t sl_op_quantized_reshape_with(sl_scope_t *scope, TF_Output tensor,
    TF_Output shape, TF_Output input_min, TF_Output input_max, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QuantizedReshape", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, shape);
  sl_node_input(node, input_min);
  sl_node_input(node, input_max);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_quantized_reshape_t result;
  result.output = sl_op_output(operation, 0);
  result.output_min = sl_op_output(operation, 1);
  result.output_max = sl_op_output(operation, 2);
  return result;
}
#define sl_op_quantized_reshape(scope, tensor, shape, input_min, input_max, ...) \
  sl_op_quantized_reshape_with(SL_AT(scope), (tensor), (shape), (input_min), (input_max), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_QUANTIZE_H_
