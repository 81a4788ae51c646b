// Queue runners: the threads that keep queues filled, and the one that empties
// the way when all is to stop.
#include "sluice/queue_runner.h"

#include <stdlib.h>

#include "base/sync.h"
#include "sluice/node.h"
#include "train/options_internal.h"
#include "train/queue_runner_internal.h"
#include "train/tensor.h"

// --- Nodes ---

static void destroy(void *object) {
  sl_queue_runner_t *runner = object;
  sli_array_deinitialize(&runner->enqueue_ops);
  free(runner->name);
  free(runner);
}

sl_queue_runner_t *sl_queue_runner_with(sl_scope_t *scope, TF_Output queue, TF_Operation *const *enqueue_ops,
                                        size_t count, const sl_queue_runner_options_t *given) {
  SLI_READ_OPTIONS(sl_queue_runner_options_t, options, given);
  sl_queue_runner_t *runner = sli_calloc(1, sizeof(*runner));
  sli_scope_own(scope, runner, destroy);
  if (!queue.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the queue of a queue runner is empty");
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "a queue runner needs an enqueue operation");
  for (size_t i = 0; i < count; i++) {
    if (!enqueue_ops[i]) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "enqueue operation %zu is NULL", i);
    if (enqueue_ops[i]) sli_array_push(&runner->enqueue_ops, enqueue_ops[i]);
  }
  if (!sli_scope_ok(scope)) return runner;
  runner->name = sli_strdup(TF_OperationName(queue.oper));
  runner->close_op = options.close_op ? options.close_op : sl_queue_close(scope, queue, false);
  runner->cancel_op = options.cancel_op ? options.cancel_op : sl_queue_close(scope, queue, true);
  return runner;
}

void sl_add_queue_runner(sl_scope_t *scope, sl_queue_runner_t *runner) {
  sli_array_push(&scope->queue_runners, runner);
}

// --- Threads ---

// The threads of one start; each holds a reference.
typedef struct {
  const sl_queue_runner_t *runner;
  TF_Session *session;
  atomic_int filling;  // threads that still enqueue
  sli_refcount_t references;
} fill_t;

typedef struct {
  fill_t *fill;
  TF_Operation *enqueue;  // NULL: the thread that cancels
} part_t;

static void run_target(TF_Session *session, const TF_Operation *target, TF_Status *status) {
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &target, 1, NULL, status);
}

static bool is_end(TF_Code code) { return code == TF_OUT_OF_RANGE || code == TF_CANCELLED; }

static void part_end(part_t *part) {
  if (sli_refcount_release(&part->fill->references)) free(part->fill);
  free(part);
}

static void fill_queue(void *context, sl_coordinator_t *coordinator) {
  part_t *part = context;
  fill_t *fill = part->fill;
  TF_Status *status = TF_NewStatus();
  while (!sl_coordinator_should_stop(coordinator) && TF_GetCode(status) == TF_OK)
    run_target(fill->session, part->enqueue, status);
  if (TF_GetCode(status) != TF_OK && !is_end(TF_GetCode(status)))
    sl_coordinator_request_stop(coordinator, TF_GetCode(status), TF_Message(status));
  // Whoever dequeues gets what is left, then the end.
  if (atomic_fetch_sub(&fill->filling, 1) == 1 && !sl_coordinator_should_stop(coordinator)) {
    run_target(fill->session, fill->runner->close_op, status);
    if (TF_GetCode(status) != TF_OK && !is_end(TF_GetCode(status)))
      sl_coordinator_request_stop(coordinator, TF_GetCode(status), TF_Message(status));
  }
  TF_DeleteStatus(status);
  part_end(part);
}

static void cancel_when_stopped(void *context, sl_coordinator_t *coordinator) {
  part_t *part = context;
  sl_coordinator_wait_for_stop(coordinator, -1);
  TF_Status *status = TF_NewStatus();
  run_target(part->fill->session, part->fill->runner->cancel_op, status);  // at the end an error is nobody's
  TF_DeleteStatus(status);
  part_end(part);
}

static void start_part(fill_t *fill, TF_Operation *enqueue, sl_coordinator_t *coordinator) {
  part_t *part = sli_malloc(sizeof(*part));
  *part = (part_t){fill, enqueue};
  const char *name = enqueue ? TF_OperationName(enqueue) : fill->runner->name;
  bool started = sl_coordinator_start_thread(coordinator, name, enqueue ? fill_queue : cancel_when_stopped, part);
  if (!started) part_end(part);
}

void sl_queue_runner_start(sl_queue_runner_t *runner, TF_Session *session, sl_coordinator_t *coordinator) {
  if (!runner->cancel_op) {
    sl_coordinator_request_stop(coordinator, TF_FAILED_PRECONDITION, "the graph of the queue runner has an error");
    return;
  }
  fill_t *fill = sli_calloc(1, sizeof(*fill));
  size_t count = runner->enqueue_ops.count;
  *fill = (fill_t){.runner = runner, .session = session};
  atomic_init(&fill->filling, (int)count);
  atomic_init(&fill->references, (int)count + 1);
  for (size_t i = 0; i < count; i++) start_part(fill, runner->enqueue_ops.items[i], coordinator);
  start_part(fill, NULL, coordinator);
}

void sl_start_queue_runners(sl_scope_t *scope, TF_Session *session, sl_coordinator_t *coordinator) {
  for (size_t i = 0; i < scope->queue_runners.count; i++)
    sl_queue_runner_start(scope->queue_runners.items[i], session, coordinator);
}
