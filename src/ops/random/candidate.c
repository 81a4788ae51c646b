// Candidate samplers draw classes for losses that use only a few of many classes (NCE, sampled softmax), and compute
// how often each of them, and each true class, is expected. ComputeAccidentalHits finds drawn classes that are true
// ones.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "ops/random/candidate_internal.h"

static uint64_t next_64(sli_philox_words_t *words) {
  uint64_t low = sli_philox_word(words);
  return low | (uint64_t)sli_philox_word(words) << 32;
}

// Without bias: 2^64 need not be a multiple of |range|, so as many of the lowest numbers as are left over are drawn
// again.
static int64_t uniform_draw(const void *self, sli_philox_words_t *words, int64_t range) {
  uint64_t n = (uint64_t)range;
  if ((n & (n - 1)) == 0) return (int64_t)(next_64(words) & (n - 1));
  uint64_t left_over = UINT64_MAX % n + 1, number;
  do number = next_64(words);
  while (number < left_over);
  return (int64_t)(number % n);
}
static float uniform_probability(const void *self, int64_t value, int64_t range) {
  return (float)(1.0 / (double)range);
}

// Small numbers are more likely, as in a vocabulary sorted by frequency: P(k) = log((k + 2) / (k + 1)) / log(range +
// 1).
static int64_t log_uniform_draw(const void *self, sli_philox_words_t *words, int64_t range) {
  uint32_t high = sli_philox_word(words), low = sli_philox_word(words);
  int64_t value = (int64_t)exp(sli_philox_to_double(high, low) * log1p((double)range)) - 1;
  return value % range;
}
static float log_uniform_probability(const void *self, int64_t value, int64_t range) {
  return (float)(log(((double)value + 2.0) / ((double)value + 1.0)) / log1p((double)range));
}

static const sli_random_op_distribution_t uniform = {uniform_draw, uniform_probability, NULL};
static const sli_random_op_distribution_t log_uniform = {log_uniform_draw, log_uniform_probability, NULL};

// The expected count. For distinct classes, 1 - (1 - p)^tries, as if they always took |tries| draws.
static float expected_count(float p, int64_t count, int64_t tries) {
  if (tries == count) return p * (float)count;
  return -expm1f((float)tries * log1pf(-p));
}

static sli_status_t *draw_distinct(sli_kernel_context_t *context, const sli_random_op_distribution_t *distribution,
                                   int64_t range, sli_philox_words_t *words, sli_tensor_t *sampled,
                                   int64_t *out_tries) {
  enum { LOOK_UP = 1 << 16 };
  sli_map_t drawn = {0};
  sli_status_t *status = NULL;
  int64_t tries = 0;
  for (int64_t i = 0; i < sampled->count && !status;) {
    int64_t value = distribution->draw(distribution->self, words, range);
    if (sli_map_insert(&drawn, sli_view_of((const char *)&value, sizeof(value)), NULL))
      SLI_DATA(int64_t, sampled)[i++] = value;
    if (++tries == INT32_MAX)
      status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "Drew %lld classes of %lld and got only %lld distinct ones",
                               (long long)tries, (long long)range, (long long)i);
    else if (tries % LOOK_UP == 0)
      status = sli_cancellation_status(context->step->cancellation);
  }
  sli_map_deinitialize(&drawn);
  *out_tries = tries;
  return status;
}

typedef struct {
  int64_t num_true, num_sampled, range;
  bool unique;
} options_t;

static sli_status_t *read_options(const sli_node_def_t *node, options_t *out) {
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_true", &out->num_true));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_sampled", &out->num_sampled));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "unique", &out->unique));
  return sli_node_attr_int(node, sli_node_attr(node, "range_max") ? "range_max" : "num_sampled", &out->range);
}

static sli_status_t *check_true_classes(const options_t *options, const sli_tensor_t *classes) {
  if (classes->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "true_classes must be a matrix");
  if (classes->dims[1] != options->num_true)
    return sli_status_make(SLI_INVALID_ARGUMENT, "true_classes must have num_true columns, expected: %lld was: %lld",
                           (long long)classes->dims[1], (long long)options->num_true);
  if (options->unique && options->num_sampled > options->range)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Sampler's range is too small.");
  for (int64_t i = 0; i < classes->count; i++) {
    int64_t value = SLI_DATA(int64_t, classes)[i];
    if (value < 0 || value >= options->range)
      return sli_status_make(SLI_INVALID_ARGUMENT, "`true_candidate` out of range [0, %lld), received %lld",
                             (long long)options->range, (long long)value);
  }
  return NULL;
}

// Checks the input and allocates the outputs: candidates, counts of true classes, counts of candidates.
static sli_status_t *begin(sli_kernel_context_t *context, options_t *out_options, sli_tensor_t *outputs[3]) {
  const sli_tensor_t *classes = sli_kernel_input(context, 0);
  SLI_RETURN_IF_ERROR(read_options(context->node, out_options));
  SLI_RETURN_IF_ERROR(check_true_classes(out_options, classes));
  sli_shape_t sampled = SLI_SHAPE(out_options->num_sampled);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sampled, &outputs[0]));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, sli_tensor_shape(classes), &outputs[1]));
  return sli_kernel_allocate_output(context, 2, sampled, &outputs[2]);
}

sli_status_t *sli_random_op_sample(sli_kernel_context_t *context, const sli_random_op_distribution_t *distribution,
                                   sli_philox_stream_t *stream) {
  enum { GROUPS_PER_SAMPLE = 512 };  // that TensorFlow reserves
  options_t options;
  sli_tensor_t *outputs[3];
  SLI_RETURN_IF_ERROR(begin(context, &options, outputs));
  uint64_t groups = (uint64_t)options.num_sampled * GROUPS_PER_SAMPLE;
  sli_philox_words_t words = sli_philox_words(sli_philox_stream_reserve(stream, groups));
  int64_t tries = options.num_sampled, *sampled = SLI_DATA(int64_t, outputs[0]);
  if (options.unique)
    SLI_RETURN_IF_ERROR(draw_distinct(context, distribution, options.range, &words, outputs[0], &tries));
  for (int64_t i = 0; i < options.num_sampled; i++) {
    if (!options.unique) sampled[i] = distribution->draw(distribution->self, &words, options.range);
    float p = distribution->probability(distribution->self, sampled[i], options.range);
    SLI_DATA(float, outputs[2])[i] = expected_count(p, options.num_sampled, tries);
  }
  const int64_t *classes = SLI_DATA(const int64_t, sli_kernel_input(context, 0));
  for (int64_t i = 0; i < outputs[1]->count; i++) {
    float p = distribution->probability(distribution->self, classes[i], options.range);
    SLI_DATA(float, outputs[1])[i] = expected_count(p, options.num_sampled, tries);
  }
  return NULL;
}

static sli_philox_stream_t *stream_of(sli_kernel_context_t *context) {
  return (sli_philox_stream_t *)sli_kernel_state(context);
}
static sli_status_t *uniform_compute(sli_kernel_context_t *context) {
  return sli_random_op_sample(context, &uniform, stream_of(context));
}
static sli_status_t *log_uniform_compute(sli_kernel_context_t *context) {
  return sli_random_op_sample(context, &log_uniform, stream_of(context));
}

// Outputs every class once, for comparison with losses over all classes.
static sli_status_t *all_compute(sli_kernel_context_t *context) {
  options_t options;
  sli_tensor_t *outputs[3];
  SLI_RETURN_IF_ERROR(begin(context, &options, outputs));
  for (int64_t i = 0; i < options.num_sampled; i++) {
    SLI_DATA(int64_t, outputs[0])[i] = i;
    SLI_DATA(float, outputs[2])[i] = 1;
  }
  for (int64_t i = 0; i < outputs[1]->count; i++) SLI_DATA(float, outputs[1])[i] = 1;
  return NULL;
}

sli_status_t *sli_random_op_sample_shape(sli_infer_context_t *c) {
  int64_t num_true, num_sampled;
  sli_shape_t classes;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_true", &num_true));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_sampled", &num_sampled));
  if (num_true < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "num_true must be >= 1");
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &classes));
  sli_shape_t sampled = sli_infer_make(c, 1, &num_sampled);
  sli_infer_set_output(c, 0, sampled);
  sli_infer_set_output(c, 1, sli_infer_make(c, 2, (int64_t[]){sli_infer_dim(classes, 0), num_true}));
  sli_infer_set_output(c, 2, sampled);
  return NULL;
}

// --- ComputeAccidentalHits --------------------------------------------------------------------------

// Returns how many true classes were drawn. Writes each to |outputs|, unless that is NULL: its row, its position, a
// weight.
static int64_t find_hits(const sli_map_t *places, const sli_tensor_t *classes, sli_tensor_t *const outputs[3]) {
  int64_t count = 0;
  for (int64_t i = 0; i < classes->count; i++) {
    const char *value = (const char *)&SLI_DATA(int64_t, classes)[i];
    const sli_map_entry_t *entry = sli_map_find(places, sli_view_of(value, sizeof(int64_t)));
    if (!entry) continue;
    if (outputs) {
      SLI_DATA(int32_t, outputs[0])[count] = (int32_t)(i / classes->dims[1]);
      SLI_DATA(int64_t, outputs[1])[count] = (int64_t)(intptr_t)entry->value;
      SLI_DATA(float, outputs[2])[count] = -FLT_MAX;
    }
    count++;
  }
  return count;
}

static sli_status_t *hits_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *classes = sli_kernel_input(context, 0), *sampled = sli_kernel_input(context, 1);
  int64_t num_true;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "num_true", &num_true));
  if (classes->rank != 2 || classes->dims[1] != num_true)
    return sli_status_make(SLI_INVALID_ARGUMENT, "true_candidates must be a batch_size * num_true matrix");
  if (sampled->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "sampled_candidates must be a vector, which is typically an output from CandidateSampler");
  sli_map_t places = {0};  // the last position of each drawn class
  for (int64_t i = 0; i < sampled->count; i++)
    sli_map_set(&places, sli_view_of((const char *)&SLI_DATA(int64_t, sampled)[i], sizeof(int64_t)),
                (void *)(intptr_t)i);
  int64_t count = find_hits(&places, classes, NULL);
  sli_tensor_t *outputs[3];
  sli_status_t *status = NULL;
  for (int i = 0; i < 3 && !status; i++) status = sli_kernel_allocate_output(context, i, SLI_SHAPE(count), &outputs[i]);
  if (!status) find_hits(&places, classes, outputs);
  sli_map_deinitialize(&places);
  return status;
}

static sli_status_t *hits_shape(sli_infer_context_t *c) {
  int64_t num_true, unused;
  sli_shape_t classes;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_true", &num_true));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &classes));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(classes, 1), num_true, &unused));
  for (int i = 0; i < 3; i++) sli_infer_set_output(c, i, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

// --- Tables -------------------------------------------------------------------------------------------

#define COUNTS "sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float"
#define OPTIONS "num_true: int >= 1; num_sampled: int >= 1; unique: bool; "
#define SEEDS "seed: int = 0; seed2: int = 0"

static const sli_op_def_t ops[] = {
    {.name = "UniformCandidateSampler",
     .inputs = "true_classes: int64",
     .outputs = COUNTS,
     .attrs = OPTIONS "range_max: int >= 1; " SEEDS,
     .summary = "Draws classes with equal probability.",
     .shape = sli_random_op_sample_shape,
     .is_stateful = true},
    {.name = "LogUniformCandidateSampler",
     .inputs = "true_classes: int64",
     .outputs = COUNTS,
     .attrs = OPTIONS "range_max: int >= 1; " SEEDS,
     .summary = "Draws classes; small ones are more likely (Zipf's law).",
     .shape = sli_random_op_sample_shape,
     .is_stateful = true},
    {.name = "AllCandidateSampler",
     .inputs = "true_classes: int64",
     .outputs = COUNTS,
     .attrs = OPTIONS SEEDS,
     .summary = "Draws all classes.",
     .shape = sli_random_op_sample_shape,
     .is_stateful = true},
    {.name = "ComputeAccidentalHits",
     .inputs = "true_classes: int64, sampled_candidates: int64",
     .outputs = "indices: int32, ids: int64, weights: float",
     .attrs = "num_true: int; " SEEDS,
     .summary = "Finds the drawn classes that are true classes.",
     .shape = hits_shape},
};

#define SAMPLER(name, function) \
  { .op = name, .compute = function, .create = sli_random_op_create, .destroy = sli_random_op_destroy }
static const sli_kernel_def_t kernels[] = {
    SAMPLER("UniformCandidateSampler", uniform_compute),
    SAMPLER("LogUniformCandidateSampler", log_uniform_compute),
    SAMPLER("AllCandidateSampler", all_compute),
    {.op = "ComputeAccidentalHits", .compute = hits_compute},
};

SLI_OP_MODULE(candidate);
