// RandomGamma, RandomGammaGrad, RandomPoissonV2, RandomPoisson and their stateless forms: samples that use an unknown
// number of random words. Every sample has its own position in the stream, 256 groups apart, so that the order of the
// threads does not matter.
//
// Gamma: G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables" (2000). Poisson: Knuth's
// product of uniforms for rates below 10, else W. Hörmann's transformed rejection (PTRS, 1993).
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "math/elementwise.h"
#include "math/half.h"
#include "math/special.h"
#include "ops/random/random_internal.h"

enum { RESERVED = 256 };

// Uniform and normal doubles, two from each group, the second one first: TensorFlow's order.
typedef struct {
  sli_philox_t generator;
  double uniforms[2], normals[2];
  int uniforms_left, normals_left;
} source_t;

static double next_uniform(source_t *source) {
  if (!source->uniforms_left) {
    uint32_t x[4];
    sli_philox_next(&source->generator, x);
    for (int i = 0; i < 2; i++) source->uniforms[i] = sli_philox_to_double(x[2 * i], x[2 * i + 1]);
    source->uniforms_left = 2;
  }
  return source->uniforms[--source->uniforms_left];
}

static double next_normal(source_t *source) {
  if (!source->normals_left) {
    uint32_t x[4];
    sli_philox_next(&source->generator, x);
    sli_philox_normal_double(x, source->normals);
    source->normals_left = 2;
  }
  return source->normals[--source->normals_left];
}

static double draw_gamma(source_t *source, double alpha) {
  if (alpha == 1) return -log1p(-next_uniform(source));
  bool small = alpha < 1;
  double d = alpha + (small ? 2.0 / 3 : -1.0 / 3), c = 1.0 / 3 / sqrt(d);
  for (;;) {
    double x = next_normal(source), v = 1 + c * x;
    if (!(v > 0)) {
      if (v <= 0) continue;
      return NAN;  // for a NaN or negative alpha
    }
    v = v * v * v;
    double u = next_uniform(source);
    if (u < 1 - 0.0331 * (x * x) * (x * x) || log(u) < 0.5 * x * x + d * (1 - v + log(v)))
      return small ? d * v * pow(next_uniform(source), 1 / alpha) : d * v;
  }
}

// |most| is the largest value of the output's type.
static double draw_poisson(source_t *source, double rate, double most) {
  if (!(rate >= 0)) return rate < 0 ? 0 : -1;
  if (isinf(rate)) return rate;
  if (rate < 10) {
    double limit = exp(-rate), product = 1;
    for (double x = 0;; x += 1) {
      product *= next_uniform(source);
      if (product <= limit && x <= most) return x;
    }
  }
  double log_rate = log(rate), b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
  double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  if (rate > most) return most;
  for (;;) {
    double u = next_uniform(source) - 0.5, v = next_uniform(source), us = 0.5 - fabs(u);
    double k = floor((2 * a / us + b) * u + rate + 0.43);
    if (k > most) continue;
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    double s = log(v * inverse_alpha / (a / (us * us) + b)), t = -rate + k * log_rate - sli_math_log_gamma(k + 1);
    if (s <= t) return k;
  }
}

static double load(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    case SLI_DTYPE_HALF: return sli_half_to_float(SLI_DATA(uint16_t, tensor)[i]);
    case SLI_DTYPE_BFLOAT16: return sli_bfloat16_to_float(SLI_DATA(uint16_t, tensor)[i]);
    default: return (double)sli_tensor_int_at(tensor, i);
  }
}

static void store(sli_tensor_t *tensor, int64_t i, double value) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: SLI_DATA(float, tensor)[i] = (float)value; break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, tensor)[i] = value; break;
    case SLI_DTYPE_HALF: SLI_DATA(uint16_t, tensor)[i] = sli_half_from_float((float)value); break;
    case SLI_DTYPE_BFLOAT16: SLI_DATA(uint16_t, tensor)[i] = sli_bfloat16_from_float((float)value); break;
    case SLI_DTYPE_INT32: SLI_DATA(int32_t, tensor)[i] = (int32_t)value; break;
    default: SLI_DATA(int64_t, tensor)[i] = value >= 9.2e18 ? INT64_MAX : (int64_t)value;
  }
}

static double most_of(sli_dtype_t dtype) {
  switch (dtype) {
    case SLI_DTYPE_HALF: return 65504;
    case SLI_DTYPE_FLOAT: return FLT_MAX;
    case SLI_DTYPE_INT32: return INT32_MAX;
    case SLI_DTYPE_INT64: return 9.2e18;
    default: return DBL_MAX;
  }
}

typedef struct {
  sli_philox_t generator;
  const sli_tensor_t *parameters;
  sli_tensor_t *output;
  int64_t samples;  // for each parameter
  bool poisson;
} work_t;

// In the stream the samples of one parameter are consecutive, in the output the parameters of one sample are.
static void draw_range(void *context, int64_t begin, int64_t end) {
  const work_t *work = context;
  double most = most_of((sli_dtype_t)work->output->dtype);
  for (int64_t i = begin; i < end; i++) {
    int64_t parameter = i / work->samples, sample = i % work->samples;
    source_t source = {.generator = work->generator};
    sli_philox_skip(&source.generator, (uint64_t)i * RESERVED);
    double value = load(work->parameters, parameter);
    value = work->poisson ? draw_poisson(&source, value, most) : draw_gamma(&source, value);
    store(work->output, sample * work->parameters->count + parameter, value);
  }
}

static void run(sli_kernel_context_t *context, const work_t *work) {
  sli_parallel_for(sli_kernel_pool(context), work->output->count, work->poisson ? 150 : 100, draw_range, (void *)work);
}

static sli_status_t *draw(sli_kernel_context_t *context, bool poisson) {
  sli_tensor_t *parameters = sli_kernel_input(context, 1), *output;
  int64_t dims[2 * SLI_MAX_RANK], samples = 1;
  int rank;
  SLI_RETURN_IF_ERROR(sli_random_op_read_dims(context, 0, dims, &rank));
  for (int d = 0; d < parameters->rank; d++) dims[rank++] = parameters->dims[d];
  if (rank > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "A tensor can have at most %d dimensions, got %d", SLI_MAX_RANK, rank);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (output->count == 0) return NULL;
  samples = output->count / parameters->count;
  work_t work = {.generator = sli_random_op_reserve(context, (uint64_t)output->count * RESERVED),
                 .parameters = parameters,
                 .output = output,
                 .samples = samples,
                 .poisson = poisson};
  run(context, &work);
  return NULL;
}

// The stateless ops: the shape of the output is given, and ends with that of the parameters (the last input).
static sli_status_t *draw_stateless(sli_kernel_context_t *context, bool poisson, bool has_key) {
  sli_tensor_t *parameters = sli_kernel_input(context, context->input_count - 1), *output;
  int64_t dims[SLI_MAX_RANK];
  int rank;
  work_t work = {.parameters = parameters, .poisson = poisson};
  SLI_RETURN_IF_ERROR(sli_random_op_read_dims(context, 0, dims, &rank));
  SLI_RETURN_IF_ERROR(has_key ? sli_random_op_read_generator(context, 1, &work.generator)
                              : sli_random_op_scramble(sli_kernel_input(context, 1), &work.generator));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (output->count == 0) return NULL;
  bool ends = rank >= parameters->rank;
  for (int d = 1; d <= parameters->rank && ends; d++) ends = dims[rank - d] == parameters->dims[parameters->rank - d];
  if (!ends) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape passed in must end with broadcasted shape.");
  work.output = output;
  work.samples = output->count / parameters->count;
  run(context, &work);
  return NULL;
}
static sli_status_t *stateless_gamma(sli_kernel_context_t *context) { return draw_stateless(context, false, false); }
static sli_status_t *stateless_gamma_v3(sli_kernel_context_t *context) { return draw_stateless(context, false, true); }
static sli_status_t *stateless_poisson(sli_kernel_context_t *context) { return draw_stateless(context, true, false); }

static sli_status_t *gamma_compute(sli_kernel_context_t *context) { return draw(context, false); }
static sli_status_t *poisson_compute(sli_kernel_context_t *context) { return draw(context, true); }

SLI_ELEMENTWISE_LOOP2_SMALL(gamma_grad_float, float, float, sli_math_gamma_sample_derivative(x, y))
SLI_ELEMENTWISE_LOOP2_SMALL(gamma_grad_double, double, double, sli_math_gamma_sample_derivative(x, y))
static const sli_elementwise_t gamma_grad_op = {
    .loops = {[SLI_DTYPE_FLOAT] = gamma_grad_float, [SLI_DTYPE_DOUBLE] = gamma_grad_double}, .cost = 500};
SLI_ELEMENTWISE_KERNEL(gamma_grad, gamma_grad_op)

static sli_status_t *draw_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 0, &shape));
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, shape, sli_infer_input(c, 1)));
  return NULL;
}

static sli_status_t *stateless_shape(sli_infer_context_t *c) {
  sli_shape_t seed;
  int64_t two;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &seed));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(seed, 0), 2, &two));
  return sli_random_op_shape(c);
}

static sli_status_t *stateless_v3_shape(sli_infer_context_t *c) {
  sli_shape_t key, counter, algorithm;
  int64_t one;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &key));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &counter));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &algorithm));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(key, 0), 1, &one));
  return sli_random_op_shape(c);
}

// Implicit differentiation: how the sample changes with alpha if its cumulative probability stays the same.
static sli_status_t *gamma_gradient(sli_gradient_builder_t *b) {
  sli_output_t alpha = sli_gradient_input(b, 1), zero = sli_gradient_const_int32(b, 0),
               one = sli_gradient_const_int32(b, 1);
  sli_output_t leading = sli_emit1(b, "Size", sli_gradient_input(b, 0));
  sli_output_t count = SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(leading), SLI_ATTRS(SLI_ATTR_INT_OF("N", 1)));
  sli_output_t wide =
      SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(sli_emit2(b, "Fill", count, one), sli_emit_shape(b, alpha), zero),
                    SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t slope = sli_emit2(b, "RandomGammaGrad", sli_emit2(b, "Reshape", alpha, wide), sli_gradient_output(b, 0));
  sli_output_t axes = sli_emit3(b, "Range", zero, leading, one);
  sli_gradient_set(b, 1, sli_emit2(b, "Sum", sli_emit_mul(b, sli_gradient_of_output(b, 0), slope), axes));
  return NULL;
}

// The same where the sample has the shape that was asked for: dimensions before those of alpha are summed over.
static sli_status_t *emit_stateless_gradient(sli_gradient_builder_t *b, int alpha_index) {
  sli_output_t alpha = sli_gradient_input(b, alpha_index), sample = sli_gradient_output(b, 0);
  sli_output_t slope = sli_emit2(b, "RandomGammaGrad", alpha, sample);
  sli_output_t extra = sli_emit2(b, "Sub", sli_emit1(b, "Rank", sample), sli_emit1(b, "Rank", alpha));
  sli_output_t axes = sli_emit3(b, "Range", sli_gradient_const_int32(b, 0), extra, sli_gradient_const_int32(b, 1));
  sli_gradient_set(b, alpha_index, sli_emit2(b, "Sum", sli_emit_mul(b, sli_gradient_of_output(b, 0), slope), axes));
  return NULL;
}
static sli_status_t *stateless_gamma_gradient(sli_gradient_builder_t *b) { return emit_stateless_gradient(b, 2); }
static sli_status_t *stateless_gamma_v3_gradient(sli_gradient_builder_t *b) { return emit_stateless_gradient(b, 4); }

static const sli_op_def_t ops[] = {
    {.name = "StatelessRandomGammaV2",
     .inputs = "shape: T, seed: Tseed, alpha: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: {half, float, double}; T: {int32, int64}; Tseed: {int32, int64} = DT_INT64",
     .shape = stateless_shape,
     .gradient = stateless_gamma_gradient},
    {.name = "StatelessRandomGammaV3",
     .inputs = "shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: {half, float, double}; shape_dtype: {int32, int64} = DT_INT32",
     .shape = stateless_v3_shape,
     .gradient = stateless_gamma_v3_gradient},
    {.name = "StatelessRandomPoisson",
     .inputs = "shape: T, seed: Tseed, lam: Rtype",
     .outputs = "output: dtype",
     .attrs = "Rtype: {half, float, double, int32, int64}; dtype: {half, float, double, int32, int64}; "
              "T: {int32, int64}; Tseed: {int32, int64} = DT_INT64",
     .shape = stateless_shape,
     .not_differentiable = true},
    {.name = "RandomGamma",
     .inputs = "shape: S, alpha: T",
     .outputs = "output: T",
     .attrs = "seed: int = 0; seed2: int = 0; S: {int32, int64}; T: {half, float, double}",
     .shape = draw_shape,
     .gradient = gamma_gradient,
     .is_stateful = true},
    {.name = "RandomGammaGrad",
     .inputs = "alpha: T, sample: T",
     .outputs = "output: T",
     .attrs = "T: {float, double}",
     .shape = sli_infer_fn_broadcast},
    {.name = "RandomPoissonV2",
     .inputs = "shape: S, rate: R",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; S: {int32, int64}; R: {half, float, double, int32, int64} = DT_DOUBLE; "
              "dtype: {half, float, double, int32, int64} = DT_INT64",
     .shape = draw_shape,
     .is_stateful = true},
    {.name = "RandomPoisson",
     .inputs = "shape: S, rate: dtype",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; S: {int32, int64}; dtype: {half, float, double}",
     .shape = draw_shape,
     .is_stateful = true,
     .deprecated_in = 25,
     .deprecation = "Replaced by RandomPoissonV2"},
};

#define REAL (SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
#define DRAWN (REAL | SLI_TYPE_INT32 | SLI_TYPE_INT64)

static const sli_kernel_def_t kernels[] = {
    {.op = "StatelessRandomGammaV2",
     .where = {{"dtype", SLI_TYPES_FLOATING}},
     .host_memory = "shape, seed",
     .compute = stateless_gamma,
     .expensive = true,
     .cost = 25},
    {.op = "StatelessRandomGammaV3",
     .where = {{"dtype", SLI_TYPES_FLOATING}},
     .host_memory = "shape, alg",
     .compute = stateless_gamma_v3,
     .expensive = true,
     .cost = 25},
    {.op = "StatelessRandomPoisson",
     .where = {{"Rtype", DRAWN}, {"dtype", DRAWN}},
     .host_memory = "shape, seed, lam",
     .compute = stateless_poisson,
     .expensive = true,
     .cost = 40},
    {.op = "RandomGamma",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "shape",
     .compute = gamma_compute,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy,
     .expensive = true,
     .cost = 25},
    {.op = "RandomGammaGrad", .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, .compute = gamma_grad, .cost = 100},
    {.op = "RandomPoissonV2",
     .where = {{"R", DRAWN}, {"dtype", DRAWN}},
     .host_memory = "shape",
     .compute = poisson_compute,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy,
     .expensive = true,
     .cost = 40},
    {.op = "RandomPoisson",
     .where = {{"dtype", REAL}},
     .host_memory = "shape",
     .compute = poisson_compute,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy,
     .expensive = true,
     .cost = 40},
};

SLI_OP_MODULE(gamma);
