#include "base/sync.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"

void sli_cond_initialize(sli_cond_t *cond) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(cond, &attributes);
  pthread_condattr_destroy(&attributes);
}

bool sli_cond_wait_until(sli_cond_t *cond, sli_mutex_t *mutex, int64_t deadline) {
  if (deadline == SLI_CLOCK_NO_DEADLINE) {
    pthread_cond_wait(cond, mutex);
    return true;
  }
  struct timespec until = {deadline / 1000000000, deadline % 1000000000};
  return pthread_cond_timedwait(cond, mutex, &until) != ETIMEDOUT;
}

void sli_event_initialize(sli_event_t *event) {
  sli_mutex_initialize(&event->mutex);
  sli_cond_initialize(&event->cond);
  atomic_init(&event->set, false);
}

void sli_event_deinitialize(sli_event_t *event) {
  sli_cond_deinitialize(&event->cond);
  sli_mutex_deinitialize(&event->mutex);
}

void sli_event_set(sli_event_t *event) {
  // The lock is held to the end: a waiter that takes it next may destroy the event.
  sli_mutex_lock(&event->mutex);
  atomic_store_explicit(&event->set, true, memory_order_release);
  sli_cond_broadcast(&event->cond);
  sli_mutex_unlock(&event->mutex);
}

bool sli_event_wait(sli_event_t *event, int64_t deadline) {
  sli_mutex_lock(&event->mutex);
  bool in_time = true;
  while (!sli_event_is_set(event) && in_time) in_time = sli_cond_wait_until(&event->cond, &event->mutex, deadline);
  bool set = sli_event_is_set(event);
  sli_mutex_unlock(&event->mutex);
  return set;
}
