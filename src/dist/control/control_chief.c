// Who the chief of the job is. The first ps decides, so that there is one at a time: a
// chief claims again and again, and another task gets the place only if that has stopped
// for long enough.
#include <stdlib.h>

#include "base/log.h"
#include "base/plant.h"
#include "dist/control/control_internal.h"

// Under the control's mutex.
static void set_chief(sli_control_t *control, const Sluice__ChiefRequest *request) {
  sli_control_chief_t *chief = &control->chief;
  if (!chief->task || strcmp(chief->task, request->task) != 0) {
    free(chief->former);
    chief->former = chief->task;
    chief->task = sli_strdup(request->task);
    if (chief->former) SLI_INFO("%s is the chief now, in place of %s", chief->task, chief->former);
  }
  chief->incarnation = request->incarnation;
  chief->heard_at = control->options.env->now(control->options.env);
}

// Under the control's mutex. A ps that was started again does not know the chief, who then has as long to say so.
static bool may_be_chief(const sli_control_t *control, const Sluice__ChiefRequest *request) {
  const sli_control_chief_t *chief = &control->chief;
  if (chief->task && strcmp(chief->task, request->task) == 0) return true;
  if (!chief->task) return request->is_first;
  if (SLI_PLANT("two_chiefs")) return true;
  int64_t silent = control->options.env->now(control->options.env) - chief->heard_at;
  return silent / 1000 > request->lost_micros;
}

void sli_control_decide_chief(sli_control_t *control, const Sluice__ChiefRequest *request, sli_arena_t *arena,
                              Sluice__ChiefResponse *out_response) {
  sluice__chief_response__init(out_response);
  sli_mutex_lock(&control->mutex);
  if (request->claim && !sli_control_is_done(control) && may_be_chief(control, request)) set_chief(control, request);
  const sli_control_chief_t *chief = &control->chief;
  if (chief->task) {
    out_response->task = sli_arena_strndup(arena, chief->task, strlen(chief->task));
    out_response->incarnation = chief->incarnation;
    out_response->silent_micros = (control->options.env->now(control->options.env) - chief->heard_at) / 1000;
  }
  if (chief->former) out_response->former = sli_arena_strndup(arena, chief->former, strlen(chief->former));
  sli_mutex_unlock(&control->mutex);
}

int64_t sli_control_chief_silence(sli_control_t *control) {
  sli_mutex_lock(&control->mutex);
  const sli_control_chief_t *chief = &control->chief;
  int64_t silent = chief->task ? control->options.env->now(control->options.env) - chief->heard_at : -1;
  sli_mutex_unlock(&control->mutex);
  return silent;
}

void sli_control_forget_chief(sli_control_t *control) {
  sli_mutex_lock(&control->mutex);
  free(control->chief.task);
  free(control->chief.former);
  control->chief = (sli_control_chief_t){0};
  sli_mutex_unlock(&control->mutex);
}
