// Queues of tuples of tensors: first-in first-out, shuffled, padding or by priority. No call blocks: a call that must
// wait is kept in a list, without a thread, and served in order. Thread-safe.
#ifndef SLI_OPS_QUEUE_QUEUE_H_
#define SLI_OPS_QUEUE_QUEUE_H_

#include "core/op/node_def.h"
#include "core/step/cancellation.h"
#include "core/tensor/tensor.h"

typedef enum { SLI_QUEUE_FIFO, SLI_QUEUE_SHUFFLE, SLI_QUEUE_PADDING, SLI_QUEUE_PRIORITY } sli_queue_kind_t;

typedef struct {
  sli_queue_kind_t kind;
  int64_t capacity;  // INT32_MAX: unbounded
  int component_count;
  const sli_dtype_t *types;   // |component_count| elements
  const sli_shape_t *shapes;  // |component_count| elements; NULL: any shapes
  // Shuffling queues only:
  int64_t min_after_dequeue;
  uint64_t seed, seed2;  // both 0: seeded at random
} sli_queue_spec_t;

typedef struct sli_queue sli_queue_t;
extern const sli_object_type_t sli_queue_type;

// Copies |spec| and |name|; error messages show the name. The caller owns the reference.
sli_queue_t *sli_queue_create(const sli_queue_spec_t *spec, sli_view_t name);
// What the queue was created with; borrowed.
const sli_queue_spec_t *sli_queue_spec(const sli_queue_t *queue);
const char *sli_queue_name(const sli_queue_t *queue);
// "FIFOQueue", "RandomShuffleQueue" …
const char *sli_queue_kind_name(sli_queue_kind_t kind);

// Called exactly once when a call ends, on any thread, possibly before the call returns. Owns |status|. After a
// successful dequeue |components| holds one tensor per component, and the callback owns these references; otherwise
// |components| is NULL.
typedef void (*sli_queue_done_t)(void *user, sli_status_t *status, sli_tensor_t **components);

// The functions below never block. |cancellation| may be NULL.

// Adds one tuple or, with |many|, one tuple for each row of the components. Waits until the queue has room. CANCELLED
// if the queue is closed or the step is cancelled, INVALID_ARGUMENT if types or shapes do not match.
void sli_queue_enqueue(sli_queue_t *queue, sli_cancellation_t *cancellation, sli_tensor_t *const *components, bool many,
                       sli_queue_done_t done, void *user);
// Takes one tuple (|count| < 0), or |count| tuples, stacked into one tensor per component. Waits until the queue has
// enough tuples. A closed queue with too few of them returns the rest if |allow_fewer| and it is not empty, otherwise
// OUT_OF_RANGE.
void sli_queue_dequeue(sli_queue_t *queue, sli_cancellation_t *cancellation, int64_t count, bool allow_fewer,
                       sli_queue_done_t done, void *user);
// Closes the queue after the enqueues that wait have finished or, with |cancel_pending|, at once and cancels them.
void sli_queue_close(sli_queue_t *queue, bool cancel_pending, sli_queue_done_t done, void *user);
int64_t sli_queue_size(sli_queue_t *queue);
bool sli_queue_is_closed(sli_queue_t *queue);

#endif  // SLI_OPS_QUEUE_QUEUE_H_
