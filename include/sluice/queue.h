// Queues in the graph, as tf.FIFOQueue and the others. An element has one tensor
// for each component. A queue is represented by its handle, the output of its node.
// Nodes that use the queue are named after it, as in tf.QueueBase.
#ifndef SLUICE_QUEUE_H_
#define SLUICE_QUEUE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/math.h"

SL_BEGIN_DECLS

typedef struct {
  size_t struct_size;
  const char *name;           // NULL: "fifo_queue", "padding_fifo_queue", "random_shuffle_queue"
  const char *shared_name;    // queues with the same name are shared between sessions. NULL: the node's name
  const sl_shape_t *shapes;   // one for each component. NULL: unknown; dequeue_many then does not work
  int64_t min_after_dequeue;  // of a shuffling queue: elements that stay in the queue to be mixed
  int64_t seed;               // of a shuffling queue. 0: none
} sl_queue_options_t;

// First in, first out. Shapes, if given, must be fully known. |capacity| < 0: no limit.
SL_EXPORT TF_Output sl_fifo_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes, size_t count,
                                       const sl_queue_options_t *options);
#define sl_fifo_queue(scope, capacity, dtypes, count, ...) \
  sl_fifo_queue_with(SL_AT(scope), (capacity), (dtypes), (count), SL_OPTIONS(sl_queue_options_t, __VA_ARGS__))
// The same for shapes with unknown dimensions: dequeue_many pads all elements to the largest. |shapes| is required.
SL_EXPORT TF_Output sl_padding_fifo_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes,
                                               size_t count, const sl_queue_options_t *options);
#define sl_padding_fifo_queue(scope, capacity, dtypes, count, ...) \
  sl_padding_fifo_queue_with(SL_AT(scope), (capacity), (dtypes), (count), SL_OPTIONS(sl_queue_options_t, __VA_ARGS__))
// Dequeues a random element.
SL_EXPORT TF_Output sl_random_shuffle_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes,
                                                 size_t count, const sl_queue_options_t *options);
#define sl_random_shuffle_queue(scope, capacity, dtypes, count, ...) \
  sl_random_shuffle_queue_with(SL_AT(scope), (capacity), (dtypes), (count), SL_OPTIONS(sl_queue_options_t, __VA_ARGS__))

// Enqueues one element, or one element for each row of the components, whose number, types and shapes must be those of
// the queue. The operation waits while the queue is full.
SL_EXPORT TF_Operation *sl_queue_enqueue_with(sl_scope_t *scope, TF_Output queue, sl_outputs_t components,
                                              const sl_op_options_t *options);
#define sl_queue_enqueue(scope, queue, components, ...) \
  sl_queue_enqueue_with(SL_AT(scope), (queue), (components), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Operation *sl_queue_enqueue_many_with(sl_scope_t *scope, TF_Output queue, sl_outputs_t components,
                                                   const sl_op_options_t *options);
#define sl_queue_enqueue_many(scope, queue, components, ...) \
  sl_queue_enqueue_many_with(SL_AT(scope), (queue), (components), SL_OP_OPTIONS(__VA_ARGS__))

// Dequeues one element, or |n| elements stacked; returns one output for each component. The operation waits for
// elements, and fails with OUT_OF_RANGE if the queue is closed and holds too few. _up_to then returns the rest.
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

// Closes the queue: nothing more can be enqueued, but the elements in it can be dequeued.
SL_EXPORT TF_Operation *sl_queue_close_with(sl_scope_t *scope, TF_Output queue, bool cancel_pending_enqueues);
#define sl_queue_close(scope, queue, cancel_pending_enqueues) \
  sl_queue_close_with(SL_AT(scope), (queue), (cancel_pending_enqueues))
// The number of elements, int32.
SL_EXPORT TF_Output sl_queue_size_with(sl_scope_t *scope, TF_Output queue);
#define sl_queue_size(scope, queue) sl_queue_size_with(SL_AT(scope), (queue))

SL_END_DECLS

#endif  // SLUICE_QUEUE_H_
