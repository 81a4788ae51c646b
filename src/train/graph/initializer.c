// Initial values of variables, with the formulas of TensorFlow's initializers.
#include <math.h>
#include <stdlib.h>

#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"

static void fans(sl_shape_t shape, double *out_in, double *out_out) {
  *out_in = *out_out = 1;
  if (shape.rank < 1) return;
  double receptive = 1;
  for (int i = 0; i < shape.rank - 2; i++) receptive *= (double)shape.dims[i];
  *out_out = receptive * (double)shape.dims[shape.rank - 1];
  *out_in = shape.rank == 1 ? *out_out : receptive * (double)shape.dims[shape.rank - 2];
}

// Converts variance scaling to the distribution that it means for |shape|.
static sl_initializer_t scaled(sl_initializer_t initializer, sl_shape_t shape) {
  static const double truncated_stddev = .87962566103423978;  // of a unit normal truncated at two standard deviations
  double in, out;
  fans(shape, &in, &out);
  double fan = initializer.fan == SL_FAN_IN ? in : initializer.fan == SL_FAN_OUT ? out : (in + out) / 2;
  double variance = initializer.a / fmax(1, fan), limit = sqrt(3 * variance);
  switch (initializer.distribution) {
    case SL_UNIFORM:
      return SL_INITIALIZER(.kind = SL_INITIALIZER_UNIFORM, .a = -limit, .b = limit, .seed = initializer.seed);
    case SL_UNTRUNCATED_NORMAL:
      return SL_INITIALIZER(.kind = SL_INITIALIZER_NORMAL, .b = sqrt(variance), .seed = initializer.seed);
    default:
      return SL_INITIALIZER(.kind = SL_INITIALIZER_TRUNCATED_NORMAL, .b = sqrt(variance) / truncated_stddev,
                            .seed = initializer.seed);
  }
}

static TF_Output listed(sl_scope_t *scope, const sl_initializer_t *initializer, TF_DataType dtype, sl_shape_t shape) {
  TF_Tensor *tensor = sli_tf_tensor_from_doubles(dtype, shape, initializer->values, initializer->value_count);
  if (!tensor) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "the initializer has %zu values, which cannot fill a variable of shape %s and type %s",
                  initializer->value_count, text, sli_tf_type_name(dtype));
    free(text);
    return (TF_Output){0};
  }
  return sli_build_constant_tensor(scope, tensor, "Const");
}

// The Q of the QR decomposition of a random matrix, with unique signs: its rows or columns, whichever are fewer, are
// orthonormal.
static TF_Output orthogonal(sl_scope_t *scope, const sl_initializer_t *initializer, TF_DataType dtype,
                            sl_shape_t shape) {
  if (shape.rank < 2) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "The tensor to initialize must be at least two-dimensional. Received: rank %d", shape.rank);
    return (TF_Output){0};
  }
  int64_t columns = shape.dims[shape.rank - 1], rows = 1;
  for (int i = 0; i < shape.rank - 1; i++) rows *= shape.dims[i];
  bool wide = rows < columns;
  sl_shape_t flat = wide ? SL_SHAPE(columns, rows) : SL_SHAPE(rows, columns);
  TF_Output random =
      sl_random_normal_with(scope, dtype, flat, SL_OPTIONS(sl_random_options_t, .seed = initializer->seed));
  TF_Operation *qr = sl_unary(scope, "Qr", random, NULL).oper;
  if (!qr) return (TF_Output){0};
  TF_Output diagonal = sl_unary(scope, "DiagPart", (TF_Output){qr, 1}, NULL);
  TF_Output signs = sl_unary(scope, "Sign", diagonal, NULL);
  TF_Output q = sl_binary(scope, "Mul", "mul", (TF_Output){qr, 0}, signs, NULL);
  if (wide) {
    SL_NAME_SCOPE (scope, "matrix_transpose") {
      q = sli_build_transpose(scope, q, (const int32_t[]){1, 0}, 2, NULL);
    }
  }
  q = sl_reshape_with(scope, q, shape, NULL);
  return sli_build_scaled(scope, initializer->a, q);
}

TF_Output sli_train_variable_initial_value(sl_scope_t *scope, sl_initializer_t initializer, TF_DataType dtype,
                                           sl_shape_t shape, sl_shape_t whole) {
  sl_initializer_t plain = initializer;
  if (plain.kind == SL_INITIALIZER_DEFAULT) plain = sli_tf_type_is_floating(dtype) ? SL_GLOROT_UNIFORM : SL_ZEROS;
  if (plain.kind == SL_INITIALIZER_VARIANCE_SCALING) plain = scaled(plain, whole);
  sl_random_options_t random = {.struct_size = sizeof(random), .seed = plain.seed};
  switch (plain.kind) {
    case SL_INITIALIZER_ZEROS: return sl_zeros_with(scope, dtype, shape, NULL);
    case SL_INITIALIZER_ONES: return sl_ones_with(scope, dtype, shape, NULL);
    case SL_INITIALIZER_VALUES: return listed(scope, &plain, dtype, shape);
    case SL_INITIALIZER_ORTHOGONAL: return orthogonal(scope, &plain, dtype, shape);
    case SL_INITIALIZER_NORMAL:
      random.mean = plain.a;
      random.stddev = plain.b;
      return sl_random_normal_with(scope, dtype, shape, &random);
    case SL_INITIALIZER_TRUNCATED_NORMAL:
      random.mean = plain.a;
      random.stddev = plain.b;
      return sl_truncated_normal_with(scope, dtype, shape, &random);
    case SL_INITIALIZER_UNIFORM:
      random.minimum = plain.a;
      random.maximum = plain.b;
      return sl_random_uniform_with(scope, dtype, shape, &random);
    default: return sli_build_constant_fill(scope, dtype, shape, plain.a, "Const");
  }
}

TF_Output sl_initial_value(sl_scope_t *scope, sl_initializer_t initializer, TF_DataType dtype, sl_shape_t shape) {
  return sli_train_variable_initial_value(scope, initializer, dtype, shape, shape);
}
