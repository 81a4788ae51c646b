// ParameterizedTruncatedNormal, StatelessParameterizedTruncatedNormal: normal values within bounds, by rejection. Three
// samplers: of the normal distribution itself if the bounds leave much of it, of a uniform one for a narrow interval,
// and of an exponential one for a tail (C. P. Robert, "Simulation of truncated normal variables", 1995).
//
// Random words are used one after the other, as TensorFlow does within one thread.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "math/broadcast.h"
#include "math/half.h"
#include "ops/random/random_internal.h"

enum { MOST_TRIES = 1000, BATCH = 100 };

// Values of one group of four words, in the type of the output: four of them, or two doubles.
typedef struct {
  sli_philox_t generator;
  sli_dtype_t dtype;
} normal_source_t;

static int draw_group(normal_source_t *source, sli_philox_kind_t kind, double out[4]) {
  union {
    float floats[4];
    double doubles[2];
    uint16_t halves[4];
  } values;
  int count = source->dtype == SLI_DTYPE_DOUBLE ? 2 : 4;
  sli_philox_fill(NULL, source->generator, kind, source->dtype, 0, 0, &values, count);
  sli_philox_skip(&source->generator, 1);
  for (int i = 0; i < count; i++) {
    out[i] = source->dtype == SLI_DTYPE_DOUBLE  ? values.doubles[i]
             : source->dtype == SLI_DTYPE_FLOAT ? values.floats[i]
                                                : sli_half_to_float(values.halves[i]);
  }
  return count;
}

// Rounds to the precision of the output after each operation: what is accepted depends on it.
static double rounded(const normal_source_t *source, double value) {
  switch (source->dtype) {
    case SLI_DTYPE_DOUBLE: return value;
    case SLI_DTYPE_FLOAT: return (float)value;
    default: return sli_half_to_float(sli_half_from_float((float)value));
  }
}
#define R(x) rounded(source, x)

// Where samples go.
typedef struct {
  sli_tensor_t *output;
  int64_t first, stride, count, done;
  double mean, stddev;
} target_t;

static bool put(target_t *target, const normal_source_t *source, double value) {
  double moved = R(R(value * target->stddev) + target->mean);
  int64_t at = target->first + target->done++ * target->stride;
  switch (source->dtype) {
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, target->output)[at] = moved; break;
    case SLI_DTYPE_FLOAT: SLI_DATA(float, target->output)[at] = (float)moved; break;
    default: SLI_DATA(uint16_t, target->output)[at] = sli_half_from_float((float)moved);
  }
  return target->done == target->count;
}

static sli_status_t *refused(const char *sampler) {
  return sli_status_make(SLI_INTERNAL, "TruncatedNormal %s failed to accept a sample.", sampler);
}

static sli_status_t *draw_normal(normal_source_t *source, target_t *target, double low, double high) {
  for (int tries = 0;;) {
    double values[4];
    int count = draw_group(source, SLI_PHILOX_NORMAL, values);
    for (int i = 0; i < count; i++) {
      if (values[i] >= low && values[i] <= high) {
        if (put(target, source, values[i])) return NULL;
        tries = 0;
      } else if (++tries > MOST_TRIES) {
        return refused("randn rejection sampler");
      }
    }
  }
}

static sli_status_t *draw_uniform(normal_source_t *source, target_t *target, double low, double width) {
  double plus = low < 0 ? 0 : R(low * low);
  for (int tries = 0;;) {
    double values[4], chances[4];
    int count = draw_group(source, SLI_PHILOX_UNIFORM, values);
    draw_group(source, SLI_PHILOX_UNIFORM, chances);
    for (int i = 0; i < count; i++) {
      double z = R(R(values[i] * width) + low), g = R(R(plus - R(z * z)) / 2);
      if (chances[i] <= R(exp(g))) {
        if (put(target, source, z)) return NULL;
        tries = 0;
      } else if (++tries >= MOST_TRIES) {
        return refused("uniform rejection sampler");
      }
    }
  }
}

static sli_status_t *draw_exponential(normal_source_t *source, target_t *target, double low, double high) {
  double alpha = R(R(low + R(sqrt(R(R(low * low) + 4)))) / 2);
  for (int tries = 0;;) {
    double values[4];
    int count = draw_group(source, SLI_PHILOX_UNIFORM, values);
    for (int i = 0; i < count; i += 2) {
      double z = R(R(R(-R(log(values[i]))) / alpha) + low), x = low < alpha ? R(alpha - z) : R(low - alpha);
      double g = R(exp(R(R(R(-x) * x) / 2)));
      if (values[i + 1] <= g && z < high) {
        if (put(target, source, z)) return NULL;
        tries = 0;
      } else if (++tries >= MOST_TRIES) {
        return refused("exponential distribution rejection sampler");
      }
    }
  }
}

static sli_status_t *draw_batch(normal_source_t *source, target_t *target, double low, double high) {
  double mean = target->mean, inside = R(1.3);
  if (target->count == 0) return NULL;
  if (!(target->stddev > 0 && low < high && (isfinite(low) || isfinite(high))))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid parameters");
  // A bound on one side is the lower one, and two bounds on one side of the mean are above it.
  if ((isinf(low) && low < 0) || high < mean) {
    double kept = low;
    low = high;
    high = kept;
    target->stddev = -target->stddev;
  }
  low = R(R(low - mean) / target->stddev);
  high = R(R(high - mean) / target->stddev);
  double root = R(sqrt(R(R(low * low) + 4))), exponent = R(R(0.5) + R(R(low * R(low - root)) / 4));
  double cutoff = R(R(2 * R(exp(exponent))) / R(low + root)), width = R(high - low);
  if ((low < -inside && high >= 0) || (high > inside && low <= 0)) return draw_normal(source, target, low, high);
  if (width < cutoff) return draw_uniform(source, target, low, width);
  return draw_exponential(source, target, low, high);
}

static double load(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    default: return sli_half_to_float(SLI_DATA(uint16_t, tensor)[i]);
  }
}

static const char *const names[] = {"means", "stddevs", "minvals", "maxvals"};

static sli_status_t *shape_error(const char *format, const char *name, const sli_tensor_t *tensor) {
  char *text = sli_shape_to_text(sli_tensor_shape(tensor));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, format, name, text);
  free(text);
  return status;
}

static sli_status_t *require_vector_shape(const sli_tensor_t *shape) {
  return shape->rank == 1 ? NULL : shape_error("Input %s should be a vector, got shape: %s", "shape", shape);
}

// Parameters are scalars or vectors, one element for each row of the output.
static sli_status_t *parameterized(sli_kernel_context_t *context) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(require_vector_shape(sli_kernel_input(context, 0)));
  if (sli_kernel_input(context, 0)->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape tensor must not be empty");
  SLI_RETURN_IF_ERROR(sli_random_op_read_dims(context, 0, dims, &rank));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  int64_t batches = dims[0], each = batches ? output->count / batches : 0;
  bool same = true;
  for (int i = 0; i < 4; i++) {
    const sli_tensor_t *parameter = sli_kernel_input(context, i + 1);
    if (parameter->rank > 1)
      return shape_error("Input %s should be a scalar or vector, got shape: %s", names[i], parameter);
    same = same && (parameter->rank == 0 || (i < 2 && parameter->dims[0] == 1));
  }
  for (int i = 0; i < 4 && !same; i++) {
    const sli_tensor_t *parameter = sli_kernel_input(context, i + 1);
    if (parameter->rank == 1 && parameter->dims[0] != 1 && parameter->dims[0] != batches)
      return shape_error("Input %s should have length 1 or shape[0], got shape: %s", names[i], parameter);
  }
  if (same) {  // the distribution of all is one: blocks of a fixed size
    batches = (output->count + BATCH - 1) / BATCH;
    each = BATCH;
  }
  uint64_t groups = (uint64_t)batches * 2 * MOST_TRIES * (uint64_t)(each + 3) / 4;
  normal_source_t source = {.generator = sli_random_op_reserve(context, groups), .dtype = (sli_dtype_t)output->dtype};
  for (int64_t b = 0; b < batches; b++) {
    double values[4];
    for (int i = 0; i < 4; i++) {
      const sli_tensor_t *parameter = sli_kernel_input(context, i + 1);
      values[i] = load(parameter, parameter->count == 1 ? 0 : b);
    }
    int64_t left = output->count - b * each;
    target_t target = {.output = output,
                       .first = b * each,
                       .stride = 1,
                       .count = left < each ? left : each,
                       .mean = values[0],
                       .stddev = values[1]};
    SLI_RETURN_IF_ERROR(draw_batch(&source, &target, values[2], values[3]));
  }
  return NULL;
}

typedef struct {
  sli_kernel_context_t *context;
  normal_source_t source;
  sli_tensor_t *output;
  int64_t batches, each;
  sli_status_t *status;
} stateless_work_t;

static void stateless_run(void *context, const int64_t *offsets, const int64_t *strides, int64_t out, int64_t count) {
  stateless_work_t *work = context;
  for (int64_t i = 0; i < count && !work->status; i++) {
    double values[4];
    for (int p = 0; p < 4; p++) values[p] = load(sli_kernel_input(work->context, p + 2), offsets[p] + i * strides[p]);
    target_t target = {.output = work->output,
                       .first = out + i,
                       .stride = work->batches,
                       .count = work->each,
                       .mean = values[0],
                       .stddev = values[1]};
    work->status = draw_batch(&work->source, &target, values[2], values[3]);
  }
}

static sli_status_t *stateless(sli_kernel_context_t *context) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  sli_tensor_t *output;
  sli_philox_t generator;
  sli_broadcast_t plan;
  sli_shape_t shapes[4];
  SLI_RETURN_IF_ERROR(sli_random_op_scramble(sli_kernel_input(context, 1), &generator));
  for (int i = 0; i < 4; i++) shapes[i] = sli_tensor_shape(sli_kernel_input(context, i + 2));
  sli_status_t *status = sli_broadcast_plan(shapes, 4, &plan);
  if (status) {
    sli_status_release(status);
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "means, stddevs, minvals, maxvals must have compatible batch dimensions");
  }
  SLI_RETURN_IF_ERROR(require_vector_shape(sli_kernel_input(context, 0)));
  SLI_RETURN_IF_ERROR(sli_random_op_read_dims(context, 0, dims, &rank));
  bool ends = rank >= plan.out_rank;
  for (int d = 1; d <= plan.out_rank && ends; d++) ends = dims[rank - d] == plan.out_dims[plan.out_rank - d];
  if (!ends) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape passed in must end with broadcasted shape.");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (output->count == 0) return NULL;
  stateless_work_t work = {.context = context,
                           .source = {generator, (sli_dtype_t)output->dtype},
                           .output = output,
                           .batches = plan.count,
                           .each = output->count / plan.count};
  sli_broadcast_walk(&plan, 0, plan.count, stateless_run, &work);
  return work.status;
}

static sli_status_t *parameterized_shape(sli_infer_context_t *c) {
  for (int i = 1; i <= 4; i++) {
    sli_shape_t shape;
    SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, i), 1, &shape));
  }
  return sli_random_op_shape(c);
}

static sli_status_t *stateless_shape(sli_infer_context_t *c) {
  sli_shape_t seed, batch = sli_infer_input(c, 2);
  int64_t two;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &seed));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(seed, 0), 2, &two));
  for (int i = 3; i <= 5; i++) SLI_RETURN_IF_ERROR(sli_infer_broadcast(c, batch, sli_infer_input(c, i), &batch));
  return sli_random_op_shape(c);
}

// The gradient, by implicit differentiation: how the sample changes if its cumulative probability stays the same.

static sli_output_t emit_half(sli_gradient_builder_t *b, sli_output_t x) { return sli_emit_scale(b, x, 0.5); }

// The normal distribution function.
static sli_output_t emit_cumulative(sli_gradient_builder_t *b, sli_output_t x) {
  return emit_half(b, sli_emit1(b, "Erfc", sli_emit_scale(b, x, -M_SQRT1_2)));
}

static sli_output_t emit_standard(sli_gradient_builder_t *b, sli_output_t x) {
  return sli_emit2(b, "RealDiv", sli_emit2(b, "Sub", x, sli_gradient_input(b, 2)), sli_gradient_input(b, 3));
}

// Sums |gradient| over what the shape added and what broadcasting did, and sets it for input |index|.
static void set_gradient(sli_gradient_builder_t *b, int index, sli_output_t gradient) {
  sli_output_t shape = sli_emit_shape(b, sli_gradient_input(b, index));
  sli_output_t axes = sli_output_at(sli_emit2(b, "BroadcastGradientArgs", sli_emit_shape(b, gradient), shape), 1);
  sli_gradient_set(b, index, sli_emit2(b, "Reshape", sli_emit2(b, "Sum", gradient, axes), shape));
}

static sli_status_t *stateless_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), sample = emit_standard(b, sli_gradient_output(b, 0));
  sli_output_t low = emit_standard(b, sli_gradient_input(b, 4)), high = emit_standard(b, sli_gradient_input(b, 5));
  sli_output_t below = emit_cumulative(b, low);
  sli_output_t part = sli_emit2(b, "Sub", emit_cumulative(b, sample), below);
  sli_output_t whole = sli_emit2(b, "Sub", emit_cumulative(b, high), below);
  bool is_double = sli_gradient_dtype(b, g) == SLI_DTYPE_DOUBLE;
  sli_output_t cumulative = sli_emit2(b, "Minimum", sli_emit2(b, "RealDiv", part, whole),
                                      sli_gradient_const_like(b, g, 1 - (is_double ? DBL_EPSILON : FLT_EPSILON)));
  cumulative = sli_emit2(b, "Maximum", cumulative, sli_gradient_const_like(b, g, is_double ? DBL_MIN : FLT_MIN));
  sli_output_t square = sli_emit1(b, "Square", sample);
  sli_output_t to_high = emit_half(b, sli_emit2(b, "Sub", square, sli_emit1(b, "Square", high)));
  sli_output_t to_low = emit_half(b, sli_emit2(b, "Sub", square, sli_emit1(b, "Square", low)));
  sli_output_t by_high = sli_emit1(b, "Exp", sli_emit2(b, "AddV2", to_high, sli_emit1(b, "Log", cumulative)));
  sli_output_t by_low =
      sli_emit1(b, "Exp", sli_emit2(b, "AddV2", to_low, sli_emit1(b, "Log1p", sli_emit1(b, "Neg", cumulative))));
  set_gradient(b, 2, g);
  set_gradient(b, 3, sli_emit_mul(b, g, sample));
  set_gradient(b, 4, sli_emit_mul(b, g, by_low));
  set_gradient(b, 5, sli_emit_mul(b, g, by_high));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ParameterizedTruncatedNormal",
     .inputs = "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}",
     .shape = parameterized_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "StatelessParameterizedTruncatedNormal",
     .inputs = "shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype",
     .outputs = "output: dtype",
     .attrs = "S: {int32, int64}; Tseed: {int32, int64} = DT_INT64; dtype: {half, float, double}",
     .shape = stateless_shape,
     .gradient = stateless_gradient},
};

#define REAL (SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
static const sli_kernel_def_t kernels[] = {
    {.op = "ParameterizedTruncatedNormal",
     .where = {{"dtype", REAL}},
     .compute = parameterized,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy,
     .expensive = true,
     .cost = 25},
    {.op = "StatelessParameterizedTruncatedNormal",
     .where = {{"dtype", REAL}},
     .host_memory = "shape, seed, means, stddevs, minvals, maxvals",
     .compute = stateless,
     .expensive = true,
     .cost = 25},
};

SLI_OP_MODULE(truncated_normal);
