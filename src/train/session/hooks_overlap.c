// How much of the communication of collective ops a step hides behind its computation.
#include "io/event/step_trace.h"
#include "sluice/all_reduce.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/session/hooks_internal.h"

typedef struct {
  sl_hook_t base;
  sli_hook_timer_t timer;
  int64_t iteration;
  bool asked;
} overlap_hook_t;

// The first step is not traced: it forms the group and plans the graph.
static void overlap_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  overlap_hook_t *hook = (overlap_hook_t *)base;
  hook->asked = hook->iteration > 0 && sli_hook_timer_is_due(&hook->timer, hook->iteration);
  if (hook->asked) sl_step_trace(step);
}

static int percent(int64_t part, int64_t whole) { return whole > 0 ? (int)((100 * part + whole / 2) / whole) : 100; }

static void overlap_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  overlap_hook_t *hook = (overlap_hook_t *)base;
  hook->iteration++;
  const TF_Buffer *metadata = hook->asked ? sl_step_metadata(step) : NULL;
  if (!metadata) return;
  sli_step_trace_overlap_t overlap;
  TF_Status *status = TF_NewStatus();
  sli_tf_status_from_status(sli_step_trace_overlap(metadata->data, metadata->length, "Collective", &overlap), status);
  if (TF_GetCode(status) == TF_OK)
    sl_session_say(session,
                   "global step %lld: %.1f ms, of which %d %% computing; %.1f ms of collective ops, %d %% hidden",
                   (long long)session->step, (double)overlap.step / 1e3, percent(overlap.busy, overlap.step),
                   (double)overlap.chosen / 1e3, percent(overlap.overlap, overlap.chosen));
  sli_hook_timer_mark(&hook->timer, hook->iteration);
  sli_hook_check_status(session, status);
}

sl_hook_t *sl_overlap_hook_with(const sl_overlap_options_t *given) {
  SLI_CALL_OPTIONS(sl_overlap_options_t, options, given);
  overlap_hook_t *hook = (overlap_hook_t *)sli_hook_create(sizeof(*hook), sli_hook_free);
  hook->timer = sli_hook_timer_create(options.every_n_iter, options.every_n_secs);
  hook->base.before_run = overlap_before_run;
  hook->base.after_run = overlap_after_run;
  return &hook->base;
}
