// Ops: random numbers, shuffles and candidate samplers.
// Generated from src/ops/random by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_RANDOM_H_
#define SLUICE_OPS_RANDOM_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// AllCandidateSampler(true_classes: int64) -> sampled_candidates: int64, true_expected_count: float,
//   sampled_expected_count: float
// Draws all classes.
// num_true: int >= 1; num_sampled: int >= 1; unique: bool; seed: int = 0; seed2: int = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_all_candidate_sampler_options_t;
typedef struct {
  TF_Output sampled_candidates;
  TF_Output true_expected_count;
  TF_Output sampled_expected_count;
} sl_op_all_candidate_sampler_t;
static inline sl_op_all_candidate_sampler_t sl_op_all_candidate_sampler_with(sl_scope_t *scope,
    TF_Output true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    const sl_op_all_candidate_sampler_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AllCandidateSampler", options->name);
  sl_node_input(node, true_classes);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "num_sampled", num_sampled);
  sl_node_attr_bool(node, "unique", unique);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_all_candidate_sampler_t result;
  result.sampled_candidates = sl_op_output(operation, 0);
  result.true_expected_count = sl_op_output(operation, 1);
  result.sampled_expected_count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_all_candidate_sampler(scope, true_classes, num_true, num_sampled, unique, ...) \
  sl_op_all_candidate_sampler_with(SL_AT(scope), (true_classes), (num_true), (num_sampled), (unique), SL_OPTIONS( \
    sl_op_all_candidate_sampler_options_t, __VA_ARGS__))

// ComputeAccidentalHits(true_classes: int64, sampled_candidates: int64) -> indices: int32, ids: int64, weights: float
// Finds the drawn classes that are true classes.
// num_true: int; seed: int = 0; seed2: int = 0
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_compute_accidental_hits_options_t;
typedef struct {
  TF_Output indices;
  TF_Output ids;
  TF_Output weights;
} sl_op_compute_accidental_hits_t;
static inline sl_op_compute_accidental_hits_t sl_op_compute_accidental_hits_with(sl_scope_t *scope,
    TF_Output true_classes, TF_Output sampled_candidates, int64_t num_true,
    const sl_op_compute_accidental_hits_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ComputeAccidentalHits", options->name);
  sl_node_input(node, true_classes);
  sl_node_input(node, sampled_candidates);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_compute_accidental_hits_t result;
  result.indices = sl_op_output(operation, 0);
  result.ids = sl_op_output(operation, 1);
  result.weights = sl_op_output(operation, 2);
  return result;
}
#define sl_op_compute_accidental_hits(scope, true_classes, sampled_candidates, num_true, ...) \
  sl_op_compute_accidental_hits_with(SL_AT(scope), (true_classes), (sampled_candidates), (num_true), SL_OPTIONS( \
    sl_op_compute_accidental_hits_options_t, __VA_ARGS__))

// FixedUnigramCandidateSampler(true_classes: int64) -> sampled_candidates: int64, true_expected_count: float,
//   sampled_expected_count: float
// Draws classes by given weights.
// num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; vocab_file: string = ''; distortion:
//   float = 1; num_reserved_ids: int = 0; num_shards: int >= 1 = 1; shard: int >= 0 = 0; unigrams: list(float) = [];
//   seed: int = 0; seed2: int = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *vocab_file;
  float distortion;
  int64_t num_reserved_ids;
  int64_t num_shards;
  int64_t shard;
  sl_op_floats_t unigrams;
  int64_t seed;
  int64_t seed2;
} sl_op_fixed_unigram_candidate_sampler_options_t;
typedef struct {
  TF_Output sampled_candidates;
  TF_Output true_expected_count;
  TF_Output sampled_expected_count;
} sl_op_fixed_unigram_candidate_sampler_t;
static inline sl_op_fixed_unigram_candidate_sampler_t sl_op_fixed_unigram_candidate_sampler_with(sl_scope_t *scope,
    TF_Output true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const sl_op_fixed_unigram_candidate_sampler_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FixedUnigramCandidateSampler", options->name);
  sl_node_input(node, true_classes);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "num_sampled", num_sampled);
  sl_node_attr_bool(node, "unique", unique);
  sl_node_attr_int(node, "range_max", range_max);
  if (options->vocab_file) sl_node_attr_text(node, "vocab_file", options->vocab_file);
  sl_node_attr_float(node, "distortion", options->distortion);
  sl_node_attr_int(node, "num_reserved_ids", options->num_reserved_ids);
  sl_node_attr_int(node, "num_shards", options->num_shards);
  sl_node_attr_int(node, "shard", options->shard);
  if (options->unigrams.values) sl_node_attr_float_list(node, "unigrams", options->unigrams.values,
    options->unigrams.count);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fixed_unigram_candidate_sampler_t result;
  result.sampled_candidates = sl_op_output(operation, 0);
  result.true_expected_count = sl_op_output(operation, 1);
  result.sampled_expected_count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_fixed_unigram_candidate_sampler(scope, true_classes, num_true, num_sampled, unique, range_max, ...) \
  SL_OVER_DEFAULTS(sl_op_fixed_unigram_candidate_sampler_with(SL_AT(scope), (true_classes), (num_true), ( \
    num_sampled), (unique), (range_max), SL_OPTIONS(sl_op_fixed_unigram_candidate_sampler_options_t, .distortion = ( \
    float)1, .num_shards = 1, __VA_ARGS__)))

// LearnedUnigramCandidateSampler(true_classes: int64) -> sampled_candidates: int64, true_expected_count: float,
//   sampled_expected_count: float
// Draws classes as often as they were true so far.
// num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_learned_unigram_candidate_sampler_options_t;
typedef struct {
  TF_Output sampled_candidates;
  TF_Output true_expected_count;
  TF_Output sampled_expected_count;
} sl_op_learned_unigram_candidate_sampler_t;
static inline sl_op_learned_unigram_candidate_sampler_t sl_op_learned_unigram_candidate_sampler_with(
    sl_scope_t *scope, TF_Output true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const sl_op_learned_unigram_candidate_sampler_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LearnedUnigramCandidateSampler", options->name);
  sl_node_input(node, true_classes);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "num_sampled", num_sampled);
  sl_node_attr_bool(node, "unique", unique);
  sl_node_attr_int(node, "range_max", range_max);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_learned_unigram_candidate_sampler_t result;
  result.sampled_candidates = sl_op_output(operation, 0);
  result.true_expected_count = sl_op_output(operation, 1);
  result.sampled_expected_count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_learned_unigram_candidate_sampler(scope, true_classes, num_true, num_sampled, unique, range_max, \
    ...) \
  sl_op_learned_unigram_candidate_sampler_with(SL_AT(scope), (true_classes), (num_true), (num_sampled), (unique), ( \
    range_max), SL_OPTIONS(sl_op_learned_unigram_candidate_sampler_options_t, __VA_ARGS__))

// LogUniformCandidateSampler(true_classes: int64) -> sampled_candidates: int64, true_expected_count: float,
//   sampled_expected_count: float
// Draws classes; small ones are more likely (Zipf's law).
// num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_log_uniform_candidate_sampler_options_t;
typedef struct {
  TF_Output sampled_candidates;
  TF_Output true_expected_count;
  TF_Output sampled_expected_count;
} sl_op_log_uniform_candidate_sampler_t;
static inline sl_op_log_uniform_candidate_sampler_t sl_op_log_uniform_candidate_sampler_with(sl_scope_t *scope,
    TF_Output true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const sl_op_log_uniform_candidate_sampler_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogUniformCandidateSampler", options->name);
  sl_node_input(node, true_classes);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "num_sampled", num_sampled);
  sl_node_attr_bool(node, "unique", unique);
  sl_node_attr_int(node, "range_max", range_max);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_log_uniform_candidate_sampler_t result;
  result.sampled_candidates = sl_op_output(operation, 0);
  result.true_expected_count = sl_op_output(operation, 1);
  result.sampled_expected_count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_log_uniform_candidate_sampler(scope, true_classes, num_true, num_sampled, unique, range_max, ...) \
  sl_op_log_uniform_candidate_sampler_with(SL_AT(scope), (true_classes), (num_true), (num_sampled), (unique), ( \
    range_max), SL_OPTIONS(sl_op_log_uniform_candidate_sampler_options_t, __VA_ARGS__))

// Multinomial(logits: T, num_samples: int32) -> output: output_dtype
// seed: int = 0; seed2: int = 0; T: realnumbertype; output_dtype: {int32, int64} = DT_INT64
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
  TF_DataType output_dtype;
} sl_op_multinomial_options_t;
static inline TF_Output sl_op_multinomial_with(sl_scope_t *scope, TF_Output logits, TF_Output num_samples,
    const sl_op_multinomial_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Multinomial", options->name);
  sl_node_input(node, logits);
  sl_node_input(node, num_samples);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  if (options->output_dtype) sl_node_attr_type(node, "output_dtype", options->output_dtype);
  return sl_node_output(node);
}
#define sl_op_multinomial(scope, logits, num_samples, ...) \
  sl_op_multinomial_with(SL_AT(scope), (logits), (num_samples), SL_OPTIONS(sl_op_multinomial_options_t, __VA_ARGS__))

// NonDeterministicInts(shape: shape_dtype) -> output: dtype
// dtype: type = DT_INT64; shape_dtype: type = DT_INT64
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_non_deterministic_ints_options_t;
static inline TF_Output sl_op_non_deterministic_ints_with(sl_scope_t *scope, TF_Output shape,
    const sl_op_non_deterministic_ints_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NonDeterministicInts", options->name);
  sl_node_input(node, shape);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_non_deterministic_ints(scope, shape, ...) \
  sl_op_non_deterministic_ints_with(SL_AT(scope), (shape), SL_OPTIONS(sl_op_non_deterministic_ints_options_t, \
    __VA_ARGS__))

// ParameterizedTruncatedNormal(shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype) -> output:
//   dtype
// seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_parameterized_truncated_normal_options_t;
static inline TF_Output sl_op_parameterized_truncated_normal_with(sl_scope_t *scope, TF_Output shape,
    TF_Output means, TF_Output stdevs, TF_Output minvals, TF_Output maxvals,
    const sl_op_parameterized_truncated_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParameterizedTruncatedNormal", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, means);
  sl_node_input(node, stdevs);
  sl_node_input(node, minvals);
  sl_node_input(node, maxvals);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_parameterized_truncated_normal(scope, shape, means, stdevs, minvals, maxvals, ...) \
  sl_op_parameterized_truncated_normal_with(SL_AT(scope), (shape), (means), (stdevs), (minvals), (maxvals), \
    SL_OPTIONS(sl_op_parameterized_truncated_normal_options_t, __VA_ARGS__))

// RandomGamma(shape: S, alpha: T) -> output: T
// seed: int = 0; seed2: int = 0; S: {int32, int64}; T: {half, float, double}
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_gamma_options_t;
static inline TF_Output sl_op_random_gamma_with(sl_scope_t *scope, TF_Output shape, TF_Output alpha,
    const sl_op_random_gamma_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomGamma", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, alpha);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_random_gamma(scope, shape, alpha, ...) \
  sl_op_random_gamma_with(SL_AT(scope), (shape), (alpha), SL_OPTIONS(sl_op_random_gamma_options_t, __VA_ARGS__))

// RandomGammaGrad(alpha: T, sample: T) -> output: T
// T: {float, double}
// No gradient.
static inline TF_Output sl_op_random_gamma_grad_with(sl_scope_t *scope, TF_Output alpha, TF_Output sample,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomGammaGrad", options->name);
  sl_node_input(node, alpha);
  sl_node_input(node, sample);
  return sl_node_output(node);
}
#define sl_op_random_gamma_grad(scope, alpha, sample, ...) \
  sl_op_random_gamma_grad_with(SL_AT(scope), (alpha), (sample), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RandomIndexShuffle(index: dtype, seed: Tseed, max_index: dtype) -> output: dtype
// rounds: int = 4; dtype: {int32, uint32, int64, uint64}; Tseed: {int32, uint32, int64, uint64}
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t rounds;
} sl_op_random_index_shuffle_options_t;
static inline TF_Output sl_op_random_index_shuffle_with(sl_scope_t *scope, TF_Output index, TF_Output seed,
    TF_Output max_index, const sl_op_random_index_shuffle_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomIndexShuffle", options->name);
  sl_node_input(node, index);
  sl_node_input(node, seed);
  sl_node_input(node, max_index);
  sl_node_attr_int(node, "rounds", options->rounds);
  return sl_node_output(node);
}
#define sl_op_random_index_shuffle(scope, index, seed, max_index, ...) \
  SL_OVER_DEFAULTS(sl_op_random_index_shuffle_with(SL_AT(scope), (index), (seed), (max_index), SL_OPTIONS( \
    sl_op_random_index_shuffle_options_t, .rounds = 4, __VA_ARGS__)))

// RandomPoisson(shape: S, rate: dtype) -> output: dtype
// seed: int = 0; seed2: int = 0; S: {int32, int64}; dtype: {half, float, double}
// Stateful, no gradient. Deprecated since GraphDef version 25: Replaced by RandomPoissonV2
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_poisson_options_t;
static inline TF_Output sl_op_random_poisson_with(sl_scope_t *scope, TF_Output shape, TF_Output rate,
    const sl_op_random_poisson_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomPoisson", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, rate);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_random_poisson(scope, shape, rate, ...) \
  sl_op_random_poisson_with(SL_AT(scope), (shape), (rate), SL_OPTIONS(sl_op_random_poisson_options_t, __VA_ARGS__))

// RandomPoissonV2(shape: S, rate: R) -> output: dtype
// seed: int = 0; seed2: int = 0; S: {int32, int64}; R: {half, float, double, int32, int64} = DT_DOUBLE; dtype: {half,
//   float, double, int32, int64} = DT_INT64
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
  TF_DataType dtype;
} sl_op_random_poisson_v2_options_t;
static inline TF_Output sl_op_random_poisson_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output rate,
    const sl_op_random_poisson_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomPoissonV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, rate);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_random_poisson_v2(scope, shape, rate, ...) \
  sl_op_random_poisson_v2_with(SL_AT(scope), (shape), (rate), SL_OPTIONS(sl_op_random_poisson_v2_options_t, \
    __VA_ARGS__))

// RandomShuffle(value: T) -> output: T
// seed: int = 0; seed2: int = 0; T: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_shuffle_options_t;
static inline TF_Output sl_op_random_shuffle_with(sl_scope_t *scope, TF_Output value,
    const sl_op_random_shuffle_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomShuffle", options->name);
  sl_node_input(node, value);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_random_shuffle(scope, value, ...) \
  sl_op_random_shuffle_with(SL_AT(scope), (value), SL_OPTIONS(sl_op_random_shuffle_options_t, __VA_ARGS__))

// RandomStandardNormal(shape: T) -> output: dtype
// seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_standard_normal_options_t;
static inline TF_Output sl_op_random_standard_normal_with(sl_scope_t *scope, TF_Output shape, TF_DataType dtype,
    const sl_op_random_standard_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomStandardNormal", options->name);
  sl_node_input(node, shape);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_random_standard_normal(scope, shape, dtype, ...) \
  sl_op_random_standard_normal_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS( \
    sl_op_random_standard_normal_options_t, __VA_ARGS__))

// RandomUniform(shape: T) -> output: dtype
// seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_uniform_options_t;
static inline TF_Output sl_op_random_uniform_with(sl_scope_t *scope, TF_Output shape, TF_DataType dtype,
    const sl_op_random_uniform_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomUniform", options->name);
  sl_node_input(node, shape);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_random_uniform(scope, shape, dtype, ...) \
  sl_op_random_uniform_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_random_uniform_options_t, __VA_ARGS__))

// RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> output: Tout
// seed: int = 0; seed2: int = 0; Tout: {int32, int64}; T: {int32, int64}
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_uniform_int_options_t;
static inline TF_Output sl_op_random_uniform_int_with(sl_scope_t *scope, TF_Output shape, TF_Output minval,
    TF_Output maxval, const sl_op_random_uniform_int_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomUniformInt", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, minval);
  sl_node_input(node, maxval);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_random_uniform_int(scope, shape, minval, maxval, ...) \
  sl_op_random_uniform_int_with(SL_AT(scope), (shape), (minval), (maxval), SL_OPTIONS( \
    sl_op_random_uniform_int_options_t, __VA_ARGS__))

// RngReadAndSkip(resource: resource, alg: int32, delta: uint64) -> value: int64
// Stateful, no gradient.
static inline TF_Output sl_op_rng_read_and_skip_with(sl_scope_t *scope, TF_Output resource, TF_Output alg,
    TF_Output delta, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RngReadAndSkip", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, alg);
  sl_node_input(node, delta);
  return sl_node_output(node);
}
#define sl_op_rng_read_and_skip(scope, resource, alg, delta, ...) \
  sl_op_rng_read_and_skip_with(SL_AT(scope), (resource), (alg), (delta), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RngSkip(resource: resource, algorithm: int64, delta: int64)
// Stateful, no gradient.
static inline TF_Operation *sl_op_rng_skip_with(sl_scope_t *scope, TF_Output resource, TF_Output algorithm,
    TF_Output delta, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RngSkip", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, algorithm);
  sl_node_input(node, delta);
  return sl_node_finish(node);
}
#define sl_op_rng_skip(scope, resource, algorithm, delta, ...) \
  sl_op_rng_skip_with(SL_AT(scope), (resource), (algorithm), (delta), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StatefulRandomBinomial(resource: resource, algorithm: int64, shape: S, counts: T, probs: T) -> output: dtype
// S: {int32, int64}; T: {half, float, double, int32, int64} = DT_DOUBLE; dtype: {half, float, double, int32, int64} =
//   DT_INT64
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateful_random_binomial_options_t;
static inline TF_Output sl_op_stateful_random_binomial_with(sl_scope_t *scope, TF_Output resource,
    TF_Output algorithm, TF_Output shape, TF_Output counts, TF_Output probs,
    const sl_op_stateful_random_binomial_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatefulRandomBinomial", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, algorithm);
  sl_node_input(node, shape);
  sl_node_input(node, counts);
  sl_node_input(node, probs);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateful_random_binomial(scope, resource, algorithm, shape, counts, probs, ...) \
  sl_op_stateful_random_binomial_with(SL_AT(scope), (resource), (algorithm), (shape), (counts), (probs), SL_OPTIONS( \
    sl_op_stateful_random_binomial_options_t, __VA_ARGS__))

// StatefulStandardNormal(resource: resource, shape: shape_dtype) -> output: dtype
// dtype: type = DT_FLOAT; shape_dtype: type = DT_INT64
// Stateful, no gradient. Deprecated since GraphDef version 29: Use StatefulStandardNormalV2 instead
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateful_standard_normal_options_t;
static inline TF_Output sl_op_stateful_standard_normal_with(sl_scope_t *scope, TF_Output resource, TF_Output shape,
    const sl_op_stateful_standard_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatefulStandardNormal", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, shape);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateful_standard_normal(scope, resource, shape, ...) \
  sl_op_stateful_standard_normal_with(SL_AT(scope), (resource), (shape), SL_OPTIONS( \
    sl_op_stateful_standard_normal_options_t, __VA_ARGS__))

// StatefulStandardNormalV2(resource: resource, algorithm: int64, shape: shape_dtype) -> output: dtype
// dtype: type = DT_FLOAT; shape_dtype: type = DT_INT64
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateful_standard_normal_v2_options_t;
static inline TF_Output sl_op_stateful_standard_normal_v2_with(sl_scope_t *scope, TF_Output resource,
    TF_Output algorithm, TF_Output shape, const sl_op_stateful_standard_normal_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatefulStandardNormalV2", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, algorithm);
  sl_node_input(node, shape);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateful_standard_normal_v2(scope, resource, algorithm, shape, ...) \
  sl_op_stateful_standard_normal_v2_with(SL_AT(scope), (resource), (algorithm), (shape), SL_OPTIONS( \
    sl_op_stateful_standard_normal_v2_options_t, __VA_ARGS__))

// StatefulTruncatedNormal(resource: resource, algorithm: int64, shape: shape_dtype) -> output: dtype
// dtype: type = DT_FLOAT; shape_dtype: type = DT_INT64
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateful_truncated_normal_options_t;
static inline TF_Output sl_op_stateful_truncated_normal_with(sl_scope_t *scope, TF_Output resource,
    TF_Output algorithm, TF_Output shape, const sl_op_stateful_truncated_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatefulTruncatedNormal", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, algorithm);
  sl_node_input(node, shape);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateful_truncated_normal(scope, resource, algorithm, shape, ...) \
  sl_op_stateful_truncated_normal_with(SL_AT(scope), (resource), (algorithm), (shape), SL_OPTIONS( \
    sl_op_stateful_truncated_normal_options_t, __VA_ARGS__))

// StatefulUniform(resource: resource, algorithm: int64, shape: shape_dtype) -> output: dtype
// dtype: type = DT_FLOAT; shape_dtype: type = DT_INT64
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateful_uniform_options_t;
static inline TF_Output sl_op_stateful_uniform_with(sl_scope_t *scope, TF_Output resource, TF_Output algorithm,
    TF_Output shape, const sl_op_stateful_uniform_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatefulUniform", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, algorithm);
  sl_node_input(node, shape);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateful_uniform(scope, resource, algorithm, shape, ...) \
  sl_op_stateful_uniform_with(SL_AT(scope), (resource), (algorithm), (shape), SL_OPTIONS( \
    sl_op_stateful_uniform_options_t, __VA_ARGS__))

// StatefulUniformFullInt(resource: resource, algorithm: int64, shape: shape_dtype) -> output: dtype
// dtype: type = DT_UINT64; shape_dtype: type = DT_INT64
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateful_uniform_full_int_options_t;
static inline TF_Output sl_op_stateful_uniform_full_int_with(sl_scope_t *scope, TF_Output resource,
    TF_Output algorithm, TF_Output shape, const sl_op_stateful_uniform_full_int_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatefulUniformFullInt", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, algorithm);
  sl_node_input(node, shape);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateful_uniform_full_int(scope, resource, algorithm, shape, ...) \
  sl_op_stateful_uniform_full_int_with(SL_AT(scope), (resource), (algorithm), (shape), SL_OPTIONS( \
    sl_op_stateful_uniform_full_int_options_t, __VA_ARGS__))

// StatefulUniformInt(resource: resource, algorithm: int64, shape: shape_dtype, minval: dtype, maxval: dtype) ->
//   output: dtype
// dtype: type = DT_INT64; shape_dtype: type = DT_INT64
// Stateful, no gradient.
static inline TF_Output sl_op_stateful_uniform_int_with(sl_scope_t *scope, TF_Output resource, TF_Output algorithm,
    TF_Output shape, TF_Output minval, TF_Output maxval, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatefulUniformInt", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, algorithm);
  sl_node_input(node, shape);
  sl_node_input(node, minval);
  sl_node_input(node, maxval);
  return sl_node_output(node);
}
#define sl_op_stateful_uniform_int(scope, resource, algorithm, shape, minval, maxval, ...) \
  sl_op_stateful_uniform_int_with(SL_AT(scope), (resource), (algorithm), (shape), (minval), (maxval), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// StatelessMultinomial(logits: T, num_samples: int32, seed: Tseed) -> output: output_dtype
// T: realnumbertype; Tseed: {int32, int64} = DT_INT64; output_dtype: {int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType output_dtype;
} sl_op_stateless_multinomial_options_t;
static inline TF_Output sl_op_stateless_multinomial_with(sl_scope_t *scope, TF_Output logits, TF_Output num_samples,
    TF_Output seed, const sl_op_stateless_multinomial_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessMultinomial", options->name);
  sl_node_input(node, logits);
  sl_node_input(node, num_samples);
  sl_node_input(node, seed);
  if (options->output_dtype) sl_node_attr_type(node, "output_dtype", options->output_dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_multinomial(scope, logits, num_samples, seed, ...) \
  sl_op_stateless_multinomial_with(SL_AT(scope), (logits), (num_samples), (seed), SL_OPTIONS( \
    sl_op_stateless_multinomial_options_t, __VA_ARGS__))

// StatelessParameterizedTruncatedNormal(shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, maxvals:
//   dtype) -> output: dtype
// S: {int32, int64}; Tseed: {int32, int64} = DT_INT64; dtype: {half, float, double}
// Differentiable.
static inline TF_Output sl_op_stateless_parameterized_truncated_normal_with(sl_scope_t *scope, TF_Output shape,
    TF_Output seed, TF_Output means, TF_Output stddevs, TF_Output minvals, TF_Output maxvals,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessParameterizedTruncatedNormal", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  sl_node_input(node, means);
  sl_node_input(node, stddevs);
  sl_node_input(node, minvals);
  sl_node_input(node, maxvals);
  return sl_node_output(node);
}
#define sl_op_stateless_parameterized_truncated_normal(scope, shape, seed, means, stddevs, minvals, maxvals, ...) \
  sl_op_stateless_parameterized_truncated_normal_with(SL_AT(scope), (shape), (seed), (means), (stddevs), (minvals), ( \
    maxvals), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StatelessRandomBinomial(shape: S, seed: Tseed, counts: T, probs: T) -> output: dtype
// S: {int32, int64}; Tseed: {int32, int64} = DT_INT64; T: {half, float, double, int32, int64} = DT_DOUBLE; dtype:
//   {half, float, double, int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_binomial_options_t;
static inline TF_Output sl_op_stateless_random_binomial_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    TF_Output counts, TF_Output probs, const sl_op_stateless_random_binomial_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomBinomial", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  sl_node_input(node, counts);
  sl_node_input(node, probs);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_binomial(scope, shape, seed, counts, probs, ...) \
  sl_op_stateless_random_binomial_with(SL_AT(scope), (shape), (seed), (counts), (probs), SL_OPTIONS( \
    sl_op_stateless_random_binomial_options_t, __VA_ARGS__))

// StatelessRandomGammaV2(shape: T, seed: Tseed, alpha: dtype) -> output: dtype
// dtype: {half, float, double}; T: {int32, int64}; Tseed: {int32, int64} = DT_INT64
// Differentiable.
static inline TF_Output sl_op_stateless_random_gamma_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    TF_Output alpha, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomGammaV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  sl_node_input(node, alpha);
  return sl_node_output(node);
}
#define sl_op_stateless_random_gamma_v2(scope, shape, seed, alpha, ...) \
  sl_op_stateless_random_gamma_v2_with(SL_AT(scope), (shape), (seed), (alpha), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StatelessRandomGammaV3(shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype) -> output: dtype
// dtype: {half, float, double}; shape_dtype: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_stateless_random_gamma_v3_with(sl_scope_t *scope, TF_Output shape, TF_Output key,
    TF_Output counter, TF_Output alg, TF_Output alpha, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomGammaV3", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  sl_node_input(node, alpha);
  return sl_node_output(node);
}
#define sl_op_stateless_random_gamma_v3(scope, shape, key, counter, alg, alpha, ...) \
  sl_op_stateless_random_gamma_v3_with(SL_AT(scope), (shape), (key), (counter), (alg), (alpha), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// StatelessRandomGetAlg() -> alg: int32
// Stateful, no gradient.
static inline TF_Output sl_op_stateless_random_get_alg_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomGetAlg", options->name);
  return sl_node_output(node);
}
#define sl_op_stateless_random_get_alg(scope, ...) \
  sl_op_stateless_random_get_alg_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StatelessRandomGetKeyCounter(seed: Tseed) -> key: uint64, counter: uint64
// Tseed: {int32, int64} = DT_INT64
// No gradient.
typedef struct {
  TF_Output key;
  TF_Output counter;
} sl_op_stateless_random_get_key_counter_t;
static inline sl_op_stateless_random_get_key_counter_t sl_op_stateless_random_get_key_counter_with(sl_scope_t *scope,
    TF_Output seed, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomGetKeyCounter", options->name);
  sl_node_input(node, seed);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_stateless_random_get_key_counter_t result;
  result.key = sl_op_output(operation, 0);
  result.counter = sl_op_output(operation, 1);
  return result;
}
#define sl_op_stateless_random_get_key_counter(scope, seed, ...) \
  sl_op_stateless_random_get_key_counter_with(SL_AT(scope), (seed), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StatelessRandomGetKeyCounterAlg(seed: Tseed) -> key: uint64, counter: uint64, alg: int32
// Tseed: {int32, int64} = DT_INT64
// No gradient.
typedef struct {
  TF_Output key;
  TF_Output counter;
  TF_Output alg;
} sl_op_stateless_random_get_key_counter_alg_t;
static inline sl_op_stateless_random_get_key_counter_alg_t sl_op_stateless_random_get_key_counter_alg_with(
    sl_scope_t *scope, TF_Output seed, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomGetKeyCounterAlg", options->name);
  sl_node_input(node, seed);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_stateless_random_get_key_counter_alg_t result;
  result.key = sl_op_output(operation, 0);
  result.counter = sl_op_output(operation, 1);
  result.alg = sl_op_output(operation, 2);
  return result;
}
#define sl_op_stateless_random_get_key_counter_alg(scope, seed, ...) \
  sl_op_stateless_random_get_key_counter_alg_with(SL_AT(scope), (seed), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StatelessRandomNormal(shape: T, seed: Tseed) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; T: {int32, int64} = DT_INT32; Tseed: {int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_normal_options_t;
static inline TF_Output sl_op_stateless_random_normal_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    const sl_op_stateless_random_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomNormal", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_normal(scope, shape, seed, ...) \
  sl_op_stateless_random_normal_with(SL_AT(scope), (shape), (seed), SL_OPTIONS( \
    sl_op_stateless_random_normal_options_t, __VA_ARGS__))

// StatelessRandomNormalV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; Tshape: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_normal_v2_options_t;
static inline TF_Output sl_op_stateless_random_normal_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output key,
    TF_Output counter, TF_Output alg, const sl_op_stateless_random_normal_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomNormalV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_normal_v2(scope, shape, key, counter, alg, ...) \
  sl_op_stateless_random_normal_v2_with(SL_AT(scope), (shape), (key), (counter), (alg), SL_OPTIONS( \
    sl_op_stateless_random_normal_v2_options_t, __VA_ARGS__))

// StatelessRandomPoisson(shape: T, seed: Tseed, lam: Rtype) -> output: dtype
// Rtype: {half, float, double, int32, int64}; dtype: {half, float, double, int32, int64}; T: {int32, int64}; Tseed:
//   {int32, int64} = DT_INT64
// Gradients stop here.
static inline TF_Output sl_op_stateless_random_poisson_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    TF_Output lam, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomPoisson", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  sl_node_input(node, lam);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_poisson(scope, shape, seed, lam, dtype, ...) \
  sl_op_stateless_random_poisson_with(SL_AT(scope), (shape), (seed), (lam), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StatelessRandomUniform(shape: T, seed: Tseed) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; T: {int32, int64} = DT_INT32; Tseed: {int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_uniform_options_t;
static inline TF_Output sl_op_stateless_random_uniform_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    const sl_op_stateless_random_uniform_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomUniform", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_uniform(scope, shape, seed, ...) \
  sl_op_stateless_random_uniform_with(SL_AT(scope), (shape), (seed), SL_OPTIONS( \
    sl_op_stateless_random_uniform_options_t, __VA_ARGS__))

// StatelessRandomUniformFullInt(shape: T, seed: Tseed) -> output: dtype
// dtype: {int32, int64, uint32, uint64} = DT_UINT64; T: {int32, int64} = DT_INT32; Tseed: {int32, int64, uint32,
//   uint64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_uniform_full_int_options_t;
static inline TF_Output sl_op_stateless_random_uniform_full_int_with(sl_scope_t *scope, TF_Output shape,
    TF_Output seed, const sl_op_stateless_random_uniform_full_int_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomUniformFullInt", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_uniform_full_int(scope, shape, seed, ...) \
  sl_op_stateless_random_uniform_full_int_with(SL_AT(scope), (shape), (seed), SL_OPTIONS( \
    sl_op_stateless_random_uniform_full_int_options_t, __VA_ARGS__))

// StatelessRandomUniformFullIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> output: dtype
// dtype: {int32, int64, uint32, uint64} = DT_UINT64; Tshape: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_uniform_full_int_v2_options_t;
static inline TF_Output sl_op_stateless_random_uniform_full_int_v2_with(sl_scope_t *scope, TF_Output shape,
    TF_Output key, TF_Output counter, TF_Output alg,
    const sl_op_stateless_random_uniform_full_int_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomUniformFullIntV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_uniform_full_int_v2(scope, shape, key, counter, alg, ...) \
  sl_op_stateless_random_uniform_full_int_v2_with(SL_AT(scope), (shape), (key), (counter), (alg), SL_OPTIONS( \
    sl_op_stateless_random_uniform_full_int_v2_options_t, __VA_ARGS__))

// StatelessRandomUniformInt(shape: T, seed: Tseed, minval: dtype, maxval: dtype) -> output: dtype
// dtype: {int32, int64}; T: {int32, int64}; Tseed: {int32, int64} = DT_INT64
// Gradients stop here.
static inline TF_Output sl_op_stateless_random_uniform_int_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    TF_Output minval, TF_Output maxval, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomUniformInt", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  sl_node_input(node, minval);
  sl_node_input(node, maxval);
  return sl_node_output(node);
}
#define sl_op_stateless_random_uniform_int(scope, shape, seed, minval, maxval, ...) \
  sl_op_stateless_random_uniform_int_with(SL_AT(scope), (shape), (seed), (minval), (maxval), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// StatelessRandomUniformIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, maxval: dtype)
//   -> output: dtype
// dtype: {int32, int64, uint32, uint64}; Tshape: {int32, int64} = DT_INT32
// Gradients stop here.
static inline TF_Output sl_op_stateless_random_uniform_int_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output key,
    TF_Output counter, TF_Output alg, TF_Output minval, TF_Output maxval, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomUniformIntV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  sl_node_input(node, minval);
  sl_node_input(node, maxval);
  return sl_node_output(node);
}
#define sl_op_stateless_random_uniform_int_v2(scope, shape, key, counter, alg, minval, maxval, ...) \
  sl_op_stateless_random_uniform_int_v2_with(SL_AT(scope), (shape), (key), (counter), (alg), (minval), (maxval), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StatelessRandomUniformV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; Tshape: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_uniform_v2_options_t;
static inline TF_Output sl_op_stateless_random_uniform_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output key,
    TF_Output counter, TF_Output alg, const sl_op_stateless_random_uniform_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomUniformV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_uniform_v2(scope, shape, key, counter, alg, ...) \
  sl_op_stateless_random_uniform_v2_with(SL_AT(scope), (shape), (key), (counter), (alg), SL_OPTIONS( \
    sl_op_stateless_random_uniform_v2_options_t, __VA_ARGS__))

// StatelessShuffle(value: T, key: uint64, counter: uint64, alg: int32) -> output: T
// T: type
// No gradient.
static inline TF_Output sl_op_stateless_shuffle_with(sl_scope_t *scope, TF_Output value, TF_Output key,
    TF_Output counter, TF_Output alg, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessShuffle", options->name);
  sl_node_input(node, value);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  return sl_node_output(node);
}
#define sl_op_stateless_shuffle(scope, value, key, counter, alg, ...) \
  sl_op_stateless_shuffle_with(SL_AT(scope), (value), (key), (counter), (alg), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StatelessTruncatedNormal(shape: T, seed: Tseed) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; T: {int32, int64} = DT_INT32; Tseed: {int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_truncated_normal_options_t;
static inline TF_Output sl_op_stateless_truncated_normal_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    const sl_op_stateless_truncated_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessTruncatedNormal", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_truncated_normal(scope, shape, seed, ...) \
  sl_op_stateless_truncated_normal_with(SL_AT(scope), (shape), (seed), SL_OPTIONS( \
    sl_op_stateless_truncated_normal_options_t, __VA_ARGS__))

// StatelessTruncatedNormalV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; Tshape: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_truncated_normal_v2_options_t;
static inline TF_Output sl_op_stateless_truncated_normal_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output key,
    TF_Output counter, TF_Output alg, const sl_op_stateless_truncated_normal_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessTruncatedNormalV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_truncated_normal_v2(scope, shape, key, counter, alg, ...) \
  sl_op_stateless_truncated_normal_v2_with(SL_AT(scope), (shape), (key), (counter), (alg), SL_OPTIONS( \
    sl_op_stateless_truncated_normal_v2_options_t, __VA_ARGS__))

// StochasticCastToInt(input: Tin, key: uint64, counter: uint64, alg: int32) -> output: Tout
// Tin: {half, bfloat16, float, double}; Tout: {int8, int16, int32}
// No gradient.
static inline TF_Output sl_op_stochastic_cast_to_int_with(sl_scope_t *scope, TF_Output input, TF_Output key,
    TF_Output counter, TF_Output alg, TF_DataType Tout, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StochasticCastToInt", options->name);
  sl_node_input(node, input);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  sl_node_attr_type(node, "Tout", Tout);
  return sl_node_output(node);
}
#define sl_op_stochastic_cast_to_int(scope, input, key, counter, alg, Tout, ...) \
  sl_op_stochastic_cast_to_int_with(SL_AT(scope), (input), (key), (counter), (alg), (Tout), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ThreadUnsafeUnigramCandidateSampler(true_classes: int64) -> sampled_candidates: int64, true_expected_count: float,
//   sampled_expected_count: float
// Draws classes as often as they were true so far.
// num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_thread_unsafe_unigram_candidate_sampler_options_t;
typedef struct {
  TF_Output sampled_candidates;
  TF_Output true_expected_count;
  TF_Output sampled_expected_count;
} sl_op_thread_unsafe_unigram_candidate_sampler_t;
static inline sl_op_thread_unsafe_unigram_candidate_sampler_t sl_op_thread_unsafe_unigram_candidate_sampler_with(
    sl_scope_t *scope, TF_Output true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const sl_op_thread_unsafe_unigram_candidate_sampler_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ThreadUnsafeUnigramCandidateSampler", options->name);
  sl_node_input(node, true_classes);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "num_sampled", num_sampled);
  sl_node_attr_bool(node, "unique", unique);
  sl_node_attr_int(node, "range_max", range_max);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_thread_unsafe_unigram_candidate_sampler_t result;
  result.sampled_candidates = sl_op_output(operation, 0);
  result.true_expected_count = sl_op_output(operation, 1);
  result.sampled_expected_count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_thread_unsafe_unigram_candidate_sampler(scope, true_classes, num_true, num_sampled, unique, \
    range_max, ...) \
  sl_op_thread_unsafe_unigram_candidate_sampler_with(SL_AT(scope), (true_classes), (num_true), (num_sampled), ( \
    unique), (range_max), SL_OPTIONS(sl_op_thread_unsafe_unigram_candidate_sampler_options_t, __VA_ARGS__))

// TruncatedNormal(shape: T) -> output: dtype
// seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_truncated_normal_options_t;
static inline TF_Output sl_op_truncated_normal_with(sl_scope_t *scope, TF_Output shape, TF_DataType dtype,
    const sl_op_truncated_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TruncatedNormal", options->name);
  sl_node_input(node, shape);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_truncated_normal(scope, shape, dtype, ...) \
  sl_op_truncated_normal_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_truncated_normal_options_t, \
    __VA_ARGS__))

// UniformCandidateSampler(true_classes: int64) -> sampled_candidates: int64, true_expected_count: float,
//   sampled_expected_count: float
// Draws classes with equal probability.
// num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_uniform_candidate_sampler_options_t;
typedef struct {
  TF_Output sampled_candidates;
  TF_Output true_expected_count;
  TF_Output sampled_expected_count;
} sl_op_uniform_candidate_sampler_t;
static inline sl_op_uniform_candidate_sampler_t sl_op_uniform_candidate_sampler_with(sl_scope_t *scope,
    TF_Output true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const sl_op_uniform_candidate_sampler_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UniformCandidateSampler", options->name);
  sl_node_input(node, true_classes);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "num_sampled", num_sampled);
  sl_node_attr_bool(node, "unique", unique);
  sl_node_attr_int(node, "range_max", range_max);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_uniform_candidate_sampler_t result;
  result.sampled_candidates = sl_op_output(operation, 0);
  result.true_expected_count = sl_op_output(operation, 1);
  result.sampled_expected_count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_uniform_candidate_sampler(scope, true_classes, num_true, num_sampled, unique, range_max, ...) \
  sl_op_uniform_candidate_sampler_with(SL_AT(scope), (true_classes), (num_true), (num_sampled), (unique), ( \
    range_max), SL_OPTIONS(sl_op_uniform_candidate_sampler_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_RANDOM_H_
