// Queues of tuples of tensors: first in first out, shuffled, padded or by
// priority. Calls that must wait park without a thread and are served in order.
// Thread-safe.
#ifndef SLI_OPS_QUEUE_QUEUE_H_
#define SLI_OPS_QUEUE_QUEUE_H_

#include "core/cancellation.h"
#include "core/node_def.h"
#include "core/tensor.h"

typedef enum { SLI_QUEUE_FIFO, SLI_QUEUE_SHUFFLE, SLI_QUEUE_PADDING, SLI_QUEUE_PRIORITY } sli_queue_kind_t;

typedef struct {
  sli_queue_kind_t kind;
  int64_t capacity;  // INT32_MAX: unbounded
  int component_count;
  const sli_dtype_t *types;   // |component_count| of them
  const sli_shape_t *shapes;  // the same, or NULL: any
  // Of a shuffling queue.
  int64_t min_after_dequeue;
  uint64_t seed, seed2;  // both 0: unpredictable
} sli_queue_spec_t;

typedef struct sli_queue sli_queue_t;
extern const sli_object_type_t sli_queue_type;

// Copies |spec| and |name|, which messages show.
sli_queue_t *sli_queue_create(const sli_queue_spec_t *spec, sli_view_t name);
// What the queue was made with.
const sli_queue_spec_t *sli_queue_spec(const sli_queue_t *queue);
const char *sli_queue_name(const sli_queue_t *queue);
// "FIFOQueue", "RandomShuffleQueue" …
const char *sli_queue_kind_name(sli_queue_kind_t kind);

// The end of a call, exactly once, on any thread, maybe before the call returned: consumes |status|. After a
// dequeue without an error |components| has one tensor for each, whose references pass to the callee; else NULL.
typedef void (*sli_queue_done_t)(void *user, sli_status_t *status, sli_tensor_t **components);

// All of the below never block. |cancellation| may be NULL.

// Adds one tuple or, with |many|, one for each row of the components. Waits for room.
// CANCELLED once closed, or with the step; INVALID_ARGUMENT for wrong shapes.
void sli_queue_enqueue(sli_queue_t *queue, sli_cancellation_t *cancellation, sli_tensor_t *const *components, bool many,
                       sli_queue_done_t done, void *user);
// Takes one tuple (|count| < 0), or |count| of them as rows. Waits until there are enough; of a closed queue
// |allow_fewer| takes what is left. OUT_OF_RANGE when a closed queue has too few.
void sli_queue_dequeue(sli_queue_t *queue, sli_cancellation_t *cancellation, int64_t count, bool allow_fewer,
                       sli_queue_done_t done, void *user);
// Closes after the enqueues that wait, or at once and cancels them.
void sli_queue_close(sli_queue_t *queue, bool cancel_pending, sli_queue_done_t done, void *user);
int64_t sli_queue_size(sli_queue_t *queue);
bool sli_queue_is_closed(sli_queue_t *queue);

#endif  // SLI_OPS_QUEUE_QUEUE_H_
