// What the random ops share: the stream behind a stateful kernel, the generator
// that a stateless seed means, output shapes.
#ifndef SLI_OPS_RANDOM_RANDOM_INTERNAL_H_
#define SLI_OPS_RANDOM_RANDOM_INTERNAL_H_

#include "core/kernel.h"
#include "core/shape_inference.h"
#include "math/philox.h"

// |create| and |destroy| of a kernel whose state is a stream by the attributes seed and seed2.
sli_status_t *sli_random_create(const sli_kernel_setup_t *setup, void **out_state);
void sli_random_destroy(void *state);
// The stream's position; it moves on by |groups| of four words.
sli_philox_t sli_random_reserve(sli_kernel_context_t *context, uint64_t groups);

// The generator that a stateless seed of two integers means. INVALID_ARGUMENT unless it has shape [2].
sli_status_t *sli_random_scramble(const sli_tensor_t *seed, sli_philox_t *out_generator);

// Reads input 0 as the dims of a shape, at most SLI_MAX_RANK of them.
sli_status_t *sli_random_read_dims(sli_kernel_context_t *context, int64_t *out_dims, int *out_rank);

// Output 0 has the shape that input 0 says.
sli_status_t *sli_random_shape(sli_shape_context_t *c);

#endif  // SLI_OPS_RANDOM_RANDOM_INTERNAL_H_
