// The guard of an open session. A step may wait for others (a token, a full
// queue) and the program's thread waits with it; when the training is to stop
// meanwhile, the guard gives the step a moment and then closes the session under
// it, which ends the wait.
#include "base/clock.h"
#include "train/session_internal.h"

enum { TICK_MILLIS = 100, GRACE_MILLIS = 2000 };

static void *guard_main(void *argument) {
  sl_session_t *session = argument;
  sli_guard_t *guard = &session->guard;
  int64_t over_since = 0;
  sli_mutex_lock(&guard->mutex);
  while (!guard->leave) {
    sli_cond_wait_until(&guard->changed, &guard->mutex, sli_deadline_after_millis(TICK_MILLIS));
    if (guard->leave) break;
    sli_mutex_unlock(&guard->mutex);
    for (size_t i = 0; i < session->hooks.count; i++)
      if (session->hooks.items[i]->watch) session->hooks.items[i]->watch(session->hooks.items[i], session);
    bool waits = sli_session_is_over(session) && atomic_load(&guard->stepping);
    int64_t now = sli_now_nanos();
    if (!waits) over_since = 0;
    if (waits && !over_since) over_since = now;
    if (waits && now - over_since >= GRACE_MILLIS * INT64_C(1000000) && !atomic_exchange(&guard->closed, true)) {
      TF_Status *status = TF_NewStatus();
      TF_CloseSession(session->handle, status);
      TF_DeleteStatus(status);
    }
    sli_mutex_lock(&guard->mutex);
  }
  sli_mutex_unlock(&guard->mutex);
  return NULL;
}

void sli_guard_start(sl_session_t *session) {
  sli_guard_t *guard = &session->guard;
  sli_mutex_initialize(&guard->mutex);
  sli_cond_initialize(&guard->changed);
  guard->leave = false;
  atomic_store(&guard->stepping, false);
  atomic_store(&guard->closed, false);
  guard->running = pthread_create(&guard->thread, NULL, guard_main, session) == 0;
  if (guard->running) return;
  sli_session_fail(session, NULL, 0, sli_status_make(SLI_RESOURCE_EXHAUSTED, "no thread can be started"));
  sli_cond_deinitialize(&guard->changed);
  sli_mutex_deinitialize(&guard->mutex);
}

void sli_guard_stop(sl_session_t *session) {
  sli_guard_t *guard = &session->guard;
  if (!guard->running) return;
  sli_mutex_lock(&guard->mutex);
  guard->leave = true;
  sli_cond_signal(&guard->changed);
  sli_mutex_unlock(&guard->mutex);
  pthread_join(guard->thread, NULL);
  guard->running = false;
  sli_cond_deinitialize(&guard->changed);
  sli_mutex_deinitialize(&guard->mutex);
}

void sli_guard_step_begins(sl_session_t *session) {
  // A step that the program begins after the end is its own wish.
  if (!sli_session_is_over(session)) atomic_store(&session->guard.stepping, true);
}

void sli_guard_step_ended(sl_session_t *session) { atomic_store(&session->guard.stepping, false); }
