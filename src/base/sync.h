// Thin names over pthreads, and a one-shot event.
#ifndef SLI_BASE_SYNC_H_
#define SLI_BASE_SYNC_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef pthread_mutex_t sli_mutex_t;
#define SLI_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
static inline void sli_mutex_initialize(sli_mutex_t *mutex) { pthread_mutex_init(mutex, NULL); }
static inline void sli_mutex_deinitialize(sli_mutex_t *mutex) { pthread_mutex_destroy(mutex); }
static inline void sli_mutex_lock(sli_mutex_t *mutex) { pthread_mutex_lock(mutex); }
static inline void sli_mutex_unlock(sli_mutex_t *mutex) { pthread_mutex_unlock(mutex); }

// Condition variables use the monotonic clock.
typedef pthread_cond_t sli_cond_t;
void sli_cond_initialize(sli_cond_t *cond);
static inline void sli_cond_deinitialize(sli_cond_t *cond) { pthread_cond_destroy(cond); }
static inline void sli_cond_wait(sli_cond_t *cond, sli_mutex_t *mutex) { pthread_cond_wait(cond, mutex); }
// False once |deadline| (sli_clock_now_nanos) has passed.
bool sli_cond_wait_until(sli_cond_t *cond, sli_mutex_t *mutex, int64_t deadline);
static inline void sli_cond_signal(sli_cond_t *cond) { pthread_cond_signal(cond); }
static inline void sli_cond_broadcast(sli_cond_t *cond) { pthread_cond_broadcast(cond); }

// Set once; any number of threads may wait for it. Thread-safe. A waiter may
// destroy it as soon as its wait has returned true.
typedef struct {
  sli_mutex_t mutex;
  sli_cond_t cond;
  atomic_bool set;
} sli_event_t;
void sli_event_initialize(sli_event_t *event);
void sli_event_deinitialize(sli_event_t *event);
void sli_event_set(sli_event_t *event);
// Cheap. Before the event is destroyed sli_event_wait must have returned true.
static inline bool sli_event_is_set(sli_event_t *event) {
  return atomic_load_explicit(&event->set, memory_order_acquire);
}
bool sli_event_wait(sli_event_t *event, int64_t deadline);

// Reference counts.
typedef atomic_int sli_refcount_t;
static inline void sli_refcount_initialize(sli_refcount_t *count) { atomic_init(count, 1); }
static inline void sli_refcount_retain(sli_refcount_t *count) {
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}
// Returns true to the caller that must destroy the object. The holder of the only reference needs no atomic
// subtraction: no other thread can change the count.
static inline bool sli_refcount_release(sli_refcount_t *count) {
  return atomic_load_explicit(count, memory_order_acquire) == 1 ||
         atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel) == 1;
}
static inline bool sli_refcount_is_one(sli_refcount_t *count) {
  return atomic_load_explicit(count, memory_order_acquire) == 1;
}

#endif  // SLI_BASE_SYNC_H_
