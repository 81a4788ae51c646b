// Partial runs of a direct session: one step that is fed and fetched in several
// calls. The step starts when it is set up; each call puts feeds into the step's
// rendezvous and takes fetches from it.
#ifndef SLI_RUNTIME_SESSION_PARTIAL_RUN_H_
#define SLI_RUNTIME_SESSION_PARTIAL_RUN_H_

#include "core/step/env.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/signature.h"
#include "runtime/session/session.h"

// Shared by all partial runs of a signature. Reference counted; immutable.
typedef struct sli_partial_run_plan sli_partial_run_plan_t;

// |pruned| must not be used afterwards. INVALID_ARGUMENT "a:0 is both fed and fetched.".
sli_status_t *sli_partial_run_plan_create(sli_pass_pruned_t *pruned, const sli_signature_t *signature,
                                          const sli_device_set_t *devices, sli_function_library_t *functions,
                                          sli_partial_run_plan_t **out_plan);
void sli_partial_run_plan_release(sli_partial_run_plan_t *plan);

// A step that runs in parts. Reference counted. Thread-safe.
typedef struct sli_partial_run sli_partial_run_t;

// Starts the step: runs the nodes that need no feed on this thread, and returns.
sli_partial_run_t *sli_partial_run_start(sli_partial_run_plan_t *plan, int64_t step_id, sli_env_t *env,
                                         sli_thread_pool_t *pool);
sli_partial_run_t *sli_partial_run_retain(sli_partial_run_t *run);
void sli_partial_run_release(sli_partial_run_t *run);

// Feeds |request|'s feeds and waits for its fetches, until |deadline|. Does nothing and fails with INVALID_ARGUMENT and
// TensorFlow's text for a feed or fetch that was not set up or was used already, or a fetch that needs a missing feed.
// |*out_is_over|: the step has ended, by an error or because everything was fed and fetched; the caller should release
// the run.
sli_status_t *sli_partial_run_continue(sli_partial_run_t *run, const sli_session_run_t *request, int64_t deadline,
                                       sli_tensor_t **out_fetches, bool *out_is_over);
// Cancels the step with |reason|, which it consumes, and blocks until it has ended.
void sli_partial_run_cancel(sli_partial_run_t *run, sli_status_t *reason);

#endif  // SLI_RUNTIME_SESSION_PARTIAL_RUN_H_
