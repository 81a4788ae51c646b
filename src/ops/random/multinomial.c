// Multinomial and StatelessMultinomial: samples of classes whose logarithmic weights are the rows of the input. A
// sample is found by a binary search for a random part of the total in the cumulative weights of the row.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/random/random_internal.h"

static double logit_at(const sli_tensor_t *logits, int64_t i) {
  switch ((sli_dtype_t)logits->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, logits)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, logits)[i];
    case SLI_DTYPE_HALF: return sli_half_to_float(SLI_DATA(uint16_t, logits)[i]);
    default: return sli_bfloat16_to_float(SLI_DATA(uint16_t, logits)[i]);
  }
}

// The cumulative sums of exp(logit - largest). A logit that is not finite has no weight.
static double fill_sums(const sli_tensor_t *logits, int64_t first, int64_t classes, double *sums) {
  double largest = -INFINITY, total = 0;
  for (int64_t j = 0; j < classes; j++) {
    double logit = logit_at(logits, first + j);
    if (isfinite(logit) && logit > largest) largest = logit;
  }
  for (int64_t j = 0; j < classes; j++) {
    double logit = logit_at(logits, first + j);
    if (isfinite(logit)) total += exp(logit - largest);
    sums[j] = total;
  }
  return total;
}

// The first class whose sum exceeds |share|.
static int64_t find_class(const double *sums, int64_t classes, double share) {
  int64_t low = 0, high = classes;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (share < sums[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// All rows draw from one sequence of doubles, like TensorFlow with one thread.
static sli_status_t *sample_classes(sli_kernel_context_t *context, sli_philox_t generator, sli_tensor_t *output) {
  sli_tensor_t *logits = sli_kernel_input(context, 0);
  int64_t classes = logits->dims[1], samples = output->dims[1];
  double *sums = sli_malloc_or_null((size_t)classes * sizeof(*sums));
  if (!sums) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when sampling of %lld classes", (long long)classes);
  sli_philox_words_t words = sli_philox_words(generator);
  for (int64_t row = 0; row < output->dims[0]; row++) {
    double total = fill_sums(logits, row * classes, classes, sums);
    for (int64_t j = 0; j < samples; j++) {
      uint32_t high = sli_philox_word(&words), low = sli_philox_word(&words);
      int64_t chosen = find_class(sums, classes, sli_philox_to_double(high, low) * total);
      if (output->dtype == SLI_DTYPE_INT32)
        SLI_DATA(int32_t, output)[row * samples + j] = (int32_t)chosen;
      else
        SLI_DATA(int64_t, output)[row * samples + j] = chosen;
    }
  }
  free(sums);
  return NULL;
}

static sli_status_t *allocate_samples(sli_kernel_context_t *context, sli_tensor_t **out_output) {
  sli_tensor_t *logits = sli_kernel_input(context, 0), *count = sli_kernel_input(context, 1);
  sli_status_t *status = NULL;
  char *shape = sli_shape_to_text(sli_tensor_shape(logits->rank != 2 ? logits : count));
  if (logits->rank != 2)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "logits should be a matrix, got shape %s", shape);
  else if (count->rank != 0)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "num_samples should be a scalar, got shape %s", shape);
  free(shape);
  if (status) return status;
  int32_t samples = *SLI_DATA(int32_t, count);
  if (samples < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "num_samples should be nonnegative, got %d", samples);
  if (logits->dims[1] <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_classes should be positive, got %lld",
                           (long long)logits->dims[1]);
  return sli_kernel_allocate_output(context, 0, SLI_SHAPE(logits->dims[0], samples), out_output);
}

static sli_status_t *multinomial(sli_kernel_context_t *context) {
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(allocate_samples(context, &output));
  if (!output->count) return NULL;
  int64_t reserved = output->dims[0] * ((output->dims[1] + 3) / 4 * 4) * 2;
  return sample_classes(context, sli_random_op_reserve(context, sli_philox_groups(reserved)), output);
}

static sli_status_t *stateless_multinomial(sli_kernel_context_t *context) {
  sli_tensor_t *output;
  sli_philox_t generator;
  SLI_RETURN_IF_ERROR(sli_random_op_scramble(sli_kernel_input(context, 2), &generator));
  SLI_RETURN_IF_ERROR(allocate_samples(context, &output));
  return output->count ? sample_classes(context, generator, output) : NULL;
}

static sli_status_t *multinomial_shape(sli_infer_context_t *c) {
  sli_shape_t logits, scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &logits));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &scalar));
  const sli_tensor_t *count = sli_infer_input_constant(c, 1);
  int64_t dims[] = {sli_infer_dim(logits, 0), count ? *SLI_DATA(int32_t, count) : -1};
  if (count && dims[1] < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Dimension size, given by scalar input 1 must be non-negative but is %lld",
                           (long long)dims[1]);
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, dims));
  return NULL;
}

static sli_status_t *stateless_shape(sli_infer_context_t *c) {
  sli_shape_t seed;
  int64_t two;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &seed));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(seed, 0), 2, &two));
  return multinomial_shape(c);
}

static const sli_op_def_t ops[] = {
    {.name = "Multinomial",
     .inputs = "logits: T, num_samples: int32",
     .outputs = "output: output_dtype",
     .attrs = "seed: int = 0; seed2: int = 0; T: realnumbertype; output_dtype: {int32, int64} = DT_INT64",
     .shape = multinomial_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "StatelessMultinomial",
     .inputs = "logits: T, num_samples: int32, seed: Tseed",
     .outputs = "output: output_dtype",
     .attrs = "T: realnumbertype; Tseed: {int32, int64} = DT_INT64; output_dtype: {int32, int64} = DT_INT64",
     .shape = stateless_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Multinomial",
     .types = SLI_TYPES_FLOATING,
     .where = {{"output_dtype", SLI_TYPES_INDEX}},
     .host_memory = "num_samples",
     .compute = multinomial,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy,
     .cost = 5},
    {.op = "StatelessMultinomial",
     .types = SLI_TYPES_FLOATING,
     .where = {{"output_dtype", SLI_TYPES_INDEX}},
     .host_memory = "num_samples, seed",
     .compute = stateless_multinomial,
     .cost = 5},
};

SLI_OP_MODULE(multinomial);
