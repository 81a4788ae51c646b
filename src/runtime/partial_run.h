// Partial runs of a local session: one step whose feeds are given, and fetches asked
// for, in several calls. The step starts when it is set up; each call leaves feeds
// in the step's rendezvous and takes fetches from it.
#ifndef SLI_RUNTIME_PARTIAL_RUN_H_
#define SLI_RUNTIME_PARTIAL_RUN_H_

#include "runtime/plan.h"
#include "runtime/session.h"
#include "runtime/signature.h"

// What a signature's partial runs share. Counted; immutable.
typedef struct sli_local_partial_plan sli_local_partial_plan_t;

// |pruned| is used up. INVALID_ARGUMENT "a:0 is both fed and fetched.".
sli_status_t *sli_local_partial_plan_create(sli_pruned_t *pruned, const sli_signature_t *signature,
                                            const sli_device_set_t *devices, sli_local_partial_plan_t **out_plan);
void sli_local_partial_plan_release(sli_local_partial_plan_t *plan);

// A step that runs in parts. Counted. Thread-safe.
typedef struct sli_local_partial sli_local_partial_t;

// Runs what needs no feed on this thread, and returns.
sli_local_partial_t *sli_local_partial_start(sli_local_partial_plan_t *plan, int64_t step_id, sli_thread_pool_t *pool);
sli_local_partial_t *sli_local_partial_retain(sli_local_partial_t *run);
void sli_local_partial_release(sli_local_partial_t *run);

// Gives |request|'s feeds and waits for its fetches, until |deadline| at most.
// INVALID_ARGUMENT with TensorFlow's text, and nothing done, for a feed or fetch that was not set up or was used
// already, or a fetch that needs a feed still to come. |*out_is_over|: the step has ended, by an error or since all
// is fed and fetched; the caller forgets the run.
sli_status_t *sli_local_partial_continue(sli_local_partial_t *run, const sli_session_run_t *request, int64_t deadline,
                                         sli_tensor_t **out_fetches, bool *out_is_over);
// Ends the step for the given reason (consumed) and waits until it has ended.
void sli_local_partial_cancel(sli_local_partial_t *run, sli_status_t *reason);

#endif  // SLI_RUNTIME_PARTIAL_RUN_H_
