// Queues of the graph, as tf.FIFOQueue and its kin: an element is one tensor for
// each component. A queue is the handle that its node puts out; nodes that work
// on it are named after it, as tf.QueueBase names them.
#ifndef SLUICE_QUEUE_H_
#define SLUICE_QUEUE_H_

#include "sluice/math.h"

SL_BEGIN_DECLS

typedef struct {
  size_t struct_size;
  const char *name;           // NULL: "fifo_queue", "padding_fifo_queue", "random_shuffle_queue"
  const char *shared_name;    // sessions that name the same one share it. NULL: its own
  const sl_shape_t *shapes;   // of the components, one each. NULL: any; dequeue_many then has no element to size by
  int64_t min_after_dequeue;  // of the shuffling one: elements that stay to be mixed with
  int64_t seed;               // likewise. 0: none
} sl_queue_options_t;

// First in, first out; all shapes fully known, if given. |capacity| < 0: no limit.
SL_EXPORT TF_Output sl_fifo_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes, size_t count,
                                       const sl_queue_options_t *options);
#define sl_fifo_queue(scope, capacity, dtypes, count, ...) \
  sl_fifo_queue_with(SL_AT(scope), (capacity), (dtypes), (count), SL_OPTIONS(sl_queue_options_t, __VA_ARGS__))
// The same, for shapes with unknown sizes: dequeue_many pads all elements to the largest. |shapes| must be given.
SL_EXPORT TF_Output sl_padding_fifo_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes,
                                               size_t count, const sl_queue_options_t *options);
#define sl_padding_fifo_queue(scope, capacity, dtypes, count, ...) \
  sl_padding_fifo_queue_with(SL_AT(scope), (capacity), (dtypes), (count), SL_OPTIONS(sl_queue_options_t, __VA_ARGS__))
// Any element comes out, at random.
SL_EXPORT TF_Output sl_random_shuffle_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes,
                                                 size_t count, const sl_queue_options_t *options);
#define sl_random_shuffle_queue(scope, capacity, dtypes, count, ...) \
  sl_random_shuffle_queue_with(SL_AT(scope), (capacity), (dtypes), (count), SL_OPTIONS(sl_queue_options_t, __VA_ARGS__))

// Puts in one element, or as many as the components have rows. A step that runs it waits while the queue is full.
SL_EXPORT TF_Operation *sl_queue_enqueue_with(sl_scope_t *scope, TF_Output queue, sl_outputs_t components,
                                              const sl_op_options_t *options);
#define sl_queue_enqueue(scope, queue, components, ...) \
  sl_queue_enqueue_with(SL_AT(scope), (queue), (components), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Operation *sl_queue_enqueue_many_with(sl_scope_t *scope, TF_Output queue, sl_outputs_t components,
                                                   const sl_op_options_t *options);
#define sl_queue_enqueue_many(scope, queue, components, ...) \
  sl_queue_enqueue_many_with(SL_AT(scope), (queue), (components), SL_OP_OPTIONS(__VA_ARGS__))

// Takes out one element, or |n| of them stacked; the result is one output for each component. A step that runs it
// waits for elements; OUT_OF_RANGE once the queue is closed and has too few. _up_to then gives what is left.
SL_EXPORT sl_outputs_t sl_queue_dequeue_with(sl_scope_t *scope, TF_Output queue, const sl_op_options_t *options);
#define sl_queue_dequeue(scope, queue, ...) sl_queue_dequeue_with(SL_AT(scope), (queue), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT sl_outputs_t sl_queue_dequeue_many_with(sl_scope_t *scope, TF_Output queue, int32_t n,
                                                  const sl_op_options_t *options);
#define sl_queue_dequeue_many(scope, queue, n, ...) \
  sl_queue_dequeue_many_with(SL_AT(scope), (queue), (n), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT sl_outputs_t sl_queue_dequeue_up_to_with(sl_scope_t *scope, TF_Output queue, int32_t n,
                                                   const sl_op_options_t *options);
#define sl_queue_dequeue_up_to(scope, queue, n, ...) \
  sl_queue_dequeue_up_to_with(SL_AT(scope), (queue), (n), SL_OP_OPTIONS(__VA_ARGS__))

// Nothing more goes in; what is inside can still be taken out.
SL_EXPORT TF_Operation *sl_queue_close(sl_scope_t *scope, TF_Output queue, bool cancel_pending_enqueues);
// The number of elements, int32.
SL_EXPORT TF_Output sl_queue_size(sl_scope_t *scope, TF_Output queue);

SL_END_DECLS

#endif  // SLUICE_QUEUE_H_
