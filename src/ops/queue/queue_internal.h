// Tuples of tensors as queues take them apart and put them together. Thread-safe:
// they work on their arguments alone.
#ifndef SLI_OPS_QUEUE_QUEUE_INTERNAL_H_
#define SLI_OPS_QUEUE_QUEUE_INTERNAL_H_

#include "ops/queue/queue.h"

// Whether the components fit the queue, as one tuple or as rows of many. INVALID_ARGUMENT with TensorFlow's texts.
sli_status_t *sli_queue_check(const sli_queue_spec_t *spec, sli_tensor_t *const *components, bool many);
// A copy of row |index| of a tensor with rows.
sli_status_t *sli_queue_row(const sli_tensor_t *tensor, int64_t index, sli_tensor_t **out_row);
// One tensor with |rows| of component |component| as its rows, padded where the queue pads.
sli_status_t *sli_queue_batch(const sli_queue_spec_t *spec, int component, sli_tensor_t *const *rows, int64_t count,
                              sli_tensor_t **out_batch);

#endif  // SLI_OPS_QUEUE_QUEUE_INTERNAL_H_
