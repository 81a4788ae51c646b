// Candidate samplers with a weight for each class: FixedUnigramCandidateSampler has them from attributes or from a
// file, LearnedUnigramCandidateSampler and ThreadUnsafeUnigramCandidateSampler count the true classes that they have
// seen.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/file/file.h"
#include "ops/random/candidate_internal.h"

// --- Learned -----------------------------------------------------------------------------------------

// A tree of sums: the leaves are the weights of the classes, of which there are a power of two, some unused.
typedef struct {
  sli_philox_stream_t *stream;
  sli_mutex_t mutex;
  int64_t range, leaves;
  int32_t *sums;  // under mutex; node 1 is the root, nodes 2 i and 2 i + 1 the children of i
} learned_t;

static void learned_destroy(void *state) {
  learned_t *learned = state;
  if (!learned) return;
  sli_philox_stream_destroy(learned->stream);
  sli_mutex_deinitialize(&learned->mutex);
  free(learned->sums);
  free(learned);
}

static sli_status_t *learned_create(const sli_kernel_setup_t *setup, void **out_state) {
  int64_t range;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "range_max", &range));
  if (range >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "range_max must be below %d, got %lld", INT32_MAX, (long long)range);
  learned_t *learned = sli_calloc(1, sizeof(*learned));
  sli_mutex_initialize(&learned->mutex);
  learned->range = range;
  for (learned->leaves = 1; learned->leaves < range;) learned->leaves *= 2;
  learned->sums = sli_malloc_or_null((size_t)(2 * learned->leaves) * sizeof(int32_t));
  sli_status_t *status = NULL;
  if (!learned->sums)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating weights of %lld classes", (long long)range);
  else
    status = sli_philox_stream_create(setup->node, &learned->stream);
  if (status) {
    learned_destroy(learned);
    return status;
  }
  for (int64_t i = 0; i < learned->leaves; i++) learned->sums[learned->leaves + i] = i < range;
  for (int64_t i = learned->leaves - 1; i > 0; i--) learned->sums[i] = learned->sums[2 * i] + learned->sums[2 * i + 1];
  *out_state = learned;
  return NULL;
}

// Without bias: as many of the lowest words as are left over are drawn again.
static uint32_t draw_below(sli_philox_words_t *words, uint32_t n) {
  if ((n & (n - 1)) == 0) return sli_philox_word(words) & (n - 1);
  uint32_t left_over = UINT32_MAX % n + 1, word;
  do word = sli_philox_word(words);
  while (word < left_over);
  return word % n;
}

static int64_t learned_draw(const void *self, sli_philox_words_t *words, int64_t range) {
  const learned_t *learned = self;
  int32_t position = (int32_t)draw_below(words, (uint32_t)learned->sums[1]);
  int64_t node = 1;
  while (node < learned->leaves) {
    node *= 2;
    if (position >= learned->sums[node]) position -= learned->sums[node++];
  }
  return node - learned->leaves;
}

static float learned_probability(const void *self, int64_t value, int64_t range) {
  const learned_t *learned = self;
  return (float)learned->sums[learned->leaves + value] / (float)learned->sums[1];
}

static sli_status_t *learned_compute(sli_kernel_context_t *context) {
  learned_t *learned = (learned_t *)sli_kernel_state(context);
  sli_random_op_distribution_t distribution = {learned_draw, learned_probability, learned};
  const sli_tensor_t *classes = sli_kernel_input(context, 0);
  sli_mutex_lock(&learned->mutex);
  sli_status_t *status = sli_random_op_sample(context, &distribution, learned->stream);
  for (int64_t i = 0; i < classes->count && !status && learned->sums[1] < INT32_MAX; i++)
    for (int64_t node = learned->leaves + SLI_DATA(int64_t, classes)[i]; node > 0; node /= 2) learned->sums[node]++;
  sli_mutex_unlock(&learned->mutex);
  return status;
}

// --- Fixed -------------------------------------------------------------------------------------------

// Each class has a share of a slot of its own, and another class the rest (A. J. Walker's alias method, 1974).
typedef struct {
  float probability;
  int32_t other;
} slot_t;

typedef SLI_ARRAY(float) weights_t;
typedef struct {
  sli_philox_stream_t *stream;
  weights_t weights;
  float total;
  slot_t *slots;
} fixed_t;

typedef struct {
  int64_t range, reserved, shards, shard;
  float distortion;
} fixed_options_t;

static void fixed_destroy(void *state) {
  fixed_t *fixed = state;
  if (!fixed) return;
  sli_philox_stream_destroy(fixed->stream);
  sli_array_deinitialize(&fixed->weights);
  free(fixed->slots);
  free(fixed);
}

static void add_weight(fixed_t *fixed, const fixed_options_t *options, int64_t id, float weight) {
  if (id % options->shards != options->shard) return;
  weight = powf(weight, options->distortion);
  fixed->total += weight;
  sli_array_push(&fixed->weights, weight);
}

// |*out_bytes| are the caller's to free.
static sli_status_t *read_file(sli_view_t path, char **out_bytes, sli_view_t *out_view) {
  char *name = sli_strndup(path.data, path.size);
  sli_file_reader_t *reader = NULL;
  uint64_t size = 0;
  *out_bytes = NULL;
  *out_view = sli_view("");
  sli_status_t *status = sli_file_reader_open(name, &reader);
  if (!status) status = sli_file_reader_size(reader, &size);
  if (!status) {
    *out_bytes = size < SIZE_MAX ? sli_malloc_or_null((size_t)size + 1) : NULL;
    status = *out_bytes ? sli_file_reader_read_all(reader, 0, *out_bytes, (size_t)size)
                        : sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when reading %s", name);
  }
  if (!status) *out_view = sli_view_of(*out_bytes, (size_t)size);
  sli_file_reader_release(reader);
  free(name);
  return status;
}

// A line for each class; what follows its last comma is the weight.
static sli_status_t *read_vocabulary(fixed_t *fixed, const fixed_options_t *options, sli_view_t path) {
  char *bytes;
  sli_view_t line, rest;
  sli_status_t *status = read_file(path, &bytes, &rest);
  int64_t id = (int64_t)fixed->weights.count;
  for (bool more = rest.size > 0; more && !status; id++) {
    more = sli_view_split(rest, '\n', &line, &rest);
    if (!more && line.size == 0) break;
    const char *comma = line.size ? memrchr(line.data, ',', line.size) : NULL;
    sli_view_t text = comma ? sli_view_of(comma + 1, (size_t)(line.data + line.size - comma - 1)) : line;
    char *number = sli_strndup(text.data, text.size), *end;
    float weight = strtof(number, &end);
    if (id % options->shards == options->shard && (end == number || sli_view_trim(sli_view(end)).size))
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Wrong vocabulary format at line: %.*s", SLI_VIEW_ARG(line));
    else
      add_weight(fixed, options, id, weight);
    free(number);
  }
  free(bytes);
  return status;
}

static sli_status_t *fill_slots(fixed_t *fixed) {
  int64_t n = (int64_t)fixed->weights.count, low_count = 0, high_count = 0;
  double sum = 0, *shares = sli_malloc_or_null((size_t)n * sizeof(double));
  int32_t *low = sli_malloc_or_null((size_t)n * sizeof(int32_t)), *high = sli_malloc_or_null((size_t)n * 4);
  fixed->slots = sli_malloc_or_null((size_t)n * sizeof(slot_t));
  bool memory = shares && low && high && fixed->slots;
  for (int64_t i = 0; i < n && memory; i++) sum += fixed->weights.items[i];
  for (int64_t i = 0; i < n && memory; i++) {
    shares[i] = (double)(fixed->weights.items[i] * (float)n) / sum;
    fixed->slots[i].other = -1;
    if (shares[i] < 1)
      low[low_count++] = (int32_t)i;
    else
      high[high_count++] = (int32_t)i;
  }
  while (low_count && high_count) {
    int32_t l = low[--low_count], h = high[--high_count];
    fixed->slots[l].other = h;
    shares[h] -= 1 - shares[l];
    if (shares[h] < 1)
      low[low_count++] = h;
    else
      high[high_count++] = h;
  }
  for (int64_t i = 0; i < n && memory; i++) fixed->slots[i].probability = (float)shares[i];
  while (high_count) fixed->slots[high[--high_count]] = (slot_t){1, high[high_count]};
  while (low_count) fixed->slots[low[--low_count]] = (slot_t){1, low[low_count]};
  free(shares);
  free(low);
  free(high);
  return memory ? NULL
                : sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating weights of %lld classes", (long long)n);
}

static sli_status_t *read_fixed_options(const sli_node_def_t *node, fixed_options_t *options) {
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "range_max", &options->range));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_reserved_ids", &options->reserved));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_shards", &options->shards));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "shard", &options->shard));
  return sli_node_attr_float(node, "distortion", &options->distortion);
}

static sli_status_t *fixed_fill(fixed_t *fixed, const sli_node_def_t *node) {
  fixed_options_t options;
  sli_view_t file;
  const sli_attr_t *unigrams = sli_node_attr(node, "unigrams");
  SLI_RETURN_IF_ERROR(read_fixed_options(node, &options));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "vocab_file", &file));
  size_t given = unigrams ? unigrams->count : 0;
  if (!file.size && !given) return sli_status_make(SLI_INVALID_ARGUMENT, "Must provide either vocab_file or unigrams.");
  if (file.size && given)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Must only provide one of vocab_file and unigrams.");
  for (int64_t id = 0; id < options.reserved && (int64_t)fixed->weights.count <= options.range; id++)
    if (id % options.shards == options.shard) sli_array_push(&fixed->weights, 0.0f);
  if (file.size) {
    SLI_RETURN_IF_ERROR(read_vocabulary(fixed, &options, file));
  } else {
    int64_t first = (int64_t)fixed->weights.count;
    for (size_t i = 0; i < given; i++) add_weight(fixed, &options, first + (int64_t)i, unigrams->list.f[i]);
  }
  if ((int64_t)fixed->weights.count != options.range)
    return sli_status_make(SLI_INVALID_ARGUMENT, "range is %lld must be equal to weights size %zu",
                           (long long)options.range, fixed->weights.count);
  return fill_slots(fixed);
}

static sli_status_t *fixed_create(const sli_kernel_setup_t *setup, void **out_state) {
  fixed_t *fixed = sli_calloc(1, sizeof(*fixed));
  *out_state = NULL;
  sli_status_t *status = fixed_fill(fixed, setup->node);
  if (!status) status = sli_philox_stream_create(setup->node, &fixed->stream);
  if (status) {
    fixed_destroy(fixed);
    return status;
  }
  *out_state = fixed;
  return NULL;
}

static int64_t fixed_draw(const void *self, sli_philox_words_t *words, int64_t range) {
  const fixed_t *fixed = self;
  float number = sli_philox_to_float(sli_philox_word(words));
  int64_t at = (int64_t)draw_below(words, (uint32_t)fixed->weights.count);
  return number < fixed->slots[at].probability ? at : fixed->slots[at].other;
}

static float fixed_probability(const void *self, int64_t value, int64_t range) {
  const fixed_t *fixed = self;
  return fixed->weights.items[value] / fixed->total;
}

static sli_status_t *fixed_compute(sli_kernel_context_t *context) {
  const fixed_t *fixed = sli_kernel_state(context);
  sli_random_op_distribution_t distribution = {fixed_draw, fixed_probability, fixed};
  return sli_random_op_sample(context, &distribution, fixed->stream);
}

// --- Tables ------------------------------------------------------------------------------------------

#define COUNTS "sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float"
#define OPTIONS "num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; "
#define SEEDS "seed: int = 0; seed2: int = 0"
#define SAMPLER(op_name, attributes, text)                                                                     \
  {                                                                                                            \
    .name = op_name, .inputs = "true_classes: int64", .outputs = COUNTS, .attrs = attributes, .summary = text, \
    .shape = sli_random_op_sample_shape, .is_stateful = true                                                   \
  }

static const sli_op_def_t ops[] = {
    SAMPLER("LearnedUnigramCandidateSampler", OPTIONS SEEDS, "Draws classes as often as they were true so far."),
    SAMPLER("ThreadUnsafeUnigramCandidateSampler", OPTIONS SEEDS, "Draws classes as often as they were true so far."),
    SAMPLER("FixedUnigramCandidateSampler",
            OPTIONS "vocab_file: string = ''; distortion: float = 1; num_reserved_ids: int = 0; num_shards: int >= 1 = "
                    "1; shard: int >= 0 = 0; unigrams: list(float) = []; " SEEDS,
            "Draws classes by given weights."),
};

static const sli_kernel_def_t kernels[] = {
    {.op = "LearnedUnigramCandidateSampler",
     .compute = learned_compute,
     .create = learned_create,
     .destroy = learned_destroy},
    {.op = "ThreadUnsafeUnigramCandidateSampler",
     .compute = learned_compute,
     .create = learned_create,
     .destroy = learned_destroy},
    {.op = "FixedUnigramCandidateSampler", .compute = fixed_compute, .create = fixed_create, .destroy = fixed_destroy},
};

SLI_OP_MODULE(unigram);
