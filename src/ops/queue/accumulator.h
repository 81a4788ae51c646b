// Conditional accumulators: sums of gradients, dense or as slices, that are taken
// once enough have come. A gradient of an older step than the accumulator's is
// stale: it is dropped and counted. Thread-safe.
#ifndef SLI_OPS_QUEUE_ACCUMULATOR_H_
#define SLI_OPS_QUEUE_ACCUMULATOR_H_

#include "base/thread_pool.h"
#include "core/cancellation.h"
#include "core/tensor.h"

typedef struct {
  bool is_sparse, is_mean;
  sli_dtype_t dtype;
  sli_shape_t shape;  // of a gradient, as far as known
} sli_accumulator_spec_t;

typedef struct sli_accumulator sli_accumulator_t;
extern const sli_object_type_t sli_accumulator_type;

// Copies |spec| and |name|.
sli_accumulator_t *sli_accumulator_create(const sli_accumulator_spec_t *spec, sli_view_t name);
const sli_accumulator_spec_t *sli_accumulator_spec(const sli_accumulator_t *accumulator);

// Slices of a gradient: |indices| int64 [n] in ascending order, |values| [n, …]; |shape| may be NULL (not known).
typedef struct {
  sli_tensor_t *values, *indices, *shape;
} sli_accumulator_gradient_t;

// Adds a dense gradient (values alone) or slices, computed at |local_step|; drops a stale one. Keeps references
// as it likes. INVALID_ARGUMENT "Shape mismatch: …". |pool| may be NULL.
sli_status_t *sli_accumulator_apply(sli_accumulator_t *accumulator, sli_thread_pool_t *pool, int64_t local_step,
                                    const sli_accumulator_gradient_t *gradient);

// The end of a take, exactly once, on any thread, maybe before the call returned: consumes |status|, or else the
// references of |sum| (|indices| and |shape| NULL if dense).
typedef void (*sli_accumulator_done_t)(void *user, sli_status_t *status, const sli_accumulator_gradient_t *sum);
// Takes the sum or mean once |required| gradients have come; the accumulator moves on to its next step.
// Never blocks.
void sli_accumulator_take(sli_accumulator_t *accumulator, sli_cancellation_t *cancellation, int64_t required,
                          sli_accumulator_done_t done, void *user);

int64_t sli_accumulator_count(sli_accumulator_t *accumulator);
void sli_accumulator_set_global_step(sli_accumulator_t *accumulator, int64_t step);

// For whoever watches and steers a job.
typedef struct {
  int64_t count, global_step;  // gradients since the last take
  int64_t accepted, stale;     // added, and dropped, in all
  int64_t required;            // by the take that waits; 0: none waits
  int64_t quorum;
} sli_accumulator_info_t;
sli_accumulator_info_t sli_accumulator_info(sli_accumulator_t *accumulator);
// From now on takes, those that wait included, need |quorum| gradients whatever they ask for; 0: as they ask.
void sli_accumulator_set_quorum(sli_accumulator_t *accumulator, int64_t quorum);

#endif  // SLI_OPS_QUEUE_ACCUMULATOR_H_
