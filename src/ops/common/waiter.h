// A kernel that waits without a thread in a queue, accumulator, barrier or staging area: an entry of a list under the
// object's mutex. It ends exactly once: the object resolves it, or the step that waits is cancelled.
//
// No callback runs under the lock: resolved waiters are collected in a list, and their |done| callbacks run after the
// unlock (sli_waiter_list_finish).
#ifndef SLI_OPS_COMMON_WAITER_H_
#define SLI_OPS_COMMON_WAITER_H_

#include "core/step/cancellation.h"
#include "core/tensor/tensor.h"

typedef struct sli_waiter sli_waiter_t;

typedef struct {
  sli_waiter_t *first, *last;
} sli_waiter_list_t;

struct sli_waiter {
  sli_waiter_t *next, *previous;
  sli_waiter_list_t *list;           // the list that contains it; NULL: resolved or not parked
  sli_object_t *object;              // what it waits for; a reference
  sli_mutex_t *mutex;                // of |object|
  sli_cancellation_t *cancellation;  // a reference; NULL: cannot be cancelled
  uint64_t token;
  sli_status_t *status;  // the outcome, once resolved
  // Called under the mutex when the step was cancelled and the waiter removed from its list: releases what the waiter
  // holds, and resolves other waiters that can now proceed into |resolved|. May be NULL.
  void (*cancelled_locked)(sli_waiter_t *waiter, sli_waiter_list_t *resolved);
  const char *cancelled_text;
  // Called once at the end, without locks, on any thread. Consumes |status| and frees the waiter.
  void (*done)(sli_waiter_t *waiter, sli_status_t *status);
};

// Retains |object| and |cancellation|.
void sli_waiter_initialize(sli_waiter_t *waiter, void *object, sli_mutex_t *mutex, sli_cancellation_t *cancellation);
// Appends to |list|. Caller must hold the mutex.
void sli_waiter_append_locked(sli_waiter_t *waiter, sli_waiter_list_t *list);
// Registers the waiter with the cancellation of its step. Call it for a waiter that its object could not resolve at
// once and that is still in its list. If the step is cancelled already, the waiter goes to |resolved|. Caller must hold
// the mutex.
void sli_waiter_park_locked(sli_waiter_t *waiter, sli_waiter_list_t *resolved);
// Moves the waiter from its list to |resolved| with |status|, which is consumed. Caller must hold the mutex.
void sli_waiter_resolve_locked(sli_waiter_t *waiter, sli_status_t *status, sli_waiter_list_t *resolved);
// How many wait in |list|. Caller must hold the mutex.
static inline int64_t sli_waiter_list_count(const sli_waiter_list_t *list) {
  int64_t count = 0;
  for (const sli_waiter_t *waiter = list->first; waiter; waiter = waiter->next) count++;
  return count;
}
// Calls |done| of all waiters in |resolved|. Caller must hold no lock.
void sli_waiter_list_finish(sli_waiter_list_t *resolved);

#endif  // SLI_OPS_COMMON_WAITER_H_
