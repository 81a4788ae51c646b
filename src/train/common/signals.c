#include "train/common/signals.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/sync.h"

// Static and never destroyed, so that a handler may post to it at any time.
struct sli_signals_waiter {
  sem_t changed;  // posted when a signal has arrived and when the wait is to stop
  atomic_bool is_used, is_stopped;
};

static atomic_int caught_signal;  // lock-free, so a handler may write it
static sli_signals_waiter_t waiters[16];

static sli_mutex_t mutex = SLI_MUTEX_INITIALIZER;
// Under mutex.
static struct sigaction former_int, former_term;
static int watch_count;
static bool has_semaphores;

static void on_signal(int number) {
  int error = errno;
  caught_signal = number;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(waiters); i++)
    if (waiters[i].is_used) sem_post(&waiters[i].changed);  // may be called in a handler
  errno = error;
}

static void watch(int number, struct sigaction *former) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
  sigemptyset(&action.sa_mask);
  sigaction(number, NULL, former);
  if (former->sa_handler == SIG_DFL) sigaction(number, &action, NULL);
}

void sli_signals_watch(void) {
  sli_mutex_lock(&mutex);
  if (watch_count++ == 0) {
    caught_signal = 0;
    watch(SIGINT, &former_int);
    watch(SIGTERM, &former_term);
  }
  sli_mutex_unlock(&mutex);
}

void sli_signals_unwatch(void) {
  sli_mutex_lock(&mutex);
  if (watch_count > 0 && --watch_count == 0) {
    sigaction(SIGINT, &former_int, NULL);
    sigaction(SIGTERM, &former_term, NULL);
  }
  sli_mutex_unlock(&mutex);
}

int sli_signals_caught(void) { return caught_signal; }

sli_signals_waiter_t *sli_signals_waiter_create(void) {
  sli_signals_waiter_t *waiter = NULL;
  sli_mutex_lock(&mutex);
  for (size_t i = 0; !has_semaphores && i < SLI_ARRAY_COUNT_OF(waiters); i++) sem_init(&waiters[i].changed, 0, 0);
  has_semaphores = true;
  for (size_t i = 0; !waiter && i < SLI_ARRAY_COUNT_OF(waiters); i++)
    if (!waiters[i].is_used) waiter = &waiters[i];
  if (waiter) {
    while (sem_trywait(&waiter->changed) == 0) continue;  // posts for the user before
    waiter->is_stopped = false;
    waiter->is_used = true;
  }
  sli_mutex_unlock(&mutex);
  return waiter;
}

int sli_signals_waiter_wait(sli_signals_waiter_t *waiter) {
  while (!caught_signal && !waiter->is_stopped) sem_wait(&waiter->changed);
  return caught_signal;
}

void sli_signals_waiter_stop(sli_signals_waiter_t *waiter) {
  waiter->is_stopped = true;
  sem_post(&waiter->changed);
}

void sli_signals_waiter_release(sli_signals_waiter_t *waiter) {
  if (waiter) waiter->is_used = false;
}
