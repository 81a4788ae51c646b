// Executor: runs a plan once. Ready nodes run on the thread that made them
// ready; only expensive siblings are handed to the pool; asynchronous kernels
// park without a thread. Graphs without control flow take the flat path, others
// keep frames, iterations and dead values as TensorFlow defines them.
#ifndef SLI_RUNTIME_EXECUTOR_H_
#define SLI_RUNTIME_EXECUTOR_H_

#include "core/env.h"
#include "core/step.h"
#include "runtime/plan.h"
#include "runtime/step_stats.h"

typedef struct {
  sli_plan_t *plan;
  int64_t step_id;
  sli_rendezvous_t *rendezvous;      // may be NULL; retained for the step
  sli_cancellation_t *cancellation;  // may be NULL; retained
  int64_t deadline;                  // sli_now_nanos; the step fails once it is past it. 0 or SLI_NO_DEADLINE: none
  sli_thread_pool_t *pool;           // for expensive nodes; NULL: everything on this thread
  sli_env_t *env;                    // whose turns the step's sends are part of; NULL: none
  sli_tensor_t *const *feeds;        // in the plan's order; retained
  sli_step_stats_t *stats;           // NULL: none are kept
  // The caller's thread must not be kept busy (it polls the network): what is
  // costly is moved to the pool, and so is the rest once the step took a while
  // and |env| has other work for the thread.
  bool hand_over;
} sli_run_request_t;

// Called exactly once, on any thread, when every kernel has completed: |status|
// and, on success, |fetches| (one reference each, in the plan's order) belong to
// the callee; the array itself does not. The executor holds nothing of the step or
// its plan any more by then.
typedef void (*sli_run_done_t)(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count);

// Never blocks on other steps; |done| may run before it returns. On an error the
// rendezvous is aborted and the cancellation raised with the root cause.
void sli_run_plan(const sli_run_request_t *request, sli_run_done_t done, void *context);

#endif  // SLI_RUNTIME_EXECUTOR_H_
