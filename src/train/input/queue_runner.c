// Queue runners: threads that keep a queue filled, and one that cancels pending
// enqueues when the coordinator stops.
#include "sluice/queue_runner.h"

#include <stdlib.h>

#include "base/sync.h"
#include "sluice/node.h"
#include "train/common/call_options.h"
#include "train/common/tf_session.h"
#include "train/common/tf_tensor.h"
#include "train/input/queue_runner.h"

// --- Nodes ---

static void destroy_runner(void *object) {
  sl_queue_runner_t *runner = object;
  sli_array_deinitialize(&runner->enqueue_ops);
  free(runner->name);
  free(runner);
}

sl_queue_runner_t *sl_queue_runner_with(sl_scope_t *scope, TF_Output queue, TF_Operation *const *enqueue_ops,
                                        size_t count, const sl_queue_runner_options_t *given) {
  SLI_CALL_OPTIONS(sl_queue_runner_options_t, options, given);
  sl_queue_runner_t *runner = sli_calloc(1, sizeof(*runner));
  sli_scope_own(scope, runner, destroy_runner);
  if (!queue.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_queue_runner: queue must not be empty");
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_queue_runner: count must be at least 1, got 0");
  for (size_t i = 0; i < count; i++) {
    if (!enqueue_ops[i])
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_queue_runner: enqueue_ops[%zu] must not be NULL", i);
    if (enqueue_ops[i]) sli_array_push(&runner->enqueue_ops, enqueue_ops[i]);
  }
  if (!sli_scope_ok(scope)) return runner;
  runner->name = sli_strdup(TF_OperationName(queue.oper));
  runner->close_op = options.close_op ? options.close_op : sl_queue_close_with(scope, queue, false);
  runner->cancel_op = options.cancel_op ? options.cancel_op : sl_queue_close_with(scope, queue, true);
  return runner;
}

void sl_add_queue_runner(sl_scope_t *scope, sl_queue_runner_t *runner) {
  sli_array_push(&scope->queue_runners, runner);
}

// --- Threads ---

// Shared by the threads of one start; each holds a reference.
typedef struct {
  const sl_queue_runner_t *runner;
  TF_Session *session;
  atomic_int filling;  // threads that still enqueue
  sli_refcount_t references;
} runner_run_t;

typedef struct {
  runner_run_t *fill;
  TF_Operation *enqueue;  // NULL: the thread that cancels
} runner_thread_t;

static bool is_end(TF_Code code) { return code == TF_OUT_OF_RANGE || code == TF_CANCELLED; }

static void end_thread(runner_thread_t *thread) {
  if (sli_refcount_release(&thread->fill->references)) free(thread->fill);
  free(thread);
}

static void fill_queue(void *context, sl_coordinator_t *coordinator) {
  runner_thread_t *thread = context;
  runner_run_t *fill = thread->fill;
  TF_Status *status = TF_NewStatus();
  while (!sl_coordinator_should_stop(coordinator) && TF_GetCode(status) == TF_OK)
    sli_tf_session_run_operation(fill->session, thread->enqueue, status);
  if (TF_GetCode(status) != TF_OK && !is_end(TF_GetCode(status)))
    sl_coordinator_request_stop(coordinator, TF_GetCode(status), TF_Message(status));
  // Closing the queue lets consumers dequeue the rest and then see the end.
  if (atomic_fetch_sub(&fill->filling, 1) == 1 && !sl_coordinator_should_stop(coordinator)) {
    sli_tf_session_run_operation(fill->session, fill->runner->close_op, status);
    if (TF_GetCode(status) != TF_OK && !is_end(TF_GetCode(status)))
      sl_coordinator_request_stop(coordinator, TF_GetCode(status), TF_Message(status));
  }
  TF_DeleteStatus(status);
  end_thread(thread);
}

static void cancel_when_stopped(void *context, sl_coordinator_t *coordinator) {
  runner_thread_t *thread = context;
  sl_coordinator_wait_for_stop(coordinator, -1);
  TF_Status *status = TF_NewStatus();
  sli_tf_session_run_operation(thread->fill->session, thread->fill->runner->cancel_op,
                               status);  // an error at the end is ignored
  TF_DeleteStatus(status);
  end_thread(thread);
}

static void start_thread(runner_run_t *fill, TF_Operation *enqueue, sl_coordinator_t *coordinator) {
  runner_thread_t *thread = sli_malloc(sizeof(*thread));
  *thread = (runner_thread_t){fill, enqueue};
  const char *name = enqueue ? TF_OperationName(enqueue) : fill->runner->name;
  bool started = sl_coordinator_start_thread(coordinator, name, enqueue ? fill_queue : cancel_when_stopped, thread);
  if (!started) end_thread(thread);
}

void sl_queue_runner_start(sl_queue_runner_t *runner, TF_Session *session, sl_coordinator_t *coordinator) {
  if (!runner->cancel_op) {
    sl_coordinator_request_stop(coordinator, TF_FAILED_PRECONDITION,
                                "the queue runner was not built: its scope has an error");
    return;
  }
  runner_run_t *fill = sli_calloc(1, sizeof(*fill));
  size_t count = runner->enqueue_ops.count;
  *fill = (runner_run_t){.runner = runner, .session = session};
  atomic_init(&fill->filling, (int)count);
  atomic_init(&fill->references, (int)count + 1);
  for (size_t i = 0; i < count; i++) start_thread(fill, runner->enqueue_ops.items[i], coordinator);
  start_thread(fill, NULL, coordinator);
}

void sl_start_queue_runners(sl_scope_t *scope, TF_Session *session, sl_coordinator_t *coordinator) {
  for (size_t i = 0; i < scope->queue_runners.count; i++)
    sl_queue_runner_start(scope->queue_runners.items[i], session, coordinator);
}
