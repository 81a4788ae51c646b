// What the candidate samplers share.
#ifndef SLI_OPS_RANDOM_CANDIDATE_INTERNAL_H_
#define SLI_OPS_RANDOM_CANDIDATE_INTERNAL_H_

#include "ops/random/random_internal.h"

// A distribution over [0, range).
typedef struct {
  int64_t (*draw)(const void *self, sli_philox_words_t *words, int64_t range);
  float (*probability)(const void *self, int64_t value, int64_t range);
  const void *self;
} sli_random_op_distribution_t;

// The kernel of a sampler: checks the true classes, draws candidates and computes the expected counts.
sli_status_t *sli_random_op_sample(sli_kernel_context_t *context, const sli_random_op_distribution_t *distribution,
                                   sli_philox_stream_t *stream);
sli_status_t *sli_random_op_sample_shape(sli_infer_context_t *c);

#endif  // SLI_OPS_RANDOM_CANDIDATE_INTERNAL_H_
