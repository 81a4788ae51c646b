// Common ops, named as in TensorFlow's Python library and building the same nodes.
// All take the options of their struct, at least .name:
//
//   TF_Output y = sl_matmul(s, x, w, .transpose_b = true, .name = "scores");
#ifndef SLUICE_MATH_H_
#define SLUICE_MATH_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/node.h"

SL_BEGIN_DECLS

#define SL_OP_OPTIONS(...) SL_OPTIONS(sl_op_options_t, __VA_ARGS__)

// --- Sources ---

// A value that must be fed at each run. The feed's shape is checked against |shape|.
SL_EXPORT TF_Output sl_placeholder_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                        const sl_op_options_t *options);
#define sl_placeholder(scope, dtype, shape, ...) \
  sl_placeholder_with(SL_AT(scope), (dtype), (shape), SL_OP_OPTIONS(__VA_ARGS__))

// |value|, unless it is fed.
SL_EXPORT TF_Output sl_placeholder_with_default_with(sl_scope_t *scope, TF_Output value, sl_shape_t shape,
                                                     const sl_op_options_t *options);
#define sl_placeholder_with_default(scope, value, shape, ...) \
  sl_placeholder_with_default_with(SL_AT(scope), (value), (shape), SL_OP_OPTIONS(__VA_ARGS__))

// |data|: the elements of a numeric or boolean |dtype|, row by row; copied.
SL_EXPORT TF_Output sl_constant_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, const void *data,
                                     const sl_op_options_t *options);
#define sl_constant(scope, dtype, shape, data, ...) \
  sl_constant_with(SL_AT(scope), (dtype), (shape), (data), SL_OP_OPTIONS(__VA_ARGS__))

// One number of any numeric |dtype|.
SL_EXPORT TF_Output sl_scalar_with(sl_scope_t *scope, TF_DataType dtype, double value, const sl_op_options_t *options);
#define sl_scalar(scope, dtype, value, ...) sl_scalar_with(SL_AT(scope), (dtype), (value), SL_OP_OPTIONS(__VA_ARGS__))

// A scalar string, and a vector of |count| strings.
SL_EXPORT TF_Output sl_text_with(sl_scope_t *scope, const char *text, const sl_op_options_t *options);
#define sl_text(scope, text, ...) sl_text_with(SL_AT(scope), (text), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_texts_with(sl_scope_t *scope, const char *const *texts, size_t count,
                                  const sl_op_options_t *options);
#define sl_texts(scope, texts, count, ...) sl_texts_with(SL_AT(scope), (texts), (count), SL_OP_OPTIONS(__VA_ARGS__))

// Tensors of zeros and ones: a Const below 1,000 elements, else a Fill.
SL_EXPORT TF_Output sl_zeros_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                  const sl_op_options_t *options);
#define sl_zeros(scope, dtype, shape, ...) sl_zeros_with(SL_AT(scope), (dtype), (shape), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_ones_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                 const sl_op_options_t *options);
#define sl_ones(scope, dtype, shape, ...) sl_ones_with(SL_AT(scope), (dtype), (shape), SL_OP_OPTIONS(__VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  double mean;     // of normal distributions
  double stddev;   // of normal distributions. 0: 1
  double minimum;  // of the uniform distribution
  double maximum;  // exclusive. 0 if minimum is 0, too: 1. Required for int32 and int64
  int64_t seed;    // 0: none
} sl_random_options_t;
SL_EXPORT TF_Output sl_random_normal_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                          const sl_random_options_t *options);
#define sl_random_normal(scope, dtype, shape, ...) \
  sl_random_normal_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS(sl_random_options_t, __VA_ARGS__))
SL_EXPORT TF_Output sl_truncated_normal_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                             const sl_random_options_t *options);
#define sl_truncated_normal(scope, dtype, shape, ...) \
  sl_truncated_normal_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS(sl_random_options_t, __VA_ARGS__))
SL_EXPORT TF_Output sl_random_uniform_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                           const sl_random_options_t *options);
#define sl_random_uniform(scope, dtype, shape, ...) \
  sl_random_uniform_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS(sl_random_options_t, __VA_ARGS__))

// --- Ops of one value ---

// Any op with one input of type T and one output; the name is as in sl_node_begin.
SL_EXPORT TF_Output sl_unary(sl_scope_t *scope, const char *op, TF_Output x, const sl_op_options_t *options);
#define SL_UNARY(scope, op, x, ...) sl_unary(SL_AT(scope), op, (x), SL_OP_OPTIONS(__VA_ARGS__))
#define sl_identity(scope, x, ...) SL_UNARY(scope, "Identity", x, __VA_ARGS__)
#define sl_stop_gradient(scope, x, ...) SL_UNARY(scope, "StopGradient", x, __VA_ARGS__)
#define sl_negative(scope, x, ...) SL_UNARY(scope, "Neg", x, __VA_ARGS__)
#define sl_square(scope, x, ...) SL_UNARY(scope, "Square", x, __VA_ARGS__)
#define sl_sqrt(scope, x, ...) SL_UNARY(scope, "Sqrt", x, __VA_ARGS__)
#define sl_exp(scope, x, ...) SL_UNARY(scope, "Exp", x, __VA_ARGS__)
#define sl_log(scope, x, ...) SL_UNARY(scope, "Log", x, __VA_ARGS__)
#define sl_cos(scope, x, ...) SL_UNARY(scope, "Cos", x, __VA_ARGS__)
#define sl_floor(scope, x, ...) SL_UNARY(scope, "Floor", x, __VA_ARGS__)
#define sl_relu(scope, x, ...) SL_UNARY(scope, "Relu", x, __VA_ARGS__)
#define sl_sigmoid(scope, x, ...) SL_UNARY(scope, "Sigmoid", x, __VA_ARGS__)
#define sl_tanh(scope, x, ...) SL_UNARY(scope, "Tanh", x, __VA_ARGS__)
#define sl_softmax(scope, x, ...) SL_UNARY(scope, "Softmax", x, __VA_ARGS__)
#define sl_log_softmax(scope, x, ...) SL_UNARY(scope, "LogSoftmax", x, __VA_ARGS__)

// |x| converted to |dtype|; |x| itself if it has that type.
SL_EXPORT TF_Output sl_cast_with(sl_scope_t *scope, TF_Output x, TF_DataType dtype, const sl_op_options_t *options);
#define sl_cast(scope, x, dtype, ...) sl_cast_with(SL_AT(scope), (x), (dtype), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_shape_of_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options);
#define sl_shape_of(scope, x, ...) sl_shape_of_with(SL_AT(scope), (x), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_reshape_with(sl_scope_t *scope, TF_Output x, sl_shape_t shape, const sl_op_options_t *options);
#define sl_reshape(scope, x, shape, ...) sl_reshape_with(SL_AT(scope), (x), (shape), SL_OP_OPTIONS(__VA_ARGS__))

// --- Ops of a list of values ---

// The elementwise sum; all values have the same shape.
SL_EXPORT TF_Output sl_add_n_with(sl_scope_t *scope, sl_outputs_t values, const sl_op_options_t *options);
#define sl_add_n(scope, values, ...) sl_add_n_with(SL_AT(scope), (values), SL_OP_OPTIONS(__VA_ARGS__))
// The values concatenated along |axis|.
SL_EXPORT TF_Output sl_concat_with(sl_scope_t *scope, sl_outputs_t values, int axis, const sl_op_options_t *options);
#define sl_concat(scope, values, axis, ...) sl_concat_with(SL_AT(scope), (values), (axis), SL_OP_OPTIONS(__VA_ARGS__))
// sl_add_n(s, SL_OUTPUTS(a, b, c)).
#define SL_OUTPUTS(...) \
  ((sl_outputs_t){sizeof((TF_Output[]){__VA_ARGS__}) / sizeof(TF_Output), (const TF_Output[]){__VA_ARGS__}})

// --- Ops of two values, with broadcasting ---

// Any op with two inputs of type T and one output.
SL_EXPORT TF_Output sl_binary(sl_scope_t *scope, const char *op, const char *usual_name, TF_Output x, TF_Output y,
                              const sl_op_options_t *options);
#define SL_BINARY(scope, op, usual_name, x, y, ...) \
  sl_binary(SL_AT(scope), op, usual_name, (x), (y), SL_OP_OPTIONS(__VA_ARGS__))
#define sl_add(scope, x, y, ...) SL_BINARY(scope, "AddV2", "Add", x, y, __VA_ARGS__)
#define sl_subtract(scope, x, y, ...) SL_BINARY(scope, "Sub", "Sub", x, y, __VA_ARGS__)
#define sl_multiply(scope, x, y, ...) SL_BINARY(scope, "Mul", "Mul", x, y, __VA_ARGS__)
#define sl_divide(scope, x, y, ...) SL_BINARY(scope, "RealDiv", "truediv", x, y, __VA_ARGS__)
#define sl_div_no_nan(scope, x, y, ...) SL_BINARY(scope, "DivNoNan", "div_no_nan", x, y, __VA_ARGS__)
#define sl_pow(scope, x, y, ...) SL_BINARY(scope, "Pow", "Pow", x, y, __VA_ARGS__)
#define sl_minimum(scope, x, y, ...) SL_BINARY(scope, "Minimum", "Minimum", x, y, __VA_ARGS__)
#define sl_maximum(scope, x, y, ...) SL_BINARY(scope, "Maximum", "Maximum", x, y, __VA_ARGS__)
#define sl_squared_difference(scope, x, y, ...) \
  SL_BINARY(scope, "SquaredDifference", "SquaredDifference", x, y, __VA_ARGS__)
#define sl_equal(scope, x, y, ...) SL_BINARY(scope, "Equal", "Equal", x, y, __VA_ARGS__)
#define sl_not_equal(scope, x, y, ...) SL_BINARY(scope, "NotEqual", "NotEqual", x, y, __VA_ARGS__)
#define sl_less(scope, x, y, ...) SL_BINARY(scope, "Less", "Less", x, y, __VA_ARGS__)
#define sl_greater(scope, x, y, ...) SL_BINARY(scope, "Greater", "Greater", x, y, __VA_ARGS__)

typedef struct {
  size_t struct_size;
  const char *name;
  bool transpose_a, transpose_b;
} sl_matmul_options_t;
SL_EXPORT TF_Output sl_matmul_with(sl_scope_t *scope, TF_Output a, TF_Output b, const sl_matmul_options_t *options);
#define sl_matmul(scope, a, b, ...) sl_matmul_with(SL_AT(scope), (a), (b), SL_OPTIONS(sl_matmul_options_t, __VA_ARGS__))
SL_EXPORT TF_Output sl_bias_add_with(sl_scope_t *scope, TF_Output value, TF_Output bias,
                                     const sl_op_options_t *options);
#define sl_bias_add(scope, value, bias, ...) sl_bias_add_with(SL_AT(scope), (value), (bias), SL_OP_OPTIONS(__VA_ARGS__))

// --- Reductions ---

typedef struct {
  size_t struct_size;
  const char *name;
  const int *axes;  // NULL: all dimensions
  size_t axis_count;
  bool keep_dims;
  bool axes_as_list;  // makes a vector of a single axis, as Python does for axis=[0]
} sl_reduce_options_t;
// "Mean", "Sum", "Max", "Min", "Prod".
SL_EXPORT TF_Output sl_reduce(sl_scope_t *scope, const char *op, TF_Output x, const sl_reduce_options_t *options);
#define SL_REDUCE(scope, op, x, ...) sl_reduce(SL_AT(scope), op, (x), SL_OPTIONS(sl_reduce_options_t, __VA_ARGS__))
#define sl_mean(scope, x, ...) SL_REDUCE(scope, "Mean", x, __VA_ARGS__)
#define sl_sum(scope, x, ...) SL_REDUCE(scope, "Sum", x, __VA_ARGS__)
#define sl_max(scope, x, ...) SL_REDUCE(scope, "Max", x, __VA_ARGS__)
#define sl_min(scope, x, ...) SL_REDUCE(scope, "Min", x, __VA_ARGS__)
// For .axes: sl_sum(s, x, SL_AXES(1)).
#define SL_AXES(...) .axes = (const int[]){__VA_ARGS__}, .axis_count = sizeof((int[]){__VA_ARGS__}) / sizeof(int)

// The index of the largest element along |axis|, int64.
SL_EXPORT TF_Output sl_argmax_with(sl_scope_t *scope, TF_Output x, int axis, const sl_op_options_t *options);
#define sl_argmax(scope, x, axis, ...) sl_argmax_with(SL_AT(scope), (x), (axis), SL_OP_OPTIONS(__VA_ARGS__))

// --- Cross entropy, one value per example ---

// |labels| are class numbers. As tf.nn.sparse_softmax_cross_entropy_with_logits.
SL_EXPORT TF_Output sl_sparse_softmax_cross_entropy_with_logits_with(sl_scope_t *scope, TF_Output labels,
                                                                     TF_Output logits, const sl_op_options_t *options);
#define sl_sparse_softmax_cross_entropy_with_logits(scope, labels, logits, ...) \
  sl_sparse_softmax_cross_entropy_with_logits_with(SL_AT(scope), (labels), (logits), SL_OP_OPTIONS(__VA_ARGS__))
// |labels| are a distribution for each example; both have rank 2.
SL_EXPORT TF_Output sl_softmax_cross_entropy_with_logits_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                              const sl_op_options_t *options);
#define sl_softmax_cross_entropy_with_logits(scope, labels, logits, ...) \
  sl_softmax_cross_entropy_with_logits_with(SL_AT(scope), (labels), (logits), SL_OP_OPTIONS(__VA_ARGS__))
// |labels| are numbers from 0 to 1; one value per logit.
SL_EXPORT TF_Output sl_sigmoid_cross_entropy_with_logits_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                              const sl_op_options_t *options);
#define sl_sigmoid_cross_entropy_with_logits(scope, labels, logits, ...) \
  sl_sigmoid_cross_entropy_with_logits_with(SL_AT(scope), (labels), (logits), SL_OP_OPTIONS(__VA_ARGS__))

// --- Operations without a value ---

SL_EXPORT TF_Operation *sl_no_op_with(sl_scope_t *scope, const sl_op_options_t *options);
#define sl_no_op(scope, ...) sl_no_op_with(SL_AT(scope), SL_OP_OPTIONS(__VA_ARGS__))
// An operation that runs |operations|. Groups them by device, as tf.group does.
SL_EXPORT TF_Operation *sl_group_with(sl_scope_t *scope, TF_Operation *const *operations, size_t count,
                                      const sl_op_options_t *options);
#define sl_group(scope, operations, count, ...) \
  sl_group_with(SL_AT(scope), (operations), (count), SL_OP_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_MATH_H_
