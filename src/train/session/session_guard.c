// The guard of an open session. A step may wait for other workers (for a token, or
// for a queue), and the program's thread waits with it. If the training must stop in
// the meantime, the guard gives the step some time and then closes the session, which
// ends the step. It also tells about the other tasks: see session_guard_peers.c.
#include "base/clock.h"
#include "train/common/tf_session.h"
#include "train/session/train_session.h"

enum { TICK_MILLIS = 100, GRACE_MILLIS = 2000 };

// A task that has become the chief, or is no longer, opens another session for it.
static void check_role(sl_session_t *session) {
  bool is_chief = atomic_load(&session->claim.is_chief);
  if (is_chief == session->is_chief) return;
  sl_coordinator_request_stop(session->coordinator, TF_ABORTED,
                              is_chief ? "this task is the chief now" : "this task is no longer the chief");
}

// In asynchronous training the versions of the ps tasks need not belong together. The chief's thread takes the others.
static void back_up(sl_session_t *session) {
  sli_session_backup_t *backup = &session->manager->backup;
  if (!session->is_chief || session->scope->is_synchronous || !sli_session_backup_is_due(backup)) return;
  TF_Status *status = TF_NewStatus();
  int64_t step = sli_tf_session_fetch_int64(session->handle, session->global_step, status);
  if (TF_GetCode(status) == TF_OK) sli_session_backup_cut(backup, step);
  TF_DeleteStatus(status);
}

static void *guard_main(void *argument) {
  sl_session_t *session = argument;
  sli_session_guard_t *guard = &session->guard;
  int64_t over_since = 0;
  sli_mutex_lock(&guard->mutex);
  while (!guard->leave) {
    sli_cond_wait_until(&guard->changed, &guard->mutex, sli_clock_deadline_after_millis(TICK_MILLIS));
    if (guard->leave) break;
    sli_mutex_unlock(&guard->mutex);
    for (size_t i = 0; i < session->hooks.count; i++) {
      sl_hook_t *hook = sli_train_session_hook(session, i);
      if (hook && hook->watch) hook->watch(hook, session);
    }
    if (!sli_train_session_is_over(session)) check_role(session);
    if (!sli_train_session_is_over(session)) back_up(session);
    guard->peers.chief_has_moved = atomic_load(&session->claim.has_moved);
    if (!sli_train_session_is_over(session))
      sli_session_guard_check_peers(&guard->peers, session->manager, session->is_chief, &guard->step_nanos,
                                    session->coordinator);
    bool waits = sli_train_session_is_over(session) && atomic_load(&guard->stepping);
    int64_t now = sli_clock_now_nanos();
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

void sli_session_guard_start(sl_session_t *session) {
  sli_session_guard_t *guard = &session->guard;
  sli_mutex_initialize(&guard->mutex);
  sli_cond_initialize(&guard->changed);
  guard->leave = false;
  atomic_store(&guard->stepping, false);
  atomic_store(&guard->closed, false);
  atomic_store(&guard->step_nanos, 0);
  guard->running = pthread_create(&guard->thread, NULL, guard_main, session) == 0;
  if (guard->running) return;
  sli_train_session_fail(
      session, NULL, 0,
      sli_status_make(SLI_RESOURCE_EXHAUSTED, "the thread that guards the session cannot be started"));
  sli_cond_deinitialize(&guard->changed);
  sli_mutex_deinitialize(&guard->mutex);
}

void sli_session_guard_stop(sl_session_t *session) {
  sli_session_guard_t *guard = &session->guard;
  if (!guard->running) return;
  sli_mutex_lock(&guard->mutex);
  guard->leave = true;
  sli_cond_signal(&guard->changed);
  sli_mutex_unlock(&guard->mutex);
  pthread_join(guard->thread, NULL);
  guard->running = false;
  sli_session_guard_forget_peers(&guard->peers);
  sli_cond_deinitialize(&guard->changed);
  sli_mutex_deinitialize(&guard->mutex);
}

void sli_session_guard_begin_step(sl_session_t *session) {
  atomic_store(&session->guard.step_nanos, sli_clock_now_nanos());
  // A step that the program begins after it was to stop is not interrupted.
  if (!sli_train_session_is_over(session)) atomic_store(&session->guard.stepping, true);
}

void sli_session_guard_end_step(sl_session_t *session) {
  atomic_store(&session->guard.stepping, false);
  atomic_store(&session->guard.step_nanos, 0);
}
