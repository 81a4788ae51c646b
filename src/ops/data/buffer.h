// A buffer between an iterator and its consumer that is filled in the background (prefetch, parallel interleave). The
// background work runs on a thread that may block; it ends when the buffer is full, so that an idle buffer has no
// thread. If it is not running when the consumer needs an element, the consumer fetches the element itself: nobody
// waits for a thread. Reference-counted; one consumer at a time.
#ifndef SLI_OPS_DATA_BUFFER_H_
#define SLI_OPS_DATA_BUFFER_H_

#include "ops/data/dataset.h"

typedef struct sli_iterator_buffer sli_iterator_buffer_t;

// Consumes the reference of |source|. |limit|: elements at most; SLI_DATASET_AUTOTUNE: grows when the consumer finds it
// empty. |on_change|(context), if not NULL, is called without locks when an element was added.
sli_iterator_buffer_t *sli_iterator_buffer_create(sli_iterator_t *source, int64_t limit);
void sli_iterator_buffer_release(sli_iterator_buffer_t *buffer);
sli_status_t *sli_iterator_buffer_next(sli_iterator_buffer_t *buffer, const sli_iterator_call_t *call,
                                       sli_tensor_t **out_element, bool *out_end);
// Whether the next call returns at once.
bool sli_iterator_buffer_is_ready(sli_iterator_buffer_t *buffer);
// Begins to fill the buffer.
void sli_iterator_buffer_start(sli_iterator_buffer_t *buffer);
// The elements in the buffer and the state of the source. Waits until the background work pauses.
sli_status_t *sli_iterator_buffer_save(sli_iterator_buffer_t *buffer, sli_iterator_writer_t *writer);
// For a buffer that has just been created.
sli_status_t *sli_iterator_buffer_restore(sli_iterator_buffer_t *buffer, sli_iterator_reader_t *reader);

#endif  // SLI_OPS_DATA_BUFFER_H_
