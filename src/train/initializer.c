// Initial values of variables, with the formulas of TensorFlow's initialisers.
#include <math.h>

#include "train/ops_internal.h"
#include "train/scope_internal.h"

static void fans(sl_shape_t shape, double *out_in, double *out_out) {
  *out_in = *out_out = 1;
  if (shape.rank < 1) return;
  double receptive = 1;
  for (int i = 0; i < shape.rank - 2; i++) receptive *= (double)shape.dims[i];
  *out_out = receptive * (double)shape.dims[shape.rank - 1];
  *out_in = shape.rank == 1 ? *out_out : receptive * (double)shape.dims[shape.rank - 2];
}

// Turns variance scaling into the plain distribution that it stands for at this shape.
static sl_initializer_t scaled(sl_initializer_t initializer, sl_shape_t shape) {
  static const double truncated_stddev = .87962566103423978;  // of a unit normal cut at two deviations
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

static bool is_floating(TF_DataType dtype) {
  return dtype == TF_FLOAT || dtype == TF_DOUBLE || dtype == TF_HALF || dtype == TF_BFLOAT16;
}

TF_Output sl_initial_value(sl_scope_t *scope, sl_initializer_t initializer, TF_DataType dtype, sl_shape_t shape) {
  sl_initializer_t plain = initializer;
  if (plain.kind == SL_INITIALIZER_DEFAULT) plain = is_floating(dtype) ? SL_GLOROT_UNIFORM : SL_ZEROS;
  if (plain.kind == SL_INITIALIZER_VARIANCE_SCALING) plain = scaled(plain, shape);
  sl_random_options_t random = {.struct_size = sizeof(random), .seed = plain.seed};
  switch (plain.kind) {
    case SL_INITIALIZER_ZEROS: return sl_zeros_with(scope, dtype, shape, NULL);
    case SL_INITIALIZER_ONES: return sl_ones_with(scope, dtype, shape, NULL);
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
    default: return sli_constant_fill(scope, dtype, shape, plain.a, "Const");
  }
}
