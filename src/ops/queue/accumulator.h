// Conditional accumulators: sums of gradients, dense or sparse (slices), that can be taken once enough gradients have
// been added. A gradient of an older step than the accumulator's is stale: it is dropped and counted. Thread-safe.
#ifndef SLI_OPS_QUEUE_ACCUMULATOR_H_
#define SLI_OPS_QUEUE_ACCUMULATOR_H_

#include "base/thread_pool.h"
#include "core/step/cancellation.h"
#include "core/tensor/tensor.h"

typedef struct {
  bool is_sparse, is_mean;
  sli_dtype_t dtype;
  sli_shape_t shape;  // of a gradient; may be partially unknown
} sli_accumulator_spec_t;

typedef struct sli_accumulator sli_accumulator_t;
extern const sli_object_type_t sli_accumulator_type;

// Copies |spec| and |name|. The caller owns the reference.
sli_accumulator_t *sli_accumulator_create(const sli_accumulator_spec_t *spec, sli_view_t name);
const sli_accumulator_spec_t *sli_accumulator_spec(const sli_accumulator_t *accumulator);

// A gradient. Dense: |values| only. Sparse: |indices| int64 [n] in ascending order and |values| [n, …]; |shape| may be
// NULL (unknown).
typedef struct {
  sli_tensor_t *values, *indices, *shape;
} sli_accumulator_gradient_t;

// Adds a gradient that was computed at |local_step|, or drops it if it is stale. May retain the tensors. Large sums are
// split over |pool|, which may be NULL. INVALID_ARGUMENT "Shape mismatch: …".
sli_status_t *sli_accumulator_apply(sli_accumulator_t *accumulator, sli_thread_pool_t *pool, int64_t local_step,
                                    const sli_accumulator_gradient_t *gradient);

// Called exactly once when a take ends, on any thread, possibly before sli_accumulator_take returns. Owns |status| or,
// on success, the references in |sum| (|indices| and |shape| are NULL if dense).
typedef void (*sli_accumulator_done_t)(void *user, sli_status_t *status, const sli_accumulator_gradient_t *sum);
// Takes the sum or mean once |required| gradients have been added, and increments the accumulator's step. Never blocks:
// a take that must wait is served later.
void sli_accumulator_take(sli_accumulator_t *accumulator, sli_cancellation_t *cancellation, int64_t required,
                          sli_accumulator_done_t done, void *user);

// The number of gradients since the last take.
int64_t sli_accumulator_count(sli_accumulator_t *accumulator);
// Sets the step below which gradients are stale. Logs a warning if the new step is smaller than the current one.
void sli_accumulator_set_global_step(sli_accumulator_t *accumulator, int64_t step);

// For tools that monitor and control a job.
typedef struct {
  int64_t count;  // gradients since the last take
  int64_t global_step;
  int64_t accepted, stale;  // gradients added, and dropped, since creation
  int64_t required;         // gradients that the waiting take needs; 0: no take waits
  int64_t quorum;
} sli_accumulator_info_t;
sli_accumulator_info_t sli_accumulator_info(sli_accumulator_t *accumulator);
// From now on all takes, including waiting ones, need |quorum| gradients instead of the number they requested; 0 ends
// this.
void sli_accumulator_set_quorum(sli_accumulator_t *accumulator, int64_t quorum);

#endif  // SLI_OPS_QUEUE_ACCUMULATOR_H_
