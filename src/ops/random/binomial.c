// StatefulRandomBinomial, StatelessRandomBinomial: how many of |counts| trials succeed. Geometric distances while few
// do, else W. Hörmann's transformed rejection (BTRS, 1993). Every sample has its own position in the stream.
#include <math.h>
#include <stdlib.h>

#include "math/broadcast.h"
#include "math/half.h"
#include "ops/random/random_internal.h"

// Uniform doubles, two from each group, the second one first: TensorFlow's order.
typedef struct {
  sli_philox_t generator;
  double values[2];
  int left;
} binomial_source_t;

static double next_uniform(binomial_source_t *source) {
  if (!source->left) {
    uint32_t x[4];
    sli_philox_next(&source->generator, x);
    for (int i = 0; i < 2; i++) source->values[i] = sli_philox_to_double(x[2 * i], x[2 * i + 1]);
    source->left = 2;
  }
  return source->values[--source->left];
}

static double draw_few(binomial_source_t *source, double count, double p) {
  double sum = 0, successes = 0;
  for (;; successes++) {
    sum += ceil(log(next_uniform(source)) / log1p(-p));
    if (sum > count) return successes;
  }
}

// What Stirling's formula leaves of log(k!).
static double stirling_rest(double k) {
  static const double rests[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                 0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                                 0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return rests[(int)k];
  double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 + 1.0 / 1260 / square) / square) / (k + 1);
}

static double draw_many(binomial_source_t *source, double count, double p) {
  double deviation = sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  double c = count * p + 0.5, box = 0.92 - 4.2 / b, odds = p / (1 - p);
  for (;;) {
    double u = next_uniform(source), v = next_uniform(source);
    u -= 0.5;
    double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= box) return k;
    if (k < 0 || k > count) continue;
    double alpha = (2.83 + 5.1 / b) * deviation, m = floor((count + 1) * p);
    double bound = (m + 0.5) * log((m + 1) / (odds * (count - m + 1))) +
                   (count + 1) * log((count - m + 1) / (count - k + 1)) +
                   (k + 0.5) * log(odds * (count - k + 1) / (k + 1)) + stirling_rest(m) + stirling_rest(count - m) -
                   stirling_rest(k) - stirling_rest(count - k);
    if (log(v * alpha / (a / (us * us) + b)) <= bound) return k;
  }
}

static double draw(sli_philox_t generator, uint64_t index, double count, double p, double many) {
  binomial_source_t source = {.generator = generator};
  if (!(count > 0) || p <= 0) return count > 0 || count <= 0 ? 0 : NAN;
  if (p >= 1) return count;
  if (isnan(p)) return NAN;
  bool mirrored = p > 0.5;
  double q = mirrored ? 1 - p : p;
  // Groups that TensorFlow keeps for each sample.
  sli_philox_skip(&source.generator, index * (many >= 10 ? 256 : 42));
  double drawn = many >= 10 ? draw_many(&source, count, q) : draw_few(&source, count, q);
  return mirrored ? count - drawn : drawn;
}

static double load(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    default: return sli_half_to_float(SLI_DATA(uint16_t, tensor)[i]);
  }
}

static void store(sli_tensor_t *tensor, int64_t i, double value) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: SLI_DATA(float, tensor)[i] = (float)value; break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, tensor)[i] = value; break;
    case SLI_DTYPE_HALF: SLI_DATA(uint16_t, tensor)[i] = sli_half_from_float((float)value); break;
    // A number that does not fit becomes the least one, as the processor converts it.
    case SLI_DTYPE_INT32:
      SLI_DATA(int32_t, tensor)[i] = value > -2147483649.0 && value < 2147483648.0 ? (int32_t)value : INT32_MIN;
      break;
    default: SLI_DATA(int64_t, tensor)[i] = fabs(value) < 9.2233720368547758e18 ? (int64_t)value : INT64_MIN;
  }
}

typedef struct {
  sli_philox_t generator;
  const sli_tensor_t *counts, *probabilities;
  sli_tensor_t *output;
  int64_t batches, each;
} binomial_work_t;

// Which sampler is used depends on count * p in the type of the parameters.
static double expected(sli_dtype_t dtype, double count, double p) {
  if (p > 0.5) {
    p = 1 - p;
    if (dtype == SLI_DTYPE_FLOAT) p = (float)p;
    if (dtype == SLI_DTYPE_HALF) p = sli_half_to_float(sli_half_from_float((float)p));
  }
  if (dtype == SLI_DTYPE_FLOAT) return (float)count * (float)p;
  if (dtype == SLI_DTYPE_HALF) return sli_half_to_float(sli_half_from_float((float)(count * p)));
  return count * p;
}

static void draw_run(void *context, const int64_t *offsets, const int64_t *strides, int64_t out, int64_t count) {
  const binomial_work_t *work = context;
  for (int64_t i = 0; i < count; i++) {
    double n = load(work->counts, offsets[0] + i * strides[0]);
    double p = load(work->probabilities, offsets[1] + i * strides[1]);
    double many = expected((sli_dtype_t)work->counts->dtype, n, p);
    for (int64_t s = 0; s < work->each; s++) {
      uint64_t index = (uint64_t)((out + i) * work->each + s);
      store(work->output, s * work->batches + out + i, draw(work->generator, index, n, p, many));
    }
  }
}

typedef struct {
  const sli_broadcast_t *plan;
  binomial_work_t *work;
} binomial_range_t;

static void draw_range(void *context, int64_t begin, int64_t end) {
  const binomial_range_t *range = context;
  sli_broadcast_walk(range->plan, begin, end, draw_run, range->work);
}

// |first|: the input that holds the shape; the parameters are the last two.
static sli_status_t *begin(sli_kernel_context_t *context, int shape_input, binomial_work_t *work,
                           sli_broadcast_t *plan) {
  const sli_tensor_t *shape = sli_kernel_input(context, shape_input);
  work->counts = sli_kernel_input(context, context->input_count - 2);
  work->probabilities = sli_kernel_input(context, context->input_count - 1);
  sli_shape_t shapes[] = {sli_tensor_shape(work->counts), sli_tensor_shape(work->probabilities)};
  sli_status_t *status = sli_broadcast_plan(shapes, 2, plan);
  if (status) {
    sli_status_release(status);
    char *x = sli_shape_to_text(shapes[0]), *y = sli_shape_to_text(shapes[1]);
    status = sli_status_make(SLI_INVALID_ARGUMENT, "counts and probs must have compatible batch dimensions: %s vs. %s",
                             x, y);
    free(x);
    free(y);
    return status;
  }
  if (shape->rank != 1) {
    char *text = sli_shape_to_text(sli_tensor_shape(shape));
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Input shape should be a vector, got shape: %s", text);
    free(text);
    return status;
  }
  int64_t dims[SLI_MAX_RANK];
  int rank;
  SLI_RETURN_IF_ERROR(sli_random_op_read_dims(context, shape_input, dims, &rank));
  bool ends = rank >= plan->out_rank;
  for (int d = 1; d <= plan->out_rank && ends; d++) ends = dims[rank - d] == plan->out_dims[plan->out_rank - d];
  if (!ends) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape passed in must end with broadcasted shape.");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &work->output));
  work->batches = plan->count;
  work->each = plan->count ? work->output->count / plan->count : 0;
  return NULL;
}

static void run(sli_kernel_context_t *context, binomial_work_t *work, const sli_broadcast_t *plan) {
  if (work->output->count == 0) return;
  binomial_range_t range = {plan, work};
  sli_parallel_for(sli_kernel_pool(context), plan->count, 300 * (double)work->each, draw_range, &range);
}

static sli_status_t *stateless(sli_kernel_context_t *context) {
  binomial_work_t work = {0};
  sli_broadcast_t plan;
  SLI_RETURN_IF_ERROR(sli_random_op_scramble(sli_kernel_input(context, 1), &work.generator));
  SLI_RETURN_IF_ERROR(begin(context, 0, &work, &plan));
  run(context, &work, &plan);
  return NULL;
}

static sli_status_t *stateful(sli_kernel_context_t *context) {
  binomial_work_t work = {0};
  sli_broadcast_t plan;
  SLI_RETURN_IF_ERROR(begin(context, 2, &work, &plan));
  const sli_tensor_t *algorithm = sli_kernel_input(context, 1);
  if (algorithm->rank != 0) {
    char *text = sli_shape_to_text(sli_tensor_shape(algorithm));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "algorithm must be of shape [], not %s", text);
    free(text);
    return status;
  }
  uint64_t outputs = (uint64_t)work.batches * 2 * 100 * (uint64_t)(work.each + 3) / 4;
  SLI_RETURN_IF_ERROR(sli_random_op_advance(context, false, *SLI_DATA(int64_t, algorithm), outputs, &work.generator));
  run(context, &work, &plan);
  return NULL;
}

static sli_status_t *output_shape(sli_infer_context_t *c, int shape_input, int counts) {
  sli_shape_t shape, batch;
  SLI_RETURN_IF_ERROR(sli_infer_broadcast(c, sli_infer_input(c, counts), sli_infer_input(c, counts + 1), &batch));
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, shape_input, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *stateless_shape(sli_infer_context_t *c) {
  sli_shape_t seed;
  int64_t two;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &seed));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(seed, 0), 2, &two));
  return output_shape(c, 0, 2);
}

static sli_status_t *stateful_shape(sli_infer_context_t *c) {
  sli_shape_t scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &scalar));
  return output_shape(c, 2, 3);
}

#define PARAMETERS                                                     \
  "T: {half, float, double, int32, int64} = DT_DOUBLE; dtype: {half, " \
  "float, double, int32, int64} = DT_INT64"
static const sli_op_def_t ops[] = {
    {.name = "StatefulRandomBinomial",
     .inputs = "resource: resource, algorithm: int64, shape: S, counts: T, probs: T",
     .outputs = "output: dtype",
     .attrs = "S: {int32, int64}; " PARAMETERS,
     .shape = stateful_shape,
     .is_stateful = true},
    {.name = "StatelessRandomBinomial",
     .inputs = "shape: S, seed: Tseed, counts: T, probs: T",
     .outputs = "output: dtype",
     .attrs = "S: {int32, int64}; Tseed: {int32, int64} = DT_INT64; " PARAMETERS,
     .shape = stateless_shape,
     .not_differentiable = true},
};

#define REAL (SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
static const sli_kernel_def_t kernels[] = {
    {.op = "StatefulRandomBinomial",
     .types = REAL,
     .where = {{"dtype", REAL | SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .host_memory = "resource, algorithm, shape, counts, probs",
     .compute = stateful,
     .expensive = true,
     .cost = 75},
    {.op = "StatelessRandomBinomial",
     .types = REAL,
     .where = {{"dtype", REAL | SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .host_memory = "shape, seed, counts, probs",
     .compute = stateless,
     .expensive = true,
     .cost = 75},
};

SLI_OP_MODULE(binomial);
