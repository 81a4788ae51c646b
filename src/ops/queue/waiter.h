// What parks in queues, accumulators, barriers and staging areas: a record in a
// list under the object's mutex, ended exactly once: by the object (resolved),
// or by the cancellation of the step that waits.
//
// Nothing runs under the lock: resolved waiters are collected in a list, and
// their owner is told after the unlock (sli_waiters_finish).
#ifndef SLI_OPS_QUEUE_WAITER_H_
#define SLI_OPS_QUEUE_WAITER_H_

#include "core/cancellation.h"
#include "core/tensor.h"

typedef struct sli_waiter sli_waiter_t;

typedef struct {
  sli_waiter_t *first, *last;
} sli_waiters_t;

struct sli_waiter {
  sli_waiter_t *next, *previous;
  sli_waiters_t *list;               // where it stands; NULL: resolved or not parked
  sli_object_t *object;              // what it waits for; counted
  sli_mutex_t *mutex;                // of |object|
  sli_cancellation_t *cancellation;  // counted
  uint64_t token;
  sli_status_t *status;  // the outcome, once resolved
  // Called under the mutex when the step was cancelled and the waiter taken off its
  // list: gives back what it held, lets others go on, who are resolved into |resolved|. May be NULL.
  void (*cancelled_locked)(sli_waiter_t *waiter, sli_waiters_t *resolved);
  const char *cancelled_text;
  // The end, outside all locks, on any thread: consumes |status| and frees the waiter.
  void (*done)(sli_waiter_t *waiter, sli_status_t *status);
};

// Fills in the record; retains |object| and |cancellation| (NULL: the wait cannot be cancelled).
void sli_waiter_initialize(sli_waiter_t *waiter, void *object, sli_mutex_t *mutex, sli_cancellation_t *cancellation);
// Appends to |list|. The mutex is held.
void sli_waiter_append_locked(sli_waiter_t *waiter, sli_waiters_t *list);
// Call for a waiter that is still in its list once its object could do nothing for it at once: registers with
// the step. If the step was cancelled already, the waiter ends in |resolved|. The mutex is held.
void sli_waiter_park_locked(sli_waiter_t *waiter, sli_waiters_t *resolved);
// Takes the waiter off its list and puts it into |resolved| with |status| (consumed). The mutex is held.
void sli_waiter_resolve_locked(sli_waiter_t *waiter, sli_status_t *status, sli_waiters_t *resolved);
// How many wait in |list|. The mutex is held.
static inline int64_t sli_waiters_count(const sli_waiters_t *list) {
  int64_t count = 0;
  for (const sli_waiter_t *waiter = list->first; waiter; waiter = waiter->next) count++;
  return count;
}
// Tells the owners of all resolved waiters. No lock is held.
void sli_waiters_finish(sli_waiters_t *resolved);

#endif  // SLI_OPS_QUEUE_WAITER_H_
