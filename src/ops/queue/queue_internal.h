// Functions that check, split and batch the tuples of a queue. Thread-safe: they use only their arguments.
#ifndef SLI_OPS_QUEUE_QUEUE_INTERNAL_H_
#define SLI_OPS_QUEUE_QUEUE_INTERNAL_H_

#include "ops/queue/queue.h"

// Checks types and shapes of the components, as one tuple or, with |many|, as one tuple per row. INVALID_ARGUMENT with
// TensorFlow's messages.
sli_status_t *sli_queue_check_components(const sli_queue_spec_t *spec, sli_tensor_t *const *components, bool many);
// Creates a copy of row |index| (along dimension 0) of |tensor|.
sli_status_t *sli_queue_copy_row(const sli_tensor_t *tensor, int64_t index, sli_tensor_t **out_row);
// Stacks the |count| tensors |rows| of component |component| into one tensor; a padding queue pads them to one shape.
sli_status_t *sli_queue_batch_rows(const sli_queue_spec_t *spec, int component, sli_tensor_t *const *rows,
                                   int64_t count, sli_tensor_t **out_batch);

#endif  // SLI_OPS_QUEUE_QUEUE_INTERNAL_H_
