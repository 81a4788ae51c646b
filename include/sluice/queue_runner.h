// Threads that fill a queue, as tf.train.QueueRunner. Each runs one enqueue
// operation in a loop, until the input ends or the coordinator stops it. The last
// thread to end closes the queue.
#ifndef SLUICE_QUEUE_RUNNER_H_
#define SLUICE_QUEUE_RUNNER_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/coordinator.h"
#include "sluice/queue.h"

SL_BEGIN_DECLS

typedef struct sl_queue_runner sl_queue_runner_t;

typedef struct {
  size_t struct_size;
  // NULL: "QUEUE_Close" and, with pending enqueues cancelled, "QUEUE_Close_1" are built.
  TF_Operation *close_op, *cancel_op;
} sl_queue_runner_options_t;

// A runner with one thread for each of |enqueue_ops| (an operation may be listed several times). Builds nodes. Owned by
// the scope. |queue| is the output of a queue op such as FIFOQueueV2.
SL_EXPORT sl_queue_runner_t *sl_queue_runner_with(sl_scope_t *scope, TF_Output queue, TF_Operation *const *enqueue_ops,
                                                  size_t count, const sl_queue_runner_options_t *options);
#define sl_queue_runner(scope, queue, enqueue_ops, count, ...)        \
  sl_queue_runner_with(SL_AT(scope), (queue), (enqueue_ops), (count), \
                       SL_OPTIONS(sl_queue_runner_options_t, __VA_ARGS__))

// Makes training sessions on the graph start |runner|. As tf.train.add_queue_runner.
SL_EXPORT void sl_add_queue_runner(sl_scope_t *scope, sl_queue_runner_t *runner);

// Starts the threads of |runner|; |session| must stay open until they have ended (sl_coordinator_join). An error other
// than the end of the input stops the coordinator. When the coordinator stops, pending enqueues are cancelled.
SL_EXPORT void sl_queue_runner_start(sl_queue_runner_t *runner, TF_Session *session, sl_coordinator_t *coordinator);
// Starts all runners that were added to |scope|. As tf.train.start_queue_runners.
SL_EXPORT void sl_start_queue_runners(sl_scope_t *scope, TF_Session *session, sl_coordinator_t *coordinator);

SL_END_DECLS

#endif  // SLUICE_QUEUE_RUNNER_H_
