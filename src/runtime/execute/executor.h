// Executor: runs a plan once. A node runs on the thread that made it ready; only if
// several expensive nodes are ready, the pool gets some of them. A kernel that may block
// runs on the caller's thread if that does not poll, else on a thread that the pool has
// for such kernels. Asynchronous kernels occupy no thread while they wait. Plans without
// control flow take a shorter path; others have frames, iterations and dead values as
// TensorFlow defines them.
#ifndef SLI_RUNTIME_EXECUTE_EXECUTOR_H_
#define SLI_RUNTIME_EXECUTE_EXECUTOR_H_

#include "core/step/env.h"
#include "core/step/step.h"
#include "runtime/execute/step_stats.h"
#include "runtime/plan/plan.h"

typedef struct {
  sli_plan_t *plan;
  int64_t step_id;
  sli_rendezvous_t *rendezvous;      // may be NULL; retained for the step
  sli_cancellation_t *cancellation;  // may be NULL; retained
  int64_t deadline;  // by the clock of |env|; the step fails once it has passed. 0 or SLI_CLOCK_NO_DEADLINE: none
  sli_thread_pool_t *pool;            // for expensive nodes; NULL: everything on this thread
  sli_env_t *env;                     // NULL: sli_env_local()
  sli_tensor_t *const *feeds;         // in the plan's order; retained
  sli_step_stats_t *stats;            // NULL: none are kept
  struct sli_collective *collective;  // for collective ops; NULL: they cannot run
  // The calling thread polls the network and must not be kept busy: costly nodes go
  // to the pool. The rest of the step goes there, too, if it takes long and |env| has
  // other work for the thread.
  bool hand_over;
  // The plan is the body of a function. On an error the caller decides what it means: |cancellation| is not cancelled,
  // the rendezvous not aborted.
  bool is_call;
  const sli_step_t *caller;  // of a call: lends its step resources, and its depth; NULL: there is none
} sli_executor_request_t;

// Called exactly once, on any thread, when every kernel has completed. The callee
// owns |status| and, on success, one reference of each of |fetches| (in the plan's
// order), but not the array. The executor has released the plan and everything else
// of the step by then.
typedef void (*sli_executor_done_t)(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count);

// Starts a step and runs its nodes. Does not wait for other steps. |done| may be
// called before this returns. On an error the rendezvous is aborted and the
// cancellation is cancelled with the root cause.
void sli_executor_run_plan(const sli_executor_request_t *request, sli_executor_done_t done, void *context);

#endif  // SLI_RUNTIME_EXECUTE_EXECUTOR_H_
