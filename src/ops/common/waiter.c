// An object that resolves a waiter races with the cancellation of the step. The one that removes the waiter from its
// list, under the object's mutex, ends it. The waiter is freed only after the cancellation no longer uses it.
#include "ops/common/waiter.h"

void sli_waiter_initialize(sli_waiter_t *waiter, void *object, sli_mutex_t *mutex, sli_cancellation_t *cancellation) {
  waiter->object = sli_object_retain(object);
  waiter->mutex = mutex;
  waiter->cancellation = sli_cancellation_retain(cancellation);
}

void sli_waiter_append_locked(sli_waiter_t *waiter, sli_waiter_list_t *list) {
  waiter->list = list;
  waiter->next = NULL;
  waiter->previous = list->last;
  if (list->last)
    list->last->next = waiter;
  else
    list->first = waiter;
  list->last = waiter;
}

static void unlink_locked(sli_waiter_t *waiter) {
  sli_waiter_list_t *list = waiter->list;
  if (waiter->previous)
    waiter->previous->next = waiter->next;
  else
    list->first = waiter->next;
  if (waiter->next)
    waiter->next->previous = waiter->previous;
  else
    list->last = waiter->previous;
  waiter->list = NULL;
}

static void push_resolved(sli_waiter_t *waiter, sli_status_t *status, sli_waiter_list_t *resolved) {
  waiter->status = status;
  sli_waiter_append_locked(waiter, resolved);
  waiter->list = NULL;
}

void sli_waiter_resolve_locked(sli_waiter_t *waiter, sli_status_t *status, sli_waiter_list_t *resolved) {
  unlink_locked(waiter);
  push_resolved(waiter, status, resolved);
}

static void abandon_locked(sli_waiter_t *waiter, sli_waiter_list_t *resolved) {
  unlink_locked(waiter);
  if (waiter->cancelled_locked) waiter->cancelled_locked(waiter, resolved);
}

static sli_status_t *cancelled_status(const sli_waiter_t *waiter) {
  return sli_status_make(SLI_CANCELLED, "%s", waiter->cancelled_text);
}

// Ends a waiter that nothing else refers to.
static void finish(sli_waiter_t *waiter, sli_status_t *status) {
  sli_object_t *object = waiter->object;
  sli_cancellation_t *cancellation = waiter->cancellation;
  waiter->done(waiter, status);
  sli_object_release(object);
  sli_cancellation_release(cancellation);
}

static void on_cancelled(void *context) {
  sli_waiter_t *waiter = context;
  sli_mutex_t *mutex = waiter->mutex;
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(mutex);
  bool is_ours = waiter->list != NULL;
  if (is_ours) abandon_locked(waiter, &resolved);
  sli_mutex_unlock(mutex);
  sli_waiter_list_finish(&resolved);
  if (is_ours) finish(waiter, cancelled_status(waiter));
}

void sli_waiter_park_locked(sli_waiter_t *waiter, sli_waiter_list_t *resolved) {
  if (!waiter->cancellation) return;
  waiter->token = sli_cancellation_register(waiter->cancellation, on_cancelled, waiter);
  if (waiter->token) return;
  abandon_locked(waiter, resolved);
  push_resolved(waiter, cancelled_status(waiter), resolved);
}

void sli_waiter_list_finish(sli_waiter_list_t *resolved) {
  while (resolved->first) {
    sli_waiter_t *waiter = resolved->first;
    resolved->first = waiter->next;
    // Blocks while on_cancelled runs, which then finds the waiter resolved.
    if (waiter->token) sli_cancellation_deregister(waiter->cancellation, waiter->token);
    finish(waiter, waiter->status);
  }
  resolved->last = NULL;
}
