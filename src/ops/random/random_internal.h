// What the random ops share: the stream of a stateful kernel, the generator of a stateless seed, output shapes.
#ifndef SLI_OPS_RANDOM_RANDOM_INTERNAL_H_
#define SLI_OPS_RANDOM_RANDOM_INTERNAL_H_

#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/philox.h"

// .create and .destroy of a kernel whose state is a stream, from the attributes seed and seed2.
sli_status_t *sli_random_op_create(const sli_kernel_setup_t *setup, void **out_state);
void sli_random_op_destroy(void *state);
// Returns the stream's position and skips |groups| groups of four words. Thread-safe.
sli_philox_t sli_random_op_reserve(sli_kernel_context_t *context, uint64_t groups);

// The generator for a stateless |seed| of two integers. INVALID_ARGUMENT unless it has shape [2].
sli_status_t *sli_random_op_scramble(const sli_tensor_t *seed, sli_philox_t *out_generator);

// Algorithms, as ops name them. AUTO is what the device prefers, which is Philox. TensorFlow has no ThreeFry on CPUs.
enum { SLI_RANDOM_OP_PHILOX = 1, SLI_RANDOM_OP_THREEFRY = 2, SLI_RANDOM_OP_AUTO = 3 };
// The generator that inputs |index| to |index| + 2 describe: key, counter, algorithm.
sli_status_t *sli_random_op_read_generator(sli_kernel_context_t *context, int index, sli_philox_t *out_generator);
// The generator in the variable of input 0, which moves on by |outputs| values. |tagged|: the algorithm is in the
// variable too. INVALID_ARGUMENT unless the variable is such a state. Thread-safe.
sli_status_t *sli_random_op_advance(sli_kernel_context_t *context, bool tagged, int64_t algorithm, uint64_t outputs,
                                    sli_philox_t *out_generator);

// Reads input |index| as the dims of a shape, at most SLI_MAX_RANK of them.
sli_status_t *sli_random_op_read_dims(sli_kernel_context_t *context, int index, int64_t *out_dims, int *out_rank);
// Sets output 0 to input 0, shuffled along its first dimension.
sli_status_t *sli_random_op_shuffle(sli_kernel_context_t *context, sli_philox_t generator);

// The shape function of ops whose input 0 is the shape of output 0.
sli_status_t *sli_random_op_shape(sli_infer_context_t *c);

#endif  // SLI_OPS_RANDOM_RANDOM_INTERNAL_H_
