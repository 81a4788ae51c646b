// Clipping one tensor: the nodes of tf.clip_by_value, tf.clip_by_norm and tf.clip_by_average_norm.
#include <stdlib.h>

#include "sluice/optimizer.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"

TF_Output sl_clip_by_value_with(sl_scope_t *scope, TF_Output x, double minimum, double maximum,
                                const sl_op_options_t *options) {
  TF_Output clipped = {0};
  SL_NAME_SCOPE (scope, "%s", sli_build_name_or(options, "clip_by_value")) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output below = sli_build_number_right(scope, "Minimum", "Minimum", x, maximum);
    TF_Output floor = sli_build_constant_fill(scope, sl_dtype(x), SL_SHAPE(), minimum, "y");
    clipped = sl_binary(scope, "Maximum", whole, below, floor, NULL);
    free(whole);
  }
  return clipped;
}

TF_Output sl_clip_by_norm_with(sl_scope_t *scope, TF_Output x, double norm, const sl_op_options_t *options) {
  TF_Output clipped = {0};
  SL_NAME_SCOPE (scope, "%s", sli_build_name_or(options, "clip_by_norm")) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output sum = sl_reduce(scope, "Sum", sl_binary(scope, "Mul", "mul", x, x, NULL),
                              SL_OPTIONS(sl_reduce_options_t, .keep_dims = true));
    // The square root of 0 has no gradient: where the sum is 0, it is used itself.
    TF_Output positive = sli_build_number_right(scope, "Greater", "Greater", sum, 0);
    TF_Output safe =
        sli_build_select(scope, positive, sum, sl_unary(scope, "OnesLike", sum, SL_OP_OPTIONS(.name = "ones_like")));
    TF_Output length = sli_build_select(scope, positive, sl_unary(scope, "Sqrt", safe, NULL), sum);
    TF_Output scaled = sli_build_number_right(scope, "Mul", "mul", x, norm);
    TF_Output divisor = sli_build_number_right(scope, "Maximum", "Maximum", length, norm);
    TF_Output quotient = sl_binary(scope, "RealDiv", "truediv", scaled, divisor, NULL);
    clipped = sl_unary(scope, "Identity", quotient, SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  return clipped;
}

TF_Output sl_clip_by_average_norm_with(sl_scope_t *scope, TF_Output x, double norm, const sl_op_options_t *options) {
  TF_Output clipped = {0};
  SL_NAME_SCOPE (scope, "%s", sli_build_name_or(options, "clip_by_average_norm")) {
    char *whole = sli_build_scope_node_name(scope);
    sl_shape_t shape = sl_static_shape(scope, x);
    int64_t elements = sli_tf_shape_elements(shape);
    TF_Output size = elements < 0 ? sl_unary(scope, "Size", x, NULL)
                                  : sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), (double)elements, "Size");
    TF_Output count = sl_cast_with(scope, size, sl_dtype(x), NULL);
    TF_Output squares = sl_binary(scope, "Mul", "mul", x, x, NULL);
    TF_Output rank = shape.rank < 0 ? sl_unary(scope, "Rank", x, NULL)
                                    : sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), shape.rank, "Rank");
    TF_Output sum = sl_binary(scope, "Sum", "Sum", squares, sli_build_range(scope, 0, rank), NULL);
    TF_Output inverse = sl_unary(scope, "Rsqrt", sum, NULL);
    TF_Output scaled = sli_build_number_right(scope, "Mul", "mul", x, norm);
    TF_Output by_average = sl_binary(scope, "Mul", "mul", inverse, count, NULL);
    TF_Output one = sli_build_constant_fill(scope, sl_dtype(x), SL_SHAPE(), 1, "Const");
    TF_Output by_norm = sli_build_number_right(scope, "RealDiv", "truediv", one, norm);
    TF_Output factor = sl_binary(scope, "Minimum", "Minimum", by_average, by_norm, NULL);
    TF_Output product = sl_binary(scope, "Mul", "mul", scaled, factor, NULL);
    clipped = sl_unary(scope, "Identity", product, SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  return clipped;
}
